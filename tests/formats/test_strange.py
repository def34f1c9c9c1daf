#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files in forms that tools write and that no sample has: small ones, of which all that must be seen is known beforehand."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, main                                                                   # noqa: E402


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


if __name__ == '__main__':
    main()
