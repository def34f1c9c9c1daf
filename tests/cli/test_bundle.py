# SPDX-License-Identifier: Apache-2.0
"""scope import and synth; and bad input of each kind: a sentence, or a counted repair."""
import os
import subprocess
import unittest

from cli import Case, pair, scope

ENROLL = '1 0 262145 0 0 a L 1 -1 p\n'


def tree(path):
    found = {}
    for folder, _, files in os.walk(path):
        for name in files:
            with open(os.path.join(folder, name), 'rb') as f:
                found[os.path.relpath(os.path.join(folder, name), path)] = f.read()
    return found


class Synth(Case):
    def make(self, name, *words):
        self.good('synth', '--format', 'tapepvm', '-o', self.path(name + '.trace'), *words)
        return self.path(name + '.trace')

    def test_reproducible(self):
        a = tree(self.make('a', '--tasks', 7, '--events', 2000, '--seed', 5))
        os.rename(self.path('a.trace'), self.path('first.trace'))
        b = tree(self.make('a', '--tasks', 7, '--events', 2000, '--seed', 5))
        os.rename(self.path('a.trace'), self.path('second.trace'))
        c = tree(self.make('a', '--tasks', 7, '--events', 2000, '--seed', 6))
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_valid_and_of_the_size_asked(self):
        for tasks, events in ((1, 1), (1, 10), (2, 500), (64, 3000)):
            trace = self.make(f't{tasks}e{events}', '--tasks', tasks, '--events', events)
            info = self.good('info', trace, '--json').json()
            self.assertEqual((info['records'], info['damaged']), (events, 0))
            self.assertLessEqual(len(info['tasks']), tasks)
            self.good('check', trace)

    def test_names(self):
        self.make('there', '--tasks', 1, '--events', 1)
        self.bad(1, 'is there already', 'synth', '--format', 'tapepvm', '--tasks', 1, '--events', 1, '-o', self.path('there.trace'))
        self.bad(2, r'NAME\.trace', 'synth', '--format', 'tapepvm', '--tasks', 1, '--events', 1, '-o', self.path('x'))
        self.bad(2, r'NAME\.trace', 'synth', '--format', 'tapepvm', '--tasks', 1, '--events', 1, '-o', self.path('.trace'))
        self.bad(1, 'cannot be made', 'synth', '--format', 'tapepvm', '--tasks', 1, '--events', 1, '-o', self.path('no', 'x.trace'))
        self.bad(1, '(?i)sumerian', 'synth', '--format', 'sumerian', '--tasks', 1, '--events', 1, '-o', self.path('x.trace'))
        self.assertEqual(os.listdir(self.folder), ['there.trace'])
        self.make('slash', '--tasks', 1, '--events', 1)


class Import(Case):
    def test_import_is_the_bundle(self):
        data = os.path.join(pair(), 'pair.tapepvm')
        self.good('import', os.path.join(data, 'events'), os.path.join(data, 'sites'), '-o', self.path('new.trace'),
                  '--format', 'tapepvm')
        one, other = (self.good('events', t, '--json').lines() for t in (pair(), self.path('new.trace')))
        self.assertEqual(one, other)

    def test_refusals(self):
        self.bad(1, 'nothing', 'import', '--format', 'tapepvm', self.path('nothing'), '-o', self.path('x.trace'))
        self.bad(1, 'not a file', 'import', '--format', 'tapepvm', self.folder, '-o', self.path('x.trace'))
        with open(self.path('events'), 'w') as f:
            f.write('this is no trace at all\n')
        done = scope('import', '--format', 'tapepvm', self.path('events'), '-o', self.path('x.trace'))
        self.assertEqual((done.status, done.out), (1, ''))
        self.assertRegex(done.err, r'\Ascope: [^\n]+: [^\n]+\n\Z')
        self.assertEqual(os.listdir(self.folder), ['events'])


class BadBundles(Case):
    def each(self, pattern, trace):
        for words in (('info', trace), ('events', trace), ('state', trace, '--at', '0'), ('run', trace), ('check', trace),
                      ('report', trace, '-o', self.path('out'))):
            self.bad(1, pattern, *words)
        self.assertFalse(os.path.exists(self.path('out')))

    def test_not_there(self):
        self.each('nothing.trace', self.path('nothing.trace'))

    def test_a_file(self):
        with open(self.path('x.trace'), 'w') as f:
            f.write('x')
        self.each('is a file', self.path('x.trace'))

    def test_no_data(self):
        os.mkdir(self.path('x.trace'))
        self.each(r'no data', self.path('x.trace'))

    def test_no_events(self):
        self.each('events', self.bundle(None))

    def test_unknown_format(self):
        self.each('sumerian', self.bundle('x', form='sumerian'))

    def test_two_formats(self):
        trace = self.bundle(ENROLL)
        os.mkdir(os.path.join(trace, 'made.other'))
        self.each('(?s)other.*tapepvm', trace)
        self.assertEqual(self.good('info', trace, '--format', 'tapepvm', '--json').json()['events'], 1)
        self.bad(1, 'sumerian', 'info', trace, '--format', 'sumerian')
        self.bad(1, 'sumerian', 'run', trace, '--format', 'sumerian')

    def test_link_loop(self):
        os.symlink(self.path('b.trace'), self.path('a.trace'))
        os.symlink(self.path('a.trace'), self.path('b.trace'))
        self.each('(?i)link', self.path('a.trace'))

    @unittest.skipIf(os.geteuid() == 0, 'root reads everything')
    def test_unreadable(self):
        trace = self.bundle(ENROLL)
        os.chmod(os.path.join(trace, 'made.tapepvm', 'events'), 0)
        self.each('(?i)permission', trace)

    def test_another_version(self):
        self.each('(?i)version', self.bundle('#TAPE/PVM 3\n' + ENROLL))


class DamagedEvents(Case):
    def damaged(self, events, **files):
        """Opened, counted, never silent; every command agrees."""
        trace = self.bundle(events, **files)
        info = self.good('info', trace, '--json').json()
        done = scope('run', trace, '--stats')
        self.assertEqual(done.status, 0, done.err)
        self.assertIn('"damaged": %d' % info['damaged'], done.out)
        self.assertEqual(info['damaged'] > 0, scope('check', trace).status == 1)
        told = scope('events', trace)
        self.assertEqual(told.status, 0)
        self.assertEqual(len(told.out.splitlines()), info['events'])
        return info

    def synth(self):
        self.good('synth', '--format', 'tapepvm', '--tasks', 4, '--events', 500, '-o', self.path('good.trace'))
        with open(self.path('good.trace', 'good.tapepvm', 'events'), 'rb') as f:
            return f.read()

    def test_truncated(self):
        info = self.damaged(self.synth()[:-7])
        self.assertLessEqual(info['damaged'], 1)
        self.assertGreaterEqual(info['records'], 499)

    def test_shuffled(self):
        import random
        good = self.synth()
        lines = good.splitlines(keepends=True)
        head, body = [x for x in lines if x.startswith(b'#')], [x for x in lines if not x.startswith(b'#')]
        random.Random(1).shuffle(body)
        info = self.damaged(b''.join(head + body))
        self.assertEqual((info['damaged'], info['records']), (0, 500))

    def test_duplicated(self):
        trace = self.bundle(self.synth() * 2)
        self.assertEqual(self.good('info', trace, '--json').json()['records'], 1000)
        done = scope('run', trace, '--stats')
        self.assertEqual(done.status, 0, done.err)
        self.assertRegex(done.out, r'"impossible": [1-9]')

    def test_binary(self):
        info = self.damaged(ENROLL.encode() + bytes(range(256)) * 40)
        self.assertGreater(info['damaged'], 0)
        self.assertGreaterEqual(info['events'], 1)

    def test_huge_numbers(self):
        for number in ('99999999999999999999', '-1', '9223372036854775808', '4611686018427387904', '1e5', '0x10', '+3'):
            info = self.damaged(ENROLL + f'13 {number} 262145 1 0 1 1 8 0\n')
            self.assertEqual((info['damaged'], info['events']), (1, 1), number)
            self.tearDown()
            self.doCleanups()
            self.setUp()

    def test_wrong_encoding(self):
        info = self.damaged('1 0 262145 0 0 caf\u00e9 L 1 -1 p\n'.encode('latin-1') + '2 5 262145 0 0 0\n'.encode('utf-16'))
        self.assertGreater(info['damaged'], 0)

    def test_terminal_commands_are_not_passed_on(self):
        trace = self.bundle('1 0 262145 0 0 a%1b[31mred L 1 -1 p%0aq\n')
        for words in (('info', trace), ('events', trace), ('state', trace, '--at', 0)):
            out = self.good(*words).out
            self.assertNotIn('\x1b', out)

    def test_stops_when_told(self):
        trace = self.bundle(ENROLL + 'nonsense\n')
        self.bad(1, 'line 2', 'run', trace, '--set', 'Reader.on damage=stop')


class BadPrograms(Case):
    def each(self, pattern, text):
        program = self.program(text)
        self.bad(1, pattern, 'run', pair(), '--program', program)
        self.bad(1, pattern, 'check', program)

    def test_not_there(self):
        self.bad(1, 'nothing.eve', 'run', pair(), '--program', self.path('nothing.eve'))

    def test_no_xml(self):
        self.each('made.eve', 'hello')
        self.each('made.eve', '')
        self.each('made.eve', '<eve version="1"><component')

    def test_xml_bomb(self):
        bomb = '<!DOCTYPE eve [<!ENTITY a "aaaaaaaaaa">' + ''.join(
            f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(12)) + ']>\n'
        self.each('(?i)document type|not XML', bomb + '<eve version="1"><title>&m;</title></eve>')

    def test_file_entity(self):
        self.each('(?i)document type', '<!DOCTYPE eve [<!ENTITY x SYSTEM "file:///etc/passwd">]><eve version="1"><title>&x;</title></eve>')

    def test_duplicate_names(self):
        program = self.program('<eve version="1">\n<component name="Twice" class="scope.gate" version="1"/>\n'
                               '<component name="Twice" class="scope.gate" version="1"/></eve>')
        self.bad(1, 'no reader.*made.eve:3.*Twice', 'run', pair(), '--program', program)
        done = scope('check', program)
        self.assertEqual((done.status, done.err), (1, ''))
        self.assertRegex(done.out, 'made.eve:3.*Twice')

    def test_unknown_component(self):
        program = self.program('<eve version="1"><component name="Reader" class="scope.sumerian" version="1"/></eve>')
        self.bad(1, 'scope.sumerian', 'run', pair(), '--program', program)

    def test_unknown_port_and_wrong_type_are_told(self):
        program = self.program('''<eve version="1">
  <component name="Reader" class="scope.tapepvm-reader" version="1"/>
  <component name="If" class="scope.threshold" version="1"/>
  <wire from="Reader" out="nowhere" to="If" in="value"/>
  <wire from="Reader" out="events" to="If" in="value"/>
</eve>
''')
        done = scope('run', pair(), '--program', program, '--stats')
        self.assertEqual(done.status, 1, done.err)
        self.assertRegex(done.err, r'made\.eve:4: ')
        self.assertRegex(done.err, r'made\.eve:5: ')
        self.assertIn('"events_read": 15', done.out)


if __name__ == '__main__':
    unittest.main()
