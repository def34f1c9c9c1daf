# SPDX-License-Identifier: Apache-2.0
"""Sizes, counts and places that are not those of what follows, in each format that has any, for test_extremes.py: a sound trace, and
in it one number changed."""
import json
import os
import struct

import extremes_made as made
import memory
from picl import new

WRONG = (0, 1, -1, 3, 0x7fffffff, -0x80000000, 0x10000)
HUGE = ('0', '-1', '7', '4294967295', '9223372036854775807', '99999999999999999999999')
HAPPENING = [(1, 0, 'begin'), (2, 1, 'send'), (3, 2, 'receive'), (4, 0, 'end')]


def put(data, at, form, value):
    bits = 8 * struct.calcsize(form)
    some = bytearray(data)
    struct.pack_into(form, some, at, value & ((1 << bits) - 1) if form[-1].isupper() else (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1)))
    return bytes(some)


def in_bytes():
    """(file, its bytes)"""
    clog, clog2, slog2, memtrace = (made.clog(HAPPENING), made.clog2(HAPPENING), made.slog2([(1, 4, 0), (2, 3, 1)]),
                                    made.memtrace([(10**15, [(0, 1, 1)] * 5), (10**15 + 99, [(1, 2, 1)] * 5)]))
    second = int.from_bytes(memtrace[4:8], 'little') // 8
    tree, categories = (int.from_bytes(slog2[30 + 12 * i - 6:30 + 12 * i + 2], 'big') for i in (4, 0))
    for value in WRONG:
        for at in (8, 12, 16, 24 + 56 + 12, 24 + 56 + 24):          # kind, length, process of records, and what is behind
            yield 'x.clog', put(clog, at, '>i', value)
        for at in (8, 12, 16, 20, 24 + 112 + 20):
            yield 'x.clog2', put(clog2, 1024 + at, '>i', value)
        # children, bytes of a leaf, depth, buffer; how long each block is; of the node, the categories and the tree how many there are
        for at in (14, 20, 32, 44, 56, 68, 80, 92, 104, 108 + 18, 108 + 30, 108 + 34, 108 + 38, 108 + 47, categories, categories + 4, tree, tree + 26):
            if at + 4 <= len(slog2):
                yield 'x.slog2', put(slog2, at, '>i', value)
        for i in range(7):                                          # where each is
            yield 'x.slog2', put(slog2, 24 + 12 * i, '>q', value)
        for at, form in ((4, '<I'), (28, '<H'), (30, '<Q'), (50, '<Q'), (58, '<Q'), (second + 4, '<I'), (second + 50, '<Q')):
            yield 'x.memtrace', put(memtrace, at, form, value)
    for name in ('block_size=', 'num_buffered_blocks=', 'max_comm_world_size=', 'commtable_fptr=', 'known_eventID_start='):
        for value in HUGE:
            head = b'\0'.join([b'CLOG-02.44', b'is_big_endian=', b'TRUE ', b'is_finalzed=', b'TRUE ', name.encode(), value.encode(), b'']).ljust(1024, b'\0')
            yield 'x.clog2', head + clog2[1024:]


def in_lines():
    """(file, its text)"""
    heaptrack, massif, picl = memory.heaptrack(1, n=30)[0], memory.massif(1, n=4)[0], new(4, n=20)
    paraver = '#Paraver (21/11/2026 at 10:00):1000_ns:1(2):1:2(1:1,1:1),1\n'
    states = '1:1:1:1:1:0:9:1\n3:1:1:1:1:1:1:2:1:2:1:5:5:8:7\n'
    alog = '-1 0 0 0 0 0 Creator\n-2 0 0 %s 0 0\n-3 0 0 %s 0 0\n-8 0 0 %s 0 0\n-11 0 0 0 0 %s\n-6 0 0 0 0 0\n-13 0 1 2 0 0 red f\n1 0 0 0 %s 1\n-101 0 0 %s 0 2 5 %s\n2 0 0 0 0 3\n'
    for value in HUGE:
        for line in (f's {value} a', f't {value} 0', f't 1 {value}', f'i {value} {value} {value} {value} {value}', f'a {value} 1', f'a 8 {value}', f'+ {value}', f'- {value}',
                     f'c {value}', f'R {value}', f'I {value} {value}', f'v {value} {value}'):
            yield 'x.heaptrack', heaptrack + line + '\n+ 0\n'
        for key in ('snapshot', 'time', 'mem_heap_B', 'mem_heap_extra_B', 'mem_stacks_B'):
            yield 'x.massif', ''.join(f'{key}={value}\n' if line.startswith(key + '=') else line for line in massif.splitlines(keepends=True))
        yield 'x.massif', massif + f'n{value}: {value} 0x{value}: f (a.c:{value})\n'
        for line in (f'-3 -21 99999.5 0 0 {value} 2 5 7 1', f'-3 -21 99999.5 {value} {value} 0', f'-202 -812 99999.5 -1 -1 {value} 2 7 0 1', f'{value} 3 99999.5 0 0 0',
                     f'-3 {value} 99999.5 0 0 0', f'-2 5 {value} 0 0 0', f'-3 -21 99999.5 0 0 3 {value} 5 7 1', f'-3 -21 99999.5 0 0 3 2 {value} {value} {value}'):
            yield 'x.picl', picl + line + '\n'
        for line in (f'c:1:1:{value}:1', f'c:{value}:{value}:1:1', f'c:1:1:2:{value}:{value}', f'1:1:1:1:1:{value}:{value}:3', f'1:{value}:{value}:{value}:{value}:1:2:3',
                     f'2:1:1:1:1:5:{value}:{value}', f'2:1:1:1:1:{value}:1:1', f'3:1:1:1:1:1:1:2:{value}:{value}:{value}:5:5:8:7', f'3:1:1:1:1:1:1:2:1:2:1:5:5:{value}:{value}'):
            yield 'x.prv', paraver + 'c:1:1:1:1\n' + states + line + '\n'
        for head in (f'{value}_ns:1(2):1:2(1:1,1:1)', f'1000_ns:{value}(2):1:2(1:1,1:1)', f'1000_ns:1({value}):1:2(1:1,1:1)', f'1000_ns:1(2):{value}:2(1:1,1:1)',
                     f'1000_ns:1(2):1:{value}(1:1,1:1)', f'1000_ns:1(2):1:2({value}:1,1:{value})', f'1000_ns:1(2):1:2(1:1,1:1),{value}'):
            yield 'x.prv', f'#Paraver (21/11/2026 at 10:00):{head}\n' + states
        for i in range(7):
            yield 'x.alog', alog % tuple(value if k == i else '9' for k in range(7))
        yield 'x.shiviz', f'a {{"a":1}}\none\nb {{"b":{value}, "a":1}}\ntwo\na {{"a":{value}}}\nthree\n'
        for key, more in (('ts', ''), ('dur', ''), ('pid', ''), ('tid', ''), ('id', ',"id2":{"local":9}')):
            yield 'x.json', '[' + ','.join(json.dumps({'ph': ph, 'name': 'f', 'cat': 'c', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 1, 'id': 1, key: 0})[:-1].replace(f'"{key}": 0', f'"{key}": {value}')
                                           + more + '}' for ph in 'XBEbensfCNDi') + ']'
        yield 'x.sddf', f'#1: "ev" {{ double "Seconds"; int "l"[]; int "m"[][]; }};;\n"ev" {{ {value}, [{value}] {{ 1 }}, [{value}][{value}] {{ 1 }} }};;\n"ev" {{ 0.5, [1] {{ 1 }}, [1][1] {{ 1 }} }};;\n'
        # Pajé has no sizes but the number of a kind of line, and fields that are announced
        yield 'x.paje', f'%EventDef PajeDefineContainerType {value}\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n{value} P 0 Process\n'
    yield 'x.paje', '%EventDef PajeCreateContainer 1\n% Time date\n' + ''.join(f'% F{i} string\n' for i in range(50_000)) + '%EndEventDef\n1 0.5 a\n'


def ctf(path):
    """Packets whose content or size is another; gives the folders."""
    for i, (at, value) in enumerate((at, value) for at in (40, 48) for value in (0, 1, 7, 8, 100, 1 << 31, 1 << 40, (1 << 64) - 1)):
        folder = path(f'ctf-sizes-{i}')
        made.ctf(folder, HAPPENING)
        with open(os.path.join(folder, 'stream_0'), 'r+b') as f:
            data = put(f.read(), at, '<Q', value)
            f.seek(0)
            f.write(data)
        yield folder
