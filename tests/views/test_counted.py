#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What charts count of a range of dates alone (`scope draw --range`), beside what a second computation from the raw files, the
model of tests/model, counts between the same dates: time in states and how often they were entered, how many tasks were in
them at once, messages and bytes of pairs, receives of each task.  A visit that is under way where the range begins is one
of it, also in slices inside of others and in call trees.  Lines of the source, work, what is under way and samples.  Waits of ranges side by side are those of the whole.  And what is
said where there is nothing to count.

usage: test_counted.py SCOPE SOURCE-ROOT [SEED]"""
import collections
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

SCOPE, ROOT = os.path.abspath(sys.argv[1]), sys.argv[2]
SEED = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get('SCOPE_SEED', '15'), 0)
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import pvm
import raw

PROGRAM = """<eve version="1"><title>Counted</title>
  <component name="Reader" class="scope.tapepvm-reader" version="1"/><component name="Simulator" class="scope.pvm-simulator" version="1"/>
  <component name="Durations" class="scope.state-durations" version="1"/><component name="Stays" class="scope.table-view" version="1"/>
  <component name="Profile" class="scope.profile" version="1"><setting name="rows">states of tasks</setting></component>
  <component name="States" class="scope.table-view" version="1"/>
  <component name="Concurrency" class="scope.concurrency" version="1"/><component name="At once" class="scope.table-view" version="1"/>
  <component name="Traffic" class="scope.traffic" version="1"/><component name="Pairs" class="scope.table-view" version="1"/>
  <component name="Waiting" class="scope.waiting-times" version="1"/>
  <component name="Owners" class="scope.statistics-by-owner" version="1"/><component name="Receives" class="scope.table-view" version="1"/>
  <component name="All" class="scope.statistics" version="1"/><component name="Figures" class="scope.table-view" version="1"/>
  <component name="Now" class="scope.state-table" version="1"/><component name="Instant" class="scope.table-view" version="1"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Reader" out="events" to="Waiting" in="events"/>
  <wire from="Simulator" out="states" to="Durations" in="states"/><wire from="Durations" out="table" to="Stays" in="table"/>
  <wire from="Simulator" out="states" to="Profile" in="states"/><wire from="Profile" out="table" to="States" in="table"/>
  <wire from="Simulator" out="states" to="Concurrency" in="states"/><wire from="Concurrency" out="table" to="At once" in="table"/>
  <wire from="Simulator" out="messages" to="Traffic" in="messages"/><wire from="Traffic" out="table" to="Pairs" in="table"/>
  <wire from="Waiting" out="dated" to="Owners" in="value"/><wire from="Owners" out="table" to="Receives" in="table"/>
  <wire from="Waiting" out="dated" to="All" in="value"/><wire from="All" out="table" to="Figures" in="table"/>
  <wire from="Simulator" out="states" to="Now" in="states"/><wire from="Now" out="table" to="Instant" in="table"/></eve>"""
STATES = ('Busy', 'Overhead', 'Idle', 'Talking')
checks = 0


def check(right, *what):
    global checks
    checks += 1
    if not right:
        sys.exit(f'FAILED (seed {SEED}): ' + ' '.join(str(w) for w in what))


def draw(trace, program, view, *more):
    out = os.path.join(os.path.dirname(os.environ['XDG_CACHE_HOME']), 'out.csv')  # the folder of this test
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run([SCOPE, 'draw', trace, '--program', program, '--view', view, '-o', out, *more], capture_output=True, text=True)
    if done.returncode != 0:
        return done.returncode, done.stderr
    with open(out, newline='', encoding='utf-8') as f:
        return 0, list(csv.DictReader(f))


class Counted:
    """The model before the first event of the range, and after the last."""
    def __init__(self, trace, first, last):
        model, self.trace, self.receives = pvm.Pvm(trace), trace, collections.Counter()
        before, at = {}, 0
        for at, e in enumerate(trace.events):
            if e.date >= first:
                break
            model.step(e)
        self.under_way = collections.Counter((trace.tasks[n].id, p.seen.state) for n, p in model.people.items() if p.seen is not None)
        times, links = dict(model.state(first)['times']) if model.clock is not None else {}, self.links(model)
        for e in trace.events[at:]:
            if e.date > last:
                break
            model.step(e)
            if e.end and e.kind in ('Recv', 'TRecv'):
                self.receives[trace.tasks[e.task].id] += 1
        self.time, self.visits = collections.Counter(), collections.Counter()
        for key, (spent, _, visits) in model.state(last)['times'].items():
            was = times.get(key, (0, 0, 0))
            self.time[key], self.visits[key] = spent - was[0], visits - was[2] + self.under_way[key]
        self.pairs = {k: (n - links.get(k, (0, 0))[0], size - links.get(k, (0, 0))[1]) for k, (n, size) in self.links(model).items()}

    @staticmethod
    def links(model):
        return {ends: (w.received, w.total) for ends, w in model.wires.items()}


def number(row, name):
    column = next(k for k in row if k == name or k.startswith(name + ' ['))
    return float(row[column] or 0)


def check_range(trace, told, program, first, last):
    ids = {(t.nickname or t.id): t.id for t in told.tasks.values()}
    own = Counted(told, first, last)
    span = f'{first / told.ticks:.9f}..{last / told.ticks:.9f}'

    def table(view):
        status, rows = draw(trace, program, view, '--range', span)
        check(status == 0, view, span, rows)
        return rows
    for row in table('Stays'):
        for state in STATES:
            if any(k == state or k.startswith(state + ' [s') for k in row):
                check(abs(number(row, state) - own.time[ids[row['task']], state] / told.ticks) < 2e-9, 'Stays', span, state, row)
    met = set()
    for row in table('States'):
        key = ids[row['task']], row['state']
        met.add(key)
        check(abs(number(row, 'exclusive') - own.time[key] / told.ticks) < 2e-9, 'States', span, key, row, own.time[key])
        check(int(row['visits']) == own.visits[key] > 0, 'States', span, key, row, own.visits[key])
        check(number(row, 'mean') <= (last - first) / told.ticks + 2e-9, 'States', span, key, row, 'longer than the range')
    check(all(key in met for key, n in own.visits.items() if n > 0 and key[1] in STATES), 'States', span, 'leaves somebody out')
    for row in table('At once'):
        want = sum(t for (_, state), t in own.time.items() if state == row['state']) / (last - first)
        check(abs(number(row, 'mean') - want) < 1e-6, 'At once', span, row, want)
    pairs = {(ids[r['from']], ids[r['to']]): (int(r['messages']), number(r, 'volume')) for r in table('Pairs')}
    want = {(told.tasks[a].id, told.tasks[b].id): n for (a, b), n in own.pairs.items() if n[0] > 0}
    check(pairs == want, 'Pairs', span, pairs, want)
    rows = table('Receives')
    name = next(iter(rows[0])) if rows else ''
    got = {ids[r[name]]: int(r['count']) for r in rows if int(r['count']) > 0}
    check(got == dict(own.receives), 'Receives', span, got, own.receives)
    figures = table('Figures')
    check(sum(int(r['count']) for r in figures) == sum(own.receives.values()), 'Figures', span, figures)


SLICES = """<eve version="1"><title>Slices</title>
  <component name="Reader" class="any.reader" version="1"/><component name="Simulator" class="scope.calls-simulator" version="1"/>
  <component name="Profile" class="scope.profile" version="1"/><component name="States" class="scope.table-view" version="1"/>
  <component name="Tree" class="scope.call-tree" version="1"/><component name="Calls" class="scope.table-view" version="1"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/>
  <wire from="Simulator" out="states" to="Profile" in="states"/><wire from="Profile" out="table" to="States" in="table"/>
  <wire from="Simulator" out="calls" to="Tree" in="calls"/><wire from="Tree" out="regions" to="Calls" in="table"/></eve>"""


def slices_of(rand, begin, end, depth, tid, to):
    """Slices inside of others, whose dates are all different."""
    while end - begin > 20 and rand.random() < 0.9:
        a = rand.randrange(begin + 1, end - 8, 2)
        b = min(a + rand.choice((6, 40, 200)), end - 1 - (end - 1 - a) % 2)
        if b - a < 4:
            return
        to.append((tid, f'f{depth}{rand.randrange(2)}', a, b, len(to)))
        if depth < 3:
            slices_of(rand, a, b, depth + 1, tid, to)
        begin = b


def check_slices(rand, folder):
    """Even dates are those of slices, in microseconds, and odd ones those of ranges."""
    slices = [(9, 'start', 0, 4, -1)]
    for tid in (11, 12, 13):
        slices_of(rand, 10, 2000, 0, tid, slices)
    path, program = os.path.join(folder, 'slices.json'), os.path.join(folder, 'slices.eve')
    with open(path, 'w', encoding='utf-8') as f:
        json.dump({'traceEvents': [{'ph': 'X', 'name': n, 'pid': 1, 'tid': t, 'ts': a, 'dur': b - a} for t, n, a, b, _ in slices]}, f)
    with open(program, 'w', encoding='utf-8') as f:
        f.write(SLICES)
    for _ in range(4):
        first, last = sorted(rand.sample(range(101, 1900, 2), 2))
        tasks, visits, inclusive = collections.defaultdict(set), collections.Counter(), collections.Counter()
        for tid, name, a, b, _ in slices:
            if a <= last and b >= first:
                tasks[name].add(tid)
                visits[name] += 1
                inclusive[name] += min(b, last) - max(a, first)
        span = f'{first}us..{last}us'
        status, rows = draw(path, program, 'States', '--range', span)
        check(status == 0, 'slices', span, rows)
        got = {r['state']: (int(r['tasks']), int(r['visits'])) for r in rows if r['state'] in visits or r['state'].startswith(('f', 'start'))}
        check(got == {n: (len(tasks[n]), visits[n]) for n in visits}, 'slices', span, got, visits)
        for r in rows:
            if r['state'] in visits:
                check(abs(number(r, 'inclusive') * 1e6 - inclusive[r['state']]) < 1e-3, 'slices', span, r)
                check(abs(number(r, 'mean') - number(r, 'exclusive') / visits[r['state']]) < 1e-9, 'slices', span, r)
        status, rows = draw(path, program, 'Calls', '--range', span)
        check(status == 0, 'calls', span, rows)
        name = next(k for k in rows[0] if k in ('call', 'region', 'state')) if rows else ''
        got = {r[name]: int(r['visits']) for r in rows if r[name] in visits or r[name].startswith(('f', 'start'))}
        check(got == dict(visits), 'calls', span, got, visits)
        for r in rows:
            if r[name] in visits:
                check(abs(number(r, 'mean visit') * 1e6 - inclusive[r[name]] / visits[r[name]]) < 1e-3, 'calls', span, r)


def check_waits(rand, name):
    """A wait counts in each range as far as it lies there, so that ranges side by side are the whole; one cut is inside of a wait, one just behind it."""
    path = os.path.join(ROOT, 'traces', name)
    tables = (('Kinds of wait', ('kind', 'task', 'region'), ('waited', 'by itself')), ('Late senders', ('sender', 'receiver'), ('waited',)),
              ('Waits of tasks', ('task',), ('waiting', 'waited for', 'Late sender', 'Wait at N x N')))

    def sums(view, keys, columns, *more):
        status, rows = draw(path, 'waits', view, *more)
        check(status == 0, name, view, more, rows)
        found = collections.Counter()
        for r in rows if status == 0 else []:
            for c in columns:
                if any(k == c or k.startswith(c + ' [') for k in r):
                    found[(*(r[k] for k in keys), c)] += number(r, c)
        return found
    status, rows = draw(path, 'waits', 'Kinds of wait')
    check(status == 0 and rows, name, rows)
    one = rand.choice([r for r in rows if number(r, 'longest') > 1e-6])
    begin, longest = number(one, 'begins at'), number(one, 'longest')
    cut = sums('Kinds of wait', ('kind', 'task', 'region'), ('longest',), '--range', f'{begin + longest / 4:.9f}..{begin + longest / 2:.9f}')
    key = *(one[k] for k in ('kind', 'task', 'region')), 'longest'
    check(abs(cut[key] - longest / 4) < 2e-9, name, 'of one wait its part in the range', one, cut)
    inside, behind = round(begin + longest * rand.uniform(0.1, 0.9), 9), round(begin + longest + 1e-9, 9)
    for view, keys, columns in tables:
        whole, parts = sums(view, keys, columns), collections.Counter()
        for span in (f'..{inside:.9f}', f'{inside:.9f}..{behind:.9f}', f'{behind:.9f}..'):
            parts.update(sums(view, keys, columns, '--range', span))
        check(sum(whole.values()) > 0 or view == 'Late senders' and name == 'mpi-collectives.otf2', name, view, 'is empty')
        for key in whole | parts:
            check(abs(whole[key] - parts[key]) < 2e-8, name, view, inside, behind, key, whole[key], parts[key])


MORE = """<eve version="1"><title>Counted more</title>
  <component name="Reader" class="scope.tapepvm-reader" version="1"/><component name="Simulator" class="scope.pvm-simulator" version="1"/>
  <component name="Lines" class="scope.source-lines" version="1"/><component name="Places" class="scope.table-view" version="1"/>
  <component name="Activity" class="scope.activity" version="1"><setting name="states">Busy</setting></component>
  <component name="Shares" class="scope.bar" version="1"/>
  <component name="Flight" class="scope.in-flight" version="1"/><component name="Queues" class="scope.bar" version="1"/>
  <component name="Pairs" class="scope.matrix-view" version="1"/>
  <component name="Samples" class="scope.event-presenter" version="1"><setting name="field">cpu</setting><setting name="kind">Sample</setting></component>
  <component name="Sampled" class="scope.sampled-work" version="1"/><component name="Had" class="scope.table-view" version="1"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Reader" out="events" to="Lines" in="events"/>
  <wire from="Reader" out="events" to="Samples" in="events"/><wire from="Samples" out="dated" to="Sampled" in="samples"/>
  <wire from="Simulator" out="states" to="Sampled" in="states"/><wire from="Sampled" out="table" to="Had" in="table"/>
  <wire from="Lines" out="lines" to="Places" in="table"/>
  <wire from="Simulator" out="states" to="Activity" in="states"/><wire from="Activity" out="share" to="Shares" in="value"/>
  <wire from="Simulator" out="changes" to="Flight" in="changes"/><wire from="Flight" out="queue" to="Queues" in="value"/>
  <wire from="Flight" out="pairs" to="Pairs" in="matrix"/></eve>"""


class More:
    """By the model and the raw events: calls of lines, work, what is under way, samples; between two dates, both counted."""
    def __init__(self, path, told, first, last):
        model, self.ticks, names = pvm.Pvm(told), told.ticks, {t.id: t.nickname or t.id for t in told.tasks.values()}
        lasts, before = max(last - first, 1), {}
        self.flight, self.busy = collections.Counter(), collections.Counter()

        def pass_time(since, until):
            part = max(min(until, last) - max(since, first), 0)
            for ends, size in before.get('wires', {}).items():
                self.flight[ends] += size * part / lasts
            for who in before.get('busy', ()):
                self.busy[who] += part
        since = told.first
        for e in told.events:
            if e.date > last:
                break
            pass_time(since, e.date)
            model.step(e)
            since = e.date
            before = {'wires': {tuple(told.tasks[n].nickname or told.tasks[n].id for n in (w.origin, w.destination)): model.link_state(w)[1]
                                for w in model.wires.values()},
                      'busy': [told.tasks[n].nickname or told.tasks[n].id for n, p in model.people.items() if p.seen and p.seen.state == 'Busy']}
        pass_time(since, last)
        # Dates in the raw file, in whole ticks; where calls stand, as the program tells.
        said = subprocess.run([SCOPE, 'events', path, '--json'], check=True, capture_output=True, text=True).stdout
        events = [json.loads(line) for line in said.splitlines()]
        self.calls, self.time, self.samples, seen = collections.Counter(), collections.Counter(), collections.Counter(), set()
        for e in events:
            at = round(e['t'] * told.ticks)
            if e['kind'] == 'Sample':
                who = names[e['task']]
                self.samples[who] += first <= at <= last and who in seen and e['cpu'] >= 0
                seen.add(who)
            if e.get('end') or not e.get('file') or 'duration' not in e or at > last:
                continue
            end = at + round(e['duration'] * told.ticks)
            if end >= first:
                key = f"{e['file']}:{e['line']}", e['name'] if e['kind'] == 'Phase' else e['kind']
                self.calls[key] += 1
                self.time[key] += max(min(end, last) - max(at, first), 0)


def check_more(rand, folder):
    """Lines, work, what is under way and samples of a range; and of ranges side by side."""
    path, program = os.path.join(ROOT, 'traces', 'farm-sampled.trace'), os.path.join(folder, 'more.eve')
    with open(program, 'w', encoding='utf-8') as f:
        f.write(MORE)
    told = raw.read(path)
    cuts = sorted(rand.sample(range(told.first + 1, told.last - 1), 2))
    spans = [(told.first, cuts[0]), (cuts[0] + 1, cuts[1]), (cuts[1] + 1, told.last), (told.first, told.last)]
    sums = [collections.Counter(), collections.Counter()]
    for n, (first, last) in enumerate(spans):
        own, whole = More(path, told, first, last), sums[n == 3]
        span = f'{first / told.ticks:.9f}..{last / told.ticks:.9f}'

        def table(view):
            status, rows = draw(path, program, view, '--range', span)
            check(status == 0, view, span, rows)
            return rows
        calls = {}
        for r in table('Places'):
            key = r['place'], r['call']
            calls[key] = int(r['calls'])
            check(abs(number(r, 'time') - own.time[key] / told.ticks) < 2e-9, 'Places', span, r, own.time[key])
            whole['alone', key] += number(r, 'alone')
            whole['time', key] += number(r, 'time')
        check(calls == dict(own.calls), 'Places', span, calls, own.calls)
        for r in table('Shares'):
            check(abs(float(r['value']) / 100 * (last - first) - own.busy[r['owner']]) < 2, 'Shares', span, r, own.busy[r['owner']])
        got = {r['owner']: float(r['value']) for r in table('Queues')}
        for who in got:
            want = sum(v for ends, v in own.flight.items() if ends[1] == who)
            check(abs(got[who] - want) < 1e-6 * max(want, 1), 'Queues', span, who, got[who], want)
        for r in table('Pairs'):
            name = next(iter(r))
            for to in list(r)[1:]:
                want = own.flight[r[name], to]
                check(abs(float(r[to] or 0) - want) < 1e-6 * max(want, 1), 'Pairs', span, r[name], to, r[to], want)
        samples = {r['task']: int(r['samples']) for r in table('Had')}
        check(samples == {k: v for k, v in own.samples.items() if v > 0}, 'Had', span, samples, own.samples)
        for r in table('Had'):
            for column in ('at work', 'sampled then', 'at least', 'not at work', 'sampled otherwise'):
                whole['samples', r['task'], column] += number(r, column)
    check(len(sums[1]) > 20, 'nothing was counted')
    for key in sums[0] | sums[1]:
        # between two ranges lies a tick
        check(abs(sums[0][key] - sums[1][key]) < 1e-7, 'side by side', key, sums[0][key], sums[1][key])


def main():
    rand = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
        program = os.path.join(folder, 'counted.eve')
        with open(program, 'w', encoding='utf-8') as f:
            f.write(PROGRAM)
        for name, n in (('fft2d-s16.trace', 3), ('births.trace', 2)):
            path = os.path.join(ROOT, 'traces', name)
            told = raw.read(path)
            spans = [tuple(sorted((rand.randrange(told.first, told.last), rand.randrange(told.first, told.last)))) for _ in range(n)]
            events = [e.date for e in told.events]
            spans.append(tuple(sorted(rand.sample(events, 2))))  # its ends are those of events, which count
            for first, last in spans:
                if first < last:
                    check_range(path, told, program, first, last)
            span = f'{told.first / told.ticks:.9f}..{told.last / told.ticks:.9f}'
            # all of it is what is counted without a range
            for view in ('Pairs', 'Receives'):
                check(draw(path, program, view, '--range', span) == draw(path, program, view, '--at', f'{told.last / told.ticks:.9f}'), view, 'of all')
        check_slices(rand, folder)
        check_more(rand, folder)
        for name in ('mpi-collectives.otf2', 'mpi-stencil.otf2'):
            check_waits(rand, name)
        path = os.path.join(ROOT, 'traces', 'fft2d-s16.trace')
        status, why = draw(path, program, 'Instant', '--range', '0.1..0.2')
        check(status == 1 and 'Instant' in why and 'alone' in why, status, why)
        for text, part in (('0.2..0.1', 'backward'), ('0.1', 'FROM..TO'), ('x..0.2', '')):
            status, why = draw(path, program, 'Pairs', '--range', text)
            check(status == 2 and part in why, text, status, why)
        status, why = draw(path, program, 'Pairs', '--range', '0.1..0.2', '--at', '0.2')
        check(status == 2 and '--at' in why, status, why)
    print(f'{checks} checks, seed {SEED}')


main()
