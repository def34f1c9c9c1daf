# SPDX-License-Identifier: Apache-2.0
"""Operations of groups of which a trace tells no group, as SimGrid's: how long tasks are in them, and what they wait there if the n-th of each is
one operation of all, which is told where that can be; and what is told where there is neither such an operation nor a message.  All once more from the
lines of the trace."""
import collections
import csv
import json
import os
import random
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpe                                                                                      # noqa: E402
from formats import Format, few, main, once, samples                                               # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '1'))
SAMPLES = [os.path.join(samples('paje'), name) for name in
           ('simgrid-waits.trace', 'simgrid-512-ranks.trace', 'simgrid-colls-incomplete-links.trace', 'simgrid-ring-basic-old-dialect.trace')]
BARRIER, FOR_ALL = {'Barrier'}, {'Allreduce', 'Allgather', 'Alltoall'}
FROM_ROOT, TO_ROOT = {'Bcast', 'Scatter', 'Scatterv'}, {'Reduce', 'Gather', 'Gatherv'}
OTHERS = ('Bcast', 'Reduce', 'Scatter', 'Gather', 'Scan')
SECONDS = {'s': 1, 'ms': 1e-3, 'µs': 1e-6, 'ns': 1e-9}
HEAD = ''.join(f'%EventDef {event} {i}\n' + ''.join(f'% {field} {"date" if field == "Time" else "string"}\n' for field in fields.split()) + '%EndEventDef\n'
               for i, (event, fields) in enumerate({'PajeDefineContainerType': 'Alias Type Name', 'PajeDefineStateType': 'Alias Type Name',
                                                    'PajeCreateContainer': 'Time Alias Type Container Name', 'PajePushState': 'Time Type Container Value',
                                                    'PajePopState': 'Time Type Container', 'PajeSetState': 'Time Type Container Value'}.items()))


def called(name):
    """Of “PMPI_Allreduce” what it is."""
    return name.split('MPI_')[-1]


def calls(path):
    """Of each task: (state, begin, end) in the order in which they begin, ns; a task is called as the trace does."""
    kinds, fields, values, tasks, stacks, out = {}, {}, {}, {}, {}, {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)]
            if line.startswith('%EventDef'):
                kinds[words[2]], of = words[1], fields.setdefault(words[2], [])
            elif line.startswith('%') and len(words) == 3:
                of.append(words[1])
            elif words and words[0] in kinds:
                e, kind = dict(zip(fields[words[0]], words[1:])), kinds[words[0]]
                if kind == 'PajeDefineEntityValue':
                    values[e['Alias']] = e['Name']
                elif kind == 'PajeCreateContainer':
                    tasks[e['Alias']] = e['Name']
                elif kind in ('PajePushState', 'PajePopState'):
                    task, at = tasks[e['Container']], round(float(e['Time']) * 1e9)
                    if kind == 'PajePushState':
                        stacks.setdefault(task, []).append(len(out.setdefault(task, [])))
                        out[task].append([values.get(e['Value'], e['Value']), at, None])
                    else:
                        out[task][stacks[task].pop()][2] = at
    return out


def operations(of):
    """Those that are inside of no other one."""
    out, until = [], -1
    for name, begin, end in of:
        if called(name) in BARRIER | FOR_ALL | set(OTHERS) and (begin >= until or end > until):
            out.append((name, begin, end))
            until = end
    return out


def by_order(tasks, first=-1e30, last=1e30):
    """(tasks, operations, seconds at barriers, of all for all, at most for late roots, in early ones, {task: seconds waited for it}), between two
    dates; None: no such order."""
    rows = {task: operations(of) for task, of in tasks.items() if of}
    if len(rows) < 2 or len({tuple(name for name, _, _ in of) for of in rows.values()}) > 1:
        return None
    waited, whom = collections.Counter(), dict.fromkeys(rows, 0)
    for one in zip(*([(begin, end, task, name) for name, begin, end in of] for task, of in rows.items())):
        came, is_one = max(one)[0], called(one[0][3])
        if is_one in TO_ROOT:                                       # whoever comes first may be the root, if he stays until all have come
            (begin, end, *_), (second, _, task, _) = sorted(one)[:2]
            if end >= came:
                waited['early'] += max(0, min(second, last) - max(begin, first)) / 1e9
                whom[task] += max(0, min(second, last) - max(begin, first)) / 1e9
        if is_one in FROM_ROOT:                                     # so may who comes last before anybody leaves
            came = max(begin for begin, *_ in one if begin <= min(end for _, end, *_ in one))
        if is_one in BARRIER | FOR_ALL | FROM_ROOT:
            if min(end for _, end, _, _ in one) < came:
                return None
            ticks = sum(max(0, min(came, last) - max(begin, first)) for begin, _, _, _ in one)
            waited['late' if is_one in FROM_ROOT else is_one in BARRIER] += ticks / 1e9
            for begin, _, task, _ in one:
                if begin == came:
                    whom[task] += ticks / 1e9
                    break                                            # of several that come last, the first
    return len(rows), len(next(iter(rows.values()))), waited[True], waited[False], waited['late'], waited['early'], whom


class ByOrder(Format):
    def report(self, path, *more):
        text = ' '.join(self.scope('report', path, '-q', *more)[0].split())
        if 'Tasks are in operations of groups for' in text:         # what is waited in these, and so the run on an ideal network, nobody knows
            self.assertNotIn('On an ideal network', text, path)
        return text

    def assert_told(self, text, expected, why):
        said = re.search(r'All (\d+) tasks do the same (\d+) such operations?.*?wait in (?:it|these) ([\d.]+) (\w+) at barriers and ([\d.]+) (\w+) '
                         r'where each needs data of all(?:, and at most ([\d.]+) (\w+) for roots that come late and ([\d.]+) (\w+) in roots that come early)?, '
                         r'added up over all tasks; (.+?) is waited for most \(([\d.]+) (\w+) of that\)', text)
        if not expected or max(expected[6].values()) == 0:
            self.assertIsNone(said, why)
            return False
        self.assertIsNotNone(said, (why, expected))
        self.assertEqual((int(said[1]), int(said[2])), expected[:2], why)
        for k, seconds in ((3, expected[2]), (5, expected[3]), (7, expected[4]), (9, expected[5]), (12, max(expected[6].values()))):
            self.assertAlmostEqual(float(said[k] or 0) * SECONDS[said[k + 1] or 's'], seconds, delta=seconds * .006 + 1e-9, msg=(why, k))
        self.assertAlmostEqual(expected[6][said[11]], max(expected[6].values()), delta=1e-9, msg=why)
        return True

    @once
    def test_samples(self):
        """Also where no message is whole and nobody is known to wait."""
        if not all(map(os.path.exists, SAMPLES)):
            self.skipTest('the samples are not here')
        for path in SAMPLES:
            tasks = calls(path)
            together = {}
            for of in tasks.values():
                for name, begin, end in operations(of):
                    together[name] = together.get(name, 0) + (end - begin) / 1e9
            text = self.report(path)
            said = re.search(r'in operations of groups, in which tasks are for ([\d.]+) (\w+) \(.*?longest in (\w+):', text)
            self.assertAlmostEqual(float(said[1]) * SECONDS[said[2]] / sum(together.values()), 1, delta=0.006)
            self.assertEqual(said[3], max(together, key=together.get))
            self.assertTrue(self.assert_told(text, by_order(tasks), path))

    @unittest.skipUnless(os.path.isdir(samples('slog2')), 'the samples are not here')
    @once
    def test_slog2(self):
        """What tasks are inside of is not told by states here, but by calls that are kinds of event; communicators are split."""
        for name in ('colls6', 'colls12'):
            path = os.path.join(samples('slog2'), name + '.slog2')
            sums = {state: seconds for state, seconds in mpe.Slog(path).model().sums().items() if called(state) in BARRIER | FOR_ALL | set(OTHERS)}
            text = self.report(path)
            said = re.search(r'in operations of groups, in which tasks are for ([\d.]+) (\w+) \(.*?longest in (\w+):', text)
            self.assertIsNotNone(said, text)
            self.assertAlmostEqual(float(said[1]) * SECONDS[said[2]] / sum(sums.values()), 1, delta=0.006)
            self.assertEqual(said[3], max(sums, key=sums.get))
            self.assert_told(text, None, path)

    def test_made_logs(self):
        """The same runs as logs of MPE, in which each name is a kind of event; whole and in windows of time."""
        for k in range(few(4)):
            r = random.Random(f'{SEED} log {k}')
            # all come to the first one: who has not communicated yet is not known to belong to it
            n, names = r.randrange(2, 7), ['Barrier', *r.choices(('Barrier', 'Allreduce', 'Alltoall', *OTHERS), k=r.randrange(1, 20)), 'Allgather', 'Barrier']
            tasks = {f'process {task[1:]}': [[name, begin // 1000 * 1000, end // 1000 * 1000] for name, begin, end in of]
                     for task, of in calls(self.path('made.trace', self.made(r, n, names, split=k % 4 == 3))).items()}
            states = sorted({name for of in tasks.values() for name, _, _ in of})
            lines = [(at // 1000, 2 * states.index(name) + 1 + ends, task) for task, of in tasks.items() for name, *both in of for ends, at in enumerate(both)]
            path = self.path(f'made{k}.log', ''.join([f'-1 0 0 0 0 0 Me\n-2 0 0 {len(lines)} 0 0\n-3 0 0 {n} 0 0\n-11 0 0 0 0 4294967295\n',
                                                      *(f'-13 0 {2 * i + 1} {2 * i + 2} 0 0 red {name}\n' for i, name in enumerate(states)),
                                                      *(f'{number} {task.split()[1]} 0 0 0 {at}\n' for at, number, task in sorted(lines, key=lambda row: row[0]))]))
            ends = [at for of in tasks.values() for _, _, at in of]
            first, last = (0, max(ends)) if k % 2 else sorted(r.sample(range(max(ends)), 2))
            text = self.report(path, *(() if k % 2 else ('--from', f'{first / 1e9:.9f}', '--to', f'{last / 1e9:.9f}')))
            if k % 2 or 'in operations of groups, in which' in text:
                self.assertIn('in operations of groups, in which', text, (SEED, k))
                self.assert_told(text, by_order(tasks, first, last), (SEED, k, first, last))
            if k % 2:           # no call names anybody else here
                rows = re.findall(r'([\d.]+) (s|ms|µs) [\d.]+ s process', text.split('Longest calls that involve others', 1)[1].replace('\u00a0', ' '))
                want = sorted((end - begin for of in tasks.values() for name, begin, end in of if name in (*BARRIER, *FOR_ALL, *OTHERS)), reverse=True)[:len(rows)]
                self.assertEqual(len(rows), min(10, sum(len(operations(of)) for of in tasks.values())), (SEED, k))
                for (number, unit), ticks in zip(rows, want):
                    self.assertAlmostEqual(float(number) * SECONDS[unit] * 1e9, ticks, delta=ticks * .006 + 1, msg=(SEED, k))

    def made(self, r, n, names, alone=0, split=False, behind=0):
        """Lines of a run of n ranks, ns: of each operation all, or both halves of them by themselves, go on when the last has come."""
        at, lines = [10 ** 8 * (split and k >= n // 2) for k in range(n)], []
        for name in ('Init', *names, 'Finalize'):
            for group in ((range(n // 2), range(n // 2, n)) if split else (range(n),)):
                came = [at[k] + r.randrange(1, 10 ** 6) for k in group]
                goes = max(came) + r.randrange(1, 10 ** 5)
                for k, begin in zip(group, came):
                    at[k] = goes + r.randrange(10 ** 4) if name in BARRIER | FOR_ALL else begin + r.randrange(1, 10 ** 6)
                    lines += [(begin, f'3 {{}} S r{k} PMPI_{name}'), (at[k], '4 {} S r%d' % k)]
        lines += [(1 + k, f'{3 + k} {{}} S extra' + ' PMPI_Recv' * (1 - k)) for k in range(2) if alone]
        late = {k: behind for k in range(n // 2)}
        lines = [(date + late.get(int(line.split()[3][1:]) if line.split()[3][0] == 'r' else -1, 0), line) for date, line in lines]
        lines.sort(key=lambda row: row[0])
        ranks = [*(f'r{k}' for k in range(n)), *(['extra'] if alone else [])]
        return HEAD + '0 P 0 Process\n1 S P State\n' + ''.join(f'2 0 {rank} P 0 {rank}\n' for rank in ranks) \
            + ''.join(line.format(f'{date / 1e9:.9f}') + '\n' for date, line in lines)

    def test_made(self):
        """Whole, in windows of time, and where that order cannot be: other names, one operation less, a communicator that is split, clocks that
        differ, a task that communicates and does none."""
        for k in range(few(5)):
            r = random.Random(f'{SEED} {k}')
            n, names = r.randrange(2, 9), r.choices(('Barrier', 'Allreduce', 'Alltoall', *OTHERS), k=r.randrange(1, 30)) + ['Allgather', 'Barrier']
            path = self.path('made.trace', self.made(r, n, names))
            tasks = calls(path)
            self.assertIsNotNone(by_order(tasks))
            end = max(at for of in tasks.values() for _, _, at in of)
            first, last = (0, end) if k % 2 == 0 else sorted(r.sample(range(end), 2))
            text = self.report(path, *(('--from', f'{first / 1e9:.9f}', '--to', f'{last / 1e9:.9f}') if k % 2 else ()))
            if k % 2 == 0 or 'in operations of groups, in which' in text:   # not worth a sentence in a short window
                self.assert_told(text, by_order(tasks, first, last), (SEED, k, first, last))
            what, text = [
                ('split', lambda: self.made(r, 2 * n, names * 5, split=True)),
                ('clocks', lambda: self.made(r, n, names, behind=3 * 10 ** 6)),
                ('alone', lambda: self.made(r, n, names, alone=1)),
                ('name', lambda: re.sub(r'(.* S r1 PMPI_)Barrier', r'\1Allreduce', self.made(r, n, names), count=1)),
                ('less', lambda: re.sub(r'(.* S r1 PMPI_)Barrier', r'\1Wait', self.made(r, n, names), count=1)),
            ][k % 5]
            path = self.path(what + '.trace', text())
            self.assertIsNone(by_order(calls(path)), (SEED, k, what))
            text = self.report(path)
            self.assertIn('in operations of groups, in which', text, (SEED, k, what))
            self.assert_told(text, None, (SEED, k, what))

    def key(self, path, *more):
        """How many letters stand above the rows of Space-time, as the path is asked for and not; the rows of the path."""
        n = []
        for on in ('false', 'true'):
            args = ['draw', path, '--program', 'waits', '--view', 'Space-time', '--set', f'Space-time.critical path={on}', '--size', '2400x500', '-q', '-o']
            self.scope(*args, self.path('key.svg'))
            with open(self.path('key.svg'), encoding='utf-8') as f:
                n.append(sum(float(y) < 45 for y in re.findall(r'<use [^>]* y="([\d.]+)"', f.read())))
        self.scope(*args, self.path('path.csv'))
        with open(self.path('path.csv'), encoding='utf-8', newline='') as f:
            return n[1] - n[0], [row for row in csv.DictReader(f) if row['kind'] == 'path']

    @unittest.skipUnless(os.path.isdir(samples('chrome')), 'the samples are not here')
    @once
    def test_paths_that_are_not_known(self):
        """Where nothing tells who waits for whom there is no path, in no table; where it goes through operations of unknown groups the view
        says so."""
        letters = {text: len(text) for text in (
            'Critical path, all else pale', 'No critical path: the trace does not tell who waits for whom',
            'Critical path, as if nobody waited where the trace does not tell who waits for whom')}
        known, none, doubtful = letters.values()
        path = os.path.join(samples('chrome'), 'viztracer-multithread.json')
        self.assertEqual(self.key(path), (none, []))
        self.scope('run', path, '--program', 'waits', '--out', self.path('out'))
        files = {}
        for name in ('path', 'tasks', 'efficiency'):
            with open(os.path.join(self.path('out'), name + '.csv'), newline='') as f:
                files[name] = list(csv.DictReader(f))
        self.assertEqual(files['path'], [])
        self.assertEqual({row['on the critical path [s]'] for row in files['tasks']}, {''})
        self.assertEqual({row['value'] for row in files['efficiency'] if row['what'].startswith('Critical path')}, {''})
        for path, n in ((SAMPLES[0], doubtful), (os.path.join(samples('slog2'), 'colls6.slog2'), doubtful), (os.path.join(samples('clog2'), 'waits4.clog2'), doubtful),
                        (os.path.join(samples('sddf'), 'pvm_tracer_hitc_master1_spmd.sddf'), known)):
            if os.path.exists(path):
                found, rows = self.key(path)
                self.assertEqual(found, n, path)
                self.assertGreater(len(rows), 0, path)

    @unittest.skipUnless(os.path.isdir(samples('paraver')), 'the samples are not here')
    @once
    def test_load_balance_without_messages(self):
        """Threads that send nothing and meet nowhere: what limits them is told all the same, with the numbers that POP's rules give."""
        with open(os.path.join(samples('paraver'), 'expected.jsonl')) as lines:
            pop = next(row['pop_from_state_1'] for row in map(json.loads, lines) if 'pypop-omp2' in row['path'])
        said = self.scope('report', os.path.join(samples('paraver'), 'pypop-omp2.prv.gz'), '-o', self.path('report'))[0]
        said = ' '.join(said[said.index('What limits it'):said.index('What stands out')].replace('\u00a0', ' ').split())
        self.assertIn('Who waits for whom is not told: there is no message and no operation of a group.', said)
        self.assertIn(f"Load balance is {pop['LB']:.3g} %, and the task that computes longest does so for {pop['CommE']:.3g} % of the run; so uneven computing limits it most.", said)
        self.assertIn(f"Parallel efficiency is {pop['PE']:.3g} %: 2 tasks computed {pop['useful_total'] / 2e9:.3g} s of {pop['runtime'] / 1e9:.3g} s on average.", said)

    def test_alone_at_random(self):
        """The same of tasks made at random; where even the busiest computes little, that is what limits; of one task
        alone nothing is told."""
        for k in range(few(6)):
            r = random.Random(f'{SEED} alone {k}')
            n, end, works = 1 if k % 3 == 2 else r.randrange(2, 9), 10 ** 6, {}
            lines = []
            for task in range(n):
                works[task] = r.randrange(1, end * 4 // 10 if k % 3 == 1 else end)
                at = r.randrange(0, end - works[task])
                lines += [(0, f'5 {{}} S t{task} Idle'), (at, f'5 {{}} S t{task} Running'), (at + works[task], f'5 {{}} S t{task} Idle'), (end, f'5 {{}} S t{task} Idle')]
            lines.sort(key=lambda row: row[0])
            path = self.path('alone.trace', HEAD + '0 P 0 Process\n1 S P State\n' + ''.join(f'2 0 t{task} P 0 t{task}\n' for task in range(n))
                             + ''.join(line.format(f'{at / 1e6:.6f}') + '\n' for at, line in lines))
            said = ' '.join(self.scope('report', path, '-q')[0].replace('\u00a0', ' ').split())
            self.assertRegex(said, 'This trace does not tell who waits for whom|Who waits for whom is not told', (SEED, k))
            found = re.search(r'Parallel efficiency is ([\d.]+) %: (\d+) tasks computed .*?Load balance is ([\d.]+) %, and the task that computes longest does so for '
                              r'([\d.]+) % of the run; so (.*?) limits it most', said)
            if n == 1:
                self.assertNotIn('Parallel efficiency is', said, (SEED, k))
                continue
            self.assertIsNotNone(found, (SEED, k, said[:1500]))
            most, mean = max(works.values()), sum(works.values()) / n
            for got, share in zip((found[1], found[3], found[4]), (mean / end, mean / most, most / end)):
                self.assertAlmostEqual(float(got), 100 * share, delta=share * 100 * .006, msg=(SEED, k))
            self.assertEqual(int(found[2]), n)
            self.assertEqual(found[5], 'uneven computing' if mean / most < most / end else 'time in which even the busiest does not compute', (SEED, k))

    @unittest.skipUnless(os.path.isdir(samples('otf2')), 'the samples are not here')
    @once
    def test_whom_the_longest_wait_is_for(self):
        """It is told in the report: at a barrier whoever comes last, which is when the wait ends."""
        path = os.path.join(samples('otf2'), 'pmpi-waits')
        said = ' '.join(self.scope('report', path, '-o', self.path('report'))[0].replace('\u00a0', ' ').split())
        span, who, whom, begins = re.search(r'the longest of these waits is ([\d.]+) ms, of (MPI Rank \d) for (MPI Rank \d) at ([\d.]+) s\.', said).groups()
        events = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        enters = [(e['task'], e['t']) for e in events if e['kind'] == 'Enter' and e.get('region') == 'MPI_Barrier']
        self.assertIn((who, float(begins)), enters)
        comes = [(task, at) for task, at in enters if float(begins) < at <= float(begins) + float(span) * 1e-3 + 1e-4]
        last, comes_at = max(comes, key=lambda row: row[1])
        self.assertEqual((last, round(1e3 * (comes_at - float(begins)), 1)), (whom, float(span)))


main()
