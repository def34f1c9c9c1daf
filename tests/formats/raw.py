# SPDX-License-Identifier: Apache-2.0
"""What programs of others tell of the file itself, and not of the execution in it, read a second time here from its bytes: how many
records and packets of each kind there are, and their dates."""
import re
import shutil
import struct
import subprocess
from collections import Counter
from decimal import Decimal

import ctf_packets
from otf2 import judged, told
from paje import records
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
    size, at, counts, dates = {-2: 0, -1: 0, 1: 32, 2: 24, 3: 24, 4: 16, 5: 24, 6: 56, 7: 48, 8: 8}, 0, Counter(), []
    read = 0     # what is behind the last record of a block is none
    while True:
        date, kind = struct.unpack_from('>di', data, at)
        read += 24 + size[kind]
        if kind == -2:
            break
        if kind == -1:
            at = (at // block + 1) * block
            continue
        dates.append(date)
        if kind == 1:
            counts[struct.unpack_from('>i', data, at + 24)[0]] += 1
        at += 24 + size[kind]
    return {**each('raw_etypes', counts, row), ('bytes_read',): (read, 0), ('first',): (min(dates), 1e-12), ('last',): (max(dates), 1e-12)}


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
    status, said = judged(path)
    out = {('kinds', k): (kinds[re.sub('_', '', k.upper())], 0) for k in row.get('kinds', ()) if re.sub('_', '', k.upper()) in kinds}
    out.update({('events',): (len(lines), 0), ('otf2_print_events',): (len(lines), 0), ('locations',): (len({line.split()[1] for line in lines}), 0),
                ('open_at_end',): (kinds['ENTER'] - kinds['LEAVE'], 0), ('otf2_print_rc',): (status, 0), ('warnings',): (len(said.splitlines()), 0)})
    if clock:
        out['clock', 0, 1] = int(clock.group(1)), 0
    return out


def metric_values(path):
    """Of all records of metrics."""
    return sum(map(int, re.findall(r'^METRIC .*?, (\d+) Values?:', told(path), re.M)))


def asked_again(*words):
    """What the other program says of it now, or nothing: it is not installed."""
    return subprocess.run(words, capture_output=True, text=True, errors='replace').stdout if shutil.which(words[0]) else ''


def ctf(path, row, info):
    """Of streams and packets; what is damaged costs the rest of its stream, and then neither that nor its packet has an end.  What is told beside that,
    as of its steps before it is through, the other program itself tells once more."""
    if not row['messages']:
        return {}
    again = re.findall(r'^ *(\d+) (\D+?) messages?$', asked_again('babeltrace2', 'convert', path, '-c', 'sink.utils.counter'), re.M)
    steps = {}
    for n, what in again:
        steps.setdefault(what, []).append(int(n))
    told = {}
    for what, numbers in steps.items():     # a key is by the singular or the plural, and each has its last number
        for n in numbers:
            told['messages', what + (' message' if n == 1 else ' messages')] = n, 0
    streams, damaged = ctf_packets.packets(path), info['damaged']
    of = {'Stream beginning': len(set(streams)), 'Stream end': len(set(streams)) - damaged,
          'Packet beginning': len(streams), 'Packet end': len(streams) - damaged}
    last = {re.sub(' messages?$', '', k): k for k in row['messages']}
    return {**told, **{('messages', last[k]): (n, 0) for k, n in of.items()}}


def paje(path, row):
    """Old names of fields, and links without an end, are what the peer refuses where it is strict."""
    with open(path, encoding='utf-8', errors='replace') as lines:
        lines = [line.strip() for line in lines]
    old = any(re.match(r'%\s*(ContainerType|EntityType|SourceContainer|DestContainer)\s', line) for line in lines)
    types, ends, links, names = {}, Counter(), Counter(), {'0'}
    for verb, f in records(path):
        if verb == 'DefineContainerType':
            types[f.get('Alias', f['Name'])] = types[f['Name']] = f['Name']
        elif verb == 'CreateContainer':
            names.add(types[f['Type']])
        elif verb in ('StartLink', 'EndLink'):
            key = f['Type'], f.get('Value', ''), f['Key']
            ends[key] += 1 if verb == 'StartLink' else -1
            links[f['Value']] += verb == 'StartLink'
    out = {('strict_rc',): (int(old or any(ends.values())), 0), **{('container_types', i): (int(name), 0) for i, name in enumerate(sorted(names)) if name.isdigit()}}
    if row.get('first') != row.get('last'):
        out.update({('links', i, 1): (links[value], 0) for i, (value, _) in enumerate(row.get('links', ()))})
    if 'events' in row:
        out['events',] = sum(not re.match(r'[%#]|$', line) for line in lines), 0
    return out


def read(form, path, row, info):
    """{key: (number, how far off it may be)}; `info`: what Scope tells of it."""
    of = globals().get(form) if form in ('alog', 'clog', 'clog2', 'memtrace', 'paraver', 'otf2', 'paje', 'ctf') else None
    told_ = {} if of is None else of(path, row, info) if form == 'ctf' else of(path, row)
    return {key: (Decimal(str(number)), Decimal(str(off))) for key, (number, off) in told_.items()}
