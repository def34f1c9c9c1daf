#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pajé traces at random instants beside a second computation (paje.py), damaged, packed, and opened as they are."""
import csv
import gzip
import json
import math
import os
import re
import random
import shlex
import shutil
import subprocess
import sys
import unittest
from decimal import Decimal
from statistics import median

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, ROOT, few, main, samples
from paje import Model                                                                          # noqa: E402

SAMPLES, NS = samples('paje'), Decimal('0.000000001')
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
        for _ in range(few(instants)):
            span = max(whole.last - whole.first_date, Decimal('0.000001'))
            at = (whole.first_date + span * Decimal(r.random())).quantize(Decimal('0.000000001'))
            model = Model(path, at)
            state = json.loads(self.scope('state', path, '--at', f'{at:f}', '--json')[0], parse_float=Decimal)
            n += self.compare_times(path, model, at, state['times'])
            names = {v for values in model.variables.values() for v in values}
            for node in state['nodes']:
                task = node['id']
                expected = model.state(task)
                if expected is not None:
                    self.assertEqual(node['State'], expected, (path, at, task))
                for name in names:
                    shown = node.get(name + ' (variable)', node.get(name))
                    x = model.variables[task].get(name)
                    if x is None:
                        self.assertEqual(shown, '', (path, at, task, name))
                    else:
                        self.assertAlmostEqual(float(shown), x, delta=1e-9 * max(1, abs(x)), msg=(path, at, task, name))
                    n += 1
                times = {name: row[0] for name, row in model.times(task, min(at, model.last)).items() if name not in ('Dead', 'Unseen')}
                life = sum(times.values())
                self.assertAlmostEqual(float(node['PercentNoState']), float(100 * times.get('No state', 0) / life) if life else 0,
                                       delta=0.0501, msg=(path, at, task))
                self.assertEqual(int(node['Sent']), model.sent[task], (path, at, task))
                self.assertEqual(int(node['Received']), model.received[task], (path, at, task))
                n += 3
            for edge in state['edges']:
                on_way, received, messages = model.links[edge['from'], edge['to']]
                self.assertEqual([int(edge['Traffic']), int(edge['TotalTraffic']), int(edge['Messages'])],
                                 [on_way, received, messages], (path, at, edge['id']))
                n += 3
        return n

    def report(self, path):
        out, path_of_tools = self.path('report'), self.env['PATH']
        self.env['PATH'] = os.devnull       # no Graphviz: pictures take far longer than figures
        self.scope('report', path, '-o', out)
        self.env['PATH'] = path_of_tools
        with open(os.path.join(out, 'report.json')) as f:
            told = json.load(f, parse_float=Decimal)
        with open(os.path.join(out, 'report.txt')) as f:
            return told, f.read()

    def check_types(self, path, told, model):
        """Who was where for how long, by types; gives {type: {task: {state: (spent, inclusive, visits)}}}."""
        types = {}
        for who in list(model.stays):
            rows = {name: row for name, row in model.times(who, model.last).items() if name not in ('Dead', 'Unseen')}
            types.setdefault(model.kinds[who], {})[who] = rows
        self.assertEqual({t['name']: t['tasks'] for t in told['types']}, {name: len(tasks) for name, tasks in types.items()}, path)
        for t in told['types']:
            tasks = types[t['name']]
            lives = [sum(row[0] for row in rows.values()) for rows in tasks.values()]
            self.assertEqual([t['lived'], t['shortest_life'], t['longest_life']], [sum(lives), min(lives), max(lives)], path)
            self.assertEqual({s['state'] for s in t['states']}, {name for rows in tasks.values() for name in rows}, path)
            for s in t['states']:
                rows = {who: rows.get(s['state'], (0, 0, 0)) for who, rows in tasks.items()}
                expected = [*map(sum, zip(*rows.values())), sum(row[2] > 0 for row in rows.values()),
                            min(row[0] for row in rows.values()), max(row[0] for row in rows.values())]
                self.assertEqual([s[k] for k in ('spent', 'inclusive', 'visits', 'tasks', 'least', 'most')], expected, (path, s))
                self.assertEqual([rows[s['least_task']][0], rows[s['most_task']][0]], expected[-2:], (path, s))
        return types

    def check_unlike(self, path, told, model, types):
        """Of all tasks of a type those far from the median, and when they were."""
        expected, first, slices = {}, model.first_date, 240
        span = model.last - first
        for name, tasks in types.items():
            if len(tasks) < 4 or all(state == 'No state' for rows in tasks.values() for state in rows):
                continue
            for state in {state for rows in tasks.values() for state in rows}:
                lives = {who: sum(row[0] for row in rows.values()) for who, rows in tasks.items()}
                share = {who: float(rows.get(state, (0,))[0] / lives[who]) if lives[who] else 0 for who, rows in tasks.items()}
                usual = median(share.values())
                most = max(.05, 4 * 1.4826 * median(abs(x - usual) for x in share.values()))
                far = [who for who in share if abs(share[who] - usual) > most]
                if len(far) * 4 <= len(share):
                    expected.update({(who, state): (share[who], usual, name) for who in far})
        self.assertEqual(len(told['unlike']), min(len(expected), 10), path)
        for u in told['unlike']:
            share, usual, name = expected[u['task'], u['state']]
            self.assertAlmostEqual(float(u['share']), share, delta=1e-9)
            self.assertAlmostEqual(float(u['usual']), usual, delta=1e-9)
            self.assertEqual(u['type'], name)
        for u in told['unlike'][:2]:
            share, usual, name = expected[u['task'], u['state']]
            sign = 1 if share > usual else -1
            ends = [first + span * i / slices for i in range(slices + 1)]
            more = [sign * (float(model.spent(u['task'], u['state'], a, b))
                            - median(float(model.spent(who, u['state'], a, b)) for who in types[name]))
                    for a, b in zip(ends, ends[1:])]
            here = [min(range(slices + 1), key=lambda i: abs(ends[i] - u[end])) for end in ('from', 'to')]
            now = best = 0
            for x in more:      # the greatest sum of neighbours
                now = max(now + x, 0)
                best = max(best, now)
            self.assertAlmostEqual(sum(more[here[0]:here[1]]), best, delta=1e-6 * max(best, 1e-9) + 1e-9, msg=(path, u))
        return len(told['unlike'])

    def check_variables(self, path, told, model):
        self.assertEqual(len(told['variables']), len(model.past), path)
        for v in told['variables']:
            values = model.past[v['task'], v['variable']]
            end = model.dies(v['task'])
            numbers = [x for _, x in values]
            near = dict(rel_tol=1e-9, abs_tol=1e-6 * max(map(abs, numbers)))
            for key, x in (('least', min(numbers)), ('most', max(numbers)), ('last', numbers[-1])):
                self.assertTrue(math.isclose(float(v[key]), x, **near), (path, v, x))
            self.assertEqual(v['changes'], len(values), (path, v))
            ends = [when for when, _ in values[1:]] + [end]
            lasted = float(end - values[0][0])
            total = math.fsum(x * float(b - a) for (a, x), b in zip(values, ends))
            if lasted:
                self.assertTrue(math.isclose(float(v['mean']), total / lasted, **near), (path, v, total / lasted))
            else:
                self.assertIsNone(v['mean'])
        return len(told['variables'])

    def check_report(self, path):
        told, text = self.report(path)
        model = Model(path)
        self.assertIn('What stands out', text)
        types = self.check_types(path, told, model)
        self.assertEqual([told['messages'][k] for k in ('sent', 'received', 'received_bytes')],
                         [sum(model.sent.values()), sum(model.received.values()), sum(link[1] for link in model.links.values())])
        return self.check_unlike(path, told, model, types), self.check_variables(path, told, model), text

    def test_report(self):
        unlike = variables = 0
        for seed in range(100, 100 + few(4)):
            counts = self.check_report(self.path(f'made{seed}.paje', made(seed, tasks=9)))
            unlike, variables = unlike + counts[0], variables + counts[1]
        self.assertGreater(unlike, few(3))
        self.assertGreater(variables, few(20))
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        for name in ('simgrid-waits', 'pajeng-simu-mardi', 'pajeng-gattaca', 'pajeng-categories', 'pajeng-native_paje'):
            _, _, text = self.check_report(os.path.join(SAMPLES, name + '.trace'))
            if name == 'simgrid-waits':
                self.assertIn('rank-0 is unlike the other 7 of “MPI”: 14.8 % of its life in “PMPI_Ssend”', text)
                self.assertIn('42.5 % in “PMPI_Barrier”', text)

    def test_unlike_several(self):
        """Tasks that are alike are not told to be unlike each other: of how many of the others, from what each does all its life."""
        head = ''.join(f'%EventDef {name} {i}\n' + ''.join(f'% {field} {"date" if field == "Time" else "string"}\n' for field in fields.split()) + '%EndEventDef\n'
                       for i, (name, fields) in enumerate([('PajeDefineContainerType', 'Alias Type Name'), ('PajeDefineStateType', 'Alias Type Name'),
                                                           ('PajeCreateContainer', 'Time Alias Type Container Name'), ('PajeSetState', 'Time Type Container Value'),
                                                           ('PajeDestroyContainer', 'Time Type Name')]))
        for alone in (True, False):
            does = ['Alpha'] + ['Beta'] * 11 if alone else ['Alpha', 'Beta', 'Gamma', 'Delta'] * 3
            path = self.path(f'several{alone}.paje', head + '0 P 0 Process\n1 S P State\n' + ''.join(f'2 0 t{n} P 0 T{n}\n3 0 S t{n} {state}\n' for n, state in enumerate(does))
                             + ''.join(f'4 {1 + n / 1000} P t{n}\n' for n in range(12)))
            told = re.findall(r'(T\d+) is unlike (?:(\d+) of )?the other (\d+)', self.report(path)[1])
            self.assertTrue(told, does)
            for name, n, of in told:
                state = does[int(name[1:])]
                self.assertEqual((int(n or of), int(of)), (sum(other != state for other in does), 11), (name, does))

    def rows(self, path):
        with open(path, newline='') as f:
            return list(csv.DictReader(f))

    def check_profile(self, model, at, by_task, by_type):
        """The tables of the program Overview: of each task, and of all tasks of each type together."""
        expected, sums, lives = {}, {}, {}
        for who in list(model.stays):
            times = {name: row for name, row in model.times(who, at).items() if name not in ('Dead', 'Unseen')}
            expected.update({(who, name): row for name, row in times.items()})
            kind = model.kinds[who]
            lives[kind] = lives.get(kind, 0) + sum(row[0] for row in times.values())
            for name, row in times.items():
                sums[kind, name] = [a + b for a, b in zip(sums.get((kind, name), (0, 0, 0, 0)), (*row, 1))]
        told = {(r['task'], r['state']): (r['exclusive [s]'], r['inclusive [s]'], int(r['visits'])) for r in by_task}
        self.assertEqual({k: (Decimal(a).quantize(NS), Decimal(b).quantize(NS), n) for k, (a, b, n) in told.items()}, expected, at)
        self.assertEqual({(r['type'], r['state']) for r in by_type}, set(sums), at)
        for r in by_type:
            spent, inclusive, visits, tasks = sums[r['type'], r['state']]
            self.assertEqual((Decimal(r['exclusive [s]']).quantize(NS), Decimal(r['inclusive [s]']).quantize(NS), int(r['visits']), int(r['tasks'])),
                             (spent, inclusive, visits, tasks), (at, r))
            self.assertAlmostEqual(float(r['mean [s]']), float(spent) / visits, delta=1e-9)
            if lives[r['type']]:
                self.assertAlmostEqual(float(r['of life [%]']), 100 * float(spent / lives[r['type']]), delta=1e-9)
        return len(expected)

    def check_tasks(self, model, at, rows):
        """What each task is and has: its state and its variables; a variable that nobody has yet has no column."""
        self.assertEqual({r['task'] for r in rows}, set(model.stays), at)
        names = {name for values in model.variables.values() for name in values}
        for r in rows:
            self.assertEqual((r['State'], r['Type']), (model.state(r['task']), model.kinds[r['task']].split(' · ')[0]), at)
            for name in names:
                x, told = model.variables[r['task']].get(name), r.get(name + ' (variable)', r.get(name))
                self.assertEqual(told == '', x is None, (at, r, name))
                if x is not None:
                    self.assertAlmostEqual(float(told), x, delta=1e-9 * max(1, abs(x)))
        return len(rows) * (2 + len(names))

    def test_profile_at_random_instants(self):
        """Played until an instant, and travelled to it, there and back."""
        n, paths = 0, [self.path('made201.paje', made(201, n=700, tasks=6))]
        if os.path.isdir(SAMPLES):
            paths.append(os.path.join(SAMPLES, 'simgrid-waits.trace'))
        for path in paths:
            whole, r = Model(path), random.Random(path[-8:])
            instants = [(whole.first_date + (whole.last - whole.first_date) * Decimal(r.random())).quantize(NS) for _ in range(few(2))]
            for at in [*instants, whole.last, instants[0]]:
                model, out = Model(path, at), self.path('out')
                self.scope('run', path, '--program', 'overview', '--until', f'{at:f}', '--out', out)
                n += self.check_profile(model, at, self.rows(os.path.join(out, 'by-task.csv')), self.rows(os.path.join(out, 'profile.csv')))
                n += self.check_tasks(model, at, self.rows(os.path.join(out, 'tasks.csv')))
                drawn = self.path('drawn.csv')
                self.scope('draw', path, '--program', 'overview', '--view', 'Tasks now', '--at', f'{at:f}', '--csv', '-o', drawn)
                self.check_tasks(model, at, self.rows(drawn))
                self.scope('draw', path, '--program', 'overview', '--view', 'Time by state', '--at', f'{at:f}', '--csv', '-o', drawn)
                self.check_profile(model, at, self.rows(os.path.join(out, 'by-task.csv')), self.rows(drawn))
        self.assertGreater(n, 100)

    def test_tasks_that_rest_have_no_row(self):
        path = self.path('made300.paje', made(300))
        model = Model(path)
        busy = {who for who in list(model.stays) if any(name not in ('Dead', 'Unseen', 'No state') for name in model.times(who, model.last))}
        drawn = self.path('drawn.csv')
        self.scope('draw', path, '--program', 'overview', '--view', 'Space-time', '--csv', '-o', drawn)
        self.assertEqual({row['name'] for row in self.rows(drawn) if row['kind'] == 'state'}, busy)
        self.assertNotIn('machine', busy)
        self.assertGreater(len(busy), 5)

    def test_made_traces_at_random_instants(self):
        n = 0
        for seed in range(few(10)):
            n += self.compare(self.path(f'made{seed}.paje', made(seed)), 5, seed)
        self.assertGreater(n, few(few(1000)))

    @staticmethod
    def otherwise(text, seed, divide=1):
        """The same trace as another program would write it: fields in another order and of other names, several kinds of lines of one
        verb with numbers of their own, single quotes, commas in numbers, roots of other names, types that each process defines."""
        r = random.Random(seed)
        other = {'Type': ['Type', 'ContainerType', 'EntityType'], 'StartContainer': ['StartContainer', 'SourceContainer'],
                 'EndContainer': ['EndContainer', 'DestContainer'], 'Time': ['Time', 'Date']}
        kinds, numbers, head = {}, set(), ['\ufeff# written by another program']
        for verb, fields in HEAD:
            for _ in range(2):
                number = next(x for x in iter(lambda: r.choice([r.randrange(99), r.randrange(2000), r.randrange(10**9)]), None) if x not in numbers)
                numbers.add(number)
                order = r.sample(range(len(fields)), len(fields))
                named = [fields[i].split() for i in order]
                destroyed = 'Container' if verb == 'PajeDestroyContainer' and r.random() < .7 else 'Name'
                head += [f'%\tEventDef {verb}   {number}']
                head += [f'%\t{r.choice(other.get(n, [n if n != "Name" or verb != "PajeDestroyContainer" else destroyed]))} {t}'
                         for n, t in named] + [r.choice(['%EndEventDef', '% EndEventDef '])]
                kinds.setdefault(NUMBER[verb], []).append((number, order))
        body, quote = [], r.choice('\'"')
        for line in text.splitlines():
            if line[0] == '%':
                continue
            words = shlex.split(line)
            number, order = r.choice(kinds[int(words[0])])
            verb, fields = HEAD[int(words[0])]
            words = words[1:] + [''] * (len(order) - len(words) + 1)
            for i, field in enumerate(fields):
                if field == 'Time date' and divide > 1:
                    words[i] = str(int(Decimal(words[i]) * divide))
                elif field in ('Time date', 'Value double') and r.random() < .3:
                    words[i] = words[i].replace('.', ',')
                elif field == 'Container string' and words[i] == '0':
                    words[i] = r.choice(['0', '', '/'])
            body.append(f'  {number}\t' + ' '.join(f'{quote}{words[i]}{quote}' if ' ' in words[i] or not words[i] else words[i] for i in order))
            if verb.endswith('Type') and r.random() < .5:
                body.append(body[-1])
        return '\r\n'.join(head + body) + '\r\n'

    def test_written_by_other_programs(self):
        for seed in range(few(6)):
            text = made(seed)
            divide = (1, 10**9, 1)[seed % 3]
            if divide > 1:      # that is, some seconds are billions
                text += f'{NUMBER["PajeSetVariable"]} 5.5 V m 1\n'
            plain, path = self.path(f'plain{seed}.paje', text), self.path(f'other{seed}.paje', self.otherwise(text, seed, divide))
            one, two = self.info(plain), self.info(path)
            self.assertEqual([two[k] for k in ('events', 'damaged', 'first', 'last')], [one[k] for k in ('events', 'damaged', 'first', 'last')], path)
            self.assertEqual(divide > 1, 'nanoseconds' in self.scope('info', path)[0])
            r = random.Random(seed)
            for _ in range(4):
                at = f'{r.uniform(one["first"], one["last"]):.9f}'
                self.assertEqual(*({n['id']: n for n in self.state(p, at)['nodes']} for p in (plain, path)), (seed, at))

    def test_several_files(self):
        """Lines that PajeTraceFile or a container's Filename puts into other files of the folder, without a head or with one."""
        text = made(11)
        lines = text.splitlines()
        head, body = [line for line in lines if line[0] == '%'], [line for line in lines if line[0] != '%']
        one = self.path('one.paje', text)
        events = {str(NUMBER[verb]) for verb, fields in HEAD if 'Time date' in fields and 'Create' not in verb}
        apart = [line for line in body if line.split()[0] in events and ' p3 ' in line + ' ']
        more = ['%EventDef PajeTraceFile 77', '% Container string', '% Type string', '% Filename string', '%EndEventDef']
        rest = [line for line in body if line not in apart]
        at = next(i for i, line in enumerate(rest) if ' p3 P ' in line) + 1
        r = random.Random(5)
        for n, child in enumerate((apart, head + apart)):
            self.path('child.paje', '\n'.join(child) + '\n')
            root = self.path(f'root{n}.paje', '\n'.join(head + more + rest[:at] + ['77 p3 P child.paje', f'77 0 0 "root{n}.paje"', '77 p3 P ./child.paje'] + rest[at:]) + '\n')
            first, second = self.info(one), self.info(root)
            self.assertEqual([first[k] for k in ('events', 'damaged', 'first', 'last')], [second[k] for k in ('events', 'damaged', 'first', 'last')])
            for _ in range(4):
                when = f'{r.uniform(first["first"], first["last"]):.9f}'
                self.assertEqual(*({n['id']: n for n in self.state(p, when)['nodes'] if n['id'].startswith('process 3')} for p in (one, root)), when)
        os.remove(self.path('child.paje'))
        gone = self.path('gone.paje', '\n'.join(head + more + rest + ['77 p3 P child.paje']) + '\n')
        self.assertIn('another file', self.info(gone)['damage'][0]['reason'])

    def test_samples_at_random_instants(self):
        if not os.path.isdir(SAMPLES):
            self.skipTest('the samples are not here')
        with open(os.path.join(SAMPLES, 'expected.jsonl')) as lines:
            for expected in map(json.loads, lines):
                path = os.path.join(SAMPLES, os.path.basename(expected['path']))
                self.compare(path, 2, expected['path'])
                info = json.loads(self.scope('info', path, '--json')[0])
                kinds = {}          # several definitions may be of one kind of line
                for k in info['kinds']:
                    kinds[k['name']] = kinds.get(k['name'], 0) + k['begun']
                # of links of one type and one date pj_dump shows one alone, as in this trace
                if 'Link' in expected.get('records', {}) and 'fg126' not in path:
                    self.assertEqual(kinds['EndLink'], expected['records']['Link'], path)
                if 'Container' in expected.get('records', {}):
                    self.assertEqual(kinds['CreateContainer'], expected['records']['Container'] - 1, path)
                for record, lines_of_it in (('State', ('SetState', 'PushState')), ('Event', ('NewEvent',))):
                    if record in expected.get('records', {}):
                        self.assertEqual(sum(kinds.get(k, 0) for k in lines_of_it), expected['records'][record], (path, record))
                for date in ('first', 'last'):          # pj_dump prints microseconds
                    self.assertAlmostEqual(info[date], expected[date], delta=6e-7, msg=path)
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
                # no column is of a state that no task was in: of those without time some task is in it, at the end
                now = {node['State'] for node in json.loads(self.scope('state', path, '--at', '1000000', '--json')[0])['nodes']}
                self.assertLessEqual({name for name, seconds in totals.items() if seconds == 0}, now, path)
                for name, seconds in expected['states_total_time']:
                    self.assertAlmostEqual(totals.get(name, 0), seconds, delta=2e-5, msg=(path, name, head))

    def check_as_a_peer(self, path, dump, instants):
        """States of containers of all types at random instants, and how long they were in them, as pj_dump has them."""
        states, lives, dead = {}, {}, {}
        for line in dump.splitlines():
            f = line.split(', ')
            if f[0] == 'State':
                begin, end, depth = Decimal(f[3]), Decimal(f[4]), int(float(f[6]))
                states.setdefault((f[1], f[2]), []).append((begin, end, depth, f[7]))
            elif f[0] == 'Container':
                lives[f[-1]] = Decimal(f[3]), Decimal(f[4])
        whole = max(end for _, end in lives.values())
        edges, r, n = {x for rows in states.values() for row in rows for x in row[:2]}, random.Random(path[-9:]), 0
        for _ in range(few(instants)):
            at = (whole * Decimal(r.random())).quantize(Decimal('0.000001')) + Decimal('0.0000005')
            told = json.loads(self.scope('state', path, '--at', f'{at:f}', '--json')[0], parse_float=Decimal)
            nodes, times = {node['id']: node['State'] for node in told['nodes']}, {}
            for row in told['times']:
                times[row['id'], row['state']] = row['inclusive']
            for (who, kind), rows in states.items():
                task = who + ' · ' + kind if who + ' · ' + kind in nodes else who
                begun = [row for row in rows if row[0] < at]
                if not begun:
                    continue
                inside = [row for row in begun if row[1] > at]
                died = lives[who][1]
                expected = max(inside, key=lambda row: row[2])[3] if inside else 'Dead' if died < at and task == who else 'No state'
                self.assertEqual(nodes[task], expected, (path, at, who, kind))
                for value in {row[3] for row in begun}:
                    spent, last = Decimal(0), None
                    for begin, end in sorted((row[0], min(row[1], at)) for row in begun if row[3] == value):
                        if last is None or end > last:          # one that is inside of another of its name counts once
                            spent += end - (begin if last is None or begin >= last else last)
                            last = end
                    self.assertLessEqual(abs(times[task, value] - spent), Decimal('0.000001') * len(begun), (path, at, who, kind, value))
                    n += 1
                n += 1
        self.assertTrue(edges)
        return n

    def test_states_of_all_containers_as_a_peer_has_them(self):
        folder = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(folder, 'nested.pj_dump')) as f:         # what pj_dump 1.3.6 printed of nested.paje
            self.assertGreater(self.check_as_a_peer(os.path.join(folder, 'nested.paje'), f.read(), 40), few(400))
        if not os.path.isdir(SAMPLES) or not shutil.which('pj_dump'):
            self.skipTest('the samples, or pj_dump, are not here')
        # each that has states, and that the peer reads
        for name in ('simgrid-waits', 'simgrid-colls-incomplete-links', 'simgrid-512-ranks', 'simgrid-ring-basic-old-dialect',
                     'pajeng-gattaca', 'pajeng-simu-mardi'):
            path = os.path.join(SAMPLES, name + '.trace')
            done = subprocess.run(['pj_dump', '-z', path], capture_output=True, text=True)
            if done.returncode:         # not as it stands
                done = subprocess.run(['pj_dump', '-n', '-z', path], capture_output=True, text=True, check=True)
            self.assertGreater(self.check_as_a_peer(path, done.stdout, 8), 5)

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
                                         ('8 late S p0 r', 'no date'), ('8', 'before its date'), ('8 1,0,0 S p0 r', 'no date'), ('8 1.0 S', 'ends before'),
                                         # definitions that contradict each other
                                         ('1 S M again', 'defined twice'), ('0 V P name', 'defined twice'),
                                         ('1 X Nowhere state', '“Nowhere”, is not defined'),
                                         ('1 X S state', '“S”, is none of containers')]):
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
        # what is there stays, also beside it, also a link that leads nowhere
        with open(self.path('z.paje.making', 'mine')) as f:
            self.scope('export', paths[0], '-o', self.path('z.paje'))
            self.assertEqual(f.read(), 'mine')
        os.symlink('/nowhere/at/all', self.path('link.paje'))
        self.assertIn('is there already', self.scope('export', paths[0], '-o', self.path('link.paje'), status=1)[1])
        self.assertIn('there is no folder', self.scope('export', paths[0], '-o', self.path('nowhere/x.paje'), status=1)[1])
        self.assertFalse([n for n in os.listdir(self.folder.name) if '.making-' in n])
        # refused rather than written over; the format is told by the name, or said
        self.assertIn('is there already', self.scope('export', paths[0], '-o', again, status=1)[1])
        self.assertIn('--as', self.scope('export', paths[0], '-o', self.path('x.unknown'), status=2)[1])
        self.assertIn('paje', self.scope('export', paths[0], '--as', 'pajé', '-o', self.path('y'), status=2)[1])

    def test_calls_inside_of_calls(self):
        """Every box of the timeline of calls, at random instants, against the stacks of the second computation."""
        n = 0
        for seed in range(few(3)):
            path, out = self.path(f'nested{seed}.paje', made(seed)), self.path(f'nested{seed}.csv')
            self.scope('draw', path, '--program', 'nested', '--view', 'Call timeline', '-o', out)
            with open(out, newline='') as f:
                boxes = list(csv.DictReader(f))
            whole, r = Model(path), random.Random(seed)
            for _ in range(few(20)):
                at = (whole.first_date + (whole.last - whole.first_date) * Decimal(r.random())).quantize(Decimal('0.000000001'))
                model, shown = Model(path, at), {}
                for box in boxes:
                    if Decimal(box['from [s]']) <= at < Decimal(box['to [s]']):
                        shown.setdefault(box['task'], {})[int(box['depth'])] = box['call']
                for task in model.stack.keys() | shown.keys():
                    inside = {d + 1: name for d, (name, *_) in enumerate(model.stack[task])}
                    if not inside:
                        inside = {0: model.state(task)} if model.state(task) not in (None, 'No state', 'Dead', 'Unseen') else {}
                    mine = {d: name for d, name in shown.get(task, {}).items() if d > 0 or not model.stack[task]}
                    self.assertEqual(mine, inside, (path, at, task))
                    n += len(inside)
        self.assertGreater(n, few(few(60)))

    def test_cache_of_a_stranger(self):
        """What is damaged in the cache is made anew, at once, also what is found to be so in the midst of it; never taken for the trace."""
        path = self.path('t.paje', made(9))
        before = self.scope('events', path)[0]
        top = os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'converted')
        (kept,) = os.listdir(top)
        r = random.Random(1)
        for name in ('tables', 'index', 'events', 'values', 'sums'):
            for _ in range(few(12)):
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
                self.assertEqual(self.scope('events', path), (before, ''), name)
                if os.path.exists(file):
                    with open(file, 'wb') as f:
                        f.write(sound)
        self.assertEqual(self.scope('events', path)[0], before)
        # cut for good: it is made anew at once
        os.truncate(os.path.join(top, kept, 'events'), 100)
        self.assertEqual(self.scope('events', path)[0], before)
        self.assertEqual(self.scope('events', path)[0], before)

    @staticmethod
    def closed(line):
        return line + '"' * (line.count('"') % 2)

    def test_another_of_the_same_size_and_date(self):
        """A trace that was changed in its place, without a change of its size and date, is read anew."""
        text, other = ('%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n%EventDef PajeCreateContainer 1\n% Time date\n% Alias string\n'
                       f'% Type string\n% Container string\n% Name string\n%EndEventDef\n0 P 0 Process\n1 0 a P 0 {name}\n' for name in ('first', 'other'))
        path = self.path('same.paje', text)
        before, events = os.stat(path), self.scope('events', path, '--json')[0]
        with open(path, 'w') as f:
            f.write(other)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual((os.stat(path).st_size, os.stat(path).st_mtime_ns), (before.st_size, before.st_mtime_ns))
        copy = self.path('copy.paje', other)
        self.assertEqual(self.scope('events', path, '--json')[0], self.scope('events', copy, '--json')[0])
        self.assertNotEqual(self.scope('events', path, '--json')[0], events)

    def test_last_line_is_cut(self):
        """Wherever the last line ends: left out and told if it lacks fields, else told to be doubtful; whole with its end."""
        data = made(2)
        last = data.rstrip('\n').rsplit('\n', 1)[1]
        whole = self.info(self.path('whole.paje', data))
        self.assertNotIn('the file ends', self.scope('check', self.path('whole.paje'), status=(0, 1))[0])
        for cut in range(1, len(last), 3):
            path = self.path('cut.paje', data[:len(data.rstrip('\n')) - cut])
            told, info = self.scope('check', path, status=(0, 1))[0], self.info(path)
            lacks = len(shlex.split(self.closed(last[:-cut]))) < len(shlex.split(last)) or last[:-cut].count('"') % 2 == 1
            self.assertIn('in the middle of this line' if lacks else 'without the end of its last line', told)
            self.assertEqual(info['damaged'] - whole['damaged'], lacks, last[:-cut])

    def test_results_beside_the_trace(self):
        """A folder with files of another program is no trace, and takes what a program writes; a pipe is told as one."""
        path = self.path('t.paje', made(2))
        self.scope('run', path, '--program', 'overview', '--out', self.path('out'))
        self.scope('run', path, '--program', 'overview', '--out', self.folder.name)
        self.assertIn('profile.csv', os.listdir(self.folder.name))
        os.mkfifo(self.path('fifo.paje'))
        self.assertIn('pipe', self.scope('info', self.path('fifo.paje'), status=1)[1])
        self.assertIn('never created', self.scope('check', self.path('bad.paje', made(2) + '8 1.0 S nobody r\n'), status=1)[0])

    def test_dates_since_1970(self):
        """Ten digits before the point, nine behind it: events a nanosecond apart stay so."""
        lines = [line for verb, fields in HEAD for line in (f'%EventDef {verb} {NUMBER[verb]}', *(f'%  {f}' for f in fields), '%EndEventDef')]
        lines += [f'{NUMBER["PajeDefineContainerType"]} P 0 Process', f'{NUMBER["PajeDefineStateType"]} S P State',
                  f'{NUMBER["PajeCreateContainer"]} 1700000000.123456780 p P 0 p']
        dates = [Decimal('1700000000.123456781') + NS * i for i in range(40)]
        lines += [f'{NUMBER["PajeSetState"]} {date} S p v{i % 2}' for i, date in enumerate(dates)]
        path = self.path('since.paje', '\n'.join(lines) + '\n')
        events = [json.loads(line, parse_float=Decimal)['t'] for line in self.scope('events', path, '--json')[0].splitlines()]
        zero = events[0] - Decimal('1700000000.123456780')      # dates are shown from the first on
        self.assertEqual(events[-len(dates):], [date + zero for date in dates])
        for unit, factor in (('milliseconds', 10**3), ('microseconds', 10**6), ('nanoseconds', 10**9)):    # and whole numbers
            path = self.path(unit + '.paje', '\n'.join(' '.join(str(int(Decimal(w) * factor)) if w.startswith('17000') else w for w in line.split())
                                                      for line in lines) + '\n')
            info = json.loads(self.scope('info', path, '--json')[0])
            self.assertEqual((info['damaged'], round(info['first'])), (0, 1700000000), unit)
            self.assertIn(f'taken for {unit}', self.scope('info', path)[0])

    def test_dates_of_starpu(self):
        """StarPU writes milliseconds, which is told: known by its types of containers, however the words are quoted; not by some of these alone."""
        def made(mn):
            lines = [line for verb, fields in HEAD for line in (f'%EventDef {verb} {NUMBER[verb]}', *(f'%  {f}' for f in fields), '%EndEventDef')]
            define, create = NUMBER['PajeDefineContainerType'], NUMBER['PajeCreateContainer']
            lines += [f'{define} MPIP 0 "MPI Program"', f'{define}\tP   MPIP Program', f'{define}  {mn}   "P"   "Memory Node"   ', f'{NUMBER["PajeDefineStateType"]} S {mn} State',
                      f'{create} 0.5 p MPIP 0 p', f'{create} 0.5 q P p q', f'{create} 0.5 m {mn} q m']
            lines += [f'{NUMBER["PajeSetState"]} {date} S m v{i % 2}' for i, date in enumerate(dates)]
            return '\n'.join(lines) + '\n'
        r = random.Random(os.environ.get('SCOPE_SEED', '1'))
        dates = sorted(f'{r.randrange(1, 4000)}.{r.randrange(10 ** 6):06}' for _ in range(9))
        dates.sort(key=Decimal)
        for mn in ('Mn', 'Node'):
            path = self.path(mn + '.paje', made(mn))
            events = [json.loads(line, parse_float=Decimal)['t'] for line in self.scope('events', path, '--json')[0].splitlines()]
            self.assertEqual([t - events[0] for t in events[-len(dates):]], [Decimal(date) - Decimal('0.5') for date in dates])
            self.assertEqual('StarPU writes milliseconds' in self.scope('info', path)[0], mn == 'Mn')
            self.compare(path, 3, 1)

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

    def test_what_has_no_length_or_other_side(self):
        """States in which a task is at no instant are no stays; sends and receives whose other side nobody tells are told besides the messages."""
        out = []
        for verb, fields in HEAD:
            out += [f'%EventDef {verb} {NUMBER[verb]}'] + [f'%  {f}' for f in fields] + ['%EndEventDef']

        def put(verb, *words):
            out.append(' '.join(map(str, (NUMBER[verb], *words))))
        put('PajeDefineContainerType', 'P', 0, 'Process')
        put('PajeDefineStateType', 'S', 'P', 'Call')
        put('PajeDefineLinkType', 'L', 0, 'P', 'P', 'Link')
        for name in ('main', 'solve', 'step'):
            put('PajeDefineEntityValue', name, 'S', name, '"1 0 0"')
        for name in 'ab':
            put('PajeCreateContainer', 0, name, 'P', 0, name)
        any_, depth, stays, now = random.Random(5), 0, 0, 0
        for _ in range(200):        # of what is inside of each other several end, or begin, at one date
            step = any_.choice((0, 0, 1))
            stays += step > 0 and depth > 0
            now += step
            if depth == 0 or (depth < 3 and any_.randrange(2)):
                put('PajePushState', now, 'S', 'a', ('main', 'solve', 'step')[depth], '""')
                depth += 1
            else:
                put('PajePopState', now, 'S', 'a')
                depth -= 1
        put('PajeStartLink', now, 'L', 0, 'x', 'a', 'k1', 8)
        put('PajeEndLink', now + 1, 'L', 0, 'x', 'b', 'k1')
        for k in range(3):
            put('PajeStartLink', now + 1, 'L', 0, 'x', 'a', f'alone{k}', 8)
        put('PajeEndLink', now + 2, 'L', 0, 'x', 'b', 'nobody')
        stays += 0 if depth == 0 else 1
        for name in 'ab':
            put('PajeDestroyContainer', now + 3, 'P', name)
        path = self.path('short.paje', '\n'.join(out) + '\n')
        program = self.path('short.eve', '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><component name="R" class="scope.paje-reader" version="1"/><component name="S" class="scope.calls-simulator" version="1"/>
<component name="D" class="scope.state-durations" version="1"><setting name="states">main, solve, step</setting></component>
<component name="T" class="scope.statistics-by-owner" version="1"/><component name="F" class="scope.data-file" version="1"><setting name="file">stays.csv</setting></component>
<wire from="R" out="events" to="S" in="events"/><wire from="S" out="states" to="D" in="states"/><wire from="D" out="dated" to="T" in="value"/>
<wire from="T" out="table" to="F" in="in"/></eve>''')
        shutil.rmtree(self.path('out'), ignore_errors=True)
        self.scope('run', path, '--program', program, '--out', self.path('out'))
        with open(os.path.join(self.path('out'), 'stays.csv'), newline='') as f:
            row = next(r for r in csv.DictReader(f) if r['owner'] == 'a')
        self.assertEqual(int(row['count']), stays, row)
        said = self.scope('report', path, '-o', self.path('report'), '-q')[0]
        with open(os.path.join(self.path('report'), 'report.json'), encoding='utf-8') as f:
            told = json.load(f)
        info = self.info(path)['holds']
        self.assertEqual([told['messages']['sent'] + told['sends_to_nobody'], told['messages']['received'] + told['receives_from_nobody']],
                         [info['sent'], info['received']], (told['messages'], info))
        self.assertGreater(told['sends_to_nobody'] + told['receives_from_nobody'], 0)
        self.assertIn(f'besides {told["sends_to_nobody"]} sends and ', ' '.join(said.split()))
        for sends, receives in ((3, 1), (1, 1), (1, 0), (2, 0), (0, 1), (0, 0)):        # what there is none of is left out
            left = [line for line in out if not any(f'alone{k}' in line for k in range(sends, 3)) and ('nobody' not in line or receives)]
            said = ' '.join(self.scope('report', self.path('fewer.paje', '\n'.join(left) + '\n'), '-q')[0].split())
            words = [f'{n} {what}' + 's' * (n > 1) for n, what in ((sends, 'send'), (receives, 'receive')) if n > 0]
            self.assertEqual(re.findall('; besides (.*?) whose other side nobody tells', said), [' and '.join(words)] * (len(words) > 0), said)


main()
