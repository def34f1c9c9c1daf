#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the first versions of Scope wrote opens as before: bundles, marks and programs of November 2026, kept as they were
(data/old); films of then are shot again, with a word."""
import glob
import os
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree as ET

from cli import DATA, ROOT, Case, scope

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import raw  # noqa: E402

OLD = os.path.join(DATA, 'old')
# As the first version that shot films began its manifest.
MANIFEST = '''[film]
version=1
scope=0.1.0
state=complete
trace=0123456789abcdef
plan=fedcba9876543210
bundle=births
format=tapepvm
program=default.eve
events=12
of=12
date=60000
said=
'''


def fnv(data):
    h = 14695981039346656037
    for byte in data:
        h = (h ^ byte) * 1099511628211 % 2**64
    return h


class Old(Case):
    def setUp(self):
        super().setUp()
        self.trace = self.path('births.trace')
        shutil.copytree(os.path.join(OLD, 'births.trace'), self.trace)
        self.env = {f'XDG_{kind}_HOME': self.path(kind) for kind in ('CACHE', 'DATA', 'CONFIG')}
        self.env['LC_ALL'] = 'C.UTF-8'

    def scope(self, *words):
        done = scope(*words, env=self.env)
        self.assertEqual(done.status, 0, done.err)
        return done

    def test_bundle(self):
        """Its events and tasks are those of a second reading of the file."""
        execution = raw.read(self.trace)
        told = self.scope('info', self.trace, '--json').json()
        self.assertEqual((told['events'], told['damaged']), (len(execution.events), 0))
        events = self.scope('events', self.trace, '--json').lines()
        self.assertEqual(len(events), len(execution.events))
        for mine, its in zip(execution.events, events):
            self.assertAlmostEqual(mine.date / execution.ticks, its['t'], 9)
            self.assertEqual(execution.tasks[mine.task].id, its['task'])

    def test_marks(self):
        marks = self.scope('marks', self.trace, 'list', '--json').json()
        self.assertEqual([(m['name'], m['t']) for m in marks], [('slow start', 0.012), ('half way', 0.06)])
        self.assertIn('Why does *t40003* wait?', marks[0]['notes'])
        by_name = self.scope('state', self.trace, '--at', '@half way', '--json').out
        self.assertEqual(by_name, self.scope('state', self.trace, '--at', '0.06', '--json').out)
        self.scope('marks', self.trace, 'add', 'later', '--at', '0.07')
        with open(os.path.join(self.trace, 'marks.xml')) as f:
            written = ET.parse(f).getroot()
        self.assertEqual([m.get('name') for m in written], ['slow start', 'half way', 'later'])
        self.assertEqual(written[0].findtext('notes'), marks[0]['notes'])
        self.assertEqual(written.get('version'), '1')      # nothing in it that version 1 does not have: it can still be read by it

    def test_programs(self):
        """Each has the boxes and wires that its file says, no complaint, and plays to the end of the trace it is for."""
        traces = {'tape': os.path.join(ROOT, 'traces', 'philosophers.trace'), 'tapepvm': self.trace}
        programs = sorted(glob.glob(os.path.join(OLD, 'programs', '*.eve')))
        self.assertGreater(len(programs), 10)
        for program in programs:
            tree = ET.parse(program).getroot()
            boxes, wires = len(tree.findall('component')), len(tree.findall('wire'))
            said = self.scope('check', program)
            self.assertRegex(said.out, rf'\b{boxes} components?, {wires} wires?, 0 problems')
            classes = ' '.join(c.get('class') for c in tree.findall('component'))
            own = [s for s in tree.iter('setting') if s.get('name') == 'trace']
            if '-reader' not in classes or own:         # examples of a box, which make what they show themselves, or name it
                continue
            trace = traces['tape' if 'tape-reader' in classes else 'tapepvm']
            info = self.scope('info', trace, '--json').json()
            done = self.scope('seek', trace, '--program', program, '--no-film', '--to', '%.9f' % info['last'])
            self.assertRegex(done.json()['hash'], '^[0-9a-f]{16}$', program)
            self.assertNotIn('warning', done.err.lower())

    def test_same_as_now(self):
        """A program that is still on offer gives what today's file gives: the tables of the same views are the same."""
        for name, view in (('tapepvm-views', 'Space-time'), ('tapepvm-views', 'Trace text')):
            shown = []
            for program in (os.path.join(OLD, 'programs', name + '.eve'), os.path.join(ROOT, 'schemas', name.replace('-', '/') + '.eve')):
                out = self.path('shown.csv')
                self.scope('draw', self.trace, '--program', program, '--view', view, '--csv', '-o', out)
                with open(out, 'rb') as f:
                    shown.append(f.read())
            self.assertGreater(len(shown[0].splitlines()), 20)
            self.assertTrue(shown[0] == shown[1], view)

    def test_film(self):
        """Its folder is known as that of a film, is told to be of another version, and is shot again."""
        film = self.path('old.film')
        os.makedirs(film)
        for name, text in (('manifest', MANIFEST), ('overview', 'of then'), ('notes.txt', 'mine')):
            with open(os.path.join(film, name), 'w') as f:
                f.write(text)
        done = self.scope('film', self.trace, '-o', film)
        self.assertRegex(done.err, 'shot again: it is of another version')
        with open(os.path.join(film, 'manifest')) as f:
            self.assertIn('state=complete', f.read())
        with open(os.path.join(film, 'notes.txt')) as f:     # what a person put there stays
            self.assertEqual(f.read(), 'mine')
        self.assertFalse(re.search('shot again', self.scope('film', self.trace, '-o', film).err))

    def test_other_code(self):
        """A film of other readers or simulators is of another version too; what was saved by hand stays."""
        film = self.path('code.film')
        self.scope('film', self.trace, '-o', film)
        self.assertNotIn('shot again', self.scope('film', self.trace, '-o', film).err)
        manifest, by_hand = os.path.join(film, 'manifest'), os.path.join(film, 'by-hand')
        with open(manifest) as f:
            text = f.read()
        code = re.search('^code=([0-9a-f]{16})$', text, re.M)
        self.assertTrue(code)
        text = text[:text.index('sum=')].replace(code[0], 'code=%016x' % (int(code[1], 16) ^ 1))
        with open(manifest, 'w') as f:
            f.write(text + 'sum=%016x\n' % fnv(text.encode()))
        with open(by_hand, 'wb') as f:
            f.write(b'mine')
        self.assertRegex(self.scope('film', self.trace, '-o', film).err, 'shot again: it is of another version')
        with open(manifest) as f:
            self.assertIn(code[0], f.read())
        with open(by_hand, 'rb') as f:
            self.assertEqual(f.read(), b'mine')
        self.assertNotIn('shot again', self.scope('film', self.trace, '-o', film).err)


if __name__ == '__main__':
    unittest.main(verbosity=2)
