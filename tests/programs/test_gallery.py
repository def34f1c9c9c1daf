#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each display of docs/gallery.md is drawn, light and dark of few tasks, and of many; two processes make the same picture of it, byte
for byte; and the matrices of messages and the trace have in their tables what the raw files have.

usage: test_gallery.py SCOPE SOURCE_FOLDER [TASKS ...]     (TASKS: each display of executions of so many, light and dark)"""
import csv
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter

SCOPE, ROOT, *WIDE = sys.argv[1:]
sys.path[:0] = [os.path.join(ROOT, 'tests', 'model'), os.path.join(ROOT, 'docs')]
import gallery
import raw
from make import write_pvm, write_wide

MANY = 256
SHORT = 'SCOPE_SANITIZED' in os.environ      # a start takes ten times as long there: every other display, of many tasks, light, once
ALL = 'SCOPE_ALL' in os.environ
checks = 0
# Those whose samples are of PVM are drawn of made traces too, which are.
OF_PVM = [d for d in gallery.DISPLAYS if '/' not in d[2] and d[2] != 'pipeline']


def draw(trace, display, out, cache, *more):
    name, _, _, program, view, options, _ = display
    options = [o for k, o in enumerate(options) if o not in ('--at', '--from') and (k == 0 or options[k - 1] not in ('--at', '--from'))]
    done = subprocess.run([SCOPE, 'draw', trace, '--program', program, '--view', view, '-o', out, *options, *more], capture_output=True,
                          env=dict(os.environ, XDG_CACHE_HOME=cache), timeout=900)
    assert done.returncode == 0, (name, trace, done.stderr.decode())


def text_of(path):
    with open(path, encoding='utf-8', newline='') as f:
        return f.read()


def draw_wide(folder, tasks):
    """Each display, light and dark: no picture is empty, none has more marks than it has room for."""
    trace, cache = write_wide(os.path.join(folder, f'wide{tasks}.trace'), random.Random(tasks), tasks), os.path.join(folder, f'cache{tasks}')
    for display in (d for d in gallery.DISPLAYS if '/' not in d[2]):
        pictures = []
        for look in [], ['--dark']:
            out = os.path.join(folder, 'x.svg')
            draw(trace, display, out, cache, *look)
            pictures.append(text_of(out))
        marks = pictures[0].count('<path') + pictures[0].count('<use') + pictures[0].count('<rect')
        assert pictures[0] != pictures[1] and 3000 < len(pictures[0]) and marks <= 1600 * 1000 / 9, (display[0], tasks, marks)
    print(f'{len(gallery.DISPLAYS)} displays of {tasks} tasks are drawn')


if WIDE:
    with tempfile.TemporaryDirectory() as folder:
        for n in WIDE:
            draw_wide(folder, int(n))
    sys.exit()
with tempfile.TemporaryDirectory() as folder:
    cache, many = os.path.join(folder, 'cache'), os.path.join(folder, 'many.trace')
    write_pvm(many, random.Random(3), tasks=MANY, groups=4, actions=1500 if ALL else 400)
    with open(os.path.join(ROOT, 'docs', 'gallery.md'), encoding='utf-8') as f:
        page = f.read()
    plain = {}      # of each display the picture of its sample, where it is of no chosen instant
    for k, display in enumerate(gallery.DISPLAYS[::2] if SHORT else gallery.DISPLAYS):
        name = display[0]
        file = gallery.file_of(name)
        assert f'## {name}\n' in page and os.path.exists(os.path.join(ROOT, 'docs', 'gallery', file + '.png')), f'{name}: run `ninja gallery`'
        traces = [gallery.sample_of(ROOT, display)] + ([many] if display in OF_PVM else [])
        for trace in traces[-1:] if SHORT else traces:
            pictures = []
            looks = ([],) if SHORT or trace == many else ([], ['--dark'])
            for look in looks:
                out = os.path.join(folder, 'x.svg')
                draw(trace, display, out, cache, '--size', '800x500', *look)
                pictures.append(text_of(out))
            if trace == traces[0] and '--at' not in display[5]:
                plain[name] = pictures[0]
            assert len(pictures[0]) > 3000 and (len(looks) == 1 or pictures[1] != pictures[0]), (name, trace)
            if trace == traces[-1] and not SHORT:     # in pixels each part of a pixel shows
                of_two = []
                for out in (os.path.join(folder, file) for file in ('one.png', 'other.png')):
                    draw(trace, display, out, cache, '--size', '800x500')
                    with open(out, 'rb') as f:
                        of_two.append(f.read())
                assert of_two[0] == of_two[1], (name, trace)
            checks += 1
        if '/' in display[2]:       # samples of which not every view has something to show
            out = os.path.join(folder, 'x.csv')
            draw(traces[0], display, out, cache)
            assert len(text_of(out).splitlines()) > 1, f'{name}: its picture shows nothing'
    # A task that is selected stands out in every display that is of tasks, and so do the tasks at the ends of a link.
    of_no_task = {'Call tree of each task', 'Clock', 'Overhead over time', 'Gauge', 'Numbers', 'Parts of the critical path', 'Flame graph', 'Source lines', 'Call tree', 'Treemap', 'Sunburst', 'Utilization count', 'Utilization meter', 'Concurrency profile',
                  'State histogram', 'Traffic', 'Communication meter', 'Phase portrait'}
    for display in (d for d in (gallery.DISPLAYS[1::8] if SHORT else gallery.DISPLAYS) if '/' not in d[2]):
        name, _, _, _, view, options, _ = display
        path = gallery.sample_of(ROOT, display)
        tasks, at = raw.read(path).tasks, options[options.index('--at') + 1:][:1] if '--at' in options else []
        ids = [t.id for t in tasks.values()][:2]
        seen = []
        for select in ([], ['--select', ids[0]], ['--select', f'{ids[0]}->{ids[1]}']):
            if not select and name in plain:
                seen.append(plain[name])
                continue
            out = os.path.join(folder, 'x.svg')
            draw(path, display, out, cache, '--size', '800x500', *(['--at', at[0]] if at else []), *select)
            seen.append(text_of(out))
        assert (seen[0] != seen[1]) == (name not in of_no_task | {'Messages of one task over time'}), f'{name}: {ids[0]} is selected'
        assert (seen[0] != seen[2]) == (name not in of_no_task | {'Trace', 'Task Output', 'Task Surface'}), f'{name}: {ids[0]}->{ids[1]} is selected'
        checks += 1
    for trace in (os.path.join(ROOT, 'traces', 'heat2d.trace'), many):
        (display,) = [d for d in gallery.DISPLAYS if d[0] == 'Communication matrix']
        out = os.path.join(folder, 'x.csv')
        draw(trace, display, out, cache)
        head, *rows = csv.reader(text_of(out).splitlines())
        bundle, received = raw.read(trace), Counter()
        for e in bundle.events:
            if e.end and e.kind in ('Recv', 'PRecv', 'TRecv', 'NRecv') and e.fields.get('from') is not None and e.fields['result'] >= 0 and e.duration >= 0:
                received['all'] += 1
        if trace != many:       # no broadcasts, no lost ones
            assert sum(float(c or 0) for row in rows for c in row[1:]) == received['all'], trace
        (display,) = [d for d in gallery.DISPLAYS if d[0] == 'Message statistics']
        draw(trace, display, out, cache)
        links = list(csv.DictReader(text_of(out).splitlines()))
        assert sum(float(c or 0) for row in rows for c in row[1:]) == sum(int(row['messages']) for row in links), trace
        checks += 1
print(f'{checks} displays are right')
