#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a component of each kind by `scope new-component`, builds it without a warning as its README says, right after Scope was
built and with nothing but its packages, and runs its tests.  The component in docs/writing-a-component.md is tried too.
Usage: templates.py SOURCE BUILD [KIND...]"""
import os
import re
import subprocess
import sys
import tempfile

KINDS = ['flow', 'math', 'analysis', 'reader', 'simulator', 'view', 'layout']


def check_guide(source, build, env, folder):
    """The first piece of code of the guide is a whole component."""
    with open(os.path.join(source, 'docs/writing-a-component.md'), encoding='utf-8') as f:
        code = re.search(r'```c\n(.*?)```', f.read(), re.S)[1]
    with open(os.path.join(folder, 'guide.c'), 'w', encoding='utf-8') as f:
        f.write(code)
    for command in (['cc', '-std=c17', '-Wall', '-Wextra', '-Werror', '-Wno-missing-field-initializers', '-fPIC',
                     '-shared', f'-I{source}', 'guide.c', '-o', 'guide.so'],
                    [os.path.join(build, 'src/scope'), 'check', 'guide.so']):
        done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode:
            sys.exit(f'docs/writing-a-component.md: {" ".join(command)}\n{done.stdout}')


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
