# SPDX-License-Identifier: Apache-2.0
"""Bad bundles, programs, films, libraries and disks, opened in the window: it says in a sentence what is wrong, and lives on.
The kinds of damage are those of tests/cli and tests/film."""
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
import unittest

from harness import SAMPLES, SCOPE, WINDOW, main, session
from test_shell import PROGRAM, Shell

ENROLL = '1 0 262145 0 0 a L 1 -1 p\n'
WORKS = ('<component name="Session" class="scope.session" version="1"/>'
         '<component name="Reader" class="scope.tapepvm-reader" version="1"/>'
         '<wire from="Session" out="commands" to="Reader" in="commands"/>')
BOMB = '<!DOCTYPE eve [<!ENTITY a "aaaaaaaaaa">' + ''.join(
    f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(12)) + ']>\n'
FLIPPED = bytes(b ^ 0x55 for b in range(256))


class Bad(Shell):
    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'wb') as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def bundle(self, name, events, form='tapepvm'):
        os.makedirs(self.path(f'{name}.trace', f'{name}.{form}'))
        if events is not None:
            self.write(f'{name}.trace/{name}.{form}/events', events)
        return self.path(f'{name}.trace')

    def said(self, w):
        return ' '.join(label.name for bar in w.find_all('info bar') for label in bar.find_all('label'))

    def refused(self, w, sentence, *words):
        """The window that has nothing open says why, and still has nothing open."""
        subprocess.run([WINDOW, *words], env=session().env, timeout=60)
        w.wait(lambda: re.search(sentence, self.said(w)), f'{words[-1]}: it says {sentence}', 30)
        self.assertFalse(w.find('toggle button', PROGRAM), words)
        w.key('Escape')
        w.wait_gone('info bar')

    def lives(self, w):
        """What is left is a window in which all can be done."""
        w.find('list item', 'farm.trace').click()
        w.wait_for('toggle button', PROGRAM)
        w.key('End')
        w.wait_for('label', 'master leaves PVM')
        w.key('ctrl+q')
        w.ended()

    def travels(self, w, last):
        """To the end and to the beginning."""
        w.wait_for('push button', 'Play')
        w.key('End')
        w.wait(lambda: w.find('push button', 'Present').description.replace('\u202f', '').replace(',', '').replace('\u2009', '')
               .endswith(f'event {last} of {last}'), f'all {last} events were given', 30)
        w.key('Home')
        w.wait_for('label', 'Before the first event')


class Bundles(Bad):
    def test_refused(self):
        os.makedirs(self.path('empty.trace'))
        os.symlink(self.path('loop.trace'), self.path('loop.trace'))
        w = self.start()
        for trace, sentence in ((self.path('nothing.trace'), '(?i)no such|not there'),
                                (self.path('empty.trace'), 'no data'),
                                (self.bundle('unknown', b'', 'sumerian'), 'sumerian'),
                                (self.write('file.trace', 'text'), 'is a file'),
                                (self.path('loop.trace'), '(?i)link'),
                                (self.bundle('hollow', None), 'events'),
                                (self.bundle('version', '#TAPE/PVM 3\n' + ENROLL), '(?i)version')):
            self.refused(w, sentence, trace)
        subprocess.run([WINDOW, self.path('nothing.trace')], env=session().env, timeout=60)
        w.wait_for('push button', 'Close the message').click()
        w.wait_gone('info bar')
        self.lives(w)

    def test_program_is_gone(self):
        """The trace opens all the same, and it is said with what."""
        w = self.start(self.copy('ring.trace'), self.path('gone.eve'))
        w.wait(lambda: re.search('gone.eve.* “Views of an execution” is opened in its place', self.said(w)), 'it is said', 30)
        w.wait_for('toggle button', 'Program: Views of an execution')

    def test_marks_of_samples(self):
        """They are the person's, and lie with what is the person's."""
        bundle = SAMPLES + '/ring.trace'
        w = self.start(bundle)
        w.wait_for('toggle button', PROGRAM)
        w.key('F6', 'm')
        kept = os.path.join(session().env['XDG_DATA_HOME'], 'scope', 'marks')
        w.wait(lambda: os.path.isdir(kept) and os.listdir(kept), 'the mark is kept')
        self.assertFalse(os.path.exists(os.path.join(bundle, 'marks.xml')))

    def test_files_that_never_end(self):
        """A pipe does not block the window, a device and a giant do not fill its memory."""
        def giant(path):
            with open(path, 'wb') as f:
                f.truncate(4 << 30)         # sparse
        ways = {'device': lambda path: os.symlink('/dev/zero', path), 'pipe': os.mkfifo, 'giant': giant,
                'stranger': lambda path: os.symlink('/etc/passwd', path)}
        w = self.start()
        for how, put in ways.items():
            if how != 'giant':              # that would be a long trace
                trace = self.bundle(how + '-events', None)
                put(os.path.join(trace, f'{how}-events.tapepvm', 'events'))
                self.refused(w, 'events', trace)
        for how, put in ways.items():
            trace = self.bundle(how, None)
            shutil.copytree(SAMPLES + '/ring.trace/ring.tapepvm', os.path.join(trace, how + '.tapepvm'), dirs_exist_ok=True)
            for name in ('marks.xml', 'nicknames', 'layout'):
                put(os.path.join(trace, name))
            os.makedirs(os.path.join(trace, 'doc'))
            put(os.path.join(trace, 'doc', 'README.md'))
            subprocess.run([WINDOW, trace], env=session().env, timeout=60)
            w.wait(lambda: re.search('marks.xml', self.said(w)), f'{how}: marks.xml is told of', 30)
            w.key('Escape')
            w.key('shift+F1')               # the documentation
            w.key('Escape')
            with open(f'/proc/{w.process.pid}/status') as f:
                used = int(re.search(r'VmRSS:\s+(\d+)', f.read())[1])
            self.assertLess(used, 1 << 20, f'{how}: KiB of memory')
            w.quit()
            w = self.start()
        self.lives(w)

    @unittest.skipIf(os.geteuid() == 0, 'root reads everything')
    def test_no_permission(self):
        trace, program = self.bundle('locked', ENROLL), self.write('locked.eve', f'<eve version="1">{WORKS}</eve>')
        os.chmod(os.path.join(trace, 'locked.tapepvm', 'events'), 0)
        os.chmod(program, 0)
        w = self.start()
        self.refused(w, '(?i)permission', trace)
        self.refused(w, '(?i)permission', SAMPLES + '/ring.trace', program)
        self.lives(w)

    def test_damaged(self):
        """What can be read is shown; what was left out is counted, as `scope info` counts it."""
        with open(os.path.join(self.synth(4, 500), 'synth-4.tapepvm', 'events'), 'rb') as f:
            good = f.read()
        lines = good.splitlines(keepends=True)
        head, body = [x for x in lines if x.startswith(b'#')], [x for x in lines if not x.startswith(b'#')]
        for name, events in (('truncated', good[:-7]), ('binary', ENROLL.encode() + bytes(range(256)) * 40), ('void', b''),
                             ('shuffled', b''.join(head + body[1::2] + body[::2])), ('twice', good * 2),
                             ('encoding', '1 0 262145 0 0 café L 1 -1 p\n'.encode('latin-1')), ('hopeless', '# nothing\nhello\n13 x\n'),
                             ('huge', ENROLL + '13 99999999999999999999 262145 1 0 1 1 8 0\n')):
            trace = self.bundle(name, events)
            info = json.loads(subprocess.run([SCOPE, 'info', trace, '--json'], check=True, stdout=subprocess.PIPE).stdout)
            w = self.opened(trace)
            if info['damaged'] and not info['events']:
                first = info['damage'][0]
                w.wait(lambda: re.search(rf'{name}: no event .*\b{info["damaged"]} damaged records? w.* “events”, line {first["line"]}, column '
                                         rf'{first["column"]}: {re.escape(first["reason"])}. “scope check”', self.said(w)),
                       f'{name}: what, where and what to do are told')
            elif info['damaged']:
                w.wait(lambda: re.search(rf'\b{info["damaged"]} damaged records? w', self.said(w)), f'{name}: what was left out is told', 30)
            self.travels(w, info['events'])
            w.key('ctrl+q')
            w.ended()


class Programs(Bad):
    def test_refused(self):
        w = self.start()
        os.mkdir(self.path('folder.eve'))
        for name, text, sentence in (('broken', '<eve version="1"><component', 'broken.eve'), ('text', 'hello', 'text.eve'),
                                     ('void', '', 'void.eve'), ('binary', '\0\1\2', 'binary.eve'),
                                     ('other', '<html/>', 'other.eve.*eve'), ('version', '<eve version="99"/>', '(?i)version'),
                                     ('bomb', BOMB + '<eve version="1"><title>&m;</title></eve>', '(?i)document type|not XML'),
                                     ('file', '<!DOCTYPE eve [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
                                              '<eve version="1"><title>&x;</title></eve>', '(?i)document type'),
                                     ('unread', '<eve version="1"/>', 'no reader'),
                                     ('class', '<eve version="1"><component name="R" class="scope.sumerian" version="1"/></eve>',
                                      'scope.sumerian')):
            self.refused(w, sentence, SAMPLES + '/ring.trace', self.write(name + '.eve', text))
        self.refused(w, 'folder.eve', SAMPLES + '/ring.trace', self.path('folder.eve'))
        self.lives(w)

    def test_opened_with_a_sentence(self):
        """What makes no sense is left out of work and told; all the rest works."""
        for name, text, sentence in (
                ('strange', '<component name="Stranger" class="nobody.knows" version="1"/>'
                            '<wire from="Reader" out="events" to="Stranger" in="x"/>', 'nobody.knows'),
                ('port', '<component name="If" class="scope.threshold" version="1"/>'
                         '<wire from="Reader" out="nowhere" to="If" in="value"/>', 'port.eve:1.*nowhere'),
                ('type', '<component name="If" class="scope.threshold" version="1"/>'
                         '<wire from="Reader" out="events" to="If" in="value"/>', 'type.eve:1'),
                ('twice', '<component name="Reader" class="scope.gate" version="1"/>', 'twice.eve:1.*Reader'),
                ('unknown', '<component name="Wait" class="scope.delay" version="1"><setting name="colour">red</setting></component>',
                 'unknown.eve:1.*colour'),
                ('range', '<component name="Wait" class="scope.delay" version="1"><setting name="size">-5</setting></component>',
                 'range.eve:1.*size'),
                ('cycle', '<component name="A" class="scope.unary" version="1"/><component name="B" class="scope.unary" version="1"/>'
                          '<wire from="A" out="result" to="B" in="value"/><wire from="B" out="result" to="A" in="value"/>', None)):
            w = self.opened(SAMPLES + '/ring.trace', self.write(name + '.eve', f'<eve version="1">{WORKS}{text}</eve>'))
            if sentence:
                w.wait(lambda: re.search(sentence, self.said(w)), f'{name}: it says {sentence}')
            self.travels(w, 996)
            self.add(w, 'probe')
            w.key('ctrl+z')
            w.wait(lambda: not self.modified(w), 'it can be edited')
            w.key('ctrl+q')
            w.ended()


class Strangers(Bad):
    """Programs that write, read and start what they should not (docs/security.md)."""

    def hostile(self, more, name='hostile'):
        return self.write(name + '.eve', f'<eve version="1">{WORKS}{more}</eve>')

    def playing(self, program):
        """Opened, played to the end, with its film."""
        w = self.opened(SAMPLES + '/ring.trace', program)
        w.key('End')
        w.wait(lambda: re.search(r'event (\d+) of \1$', w.find('push button', 'Present').description.replace('\u202f', '').replace(',', '')
                                 .replace('\u2009', '')), 'the end', 60)
        return w

    def test_sinks_write_where_the_person_says(self):
        """Opened, played, travelled and filmed nothing is written; then the files of a folder that was chosen."""
        victim, out = self.write('victim', 'precious'), self.path('out')
        os.mkdir(out)
        sinks = ''.join(f'<component name="{name}" class="scope.{klass}" version="1"><setting name="file">{file}</setting></component>'
                        f'<wire from="Reader" out="events" to="{name}" in="in"/>'
                        for name, klass, file in (('Evil', 'csv-sink', victim), ('Up', 'text-sink', '../victim')))
        before = set(os.listdir(self.folder))
        w = self.playing(self.hostile(sinks))
        w.key('Home')
        w.wait_for('label', 'Before the first event')
        with open(victim) as f:
            self.assertEqual(f.read(), 'precious')
        self.assertEqual(set(os.listdir(self.folder)) - before, {'hostile.eve'})
        self.write_files(w, out)
        w.wait(lambda: 'begins with /' in self.said(w) or 'leads out' in self.said(w), 'what is refused is told', 60)
        with open(victim) as f:
            self.assertEqual(f.read(), 'precious')
        self.assertEqual(os.listdir(out), [])
        w.key('ctrl+q')
        w.ended()
        good = '<component name="Sink" class="scope.csv-sink" version="1"><setting name="file">events.csv</setting></component>' \
               '<wire from="Reader" out="events" to="Sink" in="in"/>'
        w = self.playing(self.hostile(good, 'good'))
        self.assertEqual(os.listdir(out), [])
        self.write_files(w, out)
        w.wait(lambda: re.search('1 file of this program was written into', self.said(w)), 'it is told', 60)
        self.assertEqual(os.listdir(out), ['events.csv'])
        with open(os.path.join(out, 'events.csv')) as f:
            rows = f.read().splitlines()
        events = json.loads(subprocess.run([SCOPE, 'info', SAMPLES + '/ring.trace', '--json'], check=True,
                                           stdout=subprocess.PIPE).stdout)['events']
        self.assertEqual(len(rows), 1 + events)

        # where `scope run --out` would not write, nor into what has files of its own
        def refused(folder, sentence):
            kept = sorted(os.listdir(folder))
            self.write_files(w, folder)
            w.wait(lambda: re.search(re.escape(folder) + '.*' + sentence, self.said(w)), f'{folder}: it says {sentence}', 60)
            self.assertEqual(sorted(os.listdir(folder)), kept)

        os.mkdir(self.path('linked'))
        os.symlink(victim, self.path('linked', 'events.csv'))
        refused(self.path('linked'), 'events.csv is no plain file but a link')
        self.assertTrue(os.path.islink(self.path('linked', 'events.csv')))
        os.mkdir(self.path('piped'))
        os.mkfifo(self.path('piped', 'events.csv'))
        refused(self.path('piped'), 'events.csv is no plain file but a pipe')
        with open(victim) as f:
            self.assertEqual(f.read(), 'precious')
        subprocess.run([SCOPE, 'film', SAMPLES + '/ring.trace', '-o', self.path('its.film'), '--quiet'], check=True, stdout=subprocess.DEVNULL)
        refused(self.path('its.film'), 'this folder is a film')
        shutil.copytree(SAMPLES + '/ring.trace', self.path('copy.trace'))
        os.rename(self.path('copy.trace', 'ring.tapepvm'), self.path('copy.trace', 'copy.tapepvm'))
        refused(self.path('copy.trace'), 'this folder is a trace')

    def write_files(self, w, folder):
        self.menu(w, 'Write files of components…')
        w.wait_for('file chooser')
        w.type('/')
        w.key('ctrl+a')
        w.type(folder)
        w.key('Return')
        w.wait(lambda: not w.find('file chooser') or w.find('push button', 'Write Here'), 'it was chosen')

        def gone():                                     # a click while the typed name is being completed does nothing
            button = w.find('push button', 'Write Here')
            if button:
                button.click()
            return not w.find('file chooser')
        w.wait(gone, 'the folder was taken')

    def test_reading_elsewhere_is_asked_for(self):
        """Asked once, with the path; remembered for the content of the program, wherever its file is."""
        far = os.path.join(self.path('far'), 'far.trace')
        shutil.copytree(SAMPLES + '/philosophers.trace', far)
        os.rename(os.path.join(far, 'philosophers.tape'), os.path.join(far, 'far.tape'))
        os.mkdir(self.path('programs'))
        other = '<component name="Other" class="scope.tape-reader" version="1"><setting name="trace">FAR</setting></component>'
        program = self.hostile(other.replace('FAR', far), 'programs/reads')
        w = self.start(SAMPLES + '/ring.trace', program)
        no = w.wait_for('push button', 'Do not read it', 30)
        self.assertTrue(w.wait(lambda: [l for l in w.find_all('label') if far in l.name], 'the path is shown'))
        no.click()
        w.wait(lambda: [l for l in w.find_all('label') if 'lies outside the folder' in l.name], 'what was not read is told')
        w.key('ctrl+q')
        w.ended()
        w = self.start(SAMPLES + '/ring.trace', program)
        w.wait_for('push button', 'Read it', 30).click()
        w.wait_for('toggle button', PROGRAM)
        w.key('ctrl+q')
        w.ended()
        os.mkdir(self.path('programs', 'sub'))
        moved = shutil.copy(program, self.path('programs', 'sub', 'same.eve'))
        w = self.start(SAMPLES + '/ring.trace', moved)
        w.wait_for('toggle button', PROGRAM, 30)            # of the same content: not asked
        w.key('ctrl+q')
        w.ended()
        changed = self.hostile('<doc>x</doc>' + other.replace('FAR', far), 'programs/changed')
        w = self.start(SAMPLES + '/ring.trace', changed)
        w.wait_for('push button', 'Do not read it', 30).click()
        w.wait(lambda: [l for l in w.find_all('label') if 'lies outside the folder' in l.name], 'what was not read is told')


class Films(Bad):
    def shot(self, trace):
        """Files of the film of a trace, once it is complete."""
        home = os.path.join(session().env['XDG_CACHE_HOME'], 'scope', 'films')
        name = os.path.basename(trace).replace('.trace', '-')
        return {os.path.relpath(os.path.join(folder, n), home): os.path.join(folder, n)
                for folder, _, names in os.walk(home) for n in names if os.path.basename(folder).startswith(name)}

    def complete(self, trace, n=1):
        """Whether so many films of it are."""
        texts = []
        for path in self.shot(trace).values():
            if path.endswith('manifest'):
                with open(path, errors='replace') as f:
                    texts.append(f.read())
        return sum('state=complete' in text for text in texts) == n

    def renamed(self, sample, name):
        """A copy that has a name of its own, as films of one name lie side by side."""
        trace = self.path(name + '.trace')
        shutil.copytree(f'{SAMPLES}/{sample}.trace', trace)
        os.rename(f'{trace}/{sample}.tapepvm', f'{trace}/{name}.tapepvm')
        return trace

    def test_damaged(self):
        """A film that is damaged, or of something else, is shot again; the window shows the execution all the same."""
        trace, other = self.renamed('ring', 'harmed'), self.renamed('fft2d-s2', 'other')
        w = self.opened(other)
        w.wait(lambda: self.complete(other), 'another film is shot', 60)
        w.kill()
        of_other = {os.path.basename(path): path for path in self.shot(other).values()}

        def every(damage):
            for path in self.shot(trace).values():
                with open(path, 'rb') as f:
                    data = f.read()
                with open(path, 'wb') as f:
                    f.write(damage(data))

        def one(name, damage):
            path = next(p for p in self.shot(trace).values() if p.endswith(name))
            with open(path, 'rb') as f:
                data = f.read()
            with open(path, 'wb') as f:
                f.write(damage(data))

        def replace():
            for path in self.shot(trace).values():
                if os.path.basename(path) in of_other:
                    shutil.copy(of_other[os.path.basename(path)], path)

        def edit():
            with open(os.path.join(trace, 'harmed.tapepvm', 'events'), 'r+b') as f:
                data = f.read().splitlines(keepends=True)
                f.seek(0)
                f.writelines(data[:-1])
                f.truncate()
        for why, harm in (('truncated', lambda: every(lambda data: data[:len(data) // 2])), ('empty', lambda: every(lambda data: b'')),
                          ('flipped', lambda: every(lambda data: data.translate(FLIPPED))),
                          ('another version', lambda: one('manifest', lambda data: re.sub(rb'version=\d+', b'version=99', data, 1))),
                          ('checkpoints', lambda: one('checkpoints', lambda data: data[:40] + data[40:].translate(FLIPPED))),
                          ('of another trace', replace), ('the trace was edited', edit)):
            w = self.opened(trace)
            w.wait(lambda: self.complete(trace), f'a film is shot before: {why}', 60)
            w.kill()
            harm()
            info = json.loads(subprocess.run([SCOPE, 'info', trace, '--json'], check=True, stdout=subprocess.PIPE).stdout)
            w = self.opened(trace)
            self.travels(w, info['events'])
            w.wait(lambda: self.complete(trace, 1 + (harm == edit)), f'it is shot again: {why}', 60)
            # What was damaged is told, and that it is mended.
            self.assertRegex(self.said(w), r'\A(|.*; the film is shot again)\s*\Z')
            w.key('ctrl+q')
            w.ended()

    def test_scope_of_another_build(self):
        """A window and the program that shoots its films, one of them built alone: a sentence at once, in place of a film that never comes."""
        build = os.path.dirname(os.path.dirname(WINDOW))
        with open(os.path.join(build, 'src', 'film-code.h')) as f:
            code = int(re.search('0x([0-9a-f]+)', f.read())[1], 16).to_bytes(8, 'little')
        with open(WINDOW, 'rb') as f:
            program = f.read()
        self.assertIn(code, program)
        folder = tempfile.mkdtemp(prefix='another-', dir=build)     # where its libraries are found
        self.addCleanup(shutil.rmtree, folder, True)
        other = os.path.join(folder, 'scope-window')
        with open(other, 'wb') as f:
            f.write(program.replace(code, code.translate(FLIPPED)))
        os.chmod(other, 0o755)
        trace = self.copy('ring.trace')
        for films in ('none', 'one of the other build'):
            w = self.start(trace, program=other, ready=False)       # it is told once, and goes again
            told = w.wait(lambda: 'of another build of Scope than this window' in (said := self.said(w)) and said, f'it is told: {films}', 60)
            self.assertIn(f'{SCOPE} is of another build', told)
            w.quit()
            if films == 'none':
                w = self.opened(trace)
                w.wait(lambda: self.complete(trace), 'a film is shot', 60)
                w.quit()

    def test_saved_states_damaged(self):
        """What the person saved cannot be shot again: that it is damaged is told once, and no film is shot for it."""
        trace = self.renamed('ring', 'kept')
        w = self.opened(trace)
        w.wait(lambda: self.complete(trace), 'a film is shot', 60)
        for place in ('End', 'Home'):
            w.key(place)
            w.settle()
            w.key('ctrl+alt+s')
            w.wait(lambda: any(path.endswith('by-hand') for path in self.shot(trace)), 'it is saved')
            w.settle()
        w.kill()
        hand = next(path for path in self.shot(trace).values() if path.endswith('by-hand'))
        with open(hand, 'r+b') as f:
            f.seek(40)
            f.write(b'harm')
        films = {path: os.stat(path).st_mtime_ns for path in self.shot(trace).values() if path.endswith('manifest')}
        w = self.opened(trace)
        w.wait(lambda: re.match(r'Of the states that you saved some are damaged; the others still serve\. .*damaged bytes',
                                self.said(w)), 'it is told', 30)
        list(w.find('info bar').find_all('push button'))[-1].click()
        w.wait_gone('info bar')
        w.find('toggle button', 'Record').click()
        w.wait_for('menu item', 'Shoot the film again').click()     # the file is opened again with each film
        w.wait(lambda: self.complete(trace) and all(os.stat(path).st_mtime_ns > at for path, at in films.items()), 'it is shot', 60)
        films = {path: os.stat(path).st_mtime_ns for path in films}
        for place in ('End', 'Home', 'End'):
            w.key(place)
            w.settle()
        self.assertEqual(self.said(w), '')
        self.assertEqual({path: os.stat(path).st_mtime_ns for path in films}, films)
        w.key('ctrl+q')
        w.ended()


class Libraries(Bad):
    def test_a_broken_library(self):
        """A component library that cannot be loaded is told of; the others are there."""
        self.write('plugins/broken.so', b'\x7fELF nonsense')
        w = self.opened(SAMPLES + '/ring.trace', env={'SCOPE_PLUGIN_PATH': self.path('plugins')})
        w.wait(lambda: 'broken.so' in self.said(w), 'it is told')
        self.travels(w, 996)


class Focus(Bad):
    def test_what_was_never_shown_is_refused(self):
        """The widget that keeps the focus may be gone later: then the window points at nothing that is freed."""
        r = subprocess.run([os.environ['SCOPE_FOCUS_TEST']], env=dict(session().env, G_DEBUG='fatal-criticals'), capture_output=True, text=True, timeout=60)
        self.assertEqual((r.returncode, re.findall('^(ok|not ok) ', r.stdout, re.M)), (0, ['ok'] * 5), r.stdout + r.stderr)


class Disk(Bad):
    def test_full(self):
        """The disk is full while the program, a mark and a report are saved: a sentence each, and nothing is lost."""
        trace, program = self.copy('ring.trace'), self.path('mine.eve')
        shutil.copy(os.path.join(os.path.dirname(SAMPLES), 'schemas', 'tapepvm', 'views.eve'), program)
        with open(program) as f:
            before = f.read()
        w = self.opened(trace, program, keep_signals=True)
        self.add(w, 'probe')
        w.settle()
        resource.prlimit(w.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        w.key('ctrl+s')
        w.wait(lambda: re.search('(?i)too large|no space', self.said(w)), 'it is told')
        self.assertTrue(self.modified(w))
        with open(program) as f:
            self.assertEqual(f.read(), before)
        w.key('Escape')
        w.key('m')
        w.wait(lambda: re.search('(?i)too large|no space', self.said(w)), 'of the mark too')
        resource.prlimit(w.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        w.key('ctrl+s')
        w.wait(lambda: not self.modified(w), 'there is room again: it is saved')
        with open(program) as f:
            self.assertIn('scope.probe', f.read())
        w.key('ctrl+q')
        w.ended()


if __name__ == '__main__':
    main()
