# SPDX-License-Identifier: Apache-2.0
"""How executions of one program scale, in the report that lays them side by side: parallel efficiency, computation scaling and global efficiency, the
first execution being the reference; beside the text of otf2-print, also of random windows of time, and beside what others published of theirs."""
import json
import os
import random
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import waits                                                                                    # noqa: E402
from formats import Format, few, main, once, samples                                            # noqa: E402
from mpi import Program                                                                         # noqa: E402
from otf2 import Archive, Calls                                                                 # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '16'))
ROWS = ('parallel efficiency', 'computation scaling', 'global efficiency')


class Scaling(Format):
    def told(self, paths, *more):
        """{row: [percent of each execution]} of the text, which the page holds too."""
        out = self.path('out')
        shutil.rmtree(out, ignore_errors=True)
        self.scope('report', *paths, '-o', out, *more, '-q')
        rows = []
        for name in ('report.txt', 'index.html'):
            with open(os.path.join(out, name), encoding='utf-8') as f:
                text = f.read()
            rows.append({})
            for line in text.splitlines():
                name = next((name for name in ROWS if line.strip().startswith(name + '  ')), None)
                if name and name not in rows[-1]:                       # the reports of each come behind
                    rows[-1][name] = [float(x) for x in re.findall(r'([\d.]+)\s%', line)]
                    self.points = {**getattr(self, 'points', {}), name: [float(x) for x in re.findall(r'([-+][\d.]+) points', line)]}
            self.assertEqual('the reference, computed' in ' '.join(text.split()), 'computation scaling' in rows[-1], (paths, more))
        self.assertEqual(*rows)
        return rows[0]

    def assert_told(self, told, useful, efficiency, about):
        expected = [efficiency, [useful[0] / x for x in useful], [e * useful[0] / x for e, x in zip(efficiency, useful)]]
        self.assertEqual(set(told), set(ROWS), about)
        for name, values in zip(ROWS, expected):
            self.assertEqual(len(told[name]), len(values), (about, name))
            for mine, value in zip(told[name], values):
                self.assertAlmostEqual(mine, 100 * value, delta=0.0501, msg=(about, name))
            if len(values) == 2:
                self.assertAlmostEqual(self.points[name][0], 100 * (values[1] - values[0]), delta=0.0501, msg=(about, name))

    @unittest.skipUnless(waits.SCRIPT and shutil.which('otf2-print'), 'otf2-print, or libotf2, is not here')
    def test_made_at_random(self):
        any_ = random.Random(SEED)
        for k in range(few(4) + 1):
            n, paths, calls = 2 + k % 2, [], []
            for i in range(n):
                program = Program(any_.randrange(2, 7), any_.randrange(1 << 30), any_.randrange(20, 60))
                paths.append(program.finished().write(waits.SCRIPT, self.path(f'run{k}-{i}')))
                calls.append(Calls(Archive(os.path.join(paths[-1], 'traces.otf2'))))
            spans = [(min(s[0] for s in c.spans.values()), max(s[1] for s in c.spans.values())) for c in calls]
            useful = [sum(c.useful.values()) for c in calls]
            self.assert_told(self.told(paths), useful, [u / len(c.spans) / (b - a) for u, c, (a, b) in zip(useful, calls, spans)], (SEED, k))
            a, b = sorted(any_.sample(range(max(s[0] for s in spans), min(s[1] for s in spans)), 2))
            useful = [sum(c.useful_in(x, a, b) for x in c.spans) for c in calls]
            if min(useful) > 0:
                told = self.told(paths, '--from', f'{a / 1e9:.9f}', '--to', f'{b / 1e9:.9f}')
                self.assert_told(told, useful, [u / len(c.spans) / (b - a) for u, c in zip(useful, calls)], (SEED, k, a, b))

    @unittest.skipUnless(os.path.isdir(samples('paraver')), 'the samples are not here')
    @once
    def test_as_published(self):
        """EPOCH on 1, 2 and 8 processes: run time and time of useful computation as the authors of the traces tell them."""
        with open(os.path.join(samples('paraver'), 'expected.jsonl')) as lines:
            rows = [row for row in map(json.loads, lines) if 'pypop-epoch' in row['path']]
        told = self.told([os.path.join(samples('paraver'), os.path.basename(row['path'])) for row in rows])
        pop = [row['pop_from_state_1'] for row in rows]
        self.assert_told(told, [p['useful_total'] for p in pop], [p['PE'] / 100 for p in pop], 'EPOCH')

    @unittest.skipUnless(waits.SCRIPT, 'libotf2 is not here')
    def test_one_that_tells_of_no_efficiency(self):
        """Where one of two tells nothing of it there is no scaling, and the efficiency of the other stands alone."""
        path = Program(3, SEED + 7, 30).finished().write(waits.SCRIPT, self.path('run'))
        log = self.path('alone.trace', '%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n'
                        '%EventDef PajeCreateContainer 1\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n'
                        '%EventDef PajeDestroyContainer 2\n% Time date\n% Type string\n% Name string\n%EndEventDef\n'
                        '0 P 0 Process\n1 0 a P 0 a\n2 1 P a\n')
        told = self.told([path, log])
        self.assertEqual([set(told), len(told.get(ROWS[0], ()))], [{ROWS[0]}, 1])


main()
