#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A monkey at the window: pointer, keys, wheel, drags, menus, edits, play and travel at random.  It must not crash, hang
or complain; what it does last is told when it does.

SCOPE_MONKEY_SECONDS: how long, in place of 480 deeds, which are the same on each machine; SCOPE_MONKEY_SEED: which monkey (1)."""
import os
import random
import shutil
import time

from harness import Case, SAMPLES, main, xdo

SECONDS = float(os.environ.get('SCOPE_MONKEY_SECONDS', '0'))
DEEDS, IN_A_WINDOW = 480, 160
SEED = int(os.environ.get('SCOPE_MONKEY_SEED', os.environ.get('SCOPE_SEED', '1')))
TRACES = ['farm.trace', 'ring.trace', 'fft2d-s16.trace', 'philosophers.trace']
KEYS = ['space', 'Return', 'Escape', 'Escape', 'Tab', 'shift+Tab', 'Delete', 'BackSpace', 'Home', 'End', 'Left', 'Right',
        'Up', 'Down', 'Prior', 'Next', 'F1', 'F2', 'F3', 'F5', 'F6', 'shift+F6', 'F8', 'F9', 'F10', 'shift+F10', 'F11', 'Menu',
        'plus', 'minus', 'slash', 'at', 'a', 'd', 'g', 'm', 'x', '1', '0', 'period', 'comma', 'shift+F1', 'ctrl+0',
        'ctrl+alt+f', 'ctrl+alt+s', 'ctrl+shift+c', 'ctrl+shift+g', 'ctrl+shift+p', 'ctrl+shift+z', 'ctrl+y', 'ctrl+Left',
        'ctrl+Right', 'ctrl+comma', 'ctrl+a', 'ctrl+c', 'ctrl+d', 'ctrl+e', 'ctrl+f', 'ctrl+g', 'ctrl+k', 'ctrl+l', 'ctrl+m',
        'ctrl+minus', 'ctrl+plus', 'ctrl+s', 'ctrl+v', 'ctrl+x', 'ctrl+z', 'ctrl+z', 'ctrl+question', 'alt+Left', 'alt+Return']
WORDS = ['gate', 'merge', 'hist', '0.01', '7-8', '1e308', '@mark', '#100', '%', '<&>', 'Busy', 'count > 3', '"', 'nan', '99999999999']


def deeds(r):
    """Some words of xdotool: one thing that a hand does."""
    x, y = r.randrange(1600), r.randrange(1000)
    kind = r.random()
    if kind < 0.15:
        return ['mousemove', x, y]
    if kind < 0.40:
        return ['mousemove', x, y, 'click', r.choice([1, 1, 1, 1, 2, 3])]
    if kind < 0.45:
        return ['mousemove', x, y, 'click', '--repeat', 2, '--delay', 20, 1]
    if kind < 0.55:
        words = ['mousemove', x, y, 'mousedown', r.choice([1, 1, 1, 2])]
        button = words[-1]
        for _ in range(r.randrange(2, 8)):
            words += ['mousemove', min(max(x + r.randrange(-400, 400), 0), 1599), min(max(y + r.randrange(-300, 300), 0), 999), 'sleep', '0.01']
        return words + ['mouseup', button]
    if kind < 0.65:
        wheel = ['mousemove', x, y, 'click', '--repeat', r.randrange(1, 6), '--delay', 5, r.choice([4, 5, 6, 7])]
        return ['keydown', 'ctrl', *wheel, 'keyup', 'ctrl'] if r.random() < 0.4 else wheel
    if kind < 0.95:
        return ['key', r.choice(KEYS)]
    return ['type', '--delay', 3, r.choice(WORDS)]


class Monkey(Case):
    def test_monkey(self):
        r = random.Random(SEED)
        did = []
        end = time.monotonic() + SECONDS
        starts = count = 0
        try:
            while time.monotonic() < end if SECONDS else count < DEEDS:
                trace = r.choice(TRACES)
                starts += 1
                w = self.start(self.copy_as(trace, starts))
                until, most = min(end, time.monotonic() + max(SECONDS / 4, 20)), min(DEEDS, count + IN_A_WINDOW)
                while (time.monotonic() < until if SECONDS else count < most) and w.process.poll() is None:
                    for _ in range(8):
                        did.append(deeds(r))
                        count += 1
                        xdo(*did[-1])
                    # it answers: its accessibility tree is told by the thread that draws
                    w.wait(lambda: w.process.poll() is not None or w.frames, f'the window answers (seed {SEED})', 40)
                w.expected_end = True       # closed by a key or a menu: well, if its status is 0
                self.assertIn(w.process.poll(), (None, 0), w.said()[-8000:])
                if w.process.poll() is None:
                    w.process.terminate()
                    self.assertEqual(w.process.wait(60), 0, w.said()[-8000:])
        except AssertionError:
            print(f'seed {SEED}; the last deeds:', *did[-40:], sep='\n  ')
            raise
        print(f'{count} deeds of monkey {SEED} in {starts} windows')

    def copy_as(self, name, number):
        to = self.path(str(number), name)
        shutil.copytree(os.path.join(SAMPLES, name), to)
        return to


if __name__ == '__main__':
    main()
