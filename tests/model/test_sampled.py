# SPDX-License-Identifier: Apache-2.0
"""What tasks say that they do beside what was sampled of their processes: the program levels.eve against the second
computation of this folder, at the end and at random instants, of the recorded sample and of made executions that are
sampled at random.

    SCOPE=build/src/scope python3 tests/model/test_sampled.py"""
import csv
import math
import os
import random
import subprocess
import tempfile
import unittest

import make
import raw
from pvm import Pvm

SCOPE = os.environ['SCOPE']
SEED = os.environ.get('SCOPE_SEED', '20')
FARM = os.path.join(raw.ROOT, 'traces', 'farm-sampled.trace')
WORK = ('Busy', 'Overhead', 'Talking')
WHOLE = 1000


def second(execution, field, at, work=WORK):
    """Rows by task, and the dated shares: every sample beside the ticks that its task had spent in states by then."""
    model, rows, shares = Pvm(execution), {}, []
    before = {}                                             # by task: date and ticks of work at the last sample
    for e in execution.events:
        if e.date > at:
            break
        model.step(e)
        if e.kind != 'Sample':
            continue
        spent = model.people[e.task].seen.ticks(e.date)
        worked = sum(spent[s] for s in work)
        last, before[e.task] = before.get(e.task), (e.date, worked)
        value = int(e.fields[field])
        if last is None or value < 0 or e.date == last[0]:
            continue
        time, worked = e.date - last[0], worked - last[1]
        had = value * time / WHOLE
        row = rows.setdefault(e.task, [0] * 6)
        for i, x in enumerate((1, worked, min(had, worked), min(max(had - (time - worked), 0), worked), time - worked,
                               max(had - worked, 0))):
            row[i] += x
        if worked:
            shares.append((e.date, e.task, 100 * min(had, worked) / worked))
    return rows, shares


def scope(*words):
    done = subprocess.run([SCOPE, *words], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, DISPLAY='', WAYLAND_DISPLAY=''))
    if done.returncode:
        raise AssertionError(f'scope {" ".join(words)}: {done.returncode}: {done.stderr}')
    return done


def read(path):
    with open(path, newline='', encoding='utf-8') as f:
        return list(csv.reader(f))[1:]


class Sampled(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='scope-sampled-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def near(self, got, want, what):
        self.assertTrue(math.isclose(float(got), want, rel_tol=1e-9, abs_tol=1e-12), f'{what}: {got}, not {want}')

    def same_rows(self, execution, rows, want, what):
        name = {execution.tasks[n].nickname: n for n in want}
        self.assertEqual(sorted(r[0] for r in rows), sorted(name), what)
        for label, n, work, then, share, least, rest, otherwise in rows:
            w = want[name[label]]
            self.assertEqual(int(n), w[0], f'{what}: {label}')
            for got, ticks in ((work, w[1]), (then, w[2]), (least, w[3]), (rest, w[4]), (otherwise, w[5])):
                self.near(got, ticks / execution.ticks, f'{what}: {label}')
            if w[1]:
                self.near(share, 100 * w[2] / w[1], f'{what}: share of {label}')
            else:
                self.assertEqual(share, '', what)

    def whole(self, execution, path, *more, work=WORK):
        """The tables and the dated shares of a whole execution; gives how many shares there are."""
        out = tempfile.mkdtemp(dir=self.folder)
        with open(os.path.join(raw.ROOT, 'schemas/tapepvm/levels.eve'), encoding='utf-8') as f:
            program = f.read()
        for box in ('Had a processor', 'Was kept from one'):
            file = f'<component name="{box} file" class="scope.csv-sink" version="1" x="0" y="0"><setting name="file">{box}.csv</setting></component>'
            wire = f'<wire from="{box}" out="share" to="{box} file" in="in"/>'
            program = program.replace('</eve>', file + wire + '</eve>')
        with open(os.path.join(out, 'levels.eve'), 'w', encoding='utf-8') as f:
            f.write(program)
        scope('run', path, '--program', os.path.join(out, 'levels.eve'), '--out', out, '--quiet', *more)
        n = 0
        for field, box, file in (('cpu', 'Had a processor', 'processor.csv'), ('waiting', 'Was kept from one', 'kept.csv')):
            rows, shares = second(execution, field, execution.last, work)
            self.same_rows(execution, read(os.path.join(out, file)), rows, f'{path}: {file}')
            told = read(os.path.join(out, box + '.csv'))
            self.assertEqual(len(told), len(shares), f'{path}: {box}')
            for got, (date, task, share) in zip(told, shares):
                self.near(got[0], date / execution.ticks, f'{path}: {got}')
                self.assertIn(execution.tasks[task].nickname, got, path)
                self.near(got[2], share, f'{path}: {got}')
            n += len(shares)
        return n

    def test_recorded(self):
        execution = raw.read(FARM)
        self.assertGreater(self.whole(execution, FARM), 300)
        busy = [w for b in ('Had a processor', 'Was kept from one') for w in ('--set', f'{b}.states=Busy')]
        self.assertGreater(self.whole(execution, FARM, *busy, work=('Busy',)), 100)

    def test_recorded_at_random_instants(self):
        execution, rand = raw.read(FARM), random.Random(SEED)
        samples = [e.date for e in execution.events if e.kind == 'Sample']
        dates = [rand.choice(samples) + d for d in (0, -1)] + [rand.randrange(execution.first, execution.last) for _ in range(3)]
        for at in dates:
            out = os.path.join(self.folder, 'at.csv')
            scope('draw', FARM, '--program', 'levels', '--view', 'Processor table', '--at',
                  f'{at // 10**9}.{at % 10**9:09d}', '-o', out)
            with open(out, encoding='utf-8') as f:
                rows = list(csv.reader(f))[1:]
            self.same_rows(execution, rows, second(execution, 'cpu', at)[0], f'seed {SEED}, at {at}')

    def test_made(self):
        """Samples at any dates, of any tasks: not known, more than all, several of one date, none for long."""
        for k in range(8):
            rand, told = random.Random(f'{SEED} {k}'), f'seed {SEED}, execution {k}'
            path = make.write_pvm(os.path.join(self.folder, f'odd{k}.trace'), rand, tasks=rand.choice([2, 3, 5]),
                                  actions=rand.choice([10, 40, 100]))
            self.sample(path, rand)
            execution = raw.read(path)
            self.assertTrue(any(e.kind == 'Sample' for e in execution.events), told)
            with self.subTest(told):
                self.whole(execution, path)

    def sample(self, path, rand):
        name = os.path.basename(path)[:-len('.trace')]
        file = os.path.join(path, f'{name}.tapepvm', 'events')
        with open(file, encoding='utf-8') as f:
            lines = f.read().splitlines()
        dates = [int(line.split()[1]) for line in lines if not line.startswith('#')]
        tasks = {line.split()[2] for line in lines if not line.startswith('#')}
        made = []
        for task in sorted(tasks):
            for _ in range(rand.choice([0, 1, 2, 30])):
                date = rand.choice(dates) if rand.random() < 0.3 else rand.randint(min(dates), max(dates))
                cpu, waiting = (rand.choice([-1, 0, 1000, 2500, rand.randint(0, 1000)]) for _ in range(2))
                made.append((date, f'202 {date} {task} 0 0 {cpu} {waiting} 4096 1'))
        if not made:
            made = [(dates[-1], f'202 {dates[-1]} {min(tasks)} 0 0 1 1 4096 1')]
        every = [(int(line.split()[1]), line) for line in lines if not line.startswith('#')]
        with open(file, 'w', encoding='utf-8') as f:
            f.write('\n'.join([line for line in lines if line.startswith('#')]
                              + [line for _, line in sorted(every + made, key=lambda x: x[0])]) + '\n')


if __name__ == '__main__':
    unittest.main()
