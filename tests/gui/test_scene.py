# SPDX-License-Identifier: Apache-2.0
"""The scene in three dimensions: who looks at it goes round it by pointer and keys, step by step undone; a click selects what is
nearest to the eye there."""
import math
import os
import re
import sys

from harness import ROOT, SAMPLES, Case, main, xdo

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
from picture import read_gif    # noqa: E402

TRACE = os.path.join(SAMPLES, 'fft2d-s16.trace')


class Scene(Case):
    def shown(self, w):
        """The pixels of the picture, without its edges."""
        x, y, wide, high = (round(v) for v in self.area.box)
        _, _, line, screen = w.pixels()
        return [screen[j * line + 4 * (x + 20):j * line + 4 * (x + wide - 20)] for j in range(y + 50, y + high - 20)]

    def comes_to(self, w, shown, what):
        w.move(700, 30)
        w.wait(lambda: self.shown(w) == shown, what)

    def comes_near(self, w, shown, what):
        """The place of a camera is kept with so many digits: a pixel of an edge may be another."""
        def is_near():
            return sum(a != b for one, other in zip(self.shown(w), shown) for a, b in zip(one, other)) < 0.01 * len(shown) * len(shown[0])
        w.move(700, 30)
        w.wait(is_near, what)

    def leaves(self, w, shown, what):
        """Another picture, that stays."""
        w.move(700, 30)
        w.wait(lambda: self.shown(w) != shown, what)
        w.settle()
        return self.shown(w)

    def test_the_camera_goes_round_and_comes_back(self):
        w = self.start(TRACE, os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'))
        self.area = w.wait_for('drawing area', 'Picture of Scene', 30)
        w.wait_gone('label', 'Shooting', 60)
        w.key('End')
        w.wait(lambda: any(i.name.startswith('fft 1: ') for i in self.area.children), 'it shows the tasks', 30)
        w.move(700, 30)
        w.settle()
        first = self.shown(w)
        x, y, wide, high = self.area.box
        x, y = x + wide / 2, y + high * 0.9
        pictures = [first]
        for what, gesture in (('it is gone round', lambda: w.drag(x, y, x + 120, y - 40)),
                              ('it slides', lambda: w.drag(x, y, x + 60, y - 60, button=2)),
                              ('it is looked at from elsewhere', lambda: w.drag(x, y, x + 30, y, keys=['ctrl'])),
                              ('it is nearer', lambda: w.scroll(x, y, -2))):
            gesture()
            pictures.append(self.leaves(w, pictures[-1], what))
        for k in range(len(pictures) - 2, -1, -1):
            steps = 2 if k == len(pictures) - 2 else 1      # each click of the wheel is a step
            w.key(*['ctrl+z'] * steps)
            self.comes_to(w, pictures[k], f'step {k} is undone')
        disc = next(i for i in self.area.children if i.name.startswith('fft 1: '))
        disc.click()
        w.wait(lambda: [i.name.split(':')[0] for i in self.area.children if i.state('SELECTED')] == ['fft 1'], 'fft 1 is selected')
        w.wait_for('label', 't40003 fft 1')
        self.leaves(w, first, 'it has an outline')

    def test_sides_by_keys_and_what_lies_behind(self):
        w = self.start(TRACE, os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'))
        self.area = w.wait_for('drawing area', 'Picture of Scene', 30)
        w.wait_gone('label', 'Shooting', 60)
        w.key('End')
        w.wait(lambda: any(i.name.startswith('fft 1: ') for i in self.area.children), 'it shows the tasks', 30)
        first = self.leaves(w, None, 'it is there')
        x, y, wide, high = self.area.box
        w.click(x + wide - 30, y + high - 30)                       # where nothing is: the keys go there
        w.key('2')                                                  # from the front: rows stand behind each other
        self.leaves(w, first, 'it is seen from the front')
        chosen = lambda: [i.name.split(':')[0] for i in self.area.children if i.state('SELECTED') and ' → ' not in i.name]
        disc = next(i for i in self.area.children if i.name.startswith('fft '))
        bx, by, bw, bh = disc.box
        w.click(bx + bw / 2, by + bh / 2)
        w.wait(lambda: len(chosen()) == 1, 'one is selected')
        before = chosen()
        w.click(bx + bw / 2, by + bh / 2)
        w.wait(lambda: chosen() != before, 'what lies behind is')
        w.click(x + wide - 30, y + high - 30)
        w.wait(lambda: not any(i.state('SELECTED') for i in self.area.children), 'nothing is selected')
        w.key('ctrl+z')
        self.comes_to(w, first, 'the side is undone')

    def begin(self, w, first='Scene'):
        self.area = w.wait_for('drawing area', f'Picture of {first}', 30)
        w.wait_gone('label', 'Shooting', 60)
        w.key('End')
        w.wait(lambda: any(i.name.startswith('fft 1: ') for i in self.area.children), 'it shows the tasks', 30)
        return self.leaves(w, None, 'it is there')

    def test_who_is_selected_is_moved_by_hand(self):
        w = self.start(TRACE, os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'))
        first = self.begin(w)

        def it(area):
            """None: its picture is just being made anew."""
            return next((i for i in area.children if i.name.startswith('fft 1: ')), None)

        def away(from_x, from_y):
            item = it(self.area)
            box = item.box if item else None
            return math.hypot(box[0] + box[2] / 2 - from_x, box[1] + box[3] / 2 - from_y) if box else math.nan
        graph = w.wait_for('drawing area', 'Picture of State graph')
        bx, by, bw, bh = w.wait(lambda: it(self.area), 'it is there').box
        x, y = bx + bw / 2, by + bh / 2
        w.wait(lambda: it(graph), 'it is there in the plane').click()
        w.wait(lambda: any(i.name.startswith('fft 1: ') and i.state('SELECTED') for i in self.area.children), 'it is selected')
        w.drag(x, y, x + 90, y - 70)
        w.wait(lambda: away(x, y) > 40, 'it stands elsewhere')
        w.settle()
        self.assertNotEqual(self.shown(w), first)
        w.key('ctrl+z')
        w.wait(lambda: away(x, y) < 2, 'and back')

    def test_a_mark_holds_from_where_it_is_seen(self):
        w = self.start(self.copy('fft2d-s16.trace'), os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'))
        first = self.begin(w)
        x, y, wide, high = self.area.box
        w.click(x + wide - 30, y + high - 30)
        w.key('2')                                                  # from the front
        front = self.leaves(w, first, 'it is seen from the front')
        w.key('m')
        w.wait_for('list item', re.compile('Mark Mark 1 at'), 15)
        w.wait_for('push button', 'Edit mark').click()
        w.wait_for('check box', 'Scenes are seen from where they are now').click()
        w.wait_for('push button', 'Save').click()
        w.wait_gone('push button', 'Save', 15)
        w.click(x + wide - 30, y + high - 30)
        w.key('6')                                                  # from above
        self.leaves(w, front, 'it is seen from above')
        w.wait_for('list item', re.compile('Mark Mark 1 at'), 15).click()
        self.comes_near(w, front, 'the mark leads back to where it was seen from')

    def test_several_moves_in_one_gesture(self):
        w = self.start(TRACE, os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'))
        first = self.begin(w)
        x, y, wide, high = self.area.box
        x, y = round(x + wide / 2), round(y + high * 0.9)
        pictures = []
        for key in (None, 'shift'):
            w.move(x, y)
            xdo('mousedown', 1, *[word for i in range(1, 9) for word in ('mousemove', x + 10 * i, y, 'sleep', '0.01')])
            w.served()
            xdo(*(['keydown', key] if key else []), *[word for i in range(1, 9) for word in ('mousemove', x + 80, y - 8 * i, 'sleep', '0.01')])
            w.served()
            xdo('mouseup', 1, *(['keyup', key] if key else []))
            pictures.append(self.leaves(w, first, 'it is moved'))
            w.key('ctrl+z')                                     # one step, however many moves
            self.comes_to(w, first, 'the gesture is undone')
        self.assertNotEqual(*pictures)

    def test_viewpoints_are_kept_and_gone_to(self):
        w = self.start(TRACE, os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'))
        first = self.begin(w)
        x, y, wide, high = self.area.box
        w.drag(x + wide / 2, y + high * 0.9, x + wide / 2 + 120, y + high * 0.9 - 40)
        place = self.leaves(w, first, 'it is gone round')
        w.wait_for('toggle button', 'Camera').click()
        w.wait_for('text', 'Name of this viewpoint').click()
        w.type('my side')
        w.key('Return')
        w.wait_for('push button', 'Viewpoint my side')
        w.wait_for('push button', 'From top').click()
        w.key('Escape')
        top = self.leaves(w, place, 'it is seen from the top')
        w.wait_for('toggle button', 'Camera').click()
        w.wait_for('push button', 'Viewpoint my side').click()
        w.key('Escape')
        self.comes_to(w, place, 'it is seen from the viewpoint')
        w.click(x + wide - 30, y + high - 30)
        w.key('BackSpace')
        self.comes_near(w, top, 'a step back')
        w.key('BackSpace')
        self.comes_near(w, place, 'and another')
        w.key('BackSpace')
        self.comes_near(w, first, 'to the first place')

    def test_scenes_share_a_camera(self):
        with open(os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'), encoding='utf-8') as f:
            text = f.read()
        program = self.path('two.eve')
        begin = text.index('<component name="Scene"')
        own = text[begin:text.index('<wire', begin)]
        wire = next(line for line in text.splitlines() if 'to="Scene"' in line)
        with open(program, 'w', encoding='utf-8') as f:
            other = wire.replace('to="Scene"', 'to="Other"')
            text = text.replace(wire, own.replace('"Scene"', '"Other"') + wire + '\n' + other)
            head = '<component name="Scene" class="scope.scene" version="1" x="660" y="40"'
            f.write(text.replace(head + '/>', head + '><setting name="viewpoints">high: eye 0 -1 9 centre 0 0 0</setting></component>', 1))
        w = self.start(TRACE, program)
        self.begin(w)
        mine, self.area = self.area, w.wait_for('drawing area', 'Picture of Other')
        x, y, wide, high = self.area.box
        w.wait(lambda: next((b for b in w.find_all('toggle button', 'Camera') if b.box and x <= b.box[0] < x + wide and b.box[1] < y + high), None),
               'its pane has the button').click()
        w.wait_for('combo box', 'Camera of').click()
        self.assertIsNone(w.find('push button', 'Viewpoint high'))
        w.key('End', 'Return')
        w.wait_for('push button', 'Viewpoint high')     # the panel that is open tells of the camera that is shared now
        w.key('Escape')
        before = self.leaves(w, None, 'the other is there')
        x, y, wide, high = mine.box
        w.drag(x + wide / 2, y + high * 0.9, x + wide / 2 + 120, y + high * 0.9 - 40)
        moved = self.leaves(w, before, 'the other goes along')
        w.key('ctrl+z')
        self.comes_to(w, before, 'and comes back')
        self.assertNotEqual(moved, before)

    def test_time_goes_on_in_a_file(self):
        w = self.start(TRACE, os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'), size=(900, 700))
        self.begin(w)
        path = self.path('play.gif')
        x, y, wide, high = self.area.box
        w.click(x + wide - 30, y + high - 30)
        w.key('ctrl+e')
        w.wait_for('push button', 'Export')
        w.key('ctrl+a')
        w.type(path)
        w.key('Return')
        w.wait(lambda: os.path.exists(path), 'the file is there', 60)
        pictures, _ = read_gif(path)
        self.assertEqual(len(pictures), 100)
        self.assertNotEqual(pictures[0], pictures[50])

    def test_seen_all_round_in_a_folder_of_pictures(self):
        w = self.start(TRACE, os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'), size=(900, 700))
        self.begin(w)
        path = self.path('round')
        x, y, wide, high = self.area.box
        w.click(x + wide - 30, y + high - 30)
        w.key('ctrl+e')
        w.wait_for('push button', 'Export')
        w.wait_for('combo box', 'Scale').click()
        w.key('Home', 'Return')
        w.wait_for('combo box', 'Kind of file').click()
        w.key('End', 'Return')
        w.key('alt+n', 'ctrl+a')
        w.type(path)
        w.key('Return')
        w.wait(lambda: os.path.isdir(path), 'the folder is there', 60)
        names = sorted(os.listdir(path))
        self.assertEqual(names, [f'round-{n:03}.png' for n in range(1, 73)])
        self.assertNotEqual(*(open(os.path.join(path, names[n]), 'rb').read() for n in (0, 36)))


if __name__ == '__main__':
    main()
