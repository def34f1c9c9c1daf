#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""locks.py LOCKS TAPE-THREADS: what a lock costs with and without the tracer, in turns, medians; and on a program that takes 10^6 a
second."""
import os
import statistics
import subprocess
import sys
import tempfile

LOCKS, TAPE = sys.argv[1:3]


def figures(*command):
    return [float(x) for x in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()]


with tempfile.TemporaryDirectory() as folder:
    work = str(int(figures(LOCKS)[2]))
    plain, traced = [], []
    for _ in range(5):
        plain.append(figures(LOCKS, work))
        traced.append(figures(TAPE, '-q', '-f', '--no-lines', '-o', os.path.join(folder, 'x.trace'), '--', LOCKS, work))
    free, free_traced = (statistics.median(x[0] for x in runs) for runs in (plain, traced))
    each, each_traced = (statistics.median(x[1] for x in runs) for runs in (plain, traced))
    print(f'a take and release of a free lock: {free:.1f} ns, recorded {free_traced:.1f} ns: {free_traced - free:.1f} ns more (aim: at most 200)')
    print(f'a round of {each:.0f} ns with one: recorded {each_traced:.0f} ns, {100 * (each_traced / each - 1):.1f} % more (aim: at most 5 %)')
