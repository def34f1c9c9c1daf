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
CHARTS = """<eve version="1"><title>Charts</title>
  <component name="Reader" class="scope.tapepvm-reader" version="1"/><component name="Simulator" class="scope.pvm-simulator" version="1"/>
  <component name="Traffic" class="scope.traffic" version="1"/><component name="Messages" class="scope.matrix-view" version="1"/>
  <component name="Volume" class="scope.matrix-view" version="1"/><component name="Pairs" class="scope.table-view" version="1"/>
  <component name="Waiting" class="scope.waiting-times" version="1"/>
  <component name="By task" class="scope.statistics-by-owner" version="1"/><component name="Tasks" class="scope.table-view" version="1"/>
  <component name="Histogram" class="scope.histogram" version="1"><setting name="fit">true</setting></component>
  <component name="Distribution" class="scope.histogram-view" version="1"/>
  <component name="Curve" class="scope.curve" version="1"/><component name="Bar" class="scope.bar" version="1"/>
  <component name="Gauge" class="scope.gauge" version="1"/><component name="Panel" class="scope.value-panel" version="1"/>
  <component name="Pie" class="scope.pie" version="1"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Reader" out="events" to="Waiting" in="events"/>
  <wire from="Simulator" out="messages" to="Traffic" in="messages"/>
  <wire from="Traffic" out="counts" to="Messages" in="matrix"/><wire from="Traffic" out="volumes" to="Volume" in="matrix"/>
  <wire from="Traffic" out="table" to="Pairs" in="table"/>
  <wire from="Waiting" out="dated" to="By task" in="value"/><wire from="By task" out="table" to="Tasks" in="table"/>
  <wire from="Waiting" out="value" to="Histogram" in="value"/><wire from="Histogram" out="histogram" to="Distribution" in="histogram"/>
  <wire from="Waiting" out="dated" to="Curve" in="value"/><wire from="Waiting" out="dated" to="Bar" in="value"/>
  <wire from="Waiting" out="dated" to="Pie" in="value"/><wire from="Waiting" out="dated" to="Gauge" in="value"/>
  <wire from="Waiting" out="dated" to="Panel" in="value"/></eve>"""
RECEIVES = ('Recv', 'PRecv', 'TRecv', 'NRecv')
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

    def __init__(self, path, folder, text=PROGRAM):
        os.makedirs(folder)
        program = os.path.join(folder, 'program.eve')
        with open(program, 'w') as f:
            f.write(text)
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
            got.setdefault(row['task'], []).append((ticks(row['from [s]'], t), ticks(row['to [s]'], t), row['state']))
    for number, task in t.tasks.items():
        intervals = played.intervals(number, begin, end)
        if intervals:
            want[task.id] = intervals
    same(f'{name}: tasks in [{begin}, {end})', sorted(got), sorted(want))
    for task in want:
        same(f'{name}: states of {task} in [{begin}, {end})', merged(got[task]), want[task])
    got = sorted((ticks(r['to [s]'], t), r['task'], r['to task'], int(r['size [B]']), int(r['tag'])) for r in rows if r['kind'] == 'message')
    sent = {(ticks(r['to [s]'], t), r['task'], r['to task'], ticks(r['from [s]'], t) if r['from [s]'] else None) for r in rows if r['kind'] == 'message'}
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
        silent = {m[:3] for m in sent if m[3] is None}     # no send is told: it is of one that is unknown
        same(f'{name}: messages without a send in [{begin}, {end})', silent - {(m[0], t.tasks[m[2]].id, t.tasks[m[3]].id) for m in unknown}, set())


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
        same(f'{name}: share of {s} in [{begin}, {end})', abs(float(re.split('[\u2009 ]', share)[0]) - want) <= 0.3, True)
    heard = [m for m in played.received if begin <= m[0] < end + whole]
    number = re.match(r'([\d\u2009\u202f ,]+) messages?,', note)
    if 'bundle' not in note and len(played.trace.tasks) <= 40:  # one by one: those that are received later are told apart
        one = re.match(r'(\d+) messages?(?:; (\d+) more (?:is|are) received later)?', note)
        drawn = [m for m in played.received if m[0] >= begin and (m[0] if m[1] is None else m[1]) < end]
        later = [m for m in drawn if m[0] >= end + whole]
        same(f'{name}: messages of {note!r} in [{begin}, {end})', (int(one[1]), int(one[2] or 0)) if one else (0, 0),
             (len(drawn) - len(later), len(later)))
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
        part = 'node ' if node else 'link '
        o = {re.sub(r' \[.*\]$', '', key[5:]): value for key, value in row.items() if key.startswith(part)}
        same(f'{name}: units', {key for key in row if re.search(r'Percent|Traffic|Clock|Speed', key) and not key.endswith(']') and 'Units' not in key}, set())
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


def check_under(name, views, view, items):
    """What is under the middle of what a view tells is what it tells."""
    for i in items:
        x, y = float(i['x']) + float(i['width']) / 2, float(i['y']) + float(i['height']) / 2
        answer = views.ask(f'inspect {view} {x!r} {y!r}').splitlines()
        same(f'{name}: {view} at {x}, {y}', answer[0].split('\t')[9] if answer else None, i['name'])


def check_text(name, views, played, lines, rand, begin, end):
    """The events of a window from its first on, or those around an instant, each as `scope events` tells it."""
    dates = [e.date for e in played.trace.events]
    for window in (True, False):
        at = rand.randrange(dates[0], dates[-1] + 1)
        views.ask(f'scene 1600 1000 {begin} {end} 0 0' if window else 'scene 1600 1000 1 0 0 0')
        if not window:
            views.ask(f'at {at}')
        rows, items = rows_of(views.ask('csv Trace_text')), views.items('items Trace_text 100000')
        got = [int(r['event']) - 1 for r in rows]
        if window:
            want = range(bisect.bisect_left(dates, begin), bisect.bisect_right(dates, end))
            same(f'{name}: events in [{begin}, {end}]', got, list(want)[:len(got)])
            same(f'{name}: number of events in [{begin}, {end}]', len(got) == len(want) or len(got) > 40, True)
        else:
            present = bisect.bisect_right(dates, at) - 1
            same(f'{name}: events around {at}', got, list(range(got[0], got[0] + len(got))))
            same(f'{name}: event {present} at {at} among {got[0]} to {got[-1]}', present in got, True)
        check_lines(name, views, rows, items, lines, rand)


def check_lines(name, views, rows, items, lines, rand):
    some = rand.sample(items, min(len(items), 4))
    check_under(name, views, 'Trace_text', some)
    for i in some:      # a narrow picture has no room for dates
        x, y = float(i['x']) + float(i['width']) / 2, float(i['y']) + float(i['height']) / 2
        told = dict(line.split('\t') for line in views.ask(f'inspect Trace_text {x!r} {y!r}').splitlines()[1:])
        same(f'{name}: date told of event {i["number"]}', float(re.sub('[^0-9.]', '', told['Date'])), float(lines[int(i['number']) - 1][0]))
    for r, i in zip(rows, items):
        date, sentence = lines[int(r['event']) - 1]
        same(f'{name}: date of event {r["event"]}', float(r['date [s]']), float(date))
        same(f'{name}: event {r["event"]}', r['sentence'], sentence)
        same(f'{name}: line of event {r["event"]}', (i['name'], int(i['number'])), (sentence, int(r['event'])))


def check_graph_items(name, views, rand):
    """Each node of the table is seen, in its state."""
    rows = {r['id']: r for r in rows_of(views.ask('csv State_graph'))}
    nodes = [i for i in views.items('items State_graph 100000') if i['peer'] == '-1' and i['task'] != '-1']
    states = sorted(f'{r["node Nickname"] or r["node Name"]}: {r["node State"]}' for r in rows.values() if r['kind'] == 'node')
    same(f'{name}: nodes that are seen', sorted(i['name'] for i in nodes), states)
    if len(nodes) < 5:  # of many, links lie over nodes
        check_under(name, views, 'State_graph', nodes)


def meets(box, a, b):
    """Whether the line from a to b passes a box of its left, top, width and height."""
    first, last = 0, 1
    for by, before, behind in ((b[0] - a[0], a[0] - box[0], box[0] + box[2] - a[0]), (b[1] - a[1], a[1] - box[1], box[1] + box[3] - a[1])):
        if by == 0:
            if before < 0 or behind < 0:
                return False
            continue
        one, other = -before / by, behind / by
        first, last = max(first, min(one, other)), min(last, max(one, other))
    return first < last


def covers(a, b):
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def check_labels(name, views, t, rand):
    """Names in the state graph, by the marks of the drawing: on no disc and on no other name; where a link passes a name, it is because
    each place close by has a link, a disc or a name too; and no link strikes letters: nothing but grey is painted where a name is."""
    struck = labelled = 0
    for width, height in ((640, 400), (1600, 1000), (3840, 2160)):
        views.ask(f'at {rand.randrange(t.first, t.last + 1)}')
        views.ask(f'scene {width} {height} {t.first} {t.last} 0 0')
        views.ask('draw State_graph')
        discs, labels, lines = {}, {}, []
        for mark in views.ask('marks State_graph').splitlines():
            part, index, *numbers = mark.split('\t')
            numbers = [float(x) for x in numbers]
            if part == '0':
                (labels if index in discs else discs)[index] = numbers[:4]
            elif part == '1':
                points = list(zip(numbers[4::2], numbers[5::2]))
                lines += zip(points, points[1:])

        def crossed(box):
            return any(meets(box, a, b) for a, b in lines)
        for index, box in labels.items():
            what = f'{name}: the label of {index} at {width}x{height}'
            around = [b for k, b in labels.items() if k != index]
            same(what + ' lies on another', [b for b in around if covers(box, b)], [])
            # A disc is no square: its corners are free.
            same(what + ' lies on a disc', [d for d in discs.values()
                                            if math.dist((d[0] + d[2] / 2, d[1] + d[3] / 2),
                                                         (min(max(d[0] + d[2] / 2, box[0]), box[0] + box[2]),
                                                          min(max(d[1] + d[3] / 2, box[1]), box[1] + box[3]))) < d[2] / 2 - 0.5], [])
            x, y, x1, y1 = math.ceil(box[0]), math.ceil(box[1]), math.floor(box[0] + box[2]), math.floor(box[1] + box[3])
            same(what + ' is struck', views.ask(f'hues {x} {y} {x1 - x} {y1 - y}'), '0')
            labelled += 1
            if not crossed(box) or len(t.tasks) > 64:      # groups have loops, which have no marks, and keep names off too
                continue
            struck += 1
            dx, dy, dw, dh = discs[index]
            middle_x, middle_y, r, w = dx + dw / 2, dy + dh / 2, dw / 2 + 3, box[2]
            for place in ((middle_x - w / 2, middle_y + r, w, 15), (middle_x - w / 2, middle_y - r - 15, w, 15),
                          (middle_x + r + 2, middle_y - 8, w, 16), (middle_x - r - 2 - w, middle_y - 8, w, 16)):
                wide = (place[0] - 7, place[1] - 5, w + 14, place[3] + 10)
                same(f'{what} is passed, but {place} is free',
                     crossed(wide) or place[0] < 4 or place[1] < 60 or place[0] + w > width - 4 or place[1] + place[3] > height - 2
                     or any(covers(wide, b) for b in around) or any(covers(wide, d) for k, d in discs.items() if k != index), True)
    return labelled, struck


def check_discs(name, views, t, rand):
    """No disc lies on another, at any size, of few tasks and of many."""
    for width, height in ((640, 400), (1600, 1000), (3840, 2160)):
        views.ask(f'at {rand.randrange((t.first + t.last) // 2, t.last)}')
        views.ask(f'scene {width} {height} {t.first} {t.last} 0 0')
        discs = {}
        for mark in views.ask('marks State_graph').splitlines():
            part, index, x, y, wide, high, *_ = mark.split('\t')
            if part == '0' and index not in discs:     # behind it comes its name
                discs[index] = (float(x) + float(wide) / 2, float(y) + float(high) / 2, float(wide) / 2)
        same(f'{name}: there are discs', len(discs) > 0, True)
        round_ones = list(discs.values())
        over = [(a, b) for n, a in enumerate(round_ones) for b in round_ones[:n] if math.dist(a[:2], b[:2]) < a[2] + b[2] - 1]
        same(f'{name}: discs that overlap at {width}x{height}', over, [])


def check_room(name, views, t):
    """On a small screen, a usual and a very large one bars of states are no thin lines: a third of the room of their row, or 48 pixels."""
    check_discs(name, views, t, random.Random(3))
    views.ask(f'at {(t.first + t.last) // 2}')
    for width, height in ((640, 400), (1600, 1000), (3840, 2160)):
        views.ask(f'scene {width} {height} {t.first} {t.last} 0 0')
        views.ask('draw Space-time')
        bars = sorted({(float(i['y']), float(i['height'])) for i in views.items('items Space-time 100000')
                       if i['peer'] == '-1' and i['task'] != '-1' and float(i['height']) > 0 and float(i['x']) > 0})
        thin = [(a, b) for a, b in zip(bars, bars[1:]) if a[1] < min(0.3 * (b[0] - a[0]), 48)]
        same(f'{name}: bars that are thin at {width}x{height}', thin, [])


UNITS = {'s': 1, 'ms': 1e-3, 'µs': 1e-6, 'ns': 1e-9}


def check_number(what, text, want):
    """As people read it: three digits and a unit."""
    number, _, unit = text.replace('\u202f', '').replace(',', '').replace('\u2009', ' ').partition(' ')
    if unit not in UNITS:
        sys.exit(f'FAILED: {what}: {text!r} is no time')
    same(f'{what}: {text} is {want}', math.isclose(float(number) * UNITS[unit], want, rel_tol=0.006, abs_tol=1e-12), True)


class Past:
    """What somebody knows of receives and messages who has seen the events up to a date."""

    def __init__(self, played, at):
        t, self.waits, self.pairs = played.trace, [], {}
        for e in t.events:
            if e.date <= at and e.end and e.kind in RECEIVES:
                self.waits.append((e.date, t.tasks[e.task].nickname, max(e.duration, 0) / t.ticks))
        for date, sent, origin, to, size, _ in played.received:
            if date <= at:
                key = t.tasks[origin].nickname, t.tasks[to].nickname
                self.pairs.setdefault(key, []).append((size, None if sent is None else (date - sent) / t.ticks))
        self.own = {}
        for date, owner, wait in self.waits:
            self.own.setdefault(owner, []).append((date, wait))


def check_matrix(name, views, past, view, worth):
    csv_rows = list(csv.reader(io.StringIO(views.ask(f'csv {view}'))))
    columns, got = csv_rows[0][1:], {}
    for row in csv_rows[1:]:
        for to, x in zip(columns, row[1:]):
            got[row[0], to] = float(x)
    want = {pair: worth(messages) for pair, messages in past.pairs.items()}
    same(f'{name}: {view}', {p: x for p, x in got.items() if x}, {p: float(x) for p, x in want.items() if x})
    same(f'{name}: pairs of {view}', all(p in got for p in want), True)
    items = [i for i in views.items(f'items {view} 100000') if ' to ' in i['name']]  # names of rows and columns are others
    if any('…' in i['name'] for i in items) or not items:
        return
    # one cell a pair, the largest first, each where its row and its column meet
    same(f'{name}: cells of {view}', len(items), sum(x != 0 for x in want.values()))
    values = [want[tuple(i['name'].rpartition(': ')[0].split(' to '))] for i in items]
    same(f'{name}: order of {view}', values, sorted(values, reverse=True))
    rows = [r[0] for r in csv_rows[1:]]
    for i in items[:200]:
        row, column = i['name'].rpartition(': ')[0].split(' to ')
        for other in items[:20]:
            row2, column2 = other['name'].rpartition(': ')[0].split(' to ')
            dx = (columns.index(column2) - columns.index(column)) * float(i['width'])
            dy = (rows.index(row2) - rows.index(row)) * float(i['height'])
            place = float(i['x']) + dx, float(i['y']) + dy
            if not (math.isclose(place[0], float(other['x']), abs_tol=1e-6) and math.isclose(place[1], float(other['y']), abs_tol=1e-6)):
                sys.exit(f'FAILED: {name}: {view}: {other} is not where {i} says')
        number = i['name'].rpartition(': ')[2].replace('\u2009', '').replace('\u202f', '').replace(',', '')
        if number.isdigit():
            same(f'{name}: {view} of {row} to {column}', int(number), int(want[row, column]))
    check_under(name, views, view, items[:6])
    # of the whole matrix, cells without anything too; beside it there is nothing
    one = items[0]
    row, column = one['name'].rpartition(': ')[0].split(' to ')
    w, h = float(one['width']), float(one['height'])
    x0, y0 = float(one['x']) - columns.index(column) * w, float(one['y']) - rows.index(row) * h
    for r, c, dx, dy in ((0, 0, 0.01, 0.01), (len(rows) - 1, len(columns) - 1, 0.99, 0.99), (0, len(columns) - 1, 0.5, 0.01)):
        answer = views.ask(f'inspect {view} {x0 + (c + dx) * w!r} {y0 + (r + dy) * h!r}').splitlines()
        same(f'{name}: {view} at a corner', answer[0].split('\t')[9].rpartition(': ')[0], f'{rows[r]} to {columns[c]}')
    for x, y in ((x0 - 1, y0 + 1), (x0 + 1, y0 - 1), (x0 + len(columns) * w + 1, y0 + 1), (x0 + 1, y0 + len(rows) * h + 1)):
        same(f'{name}: beside {view}', views.ask(f'inspect {view} {x!r} {y!r}'), '')


def check_rest(name, items, values):
    """What is told of all that have no slice of their own: how many, their sum, the least, the most and the mean."""
    values = [v for v in values if v > 0]
    told = [m for m in (re.fullmatch(r'([\d,]+) others: (.*), .*; each (.*) to (.*), mean (.*)', i['name']) for i in items) if m]
    same(f'{name}: the rest of the pie', len(told), int(len(values) > 1))
    for m in told:
        same(f'{name}: how many have no slice', int(m[1].replace(',', '')), len(values))
        for what, text, want in zip(('sum', 'least', 'most', 'mean'), m.groups()[1:], (sum(values), min(values), max(values), sum(values) / len(values))):
            check_number(f'{name}: {what} of those without a slice', text, want)


def check_values(name, views, past):
    """The last value of each owner, with the extrema and how many there were; the largest first where they are ranked."""
    for view in ('Bar', 'Gauge', 'Panel', 'Pie'):
        rows = {r['owner']: r for r in rows_of(views.ask(f'csv {view}'))}
        same(f'{name}: owners of {view}', sorted(rows), sorted(past.own))
        for owner, told in past.own.items():
            r, values = rows[owner], [v for _, v in told]
            got = [float(r[k]) for k in ('date [s]', 'value', 'min', 'max', 'count')]
            for g, w in zip(got, (told[-1][0] / 1e9, values[-1], min(values), max(values), len(values))):
                same(f'{name}: {owner} of {view}: {got}', math.isclose(g, w, rel_tol=1e-9, abs_tol=1e-12), True)
        last = {owner: told[-1][1] for owner, told in past.own.items()}
        items = views.items(f'items {view} 100000')
        shown = {i['name'].partition(': ')[0]: i['name'].partition(': ')[2].split(', ') for i in items if ': ' in i['name']}
        for owner, words in shown.items():
            if owner not in last:  # several small ones together
                continue
            check_number(f'{name}: {owner} of {view}', words[0], last[owner])
            if view == 'Gauge' and len(words) == 3:
                check_number(f'{name}: least of {owner}', words[1].removeprefix('least '), min(v for _, v in past.own[owner]))
                check_number(f'{name}: most of {owner}', words[2].removeprefix('most '), max(v for _, v in past.own[owner]))
            if view == 'Pie' and len(words) == 2 and sum(last.values()):
                share, want = words[1].replace('\u2009', ' ').split()[:-1], 100 * last[owner] / sum(last.values())
                same(f'{name}: share of {owner}: {want}', 0 < want < 0.0501 if share == ['<', '0.1'] else abs(float(share[0]) - want) <= 0.06 + 0.005 * want, True)
        if view == 'Pie':
            check_rest(name, items, sorted(last.values(), reverse=True)[7:])
        if view in ('Bar', 'Pie'):
            values = [last[o] for o in (i['name'].partition(': ')[0] for i in items) if o in last]
            same(f'{name}: order of {view}', values, sorted(values, reverse=True))
        if view != 'Pie':  # of thin slices the middles lie on each other
            check_under(name, views, view, [i for i in items if i['name'].partition(': ')[0] in last][:4])


def check_charts(name, views, past):
    if past.pairs:
        check_matrix(name, views, past, 'Messages', len)
        check_matrix(name, views, past, 'Volume', lambda messages: sum(m[0] for m in messages))
        pairs = rows_of(views.ask('csv Pairs'))
        same(f'{name}: pairs', sorted((r['from'], r['to']) for r in pairs), sorted(past.pairs))
        for r in pairs:
            messages = past.pairs[r['from'], r['to']]
            sizes, ways = [m[0] for m in messages], [m[1] for m in messages]
            want = [len(sizes), sum(sizes), sum(sizes) / len(sizes)]
            got = [float(r[k]) for k in ('messages', 'volume [B]', 'mean size [B]')]
            if None not in ways:
                want += [min(ways), math.fsum(ways) / len(ways), max(ways)]
                got += [float(r[k]) for k in ('min transit [s]', 'mean transit [s]', 'max transit [s]')]
            for g, w in zip(got, want):
                same(f'{name}: pair {r}: {want}', math.isclose(g, w, rel_tol=1e-9, abs_tol=1e-9), True)
    if not past.waits:
        return
    tasks, items = rows_of(views.ask('csv Tasks')), views.items('items Tasks 100000')
    same(f'{name}: who waits', sorted(r['owner'] for r in tasks), sorted(past.own))
    for r in tasks:
        values = [v for _, v in past.own[r['owner']]]
        want = [len(values), math.fsum(values), min(values), math.fsum(values) / len(values), max(values)]
        for k, w in zip(('count', 'sum [s]', 'min [s]', 'mean [s]', 'max [s]'), want):
            same(f'{name}: {k} of {r}', math.isclose(float(r[k]), w, rel_tol=1e-9, abs_tol=1e-12), True)
    lines = [i['name'] for i in items if i['name'].startswith('owner ')]
    same(f'{name}: lines of the table', [n.partition(', sum')[0] for n in lines],
         [f'owner {r["owner"]}, count {r["count"]}' for r in tasks[:len(lines)]])
    check_under(name, views, 'Tasks', items[:3] + items[-2:])
    bins = [{k.partition(' [')[0]: v for k, v in b.items()} for b in rows_of(views.ask('csv Distribution'))]
    waits = [w for _, _, w in past.waits]
    same(f'{name}: counted', sum(int(b['count']) for b in bins), len(waits))
    for b in bins:
        low, high = float(b['from']), float(b['to'])
        near = [w for w in waits if min(abs(w - low), abs(w - high)) <= 1e-12 * max(abs(w), 1e-12)]  # on a border: either
        inside = sum(low <= w < high for w in waits if w not in near)
        same(f'{name}: from {low} to {high}', inside <= int(b['count']) <= inside + len(near), True)
    items = [i for i in views.items('items Distribution 100000') if not i['name'].startswith(('below', 'above'))]
    whole = [b for b in bins if 'inf' not in b['from'] + b['to']]
    if len(items) == len(whole):
        same(f'{name}: bars', [int(re.sub(r'\D', '', i['name'].rpartition(': ')[2])) for i in items], [int(b['count']) for b in whole])
        heights, most = [float(i['height']) for i in items], max(int(b['count']) for b in whole)
        for h, b in zip(heights, whole):
            same(f'{name}: height of {b}', abs(h - max(heights) * int(b['count']) / most) <= 1.01, True)
    check_values(name, views, past)


def check_curve(name, views, played, begin, end):
    """Every receive in the window, from first to last; what stands just beside it may be there too."""
    t, rows = played.trace, rows_of(views.ask('csv Curve'))
    beyond = [int(r['owner'].split()[0]) for r in rows if not r['date [s]']]
    rows = [r for r in rows if r['date [s]']]
    got = [(round(float(r['date [s]']) * 1e9), r['owner'], float(r['value [s]'])) for r in rows]
    every = [(d, o, w) for d, o, w in Past(played, t.last).waits]
    kept = list(dict.fromkeys(o for _, o, _ in every))[:64]  # as many lines can be told apart
    want = [w for w in every if begin <= w[0] <= end and w[1] in kept]
    same(f'{name}: how many of others are left out', beyond, [n for n in [sum(o not in kept for _, o, _ in every)] if n])
    same(f'{name}: receives in [{begin}, {end}]', sorted(g[:2] for g in got if begin <= g[0] <= end), sorted(w[:2] for w in want))
    same(f'{name}: all told are receives', all(g[:2] in {w[:2] for w in every} for g in got), True)
    for g, w in zip(sorted(g for g in got if begin <= g[0] <= end), sorted(want)):
        same(f'{name}: receive {w}', math.isclose(g[2], w[2], rel_tol=1e-9, abs_tol=1e-12), True)


def check_all_charts(name, path, folder, rand, rounds):
    t = raw.read(path)
    played = Played(t)
    views = Views(path, os.path.join(folder, f'{name}.charts'), CHARTS)
    for i in range(rounds):
        width, height = rand.choice([(1600, 1000), (640, 400), (300, 900)])
        begin = t.first if i == 0 else rand.randrange(t.first, t.last)
        end = t.last if i == 0 else rand.randrange(begin + 1, t.last + 1)
        views.ask(f'scene {width} {height} {begin} {end} 0 0')
        at = t.last if i == 0 else rand.randrange(t.first, t.last + 1)
        views.ask(f'at {at}')
        check_charts(f'{name} at {at}', views, Past(played, at))
        if t.ticks == 10**9:
            check_curve(name, views, played, begin, end)
    views.end()


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
        if t.ticks == 10**9:
            check_text(name, views, played, [re.match(r'(\S+) +(.*)', line).groups() for line in lines], rand, begin, end)
        if len(t.tasks) < 50:
            views.ask(f'scene 1600 1000 {begin} {end} 0 0')
            check_graph_items(name, views, rand)
    if len(t.tasks) <= 64:      # of more, groups have discs
        check_room(name, views, t)
    check_labels(name, views, t, random.Random(4))
    views.end()


def main():
    rand = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        for sample in ('groups', 'fft2d-s16', 'births'):
            check(sample, os.path.join(ROOT, 'traces', sample + '.trace'), folder, rand, 6)
        for sample in ('fft2d-s16', 'farm', 'births'):
            check_all_charts(sample, os.path.join(ROOT, 'traces', sample + '.trace'), folder, rand, 6)
        for seed in range(6):
            path = write_pvm(os.path.join(folder, f'made{seed}.trace'), random.Random(seed), tasks=rand.choice([2, 5, 30]), actions=200)
            check(f'made{seed}', path, folder, rand, 4)
            check_all_charts(f'made{seed}', path, folder, rand, 4)
        for tasks in (65, 90, 256, 2000):        # discs of more than 64 tasks lie apart too: groups, or all of a small graph
            path = os.path.join(folder, f'discs{tasks}.trace')
            subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(12 * tasks), '--seed', '6', '-o', path],
                           check=True, capture_output=True)
            views = Views(path, os.path.join(folder, f'discs{tasks}.film'))
            check_discs(f'discs{tasks}', views, raw.read(path), random.Random(4))
            check_labels(f'discs{tasks}', views, raw.read(path), random.Random(4))
            views.end()
        for tasks, records, rounds in ((4, 3000, 5), (256, 6000, 4), (2000, 12000, 2)):
            path = os.path.join(folder, f'synth{tasks}.trace')
            subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(records), '--seed', '5', '-o', path],
                           check=True, capture_output=True)
            check(f'synth{tasks}', path, folder, rand, rounds)
            check_all_charts(f'synth{tasks}', path, folder, rand, 2)
        path = os.path.join(folder, 'synth64.trace')
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '64', '--events', '3000', '--seed', '5', '-o', path], check=True,
                       capture_output=True)
        views = Views(path, os.path.join(folder, 'synth64.film'))
        check_room('synth64', views, raw.read(path))
        labelled, struck = check_labels('synth64', views, raw.read(path), random.Random(4))
        same(f'of 64 tasks {labelled} names, {struck} where links pass', labelled > 60 and struck < labelled / 4, True)
        views.end()
    print(f'{checks} answers of views agree with the second computation')


main()
