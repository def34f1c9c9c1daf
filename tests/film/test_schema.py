# SPDX-License-Identifier: Apache-2.0
"""Names of states that a simulator learns from the trace: a picture drawn by a process that has come to none of them has
all names, and the intervals of the raw events; damage to them is told and mended; they come back with a checkpoint."""
import csv
import glob
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import raw  # noqa: E402
from calls import Calls  # noqa: E402

SCOPE = os.environ['SCOPE']
VIEW = 'Calls and phases'


class Schema(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='scope-schema-')
        self.env = dict(os.environ, XDG_CACHE_HOME=self.folder, DISPLAY='', WAYLAND_DISPLAY='')
        self.addCleanup(subprocess.run, ['rm', '-rf', self.folder])

    def scope(self, *words):
        done = subprocess.run([SCOPE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.env,
                              timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def draw(self, trace, name, *words):
        out = os.path.join(self.folder, name)
        said = self.scope('draw', trace, '--program', 'calls', '--view', VIEW, '-o', out, *words)
        return out, said

    def intervals(self, path):
        """States of tasks; what follows each other with the same name is one."""
        with open(path) as f:
            rows = [r for r in csv.DictReader(f) if r['kind'] == 'state']
        return [(r['task'], r['state'], Decimal(r['from [s]']), Decimal(r['to [s]'])) for r in rows]

    def expected(self, trace):
        """By the second computation of the calls simulator."""
        execution = raw.read(trace)
        model, since, told = Calls(execution), {}, []
        for i, e in enumerate(execution.events):
            model.step(e)
            if i + 1 < len(execution.events) and execution.events[i + 1].date == e.date:
                continue
            for number, node in model.nodes.items():
                was = since.get(number)
                if was is None or was[0] != node.seen.state:
                    if was is not None:
                        told.append((execution.tasks[number].id, was[0], was[1], e.date))
                    since[number] = (node.seen.state, e.date)
        told += [(execution.tasks[n].id, state, date, execution.last) for n, (state, date) in since.items()
                 if date < execution.last]
        per_second = Decimal(execution.ticks)
        return sorted((task, state, Decimal(a) / per_second, Decimal(b) / per_second) for task, state, a, b in told)

    def nested(self, depth, tasks=3):
        """Phases inside phases, each with a name of its own, and now and then one that ends before what is inside of it."""
        path, rand, lines = os.path.join(self.folder, 'nested.trace'), random.Random(7), []
        os.makedirs(os.path.join(path, 'nested.tapepvm'))
        for task in range(262146, 262146 + tasks):
            lines.append((1000, f'1 1000 {task} 0 0 host i386 1000 -1 prog'))
            date, end = 2000, 10**9
            for level in range(depth):
                lines.append((date, f'201 {date} {task} {end - date} 0 region-{level} {level}'))
                date, end = date + rand.randrange(1000, 10**6), end - rand.randrange(1, 10**6)
            lines.append((10**9 + 5, f'2 {10**9 + 5} {task} 0 0 0'))
        with open(os.path.join(path, 'nested.tapepvm', 'events'), 'w') as f:
            f.write('#TAPE/PVM 1\n' + ''.join(text + '\n' for _, text in sorted(lines, key=lambda line: line[0])))
        return path

    def own_names(self):
        """Phases that are called as the simulator calls its own states."""
        path = os.path.join(self.folder, 'own.trace')
        os.makedirs(os.path.join(path, 'own.tapepvm'))
        with open(os.path.join(path, 'own.tapepvm', 'events'), 'w') as f:
            f.write('#TAPE/PVM 1\n1 1000 262146 0 0 host i386 1000 -1 prog\n')
            for i, name in enumerate(('Dead', 'Unseen', 'Computing', 'Dead', 'others', 'Dead')):
                f.write(f'201 {2000 + i * 10**6} 262146 {3 * 10**6 if i == 1 else 5 * 10**5} 0 {name} 1\n')
            f.write('2 100000000 262146 0 0 0\n')
        return path

    def check(self, trace):
        self.scope('film', trace, '--program', 'calls', '--quiet')
        for at in ('0', '0.01', None):
            out, said = self.draw(trace, 'picture.csv', *(['--at', at] if at else []))
            self.assertEqual(sorted(self.intervals(out)), self.expected(trace), trace)
            self.assertEqual(said, '')

    def test_samples(self):
        for name in ('ring', 'fft2d-s16', 'groups', 'pipeline', 'philosophers', 'deaths'):
            with self.subTest(name):
                self.check(os.path.join(ROOT, 'traces', name + '.trace'))

    def test_twenty_regions(self):
        """Twenty names, twenty colours."""
        trace = self.nested(20)
        self.check(trace)
        names = {state for _, state, _, _ in self.expected(trace)}
        self.assertEqual({n for n in names if n.startswith('region')}, {f'region-{i}' for i in range(20)})
        out, _ = self.draw(trace, 'picture.svg', '--size', '4000x800')
        with open(out) as f:
            svg = f.read()
            colours = set(re.findall(r'fill="?:?(rgb\([^)]*\))', svg.replace('style="', 'fill="').replace('fill:', 'fill="')))
        self.assertGreaterEqual(len(colours), 20)
        self.assertRegex(svg, r'<svg [^>]*width="4000(px)?" height="800(px)?"')        # what was asked for

    def test_own_names(self):
        trace = self.own_names()
        self.check(trace)
        self.assertLessEqual({'Dead (call)', 'Unseen (call)', 'Computing (call)'}, {s for _, s, _, _ in self.expected(trace)})

    def test_damaged(self):
        trace = self.nested(20)
        self.scope('film', trace, '--program', 'calls', '--quiet')
        schema, = glob.glob(os.path.join(self.folder, 'scope', 'films', '*', 'schema'))
        with open(schema) as f:
            whole = f.read()
        with open(schema, 'w') as f:
            f.write(whole.replace('region-7', 'region-8'))
        out, said = self.draw(trace, 'picture.csv')
        self.assertIn('schema', said)
        self.assertEqual(sorted(self.intervals(out)), self.expected(trace))
        with open(schema) as f:
            self.assertEqual(f.read(), whole)

    def test_hostile(self):
        """Names in another order than the trace has, with a right checksum, change nothing that the trace shows later."""
        trace = self.nested(5)
        self.scope('film', trace, '--program', 'calls', '--quiet')
        schema, = glob.glob(os.path.join(self.folder, 'scope', 'films', '*', 'schema'))
        with open(schema) as f:
            lines = f.read().splitlines()[:-1]
        lines[5], lines[6] = (re.sub('region-[0-9]', name, line) for line, name in zip(lines[5:7], ('region-9', 'x\\n\\001')))
        lines += ['4294967295\t0\tCalls\tState\tfar', '-1\t99\tCalls\tState\tbad', 'nonsense', '\t\t\t\t']
        text = ''.join(line + '\n' for line in lines)
        total = 0xcbf29ce484222325
        for byte in text.encode():
            total = (total ^ byte) * 0x100000001b3 & (1 << 64) - 1
        with open(schema, 'w') as f:
            f.write(text + f'sum {total:016x}\n')
        for at in ('0', '0.9', '1'):
            told = [subprocess.run([SCOPE, 'seek', trace, '--program', 'calls', '--to', at, *more], env=self.env,
                                   stdout=subprocess.PIPE, text=True, check=True).stdout for more in ([], ['--no-film'])]
            hashes = [re.search('"hash": "([^"]*)"', text).group(1) for text in told]
            self.assertEqual(hashes[0], hashes[1])
        state = subprocess.run([SCOPE, 'state', trace, '--program', 'calls', '--simulator', 'Calls', '--at', '0.9'],
                               stdout=subprocess.PIPE, text=True, env=self.env, check=True).stdout
        self.assertIn('region-4', state)


if __name__ == '__main__':
    unittest.main(verbosity=2)
