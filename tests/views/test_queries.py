#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What views answer without a window (csv, items, inspect, find), at random instants, windows and sizes, beside a second
computation from the raw files: the model of tests/model, played event by event.

usage: test_queries.py QUERY SCOPE SOURCE_FOLDER"""
import bisect
import csv
import io
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

QUERY, SCOPE, ROOT = sys.argv[1:4]
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import pvm
import state
import raw
from make import write_pvm

PROGRAM = """<eve version="1"><title>Views</title>
  <component name="Reader" class="scope.tapepvm-reader" version="1"/><component name="Simulator" class="scope.pvm-simulator" version="1"/>
  <component name="Space-time" class="scope.space-time" version="1"/><component name="State graph" class="scope.state-graph" version="1"/>
  <component name="Trace text" class="scope.trace-text" version="1"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Reader" out="events" to="Trace text" in="events"/>
  <wire from="Simulator" out="states" to="Space-time" in="states"/><wire from="Simulator" out="messages" to="Space-time" in="messages"/>
  <wire from="Simulator" out="messages" to="State graph" in="messages"/></eve>"""
checks = 0


def same(what, got, want):
    global checks
    checks += 1
    if got != want:
        sys.exit(f'FAILED: {what}: {got!r}, not {want!r}')


class Played(pvm.Pvm):
    """Keeps every state that a task was in, and every message that was received."""

    def __init__(self, trace):
        super().__init__(trace)
        self.lives, self.received, self.sends = {}, [], {}
        for event in trace.events:
            self.event = event
            self.step(event)
        self.lives = {task: [(a, s) for i, (a, s) in enumerate(told) if i + 1 == len(told) or told[i + 1][0] > a]
                      for task, told in self.lives.items()}  # of one date the last

    def look_at_task(self, person):
        super().look_at_task(person)
        told = self.lives.setdefault(person.number, [])
        if not told or told[-1][1] != person.seen.state:
            told.append((self.clock, person.seen.state))

    def arrive(self, event, to):
        super().arrive(event, to)
        for message in self.wires[event.task, to].messages if (event.task, to) in self.wires else []:
            self.sends.setdefault(id(message), (message, event.date - max(event.duration, 0)))

    def end_receive(self, receive, size):
        wire, before = receive.link, list(receive.link.messages)
        n, total = wire.received, wire.total
        super().end_receive(receive, size)
        if wire.received > n:
            gone = [m for m in before if m not in wire.messages]
            sent = self.sends[id(gone[0])][1] if gone else None  # None: before the end of its send was told
            self.received.append((self.clock, sent, wire.origin, wire.destination, wire.total - total, self.event.fields['tag']))

    def intervals(self, task, begin, end):
        """(from, to, state) that touch [begin, end)"""
        told = self.lives.get(task, [])
        ends = [b[0] for b in told[1:]] + [self.trace.last]
        return merged([(a, b, s) for (a, s), b in zip(told, ends) if b > a and b > begin and a < end])

    def state_at(self, task, date):
        told = self.lives.get(task, [])
        i = bisect.bisect_right(told, (date, '\uffff')) - 1
        return told[i][1] if i >= 0 else None


def merged(intervals):
    """Stays in one state that follow each other, for a moment in another one between, are one."""
    found = []
    for a, b, s in intervals:
        if found and found[-1][1:] == (a, s):
            found[-1] = (found[-1][0], b, s)
        else:
            found.append((a, b, s))
    return found


class Views:
    """A running query program."""

    def __init__(self, path, folder):
        os.makedirs(folder)
        program = os.path.join(folder, 'program.eve')
        with open(program, 'w') as f:
            f.write(PROGRAM)
        self.process = subprocess.Popen([QUERY, path, program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line):
        self.process.stdin.write(line.encode() + b'\n')
        self.process.stdin.flush()
        length = self.process.stdout.readline()
        if not length:
            sys.exit(f'FAILED: no answer to {line!r}')
        return self.process.stdout.read(int(length)).decode()

    def items(self, line):
        names = ('x', 'y', 'width', 'height', 'task', 'peer', 'from', 'to', 'number', 'name')
        return [dict(zip(names, row.split('\t'))) for row in self.ask(line).splitlines() if row.count('\t') >= 9]

    def end(self):
        self.process.stdin.close()
        same('the program that was asked ends', self.process.wait(), 0)


def ticks(text, trace):
    whole, _, part = text.partition('.')
    return int(whole) * trace.ticks + int((part + '000000000')[:9]) * trace.ticks // 10**9


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def check_space_time(name, views, played, begin, end):
    """Every interval and message of the window, from and to, as the events tell them."""
    t = played.trace
    rows = rows_of(views.ask('csv Space-time'))
    got, want = {}, {}
    for row in rows:
        if row['kind'] == 'state':
            got.setdefault(row['task'], []).append((ticks(row['from_s'], t), ticks(row['to_s'], t), row['state']))
    for number, task in t.tasks.items():
        intervals = played.intervals(number, begin, end)
        if intervals:
            want[task.id] = intervals
    same(f'{name}: tasks in [{begin}, {end})', sorted(got), sorted(want))
    for task in want:
        same(f'{name}: states of {task} in [{begin}, {end})', merged(got[task]), want[task])
    got = sorted((ticks(r['to_s'], t), r['task'], r['to_task'], int(r['bytes']), int(r['tag'])) for r in rows if r['kind'] == 'message')
    sent = {(ticks(r['to_s'], t), r['task'], r['to_task'], ticks(r['from_s'], t)) for r in rows if r['kind'] == 'message'}
    inside = [m for m in played.received if m[0] >= begin and (m[1] is not None and m[1] < end or m[1] is None and m[0] < end)]
    unknown = [m for m in played.received if m[1] is None]
    told = sorted((m[0], t.tasks[m[2]].id, t.tasks[m[3]].id, m[4], m[5]) for m in inside)
    if not unknown:
        same(f'{name}: messages in [{begin}, {end})', got, told)
        same(f'{name}: dates of sending in [{begin}, {end})', sent,
             {(m[0], t.tasks[m[2]].id, t.tasks[m[3]].id, m[1]) for m in inside})
    else:  # the program knows of some when their send began, as their sender still was inside it
        missing = [m for m in told if m not in got]
        same(f'{name}: messages in [{begin}, {end})', missing, [])


def check_points(name, views, played, rand, begin, end):
    """What is under a point is the state that the task is in at that date, and since when."""
    t = played.trace
    numbers = list(t.tasks)
    items = [i for i in views.items('items Space-time 100000') if i['task'] != '-1']
    rows = {i['task']: i for i in items if int(i['from']) <= begin and int(i['to']) >= end and float(i['width']) > 100}
    for row in rand.sample(list(rows.values()), min(len(rows), 4)):
        for _ in range(4):
            x = float(row['x']) + rand.random() * float(row['width'])
            y = float(row['y']) + float(row['height']) / 2
            answer = views.ask(f'inspect Space-time {x!r} {y!r}')
            if not answer:
                continue
            told = answer.splitlines()[0].split('\t')
            said = re.search(r' · (\w+) since ', told[9])
            date = begin + round((x - float(row['x'])) * (end - begin) / float(row['width']))
            task = by_number(played, int(told[4]))
            near = {played.state_at(task, d) for d in (date - 1, date, date + 1)}
            if said is not None and said[1] not in near:
                sys.exit(f'FAILED: {name}: at {date} {t.tasks[task].id} is said to be {said[1]}, and is {near}')
            if said is not None and int(told[6]) not in [a for a, s in played.lives[task] if s == said[1]]:
                sys.exit(f'FAILED: {name}: {t.tasks[task].id} is {said[1]} since {told[6]}: {played.intervals(task, date - 2, date + 2)}')
            same(f'{name}: a point', True, True)


def check_head(name, views, played, begin, end, whole):
    """What the first line says: shares of the time that the shown tasks live in the window, and their messages."""
    t = played.trace
    width, shown = 1600, t.tasks
    views.ask('draw Space-time')
    answer = views.ask(f'inspect Space-time {width // 2} 12').splitlines()
    if not answer:
        return
    note, told = answer[0].split('\t')[9], dict(line.split('\t') for line in answer[1:])
    spent = {}
    for number in shown:
        for a, b, s in played.intervals(number, begin, end):
            spent[s] = spent.get(s, 0) + min(b, end) - max(a, begin)
    spent.pop('Dead', None)
    for s, share in told.items():
        want = 100 * spent.get(s, 0) / max(sum(spent.values()), 1)
        same(f'{name}: share of {s} in [{begin}, {end})', abs(float(share.split('\u2009')[0]) - want) <= 0.3, True)
    heard = [m for m in played.received if begin <= m[0] < end + whole]
    number = re.match(r'([\d\u2009\u202f ]+) messages?,', note)
    if 'bundle' in note and number:
        same(f'{name}: messages of {note!r}', int(re.sub(r'\D', '', number[1])), len(heard))


def by_number(played, number):
    """The raw number of the trace's n-th task: the order in which events speak of them."""
    return played.order[number]


def order_of_tasks(path):
    info = json.loads(subprocess.run([SCOPE, 'info', path, '--json'], capture_output=True, text=True, check=True).stdout)
    return [int(task['id'][1:], 16) for task in info['tasks']]


def check_state_graph(name, views, played, at):
    """The table of the graph at an instant is the state of the model there."""
    t, model = played.trace, pvm.Pvm(played.trace)
    for event in t.events:
        if event.date > at:
            break
        model.step(event)
    views.ask(f'at {at}')
    theirs = {'nodes': [], 'edges': [], 'graph': {'Clock': format(state.seconds(model.clock or 0, t.ticks), 'f')}}
    for row in rows_of(views.ask('csv State_graph')):
        node = row['kind'] == 'node'
        part = 'node.' if node else 'link.'
        o = {key[5:]: value for key, value in row.items() if key.startswith(part)}
        o['id'] = row['id']
        if not node:
            o['from'], o['to'] = row['id'].split('->')
        theirs['nodes' if node else 'edges'].append(o)
    mine = model.state(at)
    for o in mine['nodes']:
        o.setdefault('id', o['Name'])
    same(f'{name}: the graph at {at}', state.differences(mine, theirs, t.ticks), [])


def check_find(name, views, sentences, kinds, rand):
    """Searching a text forth and back stops where reading all of it does."""
    for _ in range(6):
        number, sentence = rand.choice(sentences)
        words = sentence.split()
        at = rand.randrange(len(words))
        text = ' '.join(words[at:at + rand.randrange(1, 3)])
        start, back = rand.randrange(len(sentences)), rand.random() < 0.5
        if not text.isascii():
            continue
        holds = [n for n, s in sentences if text.lower() in s.lower() or text.lower() in kinds[n].lower()]
        want = max((n for n in holds if n <= start), default=None) if back else min((n for n in holds if n >= start), default=None)
        answer = views.ask(f'find Trace_text {"back" if back else "on"} {start} {text}').split()
        same(f'{name}: "{text}" from {start} {"back" if back else "on"}', int(answer[0]) if answer else None, want)


def check(name, path, folder, rand, rounds):
    t = raw.read(path)
    played = Played(t)
    played.order = order_of_tasks(path)
    views = Views(path, os.path.join(folder, f'{name}.film'))
    lines = subprocess.run([SCOPE, 'events', path], capture_output=True, text=True, check=True).stdout.splitlines()
    sentences = [(i, re.sub(r'^\S+  ', '', line)) for i, line in enumerate(lines)]
    kinds = [('End' if e.end else '') + e.kind for e in t.events]
    same(f'{name}: events', len(sentences), len(t.events))
    for i in range(rounds):
        length = max(int((t.last - t.first) * 2 ** -rand.uniform(0, 12)), 2)
        begin = t.first if i == 0 else t.first + rand.randrange(max(t.last - t.first - length, 1))
        end = t.last if i == 0 else begin + length
        width, height = rand.choice([(1600, 1000), (640, 400), (300, 2000)])
        views.ask(f'scene {width} {height} {begin} {end} 0 0')
        check_space_time(name, views, played, begin, end)
        if width == 1600:
            check_head(name, views, played, begin, end, end >= t.last)
        if len(t.tasks) <= 300:
            check_points(name, views, played, rand, begin, end)
        if i < 3 or len(t.tasks) < 50:
            check_state_graph(name, views, played, rand.randrange(t.first, t.last + 1))
        check_find(name, views, sentences, kinds, rand)
    views.end()


def main():
    rand = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        for sample in ('groups', 'fft2d-s16', 'births'):
            check(sample, os.path.join(ROOT, 'traces', sample + '.trace'), folder, rand, 6)
        for seed in range(6):
            path = write_pvm(os.path.join(folder, f'made{seed}.trace'), random.Random(seed), tasks=rand.choice([2, 5, 30]), actions=200)
            check(f'made{seed}', path, folder, rand, 4)
        for tasks, records, rounds in ((4, 3000, 5), (256, 6000, 4), (2000, 12000, 2)):
            path = os.path.join(folder, f'synth{tasks}.trace')
            subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(records), '--seed', '5', '-o', path],
                           check=True, capture_output=True)
            check(f'synth{tasks}', path, folder, rand, rounds)
    print(f'{checks} answers of views agree with the second computation')


main()
