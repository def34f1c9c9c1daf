#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pajé traces at random instants beside a second computation (paje.py), damaged, packed, and opened as they are."""
import gzip
import json
import os
import random
import sys
import unittest
from decimal import Decimal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, ROOT, main, samples
from paje import Model                                                                          # noqa: E402

SAMPLES = samples('paje')
HEAD = [('PajeDefineContainerType', ['Alias string', 'Type string', 'Name string']),
        ('PajeDefineStateType', ['Alias string', 'Type string', 'Name string']),
        ('PajeDefineVariableType', ['Alias string', 'Type string', 'Name string', 'Color color']),
        ('PajeDefineLinkType', ['Alias string', 'Type string', 'StartContainerType string', 'EndContainerType string', 'Name string']),
        ('PajeDefineEntityValue', ['Alias string', 'Type string', 'Name string', 'Color color']),
        ('PajeCreateContainer', ['Time date', 'Alias string', 'Type string', 'Container string', 'Name string']),
        ('PajeDestroyContainer', ['Time date', 'Type string', 'Name string']),
        ('PajeSetState', ['Time date', 'Type string', 'Container string', 'Value string']),
        ('PajePushState', ['Time date', 'Type string', 'Container string', 'Value string', 'Params string']),
        ('PajePopState', ['Time date', 'Type string', 'Container string']),
        ('PajeResetState', ['Time date', 'Type string', 'Container string']),
        ('PajeSetVariable', ['Time date', 'Type string', 'Container string', 'Value double']),
        ('PajeAddVariable', ['Time date', 'Type string', 'Container string', 'Value double']),
        ('PajeSubVariable', ['Time date', 'Type string', 'Container string', 'Value double']),
        ('PajeStartLink', ['Time date', 'Type string', 'Container string', 'Value string', 'StartContainer string', 'Key string', 'Size int']),
        ('PajeEndLink', ['Time date', 'Type string', 'Container string', 'Value string', 'EndContainer string', 'Key string'])]
NUMBER = {verb: i for i, (verb, _) in enumerate(HEAD)}


def made(seed, n=400, tasks=5):
    """A trace with ties, dates that go back, states of two types, deaths, links that overtake each other."""
    r = random.Random(seed)
    out = []
    for verb, fields in HEAD:
        out += [f'%EventDef {verb} {NUMBER[verb]}'] + [f'%  {f}' for f in fields] + ['%EndEventDef']

    def line(verb, *fields):
        out.append(' '.join([str(NUMBER[verb])] + [f'"{f}"' if ' ' in str(f) or f == '' else str(f) for f in fields]))
    line('PajeDefineContainerType', 'M', 0, 'Machine')
    line('PajeDefineContainerType', 'P', 'M', 'Process')
    line('PajeDefineStateType', 'S', 'P', 'State of it')
    line('PajeDefineStateType', 'T', 'P', 'Other')
    line('PajeDefineVariableType', 'V', 'M', 'power', '0 1 0')
    line('PajeDefineVariableType', 'W', 'P', 'Depth', '0 1 0')
    line('PajeDefineLinkType', 'L', 0, 'P', 'P', 'message')
    line('PajeDefineEntityValue', 'r', 'S', 'Running', '0 1 0')
    line('PajeCreateContainer', '0.0', 'm', 'M', 0, 'machine')
    for i in range(tasks):
        line('PajeCreateContainer', f'0.{i:03}', f'p{i}', 'P', 'm', 'twin' if i < 2 else f'process {i}')
    t, keys, depth, open_links = 1000, 0, {}, []
    dead = set()
    for _ in range(n):
        t += r.choice([0, 0, 1, 5, 40])
        when = f'{t / 1000:.6f}'
        p = r.randrange(tasks)
        kind = r.choice('SSSST')
        do = r.randrange(12)
        if p in dead:
            continue
        if do < 3:
            line('PajePushState', when, kind, f'p{p}', r.choice(['r', 'undefined one', 'Dead']), 'more text')
            depth[p, kind] = depth.get((p, kind), 0) + 1
        elif do < 6 and depth.get((p, kind), 0):
            line('PajePopState', when, kind, f'p{p}')
            depth[p, kind] -= 1
        elif do == 6:
            line('PajeSetState', when, kind, f'p{p}', r.choice(['r', 'waits']))
            depth[p, kind] = 0
        elif do == 7:
            line('PajeResetState', when, kind, f'p{p}')
            depth[p, kind] = 0
        elif do == 8:
            verb = r.choice(['PajeSetVariable', 'PajeAddVariable', 'PajeSubVariable'])
            line(verb, when, *(['V', 'm'] if r.random() < .5 else ['W', f'p{p}']), round(r.uniform(-5, 5), 3))
        elif do == 9:
            keys += 1
            open_links.append(keys)
            line('PajeStartLink', when, 'L', 0, 'v', f'p{p}', f'k{keys}', r.randrange(5000))
        elif do == 10 and open_links:
            line('PajeEndLink', when, 'L', 0, 'v', f'p{p}', f'k{open_links.pop(r.randrange(len(open_links)))}')
        elif do == 11 and r.random() < .05 and p > 1:
            line('PajeDestroyContainer', when, 'P', f'p{p}')
            dead.add(p)
    return '\n'.join(out) + '\n'


class Paje(Format):
    def compare_times(self, path, model, at, rows):
        """What each was in so far: how long, how long with all that is inside, how often."""
        at = min(at, model.last)        # nothing lasts longer than the trace
        expected = {(who, name): row for who in list(model.stays) for name, row in model.times(who, at).items()}
        told = {(row['id'], row['state']): (row['spent'], row['inclusive'], row['visits']) for row in rows}
        self.assertEqual(told, expected, (path, at))
        return 3 * len(rows)

    def compare(self, path, instants, seed):
        whole, r, n = Model(path), random.Random(seed), 0
        for _ in range(instants):
            span = max(whole.last - whole.first_date, Decimal('0.000001'))
            at = (whole.first_date + span * Decimal(r.random())).quantize(Decimal('0.000000001'))
            model = Model(path, at)
            state = json.loads(self.scope('state', path, '--at', f'{at:f}', '--json')[0], parse_float=Decimal)
            n += self.compare_times(path, model, at, state['times'])
            for node in state['nodes']:
                task = node['id']
                expected = model.state(task)
                if expected is not None:
                    self.assertEqual(node['State'], expected, (path, at, task))
                for name in {v for values in model.variables.values() for v in values}:
                    shown = node.get(name + ' (variable)', node.get(name))
                    x = model.variables[task].get(name)
                    if x is None:
                        self.assertEqual(shown, '', (path, at, task, name))
                    else:
                        self.assertAlmostEqual(float(shown), x, delta=1e-9 * max(1, abs(x)), msg=(path, at, task, name))
                    n += 1
                self.assertEqual(int(node['Sent']), model.sent[task], (path, at, task))
                self.assertEqual(int(node['Received']), model.received[task], (path, at, task))
                n += 3
            for edge in state['edges']:
                on_way, received, messages = model.links[edge['from'], edge['to']]
                self.assertEqual([int(edge['Traffic']), int(edge['TotalTraffic']), int(edge['Messages'])],
                                 [on_way, received, messages], (path, at, edge['id']))
                n += 3
        return n

    def test_made_traces_at_random_instants(self):
        n = 0
        for seed in range(12):
            n += self.compare(self.path(f'made{seed}.paje', made(seed)), 6, seed)
        self.assertGreater(n, 1000)

    def test_samples_at_random_instants(self):
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        with open(os.path.join(SAMPLES, 'expected.jsonl')) as lines:
            for expected in map(json.loads, lines):
                path = os.path.join(SAMPLES, os.path.basename(expected['path']))
                self.compare(path, 3, expected['path'])
                info = json.loads(self.scope('info', path, '--json')[0])
                kinds = {}          # several definitions may be of one kind of line
                for k in info['kinds']:
                    kinds[k['name']] = kinds.get(k['name'], 0) + k['begun']
                # of links of one type and one date pj_dump shows one alone, as in this trace
                if 'Link' in expected.get('records', {}) and 'fg126' not in path:
                    self.assertEqual(kinds['EndLink'], expected['records']['Link'], path)
                if 'Container' in expected.get('records', {}):
                    self.assertEqual(kinds['CreateContainer'], expected['records']['Container'] - 1, path)
                for event, count in expected.get('event_lines', {}).items():
                    if not event.startswith('PajeDefine'):
                        self.assertEqual(kinds[event[4:]], count, (path, event))

    def test_time_in_states_as_peers_have_it(self):
        """Seconds in each state, over all containers, as pj_dump sums them."""
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        program = self.path('stays.eve', '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><component name="R" class="scope.paje-reader" version="1"/>
<component name="S" class="scope.calls-simulator" version="1"/>
<component name="D" class="scope.state-durations" version="1"/>
<component name="C" class="scope.data-file" version="1"><setting name="file">stays.csv</setting></component>
<wire from="R" out="events" to="S" in="events"/><wire from="S" out="states" to="D" in="states"/>
<wire from="D" out="table" to="C" in="in"/></eve>''')
        with open(os.path.join(SAMPLES, 'expected.jsonl')) as lines:
            for expected in map(json.loads, lines):
                # what pj_dump counts of a state that others are pushed upon is the whole of it: only flat traces compare
                if not os.path.basename(expected['path']).startswith('simgrid') or not expected.get('states_total_time'):
                    continue
                path = os.path.join(SAMPLES, os.path.basename(expected['path']))
                out = self.path('out')
                self.scope('run', path, '--program', program, '--out', out)
                with open(os.path.join(out, 'stays.csv')) as f:
                    head = f.readline().strip().split(',')
                    totals = {}
                    for row in f:
                        cells = dict(zip(head, row.strip().split(',')))
                        for name, value in cells.items():
                            if name.endswith(' [s]'):
                                totals[name[:-4]] = totals.get(name[:-4], 0) + float(value or 0)
                for name, seconds in expected['states_total_time']:
                    self.assertAlmostEqual(totals.get(name, 0), seconds, delta=2e-5, msg=(path, name, head))

    def test_as_a_film_packed_and_in_a_bundle(self):
        text = made(77)
        plain, packed = self.path('plain.trace', text), self.path('packed.gz', gzip.compress(text.encode()))
        bundle = self.path('b.trace')
        os.makedirs(os.path.join(bundle, 'b.paje'))
        self.path('b.trace/b.paje/events', text)
        for at in ('1.5', '2.25', '3'):
            hashes = {json.loads(self.scope('state', p, '--at', at, '--json')[0])['hash'] for p in (plain, packed, bundle)}
            self.assertEqual(len(hashes), 1)
            seek = json.loads(self.scope('seek', plain, '--to', at)[0])
            self.assertEqual({seek['hash']}, hashes)
        self.scope('film', plain)
        self.scope('marks', plain, 'add', 'here', '--at', '2')
        self.assertIn('here', self.scope('marks', plain)[0])
        self.assertTrue(os.path.isfile(plain))      # nothing was put beside it
        self.assertEqual(sorted(n for n in os.listdir(self.folder.name) if n.startswith('plain')), ['plain.trace'])

    def test_damage(self):
        text = made(3)
        sound = json.loads(self.scope('info', self.path('sound.paje', text), '--json')[0])
        self.assertEqual(sound['damaged'], 0)
        for i, (bad, word) in enumerate([('99 1.0 x', 'defines no kind'), ('8 1.0 S nobody r', 'never created'),
                                         ('8 1.0 X p0 r', 'not defined'), ('11 1.0 W p0 many', 'no number'),
                                         ('8 late S p0 r', 'no date'), ('8 1.0 S', 'ends before')]):
            path = self.path(f'bad{i}.paje', text + bad + '\n')
            shown = self.scope('info', path)[0]
            self.assertIn(word, shown)
            self.assertIn(f'line {text.count(chr(10)) + 1}', shown)
            info = json.loads(self.scope('info', path, '--json')[0])
            self.assertEqual((info['damaged'], info['events']), (1, sound['events']))
        raw = text.encode()
        self.check_damage('paje', raw)
        packed = gzip.compress(raw)
        _, said = self.scope('info', self.path('half.gz', packed[:len(packed) // 2]), status=(0, 1))

    def test_written_and_read_again(self):
        """What is exported as Pajé is the same execution again, at any instant."""
        paths = [self.path(f'w{seed}.paje', made(seed)) for seed in range(4)]
        paths += [os.path.join(ROOT, 'traces', name) for name in ('ring.trace', 'philosophers.trace')]
        if os.path.isdir(SAMPLES):
            paths += [os.path.join(SAMPLES, 'simgrid-waits.trace'), os.path.join(SAMPLES, 'pajeng-simu-mardi.trace')]

        def twin_of(node, nodes):
            return next((n for n in nodes if n['Name'] == (node['Nickname'] or node['Name'])), None)
        for n, path in enumerate(paths):
            again = self.check_written(path, '.paje', twin_of, seed=n)
        # refused rather than written over; the format is told by the name, or said
        self.assertIn('is there already', self.scope('export', paths[0], '-o', again, status=1)[1])
        self.assertIn('--as', self.scope('export', paths[0], '-o', self.path('x.unknown'), status=2)[1])
        self.assertIn('paje', self.scope('export', paths[0], '--as', 'pajé', '-o', self.path('y'), status=2)[1])

    def test_cache_of_a_stranger(self):
        """What is damaged in the cache is made anew, or told; never taken for the trace."""
        path = self.path('t.paje', made(9))
        before = self.scope('events', path)[0]
        top = os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'converted')
        (kept,) = os.listdir(top)
        r = random.Random(1)
        for name in ('tables', 'index', 'events', 'values'):
            for _ in range(12):
                file = os.path.join(top, kept, name)
                with open(file, 'rb') as f:
                    sound = f.read()
                b = bytearray(sound)
                if b and r.random() < .7:
                    b[r.randrange(len(b))] ^= 1 << r.randrange(8)
                else:
                    b = b[:r.randrange(len(b) + 1)]
                with open(file, 'wb') as f:
                    f.write(b)
                out, said = self.scope('events', path, status=(0, 1))
                if name != 'values':
                    self.assertTrue(out == before or said, (name, len(out)))
                if os.path.exists(file):
                    with open(file, 'wb') as f:
                        f.write(sound)
        self.assertEqual(self.scope('events', path)[0], before)

    def test_order_of_much(self):
        """More events than are sorted together, in an order that wants merging."""
        lines = []
        for verb, fields in HEAD:
            lines += [f'%EventDef {verb} {NUMBER[verb]}'] + [f'%  {f}' for f in fields] + ['%EndEventDef']
        lines += ['0 P 0 Process', '2 V P power "0 1 0"'] + [f'5 0.0 p{i} P 0 p{i}' for i in range(3)]
        n = 250000
        for i in range(3):     # one task after the other: dates go back twice
            lines += [f'11 {k / 1000:.3f} V p{i} {k}' for k in range(1, n + 1)]
        path = self.path('much.paje', '\n'.join(lines) + '\n')
        info = json.loads(self.scope('info', path, '--json')[0])
        self.assertEqual(info['events'], 3 * n + 3)
        for at in (17.0005, 120.25, 249.999):
            state = json.loads(self.scope('state', path, '--at', str(at), '--json')[0])
            self.assertEqual([float(node['power']) for node in state['nodes']], [float(int(at * 1000 + 1e-6))] * 3)


main()
