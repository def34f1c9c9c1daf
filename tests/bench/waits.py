#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to find out who waits for whom, over 5 million events of MPI: beside the run, which is reading and the simulator.

usage: waits.py SCOPE ARCHIVE [--quick]

ARCHIVE writes OTF2 archives at random (tests/formats/otf2-archive.c).  Costs are medians of processor time; at most twice the run is
asked for, with the run in it."""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

SCOPE, ARCHIVE = sys.argv[1:3]
TASKS, STEPS = 16, 40_000 if '--quick' in sys.argv else 410_000
SIMULATOR = ('<component name="S" class="scope.calls-simulator" version="1"/><wire from="R" out="events" to="S" in="events"/>')
WAITS = ('<component name="W" class="scope.wait-states" version="3"/><wire from="R" out="events" to="W" in="events"/>'
         '<component name="F" class="scope.data-file" version="1"><setting name="file">waits.csv</setting></component>'
         '<wire from="W" out="waits" to="F" in="in"/>')


def seconds(folder, trace, parts):
    program = os.path.join(folder, 'p.eve')
    with open(program, 'w', encoding='utf-8') as f:
        f.write('<eve version="1"><component name="R" class="scope.otf2-reader" version="1"/>' + parts + '</eve>')
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([SCOPE, 'run', trace, '--program', program, '--out', os.path.join(folder, 'out')], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
        trace = os.path.join(folder, 'made')
        subprocess.run([ARCHIVE, trace, '5', str(TASKS), str(STEPS)], check=True)
        told = json.loads(subprocess.run([SCOPE, 'info', trace, '--json'], check=True, capture_output=True, text=True).stdout)
        run, waits = seconds(folder, trace, SIMULATOR), seconds(folder, trace, SIMULATOR + WAITS)
    times = waits / run
    print(f'wait states: {told["events"] / 1e6:.2f} M events; the run {run:.2f} s, with the wait states {waits:.2f} s: {times:.2f} times the run '
          f'(at most 2): {"met" if times <= 2 else "NOT MET"}')
    return times > 2


sys.exit(main())
