# SPDX-License-Identifier: Apache-2.0
"""Pictures, tables and what is selected, dragged out of the window into another program, and copied by the same button."""
import csv
import io
import os
import re
import subprocess
import sys
import urllib.parse
from decimal import Decimal

from harness import SAMPLES, SCOPE, Case, main, session
from test_editor import Editor

TRACE = SAMPLES + '/ring.trace'
TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'drop_target.py')
PASTE = """
import sys, gi
gi.require_version('Gtk', '3.0')
gi.require_version('Gdk', '3.0')
from gi.repository import Gdk, Gtk
sys.stdout.buffer.write(Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).wait_for_contents(Gdk.Atom.intern(sys.argv[1], False)).get_data())
"""
PNG = b'\x89PNG\r\n\x1a\n'


class HandOver(Case):
    def dragged(self, w, item, kind):
        """What another program is given that takes this kind."""
        path = self.path('given')
        if os.path.exists(path):
            os.remove(path)
        target = subprocess.Popen([sys.executable, TARGET, '1300', '12', kind, path], env=session().env, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(target.stdout.readline(), 'ready\n')
            w.settle()
            w.drag(*item().at(), 1340, 52, steps=30)
            w.wait(lambda: os.path.exists(path), f'{kind} is given')
        finally:
            target.terminate()
            target.wait()
            target.stdout.close()
        with open(path, 'rb') as f:
            return f.read()

    @staticmethod
    def pasted(kind):
        return subprocess.run([sys.executable, '-c', PASTE, kind], env=session().env, capture_output=True, timeout=60).stdout

    def opened(self):
        w = self.start(TRACE)
        w.wait_for('drawing area', 'Picture of Space-time', 40)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.wait_for(None, 'Play')
        w.key('End')
        w.wait(lambda: re.search('event 996 of 996', (w.find('push button', 'Present') or w).description), 'the end')
        return w

    def button(self, w, pane):
        return next((b for p in w.find_all('panel', pane) for b in p.find_all('push button', re.compile('^Hand over: '))), None)

    def test_picture_and_table(self):
        w = self.opened()
        pane = 'Space-time'
        w.find('drawing area', f'Picture of {pane}').click(fx=0.5, fy=0.5)
        w.key('ctrl+m')
        w.wait(lambda: self.button(w, pane), 'it has the room for its buttons')
        button = lambda: self.button(w, pane)    # noqa: E731
        self.assertTrue(self.dragged(w, button, 'image/png').startswith(PNG))
        drawing = self.dragged(w, button, 'image/svg+xml')
        self.assertIn(b'<svg', drawing[:400])
        table = self.dragged(w, button, 'text/csv')
        subprocess.run([SCOPE, 'draw', TRACE, '--view', pane, '--at', '#996', '-o', self.path('same.csv')], check=True, capture_output=True,
                       env=session().env)
        with open(self.path('same.csv'), 'rb') as f:
            self.assertEqual(table, f.read())           # the same table that `scope draw` writes
        self.assertEqual(self.dragged(w, button, 'text/plain'), table)
        uri = self.dragged(w, button, 'text/uri-list').decode().strip()
        file = urllib.parse.unquote(urllib.parse.urlparse(uri).path)
        self.assertEqual(os.path.basename(file), 'Space-time.png')
        with open(file, 'rb') as f:
            self.assertTrue(f.read().startswith(PNG))
        w.quit()
        self.assertFalse(os.path.exists(file))          # nothing is left of what was given

    def test_selection(self):
        w = self.opened()
        self.assertFalse(w.find('push button', re.compile('^Hand over what is selected')))
        w.find('drawing area', 'Picture of Space-time').click(fx=0.6, fy=0.6)
        w.key('Down', 'Return')
        found = w.wait(lambda: w.find('push button', re.compile('^Hand over what is selected')), 'something is selected')
        rows = list(csv.DictReader(io.StringIO(self.dragged(w, lambda: found, 'text/csv').decode())))
        self.assertEqual(len(rows), 1)
        self.assertTrue(rows[0]['kind'] in ('task', 'link', 'message', 'event'), rows)
        self.assertRegex(rows[0]['name'], r't[0-9a-f]+')
        self.assertEqual(self.dragged(w, lambda: found, 'text/plain').decode(), rows[0]['label'] + '\n')
        found.action()
        w.wait(lambda: w.find('label', re.compile('What is selected is in the clipboard')), 'the button copies it')
        self.assertEqual(self.pasted('text/plain').decode(), rows[0]['label'] + '\n')


class Tables(Editor):
    PROGRAM = """<eve version="1"><title>Waits</title>
      <component name="Session" class="scope.session" version="1" x="40" y="40"/>
      <component name="Reader" class="scope.tapepvm-reader" version="1" x="264" y="40"/>
      <component name="Waiting" class="scope.waiting-times" version="1" x="488" y="40"/>
      <component name="Sink" class="scope.csv-sink" version="1" x="712" y="40"/>
      <wire from="Session" out="commands" to="Reader" in="commands"/>
      <wire from="Reader" out="events" to="Waiting" in="events"/>
      <wire from="Waiting" out="dated" to="Sink" in="in"/>
    </eve>"""

    def test_unit_of_time(self):
        """A table is shown in the unit that was chosen, none of its digits lost; what is handed over stays in seconds."""
        with open(os.path.join(session().home, 'config_home', 'scope', 'preferences'), 'a') as f:
            f.write('unit-of-time=ms\n')
        w = self.opened(self.PROGRAM)
        self.wire(w, 'Waiting.dated', 'Sink.in').click()
        w.key('ctrl+t')
        table = w.wait(lambda: w.find('table', 'Table of Waiting.dated'), 'there is a table', 30)
        heads = w.wait(lambda: [h.name for h in table.find_all('table column header')], 'it has headings')
        self.assertEqual(heads[0], 'date [ms]')
        w.find('push button', re.compile('^Hand over: .*table$')).action()
        w.wait(lambda: w.find('label', re.compile('is in the clipboard')), 'it is copied')
        raw = list(csv.reader(io.StringIO(HandOver.pasted('text/csv').decode())))
        self.assertEqual(raw[0][0], 'date [s]')
        cells = [c.name for c in table.find_all('table cell')]
        for row in raw[1:4]:
            shown = str((Decimal(row[0]) * 1000).normalize().__format__('f'))
            self.assertTrue(any(Decimal(c) == Decimal(shown) for c in cells if re.fullmatch(r'-?[0-9.]+', c)), (row, cells[:12]))
        w.key('Escape')
        w.wait_gone('table', 'Table of Waiting.dated')


if __name__ == '__main__':
    main()
