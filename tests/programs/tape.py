# SPDX-License-Identifier: Apache-2.0
"""Reads TAPE/PVM files in the plainest way, and computes from them what analysis components compute: a second opinion that
shares no code with them."""
import bisect
import math
import os
import re

NS = 1e9
COMMUNICATION = {'point', 'global', 'collective'}


def quantile(values, q):
    """Type 7 of Hyndman and Fan: at the place q (n - 1) of the sorted values, on the line between two of them."""
    values = sorted(values)
    place = q * (len(values) - 1)
    low = math.floor(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def kinds(root):
    """number -> (name, categories, names of fields)"""
    table = {}
    with open(os.path.join(root, 'readers/tapepvm/kinds.def'), encoding='utf-8') as f:
        for m in re.finditer(r'KIND \((\d+), (\w+), "([^"]*)",\s*"([^"]*)"\)', f.read()):
            table[int(m[1])] = (m[2], m[3].split(), [p.split('=')[0] for p in m[4].split()], m[4])
    return table


class Trace:
    def __init__(self, root, name):
        self.kinds = kinds(root)
        self.bundle = os.path.join(root, 'traces', f'{name}.trace')
        self.events = []
        with open(os.path.join(self.bundle, f'{name}.tapepvm', 'events'), encoding='utf-8') as f:
            for line in f:
                if line.startswith('#') or not line.strip():
                    continue
                words = line.split()
                number, date, task, duration = (int(w) for w in words[:4])
                kind, categories, names, _ = self.kinds[number]
                fields = {}
                if 'spawned' not in names and 'to' in names and kind == 'Mcast':
                    n = int(words[5])
                    fields = {'to': [int(w) for w in words[6:6 + n]]}
                    fields.update(zip(names[1:], words[6 + n:]))
                elif 'spawned' not in names:
                    fields = dict(zip(names, words[5:]))
                self.events.append((date, kind, categories, task, duration, fields))
        self.events.sort(key=lambda e: e[0])
        self.last = max(e[0] + max(e[4], 0) for e in self.events)
        self.nickname = {}
        path = os.path.join(self.bundle, 'nicknames')
        if os.path.exists(path):
            with open(path, encoding='utf-8') as f:
                for line in f:
                    if line.strip() and not line.startswith('#'):
                        task, nick = line.split(None, 1)
                        self.nickname[task] = nick.strip()

    def name(self, task):
        return self.nickname.get(f't{task:x}', f't{task:x}')

    def receives(self):
        """(end, task, seconds) of every receive from one task, in order of their ends"""
        got = [(d + l, t, l / NS) for d, k, c, t, l, f in self.events if k in ('Recv', 'PRecv', 'TRecv', 'NRecv') and l >= 0]
        return sorted(got, key=lambda r: r[0])

    def received(self):
        """(end, task) of every receive that got a message of a task, in order"""
        got = [(d + l, t) for d, k, c, t, l, f in self.events if k in ('Recv', 'PRecv', 'TRecv', 'NRecv') and l >= 0
               and 0 < int(f['from']) < 2**31 and int(f['result']) >= 0]
        return sorted(got, key=lambda r: r[0])

    def lives(self):
        """task -> (birth, death), the end of the trace for those that do not die"""
        lives = {}
        for d, k, c, t, l, f in self.events:
            birth, death = lives.get(t, (d, self.last))
            lives[t] = (birth, d if k == 'Exit' else death)
        return lives

    def communications(self):
        """task -> [(begin, end)] in order; who dies inside a call is in it no longer"""
        spans, lives = {}, self.lives()
        for d, k, c, t, l, f in self.events:
            if COMMUNICATION & set(c):
                spans.setdefault(t, []).append((d, min(d + l if l >= 0 else self.last, lives[t][1])))
        return {t: sorted(s) for t, s in spans.items()}

    def overhead(self, begin, end):
        """percent of the time of all tasks between two dates that is communication: every stretch is cut to the window"""
        def cut(a, b):
            return max(0, min(b, end) - max(a, begin))
        life = sum(cut(a, b) for a, b in self.lives().values())
        talk = sum(cut(a, b) for spans in self.communications().values() for a, b in spans)
        return 100 * talk / life if life else None

    def phase_ends(self, gap_ns):
        """dates at which each phase of all tasks is over: the n-th is when every task that is alive has ended n"""
        lives, ends, joins = self.lives(), {}, {}
        for t, spans in self.communications().items():
            joins[t] = spans[0][0]
            ends[t] = [b[0] for a, b in zip(spans, spans[1:]) if b[0] - a[1] >= gap_ns]
            if any(k == 'Exit' and u == t for d, k, c, u, l, f in self.events):
                ends[t].append(lives[t][1])
        done, level, base = [], 0, {t: None for t in ends}
        moments = sorted({d for t in ends for d in ends[t]} | set(joins.values()))
        dead = set()
        exits = {t: lives[t][1] for t in ends if any(k == 'Exit' and u == t for d, k, c, u, l, f in self.events)}
        for now in moments:
            for t in ends:
                if joins[t] == now:
                    base[t] = level
            while True:
                present = [t for t in ends if base[t] is not None and t not in dead]
                counts = [base[t] + bisect.bisect_right(ends[t], now) for t in present]
                if not counts or min(counts) <= level:
                    break
                level += 1
                done.append(now)
            dead |= {t for t, d in exits.items() if d == now}
        return done
