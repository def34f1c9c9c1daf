#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/study-heap.md and its pictures: figures and tables of the paper on ocp-memprof, on programs of our own.

usage: study-heap.py SCOPE SOURCE_FOLDER SCOPE_CMT        (`ninja study-heap` in the build folder; OCaml 4.13 or 4.14)

Every number of the page is computed here, from what `scope heap show --json` tells.  Where the page draws a conclusion,
what it rests on is checked first."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SCOPE, ROOT, CMT = sys.argv[1:4]
DOCS = os.path.join(ROOT, 'docs')
SOURCES = os.path.join(DOCS, 'study-heap')
RUNS = [('rename', ''), ('rename', 'shared'), ('server', ''), ('server', 'site'), ('table', ''), ('table', 'replace')]


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f'study-heap: {" ".join(words)}: {done.stderr}')
    return done.stdout


def threes(n):
    return f'{n:,}'.replace(',', ' ')


class Run:
    """A program with snapshots at each major collection, and what the last one holds."""

    def __init__(self, name, argument, folder):
        self.name = f'{name}-{argument}' if argument else name
        self.trace = os.path.join(folder, self.name + '.trace')
        # the heap grows by small steps, so that there are collections to look at
        env = dict(os.environ, OCAMLRUNPARAM='s=32k,i=4k')
        run(SCOPE, 'heap', 'run', '--children', '4', '--rate', '0.002', '--types', os.path.join(folder, 'types'), '-o', self.trace, '--',
            os.path.join(folder, name), *([argument] if argument else []), env=env)
        self.shown = json.loads(run(SCOPE, 'heap', 'show', self.trace, '--json', '--depth', '4', '--top', '1000'))
        self.live = self.shown['live_words']
        files = os.listdir(os.path.join(self.trace, self.name + '.heap'))
        self.snapshots = sum(f.endswith('.heap') for f in files)

    def classes(self):
        return {c['name']: c for c in self.shown['classes']}

    def picture(self, view, name, *more):
        run(SCOPE, 'draw', self.trace, '--view', view, '--size', '900x460', '-o', os.path.join(SOURCES, name + '.png'), *more)
        return f'![{view}](study-heap/{name}.png)\n'

    def known(self):
        k = self.shown['known']
        return 100 * (k['exact'] + k['inferred']) / self.live

    def class_table(self, n=6):
        rows = ['| class | known | live words | % | live blocks |', '|---|---|--:|--:|--:|']
        for c in self.shown['classes'][:n]:
            rows.append(f"| `{c['name']}` | {c['known']} | {threes(c['live_words'])} | {100 * c['live_words'] / self.live:.1f} | {threes(c['live_blocks'])} |")
        return '\n'.join(rows) + '\n'

    def site_table(self, n=5):
        rows = ['| place | live words, estimated | give or take | samples |', '|---|--:|--:|--:|']
        for s in self.shown['sites'][:n]:
            rows.append(f"| `{s['name']}` | {threes(s['live_words'])} | {threes(s['error_words'])} | {threes(s['samples'])} |")
        return '\n'.join(rows) + '\n'

    def root_table(self, n=4):
        rows = ['| root | retained words | % |', '|---|--:|--:|', f'| all that is live | {threes(self.live)} | 100.0 |']
        for category in self.shown['tree']['below']:
            rows.append(f"| {category['name']} | {threes(category['retained'])} | {100 * category['retained'] / self.live:.1f} |")
            for below in category.get('below', [])[:n] if category['retained'] > 0.2 * self.live else []:
                rows.append(f"| &nbsp;&nbsp;{below['name']} | {threes(below['retained'])} | {100 * below['retained'] / self.live:.2f} |")
        return '\n'.join(rows) + '\n'


def suspects(r):
    return json.loads(run(SCOPE, 'heap', 'leaks', r.trace, '--json', '--top', '3'))['suspects']


def source(name, first, last):
    with open(os.path.join(SOURCES, name), encoding='utf-8') as f:
        lines = f.read().splitlines()
    begin = next(i for i, line in enumerate(lines) if first in line)
    end = next(i for i, line in enumerate(lines) if i >= begin and last in line)
    return '```ocaml\n' + '\n'.join(lines[begin:end + 1]) + '\n```\n'


def must(holds, what):
    if not holds:
        sys.exit(f'study-heap: the page says that {what}, and these figures do not')


def page(runs):
    before, after, leak, site, table, replaced = (runs[f'{n}-{a}' if a else n] for n, a in RUNS)
    infix = before.classes()['Rename.formula, Infix']
    must(infix['live_words'] > 0.95 * before.live, 'nodes of formulas are nearly all')
    place = before.shown['sites'][0]
    must(place['function'] == 'Rename.rename' and place['live_words'] > 0.9 * before.live, 'one place allocates nearly all')
    must(after.live * 50 < before.live, 'sharing leaves a fiftieth and less')
    finalisers = next(c for c in leak.shown['tree']['below'] if c['name'] == 'finalisers')
    must(finalisers['retained'] > 0.95 * leak.live, 'finalisers keep nearly all')
    must(leak.known() > 90, 'types of what closures keep are known')
    closures = finalisers['below'][0]['name']
    must(site.live * 50 < leak.live, 'one channel keeps the memory constant')
    grown = suspects(table)
    must(any('Hashtbl.bucketlist, Cons' in s['name'] for s in grown), 'cells of the table are suspected')
    must(replaced.live * 50 < table.live, 'replacing keeps the table small')
    cells = next(c for n, c in table.classes().items() if 'Hashtbl.bucketlist, Cons' in n)
    return f'''# A study of heaps

What the paper on ocp-memprof (JFLA 2015) shows of Alt-Ergo and Cumulus, done again on small programs that have the same faults, with a stock compiler (OCaml {before.shown['info']['ocaml']}). `ninja study-heap` makes this page and its pictures anew; programs: [study-heap/](study-heap). Runs were

    $ ocamlfind ocamlopt -g -bin-annot rename.ml -o rename && scope-cmt . $(ocamlc -where) > types
    $ scope heap run --rate 0.002 --types types -o rename.trace -- ./rename
    $ scope rename.trace

## A prover that renames

A prover renames the variables of a formula with {threes(infix['live_blocks'] // 1000)} conjunctions a thousand times over. Of {threes(before.live)} live words {before.known():.1f} % have a type that is exact or inferred. Classes over the {before.snapshots} snapshots (figures 3, 5 and 8 of the paper):

{before.picture('Classes over time', 'rename-classes')}
{before.class_table()}
The same by the place that allocated it, as one word of 500 was sampled: module, function and line (figure 5).

{before.picture('Sites over time', 'rename-sites')}
{before.site_table(3)}
One line allocates nearly all: `{place['name']}`. It builds a node anew also where nothing in it was renamed (figures 6 and 7; `shared` is the correction):

{source('rename.ml', 'let rec rename', 'Forall (v, rename')}
With sharing {threes(after.live)} words live at the end instead of {threes(before.live)}, {before.live / after.live:.0f} times less:

{after.class_table(4)}
## A server whose finalisers never run

Each page that the server answers gets a channel, which a finaliser closes. What lives grows without end (figure 9):

{leak.picture('Classes over time', 'server-classes')}
{leak.class_table()}
Only closures keep these blocks. One of them at least was sampled, so it is known which function of the source it is of, and what that keeps: {leak.known():.1f} % have a type. Places tell where they come from:

{leak.site_table()}
But who keeps them? The table of roots says it (figures 10 and 11): finalisers retain {100 * finalisers['retained'] / leak.live:.1f} % of the memory, all of them closures of one function, `{closures}`.

{leak.root_table()}
{leak.picture('Retained', 'server-retained')}
The closure refers to its channel, which refers to the value that was to be finalised: a root keeps it alive, and the finaliser is never called.

{source('server.ml', 'let channel_of', '  channel')}
With one channel for the whole site (figures 12 and 13) {threes(site.live)} words live at the end instead of {threes(leak.live)}, and they do not grow:

{site.picture('Heap', 'server-site')}
## A table that forgets nothing

`Hashtbl.add` hides the binding that was there, and keeps it. The table of 50 clients holds {threes(cells['live_blocks'])} bindings:

{table.picture('Classes over time', 'table-classes')}
{table.class_table()}
`scope heap leaks` names what grows, the most first:

| class | growth, words | in so many steps | kept by |
|---|--:|--:|---|
''' + ''.join(f"| `{s['name']}` | {threes(s['growth'])} | {s['grew']} of {len(s['words']) - 1} | {' > '.join(k['name'] for k in s['kept_by'][:3])} |\n" for s in grown) + f'''
With `Hashtbl.replace` {threes(replaced.live)} words live at the end instead of {threes(table.live)}.
'''


def study():
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted({n for n, _ in RUNS}):
            shutil.copy(os.path.join(SOURCES, name + '.ml'), folder)
            run('ocamlopt', '-g', '-bin-annot', '-o', name, name + '.ml', cwd=folder)
        with open(os.path.join(folder, 'types'), 'w', encoding='utf-8') as f:
            f.write(run(CMT, folder, run('ocamlc', '-where').strip()))
        runs = {}
        for name, argument in RUNS:
            r = Run(name, argument, folder)
            runs[r.name] = r
        text = page(runs)
    with open(os.path.join(DOCS, 'study-heap.md'), 'w', encoding='utf-8') as f:
        f.write(re.sub(r'\n{3,}', '\n\n', text))


study()
