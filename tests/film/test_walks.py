#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random travels through every program on offer for every trace of the tree: what views show is that of playing to the
instant, in the same session and in one that is opened anew for it.

usage: test_walks.py SCOPE SOURCE_FOLDER WALK_TEST"""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

SCOPE, ROOT, WALK = sys.argv[1:4]
SECONDS = os.environ.get('SCOPE_WALK_SECONDS', '3')     # for each


def pairs():
    for trace in sorted(glob.glob(os.path.join(ROOT, 'traces', '*.trace')) + glob.glob(os.path.join(ROOT, 'traces', '*.otf2'))):
        for program in json.loads(subprocess.check_output([SCOPE, 'info', trace, '--json']))['programs']:
            # Those of two traces have no numbers of events: several-test.c.
            if 'compare' not in program['file']:
                yield trace, program['file']


def walk(pair):
    trace, program = pair
    done = subprocess.run([WALK, '-p', '/walks'], capture_output=True, text=True, env=dict(
        os.environ, SCOPE_TRAVEL_TRACE=trace, SCOPE_TRAVEL_PROGRAM=program, SCOPE_TRAVEL_SECONDS=SECONDS))
    if done.returncode:
        print(f'{trace}, {program}:\n{done.stdout[-3000:]}{done.stderr[-1000:]}', flush=True)
    return done.returncode == 0


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    walked = list(pool.map(walk, pairs()))
print(f'{len(walked)} walks, {walked.count(False)} fell')
sys.exit(not walked or not all(walked))
