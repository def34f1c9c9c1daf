# SPDX-License-Identifier: Apache-2.0
"""Heap snapshots once more, in Python (docs/heap-format.md): a writer of any graph, a decoder, and what would be free
without a block, by taking it away."""
import random
import struct

MAGIC = b'SCPHEAP1'
INFO, BLOCKS, ROOTS, SYMBOLS, STRINGS, WEAK, CHUNKS, END, FRAMES, STACKS, SITES = range(1, 12)
CUSTOM_NAMES = 0x40000000


def check(data):
    a, b = 1, 0
    data += b'\0' * (-len(data) % 4)
    for word, in struct.iter_unpack('<I', data):
        a = a + word & 0xffffffff
        b = b + a & 0xffffffff
    return b << 32 | a


def number(v):
    out = bytearray()
    while v >= 128:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def section(kind, data, first=0, count=0, flags=0):
    return struct.pack('<IIQQIIQ', kind, flags, len(data), first, count, 0, check(data)) + data


def reference(block, to):
    delta = to - block
    return number((delta << 1 if delta >= 0 else -2 * delta - 1) << 2 | 1)


def snapshot(blocks, roots, statics=0, info='', weak=(), end=True, weak_bytes=0, symbols=()):
    """`blocks`: (tag, size, numbers of blocks that its fields refer to, None: an immediate); `symbols`: names, from 1; `roots`: (category, symbol, block); `weak`: (block, what
    it keeps and its keys, each a block + 1 or 0), in sections of so many bytes, each of which goes on in the next."""
    out, pairs = bytearray(), {}
    for i, (tag, size, to) in enumerate(blocks):
        code = pairs.get((tag, size))
        if code:
            out += number(code)
        else:
            out += number(0) + bytes([tag]) + number(size)
            if len(pairs) < 8192:
                pairs[tag, size] = len(pairs) + 1
        if tag == 247:
            out += number(0) + number(2)
        elif tag == 255:
            out += number(0) + number(0)
        if tag < 251:
            for k in to:
                out += number(1 << 2) if k is None else reference(i, k)
            if size - (2 if tag == 247 else 0) > len(to):
                out += number(0)
    heap = len(blocks) - statics
    words = sum((b[1] // 8 + 2 if b[0] == 252 else b[1] + 1) for b in blocks[:heap])
    info = f'program /made\npid 1\nnumber 1\ntrigger made\nlabel \nheap_words {words}\nfree_words 0\nheap_blocks {heap}\n{info}'
    data = MAGIC + section(INFO, info.encode())
    data += section(ROOTS, b''.join(bytes([c]) + number(s) + number(b) for c, s, b in roots), count=len(roots))
    data += section(BLOCKS, bytes(out), count=len(blocks))
    if symbols:
        data += section(SYMBOLS, b''.join(number(i + 1) + number(len(s)) + s.encode() for i, s in enumerate(symbols)), count=len(symbols))
    body, begins = bytearray(), []
    for b, to in weak:
        begins.append(len(body))
        body += number(b) + number(len(to)) + b''.join(number(k) for k in to)
    for at in range(0, max(len(body), 1), weak_bytes or max(len(body), 1)):
        piece = body[at:at + (weak_bytes or len(body))]
        data += section(WEAK, bytes(piece), count=sum(at <= b < at + len(piece) for b in begins), flags=int(at > 0))
    return data + (section(END, b'static_blocks %d\n' % statics) if end else b'')


def long_list(n, ring=False):
    """n cells of two fields, each referring to the next; the last to the first, or to nothing."""
    data, out = MAGIC + section(INFO, b'program /made\nheap_blocks %d\nheap_words %d\nfree_words 0\n' % (n, 3 * n)), []
    data += section(ROOTS, bytes([3]) + number(0) + number(0), count=1)
    each = number(1 << 2) + reference(0, 1)
    for first in range(0, n, 65536):
        count = min(65536, n - first)
        cells = number(0) + b'\0' + number(2) + each + (number(1) + each) * (count - 1)
        if first + count == n:
            cells = cells[:-len(each)] + (number(1 << 2) + reference(n - 1, 0) if ring else number(0))
        out.append(section(BLOCKS, cells, first=first, count=count))
    return data + b''.join(out) + section(END, b'')


class Model:
    """What a snapshot holds: tag, words, references, of each block."""

    def __init__(self, data):
        assert data[:8] == MAGIC
        self.info, self.blocks, self.roots, self.weak, self.names, at = {}, [], [], [], {}, 8
        self.frames, self.stacks, self.samples, self.strings, self.pieces = {}, [], [], {}, []
        piece, weak = b'', [b'', 0]
        while at < len(data):
            kind, flags, n, first, count, _, total = struct.unpack_from('<IIQQIIQ', data, at)
            body = data[at + 40:at + 40 + n]
            assert check(body) == total
            at += 40 + n
            if kind in (INFO, END):
                self.info.update(line.split(' ', 1) for line in body.decode().splitlines())
            elif kind == CHUNKS:
                self.pieces += [(a, *map(int, rest)) for a, *rest in (line.split() for line in body.decode().splitlines())]
            elif kind == BLOCKS:
                if not flags & 1:
                    self.piece(piece)
                    piece = b''
                    assert first == len(self.blocks)
                piece += body
            else:
                self.piece(piece)
                piece = b''
                if kind == WEAK:
                    assert flags & 1 or not weak[0] or self.numbers(WEAK, *weak) is None
                    weak = [weak[0] + body, weak[1] + count] if flags & 1 else [body, count]
                    continue
                self.numbers(kind, body, count)
        self.numbers(WEAK, *weak)
        self.n_heap = int(self.info['heap_blocks'])

    def piece(self, data):
        at, pairs = 0, [None]

        def get():
            nonlocal at
            v = shift = 0
            while True:
                c = data[at]
                at += 1
                v |= (c & 127) << shift
                shift += 7
                if c < 128:
                    return v
        while at < len(data):
            code = get()
            if code:
                tag, size = pairs[code]
            else:
                tag, at = data[at], at + 1
                size = get()
                if len(pairs) <= 8192:
                    pairs.append((tag, size))
            words = size // 8 + 1 if tag == 252 else size
            left, to, what = words, [], None
            if tag == 247 and words >= 2:
                what, env = get(), get()
                left -= env
            elif tag == 255:
                what, _ = get(), get()
            while tag < 251 and left > 0:
                token = get()
                if token & 3 == 0:
                    left -= token >> 2 or left
                    continue
                if token & 3 == 1:
                    z = token >> 2
                    to.append(len(self.blocks) + (z >> 1 if z & 1 == 0 else -(z + 1 >> 1)))
                left -= 1
            self.blocks.append((tag, words + 1, to, what))

    def numbers(self, kind, data, count):
        at = 0

        def get():
            nonlocal at
            v = shift = 0
            while True:
                c = data[at]
                at += 1
                v |= (c & 127) << shift
                shift += 7
                if c < 128:
                    return v
        block = 0
        for _ in range(count):
            if kind == STRINGS:
                block += get()
                n = get()
                self.strings[block] = (data[at:at + 4], data[at + 4:at + 4 + n])
                at += 4 + n
            elif kind == FRAMES:
                n, line, *_ = (get() for _ in range(4))
                texts = []
                for _ in range(2):
                    length = get()
                    texts.append(data[at:at + length].decode())
                    at += length
                self.frames[n] = (*texts, line)
            elif kind == STACKS:
                self.stacks.append([get() for _ in range(get())])
            elif kind == SITES:
                delta = get()
                block += delta >> 1 if delta & 1 == 0 else -(delta + 1 >> 1)
                self.samples.append((block, get(), get()))
            elif kind == ROOTS:
                category, at = data[at], at + 1
                self.roots.append((category, get(), get()))
            elif kind == SYMBOLS:
                n, length = get(), get()
                self.names[n] = data[at:at + length].decode()
                at += length
            elif kind == WEAK:
                block, n = get(), get()
                self.weak.append((block, [get() for _ in range(n)]))

    def sites(self, live):
        """By place: its estimated words, and how many words of it were taken."""
        found, each = {}, int(self.info['sample_words'])
        for block, stack, n in self.samples:
            if block in live:
                function, file, line = self.frames[self.stacks[stack - 1][0]]
                name = f"{function.replace('__', '.')} ({file}:{line})"
                words, taken = found.get(name, (0, 0))
                found[name] = words + n * each, taken + n
        return found

    def live(self, without=None):
        """Numbers of blocks that are reached when one is taken away."""
        seen, more = set(), True
        stack = [b for _, _, b in self.roots]
        kept = []
        while more:
            more = False
            while stack:
                b = stack.pop()
                if b not in seen and b != without:
                    seen.add(b)
                    stack.extend(self.blocks[b][2])
            for block, to in self.weak:
                if block in seen and to and to[0] and to[0] - 1 not in seen and to[0] - 1 != without \
                        and all(not k or k - 1 in seen for k in to[1:]):
                    stack.append(to[0] - 1)
                    more = True
        return seen

    def words(self, blocks):
        return sum(self.blocks[b][1] for b in blocks if b < self.n_heap)

    def retained(self, block, live):
        return self.words(live - self.live(block))


def graph(r, n):
    """A random one, of n blocks: sparse or dense, with cycles, and some that are reached from nowhere."""
    dense = r.choice((0.7, 1.2, 2, 4))
    blocks = []
    for i in range(n):
        to = [r.randrange(n) if r.random() < 0.7 else min(n - 1, i + 1) for _ in range(min(8, int(r.expovariate(1 / dense))))]
        blocks.append((r.randrange(4), len(to) + r.randrange(3) or 1, to))
    return blocks, r.sample(range(n), min(n, r.randint(1, 3)))


def many_graphs(seed, graphs, size=14):
    """Graphs beside each other in one snapshot: none refers to another, so each can be judged alone."""
    r, blocks, roots, parts = random.Random(seed), [], [], []
    for _ in range(graphs):
        own, begin = graph(r, r.randint(1, size)), len(blocks)
        blocks += [(t, s, [begin + k for k in to]) for t, s, to in own[0]]
        roots += [(r.choice((2, 3)), 0, begin + k) for k in own[1]]
        parts.append((begin, own))
    return snapshot(blocks, roots), parts


def retained_in(part):
    """By taking each block away: number -> words, of those that are live."""
    begin, (blocks, roots) = part

    def reach(without):
        seen, stack = set(), [k for k in roots if k != without]
        while stack:
            b = stack.pop()
            if b not in seen:
                seen.add(b)
                stack.extend(k for k in blocks[b][2] if k != without and k not in seen)
        return seen
    live = reach(None)
    size = [s + 1 for _, s, _ in blocks]
    return {begin + b: sum(size[k] for k in live - reach(b)) for b in live}


# ---- types ---------------------------------------------------------------------------------------------------------

TYPES = '''scope-types 1
unit Made
at 0 @ 3 1 @ 1 0
at 1 @ 4 1 * 2 @ 0 0 @ 1 0
at 2 @ 5 0
at 4 @ 6 1 @ 5 0
at 5 ?
at 6 @ 7 0
type 0 0 immediate int
type 1 0 plain string
type 2 1 array array
type 3 1 variant list
block 0 ::
field 0 $0
field 1 @ 3 1 $0
type 4 1 record Made.pair of lists
field 0 @ 3 1 $0
field 1 @ 0 0
field 2 @ 3 1 $0
type 5 0 variant Made.shape
block 0 Circle
field 0 @ 1 0
block 1 Group
field 0 @ 0 0
field 1 @ 2 1 @ 5 0
field 2 @ 3 1 @ 5 0
type 6 1 alias Made.twice
is * 2 $0 $0
type 7 0 abstract Made.hidden
'''


class Typed:
    """Values of the types above, as they would lie in a heap, and what each block is."""

    def __init__(self, seed):
        self.r, self.blocks, self.names = random.Random(seed), [], []

    def block(self, tag, fields, name):
        self.blocks.append((tag, len(fields), fields))
        self.names.append(name)
        return len(self.blocks) - 1

    def string(self):
        self.blocks.append((252, self.r.randrange(40), []))
        self.names.append('string')
        return len(self.blocks) - 1

    def list(self, name, make):
        at = None
        for _ in range(self.r.randrange(6)):
            at = self.block(0, [make(), at], f'{name} list, ::')
        return at

    def shape(self, deep=0):
        kind = self.r.random()
        if kind < .1:  # as the type does not allow it: neither it nor what it refers to is known
            return self.block(2, [self.block(3, [None], 'tag 3, 1 field')], 'tag 2, 1 field')
        if kind < .3:
            return None
        if kind < .6 or deep > 3:
            return self.block(0, [self.string()], 'Made.shape, Circle')
        array = self.block(0, [self.shape(deep + 1) for _ in range(self.r.randrange(1, 4))], 'Made.shape array')
        return self.block(1, [None, array, self.list('Made.shape', lambda: self.shape(deep + 1))], 'Made.shape, Group')

    def made(self):
        """The snapshot, and how many blocks are of each class."""
        def pair():
            def inner():
                return self.block(0, [None, self.string()], 'int * string')
            return self.block(0, [self.list('(int * string)', inner), None, self.list('(int * string)', inner)], '(int * string) Made.pair of lists')
        fields = [self.list('string', self.string), pair(), self.shape(), None, self.block(0, [self.shape(), self.shape()], 'Made.shape * Made.shape'),
                  self.block(5, [None], 'tag 5, 1 field'), self.block(0, [None] * 4, 'tag 0, 4 fields')]
        top = self.block(0, fields, 'module Made')
        counts = {}
        for name in self.names:
            counts[name] = counts.get(name, 0) + 1
        return snapshot(self.blocks, [(0, 1, top)], symbols=['camlMade']), counts
