# SPDX-License-Identifier: Apache-2.0
"""Panels: sliders, switches, fields and buttons as sources, live values of a component, several of them on one pane."""
import csv
import io
import os
import re
import subprocess

from harness import SAMPLES, SCOPE, Case, main

TRACE = os.path.join(SAMPLES, 'fft2d-s4.trace')
PROGRAM = '''<eve version="1"><title>Panels</title>
  <component name="Session" class="scope.session" version="1" x="40" y="40"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1" x="264" y="40"/>
  <component name="Overhead" class="scope.communication-overhead" version="1" x="488" y="40">
    <setting name="sampling">receives</setting></component>
  <component name="Limit" class="scope.slider" version="1" x="40" y="200"><setting name="label">Too much</setting></component>
  <component name="Above" class="scope.comparison" version="1" x="264" y="200"><setting name="relation">&gt;=</setting></component>
  <component name="Counting" class="scope.on-off" version="1" x="488" y="200"/>
  <component name="Back" class="scope.button" version="1" x="712" y="200"><setting name="order">go 0</setting></component>
  <component name="Numbers" class="scope.text-field" version="1" x="712" y="300"/>
  <component name="Panel" class="scope.panel" version="1" x="40" y="300"><setting name="boxes">Overhead, Limit, Counting, Back, Numbers</setting></component>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Reader" out="events" to="Overhead" in="events"/>
  <wire from="Overhead" out="overhead" to="Above" in="a"/>
  <wire from="Overhead" out="overhead" to="Limit" in="each"/>
  <wire from="Limit" out="out" to="Above" in="b"/>
</eve>'''


class Panel(Case):
    def opened(self):
        self.file = self.path('panel.eve')
        with open(self.file, 'w') as f:
            f.write(PROGRAM)
        w = self.start(TRACE, self.file)
        w.wait_for(None, 'Controls of Panel', 30)
        return w

    def controls(self, w):
        return w.find(None, 'Controls of Panel')

    def saved(self, w, what):
        def there():
            with open(self.file) as f:
                return what in f.read()
        w.key('ctrl+s')
        w.wait(there, f'the program holds {what}')

    def value(self, w, what):
        return next((i.name for i in self.controls(w).find_all('label') if i.description == what), None)

    def test_controls(self):
        w = self.opened()
        field = lambda name: w.wait(lambda: next((i for i in self.controls(w).find_all(None, name)    # noqa: E731
                                                  if i.role in ('text', 'check box')), None), name)
        slider = w.wait(lambda: self.controls(w).find('slider'), 'there is a slider')
        w.drag(*slider.at(), *slider.at(0.01))
        w.wait(lambda: float(field('Too much').text) < 10, 'near its left end')
        slider.click(fx=0.88)
        w.wait(lambda: float(field('Too much').text) > 80, 'near its right end')
        self.assertEqual(float(field('Too much').text) % 1, 0, 'it stops at its steps')
        self.saved(w, f'<setting name="value">{field("Too much").text}</setting>')
        field('Too much').type('250')           # beyond its end: the field takes it, the slider stands at its end
        w.key('Return')
        self.saved(w, '<setting name="value">250</setting>')
        field('Counting').click()
        self.saved(w, '<setting name="on">true</setting>')
        field('Numbers').type('one')
        w.key('Return')
        self.saved(w, '<setting name="value">one</setting>')

    def test_values_and_button(self):
        w = self.opened()
        w.find('slider', 'Time').click(fx=0.5, fy=0.35)
        w.wait(lambda: (self.value(w, 'Receives') or '–') not in ('–', '0'), 'values of the instant', 30)
        w.key('End')
        text = subprocess.run([SCOPE, 'draw', TRACE, '--program', self.file, '--view', 'Panel', '-o', self.path('p.csv')],
                              capture_output=True, text=True)
        self.assertEqual(text.returncode, 0, text.stderr)
        with open(self.path('p.csv'), newline='') as f:
            rows = list(csv.reader(io.StringIO(f.read())))
        wanted = {r[1]: r[2] for r in rows if r[0] == 'Overhead'}
        self.assertGreater(int(wanted['Receives']), 50)
        for name in ('Overhead', 'Least', 'Most', 'Trend', 'Sends', 'Receives', 'Under way', 'Phases', 'Samples'):
            w.wait(lambda n=name: self.value(w, n) == wanted[n], f'{name} is {wanted[name]}', 30)
        self.controls(w).find('push button', 'Back').click()
        w.wait(lambda: re.search('event [01] of ', w.find('status bar').name), 'it is at the beginning', 30)
        self.saved(w, '<setting name="presses">1</setting>')

    def test_a_box_goes_and_another_name_comes(self):
        w = self.opened()
        w.wait(lambda: self.controls(w).find('push button', 'Back'), 'a button')
        w.find('canvas', 'Program').find('panel', 'Back').click()
        w.key('Delete')
        w.wait(lambda: self.controls(w).find('label', 'There is no box Back'), 'it is told')
        w.key('ctrl+z')
        w.wait(lambda: self.controls(w).find('push button', 'Back'), 'it is there again')


if __name__ == '__main__':
    main()
