#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what the first promises of Scope are about, each beside something that stays comparable in the same run.

usage: bench.py SCOPE DISPATCH [--quick]

Every figure is the median of several runs, taken in turn with the thing it is compared with. Peers that are not installed
(pj_dump of pajeng, babeltrace2) are left out with a word.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import ctf as ctf_writer
from paje import paje

SCOPE, DISPATCH = sys.argv[1:3]
QUICK = '--quick' in sys.argv
RUNS = 3 if QUICK else 5
LINES = 500_000 if QUICK else 5_000_000


def forget():
    """What Scope remembers of traces it has opened."""
    shutil.rmtree(os.path.join(os.environ['XDG_CACHE_HOME'], 'scope'), ignore_errors=True)


def run(command):
    """Seconds of wall time and peak memory in MB of one run of a command, its output thrown away.  A command in a tuple is
    run as if for the first time."""
    if isinstance(command, tuple):
        forget()
        command = list(command)
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    taken = time.monotonic() - begin
    if status:
        sys.exit(f'bench: {" ".join(command)}: {errors.decode(errors="replace").strip()}')
    return taken, usage.ru_maxrss / 1024


def together(*commands):
    """Medians of (seconds, MB) of several commands, run in turn so that a drift of the machine meets all."""
    for command in commands:
        run(command)                    # files come into the cache
    times = [[run(command) for command in commands] for _ in range(RUNS)]
    return [tuple(statistics.median(one[i][k] for one in times) for k in (0, 1)) for i in range(len(commands))]


def synth(folder, name, tasks, lines):
    trace = os.path.join(folder, f'{name}.trace')
    subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(lines), '--seed', '1',
                    '-o', trace], check=True)
    return trace, os.path.join(trace, f'{name}.tapepvm', 'events')


def stats(trace):
    out = subprocess.run([SCOPE, 'run', trace, '--stats'], check=True, capture_output=True, text=True).stdout
    return json.loads(out.strip().splitlines()[-1])


def ctf(folder, events, streams):
    """A CTF trace with as many events, which hold what a logical event of Scope holds."""
    trace = os.path.join(folder, f'ctf{streams}')
    ctf_writer.write(trace, events, streams)
    return trace


def foreign(folder):
    """Files of other programs, beside the programs of the field that read the same files."""
    print('\nfiles of other programs: first (read, kept in the cache, replayed), later (replayed), first picture')
    path = os.path.join(folder, 'x.paje')
    paje(path, LINES, 64)
    out = os.path.join(folder, 'pictures')
    for name, path, peer in [('Pajé', path, ['pj_dump', '-q', path])]:
        # a picture of the whole trace, from nothing
        picture = [SCOPE, 'run', path, '--program', 'views', '--out', out]
        commands = [(SCOPE, 'run', path), [SCOPE, 'run', path], tuple(picture)]
        there = shutil.which(peer[0])
        (first_s, mb), (later_s, _), (picture_s, picture_mb), *of_peer = together(*commands, *([peer] if there else []))
        told = '; '.join(f'{peer[0]} {s:.2f} s, {peer_mb:.0f} MB: {s / first_s:.1f} and {s / later_s:.1f} times as fast'
                         for s, peer_mb in of_peer) or f'{peer[0]} is not installed'
        print(f'{name}, {LINES} events, {os.path.getsize(path) / 1e6:.0f} MB: {first_s:.2f} s ({LINES / first_s / 1e6:.1f} million '
              f'a second), {later_s:.2f} s, {picture_s:.2f} s; peak {mb:.0f} MB and {picture_mb:.0f} MB; {told}')


def main():
    subprocess.run([DISPATCH], check=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
        trace, events = synth(folder, 'n64', 64, LINES)
        time.sleep(3)                   # a file that has just changed is not remembered
        command = [SCOPE, 'run', trace]
        (first_s, _), (scope_s, scope_mb), (wc_s, _) = together(tuple(command), command, ['wc', '-l', events])
        read = stats(trace)['events_read']
        print(f'\nread and simulate {LINES} lines, 64 tasks: {first_s:.3f} s the first time, {scope_s:.3f} s from then on, '
              f'{read / first_s / 1e6:.1f} and {read / scope_s / 1e6:.1f} million logical events a second, '
              f'peak {scope_mb:.0f} MB\nwc -l on the same file: {wc_s:.3f} s; ratios {first_s / wc_s:.1f} and '
              f'{scope_s / wc_s:.1f}')

        peers = []
        n = LINES // 10
        if shutil.which('pj_dump'):
            path = os.path.join(folder, 'x.paje')
            paje(path, n, 64)
            peers.append(('pj_dump -q', ['pj_dump', '-q', path]))
        else:
            print('pj_dump is not installed (package pajeng): left out')
        if shutil.which('babeltrace2'):
            for streams in (4, 64):
                peers.append((f'babeltrace2 -c sink.utils.dummy, {streams} streams',
                              ['babeltrace2', ctf(folder, n, streams), '-c', 'sink.utils.dummy']))
        else:
            print('babeltrace2 is not installed: left out')
        for (name, command) in peers:
            (peer_s, peer_mb), (first_s, _), (mine_s, _) = together(command, (SCOPE, 'run', trace), [SCOPE, 'run', trace])
            peer = n / peer_s / 1e6
            print(f'{name}, {n} events of its own: {peer:.2f} million a second, peak {peer_mb:.0f} MB; '
                  f'scope is {read / first_s / 1e6 / peer:.1f} times as fast the first time, '
                  f'{read / mine_s / 1e6 / peer:.1f} times from then on')

        print('\ncost of an event against the number of tasks')
        counts = (4, 16, 64, 256, 1024, 2048)
        traces = [synth(folder, f't{tasks}', tasks, LINES // 5)[0] for tasks in counts]
        costs = {}
        for tasks, t, (s, mb) in zip(counts, traces, together(*[(SCOPE, 'run', t) for t in traces])):
            costs[tasks] = s / stats(t)['events_read'] * 1e9
            print(f'{tasks:6} tasks: {costs[tasks]:6.1f} ns an event, peak {mb:.0f} MB')
        print(f'from 4 to 2048 tasks: {(costs[2048] / costs[4] - 1) * 100:+.0f} %')

        foreign(folder)
        if not QUICK:
            big, _ = synth(folder, 'big', 64, 4 * LINES)
            (s, mb), = together((SCOPE, 'run', big))
            print(f'\npeak memory: {scope_mb:.0f} MB at {LINES} lines, {mb:.0f} MB at {4 * LINES} lines ({s:.2f} s)')


main()
