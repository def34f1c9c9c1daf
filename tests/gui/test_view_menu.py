# SPDX-License-Identifier: Apache-2.0
"""The menu that the view with the focus brings into the application's (thesis, section 4.3.3): by pointer, by keys, by a screen
reader, and what it does can be undone."""
import re

from harness import ByReader, main

PROGRAM = """<eve version="1"><title>Two views</title>
  <component name="Session" class="scope.session" version="1" x="40" y="40"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1" x="264" y="40"/>
  <component name="PVM simulator" class="scope.pvm-simulator" version="1" x="488" y="40"/>
  <component name="Graph" class="scope.state-graph" version="1" x="712" y="40"/>
  <component name="Lanes" class="scope.space-time" version="1" x="712" y="240"/>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Reader" out="events" to="PVM simulator" in="events"/>
  <wire from="PVM simulator" out="messages" to="Graph" in="messages"/>
  <wire from="PVM simulator" out="states" to="Lanes" in="states"/>
  <wire from="PVM simulator" out="messages" to="Lanes" in="messages"/>
</eve>"""


class ViewMenu(ByReader):
    def opened(self, size=(1600, 1000)):
        with open(self.path('two.eve'), 'w') as f:
            f.write(PROGRAM)
        w = self.start(self.copy('ring.trace'), self.path('two.eve'), size=size)      # one of these settings writes into it
        w.wait(lambda: w.find('push button', re.compile('^Menu of the view')) or size[0] < 800, 'a view brings its menu', 30)
        return w

    def turn(self, w, name):
        """The focus goes to that view, by keys."""
        for _ in range(3):
            if w.find('push button', f'Menu of the view {name}'):
                return
            w.key('F6')
            w.settle(0.1)
        w.wait_for('push button', f'Menu of the view {name}')

    def layout(self, w, which):
        """How its menu is marked, read when it is open."""
        w.wait_for('push button', 'Menu of the view Graph').click()
        w.wait_for('menu', 'Layout').click()
        item = w.wait_for('radio menu item', which)
        marked = item.state('checked')
        w.key('Escape', 'Escape')
        w.wait_gone('menu', 'Layout')
        return marked

    def test_pointer(self):
        w = self.opened()
        self.turn(w, 'Graph')
        w.find('push button', 'Menu of the view Graph').click()
        w.wait_for('menu', 'Layout').click()
        w.wait_for('radio menu item', 'torus').click()
        w.wait_gone('menu', 'Layout')
        w.wait(lambda: 'Undo: Set layout of Graph' in (w.find('push button', 'Undo').description or ''), 'it is an edit that can be undone')
        self.assertTrue(self.layout(w, 'torus'))
        w.key('ctrl+z')
        w.wait(lambda: not w.find('push button', 'Undo').state('sensitive'), 'it is undone')
        self.assertFalse(self.layout(w, 'torus'))
        # Another view brings another: what is on or off, and what all have.
        self.turn(w, 'Lanes')
        w.find('push button', 'Menu of the view Lanes').click()
        w.wait_for('check menu item', 'Hide messages')
        self.assertFalse(w.find('menu', 'Layout'))
        self.assertFalse(w.find('menu', 'Group by'), 'groups have one menu')
        for role, name in (('menu', 'Next'), ('menu', 'Groups'), ('menu item', 'Zoom In'), ('menu item', 'Export…')):
            self.assertTrue(w.find(role, name), name)
        self.assertTrue(w.find('menu', 'Groups').find('menu', 'Group by, in This View Alone', showing=False), 'by what it alone sorts its rows is there')
        # What would show nothing as this is wired is grey, and says why.
        self.assertFalse(w.find('check menu item', 'Critical path (nothing is wired to waits)').state('sensitive'))
        w.find('check menu item', 'Hide messages').click()
        w.wait(lambda: 'hide messages of Lanes' in w.find('push button', 'Undo').description, 'it is on')
        w.key('ctrl+w')         # the view is closed: it takes its menu away
        w.wait_for('push button', 'Menu of the view Graph')
        self.assertFalse(w.find('push button', 'Menu of the view Lanes'))

    def test_keys(self):
        w = self.opened()
        self.turn(w, 'Graph')
        w.key('F12')
        w.wait_for('menu', 'Layout')
        w.key('Home', 'Right')
        w.wait_for('radio menu item', 'ring')
        w.key('Escape', 'Escape')
        w.wait_gone('menu', 'Layout')
        # The same is found by name.
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('layout: torus')
        w.wait(lambda: [i.name for i in w.find('list box', 'Found').children[:1]] == ['Layout: torus, of the view with the focus'], 'it is found')
        w.key('Return')
        w.wait(lambda: 'Set layout of Graph' in w.find('push button', 'Undo').description, 'it is done')

    def test_reader(self):
        w = self.opened()
        self.turn(w, 'Graph')
        self.act(w, 'push button', 'Menu of the view Graph')
        self.act(w, 'check menu item', 'Keep positions')
        w.wait(lambda: 'Set keep positions of Graph' in w.find('push button', 'Undo').description, 'it is done')

    def test_narrow(self):
        """Where the bar has no room for it, it is in the menu."""
        w = self.opened((700, 700))
        w.wait(lambda: not w.find('push button', re.compile('^Menu of the view')), 'there is no room')
        w.key('F6', 'F12')
        w.wait_for('menu', re.compile('^View: (Graph|Lanes)$')).click()
        w.wait_for('menu item', 'Zoom In')
        w.key('Escape', 'Escape')


if __name__ == '__main__':
    main()
