#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`scope marks` end to end: what is added, edited and removed is in the list, in the file, in other commands and in the page."""
import base64
import fcntl
import os
import random
import re
import shutil
import subprocess
import threading
import unittest
import wave
import xml.etree.ElementTree as ET

from cli import ROOT, SCOPE, Case, scope


def content(path):
    """Bytes; None: there is no such file."""
    if not os.path.exists(path):
        return None
    with open(path, 'rb') as f:
        return f.read()


class Marks(Case):
    def setUp(self):
        super().setUp()
        self.trace = self.path('ring.trace')
        shutil.copytree(os.path.join(ROOT, 'traces', 'ring.trace'), self.trace)
        if os.path.exists(self.file()):
            os.remove(self.file())
        self.env = {f'XDG_{kind}_HOME': self.path(kind) for kind in ('CACHE', 'DATA', 'CONFIG')}
        self.env['LC_ALL'] = 'C.UTF-8'

    def file(self):
        return os.path.join(self.trace, 'marks.xml')

    def marks(self, *words, status=0):
        done = scope('marks', self.trace, *words, env=self.env)
        self.assertEqual(done.status, status, done.err)
        return done

    def listed(self):
        """By JSON, by the table and by the file itself: three ways that must agree."""
        by_json = [(m['name'], m['t'], m['notes']) for m in self.marks('list', '--json').json()]
        by_file = []
        if os.path.exists(self.file()):
            for m in ET.parse(self.file()).getroot():
                by_file.append((m.get('name'), float(m.get('date')), m.findtext('notes') or ''))
        self.assertEqual([(n, float(t), x) for n, t, x in by_json], by_file)
        table = self.marks().out.splitlines()
        self.assertEqual(len(table), len(by_json))
        for line, (name, t, notes) in zip(table, by_json):
            self.assertIn(name, line)
            self.assertAlmostEqual(float(line.split()[0]), float(t))
            self.assertIn(notes.split('\n')[0].strip(), line)
        return by_file

    def test_attached(self):
        """A sound goes with the mark into the trace and into the page; what is none is refused, and nothing is left of it."""
        said, broken = self.path('what I said.wav'), self.path('broken.wav')
        sound = random.Random(int(os.environ.get('SCOPE_SEED', 1)))
        with wave.open(said, 'wb') as f:
            f.setnchannels(1)
            f.setsampwidth(2)
            f.setframerate(8000)
            f.writeframes(bytes(sound.randrange(256) for _ in range(8000)))
        with open(broken, 'wb') as f:
            f.write(content(said)[:4] + b'?' * 100)
        self.marks('add', 'slow', '--at', '0.05', '--note', 'Hear:', '--attach', said)
        self.assertEqual([n for _, _, n in self.listed()], ['Hear:\n\n![what-I-said.wav](marks/what-I-said.wav)'])
        self.assertEqual(content(os.path.join(self.trace, 'marks', 'what-I-said.wav')), content(said))
        self.marks('export', self.path('page.html'), '--no-pictures')
        page = content(self.path('page.html')).decode()
        coded = re.search(r'<audio controls title="what-I-said.wav" src="data:audio/wav;base64,([^"]*)"></audio>', page)
        self.assertEqual(base64.b64decode(coded[1]), content(said))
        before = content(self.file()), os.listdir(os.path.join(self.trace, 'marks'))
        for file, why in ((broken, 'damaged'), (__file__, 'no picture, sound or film'), (self.path('none.ogg'), 'none.ogg')):
            self.assertIn(why, self.marks('edit', 'slow', '--attach', file, status=1).err)
        self.assertIn('--attach', self.marks('remove', 'slow', '--attach', said, status=2).err)
        self.assertEqual((content(self.file()), os.listdir(os.path.join(self.trace, 'marks'))), before)
        folder = os.path.join(self.trace, 'marks')
        self.marks('add', 'again', '--at', '0.06', '--attach', said)        # it is there already
        self.assertIn('![what-I-said.wav](marks/what-I-said.wav)', self.listed()[1][2])
        self.assertEqual(os.listdir(folder), before[1])
        with open(said, 'r+b') as f:
            f.seek(-1, os.SEEK_END)
            last = f.read(1)
            f.seek(-1, os.SEEK_END)
            f.write(bytes([last[0] ^ 1]))
        self.marks('edit', 'slow', '--attach', said)        # another of its name
        self.assertIn('![what-I-said-2.wav](marks/what-I-said-2.wav)', self.listed()[0][2])
        self.assertEqual(content(os.path.join(folder, 'what-I-said-2.wav')), content(said))
        with open(os.path.join(folder, 'mine.txt'), 'w') as f:
            f.write('put there by somebody')
        self.marks('remove', 'slow')        # what no other mark shows goes with it
        self.assertEqual(sorted(os.listdir(folder)), sorted(set(before[1]) | {'mine.txt'}))
        self.marks('remove', 'again')
        self.assertEqual(os.listdir(folder), ['mine.txt'])
        self.assertEqual(scope('info', self.trace, env=self.env).status, 0)

    def test_none(self):
        self.assertEqual(self.listed(), [])
        self.assertFalse(os.path.exists(self.file()))       # looking makes nothing

    def test_add_edit_remove(self):
        self.marks('add', 'late', '--at', '0.02')
        self.marks('add', 'early one', '--at', '0.001', '--note', 'Why *here*?\nBecause <of> & "this".')
        self.assertEqual(self.listed(), [('early one', 0.001, 'Why *here*?\nBecause <of> & "this".'), ('late', 0.02, '')])
        self.marks('add', 'third', '--at', '@late')         # at the instant of another one
        self.assertEqual([(n, t) for n, t, _ in self.listed()], [('early one', 0.001), ('late', 0.02), ('third', 0.02)])
        self.marks('edit', 'late', '--rename', 'sooner', '--at', '0.0005', '--note', 'n')
        self.assertEqual(self.listed()[0], ('sooner', 0.0005, 'n'))
        self.marks('edit', 'sooner', '--note', '')
        self.assertEqual(self.listed()[0], ('sooner', 0.0005, ''))
        self.marks('remove', 'early one')
        self.assertEqual([n for n, _, _ in self.listed()], ['sooner', 'third'])
        state = scope('state', self.trace, '--at', '@sooner', '--json', env=self.env)
        same = scope('state', self.trace, '--at', '0.0005', '--json', env=self.env)
        self.assertEqual((state.status, state.out), (0, same.out))

    def refused(self, *words, says, status):
        before = content(self.file())
        done = self.marks(*words, status=status)
        self.assertEqual(done.out, '')
        self.assertIn(says, done.err)
        self.assertEqual(before, content(self.file()))

    def test_refusals(self):
        self.marks('add', 'a', '--at', '0.001')
        self.marks('add', 'b', '--at', '0.002')
        for words, says, status in [
                (['add', 'a', '--at', '0.3'], 'already', 1), (['edit', 'b', '--rename', 'a'], 'already', 1),
                (['add', 'c'], '--at', 2), (['edit', 'a'], '--rename', 2), (['edit', 'none', '--at', '1'], 'no mark of this name', 1),
                (['remove', 'none'], 'no mark of this name', 1), (['add', 'c', '--at', 'soon'], 'no time', 2),
                (['add', 'c', '--at', '-5'], 'has not begun by then', 1), (['edit', 'a', '--at', '-0.001'], 'has not begun by then', 1),
                (['add', 'c', '--at', '@none'], 'no mark of this name', 1), (['add', '@c', '--at', '1'], 'no name for a mark', 1),
                (['add', 'x' * 40, '--at', '1'], '39 bytes', 1), (['add', 'c', '--at', '1', '--note', 'a\uffffb'], 'XML cannot', 1),
                (['add', 'c\ufffe', '--at', '1'], 'XML cannot', 1), (['add', 'c', '--at', '1', '--note', 'a\x01b'], 'control characters', 1),
                (['add', 'a]b', '--at', '1'], 'bracket', 1), (['list', 'x'], 'takes no name', 2), (['export'], 'FILE.html', 2),
                (['remove'], 'say which mark', 2), (['bring', 'x'], 'list, add, edit, remove, export', 2)]:
            with self.subTest(words=words):
                self.refused(*words, says=says, status=status)

    def test_bounds(self):
        """The longest name, dates at the beginning of the execution and far behind it."""
        for name, at in [('x' * 39, '0'), ('é' * 19, '0.5'), ('far', '1000000'), ('0', '0.000000001')]:
            self.marks('add', name, '--at', at)
        self.assertEqual([(n, t) for n, t, _ in self.listed()],
                         [('x' * 39, 0.0), ('0', 1e-9), ('é' * 19, 0.5), ('far', 1e6)])

    def test_damaged(self):
        for text, says in [('<marks version="1"><mark/></marks>', ':1: a mark has a name and a date'), ('', ''),
                           ('<marks version="1">\n<mark name="a" date="1"/>\n<mark name="a" date="2"/></marks>', ':3: there is a mark called a already'),
                           ('<marks version="9"/>', 'version 9'), ('\x00\x01', 'mend the file')]:
            with open(self.file(), 'w') as f:
                f.write(text)
            for words in (['list'], ['add', 'b', '--at', '1']):
                self.refused(*words, says=says, status=1)

    def test_random(self):
        """Against a list kept here, at every step."""
        r = random.Random(11)
        kept = {}
        for step in range(24):
            name = f'm{r.randrange(8)}'
            verb = r.choice(['add', 'add', 'edit', 'remove'])
            t = r.randrange(-1000, 10**8)
            note = ''.join(r.choice('ab*`@ <&\n-[]()é') for _ in range(r.randrange(12)))
            words = [verb, name] + (['--at', f'{t / 1e9:.9f}'] if verb != 'remove' else []) + (['--note', note] if verb != 'remove' else [])
            good = (name in kept) == (verb != 'add')
            self.marks(*words, status=0 if good else 1)
            if good and verb == 'remove':
                del kept[name]
            elif good:
                kept[name] = (t, note)
            if step % 8 == 7:
                want = sorted(((t, n, x) for n, (t, x) in kept.items()))
                self.assertEqual([(round(t * 1e9), n, x) for n, t, x in self.listed()], want)

    def test_at_once(self):
        """Two that add at once take turns: nothing is lost."""
        children = [subprocess.Popen([SCOPE, 'marks', self.trace, 'add', f'm{i}', '--at', str(i)], env=dict(os.environ, **self.env))
                    for i in range(6)]
        self.assertEqual([c.wait(60) for c in children], [0] * 6)
        self.assertEqual([n for n, _, _ in self.listed()], [f'm{i}' for i in range(6)])

    def test_export(self):
        self.marks('add', 'here', '--at', '0.01', '--note', 'See @there, *this* and `that`.\n\n- one\n- two')
        self.marks('add', 'there', '--at', '0.02', '--note', '<script>alert(1)</script> [x](javascript:alert(1)) ![p](../../../etc/passwd)')
        page = self.path('marks.html')
        self.marks('export', page, '--no-pictures')
        text = content(page).decode()
        for part in ['<em>this</em>', '<code>that</code>', '<li>one</li>', 'here', 'there', '&lt;script&gt;']:
            self.assertIn(part, text)
        for part in ['<script', 'href="javascript', 'root:', 'src="http']:
            self.assertNotIn(part, text)
        self.assertNotIn('<img', text)
        self.marks('export', page, '--program', os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve'))
        text = content(page).decode()
        self.assertGreaterEqual(len(re.findall(r'<img[^>]*src="data:image|<svg', text)), 2)
        self.marks('export', self.path('no', 'such', 'folder.html'), status=1)

    PROGRAM = os.path.join(ROOT, 'schemas', 'activity', 'load-balance.eve')
    TITLES = {'Balance': 'Matrix', 'Time by state': 'Table', 'Busy table': 'Table', 'Imbalance': 'Values', 'Shares': 'Pie'}

    def pictures(self, page):
        """By mark, in order of the page: (what stands below the picture, its bytes)."""
        text = content(page).decode()
        found = {}
        for name, part in re.findall(r'<h2[^>]*>(.*?)</h2>(.*?)(?=<h2|$)', text, re.S):
            found[re.sub('<[^>]*>', '', name).split()[0]] = [
                (title, base64.b64decode(data)) for data, title in
                re.findall(r'<img[^>]*src="data:image/png;base64,([^"]*)">(?:<svg.*?</svg>)?</div><figcaption>([^<]*)</figcaption>', part, re.S)]
        return found

    def test_pictures(self):
        """Each view at each mark: bit for bit what `draw` makes of it there."""
        for name, at in (('early', '0.0005'), ('late', '0.0123')):
            self.marks('add', name, '--at', at)
        page = self.path('marks.html')
        done = self.marks('export', page, '--program', self.PROGRAM)
        self.assertEqual((done.out, done.err), ('', ''))
        found = self.pictures(page)
        self.assertEqual(sorted(found), ['early', 'late'])
        for mark, pictures in found.items():
            self.assertEqual([title for title, _ in pictures], list(self.TITLES.values()))
            for view, (_, picture) in zip(self.TITLES, pictures):
                with self.subTest(mark=mark, view=view):
                    drawn = self.path('drawn.png')
                    done = scope('draw', self.trace, '--program', self.PROGRAM, '--view', view, '--at', '@' + mark, '--size', '960x540',
                                 '--scale', '2', '-o', drawn, env=self.env)
                    self.assertEqual(done.status, 0, done.err)
                    self.assertTrue(content(drawn) == picture, 'another picture')
        self.assertNotEqual(*[p[1] for p in found.values()])

    TWO = """<eve version="1"><title>Two</title>
      <component name="A" class="scope.tapepvm-reader" version="1"/>
      <component name="B" class="scope.tapepvm-reader" version="1"><setting name="trace">other/ring.trace</setting></component>
      <component name="Waits of A" class="scope.waiting-times" version="1"/><component name="Waits of B" class="scope.waiting-times" version="1"/>
      <component name="Owners of A" class="scope.statistics-by-owner" version="1"/><component name="Owners of B" class="scope.statistics-by-owner" version="1"/>
      <component name="Sums of A" class="scope.pie" version="1"/><component name="Sums of B" class="scope.pie" version="1"/>
      <wire from="A" out="events" to="Waits of A" in="events"/><wire from="B" out="events" to="Waits of B" in="events"/>
      <wire from="Waits of A" out="dated" to="Owners of A" in="value"/><wire from="Waits of B" out="dated" to="Owners of B" in="value"/>
      <wire from="Owners of A" out="sum" to="Sums of A" in="value"/><wire from="Owners of B" out="sum" to="Sums of B" in="value"/></eve>"""

    def test_two_of_one_name(self):
        """Two traces that are called alike: from mark to mark no task of one is taken for one of the other."""
        other = self.path('other', 'ring.trace')
        shutil.copytree(os.path.join(ROOT, 'traces', 'farm.trace'), other)
        os.rename(os.path.join(other, 'farm.tapepvm'), os.path.join(other, 'ring.tapepvm'))
        program = self.path('two.eve')
        with open(program, 'w') as f:
            f.write(self.TWO)
        for name, at in (('one', '0.072'), ('two', '0.09'), ('three', '0.2')):
            self.marks('add', name, '--at', at)
        page, drawn = self.path('marks.html'), self.path('drawn.png')
        self.marks('export', page, '--program', program)
        for mark, pictures in self.pictures(page).items():
            self.assertEqual(len(pictures), 2, mark)
            for view, (_, picture) in zip(('Sums of A', 'Sums of B'), pictures):
                with self.subTest(mark=mark, view=view):
                    done = scope('draw', self.trace, '--program', program, '--view', view, '--at', '@' + mark, '--size', '960x540',
                                 '--scale', '2', '-o', drawn, env=self.env)
                    self.assertEqual(done.status, 0, done.err)
                    self.assertTrue(content(drawn) == picture, 'another picture')

    def test_program_of_report(self):
        """Without a program: the one of the format that has views.  One without views gives no pictures, one that is none a sentence."""
        self.marks('add', 'here', '--at', '0.01')
        a, b = self.path('a.html'), self.path('b.html')
        self.marks('export', a)
        self.marks('export', b, '--program', os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve'))
        self.assertEqual(content(a), content(b))
        self.assertGreater(len(self.pictures(a)['here']), 1)
        self.marks('export', a, '--program', os.path.join(ROOT, 'schemas', 'tapepvm', 'default.eve'))
        self.marks('export', b, '--no-pictures')
        self.assertEqual(content(a), content(b))
        os.remove(a)
        done = self.marks('export', a, '--program', self.path('none.eve'), status=1)
        self.assertIn('none.eve', done.err)
        self.assertFalse(os.path.exists(a))
        self.refused('list', '--format', 'tape', says='tape', status=1)

    def test_lost(self):
        """A film that has lost what a picture shows: it is marked, told, and the status says so; or it is whole again."""
        self.marks('add', 'here', '--at', '0.01')
        whole, page = self.path('whole.html'), self.path('page.html')
        program = os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve')
        self.marks('export', whole, '--program', program)
        records = [os.path.join(at, f) for at, _, files in os.walk(self.path('CACHE')) for f in files if f.endswith(('.records', '.sums'))]
        self.assertTrue(records)
        for path in records:
            data = bytearray(content(path))
            data[len(data) // 2:len(data) // 2 + 64] = bytes(len(data[len(data) // 2:len(data) // 2 + 64]))
            with open(path, 'wb') as f:
                f.write(data)
        done = scope('marks', self.trace, 'export', page, '--program', program, env=self.env)
        self.assertIn(done.status, (0, 1))
        self.assertRegex(done.err, 'damaged|missing|lost')
        if done.status == 0:
            self.assertEqual(content(page), content(whole))
        else:
            self.assertIn('marked', done.err)
        again = self.marks('export', page, '--program', program)
        self.assertEqual((again.err, content(page) == content(whole)), ('', True))

    def test_no_place_for_pictures(self):
        """A page that lacks its pictures is not as good as one that has them."""
        self.marks('add', 'a', '--at', '0.001')
        page = self.path('page.html')
        done = scope('marks', self.trace, 'export', page, env=dict(self.env, TMPDIR=self.path('absent')))
        self.assertEqual(done.status, 1, done.err)
        self.assertIn('no pictures: no folder can be made for them in ' + self.path('absent'), done.err)
        self.assertTrue(os.path.exists(page))

    def test_viewpoints(self):
        """A mark is given a place from which scenes are seen; `draw --at @mark` draws them from there, unless told otherwise."""
        scene = os.path.join(ROOT, 'schemas', 'messages', 'scene.eve')
        place = 'eye 1 -5 4 centre 0.5 0 0 angle 50'
        self.marks('add', 'here', '--at', '0.01', '--program', scene, '--viewpoint', f'Scene={place}')
        self.assertEqual(self.marks('list', '--json').json()[0]['viewpoints'], {'Scene': place})
        for wrong, says in (('Scene=nonsense', 'neither a viewpoint nor eye'), ('Scene', 'is not VIEW=PLACE'),
                            ('Nobody=' + place, 'no such view'), ('Reader=' + place, 'is no scene')):
            done = scope('marks', self.trace, 'edit', 'here', '--program', scene, '--viewpoint', wrong, env=self.env)
            self.assertNotEqual(done.status, 0)
            self.assertIn(says, done.err)

        def drawn(at, *more):
            path = self.path('scene.svg')
            done = scope('draw', self.trace, '--program', scene, '--view', 'Scene', '--at', at, '--size', '300x200', '-o', path, *more, env=self.env)
            self.assertEqual(done.status, 0, done.err)
            return content(path), done.err
        self.assertEqual(drawn('@here'), drawn('0.01', '--set', f'Scene.camera={place}'))
        self.assertNotEqual(drawn('@here'), drawn('0.01'))
        self.assertEqual(drawn('@here', '--set', 'Scene.camera='), drawn('0.01'))
        self.assertIn('neither a viewpoint nor eye', drawn('0.01', '--set', 'Scene.camera=somewhere')[1])

    def test_taking_turns(self):
        """Who waits for another that changes the marks says so."""
        held = os.open(self.trace, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        threading.Timer(1, os.close, [held]).start()
        done = self.marks('add', 'later', '--at', '0.001')
        self.assertIn('another program is changing the marks; waiting for it', done.err)
        self.assertEqual([m['name'] for m in self.marks('list', '--json').json()], ['later'])

    def test_cannot_be_written(self):
        if os.geteuid() == 0:
            self.skipTest('root may write everywhere')
        os.chmod(self.trace, 0o500)
        self.addCleanup(os.chmod, self.trace, 0o700)
        done = self.marks('add', 'a', '--at', '0.001')
        self.assertIn('kept in ' + self.path('DATA'), done.err)
        self.assertEqual([m['name'] for m in self.marks('list', '--json').json()], ['a'])


if __name__ == '__main__':
    unittest.main()
