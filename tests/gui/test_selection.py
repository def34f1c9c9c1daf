# SPDX-License-Identifier: Apache-2.0
"""What is selected: by a click on a bar, a row, a cell, a name in a legend, with Ctrl one more, and seen in every view."""
import os
import re

from harness import Case, ROOT, SAMPLES, main

TRACE = SAMPLES + '/fft2d-s16.trace'
HEAP = os.path.join(ROOT, 'tests', 'formats', 'heap-samples', 'leak.trace')


class Selection(Case):
    CHARTS = """<eve version="1"><title>Charts</title>
      <component name="Reader" class="scope.tapepvm-reader" version="1"/><component name="Simulator" class="scope.pvm-simulator" version="1"/>
      <component name="Space-time" class="scope.space-time" version="1"/><component name="State graph" class="scope.state-graph" version="1"/>
      <component name="Traffic" class="scope.traffic" version="1"/><component name="Messages" class="scope.matrix-view" version="1"/>
      <component name="Waiting" class="scope.waiting-times" version="1"/><component name="Bars" class="scope.bar" version="1"/>
      <component name="By task" class="scope.statistics-by-owner" version="1"/><component name="Table" class="scope.table-view" version="1"/>
      <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Reader" out="events" to="Waiting" in="events"/>
      <wire from="Simulator" out="states" to="Space-time" in="states"/><wire from="Simulator" out="messages" to="Space-time" in="messages"/>
      <wire from="Simulator" out="messages" to="State graph" in="messages"/><wire from="Simulator" out="messages" to="Traffic" in="messages"/>
      <wire from="Traffic" out="counts" to="Messages" in="matrix"/><wire from="Waiting" out="dated" to="Bars" in="value"/>
      <wire from="Waiting" out="dated" to="By task" in="value"/><wire from="By task" out="table" to="Table" in="table"/></eve>"""

    def picture(self, w, name):
        return w.wait_for('drawing area', 'Picture of ' + name, 30)

    def item(self, w, view, begin):
        return w.wait(lambda: next((i for i in self.picture(w, view).children if i.name.startswith(begin)), None),
                      f'{view} has an item {begin}', 60)

    def chosen(self, w, view):
        """Names of the items of a view that are selected."""
        return sorted(i.name for i in self.picture(w, view).children if i.state('SELECTED'))

    def begin_charts(self):
        program = self.path('charts.eve')
        with open(program, 'w') as f:
            f.write(self.CHARTS)
        w = self.start(TRACE, program)
        self.item(w, 'Space-time', 't40005')
        w.key('End')
        self.item(w, 'Bars', 'fft 1: ')
        self.item(w, 'Messages', 'fft 2 to fft 0: ')
        return w

    def test_walk_through_snapshots(self):
        """Open a bundle of snapshots, travel over them, open what is retained, pick a class, and see it in the stacked curves."""
        w = self.start(os.path.join(ROOT, 'traces', 'shop.trace'), os.path.join(ROOT, 'schemas', 'heap', 'views.eve'))
        row = lambda view, begin: next((i.name for i in self.picture(w, view).children if i.name.startswith(begin)), '')  # noqa: E731
        self.item(w, 'Classes', 'class Shop.visit,')
        w.key('End')
        w.wait(lambda: '540' in row('Classes', 'class Shop.visit,'), 'all visits are there at the end', 60)
        last = row('Classes', 'class Shop.visit,')
        x, y, width, height = self.item(w, 'Classes over time', 'Shop.item list').box
        w.click(round(x + width * 0.1), round(y + height / 2), times=2)
        w.wait(lambda: row('Classes', 'class Shop.visit,') not in ('', last), 'an earlier snapshot has fewer', 60)
        w.key('End')
        w.wait(lambda: row('Classes', 'class Shop.visit,') == last, 'the last one again', 60)
        # the retained tree: a double click on a row closes it and opens it again
        self.item(w, 'Retained rows', 'Stdlib.Digest')
        self.item(w, 'Retained rows', 'globals').click(times=2, fx=0.3)
        w.wait(lambda: row('Retained rows', 'Stdlib.Digest') == '', 'what is below globals is folded away', 30)
        self.item(w, 'Retained rows', 'C globals')
        self.item(w, 'Retained rows', 'globals').click(times=2, fx=0.6)
        self.item(w, 'Retained rows', 'Stdlib.Digest')
        # a class
        self.item(w, 'Classes', 'class Shop.visit,').click(fx=0.1)
        w.wait(lambda: [n.split(':')[0] for n in self.chosen(w, 'Classes over time')] == ['Shop.visit'], 'it stands out in the curves', 30)

    def test_components_tell_of_what_is_selected(self):
        """A click on a class, and then on a block, makes those views tell of it that come from a component that follows."""
        w = self.start(HEAP, os.path.join(ROOT, 'schemas', 'heap', 'blocks.eve'))
        self.item(w, 'Ways', 'globals')
        w.wait_for('label', re.compile('^OCaml · (saved|changed)'))     # of things alone: no tasks are counted, and no states told
        self.assertIsNone(w.find('label', re.compile('^State of tasks')))
        self.item(w, 'Classes', 'class string,').click(fx=0.1)
        string = self.item(w, 'Ways', 'string #')
        w.wait(lambda: any(n.startswith('string') for n in self.chosen(w, 'References')), 'the class is selected there too')
        number = string.name.split('#')[1].split()[0].rstrip(':,')
        string.click(fx=0.3)
        w.wait(lambda: sum(i.name.startswith('string #') for i in self.picture(w, 'Ways').children) == 1, 'one way is left')
        self.item(w, 'References', f'string #{number}')
        self.item(w, 'References', 'is referred to by')

    def test_whom_one_waits_for(self):
        """Tables of waits name whom each waits for most; a click on the name leads to that one, one elsewhere to who waits."""
        program = self.path('waits.eve')
        with open(program, 'w') as f:
            f.write("""<eve version="1"><title>Waits</title><component name="Session" class="scope.session" version="1"/>
              <component name="Reader" class="scope.otf2-reader" version="1"/><component name="Waits" class="scope.wait-states" version="3"/>
              <component name="Table" class="scope.table-view" version="1"/>
              <wire from="Session" out="commands" to="Reader" in="commands"/><wire from="Reader" out="events" to="Waits" in="events"/>
              <wire from="Waits" out="tasks" to="Table" in="table"/></eve>""")
        w = self.start(SAMPLES + '/mpi-waits.otf2', program)
        self.picture(w, 'Table')
        w.key('End')
        partner = self.item(w, 'Table', 'rank 2, mostly for ')
        whom = partner.name.removeprefix('rank 2, mostly for ')
        self.assertNotEqual(whom, 'rank 2')
        partner.click()
        w.wait(lambda: [n.split(',')[0] for n in self.chosen(w, 'Table')
                        if n.startswith('task ')] == ['task ' + whom], 'whom it waits for is selected')
        w.wait_for('label', whom)
        self.item(w, 'Table', 'task rank 2, ').click(fx=0.02)
        w.wait(lambda: [n.split(',')[0] for n in self.chosen(w, 'Table') if n.startswith('task ')] == ['task rank 2'], 'who waits is')

    def test_charts_select_and_all_views_show_it(self):
        """A click on a bar, a row or a cell selects whom it is of; with Ctrl it is selected too; the others show it."""
        blue = (0x35, 0x84, 0xe4)
        w = self.begin_charts()
        self.item(w, 'Bars', 'fft 1: ').click(fx=0.02)
        w.wait(lambda: 't40003  fft 1' in self.chosen(w, 'Space-time'), 'the row of fft 1 is selected')
        w.wait(lambda: any(n.startswith('owner fft 1,') for n in self.chosen(w, 'Table')), 'so is its row in the table')
        self.assertEqual([n.split(':')[0] for n in self.chosen(w, 'State graph')], ['fft 1'])
        self.assertTrue(w.wait_for('label', 't40003 fft 1').showing)
        # It is seen: beside the row of the diagram stands a mark in the colour of selections.
        x, y, width, height = (round(v) for v in self.item(w, 'Space-time', 't40003  fft 1').box)
        w.wait(lambda: w.colour(x - 5, y + height // 2) == blue, 'the row is marked')
        # With Ctrl, another row of the table.
        row = self.item(w, 'Table', 'owner fft 3,').at(0.3, 0.5)
        w.click(*row, keys=['ctrl'])
        w.wait(lambda: [n for n in self.chosen(w, 'Bars')] and {n.split(':')[0] for n in self.chosen(w, 'Bars')} == {'fft 1', 'fft 3'},
               'both bars are selected')
        w.wait_for('label', 't40005 fft 3 and 1 more')
        # Once more, and it is not.
        w.click(*row, keys=['ctrl'])
        w.wait(lambda: {n.split(':')[0] for n in self.chosen(w, 'Bars')} == {'fft 1'}, 'one is selected')
        # A cell is a link.
        self.item(w, 'Messages', 'fft 2 to fft 0: ').click()
        w.wait_for('label', 't40004 fft 2 \u2192 t40002 fft 0')
        w.wait(lambda: [n.split(':')[0] for n in self.chosen(w, 'State graph')] == ['fft 2 to fft 0'], 'it is selected in the graph')
        self.assertEqual(self.chosen(w, 'Bars'), [])
        w.key('Escape', 'Escape')  # the card, then the selection
        w.wait(lambda: not self.chosen(w, 'Messages'), 'nothing is selected')

    def test_a_message_is_an_object(self):
        """A click on a line between two rows selects that message: what it is is told, with what a component adds, and one goes
        to where it was sent and received."""
        w = self.start(SAMPLES + '/farm.trace', os.path.join(ROOT, 'schemas', 'messages', 'vector-clocks.eve'))
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.key('End')

        def lines():
            """Pixels between two rows where something is drawn."""
            first, second = (self.item(w, 'Space-time', 't4000%d' % i) for i in (2, 3))    # rows move as the picture gets its size
            x, y, width, height = (round(v) for v in first.box)
            middle = (y + height + round(second.box[1])) // 2
            paper = w.colour(x + 2, middle)
            return [(x + i, middle) for i in range(width // 4, width - 4) if sum(abs(a - b) for a, b in zip(w.colour(x + i, middle), paper)) > 60]
        places = w.wait(lines, 'messages are drawn', 60)
        title = None
        for at in places[::max(len(places) // 12, 1)]:
            w.click(*at)
            try:
                title = w.wait_for('label', re.compile('^Message t4000. '), 3)
                break
            except AssertionError:
                continue
        self.assertIsNotNone(title, 'no message was selected')
        fact = lambda name: w.wait_for('label', name).description                                                # noqa: E731
        self.assertTrue(fact('Sent') and fact('Received') and fact('Under way') and fact('Size'))
        self.assertIn(fact('Tag'), ('1', '2', '3'))
        self.assertRegex(fact('Could have come instead'), 'worker|nothing')
        self.assertIn(fact('From').split()[0], title.name)
        # Where it was sent and received, as the file has it.
        sends, ends = set(), set()
        with open(os.path.join(SAMPLES, 'farm.trace', 'farm.tapepvm', 'events')) as f:
            for words in (line.split() for line in f if line[0] != '#'):
                if words[0] == '60':
                    sends.add(int(words[1]))
                elif words[0] == '62':
                    ends.add(int(words[1]) + int(words[3]))
        slider = w.wait_for('slider', 'Time')
        near = lambda dates: any(abs(slider.value * 1e9 - d) < 20 for d in dates)                                # noqa: E731
        w.wait_for('push button', 'Go to where it was sent').click()
        w.wait(lambda: near(sends), 'it is where a message was sent')
        sent = slider.value
        w.wait_for('push button', 'Go to where it was received').click()
        w.wait(lambda: near(ends) and slider.value > sent, 'and then where one was received')

    def test_states_are_selected_in_the_legend_of_a_view(self):
        busy, idle = (0x2a, 0x9d, 0x6f), (0x8f, 0xb8, 0xde)
        w = self.start(TRACE)
        x, y, width, height = (round(v) for v in self.item(w, 'Space-time', 't40002').box)

        def has(colour):
            """Whether the first row has it."""
            return any(w.colour(x + i, y + height // 2) == colour for i in range(0, width, 2))
        w.wait(lambda: has(busy) and has(idle), 'both states are seen', 60)
        self.item(w, 'Space-time', 'Idle: ').click()
        w.wait(lambda: has(idle) and not has(busy), 'Busy stands back')
        w.key('Escape', 'Escape')  # the card, then the selection
        w.wait(lambda: has(busy), 'and is back')

    def test_what_is_pointed_at_is_framed_in_all_views(self):
        w = self.begin_charts()

        def framed():
            x, y, width, height = (round(v) for v in self.item(w, 'Bars', 'fft 2: ').box)
            return any(b - r > 60 for r, _, b in (w.colour(x + width // 2, y + i) for i in range(-4, 3)))
        self.assertFalse(framed())
        w.settle()
        for fx in (0.4, 0.45, 0.5):  # a pointer that moves, as a person's does
            self.item(w, 'Space-time', 't40004  fft 2').hover(fx=fx, fy=0.5)
        w.wait(framed, 'the bar of the same task is framed')
        self.picture(w, 'Space-time').hover(fx=0.5, fy=0.99)
        w.wait(lambda: not framed(), 'no longer')


if __name__ == '__main__':
    main()
