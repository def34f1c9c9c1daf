# SPDX-License-Identifier: Apache-2.0
"""PICL once more, in Python and from the raw file alone: what each node is in, calls, messages and statistics."""
import random
import re
from collections import defaultdict
from decimal import Decimal

OLD = {name: i + 1 for i, name in enumerate(
    'trace_start open load send probe recv recv_blocking recv_waking message sync compstats commstats close trace_level trace_mark '
    'trace_message trace_stop trace_flush trace_exit block_begin block_end trace_marks clock_sync trace_files'.split())}
BLOCKS = {-1: 'barrier', -2: 'bcast0', -3: 'bcast1', -4: 'global combine', -5: 'gather'}
NAMES = {-21: 'send', -51: 'recv', -52: 'recv blocked', -402: 'barrier', -601: 'idle', -912: 'flush',
         -790: 'reduce', -57: 'irecv', -27: 'isend', -61: 'recv wait', -60: 'recv end', -30: 'send end', -31: 'send wait'}
BLOCKED = {-52, -56, -31, -37, -43, -49, -61, -601, -402}


def family(code):
    for low, high in ((-24, -21), (-32, -27), (-38, -33), (-44, -39), (-50, -45), (-52, -51), (-54, -53), (-56, -55), (-62, -57)):
        if low <= code <= high:
            return high
    return code


class Trace:
    """Calls are [begin, end or None, is of the system, condition, name, order]; instants are dated."""

    def __init__(self, path):
        self.calls, self.sends, self.receives, self.sets = defaultdict(list), [], [], []
        self.off, self.extra, self.seen, self.labels = {}, defaultdict(list), {}, {}
        self.bracketed = set()
        with open(path, encoding='utf-8') as f:
            for order, line in enumerate(f):
                words = re.findall(r'"[^"]*"|\S+', line)
                if words:
                    (self.new if words[0] in ('-2', '-3', '-4', '-5') else self.old)(words, order)
        self.last = max([c[1] or c[0] for n in self.calls.values() for c in n] + [d for d, *_ in self.sends + self.receives])

    def leave(self, node, date, kind, condition=None):
        for call in reversed(self.calls[node]):
            if call[6] == kind and call[1] is None:
                call[1] = date
                call[3] = condition or call[3]
                return

    def old(self, words, order):
        if words[0][0].isalpha():
            kind, sec, usec, node = OLD[words[0]], int(words[2]), int(words[3]), int(words[5])
            v = [int(w) for w in words[6:] if re.fullmatch(r'-?\d+', w)]
        else:
            kind, sec, usec, node, *v = map(int, words)
        date = sec + Decimal(usec) / 10**6
        name = 'host' if node == -32768 else f'node {node}'
        self.seen.setdefault(name, date)
        if kind == 4:
            self.sends.append((date, name, f'node {v[0]}', v[1], v[2]))
            self.extra[name].append([date, None, date == self.extra.get((name, 'last')), 'send'])
        elif kind in (6, 8):
            self.receives.append((date, name, f'node {v[0]}', v[1], v[2]))
            if kind == 8:
                self.leave(name, date, 'wait')
        elif kind == 7:
            self.calls[name].append([date, None, True, 'Idle', 'recv', order, 'wait'])
        elif kind == 20:
            self.calls[name].append([date, None, v[0] < 0, 'Overhead', BLOCKS.get(v[0], f'task {v[0]}'), order, ('block', v[0])])
        elif kind == 21:
            self.leave(name, date, ('block', v[0]))
        elif kind == 11:
            idle = v[2:] if len(v) >= 4 else v
            self.sets.append((date, name, 'idle', idle[0] + Decimal(idle[1]) / 10**6))
            for x in self.extra[name][-1:]:     # the second one behind a send is its end
                if x[1] is None and date >= x[0]:
                    if x[2]:
                        x[1] = date
                    x[2] = True
        elif kind == 12:
            for what, value in zip(('messages received', 'volume received', 'messages sent', 'volume sent', 'probes'), v):
                self.sets.append((date, name, what, value))
        elif kind in (17, 19):
            self.off[name] = date
        elif kind in (18, 24):
            self.extra[name].append([date, v[0] + Decimal(v[1]) / 10**6, True, 'trace_flush'])

    def new(self, words, order):
        kind, code, date, node, task, n = int(words[0]), int(words[1]), Decimal(words[2]), int(words[3]), int(words[4]), int(words[5])
        name = f'node {node}.{task}' if task > 0 else f'node {node}'
        v = [int(w) for w in words[-n:]] if n and kind in (-3, -4) else []
        if kind != -5:
            self.seen.setdefault(name, date)

        def other(i):
            return f'node {v[i]}.{v[i + 1]}' if len(v) > i + 1 and v[i + 1] > 0 else f'node {v[i]}'
        if code == -901:
            if kind == -3:
                self.bracketed.add(name)
            else:
                self.off[name] = date
        elif kind == -3:
            condition = 'Idle' if code in BLOCKED else 'Overhead'
            self.calls[name].append([date, None, code < 0, condition, code, order, family(code)])
            if family(code) == -21 or code == -27:
                self.sends.append((date, name, other(2), v[1], v[0]))
        elif kind == -4:
            self.leave(name, date, family(code), 'Idle' if code in BLOCKED else 'Overhead')
            if code in (-51, -52, -60, -61) and len(v) >= 3:
                self.receives.append((date, name, other(2), v[1], v[0]))
        elif kind == -5:
            self.labels[code] = words[-1]

    def call_name(self, call):
        return self.labels.get(call, NAMES.get(call, f'user {call}')) if isinstance(call, int) else call

    def inside(self, node, at):
        return sorted((c for c in self.calls[node] if c[0] <= at and (c[1] is None or c[1] > at)), key=lambda c: (c[0], c[5]))

    def condition(self, node, at):
        if node in self.off and self.off[node] <= at:
            return 'Not traced'
        if any(x[1] is not None and x[0] <= at < x[1] for x in self.extra[node]):
            return 'Overhead'
        system = [c for c in self.inside(node, at) if c[2]]
        return system[-1][3] if system else 'Busy'

    def call(self, node, at):
        # what was written meanwhile, or a send, is the innermost
        for x in self.extra[node]:
            if x[1] is not None and x[0] <= at < x[1]:
                return x[3]
        inside = self.inside(node, at)
        return self.call_name(inside[-1][4]) if inside else 'No state'


VERBOSE = {4: 'to {} type {} lth {}', 6: 'from {} type {} lth {}', 8: 'from {} type {} lth {}', 7: 'type {}', 20: 'type {} {} {}',
           21: 'type {} {} {}', 11: 'busy 0 0 idle {} {}', 12: 'received {} volume {} sent {} volume {} probed {}',
           18: 'finished {} {}', 19: 'space {}'}
WORDS = {number: name for name, number in OLD.items()}


def old(seed, n=120, nodes=4):
    """Node after node, as the file of a run is; words and numbers mixed."""
    r = random.Random(seed)
    out, queues = [], {}
    for node in range(nodes):
        t, blocks, waits = 100 + node, [], False

        def line(kind, when, *v, node=node):
            fields = ' '.join(map(str, v))
            if r.random() < .5:
                text = VERBOSE.get(kind, '{} ' * len(v)).format(*v) if v else ''
                out.append(f'{WORDS[kind]} clock {when // 10**6} {when % 10**6} node {node} {text}'.rstrip())
            else:
                out.append(f'{kind} {when // 10**6} {when % 10**6} {node} {fields}'.rstrip())
        line(1, t, 1, 1, 1)
        for _ in range(n):
            t += r.choice([1, 5, 90000])
            do = r.randrange(7)
            if waits:
                line(8, t, r.randrange(nodes), r.randrange(3), r.randrange(5000))
                waits = False
            elif do == 0:
                to, tag, size = r.randrange(nodes), r.randrange(3), r.randrange(5000)
                line(4, t, to, tag, size)
                if r.random() < .6:
                    line(11, t, r.randrange(9), r.randrange(10**6))
                    t += r.randrange(1, 50)
                    line(11, t, r.randrange(9), r.randrange(10**6))
            elif do == 1:
                waits = True
                line(7, t, r.randrange(3))
            elif do == 2 and len(blocks) < 5:
                blocks.append(r.choice([0, 1, 7, -1, -4]))
                line(20, t, blocks[-1], 0, 0)
            elif do == 3 and blocks:
                line(21, t, blocks.pop(), 0, 0)
            elif do == 4:
                line(12, t, 1, 2, 3, 4, r.randrange(9))
            elif do == 5:
                line(18, t, (t + 30) // 10**6, (t + 30) % 10**6)
                t += 40
            else:
                line(15, t, r.randrange(9))
        if not waits:
            line(19, t + 1, 1000)
    queues.clear()
    return '\n'.join(out) + '\n'


def new(seed, n=400, nodes=3, tasks=2, last=9):
    """In order of date; receives of which the exit alone tells whether they blocked."""
    r = random.Random(seed)
    who = [(i, t) for i in range(nodes) for t in range(tasks)]
    out, stacks, t = [], {w: [] for w in who}, Decimal('0.000100')

    def line(kind, code, w, *v):
        data = f' 2 {" ".join(map(str, v))}' if v else ''
        out.append(f'{kind} {code} {t} {w[0]} {w[1] if w[1] or seed % 2 else -1} {len(v)}{data}')
    if seed % 3:
        for w in who:
            line(-3, -901, w)
    out.append(f'-5 3 {t} 0 0 1 "%s" solving')
    for _ in range(n):
        t += r.choice([Decimal('0.000001'), Decimal('0.00005'), Decimal('0.5')])
        w = r.choice(who)
        stack = stacks[w]
        do = r.randrange(8)
        if do < 4 and len(stack) < 6:
            code = r.choice([-21, -51, -52, -402, -601, -790, -912, 3, 5, 8])
            stack.append(code)
            to = r.choice(who)
            line(-3, code, w, *((r.randrange(5000), r.randrange(3), to[0], to[1]) if code == -21 else
                                (r.randrange(3), to[0], to[1]) if code in (-51, -52) else (-1,) if code == -402 else ()))
        elif do < 7 and stack:
            code = stack.pop()
            if code in (-51, -52):
                code = r.choice([-51, -52])
                source = r.choice(who)
                line(-4, code, w, r.randrange(5000), r.randrange(3), source[0], source[1])
            else:
                line(-4, code, w)
        else:
            line(-2, -904, w, 2, 4, 4)
    if seed % 3:
        for w in who:
            while stacks[w]:
                line(-4, stacks[w].pop(), w)
            line(-4, -901, w)
    return '\n'.join(out) + '\n'
