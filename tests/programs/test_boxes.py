#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No box of a shipped program lies on another one.  Boxes are as large as their ports and texts need (src/editor/sketch.c); which
ports there are the components tell, and how wide a text is, which hangs on the font, is taken from the number of its letters.

usage: test_boxes.py SCOPE SOURCE_FOLDER"""
import glob
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SCOPE, ROOT = sys.argv[1:3]
LETTER_PX, BOLD_PX, BESIDE_PX = 6.0, 7.5, 8
ANY = {'any.reader': 'scope.tapepvm-reader', 'any.simulator': 'scope.pvm-simulator'}    # that programs for all formats begin with


def number(file, name):
    with open(os.path.join(ROOT, 'src', 'editor', file), encoding='utf-8') as f:
        return float(re.search(rf'#define {name} ([\d.]+)', f.read()).group(1))


HEADER, ROW, GRID = (number('sketch.h', 'SKETCH_' + n) for n in ('HEADER', 'ROW', 'GRID'))
LEAST, MOST = number('sketch.c', 'MIN_WIDTH'), number('sketch.c', 'MAX_WIDTH')
classes = {c['id']: c for c in json.loads(subprocess.run([SCOPE, 'components', '--json'], capture_output=True, check=True, timeout=60).stdout)}


def size(name, known):
    """Width and height of a box; of one whose class is not here those of the smallest."""
    ports = [(p['name'], out) for out in (False, True) for p in known['outputs' if out else 'inputs'] if p['role'] != 'control'] if known else []
    top = sum(p['role'] == 'control' for p in known['inputs'] + known['outputs']) if known else 0
    left, right = ([LETTER_PX * len(n) for n, out in ports if out == side] for side in (False, True))
    wide = max(BOLD_PX * len(name) + 44, max(left, default=0) + max(right, default=0) + 24 + (16 if left and right else 0), 48 + top * 24)
    return math.ceil(min(max(wide, LEAST), MOST) / GRID) * GRID, HEADER + max(len(left), len(right), 1) * ROW + ROW + 6


def main():
    files, faults, boxes = sorted(glob.glob(os.path.join(ROOT, 'schemas', '**', '*.eve'), recursive=True)), [], 0
    for path in files:
        there = []
        for c in ElementTree.parse(path).getroot().iter('component'):
            wanted = ANY.get(c.get('class'), c.get('class'))
            there.append((c.get('name'), float(c.get('x', 0)), float(c.get('y', 0)), *size(c.get('name'), classes.get(wanted))))
        boxes += len(there)
        for i, (a, x, y, w, h) in enumerate(there):
            for b, x1, y1, w1, h1 in there[i + 1:]:
                if x < x1 + w1 and x1 < x + w and y < y1 + h1 + BESIDE_PX and y1 < y + h + BESIDE_PX:
                    faults.append(f'{os.path.relpath(path, ROOT)}: “{a}” ({x:g}, {y:g}; {w:g} x {h:g}) and “{b}” ({x1:g}, {y1:g}; {w1:g} x {h1:g})')
    assert not faults, 'boxes lie on each other, or less than %d px apart:\n%s' % (BESIDE_PX, '\n'.join(faults))
    assert len(files) > 20 and boxes > 150, (len(files), boxes)
    print(f'{boxes} boxes in {len(files)} programs')


main()
