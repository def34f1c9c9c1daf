# SPDX-License-Identifier: Apache-2.0
"""Boxes that were added since: on travel back to before that they stay, or go, as the person wishes (thesis, section 3.3.2)."""
import os
import re

from harness import main, session
from test_editor import Editor

PREFERENCE = 'Boxes added since, on travel back'


class Added(Editor):
    def go(self, w, event):
        """To an event, by its number."""
        w.key('Escape', 'ctrl+k')
        w.wait_for('text', 'Find')
        w.type(str(event))
        w.wait(lambda: any(re.match(f'Event {event},', i.name) for i in w.find('list box', 'Found').children[:1]), 'it is found')
        w.key('Return')
        w.wait(lambda: f'event {event} of' in w.find('push button', 'Present').description, f'event {event} is the present', 30)
        w.key('F4')

    def add(self, w, what):
        w.key('F4', 'Escape')
        w.move(*self.empty_place(w))
        w.key('Insert')
        self.search(w, what)
        self.there(w, what)

    def prefer(self, w, which):
        w.key('ctrl+comma')
        w.wait_for('combo box', PREFERENCE).click()
        w.wait_for('menu item', re.compile(which)).click()
        w.wait(lambda: not w.find('menu item', re.compile(which)), 'it is chosen')
        w.key('Escape')
        w.wait_gone('combo box', PREFERENCE)

    def test_stay_or_go(self):
        w = self.opened(self.PROGRAM)
        before = self.names(w)
        # By default they stay, as ever.
        self.go(w, 100)
        self.add(w, 'Gate')
        self.go(w, 50)
        self.assertIn('Gate', self.names(w))
        self.prefer(w, 'Go; undo')
        # It stands at the instant at which it was added, and later.
        self.go(w, 100)
        self.assertIn('Gate', self.names(w))
        self.go(w, 200)
        self.add(w, 'Boolean')
        self.go(w, 150)
        self.gone(w, 'Boolean')
        self.assertIn('Gate', self.names(w), 'it was added before')
        w.wait_for('label', re.compile('^1 box was added after this instant'))
        self.go(w, 99)
        self.gone(w, 'Gate')
        self.assertEqual(self.names(w), before)
        # It was an edit: what undo brings back is wished for here, and stays.
        w.key('F4')
        self.undo(w)
        self.there(w, 'Gate')
        self.go(w, 99)
        self.go(w, 100)
        self.assertIn('Gate', self.names(w))
        w.key('ctrl+q')
        w.wait_for('push button', re.compile('Close without Saving')).click()
        w.ended()
        with open(os.path.join(session().env['XDG_CONFIG_HOME'], 'scope', 'preferences')) as f:
            self.assertIn('added-boxes-go=true', f.read())

    def test_what_it_lacks_is_told(self):
        """A box that nobody gives what it needs says so at once, and which components give that; it is quiet where one does."""
        w = self.opened('<eve version="1"><title>Bare</title><component name="Reader" class="scope.tapepvm-reader" version="1" x="40" y="40"/></eve>')
        lacks = re.compile('^State Durations does nothing yet: no box of the program gives what its input states takes. These components do: .*[Ss]imulator')
        self.assertIsNone(w.find('label', lacks))
        self.add(w, 'State Durations')
        w.wait_for('label', lacks)
        self.add(w, 'Gate')         # takes anything
        self.assertIsNone(w.find('label', re.compile('^Gate does nothing yet')))
        # The same from the window's search, in a program that is empty.
        w.key('ctrl+s', 'ctrl+alt+n')
        w.wait_for('toggle button', 'Program: New program')
        w.wait(lambda: not w.find('label', lacks), 'what was said of the other program is gone')
        w.key('Escape', 'ctrl+k')
        w.wait(lambda: w.find('text', 'Find') and w.find('text', 'Find').state('focused'), 'the field has the keys')
        w.type('state durations add')
        w.wait_for('list item', re.compile('^State Durations, add'), 60)
        w.key('Return')
        self.there(w, 'State Durations')
        w.wait_for('label', lacks)


if __name__ == '__main__':
    main()
