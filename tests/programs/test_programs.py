#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs for PVM over each sample, and compares what it writes with what tape.py makes of the raw
file, or the simulator of the end of the execution.

usage: test_programs.py SCOPE SOURCE_FOLDER"""
import csv
import glob
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tape

SCOPE, ROOT = sys.argv[1:3]
SAMPLES = sorted(os.path.basename(p)[:-6] for p in glob.glob(os.path.join(ROOT, 'traces', '*.trace'))
                 if glob.glob(os.path.join(p, '*.tapepvm', 'events')))
PROGRAMS = ['overview', 'waiting-times', 'communication-overhead', 'traffic', 'watch-overhead', 'load-balance', 'look-closer']
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


def run(sample, program, out, *more):
    command = [SCOPE, 'run', os.path.join(ROOT, 'traces', f'{sample}.trace'), '--program',
               program, '--out', out, *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        fail(f'{" ".join(command)}: {done.stderr}')
    return done.stderr


def table(out, name):
    with open(os.path.join(out, name), newline='', encoding='utf-8') as f:
        rows = list(csv.reader(f))
    return rows[0], rows[1:]


def last_state(sample, trace):
    done = subprocess.run([SCOPE, 'state', os.path.join(ROOT, 'traces', f'{sample}.trace'), '--at',
                           f'{trace.last // 10**9}.{trace.last % 10**9:09d}', '--json'],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def check_waiting(sample, trace, out):
    times = [s for _, _, s in trace.receives()]
    _, rows = table(out, 'statistics.csv')
    row = rows[0]
    same(f'{sample}: receives', int(row[1]), len(times))
    if times:
        same(f'{sample}: sum', float(row[2]), math.fsum(times))
        same(f'{sample}: min', float(row[4]), min(times))
        same(f'{sample}: max', float(row[11]), max(times))
        same(f'{sample}: mean', float(row[12]), statistics.fmean(times))
        if len(times) > 1:
            same(f'{sample}: deviation', float(row[13]), statistics.stdev(times))
        for column, q in ((5, .01), (6, .25), (7, .5), (8, .75), (9, .9), (10, .99)):
            same(f'{sample}: quantile {q}', float(row[column]), tape.quantile(times, q), relative=1 / 129 * (1 + 1e-9))
    _, rows = table(out, 'by-task.csv')
    same(f'{sample}: tasks that wait', sorted(r[0] for r in rows), sorted({trace.name(t) for _, t, _ in trace.receives()}))
    for r in rows:
        own = [s for _, t, s in trace.receives() if trace.name(t) == r[0]]
        same(f'{sample}: receives of {r[0]}', int(r[1]), len(own))
        same(f'{sample}: waiting of {r[0]}', float(r[2]), math.fsum(own))
    _, rows = table(out, 'histogram.csv')
    same(f'{sample}: bins', len(rows) <= 42, True)
    same(f'{sample}: all are counted', sum(int(r[2]) for r in rows), len(times))
    for low, high, count in rows:
        # The end of the last bin belongs to it, but none lies there when the interval fits itself.
        same(f'{sample}: bin {low}', int(count), sum(float(low) <= s < float(high) for s in times))


def check_overhead(sample, trace, out, dated, ends):
    begin, n = 0, 0
    _, rows = table(out, dated)
    for end in ends:
        want = trace.overhead(begin, end)
        if want is None:
            continue
        same(f'{sample}: date of sample {n}', float(rows[n][0]), end / tape.NS)
        same(f'{sample}: overhead until {end / tape.NS}', float(rows[n][2]), want, absolute=1e-9)
        begin, n = end, n + 1
    return n, rows


def check_phases(sample, trace, out):
    ends = trace.phase_ends(100000)
    last = ends[-1] if ends else 0
    n, rows = check_overhead(sample, trace, out, 'overhead-dated.csv', sorted(set(ends)) + ([trace.last] if trace.last > last else []))
    same(f'{sample}: samples', len(rows), n)
    header, rows = table(out, 'overhead.csv')
    sends = sum(len(f['to']) if k == 'Mcast' else 1 for d, k, c, t, l, f in trace.events if k in ('Send', 'PSend', 'Mcast'))
    same(f'{sample}: sends', int(rows[-1][header.index('sends')]), sends)
    # What comes from the virtual machine itself (notifications) is no message of a task.
    receives = sum(k in ('Recv', 'PRecv', 'TRecv', 'NRecv') and 0 < int(f['from']) < 2**31 and int(f['result']) >= 0 and l >= 0
                   for d, k, c, t, l, f in trace.events)
    same(f'{sample}: receives', int(rows[-1][header.index('receives')]), receives)
    same(f'{sample}: under way', int(rows[-1][header.index('under way')]), sends - receives)
    same(f'{sample}: phases', int(rows[-1][header.index('phases')]), len(ends))
    values = [float(r[0]) for r in rows]
    trend = 0
    for i, r in enumerate(rows):
        same(f'{sample}: smallest', float(r[1]), min(values[:i + 1]))
        same(f'{sample}: largest', float(r[2]), max(values[:i + 1]))
        if i:
            up = (values[i] > values[i - 1]) - (values[i] < values[i - 1])
            trend = trend + up if up * trend > 0 else up
        same(f'{sample}: trend', int(r[7]), trend)


def check_traffic(sample, trace, out):
    state = last_state(sample, trace)
    names = {n['id']: n['Nickname'] for n in state['nodes']}
    want = {(names[e['from']], names[e['to']]): (int(e['Messages']), int(e['TotalTraffic'])) for e in state['edges']}
    _, rows = table(out, 'pairs.csv')
    got = {(r[0], r[1]): (int(r[2]), int(r[3])) for r in rows}
    same(f'{sample}: traffic', got, {k: v for k, v in want.items() if v[0]})
    for name, k in (('messages.csv', 0), ('volume.csv', 1)):
        header, rows = table(out, name)
        for row in rows:
            for to, x in zip(header[1:], row[1:]):
                same(f'{sample}: {name} {row[0]} to {to}', int(float(x)), want.get((row[0], to), (0, 0))[k])


def check_states(sample, trace, out, program):
    state = {n['Nickname']: n for n in last_state(sample, trace)['nodes']}
    header, rows = table(out, 'states.csv')
    same(f'{sample}: tasks of {program}', sorted(r[0] for r in rows), sorted(state))
    for row in rows:
        for name in ('Busy', 'Overhead', 'Idle', 'Talking'):
            same(f'{sample}: {name} of {row[0]}', f'{float(row[header.index(name + " [%]")]):.1f}', state[row[0]]['Percent' + name])


def check_balance(sample, trace, out):
    check_states(sample, trace, out, 'load-balance')
    header, states = table(out, 'states.csv')
    _, rows = table(out, 'busy.csv')
    for row in rows:                                # the last stretch of a task that never dies ends with the trace
        busy = next(sum(float(s[header.index(f'{name} [s]')]) for name in ('Busy', 'Overhead', 'Talking')) for s in states if s[0] == row[0])
        same(f'{sample}: {row[0]} in stretches', float(row[2]), busy)
    sums = [float(r[2]) for r in rows]
    if sum(sums) > 0:
        _, last = table(out, 'imbalance.csv')
        same(f'{sample}: imbalance', float(last[-1][0]), (max(sums) / statistics.fmean(sums) - 1) * 100, absolute=1e-6)


def check_watch(sample, trace, out, said):
    ends = sorted(set(trace.phase_ends(100000)))
    begin, stop = 0, None
    for end in ends + ([trace.last] if not ends or trace.last > ends[-1] else []):
        value = trace.overhead(begin, end)
        if value is not None and value > 50:
            stop = end
            break
        begin = end if value is not None else begin
    written = os.path.join(out, 'triggered.csv')
    if stop is None:
        same(f'{sample}: the watch is silent', os.path.exists(written), False)
        _, samples = table(out, 'overhead.csv')     # also in a cycle the last sample comes at the end
        same(f'{sample}: the last sample', float(samples[-1][0]), trace.last / tape.NS)
        return
    header, rows = table(out, 'triggered.csv')
    same(f'{sample}: what the watch did', rows[0][2], 'pause')
    same(f'{sample}: when the watch acted', float(rows[0][1]), stop / tape.NS)
    same(f'{sample}: who', rows[0][3], 'Watch')
    if 'pause, because the communication overhead' not in said:
        fail(f'{sample}: the run does not tell of the watch: {said}')


def check_look_closer(sample, trace, out, said):
    """With the part as soon as one waits longer than 20 ms, which then tells of the whole execution."""
    receives = sorted(trace.receives())
    long = [(d / tape.NS, trace.name(t), s) for d, t, s in receives if s > 0.02]
    if not long:
        same(f'{sample}: what is written of nobody who waits', [n for n in os.listdir(out) if n.endswith('.csv')], [])
        never = re.fullmatch(r'scope: Watch: It never acted: none of (\d+) values was outside; the waiting time went from (\S+) s to (\S+) s\.\n', said)
        times = [s for _, _, s in receives]
        if not times:
            same(f'{sample}: what is said of nobody who waits', said, 'scope: Watch: It never acted: no waiting time came.\n')
        elif not never:
            fail(f'{sample}: what is said of nobody who waits: {said}')
        else:
            same(f'{sample}: waits that were looked at', int(never[1]), len(times))
            same(f'{sample}: the shortest and the longest', never[2] + never[3], '%.6g%.6g' % (min(times), max(times)))
        return
    _, rows = table(out, 'triggered.csv')
    same(f'{sample}: when it looks closer', float(rows[0][1]), long[0][0])
    same(f'{sample}: what it does', (rows[0][2], rows[0][3]), ('add parts/who-waits', 'Watch'))
    _, rows = table(out, 'long-waits.csv')
    same(f'{sample}: long waits', [(float(r[0]), r[1]) for r in rows], [w[:2] for w in long])
    for r, (_, _, s) in zip(rows, long):
        same(f'{sample}: long wait', float(r[2]), s)
    _, rows = table(out, 'by-task.csv')
    same(f'{sample}: tasks', sorted(r[0] for r in rows), sorted({trace.name(t) for _, t, _ in receives}))
    for r in rows:
        own = [s for _, t, s in receives if trace.name(t) == r[0]]
        same(f'{sample}: receives of {r[0]}', int(r[1]), len(own))
        same(f'{sample}: waiting of {r[0]}', float(r[2]), math.fsum(own))


def small(folder, components, wires):
    """A program file of our own."""
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


def check_samplings(sample, trace):
    """The samplings that no program on offer uses, beside a count by hand of the dates they fall on."""
    ends = [(d, t) for d, t in trace.received()]
    third = [d for i, (d, _) in enumerate(ends) if i % 3 == 2]
    own, fifth = {}, []
    for d, t in ends:
        own[t] = own.get(t, 0) + 1
        if own[t] % 5 == 0:
            fifth.append(d)
    phases = trace.phase_ends(100000)
    for sampling, n, dates, so_far in (('receives', 3, third, False), ('receives of a task', 5, fifth, False), ('phases so far', 1, phases, True),
                                       ('phases', 2, phases[1::2], False), ('at the end', 1, [], True)):
        with tempfile.TemporaryDirectory() as out:
            path = small(out, [('Reader', 'tapepvm-reader', {}), ('O', 'communication-overhead', {'sampling': sampling, 'n': n}),
                               ('F', 'csv-sink', {'file': 'o.csv'})], ['Reader.events -> O.events', 'O.dated -> F.in'])
            subprocess.run([SCOPE, 'run', trace.bundle, '--program', path, '--out', out], check=True, capture_output=True, timeout=60)
            _, rows = table(out, 'o.csv')
        begin, i = 0, 0
        for end in dates + [trace.last]:
            want = trace.overhead(0 if so_far else begin, end)
            if want is None or (not so_far and end == begin):
                continue
            same(f'{sample}, {sampling}: date of sample {i}', float(rows[i][0]), end / tape.NS)
            same(f'{sample}, {sampling}: sample {i}', float(rows[i][2]), want, absolute=1e-9)
            begin, i = end, i + 1
        same(f'{sample}, {sampling}: samples', len(rows), i)


def check_presenter(sample, trace):
    """What the state presenter gave last of each object, beside the state at the end."""
    state = last_state(sample, trace)
    with tempfile.TemporaryDirectory() as out:
        path = small(out, [('Reader', 'tapepvm-reader', {}), ('S', 'pvm-simulator', {}), ('P', 'state-presenter', {'attribute': 'PercentIdle'}),
                           ('Q', 'state-presenter', {'attribute': 'PercentIdle'}), ('T', 'state-presenter', {'of': 'link', 'attribute': 'TotalTraffic'}),
                           ('F', 'csv-sink', {'file': 'p.csv'}), ('G', 'csv-sink', {'file': 'q.csv'}), ('H', 'csv-sink', {'file': 't.csv'})],
                     ['Reader.events -> S.events', 'S.states -> P.changes', 'S.changes -> Q.changes', 'S.changes -> T.changes', 'P.dated -> F.in',
                      'Q.dated -> G.in', 'T.dated -> H.in'])
        subprocess.run([SCOPE, 'run', trace.bundle, '--program', path, '--out', out], check=True, capture_output=True, timeout=60)
        (_, idle), (_, idle_too), (_, traffic) = (table(out, name) for name in ('p.csv', 'q.csv', 't.csv'))
    # those that are present at the end come by their number: of the task there, of the node here
    same(f'{sample}: the same from changes as from states', sorted(idle_too), sorted(idle))
    last = {r[1]: r[2] for r in idle}
    for node in state['nodes']:
        if node['State'] == 'Dead':
            same(f'{sample}: idle share of {node["Nickname"]}', f'{float(last[node["Nickname"]]):.1f}', node['PercentIdle'])
    last = {r[1]: int(r[2]) for r in traffic}
    same(f'{sample}: traffic of links', sorted(last.values()), sorted(int(e['TotalTraffic']) for e in state['edges'] if int(e['TotalTraffic'])))


def check_attributes(sample, trace):
    """Expressions over attributes and states, by two ways to the same changes."""
    task = trace.name(trace.events[0][3])
    with tempfile.TemporaryDirectory() as out:
        path = small(out, [('Reader', 'tapepvm-reader', {}), ('S', 'pvm-simulator', {}),
                           ('A', 'filter', {'where': f'attribute == State and object == node and state == Busy and task == &quot;{task}&quot;'}),
                           ('B', 'filter', {'where': 'state == Busy and not was == Idle', 'tasks': task}),
                           ('C', 'filter', {'where': 'state == Busy and was == Idle', 'tasks': task}),
                           ('F', 'csv-sink', {'file': 'a.csv'}), ('G', 'csv-sink', {'file': 'b.csv'}), ('H', 'csv-sink', {'file': 'c.csv'})],
                     ['Reader.events -> S.events', 'S.changes -> A.in', 'S.states -> B.in', 'S.states -> C.in', 'A.passed -> F.in',
                      'B.passed -> G.in', 'C.passed -> H.in'])
        subprocess.run([SCOPE, 'run', trace.bundle, '--program', path, '--out', out], check=True, capture_output=True, timeout=60)
        rows = [table(out, name)[1] for name in ('a.csv', 'b.csv', 'c.csv')]
    same(f'{sample}: when {task} becomes busy', [r[0] for r in rows[0]], sorted((r[0] for r in rows[1] + rows[2]), key=float))
    if not rows[0]:
        fail(f'{sample}: {task} is never busy')


def check_samples(sample, trace):
    """What the system says of the processes: each sample as it is in the file, and its sums by task."""
    samples = [e for e in trace.events if e[1] == 'Sample']
    if not samples:
        return
    with tempfile.TemporaryDirectory() as out:
        run(sample, 'samples', out)
        _, rows = table(out, 'samples.csv')
        same(f'{sample}: samples', [[int(x) for x in row] for row in rows],
             [[int(e[5][f]) for f in ('cpu', 'waiting', 'memory')] for e in samples])
        _, rows = table(out, 'spent.csv')
        for owner, count, sum_, least, mean, most, _ in rows:
            own = [int(e[5]['cpu']) for e in samples if trace.name(e[3]) == owner]
            same(f'{sample}: samples of {owner}', (int(count), float(sum_), float(least), float(most)), (len(own), sum(own), min(own), max(own)))
            same(f'{sample}: mean of {owner}', float(mean), sum(own) / len(own))
        same(f'{sample}: tasks with samples', len(rows), len({e[3] for e in samples}))
        drawn = subprocess.run([SCOPE, 'draw', trace.bundle, '--program', 'samples', '--view', 'Who had one', '-o', os.path.join(out, 'm.csv')],
                               capture_output=True, text=True, timeout=60)
        if drawn.returncode:
            fail(f'{sample}: {drawn.stderr}')


def main():
    if not any(name == 'farm-sampled' for name in SAMPLES):
        fail('no sample has samples of the system')
    for sample in SAMPLES:
        trace = tape.Trace(ROOT, sample)
        check_samplings(sample, trace)
        check_presenter(sample, trace)
        check_attributes(sample, trace)
        check_samples(sample, trace)
        for program in PROGRAMS:
            with tempfile.TemporaryDirectory() as out:
                said = run(sample, program, out)
                if program == 'waiting-times':
                    check_waiting(sample, trace, out)
                elif program == 'communication-overhead':
                    check_phases(sample, trace, out)
                elif program == 'traffic':
                    check_traffic(sample, trace, out)
                elif program == 'load-balance':
                    check_balance(sample, trace, out)
                elif program == 'look-closer':
                    check_look_closer(sample, trace, out, said)
                elif program == 'watch-overhead':
                    check_watch(sample, trace, out, said)
                else:
                    check_states(sample, trace, out, program)
                    _, rows = table(out, 'waiting.csv')
                    same(f'{sample}: receives', int(rows[0][1]), len(trace.receives()))
                    span = max(trace.last - trace.events[0][0], 1)
                    ends = [trace.events[0][0] + (i + 1) * (span // 100) for i in range(span // max(span // 100, 1))]
                    check_overhead(sample, trace, out, 'overhead.csv', [e for e in ends if e <= trace.last][:90])
    print(f'{checks} values of {len(PROGRAMS)} programs over {len(SAMPLES)} samples agree')


main()
