#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many tasks are at work, rather than in communication or waiting, at random instants of real traces: Scope beside
the raw files, for formats whose states have but names."""
import collections
import csv
import gzip
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest
from bisect import bisect_right
from decimal import Decimal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, Format, few, main, samples                                           # noqa: E402
import mpe                                                                                      # noqa: E402
import paje                                                                                     # noqa: E402
import paraver                                                                                  # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '1'))
PROGRAM = '''<eve version="1"><title>Work</title>
<component name="Session" class="scope.session" version="1"/>
<component name="Reader" class="scope.{}-reader" version="1"/>
<component name="Simulator" class="scope.calls-simulator" version="1"/>
<component name="Concurrency" class="scope.concurrency" version="1"/>
<component name="File" class="scope.csv-sink" version="1"><setting name="file">work.csv</setting></component>
<wire from="Session" out="commands" to="Reader" in="commands"/>
<wire from="Reader" out="events" to="Simulator" in="events"/>
<wire from="Simulator" out="states" to="Concurrency" in="states"/>
<wire from="Concurrency" out="dated" to="File" in="in"/></eve>
'''
MPE = {'SEND', 'RECV', 'SENDRECV', 'BARRIER', 'REDUCE', 'ALLREDUCE', 'BCAST', 'PROBE', 'Sync', 'Broadcast', 'Reduce'}


def block(path):
    return 65536 if os.path.getsize(path) % 65536 == 0 else 1024


def mpi(name):
    return name.startswith(('MPI_', 'PMPI_'))


class Working(Format):
    def at_work(self, form, path):
        """When the number changes, and to what."""
        out, program = self.path('out'), self.path('work.eve', PROGRAM.format(form))
        self.scope('run', path, '--program', program, '--out', out)
        dates, counts = [], []
        with open(os.path.join(out, 'work.csv'), newline='') as f:
            for row in csv.DictReader(f):
                date, count = round(float(row['date [s]']) * 1e9), round(float(row['value']))
                if dates and dates[-1] == date:
                    counts[-1] = count
                else:
                    dates.append(date)
                    counts.append(count)
        return dates, counts

    def check(self, form, path, first, last, expected, settled=lambda at: True, instants=few(12)):
        """`expected(at)`: the names of tasks at work at an instant, nanoseconds."""
        dates, counts = self.at_work(form, path)
        dice, seen = random.Random(SEED), set()
        for _ in range(instants):
            at = dice.randint(first, last)
            if at in dates or not settled(at):
                continue
            k = bisect_right(dates, at)
            names = expected(at)
            self.assertEqual(counts[k - 1] if k else 0, len(names), (path, at, SEED, sorted(names)[:20]))
            seen.add(len(names))
        return seen

    def test_paraver(self):
        """Extrae's state 1 is work, and no other.  Calls that are told beside the states of a thread are that thread once more."""
        some = set()
        for name in ('pypop-epoch_8proc.prv.gz', 'profet-lulesh_4+4.prv'):
            path = os.path.join(samples('paraver'), name)
            if not os.path.exists(path):
                self.skipTest('no samples')
            trace = paraver.Trace(path)
            tasks = [trace.thread(t) for t in trace.threads]

            def expected(at):
                model = trace.at(at)
                return [t for t in tasks if model.state(t) == trace.states[1]]

            some |= self.check('paraver', path, 0, trace.end * trace.unit, expected)
            self.assert_busy(path, trace)
            self.assert_once(path, trace)
        self.assertGreater(len(some), 1)

    def assert_busy(self, path, trace):
        """So do load balance and its shares: a row a thread, of as long as the records of its work are."""
        busy = collections.Counter()
        with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as lines:
            for v in (line.split(':') for line in lines if line.startswith('1:')):
                if v[7].strip() == '1':
                    busy[trace.thread(tuple(map(int, v[2:5])))] += (int(v[6]) - int(v[5])) * trace.unit
        self.scope('run', path, '--program', 'load-balance', '--out', self.path('busy'), '-q')
        with open(self.path('busy/busy.csv'), newline='', encoding='utf-8') as f:
            told = {row['owner']: round(float(row['sum [s]']) * 1e9) for row in csv.DictReader(f)}
        self.assertEqual(told, busy)
        shutil.rmtree(self.path('busy'))

    def assert_once(self, path, trace):
        """In Tasks in each state a thread counts once: each state for as long as its records are, and no call besides."""
        want, out = collections.Counter(), self.path('once.csv')
        with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as lines:
            for v in (line.split(':') for line in lines if line.startswith('1:')):
                want[trace.states[int(v[7])]] += (int(v[6]) - int(v[5])) * trace.unit / 1e9
        self.scope('draw', path, '--program', 'utilization', '--view', 'Tasks in each state', '-o', out, '-q')
        told = collections.Counter()
        with open(out, newline='', encoding='utf-8') as rows:
            for row in csv.DictReader(rows):
                told[row['state']] += float(row['tasks']) * (float(row['to [s]']) - float(row['from [s]']))
        self.assertIn(trace.states[1], told)
        told.pop('No state', None)  # of what has no records, as what threads are in
        for state, spent in told.items():
            self.assertAlmostEqual(spent, want[state], delta=1e-5 * max(want.values()), msg=(path, state))

    def told(self, path):
        """By state, how many seconds tasks are in it: as Tasks in each state draws them, and as Concurrency counts them; and by task, for how long it is at work."""
        out, drawn, counted = self.path('told'), collections.Counter(), {}
        self.scope('draw', path, '--program', 'utilization', '--view', 'Tasks in each state', '-o', self.path('told.csv'), '-q')
        with open(self.path('told.csv'), newline='', encoding='utf-8') as rows:
            for row in csv.DictReader(rows):
                drawn[row['state']] += float(row['tasks']) * (float(row['to [s]']) - float(row['from [s]']))
        info = json.loads(self.scope('info', path, '--json')[0])
        for program in ('concurrency', 'load-balance'):
            self.scope('run', path, '--program', program, '--out', out, '-q')
        with open(os.path.join(out, 'concurrency.csv'), newline='', encoding='utf-8') as rows:
            for row in csv.DictReader(rows):
                counted[row['state']] = float(row['mean']) * (float(info['last']) - float(info['first']))
        with open(os.path.join(out, 'busy.csv'), newline='', encoding='utf-8') as rows:
            busy = {row['owner']: float(row['sum [s]']) for row in csv.DictReader(rows)}
        shutil.rmtree(out)
        return drawn, counted, busy

    def test_each_location_counts_once(self):
        """In archives of OTF2, with one thread a process or several that are named after it: each region for as long as all locations are in it."""
        expected = os.path.join(samples('otf2'), 'expected.jsonl')
        if not os.path.exists(expected):
            self.skipTest('no samples')
        with open(expected, encoding='utf-8') as f:
            all_ = [e for e in map(json.loads, f) if 'top' in e]
        for e in all_:
            drawn, counted, busy = self.told(os.path.join(samples('otf2'), '..', e['path']))
            self.assertGreater(len(e['top']), 0)
            most = max(t['exclusive'] for t in e['top'])
            for t in e['top']:
                self.assertAlmostEqual(drawn[t['region']], t['exclusive'], delta=2e-5 * most, msg=(e['path'], t))
                self.assertAlmostEqual(counted[t['region']], t['exclusive'], delta=2e-5 * most, msg=(e['path'], t))
            if len(e['top']) < 8:                                                       # these are all regions that there are
                self.assertAlmostEqual(sum(busy.values()), sum(t['exclusive'] for t in e['top'] if not mpi(t['region'])), delta=1e-6)
                self.assertEqual(len(busy), e['locations'], e['path'])
        self.assertGreater(max(e['locations'] for e in all_ if len(e['top']) < 8), 2)

    def test_a_thread_named_after_its_process(self):
        """It counts: the process does nothing itself but have a value."""
        slices = [{'ph': 'X', 'pid': 1, 'tid': 5, 'ts': 10 * i, 'dur': i, 'name': 'solve'} for i in range(1, 9)]
        names = [{'ph': 'M', 'pid': 1, 'tid': tid, 'name': what, 'args': {'name': name}}
                 for what, tid, name in (('process_name', 1, 'p'), ('thread_name', 5, 'p 1 \u00b7 worker'))]
        values = [{'ph': 'C', 'pid': 1, 'ts': 10 * i, 'name': 'load', 'args': {'x': i}} for i in range(1, 9)]
        path = self.path('named.json', json.dumps(names + slices + values))
        drawn, counted, busy = self.told(path)
        self.assertEqual({k: round(v, 9) for k, v in busy.items()}, {'p 1 \u00b7 worker 5': 36e-6})
        self.assertAlmostEqual(drawn['solve'], 36e-6, delta=1e-9)
        self.assertAlmostEqual(counted['solve'], 36e-6, delta=1e-9)

    def test_logs_of_mpe(self):
        """Operations without MPI_ before them are communication all the same."""
        some, there = set(), False
        for form, name, read in [('clog', 'clog/pmandel.clog', lambda p: mpe.clog(p, block(p))[0]),
                                 ('clog', 'clog2/waits4.clog2', lambda p: mpe.clog2(p)[0]), ('alog', 'alog/systest_profile.log', lambda p: mpe.alog(p)[0])]:
            path = samples(name)
            if not os.path.exists(path):
                continue
            there, model = True, read(path)
            tasks = {i[2] for i in model.intervals} | {m[2] for m in model.messages}
            begun = {t: min([i[0] for i in model.intervals if i[2] == t] + [m[0] for m in model.messages if m[2] == t])
                     for t in tasks}

            def expected(at):
                return [t for t in tasks if begun[t] <= at and not mpi(model.state(t, at)[0]) and model.state(t, at)[0] not in MPE]
            some |= self.check(form, path, max(begun.values()) + 1, model.last, expected)
        if not there:
            self.skipTest('no samples')
        self.assertGreater(len(some), 1)

    def test_paje(self):
        """SimGrid's ranks are in calls of MPI or in no state; StarPU's threads sleep."""
        some, there = set(), False
        for name, works in [('simgrid-waits.trace', lambda s: not mpi(s)),
                            ('pajeng-native_paje.trace', lambda s: s in ('Executing', 'Initializing', 'chol_model_11'))]:
            path = os.path.join(samples('paje'), name)
            if not os.path.exists(path):
                continue
            there, whole = True, paje.Model(path)

            def expected(at):
                model = paje.Model(path, paje.Decimal(at) / 10**9)
                return [t for t in model.base if model.state(t) not in (None, 'No state', 'Dead') and works(model.state(t))]
            some |= self.check('paje', path, int(whole.first_date * 10**9), int(whole.last * 10**9), expected)
        if not there:
            self.skipTest('no samples')
        self.assertGreaterEqual(len(some), 1)

    @unittest.skipUnless(shutil.which('babeltrace2'), 'babeltrace2 is not installed')
    def test_ctf(self):
        """Regions that are called by numbers, whose names the trace tells apart, are known by those names."""
        there = False
        for name in ('bandwidth_issue', 'mpi_allreduce'):
            path = os.path.join(samples('ctf'), 'tracecompass', name)
            if not os.path.exists(path):
                continue
            text = subprocess.run(['babeltrace2', '--clock-seconds', '--names=all', path], capture_output=True, text=True, check=True).stdout
            strings = dict(re.findall(r'name = GlobalDef_String, .*self = (\d+), stringValue = "(.*)" }', text))
            regions = {k: strings[v] for k, v in re.findall(r'name = GlobalDef_Region, .*self = (\d+), name = (\d+),', text)}
            there, changes, stacks = True, {}, {}
            for date, kind, who, region in re.findall(r'timestamp = ([\d.]+),.*name = Event_(Enter|Leave), .*locationID = (\d+), region = (\d+)', text):
                stack = stacks.setdefault(who, [])
                if kind == 'Enter':
                    stack.append(regions[region])
                elif stack:
                    stack.pop()
                changes.setdefault(who, []).append((int(Decimal(date) * 10**9), stack[-1] if stack else None))
            begun, last = max(c[0][0] for c in changes.values()), max(c[-1][0] for c in changes.values())

            def expected(at):
                inside = {who: [c[1] for c in list_ if c[0] <= at][-1:] for who, list_ in changes.items()}
                return [who for who, top in inside.items() if top and top[0] and not mpi(top[0])]
            self.check('ctf', path, begun + 1, last - 1, expected)
        if not there:
            self.skipTest('no samples')

    def test_made(self):
        """A trace of two tasks whose states are words, and one that nobody knows: that is work."""
        head = ('%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeSetState 3\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n')
        words = {'Running': 1, 'Executing': 1, 'solve': 1, 'Waiting': 0, 'PMPI_Recv': 0, 'Blocked': 0, 'Idle': 0, 'Sleeping': 0,
                 'MPI_Wait': 0, 'Group_work': 1, 'Test': 1, 'Send': 1, 'Progress': 1, 'Lock': 1, 'Others': 1, 'Ready': 1, 'Callback': 1,
                 '"Blocking Send"': 0, 'idle_loop': 1, 'mpirun': 1}
        dice, lines, changes = random.Random(SEED), ['0 P 0 Process', '1 S P State', '2 0 a P 0 a', '2 0 b P 0 b'], []
        for i in range(1, 200):
            who, word = dice.choice('ab'), dice.choice(list(words))
            lines.append(f'3 {i} S {who} {word}')
            changes.append((i * 10**9, who, words[word]))
        path = self.path('made.trace', head + '\n'.join(lines) + '\n')

        def expected(at):
            last = {who: work for date, who, work in changes if date <= at}
            return [who for who, work in last.items() if work]
        self.assertEqual(self.check('paje', path, 10**9, 199 * 10**9, expected, instants=100), {0, 1, 2})

    def test_efficiency_of_states_that_are_set(self):
        """Beside a state that is said to be work others that nobody knows are work too, in the report as in Concurrency.  Where no name in a type is known they may be of
        anything: that time is neither computing nor waiting, and no efficiency is told.  Where
        all of it is communication there is none to tell, and the report says so."""
        fields = '% Time date\n% Type string\n% Container string\n% Value string\n'
        head = ('%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeDefineLinkType 5\n% Alias string\n% Type string\n% StartContainerType string\n% EndContainerType string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n'
                f'%EventDef PajeSetState 3\n{fields}%EndEventDef\n'
                f'%EventDef PajeStartLink 6\n{fields}% StartContainer string\n% Key string\n%EndEventDef\n'
                f'%EventDef PajeEndLink 7\n{fields}% EndContainer string\n% Key string\n%EndEventDef\n')
        head += '0 W 0 World\n0 P W Process\n1 S P State\n5 L W P P Link\n2 0 w W 0 w\n2 0 a P w a\n2 0 b P w b\n'
        dice, known = random.Random(SEED), {'Running': 1, 'solve': 1, 'assemble': 1, 'Waiting': 0, 'Idle': 0}
        for words in (known, {word: known[word] for word in ('solve', 'assemble', 'Idle')}, dict.fromkeys(('normal', 'violation', 'booked')),
                      dict.fromkeys(('PMPI_Send', 'PMPI_Recv', 'PMPI_Wait'), 0)):
            end, lines, state, since, worked = 400, [(0, f'3 0 S {who} {min(words)}') for who in 'ab'], dict.fromkeys('ab', min(words)), dict.fromkeys('ab', 0), 0
            for date in sorted(dice.sample(range(1, end), 120)):
                who, word = dice.choice('ab'), dice.choice(sorted(words))
                worked += (date - since[who]) * (words[state[who]] or 0)
                lines.append((date, f'3 {date} S {who} {word}'))
                state[who], since[who] = word, date
            worked += sum((end - since[who]) * (words[state[who]] or 0) for who in 'ab')
            lines += [(end, f'3 {end} S {who} {min(words)}') for who in 'ab'] + [(100.5, '6 100.5 L w m a k'), (101.5, '7 101.5 L w m b k')]
            path = self.path('set.trace', head + '\n'.join(line for _, line in sorted(lines, key=lambda one: one[0])) + '\n')
            self.scope('report', path, '-o', self.path('set'), '-q')
            with open(self.path('set/report.txt'), encoding='utf-8') as f:
                text = ' '.join(f.read().replace('\u2009', ' ').split())
            shutil.rmtree(self.path('set'))
            said = re.search(r'2 tasks computed ([0-9.]+) s of', text)
            if words is not known and None in words.values():
                self.assertRegex(text, 'nobody can tell: of 100 % of the time of tasks no state says what they do')
                self.assertIsNone(said)
            elif worked == 0:
                self.assertIn('No task computes between its first call or state and its last: there is no efficiency to tell', text)
                self.assertIsNone(said)
            else:
                self.assertNotIn('No task computes', text)
                self.assertAlmostEqual(float(said[1]), worked / 2, delta=0.6)

    def test_last_states_last(self):
        """A state lasts until its task is gone, or the trace ends: how long tasks compute, and of how much of their life no state says what they do."""
        head = ('%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeSetState 3\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n'
                '%EventDef PajeDestroyContainer 4\n% Time date\n% Name string\n% Type string\n%EndEventDef\n0 P 0 Process\n1 S P State\n')
        words, dice = ['Running', 'solve', 'Idle', 'Waiting'], random.Random(SEED)
        for n in range(few(6) + 2):
            end, who, told = 1000, [f'p{i}' for i in range(dice.randint(2, 5))], []
            for task in who:
                dates = sorted(dice.sample(range(1, 900), dice.randint(1, 6)))
                gone = dice.randrange(900, 1000) if n == 0 or dice.random() < 0.6 else None
                states = [dice.choice(words) for _ in dates]
                states[-1] = 'Idle' if n == 0 else states[-1]
                told += [(a, f'3 {a} S {task} {word}') for a, word in zip(dates, states)] + ([(gone, f'4 {gone} {task} P')] if gone else [])
            told += [(end, f'2 {end} z P 0 z')]
            told[0] = (told[0][0], told[0][1].rsplit(' ', 1)[0] + ' Running')       # so that some state is known
            path = self.path(f'last{n}.trace', head + ''.join(f'2 0 {task} P 0 {task}\n' for task in who) + '\n'.join(line for _, line in sorted(told, key=lambda one: one[0])) + '\n')
            events = sorted(told, key=lambda one: one[0])
            computes = {}
            for task in who:            # by the lines of the file
                own = [(date, line.split()) for date, line in events if task in line.split()]
                own.append((end, ['4']))
                computes[task] = sum(b[0] - a[0] for a, b in zip(own, own[1:]) if a[1][-1] in ('Running', 'solve'))
            out = self.path('last')
            self.scope('run', path, '--program', 'waits', '--out', out)
            with open(os.path.join(out, 'tasks.csv'), newline='') as f:
                mine = {row['task']: round(float(row['computing [s]'])) for row in csv.DictReader(f)}
            self.assertEqual(mine, computes, (n, SEED))
            said = self.scope('report', path, '-o', self.path('report'))[0]
            self.assertNotIn('no state says what they do', said, (n, SEED))
            self.assertIn('Parallel efficiency is', ' '.join(said.split()), (n, SEED))

    def test_states_and_calls_inside_of_each_other(self):
        """A state that is left is the innermost state, and a call ends with its own record, whatever was begun in it: in the state graph, in what is
        under way, and in what tasks compute."""
        program = self.path('inside.eve', '''<eve version="1"><component name="R" class="scope.chrome-reader" version="1"/><component name="U" class="scope.under-way" version="1"/>
<component name="F" class="scope.data-file" version="1"><setting name="file">tasks.csv</setting></component>
<wire from="R" out="events" to="U" in="events"/><wire from="U" out="tasks" to="F" in="in"/></eve>''')
        dice, crossed = random.Random(SEED), 0
        for n in range(few(5) + 1):
            slices, ends, stack = [], sorted(dice.sample(range(10, 990), 40)), []
            names = {}
            while ends:                                 # by the microsecond: what begins, and what ends: ('B', name), ('E',), ('X', name, until)
                at = ends.pop(0)
                if dice.random() < 0.4:
                    until = at + dice.randrange(1, 60)
                    until += until in names
                    if any(a <= until <= a for a in ends) or until in names.values():
                        continue
                    names[at] = until
                    slices.append((at, 'X', dice.choice(('MPI_Recv', 'solve')), until))
                elif stack and dice.random() < 0.5:
                    slices.append((at, 'E', stack.pop(), None))
                else:
                    stack.append(dice.choice(('MPI_Send', 'work', 'MPI_Wait')))
                    slices.append((at, 'B', stack[-1], None))
            slices += [(1100 + i, 'E', stack.pop(), None) for i in range(len(stack))]
            path = self.path(f'inside{n}.json', json.dumps({'traceEvents': [
                {'ph': what, 'name': name, 'pid': 1, 'tid': 1, 'ts': at} | ({'dur': until - at} if until else {}) for at, what, name, until in slices]}))
            moments = sorted([(at, what, name, i) for i, (at, what, name, _) in enumerate(slices)] + [(until, 'x', name, i) for i, (_, what, name, until) in enumerate(slices) if until])
            inside, since, computes, seen = [], moments[0][0], 0, []
            for at, what, name, i in moments:
                computes += (at - since) * (bool(inside) and all(not one.startswith('MPI_') for _, one in inside))
                since = at
                if what in 'BX':
                    inside.append((i if what == 'X' else None, name))
                else:
                    k = max(k for k, (number, _) in enumerate(inside) if number == (i if what == 'x' else None))
                    crossed += k + 1 < len(inside)
                    del inside[k]
                seen.append((at, [name for _, name in inside]))
            for at, now in dice.sample(seen, few(4)):
                date = f'{(at + .5) / 1e6:.9f}'
                node, = [n for n in self.state(path, date)['nodes'] if 'thread' in n['id'].lower() or n.get('State')][-1:]
                self.assertEqual(node['State'] if now else None, now[-1] if now else None, (n, at, SEED))
                self.scope('run', path, '--program', program, '--until', date, '--out', self.path('inside'))
                with open(self.path('inside/tasks.csv'), newline='') as f:
                    row = list(csv.DictReader(f))[-1]
                self.assertEqual((row['region'], int(row['depth'])), (now[-1] if now else '', len(now)), (n, at, SEED))
            self.scope('run', path, '--program', 'waits', '--out', self.path('waits'))
            with open(self.path('waits/tasks.csv'), newline='') as f:
                row, = csv.DictReader(f)
            self.assertEqual(round(float(row['computing [s]']) * 1e6), computes, (n, SEED))
        self.assertGreater(crossed, 3)

    def test_who_sleeps_at_the_end(self):
        """Tasks that rest, sleep or are gone wait for nobody; one in a call of MPI does."""
        head = ('%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n'
                '%EventDef PajeSetState 3\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n'
                '%EventDef PajeDestroyContainer 4\n% Time date\n% Name string\n% Type string\n%EndEventDef\n')
        words, dice = ['Idle', 'Suspended', 'Sleeping', 'Waiting', 'solve', 'MPI_Recv'], random.Random(SEED)
        for n in range(few(4)):
            last = [dice.choice(words) for _ in range(dice.randint(2, 6))]
            gone = [dice.random() < 0.3 for _ in last]
            lines = ['0 P 0 Process', '1 S P State'] + [f'2 0 p{i} P 0 p{i}' for i in range(len(last))]
            lines += [f'3 1 S p{i} solve' for i in range(len(last))] + [f'3 5 S p{i} {w}' for i, w in enumerate(last)]
            lines += [f'4 {6 + i} p{i} P' for i in range(len(last)) if gone[i]] + ['2 20 z P 0 z']
            path = self.path(f'end{n}.trace', head + '\n'.join(lines) + '\n')
            self.scope('report', path, '-o', self.path('out'))
            with open(self.path('out/report.json')) as f:
                told = ' '.join(json.load(f)['told'])
            stuck = sum(w == 'MPI_Recv' and not g for w, g in zip(last, gone))
            found = re.search(r'(\d+) of \d+ tasks (?:is|are) in', told)
            self.assertEqual(int(found[1]) if found else 0, stuck, (told, last, gone, SEED))

    def test_waits_untold(self):
        """Calls alone tell who works, and not who waits for whom: what waits would be is an empty cell in each table, and no 0."""
        dice, events, work = random.Random(SEED), [], collections.Counter()
        for tid in (1, 2, 3):
            dates = sorted(dice.sample(range(1, 9999), 40))
            for n, (begin, end) in enumerate(zip(dates[::2], dates[1::2])):
                events.append({'ph': 'X', 'pid': 1, 'tid': tid, 'ts': begin, 'dur': end - begin, 'name': '_thread.lock.acquire' if n % 2 else 'work'})
                work[tid] += (end - begin) * (n % 2 == 0)
        path, out = self.path('calls.json', json.dumps({'traceEvents': events})), self.path('untold')
        self.scope('run', path, '--program', 'waits', '--out', out)
        rows = {}
        for name in ('tasks', 'waits', 'efficiency'):
            with open(os.path.join(out, name + '.csv'), newline='') as f:
                rows[name] = list(csv.DictReader(f))
        self.assertEqual(rows['waits'], [])
        self.assertEqual(len(rows['tasks']), 3)
        for row in rows['tasks']:
            told = {column for column, cell in row.items() if cell}
            self.assertEqual(told, {'task', 'computing [s]'})
            tid = int(re.search(r'(\d)\D*$', row['task'])[1])
            self.assertEqual(round(float(row['computing [s]']) * 1e6), work[tid], row)
        value = {row['what']: row['value'] for row in rows['efficiency']}
        self.assertEqual([value[k] for k in ('Waiting of all tasks', 'For two things at once', 'Late sender', 'Late sender, times')], [''] * 4)
        self.assertEqual([float(value[k]) for k in ('Tasks', 'Messages')], [3, 0])
        self.assertAlmostEqual(float(value['Computing, mean of tasks']), sum(work.values()) / 3e6, delta=1e-9)

    def test_lives_of_untold(self):
        """States of which nobody knows the meaning, of tasks that live for a part of the run: all of their lives is untold, however short these are, and how efficient
        that is, or what the run would be on an ideal network, nobody knows."""
        head = ''.join(f'%EventDef {name} {i}\n' + ''.join(f'% {field}\n' for field in fields.split(', ')) + '%EndEventDef\n' for i, (name, fields) in enumerate([
            ('PajeDefineContainerType', 'Alias string, Type string, Name string'), ('PajeDefineStateType', 'Alias string, Type string, Name string'),
            ('PajeCreateContainer', 'Time date, Alias string, Type string, Container string, Name string'),
            ('PajeSetState', 'Time date, Type string, Container string, Value string'), ('PajeDestroyContainer', 'Time date, Type string, Name string')]))
        dice, events = random.Random(SEED), []
        for n in range(4):
            begin, within, end = (n * 100 + x for x in sorted(dice.sample(range(100), 3)))
            events += [f'2 {begin} t{n} P 0 T{n}\n3 {begin} S t{n} Alpha\n', f'3 {within} S t{n} Gamma\n', f'4 {end} P t{n}\n']
        path, out = self.path('lives.paje', head + '0 P 0 Process\n1 S P State\n' + ''.join(events)), self.path('lives')
        self.scope('run', path, '--program', 'waits', '--out', out)
        with open(os.path.join(out, 'efficiency.csv'), newline='') as f:
            value = {row['what']: row['value'] for row in csv.DictReader(f)}
        for what in ('Run time on an ideal network', 'Transfer efficiency', 'Serialisation efficiency', 'Parallel efficiency', 'Communication efficiency', 'Load balance'):
            self.assertEqual([value[what], value.get(what + ' without set-up', '')], ['', ''], (what, SEED))
        self.scope('report', path, '-o', self.path('lives-report'), '-q')
        with open(self.path('lives-report/report.txt'), encoding='utf-8') as f:
            self.assertNotIn('no state says what they do', ' '.join(f.read().split()))         # of more than a tenth: then who waits is all that is asked

    def test_untold(self):
        """States that are set, of a type of which no name is known, need not be of what a task does: they are counted as work by nobody, as
        by the report.  Where one of the type is known, the others count; what another type says by the same words changes nothing."""
        head = ''.join(f'%EventDef {name} {i}\n' + ''.join(f'% {field}\n' for field in fields.split(', ')) + '%EndEventDef\n' for i, (name, fields) in enumerate([
            ('PajeDefineContainerType', 'Alias string, Type string, Name string'), ('PajeDefineStateType', 'Alias string, Type string, Name string'),
            ('PajeCreateContainer', 'Time date, Alias string, Type string, Container string, Name string'),
            ('PajeSetState', 'Time date, Type string, Container string, Value string'), ('PajeDestroyContainer', 'Time date, Type string, Name string')]))
        dice = random.Random(SEED)
        for names, others in itertools.product((['normal', 'violation', 'odd'], ['Running', 'violation', 'odd']), (['odd', 'violation', 'strange'], ['odd', 'Idle'])):
            events, stays = [], []                     # h is a task as well, of another type, which has its own states by the same words
            for task, kind, words in [(x, 'S', names) for x in 'abc'] + [('h', 'M', others)]:
                dates = sorted(dice.sample(range(1, 999), 20))
                for begin, end in zip(dates, [*dates[1:], 1000]):
                    stays.append((begin, end, dice.choice(words), not {"Running", "Idle"}.isdisjoint(words)))
                    events.append((begin, f'3 {begin} {kind} {task} "{stays[-1][2]}"\n'))
            path = self.path(names[0] + others[-1] + '.paje', head + '0 P 0 Process\n1 S P State\n0 H P Core\n1 M H Mode\n' + ''.join(f'2 0 {x} P 0 "{x}"\n' for x in 'abc') + '2 0 h H a "h"\n'
                             + ''.join(line for _, line in sorted(events)) + '4 1000 H h\n' + ''.join(f'4 1000 P {x}\n' for x in 'abc'))
            dates, counts = self.at_work('paje', path)
            for at in (dice.randrange(1, 1000) + .5 for _ in range(few(20))):
                k = bisect_right(dates, at * 1e9)
                self.assertEqual(counts[k - 1] if k else 0, sum(known and word != 'Idle' and a <= at < b for a, b, word, known in stays), (names, others, at, SEED))
            shown = self.path('shown.eve', PROGRAM.format('paje').replace('</eve>', '<component name="Bar" class="scope.bar" version="1"/><wire from="Concurrency" out="dated" to="Bar" in="value"/></eve>'))
            self.scope('draw', path, '--program', shown, '--view', 'Bar', '--at', str(at), '--csv', '-o', self.path('now.csv'))       # set back, and gone to
            with open(self.path('now.csv'), newline='') as f:
                told = [float(row['value']) for row in csv.DictReader(f)]
            self.assertEqual(told[0] if told else 0, counts[k - 1] if k else 0, (names, others, at, SEED))
            out = self.path('busy')     # load balance, which is of work, says why it has nothing to show
            said = self.scope('run', path, '--program', 'load-balance', '--out', out)[1]
            with open(os.path.join(out, 'busy.csv'), newline='') as f:
                busy = {row['owner']: round(float(row['sum [s]'])) for row in csv.DictReader(f)}
            work = sum(b - a for a, b, word, known in stays if known and word != 'Idle')
            self.assertEqual((sum(busy.values()), 'is it known whether they work in it' in said), (work, work == 0), (names, others, SEED))
            shutil.rmtree(out)


class Together(Format):
    def receives(self, path, until):
        """By task: begin and end of each receive that has ended, in nanoseconds, told by the requests of the program."""
        found, begun = {}, {}
        for line in self.scope('events', path, '--json', '--to', until)[0].splitlines():
            e = json.loads(line, parse_float=Decimal)
            if e['kind'] == 'MpiIrecv':
                key, date = (e['task'], e['request']), int(e['t'] * 10**9)
                if e.get('end'):
                    found.setdefault(e['task'], []).append((begun.pop(key), date))
                else:
                    begun[key] = date
        return found

    def test_receives_under_way_together(self):
        """The sum of a task is the time in which some receive of it was under way, each part once."""
        dice, more, n = random.Random(SEED), 0, 0
        for name in ('mpi-requests.otf2', 'mpi-waits.otf2'):
            path = os.path.join(ROOT, 'traces', name)
            if not os.path.exists(path):
                continue
            info = self.info(path)
            for turn in range(few(4)):
                until = f"{float(info['last']):.9f}" if turn == 0 else f"{dice.uniform(float(info['first']), float(info['last'])):.9f}"
                out = self.path('out')
                self.scope('run', path, '--program', 'waiting-times', '--until', until, '--out', out)
                table, rows = os.path.join(out, 'by-task.csv'), []
                if os.path.exists(table):   # some receive has ended
                    with open(table, newline='') as f:
                        rows = list(csv.DictReader(f))
                    os.remove(table)
                told = {next(iter(row.values())): float(next(v for k, v in row.items() if k.startswith('sum'))) for row in rows}
                for task, spans in self.receives(path, until).items():
                    union, end = 0, -1 << 62
                    for a, b in sorted(spans):
                        union += max(b - max(a, end), 0)
                        end = max(end, b)
                    self.assertAlmostEqual(told.get(task, 0), union / 1e9, delta=2e-9 * len(spans) + 1e-6 * union / 1e9,
                                           msg=(name, until, task, SEED))
                    more += sum(b - a for a, b in spans) > union
                    n += 1
        self.assertGreater(n, 0)
        self.assertGreater(more, 0)


class Barrier(Format):
    def test_who_is_stuck_and_who_is_missing(self):
        """At barriers of PVM that never end, of groups and counts at random."""
        dice = random.Random(SEED)
        for _ in range(few(6)):
            n = dice.randint(3, 9)
            tasks, date = [0x40002 + i for i in range(n)], 0
            lines = [f'1 {i} {t} 0 0 host1 LINUX64 1 -1 p' for i, t in enumerate(tasks)]
            members = sorted(dice.sample(tasks, dice.randint(2, n)))
            for i, t in enumerate(members):
                lines.append(f'50 {100 + 10 * i} {t} 5 0 crew {i}')
            count = dice.randint(2, len(members) + 1)
            there = sorted(dice.sample(members, dice.randint(1, min(count - 1, len(members)))))
            for i, t in enumerate(there):
                lines.append(f'52 {1000 + 10 * i} {t} -1 0 crew {count} 0')
            outside = next((t for t in tasks if t not in there), None)
            if outside:
                lines.append(f'35 100000 {outside} 5 0 4 1 16 0')
            else:
                continue
            path = self.path(f'b{dice.random()}.trace')
            name = os.path.basename(path)[:-len('.trace')]
            os.makedirs(os.path.join(path, name + '.tapepvm'))
            with open(os.path.join(path, name + '.tapepvm', 'events'), 'w') as f:
                f.write('\n'.join(lines) + '\n')
            self.scope('report', path, '-o', self.path('out'))
            with open(self.path('out/report.json')) as f:
                told = ' '.join(json.load(f)['told'])
            missing = count - len(there)
            others = [t for t in members if t not in there]
            self.assertRegex(told, rf'\b{len(there)} of \d+ tasks', (told, SEED))
            for t in there[:3]:
                found = re.search(rf't{t:x} in Barrier since [^,]*, where (\d+) of crew (?:has|have) come and (\d+) (?:is|are) missing(?:: t(\w+))?', told)
                self.assertTrue(found, (told, f'{t:x}', SEED))
                self.assertEqual((int(found[1]), int(found[2])), (len(there), missing), (told, SEED))
                self.assertEqual(bool(found[3]), bool(others), told)
                self.assertTrue(not others or int(found[3], 16) in others, told)


if __name__ == '__main__':
    main()
