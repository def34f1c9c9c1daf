# SPDX-License-Identifier: Apache-2.0
"""Pixels of PNG files, and of GIF files that move."""
import struct
import zlib


def pixels(path):
    """Rows of (red, green, blue) of a PNG file."""
    with open(path, 'rb') as f:
        data = f.read()
    at, packed = 8, b''
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        if kind == b'IHDR':
            width, height, depth, colours = struct.unpack('>IIBB', data[at + 8:at + 18])
        packed += data[at + 8:at + 8 + n] if kind == b'IDAT' else b''
        at += n + 12
    assert depth == 8
    each = {2: 3, 6: 4}[colours]
    raw_, line, rows = zlib.decompress(packed), bytearray(width * each), []
    for y in range(height):
        kind, row = raw_[y * (width * each + 1)], bytearray(raw_[y * (width * each + 1) + 1:(y + 1) * (width * each + 1)])
        for i, x in enumerate(row):
            left, up, both = row[i - each] if i >= each else 0, line[i], line[i - each] if i >= each else 0
            near = min((abs(left + up - both - c), n, c) for n, c in enumerate((left, up, both)))[2]
            row[i] = (x + (0, left, up, (left + up) // 2, near)[kind]) & 255
        line = row
        rows.append([tuple(row[i:i + 3]) for i in range(0, len(row), each)])
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
