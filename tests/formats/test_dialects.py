#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools write and no sample has, of formats of which few files are left: all that must be seen is known beforehand."""
import csv
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ctf                                                                                       # noqa: E402
from formats import Format, few, main, samples                                              # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '1'))


class Dialects(Format):
    def at(self, path, date, *names):
        """By node: the values of these attributes."""
        return {n['id']: tuple(n[name] for name in names) for n in self.state(path, f'{date:.9f}')['nodes']}

    def test_paraver_of_other_systems(self):
        """The old first line, lines that end with two bytes, three applications whose tasks are on other nodes, processors, a .row that
        tells less than all, a .pcf with colours and without values."""
        text = ('new format\n#Paraver (05/11/2019 at 09:05):500_ms:3(4,4,4):3:2(2:1,1:2):1(3:3):1(1:3),3\nc:1:1:2:1:2\nc:1:2:1:1\nc:2:1:1:1\n# a remark\n'
                '1:1:1:1:1:0:100:1\n1:2:1:1:2:0:200:2\n1:5:1:2:1:0:500:1\n1:9:2:1:3:10:20:13\n1:10:3:1:1:0:-1:1\n'
                '2:9:2:1:3:15:50000002:8:50100004:1\n2:9:2:1:3:18:50000002:0\n3:1:1:1:1:30:40:5:1:2:1:35:60:1024:7\n'
                '2:1:1:1:1:100:42000050:123456789012:42000059:18446744073709551615:50000001:2:50000001:0\n')
        pcf = ('DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\n\nSTATES\n0\tIdle\n1\tRunning\n\n\nSTATES_COLOR\n1 {0,0,255}\n\nGRADIENT_COLOR\n0 {0,255,2}\n\n'
               'GRADIENT_NAMES\n0 Gradient 0\n\nEVENT_TYPE\n7 42000050 Instructions\n7 42000059 Cycles\n')
        row = 'LEVEL CPU SIZE 12\n' + ''.join(f'CPU {i}\n' for i in range(12)) + '\nLEVEL NODE SIZE 3\nn1\nn2\nn3\n\nLEVEL THREAD SIZE 5\nmain\n\nthird\n'
        hashes = set()
        for i, end in enumerate(('\n', '\r\n')):
            for name, what in (('prv', text), ('pcf', pcf), ('row', row)):
                path = self.path(f'other{i}.{name}', what.replace('\n', end).encode())
            path = path[:-3] + 'prv'
            info = self.info(path)
            self.assertEqual((info['format'], info['damaged'], info['last']), ('paraver', 0, .5))
            hosts = {t['id']: t['host'] for t in info['tasks']}
            self.assertEqual([hosts[n] for n in ('main', 'THREAD 1.1.2', 'third', 'THREAD 2.1.3', 'THREAD 3.1.1')], ['n1', 'n1', 'n2', 'n3', 'n3'])
            shown = self.at(path, .015, 'State', 'Processor')
            self.assertEqual([shown[n] for n in ('main', 'THREAD 1.1.2', 'third', 'THREAD 2.1.3', 'THREAD 3.1.1')],
                             [('Running', '1'), ('Not created', '2'), ('Running', '5'), ('Group Communication', '9'), ('Running', '10')])
            self.assertEqual(shown['THREAD 2.1.3 · calls'][0], 'MPI_Barrier')
            whole = self.state(path, '0.5')
            self.assertEqual([(e['from'], e['to'], e['TotalTraffic']) for e in whole['edges']], [('main', 'third', '1024')])
            self.assertEqual([(int(n['Instructions']), f"{float(n['Cycles']):.12g}") for n in whole['nodes'] if n['id'] == 'main'], [(123456789012, f'{2.0 ** 64:.12g}')])
            hashes.add(whole['hash'])
        self.assertEqual(len(hashes), 1)

    def test_picl_with_whole_dates(self):
        """As "%g" writes them; nodes join late, ends are missing, subsets are defined in between."""
        lines = ['-3 -901 0 0 0 0', '-3 -901 0 1 0 0', '-3 -21 1 0 0 3 2 100 5 1', '-4 -21 2 0 0 0', '-202 -812 2 -1 -1 3 2 9 0 1', '-3 -52 1 1 0 2 2 5 0',
                 '-4 -52 3 1 0 3 2 100 5 0', '-3 -901 3 7 0 0', '-3 -402 3.5 7 0 0', '-3 7 4 1 0 0', '-4 7 1e+01 1 0 0', '-4 -901 12 0 0 0']
        path = self.path('whole.trf', '\n'.join(lines) + '\n')
        info = self.info(path)
        self.assertEqual((info['format'], info['damaged'], info['last']), ('picl', 0, 12))
        for date, states in ((.5, ('Busy', 'Busy', None)), (1.5, ('Overhead', 'Idle', None)), (2.5, ('Busy', 'Idle', None)), (3.2, ('Busy', 'Busy', 'Busy')),
                             (11, ('Busy', 'Busy', 'Idle')), (12, ('Not traced', 'Busy', 'Idle'))):
            shown = self.at(path, date, 'State')
            self.assertEqual(tuple(shown.get(f'node {n}', (None,))[0] for n in (0, 1, 7)), states, date)
        self.assertEqual(self.at(path, 5, 'State')['node 1 · calls'], ('user 7',))
        self.assertEqual([(e['Messages'], e['TotalTraffic']) for e in self.state(path, '12')['edges']], [('1', '100')])

    def test_picl_acts_together(self):
        """Who waits for whom at barriers and for roots, of all nodes and of subsets, however many are in one; of old traces at barriers."""
        r, nodes, lines, t = random.Random(SEED), 70, [], 0.
        lines += [(0, f'-3 -901 0.0 {n} 0 0') for n in range(nodes)]
        big = sorted(r.sample(range(nodes), 66))
        lines += [(.001, f'-202 -812 0.001 -1 -1 {len(m) + 1} 2 {i} ' + ' '.join(map(str, m))) for i, m in ((5, big), (6, [1, 4, 9]))]
        for i, m in ((5, big), (6, [1, 4, 9])):                     # each of its nodes may tell it again, in an order of its own, and one of them twice
            for k, n in enumerate(m):
                told = r.sample(m, len(m)) + [n] * (k % 2)
                lines += [(.002 + k / 1e6, f'-202 -812 {.002 + k / 1e6:.6f} {n} 0 {len(told) + 1} 2 {i} ' + ' '.join(map(str, told)))]
        waits = {'Wait at barrier': 0., 'Late root': 0.}
        for _ in range(12):
            t += 1
            code, subset = r.choice([-402, -785]), r.choice([-1, 5, 6])
            members = {-1: list(range(nodes)), 5: big, 6: [1, 4, 9]}[subset]
            came = {n: round(t + r.random() / 4, 6) for n in members}
            root = r.choice(members)
            until = max(came.values()) if code == -402 else came[root]
            waits['Wait at barrier' if code == -402 else 'Late root'] += sum(max(until - came[n], 0) for n in members)
            for n in members:
                data = f'1 2 {subset}' if code == -402 else f'3 2 64 {root} {subset}'
                lines += [(came[n], f'-3 {code} {came[n]:.6f} {n} 0 {data}'), (t + .5, f'-4 {code} {t + .5:.6f} {n} 0 0')]
        lines += [(t + 1, f'-4 -901 {t + 1:.1f} {n} 0 0') for n in range(nodes)]
        lines += [(t + .9, f'-202 -812 {t + .9:.6f} 4 0 4 2 6 1 9 5')]
        path = self.path('groups.trf', '\n'.join(line for _, line in sorted(lines, key=lambda x: x[0])) + '\n')
        self.assertEqual(self.info(path)['damaged'], 0)
        members = {e['group']: e['members'] for e in map(json.loads, self.scope('events', path, '--kind', 'Group', '--json')[0].splitlines())}
        self.assertEqual({g: len(m) for g, m in members.items()}, {'all nodes': nodes, 'subset 5': 66, 'subset 6': 3, 'subset 6 (2)': 3})
        self.assertEqual(members['subset 6'], [f'node {n} · calls' for n in (1, 4, 9)])
        self.check_waits(path, waits)
        came = [(.1, .3, .2), (.9, .5, .8)]
        old = [f'{kind} 0 {date} {n} {data}' for n in range(3) for kind, date, data in
               [(1, 0, '1 1 1'), *(x for step, at in enumerate(came) for x in ((20, int(at[n] * 1e6), '-1 0 0'), (21, int((step * .5 + .45) * 1e6), '-1 0 0')))]]
        self.check_waits(self.path('groups.old', '\n'.join([*old, '4 0 10 -32768 0 1 5']) + '\n'), {'Wait at barrier': sum(max(a) - x for a in came for x in a)})

    def test_picl_splits(self):
        """Processors are split again and again, and all groups have one number: a call is of the group that the processor itself has told, or
        that somebody has told who counts it among its members."""
        r, nodes, t, sets, wait, lines = random.Random(SEED), list(range(9)), 0., set(), 0., [(0, f'-3 -901 0.0 {n} 0 0') for n in range(9)]
        for step in range(10):
            t += 1
            r.shuffle(nodes)
            cuts = sorted(r.sample(range(1, 9), r.randrange(1, 4)))
            groups = [nodes[a:b] for a, b in zip([0, *cuts], [*cuts, 9])]
            told = [(n, g) for g in groups for n in (g if step else g[:1])]     # the first time one of each group tells it
            r.shuffle(told)
            for k, (n, g) in enumerate(told):
                lines += [(t + k / 1e6, f'-202 -812 {t + k / 1e6:.6f} {n} 0 {len(g) + 1} 2 6 ' + ' '.join(map(str, r.sample(g, len(g)))))]
            for g in groups:
                sets.add(frozenset(g))
                came = {n: round(t + .1 + r.random() / 4, 6) for n in g}
                wait += sum(max(came.values()) - c for c in came.values())
                for n, at in came.items():
                    lines += [(at, f'-3 -402 {at:.6f} {n} 0 1 2 6'), (t + .5, f'-4 -402 {t + .5:.6f} {n} 0 0')]
        lines += [(t + 1, f'-4 -901 {t + 1:.1f} {n} 0 0') for n in range(9)]
        path = self.path('splits.trf', '\n'.join(line for _, line in sorted(lines, key=lambda x: x[0])) + '\n')
        self.assertEqual(self.info(path)['damaged'], 0)
        told = [e['members'] for e in map(json.loads, self.scope('events', path, '--kind', 'Group', '--json')[0].splitlines())]
        self.assertEqual({frozenset(int(m.split()[1]) for m in members) for members in told}, sets)
        self.assertEqual(len(told), len(sets))
        self.check_waits(path, {'Wait at barrier': wait})

    def check_waits(self, path, waits):
        """Seconds by kind of wait, as the table of the program has them."""
        out, got = self.path(os.path.basename(path) + '-waits'), {kind: 0. for kind in waits}
        self.scope('run', path, '--program', 'waits', '--out', out)
        with open(os.path.join(out, 'waits.csv'), encoding='utf-8', newline='') as f:
            for row in csv.DictReader(f):
                got[row['kind']] = got.get(row['kind'], 0) + float(row['waited [s]'])
        self.assertEqual(set(got), set(waits))
        for kind, seconds in waits.items():
            self.assertAlmostEqual(got[kind], seconds, delta=1e-6 * max(1, seconds), msg=(path, kind))

    def test_sddf_with_other_units_and_types(self):
        """Sizes and tags that are real numbers, dates in ticks, what leaves without saying what, records of the same name in two forms."""
        r, t, out = random.Random(SEED), 0, []
        out.append('SDDFA\n#1: "enter" { int "ticks"; int "pe"; char "what"[]; };;\n#2: "exit" { int "ticks"; int "pe"; };;\n'
                   '#3: "out" { int "ticks"; int "pe"; float "to"; double "length"; float "kind"; };; #4: "in" { int "ticks"; int "pe"; float "of"; char "length"[]; };;\n')
        stacks, known, sent, received = {0: [], 1: []}, {}, {0: 0, 1: 0}, 0
        for _ in range(150):
            t += r.choice([1, 3, 250])
            pe = r.randrange(2)
            do = r.randrange(3)
            if do == 0:
                stacks[pe].append(r.choice(['solve', 'wait', 'exit']))
                out.append(f'"enter" {{ {t}, {pe}, [{len(stacks[pe][-1]) + 1}] {{ "{stacks[pe][-1]}" }} }};;\n')
            elif do == 1 and stacks[pe]:
                stacks[pe].pop()
                out.append(f'"exit" {{ {t}, {pe} }};;\n')
            elif do == 2:
                size = r.randrange(10**6)
                sent[pe] += size
                received += 1
                out.append(f'"out" {{ {t}, {pe}, {1 - pe}.0, {size}.0, 7.0 }};;"in" {{ {t}, {1 - pe}, {pe}.0, [{len(str(size))}] {{ "{size}" }} }};;\n')
            known[t] = {k: v[-1] if v else 'No state' for k, v in stacks.items()}, dict(sent), received
        path = self.path('ticks.sddf', ''.join(out))
        rules = '[*]\ntime=ticks\ntask=pe\nunit={}\n[enter]\ndoes=enter\nstate=what\n[exit]\ndoes=leave\n[out]\ndoes=send\npeer=to\nsize=length\n'
        rules += '[in]\ndoes=receive\npeer=of\nsize=length\n'
        for unit, each in (('ms', 1000), ('250', 250), ('us', 10**6)):
            self.path('ticks.sddf.map', rules.format(unit))
            info = self.info(path)
            self.assertEqual((info['damaged'], info['damage'], round(info['last'] * each)), (0, [], t))
            for at in r.sample(sorted(known), few(4)):
                states, sizes, n = known[at]
                state = self.state(path, f'{at / each:.9f}')
                for node in state['nodes']:
                    self.assertEqual(node['State'], states[int(node['id'][-1])], (unit, at))
                self.assertEqual({int(e['from'][-1]): int(e['TotalTraffic']) for e in state['edges']}, {k: v for k, v in sizes.items() if v}, at)
                self.assertEqual(sum(int(e['Messages']) for e in state['edges']), n)
        self.assertNotIn('state', [json.loads(x) for x in self.scope('events', path, '--kind', 'exit', '--json')[0].splitlines()][0])
        self.path('ticks.sddf.map', rules.format('ms').replace('size=length', 'size=lenght') + '[*]\nunit=hours\n')
        told = [d['reason'] for d in self.info(path)['damage']]
        self.assertEqual([any(word in reason for reason in told) for word in ('“lenght”, which is no field', 'not “hours”')], [True, True], told)

    def test_records_that_their_names_tell(self):
        """Without a map: of two records whose names differ as start and end the one begins what the other ends, with the number of what it is; who sends and
        receives is told by names of fields."""
        r, out, date = random.Random(SEED), ['SDDFA\n/*\n * "Simulated Trace" "Version 1.0"\n */ ;;\n\n'], 0
        common = '// "Time" "Time of it"\n\tdouble\t"time stamp";\n\tint\t"node";\n\tint\t"pid";\n'
        kinds = {'msgp idle start': '', 'msgp idle end': '', 'task begin': '\tint "task id";\n', 'task end': '\tint "task id";\n', 'HDF Procedure Entry Trace': '\tint "Event Identifier";\n',
                 'HDF Procedure Exit Trace': '\tint "Event Identifier";\n', 'NX send': '\tint "msg type";\n\tint "msg length";\n\tint "dest node";\n',
                 'NX recv': '\tint "msg type";\n\tint "msg length";\n\tint "source node";\n', 'send overhead start': '', 'monitor': '\tint "clock frequency";\n'}
        out += [f'#{40 + i}:\n"{name}" {{\n\t{common}{fields}}};;\n\n' for i, (name, fields) in enumerate(kinds.items())]
        stacks, known, received, flying = {p: [] for p in range(3)}, {}, Counter(), []
        for _ in range(250):
            date += r.choice([1, 4, 50])
            node = r.randrange(3)

            def put(name, who, *more):
                out.append(f'"{name}" {{ {", ".join([f"{date / 1000:f}", str(who), str(who + 70), *map(str, more)])} }};;\n\n')
            do = r.randrange(5)
            if do < 2 and len(stacks[node]) < 5:
                name, number = r.choice([('msgp idle start', None), ('task begin', r.randrange(4)), ('HDF Procedure Entry Trace', r.randrange(9))])
                stacks[node].append({'m': 'msgp idle', 't': f'task {number}', 'H': 'HDF Procedure Trace'}[name[0]])
                put(name, node, *([] if number is None else [number]))
            elif do == 2 and stacks[node]:
                state = stacks[node].pop()
                put({'m': 'msgp idle end', 't': 'task end', 'H': 'HDF Procedure Exit Trace'}[state[0]], node, *{'m': [], 't': [state[5:]], 'H': [-1]}[state[0]])
            elif do == 3:
                other, size = (node + r.randrange(1, 3)) % 3, r.randrange(1000)
                put('NX send', node, 7, size, other)
                flying.append((node, other, size))
            elif flying:
                source, to, size = flying.pop(0)
                received[f'node {source}', f'node {to}'] += size
                put('NX recv', to, 7, size, source)
            put('send overhead start', node)                # nothing of its name ends: it is noted
            known[date] = {f'node {p}': (s[-1] if s else 'No state', len(s)) for p, s in stacks.items()}, dict(received)
        path = self.path('told.sddf', ''.join(out))
        info = self.info(path)
        self.assertEqual((info['damaged'], info['damage'], round(info['last'] * 1000)), (0, [], date))
        for at in r.sample(sorted(known), few(8)):
            states, bytes_received = known[at]
            state = self.state(path, f'{at / 1000:f}')
            self.assertEqual({n['id']: (n['State'], int(n['Depth'])) for n in state['nodes'] if n['id'] in states and n['State'] != 'Unseen'},
                             {k: v for k, v in states.items() if k in {n['id'] for n in state['nodes'] if n['State'] != 'Unseen'}}, at)
            self.assertEqual({(e['from'], e['to']): int(e['TotalTraffic']) for e in state['edges'] if int(e['TotalTraffic'])}, {k: v for k, v in bytes_received.items() if v}, at)
        self.path('told.sddf.map', '[task begin]\ndoes=mark\n[task end]\ndoes=mark\n')      # a map says more than names
        self.assertNotIn('task 1', self.scope('state', path, '--at', str(date / 1000), '--json')[0])

    def test_who_is_in_no_state_but_talks(self):
        """A process of which messages are all that is known has its row; cables, between which links take no time, have none.  Who loses
        nothing is not said to be limited by something."""
        text = ('SDDFA\n#1: "in" { double "Seconds"; int "PE"; char "what"[]; };;\n#2: "out" { double "Seconds"; int "PE"; };;\n'
                '#3: "send" { double "Seconds"; int "PE"; int "to"; };;\n#4: "receive" { double "Seconds"; int "PE"; int "of"; };;\n'
                '"in" { 0, 0, [5] { "solve" } };;"send" { 1, 0, 1 };;"receive" { 2, 1, 0 };;"send" { 3, 2, 3 };;"receive" { 3, 3, 2 };;"out" { 4, 0 };;\n')
        path, rows = self.path('talk.sddf', text), self.path('rows.csv')
        self.path('talk.sddf.map', '[in]\ndoes=enter\nstate=what\n[out]\ndoes=leave\n[send]\ndoes=send\npeer=to\n[receive]\ndoes=receive\npeer=of\n')
        self.scope('draw', path, '--view', 'Space-time', '-o', rows)
        with open(rows, encoding='utf-8', newline='') as f:
            names = {row['task'] for row in csv.DictReader(f)}
        self.assertEqual(names, {'PE 0', 'PE 1'})
        self.scope('report', path, '-o', self.path('report'))
        with open(self.path('report/report.txt'), encoding='utf-8') as f:
            told = ' '.join(f.read().split())
        self.assertIn('so that nothing limits it', told)
        self.assertNotIn('limits it most', told)

    def test_alog_of_steps(self):
        """States of which one begins where another ends, and states that one number ends; a colour, a bitmap, and neither."""
        lines = ['-1 0 0 0 0 0 a program of 1991', '-3 0 0 2 0 0', '-13 0 1 2 0 0 red:gray3 step one', '-13 0 2 3 0 0 blue step two', '-13 0 4 6 0 0 green:boxes read',
                 '-13 0 5 6 0 0 : write', '-13 0 8 8 0 0 pink toggle', '-9 0 0 9 0 0 a mark',
                 '1 0 0 0 0 100', '4 1 1 0 0 110', '5 1 1 7 0 120 deep', '2 0 0 0 0 200', '6 1 1 0 0 210', '3 0 0 0 0 300', '6 1 1 0 0 310', '8 0 0 0 0 400',
                 '9 1 1 5 0 410', '8 0 0 0 0 500', '-101 0 0 1 0 600 17 80', '-102 1 1 0 0 700 17 80']
        path = self.path('steps.log', '\n'.join(lines) + '\n')
        info = self.info(path)
        self.assertEqual((info['format'], info['damaged'], info['damage']), ('alog', 0, []))
        for us, states in ((150, ('step one', 'write')), (205, ('step two', 'write')), (250, ('step two', 'read')), (350, ('Computing', 'Computing')),
                           (450, ('toggle', 'Computing')), (550, ('Computing', 'Computing'))):
            shown = self.at(path, us / 1e6, 'State')
            self.assertEqual((shown['process 0'][0], shown['process 1'][0]), states, us)
        self.assertEqual([(e['Messages'], e['TotalTraffic']) for e in self.state(path, '0.0007')['edges']], [('1', '80')])

    def test_ctf_that_ends_its_library(self):
        """A clock without a frequency, by which libbabeltrace2 divides by zero; dates that cannot
        be counted."""
        folder = self.path('ctf')
        for was, becomes, said in (('', '', 'ctf'), ('freq = ', 'fseq = ', 'divides by zero'), ('offset_s = 100;', 'offset_s = 9223372036;', 'nanoseconds')):
            os.makedirs(folder)
            ctf.make(folder, random.Random(SEED), n=40)
            with open(os.path.join(folder, 'metadata'), encoding='utf-8') as f:
                text = f.read()
            with open(os.path.join(folder, 'metadata'), 'w', encoding='utf-8') as f:
                f.write(text.replace(was, becomes, 1))
            told = ''.join(self.scope('info', folder, status=(0, 1)))
            if 'libbabeltrace2-dev' in told:
                self.skipTest('built without the library')
            self.assertIn(said, told)
            self.assertNotIn('gives up' if said != 'divides by zero' else 'was loaded', told)
            shutil.rmtree(folder)

    def test_graphs_of_any_names(self):
        """What is written as DOT is read by its own program, and shows the names, wherever their backslashes and marks are."""
        names = ['ends with \\', 'a\\"b', '\\\\', '"', 'two\\\\"', '\\N \\G', 'line\\n', 'x\\\\\\']
        prv = f'#Paraver (01/02/2024 at 10:11):100_ns:0:1:{len(names)}(' + ','.join('1' for _ in names) + ')\n'
        prv += ''.join(f'1:0:1:{i + 1}:1:0:100:1\n' for i in range(len(names))) + '3:0:1:1:1:5:6:0:1:2:1:7:8:100:1\n'
        path = self.path('names.prv', prv)
        self.path('names.row', f'LEVEL THREAD SIZE {len(names)}\n' + '\n'.join(names) + '\n')
        dot = self.scope('state', path, '--at', '0.00000005', '--dot')[0]
        if not shutil.which('dot'):
            self.skipTest('there is no dot')
        read = subprocess.run(['dot', '-Tjson', '-Gsplines=false'], input=dot, capture_output=True, text=True, timeout=60)
        self.assertEqual((read.returncode, read.stderr), (0, ''))
        shown = [o['name'] for o in json.loads(read.stdout)['objects']]
        self.assertTrue(set(names[:2]) <= {n.replace('\\\\', '\\') for n in shown}, shown)
        self.assertTrue({'"', '\\N \\G', 'line\\n'} <= set(shown), shown)
        self.assertEqual(len([n for n in shown if n.startswith(('Application', 'Task'))]), len(shown) - len(names))

    def test_export_beside_folders_with_traces(self):
        """What is written beside a folder that is a trace replaces nothing of it; inside of it, it might."""
        sample = os.path.join(samples('ctf'), 'babeltrace', 'succeed', 'sequence')
        if not os.path.isdir(sample):
            self.skipTest('the samples are not here')
        above, own = self.path('above'), self.path('above/own')
        shutil.copytree(sample, own)
        self.assertEqual(self.info(above)['format'], 'ctf')
        path = self.path('t.prv', '#Paraver (01/02/2024 at 10:11):100_ns:0:1:1(1)\n1:0:1:1:1:0:100:1\n')
        for name in ('one.paje', 'two.paje'):
            self.scope('export', path, '-o', os.path.join(above, name))
        self.assertIn('is a trace', self.scope('export', path, '-o', os.path.join(own, 'one.paje'), status=1)[1])
        self.assertEqual(sorted(os.listdir(above)), ['one.paje', 'own', 'two.paje'])


main()
