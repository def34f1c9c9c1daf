# SPDX-License-Identifier: Apache-2.0
"""heaptrack and Massif once more, in Python: allocations with the calls that led to them, and writers of odd files."""
import random
from collections import defaultdict

MODULES = ['/usr/lib/libone.so.6', '/opt/two']
FUNCTIONS = ['main', 'solve', 'std::vector<int, std::allocator<int> >::push_back(int&&)', 'a;b', 'walk', 'back\\slash', 'größer']
FILES = ['/src/main.cpp', 'solve.c', '/src/deep/walk.h']


def tree_of(events, until, program, each=False):
    """{path: [live, own live, blocks, allocated, allocations]} of events (date, +1 or -1, or None, bytes, calls from the
    outermost): None says how much more lives, and nothing of how often.  Not `each`: what is called directly from itself is there once."""
    tree = defaultdict(lambda: [0, 0, 0, 0, 0])
    for date, sign, amount, calls in events:
        if date > until:
            continue
        path = (program,) + tuple(c for i, c in enumerate(calls) if each or i == 0 or c != calls[i - 1])
        change = amount if sign is None else sign * amount
        for n in range(1, len(path) + 1):
            row = tree[path[:n]]
            row[0] += change
            if sign is not None:
                row[2] += sign
                row[3] += amount if sign > 0 else 0
                row[4] += sign > 0
        tree[path][1] += change
    return {p: row for p, row in tree.items() if row[0] > 0 or row[4] > 0}


def places_of(tree):
    """{place: [live, own live, blocks, allocated, allocations]}: of a call inside of itself the outermost counts."""
    out = defaultdict(lambda: [0, 0, 0, 0, 0])
    for path, row in tree.items():
        if len(path) == 1:
            continue
        place = out[path[-1]]
        place[1] += row[1]
        if path[-1] not in path[1:-1]:
            for i in (0, 2, 3, 4):
                place[i] += row[i]
    return dict(out)


def heaptrack(seed, n=900, version=3):
    """A file, and its events; dates are in milliseconds."""
    r = random.Random(seed)
    out = [f'v 10400 {version}', 'X /opt/bin/made --fast', 'I 1000 5e2990']
    strings = {}
    frames, traces, of, infos, events, live = [], [()], [None], [], [], []

    def string(text):
        if text not in strings:
            strings[text] = len(strings) + 1
            out.append(f's {len(text.encode()):x} {text}' if version >= 3 else f's {text}')
        return strings[text]

    def label(function, file, line):
        base = file.rsplit('/', 1)[-1] if file else ''
        return function if not base else f'{function} ({base}:{line})' if line else f'{function} ({base})'
    for _ in range(12):  # addresses
        ip, module = r.randrange(1 << 40), r.choice(MODULES)
        kind, line = r.random(), ''
        m = string(module)
        if kind < .2:
            frames.append([f'0x{ip:x} ({module.rsplit("/", 1)[-1]})'])
        else:
            calls = []
            for _ in range(1 if kind < .7 else r.randrange(2, 4)):
                function, file, at = r.choice(FUNCTIONS), r.choice(FILES), r.choice([0, 7, 300])
                f, s = string(function), string(file)
                line += f' {f:x} {s:x} {at:x}'
                calls.append(label(function, file, at))
            frames.append(calls)
        out.append(f'i {ip:x} {m:x}{line}')
    for _ in range(30):  # ways: what is nearer to the outermost first
        parent = r.randrange(len(traces))
        a = of[parent] if parent and r.random() < .3 else r.randrange(len(frames))  # recursion too
        of.append(a)
        traces.append(traces[parent] + tuple(reversed(frames[a])))
        out.append(f't {a + 1:x} {parent:x}')
    date = 0
    for _ in range(n):
        if r.random() < .05:
            date += r.choice([0, 1, 10, 500])
            out += [f'c {date:x}', f'R {r.randrange(5000):x}']
        if live and r.random() < .45:
            i = live.pop(r.randrange(len(live)))
            out.append(f'- {i:x}')
            events.append((date, -1, *infos[i]))
            continue
        if not infos or r.random() < .1:
            t, amount = r.randrange(len(traces)), r.choice([0, 1, 24, 4096, 1 << 33])
            infos.append((amount, traces[t]))
            out.append(f'a {amount:x} {t:x}')
        i = r.randrange(len(infos))
        out.append(f'+ {i:x}')
        live.append(i)
        events.append((date, 1, *infos[i]))
    return '\n'.join(out + ['# strings: 3', '']), events


def massif(seed, n=25, unit='ms'):
    """A file; its amounts [(date, heap, extra, stacks)]; and its events, which say how much more lives.  Ways call themselves too."""
    r = random.Random(seed)
    out = ['desc: (none)', 'cmd: /opt/made --fast', f'time_unit: {unit}']
    amounts, events, date, known = [], [], 0, {}
    ways = []
    for _ in range(8):  # from what allocates
        way = [f'{r.choice(["grab", "make", "walk(int)", "a;b"])} (x.c:{r.randrange(3)})' for _ in range(r.randrange(1, 6))]
        again = r.randrange(len(way))
        way = tuple(way[:again] + [way[again]] * r.randrange(1, 4) + way[again + 1:])
        ways.append(way)
    for number in range(n):
        date += r.choice([0, 3, 400])
        kind = r.choice(['empty', 'empty', 'detailed', 'peak'])
        shares = {w: r.choice([0, 8, 1000, 12345]) for w in r.sample(ways, r.randrange(len(ways) + 1))}
        total = sum(shares.values())
        heap, extra, stacks = total, r.randrange(1000), r.randrange(100)
        out += ['#-----------', f'snapshot={number}', '#-----------', f'time={date}', f'mem_heap_B={heap}', f'mem_heap_extra_B={extra}',
                f'mem_stacks_B={stacks}', f'heap_tree={kind}']
        amounts.append((date, heap, extra, stacks))
        if kind == 'empty':
            continue

        def put(prefix, depth, text):
            inside = sorted({w[len(prefix)] for w in shares if w[:len(prefix)] == prefix and len(w) > len(prefix)})
            amount = sum(b for w, b in shares.items() if w[:len(prefix)] == prefix)
            out.append(' ' * depth + f'n{len(inside)}: {amount} {text}')
            for name in inside:
                put(prefix + (name,), depth + 1, f'0x10{depth}F: {name}')
        put((), 0, '(heap allocation functions) malloc/new/new[], --alloc-fns, etc.')
        now = {tuple(reversed(w)): b for w, b in shares.items() if b > 0}
        for w in sorted(set(known) | set(now)):
            events.append((date, None, now.get(w, 0) - known.get(w, 0), w))
        known = now
    return '\n'.join(out + ['']), amounts, events
