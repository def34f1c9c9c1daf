#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ALOG at random instants beside a second computation (mpe.py), damaged, packed, and opened as it is."""
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main, samples
import mpe                                                                                      # noqa: E402

SAMPLES = samples('alog')


def made(seed, n=300):
    """States inside of each other and across each other, ends of nothing, messages, ties, several cycles of the clock."""
    r = random.Random(seed)
    out = ['-1 0 0 0 0 0 Me', f'-2 0 0 {n} 0 0', '-3 0 0 4 0 0', '-11 0 0 0 0 4294967295', '-9 0 0 7 0 5  a mark', '-13 0 1 2 0 0 red:gray Compute',
           '-13 0 3 4 0 0 : MPI_Send', '-13 0 5 6 0 0 blue Dead']
    date, cycle = 4294960000, 0
    for _ in range(n):
        date += r.choice([0, 0, 1, 7, 100])
        if date > 4294967295:
            date, cycle = date - 4294967295, cycle + 1
        kind, proc = r.choice([1, 2, 3, 4, 5, 6, 7, 8, -101, -102]), r.randrange(4)
        if kind < 0:
            out.append(f'{kind} {proc} 0 {r.choice([-1, 0, 1, 2, 3])} {cycle} {date} {r.randrange(3)} {r.randrange(900)}')
        else:
            out.append(f'{kind} {proc} {proc if r.random() < .2 else 0} {r.randrange(9)} {cycle} {date} {r.choice(["", "text of it"])}')
    return '\n'.join(out) + '\n'


class Alog(Format):
    def test_made_logs_at_random_instants(self):
        n = 0
        for seed in range(few(6)):
            path = self.path(f'made{seed}.log', made(seed))
            model, _ = mpe.alog(path)
            mpe.compare_counts(self, path, model)
            r = random.Random(seed)
            n += mpe.compare(self, path, model, [r.randrange(model.first, model.last + 1) for _ in range(few(6))])
        self.assertGreater(n, few(few(500)))

    def test_lines_of_other_systems(self):
        """Two bytes at the end of each line, tabs, a head of two lines."""
        text = made(3)
        plain = self.path('plain.log', text)
        for name, other in (('crlf', text.replace('\n', '\r\n')), ('tabs', '\n'.join('\t'.join(line.split(' ', 6)) for line in text.split('\n')))):
            path = self.path(name + '.log', other)
            self.assertEqual(self.info(path)['damaged'], 0, name)
            self.assertEqual(*(self.state(p, '4294.965')['hash'] for p in (plain, path)), name)
        short = '-1 0 0 0 0 0 \n-13 0 1 2 0 0 red a\n1 0 0 5 0 10\n2 0 0 5 0 20\n'
        self.assertEqual(self.info(self.path('short.log', short))['events'], 2)

    def test_samples(self):
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        for path, expected in mpe.expected_of(SAMPLES):
            model, head = mpe.alog(path)
            info, total = mpe.compare_counts(self, path, model)
            self.assertEqual(info['events'], expected['events'])
            self.assertEqual(head[-2], expected['header']['events'])
            self.assertEqual(len(info['tasks']), expected['processes'])
            if expected['processes'] > 1:
                self.assert_by_number(path)
            self.assertAlmostEqual(info['first'] * 1e6, expected['first_us'], delta=1)
            self.assertAlmostEqual(info['last'] * 1e6, expected['last_us'], delta=1)
            for name, seconds in expected['states_s']:
                self.assertAlmostEqual(total[name], seconds, delta=2e-6, msg=(path, name))
            for name, calls in expected['state_calls']:
                self.assertEqual(model.kinds[name], calls)
            sends = [m for m in model.messages if m[1]]
            self.assertEqual((len(sends), len(model.messages) - len(sends)), (expected['sends'], expected['receives']))
            self.assertEqual(sum(m[4] for m in sends), expected['bytes_sent'])
            r = random.Random(path)
            mpe.compare(self, path, model, [r.randrange(model.first, model.last + 1) for _ in range(few(4))])

    def assert_by_number(self, path):
        """Processes stand by their numbers, whoever is told of first: in `scope info` and in the rows of the report."""
        with open(path, encoding='latin-1') as lines:
            told = [line.split() for line in lines]
        first = list(dict.fromkeys(int(line[1]) for line in told if line and (int(line[0]) >= 0 or line[0] in ('-101', '-102'))))
        tasks = [task['id'] for task in self.info(path)['tasks']]
        self.assertEqual(tasks, [f'process {n}' for n in sorted(first)], path)
        rows = self.scope('report', path, '-q')[0].split('Where the time of each task went')[1].split('\n\n')[0]
        self.assertEqual(re.findall(r'^  (process \d+) ', rows, re.M), tasks, path)
        return first

    def test_by_number(self):
        """So do more than ten, in any order."""
        for seed in range(few(3) + 1):
            r = random.Random(seed)
            processes = r.sample(range(130), r.randint(11, 40))
            lines = ['-1 0 0 0 0 0 Me', f'-2 0 0 {2 * len(processes)} 0 0', '-13 0 1 2 0 0 red f']
            lines += [f'{kind} {who} 0 0 0 {10 * i + 5 * kind}' for i, who in enumerate(processes) for kind in (1, 2)]
            self.assertEqual(self.assert_by_number(self.path(f'order{seed}.log', '\n'.join(lines) + '\n')), processes, seed)

    def test_damage(self):
        text = made(2)
        sound = self.info(self.path('sound.log', text))
        self.assertEqual(sound['damaged'], 0)
        for i, (bad, word) in enumerate([('1 2 3', 'six numbers'), ('1 0 0 0 99999999999999 5', 'no date'), ('-101 0 0 1 0 5 tag', 'a partner'),
                                         ('1 99999999999 0 0 0 5', '32 bits')]):
            path = self.path(f'bad{i}.log', text + bad + '\n')
            self.assertIn(word, self.scope('info', path)[0])
            self.assertIn(f'line {text.count(chr(10)) + 1}', self.scope('info', path)[0])
            self.assertEqual(self.info(path)['events'], sound['events'])
        self.assertIn('says that there are', self.scope('info', self.path('few.log', text[:-200].rsplit('\n', 1)[0] + '\n'))[0])
        self.check_damage('log', text.encode(), changed=10)
        self.check_travel_and_packing('plain.log', text.encode(), ['4294.962', '4294.966'])


main()
