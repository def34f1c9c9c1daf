# SPDX-License-Identifier: Apache-2.0
"""What a stranger may put into bundles, programs, films and mark files, and what comes of it (docs/security.md)."""
import csv
import io
import json
import os
import random
import re
import resource
import shutil
import subprocess
import threading
import unittest
from decimal import Decimal
from xml.sax.saxutils import escape

import cli

MEMORY = 400 << 20      # bytes; a file that is read without a bound needs more at once
SECONDS = 20            # of the processor: a loop over what never ends is stopped by the kernel


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def peak_of(*words, **more):
    """The command as cli.scope runs it, with bounds; and the most memory that it held."""
    done = subprocess.run([cli.SCOPE, *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
                          preexec_fn=bounded, env=dict(os.environ, DISPLAY='', WAYLAND_DISPLAY='', **more))
    return cli.Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def endless():
    """Ways to put in the place of a file one that never ends, blocks, or is somebody else's."""
    def giant(path):
        with open(path, 'wb') as f:
            f.truncate(4 << 30)         # sparse: takes no room
    return {
        'device': lambda path: os.symlink('/dev/zero', path),
        'pipe': os.mkfifo,
        'folder': os.mkdir,
        'circle': lambda path: os.symlink(os.path.basename(path), path),
        'stranger': lambda path: os.symlink('/etc/passwd', path),
        'giant': giant,
    }


class EndlessFiles(cli.Case):
    def sample(self, name):
        copy = self.path(name + '.trace')
        shutil.copytree(os.path.join(cli.ROOT, 'traces', name + '.trace'), copy)
        return copy

    def replaced(self, bundle, *file):
        """The bundle with each way in the place of the file, one after the other."""
        for how, put in endless().items():
            path = os.path.join(bundle, *file)
            kept = path + '.kept'
            os.path.lexists(path) and os.rename(path, kept)
            put(path)
            yield how, path
            os.rmdir(path) if how == 'folder' else os.unlink(path)
            os.path.lexists(kept) and os.rename(kept, path)

    def run_all(self, bundle, how, path, commands, statuses=(0, 1), told=None):
        for words in commands:
            with self.subTest(file=os.path.basename(path), how=how, command=words[0]):
                done = peak_of(*words)
                said = done.out + done.err
                self.assertIn(done.status, statuses, said)
                self.assertNotRegex(done.err, r'CRITICAL|WARNING|Sanitizer|\(null\)')
                self.assertNotIn('root:', said)                 # nothing of a file outside
                if told and words[0] in told:
                    self.assertIn(os.path.basename(path), said)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
        if 'Sanitizer' not in os.environ.get('ASAN_OPTIONS', '') and not os.environ.get('ASAN_OPTIONS'):
            self.assertLess(peak, MEMORY, f'{how} {path}')

    def test_events(self):
        """Without events there is no trace: a sentence names the file."""
        for sample, form in (('ring', 'tapepvm'), ('philosophers', 'tape')):
            bundle = self.sample(sample)
            for how, path in self.replaced(bundle, f'{sample}.{form}', 'events'):
                if how != 'giant':                  # that is a very long trace: read piece by piece
                    self.run_all(bundle, how, path, [('info', bundle), ('run', bundle), ('check', bundle)], (1,),
                                 ('info', 'run', 'check'))

    def test_a_line_without_end(self):
        """A line of a terabyte of nothing costs no more than any that is too long."""
        bundle = self.sample('ring')
        path = os.path.join(bundle, 'ring.tapepvm', 'events')
        with open(path, 'rb') as f:
            lines = f.read().count(b'\n')
        with open(path, 'r+b') as f:
            f.truncate(1 << 40)
        done = cli.scope('check', bundle, timeout=60)
        self.assertIn(f'line {lines + 1}, column 1048577: the line is longer than 1 MiB', done.out + done.err)

    def test_axis_of_a_report(self):
        """Whatever dates and spans are: the axis comes to an end, and its marks stand where their dates are, exactly."""
        rng = random.Random(5)
        ranges = [(1795555940000000000, 400), (4611686018427387900, 3), (0, 1), (0, 4611686018427387903), (10 ** 15 + 7, 10 ** 7)]
        ranges += [(rng.randrange(10 ** rng.randrange(1, 19)), rng.randrange(1, 10 ** rng.randrange(1, 17))) for _ in range(12)]
        for i, (first, span) in enumerate(ranges):
            bundle = self.bundle(f'#TAPE/PVM 1\n1 {first} 1 0 0 h A 1000 -1 p\n1 {first + span} 2 0 0 h A 1000 -1 p\n', name=f'made{i}')
            out = self.path(f'out{i}')
            with self.subTest(first=first, span=span):
                done = peak_of('report', bundle, '-o', out, PATH=os.devnull)
                self.assertEqual(done.status, 0, done.err)
                with open(os.path.join(out, 'timeline.svg')) as f:
                    marks = re.findall(r'd="M([\d.]+) \d+v5".*?>([-\d.]+)</text>', f.read())
                self.assertLess(len(marks), 12)
                dates = [Decimal(label) * 10 ** 9 for _, label in marks]
                self.assertEqual(dates, sorted(set(dates)))
                for (x, _), date in zip(marks, dates):
                    self.assertLessEqual(abs(150 + 960 * (date - first) / span - Decimal(x)), Decimal('0.06'))
                if span >= 20:
                    self.assertGreaterEqual(len(marks), 1)

    def test_what_is_needed(self):
        bundle = self.sample('philosophers')
        for how, path in self.replaced(bundle, 'philosophers.tape', 'topology'):
            self.run_all(bundle, how, path, [('info', bundle), ('run', bundle)], (1,), ('info', 'run'))
        bundle = self.sample('ring')
        for how, path in self.replaced(bundle, 'ring.tapepvm', 'kinds'):
            self.run_all(bundle, how, path, [('info', bundle), ('run', bundle)], (1,), ('info', 'run'))

    def test_what_helps(self):
        """What is only a help is told of by `check`, and done without."""
        ring, philosophers = self.sample('ring'), self.sample('philosophers')
        for bundle, *file in ((ring, 'nicknames'), (ring, 'ring.tapepvm', 'sites'), (philosophers, 'nicknames'),
                              (philosophers, 'philosophers.tape', 'index')):
            for how, path in self.replaced(bundle, *file):
                told = ('check',) if file[-1] in ('nicknames', 'index') else ()
                self.run_all(bundle, how, path, [('info', bundle), ('run', bundle, '--stats'), ('check', bundle)],
                             told=told)
        for how, path in self.replaced(ring, 'layout'):
            out = self.path('graph.png')
            self.run_all(ring, how, path, [('draw', ring, '--program', cli.ROOT + '/schemas/tapepvm/views.eve', '--view',
                                            'State graph', '--at', '0.0001', '-o', out)], (0,))

    def test_marks(self):
        bundle = self.sample('ring')
        for how, path in self.replaced(bundle, 'marks.xml'):
            self.run_all(bundle, how, path, [('marks', bundle, 'list'), ('marks', bundle, 'add', 'x', '--at', '0'),
                                             ('state', bundle, '--at', '@x')], (1,), ('marks', 'state'))

    def test_programs(self):
        for how, put in endless().items():
            path = self.path(how + '.eve')
            put(path)
            ring = os.path.join(cli.ROOT, 'traces', 'ring.trace')
            commands = [('run', ring, '--program', path), ('state', ring, '--program', path, '--at', '0'), ('check', path)]
            self.run_all(ring, how, path, commands, (1,), ('run', 'state') if how != 'stranger' else ())

    def test_films(self):
        """A film on a shared disk: nothing is read without end, and no link leads what is written elsewhere."""
        bundle, film = self.sample('ring'), self.path('film')
        program = os.path.join(cli.ROOT, 'schemas', 'tapepvm', 'views.eve')
        shoot = ('film', bundle, '--program', program, '-o', film)
        self.good(*shoot)
        names = sorted(n for n in os.listdir(film) if os.path.isfile(os.path.join(film, n)))
        self.assertGreater(len(names), 5)
        with open(self.path('victim'), 'w') as f:
            f.write('precious')
        kept = self.path('kept')
        os.rename(film, kept)
        for name in names:
            for how, put in dict(endless(), victim=lambda path: os.symlink(self.path('victim'), path)).items():
                if how in ('folder', 'circle', 'stranger'):
                    continue            # as elsewhere; shooting takes time
                shutil.rmtree(film, True)
                shutil.copytree(kept, film)
                path = os.path.join(film, name)
                os.unlink(path)
                put(path)
                if how == 'giant' and not name.endswith('manifest'):
                    continue            # data of any size are read in pieces
                with self.subTest(file=name, how=how):
                    self.run_all(bundle, how, path, [shoot])
                    with open(self.path('victim')) as f:
                        self.assertEqual(f.read(), 'precious')


RING = os.path.join(cli.ROOT, 'traces', 'ring.trace')
READER = ('Reader', 'tapepvm-reader', {})
SESSION = ('Session', 'session', {'at start': 'play'})
# Each component that writes: boxes, wires; FILE is what the program names.
WRITERS = {
    'csv-sink': ([('Sink', 'csv-sink', {'file': 'FILE'})], ['Reader.events -> Sink.in']),
    'text-sink': ([('Sink', 'text-sink', {'file': 'FILE'})], ['Reader.events -> Sink.in']),
    'data-file': ([('N', 'series', {'count': '9'}), ('H', 'histogram', {}), ('Sink', 'data-file', {'file': 'FILE'})],
                  ['N.out -> H.value', 'H.histogram -> Sink.in']),
    'session': ([('C', 'command', {'command': 'front x', 'at most': '9'}), ('Session', 'session', {'list': 'FILE'})],
                ['Reader.events -> C.in', 'C.orders -> Session.orders']),
}


class Programs(cli.Case):
    """Programs of strangers: what they write, read and start."""

    def setUp(self):
        super().setUp()
        self.victim, self.out = self.path('home', 'victim'), self.path('home', 'out')
        os.makedirs(self.out)
        with open(self.victim, 'w') as f:
            f.write('precious')
        self.trace = shutil.copytree(RING, self.path('ring.trace'))

    def eve(self, boxes, wires, file='', name='hostile'):
        text = ['<eve version="1">']
        for box, klass, settings in boxes:
            text.append(f'<component name="{box}" class="scope.{klass}" version="1">')
            text += [f'<setting name="{k}">{escape(v.replace("FILE", file))}</setting>' for k, v in settings.items()]
            text.append('</component>')
        for wire in wires:
            (a, out), (b, into) = (side.split('.') for side in wire.split(' -> '))
            text.append(f'<wire from="{a}" out="{out}" to="{b}" in="{into}"/>')
        return self.program('\n'.join(text + ['</eve>']), name + '.eve')

    def hostile(self, file):
        for writer, (boxes, wires) in WRITERS.items():
            yield writer, self.eve([READER] + boxes, wires, file)

    def files(self):
        return {os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names}

    def untouched(self, what):
        with open(self.victim) as f:
            self.assertEqual(f.read(), 'precious', what)
        self.assertEqual(os.stat(self.victim).st_nlink, 1, what)

    def test_names_that_lead_away(self):
        """`run --out`, for which alone anything is written, writes below that folder."""
        os.symlink(self.victim, os.path.join(self.out, 'link'))
        os.symlink('..', os.path.join(self.out, 'away'))
        os.mkfifo(os.path.join(self.out, 'pipe'))
        os.symlink('/dev/full', os.path.join(self.out, 'device'))
        before = self.files()
        for file, why in ((self.victim, 'begins with /'), ('../victim', 'leads out'), ('away/victim', 'no folder there'),
                          ('link', 'is no plain file but a link'), ('pipe', 'is no plain file but a pipe'),
                          ('device', 'is no plain file but a link'), ('.bashrc', 'begins with a dot'),
                          ('x/../../victim', 'leads out'), ('/proc/self/fd/2', 'begins with /')):
            for writer, program in self.hostile(file):
                with self.subTest(writer=writer, file=file):
                    before.add(program)
                    done = peak_of('run', self.trace, '--program', program, '--out', self.out)
                    self.assertEqual(done.status, 1, done.err)
                    self.assertIn(why, done.err)
                    self.untouched((writer, file))
                    self.assertEqual(self.files(), before)

    def test_folders_of_traces_and_films(self):
        """Files of components may be called as those of a trace or a film are."""
        trace, film = self.path('copy.trace'), self.path('film')
        shutil.copytree(self.trace, trace)
        name = os.path.splitext(os.path.basename(self.trace))[0]
        data = next(n for n in os.listdir(trace) if n.startswith(name + '.'))
        os.rename(os.path.join(trace, data), os.path.join(trace, data.replace(name, 'copy', 1)))
        self.assertEqual(peak_of('film', self.trace, '-o', film).status, 0)
        before = self.files()
        for folder, what in ((trace, 'is a trace'), (os.path.join(trace, data.replace(name, 'copy', 1)), 'is inside a trace'), (film, 'is a film')):
            done = peak_of('run', self.trace, '--program', 'load-balance', '--out', folder)
            self.assertEqual(done.status, 1, done.err)
            self.assertIn(f'this folder {what}', done.err)
            for words in (['report', self.trace, '-o', folder], ['export', self.trace, '-o', os.path.join(folder, 'x.paje')]):
                done = peak_of(*words)
                self.assertEqual(done.status, 1, done.err)
                self.assertIn(f'this folder {what}', done.err)
        self.assertEqual(self.files(), before)

    def test_names_that_lead_into_traces_and_films(self):
        """The folder is a harmless one; a name leads into a trace or a film that lies in it, by whatever name."""
        for folder in ('ring.trace', 'called/ring.tapepvm'):
            source = RING if folder.endswith('.trace') else os.path.join(RING, 'ring.tapepvm')
            shutil.copytree(source, os.path.join(self.out, folder))
        os.rename(os.path.join(self.out, 'called', 'ring.tapepvm'), os.path.join(self.out, 'called', 'called.tapepvm'))
        self.assertEqual(peak_of('film', self.trace, '-o', os.path.join(self.out, 'film')).status, 0)
        self.assertEqual(peak_of('marks', os.path.join(self.out, 'ring.trace'), 'add', 'mine', '--at', '0').status, 0)
        shutil.copy(os.path.join(cli.ROOT, 'tests', 'fuzz', 'corpus', 'paje', 'made0'), os.path.join(self.out, 'foreign.trace'))
        before = {path: os.stat(path).st_mtime_ns for path in self.files()}
        for file in ('foreign.trace', 'ring.trace/ring.tapepvm/events', 'ring.trace/marks.xml', 'ring.trace/fresh.csv', 'film/overview', 'film/fresh.csv',
                     'called/fresh.csv', 'called/called.tapepvm/fresh.csv'):
            for writer, program in self.hostile(file):
                with self.subTest(writer=writer, file=file):
                    before[program] = os.stat(program).st_mtime_ns
                    done = peak_of('run', self.trace, '--program', program, '--out', self.out)
                    self.assertEqual(done.status, 1, done.err)
                    self.assertRegex(done.err, '(this folder|it) is (inside )?a (trace|film)')
                    self.assertEqual({path: os.stat(path).st_mtime_ns for path in self.files()}, before)
        deep = os.path.join(self.out, 'ring.trace', 'ring.tapepvm', 'a', 'b')
        done = peak_of('run', self.trace, '--program', 'load-balance', '--out', deep)
        self.assertEqual((done.status, os.path.exists(deep)), (1, False), done.err)
        far = self.path('called', 'not', 'of', 'it')             # beside data, and no part of them
        shutil.copytree(os.path.join(self.out, 'called'), self.path('called'))
        self.assertEqual(peak_of('run', self.trace, '--program', 'load-balance', '--out', far).status, 0)

    def test_folder_of_mktemp(self):
        """A folder called as the one above it, with an ending, makes that one no trace: /tmp/tmp.1a2b, of mktemp."""
        above = self.path('tmp')
        one = os.path.join(above, 'tmp.1a2b')
        os.makedirs(one)
        for folder in (one, above, os.path.join(above, 'other')):
            done = peak_of('run', self.trace, '--program', 'load-balance', '--out', folder)
            self.assertEqual(done.status, 0, done.err)
            self.assertTrue(os.listdir(folder))

    def test_folder_called_as_its_archive(self):
        """`mine` with what tape-mpi left as mine.otf2 is where somebody works; with files of the archive, or data of a bundle, it is a trace."""
        archive, mine = os.path.join(cli.ROOT, 'traces', 'mpi-waits.otf2'), self.path('mine')
        os.mkdir(mine)
        shutil.copytree(archive, os.path.join(mine, 'mine.otf2'))
        before = self.files()
        for folder, status in (('out', 0), ('mine.otf2', 1), ('mine.otf2/traces', 1)):
            done = peak_of('report', os.path.join(mine, 'mine.otf2'), '-o', os.path.join(mine, folder))
            self.assertEqual(done.status, status, (folder, done.err))
            self.assertEqual('this folder is' in done.err, status == 1, done.err)
        made = self.files() - before
        self.assertTrue(made and all(path.startswith(os.path.join(mine, 'out')) for path in made), made)
        shutil.copytree(archive, os.path.join(mine, 'own'))     # now the files of one are beside the folder of the other
        for name in os.listdir(archive):
            os.rename(os.path.join(mine, 'own', name), os.path.join(mine, name))
        done = peak_of('report', self.trace, '-o', mine)
        self.assertEqual((done.status, 'this folder is a trace' in done.err), (1, True), done.err)

    def test_below_the_folder(self):
        os.mkdir(os.path.join(self.out, 'sub'))
        for file in ('x.csv', 'sub/x.csv', 'a b – ü.csv'):
            for writer, program in self.hostile(file):
                with self.subTest(writer=writer, file=file):
                    made = os.path.join(self.out, file)
                    os.path.exists(made) and os.remove(made)
                    done = peak_of('run', self.trace, '--program', program, '--out', self.out)
                    self.assertEqual(done.status, 0, done.err)
                    self.assertGreater(os.path.getsize(made), 20)

    def test_who_writes_nothing(self):
        """All that only looks, and `run` without a folder: no file anywhere, nothing on standard output."""
        beside = self.path('home')              # where the command is started
        for file in (self.victim, '../victim', 'victim', 'fresh.csv', ''):
            for writer, program in self.hostile(file):
                if writer == 'session' and not file:
                    continue                    # it has no list then
                film = self.path('film')
                for words, prints in ((['run', self.trace, '--program', program], not file),
                                      (['state', self.trace, '--program', program, '--at', '1', '--json'], False),
                                      (['seek', self.trace, '--program', program, '--to', '0.001', '--no-film'], False),
                                      (['film', self.trace, '--program', program, '-o', film], False),
                                      (['check', program], False)):
                    with self.subTest(writer=writer, file=file, command=words[0]):
                        before = self.files()
                        done = subprocess.run([cli.SCOPE, *words], capture_output=True, text=True, timeout=60, cwd=beside,
                                              stdin=subprocess.DEVNULL)
                        self.assertIn(done.returncode, (0, 1) if words[0] == 'state' else (0,), done.stderr)
                        self.untouched((writer, file, words[0]))
                        self.assertEqual({f for f in self.files() - before if not f.startswith(film + '/')}, set())
                        self.assertFalse([f for f in self.files() if f.startswith(film + '/') and 'fresh' in f])
                        self.assertEqual(bool(done.stdout.strip()) and words[0] == 'run', prints, done.stdout)
                        if words[0] in ('state', 'seek'):
                            self.assertNotIn('leaves', done.stdout)     # nothing of a sink
                        if words[0] == 'run' and file:
                            self.assertIn('--out DIR', done.stderr)
                            self.assertIn(file, done.stderr)
                shutil.rmtree(film, True)

    def test_the_same_state_whether_written_or_not(self):
        for writer, program in self.hostile('x.csv'):
            hashes = [self.scoped('run', self.trace, '--program', program, '--stats', *more) for more in ((), ('--out', self.out))]
            self.assertEqual(*hashes, writer)

    def scoped(self, *words):
        done = cli.scope(*words)
        self.assertEqual(done.status, 0, done.err)
        return json.loads(done.out)['result_hash']

    def test_a_race_of_links(self):
        """Somebody who may write into the output folder swaps what is there while the run goes on."""
        os.mkdir(os.path.join(self.out, 'sub'))
        program = self.eve([READER, *WRITERS['csv-sink'][0]], WRITERS['csv-sink'][1], 'sub/x.csv')
        over = threading.Event()

        def swap():
            sub, x = os.path.join(self.out, 'sub'), os.path.join(self.out, 'sub', 'x.csv')
            while not over.is_set():
                for step in (lambda: os.unlink(x), lambda: os.symlink(self.victim, x), lambda: os.unlink(x),
                             lambda: os.rename(sub, sub + '.away'), lambda: os.symlink(self.path('home'), sub),
                             lambda: os.unlink(sub), lambda: os.rename(sub + '.away', sub)):
                    try:
                        step()
                    except OSError:
                        pass
        thread = threading.Thread(target=swap)
        thread.start()
        try:
            for _ in range(20):
                cli.scope('run', self.trace, '--program', program, '--out', self.out)
        finally:
            over.set()
            thread.join()
        self.untouched('race')
        self.assertFalse(os.path.exists(self.path('home', 'x.csv')))

    def test_reading_elsewhere(self):
        """A reader of another format that the program tells to read somewhere else is refused, and named."""
        beside, far = self.path('beside.trace'), self.path('far', 'far.trace')
        os.makedirs(self.path('far'))
        os.makedirs(self.path('programs'))
        for trace in (beside, far):
            shutil.copytree(os.path.join(cli.ROOT, 'traces', 'philosophers.trace'), trace)
            name = os.path.basename(trace)[:-6]
            os.rename(os.path.join(trace, 'philosophers.tape'), os.path.join(trace, name + '.tape'))
        os.symlink(far, self.path('programs', 'link.trace'))
        for where in (far, '../far/far.trace', 'link.trace'):
            program = self.eve([READER, ('Other', 'tape-reader', {'trace': where}), ('Sink', 'text-sink', {})],
                               ['Other.events -> Sink.in'], name='programs/reads')
            done = peak_of('run', self.trace, '--program', program)
            self.assertEqual(done.status, 1, done.err)
            self.assertRegex(done.err, 'Other: .*lies outside the folder of the program.*--allow ' + self.folder)
            self.assertEqual(done.out, '')
            for more in (['--allow', far], ['--allow', self.path('far')], ['--set', 'Other.trace=' + far]):
                done = peak_of('run', self.trace, '--program', program, *more)
                self.assertEqual(done.status, 0, done.err)
                self.assertGreater(len(done.out), 1000)
        program = self.eve([READER, ('Other', 'tape-reader', {'trace': 'beside.trace'}), ('Sink', 'text-sink', {})],
                           ['Other.events -> Sink.in'], name='reads')
        self.assertEqual(peak_of('run', self.trace, '--program', program).status, 0)

    def test_links_out_of_the_bundle(self):
        """A data folder on another disk: refused with the way to allow it, and allowed so."""
        bundle, far = self.path('ring.trace'), self.path('far')
        os.makedirs(far)
        os.rename(os.path.join(bundle, 'ring.tapepvm'), os.path.join(far, 'data'))
        os.symlink(os.path.join(far, 'data'), os.path.join(bundle, 'ring.tapepvm'))
        done = self.bad(1, 'out of .*--allow', 'info', bundle)
        self.assertIn(os.path.join(far, 'data', 'events'), done.err)
        self.good('info', bundle, '--allow', far)
        self.good('run', bundle, '--allow', far, '--stats')

    def test_tools_and_parts(self):
        """On the command line no tool is started, and no part added that lies elsewhere; the sentence names what was asked
        for."""
        made = self.path('made')
        for command in (f'tool touch {made}', 'add /etc/passwd'):
            program = self.eve([READER, ('C', 'command', {'command': command, 'at most': '1'}), ('Session', 'session', {})],
                               ['Reader.events -> C.in', 'C.orders -> Session.orders'])
            for words in (('run', self.trace, '--out', self.out), ('state', self.trace, '--at', '1'),
                          ('film', self.trace, '-o', self.path('film'))):
                done = peak_of(*words, '--program', program)
                self.assertIn(done.status, (0, 1))
                if words[0] == 'run':
                    self.assertIn(command, done.err)
                    self.assertIn('not obeyed: ' + ('there is no such file beside the program' if 'add' in command else
                                                    'a run without a window cannot do that'), done.err)
                self.assertFalse(os.path.exists(made))
            shutil.rmtree(self.path('film'), True)

    def test_classes_are_no_paths(self):
        """What a program names is a class; no shared object is loaded from a path."""
        evil = self.path('evil.so')
        with open(evil, 'wb') as f:
            f.write(b'\x7fELF nothing')
        for name in (evil, '../' * 9 + evil, 'scope.' + evil, 'x.../' + evil[1:]):
            program = self.program(f'<eve version="1"><component name="Reader" class="scope.tapepvm-reader" version="1"/>'
                                   f'<component name="E" class="{name}" version="1"/></eve>')
            done = peak_of('run', self.trace, '--program', program)
            self.assertNotIn('cannot be loaded', done.err)
            self.assertIn(name, done.err)


# Sets the title of a terminal, clears it (in two ways), turns the direction of what is written, goes back in the line.
EVIL = '\x1b]0;evil\x07\x1b[2J\u009b2J\u202eevil\r\x08\x7fend'
OBEYED = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]')


class Names(cli.Case):
    """Names of strangers command no terminal."""

    def setUp(self):
        super().setUp()
        self.trace = shutil.copytree(RING, self.path('ring.trace'))
        tasks = json.loads(cli.scope('info', self.trace, '--json').out)['tasks']
        with open(os.path.join(self.trace, 'nicknames'), 'w') as f:
            f.writelines(f'{task["id"]} {EVIL}\n' for task in tasks)

    def clean(self, text, what, hidden=OBEYED):
        found = hidden.search(text)
        self.assertIsNone(found, f'{what}: {text[max(found.start() - 40, 0):found.end() + 40]!r}' if found else '')

    def test_all_commands(self):
        out = self.path('out')
        program = os.path.join(cli.ROOT, 'schemas', 'tapepvm', 'views.eve')
        self.good('marks', self.trace, 'add', 'evil \u009b2J \u202e', '--at', '0.0001', '--note', 'a\u009b2J\u202e')
        for words, tells in ((['info', self.trace], True), (['info', self.trace, '--json'], False),
                             (['events', self.trace], True), (['events', self.trace, '--json'], False),
                             (['state', self.trace, '--at', '0.0001'], False), (['state', self.trace, '--at', '0.0001', '--json'], False),
                             (['state', self.trace, '--at', '0.0001', '--dot'], False),
                             (['run', self.trace, '--stats'], False), (['report', self.trace, '-o', out], True),
                             (['film', self.trace, '--program', program, '-o', self.path('film'), '--stats'], False),
                             (['seek', self.trace, '--to', '0.0001', '--no-film'], False), (['check', self.trace], False),
                             (['marks', self.trace, 'list'], False), (['marks', self.trace, 'list', '--json'], False),
                             (['marks', self.trace, 'export', self.path('m.html'), '--no-pictures'], False)):
            with self.subTest(words=words):
                done = cli.scope(*words)
                self.assertEqual(done.status, 0, done.err)
                self.clean(done.out, words)
                self.clean(done.err, words)
                if tells:
                    self.assertIn(r'\x9b2J\u202eevil', done.out)       # C0 is a question mark there already
                if words[0] == 'info' and '--json' in words:
                    self.assertIn(EVIL, self.names(done.json()))     # whole, for a program that reads it
        for name in ('report.txt', 'events.txt'):
            with open(os.path.join(out, name), newline='') as f:
                self.clean(f.read(), name)

    def names(self, parsed):
        """All texts of a JSON value, as they are."""
        if isinstance(parsed, dict):
            return ''.join(self.names(v) for v in parsed.values())
        if isinstance(parsed, list):
            return ''.join(self.names(v) for v in parsed)
        return parsed if isinstance(parsed, str) else ''

    def test_sentences(self):
        """What was given wrongly, or is damaged, is named so that it is seen."""
        name = self.path('a\x1b[2J\u202e.trace')
        for words in (('info', name), ('state', self.trace, '--at', '@\x1b[2J'), ('run', self.trace, '--program', name),
                      ('events', self.trace, '--task', EVIL, '--kind', '\x1b[2J'), ('draw', self.trace, '--view', '\x1b[2J', '-o', 'x.png')):
            done = cli.scope(*words)
            self.assertGreater(done.status, 0)
            self.clean(done.err, words)
            self.assertIn(r'\x1b[2J', done.err)
        boxes = self.program('<eve version="1"><component name="R\u009b2J" class="nobody\u202e" version="1"/>'
                             '<component name="Reader" class="scope.tapepvm-reader" version="1"/></eve>')
        done = cli.scope('run', self.trace, '--program', boxes)
        self.clean(done.err, 'a program')
        self.assertIn(r'\u202e', done.err)

    def run_on_a_terminal(self, *words):
        ours, theirs = os.openpty()
        child = subprocess.Popen([cli.SCOPE, *words], stdout=theirs, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.close(theirs)
        text = b''
        try:
            while piece := os.read(ours, 65536):
                text += piece
        except OSError:                 # the other end was closed
            pass
        os.close(ours)
        self.assertEqual(child.wait(60), 0)
        return text.decode().replace('\r\n', '\n')

    def test_sinks(self):
        """On a terminal what it would obey is made visible; through a pipe it comes as it is."""
        for sink in ('text-sink', 'csv-sink'):
            program = self.program(f'<eve version="1"><component name="Reader" class="scope.tapepvm-reader" version="1"/>'
                                   f'<component name="Sink" class="scope.{sink}" version="1"/>'
                                   f'<wire from="Reader" out="events" to="Sink" in="in"/></eve>')
            shown = self.run_on_a_terminal('run', self.trace, '--program', program)
            self.clean(shown, sink)
            self.assertIn(r'\x1b[2J', shown)
            piped = subprocess.run([cli.SCOPE, 'run', self.trace, '--program', program], capture_output=True, check=True).stdout
            self.assertIn(EVIL.encode(), piped)

    def test_formulas(self):
        """A spreadsheet computes what begins so; a number stays one."""
        with open(os.path.join(self.trace, 'nicknames')) as f:
            tasks = [line.split()[0] for line in f]
        for name, want in (('=1+1', "'=1+1"), ('@SUM(A1)', "'@SUM(A1)"), ('+cmd|x!A1', "'+cmd|x!A1"), ('-2+3', "'-2+3"),
                           ('-5', '-5'), ('+1.5 ms', '+1.5 ms'), ('a=1', 'a=1'), ('=HYPERLINK("x","y")', "'=HYPERLINK(\"x\",\"y\")")):
            with open(os.path.join(self.trace, 'nicknames'), 'w') as f:
                f.writelines(f'{task} {name}\n' for task in tasks)
            program = self.program('<eve version="1"><component name="Reader" class="scope.tapepvm-reader" version="1"/>'
                                   '<component name="Sink" class="scope.csv-sink" version="1"/>'
                                   '<wire from="Reader" out="events" to="Sink" in="in"/></eve>')
            done = cli.scope('run', self.trace, '--program', program)
            rows = list(csv.DictReader(io.StringIO(done.out)))
            self.assertEqual({row['task'] for row in rows}, {want})


if __name__ == '__main__':
    unittest.main()
