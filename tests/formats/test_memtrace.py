# SPDX-License-Identifier: Apache-2.0
"""Files of memtrace at random instants beside a second computation (memtrace.py), damaged, packed, and opened as they are."""
import json
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main, samples
from memtrace import Model, made, made_with_stacks                                              # noqa: E402

SAMPLES = samples('memtrace')


class Memtrace(Format):
    def compare(self, path, instants, seed):
        with open(path, 'rb') as f:
            model = Model(f.read())
        r, last = random.Random(seed), model.events[-1][0]
        for _ in range(few(instants)):
            at = r.randrange(last + 1)
            (node,) = self.state(path, f'{at / 1e6:.6f}')['nodes'] or ({'live memory': '0'},)
            self.assertAlmostEqual(float(node['live memory'] or 0), model.live(at), delta=1, msg=(path, at))
        return model

    def test_made_files_at_random_instants(self):
        for seed in range(few(6)):
            path = self.path(f'made{seed}', made(seed))
            self.compare(path, 6, seed)
            self.assertEqual(self.info(path)['damaged'], 0)

    def test_stacks_of_all_versions(self):
        """As the library codes them: prefixes, cached codes, runs of predictions, names that move to the front, domains of their own."""
        for seed in range(few(6)):
            version = seed % 3 + 1
            data, expected = made_with_stacks(seed, version=version, domains=1 + seed % 4 if version == 3 else 1)
            path = self.path(f'stacks{seed}', data)
            shown = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
            self.assertEqual([(round(e['t'] * 1e6), e['kind'], e['number'], e['words'], e['samples'], e['heap'], e['stack']) for e in shown], expected)
            self.assertEqual(self.info(path)['damage'], [])

    @unittest.skipUnless(os.path.isdir(SAMPLES), 'the samples are not here')
    def test_samples(self):
        with open(os.path.join(SAMPLES, 'expected.jsonl')) as lines:
            for expected in map(json.loads, lines):
                path = os.path.join(SAMPLES, os.path.basename(expected['path']))
                model = self.compare(path, 12, 1)
                info = self.info(path)
                self.assertEqual(info['damaged'], 0)
                kinds = {k['name']: k['begun'] for k in info['kinds']}
                self.assertEqual(kinds['Alloc'], expected['allocations'])
                self.assertEqual(kinds['Collect'], sum(1 for e in model.events if e[2] < 0))
                self.assertIn('Stdlib__list', self.scope('events', path, '--to', '0.01')[0])

    @unittest.skipUnless(os.path.isdir(SAMPLES), 'the samples are not here')
    def test_report_tells_that_it_is_sampled(self):
        """What was allocated is told as an estimate of so many samples, and amounts of memory with their prefix."""
        path = os.path.join(SAMPLES, 'ocamlopt.ctf')
        said = ' '.join(self.scope('report', path, '-q')[0].replace('\u00a0', ' ').split())
        live, highest, allocated, n = 0, 0, 0, 0
        for e in map(json.loads, self.scope('events', path, '--json')[0].splitlines()):
            if e['kind'] in ('Alloc', 'Collect'):
                live += e['bytes']
                allocated += e['bytes'] * (e['kind'] == 'Alloc')
                n += e['kind'] == 'Alloc'
                highest = max(highest, live)
        self.assertIn(f'In all, {allocated / 1e6:.0f} MB were allocated, as {n} allocations that were sampled tell;', said)
        self.assertIn(f'at most {highest / 1e6:.1f} MB (', said)

    def test_travel_and_packing(self):
        self.check_travel_and_packing('m', made(20), ['0.5', '2'])

    def test_damage(self):
        data = made(30)
        self.check_damage('m', data, cut=499)
        self.assertIn('makes no sense', self.scope('info', self.path('bad', data[:2000] + b'\xff' * 40 + data[2040:]))[0])
        self.assertIn('ends in a packet', self.scope('info', self.path('short', data[:-5]))[0])
        self.assertIn('no packet begins', self.scope('info', self.path('more', data + bytes(100)))[0])


main()
