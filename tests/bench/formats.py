#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how long files of other programs take to open: the first time, when they are read and kept in the cache, and later.

usage: formats.py SCOPE [ARCHIVE OTF2_ALONE] [--runs N] [--only FORMAT] [--share PART]

ARCHIVE writes OTF2 archives (tests/formats/otf2-archive.c), OTF2_ALONE reads them with libotf2 and does nothing else (otf2-alone.c).  Each
file is made at random, the same each time; peers that are not installed are left out.  Told are medians: seconds on the wall, seconds of
the processor, records of the file a second of the processor and on the wall, and the most memory.  What is compared is run in turn."""
import argparse
import glob
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time

import ctf
from paje import paje


def chrome(path, n):
    """Slices inside of each other, as tracers write them: one object each, 100 bytes."""
    draw = random.Random(2)
    names = [f'function_{i}' for i in range(200)]
    with open(path, 'w') as f:
        f.write('{"traceEvents":[\n')
        for i in range(n):
            f.write(f'{{"name":"{names[draw.randrange(200)]}","cat":"work","ph":"X","ts":{i * 3}.{draw.randrange(1000):03},'
                    f'"dur":{draw.randrange(1, 40)},"pid":{i % 4},"tid":{i % 16},"args":{{"n":{i}}}}}{"," if i + 1 < n else ""}\n')
        f.write(']}\n')


def paraver(path, n):
    """Of four records two are states, one is an event with one pair, one is an event with eight counters."""
    draw = random.Random(3)
    threads = 16
    with open(path, 'w') as f:
        f.write(f'#Paraver (21/11/2026 at 10:00):{n * 100}_ns:1({threads}):1:1({threads}:1)\n')
        last = [0] * threads
        for i in range(n):
            t, date = i // 4 % threads, i * 100
            who = f'1:1:{t + 1}'
            if i % 4 < 2:
                f.write(f'1:{t + 1}:{who}:{last[t]}:{date}:{draw.randrange(1, 16)}\n')
                last[t] = date
            elif i % 4 == 2:
                f.write(f'2:{t + 1}:{who}:{date}:50000002:{0 if i // 64 & 1 else draw.randrange(1, 20)}\n')
            else:
                pairs = ''.join(f':{42000050 + k}:{draw.randrange(1 << 17)}' for k in range(8))
                f.write(f'2:{t + 1}:{who}:{date}{pairs}\n')


def picl(path, n):
    """Entries and exits of sends and receives, of calls of the program, and what goes with them: new records.  What is received was sent."""
    draw = random.Random(4)
    nodes = 16
    with open(path, 'w') as f:
        for w in range(nodes):
            f.write(f'-3 -901 0.000000 {w} 0 0\n')
        inside = [None] * nodes
        sent = [[] for _ in range(nodes)]
        for i in range(n - nodes):
            w, date = draw.randrange(nodes), f'{i // 1000000}.{i % 1000000:06}'
            if inside[w] is None:
                inside[w] = draw.choice((-21, -52, 3, 5) if sent[w] else (-21, 3, 5))
                peer, size = draw.randrange(nodes), draw.randrange(5000)
                if inside[w] == -21:
                    sent[peer].append((w, size))
                    more = f'4 2 {size} 3 {peer} 0'
                else:
                    more = f'3 2 3 {sent[w][0][0]} 0' if inside[w] == -52 else '0'
                f.write(f'-3 {inside[w]} {date} {w} 0 {more}\n')
            else:
                peer, size = sent[w].pop(0) if inside[w] == -52 else (0, 0)
                more = f'4 2 {size} 3 {peer} 0' if inside[w] == -52 else '0'
                f.write(f'-4 {inside[w]} {date} {w} 0 {more}\n')
                inside[w] = None


def run(command, fresh, folder):
    """Seconds on the wall, of the processor, and MB.  Each first opening has a cache of its own, and all are removed at the end: after a removal ext4
    looks for some seconds at each file that was removed before it makes another one, which would be 2 % of what is measured."""
    if fresh:
        os.environ['XDG_CACHE_HOME'] = tempfile.mkdtemp(prefix='cache-', dir=folder)
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f'{" ".join(command)}: {errors.decode(errors="replace").strip()}')
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('scope')
    options.add_argument('archive', nargs='?')
    options.add_argument('otf2_alone', nargs='?')
    options.add_argument('--runs', type=int, default=5)
    options.add_argument('--only')
    options.add_argument('--share', type=float, default=1, help='of the records of each file')
    o = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def made_by_archive(path, n):
            subprocess.run([o.archive, path, '5', '16', str(n // 12)], check=True)

        formats = [('paje', 5_000_000, lambda path, n: paje(path, n, 64), ['pj_dump', '-q'], []),
                   ('chrome', 2_000_000, chrome, [], []),
                   ('paraver', 2_000_000, paraver, [], []),
                   ('picl', 2_000_000, picl, [], []),
                   ('ctf', 1_000_000, ctf.write, ['babeltrace2'], ['-c', 'sink.utils.dummy'])]
        if o.archive:
            formats.append(('otf2', 5_000_000, made_by_archive, [o.otf2_alone], []))
        print('format  of    wall, processor [s]  million records a second on the wall, of the processor  memory [MB]')
        for name, n, make, before, after in formats:
            if o.only not in (None, name):
                continue
            n = int(n * o.share)
            path = os.path.join(folder, name if name in ('ctf', 'otf2') else f'x.{name}')
            make(path, n)
            commands = [('first', [o.scope, 'info', path], True), ('later', [o.scope, 'info', path], False)]
            if before and shutil.which(before[0]):
                commands.append((os.path.basename(before[0]), before + [path] + after, False))
            times = [[run(command, fresh, folder) for _, command, fresh in commands] for _ in range(o.runs)]
            own = None
            for i, (what, _, _) in enumerate(commands):
                wall, cpu, mb = (statistics.median(t[i][k] for t in times) for k in range(3))
                own = own or cpu
                told = f': the first time takes {own / cpu:.2f} times its processor time' if i > 1 else ''
                print(f'{name:8}{what:12} {wall:6.3f} {cpu:6.3f}  {n / wall / 1e6:6.2f} {n / cpu / 1e6:6.2f}  {mb:4.0f}{told}', flush=True)
            for kept in glob.glob(os.path.join(folder, 'cache-*')):
                shutil.rmtree(kept)
            shutil.rmtree(path, ignore_errors=True)
            if os.path.isfile(path):
                os.unlink(path)


main()
