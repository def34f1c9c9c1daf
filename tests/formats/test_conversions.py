#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is kept of a file is known by the code that made it: of a format's own sources, and of what all formats share."""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from formats import ROOT, SCOPE, Format, main

HEADER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(SCOPE))), 'readers', 'converted-code.h')
CODES = r'\{ "(\w+)", UINT64_C \(0x([0-9a-f]{16})\) \}'


class Conversions(Format):
    def test_every_format_has_one(self):
        with open(HEADER) as f:
            codes = dict(re.findall(CODES, f.read()))
        converted = set()
        for path in glob.glob(os.path.join(ROOT, 'readers', '*', '*.c')):
            with open(path) as f:
                converted |= set(re.findall(r'ConvertedFormat \w+ = \{\s*\.format = \{ \.name = "(\w+)"', f.read()))
        self.assertGreater(len(converted), 15)
        self.assertLessEqual(converted, set(codes))
        self.assertEqual(len(set(codes.values())), len(codes))

    def test_folder(self):
        with open(HEADER) as f:
            code = dict(re.findall(CODES, f.read()))['picl']
        with open(os.path.join(ROOT, 'readers', 'converted-private.h')) as f:
            form = re.search(r'#define CONVERTED_VERSION (\d+)', f.read()).group(1)
        path = self.path('x.picl', '-3 -901 0.0 0 0 0\n-3 -21 0.1 0 0 0\n-4 -21 0.2 0 0 0\n')
        self.scope('info', path)
        real, st = os.path.realpath(path), os.stat(path)
        text = f'picl 0 {form} {code}\n{real}\n{st.st_size}\n' + ''.join(f'{ns // 10 ** 9}.{ns % 10 ** 9:09}\n' for ns in (st.st_mtime_ns, st.st_ctime_ns))
        kept = os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'converted')
        self.assertEqual(os.listdir(kept), [hashlib.sha256(text.encode()).hexdigest()[:24]])

    def kept(self):
        """By trace, its folder."""
        top = os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'converted')
        return {os.path.join(top, name) for name in os.listdir(top)}

    def test_the_same_bytes(self):
        """What is kept of a file is the same each time, also what has found no other half when it ends."""
        flows = [{'ph': 'sf'[i % 2], 'bp': 'e', 'name': f'n{i}', 'cat': 'c', 'id': i, 'pid': 1, 'tid': i % 7, 'ts': i, 'args': {'x': i * i, 'y': f'text {i}'}} for i in range(90)]
        flows += [{'ph': 'X', 'name': 'work', 'pid': 1, 'tid': i, 'ts': 0, 'dur': 99} for i in range(7)]
        links = '%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n' \
                '%EventDef PajeDefineLinkType 1\n% Alias string\n% Type string\n% StartContainerType string\n% EndContainerType string\n% Name string\n%EndEventDef\n' \
                '%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n' \
                '%EventDef PajeStartLink 3\n% Time date\n% Type string\n% Container string\n% Value string\n% StartContainer string\n% Key string\n% Extra string\n%EndEventDef\n' \
                '0 P 0 P\n1 L 0 P P L\n' + ''.join(f'2 0 p{i} P 0 p{i}\n' for i in range(5)) + ''.join(f'3 {i} L 0 v{i} p{i % 5} k{i} "e {i}"\n' for i in range(90))
        for path in (self.path('flows.json', json.dumps({'traceEvents': flows})), self.path('links.paje', links)):
            made = []
            for _ in range(3):
                for folder in self.kept() if os.path.isdir(os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'converted')) else []:
                    shutil.rmtree(folder)
                self.scope('info', path)
                folder, = self.kept()
                made.append({name: Path(folder, name).read_bytes() for name in sorted(os.listdir(folder))})
            for other in made[1:]:
                self.assertEqual([name for name in other if other[name] != made[0].get(name)], [], path)

    def test_order_is_missing(self):
        """In which order tasks stand is told by each trace that is kept; one that does not tell it is made anew."""
        tasks = [('a', 11, 9), ('b', 12, 3), ('c', 13, -4)]
        events = [{'ph': 'M', 'name': 'thread_sort_index', 'pid': 1, 'tid': tid, 'args': {'sort_index': place}} for _, tid, place in tasks]
        events += [{'ph': 'X', 'name': name, 'pid': 1, 'tid': tid, 'ts': 10, 'dur': 50} for name, tid, _ in tasks]
        for i, path in enumerate((self.path('sort.json', json.dumps({'traceEvents': events})), self.path('x.picl', '-3 -21 0.1 0 0 0\n-4 -21 0.2 0 0 0\n'))):
            before = self.kept() if i else set()
            state = self.state(path, '30us')
            folder, = self.kept() - before
            order = os.path.join(folder, 'order')
            self.assertEqual(os.path.getsize(order) > 16, i == 0)
            for spoil in (os.unlink, lambda p: os.truncate(p, 7)):
                spoil(order)
                self.assertEqual(self.state(path, '30us'), state)
                self.assertTrue(os.path.getsize(order) >= 16)

    def test_order_of_another_trace(self):
        """In which order tasks stand is of one trace alone, of as many tasks as it may be; corrected clocks keep it."""
        paths, folders, states = [], [], []
        for n in range(2):
            places = [9, 3, -4] if n else [3, 9, -4]
            events = [{'ph': 'M', 'name': 'thread_sort_index', 'pid': 1, 'tid': 11 + i, 'args': {'sort_index': place}} for i, place in enumerate(places)]
            events += [{'ph': 'X', 'name': name, 'pid': 1, 'tid': 11 + i, 'ts': 10, 'dur': 50} for i, name in enumerate('abc')]
            paths.append(self.path(f'{n}.json', json.dumps({'traceEvents': events})))
            before = set(folders)
            states.append(self.state(paths[n], '30us'))
            folder, = self.kept() - before
            folders.append(folder)
        files = [os.path.join(folder, 'order') for folder in folders]
        kept = []
        for name in files:
            with open(name, 'rb') as f:
                kept.append(f.read())
        self.assertEqual(*map(len, kept))
        self.assertNotEqual(*(k[16:] for k in kept))
        for n in range(2):
            with open(files[n], 'wb') as f:
                f.write(kept[1 - n])
            self.assertEqual(self.state(paths[n], '30us'), states[n])
            with open(files[n], 'rb') as f:
                self.assertEqual(f.read(), kept[n])     # made anew
            corrected = json.loads(self.scope('state', paths[n], '--at', '30us', '--clocks', 'logical', '--json')[0])
            self.assertEqual([x['Name'] for x in corrected['nodes']], [x['Name'] for x in states[n]['nodes']])

    def test_early_of_another_trace(self):
        """What is kept of receives that are dated before their send is of one trace alone."""
        head, rows = '-1 0 0 0 0 0 Me\n-2 0 0 38 0 0\n-3 0 0 2 0 0\n', {}
        for name, flight in (('late', 300), ('early', -300)):
            halves = sorted((1000 * k + half * flight, half) for k in range(1, 20) for half in (0, 1))
            rows[name] = head + ''.join(f'-102 1 0 0 0 {date} 7 9\n' if half else f'-101 0 0 1 0 {date} 7 9\n' for date, half in halves)
        paths = {name: self.path(name + '.alog', text) for name, text in rows.items()}
        folders, states = {}, {}
        for name, path in paths.items():
            before = set(folders.values())
            states[name] = self.state(path, '0.0102')
            folders[name], = self.kept() - before
        files = {name: os.path.join(folder, 'early') for name, folder in folders.items()}
        with open(files['early'], 'rb') as f:
            early = f.read()
        with open(files['late'], 'rb') as f:
            late = f.read()
        self.assertGreater(len(early), len(late))
        for name, path in files.items():  # what is kept is read, and not looked for again
            before = os.stat(path)
            self.scope('info', paths[name])
            after = os.stat(path)
            self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns), name)
        for name, other in (('late', early), ('early', late)):
            with open(files[name], 'wb') as f:
                f.write(other)
            self.assertEqual(self.state(paths[name], '0.0102'), states[name])
            with open(files[name], 'rb') as f:
                self.assertEqual(f.read(), {'early': early, 'late': late}[name])   # made anew

    def test_stamp(self):
        """Which format's number changes with which file, of a small tree of sources."""
        tree, out = self.path('tree'), self.path('code.h')

        def write(path, text):
            os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
            with open(os.path.join(tree, path), 'w') as f:
                f.write(text)

        def stamp():
            sources = [os.path.join(tree, 'readers', p) for p in ('alog/alog.c', 'mpe/mpe.c', 'slog2/slog2.c', 'mpe/mpe.c', 'absent.c')]
            subprocess.run(['sh', os.path.join(ROOT, 'readers', 'code-stamp.sh'), tree, out, self.path('code.d'),
                            '-n', 'alog', *sources[:2], '-n', 'slog2', *sources[2:4], '-n', 'otf2', sources[4]], check=True)
            with open(out) as f, open(self.path('code.d')) as d:
                return dict(re.findall(CODES, f.read())), {os.path.relpath(p, os.path.realpath(tree)) for p in d.read().split(':', 1)[1].split()}

        every = {'alog', 'slog2', 'otf2'}
        files = {'eve/blob.c': every, 'eve/eve.h': every, 'readers/sorter.c': every, 'readers/mpe.h': every, 'readers/absent.c': every,
                 'readers/alog/alog.c': {'alog'}, 'readers/mpe/mpe.c': {'alog', 'slog2'}, 'readers/slog2/slog2.c': {'slog2'},
                 'readers/slog2/new.h': {'slog2'}, 'readers/alog/kinds.def': {'alog'},
                 'readers/heap/graph.c': set(), 'src/main.c': set(), 'readers/alog/README.md': set()}
        for path in files:
            if 'new' not in path:
                write(path, '1\n')
        before, _ = stamp()
        self.assertEqual(set(before), every)
        for path, changed in files.items():
            write(path, '2\n')
            after, depends = stamp()
            self.assertEqual({name for name in every if after[name] != before[name]}, changed, path)
            if changed:
                self.assertIn(path, depends)
                self.assertIn(os.path.dirname(path), depends)     # where there may be a new one
            else:
                self.assertNotIn(path, depends)
            before = after
        shutil.rmtree(tree)


main()
