# SPDX-License-Identifier: Apache-2.0
"""The n-th allocation, write, open and read fails: the command says so and leaves nothing bad behind, or its result is right.
SCOPE_FAULTS: how many calls of each kind and command are made to fail; SCOPE_SEED: from which number they are drawn."""
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest

SCOPE = os.environ['SCOPE']
FAULTS = os.environ['FAULTS']                   # the library that is preloaded
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RING = os.path.join(ROOT, 'traces', 'ring.trace')
PROGRAMS = os.path.join(ROOT, 'schemas', 'tapepvm')
TRIES = int(os.environ.get('SCOPE_FAULTS', '2'))
# The same calls each time, so that a check says the same of the same code; 0: others, to look for more.
SEED = int(os.environ.get('SCOPE_SEED', '1'))
KINDS = ('alloc', 'write', 'open', 'read')
COMMANDS = {
    'info': ['info', 'ring.trace', '--json'],
    'run': ['run', 'ring.trace', '--program', 'waiting-times', '--out', 'out'],
    'film': ['film', 'ring.trace', '--program', os.path.join(PROGRAMS, 'views.eve'), '-o', 'film'],
    'seek': ['seek', 'ring.trace', '--program', os.path.join(PROGRAMS, 'views.eve'), '--to', '#200', '--film', 'film'],
    'draw': ['draw', 'ring.trace', '--view', 'Space-time', '--csv', '-o', 'out.csv', '--film', 'film'],
    'marks': ['marks', 'ring.trace', 'add', 'new', '--at', '0.01', '--note', 'a note'],
    'list': ['marks', 'ring.trace', 'list', '--json'],
}


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='scope-faults-')
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.count = os.path.join(self.folder, 'count')
        self.place = os.path.join(self.folder, 'place')

    def fresh(self, name):
        """The place in which a command runs: a bundle with marks, perhaps a film."""
        shutil.rmtree(self.place, True)
        os.makedirs(os.path.join(self.place, 'tmp'))
        shutil.copytree(RING, os.path.join(self.place, 'ring.trace'))
        if name in ('seek', 'draw'):
            shutil.copytree(os.path.join(self.folder, 'film'), os.path.join(self.place, 'film'))

    def run_one(self, name, kind=None, n=0):
        env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.place, 'cache'), XDG_CONFIG_HOME=os.path.join(self.place, 'config'),
                   TMPDIR=os.path.join(self.place, 'tmp'), LC_ALL='C')
        if kind:
            with open(self.count, 'wb') as f:
                f.write(bytes(8))
            env.update(LD_PRELOAD=FAULTS, SCOPE_FAULT=kind, SCOPE_FAULT_N=str(n), SCOPE_FAULT_FILE=self.count)
        return subprocess.run([SCOPE, *COMMANDS[name]], cwd=self.place, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=120, text=True, errors='replace')

    def calls(self):
        with open(self.count, 'rb') as f:
            return struct.unpack('=Q', f.read())[0]

    def answer(self, name, done):
        """What a person has got."""
        if name == 'seek':
            return json.loads(done.stdout)['hash']
        if name in ('info', 'list'):
            return done.stdout
        files = {}
        for path in {'run': ['out'], 'film': [], 'draw': ['out.csv'], 'marks': ['ring.trace/marks.xml']}[name]:
            whole = os.path.join(self.place, path)
            for file in [whole] if not os.path.isdir(whole) else [os.path.join(whole, f) for f in sorted(os.listdir(whole)) if f[0] != '.']:
                # Pictures hang on fonts of the system as well; who was ended in the midst of one leaves it under another name.
                if not os.path.exists(file) or '.making-' in file or file.endswith('.png'):
                    continue
                with open(file, 'rb') as f:
                    files[os.path.relpath(file, self.place)] = f.read()
        return files

    def test_each(self):
        rng = random.Random(SEED)
        for name in COMMANDS:
            self.fresh(name)
            if name == 'film':
                self.assertEqual(self.run_one(name).returncode, 0)
                shutil.copytree(os.path.join(self.place, 'film'), os.path.join(self.folder, 'film'))
                self.fresh(name)
            done = self.run_one(name)
            self.assertEqual(done.returncode, 0, done.stderr)
            right = self.answer(name, done)
            for kind in KINDS:
                self.fresh(name)
                self.assertEqual(self.run_one(name, kind).returncode, 0)
                calls = self.calls()
                self.assertGreater(calls, 0 if kind != 'write' or name in ('run', 'film', 'marks', 'draw') else -1, (name, kind))
                drawn = sorted({rng.randrange(1, calls + 1) for _ in range(TRIES)}) if calls else []
                # Each file of a film by itself: a picture without what is in it must not pass for one of an execution without it.
                for n in range(1, calls + 1) if (name, kind) == ('draw', 'open') else drawn:
                    with self.subTest(f'{name}: {kind} {n} of {calls} fails, seed {SEED}'):
                        self.fresh(name)
                        self.one(name, kind, n, right)

    def test_full_disk(self):
        """A trace of another program, whose events are kept in the cache: it is told what is missing there, and opened later."""
        self.fresh('json')
        with open(os.path.join(self.place, 't.json'), 'w') as f:
            json.dump([{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': i, 'dur': 1, 'name': 'f'} for i in range(100)], f)
        COMMANDS['json'] = ['info', 't.json', '--json']
        self.addCleanup(COMMANDS.pop, 'json')
        self.run_one('json', 'write')
        calls = self.calls()
        self.assertGreater(calls, 0)
        for kind, n in [('room', 1)] + [('write', n + 1) for n in range(calls)]:
            shutil.rmtree(os.path.join(self.place, 'cache'), True)
            done = self.run_one('json', kind, n)
            self.assertNotIn('Success', done.stderr)
            if kind == 'room':
                self.assertEqual(done.returncode, 1)
            if done.returncode:
                self.assertRegex(done.stderr, 'No space left on device|Permission denied')    # which is said of folders
            else:
                self.assertEqual(json.loads(done.stdout)['events'], 200, (kind, n, done.stderr))
        self.assertEqual(json.loads(self.run_one('json').stdout)['events'], 200)

    def one(self, name, kind, n, right):
        done = self.run_one(name, kind, n)
        said = done.stderr
        if kind == 'alloc' and done.returncode in (-signal.SIGTRAP, -signal.SIGABRT, 128 + signal.SIGTRAP):
            # There is no going on without memory: GLib says so and ends the process.
            self.assertRegex(said, 'failed to allocate|annot allocate|emory')
        else:
            self.assertIn(done.returncode, (0, 1), said)
        self.assertNotRegex(said, r'\(null\)|CRITICAL|Sanitizer')
        if done.returncode:
            self.assertRegex(said, r'\S')
        elif name == 'info' and (json.loads(done.stdout)['damaged'] or 'cannot be read' in done.stdout):
            pass                                # a file of the bundle, or a program on offer: it says so
        elif name != 'film':
            self.assertTrue(self.answer(name, done) == right or re.search(r'^scope: ', said, re.M), 'another result, and not a word: ' + said)
        # What is left behind is no hindrance, and nothing half is among it.
        if name == 'marks' and done.returncode == 0:
            return
        again = self.run_one(name)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.answer(name, again), right)
        if kind != 'alloc':                     # else the process was ended; the next start removes what is left
            self.assertEqual(os.listdir(os.path.join(self.place, 'tmp')), [])


if __name__ == '__main__':
    unittest.main()
