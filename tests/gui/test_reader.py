# SPDX-License-Identifier: Apache-2.0
"""By screen reader alone: what a newcomer does with a window, by actions, values and texts of accessible things, without pointer
or key; and everything asked of everything meanwhile, by another process, of which the window must not complain."""
import os
import re
import subprocess
import sys

from harness import SAMPLES, SCOPE, Atspi, ByReader, main, session

# Asks all there is to be asked of all accessible things, until it is ended.
ASKS = r'''
import gi
gi.require_version('Atspi', '2.0')
from gi.repository import Atspi, GLib
Atspi.init()
Atspi.set_timeout(2000, 3000)


def ask(what, *words):
    try:
        return what(*words)
    except GLib.Error:
        return None


print('begins', flush=True)
while True:
    stack = [Atspi.get_desktop(0)]
    while stack:
        o = stack.pop()
        for what in (o.get_name, o.get_description, o.get_role_name, o.get_state_set, o.get_index_in_parent, o.get_parent,
                     o.get_relation_set, o.get_attributes, o.get_interfaces):
            ask(what)
        if ask(o.get_component_iface):
            for what in (Atspi.Component.get_layer, Atspi.Component.get_mdi_z_order, Atspi.Component.get_alpha):
                ask(what, o)
            ask(Atspi.Component.get_extents, o, Atspi.CoordType.SCREEN)
            ask(Atspi.Component.get_accessible_at_point, o, 5, 5, Atspi.CoordType.WINDOW)
        if ask(o.get_action_iface):
            for i in range(ask(Atspi.Action.get_n_actions, o) or 0):
                ask(Atspi.Action.get_action_name, o, i)
                ask(Atspi.Action.get_key_binding, o, i)
        if ask(o.get_value_iface):
            ask(Atspi.Value.get_current_value, o)
        if ask(o.get_selection_iface):
            ask(Atspi.Selection.get_selected_child, o, 0)
        if ask(o.get_text_iface):
            ask(Atspi.Text.get_text, o, 0, 20)
        if ask(o.get_table_iface):
            ask(Atspi.Table.get_accessible_at, o, 0, 0)
        stack += [c for c in (ask(o.get_child_at_index, i) for i in range(min(100, ask(o.get_child_count) or 0))) if c]
'''


class Reader(ByReader):
    def asked(self):
        """Meanwhile another process asks."""
        asks = subprocess.Popen([sys.executable, '-c', ASKS], env=session().env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(asks.stdout.close)
        self.addCleanup(asks.wait)
        self.addCleanup(asks.kill)
        self.assertEqual(asks.stdout.readline(), b'begins\n')
        return asks

    def test_a_newcomer(self):
        """Who waits longest is found, this instant marked, an analysis built from nothing, and used on another trace."""
        asks = self.asked()
        w = self.start(self.copy('fft2d-s16.trace'))
        w.wait(lambda: w.find('push button', 'Play'), 'it is open', 30)
        # A question is asked; the sentence that is found names who waits.
        self.choose(w, 'what do you want to know', re.compile('^New program from a question'))
        self.act(w, 'list item', re.compile('(?i)who waits'))
        found = w.wait_for('label', re.compile('waited longest|waits longest'), 60).name
        self.assertRegex(found, 'fft [0-3]')
        # Time moves by its value; the instant is marked.
        slider = w.find('slider', 'Time')
        Atspi.Value.set_current_value(slider.node.get_value_iface(), 0.1)
        w.wait(lambda: abs(slider.value - 0.1) < 1e-3, 'time has moved')
        self.choose(w, 'mark this instant', re.compile('^Mark this instant'))
        w.wait_for('list item', re.compile(r'^Mark Mark 1 at 0\.1'))
        # From nothing: a component is added and wired by the menu of its port.
        self.choose(w, 'new, empty', re.compile('^New, empty program'))
        w.wait_for('toggle button', 'Program: New program')
        w.wait(lambda: w.find('panel', 'Reader'), 'there is a reader')
        self.choose(w, 'counter add', re.compile('(?i)^counter, add'))
        w.wait_for('panel', 'Counter')
        port = w.wait(lambda: next((p for p in w.find('panel', 'Reader').children if p.name == 'Reader.events output'), None), 'its port')
        self.assertTrue(port.action('menu'))
        self.act(w, 'menu item', re.compile('^Connect events to Counter\\.in'))
        w.wait_for('arrow', re.compile(r'^Reader\.events → Counter\.'))
        self.act(w, 'push button', 'To the end')
        w.wait(lambda: '3716' in re.sub(r'\s', '', w.find('panel', 'Counter').description), 'it has counted all events', 30)
        # Saved; begun with another trace it counts that one's events.
        mine = self.path('mine.eve')
        self.choose(w, 'save the program as', re.compile('^Save the program as'))
        name = w.wait(lambda: next((t for t in w.find('file chooser').find_all('text') if t.text.endswith('.eve')), None), 'its name is asked for')
        self.assertTrue(Atspi.EditableText.set_text_contents(name.node, mine))
        self.act(w, 'push button', 'Save')
        w.wait(lambda: os.path.exists(mine), 'it is saved')
        w.wait_for('toggle button', 'Program: mine')
        w.kill()
        other = self.start(self.copy('ring.trace'), mine)
        other.wait(lambda: other.find('panel', 'Counter'), 'the program is there', 30)
        self.act(other, 'push button', 'To the end')
        said = subprocess.run([SCOPE, 'events', os.path.join(SAMPLES, 'ring.trace')], check=True, stdout=subprocess.PIPE, text=True,
                              env=session().env).stdout
        n = str(len(said.splitlines()))
        other.wait(lambda: n in re.sub(r'\s', '', other.find('panel', 'Counter').description), f'it has counted {n}', 30)
        self.assertIsNone(asks.poll(), 'everything was asked of until now')


if __name__ == '__main__':
    main()
