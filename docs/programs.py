#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of docs/programs.md: each program on offer over a sample.

usage: programs.py SCOPE SOURCE_FOLDER        (`ninja program-pictures` in the build folder)"""
import os
import shutil
import subprocess
import sys
import tempfile

SCOPE, ROOT = sys.argv[1:3]
PICTURES = [                                        # program, sample, view
    ('overview', 'heat2d', 'Space-time'), ('waiting-times', 'fft2d-s4', 'Distribution'), ('waiting-times', 'fft2d-s4', 'Who_waits'),
    ('communication-overhead', 'fft2d-s4', 'In_time'), ('traffic', 'heat2d', 'Messages'), ('watch-overhead', 'fft2d-s2', 'Space-time'),
    ('overhead-panel', 'fft2d-s4', 'Panel'), ('load-balance', 'farm', 'Balance'), ('samples', 'farm-sampled', 'Who_had_one'), ('samples', 'farm-sampled', 'Processor_in_time'), ('levels', 'farm-sampled', 'Work_in_time'), ('load-balance', 'farm', 'Shares'), ('calls', 'fft2d-s16', 'Calls_and_phases'),
]

for program, sample, view in PICTURES:
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([SCOPE, 'run', os.path.join(ROOT, 'traces', f'{sample}.trace'), '--program', program, '--out', out], check=True,
                       capture_output=True)
        shutil.copy(os.path.join(out, f'{view}.png'), os.path.join(ROOT, 'docs/programs', f'{program}-{view.lower()}.png'))
