# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of the manual: screenshots.py [FOLDER], docs/pictures by default.  `ninja pictures` runs it.
`screenshots.py TRACE FILE.png` makes one of the window on a trace.

The window as a whole, and each view alone, at 1x and 2x, light and dark, with 4 and with 2000 tasks."""
import os
import re
import subprocess
import sys

import harness
from harness import SAMPLES, SCOPE, Case, Session, session

LOOK = '[scope]\nlook={}\n'
VIEWS = ['Space-time', 'State graph', 'Trace text']


class Pictures(Case):
    def runTest(self):
        pass

    def trace(self, tasks):
        if tasks == 4:
            return os.path.join(SAMPLES, 'fft2d-s16.trace')
        path = os.path.join(session().home, f'{tasks}-tasks.trace')
        if not os.path.exists(path):
            subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(60 * tasks), '--seed', '7',
                            '-o', path], check=True, stdout=subprocess.DEVNULL)
        return path

    def window(self, tasks, look, scale, width, height, folded=False):
        """`folded`: as who has just installed it sees it; else with the program on its canvas."""
        with open(os.path.join(session().env['XDG_STATE_HOME'], 'scope', 'window'), 'w') as f:
            f.write('' if folded else '[shell]\nprogram-folded=false\n')
        folder = os.path.join(session().env['XDG_CONFIG_HOME'], 'scope')
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, 'preferences'), 'w') as f:
            f.write(LOOK.format(look))
        w = self.start(self.trace(tasks), scale=scale, size=(width * scale, height * scale))
        w.wait_for('toggle button', re.compile('^Program: '), 60)
        w.settle()
        w.wait_gone('label', re.compile('^Shooting'), 120)
        w.find('slider', 'Time').click(fx=0.6 if tasks == 4 else 0.883, fy=0.35)     # where there is something to see
        w.wait_gone('label', 'Before the first event', 60)
        w.move(2050, 1350)
        w.settle(1)
        return w

    def close(self, w):
        w.kill()
        w.log.close()

    def shot(self, w, item, name):
        x, y, width, height = item.box
        w.screenshot(os.path.join(self.to, name + '.png'), (max(x, 0), max(y, 0), width, height))
        print(name, flush=True)

    def one(self, trace, path):
        """The window as it opens on a trace, in the middle of the execution."""
        w = self.start(trace, size=(1440, 900))
        w.wait_for('toggle button', re.compile('^Program: '), 60)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.find('slider', 'Time').click(fx=0.5, fy=0.35)
        w.wait_gone('label', 'Before the first event', 60)
        w.move(2050, 1350)
        w.settle()
        w.screenshot(path, w.frame.box)

    def shelf(self):
        """With a part, two components and a program on it."""
        schemas = os.path.join(harness.ROOT, 'schemas', 'tapepvm')
        path = os.path.join(session().env['XDG_DATA_HOME'], 'scope', 'shelf')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as f:
            f.write('\n'.join([os.path.join(schemas, 'parts', 'who-waits.eve'), 'scope.gate', 'scope.histogram',
                               os.path.join(schemas, 'look-closer.eve')]) + '\n')
        w = self.window(4, 'light', 1, 1440, 900)
        x, y, width, height = w.wait_for('list box', 'Shelf').box
        w.screenshot(os.path.join(self.to, 'shelf.png'), (x, y - 25, width, height + 30))     # with its title
        print('shelf', flush=True)
        self.close(w)
        os.remove(path)

    def all(self, to):
        self.to = to
        os.makedirs(to, exist_ok=True)
        for look, tasks in (('light', 4), ('dark', 4), ('light', 2000)):
            w = self.window(tasks, look, 1, 1440, 900, folded=look == 'light')
            self.shot(w, w.frame, f'window-{look}-{tasks}')
            self.close(w)
        self.shelf()
        for look, scale, tasks in (('light', 1, 4), ('light', 2, 4), ('dark', 1, 4), ('light', 1, 2000), ('dark', 2, 2000)):
            w = self.window(tasks, look, scale, 1000, 640)
            for key in ('F9', 'F10', 'F8'):
                w.key(key)
            for view in VIEWS:
                pane = w.wait_for('drawing area', 'Picture of ' + view)
                pane.click(fx=0.05, fy=0.05)
                w.key('Escape', 'Escape', 'ctrl+m')      # the card of what was clicked at, then what that selected
                w.move(2050, 1350)
                w.wait(lambda p=view: w.find('drawing area', 'Picture of ' + p).box[2] > 900 * scale, f'{view} has all the room')
                w.settle(1)
                self.shot(w, w.find('drawing area', 'Picture of ' + view),
                          f'{view.lower().replace(" ", "-")}-{look}-{scale}x-{tasks}')
                w.key('ctrl+m')
                w.settle()
            self.close(w)


def main():
    if len(sys.argv) > 1 and sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    to = sys.argv[1] if len(sys.argv) > 1 else os.path.join(harness.ROOT, 'docs', 'pictures')
    harness._session = Session(2100, 1400)
    pictures = Pictures()
    try:
        pictures.setUp()
        if len(sys.argv) > 2:
            pictures.one(*sys.argv[1:3])
        else:
            pictures.all(to)
    finally:
        pictures.doCleanups()
        session().end()


main()
