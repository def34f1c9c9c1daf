# SPDX-License-Identifier: Apache-2.0
"""Pixels of PNG files, and of GIF files that move."""
import itertools
import struct
import zlib


def unfiltered(kind, row, above, each):
    """A line of a PNG file from what its filter made of it; `each`: bytes of a pixel."""
    if kind == 0:
        return row
    if kind == 1:       # the difference from the left
        whole = bytearray(len(row))
        for c in range(each):
            whole[c::each] = bytes([x & 255 for x in itertools.accumulate(row[c::each])])
        return bytes(whole)
    if kind == 2:       # from above: all bytes at once, each without a carry into the next
        low = int.from_bytes(b'\x7f' * len(row), 'little')
        a, b = int.from_bytes(row, 'little'), int.from_bytes(above, 'little')
        return (((a & low) + (b & low)) ^ ((a ^ b) & ~low)).to_bytes(len(row), 'little')
    whole = bytearray(each) + row       # from the mean of both, or from that of three which is nearest to what they foretell
    over = bytes(each) + above
    if kind == 3:
        for i in range(each, len(whole)):
            whole[i] = whole[i] + ((whole[i - each] + over[i]) >> 1) & 255
    else:
        for i in range(each, len(whole)):
            left, up, both = whole[i - each], over[i], over[i - each]
            p, q = abs(up - both), abs(left - both)
            whole[i] = whole[i] + (left if p <= q and p <= abs(left + up - 2 * both) else up if q <= abs(left + up - 2 * both) else both) & 255
    return bytes(whole[each:])


def pixels(path):
    """Rows of (red, green, blue) of a PNG file."""
    with open(path, 'rb') as f:
        return pixels_of(f.read())


def pixels_of(data):
    """The same of its bytes."""
    at, packed = 8, b''
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        if kind == b'IHDR':
            width, height, depth, colours = struct.unpack('>IIBB', data[at + 8:at + 18])
        packed += data[at + 8:at + 8 + n] if kind == b'IDAT' else b''
        at += n + 12
    assert depth == 8
    each = {2: 3, 6: 4}[colours]
    raw_, line, rows, n = zlib.decompress(packed), bytes(width * each), [], width * each
    for y in range(height):
        line = unfiltered(raw_[y * (n + 1)], raw_[y * (n + 1) + 1:(y + 1) * (n + 1)], line, each)
        rows.append(list(zip(*(line[c::each] for c in range(3)))))
    return rows


def unpack(data, bits):
    """What LZW of GIF has packed."""
    clear, end = 1 << bits, (1 << bits) + 1
    table, width, out, last, value, have = {}, bits + 1, bytearray(), None, 0, 0
    for byte in data:
        value |= byte << have
        have += 8
        while have >= width:
            code, value, have = value & (1 << width) - 1, value >> width, have - width
            if code == clear:
                table, width, last = {i: bytes([i]) for i in range(clear)}, bits + 1, None
                following = end + 1
                continue
            if code == end:
                return bytes(out)
            word = table[code] if code in table else last + last[:1]
            out += word
            if last is not None and following < 4096:
                table[following] = last + word[:1]
                following += 1
            if following == 1 << width and width < 12:
                width += 1
            last = word
    raise AssertionError('it has no end')


def read_gif(path):
    """Its pictures, each as rows of (red, green, blue), and how long they are shown, hundredths of a second."""
    with open(path, 'rb') as f:
        data = f.read()
    assert data[:6] == b'GIF89a'
    width, height, flags = struct.unpack('<HHB', data[6:11])
    assert not flags & 128
    at, shown, pictures, delays = 13, [[(0, 0, 0)] * width for _ in range(height)], [], []

    def blocks():
        nonlocal at
        found = b''
        while data[at]:
            found += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        return found
    while data[at] != 0x3b:
        if data[at] == 0x21:
            kind = data[at + 1]
            at += 2
            inside = blocks()
            if kind == 0xf9:
                delays.append(struct.unpack('<H', inside[1:3])[0])
            continue
        assert data[at] == 0x2c
        x, y, w, h, flags = struct.unpack('<HHHHB', data[at + 1:at + 10])
        colours, at = data[at + 10:at + 10 + 3 * (2 << (flags & 7))], at + 10 + 3 * (2 << (flags & 7))
        bits, at = data[at], at + 1
        of = unpack(blocks(), bits)
        assert len(of) == w * h
        for j in range(h):
            shown[y + j][x:x + w] = [tuple(colours[3 * c:3 * c + 3]) for c in of[j * w:(j + 1) * w]]
        pictures.append([list(row) for row in shown])
    return pictures, delays
