#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the tasks of the state graph stand: by the file `layout` of a bundle, by each layout of the table, and by those of plug-ins; places
are read back from the picture.

usage: test_layout.py QUERY SCOPE SOURCE_FOLDER"""
import itertools
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

QUERY, SCOPE, ROOT = sys.argv[1:4]
TASKS = ('t40002', 't40003', 't40004', 't40005')
PROGRAM = """<eve version="1"><component name="Reader" class="scope.tapepvm-reader" version="1"/><component name="Simulator" class="scope.pvm-simulator" version="1"/>
<component name="State graph" class="scope.state-graph" version="1">%s</component><wire from="Reader" out="events" to="Simulator" in="events"/>
<wire from="Simulator" out="messages" to="State graph" in="messages"/></eve>"""


class Layout(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace, self.n = os.path.join(self.folder.name, 'fft2d-s4.trace'), 0
        shutil.copytree(os.path.join(ROOT, 'traces', 'fft2d-s4.trace'), self.trace)
        self.program = os.path.join(self.folder.name, 'program.eve')
        with open(self.program, 'w', encoding='utf-8') as f:
            f.write(PROGRAM % '')

    def write(self, places):
        with open(os.path.join(self.trace, 'layout'), 'w', encoding='utf-8') as f:
            f.write('# places\n' + ''.join(f'{task} {x:.4f} {y:.4f}\n' for task, (x, y) in places.items()))

    def shown(self, layout=None, env=None):
        """Middle of each task in the picture, px, in the order of the trace."""
        self.n += 1
        if layout:
            with open(self.program, 'w', encoding='utf-8') as f:
                f.write(PROGRAM % f'<setting name="layout">{layout}</setting>')
        film = os.path.join(self.folder.name, str(self.n))
        os.mkdir(film)
        said = subprocess.run([QUERY, self.trace, self.program, film], input=b'at 200000000\nitems State_graph 1000\n', capture_output=True,
                              check=True, timeout=60, env=dict(os.environ, **(env or {}))).stdout.decode()
        rows = [row.split('\t') for row in said.splitlines()]
        nodes = {int(r[4]): (float(r[0]) + float(r[2]) / 2, float(r[1]) + float(r[3]) / 2) for r in rows if len(r) >= 10 and r[4] != '-1' and r[5] == '-1'}
        self.assertEqual(len(nodes), len(TASKS))
        return dict(zip(TASKS, (nodes[k] for k in sorted(nodes))))

    def test_the_file_says_where_tasks_stand(self):
        dice = random.Random(4)
        for _ in range(4):
            places = dict(zip(TASKS, zip(dice.sample((0, 0.3, 0.7, 1), 4), dice.sample((0, 0.25, 0.6, 1), 4))))
            self.write(places)
            shown = self.shown()
            # from place to picture is one factor and one shift, the same for all tasks
            for k in (0, 1):
                low, high = (next(t for t in TASKS if places[t][k] == end) for end in (0, 1))
                factor = shown[high][k] - shown[low][k]
                self.assertGreater(factor, 100)
                for task in TASKS:
                    self.assertAlmostEqual(shown[task][k], shown[low][k] + places[task][k] * factor, delta=1, msg=(places, shown))

    def test_what_makes_no_sense_is_left_out(self):
        places = dict(zip(TASKS, ((0, 0), (0, 1), (1, 0), (1, 1))))
        self.write(places)
        before = self.shown()
        with open(os.path.join(self.trace, 'layout'), 'a', encoding='utf-8') as f:
            f.write('nobody 0.5 0.5\nt40002 here\n\nt40003 nan 1\n')
        self.assertEqual(self.shown(), before)

    def test_each_layout_gives_everybody_a_place_of_their_own(self):
        met = {}
        for layout in ('automatic', 'dot', 'neato', 'fdp', 'sfdp', 'circo', 'ring', 'mesh', 'torus', 'hypercube', 'tree', 'hosts', 'helix', 'cube', 'ball', 'topology'):
            shown = self.shown(layout)
            for a, b in itertools.combinations(shown.values(), 2):
                self.assertGreater(math.dist(a, b), 20, layout)
            met[layout] = shown
        self.assertEqual(met['topology'], met['ring'])          # there is none
        self.assertNotEqual(met['helix'], met['ball'])
        self.assertEqual(self.shown('graphviz'), met['automatic'])
        self.assertEqual(self.shown('nobody-knows'), met['automatic'])
        self.assertEqual(self.shown('sorted'), met['automatic'])    # of scenes alone

    def test_two_processes_have_the_same_places(self):
        """To the last digit: of what is off by less some pixels would differ."""
        many = os.path.join(self.folder.name, 'many.trace')
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '32', '--events', '8000', '--seed', '5', '-o', many], check=True,
                       stdout=subprocess.DEVNULL, env=dict(os.environ, XDG_CACHE_HOME=self.folder.name))
        for layout in ('automatic', 'dot', 'neato', 'fdp', 'sfdp', 'circo'):
            with open(self.program, 'w', encoding='utf-8') as f:
                f.write(PROGRAM % f'<setting name="layout">{layout}</setting>')
            told = set()
            for _ in range(2):
                with tempfile.TemporaryDirectory(dir=self.folder.name) as film:
                    told.add(subprocess.run([QUERY, many, self.program, film], input=b'at 50000000\nmarks State_graph\n', capture_output=True,
                                            check=True, timeout=60).stdout)
            self.assertEqual(len(told), 1, layout)
            self.assertGreater(told.pop().count(b'\n'), 32, layout)

    @unittest.skipIf('SCOPE_SANITIZED' in os.environ, 'what is built outside has no sanitizer')
    def test_layouts_of_plug_ins(self):
        folder = os.path.join(self.folder.name, 'plugins')
        os.mkdir(folder)
        flags = subprocess.run(['pkg-config', '--cflags', 'glib-2.0'], capture_output=True, text=True, check=True).stdout.split()
        for name, code in PLUGINS.items():
            with open(os.path.join(folder, name + '.c'), 'w', encoding='utf-8') as f:
                f.write(f'''#include <math.h>
#include "views/graph-layout.h"
{code}
LAYOUT_PLUGIN (layout, "my.{name}", "{name}", LAYOUT_PROVIDES "{name}", "A layout to be tried.");
''')
            subprocess.run(['cc', '-shared', '-fPIC', '-I' + ROOT, *flags, os.path.join(folder, name + '.c'), '-o', os.path.join(folder, name + '.so')], check=True)
        env = {'SCOPE_TEST_PLUGINS': folder, 'LD_BIND_NOW': ''}

        def seen(layout):
            return list(self.shown(layout, env).values())

        at = seen('line')          # in the plane alone: each so far from the next, the last highest
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(at, at[1:])]
        for dx, dy in steps:
            self.assertGreater(dx, 20)
            self.assertLess(dy, -10)
            self.assertAlmostEqual(dx, steps[0][0], delta=1)
            self.assertAlmostEqual(dy, steps[0][1], delta=1)
        at = seen('rod')           # in space alone, one behind the other: seen from the right and from above
        for a, b in zip(at, at[1:]):
            self.assertGreater(b[0] - a[0], 10)
            self.assertLess(b[1] - a[1], -10)
        at = seen('floor')         # flat: seen from above, so that what is behind is above
        self.assertAlmostEqual(at[0][0], at[3][0], delta=1)
        self.assertGreater(at[0][1], at[3][1] + 50)
        at = seen('odd')           # who has no place stands below the others
        self.assertGreater(min(at[2][1], at[3][1]), max(at[0][1], at[1][1]) + 10)
        self.assertGreater(abs(at[2][0] - at[3][0]), 20)
        at = seen('ties')          # what goes between tasks comes to those that ask for it
        self.assertGreater(at[3][0], at[0][0] + 50)
        scope = dict(os.environ, SCOPE_PLUGIN_PATH=folder, LD_BIND_NOW='', XDG_CACHE_HOME=self.folder.name)
        for layout, code, told in (('line', 0, ''), ('lien', 1, 'No layout is called “lien”; the nearest name is “line”; tasks stand where Graphviz puts them')):
            done = subprocess.run([SCOPE, 'draw', self.trace, '--program', self.program, '--view', 'State graph', '-q', '--size', '300x200', '--set',
                                   f'State graph.layout={layout}', '-o', os.path.join(self.folder.name, 'a.svg')], capture_output=True, text=True, env=scope)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(told, done.stderr)
        hosts = os.path.join(self.folder.name, 'hosts.trace')
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '40', '--events', '4000', '--seed', '5', '-o', hosts], check=True, env=scope)
        # what goes inside of a group that is closed is no tie, and who does not ask for ties gets none
        for layout, view, told in (('count', 'plane', r'plane: [1-9]\d* ties, 0 loops'), ('few', 'plane', 'plane: 0 ties, 0 loops'),
                                   ('count', 'scene', r'space: [1-9]\d* ties, 0 loops'), ('few', 'scene', 'space: 0 ties, 0 loops')):
            of = ['--view', 'State graph', '--set', f'State graph.layout={layout}', '--hierarchy', 'host'] if view == 'plane' else [
                '--program', 'scene', '--view', 'Scene', '--set', f'Scene.layout={layout}']
            done = subprocess.run([SCOPE, 'draw', hosts, '-q', '--size', '300x200', *of, '-o',
                                   os.path.join(self.folder.name, 'a.png')], capture_output=True, text=True, env=scope)
            self.assertRegex(done.stderr, told, (layout, view))


PLUGINS = {
    'line': '''static void plane (const LayoutNodes *nodes, double (*to)[2])
{ for (uint32_t i = 0; i < nodes->n; i++) to[i][0] = to[i][1] = i; }
static const GraphLayout layout = { .name = "line", .plane = plane };''',
    'rod': '''static void place (const LayoutNodes *nodes, double (*to)[3])
{ for (uint32_t i = 0; i < nodes->n; i++) to[i][0] = to[i][2] = 0, to[i][1] = i; }
static const GraphLayout layout = { .name = "rod", .place = place };''',
    'floor': '''static void place (const LayoutNodes *nodes, double (*to)[3])
{ for (uint32_t i = 0; i < nodes->n; i++) to[i][0] = to[i][2] = 0, to[i][1] = i; }
static const GraphLayout layout = { .name = "floor", .flat = true, .place = place };''',
    'odd': '''static void plane (const LayoutNodes *nodes, double (*to)[2])
{ for (uint32_t i = 0; i < nodes->n && i < 3; i++) to[i][0] = i < 2 ? i : INFINITY, to[i][1] = i < 2 ? i : 1e300; }
static const GraphLayout layout = { .name = "odd", .plane = plane };''',
    'ties': '''static void plane (const LayoutNodes *nodes, double (*to)[2])
{
  for (uint32_t i = 0; i < nodes->n; i++) to[i][0] = nodes->n_ties > 0 ? i : 0, to[i][1] = -1.0 * i;
  for (uint32_t i = 0; i < nodes->n_ties; i++)
    if (!(nodes->ties[i].weight > 0) || !(nodes->ties[i].there || nodes->ties[i].back) || nodes->ties[i].from >= nodes->ties[i].to) to[0][0] = 99;
}
static const GraphLayout layout = { .name = "ties", .tied = true, .plane = plane };''',
}
for name, tied in (('count', 'true'), ('few', 'false')):
    PLUGINS[name] = f'''#include <stdio.h>
static void count (const LayoutNodes *nodes, const char *where)
{{
  uint32_t loops = 0;
  for (uint32_t i = 0; i < nodes->n_ties; i++) loops += nodes->ties[i].from >= nodes->ties[i].to;
  fprintf (stderr, "%s: %u ties, %u loops\\n", where, nodes->n_ties, loops);
}}
static void plane (const LayoutNodes *nodes, double (*to)[2])
{{ count (nodes, "plane"); for (uint32_t i = 0; i < nodes->n; i++) to[i][0] = i, to[i][1] = i % 3; }}
static void place (const LayoutNodes *nodes, double (*to)[3])
{{ count (nodes, "space"); for (uint32_t i = 0; i < nodes->n; i++) to[i][0] = i, to[i][1] = i % 3, to[i][2] = 0; }}
static const GraphLayout layout = {{ .name = "{name}", .tied = {tied}, .plane = plane, .place = place }};'''

if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
