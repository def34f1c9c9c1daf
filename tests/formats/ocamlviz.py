# SPDX-License-Identifier: Apache-2.0
"""Streams of Ocamlviz: written at random, and read a second time: what each thing is at a date."""
import math
import random
import struct

POINT, TIME, INT, FLOAT, BOOL, STRING, TAG_COUNT, TAG_SIZE, SPECIAL, TREE, HASH, LOG = range(12)
KINDS = ['Point', 'Time', 'Integer', 'Float', 'Boolean', 'String', 'Tag', 'Tag', 'Special', 'Tree', 'Hash table', 'Log']


# ---- writing ---------------------------------------------------------------------------------------------------------------
def message(body):
    return struct.pack('<i', len(body)) + body


def text(s):
    return struct.pack('<i', len(s)) + s


def declare(tag, kind, name):
    return message(b'\0' + struct.pack('<HB', tag, kind) + text(name))


def send(tag, value):
    return message(b'\1' + struct.pack('<H', tag) + value)


def bind(*tags):
    return message(b'\2' + struct.pack(f'<H{len(tags)}H', len(tags), *tags))


def integer(v):
    return b'\1' + struct.pack('<q', v)


def size(v):
    return b'\5' + struct.pack('<q', v)


def real(v):
    return b'\2' + struct.pack('<d', v)


def string(v):
    return b'\3' + text(v)


def boolean(v):
    return b'\4' + bytes([v])


COLLECTED, KILLED = b'\6', b'\7'


def tree(nodes):
    out = struct.pack('<H', len(nodes))
    for label, children in nodes:
        out += text(label) + struct.pack(f'<H{len(children)}H', len(children), *children)
    return b'\x08' + out


def table(*four):
    return b'\x09' + b''.join(map(integer, four))


def log(lines):
    return b'\x0a' + struct.pack('<H', len(lines)) + b''.join(struct.pack('<d', t) + text(s) for t, s in lines)


def made(seed, batches=40):
    """A program as its first client sees it: the log before all is declared, groups, a killed time that goes on."""
    r = random.Random(seed)
    out = send(3, log([]))
    things = [(5, POINT, b'steps'), (6, TIME, b'sorting'), (7, INT, b'whole'), (8, FLOAT, b'nan or not'), (9, BOOL, b'odd?'),
              (10, STRING, 'héé ∀ 🐫'.encode()), (11, TAG_COUNT, b'queue'), (12, TAG_SIZE, b'queue'), (13, TREE, b'search tree'),
              (14, HASH, b'table'), (15, TIME, b'killed'), (16, INT, b'weak'), (65535, POINT, b'last'), (17, STRING, b'caf\xe9\0end')]
    for tag, kind, name in reversed(things):
        out += declare(tag, kind, name)
    for tag, kind, name in ((2, SPECIAL, b'etime'), (3, LOG, b'log'), (1, SPECIAL, b'heap_alive_size'), (0, SPECIAL, b'heap_total_size')):
        out += declare(tag, kind, name)
    out += bind(11, 12)
    clock, steps, heap, killed, dead = 0.0, 0, 1 << 20, False, False
    for batch in range(batches):
        clock += r.choice((0.0, 0.05, 0.1))
        steps += r.randrange(50)
        if batch == 7:
            out += declare(5, POINT, b'steps')                                       # again
        if batch == 9:
            out += send(18, integer(99)) + declare(18, INT, b'declared late')       # before it is declared
        out += send(5, integer(steps)) + send(65535, integer(batch // 3)) + send(2, real(clock))
        out += send(6, real(clock / 3))
        if batch >= 20:
            out += send(15, real(clock - 3)) + send(15, KILLED)                     # it repeats itself, and goes below 0
        else:
            out += send(15, real(clock / 2))
        out += send(7, integer(r.choice((-1 << 62, (1 << 62) - 1, 0, 42, r.randrange(1 << 40)))))
        out += send(8, real(r.choice((math.nan, math.inf, -math.inf, -0.0, r.random()))))
        out += send(9, boolean(r.randrange(2))) + send(10, string(r.choice((b'', b'\xff\0', 'ü'.encode() * r.randrange(300)))))
        out += send(17, string(b'phase %d' % (batch // 5)))
        if not dead:
            dead = batch == 25
            out += send(16, COLLECTED if dead else integer(batch))
        out += send(11, integer(r.randrange(100))) + send(12, size(r.randrange(heap)))
        leaf, shared = (b'leaf', []), (b'shared', [0])
        out += send(13, tree([leaf, shared, (b'n%d' % (batch // 4), [1, 0, 1])]))
        array = r.choice((0, 8, 100))
        out += send(14, table(array, r.randrange(200), r.randrange(array + 1), r.randrange(10)))
        if r.randrange(3) == 0:
            heap = r.randrange(1 << 18, 1 << 24)
            out += send(0, size(heap)) + send(1, size(heap // 2))
        if r.randrange(2):
            out += send(3, log([(clock, b'line %d' % batch), (clock - 0.01, b'before it')]))
    return out


# ---- reading a second time ---------------------------------------------------------------------------------------------------
def value_of(b):
    """(type, value): value is what Python has for it."""
    kind, rest = b[0], b[1:]
    if kind == 0:
        return kind, struct.unpack('<i', rest)[0]
    if kind in (1, 5):
        return kind, struct.unpack('<q', rest)[0]
    if kind == 2:
        return kind, struct.unpack('<d', rest)[0]
    if kind == 3:
        return kind, rest[4:]
    if kind == 4:
        return kind, rest[0] != 0
    if kind == 8:
        return kind, rest
    if kind == 9:
        return kind, [struct.unpack_from('<q', rest, 1 + 9 * i)[0] for i in range(4)]
    if kind == 10:
        n, at, lines = struct.unpack_from('<H', rest)[0], 2, []
        for _ in range(n):
            seconds, length = struct.unpack_from('<di', rest, at)
            lines.append((seconds, rest[at + 12:at + 12 + length]))
            at += 12 + length
        return kind, lines
    return kind, None


class Thing:
    def __init__(self, tag, kind, name):
        self.tag, self.kind, self.name = tag, kind, name
        self.killed = self.collected = False
        self.values = {}        # by variable: (value, bits)
        self.most, self.most_at = {}, {}        # and when it was reached first
        self.changes, self.last_change, self.lines = 0, None, []

    def put(self, variable, value, bits, now):
        before = self.values.get(variable)
        self.values[variable] = (value, bits)
        if isinstance(value, int) and not isinstance(value, bool):
            if value > self.most.get(variable, value - 1):
                self.most[variable], self.most_at[variable] = value, now
        if before and before[1] != bits:
            self.changes += 1
            self.last_change = now

    def value(self, variable):
        return self.values[variable][0] if variable in self.values else None


class Model:
    """What is known when all messages of dates up to `until` were received; dates are the processor time of the batch."""

    def __init__(self, data, until=math.inf):
        messages, at = [], 0
        while at + 4 <= len(data):
            n = struct.unpack_from('<i', data, at)[0]
            if at + 4 + n > len(data):
                break
            messages.append(data[at + 4:at + 4 + n])
            at += 4 + n
        dates = self.dates(messages)
        self.program = Thing(-1, None, b'')
        self.by_tag, self.group, self.waits, self.things = {}, {}, [], []
        for body, date in zip(messages, dates):
            if date <= until:
                self.take(body, date)
        self.end = dates[-1] if dates else 0.0

    @staticmethod
    def dates(messages):
        """The first processor time that follows is that of a batch's beginning: names, groups, points."""
        kinds, dates, head, now = {}, [None] * len(messages), [], 0.0
        for i, body in enumerate(messages):
            tag = struct.unpack_from('<H', body, 1)[0]
            if body[0] == 0:
                kinds[tag] = body[3]
            if body[0] == 1 and tag == 2:
                now = value_of(body[3:])[1]
                for k in head + [i]:
                    dates[k] = now
                head = []
            elif body[0] != 1 or kinds.get(tag) == POINT or head or tag not in kinds and not dates[:i]:
                head.append(i)
            else:
                dates[i] = now
        for k in head:
            dates[k] = now
        return dates

    def take(self, body, now):
        tag = struct.unpack_from('<H', body, 1)[0]
        if body[0] == 0:
            kind, name = body[3], body[8:]
            if kind == SPECIAL and tag <= 2:
                self.by_tag[tag] = self.program
            elif tag not in self.by_tag or self.by_tag[tag].name != name:
                self.by_tag[tag] = Thing(tag, kind, name)
                self.things.append(self.by_tag[tag])
            for waiting in [w for w in self.waits if struct.unpack_from('<H', w, 1)[0] == tag]:
                self.waits.remove(waiting)
                self.take(waiting, now)
        elif body[0] == 2:
            tags = struct.unpack_from(f'<{tag}H', body, 3)
            for other in tags[1:]:
                self.things.remove(self.by_tag[other])
                self.by_tag[other] = self.by_tag[tags[0]]
        elif tag not in self.by_tag:
            self.waits.append(body)
        else:
            self.put(self.by_tag[tag], tag, body[3:], now)

    def put(self, thing, tag, bits, now):
        kind, value = value_of(bits)
        if kind == 7:
            thing.killed = True
        elif kind == 6:
            thing.collected = True
        elif kind == 9:
            for name, v in zip(('ArraySize', 'Elements', 'EmptyBuckets', 'LongestBucket'), value):
                thing.put(name, v, v, now)
        elif kind == 10:
            for line in reversed(value):
                thing.lines.append(line)
                thing.changes += 1
                thing.last_change = now
        else:
            name = {3: 'String', 4: 'Boolean', 8: 'Tree'}.get(kind)
            if name is None and thing is self.program:
                name = ('HeapTotal', 'HeapAlive', 'ProcessorTime')[tag]
            elif name is None and thing.kind in (TAG_COUNT, TAG_SIZE):
                name = 'Size' if kind == 5 else 'Living'
            name = name or {POINT: 'Count', TIME: 'Time'}.get(thing.kind) or ('Float' if kind == 2 else 'Integer')
            thing.put(name, value, bits[1:], now)
