# SPDX-License-Identifier: Apache-2.0
"""memtrace once more, in Python: what lives at any instant, and a writer of odd files."""
import random
import struct


class Model:
    """Allocations and ends, with their dates in microseconds from the first packet on."""

    def __init__(self, data):
        self.events, at, self.first, self.rate = [], 0, None, None
        while at < len(data):
            magic, bits, begin, end, _, version, pid = struct.unpack_from('<IIQQIHQ', data, at)
            assert magic == 0xC1FC1FC1
            head = 38 + (2 if version >= 3 else 0) + 4 + 8
            first_id, = struct.unpack_from('<Q', data, at + head)
            self.first = begin if self.first is None else self.first
            self.packet(data, at + head + 16, at + bits // 8, begin, version, first_id)
            at += bits // 8

    def packet(self, data, at, stop, begin, version, number):
        def fixed(n):
            nonlocal at
            at += n
            return int.from_bytes(data[at - n:at], 'little')

        def whole():
            v = fixed(1)
            return v if v <= 252 else fixed({253: 2, 254: 4, 255: 8}[v])

        def string():
            nonlocal at
            end = data.index(0, at)
            text, at = data[at:end], end + 1
            return text

        def words(n):
            for _ in range(n):
                tag = fixed(2) & 3
                fixed(8 if tag == 3 else tag == 2)
        while at < stop:
            head = fixed(4)
            kind, low = head >> 25, head & 0x1ffffff
            us = (begin & ~0x1ffffff | low) + (0x2000000 if low < begin & 0x1ffffff else 0) - self.first
            if kind == 0:
                self.rate, = struct.unpack_from('<d', data, at)
                at += 8
                self.word = fixed(1) // 8
                for _ in range(3):
                    string()
                fixed(8)
                if version >= 2:
                    string()
            elif kind == 1:
                fixed(8)
                for _ in range(fixed(1)):
                    place = fixed(6)
                    if place >> 38 & 31 == 31:
                        string()
                    if place >> 43 == 31:
                        string()
            elif kind == 2 or kind > 100:
                if kind == 2:
                    whole()
                samples = whole() if kind == 2 else 1
                if kind == 2:
                    fixed(1)
                whole()
                words(fixed(2 if kind == 2 else 1))
                self.events.append((us, number, samples))
                number += 1
            else:
                self.events.append((us, number - 1 - whole(), -1 if kind == 4 else 0))

    def live(self, at):
        """Bytes at an instant, in microseconds."""
        samples = {}
        for us, number, n in self.events:
            if us <= at and n > 0:
                samples[number] = n
            elif us <= at and n < 0:
                samples.pop(number)
        return sum(round(n * self.word / self.rate) for n in samples.values())


def made(seed, n=600):
    r = random.Random(seed)
    out, us, number, live = b'', 1_600_000_000_000_000, 0, []

    def whole(v):
        return bytes([v]) if v <= 252 else b'\xfd' + struct.pack('<H', v)
    info = struct.pack('<dB', 1e-4, 64) + b'/bin/made\0host\0\0' + struct.pack('<Q', 7) + b'\0'
    body, begin, first = struct.pack('<I', us & 0x1ffffff) + info, us, 0
    for i in range(n):
        us += r.choice([0, 1, 3, 200, 40000])
        head = us & 0x1ffffff
        if live and r.random() < .4:
            victim = live.pop(r.randrange(len(live)))
            body += struct.pack('<I', head | (4 << 25)) + whole(number - 1 - victim)
        elif r.random() < .5:
            code = struct.pack('<HQ', r.randrange(1 << 14) << 2 | 3, r.randrange(50))
            body += struct.pack('<I', head | (101 + r.randrange(16) << 25)) + whole(r.randrange(4)) + b'\1' + code
            live.append(number)
            number += 1
        else:
            body += struct.pack('<I', head | (2 << 25)) + whole(r.randrange(500)) + whole(1 + r.randrange(300)) + bytes([r.randrange(3)]) + b'\0\0\0'
            live.append(number)
            number += 1
        if i % 100 == 99 or i == n - 1:
            size = 66 + len(body)
            out += struct.pack('<IIQQIHQHHQQQ', 0xC1FC1FC1, size * 8, begin, us, 0, 2, 7, 0xffff, 0, 0, first, number) + body
            body, begin, first = b'', us, number
    return out
