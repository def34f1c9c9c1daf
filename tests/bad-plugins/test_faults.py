# SPDX-License-Identifier: Apache-2.0
"""Components that crash, call exit, close descriptors or never come back, in each of their functions: every command ends
with a status that is not 0 and a sentence that names the box, its class and its shared object; nothing hangs."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SCOPE = os.environ['SCOPE']
PLUGIN = os.environ['FAULT_PLUGIN']
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RING = os.path.join(ROOT, 'traces', 'ring.trace')
PATIENCE = 3

DID = {'exit': r'called exit \(0\)', '_exit': r'ended the process \(status 0\)', 'abort': r'gave up \(abort\)',
       'reach': 'reached for memory that is not its own', 'divide': 'divided by zero', 'loop': 'does not come back',
       'spin': 'does not come back', 'deaf': 'does not come back'}
PROGRAM = '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1">
  <component name="Reader" class="scope.tapepvm-reader" version="1"/>
  <component name="Bad one" class="test.fault" version="1"><setting name="level">2</setting></component>
  <component name="Bad view" class="test.fault-view" version="1"/>
  <wire from="Reader" out="events" to="Bad one" in="in"/>
  <wire from="Reader" out="events" to="Bad view" in="in"/>
</eve>'''


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='scope-faults-')
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.plugins = os.path.join(self.folder, 'plugins')
        os.mkdir(self.plugins)
        self.plugin = os.path.join(self.plugins, 'fault.so')
        shutil.copy(PLUGIN, self.plugin)
        self.program = os.path.join(self.folder, 'bad.eve')
        with open(self.program, 'w') as f:
            f.write(PROGRAM)

    def environment(self, fault, **more):
        return dict(os.environ, DISPLAY='', WAYLAND_DISPLAY='', XDG_CACHE_HOME=os.path.join(self.folder, 'cache'),
                    SCOPE_PLUGIN_PATH=self.plugins, SCOPE_PATIENCE=str(PATIENCE), FAULT=fault, **more)

    def scope(self, fault, *words, **more):
        done = subprocess.run([SCOPE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              env=self.environment(fault, **more), timeout=120)
        self.assertNotRegex(done.stderr.decode(), r'\(null\)|CRITICAL')
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def fails(self, fault, sentence, *words):
        status, _, said = self.scope(fault, *words)
        self.assertEqual(status, 1, f'{fault}: {words}: {said}')
        self.assertRegex(said, r'\Ascope: ', f'{fault}: {words}')
        self.assertRegex(said, sentence, f'{fault}: {words}')

    def commands(self):
        film = os.path.join(self.folder, 'f.film')
        shutil.rmtree(film, True)
        return {'check': ['check', self.plugin], 'run': ['run', RING, '--program', self.program],
                'film': ['film', RING, '--program', self.program, '-o', film],
                'draw': ['draw', RING, '--program', self.program, '--view', 'Bad view', '-o', os.path.join(self.folder, 'x.png')]}


class Faults(Case):
    def blamed(self, function, deed):
        return rf'the component (Bad one|Bad view|tested)( or Bad \w+)? \(test\.fault(-view)? of {re.escape(self.plugin)}\) {DID[deed]}.*{function}'

    def try_out(self, function, deed, commands, n=1):
        for name in commands:
            if name in ('run', 'film', 'draw'):         # what is bad when it is made is not loaded: see Gate
                self.scope('', 'components')            # tried before, when it was good
            self.fails(f'{function}:{deed}:{n}', self.blamed({'draw': ''}.get(function, function), deed), *self.commands()[name])

    def test_every_function(self):
        """By an exit, which is the hardest to see, and a crash."""
        for function in ('init', 'changed', 'refuse', 'query'):
            for deed in ('exit', 'reach'):
                self.try_out(function, deed, ['check', 'run'])
        for function in ('start', 'fire', 'finish'):
            for deed in ('exit', 'abort'):
                self.try_out(function, deed, ['check', 'run', 'film'])
        self.try_out('at_end', 'exit', ['check', 'run'])
        self.try_out('pause', 'exit', ['run'])
        for function in ('save', 'load', 'reset'):
            self.try_out(function, 'exit', ['check'])
        self.try_out('save', 'reach', ['film'])
        self.try_out('draw', 'reach', ['draw'])
        self.try_out('draw', 'exit', ['draw'])

    def test_every_deed(self):
        for deed in ('exit', '_exit', 'abort', 'reach', 'divide'):
            self.try_out('fire', deed, ['check', 'run', 'film'], 300)

    def test_late(self):
        """A check sees the 10,000th firing; a run tells near which event it was."""
        self.try_out('fire', 'exit', ['check'], 10000)
        status, _, said = self.scope('fire:reach:700', 'film', RING, '--program', self.program, '-o', self.folder + '/late.film')
        self.assertEqual(status, 1)
        self.assertRegex(said, r'near event \d+; the film ends')
        with open(self.folder + '/late.film/manifest') as f:
            self.assertRegex(f.read(), r'state=failed\n(.*\n)*said=the component Bad .*\nfault=Bad ')

    def test_loops(self):
        for deed in ('loop', 'deaf'):
            began = time.monotonic()
            self.try_out('fire', deed, ['run', 'film'], 300)
            self.assertLess(time.monotonic() - began, 20 * PATIENCE)
        self.try_out('fire', 'loop', ['check'], 300)
        self.try_out('draw', 'spin', ['draw'])

    def test_busy(self):
        """One that works for longer than the patience, and gives signs of life, is neither told of nor ended; when it is
        asked to end, that it works does not keep it."""
        status, _, said = self.scope('draw:busy:1', *self.commands()['draw'])
        self.assertEqual((status, said), (0, ''))
        p = subprocess.Popen([SCOPE, *self.commands()['draw']], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=self.environment('draw:busier:1'))
        time.sleep(2 * PATIENCE)
        self.assertIsNone(p.poll())
        began = time.monotonic()
        p.send_signal(signal.SIGINT)
        said = p.communicate()[1]
        self.assertEqual(p.returncode, 128 + signal.SIGINT)
        self.assertRegex(said.decode(), r'\Ascope: draw: the component Bad .*view .* has not come back, and is ended: what it was at is not done\n\Z')
        self.assertLess(time.monotonic() - began, 15)

    def test_descriptors(self):
        for name, who in (('check', r'closed (a )?file descriptors? that (is|are) not its own'), ('run', 'Bad one, Bad view'),
                          ('film', 'Bad one, Bad view')):
            self.fails('fire:close:300', who, *self.commands()[name])

    def test_interrupted(self):
        """Ctrl-C ends one that loops, well before the patience is over."""
        p = subprocess.Popen([SCOPE, 'run', RING, '--program', self.program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=dict(self.environment('fire:deaf:300'), SCOPE_PATIENCE='60'))
        while b'has not come back' not in (line := p.stderr.readline()):
            self.assertTrue(line)
        self.assertRegex(line.decode(), r'Bad (one|view) \(test.fault')
        began = time.monotonic()
        p.send_signal(signal.SIGINT)
        p.communicate()
        self.assertEqual(p.returncode, 128 + signal.SIGINT)
        self.assertLess(time.monotonic() - began, 15)

    @unittest.skipUnless(os.path.exists('/proc/self/schedstat'), 'the system does not tell for how long a process waits for a processor')
    def test_others_have_the_processor(self):
        """Who has a quarter of a processor has four times as long."""
        one = {min(os.sched_getaffinity(0))}
        others = [subprocess.Popen(['sh', '-c', 'while :; do :; done'], preexec_fn=lambda: os.sched_setaffinity(0, one)) for _ in range(3)]
        try:
            p = subprocess.Popen([SCOPE, 'run', RING, '--program', self.program], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 env=dict(self.environment('fire:spin:300'), SCOPE_PATIENCE='2'), preexec_fn=lambda: os.sched_setaffinity(0, one))
            first = next(line for line in p.stderr if b'not drawn: ' not in line)      # it is told of after half of its patience
            began = time.monotonic()
            said = p.communicate()[1]
            took = time.monotonic() - began
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.assertRegex(first.decode(), 'has not come back')
        self.assertRegex(said.decode(), 'does not come back')
        self.assertGreater(took, 1.8)           # 1, were it alone

    def test_leaves_a_process_behind(self):
        """What an object starts is ended with the trial of it, and not waited for."""
        answer = os.path.join(self.folder, 'answer')
        with open(answer, 'wb') as to:                      # a pipe would be open as long as what is left has it
            status = subprocess.run([SCOPE, 'components', 'scope.pie'], stdout=to, stderr=to, stdin=subprocess.DEVNULL, timeout=40,
                                    env=self.environment('constructor:fork')).returncode
        left = {True: 0, False: 0}                          # by the trial; by the command, which has loaded it then
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{pid}/environ', 'rb') as f:
                    ours = self.plugins.encode() in f.read() or self.folder.encode() in open(f'/proc/{pid}/cmdline', 'rb').read()
                with open(f'/proc/{pid}/cmdline', 'rb') as f:
                    trial = b'--brief' in f.read()
            except OSError:
                continue
            if ours and int(pid) != os.getpid():
                left[trial] += 1
                os.kill(int(pid), signal.SIGKILL)
        self.assertEqual(status, 0)
        with open(answer) as f:
            self.assertIn('scope.pie', f.read())
        self.assertEqual(left[True], 0)

    def test_harmless(self):
        """The same program without a fault."""
        for name, words in self.commands().items():
            status, _, said = self.scope('', *words)
            self.assertEqual((name, status), (name, 0), said)


class Gate(Case):
    """Objects from elsewhere are tried before they are loaded; what was found is remembered."""

    def test_refused(self):
        for deed in ('exit', 'reach', 'abort', '_exit', 'loop'):
            for function in ('constructor', 'init', 'query', 'changed', 'refuse', 'save', 'finish'):
                if deed in ('_exit', 'loop') and function != 'constructor':
                    continue
                with open(self.plugin, 'ab') as f:          # other bytes: not known yet
                    f.write(b' ')
                status, out, said = self.scope(f'{function}:{deed}', 'components')
                self.assertEqual(status, 0, said)           # all others are there
                self.assertIn('scope.gate', out)
                self.assertNotIn('test.fault', out)
                self.assertRegex(said, rf'{re.escape(self.plugin)} is not loaded: when it was tried, the .*{DID[deed]}')

    def test_remembered(self):
        began = time.monotonic()
        self.scope('constructor:loop', 'components')
        self.assertGreater(time.monotonic() - began, 1)
        kept = os.path.join(self.folder, 'cache', 'scope', 'components')
        self.assertEqual(len(os.listdir(kept)), 1)
        # without the fault it would be good, but its bytes and its date are the same: it is not tried again
        self.assertIn('does not come back', self.scope('', 'components')[2])
        os.utime(self.plugin)
        status, out, said = self.scope('', 'components')
        self.assertEqual((status, said), (0, ''))
        self.assertIn('test.fault', out)
        # and now that it is known as good it is loaded as it is
        self.assertNotEqual(self.scope('constructor:exit', 'components')[0], 0)

    def test_damaged_memory(self):
        """What is kept cannot be read: it is found out again."""
        self.scope('', 'components')
        kept = os.path.join(self.folder, 'cache', 'scope', 'components')
        for name in os.listdir(kept):
            with open(os.path.join(kept, name), 'wb') as f:
                f.write(b'\0\xff nonsense [')
        self.assertIn('test.fault', self.scope('', 'components')[1])
        shutil.rmtree(kept)
        with open(kept, 'w'):
            pass                                            # no folder can be made
        self.assertIn('test.fault', self.scope('', 'components')[1])

    def test_no_object(self):
        """What is no component at all is passed over, or told by the loader, as ever."""
        with open(os.path.join(self.plugins, 'text.so'), 'w') as f:
            f.write('hello')
        status, out, said = self.scope('', 'components')
        self.assertEqual(status, 0)
        self.assertRegex(said, 'text.so cannot be loaded')
        self.assertIn('test.fault', out)


if __name__ == '__main__':
    unittest.main()
