#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many tasks are in each state at once, at random instants, beside a second computation from the raw files: the model of
tests/model, played event by event.

usage: test_concurrency.py SCOPE SOURCE_FOLDER"""
import csv
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

SCOPE, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import pvm
import raw


def rows(path):
    with open(path, encoding='utf-8', newline='') as f:
        return list(csv.reader(f))


def want(trace, at):
    """{state: {number: share of the time in percent}}, {state: now}, {state: most} of all but those that are no life."""
    model, now, time, since, most = pvm.Pvm(trace), Counter(), defaultdict(Counter), trace.first, Counter()
    states = {}
    for e in trace.events:
        if e.date > at:
            break
        before = dict(states)
        model.step(e)
        states = {number: p.seen.state for number, p in model.people.items() if p.seen is not None}
        if states != before:
            for state in set(now) | set(most):
                time[state][now[state]] += e.date - since
            for state in set(states.values()) - set(most):      # none were in it until now
                time[state][0] += e.date - trace.first
            since, now = e.date, Counter(states.values())
            for state, n in now.items():
                most[state] = max(most[state], n)
    for state in most:
        time[state][now[state]] += at - since
    alive = [state for state in most if state != 'Dead']
    whole = at - trace.first
    return ({s: {n: 100 * t / whole for n, t in time[s].items()} for s in alive}, {s: now[s] for s in alive}, {s: most[s] for s in alive})


checks = 0
with tempfile.TemporaryDirectory() as folder:
    env = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache'))
    for name, seed in (('heat2d', 1), ('fft2d-s4', 2)):
        trace, r = raw.read(os.path.join(ROOT, 'traces', name + '.trace')), random.Random(seed)
        for at in [*(r.randrange(trace.first + 1, trace.last) for _ in range(4)), trace.last]:
            profile, now, most = want(trace, at)
            out = {}
            for view in ('Concurrency profile', 'Utilization'):
                out[view] = os.path.join(folder, view.replace(' ', '_') + '.csv')
                subprocess.run([SCOPE, 'draw', os.path.join(ROOT, 'traces', name + '.trace'), '--program', 'concurrency', '--view', view, '--at',
                                f'{at / 1e9:.9f}', '-o', out[view]], check=True, env=env)
            head, *body = rows(out['Concurrency profile'])
            shown = {s for s in now if most[s] > 0}
            assert shown <= set(head[1:]), (name, at, head, shown)      # others may have lasted for no time within one instant
            for k, state in enumerate(head[1:], 1):
                assert abs(sum(float(row[k]) for row in body) - 100) < 1e-6, (name, at, state)
                for n, row in enumerate(body):
                    expected = profile.get(state, {0: 100}).get(n, 0)
                    assert abs(float(row[k]) - expected) < 1e-6, (name, at, state, n, row[k], expected)
                    checks += 1
            for state, *cells in rows(out['Utilization'])[1:]:
                assert int(cells[0]) == now.get(state, 0) and int(cells[1]) >= most.get(state, 0), (name, at, state, cells)
                assert abs(float(cells[2]) - sum(n * p / 100 for n, p in profile.get(state, {}).items())) < 1e-6, (name, at, state)
print(f'{checks} numbers are right')
assert checks > 50
