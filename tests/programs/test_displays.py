#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The displays of the programs Utilization and Messages in flight, at random instants, beside a second computation from the raw
files: the model of tests/model, played event by event.

usage: test_displays.py SCOPE SOURCE_FOLDER [TASKS ...]     (TASKS: of executions of so many, in place of the usual ones)"""
import csv
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

SCOPE, ROOT, *WIDE = sys.argv[1:]
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests', 'model')]
from few import few
import raw
from make import write_pvm, write_wide
from played import FEW, Played

STEPS = 16
checks = 0


def near(what, got, want, allowed=1e-9):
    global checks
    checks += 1
    assert math.isclose(float(got), want, rel_tol=1e-9, abs_tol=allowed), f'{what}: {got}, not {want}'


def table(path):
    with open(path, encoding='utf-8', newline='') as f:
        return list(csv.reader(f))


def tasks_of(label, order, place):
    """The tasks that a row or column stands for."""
    first, _, last = label.partition(' … ')
    return order[place[first]:place[last or first] + 1]


def check_matrix(what, table_of, amounts, order):
    """Each cell has what goes from the tasks of its row to those of its column; `amounts` by the names of both."""
    (head, *rows), sums, place = table_of or [['']], defaultdict(int), {name: k for k, name in enumerate(order)}
    row_of = {name: k for k, row in enumerate(rows) for name in tasks_of(row[0], order, place)}
    column_of = {name: k for k, column in enumerate(head[1:], 1) for name in tasks_of(column, order, place)}
    for (a, b), n in amounts.items():
        if n:
            sums[row_of[a], column_of[b]] += n
    near(f'{what} in all', sum(float(c or 0) for row in rows for c in row[1:]), sum(amounts.values()))
    for (a, b), n in sums.items():
        near(f'{what}: {rows[a][0]} to {head[b]}', rows[a][b] or 0, n)


def check_at(played, draw, at):
    trace, name = played.trace, {n: t.nickname for n, t in played.trace.tasks.items()}
    here = {n for n in played.states if played.states[n][0][0] <= at}
    some = played.some(here)
    # streaks and shares of the work of late
    rows = {r[0]: r for r in draw('utilization', 'Streak', at)[1:]}
    for n in some:
        streak = played.streak(n, at)
        if streak is not None:
            near(f'{at}: streak of {name[n]}', rows[name[n]][2], streak / trace.ticks, 1e-9)
    span = played.last - played.first
    step = max(math.ceil(span / 10 / STEPS), math.ceil(span / 65536), 1)
    number = (at - played.first) // step
    begin = played.first + max(number - STEPS, 0) * step
    rows = {r[0]: r for r in draw('utilization', 'Kiviat diagram', at)[1:]}
    assert set(rows) == {name[n] for n in here}
    for n in some if at > begin else ():
        share = 100 * played.worked(n, begin, at) / (at - begin)
        near(f'{at}: work of {name[n]}', rows[name[n]][2], share, 1e-6)
        ever = [share] + [100 * played.worked(n, played.first + (k - STEPS) * step, played.first + k * step) / (STEPS * step)
                          for k in range(STEPS, number + 1)
                          if played.states[n][0][0] < played.first + k * step]
        near(f'{at}: least work of {name[n]}', rows[name[n]][4], min(ever), 1e-6)
        near(f'{at}: most work of {name[n]}', rows[name[n]][5], max(ever), 1e-6)
    # who does what now
    head, now, mean = draw('utilization', 'Meter', at)
    for k, state in enumerate(head[1:], 1):
        near(f'{at}: tasks in {state}', now[k], sum(played.state(n, at) == state for n in here))
        near(f'{at}: mean in {state}', mean[k], sum(b - a for n in here for a, b, s in played.stays(n, at) if s == state) / (at - played.first), 1e-6)
    by_name = {name[n]: n for n in name}
    for who, state in draw('utilization', 'Processor status', at)[1:]:
        n = by_name[who]
        assert state == (played.state(n, at) or '' if n in here else ''), (at, who, state)
    # what is under way
    queues = defaultdict(int)
    for link in played.loads:
        queues[link[1]] += played.load(link, at)
    rows = {r[0]: r for r in draw('in-flight', 'Message queues', at)[1:]}
    for n, load in queues.items():
        if name[n] in rows:
            near(f'{at}: queue of {name[n]}', rows[name[n]][2], load)
        else:
            assert load == 0
    total = draw('in-flight', 'Meter', at)[1:]
    near(f'{at}: under way', total[0][2] if total else 0, sum(queues.values()))
    check_matrix(f'{at}: under way', draw('in-flight', 'Communication matrix', at),
                 {(name[a], name[b]): played.load((a, b), at) for a, b in played.loads}, list(name.values()))


def check_figures(played, draw, at):
    """Messages of one task, and of all; time by state; the last call of each task; the clock; three numbers of each task in one picture."""
    global checks
    trace, name = played.trace, {n: t.nickname for n, t in played.trace.tasks.items()}
    told = [m for m in played.told if m[0] <= at]
    lines = draw('node-data', 'Node Data', at)[1:]
    node = told[0][1] if told else None
    own = [m for m in told if node in m[1:3]][::-1][:100]
    assert len(lines) == len(own), (at, len(lines), len(own))
    for (received, _, it, other, tag, size, _), m in zip(lines, own):
        near(f'{at}: a message', received, m[0] / trace.ticks, 1e-6)
        assert (it, other, int(tag), int(size)) == (('sent to', name[m[2]]) if m[1] == node else ('got from', name[m[1]])) + m[3:], (at, m)
    lines = {r[0]: [int(c) for c in r[1:6]] for r in draw('node-data', 'Messages of tasks', at)[1:]}
    for n, label in name.items():
        sent, received = [m[4] for m in told if m[1] == n], [m[4] for m in told if m[2] == n]
        if sent or received:
            assert lines.pop(label) == [len(sent), len(received), sum(sent), sum(received), max(sent + received)], (at, label)
    assert not lines, lines
    head, *lines = draw('statistics', 'Statistics', at)
    lines, here = {r[0]: r for r in lines}, {n for n in played.states if played.states[n][0][0] <= at}
    for n in played.some(here):
        for k, column in enumerate(head):
            state, _, unit = column.partition(' [')
            if unit == 's]' and name[n] in lines:
                near(f'{at}: {state} of {name[n]}', lines[name[n]][k] or 0, sum(b - a for a, b, s in played.stays(n, at) if s == state) / trace.ticks, 1e-9)
    # numbers of each task against each other, and the sums of each of them
    head, *lines = draw('statistics', 'Scatter matrix', at)
    assert len(lines) == len(here), (at, len(lines), len(here))
    for row in (r for r in lines if r[0] in {name[n] for n in played.some(here)}):
        (n,) = [n for n in here if name[n] == row[0]]
        for column, value in zip(head[1:], row[1:]):
            state, _, unit = column.partition(' [')
            assert unit == 's]', head
            near(f'{at}: {state} of {row[0]} among all pairs', value or 0, sum(b - a for a, b, s in played.stays(n, at) if s == state) / trace.ticks, 1e-9)
    # what programs tell of themselves: their phases and marks
    lines = draw('statistics', 'Task Output', at)[1:]
    own = Counter((e.date, name[e.task], ('End' if e.end else '') + e.kind) for e in trace.events if e.category == 'user')
    got = Counter((round(float(r[1]) * trace.ticks), r[3], r[4]) for r in lines)
    assert bool(got) == bool(own) and not got - own, (at, list((got - own).items())[:3], len(own))
    checks += len(lines)
    calls = {}
    for e in trace.events:
        if e.date <= at and not e.instant:
            calls[name[e.task]] = e
    lines = {r[0]: r for r in draw('statistics', 'Call Trace', at)[1:]}
    assert set(lines) == set(calls), (at, set(lines) ^ set(calls))
    for label, e in calls.items():
        assert lines[label][1:3] == [e.kind, 'over' if e.end else 'lasts'], (at, lines[label], e)
        near(f'{at}: call of {label}', lines[label][4 if e.end else 3], e.date / trace.ticks, 1e-6)
        checks += 1
    date, share = draw('statistics', 'Clock', at)[1]
    near(f'{at}: clock', date, at / trace.ticks)
    near(f'{at}: share of the execution', share, 100 * (at - played.first) / (played.last - played.first), 1e-6)
    queues = {r[0]: float(r[2]) for r in draw('in-flight', 'Message queues', at)[1:]}
    for owner, _, _, streak, size in (r if len(r) == 5 else [*r, ''] for r in draw('in-flight', 'Bubbles', at)[1:]):
        near(f'{at}: what waits for {owner}', size or 0, queues.get(owner, 0))
        (n,) = [n for n in here if name[n] == owner]
        if played.streak(n, at) is not None:
            near(f'{at}: streak of {owner}', streak, played.streak(n, at) / trace.ticks)


def check_whole(played, draw):
    trace = played.trace
    lines = draw('utilization', 'Tasks in each state', played.last)[1:]
    for begin, end, state, tasks in lines if len(played.states) <= FEW else Played.some({tuple(line) for line in lines}, 20):
        a, b = (round(float(d) * trace.ticks) for d in (begin, end))
        want = sum(max(0, min(t, b) - max(f, a)) for n in played.states for f, t, s in played.stays(n, played.last) if s == state)
        near(f'{begin}: {state}', tasks, want / ((played.last - played.first) / 200), 2e-3 * len(played.states) * 200 / max(played.last - played.first, 1) * 1e3)
    head, *rows = draw('stay-tables', 'Stays by length', played.last)
    name = {t.nickname: n for n, t in trace.tasks.items()}
    rows = rows if len(rows) <= FEW else [row for row in rows if row[0] in name][:FEW]
    lengths = {row[0]: [t - f for f, t, s in played.stays(name[row[0]], trace.last) if s != 'Dead'] for row in rows}
    edges = [float(h.split()[0]) * {'ns': 1e-9, 'µs': 1e-6, 'ms': 1e-3, 's': 1}[h.split()[1]] if ' ' in h or '\u2009' in h else 0.0
             for h in head[1:]]
    for row in rows:
        for k, low in enumerate(edges):
            high = edges[k + 1] if k + 1 < len(edges) else math.inf
            if low > 0:
                near(f'{row[0]}: stays from {low} s', row[k + 1], sum(low * (1 - 1e-9) <= t / trace.ticks < high * (1 - 1e-9) for t in lengths[row[0]]))
    loads = sorted({d for link in played.loads for d, _ in played.loads[link]})
    curve = defaultdict(float)
    for date, _, value in draw('in-flight', 'Traffic', played.last)[1:]:
        curve[round(float(date) * trace.ticks)] = float(value)
    for date in random.Random(5).sample(loads, min(40, len(loads))):
        known = [d for d in curve if d <= date]
        near(f'{date}: traffic', curve[max(known)] if known else 0, sum(played.load(link, date) for link in played.loads))


def check_wide(played, draw):
    """Of executions of many tasks: what is shown of groups of them is what their members have."""
    trace, r = played.trace, random.Random(4)
    order, number = [t.nickname for t in trace.tasks.values()], {t.nickname: n for n, t in trace.tasks.items()}
    place = {name: k for k, name in enumerate(order)}
    sent, volume = Counter(), Counter()
    for e in trace.events:
        if e.kind == 'Send' and not e.end:
            pair = trace.tasks[e.task].nickname, trace.tasks[e.fields['to']].nickname
            sent[pair] += 1
            volume[pair] += e.fields['bytes']
    for view, want in (('Messages', sent), ('Volume', volume)):
        check_matrix(view, draw('traffic', view, played.last), want, order)
    pairs = draw('traffic', 'Pairs', played.last)[1:]
    assert {(row[0], row[1]): (int(row[2]), int(row[3])) for row in pairs} == {p: (n, volume[p]) for p, n in sent.items()}
    at = r.randrange(played.first + 10**6, played.last)
    # shares of the states: of a group the mean of its members
    head, *rows = draw('utilization', 'Summary', at)
    for row in rows if len(rows) <= FEW else r.sample(rows, FEW):
        members = [number[t] for t in tasks_of(row[0], order, place)]
        for k, state in enumerate(head[1:], 1):
            if state != 'Dead':
                shares = []
                for n in members:
                    stays = [s for s in played.stays(n, at) if s[2] != 'Dead']
                    shares.append(100 * sum(b - a for a, b, what in stays if what == state) / max(sum(b - a for a, b, _ in stays), 1))
                near(f'{at}: {row[0]} in {state}', row[k] or 0, sum(shares) / len(shares), 1e-6)
    # the state graph: each task, and each link that something has gone over
    table_of = draw('views', 'State graph', at)
    nodes = {row[1]: row[table_of[0].index('node State')] for row in table_of[1:] if row[0] == 'node'}
    assert nodes == {trace.tasks[n].id: played.state(n, at) for n in played.states if played.states[n][0][0] <= at}
    # space-time: each message, and each stay of some tasks
    lines = draw('views', 'Space-time', at)
    assert sum(row[0] == 'message' for row in lines) == sum(sent.values())
    some = {trace.tasks[n].nickname: n for n in played.some(played.states, 500)}
    stays = defaultdict(list)
    for row in lines[1:]:
        if row[0] == 'state' and row[1] in some:
            stays[row[1]].append(row)
    for name, n in some.items():
        want = [s for s in played.stays(n, played.last) if s[0] < s[1]]
        near(f'stays of {name}', len(stays[name]), len(want))
        for row, (begin, end, state) in zip(stays[name], want):
            assert state in row, (row, state)
            assert {round(float(row[k]) * trace.ticks) for k in (4, 5)} == {begin, end}, (row, begin, end)
    calls = Counter(row[2] for row in draw('call-tree', 'Call timeline', at)[1:])
    assert calls['Send'] == calls['Recv'] == sum(sent.values())


with tempfile.TemporaryDirectory() as folder:
    env = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache'))
    made = write_pvm(os.path.join(folder, 'made.trace'), random.Random(11), tasks=12, groups=2, actions=200)
    wide = [(write_wide(os.path.join(folder, f'wide{n}.trace'), random.Random(int(n)), int(n), messages=few(int(n)) if int(n) <= 2000 else int(n) // 4),
             int(n)) for n in WIDE or [256]]
    usual = [(os.path.join(ROOT, 'traces', 'heat2d.trace'), 1), (os.path.join(ROOT, 'traces', 'fft2d-s16.trace'), 2), (made, 3)]
    for path, seed in wide if WIDE else usual + wide:
        trace, r = raw.read(path), random.Random(seed)
        played = Played(trace)

        def draw(program, view, at):
            out = os.path.join(folder, 'x.csv')
            done = subprocess.run([SCOPE, 'draw', path, '--program', program, '--view', view, '--at', f'{at / trace.ticks:.9f}', '-o', out],
                                  capture_output=True, text=True, env=env, timeout=900)
            if done.returncode and 'nothing has come' in done.stderr:
                return []
            assert done.returncode == 0, (path, view, at, done.stderr)
            return table(out)

        for at in [*(r.randrange(played.first + 1, played.last) for _ in range(few(3) if (path, seed) not in wide else 1)), played.last]:
            check_at(played, draw, at)
            if (path, seed) not in wide:
                check_figures(played, draw, at)
        check_whole(played, draw)
        if (path, seed) in wide:
            check_wide(played, draw)
print(f'{checks} numbers are right')
assert checks > 1000
