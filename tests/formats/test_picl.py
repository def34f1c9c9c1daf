#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PICL traces of both dialects, made here, beside a second computation (picl.py); damaged and packed."""
import csv
import json
import os
import random
import sys
import unittest
from decimal import Decimal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main                                                    # noqa: E402
from picl import Trace, new, old                                                                # noqa: E402


class Picl(Format):
    def compare(self, path, instants, seed):
        trace, r, n = Trace(path), random.Random(seed), 0
        info = self.info(path)
        kinds = {k['name']: k['begun'] for k in info['kinds']}
        self.assertEqual((kinds.get('Send', 0), kinds.get('Receive', 0)), (len(trace.sends), len(trace.receives)))
        for _ in range(few(instants)):
            at = (trace.last * Decimal(r.random())).quantize(Decimal('0.000000001')) + Decimal('0.0000000005')
            at = at.quantize(Decimal('0.000000001'))
            state = json.loads(self.scope('state', path, '--at', f'{at:f}', '--json')[0])
            nodes = {node['id']: node for node in state['nodes']}
            for name, first in trace.seen.items():
                if first > at:
                    continue
                node = nodes[name]
                self.assertEqual(node['State'], trace.condition(name, at), (path, at, name))
                if name + ' · calls' in nodes:
                    self.assertEqual(nodes[name + ' · calls']['State'], trace.call(name, at), (path, at, name))
                self.assertEqual(int(node['Sent']), sum(1 for d, w, *_ in trace.sends if w == name and d <= at))
                self.assertEqual(int(node['Received']), sum(1 for d, w, *_ in trace.receives if w == name and d <= at))
                has = {}
                for date, who, what, value in trace.sets:
                    if who == name and date <= at:
                        has[what] = value
                for what, value in has.items():
                    self.assertAlmostEqual(float(node[what]), float(value), places=6, msg=(path, at, name, what))
                n += 4 + len(has)
        return n

    def test_data_without_their_type(self):
        """What tells the type of the data is none of them, whether or not a line is of plain numbers; some writers leave it out."""
        lines = ['-3 -901 0.0 0 0 0', '-3 -21 0.1 0 0 3 2 8 1 1', '-4 -21 0.2 0 0 0', '-2 7 0.3 0 0 2 "%d %s" 4 word', '-2 8 0.4 0 0 2 5 1.5 2.5',
                 '-3 -51 0.5 0 0 3 1 2 -1', '-4 -51 0.6 0 0 4 2 8 2 0 0', '-3 9 0.7 0 0 1 2 55', '-4 9 0.8 0 0 0', '-2 9 0.85 0 0 0', '-4 -901 0.9 0 0 0']
        told = [json.loads(line) for line in self.scope('events', self.path('data.trf', '\n'.join(lines) + '\n'), '--json')[0].splitlines()]
        self.assertEqual([e['data'] for e in told if e.get('data') and not e.get('end')], ['8 1 1', '4 word', '1.5 2.5', '1 2 -1', '55'])

    def test_old_traces_at_random_instants(self):
        n = 0
        for seed in range(few(8)):
            n += self.compare(self.path(f'old{seed}', old(seed)), 5, seed)
        self.assertGreaterEqual(n, 4 * few(8) * few(5))      # four of a task, at each instant

    def test_new_traces_at_random_instants(self):
        n = 0
        for seed in range(few(8)):
            n += self.compare(self.path(f'new{seed}', new(seed, tasks=1 + seed % 2)), 5, seed)
        self.assertGreaterEqual(n, 4 * few(8) * few(5))      # four of a task, at each instant

    def test_what_writers_do(self):
        # a task that repeats its node, four or three values of a send, a descriptor that is missing, a text
        text = '\n'.join(f'-3 -901 0.{i:03} {i} {i} 0' for i in range(3)) + '''
-3 -21 0.01 0 0 3 2 100 5 2
-4 -21 0.02 0 0 0
-3 -51 0.02 2 2 1 1 2 -1
-4 -52 0.03 2 2 4 2 100 5 0 0
-2 -911 0.04 1 1 2 "%d %s" 5 words
-202 -812 0.05 -1 -1 3 2 7 0 1
'''
        path = self.path('writers', text)
        info = self.info(path)
        self.assertEqual(info['damaged'], 0)
        self.assertEqual([t['id'] for t in info['tasks'] if '·' not in t['id']], ['node 0', 'node 1', 'node 2'])
        state = self.state(path, '0.05')
        self.assertEqual([(e['from'], e['to'], e['TotalTraffic']) for e in state['edges']], [('node 0', 'node 2', '100')])
        self.assertIn('words', self.scope('events', path, '--kind', 'Note')[0])
        shown = {n['id']: n['State'] for n in self.state(path, '0.025')['nodes']}
        self.assertEqual(shown['node 2'], 'Idle')       # as its exit tells

    def test_waits(self):
        """A blocking receive waits until its send has begun, as every receive here has its own."""
        r, lines, want = random.Random(int(os.environ.get('SCOPE_SEED', '1'))), [], [0] * 3
        at = [0] * 3        # ms
        lines += [(0, f'-3 -901 0.0 {i} -1 0') for i in range(3)]
        for _ in range(60):
            a, b = r.sample(range(3), 2)
            begin, send = at[b] + r.randrange(1, 50), at[a] + r.randrange(1, 50)
            done = max(begin, send + 2) + 1
            want[b] += max(0, send - begin)
            lines += [(send, f'-3 -21 {send / 1000} {a} -1 3 2 64 7 {b}'), (send + 2, f'-4 -21 {(send + 2) / 1000} {a} -1 0')]
            lines += [(begin, f'-3 -52 {begin / 1000} {b} -1 1 2 7'), (done, f'-4 -52 {done / 1000} {b} -1 3 2 64 7 {a}')]
            at[a], at[b] = send + 3, done + 1
        lines += [(max(at) + 1, f'-4 -901 {(max(at) + 1) / 1000} {i} -1 0') for i in range(3)]
        path = self.path('waits.trf', '\n'.join(line for _, line in sorted(lines, key=lambda x: x[0])) + '\n')
        self.scope('run', path, '--program', 'waits', '--out', self.path('waits'))
        with open(self.path('waits/tasks.csv'), encoding='utf-8') as f:
            rows = {row['task']: row for row in csv.DictReader(f)}
        self.assertEqual([round(1000 * float(rows[f'node {i}']['Late sender [s]'])) for i in range(3)], want)
        self.assertGreater(min(want), 0)

    def test_travel_and_packing(self):
        self.check_travel_and_packing('t.trf', new(3).encode(), ('0.5', '7.25'))
        self.check_travel_and_packing('t.old', old(3).encode(), ('0.5', '1.25'))

    def test_damage(self):
        for text, bad in ((new(4), [('-3 -21 x 0 0 0', 'a record has'), ('-99 1 0.5 0 0 0', 'no type of record'), ('-3 1 0.5 0 0 9', 'are announced'),
                                    ('-3 1', 'a record has')]),
                          (old(4), [('junk', 'no record'), ('4 1 2 0 3', 'has 3 values'), ('4 1 2000000 0 1 1 1', 'a record has'),
                                    ('send clock x 0 node 0 to 1', 'a record has')])):
            sound = self.info(self.path('sound', text))
            self.assertEqual(sound['damaged'], 0)
            for i, (line, word) in enumerate(bad):
                shown = self.scope('info', self.path(f'bad{i}', text + line + '\n'))[0]
                self.assertIn(word, shown)
                self.assertIn(f'line {text.count(chr(10)) + 1}', shown)
            self.check_damage('t', text.encode(), cut=1999, changed=12)
            lines = text.splitlines(keepends=True)
            r = random.Random(1)
            for _ in range(4):
                r.shuffle(lines)
                self.scope('info', self.path('shuffled', ''.join(lines)), status=(0, 1))


main()
