# SPDX-License-Identifier: Apache-2.0
"""The views in the window: zoomed, dragged, detached, searched, exported, and found again when the program is reopened."""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from harness import ROOT, Case, SAMPLES, SCOPE, main, session, xdo

TRACE = SAMPLES + '/fft2d-s16.trace'
TASKS = ['t40002', 't40003', 't40004', 't40005']

PASTE = """
import sys, gi
gi.require_version('Gtk', '3.0')
gi.require_version('Gdk', '3.0')
from gi.repository import Gdk, Gtk
board = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD)
sys.stdout.buffer.write(board.wait_for_contents(Gdk.Atom.intern('image/png', False)).get_data())
"""


class Panes(Case):
    def open(self, *words, **more):
        w = self.start(*(words or (TRACE,)), **more)
        self.picture(w, 'Space-time')
        w.wait(lambda: len(self.rows(w)) == 4, 'the film has its four tasks', 60)
        return w

    def pane(self, w, name):
        return w.wait(lambda: next((p for p in w.find_all('panel', name)
                                    if p.find('drawing area', 'Picture of ' + name, showing=False)), None),
                      f'there is a pane of {name}')

    def picture(self, w, name):
        return w.wait_for('drawing area', 'Picture of ' + name, 30)

    def rows(self, w):
        """Ids of the tasks, from top to bottom."""
        items = self.picture(w, 'Space-time').children[:40]
        found = [(i.box[1], name.split()[0]) for i in items for name in [i.name] if re.match(r't4\w+(  .*)?$', name)]
        return [name for _, name in sorted(found)]

    def caption(self, w, name):
        return self.pane(w, name).description

    def now(self, w):
        """The present, in seconds: the date of the last event given."""
        text = self.caption(w, 'State graph').replace('\u202f', '')
        return float(re.match(r'[\d.]+', text).group())

    def plot(self, w):
        """Of the space-time diagram: x, y, width, height of the first row's time."""
        p = self.picture(w, 'Space-time')
        return w.wait(lambda: next((i for i in p.children[:40] if i.name.startswith('t40002')), None), 'the first row is there').box

    def test_items_have_names_and_can_be_selected(self):
        w = self.open()
        self.assertEqual(self.rows(w), TASKS)
        graph = self.picture(w, 'State graph')
        text = self.picture(w, 'Trace text')
        w.wait(lambda: any('enrolls' in i.name for i in text.children), 'the first event is a sentence')
        self.select(w, 't40003')
        title = w.wait_for('label', 't40003 fft 1')
        self.assertTrue(title.showing)
        # At the end of the execution it has attributes.
        w.key('End')
        w.wait(lambda: any(i.name.startswith('fft 0') for i in graph.children), 'the graph shows the tasks')
        value = w.wait_for('label', 'PercentBusy', 20)
        w.wait(lambda: re.fullmatch(r'\d+\.\d', w.find('label', 'PercentBusy').text or value.description or ''),
               'the percentage is a number')

    def test_zoom_range_pan_and_fit(self):
        w = self.open()
        whole = self.caption(w, 'Space-time')
        x, y, width, height = self.plot(w)
        self.picture(w, 'Space-time').click(fx=0.02, fy=0.05)       # the keys are for it
        w.scroll(x + width / 2, y + 60, 4)
        w.wait(lambda: self.caption(w, 'Space-time') != whole, 'the wheel zooms')
        w.key('f')
        w.wait(lambda: self.caption(w, 'Space-time') == whole, 'F shows all again')
        # A range that is dragged is selected, Z makes it fill the picture; Escape gives a drag up.
        w.drag(round(x + width / 4), y + 60, round(x + width / 2), y + 80)
        w.key('z')
        w.wait(lambda: self.caption(w, 'Space-time') != whole, 'the range is shown')
        zoomed = self.caption(w, 'Space-time')
        first, last = (float(s.replace('\u202f', '')) for s in re.findall(r'\d[\d\u202f]*\.[\d\u202f]+\d', zoomed)[:2])
        self.assertAlmostEqual(first, 0.2631 / 4, delta=0.01)
        self.assertAlmostEqual(last, 0.2631 / 2, delta=0.01)
        spot = round(x + 100), round(y + 30)
        free = w.colour(*spot)
        xdo('mousemove', round(x + 50), round(y + 60), 'mousedown', 1, 'mousemove', round(x + 90), round(y + 60), 'mousemove',
            round(x + 150), round(y + 60))
        w.wait(lambda: w.colour(*spot) != free, 'the range is marked')
        w.key('Escape')
        # A key is first told to the accessibility bus, and a button that comes meanwhile overtakes it.
        w.wait(lambda: w.colour(*spot) == free, 'the mark is gone')
        xdo('mouseup', 1)
        self.assertEqual(self.caption(w, 'Space-time'), zoomed)
        w.drag(round(x + width / 2), y + 60, round(x + width / 4), y + 60, button=2)
        w.wait(lambda: self.caption(w, 'Space-time') != zoomed, 'the middle button moves the picture')
        w.key('Left', 'Left')
        w.key('plus')
        w.key('minus', 'f')
        w.wait(lambda: self.caption(w, 'Space-time') == whole, 'all of it again')
        w.scroll(x + width / 2, y + 60, 8, keys=['ctrl'])
        w.wait(lambda: len(self.rows(w)) < 4, 'fewer rows are shown')
        w.key('f')
        w.wait(lambda: self.rows(w) == TASKS, 'all rows again')

    def test_steps_of_a_view_are_gone_back(self):
        """Range and rows of a view, one after the other, while edits stay as they are."""
        w = self.open()
        whole = self.caption(w, 'Space-time')
        x, y, width, height = self.plot(w)
        self.picture(w, 'Space-time').click(fx=0.02, fy=0.05)
        w.drag(round(x + width / 4), y + 60, round(x + width / 2), y + 80)
        w.key('z')
        w.wait(lambda: self.caption(w, 'Space-time') != whole, 'the range is shown')
        zoomed = self.caption(w, 'Space-time')
        w.key('f')
        w.wait(lambda: self.caption(w, 'Space-time') == whole, 'all of it')
        w.scroll(x + width / 2, y + 60, 8, keys=['ctrl'])
        w.wait(lambda: len(self.rows(w)) < 4, 'fewer rows are shown')
        w.key('BackSpace')
        w.wait(lambda: self.rows(w) == TASKS and self.caption(w, 'Space-time') == whole, 'all rows, in one step')
        w.key('BackSpace')
        w.wait(lambda: self.caption(w, 'Space-time') == zoomed, 'the range')
        w.key('BackSpace')
        w.wait(lambda: self.caption(w, 'Space-time') == whole, 'all of it, as at first')

    @unittest.skipUnless('SCOPE_PINCH' in os.environ, 'the module that pinches was not built')
    def test_pinch(self):
        w = self.open(env={'GTK_MODULES': os.environ['SCOPE_PINCH']})
        whole = self.caption(w, 'Space-time')
        x, y, width, height = self.plot(w)
        w.move(round(x + width / 2), round(y + height / 2))
        w.process.send_signal(signal.SIGUSR1)
        w.wait(lambda: self.caption(w, 'Space-time') != whole, 'fingers that part bring it nearer')
        first, last = (float(s.replace('\u202f', '')) for s in re.findall(r'\d[\d\u202f]*\.[\d\u202f]+\d', self.caption(w, 'Space-time'))[:2])
        self.assertAlmostEqual(first, 0.2631 / 4, delta=0.003)
        self.assertAlmostEqual(last, 0.2631 * 3 / 4, delta=0.003)
        w.process.send_signal(signal.SIGUSR2)
        w.wait(lambda: self.caption(w, 'Space-time') == whole, 'fingers that close bring it back')

    def test_tree_opens(self):
        """A double click on a box makes it the root, on the root it goes back; each can be undone."""
        w = self.start(TRACE, os.path.join(ROOT, 'schemas', 'calls', 'call-tree.eve'))
        picture = self.picture(w, 'Flame graph')
        self.pane(w, 'Call timeline')
        w.key('End')
        names = lambda: [i.name for i in picture.children[:40]]  # noqa: E731
        w.wait(lambda: any(n.startswith('all tasks') for n in names()) and any(n.startswith('Recv') for n in names()), 'there is a tree', 60)
        wide = lambda: next((i.box[2] for i in picture.children[:40] if i.name.startswith('Recv')), 0)  # noqa: E731
        before = wide()
        next(i for i in picture.children[:40] if i.name.startswith('Recv')).click(times=2)
        w.wait(lambda: wide() > 1.2 * before, 'the box fills the picture')
        next(i for i in picture.children[:40] if i.name.startswith('all tasks')).click(times=2)
        w.wait(lambda: abs(wide() - before) < 3, 'all of it is there again')
        w.key('ctrl+z')
        w.wait(lambda: wide() > 1.2 * before, 'it is undone')

    def test_time_by_ruler_double_click_and_key(self):
        w = self.open()
        before = self.now(w)
        self.assertEqual(before, 0)
        x, y, width, height = self.plot(w)
        px, py, pw, ph = self.picture(w, 'Space-time').box
        w.drag(round(x + 10), py + ph - 12, round(x + width / 2), py + ph - 12)
        w.wait(lambda: 0.12 < self.now(w) < 0.132, 'the present is in the middle')
        w.click(round(x + width * 3 / 4), y + height / 2, times=2)
        w.wait(lambda: 0.17 < self.now(w) < 0.198, 'a double click goes there')
        late = self.now(w)
        w.click(round(x + width / 2), round(y + height / 2), button=3)
        w.wait_for('menu item', 'Go Here').click()
        w.wait(lambda: 0.12 < self.now(w) < 0.132, 'the menu means the point where it was opened')
        w.click(round(x + width * 3 / 4), y + height / 2, times=2)
        w.wait(lambda: self.now(w) == late, 'there again')
        w.click(round(x - 40), y + height / 2)
        w.wait_for('label', 't40002 fft 0')
        w.wait_for('push button', 'Go to where it took this state').click()
        w.wait(lambda: self.now(w) < late, 'it goes back to where the state began')

    def test_nodes_are_dragged(self):
        w = self.open()
        w.key('End')
        graph = self.picture(w, 'State graph')
        w.key('Home', 'period', 'period', 'period', 'period')
        self.picture(w, 'Space-time').click(fx=0.9, fy=0.3, times=2)

        def node():
            return next((i for i in graph.children if re.match('fft 1', i.name) and ' to ' not in i.name), None)
        w.wait(node, 'the task is in the graph')
        w.settle()
        x, y, width, height = w.wait(node, 'it is still there').box
        w.drag(round(x + width / 2), round(y + height / 2), round(x + width / 2), round(y + height / 2 - 14))

        def stands_at(top):  # while the graph is drawn anew there may be no node for a moment
            there = node()
            return there and abs(there.box[1] - top) < 3
        w.wait(lambda: stands_at(y - 14), 'it stands where it was dropped')
        w.key('ctrl+z')
        w.wait(lambda: stands_at(y), 'undo brings it back')

    def test_rows_are_dragged_and_hidden_and_it_is_undone(self):
        w = self.open()
        x, y, width, height = self.plot(w)
        rows = {i.name.split()[0]: i for i in self.picture(w, 'Space-time').children[:4]}
        low = rows['t40004'].box
        w.drag(round(x - 30), round(y + height / 2), round(x - 30), round(low[1] + low[3] / 2))
        w.wait(lambda: self.rows(w) == ['t40003', 't40004', 't40002', 't40005'], 'the row stands where it was dropped')
        w.key('ctrl+z')
        w.wait(lambda: self.rows(w) == TASKS, 'undo brings it back')
        w.settle()  # also: a second press at the same place too soon would be a double click
        px, py, pw, ph = self.picture(w, 'Space-time').box
        w.drag(round(x - 30), round(y + height / 2), round(px - 40), round(y + height / 2))
        w.wait(lambda: self.rows(w) == TASKS[1:], 'a row dragged out is hidden')
        w.key('ctrl+z')
        w.wait(lambda: self.rows(w) == TASKS, 'undo shows it again')

    def test_detach_maximise_close_and_tile(self):
        w = self.open()
        self.picture(w, 'State graph').click()
        w.key('ctrl+d')
        w.wait(lambda: len([f for f in w.frames if f.role == 'frame']) == 2, 'the view has a window of its own')
        w.wait_for('push button', 'Back into the main window').action('click')
        w.wait(lambda: len([f for f in w.frames if f.role == 'frame']) == 1, 'it came back')
        self.picture(w, 'Space-time').click()
        w.key('ctrl+m')
        w.wait_gone('drawing area', 'Picture of State graph')
        w.key('ctrl+m')
        self.picture(w, 'State graph')
        self.picture(w, 'Trace text').click()
        w.key('ctrl+w')
        w.wait_gone('drawing area', 'Picture of Trace text')
        self.picture(w, 'Space-time').click(button=3)
        w.wait_for('menu item', 'Open Trace text').click()
        self.picture(w, 'Trace text')
        # A title dragged to an edge of another view: below it.
        graph, space = self.pane(w, 'State graph').box, self.pane(w, 'Space-time').box
        w.drag(round(graph[0] + 60), round(graph[1] + 14), round(space[0] + space[2] / 2), round(space[1] + space[3] - 20))
        w.wait(lambda: self.pane(w, 'State graph').box[1] > self.pane(w, 'Space-time').box[1] + 50
               and self.pane(w, 'State graph').box[0] == self.pane(w, 'Space-time').box[0], 'it stands below')

    def boxes(self, w):
        """Where the panes are."""
        return {view: self.pane(w, view).box for view in ('Space-time', 'State graph', 'Trace text')}

    def test_panes_come_and_go_with_their_boxes(self):
        w = self.open()
        x, y, width, height = self.plot(w)
        w.scroll(x + width / 2, y + 60, 3)
        # An order that nobody would come upon by chance.
        graph, text = self.pane(w, 'State graph').box, self.pane(w, 'Trace text').box
        w.drag(round(text[0] + 60), round(text[1] + 14), round(graph[0] + 20), round(graph[1] + graph[3] / 2))
        w.wait(lambda: self.pane(w, 'Trace text').box[0] < self.pane(w, 'State graph').box[0], 'the text is left of the graph')
        w.settle()
        before, zoomed = self.boxes(w), self.caption(w, 'Space-time')
        for view in ('Space-time', 'Trace text', 'State graph'):
            box = next(p for p in w.find_all('panel', view) if not p.find('drawing area', showing=False))
            box.click(fy=0.15)
            w.key('Delete')
            w.wait_gone('drawing area', 'Picture of ' + view)
        w.wait_for('label', re.compile('^No view is open'))
        w.key('ctrl+z', 'ctrl+z', 'ctrl+z')
        self.picture(w, 'Space-time')
        w.wait(lambda: self.boxes(w) == before, 'all are where they were')
        self.assertEqual(self.caption(w, 'Space-time'), zoomed)
        # Closed and opened again, or detached and back, they are there too.
        self.picture(w, 'Trace text').click()
        w.key('ctrl+w')
        w.wait_gone('drawing area', 'Picture of Trace text')
        self.picture(w, 'Space-time').click(button=3)
        w.wait_for('menu item', 'Open Trace text').click()
        self.picture(w, 'Trace text')
        w.wait(lambda: self.boxes(w) == before, 'it is where it was closed')
        self.picture(w, 'Space-time').click()
        w.key('ctrl+d')
        w.wait_for('push button', 'Back into the main window').action('click')
        w.wait(lambda: self.boxes(w) == before, 'it is where it was detached')
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('trace text')
        # by action: rows are made anew with each letter that comes
        w.wait(lambda: w.find('list item', re.compile('(?i)^trace text.*add')).action(), 'it is chosen')
        self.picture(w, 'Trace text 2')

    def test_threads_and_semaphores_have_views(self):
        w = self.start(SAMPLES + '/philosophers.trace', os.path.join(os.path.dirname(SAMPLES), 'schemas', 'tape', 'threads.eve'))
        bars = self.picture(w, 'Busy or held')
        w.find('push button', 'To the end').click()
        for name in ('dining', 'dining.3', 'dining.s4'):
            w.wait(lambda: any(re.match(re.escape(name) + r'\b.*%', i.name) for i in bars.children), f'there is a bar of {name}')
        text = self.picture(w, 'Thread text')
        w.wait(lambda: any('semaphore' in i.name for i in text.children), 'the text tells of semaphores')
        self.assertFalse(any('sends' in i.name for i in text.children))

    def test_text_is_searched_and_narrowed(self):
        w = self.open()
        self.picture(w, 'Trace text').click()
        w.key('ctrl+f')
        field = w.wait_for('text', 'Find in the events')
        w.wait(lambda: field.state('focused'), 'the field has the focus')
        w.type('barrier')
        status = w.wait(lambda: w.find('label', re.compile(r'^(event \d+|no more)$')), 'the search has ended', 30)
        if status.name != 'no more':
            first = status.name
            w.key('Return')
            w.wait(lambda: not w.find('label', first), 'the next one is another')
        field.type('no such words')
        w.wait_for('label', 'no more', 30)
        w.key('ctrl+m')         # what a small pane has no room for
        tasks = w.wait_for('text', 'Tasks that are shown')
        tasks.type('t40004')
        w.key('Return')
        text = self.picture(w, 'Trace text')
        w.wait(lambda: text.children and all(i.name.startswith(('fft 2', 't40004')) for i in text.children[:8]),
               'only events of that task are shown', 30)
        w.key('Escape')

    def select(self, w, task):
        w.wait(lambda: next((i for i in self.picture(w, 'Space-time').children if i.name.startswith(task)), None),
               f'there is a row of {task}').action('click')

    def export(self, w, view, path, largest=False):
        self.picture(w, view).click(fx=0.02, fy=0.05)
        w.key('ctrl+e')
        w.wait_for('push button', 'Export')
        if largest:
            w.key('alt+s', 'space', 'End', 'Return', 'alt+n')
        w.key('ctrl+a')
        w.type(path)
        w.key('Return')
        w.wait_gone('push button', 'Export')

    def test_export_table_and_picture(self):
        w = self.open()
        self.select(w, 't40003')
        w.key('Home', 'period', 'period', 'period')
        for name in ('space.png', 'space.svg', 'space.pdf', 'space.csv', 'graph.svg'):
            path = self.path(name)
            size = self.picture(w, 'Space-time').box[2:] if name == 'space.png' else size
            self.export(w, 'State graph' if name.startswith('graph') else 'Space-time', path)
            w.wait(lambda: os.path.exists(path) and os.path.getsize(path) > 500, f'{name} is written', 60)
            w.wait_for('label', 'Written: ' + path)
        self.assertEqual(sorted(os.listdir(self.folder)), ['graph.svg', 'space.csv', 'space.pdf', 'space.png', 'space.svg'])
        with open(self.path('space.csv')) as f:
            lines = f.read().splitlines()
        self.assertEqual(lines[0], 'kind,task,name,state,from [s],to [s],to task,size [B],tag')
        self.assertGreater(len(lines), 100)
        self.assertEqual(self.size(self.path('space.png')), tuple(2 * n for n in size))
        # The same as the command draws of the same instant, as large as the pane was then: a message above it may have gone.  A click on
        # the picture has let go of what was selected.
        same, drawn = self.path('same.svg'), self.content(self.path('graph.svg')).decode()
        width, height = re.search(r'<svg[^>]* width="(\d+)px" height="(\d+)px"', drawn).groups()
        subprocess.run([SCOPE, 'draw', TRACE, '--view', 'State graph', '--at', '#3', '--heading', '--size',
                        f'{width}x{height}', '-o', same, '--quiet'], check=True)
        self.assertEqual(self.content(same), self.content(self.path('graph.svg')))

    @staticmethod
    def content(path):
        with open(path, 'rb') as f:
            return f.read()

    def size(self, path):
        """Of a PNG."""
        data = self.content(path)
        self.assertEqual(data[:8], b'\x89PNG\r\n\x1a\n')
        self.assertEqual(data[-8:-4], b'IEND')
        return struct.unpack('>II', data[16:24])

    def stopped_writer(self, w):
        """The process that writes a picture for the window, held."""
        def found():
            for pid in filter(str.isdigit, os.listdir('/proc')):
                try:
                    with open(f'/proc/{pid}/stat') as f:
                        parent = int(f.read().rsplit(')', 1)[1].split()[1])
                    with open(f'/proc/{pid}/cmdline', 'rb') as f:
                        draws = b'\0draw\0' in f.read()
                    if parent == w.process.pid and draws:
                        os.kill(int(pid), signal.SIGSTOP)
                        return int(pid)
                except (OSError, IndexError):
                    pass
            return None
        return w.wait(found, 'a process draws it')

    def test_a_large_export_does_not_hold_the_window_up_and_can_be_given_up(self):
        w = self.start(self.synth(2000, 120000))
        self.picture(w, 'Space-time')
        w.wait_gone('label', re.compile('^Shooting'), 60)
        os.mkdir(self.path('to'))
        path = self.path('to', 'big.png')
        sentence = w.wait_for('label', 'Before the first event')
        forward = w.find('push button', 'Forward one event')
        self.picture(w, 'Space-time').click(fx=0.02, fy=0.05)
        w.key('ctrl+m')
        w.wait_gone('drawing area', 'Picture of State graph')
        self.export(w, 'Space-time', path, largest=True)
        writer = self.stopped_writer(w)     # there must be time to give it up
        stop = w.wait_for('push button', 'Give Up')
        forward.click()
        w.wait(lambda: 'enrolls' in sentence.name, 'the window goes on')
        self.assertFalse(os.path.exists(path), 'it is still being written')
        stop.click()
        try:
            os.kill(writer, signal.SIGCONT)
        except ProcessLookupError:
            pass
        w.wait_for('label', f'{path} was not written: given up')
        w.wait_gone('label', 'Writing ' + path)
        self.assertEqual(os.listdir(self.path('to')), [])
        self.picture(w, 'Space-time').click(fx=0.02, fy=0.05)
        w.key('ctrl+m')
        self.picture(w, 'State graph')
        width = self.picture(w, 'Space-time').box[2]
        self.export(w, 'Space-time', path, largest=True)
        w.wait(lambda: os.path.exists(path), 'it is written', 120)
        self.assertEqual(self.size(path)[0], 8 * width)
        w.wait_gone('label', 'Writing ' + path)
        self.assertEqual(os.listdir(self.path('to')), ['big.png'])

    def test_an_export_that_cannot_be_written_says_why(self):
        w = self.open()
        self.export(w, 'Space-time', '/proc/x.png')
        w.wait_for('label', re.compile('^/proc/x.png cannot be written: '))

    def test_picture_is_copied(self):
        w = self.open()
        self.picture(w, 'State graph').click()
        size = self.picture(w, 'State graph').box[2:]
        w.key('ctrl+shift+c')
        w.wait_for('label', 'Picture of State graph is in the clipboard', 30)
        path = self.path('pasted.png')
        with open(path, 'wb') as f:
            subprocess.run([sys.executable, '-c', PASTE], env=session().env, check=True, stdout=f, timeout=60)
        self.assertEqual(self.size(path), tuple(2 * n for n in size))

    def test_print(self):
        with open(os.path.join(os.environ['XDG_CONFIG_HOME'], 'user-dirs.dirs'), 'w') as f:
            f.write(f'XDG_DOCUMENTS_DIR="{self.folder}"\n')
        w = self.open()
        self.picture(w, 'Space-time').click(fx=0.02, fy=0.05)
        w.key('ctrl+p')
        w.wait_for('table cell', 'Print to File').click()
        w.wait_for('push button', 'Print').click()
        path = self.path('fft2d-s16.trace Space-time.pdf')
        w.wait(lambda: os.path.exists(path) and self.content(path).rstrip().endswith(b'%%EOF'), 'it is printed')
        w.wait_gone('push button', 'Print')
        page = self.content(path)
        box = [float(n) for n in re.search(rb'/MediaBox \[ ?([\d. ]+)\]', page).group(1).split()]
        self.assertGreater(box[2], box[3], 'the page lies')
        self.assertEqual(len(re.findall(rb'/Type /Page\b', page)), 1)
        drawn = b''.join(zlib.decompress(s) for s in re.findall(rb'/FlateDecode\s*>>\s*stream\r?\n(.*?)\nendstream', page, re.S)
                         if s[:1] == b'x')
        busy = ' '.join(f'{n / 255:.6f}' for n in (0x2a, 0x9d, 0x6f)).encode()
        self.assertGreater(drawn.count(busy + b' rg'), 0, 'Busy has its colour')
        edges = [float(n) for r in re.findall(rb'([-\d.]+) [-\d.]+ [-\d.]+ [-\d.]+ re', drawn) for n in r.split()]
        self.assertGreater(len(edges), 50)

    def legend(self, w, state):
        return w.wait_for('push button', 'Colour of ' + state)

    def has(self, w, colour):
        """Whether the first row of the space-time diagram has a colour."""
        x, y, width, height = (round(v) for v in self.plot(w))
        return any(w.colour(x + i, y + height // 2) == colour for i in range(0, width, 2))

    def test_colours_are_dropped(self):
        busy, idle = (0x2a, 0x9d, 0x6f), (0x8f, 0xb8, 0xde)
        w = self.open()
        w.wait(lambda: self.has(w, busy) and self.has(w, idle), 'both states are seen')
        # From one colour of the legend to another.
        self.legend(w, 'Busy').drag_to(self.legend(w, 'Idle'))
        w.wait(lambda: not self.has(w, idle), 'Idle has the colour of Busy')
        w.find('push button', 'All colours as they came').click()
        w.wait(lambda: self.has(w, idle), 'it is back')
        # From the legend onto an interval.
        x, y, width, height = (round(v) for v in self.plot(w))
        at = next(x + i for i in range(0, width, 2) if w.colour(x + i, y + height // 2) == idle == w.colour(x + i + 8, y + height // 2))
        self.legend(w, 'Overhead').drag_to((at + 4, y + height // 2))
        w.wait(lambda: not self.has(w, idle), 'Idle has the colour of Overhead')
        with open(os.path.join(os.environ['XDG_CONFIG_HOME'], 'scope', 'colours')) as f:
            self.assertIn('Idle=#d9730d', f.read())

    def test_a_trace_of_another_program_and_the_states_it_declares(self):
        """Opened as it is; its states are in the legend in the colours of the views, and the ruler shows what was done."""
        w = self.start(os.path.join(ROOT, 'tests', 'fuzz', 'corpus', 'paje', 'made0'))
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.find('slider', 'Time').click(fx=0.7, fy=0.35)
        box = self.legend(w, 'Running').box
        x, y, width, height = w.find('slider', 'Time').box
        middle = round(box[0] + box[2] / 2), round(box[1] + box[3] / 2)
        x, y, width, height = (round(v) for v in (x, y, width, height))

        def on_the_ruler():
            _, _, line, data = w.pixels()
            at = middle[1] * line + middle[0] * 4
            return any(data[at:at + 3] == data[i:i + 3]
                       for row in range(y + 4, y + height - 24, 3) for i in range(row * line + (x + 20) * 4, row * line + (x + width - 20) * 4, 28))
        w.wait(on_the_ruler, 'the ruler has the colour of Running')

    def test_colours_are_reset(self):
        config = os.path.join(os.environ['XDG_CONFIG_HOME'], 'scope')
        os.makedirs(config, exist_ok=True)
        with open(os.path.join(config, 'colours'), 'w') as f:
            f.write('[State]\nBusy=#102030\n')
        w = self.open()
        w.wait(lambda: self.has(w, (0x10, 0x20, 0x30)), 'what was chosen is seen')
        w.wait_for('push button', 'All colours as they came').click()
        w.wait(lambda: self.has(w, (0x2a, 0x9d, 0x6f)), 'the first colour is back')

    def test_dark_and_light_while_it_is_open(self):
        w = self.open()
        self.picture(w, 'Trace text').click()
        w.key('ctrl+d')
        w.wait_for('push button', 'Back into the main window')
        desktop = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'portal.py'), '0'],
                                   env=session().env, stdin=subprocess.PIPE, text=True)

        def end():
            desktop.stdin.close()
            desktop.wait(20)
        self.addCleanup(end)

        def papers():
            return [sum(w.colour(*self.picture(w, view).at(0.01, 0.99))) for view in ('Space-time', 'State graph', 'Trace text')]
        for scheme in (1, 2, 1):
            desktop.stdin.write(f'{scheme}\n')
            desktop.stdin.flush()
            w.wait(lambda: max(papers()) < 200 if scheme == 1 else min(papers()) > 650, 'views follow: ' + ('dark' if scheme == 1 else 'light'))
        # Colours are lighter on dark paper, in the legend too.
        box = self.legend(w, 'Busy').box
        self.assertTrue(self.has(w, w.colour(round(box[0] + box[2] / 2), round(box[1] + box[3] / 2))))
        self.assertFalse(self.has(w, (0x2a, 0x9d, 0x6f)))

    def test_detached_panes_are_found_again(self):
        program = self.path('mine.eve')
        shutil.copy(os.path.join(os.path.dirname(SAMPLES), 'schemas', 'tapepvm', 'views.eve'), program)
        w = self.open(TRACE, program)
        self.picture(w, 'State graph').click()
        w.key('ctrl+d')
        w.wait_for('push button', 'Back into the main window')
        own = next(f for f in w.frames if f.name.startswith('State graph'))
        id = w.wait(lambda: next((i for i in w.ids() if self.title(i).startswith('State graph')), None), 'it has a window')
        xdo('windowsize', id, 640, 480)
        w.wait(lambda: 640 <= own.box[2] < 660, 'it is larger')

        def saved():
            self.picture(w, 'Space-time').click(fx=0.02, fy=0.05)
            w.key('ctrl+s')
            with open(program) as f:
                return re.search(r'window=6[45]\d;4[89]\d', f.read())
        w.wait(saved, 'its window is saved')
        size = own.box[2:]
        w.kill()
        w = self.open(TRACE, program)
        own = w.wait(lambda: next((f for f in w.frames if f.name.startswith('State graph')), None), 'it is detached again')
        w.wait(lambda: own.box[2:] == size, 'as large as it was')
        self.assertTrue(own.find('drawing area', 'Picture of State graph'))
        w.find('push button', 'Back into the main window').action('click')
        w.wait(lambda: len([f for f in w.frames if f.role == 'frame']) == 1, 'it goes back')
        self.picture(w, 'State graph')

    @staticmethod
    def title(window):
        return subprocess.run(['xdotool', 'getwindowname', window], env=session().env, stdout=subprocess.PIPE, text=True).stdout

    def test_kept_with_the_program(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder, True)
        program = os.path.join(folder, 'mine.eve')
        shutil.copy(os.path.join(os.path.dirname(SAMPLES), 'schemas', 'tapepvm', 'views.eve'), program)
        w = self.open(TRACE, program)
        x, y, width, height = self.plot(w)
        w.scroll(x + width / 2, y + 60, 5)
        whole = self.caption(w, 'Space-time')
        self.picture(w, 'Trace text').click()
        w.key('ctrl+w')
        w.wait_gone('drawing area', 'Picture of Trace text')
        zoomed = self.caption(w, 'Space-time')
        w.settle()
        share = self.share(w)
        w.wait(lambda: self.saved(w, program), 'what is open is saved')
        w.kill()
        w = self.start(TRACE, program)
        self.picture(w, 'State graph')
        self.assertIsNone(w.find('drawing area', 'Picture of Trace text'))
        w.wait(lambda: self.caption(w, 'Space-time') == zoomed, 'the range is the one that was left')
        w.wait(lambda: abs(self.share(w) - share) < 0.03, 'it has the share of the room that it had')

    def share(self, w):
        graph, space = self.pane(w, 'State graph').box, self.pane(w, 'Space-time').box
        return space[2] / (space[2] + graph[2])

    def saved(self, w, program):
        w.key('ctrl+s')
        with open(program) as f:
            text = f.read()
        return '[views]' in text and 'closed=Trace text' in text and '0.from=' in text

    def test_one_instant_is_at_one_x(self):
        """Rows of pictures that stand above each other begin and end at one x, however long their labels are; one beside them is as it was."""
        program = self.path('stacked.eve')
        with open(program, 'w', encoding='utf-8') as f:
            f.write("""<?xml version="1.0"?><eve version="1">
<note name="window">[views]
views=Long;Short;Beside;
tiling=(h 600 (v 500 0 1) 2)
</note>
<note name="associations">associations 1
in "Short"
task host label
</note>
<component name="Session" class="scope.session"/><component name="Reader" class="scope.tapepvm-reader"/><component name="Simulator" class="scope.pvm-simulator"/>
<component name="Long" class="scope.space-time"/><component name="Short" class="scope.space-time"/><component name="Beside" class="scope.space-time"/>
<wire from="Reader" out="events" to="Simulator" in="events"/>
<wire from="Simulator" out="states" to="Long" in="states"/><wire from="Simulator" out="messages" to="Long" in="messages"/>
<wire from="Simulator" out="states" to="Short" in="states"/><wire from="Simulator" out="messages" to="Short" in="messages"/>
<wire from="Simulator" out="states" to="Beside" in="states"/></eve>""")
        w = self.start(TRACE, program)

        def row(name):
            """Where the time of the first row begins, in its picture, and how wide that is."""
            picture = self.picture(w, name)
            boxes = [i.box for i in picture.children[:40] if re.match(r't4\w+|host', i.name)]
            return boxes and (boxes[0][0] - picture.box[0], boxes[0][2])
        w.wait(lambda: row('Long') and row('Short') and row('Beside'), 'all have their rows', 60)
        def alike():
            one, other = row('Long'), row('Short')
            return one and one == other and one[0] > 60
        w.wait(alike, 'both of the column begin where the longer labels end')
        self.picture(w, 'Long').click(fx=0.5, fy=0.05)
        w.key('ctrl+w')
        w.wait(lambda: not w.find('drawing area', 'Picture of Long'), 'the upper one is closed')
        def narrower():
            one, other = row('Short'), row('Beside')
            return one and other and one[0] < other[0]
        w.wait(narrower, 'the other has the room for itself')

    def test_two_traces(self):
        """Each pane is of the trace that is wired to it; time is that of both."""
        w = self.start(SAMPLES + '/fft2d-s2.trace', SAMPLES + '/fft2d-s64.trace')
        w.wait_for('toggle button', 'Program: Compare two executions', 30)
        self.assertIn('fft2d-s2.trace, fft2d-s64.trace', [label.name for label in w.frame.find_all('label')])
        for k in (1, 2):
            w.wait(lambda: len(self.picture(w, f'Space-time {k}').children) >= 4, f'execution {k} has its four tasks', 60)
        w.key('End')

        def table(k):
            return {c.name for c in self.picture(w, f'Time by state {k}').children}
        w.wait(lambda: len(table(1)) > 3 and len(table(2)) > 3, 'both are at their ends', 60)
        self.assertTrue(table(1) - table(2))


if __name__ == '__main__':
    main()
