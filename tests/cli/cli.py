# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: running `scope`, bundles made on the fly."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCOPE = os.environ['SCOPE']
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, 'tests', 'cli', 'data')
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from few import once        # noqa: E402, F401
COMMANDS = ['info', 'events', 'state', 'run', 'report', 'film', 'seek', 'draw', 'marks', 'components', 'check', 'import', 'synth', 'new-component', 'heap']


class Done:
    """A finished run: status, what was printed, what was complained."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


def scope(*words, env=None, stdin=None, timeout=120, cwd=None):
    done = subprocess.run([SCOPE, *[str(w) for w in words]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL if stdin is None else stdin, timeout=timeout, cwd=cwd,
                          env=dict(os.environ, DISPLAY='', WAYLAND_DISPLAY='', **(env or {})))      # else the window opens
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def pair():
    return os.path.join(DATA, 'pair.trace')


class Case(unittest.TestCase):
    """Each test has a folder of its own, removed afterwards."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='scope-cli-')
        self.addCleanup(shutil.rmtree, self.folder, True)

    def path(self, *words):
        return os.path.join(self.folder, *words)

    def bundle(self, events, name='made', form='tapepvm', **files):
        """Writes a bundle; `events` is text or bytes, None for no file."""
        data = self.path(name + '.trace', f'{name}.{form}')
        os.makedirs(data)
        for file, content in dict(files, events=events).items():
            if content is not None:
                with open(os.path.join(data, file), 'wb') as f:
                    f.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name + '.trace')

    def program(self, text, name='made.eve'):
        with open(self.path(name), 'w') as f:
            f.write(text)
        return self.path(name)

    def good(self, *words, **more):
        done = scope(*words, **more)
        self.assertEqual((done.status, done.err), (0, ''), f'scope {" ".join(map(str, words))}')
        return done

    def bad(self, status, pattern, *words, **more):
        """The command fails with a sentence of the agreed form and prints nothing."""
        done = scope(*words, **more)
        said = f'scope {" ".join(map(str, words))}: {done.status}: {done.err!r}'
        self.assertEqual(done.status, status, said)
        self.assertRegex(done.err, r'\Ascope: [^\n]+: [^\n]+\n', said)
        self.assertRegex(done.err, pattern, said)
        self.assertNotRegex(done.err, r'\(null\)|CRITICAL|WARNING|Sanitizer', said)
        self.assertEqual(done.out, '', said)
        return done


def columns(text):
    """Cells of aligned lines: two blanks or more part them."""
    return [re.split(r' {2,}', line.strip()) for line in text.splitlines()]
