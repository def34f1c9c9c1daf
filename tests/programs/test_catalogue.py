#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The displays that tools of the field are known for: each of them has a place in docs/gallery.md by its usual name, with a picture and a
sentence; and what draws it is a program on offer that has this view, of a class that there is.

usage: test_catalogue.py SCOPE SOURCE_FOLDER"""
import glob
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SCOPE, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, 'docs'))
import gallery

CATALOGUE = {
    'ParaGraph': ['count', 'Gantt', 'summary', 'meter', 'profile', 'Kiviat', 'streak', 'spacetime', 'message queues', 'communication matrix',
                  'communication meter', 'traffic', 'animation', 'hypercube', 'network', 'node data', 'task count', 'task Gantt', 'task status', 'task summary',
                  'task speed', 'task surface', 'phase portrait', 'critical path', 'processor status', 'coordinate information', 'statistics', 'trace', 'clock',
                  'ring', 'mesh', 'torus', 'tree'],
    'XPVM': ['network', 'space-time', 'utilization', 'message queue', 'call trace', 'task output', 'event history'],
    'Upshot': ['nested states'],
    'Jumpshot': ['nested states', 'state histogram', 'preview'],
    'Pablo': ['bargraph', 'dial', 'LED', 'strip chart', 'X-Y', 'scatter matrix', 'Kiviat', 'contour', 'matrix', 'bubble', '3-D', 'pie'],
    'Paradyn': ['time histogram', 'bar chart', 'table', 'terrain', 'Performance Consultant'],
    'Vampir': ['master timeline', 'process timeline', 'summary timeline', 'counter timeline', 'performance radar', 'function summary', 'process summary',
               'message summary', 'call tree', 'communication matrix', 'context'],
    'Paraver': ['timeline of a derived metric', '2D table', '3D table'],
    'Gregg': ['flame graph'],
    'Perfetto': ['flame chart', 'flame graph'],
    'Cube': ['metric tree', 'call tree', 'system tree'],
    'Ocelotl': ['overview'],
    'Viva': ['treemap', 'graph'],
    'Trace Compass': ['XY', 'density', 'latency table'],
    'thesis': ['state graph', 'perspectives', 'gauge', 'histogram', 'contour', 'matrix', 'curves'],
    'ocp-memprof': ['sizes by type over time', 'retained tree'],
    'Ocamlviz': ['values', 'tags', 'logs'],
}


def lines_of(page):
    """Each display's name, what it tells, its command, its picture."""
    for part in page.split('\n## ')[1:]:
        lines = [line for line in part.split('\n') if line]
        yield lines[0], lines[1], lines[2].strip(), re.match(r'!\[.*\]\(gallery/(.*)\)$', lines[3]).group(1)


with open(os.path.join(ROOT, 'docs', 'gallery.md'), encoding='utf-8') as f:
    shown = {name: (tells, command, picture) for name, tells, command, picture in lines_of(f.read())}
assert list(shown) == [d[0] for d in gallery.DISPLAYS], 'docs/gallery.md is not what docs/gallery.py makes: run `ninja gallery`'

# 1. By its name, and the tool's, it is found: what is typed into the search is looked for in just this text.
lost = []
for tool, names in CATALOGUE.items():
    for name in names:
        found = [d for d, (tells, _, _) in shown.items() if name.casefold() in f'{d} {tells}'.casefold() and tool.casefold() in tells.casefold()]
        if not found:
            lost.append(f'{tool}: {name}')
assert not lost, f'not in the gallery: {", ".join(lost)}'

# 2. Each has a picture, a sentence that ends, and no picture is left over.
pictures = {os.path.basename(p) for p in glob.glob(os.path.join(ROOT, 'docs', 'gallery', '*.png'))}
assert pictures == {picture for _, _, picture in shown.values()}, pictures ^ {picture for _, _, picture in shown.values()}
for name, (tells, _, picture) in shown.items():
    assert re.match(r'\S.*[.:?] \(.*\)$', tells), f'{name}: {tells}'
    assert 3000 < os.path.getsize(os.path.join(ROOT, 'docs', 'gallery', picture)) < 400_000, picture

# 3. The program that draws it is on offer for its sample, has that view, and boxes have the settings.
classes = {line.split()[0] for line in subprocess.run([SCOPE, 'components'], capture_output=True, text=True, check=True).stdout.splitlines()[1:]}
for name, _, sample, program, view, options, _ in gallery.DISPLAYS:
    files = [p for p in glob.glob(os.path.join(ROOT, 'schemas', '*', program + '.eve'))
             if any(c.get('name') == view for c in ElementTree.parse(p).getroot().iter('component'))]
    assert files, f'{name}: no program {program} has a view {view}'
    boxes = {c.get('name'): c for c in ElementTree.parse(files[0]).getroot().iter('component')}
    assert boxes[view].get('class') in classes, boxes[view].get('class')
    for option in options[1::2] if '--set' in options else []:
        if '=' in option and '.' in option.split('=')[0]:
            assert option.split('=')[0].rsplit('.', 1)[0] in boxes, (name, option)
    assert os.path.exists(gallery.sample_of(ROOT, ('', '', sample))), sample
print(f'{len(shown)} displays, {sum(map(len, CATALOGUE.values()))} names of {len(CATALOGUE)} tools')
