# SPDX-License-Identifier: Apache-2.0
"""Damage at random to every file of a film: what a person receives is right, or says what it lacks; and the film is shot
again by itself.  SCOPE_DAMAGES: how many damages; SCOPE_SEED: from which number they are drawn."""
import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest

SCOPE = os.environ['SCOPE']
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DAMAGES = int(os.environ.get('SCOPE_DAMAGES', '20'))
SEED = int(os.environ.get('SCOPE_SEED', '1'))
PROGRAM = '''<eve version="1">
  <component name="Session" class="scope.session" version="1"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1"/>
  <component name="Simulator" class="scope.pvm-simulator" version="1"/>
  <component name="Space-time" class="scope.space-time" version="1"/>
  <component name="State graph" class="scope.state-graph" version="1"/>
  <component name="Trace text" class="scope.trace-text" version="1"/>
  <component name="Overhead" class="scope.communication-overhead" version="1">
    <setting name="sampling">intervals of time</setting>
    <setting name="interval">0.0005</setting>
  </component>
  <component name="Over time" class="scope.curve" version="1"/>
  <component name="Watch" class="scope.watch" version="1">
    <setting name="max">50</setting>
    <setting name="action">mark</setting>
  </component>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Watch" out="orders" to="Session" in="orders"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/>
  <wire from="Reader" out="events" to="Trace text" in="events"/>
  <wire from="Reader" out="events" to="Overhead" in="events"/>
  <wire from="Overhead" out="dated" to="Over time" in="value"/>
  <wire from="Overhead" out="overhead" to="Watch" in="value"/>
  <wire from="Simulator" out="states" to="Space-time" in="states"/>
  <wire from="Simulator" out="messages" to="Space-time" in="messages"/>
  <wire from="Simulator" out="messages" to="State graph" in="messages"/>
</eve>'''
# What a person asks of a film: words after `draw` or `seek`.
QUESTIONS = [
    ('draw', '--view', 'Space-time', '--csv'),
    ('draw', '--view', 'Space-time', '--csv', '--from', '0.4', '--to', '0.6'),
    ('draw', '--view', 'Space-time', '--size', '300x200'),
    ('draw', '--view', 'Space-time', '--size', '500x200', '--from', '0.4', '--to', '0.41'),
    ('draw', '--view', 'Over time', '--csv'),
    # From afar a curve is drawn from sums, whose spans depend on when a film was written out.
    ('draw', '--view', 'Over time', '--size', '300x200', '--from', '0.4', '--to', '0.42'),
    ('draw', '--view', 'Trace text', '--csv', '--event', '70000'),
    ('draw', '--view', 'State graph', '--size', '300x200', '--at', '0.5'),
    ('seek', '--to', '0.5'),
    ('seek', '--to', '#60000'),
]


def spoil(path, how, rng):
    """Damages a file; says what was done, or None if there is nothing to damage."""
    size = os.path.getsize(path)
    if how == 'delete':
        os.remove(path)
        return 'deleted'
    if size == 0:
        return None
    at = rng.randrange(size)
    with open(path, 'r+b') as f:
        if how == 'cut':
            f.truncate(at)
            return f'cut at {at} of {size}'
        f.seek(at)
        was = f.read(1 if how == 'flip' else 512 if how == 'zero' else 64)
        if how == 'flip':
            now = bytes([was[0] ^ 1 << rng.randrange(8)])
        elif how == 'zero':
            now = bytes(len(was))
        else:
            f.seek(rng.randrange(size))         # another part of the same file
            now = f.read(len(was)).ljust(len(was), b'x')[:len(was)]
        if now == was:
            return None
        f.seek(at)
        f.write(now)
        return f'{how} at {at} of {size}'


class Damage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix='scope-damage-')
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(cls.folder, 'cache'))
        cls.trace, cls.program = os.path.join(cls.folder, 'x.trace'), os.path.join(cls.folder, 'p.eve')
        cls.film, cls.whole = os.path.join(cls.folder, 'f.film'), os.path.join(cls.folder, 'whole.film')
        with open(cls.program, 'w') as f:
            f.write(PROGRAM)
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '8', '--events', '120000', '-o', cls.trace], check=True,
                       stdout=subprocess.DEVNULL)
        done = cls.scope('film', cls.trace, '--program', cls.program, '-o', cls.whole, '--save', 'events=20000')
        assert not done.returncode, done.stderr
        cls.answers = {}
        shutil.copytree(cls.whole, cls.film)
        for q in QUESTIONS:
            status, answer, said = cls.ask(q)
            assert not status and not said and len(answer) > 15, (q, status, said)
            cls.answers[q] = answer

    @classmethod
    def scope(cls, *words):
        return subprocess.run([SCOPE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=cls.env,
                              timeout=120, text=True)

    @classmethod
    def ask(cls, q):
        out = os.path.join(cls.folder, 'out' + ('.csv' if '--csv' in q else '.png'))
        words = list(q[1:]) + ['--program', cls.program, '--film', cls.film] + (['-o', out] if q[0] == 'draw' else [])
        if os.path.exists(out):
            os.remove(out)
        done = cls.scope(q[0], cls.trace, *words)
        answer = b''
        if q[0] == 'seek' and done.stdout:
            answer = json.loads(done.stdout)['hash'].encode()
        elif os.path.exists(out):
            with open(out, 'rb') as f:
                answer = f.read()
        return done.returncode, answer, done.stderr

    def test_every_file(self):
        rng, tried = random.Random(SEED), 0
        files = sorted(f for f in os.listdir(self.whole) if os.path.isfile(os.path.join(self.whole, f)))
        self.assertIn('commands', files)
        while tried < DAMAGES:
            name, how = files[tried % len(files)], rng.choice(['flip', 'flip', 'zero', 'cut', 'copy', 'delete'])
            shutil.rmtree(self.film)
            shutil.copytree(self.whole, self.film)
            done = spoil(os.path.join(self.film, name), how, rng)
            tried += 1
            if not done:
                continue
            what = f'{name} {done}, seed {SEED}'
            q = rng.choice(QUESTIONS)
            with self.subTest(what, question=q):
                status, answer, said = self.ask(q)
                self.assertNotRegex(said, r'\(null\)|CRITICAL|Sanitizer|core dumped')
                self.assertEqual((status, answer == self.answers[q]), (0, True), said)
                # What the question did not touch is found by who shoots.
                film = self.scope('film', self.trace, '--program', self.program, '-o', self.film, '--save', 'events=20000')
                self.assertEqual(film.returncode, 0, film.stderr)
                if 'was there already' in film.stdout:
                    self.assertTrue(said or name in ('lock', 'checkpoints'), 'damage was not noticed')
                else:
                    self.assertRegex(film.stderr, 'damaged|missing|should', film.stderr)
                again = self.scope('film', self.trace, '--program', self.program, '-o', self.film)
                self.assertIn('was there already', again.stdout)
                self.assertEqual(again.stderr, '')
                q = rng.choice(QUESTIONS)
                status, answer, said = self.ask(q)
                self.assertEqual((status, answer == self.answers[q], said), (0, True, ''))

    def test_names_of_series(self):
        """The values are whole, the file that says whose they are is not: both are there again afterwards."""
        series = [f for f in os.listdir(self.whole) if f.endswith('.series')]
        self.assertEqual(len(series), 1)
        path = os.path.join(self.film, series[0])
        for how in ('cut', 'flip', 'zero', 'delete'):
            shutil.rmtree(self.film)
            shutil.copytree(self.whole, self.film)
            spoil(path, how, random.Random(SEED))
            q = ('draw', '--view', 'Over time', '--csv')
            status, answer, said = self.ask(q)
            self.assertEqual((status, answer == self.answers[q]), (0, True), (how, said))
            self.assertIn('shot again', said)
            self.assertEqual(self.ask(q), (0, self.answers[q], ''))

    def test_special_files(self):
        """Something else stands in the place of a history: it goes, what a link leads to stays, and the film is shot again."""
        other = os.path.join(self.folder, 'other')
        ways = {'pipe': os.mkfifo, 'folder': os.mkdir, 'link': lambda path: os.symlink(other, path),
                'device': lambda path: os.symlink('/dev/zero', path)}
        for how, put in ways.items():
            with open(other, 'w') as f:
                f.write('mine')
            shutil.rmtree(self.film)
            shutil.copytree(self.whole, self.film)
            name = random.Random(f'{SEED} {how}').choice([f for f in os.listdir(self.whole) if f.endswith(('.index', '.records', '.sums'))])
            os.remove(os.path.join(self.film, name))
            put(os.path.join(self.film, name))
            with self.subTest(f'{how} {name}, seed {SEED}'):
                for q in (QUESTIONS[0], QUESTIONS[6]):
                    status, answer, said = self.ask(q)
                    self.assertEqual((status, answer == self.answers[q]), (0, True), said)
                with open(other) as f:
                    self.assertEqual(f.read(), 'mine')

    def test_not_mended(self):
        """A film that cannot be shot again: what is shown of it is marked, told, and no success."""
        rng, marked = random.Random(SEED), 0
        files = [f for f in sorted(os.listdir(self.whole)) if f.endswith(('.index', '.records')) and 'places' not in f
                 and os.path.getsize(os.path.join(self.whole, f))]
        self.assertGreater(len(files), 4)
        for i in range(max(DAMAGES // 2, len(files))):
            name = files[i % len(files)]
            shutil.rmtree(self.film)
            shutil.copytree(self.whole, self.film)
            done = spoil(os.path.join(self.film, name), rng.choice(['flip', 'zero', 'cut']), rng)
            os.remove(os.path.join(self.film, 'lock'))
            os.mkdir(os.path.join(self.film, 'lock'))           # nobody can shoot this film
            view = 'Over time' if name.startswith('Over') else 'Space-time'
            q = ('draw', '--view', view, '--csv')
            with self.subTest(f'{name} {done}, seed {SEED}'):
                status, answer, said = self.ask(q)
                self.assertEqual(status, 1, said)
                self.assertRegex(said, name.rsplit('.', 1)[0] + '|missing in the film')
                if answer == self.answers[q]:           # what was damaged said nothing new
                    continue
                right, rows = set(self.answers[q].split(b'\r\n')), answer.split(b'\r\n')
                if not answer:          # nothing at all could be read: the head of the index
                    continue
                lost = [r for r in rows if r.startswith(b'missing,') or b',missing until ' in r]
                self.assertGreater(len(lost), 0, said)
                others = [r for r in rows if r not in right and r not in lost]
                # The last interval before what is lost ends where that begins.
                self.assertLessEqual(len(others), 8)
                marked += 1
                status, picture, said = self.ask(('draw', '--view', view, '--size', '3000x200'))
                if status:
                    self.assertIn(b'PNG', picture[:8])
        self.assertGreater(marked, 0)


if __name__ == '__main__':
    unittest.main(verbosity=2)
