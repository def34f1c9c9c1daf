# SPDX-License-Identifier: Apache-2.0
"""What a person goes through between two results: messages, another program, another trace, and what stays meanwhile."""
import collections
import glob
import json
import os
import re
import subprocess
import time
import xml.etree.ElementTree as ET

from harness import ROOT, SAMPLES, SCOPE, Case, main, session

PROGRAM = re.compile('^Program: ')


class Ways(Case):
    def opened(self, *words, **more):
        w = self.start(*words, **more)
        w.wait_for('toggle button', PROGRAM, 30)
        return w

    def status(self, w):
        return w.find('status bar', re.compile('^Paused: (?!.* event 0 )'))

    def range(self, w):
        """What part of time the first view shows, as its title tells."""
        return next(p.description for p in w.find_all('panel', 'Space-time') if re.match(r'[\d. \u202f]+ – ', p.description))

    def choose(self, w, what, row):
        """Through the search."""
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type(what)
        asked = [0.0]

        def chosen():
            if w.find('text', 'Find') and time.monotonic() > asked[0] + 3:     # rows are made anew with each letter: the old ones hear nothing
                if w.find('list item', row).action():
                    asked[0] = time.monotonic()
            return asked[0] and not w.find('text', 'Find')

        w.wait(chosen, f'{row.pattern} is chosen', 30)


class Programs(Ways):
    def test_program_is_looked_for_by_typing_at_the_list(self):
        w = self.start(SAMPLES + '/services.trace')
        w.wait_for('toggle button', PROGRAM, 30).click()
        w.wait(lambda: w.find('list item', 'Views of an execution').state('focused'), 'the list is at the open one')
        w.type('client')        # each letter is also a command of the window
        w.wait(lambda: w.find('text', 'Search programs').text == 'client'
               and [i.name for i in w.find('list box', 'Programs on offer').find_all('list item')] == ['Client and server'],
               'one program is wanted')
        w.key('Return')
        w.wait_for('toggle button', 'Program: Client and server', 30)
        self.assertFalse(w.find('push button', 'Undo').state('sensitive'), 'no letter did anything else')

    def test_a_mended_setting_is_no_longer_complained_of(self):
        w = self.start(SAMPLES + '/commit.trace')
        w.wait_for('toggle button', PROGRAM, 30)
        wrong = re.compile('No task is called .nobody')
        for task in ('nobody', 'anna'):
            w.key('ctrl+k')
            w.wait_for('text', 'Find')
            w.type('reference of')
            w.wait_for('list item', re.compile('reference of Reader'))
            w.key('Return')
            field = w.wait_for('text', 'reference')
            field.type(task)
            w.key('Return', 'Escape')
            if task == 'nobody':
                w.wait_for('label', wrong)
        w.wait(lambda: not w.find('label', wrong) and w.find('push button', 'Present').description.startswith('anna'),
               'the order is that of anna, and nothing is complained of')

    def test_what_stays(self):
        """Open has its list at the first click; instant, range and selection outlive another program; a program has the name
        of its file; another trace keeps it; it is found again."""
        w = self.opened(SAMPLES + '/fft2d-s16.trace')
        w.wait(lambda: w.find('drawing area', 'Picture of Space-time'), 'the views are there')
        w.settle()
        w.find('toggle button', 'Open').click()
        item = w.wait_for('menu item', 'fft2d-s16.trace')
        w.wait(lambda: item.box[3] > 10 and item.box[1] > 40, 'the list is there at once')
        w.key('Escape')
        w.wait(lambda: not w.find('menu item', 'fft2d-s16.trace'), 'the menu is gone')
        w.settle()
        w.find('slider', 'Time').click(fx=0.6, fy=0.35)
        w.wait(lambda: self.status(w), 'time has passed')
        w.settle()
        at = self.status(w).name
        x, y, width, height = w.find('drawing area', 'Picture of Space-time').box
        w.drag(x + width // 2, y + height // 2, x + width * 3 // 4, y + height // 2)
        w.wait_for('push button', 'Closer').click()
        w.wait(lambda: not self.range(w).startswith('0.0000'), 'a range is in sight')
        seen = self.range(w)
        w.key('F3')
        w.wait(lambda: not w.find('panel', 'Reader'), 'the program is in one line')
        self.choose(w, 'new', re.compile('^New, empty program'))
        w.wait_for('toggle button', 'Program: New program')
        w.wait(lambda: w.find('panel', 'Reader'), 'it is unfolded, as there is nothing else to work at')
        w.wait(lambda: self.status(w) and self.status(w).name == at, 'the instant stays')
        self.assertIsNone(w.find('drawing area', 'Picture of Space-time'))
        mine = self.path('mywaits.eve')
        w.key('ctrl+shift+s')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(mine)
        w.key('Return')
        w.wait_for('toggle button', 'Program: mywaits')
        self.choose(w, 'views of', re.compile('^Views of an execution'))
        w.wait_for('toggle button', 'Program: Views of an execution')
        w.wait(lambda: self.status(w) and self.status(w).name == at, 'the instant stays')
        w.wait(lambda: self.range(w) == seen, 'and what was in sight')
        self.choose(w, 'mywaits', re.compile('^mywaits.eve, program of yours'))
        w.wait_for('toggle button', 'Program: mywaits')
        w.key('ctrl+o')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(SAMPLES + '/ring.trace/ring.tapepvm/events')
        w.key('Return')
        w.wait_gone('file chooser')
        w.wait(lambda: w.find('label', 'ring.trace'), 'the other trace is open')
        w.wait_for('toggle button', 'Program: mywaits')
        self.assertTrue(os.path.exists(mine))

    def test_of_a_program_that_answers_at_its_end(self):
        """It opens there, its line shows whole names and lists the rest; who is hidden is told, and shown again; Ctrl+F
        finds anything where there is no text."""
        w = self.opened(SAMPLES + '/mpi-stencil.otf2', os.path.join(ROOT, 'schemas', 'messages', 'waits.eve'))
        w.wait(lambda: re.search(r'event (\d+) of \1$', w.find('push button', 'Present').description), 'the end', 60)
        if not w.find('filler', 'Program in one line'):
            w.key('F3')
        w.wait_for('filler', 'Program in one line')
        more = w.wait_for('toggle button', re.compile('more box'))
        n = int(more.name.split()[0])
        boxes = ET.parse(os.path.join(ROOT, 'schemas', 'messages', 'waits.eve')).findall('component')
        in_line = [b for b in w.find('filler', 'Program in one line').find_all('push button') if b.name != 'Show the program']
        self.assertEqual(len(in_line) + n, len(boxes))
        more.click()
        last = max(boxes, key=lambda c: (float(c.get('x')), float(c.get('y')))).get('name')
        w.wait_for('list item', last).click()
        w.wait(lambda: w.find('text', 'Name of the box') and w.find('text', 'Name of the box').text == last, 'it is selected')
        w.wait_gone('list item', last)
        picture = w.find('drawing area', 'Picture of Space-time')
        self.assertFalse([c for c in picture.children if c.name.startswith('host1')])
        x, y, width, height = picture.box
        w.click(x + width - 40, y + 15, times=2)
        w.wait(lambda: [c for c in picture.children if c.name.startswith('host1')], 'who rests is shown')
        w.key('ctrl+f')
        w.wait(lambda: w.find('list item', re.compile('^Open a trace')), 'the search is there')

    def test_messages(self):
        """They move nothing, lie one over another, are told once and go with what they tell of."""
        with open(self.path('bad.eve'), 'w') as f:
            f.write('<eve version="1"><component name="Session" class="scope.session" version="1"/>'
                    '<component name="Reader" class="scope.tapepvm-reader" version="1"/>'
                    '<component name="Gone" class="nobody.knows" version="1"/>'
                    '<wire from="Session" out="commands" to="Reader" in="commands"/></eve>')
        w = self.opened(SAMPLES + '/ring.trace')
        w.settle()
        before = w.find('slider', 'Time').box
        canvas = w.find('canvas').box if w.find('canvas') else None
        self.choose(w, 'open a program', re.compile('^Open a program'))
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(self.path('bad.eve'))
        w.key('Return')
        bar = w.wait_for('info bar', re.compile('nobody.knows'))
        self.assertEqual(w.find('slider', 'Time').box, before)
        self.assertLess(bar.box[1] + bar.box[3], before[1] + before[3])
        side = w.find('scroll pane', 'Inspector, legend and marks')
        w.wait(lambda: side.box[1] + side.box[3] <= bar.box[1] and bar.box[0] >= side.box[0], 'the side leaves it room')
        if canvas:
            self.assertEqual(w.find('canvas').box, canvas)
        w.key('ctrl+k')         # an edit: what was told is not told again
        w.type('counter')
        w.wait_for('list item', re.compile('(?i)^counter.*add'))
        w.key('Return')
        w.wait(lambda: w.find('toggle button', re.compile('•$')), 'it was changed')
        w.settle()
        self.assertEqual(len(w.find_all('info bar')), 1)
        w.key('ctrl+z')
        w.wait_gone('toggle button', re.compile('•$'))
        self.choose(w, 'views of', re.compile('^Views of an execution'))
        w.wait_for('toggle button', 'Program: Views of an execution')
        w.wait_gone('info bar')         # it was of the other program


class Canvas(Ways):
    def box(self, w, name):
        return w.find('canvas', 'Program').find('panel', name)

    def apart(self, w):
        """No box lies on another."""
        places = [(b.name, b.box) for b in w.find('canvas', 'Program').children if b.role == 'panel']
        for i, (name, (x, y, width, height)) in enumerate(places):
            for other, (x2, y2, width2, height2) in places[i + 1:]:
                self.assertFalse(x < x2 + width2 and x2 < x + width and y < y2 + height2 and y2 < y + height, (name, other))

    def worth(self, source, port, label, to, used):
        """What the order is made of, a second time: how often programs on offer have such a wire, a view being worth two more
        of them; the same type; data before controls; what takes one type rather than any."""
        if not hasattr(self, 'classes'):
            done = subprocess.run([SCOPE, 'components', '--json'], check=True, stdout=subprocess.PIPE, env=session().env)
            self.classes = json.loads(done.stdout)
            self.habits = collections.Counter()
            for path in glob.glob(os.path.join(ROOT, 'schemas', '*', '*.eve')):
                tree = ET.parse(path).getroot()
                of = {c.get('name'): self.alike(c.get('class')) for c in tree.iter('component')}
                self.habits.update((of.get(x.get('from')), x.get('out'), of.get(x.get('to')), x.get('in')) for x in tree.iter('wire'))
        own = next(k for k in self.classes if k['id'] == source)
        k = next(k for k in self.classes if k['label'] == label)
        given = next(o['type'] for o in own['outputs'] if o['name'] == port)
        taken = next(i for i in k['inputs'] if i['name'] == to)
        often = min(self.habits[self.alike(source), port, self.alike(k['id']), to], 999)
        return ((often + 2 * (often > 0 and k['category'] == 'Views')) * 100 + 20 * (taken['type'] == given) + 10 * (taken['role'] != 'control')
                + 5 * bool(taken['type']) + (k['id'] in used))

    @staticmethod
    def alike(name):
        """Programs that formats share name no reader and no simulator."""
        return 'any.reader' if name.endswith('reader') else 'any.simulator' if name.endswith('simulator') else name

    def test_order_of_what_is_offered(self):
        w = self.opened(SAMPLES + '/fft2d-s16.trace')
        w.key('F7', 'F4', 'f')
        w.settle()
        used = {c.get('class') for c in ET.parse(os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve')).getroot().iter('component')}
        x, y, width, height = w.find('canvas', 'Program').box
        met = set()
        for box, source, port in (('Simulator', 'scope.pvm-simulator', 'states'), ('Simulator', 'scope.pvm-simulator', 'messages'),
                                  ('Reader', 'scope.tapepvm-reader', 'events'), ('Session', 'scope.session', 'commands')):
            at = w.find('icon', f'{box}.{port} output').box
            w.drag(at[0] + at[2] // 2, at[1] + at[3] // 2, x + width // 3, y + height * 7 // 8)
            w.wait_for('list box', 'Components found')
            hint = re.compile(' · ')

            def offered():
                rows = w.find('list box', 'Components found').children
                found = [(r.name, next((i.name.rsplit(' · ', 1)[1] for i in r.all() if i.role == 'label' and hint.search(i.name)), None)) for r in rows]
                return len(found) > 5 and all(to for _, to in found) and found
            found = w.wait(offered, 'each row tells its port')
            worth = [self.worth(source, port, label, to, used) for label, to in found]
            self.assertEqual(worth, sorted(worth, reverse=True), list(zip(found, worth)))
            met |= {v % 100 // 5 for v in worth if v < 100}
            if port == 'states':
                self.assertFalse(found[0][0].startswith('State'))
                w.type('state')
                w.wait(lambda: w.find('list box', 'Components found').children[0].name.startswith('State'), 'what is called as is typed is before what is wired so mostly')
            w.key('Escape')
            w.wait_gone('list box', 'Components found')
        self.assertGreater(len(met), 2, 'types and controls decide where nobody has a habit')

    def test_wires_and_room(self):
        """A wire dropped on nothing offers what really connects, what is wired so mostly first, and connects it; what is new
        lies on nothing."""
        w = self.opened(SAMPLES + '/fft2d-s16.trace')
        w.key('F7', 'F4', 'f')
        w.settle()
        x, y, width, height = w.find('canvas', 'Program').box
        for port, first in (('Session.commands', 'TAPE/PVM reader'), ('Simulator.states', 'Space-time')):
            at = w.find('icon', port + ' output').box
            w.drag(at[0] + at[2] // 2, at[1] + at[3] // 2, x + width // 3, y + height * 7 // 8)
            found = w.wait_for('list box', 'Components found')
            names = [row.name for row in found.children]
            self.assertEqual(names[0], first)
            self.assertNotIn('Bars', names)
            if port == 'Session.commands':
                w.key('Escape')
                w.wait_gone('list box', 'Components found')
        w.key('Return')
        w.wait(lambda: w.find('arrow', 'Simulator.states → Space-time 2.states'), 'it came connected')
        self.apart(w)
        self.box(w, 'Simulator').click()
        w.key('ctrl+d')
        w.wait(lambda: self.box(w, 'Simulator 2'), 'there are two')
        w.settle()
        self.apart(w)
        before = self.box(w, 'Space-time').box[0] - self.box(w, 'Simulator').box[0]
        wire = w.find('arrow', 'Simulator.states → Space-time.states').box
        w.click(wire[0] + wire[2] // 2, wire[1] + wire[3] // 2, times=2)
        w.wait_for('text', 'Add a component')
        w.type('delay')
        w.wait_for('list item', 'Delay')
        w.key('Return')
        w.wait(lambda: w.find('arrow', 'Delay.out → Space-time.states'), 'it is in the wire')
        w.settle()
        self.apart(w)
        self.assertGreater(self.box(w, 'Space-time').box[0] - self.box(w, 'Simulator').box[0], before)


class Keys(Ways):
    def test_as_in_other_tools(self):
        """W and S look closer and farther where the pointer is, A and D move."""
        w = self.opened(SAMPLES + '/fft2d-s16.trace')
        pane = w.wait_for('drawing area', 'Picture of Space-time')
        w.settle()
        whole = self.range(w)
        x, y, width, height = pane.box
        w.click(x + width // 2, y + height - 40)
        w.key('w', 'w', 'w')
        w.wait(lambda: self.range(w) != whole, 'it is closer')
        near = self.range(w)
        w.key('d')
        w.wait(lambda: self.range(w) != near, 'it has moved')
        w.key('a')
        w.wait(lambda: self.range(w) == near, 'and back')
        w.key('s', 's', 's', 's')
        w.wait(lambda: self.range(w) == whole, 'it is all in sight again')


class Time(Ways):
    def test_speed_marks_ruler(self):
        """A speed of one's own is ticked; what is wrong is told in full; the editor of a mark begins at its name; a program
        without states has its events on the ruler; large text is large."""
        w = self.opened(self.copy('fft2d-s16.trace'))
        w.settle()
        small = w.find('label', re.compile(' events · ')).box[3]
        w.find('toggle button', 'Speed').click()
        w.wait_for('menu item', 'Another…').click()
        entry = w.wait_for('text', "Speed of one's own")
        w.type('fast')
        w.key('Return')
        w.wait_for('label', 'That is no speed')
        w.key('ctrl+a')
        w.type('1/37')
        w.key('Return')
        w.wait(lambda: not entry.showing, 'it was understood')
        w.find('toggle button', 'Speed').click()
        w.wait(lambda: w.find('radio menu item', '1/37 of real time').state('checked'), 'it is ticked')
        w.key('Escape')
        w.wait(lambda: not w.find('radio menu item', '1/37 of real time'), 'the menu is gone')
        w.key('g')
        w.wait_for('text', 'Go to')
        w.type('@nobody of this name at all is there')
        w.key('Return')
        why = w.wait_for('label', re.compile('^There is no mark'))
        w.wait(lambda: why.box[3] > 24, 'all of the sentence is seen')
        w.key('Escape')
        w.find('slider', 'Time').click(fx=0.6, fy=0.35)
        w.key('m')
        w.wait_for('push button', 'Edit mark').click()
        name = w.wait_for('text', 'Name')
        w.wait(lambda: name.state('focused'), 'it begins at the name')
        w.key('Escape')
        w.wait(lambda: not name.showing, 'it is closed')
        w.key('ctrl+alt+n')
        w.wait_for('toggle button', 'Program: New program')
        x, y, width, height = w.find('slider', 'Time').box

        def heights():
            """Columns of the first half of the ruler that have something in them."""
            _, _, line, data = w.pixels()
            at = (y + height - 29) * line + (x + 18) * 4
            row = [bytes(data[i:i + 3]) for i in range(at, at + (width - 36) // 2 * 4, 4)]
            paper = max(set(row), key=row.count)
            return sum(pixel != paper for pixel in row)
        w.wait(lambda: 20 < heights() < width // 4, 'events stand where there are some')
        w.kill()
        large = self.opened(SAMPLES + '/fft2d-s16.trace', env={'GDK_DPI_SCALE': '1.5'})
        large.wait(lambda: large.find('label', re.compile(' events · ')).box[3] > 1.3 * small, 'text follows')


if __name__ == '__main__':
    main()
