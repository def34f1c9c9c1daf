# SPDX-License-Identifier: Apache-2.0
"""Canvas, library and inspector: boxes and wires as a person handles them, each step undone and done again."""
import os
import re
import xml.etree.ElementTree as ET

from harness import SAMPLES, Case, main, session

RING = SAMPLES + '/ring.trace'


def pattern(text):
    return re.compile('^' + re.escape(text))


class Editor(Case):
    PROGRAM = '''<eve version="1"><title>Numbers</title>
      <component name="Series" class="scope.series" version="1" x="40" y="40"/>
      <component name="Counter" class="scope.counter" version="1" x="264" y="144"/>
      <component name="Limit" class="scope.limit" version="1" x="488" y="40"/>
      <component name="Sink" class="scope.text-sink" version="1" x="712" y="40"/>
      <component name="Presenter" class="scope.event-presenter" version="1" x="264" y="264"/>
      <component name="Session" class="scope.session" version="1" x="40" y="376"/>
      <component name="Reader" class="scope.tapepvm-reader" version="1" x="264" y="400"/>
      <wire from="Session" out="commands" to="Reader" in="commands"/>
      <wire from="Series" out="out" to="Limit" in="in"/>
      <wire from="Limit" out="out" to="Sink" in="in"/>
    </eve>'''

    def opened(self, text=None, trace=RING, **more):
        words = [trace]
        if text:
            self.file = self.path('program.eve')
            with open(self.file, 'w') as f:
                f.write(text)
            words.append(self.file)
        w = self.start(*words, **more)
        w.wait_for('canvas', 'Program', 30)
        w.wait(lambda: w.find('panel'), 'the program is there')
        if self.canvas(w).steady().box[3] < 600:
            w.key('F7')         # the program alone
        w.wait(lambda: self.canvas(w).box[3] > 600, 'the canvas takes the room')
        w.key('F4', 'f')
        w.settle()
        return w

    @staticmethod
    def canvas(w):
        return w.find('canvas', 'Program')

    def box(self, w, name):
        return self.canvas(w).find('panel', name)

    def port(self, w, name, kind):
        return self.canvas(w).find('icon', f'{name} {kind}')

    def wire(self, w, start, end):
        return self.canvas(w).find('arrow', f'{start} → {end}')

    def select(self, w, name):
        self.box(w, name).click()
        w.wait(lambda: self.box(w, name).state('selected'), f'{name} is selected')

    def field(self, w, name):
        return w.wait(lambda: next((i for i in w.find_all(None, name) if i.role in ('text', 'spin button', 'combo box', 'check box')),
                                   None), f'there is a setting {name}')

    def names(self, w):
        return sorted(i.name for i in self.canvas(w).children if i.role == 'panel')

    def empty_place(self, w):
        x, y, width, height = self.canvas(w).box
        return round(x + width * 0.75), round(y + height * 0.8)

    def undo(self, w):
        w.key('ctrl+z')

    def redo(self, w):
        w.key('ctrl+shift+z')

    def there(self, w, name):
        return w.wait(lambda: self.box(w, name), f'there is a box {name}')

    def gone(self, w, name):
        w.wait(lambda: not self.box(w, name), f'there is no box {name}')

    def wired(self, w, start, end):
        return w.wait(lambda: self.wire(w, start, end), f'{start} feeds {end}')

    def unwired(self, w, start, end):
        w.wait(lambda: not self.wire(w, start, end), f'{start} does not feed {end}')

    def in_library(self, w, what):
        w.find('text', 'Search components').type(what)
        w.wait(lambda: not w.find('table cell', 'Session'), 'the library shows what fits')
        w.wait(lambda: w.find('table cell', what), f'the library finds {what}')
        w.settle()          # rows are placed a moment after they are there
        return w.find('table cell', what)

    def search(self, w, what):
        w.wait_for('text', 'Add a component')
        w.wait(lambda: w.find('text', 'Add a component').state('focused'), 'one can type at once')
        w.type(what)
        w.wait(lambda: [i for i in w.find('list box', 'Components found').children if what.lower() in i.name.lower()],
               f'{what} is found')
        w.key('Return')


class Adding(Editor):
    def test_drag_from_the_library(self):
        w = self.opened(self.PROGRAM)
        cell = self.in_library(w, 'Gate')
        cell.drag_to(self.empty_place(w))
        self.there(w, 'Gate')
        self.assertTrue(self.box(w, 'Gate').state('selected'))
        w.key('F4')
        self.undo(w)
        self.gone(w, 'Gate')
        self.redo(w)
        self.there(w, 'Gate')

    def test_activated_in_the_library(self):
        w = self.opened(self.PROGRAM)
        self.box(w, 'Reader').click(fy=0.1)
        w.wait(lambda: self.box(w, 'Reader').state('selected'), 'the reader is selected')
        self.in_library(w, 'Event Presenter').click(times=2)
        self.there(w, 'Event Presenter')
        w.wait(lambda: self.canvas(w).find('arrow', pattern('Reader.events → Event Presenter.')), 'it takes what the selected one gives')
        self.assertGreater(self.box(w, 'Event Presenter').box[0], self.box(w, 'Reader').box[0], 'it stands behind it')
        self.undo(w)
        self.gone(w, 'Event Presenter')
        self.box(w, 'Session').click(fy=0.1)
        w.wait(lambda: self.box(w, 'Session').state('selected'), 'the session is selected')
        self.in_library(w, 'Boolean').click(times=2)        # of what the session gives it takes nothing
        self.there(w, 'Boolean')
        self.assertFalse([i.name for i in self.canvas(w).children if i.role == 'arrow' and 'Boolean' in i.name])

    def test_search_at_the_pointer(self):
        w = self.opened(self.PROGRAM)
        x, y = self.empty_place(w)
        w.move(x, y)
        w.key('Tab')
        self.search(w, 'if-then-else')
        made = self.there(w, 'If-Then-Else')
        ax, ay, width, height = made.box
        self.assertTrue(ax <= x <= ax + width and ay <= y <= ay + height, 'it lies where the pointer was')
        w.move(x, y + 120)
        w.key('F4', 'Escape', 'Insert')
        self.search(w, 'event presenter')
        self.there(w, 'Event Presenter')
        w.wait(lambda: self.canvas(w).find('arrow', pattern('Reader.events → Event Presenter.')), 'it takes what somebody gives, as from the search')
        w.click(x + 200, y, times=2)                    # a double click asks too, and Escape gets out
        w.wait_for('text', 'Add a component')
        w.key('Escape')
        w.wait_gone('text', 'Add a component')

    def test_wire_dropped_on_nothing_offers_what_fits(self):
        w = self.opened(self.PROGRAM)
        w.drag(*self.port(w, 'Series.out', 'output').at(), *self.empty_place(w))
        w.wait_for('list box', 'Components found')
        offered = [i.name for i in w.find('list box', 'Components found').children]
        self.assertIn('Binary', offered)
        self.assertNotIn('Event Presenter', offered)
        self.assertNotIn('Series', offered)
        self.search(w, 'binary')
        self.there(w, 'Binary')
        w.wait(lambda: self.canvas(w).find('arrow', pattern('Series.out → Binary.')), 'it is connected already')
        self.undo(w)
        self.gone(w, 'Binary')

    def test_what_is_typed_comes_first(self):
        """In the library too; and who finds nothing is told."""
        w = self.opened(self.PROGRAM)
        self.in_library(w, 'Table view')
        cells = sorted((i for i in w.find_all('table cell') if i.name in ('Table view', 'Scatter matrix', 'Views', 'Analysis', 'Statistics')), key=lambda i: i.box[1])
        self.assertEqual([i.name for i in cells][:2], ['Views', 'Table view'], 'what is called so is first, and its category')
        w.drag(*self.port(w, 'Series.out', 'output').at(), *self.empty_place(w))
        w.wait_for('list box', 'Components found')
        w.wait(lambda: w.find('text', 'Add a component').state('focused'), 'one can type at once')
        w.type('no such thing')
        w.wait_for('label', 'No component that fits has this name')
        w.key('Escape')

    def test_drop_on_a_wire_inserts_and_deleting_heals(self):
        w = self.opened(self.PROGRAM)
        cell = self.in_library(w, 'Gate')
        cell.drag_to(self.wire(w, 'Series.out', 'Limit.in').at())
        self.wired(w, 'Series.out', 'Gate.in')
        self.wired(w, 'Gate.out', 'Limit.in')
        self.unwired(w, 'Series.out', 'Limit.in')
        w.key('Delete')
        self.gone(w, 'Gate')
        self.wired(w, 'Series.out', 'Limit.in')
        self.undo(w)
        self.wired(w, 'Series.out', 'Gate.in')
        # a box that is there already is inserted too
        self.undo(w)
        self.wired(w, 'Series.out', 'Limit.in')
        self.box(w, 'Counter').drag_to(self.wire(w, 'Limit.out', 'Sink.in'))
        self.wired(w, 'Limit.out', 'Counter.in')
        self.wired(w, 'Counter.count', 'Sink.in')
        self.unwired(w, 'Limit.out', 'Sink.in')
        self.undo(w)            # moved and inserted: one step
        self.wired(w, 'Limit.out', 'Sink.in')


class Wiring(Editor):
    def test_connect_from_either_end(self):
        w = self.opened(self.PROGRAM)
        w.drag(*self.port(w, 'Series.out', 'output').at(), *self.port(w, 'Counter.in', 'input').at())
        self.wired(w, 'Series.out', 'Counter.in')
        self.undo(w)
        self.unwired(w, 'Series.out', 'Counter.in')
        w.drag(*self.port(w, 'Counter.in', 'input').at(), *self.port(w, 'Series.out', 'output').at())
        self.wired(w, 'Series.out', 'Counter.in')
        # taken off its input, it goes to another box, or away
        w.drag(*self.port(w, 'Counter.in', 'input').at(), *self.port(w, 'Counter.reset', 'input').at())
        self.wired(w, 'Series.out', 'Counter.reset')
        self.unwired(w, 'Series.out', 'Counter.in')
        w.drag(*self.port(w, 'Counter.reset', 'input').at(), *self.empty_place(w))
        self.unwired(w, 'Series.out', 'Counter.reset')

    def test_refusal_is_a_sentence(self):
        w = self.opened(self.PROGRAM)
        w.drag(*self.port(w, 'Series.out', 'output').at(), *self.port(w, 'Presenter.events', 'input').at())
        said = w.wait(lambda: w.find('label', re.compile('Series.out gives data of type .*Presenter.events takes')),
                      'the refusal is told')
        self.assertIn('trace event', said.name)
        self.assertFalse(self.canvas(w).find('arrow', pattern('Series.out → Presenter')))

    def test_wire_menu(self):
        w = self.opened(self.PROGRAM)
        self.wire(w, 'Series.out', 'Limit.in').click(button=3)
        w.wait_for('menu item', 'Pin its value').click()
        w.wait(lambda: 'pinned' in self.wire(w, 'Series.out', 'Limit.in').description, 'the value is pinned')
        self.wire(w, 'Series.out', 'Limit.in').click(button=3)
        w.wait_for('menu item', 'Disconnect').click()
        self.unwired(w, 'Series.out', 'Limit.in')
        self.undo(w)
        self.wired(w, 'Series.out', 'Limit.in')
        w.wait(lambda: 'pinned' in self.wire(w, 'Series.out', 'Limit.in').description, 'its pin is back')

    def test_connect_by_keyboard_alone(self):
        w = self.opened(self.PROGRAM)
        w.key('alt+Right')
        w.wait(lambda: self.box(w, 'Series').state('selected'), 'the first box is selected')
        w.key('Menu')
        w.wait_for('menu', 'Connect out to')
        w.key('Down', 'Right')
        w.wait(lambda: w.find('menu item', 'Counter.in'), 'what fits is offered')
        w.key('Return')
        w.wait(lambda: self.canvas(w).find('arrow', pattern('Series.out → Counter.')), 'they are connected')


class Selecting(Editor):
    def test_rubber_band_move_and_keys(self):
        w = self.opened(self.PROGRAM)
        x, y, width, height = self.canvas(w).box
        w.drag(x + 16, y + 16, x + width - 16, round(y + height * 0.95))
        w.wait(lambda: all(i.state('selected') for i in self.canvas(w).children if i.role == 'panel'), 'all are selected')
        before = self.box(w, 'Sink').box
        self.box(w, 'Series').drag_to((self.box(w, 'Series').at()[0], self.box(w, 'Series').at()[1] + 160))
        w.wait(lambda: self.box(w, 'Sink').box[1] > before[1] + 100, 'they moved together')
        self.undo(w)
        w.wait(lambda: self.box(w, 'Sink').box == before, 'and back')
        w.key('Escape')
        w.wait(lambda: not self.box(w, 'Sink').state('selected'), 'Escape lets go')
        self.select(w, 'Sink')
        w.key('Right', 'Right', 'shift+Down')
        w.wait(lambda: self.box(w, 'Sink').box[0] > before[0], 'arrows move what is selected')
        self.undo(w)            # three keys, one after the other: one step
        w.wait(lambda: self.box(w, 'Sink').box == before, 'one undo takes all of them back')
        w.key('alt+Left')
        w.wait(lambda: self.box(w, 'Limit').state('selected'), 'Alt and an arrow walk')
        w.key('bracketleft')
        w.wait(lambda: self.box(w, 'Counter').state('selected'), 'and [ goes to the box before')

    def test_copy_cut_paste_duplicate(self):
        w = self.opened(self.PROGRAM)
        self.select(w, 'Series')
        w.key('ctrl+c', 'ctrl+v')
        self.there(w, 'Series 2')
        w.key('ctrl+d')
        self.there(w, 'Series 3')
        w.key('ctrl+x')
        self.gone(w, 'Series 3')
        w.key('ctrl+v')
        self.there(w, 'Series 3')
        self.undo(w)
        self.gone(w, 'Series 3')
        x, y = self.empty_place(w)
        w.move(x, y)
        w.key('ctrl+v')         # where the pointer is, if nothing lies there
        made = self.there(w, 'Series 3').box
        self.assertTrue(abs(made[0] - x) < 60 and abs(made[1] - y) < 60, made)
        self.undo(w)
        self.gone(w, 'Series 3')
        self.select(w, 'Limit')
        w.key('Delete')
        self.gone(w, 'Limit')
        self.wired(w, 'Series.out', 'Sink.in')

    def test_paste_into_another_window(self):
        w = self.opened(self.PROGRAM)
        w.key('ctrl+a', 'ctrl+c')
        w.key('ctrl+n')
        w.wait(lambda: len([f for f in w.frames if f.role == 'frame']) == 2, 'there is a second window')
        second = [f for f in w.frames if f.role == 'frame'][-1]
        item = w.wait(lambda: second.find('list item', 'farm.trace'), 'its start page is there')
        w.settle()              # where it stays
        item.click()
        canvas = w.wait(lambda: second.find('canvas', 'Program'), 'another program is open in it', 30)
        w.settle()              # panes beside it come a moment later
        x, y, width, height = canvas.box
        w.click(round(x + 12), round(y + height - 12))
        w.key('ctrl+v')
        w.wait(lambda: canvas.find('panel', 'Limit') and canvas.find('arrow', 'Limit.out → Sink.in'), 'boxes and wires came over')

    def test_rename(self):
        w = self.opened(self.PROGRAM)
        self.select(w, 'Series')
        w.key('F2')
        w.wait(lambda: w.find('text', 'Name') and w.find('text', 'Name').state('focused'), 'its name can be typed')
        w.key('ctrl+a')
        w.type('Numbers')
        w.key('Return')
        self.there(w, 'Numbers')
        self.wired(w, 'Numbers.out', 'Limit.in')
        self.undo(w)
        self.there(w, 'Series')

    def test_place(self):
        w = self.opened(self.PROGRAM)
        before = self.box(w, 'Series').box
        x, y = self.empty_place(w)
        w.drag(x, y, x + 80, y - 60, button=2)
        w.wait(lambda: abs(self.box(w, 'Series').box[0] - before[0] - 80) < 4, 'the middle button pans')
        w.scroll(x, y, 3, keys=('ctrl',))
        w.wait(lambda: self.box(w, 'Series').box[2] > before[2] * 1.2, 'Ctrl and the wheel zoom')
        w.key('ctrl+0')
        w.wait(lambda: self.box(w, 'Series').box[2] == 144, 'natural size')
        w.key('f')
        w.wait(lambda: abs(self.box(w, 'Series').box[0] - before[0]) < 4, 'all of it')
        before = self.box(w, 'Series').box
        w.drag(x, y, x - 50, y, keys=('space',))
        w.wait(lambda: self.box(w, 'Series').box[0] < before[0] - 30, 'space and a drag pan')
        self.assertTrue(w.find(None, 'Play', showing=True) or not w.find(None, 'Pause', showing=True))

    def test_layout_and_align(self):
        w = self.opened(self.PROGRAM)
        boxes = {n: self.box(w, n).box for n in self.names(w)}
        w.key('ctrl+l')
        w.wait(lambda: {n: self.box(w, n).box for n in self.names(w)} != boxes, 'boxes have gone elsewhere')
        series, limit, sink = (self.box(w, n).box for n in ('Series', 'Limit', 'Sink'))
        self.assertTrue(series[0] + series[2] < limit[0] and limit[0] + limit[2] < sink[0], 'from left to right')
        self.undo(w)
        w.key('f')
        w.wait(lambda: {n: self.box(w, n).box for n in self.names(w)} == boxes, 'and back')


class Groups(Editor):
    def group(self, w, *names):
        w.key('Escape')
        for i, name in enumerate(names):
            x, y = self.box(w, name).at()
            if i:
                w.click(x, y, keys=['shift'])
            else:
                w.click(x, y)
        w.wait(lambda: all(self.box(w, n).state('selected') for n in names), f'{names} are selected')
        w.key('ctrl+g')

    def test_group_fold_nest_save(self):
        w = self.opened(self.PROGRAM)
        self.group(w, 'Limit', 'Counter')
        self.there(w, 'Sub-program')
        self.gone(w, 'Limit')
        w.wait(lambda: self.port(w, 'Limit.in', 'input') and self.port(w, 'Limit.out', 'output'), 'its ports are the wires across')
        self.group(w, 'Sub-program', 'Sink')            # a second round it
        self.there(w, 'Sub-program 2')
        self.assertEqual(self.names(w), ['Presenter', 'Reader', 'Series', 'Session', 'Sub-program 2'])
        self.box(w, 'Sub-program 2').click(times=2)
        self.there(w, 'Sub-program')
        self.there(w, 'Sink')
        self.box(w, 'Sub-program').click(times=2)
        self.there(w, 'Limit')
        self.undo(w)
        self.gone(w, 'Limit')
        w.key('ctrl+s')
        w.wait(lambda: 'group\tSub-program\t' in open(self.file).read().replace('&#9;', '\t'), 'it is saved')
        w.key('ctrl+q')
        w.ended()
        again = self.opened(open(self.file).read())
        self.assertEqual(self.names(again), ['Presenter', 'Reader', 'Series', 'Session', 'Sink', 'Sub-program'])
        self.box(again, 'Sub-program').click()
        again.key('ctrl+shift+g')
        self.there(again, 'Limit')
        self.gone(again, 'Sub-program')

    def test_name_left_for_another_field(self):
        """The name is taken as the keys go to the next field, and the boxes of a sub-program are told anew under them."""
        w = self.opened(self.PROGRAM)
        self.group(w, 'Limit', 'Counter')
        self.there(w, 'Sub-program')
        self.box(w, 'Sub-program').click(times=2)
        self.there(w, 'Counter')
        self.select(w, 'Counter')
        w.find('text', 'Name of the box').type('Sum')
        self.field(w, 'first').click()
        self.there(w, 'Sum')
        w.wait(lambda: self.field(w, 'first').state('focused'), 'the keys are where they were sent')
        w.key('ctrl+a')
        w.type('7')
        w.key('Return')
        w.key('ctrl+s')
        w.wait(lambda: re.search('name="Sum".*\n? *<setting name="first">7<', open(self.file).read()), 'and what is typed goes there')

    def test_frame(self):
        w = self.opened(self.PROGRAM)
        self.select(w, 'Series')
        w.key('ctrl+alt+f')
        w.wait(lambda: w.find('text', 'Name') and w.find('text', 'Name').state('focused'), 'its comment can be typed')
        w.key('ctrl+a')
        w.type('Where numbers come from')
        w.key('Return')
        w.key('ctrl+s')
        w.wait(lambda: 'Where numbers come from' in open(self.file).read(), 'the comment is kept')
        before = self.box(w, 'Series').box              # the frame takes along what lies on it
        x, y = before[0] + 40, before[1] - 24
        w.drag(x, y, x, y + 120)
        w.wait(lambda: self.box(w, 'Series').box[1] > before[1] + 80, 'the box went along')


class Inspecting(Editor):
    def setting(self, name, key):
        tree = ET.parse(self.file)
        for c in tree.iter('component'):
            if c.get('name') == name:
                return next((s.text for s in c.iter('setting') if s.get('name') == key), None)
        return None

    def test_number_and_reset(self):
        w = self.opened(self.PROGRAM)
        self.select(w, 'Counter')
        first = self.field(w, 'first')
        self.assertEqual(first.text, '1')
        first.type('42')
        w.key('Return', 'ctrl+s')
        w.wait(lambda: self.setting('Counter', 'first') == '42', 'it is set and saved')
        first.type('many')
        w.key('Return')
        w.wait(lambda: w.find('label', re.compile('many')), 'what is wrong is told')
        w.key('Escape')
        w.find('push button', 'Reset first to its default').click()
        w.wait(lambda: self.field(w, 'first').text == '1', 'it is reset')
        w.key('F4')
        self.undo(w)
        w.wait(lambda: self.field(w, 'first').text == '42', 'undone')

    def test_what_is_being_typed_is_saved(self):
        w = self.opened(self.PROGRAM)
        self.select(w, 'Counter')
        self.field(w, 'first').type('42')
        w.key('ctrl+s')
        w.wait(lambda: self.setting('Counter', 'first') == '42', 'what is typed is saved')
        w.wait(lambda: self.field(w, 'first').state('focused'), 'and one can type on')
        w.find('text', 'Name of the box').type('Sum')
        w.key('ctrl+q')
        w.wait_for('push button', 'Cancel').click()         # asked, as it is an edit
        w.wait_gone('push button', 'Cancel')
        self.there(w, 'Sum')

    def test_a_row_of_small_steps_is_one(self):
        w = self.opened(self.PROGRAM)
        self.select(w, 'Counter')
        self.field(w, 'first').click()
        w.key('Up', 'Up', 'Up', 'Down', 'Up')
        w.wait(lambda: self.field(w, 'first').text == '4', 'arrows change the number')
        w.key('F4')
        self.undo(w)
        w.wait(lambda: self.field(w, 'first').text == '1', 'one undo for all')
        self.redo(w)
        w.wait(lambda: self.field(w, 'first').text == '4', 'and one redo')

    def test_several_boxes_at_once(self):
        program = self.PROGRAM.replace('</eve>', '<component name="Other" class="scope.counter" version="1" x="488" y="200">'
                                                 '<setting name="first">5</setting></component></eve>')
        w = self.opened(program)
        self.select(w, 'Counter')
        x, y = self.box(w, 'Other').at()
        w.click(x, y, keys=['shift'])
        w.wait_for('label', '2 × Counter')
        self.assertEqual(self.field(w, 'first').text, '')       # they differ
        self.field(w, 'first').type('9')
        w.key('Return', 'ctrl+s')
        w.wait(lambda: self.setting('Counter', 'first') == '9' and self.setting('Other', 'first') == '9', 'both are set')
        w.key('F4')
        self.undo(w)
        w.key('ctrl+s')
        w.wait(lambda: self.setting('Counter', 'first') is None and self.setting('Other', 'first') == '5', 'one undo for both')

    def test_name(self):
        w = self.opened(self.PROGRAM)
        self.select(w, 'Counter')
        w.find('text', 'Name of the box').type('Sum')
        w.key('Return')
        self.there(w, 'Sum')
        w.find('text', 'Name of the box').type('Series')        # taken
        w.key('Return')
        w.wait(lambda: w.find('label', re.compile("There is a component called 'Series' already")), 'why not is told')
        self.there(w, 'Sum')

    def test_enter_opens_it(self):
        """Return and a double click: of a box its settings, with the keys in the first, of a view the view."""
        w = self.opened(self.PROGRAM)
        for way in (lambda: w.key('Return'), lambda: self.box(w, 'Counter').click(times=2, fy=0.1)):
            w.key('F4', 'Escape')
            if w.find('push button', 'Help on this component'):
                w.key('F10')
            w.wait_gone('text', 'Name of the box')
            self.select(w, 'Counter')
            way()
            w.wait(lambda: self.field(w, 'first').state('focused'), 'the first setting has the keys')
            self.assertFalse(w.find('text', 'Name of the box').state('focused'))

    def test_a_view_is_opened(self):
        w = self.opened('<eve version="1"><component name="Reader" class="scope.tapepvm-reader" version="1" x="40" y="40"/>'
                        '<component name="Words" class="scope.trace-text" version="1" x="264" y="40"/><wire from="Reader" out="events" to="Words" in="events"/></eve>')
        w.key('F7')
        picture = ('drawing area', 'Picture of Words')
        for way in (lambda: self.box(w, 'Words').click(times=2, fy=0.1), lambda: w.key('Return'), self.by_menu):
            w.wait_for(*picture)
            w.find(*picture).click()
            w.key('ctrl+w')
            w.wait_gone(*picture)
            w.key('F4', 'Escape')
            self.select(w, 'Words')
            self.w = w
            way()
            w.wait(lambda: w.find(*picture) and w.find(*picture).state('focused'), 'its view is there, and has the keys')

    def by_menu(self):
        self.w.key('Menu')
        self.w.wait_for('menu item', 'Open its view').click()


class Telling(Editor):
    def test_ghosts_and_broken_wires(self):
        w = self.opened('''<eve version="1"><component name="Lost" class="nobody.knows" version="3" x="40" y="40">
            <setting name="a">b</setting></component>
            <component name="Counter" class="scope.counter" version="1" x="264" y="40"/>
            <component name="Reader" class="scope.tapepvm-reader" version="1" x="264" y="240"/>
            <wire from="Lost" out="much" to="Counter" in="in"/><wire from="Counter" out="none" to="Counter" in="reset"/></eve>''')
        self.assertIn('ghost', self.box(w, 'Lost').description)
        w.wait(lambda: 'broken' in self.wire(w, 'Lost.much', 'Counter.in').description, 'a broken wire stays and is told')
        self.assertIn('broken', self.wire(w, 'Counter.none', 'Counter.reset').description)
        self.select(w, 'Lost')
        w.wait(lambda: w.find('label', re.compile('nobody.knows')), 'the inspector tells of the ghost')
        w.key('Delete')
        self.gone(w, 'Lost')
        self.undo(w)
        w.wait(lambda: 'broken' in self.wire(w, 'Lost.much', 'Counter.in').description, 'all of it is back')
        w.key('ctrl+s')
        w.settle()
        self.assertIn('<setting name="a">b</setting>', open(self.file).read())

    def test_failure_is_told_where_it_happens(self):
        program = self.PROGRAM.replace('class="scope.text-sink" version="1" x="712" y="40"/>',
                                       'class="scope.filter" version="1" x="712" y="40"><setting name="from">'
                                       '1</setting></component>')
        w = self.opened(program)
        w.key('space')
        w.wait(lambda: 'Failed: ' in self.box(w, 'Sink').description, 'the box tells that it failed')
        self.assertIn('leave it empty', self.box(w, 'Sink').description)
        self.select(w, 'Sink')
        w.wait(lambda: w.find('label', re.compile('leave it empty')), 'and the inspector')
        self.wire(w, 'Limit.out', 'Sink.in').click(button=3)    # the window lives on
        w.wait_for('menu item', 'Disconnect').click()
        self.unwired(w, 'Limit.out', 'Sink.in')

    def test_edits_while_it_runs(self):
        w = self.opened()
        w.key('space')
        w.wait(lambda: self.box(w, 'Trace text'), 'the program is there')
        self.wire(w, 'Reader.events', 'Simulator.events').click(button=3)
        w.wait_for('menu item', 'Insert a component…').click()
        self.search(w, 'limit')
        self.there(w, 'Limit')
        w.key('F4')
        self.undo(w)
        self.gone(w, 'Limit')
        w.wait(lambda: re.search('last: ', self.wire(w, 'Reader.events', 'Simulator.events').description),
               'the value that last passed is told', 30)

    def test_other_looks(self):
        for scale, look in ((2, 'light'), (1, 'dark')):
            folder = os.path.join(session().home, 'config_home', 'scope')
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, 'preferences'), 'w') as f:
                f.write(f'[scope]\nlook={look}\n')
            w = self.opened(scale=scale, size=(1600, 1000) if scale == 1 else None)
            self.box(w, 'Reader').click()
            w.wait(lambda: self.box(w, 'Reader').state('selected'), f'boxes are where they are seen at {scale}x, {look}')
            x, y, width, height = self.canvas(w).box
            w.settle()
            ground = sum(w.colour(round(x + width - 12), round(y + 40)))
            self.assertTrue(ground < 200 if look == 'dark' else ground > 600, f'the ground is {look}')
            out = os.environ.get('SCOPE_GUI_PICTURES')
            if out:
                w.screenshot(os.path.join(out, f'canvas-{scale}x-{look}.png'))
            w.key('ctrl+q')
            w.ended()


if __name__ == '__main__':
    main()
