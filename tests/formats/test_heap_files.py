# SPDX-License-Identifier: Apache-2.0
"""Heap snapshots whose counts lie."""
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main                                                          # noqa: E402
from heap import BLOCKS, END, FRAMES, INFO, MAGIC, ROOTS, SITES, STACKS, STRINGS, SYMBOLS, section      # noqa: E402

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'heap-samples')


def sections(data):
    """Kind, flags, first, count and bytes of each."""
    at, found = len(MAGIC), []
    while at < len(data):
        kind, flags, n, first, count = struct.unpack_from('<IIQQI', data, at)
        found.append((kind, flags, first, count, data[at + 40:at + 40 + n]))
        at += 40 + n
    return found


def written(found):
    return MAGIC + b''.join(section(kind, body, first=first, count=count, flags=flags) for kind, flags, first, count, body in found)


class Counts(Format):
    def setUp(self):
        super().setUp()
        with open(os.path.join(SAMPLES, 'sites-4.14.heap'), 'rb') as f:
            self.data = f.read()

    def check(self, data, status):
        out, err = self.scope('heap', 'check', self.path('lies.heap', data), status=status)
        return out + err

    def test_what_is_told_is_compared_with_what_is_there(self):
        self.assertIn(': good,', self.check(written(sections(self.data)), 0))
        r = random.Random(5)
        for key in ('heap_blocks', 'heap_words', 'free_words', 'free_blocks', 'heap_chunks', 'heap_block_words', 'static_blocks', 'outside',
                    'atoms', 'dangling', 'sample_words'):
            found, changed = sections(self.data), 0
            for i, (kind, flags, first, count, body) in enumerate(found):
                line = re.search(rb'(?m)^%s (\d+)$' % key.encode(), body) if kind in (INFO, END) else None
                if line:
                    changed += 1
                    lie = 0 if key == 'sample_words' else max(0, int(line[1]) + r.choice((-1, 1, 2, 1000)))
                    if lie == int(line[1]):
                        lie += 7
                    found[i] = kind, flags, first, count, body[:line.start(1)] + b'%d' % lie + body[line.end(1):]
            self.assertEqual(changed, 1, key)
            told = self.check(written(found), 1)
            self.assertIn(key, told)
            self.assertIn(': damaged,', told)

    def test_what_is_not_told(self):
        for key in ('heap_blocks', 'heap_words'):
            found = [(kind, flags, first, count, re.sub(rb'(?m)^%s .*\n' % key.encode(), b'', body) if kind in (INFO, END) else body)
                     for kind, flags, first, count, body in sections(self.data)]
            self.assertIn(f'{key}, which counts', self.check(written(found), 1))

    def test_counts_of_sections(self):
        """One more or less than there are: a sentence, wherever it is."""
        names = {ROOTS: 'roots', SYMBOLS: 'names', STRINGS: 'strings', FRAMES: 'calls', STACKS: 'stacks', SITES: 'places', BLOCKS: 'block'}
        found, tried = sections(self.data), set()
        for i, (kind, flags, first, count, body) in enumerate(found):
            if kind not in names or count == 0:
                continue
            tried.add(kind)
            for lie in random.Random(i).sample((count - 1, count + 1, count // 2, count + 1000), few(4)):
                told = self.check(written(found[:i] + [(kind, flags, first, lie, body)] + found[i + 1:]), 1)
                self.assertIn(names[kind], told, (kind, count, lie))
        self.assertEqual(tried, set(names))


main()
