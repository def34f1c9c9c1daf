# SPDX-License-Identifier: Apache-2.0
"""The window as a whole: opening, choosing, finding, folding, saving, closing, and what it says of bad input."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from harness import ROOT, SAMPLES, SCOPE, WINDOW, Atspi, Case, main, session

import gi       # noqa: E402
gi.require_version('Gdk', '3.0')
gi.require_version('Gtk', '3.0')
from gi.repository import Gdk, Gtk       # noqa: E402

SOURCES = os.path.join(ROOT, 'src')
PROGRAM = re.compile('^Program: ')


class Shell(Case):
    def opened(self, *words, **more):
        w = self.start(*words, **more)
        w.wait_for('toggle button', PROGRAM, 30)
        return w

    def title(self, w):
        """Title and subtitle of the header bar."""
        return [label.name for label in w.frame.find_all('label')][:2]

    def menu(self, w, item):
        w.find('toggle button', 'Menu').click()
        w.wait_for(None, item).click()

    def add(self, w, what):
        """Adds a component as the search does."""
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type(what)
        w.wait_for('list item', re.compile(f'(?i)^{what}.*add'))
        w.key('Return')
        w.wait(lambda: w.find('push button', 'Undo').state('sensitive'), f'{what} was added')

    def save_as(self, w, path):
        w.key('ctrl+shift+s')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(path)
        w.key('Return')
        w.wait_gone('file chooser')
        w.wait(lambda: os.path.exists(path), 'the file is there')

    def modified(self, w):
        return w.find('toggle button', re.compile('^Program: .* •$'))


class Opening(Shell):
    def test_start_page_opens_a_sample(self):
        w = self.start()
        w.wait_for('list item', 'farm.trace').click()
        w.wait_for('toggle button', PROGRAM)
        self.assertEqual(self.title(w)[0], 'farm.trace')
        w.wait(lambda: w.find('label', re.compile('PVM · 5 tasks · 1314 events')), 'the subtitle tells what is open')

    def test_tour(self):
        """Offered at the first start, goes from place to place, can be left, and is not offered again."""
        w = self.start()
        w.wait_for('push button', 'Take the Tour').click()
        w.wait_for('toggle button', PROGRAM, 30)
        w.wait_for('label', 'fft2d-s16.trace')
        titles = ['Time', 'Views', 'A range and its story', 'The program', 'What is selected', 'Finding things']
        for number, title in enumerate(titles, 1):
            w.wait_for('label', f'{number} of {len(titles)}')
            w.wait_for('label', title)
            w.wait_for('push button', 'Next' if number < len(titles) else 'Done').click()
        w.wait_gone('push button', 'Done')
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('tour')
        w.wait_for('list item', re.compile('^Tour of the window'))
        w.key('Return')
        w.wait_for('push button', 'Leave the Tour').click()
        w.wait_gone('push button', 'Leave the Tour')
        w.quit()
        w = self.start()
        w.wait_for('push button', 'Open a trace…')
        self.assertIsNone(w.find('push button', 'Take the Tour'))

    def test_recent(self):
        w = self.opened(SAMPLES + '/ring.trace')
        w.find('toggle button', 'Open').click()
        w.wait_for(None, 'ring.trace')
        w.key('Escape')
        w.key('ctrl+q')
        w.ended()
        again = self.start()
        again.wait(lambda: again.find('list box', 'Recent') and again.find('list box', 'Recent').find(None, 'ring.trace'),
                   'the start page remembers')

    def test_dialog(self):
        w = self.start()
        w.key('ctrl+o')
        w.wait_for('file chooser')
        w.type('/')
        entry = w.wait_for('text', None)
        w.key('ctrl+a')
        w.type(SAMPLES + '/farm.trace')
        w.key('Return')
        w.wait(lambda: w.find('toggle button', PROGRAM) or w.find('push button', 'Open'), 'it was chosen')
        if w.find('file chooser'):
            w.key('Return')
        w.wait_for('toggle button', PROGRAM)
        self.assertEqual(self.title(w)[0], 'farm.trace')
        self.assertIsNotNone(entry)

    def test_dialog_takes_files_of_other_programs_and_the_execution_is_exported(self):
        w = self.start()
        w.key('ctrl+o')
        w.wait_for('file chooser')
        w.type('/')
        w.wait_for('text', None)
        w.key('ctrl+a')
        w.type(os.path.join(os.path.dirname(SAMPLES), 'tests', 'fuzz', 'corpus', 'paje', 'made0'))
        w.key('Return')
        w.wait(lambda: w.find('toggle button', PROGRAM) or w.find('push button', 'Open'), 'it was chosen')
        if w.find('file chooser'):
            w.key('Return')
        w.wait_for('toggle button', PROGRAM)
        self.assertEqual(self.title(w)[0], 'made0')
        out = os.path.join(tempfile.mkdtemp(prefix='scope-gui-'), 'out.json')
        self.menu(w, 'Export the execution…')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(out)
        w.key('Return')
        w.wait_gone('file chooser')
        w.wait(lambda: os.path.exists(out), 'the file is there')
        with open(out) as f:
            self.assertGreater(len(json.load(f)['traceEvents']), 30)
        w.wait(lambda: sorted(os.listdir(os.path.dirname(out))) == ['out.json'], 'and nothing beside it')

    def test_choose_program(self):
        w = self.opened(SAMPLES + '/ring.trace')
        w.find('toggle button', PROGRAM).click()
        w.wait_for('list box', 'Programs on offer')
        w.type('state of tasks')         # it has no view: the last of the list
        card = w.wait_for('list item', 'State of tasks and links')
        self.assertRegex(card.description, 'Replays the execution')
        card.click()
        w.wait_for('toggle button', 'Program: State of tasks and links')

    def test_one_process(self):
        w = self.opened(SAMPLES + '/ring.trace')
        second = subprocess.run([WINDOW, SAMPLES + '/farm.trace'], env=session().env, timeout=60)
        self.assertEqual(second.returncode, 0)
        w.wait(lambda: len([f for f in w.frames if f.role == 'frame']) == 2, 'there is a second window')
        w.wait(lambda: w.find('label', 'farm.trace') and w.find('label', 'ring.trace'), 'each has its own trace')
        wrong = subprocess.run([WINDOW, 'a.eve', 'b.eve'], env=session().env, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn('one program is all', wrong.stderr)

    def test_program_and_trace(self):
        program = self.path('mine.eve')
        shutil.copy(os.path.join(os.path.dirname(SAMPLES), 'schemas', 'tapepvm', 'default.eve'), program)
        w = self.opened(SAMPLES + '/ring.trace', program)
        w.find('toggle button', PROGRAM).click()
        w.wait_for('list box', 'Programs on offer') and w.type('state of tasks')
        w.wait_for('list item', 'State of tasks and links')
        self.assertEqual(len([i for i in w.find_all('list item') if i.description.endswith(self.folder)]), 1)

    def test_files_beside_the_program(self):
        """Names of files in settings are relative to the program, also for the film of what is edited and not saved."""
        subprocess.run([SCOPE, 'synth', '--format', 'tape', '--tasks', '3', '--events', '300', '-o', self.path('beside.trace')],
                       check=True, stdout=subprocess.DEVNULL)
        with open(self.path('two.eve'), 'w') as f:
            f.write('<eve version="1"><component name="Session" class="scope.session" version="1"/>'
                    '<component name="Reader" class="scope.tapepvm-reader" version="1"/>'
                    '<component name="Other" class="scope.tape-reader" version="1">'
                    '<setting name="trace">beside.trace</setting></component>'
                    '<wire from="Session" out="commands" to="Reader" in="commands"/></eve>')
        w = self.opened(SAMPLES + '/ring.trace', self.path('two.eve'))
        w.wait(lambda: self.shot('two.eve') == ['complete'], 'the film is shot', 60)
        self.add(w, 'series')       # a source more: no film that is there serves
        w.wait(lambda: self.shot('two.eve') == ['complete'] * 2, 'the film of what was edited is shot', 60)
        self.assertIsNone(w.find('info bar'))

    def shot(self, program):
        """States of the films of a program."""
        home = os.path.join(session().env['XDG_CACHE_HOME'], 'scope', 'films')
        states = []
        for folder, _, names in os.walk(home):
            if 'manifest' in names:
                with open(os.path.join(folder, 'manifest')) as f:
                    m = dict(line.strip().split('=', 1) for line in f if '=' in line)
                if m['program'] == program:
                    states.append(m['state'])
        return states

    def test_dropped_files(self):
        w = self.start()
        self.drop(w, lambda: w.find('toggle button', PROGRAM), SAMPLES + '/farm.trace')
        self.assertEqual(self.title(w)[0], 'farm.trace')
        program = os.path.join(os.path.dirname(SAMPLES), 'schemas', 'tapepvm', 'default.eve')
        self.drop(w, lambda: w.find('toggle button', 'Program: State of tasks and links'), program)
        self.assertEqual(self.title(w)[0], 'farm.trace')

    def test_format_is_asked(self):
        trace = self.copy('ring.trace')
        shutil.copytree(trace + '/ring.tapepvm', trace + '/ring.other')         # nobody reads that: nothing to ask
        w = self.opened(trace)
        self.assertEqual(self.title(w)[0], 'ring.trace')
        w.kill()
        os.rename(trace + '/ring.other', self.path('other'))
        subprocess.run([SCOPE, 'synth', '--format', 'tape', '--tasks', '3', '--events', '300', '-o', self.path('made.trace')],
                       check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(self.path('made.trace', 'made.tape'), trace + '/ring.tape')
        w = self.start(trace)
        w.wait_for('push button', re.compile('tapepvm'))
        w.find('push button', 'Cancel').click()
        w.wait_gone('push button', 'Cancel')
        self.assertIsNone(w.find('toggle button', PROGRAM))
        w.kill()
        w = self.start(trace)
        w.wait_for('push button', re.compile('tapepvm')).click()
        w.wait_for('toggle button', PROGRAM)
        w.wait(lambda: w.find('label', re.compile('996 events')), 'it is the one that was chosen')

    def test_a_long_opening_can_be_cancelled(self):
        trace = self.synth(16, 4000000)
        w = self.start()
        opening = subprocess.Popen([WINDOW, trace], env=session().env)         # ends when it is open, or is not to be
        self.addCleanup(opening.kill)

        def ended():
            w.key('Escape')
            return opening.poll() is not None
        with w.slowed():
            w.wait(ended, 'Escape ended it', 60)
        w.wait_for('push button', 'Open a trace…')
        self.assertIsNone(w.find('toggle button', PROGRAM))
        w.find('list item', 'farm.trace').click()           # and nothing is left of it
        w.wait_for('toggle button', PROGRAM)

    def test_what_is_asked_for_meanwhile_is_opened_then(self):
        """By the desktop, while something else is being opened; on a fast machine that may have ended, which comes to the same."""
        trace = self.synth(16, 2000000)
        w = self.start()
        opening = subprocess.Popen([WINDOW, trace], env=session().env)
        self.addCleanup(opening.kill)
        with w.slowed():
            w.wait(lambda: w.find('panel', 'Work under way') or w.find('toggle button', PROGRAM), 'it is being opened', 60)
            subprocess.run(['gdbus', 'call', '--session', '--dest', 'org.scope_trace.Scope', '--object-path',
                            '/org/scope_trace/Scope/window/1', '--method', 'org.gtk.Actions.Activate', 'open-recent',
                            f"[<'{SAMPLES}/farm.trace'>]", '{}'], env=session().env, stdout=subprocess.DEVNULL, timeout=120)
        w.wait(lambda: w.find('label', 'farm.trace') and w.find('toggle button', PROGRAM), 'the other is opened', 60)
        w.wait(lambda: opening.poll() == 0, 'who asked first has ended', 60)

    def test_small_screen(self):
        w = self.opened(SAMPLES + '/fft2d-s16.trace', size=(1280, 720))
        self.assertLessEqual(w.frame.box[2], 1290)
        self.assertLessEqual(w.frame.box[3], 730)
        for role, name in (('push button', 'Play'), ('toggle button', 'Menu'), ('slider', 'Time')):
            x, y, width, height = w.find(role, name).box
            self.assertTrue(0 <= x and x + width <= 1290 and y + height <= 730, name)


class Commands(Shell):
    def test_search(self):
        w = self.opened(SAMPLES + '/ring.trace')
        w.key('ctrl+k')
        w.wait(lambda: w.find('text', 'Find').state('focused'), 'the field has the keys')
        w.type('zzzz')
        w.wait_for('label', 'Nothing of this name')
        w.key('Escape')
        w.wait_gone('text', 'Find')
        # a component is added, undone, done again
        self.add(w, 'probe')
        w.wait(lambda: self.modified(w), 'the program is no longer what was saved')
        w.key('ctrl+z')
        w.wait(lambda: not self.modified(w), 'it is what was saved')
        w.key('ctrl+shift+z')
        w.wait(lambda: self.modified(w), 'done again')
        # a task is selected, shown by its attributes
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('t4000')
        rows = w.wait(lambda: [i for i in w.find_all('list item') if i.name.endswith(', task')], 'tasks are found')
        self.assertEqual(len(rows), 5)
        rows[0].click()
        w.wait_gone('text', 'Find')
        # events by number, by date and by kind; a setting; help
        def found(words, row, role='list item'):
            w.key('ctrl+k')
            w.wait(lambda: w.find('text', 'Find').state('focused'), 'the field has the keys')
            w.type(words)
            w.wait_for(role, row).click()
            w.wait_gone('text', 'Find')
        found('100', re.compile('^Event 100, '))
        w.wait(lambda: 'event 100 of' in w.find('status bar').name, 'it is event 100')
        found('0.05 s', re.compile('^Date 0.05'))
        w.wait(lambda: 'Paused: 0.05' in w.find('status bar').name, 'it is that date')
        before = w.find('status bar').name
        found('psend', re.compile('next event of this kind$'))
        w.wait(lambda: w.find('status bar').name != before, 'it is another event')
        found('offset of', re.compile('^offset of Reader, setting'))
        w.wait(lambda: w.find('text', 'offset').state('focused'), 'its field has the keys')
        found('help: gate', re.compile('^Help: Gate'))
        w.wait(lambda: [f for f in w.frames if f.name == 'Help: Gate'], 'the page is there')
        w.key('Escape')
        w.wait(lambda: not [f for f in w.frames if f.name == 'Help: Gate'], 'it is closed')
        w.focus()
        # a command
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('library')
        w.wait_for('list item', re.compile('^Library of components'))
        w.key('Return')
        w.wait_gone('label', 'Analysis')

    def test_what_is_added_lies_on_nothing(self):
        """Wherever the pointer happens to be, a component that was found comes to where it can be seen whole."""
        w = self.opened(SAMPLES + '/ring.trace')
        names = ['Session', 'Reader', 'Simulator', 'Trace text', 'Space-time', 'State graph']
        simulator = next(i for i in w.find_all(None, re.compile('^Simulator')) if i.role not in ('label', 'table cell'))
        simulator.hover()
        for what in ('Gauge', 'Probe', 'Counter'):
            self.add(w, what.lower())
            w.settle()
            boxes = [[i for i in w.find_all(None, re.compile(f'^{name}')) if i.role == simulator.role][0].box for name in names + [what]]
            x, y, width, height = boxes[-1]
            left, top, wide, high = w.find(None, 'Program').box
            self.assertTrue(left <= x and x + width <= left + wide and top <= y and y + height <= top + high, f'{what} is in sight')
            for a, b, c, d in boxes[:-1]:
                self.assertTrue(x + width <= a or a + c <= x or y + height <= b or b + d <= y, f'{what} lies on a box')
            names.append(what)

    def test_what_is_hidden_hears_no_keys(self):
        """A program that was saved with its views alone, or alone without them: keys go to what is shown."""
        for hidden in ('views-only', 'program-only'):
            path = self.path(hidden + '.eve')
            with open(os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve')) as f:
                text = f.read().replace('</doc>', f'</doc><note name="window">[views]\nviews=Space-time;Trace text;\n'
                                         f'[shell]\nlibrary=false\nside=false\n{hidden}=true\n</note>', 1)
            with open(path, 'w') as f:
                f.write(text)
            w = self.opened(f'{SAMPLES}/ring.trace', path)
            if hidden == 'views-only':
                w.wait_for('drawing area', 'Picture of Space-time')
                self.assertIsNone(w.find('canvas', 'Program'))
            else:
                w.wait_for('canvas', 'Program')
            for key in ('a', 'Down', 'plus', 'F6', 'shift+F6', 'minus', 'x', '0'):
                w.key(key)
            w.key('End')
            w.wait_for('label', re.compile('leaves PVM'))
            self.assertEqual(w.find(None, 'Program') is None, hidden == 'views-only')
            w.key('ctrl+q')
            w.ended()

    def test_program_folds_to_a_line(self):
        """Nobody has edited yet: the program is a line of its boxes, and the library is away; both come when they are asked for,
        and stay for the next window.  Pictures have no legend of states while there is one beside them."""
        os.remove(os.path.join(session().home, 'state_home', 'scope', 'window'))
        w = self.opened(SAMPLES + '/fft2d-s16.trace')
        chip = w.wait_for('push button', 'Simulator')
        self.assertIsNone(w.find('canvas', 'Program'))
        self.assertIsNone(w.find('text', 'Search components'))
        names = [i.name for i in w.find_all('push button')]
        first = names.index('Session')
        self.assertEqual(names[first - 1], 'Show the program')
        self.assertEqual(names[first:first + 6], ['Session', 'Reader', 'Simulator', 'Trace text', 'Space-time', 'State graph'])
        chip.click()
        w.wait_for(None, 'ignore packing')  # the inspector has it
        w.key('End')

        def keys():
            """Names in the legend of the state graph; None: it is not drawn yet."""
            all_of = [i.name for i in w.find('drawing area', 'Picture of State graph').children]
            return [i for i in all_of if i.startswith('State: ')] if any(i.startswith('fft 0') for i in all_of) else None
        w.wait(lambda: keys() == [], 'it is drawn, and needs none', 60)
        w.key('F10')
        w.wait(keys, 'it has a legend where there is none beside it')
        w.key('F10')
        w.wait(lambda: keys() == [], 'and none where there is')
        w.key('F3')
        w.wait_for('canvas', 'Program')
        w.wait_for('text', 'Search components')
        w.find('push button', 'Fold the program').click()
        w.wait_gone('canvas', 'Program')
        w.key('F9')  # whoever wants the library wants to edit
        w.wait_for('text', 'Search components')
        w.wait_for('canvas', 'Program')
        w.key('F3')
        w.wait_gone('canvas', 'Program')
        w.key('F4')
        w.wait(lambda: w.find('canvas', 'Program') and w.find('canvas', 'Program').state('FOCUSED'), 'the program has the focus')
        w.key('ctrl+q')
        w.ended()
        w = self.opened(SAMPLES + '/ring.trace')
        w.wait_for('canvas', 'Program')  # as it was left

    def test_places_fold(self):
        w = self.opened(SAMPLES + '/ring.trace')
        w.wait_for('scroll pane', 'Inspector, legend and marks')
        w.key('F10')
        w.wait_gone('scroll pane', 'Inspector, legend and marks')
        w.key('F10')
        w.wait_for('scroll pane', 'Inspector, legend and marks')
        views = w.wait_for('drawing area', 'Picture of Space-time')
        before = views.box[3]
        w.key('F8')
        w.wait(lambda: w.find('drawing area', 'Picture of Space-time').box[3] > before + 100, 'the views take the room of the program')
        w.key('F7')
        w.wait_gone('drawing area', 'Picture of Space-time')
        w.key('F7')
        w.wait(lambda: abs(w.find('drawing area', 'Picture of Space-time').box[3] - before) < 30, 'as it was')
        w.key('F11')
        w.wait(lambda: w.frame.box[:2] == (0, 0) and w.frame.box[3] >= 1000, 'the whole screen')
        w.key('F11')

    def table(self):
        """What src/window/commands.c has: action, label, keys (accelerators as GTK writes them)."""
        with open(os.path.join(SOURCES, 'window', 'commands.c')) as f:
            rows = re.findall(r'\{ "([^"]*)", N_ \("([^"]+)"\), (?:"([^"]+)"|NULL)[ ,]', f.read())
        return [(action, label, [key.strip('()') for key in keys.split()]) for action, label, keys in rows]

    def test_menus_show_keys(self):
        """Each item of the two menus of the header has the key that the table of commands gives to its action."""
        keys = {action: keys[0] for action, _, keys in self.table() if action and keys}
        with open(os.path.join(SOURCES, 'window', 'header.c')) as f:
            items = re.findall(r'"([^"]+)"\), "((?:win|app)\.[a-z-]+)"', f.read())
        w = self.opened(SAMPLES + '/ring.trace')
        for button, some in (('Menu', 'About Scope'), ('Open', 'Trace…')):
            w.find('toggle button', button).click()
            w.wait_for(None, some)
            for item in [i for i in w.find_all() if i.role.endswith('menu item')]:
                action = next((action for label, action in items if label.replace('_', '') == item.name), None)
                shown = Atspi.Action.get_key_binding(item.node.get_action_iface(), 0).split(';')[-1].replace('Primary', 'Control')
                self.assertEqual(Gtk.accelerator_parse(shown), Gtk.accelerator_parse(keys.get(action, '')), item.name)
            w.key('Escape')
            w.wait_gone(None, some)

    def test_all_keys_are_listed(self):
        w = self.opened(SAMPLES + '/ring.trace')
        w.key('ctrl+question')
        w.wait_for('label', 'Help on what is selected')
        window = next(f for f in w.frames if f.find('label', 'Help on what is selected'))
        listed = {}

        def more():
            before = len(listed)
            for row in window.find_all('filler'):
                if [c.role for c in row.children] == ['icon', 'filler', 'filler']:
                    words = [c.name for c in row.children[1].children]
                    listed[row.children[2].children[0].name, words[0], words[-1]] = words.count('/') + 1
            return len(listed) > before
        for _ in range(3):
            w.wait(more, 'there is a page')
            w.key('ctrl+Page_Down')
            w.settle()
        self.assertEqual(sorted((label, n) for (label, *_), n in listed.items()),
                         sorted((label, len(keys)) for _, label, keys in self.table() if keys))
        for label, first, last in (('Open a trace', 'Ctrl', 'O'), ('Play or pause', '␣', '␣'), ('Redo', 'Shift', 'Y')):
            self.assertIn((label, first, last), listed)
        # And what the parts see to themselves is in the table.
        known = {Gtk.accelerator_parse(key)[0] for _, _, keys in self.table() for key in keys}
        for part in ('editor/canvas-keys.c', 'panes/picture-input.c', 'time/ruler.c'):
            with open(os.path.join(SOURCES, part)) as f:
                for name in re.findall(r'case GDK_KEY_(\w+)', f.read()):
                    if not name.startswith('KP_') and name != 'equal':      # other keys for the same thing
                        self.assertIn(Gdk.keyval_to_lower(Gdk.keyval_from_name(name)), known, f'{name} of {part}')

    def test_space_plays_but_not_in_a_field(self):
        w = self.opened(SAMPLES + '/ring.trace')
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('a b')
        w.wait(lambda: w.find('text', 'Find').text == 'a b', 'a blank is written')
        w.key('Escape')
        w.wait_gone('text', 'Find')
        w.wait_for('label', 'Before the first event')
        w.key('space')
        w.wait_gone('label', 'Before the first event')

    def test_windows_of_help(self):
        w = self.opened(SAMPLES + '/ring.trace')
        w.key('F1')
        page = w.wait_for('text', 'Help: components')
        self.assertRegex(page.text, 'Session: Drives')
        w.key('Escape')
        w.wait_gone('text', 'Help: components')
        w.key('ctrl+question')
        w.wait_for('label', 'Help on what is selected')
        w.key('Escape')
        w.wait_gone('label', 'Help on what is selected')
        w.key('shift+F1')
        page = w.wait_for('text', 'Documentation: ring')
        self.assertIn('A token of 1000 bytes', page.text)
        w.key('Escape')
        w.wait_gone('text', 'Documentation: ring')
        self.menu(w, 'About Scope')
        w.wait_for('dialog')
        w.key('Escape')
        w.key('ctrl+q')
        w.ended()

    def test_help_of_a_box(self):
        w = self.opened(SAMPLES + '/ring.trace')
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('session box')
        w.wait_for('list item', 'Session, box of the program')
        w.key('Return')
        w.wait_gone('text', 'Find')
        w.key('F1')
        page = w.wait_for('text', 'Help: Session')
        self.assertIn('scope.session', page.text)
        self.assertIn('Outputs', page.text)

    def test_usual_program_of_a_format(self):
        """A tick in the list of programs: traces of the format are opened with this one from now on; one that is gone is told."""
        def begin(program):
            w = self.start(SAMPLES + '/ring.trace')
            w.wait_for('toggle button', re.compile(program), 30)
            w.key('ctrl+shift+p')
            return w, w.wait_for('check box', 'Open traces of this format with this program')
        w, always = begin('Views')
        self.assertFalse(always.state('checked'))
        w.wait_for('list item', 'Calls and phases').action()
        w.wait_for('toggle button', re.compile('Calls and phases'), 30)
        w.key('ctrl+shift+p')
        always = w.wait_for('check box', 'Open traces of this format with this program')
        self.assertFalse(always.state('checked'))
        always.click()
        w.wait(lambda: always.state('checked'), 'it is ticked')
        w.key('Escape', 'ctrl+q')
        w.ended()
        path = os.path.join(session().env['XDG_CONFIG_HOME'], 'scope', 'preferences')
        with open(path) as f:
            kept = f.read()
        self.assertIn('tapepvm=calls.eve', kept)
        w, always = begin('Calls and phases')
        self.assertTrue(always.state('checked'))
        w.key('Escape', 'ctrl+q')
        w.ended()
        with open(path, 'w') as f:
            f.write(kept.replace('calls.eve', '/nowhere/mine.eve'))
        w, always = begin('Views')
        w.wait_for('label', re.compile('Traces of this format are to be opened with /nowhere/mine.eve'))
        always.click()
        w.wait(lambda: always.state('checked'), 'it is ticked')
        always.click()
        w.wait(lambda: not always.state('checked'), 'and no more')
        with open(path) as f:
            self.assertNotIn('tapepvm', f.read())

    def test_preferences(self):
        w = self.opened(SAMPLES + '/ring.trace')
        light = sum(w.colour(800, 300))
        w.key('ctrl+comma')
        look = w.wait_for('combo box', 'Look')
        look.click()
        w.wait_for('menu item', 'Dark').click()
        w.wait(lambda: sum(w.colour(300, 12)) < 300, 'the window is dark')
        self.assertGreater(light, 400)
        saving = w.find('combo box', 'Saving of states while playing')
        self.assertFalse(w.find('spin button', 'Events between two'))
        saving.click()
        w.wait_for('menu item', 'After so many events').click()
        w.wait_for('spin button', 'Events between two').type('500\t')
        # Colours are seen at once in the legend and in the views.
        button = w.wait_for('push button', 'Colour of Busy')
        w.wait(lambda: max(w.colour(*button.at())) - min(w.colour(*button.at())) > 60, 'the legend has hues')
        w.find('combo box', 'Colours').click()
        w.wait_for('menu item', 'For print: greys and patterns').click()
        w.wait(lambda: max(w.colour(*button.at())) - min(w.colour(*button.at())) < 5, 'the legend is grey')
        w.key('Escape')
        w.wait_gone('combo box', 'Look')
        w.key('ctrl+q')
        w.ended()
        with open(os.path.join(session().env['XDG_CONFIG_HOME'], 'scope', 'preferences')) as f:
            kept = f.read()
        self.assertIn('look=dark', kept)
        self.assertIn('strategy=events=500', kept)
        with open(os.path.join(session().env['XDG_CONFIG_HOME'], 'scope', 'colours')) as f:
            self.assertIn('palette=print', f.read())
        again = self.opened(SAMPLES + '/ring.trace')
        again.wait(lambda: sum(again.colour(300, 12)) < 300, 'dark again')

    def test_colours_of_the_trace(self):
        """States have those that the trace declares, in the legend as in pictures, unless the person prefers Scope's."""
        kinds = (('DefineContainerType', 'Alias Type Name'), ('DefineStateType', 'Alias Type Name'), ('DefineEntityValue', 'Alias Type Name Color'),
                 ('CreateContainer', 'Time Alias Type Container Name'), ('SetState', 'Time Type Container Value'), ('DestroyContainer', 'Time Type Name'))
        head = ''.join(f'%EventDef Paje{kind} {i}\n' + ''.join(f'% {field} string\n' for field in fields.split()) + '%EndEventDef\n' for i, (kind, fields) in enumerate(kinds))
        folder = tempfile.mkdtemp(dir=session().env['XDG_CONFIG_HOME'])
        with open(os.path.join(folder, 't.paje'), 'w') as f:
            f.write(head + '0 P 0 Proc\n1 S P State\n2 a S alpha "0.7294 0.3333 0.8275"\n2 b S beta "0.2745 0.5098 0.7059"\n3 0 p P 0 one\n4 0 S p a\n4 2 S p b\n5 4 P p\n')
        w = self.opened(os.path.join(folder, 't.paje'))
        button = w.wait_for('push button', 'Colour of alpha')
        w.wait(lambda: w.colour(*button.at()) == (0xba, 0x55, 0xd3), 'the colour of the trace')
        w.key('ctrl+comma')
        w.wait_for('combo box', 'Colours').click()
        w.wait_for('menu item', 'Standard, without those of the trace').click()
        w.wait(lambda: w.colour(*button.at()) not in ((0xba, 0x55, 0xd3), None), 'one of the row')
        w.find('combo box', 'Colours').click()
        w.wait_for('menu item', 'Standard, with the colours of the trace').click()
        w.wait(lambda: w.colour(*button.at()) == (0xba, 0x55, 0xd3), 'that of the trace again')

    def test_unit_of_time(self):
        """One unit for all dates, at once and in the next window; what is typed stays in seconds."""
        w = self.opened(SAMPLES + '/ring.trace')
        told = lambda of: of.find('push button', 'Present').description        # noqa: E731
        w.wait(lambda: '\u2009s' in told(w), 'the present is told in seconds')
        w.key('ctrl+comma')
        w.wait_for('combo box', 'Unit of time').click()
        w.wait_for('menu item', 'Milliseconds').click()
        w.wait(lambda: '\u2009ms' in told(w), 'the present is told in milliseconds')
        w.key('Escape')
        w.wait_gone('combo box', 'Unit of time')
        w.key('ctrl+q')
        w.ended()
        with open(os.path.join(session().env['XDG_CONFIG_HOME'], 'scope', 'preferences')) as f:
            self.assertIn('unit-of-time=ms', f.read())
        again = self.opened(SAMPLES + '/ring.trace')
        again.wait(lambda: '\u2009ms' in told(again), 'the present is told in milliseconds again')


class Look(Shell):
    def spots(self, w):
        """The brightness of the header, the program, a view, the inspector and the time bar."""
        view = w.find('drawing area', 'Picture of Space-time')
        side = w.find('scroll pane', 'Inspector, legend and marks')
        x, y, width, height = w.find('slider', 'Time').box
        places = (300, 12), view.at(0.5, -0.3), view.at(0.01, 0.99), side.at(0.5, 0.98), (x + width // 2, y - 3)
        return [sum(w.colour(*place)) for place in places]

    def dark(self, w, why):
        w.wait(lambda: max(self.spots(w)) < 300, f'all of it is dark: {why}')

    def light(self, w, why):
        w.wait(lambda: min(self.spots(w)) > 500, f'all of it is light: {why}')

    def portal(self, scheme):
        p = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'portal.py'), str(scheme)],
                             env=session().env, stdin=subprocess.PIPE, text=True)

        def end():
            if not p.stdin.closed:
                p.stdin.close()
            p.wait(20)
        self.addCleanup(end)

        def say(scheme):
            p.stdin.write(f'{scheme}\n')
            p.stdin.flush()
        return say, end

    def prefer(self, w, look):
        w.key('ctrl+comma')
        w.wait_for('combo box', 'Look').click()
        w.wait_for('menu item', look).click()
        w.wait_gone('menu item', look)
        w.key('Escape')
        w.wait_gone('combo box', 'Look')

    def test_portal(self):
        """The window becomes dark and light with the desktop, while it is open; the preference wins."""
        w = self.opened(SAMPLES + '/ring.trace')
        self.light(w, 'nobody wishes anything')
        say, end = self.portal(1)
        self.dark(w, 'a portal has come, and says so')
        say(0)
        self.light(w, 'no wish')
        say(1)
        self.dark(w, 'the desktop has become dark')
        self.prefer(w, 'Light')
        self.light(w, 'the person wishes it')
        say(2)
        say(1)
        self.prefer(w, 'As the desktop')
        self.dark(w, 'as the desktop')
        say(2)
        self.light(w, 'the desktop has become light')
        say(1)
        self.dark(w, 'and dark')
        end()
        self.light(w, 'the portal has gone')

    def test_setting(self):
        """Where there is no portal, the setting of GNOME is followed."""
        folder = os.path.join(session().env['XDG_CONFIG_HOME'], 'glib-2.0', 'settings')

        def choose(scheme):
            with open(os.path.join(folder, 'new'), 'w') as f:
                f.write(f"[org/gnome/desktop/interface]\ncolor-scheme='{scheme}'\n")
            os.rename(os.path.join(folder, 'new'), os.path.join(folder, 'keyfile'))
        os.makedirs(folder)
        choose('prefer-dark')
        w = self.opened(SAMPLES + '/ring.trace', env={'GSETTINGS_BACKEND': 'keyfile'})
        self.dark(w, 'so it is at the start')
        choose('default')
        self.light(w, 'the setting was changed')
        choose('prefer-dark')
        self.dark(w, 'and changed back')

    def test_theme(self):
        """GTK's own ways to be dark, which "Light" undoes and "As the desktop" does again."""
        for name, which in (('Own', 'contained'), ('Own-dark', 'contained-dark')):
            folder = os.path.join(session().env['XDG_DATA_HOME'], 'themes', name, 'gtk-3.0')
            os.makedirs(folder)
            with open(os.path.join(folder, 'gtk.css'), 'w') as f:
                f.write(f'@import url("resource:///org/gtk/libgtk/theme/Adwaita/gtk-{which}.css");\n')
        for line in ('gtk-theme-name=Own-dark', 'gtk-theme-name=HighContrastInverse',
                     'gtk-theme-name=Adwaita\ngtk-application-prefer-dark-theme=1'):
            with open(os.path.join(session().env['XDG_CONFIG_HOME'], 'gtk-3.0', 'settings.ini'), 'a') as f:
                f.write(line + '\n')
            w = self.opened(SAMPLES + '/ring.trace')
            self.dark(w, line)
            self.prefer(w, 'Light')
            self.light(w, 'the person wishes it')
            self.prefer(w, 'As the desktop')
            self.dark(w, line)
            w.key('ctrl+q')
            w.ended()


class Saving(Shell):
    def test_save_close_reopen(self):
        trace, program = self.copy('ring.trace'), self.path('mine.eve')
        w = self.opened(trace)
        self.add(w, 'probe')
        w.key('F9')
        w.wait(lambda: not w.find('label', 'Shelf'), 'the library is folded')
        self.save_as(w, program)
        w.wait(lambda: not self.modified(w), 'saved')
        with open(program) as f:
            text = f.read()
        self.assertIn('class="scope.probe"', text)
        self.assertIn('library=false', text)
        self.add(w, 'gate')
        w.key('ctrl+s')             # has a place now: nothing is asked
        w.wait(lambda: not self.modified(w), 'saved again')
        w.key('ctrl+q')
        w.ended()
        again = self.opened(trace, program)
        again.wait(lambda: again.find(None, re.compile('^Probe')) and again.find(None, re.compile('^Gate')), 'both boxes are there')
        self.assertIsNone(again.find('label', 'Shelf'))

    def test_unsaved_changes_are_asked_about(self):
        w = self.opened(SAMPLES + '/ring.trace')
        self.add(w, 'probe')
        w.key('ctrl+q')
        w.wait_for('push button', 'Cancel').click()
        w.wait_gone('push button', 'Cancel')
        self.assertTrue(self.modified(w))
        w.key('ctrl+shift+w')
        w.wait_for('push button', 'Close without Saving').click()
        w.ended()

    def test_a_place_that_cannot_be_written(self):
        w = self.opened(SAMPLES + '/ring.trace')
        self.add(w, 'probe')
        w.key('ctrl+shift+s')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type('/proc/nothing.eve')
        w.key('Return')
        w.wait(lambda: self.said(w) or w.find('alert'), 'it is said')
        self.assertTrue(self.modified(w) or w.find('alert'))

    def said(self, w):
        return w.find('info bar') and w.find('info bar').find('label', re.compile('.'))


class Layout(Shell):
    def divider(self, w):
        """Of the middle: what it divides, and the share that the program has."""
        whole = sorted(w.find_all('split pane'), key=lambda i: -i.box[2] * i.box[3])[2]
        return whole, whole.value / whole.box[3]

    def share(self, w, wanted, why):
        w.wait(lambda: abs(self.divider(w)[1] - wanted) < 0.02, f'the program has {wanted:.2f} of the height: {why}')

    def test_divider(self):
        """The program keeps its share of the middle, on a screen of any size; the usual one is sensible on a small one."""
        trace, program = self.copy('ring.trace'), self.path('mine.eve')
        for size in ((1280, 720), (1600, 1000)):
            w = self.opened(trace, size=size)
            self.share(w, 0.375, size)
            for name, least in (('Picture of Space-time', 200), ('Picture of State graph', 80), ('Picture of Trace text', 80)):
                w.wait(lambda: w.find('drawing area', name).box[3] >= least, f'{name} is {least} high')
            if size != (1600, 1000):
                w.key('ctrl+q')
                w.ended()
        whole = self.divider(w)[0]
        x, y, width, height = whole.box
        w.settle()
        w.drag(x + width // 2, y + round(whole.value), x + width // 2, y + height * 6 // 10)
        self.share(w, 0.6, 'it was dragged')
        for key in ('F8', 'F8', 'F7', 'F7'):
            w.key(key)
            w.settle()
        self.share(w, 0.6, 'each had all the room, and gave it back')
        w.key('F8')
        w.settle()
        self.save_as(w, program)
        w.key('ctrl+q')
        w.ended()
        w = self.opened(trace, program, size=(1280, 720))
        w.wait_for('drawing area', 'Picture of Space-time')
        w.wait(lambda: w.find('drawing area', 'Picture of Space-time').box[3] > 400, 'the views alone, as it was saved')
        w.key('F8')
        self.share(w, 0.6, 'as it was saved')
        w.resize(1600, 1000)
        self.share(w, 0.6, 'the window has grown')

    def test_programs_on_a_small_screen(self):
        """All programs can be reached, and the button below them."""
        w = self.opened(SAMPLES + '/ring.trace', size=(1280, 720))
        w.find('toggle button', PROGRAM).click()
        other = w.wait_for('push button', 'Another program…')
        w.wait(lambda: other.box[1] + other.box[3] <= 720, 'the button is on the screen')
        w.key('Down', 'End', 'Return')          # keys are those of what has popped up
        w.wait_for('toggle button', 'Program: State of tasks and links')
        w.wait_for('label', 'Before the first event')


class Strangers(Shell):
    def test_a_program_with_strangers_opens(self):
        with open(self.path('ghost.eve'), 'w') as f:
            f.write('<eve version="1"><component name="Session" class="scope.session" version="1"/>'
                    '<component name="Reader" class="scope.tapepvm-reader" version="1"/>'
                    '<component name="Stranger" class="nobody.knows" version="1"/>'
                    '<wire from="Session" out="commands" to="Reader" in="commands"/>'
                    '<wire from="Reader" out="events" to="Stranger" in="x"/></eve>')
        w = self.opened(SAMPLES + '/ring.trace', self.path('ghost.eve'))
        w.wait_for(None, re.compile('Stranger'))
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('stranger')
        w.wait_for('list item', re.compile('^Stranger'))
        w.key('Return')
        w.wait_gone('text', 'Find')
        w.key('F1')
        self.assertIn('not installed', w.wait_for('text', re.compile('^Help')).text)


if __name__ == '__main__':
    main()
