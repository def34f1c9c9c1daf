# SPDX-License-Identifier: Apache-2.0
"""A trace in CTF of every kind of field: bits, structures, arrays, sequences, enumerations, variants, a coarse clock with an offset,
the header that LTTng writes, in both byte orders."""
import os
import struct



class Bits:
    """A packet: bits from the lowest of each byte on, or from the highest, as the byte order has it."""
    def __init__(self, big):
        self.big, self.bits, self.n = big, [], 0

    def align(self, n):
        self.bits += [0] * (-len(self.bits) % n)

    def put(self, value, size, align=1):
        self.align(align)
        value &= (1 << size) - 1
        bits = [value >> i & 1 for i in range(size)]
        self.bits += reversed(bits) if self.big else bits

    def text(self, s):
        self.align(8)
        for byte in s.encode() + b'\0':
            self.put(byte, 8)

    def real(self, x, size, align=8):
        code = {32: ('f', 'I'), 64: ('d', 'Q')}[size]
        self.put(struct.unpack('<' + code[1], struct.pack('<' + code[0], x))[0], size, align)

    def data(self):
        self.align(8)
        out = bytearray()
        for i in range(0, len(self.bits), 8):
            eight = self.bits[i:i + 8]
            out.append(sum(b << (7 - k if self.big else k) for k, b in enumerate(eight)))
        return bytes(out)


KINDS = '''/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = %s;
  packet.header := struct { integer { size = 32; align = 8; } magic; integer { size = 32; align = 8; } stream_id; }; };
env { hostname = "made"; };
clock { name = coarse; freq = 24000000; offset_s = 1400000000; offset = 12000000; precision = 10; };
typealias integer { size = 27; align = 1; map = clock.coarse.value; } := part_t;
typealias integer { size = 64; align = 8; map = clock.coarse.value; } := whole_t;
typealias integer { size = 5; align = 1; signed = true; } := five_t;
typealias integer { size = 13; align = 1; } := thirteen_t;
typealias integer { size = 8; align = 8; encoding = UTF8; } := letter_t;
typealias integer { size = 16; align = 8; base = 16; } := hex_t;
typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := float_t;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double_t;
struct point { five_t x; thirteen_t y; };
enum colour : integer { size = 8; align = 8; signed = true; } { RED, GREEN = 4, "dark blue" = 7 ... 9, MINUS = -3, };
stream { id = 7;
  packet.context := struct { whole_t timestamp_begin; whole_t timestamp_end; integer { size = 64; align = 8; } content_size;
    integer { size = 64; align = 8; } packet_size; integer { size = 32; align = 8; } cpu_id; };
  event.header := struct {
    enum : integer { size = 5; align = 1; } { compact = 0 ... 30, extended = 31 } id;
    variant <id> {
      struct { part_t timestamp; } compact;
      struct { integer { size = 32; align = 8; } id; whole_t timestamp; } extended;
    } v;
  } align(8);
};
event { id = 3; name = "kinds"; stream_id = 7; fields := struct {
  five_t small; thirteen_t odd; enum colour shade; float_t single; double_t twice; hex_t mask;
  letter_t word[6]; struct point at; struct point path[2]; integer { size = 8; align = 8; } n; five_t list[n]; string text;
  integer { size = 8; align = 8; } m; letter_t said[m];
  enum : integer { size = 3; align = 1; } { WHOLE = 0, REAL, TEXT, INSIDE } tag;
  variant <tag> { integer { size = 32; align = 8; signed = true; } WHOLE; double_t REAL; string TEXT; struct { five_t a; string b; } INSIDE; } choice;
}; };
event { id = 40; name = "far"; stream_id = 7; fields := struct { integer { size = 64; align = 8; signed = true; } last; }; };
event { id = 41; name = "nothing"; stream_id = 7; fields := struct { }; };
'''


def make_kinds(folder, r, big, n=60):
    """Gives all events as (ns, name, values)."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'metadata'), 'w') as f:
        f.write(KINDS % ('be' if big else 'le'))
    events, packets, ticks = [], [], 5
    for _ in range(0, n, 20):
        b = Bits(big)
        for value, size in ((0xC1FC1FC1, 32), (7, 32), (ticks, 64), (0, 64), (0, 64), (0, 64), (2, 32)):
            b.put(value, size, 8)
        for _ in range(20):
            ticks += r.choice([0, 1, 7, 1 << 12, 1 << 26])
            b.align(8)
            kind = r.choice(['kinds', 'kinds', 'far', 'nothing'])
            ns = 1400000000 * 10**9 + (ticks + 12000000) * 125 // 3
            if kind == 'kinds':
                b.put(3, 5)
                b.put(ticks, 27)
                e = {'small': r.randrange(-16, 16), 'odd': r.randrange(1 << 13), 'shade': r.choice([0, 4, 7, 8, 9, -3, 55]),
                     'single': struct.unpack('f', struct.pack('f', r.uniform(-9, 9)))[0], 'twice': r.uniform(-1e9, 1e9), 'mask': r.randrange(1 << 16),
                     'word': r.choice(['four', 'äöü', '']), 'x': r.randrange(-16, 16), 'y': r.randrange(1 << 13), 'n': r.randrange(4), 'text': r.choice(['', 'a "b" \\', 'ü'])}
                b.put(e['small'], 5)
                b.put(e['odd'], 13)
                b.put(e['shade'], 8, 8)
                b.real(e['single'], 32)
                b.real(e['twice'], 64)
                b.put(e['mask'], 16, 8)
                for byte in e['word'].encode().ljust(6, b'\0'):
                    b.put(byte, 8, 8)
                for _ in range(3):
                    b.put(e['x'], 5)
                    b.put(e['y'], 13)
                b.put(e['n'], 8, 8)
                for k in range(e['n']):
                    b.put(k - 2, 5)
                b.text(e['text'])
                said = r.choice(['', 'yes', 'no and no'])
                e['said'] = said
                b.put(len(said), 8, 8)
                for byte in said.encode():
                    b.put(byte, 8, 8)
                tag = r.randrange(4)
                b.put(tag, 3)
                e['tag'] = tag
                if tag == 0:
                    e['choice'] = r.randrange(-1 << 31, 1 << 31)
                    b.put(e['choice'], 32, 8)
                elif tag == 1:
                    e['choice'] = r.uniform(0, 1)
                    b.real(e['choice'], 64)
                elif tag == 2:
                    e['choice'] = 'of text'
                    b.text(e['choice'])
                else:
                    b.align(8)
                    b.put(-5, 5)
                    b.text('deep')
            else:
                b.put(31, 5)
                b.put(40 if kind == 'far' else 41, 32, 8)
                b.put(ticks, 64, 8)
                e = {}
                if kind == 'far':
                    e['last'] = r.randrange(-1 << 63, 1 << 63)
                    b.put(e['last'], 64, 8)
            events.append((ns, kind, e))
        size = len(b.bits)
        b.align(8)
        whole = len(b.bits) + 8 * 32
        c = Bits(big)
        c.bits = b.bits[:128]
        for value in (ticks, size, whole):
            c.put(value, 64)
        b.bits[128:128 + 192] = c.bits[128:128 + 192]
        packets.append(b.data() + bytes(32))
    with open(os.path.join(folder, 'stream'), 'wb') as f:
        f.write(b''.join(packets))
    return events


def write_plain(folder, kinds, events, context='', domain='ust', clock=True, cpu=None):
    """A stream without more than there must be: `kinds` are fields by name, `events` (ns, name, bytes); one packet, on a processor or none."""
    stamp = 'typealias integer { size = 64; align = 8; map = clock.mine.value; } := stamp_t;' if clock else ''
    packet = 'packet.context := struct { uint32_t cpu_id; };' if cpu is not None else ''
    text = f'''/* CTF 1.8 */
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 32; align = 8; signed = true; }} := int32_t;
typealias integer {{ size = 64; align = 8; signed = true; }} := int64_t;
trace {{ major = 1; minor = 8; byte_order = le; }};
env {{ hostname = "box"; domain = "{domain}"; }};
{'clock { name = mine; freq = 1000000000; };' if clock else ''}
{stamp}
stream {{ {packet} event.header := struct {{ uint32_t id; {'stamp_t timestamp;' if clock else ''} }};
  {f'event.context := struct {{ {context} }};' if context else ''} }};
''' + ''.join(f'event {{ id = {i}; name = "{name}"; fields := struct {{ {fields} }}; }};\n' for i, (name, fields) in enumerate(kinds.items()))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'metadata'), 'w', encoding='utf-8') as f:
        f.write(text)
    with open(os.path.join(folder, 'stream'), 'wb') as f:
        f.write(b'' if cpu is None else struct.pack('<I', cpu))
        for ns, name, more in events:
            f.write(struct.pack('<I', list(kinds).index(name)) + (struct.pack('<Q', ns) if clock else b'') + more)
