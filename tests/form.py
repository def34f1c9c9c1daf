#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the C code has the one form of .clang-format.  Other versions of clang-format give slightly other forms, so
the check asks for one: clang-format 14.  `tests/form.py --mend` rewrites what differs.  Functions that are called through a
pointer have names of their own."""
import collections
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VERSION = '14'
SKIP = 77                       # exit status with which meson counts a test as skipped
EXCEPT = ('src/templates/',)    # not C yet: names in them are filled in


def tool():
    for name in (f'clang-format-{VERSION}', 'clang-format'):
        path = shutil.which(name)
        if path:
            said = subprocess.run([path, '--version'], capture_output=True, text=True).stdout
            if re.search(r'version (\d+)', said).group(1) == VERSION:
                return path
    return None


STATIC = re.compile(r'^static (?:inline |const |unsigned |struct |enum |_Noreturn )*\w+(?: \w+)*[ *]*\n(\w+) \(', re.M)
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
FOLDERS = ('eve/', 'readers/', 'simulators/', 'statistics/', 'components/', 'views/', 'src/', 'traces/tracers/')


def alike(names):
    """Who called a function through a pointer is not seen in a backtrace, so its name alone has to say which one it is.  Tells
    those static functions that stand in a structure and have the name of another file's."""
    files, where = collections.defaultdict(list), {}
    for file in names:
        if file.startswith(FOLDERS) and file.endswith('.c'):
            with open(os.path.join(ROOT, file), encoding='utf-8') as f:
                text = NO_CODE.sub(' ', f.read())
            for name in set(STATIC.findall(text)):
                files[name].append(file)
                if re.search(r'\.\w+ = ' + name + r'\b(?! ?\()[ ,}]', text):
                    where[name] = file
    told = [f'{file}: {name} () is called through a pointer, and {len(files[name]) - 1} other files have a function of this name'
            for name, file in where.items() if len(files[name]) > 1]
    print('\n'.join(told))
    return bool(told)


def main():
    program = tool()
    if not program:
        print(f'clang-format {VERSION} is not here: the form of the code is not checked.')
        sys.exit(SKIP)
    names = subprocess.run(['git', '-C', ROOT, 'ls-files', '--cached', '--others', '--exclude-standard', '*.c', '*.h'],
                           capture_output=True, text=True, check=True).stdout.split()
    names = [n for n in names if not n.startswith(EXCEPT) and os.path.isfile(os.path.join(ROOT, n))]
    if '--mend' in sys.argv:
        sys.exit(subprocess.run([program, '-i', *names], cwd=ROOT).returncode)
    done = subprocess.run([program, '--dry-run', '--Werror', *names], cwd=ROOT, capture_output=True, text=True)
    print(done.stderr[-8000:], end='')
    if done.returncode:
        print('The form of these lines is another one; `python3 tests/form.py --mend` changes it.')
    sys.exit(done.returncode != 0 or alike(names))


main()
