# SPDX-License-Identifier: Apache-2.0
"""What docs/window-checklist.md claims and no other test of the window shows."""
import json
import os
import re
import subprocess

from harness import ROOT, SAMPLES, SCOPE, Case, main, session

PROGRAM = re.compile('^Program: ')


class Checklist(Case):
    def opened(self, *words, **more):
        w = self.start(*(words or [self.copy('fft2d-s16.trace')]), **more)
        w.wait_for('toggle button', PROGRAM, 30)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        return w

    def save_as(self, w, path):
        w.key('ctrl+shift+s')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(path)
        w.key('Return')
        w.wait_gone('file chooser')
        w.wait(lambda: os.path.exists(path), 'it is saved')


class Finding(Checklist):
    def test_words_that_found_nothing(self):
        """What newcomers typed, and found nothing."""
        w = self.opened()
        for words, row in (('new', '^New, empty program'), ('empty', '^New, empty program'), ('wait', '^Wait states, '),
                           ('deadlock', '^Wait states, '), ('stuck', '^Wait states, '),
                           ('barrier', 'next event of this kind$'), ('dark', '^Preference|^Light or dark')):
            w.key('ctrl+k')
            w.wait(lambda: w.find('text', 'Find') and w.find('text', 'Find').state('focused'), 'the field has the keys')
            w.type(words)
            w.wait(lambda: w.find('text', 'Find').text == words and w.find('list box', 'Found').find('list item', re.compile(row)),
                   f'{words} finds {row}')
            w.key('Escape')
            w.wait_gone('text', 'Find')

    def test_what_is_found_first(self):
        """Words that people know from elsewhere lead to what does it, and what takes the place of the program that is open comes
        after what adds to it or shows something; a command that cannot be done now is listed."""
        w = self.opened()
        w.key('ctrl+k')
        w.wait(lambda: w.find('text', 'Find') and w.find('text', 'Find').state('focused'), 'the field has the keys')

        def rows():
            found = w.find('list box', 'Found')
            return [i.name for i in found.find_all('list item') if i.name] if found else []

        for words, first in (('colour by', '^Colour by an attribute'), ('color', '^Colour by an attribute'), ('calls', '(?<!program)$'),
                             ('group by', 'of the view with the focus$|in Views of an execution$'), ('hide', '^Hide '), ('legend', 'legend'),
                             ('follow', '^Follow'), ('compare', '^Pin what is selected'), ('export', '^Export'), ('print', '^Print'),
                             ('dark', '^Light or dark'), ('font', '^Size of text'), ('screenshot', '^Export'), ('two traces', '^Lay executions'),
                             ('statistics', '^Statistics, add'), ('redo', '^Redo, ')):
            w.key('ctrl+a')
            w.type(words)
            w.wait(lambda: w.find('text', 'Find').text == words and rows() and re.search(first, rows()[0]), f'{words} finds {first} first', 60)
        w.key('Return')
        w.wait_for('label', 'This cannot be done now: Redo')
        w.key('ctrl+a')
        w.type('colour by')
        w.wait(lambda: rows() and rows()[0].startswith('Colour by'), 'it is the first')
        w.key('Return')
        w.wait_for('push button', 'Add')

    def test_added_behind_what_feeds_it(self):
        """A box that the search adds stands right of what gives it data, as programs are read."""
        w = self.opened()
        if not w.find('panel', 'Simulator'):
            w.key('F3')
        w.wait(lambda: w.find('panel', 'Simulator'), 'the program is unfolded')
        w.key('ctrl+k')
        w.wait(lambda: w.find('text', 'Find') and w.find('text', 'Find').state('focused'), 'the field has the keys')
        w.type('state durations add')
        w.wait_for('list item', re.compile('^State Durations, add'), 60)
        w.key('Return')
        w.wait(lambda: w.find('panel', 'State Durations') and w.find('panel', 'State Durations').box[0]
               > w.find('panel', 'Simulator').box[0] + w.find('panel', 'Simulator').box[2], 'it stands right of the simulator', 60)
        self.assertTrue(w.wait(lambda: [i for i in w.frame.all() if i.name == 'Simulator.states → State Durations.states'],
                               'it is wired to it'))

    def test_what_never_ends_is_told(self):
        """A trace of a deadlock: the window says once that calls never ended, with a way to the last of them; the search finds it too."""
        trace = self.copy('deadlock.trace')
        events = [json.loads(line) for line in subprocess.run([SCOPE, 'events', trace, '--json'], env=session().env, check=True,
                                                              stdout=subprocess.PIPE, text=True).stdout.splitlines()]
        stuck = [e for e in events if e.get('unfinished')]
        began = stuck[-1]['t']
        whole, behind = str(began).split('.')
        shown = whole + '.' + '\u202f'.join(behind[i:i + 3] for i in range(0, len(behind), 3))     # as all dates of the window
        sentence = re.compile(f'^{len(stuck)} calls never ended; the last began at {shown}\\u2009s: philosopher ')

        def at(date):
            slider = w.find('slider', 'Time')
            return slider and abs(slider.value - date) < 1e-6

        def found(words):
            """The search with these words, once it lists what is looked for."""
            w.key('ctrl+k')
            w.wait(lambda: w.find('text', 'Find') and w.find('text', 'Find').state('focused'), 'the field has the keys')
            w.type(words)

            def listed():
                field, rows = w.find('text', 'Find'), w.find('list box', 'Found')
                return field and field.text == words and rows and rows.find('list item', sentence) and rows
            return w.wait(listed, f'{words} finds it')
        w = self.start(trace)
        w.wait_for('label', sentence, 60)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.wait_for('push button', 'Go There').click()
        w.wait(lambda: at(began) and not w.find('label', sentence), 'the present is where it began, and the message has gone')
        w.find('push button', 'To the beginning').click()
        w.wait(lambda: w.find('slider', 'Time').value < began / 2, 'away from it')
        for words in ('deadlock', 'stuck'):
            found(words)
            w.key('Escape')
            w.wait_gone('text', 'Find')
        rows = found('never ended')
        w.wait(lambda: sentence.search(next(rows.find_all('list item')).name), 'it is the first')
        w.key('Return')
        w.wait(lambda: at(began) and not w.find('text', 'Find'), 'the search leads there too')
        # Another program of the same trace: it is not told again.
        w.key('ctrl+shift+p')
        w.wait_for('list item', 'Calls and phases').action()
        w.wait_for('toggle button', 'Program: Calls and phases', 30)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        self.assertIsNone(w.find('label', sentence))

    def test_programs_of_ones_own(self):
        """A program that was saved is among the recent ones and, with its drawing, among those that answer questions."""
        w = self.opened()
        self.save_as(w, self.path('mywaits.eve'))
        w.wait_for('toggle button', 'Program: mywaits')
        w.find('toggle button', 'Open').click()
        item = w.wait_for('menu item', 'mywaits.eve')
        w.wait(lambda: item.box[3] > 10, 'it is there')
        w.key('Escape')
        w.wait_gone('menu item', 'mywaits.eve')
        w.key('ctrl+alt+q')
        row = w.wait(lambda: w.find('list item', re.compile('^mywaits'), showing=False), 'it is in the list of questions')
        w.wait(lambda: any(i.role in ('drawing area', 'icon', 'unknown') for i in row.all()), 'with its drawing')
        w.key('Escape')


class Waits(Checklist):
    def test_a_double_click_leads_to_the_longest(self):
        """A row of the kinds of wait tells where the longest such wait begins; a double click goes there."""
        trace, program = os.path.join(ROOT, 'traces', 'mpi-waits.otf2'), os.path.join(ROOT, 'schemas', 'messages', 'waits.eve')
        w = self.start(trace, program)
        if w.wait(lambda: w.find('label', re.compile('No format')) or w.find('slider', 'Time'), 'it is open', 60).role == 'label':
            self.skipTest('built without libotf2')
        w.wait_gone('label', re.compile('^Shooting'), 60)

        def first():
            picture = w.find('drawing area', 'Picture of Kinds of wait')
            rows = [i for i in picture.children if i.name.startswith('kind ')] if picture else []
            found = rows and re.search(r'begins at ([\d.\s]+)s', rows[0].name)
            return found and rows[0].box[3] > 10 and (rows[0], float(re.sub(r'\s', '', found[1])))
        row, date = w.wait(first, 'the longest waits come first', 60)
        w.wait(lambda: w.find('slider', 'Time').value > date + 0.1, 'the program opens at the end')
        row.click(times=2)
        w.wait(lambda: abs(w.find('slider', 'Time').value - date) < 2e-6, f'it leads to {date}')


class Selected(Checklist):
    def test_outlives_another_program(self):
        """Range and task that are selected stay when the program is another one."""
        w = self.opened()
        picture = w.wait_for('drawing area', 'Picture of Space-time')
        w.find('slider', 'Time').click(fx=0.6, fy=0.35)
        w.wait_gone('label', 'Before the first event')
        w.settle()
        picture.find('list item', re.compile('^t40003')).click(fx=0.5)
        w.wait_for('label', 't40003 fft 1')
        x, y, width, height = picture.box
        w.drag(x + width // 2, y + height // 2, x + width * 3 // 4, y + height // 2)
        when = re.compile(r'^0[.\d\s\u202f\u2009]+ – .*ms$')
        w.wait_for('push button', 'Closer')
        w.settle()
        told = w.wait_for('label', when).name
        w.key('ctrl+shift+p')
        w.wait_for('list item', 'Calls and phases').action()
        w.wait_for('toggle button', 'Program: Calls and phases', 30)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.wait(lambda: w.find('label', when) and w.find('label', when).name == told, 'the range is the same')
        w.wait_for('label', 't40003 fft 1')


class Marks(Checklist):
    def test_offered_while_one_types(self):
        """Behind an @, in the notes of a mark and where one goes to."""
        w = self.opened()
        for at in (0.3, 0.6):
            w.find('slider', 'Time').click(fx=at, fy=0.35)
            w.settle()
            w.key('m')
        w.wait_for('list item', re.compile('^Mark Mark 2 '))
        w.find('list item', re.compile('^Mark Mark 2 ')).find('push button', 'Edit mark').click()
        w.wait(lambda: w.find('text', 'Name') and w.find('text', 'Name').state('focused'), 'the editor is there')
        notes = w.find('text', 'Notes')
        notes.click()
        w.type('Later than @ma')
        offers = w.wait_for('list box', 'Marks that are meant')
        self.assertEqual([i.name for i in offers.find_all('list item')], ['Mark 1', 'Mark 2'])
        w.type('rk 1')
        w.wait(lambda: not w.find('list box', 'Marks that are meant') or [i.name for i in offers.find_all('list item')] == ['Mark 1'], 'fewer')
        w.key('BackSpace', 'BackSpace')
        w.wait(lambda: len(list(w.find('list box', 'Marks that are meant').find_all('list item'))) == 2, 'both again')
        w.key('Down', 'Return')
        w.wait(lambda: notes.text == 'Later than @Mark 1', 'the first was taken')
        w.wait_gone('list box', 'Marks that are meant')
        w.key('Escape')
        w.wait_gone('text', 'Notes')
        w.key('g')
        field = w.wait_for('text', 'Go to')
        w.wait(lambda: field.state('focused'), 'the field has the keys')
        w.key('ctrl+a')
        w.type('@')
        w.wait(lambda: w.find('list box', 'Marks that are meant') and w.find('list item', 'Mark 2'), 'they are offered').click()
        w.wait(lambda: field.text == '@Mark 2', 'it was taken')
        w.key('Return')
        w.wait_gone('text', 'Go to')


    def test_mark_is_named_where_it_is_made(self):
        """Mark Here makes a mark that is called after what is there, with its name to be typed at its flag; so do a double
        click on a flag and M where there is one."""
        trace = self.copy('ring.trace')
        w = self.start(trace)

        def names():
            told = subprocess.run([SCOPE, 'marks', trace, 'list', '--json'], capture_output=True, text=True, env=session().env)
            return sorted(m['name'] for m in json.loads(told.stdout))

        def editor(name):
            w.wait(lambda: w.find('text', 'Name') and w.find('text', 'Name').text == name and w.find('text', 'Name').state('focused'),
                   f'the name {name} is to be typed')

        def typed(name, all_of_them):
            w.type(name)
            w.key('Return')
            w.wait(lambda: not w.find('text', 'Name') and names() == all_of_them, f'it is called {name}')

        state = w.wait(lambda: next((i for i in w.find('drawing area', 'Picture of Space-time').children
                                     if re.match('ring 1: Idle from', i.name) and i.box[2] > 30), None), 'a state of ring 1')
        state.click(button=3)
        w.wait_for('menu item', 'Mark Here').click()
        editor('ring 1: Idle')
        typed('why idle', ['why idle'])
        x, y, width, _ = w.find('slider', 'Time').box
        w.click(x + width // 2, y + 25)
        w.wait(lambda: w.has_keys(), 'it has the keys')
        w.settle()
        w.key('m')
        w.wait(lambda: names() == ['Mark 2', 'why idle'], 'it is made at once')
        w.key('m')
        editor('Mark 2')
        typed('middle', ['middle', 'why idle'])
        w.settle()
        w.click(x + width // 2 + 2, y + 6, times=2)
        editor('middle')
        w.key('Escape')
        w.wait(lambda: not w.find('text', 'Name') and names() == ['middle', 'why idle'], 'nothing was changed')


class Tips(Checklist):
    def test_beside_what_they_are_of(self):
        """What is told of a box leaves the box as it was seen: its ports, and what it says."""
        w = self.opened()
        box = w.find('canvas', 'Program').find('panel', 'Simulator')
        w.move(300, 900)
        w.settle()
        x, y, width, height = box.box
        canvas = w.find('canvas', 'Program').box

        def seen(left, top, wide, high):
            _, _, line, data = w.pixels()
            return b''.join(bytes(data[at * line + left * 4:at * line + (left + wide) * 4]) for at in range(top, top + high))
        def inside():
            """Left and right of the pointer, whose picture is on the screen too."""
            return seen(x + 2, y + 30, width // 2 - 30, height - 34) + seen(x + width // 2 + 30, y + 30, width // 2 - 32, height - 34)
        before = inside()
        around = seen(canvas[0], canvas[1], canvas[2], canvas[3])
        w.move(x + width // 2 - 5, y + 12)
        w.move(x + width // 2, y + 12)
        w.wait(lambda: sum(a != b for a, b in zip(seen(*canvas), around)) > 4000, 'something is told of it')
        w.settle()
        self.assertLess(sum(a != b for a, b in zip(inside(), before)), len(before) // 20)
        self.assertFalse([f for f in w.frames if f.role != 'frame'], 'in no window of its own')


class Looks(Checklist):
    def test_on_one_screen(self):
        """A card lists nothing twice; dates and numbers have one form; empty places speak; the search in a text has room."""
        w = self.opened()
        side = w.find('scroll pane', 'Inspector, legend and marks')
        w.wait(lambda: any(i.name.startswith('None yet') for i in side.find_all('label')), 'no marks: how to make one')
        w.find('slider', 'Time').click(fx=0.6, fy=0.35)
        w.wait_gone('label', 'Before the first event')
        w.find('drawing area', 'Picture of Space-time').find('list item', re.compile('^t40003')).click(fx=0.5)
        w.wait_for('label', 't40003 fft 1')
        names = [i.text for i in side.find_all('label')]
        begin = names.index('t40003 fft 1')
        card = names[begin + 1:names.index('Legend') if 'Legend' in names[begin:] else None]
        for attribute in ('Host', 'Program', 'State', 'Phase'):
            self.assertEqual(card.count(attribute), 1, card)
        self.assertEqual(names.count('Legend'), 1)
        # All texts of the window, and the sentences of all events: a date has a point and groups of thin blanks, one thin blank stands
        # before its unit, and numbers have no other mark of thousands.
        texts = {t for i in w.frame.all() if i.showing for t in (i.name, i.description) if t}
        sentences = subprocess.run([SCOPE, 'events', os.path.join(SAMPLES, 'fft2d-s16.trace')], env=session().env, check=True,
                                   stdout=subprocess.PIPE, text=True).stdout.splitlines()
        for found, least in ((texts, 5), (sentences, 1000)):
            dates = [d for t in found for d in re.findall(r'(?<![\w.])\d[\d.,\u202f]*\s?(?:ns|µs|ms|s)\b', t)]
            self.assertGreater(len(dates), least)
            for date in dates:
                self.assertRegex(date, r'^\d[\d\u202f]*(\.\d[\d\u202f]*)?\u2009(ns|ms|µs|s)$')
        self.assertEqual([t for t in texts if re.search(r'\d,\d{3}\b', t) and 'bytes)' not in t], [])
        # The search in a text.
        w.find('drawing area', 'Picture of Trace text').click()
        w.key('ctrl+f')
        field = w.wait_for('text', 'Find in the events')
        w.wait(lambda: field.box[2] > 120, f'some twenty letters have room, not {field.box[2]} px')
        w.key('Escape')
        w.key('ctrl+alt+n')
        w.wait_for('toggle button', 'Program: New program')
        w.wait(lambda: w.find('label', re.compile('(?i)no view|add a view|views come')) or w.find('push button', re.compile('(?i)add a view')),
               'no views: how to have some')

    def test_contrast(self):
        """What is said beside, in grey, stands out from its ground as 4.5 to 1 at least, light and dark."""
        def light(colour):
            parts = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        def ratio(w, item):
            """Of the ground, which most pixels have, and what is furthest from it."""
            x, y, width, height = (round(v) for v in item.box)
            _, _, line, data = w.pixels()
            seen = [tuple(data[at * line + 4 * k:at * line + 4 * k + 3])[::-1] for at in range(y, y + height) for k in range(x, x + width)]
            ground = light(max(set(seen), key=seen.count))
            return max((max(light(c), ground) + 0.05) / (min(light(c), ground) + 0.05) for c in set(seen))
        trace = self.copy('fft2d-s16.trace')
        for look in ('light', 'dark'):
            folder = os.path.join(session().env['XDG_CONFIG_HOME'], 'scope')
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, 'preferences'), 'w') as f:
                f.write(f'[scope]\nlook={look}\n')
            w = self.opened(trace)
            w.move(300, 900)
            w.settle()
            found = [i for i in w.frame.all() if i.role == 'label' and i.showing and re.match('None yet|State of tasks|Select a box', i.text)]
            self.assertGreaterEqual(len(found), 3)
            for item in found:
                w.wait(lambda item=item: ratio(w, item) >= 4.5, f'{item.text} can be read, {look}')
            w.quit()

    def test_flat(self):
        """GTK's own theme without slopes; a theme of high contrast keeps its frames."""
        def head(theme):
            with open(os.path.join(session().home, 'config_home', 'gtk-3.0', 'settings.ini'), 'w') as f:
                f.write(f'[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\ngtk-xft-dpi=98304\ngtk-theme-name={theme}\n')
            w = self.start()
            w.wait_for('push button', 'Open a trace…')
            w.settle()
            button = w.find('toggle button', 'Open').box
            colours = {w.colour(600, y) for y in range(8, 36)}
            edge = w.colour(button[0] + button[2] // 2, button[1]) != w.colour(600, 20)
            w.quit()
            return len(colours), edge
        self.assertEqual(head('Adwaita'), (1, False))
        self.assertTrue(head('HighContrast')[1])


class ScrolledRows(Checklist):
    def test_pinned(self):
        """A row that is pinned is the first one, and stays where it is while others are scrolled; undone."""
        w = self.opened()
        picture = w.wait_for('drawing area', 'Picture of Space-time')

        def rows():
            return [i.name.split()[0] for i in picture.find_all('list item', re.compile('^t4000'))]
        w.wait(lambda: rows() == ['t40002', 't40003', 't40004', 't40005'], 'as the trace has them')
        picture.find('list item', re.compile('^t40005')).click(button=3, fx=0.4)
        w.wait_for('menu item', 'Pin to the Top').click()
        w.wait(lambda: rows() == ['t40005', 't40002', 't40003', 't40004'], 'it comes first')
        w.settle()
        picture.click(fx=0.5, fy=0.97)          # the view has the keys
        for _ in range(8):
            w.key('ctrl+shift+plus')
        picture.find('list item', re.compile('^t40005')).click(button=3, fx=0.4)
        w.wait_for('menu item', 'Larger Rows').click()
        w.wait(lambda: len(rows()) < 4, 'not all rows have room')
        w.settle()
        x, y, width, height = (round(v) for v in picture.box)

        def moved(by):
            for _ in range(4):      # the middle button moves what is shown, also where a row is larger than a motion
                w.drag(x + width // 2, y + height // 2 - by // 2, x + width // 2, y + height // 2 + by // 2, button=2)
        moved(-height * 9 // 10)
        w.wait(lambda: rows()[:1] == ['t40005'] and rows()[-1] == 't40004', 'the others were scrolled')
        w.settle()
        picture.find('list item', re.compile('^t40005')).click(button=3, fx=0.4)
        w.wait_for('menu item', 'Unpin').click()
        w.wait_gone('menu item', 'Unpin')
        moved(height * 9 // 10)
        w.wait(lambda: rows()[:1] == ['t40002'], 'the first ones are seen again, and it is not among them')


class Rows(Checklist):
    def test_pinned(self):
        """A row that is pinned is the first one, and stays so while others are looked at closely."""
        w = self.opened()
        picture = w.wait_for('drawing area', 'Picture of Space-time')

        def rows():
            return [i.name.split()[0] for i in picture.find_all('list item', re.compile('^t4000'))]

        def menu(task, item):
            picture.find('list item', re.compile('^' + task)).click(button=3, fx=0.4)
            w.wait_for('menu item', item).click()
            w.wait_gone('menu item', item)
        w.wait(lambda: rows() == ['t40002', 't40003', 't40004', 't40005'], 'as the trace has them')
        w.settle()
        menu('t40003', 'Pin to the Top')
        w.wait(lambda: rows() == ['t40003', 't40002', 't40004', 't40005'], 'it comes first')
        w.settle()
        x, y, width, height = (round(v) for v in picture.box)
        w.scroll(x + width // 2, y + height * 9 // 10, 3, keys=['ctrl'])      # larger rows, about the lowest
        w.wait(lambda: len(rows()) < 4 and rows()[0] == 't40003' and rows()[-1] == 't40005', 'the last ones, below it')
        w.settle()
        menu('t40003', 'Unpin')
        w.wait(lambda: 't40003' not in rows()[:1], 'no longer')
        w.key('ctrl+z')
        w.wait(lambda: rows()[0] == 't40003', 'pinned again')


class Colours(Checklist):
    def test_chosen_where_they_are_seen(self):
        """A right click on a state offers its colour; what is chosen is seen at once, in all views and the legend."""
        w = self.opened()
        picture = w.wait_for('drawing area', 'Picture of Space-time')
        row = w.wait(lambda: picture.find('list item', re.compile('^t40003')), 'there is a row')
        w.settle()
        x, y = (round(v) for v in row.at(0.5))
        before = w.colour(x, y)
        w.click(x, y, button=3)
        item = w.wait_for('menu item', re.compile('^Colour of .*…$'))
        value = item.name[len('Colour of '):-1]
        item.click()
        dialog = w.wait_for('dialog', 'Colour of ' + value)
        other = w.wait(lambda: dialog.find('radio button', 'Very Dark Blue'), 'there are colours to choose from')
        w.settle()
        other.click()
        w.settle()
        dialog.find('push button', 'Select').click()
        w.wait_gone('dialog')
        w.wait(lambda: w.colour(x, y) != before, 'the state has it')


class Menus(Checklist):
    def test_of_the_canvas_show_keys(self):
        w = self.opened()
        box = w.find('canvas', 'Program').find('panel', 'Simulator')
        from gi.repository import Atspi
        for place, wanted in ((box.at(0.5, 0.15), ('Switch off', 'Replace with…')), ((w.find('canvas', 'Program').box[0] + 20, w.find('canvas', 'Program').box[1] + 30), ('Paste',))):
            w.click(*place, button=3)
            for name in wanted:
                item = w.wait_for('menu item', re.compile('^' + name))
                key = Atspi.Action.get_key_binding(item.node.get_action_iface(), 0)
                self.assertRegex(key.split(';')[-1], r'\w', name)
            w.key('Escape')
            w.wait_gone('menu item', re.compile('^' + wanted[0]))


if __name__ == '__main__':
    main()
