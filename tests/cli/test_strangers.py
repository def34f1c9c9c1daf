# SPDX-License-Identifier: Apache-2.0
"""What a stranger may put into bundles, programs, films and mark files, and what comes of it (docs/security.md)."""
import os
import resource
import shutil
import subprocess
import unittest

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


if __name__ == '__main__':
    unittest.main()
