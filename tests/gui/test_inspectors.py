# SPDX-License-Identifier: Apache-2.0
"""Inspectors that stay: several at once, side by side, with what differs marked; held at an instant; one of the state graph itself, beside a
count from `scope state`."""
import collections
import csv
import json
import os
import re
import subprocess
import tempfile

from harness import Case, ROOT, SAMPLES, SCOPE, main

TRACE = SAMPLES + '/fft2d-s16.trace'

PAJE = '''%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajeSetState 4
% Time date
% Type string
% Container string
% Value string
%EndEventDef
0 T 0 "Task"
1 S T "State"
'''


def number(text):
    return float(re.sub(r'[\u202f\s]', '', text).replace('\u2212', '-'))


class Inspectors(Case):
    def opened(self):
        w = self.start(TRACE)
        w.wait_for('drawing area', 'Picture of State graph', 30)
        self.go(w, '0.15')
        return w

    def go(self, w, at):
        w.wait(lambda: w.find('push button', 'Present'), 'time can be typed', 30)
        w.key('g')
        field = w.wait_for('text', 'Go to')
        w.wait(lambda: field.state('focused'), 'it takes what is typed')
        field.type(at)
        w.wait(lambda: field.text == at, 'the date is typed')
        w.key('Return')
        w.wait(lambda: w.find('status bar', re.compile(f'^Paused: .*{re.escape(at)}')), f'it is {at}', 30)

    def choose(self, w, name):
        """By the pointer, in the picture of the state graph."""
        def item():
            return next((i for i in w.find('drawing area', 'Picture of State graph').children if i.name.startswith(name + ':')), None)

        w.wait(item, f'{name} is in the graph', 30).click()
        w.wait(lambda: item() and item().state('selected'), f'{name} is selected')

    def value(self, w, attribute, of):
        found = w.find('label', f'{attribute} of {of}')
        return found.text if found else None

    def told(self, w, attribute, of):
        return w.find('label', f'{attribute} of {of}').description

    def state(self, at):
        done = subprocess.run([SCOPE, 'state', TRACE, '--at', at, '--json'], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def test_whom_a_task_waits_for(self):
        """What is told of a task that waits is what `scope draw` tells of that wait; of one that does not, nothing."""
        trace, out = os.path.join(ROOT, 'traces', 'mpi-waits.otf2'), self.path('waits.csv')
        made = subprocess.run([SCOPE, 'draw', trace, '--program', 'waits', '--view', 'Each wait', '--at', 'end', '-o', out], capture_output=True, text=True)
        if 'libotf2' in made.stderr:
            self.skipTest('built without libotf2')
        with open(out, newline='', encoding='utf-8') as f:
            rows = [(row['owner'], row['for'], row['kind'], float(row['from [s]']), float(row['until [s]'])) for row in csv.DictReader(f) if row['for']]
        who, whom, kind, since, until = max(rows, key=lambda row: row[4] - row[3])
        w = self.start(trace, os.path.join(ROOT, 'schemas', 'messages', 'waits.eve'))
        w.wait_for('drawing area', 'Picture of Space-time', 60)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        self.assertGreater(until - since, 0.004)
        self.go(w, f'{(since + until) / 2:.3f}')

        def row():
            return next((i for i in w.find('drawing area', 'Picture of Space-time').children if i.name.startswith(who)), None)
        w.wait(row, f'{who} is drawn', 30).click()

        def told(name):
            found = w.find('label', name)
            return found.description if found else None
        w.wait(lambda: told('Waits for') == whom, 'it waits for that one', 30)
        self.assertEqual(told('Waits'), kind)
        self.assertEqual([float(re.sub(r'[^\d.]', '', told(name))) for name in ('Waits from', 'Waits until')], [since, until])
        w.find('push button', 'Pin what is selected').click()
        w.wait(lambda: self.value(w, 'Waits for', who) == whom, 'an inspector that stays tells it too')
        free = next(t for t in range(int(max(r[4] for r in rows) * 1000), 0, -1)
                    if not any(r[0] == who and r[3] <= t / 1000 < r[4] for r in rows))
        self.go(w, f'{free / 1000:.3f}')
        w.wait(lambda: told('Waits for') is None and self.value(w, 'Waits for', who) is None, 'there it waits for nobody', 30)

    def test_that_clocks_are_wrong_is_told(self):
        """What a command warns of is told by the box in the window, too."""
        trace = os.path.join(ROOT, '..', 'shared', 'samples', 'otf2', 'eztrace-colls')
        if not os.path.isdir(trace):
            self.skipTest('the samples are not here')
        w = self.start(trace, os.path.join(ROOT, 'schemas', 'messages', 'waits.eve'))
        if w.wait(lambda: w.find('label', re.compile('No format')) or w.find('slider', 'Time'), 'it is open', 60).role == 'label':
            self.skipTest('built without libotf2')
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.wait_for('panel', 'Waits').click()            # its box has the sign of a warning, and what is told of it the sentence
        w.wait_for('label', re.compile('The clocks of the tasks differ, by 98.7'), 30)

    def test_one_that_does_not_live_yet(self):
        """A task may be pointed at where it lives, over time, while the present is before that: the present is named."""
        w = self.start(TRACE)
        w.wait_for('drawing area', 'Picture of Space-time', 30)
        w.wait_gone('label', re.compile('^Shooting'), 60)

        def row():
            return next((i for i in w.find('drawing area', 'Picture of Space-time').children if re.fullmatch('t\\w+ +fft 3', i.name)), None)
        w.wait(row, 'it is drawn', 30).click()
        w.wait_for('label', re.compile(r'^It does not live at 0\.[0 \u202f]*\u2009?s, where time stands\.$'))

    def test_two_tasks(self):
        w = self.opened()
        self.choose(w, 'fft 0')
        w.wait_for('push button', 'Pin what is selected').click()
        w.wait_for('filler', 'Inspectors')
        self.choose(w, 'fft 1')            # a second opens beside it, for what is selected
        a, b = 't40002 fft 0', 't40003 fft 1'
        w.wait(lambda: self.value(w, 'PercentBusy', b), 'both are told')
        self.assertNotEqual(self.value(w, 'PercentBusy', a), self.value(w, 'PercentBusy', b))
        by = number(self.told(w, 'PercentBusy', b).partition('differs by ')[2])
        self.assertAlmostEqual(by, number(self.value(w, 'PercentBusy', b)) - number(self.value(w, 'PercentBusy', a)), delta=0.11)
        self.assertNotIn('differs', self.told(w, 'Program', b) if self.value(w, 'Program', b) else '')
        self.assertTrue(w.find('label', re.compile(r'^\d+ of \d+ attributes differ')))
        # a third, by the key: they stay, and what is selected has its own
        w.key('p')
        w.wait_for('push button', f'Close the inspector of {b}')
        self.choose(w, 'fft 2')
        w.wait(lambda: len(w.find_all('label', re.compile('^PercentBusy of '))) == 3, 'three stand side by side')
        # time goes on for all of them
        before = self.value(w, 'PercentBusy', a)
        # ... but for the one that is held
        w.find('toggle button', f'Hold the values that {a} has now').click()
        w.wait(lambda: w.find('toggle button', f'Hold the values that {a} has now').state('checked'), 'it is held')
        self.go(w, '0.05')
        w.wait(lambda: self.value(w, 'PercentBusy', b) == f"{of_at(self.state('0.05'), 't40003'):.1f}", 'the other one is of now', 20)
        self.assertEqual(self.value(w, 'PercentBusy', a), before)
        # only what differs
        n = len(w.find_all('label', re.compile(f' of {re.escape(a)}$')))
        w.find('check box', 'Only what differs').click()
        w.wait(lambda: 0 < len(w.find_all('label', re.compile(f' of {re.escape(a)}$'))) < n, 'fewer rows are seen')
        # a window of their own, and back
        w.find('push button', 'Inspectors in a window of their own, and back').click()
        w.wait(lambda: any(f.name == 'Inspectors' for f in w.frames), 'they have a window')
        w.wait(lambda: self.value(w, 'PercentBusy', a) == before, 'they stand in it')
        w.key('Escape')
        w.wait(lambda: not any(f.name == 'Inspectors' for f in w.frames) and w.find('filler', 'Inspectors'), 'they are back')
        w.find('push button', f'Close the inspector of {a}').click()
        w.wait_gone('push button', f'Close the inspector of {a}')
        w.find('push button', 'Close all inspectors').click()
        w.wait_gone('filler', 'Inspectors')

    def test_again_and_again(self):
        """Closed and opened faster than it is looked at: a new one has its rows, wherever it lies in memory."""
        w = self.opened()
        for i in range(5):
            for _ in range(5):
                w.key('shift+p')
            w.wait_for('push button', 'Close the inspector of State graph')
            w.wait(lambda: self.value(w, 'Tasks', 'State graph'), f'it has its rows, time {i}')
            w.key('shift+p')
            w.wait_gone('push button', 'Close the inspector of State graph')

    def test_graph(self):
        w = self.opened()
        w.key('shift+p')
        w.wait_for('push button', 'Close the inspector of State graph')
        for at in '0.15', '0.08':
            self.go(w, at)
            graph = self.state(at)
            nodes, edges = graph['nodes'], graph['edges']
            want = {'Tasks': len(nodes), 'Links': len(edges)}
            for word, of in (('Tasks', nodes), ('Links', edges)):
                for state in {o['State'] for o in of}:
                    want[f'{word}: {state}'] = sum(o['State'] == state for o in of)
            degree = [sum(n['id'] in (e['from'], e['to']) for e in edges) for n in nodes]
            want['Links of a task, least'], want['Links of a task, most'] = min(degree), max(degree)
            w.wait(lambda: all(number(self.value(w, k, 'State graph') or '-1') == v for k, v in want.items()), f'{want} at {at}', 20)
            self.assertAlmostEqual(number(self.value(w, 'Links of a task, mean', 'State graph')), sum(degree) / len(degree), delta=0.006)
        # beside itself: held at this instant, and as it is later
        w.find('toggle button', 'Hold the values that State graph has now').click()
        w.key('shift+p')
        w.wait(lambda: len(w.find_all('push button', 'Close the inspector of State graph')) == 2, 'two of them')
        self.go(w, '0.15')
        w.wait(lambda: w.find('label', re.compile(r'^\d+ of \d+ attributes differ')), 'they differ')

    def test_many_states(self):
        """Of a trace with more states than there is room for, those that most tasks are in have rows, and the others one together."""
        tasks = [k % 20 if k < 40 else k % 3 for k in range(60)]
        text = PAJE + ''.join(f'2 0.0 c{k} T 0 "task{k}"\n' for k in range(60))
        text += ''.join(f'4 0.1 S c{k} "state{v}"\n' for k, v in enumerate(tasks)) + '4 1.0 S c0 "state0"\n'
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, 'many.trace')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        w = self.start(path)
        w.wait_for('drawing area', 'Picture of State graph', 30)
        self.go(w, '0.5')
        w.key('shift+p')
        w.wait_for('push button', 'Close the inspector of State graph')

        def rows():
            names = [i.name for i in w.find_all('label', re.compile('^Tasks: .* of State graph$'))]
            return {n[len('Tasks: '):-len(' of State graph')]: number(self.value(w, n[:-len(' of State graph')], 'State graph')) for n in names}
        w.wait(lambda: rows().get('other states', 0) > 0, 'the others are together')
        count, seen = collections.Counter(f'state{v}' for v in tasks), rows()
        others = seen.pop('other states')
        self.assertEqual(len(seen), 12)
        self.assertEqual(seen, {s: count[s] for s in seen})
        self.assertEqual(others, 60 - sum(seen.values()))
        self.assertLessEqual(max(n for s, n in count.items() if s not in seen), min(seen.values()))


def of_at(graph, task):
    return next(float(n['PercentBusy']) for n in graph['nodes'] if n['id'] == task)


if __name__ == '__main__':
    main()
