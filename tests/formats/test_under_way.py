# SPDX-License-Identifier: Apache-2.0
"""What is under way at random instants of recorded programs of MPI, against a second computation from the text of otf2-print:
requests, messages, communicators and what their members do together, memory of others, time by group of regions."""
import json
import os
import random
import resource
import sys
import unittest
from xml.etree import ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, few, main                                                             # noqa: E402
from otf2 import Archive                                                                        # noqa: E402
from under_way import FILES, HAS, PROGRAM, Tables                                               # noqa: E402

class UnderWay(Tables):
    def test_states_around_calls(self):
        """Very many states that end while calls that were begun in them last: each is left alone, and four times as many take no more than some four times as long."""
        took = []
        for n in (10000, 40000):
            events = [dict(ph='B', pid=1, tid=1, ts=i, name=f's{i % 7}') for i in range(n)]
            events += [dict(ph='X', pid=1, tid=1, ts=n + i, dur=4 * n - 2 * i, name='call') for i in range(n)]
            events += [dict(ph='E', pid=1, tid=1, ts=2 * n + i) for i in range(n)]
            path = self.path('made.json', json.dumps(events))
            self.scope('info', path)            # in the cache
            for part in (0.1, 0.6):
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                rows = self.tables(path, (2 + part) * n * 1000 + 1, 'chrome')
                spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
                (row,) = [r for r in rows['tasks'] if r['region']]
                self.assertEqual((row['region'], int(row['depth'])), ('call', 2 * n - int(part * n) - 1))
                self.assertEqual(len(rows['left']), int(row['depth']))
            took.append(spent)
        self.assertLess(took[1], 9 * took[0] + 0.2)

    @unittest.skipUnless(HAS, 'otf2-print, or libotf2, is not here')
    def test_random_instants(self):
        r, n = random.Random(16), 0
        for name in ('waits', 'stencil', 'farm', 'collectives', 'memory', 'requests'):
            path = os.path.join(ROOT, 'traces', f'mpi-{name}.otf2')
            dates = sorted({date for date, _, _, _ in Archive(os.path.join(path, 'traces.otf2')).records})
            for at in [r.choice(dates[len(dates) // 10:]) for _ in range(few(3))]:
                n += self.compare(path, at)
            self.assertEqual(self.compare(path, dates[-1]), 0, name)        # nothing is left over
        self.assertGreater(n, 30)

    @unittest.skipUnless(HAS, 'otf2-print, or libotf2, is not here')
    def test_opens_where_tables_are_full(self):
        """At the begin most of them have next to nothing; so the program says that it is opened at the end."""
        program, path = os.path.join(ROOT, 'schemas', 'otf2', 'under-way.eve'), os.path.join(ROOT, 'traces', 'mpi-memory.otf2')
        self.assertEqual([note.text for note in ElementTree.parse(program).iter('note') if note.get('name') == 'opens at'], ['end'])

        def rows(at):
            n = []
            for view in ('Tasks now', 'Time by group', 'Windows and files'):
                out = self.path('drawn.csv')
                self.scope('draw', path, '--program', program, '--view', view, '--at', at, '-o', out)
                with open(out, encoding='utf-8') as f:
                    n.append(len(f.readlines()))
            return n
        self.assertTrue(all(least < most for least, most in zip(rows('0'), rows('end'))), (rows('0'), rows('end')))

    @unittest.skipUnless(HAS, 'otf2-print, or libotf2, is not here')
    def test_travel(self):
        path = os.path.join(ROOT, 'traces', 'mpi-requests.otf2')
        program = self.path('under-way.eve', PROGRAM % ('late = Mine', FILES % ''))
        self.scope('film', path, '--program', program)
        last = self.info(path)['last']
        for part in (0.3, 0.7, 0.9):
            film, played = (json.loads(self.scope('seek', path, '--program', program, '--to', f'{part * last:.9f}', *more)[0])
                            for more in ((), ('--no-film',)))
            self.assertEqual(film['hash'], played['hash'])


main()
