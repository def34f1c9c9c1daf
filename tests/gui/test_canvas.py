# SPDX-License-Identifier: Apache-2.0
"""Wires and frames as things that are selected, copied and edited; sub-programs that are copied; what undo selects."""
import csv
import io
import re
import xml.etree.ElementTree as ET

import test_hand_over
from harness import main, once, xdo
from test_editor import Editor


class Things(Editor):
    def shift_click(self, item):
        x, y = item.at()
        item.window.click(x, y, keys=['shift'])

    def selected(self, w):
        return sorted(i.name for i in self.canvas(w).children if i.state('selected'))

    def wait_selected(self, w, *names):
        w.wait(lambda: self.selected(w) == sorted(names), f'{names} are selected, not {self.selected(w)}')

    def groups(self, w):
        return sorted(i.name for i in self.canvas(w).children if i.role == 'grouping')

    def frames(self, w):
        return [i for i in self.canvas(w).children if i.role == 'comment']


class Wires(Things):
    FIRST, SECOND = 'Series.out → Limit.in', 'Limit.out → Sink.in'

    def first(self, w):
        return self.wire(w, 'Series.out', 'Limit.in')

    def test_select_delete_undo(self):
        w = self.opened(self.PROGRAM)
        x, y = self.first(w).at()
        w.move(*self.empty_place(w))
        w.settle()
        before = w.colour(x, y - 3)
        w.click(x, y)
        self.wait_selected(w, self.FIRST)
        w.move(*self.empty_place(w))
        w.wait(lambda: w.colour(x, y - 3) != before, 'it is seen that it is selected')
        self.shift_click(self.wire(w, 'Limit.out', 'Sink.in'))
        self.wait_selected(w, self.FIRST, self.SECOND)
        w.wait_for('label', '2 wires')
        w.key('Delete')
        self.unwired(w, 'Series.out', 'Limit.in')
        self.unwired(w, 'Limit.out', 'Sink.in')
        self.undo(w)            # both, and selected as they were
        self.wait_selected(w, self.FIRST, self.SECOND)
        self.redo(w)
        self.unwired(w, 'Limit.out', 'Sink.in')
        self.undo(w)
        self.wired(w, 'Limit.out', 'Sink.in')
        w.click(*self.empty_place(w))
        self.wait_selected(w)
        self.box(w, 'Limit').click()            # a box and a wire that does not hang on it go together
        self.shift_click(self.wire(w, 'Session.commands', 'Reader.commands'))
        self.wait_selected(w, 'Limit', 'Session.commands → Reader.commands')
        w.key('Delete')
        self.gone(w, 'Limit')
        self.unwired(w, 'Session.commands', 'Reader.commands')
        self.wired(w, 'Series.out', 'Sink.in')
        self.undo(w)
        self.wired(w, 'Session.commands', 'Reader.commands')

    def test_inspector_tells_of_it(self):
        w = self.opened(self.PROGRAM)
        self.first(w).click()
        w.wait_for('label', 'Wire')
        said = {i.description: i for i in w.find_all('label') if i.description}
        self.assertEqual(said['Carries'].name, 'number')
        # A Series needs no event: what it gives has passed as soon as the program stands.
        w.wait(lambda: (said['Passed'].name, said['Last'].name) == ('10', '10'), 'it is live')
        w.find('check box', 'Pin its value').click()
        w.wait(lambda: 'pinned' in self.first(w).description, 'the value is pinned')
        w.key('F4')
        self.undo(w)
        w.wait(lambda: not w.find('check box', 'Pin its value').state('checked'), 'and the inspector follows undo')
        w.find('push button', 'Limit.in').click()
        self.wait_selected(w, 'Limit')
        self.first(w).click()
        w.wait_for('push button', 'Disconnect').click()
        self.unwired(w, 'Series.out', 'Limit.in')
        w.wait_gone('push button', 'Disconnect')

    @once
    def test_by_keys_and_by_a_screen_reader(self):
        w = self.opened(self.PROGRAM)
        self.box(w, 'Limit').click()
        w.key('braceright')
        self.wait_selected(w, self.FIRST)
        w.key('braceright')
        self.wait_selected(w, self.SECOND)
        w.key('braceleft')
        self.wait_selected(w, self.FIRST)
        w.key('Menu')
        w.wait_for('menu item', 'Insert a component…')
        w.key('Escape')
        w.wait_gone('menu item', 'Insert a component…')
        w.key('Return')
        w.wait(lambda: w.find('check box', 'Pin its value').state('focused'), 'Return leads to the inspector')
        w.key('F4', 'Escape')
        self.wait_selected(w)
        self.first(w).action('select')
        self.wait_selected(w, self.FIRST)
        chosen = self.canvas(w).node.get_selection_iface()
        self.assertEqual(chosen.get_n_selected_children(), 1)
        self.assertEqual(chosen.get_selected_child(0).get_name(), self.FIRST)
        chosen.clear_selection()
        self.wait_selected(w)


class FromInputs(Things):
    def test_wire_from_an_input_offers_what_feeds_it(self):
        w = self.opened(self.PROGRAM)
        w.drag(*self.port(w, 'Counter.in', 'input').at(), *self.empty_place(w))
        w.wait_for('list box', 'Components found')
        offered = [i.name for i in w.find('list box', 'Components found').children]
        self.assertIn('Constant', offered)
        self.assertNotIn('Text Sink', offered)          # gives nothing
        self.search(w, 'constant')
        self.there(w, 'Constant')
        self.wired(w, 'Constant.out', 'Counter.in')
        self.undo(w)
        self.gone(w, 'Constant')


class Frames(Things):
    def framed(self, w, *names, text='Numbers'):
        self.box(w, names[0]).click()
        for name in names[1:]:
            self.shift_click(self.box(w, name))
        self.wait_selected(w, *names)
        w.key('ctrl+alt+f')
        w.wait(lambda: w.find('text', 'Name') and w.find('text', 'Name').state('focused'), 'its comment can be typed')
        w.key('ctrl+a')
        w.type(text)
        w.key('Return')
        return w.wait(lambda: self.canvas(w).find('comment', text), 'there is a frame')

    def title(self, frame):
        x, y, width, _ = frame.box
        return round(x + width * 0.7), y + 8

    @once
    def test_select_edit_copy_delete(self):
        w = self.opened(self.PROGRAM)
        frame = self.framed(w, 'Series', 'Limit')
        w.click(*self.title(frame))
        self.wait_selected(w, 'Numbers')
        w.wait_for('label', 'Frame')
        w.find('text', 'Comment').click()
        w.key('ctrl+a')
        w.type('Where numbers')
        w.key('Return')
        w.type('begin')
        w.key('F4')
        w.wait(lambda: self.canvas(w).find('comment', 'Where numbers\nbegin'), 'the comment is edited')
        w.find('combo box', 'Colour').click()
        w.wait_for('menu item', 'Blue').click()
        w.wait_gone('menu item', 'Blue')
        w.key('F4', 'ctrl+s')
        w.wait(lambda: '\t1\tWhere numbers' in open(self.file).read().replace('&#9;', '\t'), 'it is blue')
        w.key('ctrl+d')         # with what lies on it
        self.there(w, 'Series 2')
        self.wired(w, 'Series 2.out', 'Limit 2.in')
        w.wait(lambda: len(self.frames(w)) == 2, 'there are two frames')
        self.wait_selected(w, 'Limit 2', 'Series 2', 'Where numbers\nbegin')
        self.undo(w)
        w.wait(lambda: len(self.frames(w)) == 1, 'one undo for all')
        self.wait_selected(w, 'Where numbers\nbegin')
        w.key('Delete')         # the frame alone
        w.wait(lambda: not self.frames(w), 'the frame is deleted')
        self.there(w, 'Series')
        self.undo(w)
        w.wait(lambda: self.frames(w), 'it is back')
        w.key('ctrl+x')
        self.gone(w, 'Series')
        self.assertFalse(self.frames(w))
        w.key('ctrl+v')
        self.wired(w, 'Series.out', 'Limit.in')
        w.wait(lambda: len(self.frames(w)) == 1, 'pasted with its frame')

    def lies_on(self, w, box, frame):
        x, y, width, height = self.box(w, box).box
        fx, fy, f_width, f_height = frame.box
        return fx <= x and fy <= y and x + width <= fx + f_width and y + height <= fy + f_height

    def test_folded_with_their_boxes(self):
        """A frame goes into a sub-program with its boxes: moved, copied, deleted, kept and unfolded with them."""
        w = self.opened(self.PROGRAM)
        self.framed(w, 'Series', 'Counter', 'Limit')
        w.key('Escape')
        self.box(w, 'Series').click()
        self.shift_click(self.box(w, 'Limit'))
        w.key('ctrl+g')
        self.there(w, 'Sub-program')
        self.assertTrue(self.frames(w), 'it stays while a box lies on it')
        self.undo(w)
        self.there(w, 'Series')
        self.shift_click(self.box(w, 'Counter'))
        w.key('ctrl+g')
        self.gone(w, 'Counter')
        w.wait(lambda: not self.frames(w), 'the frame is in the sub-program')
        self.undo(w)
        w.wait(lambda: self.frames(w), 'and comes out of it')
        self.redo(w)
        w.wait(lambda: not self.frames(w), 'in again')
        w.key('ctrl+d')
        self.there(w, 'Sub-program 2')
        self.assertFalse(self.frames(w))
        w.key('shift+Down', 'shift+Down', 'shift+Down', 'shift+Down')   # off what the original has
        w.key('ctrl+s')
        w.wait(lambda: len(re.findall('\tNumbers\tSub-program', open(self.file).read().replace('&#9;', '\t'))) == 2, 'they are kept')
        self.box(w, 'Sub-program 2').action('open')
        frame = w.wait(lambda: self.canvas(w).find('comment', 'Numbers'), 'the frame of the copy comes out')
        w.settle()
        for name in ('Series 2', 'Counter 2', 'Limit 2'):
            self.assertTrue(self.lies_on(w, name, frame), name)
        w.move(*self.empty_place(w))
        self.box(w, 'Sub-program').action('select')
        w.key('Delete')
        self.gone(w, 'Sub-program')
        self.assertEqual(len(self.frames(w)), 1, 'the frame is deleted with its sub-program')
        self.undo(w)
        self.there(w, 'Sub-program').action('open')
        w.wait(lambda: len(self.frames(w)) == 2, 'both are open')
        self.canvas(w).find('grouping', 'Sub-program').action('select')
        w.key('shift+Up', 'ctrl+e')                     # with its frame
        self.gone(w, 'Series')
        w.wait(lambda: len(self.frames(w)) == 1, 'folded')
        self.box(w, 'Sub-program').action('open')
        w.wait(lambda: len(self.frames(w)) == 2, 'and open')
        w.settle()
        for name in ('Series', 'Counter', 'Limit'):
            self.assertTrue(self.lies_on(w, name, self.frames(w)[0]), name)
        self.canvas(w).find('grouping', 'Sub-program').action('select')
        w.key('Delete')
        self.gone(w, 'Series')
        self.assertEqual(len(self.frames(w)), 1, 'the frame goes with the open sub-program')
        self.undo(w)
        self.there(w, 'Series').action('select')
        w.key('ctrl+e')
        self.gone(w, 'Series')
        w.wait(lambda: len(self.frames(w)) == 1, 'folded again')


class Copies(Things):
    def nested(self, w):
        """Limit and Counter in Sub-program, that and Sink in Sub-program 2, which is open; a frame behind Series."""
        for names in (('Limit', 'Counter'), ('Sub-program', 'Sink')):
            w.key('Escape')
            for i, name in enumerate(names):
                (self.shift_click if i else lambda b: b.click())(self.box(w, name))
            w.wait(lambda: all(self.box(w, n).state('selected') for n in names), 'they are selected')
            w.key('ctrl+g')
            w.wait(lambda: not self.box(w, names[-1]), 'they are in a sub-program')
        self.box(w, 'Sub-program 2').action('open')
        w.wait(lambda: self.groups(w) == ['Sub-program 2'], 'the outer is open')

    @once
    def test_nested_sub_programs(self):
        w = self.opened(self.PROGRAM)
        self.nested(w)
        group = self.canvas(w).find('grouping', 'Sub-program 2')
        x, y, width, height = group.box
        w.click(round(x + width * 0.6), y + 8)          # its title: all of it
        self.wait_selected(w, 'Sink', 'Sub-program')
        w.key('ctrl+d')
        self.there(w, 'Sub-program 3')
        w.wait(lambda: self.groups(w) == ['Sub-program 2', 'Sub-program 4'], 'the copy is open as the original')
        self.wired(w, 'Limit 2.out', 'Sink 2.in')
        self.undo(w)
        w.wait(lambda: self.groups(w) == ['Sub-program 2'], 'undone as one')
        self.wait_selected(w, 'Sink', 'Sub-program')
        w.key('ctrl+x')
        w.wait(lambda: self.names(w) == ['Presenter', 'Reader', 'Series', 'Session'], 'cut')
        w.key('ctrl+v')
        w.wait(lambda: self.groups(w) == ['Sub-program 2'] and self.box(w, 'Sub-program'), 'and pasted as it was')
        w.key('ctrl+s')
        w.wait(lambda: 'box\tSub-program\tLimit' in open(self.file).read().replace('&#9;', '\t'), 'it is kept')

    @once
    def test_into_another_window(self):
        w = self.opened(self.PROGRAM)
        self.nested(w)
        self.box(w, 'Series').click()
        w.key('ctrl+alt+f')
        w.wait(lambda: w.find('text', 'Name') and w.find('text', 'Name').state('focused'), 'its comment can be typed')
        w.key('Return', 'ctrl+a', 'ctrl+c', 'ctrl+n')
        w.wait(lambda: len([f for f in w.frames if f.role == 'frame']) == 2, 'there is a second window')
        second = [f for f in w.frames if f.role == 'frame'][-1]
        item = w.wait(lambda: second.find('list item', 'farm.trace'), 'its start page is there')
        w.settle()              # where it stays
        item.click()
        canvas = w.wait(lambda: second.find('canvas', 'Program'), 'another program is open in it', 30)
        x, y, width, height = canvas.box
        w.click(round(x + 12), round(y + height - 12))
        w.key('ctrl+v')
        w.wait(lambda: canvas.find('panel', 'Sub-program') and canvas.find('grouping', 'Sub-program 2')
               and canvas.find('comment', 'Comment'), 'sub-programs and the frame came over')
        self.assertFalse(canvas.find('panel', 'Limit'), 'folded as it was')

    def test_into_an_open_sub_program(self):
        w = self.opened(self.PROGRAM)
        self.nested(w)
        self.box(w, 'Sink').click()
        w.key('ctrl+d')                                 # the copy stays with the original
        self.wait_selected(w, 'Sink 2')
        w.key('ctrl+s')
        w.wait(lambda: 'box\tSub-program 2\tSink 2' in open(self.file).read().replace('&#9;', '\t'), 'it is in the sub-program')
        w.key('ctrl+alt+f')                             # so is a frame around it, on the ground of the sub-program
        w.wait(lambda: w.find('text', 'Name') and w.find('text', 'Name').state('focused'), 'its comment can be typed')
        w.key('Return', 'ctrl+s')
        w.wait(lambda: 'Comment\tSub-program 2' in open(self.file).read().replace('&#9;', '\t'), 'the frame belongs to it')
        x, y, width, height = self.canvas(w).find('grouping', 'Sub-program 2').box
        left, top, wide, high = self.frames(w)[0].box
        self.assertTrue(x < left and y < top and left + wide < x + width and top + high < y + height, 'it goes round its frame')

    def test_what_is_no_program_is_told(self):
        w = self.opened(self.PROGRAM)
        before = self.names(w)
        w.find('text', 'Search components').type('hello')
        w.key('ctrl+a', 'ctrl+c', 'Escape', 'F4', 'ctrl+v')
        w.wait_for('label', re.compile('^What is on the clipboard is no part of a program'))
        self.assertEqual(self.names(w), before)

    @once
    def test_dropped_into_an_open_sub_program(self):
        w = self.opened(self.PROGRAM)
        self.nested(w)
        x, y, width, height = self.canvas(w).find('grouping', 'Sub-program 2').box
        self.in_library(w, 'Gate').drag_to((round(x + width / 2), round(y + height - 10)))
        self.there(w, 'Gate')
        w.key('F4', 'ctrl+s')
        w.wait(lambda: 'box\tSub-program 2\tGate' in open(self.file).read().replace('&#9;', '\t'), 'it is in the sub-program')


class Undoing(Things):
    def test_selects_what_was_selected(self):
        w = self.opened(self.PROGRAM)
        self.box(w, 'Counter').click()
        w.key('Right', 'Escape')
        self.box(w, 'Sink').click()
        w.key('shift+Right')
        self.box(w, 'Limit').click()
        w.key('Delete')
        self.gone(w, 'Limit')
        self.undo(w)
        self.wait_selected(w, 'Limit')
        self.box(w, 'Reader').click()
        self.undo(w)
        self.wait_selected(w, 'Sink')
        self.undo(w)
        self.wait_selected(w, 'Counter')
        self.redo(w)
        self.wait_selected(w, 'Counter')
        self.redo(w)
        self.wait_selected(w, 'Sink')
        self.redo(w)
        self.wait_selected(w)

    @once
    def test_renamed(self):
        w = self.opened(self.PROGRAM)
        self.box(w, 'Series').click()
        w.key('F2')
        w.wait(lambda: w.find('text', 'Name') and w.find('text', 'Name').state('focused'), 'its name can be typed')
        w.key('ctrl+a')
        w.type('Numbers')
        w.key('Return')
        self.wait_selected(w, 'Numbers')
        self.undo(w)
        self.wait_selected(w, 'Series')
        self.redo(w)
        self.wait_selected(w, 'Numbers')


class SubPrograms(Things):
    def test_drag_into_an_open_one_and_take_out(self):
        w = self.opened(self.PROGRAM)
        self.box(w, 'Limit').click()
        self.shift_click(self.box(w, 'Sink'))
        self.wait_selected(w, 'Limit', 'Sink')
        w.key('ctrl+g')
        self.there(w, 'Sub-program').action('open')
        group = w.wait(lambda: self.canvas(w).find('grouping', 'Sub-program'), 'it is open')
        self.assertIn('2 components', group.description)
        x, y, width, height = group.box
        w.drag(*self.box(w, 'Counter').at(), round(x + width / 2), round(y + height - 6))
        w.wait(lambda: '3 components' in group.description, 'it has gone into it')
        self.undo(w)
        w.wait(lambda: '2 components' in group.description, 'out again, moved and gone in as one step')
        self.box(w, 'Sink').click(button=3)
        w.wait_for('menu item', 'Take out of Sub-program').click()
        w.wait(lambda: '1 component' in group.description, 'it is taken out')
        self.wired(w, 'Limit.out', 'Sink.in')

    @once
    def test_align(self):
        w = self.opened(self.PROGRAM)
        names = 'Series', 'Counter', 'Limit'
        self.box(w, names[0]).click()
        for name in names[1:]:
            self.shift_click(self.box(w, name))
        self.wait_selected(w, *names)
        for way, place in (('Top', lambda b: b[1]), ('Right', lambda b: b[0] + b[2])):
            self.box(w, 'Limit').click(button=3)
            w.wait_for('menu', 'Align').click()
            w.wait_for('menu item', way).click()
            w.wait(lambda: len({place(self.box(w, n).box) for n in names}) == 1, f'they are aligned: {way}')
            self.undo(w)
            w.wait(lambda: len({place(self.box(w, n).box) for n in names}) > 1, 'undone')

    @once
    def test_control_ports_stand_on_top(self):
        w = self.opened(self.PROGRAM)
        self.box(w, 'Reader').click()
        self.shift_click(self.box(w, 'Presenter'))
        self.wait_selected(w, 'Reader', 'Presenter')
        w.key('ctrl+g')
        box = self.there(w, 'Sub-program').box
        port = self.port(w, 'Reader.commands', 'input').at()
        self.assertTrue(abs(port[1] - box[1]) <= 3 and box[0] < port[0] < box[0] + box[2], (port, box))
        self.assertIn('control, session command', self.port(w, 'Reader.commands', 'input').description)


class Telling(Things):
    def test_ports_and_wires_tell_the_pointer(self):
        w = self.opened(self.PROGRAM)
        for thing in (self.port(w, 'Limit.reset', 'input'), self.wire(w, 'Series.out', 'Limit.in'),
                      self.port(w, 'Sink.in', 'input')):
            x, y = thing.at()
            w.move(*self.empty_place(w))
            w.settle()
            before = self.beside(w, x, y)
            w.move(x, y)
            w.wait(lambda: sum(a != b for a, b in zip(self.beside(w, x, y), before)) > 400, f'words stand beside {thing.name}')

    def test_only_ports_that_fit_light_up(self):
        w = self.opened(self.PROGRAM)
        fits, does_not = self.port(w, 'Counter.in', 'input').at(), self.port(w, 'Presenter.events', 'input').at()
        about = {p: self.around(w, *p) for p in (fits, does_not)}
        x, y = self.port(w, 'Series.out', 'output').at()
        tx, ty = self.empty_place(w)
        xdo('mousemove', x, y, 'mousedown', 1, 'mousemove', x + 20, y + 20, 'mousemove', tx, ty)
        w.wait(lambda: self.blue(self.around(w, *fits)) > self.blue(about[fits]) + 20, 'what fits lights up')
        w.wait(lambda: self.around(w, *does_not) != about[does_not], 'what does not is dimmed')
        self.assertLessEqual(self.blue(self.around(w, *does_not)), self.blue(about[does_not]))
        w.key('Escape')
        # Only then the button: a key is first told to the accessibility bus, and a button overtakes it meanwhile.
        w.wait(lambda: self.around(w, *fits) == about[fits], 'Escape takes the wire away')
        xdo('mouseup', 1)
        w.settle()
        self.assertEqual(self.around(w, *fits), about[fits])
        self.assertFalse(w.find('text', 'Add a component'))

    @once
    def test_running_waiting_and_changed(self):
        w = self.opened(self.PROGRAM.replace('</eve>', '<wire from="Reader" out="events" to="Presenter" in="events"/></eve>'))
        w.find('toggle button', 'Speed').click()
        w.wait_for('radio menu item', '10 events a second').click()
        w.key('F4', 'space')
        w.wait(lambda: 'Running.' in self.box(w, 'Presenter').description, 'it runs', 30)
        w.wait(lambda: 'Waiting.' in self.box(w, 'Sink').description, 'it waits while others work', 30)
        w.key('space')
        w.wait(lambda: not re.search('Running|Waiting', self.box(w, 'Presenter').description), 'it rests')
        self.box(w, 'Counter').click()
        w.find('text', 'first').type('3')
        w.key('Return')
        w.wait(lambda: 'Not what was saved' in self.box(w, 'Counter').description, 'it is changed')
        w.key('ctrl+s')
        w.wait(lambda: 'Not what was saved' not in self.box(w, 'Counter').description, 'it is saved')

    @once
    def test_small_map(self):
        w = self.opened(self.PROGRAM)
        x, y, width, height = self.canvas(w).box
        corner = (round(x + 12 + 74), round(y + height - 12 - 46))     # the middle of the map
        before = self.around(w, *corner)
        w.scroll(round(x + width / 2), round(y + height / 2), 8, keys=('ctrl',))
        w.wait(lambda: self.around(w, *corner) != before, 'what is not all in sight has a map')
        series = self.box(w, 'Series').box
        w.click(round(x + 22), round(y + height - 90))
        w.wait(lambda: self.box(w, 'Series').box[0] > series[0] + 50, 'a click on it goes there')

    @once
    def test_look_is_changed_while_it_runs(self):
        w = self.opened(self.PROGRAM)
        x, y, width, height = self.box(w, 'Series').box
        place = round(x + width * 0.3), round(y + height * 0.6)
        ground = round(x - 20), round(y + height + 40)
        w.wait(lambda: sum(w.colour(*place)) > 700, 'boxes are light')
        w.key('ctrl+comma')
        w.wait_for('combo box', 'Look').click()
        w.wait_for('menu item', 'Dark').click()
        w.wait(lambda: sum(w.colour(*ground)) < 200 and sum(w.colour(*place)) < 250, 'ground and boxes are dark')

    @staticmethod
    def around(w, x, y):
        _, _, line, data = w.pixels()
        return b''.join(data[at * line + (x - 10) * 4:at * line + (x + 11) * 4] for at in range(y - 10, y + 11))

    @staticmethod
    def blue(pixels):
        """How many pixels are of the colour of selection, more or less."""
        return sum(pixels[i] > pixels[i + 2] + 60 for i in range(0, len(pixels), 4))

    @staticmethod
    def beside(w, x, y):
        _, _, line, data = w.pixels()
        return b''.join(data[at * line + (x + 16) * 4:at * line + (x + 136) * 4] for at in range(y + 20, y + 40))


class Uses(Things):
    """Boxes that are off, bypassed and replaced; points of wires, bookmarks, tables: one window, one after the other."""
    NUMBERS = Things.PROGRAM.replace('class="scope.series" version="1" x="40" y="40"/>',
                                     'class="scope.series" version="1" x="40" y="40"><setting name="count">30</setting></component>')

    def menu(self, w, item, choice):
        item.click(button=3)
        w.wait_for('menu item', choice).click()
        w.wait_gone('menu item', choice)

    def says(self, w, name, words):
        w.wait(lambda: words in self.box(w, name).description, f'{name} says {words}')

    def saved(self, w):
        w.key('ctrl+s')
        w.wait(lambda: not w.find(None, re.compile('unsaved')), 'it is saved')
        with open(self.file) as f:
            return ET.parse(f).getroot()

    def note(self, w, name):
        return next((n.text for n in self.saved(w).iter('note') if n.get('name') == name), '')

    def use(self, w, name):
        return next(c.get('use') for c in self.saved(w).iter('component') if c.get('name') == name)

    def wires_of(self, w, name):
        return sorted(i.name for i in self.canvas(w).children if i.role == 'arrow' and name + '.' in i.name)

    def test_boxes_and_wires(self):
        w = self.opened(self.NUMBERS)
        self.box(w, 'Limit').click()
        self.menu(w, self.box(w, 'Limit'), 'Switch off')
        self.says(w, 'Limit', 'Off')
        w.wait(lambda: 'carries nothing' in self.wire(w, 'Series.out', 'Limit.in').description, 'its wires carry nothing')
        self.assertEqual(self.use(w, 'Limit'), 'off')
        w.key('ctrl+m')         # on again
        w.wait(lambda: 'Off' not in self.box(w, 'Limit').description, 'it works')
        w.key('ctrl+b')
        self.says(w, 'Limit', 'Bypassed')
        self.assertEqual(self.use(w, 'Limit'), 'bypassed')
        self.undo(w)
        w.wait(lambda: 'Bypassed' not in self.box(w, 'Limit').description, 'undo lets it work')
        self.box(w, 'Reader').click()           # who plays cannot be left out
        w.key('ctrl+m')
        w.wait_for('label', re.compile('Reader gives what is played'))
        # replaced: its wires go to the ports of the other
        self.box(w, 'Limit').click()
        w.key('ctrl+r')
        w.wait_for('text', 'Replace with').type('gate')
        w.wait(lambda: [r for r in w.find_all('list item') if r.name == 'Gate'], 'a gate is offered')
        w.key('Return')
        self.there(w, 'Gate')
        self.gone(w, 'Limit')
        self.assertEqual(self.wires_of(w, 'Gate'), ['Gate.out → Sink.in', 'Series.out → Gate.in'])
        self.undo(w)
        self.there(w, 'Limit')
        # a point of a wire: drawn out of it, moved, taken away
        x, y = self.wire(w, 'Series.out', 'Limit.in').at()
        w.drag(x, y, x, y - 40)
        w.wait(lambda: self.note(w, 'bends').count('bend\tSeries\tout\tLimit\tin') == 1, 'the wire has a point')
        first = self.note(w, 'bends')
        w.drag(x, y - 40, x + 24, y - 48)
        w.wait(lambda: self.note(w, 'bends').count('bend') == 1 and self.note(w, 'bends') != first, 'the point has moved')
        w.click(x + 24, y - 48, button=3)
        w.wait_for('menu item', 'Take this point away').click()
        w.wait(lambda: not self.note(w, 'bends'), 'the wire is as it was')
        # a place to come back to
        w.key('ctrl+shift+b')
        w.wait_for('text', 'Name').type('Here')
        w.key('Return')
        w.wait(lambda: self.note(w, 'bookmarks').startswith('bookmark\tHere\t'), 'it is kept')
        before = self.box(w, 'Sink').box
        w.key('ctrl+plus', 'ctrl+plus')
        w.wait(lambda: self.box(w, 'Sink').box != before, 'another part is seen')
        w.click(*self.empty_place(w), button=3)
        w.wait_for('menu', 'Go to').click()
        w.wait_for('menu item', 'Here').click()
        w.wait(lambda: self.box(w, 'Sink').box == before, 'the same as before')
        # all that passes a wire: numbers that anybody can count
        self.wire(w, 'Series.out', 'Limit.in').click()
        w.key('ctrl+t')
        table = w.wait(lambda: w.find('table', 'Table of Series.out'), 'there is a table', 30)
        w.wait_for('label', '30 rows')
        cells = lambda: [c.name for c in w.find_all('table cell') if c.name.isdigit()]
        w.wait(lambda: cells()[:12] == [str(n) for n in range(1, 13)], 'it holds what the series gives')
        w.find('push button', re.compile('^Hand over: .*table$')).action()
        w.wait(lambda: w.find('label', re.compile('is in the clipboard')), 'it is copied')
        given = list(csv.reader(io.StringIO(test_hand_over.HandOver.pasted('text/csv').decode())))
        self.assertEqual([row[-1] for row in given[1:]], [str(n) for n in range(1, 31)])
        head = table.find('table column header')
        head.click()
        head.click()
        w.wait(lambda: cells()[:3] == ['30', '29', '28'], 'the largest first')
        w.find('text', 'Only rows with').type('7')
        w.wait(lambda: cells() == ['27', '17', '7'], 'some rows')
        w.wait_for('label', '3 of 30 rows')
        w.key('Escape')
        w.key('Escape')
        w.wait_gone('table', 'Table of Series.out')

    def test_other_words_in_the_library(self):
        """What people call a picture of numbers finds those there are; words that nothing fits are answered."""
        w = self.start(self.copy('ring.trace'))
        field = w.wait_for('text', 'Search components', 30)
        field.type('plot')
        w.wait(lambda: all(w.find('table cell', name) for name in ('Bars', 'Pie', 'Curve')) and not w.find('table cell', 'Session'), 'charts are found')
        self.assertFalse(w.find('label', 'No component of this name'))
        field.type('zzzz')
        w.wait_for('label', 'No component of this name')
        field.type('gate')
        w.wait_gone('label', 'No component of this name')
        w.wait_for('table cell', 'Gate')

    def test_part_in_the_library(self):
        w = self.opened(self.NUMBERS)
        self.box(w, 'Series').click()
        self.shift_click(self.box(w, 'Limit'))
        self.wait_selected(w, 'Limit', 'Series')
        w.key('ctrl+g')
        self.there(w, 'Sub-program').click(button=3)
        w.wait_for('menu item', 'Save as a part…').click()
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type('Thirty numbers')
        w.key('Return')
        w.wait_gone('file chooser')
        w.wait(lambda: w.find('table cell', 'Thirty numbers'), 'the library has it')
        # a setting on its face: set there, it is that of the box inside
        w.key('F4')
        self.box(w, 'Sub-program').click(times=2)
        self.there(w, 'Series').click()
        w.wait_for('toggle button', 'Show count on Sub-program').click()
        w.wait(lambda: 'face\tSub-program\tSeries\tcount' in self.note(w, 'groups'), 'it is on the face')
        w.key('F4', 'ctrl+e')   # folded again
        self.there(w, 'Sub-program').click()
        self.says(w, 'Sub-program', 'count 30')
        field = w.wait(lambda: w.find('text', 'count'), 'the setting is that of the sub-program')
        field.click(times=3)
        w.key('ctrl+a')
        w.type('12')
        w.key('Return')
        self.says(w, 'Sub-program', 'count 12')
        # added from the library, with the wire that it had
        w.find('text', 'Search components').type('Thirty')
        w.wait(lambda: w.find('table cell', 'Thirty numbers') and not w.find('table cell', 'Counter'), 'it alone is found')
        w.key('Return')
        self.there(w, 'Sub-program 2')
        w.wait(lambda: len(self.wires_of(w, 'Sink')) == 2, 'its wire is made again')
        self.undo(w)
        self.gone(w, 'Sub-program 2')


if __name__ == '__main__':
    main()
