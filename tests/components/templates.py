#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a component of each kind by `scope new-component`, builds it without a warning as its README says, right after Scope was
built and with nothing but its packages, and runs its tests.  The components in docs/writing-a-component.md are tried too.
Usage: templates.py SOURCE BUILD [KIND...]"""
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
    if len(pieces) != 3:
        sys.exit(f'docs/writing-a-component.md has {len(pieces)} whole components, not 3')
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
            print(f'{kind}: {re.search(r"Ok: +([0-9]+)", done.stdout)[1]} tests')


main()
