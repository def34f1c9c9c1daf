# SPDX-License-Identifier: Apache-2.0
"""The program that opens by itself on a watched program, view by view: what it shows is what a second computation finds in
the bytes that were sent, at the newest instant and at others."""
import os
import re
import struct
import subprocess
import threading
import unicodedata

from harness import SCOPE, main, session
from watched import VIEWS, Watched, o

BATCHES = 26
UNITS = {'': 1, '%': 1, 'ns': 1e-9, 'µs': 1e-6, 'ms': 1e-3, 's': 1, 'B': 1, 'kB': 1e3, 'MB': 1e6, 'GB': 1e9}
TABLES = {
    'Points and times': ((o.POINT, o.TIME), ('Count', 'Time', 'TimeShare', 'LastChange', 'Rate', 'State')),
    'Integers': ((o.INT,), ('Integer', 'LastChange', 'Rate', 'Changes', 'State')),
    'Floats': ((o.FLOAT,), ('Float', 'LastChange', 'Rate', 'Changes', 'State')),
    'Booleans and texts': ((o.BOOL, o.STRING), ('Value', 'LastChange', 'Changes', 'State')),
    'Tags': ((o.TAG_COUNT,), ('Living', 'MaxLiving', 'Size', 'MaxSize', 'SizeShare', 'MaxLivingAt', 'MaxSizeAt', 'State')),
    'Hash tables': ((o.HASH,), ('Elements', 'FillingRate', 'LongestBucket', 'MeanBucket', 'EmptyBuckets', 'ArraySize', 'LastChange', 'State')),
}
MOST = {'MaxLiving': 'Living', 'MaxSize': 'Size', 'HeapMax': 'HeapTotal'}


def close(text):
    return ''.join(c for c in text if unicodedata.category(c) != 'Zs').replace('\u2212', '-').replace(',', '')


def number(text):
    """What a cell says, as a number; None: nothing."""
    text = close(text).replace('∞', 'inf').replace(',', '')
    if text in ('–', 'notanumber'):
        return None if text == '–' else float('nan')
    m = re.match(r'(-?(?:[\d.]+(?:e[+-]?\d+)?|inf))(.*)$', text)
    assert m, text
    return float(m[1]) * UNITS.get(m[2], 1)


def half_a_digit(text):
    """How far a number may be from what a cell says of it: half of the last digit."""
    m = re.match(r'-?\d*(?:\.(\d+))?(?:e([+-]?\d+))?(.*)$', close(text).replace(',', ''))
    return 0.501 * 10.0 ** (int(m[2] or 0) - len(m[1] or '')) * UNITS.get(m[3], 1)


class Tabs(Watched):
    def rows(self, view, columns):
        """By name: the columns of each row, as the window tells them."""
        picture = self.w.find('drawing area', 'Picture of ' + view)
        line = re.compile('^task (.*?), ' + ', '.join(f'{c} (?P<{c}>.*?)' for c in columns) + '$', re.DOTALL)
        found = [line.match(i.name) for i in (picture.children if picture else ())]
        return {m[1]: m.groupdict() for m in found if m}

    def differs(self, cell, column, thing, program):
        """Why a cell is not what it should be; None: it is."""
        wanted = (thing.most.get(MOST[column]) if column in MOST else thing.most_at.get(MOST[column[:-2]]) if column[:-2] in MOST
                  else thing.value(column))
        if column == 'State':
            wanted = 'Killed' if thing.killed else 'Collected' if thing.collected else 'Active'
        elif column == 'Value':
            v = thing.value('String') if thing.kind == o.STRING else thing.value('Boolean')
            wanted = v.decode('utf-8', 'replace')[:20] if isinstance(v, bytes) else 'true' if v else 'false'
            cell = cell[:len(wanted)]
        if isinstance(wanted, str):
            return None if cell == wanted else (cell, wanted)
        if isinstance(wanted, int) and column in ('Count', 'Integer', 'Elements', 'ArraySize', 'EmptyBuckets', 'LongestBucket', 'Living', 'MaxLiving'):
            return None if close(cell) == str(wanted) else (cell, wanted)
        if column == 'Changes':
            wanted = thing.changes
        elif column == 'LastChange':
            wanted = thing.last_change
        elif column == 'TimeShare':
            wanted = 100 * thing.value('Time') / program.value('ProcessorTime') if 'Time' in thing.values and program.value('ProcessorTime') else None
        elif column == 'SizeShare':
            wanted = 100 * thing.value('Size') / program.value('HeapTotal') if program.value('HeapTotal') else None
        elif column == 'FillingRate':
            array, empty = thing.value('ArraySize'), thing.value('EmptyBuckets')
            wanted = 100 * (array - empty) / array if array else None
        elif column == 'MeanBucket':
            full = thing.value('ArraySize') - thing.value('EmptyBuckets')
            wanted = thing.value('Elements') / full if full > 0 else 0
        elif column == 'Rate':
            return None
        shown = number(cell)
        if wanted is None or shown is None:
            return None if wanted is None and shown is None else (cell, wanted)
        same = wanted != wanted and shown != shown or wanted == shown or abs(shown - wanted) <= half_a_digit(cell)
        return None if same else (cell, wanted)

    def problems(self, model):
        for view, (kinds, columns) in TABLES.items():
            rows = self.rows(view, columns)
            for thing in model.things:
                if thing.kind not in kinds or not thing.values:
                    continue
                name = thing.name.decode('utf-8', 'replace').replace('\0', '\ufffd')
                if name not in rows:
                    yield view, name, 'has no row'
                for column, cell in rows.get(name, {}).items():
                    why = self.differs(cell, column, thing, model.program)
                    if why:
                        yield view, name, column, why
        programs = self.rows('Programs', ('State', 'HeapTotal', 'HeapMax', 'HeapMaxAt', 'HeapAlive', 'ProcessorTime'))
        for cells in programs.values():
            for column, cell in cells.items():
                why = self.differs(cell, column, model.program, model.program) if column != 'State' else None
                if why:
                    yield 'Programs', column, why
        if not programs:
            yield 'Programs', 'no row'

    def shows(self, model, what):
        last = []

        def right():
            last[:] = list(self.problems(model))
            return not last
        try:
            self.w.wait(right, what, 20)
        except AssertionError as e:
            raise AssertionError(f'{e}\n{last}') from None

    def has_colour(self, row, wanted):
        """The name of a row is written in a colour, of which `wanted` is the part that stands out: 0 red, 1 green."""
        x, y, width, height = self.w.wait_for('list item', re.compile(f'^task {row},')).box
        found = 0
        for i in range(x, x + min(width, 80)):
            for k in range(y, y + height):
                c = self.w.colour(i, k)
                found += all(c[wanted] > c[part] + 40 for part in range(3) if part != wanted)
        return found > 10

    def goes_on(self, clock):
        """The program says that it is there, each second: nobody is told of silence."""
        while not self.over.wait(1):
            self.client.sendall(o.send(2, o.real(clock)))

    def test_each_view(self):
        data = o.made(7, BATCHES) + o.declare(40, o.TREE, b'other tree') + o.send(40, o.tree([(b'x', []), (b'root of other', [0])]))
        end = o.Model(data).end + 1
        data += o.send(2, o.real(end))
        model = o.Model(data)
        self.w = w = self.begin('--clock', 'cpu', data=data)
        self.over = threading.Event()
        speaks = threading.Thread(target=self.goes_on, args=(end,))
        speaks.start()
        self.addCleanup(speaks.join)
        self.addCleanup(self.over.set)
        self.follows()
        self.shows(model, 'the newest instant is shown')
        # what was killed is red, what was collected green
        w.wait(lambda: self.has_colour('killed', 0), 'killed is red')
        w.wait(lambda: self.has_colour('weak', 1), 'weak is green')
        # the memory over time: each value that was sent
        sent, at = [], 0
        while at < len(data):
            n = struct.unpack_from('<i', data, at)[0]
            if data[at + 4:at + 7] == b'\1\0\0':
                sent.append(o.value_of(data[at + 7:at + 4 + n])[1])
            at += 4 + n
        curve = w.wait_for('list item', re.compile(f'^HeapTotal of .*: {len(set(sent))} values from '))
        least, most = re.search('from (.*) to (.*)$', curve.name).groups()
        for shown, wanted in ((least, min(sent)), (most, max(sent))):
            self.assertLessEqual(abs(number(shown) - wanted), half_a_digit(shown), curve.name)
        # the log: its newest lines
        lines = [line.decode() for thing in model.things for _, line in thing.lines]
        log = w.find('drawing area', 'Picture of Log')
        w.wait(lambda: [i.name for i in log.children][-3:] == lines[-3:], 'the log has its newest lines')
        self.trees()
        # other instants, in the past
        for share in (0.31, 0.72):
            at = round(share * (end - 1), 6)
            w.key('g')
            entry = w.wait_for('text', 'Go to')
            w.wait(lambda e=entry: e.state('focused'), 'it takes what is typed')
            entry.type(f'{at:.6f}')
            w.wait(lambda e=entry, t=f'{at:.6f}': e.text == t, 'the date is typed')
            w.key('Return')
            w.wait_gone('text', 'Go to')
            self.shows(o.Model(data, at), f'the instant {at} is shown')
        # and on: what comes later is shown when it follows again
        w.key('l')
        self.over.set()
        self.client.sendall(o.send(5, o.integer(123456)) + o.send(2, o.real(end + 1)))
        self.shows(o.Model(data + o.send(5, o.integer(123456)) + o.send(2, o.real(end + 1))), 'it goes along again')

    def trees(self):
        """One of several is chosen, and its sharing undone; both can be undone."""
        w = self.w
        shown = lambda: [i.name for i in w.find('drawing area', 'Picture of Tree').children if 'children' in i.name]    # noqa: E731
        w.wait(lambda: len(shown()) == 3, 'three nodes are drawn')
        w.wait_for('list item', 'What is shared is drawn once').click(times=2)
        w.wait(lambda: len(shown()) == 6, 'the same, with what is shared drawn as often as it is used')
        w.settle()
        w.wait_for('list item', 'Tree other tree').click(times=2)
        w.wait(lambda: sorted(n.split(':')[0] for n in shown()) == ['root of other', 'x'], 'the other tree is drawn')
        w.settle()
        w.key('ctrl+z', 'ctrl+z')
        w.wait(lambda: len(shown()) == 3, 'three nodes are drawn again')
        self.follows()

    def test_orders(self):
        """The program is told from the menu of a row: not to send it, to send it again, how often."""
        self.w = w = self.begin(listens_to_orders=True)
        self.follows()

        def menu(row, *items):
            x, y = w.wait_for('list item', re.compile(f'^task {row},')).at(fx=0.05)
            w.click(x, y, button=3)
            for role, item in items:
                w.wait_for(role, item).click()
        tag = struct.pack('<H', 31)
        menu('ticks', ('menu item', 'Stop Sending It'))
        self.assertEqual(self.heard(7), o.message(b'\x81' + tag))
        w.wait_for('list item', re.compile('^task ticks, .*State Stopped'))
        w.settle()
        menu('ticks', ('menu item', 'Send It Again'))
        self.assertEqual(self.heard(7), o.message(b'\x82' + tag))
        w.wait_for('list item', re.compile('^task ticks, .*State Active'))
        w.settle()
        menu('ticks', ('menu', 'Send It Every'), ('menu item', '1 s'))
        self.assertEqual(self.heard(11), o.message(b'\x83' + tag + struct.pack('<I', 1000)))
        menu('127.0.0.1:.*', ('menu', 'Send It All Every'), ('menu item', '10 ms'))
        self.assertEqual(self.heard(9), o.message(b'\x84' + struct.pack('<I', 10)))

    def test_many_series(self):
        """Seventy things for one curve: 64 of them have a line, in a file and in the window, and what is left out is told."""
        names = ['line %02d' % i for i in range(70)]
        data = b''.join(o.declare(50 + i, o.INT, n.encode()) for i, n in enumerate(names))
        for step in range(3):
            data += b''.join(o.send(50 + i, o.integer(100 * i + step)) for i in range(70)) + o.send(2, o.real(1.0 + step))
        program = os.path.join(self.folder, 'many.eve')
        with open(VIEWS) as f:
            text = f.read()
        text = text.replace('<setting name="attribute">HeapTotal</setting>', '<setting name="attribute">Integer</setting>')
        with open(program, 'w') as f:
            f.write(text)
        path = os.path.join(self.folder, 'many.ovz')
        with open(path, 'wb') as f:
            f.write(data)
        table = os.path.join(self.folder, 'many.csv')
        subprocess.run([SCOPE, 'draw', path, '--program', program, '--view', 'Memory', '-o', table], check=True, env=session().env)
        with open(table) as f:
            rows = [line.split(',') for line in f.read().splitlines()[1:]]
        shown = {r[1].strip('"') for r in rows} & {*names}
        self.assertEqual({(r[1].strip('"'), float(r[2])) for r in rows if r[1].strip('"') in names},
                         {(n, 100.0 * i + step) for i, n in enumerate(names) for step in range(3) if n in shown})
        self.assertEqual(len(shown), 64)
        self.assertIn('18 values of others are not shown', [r[1] for r in rows])
        self.w = w = self.start(path, program)
        w.wait_for('push button', 'To the end').click()
        w.wait_for('list item', re.compile(r'^line 19.*: 3 values from 1[\s\u202f,]?900 to 1[\s\u202f,]?902'), 30)


if __name__ == '__main__':
    main()
