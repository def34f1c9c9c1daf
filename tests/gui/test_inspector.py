# SPDX-License-Identifier: Apache-2.0
"""Inspectors that components bring themselves: live values, buttons, values to choose from."""
from harness import main
from test_editor import Editor


class Own(Editor):
    PROGRAM = '''<eve version="1"><title>Distribution</title>
      <component name="Session" class="scope.session" version="1" x="40" y="40"/>
      <component name="Reader" class="scope.tapepvm-reader" version="1" x="264" y="40"/>
      <component name="Presenter" class="scope.event-presenter" version="1" x="488" y="40">
        <setting name="field">size</setting></component>
      <component name="Histogram" class="scope.histogram" version="2" x="712" y="40">
        <setting name="fit">false</setting></component>
      <wire from="Session" out="commands" to="Reader" in="commands"/>
      <wire from="Reader" out="events" to="Presenter" in="events"/>
      <wire from="Presenter" out="value" to="Histogram" in="value"/>
    </eve>'''

    def field(self, w, name):
        return w.wait(lambda: next((i for i in w.find_all(None, name) if i.role in ('text', 'check box')), None),
                      f'there is a setting {name}')

    def value(self, w, what):
        return next((i.name for i in w.find_all('label') if i.description == what), None)

    def test_histogram(self):
        w = self.opened(self.PROGRAM)
        self.box(w, 'Histogram').click()
        self.assertEqual(self.field(w, 'to').text, '1')
        self.assertFalse(w.find('push button', 'From least to greatest').state('sensitive'), 'nothing was seen yet')
        self.assertFalse(w.find('label', 'Seen so far'))
        w.key('F4', 'space')
        w.wait_for('label', 'Seen so far', 30)
        w.wait(lambda: w.find('push button', 'From least to greatest').state('sensitive'), 'there is something to take')
        w.wait(lambda: w.find(None, 'Play') or not w.find(None, 'Pause'), 'it has come to the end', 30)
        greatest = self.value(w, 'Greatest')
        self.assertTrue(float(greatest) > 1)
        self.assertIn('above', self.value(w, 'Outside'))
        w.find('push button', 'From least to greatest').click()
        w.wait(lambda: self.field(w, 'to').text == greatest, 'the interval is taken')
        w.key('F4')
        self.undo(w)
        w.wait(lambda: self.field(w, 'to').text == '1' and self.field(w, 'from').text == '0', 'one undo for both bounds')
        self.field(w, 'Fit to the values').click()
        w.wait(lambda: not self.field(w, 'to').state('sensitive'), 'what does not matter is grey')

    def test_nothing_jumps(self):
        w = self.opened(self.PROGRAM)
        place = self.canvas(w).box
        for name in ('Histogram', 'Presenter', 'Reader', 'Session'):
            self.box(w, name).click()
            w.wait(lambda: w.find('text', 'Name of the box') and w.find('text', 'Name of the box').text == name, f'{name} is shown')
            w.settle()
            self.assertEqual(self.canvas(w).box, place, f'the side is as wide with {name}')

    def test_values_to_choose_from(self):
        w = self.opened(self.PROGRAM)
        self.box(w, 'Presenter').click()
        field = self.field(w, 'kind')
        w.find('combo box', 'Values of kind').click(fx=0.95)
        items = w.wait(lambda: [i.name for i in w.find('combo box', 'Values of kind').find_all('menu item')], 'kinds are offered')
        self.assertIn('Recv', items)
        w.key('Down', 'Return')
        chosen = w.wait(lambda: self.field(w, 'kind').text, 'a kind is chosen')
        self.assertIn(chosen, items)
        w.key('F4', 'ctrl+s')
        w.wait(lambda: f'<setting name="kind">{chosen}</setting>' in open(self.file).read(), 'it is set')
        field.type('Send, Recv')        # what is not in the list can be typed
        w.key('Return', 'ctrl+s')
        w.wait(lambda: '<setting name="kind">Send, Recv</setting>' in open(self.file).read(), 'typed')

    def test_several_of_them(self):
        w = self.opened(self.PROGRAM.replace('<wire from="Session"', '<component name="Other" class="scope.histogram" version="1" '
                                             'x="712" y="240"/><wire from="Session"'))
        self.box(w, 'Histogram').click()
        x, y = self.box(w, 'Other').at()
        w.click(x, y, keys=['shift'])
        w.wait_for('label', '2 × Histogram')
        self.field(w, 'bins').type('7')
        w.key('Return', 'ctrl+s')
        w.wait(lambda: open(self.file).read().count('<setting name="bins">7</setting>') == 2, 'settings alone, of both')


if __name__ == '__main__':
    main()
