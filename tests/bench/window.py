#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the window on a display of its own: from the start of the process to the complete picture of a whole execution, how
long frames take, what playing with three views costs; beside `vite` and `scope run`.

usage: window.py SCOPE SCOPE_WINDOW [--quick]

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
from harness import Window, session                    # noqa: E402  it reads the environment
from paje import paje                                       # noqa: E402

QUICK = '--quick' in sys.argv
RUNS = 1 if QUICK else 3
LINES = 200_000 if QUICK else 5_000_000
TASKS = 64
REST = 2.0              # seconds without a change


class Bench:
    """What harness.Window asks of a test."""

    def fail(self, what):
        sys.exit(f'window: {what[:2000]}')

    def id(self):
        return 'bench'


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
        return hash(f.read())


def at_rest(pid, began, done=lambda: True, limit=600):
    """Seconds from `began` to the last change of the screen before all was done and rested; peak memory."""
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
            sys.exit('window: no rest within ten minutes')
        time.sleep(0.02)


def middle(runs, k):
    return statistics.median(one[k] for one in runs)


def start(trace, **env):
    w = Window(Bench(), [trace], env)
    w.wait(lambda: w.frame and w.frame.showing and w.ids(), 'the window is there', 60)
    w.resize(1600, 1000)
    w.focus()
    return w


def film_is_complete(w):
    """Read off the disk: asking the window would make it work."""
    films = os.path.join(session().env['XDG_CACHE_HOME'], 'scope')

    def complete():
        for at, _, names in os.walk(films):
            if 'manifest' in names:
                with open(os.path.join(at, 'manifest'), errors='replace') as f:
                    return 'state=complete' in f.read()
        return False
    return complete


def first_picture(trace):
    cold, warm = [], []
    for _ in range(RUNS):
        shutil.rmtree(os.path.join(session().env['XDG_CACHE_HOME'], 'scope'), True)
        for runs in (cold, warm):
            w = start(trace)
            runs.append(at_rest(w.pid, w.began, film_is_complete(w)))
            w.kill()
    print(f'window, {LINES} lines, {TASKS} tasks, medians of {RUNS}\n'
          f'to the complete picture, no film: {middle(cold, 0):.2f} s, {middle(cold, 1):.0f} MB\n'
          f'to the complete picture, film there: {middle(warm, 0):.2f} s, {middle(warm, 1):.0f} MB', flush=True)
    return middle(cold, 0)


def peer(folder, mine):
    vite = shutil.which('vite')
    if not vite:
        print('vite is not installed: left out')
        return
    path, runs = os.path.join(folder, 'x.paje'), []
    paje(path, LINES, TASKS)
    for _ in range(RUNS):
        empty, began = screen(), time.monotonic()
        process = subprocess.Popen([vite, path], env=dict(session().env, QT_QPA_PLATFORM='xcb'), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        runs.append(at_rest(process.pid, began, lambda: screen() != empty))
        process.terminate()
        process.wait()
    print(f'vite, a Paje trace of {LINES} events: {middle(runs, 0):.2f} s, {middle(runs, 1):.0f} MB: '
          f'{middle(runs, 0) / mine:.1f} times as long', flush=True)


def frames(trace):
    """Frame times while the cursor is dragged, the picture zoomed and moved."""
    w = start(trace, SCOPE_DEBUG='frames')
    at_rest(w.pid, w.began, film_is_complete(w))
    ruler = w.find('slider', 'Time')
    x, y, width, height = ruler.box
    picture = w.find('drawing area', 'Picture of Space-time')
    px, py, pw, ph = picture.box

    def drag(button, x0, y0, x1):
        w.drag(round(x0), round(y0), round(x1), round(y0), button=button, steps=150)

    def zoom():
        for clicks in (12, -12, 12, -6):
            w.scroll(round(px + pw / 2), round(py + ph / 2), clicks)

    for name, act in (('dragging the cursor of the ruler', lambda: drag(1, x + width / 10, y + height / 2, x + width * 9 / 10)),
                      ('zooming', zoom),
                      ('moving the picture', lambda: drag(2, px + pw * 0.8, py + ph / 2, px + pw * 0.3))):
        before = len(w.said())
        act()
        w.wait(lambda: 'frames: ' in w.said()[before:], f'frames of {name} are told', 60)
        at_rest(w.pid, time.monotonic())
        for line in re.findall('frames: (.*)', w.said()[before:]):
            print(f'{name}: {line}', flush=True)
    w.kill()


def playing(trace):
    """To the end as fast as possible with the three views open, beside the run without any."""
    with_views, without = [], []
    for _ in range(RUNS):
        began = time.monotonic()
        subprocess.run([SCOPE, 'run', trace], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=session().env)
        without.append((time.monotonic() - began,))
        w = start(trace)
        at_rest(w.pid, w.began, film_is_complete(w))
        began = time.monotonic()
        w.key('space')
        taken, memory = at_rest(w.pid, began)
        with_views.append((taken, memory))
        w.kill()
    print(f'playing with three views: {middle(with_views, 0):.2f} s, {middle(with_views, 1):.0f} MB: '
          f'{middle(with_views, 0) / middle(without, 0):.2f} times scope run without ({middle(without, 0):.2f} s)', flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'n.trace')
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(TASKS), '--events', str(LINES), '--seed', '1', '-o', trace],
                       check=True, stdout=subprocess.DEVNULL)
        session()
        try:
            mine = first_picture(trace)
            peer(folder, mine)
            frames(trace)
            playing(trace)
        finally:
            session().end()


main()
