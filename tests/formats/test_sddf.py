#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SDDF: records of PVM's tracer at random instants beside a second computation (sddf.py), other records by a map, damage."""
import csv
import json
import os
import random
import re
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main, samples
from sddf import Model, records, tid, today                                                                 # noqa: E402

SAMPLES = samples('sddf')
ALL = ['int TS', 'int TU', 'int TID']
KINDS = {'host_add(0)': ['char HN[]', 'char HA[]', 'int HSP'], 'host_sync(0)': ['int HDS', 'int HDU'], 'newtask(0)': ['int PT', 'char TN[]'],
         'endtask(0)': ['int TST'], 'output(0)': ['char OS[]'], 'send(0.0)': ['int MNB', 'int DST', 'int MC'], 'send(1.1)': ['int CC'],
         'mcast(0.0)': ['int MNB', 'int MC', 'int MDL[]'], 'mcast(1.1)': ['int CC'], 'recv(0.0)': ['int RST', 'int RMC'], 'psend(0.0)': ['int DST', 'int MC', 'int PDA', 'int PC', 'int PDT'], 'psend(1.1)': ['int CC'],
         'recv(1.1)': ['int MB', 'int MNB', 'int MC', 'int SRC'], 'barrier(0.0)': ['char GN[]', 'int GC'], 'barrier(1.1)': ['int CC']}


# What tracers of PVM 3.3 wrote for it: which of the values, and what the field is called. The dst of a signal gets no message.
OLD = {'host_add(0)': ('host_add', {'char name[]': 0, 'char alias[]': 0, 'char arch[]': 1, 'int speed': 2}), 'host_sync(0)': ('host_sync', {'int dsec': 0, 'int dusec': 1}),
       'newtask(0)': ('newtask', {'int ptid': 0, 'int host': None, 'int flags': None, 'char aout[]': 1}), 'endtask(0)': ('endtask', {'int status': 0, 'int usersec': None}),
       'output(0)': ('output', {'char out[]': 0}), 'send(0.0)': ('send0', {'int dst': 1, 'int code': 2}), 'send(1.1)': ('send1', {'int cc': 0}),
       'psend(0.0)': ('psend0', {'int dst': 0, 'int code': 1, 'int addr': 2, 'int length': 3, 'int type': 4}), 'psend(1.1)': ('psend1', {'int cc': 0}),
       'mcast(0.0)': ('mcast0', {'int count': None, 'int code': 1, 'int tids[]': 2}), 'mcast(1.1)': ('mcast1', {'int cc': 0}), 'recv(0.0)': ('recv0', {'int src': 0, 'int code': 1}),
       'recv(1.1)': ('recv1', {'int cc': 0, 'int nbytes': 1, 'int code': 2, 'int src': 3}), 'barrier(0.0)': ('barrier0', {'char group[]': 0, 'int count': 1}),
       'barrier(1.1)': ('barrier1', {'int cc': 0}), 'sendsig(0.0)': ('sendsig0', {'int dst': 0, 'int sig': None}), 'sendsig(1.1)': ('sendsig1', {'int cc': 0})}


def described(name, tag, fields):
    body = ''.join(f'\t// "{f.split()[1]}" "it; is }}"\n\t{f.split()[0]} "{f.split()[1].removesuffix("[]")}"{"[]" if f.endswith("[]") else ""};\n'
                   for f in fields)
    return f'#{tag}: "{name}"\n{{\n{body}}};;\n'


def made(seed, n=400, old=False):
    """Tasks of three hosts whose clocks differ; calls inside of calls, of others, that fail, that never end; odd forms of packets.  `old`: as
    PVM 3.3 had them."""
    r = random.Random(seed)
    out = [r.choice(['SDDFA\n', '']), '/*\n * "Creation Date" "now ;"\n */ ;;\n']
    known = set()

    def add(name, date, task, *values):
        fields = ALL + KINDS.get(name, [])
        if old:
            name, of = OLD[name]
            fields, values = ['int sec', 'int usec', 'int tid', *of], [7 if i is None else values[i] for i in of.values()]
        if name not in known or r.random() < .02:
            known.add(name)
            out.append(described(name, 1000 + len(out), fields))
        words = [str(date // 10**6), str(date % 10**6), str(task)]
        for v in values:
            words.append(str(v) if isinstance(v, int) else f'[{len(v)}] {{ {", ".join(map(str, v))} }}' if isinstance(v, list) else
                         f'[{len(v) + 1}] {{ "{v}" }}' if v or r.random() < .5 else '[0] { }')
        comma = r.choice([', ', ',', ' ,\n  '])
        out.append(f'"{name}" {{ {comma.join(words)} }};;' + r.choice(['\n', '\n', '  ', '\n// remark\n']))
    hosts, tasks, shift = [1, 2, 3], [], {}
    date = 1795297959 * 10**6
    for h in hosts:
        add('host_add(0)', date, h << 18, f'host{h}', 'LINUX64', 1000)
        shift[h] = r.randrange(-3000, 3000) if h > 1 else 0
    for h in hosts:
        for k in range(2):
            task = h << 18 | (k + 2)
            tasks.append(task)
            add('newtask(0)', date + 5, task, r.choice([-1, tasks[0]]), 'prog')
    open_calls = {t: [] for t in tasks}
    for _ in range(n):
        date += r.choice([0, 1, 5, 60, 400])
        task = r.choice(tasks)
        if r.random() < .02:
            h = task >> 18
            shift[h] += r.randrange(500)
            add('host_sync(0)', date, h << 18, *divmod(shift[h], 10**6))
        elif open_calls[task] and r.random() < .55:
            call = open_calls[task].pop(r.choice([-1, -1, 0]))
            if call == 'recv':
                got = r.random() < .9
                add('recv(1.1)', date, task, r.choice([3, 7]) if got else r.choice([0, -5]), 40, r.randrange(3), r.choice(tasks + [-2147483648]) if got else -1)
            else:
                add(f'{call}(1.1)', date, task, r.choice([0, 0, 0, -2]))
        else:
            call = r.choice(['send', 'send', 'psend', 'mcast', 'recv', 'barrier', *(['sendsig'] if old else [])])
            open_calls[task].append(call)
            add(f'{call}(0.0)', date, task, *{'send': (40, r.choice(tasks), r.randrange(3)), 'mcast': (8, 2, r.sample(tasks, r.randrange(4))),
                                              'sendsig': (r.choice(tasks), 9), 'psend': (r.choice(tasks), r.randrange(3), 4096, r.randrange(100), r.randrange(12)), 'recv': (r.choice([-1, tasks[0]]), -1), 'barrier': ('a "group" of it', 3)}[call])
        if r.random() < .05:
            add('output(0)', date, task, r.choice(['text } with "quotes" };; and more', 'CREATION', '']))
    for task in tasks[:3]:
        add('endtask(0)', date + 10**6, task, 0)
    return ''.join(out)


class Sddf(Format):
    def compare(self, path, seed, instants):
        whole, r, n = Model(path), random.Random(seed), 0
        info = self.info(path)
        kinds = Counter()
        for k in info['kinds']:
            kinds[k['name']] += k['begun']
        self.assertEqual(kinds, +whole.kinds, path)
        self.assertEqual(info['damaged'], 0, path)
        for _ in range(few(instants)):
            at = r.randrange(whole.first, whole.last + 1)
            state = self.state(path, f'{at // 10**9}.{at % 10**9:09}')
            links = Counter((a, b) for date, a, b in whole.received if date <= at)
            sent = Counter(a for date, a, _ in whole.sent if date <= at)
            received = Counter(b for date, _, b in whole.received if date <= at)
            for node in state['nodes']:
                task = node['id']
                if node['State'] != 'Unseen':
                    self.assertEqual((node['State'], int(node['Depth'])), whole.state(task, at), (path, at, task))
                self.assertEqual((int(node['Sent']), int(node['Received'])), (sent[task], received[task]), (path, at, task))
                n += 4
            self.assertEqual({(e['from'], e['to']): int(e['Messages']) for e in state['edges'] if e['Messages'] != '0'}, links, (path, at))
            n += len(links)
        return n

    def test_made_traces_at_random_instants(self):
        n = 0
        for seed in range(few(8)):
            n += self.compare(self.path(f'made{seed}.sddf', made(seed)), seed, 6)
        self.assertGreater(n, few(few(1000)))

    def test_tracers_of_pvm_33(self):
        """They have names of their own for all fields: who sends what to whom, hosts, programs, clocks, sizes and tags are known all the same."""
        for seed in range(few(4)):
            text = made(seed, old=True)
            path = self.path(f'old{seed}.sddf', text)
            self.assertGreater(self.compare(path, seed, 6), few(100))
            info = self.info(path)
            self.assertEqual([(h['name'], h['arch'], h['speed']) for h in info['hosts']], [(f'host{i}', 'LINUX64', 1000) for i in (1, 2, 3)])
            self.assertEqual({t['program'] for t in info['tasks'] if t['id'] != 'pvmd'}, {'prog'})
            shown = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
            raw = [today(*record) for record in records(path)]
            got = Counter((e['tag'], e['bytes']) for e in shown if e['kind'] == 'recv' and e.get('end') and e.get('from'))
            want = Counter((f['MC'], f['MNB']) for n, f in raw if n == 'recv(1.1)' and f['MB'] > 0 and tid(f['SRC']))
            self.assertEqual((got - want, sum(got.values()) <= sum(want.values())), (Counter(), True))
            self.assertEqual({e['task']: e['parent'] for e in shown if e['kind'] == 'newtask'}, {tid(f['TID']): tid(f['PT']) for n, f in raw if n == 'newtask'})

    def test_sizes_of_types(self):
        """pvm_psend is told how many of which type; of all the others nothing is made bytes of."""
        sizes = (1, 1, 2, 4, 4, 8, 8, 16, 8, 2, 4, 8)
        for old in (False, True):
            path = self.path(f'sizes{old}.sddf', made(11, old=old))
            wanted = Counter(f['PC'] * sizes[f['PDT']] for n, f in (today(*record) for record in records(path)) if n == 'psend(0.0)')
            shown = [json.loads(line) for line in self.scope('events', path, '--kind', 'psend', '--json')[0].splitlines()]
            self.assertEqual(Counter(e['bytes'] for e in shown if not e.get('end')), wanted)
            self.assertGreater(len(wanted), 10)

    def test_samples(self):
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        for name in sorted(os.listdir(SAMPLES)):
            if name.endswith('.sddf'):
                path = os.path.join(SAMPLES, name)
                self.compare(path, name, 8)
                info = self.info(path)
                self.assertEqual([h['name'] for h in info['hosts']], ['127.0.0.1'])
                spawned = [f['TN'] for n, f in records(path) if n.startswith('newtask') and f['TN'] != '-']
                self.assertEqual([t['program'] for t in info['tasks'] if t['program']], spawned)

    def test_who_waits_for_whom_is_on_offer(self):
        """As for each format that tells messages; asked by its question it tells for whom each receive waited until the send."""
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        path = os.path.join(SAMPLES, 'pvm_tracer_hitc_master1_spmd.sddf')
        told = self.scope('info', path)[0]
        for name in ('waits.eve', 'in-flight.eve', 'traffic.eve'):
            self.assertIn(f'  {name} ', told)
        sends, waited = defaultdict(list), Counter()
        events = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        for e in events:
            if e['kind'] in ('send', 'mcast') and not e.get('end'):
                for to in e['to'] if isinstance(e['to'], list) else [e['to']]:
                    sends[e['task'], to, e['tag']].append(e['t'])
        for e in events:
            if e['kind'] == 'recv' and e.get('end') and e.get('from'):
                sent, begin = sends[e['from'], e['task'], e['tag']].pop(0), e['t'] - e['duration']
                waited[e['task'], e['from']] += max(0, min(sent, e['t']) - begin)
        self.scope('run', path, '--program', 'Why does it take so long: who waits for whom?', '--out', self.path('out'))
        with open(os.path.join(self.path('out'), 'waits.csv'), newline='') as lines:
            rows = [row for row in csv.DictReader(lines) if row['kind'] == 'Late sender']
        who = max(waited, key=waited.get)
        self.assertEqual((rows[0]['task'], rows[0]['mostly for']), who)
        self.assertAlmostEqual(float(rows[0]['for that one [s]']), waited[who], delta=1e-5)
        self.assertAlmostEqual(sum(float(row['waited [s]']) for row in rows), sum(waited.values()), delta=1e-5)

    def test_dates_in_sentences(self):
        """Where dates count from the epoch sentences tell them from the first one on, as the window does, with a plus sign."""
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        path = os.path.join(SAMPLES, 'pvm_tracer_hitc_master1_spmd.sddf')
        said = ' '.join(self.scope('report', path, '-q')[0].replace('\u00a0', ' ').split())
        said = said[said.index('What limits it'):said.index('What stands out')]
        self.assertNotIn('17952979', said)
        first = self.info(path)['first']
        events = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        who, begin = re.search(r'the longest of these waits is [\d.]+ ms, of (\S+) for \S+ at \+([\d.]+) s\.', said).groups()
        self.assertIn((who, round(float(begin), 6)), {(e['task'], round(e['t'] - first, 6)) for e in events if e['kind'] == 'recv' and not e.get('end')})
        races = re.findall(r'At \+([\d.]+) s, (\S+) got the message of (\S+);', said)
        self.assertGreater(len(races), 0)
        for at, who, whom in races:
            self.assertIn((who, whom, round(float(at), 6)), {(e['task'], e.get('from'), round(e['t'] - first, 6)) for e in events if e['kind'] == 'recv'})
        since, worst, until = map(float, re.search(r'They wait since \+([\d.]+) s, most between \+([\d.]+) and \+([\d.]+) s', said).groups())
        self.assertTrue(0 <= since <= until and worst < until <= events[-1]['t'] - first + 1e-6)

    def test_fields(self):
        path = self.path('f.sddf', made(4))
        shown = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        self.assertEqual({e['GN'] for e in shown if e['kind'] == 'barrier'}, {'a "group" of it'})
        raw = records(path)
        self.assertEqual(Counter(e['OS'] for e in shown if e['kind'] == 'output'), Counter(f['OS'] for n, f in raw if n == 'output(0)'))
        self.assertEqual(Counter(tuple(e['to']) for e in shown if e['kind'] == 'mcast' and not e.get('end')),
                         Counter(tuple(f't{t:x}' for t in f['MDL']) for n, f in raw if n == 'mcast(0.0)'))

    def test_lists_of_lists(self):
        """Types of several words, lists whose dimensions have brackets of their own, as libraries of Pablo write them."""
        text = """SDDFA
/*
 * "run date" "Mon" */ ;;
#1:
// "description" "all { of } it"
"Message Send" {
    // "Time" "Timestamp"
    int "Timestamp"[];
    double "Seconds";
    int "Processor Number";
    unsigned int "U";
    long long "Big";
    float "M"[][];
    char "Words"[][];
};;
"Message Send" { [2] { 0, 100 }, 0.5, 3, 7, 99999999999, [2][2] { 1.0, 2.0, 3.0, 4.0 }, [1][3] { "}{;" } };;
"Message Send" { [0] { }, 7.5e-1, 4, 8, -1, [2][2] { {1.0, 2.0}, {3.0, 4.0} }, [0][0] { } };;
%2: "flush";;
"""
        path = self.path('lists.sddf', text)
        self.assertEqual(self.info(path)['damaged'], 0)
        shown = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        self.assertEqual([[e[k] for k in ('t', 'task', 'Timestamp', 'U', 'Big', 'M', 'Words')] for e in shown],
                         [[.5, 'Processor Number 3', '0, 100', 7, 99999999999, '1.0, 2.0, 3.0, 4.0', '"}{;"'],
                          [.75, 'Processor Number 4', '', 8, -1, '{1.0, 2.0}, {3.0, 4.0}', '']])

    def test_a_map_tells_what_records_do(self):
        r, out, t = random.Random(3), ['SDDFA\n'], 0
        out.append('#1:\n// "a" "b"\n"begin" { double "when"; int "node"; char "what"[]; };;\n#2: "finish" { double "when"; int "node"; };;\n')
        out.append('#3: "put" { double "when"; int "node"; int "dest"; int "len"; int "id"; };; #4: "got" { double "when"; int "node"; int "src"; int "len"; int "id"; };;\n')
        out.append('#5: "load" { double "when"; int "node"; float "x"; double "all"[][]; };;\n')
        stacks, state, load, messages = {0: [], 1: []}, {}, {}, 0
        for _ in range(200):
            t += r.choice([1, 5, 9])
            node = r.randrange(2)
            do = r.randrange(4)
            if do == 0:
                stacks[node].append(r.choice(['solve', 'wait']))
                out.append(f'"begin" {{ {t / 1000}, {node}, [6] {{ "{stacks[node][-1]}" }} }};;\n')
            elif do == 1 and stacks[node]:
                stacks[node].pop()
                out.append(f'"finish" {{ {t / 1000}, {node} }};;\n')
            elif do == 2:
                messages += 1
                out.append(f'"put" {{ {t / 1000}, {node}, {1 - node}, 10, 4 }};;"got" {{ {t / 1000}, {1 - node}, {node}, 10, 4 }};;\n')
            else:
                load[node] = r.randrange(100)
                out.append(f'"load" {{ {t / 1000}, {node}, {load[node]}, [2][1] {{ 1.5, 2 }} }};;\n')
            state[t] = {k: (v[-1] if v else 'No state', len(v), load.get(k)) for k, v in stacks.items()}, messages
        path = self.path('own.sddf', ''.join(out))
        without = self.info(path)
        self.assertEqual((without['damaged'], without['tasks'][0]['id']), (0, 'node 0'))
        self.assertIn('got the one before', without['damage'][0]['reason'])
        self.path('own.sddf.map', '[*]\ntime=when\ntask=node\n[begin]\ndoes=enter\nstate=what\n[finish]\ndoes=leave\n[put]\ndoes=send\npeer=dest\nsize=len\n'
                  'tag=id\n[got]\ndoes=receive\npeer=src\nsize=len\ntag=id\n[load]\ndoes=set\nstate=x\n')
        for t in r.sample(sorted(state), 10):
            nodes, messages = state[t]
            shown = self.state(path, str(t / 1000))
            for node in shown['nodes']:
                name, depth, x = nodes[int(node['id'][-1])]
                self.assertEqual((node['State'], int(node['Depth'])), (name, depth), (t, node))
                self.assertEqual(float(node['x'] or -1), -1 if x is None else x)
            self.assertEqual(sum(int(e['Messages']) for e in shown['edges']), messages)
        first = next(json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines() if '"load"' in line)
        self.assertEqual(first['all'], '1.5, 2')
        self.path('own.sddf.map', '[begin]\ndoes=fly\n')
        self.assertIn('not “fly”', self.info(path)['damage'][0]['reason'])

    def test_numbers_in_texts(self):
        """A variable that is a text has all of its digits; sizes and tags are the nearest whole numbers."""
        cases = [('36.75', 36.75, 37), ('1e-3', .001, 0), ('100.7', 100.7, 101), ('1e3', 1000, 1000), ('-2', -2, None), ('x', 0, None), ('9007199254740993', 9007199254740992, 9007199254740993)]
        out = ['SDDFA\n#1:\n"v" { double "when"; int "node"; char "x"[]; };;\n#2: "put" { double "when"; int "node"; int "dest"; char "len"[]; };;\n']
        for i, (text, *_) in enumerate(cases):
            out.append(f'"v" {{ {i}.0, 0, [{len(text)}] {{ "{text}" }} }};;\n"put" {{ {i}.5, 0, 1, [{len(text)}] {{ "{text}" }} }};;\n')
        path = self.path('texts.sddf', ''.join(out))
        self.path('texts.sddf.map', '[*]\ntime=when\ntask=node\n[v]\ndoes=set\nstate=x\n[put]\ndoes=send\npeer=dest\nsize=len\n')
        events = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        self.assertEqual([e['value'] for e in events if e['kind'] == 'v'], [real for _, real, _ in cases])
        sizes = [e['bytes'] for e in events if e['kind'] == 'put']
        self.assertEqual([(got, want) for got, (_, _, want) in zip(sizes, cases) if want is not None and got != want], [])

    def test_damage(self):
        text = made(2, 120)
        sound = self.info(self.path('sound.sddf', text))
        for i, (bad, word) in enumerate([('"send(0.0)" { 1, 2 };;\n', 'as it was described'), ('"never" { 1 };;\n', 'not described'), ('rubbish ;;\n', 'no packet'),
                                         ('"endtask(0)" { 99999999999999, 2, 262146, 0 };;\n', 'no date'), ('#5: "half" { int "a";', 'ends inside')]):
            path = self.path(f'bad{i}.sddf', text + '\n' + bad)
            info = self.info(path)
            self.assertEqual((info['events'], info['damaged']), (sound['events'], 1), bad)
            self.assertIn(word, info['damage'][0]['reason'])
            self.assertEqual(info['damage'][0]['line'], text.count('\n') + 2)
        self.check_damage('sddf', text.encode(), changed=10)
        self.check_travel_and_packing('plain.sddf', text.encode(), ['1795297959.004', '1795297959.008'])
        self.assertIn('binary form', self.scope('info', self.path('b.sddf', 'SDDFB\1\2\3'), status=1)[1])


main()
