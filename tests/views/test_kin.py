#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups by who spawned whom and by coordinates of a topology: messages between groups beside what is counted in the raw
file, for random trees with births that are told late, by the parent or by the child, orphans, circles and long chains; of
100 000 tasks; coordinates of an OTF2 archive, and names such as node/x/y.

usage: test_kin.py QUERY SCOPE SOURCE-ROOT [SEED]"""
import collections
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

QUERY, SCOPE, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
SEED = int(sys.argv[4] if len(sys.argv) > 4 else os.environ.get('SCOPE_SEED', '15'), 0)
DEEPEST = 16
PROGRAM = """<eve version="1"><title>Kin</title>
  <component name="Reader" class="scope.{0}-reader" version="1"/><component name="Simulator" class="scope.{1}-simulator" version="1"/>
  <component name="Space-time" class="scope.space-time" version="1"/>
  <component name="Traffic" class="scope.traffic" version="1"/><component name="Messages" class="scope.matrix-view" version="1"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/>
  <wire from="Simulator" out="states" to="Space-time" in="states"/><wire from="Simulator" out="messages" to="Space-time" in="messages"/>
  <wire from="Simulator" out="messages" to="Traffic" in="messages"/><wire from="Traffic" out="counts" to="Messages" in="matrix"/></eve>"""
checks = 0


def check(right, *what):
    global checks
    checks += 1
    if not right:
        sys.exit(f'FAILED (seed {SEED}): ' + ' '.join(str(w) for w in what))


def differences(got, want):
    return [(k, got[k], want[k]) for k in got | want if got[k] != want[k]][:20]


class Drawn:
    """What `scope draw` says of a trace."""
    def __init__(self, folder, trace, reader='tapepvm', simulator='pvm'):
        self.trace, self.out, self.program = trace, os.path.join(folder, 'out.csv'), os.path.join(folder, reader + '.eve')
        with open(self.program, 'w', encoding='utf-8') as f:
            f.write(PROGRAM.format(reader, simulator))

    def run(self, view, *more):
        return subprocess.run([SCOPE, 'draw', self.trace, '--program', self.program, '--view', view, *more], capture_output=True, text=True, timeout=120)

    def messages(self, *more):
        """(name of a row, of a column) -> messages; names without how many tasks a group has."""
        done = self.run('Messages', '--csv', '--at', '1e9', '-o', self.out, *more)
        check(done.returncode == 0, self.trace, more, done.stderr)
        with open(self.out, encoding='utf-8', newline='') as f:
            rows = list(csv.reader(f))
        counts = collections.Counter()
        for row in rows[1:]:
            for head, cell in zip(rows[0][1:], row[1:]):
                counts[row[0].rsplit(' (', 1)[0], head.rsplit(' (', 1)[0]] += float(cell or 0)
        return counts, done.stderr


def write(path, births, messages, spawns):
    """births: (date, task, parent or -1); spawns: (date, task, children); messages: (date, from, to); dates in tenths of a millisecond."""
    name = os.path.basename(path)[:-len('.trace')]
    os.makedirs(os.path.join(path, name + '.tapepvm'))
    lines = [(d, f'1 {d}00000 {t} 0 0 h LINUX 1 {p} prog') for d, t, p in births]
    lines += [(d, f'3 {d}00000 {t} 500000 0 prog 0 - {len(c)} {len(c)} {" ".join(map(str, c))} {len(c)}') for d, t, c in spawns]
    for d, a, b in messages:
        lines += [(d, f'60 {d}00000 {a} 200000 0 {b} 1 8 0'), (d + 3, f'62 {d + 3}00000 {b} 200000 0 {a} 1 {a} 1 8 6')]
    with open(os.path.join(path, name + '.tapepvm', 'events'), 'w', encoding='utf-8') as f:
        f.write('#TAPE/PVM 1\n' + ''.join(line + '\n' for _, line in sorted(lines)))


def without_circles(tasks, parent):
    """The first task of each circle, in their order, has no parent; and how many tasks are in circles."""
    parent, circled = dict(parent), set()
    for t in tasks:
        seen, at = [], t
        while at is not None and at not in seen:
            seen.append(at)
            at = parent.get(at)
        if at is not None:
            circle = seen[seen.index(at):]
            circled.update(circle)
            parent.pop(min(circle, key=tasks.index))
    return parent, len(circled)


def way_of(task, parent):
    """From the outermost to the task itself."""
    way = [task]
    while way[-1] in parent:
        way.append(parent[way[-1]])
    return way[::-1]


def check_closed_and_open(drawn, tasks, parent, messages, rand):
    """All groups closed; then some of them open, the outer ones of what is opened too."""
    heads = set(parent.values())
    path = {t: way_of(t, parent) for t in tasks}
    for share in (0, 0.5):
        opened = {t for t in heads if rand.random() < share}
        opened = {t for t in opened if all(w in opened for w in path[t] if w in heads)}

        def shown(t):
            for w in path[t][:DEEPEST]:
                if w in heads and w not in opened:
                    return f't{w:x}'
            return f't{t:x}'
        more = [a for t in opened for a in ('--open', ' / '.join(f't{w:x}' for w in path[t]))]
        want = collections.Counter()
        for _, a, b in messages:
            want[shown(a), shown(b)] += 1
        got, said = drawn.messages('--hierarchy', 'spawn', *more)
        check(+got == +want, 'messages between groups', opened, differences(got, want))
    return said


def check_random(folder, rand, n, circles, deep):
    tasks = [262144 + i for i in range(1, n + 1)]
    rand.shuffle(tasks)
    parent = {}
    for i, t in enumerate(tasks[1:], 1):
        if deep or rand.random() < 0.9:
            parent[t] = tasks[i - 1] if deep else tasks[rand.randrange(i)]
    if circles:
        for _ in range(circles):
            a, b = rand.sample(tasks, 2)
            parent[a], parent[b] = b, a
    births, spawns, messages, date = [], [], [], 100
    order = list(tasks)
    for t in order:
        date += 10
        by_child, late = rand.random() < 0.4, rand.random() < 0.3
        births.append((date, t, parent.get(t, -1) if by_child else -1))
        if t in parent and not by_child:
            spawns.append((date + (900 if late else 1), parent[t], [t]))
    known = order
    for _ in range(4 * n):
        date += 7
        messages.append((date, *rand.sample(known, 2)))
    path = os.path.join(folder, f'kin{n}{circles}{deep}.trace')
    write(path, births, messages, spawns)
    # tasks are numbered as they are met: by date, a parent that a line names before who is met later
    met, dated = [], [(d, 0, t, [p] if p >= 0 else []) for d, t, p in births] + [(d, 1, t, c) for d, t, c in spawns]
    for _, _, t, named in sorted(dated):
        met += [x for x in (t, *named) if x not in met]
    parent, circled = without_circles(met, parent)
    n_deep = sum(len(way_of(t, parent)) > DEEPEST + 1 for t in tasks)
    for t in tasks:                                           # who is too deep stands below the last group that there is
        way = way_of(t, parent)
        if len(way) > DEEPEST + 1:
            parent[t] = way[DEEPEST - 1]
    drawn = Drawn(folder, path)
    said = check_closed_and_open(drawn, tasks, parent, messages, rand)
    check((f'{n_deep} tasks have more than 16 ancestors' in said) == (n_deep > 1), n_deep, said)
    check((f'of {circled} tasks it is told that they are their own ancestors' in said) == (circled > 0), circled, said)


def check_nobody(folder):
    path = os.path.join(folder, 'nobody.trace')
    write(path, [(1, 262145, -1), (2, 262146, 999999), (3, 262147, 262147)], [(5, 262145, 262146)], [(9, 262145, [262145])])
    done = Drawn(folder, path).run('Messages', '-o', os.path.join(folder, 'x.svg'), '--hierarchy', 'topology')
    check(done.returncode == 1 and 'does not tell where in a topology' in done.stderr, done.stderr)
    # 999999 is a task that does nothing else: it has spawned one; nobody spawns itself
    got, _ = Drawn(folder, path).messages('--hierarchy', 'spawn')
    check(got['t40001', f't{999999:x}'] == 1, got)
    only = os.path.join(folder, 'only.trace')
    write(only, [(1, 262145, -1), (2, 262146, -1)], [(5, 262145, 262146)], [])
    done = Drawn(folder, only).run('Messages', '-o', os.path.join(folder, 'x.svg'), '--hierarchy', 'spawn')
    check(done.returncode == 1 and 'does not tell who spawned whom' in done.stderr, done.stderr)


def check_many(folder, rand):
    """100 000 tasks: a tree, then a chain of all of them."""
    n, first = 100000, 262145
    for chain in (False, True):
        path = os.path.join(folder, f'many{chain}.trace')
        parent = {first + i: first + (i - 1 if chain else i // 40) for i in range(1, n)}
        messages = [(10 * n + 10 * k, *rand.sample(range(first, first + n), 2)) for k in range(300)]
        write(path, [(10 + i, first + i, parent.get(first + i, -1)) for i in range(n)], messages, [])
        if chain:
            parent = {t: min(p, first + DEEPEST - 1) for t, p in parent.items()}
        drawn, own, film = Drawn(folder, path), os.path.join(folder, f'own{chain}'), os.path.join(folder, f'film{chain}')
        done = drawn.run('Space-time', '-o', os.path.join(folder, 'many.svg'), '--hierarchy', 'spawn', '--film', film, '--open', 't40001')
        check(done.returncode == 0 and (f'{n - DEEPEST - 1} tasks have more' in done.stderr) == chain, done.stderr)
        os.makedirs(own)
        shutil.copy(os.path.join(film, 'groups'), own)
        done = subprocess.run([QUERY, path, drawn.program, own], input='cut by spawn|open t40001\n', capture_output=True, text=True, timeout=120)
        got = {tuple(sorted(int(t) for t in line.split('\t')[0].split(','))): line.split('\t')[1] for line in done.stdout.splitlines()[1:]}
        want, below = collections.defaultdict(list), {}       # the first and those alone, and the groups right below
        for i in range(n):
            t = first + i
            below[t] = t if parent.get(t, first) == first else below[parent[t]]
            want[below[t]].append(i)
        check(sorted(got) == sorted(map(tuple, want.values())), chain, 'parts', len(got), len(want))
        for way, members in want.items():
            check(got[tuple(members)] == (f't{way:x} ({len(members)})' if len(members) > 1 else ''), chain, way, len(members))


def check_topology(folder, rand):
    """Ranks in the grid 2 x k that the writer of the archive says; its third topology has as many tasks, and comes later."""
    if 'OTF2_ARCHIVE' not in os.environ:
        return
    for ranks in (4, rand.randrange(6, 12)):
        path = os.path.join(folder, f'grid{ranks}')
        subprocess.run([os.environ['OTF2_ARCHIVE'], path, str(rand.randrange(1000)), str(ranks), '12'], check=True, stdout=subprocess.DEVNULL)
        anchor = next(os.path.join(path, f) for f in os.listdir(path) if f.endswith('.otf2'))
        drawn = Drawn(folder, anchor, 'otf2', 'calls')
        alone, _ = drawn.messages()
        got, _ = drawn.messages('--hierarchy', 'topology')
        want, some = collections.Counter(), False
        names = {name for pair in alone for name in pair}

        def group(name):
            rank = re.match(r'rank (\d+)', name)                # or a thread of it
            return name if rank is None else f'x = {int(rank[1]) & 1}'
        for (a, b), k in alone.items():
            want[group(a), group(b)] += k
            some |= group(a) != a and k > 0
        check(some, 'no rank is known by its name', names)
        check(+got == +want, 'messages between lines', differences(got, want))


def check_names(folder, rand):
    """Names that are places; a slash at the beginning or the end divides nothing."""
    names = [f'node{n}/{x}/{y}' for n in range(2) for x in range(3) for y in range(2)] + ['alone', '/odd', 'end/']
    rand.shuffle(names)
    path, ids = os.path.join(folder, 'names.trace'), [262145 + i for i in range(len(names))]
    messages = [(100 + 10 * k, *rand.sample(ids, 2)) for k in range(80)]
    write(path, [(1 + i, t, -1) for i, t in enumerate(ids)], messages, [])
    with open(os.path.join(path, 'nicknames'), 'w', encoding='utf-8') as f:
        f.writelines(f't{t:x} {name}\n' for t, name in zip(ids, names))
    for opened in ((), ('node1',), ('node1', 'node1 / 2'), ('node0', 'node0 / 0', 'node1')):
        def shown(t):
            parts = names[t - 262145].split('/')
            if len(parts) != 3 or (parts[0] in opened and f'{parts[0]} / {parts[1]}' in opened):
                return names[t - 262145]
            return parts[1] if parts[0] in opened else parts[0]
        want = collections.Counter((shown(a), shown(b)) for _, a, b in messages)
        got, _ = Drawn(folder, path).messages('--hierarchy', 'topology', *(a for o in opened for a in ('--open', o)))
        check(+got == +want, opened, differences(got, want))


with tempfile.TemporaryDirectory() as where:
    os.environ['XDG_CACHE_HOME'] = os.environ['XDG_DATA_HOME'] = os.environ['XDG_CONFIG_HOME'] = os.path.join(where, 'home')
    random_one = random.Random(SEED)
    for size, n_circles, is_deep in ((12, 0, False), (30, 0, False), (25, 3, False), (40, 0, True)):
        check_random(where, random_one, size, n_circles, is_deep)
    check_nobody(where)
    check_topology(where, random_one)
    check_names(where, random_one)
    check_many(where, random_one)
print(f'{checks} checks')
