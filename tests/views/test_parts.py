#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gauges, rays, points and grids of groups that are closed, at random cuts and instants: what cells say of states and
percentages beside what the model of tests/model counts in the raw file; means and extremes of values beside how long each
receive of that file took, and how much its tasks worked; and one task of 100 000 that does something else, which is seen.

usage: test_parts.py QUERY SCOPE SOURCE-ROOT [SEED]"""
import collections
import csv
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import zlib

QUERY, SCOPE, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
SEED = int(sys.argv[4] if len(sys.argv) > 4 else os.environ.get('SCOPE_SEED', '15'), 0)
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import pvm
import raw
from asked import Asked
from played import Played

PROGRAM = """<eve version="1"><title>Parts</title>
  <component name="Reader" class="scope.tapepvm-reader" version="1"/><component name="Simulator" class="scope.pvm-simulator" version="1"/>
  <component name="Waiting" class="scope.waiting-times" version="1"/>
  <component name="Gauge" class="scope.gauge" version="1"/><component name="Rays" class="scope.radial" version="1"/>
  <component name="Points" class="scope.scatter" version="2"/><component name="Share" class="scope.activity" version="1"/>
  <component name="Grid" class="scope.status-grid" version="1"/>
  <component name="Large" class="scope.value-panel" version="1"/>
  <component name="Now" class="scope.state-table" version="1"/><component name="Table" class="scope.table-view" version="1"/>
  <wire from="Simulator" out="states" to="Now" in="states"/><wire from="Now" out="table" to="Table" in="table"/>
  <component name="Pairs" class="scope.scatter-matrix" version="1"><setting name="columns">PercentIdle, PercentBusy</setting></component>
  <wire from="Now" out="table" to="Pairs" in="table"/><wire from="Waiting" out="dated" to="Large" in="value"/>
  <component name="Idle" class="scope.status-grid" version="1"><setting name="shows">PercentIdle</setting></component>
  <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Reader" out="events" to="Waiting" in="events"/>
  <wire from="Waiting" out="dated" to="Gauge" in="value"/><wire from="Waiting" out="dated" to="Rays" in="value"/>
  <wire from="Waiting" out="dated" to="Points" in="x"/><wire from="Simulator" out="states" to="Share" in="states"/>
  <wire from="Share" out="share" to="Points" in="y"/>
  <component name="Cloud" class="scope.scene" version="1"><setting name="builder">scatter</setting></component>
  <wire from="Waiting" out="dated" to="Cloud" in="x"/><wire from="Share" out="share" to="Cloud" in="y"/><wire from="Waiting" out="dated" to="Cloud" in="z"/>
  <wire from="Simulator" out="states" to="Grid" in="states"/><wire from="Simulator" out="states" to="Idle" in="states"/></eve>"""
UNITS = {'s': 1, 'ms': 1e-3, 'µs': 1e-6, 'ns': 1e-9, '%': 1}
checks = 0


def check(right, *what):
    global checks
    checks += 1
    if not right:
        sys.exit(f'FAILED (seed {SEED}): ' + ' '.join(str(w) for w in what))


TENTHS = 0.05  # so far a percentage of the model, which is rounded to tenths, and the mean of such, are from what they stand for


def is_amount(text, want, scale=1, off=0):
    """As near as its digits tell, and `off`."""
    number, unit = re.fullmatch(r'([-\d.,\u202f]+)[\u2009 ](\S+)', text).groups()
    number = number.replace('\u202f', '').replace(',', '')
    digits = len(number.split('.')[1]) if '.' in number else 0
    return abs(float(number) * UNITS[unit] - want * scale) <= 0.51 * UNITS[unit] / 10**digits + off


def values_of(asked, view, column):
    """What each task has, by id."""
    rows = list(csv.reader(asked.ask(f'csv {view}').splitlines()))
    at = next(i for i, head in enumerate(rows[0]) if head.startswith(column))
    return {r[0]: float(r[at]) for r in rows[1:] if r[at] not in ('', 'nan')}


def summary(values):
    return sum(values) / len(values), min(values), max(values)


class Told:
    """What tasks have by the raw file: how long each of their receives took, and which share of the time they worked."""

    STEPS = 16

    def __init__(self, trace):
        self.trace, self.played = trace, Played(trace)
        self.ends = [(e.date, e.task, e.duration / trace.ticks) for e in trace.events if e.end and e.kind in ('Recv', 'PRecv', 'TRecv', 'NRecv')]

    def waits(self, at):
        """By id, in the order in which they end."""
        got = {}
        for date, task, seconds in self.ends:
            if date <= at:
                got.setdefault(self.trace.tasks[task].id, []).append(seconds)
        return got

    def works(self, at):
        """By id, of the last tenth of the execution, which is looked at in sixteenths."""
        played, trace = self.played, self.trace
        step = max(math.ceil((trace.last - trace.first) / 10 / self.STEPS), 1)
        begin = trace.first + max((at - trace.first) // step - self.STEPS, 0) * step
        return {trace.tasks[n].id: 100 * played.worked(n, begin, at) / (at - begin) for n, changes in played.states.items() if changes[0][0] <= at}


def check_same(what, got, want):
    check(got.keys() == want.keys(), what, sorted(got.keys() ^ want.keys()))
    for task, value in want.items():
        check(math.isclose(got[task], value, rel_tol=1e-9, abs_tol=1e-6 if what == 'share' else 1e-9), what, task, got[task], value)


def check_values(asked, told_by_file, ids, parts, at):
    """A row, a ray or a point for each group that has values: its mean, and the least and the most."""
    asked.ask('scene 900 3000 1 0 0 0')
    waits, y = told_by_file.waits(at), told_by_file.works(at)
    x = own = {task: times[-1] for task, times in waits.items()}
    both = own.keys() & y.keys()
    check_same('gauge', values_of(asked, 'Gauge', 'value'), own)
    check_same('wait', values_of(asked, 'Points', 'x'), {task: own[task] for task in both})
    check_same('share', values_of(asked, 'Points', 'y'), {task: y[task] for task in both})
    told = {view: {n.split(':')[0]: n for n in asked.names(view, 900)} for view in ('Gauge', 'Rays', 'Points', 'Large', 'Cloud')}
    for tasks, name in parts:
        values = [own[ids[t]] for t in tasks if ids[t] in own]
        both = [(x[ids[t]], y[ids[t]]) for t in tasks if ids[t] in x and ids[t] in y]
        if not name or not values:
            continue
        mean, least, most = summary(values)
        check(told['Large'].get(name) == told['Gauge'][name], told['Large'].get(name), told['Gauge'][name])
        got = re.match(r'.*?: (.*?), (.*?) \((\S+)\) to (.*?) \((\S+)\)$', told['Gauge'][name]).groups()
        check(is_amount(got[0], mean) and is_amount(got[1], least) and is_amount(got[3], most), told['Gauge'][name], mean, least, most)
        check(own[got[2]] == least and own[got[4]] == most, 'who has least and most', told['Gauge'][name])
        got = re.match(r'.*?: (?:mean )?(.*?), least (.*?), most (.*)$', told['Rays'][name]).groups()
        ever = [wait for t in tasks for wait in waits.get(ids[t], ())]  # of a ray, that any of them has ever been
        check(is_amount(got[0], mean) and is_amount(got[1], min(ever)) and is_amount(got[2], max(ever)), told['Rays'][name], mean, min(ever), max(ever))
        if not both:
            continue
        got = re.match(r'.*?: (.*?), (.*?) to (.*?), (.*?), (.*?) to (.*)$', told['Points'][name]).groups()
        for texts, of in ((got[:3], [b[0] for b in both]), (got[3:], [b[1] for b in both])):
            check(all(is_amount(text, want) for text, want in zip(texts, summary(of))), told['Points'][name], summary(of))
        got = re.match(r'.*?: x (.*?), (.*?) to (.*?), y (.*?), (.*?) to (.*?), z (.*?), (.*?) to (.*)$', told['Cloud'][name]).groups()
        for texts, of in zip((got[:3], got[3:6], got[6:]), ([b[0] for b in both], [b[1] for b in both], [b[0] for b in both])):
            check(all(is_amount(text, want) for text, want in zip(texts, summary(of))), told['Cloud'][name], summary(of))
    stand = {name or ids[tasks[0]] for tasks, name in parts if any(ids[t] in x and ids[t] in y for t in tasks)}
    check(set(told['Cloud']) - {'State'} == stand, 'in space', sorted(told['Cloud']), stand)
    drawn = [n for n in told['Gauge'] if ' (' in n]
    check(len(drawn) == len({name for tasks, name in parts if name and any(ids[t] in own for t in tasks)}), 'other groups than there are', drawn)


def check_cells(asked, trace, ids, parts, at):
    """A cell for each group: how many of its tasks are in each state, and their mean share of idleness; a row of a table, and a
    dot for each pair of its columns, with means, least and most."""
    model = pvm.Pvm(trace)
    for e in trace.events:
        if e.date <= at:
            model.step(e)
    nodes = {n['id']: n for n in model.state(at)['nodes']}
    asked.ask(f'at {at}')
    asked.ask('scene 1000 800 1 0 0 0')
    told = {view: {n.split(':')[0]: n for n in asked.names(view, 900)} for view in ('Grid', 'Idle')}
    rows = {re.match(r'task (.*?), Clock ', n)[1]: n for n in asked.names('Table', 900) if n.startswith('task ')}
    there = [(t, name) for t, name in parts if any(ids[k] in nodes for k in t)]
    check(len(rows) == len(there), 'rows of the table', len(rows), sorted(rows))
    pairs = {n.split(':')[0]: n for n in asked.names('Pairs', 900) if ': PercentIdle' in n}
    check(set(pairs) == {name or ids[t[0]] for t, name in there}, sorted(pairs), there)
    for tasks, name in parts:
        there = [nodes[ids[t]] for t in tasks if ids[t] in nodes]
        if not name:
            continue
        states = collections.Counter(n['State'] for n in there)
        got = dict((b, int(a)) for a, b in re.findall(r'(\d+) (\w+)', told['Grid'][name].split(': ', 1)[1]))
        check(got == states, told['Grid'][name], states)
        if there:
            row, shares = rows[name], [float(n['PercentIdle']) for n in there]
            got = re.search(r'PercentIdle ([^,]*?)(?: \((.*?) \u2013 (.*?)\))?(?:,|$)', row).groups()
            for one, want in zip(got if got[1] else got[:1], summary(shares)):
                check(is_amount(one, want, off=TENTHS), row, one, want)
            most = states.most_common()
            texts = re.search(r' State (.*?), [A-Z]\w+ ', row)[1]
            check(texts == most[0][0] if len(most) == 1 else f'{most[0][0]} \u00d7{most[0][1]}' in row or most[0][1] == most[1][1], row, states)
            dot = re.match(r'.*?: PercentIdle ([^,]*?)(?:, ([^,]*?) to ([^,]*?))?, PercentBusy ([^,]*?)(?:, ([^,]*?) to ([^,]*?))?$', pairs[name])
            check(dot is not None, pairs[name])
            for got, values in ((dot.groups()[:3], shares), (dot.groups()[3:], [float(n['PercentBusy']) for n in there])):
                check((got[1] is None) == (min(values) == max(values)) or max(values) - min(values) < 2 * TENTHS, pairs[name], values)
                for one, want in zip(got if got[1] else got[:1], summary(values)):
                    check(is_amount(one, want, off=TENTHS), pairs[name], one, want)
            text = re.match(r'.*?: (.*?), (.*?) \(\S+\) to (.*?) \(\S+\)$', told['Idle'][name])
            check(text is not None, told['Idle'][name], [n['PercentIdle'] for n in there])
            for one, want in zip(text.groups(), summary([float(n['PercentIdle']) for n in there])):
                check(is_amount(one, want, off=TENTHS), told['Idle'][name], one, want)


def check_random(folder):
    for seed in range(SEED, SEED + 2):
        rand, where = random.Random(seed), os.path.join(folder, str(seed))
        path, n = os.path.join(folder, f's{seed}.trace'), rand.randrange(13, 41)
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(n), '--events', str(60 * n), '--seed', str(seed), '-o', path], check=True)
        trace = raw.read(path)
        told = Told(trace)
        ids = [t.id for t in trace.tasks.values()]
        os.makedirs(where)
        asked = Asked(QUERY, path, where, PROGRAM)
        for _ in range(4):
            hosts = [name.rsplit(' (', 1)[0] for _, name in asked.parts('by host') if name]
            parts = asked.parts('|'.join(['by host', *(f'open {h}' for h in hosts if rand.random() < 0.3)]))
            at = rand.randrange(trace.first + (trace.last - trace.first) // 2, trace.last)
            check_cells(asked, trace, ids, parts, at)
            check_values(asked, told, ids, parts, at)
        asked.end()


PARTNERS = """<eve version="1"><title>Partners</title>
  <component name="Reader" class="scope.tape-reader" version="1"/><component name="Simulator" class="scope.ouf-simulator" version="1"/>
  <component name="Waits" class="scope.wait-states" version="3"/><component name="Table" class="scope.table-view" version="1"/>
  <component name="Activity" class="scope.activity" version="1"/><component name="Rays" class="scope.radial" version="1"/>
  <wire from="Reader" out="events" to="Waits" in="events"/><wire from="Waits" out="tasks" to="Table" in="table"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Simulator" out="states" to="Activity" in="states"/>
  <wire from="Activity" out="share" to="Rays" in="value"/></eve>"""


def check_partners(folder, rand):
    """A task whose row names whom it waited for is of its group all the same."""
    path, where, folded = os.path.join(ROOT, 'traces', 'pipeline.trace'), os.path.join(folder, 'partners'), 0
    info = json.loads(subprocess.run([SCOPE, 'info', '--json', path], capture_output=True, check=True).stdout)
    names, hosts = [t['id'] for t in info['tasks']], sorted({t['host'] for t in info['tasks']})
    os.makedirs(where)
    asked = Asked(QUERY, path, where, PARTNERS)
    for opened in ([], hosts[:1], hosts[1:], []):
        parts = asked.parts('|'.join(['by host', *(f'open {h}' for h in opened)]))
        first, last = (round(info[k] * info['ticks_per_second']) for k in ('first', 'last'))
        at = rand.randrange(first + (last - first) // 8, last)
        asked.ask(f'at {at}')
        asked.ask('scene 1600 800 1 0 0 0')
        table = {row['task']: row for row in csv.DictReader(asked.ask('csv Table').splitlines())}
        rows = {re.match(r'task (.*?), computing ', n)[1]: n for n in asked.names('Table', 900) if n.startswith('task ')}
        check(set(rows) == {name or names[tasks[0]] for tasks, name in parts if any(names[t] in table for t in tasks)}, sorted(rows), parts, at)
        for tasks, name in parts:
            own = [table[names[t]] for t in tasks if names[t] in table]
            if not name or not own:
                continue
            folded += len([row for row in own if row['mostly for']])
            for column in ('computing', 'waiting', 'waited for'):
                want = summary([float(row[column + ' [s]']) for row in own])
                got = re.search(rf', {column} ([^,]*?)(?: \((.*?) \u2013 (.*?)\))?,', rows[name]).groups()
                for text, value in zip(got if got[1] else got[:1], want):
                    check(is_amount(text, value), rows[name], column, text, want, at)
            met = collections.Counter(row['mostly for'] for row in own if row['mostly for'])
            text = re.search(r', mostly for (.*?), for that one ', rows[name])[1]
            if len(met) == 1 and sum(met.values()) == len(own):
                check(text == next(iter(met)), text, met)
            else:
                got = {who: int(n) for who, n in re.findall(r'(\w+) \u00d7(\d+)', text)}
                check(got.items() <= met.items() and len(got) == min(len(met), 3) and sorted(got.values()) == sorted(met.values())[-3:], text, met, at)
    check(folded > 8, 'hardly a task had a partner:', folded)
    asked.end()


def colours_of(path):
    """How many pixels have each colour, of a PNG of 8 bits a channel without interlace."""
    with open(path, 'rb') as f:
        data = f.read()
    at, packed, wide, high, channels = 8, b'', 0, 0, 0
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4], 'big'), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        if kind == b'IHDR':
            wide, high, channels = int.from_bytes(body[:4], 'big'), int.from_bytes(body[4:8], 'big'), {2: 3, 6: 4}[body[9]]
        packed += body if kind == b'IDAT' else b''
        at += 12 + length
    raw_bytes, stride, before, counts = zlib.decompress(packed), wide * channels, None, collections.Counter()
    for y in range(high):
        kind, line = raw_bytes[y * (stride + 1)], bytearray(raw_bytes[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        before = before or bytearray(stride)
        for i in range(stride if kind else 0):
            left, up, corner = line[i - channels] if i >= channels else 0, before[i], before[i - channels] if i >= channels else 0
            if kind == 4:
                by = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
            else:
                by = (0, left, up, (left + up) // 2)[kind]
            line[i] = (line[i] + by) & 255
        for i in range(0, stride, channels):
            counts[bytes(line[i:i + 3])] += 1
        before = line
    return counts


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


def check_odd(folder, rand):
    """Of 100 000 tasks in two closed groups one does something else: its colour is in the picture."""
    n, counts = 100000, {'Grid': [], 'Inside': []}
    odd = rand.randrange(n)
    for name in ('odd', 'even'):
        path = os.path.join(folder, name + '.paje')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(PAJE + ''.join(f'2 0 c{i} T 0 "t{i}"\n' for i in range(n)) + '3 1 S c0 "Else"\n')
            f.writelines(f'3 {1.5 if i == 0 else 1} S c{i} "{"Else" if i == odd and name == "odd" else "Work"}"\n' for i in range(1, n))
            f.write('3 1.5 S c0 "Work"\n3 2 S c0 "Work"\n')
        program = os.path.join(folder, 'odd.eve')
        with open(program, 'w', encoding='utf-8') as f:
            f.write("""<eve version="1"><title>Odd</title><component name="Reader" class="scope.paje-reader" version="1"/>
              <component name="Simulator" class="scope.calls-simulator" version="1"/><component name="Grid" class="scope.status-grid" version="1"/>
              <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Simulator" out="states" to="Grid" in="states"/>
              <component name="Inside" class="scope.call-timeline" version="1"/><wire from="Simulator" out="calls" to="Inside" in="calls"/></eve>""")
        for view, own in counts.items():
            picture = os.path.join(folder, name + '.png')
            done = subprocess.run([SCOPE, 'draw', path, '--program', program, '--view', view, '--hierarchy', 'blocks', '--at', '1.9', '--size', '300x200',
                                   '--from', '1.6', '--to', '1.9', '-o', picture], capture_output=True, text=True, timeout=120)
            check(done.returncode == 0, done.stderr)
            own.append(colours_of(picture))
    for view, (odd_one, even) in counts.items():
        seen = max((k for colour, k in odd_one.items() if colour not in even), default=0)
        check(seen >= 60, view, 'does not show the one that does something else:', seen, 'pixels')


with tempfile.TemporaryDirectory() as where:
    os.environ['XDG_CACHE_HOME'] = os.environ['XDG_DATA_HOME'] = os.environ['XDG_CONFIG_HOME'] = os.path.join(where, 'home')
    check_random(where)
    check_partners(where, random.Random(SEED))
    check_odd(where, random.Random(SEED))
print(f'{checks} checks')
