# SPDX-License-Identifier: Apache-2.0
"""Two executions in one window: one axis of time, each reader with its trace and its offset, and both after a crash."""
import collections
import json
import os
import re
import shutil
import subprocess

from harness import ROOT, SCOPE, Case, main, session

STEP = re.compile(r'\s')


def said(*words):
    return subprocess.run([SCOPE, *words], check=True, stdout=subprocess.PIPE, text=True, env=session().env, timeout=120).stdout


def kept():
    folder = os.path.join(session().env['XDG_STATE_HOME'], 'scope', 'recovery')
    return [n for n in os.listdir(folder) if '.' not in n] if os.path.isdir(folder) else []


class Two(Case):
    PROGRAM = '''<eve version="1"><title>Two</title>
      <component name="Session" class="scope.session" version="1" x="40" y="140"/>
      <component name="Reader 1" class="scope.tapepvm-reader" version="1" x="240" y="40"/>
      <component name="Simulator 1" class="scope.pvm-simulator" version="1" x="460" y="40"/>
      <component name="Space-time 1" class="scope.space-time" version="1" x="680" y="40"/>
      <component name="Reader 2" class="scope.tapepvm-reader" version="1" x="240" y="240"/>
      <component name="Simulator 2" class="scope.pvm-simulator" version="1" x="460" y="240"/>
      <component name="Space-time 2" class="scope.space-time" version="1" x="680" y="240"/>
      <wire from="Session" out="commands" to="Reader 1" in="commands"/>
      <wire from="Session" out="commands" to="Reader 2" in="commands"/>
      <wire from="Reader 1" out="events" to="Simulator 1" in="events"/>
      <wire from="Reader 2" out="events" to="Simulator 2" in="events"/>
      <wire from="Simulator 1" out="states" to="Space-time 1" in="states"/>
      <wire from="Simulator 2" out="states" to="Space-time 2" in="states"/>
    </eve>'''

    def opened(self, marked=None, marked_first=None):
        self.traces = [self.copy('fft2d-s4.trace'), self.copy('fft2d-s16.trace')]
        if marked:
            said('marks', self.traces[1], 'add', 'here', '--at', marked)
        if marked_first:
            said('marks', self.traces[0], 'add', 'here', '--at', marked_first)
        self.file = self.path('two.eve')
        with open(self.file, 'w', encoding='utf-8') as f:
            f.write(self.PROGRAM)
        w = self.start(*self.traces, self.file)
        self.there(w)
        return w

    def there(self, w):
        w.wait(lambda: w.find('push button', 'Play') and self.shown(w), 'it can be played', 30)
        self.bar = w.wait_for(None, 'Time panel')
        self.slider = self.bar.find('slider', 'Time')
        info = [json.loads(said('info', t, '--json')) for t in self.traces]
        self.events = [[json.loads(line) for line in said('events', t, '--json').splitlines()] for t in self.traces]
        self.first, self.last = [i['first'] for i in info], [i['last'] for i in info]

    def shown(self, w):
        """Date as shown, events of each trace that are given."""
        present = w.find('push button', 'Present')
        m = re.fullmatch(r'([-−\d.]+)s,events([\d+]+)of([\d+]+)', STEP.sub('', present.description)) if present else None
        return m and (m[1], [int(n) for n in m[2].split('+')])

    def given(self, at, offset):
        """Events of each trace dated by then, the second shifted, as the command tells them of each alone."""
        at = round(at, 9)
        return [sum(e['t'] + shift <= at + 1e-12 for e in events) for events, shift in zip(self.events, (0, offset))]

    def span(self):
        value = self.slider.node.get_value_iface()
        return value.get_minimum_value(), value.get_maximum_value()

    def spans(self, w, first, last):
        w.wait(lambda: abs(self.span()[0] - first) < 1e-6 and abs(self.span()[1] - last) < 1e-6, f'time goes from {first} to {last}')

    def go(self, w, text):
        w.find('push button', 'Present').click()
        field = w.wait_for('text', 'Go to')
        w.wait(lambda: field.state('focused'), 'the field has the focus')
        w.key('ctrl+a')
        w.type(text)
        w.key('Return')

    def set(self, w, box, name, text):
        w.wait(lambda: w.find('canvas', 'Program').find('panel', box), f'the box {box} is there').click()
        field = w.wait(lambda: next((i for i in w.find_all('text', name)), None), f'there is a setting {name}')
        field.click()
        w.key('ctrl+a')
        w.type(text)
        w.key('Return')
        return field

    def boxes(self, w):
        if not w.find('canvas', 'Program') or not w.find('canvas', 'Program').showing:
            w.key('ctrl+e')
        w.wait_for('canvas', 'Program')

    def test_marks_of_the_other_trace_stand_on_the_ruler(self):
        at = '0.123456789'
        w = self.opened(marked=at)
        first, last = self.span()
        x, _, width, _ = self.slider.box
        # a flag is caught some pixels beside it, and leads to its own date, not to that of the pixel
        px = 18 + (float(at) - first) / (last - first) * (width - 36) + 4
        self.slider.click(fx=px / width, fy=0.06)
        w.wait(lambda: self.shown(w) and self.shown(w)[1] == self.given(float(at), 0), 'it travels to the mark of the other trace')
        self.assertEqual(round(self.slider.value, 4), round(float(at), 4))

    def test_legend_counts_both(self):
        w = self.opened()
        self.go(w, '0.05')
        w.wait(lambda: self.shown(w) and self.shown(w)[1] == self.given(0.05, 0), 'it is there')
        states = collections.Counter(node['State'] for t in self.traces for node in json.loads(said('state', t, '--at', '0.05', '--json'))['nodes'])
        want = sorted(f'{n} task' + 's' * (n > 1) for n in states.values())
        self.assertGreater(sum(states.values()), 4)
        w.wait(lambda: sorted(i.name for i in w.find_all('label', re.compile(r'^\d+ tasks?$'))) == want, f'the legend counts {states}')
        late = sum(self.last) / 2                                     # one of both is over
        self.go(w, f'{late:.6f}')
        longer, = (t for t, last in zip(self.traces, self.last) if last > late)
        states = collections.Counter(node['State'] for node in json.loads(said('state', longer, '--at', f'{late:.6f}', '--json'))['nodes'])
        want = sorted(f'{n} task' + 's' * (n > 1) for n in states.values())
        w.wait(lambda: sorted(i.name for i in w.find_all('label', re.compile(r'^\d+ tasks?$'))) == want, f'the legend counts {states} of the longer one alone')

    def test_a_range_names_its_execution(self):
        """The story of a range is of the execution in whose view it was dragged, which stands in it."""
        w = self.opened()
        side = w.wait_for('scroll pane', 'Inspector, legend and marks')

        def named():
            return [i.name for i in side.find_all('label', re.compile('^fft2d-s(4|16)$'))]

        self.assertEqual(named(), [])
        for view, name in (('Space-time 1', 'fft2d-s4'), ('Space-time 2', 'fft2d-s16')):
            picture = w.wait(lambda: w.find('drawing area', 'Picture of ' + view), f'{view} is there', 30)
            w.wait(lambda: len(picture.children) > 4, 'it has its rows', 60)
            x, y, width, height = picture.box
            w.drag(x + width // 2, y + height // 2, x + width * 3 // 4, y + height // 2)
            w.wait(lambda: named() == [name], f'the range is of {name}', 60)

    def test_offset(self):
        w = self.opened()
        title = w.frame.name
        self.assertIn('fft2d-s4.trace', title)
        self.assertIn('fft2d-s16.trace', title)
        self.spans(w, 0, max(self.last))
        w.wait_for('canvas', 'Program')
        self.set(w, 'Reader 2', 'offset', '1.5')
        end = 1.5 + self.last[1]
        self.spans(w, 0, end)
        # beyond the end of the leading one, where the other still runs
        at = 1.5 + self.last[1] / 2
        self.go(w, f'{at:.9f}')
        w.wait(lambda: abs(self.slider.value - at) < 1e-6, 'it travels there')
        w.wait(lambda: w.find('push button', 'Play'), 'it rests')
        self.assertEqual(self.given(at, 1.5)[0], len(self.events[0]))
        w.wait(lambda: self.shown(w)[1] == self.given(at, 1.5), 'the leading execution is over, the other half way')
        self.go(w, f'{self.last[0] / 2:.9f}')
        w.wait(lambda: self.shown(w)[1] == self.given(self.last[0] / 2, 1.5), 'back into the first')
        self.go(w, f'{end + 1:.3f}')
        w.wait_for('label', re.compile('^The execution goes from '))
        w.key('Escape')
        w.find('push button', 'Undo').click()
        self.spans(w, 0, max(self.last))

    def test_of_two_formats(self):
        """Without a program there is one for any two traces, which is not to be saved over; both are there at any date."""
        self.traces = [self.copy('ring.trace'), self.copy('mpi-farm.otf2')]
        if subprocess.run([SCOPE, 'info', self.traces[1]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=session().env).returncode:
            self.skipTest('built without libotf2')
        w = self.start(*self.traces)
        self.there(w)
        self.spans(w, min(self.first), max(self.last))
        for view in ('Space-time 1', 'Space-time 2', 'Time by state 2'):
            w.wait(lambda view=view: w.find(None, view), f'{view} is there')
        for at in (self.last[0] / 2, self.last[1] / 2):
            self.go(w, f'{at:.9f}')
            w.wait(lambda at=at: self.shown(w) and self.shown(w)[1] == self.given(at, 0), 'both are there')

    def test_calls_that_never_end(self):
        """Of several traces each is looked through: the second one has a deadlock, and is named; the way there is to its date."""
        self.traces = [self.copy('ring.trace'), self.copy('deadlock.trace')]
        events = [json.loads(line) for line in subprocess.run([SCOPE, 'events', self.traces[1], '--json'], env=session().env, check=True,
                                                              stdout=subprocess.PIPE, text=True).stdout.splitlines()]
        stuck = [e for e in events if e.get('unfinished')]
        w = self.start(*self.traces)
        w.wait_for('label', re.compile(f'^deadlock: {len(stuck)} calls never ended; the last began at '), 90)
        w.wait_for('push button', 'Go There').click()
        w.wait(lambda: abs(w.find('slider', 'Time').value - stuck[-1]['t']) < 1e-6, 'the present is where it began')

    def test_calls_that_never_end_in_both(self):
        """Each is a line of one message, whose button leads to the one that was told first."""
        first = self.copy('deadlock.trace')
        shutil.copytree(first, self.path('again.trace'))
        self.traces = [first, self.path('again.trace')]
        events = [json.loads(line) for line in subprocess.run([SCOPE, 'events', first, '--json'], env=session().env, check=True,
                                                              stdout=subprocess.PIPE, text=True).stdout.splitlines()]
        stuck = [e for e in events if e.get('unfinished')]
        w = self.start(*self.traces)
        told = f'{len(stuck)} calls never ended; the last began at .*'
        w.wait_for('label', re.compile(f'^deadlock: {told}\nagain: {told}$'), 90)
        self.assertEqual(len([i for i in w.find_all('label') if 'never ended' in i.name]), 1)
        self.assertEqual(len(w.find_all('push button', 'Go There')), 1)
        w.find('push button', 'Go There').click()
        w.wait(lambda: abs(w.find('slider', 'Time').value - stuck[-1]['t']) < 1e-6, 'the present is where it began')

    def test_ruler_and_legend_of_both(self):
        """Of two executions of different models the heading has both, the ruler a lane for each with its name, and the legend the
        states of both; a view alone has the dates of both, as it is drawn over them."""
        self.traces = [self.copy('ring.trace'), self.copy('mpi-farm.otf2')]
        if subprocess.run([SCOPE, 'info', self.traces[1]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=session().env).returncode:
            self.skipTest('built without libotf2')
        w = self.start(*self.traces)
        self.there(w)
        w.wait(lambda: w.find('label', re.compile('^PVM \\+ parallel · ')), 'both models stand in the heading')
        w.wait(lambda: w.find('slider', 'Time').description == 'The executions, in seconds; states of ring, mpi-farm.otf2', 'the ruler tells of both', 60)
        legend = w.wait_for(None, 'Legend')
        names = lambda: {i.name for i in legend.all() if i.role == 'label'}
        w.wait(lambda: {'Busy', 'MPI_Init', 'State of tasks, also in mpi-farm.otf2'} <= names(), 'the legend has the states of both')
        # what the lanes show: the first is over long before the second is, and then only the second has work in it
        x, y, width, height = w.find('slider', 'Time').box
        self.assertLess(self.last[0], self.last[1] / 2)
        late = round(x + 18 + (width - 36) * 0.85)
        at = lambda share: w.colour(late, round(y + 16 + (height - 43) * share))
        grey = lambda rgb: max(rgb) - min(rgb) < 12
        w.wait(lambda: grey(at(0.25)) and not grey(at(0.75)), 'tasks of the first are dead by then, those of the second are not')

    def test_laid_over_each_other(self):
        """The dialog: at their first events, at a mark of both, by seconds; each is undone as one edit."""
        at = ('0.05', '0.123456789')
        w = self.opened(marked=at[1], marked_first=at[0])
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('lay executions')
        w.key('Return')
        how = w.wait_for('combo box', 'Place of fft2d-s16')
        seconds = w.wait_for('text', 'Seconds added to fft2d-s16')

        def choose(item):
            how.click()
            w.wait_for('menu item', item).click()
        for item, offset in (('First events together', self.first[0] - self.first[1]),
                             ('Together at the mark “here”', float(at[0]) - float(at[1]))):
            choose(item)
            self.spans(w, min(self.first[0], self.first[1] + offset, 0), max(self.last[0], self.last[1] + offset))
            w.wait(lambda: abs(float(seconds.text) - offset) < 1e-9, f'{item}: {offset} s are told')
        if os.environ.get('SHOT'):
            w.screenshot(os.environ['SHOT'])
        seconds.click()
        w.key('ctrl+a')
        w.type('2')
        w.key('Return')
        self.spans(w, 0, max(self.last[0], 2 + self.last[1]))
        w.key('ctrl+a')
        w.type('soon')
        w.key('Return')
        w.wait_for('label', re.compile('^That is no amount of time'))
        w.key('Escape')
        w.wait_gone('combo box', 'Place of fft2d-s16')
        w.find('push button', 'Undo').click()
        self.spans(w, min(0, self.first[1] + offset), max(self.last[0], self.last[1] + offset))
        w.wait(lambda: abs(float(self.shown(w)[0].replace('−', '-')) - (self.first[1] + offset)) < 1e-4, 'the date of the beginning follows')
        # the flag of the other trace has moved with it, over that of the first
        first, last = self.span()
        x, _, width, _ = self.slider.box
        px = 18 + (float(at[0]) - first) / (last - first) * (width - 36) + 4
        self.slider.click(fx=px / width, fy=0.06)
        w.wait(lambda: self.shown(w)[1] == self.given(float(at[0]), offset), 'both marks are at one date')

    def test_ruler_by_pointer(self):
        w = self.opened()
        self.set(w, 'Reader 2', 'offset', ' -1')
        first, last = -1 + self.first[1], max(self.last[0], self.last[1] - 1)
        self.spans(w, first, last)
        w.settle()
        x, y, width, height = self.slider.box
        self.slider.click(fx=0.25)
        want = first + (width * 0.25 - 18) / (width - 36) * (last - first)
        w.wait(lambda: abs(self.slider.value - want) < (last - first) / 100, 'a press before zero takes the cursor there')
        self.assertLess(self.slider.value, 0)
        w.wait(lambda: self.shown(w)[1] == self.given(self.slider.value, -1), 'the other has begun')
        self.assertEqual(self.shown(w)[1][0], 0, 'where the leading execution has not')
        if os.environ.get('SHOT'):
            w.screenshot(os.environ['SHOT'])
        self.bar.find('push button', 'To the end').click()
        w.wait(lambda: abs(self.slider.value - last) < 1e-6, 'the end is that of both')

    def test_refused(self):
        w = self.opened()
        field = self.set(w, 'Reader 2', 'offset', 'soon')
        w.wait_for('label', re.compile('no amount of time'))
        self.spans(w, 0, max(self.last))

    def test_recovered(self):
        """After a crash nobody is asked for the second trace again: the person opened it."""
        w = self.opened()
        self.set(w, 'Reader 2', 'offset', '0.5')
        self.spans(w, 0, 0.5 + self.last[1])
        w.wait(kept, 'the edit is on the disk', 10)
        w.kill()
        w = self.start()
        w.wait_for('push button', 'Recover').click()
        self.there(w)
        self.assertIsNone(w.find('push button', 'Read it'))
        self.assertIn('fft2d-s16.trace', w.frame.name)
        self.spans(w, 0, 0.5 + self.last[1])
        w.kill()


class TwiceTold(Case):
    """One execution of which two simulators tell."""
    PROGRAM = '''<eve version="1"><title>Twice</title>
      <component name="Session" class="scope.session" version="1" x="40" y="140"/>
      <component name="Reader" class="scope.tapepvm-reader" version="1" x="240" y="40"/>
      <component name="Simulator 1" class="scope.pvm-simulator" version="1" x="460" y="40"/>
      <component name="Space-time 1" class="scope.space-time" version="1" x="680" y="40"/>
      <component name="Simulator 2" class="scope.pvm-simulator" version="1" x="460" y="240"/>
      <component name="Space-time 2" class="scope.space-time" version="1" x="680" y="240"/>
      <wire from="Session" out="commands" to="Reader" in="commands"/>
      <wire from="Reader" out="events" to="Simulator 1" in="events"/>
      <wire from="Reader" out="events" to="Simulator 2" in="events"/>
      <wire from="Simulator 1" out="states" to="Space-time 1" in="states"/>
      <wire from="Simulator 2" out="states" to="Space-time 2" in="states"/>
    </eve>'''

    def test_the_legend_counts_each_task_once(self):
        trace, file = self.copy('fft2d-s16.trace'), self.path('twice.eve')
        with open(file, 'w', encoding='utf-8') as f:
            f.write(self.PROGRAM)
        w = self.start(trace, file)
        w.wait(lambda: w.find('push button', 'Present') and w.find('push button', 'Play'), 'it can be played', 30)
        w.find('push button', 'Present').click()
        field = w.wait_for('text', 'Go to')
        w.wait(lambda: field.state('focused'), 'the field has the focus')
        w.key('ctrl+a')
        w.type('0.05')
        w.key('Return')
        states = collections.Counter(node['State'] for node in json.loads(said('state', trace, '--at', '0.05', '--json'))['nodes'])
        want = sorted(f'{n} task' + 's' * (n > 1) for n in states.values())
        w.wait(lambda: sorted(i.name for i in w.find_all('label', re.compile(r'^\d+ tasks?$'))) == want, f'the legend counts {states}')


if __name__ == '__main__':
    main()
