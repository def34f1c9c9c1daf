#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The machine that a file `topology` tells of: what went over each wire at random instants, beside what all messages of the raw files
sum up to on ways that are found a second time; the lines of a picture pass the nodes of these ways; files that are damaged.

usage: test_topology.py SCOPE SOURCE_FOLDER"""
import collections
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCOPE, ROOT = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests', 'model')]
from few import few
import pvm
import raw


class Machine:
    """A random one: some switches, every node joined to one that came before it, further wires, tasks anywhere, some routes."""
    def __init__(self, dice, tasks):
        self.nodes = [f'n {k}' if k % 3 == 0 else f'n{k}' for k in range(dice.randrange(3, 9))]
        self.wires, self.routes = [], {}
        for k in range(1, len(self.nodes)):
            self.wires.append((self.nodes[k], self.nodes[dice.randrange(k)]))
        for _ in range(dice.randrange(4)):
            a, b = dice.sample(self.nodes, 2)
            if (a, b) not in self.wires and (b, a) not in self.wires:
                self.wires.append((a, b))
        self.on = {t: dice.choice(self.nodes) for t in tasks}
        for _ in range(3):                              # a walk that meets no node twice
            way = [dice.choice(self.nodes)]
            while dice.random() < 0.8:
                further = [n for n in self.near(way[-1]) if n not in way]
                if not further:
                    break
                way.append(dice.choice(further))
            if len(way) > 1:
                self.routes[way[0], way[-1]] = way
        self.places = {n: (round(dice.random(), 3), round(dice.random(), 3)) for n in self.nodes}

    def near(self, node):
        return [b if a == node else a for a, b in self.wires if node in (a, b)]

    def way(self, a, b):
        if (a, b) in self.routes:
            return self.routes[a, b]
        if (b, a) in self.routes:
            return self.routes[b, a][::-1]
        before, queue = {a: None}, collections.deque([a])
        while queue:
            at = queue.popleft()
            for n in self.near(at):
                if n not in before:
                    before[n] = at
                    queue.append(n)
        way = [b]
        while way[-1] != a:
            way.append(before[way[-1]])
        return way[::-1]

    def text(self):
        q = '"{}"'.format
        return ('topology 1\n# a machine\n' + ''.join(f'node {q(n)} {x} {y}\n' for n, (x, y) in self.places.items())
                + ''.join(f'wire {q(a)} {q(b)}\n' for a, b in self.wires) + ''.join(f'on {q(n)} {t}\n' for t, n in self.on.items())
                + ''.join(f'route {" ".join(map(q, way))}\n' for way in self.routes.values()))


class Topology(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ('CACHE', 'DATA', 'CONFIG'):
            os.environ[f'XDG_{name}_HOME'] = os.path.join(self.folder.name, 'home')

    def bundle(self, name, text):
        to = os.path.join(self.folder.name, name)
        if not os.path.exists(to):
            shutil.copytree(os.path.join(ROOT, 'traces', name), to)
        with open(os.path.join(to, 'topology'), 'w', encoding='utf-8') as f:
            f.write(text)
        return to

    def draw(self, bundle, at, end):
        out = os.path.join(self.folder.name, 'x.' + end)
        done = subprocess.run([SCOPE, 'draw', bundle, '--view', 'State graph', '--set', 'State graph.layout=topology', '--at', f'{at:.9f}', '--size', '900x700',
                               '-o', out], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, encoding='utf-8') as f:
            return f.read()

    def test_wires_have_what_went_over_them(self):
        for name, seed in (('fft2d-s16.trace', 1), ('heat2d.trace', 2), ('births.trace', 3)):
            trace, dice = raw.read(os.path.join(ROOT, 'traces', name)), random.Random(seed)
            for _ in range(few(4)):
                machine = Machine(dice, [t.id for t in trace.tasks.values()])
                at = dice.randrange(trace.first + 1, trace.last)
                model = pvm.Pvm(trace)
                for e in trace.events:
                    if e.date <= at:
                        model.step(e)
                want, passed = collections.Counter(), collections.Counter()
                for edge in model.state(at)['edges']:
                    a, b = edge['id'].split('->')
                    way = machine.way(machine.on[a], machine.on[b])
                    passed[len(way)] += 1
                    for pair in zip(way, way[1:]):
                        want[frozenset(pair)] += edge['TotalTraffic']
                rows = list(csv.reader(self.draw(self.bundle(name, machine.text()), at / trace.ticks, 'csv').splitlines()))
                column = next(k for k, head in enumerate(rows[0]) if head.startswith('link TotalTraffic'))
                got = {frozenset(row[1].split('--')): int(row[column]) for row in rows if row[0] == 'wire'}
                self.assertEqual(got, {frozenset(w): want[frozenset(w)] for w in machine.wires}, (name, at, machine.text()))
                self.assertEqual(sum(got.values()), sum(want.values()))

    def test_lines_pass_the_nodes_of_their_ways(self):
        machine = Machine(random.Random(5), ())
        machine.nodes, machine.places = list('abcdef'), dict(zip('abcdef', ((0, 0), (1, 0), (0, 1), (1, 1), (0.3, 0.5), (0.7, 0.5))))
        machine.wires = [('a', 'e'), ('c', 'e'), ('b', 'f'), ('d', 'f'), ('e', 'f')]
        machine.routes, machine.on = {}, dict(zip(('t40002', 't40003', 't40004', 't40005'), 'abcd'))
        svg = self.draw(self.bundle('fft2d-s16.trace', machine.text()), 0.2, 'svg')
        lines = []
        for style, d in re.findall(r'<path style="([^"]*)" d="([^"]*)"', svg):
            if 'stroke:rgb' in style:
                for part in d.split('M')[1:]:
                    numbers = [float(x) for x in re.findall(r'-?[\d.]+', part)]
                    lines.append(list(zip(numbers[::2], numbers[1::2])))
        squares = [line for line in lines if len(line) >= 4 and abs(abs(line[0][0] - line[1][0]) + abs(line[0][1] - line[1][1]) - 12) < 0.01 and len(line) < 7]
        middles = sorted(((min(x for x, _ in s) + max(x for x, _ in s)) / 2, (min(y for _, y in s) + max(y for _, y in s)) / 2) for s in squares)
        self.assertEqual(len(middles), 2, 'e and f are seen, the others lie below their tasks')
        left, right = middles
        near = lambda p, q: abs(p[0] - q[0]) + abs(p[1] - q[1]) < 9  # noqa: E731
        ways = collections.Counter()
        for line in lines:
            if len(line) in (3, 4) and line not in squares and any(near(line[1], m) for m in middles):
                ways[tuple('ef'[near(p, right)] for p in line[1:-1])] += 1
                self.assertTrue(all(near(p, left) or near(p, right) for p in line[1:-1]), line)
        self.assertEqual(ways, {('e',): 2, ('f',): 2, ('e', 'f'): 4, ('f', 'e'): 4}, lines)

    def test_files_that_say_nothing_sensible(self):
        for text, words in (('', 'line 1: no node is told of'), ('topologie\n', 'line 1: a topology begins with'), ('topology 1\nnod a\n', '“nod” begins no line'),
                            ('topology 1\nnode a\nnode a\n', 'line 3: the node “a” is there already'), ('topology 1\nwire a a\n', 'a wire from “a” to itself'),
                            ('topology 1\nnode a 2 0\n', '“2” is no place'), ('topology 1\nwire a b\nwire b c\nroute a c\n', 'no wire joins “a” and “c”'),
                            ('topology 1\nroute a c\n', 'no node is called “a”'), ('topology 1\non a\n', 'on NODE TASK'), ('topology 1\nwire "a b\n', 'line 2: '),
                            ('topology 1\non a ' + '*a' * 40 + '\n', 'at most 64 bytes')):
            bundle = self.bundle('ring.trace', text)
            out = os.path.join(self.folder.name, 'bad.svg')
            done = subprocess.run([SCOPE, 'draw', bundle, '--view', 'State graph', '--set', 'State graph.layout=topology', '--at', '0.1', '-o', out],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, words in done.stderr), (0, True), (text, words, done.stderr))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
