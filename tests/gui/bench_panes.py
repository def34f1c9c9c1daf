# SPDX-License-Identifier: Apache-2.0
"""How long frames take while the views of a large trace are dragged, zoomed and panned, and while it is played.

    SCOPE_WINDOW=build/src/scope-window tests/gui/bench_panes.py [LINES [TASKS]]

Prints a line for each, with what the window measured of itself (SCOPE_DEBUG=frames): of what was done between two waits of the
main loop, median, 95th percentile and worst, by the clock and of the processor alone.  16 ms median and 50 ms worst are wanted."""
import os
import subprocess
import sys
import time

import harness

LINES, TASKS = ([int(a) for a in sys.argv[1:3]] + [5000000, 64][len(sys.argv) - 1:])[:2]


class Bench(harness.Case):
    def test_frames(self):
        home = harness.session().home
        trace = os.path.join(home, 'large.trace')
        subprocess.run([harness.SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(TASKS), '--events', str(LINES), '-q', '-o', trace],
                       check=True)
        w = self.start(trace, env={'SCOPE_DEBUG': 'frames'})
        picture = w.wait_for('drawing area', 'Picture of Space-time', 60)
        w.wait(lambda: picture.children, 'the film has begun', 120)
        play = w.wait_for('push button', 'Play', 30).at()
        x, y, width, height = (round(v) for v in picture.box)
        self.measure(w, 'opening, filming', [])
        ruler, middle = y + height - 12, y + height // 2
        way = [(x + 120 + i * 2, i) for i in range(240)]
        self.measure(w, 'cursor dragged', self.drag(way, ruler, 1))
        self.measure(w, 'zoomed', self.wheel(x + width // 2, middle, 60))
        w.scroll(x + width // 2, middle, 8)
        self.measure(w, 'panned', self.drag(way, middle, 2))
        self.measure(w, 'rows zoomed', ['keydown', 'ctrl'] + self.wheel(x + width // 2, middle, 60) + ['keyup', 'ctrl'])
        harness.xdo('mousemove', x + 5, y + 5, 'click', 1, 'key', 'f')
        self.measure(w, 'played', ['mousemove', *play, 'click', 1], 3)

    @staticmethod
    def drag(way, y, button):
        words = ['mousemove', way[0][0], y, 'mousedown', button]
        for x, _ in way:
            words += ['mousemove', x, y, 'sleep', '0.012']
        return words + ['mouseup', button]

    @staticmethod
    def wheel(x, y, n):
        words = ['mousemove', x, y]
        for i in range(n):
            words += ['click', 4 if i // 15 % 2 == 0 else 5, 'sleep', '0.02']
        return words

    def measure(self, w, what, words, rest=1.5):
        """The window prints once it has rested for a second; the longest of what it prints is what was asked for."""
        before = len(w.said())
        if words:
            harness.xdo(*words)
        said = w.wait(lambda: [s for s in w.said()[before:].split('\n') if s.startswith('frames: ')], f'{what}: measured', 120)
        time.sleep(rest)                # more may come
        said = [s for s in w.said()[before:].split('\n') if s.startswith('frames: ')]
        most = max(int(s.split()[1].rstrip(',')) for s in said)
        for s in said:
            if s.split()[1].rstrip(',') == str(most):
                print(f'{what:18} {s[8:]}', flush=True)


if __name__ == '__main__':
    del sys.argv[1:]
    harness.main()
