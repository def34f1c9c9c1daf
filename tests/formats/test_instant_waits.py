# SPDX-License-Identifier: Apache-2.0
"""Waits at an instant: those of calls that are over and those that are under way, each up to the instant as far as it is known then, beside a second
computation from the records up to there (otf2.py); and how efficient the program is until then."""
import collections
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, few, main, once                                                       # noqa: E402
from otf2 import N_BY_N, Archive, Calls                                                         # noqa: E402
from waits import PROGRAM, Tables                                                               # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '16'))
WRITER = os.environ.get('OTF2_ARCHIVE', '')


class Instant(Calls):
    """Calls up to an instant.  What an operation is that was begun is told by its end, which may come later."""

    def __init__(self, archive, at):
        super().__init__(archive, at)
        self.order = {task: i for i, task in enumerate(archive.tasks[n] for n in sorted(archive.tasks))}
        begun, numbers = {}, collections.Counter()
        stacks = {location: list(stack) for location, stack in self.open.items()}
        for date, kind, location, text in archive.records:
            if kind == 'MPI_COLLECTIVE_BEGIN' and date <= at:
                begun[location] = True
            elif kind == 'MPI_COLLECTIVE_END':
                comm = int(re.search(r'Communicator: .*?<(\d+)>', text)[1])
                if date > at and begun.pop(location, False):
                    root = re.search(r'Root: (\d+)', text)
                    root = root and archive.tasks[archive.world[archive.group_members[archive.comms[comm]][int(root[1])]]]
                    call = stacks[location][-1]
                    call['begun'] = True
                    self.collectives[comm, numbers[comm, location]].append((re.search(r'Operation: (\w+)', text)[1], root, call))
                if date <= at:
                    begun.pop(location, None)
                numbers[comm, location] += 1

    def group_waits(self):
        out = []
        for (comm, _), members in self.collectives.items():
            op, root, _ = members[0]
            all_ = [self.a.tasks[self.a.world[n]] for n in self.a.group_members[self.a.comms[comm]]]
            enters = {call['task']: call['enter'] for _, _, call in members}
            missing = [task for task in all_ if task not in enters]
            alone = missing[0] if len(missing) == 1 else None

            def first(tasks, best):
                date = best(enters[t] for t in tasks)
                return date, min((t for t in tasks if enters[t] == date), key=self.order.get)
            for _, _, call in members:
                task, later = call['task'], call['leave']
                others = [t for t in enters if t != root]
                lower = [t for t in all_ if self.order[t] < self.order[task]]
                if op == 'BARRIER' or op in N_BY_N:
                    kind, (date, whom) = 'Wait at barrier' if op == 'BARRIER' else 'Wait at N x N', (self.until, alone) if missing else first(enters, max)
                elif op in ('BCAST', 'SCATTER', 'SCATTERV') and task != root:
                    kind, (date, whom) = 'Late root', (enters.get(root, self.until), root)
                elif op in ('REDUCE', 'GATHER', 'GATHERV') and task == root and len(all_) > 1:
                    kind, (date, whom) = 'Early root', first(others, min) if others else (self.until, alone)
                elif op in ('SCAN', 'EXSCAN') and lower:
                    kind, (date, whom) = 'Early scan', (self.until, alone) if set(lower) & set(missing) else first(lower, max)
                    later = self.until
                else:
                    continue
                if min(date, call['leave']) > call['enter']:
                    out.append((kind, call, min(date, call['leave']), whom, later))
        return out

    def under_way(self, owned):
        """[(call, from, the only one it waits for)] of those of which nothing that tells what they wait for has come."""
        members = {id(call) for group in self.collectives.values() for _, _, call in group}
        for stack in self.open.values():
            if any(date <= self.until < date + (stop or 0) for date, stop in self.flushes[stack[-1]['location']]):
                continue
            calls = []
            for call in reversed(stack):
                if not call['region'].startswith('MPI_'):
                    break
                calls.append(call)
            for call in calls:
                asked = [h['to'] for h in call['sends'] if 'other' not in h and h['blocks']]
                if asked or 'begun' in call:
                    break
            else:
                asked, call = None, calls[0] if calls else None
                if not calls or calls[0]['sends'] or calls[0]['receives'] or calls[0]['done'] or id(calls[0]) in members:
                    continue
            if 'begun' not in call and call['region'] not in ('MPI_Init', 'MPI_Finalize'):
                yield call, owned.get(id(call), call['enter']), asked[0] if asked and len(asked) == 1 else None

    def now(self):
        """[(kind, call, from, to, whom)], each time once."""
        self.flushes = collections.defaultdict(list)
        for date, kind, location, text in self.a.records:
            if kind == 'BUFFER_FLUSH':
                stop = (int(re.search(r'Stop Time: (\d+)', text)[1]) - self.a.offset) * 10 ** 9 // self.a.resolution
                self.flushes[location].append((date, stop - date))
        out = [one for one in self.owned() if one[1]['region'] not in ('MPI_Init', 'MPI_Finalize')]
        owned = collections.Counter()
        for _, call, _, until, _ in out:
            owned[id(call)] = max(owned[id(call)], until)
        return out + [('Under way', call, begin, self.until, whom) for call, begin, whom in self.under_way(owned) if begin < self.until]


BY_OWNER = PROGRAM.replace('</eve>', '''<component name="G" class="scope.statistics-by-owner" version="1"/>
<component name="H" class="scope.data-file" version="1"><setting name="file">dated.csv</setting></component>
<wire from="W" out="dated" to="G" in="value"/><wire from="G" out="table" to="H" in="in"/></eve>''')


class InstantWaits(Tables):
    def drawn(self, path, view, at):
        out = self.path('at.csv')
        self.scope('draw', path, '--program', 'waits', '--view', view, '--at', f'{at / 1e9:.9f}', '-o', out, '-q')
        with open(out, newline='') as f:
            return list(csv.DictReader(f))

    def assert_at(self, path, archive, at):
        calls = Instant(archive, at)
        waits, causes, of = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
        for kind, call, a, b, whom in calls.now():
            waits[kind, call['task'], call['region']] += b - a
            causes[whom] += b - a
            of[kind, call['task'], call['region']][whom] += b - a
        rows = self.drawn(path, 'Kinds of wait', at)
        mine = {(w['kind'], w['task'], w['region']): round(float(w['waited [s]']) * 1e9) for w in rows}
        self.assertEqual({key: n for key, n in mine.items() if n}, waits, (path, at))
        for w in rows:
            known = of[w['kind'], w['task'], w['region']]
            if w['mostly for']:
                self.assertEqual(known[w['mostly for']], max((n for whom, n in known.items() if whom), default=None), (path, at, w))
            else:
                self.assertLessEqual(set(known), {None}, (path, at, w))
        waiting = collections.Counter()
        for (_, task, _), n in waits.items():
            waiting[task] += n
        tasks = self.drawn(path, 'Waits of tasks', at)
        useful = {archive.tasks[n]: calls.useful[n] for n in calls.spans}
        self.assertEqual({t['task']: [round(float(t[c + ' [s]']) * 1e9) for c in ('computing', 'waiting', 'waited for')] for t in tasks if t['task'] in useful},
                         {task: [n, waiting[task], causes[task]] for task, n in useful.items()}, (path, at))
        kinds = collections.Counter()
        for row in tasks:
            kinds.update({c.removesuffix(' [s]'): round(float(n) * 1e9) for c, n in row.items() if c[:1].isupper()})
        self.assertGreaterEqual(sum(kinds.values()), sum(waiting.values()))
        said = {row['what']: float(row['value'] or 'nan') for row in self.drawn(path, 'Efficiency', at)}
        run = at - min(r[0] for r in archive.records)
        self.assertEqual([round(said[name] * 1e9) for name in ('Run time', 'Waiting of all tasks')], [run, sum(waits.values())], (path, at))
        self.assertEqual({k: round(said[k] * 1e9) for k in kinds}, dict(kinds), (path, at))
        self.assertAlmostEqual(said['Parallel efficiency'], sum(useful.values()) / len(useful) / run, delta=1e-9, msg=(path, at))
        self.assertAlmostEqual(said['Load balance'], sum(useful.values()) / len(useful) / max(useful.values()), delta=1e-9, msg=(path, at))
        self.assert_run(path, at, waits, waiting)
        return {kind for (kind, _, _), n in waits.items() if n and any(c.get('open') and k == kind for k, c, _, _, _ in calls.now())}

    def assert_run(self, path, at, waits, waiting):
        """A run that stops there tells the same, and all waits as numbers."""
        out = self.path('out')
        shutil.rmtree(out, ignore_errors=True)
        self.scope('run', path, '--program', self.path('by-owner.eve', BY_OWNER), '--until', f'{at / 1e9:.9f}', '--out', out, '-q')
        rows = {}
        for name in ('waits', *(['dated'] if waiting else ())):        # of no number there is no table
            with open(os.path.join(out, name + '.csv'), newline='') as f:
                rows[name] = list(csv.DictReader(f))
        mine = {(w['kind'], w['task'], w['region']): round(float(w['waited [s]']) * 1e9) for w in rows['waits']}
        self.assertEqual({key: n for key, n in mine.items() if n}, waits, (path, at))
        self.assertEqual({row[0]: round(row[1] * 1e9) for row in ((r['owner'], float(r['sum [s]'])) for r in rows.get('dated', ()))}, +waiting, (path, at))

    @unittest.skipUnless(shutil.which('otf2-print') and WRITER, 'otf2-print, or libotf2, is not here')
    @once
    def test_random_instants(self):
        any_, kinds = random.Random(SEED), set()
        archives = [os.path.join(ROOT, 'traces', f'mpi-{name}.otf2') for name in ('waits', 'stencil', 'farm', 'requests')]
        for seed in range(2):
            archives.append(self.path(f'now{seed}'))
            subprocess.run([WRITER, archives[-1], str(any_.randrange(1000)), '6', '250'], check=True)
        for path in archives:
            archive = Archive(os.path.join(path, 'traces.otf2'))
            first, last = min(r[0] for r in archive.records), max(r[0] for r in archive.records)
            inside = [r for r in archive.records if r[1] == 'ENTER' and 'MPI_' in r[3]]
            for k in range(few(6) + 2):
                at = any_.randrange(first + 1, last) if k % 2 else min(any_.choice(inside)[0] + any_.randrange(1, 30), last - 1)
                kinds |= self.assert_at(path, archive, at)
        self.assertLessEqual({'Under way', 'Wait at barrier'}, kinds)


main()
