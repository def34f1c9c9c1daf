# SPDX-License-Identifier: Apache-2.0
"""The shelf below the library: things are dragged onto it and from it, put there by keys and by actions, and are there next time."""
import os
import re
import shutil
import subprocess
import sys

from harness import ROOT, ByReader, main, session
from test_editor import Editor

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'drag_source.py')


class Shelf(Editor, ByReader):
    def kept(self):
        """What the file of the shelf holds."""
        path = os.path.join(session().env['XDG_DATA_HOME'], 'scope', 'shelf')
        if not os.path.exists(path):
            return []
        with open(path) as f:
            return [line.strip() for line in f if line.strip() and not line.startswith('#')]

    @staticmethod
    def rows(w):
        return w.find('list box', 'Shelf').children

    def on_shelf(self, w, *names):
        return w.wait(lambda: [i.name for i in self.rows(w)] == list(names) and self.rows(w), f'the shelf holds {names}')

    def onto(self, w, item):
        """The list may move when its first row comes: the place is asked for each time."""
        w.settle()
        x, y = item.at()
        w.drag(x, y, *w.find('list box', 'Shelf').at(0.5, 0.3), steps=25)

    def test_components(self):
        w = self.opened(self.PROGRAM)
        self.onto(w, self.in_library(w, 'Gate'))
        row = self.on_shelf(w, 'Gate')[0]
        self.assertEqual(self.kept(), ['scope.gate'])
        w.settle()
        row.drag_to(self.empty_place(w))
        self.there(w, 'Gate')
        # By keys: from the library, moved, added, taken off.
        self.in_library(w, 'Merge').click()
        w.key('Menu')
        w.wait_for('menu item', 'Put on the shelf').click()
        self.on_shelf(w, 'Gate', 'Merge')
        w.key('shift+F9')
        w.wait(lambda: self.rows(w)[0].state('focused'), 'the shelf has the keys')
        w.key('Down')
        w.wait(lambda: self.rows(w)[1].state('focused'), 'the second')
        w.key('alt+Up')
        self.on_shelf(w, 'Merge', 'Gate')
        w.wait(lambda: self.rows(w)[0].state('focused'), 'the keys go along')
        w.key('Return')
        self.there(w, 'Merge')
        w.key('shift+F9')
        w.wait(lambda: self.rows(w)[0].state('focused'), 'the shelf has the keys again')
        w.key('Delete')
        self.on_shelf(w, 'Gate')
        self.assertEqual(self.kept(), ['scope.gate'])
        w.kill()
        w = self.opened(self.PROGRAM)       # the next time
        self.on_shelf(w, 'Gate')
        # What another window or Scope changes is seen; a class that is gone is told, and can be taken off.
        with open(os.path.join(session().env['XDG_DATA_HOME'], 'scope', 'shelf'), 'w') as f:
            f.write('test.gone\nscope.gate\n')
        rows = self.on_shelf(w, 'test.gone', 'Gate')
        self.assertIn('There is no component test.gone here', rows[0].description)
        rows[0].click(button=3)
        w.wait_for('menu item', 'Take off the shelf').click()
        self.on_shelf(w, 'Gate')

    def test_parts(self):
        w = self.opened(self.PROGRAM)
        self.box(w, 'Series').click()
        w.key('F4')
        w.click(*self.box(w, 'Limit').at(), keys=['shift'])
        w.wait(lambda: self.box(w, 'Limit').state('selected') and self.box(w, 'Series').state('selected'), 'two are selected')
        before = self.box(w, 'Series').box
        self.onto(w, self.box(w, 'Series'))
        row = self.on_shelf(w, 'Series')[0]
        part = os.path.join(session().env['XDG_DATA_HOME'], 'scope', 'parts', 'Series.eve')
        self.assertEqual(self.kept(), [part])
        self.assertEqual(self.box(w, 'Series').box, before)     # they stay where they are
        w.settle()
        row.drag_to(self.empty_place(w))
        w.wait(lambda: len(self.names(w)) == 8, 'the part is there, folded')
        w.key('F4', 'ctrl+z')
        w.wait(lambda: len(self.names(w)) == 7, 'undone')
        # By a key; the second has a name of its own.
        self.box(w, 'Series').click()
        w.key('ctrl+alt+p')
        self.on_shelf(w, 'Series', 'Series 2')
        w.wait(lambda: w.find('label', re.compile('Series 2 is on the shelf: 1 box')), 'it is told')

    def test_programs_and_files(self):
        w = self.opened(self.PROGRAM)
        other = self.path('other.eve')
        with open(other, 'w') as f:
            f.write(self.PROGRAM.replace('<title>Numbers</title>', '<title>The other</title>').replace('Counter', 'Counted'))
        text = self.path('notes.txt')
        with open(text, 'w') as f:
            f.write('no program\n')
        source = subprocess.Popen([sys.executable, SOURCE, '1480', '300', other, text], env=session().env, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(source.stdout.readline(), 'ready\n')
            w.settle()
            w.drag(1520, 340, *w.find('list box', 'Shelf').at(0.5, 0.3), steps=30)
            rows = self.on_shelf(w, 'The other')
        finally:
            source.terminate()
            source.wait()
            source.stdout.close()
        w.wait(lambda: w.find('label', re.compile('notes.txt is no component, part or program')), 'what is none is refused')
        self.assertEqual(self.kept(), [other])
        w.settle()
        rows[0].drag_to(self.empty_place(w))        # opened, since it is a program of its own
        self.there(w, 'Counted')
        self.gone(w, 'Counter')
        # By a command, and opened by an action alone.
        shutil.copy(os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve'), self.path('mine.eve'))
        w.kill()
        w = self.start(os.path.join(ROOT, 'traces', 'ring.trace'), self.path('mine.eve'))
        w.wait_for('list box', 'Shelf', 30)
        self.choose(w, 'Put this program on the shelf', re.compile('Put this program on the shelf'))
        rows = w.wait(lambda: len(self.rows(w)) == 2 and self.rows(w), 'it lies there too')
        self.assertEqual(self.kept(), [other, self.path('mine.eve')])
        w.wait(lambda: self.rows(w)[0].action('activate'), 'its action')
        self.there(w, 'Counted')

    def test_a_file_that_cannot_be_read_is_left_alone(self):
        path, program = os.path.join(session().env['XDG_DATA_HOME'], 'scope', 'shelf'), self.path('mine.eve')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = '# mine\n' * 200000 + 'scope.counter\n'
        with open(path, 'w') as f:
            f.write(text)
        shutil.copy(os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve'), program)
        w = self.start(os.path.join(ROOT, 'traces', 'ring.trace'), program)
        w.wait_for('list box', 'Shelf', 30)
        self.choose(w, 'Put this program on the shelf', re.compile('Put this program on the shelf'))
        w.wait(lambda: w.find('label', re.compile(re.escape(path))), 'the file is named')
        with open(path) as f:
            self.assertEqual(f.read(), text)

    def test_from_the_list_of_programs(self):
        w = self.opened(self.PROGRAM)
        w.key('ctrl+shift+p')
        w.wait_for('list box', 'Programs on offer')
        card = w.wait(lambda: next(iter(w.find('list box', 'Programs on offer').children[1:]), None), 'there are programs')
        title = card.name
        self.onto(w, card)
        w.wait(lambda: [i.name for i in self.rows(w)] == [title], 'it lies there')


if __name__ == '__main__':
    main()
