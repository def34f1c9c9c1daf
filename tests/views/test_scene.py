#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenes in three dimensions: where each object is in the picture, computed apart from the numbers of the camera, is where
the picture of numbers has it; pictures of all renderings; what is said where nothing can be drawn.

usage: test_scene.py SCOPE SOURCE_FOLDER"""
import csv
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

SCOPE, ROOT = sys.argv[1:3]
CACHE = tempfile.TemporaryDirectory()
WIDTH, HEIGHT, HEAD = 900, 600, 30
BIRTHS, FFT = (os.path.join(ROOT, 'traces', n + '.trace') for n in ('births', 'fft2d-s16'))


def draw(trace, out, *options, env=None, at='0.3', size=f'{WIDTH}x{HEIGHT}'):
    return subprocess.run([SCOPE, 'draw', trace, '--program', 'scene', '--view', 'Scene', '--at', at, '--size', size, '-o', out, *options],
                          env=dict(os.environ, XDG_CACHE_HOME=CACHE.name, **(env or {})), capture_output=True, text=True)


def objects(trace, *options, at='0.3'):
    with tempfile.NamedTemporaryFile(suffix='.csv') as f:
        done = draw(trace, f.name, *options, at=at)
        assert done.returncode == 0, done.stderr
        with open(f.name, encoding='utf-8') as table:
            return list(csv.DictReader(table))


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def unit(a):
    return [x / math.sqrt(dot(a, a)) for x in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def project(eye, centre, up, angle, parallel, at):
    """Where a point is in the picture, px, and how far away."""
    onward = unit(minus(centre, eye))
    right = unit(cross(onward, up))
    above = cross(right, onward)
    d = minus(at, eye)
    depth = dot(d, onward)
    far = math.sqrt(dot(minus(centre, eye), minus(centre, eye))) if parallel else depth
    px = (HEIGHT - HEAD) / 2 / math.tan(math.radians(angle / 2)) / far
    return WIDTH / 2 + dot(d, right) * px, HEAD + (HEIGHT - HEAD) / 2 - dot(d, above) * px, depth, px


class Scene(unittest.TestCase):
    def place(self, o):
        return [float(o[k]) for k in 'xyz']

    def test_objects_are_where_the_camera_puts_them(self):
        dice = random.Random(7)
        compared = 0
        for n in range(12):
            parallel = n % 2 == 1
            centre = [dice.uniform(-1, 1) for _ in range(3)]
            eye = [c + d for c, d in zip(centre, (dice.uniform(-9, 9), dice.choice((-9, 9)), dice.uniform(2, 9)))]
            angle = dice.choice((20, 30, 50))
            camera = 'eye {} {} {} centre {} {} {} up 0 0 1 angle {}'.format(*eye, *centre, angle)
            layout = dice.choice(('ball', 'cube', 'ring', 'hosts'))
            all_ = objects(BIRTHS, '--set', f'Scene.camera={camera}', '--set', f'Scene.parallel={str(parallel).lower()}', '--set',
                           f'Scene.layout={layout}', '--set', 'Scene.rendering=' + dice.choice(('smooth', 'wire', 'points', 'flat')))
            tasks = [o for o in all_ if o['kind'] == 'task']
            self.assertGreater(len(tasks), 8)
            told = {o['what']: project(eye, centre, [0, 0, 1], angle, parallel, self.place(o)) for o in tasks}
            for o in tasks:
                x, y, depth, px = told[o['what']]
                if depth <= 0:
                    continue
                self.assertAlmostEqual(float(o['across [px]']), x, delta=0.02)
                self.assertAlmostEqual(float(o['down [px]']), y, delta=0.02)
                inside = 0 <= x < WIDTH and HEAD <= y < HEIGHT
                # through the middle of a ring one sees what lies behind it
                if not inside or o['state'] == 'Idle' or px * float(o['radius']) < 3:
                    continue
                seen = o['seen there']
                if seen != o['what']:       # then something is before it
                    self.assertNotEqual(seen, '', o)
                    if seen in told:
                        self.assertLess(told[seen][2] - float(o['radius']), depth + float(o['radius']))
                    continue
                compared += 1
        self.assertGreater(compared, 60)

    def test_cones_lead_from_the_sender_to_the_receiver(self):
        all_ = objects(FFT, at='0.25')
        place = {o['what']: self.place(o) for o in all_ if o['kind'] == 'task'}
        links = [o for o in all_ if o['kind'] == 'link']
        self.assertGreater(len(links), 3)
        for o in links:
            begin, end = self.place(o), [float(o['to ' + k]) for k in 'xyz']
            for at, near, far in ((begin, o['what'], o['other']), (end, o['other'], o['what'])):
                self.assertLess(math.dist(at, place[near]), math.dist(at, place[far]))

    def test_a_picture_is_the_same_twice_and_all_renderings_differ(self):
        pictures = []
        with tempfile.TemporaryDirectory() as folder:
            for n, rendering in enumerate(('smooth', 'smooth', 'flat', 'hidden lines', 'wire', 'points', 'boxes')):
                out = os.path.join(folder, f'{n}.png')
                self.assertEqual(draw(FFT, out, '--set', f'Scene.rendering={rendering}', at='0.25', size='300x200').stderr, '')
                with open(out, 'rb') as f:
                    pictures.append(f.read())
        self.assertEqual(pictures[0], pictures[1])
        self.assertEqual(len(set(pictures)), 6)

    def test_sizes_from_the_least_to_more_than_a_part(self):
        with tempfile.TemporaryDirectory() as folder:
            for size in ('50x50', '2500x60', '60x2500'):
                done = draw(FFT, os.path.join(folder, 'a.png'), '--dark', size=size)
                self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_where_nothing_can_be_drawn_a_sentence_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            done = draw(FFT, os.path.join(folder, 'a.png'), env={'__EGL_VENDOR_LIBRARY_DIRS': folder})
        self.assertEqual(done.returncode, 1)
        self.assertIn('scenes cannot be drawn here', done.stderr)
        self.assertIn('State graph', done.stderr)

    def test_a_camera_that_is_no_camera_shows_all(self):
        for camera in ('somewhere', 'eye 0 0 0 centre 0 0 0', 'eye nan 1 1 centre 0 0 0', 'eye 1 1 1 centre 0 0'):
            self.assertEqual(objects(FFT, '--set', f'Scene.camera={camera}'), objects(FFT))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
