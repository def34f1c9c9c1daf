#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules that pictures of many tasks keep: one task that differs from all others leaves a mark where it stands, in time and where
numbers of several are one; moving a picture by
half a pixel, or making it one wider, does not make marks come or go; who received a message has the head of its line; no share is above
100 %; the same picture is the same file.

usage: test_rules.py SCOPE SOURCE_FOLDER"""
import csv
import os
import random
import re
import subprocess
import sys
import tempfile

SCOPE, ROOT = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, 'tests', 'model')]
from make import FIRST_TASK, numbers_of, write_wide
from picture import pixels_of as pixels

TASKS = 3000
WIDTH, HEIGHT = 600, 400
KINDS = numbers_of('tapepvm')


def draw(folder, trace, *words, end='png', view='Space-time'):
    out = os.path.join(folder, 'x.' + end)
    done = subprocess.run([SCOPE, 'draw', trace, '--view', view, '-q', '-o', out, *words], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache')))
    assert done.returncode == 0, done.stderr
    with open(out, 'rb') as f:
        return f.read()


def line_of(kind, date, task, duration, **fields):
    number, roles = KINDS[kind]
    words = [fields.get(name, -1 if role in ('peer', 'task') else '-' if role in ('word', 'group') else 0) for name, role in roles]
    return ' '.join(map(str, [number, date, task, duration, 0, *words])) + '\n'


MS = 10**6


def of_many(folder, name, who, begin, waits):
    """Thousands that work for 100 ms; one of them waits for a message that nobody sends."""
    trace = write_wide(os.path.join(folder, name + '.trace'), random.Random(1), TASKS, rounds=0)
    path = os.path.join(trace, name + '.tapepvm', 'events')
    with open(path) as f:
        lines = f.read().splitlines(True)
    exits = {line for line in lines if line.startswith(f'{KINDS["Exit"][0]} ')}
    with open(path, 'w') as f:
        f.writelines(line for line in lines if line not in exits)
        if waits:
            f.write(line_of('TRecv', begin, FIRST_TASK + who, waits, tag=-1))
        f.writelines(line_of('Exit', 100 * MS + i // 1000, FIRST_TASK + i, 0) for i in range(TASKS))
    return trace


def check_outlier(folder):
    """Among thousands that work all the time one waits for a hundredth of it."""
    who = TASKS * 2 // 3
    even, odd = of_many(folder, 'even', who, 0, 0), of_many(folder, 'odd', who, 50 * MS, MS)
    size = ['--size', f'{WIDTH}x{HEIGHT}']
    a, b = pixels(draw(folder, even, *size)), pixels(draw(folder, odd, *size))
    other = [(x, y) for y in range(HEIGHT) for x in range(WIDTH) if max(abs(p - q) for p, q in zip(a[y][x], b[y][x])) > 60]
    body = [(x, y) for x, y in other if y > 40]     # below the legend
    assert len(body) >= 6, f'the one that waits leaves {len(body)} pixels'
    ys, xs = [y for _, y in body], [x for x, _ in body]
    assert max(ys) - min(ys) < 12 and max(xs) - min(xs) < 60, (min(xs), max(xs), min(ys), max(ys))
    middle = 40 + (HEIGHT - 70) * who / TASKS
    assert abs(sum(ys) / len(ys) - middle) < HEIGHT / 20, (sum(ys) / len(ys), middle)


MATRIX = """<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><title>x</title>
<component name="Session" class="scope.session" version="1"/><component name="Reader" class="scope.tapepvm-reader" version="1"/>
<component name="Simulator" class="scope.pvm-simulator" version="1"/><component name="Durations" class="scope.state-durations" version="1"/>
<component name="Shares" class="scope.matrix-view" version="1"/>
<wire from="Session" out="commands" to="Reader" in="commands"/><wire from="Reader" out="events" to="Simulator" in="events"/>
<wire from="Simulator" out="states" to="Durations" in="states"/><wire from="Durations" out="balance" to="Shares" in="matrix"/>
</eve>
"""


def check_far(folder):
    """One among thousands that waits for more than half of its life, in what shows numbers: rows that are means of several have a
    flag, cells a corner, rings of groups a part of their own; where all are alike there is none."""
    who = TASKS * 2 // 3
    even, far = of_many(folder, 'alike', who, 0, 0), of_many(folder, 'far', who, 20 * MS, 60 * MS)
    program = os.path.join(folder, 'matrix.eve')
    with open(program, 'w') as f:
        f.write(MATRIX)
    near = lambda a, b: max(abs(p - q) for p, q in zip(a, b)) < 24     # noqa: E731
    idle = (0x8f, 0xb8, 0xde)
    for words, view, is_sign in ((['--program', 'utilization', '--at', '0.09'], 'Summary', lambda x, y, c: x > WIDTH - 20 and near(c, idle)),
                                 (['--program', program, '--at', '0.09'], 'Shares', lambda x, y, c: c[0] > 150 and c[0] > c[1] + 90 and c[0] > c[2] + 70),
                                 (['--at', '0.05'], 'State graph', lambda x, y, c: near(c, idle))):
        found = []
        for trace in even, far:
            rows = pixels(draw(folder, trace, '--size', f'{WIDTH}x{HEIGHT}', *words, view=view))
            found.append([(x, y) for y in range(41, HEIGHT) for x in range(WIDTH) if is_sign(x, y, rows[y][x])])
        assert not found[0] and len(found[1]) >= 3, (view, found[0][:5], len(found[1]))
        xs, ys = [x for x, _ in found[1]], [y for _, y in found[1]]
        assert (view == 'Shares' or max(xs) - min(xs) < 12) and max(ys) - min(ys) < 12, (view, min(xs), max(xs), min(ys), max(ys))      # a corner for what it has less of, too
        if view != 'State graph':       # where it stands
            assert abs(sum(ys) / len(ys) - (50 + (HEIGHT - 80) * who / TASKS)) < HEIGHT / 12, (view, sum(ys) / len(ys))

def check_pairs(folder):
    """Of thousands of points that are one mark, the only one that lies elsewhere is a mark of its own, in each pair of numbers."""
    alike, far = (pixels(draw(folder, os.path.join(folder, name + '.trace'), '--size', '600x600', '--program', 'statistics', '--at', '0.09', view='Scatter matrix'))
                  for name in ('alike', 'far'))
    other = {(x * 4 // 600, y * 4 // 600) for y in range(41, 600) for x in range(600) if max(abs(p - q) for p, q in zip(alike[y][x], far[y][x])) > 60}
    assert len(other) >= 2, other


def check_shift(folder):
    """Lines of messages, alone and in bundles."""
    trace, rand = os.path.join(ROOT, 'traces', 'fft2d-s16.trace'), random.Random(2)
    strokes = re.compile(rb'<path[^>]*>')
    for _ in range(6):
        begin = rand.uniform(0.02, 0.15)
        length = rand.choice([0.25, 0.1, 0.02]) if begin < 0.05 else 0.05
        half = length / 900 / 2
        counts = []
        for width, shift in ((1000, 0), (1001, 0), (1000, half)):
            svg = draw(folder, trace, '--size', f'{width}x600', '--from', f'{begin + shift:.9f}', '--to', f'{begin + length + shift:.9f}', end='svg')
            counts.append(len(strokes.findall(svg)))
        assert max(counts) - min(counts) <= max(4, 0.04 * max(counts)), (begin, length, counts)


def check_equal(folder):
    """Bundles that are as heavy as each other are drawn all, not some of them: here there is room for each round."""
    for tasks, rounds in ((60, 9), (90, 6)):
        trace = os.path.join(folder, f'equal-{tasks}.trace')
        os.makedirs(os.path.join(trace, f'equal-{tasks}.tapepvm'))
        out = [line_of('Enroll', i, FIRST_TASK + i, 0, host=f'h{i}', arch='A', speed=1, parent=-1, program='p') for i in range(tasks)]
        for k in range(rounds):         # each sends as many bytes to the next but one, four times
            at = (10 + 80 * k // rounds) * MS
            for n in range(4):
                for i in range(tasks):
                    out.append((at + n * 1000, 0, line_of('Send', at + n * 1000, FIRST_TASK + i, 20, to=FIRST_TASK + (i + 2) % tasks, tag=0, bytes=1000, result=0)))
                for i in range(tasks):
                    from_ = FIRST_TASK + (i - 2) % tasks
                    out.append((at + n * 1000 + 100, 1, line_of('Recv', at + n * 1000 + 100, FIRST_TASK + i, 40, asked_from=from_, asked_tag=0, tag=0, bytes=1000, result=1,
                                                                **{'from': from_})))
        lines = [x for x in out if isinstance(x, str)] + [x[2] for x in sorted(x for x in out if not isinstance(x, str))]
        lines += [line_of('Exit', 100 * MS + i, FIRST_TASK + i, 0) for i in range(tasks)]
        with open(os.path.join(trace, f'equal-{tasks}.tapepvm', 'events'), 'w') as f:
            f.writelines(lines)
        shown, hidden = (pixels(draw(folder, trace, '--size', f'1000x{HEIGHT}', '--set', f'Space-time.hide messages={hide}')) for hide in ('false', 'true'))
        # the rounds are alike: lines at one of them are at each
        columns = {x for x in range(1000) if sum(max(abs(p - q) for p, q in zip(shown[y][x], hidden[y][x])) > 24 for y in range(50, HEIGHT - 40)) > 20}
        places = sorted(columns)
        runs = 1 + sum(b - a > 20 for a, b in zip(places, places[1:])) if places else 0
        assert runs == rounds, (tasks, rounds, runs, places)


def check_ink(folder):
    """Lines of messages cover less than a third of what bars do."""
    width, height = 1000, 700
    for trace in [os.path.join(ROOT, 'traces', name + '.trace') for name in ('fft2d-s16', 'ring', 'heat2d')] + [os.path.join(folder, 'shares.trace')]:
        shown, hidden = (pixels(draw(folder, trace, '--size', f'{width}x{height}', '--set', f'Space-time.hide messages={hide}')) for hide in ('false', 'true'))
        body = [(x, y) for y in range(41, height - 30, 3) for x in range(0, width, 2)]
        over = sum(max(abs(p - q) for p, q in zip(shown[y][x], hidden[y][x])) > 40 for x, y in body)
        bars = sum(max(hidden[y][x]) - min(hidden[y][x]) > 40 for x, y in body)
        assert over < bars / 3, (trace, over, bars)


def check_shares(folder):
    """No share is above 100 %, of tasks and of groups of them, whatever is put together; those of one row are all of its life."""
    trace = write_wide(os.path.join(folder, 'shares.trace'), random.Random(5), 600, messages=300)
    for words in [], ['--hierarchy', 'blocks', '--parts', '20']:
        for program, view, whole in (('utilization', 'Summary', True), ('load-balance', 'Balance', True), ('utilization', 'Kiviat diagram', False), ('statistics', 'Statistics', False)):
            text = draw(folder, trace, '--program', program, *words, end='csv', view=view).decode()
            head, *rows = csv.reader(text.splitlines())
            columns = [k for k, name in enumerate(head) if name.endswith('[%]')] if view == 'Statistics' else [2, 4, 5] if view == 'Kiviat diagram' else range(1, len(head))
            assert rows and columns, (view, head)
            for row in rows:
                shares = [float(row[k]) for k in columns if row[k]]
                assert all(-1e-9 <= x <= 100 + 1e-6 for x in shares), (view, words, row)
                assert not whole or abs(sum(shares) - 100) < 1e-6, (view, words, row, sum(shares))


def two_tasks(folder, name, sender, n):
    """They work; one sends the other n messages, each of which is received at once."""
    trace, ms = os.path.join(folder, name + '.trace'), 10**6
    os.makedirs(os.path.join(trace, name + '.tapepvm'))
    a, b = FIRST_TASK + sender, FIRST_TASK + 1 - sender
    lines = [line_of('Enroll', i, FIRST_TASK + i, 0, host='h', arch='A', speed=1, parent=-1, program='p') for i in (0, 1)]
    for k in range(n):
        at = 50 * ms + k * 100
        lines += [line_of('Send', at, a, 20, to=b, tag=0, bytes=1000, result=0),
                  line_of('Recv', at + 10, b, 40, asked_from=a, asked_tag=0, tag=0, bytes=1000, result=1, **{'from': a})]
    lines += [line_of('Exit', 100 * ms + i, FIRST_TASK + i, 0) for i in (0, 1)]
    with open(os.path.join(trace, name + '.tapepvm', 'events'), 'w') as f:
        f.writelines(lines)
    with open(os.path.join(trace, 'layout'), 'w') as f:
        f.write(f't{FIRST_TASK:x} 0 0.5\nt{FIRST_TASK + 1:x} 1 0.5\n')
    return trace


def ends(line):
    """How broad a line of pixels is towards its beginning (left, or above), and towards its end."""
    assert len(line) > 20, len(line)
    axis = 0 if max(x for x, _ in line) - min(x for x, _ in line) > max(y for _, y in line) - min(y for _, y in line) else 1
    low, high = min(p[axis] for p in line), max(p[axis] for p in line)
    across = lambda of: max(p[1 - axis] for p in of) - min(p[1 - axis] for p in of) + 1  # noqa: E731
    return across([p for p in line if p[axis] < low + 20]), across([p for p in line if p[axis] > high - 20])


def message_in_time(folder, trace, size):
    shown, hidden = (pixels(draw(folder, trace, *size, '--set', f'Space-time.hide messages={hide}')) for hide in ('false', 'true'))
    return [(x, y) for y in range(41, HEIGHT) for x in range(WIDTH) if max(abs(m - n) for m, n in zip(shown[y][x], hidden[y][x])) > 24]


def link_between(folder, trace, size):
    """The grey between the two green discs."""
    rows = pixels(draw(folder, trace, *size, '--at', '0.09', view='State graph'))
    green = sorted({x for y in range(41, HEIGHT) for x in range(WIDTH) if rows[y][x][1] > rows[y][x][0] + 60})
    left, right = max(zip(green, green[1:]), key=lambda pair: pair[1] - pair[0])
    return [(x, y) for y in range(41, HEIGHT) for x in range(left + 1, right) if 150 < rows[y][x][0] < 240 and max(rows[y][x]) - min(rows[y][x]) < 14]


def check_direction(folder):
    """Whoever of two it is that sends: the line is broader at who receives, in time and between tasks, alone and as one of thousands."""
    for n in (1, 4000):
        for sender in (0, 1):
            trace, size = two_tasks(folder, f'two-{n}-{sender}', sender, n), ['--size', f'{WIDTH}x{HEIGHT}']
            for shown in (message_in_time, link_between):
                first, last = ends(shown(folder, trace, size))
                first, last = (first, last) if sender == 0 else (last, first)
                assert last > 1.3 * first > 0, (shown.__name__, n, sender, first, last)


with tempfile.TemporaryDirectory() as folder:
    check_direction(folder)
    check_shares(folder)
    check_ink(folder)
    check_equal(folder)
    check_outlier(folder)
    check_far(folder)
    check_pairs(folder)
    check_shift(folder)
    trace = os.path.join(ROOT, 'traces', 'heat2d.trace')
    assert draw(folder, trace) == draw(folder, trace)
print('pictures keep the rules')
