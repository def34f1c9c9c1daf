#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the C code has the one form of .clang-format.  Other versions of clang-format give slightly other forms, so
the check asks for one: clang-format 14.  `tests/form.py --mend` rewrites what differs.  No two files have static functions of
one name."""
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


STATIC = re.compile(r'^static (?:inline |const |unsigned |struct |enum |_Noreturn )*\w+(?: \w+)*[ *]*(?:\n| G_GNUC_\w+ (?:\([^)]*\) )?)(\w+) \(', re.M)
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
FOLDERS = ('eve/', 'readers/', 'simulators/', 'statistics/', 'components/', 'views/', 'src/', 'traces/tracers/')


def alike(names):
    """A backtrace names functions alone, so a static function has a name that no other file gives to one of its own.  Tells those
    that share one."""
    files = collections.defaultdict(list)
    for file in names:
        if file.startswith(FOLDERS) and file.endswith('.c'):
            with open(os.path.join(ROOT, file), encoding='utf-8') as f:
                for name in set(STATIC.findall(NO_CODE.sub(' ', f.read()))):
                    files[name].append(file)
    told = [f'{", ".join(where)}: each has a static function {name} (); put the name of its file before it'
            for name, where in sorted(files.items()) if len(where) > 1]
    print('\n'.join(told), end='\n' if told else '')
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
