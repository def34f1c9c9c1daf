#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CLOG and CLOG-2 at random instants beside a second computation (mpe.py), damaged, packed, and opened as they are."""
import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main, samples
import mpe                                                                                      # noqa: E402

STATES = [(1, 2, 'Compute', 'n=%d, where=%s'), (3, 4, 'MPI_Send', ''), (5, 6, 'Dead', '%E'), (2000, 2001, 'Späť', 'x%lq')]


def packed(words, n):
    return words.encode()[:n].ljust(n, b'\0')


def happenings(seed, n):
    r = random.Random(seed)
    date = -.25
    for _ in range(n):
        date += r.choice([0, 0, 1e-6, 7.5e-6, 1e-3])
        yield r, date, r.choice([1, 2, 3, 4, 5, 6, 2000, 2001, 9, -101, -102]), r.randrange(4)


def made_clog(seed, block=1024, n=400):
    records = []

    def add(date, kind, proc, body):
        records.append(struct.pack('>diiii', date, kind, (24 + len(body)) // 8, proc, 0) + body)
    add(-1, 7, 0, struct.pack('>ii', 77, 12) + packed('prog.c', 40))
    for r, date, number, proc in happenings(seed, n):
        if number < 0 and r.random() < .5:
            add(date, 2, proc, struct.pack('>iiiiii', number, 5, r.choice([-1, 0, 1, 2]), 0, 99, 77))
        elif number < 0:
            add(date, 1, proc, struct.pack('>iiii', number, r.choice([-1, 0, 1, 2]), 77, 0) + packed('5 99', 16))
        elif r.random() < .1:
            add(date, 3, proc, struct.pack('>iiiiii', number, 0, 0, 8, 77, 0))
        else:
            add(date, 1, proc, struct.pack('>iiii', number, r.randrange(9), 77, 0) + packed(r.choice(['', 'of it']), 16))
    for i, (start, end, name, _) in enumerate(STATES):      # behind all that happens, as MPE writes them
        add(date, 6, 0, struct.pack('>iiii', i, start, end, 0) + packed('red', 24) + packed(name, 16))
    add(date, 5, 0, struct.pack('>ii', 9, 0) + packed('a mark', 16))
    out = b''
    for record in records:
        if len(out) % block + len(record) + 24 > block:
            out += struct.pack('>diiii', date, -1, 3, 0, 0)
            out = out.ljust((len(out) + block - 1) // block * block, b'\x55')
        out += record
    out += struct.pack('>diiii', date, -2, 3, 0, 0)
    return out.ljust((len(out) + block - 1) // block * block, b'\0')


def made_clog2(seed, block=2048, n=400):
    """Four processes, of which the odd ones are a communicator of their own; one has two threads."""
    records = []

    def add(date, comm, rank, kind, body, thread=0):
        records.append(struct.pack('>diiii', date, comm, rank, thread, kind) + body)
    for rank in range(4):
        add(-1, 0, rank, 9, struct.pack('>iiii', 0, 0, rank, rank) + bytes(32))
    for i, rank in enumerate((3, 1)):
        add(-1, 0, rank, 9, struct.pack('>iiii', 100, 7, i, rank) + bytes(32))
    for r, date, number, proc in happenings(seed, n):
        comm, rank = (7, {3: 0, 1: 1}[proc]) if proc % 2 and r.random() < .5 else (0, proc)
        thread = r.choice([0, 1]) if proc == 2 else 0
        if number < 0:
            c, partner = r.choice([(0, r.choice([-2, 0, 1, 3])), (7, r.randrange(2))])
            add(date, comm, rank, 7, struct.pack('>iiiiii', number, c, partner, 5, 99, 0), thread)
        elif number == 1 and r.random() < .7:
            add(date, comm, rank, 6, struct.pack('>iiih', number, 0, 41, 3) + packed('abc', 26), thread)
        elif number == 5 and r.random() < .7:
            add(date, comm, rank, 6, struct.pack('>iid', number, 0, 2.5) + bytes(24), thread)
        else:
            add(date, comm, rank, 5, struct.pack('>ii', number, 0), thread)
    for i, (start, end, name, form) in enumerate(STATES):
        add(date, 0, 0, 2, struct.pack('>iiii', i, start, end, 0) + packed('red', 24) + packed(name, 32) + packed(form, 40))
    add(date, 0, 0, 3, struct.pack('>ii', 9, 0) + packed('red', 24) + packed('a mark', 32) + packed('', 40))
    out = b'\0'.join([b'CLOG-02.44', b'is_big_endian=', b'TRUE ', b'is_finalzed=', b'TRUE ', b'block_size=', str(block).encode(), b'']).ljust(1024, b'\0')
    for record in records:
        if (len(out) - 1024) % block + len(record) + 24 > block:
            out += struct.pack('>diiii', date, 0, 0, 0, 1)
            out = out.ljust((len(out) - 1024 + block - 1) // block * block + 1024, b'\x55')
        out += record
    return out + struct.pack('>diiii', date, 0, 0, 0, 0)


class Clog(Format):
    def check(self, path, model, seed, instants):
        r = random.Random(seed)
        mpe.compare_counts(self, path, model)
        return mpe.compare(self, path, model, [r.randrange(model.first, model.last + 1) for _ in range(few(instants))])

    def test_made_logs_at_random_instants(self):
        n = 0
        for seed in range(few(4)):
            block = (1024, 65536)[seed % 2]
            path = self.path(f'made{seed}.clog', made_clog(seed, block, 400 if seed else 4000))
            n += self.check(path, mpe.clog(path, block)[0], seed, 5)
            path = self.path(f'made{seed}.clog2', made_clog2(seed, (2048, 65536)[seed % 2]))
            n += self.check(path, mpe.clog2(path)[0], seed, 5)
        self.assertGreater(n, few(few(500)))

    def test_older_versions_of_clog2(self):
        """Before 02.30 a record has a rank of the world and no thread; messages have their tag before their partner."""
        new, old = [], []
        for r, date, number, proc in happenings(3, 300):
            tag, partner, size = r.randrange(9), r.randrange(4), r.randrange(5000)
            if number < 0:
                new.append((date, proc, 7, struct.pack('>iiiiii', number, 0, partner, tag, size, 0)))
                old.append((date, proc, 7, struct.pack('>iiiiii', number, tag, partner, 99, size, 0)))
            else:
                for records in (new, old):
                    records.append((date, proc, 5, struct.pack('>ii', number, 0)))
        old.insert(5, (0, 1, 9, struct.pack('>iiii', 101, 0, 1, 0)))
        paths = []
        for version, records in (('02.44', new), ('02.20', old)):
            out = b'\0'.join([b'CLOG-' + version.encode(), b'is_big_endian=', b'TRUE ', b'block_size=', b'2048', b'']).ljust(1024, b'\0')

            def head(date, rank, kind):
                return struct.pack('>diiii', date, 0, rank, 0, kind) if version == '02.44' else struct.pack('>dii', date, kind, rank)
            defined = [(0, 0, 2, struct.pack('>iiii', i, start, end, 0) + packed('red', 24) + packed(name, 32) + packed(form, 40))
                       for i, (start, end, name, form) in enumerate(STATES)]
            for date, rank, kind, body in defined + records:
                if (len(out) - 1024) % 2048 + 48 + len(body) > 2048:
                    out += head(date, 0, 1)
                    out = out.ljust((len(out) - 1024 + 2047) // 2048 * 2048 + 1024, b'\x55')
                out += head(date, rank, kind) + body
            paths.append(self.path(f'v{version}.clog2', out + head(date, 0, 0)))
        infos = [self.info(p) for p in paths]
        self.assertEqual([i['damaged'] for i in infos], [0, 0])
        self.assertEqual(*([i[k] for k in ('events', 'first', 'last')] for i in infos))
        for i in range(5):
            at = f"{infos[0]['first'] + (infos[0]['last'] - infos[0]['first']) * (i + .5) / 5:.9f}"
            self.assertEqual(*(self.state(p, at)['hash'] for p in paths), at)

    def test_values(self):
        path = self.path('v.clog2', made_clog2(5))
        shown = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        cargo = {(e['n'], e['where']) for e in shown if e['kind'] == 'Compute'}
        self.assertEqual(cargo, {(41, 'abc'), (None, None)})
        self.assertEqual({e['value1'] for e in shown if e['kind'] == 'Dead'}, {2.5, None})
        path = self.path('v.clog', made_clog(5))
        shown = [json.loads(line) for line in self.scope('events', path, '--kind', 'Compute', '--json')[0].splitlines()]
        self.assertEqual({e['source'] for e in shown}, {'prog.c:12'})
        self.assertLessEqual({e['text'] for e in shown}, {None, 'of it'})

    def test_samples(self):
        folder = samples('clog')
        if not os.path.isdir(folder):
            self.skipTest('the samples are not here')
        for path, expected in mpe.expected_of(folder):
            model, records = mpe.clog(path, 65536 if os.path.getsize(path) % 65536 == 0 else 1024)
            if '-1' not in expected['records']:        # ends of blocks are not counted there
                records.pop('-1', 0)
            self.assertEqual(records, expected['records'], path)
            self.check(path, model, path, 4)
            self.assertEqual(self.info(path)['damaged'], 0)
            self.assertLessEqual(set(model.kinds), set(expected['states']))
            if 'sends' in expected:
                sends = [m[4] for m in model.messages if m[1]]
                self.assertEqual((len(sends), sum(sends)), (expected['sends'], expected['bytes_sent']), path)
        for path, expected in mpe.expected_of(samples('clog2')):
            model, records = mpe.clog2(path)
            records.pop('end'), records.pop('block', 0)
            self.assertEqual(records, expected['records'], path)
            self.check(path, model, path, 4)
            info = self.info(path)
            self.assertEqual((info['damaged'], len(info['tasks'])), (0, expected['ranks']))
            sends = [m[4] for m in model.messages if m[1]]
            self.assertEqual((len(sends), len(model.messages) - len(sends), sum(sends)),
                             (expected['sends'], expected['receives'], expected['bytes_sent']), path)

    def test_unfinished_logs(self):
        """What a process wrote before logs were merged: numbers in the order of its machine, which the file says; the cargo is as ever."""
        for seed in range(few(3)):
            whole = made_clog2(seed, n=150)
            turned, at = bytearray(whole), 1024
            sizes = {2: (4, 112), 3: (2, 104), 5: (2, 8), 6: (2, 40), 7: (6, 24), 9: (4, 48)}
            while True:
                kind, = struct.unpack_from('>i', whole, at + 20)
                n, size = sizes.get(kind, (0, 0))
                turned[at:at + 8] = whole[at:at + 8][::-1]
                for i in [*range(at + 8, at + 24, 4), *range(at + 24, at + 24 + 4 * n, 4)]:
                    turned[i:i + 4] = whole[i:i + 4][::-1]
                if kind == 0:
                    break
                at = (at - 1024) // 2048 * 2048 + 2048 + 1024 if kind == 1 else at + 24 + size
            turned[:1024] = turned[:1024].replace(b'TRUE ', b'FALSE')
            paths = self.path('whole.clog2', whole), self.path('half.clog2', bytes(turned))
            infos = [self.info(p) for p in paths]
            self.assertEqual([i['damaged'] for i in infos], [0, 0])
            self.assertEqual([sum('did not finish' in d['reason'] for d in i['damage']) for i in infos], [0, 1])
            self.assertEqual(*(self.scope('events', p, '--json')[0] for p in paths))
            for at in (.2, .6, .9):
                at = f"{infos[0]['first'] + (infos[0]['last'] - infos[0]['first']) * at:.9f}"
                self.assertEqual(*(self.state(p, at)['hash'] for p in paths), at)

    def test_damage(self):
        first, second = made_clog(8, n=60), made_clog2(8, n=60)
        self.check_damage('clog', first, changed=10)
        self.check_damage('clog2', second, changed=10)
        bad = bytearray(second)
        bad[1024 + 3 * 72 + 20:1024 + 3 * 72 + 24] = struct.pack('>i', 99)      # the type of a record
        self.assertIn('no record of the type 99', self.scope('info', self.path('type.clog2', bytes(bad)))[0])
        self.assertIn('before the log does', self.scope('info', self.path('short.clog2', second[:-10]))[0])
        self.assertIn('before the log does', self.scope('info', self.path('short.clog', first[:2000]))[0])
        self.check_travel_and_packing('plain.clog2', second, ['0.005', '0.012'])
        self.check_travel_and_packing('plain.clog', first, ['-0.249', '0.012'])


main()
