#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is exported as JSON, as Perfetto's importer takes it (perfetto.py): nothing is left out but what its model has no place for, and there
are as many slices, instants, counters and flows as we count."""
import glob
import json
import os
import random
import sys
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, ROOT, few, main, samples                                                # noqa: E402
from perfetto import Import                                                                         # noqa: E402

MOST = 150000       # events
SEED = int(os.environ.get('SCOPE_SEED', '1'))


class Perfetto(Format):
    def check(self, path):
        """Of one trace: how many records were compared."""
        info = self.info(path)
        if not 0 < info['events'] <= MOST:
            return 0
        out = self.path('out.json')
        if os.path.exists(out):
            os.unlink(out)
        told = self.scope('export', path, '-o', out, status=(0, 1))[1]
        if not os.path.exists(out):
            return 0        # a format of snapshots, of which nothing happens
        got = Import(out)
        with open(out, encoding='utf-8') as f:
            events = json.load(f)['traceEvents']
        below = sum(e['ts'] < 0 for e in events)
        self.assertEqual(below > 0, 'Perfetto leaves' in told, (path, told))
        first = {}
        for e in events:
            if e['ph'] in 'sf' and e['ts'] >= 0:
                first.setdefault(e['id'], []).append(e['ph'])
        early = sum(phases[0] == 'f' for phases in first.values())      # received before it is sent, or never sent
        wanted = Counter({'a date below 0': below, 'a flow that ends before it begins': early})
        open_below = Counter((e['pid'], e['tid']) for e in events if e['ph'] == 'B' and e['ts'] < 0)
        if open_below:
            got.lost.pop('an end without a begin', None)        # whose begin is among these
            got.lost.pop('a flow outside of slices', None)
        self.assertEqual(+got.lost, +wanted, path)
        again = self.info(out)
        self.assertEqual(again['damaged'], 0, path)
        ours = Counter()
        for k in again['kinds']:
            ours[k['name']] += k['begun']
        carried = sum(e.get('cat') == 'scope.carries' for e in events)
        if below:
            return len(events)
        self.assertEqual([got.kept[k] for k in 'BECs'], [ours[k] for k in ('Begin', 'End', 'Counter', 'FlowStart')], path)
        self.assertEqual((got.kept['i'], got.kept['f']), (ours['Instant'] + carried, ours['FlowEnd'] - early), path)
        self.assertEqual(len(got.flows), sum(phases == ['s', 'f'] for phases in first.values()), path)
        # whoever does something has a name, and what a counter is of
        self.assertLessEqual({(e['pid'], e['tid']) for e in events if e['ph'] in 'BEisf'}, {k for k in got.names if isinstance(k, tuple)}, path)
        self.assertEqual(sum(got.counters.values()), got.kept['C'])
        return len(events)

    def test_traces_of_ours(self):
        n = 0
        traces = sorted(glob.glob(os.path.join(ROOT, 'traces', '*.trace')) + glob.glob(os.path.join(ROOT, 'traces', '*.otf2')))
        for path in random.Random(SEED).sample(traces, min(len(traces), few(12))):
            n += self.check(path)
        self.assertGreater(n, 1000)

    def test_samples(self):
        if not os.path.isdir(samples('')):
            self.skipTest('the samples are not here')
        paths, n = [], 0
        for folder in ('alog', 'chrome', 'clog', 'clog2', 'otf2', 'paje', 'paraver', 'sddf', 'slog2'):
            paths += [p for p in glob.glob(os.path.join(samples(folder), '*')) if os.path.splitext(p)[1] in ('.log', '.alog', '.json', '.clog', '.clog2', '.trace', '.prv', '.sddf', '.slog2')
                      or (folder == 'otf2' and os.path.isdir(p))]
        for path in random.Random(SEED).sample(sorted(paths), min(len(paths), few(20))):
            if os.path.getsize(path) < 20 << 20:
                n += self.check(path)
        self.assertGreater(n, 1000)

    def test_importer(self):
        """The rules themselves, on small files: each loss is found where it is made."""
        base = {'pid': 1, 'tid': 2}
        for events, lost in (
                ([dict(base, ph='E', ts=1)], 'an end without a begin'), ([dict(base, ph='i', s='x', ts=1, name='a')], 'an instant of no scope'),
                ([dict(base, ph='s', ts=1, id=1, cat='c', name='n')], 'a flow outside of slices'), ([dict(base, ph='B', ts=-1, name='a')], 'a date below 0'),
                ([dict(base, ph='B', ts=1, name='a'), dict(base, ph='f', bp='e', ts=2, id=1, cat='c', name='n')], 'a flow that ends before it begins'),
                ([dict(base, ph='C', ts=1, name='a', args={'v': None})], 'a counter that is no number'), ([dict(base, ph='B', name='a')], 'no date'),
                ([dict(base, ph='B', ts=1, name='a'), *[dict(base, ph='s', ts=2, id='7', cat='c', name='n')] * 2], 'an id of two flows')):
            got = Import(self.path('small.json', json.dumps(events)))
            self.assertEqual(dict(got.lost), {lost: 1}, events)
        events = [dict(base, ph='i', s='t', ts=5, name='send'), dict(base, ph='s', ts=5, id=1, cat='c', name='n'), dict(base, tid=3, ph='B', ts=6, name='in'),
                  dict(base, tid=3, ph='f', bp='e', ts=7, id=1, cat='c', name='n'), dict(base, tid=3, ph='E', ts=9)]
        got = Import(self.path('small.json', json.dumps({'traceEvents': events})))
        self.assertEqual((dict(got.lost), got.flows), ({}, [(((1, 2), 5000), ((1, 3), 6000))]))


main()
