#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test-threads.py TAPE-THREADS SCOPE TRICKS LIBRARY STATIC CXX [TESTS] - the tracer of threads: what is hard for it is in the trace
as the program did it, and what cannot be recorded is said."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

TAPE, SCOPE, TRICKS, LIBRARY, STATIC, CXX = map(os.path.abspath, sys.argv[1:7])
CXX = CXX if os.path.isfile(CXX) else None


class Tracer(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder.name, 'cache'))
        self.trace = os.path.join(self.folder.name, 'x.trace')

    def tape(self, *command, status=0, before=()):
        done = subprocess.run([*before, TAPE, '-f', '-t', '60', '-o', self.trace, '--', *command], env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=80)
        self.assertEqual(done.returncode, status, done.stderr)
        self.out = done.stdout
        return done.stderr

    def read(self, lenient=False):
        done = subprocess.run([SCOPE, 'info', '--json', self.trace], env=self.env, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = json.loads(done.stdout)
        self.assertEqual(info['damaged'], 0, info['damage'])
        self.said = ' '.join(d['reason'] for d in info['damage'])
        out = subprocess.run([SCOPE, 'events', '--json', self.trace], env=self.env, capture_output=True, text=True, timeout=60).stdout
        self.events = [json.loads(line) for line in out.splitlines()]
        return info

    def of(self, kind, state=None, task=None, end=False):
        """Begins of actions, and moments."""
        return [e for e in self.events if e['kind'] == kind and bool(e.get('end')) == end and (state is None or e.get('state') == state)
                and (task is None or e['task'] == task)]

    def trick(self, *words, **more):
        said = self.tape(TRICKS, *words, **more)
        self.info = self.read()
        return said

    def holds(self, lock):
        return len(self.of('Hold', f'holds {lock}'))

    def test_fork(self):
        said = self.trick('fork')
        self.assertIn('2 processes', said)
        self.assertEqual(sum('holds first' in e.get('state', '') for e in self.of('Hold')), 2)
        self.assertEqual(sum('holds second' in e.get('state', '') for e in self.of('Hold')), 2)
        processes = [t['id'] for t in self.info['tasks'] if re.fullmatch(r'threads-tricks \d+', t['id'])]
        self.assertEqual(len(processes), 2)
        self.assertNotIn('did not come to an end', said)

    def test_exec(self):
        said = self.trick('exec')
        self.assertIn('2 processes', said)              # one number, two programs
        self.assertEqual(self.holds('second'), 1)
        self.assertEqual([e.get('unfinished') for e in self.of('Hold', 'holds first')], [True])

    def test_cancel(self):
        self.trick('cancel')
        wait, = self.of('Wait', 'waits for condition never')
        self.assertNotIn('unfinished', wait)
        self.assertFalse([e for e in self.of('GoOn') if e.get('of') == 'never'])        # nobody has given a signal
        thread = wait['task']
        self.assertEqual(len(self.of('Hold', 'holds first', thread)), 2)                # before, and in the handler
        self.assertTrue(all('unfinished' not in e for e in self.of('Hold', 'holds first')))
        self.assertEqual(len(self.of('End')), 3)

    def test_ends_without_unlock(self):
        self.trick('keeps')
        self.assertIn('ended, and never let go of first', self.said)

    def test_destructors(self):
        self.trick('destructors')
        holds = self.of('Hold', 'holds second')
        self.assertEqual(len(holds), 2)
        self.assertEqual(len({e['task'] for e in holds}), 2)

    def test_signal_handlers(self):
        said = self.trick('signals')
        missed = re.search(r'(\d+) calls of signal handlers', said)
        values = [e for e in self.events if e['kind'] == 'Is' and e.get('variable') == 'Takes' and e['task'] == 'posted']
        posts = len([e for e in self.of('Post')])
        self.assertEqual(self.holds('first'), int(self.out))
        self.assertEqual(len(values), 100)              # all were taken by main
        self.assertLessEqual(posts, 100)
        self.assertLess(int(missed[1]) if missed else 0, 100)

    def test_c11(self):
        self.trick('c11')
        self.assertGreaterEqual(self.holds('c11_lock'), 3)
        self.assertTrue(self.of('Create'))
        waits = self.of('Wait', 'waits for condition c11_changed')
        for e in self.of('GoOn'):
            if e.get('of') == 'c11_changed':
                self.assertEqual(e['from'], 'c11_thread 1')
        self.assertLessEqual(len(waits), 1)
        self.assertEqual(len(self.of('End')), 2)

    @unittest.skipUnless(CXX, 'needs a compiler of C++')
    def test_classes_of_cxx(self):
        self.tape(CXX)
        self.read()
        self.assertGreaterEqual(self.holds('cxx_lock'), 3)
        self.assertEqual(len(self.of('Create')), 1)

    def test_kinds_of_locks(self):
        self.trick('kinds')
        recursive = [e for e in self.of('Hold') if 'mutex' in e['state']]
        self.assertEqual(len(recursive), 2)             # the one taken twice is held once, and the one that checks
        failed = [e for e in self.of('Wait')]
        self.assertEqual(sorted(re.sub(r' (of .*|\d+)$', '', e['state']) for e in failed),
                         ['waits for condition never', 'waits for mutex', 'waits for read-write lock'])
        self.assertEqual(self.holds('first'), 2)        # the wait for the condition let go of it
        self.assertFalse(self.of('GoOn'))
        self.assertTrue(all('unfinished' not in e for e in self.of('Hold')))

    def test_malloc_that_locks(self):
        self.trick('malloc')
        self.assertEqual(self.holds('first'), 3)
        self.assertGreaterEqual(self.holds('heap_lock'), 1)

    def test_dlopen(self):
        self.trick('dlopen', LIBRARY)
        self.assertEqual(len(self.of('Hold')), 1)

    def test_killed(self):
        """kill -9 of the program, and of tape-threads: all that was recorded is there, and names are found afterwards."""
        for both in (False, True):
            p = subprocess.Popen([TAPE, '-f', '-o', self.trace, '--', TRICKS, 'for-ever'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, env=self.env)
            self.assertEqual(p.stdout.readline(), 'ready\n')
            data = os.path.join(self.trace, 'x.threads')
            lane, = [n for n in os.listdir(data) if n.endswith('.lane')]
            child = int(lane.split('-')[0])
            if both:
                p.kill()
            os.kill(child, signal.SIGKILL)
            said = p.communicate(timeout=60)[1]
            if both:
                self.assertFalse(os.path.exists(os.path.join(data, 'names')))
                subprocess.run([TAPE, '--names', self.trace], check=True, stderr=subprocess.DEVNULL, timeout=60)
            else:
                self.assertEqual(p.returncode, 128 + signal.SIGKILL)
                self.assertIn('did not come to an end', said)
            self.read()
            self.assertEqual([e.get('unfinished') for e in self.of('Hold', 'holds first')], [True])
            self.assertEqual([e.get('unfinished') for e in self.of('Hold', 'holds second')], [None])
            self.assertIn('did not come to an end', self.said)

    def test_full_disk(self):
        """A limit of the size of files stands for it: the program runs to its end."""
        said = self.tape(TRICKS, 'much', before=('sh', '-c', "trap '' XFSZ; ulimit -f 200; exec \"$@\"", 'sh'))
        self.assertIn('recorded in part', said)
        self.read()
        self.assertIn('the disk was full', self.said)
        self.assertGreater(self.holds('first'), 1000)
        self.assertLess(self.holds('first'), 50000)

    def test_static_programs(self):
        if not os.path.isfile(STATIC):
            self.skipTest('no static C library')
        self.assertIn('statically linked', self.tape(STATIC, status=125))
        self.assertFalse(os.path.exists(self.trace))

    def test_asks_before_it_writes_over(self):
        os.makedirs(self.trace)
        done = subprocess.run([TAPE, '-o', self.trace, '--', 'true'], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 125)
        self.assertIn('is there already', done.stderr)
        done = subprocess.run([TAPE, '-f', '-o', self.trace, '--', 'true'], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 125)
        self.assertIn('take it away yourself', done.stderr)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
