# SPDX-License-Identifier: Apache-2.0
"""Programs that extend themselves: the order `add PART`.  What comes of it is compared with the same program into which
the part was written by hand."""
import glob
import os
import re
import shutil
import xml.etree.ElementTree as ET

import cli

PROGRAM = os.path.join(cli.ROOT, 'schemas', 'tapepvm', 'look-closer.eve')
PART = os.path.join(cli.ROOT, 'schemas', 'tapepvm', 'parts', 'who-waits.eve')
TRACE = os.path.join(cli.ROOT, 'traces', 'fft2d-s16.trace')
PRINTS = '''<component name="Print" class="scope.text-sink" version="1"/>
<wire from="Waiting Times" out="dated" to="Print" in="in"/>'''


def merged(program, *parts):
    """The program with the parts in it, boxes and wires, as text: as it is when it has added them."""
    whole = ET.parse(program)
    note = ET.SubElement(whole.getroot(), 'note', name='parts')
    note.text = '\n'.join('parts/' + os.path.basename(part)[:-4] for part in parts)
    for part in parts:
        whole.getroot().extend(e for e in ET.parse(part).getroot() if e.tag in ('component', 'wire'))
    return ET.tostring(whole.getroot(), encoding='unicode')


def files(folder):
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, '*'))):
        with open(path, 'rb') as f:
            found[os.path.basename(path)] = f.read()
    return found


class Parts(cli.Case):
    def setUp(self):
        super().setUp()
        self.env = {'XDG_DATA_HOME': self.path('data'), 'XDG_CACHE_HOME': self.path('cache')}
        os.mkdir(self.path('parts'))
        shutil.copy(PROGRAM, self.path('look.eve'))
        shutil.copy(PART, self.path('parts', 'who-waits.eve'))
        self.look = self.path('look.eve')

    def scope(self, *words, status=0):
        done = cli.scope(*words, env=self.env)
        self.assertEqual(done.status, status, done.err)
        self.assertNotRegex(done.err, r'\(null\)|CRITICAL|WARNING|Sanitizer')
        return done

    def edit(self, path, *pairs):
        with open(path) as f:
            text = f.read()
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        with open(path, 'w') as f:
            f.write(text)

    def part(self, name, text):
        return self.program(f'<eve version="1">{text}</eve>', os.path.join('parts', name + '.eve'))

    def orders(self, *names):
        """In the place of the watch: from the first waiting time on, these parts."""
        boxes = ''.join(f'<component name="C{i}" class="scope.command" version="1"><setting name="command">add {n}</setting>'
                        f'</component><wire from="Waiting Times" out="dated" to="C{i}" in="in"/>'
                        f'<wire from="C{i}" out="orders" to="Session" in="orders"/>' for i, n in enumerate(names))
        self.edit(self.look, ('</eve>', boxes + '</eve>'), ('<setting name="action">command</setting>',
                                                           '<setting name="action">none</setting>'))

    def same_as_by_hand(self, trace, *settings):
        """All that the program writes, says and shows is what the whole program gives, wherever the order came."""
        words = [w for s in settings for w in ('--set', s)]
        whole = self.program(merged(self.look, PART), 'whole.eve')
        done = self.scope('run', trace, '--program', self.look, '--out', self.path('a'), *words)
        other = self.scope('run', trace, '--program', whole, '--out', self.path('b'), *words)
        a, b = files(self.path('a')), files(self.path('b'))
        self.assertEqual(sorted(a), sorted(b))
        for name in a:
            self.assertEqual(a[name], b[name], name)
        self.assertEqual(done.out, other.out)
        shutil.rmtree(self.path('a'))
        shutil.rmtree(self.path('b'))
        return done

    def test_run(self):
        for limit in ('0', '0.01', '0.02', '0.048'):
            done = self.same_as_by_hand(TRACE, f'Watch.max={limit}')
            self.assertRegex(done.err, r'Watch: at [\d.]+ s, event \d+: add parts/who-waits, because the waiting time')
            self.assertNotIn('not obeyed', done.err)
        done = self.scope('run', TRACE, '--program', self.look, '--out', self.path('c'), '--set', 'Watch.max=1')
        self.assertEqual(sorted(files(self.path('c'))), ['In_time.png'])        # nobody waited so long, which is told
        self.assertRegex(done.err, r'^scope: Watch: It never acted: none of \d+ values was outside; the waiting time went from \S+ s to 0\.0\d+ s\.\n$')

    def test_what_became_of_it(self):
        done = self.scope('run', TRACE, '--program', self.look, '--out', self.path('a'))
        self.assertIn('part: “parts/who-waits” is added to the program; the run begins again with it', done.err)
        rows = files(self.path('a'))['triggered.csv'].decode().splitlines()[1:]
        self.assertRegex(rows[0], ',added$')
        self.assertGreater(len(rows), 1)
        for row in rows[1:]:                            # it is added once
            self.assertRegex(row, ',there already$')
        told = re.findall(r'event \d+: add parts/who-waits.*', done.err)
        self.assertEqual([line.endswith(' (it is there already)') for line in told], [False] + [True] * (len(rows) - 1))
        os.unlink(self.path('parts', 'who-waits.eve'))
        done = self.scope('run', TRACE, '--program', self.look, '--out', self.path('a'))
        self.assertNotIn('is added to the program', done.err)
        self.assertRegex(files(self.path('a'))['triggered.csv'].decode().splitlines()[1], 'refused: there is no such file beside')

    def test_by_hand(self):
        """`--add PART` is what somebody has written into the program."""
        self.edit(self.look, ('<setting name="action">command</setting>', '<setting name="action">none</setting>'))
        self.scope('run', TRACE, '--program', self.look, '--add', PART, '--out', self.path('a'))
        self.scope('run', TRACE, '--program', self.program(merged(self.look, PART), 'whole.eve'), '--out', self.path('b'))
        self.assertIn('by-task.csv', files(self.path('a')))
        self.assertEqual(files(self.path('a')), files(self.path('b')))
        done = self.scope('run', TRACE, '--program', self.look, '--add', self.path('nowhere.eve'), status=1)
        self.assertIn('nowhere.eve', done.err)

    def test_files_of_the_run_before(self):
        """What lies in the folder after a run is of that run, also where it wrote nothing, or failed."""
        out = self.path('a')
        self.scope('run', TRACE, '--program', self.look, '--out', out)
        with open(os.path.join(out, 'mine.txt'), 'w') as f:
            f.write('not written by a run')
        self.scope('run', TRACE, '--program', self.look, '--out', out, '--set', 'Watch.max=1')
        self.assertNotIn('triggered.csv', files(out))
        self.scope('run', TRACE, '--program', self.look, '--out', out)
        self.assertIn('triggered.csv', files(out))
        self.scope('run', TRACE, '--program', self.look, '--out', out, '--set', 'Watch.max=no number', status=1)
        self.assertNotIn('triggered.csv', files(out))
        self.assertNotIn('In_time.png', files(out))
        self.assertIn('mine.txt', files(out))
        done = self.scope('run', self.path('nothing.trace'), '--program', self.look, '--out', out, status=1)
        self.assertIn('the files there are those of an earlier run', done.err)

    def test_many_slices(self):
        """A run of many slices, with the order early and late in one of them."""
        trace = self.path('big.trace')
        self.scope('synth', '--format', 'tapepvm', '--tasks', 8, '--events', 200000, '-o', trace)
        places = set()
        for limit in ('0.00004', '0.0002', '0.0003', '0.00035', '0.0004'):
            done = self.same_as_by_hand(trace, f'Watch.max={limit}')
            places.add(re.search(r'event (\d+): add parts/who-waits', done.err)[1])
        self.assertGreaterEqual(len(places), 3)

    def test_until(self):
        """At an instant before the order, the program is what it was."""
        for until, there in (('0.04', False), ('0.05', True)):
            out = self.path('until' + until)
            self.scope('run', TRACE, '--program', self.look, '--until', until, '--out', out)
            self.assertEqual('by-task.csv' in files(out), there)

    def test_nothing_is_printed_twice(self):
        self.edit(self.look, ('</eve>', PRINTS + '</eve>'))
        done = self.scope('run', TRACE, '--program', self.look)
        whole = self.program(merged(self.look, PART), 'whole.eve')
        self.assertEqual(done.out, self.scope('run', TRACE, '--program', whole).out)
        self.assertGreater(len(done.out.splitlines()), 50)
        # a part that feeds what printed already: that is told
        self.part('who-waits', '<component name="Again" class="scope.filter" version="1"/>'
                  '<wire from="Waiting Times" out="dated" to="Again" in="in"/>'
                  '<wire from="Again" out="passed" to="Print" in="in"/>')
        done = self.scope('run', TRACE, '--program', self.look)
        self.assertRegex(done.err, 'Print: What it printed before a part was added is not what it prints with it')

    def test_film(self):
        """Films, pictures and travel are of the extended program, before the order too, and the second time too."""
        self.edit(self.look, ('0.02<', '0.042<'))
        whole = self.program(merged(self.look, PART), 'whole.eve')
        for at in ('0.06', '0.17', '0.2'):      # ordered at 0.182
            for _ in range(2):
                pictures = []
                for name, program in (('a.csv', self.look), ('b.csv', whole)):
                    self.scope('draw', TRACE, '--program', program, '--view', 'Who waits', '--at', at, '-o', self.path(name))
                    with open(self.path(name)) as f:
                        pictures.append(f.read())
                self.assertEqual(*pictures)
                self.assertIn('fft 0', pictures[0])
            for more in ([], ['--film', self.path('film')]):
                a, b = (self.scope('seek', TRACE, '--program', p, '--to', at, *more).json()['hash'] for p in (self.look, whole))
                self.assertEqual(a, b)
        done = self.scope('film', TRACE, '--program', self.look)
        self.assertIn('was there already', done.out)
        self.assertRegex(done.err, 'film: “parts/who-waits” is added to the program; the film is of both')
        one, two = (self.scope('film', TRACE, '--program', p, '-o', self.path(n), '--stats').json()
                    for p, n in ((self.look, 'f1'), (whole, 'f2')))
        self.assertEqual(one['events'], two['events'])

    def test_commands(self):
        """At an instant after the order every command shows what `run --until` leaves there, with a film and without; at one before,
        what knows no film shows the program as it was."""
        part = self.part('calls', '<component name="Calls" class="scope.calls-simulator" version="1"/>'
                         '<wire from="Reader" out="events" to="Calls" in="events"/>')
        simulator = ('<component name="Simulator" class="scope.pvm-simulator" version="1"/>'
                     '<wire from="Reader" out="events" to="Simulator" in="events"/></eve>')
        self.edit(self.look, ('add parts/who-waits', 'add parts/calls'), ('0.02<', '0.042<'), ('</eve>', simulator))
        whole = self.program(merged(self.look, part), 'whole.eve')
        with open(self.look) as f:
            text = f.read()
        plain = self.program(text.replace('add parts/calls', 'message long'), 'plain.eve')

        def of(words, program, status=0):
            return self.scope(*words[:1], TRACE, '--program', program, *words[1:], status=status)

        def hash_of(words, program):
            told = of(words, program).json()
            return told.get('hash') or told['result_hash']
        for at in ('0.17', '0.1817', '0.1825', '0.2', '0.3'):
            truth = hash_of(('run', '--until', at, '--stats'), self.look)
            grown = truth == hash_of(('run', '--until', at, '--stats'), whole)
            self.assertEqual(grown, at > '0.182', at)
            self.assertEqual(grown, truth != hash_of(('run', '--until', at, '--stats'), plain))
            self.assertEqual(hash_of(('seek', '--no-film', '--to', at), self.look), truth)
            state = of(('state', '--at', at, '--json', '--simulator', 'Calls'), self.look, 0 if grown else 1)
            if grown:
                self.assertEqual(hash_of(('seek', '--to', at), self.look), truth)
                self.assertEqual(state.out, of(('state', '--at', at, '--json', '--simulator', 'Calls'), whole).out)
                self.assertIn('part: “parts/calls” is added to the program; all is worked out with it', state.err)
        for more in ([], ['--simulator', 'Calls']):
            reports = []
            for program in (self.look, whole):
                self.scope('report', TRACE, '--program', program, '-o', self.path('report'), *more)
                reports.append(files(self.path('report')))
            for name in reports[1]:
                self.assertEqual(reports[0][name], reports[1][name], name)
        # random instants, back and forth, in one session
        a, b = (of(('seek', '--no-film', '--repeat', 25, '--random', 4), p).json() for p in (self.look, whole))
        self.assertEqual(a['hash'], b['hash'])

    def test_pages_of_marks(self):
        trace = self.path('fft2d-s16.trace')
        shutil.copytree(TRACE, trace)
        self.scope('marks', trace, 'add', 'late', '--at', '0.2')
        whole = self.program(merged(self.look, PART), 'whole.eve')
        pages = []
        for name, program in (('a.html', self.look), ('b.html', whole)):
            done = self.scope('marks', trace, 'export', self.path(name), '--program', program)
            with open(self.path(name)) as f:
                pages.append(f.read())
        self.assertIn('alt="Table"', pages[1])
        self.assertEqual(*pages)

    def test_wires_that_cannot_be_made(self):
        self.part('who-waits', '''
          <component name="By task" class="scope.statistics-by-owner" version="1"/>
          <component name="File" class="scope.data-file" version="1"><setting name="file">by-task.csv</setting></component>
          <component name="Show" class="scope.event-presenter" version="1"/>
          <wire from="Waiting Times" out="dated" to="By task" in="value"/>
          <wire from="By task" out="table" to="File" in="in"/>
          <wire from="Nobody" out="dated" to="By task" in="value"/>
          <wire from="Waiting Times" out="dated" to="Show" in="events"/>
          <wire from="Waiting Times" out="nothing" to="By task" in="value"/>''')
        done = self.scope('run', TRACE, '--program', self.look, '--out', self.path('out'))
        self.assertRegex(done.err, r"who-waits.eve:\d+: The wire from Nobody.dated to By task.value is not made: the program has "
                                   r"no component called 'Nobody'")
        self.assertRegex(done.err, r'The wire from Waiting Times.dated to Show.events is not made: .*dated number')
        self.assertRegex(done.err, r"The wire from Waiting Times.nothing to By task.value is not made: .*no output called 'nothing'")
        self.assertIn(b'fft 3', files(self.path('out'))['by-task.csv'])         # nothing else is lost

    def refused(self, sentence):
        """The part is not added, which is told; the run is what it is without it."""
        done = self.scope('run', TRACE, '--program', self.look, '--out', self.path('refused'))
        self.assertRegex(done.err, f'event 71: add parts/who-waits, because .* \\(not obeyed: .*{sentence}')
        got = files(self.path('refused'))
        self.assertEqual(sorted(got), ['In_time.png', 'triggered.csv'])
        for command in ('film', 'seek'):
            done = self.scope(command, TRACE, '--program', self.look, *(['--to', '0.1'] if command == 'seek' else []))
            self.assertRegex(done.err, f'film: The part “parts/who-waits” is not added: .*{sentence}')
        self.assertIn('3716 events', self.scope('film', TRACE, '--program', self.look).out)

    def test_not_there(self):
        os.unlink(self.path('parts', 'who-waits.eve'))
        self.refused('there is no such file beside the program')

    def test_no_program(self):
        with open(self.path('parts', 'who-waits.eve'), 'w') as f:
            f.write('<eve')
        self.refused('not XML')

    def test_elsewhere(self):
        """A link out of the folder of the program, and a way out of it, are no parts, unless they are allowed."""
        outside = self.path('outside')
        os.mkdir(outside)
        os.mkdir(self.path('home'))
        shutil.move(self.path('parts', 'who-waits.eve'), outside)
        os.symlink(os.path.join(outside, 'who-waits.eve'), self.path('parts', 'who-waits.eve'))
        for name in ('look.eve', 'parts'):
            shutil.move(self.path(name), self.path('home', name))
        self.look = self.path('home', 'look.eve')
        self.refused('lies outside the folder of the program')
        done = self.scope('run', TRACE, '--program', self.look, '--out', self.path('ok'), '--allow', outside)
        self.assertIn('by-task.csv', files(self.path('ok')))
        for way in ('../outside/who-waits', os.path.join(outside, 'who-waits')):
            out = self.path('out' + str(len(way)))
            done = self.scope('run', TRACE, '--program', self.look, '--out', out, '--set', f'Watch.command=add {way}')
            self.assertRegex(done.err, 'not obeyed: .*lies outside the folder of the program')
            self.assertNotIn('by-task.csv', files(out))

    def test_own_part(self):
        os.makedirs(self.path('data', 'scope', 'parts'))
        shutil.copy(PART, self.path('data', 'scope', 'parts', 'mine.eve'))
        self.scope('run', TRACE, '--program', self.look, '--out', self.path('own'), '--set', 'Watch.command=add mine')
        self.assertIn('by-task.csv', files(self.path('own')))

    def test_adds_itself(self):
        """A part that adds itself comes once; parts that add parts without an end come to one."""
        count = '<component name="Again" class="scope.command" version="1"><setting name="command">add parts/%s</setting>' \
                '</component><wire from="Waiting Times" out="dated" to="Again" in="in"/>' \
                '<wire from="Again" out="orders" to="Session" in="orders"/>'
        self.part('who-waits', count % 'who-waits')
        done = self.scope('run', TRACE, '--program', self.look, '--out', self.path('self'))
        self.assertNotIn('not obeyed', done.err)
        for i in range(40):
            self.part(f'p{i}', count % f'p{i + 1}')
        done = self.scope('run', TRACE, '--program', self.look, '--out', self.path('chain'), '--set',
                          'Watch.command=add parts/p0', '--set', 'Watch.max=0')
        self.assertEqual(re.findall('The part (.*) is not added: (.*)', done.err),
                         [('“parts/p32”', 'the program has added 32 parts to itself, and may add no more')])
        self.assertNotIn('p33', done.err)

    def test_first_order_decides(self):
        """A part that closes the way to a second order: that one never comes, however much was under way."""
        self.part('shut', '<component name="Never" class="scope.constant" version="1"/>')
        self.orders('parts/who-waits', 'parts/shut')
        shutil.copy(PART, self.path('parts', 'who-waits.eve'))
        done = self.scope('run', TRACE, '--program', self.look, '--out', self.path('two'))
        whole = self.program(merged(self.look, PART, self.path('parts', 'shut.eve')), 'whole.eve')
        self.scope('run', TRACE, '--program', whole, '--out', self.path('both'))
        self.assertEqual(files(self.path('two')), files(self.path('both')))
        self.assertNotIn('not obeyed', done.err)

    def test_alone(self):
        """A part that is opened as a program says what it misses."""
        done = self.scope('check', PART)
        self.assertRegex(done.out, r'a part with \d+ open ends?, 0 problems')
        self.assertIn("There is no component called 'Waiting Times': the wire from Waiting Times.dated to By task.value is made "
                      'when this is added, as a part, to a program that has one', done.out + done.err)
        misspelt = self.path('misspelt.eve')        # in a whole program such a wire is a mistake
        shutil.copy(PROGRAM, misspelt)
        self.edit(misspelt, ('<wire from="Reader" out="events" to="Waiting Times"', '<wire from="Raeder" out="events" to="Waiting Times"'))
        self.assertIn("There is no component called 'Raeder'", self.scope('check', misspelt, status=1).out)
        done = self.scope('run', TRACE, '--program', PART, status=1)
        self.assertIn('no reader of tapepvm traces', done.err)

    def test_grammar_of_the_example(self):
        if shutil.which('xmllint'):
            import subprocess
            for path in (PROGRAM, PART):
                subprocess.run(['xmllint', '--noout', '--relaxng', os.path.join(cli.ROOT, 'schemas', 'eve.rng'), path],
                               check=True, capture_output=True)


if __name__ == '__main__':
    cli.unittest.main()
