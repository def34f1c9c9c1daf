#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two executions of any formats, and a trace of a format that has no programs of its own: there is a program for each."""
import csv
import glob
import json
import os
import re
import shutil

from formats import Format, ROOT, SCOPE, main, samples

# A small one of each format that is there; the first few are the project's own.
OWN = [os.path.join(ROOT, 'traces', name) for name in ('ring.trace', 'philosophers.trace', 'mpi-farm.otf2')]
OTHERS = [('paje', 'pajeng-simu-mardi.trace'), ('paraver', 'profet-test1.prv'), ('chrome', 'viztracer-fib.json'),
          ('alog', 'srtest.alog'), ('clog', 'simple.clog'), ('clog2', 'waits4.clog2'), ('slog2', 'arrow.slog2'),
          ('sddf', 'pvm_tracer_time_option.sddf'), ('memtrace', 'ocamlopt.ctf'), ('ctf', 'babeltrace/succeed/smalltrace')]


class Pairs(Format):
    def there(self):
        """All of them in the tests that take hours, else some that are of many kinds."""
        return OWN + [path for path in (os.path.join(samples(f), name) for f, name in (OTHERS if 'SCOPE_MATRIX' in os.environ else OTHERS[::3])) if os.path.exists(path)]

    def compared(self, *paths):
        """What `scope run` writes of each."""
        out = self.path('out')
        shutil.rmtree(out, ignore_errors=True)
        self.scope('run', *paths, '--out', out, '-q')
        tables = []
        for i in range(len(paths)):
            with open(os.path.join(out, f'states-{i + 1}.csv'), newline='', encoding='utf-8') as f:
                tables.append(list(csv.reader(f)))
        return tables

    def readable(self):
        return [path for path in self.there() if not re.search('not built|package', self.scope('info', path, status=(0, 1))[1])]

    def test_each_twice(self):
        for path in self.readable():
            with self.subTest(path):
                one, two = self.compared(path, path)
                self.assertEqual(one, two)
                self.assertGreater(len(one), 1)

    def test_of_two_formats(self):
        """What is told of an execution is what is told of it beside itself, whichever is the other."""
        paths = self.readable()
        alone = {}
        for path in paths:
            alone[path] = self.compared(path, path, paths[0])[0]    # by the program for any format
        for one, two in zip(paths, paths[1:] + paths[:1]):
            with self.subTest((one, two)):
                self.assertEqual(self.compared(one, two), [alone[one], alone[two]])

    def test_report(self):
        """A report of several is one of each."""
        done = self.scope('report', OWN[0], OWN[1], '-o', self.path('report'), '-q')[0]
        for name in ('ring', 'philosophers'):
            self.assertIn(name, done)
            self.assertTrue(glob.glob(self.path(f'report/*{name}*')), os.listdir(self.path('report')))


class Own(Format):
    def test_programs_for_any_format(self):
        """They name no reader of their own, so that a format from elsewhere has programs; all of them work with each trace."""
        programs = [p for folder in ('any', 'calls', 'messages', 'activity') for p in glob.glob(os.path.join(ROOT, 'schemas', folder, '*.eve'))]
        self.assertGreater(len(programs), 20)
        for path in programs:
            with open(path, encoding='utf-8') as f:
                text = f.read()
            self.assertEqual(re.findall(r'class="scope\.[a-z0-9-]+-reader"', text), [])
            self.assertIn('"any.reader"', text)
            for trace in OWN[:2]:
                stats = json.loads(self.scope('run', trace, '--program', path, '--stats')[0].splitlines()[-1])
                self.assertGreater(stats['events_read'], 0)
        # one of a person's own is made for the trace as well
        with open(self.path('mine.eve'), 'w', encoding='utf-8') as f:
            f.write(text)
        self.assertGreater(json.loads(self.scope('run', OWN[0], '--program', self.path('mine.eve'), '--stats')[0].splitlines()[-1])['events_read'], 0)

    def test_what_is_on_offer(self):
        """A format has its own programs, those that it shares, and no name twice."""
        for trace in OWN:
            offered = json.loads(self.scope('info', trace, '--json')[0])
            folder, files = os.path.join(ROOT, 'schemas', offered['format']), [p['file'] for p in offered['programs']]
            names = [os.path.basename(p) for p in files]
            self.assertEqual(len(set(names)), len(names))
            want = {'any/*.eve', offered['format'] + '/*.eve'}
            if os.path.exists(os.path.join(folder, 'shares')):
                with open(os.path.join(folder, 'shares')) as f:
                    want |= {w if w.endswith('.eve') else w + '/*.eve' for w in f.read().split()}
            self.assertEqual(set(names), {os.path.basename(p) for w in want for p in glob.glob(os.path.join(ROOT, 'schemas', w))})
            for own in glob.glob(os.path.join(folder, '*.eve')):
                self.assertIn(own, files)


main()
