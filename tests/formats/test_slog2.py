#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SLOG-2 at random instants beside a second computation (mpe.py), damaged, packed, and opened as it is."""
import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main, samples
import mpe                                                                                      # noqa: E402

SAMPLES = samples('slog2')
CATEGORIES = [(0, 'message', 2, ['tag=', ', size='], 'dd'), (1, 'Compute', 1, ['n=', ' of %'], 'Es'), (2, 'Dead', 1, [], ''),
              (3, 'mark', 0, ['why='], 's'), (-1, 'Preview_State', 1, [], '')]


def string(s):
    b = s.encode()
    return struct.pack('>h', len(b)) + b


def made(seed, n=200):
    """Drawables in three nodes, states that begin together, arrows back in time, composites, and previews behind them."""
    r = random.Random(seed)

    def primitive(span):
        index = r.choice([0, 0, 1, 1, 1, 2, 3])
        b = round(r.uniform(*span), 3)
        e = b if index == 3 else round(b + r.choice([0, .001, .01, .05, -.01 if index == 0 else .02]), 3)
        lines = [r.randrange(5)] * 2 if index else [r.randrange(5), r.randrange(5)]
        info = [struct.pack('>ii', 3, r.randrange(1000)), struct.pack('>d', 1.5) + string('w'), b'', string('so')][index]
        vertices = [(b, lines[0])] if index == 3 else [(b, lines[0]), (e, lines[1])]
        return index, struct.pack('>ih', index, len(info)) + info + struct.pack('>h', len(vertices)) + b''.join(struct.pack('>di', *v) for v in vertices)
    nodes, at = [], 108
    for span, depth in (((0, 1), 0), ((1, 2), 0), ((0, 2), 1)):
        lists = ([], [])
        for _ in range(n // 3):
            index, body = primitive(span)
            if r.random() < .1:
                more = [body, primitive(span)[1]]
                body = struct.pack('>bihh', 1, 1, 0, len(more)) + b''.join(more)
            else:
                body = b'\0' + body
            lists[index in (1, 2)].append(body)
        shadow = struct.pack('>ihh', -1, 0, 2) + struct.pack('>didi', 0, 0, 1, 0) + struct.pack('>ddqi', 0, 1, 5, 0)
        body = b''.join(struct.pack('>i', len(x)) + b''.join(x) for x in lists) + struct.pack('>i', 1) + shadow
        size = 34 + len(body)
        nodes.append((depth, at, size, struct.pack('>ddhiqi', *span, depth, 0, at, size) + body))
        at += size
    categories = struct.pack('>i', len(CATEGORIES))
    for index, name, topology, keys, types in CATEGORIES:
        categories += struct.pack('>i', index) + string(name) + struct.pack('>i', topology) + bytes(6) + struct.pack('>h', len(keys))
        categories += b''.join(map(string, keys)) + struct.pack('>h', len(types)) + types.encode() + struct.pack('>hffq', 0, 0, 0, 0)
    lines = struct.pack('>i', 1) + string('Process View') + struct.pack('>i', 1) + string('world_rank') + struct.pack('>i', 5)
    lines += b''.join(struct.pack('>ii', i, i) for i in range(5)) + struct.pack('>h', 0)
    tree = struct.pack('>i', 3) + b''.join(struct.pack('>hiddqi', depth, 0, 0, 2, place, size) for depth, place, size, _ in nodes)
    parts, pointers = [categories, b'', lines, None, tree, b'', b''], b''
    for part in parts:
        size = nodes[-1][2] if part is None else len(part)
        pointers += struct.pack('>qi', nodes[-1][1] if part is None else at if part else 0, size)
        at += size if part else 0
    return string('SLOG 2.0.6') + struct.pack('>hihi', 2, 65536, 1, 65536) + pointers + b''.join(x[3] for x in nodes) + categories + lines + tree


class Slog2(Format):
    def test_made_logs_at_random_instants(self):
        n = 0
        for seed in range(few(6)):
            path = self.path(f'made{seed}.slog2', made(seed))
            model = mpe.Slog(path).model()
            self.assertEqual(mpe.compare_counts(self, path, model)[0]['damaged'], 0)
            r = random.Random(seed)
            n += mpe.compare(self, path, model, [r.randrange(model.first, model.last + 1) for _ in range(few(6))])
        self.assertGreater(n, few(few(500)))
        shown = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        self.assertEqual({(e['n'], e['of']) for e in shown if e['kind'] == 'Compute'}, {(1.5, 'w')})
        self.assertEqual({e['arg_tag'] for e in shown if e['kind'] == 'Send'}, {3})
        self.assertEqual(sum(e['bytes'] for e in shown if e['kind'] == 'Send'), sum(m[4] for m in model.messages if m[1]))

    def test_samples(self):
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        for path, expected in mpe.expected_of(SAMPLES):
            slog = mpe.Slog(path)
            model = slog.model()
            info, total = mpe.compare_counts(self, path, model)
            self.assertEqual(info['damaged'], 0)
            states, arrows = sum(model.kinds.values()), len(model.messages) // 2
            by_topology = {k: v for k, v in (('State', states), ('Arrow', arrows), ('Event', model.marks)) if v}
            # the last event lies on the end of the log, which the peer leaves out
            last = sum(ns == max(round(v[-1][0] * 1e9) for _, v, _ in slog.drawables) and slog.categories[i][1] == 0
                       for i, v, _ in slog.drawables for ns in [round(v[0][0] * 1e9)])
            by_topology['Event'] = model.marks - last
            self.assertEqual({k: v for k, v in by_topology.items() if v}, expected['by_topology'], path)
            self.assertEqual(len(slog.drawables) - last, expected['drawables'], path)
            for name, count in expected['counts']:
                self.assertEqual(arrows if name == 'message' else model.kinds[name], count, (path, name))
            for name, seconds in expected['time_s']:
                shown = sum(abs(v[-1][0] - v[0][0]) for i, v, _ in slog.drawables if slog.categories[i][1] == 2) if name == 'message' else total[name]
                self.assertAlmostEqual(shown, seconds, delta=1e-6, msg=(path, name))
            self.assertAlmostEqual(info['first'], expected['first'], delta=1e-8)
            self.assertAlmostEqual(info['last'], expected['last'], delta=1e-6)
            r = random.Random(path)
            mpe.compare(self, path, model, [r.randrange(model.first, model.last + 1) for _ in range(few(4))])
        for other in ('barrier.rlog', 'errtime1.txt'):
            self.assertIn('no format', self.scope('info', os.path.join(SAMPLES, other), status=1)[1])

    def test_one_run_in_two_forms(self):
        """The same execution, as CLOG-2 and as SLOG-2, is in the same states."""
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        for at in ('0.0012', '0.002', '0.0031'):
            shown = [{n['id']: (n['State'], n['Depth'], n['Sent'], n['Received']) for n in
                      self.state(os.path.join(samples(form), f'colls6.{form}'), at)['nodes']} for form in ('clog2', 'slog2')]
            self.assertEqual(*shown)

    def test_damage(self):
        data = made(9, 120)
        self.check_damage('slog2', data, changed=12)
        old = self.scope('info', self.path('old.slog2', data.replace(b'2.0.6', b'2.0.5', 1)), status=1)[1]
        self.assertIn('another version', old)
        nodes = self.scope('info', self.path('cut.slog2', data[:len(data) - 150]))[0]
        self.assertIn('ends here', nodes)
        info = self.info(self.path('walk.slog2', data[:-60]))           # the list of nodes is missing
        self.assertEqual((info['events'], info['damaged']), (self.info(self.path('whole.slog2', data))['events'], 2))
        self.check_travel_and_packing('plain.slog2', data, ['0.4', '1.5'])


main()
