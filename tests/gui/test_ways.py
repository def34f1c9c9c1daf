# SPDX-License-Identifier: Apache-2.0
"""What a person goes through between two results: messages, another program, another trace, and what stays meanwhile."""
import os
import re

from harness import SAMPLES, Case, main

PROGRAM = re.compile('^Program: ')


class Ways(Case):
    def opened(self, *words, **more):
        w = self.start(*words, **more)
        w.wait_for('toggle button', PROGRAM, 30)
        return w

    def status(self, w):
        return w.find('status bar', re.compile('^Paused: (?!.* event 0 )'))

    def choose(self, w, what, row):
        """Through the search."""
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type(what)
        w.wait_for('list item', row).click()


class Programs(Ways):
    def test_what_stays(self):
        """Open has its list at the first click; instant, range and selection outlive another program; a program has the name
        of its file; another trace keeps it; it is found again."""
        w = self.opened(SAMPLES + '/fft2d-s16.trace')
        w.wait(lambda: w.find('drawing area', 'Picture of Space-time'), 'the views are there')
        w.settle()
        w.find('toggle button', 'Open').click()
        item = w.wait_for('menu item', 'fft2d-s16.trace')
        w.wait(lambda: item.box[3] > 10 and item.box[1] > 40, 'the list is there at once')
        w.key('Escape')
        w.wait(lambda: not w.find('menu item', 'fft2d-s16.trace'), 'the menu is gone')
        w.settle()
        w.find('slider', 'Time').click(fx=0.6, fy=0.35)
        w.wait(lambda: self.status(w), 'time has passed')
        w.settle()
        at = self.status(w).name
        x, y, width, height = w.find('drawing area', 'Picture of Space-time').box
        w.drag(x + width // 2, y + height // 2, x + width * 3 // 4, y + height // 2)
        pane = w.find('panel', 'Space-time')
        w.wait(lambda: not pane.description.startswith('0.0000'), 'a range is in sight')
        seen = pane.description
        self.choose(w, 'new', re.compile('^New, empty program'))
        w.wait_for('toggle button', 'Program: New program')
        w.wait(lambda: self.status(w) and self.status(w).name == at, 'the instant stays')
        self.assertIsNone(w.find('drawing area', 'Picture of Space-time'))
        mine = self.path('mywaits.eve')
        w.key('ctrl+shift+s')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(mine)
        w.key('Return')
        w.wait_for('toggle button', 'Program: mywaits')
        self.choose(w, 'views of', re.compile('^Views of an execution'))
        w.wait_for('toggle button', 'Program: Views of an execution')
        w.wait(lambda: self.status(w) and self.status(w).name == at, 'the instant stays')
        self.choose(w, 'mywaits', re.compile('^mywaits.eve, program of yours'))
        w.wait_for('toggle button', 'Program: mywaits')
        w.key('ctrl+o')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(SAMPLES + '/ring.trace/ring.tapepvm/events')
        w.key('Return')
        w.wait_gone('file chooser')
        w.wait(lambda: w.find('label', 'ring.trace'), 'the other trace is open')
        w.wait_for('toggle button', 'Program: mywaits')
        self.assertTrue(os.path.exists(mine))
        self.assertTrue(seen)

    def test_messages(self):
        """They move nothing, lie one over another, are told once and go with what they tell of."""
        with open(self.path('bad.eve'), 'w') as f:
            f.write('<eve version="1"><component name="Session" class="scope.session" version="1"/>'
                    '<component name="Reader" class="scope.tapepvm-reader" version="1"/>'
                    '<component name="Gone" class="nobody.knows" version="1"/>'
                    '<wire from="Session" out="commands" to="Reader" in="commands"/></eve>')
        w = self.opened(SAMPLES + '/ring.trace')
        w.settle()
        before = w.find('slider', 'Time').box
        canvas = w.find('canvas').box if w.find('canvas') else None
        self.choose(w, 'open a program', re.compile('^Open a program'))
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(self.path('bad.eve'))
        w.key('Return')
        bar = w.wait_for('info bar', re.compile('nobody.knows'))
        self.assertEqual(w.find('slider', 'Time').box, before)
        self.assertLess(bar.box[1] + bar.box[3], before[1] + before[3])
        if canvas:
            self.assertEqual(w.find('canvas').box, canvas)
        w.key('ctrl+k')         # an edit: what was told is not told again
        w.type('counter')
        w.wait_for('list item', re.compile('(?i)^counter.*add'))
        w.key('Return')
        w.wait(lambda: w.find('toggle button', re.compile('•$')), 'it was changed')
        w.settle()
        self.assertEqual(len(w.find_all('info bar')), 1)
        w.key('ctrl+z')
        w.wait_gone('toggle button', re.compile('•$'))
        self.choose(w, 'views of', re.compile('^Views of an execution'))
        w.wait_for('toggle button', 'Program: Views of an execution')
        w.wait_gone('info bar')         # it was of the other program


if __name__ == '__main__':
    main()
