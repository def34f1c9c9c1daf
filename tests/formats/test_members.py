#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What whole groups do together, in formats that tell the members of communicators: waits beside a second computation from the
raw files, samples and made ones."""
import collections
import csv
import gzip
import math
import os
import random
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpe                                                                                      # noqa: E402
from formats import ROOT, Format, few, main, samples                                           # noqa: E402

PROGRAM = '''<eve version="1"><component name="R" class="scope.{}-reader" version="1"/><component name="W" class="scope.wait-states" version="3"/>
<component name="A" class="scope.data-file" version="1"><setting name="file">waits.csv</setting></component>
<component name="B" class="scope.data-file" version="1"><setting name="file">efficiency.csv</setting></component>
<wire from="R" out="events" to="W" in="events"/><wire from="W" out="waits" to="A" in="in"/><wire from="W" out="efficiency" to="B" in="in"/></eve>'''
PCF = '''EVENT_TYPE
9   50000002    MPI Collective Comm
VALUES
7   MPI_Bcast
8   MPI_Barrier
9   MPI_Reduce
10  MPI_Allreduce
0   Outside MPI

'''
KINDS = {'Barrier': 'Wait at barrier', 'Allreduce': 'Wait at N x N', 'Alltoall': 'Wait at N x N', 'Allgather': 'Wait at N x N', 'Bcast': 'Late root',
         'Reduce': 'Early root', 'Scan': 'Early scan'}


def waits(calls, groups):
    """(kind, who) -> ns, of (who, group, operation, enter, leave, is root); groups: group -> those who are in it."""
    of, done = collections.defaultdict(dict), collections.Counter()
    for who, group, name, enter, leave, root in sorted(calls, key=lambda c: c[3]):
        if group in groups and who in groups[group]:
            of[group, done[group, who]][who] = (name, enter, leave, root)
            done[group, who] += 1
    sums, n = collections.Counter(), 0
    for (group, _), members in of.items():
        names = {m[0] for m in members.values()}
        if len(members) < len(groups[group]) or len(names) > 1:
            continue
        n += 1
        kind, roots, last = KINDS.get(names.pop()), [w for w, m in members.items() if m[3]], None
        for who, (_, enter, leave, root) in sorted(members.items(), key=lambda m: [int(n) for n in re.findall(r'\d+', m[0])]):
            others = [m[1] for w, m in members.items() if w not in roots]
            until = (last if kind == 'Early scan' else max(m[1] for m in members.values()) if kind in ('Wait at barrier', 'Wait at N x N')
                     else members[roots[0]][1] if kind == 'Late root' and roots and not root else min(others, default=0) if kind == 'Early root' and root
                     else None)
            last = max(last or 0, enter)
            if until is not None and enter < min(until, leave):
                sums[kind, who] += min(until, leave) - enter
    return dict(sums), n


def extrae(text):
    """Calls and groups of a Paraver trace with one thread a task, in nanoseconds."""
    groups, calls, open_ = {}, [], {}
    for line in text.splitlines():
        f = line.split(':')
        if f[0] == 'c':
            groups.setdefault(int(f[2]), {f'THREAD 1.{t}.1' for t in f[4:]})
        elif f[0] == '2':
            events, who, date = dict(zip(map(int, f[6::2]), map(int, f[7::2]))), f'THREAD {f[2]}.{f[3]}.{f[4]}', int(f[5])
            value = events.get(50000002)
            if value == 0 and who in open_:
                *call, is_root = open_.pop(who)
                calls.append((*call, date, is_root))
            elif value:
                name = {7: 'Bcast', 8: 'Barrier', 10: 'Allreduce', 9: 'Reduce'}[value]
                open_[who] = (who, events.get(50100004), name, date, events.get(50100003) == 1)
    return calls, groups


class Groups(Format):
    def mine(self, path, reader):
        self.scope('run', path, '--program', self.path('groups.eve', PROGRAM.format(reader)), '--out', self.path('out'))
        rows = {}
        for name in ('waits', 'efficiency'):
            with open(os.path.join(self.path('out'), name + '.csv'), newline='') as f:
                rows[name] = list(csv.DictReader(f))
        sums = collections.Counter()
        for row in rows['waits']:
            if row['kind'] in KINDS.values():
                sums[row['kind'], row['task']] += round(float(row['waited [s]']) * 1e9)
        return dict(sums), {row['what']: float(row['value'] or 'nan') for row in rows['efficiency']}

    def check(self, path, reader, calls, groups):
        mine, efficiency = self.mine(path, reader)
        expected, n = waits(calls, groups)
        self.maxDiff = None
        self.assertEqual(mine, expected, path)
        self.assertEqual(efficiency['Operations of groups'], n, path)
        self.assertEqual(efficiency['Operations of groups nobody told the members of'], 0, path)
        return {kind for kind, _ in mine}

    def clog(self, path):
        model, _ = mpe.clog2(path)
        calls = [(who, comm, name.removeprefix('MPI_'), enter, leave, False) for who, comm, name, enter, leave in model.calls
                 if name.removeprefix('MPI_') in (*KINDS, 'Gather', 'Scatter')]
        return self.check(path, 'clog', calls, model.communicators)

    @unittest.skipUnless(os.path.isdir(samples('clog2')), 'the samples are not here')
    def test_clog2(self):
        kinds = set()
        for name in ('waits4', 'colls6', 'colls12'):
            kinds |= self.clog(os.path.join(samples('clog2'), name + '.clog2'))
        self.assertEqual(kinds, {'Wait at barrier', 'Wait at N x N', 'Early scan'})

    @unittest.skipUnless(os.path.isdir(samples('clog2')), 'the samples are not here')
    def test_without_roots(self):
        """Nobody tells the root: how long tasks are in such operations and what they wait there at most, of the whole and of random windows;
        the columns of these kinds are empty."""
        n, r = 0, random.Random(os.environ.get('SCOPE_SEED', '1'))
        for name in ('waits4', 'colls6', 'colls12'):
            path = os.path.join(samples('clog2'), name + '.clog2')
            model, _ = mpe.clog2(path)
            done = collections.defaultdict(lambda: collections.defaultdict(list))   # (group, number) -> call -> (enter, leave)
            numbers = collections.Counter()
            for who, comm, call, enter, leave in sorted(model.calls, key=lambda c: c[3]):
                if call.removeprefix('MPI_') in (*KINDS, 'Gather', 'Scatter') and who in model.communicators.get(comm, ()):
                    done[comm, numbers[comm, who]][call.removeprefix('MPI_')].append((enter, leave))
                    numbers[comm, who] += 1
            first, last = model.first, model.last
            for k in range(few(6)):
                a, b = (first, last) if k == 0 else sorted(r.sample(range(first, last), 2))
                inside, late, early = collections.Counter(), 0, 0

                def counted(begin, end):
                    return max(0, min(end, b) - max(begin, a))
                for one in done.values():
                    (call, members), = one.items()
                    if call in ('Bcast', 'Scatter'):
                        can_give = [enter for enter, _ in members if enter <= min(leave for _, leave in members)]
                        late += sum(counted(enter, max(can_give)) for enter, _ in members)
                    elif call in ('Reduce', 'Gather'):
                        came = sorted(members)
                        if len(came) > 1 and came[0][1] >= came[-1][0]:                    # else it is no root: it has left before
                            early += counted(came[0][0], came[1][0])
                    else:
                        continue
                    inside['MPI_' + call] += sum(counted(*member) for member in members)
                text = ' '.join(self.scope('report', path, '-q', *(() if k == 0 else ('--from', f'{a / 1e9:.9f}', '--to', f'{b / 1e9:.9f}')))[0].split())
                said = re.search(r'in operations from one to all or from all to one, in which tasks are for (\S+ \S+) \(.*?longest in (\w+): .*?'
                                 r'At most, tasks wait there (\S+ \S+) for roots that come late, and roots that come early wait (\S+ \S+) for the others', text)
                if not said and k > 0:
                    self.assertLess(sum(inside.values()), .011 * (b - a) * len(model.communicators[0]))
                    continue
                self.assertEqual(said[2], max(inside, key=inside.get), (path, a, b))
                for words, ticks in ((said[1], sum(inside.values())), (said[3], late), (said[4], early)):
                    number, unit = words.split()
                    self.assertAlmostEqual(float(number) * {'s': 1e9, 'ms': 1e6, 'µs': 1e3, 'ns': 1}[unit], ticks, delta=.006 * ticks + 1, msg=(path, a, b, words))
                    n += 1
            mine = self.mine(path, 'clog')[1]
            for kind in ('Late root', 'Early root'):
                self.assertTrue(math.isnan(mine[kind]) and math.isnan(mine[kind + ', times']), (path, kind))
        self.assertGreater(n, few(30))

    @unittest.skipUnless(os.path.isdir(samples('paraver')), 'the samples are not here')
    def test_paraver(self):
        path = os.path.join(samples('paraver'), 'pypop-epoch_8proc.prv.gz')
        with gzip.open(path, 'rt') as f:
            calls, groups = extrae(f.read())
        self.assertIn('Wait at barrier', self.check(path, 'paraver', calls, groups))

    def test_made(self):
        """Four tasks, a communicator of all, one of two, and one of one; who is the root changes."""
        any_, kinds, groups = random.Random(16), set(), {1: (1, 2, 3, 4), 2: (2, 4), 3: (3,)}
        for case in range(3):
            now, records = [1000] * 4, []
            for _ in range(60):
                group, op = any_.choice(list(groups)), any_.choice((7, 8, 9, 10))
                root = any_.choice(groups[group])
                enters = {t: now[t - 1] + any_.randrange(1, 500) for t in groups[group]}
                for t, enter in enters.items():
                    leave = max(enters.values()) + any_.randrange(1, 50) if op in (8, 10) else max(enter, enters[root]) + any_.randrange(1, 50)
                    is_root = ':50100003:1' if t == root and op in (7, 9) else ''
                    records += [(enter, f'2:{t}:1:{t}:1:{enter}:50000002:{op}:50100001:8:50100002:8:50100004:{group}{is_root}'),
                                (leave, f'2:{t}:1:{t}:1:{leave}:50000002:0')]
                    now[t - 1] = leave
            text = '\n'.join([f'#Paraver (25/11/2026 at 12:00):{max(now)}_ns:1(4):1:4(1:1,1:1,1:1,1:1)',
                              *(f'c:1:{g}:{len(m)}:' + ':'.join(map(str, m)) for g, m in groups.items()),
                              *(line for _, line in sorted(records, key=lambda r: r[0]))]) + '\n'
            path = self.path(f'made{case}.prv', text)
            self.path(f'made{case}.pcf', PCF)
            kinds |= self.check(path, 'paraver', *extrae(text))
        self.assertEqual(kinds, {'Wait at barrier', 'Wait at N x N', 'Late root', 'Early root'})

    def test_damaged_communicators(self):
        head = '#Paraver (25/11/2026 at 12:00):100_ns:1(4):1:2(1:1,1:1)\n'
        for line, said in (('c:1:1:2:1:7', 'of communicators with tasks that the header does not tell'), ('c:1:1:3:1:2', 'said to have 3 tasks, but 2 are told'),
                           ('c:1', 'a communicator has an application'), ('c:9:1:1:1', 'of communicators with tasks')):
            self.assertIn(said, self.scope('info', self.path('c.prv', head + line + '\n2:1:1:1:1:5:60000019:1\n'))[0], line)

    def test_alone(self):
        """What tasks do with themselves alone counts, and nobody waits."""
        _, efficiency = self.mine(os.path.join(ROOT, 'traces', 'mpi-collectives.otf2'), 'otf2')
        self.assertEqual(efficiency['Operations of groups nobody told the members of'], 0)


main()
