#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of several formats: how many tasks there are, told by all who count them; a program of one's own for one format
with a trace of another."""
import os
import random
import re
import signal
import subprocess
import time

from harness import Case, SAMPLES, SCOPE, main

# Three threads of two applications; one of them never runs, and the applications and their tasks only hold others.
PARAVER = """#Paraver (01/01/2020 at 00:00):2000_ns:1(3):2:2(1:1,1:1),1(1:1)
1:1:1:1:1:0:1000:1
1:1:1:1:1:1000:2000:3
1:2:1:2:1:0:2000:1
"""
OWN = """<?xml version="1.0" encoding="UTF-8"?>
<eve version="1">
  <title>My own</title>
  <component name="Session" class="scope.session" version="1" x="40" y="104"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1" x="224" y="120"/>
  <component name="Simulator" class="scope.pvm-simulator" version="1" x="408" y="40"/>
  <component name="My rows" class="scope.space-time" version="1" x="600" y="48"/>
  <component name="My text" class="scope.trace-text" version="1" x="408" y="192"/>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/>
  <wire from="Reader" out="events" to="My text" in="events"/>
  <wire from="Simulator" out="states" to="My rows" in="states"/>
</eve>
"""


class Formats(Case):
    def paraver(self):
        path = self.path('threads.prv')
        with open(path, 'w') as f:
            f.write(PARAVER)
        return path

    def own(self):
        path = self.path('mine.eve')
        with open(path, 'w') as f:
            f.write(OWN)
        return path

    def test_tasks_are_counted_by_one_rule(self):
        """Heading, legend, Space-time and `scope info` have the same number of all tasks; who counts some says of how many."""
        trace = self.paraver()
        told = subprocess.run([SCOPE, 'info', trace], capture_output=True, text=True, check=True).stdout
        n = int(re.search(r'^Tasks \((\d+)\)$', told, re.M)[1])
        w = self.start(trace)

        def of(what):
            """The two numbers of "2 of 11 tasks ..." of whatever says so on the screen."""
            found = [re.search(what, i.name or i.text or '') for i in w.frame.all() if i.showing]
            return {(int(m[1]), int(m[2])) for m in found if m}
        w.wait_for('label', re.compile(rf'· {n} tasks ·'))
        w.key('End')
        live = w.wait(lambda: of(r'^(\d+) of (\d+) tasks are there now'), 'the legend says of how many')
        self.assertEqual({of_all for _, of_all in live}, {n})
        rows = w.wait(lambda: of(r'(\d+) of (\d+) tasks hidden'), 'Space-time says of how many')
        self.assertEqual({of_all for _, of_all in rows}, {n})

    def held_films(self, trace):
        """The processes that shoot its film, held; more may come of them."""
        held = []
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{pid}/cmdline', 'rb') as f:
                    words = f.read().split(b'\0')
                if b'film' in words and trace.encode() in words:
                    os.kill(int(pid), signal.SIGSTOP)
                    held.append(int(pid))
            except OSError:
                pass
        return held

    def test_states_that_the_film_names(self):
        """A state that the execution is in later is in the legend as soon as the film names it: nobody needs to travel there."""
        trace = self.path(f'later{time.monotonic_ns()}.prv')      # of which nothing is known yet
        n = 200000
        with open(trace, 'w') as f:
            f.write(f'#Paraver (01/01/2020 at 00:00):{2 * n}_ns:1(1):1:1(1:1)\n')
            f.writelines(f'1:1:1:1:1:{i}:{i + 1}:{1 if i < n else 3}\n' for i in range(2 * n))
        w = self.start(trace, ready=False)
        held = set()
        w.wait(lambda: held.update(self.held_films(trace)) or (held and w.frame and w.frame.find('push button', 'Colour of Computing')), 'it is open, and no film is shot', 30)
        w.settle()      # all that opening it brings has come
        late = ('push button', 'Colour of Waiting a message')
        self.assertFalse(w.find(*late))
        for pid in held:
            os.kill(pid, signal.SIGCONT)
        w.wait_for(*late, 30)

    def test_long_names_of_counters(self):
        """A counter has a name of a line and a half: the side stays as wide as it was, and both name and value can be read."""
        counter, value = 'RESOURCE_STALLS [Cycles Allocation is stalled due to Resource Related reason]', random.randint(100000, 999999)
        trace = self.path('counted.prv')
        with open(trace, 'w') as f:
            f.write(PARAVER + f'2:2:1:2:1:500:42001047:{value}\n')
        with open(self.path('counted.pcf'), 'w') as f:
            f.write(f'EVENT_TYPE\n7  42001047 {counter}\n')
        w = self.start(trace)
        w.wait_for('label', re.compile('^Paraver · '))
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.key('End')
        side = w.find('scroll pane', 'Inspector, legend and marks')
        wide = side.box[2]
        picture = w.find('drawing area', 'Picture of Space-time')
        w.wait(lambda: picture.find('list item', re.compile(r'^(THREAD )?1\.2\.1')), 'its row').click(fx=0.02)
        name, told = w.wait(lambda: sorted((i for i in side.find_all('label') if counter in (i.name, i.text)), key=lambda i: i.box[0])[:2],
                            'name and value')
        self.assertEqual((name.text, re.sub(r'\D', '', told.text)), (counter, str(value)))
        w.wait(lambda: name.box[3] > 2.5 * told.box[3], 'the name has several lines')
        self.assertEqual(side.box[2], wide)
        self.assertGreater(told.box[2], 6 * 6)          # six digits
        self.assertLessEqual(told.box[0] + told.box[2], side.box[0] + wide)

    def views(self, w):
        """Those of the own program that are on the screen."""
        return {i.name for i in w.frame.all() if i.role == 'panel' and i.showing} & {'My rows', 'My text'}

    def test_own_program_of_another_format(self):
        """A program of one's own with a trace of another format: the trace opens, its reader and simulator are exchanged
        when that is wanted, all its other boxes stay, its file is left alone, and there is a way back."""
        mine = self.own()
        w = self.start(self.paraver(), mine)
        w.wait_for('toggle button', 'Program: Views of an execution')
        w.wait_for('push button', 'Exchange Them').click()
        w.wait(lambda: w.find('toggle button', 'Program: My own •') and w.find('push button', 'Go Back')
               and w.find('label', re.compile('Paraver · .* · changed$')), 'it is the own program, for this trace')
        w.wait(lambda: {'My rows', 'My text'} <= self.views(w), 'its views are there')
        with open(mine) as f:
            self.assertEqual(f.read(), OWN)
        w.wait_for('push button', 'Go Back').click()
        w.wait(lambda: w.find('toggle button', 'Program: Views of an execution') and w.find('push button', 'Exchange Them')
               and not self.views(w), 'what was open before, and the offer')

    def test_trace_of_another_format(self):
        """The own program is open, a trace of another format is opened: it is offered for that."""
        trace, mine = self.paraver(), self.own()
        w = self.start(SAMPLES + '/ring.trace', mine)
        w.wait(lambda: w.find('toggle button', 'Program: My own') and {'My rows', 'My text'} <= self.views(w), 'it is open')
        self.drop(w, lambda: w.find('push button', 'Exchange Them'), trace)
        w.find('push button', 'Exchange Them').click()
        w.wait(lambda: w.find('toggle button', 'Program: My own •') and {'My rows', 'My text'} <= self.views(w)
               and w.find('label', re.compile('Paraver · .* · changed$')), 'the own program, for the other trace')

    def test_changes_come_along(self):
        """Boxes that are not saved are on the next trace too, with no question asked where its format is the same; where it
        is another one they can be taken along, with reader and simulator exchanged. There is a way back to each."""
        trace = self.paraver()
        w = self.start(SAMPLES + '/ring.trace')
        w.wait_for('push button', 'Undo', 30)
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('Histogram')
        w.wait_for('list item', re.compile('^Histogram, add: '))
        w.key('Return')
        changed = 'Program: Views of an execution •'
        w.wait(lambda: w.find('toggle button', changed), 'a box was added')

        def is_on(name):
            return lambda: (w.find('toggle button', changed) and w.find('label', re.compile(name))
                            and not w.find('label', re.compile('^Shooting')) and w.find('push button', 'Go Back')
                            and any('Histogram' in i.name for i in w.frame.all() if i.role == 'panel'))

        # An instant, a task and a part of time, all of which are there again after each way back.
        w.wait_gone('label', re.compile('^Shooting'), 60)
        number = random.randint(20, 60)
        w.key('g')
        w.wait(lambda: w.find('text', 'Go to') and w.find('text', 'Go to').state('focused'), 'a number is wanted')
        w.key('ctrl+a')
        w.type(f'#{number}')
        w.key('Return')
        w.wait_gone('text', 'Go to')

        def rows():
            return [i for i in w.find('drawing area', 'Picture of Space-time').children if re.match(r't4\w+(  .*)?$', i.name)]

        def looked_at():
            present = w.find('push button', 'Present')
            return (re.search(r'event([\d]+)of', re.sub(r'\s', '', present.description))[1], [i.name for i in rows() if i.state('selected')],
                    next(p.description for p in w.find_all('panel', 'Space-time') if '–' in p.description))

        whole = looked_at()[2]
        random.choice(w.wait(rows, 'there are rows')).click(fx=0.02)
        w.key('plus', 'plus', 'plus')
        w.wait(lambda: looked_at()[0] == str(number) and looked_at()[1] and looked_at()[2] != whole, 'it is looked at')
        before = looked_at()
        self.drop(w, is_on('fft2d-s16.trace'), SAMPLES + '/fft2d-s16.trace')
        w.find('push button', 'Go Back').click()
        w.wait(lambda: w.find('toggle button', changed) and w.find('label', re.compile('ring.trace'))
               and not w.find('push button', 'Go Back'), 'the first trace, with the box')
        w.wait(lambda: looked_at() == before, 'it is looked at as before')
        self.drop(w, lambda: w.find('push button', 'Take Along'), trace)
        w.find('push button', 'Take Along').click()
        w.wait(is_on('Paraver · .* · changed$'), 'the box is on the trace of another format')
        w.wait_for('label', re.compile('^“Views of an execution” has another reader and simulator; it is not saved yet'))      # of no file
        w.find('push button', 'Go Back').click()
        w.wait(lambda: w.find('toggle button', changed) and w.find('label', re.compile('ring.trace'))
               and not w.find('push button', 'Go Back'), 'the first trace again, with the box')
        w.wait(lambda: looked_at() == before, 'it is looked at as before')

    def test_second_reader_is_told(self):
        """A reader from the library that reads what is read already: it is told that events come twice."""
        w = self.start(SAMPLES + '/ring.trace')
        w.wait_for('push button', 'Undo', 30)
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('TAPE/PVM reader')
        w.wait_for('list item', re.compile('^TAPE/PVM reader, '))
        w.key('Return')
        w.wait_for('label', re.compile('^TAPE/PVM reader reads ring.trace, as Reader does'))

    def test_program_found_has_a_way_back(self):
        """A program found by Ctrl+K takes the place of the one that is open: that is told, with the way back."""
        w = self.start(SAMPLES + '/ring.trace', self.own())
        w.wait_for('toggle button', 'Program: My own', 30)
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('State of tasks')
        w.wait_for('list item', re.compile('^State of tasks and links, program'))
        w.key('Return')
        w.wait_for('toggle button', 'Program: State of tasks and links', 30)
        w.wait_for('push button', 'Go Back').click()
        w.wait_for('toggle button', 'Program: My own', 30)


if __name__ == '__main__':
    main()
