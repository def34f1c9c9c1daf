#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures films, travel and the way to the first picture, each beside what it is compared with, in turn.

usage: pictures.py SCOPE [--quick]

vite (package vite) is the peer for a picture of a whole execution; where it is not installed it is left out with a word.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from paje import paje

SCOPE = sys.argv[1]
QUICK = '--quick' in sys.argv
RUNS = 3
PAIRS = 3 if QUICK else 9                       # of a run and a film, one after the other: machines change their speed between pairs
LINES = 2_000_000 if QUICK else 20_000_000      # of the film; a quarter of them for the first picture


def run(*command):
    """Seconds of wall time, of processor time, and peak memory in MB of a command and its children; what it printed."""
    begin = time.monotonic()
    with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        taken = time.monotonic() - begin
        out.seek(0)
        errors.seek(0)
        if status:
            sys.exit(f'pictures: {" ".join(command)}: {errors.read().strip()}')
        return taken, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read()


def synth(folder, name, tasks, lines):
    trace = os.path.join(folder, f'{name}.trace')
    run(SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(lines), '--seed', '1', '-o', trace)
    return trace


def size_of(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def middle(runs, k):
    return statistics.median(one[k] for one in runs)


def films(folder):
    trace, film = synth(folder, 'n256', 256, LINES), os.path.join(folder, 'film')
    program = json.loads(run(SCOPE, 'info', trace, '--json')[3])['programs']
    views = next(p['file'] for p in program if os.path.basename(p['file']) == 'views.eve')
    plain, shot = [], []
    run(SCOPE, 'run', trace)                    # files come into the cache
    for _ in range(PAIRS):
        plain.append(run(SCOPE, 'run', trace))
        shutil.rmtree(film, ignore_errors=True)
        shot.append(run(SCOPE, 'film', trace, '--program', views, '-o', film, '--stats'))
    made = json.loads(shot[-1][3])
    bytes_of_trace = size_of(trace)
    print(f'{LINES} lines, 256 tasks, {bytes_of_trace / 1e6:.0f} MB; medians of {PAIRS} in turn\n'
          f'run without views: {middle(plain, 0):.2f} s, {middle(plain, 1):.2f} s of processors, {middle(plain, 2):.0f} MB\n'
          f'film with three views: {middle(shot, 0):.2f} s, {middle(shot, 1):.2f} s of processors, {middle(shot, 2):.0f} MB: '
          f'{statistics.median(a[0] / b[0] for a, b in zip(shot, plain)):.2f} times the run, '
          f'{statistics.median(a[1] / b[1] for a, b in zip(shot, plain)):.2f} times its processor time\n'
          f'on disk: {made["disk_bytes"] / 1e6:.0f} MB, {100 * made["disk_bytes"] / bytes_of_trace:.0f} % of the trace; '
          f'{made["checkpoints"]} checkpoints {100 * made["checkpoint_bytes"] / bytes_of_trace:.1f} %')
    went = json.loads(run(SCOPE, 'seek', trace, '--program', views, '--film', film, '--repeat', '200', '--random', '7', '--back')[3])
    print(f'travel to 200 instants: median {1e3 * went["p50_s"]:.0f} ms, 99 % {1e3 * went["p99_s"]:.0f} ms, worst {1e3 * went["max_s"]:.0f} ms; '
          f'back one event: median {1e3 * went["back_p50_s"]:.0f} ms, 99 % {1e3 * went["back_p99_s"]:.0f} ms, '
          f'worst {1e3 * went["back_max_s"]:.0f} ms', flush=True)
    shutil.rmtree(trace)


def first_picture(folder):
    n = LINES // 4
    trace, film = synth(folder, 'n64', 64, n), os.path.join(folder, 'first')
    picture = os.path.join(folder, 'picture.svg')
    peer = shutil.which('vite')
    theirs, mine = [], []
    if peer:
        paje(os.path.join(folder, 'x.paje'), n, 64)
    else:
        print('vite is not installed: left out')
    for _ in range(RUNS):
        shutil.rmtree(film, ignore_errors=True)
        shutil.rmtree(os.path.join(os.environ['XDG_CACHE_HOME'], 'scope'), ignore_errors=True)
        mine.append(run(SCOPE, 'draw', trace, '--film', film, '--view', 'Space-time', '--size', '1600x1000', '-o', picture))
        if peer:
            theirs.append(run(peer, '-e', picture, os.path.join(folder, 'x.paje')))
    print(f'\nfrom nothing to the first picture of the whole, {n} lines, 64 tasks: {middle(mine, 0):.2f} s, {middle(mine, 2):.0f} MB')
    if peer:
        print(f'vite -e, a Paje trace of {n} events of its own: {middle(theirs, 0):.2f} s, {middle(theirs, 2):.0f} MB: '
              f'{middle(theirs, 0) / middle(mine, 0):.1f} times as long')


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(XDG_CACHE_HOME=os.path.join(folder, 'cache'), XDG_RUNTIME_DIR=folder, QT_QPA_PLATFORM='offscreen')
        films(folder)
        first_picture(folder)


main()
