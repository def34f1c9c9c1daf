# SPDX-License-Identifier: Apache-2.0
"""Outside tools that get data of an execution and answer with data: what they answer is selected, or a table of the program."""
import csv
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

from harness import SAMPLES, SCOPE, Case, main, session

TRACE = SAMPLES + '/fft2d-s16.trace'
BUSY = '''import csv, os, sys
rows = list(csv.DictReader(sys.stdin))
total = {}
for r in rows:
    if r['kind'] == 'state' and r['state'] == 'Busy':
        total[r['task']] = total.get(r['task'], 0) + float(r['to [s]']) - float(r['from [s]'])
print('task,busy [s]')
for t in sorted(total):
    print(f'{t},{total[t]:.6f}')
assert os.environ['SCOPE_TRACE'].endswith('fft2d-s16.trace') and float(os.environ['SCOPE_AT']) >= 0 and os.environ['SCOPE_DATA'] == 'text/csv'
'''


class Ask(Case):
    def tool(self, text, name='tool.py'):
        with open(self.path(name), 'w') as f:
            f.write(text)
        return f'{sys.executable} {self.path(name)}'

    def opened(self, *words, **more):
        w = self.start(TRACE, *words, **more)
        w.wait_for('drawing area', 'Picture of Space-time', 40)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        return w

    def ask(self, w, command, give=None):
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('Ask a tool')
        w.wait(lambda: (w.find('list box', 'Found') or w).children and re.match('Ask a tool', w.find('list box', 'Found').children[0].name), 'it is found')
        w.key('Return')
        w.wait(lambda: w.find('text', 'Command') and w.find('text', 'Command').state('focused'), 'the command is asked for')
        if give:
            w.find('combo box', 'Give it').click()
            w.wait_for('menu item', give).click()
            w.wait_gone('menu item', give)
            w.find('text', 'Command').click()
        w.wait(lambda: w.find('text', 'Command').state('focused') or w.find('text', 'Command').click(), 'one can type')
        w.key('ctrl+a')
        w.type(command)
        w.key('Return')
        w.wait_gone('text', 'Command')

    def said(self, w, words):
        return w.wait(lambda: next((i for i in w.find_all('label') if re.search(words, i.name or i.text)), None), f'it is said: {words}', 30)

    def test_table_comes_back(self):
        w = self.opened()
        self.ask(w, self.tool(BUSY), 'The table of Space-time')
        self.said(w, 'has answered: it is in Answer')
        picture = w.wait(lambda: next((i for i in w.find_all('drawing area', re.compile('^Picture of Answer of'))), None), 'a view shows it', 30)
        w.wait(lambda: any('busy' in i.name for i in picture.children) or w.key('End'), 'it has the column', 30)
        # The numbers are those of a second computation, from what the command line writes, and the saved program keeps them.
        w.key('ctrl+shift+s')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(self.path('mine.eve'))
        w.key('Return')
        w.wait(lambda: os.path.exists(self.path('mine.eve')), 'the program is saved')
        kept = next(s.text for c in ET.parse(self.path('mine.eve')).iter('component') if c.get('class') == 'scope.answer'
                    for s in c.iter('setting') if s.get('name') == 'answer')
        subprocess.run([SCOPE, 'draw', TRACE, '--view', 'Space-time', '-o', self.path('all.csv')], check=True, capture_output=True, env=session().env)
        busy = {}
        with open(self.path('all.csv')) as f:
            for r in csv.DictReader(f):
                if r['kind'] == 'state' and r['state'] == 'Busy':
                    busy[r['task']] = busy.get(r['task'], 0) + float(r['to [s]']) - float(r['from [s]'])
        answered = {r['task']: float(r['busy [s]']) for r in csv.DictReader(kept.splitlines())}
        self.assertEqual(sorted(answered), sorted(busy))
        for task in busy:
            self.assertAlmostEqual(answered[task], busy[task], places=5)
        # Asked again it takes the place of what was there; undone, that is back.
        self.ask(w, self.tool("print('7.5')"))
        self.said(w, 'has answered: it is in Answer')
        w.wait(lambda: any('7.5' in i.name for i in picture.children), 'the number is shown', 30)
        w.key('ctrl+z')
        w.wait(lambda: any('busy' in i.name for i in picture.children), 'undone', 30)

    def test_selection(self):
        w = self.opened()
        self.ask(w, self.tool("print('task'); print('t40003'); print('t40005'); print('t77')"))
        self.said(w, '2 are selected')
        self.said(w, 'has named 1 that there is not: t77')
        # What is selected goes to the next one, which answers with one of them.
        self.ask(w, self.tool("import csv, sys; rows = list(csv.DictReader(sys.stdin)); print('kind,name'); print('task,' + rows[1]['name'])"),
                 'What is selected')
        self.said(w, '1 is selected')
        self.said(w, '^t40005 ')

    def test_bad_tools(self):
        w = self.opened(env={'SCOPE_TOOL_SECONDS': '2'})
        self.ask(w, '/no/such/tool')
        self.said(w, 'cannot be asked')
        self.ask(w, self.tool("import sys; sys.exit('no such model')"))
        self.said(w, 'has failed: no such model$')
        self.ask(w, self.tool("import sys; sys.stdout.buffer.write(b'\\xff\\x00')"))
        self.said(w, 'something that is no text')
        self.ask(w, self.tool("print('x' * 1000000)"))
        self.said(w, 'more than 256 KiB')
        mark = self.path('children')
        self.ask(w, self.tool(f"import subprocess; p = subprocess.Popen(['sleep', '600']); open({mark!r}, 'w').write(str(p.pid)); p.wait()"))
        self.said(w, 'has not answered in time')
        with open(mark) as f:
            child = int(f.read())
        end = time.monotonic() + 20
        while os.path.exists(f'/proc/{child}') and open(f'/proc/{child}/stat').read().rsplit(')', 1)[1].split()[0] != 'Z':
            self.assertLess(time.monotonic(), end, 'what it started is ended with it')
            time.sleep(0.05)
        # Nothing is lost: the next is asked as ever.
        self.ask(w, self.tool("print('4')"))
        self.said(w, 'it is in Answer')

    def test_given_up(self):
        w = self.opened()
        self.ask(w, 'sleep 600')
        w.wait_for('push button', re.compile('Give Up')).click()
        self.said(w, 'sleep was given up')

    def test_order_of_a_program_asks(self):
        mark = self.path('was here')
        tool = self.tool(f"open({mark!r}, 'w'); print('task'); print('t40004')")
        program = self.path('order.eve')
        with open(os.path.join(os.path.dirname(SAMPLES), 'schemas', 'tapepvm', 'views.eve')) as f:
            text = f.read()
        box = ('<component name="Do it" class="scope.button" version="1" x="40" y="900"><setting name="order">ask selection | ' + tool
               + '</setting></component>')
        with open(program, 'w') as f:
            f.write(text.replace('</eve>', box + '</eve>'))
        w = self.opened(program)
        w.find('canvas', 'Program').find('panel', 'Do it').click()
        w.wait_for('push button', 'Press').click()
        w.wait_for('push button', 'Do not start it').click()
        w.wait_gone('push button', 'Do not start it')
        self.assertFalse(os.path.exists(mark))
        w.wait_for('push button', 'Press').click()
        question = w.wait_for('push button', 'Start it')
        self.assertTrue(w.find('label', re.compile('ask.*|selection')), 'the whole of it is shown')
        question.click()
        self.said(w, '1 is selected')
        os.remove(mark)
        w.wait_for('push button', 'Press').click()      # agreed to: not asked again
        w.wait(lambda: os.path.exists(mark), 'it was asked')


if __name__ == '__main__':
    main()
