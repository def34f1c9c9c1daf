#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time by line of the source at random instants, beside what Python makes of the events: by a run that ends there, and by
travel.

usage: test_source_lines.py SCOPE SOURCE_FOLDER"""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
from few import few

SCOPE, ROOT = sys.argv[1:3]
SAMPLES = ['fft2d-s4.trace', 'farm.trace', 'ring.trace', 'mpi-waits.otf2', 'mpi-stencil.otf2']
checks = 0


def fail(what):
    sys.exit(f'FAILED: {what}')


def same(what, got, want):
    global checks
    checks += 1
    ok = math.isclose(got, want, rel_tol=1e-9, abs_tol=2e-9) if isinstance(want, float) else got == want
    if not ok:
        fail(f'{what}: {got}, not {want}')


def scope(*words):
    done = subprocess.run([SCOPE, *words], capture_output=True, text=True, timeout=120)
    if done.returncode:
        fail(f'scope {" ".join(words)}: {done.stderr[:1000]}')
    return done


class Call:
    def __init__(self, place, since, key, children=0):
        self.place, self.since, self.key, self.alone_from, self.alone = place, since, key, since, 0
        self.part = self.inside = False


def model(events, at):
    """place (file:line, function, call) -> [calls, time, alone, longest] at an instant; all dates in seconds, exact.  Time alone is
    made of each task's stretches between two events: what is innermost has them."""
    places, stacks = {}, {}

    def own(place):
        return places.setdefault(place, [0, Decimal(0), Decimal(0), Decimal(0)])

    def finish(stack, upto, date):
        while len(stack) > upto:
            call = stack.pop()
            if not any(c.place == call.place for c in stack):
                own(call.place)[1] += date - call.since
            if not call.part:
                own(call.place)[3] = max(own(call.place)[3], date - call.since)

    def lasts(task, date):
        stack, since = stacks.setdefault(task, [[], date])
        if stack:
            own(stack[-1].place)[2] += date - since
        stacks[task][1] = date
        return stack
    for e in events:
        date = e['t']
        if date > at:
            break
        enters, leaves = e['kind'] in ('Enter', 'EnterAt'), e['kind'] == 'Leave'
        if not (enters or leaves or 'duration' in e or e.get('unfinished')) or e['kind'] in ('Begin', 'MpiSend', 'MpiRecv'):
            continue
        stack = lasts(e['task'], date)
        key = 'region' if enters or leaves else (e['kind'], e.get('line'))
        if leaves or e.get('end'):
            for i in range(len(stack) - 1, -1, -1):
                if stack[i].key == key:
                    finish(stack, i, date)
                    break
            continue
        name = e['region'] if enters else e.get('name') or e['kind']
        line = f'{e["file"]}:{e["line"]}' if 'file' in e else None
        call = Call((line, e.get('function', '') if line else '', name), date, key)
        if line is None and stack and stack[-1].place[0] is not None:
            call.place, call.part = stack[-1].place, True
        else:
            own(call.place)[0] += 1
        stack.append(call)
    for task in stacks:
        stack = lasts(task, at)
        finish(stack, 0, at)
    return {(line or 'no line', function, name): v for (line, function, name), v in places.items()}


def compare(what, path, events, at):
    want = model(events, at)
    with open(path, newline='', encoding='utf-8') as f:
        header, *rows = csv.reader(f)
    same(f'{what}: columns', header, ['place', 'function', 'call', 'calls', 'alone [s]', 'of all [%]', 'time [s]', 'mean [s]', 'longest [s]'])
    same(f'{what}: places', sorted(tuple(r[:3]) for r in rows), sorted(want))
    everything = sum(v[2] for v in want.values())
    for r in rows:
        calls, time, alone, longest = want[tuple(r[:3])]
        name = f'{what}: {r[0]} {r[2]}'
        same(f'{name}: calls', int(r[3]), calls)
        same(f'{name}: alone', float(r[4]), float(alone))
        same(f'{name}: share', float(r[5] or 0), float(100 * alone / everything) if everything else 0.0)
        same(f'{name}: time', float(r[6]), float(time))
        same(f'{name}: longest', float(r[8]), float(longest))
        if calls:
            same(f'{name}: mean', float(r[7]), float(time / calls))
    same(f'{what}: order', [float(r[4]) for r in rows], sorted((float(r[4]) for r in rows), reverse=True))


def check_tree(what, path, lines):
    """Each row of the tree is the sum of those inside of it; the calls are those of the table of lines."""
    with open(path, newline='', encoding='utf-8') as f:
        rows = list(csv.reader(f))[1:]
    with open(lines, newline='', encoding='utf-8') as f:
        leaves = list(csv.reader(f))[1:]
    sums, stack = {}, []
    for i, r in enumerate(rows):
        depth = int(r[1])
        del stack[depth:]
        if depth:
            sums[stack[-1]] = sums.get(stack[-1], 0) + float(r[2])
        stack.append(i)
    for i, total in sums.items():
        same(f'{what}: inside of {rows[i][0]}', float(rows[i][2]), total)
    inner = [r for i, r in enumerate(rows) if i not in sums]
    same(f'{what}: calls of the tree', len(inner), len(leaves))
    same(f'{what}: time of the tree', math.fsum(float(r[2]) for r in inner), math.fsum(float(r[4]) for r in leaves))


def main():
    seed = int(os.environ.get('SCOPE_SEED', '1'))
    with tempfile.TemporaryDirectory() as folder:
        os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
        for sample in SAMPLES:
            trace = os.path.join(ROOT, 'traces', sample)
            events = [json.loads(line, parse_float=Decimal, parse_int=lambda s: Decimal(s)) for line in scope('events', '--json', trace).stdout.splitlines()]
            random.seed(f'{seed} {sample}')
            first, last = events[0]['t'], events[-1]['t']
            for at in [first + (last - first) * Decimal(random.random()) for _ in range(few(4))] + [last]:
                at = round(at, 9)
                what, out = f'{sample} at {at}', os.path.join(folder, 'out')
                scope('run', trace, '--program', 'source-lines', '--out', out, '--until', str(at))
                compare(what, os.path.join(out, 'lines.csv'), events, at)
                for view, file in (('Lines', 'lines.csv'), ('Source', 'tree.csv')):
                    scope('draw', trace, '--program', 'source-lines', '--view', view, '--at', str(at), '-o', os.path.join(folder, file))
                compare(f'{what}, after travel', os.path.join(folder, 'lines.csv'), events, at)
                check_tree(what, os.path.join(folder, 'tree.csv'), os.path.join(folder, 'lines.csv'))
        pages = os.path.join(folder, 'report')
        scope('report', os.path.join(ROOT, 'traces', 'ring.trace'), '--program', 'source-lines', '-o', pages)
        with open(os.path.join(pages, 'index.html'), encoding='utf-8') as f:
            page = f.read()
        same('the report says which lines', 'Which lines of the source take the time' in page and 'ring.c:' in page, True)
        done = scope('run', os.path.join(ROOT, 'traces', 'philosophers.trace'), '--program', os.path.join(ROOT, 'schemas', 'lines', 'source-lines.eve'), '--out', os.path.join(folder, 'none'))
        same('a trace without lines says so', 'does not tell in which lines' in done.stderr, True)
    print(f'{checks} values of lines agree (seed {seed})')


main()
