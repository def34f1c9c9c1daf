#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`scope draw` out of films that were damaged, and of sizes and selections that cannot be.

usage: test_draw.py SCOPE SOURCE_FOLDER"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

SCOPE, ROOT = sys.argv[1:3]


def draw(trace, *words):
    done = subprocess.run([SCOPE, 'draw', os.path.join(ROOT, 'traces', trace), *words], capture_output=True, text=True, errors='replace', timeout=120)
    return done.returncode, done.stderr


def content(path):
    with open(path, 'rb') as f:
        return f.read()


def damaged(folder):
    """A block, or any other file, of the film is changed in the middle: what is drawn then is what was drawn before."""
    film, copy, rng, told = os.path.join(folder, 'film'), os.path.join(folder, 'copy'), random.Random(6), 0
    for view, end in (('Space-time', 'csv'), ('Space-time', 'png')):
        good, again = os.path.join(folder, 'good.' + end), os.path.join(folder, 'again.' + end)
        status, said = draw('fft2d-s16.trace', '--view', view, '--film', film, '-o', good)
        assert status == 0, said
        for name in sorted(os.listdir(film)):
            data = bytearray(content(os.path.join(film, name)))
            if not data or name in ('lock', 'checkpoints'):
                continue
            data[rng.randrange(len(data) // 3, len(data))] ^= rng.randrange(1, 256)
            shutil.copytree(film, copy)
            with open(os.path.join(copy, name), 'wb') as f:
                f.write(data)
            status, said = draw('fft2d-s16.trace', '--view', view, '--film', copy, '-o', again)
            assert status == 0 and content(good) == content(again), (view, name, status, said)
            told += 'damaged' in said or 'shot again' in said
            if name.endswith('.records'):
                assert 'damaged at byte' in said, said
            shutil.rmtree(copy)
    assert told > 10, told


def refused(folder):
    out = os.path.join(folder, 'x.png')
    there = subprocess.run([SCOPE, 'components'], capture_output=True, text=True, timeout=60).stdout
    for trace, words, what in (('ring.trace', ['--size', '20000x20000'], 'more than the 64 million'),
                               ('ring.trace', ['--size', '5000x5000', '--scale', '2'], 'a smaller --scale may do'),
                               ('ring.trace', ['--select', 'State=Idel'], 'State has no value "Idel"; the nearest name is “Idle”'),
                               ('ring.trace', ['--select', 'State=Nope'], 'it may be Busy, Overhead, Idle'),
                               ('ring.trace', ['--select', 'Stat=Idle'], 'the nearest name is “State”'),
                               ('mpi-waits.otf2', ['--program', os.path.join(ROOT, 'schemas', 'messages', 'waits.eve'), '--select', 'Wait=Late sende'],
                                'the nearest name is “Late sender”')):
        if trace.endswith('otf2') and 'scope.otf2-reader' not in there:
            continue
        status, said = draw(trace, '--view', 'Space-time', '-o', out, *words)
        assert status in (1, 2) and what in said and not os.path.exists(out), (words, status, said)
    for words in (['--select', 'State=Idle'], ['--size', '8000x2000']):
        status, said = draw('ring.trace', '--view', 'Space-time', '-o', out, *words)
        assert status == 0, said


with tempfile.TemporaryDirectory(prefix='scope-draw-') as scratch:
    os.environ['XDG_CACHE_HOME'] = os.environ['XDG_DATA_HOME'] = os.environ['XDG_CONFIG_HOME'] = scratch
    damaged(scratch)
    refused(scratch)
print('drawn again from 2 x 10 damaged films; 6 refusals')
