#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a component of each kind out of src/templates, builds it without a warning as somebody outside would, with
nothing but the packages scope-eve and scope-view, and runs its tests.  The component in docs/writing-a-component.md is tried too.
Usage: templates.py SOURCE BUILD [KIND...]"""
import os
import re
import subprocess
import sys
import tempfile

KINDS = ['flow', 'math', 'analysis', 'reader', 'simulator', 'view', 'layout']


def package(source, build, folder):
    """The package files of this build tree, so that nothing need be installed."""
    packages = {'scope-eve': ('glib-2.0', [('eve', 'eve'), ('readers', 'scope-trace'), ('simulators', 'scope-state'),
                                           ('statistics', 'scope-statistics')]),
                'scope-view': ('scope-eve cairo pangocairo', [('views', 'scope-view')])}
    for name, (requires, libs) in packages.items():
        text = f'Name: {name}\nDescription: Components for Scope\nVersion: 0\nRequires: {requires}\nplugindir=/nowhere\n'
        text += f'Cflags: -I{source}\nLibs: ' + ' '.join(
            f'-L{build}/{where} -l{lib} -Wl,-rpath,{build}/{where}' for where, lib in libs) + '\n'
        with open(os.path.join(folder, name + '.pc'), 'w') as f:
            f.write(text)


def make(source, kind, name, target):
    """As `scope new-component` does (src/templates/README.md tells the marks)."""
    marks = {'@PACKAGES@': '', '@NAME@': name, '@IDENT@': name.replace('-', '_'), '@LABEL@': name.replace('-', ' ').capitalize()}

    def filled(text):
        for mark, value in marks.items():
            text = text.replace(mark, value)
        left = re.search(r'@[A-Z]+@', text)
        if left:
            raise SystemExit(f'{kind}: {left[0]} is no mark of src/templates/README.md')
        return text

    os.mkdir(target)
    for entry in os.listdir(os.path.join(source, 'src/templates', kind)):
        with open(os.path.join(source, 'src/templates', kind, entry), encoding='utf-8') as f:
            text = f.read()
        with open(os.path.join(target, filled(entry)), 'w', encoding='utf-8') as f:
            f.write(filled(text))


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
        package(source, build, folder)
        env['PKG_CONFIG_PATH'] = folder
        env['PATH'] = os.path.join(build, 'src') + os.pathsep + env['PATH']
        check_guide(source, build, env, folder)
        for kind in kinds:
            target = os.path.join(folder, kind)
            make(source, kind, f'my-{kind}', target)
            for command in (['meson', 'setup', 'build'], ['ninja', '-C', 'build'],
                            ['meson', 'test', '-C', 'build', '--print-errorlogs']):
                done = subprocess.run(command, cwd=target, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, check=False)
                if done.returncode:
                    sys.exit(f'{kind}: {" ".join(command)}\n{done.stdout}')
            print(f'{kind}: {re.search(r"Ok: +([0-9]+)", done.stdout)[1]} tests')


main()
