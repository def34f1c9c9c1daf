#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every figure of `scope report`, on all samples and on executions made at random, beside a second computation from the
raw files (second.py).

usage: test_report.py SCOPE SOURCE_FOLDER"""
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

import second
from make import write_pvm

SCOPE, ROOT = sys.argv[1:3]
MADE = 25  # executions made at random
checks = circles = waits_told = 0


def same(what, got, want):
    global checks
    checks += 1
    if got != want:
        sys.exit(f'FAILED: {what}: {got!r}, not {want!r}')


def run(*words):
    bare = dict(os.environ, PATH=os.devnull)  # no Graphviz: pictures take far longer than figures
    done = subprocess.run([SCOPE, *words], capture_output=True, text=True, timeout=300, env=bare)
    if done.returncode:
        sys.exit(f'FAILED: scope {" ".join(words)}: {done.stderr}')
    return done.stdout


def near(what, got, want):
    """Times are rounded to the digits that are shown: where half of the last one decides, either is right."""
    number, unit = want.split()
    last = 10.0 ** -len(number.partition('.')[2])
    same(what, (got.split()[1], abs(float(got.split()[0]) - float(number)) <= last * 1.001), (unit, True))


def sections(text):
    """heading -> the lines below it; the first part is called ''."""
    found, lines = {'': []}, text.splitlines()
    now = found['']
    for i, line in enumerate(lines):
        if i + 1 < len(lines) and lines[i + 1] and set(lines[i + 1]) == {'-'}:
            now = found[re.sub(r' \(.*', '', line)] = []
        elif line and set(line) != {'-'}:
            now.append(line)
    return found


def cells(line):
    return re.split(r' {2,}', line.strip())


def check_summary(name, lines, s):
    rows = {cells(line)[0]: '  '.join(cells(line)[1:]) for line in lines[1:]}
    t = s.trace
    sent, sent_bytes, received, received_bytes = s.messages()
    same(f'{name}: messages', rows['messages'], f'{sent}, {second.amount(sent_bytes)} sent task to task; {received}, '
                                                f'{second.amount(received_bytes)} received')
    records = sum(not e.end for e in t.events)
    same(f'{name}: recorded', rows['recorded'], f'{len(t.events)} events, of {len(t.events) if s.model == "OUF" else records} records; 0 damaged')
    simulated = re.match(r'(\d+) events, \d+ changes of state; (\d+) events impossible', rows['simulated'])
    same(f'{name}: simulated', (int(simulated[1]), int(simulated[2])), (len(t.events), s.simulator.impossible))
    same(f'{name}: tasks', (rows.get('ran') or rows['holds']).rsplit(': ', 1)[-1], f'{len(t.tasks)} task{"s"[:len(t.tasks) != 1]}')
    lasted = re.match(r'(.*), from (\S+) s to (\S+) s$', rows['lasted'])
    same(f'{name}: lasted', (lasted[1], float(lasted[2]), float(lasted[3])),
         (second.span((t.last - t.first) / t.ticks), t.first / t.ticks, t.last / t.ticks))
    same(f'{name}: open', rows.get('open', '0').split()[0], str(len(s.functions)))
    same(f'{name}: unfinished', rows.get('unfinished', '0 calls never ended'), f'{len(s.open)} call{"s"[:len(s.open) != 1]} never ended')


def check_shares(name, lines, s):
    stand = {task.id: place for place, task in enumerate(s.trace.tasks.values())}
    lives = sorted(s.spent, key=lambda name: (stand.get(name, len(stand)), name))       # as the trace tells them
    meant = [line for line in lines if re.match(r'  [A-Z]\w+: ', line)]
    same(f'{name}: states that are told of', [line.split(':')[0].strip() for line in meant], s.states)
    same(f'{name}: the one overhead and the other', 'communication overhead, a figure of its own' in ' '.join(meant), 'Overhead' in s.states)
    lines = [line for line in lines if line not in meant]
    told = [cells(line) for line in lines[1:] if not line.strip().startswith('and ')]
    if len(lives) <= second.ROWS:
        same(f'{name}: tasks with shares', [row[0] for row in told], [s.label(n) for n in lives])
    same(f'{name}: rows of shares', len(told), min(len(lives), second.ROWS))
    more = [line for line in lines if line.strip().startswith('and ')]
    same(f'{name}: more tasks', more, [f'  and {len(lives) - len(told)} more tasks'] if len(lives) > len(told) else [])
    label = {s.label(n): n for n in lives}
    for row in told:
        task = label[row[0]]
        same(f'{name}: host of {task}', row[1], s.host(task))
        same(f'{name}: shares of {task}', row[2:2 + len(s.states)], ['< 0.1 %' if 0 < share < 0.0005 else '%.1f %%' % (100 * share) for share in s.shares(task)])
        same(f'{name}: bar of {task}', row[2 + len(s.states):], [s.bar(task)] if s.bar(task) else [])


def check_strips(name, lines, s):
    label = {s.label(n): n for n in s.spent}
    for line in lines:
        row = re.match(r'  (.*?)  +\|(.*)\|$', line)
        if not s.strip_fits(label[row[1]], row[2]):
            sys.exit(f'FAILED: {name}: what {row[1]} did over time: {row[2]}')
    same(f'{name}: strips', len(lines), min(len(s.spent), second.ROWS))


def check_calls(name, lines, s):
    got = {cells(line)[0]: cells(line)[1:] for line in lines[1:]}
    same(f'{name}: kinds', sorted(got), sorted(s.calls))
    want = s.call_rows()
    for kind in want:
        same(f'{name}: cells of {kind}', len(got[kind]), len(want[kind]))
        for cell, right in zip(got[kind], want[kind]):
            (near if right.endswith('s') else same)(f'{name}: {kind}', cell, right)


def check_longest(name, lines, s):
    longest = sorted(s.waits, key=lambda w: -w[0])[:second.TOP]
    if longest:
        same(f'{name}: what dates of long calls are', cells(lines[0]), ['took', 'begun at', 'call'])
    rows = [cells(line) for line in lines[1:]]
    same(f'{name}: longest calls', [row[0] for row in rows], [second.span(s.seconds(d)) for d, _ in longest])
    least = longest[-1][0] if longest else 0
    begins = {(second.span(s.seconds(d)), f'{s.seconds(begin):.9f}') for d, begin in s.waits if d >= least}
    for row in rows:
        if (row[0], f'{float(row[1].split()[0]):.9f}') not in begins:
            sys.exit(f'FAILED: {name}: no such long call: {row}')


def check_open(name, lines, s):
    if s.open:
        same(f'{name}: what dates of open calls are', cells(lines[0]), ['begun at', 'call'])
    rows = [cells(line) for line in lines[1:]]
    same(f'{name}: calls that never ended', [f'{float(row[0].split()[0]):.9f}' for row in rows],
         [f'{s.seconds(e.date):.9f}' for e in s.open[:second.TOP]])


def check_links(name, lines, s):
    links = s.links()
    more = len(links) - second.TOP
    if links:
        same(f'{name}: heading of links', cells(lines.pop(0)), ['from', 'to', 'bytes'])
    if more > 0:
        same(f'{name}: links that are not shown', lines.pop().strip(), f'and {more} more link' + 's' * (more != 1))
    same(f'{name}: busiest links', [cells(line) for line in lines],
         [[a, b, second.amount(total)] for a, b, total in links[:second.TOP]])


def check_types(name, out, s):
    """Time in each state of the tasks that run one program, in ticks."""
    with open(os.path.join(out, 'report.json'), encoding='utf-8') as f:
        told = json.load(f, parse_float=Decimal)
    types = {}
    for task in s.spent:
        types.setdefault(s.program(task) or None, []).append(s.spent[task])
    same(f'{name}: programs', sorted((str(t['name']), t['tasks']) for t in told['types']), sorted((str(n), len(rows)) for n, rows in types.items()))
    for t in told['types']:
        rows = types[t['name']]
        lives = [sum(row) for row in rows]
        ticks = [Decimal(x) / s.trace.ticks for x in (sum(lives), min(lives), max(lives))]
        same(f'{name}: lives of {t["name"]}', [t['lived'], t['shortest_life'], t['longest_life']], ticks)
        told_states = {x['state']: [x['spent'], x['least'], x['most']] for x in t['states']}
        for state, spent in zip(s.states, zip(*rows)):
            same(f'{name}: {state} of {t["name"]}', told_states[state], [Decimal(x) / s.trace.ticks for x in (sum(spent), min(spent), max(spent))])


def check_waits(name, lines, s):
    """Who waits for whom, which the report begins with whatever program rebuilds the states."""
    global waits_told
    waits = s.waits_for_others() if s.model == 'PVM' else None
    if not waits or sum(w[2] for w in waits) < 0.01 * len(s.spent) * (s.trace.last - s.trace.first):
        return
    said = ' '.join(' '.join(lines).replace('\u00a0', ' ').split())
    found = re.search(r'Tasks wait for each other ([\d.]+) ([mµ]?s) in all, [\d.]+ % of their time: [^.]*(?:\.\d[^.]*)*\. (.+?) waits longest \(([\d.]+) ([mµ]?s)\); '
                      r'(.+?) is waited for most \(([\d.]+) ([mµ]?s), [\d.]+ % of all waiting\)', said)
    if not found:
        sys.exit(f'FAILED: {name}: nobody is said to wait: {said}')
    amounts = {'of all': sum(w[2] for w in waits)}
    for n, which in ((0, 'longest'), (1, 'waited for')):
        sums = {}
        for w in waits:
            if w[n] is not None:
                sums[w[n]] = sums.get(w[n], 0) + w[2]
        most = min(sums, key=lambda task: (-sums[task], task))
        amounts[which] = sums[most]
        same(f'{name}: who is {which}', found[3 if n == 0 else 6], s.trace.tasks[most].nickname)
    for (which, ticks), (value, unit) in zip(amounts.items(), ((found[1], found[2]), (found[4], found[5]), (found[7], found[8]))):
        told = float(value) * {'s': 1, 'ms': 1e-3, 'µs': 1e-6}[unit]
        same(f'{name}: waits {which}: {told} of {ticks / s.trace.ticks}', abs(told - ticks / s.trace.ticks) <= 0.0051 * told, True)
    waits_told += 1
    same(f'{name}: phases are called as the program calls them', ' in Phase ' in said, False)


def check_parts(name, lines, s):
    """What is said of the time of tasks is at most all of it, also where several threads of a task wait."""
    said = ' '.join(' '.join(lines).replace('\u00a0', ' ').split())
    parts = re.findall(r'([\d.e+]+) % of (?:their time|the time of all|all waiting)', said)
    same(f'{name}: parts {parts}', all(float(p) <= 100.001 for p in parts), True)
    waits = re.search(r'wait for each other ([\d.]+) ([mµ]?s) in all, ([\d.]+) % of (their time|the time of all their threads)', said)
    if waits and s.model == 'OUF':
        lanes = sum(1 + max([e.thread for e in s.trace.events if e.task == task and not e.instant], default=0) for task in {e.task for e in s.trace.events})
        part = 100 * float(waits[1]) * {'s': 1, 'ms': 1e-3, 'µs': 1e-6}[waits[2]] * s.trace.ticks / (lanes * (s.trace.last - s.trace.first))
        same(f'{name}: {waits[0]}, not {part:.3g} %', abs(float(waits[3]) - part) <= 0.0101 * part, True)


def check_circles(name, out, lines, s):
    """Tasks that wait for each other, in report.json and, the first of them, in a sentence."""
    global circles
    with open(os.path.join(out, 'report.json'), encoding='utf-8') as f:
        told = json.load(f, parse_float=Decimal)['circles']
    ids = {t.id: n for n, t in s.trace.tasks.items()}
    want = s.circles()
    same(f'{name}: circles of waiting', {(c['since'], frozenset(ids[t] for t in c['tasks'])) for c in told},
         {(Decimal(since) / s.trace.ticks, tasks) for since, tasks in want})
    same(f'{name}: circles that stand out a second time', sum('Deadlock' in line for line in lines), 0)
    with open(os.path.join(out, 'report.json'), encoding='utf-8') as f:
        limits = ' '.join(json.load(f)['told'])
    same(f'{name}: circles that are told of', min(limits.count('Deadlock since'), 3), min(len(want), 3))
    circles += len(want)


def write_circles(path, rand):
    """Some tasks in circles, one that waits for one in a circle, one whose partner died before, one with a limit of time;
    an exchange that was cut: each waits for what is under way; two that wait for another tag than was sent."""
    n = rand.randrange(14, 20)
    tasks, date = [0x40002 + i for i in range(n)], 0
    lines = [f'1 {i} {t} 0 0 host1 LINUX64 1 -1 prog' for i, t in enumerate(tasks)]
    rand.shuffle(tasks)
    three, two, cut, wrong, others = tasks[:3], tasks[3:5], tasks[5:8], tasks[8:10], tasks[10:]
    for ring, asked in ((cut, rand.choice([7, -1])), (wrong, 8)):
        for i, t in enumerate(ring):
            to, back = ring[(i + 1) % len(ring)], ring[i - 1]
            lines.append(f'60 {100 + i} {t} 1 0 {to} 7 64 0')
            lines.append(f'62 {200 + i} {t} -1 0 {back} {asked} -1 {asked} 0 0')
    lines.append(f'60 90 {cut[0]} 1 0 {cut[1]} 7 64 0')  # one was received, and another one is under way
    lines.append(f'62 150 {cut[1]} 5 0 {cut[0]} 7 {cut[0]} 7 64 0')
    for ring in (three, two):
        for i, t in enumerate(ring):
            date += rand.randrange(1, 1000)
            lines.append(f'62 {1000 + date} {t} -1 0 {ring[(i + 1) % len(ring)]} 1 -1 1 0 0')
    lines.append(f'62 {3000 + date} {others[0]} -1 0 {three[0]} 1 -1 1 0 0')
    lines.append(f'62 {3000 + date} {others[1]} -1 0 {others[2]} 1 -1 1 0 0')
    lines.append(f'2 {3500 + date} {others[1]} 0 0 -1')
    lines.append(f'62 {4000 + date} {others[2]} -1 0 {others[1]} 1 -1 1 0 0')
    lines.append(f'62 {4000 + date} {others[3]} -1 0 -1 1 -1 1 0 0')
    lines += [f'2 {9000 + date} {t} 0 0 -1' for t in tasks if t != others[1]]
    name = os.path.basename(path)[:-len('.trace')]
    os.makedirs(os.path.join(path, name + '.tapepvm'))
    with open(os.path.join(path, name + '.tapepvm', 'events'), 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')
    return path


def check(name, path, folder):
    text = run('report', path, '-o', os.path.join(folder, 'out'))
    told = sections(text)
    if '.trace' in name:
        same(f'{name}: without a folder', run('report', path), text[:text.index('\nIn the folder')])
    s = second.Second(path)
    check_summary(name, told[''], s)
    check_shares(name, told['Where the time of each task went'], s)
    check_strips(name, told['What each task did over time'], s)
    check_calls(name, told['Calls and moments'], s)
    check_longest(name, told.get('Longest calls that involve others', []), s)
    check_open(name, told.get('Calls that never ended', []), s)
    check_links(name, told.get('Busiest links', []), s)
    check_waits(name, told.get('What limits it', []), s)
    check_parts(name, told.get('What limits it', []), s)
    check_circles(name, os.path.join(folder, 'out'), told['What stands out'], s)
    if s.model == 'PVM':        # the same of what waits
        limits = ' '.join(' '.join(told.get('What limits it', [])).replace('\u00a0', ' ').split())
        same(f'{name}: deadlocks', limits.count('Deadlock since'), min(len(s.circles()), 3))
        if '.trace' in name:
            same(f'{name}: none came to an end', limits.count('No task came to an end'), int(name == 'deadlock.trace'))
    check_captions(name, os.path.join(folder, 'out'))
    check_types(name, os.path.join(folder, 'out'), s)


def check_captions(name, out):
    """The caption in each picture of a state graph names the instant that the report says it is of."""
    with open(os.path.join(out, 'report.txt'), encoding='utf-8') as f:
        said = dict(re.findall(r'(state-\d+)\S*  +the state graph at (\S+) s:', f.read()))
    for which, date in said.items():
        with open(os.path.join(out, which + '.dot'), encoding='utf-8') as f:
            same(f'{name}: caption of {which}', re.findall(r'<B>\w+ at (\S+) s</B>', f.read()), [date])
    same(f'{name}: instants', len(said), 3)


def main():
    samples = sorted(p for p in glob.glob(os.path.join(ROOT, 'traces', '*.trace')) if glob.glob(os.path.join(p, '*.tape*')))
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in samples:
            check(os.path.basename(path), path, folder)
            n += 1
        for seed in range(MADE):
            rand = random.Random(seed)
            tasks = rand.choice([2, 5, 9, 80])
            path = write_pvm(os.path.join(folder, f'made{seed}.trace'), rand, tasks=tasks, groups=2, actions=200 if tasks > 15 else 60)
            check(f'made of {seed}', path, folder)
            n += 1
        same('samples whose tasks wait', waits_told >= 7, True)
        before = circles
        for seed in range(4):
            check(f'circles of {seed}', write_circles(os.path.join(folder, f'circles{seed}.trace'), random.Random(seed)), folder)
            n += 1
        same('circles that were made', circles - before, 12)
        for tasks, records in ((4, 2000), (70, 4000)):
            path = os.path.join(folder, f'synth{tasks}.trace')
            run('synth', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(records), '--seed', '3', '-o', path)
            check(f'synth of {tasks} tasks', path, folder)
            n += 1
    print(f'{checks} figures of {n} reports agree with the second computation')


main()
