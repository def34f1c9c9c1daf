# SPDX-License-Identifier: Apache-2.0
"""The scene in three dimensions: who looks at it goes round it by pointer and keys, step by step undone; a click selects what is
nearest to the eye there."""
import os

from harness import ROOT, SAMPLES, Case, main

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


if __name__ == '__main__':
    main()
