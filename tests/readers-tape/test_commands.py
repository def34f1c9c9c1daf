#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything generic that the command line does, on TAPE traces: synthetic, damaged, and those that were recorded."""
import glob
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'cli'))
from cli import ROOT, Case, scope          # noqa: E402

RECORDED = sorted(os.path.dirname(d) for d in glob.glob(os.path.join(ROOT, 'traces', '*.trace', '*.tape')))


class Synthetic(Case):
    def make(self, tasks=6, events=4000, seed=1):
        trace = self.path('s.trace')
        self.good('synth', '--format', 'tape', '--tasks', tasks, '--events', events, '--seed', seed, '-o', trace)
        return trace

    def test_reading(self):
        trace = self.make()
        info = self.good('info', trace, '--json').json()
        self.assertEqual((info['format'], info['model'], info['reader']), ('tape', 'OUF', 'scope.tape-reader'))
        self.assertEqual((info['events'], info['records'], info['damaged']), (4000, 4000, 0))
        self.assertEqual([t['id'] for t in info['tasks']], [f't{i}' for i in range(6)])
        self.assertEqual(sum(t['events'] for t in info['tasks']), 4000)
        self.assertEqual([os.path.basename(p['file']) for p in info['programs']], ['views.eve', 'waits.eve', 'call-tree.eve', 'calls.eve', 'communication-overhead.eve', 'compare.eve', 'concurrency.eve',
                          'in-flight.eve', 'listen.eve', 'load-balance.eve', 'node-data.eve', 'overhead-panel.eve', 'regions.eve', 'scene.eve', 'scenes.eve',
                          'statistics.eve', 'stay-tables.eve', 'threads.eve', 'traffic.eve',
                          'utilization.eve', 'vector-clocks.eve', 'waiting-times.eve', 'watch-overhead.eve', 'watch-waits.eve', 'default.eve'])
        events = self.good('events', trace, '--json').lines()
        self.assertEqual(len(events), 4000)
        dates = [e['t'] for e in events]
        self.assertEqual(dates, sorted(dates))
        self.assertEqual(len(self.good('events', trace).out.splitlines()), 4000)

    def test_slices(self):
        """From a date on, as the index finds it, comes what comes there when all is read."""
        trace = self.make(events=9000)
        whole = self.good('events', trace, '--json').lines()
        dates = sorted({e['t'] for e in whole})
        for start in dates[::997] + dates[-1:]:
            part = self.good('events', trace, '--json', '--from', f'{start:.9f}').lines()
            self.assertEqual(part, [e for e in whole if e['t'] >= start])

    def test_states(self):
        trace = self.make()
        state = self.good('state', trace, '--at', '0.002', '--json').json()
        self.assertEqual(len(state['nodes']), 6)
        for name in ('Clock', 'State', 'Name', 'Nickname', 'Protagonist', 'PercentBusy', 'PercentIdle', 'PercentTalking'):
            self.assertIn(name, state['nodes'][0])
        for name in ('Clock', 'State', 'Name', 'Origin', 'Destination', 'Usage', 'Traffic', 'TotalTraffic', 'PercentUnused',
                     'PercentIdle', 'PercentTalking'):
            self.assertIn(name, state['edges'][0])
        self.assertEqual(set(state['graph']), {'Clock', 'ClockUnits'})
        self.assertTrue(self.good('state', trace, '--at', '0.002', '--dot').out.startswith('digraph'))

    def test_topology_before_the_first_event(self):
        state = self.good('state', self.make(), '--at', '0', '--json').json()
        self.assertEqual({n['State'] for n in state['nodes']}, {'Unused'})
        self.assertEqual({e['State'] for e in state['edges']}, {'Unused'})

    def test_film_travel_picture(self):
        trace = self.make()
        views = os.path.join(ROOT, 'schemas', 'tape', 'views.eve')
        film = self.path('film')
        self.good('film', trace, '--program', views, '-o', film, '--quiet')
        picture = self.path('x.svg')
        for view in ('Space-time', 'State graph', 'Trace text'):
            self.good('draw', trace, '--film', film, '--view', view, '--at', '0.004', '--quiet', '-o', picture)
            with open(picture, encoding='utf-8') as f:
                self.assertIn('<svg', f.read())
            os.remove(picture)
        sought = self.good('seek', trace, '--repeat', 5, '--random', 3, '--program', views).json()
        self.assertEqual(sought['travels'], 5)

    def test_damage_is_told(self):
        trace = self.make()
        events = os.path.join(trace, 's.tape', 'events')
        with open(events, 'r+b') as f:
            block, = struct.unpack_from('=Q', f.read(64), 40)
            f.seek(block + 64 + 4)
            f.write(b'\xee')                    # the type of the first event
        told = scope('check', trace)
        self.assertIn(f'events, offset {block + 64}: the event is of a type that is not known; it is left out', told.out)
        self.assertEqual(self.good('info', trace, '--json').json()['damaged'], 1)
        with open(events, 'r+b') as f:
            f.truncate(40)
        self.bad(1, r'events ends at offset 40, inside its head', 'info', trace)
        os.remove(events)
        self.bad(1, r'events cannot be read: there is no such file', 'run', trace)


class Recorded(Case):
    def test_bundles(self):
        """No ready program finds in them what the model does not allow: the format's own on each, those that other formats
        share on one each in turn (on all with SCOPE_ALL)."""
        for k, trace in enumerate(RECORDED):
            checked = self.good('check', trace).out
            self.assertIn(' 0 damaged records, 0 impossible events', checked)
            programs = [p['file'] for p in self.good('info', trace, '--json').json()['programs']]
            shared = [p for p in programs if os.path.basename(os.path.dirname(p)) != 'tape']
            self.assertGreater(len(shared), len(RECORDED))
            left_out = set() if os.environ.get('SCOPE_ALL') else {p for i, p in enumerate(shared) if i % len(RECORDED) != k}
            for program in (p for p in programs if p not in left_out):
                with self.subTest(trace=os.path.basename(trace), program=os.path.basename(program)):
                    done = scope('run', trace, '--program', program, '--out', self.folder, '--stats')
                    watched = done.err.splitlines()     # a watch tells what it did
                    self.assertEqual((done.status, [w for w in watched if not w.startswith('scope: Watch: ')]), (0, []), done.err)
                    self.assertTrue(not watched or 'watch' in os.path.basename(program))
                    last = done.out.strip().splitlines()[-1]
                    self.assertIn('"damaged": 0, "impossible": 0', last)

    def test_deadlock(self):
        """Each philosopher holds what another waits for, round in a circle."""
        trace = os.path.join(ROOT, 'traces', 'philosophers-deadlock.trace')
        if not os.path.isdir(trace):
            self.skipTest('not recorded')
        info = self.good('info', trace, '--json').json()
        middle = (info['first'] + info['last']) / 2
        state = self.good('state', trace, '--at', f'{middle:.9f}', '--json', '--program',
                          os.path.join(ROOT, 'schemas', 'tape', 'threads.eve')).json()
        wanted = {}
        for node in state['nodes']:
            if node['Kind'] == 'semaphore' and node['Waiters'] and ',' not in node['Holders'] + node['Waiters']:
                if node['Holders']:
                    wanted[node['Waiters']] = node['Holders']
        self.assertGreaterEqual(len(wanted), 3)
        start = at = sorted(wanted)[0]
        for _ in wanted:
            at = wanted[at]
        self.assertEqual(at, start, 'waiting leads round')


if __name__ == '__main__':
    unittest.main()
