#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is installed for writers of components is enough: each header compiles by itself with nothing but the others, a component of
each kind that `scope new-component` makes does, what the headers declare is in the libraries, and the headers that
docs/writing-a-component.md names are there.

usage: headers.py SOURCE_FOLDER BUILD_FOLDER"""
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = map(os.path.abspath, sys.argv[1:3])
GUIDE = os.path.join('docs', 'writing-a-component.md')
# What a writer of components has no hand in: the application opens programs with it.
HOST = 'eve/eve-host.h'
# Code that a simulator takes in after it has said what its model is called: the skeleton does.
FRAME = 'simulators/component.h'


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as f:
        return f.read()


def said_by(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    return done.stdout if done.returncode else ''


def installed():
    """Name below include/scope -> file of the source."""
    with open(os.path.join(BUILD, 'meson-info', 'intro-installed.json'), encoding='utf-8') as f:
        plan = json.load(f)
    return {to.partition('/include/scope/')[2]: source for source, to in plan.items() if '/include/scope/' in to}


def exported():
    names = set()
    for library in glob.glob(os.path.join(BUILD, '*', 'lib*.so')):
        out = subprocess.run(['nm', '-D', '--defined-only', library], stdout=subprocess.PIPE, text=True, check=True).stdout
        names |= {line.split()[-1].partition('@')[0] for line in out.splitlines()}
    return names


def declared(text):
    """Functions and variables that a header promises: what begins at the margin and ends with a semicolon."""
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    text = re.sub(r'^#(?:.*\\\n)*.*$', '', text, flags=re.M)
    text = re.sub(r'^(typedef|static|struct|enum|union)\b(?:[^{};]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*?(;|(?<=\}))', '', text, flags=re.M)
    for found in re.finditer(r'^(?:extern )?(?:const )?[a-zA-Z_]\w*[\w \*]*?\b([a-z]\w*) ?(\(|;|\[|,)', text, flags=re.M):
        if found[1] not in ('if', 'for', 'while', 'return', 'switch', 'sizeof'):
            yield found[1]


def main():
    headers, wrong = installed(), []
    flags = subprocess.run(['pkg-config', '--cflags', 'glib-2.0', 'pangocairo'], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    with tempfile.TemporaryDirectory(prefix='scope-headers-') as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, source in headers.items():
            to = os.path.join(folder, 'include', name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(os.path.join(SOURCE, source), to)
        compile_only = ['cc', '-std=c17', '-Wall', '-Wextra', '-Werror', '-Wno-missing-field-initializers', '-fsyntax-only', '-x', 'c',
                        '-I' + os.path.join(folder, 'include'), *flags]
        jobs = {name: pool.submit(said_by, *compile_only, '-include', name, os.devnull) for name in sorted(headers) if name != FRAME}
        for kind in sorted(os.listdir(os.path.join(SOURCE, 'src', 'templates'))):
            made = os.path.join(folder, kind)
            if os.path.isdir(os.path.join(SOURCE, 'src', 'templates', kind)):
                wrong.append(said_by(os.path.join(BUILD, 'src', 'scope'), 'new-component', 'my-' + kind, '--kind', kind, '-o', made))
                for source in glob.glob(os.path.join(made, '*.c')):
                    jobs[f'{kind}: {os.path.basename(source)}'] = pool.submit(said_by, *compile_only, '-std=gnu17', '-Wno-unused-parameter', source)
        wrong += [f'{name}: {job.result()}' for name, job in jobs.items() if job.result()]
    there, promised = exported(), 0
    for name, source in sorted(headers.items()):
        if name != HOST and '/' in name:
            promised += len(list(declared(read(SOURCE, source))))
            wrong += [f'{name} declares {one}, which no library has' for one in declared(read(SOURCE, source)) if one not in there]
    for name in sorted(set(re.findall(r'`((?:eve|readers|simulators|statistics|views|components)/[a-z0-9-]+\.h)`', read(SOURCE, GUIDE)))):
        if name not in headers:
            wrong.append(f'{GUIDE} names {name}, which is not installed')
    wrong = [one for one in wrong if one]
    print('\n'.join(wrong) or f'{len(headers)} headers, {promised} functions and variables')
    sys.exit(bool(wrong))


main()
