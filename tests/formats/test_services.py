#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Client and server beside a second computation: calls from requests and replies, at random instants."""
import csv
import json
import os
import random
import sys
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, Format, few, main                                                     # noqa: E402

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import make                                                                                     # noqa: E402

SERVICES = os.path.join(ROOT, 'traces', 'services.trace')


def calls_of(events, requests, until, servers=None):
    """[client, server, tag, sent, begun, replied, back, what its receive knows it by, and if it was told late] of all calls until an instant; None: not yet."""
    calls, parent, sends, held = [], {}, set(), defaultdict(list)
    free = requests is None and servers is None

    def ask(call, held=False):
        calls.append(call + [True] if held else call)
        calls.sort(key=lambda c: c[3])
    for e in events:
        if e['t'] > until:
            break
        instant = 'duration' not in e and 'unfinished' not in e
        to, key = e.get('to'), e.get('message', e.get('key', e.get('tag', -1)))
        if e.get('end') and e.get('spawned'):
            parent.update({t: e['task'] for t in e['spawned'] if t != e['task']})
        if to and not e.get('end') and e.get('result', 0) >= 0:
            for other in [t for t in to if t != e['task'] or e['kind'] != 'Mcast'] if isinstance(to, list) else [to]:
                # what started a task is a call if it replies to it first, or if the same is asked again
                if e['task'] not in sends and parent.get(e['task']) == other:
                    got = [c for c in held[e['task']] if c[4] is not None]
                    if got:
                        held[e['task']].remove(got[-1])
                        ask(got[-1], True)
                sends.add(e['task'])
                begun = [c for c in calls if c[:2] == [other, e['task']] and c[4] is not None and c[5] is None]
                same = [c for c in begun if c[7] == key]
                if begun:
                    (same or begun)[0][5] = e['t']
                elif (requests is None or e.get('tag', -1) in requests) and (servers is None or other in servers):
                    call = [e['task'], other, e.get('tag', -1) if 'key' not in e and 'message' not in e else -1, e['t'], None, None, None, key]
                    again = [c for c in held[other] if c[2] == call[2]]
                    known = [c for c in calls if c[1] == other and c[2] == call[2]]     # a request for good
                    if free and parent.get(other) == e['task'] and other not in sends and not again and not known and len(held[other]) < 16:
                        held[other].append(call)
                        continue
                    for c in again:
                        held[other].remove(c)
                        ask(c, True)
                    ask(call)
        elif e.get('from') and (e.get('end') or instant) and e.get('result', 0) >= 0 and 'unfinished' not in e:
            mine = [c for c in held[e['task']] if c[0] == e['from'] and c[7] == key and c[4] is None]
            asked = [c for c in calls if c[:2] == [e['from'], e['task']] and c[7] == key and c[4] is None]
            back = [c for c in calls if c[:2] == [e['task'], e['from']] and c[5] is not None and c[6] is None]
            if asked:
                asked[0][4] = e['t']
            elif mine:
                mine[0][4] = e['t']
            elif back:
                ([c for c in back if c[7] == key] or back)[0][6] = e['t']
    return calls


def name_of(call):
    return f'{call[1]}: service' + (f' {call[2]}' if call[2] != -1 else '')


PAJE = """%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 3
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeStartLink 4
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
%EndEventDef
%EventDef PajeEndLink 5
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
1 P 0 P
2 L 0 P P L
3 0.0 a P 0 a
3 0.0 b P 0 b
3 0.0 c P 0 c
"""


class Services(Format):
    def program(self, reader='tapepvm', **settings):
        text = ''.join(f'<setting name="{k}">{v}</setting>' for k, v in settings.items() if v)
        return self.path('services.eve', '<?xml version="1.0" encoding="UTF-8"?>\n<eve version="1"><title>Services</title>\n'
                         f'<component name="Reader" class="scope.{reader}-reader" version="1" x="0" y="0"/>\n'
                         f'<component name="Services" class="scope.services-simulator" version="1" x="200" y="0">{text}</component>\n'
                         '<wire from="Reader" out="events" to="Services" in="events"/></eve>\n')

    def check(self, trace, requests, seed, servers=None, reader='tapepvm'):
        events = [json.loads(line) for line in self.scope('events', trace, '--json')[0].splitlines()]
        r, end, met = random.Random(seed), events[-1]['t'], 0
        program = self.program(reader, requests=','.join(map(str, requests or ())), servers=','.join(servers or ()))
        for at in [end] + [r.random() * end for _ in range(few(4))]:
            calls = calls_of(events, requests, round(at, 9), servers)
            state = json.loads(self.scope('state', trace, '--program', program, '--simulator', 'Services', '--at', f'{at:.9f}', '--json')[0])
            nodes = {n['id']: n for n in state['nodes']}
            groups = defaultdict(list)
            for c in calls:
                groups[c[1]].append(c)
                groups[name_of(c)].append(c)
            acted = {e['task'] for e in events if e['t'] <= round(at, 9)}     # before its first event nothing is shown of a task
            there = {name: mine for name, mine in groups.items() if name.split(': service')[0] in acted}
            self.assertEqual(set(there), {i for i, n in nodes.items() if n.get('Queue')})
            for name, mine in there.items():
                n, begun, done = nodes[name], [c for c in mine if c[4] is not None], [c for c in mine if c[5] is not None]
                self.assertEqual((int(n['Queue']), int(n['Serves']), int(n['Served'])), (len(mine) - len(begun), len(begun) - len(done), len(done)), (name, at))
                if begun:
                    self.assertAlmostEqual(float(n['MeanWait']), sum(c[4] - c[3] for c in begun) / len(begun), places=8)
                if done:
                    self.assertAlmostEqual(float(n['MeanService']), sum(c[5] - c[4] for c in done) / len(done), places=8)
                dates = sorted([(c[3], 1) for c in mine if not c[8:]] + [(c[4], -1) for c in begun if not c[8:]], key=lambda x: (x[0], x[1]))
                queue = [sum(d for _, d in dates[:i + 1]) for i in range(len(dates))]
                self.assertGreaterEqual(int(n['LongestQueue']), max(queue, default=0))
            for task, n in nodes.items():
                if ': service' in task:
                    continue
                asked = [c for c in calls if c[0] == task]
                self.assertEqual((int(n['Calls']), int(n['Asks'])), (len(asked), sum(c[6] is None for c in asked)))
                waits = {name_of(c) for c in asked if c[6] is None}
                self.assertEqual(len(n['WaitsFor'].split(', ')) if n['WaitsFor'] else 0, len(waits))
                serves = any(c[1] == task and c[4] is not None and c[5] is None for c in calls)
                if n['State'] != 'Dead':
                    self.assertEqual(n['State'], 'Calling' if waits else 'Serving' if serves else 'Idle' if task in groups else 'Working', (task, at))
                met += 1
            for e in state['edges']:
                if ': service' not in e['from']:    # with a service, or with who offers it
                    mine = [c for c in groups[e['to']] if c[0] == e['from']]
                    self.assertEqual((int(e['Pending']), int(e['Done'])), (sum(c[6] is None for c in mine), sum(c[6] is not None for c in mine)))
        self.assertGreater(met, few(4))
        return calls_of(events, requests, end, servers)

    def test_recorded(self):
        calls = self.check(SERVICES, [1, 2, 3], 1)
        self.assertEqual(sum(c[6] is not None for c in calls), len(calls))
        self.assertGreater(len(calls), 60)  # a server calls the other one, too

    def test_any_trace_of_messages(self):
        for i, name in enumerate(('farm', 'ring', 'groups')):
            self.check(os.path.join(ROOT, 'traces', name + '.trace'), None, i)
        servers = [t['id'] for t in self.info(SERVICES)['tasks'][1:3]]
        self.check(SERVICES, None, 7, servers)

    def test_made(self):
        for seed in range(few(4)):
            trace = self.path(f'made{seed}.trace')
            self.scope('synth', '--format', 'tapepvm', '--tasks', str(2 + 2 * seed), '--events', '500', '--seed', str(seed), '-o', trace)
            self.check(trace, None, seed)

    def test_keys_are_no_tags(self):
        """Messages that are known by keys alone ask for one service of their receiver; receives overtake each other."""
        r, lines, flying, now = random.Random(5), [], [], 0.0
        for i in range(400):
            now += r.random()
            if flying and r.random() < 0.5:
                to, key = flying.pop(r.randrange(len(flying)))
                lines.append(f'5 {now:.6f} L 0 {to} m {key}')
            else:
                one, other = r.sample('abc', 2)
                lines.append(f'4 {now:.6f} L 0 {one} m k{i}')
                flying.append((other, f'k{i}'))
        trace = self.path('keys.paje', PAJE + '\n'.join(lines) + '\n')
        self.check(trace, None, 6, reader='paje')

    def test_messages_without_answers(self):
        """As many calls are under way as there are messages: none costs more than the one before."""
        n = 60000
        lines = [f'{4 + i % 2} {i * 1e-3:.6f} L 0 {"ab"[i % 2]} m k{i // 2}' for i in range(2 * n)]
        trace = self.path('stream.paje', PAJE + '\n'.join(lines) + '\n')
        state = json.loads(self.scope('state', trace, '--program', self.program('paje'), '--at', str(n), '--json')[0])
        nodes = {i['id']: i for i in state['nodes']}
        self.assertEqual([int(nodes['b: service'][k]) for k in ('Queue', 'Serves', 'Served')], [0, n, 0])
        self.assertEqual((int(nodes['a']['Asks']), nodes['a']['WaitsFor']), (n, 'b: service'))

    def test_what_starts_a_task(self):
        """One way, from who started it: the first of a tag is held back until the second comes, of sixteen tags at most."""
        for name, tags, asked in (('again', [7] * 5, (0, 2, 3, 4, 5)), ('twenty', range(20), (*[0] * 16, 1, 2, 3, 4))):
            maker = make.PvmMaker(random.Random(1), 2, 0)
            parent, child = maker.tasks
            for t in maker.tasks:
                maker.line('Enroll', 0, t, 0, host='h', arch='A', speed=1, parent=-1, program='p')
            maker.line('Spawn', 10, parent, 5, program='p', count=1, spawned=[child], result=1)
            for i, tag in enumerate(tags):
                maker.line('Send', 1000 * (i + 1), parent, 10, to=child, tag=tag, bytes=4, result=0)
                maker.line('Recv', 1000 * (i + 1) + 500, child, 10, asked_from=parent, asked_tag=tag, tag=tag, bytes=4, result=1, **{'from': parent})
            trace = self.path(name + '.trace')
            os.makedirs(os.path.join(trace, name + '.tapepvm'))
            with open(os.path.join(trace, name + '.tapepvm', 'events'), 'w', encoding='utf-8') as f:
                f.write('#TAPE/PVM 1\n' + '\n'.join(maker.lines) + '\n')
            self.check(trace, None, 3)
            sent = [e['t'] for e in map(json.loads, self.scope('events', trace, '--json')[0].splitlines()) if e['kind'] == 'Send' and not e.get('end')]
            for at, n in zip(sent, asked, strict=True):
                state = json.loads(self.scope('state', trace, '--program', self.program(), '--simulator', 'Services', '--at', f'{at:.9f}', '--json')[0])
                self.assertEqual(next(int(i['Calls']) for i in state['nodes'] if i['id'] == f't{parent:x}'), n, (name, at))

    def test_travel(self):
        """The state is one, played to or travelled to."""
        program = self.program(requests='1-3')
        for at in ('0.8', '0.9'):
            played = json.loads(self.scope('state', SERVICES, '--program', program, '--at', at, '--json')[0])['hash']
            self.assertEqual(json.loads(self.scope('seek', SERVICES, '--program', program, '--to', at)[0])['hash'], played)

    def test_what_is_wrong_is_told(self):
        for setting, told in (('requests=one', '“requests” are tags'), ('replies=5-1', '“replies” are tags')):
            done = self.scope('run', SERVICES, '--program', 'services', '--set', 'Services.' + setting, '--out', self.path('out'), status=(1, 2))
            self.assertIn(told, done[1])

    def test_table_of_services(self):
        out = self.path('out')
        self.scope('run', SERVICES, '--program', 'services', '--set', 'Services.requests=1-3', '--set', 'Services.names=1=sum, 2=primes', '--out', out)
        rows = self.rows(out)
        self.assertEqual(rows['server 1: sum']['Server'], 'server 1')
        self.assertEqual(rows['server 2: service 3']['Server'], 'server 2')

    def rows(self, out):
        with open(os.path.join(out, 'services.csv'), encoding='utf-8', newline='') as f:
            return {r['task']: r for r in csv.DictReader(f)}

    def test_what_services_cost(self):
        """Without any setting: what starts tasks is no request, services are told by names, and what each costs is the sum of its calls."""
        out = self.path('out')
        self.scope('run', SERVICES, '--program', 'services', '--out', out)
        rows, events = self.rows(out), [json.loads(line) for line in self.scope('events', SERVICES, '--json')[0].splitlines()]
        names = {t['id']: t.get('nickname') or t['id'] for t in self.info(SERVICES)['tasks']}
        calls = calls_of(events, None, events[-1]['t'])
        self.assertFalse([r for r in rows if r.endswith('service 10') and not r.startswith('main')], 'what main sends each task at its start is no service')
        cost = defaultdict(float)
        for c in calls:
            cost[names[c[1]] + ': service %d' % c[2]] += (c[4] - c[3] if c[4] is not None else 0) + (c[5] - c[4] if c[5] is not None else 0)
        self.assertEqual({r for r in rows if ': ' in r}, set(cost))
        for name, c in cost.items():
            self.assertAlmostEqual(float(rows[name]['Costs [s]']), c, places=8)
            self.assertAlmostEqual(float(rows[name]['TotalWait [s]'] or 0) + float(rows[name]['TotalService [s]'] or 0), c, places=8)


if __name__ == '__main__':
    main()
