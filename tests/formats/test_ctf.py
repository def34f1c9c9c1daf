#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CTF traces beside what babeltrace2 says of them, and traces made here, at random instants; damaged, rotated, mixed."""
import csv
import glob
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import unittest
from collections import Counter, defaultdict
from decimal import Decimal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ctf import NEW_CALLS, Calls, Converted, Scheduling, back, call, make, make_kernel, switch, text_of, write_kernel                                                # noqa: E402
from ctf_kinds import make_kinds, write_plain                                                  # noqa: E402
from ctf_random import make_random                                                             # noqa: E402
from formats import SCOPE, Format, few, main, samples                                    # noqa: E402

SAMPLES, SEED = samples('ctf'), int(os.environ.get('SCOPE_SEED', '1'))
OURS = ('DiscardedEvents', 'LostPackets', 'Runs', 'Scheduled')      # kinds that are no events of the trace


def seconds(ns):
    return f'{ns // 10**9}.{ns % 10**9:09}'


def by_name(info):
    names = Counter()
    for k in info['kinds']:
        if k['name'] not in OURS:
            names[k['name']] += k['begun'] + (k['ended'] or 0)
    return names


class Ctf(Format):
    def here(self, *names):
        path = os.path.join(SAMPLES, *names)
        if not os.path.isdir(path):
            self.skipTest('the samples are not here')
        return path

    def nodes(self, path, ns):
        state = json.loads(self.scope('state', path, '--at', seconds(ns), '--json')[0])
        return {node['id']: node for node in state['nodes']}

    def test_samples(self):
        self.here()
        with open(os.path.join(SAMPLES, 'expected.jsonl'), encoding='utf-8') as lines:
            for expected in map(json.loads, lines):
                path = os.path.join(SAMPLES, '..', expected['path'])
                if expected['events'] == 0 and expected['rc'] != 0:
                    said = self.scope('info', path, status=(1,))[1]
                    self.assertRegex(said, 'CTF 2' if 'CTF2' in path else 'can be read: .')
                    continue
                info = self.info(path)
                names = by_name(info)
                together = [k for k in info['kinds'] if k['category'] in ('collective', 'group')]     # what an event tells besides itself
                self.assertEqual(sum(names.values()) - sum(k['begun'] + (k['ended'] or 0) for k in together), expected['events'], path)
                for name, n in expected['by_name']:
                    if name != 'event':     # of which the summary has half of the name
                        self.assertEqual(names[name], n, (path, name))
                if expected['first']:
                    self.assertAlmostEqual(info['first'], float(expected['first']), places=6)
                    self.assertAlmostEqual(info['last'], float(expected['last']), places=6)
                shown = self.scope('info', path)[0]
                for what in ('events', 'packets'):
                    if expected[f'discarded_{what}']:
                        self.assertIn(f'{expected[f"discarded_{what}"]} {what} were', shown)
                if expected['discarded_events'] and not expected['rc']:       # the report tells it before all figures
                    self.assertRegex(self.scope('report', path)[0].partition('\n\n')[2].partition('\n\n')[0],
                                     rf'\n  lost        .* {expected["discarded_events"]} events were')
                self.assertEqual(info['damaged'], expected['rc'], path)

    def same_events(self, path):
        theirs, ours = Counter(), Counter()
        for i, (ns, name, fields) in enumerate(text_of(path)):      # without a clock they are a second apart
            theirs[seconds(i * 10**9 if ns is None else ns), name, tuple(sorted((k, str(v)) for k, v in fields.items()))] += 1
        self.assertGreater(len(theirs), 0)
        lines = [json.loads(line, parse_float=str) for line in self.scope('events', path, '--json')[0].splitlines()]
        keys = defaultdict(set)
        for _, name, fields in theirs:
            keys[name] |= {k for k, _ in fields}
        for e in lines:
            if e['kind'] not in OURS:
                t = str(e['t'])
                t = t + ('' if '.' in t else '.') + '0' * (9 - len(t.partition('.')[2]))
                has = {k: str(v) for k, v in e.items() if k in keys[e['kind']] and k not in ('task', 'kind', 't')}
                ours[t, e['kind'], tuple(sorted(has.items()))] += 1
        self.assertEqual(sum(ours.values()), sum(theirs.values()), path)
        # what a structure holds is printed by both, but named by us alone
        self.assertEqual(Counter((t, n) for t, n, _ in ours.elements()), Counter((t, n) for t, n, _ in theirs.elements()), path)
        same = sum((ours & theirs).values())
        self.assertEqual(same, sum(theirs.values()), (path, list((theirs - ours))[:2], list((ours - theirs))[:2]))

    def test_events_are_those_of_babeltrace2(self):
        """Each event of each sample, with its date and fields, as babeltrace2 prints it."""
        self.here()
        with open(os.path.join(SAMPLES, 'expected.jsonl'), encoding='utf-8') as lines:
            paths = [e['path'] for e in map(json.loads, lines) if e['events'] > 0]
        for path in random.Random(SEED).sample(paths, len(paths) if few(2) == 2 else few(12)):      # SCOPE_ALL: all of them
            self.same_events(os.path.join(SAMPLES, '..', path))

    def test_calls_at_random_instants(self):
        """Of each sample in which something begins and ends: what threads are inside of, and how often they were."""
        r = random.Random(SEED)
        for name, words, who, what, task in (
                ('lttng/threads', 'demo:begin demo:end', 'vtid', 'name', 'app 14562/{}'),
                ('lttng/discarded', 'demo:begin demo:end', 'cpu_id', 'name', 'CPU {}'),
                ('tracecompass/cyg-profile/glxgears-cyg-profile', 'lttng_ust_cyg_profile:func_entry lttng_ust_cyg_profile:func_exit',
                 'vtid', 'addr', 'glxgears {}'),
                ('tracecompass/cyg-profile/glxgears-cyg-profile-fast', 'lttng_ust_cyg_profile_fast:func_entry lttng_ust_cyg_profile_fast:func_exit',
                 'vtid', 'addr', 'glxgears {}')):
            path = self.here(*name.split('/'))
            events = text_of(path)
            for _ in range(few(6)):
                at = r.randrange(events[0][0], events[-1][0] + 1)
                model, nodes = Calls(events, at, *words.split(), who, what), self.nodes(path, at)
                for number, stack in model.stacks.items():
                    node = nodes[task.format(number)]
                    self.assertEqual((node['State'], int(node['Depth'])), (stack[-1] if stack else 'No state', len(stack)), (name, at, number))
                    self.assertEqual(int(node['Calls']), model.begun[number], (name, at, number))

    def test_converted_traces_at_random_instants(self):
        """Of each sample that was made of OTF2: what each location is inside of, its calls and its messages."""
        r, n = random.Random(SEED), 0
        for name in ('bandwidth_issue', 'mpi_allreduce', 'mpi_pthread', 'mpi_ssend_irecv', 'papi_counters'):
            path = self.here('tracecompass', name)
            events = text_of(path)
            begin = next(ns for ns, event, _ in events if event == 'Event_Enter')
            for _ in range(few(6)):
                at = r.choice((r.randrange(begin, events[-1][0] + 1), events[r.randrange(len(events))][0]))
                model = Converted(events, at)
                state = json.loads(self.scope('state', path, '--at', seconds(at), '--json')[0])
                nodes = {node['id']: node for node in state['nodes']}
                for i, stack in model.stacks.items():
                    node = nodes[model.names[i]]
                    self.assertEqual((node['State'], int(node['Depth'])), (stack[-1] if stack else 'No state', len(stack)), (name, at, i))
                    self.assertEqual([int(node[k]) for k in ('Calls', 'Sent', 'Received')], [model.begun[i], model.sent[i], model.received[i]], (name, at, i))
                    n += 5
                links = {(e['from'], e['to']): [int(e['Messages']), int(e['TotalTraffic'])] for e in state['edges'] if int(e['Messages'])}
                self.assertEqual(links, {(model.names[a], model.names[b]): v for (a, b), v in model.links.items()}, (name, at))
        self.assertGreater(n, few(100))

    def test_operations_of_groups(self):
        """What groups do in traces that were made of OTF2: each operation is as long as its task is in it, and whoever waits there is told, for the one that comes last."""
        n = 0
        for name in ('bandwidth_issue', 'mpi_allreduce'):
            path, members = self.here('tracecompass', name), defaultdict(dict)
            events, begun, met, count = text_of(path), {}, defaultdict(dict), defaultdict(int)
            for _, event, f in events:
                if event == 'GlobalDef_GroupMember':
                    members[f['group']][f['rank']] = f['location']
            comms = {f['self']: f['group'] for _, event, f in events if event == 'GlobalDef_Comm'}
            for ns, event, f in events:
                if event == 'Event_MpiCollectiveBegin':
                    begun[f['locationID']] = ns
                elif event == 'Event_MpiCollectiveEnd':
                    key = f['communicator'], f['locationID']
                    met[f['communicator'], count[key]][f['locationID']] = begun.pop(f['locationID']), ns, f['collectiveOp']
                    count[key] += 1
            waits = defaultdict(lambda: [0, 0])
            for (comm, _), came in met.items():
                self.assertEqual(set(came), set(members[comms[comm]].values()))
                last = max(begin for begin, _, _ in came.values())
                for begin, _, op in came.values():
                    if begin < last and op in (0, 11):
                        waits[{0: 'Wait at barrier', 11: 'Wait at N x N'}[op]][0] += last - begin
                n += len(came)
            self.scope('run', path, '--program', 'waits', '--out', self.path('out'))
            with open(os.path.join(self.path('out'), 'efficiency.csv'), newline='', encoding='utf-8') as f:
                told = {row['what']: float(row['value'] or 0) for row in csv.DictReader(f)}
            self.assertEqual(told['Operations of groups'], len(met), name)
            for kind, (ticks, _) in waits.items():
                self.assertAlmostEqual(told[kind] * 1e9, ticks, delta=2e3, msg=(name, kind, told))
        self.assertGreater(n, 100)

    def test_calls_that_have_an_end_are_not_told_as_open(self):
        """Ends are events of their own: the report tells as never ended what has none, by a stack for each task."""
        for name, enter, leave, task in (('mpi_ssend_irecv', 'Event_Enter', 'Event_Leave', 'locationID'),
                                         ('cyg-profile/glxgears-cyg-profile', 'lttng_ust_cyg_profile:func_entry',
                                          'lttng_ust_cyg_profile:func_exit', 'vtid')):
            path, depth, times = self.here('tracecompass', name), {}, 0
            for _, event, fields in text_of(path):
                if event in (enter, leave):
                    who = fields[task]
                    times += event == enter
                    depth[who] = max(depth.get(who, 0) + (1 if event == enter else -1), 0)
            out = self.path(os.path.basename(name))
            self.scope('report', path, '-o', out)
            with open(os.path.join(out, 'report.txt'), encoding='utf-8') as f:
                rows = [line.split() for line in f]
            never = next((int(row[1]) for row in rows if row[:1] in (['unfinished'], ['open'])), 0)
            self.assertGreater(times, 0)
            self.assertEqual(never, sum(depth.values()), name)
            self.assertIn([enter, str(times)], [row[:2] for row in rows], name)

    def test_scheduling_at_random_instants(self):
        r = random.Random(3)
        for name in ('babeltrace/succeed/lttng-tracefile-rotation/kernel', 'tracecompass/flipping-endianness'):
            path = self.here(name)
            events = text_of(path)
            for _ in range(few(6)):
                at = r.randrange(events[0][0], events[-1][0] + 1)
                model, nodes = Scheduling(events, at), self.nodes(path, at)
                self.assertGreater(len(model.threads), 0)
                for tid, state in model.threads.items():
                    (node,) = [n for i, n in nodes.items() if i.endswith(f' {tid}') and n['Type'] == 'Thread']
                    self.assertEqual(node['State'], state, (path, at, tid))
                interrupts = Calls(events, at, 'irq_handler_entry', 'irq_handler_exit', 'cpu_id', 'name').stacks
                for cpu, program in model.on_cpu.items():
                    program = interrupts[cpu][-1] if interrupts[cpu] else program
                    self.assertIn(nodes[f'CPU {cpu}']['State'], (program, program + ' (state)'), (path, at, cpu))

    def test_names_and_messages_of_converted_traces(self):
        path = self.here('tracecompass', 'mpi_ssend_irecv')
        last = text_of(path)[-1][0]
        nodes = self.nodes(path, last)
        self.assertEqual([nodes[f'MPI Rank {i} · Master thread'][k] for i, k in ((0, 'Sent'), (1, 'Received'))], ['1', '1'])
        states = {self.nodes(path, last - back)['MPI Rank 1 · Master thread']['State'] for back in (14000, 29000, 100000000)}
        self.assertEqual(states, {'MPI_Wait', 'MPI_Irecv', 'MPI_Init'})

    def compare_made(self, path, events, r, instants=5):
        ordered = sorted(enumerate(events), key=lambda x: (x[1][0], x[1][1], x[0]))
        for _ in range(few(instants)):
            at = r.randrange(events[0][0], events[-1][0] + 1)
            # of one date on several processors any order is right
            while any(a[0] <= at == b[0] for a, b in zip(events, events[1:]) if a[0] == b[0]):
                at += 1
            stacks = defaultdict(list)
            for _, (ns, _, thread, name, values) in sorted(ordered, key=lambda x: (x[1][0], x[0])):
                if ns > at:
                    break
                stacks[thread] += [values[0]] if name == 'work:begin' else []
                if name == 'work:end':
                    stacks[thread].pop()
            nodes = self.nodes(path, at + 100 * 10**9)
            for thread, stack in stacks.items():
                expected = stack[-1] if stack else 'No state'
                self.assertIn(nodes[f'process 7/{thread}']['State'], (expected, expected + ' (state)'), (path, at, thread))
                self.assertEqual(int(nodes[f'process 7/{thread}']['Depth']), len(stack))

    def test_made_traces(self):
        for seed in range(few(6)):
            r, path = random.Random(seed), self.path(f'made{seed}')
            events = make(path, r, big=seed % 2 == 1, lose=seed == 2)
            events = [e for e in events]
            self.assertEqual(by_name(self.info(path)), Counter(e[3] for e in events))
            if seed != 2:
                # ends that share their date with a begin on another processor may come first
                dates = Counter((e[0], e[2]) for e in events)
                if max(dates.values()) == 1:
                    self.compare_made(path, events, r)
            else:
                self.assertIn('events were discarded', self.scope('info', path)[0])

    def test_made_traces_at_random_instants(self):
        n = 0
        for seed in range(20, 20 + few(40)):
            r, path = random.Random(seed), self.path(f'made{seed}')
            events = make(path, r, n=120, streams=1 if seed % 2 else 3)
            if seed % 2 or max(Counter((e[0], e[2]) for e in events).values()) == 1:
                self.compare_made(path, events, r, 2)
                n += 1
            if n == 8:
                break
        self.assertGreaterEqual(n, 8)

    def test_a_map_tells_what_begins_and_ends(self):
        path = self.path('mapped')
        r = random.Random(7)
        events = make(path, r, streams=1)
        self.path('mapped/.scope.map', '[job_taken]\ndoes=enter\nstate=what\n[job_done]\ndoes=leave\n[work:begin]\ndoes=nonsense\n')
        self.assertIn('is one of enter', self.scope('info', path)[0])
        taken = [e for e in events if e[3] == 'job_taken']
        nodes = self.nodes(path, taken[-1][0] + 100 * 10**9)
        self.assertIn('job é', {n['State'] for n in nodes.values()})

    def test_fields_of_every_kind(self):
        shades, tags = {0: 'RED', 4: 'GREEN', 7: 'dark blue', 8: 'dark blue', 9: 'dark blue', -3: 'MINUS'}, ('WHOLE', 'REAL', 'TEXT', 'INSIDE')
        for big in (False, True):
            path = self.path(f'kinds{big}')
            events = make_kinds(path, random.Random(SEED), big)
            self.assertEqual(self.info(path)['damaged'], 0)
            shown = [json.loads(line, parse_float=Decimal) for line in self.scope('events', path, '--json')[0].splitlines()]
            self.assertEqual([(int(e['t'] * 10**9), e['kind']) for e in shown], [e[:2] for e in events])
            for (_, name, values), e in zip(events, shown):
                self.assertEqual(e['cpu_id'], 2)
                if name == 'kinds':
                    v = dict(values, **{'at.x': values['x'], 'at.y': values['y'], 'tag': tags[values['tag']]})
                    v['shade'] = shades.get(values['shade'], e['shade'])
                    v['path'] = '[{x = %d, y = %d}, {x = %d, y = %d}]' % (values['x'], values['y'], values['x'], values['y'])
                    v['list'] = f"[{', '.join(str(k - 2) for k in range(values['n']))}]"
                    choice, told = v.pop('choice', '{a = -5, b = deep}'), e['choice']
                    self.assertEqual(told if isinstance(choice, str) else float(told), choice)
                    del v['x'], v['y']
                    for k, x in v.items():
                        self.assertEqual(float(e[k]) if isinstance(x, float) else e[k], x, k)
                elif name == 'far':
                    self.assertEqual(e['last'], values['last'])

    def test_calls_of_the_system_are_of_who_runs(self):
        """Where no event tells its thread, and whatever processor the thread is on when a call ends."""
        for old in (False, True):
            path = self.path(f'kernel{old}')
            make_kernel(path, old)
            calls = ('sys_read', 'sys_write') if old else ('syscall_read', 'syscall_write')
            for at, cpu, reader, writer, scheduled in (
                    (90, 'No state', None, None, {}),
                    (250, 'reader', calls[0], None, {'reader 5': 'Running'}),
                    (420, 'writer', calls[0], 'ext4_sync_file', {'reader 5': 'Waiting', 'writer 6': 'Running'}),
                    (460, 'eth0', calls[0], 'ext4_sync_file', {'reader 5': 'Waiting', 'writer 6': 'Running'}),
                    (490, 'writer', calls[0], calls[1], {'reader 5': 'Waiting', 'writer 6': 'Running'}),
                    (550, 'writer', calls[0], 'No state', {'reader 5': 'Waiting', 'writer 6': 'Running'}),
                    (640, 'Idle', calls[0], 'No state', {'reader 5': 'Running', 'writer 6': 'Ready'}),
                    (710, 'eth0', 'No state', 'No state', {'reader 5': 'Running', 'writer 6': 'Ready'}),
                    (770, 'eth0', 'No state', 'No state', {}), (750, 'eth0', 'pthread_mutex_lock', 'No state', {'reader 5': 'Running', 'writer 6': 'Ready'})):
                nodes = self.nodes(path, at)
                self.assertEqual(nodes['CPU 0']['State'], cpu, (old, at))
                for name, state in (('reader 5', reader), ('writer 6', writer)):
                    if state:
                        self.assertEqual((nodes[name]['State'], int(nodes[name]['Depth'])), (state, 2 if state[:4] == 'ext4' else int(state != 'No state')), (old, at))
                for name, state in scheduled.items():
                    self.assertEqual(nodes[f'{name} · scheduling']['State'], state, (old, at))
            self.assertIn('0 damaged records, 0 impossible events', self.scope('check', path)[0])

    def reader_in(self, path, expected):
        for at, state in expected:
            node = self.nodes(path, at).get('reader 5', {'State': 'No state', 'Depth': 0})    # there once it has done something
            self.assertEqual((node['State'], int(node['Depth'])), (state, int(state != 'No state')), at)
        self.assertIn('0 damaged records, 0 impossible events', self.scope('check', path)[0])

    def test_calls_about_timers(self):
        """Are of the thread, as all calls: what a timer of the kernel does is of the processor."""
        begin, rest = switch(100, 'swapper/0', 0, 0, 'reader', 5), switch(900, 'reader', 5, 1, 'swapper/0', 0)
        for names, state, second in ((('syscall_entry_timerfd_settime', 'syscall_exit_timerfd_settime', *NEW_CALLS[2:]), 'syscall_timerfd_settime', 2),
                                     (('sys_timer_settime', 'exit_syscall', 'sys_write', 'unused'), 'sys_timer_settime', 2)):
            path = self.path(state)
            write_kernel(path, names, [(0, 0, [(0, [begin, call(200, 1, 3), back(250, second, 0), call(700, 1, 1), back(800, second, 1), rest])])])
            self.reader_in(path, ((150, 'No state'), (220, state), (260, 'No state'), (750, state), (850, 'No state')))
        path = self.path('hrtimer')
        write_kernel(path, ('hrtimer_expire_entry', 'hrtimer_expire_exit', *NEW_CALLS[2:]), [(0, 0, [(0, [begin, call(200, 1, 3), call(300, 3, 1), back(350, 4, 1), back(400, 2, 0), rest])])])
        self.reader_in(path, ((250, 'No state'), (320, 'syscall_write'), (380, 'No state')))

    def test_scheduling_apart(self):
        """Where another stream tells who runs on the processor; and beyond the number of events up to which streams are always read in one order."""
        switches, calls, expected, t = [], [], [], 0
        n = 20000
        for i in range(n):
            t += 100
            switches += [switch(t, 'swapper/0', 0, 0, 'reader', 5), switch(t + 50, 'reader', 5, 1, 'writer', 6)]
            calls += [call(t + 10, 1, 3), back(t + 30, 2, 0), call(t + 60, 3, 1), back(t + 80, 4, 0)]
            if i in (0, 1, n // 2, n - 2, n - 1):
                expected += [(t + 5, 'No state'), (t + 20, 'syscall_read'), (t + 70, 'No state')]
        path = self.path('apart')
        write_kernel(path, NEW_CALLS, [(0, 0, [(0, switches)]), (1, 0, [(0, calls)])], apart=True)
        self.reader_in(path, expected)
        begun = {k['name']: k['begun'] for k in self.info(path)['kinds']}
        self.assertEqual((begun['syscall_entry_read'], begun['syscall_entry_write']), (n, n))

    def test_who_runs_after_a_loss(self):
        """Nobody knows, until the next switch."""
        path = self.path('lost')
        write_kernel(path, NEW_CALLS, [(0, 0, [(0, [switch(100, 'swapper/0', 0, 0, 'reader', 5), call(200, 1, 3), back(250, 2, 0)]),
                                               (500, [call(5000, 3, 1), back(5100, 4, 1), switch(6000, 'writer', 6, 1, 'reader', 5), call(6100, 1, 1), back(6200, 2, 1)])])])
        self.reader_in(path, ((220, 'syscall_read'), (5050, 'No state'), (6150, 'syscall_read')))
        for at, state in ((240, 'reader'), (5050, 'No state'), (6100, 'reader')):
            self.assertEqual(self.nodes(path, at)['CPU 0']['State'], state, at)

    def test_a_tree_is_one_opening(self):
        r, tree = random.Random(1), self.path('tree')
        first = make(os.path.join(tree, '1', 'ust'), r)
        second = make(os.path.join(tree, '2', 'ust'), r, begin=10**6)       # the same trace, rotated
        other = make(os.path.join(tree, 'other'), r, uuid=bytes(range(1, 17)))
        names = Counter(e[3] for e in first + second + other)
        for path in (tree, os.path.join(tree, '1')):
            self.assertEqual(by_name(self.info(path)), names if path == tree else Counter(e[3] for e in first))
        for file in ('metadata', 'stream_0'):
            self.assertEqual(by_name(self.info(os.path.join(tree, 'other', file))), Counter(e[3] for e in other))
        if os.path.isdir(SAMPLES):
            with open(os.path.join(SAMPLES, 'expected.jsonl'), encoding='utf-8') as lines:
                all_of = [e for e in map(json.loads, lines) if '/session-rotation/' in e['path'] or '/multi-domains/' in e['path']]
            for part in ('session-rotation', 'multi-domains'):
                info = self.info(os.path.join(SAMPLES, 'babeltrace', 'succeed', part))
                self.assertEqual(sum(by_name(info).values()), sum(e['events'] for e in all_of if part in e['path']))

    def test_damage(self):
        r, path = random.Random(5), self.path('sound')
        make(path, r, streams=2)
        whole = sum(by_name(self.info(path)).values())
        with open(os.path.join(path, 'stream_0'), 'rb') as f:
            stream = f.read()
        with open(os.path.join(path, 'metadata'), 'rb') as f:
            metadata = f.read()
        kept = []
        for i, end in enumerate(range(0, len(stream), 997)):
            bad = self.path(f'cut{i}')
            shutil.copytree(path, bad)
            self.path(f'cut{i}/stream_0', stream[:end])
            out, said = self.scope('info', bad, '--json', status=(0, 1))
            kept.append(sum(by_name(json.loads(out)).values()) if out else 0)
            self.assertTrue(out or 'can be read' in said, said)
        self.assertLess(max(kept), whole)
        for i in range(24):
            bad = self.path(f'changed{i}')
            shutil.copytree(path, bad)
            data = bytearray(stream if i % 2 else metadata)
            for _ in range(4):
                data[r.randrange(len(data))] = r.randrange(256)
            self.path(f'changed{i}/' + ('stream_0' if i % 2 else 'metadata'), bytes(data))
            self.scope('info', bad, status=(0, 1))
        # one stream is damaged: the other one is whole, and so is what precedes
        bad = self.path('one')
        shutil.copytree(path, bad)
        at = stream.index(b'\xc1\x1f\xfc\xc1', len(stream) // 2)
        self.path('one/stream_0', stream[:at + 76] + b'\xff' * 4 + stream[at + 80:])
        info = self.info(bad)
        self.assertGreater(sum(by_name(info).values()), whole // 2)
        self.assertEqual(info['damaged'], 1)
        self.assertIn('events before that are kept', self.scope('info', bad)[0])

    def test_metadata_that_are_no_chain_of_packets(self):
        path = self.here('babeltrace', 'succeed', 'wk-heartbeat-u')
        with open(os.path.join(path, 'metadata'), 'rb') as f:
            sound = f.read()
        bad = self.path('chain')
        shutil.copytree(path, bad)
        for at, value in ((24, 0), (28, 0), (28, 0xffffffff), (28, 9), (24, 0xffffffff)):
            os.chmod(os.path.join(bad, 'metadata'), 0o644)
            self.path('chain/metadata', sound[:at] + struct.pack('<I', value) + sound[at + 4:])
            self.assertIn('has a size that cannot be', self.scope('info', bad, status=(1,))[1])

    def test_types_of_very_many_members(self):
        """What the library would take hours for is refused with a sentence; what it can do is read."""
        def made(name, n, labels):
            many = f"enum : int32_t {{ {', '.join(f'l{i}' for i in range(n))} }} e;" if labels else ' '.join(f'int32_t a{i};' for i in range(n))
            write_plain(self.path(name), {'tick': 'int32_t v;', 'many': many}, [(1000 * i, 'tick', struct.pack('<i', i)) for i in range(10)])
            return self.path(name)
        for labels in (False, True):
            self.assertEqual(by_name(self.info(made(f'some{labels}', 2000, labels))), {'tick': 10})
            said = self.scope('info', made(f'many{labels}', 100000, labels), status=(1,))[1]
            self.assertIn('types have too many members or labels, one of them 100000: ', said)

    def kept_of(self, path, **more):
        """All that is told and kept of a trace that was never opened."""
        cache = self.path('cache')
        shutil.rmtree(cache, True)
        env = dict(self.env, XDG_CACHE_HOME=cache, **more)
        done = subprocess.run([SCOPE, 'info', path], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        parts = {}
        for file in sorted(glob.glob(os.path.join(cache, 'scope', 'converted', '*', '*'))):
            with open(file, 'rb') as f:
                parts[os.path.basename(file)] = f.read()
        return done.returncode, done.stdout, done.stderr, parts

    def decoded(self, path, **more):
        """Of each stream how many events there are, and how many of them the library did not decode."""
        shutil.rmtree(self.path('cache'), True)
        env = dict(self.env, XDG_CACHE_HOME=self.path('cache'), G_MESSAGES_DEBUG='all', **more)
        done = subprocess.run([SCOPE, 'info', path, '-q'], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        return [(int(n), int(own)) for n, own in re.findall(rb'ctf: stream [^\n]*: (\d+) events, (\d+) of them without the library', done.stdout)]

    def all_traces(self, r):
        """One of each kind that is made here, and the samples."""
        made = [self.path('a'), self.path('b'), self.path('c'), self.path('d'), self.path('e')]
        make(made[0], r, streams=2)
        make(made[1], r, big=True, lose=True)
        make_kinds(made[2], r, False)
        make_kinds(made[3], r, True)
        make_kernel(made[4], False)
        for i in range(3):
            made.append(self.path(f'random{i}'))
            make_random(made[-1], r)
        return made + [os.path.dirname(f) for f in sorted(glob.glob(os.path.join(SAMPLES, '**', 'metadata'), recursive=True))]

    def test_decoded_here_and_by_the_library(self):
        """Sound or damaged: byte for byte what libbabeltrace2 gives, and the same sentences."""
        r, n = random.Random(SEED), 0
        some = self.all_traces(r)
        for i in range(max(few(100), 2 * len(some))):       # every other one is damaged
            path = self.path('some')
            shutil.rmtree(path, True)
            shutil.copytree(some[i // 2 % len(some)], path)
            files = [f for f in sorted(os.listdir(path)) if f[0] != '.' and os.path.isfile(os.path.join(path, f)) and os.path.getsize(os.path.join(path, f))]
            file, how = os.path.join(path, r.choice([f for f in files if f != 'metadata'] or files)), r.randrange(4)
            if i % 2:
                os.chmod(file, 0o644)
                with open(file, 'rb') as f:
                    data = bytearray(f.read())
                if how == 0:
                    del data[r.randrange(len(data)):]
                elif how == 1:
                    at = r.randrange(len(data))
                    del data[at:at + r.randrange(1, 5)]
                for _ in range(max(how - 1, 0)):    # in a head, in one half of them
                    data[r.randrange(len(data) if r.random() < 0.5 else min(len(data), 160))] = r.choice((0, 1, 2, 0xff, r.randrange(256)))
                with open(file, 'wb') as f:
                    f.write(data)
            theirs, n = self.kept_of(path, SCOPE_CTF_LIBRARY='1'), n + 1
            ours = self.kept_of(path)
            if b'elements cannot be in its packet' in ours[1] + ours[2]:     # of which the library wants memory for all
                self.assertEqual(i % 2, 1, path)
                n -= 1
            elif theirs[0] in (0, 1):
                self.assertEqual(ours, theirs, (some[i // 2 % len(some)], file, how if i % 2 else None, SEED))
            else:       # by a damaged length it writes beyond its memory (readers/ctf/README.md)
                self.assertTrue(i % 2, path)
                n -= 1
        self.assertGreater(n, 80)

    def test_random_fields_decoded_here_and_by_the_library(self):
        """Of metadata made at random, all events of which are decoded here."""
        n = 0
        for seed in range(few(40)):
            path = self.path(f'random{seed}')
            there = make_random(path, random.Random(f'{SEED} {seed}'))
            self.assertEqual(self.kept_of(path), self.kept_of(path, SCOPE_CTF_LIBRARY='1'), (SEED, seed))
            told = self.decoded(path)
            self.assertEqual([sum(x) for x in zip(*told)], [there, there], (SEED, seed))
            n += there
        self.assertGreater(n, 0)

    def test_events_are_decoded_without_the_library(self):
        """All of them, of traces as tracers write them: what compares both ways would else compare the library with itself."""
        paths = self.all_traces(random.Random(SEED))[:8]
        for name in ('lttng/threads/ust/uid/0/64-bit', 'lttng/discarded/ust/uid/0/64-bit', 'babeltrace/succeed/multi-domains/kernel', 'babeltrace/succeed/trace-with-index',
                     'babeltrace/succeed/lttng-tracefile-rotation/kernel', 'babeltrace/succeed/wk-heartbeat-u', 'tracecompass/flipping-endianness', 'tracecompass/cyg-profile/glxgears-cyg-profile', 'tracecompass/mpi_pthread'):
            paths += [p for p in [os.path.join(SAMPLES, *name.split('/'))] if os.path.isdir(p)]
        for path in paths:
            here, library = self.decoded(path), self.decoded(path, SCOPE_CTF_LIBRARY='1')
            self.assertGreater(sum(n for n, _ in here), 0, path)
            self.assertEqual([n for n, _ in here], [own for _, own in here], path)
            self.assertEqual([n for n, _ in here], [n for n, _ in library], path)
            self.assertEqual(sum(own for _, own in library), 0, path)

    def test_what_is_not_understood_is_left_to_the_library(self):
        """A type that the reader of layouts does not know: the same, slower."""
        r, path = random.Random(3), self.path('more')
        events = make(path, r)
        whole = self.kept_of(path)
        self.assertEqual(sum(own for _, own in self.decoded(path)), len(events))
        with open(os.path.join(path, 'metadata'), 'a') as f:
            f.write('struct unused { integer { size = 8; } twice[2][2]; };\n')
        self.assertEqual([sum(x) for x in zip(*self.decoded(path))], [len(events), 0])
        self.assertEqual(self.kept_of(path)[1], whole[1])

    def test_a_length_that_is_a_lie_costs_no_memory(self):
        folder = self.path('long')
        os.makedirs(folder)
        self.path('long/metadata', '''/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; }; };
stream { packet.context := struct { uint32_t content_size; uint32_t packet_size; }; event.header := struct { uint32_t id; }; };
event { id = 0; name = "e"; fields := struct { uint32_t n; uint8_t s[n]; }; };
''')
        body = struct.pack('<II', 0, 3) + b'abc' + struct.pack('<II', 0, 1 << 28) + b'abcdefgh'
        self.path('long/s', struct.pack('<III', 0xc1fc1fc1, (12 + len(body)) * 8, (12 + len(body)) * 8) + body)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.scope('info', folder, status=(0, 1))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, max(before, 1500000))
        # behind what the library looks at first it costs the rest of its stream alone
        def stream(body):
            return struct.pack('<III', 0xc1fc1fc1, (12 + len(body)) * 8, (12 + len(body)) * 8) + body
        good = struct.pack('<II', 0, 3) + b'abc'
        for lie in (1 << 21, 1 << 28, 1 << 31, (1 << 32) - 1):
            self.path('long/s', stream(good * 100 + struct.pack('<II', 0, lie) + b'abcdefgh' + good * 9))
            self.path('long/t', stream(good * 50))
            info = self.info(folder)
            self.assertEqual((info['events'], info['damaged']), (150, 1), lie)
            shown = self.scope('info', folder)[0]
            self.assertIn(f'a list of {lie} elements cannot be in its packet; the 100 events before that are kept', shown)
            self.assertIn('streams: 2 (1 whole)', shown, lie)

    def test_a_stream_that_is_no_file_is_told(self):
        r = random.Random(9)
        for what in ('pipe', 'device', 'link', 'gone'):
            folder = self.path(what)
            make(folder, r, streams=2)
            whole = sum(by_name(self.info(folder)).values())
            file = os.path.join(folder, 'stream_1')
            if what == 'gone':
                os.mkdir(os.path.join(folder, 'index'))
                self.path(f'{what}/index/stream_1.idx', b'')
                self.path(f'{what}/index/stream_0.idx', b'')
            os.remove(file)
            if what == 'pipe':
                os.mkfifo(file)
            elif what != 'gone':
                os.symlink('/dev/zero' if what == 'device' else 'nowhere', file)
            info, shown = self.info(folder), self.scope('info', folder)[0]
            self.assertEqual(info['damaged'], 1, (what, shown))
            self.assertLess(0, sum(by_name(info).values()))
            self.assertLess(sum(by_name(info).values()), whole)
            self.assertIn('stream_1', shown)
            self.assertIn('this stream has an index, but is missing itself' if what == 'gone' else 'this is no file of data', shown)

    def test_names_of_threads(self):
        """A thread is called as it calls itself, its process as the first thread does, whose events may come last."""
        def event(ns, name, pid, tid, called):
            return ns, name, struct.pack('<ii', pid, tid) + called.encode() + b'\0'
        events = [event(10, 'go', 70, 71, 'listener'), event(20, 'go', 70, 72, 'worker é'), event(30, 'go', 70, 70, 'app'), event(40, 'go', 80, 81, 'other')]
        write_plain(self.path('names'), {'go': ''}, events, context='int32_t vpid; int32_t vtid; string procname;')
        info = self.info(self.path('names'))
        self.assertEqual([(t['id'], t.get('inside')) for t in info['tasks']], [
            ('app 70', None), ('listener 70/71', 'app 70'), ('worker é 70/72', 'app 70'), ('app 70/70', 'app 70'), ('other 80', None), ('other 80/81', 'other 80')])
        self.assertEqual(info['damaged'], 0)

    def test_threads_of_python(self):
        """Logs of Python tell their threads among their fields."""
        write_plain(self.path('logs'), {'lttng_python:event': 'string asctime; string msg; uint32_t thread; string threadName;'}, [
            (ns, 'lttng_python:event', b'2026-11-27\0' + msg + b'\0' + struct.pack('<I', thread) + name + b'\0') for ns, msg, thread, name in (
                (1, b'go', 3221225472, b'MainThread'), (2, b'job', 7, b'worker-1'), (3, b'done', 3221225472, b'MainThread'))], cpu=0)
        self.assertEqual({t['id']: t['events'] for t in self.info(self.path('logs'))['tasks']}, {'MainThread 3221225472': 2, 'worker-1 7': 1})

    def test_processors_that_idle(self):
        """Of a kernel whose events tell their thread, 0 is none: what happens then is the processor's, of each its own."""
        write_plain(self.path('idle'), {'irq_handler_entry': '', 'irq_handler_exit': '', 'read': ''}, [
            (ns, name, struct.pack('<i', tid) + called + b'\0') for ns, name, tid, called in (
                (5, 'irq_handler_entry', 0, b'swapper/3'), (7, 'read', 9, b'app'), (8, 'irq_handler_exit', 0, b'swapper/3'))],
            context='int32_t tid; string procname;', domain='kernel', cpu=3)
        self.assertEqual({t['id']: t['events'] for t in self.info(self.path('idle'))['tasks']}, {'CPU 3': 2, 'app 9': 1})

    def test_perf(self):
        """What perf converts: the thread among the fields, names in events of their own, what was there before dated 0, its own name of sched_switch."""
        sample, mine = 'int32_t perf_tid; int32_t perf_pid;', 'int32_t pid; int32_t tid;'
        kinds = {'cpu-clock': sample, 'perf_comm': mine + ' string comm;', 'perf_mmap': mine + ' string filename;', 'perf_exit': 'int32_t pid; int32_t ppid; int32_t tid; int32_t ptid;',
                 'sched:sched_switch': sample + ' string prev_comm; int32_t prev_pid; int64_t prev_state; string next_comm; int32_t next_pid;'}

        def pair(a, b):
            return struct.pack('<ii', a, b)

        def switch_to(ns, before, tid, why, after, then):
            return ns, 'sched:sched_switch', pair(tid, tid) + before + b'\0' + struct.pack('<iq', tid, why) + after + b'\0' + struct.pack('<i', then)
        before = [(0, 'perf_mmap', pair(-1, 0) + b'[kernel]\0'), (0, 'perf_comm', pair(50, 50) + b'perf-exec\0')]
        after = [(10**15 + 100, 'perf_comm', pair(50, 50) + b'sh\0'), switch_to(10**15 + 200, b'sh', 50, 1, b'sort', 60), (10**15 + 250, 'cpu-clock', pair(60, 60)),
                 (10**15 + 300, 'perf_comm', pair(60, 60) + b'sort\0'), (10**15 + 310, 'cpu-clock', pair(61, 60)), switch_to(10**15 + 400, b'sort', 60, 0, b'swapper/1', 0),
                 (10**15 + 410, 'cpu-clock', pair(0, 0)), (10**15 + 450, 'perf_exit', struct.pack('<iiii', 60, 50, 60, 50))]
        write_plain(self.path('perf'), kinds, before + after, domain='kernel', cpu=1)
        info = self.info(self.path('perf'))
        self.assertEqual((round((info['last'] - info['first']) * 1e9), round(info['first'])), (350, 10**6))
        self.assertEqual([d['reason'] for d in info['damage']], ['2 events without a date tell what was there before perf began: they give names to tasks alone'])
        names = [t['id'] for t in info['tasks']]
        self.assertEqual(set(names), {'CPU 1', 'sh 50', 'sh 50/50', 'sort 60', 'sort 60/60', 'sort 60/61'}, names)
        for ns, on_cpu, sh, sort in ((150, None, None, None), (220, 'sort', 'Waiting', 'Running'), (430, 'Idle', 'Waiting', 'Ready')):
            nodes = self.nodes(self.path('perf'), 10**15 + ns)
            states = [nodes[t]['State'] if t in nodes and nodes[t]['State'] not in ('Unseen', 'No state') else None for t in ('CPU 1', 'sh 50/50', 'sort 60/60')]
            self.assertEqual([s and s.replace(' (state)', '') for s in states], [on_cpu, sh, sort], ns)

    def test_names_that_are_no_line(self):
        """They are told on one line, alike at the first opening and from what is kept, and are no second of their name."""
        odd, n = 'a\nb\x1b[31m\tred', 5
        kinds = {'cycles': 'int32_t perf_pid; int32_t perf_tid; int32_t v;', 'perf_comm': 'int32_t pid; int32_t tid; string comm;'}
        events = [(1000 + i, 'cycles', struct.pack('<iii', 77, 77, i)) for i in range(n)]
        events += [(2000 + i, 'perf_comm', struct.pack('<ii', 77, tid) + name.encode() + b'\0') for i, (tid, name) in enumerate(((77, 'first'), (78, odd), (77, 'x\ny')))]
        events += [(3000 + i, 'cycles', struct.pack('<iii', 77, 78, i)) for i in range(n)]
        write_plain(self.path('odd'), kinds, events, domain='kernel', cpu=0)
        told = [{t['id']: t['events'] for t in self.info(self.path('odd'))['tasks']} for _ in range(2)]
        line = ''.join({'\n': r'\n', '\t': r'\t', '\x1b': r'\x1b'}.get(c, c) for c in odd)
        self.assertEqual(told[0], told[1])
        self.assertEqual(set(told[0]), {'CPU 0', r'x\ny 77', r'x\ny 77/77', f'{line} 77/78'})
        self.assertEqual(told[0][f'{line} 77/78'], n + 1)

    def test_no_clock(self):
        """What has no dates has an order, and it is told that the seconds are none."""
        write_plain(self.path('order'), {'frame': 'int32_t n;'}, [(0, 'frame', struct.pack('<i', n)) for n in range(7)], clock=False)
        info = self.info(self.path('order'))
        self.assertEqual((info['first'], info['last'], info['damaged']), (0, 6, 0))
        self.assertIn('which is no time that passed', info['damage'][0]['reason'])
        self.assertEqual([json.loads(line)['n'] for line in self.scope('events', self.path('order'), '--json')[0].splitlines()], list(range(7)))


main()
