#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results at random instants: each analysis component, on the way through a trace, beside what tape.py makes of the raw
file up to that instant, or the state of the simulator at it.  By a run that ends there, and by travel.

usage: test_instants.py SCOPE SOURCE_FOLDER"""
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), 'model')]
import raw
import tape
from pvm import Pvm

SCOPE, ROOT = sys.argv[1:3]
SAMPLES = ['fft2d-s16', 'farm', 'ring', 'heat2d']
INSTANTS = 3
RECEIVES = ('Recv', 'PRecv', 'TRecv', 'NRecv')
checks = 0


def fail(what):
    sys.exit(f'FAILED: {what}')


def same(what, got, want, relative=1e-9, absolute=1e-12):
    global checks
    checks += 1
    if isinstance(want, float) or isinstance(got, float):
        ok = math.isclose(float(got), float(want), rel_tol=relative, abs_tol=absolute)
    else:
        ok = got == want
    if not ok:
        fail(f'{what}: {got}, not {want}')


def scope(*words):
    done = subprocess.run([SCOPE, *words], capture_output=True, text=True, timeout=120)
    if done.returncode:
        fail(f'scope {" ".join(words)}: {done.stderr}')
    return done.stdout


def table(*path):
    with open(os.path.join(*path), newline='', encoding='utf-8') as f:
        rows = list(csv.reader(f))
    return (rows[0], rows[1:]) if rows else ([], [])


def text(ns):
    return f'{ns // 10**9}.{ns % 10**9:09d}'


class Past:
    """A trace as somebody knows it who has seen it up to an instant."""

    def __init__(self, trace, at):
        self.trace, self.at = trace, at
        self.name = trace.name
        self.receives = [r for r in trace.receives() if r[0] <= at]

    def overhead(self, begin, end):
        lives = {t: (b, min(d, end)) for t, (b, d) in self.trace.lives().items() if b <= self.at}
        def cut(a, b):
            return max(0, min(b, end) - max(a, begin))
        life = sum(cut(a, b) for a, b in lives.values())
        talk = sum(cut(a, b) for t, spans in self.trace.communications().items() if t in lives for a, b in spans if a <= self.at)
        return 100 * talk / life if life else None

    def messages(self):
        """(from, to) -> messages, bytes, of those received by now"""
        pairs = {}
        for d, k, c, t, l, f in self.trace.events:
            if k in RECEIVES and l >= 0 and d + l <= self.at and 0 < int(f['from']) < 2**31 and int(f['result']) >= 0:
                n, size = pairs.get((self.name(int(f['from'])), self.name(t)), (0, 0))
                pairs[self.name(int(f['from'])), self.name(t)] = (n + 1, size + int(f['bytes' if 'bytes' in f else 'size']))
        return pairs


def check_waiting(what, past, folder):
    times = [s for _, _, s in past.receives]
    if not times:
        return
    _, rows = table(folder, 'statistics.csv')
    row = rows[0]
    same(f'{what}: receives', int(row[1]), len(times))
    same(f'{what}: sum', float(row[2]), math.fsum(times))
    same(f'{what}: min', float(row[4]), min(times))
    same(f'{what}: max', float(row[11]), max(times))
    same(f'{what}: mean', float(row[12]), statistics.fmean(times))
    if len(times) > 1:
        same(f'{what}: deviation', float(row[13]), statistics.stdev(times))
    _, rows = table(folder, 'by-task.csv')
    own = {}
    for _, t, s in past.receives:
        own.setdefault(past.name(t), []).append(s)
    same(f'{what}: who waits', sorted(r[0] for r in rows), sorted(own))
    for r in rows:
        same(f'{what}: receives of {r[0]}', int(r[1]), len(own[r[0]]))
        same(f'{what}: waiting of {r[0]}', float(r[2]), math.fsum(own[r[0]]))
        same(f'{what}: longest of {r[0]}', float(r[5]), max(own[r[0]]))
    _, rows = table(folder, 'histogram.csv')
    for low, high, count in rows:
        same(f'{what}: bin {low}', int(count), sum(float(low) <= s < float(high) for s in times))


def check_traffic(what, past, folder):
    want = past.messages()
    if not want:
        return
    _, rows = table(folder, 'pairs.csv')
    same(f'{what}: traffic', {(r[0], r[1]): (int(r[2]), int(r[3])) for r in rows}, want)
    for name, k in (('messages.csv', 0), ('volume.csv', 1)):
        header, rows = table(folder, name)
        for row in rows:
            for to, x in zip(header[1:], row[1:]):
                same(f'{what}: {name} {row[0]} to {to}', int(float(x)), want.get((row[0], to), (0, 0))[k])


def check_states(what, path, state):
    """The shares of the table, to the digit that the state graph tells."""
    nodes = {n['Nickname']: n for n in state['nodes']}
    header, rows = table(path)
    same(f'{what}: tasks', sorted(r[0] for r in rows), sorted(nodes))
    for row in rows:
        for name in ('Busy', 'Overhead', 'Idle', 'Talking'):
            cell = row[header.index(name + ' [%]')]
            same(f'{what}: {name} of {row[0]}', float(cell or 0), float(nodes[row[0]]['Percent' + name]), absolute=0.0501)


def stays(trace, at):
    """(name, state, since, end) of each stay, those in progress as far as they have come, by the model of tests/model."""
    execution = raw.read(trace.bundle)
    model, all_stays, now = Pvm(execution), [], {}

    def leave(person, date):
        state, since = now.pop(person)
        all_stays.append((execution.tasks[person.number].nickname, state, since, date))
    for event in execution.events:
        if event.date > at:
            break
        model.step(event)
        for person in model.people.values():
            state = person.seen.state if person.seen else None
            if person in now and now[person][0] != state:
                leave(person, event.date)
            if person not in now and state is not None:
                now[person] = (state, event.date)
    for person in list(now):
        leave(person, at)
    return all_stays, execution.ticks


def stretches(trace, states, at):
    """name -> seconds of each stretch in some states; what begins at this instant has none yet."""
    spent = {}
    every, ticks = stays(trace, at)
    for name, its, since, end in every:
        if its in states and not since == end == at:
            spent.setdefault(name, []).append((end - since) / ticks)
    return spent


def check_window(what, trace, at, folder):
    """State Durations from a date to another, which is before or after the instant; and what it says behind a Filter."""
    first = min(e[0] for e in trace.events)
    begin, end = sorted(random.randint(first, trace.last) for _ in range(2))
    window = {'from': text(begin), 'to': text(end)}
    path = small(folder, [('R', 'tapepvm-reader', {}), ('S', 'pvm-simulator', {}), ('D', 'state-durations', window),
                          ('DF', 'data-file', {'file': 'window.csv'}), ('L', 'csv-sink', {'file': 'stays.csv'})],
                 ['R.events -> S.events', 'S.states -> D.states', 'D.table -> DF.in', 'D.dated -> L.in'])
    out = os.path.join(folder, 'window')
    scope('run', trace.bundle, '--program', path, '--out', out, '--until', text(at))
    every, ticks = stays(trace, at)
    spent, shown = {}, []
    for name, state, since, until in every:
        if since > end and not any(other == name and born <= end for other, _, born, _ in every):
            continue
        own = spent.setdefault(name, {})
        since, until = min(max(since, begin), end), min(max(until, begin), end)
        own[state] = own.get(state, 0) + until - since
        if until > since and state != 'Dead':
            shown.append((round(until / ticks, 9), name, round((until - since) / ticks, 9)))
    header, rows = table(out, 'window.csv')
    same(f'{what}, {window}: who', sorted(r[0] for r in rows), sorted(spent))
    for row in rows:
        own, life = spent[row[0]], sum(t for state, t in spent[row[0]].items() if state != 'Dead')
        for k, column in enumerate(header):
            state = column.split(' [')[0]
            if column.endswith('[s]'):
                same(f'{what}, {window}: {column} of {row[0]}', float(row[k]), own.get(state, 0) / ticks)
            elif column.endswith('[%]') and state != 'Dead' and life:
                same(f'{what}, {window}: {column} of {row[0]}', float(row[k]), 100 * own.get(state, 0) / life)
    _, rows = table(out, 'stays.csv')
    mine = sorted(s for s in shown if s[2] > 0)
    theirs = sorted((round(float(r[0]), 9), r[1], round(float(r[2]), 9)) for r in rows if float(r[2]) > 0)
    same(f'{what}, {window}: number of stays', len(theirs), len(mine))
    same(f'{what}, {window}: stays', theirs, mine)


def check_stretches(what, path, want):
    """The table of Statistics by Owner over the stretches of each task in one state."""
    _, rows = table(path)
    same(f'{what}: who', sorted(r[0] for r in rows), sorted(want))
    for r in rows:
        own = want[r[0]]
        same(f'{what}: stretches of {r[0]}', int(r[1]), len(own))
        same(f'{what}: sum of {r[0]}', float(r[2]), math.fsum(own))
        same(f'{what}: longest of {r[0]}', float(r[5]), max(own))


def check_imbalance(what, trace, at, folder):
    busy = stretches(trace, ('Busy', 'Overhead', 'Talking'), at)
    check_stretches(what, os.path.join(folder, 'busy.csv'), busy)
    sums = [math.fsum(own) for own in busy.values()]
    if sum(sums) > 0:
        _, last = table(folder, 'imbalance.csv')
        same(f'{what}: rows of imbalance', len(last), 1)
        same(f'{what}: imbalance', float(last[-1][0]), (max(sums) / statistics.fmean(sums) - 1) * 100, absolute=1e-6)


def check_idle(what, trace, at, folder):
    """The stays themselves, as rows, as a histogram, as statistics, behind a filter, and by owner."""
    path = small(folder, [('R', 'tapepvm-reader', {}), ('S', 'pvm-simulator', {}), ('D', 'state-durations', {'states': 'Idle'}),
                          ('F', 'filter', {'where': 'value &gt; 1 ms'}), ('B', 'statistics-by-owner', {}), ('BF', 'data-file', {'file': 'idle.csv'}),
                          ('T', 'statistics', {}), ('TF', 'data-file', {'file': 'all.csv'}), ('H', 'histogram', {'to': '1'}),
                          ('HF', 'data-file', {'file': 'bins.csv'}), ('L', 'csv-sink', {'file': 'rows.csv'}),
                          ('C', 'statistics-by-owner', {}), ('CF', 'data-file', {'file': 'long.csv'})],
                 ['R.events -> S.events', 'S.states -> D.states', 'D.dated -> B.value', 'B.table -> BF.in', 'D.dated -> T.value', 'T.table -> TF.in',
                  'D.dated -> H.value', 'H.histogram -> HF.in', 'D.dated -> L.in', 'D.dated -> F.in', 'F.passed -> C.value', 'C.table -> CF.in'])
    out = os.path.join(folder, 'idle')
    scope('run', trace.bundle, '--program', path, '--out', out, '--until', text(at))
    want = stretches(trace, ('Idle',), at)
    stays = sorted(s for own in want.values() for s in own)
    if not stays:
        return
    check_stretches(f'{what}: idle', os.path.join(out, 'idle.csv'), want)
    long = {name: [s for s in own if s > 0.001] for name, own in want.items()}
    check_stretches(f'{what}: long idle', os.path.join(out, 'long.csv'), {name: own for name, own in long.items() if own})
    _, rows = table(out, 'rows.csv')
    for mine, theirs in zip(stays, sorted(float(r[2]) for r in rows)):
        same(f'{what}: a stay', theirs, mine)
    same(f'{what}: stays', len(rows), len(stays))
    _, rows = table(out, 'all.csv')
    same(f'{what}: stays of all', int(rows[0][1]), len(stays))
    same(f'{what}: sum of all', float(rows[0][2]), math.fsum(stays))
    _, rows = table(out, 'bins.csv')
    same(f'{what}: stays in bins', sum(int(r[2]) for r in rows), len(stays))


def check_calls(what, trace, at, folder):
    """States that nobody knows before they come, as those of calls: their columns beside the stretches of the film."""
    path = small(folder, [('R', 'tapepvm-reader', {}), ('S', 'calls-simulator', {}), ('D', 'state-durations', {}), ('V', 'space-time', {}),
                          ('DF', 'data-file', {'file': 'calls.csv'})],
                 ['R.events -> S.events', 'S.states -> D.states', 'S.states -> V.states', 'D.table -> DF.in'])
    out, picture = os.path.join(folder, 'calls'), os.path.join(folder, 'calls-of-all.csv')
    scope('run', trace.bundle, '--program', path, '--out', out, '--until', text(at))
    if not os.path.exists(os.path.join(out, 'calls.csv')):
        return
    scope('draw', trace.bundle, '--program', path, '--view', 'V', '-o', picture)
    _, rows = table(picture)
    spent, now = {}, at / tape.NS
    for row in rows:
        if row[0] == 'state' and float(row[4]) < now:
            key = (row[2], row[3])
            spent[key] = spent.get(key, 0) + min(float(row[5]), now) - float(row[4])
    header, rows = table(out, 'calls.csv')
    states = [column[:-4] for column in header if column.endswith(' [s]')]
    told = {(row[0], state): float(row[header.index(state + ' [s]')]) for row in rows for state in states}
    for key in set(told) | set(spent):
        same(f'{what}: calls, {key}', told.get(key, 0), spent.get(key, 0), relative=1e-6, absolute=1e-8 * max(1, len(rows)))


def check_chosen(what, past, state, folder):
    """A State Presenter of one task tells its share, as of the instant, and nothing of others."""
    if not state['nodes']:
        return
    node = random.choice(state['nodes'])
    path = small(folder, [('R', 'tapepvm-reader', {}), ('S', 'pvm-simulator', {}),
                          ('P', 'state-presenter', {'attribute': 'PercentIdle', 'object': node['Nickname']}), ('L', 'csv-sink', {'file': 'one.csv'})],
                 ['R.events -> S.events', 'S.states -> P.changes', 'P.dated -> L.in'])
    out = os.path.join(folder, 'chosen')
    scope('run', past.trace.bundle, '--program', path, '--out', out, '--until', text(past.at))
    _, rows = table(out, 'one.csv')
    same(f'{what}: who was chosen', {r[1] for r in rows}, {node['Nickname']})
    same(f'{what}: date of {node["Nickname"]}', float(rows[-1][0]), past.at / tape.NS)
    same(f'{what}: idle share of {node["Nickname"]}', float(rows[-1][2]), float(node['PercentIdle']), absolute=0.0501)


def check_overhead(what, past, folder):
    """Samples of the phases that are over, and of what has come since."""
    ends = sorted({e for e in past.trace.phase_ends(100000) if e <= past.at})
    _, rows = table(folder, 'overhead-dated.csv')
    begin, n = 0, 0
    for end in ends + ([past.at] if not ends or past.at > ends[-1] else []):
        want = past.overhead(begin, end)
        if want is None:
            continue
        same(f'{what}: date of sample {n}', float(rows[n][0]), end / tape.NS)
        same(f'{what}: sample {n}', float(rows[n][2]), want, absolute=1e-9)
        begin, n = end, n + 1
    same(f'{what}: samples', len(rows), n)


def check_panel(what, past, folder):
    """Values on a panel at an instant: of equal intervals, and of what has come since the last one."""
    picture = os.path.join(folder, 'panel.csv')
    scope('draw', past.trace.bundle, '--program', 'overhead-panel', '--view', 'Panel', '--at', text(past.at), '-o', picture)
    got = {r[1]: r[2] for r in table(picture)[1] if r[0] == 'Overhead'}
    first = past.trace.events[0][0]
    interval = max((past.trace.last - first) // 100, 1)
    ends = list(range(first + interval, past.at + 1, interval))
    if past.at > (ends or [first])[-1]:
        ends.append(past.at)
    begin, shares = first, []
    for end in ends:
        share = past.overhead(begin, end)
        if share is not None:
            shares.append(share)
            begin = end
    if not shares:
        same(f'{what}: nothing on the panel', got['Samples'], '–')
        return
    same(f'{what}: samples on the panel', int(got['Samples']), len(shares))
    for name, want in (('Overhead', shares[-1]), ('Least', min(shares)), ('Most', max(shares))):
        same(f'{what}: {name} on the panel', float(got[name].split()[0]), want, relative=0.0051, absolute=1e-6)
    trend, word = 0, 'steady'
    for a, b in zip(shares, shares[1:]):
        step = (b > a + 1e-12) - (b < a - 1e-12)
        trend = trend + 1 if step and (step > 0) == (word == 'rising') and word != 'steady' else 1 if step else 0
        word = ('falling', 'steady', 'rising')[step + 1]
    told = word if not trend else f'{word} for {trend} sample{"" if trend == 1 else "s"}'
    same(f'{what}: trend on the panel', got['Trend'], told)
    same(f'{what}: under way on the panel', int(got['Under way']), int(got['Sends']) - int(got['Receives']))
    same(f'{what}: receives on the panel', int(got['Receives']), sum(n for n, _ in past.messages().values()))


def small(folder, components, wires):
    path = os.path.join(folder, 'small.eve')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('<eve version="1"><title>t</title>')
        for name, klass, settings in components:
            inner = ''.join(f'<setting name="{k}">{v}</setting>' for k, v in settings.items())
            f.write(f'<component name="{name}" class="scope.{klass}" version="1" x="0" y="0">{inner}</component>')
        for wire in wires:
            (a, out), (b, into) = (side.split('.') for side in wire.split(' -> '))
            f.write(f'<wire from="{a}" out="{out}" to="{b}" in="{into}"/>')
        f.write('</eve>')
    return path


def check_small(what, past, state, folder):
    """What no program on offer has: the last n, a correlation, a percentage, arithmetic behind an analysis, and that what
    is told at rest is no further datum of a sequence."""
    path = small(folder, [('R', 'tapepvm-reader', {}), ('W', 'waiting-times', {}), ('S', 'pvm-simulator', {}),
                          ('L', 'statistics', {'over': 'last n', 'n': 7, 'every': 1000}), ('LF', 'csv-sink', {'file': 'last.csv', 'columns': 'mean,max'}),
                          ('H', 'histogram', {'every': 1000}), ('U', 'unary', {'operation': 'negate'}), ('UF', 'csv-sink', {'file': 'unary.csv'}),
                          ('C', 'counter', {}), ('CF', 'csv-sink', {'file': 'count.csv'}),
                          ('M', 'statistics', {}), ('MF', 'data-file', {'file': 'of-means.csv'}),
                          ('K', 'correlation', {'every': 1000}), ('D', 'delay', {'mode': 'shift'}), ('KF', 'csv-sink', {'file': 'correlation.csv'}),
                          ('P', 'state-presenter', {'attribute': 'PercentBusy'}), ('B', 'value-panel', {}), ('PF', 'csv-sink', {'file': 'busy.csv'})],
                 ['R.events -> W.events', 'R.events -> S.events', 'W.value -> L.value', 'L.mean -> LF.1', 'L.max -> LF.2', 'W.value -> H.value',
                  'H.mean -> U.in', 'U.out -> UF.1', 'H.mean -> C.in', 'C.count -> CF.in', 'H.mean -> M.value', 'M.table -> MF.in', 'W.value -> K.x',
                  'W.value -> D.in', 'D.out -> K.y', 'K.correlation -> KF.1', 'S.states -> P.changes', 'P.dated -> B.value', 'P.dated -> PF.in'])
    out = os.path.join(folder, 'small')
    scope('run', past.trace.bundle, '--program', path, '--out', out, '--until', text(past.at))
    times = [s for _, _, s in past.receives]
    if times:
        last = times[-7:]
        _, rows = table(out, 'last.csv')
        same(f'{what}: mean of the last', float(rows[-1][0]), statistics.fmean(last))
        same(f'{what}: longest of the last', float(rows[-1][1]), max(last))
        _, rows = table(out, 'unary.csv')
        same(f'{what}: the other way round', float(rows[-1][0]), -statistics.fmean([t for t in times]))
        due = [n for n in range(1, len(times) + 1) if (n < 1000 and n & (n - 1) == 0) or n % 1000 == 0]
        given = len(due) + (past.at == past.trace.last and due[-1] != len(times))  # the end is no rest
        _, rows = table(out, 'count.csv')
        same(f'{what}: means that were given', len(rows), given)
        _, rows = table(out, 'of-means.csv')
        same(f'{what}: means that were counted', int(rows[0][1]), given)
    if len(set(times)) > 2:
        before = [times[0]] + times[:-1]
        _, rows = table(out, 'correlation.csv')
        mx, my = statistics.fmean(times), statistics.fmean(before)
        sxy = math.fsum((a - mx) * (b - my) for a, b in zip(times, before))
        sxx, syy = math.fsum((a - mx)**2 for a in times), math.fsum((b - my)**2 for b in before)
        same(f'{what}: correlation', float(rows[-1][0]), sxy / math.sqrt(sxx * syy), relative=1e-6, absolute=1e-9)
    _, rows = table(out, 'busy.csv')
    last = {r[1]: (float(r[0]), float(r[2])) for r in rows}
    for node in state['nodes']:
        date, share = last[node['Nickname']]
        same(f'{what}: date of {node["Nickname"]}', date, past.at / tape.NS)
        same(f'{what}: busy share of {node["Nickname"]}', share, float(node['PercentBusy']), absolute=0.0501)


def check_instant(trace, sample, at):
    what, past = f'{sample} at {text(at)}', Past(trace, at)
    state = json.loads(scope('state', trace.bundle, '--at', text(at), '--json'))
    with tempfile.TemporaryDirectory() as folder:
        for program, check in (('waiting-times', check_waiting), ('traffic', check_traffic), ('communication-overhead', check_overhead)):
            out = os.path.join(folder, program)
            scope('run', trace.bundle, '--program', program, '--out', out, '--until', text(at))
            check(what, past, out)
        check_panel(what, past, folder)
        program, out = 'load-balance', os.path.join(folder, 'balance')
        scope('run', trace.bundle, '--program', program, '--out', out, '--until', text(at))
        if state['nodes']:
            check_states(what, os.path.join(out, 'states.csv'), state)
            check_imbalance(what, trace, at, out)
            check_idle(what, trace, at, folder)
            check_window(what, trace, at, folder)
            check_calls(what, trace, at, folder)
            picture = os.path.join(folder, 'view.csv')
            scope('draw', trace.bundle, '--program', program, '--view', 'Time by state', '--at', text(at), '-o', picture)
            check_states(f'{what}, after travel', picture, state)
            same(f'{what}: the same by both ways', table(picture), table(out, 'states.csv'))
        check_small(what, past, state, folder)
        check_chosen(what, past, state, folder)


def main():
    seed = int(os.environ.get('SCOPE_SEED', '1'))
    with tempfile.TemporaryDirectory() as cache:
        os.environ['XDG_CACHE_HOME'] = cache
        for sample in SAMPLES:
            trace = tape.Trace(ROOT, sample)
            random.seed(f'{seed} {sample}')
            first = min(e[0] for e in trace.events)
            for _ in range(INSTANTS):
                check_instant(trace, sample, random.randint(first, trace.last))
            check_instant(trace, sample, trace.last)
    print(f'{checks} values at instants agree (seed {seed})')


main()
