#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups of tasks that all views show as one: their shares, extremes and traffic at random instants and cuts, beside what
the model of tests/model says of their members; calls likewise; which tasks are clustered; the one odd task; what is said of bad input.

usage: test_groups.py QUERY SCOPE SOURCE_FOLDER"""
import bisect
import collections
import csv
import fnmatch
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

QUERY, SCOPE, ROOT = sys.argv[1:4]
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import pvm
import raw
from calls import Calls
from asked import Asked

PROGRAM = """<eve version="1"><title>Groups</title>
  <component name="Reader" class="scope.tapepvm-reader" version="1"/><component name="Simulator" class="scope.pvm-simulator" version="1"/>
  <component name="Space-time" class="scope.space-time" version="1"/><component name="State graph" class="scope.state-graph" version="1"/>
  <component name="Space" class="scope.scene" version="1"/><wire from="Simulator" out="messages" to="Space" in="messages"/>
  <component name="Traffic" class="scope.traffic" version="1"/><component name="Messages" class="scope.matrix-view" version="1"/>
  <component name="Durations" class="scope.state-durations" version="1"/><component name="Summary" class="scope.stacked-bars" version="1"/>
  <component name="Waiting" class="scope.waiting-times" version="1"/><component name="Bars" class="scope.bar" version="1"/>
  <wire from="Reader" out="events" to="Waiting" in="events"/><wire from="Waiting" out="dated" to="Bars" in="value"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Simulator" out="states" to="Durations" in="states"/>
  <wire from="Simulator" out="states" to="Space-time" in="states"/><wire from="Simulator" out="messages" to="Space-time" in="messages"/>
  <wire from="Simulator" out="messages" to="State graph" in="messages"/><wire from="Simulator" out="messages" to="Traffic" in="messages"/>
  <wire from="Traffic" out="counts" to="Messages" in="matrix"/><wire from="Durations" out="balance" to="Summary" in="matrix"/></eve>"""
CALLS = """<eve version="1"><title>Calls</title>
  <component name="Reader" class="scope.tapepvm-reader" version="1"/><component name="Simulator" class="scope.calls-simulator" version="1"/>
  <component name="Inside" class="scope.call-timeline" version="1"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Simulator" out="calls" to="Inside" in="calls"/></eve>"""
STATES = ('Busy', 'Overhead', 'Idle', 'Talking', 'Dead')
UNITS = {'s': 1, 'ms': 1e-3, 'µs': 1e-6, 'ns': 1e-9, 'B': 1, 'kB': 1e3, 'MB': 1e6, 'GB': 1e9}
checks = pixels = 0


def check(right, *what):
    global checks
    checks += 1
    if not right:
        sys.exit('FAILED: ' + ' '.join(str(w) for w in what))


class Played:
    """The model, event by event: the stays of each task, and what went between two."""
    def __init__(self, path):
        self.trace = raw.read(path)
        model = pvm.Pvm(self.trace)
        self.stays = collections.defaultdict(list)  # (date, state), by task
        self.last, self.ids = self.trace.last, [t.id for t in self.trace.tasks.values()]
        index = {number: i for i, number in enumerate(self.trace.tasks)}
        for e in self.trace.events:
            model.step(e)
            for number, person in model.people.items():
                own = self.stays[index[number]]
                if person.seen is not None and (not own or own[-1][1] != person.seen.state):
                    own.append((e.date, person.seen.state))
        self.hosts = [model.people[number].host for number in self.trace.tasks]

    def shares(self, task, begin, end):
        """Of [begin, end) in each state."""
        spent, stays = collections.Counter(), self.stays[task]
        for i in range(max(bisect.bisect(stays, (begin, '~')) - 1, 0), len(stays)):
            a, b = max(stays[i][0], begin), min(stays[i + 1][0] if i + 1 < len(stays) else self.last, end)
            if stays[i][0] >= end:
                break
            if b > a:
                spent[stays[i][1]] += b - a
        return {s: t / (end - begin) for s, t in spent.items()}


def random_cut(rand, hosts):
    return '|'.join(['by host', *(f'open {h}' for h in hosts if rand.random() < 0.4)])


def check_tree(played, parts, cut):
    opened = {line[5:] for line in cut.split('|') if line.startswith('open ')}
    hosts = collections.defaultdict(list)
    for i, host in enumerate(played.hosts):
        hosts[host].append(i)
    want = []
    for host, tasks in hosts.items():
        want += [([t], '') for t in tasks] if host in opened or len(tasks) == 1 else [(tasks, f'{host} ({len(tasks)})')]
    check(parts == want, cut, parts, want)


def check_rows(asked, played, parts, rand, width):
    """Pixels of closed groups: least, mean and most of their members."""
    global pixels
    first, last = played.trace.first, played.last
    begin = rand.randrange(first, last - (last - first) // 4)
    end = rand.randrange(begin + (last - first) // 8, last)
    asked.ask(f'scene {width} 900 {begin} {end} 0 0')
    asked.ask('draw Space-time')
    rows = [line.split('\t') for line in asked.ask('items Space-time 400').splitlines()]
    # the dates of a row are those of the picture: where its bar begins and ends
    rows = [(float(r[0]), float(r[1]), float(r[2]), float(r[3]), r[9]) for r in rows if len(r) >= 10 and int(r[6]) == begin and int(r[7]) == end]
    for x, y, wide, high, name in rand.sample(rows, min(6, len(rows))):
        tasks = next((t for t, n in parts if n == name), None)
        if tasks is None or len(tasks) < 2:
            continue
        at = x + rand.randrange(int(wide) - 1) + 0.5
        answer = asked.ask(f'inspect Space-time {at} {y + high / 2}').splitlines()
        facts = dict(line.split('\t', 1) for line in answer[1:])
        per = (end - begin) / wide
        a = int(begin + int(at - x) * per)
        of = [played.shares(t, a, a + per) for t in tasks]
        for s in STATES:
            shares = [100 * one.get(s, 0) for one in of]
            told = re.match(r'([\d.]+) – ([\d.]+) – ([\d.]+)\u2009%, most: (.*)', facts.get(s, ''))
            if told is None:
                check(max(shares) < 1.5, s, 'of', name, 'is not told', shares, answer)
                continue
            least, mean, most = (float(told.group(k)) for k in (1, 2, 3))
            pixels += 1
            slack = 1.2 + 200 / per  # a tick at each edge
            check(abs(least - min(shares)) < slack and abs(most - max(shares)) < slack and abs(mean - sum(shares) / len(shares)) < slack,
                  s, 'of', name, told.groups(), shares)


class Inside:
    """What each task is inside of by the model: at each depth (begin, end, call)."""
    def __init__(self, path):
        self.trace = trace = raw.read(path)
        self.hosts, model, index = [], Calls(trace), {number: i for i, number in enumerate(trace.tasks)}
        self.spans, opened = collections.defaultdict(list), collections.defaultdict(dict)
        for e in [*trace.events, None]:
            if e is not None:
                model.step(e)
            for number in [e.task] if e is not None else trace.tasks:
                task, calls = index[number], dict(enumerate(model.nodes[number].calls, 1)) if e is not None else {}
                for depth, (call, since) in list(opened[task].items()):
                    if calls.get(depth) is not call:
                        self.spans[task, depth].append((since, e.date if e is not None else trace.last, call[0]))
                        del opened[task][depth]
                for depth, call in calls.items():
                    opened[task].setdefault(depth, (call, e.date))
        self.hosts = [model.nodes[number].host for number in trace.tasks]

    def shares(self, task, depth, begin, end):
        spent = collections.Counter()
        for a, b, call in self.spans[task, depth]:
            spent[call] += max(min(b, end) - max(a, begin), 0)
        return {call: t / (end - begin) for call, t in spent.items() if t}


def check_calls(folder):
    """Pixels of closed groups in a timeline of calls: least, mean and most of their members, and who has most."""
    rand, told, odd = random.Random(21), 0, 0
    path, where = os.path.join(folder, 'calls.trace'), os.path.join(folder, 'calls')
    subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '22', '--events', '900', '--seed', '5', '-o', path], check=True)
    os.makedirs(where)
    inside, asked = Inside(path), Asked(QUERY, path, where, CALLS)
    first, last, hosts, ids = inside.trace.first, inside.trace.last, list(dict.fromkeys(inside.hosts)), [t.id for t in inside.trace.tasks.values()]
    for _ in range(6):
        parts = asked.parts(random_cut(rand, hosts))
        begin = rand.randrange(first, last - (last - first) // 4)
        end = rand.randrange(begin + (last - first) // 8, last)
        asked.ask(f'scene {rand.randrange(500, 1400)} 900 {begin} {end} 0 0')
        asked.ask('draw Inside')
        rows = [line.split('\t') for line in asked.ask('items Inside 3000').splitlines() if re.search(r', depth \d+$', line)]
        groups = {name for tasks, name in parts if name and any(inside.spans[t, 1] for t in tasks)}
        check({r[9].rsplit(', ', 1)[0] for r in rows} == groups, 'groups of calls', groups, [r[9] for r in rows])
        for r in rows:
            (x, y, wide, high), (name, depth) = map(float, r[:4]), re.match(r'(.*), depth (\d+)$', r[9]).groups()
            tasks, depth = next(t for t, n in parts if n == name), int(depth)
            spans = [span for t in tasks for span in inside.spans[t, depth] if span[0] < end and span[1] > begin] if depth else []
            dates = [max((a + b) // 2, begin) for a, b, _ in rand.sample(spans, min(len(spans), 8))]
            for at in {math.floor((min(date, end - 1) - begin) * wide / (end - begin)) + x + 0.5 for date in dates}:
                facts = dict(line.split('\t', 1) for line in asked.ask(f'inspect Inside {at} {y + high / 2}').splitlines()[1:])
                per = (end - begin) / wide
                a = int(begin + int(at - x) * per)
                of = {ids[t]: inside.shares(t, depth, a, a + per) for t in tasks}
                slack = 1.2 + 200 / per  # a tick at each edge
                for call in {c for one in of.values() for c in one} | set(facts):
                    shares = {t: 100 * one.get(call, 0) for t, one in of.items()}
                    got = re.match(r'([\d.]+) – ([\d.]+) – ([\d.]+)\u2009%, most: (.*)', facts.get(call, ''))
                    if got is None:
                        check(max(shares.values()) < slack, call, 'of', name, 'is not told', shares, facts)
                        continue
                    least, mean, most = (float(got.group(k)) for k in (1, 2, 3))
                    told, odd = told + 1, odd + (most > 50 and mean < 30)
                    check(all(abs(got - want) < slack for got, want in ((least, min(shares.values())), (most, max(shares.values())), (mean, sum(shares.values()) / len(shares)))),
                          call, 'of', name, facts[call], shares)
                    check(shares[got.group(4)] > max(shares.values()) - slack, call, 'is most of', facts[call], shares)
    asked.ask('cut')
    rows = list(csv.DictReader(asked.ask('csv Inside').splitlines()))
    asked.parts('by host')
    check(list(csv.DictReader(asked.ask('csv Inside').splitlines())) == rows and len(rows) > 10, 'the table has each task whatever is closed')
    asked.end()
    check(told > 60 and odd > 5, 'hardly anything was looked at:', told, odd)


def is_amount(text, want):
    """As near as its digits tell."""
    number, unit = text.replace('\u202f', '').replace(',', '').replace('\u2009', ' ').split(' ')
    digits = len(number.split('.')[1]) if '.' in number else 0
    return abs(float(number) * UNITS[unit] - want) <= 0.51 * UNITS[unit] / 10**digits


def check_graph(asked, played, parts, at):
    """Tasks in each state, and bytes between parts and inside of them, so far."""
    model = pvm.Pvm(played.trace)
    for e in played.trace.events:
        if e.date <= at:
            model.step(e)
    state = model.state(at)
    ids = played.ids
    part_of = {ids[t]: i for i, (tasks, _) in enumerate(parts) for t in tasks}
    name_of = [name.rsplit(' (', 1)[0] if name else ids[tasks[0]] for tasks, name in parts]
    states, inside, between = collections.defaultdict(collections.Counter), collections.Counter(), collections.Counter()
    for n in state['nodes']:
        states[part_of[n['id']]][n['State']] += 1
    for e in state['edges']:
        a, b = part_of[e['from']], part_of[e['to']]
        if a == b:
            inside[a] += e['TotalTraffic'] if e['from'] != e['to'] else 0
        else:
            between[a, b] += e['TotalTraffic']
    asked.ask(f'at {at}')
    asked.ask('scene 1000 800 1 0 0 0')
    names = [line.split('\t')[9] for line in asked.ask('items State_graph 5000').splitlines() if line.count('\t') >= 9]
    told = {re.split(r'[,:] ', n)[0]: n for n in names if ' to ' not in n.split(':')[0]}
    for i, (tasks, name) in enumerate(parts):
        if not states[i] or not name:
            continue
        text = told.get(name)
        check(text is not None, name, 'is not in the graph', sorted(told))
        for s, n in states[i].items():
            check(f', {n} {s}' in text, text, states[i])
        if inside[i]:
            got = re.search(r', ([^,]+) between them so far', text)
            check(got is not None and is_amount(got.group(1), inside[i]), text, inside[i])
    links = dict(re.match(r'(.* to .*?): [^,]*, (.*) so far$', n).groups() for n in names if n.endswith('so far') and ' to ' in n.split(':')[0])
    check(len(links) == len(between), 'links', len(links), len(between))
    for (a, b), total in between.items():
        got = links.get(f'{name_of[a]} to {name_of[b]}')
        check(got is not None and is_amount(got, total), name_of[a], name_of[b], got, total)
    said = [line.split('\t')[9] for line in asked.ask('items Space 5000').splitlines() if line.count('\t') >= 9]
    space = {re.split(r'[,:] ', n)[0]: n for n in said if ' \u2192 ' not in n}
    for i, (tasks, name) in enumerate(parts):  # a task that is selected in space tells more than a group does
        if states[i] and name:
            text = space.get(name)
            check(text is not None and all(f', {n} {s}' in text for s, n in states[i].items()), name, text, states[i], sorted(space))
            got = re.search(r', ([^,]+) between them so far', text)
            check(is_amount(got.group(1), inside[i]) if inside[i] else got is None, text, inside[i])
    arrows = dict(re.match(r'(.*) \u2192 (.*?): (.*) so far$', n).expand(r'\1>\2|\3').split('|') for n in said if n.endswith(' so far') and ' \u2192 ' in n)
    whole = [name or ids[tasks[0]] for tasks, name in parts]
    want = {f'{whole[a]}>{whole[b]}': total for (a, b), total in between.items() if parts[a][1] or parts[b][1]}
    check(arrows.keys() == want.keys(), 'in space', sorted(arrows.keys() ^ want.keys()))
    check(all(is_amount(arrows[pair], total) for pair, total in want.items()), 'in space', arrows, want)


def check_tables(asked, parts):
    """Sums of a matrix of amounts, means of one of shares: of the same matrix without groups."""
    names = {}

    def table(view):
        rows = list(csv.reader(asked.ask(f'csv {view}').splitlines()))
        return rows[0][1:], {r[0]: [float(x) if x else None for x in r[1:]] for r in rows[1:]}
    heads, folded = table('Messages')
    _, shares = table('Summary')
    asked.ask('cut')
    own_heads, own = table('Messages')
    _, own_shares = table('Summary')
    for i, name in enumerate(own_heads):
        names[name] = i
    order = {i: name for name, i in names.items()}
    tasks = list(own)
    for part, name in parts:
        members = [t for k, t in enumerate(tasks) if k in part]
        if not members:
            continue
        who = name or members[0]
        check(who in folded, who, 'is no row', list(folded))
        for column, head in enumerate(heads):
            to = [t for p, n in parts if (n or (tasks[p[0]] if p[0] < len(tasks) else '')) == head for t in (tasks[k] for k in p if k < len(tasks))]
            want = sum(own[m][names[t]] for m in members for t in to if t in names)
            check(folded[who][column] == want, who, head, folded[who][column], want)
        for column, got in enumerate(shares[who]):
            values = [own_shares[m][column] for m in members if own_shares[m][column] is not None]
            check(got is None if not values else abs(got - sum(values) / len(values)) < 1e-6, who, column, got, values)
    check(sum(map(sum, folded.values())) == sum(map(sum, own.values())), 'messages are lost in groups')
    check(len(order) == len(tasks), 'as many rows as columns')


def check_bars(asked, played, parts):
    """Sums of what is counted in seconds, and who has least and most, of the value of each task."""
    asked.ask('scene 900 3000 1 0 0 0')
    rows = list(csv.reader(asked.ask('csv Bars').splitlines()))[1:]
    own = {r[0]: float(r[2]) for r in rows}
    told = {n.split(':')[0]: n for n in (line.split('\t')[9] for line in asked.ask('items Bars 900').splitlines())}
    for tasks, name in parts:
        values = {played.ids[t]: own[played.ids[t]] for t in tasks if played.ids[t] in own}
        if not name or not values:
            continue
        amounts = re.match(r'.*: (.*), (.*) \((.*)\) to (.*) \((.*)\)$', told[name]).groups()
        for text, want in zip((amounts[0], amounts[1], amounts[3]), (sum(values.values()), min(values.values()), max(values.values()))):
            check(is_amount(text, want), told[name], text, want, values)
        check(values[amounts[2]] == min(values.values()) and values[amounts[4]] == max(values.values()), told[name], values)


def check_hand(asked, played, rand):
    """The first line that names a task counts, whether it names it or has a pattern for it."""
    said = []
    for i in range(rand.randrange(1, 8)):
        some = rand.sample(played.ids, rand.randrange(1, 5))
        said.append((f'g{i}', [rand.choice((t, t, t[:-1] + '?', t[:4] + '*' + t[-1], f't400[{rand.randrange(3)}]*', '\\' + t)) for t in some]))
    asked.ask('hand ' + '|'.join(f'{name} = {", ".join(patterns)}' for name, patterns in said))
    want = collections.defaultdict(list)
    for i, t in enumerate(played.ids):
        name = next((name for name, patterns in said if any(fnmatch.fnmatchcase(t, p.lstrip('\\')) for p in patterns)), None)
        want[name].append(i)
    parts = asked.parts('by hand')
    check({tuple(tasks) for tasks, _ in parts if len(tasks) > 1} == {tuple(t) for name, t in want.items() if name and len(t) > 1}, said, parts, want)
    for tasks, name in parts:
        check(len(tasks) == 1 or want[name.rsplit(' (', 1)[0]] == tasks, said, name, tasks)


def check_random(folder):
    for seed in range(3):
        rand = random.Random(seed)
        trace, n = os.path.join(folder, f's{seed}.trace'), rand.randrange(13, 41)
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(n), '--events', str(60 * n), '--seed', str(seed), '-o', trace], check=True)
        played = Played(trace)
        hosts = list(dict.fromkeys(played.hosts))
        os.makedirs(os.path.join(folder, str(seed)))
        asked = Asked(QUERY, trace, os.path.join(folder, str(seed)), PROGRAM)
        for _ in range(4):
            cut = random_cut(rand, hosts)
            parts = asked.parts(cut)
            check_tree(played, parts, cut)
            check_rows(asked, played, parts, rand, rand.randrange(500, 1400))
            check_graph(asked, played, parts, rand.randrange(played.trace.first, played.last))
            asked.ask(f'at {played.last - rand.randrange((played.last - played.trace.first) // 3)}')
            check_bars(asked, played, asked.parts(cut))
            check_tables(asked, asked.parts(cut))
        for most in (1, 2, len(hosts), len(hosts) + 3, n, 3 * n):
            parts = asked.parts(f'by host|parts {most}')
            check(len(hosts) <= len(parts) <= max(most, len(hosts)), most, 'parts were asked for, there are', len(parts))
            check(sorted(t for tasks, _ in parts for t in tasks) == list(range(n)), 'a task is lost', parts)
        for _ in range(5):
            check_hand(asked, played, rand)
        blocks = asked.parts('by blocks')
        check([len(tasks) for tasks, _ in blocks] == [16] * (n // 16) + [n % 16] * (n % 16 > 0), blocks)
        check(asked.parts('by behaviour') == asked.parts('by behaviour'), 'clusters hang on chance')
        asked.end()


PAJE = """%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeCreateContainer 2
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeSetState 3
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
0 T 0 "Task"
1 S T "State"
"""
WAYS = ((('Work', 0.9), ('Wait', 0.1)), (('Wait', 0.6), ('Work', 0.4)), None)       # None: works, and sleeps from the middle on


def check_behaviour(folder):
    """Tasks that do nearly the same are put together, whatever their order; the group is named after one of them."""
    rand = random.Random(6)
    ways = [rand.randrange(3) for _ in range(3)] + [0, 1, 2] * 5
    rand.shuffle(ways)
    lines = []
    for i, way in enumerate(ways):
        lines.append((0.0, 0, f'2 0 c{i:02} T 0 "t{i}"'))
        for k in range(20):
            at = k
            for state, long in WAYS[way] or [('Work' if k < 10 else 'Sleep', 1)]:
                lines.append((at, 1, f'3 {at:.3f} S c{i:02} "{state}"'))
                at += long * rand.uniform(0.98, 1.02)
    path, where = os.path.join(folder, 'ways.paje'), os.path.join(folder, 'ways')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(PAJE + ''.join(line + '\n' for *_, line in sorted(lines)))
    os.makedirs(where)
    asked = Asked(QUERY, path, where, PROGRAM.replace('tapepvm-reader', 'paje-reader').replace('pvm-simulator', 'calls-simulator'))
    parts = asked.parts('by behaviour')
    asked.end()
    want = sorted([i for i, way in enumerate(ways) if way == w] for w in range(3))
    check(sorted(sorted(tasks) for tasks, _ in parts) == want, parts, want)
    for tasks, name in parts:
        check(any(re.search(rf'\bt{i}\b', name) for i in tasks), name, 'is none of', tasks)


def check_names(folder):
    """Names in which commas and brackets stand; two of one name, with threads inside of them."""
    path, where = os.path.join(folder, 'names.paje'), os.path.join(folder, 'names')
    lines = ['0 U T "Thread"']
    for i in range(2):
        lines.append(f'2 0 c{i} T 0 "proc"')
        lines += [f'2 0 c{i}{k} U c{i} "{name} {i}"' for k, name in enumerate(('lane [0]', 'a, b'))]
    with open(path, 'w', encoding='utf-8') as f:
        f.write(PAJE + '\n'.join(lines) + '\n1 V U "State"\n3 1 V c00 "Work"\n3 2 V c00 "Rest"\n')
    os.makedirs(where)
    asked = Asked(QUERY, path, where, PROGRAM.replace('tapepvm-reader', 'paje-reader').replace('pvm-simulator', 'calls-simulator'))
    inside = asked.parts('by inside')
    asked.ask('hand lanes = lane \\[0\\] 0, lane \\[0\\] 1|others = a\\, b ?')
    hand = asked.parts('by hand')
    asked.end()
    check(sorted(n for _, n in inside) == ['proc (3)', 'proc (c1) (3)'], inside)
    check([(len(t), n) for t, n in hand if n] == [(2, 'lanes (2)'), (2, 'others (2)')], hand)


def check_bad(folder):
    trace = os.path.join(ROOT, 'traces', 'fft2d-s16.trace')
    out = os.path.join(folder, 'x.svg')

    def draw(*words, trace=trace):
        return subprocess.run([SCOPE, 'draw', trace, '--view', 'Space-time', '-o', out, *words], capture_output=True, text=True, timeout=60)
    for words, says in ((('--hierarchy', 'hosts'), 'there is no hierarchy “hosts”'), (('--hierarchy', 'host', '--open', 'moon'), 'no group is called moon'),
                        (('--hierarchy', 'hand'), 'no group was made by hand yet'), (('--parts', '-3'), 'is no number of parts')):
        done = draw(*words)
        check(done.returncode in (1, 2) and says in done.stderr, words, done.returncode, done.stderr)
    done = draw('--hierarchy', 'host', '--open', 'all')
    check(done.returncode == 0, done.stderr)
    with open(out, encoding='utf-8') as f:
        check('<svg' in f.read(200), 'no picture')
    done = draw('--hierarchy', 'type')
    check(done.returncode == 1 and 'the trace does not tell of which types its tasks are' in done.stderr, done.returncode, done.stderr)
    many = os.path.join(folder, 's0.trace')
    n_hosts = len(set(Played(many).hosts))
    check(n_hosts > 1, 'one host')
    done = draw('--hierarchy', 'host', '--parts', '1', trace=many)
    check(done.returncode == 0 and f'there are {n_hosts} parts by host even when all groups are closed, more than 1' in done.stderr, done.stderr)
    done = draw('--hierarchy', 'host', '--parts', str(n_hosts), trace=many)
    check(done.returncode == 0 and 'parts' not in done.stderr, done.stderr)
    own = shutil.copytree(trace, os.path.join(folder, 'own.trace'))
    hand = os.path.join(own, 'task-groups')
    with open(hand, 'w', encoding='utf-8') as f:
        f.write('everyone = *\n')
    done = draw('--hierarchy', 'hand', trace=own)
    check(done.returncode == 0, done.stderr)
    with open(hand, 'w', encoding='utf-8') as f:
        f.write(f'long = {"*" * 1024}, {"?" * 5000}\nshort = {"*" * 1023}\n')
    done = draw('--hierarchy', 'hand', trace=own)
    check(done.returncode == 1 and 'of the groups by hand 2 patterns' in done.stderr and 'longer than names' in done.stderr, done.stderr)
    os.remove(hand)
    os.mkdir(hand)
    done = draw('--hierarchy', 'hand', trace=own)
    check(done.returncode in (1, 2) and 'groups by hand are not read' in done.stderr and 'task-groups' in done.stderr, done.returncode, done.stderr)


def check_thin(folder):
    """More rows than lines of pixels, which several threads draw: the picture is the same each time."""
    path, n = os.path.join(folder, 'thin.paje'), 1500
    with open(path, 'w', encoding='utf-8') as f:
        f.write(PAJE + '0 U T "Thread"\n' + ''.join(f'2 0 p{i} T 0 "p{i}"\n2 0 c{i} U p{i} "t{i}"\n' for i in range(n)) + '1 V U "State"\n')
        for date in range(1, 9):
            f.write(''.join(f'3 {date} V c{i} "{("Work", "Rest", "Talk")[(i + date) % 3]}"\n' for i in range(n)))
    seen = set()
    for _ in range(6):
        picture = os.path.join(folder, 'thin.png')
        done = subprocess.run([SCOPE, 'draw', path, '--film', os.path.join(folder, 'thin.film'), '--view', 'Space-time', '--hierarchy', 'inside', '--open',
                               'all', '--size', '500x300', '-o', picture], capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, done.stderr)
        with open(picture, 'rb') as f:
            seen.add(f.read())
    check(len(seen) == 1, len(seen), 'pictures of the same')


def check_deep(folder):
    """Rooms in rooms: of those in more than 16 others it is told that they do not stand below the outermost."""
    for levels, deeper in ((17, 0), (18, 1), (20, 3)):                 # the outermost is in none
        path = os.path.join(folder, f'deep{levels}.paje')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(PAJE)
            for i in range(levels):
                f.write(f'0 T{i} {f"T{i - 1}" if i else 0} "T{i}"\n')
            for i in range(levels):
                f.write(f'2 0 c{i} T{i} {f"c{i - 1}" if i else 0} "room {i}"\n')
            f.write(f'1 V T{levels - 1} "State"\n3 1 V c{levels - 1} "Work"\n3 2 V c{levels - 1} "Rest"\n')
        done = subprocess.run([SCOPE, 'draw', path, '--view', 'Space-time', '--hierarchy', 'inside', '-o', os.path.join(folder, 'deep.svg')],
                              capture_output=True, text=True, timeout=60)
        told = f'{deeper} task{"s are" if deeper > 1 else " is"} inside of more than 16 others'
        check(done.returncode == 0 and (told in done.stderr if deeper else 'inside of more' not in done.stderr), levels, done.returncode, done.stderr)


with tempfile.TemporaryDirectory() as where:
    os.environ['XDG_CACHE_HOME'] = os.environ['XDG_DATA_HOME'] = os.environ['XDG_CONFIG_HOME'] = where
    check_random(where)
    check_calls(where)
    check_behaviour(where)
    check_names(where)
    check_bad(where)
    check_deep(where)
    check_thin(where)
check(pixels > 20, 'only', pixels, 'shares of pixels were looked at')
print(f'{checks} checks')
