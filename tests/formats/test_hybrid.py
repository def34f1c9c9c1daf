# SPDX-License-Identifier: Apache-2.0
"""Processes that have threads: how much of the run is lost between processes, and how much between the threads of each (POP's additive metrics,
co-design.pop-coe.eu/metrics/ha).  Archives of programs whose threads come and go, beside what was planned for them: whole, at random instants, in
random windows of time."""
import csv
import json
import os
import random
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import waits                                                                                    # noqa: E402
from formats import few, main                                                                   # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '16'))
ROWS = ('Process efficiency', 'Thread efficiency', 'Thread efficiency, outside of parallel regions', 'Thread efficiency, in parallel regions')


class Planned:
    """A program of processes of 1 to 4 threads: what each does when is known before it is written."""

    def __init__(self, seed, widths):
        self.any, self.lines, self.rows = random.Random(seed), [f'ranks {len(widths)}'], {}
        self.process, self.now, self.work, self.teams = {}, {}, {}, {}
        location = len(widths)
        self.members = []
        for p, width in enumerate(widths):
            self.members.append([p] + list(range(location, location + width - 1)))
            location += width - 1
        for p, members in enumerate(self.members):
            self.lines += [f'thread {x} {p}' for x in members[1:]]
            self.teams[p] = []
            for x in members:
                self.process[x], self.rows[x], self.work[x], self.now[x] = p, [], [], 1000 + self.any.randrange(400)
        for p, members in enumerate(self.members):
            self.put(p, 'enter main')
            self.compute(p)
            self.mpi(members, 'MPI_Init')
            for _ in range(self.any.randrange(3, 7)):
                for step in self.any.sample(('serial', 'mpi', 'team'), 3):
                    getattr(self, step)(members)
            self.compute(p)
            self.mpi(members, 'MPI_Finalize')
            self.put(p, 'leave main', 0)

    def put(self, x, words, after=1):
        self.now[x] += after
        self.rows[x].append((self.now[x], words))

    def compute(self, x):
        begin = self.now[x]
        self.now[x] += self.any.randrange(1, 3000)
        self.work[x].append((begin, self.now[x]))

    def outside(self, x, name):
        """It is in a call that is no work; what lies between it and other things is."""
        begin = self.now[x]
        self.put(x, 'enter ' + name)
        self.work[x].append((begin, self.now[x]))
        self.now[x] += self.any.randrange(1, 1500)

    def serial(self, members):
        self.compute(members[0])

    def mpi(self, members, name='MPI_Wait'):
        self.outside(members[0], name)
        self.put(members[0], 'leave ' + name, 0)

    def team(self, members):
        """Some of the threads take part, each computes; the first may communicate meanwhile, and then all wait."""
        first = members[0]
        team = [first] + [x for x in members[1:] if self.any.random() < 0.7]
        if len(members) == 1:
            return
        begin = self.now[first]
        self.put(first, f'fork {len(team)}', self.any.randrange(1, 50))
        self.work[first].append((begin, self.now[first]))
        fork = self.now[first]
        for x in team:
            self.now[x] = max(self.now[x], fork)
            begin = self.now[x]
            self.put(x, 'enter !$omp-parallel', self.any.randrange(1, 300))
            if x == first:
                self.work[x].append((begin, self.now[x]))
            self.compute(x)
            if x == first and self.any.random() < 0.5:
                self.mpi(members)
                self.compute(x)
            self.outside(x, '!$omp-implicit-barrier')
        end = max(self.now[x] for x in team)
        for x in team:
            self.now[x] = end
            self.put(x, 'leave !$omp-implicit-barrier', self.any.randrange(0, 20))
            begin = self.now[x]
            self.put(x, 'leave !$omp-parallel', self.any.randrange(1, 20))
            self.work[x].append((begin, self.now[x]))
        begin, self.now[first] = self.now[first], max(self.now[x] for x in team)
        self.put(first, 'join')
        self.work[first].append((begin, self.now[first]))
        self.teams[self.process[first]].append((fork, self.now[first]))

    def write(self, path):
        lines = self.lines + [f'{x} {date} {words}' for x in sorted(self.rows) for date, words in self.rows[x]]
        subprocess.run([waits.SCRIPT, path], input='\n'.join(lines) + '\n', text=True, check=True)
        return path

    def expected(self, a=None, b=None, until=None):
        """Of the window from a to b, of what there is up to `until`: the four, or nothing where no process has threads."""
        dates = [date for rows in self.rows.values() for date, _ in rows if until is None or date <= until]
        begin, end = a if a is not None else min(dates), b if b is not None else until if until is not None else max(dates)

        def within(stretches):
            last = end if until is None else min(end, until)
            return [(max(x, begin), min(y, last)) for x, y in stretches if max(x, begin) < min(y, last)]

        def long(stretches):
            return sum(y - x for x, y in within(stretches))
        there = {x for x, rows in self.rows.items() if any('enter' in words and (until is None or date <= until) for date, words in rows)}
        lost_between, idle, in_teams, hybrid = 0, 0, 0, 0
        run = end - begin
        for p, members in enumerate(self.members):
            threads = [x for x in members if x in there]
            if p not in there:
                continue
            forked = any(until is None or fork <= until for fork, _ in self.teams[p])
            hybrid += forked and len(threads) > 1
            inside = sum(min(y, v) - max(x, u) for x, y in within(self.work[p]) for u, v in within(self.teams[p]) if max(x, u) < min(y, v))
            serial, parallel = long(self.work[p]) - inside, long(self.teams[p])
            useful = sum(long(self.work[x]) for x in threads) - serial
            lost_between += len(threads) * (run - serial - parallel)
            idle += (len(threads) - 1) * serial
            in_teams += len(threads) * parallel - useful
        all_ = len(there) * run
        return all_ and hybrid and dict(zip(ROWS, (1 - lost_between / all_, 1 - (idle + in_teams) / all_, 1 - idle / all_, 1 - in_teams / all_)))


class Hybrid(waits.Tables):
    def assert_rows(self, mine, expected, about):
        self.assertEqual({name for name in ROWS if name in mine}, set(expected or ()), about)
        for name, value in (expected or {}).items():
            self.assertAlmostEqual(mine[name], value, delta=1e-9, msg=(about, name))
        if expected:
            self.assertAlmostEqual(1 - mine['Parallel efficiency'], 2 - mine['Process efficiency'] - mine['Thread efficiency'], delta=1e-9, msg=about)
            self.assertAlmostEqual(1 - mine[ROWS[1]], 2 - mine[ROWS[2]] - mine[ROWS[3]], delta=1e-9, msg=about)

    def at(self, path, at):
        out = self.path('at.csv')
        self.scope('draw', path, '--program', 'waits', '--view', 'Efficiency', '--at', f'{at / 1e9:.9f}', '-o', out, '-q')
        with open(out, newline='') as f:
            return {row['what']: float(row['value'] or 'nan') for row in csv.DictReader(f)}

    @unittest.skipUnless(waits.SCRIPT, 'libotf2 is not here')
    def test_whole_windows_and_random_instants(self):
        any_, told, untold = random.Random(SEED), 0, 0
        for k in range(few(8) + 2):
            widths = ([3, 1, 4], [1, 1])[k] if k < 2 else [any_.randrange(1, 5) for _ in range(any_.randrange(1, 5))]     # the second is none
            made = Planned(any_.randrange(1 << 30), widths)
            path = made.write(self.path(f'hybrid{k}'))
            _, _, efficiency = self.tables(path)
            self.assert_rows(efficiency, made.expected(), (SEED, k))
            first, last = (f(date for rows in made.rows.values() for date, _ in rows) for f in (min, max))
            for _ in range(few(4) + 1):
                a, b = sorted(any_.sample(range(first, last), 2))
                _, _, efficiency = self.tables(path, **{'from': f'{a / 1e9:.9f}', 'to': f'{b / 1e9:.9f}'})
                self.assert_rows(efficiency, made.expected(a, b), (SEED, k, a, b))
                at = any_.randrange(first + 1, last)
                expected = made.expected(until=at)
                told, untold = told + bool(expected), untold + (not expected)
                self.assert_rows(self.at(path, at), expected, (SEED, k, at))
        self.assertGreater(told, 2)
        self.assertGreater(untold, 0)

    @unittest.skipUnless(waits.SCRIPT, 'libotf2 is not here')
    def test_report_tells_what_limits(self):
        """As text, JSON and page: the numbers of the table, and which of them is the least; nothing where no process has threads."""
        any_, least = random.Random(SEED + 1), set()
        words = {0: 'between processes', 2: 'as threads wait while the first of their process computes alone', 3: 'between threads in parallel regions'}
        for k in range(few(4) + 2):
            widths = [any_.randrange(2, 5) for _ in range(any_.randrange(1, 4))] if k else [1, 1]
            made = Planned(any_.randrange(1 << 30), widths)
            path, out = made.write(self.path(f'told{k}')), self.path(f'out{k}')
            self.scope('report', path, '-o', out, '-q')
            said = []
            for name in ('report.txt', 'index.html'):
                with open(os.path.join(out, name), encoding='utf-8') as f:
                    said.append(' '.join(re.sub('<.*?>', ' ', f.read()).replace('\u00a0', ' ').split()))
            with open(os.path.join(out, 'report.json'), encoding='utf-8') as f:
                said.append(json.dumps(json.load(f), ensure_ascii=False).replace('\u00a0', ' '))
            expected = made.expected()
            if not expected:
                self.assertFalse([one for one in said if 'Processes have threads' in one])
                continue
            x = [f'{100 * value:.3g} %' for value in expected.values()]
            worst = min(words, key=lambda i: expected[ROWS[i]])
            least.add(worst)
            for one in said:
                self.assertIn(f'Processes have threads of their own: process efficiency is {x[0]}, thread efficiency {x[1]} ({x[2]} for what is computed outside of '
                              f'parallel regions, {x[3]} for what lies in them); so most is lost {words[worst]}.', one, (SEED, k))
        self.assertTrue(least)


main()
