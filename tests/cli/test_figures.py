# SPDX-License-Identifier: Apache-2.0
"""Pictures that stand alone: their heading, what their legend has no room for, and names that are cut where they are alike."""
import csv
import math
import os
import random
import shutil
import sys
import unittest

from cli import Case, ROOT

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import picture          # noqa: E402

random.seed(os.environ.get('SCOPE_SEED', '1'))
FFT = os.path.join(ROOT, 'traces', 'fft2d-s16.trace')
WHITE = (255, 255, 255)
HEADING = 44            # two lines of 20 px, 4 px above them
PAJE = '\n'.join(f'%EventDef {event} {i}\n' + '\n'.join(f'% {field} {"date" if field == "Time" else "string"}' for field in fields.split()) + '\n%EndEventDef'
                 for i, (event, fields) in enumerate({'PajeDefineContainerType': 'Alias Type Name', 'PajeDefineStateType': 'Alias Type Name',
                                                      'PajeCreateContainer': 'Time Alias Type Container Name', 'PajeSetState': 'Time Type Container Value',
                                                      'PajeDestroyContainer': 'Time Type Name'}.items()))


class Figures(Case):
    def paje(self, names, states):
        """Tasks of these names, each of which is in each state as long as the others, in an order of its own."""
        path = self.path('made.paje')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(PAJE + '\n0 T 0 Task\n1 S T State\n' + ''.join(f'2 0 t{i} T 0 "{name}"\n' for i, name in enumerate(names)))
            for k in range(len(states)):
                f.writelines(f'3 {k} S t{i} "{states[(k + i) % len(states)]}"\n' for i in range(len(names)))
            f.writelines(f'4 {len(states)} T t{i}\n' for i in range(len(names)))
        return path

    def draw(self, trace, *words, view='Space-time'):
        self.good('draw', trace, '--view', view, *words, '-o', self.path('picture.png'), '--quiet')
        return picture.pixels(self.path('picture.png'))

    @staticmethod
    def runs(line):
        """(colour, how many pixels, whether there is paper on both sides) from left to right."""
        begin = 0
        for x in range(1, len(line) + 1):
            if x == len(line) or line[x] != line[begin]:
                yield line[begin], x - begin, begin > 0 and line[begin - 1] == WHITE and x < len(line) and line[x] == WHITE
                begin = x

    def swatches(self, rows):
        """Colours of the squares of legends."""
        lines = {}
        for line in rows:
            for colour, n, alone in self.runs(line):
                if n == 10 and alone and colour != WHITE:
                    lines[colour] = lines.get(colour, 0) + 1
        return {colour for colour, n in lines.items() if n >= 10}

    def shown(self, rows):
        """Colours of what lasts in the plot: of long runs, line after line, on the bars of tasks."""
        lines = {}
        for line in rows:
            for colour in {colour for colour, n, _ in self.runs(line) if n >= 15 and max(colour) - min(colour) > 24}:
                lines[colour] = lines.get(colour, 0) + 1
        return {colour for colour, n in lines.items() if n >= 8}

    def test_all_that_is_seen_is_named(self):
        """Each colour of the plot has its square, above or below; in a picture without a heading some have none."""
        trace = self.paje(['one', 'two', 'three'], [f'state number {k}' for k in random.sample(range(100), 10)])
        alone, bare = (self.draw(trace, '--size', '620x400', *more) for more in (('--heading',), ()))
        colours = self.shown(alone)
        self.assertGreaterEqual(len(colours), 8)
        self.assertEqual(self.shown(bare), colours)
        self.assertEqual(colours - self.swatches(alone), set())
        self.assertNotEqual(colours - self.swatches(bare), set())

    def test_a_heading_stands_above_the_picture(self):
        """Below it is the picture as it is, of what is left of the height; in it are words, others for another trace, instant and selection."""
        for view, more in (('Space-time', ()), ('State graph', ('--at', '0.1'))):
            rows, below = self.draw(FFT, '--heading', '--size', '1200x500', *more, view=view), self.draw(FFT, '--size', f'1200x{500 - HEADING}', *more, view=view)
            self.assertTrue(rows[HEADING:] == below, view)
            self.assertEqual(len(rows), 500)
            self.assertNotEqual(set(sum(rows[:HEADING], [])), {WHITE})
            other = self.draw(FFT, '--heading', '--size', '1200x500', *more, '--select', 't40003', view=view)
            self.assertTrue(other[:HEADING] != rows[:HEADING])
        later = self.draw(FFT, '--heading', '--size', '1200x500', '--at', '0.2', view='State graph')
        self.assertTrue(later[:HEADING] != rows[:HEADING])
        self.assertNotEqual(self.draw(FFT.replace('s16', 's32'), '--heading', '--size', '1200x500', '--at', '0.1', view='State graph')[:HEADING], rows[:HEADING])

    def labels(self, rows):
        """The pixels of the labels of two tasks: beside the bars, which are the lines that are coloured throughout."""
        wide = len(rows[0])
        coloured = [y for y, line in enumerate(rows) if y > 40 and all(max(c) - min(c) > 24 for c in line[wide * 3 // 4:wide - 30])]
        gap = next(i for i in range(1, len(coloured)) if coloured[i] > coloured[i - 1] + 1)
        middles = [(part[0] + part[-1]) // 2 for part in (coloured[:gap], coloured[gap:])]
        left = next(x for x, c in enumerate(rows[middles[0]]) if max(c) - min(c) > 24)
        return [[line[:left] for line in rows[y - 9:y + 10]] for y in middles]

    def test_names_that_begin_alike_are_told_apart(self):
        """Where a label has no room it is cut in its middle, as its end is what differs."""
        common = 'MPI Rank 0, thread of the library of threads, number '
        first, second = self.labels(self.draw(self.paje([common + '1', common + '2'], ['Busy']), '--size', '420x300'))
        self.assertTrue(first != second)
        first, second = self.labels(self.draw(self.paje(['1' + common + 'x', '2' + common + 'x'], ['Busy']), '--size', '420x300'))
        self.assertTrue(first != second)

    def test_each_execution_is_named(self):
        """Of two executions that are alike but for their names each picture has the name, however little room there is beside the legend."""
        for name in ('one', 'other'):
            os.makedirs(self.path(name + '.trace'))
            shutil.copytree(os.path.join(FFT, 'fft2d-s16.tapepvm'), self.path(name + '.trace', name + '.tapepvm'))
        for width in (430, 700):
            heads = []
            for view in ('Space-time 1', 'Space-time 2'):
                self.good('draw', self.path('one.trace'), self.path('other.trace'), '--program', 'compare', '--view', view, '--size', f'{width}x260',
                          '-o', self.path('picture.png'), '--quiet')
                heads.append(picture.pixels(self.path('picture.png'))[:30])
            self.assertTrue(heads[0] != heads[1], width)

    def test_statistics_have_units(self):
        """Of numbers that have neither a date nor a unit of their own, the unit of the output that they come from; no rate is known of them."""
        def box(name, kind, inside=''):
            return f'<component name="{name}" class="scope.{kind}" version="1">{inside}</component>'

        def file(name):
            return f'<setting name="file">{name}.csv</setting>'
        with open(self.path('p.eve'), 'w') as f:
            f.write('<eve version="1">' + box('Reader', 'tapepvm-reader') + box('Simulator', 'pvm-simulator') + box('Durations', 'state-durations')
                    + box('Statistics', 'statistics') + box('Table', 'data-file', file('table')) + box('Values', 'csv-sink', file('values'))
                    + ''.join(f'<wire from="{a}" out="{out}" to="{b}" in="{into}"/>' for a, out, b, into in
                              (('Reader', 'events', 'Simulator', 'events'), ('Simulator', 'states', 'Durations', 'states'),
                               ('Durations', 'value', 'Statistics', 'value'), ('Durations', 'value', 'Values', 'in'),
                               ('Statistics', 'table', 'Table', 'in'))) + '</eve>')
        self.good('run', FFT, '--program', self.path('p.eve'), '--out', self.path('out'), '--quiet')
        with open(self.path('out', 'table.csv'), newline='') as f:
            row, = csv.DictReader(f)
        with open(self.path('out', 'values.csv'), newline='') as f:
            values = [float(line[-1]) for line in list(csv.reader(f))[1:]]
        self.assertEqual({h for h in row if '[' not in h}, {'what', 'count', 'no numbers'})
        self.assertEqual({h[h.index('['):] for h in row if '[' in h}, {'[s]'})
        self.assertNotIn('rate', ''.join(row))
        self.assertEqual(int(row['count']), len(values))
        for name, value in (('sum', math.fsum(values)), ('min', min(values)), ('max', max(values)), ('mean', math.fsum(values) / len(values))):
            self.assertAlmostEqual(float(row[f'{name} [s]']), value, delta=1e-9)


if __name__ == '__main__':
    unittest.main()
