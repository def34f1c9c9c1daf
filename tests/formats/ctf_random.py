# SPDX-License-Identifier: Apache-2.0
"""Traces in CTF whose metadata are made at random: numbers of any bits and alignment in both byte orders, reals, texts, structures,
arrays, sequences, enumerations, variants, in contexts too; with packets and events that were lost."""
import os
import struct

from ctf_kinds import Bits


class Field:
    """One type: how it is declared, and how a value of it is put into a packet."""

    def __init__(self, r, big, depth, name, plain=False):
        self.r, self.name, self.before, self.behind = r, name, '', ''
        order = r.choice(('', '', '', 'le', 'be'))
        self.big = order == 'be' or (not order and big)
        self.order = f' byte_order = {order};' if order else ''
        kinds = ['int'] * 6 + ['bits'] * 2 + ['real', 'text', 'letters', 'enum']
        if depth < 3 and not plain:
            kinds += ['struct', 'array', 'sequence', 'variant', 'said']
        self.kind = 'int' if plain else r.choice(kinds)
        getattr(self, 'make_' + self.kind)(big, depth)

    def number(self, sizes, aligns):
        self.size, self.align = self.r.choice(sizes), self.r.choice(aligns)
        self.sign = self.r.random() < 0.4
        base = self.r.choice(('', '', ' base = 16;', ' base = hex;', ' base = 8;'))
        return f'integer {{ size = {self.size}; align = {self.align}; signed = {"true" if self.sign else "false"};{self.order}{base} }}'

    def make_int(self, big, depth):
        self.type = self.number((8, 16, 32, 64), (8, 8, 8, 16, 32, 64))

    def make_bits(self, big, depth):
        self.big, self.order = big, ''
        self.type = self.number((1, 3, 5, 7, 11, 13, 24, 27, 33, 48, 63), (1, 1, 1, 8, 4))
        self.kind = 'int'

    def make_real(self, big, depth):
        self.size, self.align = self.r.choice((32, 64)), self.r.choice((8, 32))
        digits = 'exp_dig = 8; mant_dig = 24;' if self.size == 32 else 'exp_dig = 11; mant_dig = 53;'
        self.type = f'floating_point {{ {digits} align = {self.align};{self.order} }}'

    def make_text(self, big, depth):
        self.type = self.r.choice(('string', 'string { encoding = UTF8; }', 'string { encoding = ascii; }'))

    def make_letters(self, big, depth):
        self.n, self.align = self.r.randrange(1, 20), 8
        self.type, self.behind = 'integer { size = 8; align = 8; signed = true; encoding = UTF8; }', f'[{self.n}]'

    def make_enum(self, big, depth):
        of = self.number((3, 8, 16), (1, 8) if not self.order else (8,))
        if self.size == 3:
            self.big, self.order = big, ''
            of = self.number((3,), (1, 8))
        self.labels = [f'L{i}' for i in range(self.r.randrange(1, 4))]
        self.type, self.kind = f'enum : {of} {{ {", ".join(self.labels[:-1] + [self.labels[-1] + " = 3 ... 3"])} }}', 'int'

    def make_struct(self, big, depth):
        self.members = [Field(self.r, big, depth + 1, f'{self.name}_{i}') for i in range(self.r.randrange(0, 4))]
        self.at_least = self.r.choice((1, 1, 8, 32))
        self.align = max([m.alignment() for m in self.members] + [self.at_least])
        self.type = 'struct { ' + ' '.join(m.declared() for m in self.members) + ' }' + (f' align({self.at_least})' if self.at_least > 1 else '')

    def element(self, big, depth):
        self.of = Field(self.r, big, depth + 1, 'e')
        while self.of.kind in ('array', 'sequence', 'variant', 'letters', 'said') or self.of.kind == 'struct' and not self.of.members:
            self.of = Field(self.r, big, depth + 1, 'e')
        self.type, self.align = self.of.type, self.of.alignment()

    def make_array(self, big, depth):
        self.element(big, depth)
        self.n = self.r.randrange(0, 5)
        self.behind = f'[{self.n}]'

    def make_sequence(self, big, depth):
        self.element(big, depth)
        self.length = f'_{self.name}_length'
        self.before, self.behind = f'integer {{ size = 8; align = 8; }} {self.length}; ', f'[ {self.length} ]'

    def make_said(self, big, depth):
        self.length = f'_{self.name}_length'
        self.before, self.behind = f'integer {{ size = 16; align = 8; }} {self.length}; ', f'[ {self.length} ]'
        self.type, self.length_big = 'integer { size = 8; align = 8; encoding = UTF8; }', big
        self.align = 8

    def make_variant(self, big, depth):
        self.choices = [Field(self.r, big, depth + 1, f'c{i}') for i in range(self.r.randrange(1, 4))]
        self.choices = [c if not c.before and c.kind != 'variant' else Field(self.r, big, 3, c.name, plain=True) for c in self.choices]
        tag = f'{self.name}_tag'
        labels = ', '.join(f'c{i} = {2 * i} ... {2 * i + 1}' for i in range(len(self.choices)))
        self.before = f'enum : integer {{ size = 8; align = 8; }} {{ {labels} }} {tag}; '
        self.type = f'variant <{tag}> {{ ' + ' '.join(c.declared() for c in self.choices) + ' }'

    def alignment(self):
        if self.kind in ('text', 'letters'):
            return 8
        return max(8, 1) if self.kind == 'variant' else max(8, self.align) if self.before else self.align

    def declared(self):
        return f'{self.before}{self.type} {self.name}{self.behind};'

    def put(self, b):
        r = self.r
        if self.kind == 'int':
            self.put_number(b)
        elif self.kind == 'real':
            code = {32: ('f', 'I'), 64: ('d', 'Q')}[self.size]
            self.put_bytes(b, struct.unpack('<' + code[1], struct.pack('<' + code[0], r.choice((0, 1.5, r.uniform(-1e6, 1e6)))))[0])
        elif self.kind == 'text':
            b.text(r.choice(('', 'a', 'öäü', 'a longer one', 'say "no" \\')))
        elif self.kind in ('letters', 'said'):
            n = self.n if self.kind == 'letters' else r.randrange(0, 9)
            if self.kind == 'said':
                b.put(n, 16, 8)
            b.align(8)
            text = r.choice((b'', b'abc', b'ab\0cd', 'üüüüüüü'.encode(), bytes(r.randrange(256) for _ in range(n))))
            for byte in text[:n].ljust(n, b'\0'):
                b.put(byte, 8, 8)
        elif self.kind == 'struct':
            b.align(self.align)
            for m in self.members:
                m.put(b)
        elif self.kind in ('array', 'sequence'):
            n = self.n if self.kind == 'array' else r.choice((0, 0, 1, 2, 3, 7, 40))
            if self.kind == 'sequence':
                b.put(n, 8, 8)
            b.align(self.align)
            for _ in range(n):
                self.of.put(b)
        else:
            which = r.randrange(len(self.choices))
            b.put(2 * which + r.randrange(2), 8, 8)
            self.choices[which].put(b)

    def put_number(self, b):
        value = self.r.choice((0, 1, 2, 3, (1 << self.size) - 1, 1 << self.size - 1, self.r.getrandbits(self.size)))
        if self.size % 8 == 0 and self.align % 8 == 0:
            self.put_bytes(b, value)
        else:
            b.put(value, self.size, self.align)

    def put_bytes(self, b, value):
        b.align(self.align)
        for byte in value.to_bytes(self.size // 8, 'big' if self.big else 'little'):
            b.put(byte, 8)


def struct_of(fields):
    return 'struct { ' + ' '.join(f.declared() for f in fields) + ' }'


def put_struct(b, fields):
    b.align(max([f.alignment() for f in fields] + [1]))
    for f in fields:
        f.put(b)


def make_random(folder, r, n=40):
    """Gives how many events it has."""
    os.makedirs(folder)
    big, parts = r.random() < 0.5, r.random() < 0.4     # parts: streams of several files
    large = r.random() < 0.5        # the header of events, as LTTng has two
    per = 16 if large else 5
    most = (1 << per) - 1
    frequency = r.choice((1000000000, 1000000000, 24000000, 1000))
    clocks = {size: f'integer {{ size = {size}; align = {align}; map = clock.c.value; }}' for size, align in ((27, 1), (32, 8), (64, 8))}
    common, streams, total = [Field(r, big, 3, f'_k{i}') for i in range(r.randrange(3))], r.randrange(1, 4), 0
    contexts = [Field(r, big, 3, f'p{i}', plain=True) for i in range(r.randrange(3))]
    classes = {i: ([Field(r, big, 3, f'x{i}') for i in range(r.choice((0, 0, 1, 2)))], [Field(r, big, 0, f'_f{k}') for k in range(r.randrange(6))])
               for i in r.sample(range(most + 40), 5)}
    lines = [f'''/* CTF 1.8 */
trace {{ major = 1; minor = 8; byte_order = {'be' if big else 'le'};
  packet.header := struct {{ integer {{ size = 32; align = 8; }} magic; integer {{ size = 32; align = 8; }} stream_id;{' integer { size = 64; align = 8; } stream_instance_id;' if parts else ''} }}; }};
env {{ hostname = "made"; domain = "any"; }};
clock {{ name = c; freq = {frequency}; offset = {r.randrange(1000000)}; }};
stream {{ id = 3;
  packet.context := struct {{ {clocks[64]} timestamp_begin; {clocks[64]} timestamp_end; integer {{ size = 64; align = 8; }} content_size;
    integer {{ size = 64; align = 8; }} packet_size; integer {{ size = 64; align = 8; }} packet_seq_num; integer {{ size = 32; align = 8; }} events_discarded;
    integer {{ size = 32; align = 8; }} cpu_id; {' '.join(f.declared() for f in contexts)} }};
  event.header := struct {{ enum : integer {{ size = {per}; align = {8 if large else 1}; }} {{ compact = 0 ... {most - 1}, extended = {most} }} id;
    variant <id> {{ struct {{ {clocks[32 if large else 27]} timestamp; }} compact; struct {{ integer {{ size = 32; align = 8; }} id; {clocks[64]} timestamp; }} extended; }} v;
  }} align(8);
''' + (f'  event.context := {struct_of(common)};\n' if common else '') + '};\n']
    for i, (context, fields) in classes.items():
        lines.append(f'event {{ id = {i}; name = "class:{i}"; stream_id = 3; ' + (f'context := {struct_of(context)}; ' if context else '')
                     + f'fields := {struct_of(fields)}; }};\n')
    with open(os.path.join(folder, 'metadata'), 'w') as f:
        f.write(''.join(lines))
    for s in range(streams):
        ticks, out, sequence, lost = r.randrange(1, 1000), [], r.randrange(3), r.choice((0, 0, 5))
        for _ in range(r.randrange(1, 5)):
            body, begin, count = Bits(big), ticks, r.randrange(n)
            body.bits = [0] * 0
            head = lambda content, whole, end: [(0xC1FC1FC1, 32), (3, 32), *([(s, 64)] if parts else []), (begin, 64), (end, 64), (content, 64), (whole, 64), (sequence, 64), (lost, 32), (s, 32)]
            for value, size in head(0, 0, 0):
                body.put(value, size, 8)
            body.align(max([f.alignment() for f in contexts] + [8]))
            for f in contexts:
                f.put(body)
            for _ in range(count):
                ticks += r.choice((0, 1, 7, 1 << 12, 1 << 26, 1 << 31 if large else 1 << 25))
                i = r.choice(list(classes))
                body.align(8)
                if i < most and r.random() < 0.9:
                    body.put(i, per, 8 if large else 1)
                    body.align(8 if large else 1)
                    body.put(ticks, 32 if large else 27)
                else:
                    body.put(most, per)
                    body.put(i, 32, 8)
                    body.put(ticks, 64, 8)
                if common:
                    put_struct(body, common)
                if classes[i][0]:
                    put_struct(body, classes[i][0])
                put_struct(body, classes[i][1])
            total += count
            content, ticks = len(body.bits), ticks + r.randrange(50)
            body.align(8)
            whole = len(body.bits) + 8 * r.choice((0, 1, 64))
            again = Bits(big)
            for value, size in head(content, whole, ticks):
                again.put(value, size, 8)
            body.bits[:len(again.bits)] = again.bits
            out.append(body.data() + bytes((whole - len(body.bits)) // 8))
            ticks += 1
            sequence, lost = sequence + r.choice((1, 1, 1, 4)), lost + r.choice((0, 0, 0, 17))
        names = [f'stream_{s}'] + [f'stream_{s}_{i}' for i in r.sample(range(9), 2)]
        for i, packet in enumerate(out):    # one behind the other in each file, in the order of dates
            with open(os.path.join(folder, names[i * 3 // len(out) if parts else 0]), 'ab') as f:
                f.write(packet)
    return total
