# SPDX-License-Identifier: Apache-2.0
"""The window in little room, and with the size of text that the desktop wants."""
import os
import re

from harness import ROOT, Atspi, Case, main, session, xdo

PROGRAM = re.compile('^Program: ')


class Size(Case):
    def setUp(self):
        super().setUp()
        self.trace = self.copy('fft2d-s16.trace')       # marks are made

    def opened(self, **more):
        w = self.start(self.trace, **more)
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        return w

    def box(self, w, name):
        """The size of a box of the program at the natural size."""
        w.key('F4', 'ctrl+0')
        w.settle()
        return w.wait(lambda: w.find('canvas', 'Program').find('panel', name), 'the box').box

    @staticmethod
    def tool(w):
        """How wide a button with an icon is."""
        return w.wait_for('toggle button', re.compile('^Inspect: ')).box[2]

    def row(self, w):
        return w.wait(lambda: w.find('drawing area', 'Picture of Space-time').find('list item', re.compile('^t40003')),
                      'a row of the diagram')

    def test_text_size(self):
        """What is painted follows GDK_DPI_SCALE and a larger font of the desktop, and is still where the pointer finds it."""
        usual = self.opened()
        ruler, box, tool = usual.find('slider', 'Time').box, self.box(usual, 'Reader'), self.tool(usual)
        usual.quit()
        folder = os.path.join(session().env['XDG_CONFIG_HOME'], 'scope')
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, 'preferences'), 'w') as f:       # one of the three sizes of the preferences
            f.write('[scope]\ntext-size=large\n')
        w = self.opened()
        self.assertAlmostEqual(self.box(w, 'Reader')[2] / box[2], 1.25, delta=0.05)
        w.quit()
        os.remove(os.path.join(folder, 'preferences'))
        settings = os.path.join(session().home, 'config_home', 'gtk-3.0', 'settings.ini')
        for env, font in (({'GDK_DPI_SCALE': '1.5'}, 'Sans 10'), ({}, 'Sans 15')):
            with open(settings, 'w') as f:
                f.write(f'[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\ngtk-xft-dpi=98304\ngtk-font-name={font}\n')
            w = self.opened(env=env)
            larger = self.box(w, 'Reader')
            # the ruler is a low one now: there are but 667 px of the usual size
            self.assertAlmostEqual(w.find('slider', 'Time').box[3] / ruler[3], 1.5 * 70 / 93, delta=0.03, msg=f'{env} {font}')
            for i in (2, 3):
                self.assertAlmostEqual(larger[i] / box[i], 1.5, delta=0.05)
            self.assertEqual(self.tool(w) - tool, 6)    # its icon has 24 px in place of 16, for which there were 18
            row = self.row(w)
            row.click(fx=0.5)
            w.wait(lambda: self.row(w).state('selected') and w.find('label', re.compile('40003')), 'the row is selected')
            w.find('drawing area', 'Picture of Space-time').hover(fx=0.5, fy=0.5)
            w.quit()

    def test_sizes_of_type(self):
        """Style sheets have three: of text, of what is said beside it, of the title of the first page; none is in px."""
        sizes = set()
        for sheet in ('style.css', 'flat.css'):
            with open(os.path.join(ROOT, 'src', 'window', sheet), encoding='utf-8') as f:
                sizes |= set(re.findall(r'font-size:\s*([^;]+);', f.read()))
        self.assertEqual(len(sizes), 3, sizes)
        self.assertTrue(all(size.endswith('rem') for size in sizes))

    def test_little_room(self):
        """900 x 600 and half of 1366 x 768: all that is there is on the screen, a side comes when it is asked for."""
        w = self.opened(size=(900, 600))
        library, side = ('text', 'Search components'), ('scroll pane', 'Inspector, legend and marks')
        for width, height in ((900, 600), (683, 768)):
            w.resize(width, height)
            w.wait(lambda: w.frame.box[2] == width and w.frame.box[3] == height, 'it is no larger than asked for')
            one = width == 900
            w.wait(lambda: bool(w.find(*side)) == one and not w.find(*library), 'sides as there is room')
            w.settle()
            self.assertGreater(w.find('toggle button', PROGRAM).box[2], 130)        # its name can be told
            for item in w.frame.all():
                x, y, wide, high = item.box
                if item.showing and item.role in ('push button', 'toggle button', 'slider'):
                    self.assertTrue(x >= -1 and x + wide <= width + 1 and y + high <= height + 1, f'{item} is on the screen')
            w.key('F9')
            w.wait(lambda: w.find(*library) and not w.find(*side), 'the library, in place of the inspector')
            w.key('F10')
            w.wait(lambda: w.find(*side) and not w.find(*library), 'the inspector, in place of the library')
            if not one:
                w.key('F10')
                w.wait(lambda: not w.find(*side), 'neither')
            w.wait(lambda: w.find('drawing area', 'Picture of Space-time').box[2] > 150, 'the picture has room')
        w.resize(1600, 1000)
        w.wait(lambda: w.find(*side) and w.find(*library), 'both, as there is room')
        w.resize(683, 768)          # at once, as desktops put a window into half of the screen
        w.wait(lambda: w.frame.box[2] == 683 and not w.find(*side), 'it gives way although both sides were there')

    def test_tables_use_their_room(self):
        """Columns of tables come closer before one is left out, and what leads to the others takes no room from them."""
        trace, program = os.path.join(ROOT, 'traces', 'mpi-waits.otf2'), os.path.join(ROOT, 'schemas', 'messages', 'waits.eve')
        w = self.start(trace, program, size=(1440, 900))
        if w.wait(lambda: w.find('label', re.compile('No format')) or w.find('toggle button', PROGRAM), 'it is open', 60).role == 'label':
            self.skipTest('built without libotf2')
        for key in ('F9', 'ctrl+e'):
            w.key(key)          # views have the room
        w.wait_gone('label', re.compile('^Shooting'), 60)

        def heads(view):
            picture = w.find('drawing area', 'Picture of ' + view)
            return [i.name for i in picture.children if i.name.startswith('column ')] if picture else []
        w.wait(lambda: len(heads('Root causes')) == 6 and len(heads('Kinds of wait')) >= 5, 'there is room for them', 60)
        for size in ((1440, 900), (900, 600)):
            w.resize(*size)
            w.wait(lambda: w.frame.box[2] == size[0], 'it has the size')
            w.wait(lambda: len(heads('Kinds of wait')) >= (5 if size[0] > 900 else 2) and 'column waited' in heads('Kinds of wait'),
                   f'{size}: most have room, and the one that sorts')
            picture = w.find('drawing area', 'Picture of Kinds of wait')
            w.wait(lambda: all(i.box[0] + i.box[2] <= picture.box[0] + picture.box[2] for i in picture.children if i.name.startswith('column ')),
                   'each is inside of the picture')

    def test_range_in_little_room(self):
        """The side, where the story stands, comes when the pointer lets go: what is dragged in does not shrink under it."""
        w = self.opened(size=(683, 768))
        w.resize(683, 768)
        w.wait(lambda: w.frame.box[2] == 683, 'half of a small screen')
        side, picture = ('scroll pane', 'Inspector, legend and marks'), w.wait_for('drawing area', 'Picture of Space-time')
        w.wait(lambda: not w.find(*side), 'there is no room for the side')
        w.settle()
        x, y, width, height = before = picture.box
        self.row(w).click(fx=0.5)
        xdo('mousemove', x + width // 2, y + height - 60, 'mousedown', 1, 'mousemove', x + width // 2 + 20, y + height - 60,
            'mousemove', x + width // 2 + 60, y + height - 60)
        w.settle()
        self.assertEqual(picture.box, before)
        self.assertIsNone(w.find(*side))
        xdo('mouseup', 1)
        w.wait(lambda: w.find(*side) and w.find('panel', 'Range') or w.find('filler', 'Range'), 'its story is told')
        w.wait(lambda: picture.box[2] < width, 'the side has taken its room')
        w.wait(lambda: 240 < w.find(*side).box[2] < 300, 'and no more than that')
        # The share of the plot that was dragged over, of what it shows.
        self.assertTrue(0.04 < self.seconds(w) < 0.07, self.seconds(w))

    @staticmethod
    def seconds(w):
        """How long the range is that is selected."""
        said = next(i.name for i in w.find_all('label') if re.match(r'^[\d.\u202f]+ – [\d.\u202f]+', i.name))
        number, unit = re.search(r'· ([\d.\u202f]+)\s(ms|s)$', said.replace('\u2009', ' ')).groups()
        return float(number.replace('\u202f', '')) * (1e-3 if unit == 'ms' else 1)

    def test_names_in_little_room(self):
        """Half of a small screen with text half as large again: tools go before the name of a view is cut, and the window's own
        buttons leave room for what is open."""
        wide = self.opened(size=(1600, 1000), env={'GDK_DPI_SCALE': '1.5'})
        program = wide.wait_for('toggle button', PROGRAM).box[2]
        wide.quit()
        w = self.opened(size=(683, 768), env={'GDK_DPI_SCALE': '1.5'})
        w.resize(683, 768)
        w.wait(lambda: w.frame.box[2] == 683, 'half of a small screen')
        w.settle()
        title = w.find('label', 'fft2d-s16.trace')
        letters = [Atspi.Text.get_character_extents(title.node.get_text_iface(), i, Atspi.CoordType.SCREEN).width for i in range(len(title.name))]
        self.assertGreater(min(letters), 0, 'the whole name of the trace: what is cut has no width')
        self.assertGreaterEqual(w.find('toggle button', PROGRAM).box[2], program - 12, 'that of the program: less room is round it only')
        pane = next(p for p in w.find_all('panel', 'State graph') if p.find('push button', 'More'))
        tools = [i for i in pane.find_all() if i.role in ('push button', 'toggle button') and i.box[1] < pane.box[1] + 40]
        self.assertGreaterEqual(min(i.box[0] for i in tools) - pane.box[0], 120, 'the name has its room')
        self.assertTrue(any(i.name == 'More' for i in tools), 'the menu has what went')
        # What happens is read, not when: the disc of a task's colour, before the sentence, is at the left.
        line = w.wait(lambda: w.find('drawing area', 'Picture of Trace text').find('list item', re.compile('pvm_mytid')), 'a line').box
        row = [w.colour(x, line[1] + line[3] // 2) for x in range(line[0], line[0] + line[2])]
        self.assertLess(next(i for i, c in enumerate(row) if max(c) - min(c) > 60), 20)

    def test_messages_in_little_room(self):
        """An answer is read to its last letter.  Where there is no side it lies over the views until one goes on there; then it
        is a button of the time bar, and a side that comes takes it to its foot, off the buttons of the range."""
        w = self.opened(size=(900, 600))
        w.move(500, 450)        # where an answer over the views would be: at the foot of the side it is not in the way
        w.key('ctrl+alt+q')
        w.wait_for('list item', re.compile('who waits for whom'))
        w.key('Return')         # it is the first
        answer = w.wait(lambda: next((i for i in w.find_all('label') if re.match('Why does it take.* waiting', i.name)), None), 'it is answered', 60)
        side = ('scroll pane', 'Inspector, legend and marks')

        def whole():
            text, (x, y, wide, high) = answer.node.get_text_iface(), answer.box
            ends = [Atspi.Text.get_character_extents(text, len(answer.name) - i, Atspi.CoordType.SCREEN) for i in (2, 1)]
            return ends[0].x < ends[1].x < x + wide and ends[1].y + ends[1].height <= y + high + 1
        w.wait(whole, 'all of it is seen')
        w.wait(lambda: answer.box[0] > w.find(*side).box[0], 'it is in the side')
        w.key('F10')
        w.wait(lambda: not w.find(*side) and answer.box[2] > 300, 'it lies over the views')
        w.wait(whole, 'all of it is seen')
        w.wait(lambda: w.find('drawing area', 'Picture of Kinds of wait'), 'a table').click(fx=0.1, fy=0.9)
        button = w.wait_for('push button', '1 note')
        self.assertFalse(answer.showing)
        bar = w.find('status bar').box
        self.assertTrue(bar[1] <= button.box[1] < bar[1] + bar[3], 'it is in the time bar')
        button.click()
        w.wait(lambda: answer.showing and not w.find('push button', '1 note'), 'it is back')
        self.row(w).click(fx=0.5)
        w.wait_for('push button', '1 note')
        w.key('r')              # the range that the view shows
        w.wait(lambda: answer.showing and answer.box[0] > w.find(*side).box[0], 'it is at the foot of the side')
        for name in ('Closer', 'Keep', 'Mark', 'CSV…'):
            w.wait(lambda: w.find('push button', name).box[1] + w.find('push button', name).box[3] < answer.box[1], f'{name} is above it')

    def test_ruler(self):
        """The ruler is zoomed and moved by wheel, key and menu; a click then goes to the date that is shown there."""
        w = self.opened()
        ruler = w.find('slider', 'Time')
        now = lambda: ruler.value
        ruler.click(fx=0.5, fy=0.4)
        w.wait(lambda: abs(now() - 0.1315) < 0.002, 'the middle')
        x, y = ruler.at(0.5, 0.4)
        w.scroll(x, y, 6)                       # 1.25^6 = 3.8 times closer about the middle
        w.settle()
        ruler.click(fx=0.9, fy=0.4)
        # 0.4 of the width from the middle, of 0.2631 s / 3.8
        w.wait(lambda: abs(now() - (0.1315 + 0.4 * 0.2631 * 1.02 / 1.25 ** 6)) < 0.004, 'a click counts in what is shown')
        ruler.click(button=3, fx=0.3, fy=0.4)
        w.wait_for('menu item', 'The whole execution (F)').click()
        w.settle()
        ruler.click(fx=0.9, fy=0.4)
        w.wait(lambda: abs(now() - 0.9 * 0.2631) < 0.006, 'all of it again')
        ruler.click(button=3, fx=0.25, fy=0.4)
        w.wait_for('menu item', 'Mark this instant').click()
        w.wait_for('label', re.compile('^mark|^0.06'))
        w.key('F6')


if __name__ == '__main__':
    main()
