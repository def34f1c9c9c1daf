#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paraver traces beside a second computation (paraver.py), at random instants and in sum; damaged, packed, in pieces."""
import collections
import csv
import gzip
import json
import os
import random
import re
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main, samples                                           # noqa: E402
from paraver import Trace                                                                       # noqa: E402

SAMPLES, SEED = samples('paraver'), int(os.environ.get('SCOPE_SEED', '1'))
# Events of what communicators do together, which no record of its own tells (test_members.py has them).
TOGETHER = ('Group', 'Barrier', 'Bcast', 'Allreduce', 'Reduce', 'Allgather', 'Alltoall', 'Gather', 'Scatter', 'Scan')
PCF = '''DEFAULT_OPTIONS

LEVEL               THREAD

STATES
0    Idle
1    Running
9    Dead
13   Group Communication

STATES_COLOR
0    {117,195,255}

EVENT_TYPE
9   50000001    MPI Point-to-point
9   50000002    MPI Collective
VALUES
1   MPI_Send
2   MPI_Recv
10  MPI_Allreduce
0   Outside MPI

EVENT_TYPE
0 60000019 User function
VALUES
0 End
1 main
2 solve
3 exchange

EVENT_TYPE
0 60000006 Lock
VALUES
0 Unlocked
3 Lock
6 Locked

EVENT_TYPE
6 40000001 Application
VALUES
0 End
1 Begin

EVENT_TYPE
7 42000050 PAPI_TOT_INS
7 42000059 PAPI_TOT_CYC

EVENT_TYPE
0 70000001 Caller at level 1
VALUES
0 End
3 main
'''


def made(seed, n=300):
    """States that overlap and last 0, dates that go back, ties, open ends, threads that the header does not tell."""
    r = random.Random(seed)
    unit = r.choice(['_ns', '_us', '', '_ms', '_s'])
    applications = [[(r.randint(1, 3), 1 + t % 2) for t in range(r.randint(1, 3))] for _ in range(r.randint(1, 2))]
    nodes = '2(2,2)' if r.random() < .7 else '0'
    told = r.choice([':', ',']).join(
        f'{len(a)}(' + ','.join(f'{k}:{node}' if nodes != '0' else str(k) for k, node in a) + ')' for a in applications)
    out = [f'#Paraver (01/02/{r.choice(["24", "2024"])} at 10:11):5000{unit}:{nodes}:{len(applications)}:{told},2',
           'c:1:1:1:1', 'I:1:2:1:1', '']
    threads = [(a + 1, t + 1, k + 1) for a, tasks in enumerate(applications) for t, (n_k, _) in enumerate(tasks)
               for k in range(n_k)]
    if seed % 3 == 0:
        threads.append((7, 1, 1))
    depth, lock = {}, {}
    body = []
    t = 0
    for _ in range(n):
        t += r.choice([0, 0, 1, 7, 30])
        a, k, w = r.choice(threads)
        who = f'{r.randint(0, 4)}:{a}:{k}:{w}'
        do = r.randrange(10)
        if do < 4:
            begin = max(0, t + r.choice([0, 0, -50]))
            end = -1 if r.random() < .03 else begin + r.choice([0, 3, 60])
            body.append(f'1:{who}:{begin}:{end}:{r.choice([0, 1, 9, 13, 44])}')
        elif do < 8:
            pairs = []
            for _ in range(r.randint(1, 4)):
                kind = r.choice([50000001, 50000001, 60000019, 60000019, 60000006, 40000001, 42000050, 42000059, 70000001, 99])
                key = (a, k, w, kind)
                if kind == 60000019:
                    d = depth.get(key, 0)
                    value = 0 if d and r.random() < .5 else r.randint(1, 3)
                    depth[key] = d - 1 if value == 0 else d + 1
                elif kind == 60000006:
                    value = {0: 3, 3: 6, 6: 0}[lock.get(key, 0)]
                    lock[key] = value
                elif kind in (50000001, 40000001):
                    depth[key] = 1 - depth.get(key, 0)
                    value = (r.choice([1, 2, 77]) if kind == 50000001 else 1) if depth[key] else 0
                else:
                    value = r.randrange(-5, 1 << 40)
                pairs.append(f'{kind}:{value}')
            body.append(f'2:{who}:{t}:' + ':'.join(pairs))
        else:
            b, m, x = r.choice(threads)
            got = t + r.choice([0, 5, 100])
            body.append(f'3:{who}:{t}:{t + 1}:1:{b}:{m}:{x}:{max(0, got - 20)}:{got}:{r.randrange(5000)}:{r.randrange(-1, 4)}')
        if r.random() < .05:
            body.append(r.choice(['', '# a remark']))
    if seed % 2:
        at = r.randrange(len(body))
        body = body[at:] + body[:at]
    return '\n'.join(out + body) + '\n'


class Paraver(Format):
    def put(self, name, text, pcf=PCF, row=None):
        path = self.path(name + '.prv', text)
        if pcf:
            self.path(name + '.pcf', pcf)
        if row:
            self.path(name + '.row', row)
        return path

    def compare(self, path, instants, seed):
        trace = Trace(path)
        whole, r, n = trace.at(), random.Random(seed), 0
        self.assertEqual(sum(k['begun'] + (k['ended'] or 0) for k in self.info(path)['kinds']
                             if k['name'] not in ('Processor', 'EndOfTrace', *TOGETHER)), whole.count + self.marks(trace), path)
        span = trace.end * trace.unit
        for _ in range(few(instants)):
            at = r.randrange(span + 1)
            model = trace.at(at)
            state = json.loads(self.scope('state', path, '--at', f'{at // 10**9}.{at % 10**9:09}', '--json')[0])
            nodes = {node['id']: node for node in state['nodes']}
            for task in model.stack:
                self.assertTrue(task in nodes, (path, at, task))
            for task, node in nodes.items():
                expected = model.state(task)
                if expected is not None:
                    expected = 'Dead (state)' if expected == 'Dead' else expected
                    self.assertIn(node['State'], (expected, expected + ' (state)'), (path, at, task))
                for name, value in model.variables[task].items():
                    shown = float(node[name])
                    self.assertTrue(shown == value or abs(shown - value) <= 1e-9 * abs(value), (path, at, task, name))
                    n += 1
                self.assertEqual([int(node['Sent']), int(node['Received'])], [model.sent[task], model.received[task]],
                                 (path, at, task))
                n += 3
            for edge in state['edges']:
                on_way, received, messages = model.links[edge['from'], edge['to']]
                self.assertEqual([int(edge['Traffic']), int(edge['TotalTraffic']), int(edge['Messages'])],
                                 [on_way, received, messages], (path, at, edge['id']))
                n += 3
        return n

    @staticmethod
    def marks(trace):
        return sum(trace.meaning(t) == 'mark' for r in trace.records if r[0] == 2 for t in r[6::2])

    @staticmethod
    def replaced(trace):
        """Ends that no record of their own tells: another value of the type begins."""
        n, opened = 0, set()
        for r in trace.records:
            for t, v in zip(r[6::2], r[7::2]) if r[0] == 2 else ():
                if t in trace.replaces and trace.meaning(t) == 'call':
                    key = (*r[2:5], t)
                    n += v != 0 and key in opened
                    opened = opened | {key} if v else opened - {key}
        return n

    def test_made_traces_at_random_instants(self):
        n = 0
        for seed in range(few(10)):
            path = self.put(f'made{seed}', made(seed), pcf=PCF if seed % 4 else None,
                            row='LEVEL NODE SIZE 2\nfirst\nsecond\n\nLEVEL THREAD SIZE 2\n\nsecond one\n' if seed % 5 == 0 else None)
            n += self.compare(path, 3, seed)
            self.assertEqual(self.info(path)['damaged'], 0)
        self.assertGreater(n, few(few(1000)))

    def test_overview_counts_time_once(self):
        """Calls beside the states of their thread are of the same time: the overview of a film has the states alone."""
        path, film = self.put('once', made(1)), self.path('once.film', '')
        os.remove(film)
        self.scope('film', path, '-o', film)
        with open(os.path.join(film, 'overview'), 'rb') as f:
            data = f.read()
        at, names, ticks = 64, [], struct.unpack('<q', data[40:48])[0]
        while at < len(data):
            length, date, _, n = struct.unpack('<4q', data[at:at + 32])
            spent = struct.unpack(f'<{n}q', data[at + 32:at + 32 + 8 * n])
            names += [name.decode() for name in data[at + 32 + 8 * n:at + length - 8].split(b'\0') if name]
            at += length
        whole = json.loads(self.scope('state', path, '--at', f'{date / ticks:.9f}', '--json')[0])
        self.assertTrue(any(node['id'].endswith('calls') for node in whole['nodes']))
        want = collections.Counter()
        for row in whole['times']:
            want[row['state']] += round(row['spent'] * ticks) if not row['id'].endswith('calls') else 0
        self.assertEqual({name: n for name, n in zip(names, spent) if n}, {name: n for name, n in want.items() if n})

    def test_calls_are_told_of_their_thread(self):
        """What is told of a thread once more, its calls, is that thread's: in tables of waits, in each stay in a state that is asked for, and in the report."""
        program = '''<eve version="1"><component name="R" class="scope.paraver-reader" version="1"/><component name="S" class="scope.calls-simulator" version="1"/>
<component name="D" class="scope.state-durations" version="1"><setting name="states">{}</setting></component>
<component name="C" class="scope.csv-sink" version="1"><setting name="file">stays.csv</setting></component>
<wire from="R" out="events" to="S" in="events"/><wire from="S" out="states" to="D" in="states"/><wire from="D" out="dated" to="C" in="in"/></eve>'''
        calls = 0
        for seed in range(few(6) + 2):
            path = self.put(f'told{seed}', made(seed))
            rows = self.waits(path)
            self.assertEqual([row for row in rows['waits'] + rows['tasks'] if '·' in row['task'] + row['mostly for']], [], seed)
            whole = json.loads(self.scope('state', path, '--at', f"{self.info(path)['last']:.9f}", '--json')[0])
            want = {row['state']: collections.Counter() for row in whole['times'] if row['id'].endswith(' · calls') and ',' not in row['state']}
            own = {row['state'] for row in whole['times'] if not row['id'].endswith(' · calls')}
            for row in whole['times']:
                if row['state'] in want:
                    want[row['state']][row['id'].removesuffix(' · calls')] += row['spent']
            for state in sorted(want.keys() - own)[:3]:
                out, mine = self.path('out'), collections.Counter()
                self.scope('run', path, '--program', self.path('told.eve', program.format(state)), '--out', out)
                with open(os.path.join(out, 'stays.csv'), newline='', encoding='utf-8') as f:
                    for row in csv.DictReader(f):
                        mine[row['owner']] += float(row[next(k for k in row if k.startswith('value'))])
                for who in mine.keys() | {w for w, n in want[state].items() if n}:
                    self.assertAlmostEqual(mine[who], want[state][who], delta=1e-8, msg=(seed, state, who))
                calls += len(mine)
            said = self.scope('report', path, '-o', self.path('report'))[0]
            self.assertNotIn(' · calls', said[:said.index('Calls and moments')])
            where = re.search(r'Where the time of each task went\n-+\n((?:  .*\n)+)', said)
            names = [line.split('  ')[1] for line in where[1].splitlines() if line.startswith('  THREAD')] if where else []
            self.assertEqual(len(names), len(set(names)), said)
            self.assertEqual('as “' in said, any(row['id'].endswith(' · calls') for row in whole['times']), said)
        self.assertGreater(calls, 8)

    def tree(self, path, *more):
        """{path of calls: [inclusive, exclusive, visits]} of call-tree.csv, in ns."""
        self.scope('run', path, '--program', 'call-tree', '--out', self.path('tree'), *more)
        tree, above = {}, []
        with open(os.path.join(self.path('tree'), 'call-tree.csv'), newline='', encoding='utf-8') as f:
            for row in csv.DictReader(f):
                above = above[:int(row['depth'])] + [row['call']]
                tree[tuple(above)] = [round(float(row['inclusive [s]']) * 1e9), round(float(row['exclusive [s]']) * 1e9), int(row['visits'] or 0)]
        return tree

    def test_call_tree_counts_time_once(self):
        """A thread is in its calls and, outside of these, in its states: both are of the same time, which counts once."""
        spent = 0
        for seed in range(few(6) + 2):
            path = self.put(f'tree{seed}', made(seed, 120))
            trace, want = Trace(path), collections.defaultdict(lambda: [0, 0])
            last = round(self.info(path)['last'] * 1e9)
            dates = sorted({min(max(d * trace.unit, 0), last) for r in trace.records
                            for d in (r[5:7] if r[0] == 1 else r[5:6] if r[0] == 2 else ())} | {last})
            for a, b in zip(dates, dates[1:]):
                model = trace.at(a)
                for who in {w.removesuffix(' · calls') for w in model.stack}:
                    calls, states = (tuple({'Dead': 'Dead (state)'}.get(name, name) for _, name in model.stack.get(w, ())
                                           if name not in ('Idle', 'Not created', 'Tracing Disabled')) for w in (who + ' · calls', who))
                    inside = ('all tasks',) + (calls or states)
                    want[inside][1] += b - a if len(inside) > 1 else 0
                    for n in range(1, len(inside) + 1):
                        want[inside[:n]][0] += b - a if len(inside) > 1 else 0
            got = self.tree(path)
            self.assertEqual({p: row[:2] for p, row in got.items() if row[0]}, {p: row for p, row in want.items() if row[0]}, seed)
            spent += got[('all tasks',)][0]
        self.assertGreater(spent, 0)

    def test_call_tree_of_two_that_tell(self):
        """Visits are of what counts: a state that lies within calls is none, one that goes on behind a call is one."""
        text = """#Paraver (01/02/2024 at 10:11):100_ns:0:1:1(1:1)
1:1:1:1:1:0:40:1
1:1:1:1:1:40:60:9
1:1:1:1:1:60:100:1
2:1:1:1:1:10:40000001:1
2:1:1:1:1:20:50000001:2
2:1:1:1:1:30:50000001:0
2:1:1:1:1:40:50000001:2
2:1:1:1:1:60:50000001:0
2:1:1:1:1:90:40000001:0
"""
        path = self.put('two', text)
        got, (running, app, call) = self.tree(path), ('Running', 'Application', 'MPI_Recv')
        top = ('all tasks',)
        self.assertEqual(got, {top: [100, 0, 0], top + (app,): [80, 50, 1], top + (app, call): [30, 30, 2], top + (running,): [20, 20, 2]})
        for at, visits in ((10, 1), (90, 1), (95, 2)):
            self.assertEqual(self.tree(path, '--until', f'0.{at:09}')[top + (running,)], [10 + max(at - 90, 0)] * 2 + [visits], at)
        self.assertEqual(self.tree(path, '--set', 'Call tree.tasks=Calls'), {p: row if p != top else [80, 0, 0] for p, row in got.items() if p[-1] != running})
        alone = self.tree(path, '--set', 'Call tree.trees of=tasks')
        self.assertEqual({p[1:]: row for p, row in alone.items()}, {p[1:]: row for p, row in got.items()})
        self.assertEqual({p[0] for p in alone}, {'THREAD 1.1.1'})

    @unittest.skipUnless(os.path.isdir(SAMPLES), 'the samples are not here')
    def test_longest_calls_are_of_all_that_involve_others(self):
        """Sends, receives and operations of groups alike, each once, whether or not the call names the other one."""
        for name in ('pypop-epoch_2proc.prv.gz', 'pypop-epoch_8proc.prv.gz', 'profet-lulesh_4+4.prv'):
            path = os.path.join(SAMPLES, name)
            trace, begun, took = Trace(path), {}, []
            for r in trace.records:
                for t, v in zip(r[6::2], r[7::2]) if r[0] == 2 else ():
                    if t in (50000001, 50000002, 50000003):
                        if (*r[2:5], t) in begun:
                            took.append((r[5] - begun[(*r[2:5], t)], begun.pop((*r[2:5], t))))
                        if v:
                            begun[(*r[2:5], t)] = r[5]
            want = [(ticks * trace.unit, begin * trace.unit) for ticks, begin in sorted(took, reverse=True)]
            said = self.scope('report', path, '-q')[0].replace('\u00a0', ' ')
            rows = re.findall(r'^ +([\d.]+) (s|ms|µs|ns)  ([\d.]+) s +(.*)$', said[said.index('Longest calls that involve others'):].split('\n\n')[0], re.M)
            self.assertEqual(len(rows), min(10, len(want)), name)
            begins = collections.Counter(f'{begin / 1e9:.9f}' for ticks, begin in want if ticks >= want[len(rows) - 1][0])
            for (number, unit, begin, call), (ticks, _) in zip(rows, want):
                self.assertAlmostEqual(float(number) * {'s': 1e9, 'ms': 1e6, 'µs': 1e3, 'ns': 1}[unit], ticks, delta=ticks * .006 + 1, msg=(name, call))
                begins[f'{float(begin):.9f}'] -= 1
            self.assertTrue(all(n >= 0 for n in begins.values()), (name, rows))

    def stays(self, path):
        """Seconds by state, summed over threads, the most that one thread has of Running, and how many have some."""
        program = self.path('stays.eve', '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><component name="R" class="scope.paraver-reader" version="1"/>
<component name="S" class="scope.calls-simulator" version="1"/>
<component name="D" class="scope.state-durations" version="1"/>
<component name="C" class="scope.data-file" version="1"><setting name="file">stays.csv</setting></component>
<wire from="R" out="events" to="S" in="events"/><wire from="S" out="states" to="D" in="states"/>
<wire from="D" out="table" to="C" in="in"/></eve>''')
        out = self.path('out')
        self.scope('run', path, '--program', program, '--out', out)
        totals, most, n = {}, 0, 0
        with open(os.path.join(out, 'stays.csv'), encoding='utf-8') as f:
            for cells in csv.DictReader(f):
                if any('· calls' in str(v) for v in cells.values()):
                    continue
                for name, value in cells.items():
                    if name.endswith(' [s]'):
                        totals[name[:-4]] = totals.get(name[:-4], 0) + float(value or 0)
                running = float(cells.get('Running [s]') or 0)
                most = max(most, running)
                n += running > 0
        return totals, most, n

    def test_samples(self):
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        with open(os.path.join(SAMPLES, 'expected.jsonl'), encoding='utf-8') as lines:
            for expected in map(json.loads, lines):
                path = os.path.join(SAMPLES, os.path.basename(expected['path']))
                self.numbers(path, expected)

    def numbers(self, path, expected):
        info = self.info(path)
        trace = Trace(path, records=expected['event_pairs'] < 100000)
        kinds = {k['name']: k for k in info['kinds']}
        self.assertEqual(info['damaged'], expected['bad'], path)
        self.assertEqual(kinds['State']['begun'], expected['records'].get('1', 0), path)
        self.assertEqual(kinds.get('Receive', {'begun': 0})['begun'], expected['messages'], path)
        mine = {t: trace.label(t) for r in trace.records if r[0] == 2 for t in r[6::2]} or trace.labels
        pairs = sum(k['begun'] + (k['ended'] or 0) for k in info['kinds']
                    if k['name'] not in ('State', 'Send', 'Receive', 'Processor', 'EndOfTrace', *TOGETHER))
        if 'omp2' not in path:      # whose locks end without a record of their own
            self.assertEqual(pairs - self.replaced(trace), expected['event_pairs'], path)
        for t, count in expected['event_types']:
            kind = kinds.get(mine[t], {'begun': 0, 'ended': 0})
            lone = 0 if trace.meaning(t) == 'variable' else sum(1 for r in trace.records if r[0] == 2 for x, v in zip(r[6::2], r[7::2]) if x == t and v == 0)
            total = kind['begun'] + (kind['ended'] or 0)
            self.assertTrue(total == count or count - lone <= total < count, (path, t))
        self.calls(path, trace)
        if expected['messages']:
            sent = self.scope('events', path, '--json', '--kind', 'Send')[0].splitlines()
            self.assertEqual(sum(json.loads(line)['bytes'] for line in sent), expected['bytes'], path)
        # the end that the header tells is that of the trace, so what analysts compute of it comes out
        pop = expected['pop_from_state_1']
        runtime = pop['runtime'] / 1e9
        self.assertAlmostEqual(info['last'], runtime, places=9)
        totals, most, n = self.stays(path)
        for number, ns in expected['state_time']:
            self.assertAlmostEqual(totals.get(trace.states[number], 0), ns / 1e9, delta=1e-6 * ns / 1e9 + 1e-9, msg=(path, number))
        useful = totals['Running']
        self.assertAlmostEqual(100 * useful / n / most, pop['LB'], delta=2e-6 * 100, msg=path)
        self.assertAlmostEqual(100 * most / runtime, pop['CommE'], delta=2e-6 * 100, msg=path)
        self.assertAlmostEqual(100 * useful / n / runtime, pop['PE'], delta=2e-6 * 100, msg=path)

    def calls(self, path, trace):
        """Each call of MPI has the name of its value in the .pcf, as often as the file tells it."""
        for t in (50000001, 50000002, 50000003):
            want = collections.Counter(trace.values[t][v] for r in trace.records if r[0] == 2
                                       for x, v in zip(r[6::2], r[7::2]) if x == t and v != 0)
            if not want:
                continue
            told = map(json.loads, self.scope('events', path, '--json', '--kind', trace.label(t))[0].splitlines())
            self.assertEqual(collections.Counter(e['call'] for e in told if not e.get('end')), want, (path, t))

    def test_samples_at_random_instants(self):
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        names, long = (sorted(n for n in os.listdir(SAMPLES) if n.endswith(end)) for end in ('.prv', '.prv.gz'))
        # those that are packed are long: one of them by the seed, or all
        names += long if few(2) == 2 else random.Random(SEED).sample(long[:2], 1)
        for name in names:
            self.compare(os.path.join(SAMPLES, name), 2, f'{SEED} {name}')

    def test_any_of_its_files_opens_it(self):
        folder = self.path('folder')
        os.makedirs(folder)
        text = made(5)
        for name, content in (('t.prv', text), ('t.pcf', PCF), ('t.row', 'LEVEL THREAD SIZE 1\nthe first\n')):
            self.path(f'folder/{name}', content)
        of = {p: self.state(os.path.join(folder, p), '0.0000005')['hash'] for p in ('', 't.prv', 't.pcf', 't.row')}
        self.assertEqual(len(set(of.values())), 1, of)
        self.assertIn('the first', {t['id'] for t in self.info(folder)['tasks']})
        os.remove(os.path.join(folder, 't.prv'))
        self.path('folder/t.prv.gz', gzip.compress(text.encode()))
        self.assertEqual(self.state(os.path.join(folder, 't.pcf'), '0.0000005')['hash'], of[''])
        shutil.copy(os.path.join(folder, 't.prv.gz'), os.path.join(folder, 'other.prv.gz'))
        self.assertIn('2 Paraver traces', self.scope('info', folder, status=(1, 2))[1])
        self.path('alone.row', 'LEVEL CPU SIZE 1\ncpu\n')
        self.assertIn('beside it', self.scope('info', self.path('alone.row'), status=(1, 2))[1])

    def test_headers_of_other_tools(self):
        """Fractions, blanks, capitals, signs of an editor, an end that is not known yet: the dates are in the unit that is told."""
        body = '1:1:1:1:1:0:40:1\n1:1:1:2:1:20:100:3\n'
        for i, (header, unit, damaged) in enumerate([
                ('#Paraver (01/02/2010 at 03:04):100.000000_ns:1(2):1:2:(1:1,1:1)', 1, 0),
                ('#PARAVER (1/2/2010 at 3:4):100:1(2):1:2(1:1,1:1)', 1000, 0),
                ('#Paraver (01/02/10 at 03:04):00000000000000000000_ns:0:1:2(1:1,1:1)', 1, 0),
                ('#Paraver (01/02/10 at 03:04): 100_ms : 1(2) : 1 : 2(1:1, 1:1)', 10**6, 0),
                ('#Paraver (01/02/10 at 03:04):100_s:0:1:2(1,1)', 10**9, 0),
                ('\ufeff#Paraver (01/02/10 at 03:04):100_us:1(2):1:2(1:1,1:1):', 1000, 0),
                ('#Paraver (01/02/10 at 03:04):100_hour:1(2):1:2(1:1,1:1)', 1000, 1)]):
            path = self.put(f'header{i}', header + '\n' + body, pcf=None)
            info = self.info(path)
            threads = [t['id'] for t in info['tasks'] if t['id'].startswith('THREAD') and 'calls' not in t['id']]
            self.assertEqual((info['damaged'], threads, round(info['last'] * 1e9)), (damaged, ['THREAD 1.1.1', 'THREAD 1.2.1'], 100 * unit), header)
            nodes = {n['id']: n['State'] for n in self.state(path, f'{30 * unit / 1e9:.9f}')['nodes']}
            self.assertEqual((nodes['THREAD 1.1.1'], nodes['THREAD 1.2.1']), ('Running', 'Waiting a message'), header)
        self.assertIn('_hour', self.scope('info', path)[0])

    def test_the_one_call_of_a_type_has_its_own_name(self):
        """Only "Begin" says less than its type: a .pcf that knows but one call of MPI, or one function, names that."""
        pcf = PCF.replace('1   MPI_Send\n2   MPI_Recv\n10  MPI_Allreduce\n', '41  MPI_Sendrecv\n').replace('2 solve\n3 exchange\n', '')
        body = ('1:1:1:1:1:0:400:1\n2:1:1:1:1:10:40000001:1\n2:1:1:1:1:20:60000019:1\n2:1:1:1:1:30:50000001:41\n2:1:1:1:1:40:50000001:0\n'
                '2:1:1:1:1:50:60000019:0\n2:1:1:1:1:60:40000001:0\n')
        path = self.put('one', '#Paraver (27/11/2026 at 09:00):400_ns:1(1):1:1(1:1)\n' + body, pcf=pcf)
        for at, state in ((15, 'Application'), (25, 'main'), (35, 'MPI_Sendrecv'), (45, 'main'), (55, 'Application')):
            nodes = {n['id']: n['State'] for n in self.state(path, f'{at / 1e9:.9f}')['nodes']}
            self.assertIn(nodes['THREAD 1.1.1 · calls'], (state, state + ' (call)'), at)

    def waits(self, path):
        """Rows of the tables that the program of waits writes."""
        out, rows = self.path('waits'), {}
        self.scope('run', path, '--program', 'waits', '--out', out)
        for name in ('waits', 'tasks', 'causes'):
            with open(os.path.join(out, name + '.csv'), newline='', encoding='utf-8') as f:
                rows[name] = list(csv.DictReader(f))
        return rows

    def test_a_cause_is_told_once(self):
        """Calls beside the states of their thread are of the same time: what makes others wait in a group and for a message is one row."""
        states = [(1, 0, 900, 1), (1, 900, 1000, 13), (1, 1000, 1500, 1), (1, 1500, 1520, 4), (1, 1520, 3000, 1),
                  (2, 0, 100, 1), (2, 100, 1000, 13), (2, 1000, 1100, 1), (2, 1100, 1600, 3), (2, 1600, 3000, 1)]
        records = [(a, f'1:{k}:1:{k}:1:{a}:{b}:{state}') for k, a, b, state in states]
        for k, a, b, kind, value in ((1, 0, 3000, 40000001, 1), (2, 0, 3000, 40000001, 1), (1, 900, 1000, 50000002, 10), (2, 100, 1000, 50000002, 10),
                                     (1, 1500, 1520, 50000001, 1), (2, 1100, 1600, 50000001, 2)):
            more = ':50100001:8:50100002:8:50100004:1' if kind == 50000002 else ''
            records += [(a, f'2:{k}:1:{k}:1:{a}:{kind}:{value}{more}'), (b, f'2:{k}:1:{k}:1:{b}:{kind}:0')]
        records.append((1500, '3:1:1:1:1:1500:1510:2:1:2:1:1100:1550:8:0'))
        text = '\n'.join(['#Paraver (27/11/2026 at 09:00):3000_ns:1(2):1:2(1:1,1:1),1', 'c:1:1:2:1:2', *(line for _, line in sorted(records))]) + '\n'
        path = self.path('once.prv', text)
        self.path('once.pcf', 'EVENT_TYPE\n6 40000001 Application\nVALUES\n0 End\n1 Begin\n\nEVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n0 End\n'
                  '1 MPI_Send\n2 MPI_Recv\n\nEVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n0 End\n10 MPI_Allreduce\n')
        rows = self.waits(path)
        # 800 until the group is complete, then 400 until the message is sent: Running since the last meeting, less one's own
        self.assertEqual(sorted((row['kind'], round(float(row['waited [s]']) * 1e9)) for row in rows['waits']),
                         [('Late sender', 400), ('Wait at N x N', 800)])
        self.assertEqual([(row['task'], row['region'], *(round(float(row[k]) * 1e9) for k in ('direct [s]', 'indirect [s]'))) for row in rows['causes']],
                         [('THREAD 1.1.1', 'Running', 1200, 0)])

    @unittest.skipUnless(os.path.isdir(SAMPLES), 'the samples are not here')
    def test_waits_are_of_the_thread(self):
        """Each wait over time, and what makes others wait, is told of the thread, never of its calls besides."""
        path = os.path.join(SAMPLES, 'pypop-epoch_2proc.prv.gz')
        rows, each, waits = self.waits(path), collections.Counter(), collections.Counter()
        for row in rows['waits']:
            waits[row['task']] += float(row['waited [s]'])
        file = self.path('each.csv')
        self.scope('draw', path, '--program', 'waits', '--view', 'Each wait', '-o', file, '-q')
        with open(file, newline='', encoding='utf-8') as f:
            for row in csv.DictReader(f):
                each[row['owner']] += float(row['value [s]'])
        self.assertEqual(set(each), {'THREAD 1.1.1', 'THREAD 1.2.1'})
        for task, seconds in each.items():
            self.assertAlmostEqual(seconds, waits[task], delta=1e-6, msg=task)
        causes = [(row['task'], row['region']) for row in rows['causes']]
        self.assertEqual(len(causes), len(set(causes)))
        self.assertLessEqual({region for _, region in causes}, set(Trace(path).states.values()) | {'(before its first call)'})
        self.assertIn(('THREAD 1.1.1', 'Running'), causes)

    def test_states_in_no_order(self):
        """Records of a thread may be in no order of date: what each one computes is the same in waits, in the state graph and by hand."""
        for seed in range(few(12)):
            r = random.Random(seed)
            head = f'#Paraver (01/02/2024 at 10:11):5000_ns:0:1:3({",".join(["1:1"] * 3)})'
            runs, records = collections.Counter(), []
            for task in (1, 2, 3):
                begin = r.randint(0, 9)
                for _ in range(1 + seed % 2 * 40):
                    end, state = begin + r.choice([1, 5, 80]), r.choice([1, 1, 3, 9, 12, 13])
                    records.append(f'1:{task}:1:{task}:1:{begin}:{end}:{state}')
                    runs[f'THREAD 1.{task}.1'] += (end - begin) * (state == 1)
                    begin = end + r.choice([0, 0, 0, 7])
            r.shuffle(records)
            if seed == 0:
                records, runs = ['1:1:1:1:1:500:900:1', '1:1:1:1:1:100:500:9'], collections.Counter({'THREAD 1.1.1': 400})
            path = self.put(f'shuffled{seed}', '\n'.join([head, *records]) + '\n')
            waits = {row['task']: round(float(row['computing [s]']) * 1e9) for row in self.waits(path)['tasks'] if float(row['computing [s]'])}
            told = json.loads(self.scope('state', path, '--at', '5000e-9', '--json')[0])['times']
            state = {row['id']: round(row['spent'] * 1e9) for row in told if row['state'] == 'Running' and row['spent']}
            self.assertEqual([waits, state], [+runs] * 2, seed)

    def test_what_stands_behind_records(self):
        text = made(2)
        plain = self.put('plain', text)
        for name, behind in (('blanks', ' \t'), ('colon', ':'), ('crlf', '\r')):
            path = self.put(name, ''.join(line + (behind if line[:2] in ('1:', '2:', '3:') else '') + '\n' for line in text.splitlines()))
            self.assertEqual(self.info(path)['damaged'], 0, name)
            self.assertEqual(*(self.state(p, '0.000001')['hash'] for p in (plain, path)), name)

    def test_values_with_a_fraction(self):
        """Power meters write watts with a fraction; counters may be over 2^63; what is no number is damage."""
        r = random.Random(SEED)
        values = [r.choice([f'{r.uniform(-50, 300):f}', f'{r.uniform(1, 9):.3e}', str(r.randrange(10**6)), str(2**63 + r.randrange(2**62))])
                  for _ in range(40)]
        body = ''.join(f'2:0:1:1:1:{10 * i}:500000009:{value}\n' for i, value in enumerate(values))
        path = self.put('power', '#Paraver (27/11/2026 at 09:00):400_ns:1(1):1:1:(1:1)\n' + body, pcf=None)
        self.assertEqual(self.info(path)['damaged'], 0)
        for i in sorted(r.sample(range(40), few(8))):
            found = [n['Type 500000009'] for n in self.state(path, f'{(10 * i + r.randrange(10)) / 1e9:.9f}')['nodes'] if n.get('Type 500000009')]
            self.assertEqual(len(found), 1)
            self.assertAlmostEqual(float(found[0]) / float(values[i]), 1, 5)
        for bad in ('0x12', 'nan', '1e999', '5.5.5', '12abc', '.'):
            path = self.put('power-bad', f'#Paraver (27/11/2026 at 09:00):400_ns:1(1):1:1:(1:1)\n2:0:1:1:1:5:500000009:{bad}\n', pcf=None)
            self.assertEqual(self.info(path)['damaged'], 1, bad)

    def test_global_operations(self):
        """Records 4: of old traces tell of which communicator a call is; those of no call are told."""
        r, body, expected, t = random.Random(6), [], [], 0
        for i in range(40):
            call, group, root = r.choice([(7, 1, 1), (8, 1, 0), (9, 1, 2), (10, 2, 0), (10, 1, 0)])
            for task in (1, 2, 3) if group == 1 else (2, 3):
                who, begin, end = f'{task}:1:{task}:1', t + r.randrange(20), t + 20 + r.randrange(20)
                sent, received = r.randrange(999), r.randrange(999)
                body.append((begin, f'2:{who}:{begin}:50000002:{call}\n4:{who}:{begin}:{group}:{sent}:{received}:{call}:{int(root == task)}'))
                body.append((end, f'2:{who}:{end}:50000002:0'))
                name = {7: 'Bcast', 8: 'Barrier', 9: 'Reduce', 10: 'Allreduce'}[call]
                expected.append((begin * 1000, name, f'THREAD 1.{task}.1', f'communicator {group}', sent, received,
                                 f'THREAD 1.{task}.1' if root == task else None))
            t += 50
        text = f'#Paraver (26/01/04 at 16:35):{t}:4:1:3(1:1,1:2,1:3),2\nc:1:1:3:1:2:3\nc:1:2:2:2:3\n'
        text += '\n'.join(line for _, line in sorted(body, key=lambda b: b[0])) + '\n'
        path = self.put('global', text, pcf=None)
        self.assertEqual(self.info(path)['damaged'], 0)
        shown = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        shown = [(round(e['t'] * 1e9), e['kind'], e['task'], e['group'], e['bytes'], e['received'], e['root'])
                 for e in shown if e['kind'] in {x[1] for x in expected} and not e.get('end')]
        self.assertEqual(sorted(shown), sorted(expected))
        lost = self.info(self.put('lost', text + f'4:1:1:1:1:{t}:1:0:0:7:0\n4:1:1:1\n', pcf=None))
        self.assertEqual(lost['damaged'], 2)

    def test_the_last_date_there_is(self):
        """A fraction behind it does not make it the first one."""
        path = self.put('last', '#Paraver (26/01/04 at 16:35):100_ns:0:1:1(1)\n1:1:1:1:1:10:9223372036854775807.9:1\n', pcf=None)
        self.assertIn('from 10 to 9223372036854775807', self.info(path)['damage'][0]['reason'])

    def test_ends_without_a_name(self):
        """A .pcf that names what begins alone, as some converters and users write it: 0 ends it nevertheless."""
        pcf = 'EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n1 MPI_Send\n2 End\n\nEVENT_TYPE\n6 1000 Phase\nVALUES\n1 setup\n2 solve\n'
        pcf += '\nEVENT_TYPE\n6 1001 Level\nVALUES\n1 low\n2 high\n'
        text = '#Paraver (26/01/04 at 16:35):100_ns:0:1:1(1)\n'
        for t, kind, value in ((5, 1000, 1), (10, 50000001, 1), (20, 50000001, 0), (30, 1000, 0), (40, 1000, 2), (50, 1001, 2), (60, 1000, 0)):
            text += f'2:0:1:1:1:{t}:{kind}:{value}\n'
        path = self.put('unnamed', text, pcf)
        for at, state in ((7, 'setup'), (15, 'MPI_Send'), (25, 'setup'), (35, 'No state'), (55, 'solve'), (65, 'No state')):
            (state_of,) = (n['State'] for n in self.state(path, f'{at / 1e9:.9f}')['nodes'] if n['Type'] == 'Thread')
            self.assertEqual(state_of, state, at)
        self.compare(path, 5, 3)

    def test_travel_and_packing(self):
        self.check_travel_and_packing('t.prv', made(8).encode(), ('0.000001', '0.000002'))

    def test_damage(self):
        text = made(4)
        sound = self.info(self.put('sound', text))
        line = text.count('\n') + 1
        for i, (bad, word, damaged) in enumerate([
                ('1:1:1:1:1:5', 'a begin, an end', 1), ('1:1:1:1:1:9:5:1', 'no state can be', 1), ('2:1:1:1:1:x:5:1', 'no date', 1),
                ('2:0:1:1:1:5', 'no event', 1), ('2:1:0:1:1:5:1:1', 'from 1', 1), ('2:1:1:1', 'who it is of', 1),
                ('3:1:1:1:1:5:5:1:1:1:1:7', 'two dates', 1), ('3:1:1:1:1:5:5:1:1:1:1:7:7:-9:1', '-9 bytes', 1),
                ('nonsense', 'no record', 1), ('4:1:1:1:1:5', '1 global operation (4:) is', 1),
                ('3:1:1:1:1:5:5:1:1:1:1:7:7777777777777777777:9:1', 'no date', 1)]):
            path = self.put(f'bad{i}', text + bad + '\n')
            shown = self.scope('info', path)[0]
            self.assertIn(word, shown)
            if '4:' not in bad:
                self.assertIn(f'line {line}', shown)
            self.assertEqual((self.info(path)['damaged'], self.info(path)['events']), (damaged, sound['events']), bad)
        path = self.put('half', text + '2:1:1:1:1:5:42000050:7:42000059:x\n')
        self.assertEqual(self.info(path)['events'] - sound['events'] in (1, 2), True)
        self.check_damage('t.prv', text.encode(), changed=15)
        r = random.Random(3)
        lines = text.splitlines(keepends=True)
        for _ in range(5):
            r.shuffle(lines)
            self.scope('info', self.path('shuffled.prv', ''.join([text.splitlines(keepends=True)[0]] + lines)), status=(0, 1))
        for header in ('#Paraver (x):10:1(1):1:1(4000000000:1)', '#Paraver (x):10:99999999999(1):1:1(1:1)', '#Paraver (x):',
                       '#Paraver (x):99999999999999999999_ns:0:4000000000:1(1:1)', '#Paraver (x',
                       '#Paraver (x):10:0:1:999999999(1:1)', '#Paraver (x):10:0:1:1(' + '1:1,' * 200000 + '1:1)'):
            self.scope('info', self.path('header.prv', header + '\n1:1:1:1:1:0:5:1\n'), status=(0, 1))
        for pcf in ('STATES\nx y\n', 'EVENT_TYPE\n0 99999999999 a\n', 'VALUES\n1 a\n', 'EVENT_TYPE\n0 1 \xff\nVALUES\n5\n'):
            self.path('header.pcf', pcf)
            self.scope('info', self.path('header.prv', text), status=(0, 1))

    def test_more_types_than_are_told_apart(self):
        """All of a type have a kind, up to a bound; beyond it they are counted as one, and where that begins is said."""
        head = '#Paraver (01/02/24 at 10:11):900000_ns:1(1):1:1(1:1)\n'
        types = [100 + i for i in range(20050)] + [100, 20149, 20150, 100]
        path = self.path('many.prv', head + ''.join(f'2:1:1:1:1:{i}:{t}:7\n' for i, t in enumerate(types)))
        info = self.info(path)
        begun = {k['name']: k['begun'] for k in info['kinds']}
        apart = [t for t in types if f'Type {t}' in begun]
        self.assertEqual(apart, types[:len(apart) - 2] + [100, 100])
        self.assertEqual((begun['Type 100'], begun['Type 101']), (3, 1))
        self.assertEqual(begun['Type 0'], len(types) - len(apart))
        self.assertEqual(info['damaged'], 0)
        first = 2 + len(apart) - 2
        self.assertRegex(self.scope('info', path)[0], f'line {first}\\b.*more than 20000 types.*“Type 0”')
        few_types = self.path('few.prv', head + ''.join(f'2:1:1:1:1:{i}:{t}:7\n' for i, t in enumerate(types[:first - 2])))
        self.assertNotIn('more than', self.scope('info', few_types)[0])

    @unittest.skipUnless(os.path.isdir(SAMPLES), 'the samples are not here')
    def test_report_counts_what_ended(self):
        """Begin and end are records of their own here: what ended did, once, and values of variables are no bytes."""
        path, out = os.path.join(SAMPLES, 'pypop-epoch_2proc.prv.gz'), self.path('report')
        self.scope('report', path, '-o', out)
        with open(os.path.join(out, 'report.txt')) as f:
            text = f.read()
        kinds = {k['name']: k['begun'] for k in self.info(path)['kinds']}
        self.assertNotIn('never ended', text)
        self.assertRegex(text, f'MPI Point-to-point +{kinds["MPI Point-to-point"]} ')
        self.assertNotRegex(text, r'PAPI_TOT_INS .*[kMGTP]?B\b')


main()
