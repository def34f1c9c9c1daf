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


class Names:
    """A list that moves what is used to its front; the number 31 stands for a new name, which falls in at the end of a full list."""

    def __init__(self):
        self.names = [None] * 31

    def put(self, name):
        """Gives what is written for a name: its number, and whether the name follows."""
        index = self.names.index(name) if name in self.names else 31
        self.names.insert(0, self.names.pop(min(index, 30)))
        self.names[0] = name
        return index


class Coder:
    """Stacks as the library writes them: what is in common with the one before is left out, codes that are in the cache are its
    place there, and those that follow as they did before are but counted."""
    SIZE = 1 << 14

    def __init__(self):
        self.codes, self.follows, self.used, self.last = [0] * self.SIZE, [0] * self.SIZE, [0] * self.SIZE, []

    def put(self, stack, now, most_common=None):
        common = 0
        while common < min(len(stack), len(self.last)) and stack[common] == self.last[common]:
            common += 1
        common = common if most_common is None else min(common, most_common)
        self.last, words, before, i = stack, [], 0, common
        while i < len(stack):
            code = stack[i]
            places = [(code * 0x4983723 >> 11) % self.SIZE, (code * 0xfdea731 >> 21) % self.SIZE]
            hits = [p for p in places if self.codes[p] == code]
            i += 1
            if not hits:
                place = min(places, key=lambda p: self.used[p])
                self.codes[place], self.used[place], self.follows[before] = code, now, place
                words.append(struct.pack('<HQ', place << 2 | 3, code))
                before = place
                continue
            place = hits[0]
            self.used[place], self.follows[before] = now, place
            before, right = place, 0
            while i < len(stack) and right < 255 and self.codes[self.follows[before]] == stack[i]:
                before = self.follows[before]
                self.used[before] = now
                right, i = right + 1, i + 1
            words.append(struct.pack('<H', place << 2 | right) if right < 2 else struct.pack('<HB', place << 2 | 2, right))
        return common, words


def whole_number(v):
    return (bytes([v]) if v <= 252 else b'\xfd' + struct.pack('<H', v) if v < 1 << 16 else
            b'\xfe' + struct.pack('<I', v) if v < 1 << 32 else b'\xff' + struct.pack('<Q', v))


def made_with_stacks(seed, n=300, version=3, domains=1):
    """Gives the file, and what is in it: (microseconds, number, words, samples, heap, names of the stack from the outermost on)."""
    r = random.Random(seed)
    files = [f'file{i}.ml' for i in range(40)]
    places = {}     # code -> what is inlined into what there: (function, file, line)
    for i in range(120):
        code = r.randrange(1, 1 << 62)
        places[code] = [(f'Fun{r.randrange(60)}.call', r.choice(files), r.randrange(1, 1 << 20)) for _ in range(r.choice([1, 1, 1, 2, 4]))]
    codes = list(places)
    tree = [[r.choice(codes) for _ in range(r.choice([1, 3, 8, 300]))] for _ in range(12)]
    names, functions, told = Names(), {}, set()
    coders = [Coder() for _ in range(domains)]
    us, number, out, expected, live = 1_700_000_012_345_678, 0, b'', [], {}
    first = us

    def location(code):
        body = struct.pack('<QB', code, len(places[code]))
        for function, file, line in places[code]:
            oldest = names.names[-1]
            index = names.put(file)
            if index == 31:     # the list of the one that fell off goes on
                functions[file] = functions.pop(oldest, None) or Names()
            where = functions[file].put(function)
            bits = line | r.randrange(256) << 20 | r.randrange(1024) << 28 | index << 38 | where << 43
            body += bits.to_bytes(6, 'little') + (file.encode() + b'\0' if index == 31 else b'') + (function.encode() + b'\0' if where == 31 else b'')
        return body

    def name(code):
        return ', inlined in '.join(f'{function} ({file}:{line})' for function, file, line in places[code])
    info = struct.pack('<dB', 1 / 256, 64) + b'/usr/bin/made.exe\0host\0b=1\0' + struct.pack('<Q', 77) + (b'context\0' if version > 1 else b'')
    body = struct.pack('<I', us & 0x1ffffff) + info
    begin, since, domain, verify = us, 0, 0, (0xffff, 0, 0)
    for i in range(n):
        us += r.choice([0, 1, 7, 900, 100_000, 20_000_000 if i % 50 == 10 else 3])
        coder = coders[domain]
        if live and r.random() < .35:
            which = r.choice(list(live))
            kind = r.choice([3, 4, 4])
            body += struct.pack('<I', us & 0x1ffffff | kind << 25) + whole_number((number - 1 - which) % (1 << 64))
            expected.append((us - first, 'Promote' if kind == 3 else 'Collect', which, *live[which]))
            if kind == 4:
                del live[which]
        else:
            stack = r.choice(tree) + [r.choice(codes) for _ in range(r.choice([1, 2, 4]))]
            for code in stack:
                if code not in told:
                    told.add(code)
                    body += struct.pack('<I', us & 0x1ffffff | 1 << 25) + location(code)
            common, words = coder.put(stack, number)
            short = len(words) < 256 and r.random() < .6
            size, samples, heap = (r.randrange(1, 17), 1, 0) if short else (r.choice([0, 17, 253, 70_000, 5_000_000_000]), r.choice([1, 2, 300]), r.randrange(3))
            if short:
                body += struct.pack('<I', us & 0x1ffffff | (100 + size) << 25) + whole_number(common) + bytes([len(words)])
            else:
                body += (struct.pack('<I', us & 0x1ffffff | 2 << 25) + whole_number(size) + whole_number(samples) + bytes([heap])
                         + whole_number(common) + struct.pack('<H', len(words)))
            body += b''.join(words)
            live[number] = (size, samples, ('minor', 'major', 'external')[heap], [name(code) for code in stack])
            expected.append((us - first, 'Alloc', number, *live[number]))
            number += 1
        if len(body) > 20000 or us - begin > 25_000_000 or r.random() < .03 or i == n - 1:
            size = 66 + (2 if version > 2 else 0) + len(body)
            out += (struct.pack('<IIQQIHQ', 0xC1FC1FC1, size * 8, begin, us, 5, version, 77) + (struct.pack('<H', domain) if version > 2 else b'')
                    + struct.pack('<HHQQQ', *verify, since, number) + body)
            body, begin, since, domain = b'', us, number, r.randrange(domains)
            used = [k for k in range(Coder.SIZE) if coders[domain].codes[k]]
            at = r.choice(used) if used else 0xffff
            verify = (at, coders[domain].follows[at], coders[domain].codes[at]) if used else (0xffff, 0, 0)
    return out, expected
