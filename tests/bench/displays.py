#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each view costs: its first picture, another instant, other ranges of dates; twelve views at once while the cursor is
dragged and those of a range while it is brushed; tasks in a new grouping.  From a trace of 3 million lines and 256 tasks, and
from one of 100 000 tasks.  Milliseconds of the clock or of all processors, whichever are fewer (displays.c).

usage: displays.py DISPLAYS SCOPE [--quick] [--instructions] [--keep FOLDER]

--instructions: those of each picture too, in millions, by valgrind, where it is installed: they hang on nothing else that the
machine does.  --keep: traces and films stay there, and are used again.  All of it takes some ten minutes.
"""
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'model'))
from make import write_wide                     # noqa: E402

DISPLAYS, SCOPE = (os.path.abspath(path) for path in sys.argv[1:3])
QUICK = '--quick' in sys.argv
LINES = 200_000 if QUICK else 3_000_000
MANY = 5_000 if QUICK else 100_000
PROGRAMS = ['views', 'concurrency', 'utilization', 'load-balance', 'traffic', 'in-flight', 'waiting-times', 'stay-tables']
COUNTED = ['views:Space-time', 'views:State graph', 'views:Trace text', 'utilization:Tasks in each state', 'concurrency:Utilization count']
TWELVE = os.path.join(HERE, 'twelve.eve')


def traces(folder):
    few, many = (os.path.join(folder, name) for name in ('n256.trace', f'wide{MANY}.trace'))
    if not os.path.exists(few):
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '256', '--events', str(LINES), '--seed', '1', '-o', few],
                       check=True, stdout=subprocess.DEVNULL)
    if not os.path.exists(many):
        write_wide(many, random.Random(1), MANY, messages=30_000)
    return few, many


def tell(what, *words):
    print(f'\n{what}\n', flush=True)
    subprocess.run([DISPLAYS, *words], check=True)


def count(trace):
    """The first picture and two others of each view, at two instants."""
    if not shutil.which('valgrind'):
        print('\nvalgrind is not installed: instructions are not counted')
        return
    print('\n| view | instructions of pictures, million |\n|---|---|')
    for view in COUNTED:
        with tempfile.TemporaryDirectory() as out:
            subprocess.run(['valgrind', '--tool=callgrind', '--collect-atstart=no', '--toggle-collect=measured', '--dump-after=measured',
                            f'--callgrind-out-file={out}/out', DISPLAYS, '--few', trace, view], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            counted = []
            for path in sorted(glob.glob(f'{out}/out.*'), key=lambda name: int(name.rsplit('.', 1)[1])):
                with open(path) as f:
                    counted += re.findall(r'^(?:summary|totals): (\d+)', f.read(), re.M)[-1:]
        print(f'| {view} | {", ".join(f"{int(n) / 1e6:.1f}" for n in counted)} |', flush=True)


def measure(folder):
    os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
    for trace, what in zip(traces(folder), (f'{LINES} lines, 256 tasks', f'{MANY} tasks')):
        tell(f'{what}: each view, 1600 x 1000', trace, *PROGRAMS)
        tell(f'{what}: views together', '--together', trace, TWELVE)
        if '--instructions' in sys.argv:
            count(trace)
    for hierarchy in ('host', 'blocks', 'behaviour'):
        tell(f'{MANY} tasks in a new grouping', '--groups', hierarchy, trace, 'views:Space-time', 'views:State graph')


if '--keep' in sys.argv:
    measure(os.path.abspath(sys.argv[sys.argv.index('--keep') + 1]))
else:
    with tempfile.TemporaryDirectory() as made:
        measure(made)
