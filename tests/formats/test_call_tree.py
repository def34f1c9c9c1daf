#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The call tree of executions whose calls are known, at random instants and over random windows, beside a second
computation from the calls themselves: each is a thread, a name, the calls around it, a begin and an end."""
import csv
import io
import json
import os
import random
import sys
import unittest
from collections import defaultdict

from formats import ROOT, Format, few, samples
import chrome

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import calls as calls_model  # noqa: E402
import raw  # noqa: E402

NAMES = ['main', 'solve', 'step', 'MPI_Send', 'a;b', 'back\\slash', 'walk', 'sort']


def make(seed, threads=4, calls=60):
    """Chrome's records, and the calls: (thread, names from the outermost, begin, end), in ns."""
    r, out, made = random.Random(seed), [], []
    for thread in range(threads):
        clock, stack = r.randrange(1000), []
        out.append((0, {'ph': 'M', 'pid': 1 + thread // 2, 'tid': thread, 'name': 'thread_name', 'args': {'name': f'T{thread}'}}))
        for _ in range(calls):
            clock += r.choice([0, 0, 1, 7, 1000, 30000])
            while stack and r.random() < 0.45:
                name, path, begin = stack.pop()
                made.append((thread, path, begin, clock))
                out.append((clock, {'ph': 'E', 'pid': 1 + thread // 2, 'tid': thread}))
                clock += r.choice([0, 5, 900])
            name = r.choice(NAMES[:3] + ['walk', 'walk'] if stack else NAMES)
            path = (stack[-1][1] if stack else ()) + (name,)
            stack.append((name, path, clock))
            out.append((clock, {'ph': 'B', 'pid': 1 + thread // 2, 'tid': thread, 'name': name}))
        while stack:
            clock += r.randrange(4000)
            name, path, begin = stack.pop()
            made.append((thread, path, begin, clock))
            out.append((clock, {'ph': 'E', 'pid': 1 + thread // 2, 'tid': thread}))
    order = sorted(range(len(out)), key=lambda i: out[i][0])
    lines = [json.dumps(dict(out[i][1], ts=0)).replace('"ts": 0', f'"ts": {out[i][0] // 1000}.{out[i][0] % 1000:03d}') for i in order]
    return '[' + ',\n'.join(lines) + ']', made


def tree_of(made, begin, end, group=lambda thread: 'all tasks', until=False):
    """{path: [inclusive, exclusive, visits]} of the window, the group being the first of a path.  `until`: what begins at
    its end has been entered."""
    tree = defaultdict(lambda: [0, 0, 0])
    for thread, path, a, b in made:
        time = max(min(b, end) - max(a, begin), 0)
        whole = (group(thread),) + path
        tree[whole][0] += time
        tree[whole][1] += time
        tree[whole[:-1]][1] -= time
        tree[whole][2] += begin <= a < end or (until and a == end)
        if len(path) == 1:
            tree[whole[:1]][0] += time
            tree[whole[:1]][1] += time
    for path in [p for p in tree if len(p) == 1]:
        tree[path][1] = 0
    return {p: row for p, row in tree.items() if row[0] > 0 or row[2] > 0}


def regions_of(made, begin, end, until=False):
    """{name: [inclusive, exclusive, visits]}: of a call inside of itself the outermost counts."""
    tree, out = tree_of(made, begin, end, until=until), defaultdict(lambda: [0, 0, 0])
    for path, row in tree.items():
        if len(path) > 1:
            out[path[-1]][0] += row[0] if path[-1] not in path[1:-1] else 0
            out[path[-1]][1] += row[1]
            out[path[-1]][2] += row[2]
    return out


def read_tree(text):
    path, tree, order = [], {}, []
    for row in csv.DictReader(io.StringIO(text)):
        path = path[:int(row['depth'])] + [row['call']]
        assert tuple(path) not in tree, path
        tree[tuple(path)] = [round(float(row['inclusive [s]']) * 1e9), round(float(row['exclusive [s]']) * 1e9), int(row['visits'] or 0)]
        order.append(tuple(path))
    return tree, order


class CallTree(Format):
    def first(self, path):
        return json.loads(self.scope('info', path, '--json')[0])['first']

    def draw(self, path, at, *more, view='Flame graph'):
        out = self.path('tree.csv')
        self.scope('draw', path, '--program', 'call-tree', '--view', view, '-o', out, *(['--at', at] if at else []), *more)
        with open(out, encoding='utf-8', newline='') as f:
            return f.read()

    @staticmethod
    def text(ns):
        return f'{ns // 10**9}.{ns % 10**9:09d}'

    def test_any_instant(self):
        """Played to, travelled to, forward and back; calls that last count as far as they have come."""
        for seed in (1, 2):
            data, made = make(seed)
            path, r = self.path(f'made{seed}.json', data), random.Random(seed)
            last = max(b for _, _, _, b in made)
            for _ in range(few(6)):
                at = r.randrange(last)
                got, order = read_tree(self.draw(path, self.text(at)))
                self.assertEqual(got, tree_of(made, 0, at, until=True), (seed, at))
                beside = defaultdict(list)
                for p in order:
                    beside[p[:-1]].append(got[p][0])
                for amounts in beside.values():
                    self.assertEqual(amounts, sorted(amounts, reverse=True))
                out = self.path('out')
                self.scope('run', path, '--program', 'call-tree', '--until', self.text(at), '--out', out)
                with open(os.path.join(out, 'call-tree.csv'), encoding='utf-8', newline='') as f:
                    self.assertEqual(read_tree(f.read())[0], got, at)
                with open(os.path.join(out, 'calls.csv'), encoding='utf-8', newline='') as f:
                    rows = {row['call']: [round(float(row['inclusive [s]']) * 1e9), round(float(row['exclusive [s]']) * 1e9), int(row['visits'])]
                            for row in csv.DictReader(f)}
                self.assertEqual(rows, {n: row for n, row in regions_of(made, 0, at, until=True).items()}, at)

    def test_windows_and_groups(self):
        data, made = make(3)
        path, r = self.path('made.json', data), random.Random(3)
        last = max(b for _, _, _, b in made)
        for _ in range(few(4)):
            a, b = sorted((r.randrange(last), r.randrange(last)))
            got, _ = read_tree(self.draw(path, None, '--set', f'Call tree.from={self.text(a)}', '--set', f'Call tree.to={self.text(b)}'))
            self.assertEqual(got, tree_of(made, a, b), (a, b))
        at = last // 2
        names = {thread: f'T{thread}' for thread in range(4)}
        for by, group in (('tasks', names.get), ('hosts', None), ('types', None)):
            got, _ = read_tree(self.draw(path, self.text(at), '--set', f'Call tree.trees of={by}'))
            if group is None:       # how the format calls them is its affair; nothing is lost
                self.assertEqual(sum(row[0] for p, row in got.items() if len(p) == 1), tree_of(made, 0, at, until=True)[('all tasks',)][0], by)
            else:
                want = tree_of(made, 0, at, group, until=True)
                self.assertEqual(sorted(got.values()), sorted(want.values()))
                self.assertEqual({p[1:] for p in got}, {p[1:] for p in want})
        info = json.loads(self.scope('state', path, '--at', self.text(at), '--json')[0])
        one = info['nodes'][1]['id'] if isinstance(info['nodes'], list) else sorted(info['nodes'])[1]
        got, _ = read_tree(self.draw(path, self.text(at), '--set', f'Call tree.tasks={one}'))
        self.assertIn(got, [tree_of([c for c in made if c[0] == t], 0, at, until=True) for t in range(4)])

    def test_bounded(self):
        """What goes beyond the paths that are kept apart is counted as others, where it happens; nothing is lost."""
        data, made = make(4, threads=2, calls=300)
        path = self.path('made.json', data)
        whole, last = tree_of(made, 0, 10**18), max(b for _, _, _, b in made)
        got, _ = read_tree(self.draw(path, self.text(last), '--set', 'Call tree.paths=16'))
        self.assertLessEqual(sum(len(p) > 1 and p[-1] != 'others' for p in got), 16)
        self.assertTrue(any(p[-1] == 'others' for p in got))
        self.assertEqual(got[('all tasks',)][0], whole[('all tasks',)][0])
        self.assertEqual(sum(row[1] for row in got.values()), sum(row[1] for row in whole.values()))
        self.assertEqual(sum(row[2] for row in got.values()), sum(row[2] for row in whole.values()))
        for p, row in got.items():
            if 'others' not in p:
                self.assertEqual(row[0], whole[p][0], p)
        _, said = self.scope('run', path, '--program', 'call-tree', '--set', 'Call tree.paths=16', '--out', self.path('o'))
        self.assertIn('more ways than the 16', said)

    def test_pvm(self):
        """What a task computes outside of all calls stands beside them; states of no life are none; calls of a model that may end in any order."""
        bundle = os.path.join(ROOT, 'traces', 'heat2d.trace')
        trace = raw.read(bundle)
        r = random.Random(5)
        for at in sorted(r.randrange(trace.first, trace.last) for _ in range(4)):
            model, tree = calls_model.Calls(trace), defaultdict(lambda: [0, 0])
            since, paths = {}, {}

            def spend(task, date):
                for k in range(len(paths[task])):
                    tree[('all tasks',) + paths[task][:k + 1]][0] += date - since[task]
                if paths[task]:
                    tree[('all tasks',)][0] += date - since[task]
                    tree[('all tasks',) + paths[task]][1] += date - since[task]

            for e in trace.events:
                if e.date > at:
                    break
                model.step(e)
                for task, node in model.nodes.items():
                    now = () if node.outside in ('Unseen', 'Dead') else (node.outside,)
                    now = tuple(c[0] for c in node.calls) or now if now in ((), ('Computing',)) else now + tuple(c[0] for c in node.calls)
                    if paths.get(task) != now:
                        if task in paths:
                            spend(task, e.date)
                        paths[task], since[task] = now, e.date
            for task in paths:
                spend(task, at)
            got, _ = read_tree(self.draw(bundle, f'{at / 1e9:.9f}'))
            self.assertEqual({p: row[:2] for p, row in got.items() if row[0]}, {p: row for p, row in tree.items() if row[0]}, at)

    def test_pictures(self):
        """Each way of showing it, of a part of it, searched, at any instant, light and dark; what is searched for is counted."""
        data, made = make(6)
        path = self.path('made.json', data)
        last = max(b for _, _, _, b in made)
        whole = tree_of(made, 0, 10**18)
        name = max((p for p in whole if len(p) == 2), key=lambda p: whole[p][0])[1].replace('\\', '\\\\').replace(';', '\\;')
        for way in ('icicle', 'flame graph', 'sunburst', 'treemap', 'table'):
            for more in ([], ['--dark', '--set', f'Flame graph.root=all tasks;{name}'], ['--set', 'Flame graph.search=walk'],
                         ['--at', '0', '--size', '320x200']):
                pictures = []
                for k in range(2):
                    out = self.path(f'picture{k}.svg')
                    self.scope('draw', path, '--program', 'call-tree', '--view', 'Flame graph', '--set', f'Flame graph.as={way}', '-o', out,
                               *([] if '--at' in more else ['--at', self.text(last)]), *more)
                    with open(out, encoding='utf-8') as f:
                        pictures.append(f.read())
                self.assertEqual(*pictures, way)
                self.assertGreater(len(pictures[0]), 2000 if '--at' not in more else 500, (way, more))

    def test_samples(self):
        """Real traces: nothing that is inside of something takes longer than it, and all adds up."""
        for path in ('otf2/pipit-ping-pong', 'chrome/tc-stable-diffusion.json', 'chrome/catapult-webview.json.gz'):
            path = os.path.join(samples(''), path)
            if not os.path.exists(path):
                continue
            got, _ = read_tree(self.draw(path, None))
            inside = defaultdict(int)
            for p, row in got.items():
                inside[p[:-1]] += row[0]
            for p, row in got.items():
                self.assertAlmostEqual(row[0], inside[p] + row[1], delta=len(got), msg=(path, p))
        path = os.path.join(samples('chrome'), 'tc-stable-diffusion.json')
        if os.path.exists(path):
            complete = [r for r in chrome.records(path) if r.get('ph') == 'X']
            got, _ = read_tree(self.draw(path, None))
            self.assertEqual(sum(row[2] for row in got.values()), len(complete))


if __name__ == '__main__':
    unittest.main(argv=['test_call_tree.py', *sys.argv[3:]])
