# SPDX-License-Identifier: Apache-2.0
"""The manager of associations: rules of the program are added, changed and removed beside the legend, seen in pictures, undone; a
rule that is wrong is told; those of the person are taken over."""
import os
import re

from harness import Case, main, session

LINES = """<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><title>Lines</title>
<component name="Session" class="scope.session" version="1"/><component name="Reader" class="scope.tapepvm-reader" version="1"/>
<component name="Simulator" class="scope.pvm-simulator" version="1"/>
<component name="A" class="scope.state-presenter" version="1"><setting name="attribute">PercentBusy</setting></component>
<component name="Lines" class="scope.curve" version="1"/>
<component name="Inside" class="scope.calls-simulator" version="1"/><component name="Calls" class="scope.call-timeline" version="1"/>
<wire from="Session" out="commands" to="Reader" in="commands"/><wire from="Reader" out="events" to="Simulator" in="events"/>
<wire from="Simulator" out="changes" to="A" in="changes"/><wire from="A" out="dated" to="Lines" in="value"/>
<wire from="Reader" out="events" to="Inside" in="events"/><wire from="Inside" out="calls" to="Calls" in="calls"/>
</eve>
"""


class Looks(Case):
    def opened(self, task='fft 0'):
        w = self.start(self.copy('fft2d-s16.trace'))
        self.picture = w.wait_for('drawing area', 'Picture of Space-time')
        self.picture.click(times=2, fx=0.6, fy=0.05)                # an instant at which all tasks live
        self.has(w, task)
        return w

    def has(self, w, name, view='State graph'):
        def look():
            picture = w.find('drawing area', f'Picture of {view}')
            return picture and any(re.match(name, i.name) for i in picture.children[:60])
        w.wait(look, f'{view} shows {name}')

    def press(self, w, role, name):
        """A click once it stands still: where a popover stands is settled later than that it is shown."""
        one, places = w.wait_for(role, name), []

        def rests():
            places.append(tuple(one.box))
            return len(places) > 4 and len(set(places[-4:])) == 1
        w.wait(rests, f'{name} stands still')
        one.click()
        return one

    def choose(self, w, field, item):
        self.press(w, 'combo box', field)
        w.wait_for('menu item', item).click()
        w.wait_gone('menu item', item)

    def scale(self, w, text):
        field = self.press(w, 'text', 'Scale')
        w.wait(lambda: field.state('focused'), 'the scale has the focus')
        w.key('ctrl+a')
        w.type(text)
        w.wait(lambda: (field.text or '').strip() == text.strip(), f'{text} is written')

    def rule(self, w, text):
        return w.wait_for('label', text)

    def scale_of(self, w, rule):
        """Lines of a rule of the program, as its editor shows them."""
        w.wait_for('push button', f'Change {rule}').action()
        field = w.wait_for('text', 'Scale')
        w.wait(lambda: field.text, 'it has lines')
        text = field.text
        w.key('Escape')
        w.wait_gone('text', 'Scale')
        return [line.strip() for line in text.splitlines() if line.strip()]

    def test_shapes_are_dropped(self):
        w = self.opened()
        shape = re.compile(r'^task shape: ')
        # Onto a line of the legend: for all views; and another one onto the same, which takes its place.
        w.wait_for('panel', 'Shape triangle').drag_to(w.wait_for('label', 'Busy'))
        name = self.rule(w, shape).name
        self.assertEqual(self.scale_of(w, name), ['"Busy" = triangle'])
        w.wait_for('panel', 'Shape diamond').drag_to(w.wait_for('label', 'Busy'))
        w.wait(lambda: 'Undo: Change a Shape' in (w.find('push button', 'Undo').description or ''), 'it can be undone')
        self.assertEqual(self.scale_of(w, name), ['"Busy" = diamond'])
        w.wait_for('panel', 'Shape square').drag_to(w.wait_for('label', 'Overhead'))
        w.wait(lambda: len(self.scale_of(w, name)) == 2, 'another state has one too')
        self.assertEqual(self.scale_of(w, name), ['"Busy" = diamond', '"Overhead" = square'])
        w.key('ctrl+z')
        w.wait(lambda: self.scale_of(w, name) == ['"Busy" = diamond'], 'the last is undone')
        w.key('ctrl+z', 'ctrl+z')
        w.wait_gone('label', shape)
        # Onto a task: for that view alone.
        task = next(i for i in w.find('drawing area', 'Picture of State graph').children if i.name.startswith('fft 0'))
        state = re.search(r': (\w+)', task.name).group(1)
        w.wait_for('panel', 'Shape triangle').drag_to(task)
        name = self.rule(w, shape).name
        self.rule(w, re.compile('this program, in State graph'))
        self.assertEqual(self.scale_of(w, name), [f'"{state}" = triangle'])
        w.key('ctrl+z')
        w.wait_gone('label', shape)
        # A link has none: a sentence says so, and nothing is changed.
        w.wait_for('panel', 'Shape triangle').drag_to(w.wait_for('drawing area', 'Picture of Space-time'), fx=0.5, fy=0.99)
        w.wait_for('label', re.compile('Only tasks have shapes'))
        self.assertFalse(w.find('label', shape))

    def test_attributes_are_dropped(self):
        w = self.opened()
        picture = w.find('drawing area', 'Picture of State graph')
        next(i for i in picture.children if i.name.startswith('fft 0')).click()
        w.wait_for('panel', 'Attribute Host').drag_to(picture, fx=0.5, fy=0.5)
        w.wait_for('menu item', 'Host in State graph, as its')
        w.wait_for('menu item', 'label').click()
        self.rule(w, 'task label: Host')
        self.rule(w, re.compile('this program, in State graph'))
        w.key('ctrl+z')
        w.wait_gone('label', 'task label: Host')
        # Onto the legend: in all views; a second one for the same takes its place.
        for attribute in ('Host', 'Program'):
            w.wait_for('panel', f'Attribute {attribute}').drag_to(w.wait_for('label', 'Busy'))
            w.wait_for('menu item', f'{attribute} in all views, as its')
            w.wait_for('menu item', 'colour').click()
            self.rule(w, f'task colour: {attribute}')
        w.wait_gone('label', 'task colour: Host')
        w.key('ctrl+z')
        self.rule(w, 'task colour: Host')
        w.key('ctrl+z')
        w.wait_gone('label', re.compile('^task colour: '))

    def test_where_nothing_would_be_seen(self):
        """A view that does not show an attribute so says it, and no rule is made."""
        w = self.opened()
        next(i for i in w.find('drawing area', 'Picture of State graph').children if i.name.startswith('fft 0')).click()
        w.wait_for('panel', 'Attribute Host').drag_to(w.wait_for('drawing area', 'Picture of Space-time'), fx=0.5, fy=0.5)
        w.wait_for('menu item', 'Host in Space-time, as its')
        w.wait_for('menu item', 'colour').click()
        w.wait_for('label', 'Space-time does not show Host as colour: the colours of its rows are states over time; State graph and Status grid show it so')
        self.assertFalse(w.find('label', re.compile('^task colour: Host')))

    def test_add_change_remove(self):
        w = self.opened()
        w.wait_for('push button', 'Tie an attribute to how things look').action()
        self.choose(w, 'Channel', 'label')
        w.wait_for('push button', 'Add').action()
        self.rule(w, re.compile(r'^task label: '))
        self.rule(w, 'this program')
        w.key('ctrl+z')
        w.wait_gone('label', re.compile(r'^task label: '))
        w.key('ctrl+shift+z')
        name = self.rule(w, re.compile(r'^task label: ')).name
        w.wait_for('push button', f'Change {name}').action()
        self.choose(w, 'Channel', 'opacity')
        self.scale(w, 'other = 7')
        w.wait_for('push button', 'Change').action()
        w.wait_for('label', re.compile('an opacity is from 0 to 1'))
        self.scale(w, 'other = 0.5')
        w.wait_for('push button', 'Change').action()
        changed = self.rule(w, re.compile(r'^task opacity: ')).name
        w.wait_gone('label', name)
        w.wait_for('push button', f'Remove {changed}').action()
        w.wait_gone('label', changed)
        w.key('ctrl+z')
        self.rule(w, changed)

    def test_by_value(self):
        """Tasks in the colours of their hosts: all hosts are offered, each with a colour; undone."""
        w = self.start(self.synth(12, 600))
        picture = w.wait_for('drawing area', 'Picture of State graph')
        w.wait_for('drawing area', 'Picture of Space-time').click(times=2, fx=0.6, fy=0.05)
        self.has(w, 't4000c')
        w.wait_for('push button', 'Tie an attribute to how things look').action()
        field = self.press(w, 'combo box', 'Attribute').find('text')
        field.click()
        w.wait(lambda: field.state('focused'), 'the attribute has the focus')
        w.key('ctrl+a')
        w.type('Host')
        scale = w.wait_for('text', 'Scale')
        w.wait(lambda: re.fullmatch(r'("node\d" = #[0-9a-f]{6}\n){3}', scale.text or ''), 'the three hosts are offered, each with a colour')
        colours = dict(re.findall(r'"(node\d)" = #([0-9a-f]{6})', scale.text))
        self.assertEqual((sorted(colours), len(set(colours.values()))), (['node0', 'node1', 'node2'], 3))
        w.wait_for('push button', 'Add').action()
        self.rule(w, 'task colour: Host')

        def seen():
            rims = ((re.match('t400', i.name), i.box) for i in picture.children[:60])
            found = {w.colour(x + width // 2, y + int(0.07 * height)) for ok, (x, y, width, height) in rims if ok}
            return {h for h, c in colours.items() if tuple(int(c[k:k + 2], 16) for k in (0, 2, 4)) in found}
        w.wait(lambda: seen() == set(colours), 'tasks have the colours of their hosts')
        w.key('ctrl+z')
        w.wait_gone('label', 'task colour: Host')
        w.wait(lambda: not seen(), 'the colours are as before')

    def test_swatches(self):
        """A click on the colour of a value opens the chooser; what is chosen there, or dropped there, is a line of the rule, and undone."""
        w = self.start(self.synth(12, 600))
        picture = w.wait_for('drawing area', 'Picture of State graph')
        w.wait_for('drawing area', 'Picture of Space-time').click(times=2, fx=0.6, fy=0.05)
        self.has(w, 't4000c')
        w.wait_for('push button', 'Tie an attribute to how things look').action()
        field = self.press(w, 'combo box', 'Attribute').find('text')
        field.click()
        w.wait(lambda: field.state('focused'), 'the attribute has the focus')
        w.key('ctrl+a')
        w.type('Host')
        self.scale(w, '"node0" = #102030')
        w.wait_for('push button', 'Add').action()
        self.rule(w, 'task colour: Host')

        def seen():
            rims = ((re.match('t400', i.name), i.box) for i in picture.children[:60])
            return {w.colour(x + width // 2, y + int(0.07 * height)) for ok, (x, y, width, height) in rims if ok}
        own = (0x10, 0x20, 0x30)
        w.wait(lambda: own in seen(), 'node0 has the colour of the rule')
        # node1 and node2 have no line yet; the colour of node0 is dropped on one
        w.wait_for('push button', 'Colour of node2, Host')
        w.wait_for('push button', 'Colour of node0, Host').drag_to(w.wait_for('push button', 'Colour of node1, Host'))
        name = w.wait_for('push button', 'Change task colour: Host')
        name.action()
        scale = w.wait_for('text', 'Scale')
        w.wait(lambda: (scale.text or '').split() == '"node0" = #102030 "node1" = #102030'.split(), 'node1 has a line')
        w.key('Escape')
        # another colour for node0, from the chooser
        w.wait_gone('push button', 'Change')
        before = seen()                                             # of these and of links
        self.press(w, 'push button', 'Colour of node0, Host')
        self.press(w, 'radio button', 'Dark Green')
        self.press(w, 'push button', 'Select')
        w.wait_gone('dialog')
        w.wait(lambda: len(seen()) == len(before) + 1 and before < seen(), 'node0 has the colour that was chosen')
        w.key('ctrl+z')
        w.wait(lambda: seen() == before, 'the colour is back')

    def test_series_and_regions(self):
        """A colour dropped on the name of a line is that of the series, which the legend lists then and takes back; rules for series
        and for what tasks are inside of are proposed with what occurs, seen, and undone."""
        program = self.path('lines.eve')
        with open(program, 'w', encoding='utf-8') as f:
            f.write(LINES)
        w = self.start(self.copy('fft2d-s16.trace'), program)
        picture = w.wait_for('drawing area', 'Picture of Lines')

        def name_of():
            named = [i for i in picture.children[:60] if i.name.startswith('fft 0') and 0 < i.box[3] < 30]
            return named and min(named, key=lambda i: i.box[2] * i.box[3])
        w.wait(name_of, 'the name of the line stands above it')
        w.wait_for('push button', 'Colour of Busy').drag_to(name_of())
        w.wait_for('push button', 'Colour of fft 0')
        w.wait_for('label', 'Series')

        def seen(rgb):
            box = name_of()
            box = box and box.box
            return box and any(w.colour(box[0] + x, box[1] + y) == rgb for x in range(2, 14, 3) for y in range(4, 14))
        w.wait(lambda: seen((0x2a, 0x9d, 0x6f)), 'the line has the colour of Busy')
        with open(os.path.join(os.environ['XDG_CONFIG_HOME'], 'scope', 'colours')) as f:
            self.assertIn('[Series]\nfft 0=#2a9d6f', f.read())
        w.wait_for('push button', 'All colours as they came').click()
        w.wait_gone('push button', 'Colour of fft 0')
        w.wait(lambda: not seen((0x2a, 0x9d, 0x6f)), 'the line has its own colour again')
        # a rule for series: their names are offered
        w.wait_for('push button', 'Tie an attribute to how things look').action()
        self.choose(w, 'Kind', 'series')
        scale = w.wait_for('text', 'Scale')
        w.wait(lambda: len(re.findall(r'"fft \d" = #[0-9a-f]{6}', scale.text or '')) == 4, 'all four are offered')
        self.scale(w, '"fft 0" = #102030')
        w.wait_for('push button', 'Add').action()
        self.rule(w, 'series colour: name')
        w.wait(lambda: seen((0x10, 0x20, 0x30)), 'the line has the colour of the rule')
        # one for regions, by what tasks are inside of
        w.wait_for('push button', 'Tie an attribute to how things look').action()
        self.choose(w, 'Kind', 'region')
        w.wait(lambda: '"Recv" = #' in (scale.text or ''), 'calls are offered')
        self.scale(w, 'Recv = #405060')
        w.wait_for('push button', 'Add').action()
        self.rule(w, 'region colour: name')
        boxes = w.wait_for('drawing area', 'Picture of Calls')

        def filled():
            x, y, width, height = boxes.box
            _, _, line, data = w.pixels()
            return any(data[r * line + c * 4:r * line + c * 4 + 3] == bytes((0x60, 0x50, 0x40))
                       for r in range(y, y + height, 3) for c in range(x, x + width, 3))
        w.wait(filled, 'boxes have the colour of the rule')
        w.key('ctrl+z')
        w.wait_gone('label', 'region colour: name')
        w.wait(lambda: not filled(), 'they are as before')

    def test_displays_by_their_usual_names(self):
        """The search finds what people know by a name, in the program that is open and in others; it is drawn, and undone as one step."""
        w = self.opened()

        def show(typed, item):
            w.key('ctrl+k')
            w.wait_for('text', 'Find')
            w.type(typed)
            w.wait_for('list item', re.compile(item))
            w.key('Return')
            w.wait_gone('text', 'Find')

        def places():
            picture = w.find('drawing area', 'Picture of State graph')
            return [i.box[:2] for i in picture.children[:60] if re.match(r'fft \d: ', i.name)] if picture else []
        before = places()
        show('hypercube', '^Hypercube, display')
        w.wait(lambda: len(places()) == 4 and places() != before, 'the tasks stand at the corners of a cube')
        w.key('ctrl+z')
        w.wait(lambda: places() == before, 'they stand where they stood')
        show('feynman', '^Space-time, display')              # by what the gallery says of it
        show('kiviat', '^Kiviat diagram, display')
        w.wait_for('drawing area', 'Picture of Kiviat diagram', 30)
        show('gantt', '^Gantt, display')
        w.wait_for('drawing area', 'Picture of Space-time', 30)

    def test_add_a_view_by_its_picture(self):
        """The gallery in the window: cards with pictures, narrowed by what is typed, chosen by a key or a click."""
        w = self.opened()
        out = os.environ.get('SCOPE_GUI_SHOT')

        def cards():
            dialog = w.find('dialog', 'Add a view')
            return {c.name: c for c in dialog.find_all('list item')} if dialog else {}
        w.key('ctrl+alt+v')
        w.wait(lambda: len(cards()) > 5, 'the displays are there')
        if out:
            w.settle()
            w.screenshot(os.path.join(out, 'add-view.png'))
        card = cards()['Space-time']
        w.wait(lambda: card.box[2] > 200 and card.box[3] > 150, 'it has room')
        x, y = card.box[:2]
        w.wait(lambda: len({w.colour(x + 60 + dx, y + 40 + dy) for dx in range(0, 120, 4) for dy in range(0, 60, 4)}) > 3, 'its picture is drawn')
        w.type('hypercube')
        w.wait(lambda: [n for n, c in cards().items() if c.showing] == ['Hypercube'], 'only that is left')

        def places():
            picture = w.find('drawing area', 'Picture of State graph')
            return [i.box[:2] for i in picture.children[:60] if re.match(r'fft \d: ', i.name)] if picture else []
        before = places()
        w.key('Return')
        w.wait(lambda: not cards() and len(places()) == 4 and places() != before, 'the tasks stand at the corners of a cube')
        w.key('ctrl+z')
        w.wait(lambda: places() == before, 'they stand where they stood')
        w.key('ctrl+alt+v')
        w.wait(lambda: 'Gantt' in cards(), 'the displays are there again')
        w.type('even polygon')                               # by what it tells
        w.wait(lambda: [n for n, c in cards().items() if c.showing] == ['Kiviat diagram'], 'one tells that')
        cards()['Kiviat diagram'].click()
        w.wait_for('drawing area', 'Picture of Kiviat diagram', 30)
        w.key('ctrl+alt+v')
        w.wait(lambda: 'Gantt' in cards(), 'once more')
        w.key('Escape')
        w.wait(lambda: not cards(), 'nothing is chosen')
        self.assertIsNotNone(w.find('drawing area', 'Picture of Kiviat diagram'))

    def test_a_display_that_is_not_for_this_execution(self):
        """It is shown, last, with what it would need; it cannot be chosen.  The search tells the same."""
        w = self.opened()
        w.key('ctrl+alt+v')
        w.wait_for('dialog', 'Add a view')
        cards = lambda: [c for c in w.find('dialog', 'Add a view').find_all('list item') if c.showing]
        w.type('ocp-memprof heaptrack')
        w.wait(lambda: len(cards()) == 1, 'one is left')
        self.assertRegex(cards()[0].description, '^Not for this execution: it needs to know the memory that is allocated and freed, which .* does not tell; '
                                                 'these do: .*heaptrack')
        w.key('Return')
        cards()[0].click()
        w.settle()
        self.assertEqual(len(cards()), 1)
        w.key('Escape')
        w.wait_gone('dialog', 'Add a view')
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('sizes by type')
        w.wait(lambda: any(re.match('Sizes by type, display, not for this execution', i.name) for i in w.find('list box', 'Found').children), 'it is found')
        w.key('Return')
        w.wait_for('label', re.compile('^Sizes by type. Not for this execution'))

    @staticmethod
    def boxes(w):
        """Names of the boxes on the canvas."""
        canvas = w.find('canvas', 'Program')
        return {i.name for i in canvas.children if i.role == 'panel'} if canvas else set()

    def test_a_display_comes_into_the_program(self):
        """What another program on offer has is added with what feeds it, once; readers and simulators stay; an undo takes all away."""
        w = self.opened()

        def add(name, typed):
            w.key('ctrl+alt+v')
            w.wait_for('dialog', 'Add a view')
            w.type(typed)
            w.wait(lambda: [c.name for c in w.find('dialog', 'Add a view').find_all('list item') if c.showing] == [name], f'{name} is left')
            w.key('Return')
            w.wait_gone('dialog', 'Add a view')
        before = self.boxes(w)
        add('Streak', 'Who has worked (to')
        w.wait_for('drawing area', 'Picture of Streak', 30)
        w.wait(lambda: self.boxes(w) == before | {'Activity', 'Streak'}, 'the view and what feeds it, and no second reader')
        self.assertIsNotNone(w.find('drawing area', 'Picture of Space-time'))
        add('Kiviat diagram', 'even polygon')
        w.wait_for('drawing area', 'Picture of Kiviat diagram', 30)
        w.wait(lambda: self.boxes(w) == before | {'Activity', 'Streak', 'Kiviat diagram'}, 'what feeds it is there already')
        add('Streak', 'Who has worked (to')
        w.settle()
        self.assertEqual(self.boxes(w), before | {'Activity', 'Streak', 'Kiviat diagram'}, 'it is there already')
        w.key('ctrl+z')
        w.wait(lambda: self.boxes(w) == before | {'Activity', 'Streak'} and not w.find('drawing area', 'Picture of Kiviat diagram'), 'the last one is gone')
        w.key('ctrl+z')
        w.wait(lambda: self.boxes(w) == before and not w.find('drawing area', 'Picture of Streak'), 'all is as it was')

    def test_given(self):
        """A file of the command line goes over all; colours and exports follow it."""
        rules = self.path('rules')
        with open(rules, 'w', encoding='utf-8') as f:
            f.write('associations 1\ntask Host label\n')
        w = self.start('--associations', rules, self.copy('fft2d-s16.trace'))
        w.wait_for('label', 'task label: Host')
        w.wait_for('label', '--associations')
        self.has(w, 'host1', 'Space-time')

    def test_changed_by_somebody_else(self):
        """What an editor, or another Scope, writes into the person's file is taken over while the trace is open."""
        path = os.path.join(session().home, 'config_home', 'scope', 'associations')
        w = self.opened()
        w.wait_for('push button', 'Tie an attribute to how things look')
        self.assertFalse(w.find('label', 'you, for all programs'))
        for text, gone in (('associations 1\ntask Program label\n', False), ('associations 1\n', True), ('associations 1\ntask Program label\n', False)):
            with open(path + '.new', 'w', encoding='utf-8') as f:
                f.write(text)
            os.rename(path + '.new', path)
            w.wait(lambda gone=gone: bool(w.find('label', 'you, for all programs')) != gone, 'it is taken over')

    def test_taken_over(self):
        with open(os.path.join(session().home, 'config_home', 'scope', 'associations'), 'w', encoding='utf-8') as f:
            f.write('associations 1\ntask Program label\n')
        w = self.opened('fft2d')
        self.rule(w, 'you, for all programs')
        w.wait_for('push button', 'Take over task label: Program').action()
        self.choose(w, 'In', 'Space-time')
        w.wait_for('push button', 'Add').action()
        self.rule(w, 'this program, in Space-time')
        self.rule(w, 'you, for all programs')


if __name__ == '__main__':
    main()
