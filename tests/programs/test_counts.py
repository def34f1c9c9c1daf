#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of each display of docs/gallery.md beside what is counted in the raw file: of executions of few tasks and of many nothing
is left out, nothing counts twice, whatever is put together to be shown.

usage: test_counts.py SCOPE SOURCE_FOLDER [TASKS ...]     (TASKS: of executions of so many, in place of a few, and of some displays many)"""
import csv
import gc
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

SCOPE, ROOT, *WIDE = sys.argv[1:]
sys.path[:0] = [os.path.join(ROOT, 'tests', 'model'), os.path.join(ROOT, 'docs')]
import gallery
import raw
from make import write_wide
from played import WORKS, Played

BEYOND = 5000       # tasks: more than what keeps few of a sort apart, as counts of tasks at once, bars and rows in space, can do by one
OF_MANY = ('Utilization meter', 'Concurrency profile', 'Utilization summary', 'Bars of waiting', 'Pie of shares', 'Message statistics', 'Table of stays',
           'Task Surface', 'Space-time in 3D', 'Kiviat over time')
SOME = 40           # of what is compared one by one
SHORT = 'SCOPE_SANITIZED' in os.environ      # a start takes ten times as long there: few tasks, every fourth display
SEED = int(os.environ.get('SCOPE_SEED', '15'))
ENDS = {'Exit', 'Enroll'}
checks = 0


def near(what, got, want, allowed=1e-9):
    global checks
    checks += 1
    assert math.isclose(float(got or 0), want, rel_tol=1e-8, abs_tol=allowed), f'{what}: {got}, not {want}'


class Raw:
    """Sums over the raw file alone, and over what each task did by the model."""

    def __init__(self, path):
        self.trace = trace = raw.read(path)
        self.tasks = {n: t.nickname for n, t in trace.tasks.items()}
        self.place = {name: k for k, name in enumerate(self.tasks.values())}
        self.first, self.last, self.span = trace.first, trace.last, (trace.last - trace.first) / trace.ticks
        self.calls = [e for e in trace.events if not e.end and e.kind in ('Send', 'Recv')]
        self.sends = [e for e in self.calls if e.kind == 'Send']
        self.bytes = sum(e.fields['bytes'] for e in self.sends)
        self.seconds = Counter()
        for e in self.calls:
            self.seconds[e.kind] += e.duration / trace.ticks
        births = {e.task: e.date for e in trace.events if e.kind == 'Enroll'}
        self.lives = sum((e.date - births[e.task]) / trace.ticks for e in trace.events if e.kind == 'Exit' and not e.end)
        self.seconds['Computing'] = self.lives - self.seconds['Send'] - self.seconds['Recv']
        self.pairs = Counter((self.tasks[e.task], self.tasks[e.fields['to']]) for e in self.sends)
        self.played = Played(trace)
        self.spent, self.stays, self.share = Counter(), Counter(), defaultdict(float)
        for n in self.played.states:
            own = Counter()
            for begin, end, state in self.played.stays(n, self.last):
                own[state] += (end - begin) / trace.ticks
                self.stays[state] += end > begin
            self.spent.update(own)
            life = sum(s for state, s in own.items() if state != 'Dead')
            for state, s in own.items():
                self.share[state] += s / life if life and state != 'Dead' else 0
        self.work = sum(self.spent[s] for s in WORKS)


def heads(rows, unit):
    """Columns of a unit: {name: place}."""
    return {h[:-len(unit) - 3]: k for k, h in enumerate(rows[0]) if h.endswith(f' [{unit}]')}


def total(rows, column):
    return math.fsum(float(r[column]) for r in rows[1:] if r[column] not in ('', 'nan'))


def of_time(r, rows, messages=True, seconds=None, size=None):
    """Stays over time, and messages of `size` bytes in all; `seconds` by state, else those of the states of the model."""
    spent, sizes, n = Counter(), 0, 0
    for row in rows[1:]:
        if row[0] in ('state', 'interval'):
            spent[row[3]] += float(row[5]) - float(row[4])
        elif row[0] == 'message':
            n, sizes = n + 1, sizes + (int(row[7]) if row[7].isdigit() else 0)
    for state, s in (seconds or r.spent).items():
        if state != 'Dead':
            near(f'seconds of {state}', spent[state], s, 2e-9 * len(r.calls) + 1e-9)
    near('messages', n, len(r.sends) if messages else 0)
    near('bytes', sizes, size or (r.bytes if messages else 0))


def row_in(r, row):
    """A row of a scene's table: its tasks, and from when to when."""
    first, _, last = row[1].partition(' … ')
    numbers = list(r.tasks)[r.place[first]:r.place[last or first] + 1]
    return numbers, *(round(float(row[k]) * r.trace.ticks) for k in (4, 5))


def time_in(r, tasks, begin, end):
    """Ticks of all of them in each state, without death."""
    spent = Counter()
    for n in tasks:
        for a, b, state in r.played.stays(n, end):
            if state != 'Dead':
                spent[state] += max(0, min(b, end) - max(a, begin))
    return spent


def longest_in_3d(r, rows):
    """Of too many to be drawn one by one: a state in each slice of each row, in which its tasks are for longest; sums of them may be
    off by a quarter of a slice at its ends."""
    slices = [row for row in rows[1:] if row[0] == 'interval']
    near('tasks in space', sum(members(r, label) for label in {row[1] for row in slices}), len(r.tasks))
    for row in random.Random(SEED).sample(slices, min(SOME, len(slices))):
        tasks, begin, end = row_in(r, row)
        spent = time_in(r, tasks, begin, end)
        near(f'{row[1]} at {row[4]}: less than something else in {row[3]}', min(spent[row[3]] - 0.5 * max(spent.values()), 0), 0)
    assert sum(max(s := time_in(r, *row_in(r, row)), key=s.get) == row[3] for row in slices[::max(len(slices) // SOME, 1)]) > 0.9 * SOME


def in_3d(r, rows):
    spent = Counter()
    if any(' … ' in row[1] for row in rows[1:]):
        longest_in_3d(r, rows)
        return
    for row in rows[1:]:
        if row[0] == 'interval':
            spent[row[3]] += float(row[5]) - float(row[4])
    for state, s in r.spent.items():
        if state != 'Dead':
            near(f'seconds of {state} in space', spent[state], s, 2e-9 * len(r.calls) + 1e-9)


def calls(r, rows):
    n, spent = Counter(), Counter()
    for _, depth, call, begin, end in rows[1:]:
        n[call] += 1
        spent[call] += float(end) - float(begin)
    for kind in ('Send', 'Recv'):
        near(f'{kind}s', n[kind], sum(e.kind == kind for e in r.calls))
        near(f'seconds of {kind}', spent[kind], r.seconds[kind], 2e-9 * len(r.calls) + 1e-9)


def tree(r, rows):
    at = {row[0]: row for row in rows[1:]}
    near('seconds in all', at['all tasks'][2], r.lives, 1e-6)
    for call, seconds in r.seconds.items():
        near(f'seconds of {call}', at[call][4], seconds, 1e-6)
    for kind in ('Send', 'Recv'):
        near(f'visits of {kind}', at[kind][5], sum(e.kind == kind for e in r.calls))


def forest(r, rows):
    near('seconds of all trees', math.fsum(float(row[2]) for row in rows[1:] if row[1] == '0'), r.lives, 1e-6)
    near('seconds in all calls', total(rows, 4), r.lives, 1e-6)


def changes(r, rows):
    """Tasks at work whenever that changes."""
    area, before = 0, None
    for date, _, value in rows[1:]:
        if before:
            area += (float(date) - before[0]) * before[1]
        before = float(date), float(value)
    near('seconds of work', area, r.work, 1e-6 * max(r.work, 1))


def counts(r, rows, seconds=None):
    spent = Counter()
    for begin, end, state, tasks in rows[1:]:
        spent[state] += (float(end) - float(begin)) * float(tasks)
    for state, s in (seconds or r.spent).items():
        if state != 'Dead':
            near(f'seconds of {state}', spent[state], s, 1e-5 * max(r.lives, 1))


def meter(r, rows):
    for k, state in enumerate(rows[0][1:], 1):
        near(f'mean of {state}', rows[2][k], r.spent[state] / r.span, 1e-6)


def members(r, label):
    first, _, last = label.partition(' … ')
    return r.place[last] - r.place[first] + 1 if last else 1


def means(r, rows, share=None):
    """Rows are tasks, or means of several."""
    n = [members(r, row[0]) for row in rows[1:]]
    near('tasks', sum(n), len(r.tasks))
    for k, state in enumerate(rows[0][1:], 1):
        if state in WORKS + ('Idle',):
            near(f'shares of {state}', math.fsum(m * float(row[k] or 0) for m, row in zip(n, rows[1:])), 100 * r.share[state], 1e-6 * len(r.tasks))
        elif state in ('Send', 'Recv'):
            assert any(float(row[k] or 0) > 0 for row in rows[1:]), state


def owners(r, rows):
    near('owners', len({row[0] for row in rows[1:]}), len(r.played.states))


def states_now(r, rows):
    assert Counter(row[1] for row in rows[1:]) == Counter({'Dead': len(r.tasks)}), Counter(row[1] for row in rows[1:])


def profile(r, rows):
    for k, state in enumerate(rows[0][1:], 1):
        near(f'the shares of {state}', total(rows, k), 100, 1e-6)
        low = high = 0
        for row in rows[1:]:
            numbers = [int(d) for d in re.findall(r'\d+', row[0])]
            low, high = low + numbers[0] * float(row[k]) / 100, high + numbers[-1] * float(row[k]) / 100
        mean = r.spent[state] / r.span
        assert low - 1e-6 <= mean <= high + 1e-6, (state, low, mean, high)


def bins(r, rows):
    near('receives', total(rows, 2), sum(e.kind == 'Recv' for e in r.calls))


def matrix(r, rows):
    near('messages', math.fsum(float(x or 0) for row in rows[1:] for x in row[1:]), len(r.sends))


def nothing_under_way(r, rows):
    near('bytes', math.fsum(float(x or 0) for row in rows[1:] for x in row[1:]), 0)


def rising(r, rows):
    """What is under way: nothing at the end, and never less."""
    values = [float(row[2]) for row in rows[1:]]
    assert min(values) >= 0 and max(values) >= max(e.fields['bytes'] for e in r.sends), (min(values), max(values))
    near('bytes at the end', values[-1], 0)


def queues(r, rows):
    assert {row[0] for row in rows[1:]} >= {b for _, b in r.pairs}, len(rows)
    largest = defaultdict(int)
    for e in r.sends:
        largest[r.tasks[e.fields['to']]] = max(largest[r.tasks[e.fields['to']]], e.fields['bytes'])
    for row in rows[1:]:
        near(f'what waits for {row[0]}', row[2], 0)
        assert float(row[5]) >= largest[row[0]], row


def all_under_way(r, rows):
    near('bytes', rows[1][2], 0)
    assert float(rows[1][5]) >= max(e.fields['bytes'] for e in r.sends)


def phases(r, rows):
    assert all(0 <= float(x) <= 100 and float(y) >= 0 for _, _, x, y in rows[1:]) and len(rows) > 2, rows[:3]


def lengths(r, rows):
    cells = math.fsum(float(x or 0) for row in rows[1:] for x in row[1:])
    near('stays', cells, sum(n for state, n in r.stays.items() if state != 'Dead'))


def in_time(r, rows):
    near('tasks', sum(members(r, row[0]) for row in rows[1:]), len(r.tasks))


def waiting(r, rows):
    near('receives', total(rows, 6), sum(e.kind == 'Recv' for e in r.calls))
    near('seconds of receives', total(rows, 2), r.seconds['Recv'], 1e-6)


def work(r, rows):
    near('seconds of work', total(rows, 2), r.work, 1e-6)


def links(r, rows):
    near('messages', total(rows, 2), len(r.sends))
    near('bytes', total(rows, 3), r.bytes)
    own = {(row[0], row[1]): int(row[2]) for row in rows[1:] if row[0] != 'others'}
    assert all(n == r.pairs[pair] for pair, n in own.items()) and (len(own) == len(r.pairs) or 'others' in {row[0] for row in rows}), len(own)


def one_task(r, rows):
    n = Counter(row[2] for row in rows[1:])
    sent, got = Counter(), Counter()
    for (a, b), messages in r.pairs.items():
        sent[a] += messages
        got[b] += messages
    want = [(sent[t], got[t]) for t in r.place]
    assert any(n['sent to'] <= a and n['got from'] <= b and sum(n.values()) == min(a + b, 100) for a, b in want), n      # the last hundred


def one_sender(r, rows):
    got = sorted((row[1], int(float(row[2]))) for row in rows[1:])
    by = defaultdict(list)
    for e in r.sends:
        by[e.task].append((r.tasks[e.fields['to']], e.fields['bytes']))
    assert any(got == sorted(sent) for sent in by.values()), got


def of_each(r, rows):
    for column, want in ((1, len(r.sends)), (2, len(r.sends)), (3, r.bytes), (4, r.bytes)):
        near(rows[0][column], total(rows, column), want)


def seconds_of(r, rows):
    near('tasks', len(rows) - 1, len(r.tasks))
    for state, k in heads(rows, 's').items():
        if state != 'Dead':
            near(f'seconds of {state}', total(rows, k), r.spent[state], 1e-6)


def context(r, rows):
    head = {h: k for k, h in enumerate(rows[0])}
    near('tasks', len(rows) - 1, len(r.tasks))
    for state in WORKS + ('Idle',):
        near(f'shares of {state}', total(rows, head[f'Percent{state} [%]']), 100 * r.share[state], 1e-6 * len(r.tasks))


def last_calls(r, rows):
    last = {r.tasks[e.task]: e.kind for e in r.calls}
    got = {row[0]: row[1] for row in rows[1:]}
    assert set(got) >= set(last) and all(got[t] in (kind, *ENDS) for t, kind in last.items()), len(got)


def clock(r, rows):
    near('date', rows[1][0], r.last / r.trace.ticks)
    near('share', rows[1][1], 100)


def surface(r, rows):
    near('tasks', sum(members(r, row[1]) for row in rows[1:] if row[2] == 'State=Computing'), len(r.tasks))


def path(r, rows):
    of_time(r, rows, seconds=r.seconds, size=sum(e.fields['bytes'] for e in r.calls if e.kind == 'Recv'))     # as receives tell it
    way = [row for row in rows[1:] if row[0] == 'path']
    assert 0 < math.fsum(float(row[5]) - float(row[4]) for row in way) <= r.span * (1 + 1e-9)
    near('the end of the path', way[-1][5], r.last / r.trace.ticks, 0.02 * r.span)
    assert all(a[6] == b[1] and abs(float(a[5]) - float(b[4])) < 1e-3 * r.span for a, b in zip(way, way[1:])), way


def parts(r, rows):
    near('shares', total(rows, 2), 100, 1e-6)
    assert 0 < total(rows, 1) <= r.span * (1 + 1e-9), total(rows, 1)


def waits(r, rows):
    """A receive whose message is sent after it began has waited for a late sender until that was under way."""
    waited, times = Counter(), Counter()
    for row in (dict(zip(rows[0], row)) for row in rows[1:]):
        kind, seconds = row['kind'], float(row['waited [s]'])
        waited[kind] += seconds
        times[kind] += int(row['times'])
        assert float(row['longest [s]']) <= seconds * (1 + 1e-9)
        assert float(row['for that one [s]'] or 0) <= seconds * (1 + 1e-9)
    late = []
    queue = defaultdict(list)
    for e in r.calls:
        if e.kind == 'Send':
            queue[e.task, e.fields['to'], e.fields['tag']].append(e)
    for e in r.calls:
        if e.kind == 'Recv':
            send = queue[e.fields['from'], e.task, e.fields['tag']].pop(0)
            if send.date > e.date:
                late.append((min(send.date, e.date + e.duration) - e.date) / r.trace.ticks)
    near('late senders', times['Late sender'], len(late))
    near('seconds that late senders cost', waited['Late sender'], math.fsum(late), 1e-6)


def causes(r, rows):
    near('costs', total(rows, 2), total(rows, 3) + total(rows, 4), 1e-6)
    assert all(float(row[3]) >= -1e-12 and float(row[4]) >= -1e-12 for row in rows[1:])


def shares(r, rows):
    assert len(rows) > 1 and all(0 <= float(row[2]) <= 100 for row in rows[1:] if row[2] not in ('', 'nan')), rows[:3]


def under_way(r, rows):
    near('messages under way', rows[1][2], 0)
    assert 0 <= float(rows[1][5]) <= len(r.sends), rows[1]


def graph(r, rows):
    head = {h: k for k, h in enumerate(rows[0])}
    near('tasks', sum(row[0] == 'node' for row in rows), len(r.tasks))
    links_ = [row for row in rows if row[0] == 'link']
    near('links', len(links_), len(r.pairs))
    near('bytes', math.fsum(float(row[head['link TotalTraffic [B]']]) for row in links_), r.bytes)
    near('messages', math.fsum(float(row[head['link Messages']]) for row in links_), len(r.sends))


def spheres(r, rows):
    n = Counter(row[0] for row in rows[1:])
    assert 0 < n['task'] <= len(r.tasks) and n['link'] <= len(r.pairs), n
    if len(r.tasks) <= 2000:
        assert n['task'] == len(r.tasks) and n['link'] == len(r.pairs), n


def cells(r, rows):
    assert len(rows) > 1 and all(float(row[6]) >= 0 for row in rows[1:] if row[6] not in ('', 'nan')), rows[:3]


def shares_of_cells(r, rows):
    cells(r, rows)
    near('tasks', sum(members(r, label) for label in {row[1] for row in rows[1:] if row[0] == 'cell'}), len(r.tasks))
    for row in random.Random(SEED).sample([row for row in rows[1:] if row[6] not in ('', 'nan')], min(SOME, len(rows) - 1)):
        tasks, begin, end = row_in(r, row)
        spent = time_in(r, tasks, begin, end)
        near(f'{row[1]} at {row[4]}', row[6], 100 * sum(spent[s] for s in WORKS) / (len(tasks) * (end - begin)), 1)     # sums: as above
    odd = [row for row in rows[1:] if row[6] not in ('', 'nan') and not float(row[6]) <= 100 + 1e-4]      # heights are floats
    assert not odd, odd[:3]


def volumes(r, rows):
    near('bytes', total(rows, 6), r.bytes)


def first_events(r, rows):
    own = [e for e in r.trace.events]
    for row, e in zip(rows[1:], own):
        near(f'event {row[0]}', row[1], e.date / r.trace.ticks, 1e-6)
        assert e.kind in row[4] and row[3] == r.tasks[e.task], (row, e)


REGIONS = lambda check: lambda r, rows: check(r, rows, seconds=r.seconds)       # noqa: E731
CHECKS = {
    'Space-time': of_time, 'Gantt': lambda r, rows: of_time(r, rows, messages=False), 'Preview': of_time, 'Groups by behaviour': of_time, 'Best cut': of_time,
    'Nested timeline, flame chart': calls, 'Flame graph': tree, 'Call tree': tree, 'Call tree of each task': forest, 'Treemap': tree, 'Sunburst': tree,
    'Utilization count': changes, 'Tasks in each state': counts, 'Utilization meter': meter, 'Task summary': means, 'Kiviat diagram': owners, 'Streak': owners,
    'Processor status': states_now, 'Concurrency profile': profile, 'Utilization summary': means, 'State histogram': bins, 'Communication matrix': matrix,
    'Traffic': rising, 'Message queues': queues, 'Communication meter': all_under_way, 'Communication matrix of an instant': nothing_under_way,
    'Phase portrait': phases, 'Bubbles': None, 'Table of stays': lengths, 'Table over time': in_time, 'Bars of waiting': waiting, 'Pie of shares': work,
    'Message statistics': links, 'Node Data': one_task, 'Messages of one task over time': one_sender, 'Message statistics of tasks': of_each,
    'Statistics': seconds_of, 'Context': context, 'Call Trace': last_calls, 'Clock': clock, 'Scatter matrix': seconds_of,
    'Task Count': REGIONS(counts), 'Task Gantt': lambda r, rows: of_time(r, rows, messages=False, seconds=r.seconds), 'Task Status': states_now,
    'Task Summary': means, 'Task Speed': REGIONS(counts), 'Task Surface': surface, 'Critical Path': path, 'Parts of the critical path': parts,
    'Kinds of wait': waits, 'Root causes': causes, 'Overhead over time': shares, 'Gauge': shares, 'Numbers': under_way,
    **dict.fromkeys(['Animation', 'Hypercube', 'Ring', 'Mesh', 'Torus', 'Tree', 'Network', 'Hosts', 'Graph of groups'], graph),
    'State graph in 3D': spheres, 'Space-time in 3D': in_3d, 'Kiviat over time': shares_of_cells, 'Terrain of work': shares_of_cells,
    'Terrain of a matrix': volumes, 'Scatter in 3D': None, 'Trace': first_events,
    # what these show is not in such a trace: lines of the source, samples of processors, texts of programs
    'Source lines': None, 'Contour': None, 'Counter timeline': None, 'Performance radar': None, 'Task Output': None,
}


def table_of(folder, trace, display):
    name, _, _, program, view, options, _ = display
    options = [o for k, o in enumerate(options) if o not in ('--at', '--from') and (k == 0 or options[k - 1] not in ('--at', '--from'))]
    out = os.path.join(folder, 'x.csv')
    done = subprocess.run([SCOPE, 'draw', trace, '--program', program, '--view', view, '-q', '-o', out, *options], capture_output=True, text=True,
                          env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache')), timeout=900)
    assert done.returncode == 0, (name, done.stderr)
    with open(out, encoding='utf-8', newline='') as f:
        return list(csv.reader(f))


def main(folder):
    displays = [d for d in gallery.DISPLAYS if '/' not in d[2]]
    assert set(CHECKS) == {d[0] for d in displays}, set(CHECKS) ^ {d[0] for d in displays}
    print(f'SCOPE_SEED={SEED}')
    for tasks in map(int, WIDE or (4, 256, BEYOND)[:1 if SHORT else 3]):
        trace = write_wide(os.path.join(folder, f'wide{tasks}.trace'), random.Random(SEED + tasks), tasks, messages=max(tasks // 4, 60))
        sums, wrong = Raw(trace), []
        for display in (d for d in displays[::4 if SHORT else 1] if CHECKS[d[0]] and (WIDE or tasks != BEYOND or d[0] in OF_MANY)):
            try:
                CHECKS[display[0]](sums, table_of(folder, trace, display))
            except AssertionError as e:
                wrong.append(f'{display[0]} of {tasks} tasks: {e}')
        assert not wrong, '\n'.join(wrong)
        print(f'displays of {tasks} tasks: {checks} numbers are right')


gc.disable()        # nothing goes in circles, and each search for some would go through millions of events
with tempfile.TemporaryDirectory() as temporary:
    main(temporary)
