# SPDX-License-Identifier: Apache-2.0
"""Time in the window: played, stepped, dragged, marked, saved, and what components order; beside what the commands say."""
import bisect
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import time

from harness import PATIENCE, ROOT, SAMPLES, SCOPE, Atspi, Case, GLib, main, session, xdo

SCHEMAS = os.path.join(ROOT, 'schemas', 'activity')
SIDE = 18               # of the ruler: free space left and right of its time
STEP = re.compile(r'\s')

ORDERS = '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1">
  <component name="Session" class="scope.session" version="1" x="40" y="140"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1" x="240" y="140"/>
  <component name="Simulator" class="scope.pvm-simulator" version="1" x="460" y="40"/>
  <component name="Space-time" class="scope.space-time" version="1" x="660" y="40"/>
  <component name="Trace text" class="scope.trace-text" version="1" x="660" y="240"/>
  <component name="Phases" class="scope.filter" version="1" x="460" y="240">
    <setting name="where">kind == Phase</setting>
  </component>
  <component name="Order" class="scope.command" version="1" x="660" y="140">
    <setting name="command">@COMMAND@</setting>
    <setting name="at most">1</setting>
  </component>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/>
  <wire from="Reader" out="events" to="Trace text" in="events"/>
  <wire from="Simulator" out="states" to="Space-time" in="states"/>
  <wire from="Simulator" out="messages" to="Space-time" in="messages"/>
  <wire from="Reader" out="events" to="Phases" in="in"/>
  <wire from="Phases" out="passed" to="Order" in="in"/>
  <wire from="Order" out="orders" to="Session" in="orders"/>
</eve>
'''


def said(*words):
    return subprocess.run([SCOPE, *words], check=True, stdout=subprocess.PIPE, text=True, env=session().env, timeout=120).stdout


class Time(Case):
    """A window on a trace, and what the command `scope events` says of the same trace."""

    def open(self, trace='fft2d-s4.trace', program=None, **more):
        self.trace = trace if os.path.isabs(trace) else self.copy(trace)
        self.events = [json.loads(line) for line in said('events', self.trace, '--json').splitlines()]
        self.dates = [e['t'] for e in self.events]
        self.sentences = [line.split('  ', 1)[1].strip() for line in said('events', self.trace).splitlines()]
        self.assertEqual(len(self.sentences), len(self.dates))
        w = self.start(self.trace, *([program] if program else []), **more)
        w.wait(lambda: w.find('push button', 'Play') and self.shown(w), 'it can be played', 30)
        self.bar = w.wait_for(None, 'Time panel')
        self.slider = self.bar.find('slider', 'Time')
        return w

    def shown(self, w):
        """Date as shown, events given, events of the trace."""
        present = w.find('push button', 'Present')
        m = re.fullmatch(r'([\d.]+)s,event(\d+)of(\d+)', STEP.sub('', present.description)) if present else None
        return m and (m[1], int(m[2]), int(m[3]))

    def given(self, w):
        return self.shown(w)[1]

    def sentence(self):
        return next(i for i in self.bar.find_all('label') if i.description == 'The present event').name

    def stands(self, w, n, seconds=15, asked=None):
        """n events are given, and date and sentence are those of the last of them; asked for a date between two, it stays there."""
        at = asked or (self.dates[n - 1] if n else self.dates[0])
        w.wait(lambda: self.given(w) == n, f'{n} events are given', seconds)
        # two dates between the same events have as many events behind them
        w.wait(lambda: w.find('push button', 'Play') and abs(self.slider.value - at) <= (1e-6 if asked else 1e-8), f'it rests at {at}')

        def told():
            date, given, of = self.shown(w)
            digits = len(date.split('.')[1])
            same = abs(float(date) - at) <= max(1.5 * 10 ** -digits, 2e-8) if asked else date == f'{at:.{digits}f}'
            return same and digits >= 3 and (given, of) == (n, len(self.dates)) and (
                self.sentence() == (self.sentences[n - 1] if n else 'Before the first event'))
        w.wait(told, f'the time bar tells event {n}, {at} s')

    def go(self, w, text):
        w.key('g')
        field = w.wait_for('text', 'Go to')
        w.wait(lambda: field.state('focused'), 'the field has the focus')
        w.key('ctrl+a')
        w.type(text)
        w.key('Return')
        return field

    def choose(self, w, menu, item):
        self.bar.find('toggle button', menu).click()
        w.wait_for('radio menu item', item).click()
        w.wait_gone('radio menu item', item)
        self.bar.find('toggle button', menu).click()
        w.wait(lambda: self.chosen(w) == [item], f'{item} is chosen')
        w.key('Escape')
        w.wait_gone('radio menu item', item)

    def chosen(self, w):
        """Names of the items of an open menu that are checked."""
        return [i.name for i in w.find_all('radio menu item') if i.state('checked')]

    def x_of(self, date):
        x, y, width, height = self.slider.box
        first, last = self.dates[0], self.dates[-1]
        return x + SIDE + (date - first) / (last - first) * (width - 2 * SIDE), y + height / 2

    def unfold(self, w, name, content):
        header = w.wait_for('toggle button', name)
        header.click(fx=0.1)
        return w.wait(lambda: next((i for i in header.find_all(None, content) if i.box[2] > 20), None), f'{name} is unfolded')


class Playing(Time):
    def test_to_the_end_and_again(self):
        w = self.open()
        self.stands(w, 0)
        w.key('space')
        self.stands(w, len(self.dates), 60)
        self.bar.find('push button', 'To the beginning').click()
        self.stands(w, 0)
        self.bar.find('push button', 'Play').click()
        self.stands(w, len(self.dates), 60)
        self.choose(w, 'Speed', '10 events a second')
        w.key('space')                          # from the end: again from the beginning
        w.wait(lambda: 0 < self.given(w) < 100, 'it plays from the beginning')
        w.key('space')
        w.wait_for('push button', 'Play')
        self.stands(w, self.given(w))

    def test_speed_and_pause(self):
        w = self.open()
        self.choose(w, 'Speed', '100 events a second')
        began = time.monotonic()
        self.bar.find('push button', 'Play').click()
        w.wait(lambda: self.given(w) > 20, 'some events were given')
        self.assertLessEqual(self.given(w), 100 * (time.monotonic() - began) + 1)
        w.wait_for('push button', 'Pause').click()
        w.wait_for('push button', 'Play')
        n = self.given(w)
        self.assertGreater(n, 20)
        self.stands(w, n)
        self.choose(w, 'Speed', '1/100 of real time')
        began, at = time.monotonic(), self.dates[n - 1]
        w.key('space')
        w.wait(lambda: self.given(w) > n + 10, 'it goes on')
        self.assertLessEqual(float(self.shown(w)[0]), at + 0.01 * (time.monotonic() - began) + 1e-5)
        w.key('space')
        w.wait_for('push button', 'Play')
        self.stands(w, self.given(w))

    def test_speed_for_the_eye(self):
        """Who opens a sample and presses play sees it: it takes some seconds, whatever the trace's own time is."""
        os.remove(os.path.join(session().env['XDG_CONFIG_HOME'], 'scope', 'preferences'))
        w = self.open('farm.trace')
        w.wait_for('toggle button', 'Speed')
        began = time.monotonic()
        w.key('space')
        w.wait_for('push button', 'Pause')
        self.assertLess(self.given(w), len(self.dates))
        self.stands(w, len(self.dates), 30)
        self.assertGreater(time.monotonic() - began, 4)

    def test_edits_meanwhile(self):
        w = self.open()
        self.choose(w, 'Speed', '1,000 events a second')
        w.key('space')
        w.wait_for('push button', 'Pause')
        for what in ('Counter', 'Gate'):
            w.key('ctrl+k')
            w.wait_for('text', 'Find')
            w.type(what)
            w.wait_for('list item', re.compile(f'(?i)^{what}.*add'))
            w.key('Return')
            w.wait_for('panel', what)
        box = w.find('panel', 'Counter')
        w.drag(*box.at(0.3, 0.12), box.at()[0] + 60, box.at()[1] + 40)
        w.key('Delete')
        w.wait_gone('panel', 'Counter')
        before = self.given(w)
        if before < len(self.dates):
            w.wait(lambda: self.given(w) > before, 'it still plays')
        w.key('ctrl+z', 'ctrl+z', 'ctrl+z', 'ctrl+z')
        w.wait_gone('panel', 'Gate')
        if w.find('push button', 'Pause'):
            self.choose(w, 'Speed', 'As fast as possible')
        self.stands(w, len(self.dates), 60)


class Moving(Time):
    def test_by_events(self):
        w = self.open()
        w.key('period')
        self.stands(w, 1)
        w.key('period', 'period', 'period')
        self.stands(w, 4)
        w.key('comma')
        self.stands(w, 3)
        self.bar.find('push button', 'Forward one event').click()
        self.stands(w, 4)
        self.bar.find('push button', 'Back one event').click()
        self.stands(w, 3)
        w.key('End')
        self.stands(w, len(self.dates), 60)
        w.key('period')
        w.key('comma')
        self.stands(w, len(self.dates) - 1)
        w.key('Home')
        self.stands(w, 0)
        w.key('comma')
        self.stands(w, 0)
        self.bar.find('push button', 'To the end').click()
        self.stands(w, len(self.dates))

    def test_by_dates(self):
        w = self.open(self.synth(4, 600))
        twins = [i for i in range(20, len(self.dates) - 1) if self.dates[i] == self.dates[i + 1]]
        self.assertTrue(twins, 'some events have the same date')
        n = twins[0]                            # the next two events have one date
        self.go(w, f'#{n}')
        self.stands(w, n)
        w.key('greater')
        after = bisect.bisect_right(self.dates, self.dates[n])
        self.assertGreaterEqual(after, n + 2)
        self.stands(w, after)
        w.key('less')
        self.stands(w, n)
        self.bar.find('push button', 'Forward one date').click()
        self.stands(w, after)
        self.bar.find('push button', 'Back one date').click()
        self.stands(w, n)
        w.key('period')
        self.stands(w, n + 1)
        w.key('less')                           # out of the middle of a date
        self.stands(w, n)

    def test_sums_of_the_instant(self):
        """A table of an analysis is that of where time stands, by steps, travel and play, and after the program was changed."""
        w = self.open('farm.trace', program=os.path.join(SCHEMAS, 'waiting-times.eve'))
        picture = w.wait_for('drawing area', 'Picture of Tasks', 30)

        def counts():
            rows = [re.match(r'owner (.*?), count (\d+)', i.name) for i in picture.children]
            return {m[1]: int(m[2]) for m in rows if m}

        def want(n):
            names = {t['id']: t['nickname'] for t in json.loads(said('info', self.trace, '--json'))['tasks']}
            by = {}
            for e in self.events[:n]:
                if e['kind'] in ('Recv', 'PRecv', 'TRecv', 'NRecv') and e.get('end'):
                    by[names[e['task']]] = by.get(names[e['task']], 0) + 1
            return by

        def is_that_of(n, what):
            self.assertEqual(w.wait(lambda: counts() == want(n) and counts(), what, 20), want(n))

        for n in (150, 151, 163, 157, 60):
            self.go(w, f'#{n}')
            self.stands(w, n)
            is_that_of(n, f'the table is that of event {n}')
        for step in range(61, 66):
            w.key('period')
            self.stands(w, step)
            is_that_of(step, 'after a step')
        self.choose(w, 'Speed', '10 events a second')
        w.key('space')
        w.wait_for('push button', 'Pause')
        w.wait(lambda: self.given(w) > 70, 'it plays')
        w.key('space')
        w.wait(lambda: w.find('push button', 'Play'), 'it rests')
        n = self.given(w)
        is_that_of(n, 'after a pause')
        # What came from a box that was taken out is no result of this program; and it is worked out again.
        w.wait_for('panel', 'Waiting Times').click(fx=0.3, fy=0.12)
        w.key('Delete')
        w.wait_gone('panel', 'Waiting Times')
        w.wait(lambda: not counts(), 'nothing of the program before is shown', 20)
        w.wait(lambda: 'before' not in picture.description, 'nor said', 20)
        w.key('ctrl+z')
        w.wait_for('panel', 'Waiting Times')
        self.stands(w, n)
        is_that_of(n, 'after undo')

    def test_go_to(self):
        w = self.open()
        self.go(w, '#100')
        self.stands(w, 100)
        self.go(w, '0.1')
        self.stands(w, bisect.bisect_right(self.dates, 0.1), asked=0.1)
        self.go(w, '0,052 677 423 s')           # as it may be written
        self.stands(w, 109)
        self.assertEqual(self.sentence(), self.sentences[108])
        w.key('m')
        w.wait_for('list item', re.compile('^Mark Mark 1 at 0.052'))
        w.key('Home')
        self.stands(w, 0)
        self.go(w, '@Mark 1')
        self.stands(w, 109)
        for wrong, why in (('nonsense', 'Type seconds'), ('7.5', 'The execution goes from'), ('#99999', 'Events are numbered'),
                           ('@nobody', 'There is no mark “nobody”')):
            field = self.go(w, wrong)
            w.wait_for('label', re.compile('^' + why))
            self.assertTrue(field.showing)
            w.key('Escape')
            w.wait_gone('text', 'Go to')
        self.stands(w, 109)

    def test_dates_that_are_vectors(self):
        """Of a trace without clocks a date is shown and typed as its format says: steps behind an entry of a task."""
        trace = self.copy('commit.trace')
        events = [json.loads(line) for line in said('events', trace, '--json').splitlines()]
        entries = {(e['task'], e['number']): e['t'] for e in events if e['kind'] == 'Entry'}
        w = self.start(trace)
        w.wait_for('push button', 'Play', 30)
        for typed, at in (('wines 4', entries['wines', 4]), ('anna:3 + 1', entries['anna', 3] + 1), ('20', 20)):
            last, number = max((t, n) for (task, n), t in entries.items() if task == 'broker' and t <= at)
            expected = f'broker {number}' + (f' + {at - last:.0f}' if at > last else '')
            self.go(w, typed)
            w.wait(lambda: w.find('push button', 'Present').description.startswith(expected + ','), f'{typed} is {expected}')
        self.go(w, 'nobody 4')
        w.wait_for('label', re.compile('^Type a number of steps, or an entry of a task'))
        w.key('Escape')
        w.wait_gone('text', 'Go to')

    def test_ruler(self):
        w = self.open()
        w.settle()
        length = self.dates[-1] - self.dates[0]
        pixel = length / (self.slider.box[2] - 2 * SIDE)
        a, b, c = (self.dates[n] for n in (800, 2000, 2800))
        # Just behind an event: the session rests at the last one before the pointer.
        (xa, y), (xb, _), (xc, _) = ((x + 1.5, y) for x, y in (self.x_of(date) for date in (a, b, c)))
        xdo('mousemove', round(xa), round(y), 'mousedown', 1)
        w.wait(lambda: abs(self.slider.value - a) < 4 * pixel, 'a press takes the cursor there')
        xdo('mousemove', round((xa + xb) / 2), round(y), 'mousemove', round(xb), round(y))
        w.wait(lambda: abs(self.slider.value - b) < 4 * pixel, 'it follows the pointer')
        xdo('mousemove', round(xc), round(y), 'mouseup', 1)
        w.wait(lambda: abs(self.slider.value - c) < 4 * pixel, 'and stays where it was left')
        w.settle()
        n = self.given(w)
        self.assertAlmostEqual(self.dates[n - 1], c, delta=4 * pixel)
        self.stands(w, n, asked=self.slider.value)
        for key, share in (('Right', 0.01), ('Page_Down', 0.1), ('Left', -0.01), ('Page_Up', -0.1)):
            to = self.slider.value + share * length
            w.key(key)
            n = bisect.bisect_right(self.dates, to)
            self.stands(w, n, asked=to)
        Atspi.Value.set_current_value(self.slider.node.get_value_iface(), 0.1)
        self.stands(w, bisect.bisect_right(self.dates, 0.1), asked=0.1)

    def test_whose_states_the_ruler_shows(self):
        w = self.open('ring.trace', os.path.join(SCHEMAS, 'calls.eve'))
        w.wait(lambda: self.slider.description.endswith('states of Simulator; the program also has Calls'), 'it tells')

    def test_ruler_beyond_a_gap(self):
        w = self.open('heat2d.trace')
        gap = 23                                # events before the longest time in which nothing happens
        length = self.dates[-1] - self.dates[0]
        self.assertGreater(self.dates[gap] - self.dates[gap - 1], 0.3 * length)
        self.go(w, f'#{gap}')
        self.stands(w, gap)
        w.wait_gone('text', 'Go to')
        w.settle()
        x, y = self.x_of(self.dates[0])
        w.click(round(x) - 3, round(y))         # the focus; before all: at the beginning
        self.stands(w, bisect.bisect_right(self.dates, self.dates[0]))
        self.go(w, f'#{gap}')
        self.stands(w, gap)
        for _ in range(5):
            w.key('Page_Down')
            w.settle(0.1)
        self.assertGreater(self.given(w), gap)


class Keeping(Time):
    def test_marks(self):
        w = self.open()
        for n in (100, 2000, 50):
            self.go(w, f'#{n}')
            self.stands(w, n)
            w.key('m')
            w.wait(lambda: any(abs(m['t'] - self.dates[n - 1]) < 1e-8 for m in self.marks()), 'it is in the file')
        names = lambda: [re.sub(r'^Mark (.*) at .*$', r'\1', i.name) for i in w.find('list box', 'List of marks').children]
        w.wait(lambda: names() == ['Mark 3', 'Mark 1', 'Mark 2'], 'they stand by date')
        # Its name and notes.
        row = w.find('list item', re.compile('^Mark Mark 1 '))
        row.find('push button', 'Edit mark').click()
        w.wait_for('text', 'Name').type('zero hour')
        w.find('text', 'Notes').type('Why does *fft 1* wait?')
        w.find('push button', 'Save').click()
        w.wait(lambda: names() == ['Mark 3', 'zero hour', 'Mark 2'], 'it has its new name')
        mark = next(m for m in self.marks() if m['name'] == 'zero hour')
        self.assertEqual(mark['notes'].strip(), 'Why does *fft 1* wait?')
        self.assertAlmostEqual(mark['t'], self.dates[99], delta=1e-8)       # what was shown was rounded
        # A name that there is, no name, no date: a sentence, and nothing is done.
        row = w.find('list item', re.compile('^Mark zero hour '))
        row.find('push button', 'Edit mark').click()
        w.wait_for('text', 'Name').type('Mark 2')
        w.find('push button', 'Save').click()
        w.wait_for('label', 'There is a mark of this name already')
        w.find('text', 'Name').type('@zero')
        w.find('push button', 'Save').click()
        w.wait_for('label', re.compile('^it begins with @'))
        w.find('text', 'Name').type('zero ')        # blanks around it are none of it
        w.find('text', 'Date, s').type('9')
        w.find('push button', 'Save').click()
        w.wait_for('label', re.compile('^The date is no instant'))
        w.find('text', 'Date, s').type('0.2')
        w.find('push button', 'Save').click()
        w.wait(lambda: names() == ['Mark 3', 'Mark 2', 'zero'], 'it was moved')
        # Sorted by name, gone to, removed.
        w.find('toggle button', 'Sort by name').click()
        w.wait(lambda: names() == ['Mark 2', 'Mark 3', 'zero'], 'they stand by name')
        w.find('list item', re.compile('^Mark Mark 2 ')).click(fx=0.3)
        self.stands(w, 2000)
        w.key('ctrl+Left')
        self.stands(w, 50)
        w.key('ctrl+Right')
        self.stands(w, 2000)
        w.find('list item', re.compile('^Mark Mark 3 ')).find('push button', 'Remove mark').click()
        w.wait(lambda: names() == ['Mark 2', 'zero'], 'it is gone')
        self.assertEqual(sorted(m['name'] for m in self.marks()), ['Mark 2', 'zero'])

    def test_marks_of_another_program(self):
        """What another program does to the file is seen at once, and what is marked at the same time is kept."""
        w = self.open('ring.trace')
        names = lambda: sorted(re.sub(r'^Mark (.*) at .*$', r'\1', i.name) for i in w.find_all('list item', re.compile('^Mark .* at ')))
        for n, name in enumerate(('first', 'second')):          # where there is no file yet, and one that is replaced
            said('marks', self.trace, 'add', name, '--at', f'0.0{n + 1}')
            w.wait(lambda: name in names(), f'{name} is seen', 30)
        self.go(w, '#40')
        self.stands(w, 40)
        said('marks', self.trace, 'add', 'third', '--at', '0.03')
        w.key('m')                                              # may come before the file was looked at
        w.wait(lambda: len(names()) == 4 and 'third' in names(), 'both are kept', 30)
        self.assertEqual(sorted(m['name'] for m in self.marks()), names())
        self.assertTrue(any(abs(m['t'] - self.dates[39]) < 1e-8 for m in self.marks()))
        self.assertFalse(w.find('label', re.compile('changed meanwhile')))
        said('marks', self.trace, 'remove', 'first')
        w.wait(lambda: 'first' not in names() and len(names()) == 3, 'it is gone here too', 30)

    def test_attaching_nothing(self):
        """Who chooses no file is back in the editor, with what was typed; nothing of it was saved."""
        trace = self.copy('ring.trace')
        said('marks', trace, 'add', 'here', '--at', '0.05')
        w = self.open(trace)
        w.wait_for('list item', re.compile('^Mark here ')).find('push button', 'Edit mark').click()
        w.wait_for('text', 'Name').type('elsewhere')
        w.find('text', 'Notes').type('half a thought')
        w.find('push button', 'Attach…').click()
        w.wait_for('file chooser')
        w.key('Escape')
        w.wait_gone('file chooser')
        w.wait(lambda: w.find('text', 'Name') and w.find('text', 'Name').text == 'elsewhere'
               and w.find('text', 'Notes').text == 'half a thought', 'the editor is as it was left')
        self.assertEqual([(m['name'], m['notes']) for m in self.marks()], [('here', '')])
        w.find('push button', 'Save').click()
        w.wait(lambda: [(m['name'], m['notes'].strip()) for m in self.marks()] == [('elsewhere', 'half a thought')], 'now it is saved')

    def test_sound_of_a_mark(self):
        """Is played by the desktop's player; where there is none, a sentence says so."""
        trace, heard = self.copy('ring.trace'), self.path('heard')
        with open(self.path('said.wav'), 'wb') as f:
            f.write(b'RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\0\0\0\0')
        said('marks', trace, 'add', 'here', '--at', '0.05', '--attach', self.path('said.wav'))
        w = self.open(trace)
        button = w.wait_for('push button', 'Play said.wav')
        if not any('audio/' in open(f, errors='replace').read() for f in glob.glob('/usr/*share/applications/*.desktop')):
            button.click()
            w.wait_for('label', re.compile('^No program of the desktop plays marks/said.wav: '))
        os.remove(os.path.join(trace, 'marks', 'said.wav'))
        w.wait_for('push button', 'Play said.wav').click()
        w.wait_for('label', 'marks/said.wav is not in the trace')
        w.key('ctrl+q')
        w.ended()
        shutil.copy(self.path('said.wav'), os.path.join(trace, 'marks'))
        programs = os.path.join(session().env['XDG_DATA_HOME'], 'applications')
        os.makedirs(programs)
        with open(self.path('player'), 'w') as f:
            f.write(f'#!/bin/sh\necho "$1" > {heard}.new && mv {heard}.new {heard}\n')
        os.chmod(self.path('player'), 0o755)
        with open(os.path.join(programs, 'player.desktop'), 'w') as f:
            f.write(f'[Desktop Entry]\nType=Application\nName=Player\nExec={self.path("player")} %f\nMimeType=audio/x-wav;audio/wav;audio/vnd.wave;\n')
        with open(os.path.join(session().env['XDG_CONFIG_HOME'], 'mimeapps.list'), 'w') as f:
            f.write('[Default Applications]\naudio/x-wav=player.desktop\naudio/wav=player.desktop\naudio/vnd.wave=player.desktop\n')
        w = self.open(trace)
        w.wait_for('push button', 'Play said.wav').click()
        w.wait(lambda: os.path.exists(heard), 'it is played')
        with open(heard) as f:
            self.assertEqual(f.read().strip(), os.path.join(trace, 'marks', 'said.wav'))

    def test_report_of_marks(self):
        w = self.open()
        report = w.find('push button', 'Report of the marks')
        self.assertFalse(report.state('sensitive'))             # there is nothing to report
        for n in (100, 2000):
            self.go(w, f'#{n}')
            self.stands(w, n)
            w.key('m')
            w.wait(lambda: w.find('list item', re.compile(f'^Mark .* at {self.shown(w)[0][:5]}')), 'it is listed')
        w.find('list item', re.compile('^Mark Mark 1 ')).find('push button', 'Edit mark').click()
        w.wait_for('text', 'Name').type('Here <it> starts')
        w.find('text', 'Notes').type('Why does *fft 1* wait?')
        w.find('push button', 'Save').click()
        w.wait_for('list item', re.compile('^Mark Here <it> starts '))
        for place, sentence in ((self.path('nowhere'), None), (self.path('report.html'), '^The report of the marks is in ')):
            report.click()
            w.wait_for('file chooser')
            w.key('ctrl+a')
            w.type(place)
            w.find('push button', 'Save' if sentence else 'Cancel').action('click')     # a list of names may lie over it
            w.wait_gone('file chooser')
            if sentence:
                w.wait_for('label', re.compile(sentence))
        self.assertFalse(os.path.exists(self.path('nowhere')))
        with open(self.path('report.html')) as f:
            page = f.read()
        asked = subprocess.run([SCOPE, 'marks', self.trace, 'list', '--json'], check=True, stdout=subprocess.PIPE, env=session().env)
        for mark in json.loads(asked.stdout):
            self.assertIn(f'<time>{mark["t"]:.9f}'.rstrip('0') + ' s', page)
        self.assertIn('Here &lt;it&gt; starts', page)
        self.assertIn('Mark 2', page)
        self.assertIn('<em>fft 1</em>', page)

    def films(self, cache=None):
        """Files of the films of the trace that is open: when each was written."""
        home = os.path.join(cache or session().env['XDG_CACHE_HOME'], 'scope', 'films')
        return {path: os.stat(path).st_mtime_ns for folder, _, names in os.walk(home) for path in
                (os.path.join(folder, name) for name in names) if os.path.exists(path) and path.endswith('manifest')
                and self.film in path}

    def test_the_film_is_shot_again(self):
        self.film = 'fft2d-s4-'
        w = self.open()

        def complete():
            return [path for path in self.films() if 'state=complete' in open(path).read()]
        w.wait(complete, 'the film is shot', 60)
        w.settle()
        before = self.films()
        x, y, width, height = self.slider.box
        ruler = [w.colour(x + width * i // 40, y + 20) for i in range(1, 40)]
        self.assertGreater(len(set(ruler)), 3)
        self.bar.find('toggle button', 'Record').click()
        w.wait_for('menu item', 'Shoot the film again').click()
        w.wait(lambda: complete() and all(self.films().get(path, 0) > at for path, at in before.items()), 'it is shot again', 60)
        w.wait(lambda: [w.colour(x + width * i // 40, y + 20) for i in range(1, 40)] == ruler, 'the ruler is as it was')
        w.key('End')
        self.stands(w, len(self.dates))
        self.go(w, '#1000')
        self.stands(w, 1000)

    def marks(self):
        return json.loads(said('marks', self.trace, 'list', '--json'))

    def test_saved_states(self):
        w = self.open()
        table = self.unfold(w, 'Saved states', 'List of saved states')
        self.go(w, '#1500')
        self.stands(w, 1500)
        w.key('ctrl+alt+s')
        cell = w.wait(lambda: next((i for i in table.find_all('table cell') if i.name.startswith('at ')), None), 'it is listed')
        self.assertEqual(STEP.sub('', cell.name), f'at{self.shown(w)[0]}s')
        w.key('Home')
        self.stands(w, 0)
        cell.click(times=2)
        self.stands(w, 1500)
        w.wait_for('push button', 'Save the state now')
        self.go(w, '#2500')
        self.stands(w, 2500)
        self.bar.find('toggle button', 'Record').click()
        w.wait_for('menu item', 'Save the state now').click()
        w.wait(lambda: len([i for i in table.find_all('table cell') if i.name.startswith('at ')]) == 2, 'both are listed')

    def saved(self, table):
        """What stands in the list of those that were saved by hand."""
        return [STEP.sub('', i.name) for i in table.find_all('table cell') if i.name.startswith('at ')]

    def edit(self, w):
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('Counter')
        w.wait_for('list item', re.compile('(?i)^Counter.*add'))
        w.key('Return')
        w.wait_for('panel', 'Counter')

    def saved_under_edits(self, w):
        table = self.unfold(w, 'Saved states', 'List of saved states')
        self.go(w, '#1500')
        self.stands(w, 1500)
        w.key('ctrl+alt+s')
        w.wait(lambda: len(self.saved(table)) == 1, 'it is listed')
        name = f'at{self.shown(w)[0]}s'
        self.assertEqual(self.saved(table), [name])
        grey = re.compile('^Grey: of the program as it was before an edit')
        self.assertIsNone(w.find('label', grey))
        self.edit(w)
        w.wait(lambda: self.saved(table) == [name + '(beforeanedit)'], 'it is of the program before')
        for bar in w.find_all('info bar'):      # that there are no films: below it the list has little room
            list(bar.find_all('push button'))[-1].click()
        w.wait_gone('info bar')
        w.wait_for('label', grey)
        w.key('Home')
        self.stands(w, 0)
        next(i for i in table.find_all('table cell') if i.name.startswith('at ')).click(times=2)
        why = re.compile('cannot be used now: it is of the program as it was before an edit; undo or redo')
        w.wait_for('label', why)
        self.stands(w, 0)
        w.key('Escape', 'ctrl+z')
        w.wait_gone('panel', 'Counter')
        w.wait(lambda: self.saved(table) == [name], 'it can be used again')
        w.wait_gone('label', grey)
        next(i for i in table.find_all('table cell') if i.name.startswith('at ')).click(times=2)
        self.stands(w, 1500)
        return table, name

    def test_saved_states_and_edits(self):
        cache = self.path('cache')
        w = self.open(env={'XDG_CACHE_HOME': cache})
        self.film = 'fft2d-s4-'
        table, name = self.saved_under_edits(w)
        w.wait(lambda: any('state=complete' in open(path).read() for path in self.films(cache)), 'the film is shot', 60)
        before = self.films(cache)
        self.bar.find('toggle button', 'Record').click()
        w.wait_for('menu item', 'Shoot the film again').click()
        w.wait(lambda: any(self.films(cache).get(path, 0) > at for path, at in before.items()), 'it is shot again', 60)
        w.settle()
        self.assertEqual(self.saved(table), [name])
        self.edit(w)
        w.wait(lambda: self.saved(table) == [name + '(beforeanedit)'], 'the film was shot again, the state is there')

    def test_saved_states_without_films(self):
        """The folder of films cannot be made: what is saved is kept in memory, which is said."""
        cache = self.path('cache')
        os.makedirs(os.path.join(cache, 'scope'))
        open(os.path.join(cache, 'scope', 'films'), 'w').close()
        w = self.open(env={'XDG_CACHE_HOME': cache})
        w.wait_for('info bar', re.compile('^No film can be shot: a folder in .*/films cannot be made'))
        self.saved_under_edits(w)
        w.key('ctrl+alt+s')
        w.wait_for('label', re.compile('^The state is kept until Scope is closed, no longer'))
        self.assertTrue(os.path.isfile(os.path.join(cache, 'scope', 'films')))

    def test_record_menu_follows(self):
        """What is checked is what the document does, also where the preferences chose it."""
        w = self.open()
        self.bar.find('toggle button', 'Record').click()
        w.wait_for('radio menu item', 'Off: only by hand')
        w.wait(lambda: self.chosen(w) == ['Off: only by hand'], 'what the preferences say is checked')
        w.key('Escape')
        w.wait_gone('radio menu item', 'Usual')
        self.choose(w, 'Record', 'Usual')
        self.bar.find('toggle button', 'Record').click()
        w.wait(lambda: self.chosen(w) == ['Usual'], 'the choice is kept')
        w.key('Escape')
        w.wait_gone('radio menu item', 'Usual')
        self.choose(w, 'Speed', '1/10 of real time')
        self.bar.find('toggle button', 'Speed').click()
        w.wait(lambda: self.chosen(w) == ['1/10 of real time'], 'the speed is kept')
        w.key('Escape')


class Told(Time):
    def test_status(self):
        """A screen reader hears of what changes and can ask where time stands: a status line, whose name and labels change."""
        heard = set()

        def on_event(event):
            heard.add((event.type.split(':', 1)[1], event.source.get_role_name()))
        listener = Atspi.EventListener.new(on_event)
        for kind in ('object:text-changed:insert', 'object:property-change:accessible-name', 'object:property-change:accessible-value'):
            listener.register(kind)
        try:
            w = self.open()
            status = self.bar.find('status bar')
            w.wait(lambda: status.name.startswith('Paused: '), 'it rests')
            self.assertEqual(status.find('label').name, 'Before the first event')
            self.go(w, '#1000')
            self.stands(w, 1000)
            self.assertEqual(STEP.sub('', status.name), f'Paused:{self.shown(w)[0]}s,event1000of{len(self.dates)}')
            self.assertEqual(status.find('label').name, self.sentences[999])

            def all_heard():
                context = GLib.MainContext.default()
                while context.pending():
                    context.iteration(False)
                return {('text-changed:insert', 'label'), ('property-change:accessible-name', 'status bar'),
                        ('property-change:accessible-value', 'slider')} <= heard
            w.wait(all_heard, 'the changes were told')
            self.choose(w, 'Speed', '10 events a second')
            w.key('space')
            w.wait(lambda: status.name.startswith('Playing: '), 'it plays')
            w.wait_for('push button', 'Pause')
            w.key('space')
            w.wait(lambda: status.name.startswith('Paused: '), 'it rests')
            w.wait_for('push button', 'Play')
        finally:
            for kind in ('object:text-changed:insert', 'object:property-change:accessible-name', 'object:property-change:accessible-value'):
                listener.deregister(kind)


class Orders(Time):
    def program(self, command):
        path = self.path('orders.eve')
        with open(path, 'w') as f:
            f.write(ORDERS.replace('@COMMAND@', command))
        return path

    def phase(self):
        """Events given when the first phase has begun."""
        return next(i for i, e in enumerate(self.events) if e['kind'] == 'Phase') + 1

    def test_watch_pauses(self):
        with open(os.path.join(SCHEMAS, 'watch-overhead.eve')) as f:
            text = f.read()
        program, ran = self.path('watch.eve'), self.path('ran')
        with open(program, 'w') as f:
            f.write(text)
        os.mkdir(ran)
        w = self.open(program=program)
        subprocess.run([SCOPE, 'run', self.trace, '--program', program, '-q', '--out', ran], check=True, env=session().env,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(os.path.join(ran, 'triggered.csv')) as f:
            first = next(row for row in csv.DictReader(f) if row['command'] == 'pause')
        film = self.path('film')
        said('film', self.trace, '--program', program, '-o', film, '-q')
        with open(os.path.join(film, 'commands')) as f:
            would = [json.loads(line) for line in f]
        w.key('space')
        self.stands(w, int(first['event']), 60)
        w.wait_for('label', re.compile('^Watch: the communication overhead'))
        # All that was done, then all that the film says would be.
        listed = self.unfold(w, 'Triggered', 'List of what was triggered')
        rows = lambda: [i.name for i in listed.children]
        w.wait(lambda: len([r for r in rows() if r.startswith('would: ')]) == len(would), 'the film says what would be', 60)
        done = [r for r in rows() if not r.startswith('would: ')]
        self.assertEqual(len(done), 2)
        self.assertRegex(done[0], '^pause · Watch: the communication overhead .* at 0.052')
        for row, order in zip((r for r in rows() if r.startswith('would: ')), would):
            self.assertTrue(row.startswith('would: ' + order['order'].split('\n')[0]), row)
            at = STEP.sub('', row.rsplit(' at ', 1)[1])[:-1]
            self.assertEqual(at, f'{order["t"]:.{len(at.split(".")[1])}f}')
        later = next(i for i, o in enumerate(would) if o['event'] != would[0]['event'])
        w.wait(lambda: listed.children[len(done) + later].box[0] >= 0, 'the row has its place')
        listed.children[len(done) + later].click()
        self.stands(w, would[later]['event'])
        listed.children[0].click()
        self.stands(w, int(first['event']))

    def test_tool_is_asked_for(self):
        made = self.path('made')
        w = self.open(program=self.program(f"tool sh -c 'cat > {made}'"))
        w.key('space')
        w.wait_for('push button', 'Do not start it', 60).click()
        w.wait_gone('push button', 'Do not start it')
        self.stands(w, len(self.dates), 60)
        self.assertFalse(os.path.exists(made))
        w.key('Home')
        self.stands(w, 0)
        w.key('space')
        w.wait_for('push button', 'Start it', 60).click()
        w.wait(lambda: os.path.exists(made) and os.path.getsize(made), 'the tool has run')
        with open(made) as f:
            order = f.read()
        self.assertIn('by Order', order)
        os.remove(made)
        w.key('Home')
        self.stands(w, 0)
        w.key('space')                          # agreed to: not asked again
        w.wait(lambda: os.path.exists(made), 'the tool has run again', 60)
        self.assertFalse(w.find('push button', 'Start it'))

    def test_tool_has_its_time(self):
        w = self.open(program=self.program('tool sleep 600'), env={'SCOPE_TOOL_SECONDS': '1'})
        w.key('space')
        w.wait_for('push button', 'Start it', 60)
        self.assertTrue(w.find('label', re.compile('without a shell')))
        w.find('push button', 'Start it').click()
        w.wait_for('label', 'sleep has not ended in time and was ended', 30)

    def test_what_a_tool_has_started_goes_with_it(self):
        """It ends when it is asked to, what it has started does not."""
        script, born = self.path('stays.sh'), self.path('born')
        with open(script, 'w') as f:
            f.write(f'(trap "" TERM; while :; do sleep 1; done) &\necho $! >{born}.new\nmv {born}.new {born}\nwait\n')
        w = self.open(program=self.program(f'tool sh {script}'), env={'SCOPE_TOOL_SECONDS': '1'})
        w.key('space')
        w.wait_for('push button', 'Start it', 60).click()
        w.wait(lambda: os.path.exists(born), 'it has started another', 60)
        with open(born) as f:
            child = int(f.read())
        w.wait_for('label', 'sh has not ended in time and was ended', 30)

        def gone():
            try:
                with open(f'/proc/{child}/stat') as f:
                    return f.read().rpartition(')')[2].split()[0] == 'Z'        # nobody may be there to take note of it
            except FileNotFoundError:
                return True
        w.wait(gone, 'what it had started is ended too', 60)

    def test_front_and_message(self):
        w = self.open(program=self.program('front Trace text'))
        w.wait_for('drawing area', 'Picture of Trace text').click()
        w.key('ctrl+w')
        w.wait_gone('drawing area', 'Picture of Trace text')
        w.wait_for('drawing area', 'Picture of Space-time').click(fx=0.02, fy=0.05)
        w.key('space')
        w.wait_for('drawing area', 'Picture of Trace text', 60)
        self.stands(w, len(self.dates), 60)

    def test_message(self):
        w = self.open(program=self.program('message The phases begin'))
        w.key('space')
        w.wait_for('label', 'Order: The phases begin', 60)
        listed = self.unfold(w, 'Triggered', 'List of what was triggered')
        row = w.wait(lambda: next(iter(listed.children), None), 'it is listed')
        self.assertTrue(row.name.startswith('message The phases begin'))
        self.stands(w, len(self.dates), 60)
        row.click()
        self.stands(w, self.phase())


if __name__ == '__main__':
    main()
