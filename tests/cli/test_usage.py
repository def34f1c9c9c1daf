# SPDX-License-Identifier: Apache-2.0
"""Help, versions, wrong usage, output that nobody takes, interruption."""
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from cli import COMMANDS, ROOT, SCOPE, Case, pair, scope


class Usage(Case):
    def test_version_loads_nothing(self):
        done = self.good('--version', env={'SCOPE_PLUGIN_PATH': '/nonexistent'})
        self.assertRegex(done.out, r'\Ascope \d+\.\d+\.\d+\n\Z')

    def test_help_names_every_command(self):
        out = self.good('--help').out
        for command in COMMANDS:
            self.assertRegex(out, rf'(?m)^  {command} ')

    def test_help_of_each_command_has_an_example(self):
        for command in COMMANDS:
            done = self.good(command, '--help')
            self.assertIn(f'scope {command}', done.out)
            self.assertRegex(done.out, rf'Example:\n  scope {command}')
            self.assertTrue(done.out.replace('…', '').isascii())

    def test_no_words(self):
        self.assertIn('Usage:', self.good().out)

    def test_wrong_usage_is_status_2(self):
        self.bad(2, 'no such command', 'frobnicate')
        self.bad(2, 'no such option', '--frobnicate')
        for command in COMMANDS:
            self.bad(2, '(?i)unknown option.*scope ' + command + ' --help', command, '--frobnicate')
        for command in ('info', 'events', 'run', 'check'):
            self.bad(2, 'takes', command)
            self.bad(2, 'takes', command, *['a.trace'] * {'run': 17, 'check': 1001}.get(command, 2))
        self.bad(2, '--at', 'state', pair())
        self.bad(2, 'exclude', 'state', pair(), '--at', '1', '--json', '--dot')
        self.bad(2, '-o', 'import', os.path.join(pair(), 'pair.tapepvm', 'events'))
        self.bad(2, '-o', 'synth', '--format', 'tapepvm', '--tasks', 1, '--events', 1)
        for tasks, events in ((0, 1), (-1, 1), (1, 0), (1, -1), (10 ** 9, 1)):
            self.bad(2, 'how many', 'synth', '--format', 'tapepvm', '--tasks', tasks, '--events', events, '-o', self.path('x.trace'))

    def test_what_is_meant(self):
        """Misspelt commands, options, traces, programs: the nearest name is told; one that is near to nothing gets none."""
        ring = os.path.join(ROOT, 'traces', 'ring.trace')
        self.bad(2, 'the nearest name is “report”', 'raport')
        self.bad(2, 'the nearest is --format;', 'report', ring, '--formt', 'x')
        for command in (['info'], ['events'], ['report', '-o', self.path('out')], ['run'], ['film', '-o', self.path('f')]):
            self.bad(1, re.escape(f'the nearest name is “{ring}”'), command[0], ring.replace('ring', 'rng'), *command[1:])
        self.bad(1, r'cannot be read: .*the nearest name is “load-balance\.eve”', 'run', ring, '--program', 'lod-balance')
        beside = os.path.join(ROOT, 'schemas', 'activity', 'traffic.eve')
        self.bad(1, re.escape(f'the nearest name is “{beside}”'), 'run', ring, '--program', beside.replace('traffic', 'trafic'))
        for words in (['frobnicate'], ['run', ring, '--program', 'xyz'], ['info', self.path('nothing.trace')]):
            done = scope(*words)
            self.assertNotEqual(done.status, 0)
            self.assertNotIn('nearest', done.err)

    def test_a_folder_is_no_program(self):
        """A program on offer is found by its name also where a folder is called so."""
        ring, here = os.path.join(ROOT, 'traces', 'ring.trace'), self.path('here')
        os.makedirs(os.path.join(here, 'views'))
        done = scope('run', ring, '--program', 'views', cwd=here)
        self.assertEqual(done.status, 0)
        self.assertRegex(done.err, r'^scope: [^\n]*not drawn: [^\n]*--out DIR writes their pictures[^\n]*\n$')

    def test_programs_by_title(self):
        """A title, as the window shows it, its question or the beginning of its line stand for a program."""
        ring = os.path.join(ROOT, 'traces', 'ring.trace')
        ones = [scope('run', ring, '--program', name, '--stats') for name in ('waits', 'Wait states', 'wait STATES', 'wait-states', 'Who waits for whom',
                                                                             'Why does it take so long: who waits for whom?')]
        self.assertEqual({(d.status, json.loads(d.out)['result_hash']) for d in ones}, {(0, json.loads(ones[0].out)['result_hash'])})
        self.bad(1, 'cannot be read: .*the nearest name is “Wait states”', 'run', ring, '--program', 'Wait statse')
        done = scope('run', ring, '--program', 'services')      # and what it would show is told, rather than nothing
        self.assertEqual((done.status, done.out), (0, ''))
        self.assertIn('not drawn: Space-time, ', done.err)
        done = scope('run', ring, '--program', 'waits')         # in short lines, however many there are
        self.assertRegex(done.err, r'not drawn: Space-time, [^,\n]+, [^,\n]+ and \d+ more; --out DIR')
        self.assertTrue(all(len(line) < 120 + len(ring) for line in done.err.splitlines()), done.err)
        self.assertNotIn('not drawn', scope('run', ring, '--program', 'services', '--out', self.path('out')).err)

    def test_names_of_all_kinds(self):
        """What is misspelt of a component, a kind of event, a task, a view, a mark; a program of another format."""
        ring, pipeline = (os.path.join(ROOT, 'traces', name) for name in ('ring.trace', 'pipeline.trace'))
        cache = {'XDG_CACHE_HOME': self.path('cache')}
        self.bad(1, 'there is no such component; the nearest name is “scope.filter”', 'components', 'scope.filtr')
        self.bad(1, 'no events of this kind; the nearest name is “Recv”', 'events', ring, '--kind', 'Rcv')
        self.bad(1, 'no task rimg 1; the nearest name is “ring 1”', 'events', ring, '--task', 'rimg 1')
        self.bad(1, 'it has Space-time, .*; the nearest name is “Space-time”', 'draw', ring, '--view', 'Spacetme', '-o', self.path('x.png'), env=cache)
        self.bad(1, 'it is a program for traces of the format tapepvm; for tape there are views, .*threads, .*default', 'run', pipeline, '--program', 'look-closer')
        for name in ('spacetime', 'SPACE TIME', 'space_time'):
            self.good('draw', ring, '--view', name, '-o', self.path('x.png'), env=cache)
        mine = self.path("it's mine.trace")
        shutil.copytree(ring, mine)
        self.good('marks', mine, 'add', 'muddle', '--at', '0.01')
        said = self.bad(1, 'no mark of this name; the nearest name is “muddle”', 'state', mine, '--at', '@mudle').err
        typed = shlex.split(re.search('`scope (.*)` lists', said)[1])    # as it is told
        self.assertIn('muddle', self.good(*typed).out)
        self.good('state', mine, '--at', '@muddle')

    def test_nothing_is_misspelt(self):
        """Where names are right no other is offered."""
        ring = os.path.join(ROOT, 'traces', 'ring.trace')
        for out, status, says in (('Space-tome.jpg', 2, 'pictures end in .png, .svg or .pdf, those that move in .gif or .webm, tables in .csv'), ('no/x.png', 1, 'No such file or directory'),
                                  ('no/x.csv', 1, 'No such file or directory')):
            with open(self.path('Space-time'), 'w'):
                done = self.bad(status, says, 'draw', ring, '--view', 'Space-time', '-o', self.path(out), env={'XDG_CACHE_HOME': self.path('cache')})
            self.assertNotIn('nearest', done.err)
            self.assertIn(out, done.err)
        self.bad(2, '--to: 0.08 lies before --from 0.09', 'events', ring, '--from', '0.09', '--to', '0.08')
        for words in (['--from', '99', '--to', '100'], ['--from', '99']):
            self.bad(1, '--from: 99 lies after the end of the execution', 'draw', ring, '--view', 'Space-time', *words, '-o', self.path('x.csv'),
                     env={'XDG_CACHE_HOME': self.path('cache')})
        view = ['draw', ring, '--view', 'Space-time', '-o', self.path('x.csv'), '--rows']
        self.bad(2, '"7-9": there are only \\d rows', *view, '7-9', env={'XDG_CACHE_HOME': self.path('cache')})
        self.bad(2, 'Trace text has no rows to choose from', *view, '1-2', '--view', 'Trace text', env={'XDG_CACHE_HOME': self.path('cache')})

    def test_programs_on_offer_by_name(self):
        ring = os.path.join(ROOT, 'traces', 'ring.trace')

        def written(program, folder):
            out = self.path(folder)
            self.good('run', ring, '--program', program, '--out', out)
            tables = {}
            for name in os.listdir(out):
                if name.endswith('.csv'):
                    with open(os.path.join(out, name)) as f:
                        tables[name] = f.read()
            return tables
        by_path = written(os.path.join(ROOT, 'schemas', 'activity', 'load-balance.eve'), 'a')
        self.assertTrue(by_path)
        self.assertEqual(written('load-balance', 'b'), by_path)
        self.assertEqual(written('load-balance.eve', 'c'), by_path)
        self.good('draw', ring, '--program', 'load-balance', '--view', 'Shares', '-o', self.path('s.png'))

    def test_times(self):
        for word in ('', 'abc', '1,5,2', '1e', '0x1', 'nan', 'inf', '1' * 40, '--'):
            for words in (('events', pair(), '--from', word), ('events', pair(), '--to', word),
                          ('state', pair(), '--at', word), ('run', pair(), '--until', word)):
                self.bad(2, 'no time', *words)
        self.bad(1, 'scope: @start: no mark', 'state', pair(), '--at', '@start')

    def test_what_comes_later(self):
        there = self.good('--help').out
        for command in ('film', 'seek', 'draw', 'marks'):
            if f'\n  {command} ' not in there:
                self.bad(1, 'cannot do that yet', command, pair())

    def test_no_display(self):
        done = self.good(pair())
        self.assertIn('No window: there is no display', done.out)
        # a program by its name, as commands take it
        done = self.good(pair(), 'scene')
        self.assertIn('--program ' + os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'), done.out)
        self.bad(1, 'there is no such trace', pair(), 'scen')
        self.assertIn('an execution, as a TAPE/PVM trace tells it', done.out)
        self.bad(1, 'no such', self.path('nothing.trace'))
        self.bad(1, 'no such program', pair(), self.path('nothing.eve'))

    def test_draw(self):
        home = {'XDG_CACHE_HOME': self.path('cache')}

        def drawing(ending, *words):
            self.good('draw', pair(), '--view', 'Space-time', *words, '-o', self.path('x' + ending), env=home)
            with open(self.path('x' + ending), 'rb') as f:
                return f.read()
        # Just after an event is the instant of it.
        date = self.good('events', pair(), '--json').lines()[3]['t']
        self.assertEqual(drawing('.png', '--at', '#4'), drawing('.png', '--at', date))
        self.assertNotEqual(drawing('.png', '--select', 't40002'), drawing('.png'))
        # What stands out, told one by one or in a file; of a file that cannot be read, or names who is not there, that is said.
        chosen = self.path('chosen')
        with open(chosen, 'w') as f:
            f.write('t40001\r\n\nt40001->t40002\nState=Idle')
        self.assertEqual(drawing('.png', '--select-from', chosen),
                         drawing('.png', '--select', 't40001', '--select', 't40001->t40002', '--select', 'State=Idle'))
        with open(chosen, 'a') as f:
            f.write('\nt9\n')
        for words, wrong in (((chosen,), 'no task t9'), ((self.path('nothing'),), 'nothing')):
            self.bad(1, wrong, 'draw', pair(), '--view', 'Space-time', '--select-from', *words, '-o', self.path('x.png'), env=home)
        tasks = {line.split(',')[1] for line in drawing('.csv', '--rows', '2-2').decode().splitlines()[1:]}
        self.assertEqual(tasks, {'t40002'})
        for words, wrong in ((('--rows', '0-3'), 'no rows'), (('--rows', '3-2'), 'no rows'), (('--rows', '2'), 'no rows'),
                             (('--at', '#x'), 'no event number'), (('--size', '5x5'), 'no size')):
            self.bad(2, wrong, 'draw', pair(), '--view', 'Space-time', *words, '-o', self.path('x.png'), env=home)
        # A picture for a page has a size in millimetres; without a view, those that there are are told.
        box = [float(v) for v in re.search(rb'/MediaBox \[ 0 0 ([\d.]+) ([\d.]+)', drawing('.pdf', '--size', '160x90mm')).groups()]
        self.assertLess(max(abs(box[0] - 160 / 25.4 * 72), abs(box[1] - 90 / 25.4 * 72)), 0.01)
        box = [float(v) for v in re.search(rb'<svg[^>]* width="([\d.]+)px" height="([\d.]+)px"', drawing('.svg', '--size', '160x90mm')).groups()]
        self.assertLess(max(abs(box[0] - 160 / 25.4 * 96), abs(box[1] - 90 / 25.4 * 96)), 0.01)
        for size, out in (('160x90mm', 'x.png'), ('160x90cm', 'x.pdf'), ('10x10mm', 'x.pdf'), ('160x90mmm', 'x.pdf')):
            self.bad(2, '--size', 'draw', pair(), '--view', 'Space-time', '--size', size, '-o', self.path(out), env=home)
        self.bad(2, 'say which view; .*views.eve has .*Space-time', 'draw', pair(), '-o', self.path('x.png'), env=home)
        self.bad(1, 'no event 999999', 'draw', pair(), '--view', 'Space-time', '--at', '#999999', '-o', self.path('x.png'), env=home)
        self.bad(1, 'no task t9', 'draw', pair(), '--view', 'Space-time', '--select', 't9', '-o', self.path('x.png'), env=home)

    def test_no_trace_is_replaced(self):
        """By a picture, a table, a page, a report or files of components: neither a trace that is one file, by whatever
        name or link, nor a file of a bundle or an archive; and nothing is put among these."""
        def content(folder):
            return {path: path.read_bytes() for path in pathlib.Path(folder).rglob('*') if path.is_file()}

        ring, kept = os.path.join(ROOT, 'traces', 'ring.trace'), self.path('kept')
        os.mkdir(kept)
        shutil.copytree(ring, os.path.join(kept, 'ring.trace'))
        self.good('export', ring, '-o', os.path.join(kept, 'a.paje'))
        self.good('export', ring, '-o', os.path.join(kept, 'o.otf2'))
        for name in ('in.trace', 'in.csv', 'in.svg', 'in.png'):
            shutil.copy(os.path.join(kept, 'a.paje'), os.path.join(kept, name))
        with open(os.path.join(kept, 'a.paje'), 'rb') as f, gzip.open(os.path.join(kept, 'pk.trace.gz'), 'wb') as to:
            to.write(f.read())
        os.symlink('in.trace', os.path.join(kept, 'link.csv'))
        before = content(kept)
        archive = os.path.join(kept, 'o.otf2')
        anchor = next(f for f in os.listdir(archive) if f.endswith('.otf2'))
        inner = os.path.join(archive, anchor[:-len('.otf2')])
        event = next(f for f in sorted(os.listdir(inner)) if f.endswith('.evt'))

        view = ['--view', 'Space-time']
        for name in ('in.trace', './in.trace', 'pk.trace.gz', 'link.csv', 'in.csv', 'ring.trace/ring.tapepvm/events',
                     f'o.otf2/{os.path.basename(inner)}/{event}', f'o.otf2/{anchor}'):
            self.bad(1, 'trace', 'draw', ring, *view, '--csv', '-o', os.path.join(kept, name))
            self.bad(1, 'trace', 'marks', ring, 'export', os.path.join(kept, name))
        for name in ('in.csv', 'in.svg', 'in.png', 'ring.trace/new.png', 'o.otf2/new.svg'):
            self.bad(1, 'trace', 'draw', ring, *view, '-o', os.path.join(kept, name))
        self.bad(1, 'trace', 'draw', os.path.join(kept, 'in.trace'), *view, '--csv', '-o', 'in.trace', cwd=kept)
        for folder in ('ring.trace', 'o.otf2', os.path.relpath(inner, kept), os.path.relpath(inner, kept) + '/deeper'):
            self.bad(1, 'trace', 'report', ring, '-o', os.path.join(kept, folder))
            self.bad(1, 'trace', 'run', ring, '-o', os.path.join(kept, folder))
        self.assertEqual(content(kept), before)

        # what is no trace is drawn anew as often as one likes, also beside traces
        for name in ('again.csv', 'again.svg', 'again.png'):
            for _ in range(2):
                self.good('draw', ring, *view, '-o', os.path.join(kept, name))
        for _ in range(2):
            self.assertEqual(scope('marks', ring, 'export', os.path.join(kept, 'page.html'), '--no-pictures').status, 0)

    def test_full_disk(self):
        with open('/dev/full', 'w') as full:
            done = subprocess.run([SCOPE, 'events', pair()], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r'\Ascope: standard output: ')


class Processes(Case):
    """What needs a long trace."""

    @classmethod
    def setUpClass(cls):
        import tempfile
        cls.shared = tempfile.TemporaryDirectory(prefix='scope-cli-')
        cls.long = os.path.join(cls.shared.name, 'long.trace')
        assert scope('synth', '--format', 'tapepvm', '--tasks', 16, '--events', 400000, '-o', cls.long).status == 0

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def test_closed_pipe_ends_quietly(self):
        child = subprocess.Popen([SCOPE, 'events', self.long], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = child.stdout.readline()
        child.stdout.close()
        self.assertEqual(child.stderr.read(), b'')
        child.stderr.close()
        self.assertEqual(child.wait(60), 128 + signal.SIGPIPE)
        self.assertTrue(first.endswith(b'\n'))

    def test_interruption(self):
        for sig in (signal.SIGINT, signal.SIGTERM):
            child = subprocess.Popen([SCOPE, 'events', self.long, '--json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            child.stdout.read(100000)
            child.send_signal(sig)
            out, err = child.communicate(timeout=60)
            self.assertEqual((child.returncode, err), (128 + sig, b''))
            self.assertTrue(out.endswith(b'}\n'), 'the last line is whole')

    def test_interrupted_synth_leaves_nothing(self):
        child = subprocess.Popen([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '16', '--events', '200000000', '-o', self.path('x.trace')],
                                 stderr=subprocess.PIPE)
        for _ in range(200):                    # until it has begun
            if os.listdir(self.folder):
                break
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        err = child.communicate(timeout=60)[1]
        self.assertEqual((child.returncode, err), (130, b''))
        self.assertEqual(os.listdir(self.folder), [])

    def test_progress(self):
        self.assertRegex(scope('info', self.long, '--progress').err, r'\A([a-z]+[^\n]*  +\d+ %\n)+\Z')
        self.assertEqual(scope('info', self.long, '--quiet').err, '')
        self.assertEqual(scope('info', self.long).err, '')

    def test_progress_on_a_terminal_is_cleared(self):
        master, slave = os.openpty()
        done = subprocess.run([SCOPE, 'run', self.long, '--progress'], stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        said = b''
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            said += piece
        os.close(master)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(said.decode(), re.compile(r'\d+ %'))
        self.assertTrue(said.endswith(b'\r\x1b[K'), said[-60:])


if __name__ == '__main__':
    unittest.main()
