#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files in forms that tools write and that no sample has: small ones, of which all that must be seen is known beforehand."""
import csv
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, main                                                                   # noqa: E402

THINGS = (
    'ranks 2; thread 2 0; team 5 0 2; file 0 /data/input.txt; file 1 /data/output.bin; handle 0 0; handle 1 1; handle 2 1; '
    'handle 3 stderr; 0 0 enter main; 1 0 enter main; 0 100 open 0; 0 200 io 0 0 1000 1; 0 700 ioc 0 900 1; 0 800 seek 0 0; 0'
    ' 900 io 0 0 500 2; 0 950 io 0 0 400 3; 0 1200 ioc 0 500 2; 0 1300 ioc 0 400 3; 0 1400 close 0; 1 100 open 1; 1 150 open '
    '2; 1 200 io 1 1 4096 9; 1 1200 ioc 1 4096 9; 1 1300 io 2 2 0 1; 1 1350 ioc 2 0 1; 1 1400 io 1 3 10 4; 1 1500 iostop 3 4;'
    ' 1 1600 io 1 1 77 5; 0 2000 wincreate; 1 2001 wincreate; 0 2100 put 1 1; 0 2150 get 1 2 64; 0 2200 putc 1; 0 2300 putc '
    '2; 1 2100 atomic 0 1 4 4; 1 2150 putc 1; 0 2400 lock 1 3; 0 2450 locked 1 3; 0 2500 unlock 1 3; 0 2600 winfree; 1 2600 '
    'winfree; 0 3000 fork 2; 0 3010 tbegin 5; 2 3012 tbegin 5; 0 3020 enter !$omp-parallel; 2 3022 enter !$omp-parallel; 0 '
    '3030 task 5 0 1; 0 3040 task 5 0 2; 2 3050 tswitch 5 0 1; 2 3100 tdone 5 0 1; 0 3110 acquire 7 1; 0 3150 release 7 1; 0 '
    '3200 leave !$omp-parallel; 2 3210 leave !$omp-parallel; 2 3220 tend 5; 0 3230 tend 5; 0 3240 join; 0 4000 leave main; 1 '
    '4000 leave main')


class Strange(Format):
    def nodes(self, path, at, *more):
        state = json.loads(self.scope('state', path, '--at', str(at), '--json', *more)[0])
        return {n['id']: n for n in state['nodes']}, {e['id']: e for e in state['edges']}

    def states(self, path, at, *more):
        return {name: n['State'] for name, n in self.nodes(path, at, *more)[0].items()}

    def tasks(self, path):
        return [t['id'] for t in self.info(path)['tasks']]

    # ---- Chrome ------------------------------------------------------------------------------------------------------

    def test_chrome_rows(self):
        """Threads stand below their process, whenever they begin; where the file says where, which may be at its end, there.
        Clocks that are corrected leave them so."""
        def x(pid, tid, ts, name):
            return {'ph': 'X', 'pid': pid, 'tid': tid, 'ts': ts, 'dur': 50, 'name': name}

        def flow(ph, key, pid, tid, ts):
            return {'ph': ph, 'id': key, 'cat': 'f', 'name': 'f', 'pid': pid, 'tid': tid, 'ts': ts}
        events = [x(2, 1, 0, 'a'), x(1, 1, 5, 'b'), x(2, 3, 10, 'c'), x(1, 2, 20, 'd'),
                  flow('s', 1, 2, 1, 8), flow('f', 1, 1, 2, 30), flow('s', 2, 1, 1, 9), flow('f', 2, 2, 3, 31),
                  {'ph': 'b', 'cat': 'n', 'id': 1, 'pid': 2, 'ts': 1, 'name': 'lane'}, {'ph': 'e', 'cat': 'n', 'id': 1, 'pid': 2, 'ts': 3, 'name': 'lane'}]
        plain = self.path('plain.json', json.dumps(events))
        self.assertEqual(self.tasks(plain), ['process 2', 'thread 1', 'thread 3', 'lane', 'process 1', 'thread 1 of process 1', 'thread 2'])
        sorted_ = self.path('sorted.json', json.dumps(events + [
            {'ph': 'M', 'pid': 2, 'name': 'process_sort_index', 'args': {'sort_index': 5000000}},
            {'ph': 'M', 'pid': 1, 'tid': 1, 'name': 'thread_sort_index', 'args': {'sort_index': '7'}},
            {'ph': 'M', 'pid': 2, 'tid': 3, 'name': 'thread_sort_index', 'args': {'sort_index': -1}}]))
        rows = ['process 1', 'thread 2', 'thread 1 of process 1', 'process 2', 'thread 3', 'thread 1', 'lane']
        counts = {'process 1': 0, 'thread 2': 3, 'thread 1 of process 1': 3, 'process 2': 0, 'thread 3': 3, 'thread 1': 3, 'lane': 2}
        for _ in range(2):          # read, and from the cache
            self.assertEqual(self.tasks(sorted_), rows)
            self.assertEqual({t['id']: t['events'] for t in self.info(sorted_)['tasks']}, counts)
        for more in ((), ('--clocks', 'logical'), ('--clocks', 'linear')):
            nodes, edges = self.nodes(sorted_, 0.000035, *more)
            self.assertEqual({name: n['State'] for name, n in nodes.items() if n['Type'] == 'Thread'},
                             {'thread 1': 'a', 'thread 1 of process 1': 'b', 'thread 3': 'c', 'thread 2': 'd'}, more)
            self.assertEqual({name: n['Inside'] for name, n in nodes.items() if n['Type'] != 'Process'},
                             {'thread 1': 'process 2', 'thread 1 of process 1': 'process 1', 'thread 3': 'process 2', 'thread 2': 'process 1',
                              'lane': 'process 2'})
            self.assertEqual({name: int(e['Messages']) for name, e in edges.items()},
                             {'thread 1->thread 2': 1, 'thread 1 of process 1->thread 3': 1}, more)
        again = self.path('again.otf2')
        self.scope('export', sorted_, '-o', again)
        self.assertEqual(self.states(again, 0.000035)['thread 3'], 'c')
        self.scope('draw', sorted_, '--view', 'Space-time', '--csv', '-o', self.path('rows.csv'))
        with open(self.path('rows.csv')) as f:
            drawn = [line.split(',')[0].strip('"') for line in f]
        self.assertEqual(list(dict.fromkeys(d for d in drawn if d in rows)), [r for r in rows if r in drawn])

    def test_chrome_words(self):
        """Dates and numbers in quotes, names behind the events, series of counters, what is nested and asynchronous."""
        a = {'pid': 'A', 'tid': 'main'}
        w = {'pid': 'A', 'tid': 'w'}
        n = {'pid': 'A', 'cat': 'n', 'id': '0x1'}
        path = self.path('words.json', json.dumps({'displayTimeUnit': 'ns', 'systemTraceEvents': '# tracer: nop\n', 'traceEvents': [
            dict(a, ph='B', ts='1.5', name='outer'), dict(a, ph='B', ts='2', name='inner'), dict(a, ph='E', ts='3'), dict(a, ph='E', ts='10'),
            dict(a, ph='s', id=7, ts=2.5, name='flow', cat='f'), dict(w, ph='f', bp='e', id=7, ts=4.5, name='flow', cat='f'),
            dict(w, ph='X', ts=4, dur='2', name='work'),
            dict(n, ph='b', tid='main', ts=1, name='req'), dict(n, ph='b', tid='main', ts=2, name='dns'), dict(n, ph='e', tid='main', ts=3, name='dns'),
            dict(n, ph='e', tid='w', ts=6, name='req'),
            dict(a, ph='C', ts=1, name='c', args={'u': 1, 'v': -2.5, 'w': '3'}), dict(a, ph='C', ts=5, name='c', args={'u': None, 'v': 7}),
            {'ph': 'M', 'pid': 'A', 'tid': 'w', 'name': 'thread_name', 'args': {'name': 'Worker'}}]})[:-2] + ',')
        nodes, edges = self.nodes(path, 0.0000055)
        self.assertEqual({k: (v['State'], int(v['Depth'])) for k, v in nodes.items()},
                         {'A': ('No state', 0), 'Worker w': ('work', 1), 'main': ('outer', 1), 'req': ('req', 1)})
        self.assertEqual([float(nodes['A'][k]) for k in ('c.u', 'c.v', 'c.w')], [1, 7, 3])
        self.assertEqual(int(edges['main->Worker w']['Messages']), 1)
        nodes, _ = self.nodes(path, 0.0000025)
        self.assertEqual((nodes['main']['State'], nodes['req']['State'], float(nodes['A']['c.v'])), ('inner', 'dns', -2.5))

    # ---- OTF2 --------------------------------------------------------------------------------------------------------

    @unittest.skipUnless(os.environ.get('OTF2_SCRIPT'), 'libotf2 is not here')
    def test_otf2_things(self):
        """Files, windows of memory, locks of them, teams of threads and their tasks: what was done to each, how often, how
        much, how long, and what is open."""
        path = self.path('things.otf2')
        subprocess.run([os.environ['OTF2_SCRIPT'], path], input='\n'.join(THINGS.split('; ')), text=True, check=True)
        self.assertEqual(self.info(path)['damaged'], 0)
        self.scope('run', path, '--program', 'under-way', '--out', self.path('out'))
        with open(os.path.join(self.path('out'), 'objects.csv'), newline='') as f:
            rows = {(r['object'], r['what']): [int(r['times']), int(r['open']), int(r['volume [B]']), round(float(r['time [s]']) * 1e9)]
                    for r in csv.DictReader(f)}
        self.assertEqual(rows, {
            ('/data/input.txt', 'IoCreateHandle'): [1, 0, 0, 0], ('/data/input.txt', 'IoRead'): [3, 0, 1800, 1150],
            ('/data/input.txt', 'IoSeek'): [1, 0, 0, 0], ('/data/input.txt', 'IoDestroyHandle'): [1, 0, 0, 0],
            ('/data/output.bin', 'IoCreateHandle'): [1, 0, 0, 0], ('/data/output.bin', 'IoWrite'): [2, 1, 4096, 1000],
            ('/data/output.bin (2)', 'IoCreateHandle'): [1, 0, 0, 0], ('/data/output.bin (2)', 'IoFlush'): [1, 0, 0, 50],
            ('stderr', 'IoWrite'): [1, 0, 0, 100],
            ('window', 'RmaWinCreate'): [2, 0, 0, 0], ('window', 'RmaWinDestroy'): [2, 0, 0, 0], ('window', 'RmaPut'): [1, 0, 8, 100],
            ('window', 'RmaGet'): [1, 0, 64, 150], ('window', 'RmaAtomic'): [1, 0, 4, 50], ('window', 'RmaRequestLock'): [1, 0, 0, 0],
            ('window', 'RmaAcquireLock'): [1, 0, 0, 0], ('window', 'RmaReleaseLock'): [1, 0, 0, 0],
            ('group 5', 'ThreadTeamBegin'): [2, 0, 0, 0], ('group 5', 'ThreadTeamEnd'): [2, 0, 0, 0],
            ('group 5', 'ThreadTaskCreate'): [2, 0, 0, 0], ('group 5', 'ThreadTaskSwitch'): [1, 0, 0, 0],
            ('group 5', 'ThreadTaskComplete'): [1, 0, 0, 0]})
        with open(os.path.join(self.path('out'), 'left.csv'), newline='') as f:
            self.assertEqual([(r['what'], r['of'], int(r['volume [B]'])) for r in csv.DictReader(f)], [('IoWrite', '/data/output.bin', 77)])
        self.assertEqual(self.states(path, 0.0000031), {'rank 0 · thread 0': '!$omp parallel', 'rank 0 · thread 2': '!$omp parallel', 'rank 1': 'main'})


if __name__ == '__main__':
    main()
