# SPDX-License-Identifier: Apache-2.0
"""What programs of others tell of the file itself, and not of the execution in it, read a second time here from its bytes: how many
records and packets of each kind there are, and their dates."""
import re
import struct
from collections import Counter
from decimal import Decimal

from otf2 import told
from paraver import lines_of


def each(key, counts, row):
    """Lists of [number, how often], most frequent first, as the row has them."""
    return {(key, i, place): (value, 0) for i, (number, _) in enumerate(row[key]) if int(number) in counts
            for place, value in enumerate((int(number), counts[int(number)]))}


def alog(path, row):
    counts = Counter()
    with open(path, encoding='utf-8', errors='replace') as lines:
        for line in lines:
            if line.strip():
                counts[int(line.split()[0])] += 1
    return each('by_type', counts, row)


def clog(path, row):
    with open(path, 'rb') as f:
        data = f.read()
    block = 65536 if len(data) % 65536 == 0 else 1024
    size, at, counts, dates = {1: 32, 2: 24, 3: 24, 4: 16, 5: 24, 6: 56, 7: 48, 8: 8}, 0, Counter(), []
    while True:
        date, kind = struct.unpack_from('>di', data, at)
        if kind == -2:
            break
        if kind == -1:
            at = (at // block + 1) * block
            continue
        dates.append(date)
        if kind == 1:
            counts[struct.unpack_from('>i', data, at + 24)[0]] += 1
        at += 24 + size[kind]
    # the peer tells the size of all that it read
    return {**each('raw_etypes', counts, row), ('first',): (min(dates), 1e-12), ('last',): (max(dates), 1e-12)}


def clog2(path, row):
    with open(path, 'rb') as f:
        data = f.read()
    size = {2: 112, 3: 104, 4: 40, 5: 8, 6: 40, 7: 24, 8: 16, 9: 48, 10: 48, 11: 8}
    preamble = data[:1024].split(b'\0')
    block, at, counts, dates = int(preamble[preamble.index(b'block_size=') + 1]), 1024, Counter(), []
    while True:
        date, _, _, _, kind = struct.unpack_from('>diiii', data, at)
        if kind == 0:
            break
        if kind == 1:
            at = ((at - 1024) // block + 1) * block + 1024
            continue
        dates.append(date)
        if kind == 5:
            counts[struct.unpack_from('>i', data, at + 24)[0]] += 1
        at += 24 + size[kind]
    return {**each('bare_etypes', counts, row), ('first',): (min(dates), 1e-6), ('last',): (max(dates), 1e-6)}


def memtrace(path, row):
    with open(path, 'rb') as f:
        data = f.read()
    at, packets = 0, []
    while at + 38 <= len(data):
        magic, bits, *packet = struct.unpack_from('<IIQQIHQ', data, at)
        if magic != 0xC1FC1FC1:
            break
        packets.append(packet)
        at += bits // 8
    return {('version',): (packets[0][3], 0), ('packets',): (len(packets), 0), ('pids',): (len({p[4] for p in packets}), 0),
            ('t_begin_us',): (packets[0][0], 0), ('t_end_us',): (packets[-1][1], 0), ('trailing_bytes',): (len(data) - at, 0)}


def paraver(path, row):
    kinds, back, last = Counter(), 0, -1
    for i, line in enumerate(lines_of(path)):
        kind = line[:1] if i > 0 else ''
        kinds[kind] += 1
        if kind in ('1', '2', '3'):
            date = int(line.split(':')[5])
            back += date < last
            last = date
    return {**{('records', kind): (kinds[kind], 0) for kind in row['records']}, ('unsorted',): (back, 0)}


def otf2(path, row):
    lines = [line for line in told(path).splitlines() if re.match(r'[A-Z0-9_]+ +\d+ +\d+( |$)', line)]
    kinds = Counter(re.sub('_', '', line.split()[0]) for line in lines)
    clock = re.search(r'CLOCK_PROPERTIES.*Global Offset: (\d+)', told(path, '-G'))
    out = {('kinds', k): (kinds[re.sub('_', '', k.upper())], 0) for k in row.get('kinds', ()) if re.sub('_', '', k.upper()) in kinds}
    if lines:
        out.update({('events',): (len(lines), 0), ('locations',): (len({line.split()[1] for line in lines}), 0)})
    if clock:
        out['clock', 0, 1] = int(clock.group(1)), 0
    return out


def metric_values(path):
    """Of all records of metrics."""
    return sum(map(int, re.findall(r'^METRIC .*?, (\d+) Values?:', told(path), re.M)))


def paje(path, row):
    if 'events' not in row:
        return {}
    with open(path, encoding='utf-8', errors='replace') as lines:
        return {('events',): (sum(not re.match(r'\s*([%#]|$)', line) for line in lines), 0)}


def read(form, path, row):
    """{key: (number, how far off it may be)}."""
    of = globals().get(form) if form in ('alog', 'clog', 'clog2', 'memtrace', 'paraver', 'otf2', 'paje') else None
    return {key: (Decimal(str(number)), Decimal(str(off))) for key, (number, off) in (of(path, row) if of else {}).items()}
