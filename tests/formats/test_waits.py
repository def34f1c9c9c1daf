# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom: on samples as others have computed it, on made archives against a second computation from the text
of otf2-print (otf2.py), and one run against one that was stopped and went on."""
import csv
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, main, samples
from otf2 import Archive, Calls                                                                 # noqa: E402

SAMPLES = samples('otf2')
WRITER = os.environ.get('OTF2_ARCHIVE', '')
PROGRAM = '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><component name="R" class="scope.otf2-reader" version="1"/>
<component name="W" class="scope.wait-states" version="1"/>
<component name="A" class="scope.data-file" version="1"><setting name="file">waits.csv</setting></component>
<component name="B" class="scope.data-file" version="1"><setting name="file">tasks.csv</setting></component>
<component name="C" class="scope.data-file" version="1"><setting name="file">efficiency.csv</setting></component>
<component name="D" class="scope.data-file" version="1"><setting name="file">path.csv</setting></component>
<wire from="W" out="path" to="D" in="in"/>
<wire from="R" out="events" to="W" in="events"/><wire from="W" out="waits" to="A" in="in"/>
<wire from="W" out="tasks" to="B" in="in"/><wire from="W" out="efficiency" to="C" in="in"/></eve>'''
NAMES = {'late_sender': 'Late sender', 'late_receiver': 'Late receiver', 'wait_at_barrier': 'Wait at barrier',
         'wait_at_nxn': 'Wait at N x N', 'late_broadcast': 'Late root', 'early_reduce': 'Early root'}


class Waits(Format):
    def tables(self, path):
        out = self.path('out')
        shutil.rmtree(out, ignore_errors=True)
        self.scope('run', path, '--program', self.path('waits.eve', PROGRAM), '--out', out)
        rows = {}
        for name in ('waits', 'tasks', 'efficiency', 'path'):
            with open(os.path.join(out, name + '.csv'), newline='') as f:
                rows[name] = list(csv.DictReader(f))
        self.by_region = {row['region']: float(row['on the path [s]']) for row in rows['path']}
        return rows['waits'], rows['tasks'], {row['what']: float(row['value']) for row in rows['efficiency']}

    @unittest.skipUnless(os.path.isdir(SAMPLES) and WRITER, 'the samples, or libotf2, are not here')
    def test_samples_as_others_computed_them(self):
        n = 0
        with open(os.path.join(SAMPLES, 'expected.jsonl')) as lines:
            for row in map(json.loads, lines):
                if 'waits' not in row or 'mi300' in row['path']:
                    continue
                path = os.path.join(SAMPLES, os.path.relpath(row['path'], 'otf2'))
                _, tasks, efficiency = self.tables(path)
                # dates are whole nanoseconds here: exact where the trace's are too
                near = 1e-12 if 'pmpi' in path else 2e-9
                for key, name in NAMES.items():
                    expected = row['waits'][key]
                    self.assertAlmostEqual(efficiency[name], expected['total'], delta=near * max(1, expected['n']), msg=(path, key))
                    self.assertEqual(efficiency[name + ', times'], expected['n'], (path, key))
                    for rank, seconds in expected['by_rank'].items():
                        mine = next(t for t in tasks if t['task'] == f'MPI Rank {rank}')
                        self.assertAlmostEqual(float(mine[name + ' [s]']), seconds, delta=near * max(1, expected['n']), msg=(path, key, rank))
                        n += 1
                self.assertEqual([efficiency['Messages'], efficiency['Volume'], efficiency['Operations of groups']],
                                 [row['messages'], row['bytes'], row['collective_instances']], path)
                path_of = row['critical_path']
                self.assertAlmostEqual(efficiency['Critical path'], path_of['length'], delta=max(near, 1e-12), msg=path)
                self.assertEqual(efficiency['Critical path, stretches'], path_of['segments'], path)
                for region, seconds in path_of['profile']:
                    self.assertAlmostEqual(self.by_region[region], seconds, delta=20 * near, msg=(path, region))
                by_task = {t['task']: float(t['on the critical path [s]']) for t in tasks}
                for rank, seconds in path_of['by_rank'].items() if 'written' not in path else ():
                    self.assertAlmostEqual(by_task[f'MPI Rank {rank}'], seconds, delta=20 * near, msg=(path, rank))
                if 'written' not in path:       # there threads that are not asked compute or not, as one likes
                    for name in ('Parallel efficiency', 'Load balance', 'Communication efficiency'):
                        self.assertAlmostEqual(efficiency[name], row['pop'][name.lower().replace(' ', '_')],
                                               delta=1e-8 if 'pmpi' in path else 1e-6, msg=(path, name))
        self.assertGreater(n, 40)

    @unittest.skipUnless(shutil.which('otf2-print') and WRITER, 'otf2-print, or libotf2, is not here')
    def test_made_archives(self):
        n = 0
        for seed in range(100, 106):
            path = self.path(f'made{seed}')
            subprocess.run([WRITER, path, str(seed), '6', '250'], check=True)
            archive = Archive(os.path.join(path, 'traces.otf2'))
            calls = Calls(archive)
            waits, tasks, efficiency = self.tables(path)
            mine = {(w['kind'], w['task'], w['region']): (int(w['times']), round(float(w['waited [s]']) * 1e9),
                                                          round(float(w['longest [s]']) * 1e9)) for w in waits}
            self.assertEqual(mine, {key: (len(t), sum(t), max(t)) for key, t in calls.waits().items()}, seed)
            n += len(mine)
            self.assertEqual(efficiency['Messages'], calls.messages)
            length, stretches, by_task, by_region = calls.critical_path()
            mine = {t['task']: round(float(t['on the critical path [s]']) * 1e9) for t in tasks if float(t['on the critical path [s]'])}
            self.assertEqual([round(efficiency['Critical path'] * 1e9), mine], [length, by_task], seed)
            self.assertEqual({region: round(seconds * 1e9) for region, seconds in self.by_region.items() if seconds}, by_region, seed)
            self.assertEqual(efficiency['Critical path, stretches'], stretches, seed)
            for location in calls.spans:
                task = next(t for t in tasks if t['task'] == archive.tasks[location])
                self.assertEqual(round(float(task['computing [s]']) * 1e9), calls.useful[location], (seed, location))
        self.assertGreater(n, 100)

    @unittest.skipUnless(os.path.isdir(SAMPLES) and WRITER, 'the samples, or libotf2, are not here')
    def test_report_answers_first(self):
        """How efficient, what limits it, where, since when; and whether that can be trusted."""
        said = self.scope('report', os.path.join(SAMPLES, 'pmpi-waits'), '-o', self.path('report'))[0]
        said = ' '.join(said[:said.index('What stands out')].replace('\u00a0', ' ').split())
        for words in ('Parallel efficiency is 30.5 %', 'Load balance is 79.2 %', 'communication efficiency 38.5 %', 'communication limits it most',
                      'wait for each other 1.28 s in all, 56.6 % of their time: wait at barrier 635 ms (49.6 %)', 'Most is waited in MPI_Barrier'):
            self.assertIn(words, said)
        said = self.scope('report', os.path.join(SAMPLES, 'eztrace-colls'), '-o', self.path('report'))[0]
        self.assertIn('40 of 40 messages are received before they are sent', ' '.join(said.split()))

    def test_travel(self):
        """What is under way is saved and comes back: travel from one instant to another ends where a run would."""
        if not WRITER:
            self.skipTest('built without libotf2')
        path = self.path('made')
        subprocess.run([WRITER, path, '7', '5', '150'], check=True)
        program = self.path('waits.eve', PROGRAM)
        self.scope('film', path, '--program', program)
        for at in ('0.001', '0.0025', '0.004'):
            film, played = (json.loads(self.scope('seek', path, '--program', program, '--to', at, *more)[0]) for more in ((), ('--no-film',)))
            self.assertEqual(film['hash'], played['hash'])


main()
