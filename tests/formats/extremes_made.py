# SPDX-License-Identifier: Apache-2.0
"""Traces in bytes for test_extremes.py, from what happens alone: (date in microseconds, task, 'begin' | 'end' | 'send' | 'receive')."""
import os
import struct

from ctf import METADATA

MPE = {'begin': 1, 'end': 2, 'send': -101, 'receive': -102}


def words(text, n):
    return text.encode().ljust(n, b'\0')


def clog(happening, block=65536):
    """CLOG of MPICH-1."""
    out = bytearray()

    def add(date, kind, proc, body=b''):
        if len(out) % block + 48 + len(body) > block:
            out.extend(struct.pack('>diiii', date, -1, 3, 0, 0))
            out.extend(bytes(-len(out) % block))
        out.extend(struct.pack('>diiii', date, kind, (24 + len(body)) // 8, proc, 0) + body)
    add(0, 6, 0, struct.pack('>iiii', 0, 1, 2, 0) + words('red', 24) + words('work', 16))
    date = 0
    for us, task, what in happening:
        date = us / 1e6
        number = MPE[what]
        add(date, 1, task, struct.pack('>iiii', number, (task + 1) % 4 if number < 0 else 0, 0, 0) + words('5 99' if number < 0 else '', 16))
    add(date, -2, 0)
    return bytes(out) + bytes(-len(out) % block)


def clog2(happening, block=65536):
    out = bytearray(b'\0'.join([b'CLOG-02.44', b'is_big_endian=', b'TRUE ', b'is_finalzed=', b'TRUE ', b'block_size=', str(block).encode(), b'']).ljust(1024, b'\0'))

    def add(date, rank, kind, body=b''):
        if (len(out) - 1024) % block + 48 + len(body) > block:
            out.extend(struct.pack('>diiii', date, 0, 0, 0, 1))
            out.extend(bytes(-(len(out) - 1024) % block))
        out.extend(struct.pack('>diiii', date, 0, rank, 0, kind) + body)
    add(0, 0, 2, struct.pack('>iiii', 0, 1, 2, 0) + words('red', 24) + words('work', 32) + bytes(40))
    date, known = 0, set()
    for us, task, what in happening:
        date, number = us / 1e6, MPE[what]
        if task not in known:
            known.add(task)
            add(date, task, 9, struct.pack('>iiii', 0, 0, task, task) + bytes(32))
        if number < 0:
            add(date, task, 7, struct.pack('>iiiiii', number, 0, (task + 1) % 4, 5, 99, 0))
        else:
            add(date, task, 5, struct.pack('>ii', number, 0))
    add(date, 0, 0)
    return bytes(out)


def slog2(spans, category=0):
    """SLOG-2, of (begin in microseconds, end, line): states, all of them in one node, of the one category or of none."""
    def string(s):
        return struct.pack('>h', len(s)) + s.encode()
    body = b''.join(b'\0' + struct.pack('>ihh', category, 0, 2) + struct.pack('>didi', b / 1e6, line, e / 1e6, line) for b, e, line in spans)
    last = max((e for _, e, _ in spans), default=1) / 1e6
    body = struct.pack('>ii', 0, len(spans)) + body + struct.pack('>i', 0)
    size, at = 34 + len(body), 108
    node = struct.pack('>ddhiqi', 0, last, 0, 0, at, size) + body
    categories = struct.pack('>ii', 1, 0) + string('work') + struct.pack('>i', 1) + bytes(6) + struct.pack('>hhhffq', 0, 0, 0, 0, 0, 0)
    tree = struct.pack('>i', 1) + struct.pack('>hiddqi', 0, 0, 0, last, at, size)
    parts, pointers = [categories, b'', struct.pack('>i', 0), None, tree, b'', b''], b''
    behind = at + size
    for part in parts:
        pointers += struct.pack('>qi', at if part is None else behind if part else 0, size if part is None else len(part))
        behind += len(part or b'')
    return string('SLOG 2.0.6') + struct.pack('>hihi', 2, 65536, 1, 65536) + pointers + node + b''.join(part or b'' for part in parts)


def memtrace(packets):
    """Of (begin in microseconds, [event]), an event being an allocation that shares so many calls with the one before and has so many
    codewords, each of so many calls and one more; or -1: a collection."""
    out, number = bytearray(), 0
    for i, (us, events) in enumerate(packets):
        head, first = us & 0x1ffffff, number
        body = struct.pack('<I', head) + struct.pack('<dB', 1e-4, 64) + b'/bin/made\0host\0\0' + struct.pack('<Q', 7) + b'\0' if i == 0 else b''
        for event in events:
            if event == -1:
                body += struct.pack('<I', head | 4 << 25) + b'\xff' + struct.pack('<Q', 1 << 62)
                continue
            common, n, more = event
            body += struct.pack('<I', head | 2 << 25) + b'\5\1\0' + b'\xfe' + struct.pack('<IH', common, n) + struct.pack('<HB', 2, more) * n
            number += 1
        out += struct.pack('<IIQQIHQHHQQQ', 0xC1FC1FC1, (66 + len(body)) * 8, us, us, 0, 2, 7, 0xffff, 0, 0, first, number) + body
    return bytes(out)


def ctf(folder, happening):
    """A stream of one packet."""
    os.makedirs(folder, exist_ok=True)
    uuid = bytes(range(16))
    text = '%s-%s-%s-%s-%s' % tuple(uuid.hex()[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))
    with open(os.path.join(folder, 'metadata'), 'w', encoding='utf-8') as f:
        f.write(METADATA % (text, 'le'))
    body = b''.join(struct.pack('<IQII', 1 if what == 'begin' else 2, us * 1000, 7, task) + (b'work\0' if what == 'begin' else b'') + bytes(8)
                    for us, task, what in happening)
    head = struct.pack('<I', 0xc1fc1fc1) + uuid + struct.pack('<I', 0)
    size = (len(head) + 6 * 8 + 4 + len(body)) * 8
    dates = [us * 1000 for us, _, _ in happening]
    with open(os.path.join(folder, 'stream_0'), 'wb') as f:
        f.write(head + struct.pack('<QQQQQQI', min(dates), max(dates), size, size, 0, 0, 0) + body)
