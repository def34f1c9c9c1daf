#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures that move: each of their pictures is the one that is drawn alone, of another instant or from another place; GIF is read
once more here; what cannot be is told.

usage: test_moving.py SCOPE SOURCE_FOLDER"""
import math
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

SCOPE, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
from picture import pixels, read_gif    # noqa: E402

CACHE = tempfile.TemporaryDirectory()
FFT = os.path.join(ROOT, 'traces', 'fft2d-s16.trace')
WIDTH, HEIGHT = 240, 160
SCENE = ('--program', 'scene', '--view', 'Scene')


def draw(out, *options, env=None):
    return subprocess.run([SCOPE, 'draw', FFT, '--size', f'{WIDTH}x{HEIGHT}', '-o', out, *options],
                          env=dict(os.environ, XDG_CACHE_HOME=CACHE.name, **(env or {})), capture_output=True, text=True)


def differ(a, b):
    """How much two pictures differ, of 255, on the mean and at most."""
    by = [abs(x - y) for one, other in zip(a, b) for p, q in zip(one, other) for x, y in zip(p, q)]
    return sum(by) / len(by), max(by)


class Moving(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def drawn(self, name, *options, **more):
        done = draw(self.path(name), *options, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return self.path(name)

    def test_pictures_of_time_are_those_of_their_instants(self):
        for view in (('--view', 'Space-time'), ('--view', 'State graph'), (*SCENE, '--set', 'Scene.camera=eye 6 -7 5 centre 0.5 0.5 0')):
            self.drawn('play.png', *view, '--play', '0.05..0.25', '--pictures', '5')
            self.assertEqual(sorted(os.listdir(self.folder)), [f'play-00{n}.png' for n in range(1, 6)])
            for n, at in enumerate(('0.05', '0.1', '0.15', '0.2', '0.25')):
                with open(self.path(f'play-00{n + 1}.png'), 'rb') as a, open(self.drawn('alone.png', *view, '--at', at), 'rb') as b:
                    self.assertEqual(a.read(), b.read(), (view, at))
            for name in os.listdir(self.folder):
                os.remove(self.path(name))

    def test_pictures_all_round_are_seen_from_a_circle(self):
        eye, centre = (6, -7, 5), (0.5, 0.5, 0)
        look = (*SCENE, '--at', '0.2', '--set', 'Scene.fog=false')
        self.drawn('turn.png', *look, '--set', 'Scene.camera=eye 6 -7 5 centre 0.5 0.5 0', '--turn', '--pictures', '8')
        dx, dy = eye[0] - centre[0], eye[1] - centre[1]
        for n in (0, 1, 4, 7):
            a = 2 * math.pi * n / 8
            x, y = centre[0] + dx * math.cos(a) - dy * math.sin(a), centre[1] + dx * math.sin(a) + dy * math.cos(a)
            alone = self.drawn('alone.png', *look, '--set', f'Scene.camera=eye {x} {y} 5 centre 0.5 0.5 0')
            self.assertLess(differ(pixels(self.path(f'turn-00{n + 1}.png')), pixels(alone))[0], 0.2, n)
        self.assertGreater(differ(pixels(self.path('turn-001.png')), pixels(self.path('turn-003.png')))[0], 1)

    def test_all_stays_in_the_picture_all_round(self):
        self.drawn('turn.png', *SCENE, '--at', '0.2', '--turn', '--pictures', '6', '--set', 'Scene.ground=false')
        for n in range(1, 7):
            rows = pixels(self.path(f'turn-00{n}.png'))
            paper = rows[-1][0]
            edge = [row[k] for row in rows[32:] for k in (0, -1)] + rows[-1] + rows[32]
            self.assertTrue(all(p == paper for p in edge), n)

    def test_a_gif_has_the_same_pictures(self):
        for view, options in (('scene', (*SCENE, '--play', '..', '--turn')), ('plane', ('--view', 'Space-time', '--play', '..'))):
            gif = self.path(view + '.gif')
            done = draw(gif, *options, '--pictures', '4', '--rate', '8')
            if 'built without giflib' in done.stderr:
                self.skipTest(done.stderr)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            self.drawn(view + '.png', *options, '--pictures', '4')
            pictures, delays = read_gif(gif)
            self.assertEqual(len(pictures), 4)
            self.assertEqual((sum(delays), max(delays) - min(delays) <= 1), (50, True))
            for n, picture in enumerate(pictures):
                mean, most = differ(picture, pixels(self.path(f'{view}-00{n + 1}.png')))
                self.assertLess((mean, most), (1.5, 80), (view, n))

    def test_webm_is_made_by_ffmpeg_of_the_pixels(self):
        ffmpeg = self.path('ffmpeg')
        with open(ffmpeg, 'w', encoding='utf-8') as f:
            f.write('#!/bin/sh\nfor last; do :; done\necho "$@" > "$TOLD"\ncat > "$last"\n')
        os.chmod(ffmpeg, os.stat(ffmpeg).st_mode | stat.S_IXUSR)
        env = {'PATH': self.folder + ':' + os.environ['PATH'], 'TOLD': self.path('told')}
        made = self.drawn('a.webm', '--view', 'Space-time', '--play', '..', '--pictures', '3', env=env)
        with open(self.path('told'), encoding='utf-8') as f:
            self.assertIn(f'-s {WIDTH}x{HEIGHT} -r 12 ', f.read())
        self.drawn('b.png', '--view', 'Space-time', '--play', '..', '--pictures', '3')
        with open(made, 'rb') as f:
            for n in range(1, 4):
                frame = f.read(4 * WIDTH * HEIGHT)
                rows = [[(frame[i + 2], frame[i + 1], frame[i]) for i in range(4 * WIDTH * y, 4 * WIDTH * (y + 1), 4)] for y in range(HEIGHT)]
                self.assertEqual(rows, pixels(self.path(f'b-00{n}.png')))
            self.assertEqual(f.read(), b'')

    @unittest.skipUnless(shutil.which('ffmpeg'), 'needs ffmpeg')
    def test_what_the_real_ffmpeg_makes_has_the_same_pictures(self):
        options = ('--view', 'State graph', '--play', '..', '--pictures', '3', '--size', '301x201')      # not even: all kinds of colours do
        self.drawn('real.webm', *options)
        self.drawn('real.png', *options)
        subprocess.run(['ffmpeg', '-v', 'error', '-i', self.path('real.webm'), '-f', 'rawvideo', '-pix_fmt', 'rgb24', self.path('raw')], check=True)
        with open(self.path('raw'), 'rb') as f:
            raw = f.read()
        self.assertEqual(len(raw), 3 * 301 * 201 * 3)
        for n in range(3):
            told = b''.join(bytes(p) for row in pixels(self.path(f'real-{n + 1:03}.png')) for p in row)
            off = sum(abs(a - b) for a, b in zip(raw[n * len(told):(n + 1) * len(told)], told)) / len(told)
            self.assertLess(off, 6, n)

    def test_it_is_given_up_and_leaves_nothing(self):
        with subprocess.Popen([SCOPE, 'draw', FFT, '--progress', *SCENE, '--turn', '--pictures', '9999', '-o', self.path('long.gif')],
                              env=dict(os.environ, XDG_CACHE_HOME=CACHE.name), stderr=subprocess.PIPE, text=True) as p:
            while 'drawing' not in (line := p.stderr.readline()):
                self.assertNotEqual(line, '', 'it told nothing')
            p.send_signal(signal.SIGINT)
            p.communicate()
        self.assertEqual(p.returncode, 130)
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_cannot_be_is_told(self):
        for words, sentence in ((('--view', 'Space-time', '--turn'), 'Space-time has no camera'),
                                (('--view', 'Space-time'), 'needs --turn'),
                                (('--view', 'Space-time', '--play', '0.3'), 'is not FROM..TO'),
                                (('--view', 'Space-time', '--play', '0.2..0.1'), 'goes backward'),
                                (('--view', 'Space-time', '--play', '..', '--at', '0.1'), '--play says at which instants'),
                                (('--view', 'Space-time', '--play', '..', '--pictures', '1'), '1 is not between 2 and 10000'),
                                (('--view', 'Space-time', '--play', '..', '--rate', '99'), 'are not between 0.1 and 50'),
                                (('--view', 'Space-time', '--play', '..', '--csv'), 'a table does not move')):
            done = draw(self.path('a.gif'), *words)
            self.assertEqual((done.returncode, sentence in done.stderr, os.listdir(self.folder)), (2, True, []), (words, done.stderr))
        done = draw(self.path('a.webm'), '--view', 'Space-time', '--play', '..', env={'PATH': self.folder})
        self.assertEqual((done.returncode, 'ffmpeg, which is not installed' in done.stderr), (1, True), done.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
