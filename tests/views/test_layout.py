#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the file `layout` of a bundle puts the tasks of the state graph, and what is written there: places are read back, by the order in
which tasks stand from left to right and from top to bottom.

usage: test_layout.py QUERY SCOPE SOURCE_FOLDER"""
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
<component name="State graph" class="scope.state-graph" version="1"/><wire from="Reader" out="events" to="Simulator" in="events"/>
<wire from="Simulator" out="messages" to="State graph" in="messages"/></eve>"""


class Layout(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace, self.n = os.path.join(self.folder.name, 'fft2d-s4.trace'), 0
        shutil.copytree(os.path.join(ROOT, 'traces', 'fft2d-s4.trace'), self.trace)
        self.program = os.path.join(self.folder.name, 'program.eve')
        with open(self.program, 'w', encoding='utf-8') as f:
            f.write(PROGRAM)

    def write(self, places):
        with open(os.path.join(self.trace, 'layout'), 'w', encoding='utf-8') as f:
            f.write('# places\n' + ''.join(f'{task} {x:.4f} {y:.4f}\n' for task, (x, y) in places.items()))

    def shown(self):
        """Middle of each task in the picture, px, in the order of the trace."""
        self.n += 1
        film = os.path.join(self.folder.name, str(self.n))
        os.mkdir(film)
        said = subprocess.run([QUERY, self.trace, self.program, film], input=b'at 200000000\nitems State_graph 1000\n', capture_output=True,
                              check=True, timeout=60).stdout.decode()
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


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
