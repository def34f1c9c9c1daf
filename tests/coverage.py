#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/coverage.md and the checklists beside it (PAGES): each test and picture that they name exists, no id stands twice, what
works has evidence, and their tables count what their lists say.

usage: coverage.py [BUILD_FOLDER]      --write counts anew; without a build folder names of meson tests are not looked at"""
import ast
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = 'coverage.md', 'window-checklist.md', 'model-checklist.md', 'views-checklist.md', 'formats-checklist.md', 'mpi-checklist.md'
STATES = 'works', 'partly', 'missing', 'cannot be had'
BEGIN, END = '<!-- counts -->\n', '<!-- end of counts -->\n'


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


class Evidence:
    """What a name between backquotes may stand for."""

    def __init__(self, build):
        self.meson, self.python, self.c = None, {}, {}
        if build:
            with open(os.path.join(build, 'meson-info', 'intro-tests.json'), encoding='utf-8') as f:
                self.meson = {t['name'] for t in json.load(f)}

    def functions(self, file):
        """`Class.function` and `function` of a Python file below tests/; None: there is no such file."""
        if file not in self.python:
            path = os.path.join(ROOT, 'tests', file + '.py')
            names = set() if os.path.exists(path) else None
            for node in ast.parse(read(path)).body if names is not None else ():
                if isinstance(node, ast.FunctionDef):
                    names.add(node.name)
                elif isinstance(node, ast.ClassDef):
                    names |= {f'{node.name}.{f.name}' for f in node.body if isinstance(f, ast.FunctionDef)}
            self.python[file] = names
        return self.python[file]

    def paths(self, file):
        """Paths of the functions that C files of this name add."""
        if file not in self.c:
            self.c[file] = {path for name in glob.glob(os.path.join(ROOT, 'tests', '*', file + '.c'))
                            for path in re.findall(r'g_test_add\w* \("([^"]+)"', read(name))}
        return self.c[file]

    def lacks(self, name):
        """Why the name is no evidence, or None."""
        if name.startswith(('docs/', 'tests/bench/')):
            return None if os.path.exists(os.path.join(ROOT, name)) else 'there is no such file'
        if ':/' in name:
            file, path = name.split(':', 1)
            return None if path in self.paths(file) else f'no C test {file}.c has it'
        if '/' in name:
            file, function = name.split('.', 1) if '.' in name else (name, '')
            if self.functions(file) is None:
                return f'there is no tests/{file}.py'
            return None if function in self.functions(file) else f'tests/{file}.py has it not'
        if self.meson is None or name in self.meson:
            return None
        # A build without a library of others has none of the tests that need it: their names begin alike.
        head = name.rpartition(' ')[0]
        return 'meson knows no test of this name' if not head or any(t.startswith(head + ' ') for t in self.meson) else None


def items(page, text):
    """(group, id, what, where, state, why, evidence) of each line of the lists."""
    group = None
    for line in text.splitlines():
        if line.startswith('## '):
            group = line[3:]
        cells = [c.strip() for c in line.strip().strip('|').split('|')]
        if group and line.startswith('|') and len(cells) == 5 and cells[0] != 'id' and set(cells[0]) != {'-'}:
            state, _, why = cells[3].partition(': ')
            yield group, *cells[:3], state, why, re.findall('`([^`]+)`', cells[4])
        elif group and line.startswith('|') and len(cells) != 5:
            sys.exit(f'{page}: a line of {len(cells)} cells, not 5: {line}')


def table(found):
    groups = {}
    for group, _, _, _, state, _, _ in found:
        groups.setdefault(group, dict.fromkeys(STATES, 0))[state] += 1
    lines = ['| group | ' + ' | '.join(STATES) + ' |', '|---|' + '---|' * len(STATES)]
    lines += [f'| {group} | ' + ' | '.join(str(n[s]) for s in STATES) + ' |' for group, n in groups.items()]
    lines.append('| all | ' + ' | '.join(str(sum(n[s] for n in groups.values())) for s in STATES) + ' |')
    return '\n'.join(lines) + '\n'


def check(page, evidence):
    """What is wrong with it, and how many items it has."""
    path = os.path.join(ROOT, 'docs', page)
    text, wrong, seen = read(path), [], set()
    found = list(items(page, text))
    for _, name, what, where, state, why, shown in found:
        if name in seen:
            wrong.append(f'{name} stands twice')
        seen.add(name)
        if state not in STATES:
            wrong.append(f'{name}: “{state}” is no state: it is one of {", ".join(STATES)}')
            continue
        if not what or not where:
            wrong.append(f'{name}: what it is, or where, is missing')
        if state == 'works' and (not shown or why):
            wrong.append(f'{name} works: ' + ('that has evidence' if not shown else 'that has no “but”; else it is “partly”'))
        if state in ('partly', 'cannot be had') and not why:
            wrong.append(f'{name}: “{state}” says why: “{state}: ...”')
        wrong += [f'{name}: {e}: {lack}' for e in shown for lack in [evidence.lacks(e)] if lack]
    before, begin, rest = text.partition(BEGIN)
    counts, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f'{page}: the counts stand between {BEGIN.strip()} and {END.strip()}')
    if not wrong and counts != table(found):
        if '--write' in sys.argv:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(before + begin + table(found) + end + after)
        else:
            wrong.append('the table of counts is not true: tests/coverage.py --write counts anew')
    return [f'{page}: {one}' for one in wrong], len(found)


def main():
    words = [w for w in sys.argv[1:] if w != '--write']
    if words and words[0].startswith('-'):
        sys.exit(__doc__)
    evidence, wrong, n = Evidence(words[0] if words else None), [], 0
    for page in PAGES:
        troubles, items_of_page = check(page, evidence)
        wrong, n = wrong + troubles, n + items_of_page
    print('\n'.join(wrong) or f'{n} items')
    sys.exit(bool(wrong))


main()
