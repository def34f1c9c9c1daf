# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom: on samples as others have computed it, on made archives against a second computation from the text
of otf2-print (otf2.py), and one run against one that was stopped and went on."""
import bisect
import collections
import csv
import gzip
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, SANITIZED, few, main, once, samples
from otf2 import Archive, Calls                                                                 # noqa: E402
from waits import PROGRAM, SCRIPT, Tables                                                       # noqa: E402

SAMPLES = samples('otf2')
SEED = int(os.environ.get('SCOPE_SEED', '16'))
WRITER = os.environ.get('OTF2_ARCHIVE', '')
NAMES = {'late_sender': 'Late sender', 'late_receiver': 'Late receiver', 'wait_at_barrier': 'Wait at barrier',
         'wait_at_nxn': 'Wait at N x N', 'late_broadcast': 'Late root', 'early_reduce': 'Early root'}


PARAVER = samples('paraver')


def late_senders_of_paraver(path):
    """From the lines of a Paraver trace: thread -> ns and how many of its states waited for a send, the longest of the messages of each."""
    states, messages, longest = collections.defaultdict(list), [], collections.Counter()
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as lines:
        for v in ([int(x) for x in line.split(':')] for line in lines if line[:2] in ('1:', '3:')):
            if v[0] == 1:
                states[tuple(v[2:5])].append(tuple(v[5:7]))
            else:
                messages.append((tuple(v[2:5]), v[5], tuple(v[8:11]), v[12]))
    for own in states.values():
        own.sort()
    for sender, sent, receiver, came in messages:
        own = states[sender]
        i = bisect.bisect_right(own, (sent, float('inf'))) - 1
        calls = own[i][0] if i >= 0 and sent < own[i][1] else sent
        i = bisect.bisect_left(states[receiver], (came,)) - 1        # a message that comes as a state ends is that one's
        begin, end = states[receiver][i] if i >= 0 else (came, came)
        if came <= end and min(calls, end) > begin:
            longest[receiver, begin] = max(longest[receiver, begin], min(calls, end) - begin)
    return {r: (sum(t for (x, _), t in longest.items() if x == r), sum(x == r for x, _ in longest)) for r in {r for r, _ in longest}}


class Waits(Tables):
    @unittest.skipUnless(os.path.isdir(SAMPLES) and WRITER, 'the samples, or libotf2, are not here')
    def test_samples_as_others_computed_them(self):
        n = 0
        with open(os.path.join(SAMPLES, 'expected.jsonl')) as lines:
            for row in map(json.loads, lines):
                if 'waits' not in row or 'mi300' in row['path']:
                    continue
                path = os.path.join(SAMPLES, os.path.relpath(row['path'], 'otf2'))
                _, tasks, efficiency = self.tables(path)
                # dates are whole nanoseconds here: exact where the trace's are too
                near = 1e-12 if 'pmpi' in path else 2e-9
                for key, name in NAMES.items():
                    expected = row['waits'][key]
                    self.assertAlmostEqual(efficiency[name], expected['total'], delta=near * max(1, expected['n']), msg=(path, key))
                    self.assertEqual(efficiency[name + ', times'], expected['n'], (path, key))
                    for rank, seconds in expected['by_rank'].items():
                        mine = next(t for t in tasks if t['task'] == f'MPI Rank {rank}')
                        self.assertAlmostEqual(float(mine[name + ' [s]']), seconds, delta=near * max(1, expected['n']), msg=(path, key, rank))
                        n += 1
                self.assertEqual([efficiency['Messages'], efficiency['Volume'], efficiency['Operations of groups']],
                                 [row['messages'], row['bytes'], row['collective_instances']], path)
                path_of = row['critical_path']
                self.assertAlmostEqual(efficiency['Critical path'], path_of['length'], delta=max(near, 1e-12), msg=path)
                self.assertEqual(efficiency['Critical path, stretches'], path_of['segments'], path)
                for region, seconds in path_of['profile']:
                    self.assertAlmostEqual(self.by_region[region], seconds, delta=20 * near, msg=(path, region))
                by_task = {t['task']: float(t['on the critical path [s]']) for t in tasks}
                for rank, seconds in path_of['by_rank'].items() if 'written' not in path else ():
                    self.assertAlmostEqual(by_task[f'MPI Rank {rank}'], seconds, delta=20 * near, msg=(path, rank))
                if 'written' in path:           # of its threads those that help compute in parallel regions alone (0.744 counts what is between these)
                    self.assertAlmostEqual(efficiency['Parallel efficiency'], self.in_regions(path), delta=1e-6)
                else:
                    for name in ('Parallel efficiency', 'Load balance', 'Communication efficiency'):
                        self.assertAlmostEqual(efficiency[name], row['pop'][name.lower().replace(' ', '_')],
                                               delta=1e-8 if 'pmpi' in path else 1e-6, msg=(path, name))
        self.assertGreater(n, 40)

    def in_regions(self, path):
        """What is in a region and in none of MPI's, by the dates of `otf2-print`, as a share of all."""
        printed = subprocess.run(['otf2-print', os.path.join(path, 'traces.otf2') if os.path.isdir(path) else path], stdout=subprocess.PIPE, text=True, check=True).stdout
        inside, since, useful, dates = collections.defaultdict(list), {}, collections.Counter(), []
        for what, location, date, region in re.findall(r'^(ENTER|LEAVE) +(\d+) +(\d+) +Region: "(.*)" <', printed, re.M):
            if inside[location] and not any(name.startswith('MPI_') for name in inside[location]):
                useful[location] += int(date) - since[location]
            since[location] = int(date)
            dates.append(int(date))
            if what == 'ENTER':
                inside[location].append(region)
            else:
                inside[location].pop()
        return sum(useful.values()) / len(since) / (max(dates) - min(dates))

    @unittest.skipUnless(shutil.which('otf2-print') and WRITER, 'otf2-print, or libotf2, is not here')
    def test_made_archives(self):
        n, wrong, kinds = 0, 0, set()
        for seed in range(100, 101 if SANITIZED else 104):       # in four are waits of all kinds
            path = self.path(f'made{seed}')
            subprocess.run([WRITER, path, str(seed), '6', '250'], check=True)
            archive = Archive(os.path.join(path, 'traces.otf2'))
            calls = Calls(archive)
            waits, tasks, efficiency = self.tables(path)
            mine = {(w['kind'], w['task'], w['region']): (int(w['times']), round(float(w['waited [s]']) * 1e9),
                                                          round(float(w['longest [s]']) * 1e9)) for w in waits}
            self.assertEqual(mine, {key: (len(t), sum(t), max(t)) for key, t in calls.owned_waits().items()}, seed)
            self.assert_once(calls, tasks, efficiency)
            self.assert_partners(calls, waits, tasks)
            n += len(mine)
            kinds |= {kind for kind, _, _ in mine}
            self.assertEqual(efficiency['Messages'], calls.messages)
            for what, ticks in zip(('one source', 'several sources'), calls.wrong_order()):
                name = 'Late sender in wrong order, of ' + what
                self.assertEqual((round(efficiency[name] * 1e9), efficiency[name + ', times']), (sum(ticks), len(ticks)), seed)
                wrong += len(ticks)
            length, stretches, by_task, by_region = calls.critical_path()
            mine = {t['task']: round(float(t['on the critical path [s]']) * 1e9) for t in tasks if float(t['on the critical path [s]'])}
            self.assertEqual([round(efficiency['Critical path'] * 1e9), mine], [length, by_task], seed)
            self.assertEqual({region: round(seconds * 1e9) for region, seconds in self.by_region.items() if seconds}, by_region, seed)
            self.assertEqual(efficiency['Critical path, stretches'], stretches, seed)
            for location in calls.spans:
                task = next(t for t in tasks if t['task'] == archive.tasks[location])
                self.assertEqual(round(float(task['computing [s]']) * 1e9), calls.useful[location], (seed, location))
        self.assertGreater(n, few(few(100)))
        self.assertGreater(wrong, 0)
        if not SANITIZED:       # one of many has not all
            self.assertLessEqual({*NAMES.values(), 'Early scan'}, kinds)

    def assert_once(self, calls, tasks, efficiency):
        """Each time of a call is of one wait: what tasks wait, what they are waited for, and each kind by itself."""
        owned, caused, by_kind = collections.Counter(), collections.Counter(), collections.Counter()
        in_calls = collections.Counter()
        for _, call, a, b, cause in calls.owned():
            owned[call['task']] += b - a
            caused[cause] += b - a
        for kind, call, ticks in calls.each_wait():
            by_kind[kind, call['task']] += ticks
        for call in calls.calls:
            in_calls[call['task']] += (call['leave'] - call['enter']) * call['region'].startswith('MPI_')
        by_region = collections.Counter()
        for kind, call, ticks in calls.each_wait():
            by_region[kind, call['task'], call['region']] += ticks
        self.assertEqual({(w['kind'], w['task'], w['region']): round(float(w['by itself [s]']) * 1e9) for w in self.rows['waits']}, by_region)
        for row in tasks:
            self.assertEqual([round(float(row[k]) * 1e9) for k in ('waiting [s]', 'waited for [s]')], [owned[row['task']], caused[row['task']]])
            self.assertLessEqual(owned[row['task']], in_calls[row['task']])
            for kind in NAMES.values():
                self.assertEqual(round(float(row[kind + ' [s]']) * 1e9), by_kind[kind, row['task']], (row['task'], kind))
        self.assertEqual(round(efficiency['Waiting of all tasks'] * 1e9), sum(owned.values()))
        self.assertEqual(round(efficiency['For two things at once'] * 1e9), sum(by_kind.values()) - sum(owned.values()))

    def assert_partners(self, calls, waits, tasks):
        """Whom each waits for most, and how long: of a task, and of each kind of wait in a region."""
        of = collections.defaultdict(collections.Counter)
        for kind, call, a, b, cause in calls.owned():
            of[call['task'],][cause] += b - a
            of[kind, call['task'], call['region']][cause] += b - a
        for row in tasks + waits:
            whom = of[(row['kind'], row['task'], row['region']) if 'kind' in row else (row['task'],)]
            if row['mostly for']:
                self.assertEqual([whom[row['mostly for']], round(float(row['for that one [s]']) * 1e9)], [max(whom.values())] * 2, row)
            else:
                self.assertEqual((whom, row['for that one [s]']), ({}, ''))

    @unittest.skipUnless(os.path.isdir(PARAVER), 'the samples are not here')
    def test_late_senders_of_paraver(self):
        """A message that was waited for comes at the very date at which the call of its receive ends."""
        n = 0
        for name in ('profet-lulesh_4+4.prv', 'profet-test1.prv', 'pypop-epoch_2proc.prv.gz', *(() if SANITIZED else ('pypop-epoch_8proc.prv.gz',))):
            path = os.path.join(PARAVER, name)
            _, tasks, efficiency = self.tables(path)
            late = late_senders_of_paraver(path)
            mine = {tuple(map(int, t['task'].split()[1].split('.'))): round(float(t['Late sender [s]']) * 1e9) for t in tasks
                    if float(t['Late sender [s]'])}
            self.assertEqual(mine, {thread: ns for thread, (ns, _) in late.items()}, name)
            self.assertEqual(efficiency['Late sender, times'], sum(times for _, times in late.values()), name)
            n += len(mine)
        self.assertGreater(n, 5)

    def test_states_overlap(self):
        """The end of a call that was left with the one around it ends no other one of its kind."""
        names = ['13 0 101 102 0 0 blue:gray3 MPI_Outer', '13 0 11 12 0 0 yellow:dimple3 alpha', '13 0 13 14 0 0 green:light_gray beta']
        events = [(101, 0, 1000), (101, 1, 1000), (11, 0, 2000), (13, 0, 3000), (12, 0, 4000), (14, 0, 5000), (102, 0, 10000), (102, 1, 10000),
                  (11, 0, 20000), (11, 1, 20000), (12, 0, 20001), (12, 1, 20001)]
        head = [(1, 0, 0, 'Me'), (2, 12, 0, ''), (3, 2, 0, ''), (4, 1, 0, ''), (5, 6, 0, ''), (6, 0, 0, ''), (7, 0, 20001, ''), (8, 1, 0, ''), (11, 0, 0, '')]
        path = self.path('overlap.alog', '\n'.join([f'-{k} 0 0 {n} 0 {last} {who}' for k, n, last, who in head] + ['-' + n for n in names]
                                                   + [f'{k} {task} 0 1 0 {date} ' for k, task, date in events]) + '\n')
        out = self.path('out')
        self.scope('run', path, '--program', 'waits', '--out', out)
        with open(os.path.join(out, 'tasks.csv'), newline='') as f:
            computing = {row['task']: round(float(row['computing [s]']) * 1e6) for row in csv.DictReader(f)}
        self.assertEqual(computing, dict.fromkeys(('process 0', 'process 1'), 20001 - 1000 - 9000))

    def causes(self):
        return {(row['task'], row['region']): (float(row['direct [s]']) * 1e9, float(row['indirect [s]']) * 1e9) for row in self.rows['causes']}

    def assert_causes(self, mine, expected):
        self.assertEqual(set(mine), {key for key, costs in expected.items() if sum(costs) > 1e-3})
        for key, costs in mine.items():
            for a, b in zip(costs, expected[key]):
                self.assertAlmostEqual(a, b, delta=1e-2 + 1e-6 * b, msg=key)

    @unittest.skipUnless(SCRIPT, 'built without libotf2')
    def test_planted_delays(self):
        """One task is late, its neighbour waits for it and so comes late to the next: the first is the root cause of both waits."""
        rows = []
        for r in range(3):
            rows += [f'{r} 100 enter main', f'{r} 200 enter MPI_Barrier', f'{r} 201 begin', f'{r} 205 end 0 0 -1', f'{r} 210 leave MPI_Barrier',
                     f'{r} 210 enter work']
        rows += ['0 1210 leave work', '0 1210 enter MPI_Send', '0 1211 send 1 0 0 8', '0 1215 leave MPI_Send',         # 900 longer than the others
                 '1 310 leave work', '1 310 enter MPI_Recv', '1 1212 recv 0 0 0 8', '1 1220 leave MPI_Recv',
                 '1 1220 enter MPI_Send', '1 1221 send 2 0 0 8', '1 1225 leave MPI_Send',
                 '2 310 leave work', '2 310 enter MPI_Recv', '2 1222 recv 1 0 0 8', '2 1230 leave MPI_Recv']
        mine, efficiency = self.made('planted', ['ranks 3', *rows, *(f'{r} 2000 leave main' for r in range(3))])
        self.assertEqual(mine, {('Late sender', 'rank 1', 'MPI_Recv'): 900, ('Late sender', 'rank 2', 'MPI_Recv'): 910})
        # rank 2 waits 910 for rank 1, which had waited 900 itself and was 10 in MPI_Recv besides
        self.assert_causes(self.causes(), {('rank 0', 'work'): (900, 900), ('rank 1', 'MPI_Recv'): (10, 0)})
        self.assertEqual(round(efficiency['Waiting whose causes were looked for'] * 1e9), 1810)
        self.assertEqual(round(efficiency['Waiting that nothing explains'] * 1e9), 0)

    @unittest.skipUnless(SCRIPT and shutil.which('otf2-print'), 'built without libotf2')
    def test_root_causes(self):
        """Delays at random, in steps of barriers and messages: each wait shared out once more, from the calls; nothing is lost."""
        any_, chains = random.Random(16), 0
        for k in range(few(3)):
            n, now, rows = 4, [1000 + 7 * r for r in range(4)], []
            for r in range(n):
                rows.append(f'{r} {now[r]} enter main')

            def work(r):
                region = any_.choice(('solve', 'pack', 'io'))
                now[r] += any_.randrange(3, 30)
                rows.append(f'{r} {now[r]} enter {region}')
                now[r] += any_.choice((50, 400, 3000)) + any_.randrange(97)
                rows.append(f'{r} {now[r]} leave {region}')
            for step in range(25):
                for r in range(n):
                    work(r)
                if any_.randrange(3):
                    s, d = any_.sample(range(n), 2)
                    at = now[d], now[s]
                    rows += [f'{s} {at[1]} enter MPI_Send', f'{s} {at[1] + 2} send {d} 0 {step} 8', f'{s} {at[1] + 5} leave MPI_Send']
                    done = max(at[0], at[1] + 2) + 3
                    rows += [f'{d} {at[0]} enter MPI_Recv', f'{d} {done} recv {s} 0 {step} 8', f'{d} {done + 4} leave MPI_Recv']
                    now[s], now[d] = at[1] + 6, done + 5
                else:
                    end = max(now) + 9
                    for r in range(n):
                        rows += [f'{r} {now[r]} enter MPI_Barrier', f'{r} {now[r] + 1} begin', f'{r} {end + r} end 0 0 -1', f'{r} {end + r + 1} leave MPI_Barrier']
                        now[r] = end + r + 2
            rows += [f'{r} {max(now) + 50} leave main' for r in range(n)]
            _, efficiency = self.made(f'roots{k}', [f'ranks {n}', *rows])
            mine = self.causes()
            calls = Calls(Archive(os.path.join(self.path(f'roots{k}'), 'traces.otf2')))
            expected, judged, unexplained = calls.root_causes()
            self.assert_causes(mine, expected)
            chains += sum(indirect > 0 for _, indirect in expected.values())
            self.assertAlmostEqual(efficiency['Waiting that nothing explains'] * 1e9, unexplained, delta=1)
            self.assertAlmostEqual(sum(map(sum, mine.values())) + unexplained, judged, delta=1)
            self.assertEqual(round(efficiency['Waiting of all tasks'] * 1e9), judged)
        self.assertGreater(chains, 5)

    @unittest.skipUnless(SCRIPT, 'built without libotf2')
    def test_windows(self):
        """Who waits at a fence, for a post, for completion, for a lock: dates at random, each wait by its definition."""
        any_ = random.Random(9)
        for _ in range(4):
            t = [1000 + any_.randrange(900) for _ in range(3)]         # at the fence
            lines = ['ranks 3', 'comm 1 1 2', 'comm 2 0']
            left = max(t) + 5
            rows = [[f'{t[r]} enter MPI_Win_fence', f'{t[r]} rmabegin', f'{left} rmaend 0 -1', f'{left + 1} leave MPI_Win_fence'] for r in range(3)]
            post, start = 3000 + any_.randrange(500), [3000 + any_.randrange(500) for _ in range(2)]
            complete, wait = [5000 + any_.randrange(500) for _ in range(2)], 5000 + any_.randrange(500)
            rows[0] += [f'{post} enter MPI_Win_post', f'{post + 1} group 1', f'{post + 2} leave MPI_Win_post',
                        f'{wait} enter MPI_Win_wait', f'{max(wait, *complete) + 4} group 1', f'{max(wait, *complete) + 5} leave MPI_Win_wait']
            for i in range(2):
                end = max(post, start[i]) + 3
                rows[1 + i] += [f'{start[i]} enter MPI_Win_start', f'{end} group 2', f'{end + 1} leave MPI_Win_start',
                                f'{complete[i]} enter MPI_Win_complete', f'{complete[i] + 1} group 2', f'{complete[i] + 2} leave MPI_Win_complete']
            asked = [8000 + any_.randrange(300) for _ in range(3)]
            held, turns = 0, []
            for r in sorted(range(3), key=lambda r: asked[r]):        # the lock of the window of rank 0, one after the other
                got = max(asked[r], held + 1) + 2
                turns.append((r, asked[r], held))
                held = got + any_.randrange(100, 200)
                rows[r] += [f'{asked[r]} enter MPI_Win_lock', f'{asked[r]} lock 0 0', f'{got} locked 0 0', f'{got} leave MPI_Win_lock',
                            f'{held} enter MPI_Win_unlock', f'{held} unlock 0 0', f'{held + 1} leave MPI_Win_unlock']
            expected = {('Wait at fence', f'rank {r}', 'MPI_Win_fence'): max(t) - t[r] for r in range(3)}
            expected |= {('Late post', f'rank {1 + i}', 'MPI_Win_start'): post - start[i] for i in range(2)}
            expected['Early wait for access', 'rank 0', 'MPI_Win_wait'] = max(complete) - wait
            expected |= {('Lock of a window held', f'rank {r}', 'MPI_Win_lock'): before - at for r, at, before in turns}
            mine, _ = self.made('windows', lines + [f'{r} {row}' for r in range(3) for row in rows[r]])
            self.assertEqual(mine, {key: ticks for key, ticks in expected.items() if ticks > 0})
            shutil.rmtree(self.path('windows'))

    @unittest.skipUnless(SCRIPT, 'built without libotf2')
    def test_threads(self):
        """Barriers of a team, and threads that are idle while the first of their process is alone."""
        any_ = random.Random(4)
        lines, expected, threads = ['ranks 1', 'thread 1 0', 'thread 2 0', 'team 5 0 1 2'], {}, range(3)
        rows, now, parallel = [['100 enter main'], ['100 enter work'], ['100 enter work']], 1000, 0
        for _ in range(5):
            rows[0] += [f'{now} fork 3', f'{now} enter !$omp-parallel']
            for k in threads:
                rows[k] += [f'{now + 1} tbegin 5']
            came = [now + 10 + any_.randrange(400) for _ in threads]
            left = max(came) + 3
            for k in threads:
                rows[k] += [f'{came[k]} enter !$omp-implicit-barrier', f'{left} leave !$omp-implicit-barrier', f'{left + 1} tend 5']
                key = 'Wait at barrier of threads', f'rank 0 · thread {k}', '!$omp implicit barrier'
                expected[key] = expected.get(key, 0) + max(came) - came[k]
            rows[0] += [f'{left + 2} leave !$omp-parallel', f'{left + 2} join']
            parallel += left + 2 - now
            now = left + 2 + any_.randrange(300)
        rows[0] += [f'{now} leave main']
        mine, efficiency = self.made('threads', lines + [f'{k} {row}' for k in threads for row in rows[k]])
        self.assertEqual(mine, {key: ticks for key, ticks in expected.items() if ticks})
        self.assertEqual(round(efficiency['Idle threads'] * 1e9), (now - 100 - parallel) * 2)

    @unittest.skipUnless(SCRIPT, 'built without libotf2')
    def test_threads_between_parallel_regions(self):
        """Threads that come for parallel regions alone compute in these; the first of a process also outside of them, with or without a region of its own."""
        any_, regions = random.Random(5), ('!$omp-parallel', '!$omp-implicit-barrier')
        for around in ('enter main', None):
            rows, computed, stays = {k: [] for k in range(6)}, dict.fromkeys(range(6), 0), {k: [] for k in range(6)}
            for first, others in ((0, (2, 3)), (1, (4, 5))):
                rows[first] += [f'100 {around}'] if around else []
                now = 200
                for _ in range(4):
                    now += any_.randrange(50, 900)
                    for k in (first, *others):
                        begin, waits, end = now + any_.randrange(5), now + 10 + any_.randrange(200), now + 220
                        rows[k] += [f'{begin} enter {regions[0]}', f'{waits} enter {regions[1]}', f'{end} leave {regions[1]}',
                                    f'{end + 1} leave {regions[0]}']
                        computed[k] += waits - begin + 1
                        stays[k].append((begin, waits, end))
                    now += 230
                rows[first] += [f'{now} {around.replace("enter", "leave")}'] if around else []
                ends = (100, now) if around else (stays[first][0][0], stays[first][-1][2] + 1)
                computed[first] = ends[1] - ends[0] - sum(end - waits for _, waits, end in stays[first])
            lines = ['ranks 2', 'thread 2 0', 'thread 3 0', 'thread 4 1', 'thread 5 1', *(f'{k} {row}' for k in rows for row in rows[k])]
            path = self.path(f'between{bool(around)}')
            subprocess.run([SCRIPT, path], input='\n'.join(lines) + '\n', text=True, check=True)
            _, tasks, efficiency = self.tables(path)
            names = [f'rank {process} · thread {k}' for k, process in enumerate((0, 1, 0, 0, 1, 1))]
            mine = {row['task']: round(float(row['computing [s]']) * 1e9) for row in tasks}
            self.assertEqual(mine, {names[k]: ticks for k, ticks in computed.items()})
            dates = [int(row.split()[0]) for of in rows.values() for row in of]
            self.assertAlmostEqual(efficiency['Parallel efficiency'], sum(computed.values()) / 6 / (max(dates) - min(dates)), delta=1e-9)

    @unittest.skipUnless(SCRIPT, 'built without libotf2')
    def test_sent_aside(self):
        """Two sends that do not block, completed in one call: it waits for the later of their receivers, once, whichever comes first."""
        any_ = random.Random(3)
        for k in range(few(4)):
            wait, posts = 500 + any_.randrange(100), [any_.randrange(400, 900) for _ in range(2)]
            leave = max(*posts, wait) + any_.randrange(2, 40)           # before or after the receives are over
            rows = ['0 10 enter MPI_Isend', '0 11 isend 1 0 0 8 1', '0 12 isend 2 0 0 8 2', '0 13 leave MPI_Isend',
                    f'0 {wait} enter MPI_Waitall', f'0 {leave - 1} isendc 1', f'0 {leave - 1} isendc 2', f'0 {leave} leave MPI_Waitall']
            for r in (1, 2):
                rows += [f'{r} {posts[r - 1]} enter MPI_Recv', f'{r} {posts[r - 1] + 20} recv 0 0 0 8', f'{r} {posts[r - 1] + 21} leave MPI_Recv']
            mine, _ = self.made(f'sent{k}', ['ranks 3', *rows])
            self.assertEqual(mine, {('Late receiver of what was sent aside', 'rank 0', 'MPI_Waitall'): max(posts) - wait} if max(posts) > wait else {})

    @unittest.skipUnless(SCRIPT, 'built without libotf2')
    def test_aside(self):
        """Operations that do not block are waited for in the call that completes them; beginning and ending has a class of its own."""
        any_ = random.Random(2)
        for op, kind in ((0, 'Wait at barrier'), (11, 'Wait at N x N'), (1, 'Late root')):
            begin, wait = [1000 + any_.randrange(300) for _ in range(3)], [1400 + any_.randrange(300) for _ in range(3)]
            begin[1] = 1550
            wait[1] = 1600
            end, rows = max(begin) + 9, []
            for r in range(3):
                leave = max(wait[r], end) + 2
                rows += [f'{r} 10 enter MPI_Init', f'{r} 12 begin', f'{r} {20 + r} end 0 0 -1', f'{r} {30 + r} leave MPI_Init',
                         f'{r} {begin[r]} enter MPI_Ix', f'{r} {begin[r] + 1} ireq 7', f'{r} {begin[r] + 2} leave MPI_Ix',
                         f'{r} {wait[r]} enter MPI_Wait', f'{r} {leave - 1} iend {op} 0 {1 if op == 1 else -1} 7', f'{r} {leave} leave MPI_Wait']
            mine, efficiency = self.made(f'aside{op}', ['ranks 3', *rows])
            late = begin[1] if op == 1 else max(begin)
            self.assertEqual(mine, {(kind, f'rank {r}', 'MPI_Wait'): late - wait[r] for r in range(3) if wait[r] < late and (op != 1 or r != 1)})
            self.assertEqual(round(efficiency['Beginning and ending communication'] * 1e9), 20 + 21 + 22)

    @unittest.skipUnless(shutil.which('otf2-print') and WRITER, 'otf2-print, or libotf2, is not here')
    def test_recorded_programs(self):
        """Our own programs of MPI as tape-mpi has recorded them: sound clocks, and waits as they were planned."""
        for name in ('waits', 'stencil', 'farm', 'collectives', 'memory', 'requests'):
            path = os.path.join(ROOT, 'traces', f'mpi-{name}.otf2')
            waits, tasks, efficiency = self.tables(path)
            self.assertEqual(efficiency.get('Received before sent', 0), 0, name)
            if name not in ('collectives', 'memory'):
                mine = {(w['kind'], w['task'], w['region']): (int(w['times']), round(float(w['waited [s]']) * 1e9)) for w in waits}
                self.assertEqual(mine, {key: (len(t), sum(t)) for key, t in Calls(Archive(os.path.join(path, 'traces.otf2'))).owned_waits().items()}, name)
            if name == 'waits':     # seconds that were planned, of whom; a machine that others use too is late at times
                for kind, task, planned in (('Late sender', 'rank 0', 0.05), ('Late sender', 'rank 1', 0.04), ('Late receiver', 'rank 0', 0.05),
                                            ('Late root', 'rank 0', 0.05), ('Late root', 'rank 3', 0.05), ('Early root', 'rank 0', 0.05)):
                    waited = float(next(t for t in tasks if t['task'] == task)[kind + ' [s]'])
                    self.assertAlmostEqual(waited, planned, delta=0.2 * planned, msg=(kind, task))

    @unittest.skipUnless(shutil.which('otf2-print') and WRITER, 'otf2-print, or libotf2, is not here')
    @once
    def test_exported(self):
        """An archive that is exported and read again has the same waits: who did what together is written, with root and bytes; and
        what was noted."""
        for name in ('waits', 'farm', 'collectives'):
            path, again = os.path.join(ROOT, 'traces', f'mpi-{name}.otf2'), self.path(f'{name}.otf2')
            self.scope('export', path, '-o', again)
            one, other = self.tables(path), self.tables(again)
            seconds = [{(w['kind'], w['task'], w['region']): (w['times'], w['waited [s]']) for w in waits} for waits, _, _ in (one, other)]
            self.assertEqual(*seconds, name)
            texts = [subprocess.run(['otf2-print', os.path.join(p, 'traces.otf2')], capture_output=True, text=True).stdout for p in (path, again)]
            told = [sorted(re.sub(r' <\d+>|\(.*?\)|Request: \d+', '', line[22:].split('  ', 1)[1]).split(None, 1)[1] for line in text.splitlines()
                           if re.match('MPI_COLLECTIVE_END|NON_BLOCKING_COLLECTIVE_COMPLETE', line) and 'MPI_COMM_SELF' not in line) for text in texts]
            if name != 'collectives':       # where groups that meet become one
                self.assertEqual(*told, name)
            self.assertEqual(len(told[0]), len(told[1]), name)
            marks = subprocess.run(['otf2-marker', os.path.join(again, 'traces.otf2')], capture_output=True, text=True).stdout
            self.assertEqual(len(re.findall('^MARKER ', marks, re.M)), texts[0].count('\nCOMM_CREATE ') + texts[0].count('\nCOMM_DESTROY '), name)

    @unittest.skipUnless(os.path.isdir(SAMPLES) and WRITER, 'the samples, or libotf2, are not here')
    @once
    def test_report_answers_first(self):
        """How efficient, what limits it, where, since when; and whether that can be trusted."""
        said = self.scope('report', os.path.join(SAMPLES, 'pmpi-waits'), '-o', self.path('report'))[0]
        said = ' '.join(said[:said.index('What stands out')].replace('\u00a0', ' ').split())
        places = [said.index(words) for words in ('Parallel efficiency is', 'Tasks wait for each other', 'Most is waited in', 'They wait since')]
        self.assertEqual(places, sorted(places), 'how efficient, what limits it, where, since when: in this order')
        for words in ('Parallel efficiency is 30.5 %', 'Load balance is 79.2 %', 'communication efficiency 38.5 %', 'communication limits it most',
                      'wait for each other 1.28 s in all, 56.6 % of their time: wait at barrier 635 ms (49.6 %)', 'Most is waited in MPI_Barrier'):
            self.assertIn(words, said)
        said = self.scope('report', os.path.join(SAMPLES, 'eztrace-colls'), '-o', self.path('report'))[0]
        self.assertIn('40 of 40 messages are received before they are sent', ' '.join(said.split()))

    @unittest.skipUnless(os.path.isdir(samples('paraver')), 'the samples are not here')
    @once
    def test_calls_are_their_threads(self):
        """Calls of a thread are told of a task inside of it: the waits in them are the thread's, in its row and in the report."""
        path = os.path.join(samples('paraver'), 'profet-lulesh_4+4.prv')
        out = self.path('out')
        self.scope('run', path, '--program', self.path('waits.eve', PROGRAM.replace('otf2', 'paraver')), '--out', out)
        rows = {}
        for name in ('waits', 'tasks', 'causes'):
            with open(os.path.join(out, name + '.csv'), newline='') as f:
                rows[name] = list(csv.DictReader(f))
        causes = [(row['task'], row['region']) for row in rows['causes']]
        self.assertEqual((len(causes), [task for task, _ in causes if ' · ' in task]), (len(set(causes)), []))
        self.assertGreater(len(causes), 8)
        waits = {}
        for row in rows['waits']:
            task = row['task']
            waits[task] = waits.get(task, 0) + float(row['waited [s]'])
        waiting = {row['task']: float(row['waiting [s]']) for row in rows['tasks']}
        self.assertEqual({task for task in waiting if ' · ' in task}, set())
        self.assertGreater(sum(waits.values()), 0.8)
        for task, seconds in waiting.items():
            self.assertAlmostEqual(seconds, waits.get(task, 0), delta=1e-8, msg=task)
        self.assertAlmostEqual(sum(float(row['waited for [s]']) for row in rows['tasks']), sum(waits.values()), delta=1e-7)
        said = ' '.join(self.scope('report', path, '-o', self.path('report'))[0].replace('\u00a0', ' ').split())
        most = max(waits, key=lambda task: waits[task])
        self.assertIn(f'{most} waits longest ({1000 * waits[most]:.0f} ms)', said)

    def pop(self, path, *more):
        """What the report says of POP's metrics, in percent."""
        self.scope('report', path, '-o', self.path('report'), *more)
        with open(os.path.join(self.path('report'), 'report.json'), encoding='utf-8') as f:
            rows = {row[0]: row[1] for table in json.load(f)['figures'] for row in table['rows']}
        return tuple(round(100 * rows[what], 6) for what in ('Parallel efficiency', 'Load balance', 'Communication efficiency'))

    @unittest.skipUnless(os.path.isdir(samples('paraver')), 'the samples are not here')
    @once
    def test_pop_as_published(self):
        with open(os.path.join(samples('paraver'), 'expected.jsonl')) as lines:
            rows = [row for row in map(json.loads, lines) if 'pypop-epoch' in row['path']]
        self.assertEqual(len(rows), 3)
        for row in rows:
            pop = row['pop_from_state_1']
            self.assertEqual(self.pop(os.path.join(samples('paraver'), os.path.basename(row['path']))), (pop['PE'], pop['LB'], pop['CommE']))

    @unittest.skipUnless(os.path.isdir(samples('paje')), 'the samples are not here')
    def test_simulated_by_simgrid(self):
        """Late senders and receivers of a trace of SimGrid, once more from its text."""
        path = os.path.join(samples('paje'), 'simgrid-waits.trace')
        names, kinds, stacks, links, waits = {}, {}, collections.defaultdict(list), {}, collections.defaultdict(int)
        calls, ended = [], {}

        def inside(w):
            if w[5] in ended and ended[w[5]][0] == w[1] and kind == 'PajeEndLink':      # written behind the end of its MPI_Wait
                return ended[w[5]][1]
            return stacks[w[5]][-1] if stacks[w[5]] else {'enter': float(w[1]), 'leave': float(w[1]), 'receives': [], 'sends': []}
        with open(path) as f:
            for line in f:
                if line.startswith('%EventDef'):
                    _, kind, number = line.split()
                    kinds[number] = kind
                    continue
                w = shlex.split(line, comments=True) if line[0] not in '%#' else ['']
                kind = kinds.get(w[0], '')
                if kind == 'PajeCreateContainer':
                    names[w[2]] = w[5]
                if kind == 'PajePushState':
                    ended.pop(w[3], None)
                    stacks[w[3]].append({'task': w[3], 'enter': float(w[1]), 'receives': [], 'sends': []})
                elif kind == 'PajePopState':
                    call = stacks[w[3]].pop()
                    call['leave'] = float(w[1])
                    calls.append(call)
                    ended[w[3]] = w[1], call
                elif kind == 'PajeStartLink':
                    half = {'call': inside(w)}
                    half['call']['sends'].append(half)
                    links[w[6]] = half
                elif kind == 'PajeEndLink':
                    half = {'call': inside(w), 'other': links[w[6]]}
                    links.pop(w[6])['other'] = half
                    half['call']['receives'].append(half)
        self.assertEqual(links, {})
        for call in calls:
            late = [min(h['other']['call']['enter'], call['leave']) - call['enter'] for h in call['receives']]
            waits['Late sender', names[call['task']]] += max([0, *late])
            for h in call['sends']:
                posted = h['other']['call']['enter'] if 'other' in h else 0
                waits['Late receiver', names[call['task']]] += posted - call['enter'] if call['enter'] < posted < call['leave'] else 0
        out = self.path('out')
        self.scope('run', path, '--program', 'waits', '--out', out)
        with open(os.path.join(out, 'waits.csv'), newline='') as f:
            mine = collections.defaultdict(float)
            for row in csv.DictReader(f):
                mine[row['kind'], row['task']] += float(row['waited [s]'])
        expected = {key: seconds for key, seconds in waits.items() if seconds > 0}
        self.assertEqual(set(mine), set(expected))
        self.assertGreater(sum(expected.values()), 0.13)
        for key, seconds in expected.items():
            self.assertAlmostEqual(mine[key], seconds, delta=2e-8)

    def marks(self, path, view, *more):
        """What a timeline of the program of waits shows of them and of the path, in whole nanoseconds."""
        file = self.path('marks.csv')
        self.scope('draw', path, '--program', 'waits', '--view', view, '-o', file, '--set', view + '.critical path=true', *more)
        with open(file, newline='') as f:
            text = f.read()
        waits, path_of = collections.Counter(), []
        for row in csv.DictReader(text.splitlines()):
            at = tuple(round(float(row[k]) * 1e9) for k in ('from [s]', 'to [s]'))
            if row.get('kind') == 'wait' or (view != 'Space-time' and not row['depth'] and ', for ' in row['call']):
                kind, cause = (row['state'], row['to task']) if view == 'Space-time' else row['call'].split(', for ')
                waits[kind, row['task'], cause, *at] += 1
            elif row.get('kind') == 'path' or row.get('call') == 'Critical path':
                path_of.append((row['task'], *at))
        return waits, path_of

    @unittest.skipUnless(shutil.which('otf2-print') and WRITER, 'otf2-print, or libotf2, is not here')
    def test_marks_in_timelines(self):
        """Waits that are marked and the path that is drawn, of all and of windows at random, beside the events."""
        any_, n = random.Random(16), 0
        for seed in (0, 0, 101, 102, 103):
            path = os.path.join(ROOT, 'traces', ('mpi-waits.otf2', 'mpi-requests.otf2')[n % 2]) if n < 2 else self.path(f'made{seed}')
            if seed:
                subprocess.run([WRITER, path, str(seed), '6', '250'], check=True)
            n += 1
            archive = Archive(os.path.join(path, 'traces.otf2'))
            calls = Calls(archive)
            waits = [(kind, call['task'], x, y) for kind, call, x, y, _ in calls.owned()]
            pieces = [(task, a, b) for task, a, b, _ in reversed(calls.path_pieces())]
            last = pieces[-1][2]
            self.scope('film', path, '--program', 'waits')
            for k in range(few(4) + 1):
                a, b = (0, last + 1) if k == 0 else sorted(any_.randrange(last) for _ in range(2))
                a, b = round(a, -3), round(b, -3) + 1000
                view = ('Space-time', 'Call timeline')[k % 2]
                mine, drawn = self.marks(path, view, '--from', f'{a / 1e9:.9f}', '--to', f'{b / 1e9:.9f}')
                expected = collections.Counter((kind, task, x, y) for kind, task, x, y in waits if x < b and y > a)
                self.assertEqual(collections.Counter({(kind, task, x, y): c for (kind, task, _, x, y), c in mine.items()}), expected, (path, k))
                self.assertEqual(drawn, [p for p in pieces if p[1] < b and p[2] > a], (path, k))
        self.assertEqual(n, 5)

    def archives(self, *seeds):
        """Those that are recorded, and some that are made."""
        for name in ('waits', 'stencil', 'farm', 'requests'):
            yield os.path.join(ROOT, 'traces', f'mpi-{name}.otf2')
        for seed in seeds:
            path = self.path(f'made{seed}')
            subprocess.run([WRITER, path, str(seed), '6', '250'], check=True)
            yield path

    @unittest.skipUnless(shutil.which('otf2-print') and WRITER, 'otf2-print, or libotf2, is not here')
    @once
    def test_windows_of_time(self):
        """All that is told, of windows of time at random: waits, computing, the path; and without set-up; beside the events."""
        any_ = random.Random(4)
        for path in self.archives(201, 202):
            archive = Archive(os.path.join(path, 'traces.otf2'))
            calls = Calls(archive)
            first, last = min(r[0] for r in archive.records), max(r[0] for r in archive.records)
            set_up = any(c['region'] == 'MPI_Init' for c in calls.calls)
            for k in range(few(4) + 1):
                a, b = (first, last) if k == 0 else sorted(any_.randrange(first, last) for _ in range(2))
                a, b = (a, b) if k == 0 else (round(a, -3), round(b, -3) + 1000)
                window = {} if k == 0 else {'from': f'{a / 1e9:.9f}', 'to': f'{b / 1e9:.9f}'}
                waits, tasks, efficiency = self.tables(path, **window, **({'without set-up': 'true'} if k == 3 else {}))
                expected = collections.Counter()
                for kind, call, x, y, _ in calls.owned():
                    expected[kind, call['task'], call['region']] += max(0, min(y, b) - max(x, a))
                mine = {(w['kind'], w['task'], w['region']): round(float(w['waited [s]']) * 1e9) for w in waits}
                self.assertEqual(mine, {key: n for key, n in expected.items() if n}, (path, k))
                by_task = collections.Counter()
                for task, x, y, _ in calls.path_pieces():
                    by_task[task] += max(0, min(y, b) - max(x, a))
                self.assertEqual({t['task']: round(float(t['on the critical path [s]']) * 1e9) for t in tasks},
                                 {archive.tasks[n]: by_task[archive.tasks[n]] for n in calls.spans}, (path, k))
                self.assertEqual(round(efficiency['Critical path'] * 1e9), sum(by_task.values()))
                self.assert_path_of_range(path, calls, a, b)
                self.assert_waits_of_range(path, mine, tasks, a, b)
                for inner in (False, True)[k == 3:]:
                    spans = {}
                    for n in calls.spans:
                        own = [c for c in calls.calls if c['location'] == n]
                        x = max((c['leave'] for c in own if inner and c['region'] == 'MPI_Init'), default=first)
                        y = min((c['enter'] for c in own if inner and c['region'] == 'MPI_Finalize'), default=last)
                        spans[n] = max(x, a), min(y, b)
                    useful = [calls.useful_in(n, x, y) for n, (x, y) in spans.items()]
                    whole = max(y for _, y in spans.values()) - min(x for x, _ in spans.values())
                    pop = {'Parallel': sum(useful) / len(useful) / whole, 'Load balance': sum(useful) / len(useful) / max(max(useful), 1),
                           'Communication': max(useful) / whole} if whole > 0 else {}
                    for name, value in pop.items() if max(useful) > 0 else ():
                        name = name if name == 'Load balance' else name + ' efficiency'
                        self.assertAlmostEqual(efficiency[name + (' without set-up' if inner else '')], value, delta=1e-9, msg=(path, k, name, inner))
                        if k == 3 and inner:        # that is what the setting makes of the others
                            self.assertEqual(efficiency[name], efficiency[name + ' without set-up'])
            self.assertEqual(set_up, 'mpi-' in path)

    def assert_waits_of_range(self, path, waits, tasks, a, b):
        """A chart of a range has what lies in it of each wait, also of those that are under way where it ends: as the report of that window."""
        for view, keys, columns in (('Kinds of wait', ('kind', 'task', 'region'), ('waited [s]',)), ('Waits of tasks', ('task',), ('computing [s]', 'waiting [s]', 'waited for [s]', 'Late sender [s]'))):
            out = self.path('range.csv')
            self.scope('draw', path, '--program', 'waits', '--view', view, '--range', f'{a / 1e9:.9f}..{b / 1e9:.9f}', '-o', out, '-q')
            with open(out, newline='') as f:
                mine = {tuple(row[k] for k in keys): [round(float(row[c]) * 1e9) for c in columns] for row in csv.DictReader(f)}
            told = {key: [n] for key, n in waits.items()} if view == 'Kinds of wait' else {(t['task'],): [round(float(t[c]) * 1e9) for c in columns] for t in tasks}
            self.assertEqual({key: row for key, row in mine.items() if any(row)}, {key: row for key, row in told.items() if any(row)}, (path, view, a, b))

    def assert_path_of_range(self, path, calls, a, b):
        """A chart of a range has the path of the whole run, as far as it lies there."""
        by_region, out = collections.Counter(), self.path('range.csv')
        for task, x, y, _ in calls.path_pieces():
            for u, v, region in calls.stretches[task]:
                by_region[region or '(outside)'] += max(0, min(v, y, b) - max(u, x, a))
        self.scope('draw', path, '--program', 'waits', '--view', 'Critical path', '--range', f'{a / 1e9:.9f}..{b / 1e9:.9f}', '-o', out, '-q')
        with open(out, newline='') as f:
            mine = {row['region']: round(float(row['on the path [s]']) * 1e9) for row in csv.DictReader(f)}
        self.assertEqual({region: n for region, n in mine.items() if n}, +by_region, (path, a, b))

    @unittest.skipUnless(shutil.which('otf2-print') and WRITER, 'otf2-print, or libotf2, is not here')
    def test_since_when(self):
        """The report says when the first wait begins where they first wait for a twentieth of the time, not where a part of the trace does."""
        exact = 0
        for path in self.archives(301, 302):
            archive = Archive(os.path.join(path, 'traces.otf2'))
            calls = Calls(archive)
            first, last = min(r[0] for r in archive.records), max(r[0] for r in archive.records)
            waits = [(a, b) for _, call, a, b, _ in calls.owned() if call['region'] not in ('MPI_Init', 'MPI_Finalize') and a < b]
            lasts = (last - first) // 50 + 1
            edges = [(x, min(x + lasts, last)) for x in range(first, last, lasts)]
            of = [[(max(a, x), min(b, y)) for a, b in waits if a < y and b > x] for x, y in edges]
            n = next(i for i, (x, y) in enumerate(edges) if 20 * sum(b - a for a, b in of[i]) > (y - x) * len(calls.spans))
            since = min(a for a, _ in of[n])
            if since == edges[n][0] and n and of[n - 1]:
                since = min(a for a, _ in of[n - 1])
            exact += since not in edges[n]
            said = self.scope('report', path, '-q')[0].replace('\u00a0', ' ')
            told = re.search(r'They wait\s+since ([\d.]+)\s+s,', said)[1]
            self.assertEqual(round(float(told) * 1e9), since, (path, told))
        self.assertGreater(exact, 3)

    @unittest.skipUnless(WRITER, 'built without libotf2')
    def test_report_of_a_window(self):
        """--from and --to of the report are the settings of the analysis; its JSON has the tables."""
        path = os.path.join(ROOT, 'traces', 'mpi-waits.otf2')
        _, _, efficiency = self.tables(path, **{'from': '0.6', 'to': '0.7'})
        said = self.pop(path, '--from', '0.6', '--to', '0.7')
        for value, name in zip(said, ('Parallel efficiency', 'Load balance', 'Communication efficiency')):
            self.assertAlmostEqual(value, 100 * efficiency[name], delta=1e-6)
        with open(self.path('report/report.json')) as f:
            report = json.load(f)
        self.assertTrue(any('Parallel efficiency is 38.9 %' in one for one in report['told']), report['told'])
        since = next(re.search(r'They wait since ([\d.]+) s, most between ([\d.]+) and ([\d.]+) s', one) for one in report['told'] if 'They wait since' in one)
        self.assertTrue(0.6 <= float(since[1]) and 0.6 <= float(since[2]) < float(since[3]) <= 0.7, since[0])
        figures = {t['title']: t for t in report['figures']}
        mine = {row[0]: row[1] for row in figures['Efficiency']['rows']}
        self.assertEqual({name: value for name, value in efficiency.items() if value == value}, {n: v for n, v in mine.items() if v is not None})
        self.assertIn('is no date', self.scope('report', path, '-o', self.path('report'), '--from', 'abc', status=(1, 2, 3))[1])

    @unittest.skipUnless(shutil.which('otf2-print') and WRITER, 'otf2-print, or libotf2, is not here')
    @once
    def test_ideal_network(self):
        """Serialisation and transfer, from a replay that is worked out another way; late senders message by message."""
        less = 0
        for path in self.archives(301, 302, 303):
            archive = Archive(os.path.join(path, 'traces.otf2'))
            calls = Calls(archive)
            first, last = min(r[0] for r in archive.records), max(r[0] for r in archive.records)
            _, _, efficiency = self.tables(path)
            ideal = max(calls.ideal(first).values())
            self.assertEqual(round(efficiency['Run time on an ideal network'] * 1e9), ideal, path)
            self.assertAlmostEqual(efficiency['Serialisation efficiency'], max(calls.useful.values()) / ideal, delta=1e-9, msg=path)
            self.assertAlmostEqual(efficiency['Transfer efficiency'], ideal / (last - first), delta=1e-9, msg=path)
            less += ideal > max(calls.useful.values())
            self.assert_without_set_up(calls, first, last, efficiency, path)
            late = collections.Counter(calls.late_messages())
            mine = collections.Counter((m['sender'], m['receiver'], m['call'], *(round(float(m[k]) * 1e9) for k in ('waited [s]', 'begins at [s]')))
                                       for m in self.rows['messages'])
            self.assertEqual(mine, late, path)
            if len(late) > 5:
                self.tables(path, messages=5)
                mine = [round(float(m['waited [s]']) * 1e9) for m in self.rows['messages']]
                self.assertEqual(mine, sorted((m[3] for m in late.elements()), reverse=True)[:5])
        self.assertGreater(less, 3)

    def assert_without_set_up(self, calls, first, last, efficiency, path):
        """POP's numbers of what lies between MPI_Init and MPI_Finalize; true: the replay is shorter than that."""
        opens, closes = ({n: f([c[k] for c in calls.calls if c['location'] == n and c['region'] == region], default=other) for n in calls.spans}
                         for region, k, f, other in (('MPI_Init', 'leave', max, first), ('MPI_Finalize', 'enter', min, last)))
        whole = max(closes.values()) - min(opens.values())
        most = max(calls.useful_in(n, opens[n], closes[n]) for n in calls.spans)
        ideal = max(calls.ideal(first, True).values())
        self.assertAlmostEqual(efficiency['Serialisation efficiency without set-up'], most / ideal, delta=1e-9, msg=path)
        self.assertAlmostEqual(efficiency['Transfer efficiency without set-up'], ideal / whole, delta=1e-9, msg=path)
        self.assertLessEqual(max(value for name, value in efficiency.items() if 'efficiency' in name or 'balance' in name), 1 + 1e-12, path)
        return ideal < whole

    @unittest.skipUnless(SCRIPT and shutil.which('otf2-print'), 'built without libotf2')
    def test_ranks_that_start_apart(self):
        """By how much ranks are started apart is no doing of the network: no efficiency is above 1, whether MPI_Init lets them go together
        or one by one."""
        any_, less = random.Random(SEED), 0
        for k in range(few(6) + 2):
            n, rows = any_.randrange(2, 5), []
            now = [any_.randrange(1, 20000) for _ in range(n)]
            for r in range(n):
                rows += [f'{r} {now[r]} enter main', f'{r} {now[r] + 5} enter MPI_Init']
            together = max(now) + any_.randrange(10, 500)
            now = [(together if k % 2 else now[r]) + any_.randrange(10, 500) for r in range(n)]
            rows += [f'{r} {now[r]} leave MPI_Init' for r in range(n)]
            for step in range(any_.randrange(2, 12)):
                now = [date + any_.randrange(1, 3000) for date in now]
                if any_.randrange(2):
                    s, d = any_.sample(range(n), 2)
                    rows += [f'{s} {now[s]} enter MPI_Send', f'{s} {now[s] + 2} send {d} 0 {step} 8', f'{s} {now[s] + 5} leave MPI_Send']
                    done = max(now[d], now[s] + 2) + any_.randrange(1, 300)
                    rows += [f'{d} {now[d]} enter MPI_Recv', f'{d} {done} recv {s} 0 {step} 8', f'{d} {done + 4} leave MPI_Recv']
                    now[s], now[d] = now[s] + 5, done + 4
                else:
                    end = max(now) + any_.randrange(1, 300)
                    for r in range(n):
                        rows += [f'{r} {now[r]} enter MPI_Barrier', f'{r} {now[r] + 1} begin', f'{r} {end + r} end 0 0 -1', f'{r} {end + r + 1} leave MPI_Barrier']
                        now[r] = end + r + 1
            for r in range(n):
                now[r] += any_.randrange(1, 3000)
                rows += [f'{r} {now[r]} enter MPI_Finalize', f'{r} {now[r] + 50} leave MPI_Finalize', f'{r} {now[r] + any_.randrange(60, 9000)} leave main']
            rows.sort(key=lambda row: int(row.split()[1]))
            _, efficiency = self.made(f'apart{k}', [f'ranks {n}', *rows])
            archive = Archive(os.path.join(self.path(f'apart{k}'), 'traces.otf2'))
            first, last = min(r[0] for r in archive.records), max(r[0] for r in archive.records)
            less += self.assert_without_set_up(Calls(archive), first, last, efficiency, (SEED, k))
        self.assertGreater(less, 0)

    @unittest.skipUnless(os.path.isdir(os.path.join(samples('otf2'), 'damaged-truncated')), 'the sample is not here')
    def test_causes_of_what_is_not_whole(self):
        """What root causes cost is all waiting that the report tells, also where members of a group have left an operation and others are not there."""
        for name in ('damaged-truncated', 'pmpi-waits'):
            out = self.path('of-' + name)
            self.scope('report', os.path.join(samples('otf2'), name), '-o', out, '-q')
            with open(os.path.join(out, 'report.txt'), encoding='utf-8') as f:
                said = ' '.join(f.read().replace('\u2009', ' ').split())
            seconds = {'s': 1, 'ms': 1e-3, 'µs': 1e-6}
            waited = re.search(r'wait for each other ([\d.]+) (\S+) in all', said)
            costs = sum(float(n) * seconds[unit] for n, unit in re.findall(r'costs ([\d.]+) (\S+) of waiting', said))
            all_waited = float(waited[1]) * seconds[waited[2]]
            self.assertLessEqual(costs, all_waited * 1.01)
            self.assertGreater(costs, all_waited * 0.7)

    def test_travel(self):
        """What is under way is saved and comes back: travel from one instant to another ends where a run would."""
        if not WRITER:
            self.skipTest('built without libotf2')
        path = self.path('made')
        subprocess.run([WRITER, path, '7', '5', '150'], check=True)
        program = self.path('waits.eve', PROGRAM)
        self.scope('film', path, '--program', program)
        for at in ('0.001', '0.0025', '0.004'):
            film, played = (json.loads(self.scope('seek', path, '--program', program, '--to', at, *more)[0]) for more in ((), ('--no-film',)))
            self.assertEqual(film['hash'], played['hash'])


main()
