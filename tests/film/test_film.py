# SPDX-License-Identifier: Apache-2.0
"""Films under bad conditions, through the program `scope`: kills, full disks, damage, edits, two at once."""
import fcntl
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SCOPE = os.environ['SCOPE']
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RING = os.path.join(ROOT, 'traces', 'ring.trace')
PIPELINE = os.path.join(ROOT, 'traces', 'pipeline.trace')
VIEWS = os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve')
CRASHERS = os.environ['CRASHERS']               # folder with components that crash and loop
KILLS = int(os.environ.get('SCOPE_KILLS', '40'))
RECORDS = 120000
random.seed(os.environ.get('SCOPE_SEED', '1'))


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix='scope-film-')
        cls.trace = os.path.join(cls.shared, 'long.trace')
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '16', '--events', str(RECORDS), '-o', cls.trace],
                       check=True, stdout=subprocess.DEVNULL)
        info = json.loads(subprocess.run([SCOPE, 'info', cls.trace, '--json'], check=True, stdout=subprocess.PIPE).stdout)
        cls.events = info['events'] if isinstance(info['events'], int) else None

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, True)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='scope-film-')
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.film = os.path.join(self.folder, 'f.film')
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, 'cache'))

    def scope(self, *words, status=0, env=None, limit=None):
        done = subprocess.run([SCOPE, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              env=dict(self.env, **(env or {})), timeout=300,
                              preexec_fn=limit)
        self.assertNotRegex(done.stderr.decode(), r'\(null\)|CRITICAL|WARNING|Sanitizer')
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr.decode())
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def stats(self, *words, **more):
        return json.loads(self.scope('film', *words, '--stats', **more)[1])

    def manifest(self, film=None):
        with open(os.path.join(film or self.film, 'manifest')) as f:
            return dict(line.strip().split('=', 1) for line in f if '=' in line)

    def hash_at(self, trace, to, *words):
        return json.loads(self.scope('seek', trace, '--to', to, *words)[1])['hash']

    def drawn(self, trace, film):
        """What the views of a film show: tables, a picture, and the files about tasks."""
        table, said = os.path.join(self.folder, 'table.csv'), {}
        for view, words in (('Space-time', ['--from', '1', '--to', '1.5']), ('Trace text', [])):
            self.scope('draw', trace, '--program', VIEWS, '--film', film, '--view', view, *words, '--csv', '-o', table)
            with open(table, 'rb') as f:
                said[view] = f.read()
            self.assertGreater(len(said[view]), 1000)
        self.scope('draw', trace, '--program', VIEWS, '--film', film, '--view', 'Space-time', '--size', '400x300', '-o', table + '.png')
        for name in (os.path.join(film, 'tasks'), os.path.join(film, 'traffic'), table + '.png'):
            with open(name, 'rb') as f:
                said[os.path.basename(name)] = f.read()
        return said

    def right(self, trace=None, film=None):
        """Whatever the film is like, travel gives what playing gives."""
        trace = trace or self.trace
        for _ in range(2):
            event = '#%d' % random.randrange(1, 500 if trace == RING else 200000)
            self.assertEqual(self.hash_at(trace, event, '--film', film or self.film), self.hash_at(trace, event, '--no-film'))


class Kills(Case):
    def test_kill_at_random_moments(self):
        """Every pass is killed; what it leaves is whole, grows from pass to pass, and the last pass completes it."""
        began = time.monotonic()
        self.scope('film', self.trace, '-o', os.path.join(self.folder, 'whole'), '--save', 'replay=2')
        whole = time.monotonic() - began
        last, farther, i = 0, 0, -1
        # until some have gone on from where another was killed; how long a pass takes changes with what the machine has to do
        while (i := i + 1) < KILLS or not farther and i < 5 * KILLS:
            p = subprocess.Popen([SCOPE, 'film', self.trace, '-o', self.film, '--save', 'replay=2'], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=self.env, start_new_session=True)
            time.sleep(random.uniform(0, whole * 1.1))
            os.killpg(p.pid, signal.SIGKILL)
            began = re.search(r'going on from event (\d+)', p.communicate()[1].decode())
            if not os.path.exists(os.path.join(self.film, 'manifest')):
                continue
            m = self.manifest()
            self.assertIn(m['state'], ('shooting', 'complete'))
            if began:
                self.assertGreaterEqual(int(began[1]), last)
                farther += 0 < last < int(began[1])
                last = int(began[1])
            if m['state'] == 'complete':
                whole *= 0.8
                shutil.rmtree(self.film)
                last = 0
                continue
            whole *= 1.05
            if i % 10 == 0:
                damaged = os.path.join(self.folder, 'copy')
                shutil.copytree(self.film, damaged)
                self.right(film=damaged)
                shutil.rmtree(damaged)
        self.assertGreater(farther, 0)
        stats = self.stats(self.trace, '-o', self.film)
        self.assertEqual(self.manifest()['state'], 'complete')
        self.assertEqual(stats['events'], int(self.manifest()['of']))
        self.right()
        for name in ('overview',):              # a film shot in pieces is the film shot at once
            with open(os.path.join(self.film, name), 'rb') as a, open(os.path.join(self.folder, 'whole', name), 'rb') as b:
                self.assertEqual(a.read(), b.read())

    def test_views_of_a_film_that_was_killed(self):
        """What views kept of an execution is the same, in whatever pieces it was shot."""
        views = ['--program', VIEWS, '--save', 'events=10000']
        trace, whole = os.path.join(self.folder, 'x.trace'), os.path.join(self.folder, 'whole')
        self.scope('synth', '--format', 'tapepvm', '--tasks', '16', '--events', '300000', '-o', trace)
        self.scope('info', trace)
        began = time.monotonic()
        self.scope('film', trace, *views, '-o', whole)
        took = time.monotonic() - began

        right, parts, i, times = self.drawn(trace, whole), 0, -1, max(16, KILLS // 5)
        while (i := i + 1) < times or not parts and i < 5 * times:
            p = subprocess.Popen([SCOPE, 'film', trace, *views, '-o', self.film], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env=self.env, start_new_session=True)
            time.sleep(random.uniform(0, took))
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            if not os.path.exists(os.path.join(self.film, 'manifest')):
                continue
            m = self.manifest()
            parts += m['state'] == 'shooting' and int(m['events']) > 0
            if m['state'] == 'complete':
                self.assertEqual(self.drawn(trace, self.film), right)
                shutil.rmtree(self.film)
                took *= 0.8
        self.scope('film', trace, *views, '-o', self.film)
        self.assertEqual(self.drawn(trace, self.film), right)
        self.assertGreater(parts, 0)

    def test_interrupted(self):
        """What was shot stays, all of it: the next pass goes on where the interrupted one ended."""
        words = [self.trace, '--program', VIEWS, '--save', 'events=2000', '-o', self.film]
        p = subprocess.Popen([SCOPE, 'film', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env)
        while p.poll() is None and not os.path.exists(os.path.join(self.film, 'checkpoints')):
            time.sleep(0.001)
        time.sleep(0.01)
        p.send_signal(signal.SIGINT)
        p.communicate()
        self.assertIn(p.returncode, (0, 128 + signal.SIGINT))
        m = self.manifest()
        _, _, said = self.scope('film', *words)
        if m['state'] == 'stopped':
            self.assertRegex(said, 'going on from event ' + m['events'] + r'\b')
        self.assertEqual(self.manifest()['state'], 'complete')
        there = ('#50000', '--program', VIEWS)
        self.assertEqual(self.hash_at(self.trace, *there, '--film', self.film), self.hash_at(self.trace, *there, '--no-film'))


class Killed(Case):
    def children(self, pid):
        with open(f'/proc/{pid}/task/{pid}/children') as f:
            return [int(c) for c in f.read().split()]

    def test_started_again(self):
        """The process that shoots is killed, as where memory is short: it goes on by itself; not for ever."""
        trace = os.path.join(self.folder, 'x.trace')
        self.scope('synth', '--format', 'tapepvm', '--tasks', '16', '--events', '600000', '-o', trace)
        self.scope('info', trace)
        for kills in (1, 9):
            p = subprocess.Popen([SCOPE, 'film', trace, '--program', VIEWS, '-o', self.film, '--save', 'events=5000'], env=self.env,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            killed = set()
            while p.poll() is None and len(killed) < kills:
                time.sleep(0.02)
                for child in self.children(p.pid) if p.poll() is None else []:
                    if child not in killed and os.path.exists(os.path.join(self.film, 'checkpoints')):
                        os.kill(child, signal.SIGKILL)
                        killed.add(child)
            out, err = p.communicate()
            if kills == 1:
                self.assertIn('it is started again', err)
                self.assertEqual(p.returncode, 0, err)
                self.assertEqual(self.manifest()['state'], 'complete')
                self.right(trace)
                shutil.rmtree(self.film)
            else:
                self.assertEqual(p.returncode, 128 + signal.SIGKILL, err)
                self.assertEqual(len(killed), 4)
                self.assertIn('ended by a signal from elsewhere', err)

    def test_left_behind(self):
        """What a killed process left in the temporary place goes with the next start, what is used stays."""
        place = os.path.join(self.folder, 'tmp')
        env = dict(self.env, TMPDIR=place)
        os.mkdir(place)
        old = time.time() - 3600
        for name in ('scope-marks-AAAAAA', 'scope-marks-BBBBBB', 'scope-marks-CCCCCC', 'scope-marks-other', 'mine'):
            os.makedirs(os.path.join(place, name, 'inner'))
            os.utime(os.path.join(place, name), (old, old))
        os.symlink(os.path.join(place, 'mine'), os.path.join(place, 'scope-marks-DDDDDD'))
        os.utime(os.path.join(place, 'scope-marks-BBBBBB'))                   # somebody may be about to lock it
        used = os.open(os.path.join(place, 'scope-marks-CCCCCC'), os.O_RDONLY)
        fcntl.flock(used, fcntl.LOCK_EX)
        self.scope('marks', RING, 'export', os.path.join(self.folder, 'x.html'), env=env)
        os.close(used)
        left = sorted(os.listdir(place))
        self.assertEqual(left, ['mine'] + ['scope-marks-' + n for n in ('BBBBBB', 'CCCCCC', 'DDDDDD', 'other')])
        self.assertTrue(os.path.isdir(os.path.join(place, 'mine', 'inner')))


class Damage(Case):
    def setUp(self):
        super().setUp()
        self.stats(self.trace, '-o', self.film, '--save', 'replay=2')
        self.checkpoints = os.path.join(self.film, 'checkpoints')

    def test_cut_and_flipped(self):
        with open(self.checkpoints, 'rb') as f:
            whole = f.read()
        for i in range(12):
            bad = bytearray(whole)
            at = random.randrange(len(bad))
            if i % 2:
                del bad[at:]
            else:
                bad[at] ^= 1 << random.randrange(8)
            with open(self.checkpoints, 'wb') as f:
                f.write(bad)
            if i % 3 == 0:                      # seek first shoots what is missing
                self.right()
            else:
                stats = self.stats(self.trace, '-o', self.film)
                self.assertEqual(stats['events'], int(self.manifest()['of']))
        for name in ('overview', 'commands', 'manifest', 'checkpoints'):
            with open(os.path.join(self.film, name), 'r+b') as f:
                f.truncate(random.randrange(200))
            self.stats(self.trace, '-o', self.film, '--save', 'replay=2')
            self.right()

    def test_damaged_records_are_counted(self):
        """Those behind the last event too, and those of a trace that has no event at all."""
        for name, body in (('behind', None), ('hopeless', b'# nothing\nhello\n13 x\n')):
            trace = os.path.join(self.folder, name + '.trace')
            shutil.copytree(RING, trace)
            os.rename(os.path.join(trace, 'ring.tapepvm'), os.path.join(trace, name + '.tapepvm'))
            with open(os.path.join(trace, name + '.tapepvm', 'events'), 'ab' if body is None else 'wb') as f:
                f.write(body or b'hello\n13 x\nworld\n')
            damaged = json.loads(self.scope('info', trace, '--json')[1])['damaged']
            self.assertEqual(damaged, 3 if body is None else 2)
            film = os.path.join(self.folder, name + '.film')
            self.stats(trace, '-o', film)
            self.assertEqual(int(self.manifest(film)['damaged']), damaged)

    def test_another_version(self):
        with open(os.path.join(self.film, 'manifest')) as f:
            text = f.read()
        with open(os.path.join(self.film, 'manifest'), 'w') as f:
            f.write(re.sub(r'sum=.*\n', '', re.sub(r'\bversion=\d+', 'version=99', text, count=1)))
        _, _, err = self.scope('film', self.trace, '-o', self.film)
        self.assertRegex(err, 'shot again: it is of another version')
        self.right()

    def test_edited_trace(self):
        trace = os.path.join(self.folder, 'long.trace')
        shutil.copytree(self.trace, trace)
        events = os.path.join(trace, 'long.tapepvm', 'events')
        os.utime(events, ns=(0, os.stat(os.path.join(self.trace, 'long.tapepvm', 'events')).st_mtime_ns))
        self.assertTrue(self.stats(trace, '-o', self.film)['was_complete'])     # moved, but the same
        with open(events, 'r+b') as f:
            lines = f.read().splitlines(True)
            f.seek(0)
            f.truncate()
            f.writelines(lines[:-1000])
        _, _, err = self.scope('film', trace, '-o', self.film)
        self.assertRegex(err, 'shot again: the trace has changed')
        event = '#1000'
        self.assertEqual(self.hash_at(trace, event, '--film', self.film), self.hash_at(trace, event, '--no-film'))

    def test_another_program(self):
        _, _, err = self.scope('film', self.trace, '-o', self.film, '--set', 'Simulator.ignore packing=true')
        self.assertRegex(err, 'shot again: the program has changed')
        self.assertEqual(self.manifest()['state'], 'complete')
        self.right()                            # which shoots it again, for the program of before

    def test_edited_program(self):
        """The program as it is edited lies elsewhere than its file, whose folder names of files are relative to."""
        self.scope('synth', '--format', 'tape', '--tasks', 3, '--events', 300, '-o', os.path.join(self.folder, 'beside.trace'))
        program, edited = os.path.join(self.folder, 'two.eve'), os.path.join(self.folder, 'away', 'edited.eve')
        os.mkdir(os.path.dirname(edited))
        with open(edited, 'w') as f:
            f.write('<eve version="1"><component name="Reader" class="scope.tapepvm-reader" version="1"/>'
                    '<component name="Other" class="scope.tape-reader" version="1">'
                    '<setting name="trace">beside.trace</setting></component></eve>')
        self.assertIn('beside.trace cannot be opened', self.scope('film', RING, '--program', edited, '-o', self.film, status=1)[2])
        self.scope('film', RING, '--program', program, '--edited', edited, '-o', self.film)
        self.assertEqual(self.manifest()['state'], 'complete')
        self.assertEqual(self.manifest()['program'], 'two.eve')
        self.assertIn('--edited: ', self.scope('film', RING, '--program', program, '--edited', edited + '.no', status=1)[2])

    def test_moved_clock(self):
        for name in os.listdir(self.film):
            os.utime(os.path.join(self.film, name), (4e9, 4e9))
        self.assertTrue(self.stats(self.trace, '-o', self.film)['was_complete'])
        self.right()

    def test_foreign_folder(self):
        """Refused, whoever asks for a film there; nothing is left behind, not even a lock."""
        other = os.path.join(self.folder, 'mine')
        os.mkdir(other)
        with open(os.path.join(other, 'thesis.txt'), 'w') as f:
            f.write('precious')
        for words in (['film', self.trace, '-o', other], ['film', self.trace, '--until', '0.1', '-o', other],
                      ['draw', self.trace, '--view', 'Space-time', '--film', other, '-o', os.path.join(self.folder, 'x.png')],
                      ['seek', self.trace, '--to', '0.1', '--film', other]):
            self.assertRegex(self.scope(*words, status=None)[2], 'holds other files and no film')
            self.assertEqual(os.listdir(other), ['thesis.txt'])


class Views(Case):
    """A film with histories of views, taken up where it was cut off, is the film shot at once."""

    def setUp(self):
        super().setUp()
        self.words = [self.trace, '--program', VIEWS, '--save', 'events=20000']
        self.stats(*self.words, '-o', self.film)

    def histories(self, film):
        kept = {}
        for name in os.listdir(film):
            path = os.path.join(film, name)
            if os.path.isfile(path) and name not in ('manifest', 'checkpoints', 'lock', 'program.eve'):
                with open(path, 'rb') as f:
                    kept[name] = f.read()
        return kept

    def test_told_or_taken(self):
        """A view that alone listens to states gets them by a shorter way than one of two: it keeps the same."""
        tape = os.path.join(ROOT, 'schemas', 'tape', 'views.eve')
        for trace, program in ((self.trace, VIEWS), (PIPELINE, tape)):
            second, kept = os.path.join(self.folder, 'second.eve'), []
            with open(program) as f:
                text = f.read()
            with open(second, 'w') as f:
                f.write(text.replace('</eve>', '''  <component name="Durations" class="scope.state-durations" version="1"/>
  <wire from="Simulator" out="states" to="Durations" in="states"/>
</eve>'''))
            for which in (program, second):
                film, table = os.path.join(self.folder, 'which.film'), os.path.join(self.folder, 'which.csv')
                self.stats(trace, '--program', which, '-o', film)
                self.scope('draw', trace, '--program', which, '--film', film, '--view', 'Space-time', '--csv', '-o', table)
                with open(table, 'rb') as f:
                    kept.append(f.read())
                shutil.rmtree(film)
            self.assertGreater(kept[0].count(b'\nstate,'), 20)
            self.assertEqual(kept[0], kept[1])

    def test_taken_up(self):
        whole = self.histories(self.film)
        with open(os.path.join(self.film, 'manifest')) as f:
            manifest = f.read()
        for victim in [None] + sorted(n for n in whole if whole[n]):
            film = os.path.join(self.folder, 'copy')
            shutil.copytree(self.film, film)
            with open(os.path.join(film, 'manifest'), 'w') as f:
                f.write(manifest.replace('state=complete', 'state=shooting'))
            size = os.path.getsize(os.path.join(film, 'checkpoints'))
            with open(os.path.join(film, 'checkpoints'), 'r+b') as f:
                f.truncate(random.randrange(size // 3, size))
            if victim:
                with open(os.path.join(film, victim), 'r+b') as f:
                    f.truncate(random.randrange(len(whole[victim])))
            self.stats(*self.words, '-o', film)
            again = self.histories(film)
            self.assertEqual(sorted(again), sorted(whole))
            # An index counts how often it was opened.  On a busy machine a checkpoint may come at another event, and a
            # change without duration then be kept or not: what is shown is the same.
            if any(len(again[name]) != len(whole[name]) if name.endswith('.index') else again[name] != whole[name] for name in whole):
                self.assertEqual(self.drawn(self.trace, film), self.drawn(self.trace, self.film), f'after damage to {victim}')
            shutil.rmtree(film)


class Disk(Case):
    def test_full(self):
        """A file may not grow beyond a bound: the film stops with a sentence, and goes on when there is room."""
        for most in (1, 300, 5000, 20000, 26000, 60000):
            def limit(n=most):
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
                resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))
            status, out, err = self.scope('film', self.trace, '-o', self.film, '--save', 'replay=2', status=None, limit=limit)
            self.assertIn(status, (0, 1))
            if status:
                self.assertRegex(err, r'\Ascope: (.|\n)*(too large|cannot be|Failed to)')
                self.assertEqual(out, '')
        self.stats(self.trace, '-o', self.film)
        self.right()

    def test_bounded_files(self):
        """Whatever is written, a file that may not grow ends with a sentence, and is not left half written."""
        out = os.path.join(self.folder, 'out')
        self.scope('film', RING, '--program', VIEWS)
        for words, made in ((['run', RING, '--program', os.path.join(os.path.dirname(VIEWS), 'waiting-times.eve'), '--out', out], None),
                            (['draw', RING, '--view', 'Space-time', '-o', out + '.png'], out + '.png'),
                            (['draw', RING, '--view', 'Space-time', '--csv', '-o', out + '.csv'], out + '.csv'),
                            (['report', RING, '-o', out + '-report'], None),
                            (['marks', RING, 'export', out + '.html'], out + '.html'),
                            (['synth', '--format', 'tapepvm', '--tasks', 4, '--events', 20000, '-o', out + '.trace'], out + '.trace'),
                            (['events', RING], None)):
            def limit():
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
                resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
            if words[0] == 'events':
                with open(out + '.txt', 'wb') as f:
                    done = subprocess.run([SCOPE, *words], stdout=f, stderr=subprocess.PIPE, preexec_fn=limit, env=self.env)
                status, err = done.returncode, done.stderr.decode()
            else:
                status, _, err = self.scope(*words, status=None, limit=limit)
            self.assertEqual(status, 1, (words, err))
            self.assertRegex(err, r'\Ascope: (.|\n)*(too large|cannot be|Failed to|while writing)', words)
            if made:
                self.assertFalse(os.path.exists(made), words)

    @unittest.skipIf(os.geteuid() != 0, 'only root mounts')
    def test_small_file_system(self):
        place = os.path.join(self.folder, 'small')
        os.mkdir(place)
        if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', place], stderr=subprocess.DEVNULL).returncode:
            self.skipTest('no mount here')
        try:
            film = os.path.join(place, 'f')
            _, _, err = self.scope('film', self.trace, '-o', film, '--save', 'events=500', status=1)
            self.assertRegex(err, 'No space left')
            self.assertRegex(self.manifest(film)['state'], 'failed|shooting')
            self.right(film=film)               # what is there serves
        finally:
            subprocess.run(['umount', place])

    @unittest.skipIf(os.geteuid() == 0, 'root may write everywhere')
    def test_no_permission(self):
        os.mkdir(self.film, 0o500)
        _, _, err = self.scope('film', self.trace, '-o', self.film, status=1)
        self.assertRegex(err, 'ermission denied')

    def test_no_folder(self):
        with open(self.film, 'w'):
            pass
        _, _, err = self.scope('film', self.trace, '-o', os.path.join(self.film, 'x'), status=1)
        self.assertRegex(err, 'cannot be made')


class Two(Case):
    def test_two_at_once(self):
        words = [SCOPE, 'film', self.trace, '-o', self.film, '--stats']
        both = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env) for _ in range(2)]
        done = [json.loads(p.communicate()[0]) for p in both]
        self.assertEqual([p.returncode for p in both], [0, 0])
        self.assertEqual(sorted(d['was_complete'] for d in done), [False, True])
        self.right()

    def test_read_while_it_grows(self):
        p = subprocess.Popen([SCOPE, 'film', self.trace, '-o', self.film, '--save', 'replay=2'], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env=self.env)
        self.right()
        p.wait()
        self.assertEqual(p.returncode, 0)
        self.right()


class Crashes(Case):
    def program(self, how, at):
        path = os.path.join(self.folder, how + '.eve')
        with open(path, 'w') as f:
            f.write(f'''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1">
  <component name="Reader" class="scope.tapepvm-reader" version="1" x="0" y="0"/>
  <component name="Bad one" class="test.crasher" version="1" x="0" y="0">
    <setting name="how">{how}</setting><setting name="at">{at}</setting>
  </component>
  <wire from="Reader" out="events" to="Bad one" in="in"/>
</eve>''')
        return path

    def test_named(self):
        for how in ('reach', 'divide', 'abort', 'overflow', 'loop'):
            film = os.path.join(self.folder, how + '.film')
            _, out, err = self.scope('film', self.trace, '--program', self.program(how, 60000), '-o', film, '--save', 'events=5000',
                                     status=1, env={'SCOPE_PLUGIN_PATH': CRASHERS, 'SCOPE_PATIENCE': '2'})
            self.assertEqual(out, '')
            self.assertRegex(err, 'the component Bad one ', how)
            m = self.manifest(film)
            self.assertEqual(m['state'], 'failed')
            self.assertRegex(m['said'], 'Bad one')
            self.assertLessEqual(int(m['events']), 60000)


class Cache(Case):
    def test_in_the_cache(self):
        self.assertFalse(self.stats(RING)['was_complete'])
        self.assertTrue(self.stats(RING)['was_complete'])
        self.assertFalse(self.stats(RING, '--set', 'Simulator.ignore packing=true')['was_complete'])
        self.assertTrue(self.stats(RING)['was_complete'])        # each program has its own
        self.assertEqual(len(os.listdir(os.path.join(self.folder, 'cache', 'scope', 'films'))), 2)

    def test_what_views_ask_about_tasks(self):
        """Who they are, and what went between them: as the state at the end says, however the film came about."""
        state = json.loads(self.scope('state', RING, '--at', '1000', '--json')[1])
        links = sorted((e['from'], e['to'], e['TotalTraffic']) for e in state['edges'])
        self.scope('film', RING, '-o', self.film, '--until', '0.03')
        self.scope('film', RING, '-o', self.film)
        lines = {}
        for name in ('tasks', 'traffic'):
            with open(os.path.join(self.film, name)) as f:
                lines[name] = [line.split('\t') for line in f.read().splitlines() if not line.startswith('sum ')]
        self.assertEqual(sorted(map(tuple, lines['traffic'])), links)
        self.assertEqual([line[1] for line in lines['tasks'][1:]], [n['id'] for n in state['nodes']])

    def test_until(self):
        half = self.stats(RING, '-o', self.film, '--until', '0.05')
        self.assertEqual(self.manifest()['state'], 'stopped')
        self.assertTrue(self.stats(RING, '-o', self.film, '--until', '0.04')['was_complete'])
        rest = self.stats(RING, '-o', self.film)
        self.assertEqual(half['events'] + rest['events_shot'], rest['events'])
        self.assertEqual(self.manifest()['state'], 'complete')
        self.right(RING)

    def test_seek(self):
        done = json.loads(self.scope('seek', RING, '--repeat', 40, '--random', 3)[1])
        self.assertEqual(set(done), {'travels', 'p50_s', 'p90_s', 'p99_s', 'max_s', 'disk_bytes', 'hash'})
        self.assertEqual(done['travels'], 40)
        self.assertLessEqual(done['p50_s'], done['p99_s'])
        again = json.loads(self.scope('seek', RING, '--repeat', 40, '--random', 3, '--no-film')[1])
        self.assertEqual(done['hash'], again['hash'])
        for words in (['--to', '#5000'], ['--to', '#x'], ['--to', '@nowhere'], [], ['--to', '1', '--repeat', '3'], ['--repeat', '-1'],
                      ['--to', 'soon']):
            status, out, err = self.scope('seek', RING, *words, status=None)
            self.assertIn(status, (1, 2))
            self.assertEqual(out, '')
            self.assertTrue(re.match(r'scope: [^\n]+: [^\n]+\n', err), err)


class Stamp(unittest.TestCase):
    """The number that says which Scope shoots films, of a small tree of sources."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='scope-stamp-')
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, path, text='1\n'):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as f:
            f.write(text)

    def stamp(self):
        header, depends = os.path.join(self.folder, 'code.h'), os.path.join(self.folder, 'code.d')
        subprocess.run(['sh', os.path.join(ROOT, 'src', 'session', 'code-stamp.sh'), self.folder, header, depends], check=True)
        with open(header) as f, open(depends) as d:
            return f.read(), [os.path.relpath(path, os.path.realpath(self.folder)) for path in d.read().split(':', 1)[1].split()]

    def test_stamp(self):
        writers = ['eve/ring.c', 'readers/paje/paje.c', 'simulators/store.h', 'statistics/stretch.c', 'components/flow/gate.c',
                   'readers/tape/kinds.def', 'src/session/film-overview.c', 'views/history-file.c', 'views/layer.c']
        others = ['views/paint.c', 'src/session/marks.c', 'src/session/travel.c', 'src/window/app.c']
        for path in writers + others:
            self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)
            self.write(path)
        before, depends = self.stamp()
        for path in others:
            self.write(path, '2\n')
            self.assertEqual(self.stamp()[0], before, path)
            self.assertNotIn(path, depends)
        for path in writers + ['views/history-new.c', 'readers/paje/new.c']:
            self.write(path, '2\n')
            after, depends = self.stamp()
            self.assertNotEqual(after, before, path)
            self.assertIn(path, depends)
            self.assertIn(os.path.dirname(path), depends)       # where there may be a new one
            before = after


if __name__ == '__main__':
    unittest.main()
