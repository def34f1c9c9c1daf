#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of all formats, samples and made ones, cut, changed and shuffled: each is opened or refused with a sentence, in bounded time and memory.

SCOPE_MATRIX: all of it, each sample cut at every 997th byte, which takes hours; else a few of each, drawn by the seed.
SCOPE_SEED: that seed.  SCOPE_MATRIX_SECONDS: as much of all of it, in an order drawn by the seed, as is
done by then; how much that was is told."""
import glob
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time

import memory
import picl
from formats import Format, ROOT, SCOPE, main, samples

MOST_SECONDS = int(os.environ.get('SCOPE_MATRIX_SECONDS', '0'))
ALL = 'SCOPE_MATRIX' in os.environ or MOST_SECONDS > 0
SEED = int(os.environ.get('SCOPE_SEED', '1'))
FORMATS = ('otf2', 'paje', 'paraver', 'ctf', 'chrome', 'alog', 'clog', 'clog2', 'slog2', 'sddf', 'memtrace')
PLAIN = ('LICENSE', 'COPY', 'SOURCE', 'README', 'expected')
MEMORY = 1 << 30        # bytes
SECONDS = 60            # of the processor


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def made(folder):
    """Traces of the formats of which there are no samples."""
    texts = {'old.picl': picl.old(4), 'new.picl': picl.new(4), 'second.heaptrack': memory.heaptrack(4, version=2)[0], 'third.heaptrack': memory.heaptrack(4)[0],
             'made.massif': memory.massif(4)[0]}
    for name, text in texts.items():
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
            f.write(text)
    shutil.copy(os.path.join(ROOT, 'traces', 'commit.trace', 'commit.shiviz', 'commit.log'), os.path.join(folder, 'commit.shiviz'))
    return [os.path.join(folder, name) for name in (*texts, 'commit.shiviz')]


def cases(folder):
    """(trace, one of its files, how it is damaged)"""
    traces = [p for p in sorted(glob.glob(os.path.join(ROOT, 'traces', '*.otf2')))] + made(folder)
    for form in FORMATS:
        if form == 'ctf' and os.path.isdir(samples(form)):      # each by itself, not the tree of all of them
            with open(os.path.join(samples(form), 'expected.jsonl'), encoding='utf-8') as lines:
                traces += sorted({os.path.join(samples(form), '..', json.loads(line)['path']) for line in lines})
            continue
        traces += [p for p in sorted(glob.glob(os.path.join(samples(form), '*'))) if not os.path.basename(p).startswith(PLAIN)]
    for trace in traces:
        inside = sorted(p for p in glob.glob(os.path.join(trace, '**'), recursive=True) if os.path.isfile(p)) if os.path.isdir(trace) else [trace]
        for file in inside:
            size = os.path.getsize(file)
            if size and not os.path.basename(file).startswith(PLAIN):
                yield from ((trace, file, ('cut', end)) for end in range(0, size, 997))
                yield from ((trace, file, ('changed', seed)) for seed in range(30))
                yield from ((trace, file, ('shuffled', seed)) for seed in range(3))
                yield from ((trace, file, (how, 0)) for how in ('doubled', 'gone', 'zeroed'))


def damaged(data, how, n):
    r = random.Random(f'{SEED} {n}')
    if how == 'cut':
        return data[:n]
    if how == 'doubled':
        return data + data
    if how == 'zeroed':
        return data[:len(data) // 2] + bytes(4096) + data[len(data) // 2:]
    if how == 'shuffled':
        lines = data.split(b'\n')
        at = r.randrange(len(lines))
        part = lines[at:at + 200]
        r.shuffle(part)
        return b'\n'.join(lines[:at] + part + lines[at + 200:])
    some = bytearray(data)
    for _ in range(8):
        some[r.randrange(len(some))] = r.choice((0, 0xff, 0x7f, 0x80, r.randrange(256)))
    return bytes(some)


class Matrix(Format):
    def setUp(self):
        super().setUp()
        if 'ASAN_OPTIONS' in os.environ:    # libraries of others do not free all of what they refuse
            # What is refused for its size is refused in words, as it is without a sanitizer.
            self.env['ASAN_OPTIONS'] = os.environ['ASAN_OPTIONS'] + ':detect_leaks=0:allocator_may_return_null=1'

    def one(self, trace, file, how, n):
        copy = self.path(os.path.basename(trace))
        shutil.rmtree(copy, True)
        if os.path.isdir(trace):
            shutil.copytree(trace, copy, copy_function=os.link if os.stat(trace).st_dev == os.stat(self.folder.name).st_dev else shutil.copy)
        else:       # with what belongs to it, as names beside records
            for beside in glob.glob(glob.escape(os.path.splitext(trace)[0]) + '.*'):
                shutil.copy(beside, self.folder.name)
        inside = os.path.join(copy, os.path.relpath(file, trace)) if os.path.isdir(trace) else copy
        with open(file, 'rb') as f:
            data = f.read()
        os.unlink(inside)
        if how != 'gone':
            with open(inside, 'wb') as f:
                f.write(damaged(data, how, n))
        done = subprocess.run([SCOPE, 'info', copy, '-q'], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10 * SECONDS,
                              preexec_fn=bounded)
        said = done.stderr.decode(errors='replace')
        self.assertIn(done.returncode, (0, 1), said)
        self.assertNotRegex(said, r'ERROR: \w*Sanitizer|runtime error|CRITICAL|\(null\)|Success|has crashed|went down')
        if done.returncode:
            self.assertRegex(said, r'scope: \S+.*[a-z]')
        shutil.rmtree(copy, True)

    def test_matrix(self):
        own = self.path('made')
        os.mkdir(own)
        every = list(cases(own))
        if not ALL:
            dice, of_format = random.Random(SEED), {}
            for case in every:
                of_format.setdefault('ctf' if f'{os.sep}ctf{os.sep}' in case[0] else os.path.splitext(case[0])[1], []).append(case)
            # of each a few, and one of which a file is gone
            every = [c for some in of_format.values() for c in dice.sample(some, min(3, len(some))) + [dice.choice([c for c in some if c[2][0] == 'gone'])]]
        if MOST_SECONDS:
            random.Random(SEED).shuffle(every)
        until, done = time.monotonic() + MOST_SECONDS, 0
        for trace, file, (how, n) in every:
            if MOST_SECONDS and time.monotonic() > until:
                break
            done += 1
            with self.subTest(file, how=how, n=n, seed=SEED):
                try:
                    self.one(trace, file, how, n)
                except BaseException as e:      # at once: what takes hours may be broken off
                    print(f'{file} {how} {n} seed {SEED}: {e}', file=sys.stderr, flush=True)
                    raise
        if MOST_SECONDS:
            print(f'{done} of {len(every)} cases, seed {SEED}', file=sys.stderr, flush=True)
        if 'ASAN_OPTIONS' not in os.environ:    # which takes much more
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10, MEMORY)


main()
