#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the window on a display of its own: from the start of the process to the complete picture of a whole execution,
what frames take while the cursor is dragged, the picture zoomed and moved and the execution played, and what playing with three
views costs; beside `vite` and `scope run`.

usage: window.py SCOPE SCOPE_WINDOW [--quick] [--no-vite]

Prints a table as in docs/benchmarks.md; all of it takes some six minutes, of which `vite` four.

A picture is complete when its film is and the screen has been at rest since; the time is that of the last change.  Of vite,
which tells nothing, the time is that of the last change of the screen before it rested, without processor time, for two seconds.
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'gui'))
sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))

SCOPE, WINDOW = (os.path.abspath(path) for path in sys.argv[1:3])
os.environ.update(SCOPE=SCOPE, SCOPE_WINDOW=WINDOW)
from harness import Window, session, xdo                # noqa: E402  it reads the environment
from paje import paje                                       # noqa: E402

QUICK = '--quick' in sys.argv
RUNS = 1 if QUICK else 3
PLAYS = 3 if QUICK else 9
LINES = 200_000 if QUICK else 5_000_000
TASKS = 64
REST = 2.0              # seconds without a change
PEER_S = 240            # for all runs of vite


class Bench:
    """What harness.Window asks of a test."""

    def fail(self, what):
        sys.exit(f'window: {what[:2000]}')

    def id(self):
        return 'bench'


def row(what, figure, aim=''):
    print(f'| {what} | {figure} | {aim} |', flush=True)


def peak(pid):
    """Peak memory of a process, MB."""
    with open(f'/proc/{pid}/status') as f:
        return int(re.search(r'VmHWM:\s+(\d+)', f.read())[1]) / 1024


def used(pid):
    """Processor time of a process and of its children that have ended, seconds."""
    with open(f'/proc/{pid}/stat') as f:
        words = f.read().rsplit(')', 1)[1].split()
    return sum(map(int, words[11:15])) / os.sysconf('SC_CLK_TCK')


def screen():
    with open(os.path.join(session().home, 'Xvfb_screen0'), 'rb') as f:
        return f.read()


def at_rest(pid, began, done=lambda: True, limit=120.0):
    """Seconds from `began` to the last change of the screen before all was done and rested; peak memory.  None: it did not rest."""
    last, changed, cpu, memory, quiet = None, began, 0.0, 0.0, began
    while True:
        shot = screen()
        now, spent, memory = time.monotonic(), used(pid), max(memory, peak(pid))
        if shot != last or spent - cpu > 0.1 or not done():
            if shot != last or not done():
                changed = now
            last, cpu, quiet = shot, spent, now
        if now - quiet > REST:
            return changed - began, memory
        if now - began > limit:
            return None
        time.sleep(0.03)


def middle(runs, k):
    return statistics.median(one[k] for one in runs)


def start(trace, **env):
    w = Window(Bench(), [trace], env)
    w.wait(lambda: w.frame and w.frame.showing and w.ids(), 'the window is there', 60)
    w.resize(1600, 1000)
    w.focus()
    return w


def film_is_complete():
    """Read off the disk: asking the window would make it work."""
    films = os.path.join(session().env['XDG_CACHE_HOME'], 'scope')
    for at, _, names in os.walk(films):
        if 'manifest' in names:
            with open(os.path.join(at, 'manifest'), errors='replace') as f:
                return 'state=complete' in f.read()
    return False


def rested(w, began=None):
    return at_rest(w.pid, began or time.monotonic(), film_is_complete) or sys.exit('window: the window does not come to rest')


def first_picture(trace):
    cold, warm = [], []
    for _ in range(RUNS):
        shutil.rmtree(os.path.join(session().env['XDG_CACHE_HOME'], 'scope'), True)
        for runs in (cold, warm):
            w = start(trace)
            runs.append(rested(w, w.began))
            w.kill()
    row('from start to the complete space-time picture, no film', f'{middle(cold, 0):.2f} s, {middle(cold, 1):.0f} MB', '4 s, 300 MB')
    row('the same, film there', f'{middle(warm, 0):.2f} s, {middle(warm, 1):.0f} MB', '1 s, 300 MB')
    return middle(cold, 0)


def peer(folder, mine):
    what = f'`vite`, a Paje trace of {LINES} events, to idle'
    vite = shutil.which('vite')
    if not vite:
        row(what, 'not installed')
        return
    path, runs = os.path.join(folder, 'x.paje'), []
    paje(path, LINES, TASKS)
    until = time.monotonic() + PEER_S
    for _ in range(RUNS):
        if runs and time.monotonic() + runs[-1][0] + 2 * REST > until:
            break
        empty, began = screen(), time.monotonic()
        process = subprocess.Popen([vite, path], env=dict(session().env, QT_QPA_PLATFORM='xcb'), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        one = at_rest(process.pid, began, lambda: screen() != empty, until - began)
        process.kill()
        process.wait()
        if not one:
            break
        runs.append(one)
    if runs:
        row(what, f'{middle(runs, 0):.1f} s, {middle(runs, 1):.0f} MB ({len(runs)} runs): {middle(runs, 0) / mine:.1f} times as long')
    else:
        row(what, f'not at rest within {PEER_S} s')
    os.remove(path)


def told(w, before):
    """What the window measured of itself once it has rested for a second: name -> (how many, median, worst), ms; of several rests
    the one with most frames."""
    w.wait(lambda: 'frames: ' in w.said()[before:], 'frames are told', 60)
    rested(w)
    found = {}
    for n, name, median, worst in re.findall(r'frames: (\d+), ([^:]*): median ([\d.]+) ms, .*worst ([\d.]+) ms', w.said()[before:]):
        if int(n) > found.get(name, (0,))[0]:
            found[name] = int(n), float(median), float(worst)
    return found


def figures(found):
    """Median and worst of what was done for a frame, and from one to the next."""
    n, median, worst = found['by the clock']
    _, own, own_worst = found['of the processor']
    _, step, step_worst = found.get('from one to the next', (0, 0, 0))
    return (f'{median:.1f}, {worst:.1f} ms; of the processor {own:.1f}, {own_worst:.1f} ms; from one to the next {step:.1f}, '
            f'{step_worst:.1f} ms ({n} frames)')


def drag(button, x0, y, x1):
    words = ['mousemove', round(x0), round(y), 'mousedown', button]
    for i in range(1, 241):
        words += ['mousemove', round(x0 + (x1 - x0) * i / 240), round(y), 'sleep', '0.012']
    return words + ['mouseup', button]


def wheel(x, y):
    """In and out and in again, fifteen clicks each, a click a frame."""
    words = ['mousemove', round(x), round(y)]
    for i in range(5):
        words += ['click', '--repeat', 15, '--delay', 16, 5 if i % 2 else 4]
    return words


def frames(trace):
    w = start(trace, SCOPE_DEBUG='frames')
    rested(w)
    x, y, width, height = w.find('slider', 'Time').box
    px, py, pw, ph = w.find('drawing area', 'Picture of Space-time').box
    centre = px + pw / 2, py + ph / 2
    for what, words in (('dragging the cursor', drag(1, x + width * 0.1, y + height / 2, x + width * 0.9)),
                        ('zooming', wheel(*centre)),
                        ('panning', drag(2, px + pw * 0.8, py + ph / 2, px + pw * 0.2)),
                        ('zooming rows', ['keydown', 'ctrl', *wheel(*centre), 'keyup', 'ctrl'])):
        before = len(w.said())
        xdo(*words)
        row(f'a frame while {what}: median, worst', figures(told(w, before)), '16 ms, 50 ms')
    w.kill()


def playing(trace):
    """To the end as fast as possible with the three views open and the film there, in turn with the run without any."""
    ratios, with_views, without, drawn = [], [], [], []
    w = start(trace, SCOPE_DEBUG='frames', G_MESSAGES_DEBUG='all')
    rested(w)
    for _ in range(PLAYS):
        began = time.monotonic()
        subprocess.run([SCOPE, 'run', trace], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=session().env)
        without.append(time.monotonic() - began)
        w.key('Home')
        rested(w)
        before = len(w.said())
        w.key('space')
        played = w.wait(lambda: re.search(r'played: (\d+) events in ([\d.]+) s', w.said()[before:]), 'it was played', 60)
        with_views.append(float(played[2]))
        ratios.append(with_views[-1] / without[-1])
        drawn.append(told(w, before))
    memory = peak(w.pid)
    w.kill()
    row('playing to the end with three views',
        f'{statistics.median(with_views):.2f} s, {memory:.0f} MB: {statistics.median(ratios):.2f} times `scope run` '
        f'({statistics.median(without):.2f} s; {PLAYS} in turn; the fastest {min(with_views):.2f} and {min(without):.2f} s: '
        f'{min(with_views) / min(without):.2f} times)', '2 times')
    drawn.sort(key=lambda found: found['by the clock'][1])
    row('a frame while playing: median, worst', figures(drawn[len(drawn) // 2]), '20 ms from one to the next')


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'n.trace')
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(TASKS), '--events', str(LINES), '--seed', '1', '-o', trace],
                       check=True, stdout=subprocess.DEVNULL)
        session()
        try:
            print(f'{LINES} lines, {TASKS} tasks, medians of {RUNS}\n\n| what | figure | aim |\n|---|---|---|', flush=True)
            mine = first_picture(trace)
            frames(trace)
            playing(trace)
            if '--no-vite' not in sys.argv:
                peer(folder, mine)
        finally:
            session().end()


main()
