# SPDX-License-Identifier: Apache-2.0
"""What is drawn over a view by hand: it is kept with the mark of the instant, seen at this instant alone, goes along when the view is
zoomed, is taken back, and is in the report."""
import glob
import os
import re
import subprocess
import xml.etree.ElementTree as ET

from harness import SCOPE, Case, main, session
from test_view_menu import PROGRAM

STOP = 'Drawing over it: press to stop'
RED = (0xe0, 0x1b, 0x24)


class Strokes(Case):
    def opened(self, trace):
        with open(self.path('two.eve'), 'w') as f:
            f.write(PROGRAM)
        w = self.start(trace, self.path('two.eve'))
        w.wait_for('push button', 'Play', 30)
        w.key('F8')
        self.view = w.wait(lambda: w.find('drawing area', 'Picture of Lanes'), 'the view is there', 30)
        w.settle()
        return w

    def command(self, w, words):
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type(words)
        w.wait(lambda: (w.find('list box', 'Found') or w).children and w.find('list box', 'Found').children[0].name.lower().startswith(words), f'{words} is found')
        w.key('Return')
        w.wait_gone('text', 'Find')

    def go(self, w, event):
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type(str(event))
        w.wait(lambda: any(i.name.startswith(f'Event {event},') for i in w.find('list box', 'Found').children[:1]), 'it is found')
        w.key('Return')
        w.wait(lambda: f'event {event} of' in w.find('push button', 'Present').description, f'event {event} is the present', 30)

    def red(self, w, x, y):
        return any(w.colour(x + dx, y + dy) == RED for dx in range(-3, 4) for dy in range(-3, 4))

    def drawn(self, trace):
        """Shapes and points of each file, as another reader of XML finds them."""
        found = []
        for file in glob.glob(os.path.join(trace, 'marks', 'drawing-*.svg')):
            root = ET.parse(file).getroot()
            found += [(root.get('data-view'), p.get('data-shape'), [float(x) for x in p.get('data-points').split()])
                      for p in root if p.get('data-shape')]
        return found

    def test_drawn(self):
        trace = self.copy('ring.trace')
        w = self.opened(trace)
        self.go(w, 200)
        self.view.click(fx=0.97, fy=0.5)
        self.assertIsNone(w.find('toggle button', STOP))
        self.command(w, 'draw an arrow over the view')
        w.wait(lambda: w.find('toggle button', STOP) and w.find('toggle button', STOP).state('checked'), 'the title says that drawing is on')
        (x0, y0), (x1, y1) = self.view.at(0.35, 0.35), self.view.at(0.65, 0.6)
        w.drag(x0, y0, x1, y1)
        middle = (x0 + x1) // 2, (y0 + y1) // 2
        w.wait(lambda: len(self.drawn(trace)) == 1 and self.red(w, *middle), 'it is drawn and kept')
        (view, shape, points), = self.drawn(trace)
        self.assertEqual((view, shape, len(points)), ('Lanes', 'arrow', 4))
        self.assertTrue(0 < points[0] < points[2] < 1 and 0 < points[1] < points[3] < 1, points)
        mark, = ET.parse(os.path.join(trace, 'marks.xml')).getroot()
        self.assertRegex(mark.find('notes').text, r'^!\[Lanes\]\(marks/drawing-[0-9a-f]{12}\.svg\)$')
        # A second stroke, by hand; it goes along with the dates, and is of this instant alone.
        self.command(w, 'draw over the view by hand')
        w.drag(*self.view.at(0.4, 0.8), *self.view.at(0.6, 0.8))
        w.wait(lambda: [s for _, s, _ in self.drawn(trace)] == ['arrow', 'freehand'], 'there are two')
        self.go(w, 400)
        w.wait(lambda: not self.red(w, *middle), 'it is not of this instant')
        w.key('ctrl+Left')
        w.wait(lambda: self.red(w, *middle), 'it is there again')
        # Where it is then, worked out from the file and from the range that the title tells.
        width = (x1 - x0) / (points[2] - points[0])
        left = x0 - points[0] * width
        root = ET.parse(glob.glob(os.path.join(trace, 'marks', 'drawing-*.svg'))[0]).getroot()
        begin, end = float(root.get('data-from')), float(root.get('data-to'))
        w.key('plus')

        def gone_along():
            told = next(p.description for p in w.find_all('panel', 'Lanes') if '–' in p.description)
            new = [float(x) for x in re.findall(r'[\d.]+', told.replace('\u202f', ''))][:2]
            date = begin + (points[0] + points[2]) / 2 * (end - begin)
            x = round(left + (date - new[0]) / (new[1] - new[0]) * width)
            return new[1] - new[0] < 0.9 * (end - begin) and self.red(w, x, middle[1]) and not self.red(w, *middle)
        w.wait(gone_along, 'it has gone along')
        w.key('f')
        w.wait(lambda: self.red(w, x0, y0), 'as before')
        page = self.path('page.html')
        subprocess.run([SCOPE, 'marks', trace, 'export', page, '--program', self.path('two.eve')], check=True, env=session().env,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(page) as f:
            overlays = re.findall(r'<svg [^>]*position:absolute.*?</svg>', f.read())
        self.assertEqual([o.count('<path') for o in overlays], [2])
        w.find('toggle button', STOP).click()
        w.wait_gone('toggle button', STOP)
        w.wait(lambda: w.find('toggle button', re.compile('^Inspect: ')).state('checked'), 'a drag selects a range again')
        # Taken back, one after the other; then nothing of it is left.
        for left in (1, 0):
            self.command(w, 'take the last back')
            w.wait(lambda: len(self.drawn(trace)) == left, f'{left} are left')
        w.wait(lambda: not self.red(w, *middle), 'nothing is seen of it')
        self.assertEqual(glob.glob(os.path.join(trace, 'marks', '*')), [])
        mark, = ET.parse(os.path.join(trace, 'marks.xml')).getroot()
        self.assertIsNone(mark.find('notes'))

    def test_damaged(self):
        trace = self.copy('ring.trace')
        os.mkdir(os.path.join(trace, 'marks'))
        with open(os.path.join(trace, 'marks', 'drawing-1.svg'), 'w') as f:
            f.write('<svg xmlns="http://www.w3.org/2000/svg" data-scope-drawing="1" data-view="Lanes"><path data-shape="star" data-points="1 2"/></svg>')
        subprocess.run([SCOPE, 'marks', trace, 'add', 'here', '--at', '0.05', '--note', '![Lanes](marks/drawing-1.svg)'], check=True, env=session().env)
        w = self.opened(trace)
        self.go(w, 30)
        w.key('ctrl+Home', 'ctrl+Right')
        w.wait_for('label', re.compile('^the drawing marks/drawing-1.svg is not shown: '), 30)


if __name__ == '__main__':
    main()
