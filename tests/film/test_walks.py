#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random travels through every program on offer for every trace of the tree: what views show is that of playing to the
instant, in the same session and in one that is opened anew for it.

With SCOPE_WALK_STEPS, so many travels through each trace, recorded and made at random, in its first program and in one chosen at random: after each the
hash of the run state is that of playing, forward and backward, also while a component is added and goes again. Of other programs, what is longer than MOST_PLAYED is played past
the instants that are travelled to once, not from the beginning to each; SCOPE_WALK_ONLY: through those alone whose path has this word in it.

usage: test_walks.py SCOPE SOURCE_FOLDER WALK_TEST"""
import concurrent.futures
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

SCOPE, ROOT, WALK = sys.argv[1:4]
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import make  # noqa: E402

SECONDS = os.environ.get('SCOPE_WALK_SECONDS', '3')     # for each
STEPS = int(os.environ.get('SCOPE_WALK_STEPS', '0'))
SEED = int(os.environ.get('SCOPE_SEED', '1'))
ONLY = os.environ.get('SCOPE_WALK_ONLY', '')
MOST_PLAYED = 1500              # events: each travel is compared with playing from the beginning, and with a session that is opened anew


def info(trace):
    done = subprocess.run([SCOPE, 'info', trace, '--json'], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def programs(about):
    # Those of two traces have no numbers of events: several-test.c.
    return [p['file'] for p in about['programs'] if 'compare' not in p['file']]


def recorded():
    return sorted(glob.glob(os.path.join(ROOT, 'traces', '*.trace')) + glob.glob(os.path.join(ROOT, 'traces', '*.otf2')))


def synthetic(folder, rand):
    def at(name):
        return os.path.join(folder, name + '.trace')
    for tasks, lines in ((4, 2000), (64, 6000), (300, 3000)):
        subprocess.run([SCOPE, 'synth', '-q', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(lines), '--seed', str(SEED),
                        '-o', at('pvm-%d' % tasks)], check=True)
        yield at('pvm-%d' % tasks)
    for k in range(4):
        yield make.write_pvm(at('made-%d' % k), rand, rand.randint(2, 9), rand.randint(1, 3), rand.randint(20, 200))
        yield make.write_tape(at('tape-%d' % k), rand, rand.randint(2, 6), rand.randint(20, 200))
    make.write_wide(at('wide'), rand, 200)
    yield at('wide')


def samples():
    """Those of other programs, where they lie beside the tree."""
    for path in sorted(glob.glob(os.path.join(ROOT, '..', 'shared', 'samples', '*', '*'))):
        if not path.endswith(('.pcf', '.row')):         # of a .prv that is there too
            yield path


def pairs():
    for trace in recorded():
        for program in programs(info(trace)):
            yield trace, program, False


def long_pairs(folder):
    rand = random.Random(SEED)
    ours = recorded() + list(synthetic(folder, rand))
    for trace in (t for t in ours + list(samples()) if ONLY in t):
        about = info(trace)
        assert about or trace not in ours, trace        # of the samples some are damaged on purpose
        if about and about['events'] > 0:
            some, long = programs(about), about['events'] > MOST_PLAYED and trace not in ours
            yield trace, some[0], long
            if not long:                # in the other way too: it has other sessions beside it
                yield trace, some[0], True
            if len(some) > 1:
                yield trace, rand.choice(some[1:]), long


def walk(pair):
    trace, program, long = pair
    env = dict(os.environ, SCOPE_TRAVEL_TRACE=trace, SCOPE_TRAVEL_PROGRAM=program, SCOPE_TRAVEL_SEED=str(SEED))
    env.update({'SCOPE_TRAVEL_STEPS': str(STEPS)} if STEPS else {'SCOPE_TRAVEL_SECONDS': SECONDS})
    if long:
        env['SCOPE_TRAVEL_KNOWN'] = '1'
    done = subprocess.run([WALK, '-p', '/walks'], capture_output=True, text=True, env=env)
    if done.returncode:
        print(f'{trace}, {program}, seed {SEED}:\n{done.stdout[-3000:]}{done.stderr[-1000:]}', flush=True)
    return done.returncode == 0


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory(prefix='walks-') as made:
    which = sorted(long_pairs(made) if STEPS else pairs(), key=lambda pair: not pair[2])       # those that take longest first
    walked = list(pool.map(walk, which))
print(f'{len(walked)} walks through {len({trace for trace, _, _ in which})} traces' + f', {STEPS} travels each' * (STEPS > 0) + f', {walked.count(False)} fell')
sys.exit(not walked or not all(walked))
