# SPDX-License-Identifier: Apache-2.0
"""Memory by the calls that allocated it: files of heaptrack and Massif at random instants beside a second computation
(memory.py), and beside what heaptrack itself and valgrind count; damaged, packed, and opened as they are."""
import csv
import os
import random
import re
import shutil
import subprocess
import unittest

from formats import Format, main, samples
import memory
import memtrace

NUMBERS = ('live [B]', 'own live [B]', 'blocks', 'allocated [B]', 'allocations')
PROGRAM = '''#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char room[40]; } *all;
__attribute__ ((noinline)) void *grab (size_t n) { void *p = malloc (n); memset (p, 1, n); return p; }
__attribute__ ((noinline)) void leak (void) { struct node *n = grab (sizeof *n); n->next = all; all = n; }
__attribute__ ((noinline)) void work (int i) { char *b = grab (1000 + i); b = realloc (b, 4000); free (b); }
int main (void) { for (int i = 0; i < 600; i++) { work (i); if (i % 3 == 0) leak (); } return all == 0; }
'''


class Memory(Format):
    def table(self, path, view, at=None, *more):
        out = self.path('table.csv')
        done = self.scope('draw', path, '--view', view, '-o', out, *(['--at', at] if at else []), *more, status=(0, 1))
        if 'nothing has come' in done[1]:
            return []
        for line in done[1].splitlines():
            self.assertIn('counted as others', line)
        with open(out, encoding='utf-8', newline='') as f:
            return list(csv.DictReader(f))

    def tree(self, path, at=None, *more):
        way, tree = [], {}
        for row in self.table(path, 'Flame graph', at, *more):
            way = way[:int(row['depth'])] + [row['place']]
            self.assertFalse(tuple(way) in tree, f'{len(way)} calls, the last {way[-1]}')
            tree[tuple(way)] = [float(row[n] or 0) for n in NUMBERS]
        return tree

    def same(self, got, expected, at):
        for p in set(got) | set(expected):  # one at a time: what a test says fits a screen
            self.assertEqual(got.get(p), expected.get(p), (at, p))

    def compare(self, path, events, ticks, program, instants, seed):
        r, last = random.Random(seed), events[-1][0]
        for _ in range(instants):
            at = r.randrange(last + 1)
            expected = memory.tree_of(events, at, program)
            text = f'{at / ticks:.9f}'
            got = self.tree(path, text)
            self.same(got, expected, at)
            places = {row['place']: [float(row[n] or 0) for n in NUMBERS] for row in self.table(path, 'Places', text)}
            expected = memory.places_of(expected)
            self.same(places, expected, at)

    def test_heaptrack_at_random_instants(self):
        for seed, version in ((1, 3), (2, 3), (3, 1)):
            data, events = memory.heaptrack(seed, version=version)
            path = self.path(f'made{seed}.txt', data)
            self.compare(path, events, 1000, 'made', 4, seed)
            info = self.info(path)
            self.assertEqual((info['damaged'], info['format']), (0, 'heaptrack'))
            at = random.Random(seed).randrange(events[-1][0])
            (node,) = self.state(path, f'{at / 1000:.3f}')['nodes'] or ({'live memory': '0'},)
            self.assertEqual(float(node['live memory']), sum(s * b for d, s, b, _ in events if d <= at))

    def test_the_call_that_allocates_first(self):
        data, events = memory.heaptrack(7)
        path = self.path('made', data)
        turned = [(d, s, b, tuple(reversed(calls))) for d, s, b, calls in events]
        self.assertEqual(self.tree(path, None, '--set', 'Allocations.roots=allocating call'), memory.tree_of(turned, events[-1][0], 'made'))
        each = memory.tree_of(events, events[-1][0], 'made', each=True)
        self.assertEqual(self.tree(path, None, '--set', 'Allocations.each recursion=true'), each)
        self.assertGreater(len(each), len(memory.tree_of(events, events[-1][0], 'made')))

    def test_no_more_paths_than_asked_for(self):
        data, events = memory.heaptrack(8)
        tree = self.tree(self.path('made', data), None, '--set', 'Allocations.paths=16')
        whole = memory.tree_of(events, events[-1][0], 'made')
        self.assertEqual(tree[('made',)], whole[('made',)])
        self.assertTrue(any(p[-1] == 'others' for p in tree))
        self.assertLess(len(tree), len(whole))

    def test_massif_at_random_instants(self):
        for seed, unit, ticks in ((1, 'ms', 1000), (2, 'i', 10**9), (3, 'B', 10**9)):
            data, amounts, events = memory.massif(seed, unit=unit)
            path = self.path(f'made{seed}', data)
            self.compare(path, events, ticks, 'made', 5, seed)
            self.assertEqual(self.info(path)['damaged'], 0)
            last = {a[0]: a for a in amounts}  # the last of each date
            for at in random.Random(seed).sample(sorted(last), 4):
                (node,) = self.state(path, f'{at / ticks:.9f}')['nodes']
                self.assertEqual([float(node[n]) for n in ('live memory', 'memory of the allocator', 'stacks')],
                                 [float(v) for v in last[at][1:]])

    @unittest.skipUnless(os.path.isdir(samples('memtrace')), 'the samples are not here')
    def test_memtrace(self):
        """By the sum alone: stacks of memtrace are read a second time by nobody here."""
        path = os.path.join(samples('memtrace'), 'ocamlopt.ctf')
        with open(path, 'rb') as f:
            model = memtrace.Model(f.read())
        r = random.Random(4)
        for _ in range(5):
            at = r.randrange(model.events[-1][0])
            top = [row for p, row in self.tree(path, f'{at / 1e6:.6f}').items() if len(p) == 1]
            self.assertAlmostEqual(top[0][0] if top else 0, model.live(at), delta=1)
            self.assertEqual(top[0][4] if top else 0, sum(1 for e in model.events if e[0] <= at and e[2] > 0))

    def test_travel_and_packing(self):
        self.check_travel_and_packing('h', memory.heaptrack(20)[0].encode(), ['0.5', '2'])
        self.check_travel_and_packing('m', memory.massif(20)[0].encode(), ['0.5', '2'])

    def test_travel_gives_the_same_tables(self):
        """Through a film, forward and back."""
        data, events = memory.heaptrack(21, n=3000)
        path = self.path('made', data)
        self.scope('film', path, '--program', 'views')
        self.compare(path, events, 1000, 'made', 5, 5)

    def test_damage(self):
        h, m = memory.heaptrack(30)[0].encode(), memory.massif(30)[0].encode()
        self.check_damage('h', h, cut=1999, changed=15)
        self.check_damage('m', m, cut=1999, changed=15)
        said = self.scope('info', self.path('freed', h + b'- 0\n' * 5000))[0]
        self.assertIn('freed that was not allocated', said)
        said = self.scope('info', self.path('odd', h + b'+ ffff\nz 1\nt 99999 1\n'))[0]
        self.assertIn('makes no sense', said)
        said = self.scope('info', self.path('odd-m', m.replace(b'mem_heap_B=', b'mem_heap_B=x', 1)))[0]
        self.assertIn('makes no sense', said)
        tree = b'heap_tree=detailed\nn1: 10 (heap)\n n0: 20 0x1: f (x.c:1)\n'
        said = self.scope('info', self.path('more', m + b'#\nsnapshot=99\ntime=9999999\n' + tree))[0]
        self.assertIn('the callers of a place have 20 B', said)
        self.assertIn('version', self.scope('info', self.path('old', 'v 10000 9\nX ./a\n'), status=1)[1])
        self.assertIn('heaptrack_interpret', self.scope('info', self.path('raw', 'v 10400 3\nx 3 ./a\n'), status=1)[1])
        self.assertIn('which program', self.scope('info', self.path('none', 'v 10400 3\n# strings\n'), status=1)[1])
        # A way as long as the file: only its innermost calls are kept.
        long = 'v 10400 3\nX ./a\ns 1 f\ni 1 0 1\n' + ''.join(f't 1 {i:x}\na 8 {i + 1:x}\n+ {i:x}\n' for i in range(3000))
        self.assertEqual(self.info(self.path('long', long))['damaged'], 0)

    def program(self):
        source, exe = self.path('leaky.c', PROGRAM), self.path('leaky')
        subprocess.run([os.environ.get('CC', 'cc').split()[-1], '-g', '-O1', '-o', exe, source], check=True)
        return exe

    @unittest.skipUnless(shutil.which('valgrind'), 'valgrind is not here')
    def test_what_massif_records(self):
        out = self.path('massif.out')
        subprocess.run(['valgrind', '--tool=massif', f'--massif-out-file={out}', '--time-unit=B', self.program()], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual(self.info(out)['damaged'], 0)
        places = {row['place']: float(row['live [B]']) for row in self.table(out, 'Places')}
        leaked = [v for p, v in places.items() if p.startswith('leak (')]
        self.assertEqual(len(leaked), 1, places)
        self.assertGreater(leaked[0], 190 * 48)
        self.assertLessEqual(leaked[0], 200 * 48)

    @unittest.skipUnless(shutil.which('heaptrack') and shutil.which('heaptrack_print'), 'heaptrack is not here')
    def test_what_heaptrack_records(self):
        subprocess.run(['heaptrack', '-o', self.path('out'), self.program()], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        (out,) = [self.path(f) for f in os.listdir(self.folder.name) if re.fullmatch(r'out\.(zst|gz)', f)]
        said = subprocess.run(['heaptrack_print', out], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        whole = next(row for p, row in self.tree(out).items() if len(p) == 1)
        self.assertEqual(whole[4], int(re.search(r'calls to allocation functions: (\d+)', said).group(1)))
        kinds = {k['name']: k['begun'] for k in self.info(out)['kinds']}
        self.assertEqual(kinds['Alloc'], whole[4])
        self.assertEqual(kinds['Alloc'] - kinds['Free'], whole[2])
        leaked = next(row for p, row in self.tree(out).items() if p[-1].startswith('leak ('))
        self.assertEqual(leaked[:3], [200 * 48, 0, 200])


main()
