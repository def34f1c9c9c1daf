# SPDX-License-Identifier: Apache-2.0
"""What others put into the folder of a film, or what looks like one: nothing of theirs is removed, and nothing that is of
another film is believed."""
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

SCOPE = os.environ['SCOPE']
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RING = os.path.join(ROOT, 'traces', 'ring.trace')
VIEWS = os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve')
SAVES = '''<eve version="1">
  <component name="Session" class="scope.session" version="1"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1"/>
  <component name="Waiting" class="scope.waiting-times" version="1"/>
  <component name="Watch" class="scope.watch" version="1">
    <setting name="max">0.001</setting><setting name="action">command</setting><setting name="command">save here</setting>
  </component>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Reader" out="events" to="Waiting" in="events"/>
  <wire from="Waiting" out="dated" to="Watch" in="value"/>
  <wire from="Watch" out="orders" to="Session" in="orders"/>
</eve>'''


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='scope-foreign-')
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.film = self.path('film')

    def path(self, *words):
        return os.path.join(self.folder, *words)

    def scope(self, *words, status=0):
        done = subprocess.run([SCOPE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120,
                              env=dict(os.environ, XDG_CACHE_HOME=self.path('cache')), text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertNotRegex(done.stderr, r'\(null\)|CRITICAL|WARNING|Sanitizer')
        return done

    def put(self, text, *words):
        os.makedirs(os.path.dirname(self.path(*words)), exist_ok=True)
        with open(self.path(*words), 'w') as f:
            f.write(text)

    def tree(self, folder):
        found = {}
        for at, _, names in os.walk(folder):
            for name in names:
                with open(os.path.join(at, name), 'rb') as f:
                    found[os.path.relpath(os.path.join(at, name), folder)] = f.read()
        found.pop('lock', None)
        return found


class Folders(Case):
    def test_what_is_no_manifest(self):
        """A file of that name makes no film, whatever it begins with."""
        for begin in ('', '[fi', '[film]', '[film]\n', '[film]\nofficial=yes\n', '{"manifest": 1}'):
            shutil.rmtree(self.film, True)
            self.put(begin, 'film', 'manifest')
            self.put('precious', 'film', 'thesis.tex')
            self.put('precious', 'film', '.ssh', 'key')
            before = self.tree(self.film)
            with self.subTest(begin=begin):
                done = self.scope('film', RING, '-o', self.film, status=1)
                self.assertIn('holds other files and no film', done.stderr)
                self.assertEqual(self.tree(self.film), before)

    def test_what_a_run_has_saved(self):
        """States that a program saved into the folder of a run are checkpoints too, and no film."""
        self.put(SAVES, 'save.eve')
        self.scope('run', RING, '--program', self.path('save.eve'), '--out', self.film)
        self.put('precious', 'film', 'mine.txt')
        self.put('precious', 'film', 'd', 'q')
        before = self.tree(self.film)
        self.assertIn('checkpoints', before)
        done = self.scope('film', RING, '-o', self.film, status=1)
        self.assertIn('holds other files and no film', done.stderr)
        self.assertEqual(self.tree(self.film), before)

    def test_beside_a_film(self):
        """What a person keeps in the folder of a film stays when that is shot anew, of another trace."""
        self.scope('film', RING, '-o', self.film, '--program', VIEWS)
        old = set(self.tree(self.film))
        mine = [('notes.txt',), ('checkpoints.old',), ('tasks.backup',), ('more', 'overview'), ('more.tasks', 'notes')]
        for words in mine:
            self.put('precious', 'film', *words)
        self.put('tasks 1\n', 'film', 'Old_reader.tasks', 'tasks')
        self.scope('film', os.path.join(ROOT, 'traces', 'heat2d.trace'), '-o', self.film)
        after = self.tree(self.film)
        for words in mine:
            self.assertEqual(after.get(os.path.join(*words)), b'precious', words)
        self.assertFalse(os.path.exists(self.path('film', 'Old_reader.tasks')))
        with open(self.path('film', 'manifest')) as f:
            files = next(line for line in f if line.startswith('files='))
        self.assertNotRegex(files, 'notes|old|backup|more')
        self.assertIn('was there already', self.scope('film', os.path.join(ROOT, 'traces', 'heat2d.trace'), '-o', self.film).stdout)
        self.assertIn('overview', old)

    def test_at_home(self):
        """A folder that Scope itself has named is its own, whatever a full disk or a crash has left of it."""
        self.scope('film', RING)
        home = self.path('cache', 'scope', 'films')
        film, = os.listdir(home)
        for name in ('manifest', 'checkpoints'):
            self.put('', home, film, name)
        self.put('', home, film, 'groups.AB12CD')
        self.scope('film', RING)
        self.assertIn('was there already', self.scope('film', RING).stdout)
        self.assertNotIn('groups.AB12CD', os.listdir(os.path.join(home, film)))


class Swapped(Case):
    """Two traces of one name and one length: every file of one film in the place of that of the other."""

    def setUp(self):
        super().setUp()
        for letter, seed in (('A', '1'), ('B', '2')):
            os.mkdir(self.path(letter))
            self.scope('synth', '--format', 'tapepvm', '--tasks', '6', '--events', '4000', '--seed', seed, '-o',
                       self.path(letter, 'x.trace'))
            self.scope('film', self.path(letter, 'x.trace'), '--program', VIEWS, '-o', self.path('film-' + letter))
        self.trace, self.film = self.path('A', 'x.trace'), self.path('film-A')

    def drawn(self, film):
        said = {}
        for view in ('Space-time', 'Trace text'):
            self.scope('draw', self.trace, '--program', VIEWS, '--film', film, '--view', view, '-o', self.path('t.csv'))
            with open(self.path('t.csv'), 'rb') as f:
                said[view] = f.read()
        return said

    def test_each_file(self):
        right, kept = self.drawn(self.film), self.path('kept')
        os.rename(self.film, kept)
        names = sorted(n for n in os.listdir(kept) if n in os.listdir(self.path('film-B')) and n not in ('lock', 'manifest'))
        self.assertGreater(len(names), 8)
        groups = [[n] for n in names if not n.endswith(('.records', '.sums'))]
        groups += [[n[:-6] + e for e in ('.index', '.records', '.sums')] for n in names if n.endswith('.index')]
        for group in groups:
            shutil.rmtree(self.film, True)
            shutil.copytree(kept, self.film)
            differ = False
            for name in group:
                with open(self.path('film-B', name), 'rb') as f, open(os.path.join(kept, name), 'rb') as g:
                    differ |= f.read() != g.read()
                shutil.copy(self.path('film-B', name), os.path.join(self.film, name))
            if not differ:
                continue
            with self.subTest(files=group):
                done = self.scope('film', self.trace, '--program', VIEWS, '-o', self.film, '--stats')
                self.assertFalse(json.loads(done.stdout)['was_complete'])
                self.assertRegex(done.stderr, '|'.join(group))
                self.assertEqual(self.drawn(self.film), right)

    def test_drawn_at_once(self):
        right = self.drawn(self.film)
        for name in os.listdir(self.path('film-B')):
            if '.messages.' in name or '.states.' in name:
                shutil.copy(self.path('film-B', name), os.path.join(self.film, name))
        self.assertEqual(self.drawn(self.film), right)


class Waiting(Case):
    def test_another_shoots_it(self):
        """Who draws waits for who shoots, and says so when that takes long."""
        words = ('draw', RING, '--program', VIEWS, '--film', self.film, '--view', 'Space-time', '-o', self.path('t.csv'))
        self.scope('film', RING, '--program', VIEWS, '-o', self.film)
        for seconds, told in ((0.2, False), (2.5, True)):
            held = os.open(os.path.join(self.film, 'lock'), os.O_RDWR)
            fcntl.flock(held, fcntl.LOCK_EX)
            threading.Timer(seconds, os.close, [held]).start()
            done = self.scope(*words)
            self.assertEqual(done.stderr, 'scope: film: another Scope is shooting this film; waiting for it\n' if told else '')


class Stale(Case):
    def test_edited_in_secret(self):
        """Bytes in the midst of a trace, as many as before, under the date of before."""
        trace = self.path('x.trace')
        self.scope('synth', '--format', 'tapepvm', '--tasks', '8', '--events', '60000', '-o', trace)
        events = os.path.join(trace, 'x.tapepvm', 'events')
        self.assertGreater(os.path.getsize(events), 1 << 20)        # the check of such a one is remembered

        def settle():
            time.sleep(max(0, os.stat(events).st_ctime + 3 - time.time()))

        def table():
            self.scope('draw', trace, '--program', VIEWS, '--view', 'Space-time', '-o', self.path('t.csv'))
            with open(self.path('t.csv')) as f:
                return hash(f.read())

        settle()
        first, second = table(), table()
        self.assertEqual(first, second)
        with open(self.path('cache', 'scope', 'contents-of-pieces')) as f:
            self.assertEqual(f.read().count('\n'), 1)
        self.assertEqual(len(os.listdir(self.path('cache', 'scope', 'films'))), 1)
        with open(events, 'rb') as f:
            lines, at = f.read().split(b'\n'), 0
        before = os.stat(events)
        for i, line in enumerate(lines):            # somewhere between the blocks that a look here and there would see
            words = line.split(b' ')
            if i > len(lines) // 2 and i % 7 == 0 and len(words) > 6 and words[1].endswith(b'1'):
                words[1] = words[1][:-1] + b'2'
                lines[i] = b' '.join(words)
                break
        with open(events, 'wb') as f:
            f.write(b'\n'.join(lines))
        os.utime(events, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual((os.stat(events).st_size, os.stat(events).st_mtime_ns), (before.st_size, before.st_mtime_ns))
        self.assertNotEqual(table(), first)
        settle()
        copy = shutil.copytree(trace, self.path('copy', 'x.trace'))     # the same bytes elsewhere, at another date
        self.assertIn('was there already', self.scope('film', copy, '--program', VIEWS).stdout)


if __name__ == '__main__':
    unittest.main()
