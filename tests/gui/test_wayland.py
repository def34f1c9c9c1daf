# SPDX-License-Identifier: Apache-2.0
"""On Wayland, under Debian's weston: a compositor with a seat (shown in a window of the test's own display) and one without (as on
a machine that nobody sits at, or whose keyboard is unplugged).  The window opens a sample, does what it is asked by a screen reader, makes
a picture, follows the choice of colours, and complains of nothing."""
import os
import re
import shutil
import subprocess
import sys
import time

from harness import PATIENCE, SAMPLES, Atspi, ByReader, main, session, skip

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'model'))
import picture

if not shutil.which('weston'):
    skip('weston is not installed')


class Wayland(ByReader):
    def compositor(self, *words):
        """Its socket."""
        name = f'wayland-{time.monotonic_ns()}'
        path = os.path.join(session().env['XDG_RUNTIME_DIR'], name)
        log = open(self.path('weston.log'), 'w')
        self.addCleanup(log.close)
        weston = subprocess.Popen(['weston', '--socket=' + name, '--no-config', '--idle-time=0', *words], env=session().env,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(weston.wait)
        self.addCleanup(weston.terminate)
        end = time.monotonic() + 30 * PATIENCE
        while not os.path.exists(path):
            if weston.poll() is not None or time.monotonic() > end:
                with open(log.name, errors='replace') as said:
                    self.fail('weston does not begin:\n' + said.read()[-3000:])
            time.sleep(0.02)        # between two looks
        return name

    def used(self, name):
        w = self.start(os.path.join(SAMPLES, 'fft2d-s4.trace'), env={'GDK_BACKEND': 'wayland', 'WAYLAND_DISPLAY': name, 'DISPLAY': ''},
                       size=None)
        w.wait(lambda: w.find('push button', 'Play'), 'it is open', 30)
        slider = w.wait_for('slider', 'Time')
        self.act(w, 'push button', 'To the end')
        w.wait(lambda: slider.value > 0.09, 'time is at the end', 30)
        Atspi.Value.set_current_value(slider.node.get_value_iface(), 0.05)
        w.wait(lambda: abs(slider.value - 0.05) < 1e-3, 'time has moved', 30)
        self.act(w, 'push button', 'Play')
        w.wait(lambda: slider.value > 0.09, 'it has played to the end', 30)
        # A dialog, which GTK places by the seat where there is one.
        self.choose(w, 'preferences', re.compile('^Preferences'))
        dialog = w.wait_for('dialog', 'Preferences', 30)
        colours = dialog.find('combo box', 'Colours')
        selection = colours.node.get_selection_iface()
        w.wait(lambda: Atspi.Selection.select_child(selection, 3) and Atspi.Selection.is_child_selected(selection, 3), 'greys are chosen')
        w.wait(lambda: dialog.find('push button', 'Close').action(), 'the dialog is left')
        w.wait_gone('dialog', 'Preferences')
        file = self.path('picture.png')
        self.choose(w, 'export as picture', re.compile('^Export as picture'))
        field = w.wait(lambda: next((t for t in w.find('file chooser').find_all('text') if t.text.endswith('.png')), None),
                       'its name is asked for', 30)
        self.assertTrue(Atspi.EditableText.set_text_contents(field.node, file))
        self.act(w, 'push button', 'Export')
        w.wait_for('label', 'Written: ' + file, 60)
        seen = {colour for row in picture.pixels(file) for colour in row}
        self.assertGreater(len(seen), 5)
        self.assertEqual([c for c in seen if max(c) - min(c) > 16], [])     # the colours that were chosen: nothing has a hue
        return w

    def test_without_a_seat(self):
        self.used(self.compositor('--backend=headless-backend.so', '--width=1600', '--height=1000'))

    def test_with_a_seat(self):
        self.used(self.compositor('--backend=x11-backend.so', '--use-pixman', '--width=1600', '--height=1000'))


if __name__ == '__main__':
    main()
