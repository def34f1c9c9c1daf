# SPDX-License-Identifier: Apache-2.0
"""Tables in little room and by key: what sorts stays in sight, rows are walked and scrolled, heads sort at a click."""
import os
import re
import subprocess

from harness import ROOT, SCOPE, Atspi, Case, main, session

PROGRAM = re.compile('^Program: ')
HEADS = re.compile('^column ')


class Tables(Case):
    def opened(self, size, **more):
        with open(os.path.join(session().env['XDG_STATE_HOME'], 'scope', 'window'), 'w') as f:
            f.write('')         # as who has just installed it: views have the room
        w = self.start(os.path.join(ROOT, 'traces', 'mpi-waits.otf2'), os.path.join(ROOT, 'schemas', 'messages', 'waits.eve'),
                       size=size, **more)
        w.resize(*size)
        if w.wait(lambda: w.find('label', re.compile('No format')) or w.find('toggle button', PROGRAM), 'it is open', 60).role == 'label':
            self.skipTest('built without libotf2')
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.wait(lambda: self.rows(w, 'Kinds of wait') and self.rows(w, 'Waits of tasks'), 'the tables are there', 60)
        w.settle()
        return w

    @staticmethod
    def picture(w, view):
        return w.find('drawing area', 'Picture of ' + view)

    def heads(self, w, view):
        return [i.name for i in self.picture(w, view).children if HEADS.search(i.name)]

    def rows(self, w, view):
        """What of a table are rows, from above: the first column's name begins each."""
        picture = self.picture(w, view)
        first = {'Kinds of wait': 'kind ', 'Waits of tasks': 'task ', 'Root causes': 'task '}[view]
        return [i for i in picture.children if i.name.startswith(first)] if picture else []

    def waited(self, w):
        """Of the rows of the kinds of wait that are seen, in ms."""
        found = [re.search(r'waited ([\d.\u202f]+)\s?(ms|µs|s)\b', i.name.replace('\u2009', ' ')) for i in self.rows(w, 'Kinds of wait')]
        return [float(m[1].replace('\u202f', '')) * {'s': 1e3, 'ms': 1, 'µs': 1e-3}[m[2]] for m in found]

    def focused(self, w, view):
        return [i.name for i in self.picture(w, view).children if i.state('focused')]

    def test_little_room(self):
        """Half of a small screen and 900 x 600, with usual text and half as large again: the window has that size, each table shows rows
        and the column that sorts it, and what has no room is in the menu."""
        sorts = {'Kinds of wait': 'column waited', 'Root causes': 'column costs', 'Waits of tasks': 'column waiting'}
        for scale in ('1', '1.5'):
            w = self.opened((900, 600), env={'GDK_DPI_SCALE': scale})
            for size in ((900, 600), (683, 768)):
                w.resize(*size)
                w.wait(lambda: w.frame.box[2:] == size, f'it has the size {size} with text at {scale}')
                w.settle()
                for view, head in sorts.items():
                    w.wait(lambda: head in self.heads(w, view) and len(self.rows(w, view)) >= 2, f'{view} at {size}, text at {scale}')
                    picture = self.picture(w, view)
                    for i in picture.children:      # of one line: none lies over another
                        self.assertLessEqual(i.box[0] + i.box[2], picture.box[0] + picture.box[2] + 1, i.name)
                    heads = sorted(i.box for i in picture.children if HEADS.search(i.name) or re.search('more columns?$', i.name))
                    line = [b for b in heads if abs(b[1] - heads[0][1]) < 8]
                    for a, b in zip(line, line[1:]):
                        self.assertLessEqual(a[0] + a[2], b[0] + 1, f'{view} at {size}, text at {scale}: {heads}')
            if scale == '1.5':
                self.assertIsNone(w.find('push button', 'Undo'))
                self.menu(w)
            w.quit()

    def test_names_stay(self):
        """Whatever columns are scrolled past, whose row it is stays in sight, and all columns are come to."""
        w = self.opened((1280, 800))
        view = 'Kinds of wait'
        with_names = ['column kind', 'column task']
        seen = set()
        for _ in range(20):
            heads = self.heads(w, view)
            self.assertEqual(heads[:2], with_names)
            seen |= set(heads)
            more = self.picture(w, view).find('list item', re.compile('more columns?$'))
            on = [i for i in self.picture(w, view).children if re.search('more columns?$', i.name) and i.box[0] > self.picture(w, view).at(0.7)[0]]
            if not on:
                break
            self.assertTrue(more)
            on[0].click()
            w.wait(lambda: self.heads(w, view) != heads, f'other columns are seen than {heads}')
        every = {'column ' + name for name in ('kind', 'task', 'region', 'waited', 'mostly for', 'for that one', 'longest', 'begins at', 'times')}
        self.assertLessEqual(every, seen)

    def menu(self, w):
        """Undo, and what the time bar says when it has the room."""
        head = w.wait(lambda: self.picture(w, 'Root causes').find(None, 'column task'), 'a head').click()
        w.wait(lambda: 'saved' not in ''.join(i.name for i in w.find_all('label', re.compile('events'))), 'it is an edit')
        w.find('toggle button', 'Menu').click()
        w.wait_for('menu item', 'Undo').click()
        w.wait_gone('menu item', 'Undo')
        w.wait(lambda: re.search(r'costs ([\d.]+)', self.rows(w, 'Root causes')[0].name)[1] == '156', 'it is sorted as it was')
        w.find('toggle button', 'Menu').click()
        w.wait_for('menu', 'Time').click()
        w.wait_for('menu item', 'To the beginning')
        w.wait_for('menu', 'Record')
        w.wait_for('menu', 'Speed').click()
        w.wait_for('radio menu item', '10 events a second').click()
        w.wait_gone('menu', 'Speed')
        self.assertIsNone(w.find('toggle button', 'Speed'))

    def test_wheel_and_page(self):
        """Rows that have no room are scrolled to: all of them, the last is the least."""
        w = self.opened((900, 600), env={'GDK_DPI_SCALE': '1.5'})
        first = self.waited(w)
        self.assertEqual(first, sorted(first, reverse=True))
        picture = self.picture(w, 'Kinds of wait')
        seen = set(first)
        x, y = picture.at(0.5, 0.7)
        for _ in range(60):
            before = self.waited(w)
            w.scroll(x, y, -2)
            w.settle(0.1)
            now = self.waited(w)
            seen |= set(now)
            if now == before:
                break
            self.assertLessEqual(len(now), len(first) + 1)
        end = self.waited(w)
        self.assertLess(end[-1], first[0])
        self.assertEqual(end[-1], min(seen))
        w.scroll(x, y, 40)
        w.wait(lambda: self.waited(w) == first, 'back at the first')

    def test_keys(self):
        """Tab and F6 come to a row, arrows walk rows and, from the first, heads; Return is a click, Shift+Return a double click, and the
        menu key opens the menu."""
        w = self.opened((1440, 900))
        view = 'Kinds of wait'
        names = lambda: [i.name for i in self.rows(w, view)]
        for _ in range(8):
            w.key('F6')
            if self.focused(w, view):
                break
        w.wait(lambda: self.focused(w, view) == names()[:1], 'the first row has the keys')
        w.key('Down')
        w.wait(lambda: self.focused(w, view) == names()[1:2], 'the next row')
        w.key('Return')
        second = names()[1]
        w.wait(lambda: [i for i in self.rows(w, view) if i.name == second and i.state('selected')], 'it is selected')
        w.key('Up', 'Up')
        w.wait(lambda: self.focused(w, view) and HEADS.search(self.focused(w, view)[0]), 'the heads')
        while self.focused(w, view) != ['column waited']:
            before = self.focused(w, view)
            w.key('Right')
            w.wait(lambda: self.focused(w, view) != before, 'the next head')
        w.key('Return')         # it was sorted by this one, the longest first
        w.wait(lambda: self.waited(w) == sorted(self.waited(w)), 'now the shortest first')
        w.key('Return')
        w.wait(lambda: self.waited(w) == sorted(self.waited(w), reverse=True), 'and the longest again')
        w.key('Down', 'Down')
        w.wait(lambda: self.focused(w, view) == names()[1:2], 'a row again')
        row = self.focused(w, view)[0]
        begins = float(re.search(r'begins at ([\d.\u202f]+)', row)[1].replace('\u202f', ''))
        w.key('shift+Return')
        w.wait(lambda: abs(w.find('slider', 'Time').value - begins) < 1e-4, f'the instant of {row}')
        w.key('Menu')
        w.wait(lambda: w.find('menu item', re.compile('Export')) or w.find('menu', re.compile('Export')), 'its menu')
        w.key('Escape')

    def test_columns_by_key(self):
        """At the end of a line Right scrolls on to the columns that have no room, Left back; that is no change of the program."""
        w = self.opened((900, 600))
        view = 'Kinds of wait'
        w.wait(lambda: self.heads(w, view), 'heads')
        seen = set(self.heads(w, view))
        for _ in range(8):
            w.key('F6')
            if self.focused(w, view):
                break
        w.wait(lambda: self.focused(w, view), 'a row has the keys')
        for _ in range(30):
            w.key('Right')
            w.settle(0.1)
            seen |= set(self.heads(w, view))
            if {'column longest', 'column begins at'} <= seen:
                break
        self.assertLessEqual({'column waited', 'column longest', 'column begins at'}, seen)
        undo = w.find('push button', 'Undo')
        self.assertFalse(undo and undo.state('sensitive'), 'there is nothing to undo')
        w.quit()                # nothing is asked

    def test_lists(self):
        """Lists of the side by key: arrows walk their rows, Return does what a click does."""
        trace = self.copy('ring.trace')
        for name, at in (('early', '0.01'), ('late', '0.05')):
            subprocess.run([SCOPE, 'marks', trace, 'add', name, '--at', at], env=session().env, check=True, stdout=subprocess.DEVNULL)
        w = self.start(trace)
        w.wait_for('toggle button', PROGRAM, 60)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        row = lambda name: w.find('list item', re.compile(f'^Mark {name} at '))
        stands = lambda at: abs(w.find('slider', 'Time').value - at) < 1e-6
        w.wait(lambda: row('early') and row('late'), 'the marks are listed')
        w.wait(lambda: Atspi.Component.grab_focus(row('early').node.get_component_iface()) and row('early').state('focused'), 'a row has the keys')
        w.key('Return')
        w.wait(lambda: stands(0.01), 'the present is there')
        w.wait(lambda: row('early').state('focused'), 'it still has the keys')
        w.key('Down')
        w.wait(lambda: row('late').state('focused'), 'the next row')
        w.key('Return')
        w.wait(lambda: stands(0.05), 'and there')

    def test_pointer(self):
        """One click sorts, a double click does not sort twice."""
        w = self.opened((1440, 900))
        head = lambda: self.picture(w, 'Kinds of wait').find(None, 'column waited')
        head().click()
        w.wait(lambda: self.waited(w) == sorted(self.waited(w)), 'the shortest first')
        head().click(times=2)
        w.wait(lambda: self.waited(w) == sorted(self.waited(w), reverse=True), 'the longest first')


if __name__ == '__main__':
    main()
