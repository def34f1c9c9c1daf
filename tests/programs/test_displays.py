#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The displays of the programs Utilization and Messages in flight, at random instants, beside a second computation from the raw
files: the model of tests/model, played event by event.

usage: test_displays.py SCOPE SOURCE_FOLDER"""
import bisect
import csv
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict

SCOPE, ROOT = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests', 'model')]
from few import few
import pvm
import raw
from make import write_pvm

WORKS, STEPS = ('Busy', 'Overhead', 'Talking'), 16
checks = 0


def near(what, got, want, allowed=1e-9):
    global checks
    checks += 1
    assert math.isclose(float(got), want, rel_tol=1e-9, abs_tol=allowed), f'{what}: {got}, not {want}'


class Played:
    """What each task did and what lay on each link, as lists of dates and values."""

    def __init__(self, trace):
        self.trace, model, self.sums = trace, pvm.Pvm(trace), {}
        self.states, self.loads = defaultdict(list), defaultdict(list)
        for e in trace.events:
            model.step(e)
            for number, person in model.people.items():
                if person.seen is not None:
                    self.put(self.states[number], e.date, person.seen.state)
            for (origin, destination), wire in model.wires.items():
                self.put(self.loads[origin, destination], e.date, model.link_state(wire)[1])

    @staticmethod
    def put(to, date, value):
        if not to or to[-1][1] != value:
            to.append((date, value))

    def stays(self, task, end):
        """(from, to, state) of a task until `end`."""
        changes = [c for c in self.states[task] if c[0] <= end]
        return [(date, changes[k + 1][0] if k + 1 < len(changes) else end, state) for k, (date, state) in enumerate(changes)]

    def worked_by(self, task, date):
        """Ticks in which it worked until a date."""
        if task not in self.sums:
            sums, so_far, since = [], 0, None
            for when, state in self.states[task]:
                so_far += when - since if since is not None else 0
                since = when if state in WORKS else None
                sums.append((when, so_far, since))
            self.sums[task] = sums
        k = bisect.bisect_right(self.sums[task], (date, math.inf)) - 1
        if k < 0:
            return 0
        _, so_far, since = self.sums[task][k]
        return so_far + (date - since if since is not None else 0)

    def worked(self, task, begin, end):
        return self.worked_by(task, end) - self.worked_by(task, begin)

    def state(self, task, at):
        return ([None] + [s for d, s in self.states[task] if d <= at])[-1]

    def streak(self, task, at):
        """Ticks since it works (> 0), or does not (< 0); None: it does not live."""
        turned, works = None, None
        for date, state in self.states[task]:
            if date > at:
                break
            now = None if state == 'Dead' else state in WORKS
            if turned is None or now != works:
                turned, works = date, now
        return None if works is None else at - turned if works else turned - at

    def load(self, link, at):
        return ([0] + [v for d, v in self.loads[link] if d <= at])[-1]


def table(path):
    with open(path, encoding='utf-8', newline='') as f:
        return list(csv.reader(f))


def check_at(played, draw, at):
    trace, name = played.trace, {n: t.nickname for n, t in played.trace.tasks.items()}
    here = {n for n in played.states if played.states[n][0][0] <= at}
    # streaks and shares of the work of late
    rows = {r[0]: r for r in draw('utilization', 'Streak', at)[1:]}
    for n in here:
        streak = played.streak(n, at)
        if streak is not None:
            near(f'{at}: streak of {name[n]}', rows[name[n]][2], streak / trace.ticks, 1e-9)
    span = trace.last - trace.first
    step = max(math.ceil(span / 10 / STEPS), math.ceil(span / 65536), 1)
    number = (at - trace.first) // step
    begin = trace.first + max(number - STEPS, 0) * step
    rows = {r[0]: r for r in draw('utilization', 'Kiviat diagram', at)[1:]}
    assert set(rows) == {name[n] for n in here}
    for n in here if at > begin else ():
        share = 100 * played.worked(n, begin, at) / (at - begin)
        near(f'{at}: work of {name[n]}', rows[name[n]][2], share, 1e-6)
        ever = [share] + [100 * played.worked(n, trace.first + (k - STEPS) * step, trace.first + k * step) / (STEPS * step)
                          for k in range(STEPS, number + 1)
                          if played.states[n][0][0] < trace.first + k * step]
        near(f'{at}: least work of {name[n]}', rows[name[n]][4], min(ever), 1e-6)
        near(f'{at}: most work of {name[n]}', rows[name[n]][5], max(ever), 1e-6)
    # who does what now
    head, now, mean = draw('utilization', 'Meter', at)
    for k, state in enumerate(head[1:], 1):
        near(f'{at}: tasks in {state}', now[k], sum(played.state(n, at) == state for n in here))
        near(f'{at}: mean in {state}', mean[k], sum(b - a for n in here for a, b, s in played.stays(n, at) if s == state) / (at - trace.first), 1e-6)
    for who, state in draw('utilization', 'Processor status', at)[1:]:
        (n,) = [n for n in name if name[n] == who]
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
    head, *rows = draw('in-flight', 'Communication matrix', at) or [['']]
    by_name = {name[n]: n for n in name}
    for row in rows:
        for k, to in enumerate(head[1:], 1):
            near(f'{at}: {row[0]} to {to}', row[k] or 0, played.load((by_name[row[0]], by_name[to]), at))


def check_whole(played, draw):
    trace = played.trace
    for begin, end, state, tasks in draw('utilization', 'Tasks in each state', trace.last)[1:]:
        a, b = (round(float(d) * trace.ticks) for d in (begin, end))
        want = sum(max(0, min(t, b) - max(f, a)) for n in played.states for f, t, s in played.stays(n, trace.last) if s == state)
        near(f'{begin}: {state}', tasks, want / ((trace.last - trace.first) / 200), 2e-3 * len(played.states) * 200 / max(trace.last - trace.first, 1) * 1e3)
    head, *rows = draw('stay-tables', 'Stays by length', trace.last)
    name = {t.nickname: n for n, t in trace.tasks.items()}
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
    for date, _, value in draw('in-flight', 'Traffic', trace.last)[1:]:
        curve[round(float(date) * trace.ticks)] = float(value)
    for date in random.Random(5).sample(loads, min(40, len(loads))):
        known = [d for d in curve if d <= date]
        near(f'{date}: traffic', curve[max(known)] if known else 0, sum(played.load(link, date) for link in played.loads))


with tempfile.TemporaryDirectory() as folder:
    env = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache'))
    made = write_pvm(os.path.join(folder, 'made.trace'), random.Random(11), tasks=12, groups=2, actions=200)
    for path, seed in ((os.path.join(ROOT, 'traces', 'heat2d.trace'), 1), (os.path.join(ROOT, 'traces', 'fft2d-s16.trace'), 2), (made, 3)):
        trace, r = raw.read(path), random.Random(seed)
        played = Played(trace)

        def draw(program, view, at):
            out = os.path.join(folder, 'x.csv')
            done = subprocess.run([SCOPE, 'draw', path, '--program', program, '--view', view, '--at', f'{at / trace.ticks:.9f}', '-o', out],
                                  capture_output=True, text=True, env=env, timeout=60)
            if done.returncode and 'nothing has come' in done.stderr:
                return []
            assert done.returncode == 0, (path, view, at, done.stderr)
            return table(out)

        for at in [*(r.randrange(trace.first + 1, trace.last) for _ in range(few(3))), trace.last]:
            check_at(played, draw, at)
        check_whole(played, draw)
print(f'{checks} numbers are right')
assert checks > 1000
