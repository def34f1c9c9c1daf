# SPDX-License-Identifier: Apache-2.0
"""The simulators against the second computation of this folder: every attribute of every node and edge that
`scope state --json` tells, at random instants of all samples and of odd executions, and how many things were impossible.

    SCOPE=build/src/scope python3 tests/model/test_model.py [SEED...]      these executions alone"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal

import make
import raw
from calls import Calls
from ouf import Ouf
from pvm import Pvm
from state import differences

SCOPE = os.environ['SCOPE']
SAMPLES = os.path.join(raw.ROOT, 'traces')
N_ODD = int(os.environ.get('SCOPE_ODD', '25'))  # of each model

PROGRAM = """<?xml version="1.0" encoding="UTF-8"?>
<eve version="1">
  <title>Overhead</title>
  <component name="Reader" class="scope.%s" version="1" x="0" y="0"/>
  <component name="Overhead" class="scope.communication-overhead" version="1" x="0" y="0"><setting name="sampling">at the end</setting></component>
  <component name="File" class="scope.csv-sink" version="1" x="0" y="0"><setting name="file">overhead.csv</setting></component>
  <wire from="Reader" out="events" to="Overhead" in="events"/>
  <wire from="Overhead" out="dated" to="File" in="in"/>
</eve>
"""

CALLS = """<?xml version="1.0" encoding="UTF-8"?>
<eve version="1">
  <title>Calls</title>
  <component name="Session" class="scope.session" version="1" x="0" y="0"/>
  <component name="Reader" class="scope.%s" version="1" x="0" y="0"/>
  <component name="Simulator" class="scope.calls-simulator" version="1" x="0" y="0"/>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/>
</eve>
"""


def scope(*words):
    done = subprocess.run([SCOPE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, text=True,
                          env=dict(os.environ, DISPLAY='', WAYLAND_DISPLAY=''))
    if done.returncode != 0:
        raise AssertionError(f'scope {" ".join(words)}: {done.returncode}: {done.stderr}')
    return done.stdout


def decimal(ticks, per_second):
    nanoseconds = ticks * (10**9 // per_second)
    return f'{nanoseconds // 10**9}.{nanoseconds % 10**9:09d}'


class Model(unittest.TestCase):
    def check(self, path, rand, instants):
        """At some instants, many of them those of events; then the whole: the simulator of the format, and that of any."""
        execution = raw.read(path)
        self.check_model(execution, (Pvm if execution.model == 'PVM' else Ouf)(execution), rand, instants, [])
        with tempfile.NamedTemporaryFile('w', prefix='scope-model-', suffix='.eve') as program:
            program.write(CALLS % ('tapepvm-reader' if execution.model == 'PVM' else 'tape-reader'))
            program.flush()
            self.check_model(execution, Calls(execution), rand, instants, ['--program', program.name])

    def check_model(self, execution, model, rand, instants, more):
        path = execution.path
        dates = [rand.choice(execution.events).date + rand.choice([0, 0, 1, -1]) for _ in range(instants - 1)]
        at_event = 0
        for at in sorted(min(max(d, execution.first), execution.last) for d in dates) + [execution.last]:
            while at_event < len(execution.events) and execution.events[at_event].date <= at:
                model.step(execution.events[at_event])
                at_event += 1
            told = json.loads(scope('state', path, '--at', decimal(at, execution.ticks), '--json', *more), parse_float=Decimal)
            found = differences(model.state(at), told, execution.ticks)
            self.assertEqual(found, [], f'{path} at {at}: {found[:3]}')
        stats = json.loads(scope('run', path, '--stats', '--quiet', *more).splitlines()[-1])
        self.assertEqual((stats['events_simulated'], stats['impossible'], stats['damaged']),
                         (len(execution.events), model.impossible, 0), path)

    def test_samples(self):
        names = raw.samples()
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(name):
                self.check(os.path.join(SAMPLES, name), random.Random(name), 5)

    def odd(self, seed, write):
        rand = random.Random(seed)
        with tempfile.TemporaryDirectory(prefix='scope-model-') as folder:
            path = write(os.path.join(folder, 'odd.trace'), rand, tasks=rand.choice([2, 3, 5, 8]),
                         actions=rand.choice([10, 40, 100]))
            self.check(path, rand, 3)

    def test_odd_pvm(self):
        for seed in range(N_ODD):
            with self.subTest(seed):
                self.odd(seed, make.write_pvm)

    def test_odd_tape(self):
        for seed in range(N_ODD):
            with self.subTest(seed):
                self.odd(seed, make.write_tape)

    def test_overhead_of_the_dead(self):
        """A task has lived until it died, however it died and in whichever format that is told."""
        for name, reader in (('births', 'tapepvm-reader'), ('deaths', 'tape-reader')):
            path = os.path.join(SAMPLES, name + '.trace')
            execution, lives, inside, spent = raw.read(path), {}, {}, 0
            for e in execution.events:
                born, _ = lives.get(e.task, (e.date, None))
                death = e.kind in ('Exit', 'TskDth')
                lives[e.task] = (born, e.date if death else None)
                if e.category in ('point', 'global', 'collective'):
                    depth, since = inside.get(e.task, (0, e.date))
                    depth += -1 if e.end else 1
                    spent += e.date - since if e.end and depth == 0 else 0
                    inside[e.task] = (depth, since if depth > 1 or (depth == 1 and e.end) else e.date)
                if death and inside.get(e.task, (0, 0))[0] > 0:
                    spent += e.date - inside.pop(e.task)[1]
            self.assertTrue(any(death is not None for _, death in lives.values()))
            spent += sum(execution.last - since for depth, since in inside.values() if depth > 0)
            life = sum((execution.last if death is None else death) - born for born, death in lives.values())
            with tempfile.TemporaryDirectory(prefix='scope-model-') as folder:
                program = os.path.join(folder, 'overhead.eve')
                with open(program, 'w') as f:
                    f.write(PROGRAM % reader)
                scope('run', path, '--program', program, '--out', folder, '--quiet')
                with open(os.path.join(folder, 'overhead.csv')) as f:
                    told = float(f.read().splitlines()[-1].split(',')[2])
            self.assertAlmostEqual(told, 100 * spent / life, 9, name)

    def test_calls_too_deep(self):
        """Calls deeper than the simulator shows still count, and their ends end none of the calls around them."""
        n = 4200
        lines = ['1 0 262146 0 0 h L 1 -1 p'] + [f'130 {i} 262146 {20000 - 2 * i} 0 0' for i in range(1, n + 1)]
        with tempfile.TemporaryDirectory(prefix='scope-model-') as folder:
            path, program = os.path.join(folder, 'deep.trace'), os.path.join(folder, 'calls.eve')
            os.makedirs(os.path.join(path, 'deep.tapepvm'))
            with open(os.path.join(path, 'deep.tapepvm', 'events'), 'w') as f:
                f.write('\n'.join(lines) + '\n')
            with open(program, 'w') as f:
                f.write(CALLS % 'tapepvm-reader')
            for at in (50, 4150, n, 15850, 15900, 19990, 20000):
                told = json.loads(scope('state', path, '--at', decimal(at, 10**9), '--json', '--program', program))
                begun = min(at, n)
                depth = begun - sum(20000 - i <= at for i in range(1, begun + 1))
                node = told['nodes'][0]
                self.assertEqual((int(node['Depth']), int(node['Calls']), node['State'] == 'Computing'), (depth, begun, depth == 0), at)

    def test_finds_a_difference(self):
        """What is compared is all there is: any other value of any attribute is found."""
        path = os.path.join(SAMPLES, 'groups.trace')
        execution = raw.read(path)
        model = Pvm(execution)
        for event in execution.events:
            model.step(event)
        told = json.loads(scope('state', path, '--at', decimal(execution.last, execution.ticks), '--json'), parse_float=Decimal)
        self.assertEqual(differences(model.state(execution.last), told, execution.ticks), [])
        for part in ('nodes', 'edges'):
            for name in told[part][0]:
                was = told[part][0][name]
                told[part][0][name] = was + '1'
                self.assertEqual(len(differences(model.state(execution.last), told, execution.ticks)), 1, name)
                told[part][0][name] = was


if __name__ == '__main__':
    seeds = [int(word) for word in sys.argv[1:]]
    if seeds:
        for number in seeds:
            Model().odd(number, make.write_pvm)
            Model().odd(number, make.write_tape)
    else:
        unittest.main(verbosity=2)
