#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What no program would write, in each format of lines and in OTF2: very many tasks, calls very deep inside of each other, dates that
only go back, ends without begins and messages without their other half, and packed files that become very large.

SCOPE_ALL: a million tasks, 100 000 calls inside of each other, 1 GiB from a megabyte; else a part of that."""
import gzip
import json
import lzma
import os
import random
import resource
import subprocess

import extremes_made as made
import extremes_sizes as sizes
from formats import Format, SANITIZED, SCOPE, main

PART = 1 if os.environ.get('SCOPE_ALL') else 400 if SANITIZED else 100
TASKS, DEPTH, BACK, BYTES = 1_000_000 // PART, 100_000 // PART, 100_000 // PART, (1 << 30) // PART
MEMORY, SECONDS = 1 << 30, 300

PAJE = '''%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 3
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajePushState 4
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 5
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeStartLink 6
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
%EndEventDef
%EventDef PajeEndLink 7
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
0 P 0 Process
1 S P State
2 L 0 P P Link
3 0.0 c0 P 0 c0
'''
PARAVER = '#Paraver (21/11/2026 at 10:00):1000000_ns:1(2):1:2(1:1,1:1)\n'
CALL = 50000002     # a type of Paraver whose values are calls


SDDF = '#1: "recv(0.0)" { int "TS"; int "TU"; int "TID"; };;\n#2: "recv(1.1)" { int "TS"; int "TU"; int "TID"; };;\n#3: "ev" { double "Seconds"; int "Node"; };;\n'


LISTS = '#1: "ev" { double "Seconds"; char "t"[]; int "l"[]; };;\n'
GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph id="g" edgedefault="directed">'
ENTITIES = '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">' + ''.join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(10)) + ']>'
MASSIF = """desc: x
cmd: y
time_unit: B
#-----------
snapshot=0
#-----------
time=0
mem_heap_B=1
mem_heap_extra_B=0
mem_stacks_B=0
heap_tree=detailed
"""
HEAPTRACK = 'v 10400 3\nX /opt/bin\nI 1000 5e2990\ns 1 a\n'


def massif_of(snapshots):
    return MASSIF[:MASSIF.index('#')] + ''.join('#-----------\n'.join(('', snapshot.split('\n', 1)[0] + '\n', snapshot.split('\n', 1)[1])) for snapshot in snapshots)


def paraver_many(n=300_000):     # the line of the header is longer than lines may be
    return f'#Paraver (21/11/2026 at 10:00):9_ns:1(1):1:{n}(' + ','.join(['1:1'] * n) + f')\n1:1:1:{n}:1:0:9:1\n'


def picl(lines):
    return '-3 -901 0.0 0 0 0\n' + ''.join(lines)


def chrome(records):
    return '[' + ',\n'.join(records) + ']\n'


def slice_of(ph, ts, tid=1, more=''):
    return f'{{"ph":"{ph}","ts":{ts},"pid":1,"tid":{tid},"name":"f"{more}}}'


def alog(lines):
    return ''.join(f'{line}\n' for line in ('-1 0 0 0 0 0 Creator', '-2 0 0 9 0 0', '-3 0 0 1 0 0', '-6 0 0 1 0 0', '-13 0 1 2 0 0 red f', '-13 0 3 4 0 0 red g', *lines))


def cases():
    """(what it is, file, least number of events)"""
    yield 'many', 'x.paje', PAJE + ''.join(f'3 0.0 p{i} P 0 p{i}\n' for i in range(TASKS)), TASKS
    yield 'many', 'x.prv', paraver_many(), 1
    yield 'many', 'x.picl', picl(f'-3 5 0.{i:07} {i} 0 0\n' for i in range(TASKS)), min(TASKS, 100_000)     # more are told
    yield 'many', 'x.json', chrome(slice_of('X', 1, i, ',"dur":1') for i in range(TASKS)), TASKS
    yield 'declared', 'x.prv', '#Paraver (21/11/2026 at 10:00):9_ns:1(1):1:4000000000(1:1)\n1:1:1:1:1:0:9:1\n', 0
    yield 'declared', 'x.prv', '#Paraver (21/11/2026 at 10:00):9_ns:4000000000(1,1):4000000000:1(4000000000:1)\n1:1:1:1:1:0:9:1\n', 0
    yield 'declared', 'x.alog', alog(['-2 0 0 4000000000 0 0', '-3 0 0 4000000000 0 0', '1 4000000000 0 0 0 5']), 0

    yield 'deep', 'x.paje', PAJE + ''.join(f'4 {i}.0 S c0 f{i % 7}\n' for i in range(DEPTH)), DEPTH
    yield 'deep', 'x.prv', PARAVER + ''.join(f'2:1:1:1:1:{i}:{CALL}:{i % 7 + 1}\n' for i in range(DEPTH)), 0
    yield 'deep', 'x.picl', picl(f'-3 {i % 7 + 1} 0.{i:06} 0 0 0\n' for i in range(DEPTH)), 0
    yield 'deep', 'x.json', chrome(slice_of('B', i) for i in range(DEPTH)), 0
    yield 'deep', 'x.json', chrome(slice_of('X', i, 1, f',"dur":{2 * DEPTH - 2 * i}') for i in range(DEPTH)), DEPTH
    yield 'deep', 'x.alog', alog(f'1 0 0 0 0 {i}' for i in range(DEPTH)), 0

    yield 'back', 'x.paje', PAJE + ''.join(f'4 {BACK - i}.0 S c0 f\n5 {BACK - i}.5 S c0\n' for i in range(BACK)), BACK
    yield 'back', 'x.prv', PARAVER + ''.join(f'1:1:1:1:1:{BACK - i}:{BACK - i + 1}:3\n2:1:1:1:1:{BACK - i}:7:{i}\n' for i in range(BACK)), BACK
    yield 'back', 'x.picl', picl(f'-3 5 {BACK - i}.1 0 0 0\n-4 5 {BACK - i}.2 0 0 0\n' for i in range(BACK)), 0
    yield 'back', 'x.json', chrome(slice_of('B', BACK - i) + ',' + slice_of('E', BACK - i) for i in range(BACK)), BACK
    yield 'back', 'x.alog', alog(f'{1 + i % 2} 0 0 0 0 {BACK - i}' for i in range(BACK)), 0

    yield 'alone', 'x.paje', PAJE + ''.join(f'5 {i}.0 S c0\n6 {i}.1 L 0 c0 v k{i}\n7 {i}.2 L 0 c0 v q{i}\n' for i in range(BACK)), BACK
    yield 'alone', 'x.prv', PARAVER + ''.join(f'2:1:1:1:1:{i}:{CALL}:0\n' for i in range(BACK)), BACK
    yield 'alone', 'x.picl', picl(f'-4 5 {i}.0 0 0 0\n-4 -52 {i}.1 0 0 3 2 5 7 3 0\n-3 -21 {i}.2 0 0 4 2 5 7 3 0\n' for i in range(BACK)), 0
    yield 'alone', 'x.json', chrome(slice_of('E', i) + ',' + slice_of('f', i, 1, f',"id":{i}') + ',' + slice_of('s', i, 1, f',"id":"a{i}"')
                                    for i in range(BACK)), 0
    yield 'alone', 'x.alog', alog(f'2 0 0 0 0 {i}' for i in range(BACK)), 0


    yield 'many', 'x.sddf', SDDF + ''.join(f'"ev" {{ 0.5, {i} }};;\n' for i in range(TASKS)), TASKS
    yield 'deep', 'x.sddf', SDDF + ''.join(f'"recv(0.0)" {{ {i}, 0, 262146 }};;\n' for i in range(DEPTH)), 0
    yield 'back', 'x.sddf', SDDF + ''.join(f'"ev" {{ {BACK - i}.5, 1 }};;\n' for i in range(BACK)), BACK
    yield 'alone', 'x.sddf', SDDF + ''.join(f'"recv(1.1)" {{ {i}, 0, 262146 }};;\n' for i in range(BACK)), 0

    # ends of another name than all that is open: each looks for its begin
    yield 'other', 'x.prv', PARAVER + ''.join(f'2:1:1:1:1:{i}:{CALL if i < DEPTH else CALL + 1}:{int(i < DEPTH)}\n' for i in range(3 * DEPTH)), 0
    yield 'other', 'x.picl', picl(f'-{3 + (i >= DEPTH)} {5 + (i >= DEPTH)} 0.{i:06} 0 0 0\n' for i in range(3 * DEPTH)), 0
    yield 'other', 'x.json', chrome(slice_of('B', i) if i < DEPTH else slice_of('E', i).replace('"f"', '"g"') for i in range(3 * DEPTH)), DEPTH
    yield 'other', 'x.json', chrome(slice_of('b', i, 1, ',"id":1,"cat":"c"') if i < DEPTH else slice_of('e', i, 1, ',"id":1,"cat":"c"').replace('"f"', '"g"')
                                    for i in range(2 * DEPTH)), DEPTH
    yield 'other', 'x.json', chrome(slice_of('s' if i < DEPTH else 'f', 2 * DEPTH - i, 1, ',"id":1,"cat":"c"') for i in range(2 * DEPTH)), DEPTH
    yield 'other', 'x.alog', alog(f'{1 if i < DEPTH else 4} 0 0 0 0 {i}' for i in range(3 * DEPTH)), 3 * DEPTH
    yield 'other', 'x.sddf', SDDF + ''.join(f'"{"recv(0.0)" if i < DEPTH else "send(1.1)"}" {{ {i}, 0, 262146 }};;\n' for i in range(3 * DEPTH)), DEPTH
    yield 'other', 'x.paje', PAJE + ''.join(f'6 {i}.1 L 0 c0 v{i} k\n' for i in range(DEPTH)) + ''.join(f'7 {DEPTH + i}.1 L 0 c0 w{i} k\n' for i in range(DEPTH)), 0

    # what describes itself, described too largely
    yield 'fields', 'x.sddf', '#1: "ev" { double "Seconds"; ' + ''.join(f'int "f{i}"; ' for i in range(TASKS)) + '};;\n' + SDDF + '"ev" { 0.5, 1 };;\n', 1
    yield 'fields', 'x.sddf', '#1: "ev" { double "Seconds";\n' + ''.join(f'int "f{i}";\n' for i in range(TASKS)) + '};;\n' + SDDF + '"ev" { 0.5, 1 };;\n', 1
    yield 'records', 'x.sddf', ''.join(f'#{i}: "ev{i}" {{ double "Seconds"; }};;\n' for i in range(TASKS)) + '"ev5" { 0.5 };;\n', 1
    yield 'array', 'x.sddf', LISTS + '"ev" { 0.5, [1000000000] { "a" }, [1000000000] { 1, 2 } };;\n' * DEPTH, DEPTH
    yield 'array', 'x.sddf', LISTS + '"ev" { 0.5, [-9223372036854775808] { "a" }, [-9223372036854775808] { 1 } };;\n', 1
    yield 'array', 'x.sddf', LISTS + '"ev" { 0.5, [1] { "a" }, [1000000000] { ' + '1, 2, 3, 4,\n' * TASKS + '5 } };;\n"ev" { 0.5, [1] { "a" }, [1] { 1 } };;\n', 1
    yield 'quotes', 'x.sddf', LISTS + '"ev" { 0.5, [7] { "' + '"//' * TASKS + '" }, [1] { 1 } };;\n"ev" { 0.5, [1] { "a" }, [1] { 1 } };;\n', 1
    yield 'braces', 'x.sddf', LISTS + '"ev" { 0.5, [1] { "a" }, [1] ' + '{' * TASKS + ' };;\n"ev" { 0.5, [1] { "a" }, [1] { 1 } };;\n', 1
    yield 'no packets', 'x.sddf', LISTS + 'x;;' * (TASKS // 4) + '\n' + '/* ;;\n' * DEPTH + '*/;;\n"ev" { 0.5, [1] { "a" }, [1] { 1 } };;\n', 0
    for piece in ('/*;;', '#;;', '"ev" { 0.5, [1] { "a" }, [1] { ;;', '"ev" { 0.5, [7] { " ;;'):     # none has its end
        lines = (piece * (TASKS // 500) + '\n') * 150
        yield 'no ends', 'x.sddf', LISTS + lines + '*/ }; x;;\n"ev" { 0.5, [1] { "a" }, [1] { 1 } };;\n', 1
    yield 'braces', 'x.json', '[' + slice_of('X', 1, 1, ',"dur":1') + ',' + slice_of('X', 1, 1, ',"dur":1,"args":' + '{"a":' * TASKS), 1
    yield 'braces', 'x.json', '[' + slice_of('X', 1, 1, ',"dur":1') + ',' + '[' * TASKS, 1
    yield 'braces', 'x.dot', 'digraph g {' + 'subgraph {' * TASKS, 0
    yield 'braces', 'x.graphml', GRAPHML + ''.join(f'<node id="n{i}"><graph id="g{i}" edgedefault="directed">' for i in range(DEPTH)), 0
    yield 'entities', 'x.graphml', ENTITIES + GRAPHML + '<node id="a">&k;</node></graph></graphml>', 0
    yield 'links', 'x.dot', 'digraph g {' + '->'.join(['{' + ' '.join(f'a{i}' for i in range(TASKS // 3000 + 3)) + '}'] * 1000) + '}', 0
    yield 'many', 'x.heaptrack', HEAPTRACK + ''.join(f'i {i:x} 1\nt {i + 1:x} 0\na {i:x} {i + 1:x}\n+ {i:x}\n' for i in range(TASKS)), TASKS
    yield 'back', 'x.heaptrack', HEAPTRACK + 'i 1 1\nt 1 0\na 8 1\n' + ''.join(f'c {BACK - i:x}\n+ 0\n' for i in range(BACK)), BACK
    yield 'alone', 'x.heaptrack', HEAPTRACK + 'i 1 1\nt 1 0\na 8 1\n' + '- 0\n- 77\n+ 99\n' * BACK, 0
    yield 'back', 'x.massif', massif_of(f'snapshot={BACK - i}\ntime={BACK - i}\nmem_heap_B=8\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=empty\n' for i in range(BACK // 10)), 0
    yield 'alone', 'x.massif', MASSIF + ' n1: 1 0x1: f (a.c:1)\n' * BACK, 0
    yield 'alone', 'x.shiviz', ''.join(f'a {{"a":{i + 1}, "never{i}":{i + 5}}}\ne\n' for i in range(DEPTH // 10)), 1
    yield 'many', 'x.shiviz', ''.join(f'h{i} {{"h{i}":1}}\ne\n' for i in range(TASKS)), 1        # 1024 of them are read, and the rest is told
    yield 'levels', 'x.massif', MASSIF + ''.join(' ' * i + f'n1: 1 0x1: f{i} (a.c:1)\n' for i in range(DEPTH // 100 + 10)), 0
    yield 'wide', 'x.massif', MASSIF + 'n4000000000: 1 x\n' + ''.join(f' n0: 1 0x{i:x}: f{i} (a.c:1)\n' for i in range(TASKS // 10)), 0
    yield 'deep', 'x.heaptrack', HEAPTRACK + ''.join(f'i {i:x} 1 1 1 1\nt {i + 1:x} {i:x}\na 8 {i + 1:x}\n+ {i:x}\n' for i in range(DEPTH)), DEPTH
    yield 'vectors', 'x.shiviz', ''.join('h%d {%s}\ne\n' % (i, ', '.join(f'"h{k}":1' for k in range(i + 1))) for i in range(DEPTH // 100)), 0
    yield 'back', 'x.shiviz', ''.join(f'h{i % 5} {{"h{i % 5}":{BACK - i // 5}}}\ne\n' for i in range(BACK)), 0


def cases_in_bytes():
    """(what it is, file, a function that writes it, least number of events)"""
    def happening(what):
        return {'many': lambda: [(1, i, 'begin') for i in range(TASKS)], 'deep': lambda: [(i, 0, 'begin') for i in range(DEPTH)],
                'back': lambda: [(BACK - i, 0, ('begin', 'end')[i % 2]) for i in range(BACK)],
                'alone': lambda: [(i, i % 4, ('end', 'send', 'receive', 'end')[i * 7 // 5 % 4]) for i in range(BACK)]}[what]()

    def whole(name, data):
        def write(path):
            with open(path(name), 'wb') as f:
                f.write(data())
            return path(name)
        return write
    for what in ('many', 'deep', 'back', 'alone'):
        yield what, 'x.clog', whole('x.clog', lambda: made.clog(happening(what))), 0
        yield what, 'x.clog2', whole('x.clog2', lambda: made.clog2(happening(what))), 0
        yield what, 'ctf', lambda path: (made.ctf(path(f'ctf-{what}'), happening(what)), path(f'ctf-{what}'))[1], 0
    yield 'many', 'x.slog2', whole('x.slog2', lambda: made.slog2([(1, 2, i) for i in range(TASKS)])), 0
    yield 'deep', 'x.slog2', whole('x.slog2', lambda: made.slog2([(i, 2 * DEPTH - i, 0) for i in range(DEPTH)])), DEPTH
    yield 'back', 'x.slog2', whole('x.slog2', lambda: made.slog2([(BACK - i, BACK - i - 1, 0) for i in range(BACK)])), 0
    # arrows and states whose ends are of no line, and of a category that is none
    yield 'alone', 'x.slog2', whole('x.slog2', lambda: made.slog2([(i, i + 1, -i - 1) for i in range(BACK)])), 0
    yield 'alone', 'x.slog2', whole('x.slog2', lambda: made.slog2([(i, i + 1, 0) for i in range(BACK)], category=7)), 0
    n = max(2, DEPTH // 100)
    yield 'many', 'x.memtrace', whole('x.memtrace', lambda: made.memtrace([(10**15 + i, [(0, 1, 1)]) for i in range(TASKS)])), TASKS
    yield 'deep', 'x.memtrace', whole('x.memtrace', lambda: made.memtrace([(10**15 + i, [(i % 9, DEPTH // 100, 99)]) for i in range(n)])), n
    yield 'deeper', 'x.memtrace', whole('x.memtrace', lambda: made.memtrace([(10**15 + i, [(1 << 31, 10000, 255)]) for i in range(9)])), 1
    yield 'back', 'x.memtrace', whole('x.memtrace', lambda: made.memtrace([(10**15 - i * 10**6, [(0, 1, 1)] * 20) for i in range(BACK // 20)])), 0
    yield 'alone', 'x.memtrace', whole('x.memtrace', lambda: made.memtrace([(10**15, [-1] * 1000)] * (BACK // 1000 + 1))), 0


BEGINS = {'x.paje': PAJE, 'x.prv': PARAVER, 'x.picl': picl([]), 'x.json': '[' + slice_of('B', 1) + ',', 'x.alog': alog([]), 'x.sddf': SDDF}
BOMBS = {'x.heaptrack': (HEAPTRACK + 'i 1 1\nt 1 0\na 8 1\n', '+ 0\n'), 'x.massif': (MASSIF, 'n0: 1 0x1: f (a.c:1)\n'), 'x.shiviz': ('a {"a":1}\none\n', 'a {"a":2}\ntwo\n'),
         'x.dot': ('digraph g {', 'a->b;\n'), 'x.graphml': (GRAPHML, '<node id="a"/>\n')}
REPEATED = {'x.paje': '4 1.0 S c0 f\n5 1.0 S c0\n', 'x.prv': '1:1:1:1:1:0:1:3\n', 'x.picl': '-3 5 1.0 0 0 0\n-4 5 1.0 0 0 0\n',
            'x.json': slice_of('X', 1, 1, ',"dur":1') + ',\n', 'x.alog': '1 0 0 0 0 1\n2 0 0 0 0 1\n', 'x.sddf': '"ev" { 0.5, 1 };;\n'}


def packed(to, begin, piece, n):
    """n bytes of `piece` behind `begin`, packed, without having all of them in memory."""
    many = piece * max(1, (1 << 20) // len(piece))
    with lzma.open(to, 'wb', preset=0) if to.endswith('.xz') else gzip.open(to, 'wb', 1) as f:
        f.write(begin)
        for _ in range(n // len(many)):
            f.write(many)
        f.write(piece * (n % len(many) // len(piece)))


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


class Extremes(Format):
    def told(self, path, least, *arguments):
        """What `scope` says of it, in bounded time and memory: either what is in it, or why it cannot be opened."""
        process = subprocess.Popen([SCOPE, *arguments, path, '--json', '-q'], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=bounded)
        out, said = process.communicate(timeout=10 * SECONDS)
        said = said.decode(errors='replace')
        self.assertIn(process.returncode, (0, 1), said[-2000:])
        self.assertNotRegex(said, r'ERROR: \w*Sanitizer|runtime error|CRITICAL|\(null\)|has crashed|went down')
        if process.returncode:
            self.assertRegex(said, r'scope: \S+.*[a-z]')
            self.assertEqual(least, 0, said[-2000:])
            return None
        info = json.loads(out)
        self.assertGreaterEqual(info['events'], least)
        return info

    def state_at_end(self, path, info):
        """What is printed is not kept here: of a million links it is hundreds of MB, and what this process has counts for whom it starts next."""
        if info and info['events'] > 0:
            done = subprocess.run([SCOPE, 'state', path, '--at', f"{info['last']:.9f}", '--json'], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  timeout=10 * SECONDS, preexec_fn=bounded)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])

    def test_lines(self):
        for what, name, text, least in cases():
            with self.subTest(what, file=name, bytes=len(text)):
                path = self.path(name, text)
                info = self.told(path, least, 'info')
                if what != 'many':      # a picture of a million tasks is another test (`displays`)
                    self.state_at_end(path, info)

    def test_bytes(self):
        for what, name, write, least in cases_in_bytes():
            with self.subTest(what, file=name):
                path = write(self.path)
                info = self.told(path, least, 'info')
                if what != 'many':
                    self.state_at_end(path, info)

    def test_bombs(self):
        for name, begin in BEGINS.items():
            for piece in (b'\n', b'\0', b'9', REPEATED[name].encode()):
                with self.subTest(name, piece=piece):
                    n = BYTES if len(piece) == 1 else BYTES // 16
                    path = self.path(name + '.gz')
                    packed(path, begin.encode(), piece, n)
                    self.told(path, n // len(piece) if len(piece) > 1 and name != 'x.json' and name != 'x.alog' else 0, 'info')
            with self.subTest(name, packed='xz'):
                packed(self.path(name + '.xz'), begin.encode(), REPEATED[name].encode(), BYTES // 16)
                self.told(self.path(name + '.xz'), 0, 'info')

    def test_more_bombs(self):
        """Of formats that keep less of what comes again, and of those in bytes: behind a sound trace the same once more, or zeros."""
        happening = [(i, i % 4, ('begin', 'end')[i % 2]) for i in range(100)]
        pieces = {name: (begin.encode(), piece.encode()) for name, (begin, piece) in BOMBS.items()}
        for name, data in (('x.clog', made.clog(happening)), ('x.clog2', made.clog2(happening)), ('x.slog2', made.slog2([(i, i + 1, 0) for i in range(100)])),
                           ('x.memtrace', made.memtrace([(10**15, [(0, 1, 1)] * 100)]))):
            pieces[name] = data, data
        for name, (begin, again) in pieces.items():
            for piece in (b'\0', b'\n', again):
                with self.subTest(name, piece=piece[:9]):
                    path = self.path(name + random.Random(name).choice(('.gz', '.xz')))
                    packed(path, begin, piece, BYTES if len(piece) == 1 else BYTES // 16)
                    self.told(path, 0, 'info')

    def test_too_much_at_once(self):
        """What must be in memory whole, as a text between two tags, a comment, or all entries of a log of vectors, ends somewhere, and that is told."""
        for name, more, piece, n, word in (('x.graphml', b'<node id="a"/>', b'\n', 65 << 20, 'without a tag'), ('x.graphml', b'<node id="a"/><!-- ', b'<', 128 << 20, 'without a tag'),
                                           ('x.graphml', b'<node id="a"/><data key="b"><![CDATA[', b'<', 128 << 20, 'without a tag'),
                                           ('x.shiviz', b'', BOMBS['x.shiviz'][1].encode(), BYTES // 16, 'fill what memory they may have')):
            if n < 1 << 26:     # in the long run alone
                continue
            packed(self.path(name + '.gz'), BOMBS[name][0].encode() + more, piece, n)
            info = self.told(self.path(name + '.gz'), 1, 'info')
            self.assertIn(word, ' '.join(d['reason'] for d in info['damage']))

    def test_sizes(self):
        """One number of a sound trace, which tells how much follows, or where, is another."""
        dice = random.Random(int(os.environ.get('SCOPE_SEED', '1')))
        for some, most in ((list(sizes.in_bytes()), 20), (list(sizes.in_lines()), 40)):
            for i in sorted(dice.sample(range(len(some)), len(some) if PART == 1 else most)):
                with self.subTest(file=some[i][0], number=i):
                    self.state_at_end(self.path(some[i][0]), self.told(self.path(*some[i]), 0, 'info'))
        folders = list(sizes.ctf(self.path))
        for i in sorted(dice.sample(range(len(folders)), len(folders) if PART == 1 else 4)):
            with self.subTest(file='ctf', number=i):
                self.state_at_end(folders[i], self.told(folders[i], 0, 'info'))

    def test_otf2(self):
        writer = os.environ.get('OTF2_SCRIPT')
        if not writer:
            self.skipTest('no libotf2')
        records = {'deep': [f'0 {i} enter f{i % 7}' for i in range(DEPTH)],
                   'alone': [f'0 {i} leave f\n0 {i} recv 1 0 5 8\n0 {i} send 1 0 6 8\n0 {i} isendc {i}\n0 {i} end 0 0 -1' for i in range(BACK)]}
        records['declared'] = ['0 1 enter f', '0 2 leave f']
        for what, lines in records.items():
            with self.subTest(what):
                folder = self.path(what + '.otf2')
                head = f'declared {TASKS}\n' if what == 'declared' else ''
                subprocess.run([writer, folder], input='ranks 2\ncomm 0 0 1\n' + head + '\n'.join(lines) + '\n', text=True, check=True)
                self.state_at_end(folder, self.told(folder, len(lines), 'info'))

    def tearDown(self):
        if not SANITIZED:    # which takes much more
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10, MEMORY)
        super().tearDown()


main()
