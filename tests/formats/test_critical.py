# SPDX-License-Identifier: Apache-2.0
"""The critical path of Paraver traces, whose calls are told beside the states of their thread, against a second computation from the
lines of the file: who waits for whom, and from the end back to whom was waited for. The same in an archive that they were exported to;
who waits at flows, and in calls that send and receive."""
import bisect
import collections
import csv
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import SANITIZED, Format, few, main, samples                                       # noqa: E402
from otf2 import Archive, Calls                                                                 # noqa: E402

SEED, SCRIPT = int(os.environ.get('SCOPE_SEED', '16')), os.environ.get('OTF2_SCRIPT', '')
PARAVER, CHROME, CLOG, OTF2 = (samples(name) for name in ('paraver', 'chrome', 'clog', 'otf2'))
TOGETHER, COMMUNICATOR, IS_ROOT = 50000002, 50100004, 50100003
TO_ALL = ('Barrier', 'Allreduce', 'Allgather', 'Allgatherv', 'Alltoall', 'Alltoallv', 'Reduce_scatter')
FROM_ROOT, TO_ROOT = ('Bcast', 'Scatter', 'Scatterv'), ('Reduce', 'Gather', 'Gatherv')


class Raw:
    """states: by thread, (from, to) in order; waits: by thread, (until, from, for whom) in order."""

    def __init__(self, path):
        self.states, self.waits, self.names = collections.defaultdict(list), collections.defaultdict(list), {}
        self.groups, self.calls, self.open, messages = {}, collections.defaultdict(list), {}, []
        with open(path.replace('.gz', '').replace('.prv', '.pcf'), errors='replace') as lines:
            types = []
            for line in lines:
                words = line.split()
                if len(words) > 1 and words[1].isdigit() and len(words) > 2 and words[0].isdigit():
                    types = types + [int(words[1])] if types and types[-1] else [int(words[1])]
                elif words and words[0] == 'VALUES':
                    types = [*types, 0]
                elif len(words) == 2 and words[1].startswith('MPI_') and TOGETHER in types:
                    self.names[int(words[0])] = words[1][4:]
                elif not words:
                    types = []
        with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as lines:
            for line in lines:
                if line[:2] == 'c:':
                    application, number, _, *members = map(int, line[2:].split(':'))
                    self.groups.setdefault((application, number), members)
                elif line[:2] in ('1:', '2:', '3:'):
                    v = [int(x) for x in line.split(':')]
                    if v[0] == 1:
                        self.states[tuple(v[2:5])].append(tuple(v[5:7]))
                    elif v[0] == 2:
                        self.events(tuple(v[2:5]), v[5], dict(zip(v[6::2], v[7::2])))
                    else:
                        messages.append((tuple(v[2:5]), v[5], tuple(v[8:11]), v[12]))
        for own in self.states.values():
            own.sort()
        self.of_messages(messages)
        self.n_alone = sum(map(len, self.waits.values()))
        self.of_groups()
        for own in self.waits.values():
            own.sort()

    def events(self, thread, date, pairs):
        if pairs.get(TOGETHER):
            self.open[thread] = [thread, date, None, self.names[pairs[TOGETHER]], pairs.get(IS_ROOT) == 1]
            if COMMUNICATOR in pairs:
                self.calls[thread[0], pairs[COMMUNICATOR], thread[1]].append(self.open[thread])
        elif TOGETHER in pairs and thread in self.open:
            self.open.pop(thread)[2] = date

    def of_messages(self, messages):
        for sender, sent, receiver, came in messages:
            own = self.states[sender]
            i = bisect.bisect_right(own, (sent, float('inf'))) - 1
            calls, over = own[i] if i >= 0 and sent < own[i][1] else (sent, sent)
            i = bisect.bisect_left(self.states[receiver], (came,)) - 1    # a message that comes as a state ends is that one's
            begin, end = self.states[receiver][i] if i >= 0 else (came, came)
            if came <= end and begin < calls <= end:
                self.waits[receiver].append((calls, begin, sender))
            if calls < begin < over:
                self.waits[sender].append((begin, calls, receiver))

    def of_groups(self):
        for (application, number), members in self.groups.items():
            lists = [self.calls[application, number, task] for task in members]
            for all_of_it in zip(*lists):
                name = all_of_it[0][3]
                root = next((c for c in all_of_it if c[4]), None)
                rest = [c for c in all_of_it if c is not root]
                if name in TO_ALL:
                    self.waits_for(all_of_it, max(all_of_it, key=lambda c: (c[1], [-x for x in c[0]])))
                elif name in FROM_ROOT and root:
                    self.waits_for(rest, root)
                elif name in TO_ROOT and root and rest:
                    self.waits_for([root], min(rest, key=lambda c: (c[1], c[0])))

    def waits_for(self, who, last):
        for thread, begin, end, _, _ in who:
            if begin < last[1] <= (float('inf') if end is None else end) and thread != last[0]:
                self.waits[thread].append((last[1], begin, last[0]))

    def path(self):
        """From the end back: (thread, from, to), the first one first."""
        end = max(own[-1][1] for own in self.states.values())
        thread, now, legs = min(t for t, own in self.states.items() if own[-1][1] == end), end, []
        while True:
            i = bisect.bisect_right(self.waits[thread], (now, float('inf'))) - 1
            if i < 0:
                return [(thread, self.states[thread][0][0], now), *legs]
            until, _, cause = self.waits[thread][i]
            legs.insert(0, (thread, until, now))
            thread, now = cause, until


class Critical(Format):
    def tables(self, path, *names):
        out = self.path('tables')
        self.scope('run', path, '--program', 'waits', '--out', out)
        tables = []
        for name in names:
            with open(os.path.join(out, name + '.csv'), newline='') as f:
                tables.append(list(csv.DictReader(f)))
        return tables

    def legs(self, path):
        out = self.path('path.csv')
        self.scope('draw', path, '--program', 'waits', '--view', 'Space-time', '-q', '-o', out)
        with open(out, newline='') as f:
            return [(tuple(map(int, r['name'].split()[1].split('.'))), round(float(r['from [s]']) * 1e9), round(float(r['to [s]']) * 1e9))
                    for r in csv.DictReader(f) if r['kind'] == 'path']

    @unittest.skipUnless(os.path.isdir(PARAVER), 'the samples are not here')
    def test_paraver(self):
        n = together = 0
        for name in sorted(os.listdir(PARAVER)):
            if '.prv' not in name or 'omp2' in name or (SANITIZED and '_8proc' in name):
                continue
            path = os.path.join(PARAVER, name)
            raw, legs = Raw(path), self.legs(path)
            for (a, _, end), (b, begin, _) in zip(legs, legs[1:]):      # all of the time; to whom was waited for
                self.assertEqual(end, begin, name)
                self.assertIn((end, a), [(until, cause) for until, _, cause in raw.waits[b]], name)
            for thread, begin, end in legs:         # and never through a wait
                self.assertEqual([w for w in raw.waits[thread] if w[1] < end and w[0] > begin], [], (name, thread, begin, end))
            self.assertEqual(legs, raw.path(), name)
            n += len(legs)
            together += sum(map(len, raw.waits.values())) - raw.n_alone
        self.assertGreater(n, 100)
        self.assertGreater(together, 20)

    @unittest.skipUnless(os.path.isdir(PARAVER) and os.environ.get('OTF2_ARCHIVE'), 'the samples, or libotf2, are not here')
    def test_exported(self):
        """Calls that are told beside the states of a thread are its own in an archive too."""
        path, again = os.path.join(PARAVER, 'profet-lulesh_4+4.prv'), self.path('again.otf2')
        self.scope('export', path, '-o', again)
        mine, others = ({r['task']: (r['waiting [s]'], r['waited for [s]'], r['on the critical path [s]']) for r in self.tables(p, 'tasks')[0]}
                        for p in (path, again))
        self.assertEqual(len(mine), 8)
        self.assertEqual(others, mine)
        self.assertEqual(self.legs(again), Raw(path).path())
        self.assertFalse([t for t in self.info(again)['tasks'] if '(2)' in json.dumps(t)])
        slices = self.path('again.json')
        self.scope('export', path, '-o', slices)
        computing = [sorted(float(r['computing [s]']) for r in self.tables(p, 'tasks')[0]) for p in (again, slices)]
        self.assertEqual(len(computing[1]), 8)      # and of threads of a process: nobody counts twice
        for one, other in zip(*computing):
            self.assertAlmostEqual(one, other, delta=1e-8)
        self.assertEqual(sum(t['id'].endswith(' · calls') for t in self.info(slices)['tasks']), 8)

    @unittest.skipUnless(SCRIPT and shutil.which('otf2-print'), 'built without libotf2')
    def test_path_of_what_is_known_late(self):
        """A call that sends and receives may turn out later to have waited for its receivers: the path follows what it waited for last."""
        any_, followed = random.Random(SEED), 0
        for k in range(few(12) + 4):
            rows, now = [f'{r} {10 + r} enter main' for r in range(4)], 100
            for step in range(3):
                own = [now + any_.randrange(5, 300) for _ in range(4)]      # when each calls
                first, leave = own[0], max(own) + any_.randrange(20, 100)
                rows += [f'0 {first} enter MPI_Sendrecv', f'0 {first + 1} send 1 0 {step} 8', f'0 {first + 2} send 2 0 {step} 8', f'0 {leave - 1} recv 3 0 {step} 8',
                         f'0 {leave} leave MPI_Sendrecv', f'3 {own[3]} enter MPI_Send', f'3 {own[3] + 1} send 0 0 {step} 8', f'3 {own[3] + 3} leave MPI_Send']
                ends = [leave, own[3] + 3]
                for r in (1, 2):
                    done = leave + any_.choice((-5, 5, 60, 200))
                    rows += [f'{r} {own[r]} enter MPI_Recv', f'{r} {done} recv 0 0 {step} 8', f'{r} {done + 1} leave MPI_Recv']
                    ends.append(done + 1)
                if any_.randrange(2):        # something else begins before it is known
                    at = leave + any_.randrange(2, 40)
                    rows += [f'0 {at} enter MPI_Send', f'0 {at + 1} send 3 0 9{step} 8', f'0 {at + 3} leave MPI_Send']
                    ends += [at + 3, max(at, max(ends)) + 20]
                    rows += [f'3 {ends[-1] - 10} enter MPI_Recv', f'3 {ends[-1] - 1} recv 0 0 9{step} 8', f'3 {ends[-1]} leave MPI_Recv']
                followed += max(own[1], own[2]) > max(own[3], own[0])
                now = max(ends) + 1
            rows += [f'{r} {now + 100 - r} leave main' for r in range(4)]
            rows.sort(key=lambda row: int(row.split()[1]))
            path = self.path(f'late{k}')
            subprocess.run([SCRIPT, path], input='\n'.join(['ranks 4', *rows]) + '\n', text=True, check=True)
            tasks, by_where, told = self.tables(path, 'tasks', 'path', 'efficiency')
            efficiency = {row['what']: float(row['value'] or 'nan') for row in told}
            length, stretches, by_task, by_region = Calls(Archive(os.path.join(path, 'traces.otf2'))).critical_path()
            mine = {t['task']: round(float(t['on the critical path [s]']) * 1e9) for t in tasks if float(t['on the critical path [s]'])}
            self.assertEqual([round(efficiency['Critical path'] * 1e9), mine, efficiency['Critical path, stretches']], [length, by_task, stretches], (SEED, k))
            regions = {row['region']: round(float(row['on the path [s]']) * 1e9) for row in by_where}
            self.assertEqual({region: ticks for region, ticks in regions.items() if ticks}, by_region, (SEED, k))
        self.assertGreater(followed, 3)

    @unittest.skipUnless(SCRIPT, 'built without libotf2')
    def test_sends_outside_of_calls(self):
        """Who waited for what was sent, or for whom asked, in no call goes on from there; what is sent behind the last call is of the path too."""
        any_ = random.Random(SEED)
        for k in range(few(8) + 4):
            begin, over, sent = any_.randrange(10, 50), any_.randrange(60, 200), any_.randrange(300, 900)
            calls, end = any_.randrange(20, sent), sent + any_.randrange(5, 500)
            rows = [(begin, '0 {} enter MPI_Barrier'), (over, '0 {} leave MPI_Barrier'), (sent, '0 {} send 1 0 7 8'),
                    (calls, '1 {} enter MPI_Recv'), (end, '1 {} recv 0 0 7 8'), (end + 1, '1 {} leave MPI_Recv')]
            if k % 2:       # and back: it is known late that this one was waited for
                rows += [(end + 9, '1 {} send 0 0 8 8'), (over + 1, '0 {} enter MPI_Recv'), (sent + any_.randrange(-9, -1), '0 {} leave MPI_Recv'),
                         (end + 20, '0 {} enter MPI_Recv'), (end + 30, '0 {} recv 1 0 8 8'), (end + 31, '0 {} leave MPI_Recv')]
            path = self.path(f'outside{k}')
            text = '\n'.join(['ranks 2', *(row.format(date) for date, row in sorted(rows, key=lambda r: r[0]))])
            subprocess.run([SCRIPT, path], input=text + '\n', text=True, check=True)
            tasks, by_where, told = self.tables(path, 'tasks', 'path', 'efficiency')
            mine = {t['task']: round(float(t['on the critical path [s]']) * 1e9) for t in tasks}
            expected = [end + 31 - begin, 0] if k % 2 else [sent - begin, end + 1 - sent]
            self.assertEqual([mine[name] for name in sorted(mine)], expected, (SEED, k, text))
            length = next(round(float(row['value']) * 1e9) for row in told if row['what'] == 'Critical path')
            self.assertEqual([length, sum(round(float(row['on the path [s]']) * 1e9) for row in by_where)], [sum(expected)] * 2, (SEED, k))

    def test_flows(self):
        """What began or ended a flow has not waited, but in a call of communication."""
        for name in ('perfetto-flow_events_json_v1.json', 'tc-flow.json') if os.path.isdir(CHROME) else ():
            self.assertEqual(self.tables(os.path.join(CHROME, name), 'waits'), [[]], name)
        for call, begun, expected in (('MPI_Recv', 'MPI_Send', [('Late sender', 'b 2', 0.0004)]), ('Handle', 'Post', [])):
            events = [{'ph': 'M', 'pid': 1, 'tid': tid, 'name': 'thread_name', 'args': {'name': name}} for tid, name in ((1, 'a'), (2, 'b'))]
            for tid, name, at, dur, phase, flow in ((1, begun, 500, 100, 's', 520), (2, call, 100, 800, 'f', 850)):
                events += [{'ph': 'X', 'pid': 1, 'tid': tid, 'name': name, 'ts': at, 'dur': dur},
                           {'ph': phase, 'pid': 1, 'tid': tid, 'name': 'x', 'id': 7, 'ts': flow, 'bp': 'e'}]
            rows, = self.tables(self.path(f'{call}.json', json.dumps(events)), 'waits')
            self.assertEqual([(r['kind'], r['task'], float(r['waited [s]'])) for r in rows], expected, call)
        slices = [{'ph': 'X', 'pid': 1, 'tid': tid, 'name': name, 'ts': at, 'dur': dur, 'bind_id': '0x7', side: True}
                  for tid, name, at, dur, side in ((1, 'MPI_Send', 500, 100, 'flow_out'), (2, 'MPI_Recv', 700, 800, 'flow_in'))]
        told, = self.tables(self.path('bound.json', json.dumps(slices)), 'efficiency')      # each end has the name of its slice
        self.assertEqual([r['value'] for r in told if r['what'] in ('Messages', 'Sends that nobody received', 'Receives that nobody sent')], ['1', '0', '0'])

    @unittest.skipUnless(os.path.isdir(CLOG), 'the samples are not here')
    def test_sends_and_receives(self):
        """Who both sends and receives, both until the same date, has waited for the message that it needs."""
        path = os.path.join(CLOG, 'pmandel.clog')
        begins = collections.defaultdict(list)
        for line in self.scope('events', path)[0].splitlines():
            m = re.match(r' *([\d.]+) +(process \d): SENDRECV .* takes ([\d.]+)', line)
            if m and (not begins[m[2]] or begins[m[2]][-1][1] < float(m[1]) - 1e-9):    # the end tells how long it took as well
                begins[m[2]].append((float(m[1]), round(float(m[1]) + float(m[3]), 7)))
        begin, end = max(begins['process 3'], key=lambda c: c[1] - c[0])
        other = max(b for b, _ in begins['process 1'] if b < end)
        rows = [r for r in self.tables(path, 'waits')[0] if r['task'] == 'process 3' and r['region'] == 'SENDRECV']
        self.assertIn(('Late sender', 'process 1', round(other - begin, 7)),
                      [(r['kind'], r['mostly for'], round(float(r['longest [s]']), 7)) for r in rows])
        self.assertGreater(other - begin, 4)
        self.assertLess(max([float(r['longest [s]']) for r in rows if r['kind'] == 'Late receiver'], default=0), 1)

    @unittest.skipUnless(os.path.isdir(OTF2) and os.environ.get('OTF2_ARCHIVE'), 'the samples, or libotf2, are not here')
    def test_how_it_ended(self):
        told = [line for line in self.scope('events', os.path.join(OTF2, 'mi300'))[0].splitlines() if 'ProgramEnd' in line]
        self.assertTrue(told)
        self.assertFalse([line for line in told if 'status' in line])


main()
