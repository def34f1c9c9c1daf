#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Views of executions that have next to nothing, and of bad input, one clause after the other, for every class of views and every program on
offer: a picture always says something below its heading, or there is none and a sentence; nothing crashes.  SCOPE_ALL: each view of
each such execution; else each view of one of them, by chance.

usage: test_scarce.py SCOPE SOURCE_FOLDER"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SCOPE, ROOT = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, 'tests', 'model')]
import labels
from make import FIRST_TASK, numbers_of

SEED = int(os.environ.get('SCOPE_SEED', '15'))
ALL = bool(os.environ.get('SCOPE_ALL'))
SHORT = 'SCOPE_SANITIZED' in os.environ and not ALL     # a start takes ten times as long there
HEAD = 30           # px: what stands above is the title, what it is of, and a legend
KINDS = numbers_of('tapepvm')
# What is drawn is asked of the person alone, and stays empty where no box is named.
SAY_NOTHING = {'scope.panel'}
problems = []


def line(kind, date, task, duration, **fields):
    number, roles = KINDS[kind]
    words = [fields.get(name, -1 if role in ('peer', 'task') else '-' if role in ('word', 'group') else 0) for name, role in roles]
    return ' '.join(map(str, [number, date, FIRST_TASK + task, duration, 0, *words])) + '\n'


def bundle(folder, name, *lines):
    os.makedirs(os.path.join(folder, name + '.trace', name + '.tapepvm'))
    with open(os.path.join(folder, name + '.trace', name + '.tapepvm', 'events'), 'w') as f:
        f.write('#TAPE/PVM 1\n' + ''.join(lines))
    return os.path.join(folder, name + '.trace')


def written(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as f:
        f.write(text)
    return path


PAJE = '%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n' \
       '%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n' \
       '%EventDef PajeDefineStateType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n' \
       '%EventDef PajeSetState 4\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n1 T 0 Process\n3 S T State\n'


def scarce(folder):
    """{which: trace}, of those formats whose smallest files are easily written."""
    enroll = [line('Enroll', i, i, 0, host='h', arch='A', speed=1, parent=-1, program='p') for i in (0, 1)]
    exits = [line('Exit', 10**7 + i, i, 0) for i in (0, 1)]
    return {'no message': bundle(folder, 'silent', *enroll, line('TRecv', 10**6, 0, 10**5, asked_from=-1, asked_tag=1, tag=-1), *exits),
            'one task': bundle(folder, 'alone', enroll[0], line('PkInt', 5 * 10**6, 0, 10**4), exits[0]),
            'one instant': bundle(folder, 'instant', *(line('Enroll', 0, i, 0, host='h', arch='A', speed=1, parent=-1, program='p') for i in (0, 1))),
            'one event': bundle(folder, 'event', enroll[0]), 'no event': bundle(folder, 'empty'),
            'one process': written(folder, 'one.paje', PAJE + '2 0 p T 0 "a process"\n4 0 S p "Work"\n4 2 S p "Rest"\n'),
            'one moment': written(folder, 'moment.paje', PAJE + '2 0 p T 0 "a process"\n4 0 S p "Work"\n'),
            'one call': written(folder, 'one.json', '{"traceEvents":[{"name":"f","ph":"X","ts":1,"dur":5,"pid":1,"tid":1}]}'),
            'one node': written(folder, 'one.dot', 'digraph g { a }\n')}


def views_of(trace):
    """(program, view, class) of all programs on offer for a trace."""
    told = subprocess.run([SCOPE, 'info', trace, '--json'], capture_output=True, text=True, timeout=120)
    assert told.returncode == 0, (trace, told.stderr)
    for program in (p['file'] for p in json.loads(told.stdout)['programs']):
        for box in ElementTree.parse(program).getroot().iter('component'):
            if box.get('class') in CLASSES:
                yield program, box.get('name').replace('{n}', '1'), box.get('class')       # of several traces the first


def letters(svg):
    texts, _ = labels.texts_of(svg)
    return sum(len(t.glyphs) for t in texts if t.box[1] > HEAD), [t for t in texts if t.cut]


def draw(folder, what, trace, *words, may_fail=False):
    """The letters below the heading; -1: there is no picture, and a sentence says why."""
    out = os.path.join(folder, 'x.svg')
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run([SCOPE, 'draw', *([trace] if isinstance(trace, str) else trace), '-q', '-o', out, '--size', '700x440', *words],
                          capture_output=True, text=True, errors='replace', timeout=300, env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache')))
    if done.returncode:
        if done.returncode not in (1, 2) or not may_fail or len(done.stderr) < 20 or 'component' in done.stderr and 'ended' in done.stderr:
            problems.append(f'{what}: status {done.returncode}: {done.stderr}')
        return -1, done.stderr
    with open(out, encoding='utf-8') as f:
        n, _ = letters(f.read())
    return n, done.stderr


def check_scarce(folder, rand):
    """Traces without messages, with one task, with one instant, with one event or none: each view of each program."""
    n, seen, whose = 0, set(), {}
    for which, trace in scarce(folder).items():
        for program, view, its in views_of(trace):
            twice = 2 if 'compare' in os.path.basename(program) else 1
            whose.setdefault((program, view, its, twice), []).append((which, trace))
    every = sorted(whose)
    for program, view, its, twice in rand.sample(every, len(every) // 8) if SHORT else every:
        own = whose[program, view, its, twice]
        for which, trace in own if ALL else [rand.choice(own)]:
            what = f'{os.path.basename(program)}: {view} ({its}), {which}'
            said, _ = draw(folder, what, [trace] * twice, '--program', program, '--view', view)
            if 0 <= said < 1 and its not in SAY_NOTHING:
                problems.append(f'{what}: the picture says nothing')
            n, seen = n + 1, seen | {its}
    return n, seen


def check_windows(folder):
    """A stretch of time in which nothing is, before the execution or of no length: every class of views."""
    done, n = {}, 0
    for name in ('heat2d.trace', 'shop.trace', 'watched.trace'):
        trace = os.path.join(ROOT, 'traces', name)
        for program, view, its in views_of(trace):
            if its in done or 'compare' in os.path.basename(program):
                continue
            done[its] = True
            for window in (['--from', '-9', '--to', '-8'], ['--from', '0', '--to', '0']):
                if SHORT and len(done) % 6:
                    continue
                said, _ = draw(folder, f'{view} ({its}), {window}', trace, '--program', program, '--view', view, *window, may_fail=True)
                if 0 <= said < 1 and its not in SAY_NOTHING:
                    problems.append(f'{view} ({its}), {window}: the picture says nothing')
                n += 1
    assert set(done) | UNUSED >= CLASSES, CLASSES - set(done)
    # a sentence where an axis alone would stand: its letters are more than those of the same axis
    trace = os.path.join(ROOT, 'traces', 'heat2d.trace')
    for program, view in (('views', 'Space-time'), ('call-tree', 'Call timeline'), ('utilization', 'Tasks in each state'), ('in-flight', 'Traffic')):
        out = os.path.join(folder, 'w.svg')
        for span in (['--from', '-9', '--to', '-8'],):
            subprocess.run([SCOPE, 'draw', trace, '--program', program, '--view', view, '-q', '-o', out, '--size', '700x440', *span], check=True, timeout=120,
                           env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache')))
            with open(out, encoding='utf-8') as f:
                texts, _ = labels.texts_of(f.read())
            middle = [t for t in texts if t.box[1] < 220 < t.box[3] + 6 and len(t.glyphs) > 25]
            if not middle:
                problems.append(f'{view}, {span}: no sentence in the middle')
            n += 1
    return n


def check_damaged(folder, rand):
    """Files of associations and of groups that are cut, mixed up or of another sort; attributes that are no longer there; a group that is made of itself."""
    trace = shutil.copytree(os.path.join(ROOT, 'traces', 'fft2d-s16.trace'), os.path.join(folder, 'bad.trace'))
    good = 'associations 1\ntask State colour\n  Busy = #2a9d6f\nlink TotalTraffic width\n  ramp 0 .. 100000 = 1 .. 12 root\ntask Nickname label\n'
    groups = 'left = t40002, t40003, right\nright = t4000[4-6], left\nall = *\n'
    gone = 'associations 1\ntask "what there was" colour\n  1 = #112233\nlink Gone width\n  ramp 0 .. 1 = 1 .. 2\n'
    n = 0
    for name, text, words in (('associations', good, []), ('task-groups', groups, ['--hierarchy', 'hand'])):
        path = os.path.join(trace, name)
        for k in range(2 if SHORT else 40 if ALL else 8):
            data = bytearray(text.encode())
            how = k % 4
            if how == 0:
                del data[rand.randrange(len(data)):]
            elif how == 1:
                for _ in range(4):
                    data[rand.randrange(len(data))] = rand.randrange(256)
            elif how == 2:
                at = rand.randrange(len(data))
                data[at:at] = bytes(rand.randrange(256) for _ in range(30))
            else:
                data = bytearray(rand.randbytes(200))
            with open(path, 'wb') as f:
                f.write(data)
            said, told = draw(folder, f'{name}: {bytes(data)!r}', trace, '--view', rand.choice(['Space-time', 'State graph']), *words, may_fail=True)
            if 0 <= said < 10:
                problems.append(f'{name}: {bytes(data)!r}: nothing is shown')
            n += 1
        os.remove(path)
    # attributes that no trace has any more: the picture is as without the rules, and it is told
    rules = written(folder, 'gone', gone)
    said, told = draw(folder, 'attributes that are gone', trace, '--view', 'State graph', '--associations', rules)
    if said < 10 or 'what there was' not in told:
        problems.append(f'attributes that are gone: {said} letters, “{told}”')
    # groups that name each other: names are those of tasks, so that a group is never inside of itself
    written(trace, 'task-groups', groups)
    said, told = draw(folder, 'groups that name each other', trace, '--view', 'Space-time', '--hierarchy', 'hand', may_fail=True)
    if not (said > 10 or 'left' in told or 'right' in told):
        problems.append(f'groups that name each other: {said}, “{told}”')
    return n + 2


def check_many_groups(folder):
    """As many groups as tasks: each is shown as its task, or those that there is room for."""
    tasks = 20000 if SHORT else 1000000 if ALL else 100000
    lines = [line('Enroll', i // 1000, i, 0, host=f'n{i}', arch='A', speed=1, parent=-1, program='p') for i in range(tasks)]
    trace = bundle(folder, 'lonely', *lines, *(line('Exit', 10**7 + i // 1000, i, 0) for i in range(tasks)))
    for view in 'Space-time', 'State graph':
        said, _ = draw(folder, f'{tasks} groups of one task: {view}', trace, '--view', view, '--hierarchy', 'host', '--at', '0.005')
        if said < 10:
            problems.append(f'{tasks} groups of one task: {view} says {said} letters')
    return 2


CLASSES = {row.split('  ')[0] for row in subprocess.run([SCOPE, 'components'], capture_output=True, text=True, check=True).stdout.splitlines()
           if '  Views  ' in row}
UNUSED = {'scope.value-tree'}       # whatever programs on offer have none of is looked at by the tests of charts


def main(folder):
    rand = random.Random(SEED)
    print(f'SCOPE_SEED={SEED}')
    n, seen = check_scarce(folder, rand)
    n += check_windows(folder) + check_damaged(folder, rand) + check_many_groups(folder)
    assert not problems, '\n'.join(problems)
    print(f'{n} pictures of next to nothing, of {len(seen)} classes')


with tempfile.TemporaryDirectory() as temporary:
    main(temporary)
