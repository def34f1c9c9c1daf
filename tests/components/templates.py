#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a component of each kind by `scope new-component`, builds it without a warning as its README says, right after Scope was
built and with nothing but its packages, and runs its tests.  The components in docs/writing-a-component.md are tried too.
Usage: templates.py SOURCE BUILD [KIND...]"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

KINDS = ['flow', 'math', 'analysis', 'reader', 'simulator', 'view', 'layout']


STEPS = """%steps
0.5 a { outer
0.75 a { inner
1 b level 2.5
1.5 a }
soon a }
2 a }
"""


def check_guide(source, build, env, folder):
    """Each piece of code of the guide that ends with a plug-in is a whole component."""
    scope = os.path.join(build, 'src/scope')
    env = dict(env, XDG_CACHE_HOME=os.path.join(folder, 'cache'))
    flags = subprocess.run(['pkg-config', '--cflags', 'glib-2.0', 'pangocairo'], stdout=subprocess.PIPE, text=True, check=True).stdout.split()

    def said_by(*command, **more):
        done = subprocess.run(command, cwd=folder, env=dict(env, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f'docs/writing-a-component.md: {" ".join(command)}\n{done.stdout}{done.stderr}')
        return done.stdout

    with open(os.path.join(source, 'docs/writing-a-component.md'), encoding='utf-8') as f:
        pieces = [p for p in re.findall(r'```c\n(.*?)```', f.read(), re.S) if re.search(r'^\w*PLUGIN \(', p, re.M)]
    if len(pieces) != 4:
        sys.exit(f'docs/writing-a-component.md has {len(pieces)} whole components, not 4')
    for i, code in enumerate(pieces):
        with open(os.path.join(folder, f'guide{i}.c'), 'w', encoding='utf-8') as f:
            f.write(code)
        said_by('cc', '-std=c17', '-Wall', '-Wextra', '-Werror', '-Wno-missing-field-initializers', '-Wno-unused-parameter', '-fPIC', '-shared', f'-I{source}', *flags,
                f'guide{i}.c', '-o', f'guide{i}.so')
        said_by(scope, 'check', f'guide{i}.so')
    with open(os.path.join(folder, 'a.steps'), 'w', encoding='utf-8') as f:
        f.write(STEPS)
    with open(os.path.join(folder, 'bars.eve'), 'w', encoding='utf-8') as f:
        f.write('''<eve version="1"><title>Bars</title><component name="Reader" class="my.steps-reader"/><component name="Calls" class="scope.calls-simulator"/>
                <component name="Bars" class="my.bars"/><wire from="Reader" out="events" to="Calls" in="events"/>
                <wire from="Calls" out="states" to="Bars" in="states"/></eve>''')
    state = json.loads(said_by(scope, 'state', 'a.steps', '--at', '1', '--json', SCOPE_PLUGIN_PATH=folder))
    tasks = {n['id']: n for n in state['nodes']}
    if tasks['a']['State'] != 'inner' or tasks['b'].get('level') != '2.5':
        sys.exit(f'docs/writing-a-component.md: at 1 s a is {tasks}')
    info = json.loads(said_by(scope, 'info', 'a.steps', '--json', SCOPE_PLUGIN_PATH=folder))
    if (info['events'], info['damaged']) != (5, 1):
        sys.exit(f'docs/writing-a-component.md: {info["events"]} events, {info["damaged"]} damaged')
    said_by(scope, 'draw', 'a.steps', '--program', 'bars.eve', '--view', 'Bars', '--csv', '-o', 'bars.csv', SCOPE_PLUGIN_PATH=folder)
    with open(os.path.join(folder, 'bars.csv'), encoding='utf-8') as f:
        told = f.read()
    if not {'a: outer', 'a: inner'} <= set(re.findall(r'a: \w+', told)):
        sys.exit(f'docs/writing-a-component.md: the bars are\n{told}')
    with open(os.path.join(folder, 'vee.eve'), 'w', encoding='utf-8') as f:
        f.write('''<eve version="1"><title>Vee</title><component name="Reader" class="my.steps-reader"/><component name="Calls" class="scope.calls-simulator"/>
                <component name="Graph" class="scope.state-graph"><setting name="layout">vee</setting></component>
                <component name="Scene" class="scope.scene"><setting name="layout">vee</setting></component>
                <wire from="Reader" out="events" to="Calls" in="events"/><wire from="Calls" out="messages" to="Graph" in="messages"/>
                <wire from="Calls" out="messages" to="Scene" in="messages"/></eve>''')
    for view, picture in (('Graph', 'vee.svg'), ('Scene', 'vee.csv')):
        said_by(scope, 'draw', 'a.steps', '--program', 'vee.eve', '--view', view, '--at', '1', '-q', '-o', picture, SCOPE_PLUGIN_PATH=folder)
    with open(os.path.join(folder, 'vee.csv'), encoding='utf-8') as f:
        places = [(float(o['x']), float(o['y'])) for o in csv.DictReader(f) if o['kind'] == 'task']
    if len(places) != 2 or abs(abs(places[0][0] - places[1][0]) - 0.7) > 1e-6 or places[0][1] != places[1][1]:
        sys.exit(f'docs/writing-a-component.md: two tasks of a V stand at {places}')


N_REGIONS = 20


def regions_trace(folder):
    """Two tasks, each inside of so many phases; those that end together end from the innermost."""
    data = os.path.join(folder, 'deep.trace', 'deep.tapepvm')
    os.makedirs(data)
    lines = []
    for task in (262146, 262147):
        lines.append((1000, f'1 1000 {task} 0 0 host i386 1000 -1 prog'))
        lines += [(10**6 * (level + 1), f'201 {10**6 * (level + 1)} {task} {10**8 - 2 * 10**6 * level} 0 phase-{level} {level}') for level in range(N_REGIONS)]
        lines.append((2 * 10**8, f'2 {2 * 10**8} {task} 0 0 0'))
    with open(os.path.join(data, 'events'), 'w', encoding='utf-8') as f:
        f.write('#TAPE/PVM 1\n' + ''.join(text + '\n' for _, text in sorted(lines, key=lambda line: line[0])))
    return os.path.dirname(data)


def check_regions(scope, env, target, folder):
    """The simulator of the skeleton with so many regions of its own: a film that one process shoots shows others all of them, by name and
    colour, and a travel that begins at a saved state too."""
    path = os.path.join(target, 'my-simulator.c')
    with open(path, encoding='utf-8') as f:
        code = f.read()
    names = [f'Region {i}' for i in range(N_REGIONS)]
    for old, new in (('enum { QUIET, ACTIVE, N_STATES };', f'enum {{ QUIET, ACTIVE, N_STATES = ACTIVE + {N_REGIONS} }};'),
                     ('{ "Active", STATE_SENSE_WORKS }', ', '.join(f'{{ "{n}", STATE_SENSE_NONE }}' for n in names)),
                     ('depth > 0 ? ACTIVE : QUIET', 'depth > 0 ? ACTIVE - 1 + depth : QUIET')):
        if code.count(old) != 1:
            sys.exit(f'simulator: “{old}” is not in the skeleton')
        code = code.replace(old, new)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(code)
    trace, program = regions_trace(folder), os.path.join(folder, 'deep.eve')
    with open(program, 'w', encoding='utf-8') as f:
        f.write('''<eve version="1"><title>Deep</title><component name="Reader" class="scope.tapepvm-reader"/><component name="Model" class="my.my-simulator"/>
                <component name="View" class="scope.space-time"/><wire from="Reader" out="events" to="Model" in="events"/>
                <wire from="Model" out="states" to="View" in="states"/></eve>''')
    env = dict(env, SCOPE_PLUGIN_PATH=os.path.join(target, 'build'), XDG_CACHE_HOME=os.path.join(folder, 'deep-cache'))
    picture, told = os.path.join(folder, 'deep.svg'), {}
    commands = [['ninja', '-C', os.path.join(target, 'build')], [scope, 'film', trace, '--program', program, '-q'],
                [scope, 'draw', trace, '--program', program, '--view', 'View', '--size', '4000x800', '-o', picture],
                [scope, 'draw', trace, '--program', program, '--view', 'View', '--csv', '--at', '0.03', '-o', os.path.join(folder, 'deep.csv')]]
    commands += [[scope, 'seek', trace, '--program', program, '--to', to, *no] for to in ('0.0205', '0.15') for no in ([], ['--no-film'])]
    for command in commands:
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode or (done.stderr and command[0] == scope):
            sys.exit(f'{" ".join(command)}\n{done.stdout}{done.stderr}')
        if command[1] == 'seek':
            told.setdefault(command[command.index('--to') + 1], set()).add(json.loads(done.stdout)['hash'])
    with open(os.path.join(folder, 'deep.csv'), encoding='utf-8') as f:
        csv = f.read()
    with open(picture, encoding='utf-8') as f:
        svg = f.read()
    missing = [n for n in names if f',{n},' not in csv]
    colours = set(re.findall(r'fill="?:?(rgb\([^)]*\))', svg.replace('style="', 'fill="').replace('fill:', 'fill="')))
    if missing or len(colours) < N_REGIONS or any(len(hashes) != 1 for hashes in told.values()):
        sys.exit(f'simulator of {N_REGIONS} regions: missing {missing}, {len(colours)} colours, hashes {told}\n{csv[:500]}')


def main():
    source, build = map(os.path.abspath, sys.argv[1:3])
    kinds = sys.argv[3:] or KINDS
    benches = set()
    for kind in KINDS:
        path = os.path.join(source, 'src/templates', kind, 'bench.h')
        if os.path.exists(path):
            benches.add(open(path, encoding='utf-8').read())
    if len(benches) != 1:
        raise SystemExit('the files bench.h of src/templates are not the same any more')
    env = dict(os.environ, CFLAGS='-Werror')
    for leave in ('DESTDIR', 'NINJA', 'SCOPE_PLUGIN_PATH'):
        env.pop(leave, None)
    env['GLIBC_TUNABLES'] = 'glibc.malloc.tcache_count=0'       # what free() keeps for later looks lost to scope check
    with tempfile.TemporaryDirectory() as folder:
        env['PATH'] = os.path.join(build, 'src') + os.pathsep + env['PATH']
        check_guide(source, build, env, folder)
        for kind in kinds:
            target = os.path.join(folder, kind)
            for command, where in ((['scope', 'new-component', f'my-{kind}', '--kind', kind, '-o', target], folder), (['meson', 'setup', 'build'], target),
                                   (['ninja', '-C', 'build'], target), (['meson', 'test', '-C', 'build', '--print-errorlogs'], target)):
                done = subprocess.run(command, cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, check=False)
                if done.returncode:
                    sys.exit(f'{kind}: {" ".join(command)}\n{done.stdout}')
            if kind == 'simulator':
                check_regions(os.path.join(build, 'src/scope'), env, target, folder)
            print(f'{kind}: {re.search(r"Ok: +([0-9]+)", done.stdout)[1]} tests')


main()
