#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what it costs to watch a program while it runs: 10 000 points, each another in every batch, ten batches a second;
recorded by `scope live`, shown by a window with all views of the ready program.

usage: live.py SCOPE SCOPE_WINDOW VIZ_DRIVE [--seconds N] [--points N]

Prints, each minute, the processor time of each process since the start as a share of a core, and its memory now."""
import argparse
import os
import re
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'gui'), os.path.join(HERE, '..', 'viz')]
options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument('scope')
options.add_argument('window')
options.add_argument('drive')
options.add_argument('--seconds', type=int, default=60)
options.add_argument('--points', type=int, default=10000)
options.add_argument('--pids', action='store_true', help='prints the numbers of the processes, for a profiler')
given = options.parse_args()
SCOPE, WINDOW, DRIVE = (os.path.abspath(path) for path in (given.scope, given.window, given.drive))
os.environ.update(SCOPE=SCOPE, SCOPE_WINDOW=WINDOW)
import subprocess                                               # noqa: E402
import wire                                                     # noqa: E402
from harness import Window, session                             # noqa: E402  it reads the environment

VIEWS = os.path.join(HERE, '..', '..', 'schemas', 'values', 'views.eve')


class Bench:
    """What harness.Window asks of a test."""

    def fail(self, what):
        sys.exit(f'live: {what[:2000]}')

    def id(self):
        return 'bench'


def family(pid):
    """A process and all that it started, which go on."""
    found = [pid]
    for one in found:
        for thread in os.listdir(f'/proc/{one}/task'):
            with open(f'/proc/{one}/task/{thread}/children') as f:
                found += map(int, f.read().split())
    return found


def used(pid):
    """Processor time of it, and of it with all that it started, seconds."""
    each = []
    for one in family(pid):
        with open(f'/proc/{one}/stat') as f:
            each.append(sum(map(int, f.read().rsplit(')', 1)[1].split()[11:15])) / os.sysconf('SC_CLK_TCK'))
    return complex(sum(each), each[0])


def share(spent, seconds):
    """Of a core."""
    whole, own = 100 * spent.real / seconds, 100 * spent.imag / seconds
    return f'{whole:.1f} %' + (f' (itself {own:.1f} %)' if whole - own > 0.1 else '')


def memory(pid):
    """What it holds that is not of files, MB."""
    total = 0
    for one in family(pid):
        with open(f'/proc/{one}/status') as f:
            total += int(re.search(r'RssAnon:\s+(\d+)', f.read())[1])
    return total / 1024


def main():
    folder = tempfile.TemporaryDirectory(prefix='scope-live-')
    program = wire.Program(DRIVE, 'unix:' + os.path.join(folder.name, 'socket'))
    program.do('many', 'point', given.points)
    bundle = os.path.join(folder.name, 'load.trace')
    recorder = subprocess.Popen([SCOPE, 'live', program.where(), '-o', bundle], env=session().env, stderr=subprocess.DEVNULL)
    window = None
    try:
        program.do('wait', 1, 10000)
        window = Window(Bench(), ['--follow', bundle, VIEWS])
        window.wait(lambda: window.find('status bar') and window.find('status bar').name.startswith('Following'), 'it goes along', 60)
        window.wait_for('list item', re.compile('^task point 0, '), 60)
        program.do('load', 100)
        time.sleep(5)
        all_of = {'window': window.pid, 'scope live': recorder.pid, 'program': program.process.pid}
        if given.pids:
            print(all_of, flush=True)
        before, began = {k: used(p) for k, p in all_of.items()}, time.monotonic()
        last = dict(before), began
        while time.monotonic() - began < given.seconds:
            time.sleep(min(60, given.seconds))
            now, passed = {k: used(p) for k, p in all_of.items()}, time.monotonic()
            print(f'{passed - began:.0f} s: ' + '; '.join(
                f'{k} {share(now[k] - before[k], passed - began)}, lately {share(now[k] - last[0][k], passed - last[1])}, '
                f'{memory(p):.1f} MB' for k, p in all_of.items()) + f'; recording {os.path.getsize(os.path.join(bundle, "load.values", "records")) / 1e6:.0f} MB',
                flush=True)
            last = now, passed
    finally:
        if window:
            window.kill()
            window.log.close()
        recorder.kill()
        recorder.wait()
        program.process.kill()
        program.process.wait()
        session().end()
        folder.cleanup()


main()
