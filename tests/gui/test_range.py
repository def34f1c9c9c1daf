# SPDX-License-Identifier: Apache-2.0
"""A range is dragged in a view with dates, and its story told at once; its numbers beside those of a second computation from
the raw files: the model of tests/model, played event by event."""
import csv
import gzip
import os
import random
import re
import shutil
import sys
import unittest
from collections import Counter, defaultdict

from harness import ROOT, SAMPLES, Case, main, xdo

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import pvm
import raw
sys.path.insert(0, os.path.join(ROOT, 'tests', 'formats'))
import otf2

PARAVER = os.path.join(ROOT, '..', 'shared', 'samples', 'paraver')
PROGRAM = re.compile('^Program: ')
STATES = ('Busy', 'Overhead', 'Idle', 'Talking', 'Dead')


def story(trace, first, last):
    """{task: {state: ticks}}, {task: [messages received, their bytes]} in [first, last)."""
    model, time, got = pvm.Pvm(trace), defaultdict(Counter), defaultdict(lambda: [0, 0])
    state, since, before = {}, {}, {}

    def spend(task, until):
        begin, end = max(since[task], first), min(until, last)
        if end > begin:
            time[task][state[task]] += end - begin
    for e in trace.events:
        model.step(e)
        for number, p in model.people.items():
            if p.seen is not None and p.seen.state != state.get(number):
                if number in state:
                    spend(number, e.date)
                state[number], since[number] = p.seen.state, e.date
        for ends, wire in model.wires.items():
            n, size = before.get(ends, (0, 0))
            if (wire.received, wire.total) != (n, size):
                if first <= e.date < last:
                    got[ends[1]][0] += wire.received - n
                    got[ends[1]][1] += wire.total - size
                before[ends] = wire.received, wire.total
    for number in state:
        spend(number, trace.last)
    return time, got


class Range(Case):
    def opened(self, trace='fft2d-s16.trace'):
        self.trace = self.copy(trace)
        w = self.start(self.trace)
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.settle()
        return w

    def plot(self, w):
        """Where time runs: from the beginning of the bars, which the last row has in full, to their end."""
        x, y, width, height = w.find('drawing area', 'Picture of Space-time').box
        rows = [i for i in w.find('drawing area', 'Picture of Space-time').find_all('list item', re.compile('^t4000'))]
        return x, y, width, height, rows

    def drag(self, w, a, b):
        x, y, width, height, _ = self.plot(w)
        left, right = x + 120, x + width - 20
        w.drag(round(left + (right - left) * a), y + height // 2, round(left + (right - left) * b), y + height // 2)

    def panel(self, w):
        return w.find('panel', 'Range') or w.find('filler', 'Range')

    def said(self, w):
        return self.panel(w).description if self.panel(w) else ''

    def export(self, w, path):
        w.find('push button', 'CSV…').click()
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(path)
        w.settle()              # the dialogue has read the folder that was typed
        w.key('Return')
        w.wait_gone('file chooser')
        w.wait(lambda: os.path.exists(path) and os.path.getsize(path) > 0, 'the table is written')
        with open(path, newline='', encoding='utf-8') as f:
            return list(csv.DictReader(f))

    def compare(self, table, trace):
        first, last = (round(float(table[0][k]) * trace.ticks) for k in ('from [s]', 'to [s]'))
        time, got = story(trace, first, last)
        names = {t.nickname: number for number, t in trace.tasks.items()}
        self.assertEqual(sorted(row['task'] for row in table), sorted([name for name, number in names.items() if time[number] or got[number][0]] + ['all']),
                         'who is in no state and takes no message is not listed')
        for row in table[:-1]:
            number = names[row['task']]
            for state in STATES:
                self.assertAlmostEqual(float(row.get(f'{state} [s]', 0)), time[number][state] / trace.ticks, delta=2e-9, msg=(row['task'], state))
            self.assertAlmostEqual(float(row['waits [s]']), time[number]['Idle'] / trace.ticks, delta=2e-9)
            lives = sum(t for state, t in time[number].items() if state != 'Dead')
            self.assertAlmostEqual(float(row['life [s]']), lives / trace.ticks, delta=4e-9)
            self.assertEqual([int(row['received']), int(row['received [B]'])], got[number])
        for column in ('waits [s]', 'life [s]', 'received', 'sent'):
            self.assertAlmostEqual(float(table[-1][column]), sum(float(r[column]) for r in table[:-1]), delta=1e-8)
        waits = [float(r['waits [s]']) for r in table[:-1]]
        self.assertEqual({r['trace'] for r in table}, {os.path.basename(self.trace).removesuffix('.trace')})
        self.assertEqual(waits, sorted(waits, reverse=True), 'those that waited longest come first')
        return first, last

    def test_the_story_is_right(self):
        w = self.opened()
        trace, r = raw.read(os.path.join(SAMPLES, 'fft2d-s16.trace')), random.Random(14)
        spans = []
        for n in range(3):
            a = r.uniform(0, 0.6)
            self.drag(w, a, a + r.uniform(0.1, 0.35))
            w.wait(lambda: self.panel(w) and re.search(r'\d\s%', self.said(w)), 'the story is told')
            w.settle()
            spans.append(self.compare(self.export(w, self.path(f'range-{n}.csv')), trace))
        self.assertEqual(len(set(spans)), 3)

    def test_who_does_nothing_is_not_listed(self):
        w = self.opened('births.trace')     # tasks that begin all the while
        trace = raw.read(os.path.join(SAMPLES, 'births.trace'))

        def told(a, b, file):
            self.drag(w, a, b)
            w.wait(lambda: self.panel(w) and re.search(r'\d\s%', self.said(w)), 'the story is told')
            w.settle()
            return self.export(w, self.path(file))
        first = told(0.05, 0.3, 'first.csv')
        self.compare(first, trace)
        some = {row['task'] for row in first}
        self.assertTrue(2 < len(some) < len(trace.tasks), 'some of them are there')
        shown = lambda: {i.name for i in self.panel(w).find_all('push button') if i.name in {t.nickname for t in trace.tasks.values()}}
        self.assertEqual(shown(), some - {'all'})
        # compared: who does something in one of the two is in both
        w.find('push button', 'Keep').click()
        w.wait_for('push button', 'Keep This')
        both = told(0.35, 0.5, 'both.csv')
        spans = sorted({(float(row['from [s]']), float(row['to [s]'])) for row in both})
        self.assertEqual(len(spans), 2)
        does = set()
        for a, b in spans:
            time, got = story(trace, round(a * trace.ticks), round(b * trace.ticks))
            does |= {t.nickname for number, t in trace.tasks.items() if time[number] or got[number][0]}
        self.assertGreater(does, some - {'all'})
        for a, _ in spans:
            self.assertEqual(sorted(row['task'] for row in both if float(row['from [s]']) == a), sorted(does | {'all'}))

    def test_machines_are_not_listed(self):
        w = self.opened('mpi-stencil.otf2')
        self.drag(w, 0.1, 0.8)
        w.wait(lambda: self.panel(w) and re.search(r'\d\s%', self.said(w)), 'the story is told')
        w.settle()
        table = self.export(w, self.path('range.csv'))
        self.assertEqual(sorted(row['task'] for row in table), ['all', *(f'rank {i}' for i in range(4))])

    @unittest.skipUnless(os.path.isdir(PARAVER), 'the samples are not here')
    def test_a_thread_counts_once(self):
        """Calls beside the states of a thread are of the same time: the story has its states alone, in a row that is the thread's."""
        path = os.path.join(PARAVER, 'pypop-epoch_2proc.prv.gz')
        w = self.start(path)
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.settle()
        self.drag(w, 0.1, 0.8)
        w.wait(lambda: self.panel(w) and re.search(r'\d\s%', self.said(w)), 'the story is told')
        w.settle()
        table, time = self.export(w, self.path('range.csv')), Counter()
        first, last = (round(float(table[0][k]) * 10**9) for k in ('from [s]', 'to [s]'))
        with gzip.open(path, 'rt') as lines:
            for v in ([int(x) for x in line.split(':')] for line in lines if line.startswith('1:')):
                time['THREAD %d.%d.%d' % tuple(v[2:5]), v[7]] += max(0, min(v[6], last) - max(v[5], first))
        self.assertEqual(sorted(row['task'] for row in table), ['THREAD 1.1.1', 'THREAD 1.2.1', 'all'])
        for row in table[:-1]:
            for state, number in (('Running', 1), ('Send Receive', 16), ('Group Communication', 13)):
                self.assertAlmostEqual(float(row[f'{state} [s]']), time[row['task'], number] / 1e9, delta=2e-9, msg=(row['task'], state))
        self.assertFalse({'Application [s]', 'MPI_Sendrecv [s]'} & set(table[0]))
        self.assertGreater(float(table[0]['waits [s]']), 0)
        self.assertIsNotNone(w.find('label', re.compile('until the call returns; where a program has wait states')), 'these waits are not those of tables')
        self.assertEqual(sum(int(row['received']) for row in table[:-1]), int(table[-1]['received']))

    @unittest.skipUnless(shutil.which('otf2-print'), 'otf2-print is not here')
    def test_waits_are_those_of_tables(self):
        """Where a component tells of waits, the story has them, each as far as it lies in the range: beside the events of the archive."""
        path = os.path.join(ROOT, 'traces', 'mpi-waits.otf2')
        archive = otf2.Archive(os.path.join(path, 'traces.otf2'))
        owned, r = otf2.Calls(archive).owned(), random.Random(4)
        w = self.start(path, os.path.join(ROOT, 'schemas', 'messages', 'waits.eve'))
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.settle()
        for n in range(2):
            before, a = self.said(w), r.uniform(0.5, 0.8)
            self.drag(w, a, a + r.uniform(0.03, 0.19))
            w.wait(lambda: self.panel(w) and re.search(r'\d\s%', self.said(w)) and self.said(w) != before, 'the story is told')
            table, expected = self.export(w, self.path(f'range-{n}.csv')), Counter()
            first, last = (round(float(table[0][k]) * 10**9) for k in ('from [s]', 'to [s]'))
            for _, call, x, y, _ in owned:
                expected[call['task']] += max(0, min(y, last) - max(x, first))
            self.assertGreater(sum(expected.values()), 0)
            self.assertEqual({row['task']: round(float(row['waits [s]']) * 10**9) for row in table[:-1]}, {row['task']: expected[row['task']] for row in table[:-1]})
            self.assertEqual(round(float(table[-1]['waits [s]']) * 10**9), sum(expected.values()))
        self.assertIsNone(w.find('label', re.compile('until the call returns')))

    def test_what_is_done_with_it(self):
        w = self.opened()
        self.drag(w, 0.3, 0.5)
        w.wait(lambda: re.search(r'ms: .*received, .*waited longest', self.said(w)), 'the story is told')
        when = re.compile(r'^0\.\d.* – .*ms$')
        first = w.wait_for('label', when).name
        # kept, and another beside it
        w.find('push button', 'Keep').click()
        w.wait_for('push button', 'Keep This')
        w.wait_for('label', re.compile('^Kept: '))
        self.assertIsNone(w.find('label', re.compile(' pp$')), 'it is not compared with itself')
        self.drag(w, 0.6, 0.9)
        w.wait(lambda: w.find('label', when).name != first, 'another range')
        w.wait_for('label', 'Compared with ' + first)
        w.wait(lambda: [i for i in w.find_all('label') if re.match(r'^[+−]?\d+\.\d pp$', i.name)], 'differences in points are told')
        # of a moment in which some states are not: they are told as gone, so that differences add up
        points = lambda: [float(i.name[:-3].replace('−', '-')) for i in self.panel(w).find_all('label', re.compile(r'^[+−]?\d+\.\d pp$'))]
        second = w.find('label', when).name
        self.drag(w, 0.02, 0.028)    # two of the states that were kept are not there
        w.wait(lambda: w.find('label', when).name != second and points() and abs(sum(points())) <= 0.05 * len(points()) + 1e-9,
               'differences add up', 20)
        w.settle()
        table = self.export(w, self.path('compared.csv'))
        self.assertEqual(len({(row['from [s]'], row['to [s]']) for row in table}), 2, 'the range that was kept is below')
        self.assertEqual([row['task'] for row in table].count('all'), 2)
        for row in table:
            self.assertAlmostEqual(sum(float(row[f'{s} [s]']) for s in STATES if s != 'Dead' and f'{s} [s]' in row), float(row['life [s]']), delta=2e-8)
        self.drag(w, 0.6, 0.9)
        w.wait(lambda: 'waited longest' in self.said(w), 'a range in which tasks wait')
        # by host; a task is selected from its name
        w.settle()              # its rows are made anew as long as it is told more
        w.find('push button', 'fft 2').click()
        w.wait(lambda: w.find('label', re.compile('^t40004')), 'its attributes')
        # marked: a mark at each end
        w.find('push button', 'Mark').click()
        w.wait(lambda: os.path.exists(os.path.join(self.trace, 'marks.xml')), 'marks are kept')
        with open(os.path.join(self.trace, 'marks.xml'), encoding='utf-8') as f:
            marks = f.read()
        self.assertIn('Range 1, end', marks)
        self.assertIn('waited longest', marks)
        # looked at closely, by key; the range that a view shows, by key; no range, by key
        pane = w.find('drawing area', 'Picture of Space-time')
        pane.click(fx=0.02, fy=0.05)
        caption = lambda: next(p.description for p in w.find_all('panel', 'Space-time') if ' – ' in p.description)
        whole = caption()
        w.key('z')
        w.wait(lambda: caption() != whole, 'the range fills the picture')
        w.key('plus', 'r')
        w.wait(lambda: w.find('label', when), 'the part that is shown is the range')
        w.key('Escape')
        w.key('Escape')
        w.wait(lambda: not self.panel(w) or not self.panel(w).showing, 'no range')

    SPANS = {'ns': 1e-9, 'µs': 1e-6, 'ms': 1e-3, 's': 1}

    def differences(self, w):
        """[(name, seconds waited more, received more)], as the panel lists them."""
        labels = sorted((i for i in self.panel(w).find_all('label') if ': waits ' in i.name), key=lambda i: i.box[1])
        found = (re.match(r'(.+): waits ([+-]?[\d.]+)\s(\S+), received ([+-]?[\d,]+)$', i.name.replace('−', '-')) for i in labels)
        return [(m[1], float(m[2]) * self.SPANS[m[3]], int(m[4].replace(',', ''))) for m in found if m]

    def test_two_ranges_beside_each_other(self):
        """What differs of waits and messages, by task, by host and of all: beside a second computation of both ranges."""
        w = self.opened()
        trace, r = raw.read(os.path.join(SAMPLES, 'fft2d-s16.trace')), random.Random()
        a, b = r.uniform(0.1, 0.3), r.uniform(0.5, 0.7)
        self.drag(w, a, a + r.uniform(0.1, 0.3))
        w.wait(lambda: self.panel(w) and re.search(r'\d\s%', self.said(w)), 'the story is told')
        w.find('push button', 'Keep').click()
        w.wait_for('push button', 'Keep This')
        self.drag(w, b, b + r.uniform(0.05, 0.25))
        w.wait(lambda: any(c for c in self.differences(w)) and any(waits or got for _, waits, got in self.differences(w)), 'differences are told')
        w.settle()
        table = self.export(w, self.path('both.csv'))
        spans = [(float(row['from [s]']), float(row['to [s]'])) for row in table if row['task'] == 'all']
        (time, got), (time_before, got_before) = [story(trace, *(round(x * trace.ticks) for x in span)) for span in spans]
        expected = {t.nickname: ((time[n]['Idle'] - time_before[n]['Idle']) / trace.ticks, got[n][0] - got_before[n][0]) for n, t in trace.tasks.items()}
        told = self.differences(w)
        self.assertEqual(sorted(name for name, _, _ in told), sorted(expected))
        for name, waits, received in told:
            self.assertAlmostEqual(waits, expected[name][0], delta=0.006 * abs(expected[name][0]) + 1e-9, msg=name)
            self.assertEqual(received, expected[name][1], name)
        self.assertEqual([abs(expected[name][0]) for name, _, _ in told], sorted((abs(x) for x, _ in expected.values()), reverse=True), 'what differs most comes first')

        # of all
        said = self.said(w).replace('−', '-')
        n, n_before = sum(g[0] for g in got.values()), sum(g[0] for g in got_before.values())
        self.assertEqual(int(re.search(r'Messages received ([+-]?[\d,]+), ', said)[1].replace(',', '')), n - n_before)
        rates = re.search(r'Received per second: ([\d.,e+]+), before ([\d.,e+]+)', said)
        for rate, count, (x, y) in zip(rates.groups(), (n, n_before), spans):
            self.assertAlmostEqual(float(rate.replace(',', '')), count / (y - x), delta=0.006 * count / (y - x) + 0.5)
        waited = [sum(t['Idle'] for t in times.values()) for times in (time, time_before)]
        lived = [sum(x for t in times.values() for state, x in t.items() if state != 'Dead') for times in (time, time_before)]
        waits = re.search(r'Waits ([+-]?[\d.]+)\s(\S+), ([+-]?[\d.]+) pp of life', said)
        self.assertAlmostEqual(float(waits[1]) * self.SPANS[waits[2]], (waited[0] - waited[1]) / trace.ticks, delta=0.006 * abs(waited[0] - waited[1]) / trace.ticks + 1e-9)
        self.assertAlmostEqual(float(waits[3]), 100 * (waited[0] / lived[0] - waited[1] / lived[1]), delta=0.051)

        # by program: both are, also the one that was kept before
        w.find('combo box', 'Whose waits').click()
        w.key('Down', 'Down', 'Return')
        w.wait(lambda: [name for name, _, _ in self.differences(w)] == ['fft2d'], 'by program')
        _, waits, received = self.differences(w)[0]
        self.assertAlmostEqual(waits, sum(x for x, _ in expected.values()), delta=0.006 * abs(sum(x for x, _ in expected.values())) + 1e-9)
        self.assertEqual(received, n - n_before)

    def test_who_is_in_one_range_alone_is_named(self):
        w = self.opened('births.trace')     # tasks that begin all the while
        trace = raw.read(os.path.join(SAMPLES, 'births.trace'))
        spans = []
        for a, b in ((0.05, 0.3), (0.5, 0.8)):
            before = self.said(w)
            self.drag(w, a, b)
            w.wait(lambda: self.panel(w) and re.search(r'\d\s%', self.said(w)) and self.said(w) != before, 'the story is told')
            w.settle()
            if not spans:
                w.find('push button', 'Keep').click()
                w.wait_for('push button', 'Keep This')
            table = self.export(w, self.path(f'range-{a}.csv'))
            spans.append((float(table[0]['from [s]']), float(table[0]['to [s]'])))
        does = []
        for x, y in spans:
            time, got = story(trace, round(x * trace.ticks), round(y * trace.ticks))
            does.append({t.nickname for number, t in trace.tasks.items() if any(time[number].values()) or got[number][0]})
        for words, alone in (('Only here: ', does[1] - does[0]), ('Only before: ', does[0] - does[1])):
            line = next((line for line in self.said(w).splitlines() if line.startswith(words)), None)
            self.assertEqual(line is not None, bool(alone), words)
            if alone:
                names, _, more = line.removeprefix(words).partition(' +')
                self.assertLessEqual(set(names.split(', ')), alone)
                self.assertEqual(len(names.split(', ')) + int(more or 0), len(alone))

    def test_a_program_that_grows_tells_of_it(self):
        """The range outlives its program; who is added tells of it as soon as there is a film, without a view; and the side stays as wide."""
        w = self.opened()
        trace = raw.read(os.path.join(SAMPLES, 'fft2d-s16.trace'))
        self.drag(w, 0.3, 0.5)
        w.wait(lambda: self.panel(w) and re.search(r'\d\s%', self.said(w)), 'the story is told')
        w.settle()
        side = w.find('scroll pane', 'Inspector, legend and marks').box[2]

        def add(words, row):
            w.key('ctrl+k')
            w.wait_for('text', 'Find').type(words)
            w.wait_for('list item', re.compile(row))
            w.key('Return')
            w.wait_gone('text', 'Find')
        add('new, empty', '^New, empty program')
        w.wait_for('label', 'The program has no simulator that could tell of states')
        self.assertIsNone(self.panel(w).find('push button', 'Mark'), 'there is nothing to keep, mark or export')
        self.assertIsNone(self.panel(w).find('combo box', 'Whose waits'))
        add('calls simulator', '^Calls simulator')
        w.wait(lambda: self.panel(w).find('label', re.compile('messages received')), 'the story is told', 60)
        w.settle()
        table = self.export(w, self.path('grown.csv'))
        first, last = (round(float(table[0][k]) * trace.ticks) for k in ('from [s]', 'to [s]'))
        _, got = story(trace, first, last)
        self.assertGreater(sum(n for n, _ in got.values()), 0)
        self.assertEqual([int(table[-1][k]) for k in ('received', 'received [B]')], [sum(g[i] for g in got.values()) for i in (0, 1)])
        self.assertIsNone(self.panel(w).find('label', re.compile(r'^state \d')), 'states have names')
        for words, row in (('state durations', '^State Durations'), ('table view', '^Table view'), ('curve', '^Curve'), ('statistics', '^Statistics')):
            add(words, row)
            w.settle()
            self.assertEqual(w.find('scroll pane', 'Inspector, legend and marks').box[2], side, f'the side is as wide with {words}')

    def test_a_drag_can_be_given_up(self):
        w = self.opened()
        x, y, width, height, _ = self.plot(w)
        xdo('mousemove', x + 200, y + height // 2, 'mousedown', 1, 'mousemove', x + 230, y + height // 2, 'mousemove', x + 330, y + height // 2)
        w.wait(lambda: self.said(w), 'told while it goes on')
        w.key('Escape')
        w.wait(lambda: not self.panel(w) or not self.panel(w).showing, 'as it was before')
        xdo('mouseup', 1)

    # ---- charts that follow it

    STAYS = """<eve version="1"><title>Stays</title>
      <component name="Reader" class="scope.tapepvm-reader" version="1" x="40" y="40"/>
      <component name="Simulator" class="scope.pvm-simulator" version="1" x="240" y="40"/>
      <component name="Space-time" class="scope.space-time" version="1" x="440" y="40"/>
      <component name="Durations" class="scope.state-durations" version="1" x="440" y="140"/>
      <component name="Stays" class="scope.table-view" version="1" x="640" y="140"/>
      <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Simulator" out="states" to="Space-time" in="states"/>
      <wire from="Simulator" out="states" to="Durations" in="states"/><wire from="Durations" out="table" to="Stays" in="table"/></eve>"""

    def caption(self, w, view):
        return next((p.description for p in w.find_all('panel', view) if re.match(r'(in )?[+-]?\d', p.description)), '')  # the box has another

    def stays(self, w, path):
        """The table of the pane, as its export has it."""
        w.find('drawing area', 'Picture of Stays').click(fx=0.9, fy=0.9)
        w.key('ctrl+e')
        w.wait_for('push button', 'Export')
        w.key('ctrl+a')
        w.type(path)
        w.key('Return')
        w.wait_gone('push button', 'Export')
        w.wait(lambda: os.path.exists(path) and os.path.getsize(path) > 0, 'the table is written', 60)
        with open(path, newline='', encoding='utf-8') as f:
            return list(csv.DictReader(f))

    def test_charts_count_the_range(self):
        trace = raw.read(os.path.join(SAMPLES, 'fft2d-s16.trace'))
        program, names = self.path('stays.eve'), {t.nickname: number for number, t in trace.tasks.items()}
        with open(program, 'w', encoding='utf-8') as f:
            f.write(self.STAYS)
        w = self.start(self.copy('fft2d-s16.trace'), program)
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.settle()
        before = self.caption(w, 'Stays')
        self.assertFalse(before.startswith('in '), before)
        said, r = [before], random.Random(15)
        for n in range(2):
            a = r.uniform(0.05, 0.5)
            self.drag(w, a, a + r.uniform(0.1, 0.35))
            w.wait(lambda: self.caption(w, 'Stays').startswith('in ') and self.caption(w, 'Stays') not in said, 'the chart counts the range')
            said.append(self.caption(w, 'Stays'))
            w.wait(lambda: self.panel(w) and re.search(r'\d\s%', self.said(w)), 'the story is told')
            story_of = self.export(w, self.path(f'range-{n}.csv'))
            first, last = (round(float(story_of[0][k]) * trace.ticks) for k in ('from [s]', 'to [s]'))
            time, _ = story(trace, first, last)
            table = self.stays(w, self.path(f'stays-{n}.csv'))
            self.assertEqual(len(table), len(names))
            for row in table:
                for state in ('Busy', 'Overhead', 'Idle', 'Talking'):
                    column = next((k for k in row if k.startswith(state + ' [s')), None)
                    if column is not None:
                        self.assertAlmostEqual(float(row[column] or 0), time[names[row['task']]][state] / trace.ticks, delta=2e-9, msg=(row, state))
        # a step of the view is undone, and the one before it
        w.find('drawing area', 'Picture of Stays').click(fx=0.9, fy=0.9)
        w.key('BackSpace')
        w.wait(lambda: self.caption(w, 'Stays') == said[1], 'the range before')
        # the chart does not follow it any more, by its own choice
        w.find('toggle button', 'Follow the range: count what is selected of the time alone').click()
        w.wait(lambda: self.caption(w, 'Stays') == before and self.panel(w).showing, 'of the present')
        w.find('toggle button', 'Follow the range: count what is selected of the time alone').click()
        w.wait(lambda: self.caption(w, 'Stays') == said[1], 'it follows again')
        w.find('drawing area', 'Picture of Stays').click(fx=0.9, fy=0.9)
        w.key('BackSpace')
        w.wait(lambda: self.caption(w, 'Stays') == before and not (self.panel(w) and self.panel(w).showing), 'no range')


if __name__ == '__main__':
    main()
