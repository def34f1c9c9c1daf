# SPDX-License-Identifier: Apache-2.0
"""The lists of marks and of saved states have the menu that other lists have: by the right button, by the key Menu, by Shift+F10."""
import json
import re

from harness import main
from test_time import STEP, Time, said


class Lists(Time):
    def marks(self):
        return [(m['name'], m['t']) for m in json.loads(said('marks', self.trace, 'list', '--json'))]

    def rows(self, w):
        return [i for i in w.find('list box', 'List of marks').children if i.showing]

    def named(self, w, *names):
        return w.wait(lambda: [re.sub(r'^Mark (.*) at .*$', r'\1', i.name) for i in self.rows(w)] == list(names) and self.rows(w), f'the marks are {names}')

    def items(self, w):
        """What the open menu offers."""
        return w.wait(lambda: [i.name for i in w.find_all('menu item')], 'the menu is there')

    def by_keys(self, w, row, key):
        """The menu of a row that has the keys, which a click on it gives."""
        row.click()
        w.wait(lambda: row.state('focused'), 'the row has the keys')
        w.key(key)
        return self.items(w)

    def test_of_marks(self):
        w = self.open()
        for n in (100, 2000):
            self.go(w, f'#{n}')
            self.stands(w, n)
            w.key('m')
            w.wait(lambda: any(abs(t - self.dates[n - 1]) < 1e-8 for _, t in self.marks()), 'it is in the file')
        self.named(w, 'Mark 1', 'Mark 2')[0].click(button=3)
        self.assertEqual(self.items(w), ['Go to “Mark 1”', 'Name and notes of “Mark 1”…', 'Remove the mark “Mark 1”'])
        w.find('menu item', 'Go to “Mark 1”').click()
        self.stands(w, 100)
        self.assertEqual(self.by_keys(w, self.named(w, 'Mark 1', 'Mark 2')[1], 'Menu')[0], 'Go to “Mark 2”')
        self.stands(w, 2000)                # what the click did
        w.key('Down', 'Down', 'Return')     # the second item
        w.wait_for('text', 'Name').type('zero hour')
        w.find('push button', 'Save').click()
        row = self.named(w, 'Mark 1', 'zero hour')[0]
        self.by_keys(w, row, 'shift+F10')
        w.key('Escape')
        w.wait_gone('menu item', re.compile('^Go to “'))
        w.key('Menu')                       # the keys are where they were
        w.wait_for('menu item', 'Remove the mark “Mark 1”').click()
        self.named(w, 'zero hour')
        self.assertEqual([name for name, _ in self.marks()], ['zero hour'])

    def test_of_saved_states(self):
        w = self.open()
        table = self.unfold(w, 'Saved states', 'List of saved states')
        self.go(w, '#1500')
        self.stands(w, 1500)
        w.key('ctrl+alt+s')
        cell = lambda: next((i for i in table.find_all('table cell') if i.name.startswith('at ')), None)
        at = STEP.sub('', w.wait(cell, 'it is listed').name)[2:-1]
        w.key('Home')
        self.stands(w, 0)
        cell().click(button=3)
        items = self.items(w)
        self.assertEqual((items[0][:6], items[1:]), ('Go to ', ['Mark this instant', 'Save the state now']))
        told = STEP.sub('', items[0])[4:-1]         # as the column of dates has it, which is rounded
        self.assertAlmostEqual(float(told), float(at), delta=10 ** -len(told.split('.')[1]))
        self.assertAlmostEqual(float(at), self.dates[1499], delta=1e-8)
        w.find('menu item', items[0]).click()
        self.stands(w, 1500)
        for key in ('Menu', 'shift+F10'):
            cell().click()
            w.key(key)
            self.assertEqual(self.items(w), items)
            w.key('Escape')
            w.wait_gone('menu item', items[0])
        w.key('Home')
        self.stands(w, 0)
        cell().click(button=3)
        w.wait_for('menu item', 'Mark this instant').click()
        self.named(w, 'Mark 1')
        self.assertAlmostEqual(self.marks()[0][1], self.dates[1499], delta=1e-8)
        self.stands(w, 0)
        cell().click(button=3)
        w.wait_for('menu item', 'Save the state now').click()
        w.wait(lambda: len([i for i in table.find_all('table cell') if i.name.startswith('at ')]) == 2, 'the present is saved too')


if __name__ == '__main__':
    main()
