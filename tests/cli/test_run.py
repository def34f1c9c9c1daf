# SPDX-License-Identifier: Apache-2.0
"""What `scope run --out` leaves: pictures of the instant, checkpoints of this run alone."""
import csv
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import cli

TRACE = os.path.join(cli.ROOT, 'traces', 'fft2d-s16.trace')
VIEWS = os.path.join(cli.ROOT, 'schemas', 'tapepvm', 'views.eve')
GAP = (0.145, 0.15, 0.16)                       # nothing happens from 0.14 to 0.1617
HEADER = 192                                    # docs/film-format.md


class Run(cli.Case):
    def scope(self, *words, status=0):
        done = cli.scope(*words, env={'XDG_CACHE_HOME': self.path('cache')})
        self.assertEqual(done.status, status, done.err)
        return done

    def read(self, *names):
        with open(self.path(*names), 'rb') as f:
            return f.read()

    def test_a_program_of_another_format(self):
        """Its reader and simulator are exchanged for those of the trace, which is said; it is what comes of the program with these
        written into it; its file is left alone; a program without a reader is refused as before."""
        trace, mine, other, none = (self.path(name) for name in ('threads.prv', 'mine.eve', 'other.eve', 'none.eve'))
        with open(trace, 'w') as f:
            f.write('#Paraver (01/01/2020 at 00:00):2000_ns:1(3):2:2(1:1,1:1),1(1:1)\n1:1:1:1:1:0:1000:1\n1:1:1:1:1:1000:2000:3\n'
                    '1:2:1:2:1:0:2000:1\n')
        program = ('<eve version="1"><component name="R" class="scope.tapepvm-reader"/><component name="S" class="scope.pvm-simulator"/>'
                   '<component name="Rows" class="scope.space-time"/><wire from="R" out="events" to="S" in="events"/>'
                   '<wire from="S" out="states" to="Rows" in="states"/></eve>')
        for path, text in ((mine, program), (none, '<eve version="1"/>'), (other, program.replace('scope.tapepvm-reader', 'scope.paraver-reader')
                                                                           .replace('scope.pvm-simulator', 'scope.calls-simulator'))):
            with open(path, 'w') as f:
                f.write(text)
        done = self.scope('run', trace, '--program', mine, '--stats')
        self.assertRegex(done.err, r'mine\.eve: it has no reader of paraver traces: reader and simulator are exchanged this time')
        same = self.scope('run', trace, '--program', other, '--stats')
        self.assertEqual(*(json.loads(one.out.splitlines()[-1])['result_hash'] for one in (done, same)))
        for to, from_program in (('mine.csv', mine), ('other.csv', other)):
            self.scope('draw', trace, '--program', from_program, '--view', 'Rows', '-o', self.path(to))
        self.assertEqual(self.read('mine.csv'), self.read('other.csv'))
        self.assertIn(b'Waiting a message', self.read('mine.csv'))
        self.assertEqual(self.read('mine.eve').decode(), program)
        self.assertIn('no reader of paraver traces', self.scope('run', trace, '--program', none, status=1).err)

    def test_pictures_are_of_the_instant(self):
        """Between two events the data rest and the cursor stands where the run does."""
        self.assertEqual(self.scope('events', TRACE, '--from', GAP[0], '--to', GAP[-1], '--json').out, '')
        seen = set()
        for at in GAP:
            self.scope('run', TRACE, '--program', VIEWS, '--until', at, '--out', self.path('out'))
            seen.add(self.read('out', 'Space-time.png'))
        self.assertEqual(len(seen), len(GAP))   # the cursor has moved

    def test_two_that_write_one_file(self):
        """Of one of them nothing would be left: it is refused, whoever they are."""
        program = os.path.join(cli.ROOT, 'schemas', 'activity', 'waiting-times.eve')
        for names in (('same.csv', 'same.csv'), ('Distribution.png', 'b.csv'), ('./a/../same.csv', 'same.csv'), ('marks.xml', 'b.csv')):
            done = self.scope('run', TRACE, '--program', program, '--set', f'Task file.file={names[0]}',
                              '--set', f'Histogram file.file={names[1]}', '--out', self.path('out'), status=1)
            self.assertRegex(done.err, r'^scope: \S.* file: it would write “.*”, and so does .*: give one of them another name\n$')

    def test_a_part_that_writes_the_same_file(self):
        """What a part brings with it is looked at as what was there from the beginning."""
        def eve(name, boxes, wires):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            return self.program('<eve version="1">' + ''.join(
                f'<component name="{box}" class="scope.{klass}" version="1">' + ''.join(
                    f'<setting name="{k}">{v}</setting>' for k, v in settings.items()) + '</component>' for box, klass, settings in boxes)
                + ''.join('<wire from="%s" out="%s" to="%s" in="%s"/>' % wire for wire in wires) + '</eve>', name)
        program = eve('p.eve', [('Session', 'session', {}), ('Reader', 'tapepvm-reader', {}), ('Waiting', 'waiting-times', {}),
                                ('C', 'command', {'command': 'add parts/same', 'at most': '1'}), ('A', 'csv-sink', {'file': 'same.csv'}),
                                ('A b', 'curve', {})],
                      [('Session', 'commands', 'Reader', 'commands'), ('Reader', 'events', 'Waiting', 'events'), ('Reader', 'events', 'C', 'in'),
                       ('C', 'orders', 'Session', 'orders'), ('Waiting', 'dated', 'A', 'in'), ('Waiting', 'dated', 'A b', 'value')])
        for box, klass, settings, into, name in (('B', 'text-sink', {'file': 'same.csv'}, 'in', 'same.csv'), ('A_b', 'curve', {}, 'value', 'A_b.png'),
                                                 ('B', 'text-sink', {'file': 'marks.xml'}, 'in', 'marks.xml')):
            eve('parts/same.eve', [(box, klass, settings)], [('Waiting', 'dated', box, into)])
            done = self.scope('run', os.path.join(cli.ROOT, 'traces', 'ring.trace'), '--program', program, '--out', self.path('out'), status=1)
            self.assertRegex(done.err, f'it would write “{name}”, and so does .*: give one of them another name')

    def test_nothing_was_run(self):
        """What an earlier run has left stays where none takes its place."""
        program = os.path.join(cli.ROOT, 'schemas', 'activity', 'waiting-times.eve')
        self.scope('run', TRACE, '--program', program, '--out', self.path('out'))
        before = sorted(os.listdir(self.path('out')))
        self.scope('run', TRACE, '--program', program, '--out', self.path('out'), '--until', '@nomark', status=1)
        self.assertEqual(sorted(os.listdir(self.path('out'))), before)
        self.assertGreater(len(before), 2)

    def test_pictures_of_another_report(self):
        """Where nobody can draw them, there are none: not those of the trace before."""
        for ending in ('svg', 'png'):
            os.makedirs(self.path('r'), exist_ok=True)
            with open(self.path('r', 'state-25.' + ending), 'w') as f:
                f.write('another trace')
        done = cli.scope('report', os.path.join(cli.ROOT, 'traces', 'ring.trace'), '-o', self.path('r'), env={'PATH': os.devnull})
        self.assertEqual(done.status, 0, done.err)
        self.assertIn('state-25.dot', os.listdir(self.path('r')))
        self.assertFalse({'state-25.svg', 'state-25.png'} & set(os.listdir(self.path('r'))))

    def marks_of(self, order, out=True):
        """What `run` keeps of a program that orders it twice."""
        text = f'''<eve version="1">
          <component name="Session" class="scope.session" version="1"/>
          <component name="Reader" class="scope.tapepvm-reader" version="1"/>
          <component name="C" class="scope.command" version="1"><setting name="command">{order}</setting><setting name="at most">2</setting></component>
          <component name="D" class="scope.command" version="1"><setting name="command">mark fine</setting><setting name="at most">1</setting></component>
          <wire from="Session" out="commands" to="Reader" in="commands"/>
          <wire from="Reader" out="events" to="C" in="in"/>
          <wire from="C" out="orders" to="Session" in="orders"/>
          <wire from="Reader" out="events" to="D" in="in"/>
          <wire from="D" out="orders" to="Session" in="orders"/>
        </eve>'''
        trace = self.path('x.trace')
        shutil.rmtree(trace, True)
        shutil.copytree(os.path.join(cli.ROOT, 'traces', 'ring.trace'), trace)
        done = self.scope('run', trace, '--program', self.program(text), *(['--out', self.path('out')] if out else []))
        if out:
            shutil.move(self.path('out', 'marks.xml'), os.path.join(trace, 'marks.xml'))
        return done.err, [mark['name'] for mark in self.scope('marks', trace, 'list', '--json').json()]

    def test_marks_of_a_program(self):
        """A name that is none takes no other mark along; one that is too long is cut between letters."""
        for out in (True, False):
            for order, names in (('mark a', ['a', 'a 2']), ('mark a' + 'é' * 18, ['a' + 'é' * 18, 'a' + 'é' * 15 + ' 2']),
                                 ('mark ' + 'é' * 30, ['é' * 19, 'é' * 16 + ' 2']), ('mark a[b', [])):
                with self.subTest(order=order, out=out):
                    said, kept = self.marks_of(order, out)
                    self.assertEqual(sorted(kept), sorted(names + ['fine']))
                    self.assertEqual('the name is none for a mark' in said, not names)

    def test_relative_folder(self):
        """A folder named from where the command is given is written like any other."""
        self.scope('run', TRACE, '--program', VIEWS, '--out', os.path.relpath(self.path('near')))
        done = self.scope('run', TRACE, '--program', VIEWS, '-o', self.path('far'), '--progress')
        written = re.search(r'far: written: (.*)', done.err).group(1).split(', ')
        self.assertEqual(sorted(written), sorted(os.listdir(self.path('far'))))
        self.assertTrue(os.listdir(self.path('near')))
        self.assertEqual(sorted(os.listdir(self.path('near'))), sorted(os.listdir(self.path('far'))))

    def test_nothing_has_come(self):
        """Before the first value there is no table, and that is said."""
        trace = os.path.join(cli.ROOT, 'traces', 'heat2d.trace')
        program = os.path.join(cli.ROOT, 'schemas', 'activity', 'traffic.eve')
        for until, there in (('0.04', False), ('0.2', True)):
            done = self.scope('run', trace, '--program', program, '--until', until, '--out', self.path('out'))
            self.assertEqual(os.path.exists(self.path('out', 'pairs.csv')), there)
            self.assertEqual('“pairs.csv” is not written: nothing has come to it by then' in done.err, not there)

    def test_a_sink_that_got_nothing(self):
        """Its file is there and empty, which is said; one that got something is not spoken of."""
        with open(self.path('sink.eve'), 'w') as f:
            f.write('<eve version="1"><component name="R" class="scope.tapepvm-reader"/><component name="W" class="scope.waiting-times"/>'
                    '<component name="L" class="scope.csv-sink"><setting name="file">waits.csv</setting></component>'
                    '<wire from="R" out="events" to="W" in="events"/><wire from="W" out="dated" to="L" in="in"/></eve>')
        for until, empty in (('0.0001', True), ('0.2', False)):
            done = self.scope('run', TRACE, '--program', self.path('sink.eve'), '--until', until, '--out', self.path('out'))
            self.assertEqual(done.status, 0)
            self.assertEqual(os.path.getsize(self.path('out', 'waits.csv')) == 0, empty)
            self.assertEqual('L: “waits.csv” is empty: nothing has come to it by then' in done.err, empty)

    def test_one_hash(self):
        """Without a state graph too: the same however an instant was reached, and whatever is written; another at another."""
        trace = os.path.join(cli.ROOT, 'traces', 'farm.trace')
        seen = set()
        for at in ('0.0312', '0.085', '0.1'):
            program = os.path.join(cli.ROOT, 'schemas', 'activity', 'waiting-times.eve')
            hashes = {json.loads(self.scope(*words, '--program', program).out.splitlines()[-1])[key] for words, key in (
                (('run', trace, '--until', at, '--stats'), 'result_hash'),
                (('run', trace, '--until', at, '--stats', '--out', self.path('out')), 'result_hash'),
                (('seek', trace, '--to', at), 'hash'), (('seek', trace, '--to', at, '--no-film'), 'hash'))}
            self.assertEqual(len(hashes), 1, at)
            seen |= hashes
        self.assertEqual(len(seen), 3)

    def saved(self, *names):
        """Events and names of the checkpoints in a file, read by its description."""
        data, found, at = self.read(*names), [], 0
        while at < len(data):
            self.assertEqual(data[at:at + 8], b'SCOPECP\n')
            found.append((struct.unpack_from('<Q', data, at + 32)[0], data[at + 128:at + 168].split(b'\0')[0].decode()))
            at += HEADER + struct.unpack_from('<Q', data, at + 80)[0]
        return found

    def test_checkpoints_are_of_this_run(self):
        with open(VIEWS) as f:
            text = f.read()

        def saves(number, name):
            return self.program(text.replace('</eve>', f'''<component name="At" class="scope.filter" version="1">
                <setting name="where">number == {number}</setting></component>
                <component name="Save" class="scope.command" version="1"><setting name="command">save {name}</setting></component>
                <wire from="Reader" out="events" to="At" in="in"/><wire from="At" out="passed" to="Save" in="in"/>
                <wire from="Save" out="orders" to="Session" in="orders"/></eve>'''), name + '.eve')
        first, second = saves(100, 'first'), saves(500, 'second')
        for program, want in ((first, (100, 'first')), (first, (100, 'first')), (second, (500, 'second'))):
            done = self.scope('run', TRACE, '--program', program, '--out', self.path('out'))
            self.assertEqual(self.saved('out', 'checkpoints'), [want])
            self.assertNotIn('passed over', done.err)
            self.assertNotIn('not obeyed', done.err)
        self.scope('run', TRACE, '--program', VIEWS, '--out', self.path('out'))
        self.assertFalse(os.path.exists(self.path('out', 'checkpoints')))
        here = os.listdir('.')
        done = self.scope('run', TRACE, '--program', first)
        self.assertRegex(done.err, r'save first.*not obeyed: no folder was given for checkpoints: add --out DIR')
        self.assertEqual(os.listdir('.'), here)
        # a film has a file of that name, which is left alone
        self.scope('film', TRACE, '--program', VIEWS, '-o', self.path('film'))
        before = self.read('film', 'checkpoints')
        done = self.scope('run', TRACE, '--program', first, '--out', self.path('film'), status=1)
        self.assertIn('this folder is a film', done.err)
        self.assertEqual(self.read('film', 'checkpoints'), before)

    def test_interrupted(self):
        """Ctrl-C leaves files of one instant, which is told: those that a run until then writes; no picture of another."""
        trace, program = self.path('long.trace'), self.program(
            '<eve version="1"><component name="S" class="scope.session"/><component name="R" class="scope.tapepvm-reader"/>'
            '<component name="P" class="scope.pvm-simulator"/><component name="D" class="scope.state-durations"/>'
            '<component name="V" class="scope.space-time"/>'
            '<component name="T" class="scope.data-file"><setting name="file">table.csv</setting></component>'
            '<component name="L" class="scope.csv-sink"><setting name="file">list.csv</setting></component>'
            '<component name="F" class="scope.filter"><setting name="where">number >= 0</setting></component>'
            '<component name="G" class="scope.merge"/>'
            '<component name="K" class="scope.csv-sink"><setting name="file">again.csv</setting></component>'
            '<wire from="S" out="commands" to="R" in="commands"/><wire from="R" out="events" to="P" in="events"/>'
            '<wire from="P" out="states" to="D" in="states"/><wire from="P" out="states" to="V" in="states"/>'
            '<wire from="D" out="table" to="T" in="in"/><wire from="R" out="events" to="L" in="in"/>'
            '<wire from="R" out="events" to="F" in="in"/><wire from="F" out="passed" to="G" in="in"/>'
            '<wire from="G" out="out" to="K" in="in"/></eve>')
        self.scope('synth', '--format', 'tapepvm', '--tasks', '16', '--events', '1000000', '-o', trace)
        self.scope('info', trace)               # it is looked through once
        words = [cli.SCOPE, 'run', trace, '--program', program, '--stats', '--out', self.path('out')]
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.path.exists(self.path('out', 'list.csv')) or not os.path.getsize(self.path('out', 'list.csv')):
            self.assertIsNone(child.poll())
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out, said = (text.decode() for text in child.communicate(timeout=100))
        self.assertEqual(child.returncode, 128 + signal.SIGINT, said)
        at = re.search(r'out: interrupted at (\S+) s: tables and lists are of then, pictures are not drawn\n', said)
        self.assertTrue(at, said)
        self.assertEqual(sorted(os.listdir(self.path('out'))), ['again.csv', 'list.csv', 'table.csv'])
        self.assertEqual(self.read('out', 'list.csv').count(b'\n'), self.read('out', 'again.csv').count(b'\n'))
        until = self.scope('run', trace, '--program', program, '--stats', '--until', at[1], '--out', self.path('until'))
        for name in os.listdir(self.path('out')):
            self.assertEqual(self.read('out', name), self.read('until', name), name)
        self.assertEqual(json.loads(out)['result_hash'], json.loads(until.out)['result_hash'])

    @cli.once
    def test_a_long_table(self):
        """Each event of the range, however many; their numbers are those of a filter, and that which `--at '#N'` means."""
        trace, table, rest = self.path('long.trace'), self.path('long.csv'), self.path('rest.csv')
        self.scope('synth', '--format', 'tapepvm', '--tasks', '4', '--events', '70000', '-o', trace)
        info = json.loads(self.scope('info', trace, '--json').out)
        self.scope('draw', trace, '--view', 'Trace text', '--from', '0', '--to', info['last'], '-o', table)
        with open(table, newline='') as f:
            rows = list(csv.DictReader(f))
        self.assertGreater(len(rows), 2 * 65536)
        self.assertEqual([int(row['event']) for row in rows], list(range(1, info['events'] + 1)))
        sentences = [line.split(maxsplit=1)[1] for line in self.scope('events', trace).out.splitlines()]
        self.assertEqual([row['sentence'] for row in rows], sentences)
        for number in (1, 71, 65536, 65537, info['events']):
            self.scope('draw', trace, '--view', 'Trace text', '--event', number, '-o', rest)
            with open(rest, newline='') as f:
                first = next(csv.DictReader(f))
            self.assertEqual(first, rows[number - 1])
            one = self.program('<eve version="1"><component name="R" class="scope.tapepvm-reader"/><component name="F" class="scope.filter">'
                               f'<setting name="where">number == {number}</setting></component><component name="L" class="scope.csv-sink">'
                               '<setting name="file">one.csv</setting></component><component name="P" class="scope.event-presenter">'
                               '<setting name="field">number</setting><setting name="of">both</setting></component>'
                               '<component name="N" class="scope.csv-sink"><setting name="file">number.csv</setting></component>'
                               '<wire from="R" out="events" to="F" in="in"/><wire from="F" out="passed" to="L" in="in"/>'
                               '<wire from="F" out="passed" to="P" in="events"/><wire from="P" out="value" to="N" in="1"/></eve>')
            self.scope('run', trace, '--program', one, '--out', self.path('out'))
            with open(self.path('out', 'one.csv'), newline='') as f:
                got, = csv.DictReader(f)
            self.assertEqual((int(got['number']), float(got['date [s]'])), (number, float(rows[number - 1]['date [s]'])))
            self.assertEqual(self.read('out', 'number.csv'), b'1\n%d\n' % number)
            # just after that event: the state is that of as many events played
            self.scope('draw', trace, '--view', 'State graph', '--at', f'#{number}', '-o', rest)
            with open(rest, newline='') as f:
                clocks = [float(row['node Clock [s]']) for row in csv.DictReader(f) if row['kind'] == 'node']
            self.assertEqual(max(clocks), float(rows[number - 1]['date [s]']))

    def test_what_cannot_be_written(self):
        """A picture or a table that the disk does not take: the status is 1, and the sentence says which file and why."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        table = self.program('<eve version="1"><component name="R" class="scope.tapepvm-reader"/><component name="L" class="scope.csv-sink">'
                             '<setting name="file">list.csv</setting></component><wire from="R" out="events" to="L" in="in"/></eve>')
        for program, name in ((VIEWS, 'Space-time.png'), (table, 'list.csv')):      # of the table less than stdio keeps in memory
            done = subprocess.run([cli.SCOPE, 'run', TRACE, '--program', program, '--until', '0.001', '--out', self.path('out')], preexec_fn=limit,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            said = done.stderr.decode()
            self.assertEqual(done.returncode, 1, said)
            self.assertRegex(said, rf'{re.escape(name)}.*: File too large')
            self.assertNotRegex(said, 'output stream|nearest')
            self.assertEqual([n for n in os.listdir(self.path('out')) if 'making' in n or n.startswith('.')], [])
            self.assertFalse(os.path.exists(self.path('out', 'Space-time.png')))

    @cli.once
    def test_pictures_of_an_instant(self):
        """--at: those of an instant are what `scope draw` makes of it, tables and pictures of the whole are of the end."""
        trace, at = os.path.join(cli.ROOT, 'traces', 'fft2d-s16.trace'), '0.12'
        env = {'XDG_CACHE_HOME': self.path('cache')}

        def png(*path):
            with open(self.path(*path), 'rb') as f:
                return f.read()
        for out, more in (('then', ['--at', at]), ('end', []), ('stopped', ['--until', at])):
            done = cli.scope('run', trace, '--program', 'utilization', '-o', self.path(out), *more, env=env)
            self.assertEqual((done.status, done.err), (0, ''))
        for view in ('Meter', 'Streak', 'Kiviat diagram', 'Tasks in each state'):
            done = cli.scope('draw', trace, '--program', 'utilization', '--view', view, '--at', at, '--size', '1200x750',
                             '-o', self.path('drawn.png'), '-q', env=env)
            self.assertEqual(done.status, 0, done.err)
            (name,) = [n for n in os.listdir(self.path('then')) if n.lower().startswith(view.lower().split()[0])]
            self.assertEqual(png('then', name), png('drawn.png'), view)
            self.assertNotEqual(png('then', name), png('end', name), view)
            self.assertEqual(png('then', name) == png('stopped', name), view != 'Tasks in each state', view)
        # a scene of a matrix is of an instant, other landscapes are of the whole
        trace, landscapes = os.path.join(cli.ROOT, 'traces', 'pipeline.trace'), {}
        for out, more in (('then', ['--at', '0.006']), ('end', []), ('stopped', ['--until', '0.006'])):
            to = self.path('scenes-' + out)
            cli.scope('run', trace, '--program', 'scenes', *more, '-o', to)
            for view in ('Bytes as a landscape', 'Work as a landscape'):
                with open(os.path.join(to, view.replace(' ', '_') + '.png'), 'rb') as f:
                    landscapes[view, out] = f.read()
        self.assertEqual(landscapes['Bytes as a landscape', 'then'], landscapes['Bytes as a landscape', 'stopped'])
        self.assertNotEqual(landscapes['Bytes as a landscape', 'then'], landscapes['Bytes as a landscape', 'end'])
        self.assertNotEqual(landscapes['Work as a landscape', 'then'], landscapes['Work as a landscape', 'stopped'])
        for words, says in ((['--at', at], '-o DIR'), (['--at', at, '--until', '0.1', '-o', self.path('x')], '--until')):
            done = cli.scope('run', trace, *words)
            self.assertEqual(done.status, 2, done.err)
            self.assertIn(says, done.err)


if __name__ == '__main__':
    cli.unittest.main()
