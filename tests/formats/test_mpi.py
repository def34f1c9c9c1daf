#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of MPI made at random (mpi.py): communicators inside of each other, requests of every kind, windows, files, threads.  State, what is
under way, waits, the critical path and efficiency, each beside a second computation from the text of otf2-print, or the definition."""
import collections
import os
import random
import re
import resource
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import under_way                                                                                # noqa: E402
import waits                                                                                    # noqa: E402
from formats import few, main                                                                   # noqa: E402
from mpi import Program                                                                         # noqa: E402
from otf2 import N_BY_N, Archive, Calls, Model                                                          # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '16'))
SCRIPT = waits.SCRIPT
HAS = SCRIPT and shutil.which('otf2-print')


def ns(text):
    return round(float(text) * 1e9)


@unittest.skipUnless(HAS, 'otf2-print, or libotf2, is not here')
class Made(under_way.Tables):
    maxDiff = 4000

    def made(self, program, name):
        return program.finished().write(SCRIPT, self.path(name))

    def test_under_way_at_random_instants(self):
        """Requests, messages, members inside of operations, memory and files."""
        any_, done = random.Random(SEED), collections.Counter()
        for k in range(few(4) + 2):
            program = Program(any_.randrange(2, 8), SEED + k, 60)
            for _ in range(6):
                any_.choice((program.together_aside, program.fence, program.lock, program.groups, program.file))()
            path = self.made(program, f'made{k}')
            dates = sorted({date for date, _, _, _ in Archive(os.path.join(path, 'traces.otf2')).records})
            for at in [any_.choice(dates[len(dates) // 10:]) for _ in range(2)]:
                self.compare(path, at)
            self.assertEqual(self.compare(path, dates[-1]), 0, (SEED, k))       # nothing is left over
            done += program.done
        self.assertGreater(len(done), 20, done)

    def test_state_at_random_instants(self):
        """Regions, depths, messages on their way between each two, and what was received."""
        any_ = random.Random(SEED + 1)
        for k in range(few(3) + 1):
            path = self.made(Program(any_.randrange(2, 7), SEED + 50 + k, 50), f'state{k}')
            archive = Archive(os.path.join(path, 'traces.otf2'))
            first, last = archive.records[0][0], archive.records[-1][0]
            for _ in range(few(4)):
                at = any_.randrange(first, last)
                model, state = Model(archive, at), self.state(path, f'{at / 1e9:.9f}')
                for node in state['nodes']:
                    if node['Name'] not in archive.tasks.values() or node['State'] == 'Unseen':
                        continue
                    stack = model.stack[node['Name']]
                    self.assertEqual((node['State'], int(node['Depth']), int(node['Sent']), int(node['Received'])),
                                     (stack[-1] if stack else 'No state', len(stack), model.sent[node['Name']], model.received[node['Name']]),
                                     (SEED, k, at, node['Name']))

    def test_between(self):
        """Messages and bytes of each two, by communicator and tag."""
        any_ = random.Random(SEED + 6)
        for k in range(few(3) + 1):
            path = self.made(Program(any_.randrange(2, 7), SEED + 60 + k, 60), f'between{k}')
            archive = Archive(os.path.join(path, 'traces.otf2'))
            for at in (any_.choice(archive.records[len(archive.records) // 3:])[0], archive.records[-1][0]):
                expected = collections.defaultdict(lambda: [0, 0, 0, 0])
                for date, kind, location, text in archive.records:
                    if date > at or kind not in ('MPI_SEND', 'MPI_ISEND', 'MPI_RECV', 'MPI_IRECV'):
                        continue
                    task, sends = archive.tasks[location], 'SEND' in kind
                    other, _ = archive.rank(text, 'Receiver' if sends else 'Sender', task)
                    row = expected[(task, other)[::1 if sends else -1] + (re.search(r'Communicator: "(.*?)"', text)[1], re.search(r'Tag: (\d+)', text)[1])]
                    row[0 if sends else 2] += 1
                    row[1 if sends else 3] += int(re.search(r'Length: (\d+)', text)[1])
                mine = {tuple(r[c] for c in ('sender', 'receiver', 'group', 'tag')): [int(r[c]) for c in ('sent', 'volume sent [B]', 'received', 'volume received [B]')]
                        for r in self.tables(path, at)['between']}
                self.assertEqual(mine, dict(expected), (SEED, k, at))

    def test_files(self):
        """What is done with files by each handle: opened, read in parts of which some are given up, closed."""
        any_ = random.Random(SEED + 7)
        program = Program(3, SEED + 70, 0)
        for _ in range(few(12) + 4):
            program.file()
        path = self.made(program, 'files')
        archive = Archive(os.path.join(path, 'traces.otf2'))
        names = {'IO_CREATE_HANDLE': 'IoCreateHandle', 'IO_DESTROY_HANDLE': 'IoDestroyHandle', 'IO_SEEK': 'IoSeek'}
        files = dict(line.split()[1:] for line in program.head if line.startswith('file'))
        handles = {f'{h}': files.get(of, of) for _, h, of in (line.split() for line in program.head if line.startswith('handle'))}
        for at in (any_.choice(archive.records)[0], archive.records[-1][0]):
            expected, asked = collections.defaultdict(lambda: [0, 0, 0, 0]), {}
            for date, kind, location, text in archive.records:
                handle = re.search(r'Handle: .*?<(\d+)>', text)
                if date > at or not handle:
                    continue
                name, matching = handles[handle[1]], re.search(r'Matching Id: (\d+)', text)
                if kind in names:
                    expected[name, names[kind]][0] += 1
                elif kind == 'IO_OPERATION_BEGIN':
                    mode = 'Io' + re.search(r'Mode: (\w+)', text)[1].title()
                    asked[handle[1], matching[1]] = name, mode, date
                    expected[name, mode][0] += 1
                    expected[name, mode][1] += 1
                elif kind in ('IO_OPERATION_COMPLETE', 'IO_OPERATION_CANCELLED'):
                    name, mode, since = asked.pop((handle[1], matching[1]))
                    size = re.search(r'(?:Bytes Result|Result|Bytes): (\d+)', text)
                    expected[name, mode][1] -= 1
                    expected[name, mode][2] += int(size[1]) if size and kind == 'IO_OPERATION_COMPLETE' else 0
                    expected[name, mode][3] += date - since
            mine = {(r['object'], r['what']): [int(r['times']), int(r['open']), int(r['volume [B]']), ns(r['time [s]'])] for r in self.tables(path, at)['objects']}
            self.assertEqual(mine, dict(expected), (SEED, at))

    def test_left_over(self):
        """At the end some do not come to an operation: the others are inside of it, and what is missing is told."""
        any_ = random.Random(SEED + 2)
        for k in range(few(3) + 1):
            program = Program(any_.randrange(3, 7), SEED + 80 + k, 25)
            c = any_.choice([c for c, m in program.comms.items() if len(m) > 2])
            missing = any_.sample(program.comms[c], any_.randrange(1, len(program.comms[c])))
            inside = [r for r in program.comms[c] if r not in missing]
            program.collective(c, missing)
            for r in {*range(program.n)} - {*inside}:
                program.put(r, 'leave main', 50)
            path = program.write(SCRIPT, self.path(f'left{k}'))
            rows = self.tables(path)
            left = collections.Counter(r['what'] for r in rows['left'])
            self.assertEqual(left['Regions that were not left'], 2 * len(inside), (SEED, k, left))


@unittest.skipUnless(HAS, 'otf2-print, or libotf2, is not here')
class Waits(waits.Tables):
    maxDiff = 4000

    def compare(self, program, name):
        path = program.finished().write(SCRIPT, self.path(name))
        archive = Archive(os.path.join(path, 'traces.otf2'))
        calls = Calls(archive)
        rows, tasks, efficiency = self.tables(path)
        expected = collections.Counter(program.waits)
        for key, ticks in calls.owned_waits().items():
            expected[key] += sum(ticks)
        mine = {(w['kind'], w['task'], w['region']): ns(w['waited [s]']) for w in rows}
        self.assertEqual(mine, dict(expected), (SEED, name))
        self.assertEqual(efficiency['Messages'], calls.messages, (SEED, name))
        self.assertEqual([efficiency['Messages received before they were sent'], efficiency['Operations left before the last had come'],
                          efficiency['Operations in which tasks did different things']], [0, 0, 0], (SEED, name))
        for location in calls.spans:
            task = next(t for t in tasks if t['task'] == archive.tasks[location])
            self.assertEqual(ns(task['computing [s]']), calls.useful[location], (SEED, name, location))
        after = collections.Counter()
        for (comm, _), members in calls.collectives.items():
            op = members[0][0]
            kind = 'Barriers' if op == 'BARRIER' else 'N x N' if op in N_BY_N else None
            if kind:
                left = sorted(call['leave'] for _, _, call in members)
                after[kind] += sum(date - left[0] for date in left)
                after[kind, 'times'] += sum(date > left[0] for date in left)
        for kind in ('Barriers', 'N x N'):
            self.assertEqual((ns(efficiency[kind + ', after the first has left']), efficiency[kind + ', after the first has left, times']),
                             (after[kind], after[kind, 'times']), (SEED, name, kind))
        first, last = min(s[0] for s in calls.spans.values()), max(s[1] for s in calls.spans.values())
        most, mean = max(calls.useful.values()), sum(calls.useful.values()) / len(calls.spans)
        for what, value in (('Load balance', mean / most), ('Communication efficiency', most / (last - first)), ('Parallel efficiency', mean / (last - first))):
            self.assertAlmostEqual(efficiency[what], value, delta=1e-9, msg=(SEED, name, what))
        return calls, tasks, efficiency

    def test_waits(self):
        """Of messages and operations of groups, however they are asked for; the path, the ideal network, efficiency."""
        any_, done, kinds = random.Random(SEED + 3), collections.Counter(), set()
        every = {'Late sender', 'Late receiver', 'Late receiver of what was sent aside', 'Wait at barrier', 'Wait at N x N', 'Late root', 'Early root', 'Early scan'}
        wanted = ('persistent', 'cancelled receive', 'cancelled send', 'tested', 'Probe', 'Mprobe', 'Waitany', 'Waitsome', 'any source', 'Sendrecv')
        for k in range(40):
            if k > few(6) and every <= kinds and all(done[what] for what in wanted):
                break
            program = Program(any_.randrange(2, 8), SEED + 100 + k, any_.randrange(20, 90))
            calls, tasks, efficiency = self.compare(program, f'waits{k}')
            kinds |= {w['kind'] for w in self.rows['waits'] if w['times'] != '0'}
            length, stretches, by_task, by_region = calls.critical_path()
            mine = {t['task']: ns(t['on the critical path [s]']) for t in tasks if float(t['on the critical path [s]'])}
            self.assertEqual([ns(efficiency['Critical path']), mine], [length, by_task], (SEED, k))
            first = min(s[0] for s in calls.spans.values())
            self.assertEqual(ns(efficiency['Run time on an ideal network']), max(calls.ideal(first).values()), (SEED, k))
            done += program.done
        for what in wanted:
            self.assertGreater(done[what], 0, what)
        self.assertLessEqual(every, kinds)

    def test_written_and_read_again(self):
        """What does not block is written as what does not block: the same records of each rank, by the numbers of their requests, and
        the same waits and efficiency; formats that have no word for it say how much of it there is."""
        any_, of_requests = random.Random(SEED + 8), collections.Counter()
        for k in range(few(2) + 2):
            program = Program(any_.randrange(2, 6), SEED + 300 + k, 30)
            for _ in range(4):
                any_.choice((program.aside, program.some, program.persistent, program.cancelled, program.tested))()
            path, again = program.finished().write(SCRIPT, self.path(f'first{k}')), self.path(f'again{k}.otf2')
            self.scope('export', path, '-o', again)
            told = []
            for folder in (path, again):
                archive, numbers, records = Archive(os.path.join(folder, 'traces.otf2')), {}, []
                for date, kind, location, text in archive.records:
                    if not kind.startswith(('MPI_SEND', 'MPI_RECV', 'MPI_ISEND', 'CANCELLED_MPI_ISEND', 'MPI_IRECV', 'MPI_REQUEST_CANCELLED')):
                        continue
                    task = archive.tasks[location]
                    peer = archive.rank(text, 'Receiver' if 'Receiver' in text else 'Sender', task)[0] if 'Communicator' in text else ''
                    request = re.search(r'Request: (\d+)', text)
                    key = request and (task, request[1])
                    if kind in ('MPI_ISEND', 'CANCELLED_MPI_ISEND', 'MPI_IRECV_REQUEST'):
                        numbers[key] = date                       # the same number may come again
                    records.append((date, kind, task, peer, re.findall(r'(?:Tag|Length): (\d+)', text), request and numbers[key]))
                    of_requests[kind] += folder == path
                told.append((records, self.tables(folder), self.rows['waits']))
            self.assertEqual(sorted(map(str, told[0][0])), sorted(map(str, told[1][0])), (SEED, k))
            self.assertEqual(told[0][1:], told[1][1:], (SEED, k))
            begun = sum(r[1].endswith(('MPI_ISEND', 'MPI_IRECV_REQUEST')) for r in told[0][0])
            for ending in ('.paje', '.json'):
                said = self.scope('export', path, '-o', self.path(f'again{k}{ending}'))[1]
                self.assertIn(f'{begun} sends and receives that do not block are written as messages alone', said)
        self.assertEqual(set(of_requests), {'MPI_SEND', 'MPI_RECV', 'MPI_ISEND', 'CANCELLED_MPI_ISEND', 'MPI_ISEND_COMPLETE', 'MPI_IRECV_REQUEST', 'MPI_IRECV', 'MPI_REQUEST_CANCELLED'})

    def test_windows(self):
        """Fences, groups that post and start, locks one after the other, flushes: by their definitions, between messages."""
        any_, done = random.Random(SEED + 4), collections.Counter()
        wanted = ('fence', 'groups', 'lock', 'flush', 'put', 'get', 'atomic')
        for k in range(40):
            if k > few(5) and all(done[what] for what in wanted):
                break
            program = Program(any_.randrange(2, 7), SEED + 200 + k, 10)
            for _ in range(12):
                any_.choice((program.fence, program.lock, program.groups, program.blocking, program.collective))()
            self.compare(program, f'windows{k}')
            done += program.done
        for what in wanted:
            self.assertGreater(done[what], 0, what)

    def test_threads(self):
        """Parallel regions inside of parallel regions, with barriers of the inner and the outer team in turn, and tasks: each waits for its own team."""
        any_, nested = random.Random(SEED + 5), 0
        for k in range(few(6) + 2):
            outer = any_.randrange(2, 5)
            inner = {t: any_.randrange(1, 4) for t in range(outer)}         # so many more threads
            lines, location, expected = ['ranks 1'], outer, collections.Counter()
            teams = {t: [t] for t in range(outer)}
            for t in range(outer):
                for _ in range(inner[t]):
                    teams[t].append(location)
                    location += 1
            lines += [f'thread {x} 0' for x in range(1, location)] + ['team 1 ' + ' '.join(map(str, range(outer)))]
            lines += [f'team {10 + t} ' + ' '.join(map(str, teams[t])) for t in range(outer)]
            rows, now = [[(100 + x, 'enter main')] for x in range(location)], [101 + x for x in range(location)]

            def put(x, words, after=1):
                now[x] += after
                rows[x].append((now[x], words))

            def barrier(team):
                name = any_.choice(('!$omp-implicit-barrier', '!$omp-barrier'))
                for x in team:
                    put(x, f'enter {name}', any_.randrange(1, 500))
                came = {x: now[x] for x in team}
                for x in team:
                    now[x] = max(came.values())
                    put(x, f'leave {name}', any_.randrange(1, 9))
                    ticks = max(came.values()) - came[x]
                    if ticks:
                        expected['Wait at barrier of threads', f'rank 0 · thread {x}', name.replace('-', ' ')] += ticks
            for _ in range(any_.randrange(1, 4)):
                put(0, f'fork {outer}')
                for x in range(outer):
                    now[x] = max(now[0], now[x])
                    put(x, 'enter !$omp-parallel')
                    put(x, 'tbegin 1')
                barrier(range(outer))
                for t in any_.sample(range(outer), any_.randrange(outer + 1)):
                    nested += 1
                    put(t, f'fork {len(teams[t])}')
                    for x in teams[t]:
                        now[x] = max(now[t], now[x])
                        put(x, f'tbegin {10 + t}')
                        put(x, f'task {10 + t} {x} {k}')
                    barrier(teams[t])
                    for x in teams[t]:
                        put(x, f'tswitch {10 + t} {x} {k}')
                        put(x, f'tdone {10 + t} {x} {k}')
                    barrier(teams[t])
                    for x in teams[t]:
                        put(x, f'tend {10 + t}')
                    now[t] = max(now[x] for x in teams[t])
                    put(t, 'join')
                barrier(range(outer))
                for x in range(outer):
                    put(x, 'tend 1')
                    put(x, 'leave !$omp-parallel')
                now[0] = max(now)
                put(0, 'join')
            for x in range(location):
                put(x, 'leave main', max(now) - now[x] + 1)
            mine, _ = waits.Tables.made(self, f'threads{k}', lines + [f'{x} {date} {words}' for x in range(location) for date, words in rows[x]])
            self.assertEqual(mine, dict(expected), (SEED, k))
        self.assertGreater(nested, 3)

    def test_two_thousand_ranks(self):
        """What it takes grows little faster than the number of ranks: communicators of all, of half, of quarters; messages; waits as they are defined."""
        took, room = [], []
        for n in (500, 2000):
            program = Program(n, SEED + 300, 0)
            for _ in range(n):
                any_ = program.any.random()
                (program.blocking if any_ < 0.5 else program.aside if any_ < 0.8 else program.both)()
            for c in (0, 1, 3, 0):
                program.collective(c)
            path = program.finished().write(SCRIPT, self.path(f'many{n}'))
            self.scope('info', path)            # in the cache
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            began = before.ru_utime + before.ru_stime
            calls_rows, tasks, efficiency = self.tables(path)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took.append(after.ru_utime + after.ru_stime - began)
            room.append(after.ru_maxrss)
            self.assertEqual(len(tasks), n)
        calls = Calls(Archive(os.path.join(path, 'traces.otf2')))
        expected = {key: sum(ticks) for key, ticks in calls.owned_waits().items()}
        self.assertEqual({(w['kind'], w['task'], w['region']): ns(w['waited [s]']) for w in calls_rows}, expected)
        length, _, by_task, _ = calls.critical_path()
        self.assertEqual(ns(efficiency['Critical path']), length)
        self.assertLess(took[1], 8 * took[0] + 0.5, took)
        self.assertLess(room[1], 5 * room[0], room)


main()
