#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of Chrome at random instants beside a second computation (chrome.py), damaged, packed, and opened as they are."""
import csv
import gzip
import itertools
import json
import os
import random
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree
from collections import Counter, defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, Format, few, main, samples
from chrome import Model, name_of, records, ticks                                               # noqa: E402

SAMPLES = samples('chrome')
OWN = {'Computing', 'Unseen', 'Dead', 'No state'}


def made(seed, n=500):
    """Slices of both forms inside of each other, out of order, with ties; flows, counters, asynchronous ones of both forms."""
    r = random.Random(seed)
    out, flows, ids = [], 0, 0
    names = ['paint', 'layout', 'Dead', 'a "quoted" \u00fcber \U0001f600', 'x' * 300, '']
    t = 0
    for _ in range(n):
        t += r.choice([0, 0, 1, 3, 20])
        e = {'pid': r.choice([1, 2, '2', 'gpu']), 'tid': r.choice([1, 2, '7']), 'ts': r.choice([t, str(t), t + r.randrange(1000) / 1000]),
             'name': r.choice(names), 'cat': r.choice(['a', 'b,c'])}
        do = r.randrange(12)
        if do < 3:
            e |= {'ph': 'X', 'dur': r.choice([0, 1, 5, 5.5, '12', 40.125])}
            if r.random() < .5:
                e['args'] = {'n': r.randrange(9), 'external id': 'w', 'deep': {'x': [1, {}]}, 'real': 1.5}
        elif do < 5:
            e |= {'ph': 'B'}
            if r.random() < .3:
                e |= {'bind_id': hex(r.randrange(3)), **r.choice([{'flow_in': True}, {'flow_out': True}, {'flow_in': True, 'flow_out': True}])}
        elif do < 7:
            e |= {'ph': 'E'}
            if r.random() < .5:
                del e['name']
        elif do == 7:
            e |= {'ph': 'C', 'args': r.choice([{'value': 3}, {'a': r.randrange(9), 'b': '4.5', 'c': 'none of it'}])}
            if r.random() < .4:
                e |= r.choice([{'id': '0x1'}, {'id2': {'local': '0x2'}}, {'id2': {'global': 3}}])
        elif do == 8:
            flows += 1
            base = dict(e, cat='f', name='flow', id=r.choice([flows, hex(flows)]))
            ends = [dict(base, ph='s'), dict(base, ph='f', ts=t + 5, tid=1, pid=1)]
            if r.random() < .3:
                ends.insert(1, dict(base, ph='t', ts=t + 2, tid=2, pid=1))
            if r.random() < .1:
                ends.pop(r.randrange(len(ends)))
            out += ends
            continue
        elif do == 9:
            ids += 1
            old = r.random() < .3
            base = dict(e, cat='net', **r.choice([{'id': ids}, {'id': ids % 4}, {'id2': {'local': hex(ids)}}, {'id2': {'global': str(ids)}}]))
            out += [dict(base, ph='S' if old else 'b'), dict(base, ph='F' if old else 'e', ts=t + r.randrange(1, 30))]
            if not old and r.random() < .5:
                inner = dict(base, name='inner')
                out[-1:-1] = [dict(inner, ph='b', ts=t + .25), dict(inner, ph='n'), dict(inner, ph='e', ts=t + .5)]
            continue
        elif do == 10:
            e |= {'ph': r.choice('iIRNODPc()vV'), 's': r.choice('tpg'), 'args': {'kind': 1}}
        else:
            e = {'ph': 'M', 'pid': 1, 'tid': 2, 'name': r.choice(['process_name', 'thread_name', 'other']), 'args': {'name': f'called {t}'}}
            if r.random() < .5:
                e |= {'pid': r.choice([1, '2', 'gpu']), 'tid': r.choice([1, 2, 7]), 'name': r.choice(['process', 'thread']) + '_sort_index',
                      'args': {'sort_index': r.choice([-3, 5, 0, '-7', 5000000])}}
        out.append(e)
    for i in range(0, len(out) - 8, 8):     # dates go back a little, and once much
        if r.random() < .3:
            part = out[i:i + 8]
            r.shuffle(part)
            out[i:i + 8] = part
    return out[n // 2:] + out[:n // 2] if seed % 3 == 0 else out


class Chrome(Format):
    def compare(self, path, dates, all_records=None):
        whole, n = Model(path, all_records), 0
        info = self.info(path)
        kinds = Counter()
        for k in info['kinds']:
            kinds[k['name']] += k['begun']
        self.assertEqual(+whole.kinds, +kinds, path)
        rows, shown = list(whole.names.rows()), [t['id'] for t in info['tasks']]
        self.assertEqual([t for t in shown if t in set(rows)], [t for t in rows if t in set(shown)], path)
        for ns in dates(whole):
            stacks, variables, sent, received, links, seen, asyncs = whole.at(ns)
            state = self.state(path, f'{ns // 10**9}.{ns % 10**9:09}')
            open_slices = defaultdict(Counter)
            for (process, _), of in asyncs.items():
                if of:
                    open_slices[process][of[-1][0]] += 1
            shown = defaultdict(Counter)
            for node in state['nodes']:
                task = node['id']
                if node['Type'] == 'Async':
                    if node['State'] != 'No state':
                        shown[node['Inside']][node['State'].replace(' (state)', '')] += 1
                elif node['Type'] == 'Thread':
                    expected = stacks[task][-1][0] if stacks[task] else 'No state'
                    expected += ' (state)' if stacks[task] and expected in OWN else ''
                    if node['State'] != 'Unseen':
                        self.assertEqual(node['State'], expected, (path, ns, task))
                    self.assertEqual(int(node['Depth']), len(stacks[task]), (path, ns, task))
                    self.assertEqual((int(node['Sent']), int(node['Received'])), (sent[task], received[task]), (path, ns, task))
                    n += 4
                for name in {v for values in variables.values() for v in values}:
                    x, value = variables[task].get(name), node.get(name + ' (variable)', node.get(name))
                    if x is None:
                        self.assertEqual(value, '', (path, ns, task, name))
                    else:
                        self.assertAlmostEqual(float(value), x, delta=1e-9 * max(1, abs(x)))
                    n += 1
            self.assertEqual(shown, open_slices, (path, ns))
            for task, stack in stacks.items():
                self.assertTrue(not stack or any(node['id'] == task for node in state['nodes']), (path, ns, task))
            for edge in state['edges']:
                self.assertEqual(int(edge['Messages']), links[edge['from'], edge['to']], (path, ns, edge['id']))
                n += 1
            self.assertEqual({(e['from'], e['to']) for e in state['edges']}, seen | set(links), (path, ns))
        return n

    def test_made_traces_at_random_instants(self):
        n = 0
        for seed in range(few(6)):
            events = made(seed)
            form = json.dumps(events) if seed % 2 else json.dumps({'otherData': {'a': '[{"ph"'}, 'displayTimeUnit': 'ns', 'traceEvents': events})
            r = random.Random(seed)
            n += self.compare(self.path(f'made{seed}.json', form),
                              lambda w: [r.randrange(w.first, w.last + 1) if i % 2 else r.choice(w.happening)[0] for i in range(few(6))])
        self.assertGreater(n, few(few(1000)))

    def inclusive(self, path):
        """Seconds of slices by name, from what Scope says of each event."""
        total, open_slices, unclosed = Counter(), defaultdict(list), 0
        for line in self.scope('events', path, '--json')[0].splitlines():
            e = json.loads(line)
            if e['kind'] == 'Slice' and not e.get('end') and 'duration' in e:
                total[e['name']] += e['duration']
            elif e['kind'] == 'Begin':
                open_slices[e['task']].append(e)
            elif e['kind'] == 'End' and open_slices[e['task']]:
                begin = open_slices[e['task']].pop()
                total[begin['name']] += e['t'] - begin['t']
        return total, sum(map(len, open_slices.values()))

    def test_samples(self):
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        with open(os.path.join(SAMPLES, 'expected.jsonl')) as lines:
            for expected in map(json.loads, lines):
                path = os.path.join(SAMPLES, os.path.basename(expected['path']))
                raw = records(path)
                self.assertEqual(len(raw), expected['events'], path)
                self.assertEqual(Counter(str(e.get('ph')) for e in raw), expected['by_phase'], path)
                if not raw:
                    self.assertEqual(self.info(path)['events'], 0)
                    continue
                r = random.Random(path)
                self.compare(path, lambda w: [r.randrange(w.first, w.last + 1) for _ in range(few(2))])
                total, unclosed = self.inclusive(path)
                for name, us in expected['slice_time_us']:
                    self.assertAlmostEqual(total[name] * 1e6, us, delta=max(1e-3, us * 1e-5), msg=(path, name))
                self.assertEqual(unclosed, expected['unclosed_B'], path)
                self.assertEqual(len({(str(e.get('pid')), str(e.get('tid'))) for e in raw if e and e.get('ph') != 'M'}), expected['tracks'], path)
                info = self.info(path)
                self.assertAlmostEqual(info['first'] * 1e6, expected['first_us'], delta=10, msg=path)
                self.assertAlmostEqual(info['last'] * 1e6, expected['last_us'], delta=1, msg=path)

    def test_travel_and_packing(self):
        data = json.dumps(made(3)).encode()
        self.check_travel_and_packing('plain.json', data, ['0.0005', '0.0012', '0.002'])

    def test_arguments(self):
        events = [e for e in made(11) if e.get('ph') == 'X' and 'args' in e]
        path = self.path('a.json', json.dumps(events))
        shown = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        shown = Counter((e['name'], e['n'], e['external_id'], e['deep'], e['real']) for e in shown if not e.get('end'))
        self.assertEqual(shown, Counter((name_of(e), e['args']['n'], 'w', '{"x": [1, {}]}', 1.5) for e in events))
        # more than fields can have is kept as it stands
        many = dict(events[0], args={f'k{i}': i for i in range(100)})
        first = json.loads(self.scope('events', self.path('m.json', json.dumps([many])), '--json')[0].splitlines()[0])
        self.assertEqual(json.loads(first['record']), many)

    def test_damage(self):
        good = '{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":1,"name":"n"}'
        for i, (text, events, word) in enumerate([
                ('[' + good % 1 + ',' + good % 2, 4, None),                                 # no end: the form allows it
                ('[' + good % 1 + ',' + good % 2 + ',{},]', 4, None),
                ('[' + good % 1 + '\n' + good % 2 + ']', 4, None),
                ('{"traceEvents":[' + good % 1, 2, 'before its last bracket'),
                ('[' + good % 1 + ',{"ph":"X","pid":1,"t', 2, 'ends inside'),
                ('[' + good % 1 + ',{"ph":"X","name":0x12},' + good % 5 + ']', 4, 'no date'),
                ('[' + good % 1 + ',{"ph":"X",name:"12"},' + good % 5 + ']', 4, 'no JSON'),
                ('[' + good % 1 + ',{"ph":"X","name":"without end\n},\n' + good % 5 + ']', 4, 'no JSON'),
                ('[' + good % 1 + ', 17, "ph", null,' + good % 5 + ']', 4, 'none'),
                ('[' + good % 1 + ',{"pid":1,"tid":1,"ts":3}]', 2, 'no phase'),
                ('[' + good % 1 + ',{"ph":"X","ts":"soon"}]', 2, 'no date'),
                ('[' + good % 1 + ',{"ph":"X","ts":1e300}]', 2, 'no date'),
                ('[' + good % 1 + ',{"ph":"X","ts":4,"dur":-3}]', 4, 'no duration'),
                ('[' + good % 1 + ',{"ph":"?","ts":4}]', 3, 'not known'),
                ('[' + good % 1 + ',{"ph":"i","ts":4,"args":' + '[' * 100000 + ']' * 100000 + '}]', 3, None),
                ('[' + good % 1 + ',{"ph":"i","ts":4,"args":' + '{"a":' * 100000, 2, 'ends inside'),
                ('{"otherData":' + '[' * 100000 + ']' * 100000 + ',"traceEvents":[' + good % 1 + ']}', 2, None),
                ('[' + good % 1 + ',{"ph":"i","ts":4,"args":{"a":"' + 'x' * (17 << 20) + '"}},' + good % 6 + ']', 4, '16 MiB')]):
            path = self.path(f'bad{i}.json', text)
            info = self.info(path)
            self.assertEqual((info['events'], info['damaged']), (events, 1 if word else 0), (i, info['damage']))
            if word:
                self.assertIn(word, self.scope('info', path)[0], i)
        self.scope('info', self.path('none.json', '{"traceEvents": 3'), status=(0, 1))
        data = json.dumps(made(5, 90), indent=0).encode()
        self.check_damage('json', data, changed=15)
        packed = gzip.compress(data)
        self.scope('info', self.path('half.gz', packed[:len(packed) // 2]), status=(0, 1))

    def test_other_containers(self):
        """An event a line and no list, several lists behind each other, null for what is absent, nanoseconds as dates."""
        events = [{'ph': 'X', 'pid': 1, 'tid': i % 3, 'ts': 10 * i, 'dur': 5 + i % 7, 'name': f'n{i % 4}', 'cat': None, 'args': None} for i in range(3000)]
        text = [json.dumps(e) for e in events]
        whole, half = json.dumps(events), len(events) // 2
        hashes = set()
        for name, data in {'list': whole, 'lines': '\n'.join(text) + '\n', 'two': f'[{",".join(text[:half])}]\n[{",".join(text[half:])}]',
                           'both': f'{{"traceEvents":[{",".join(text[:half])}], "x": 1}} {{"a": [{{"ph": 1}}], "traceEvents":[{",".join(text[half:])}]}}'}.items():
            path = self.path(name + '.json', data)
            info = self.info(path)
            self.assertEqual((info['events'], info['damaged']), (6000, 0), name)
            hashes.add(self.state(path, '0.0123456')['hash'])
        self.assertEqual(len(hashes), 1)
        self.compare(path, lambda w: [w.last // 3, w.last // 2], events)
        later = [dict(e, ts=1700000000 * 10**9 + e['ts'] * 1000, dur=e['dur'] * 1000) for e in events]
        path = self.path('ns.json', json.dumps(later))
        info = self.info(path)
        self.assertEqual((info['events'], info['damaged'], info['first'], round(info['last'] - info['first'], 6)), (6000, 0, 1700000000, max(e['ts'] + e['dur'] for e in events) / 1e6))
        self.assertIn('taken for nanoseconds', self.scope('info', path)[0])
        self.assertIn('no list of events', self.scope('info', self.path('deep.json', json.dumps({'a': {'traceEvents': events[:9]}})), status=(1, 2))[1])
        info = self.info(self.path('behind.json', whole + ' and so on'))
        self.assertEqual((info['events'], info['damaged']), (6000, 1))

    def test_unit_of_dates(self):
        """Most dates of the beginning tell it, not the first, which may be 0 or damaged; dates inside of arguments do not."""
        far, near = 1700000000 * 10**9, {'ph': 'i', 'pid': 1, 'tid': 1, 'ts': 0, 'name': 'zero'}
        slices = [{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': far + 2000 * i, 'dur': 1000, 'name': 'n'} for i in range(5)]
        info = self.info(self.path('zero.json', json.dumps([near, dict(near, ph='M', name='process_name')] + slices)))
        self.assertEqual((info['events'], info['damaged'], round(info['last'] * 1e6)), (11, 0, 1700000000 * 10**6 + 9))
        slices = [{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 20 * i, 'dur': 10, 'name': 'n', 'args': {'ts': far} if i == 0 else {}} for i in range(5)]
        info = self.info(self.path('inside.json', json.dumps([dict(near, ts=far)] + slices)))
        self.assertEqual((info['events'], info['damaged'], round(info['last'] * 1e6)), (10, 1, 90))

    def test_beside_events(self):
        """Samples with the calls they were taken in, wherever the file tells them; memory of processes; slices that last."""
        r = random.Random(os.environ.get('SCOPE_SEED', '1'))
        frames = {'0': {'name': 'main', 'category': 'app'}}
        for i in range(1, 30):
            frames[str(i)] = {'name': f'f{i % 7}', 'parent': r.choice([str(r.randrange(i)), r.randrange(i)])}

        def stack(frame):
            return (stack(str(frames[frame]['parent'])) if 'parent' in frames[frame] else []) + [frames[frame]['name']]
        taken = [{'cpu': r.randrange(4), 'tid': r.choice([7, '8', 99]), 'ts': r.randrange(10000) / 10, 'name': 'cycles', 'sf': r.randrange(30),
                  'weight': r.choice([1, 2.5])} for _ in range(200)]
        events = [{'ph': 'X', 'pid': 1, 'tid': 7, 'ts': 1, 'dur': 9, 'name': 'a'}, {'ph': 'X', 'pid': 1, 'tid': 8, 'ts': 2, 'dur': -1, 'name': 'never'},
                  {'ph': 'v', 'pid': 1, 'tid': 7, 'ts': 5, 'name': 'd', 'args': {'dumps': {'allocators': {'x': [1]}, 'process_totals': {
                      'resident_set_bytes': '45a000', 'private_bytes': 'no number', 'x': 1}}}},
                  {'ph': 'v', 'pid': 1, 'tid': 7, 'ts': 600, 'name': 'd', 'args': {'dumps': {'process_totals': {'resident_set_bytes': 'ff'}}}}]
        parts = {'traceEvents': events, 'samples': taken, 'stackFrames': frames}
        hashes = set()
        for n, order in enumerate((('traceEvents', 'samples', 'stackFrames'), ('stackFrames', 'traceEvents', 'samples'), ('samples', 'stackFrames', 'traceEvents'))):
            path = self.path(f'beside{n}.json', json.dumps({'displayTimeUnit': 'ms', **{key: parts[key] for key in order}}))
            self.assertEqual(self.info(path)['damaged'], 0)
            told = [json.loads(line) for line in self.scope('events', path, '--json', '--kind', 'Sample')[0].splitlines()]
            self.assertEqual(sorted((round(e['t'] * 1e6, 1), e['task'], e['cpu'], e['weight'], e['stack']) for e in told),
                             sorted((s['ts'], f'thread {s["tid"]}', s['cpu'], s['weight'], stack(str(s['sf']))) for s in taken))
            inside = {node['id']: node for node in self.state(path, '0.0005')['nodes']}
            self.assertEqual((inside['thread 8']['State'], inside['process 1']['resident_set_bytes']), ('never', str(0x45a000)))
            self.assertEqual((inside['thread 8']['Inside'], inside['thread 99']['Inside']), ('process 1', 'process 99'))
            self.assertNotIn('private_bytes', inside['process 1'])
            hashes.add(self.state(path, '0.0008')['hash'])
        bad = {'stackFrames': {'1': 3, '2': {'name': 'x', 'parent': 'none'}, '3': {'name': 'loop', 'parent': '3'}}, 'traceEvents': [], 'samples': [
            {'sf': 2, 'ts': 1}, {'sf': 3, 'ts': 2}, {'ts': 'soon'}, {'sf': 9, 'ts': 3, 'weight': {}, 'cpu': 'x'}]}
        path = self.path('bad.json', json.dumps(bad))
        told = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        self.assertEqual([e['stack'] for e in told], [['x'], ['loop'], []])
        self.assertEqual(self.info(path)['damaged'], 2)
        whole = json.dumps(parts).encode()
        for _ in range(few(20)):
            self.scope('info', self.path('cut.json', whole[:r.randrange(len(whole))]), status=(0, 1))

    def test_frames_of_several_objects(self):
        """Each object of a file has its own ids; its own frames may come before its samples or behind them."""
        def part(i, order):
            members = {'traceEvents': [{'ph': 'i', 'name': 'x', 'ts': 1, 'pid': i, 'tid': 1}], 'samples': [{'tid': 1, 'ts': i, 'name': 'c', 'sf': 2}],
                       'stackFrames': {'1': {'name': f'main{i}'}, '2': {'name': 'inner', 'parent': 1}}}
            return json.dumps({key: members[key] for key in order})
        orders = list(itertools.permutations(('traceEvents', 'samples', 'stackFrames')))
        path = self.path('parts.json', '\n'.join(part(i, order) for i, order in enumerate(orders)))
        told = [json.loads(line) for line in self.scope('events', path, '--json', '--kind', 'Sample')[0].splitlines()]
        self.assertEqual([e['stack'] for e in told], [[f'main{i}', 'inner'] for i in range(len(orders))])
        self.assertEqual(self.info(path)['damaged'], 0)

    def test_circular_frames(self):
        """Calls that are called from themselves are told, and none are made up."""
        frames = {'a': {'name': 'a', 'parent': 'b'}, 'b': {'name': 'b', 'parent': 'c'}, 'c': {'name': 'c', 'parent': 'a'},
                  'd': {'name': 'd', 'parent': 'b'}, 'e': {'name': 'e'}, 'f': {'name': 'f', 'parent': 'e'}, 'g': {'name': 'g', 'parent': 'f'}}
        path = self.path('circle.json', json.dumps({'traceEvents': [], 'stackFrames': frames, 'samples': [
            {'sf': name, 'ts': i, 'tid': 1} for i, name in enumerate(frames)]}))
        told = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        self.assertEqual([''.join(e['stack']) for e in told], ['a', 'b', 'c', 'bd', 'e', 'ef', 'efg'])
        self.assertIn('3 frames that are called from themselves', self.info(path)['damage'][0]['reason'])

    def test_amounts(self):
        """Weights of samples are as real or as large as they are told; a duration of -1 is none, however it is written."""
        weights = [0.0004, 0.12345, 1e16, '5', -2, 3, 2.5e-9]
        path = self.path('amounts.json', json.dumps({'traceEvents': [], 'samples': [
            {'tid': 1, 'ts': i, 'weight': w, 'cpu': 1.6 if i else 2} for i, w in enumerate(weights)] + [{'tid': 1, 'ts': 50, 'weight': 'x', 'cpu': -1}]}))
        told = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        self.assertEqual([e.get('weight') for e in told], [float(w) for w in weights] + [None])
        self.assertEqual([e.get('cpu') for e in told], [2] + [1.6] * (len(weights) - 1) + [None])
        for n, dur in enumerate(('-1', '-1.0', '-1e0', '"-1"', '-10e-1')):
            path = self.path(f'open{n}.json', f'[{{"ph":"X","pid":1,"tid":1,"ts":1,"dur":{dur},"name":"never"}},{{"ph":"i","pid":1,"tid":1,"ts":9,"name":"x"}}]')
            self.assertEqual((self.info(path)['damaged'], {x['State'] for x in self.state(path, '0.000005')['nodes']} - OWN), (0, {'never'}), dur)

    def test_as_peers_have_it(self):
        """Phases of several letters, processes or threads that are not told, counters in text: the cases of Perfetto's own tests."""
        text = """{"displayTimeUnit": "ms", "traceEvents": [
          {"pid": "foo", "tid": "bar", "ts": 5.1, "dur": 500.1, "name": "name.exec", "ph": "XXX", "cat": "aaa"},
          {"name": "Child", "ph": "X", "ts": 601, "dur": 5, "pid": 1}, {"name": "Parent", "ph": "X", "ts": 601, "dur": 10, "pid": 1, "tid": 1},
          {"name": "Bar", "ph": "X", "tid": 0, "ts": 700, "dur": 3.708}, {"ph": "C", "pid": 1, "ts": 800, "name": "k",
           "args": {"a": ".75", "b": "246.", "c": "01.23", "d": "050", "e": "1.5e", "f": "2e+", "g": ".", "h": "+10.5", "i": "+", "j": "-"}},
          ]}"""
        path = self.path('peers.json', text)
        self.assertEqual(self.info(path)['damaged'], 0)
        self.assertEqual([(n['id'], n['State']) for n in self.state(path, '0.0001')['nodes']][-1], ('bar', 'name.exec'))
        inside = {n['id']: (n['State'], n['Depth']) for n in self.state(path, '0.000603')['nodes']}
        self.assertEqual(inside['thread 1'], ('Child', '2'))
        self.assertEqual({n['id']: n['State'] for n in self.state(path, '0.000702')['nodes']}['thread 0'], 'Bar')
        (node,) = (n for n in self.state(path, '0.0008')['nodes'] if n['id'] == 'process 1')
        self.assertEqual({k[2:]: float(v) for k, v in node.items() if k.startswith('k.') and v}, {'a': .75, 'b': 246, 'c': 1.23, 'd': 50, 'h': 10.5})

    def test_ids_of_processes(self):
        """Two processes use the same id at once: each slice is of its own process; one that ends in another process ends."""
        base = {'cat': 'c', 'id': 1, 'tid': 1}
        events = [dict(base, ph='b', pid=1, ts=1, name='a'), dict(base, ph='b', pid=2, ts=2, name='b'), dict(base, ph='e', pid=1, ts=5, name='a'),
                  dict(base, ph='e', pid=2, ts=8, name='b'), dict(base, ph='b', pid=1, ts=10, name='moves'), dict(base, ph='e', pid=2, ts=15)]
        path = self.path('ids.json', json.dumps(events))
        for at, inside in ((3, {'a', 'b'}), (6, {'b'}), (9, set()), (12, {'moves'}), (16, set())):
            nodes = self.state(path, f'{at / 1e6:.6f}')['nodes']
            self.assertEqual({n['State'] for n in nodes} - OWN, inside, at)
        self.assertEqual(self.info(path)['damaged'], 0)
        self.compare(path, lambda w: [w.last], events)

    def test_once_more_of_nobody(self):
        """A thread that is said to be another once more, of which no record has told, is one by itself, and nobody is added."""
        slices = [{'ph': 'X', 'pid': 1, 'tid': tid, 'ts': tid, 'dur': 5, 'name': 'a'} for tid in (1, 2)]
        for of, pid in ((77, 9), (77, 1), (1, 9), (1, 2)):
            told = {'ph': 'M', 'pid': 1, 'tid': 2, 'name': 'thread_name', 'args': {'name': 'b', 'of': of, 'of_pid': pid}}
            path = self.path('nobody.json', json.dumps(slices + [told]))
            self.assertEqual([t['id'] for t in self.info(path)['tasks']], ['process 1', 'thread 1', 'b 2'], (of, pid))
        path = self.path('nobody.json', json.dumps(slices + [dict(told, args={'name': 'b \u00b7 calls', 'of': 1, 'of_pid': 1})]))
        self.assertEqual([t['id'] for t in self.info(path)['tasks']], ['process 1', 'thread 1', 'thread 1 \u00b7 calls'])

    def test_totals_of_a_compiler(self):
        """What -ftime-trace sums up, on threads of their own, is no thread and computes nothing; a thread with a slice of such a name is one."""
        slices = [{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 5 + i, 'name': name} for i, name in enumerate(('Source', 'Frontend', 'Total of all'))]
        totals = [{'ph': 'X', 'pid': 1, 'tid': 2 + i, 'ts': 0, 'dur': 30, 'name': f'Total {name}', 'args': {'count': 1, 'avg ms': 0}}
                  for i, name in enumerate(('Source', 'Frontend', 'Source'))]
        alike = [{'ph': 'X', 'pid': 1, 'tid': 9, 'ts': 3, 'dur': 4, 'name': 'Total Source', 'args': {'count': 1}}]
        path = self.path('totals.json', json.dumps(slices + totals + alike))
        told = self.info(path)
        self.assertEqual([t['id'] for t in told['tasks']],
                         ['process 1', 'thread 1', 'Total Source', 'Total Frontend', 'Total Source of process 1', 'thread 9'])
        self.assertEqual((told['records'], told['damaged']), (7, 0))
        said = self.scope('info', path)[0]
        self.assertRegex(said, r'2 tasks \(Thread: 2\); 3 things that they use \(Total: 3\)')
        self.assertEqual([told['holds'][k] for k in ('tasks', 'things', 'around')], [2, 3, 1])
        self.assertIn('things that they use (3)', said)
        self.assertEqual({n['State'] for n in self.state(path, '0.000012')['nodes']} - OWN, {'Frontend', 'Total Source', 'Total Frontend'})

    def test_totals_in_any_order(self):
        """Whether a thread is a sum of a compiler, and what it is called, does not hang on the order of records of one date."""
        def x(tid, name, **args):
            return {'ph': 'X', 'pid': 1, 'tid': tid, 'ts': 0, 'dur': 30, 'name': name, 'args': args}
        records = [x(1, 'Source'), x(2, 'Total Source', count=1, **{'avg ms': 0}), x(3, 'Total A', count=1, **{'avg ms': 0}), x(3, 'Frontend'),
                   x(4, 'Total B', count=1, **{'avg ms': 0}), x(4, 'Total C', count=1, **{'avg ms': 0}), x(5, 'Total D', count=1, **{'avg ms': 0}),
                   {'ph': 'M', 'pid': 1, 'tid': 5, 'name': 'thread_name', 'args': {'name': 'sums'}}, x(5, 'Total D', count=2, **{'avg ms': 1})]
        any_ = random.Random(16)
        for _ in range(few(8)):
            any_.shuffle(records)
            path = self.path('order.json', json.dumps(records))
            said = self.scope('info', path)[0]
            self.assertRegex(said, r'3 tasks \(Thread: 3\); 2 things that they use \(Total: 2\)')
            self.assertEqual({t['id'] for t in self.info(path)['tasks']}, {'process 1', 'thread 1', 'Total Source', 'thread 3', 'thread 4', 'sums 5'}, records)

    def test_more_than_is_kept(self):
        n = 10050
        path = self.path('many.json', json.dumps([{'ph': 'C', 'pid': 1, 'ts': i, 'name': f'v{i}', 'args': {'x': i}} for i in range(n)]))
        info = self.info(path)
        self.assertEqual((info['events'], info['damaged']), (10000, 1))
        self.assertIn('50 values of the others', info['damage'][0]['reason'])

    def test_backslashes(self):
        """Who writes all but ASCII with backslashes tells the same processes, threads, fields and variables as who does not."""
        events = [{'ph': 'X', 'pid': 'procé', 'tid': 'fil \u0416"\U0001f600', 'ts': 10 * i, 'dur': 5, 'name': f'été {i}', 'args': {'clé': i, 'ü"\\x': 'ä'}}
                  for i in range(3)]
        events += [{'ph': 'C', 'pid': 'procé', 'ts': 3 * i, 'name': 'ctré', 'args': {'série': i, 'b': 2}} for i in range(5)]
        told = []
        for i, order in enumerate(((True, True), (False, False), (True, False))):       # the last: both ways in one file
            records = [json.dumps(e, ensure_ascii=order[n % 2]) for n, e in enumerate(events)]
            path = self.path(f'same{i}.json', '[' + ',\n'.join(records) + ']')
            told.append((self.scope('events', path)[0], [t['id'] for t in self.info(path)['tasks']]))
        self.assertEqual(told[0], told[1])
        self.assertEqual(told[0], told[2])
        self.assertIn('clé', str(told[0]))
        self.assertNotIn('u00e9', str(told[0]))

    def test_names_that_begin_alike(self):
        """However far: they are states of their own."""
        names = [c * n + str(i) for c, n in (('a', 500), ('b', 1000), ('ä', 700), ('c', 5000)) for i in range(3)]
        path = self.path('alike.json', json.dumps([{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 5, 'name': name}
                                                   for i, name in enumerate(names)]))
        states = [self.state(path, f'{(10 * i + 2) * 1e-6:.9f}')['nodes'][-1]['State'] for i in range(len(names))]
        self.assertEqual(len(set(states)), len(names))
        for name, state in zip(names, states):
            self.assertTrue(state == name or (len(name.encode()) > 1000 and name.startswith(state[:400])), state)

    def test_characters_that_xml_cannot_hold(self):
        """In names: pictures and pages can be read again."""
        odd = '\x01\x08\x0b\x1b[31m\x7f\ufffe<&>'
        path = self.path('odd.json', json.dumps([{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 't' + odd}},
                                                 {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 0, 'dur': 9, 'name': 'n' + odd},
                                                 {'ph': 's', 'pid': 1, 'tid': 1, 'ts': 2, 'id': 1, 'name': 'f' + odd},
                                                 {'ph': 'f', 'pid': 1, 'tid': 2, 'ts': 8, 'id': 1, 'name': 'f' + odd}]))
        self.scope('report', path, '-o', self.path('report'))
        pictures = [name for name in os.listdir(self.path('report')) if name.endswith('.svg')]
        self.assertEqual(len(pictures), 4)
        for name in pictures:
            tree = xml.etree.ElementTree.parse(self.path('report/' + name))
            self.assertIn('\\x01', ''.join(tree.getroot().itertext()))

    def test_what_is_alone(self):
        """Halves without the other, ends of nothing: told, and nothing is left inside of anything."""
        events = []
        for i in range(300):
            base = {'pid': 1, 'tid': i % 3, 'ts': i, 'name': 'n', 'cat': 'c', 'id': i}
            events.append(dict(base, ph='sfeEF'[i % 5]))
        path = self.path('alone.json', json.dumps(events))
        self.assertIn('began or ended alone', self.info(path)['damage'][0]['reason'])
        self.compare(path, lambda w: [w.last])

    def test_order_of_much(self):
        """More than is sorted together: whole threads after each other, children before their parents."""
        events = []
        for tid in range(4):
            for i in range(70000):
                events.append('{"ph":"X","pid":1,"tid":%d,"ts":%d,"dur":4,"name":"child"}' % (tid, 10 * i))
                events.append('{"ph":"X","pid":1,"tid":%d,"ts":%d,"dur":8,"name":"parent"}' % (tid, 10 * i))
        path = self.path('much.json', '[' + ',\n'.join(events))
        for at, name in (('0.000002', 'child'), ('0.300006', 'parent'), ('0.699999', 'No state')):
            self.assertEqual({n['State'] for n in self.state(path, at)['nodes']}, {name})

    def test_nearly_alike(self):
        """Of slices that begin together the longer is the outer one, however little longer, in any order of the file."""
        r = random.Random(os.environ.get('SCOPE_SEED', '1'))
        for n, base in enumerate((2, 10**6, 20 * 10**9, 10**13, 10**15, 4 * 10**17)):  # ns
            durations = [base + i for i in range(6)] + [base + 3]
            for turn in range(3):
                order = r.sample(range(7), 7) if turn else sorted(range(7), key=durations.__getitem__)
                text = ',\n'.join(f'{{"ph":"X","name":"s{i}","ts":5,"dur":{durations[i] // 1000}.{durations[i] % 1000:03d},"pid":1,"tid":1}}' for i in order)
                path = self.path(f'alike{n}-{turn}.json', f'[{text}]')
                told = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
                begun = [e['name'] for e in told if e['kind'] == 'Slice' and not e.get('end')]
                expected = [f's{i}' for i in sorted(order, key=lambda i: -durations[i])]  # alike ones stay as they came
                self.assertEqual(begun, expected, (base, order))
                self.assertEqual({x['State'] for x in self.state(path, '0.000005')['nodes']} - OWN, {expected[-1]}, (base, order))

    def test_self_time_of_what_begins_together(self):
        ends = {'loop': 19999996, 'run': 19999997, 'main': 19999999, '_start': 20000000}
        path = self.path('prof.json', json.dumps([{'ph': 'X', 'name': name, 'ts': 100, 'dur': us, 'pid': 1, 'tid': 1} for name, us in ends.items()]))
        self.scope('run', path, '--program', 'call-tree', '--out', self.path('o'))
        with open(self.path('o/call-tree.csv')) as f:
            rows = {row['call']: (int(row['depth']), float(row['exclusive [s]'])) for row in csv.DictReader(f)}
        self.assertEqual(rows, {'all tasks': (0, 0), '_start': (1, 1e-6), 'main': (2, 2e-6), 'run': (3, 1e-6), 'loop': (4, 19.999996)})

    def test_written_and_read_again(self):
        """What is exported as JSON is JSON, and the same execution at any instant."""
        paths = [os.path.join(ROOT, 'traces', name) for name in ('ring.trace', 'philosophers.trace')]
        for sample in ('paje/simgrid-waits.trace', 'otf2/pmpi-waits'):
            path = os.path.join(os.path.dirname(SAMPLES), sample)
            paths += [path] if os.path.exists(path) else []

        def twin_of(node, nodes):
            name = node['Nickname'] or node['Name']
            return next((n for n in nodes if n['Type'] == 'Thread' and n['Name'].rsplit(' ', 1)[0] == name), None)
        for n, path in enumerate(paths):
            again = self.check_written(path, '.json', twin_of, seed=n, dies=False)
            with open(again) as f:
                counts = Counter(e['ph'] for e in json.load(f)['traceEvents'])
            self.assertEqual(counts['s'], counts['f'], path)

    def test_sizes_of_messages(self):
        """What a message is of in bytes comes back; of flows that tell no size the report tells none."""
        def sums(path):
            out = self.path('told')
            shutil.rmtree(out, ignore_errors=True)
            text = self.scope('report', path, '-o', out)[0]
            with open(os.path.join(out, 'report.json')) as f:
                told = json.load(f)['messages']
            return re.search('messages +(.*)', text)[1], told, re.search(r'\d+ messages?[^;]*?received', text)[0]
        trace, again = os.path.join(ROOT, 'traces', 'fft2d-s16.trace'), self.path('sizes.json')
        self.scope('export', trace, '-o', again)
        with open(again) as f:
            events = json.load(f)['traceEvents']
        sent, came = ([e['args']['bytes'] for e in events if e['ph'] == phase] for phase in 'sf')
        self.assertGreater(sum(sent), 0)
        self.assertEqual(sums(again), sums(trace))
        self.assertEqual(sums(again)[1], {'sent': len(sent), 'sent_bytes': sum(sent), 'received': len(came), 'received_bytes': sum(came)})
        self.assertNotIn('Flow', {k['name'] for k in self.info(again)['kinds']})      # of the size alone there is no note
        r = random.Random(os.environ.get('SCOPE_SEED', '1'))
        for told in (True, False):
            records, total = [], [0, 0]
            for i in range(40):
                args = r.choice([{'bytes': r.randrange(10 ** 6)}, {'bytes': r.randrange(99), 'more': 'x'}, {}, {'bytes': -5}, {'bytes': 'many'}] if told else [{}, {'more': 3}])
                size = args.get('bytes', 0)
                for k, phase in enumerate('sf'):
                    records.append({'ph': phase, 'pid': 1, 'tid': 1 + k, 'ts': 10 * i + k, 'id': i, 'name': 'm', 'cat': 'c', **({'args': args} if args else {})})
                    total[k] += size if isinstance(size, int) and size > 0 else 0
            text, numbers, found = sums(self.path(f'flows{told}.json', json.dumps(records)))
            self.assertEqual([numbers['sent_bytes'], numbers['received_bytes']], total)
            if not told:
                self.assertEqual((text, found), ('40 sent task to task; 40 received', '40 messages were received'))

    def test_deeper_than_is_shown(self):
        """States that are too deep to be shown end first: those that are shown end when they do."""
        n = 6000
        records = [{'ph': 'B', 'pid': 1, 'tid': 1, 'ts': i, 'name': f'f{i}'} for i in range(n)]
        records += [{'ph': 'E', 'pid': 1, 'tid': 1, 'ts': n + i} for i in range(n)]
        path = self.path('deep.json', json.dumps(records))
        for at, state, depth in ((n, f'f{4095}', n - 1), (2 * n - 10, 'f8', 9), (2 * n - 1, 'No state', 0)):
            (node,) = (node for node in self.state(path, f'{at / 1e6:.6f}')['nodes'] if node['Type'] == 'Thread')
            self.assertEqual((node['State'], int(node['Depth'])), (state, depth), at)

    def test_what_is_under_way_is_no_task(self):
        """Requests under way are nobody's work where threads of their process are in slices: efficiency is that of the threads; where only they are told, they count."""
        r = random.Random(os.environ.get('SCOPE_SEED', '1'))
        end, busy = 10 ** 6, [r.randrange(5 * 10 ** 5, 10 ** 6) for _ in range(3)]
        lanes = [dict(ph=ph, cat='net', name=f'request {i % 3}', id=i, pid=1, tid=1, ts=ts) for i in range(20) for ph, ts in (('b', r.randrange(100)), ('e', r.randrange(200, end)))]
        slices = [dict(ph='X', name='work', pid=1, tid=10 + i, ts=0, dur=length) for i, length in enumerate(busy)] + [dict(ph='X', name='close', pid=1, tid=10 + i, ts=end, dur=0) for i in range(3)]
        flow = [dict(ph='s', cat='c', name='m', id=1, pid=1, tid=10, ts=5), dict(ph='f', bp='e', cat='c', name='m', id=1, pid=1, tid=11, ts=9)]
        for events, tasks in ((lanes + slices + flow, 3), (slices + flow, 3), (lanes, 20)):
            out = self.path('waits')
            path = self.path('made.json', json.dumps(events))
            self.scope('run', path, '--program', 'waits', '--out', out, '-q')
            with open(os.path.join(out, 'efficiency.csv'), encoding='utf-8', newline='') as f:
                told = {row[0]: float(row[1]) for row in list(csv.reader(f))[1:] if row[1]}
            self.assertEqual((told['Tasks'], self.info(path)['holds']['tasks']), (tasks, tasks))
            if tasks == 3:
                self.assertAlmostEqual(told['Load balance'], sum(busy) / 3 / max(busy), 9)
                self.assertAlmostEqual(told['Communication efficiency'], max(busy) / end, 9)

    def test_cache_of_values_is_damaged(self):
        """Values of events that were changed in the cache are read anew from the file, at once, wherever they are; so they are with clocks corrected."""
        r = random.Random(os.environ.get('SCOPE_SEED', '1'))
        events = [dict(ph='X', name='work', pid=1, tid=1 + i % 2, ts=i, dur=1, args={'x': f'h{r.randrange(1000):03}:{i}' * r.choice([1, 9])}) for i in range(12000)]
        events += [dict(ph=ph, cat='c', name='m', id=i, pid=1, tid=tid, ts=100 * i + ts, bp='e') for i in range(20) for ph, tid, ts in (('s', 1, 3), ('f', 2, 40))]
        path = self.path('made.json', json.dumps(events))
        for by in ('offsets', 'linear'):
            asks = ('events', path, '--json', '--clocks', by)
            before = self.scope(*asks)
            self.assertEqual([json.loads(line)['x'] for line in before[0].splitlines() if '"x":' in line and '"end"' not in line],
                             [e['args']['x'] for e in events[:12000]], by)
            top = os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'converted')
            for n in range(few(6) + 1):
                for kept in os.listdir(top):
                    file = os.path.join(top, kept, 'values')
                    with open(file, 'r+b') as f:
                        self.assertGreater(os.path.getsize(file), 2 * 65536)
                        f.seek(r.randrange(os.path.getsize(file) - 40))
                        f.write(bytes(r.randrange(256) for _ in range(40)) if n else bytes(40))
                self.assertEqual(self.scope(*asks), before, (by, n))
                self.assertEqual(self.scope(*asks), before, (by, n))

    def test_stays_of_what_is_under_way(self):
        """Stays of requests under way in a state that is asked for are the requests', not their process'."""
        r = random.Random(os.environ.get('SCOPE_SEED', '1'))
        spans = [(r.randrange(1, 100), r.randrange(200, 900)) for _ in range(3)]
        events = [dict(ph='X', name='work', pid=1, tid=tid, ts=0, dur=1000) for tid in (1, 2)]
        events += [dict(ph=ph, cat='net', name='request', id=i, pid=1, tid=1, ts=ts) for i, span in enumerate(spans) for ph, ts in zip('be', span)]
        program = self.path('stays.eve', '''<?xml version="1.0"?><eve version="1"><component name="R" class="scope.chrome-reader" version="1"/>
<component name="S" class="scope.calls-simulator" version="1"/><component name="D" class="scope.state-durations" version="1"><setting name="states">request</setting></component>
<component name="F" class="scope.csv-sink" version="1"><setting name="file">stays.csv</setting></component>
<wire from="R" out="events" to="S" in="events"/><wire from="S" out="states" to="D" in="states"/><wire from="D" out="dated" to="F" in="in"/></eve>''')
        self.scope('run', self.path('made.json', json.dumps(events)), '--program', program, '--out', self.path('out'), '-q')
        with open(self.path('out/stays.csv'), encoding='utf-8', newline='') as f:
            told = {row['owner']: round(float(row['value']), 9) for row in csv.DictReader(f)}
        self.assertEqual(told, {f'request \u00b7 {i + 1}' if i else 'request': (end - begin) / 1e6 for i, (begin, end) in enumerate(spans)})

    def test_sentences_name_requests(self):
        """Of many requests of one process the report says which one took longest and which shortest, not whose they are."""
        r = random.Random(os.environ.get('SCOPE_SEED', '1'))
        lasted = [*r.sample(range(1000, 2000), r.randrange(5, 20)), 5000]
        r.shuffle(lasted)
        events = [dict(ph='M', name='process_name', pid=7, tid=1, args={'name': 'server'}), dict(ph='X', name='loop', pid=7, tid=1, ts=0, dur=6000)]
        for i, ms in enumerate(lasted):         # all of them at once
            events += [dict(ph=ph, name='request', cat='net', id=i, pid=7, tid=1, ts=i + (ms if ph == 'e' else 0)) for ph in 'be']
        names = {ms: f'request \u00b7 {i + 1}' if i else 'request' for i, ms in enumerate(lasted)}
        self.scope('report', self.path('made.json', json.dumps(events)), '-o', self.path('report'), '-q')
        with open(self.path('report/report.txt'), encoding='utf-8') as f:
            text = ' '.join(f.read().split())
        told = re.search(r'\u201crequest\u201d is uneven among (\d+) tasks of \u201cAsync\u201d: [0-9.]+ \S+ of (.+?) at most, [0-9.]+ \S+ of (.+?) at least', text)
        self.assertEqual(told.groups(), (str(len(lasted)), names[max(lasted)], names[min(lasted)]))
        self.assertNotRegex(text, 'server 7 is unlike')

    def test_outside_of_slices(self):
        """A thread that is in no slice does nobody knows what: it neither computes nor waits, and where that is most of the time no efficiency is told."""
        r = random.Random(os.environ.get('SCOPE_SEED', '1'))
        for busy in (0.15, 0.8, 1.0):
            events, lives, within = [], [], []
            for thread in range(1, 4):
                at, inside = r.randrange(1000), 0
                first = at
                while at < 10 ** 6:
                    length = r.randrange(1000, 20000)
                    inner = r.randrange(1, length // 2)
                    events += [dict(ph='X', name=f'work {thread}', pid=1, tid=thread, ts=at, dur=length), dict(ph='X', name='inner', pid=1, tid=thread, ts=at + inner // 2, dur=inner)]
                    inside += length
                    last = at + length
                    at += max(length, round(length / busy))
                lives.append((first, last))
                within.append(inside)
            events += [dict(ph='s', cat='c', name='m', id=1, pid=1, tid=1, ts=lives[0][0] + 1), dict(ph='f', bp='e', cat='c', name='m', id=1, pid=1, tid=3, ts=last - 1)]
            begin, end = min(a for a, _ in lives), max(b for _, b in lives)
            untold = sum(end - a - inside for (a, _), inside in zip(lives, within)) / sum(end - a for a, _ in lives)
            self.scope('report', self.path('made.json', json.dumps(events)), '-o', self.path('report'), '-q')
            with open(self.path('report/report.txt'), encoding='utf-8') as f:
                text = ' '.join(f.read().split())
            told = re.search(r'[Oo]f ([0-9.]+) % of the time of tasks no state says what they do', text)
            computed = re.search(r'tasks computed ([0-9.]+) (ms|s) of', text)
            self.assertEqual(bool(told), untold >= 0.02, (busy, untold))
            self.assertEqual(bool(computed), untold < 0.5, (busy, untold))
            self.assertEqual('nobody can tell' in text, untold >= 0.5)
            if untold > 0.001:
                self.assertNotIn('On an ideal network', text)
            if told:
                self.assertAlmostEqual(float(told[1]) / 100, untold, delta=0.0006)
            if computed:
                self.assertAlmostEqual(float(computed[1]) * (1e-3 if computed[2] == 'ms' else 1), sum(within) / 3e6, delta=0.006)
            shutil.rmtree(self.path('report'))

    def test_flows_of_other_names(self):
        """Ends of a flow may each be called by the slice that they are in: the id finds them, in its own scope; a step alone is no message to itself."""
        r, events, expected, alone, ts = random.Random(4), [], Counter(), 0, 1000
        for n in range(60):
            scope = {'scope': 'one'} if n % 2 else {}                   # both have the id
            threads = [r.randrange(5) for _ in range(r.randrange(1, 5))]
            phases = ['s', *'t' * (len(threads) - 2), 'f'] if len(threads) > 1 else [r.choice('stf')]
            for i, (thread, phase) in enumerate(zip(threads, phases)):
                ts += r.randrange(1, 40)
                events.append({'ph': phase, 'ts': ts, 'pid': 1, 'tid': thread, 'cat': 'flow', 'id': n // 2, 'name': f'in {i}' if n % 3 else 'same', **scope})
                if i > 0:
                    expected[f'thread {threads[i - 1]}', f'thread {thread}'] += 1
            alone += len(threads) == 1
            if len(threads) == 1:
                events[-1]['id'] = f'alone {n}'
        path = self.path('named.json', json.dumps(events))
        self.assertGreater(self.compare(path, lambda w: [r.randrange(w.first, w.last + 1) for _ in range(few(4))] + [w.last]), 0)
        state = self.state(path, f'{ts / 1e6 + 1:.6f}')
        self.assertEqual({(e['from'].replace(' 1 of process 1', ' 1'), e['to'].replace(' 1 of process 1', ' 1')): int(e['Messages']) for e in state['edges'] if int(e['Messages'])}, dict(expected))
        self.assertIn(f'{alone} flow', self.info(path)['damage'][0]['reason'])

    def test_processes_that_do_nothing(self):
        """A process of which but a name and a place are told is no row; those that do something stand as the file told them first."""
        events = [{'ph': 'M', 'ts': 0, 'pid': pid, 'tid': 0, 'name': what, 'args': args} for pid in range(20, 0, -1) for what, args in (
            ('process_name', {'name': 'python'}), ('process_labels', {'labels': f'GPU {pid}'}), ('process_sort_index', {'sort_index': 7}))]
        events += [{'ph': 'X', 'ts': 5, 'dur': 2, 'pid': 4, 'tid': 1, 'name': 'kernel'}, {'ph': 'C', 'ts': 6, 'pid': 15, 'name': 'load', 'args': {'value': 3}},
                   {'ph': 'M', 'ts': 0, 'pid': 11, 'tid': 9, 'name': 'thread_name', 'args': {'name': 'idle'}}]
        path = self.path('gpus.json', json.dumps(events))
        self.assertEqual([t['id'] for t in self.info(path)['tasks']], ['python 15 (GPU 15)', 'python 11 (GPU 11)', 'idle 9', 'python 4 (GPU 4)', 'thread 1'])
        self.assertGreater(self.compare(path, lambda w: [w.first, w.last]), 0)


main()
