#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Headings of every table that the programs on offer write and their views export: a name, and the unit in brackets behind it."""
import csv
import glob
import json
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ET

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCOPE = os.environ['SCOPE']
UNITS = {'s', 'B', '%', '1/s', 'B/s'}
# What is measured in seconds, bytes or percent, whoever writes it; the imbalance of regions of the critical path is seconds.
MEASURED = {'date': 's', 'since': 's', 'duration': 's', 'overhead': '%', 'imbalance': '% s', 'size': 'B', 'volume': 'B', 'mean size': 'B',
            'min transit': 's', 'mean transit': 's', 'max transit': 's'}
TRACES = {'tapepvm': 'fft2d-s16', 'tape': 'philosophers'}


def check(path, what):
    with open(path, newline='') as f:
        cells = next(csv.reader(f))
    assert len(cells) > 1 or '[' in cells[0], (what, cells)
    assert len(set(cells)) == len(cells), (what, cells)
    for cell in cells:
        heading = re.fullmatch(r'([^\[\]_]*[^\[\]_ ])(?: \[([^\[\]]+)\])?', cell)
        assert heading, f'{what}: “{cell}”'
        name, unit = heading[1], heading[2]
        assert unit is None or unit in UNITS, f'{what}: “{cell}”'
        assert name not in MEASURED or unit in MEASURED[name].split(), f'{what}: “{cell}”'
    return cells


def run(*words):
    done = subprocess.run([SCOPE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, (words, done.stderr)


with tempfile.TemporaryDirectory() as folder:
    os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
    found, seen = set(), 0
    for schema, name in TRACES.items():
        trace = os.path.join(ROOT, 'traces', name + '.trace')
        for program in (p['file'] for p in json.loads(subprocess.check_output([SCOPE, 'info', trace, '--json']))['programs']):
            label = f'{schema}/{os.path.basename(program)}'
            traces = [trace] * (2 if 'compare' in program else 1)
            out = os.path.join(folder, label.replace('/', '-'))
            run('run', *traces, '--program', program, '--out', out)
            for path in sorted(glob.glob(os.path.join(out, '*.csv'))):
                found.update(check(path, f'{label}: {os.path.basename(path)}'))
                seen += 1
            for box in ET.parse(program).iter('component'):
                if box.get('class') not in ('scope.space-time', 'scope.trace-text', 'scope.curve', 'scope.bars', 'scope.table-view', 'scope.pie'):
                    continue
                path = os.path.join(folder, 'view.csv')
                run('draw', *traces, '--program', program, '--view', box.get('name'), '-o', path)
                found.update(check(path, f'{label}: {box.get("name")}'))
                seen += 1
        # a sink alone has other columns for each type of data
        for type_, wire in (('events', '<wire from="R" out="events" to="F" in="in"/>'),
                            ('states', '<wire from="R" out="events" to="S" in="events"/><wire from="S" out="changes" to="F" in="in"/>')):
            kind = {'tapepvm': ('tapepvm-reader', 'pvm-simulator'), 'tape': ('tape-reader', 'ouf-simulator')}[schema]
            path = os.path.join(folder, 'sink.eve')
            with open(path, 'w') as f:
                f.write(f'<eve version="1"><component name="C" class="scope.session" version="1"/>'
                        f'<component name="R" class="scope.{kind[0]}" version="1"/><component name="S" class="scope.{kind[1]}" version="1"/>'
                        f'<component name="F" class="scope.csv-sink" version="1"><setting name="file">{type_}.csv</setting></component>'
                        f'<wire from="C" out="commands" to="R" in="commands"/>{wire}</eve>')
            run('run', trace, '--program', path, '--out', folder)
            found.update(check(os.path.join(folder, type_ + '.csv'), f'{schema}: {type_}'))
            seen += 1
    assert seen > 30, seen
    assert {'date [s]', 'duration [s]', 'size [B]', 'overhead [%]', 'sum [s]', 'from [s]', 'task', 'owner'} <= found, found
    print(f'{seen} tables, {len(found)} headings')
