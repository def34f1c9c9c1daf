# SPDX-License-Identifier: Apache-2.0
"""What the window shows of heap snapshots (ways, references, suspects, room) beside a second computation, at random instants."""
import collections
import csv
import itertools
import json
import math
import os
import random
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main                                                          # noqa: E402
from heap import Model                                                                         # noqa: E402

TRACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'heap-samples', 'leak.trace')
NUMBER = re.compile(r'#(\d+)')


class Views(Format):
    @classmethod
    def setUpClass(cls):
        folder, cls.models = os.path.join(TRACE, 'leak.heap'), []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), 'rb') as f:
                model = Model(f.read())
            cls.models.append((int(model.info['elapsed_ns']), model, model.live()))

    def rows(self, program, view, at, *more):
        path = self.path('rows.csv')
        self.scope('draw', TRACE, '--program', program, '--view', view, '--at', f'{at / 1e9:.9f}', '-q', '-o', path, *more)
        with open(path) as f:
            return list(csv.DictReader(f))

    def instants(self, seed, n):
        """A random instant, with the snapshot that is the last before it, and its number."""
        r = random.Random(seed)
        for _ in range(few(n)):
            at = r.randrange(self.models[0][0], self.models[-1][0] + 1)
            number = sum(m[0] <= at for m in self.models)
            yield r, at, number, *self.models[number - 1][1:]

    def steps_from_top(self, model):
        """How many steps each live block is from what is above all: a category, perhaps a module, and then references."""
        far, border = {}, []
        for _, symbol, block in model.roots:
            border.append((3 if symbol else 2, block))
        border.sort()
        while border:
            below = []
            for steps, block in border:
                if block not in far:
                    far[block] = steps
                    below += [(steps + 1, to) for to in model.blocks[block][2]]
            border = sorted(below + [b for b in border if b[0] > border[0][0] and b[1] not in far])
        return far

    def block(self, row):
        found = NUMBER.search(row['block'])
        return int(found[1]) if found else None

    def check_way(self, rows, model, live, end):
        """A row for each step down to `end`: each refers to the next, and those that alone keep it are so called."""
        steps = [self.block(r) for r in rows]
        blocks = [b for b in steps if b is not None]
        self.assertEqual(blocks[-1], end)
        self.assertIn(blocks[0], {b for _, _, b in model.roots})
        for a, b in zip(blocks, blocks[1:]):
            self.assertIn(b, model.blocks[a][2])
        for row, b in zip(rows, steps):
            if b is not None and b != end:
                self.assertEqual(row['keeps it'], 'with others' if end in model.live(b) else 'alone', (b, end))
            if b is not None and b < model.n_heap:
                self.assertEqual(int(row['retained [words]']), model.retained(b, live))

    def test_rows_of_what_is_retained(self):
        """With all rows each block is in one: what a row retains is its own and that of those below it; many of one class are one row."""
        for r, at, number, model, live in self.instants(7, 3):
            rows = self.rows('views', 'Retained rows', at, '--set', 'What is retained.least=0', '--set', 'What is retained.rows=20000',
                             '--set', 'What is retained.levels=200')
            above, together = [], 0
            for row in rows:
                depth, row['below'] = int(row['depth']), []
                del above[depth:]
                if above:
                    above[-1]['below'].append(row)
                above.append(row)
            for row in rows:
                below = row['below']
                self.assertEqual(int(row['retained [words]']), int(row['own words [words]']) + sum(int(b['retained [words]']) for b in below), row['block'])
                self.assertEqual([int(b['retained [words]']) for b in below], sorted((int(b['retained [words]']) for b in below), reverse=True))
                names = [b['block'] for b in below if b['blocks'] == '1']
                self.assertLessEqual(max((names.count(n) for n in names), default=0), 12)
                together += sum(int(b['blocks'] or 0) > 1 for b in below)
            mine = [b for b in live if b < model.n_heap]
            self.assertEqual(sum(int(row['own words [words]']) for row in rows), model.words(mine))
            self.assertGreater(together, 0)
            one = [row for row in rows if row['blocks'] == '1' and row['block'] == 'string']
            self.assertLessEqual(len(one), sum(model.blocks[b][0] == 252 for b in mine))

    def test_way_to_a_block(self):
        for r, at, number, model, live in self.instants(1, 4):
            end = r.choice(sorted(b for b in live if b < model.n_heap))
            rows = self.rows('blocks', 'Ways', at, '--select', f'Block=#{end} of {number}')
            self.assertEqual([int(x['depth']) for x in rows], list(range(len(rows))))
            self.assertEqual(len(rows) - 1, self.steps_from_top(model)[end])
            self.assertEqual(rows[-1]['keeps it'], 'here it is')
            self.check_way(rows, model, live, end)

    def test_ways_to_a_class(self):
        for r, at, number, model, live in self.instants(2, 3):
            most = r.choice((1, 5, 40))
            rows = self.rows('blocks', 'Ways', at, '--select', 'Class=string', '--set', f'Block.ways={most}')
            far, mine = self.steps_from_top(model), [b for b in live if b < model.n_heap and model.blocks[b][0] == 252]
            ends = [i for i, x in enumerate(rows) if x['keeps it'] == 'here it is']
            self.assertTrue({self.block(rows[i]) for i in ends} <= set(mine))
            self.assertEqual(sorted(int(rows[i]['depth']) for i in ends), sorted(far[b] for b in mine)[:most])
            i = r.choice(ends)                                  # strings refer to nothing: a way ends there
            way, depth = [], int(rows[i]['depth'])
            for row in reversed(rows[:i + 1]):
                if int(row['depth']) == depth:
                    way.insert(0, row)
                    depth -= 1
            for a, b in zip(way, way[1:]):
                if self.block(a) is not None:
                    self.assertIn(self.block(b), model.blocks[self.block(a)][2])

    def parts(self, rows):
        """What refers to it, and what it refers to."""
        at = [i for i, x in enumerate(rows) if x['depth'] == '1' and not x['block'].startswith('allocated')]
        self.assertEqual([rows[i]['block'] for i in at], ['is referred to by', 'refers to'])
        both = rows[at[0] + 1:at[1]], rows[at[1] + 1:]
        for i, part in zip(at, both):
            self.assertEqual(int(rows[i]['references']), sum(int(x['references']) for x in part))
        return both

    def test_references_of_a_block(self):
        for r, at, number, model, live in self.instants(3, 4):
            block = r.choice(sorted(b for b in live if model.blocks[b][2]))
            rows = self.rows('blocks', 'References', at, '--select', f'Block=#{block} of {number}', '--set', 'Block.rows=10000')
            into, out = self.parts(rows)
            self.assertEqual(sorted(self.block(x) for x in out for _ in range(int(x['references']))), sorted(model.blocks[block][2]))
            self.assertEqual(sorted(self.block(x) for x in into if self.block(x) is not None for _ in range(int(x['references']))),
                             sorted(b for b in live for to in model.blocks[b][2] if to == block))
            self.assertEqual(sum(int(x['references']) for x in into if self.block(x) is None), sum(b == block for _, _, b in model.roots))
            self.rows('blocks', 'References', at, '--select', f'Block=#{block} of {number % 6 + 1}')    # of another snapshot: not this one

    def test_references_of_a_class(self):
        for r, at, number, model, live in self.instants(4, 3):
            rows = self.rows('blocks', 'References', at, '--select', 'Class=string')
            into, out = self.parts(rows)
            self.assertEqual(out, [])
            strings = {b for b in live if model.blocks[b][0] == 252}
            self.assertEqual(sum(int(x['references']) for x in into),
                             sum(to in strings for b in live for to in model.blocks[b][2]) + sum(b in strings for _, _, b in model.roots))
            for size in (3, 4):                                 # tag 0, so many fields: no exception is that large
                mine = sum(to in strings for b in live if model.blocks[b][:2] == (0, size + 1) for to in model.blocks[b][2])
                self.assertEqual(sum(int(x['references']) for x in into if x['block'] == f'tag 0, {size} fields'), mine)

    def test_no_such_block(self):
        (at, _, _), rows = self.models[0], None
        for what in ('#99999999', 'no such class'):
            rows = self.rows('blocks', 'Ways', at, '--set', f'Block.of={what}')
            self.assertEqual([x['block'] for x in rows], ['There is no such block in this snapshot.'])
        dead = sorted(set(range(self.models[0][1].n_heap)) - self.models[0][2])
        self.assertTrue(dead)
        rows = self.rows('blocks', 'Ways', at, '--set', f'Block.of=#{dead[0]}')
        self.assertEqual([x['block'] for x in rows], ['Nothing keeps such a block alive here.'])
        self.assertIn('task', self.scope('draw', TRACE, '--program', 'blocks', '--view', 'Ways', '--select', 'nobody', '-q', '-o',
                                         self.path('x.csv'), status=(1, 2))[1])

    def test_what_grows_until_an_instant(self):
        for r, at, number, model, live in self.instants(5, 4):
            rows = {x['class']: x for x in self.rows('leaks', 'What grows', at, '--set', 'Growth.rows=200')}
            if number == 1:
                self.assertEqual(list(rows), ['What grows is seen from two snapshots on.'])
                continue
            for name, is_mine in (('string', lambda b: b[0] == 252), ('float', lambda b: b[0] == 253),
                                  ('tag 0, 4 fields', lambda b: b[:2] == (0, 5)), ('tag 0, 64 fields', lambda b: b[:2] == (0, 65))):
                mine = [[b for b in lives if b < m.n_heap and is_mine(m.blocks[b])] for _, m, lives in self.models[:number]]
                words = [m.words(b) for (_, m, _), b in zip(self.models, mine)]
                grew = sum(b > a for a, b in zip(words, words[1:]))
                self.assertEqual(name in rows, words[-1] > words[0] and 3 * grew >= 2 * (number - 1), (name, words))
                if name not in rows:
                    continue
                row = rows[name]
                self.assertEqual((int(row['from [words]']), int(row['to [words]']), int(row['growth [words]'])),
                                 (words[0], words[-1], words[-1] - words[0]))
                self.assertAlmostEqual(float(row['grew [%]']), 100 * grew / (number - 1), delta=0.01)
                keeper = int(NUMBER.findall(row['kept by'])[-1])
                gone = live - model.live(keeper)
                self.assertAlmostEqual(float(row['kept together [%]']), 100 * model.words(gone & set(mine[-1])) / words[-1], delta=0.01)
            growth = [int(x['growth [words]']) for x in rows.values()]
            self.assertEqual(growth, sorted(growth, reverse=True))
            keepers = self.rows('leaks', 'Who keeps it', at)
            self.assertEqual([x['block'] for x in keepers if x['depth'] == '0'], list(rows)[:20])
            for row in keepers:
                if self.block(row) is not None:
                    self.assertEqual(int(row['retained [words]']), model.retained(self.block(row), live))

    def test_room_that_could_be_saved(self):
        for r, at, number, model, live in self.instants(6, 3):
            mine = {}
            for b, (_, text) in model.strings.items():
                if b in live and b < model.n_heap:
                    mine.setdefault((text.decode(), model.words([b])), []).append(b)
            rows = self.rows('room', 'Strings', at)
            self.assertEqual({(x['begins'].removeprefix("'"), int(x['words of each [words]'])): int(x['times']) for x in rows},
                             {k: len(v) for k, v in mine.items() if len(v) > 1})
            self.assertEqual([int(x['copies [words]']) for x in rows],
                             [(int(x['times']) - 1) * int(x['words of each [words]']) for x in rows])
            pieces, b = [], 0
            for address, words, free, n in model.pieces:        # blocks lie in them in the order of their numbers
                own = alive = 0
                while b < model.n_heap and own + model.blocks[b][1] <= words - free:
                    own += model.blocks[b][1]
                    alive += model.blocks[b][1] if b in live else 0
                    b += 1
                pieces.append((address, words, alive, own - alive, free, n))
            self.assertEqual([(x['address'], *(int(x[k]) for k in ('words [words]', 'live [words]', 'garbage [words]', 'free [words]', 'free pieces')))
                              for x in self.rows('room', 'Pieces', at)], pieces)
            self.assertEqual(sum(p[2] for p in pieces), model.words(live))
            large = {}
            for b in live:
                tag, words, to, _ = model.blocks[b]
                if b < model.n_heap and tag == 0 and words > 64:
                    large.setdefault(words - 1, []).append(len(to))
            self.assertEqual({(int(re.search(r'(\d+) fields', x['class'])[1]), int(x['blocks']), int(x['fields']), int(x['empty fields [words]']))
                              for x in self.rows('room', 'Arrays', at)},
                             {(n, len(to), n * len(to), n * len(to) - sum(to)) for n, to in large.items()})

    PARTS = """<eve version="1"><title>Parts</title><component name="Reader" class="scope.heap-reader" version="1"/>
      <component name="Parts" class="scope.heap-parts" version="1"><setting name="by">%s</setting><setting name="in">%s</setting></component>
      <component name="File" class="scope.csv-sink" version="1"/>
      <wire from="Reader" out="events" to="Parts" in="events"/><wire from="Parts" out="dated" to="File" in="in"/></eve>"""

    def parts_of(self, trace, by, unit, dates):
        """At each of these dates, how large each part is."""
        program = self.path('parts.eve', self.PARTS % (by, unit))
        rows, found = list(csv.DictReader(self.scope('run', trace, '--program', program)[0].splitlines())), []
        self.assertEqual({r['unit'] for r in rows}, {{'bytes': 'B'}.get(unit, unit)})
        for date in dates:
            found.append({r['owner']: float(r['value']) for r in rows if round(float(r['date [s]']) * 1e9) <= date})
        return found

    def test_parts_in_words_bytes_and_blocks(self):
        dates = [date for date, _, _ in self.models]
        for unit, of in (('words', lambda m, b: m.words(b)), ('bytes', lambda m, b: 8 * m.words(b)), ('blocks', lambda m, b: sum(k < m.n_heap for k in b))):
            shots = self.parts_of(TRACE, 'class', unit, dates)
            for shot, (_, model, live) in zip(shots, self.models):
                for name, tag in (('string', 252), ('float', 253)):
                    self.assertEqual(shot[name], of(model, [b for b in live if model.blocks[b][0] == tag]), (unit, name))
                self.assertEqual(sum(shot.values()), of(model, live), unit)
            for by in ('root', 'module of the type', 'shape'):
                self.assertEqual([sum(s.values()) for s in self.parts_of(TRACE, by, unit, dates)], [of(m, live) for _, m, live in self.models], (by, unit))

    def test_shapes(self):
        """What heads of blocks tell: their tag, and how many fields; more than 32 of them by powers of two."""
        named = {246: 'lazy value', 247: 'closure', 248: 'object', 250: 'value that was lazy', 251: 'abstract', 252: 'string', 253: 'float',
                 254: 'float array', 255: 'custom'}

        def shape(tag, words, *_):
            n, top = words - 1, 32
            if tag in named:
                return 'shape: ' + named[tag]
            while top < n:
                top *= 2
            return f'shape: tag {tag}, ' + (f"{n} field{'s' if n != 1 else ''}" if top == 32 else f'{top // 2 + 1} to {top} fields')
        for shot, (_, model, live) in zip(self.parts_of(TRACE, 'shape', 'blocks', [date for date, _, _ in self.models]), self.models):
            mine = collections.Counter(shape(*model.blocks[b]) for b in live if b < model.n_heap)
            self.assertEqual({k: n for k, n in shot.items() if n > 0}, mine)

    def test_places_functions_and_modules(self):
        """Sums of what was sampled; how many blocks that are is near to what the program has allocated at each line."""
        sample = os.path.join(os.path.dirname(TRACE), 'sites-4.14.heap')
        with open(sample, 'rb') as f:
            model = Model(f.read())
        live, each = model.live(), int(model.info['sample_words'])
        bundle, sums = self.path('s.trace'), {'place': {}, 'function': {}, 'module': {}}
        os.makedirs(bundle + '/s.heap', exist_ok=True)
        shutil.copy(sample, bundle + '/s.heap/0001.exit.heap')
        for block, stack, n in model.samples:
            if block not in live:
                continue
            function, file, line = model.frames[model.stacks[stack - 1][0]]
            function = function.replace('__', '.')
            module = '.'.join(itertools.takewhile(lambda w: w[:1].isupper(), function.split('.')))
            for by, name in (('place', f'{function} ({file}:{line})'), ('function', function), ('module', (module or function) + ' (code)')):
                words, blocks = sums[by].get(name, (0, 0))
                sums[by][name] = words + n * each, blocks + n * each / model.blocks[block][1]
        for by, mine in sums.items():
            self.assertEqual(self.parts_of(bundle, by, 'words', [2**60]), [{k: float(words) for k, (words, _) in mine.items()}])
            (found,) = self.parts_of(bundle, by, 'blocks', [2**60])
            self.assertEqual(found, {k: float(math.floor(blocks + 0.5)) for k, (_, blocks) in mine.items()})
        for by in ('function', 'module'):
            shown = json.loads(self.scope('heap', 'show', sample, '--json', '--quick', '--by', by)[0])['sites']
            self.assertEqual({s['name']: s['live_words'] for s in shown}, {k.removesuffix(' (code)'): w for k, (w, _) in sums[by].items()})
        self.assertIn('--by is', self.scope('heap', 'show', sample, '--by', 'nothing', status=2)[1])

    def test_largest_by_the_instant(self):
        """Areas lie in the order of the instant that is looked at, or of all that is shown."""
        def order(at, *more):
            path = self.path('areas.svg')
            self.scope('draw', TRACE, '--program', 'views', '--view', 'Classes over time', '--at', f'{at / 1e9:.9f}', '-q', '-o', path, *more)
            with open(path, 'rb') as f:
                return f.read()
        first, last = self.models[0][0], self.models[-1][0]
        self.assertNotEqual(order(first, '--set', 'Classes over time.largest by=the instant'), order(first))
        self.assertEqual(order(last), order(last, '--set', 'Classes over time.largest by=all that is shown'))

    def test_report_tells_what_grows(self):
        folder = self.path('report')
        self.scope('report', TRACE, '--program', 'leaks', '-o', folder)
        with open(os.path.join(folder, 'report.txt')) as f:
            text = ' '.join(f.read().split())
        self.assertIn('What grows in the heap', text)
        self.assertIn('tag 0, 4 fields grew from 605 to 1805 words over 6 snapshots, in 4 of 5 steps; 100 % of it is kept by globals > Leak', text)


main()
