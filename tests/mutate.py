#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Would the tests notice?  Makes small faults in C files, one at a time, builds, runs the quick suites that look at that
folder, and lists the faults that nobody noticed: each is a test to write, or a line that changes nothing.

    tests/mutate.py                             # 100 faults (or SCOPE_MUTATIONS) in what differs from main, or in the last 10 commits
    tests/mutate.py --since v1 --number 200     # in what changed since
    tests/mutate.py eve/ring.c views/names.c    # in these files
    tests/mutate.py --again                     # those that nobody noticed the last time: has a test been written since?

Works on a copy, in build-mutate.  A fault that gives the same object code is none and is not counted.  The same --seed
makes the same faults.  Tests that take half a minute are left out, unless --slow asks for them.  Exit status 1: fewer than
--at-least percent were noticed, or the tests fail without a fault."""
import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, 'build-mutate')
TREE, BUILD = os.path.join(WORK, 'tree'), os.path.join(WORK, 'build')
# Folder -> suites that look at it, the quickest first.
SUITES = [('eve/', ['unit', 'components']), ('readers/', ['readers', 'cli']), ('simulators/calls', ['film-schema', 'model']), ('simulators/', ['simulators', 'film-schema']),
          ('statistics/', ['statistics', 'components']), ('components/', ['components', 'programs']), ('views/', ['views', 'film']),
          ('src/session/', ['film', 'cli']), ('src/cli/', ['cli', 'programs']), ('src/editor/', ['editor'])]
SLOW = {'film-bad', 'film-damage', 'templates', 'model', 'cli-house', 'examples'}    # half a minute each, or the whole build
LEFT = os.path.join(WORK, 'not-noticed.json')

# What to look for in code without strings and comments, and what may stand there instead.
SWAPS = [(r'(?<![<>=!+*/|&%^-])<=', ['<']), (r'(?<![<>-])>=', ['>']), (r'(?<= )<(?= )', ['<=', '>']), (r'(?<= )>(?= )', ['>=', '<']),
         (r'==', ['!=']), (r'!=', ['==']), (r'&&', ['||']), (r'\|\|', ['&&']), (r'(?<= )\+(?= )', ['-']), (r'(?<= )-(?= )', ['+']),
         (r'\+\+', ['--']), (r'--', ['++']), (r'\+=', ['-=']), (r'-=', ['+=']), (r'(?<![\w!])!(?=[\w(])', ['']),
         (r'\bMIN\b', ['MAX']), (r'\bMAX\b', ['MIN']), (r'\btrue\b', ['false']), (r'\bfalse\b', ['true']),
         (r'(?<![\w.x])0(?![\w.])', ['1']), (r'(?<![\w.x])1(?![\w.])', ['0', '2']), (r'(?<![\w.x])[2-9]\d*(?![\w.])', ['+1', '-1']),
         (r'(?<= )\*(?= )', ['+']), (r'(?<= )/(?= )', ['*']), (r'\bbreak;', [';']), (r'\bcontinue;', [';'])]
STATEMENT = re.compile(r'^\s+(?!return|goto|case|default|else|break|continue|static|const|struct|enum|typedef|int|bool|char|double|float|'
                       r'unsigned|size_t|u?int\d+_t|g_auto|\w*free\b|\w*unref\b|g_clear)[\w>.()*\[\]&+-]+ ?(?:[-+|&*]?= |\(|\+\+|--).*;$')
OPERANDS = re.compile(r'(?<![\w.>)\]])([a-z_]\w*(?:(?:->|\.)\w+)*) (-|/|<|>) ([a-z_]\w*(?:(?:->|\.)\w+)*)(?![\w(\[])')


def blanked(text):
    """The same length; strings, characters, comments and lines of the preprocessor are blank."""
    def blank(match):
        return re.sub(r'[^\n]', ' ', match.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*', blank, text, flags=re.S | re.M)


def faults(path, text):
    """All of a file: (place, length, instead, how)."""
    code = blanked(text)
    found = []
    for pattern, instead in SWAPS:
        for m in re.finditer(pattern, code):
            for new in instead:
                number = str(int(m.group()) + int(new)) if re.fullmatch('[+-]1', new) else new
                found.append((m.start(), len(m.group()), number, f'{m.group()} -> {number or "nothing"}'))
    for m in OPERANDS.finditer(code):
        found.append((m.start(), len(m.group()), f'{m.group(3)} {m.group(2)} {m.group(1)}', 'operands swapped'))
    at, depth = 0, 0
    for line in code.split('\n'):
        if depth > 0 and STATEMENT.match(line) and line.count('(') == line.count(')') and '{' not in line:
            begin = at + len(line) - len(line.lstrip())
            found.append((begin, len(line.strip()), ';', 'statement dropped'))
        depth += line.count('{') - line.count('}')
        at += len(line) + 1
    inside = [0]        # tables and prototypes are left alone: a fault is in the body of a function
    for c in code:
        inside.append(inside[-1] + (c == '{') - (c == '}'))
    return [f for f in found if inside[f[0]] > 0]


def found_again(path, fault, before, now):
    """The fault in a file that may have changed since: by what is around it; None: that has changed too."""
    _, at, n, new, how = fault
    begin = max(at - 100, 0)
    around = before[begin:at + n + 100]
    return (path, now.index(around) + at - begin, n, new, how) if now.count(around) == 1 else None


def run(words, cwd=None, timeout=None):
    """A fault may make a loop endless: what was started is ended with all that it has started."""
    with subprocess.Popen(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', start_new_session=True,
                          env=dict(os.environ, CCACHE_BASEDIR=WORK, CCACHE_NOHASHDIR='1', GIT_DIR='/dev/null', SCOPE_ODD='3')) as p:
        try:
            said, _ = p.communicate(timeout=timeout)
            return p.returncode, said
        except subprocess.TimeoutExpired:
            p.send_signal(signal.SIGTERM)   # meson ends its tests, which are in groups of their own
            try:
                p.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
            return 124, 'it takes too long'


def suites_of(path):
    return next((s for folder, s in SUITES if path.startswith(folder)), ['unit', 'cli'])


def told(what):
    return json.loads(subprocess.run(['meson', 'introspect', what, BUILD], stdout=subprocess.PIPE, check=True).stdout)


def names_of(suites, slow):
    """The tests of these suites, in this order; a name that is no suite is one of a test."""
    every, names = told('--tests'), []
    for suite in suites:
        members = [t['name'] for t in every if any(s.split(':')[-1] == suite for s in t['suite']) and (slow or t['name'] not in SLOW)]
        names += [n for n in members or [suite] if n not in names]
    return names


def own_test(path):
    """What every component must do has a test of the component's name."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return [t['name'] for t in told('--tests') if t['name'] == stem and any(s.endswith(':conformance') for s in t['suite'])]


def needed(names):
    """What ninja must build for these tests."""
    ids = {d for t in told('--tests') if t['name'] in names for d in t['depends']}
    return [os.path.relpath(f, BUILD) for t in told('--targets') if t['id'] in ids for f in t['filename']]


def tests(names, patience, jobs):
    """None: all pass; else the first that did not."""
    status, said = run(['meson', 'test', '-C', BUILD, '--no-rebuild', *names, '--maxfail', '1', '--num-processes', str(jobs)], timeout=patience)
    if status == 124:
        return said
    bad = re.search(r'([\w -]+?) +(FAIL|TIMEOUT|ERROR)\b', said)
    return (f'{bad.group(1).strip()}: {bad.group(2).lower()}' if bad else 'failed') if status else None


def objects_of(path):
    """What is compiled of a file, as targets of ninja: a file may be part of several tests and libraries."""
    name = '_' + os.path.basename(path) + '.o'
    found = []
    for folder, _, files in os.walk(BUILD):
        found += [os.path.relpath(os.path.join(folder, f), BUILD) for f in files if ('_' + f).endswith(name)]
    return sorted(found)


def content(targets):
    total = hashlib.sha256()
    for t in targets:
        with open(os.path.join(BUILD, t), 'rb') as o:
            total.update(o.read())
    return total.hexdigest()


def copy_tree():
    """What git knows of, and the samples, as they are now; unchanged files keep their dates."""
    names = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=ROOT, stdout=subprocess.PIPE,
                           check=True).stdout.decode().split('\0')
    kept = set()
    for name in filter(None, names):
        source, to = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not os.path.isfile(source):
            continue
        kept.add(os.path.realpath(to))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(source, 'rb') as a:
            new = a.read()
        old = None
        if os.path.exists(to):
            with open(to, 'rb') as b:
                old = b.read()
        if new != old:
            shutil.copy(source, to)
    for folder, _, files in os.walk(TREE):
        for f in files:
            if os.path.realpath(os.path.join(folder, f)) not in kept:
                os.remove(os.path.join(folder, f))


def changed(since):
    base = since
    if not base:
        done = subprocess.run(['git', 'merge-base', 'HEAD', 'main'], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        head = subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout.strip()
        base = done.stdout.strip() if done.stdout.strip() not in ('', head) else 'HEAD~10'
    out = subprocess.run(['git', 'diff', '--name-only', base, '--', '*.c'], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    return [f for f in out.split() if any(f.startswith(folder) for folder, _ in SUITES) and os.path.exists(os.path.join(ROOT, f))]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--since', help='a commit')
    options.add_argument('--number', type=int, default=int(os.environ.get('SCOPE_MUTATIONS', '100')), help='of faults')
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('--jobs', type=int, default=2)
    options.add_argument('--minutes', type=float, default=1e9, help='stop after that many')
    options.add_argument('--at-least', type=float, default=0, help='percent that must be noticed')
    options.add_argument('--suites', help='instead of those of the folder: unit,views,... or names of tests')
    options.add_argument('--slow', action='store_true', help='with the tests that take half a minute')
    options.add_argument('--again', action='store_true', help='only the faults that the last run left')
    options.add_argument('files', nargs='*')
    o = options.parse_args()
    again = []
    if o.again and os.path.exists(LEFT):
        with open(LEFT) as text:
            again = json.load(text)
    files = sorted({f for f, _, _ in again}) if o.again else o.files or changed(o.since)
    if not files:
        print('nothing was left' if o.again else 'no C file was changed')
        return 0
    copy_tree()
    if not os.path.exists(os.path.join(BUILD, 'build.ninja')):
        compiler = ('ccache ' if shutil.which('ccache') else '') + 'gcc'
        subprocess.run(['meson', 'setup', BUILD, TREE, '-Dgui=disabled'], env=dict(os.environ, CC=compiler), check=True,
                       stdout=subprocess.DEVNULL)
    run(['ninja', '-C', BUILD, '--quiet', 'build.ninja'])    # what is built may be other files now
    chosen = {f: names_of(o.suites.split(',') if o.suites else suites_of(f), o.slow) + ([] if o.suites else own_test(f)) for f in files}
    targets = needed({n for several in chosen.values() for n in several})
    ninja = ['ninja', '-C', BUILD, '--quiet', f'-j{o.jobs}']
    status, said = run([*ninja, *targets])
    if status:
        print(said[-3000:])
        return 1
    begun = time.monotonic()
    bad = tests(sorted({n for several in chosen.values() for n in several}), 3000, o.jobs)
    if bad:
        print(f'without a fault: {bad}')
        return 1
    patience = 60 + 5 * (time.monotonic() - begun)  # seconds: several times what sound code takes
    r = random.Random(o.seed)
    texts, every, compiled = {}, [], {}
    for f in files:
        with open(os.path.join(ROOT, f)) as text:
            texts[f] = text.read()
        every += [(f, *fault) for fault in faults(f, texts[f])]
        compiled[f] = objects_of(f)
    sound = {f: content(compiled[f]) for f in files}
    r.shuffle(every)
    if o.again:
        every = [f for f in (found_again(*left, texts[left[0]]) for left in again) if f]
        if len(every) < len(again):
            print(f'{len(again) - len(every)} are left out: what is around them has changed')
    begun, made, noticed, same, broken, survivors, left = time.monotonic(), 0, 0, 0, 0, [], []
    for f, at, n, new, how in every:
        if made >= o.number or time.monotonic() - begun > o.minutes * 60:
            break
        path, whole = os.path.join(TREE, f), texts[f]
        line = whole.count('\n', 0, at) + 1
        with open(path, 'w') as to:
            to.write(whole[:at] + new + whole[at + n:])
        # First the object code alone: programs are linked when it is another.
        status, said = run([*ninja, *compiled[f]], timeout=600)
        if status:
            broken += 1
        elif content(compiled[f]) == sound[f]:
            same += 1
        elif run([*ninja, *targets], timeout=600)[0]:
            broken += 1
        else:
            made += 1
            bad = tests(chosen[f], patience, o.jobs)
            noticed += bad is not None
            words = f'{f}:{line}: {how}: {whole.split(chr(10))[line - 1].strip()[:90]}'
            print(f'{made:4} {"noticed" if bad else "NOT NOTICED":12} {words}' + (f'  [{bad}]' if bad else ''), flush=True)
            if not bad:
                survivors.append(words)
                left.append((f, (f, at, n, new, how), whole))
        with open(path, 'w') as to:
            to.write(whole)     # built with the next fault
    with open(LEFT, 'w') as to:
        json.dump(left, to)
    print(f'\n{made} faults in {len(files)} files: {noticed} noticed, {len(survivors)} not; {same} gave the same code, '
          f'{broken} could not be built')
    print('\n'.join(survivors))
    return 0 if not made or noticed * 100 >= o.at_least * made else 1


if __name__ == '__main__':
    sys.exit(main())
