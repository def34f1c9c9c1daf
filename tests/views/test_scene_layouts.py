#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where tasks stand in scenes: by each layout, by the file of the bundle, by hand; what a damaged file does; a layout from
a plug-in that gives no places.

usage: test_scene_layouts.py SCOPE SOURCE_FOLDER"""
import csv
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

SCOPE, ROOT = sys.argv[1:3]
FOLDER = tempfile.TemporaryDirectory()

HOSTILE = """#include <math.h>
#include "views/graph-layout.h"
static void
place (const LayoutNodes *nodes, double (*to)[3])
{
  double odd[] = { NAN, INFINITY, -1e308, 1e300 };
  for (uint32_t i = 0; i + 2 < nodes->n; i++)
    for (int k = 0; k < 3; k++)
      to[i][k] = i < 2 ? (double) i : odd[(i + (uint32_t) k) % 4];
}
static const GraphLayout layout = { .name = "odd", .dynamic = true, .place = place };
LAYOUT_PLUGIN (layout, "my.odd", "Odd", LAYOUT_PROVIDES "odd", "Puts most of them nowhere.");
"""


def bundle(name):
    """A copy of a trace that may be written into."""
    to = os.path.join(FOLDER.name, name + '.trace')
    if not os.path.exists(to):
        shutil.copytree(os.path.join(ROOT, 'traces', name + '.trace'), to)
    for file in ('layout', 'layout-3d'):
        if os.path.exists(os.path.join(to, file)):
            os.remove(os.path.join(to, file))
    return to


def objects(trace, layout, *options, code=0, at='0.1', env=None):
    with tempfile.NamedTemporaryFile(suffix='.csv') as f:
        done = subprocess.run([SCOPE, 'draw', trace, '--program', 'scene', '--view', 'Scene', '--at', at, '--size', '300x200', '-o', f.name, '--set',
                               f'Scene.layout={layout}', *options], capture_output=True, text=True,
                              env=dict(os.environ, XDG_CACHE_HOME=FOLDER.name, XDG_DATA_HOME=FOLDER.name, **(env or {})))
        assert done.returncode == code, (done.returncode, done.stderr)
        with open(f.name, encoding='utf-8') as table:
            return list(csv.DictReader(table)), done.stderr


def places(rows):
    return {o['what']: tuple(float(o[k]) for k in 'xyz') for o in rows if o['kind'] == 'task'}


class Layouts(unittest.TestCase):
    def test_each_gives_everybody_a_place_of_their_own(self):
        trace, met = bundle('births'), {}
        for layout in ('hosts', 'ball', 'ring', 'mesh', 'cube', 'torus', 'hypercube', 'tree', 'helix', 'graphviz', 'dot', 'circo'):
            now = places(objects(trace, layout, at='0.3')[0])
            later = places(objects(trace, layout, at='0.35')[0])
            self.assertGreater(len(now), 8)
            self.assertGreater(len(now.keys() & later.keys()), 5)
            for who in now.keys() & later.keys():
                self.assertEqual(now[who], later[who], layout)          # nobody moves while time passes
            all_ = list(now.values())
            nearest = min(math.dist(a, b) for n, a in enumerate(all_) for b in all_[:n])
            self.assertGreater(nearest, 0.6, layout)                    # wider than two radii: none stands in another
            met[layout] = tuple(all_)
        self.assertEqual(len(set(met.values())), len(met))
        for layout in ('hosts', 'ring', 'mesh', 'dot', 'circo'):
            self.assertEqual(len({z for _, _, z in met[layout]}), 1)

    def test_graphviz_puts_near_what_talks(self):
        rows, _ = objects(bundle('pipeline'), 'graphviz', at='0.2')
        at = places(rows)
        tied = {frozenset((o['what'], o['other'])) for o in rows if o['kind'] == 'link'}
        near = [math.dist(*(at[w] for w in pair)) for pair in tied if pair <= at.keys()]
        far = [math.dist(at[a], at[b]) for a in at for b in at if a < b and frozenset((a, b)) not in tied]
        self.assertGreater(len(near), 2)
        self.assertGreater(len(far), 2)
        self.assertLess(sum(near) / len(near), sum(far) / len(far))
        heat = places(objects(bundle('heat2d'), 'graphviz')[0]).values()
        self.assertTrue(all(max(p[k] for p in heat) - min(p[k] for p in heat) > 0.3 for k in range(3)))

    def test_the_file_of_the_bundle(self):
        trace, dice = bundle('heat2d'), random.Random(4)
        all_ = list(places(objects(trace, 'mesh')[0]))
        told = {who: tuple(round(dice.uniform(-9, 9), 3) for _ in range(3)) for who in all_}
        left = all_[1]
        with open(os.path.join(trace, 'layout-3d'), 'w', encoding='utf-8') as f:
            f.write('# by hand\n' + ''.join('{} {} {} {}\n'.format(who, *at) for who, at in told.items() if who != left))
        at = places(objects(trace, 'file')[0])
        for who in all_:
            if who != left:
                for a, b in zip(at[who], told[who]):
                    self.assertAlmostEqual(a, b, places=4)
        mesh = places(objects(trace, 'mesh')[0])
        self.assertEqual(at[left], mesh[left])

    def test_the_file_of_the_plane_where_there_is_no_other(self):
        trace = bundle('heat2d')
        all_ = list(places(objects(trace, 'mesh')[0]))
        with open(os.path.join(trace, 'layout'), 'w', encoding='utf-8') as f:
            f.write(f'{all_[0]} 0 0\n{all_[1]} 1 0\n{all_[2]} 1 1\n')
        at = places(objects(trace, 'file')[0])
        side = at[all_[1]][0] - at[all_[0]][0]
        self.assertGreater(side, 1)
        self.assertAlmostEqual(at[all_[1]][1] - at[all_[2]][1], side, places=4)      # y of the plane is downward
        self.assertEqual({at[w][2] for w in all_[:3]}, {0})

    def test_by_hand_and_kept(self):
        trace = bundle('heat2d')
        ring = places(objects(trace, 'ring')[0])
        who = sorted(ring)[2]
        moved = places(objects(trace, 'ring', '--set', f'Scene.positions={who} 1.5 -2 3.25, nobody 1 1 1, {sorted(ring)[0]} x 1 2',
                               '--set', 'Scene.keep positions=true')[0])
        self.assertEqual(moved[who], (1.5, -2, 3.25))
        self.assertEqual({w: p for w, p in moved.items() if w != who}, {w: p for w, p in ring.items() if w != who})
        kept = places(objects(trace, 'file')[0])
        for w, p in moved.items():
            for a, b in zip(kept[w], p):
                self.assertAlmostEqual(a, b, places=4)

    def test_damaged_files_are_passed_over(self):
        trace = bundle('heat2d')
        mesh = places(objects(trace, 'mesh')[0])
        who = sorted(mesh)
        for text in (b'', b'\xff\xfe\0\0' * 1000, f'{who[0]} nan nan nan\n{who[1]} 1e300 0 0\n{who[2]} inf 1 1\n{who[3]} 1 2\n'.encode(), b' ' * 1000000):
            with open(os.path.join(trace, 'layout-3d'), 'wb') as f:
                f.write(text)
            self.assertEqual(places(objects(trace, 'file')[0]), mesh)
        with open(os.path.join(trace, 'layout-3d'), 'wb') as f:
            f.write(b'%s 7 7 7 \n\xff\n%s 5 6 7' % (who[0].encode(), who[1].encode()))
        at = places(objects(trace, 'file')[0])
        self.assertEqual(at[who[1]], (5, 6, 7))
        self.assertEqual(at[who[2]], mesh[who[2]])

    def test_a_layout_that_is_not_there_is_told(self):
        trace = bundle('heat2d')
        rows, said = objects(trace, 'torsu', code=1)
        self.assertIn('No layout is called “torsu”; the nearest name is “torus”; tasks stand by their hosts', said)
        self.assertEqual(places(rows), places(objects(trace, 'hosts')[0]))

    def test_a_hostile_layout_of_a_plug_in(self):
        with open(os.path.join(FOLDER.name, 'odd.c'), 'w', encoding='utf-8') as f:
            f.write(HOSTILE)
        plugins = os.path.join(FOLDER.name, 'plugins')
        os.makedirs(plugins, exist_ok=True)
        flags = subprocess.run(['pkg-config', '--cflags', 'glib-2.0'], capture_output=True, text=True, check=True).stdout.split()
        subprocess.run(['cc', '-shared', '-fPIC', '-I' + ROOT, *flags, os.path.join(FOLDER.name, 'odd.c'), '-o', os.path.join(plugins, 'odd.so')], check=True)
        env = {'SCOPE_PLUGIN_PATH': plugins, 'LD_BIND_NOW': ''}
        rows, said = objects(bundle('heat2d'), 'odd', env=env)
        self.assertEqual(said, '')
        self.assertEqual(sorted(places(rows).values()), [(0, 0, 0), (1, 1, 1)])
        done = subprocess.run([SCOPE, 'check', os.path.join(plugins, 'odd.so')], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn('nowhere', done.stdout + done.stderr)


unittest.main(argv=sys.argv[:1], verbosity=1)
