#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a trace says of itself may contradict itself, and what happens in it may be impossible: each has a sentence with its place,
and nothing else is lost.  docs/reliability.md lists which test holds which.

usage: test_contradictions.py SCOPE SOURCE_FOLDER"""
import collections
import csv
import json
import os
import random
import shutil

from formats import ROOT, Format, few, main, samples

PARAVER = samples('paraver')
SEED = int(os.environ.get('SCOPE_SEED', '1'))
PAJE = ''.join(f'%EventDef {name} {i}\n' + ''.join(f'% {field}\n' for field in fields.split(', ')) + '%EndEventDef\n' for i, (name, fields) in enumerate([
    ('PajeDefineContainerType', 'Alias string, Type string, Name string'),
    ('PajeDefineStateType', 'Alias string, Type string, Name string'),
    ('PajeDefineVariableType', 'Alias string, Type string, Name string'),
    ('PajeDefineEntityValue', 'Alias string, Type string, Name string'),
    ('PajeCreateContainer', 'Time date, Alias string, Type string, Container string, Name string'),
    ('PajeDestroyContainer', 'Time date, Type string, Name string'),
    ('PajePushState', 'Time date, Type string, Container string, Value string'),
    ('PajePopState', 'Time date, Type string, Container string'),
    ('PajeSetVariable', 'Time date, Type string, Container string, Value double')])) + '''0 P 0 Process
1 S P State
2 V P Level
3 run S running
4 0 a P 0 alpha
4 0 b P 0 beta
6 1 S a run
8 1.5 V a 3
7 2 S a
6 2 S b run
'''
PVM = '''#TAPE/PVM 1
1 1000 262145 0 0 host i386 1000 -1 prog
1 1000 262146 0 0 host i386 1000 -1 prog
'''
EVENTS = 6                                              # of PAJE: two are created, and four things happen


class Contradictions(Format):
    def problems(self, path):
        """What `scope check` says of a file, line by line."""
        return self.scope('check', path, status=(0, 1))[0].splitlines()

    def told(self, text, name, words, damaged, impossible, events):
        """One sentence with that word, and that many of each kind; the run ends well."""
        path = self.path(name, text)
        said = self.problems(path)
        self.assertTrue(any(words in line for line in said), (words, said))
        self.assertIn(f': {events} events, {damaged} damaged records, {impossible} impossible events', said[0])
        self.scope('run', path)
        return [line for line in said if words in line]

    def test_schema(self):
        """Types and values that contradict each other: the line is named, and all that happens is there."""
        for i, (lines, words) in enumerate((
                ('0 X X loop', 'is of, “X”, is not defined'), ('0 Q S inState', '“S”, is none of containers'),
                ('1 S2 V inVariable', '“V”, is none of containers'), ('1 P S name', '“P” is defined twice'),
                ('2 S P name', '“S” is defined twice'), ('3 v P ofContainer', '“P”, which is none of states'),
                ('3 v V ofVariable', '“V”, which is none of states'), ('3 v nowhere name', '“nowhere”, which is not defined'))):
            line, = self.told(PAJE + lines + '\n', f'schema{i}.paje', words, 1, 0, EVENTS)
            self.assertIn(f'line {(PAJE + lines).count(chr(10)) + 1}', line)

    def test_names(self):
        """A name used for what it does not stand for."""
        for i, (lines, words, events) in enumerate((
                ('6 3 V a run', 'V', 0), ('8 3 S a 4', 'S', 0), ('6 3 P a run', 'P', 0),
                ('4 3 c S 0 gamma', '“c” is of “S”, which is no type of containers', 1),
                ('4 3 c nowhere 0 gamma', '“c” is of “nowhere”, which is no type of containers', 1),
                ('4 3 c P nobody gamma', '“c” is in “nobody”, which was never created', 1),
                ('4 3 a P 0 other', '“a” is created twice', 0))):
            line = self.told(PAJE + lines + '\n', f'names{i}.paje', words, 1, 0, EVENTS + events)[0]
            self.assertIn(f'line {(PAJE + lines).count(chr(10)) + 1}', line)

    def test_pops(self):
        """States that are left without having been entered, as often as there are; the state stays what it was."""
        for n in (1, 3, 500):
            pops = ''.join(f'7 {3 + i} S a\n' for i in range(n))
            said = self.told(PAJE + pops, f'pops{n}.paje', 'leaves a state that was not entered', 0, n, EVENTS + n)
            self.assertTrue(said and 'alpha' in ''.join(said))
        states = {task['id']: task['State'] for task in self.state(self.path('pops500.paje'), '400')['nodes']}
        self.assertEqual(states, {'alpha': 'No state', 'beta': 'running'})

    def test_deaths(self):
        """Who dies twice dies once; what comes after is told, and left out."""
        self.told(PAJE + '5 3 P a\n5 4 P a\n', 'twice.paje', 'not there is destroyed', 1, 0, EVENTS + 1)
        self.told(PAJE + '5 3 P a\n6 4 S a run\n', 'after.paje', 'dead', 0, 1, EVENTS + 2)
        again = self.problems(self.path('again.paje', PAJE + '5 3 P a\n4 4 a P 0 alpha\n6 5 S a run\n'))
        self.assertIn(f'{EVENTS + 3} events, 0 damaged records, 0 impossible events', again[0])        # may live again
        for text, words in (('2 2000 262145 0 0 0\n2 3000 262145 0 0 0\n', 'dead'),
                            ('2 2000 262145 0 0 0\n1 3000 262145 0 0 host i386 1000 -1 prog\n', 'second birth'),
                            ('1 3000 262145 0 0 host i386 1000 -1 prog\n', 'second birth')):
            bundle = self.path('deaths.trace')
            os.makedirs(os.path.join(bundle, 'deaths.tapepvm'), exist_ok=True)
            with open(os.path.join(bundle, 'deaths.tapepvm', 'events'), 'w') as f:
                f.write(PVM + text + '2 9000 262146 0 0 0\n')
            said = self.problems(bundle)
            self.assertTrue(any(words in line for line in said), (text, said))
            self.assertIn(' 0 damaged records, 1 impossible events', said[0])

    def test_values_out_of_range(self):
        for i, (value, words, events) in enumerate((('1e999', 'larger than numbers can be', 1), ('-1e999', 'larger than numbers can be', 1), ('many', 'is no number', 0),
                                                    ('3x', 'is no number', 0), ('1e', 'is no number', 0))):
            line = self.told(PAJE + f'8 3 V a {value}\n', f'value{i}.paje', words, 1, 0, EVENTS + events)[0]
            self.assertIn(f'line {PAJE.count(chr(10)) + 1}', line)
        for i, date in enumerate(('1e300', 'nan', 'inf', '-1e300', 'soon')):
            self.told(PAJE + f'6 {date} S a run\n', f'date{i}.paje', 'date', 1, 0, EVENTS)
        for i, line in enumerate(('13 2000 99999999999 0 0', '13 99999999999999999999 262145 0 0', '13 2000 262145 -5 0', '13 2000 262145 0 x', '-1 2000 262145 0 0', '13 -2000 262145 0 0',
                                  '99999 2000 262145 0 0', '60 2000 262145 7 0 262146 99999999999999999999 5 0')):
            bundle = self.path(f'range{i}.trace')
            os.makedirs(os.path.join(bundle, f'range{i}.tapepvm'))
            with open(os.path.join(bundle, f'range{i}.tapepvm', 'events'), 'w') as f:
                f.write(PVM + line + '\n2 9000 262146 0 0 0\n')
            said = self.problems(bundle)
            self.assertTrue(any('4' in text and ('line' in text or ':4' in text) for text in said), (line, said))
            info = self.info(bundle)
            self.assertEqual((info['damaged'], info['events']), (1, 3), (line, said))

    def test_at_random(self):
        """Lines of a sound file in any order, with words exchanged: told or taken, played to the end, and each line is one or the other."""
        rand = random.Random(SEED)
        head, lines = PAJE[:PAJE.index('0 P 0 Process')], PAJE[PAJE.index('0 P 0 Process'):].splitlines()
        words = sorted({w for line in lines for w in line.split()} | {'nobody', '1e999', 'nan', '-3', '0'})
        for turn in range(few(24)):
            some = [' '.join(rand.choice(words) if rand.random() < 0.1 else w for w in line.split()) for line in rand.choices(lines, k=60)]
            path = self.path(f'random{turn}.paje', head + '\n'.join(some) + '\n')
            said = self.problems(path)
            self.assertRegex(said[0], r'\d+ events, \d+ damaged records, \d+ impossible events', (SEED, turn))
            info = self.info(path)
            self.assertLessEqual(info['events'], 3 * len(some))
            self.scope('film', path, '-o', self.path(f'film{turn}'), '--quiet')

    def test_operations_that_are_no_communication(self):
        """A program may call what it does "reduce": that computes, and is no operation of a group.  Of what is one the report says that its group is
        not told, also where others are."""
        names = {'reduce': 900, 'scan': 1000, 'Barrier': 1000}
        flow = [{'ph': 's', 'name': 'f', 'id': 1, 'pid': 1, 'tid': 1, 'ts': 5}, {'ph': 'f', 'name': 'f', 'id': 1, 'pid': 1, 'tid': 2, 'ts': 9, 'bp': 'e'}]
        for form, computes in (('{}', True), ('MPI_{}', False)):
            slices = [{'ph': 'X', 'name': form.format(name), 'pid': 1, 'tid': i + 1, 'ts': 0, 'dur': d} for i, (name, d) in enumerate(names.items())]
            path = self.path('named.json', json.dumps({'traceEvents': slices + flow}))
            said = ' '.join(self.scope('report', path, '-o', self.path('named'))[0].replace('\u00a0', ' ').split())
            self.assertEqual(['operations of groups, in which tasks are for 2.9 ms' in said, 'tasks computed 967 µs of 1 ms' in said], [not computes, computes], said)
            shutil.rmtree(self.path('named'))

    def test_adjacent_ranges(self):
        """What tasks compute and wait in ranges that lie side by side, and how long the critical path lies where, is together what it is of all."""
        r, paths = random.Random(SEED), [os.path.join(ROOT, 'traces', 'fft2d-s16.trace')]
        if os.environ.get('OTF2_ARCHIVE'):
            paths += [os.path.join(ROOT, 'traces', f'mpi-{name}.otf2') for name in ('waits', 'requests')]
        paths += [os.path.join(PARAVER, name) for name in ('profet-lulesh_4+4.prv', 'pypop-epoch_2proc.prv.gz') if os.path.isdir(PARAVER)]
        for path in paths:
            info = self.info(path)
            cuts = [info['first'], *sorted(info['first'] + r.random() * (info['last'] - info['first']) for _ in range(3)), info['last']]
            sums, views = collections.defaultdict(list), {'Waits of tasks': ('task', 'computing [s]', 'waiting [s]', 'on the critical path [s]'),
                                                          'Critical path': ('region', 'on the path [s]', 'mean of tasks [s]')}
            for k, (a, b) in enumerate([(cuts[0], cuts[-1]), *zip(cuts, cuts[1:])]):
                for view, (who, *columns) in views.items():
                    out = self.path('range.csv')
                    self.scope('draw', path, '--program', 'waits', '--view', view, '--range', f'{a:.9f}..{b:.9f}', '-o', out, '-q')
                    with open(out, newline='') as f:
                        for row in csv.DictReader(f):
                            for key in columns:
                                of = sums.setdefault((row[who], key), [0, 0, 0])
                                of[k > 0] += float(row[key])
                                of[2] += 1
            self.assertGreater(len(sums), 12)
            for key, (whole, parts, n) in sums.items():
                if n == len(cuts) or key[1] != 'mean of tasks [s]':
                    self.assertAlmostEqual(parts, whole, delta=1e-8, msg=(path, key, cuts, SEED))


main()
