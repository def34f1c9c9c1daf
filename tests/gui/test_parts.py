# SPDX-License-Identifier: Apache-2.0
"""Parts in the window: saved from what is selected, and added by the order of a component."""
import glob
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

from harness import SAMPLES, SCOPE, main, session
from test_editor import Editor

SCHEMAS = os.path.join(os.path.dirname(SAMPLES), 'schemas', 'tapepvm')
TRACE = SAMPLES + '/fft2d-s16.trace'
INSIDE = 'By task.table → Who waits.table'
OUTSIDE = 'Waiting Times.dated → By task.value'


def open_text(path):
    with open(path) as f:
        return f.read()


class Parts(Editor):
    def program(self):
        os.makedirs(self.path('parts'), exist_ok=True)
        shutil.copy(os.path.join(SCHEMAS, 'parts', 'who-waits.eve'), self.path('parts'))
        with open(os.path.join(SCHEMAS, 'look-closer.eve')) as f:
            return f.read()

    @staticmethod
    def event(w):
        return int(re.search(r'event ([\d\s,]+) of', w.find('push button', 'Present').description)[1].replace('\u202f', '').replace(',', ''))

    def wires(self):
        return [(e.get('from'), e.get('out'), e.get('to'), e.get('in')) for e in ET.parse(self.file).iter('wire')]

    def test_ordered(self):
        w = self.opened(self.program(), TRACE)
        self.assertFalse(self.box(w, 'By task'))
        w.key('space')
        self.there(w, 'By task')
        self.wired(w, 'By task.table', 'Who waits.table')
        self.wired(w, 'Waiting Times.dated', 'By task.value')
        self.wired(w, 'Waiting Times.dated', 'Long.in')
        w.wait(lambda: self.event(w) == 3716, 'it plays on to the end')
        w.wait(lambda: re.search('The part “parts/who-waits” was added by Watch', self.said(w)), 'it is told')
        self.assertEqual(self.names(w).count('By task'), 1)     # the order came four times
        # It is shown as it is from the beginning: what is saved gives the same by itself.
        w.key('ctrl+s')
        w.wait(lambda: ('Waiting Times', 'dated', 'By task', 'value') in self.wires(), 'it is saved')
        for name, program in (('window', self.file), ('alone', os.path.join(SCHEMAS, 'look-closer.eve'))):
            subprocess.run([SCOPE, 'run', TRACE, '--program', program, '--out', self.path(name)], check=True,
                           env=session().env, capture_output=True)
        for table in ('by-task.csv', 'long-waits.csv'):
            with open(self.path('window', table)) as a, open(self.path('alone', table)) as b:
                self.assertEqual(a.read(), b.read())
        # Once more from the beginning: it is there already.
        w.key('Home')
        w.wait(lambda: self.event(w) == 0, 'the beginning')
        w.key('space')
        w.wait(lambda: self.event(w) == 3716, 'it plays to the end')
        self.assertEqual([n for n in self.names(w) if n.startswith('By task')], ['By task'])
        # Undone, it is away; played again, it comes again.
        self.undo(w)
        self.gone(w, 'By task')
        self.gone(w, 'Long waits')
        w.key('Home')
        w.wait(lambda: self.event(w) == 0, 'the beginning')
        w.key('space')
        self.there(w, 'By task')
        self.wired(w, 'Waiting Times.dated', 'By task.value')

    def go(self, w, text, event):
        w.key('g')
        field = w.wait_for('text', 'Go to')
        w.wait(lambda: field.state('focused'), 'the field has the focus')
        w.key('ctrl+a')
        w.type(text)
        w.key('Return')
        w.wait(lambda: self.event(w) == event, f'it is at event {event}')

    def test_travelled_over(self):
        """Whoever jumps over an order sees what `run --until` leaves there; without a film, and from one."""
        program = self.program()
        for film in (False, True):
            w = self.opened(program, TRACE)
            if film:
                w.wait(lambda: any('state=complete' in open_text(path) for path in glob.glob(os.path.join(
                    session().env['XDG_CACHE_HOME'], 'scope', 'films', 'fft2d-s16-*', 'manifest'))), 'the film is shot', 60)
            self.go(w, '#40', 40)
            self.assertFalse(self.box(w, 'By task'))
            self.go(w, '#3000', 3000)
            self.there(w, 'By task')
            self.wired(w, 'Waiting Times.dated', 'By task.value')
            w.wait(lambda: re.search('The part “parts/who-waits” was added; all is worked out with it', self.said(w)), 'it is told')
            w.wait(lambda: self.event(w) == 3000, 'it is there with the part')
            w.key('Home')                           # the program stays what it is
            w.wait(lambda: self.event(w) == 0, 'the beginning')
            self.assertTrue(self.box(w, 'By task'))
            self.undo(w)                            # taken away again, it is left alone until somebody plays
            self.gone(w, 'By task')
            self.go(w, '#3716', 3716)
            self.go(w, '#2500', 2500)
            self.assertFalse(self.box(w, 'By task'))
            w.key('space')
            self.there(w, 'By task')
            w.wait(lambda: self.event(w) == 3716, 'it plays on to the end')
            w.kill()

    def test_not_connected(self):
        text = self.program()
        with open(self.path('parts', 'who-waits.eve')) as f:
            part = f.read()
        with open(self.path('parts', 'who-waits.eve'), 'w') as f:
            f.write(part.replace('<wire from="Waiting Times" out="dated" to="Long"', '<wire from="Gone" out="dated" to="Long"'))
        w = self.opened(text, TRACE)
        w.key('space')
        self.there(w, 'Long')
        self.wired(w, 'Waiting Times.dated', 'By task.value')
        w.wait(lambda: re.search(r"The wire from Gone.dated to Long.in is not made: the program has no component called 'Gone'",
                                 self.said(w)), 'it is told')

    def test_saved(self):
        """What is selected is saved with its wires to the outside, and added to another program by an order."""
        w = self.opened(self.PROGRAM)
        self.box(w, 'Limit').click()
        self.box(w, 'Limit').click(button=3)
        w.wait_for('menu item', 'Save as a part…').click()
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(self.path('mine'))
        w.key('Return')
        w.wait_gone('file chooser')
        w.wait(lambda: os.path.exists(self.path('mine.eve')), 'the file is there')
        w.wait(lambda: re.search('The part mine is saved. Where it is added it is wired to: Series, Sink', self.said(w)),
               'it is told')
        part = ET.parse(self.path('mine.eve'))
        self.assertEqual([e.get('name') for e in part.iter('component')], ['Limit'])
        self.assertEqual([(e.get('from'), e.get('to')) for e in part.iter('wire')], [('Series', 'Limit'), ('Limit', 'Sink')])

    @staticmethod
    def said(w):
        return '\n'.join(l.name or l.text for l in w.find_all('label'))


if __name__ == '__main__':
    main()
