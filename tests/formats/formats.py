# SPDX-License-Identifier: Apache-2.0
"""What tests of formats of other programs share: a folder, a cache and marks of their own, and `scope` run in them.
Called as `test_FORMAT.py SCOPE ROOT [TESTS]`."""
import gzip
import json
import lzma
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from few import SANITIZED, few, once, part                                                             # noqa: E402

SCOPE, ROOT = sys.argv[1], sys.argv[2]


def samples(name):
    """The folder of real traces of a format; they are not part of the project, and may not be there."""
    return os.path.join(ROOT, '..', 'shared', 'samples', name)


class Format(unittest.TestCase):
    def __init_subclass__(cls):
        part(cls)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder.name, 'cache'),
                        XDG_DATA_HOME=os.path.join(self.folder.name, 'data'))

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, 'w' if isinstance(text, str) else 'wb') as f:
                f.write(text)
        return path

    def scope(self, *arguments, status=0):
        done = subprocess.run([SCOPE, *arguments], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertIn(done.returncode, status if isinstance(status, tuple) else (status,),
                      (arguments, done.stderr.decode(errors='replace')))
        return done.stdout.decode(errors='replace'), done.stderr.decode(errors='replace')

    def info(self, path):
        return json.loads(self.scope('info', path, '--json')[0])

    def state(self, path, at):
        return json.loads(self.scope('state', path, '--at', at, '--json')[0])

    def check_travel_and_packing(self, name, data, instants):
        """The state is one whether it is played to, travelled to, and whatever the file is packed by."""
        plain = self.path(name, data)
        packed = [self.path('packed.gz', gzip.compress(data)), self.path('packed.xz', lzma.compress(data))]
        for at in instants:
            hashes = {self.state(p, at)['hash'] for p in (plain, *packed)}
            hashes.add(json.loads(self.scope('seek', plain, '--to', at)[0])['hash'])
            self.assertEqual(len(hashes), 1, at)

    def check_damage(self, name, data, cut=997, changed=30, seed=5):
        """However a file is cut or changed, it is opened or refused with a sentence; nothing crashes or hangs."""
        for end in range(0, len(data), cut * 30 // few(30)):
            self.scope('info', self.path('cut-' + name, data[:end]), status=(0, 1))
        r = random.Random(seed)
        for _ in range(few(changed)):
            b = bytearray(data)
            for _ in range(8):
                b[r.randrange(len(b))] = r.randrange(256)
            self.scope('info', self.path('changed-' + name, bytes(b)), status=(0, 1))

    def check_written(self, path, ending, twin_of, instants=6, seed=8, dies=True):
        """What is exported and read again is the same execution at any instant; `twin_of(node, nodes)` finds the task there
        that is a node here, or None: nothing has come of it yet.  Not `dies`: the format knows no death."""
        r, same = random.Random(seed), {'Computing': 'No state', 'Unseen': 'No state'}
        same.update({} if dies else {'Dead': 'No state'})
        again = self.path(f'again{seed}{ending}')
        self.scope('export', path, '-o', again)
        self.assertEqual(self.info(again)['damaged'], 0, path)
        info, n = self.info(path), 0
        own = ['--program', 'calls', '--simulator', 'Calls'] if info['format'] in ('tapepvm', 'tape') else []
        for _ in range(few(instants)):
            at = f"{info['first'] + r.random() * (info['last'] - info['first']):.9f}"
            one = json.loads(self.scope('state', path, *own, '--at', at, '--json')[0])
            two = json.loads(self.scope('state', again, '--at', at, '--json')[0])
            for node in one['nodes']:
                twin = twin_of(node, two['nodes'])
                if twin is None:
                    self.assertIn(node['State'], ('Unseen', 'No state', 'Computing'), (path, at, node))
                    continue
                self.assertEqual(same.get(node['State'], node['State']), same.get(twin['State'], twin['State']), (path, at, node, twin))
                for name in ('Sent', 'Received'):
                    self.assertEqual(node[name], twin[name], (path, at, node['Name'], name))
                n += 1
        self.assertGreater(n, few(instants) // 2, path)
        return again


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
