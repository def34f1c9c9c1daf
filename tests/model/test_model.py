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

import make
import raw
from ouf import Ouf
from pvm import Pvm
from state import differences

SCOPE = os.environ['SCOPE']
SAMPLES = os.path.join(raw.ROOT, 'traces')
N_ODD = int(os.environ.get('SCOPE_ODD', '25'))  # of each model


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
        """At some instants, many of them those of events; then the whole."""
        execution = raw.read(path)
        model = (Pvm if execution.model == 'PVM' else Ouf)(execution)
        dates = [rand.choice(execution.events).date + rand.choice([0, 0, 1, -1]) for _ in range(instants - 1)]
        at_event = 0
        for at in sorted(min(max(d, execution.first), execution.last) for d in dates) + [execution.last]:
            while at_event < len(execution.events) and execution.events[at_event].date <= at:
                model.step(execution.events[at_event])
                at_event += 1
            told = json.loads(scope('state', path, '--at', decimal(at, execution.ticks), '--json'))
            found = differences(model.state(at), told, execution.ticks)
            self.assertEqual(found, [], f'{path} at {at}: {found[:3]}')
        stats = json.loads(scope('run', path, '--stats', '--quiet').splitlines()[-1])
        self.assertEqual((stats['events_simulated'], stats['impossible'], stats['damaged']),
                         (len(execution.events), model.impossible, 0), path)

    def test_samples(self):
        names = sorted(n for n in os.listdir(SAMPLES) if n.endswith('.trace'))
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

    def test_finds_a_difference(self):
        """What is compared is all there is: any other value of any attribute is found."""
        path = os.path.join(SAMPLES, 'groups.trace')
        execution = raw.read(path)
        model = Pvm(execution)
        for event in execution.events:
            model.step(event)
        told = json.loads(scope('state', path, '--at', decimal(execution.last, execution.ticks), '--json'))
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
