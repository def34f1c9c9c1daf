# SPDX-License-Identifier: Apache-2.0
"""A watched program, received and shown while it runs: what comes is in the tables, a break point stops the view alone, a
value is soon a pixel.

`test_live_values.py LiveValues.test_a_value_is_soon_a_pixel` prints figures; SCOPE_LATENCY=N measures N values of each sort."""
import json
import mmap
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import threading
import time
import unittest

from harness import PATIENCE, ROOT, SCOPE, main, session, xdo
from watched import VIEWS, Watched, o

sys.path.insert(0, os.path.join(ROOT, 'tests', 'viz'))
import wire                                                                                       # noqa: E402

DRIVE = os.path.join(os.path.dirname(SCOPE), '..', 'tests', 'viz', 'viz-drive')


class LiveValues(Watched):
    def test_follows_and_stops_at_a_break_point(self):
        self.w = w = self.begin()
        w.wait_for('push button', 'Follow', 30)
        self.follows()
        self.client.sendall(o.send(31, o.integer(2)) + o.send(30, o.integer(1)) + o.send(2, o.real(6)))
        w.wait(lambda: not self.status().startswith('Following'), 'the view stops', 30)
        w.wait(lambda: 'break point' in w.tree(), 'that is told')
        self.client.sendall(o.send(31, o.integer(77)) + o.send(2, o.real(7)))
        w.key('l')
        w.wait(lambda: self.status().startswith('Following'), 'it goes along again')
        if os.environ.get('SCOPE_GUI_OUT'):
            w.screenshot(os.path.join(os.environ['SCOPE_GUI_OUT'], 'live-values.png'))
        self.client.close()
        w.wait(lambda: not w.find('push button', 'Follow'), 'the program has ended')
        self.assertEqual(self.recorder.wait(20), 0)
        state = json.loads(subprocess.run([SCOPE, 'state', self.bundle, '--at', '1000', '--json'], check=True,
                                          stdout=subprocess.PIPE, env=session().env).stdout)
        self.assertEqual([n['Count'] for n in state['nodes'] if n['Name'] == 'ticks'], ['77'])

    def test_pause_and_going_on(self):
        """While the view pauses the recording goes on; it goes on from where it stands, or from now."""
        self.w = w = self.begin()
        self.follows()
        w.wait_for('list item', 'Count of ticks: 1')
        w.key('space')
        w.wait(lambda: not self.status().startswith('Following'), 'it pauses')
        for i in range(2, 6):
            self.client.sendall(o.send(31, o.integer(i)) + o.send(3, o.log([(float(i), b'needle %d' % i)])) + o.send(2, o.real(5.0 + i)))
        records = os.path.join(self.bundle, 'watched.values', 'records')
        before = os.path.getsize(records)
        self.client.sendall(o.send(31, o.integer(6)) + o.send(2, o.real(11)))
        w.wait(lambda: os.path.getsize(records) > before, 'the recording goes on')
        w.settle()
        w.wait_for('list item', 'Count of ticks: 1')        # the view stands where it was
        w.key('space')                                      # from the shifted date on
        w.wait_for('list item', 'Count of ticks: 6')
        w.key('l')
        w.wait(lambda: self.status().startswith('Following'), 'it goes along again')
        self.client.sendall(o.send(31, o.integer(7)) + o.send(2, o.real(12)))
        w.wait_for('list item', 'Count of ticks: 7')
        w.wait_for('drawing area', 'Picture of Log').click()
        w.key('ctrl+f')                                     # the log is searched
        w.type('needle 4\n')
        lines = subprocess.run([SCOPE, 'events', self.bundle, '--json'], check=True, stdout=subprocess.PIPE, env=session().env).stdout.splitlines()
        w.wait_for('label', f"event {next(i for i, line in enumerate(lines, 1) if b'needle 4' in line)}")

    def test_a_program_that_waits_is_let_go_on(self):
        """It is told that somebody looks on, waits, and is let go on by the button, and by following again."""
        self.w = w = self.begin('--hold', listens_to_orders=True)
        self.follows()
        self.assertEqual(self.heard(7), o.message(b'\x80\1\1'))
        self.client.sendall(o.send(30, o.integer(1)) + o.send(2, o.real(6)))
        w.wait_for('push button', 'Let It Go On').click()
        self.assertEqual(self.heard(13), o.message(b'\x85' + bytes(8)))
        w.wait_gone('push button', 'Let It Go On')
        w.key('l')
        w.wait(lambda: self.status().startswith('Following'), 'it goes along again')
        self.client.sendall(o.send(30, o.integer(2)) + o.send(2, o.real(7)))
        w.wait_for('push button', 'Let It Go On')
        w.key('l')
        self.assertEqual(self.heard(13), o.message(b'\x85' + bytes(8)))
        w.wait_gone('push button', 'Let It Go On')

    def test_silence_offers_to_connect_again(self):
        self.w = w = self.begin()
        self.follows()
        w.wait(lambda: re.search(r'no data for 3\ss', self.status()), 'it is silent')
        again = threading.Thread(target=lambda: setattr(self, 'second', self.listens.accept()[0]), daemon=True)
        again.start()
        offer = w.wait_for('push button', 'Connect Again')
        if os.environ.get('SCOPE_GUI_OUT'):
            w.screenshot(os.path.join(os.environ['SCOPE_GUI_OUT'], 'live-silent.png'))
        offer.click()
        again.join(20)
        self.addCleanup(self.second.close)
        self.second.sendall(o.declare(31, o.POINT, b'ticks') + o.send(31, o.integer(5)) + o.send(2, o.real(8)))
        w.wait_for('list item', 'Count of ticks: 5')
        w.wait_gone('push button', 'Connect Again')
        self.assertEqual(self.client.recv(1), b'')       # the first connection was given up

    # ---- curves of what a table shows --------------------------------------------------------------------------------------
    def test_a_number_becomes_a_curve(self):
        """A double click on a number makes its curve; another one is dropped on it; of another unit it is refused."""
        self.w = w = self.begin()
        self.follows()
        self.client.sendall(o.declare(32, o.POINT, b'tocks') + o.send(32, o.integer(5))
                            + o.send(32, b'\7') + o.send(2, o.real(5.5)))
        w.wait_for('list item', re.compile('^task tocks, .*State Killed'))
        w.wait_for('list item', 'Count of ticks: 1').click()
        w.wait_for('list item', re.compile('^task ticks, '))
        w.wait_for('list item', 'Count of ticks: 1').hover(0.6)
        w.wait(lambda: any('As a curve\tdouble click, or Enter' in p.description for p in w.find_all('drawing area')), 'how it becomes a curve is told')
        w.key('Return')                             # as a double click does
        chart = w.wait_for('drawing area', 'Picture of Count of ticks')
        self.assertTrue(w.find('push button', 'Undo').state('sensitive'))
        w.wait(lambda: self.status().startswith('Following'), 'it goes along after the change')
        w.wait_gone('label', re.compile('before the change'))
        self.client.sendall(o.send(31, o.integer(2)) + o.send(2, o.real(6)))
        w.wait_for('list item', 'Count of ticks: 2')
        w.wait_for('list item', re.compile('ticks: 2 values from 1 to 2'))
        w.settle()
        w.wait_for('list item', 'Count of tocks: 5').drag_to(chart)
        w.wait_for('list item', re.compile('tocks: 1 value'))
        w.settle()
        if os.environ.get('SCOPE_GUI_OUT'):
            w.screenshot(os.path.join(os.environ['SCOPE_GUI_OUT'], 'live-curve.png'))
        w.wait_for('list item', re.compile('^Living of queue: ')).drag_to(chart)
        w.wait_for('list item', re.compile('^Living of queue: [0-9]+ values?'))
        w.wait_for('list item', re.compile('^MaxLiving of queue: ')).drag_to(chart)
        w.wait_for('list item', re.compile('^MaxLiving of queue: [0-9]+ values?'))
        w.settle()
        w.wait_for('list item', re.compile('^Time of sorting: ')).drag_to(chart)
        w.wait(lambda: 'a curve has one scale' in w.tree(), 'that is refused')
        x, y = w.wait_for('list item', 'Count of ticks: 2').at()
        w.click(x, y, button=3)
        w.wait_for('menu item', 'Show in a List').click()
        w.wait_for('drawing area', 'Picture of Count of ticks: Value panel')
        w.settle()
        w.key('ctrl+z')
        w.wait_gone('drawing area', 'Picture of Count of ticks: Value panel')

    # ---- the original's window ---------------------------------------------------------------------------------------------
    @unittest.skipUnless(shutil.which('ocamlviz-gui'), 'ocamlviz-gui (Debian: ocamlviz) is not installed')
    def test_the_original_client_takes_what_the_library_sends(self):
        """All kinds, what was killed and what was collected: it goes on, and each of its seven pages can be turned to."""
        program = wire.Program(DRIVE, OCAMLVIZ_PERIOD='0.05')
        self.addCleanup(program.end)
        kinds = ('point', 'time', 'int', 'float', 'bool', 'string', 'tag', 'hash', 'tree')
        item = {kind: program.new('new', kind, 'my ' + kind) for kind in kinds}
        client = subprocess.Popen(['ocamlviz-gui', '-server', '127.0.0.1', '-port', program.where().split(':')[1]], env=session().env,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            self.assertEqual(program.do('wait', 1, 20000), '1')
            for order in (('hit', 'point', 3), ('int', 'int', -5), ('float', 'float', 2.5), ('bool', 'bool', 1), ('string', 'string', 'x'),
                          ('add', 'tag', 4096), ('hash', 'hash', 17, 5, 13, 2), ('tree', 'tree', 'leaf;root:0,0'), ('kill', 'int'), ('gone', 'string')):
                program.do(order[0], item[order[1]], *order[2:])
            program.do('log', 'a line')
            program.do('now')
            shown = self.window_of(client)
            for _ in range(6):          # it begins with the last page
                before = self.picture()
                xdo('key', '--window', shown, 'ctrl+Page_Up')
                self.until(lambda: self.picture() != before, 'its page is another')
            self.assertEqual((client.poll(), program.do('clients')), (None, '1'))
        finally:
            client.kill()
            said = client.communicate()[1]
        self.assertNotRegex(said, 'ssert|xception|Failure')

    def until(self, condition, what):
        end = time.monotonic() + 20 * PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, 'not in time: ' + what)
            time.sleep(0.02)

    def window_of(self, process):
        found = []

        def there():
            found[:] = subprocess.run(['xdotool', 'search', '--onlyvisible', '--pid', str(process.pid)], env=session().env, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True).stdout.split()
            return found
        self.until(there, 'its window is there')
        xdo('windowfocus', '--sync', found[-1])
        return found[-1]

    @staticmethod
    def picture():
        screen = session().screen()
        screen.file.seek(screen.begin)
        return screen.file.read(screen.line * screen.height)

    # ---- how soon ---------------------------------------------------------------------------------------------------------
    def cell(self, row, column):
        """Where the value of a row of a table is on the screen."""
        x, _, width, _ = self.w.wait_for('list item', 'column ' + column).box
        _, y, _, height = self.w.wait_for('list item', re.compile('^task ' + row + ',')).box
        return x, y, width, height

    @staticmethod
    def look(screen, begin, line, box):
        x, y, width, height = box
        return b''.join(screen[begin + i * line + 4 * x:begin + i * line + 4 * (x + width)] for i in range(y, y + height))

    def delays(self, program, item, n, at_once, box):
        """Seconds from setting values until the pixels of their cell are others."""
        with open(os.path.join(session().home, 'Xvfb_screen0'), 'rb') as f:
            screen = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
        head = struct.unpack('>25I', screen[:100])
        begin, line = head[0] + head[19] * 12, head[12]
        r, took = random.Random(n), []
        for i in range(n):
            time.sleep(0.15 + r.random() / 10)      # at any instant of the program's period
            before, began = self.look(screen, begin, line, box), time.monotonic()
            program.do('int', item, 1111111 * (1 + i % 9))
            if at_once:
                program.do('now')
            shown, changed = before, began
            while shown == before or time.monotonic() - changed < 0.08:     # what is seen on the way is not it
                now = self.look(screen, begin, line, box)
                if now != shown:
                    shown, changed = now, time.monotonic()
                self.assertLess(time.monotonic() - began, 30 * PATIENCE, 'the value is not shown')
                time.sleep(0.0005)
            took.append(changed - began)
        return sorted(took)

    def test_a_value_is_soon_a_pixel(self):
        n = int(os.environ.get('SCOPE_LATENCY', '25'))
        program = wire.Program(DRIVE, 'unix:' + os.path.join(self.folder, 'socket'))
        self.addCleanup(program.end)
        for kind in ('point', 'time', 'tag', 'string', 'float'):
            program.new('new', kind, kind)
        item = program.new('new', 'int', 'latency')
        program.do('int', item, 5555555)
        self.bundle = os.path.join(self.folder, 'latency.trace')
        self.recorder = subprocess.Popen([SCOPE, 'live', program.where(), '-o', self.bundle], env=session().env, stderr=subprocess.DEVNULL)
        self.addCleanup(self.recorder.kill)
        program.do('wait', 1, 10000)
        self.w = w = self.start('--follow', self.bundle, VIEWS)
        self.follows()
        box = self.cell('latency', 'Value')
        for at_once, aim in ((False, 150), (True, 30)):
            took = self.delays(program, item, n, at_once, box)
            middle, late = 1000 * statistics.median(took), 1000 * took[min(n - 1, int(0.95 * n))]
            print(f'{"sent at once" if at_once else "default period"}: a value is a pixel after {middle:.0f} ms, 95 of 100 within '
                  f'{late:.0f} ms, the last after {1000 * took[-1]:.0f} ms; aim {aim} ms')
            self.assertLess(middle, aim * 20 * PATIENCE)     # what others do takes its time; what it is on a quiet machine, is printed


if __name__ == '__main__':
    main()
