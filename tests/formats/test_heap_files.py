# SPDX-License-Identifier: Apache-2.0
"""Heap snapshots whose counts lie, and what is kept of large ones in the cache."""
import glob
import json
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main                                                          # noqa: E402
from heap import check, BLOCKS, END, FRAMES, INFO, MAGIC, ROOTS, SITES, STACKS, STRINGS, SYMBOLS, graph, section, snapshot      # noqa: E402

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


class Kept(Format):
    """A second opening does not compute again what keeps what alive, and says the same."""

    def setUp(self):
        super().setUp()
        r, blocks, roots = random.Random(11), [], []
        while len(blocks) < 40000:                              # most of it lives: chains, trees, and cycles beside each other
            own, begin = graph(r, 200), len(blocks)
            blocks += [(t, s, [begin + k for k in to]) for t, s, to in own[0]]
            roots += [(r.choice((2, 3)), 0, begin + k) for k in r.sample(range(200), 60)]
        self.data = snapshot(blocks, roots)
        self.file = self.path('large.heap', self.data)

    def show(self):
        out, err = self.scope('heap', 'show', self.file, '--json', '--top', '300', '--depth', '12')
        return json.loads(out), err

    def kept(self):
        return glob.glob(os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'heaps', '*'))

    def test_it_is_read_again_and_says_the_same(self):
        first, _ = self.show()
        self.assertGreater(first['live_blocks'], 20000)
        (file,) = self.kept()
        self.assertLess(os.path.getsize(file), 8 * first['live_blocks'])
        os.utime(file, (1, 1))
        again, err = self.show()
        self.assertEqual(again, first)
        self.assertEqual(err, '')
        self.assertGreater(os.stat(file).st_mtime, 1000)        # it was used
        self.env['XDG_CACHE_HOME'] = self.path('nothing')       # the same without a cache
        with open(self.env['XDG_CACHE_HOME'], 'w'):
            pass
        self.assertEqual(self.show()[0], first)

    def test_damaged_and_of_something_else(self):
        first, _ = self.show()
        (file,) = self.kept()
        with open(file, 'rb') as f:
            good, r = f.read(), random.Random(3)
        wrong = [b'', good[:50], good[:-1], good + b'x', good[:8].lower() + good[8:]]
        for _ in range(few(10)):
            bad = bytearray(good)
            bad[r.randrange(80, len(bad))] ^= 1 << r.randrange(8)
            wrong.append(bytes(bad))
        for _ in range(few(20)):                                # its sum is right, what it says is not
            bad = bytearray(good)
            for _ in range(r.choice((1, 3, 50))):
                bad[r.randrange(80, len(bad))] = r.choice((0, 1, 127, 128, 255))
            bad[72:80] = struct.pack('<Q', check(bytes(bad[80:])))
            wrong.append(bytes(bad))
        for bad in wrong:
            with open(file, 'wb') as f:
                f.write(bad)
            shown, err = self.show()
            if 'is damaged, and is computed again' in err:
                self.assertEqual(shown, first)
                with open(file, 'rb') as f:                     # and kept anew
                    self.assertEqual(f.read(), good)
            else:                                               # another tree, which could be
                self.assertEqual((err, shown['live_words']), ('', first['live_words']))
        for bad in wrong[:5]:
            with open(file, 'wb') as f:
                f.write(bad)
            self.assertIn('is damaged, and is computed again', self.show()[1])

    def test_another_file_of_this_name(self):
        self.show()
        blocks = [(0, 1, [i + 1]) for i in range(24999)] + [(252, 40, [])]
        self.path('large.heap', snapshot(blocks, [(3, 0, 0)]))
        shown, err = self.show()
        self.assertIn('of an earlier file of this name, and is computed again', err)
        self.assertEqual(shown['tree']['retained'], 2 * 24999 + 7)
        self.assertEqual(self.show(), (shown, ''))

    def test_small_ones_and_links(self):
        self.scope('heap', 'show', self.path('small.heap', snapshot([(0, 1, [0])], [(3, 0, 0)])))
        self.assertEqual(self.kept(), [])
        first, _ = self.show()
        (file,) = self.kept()
        elsewhere = self.path('elsewhere')
        os.rename(file, elsewhere)
        os.symlink(elsewhere, file)
        shown, err = self.show()
        self.assertEqual(shown, first)
        self.assertIn('cannot be read, and is computed again', err)


main()
