#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The unit that a component tells stands in the table of each view that shows its numbers, whatever kind of wire they came by: each
kind is wired to each class that takes it.

usage: test_units.py SCOPE SOURCE_FOLDER"""
import csv
import os
import subprocess
import sys
import tempfile

SCOPE, ROOT = sys.argv[1:]
TRACE = os.path.join(ROOT, 'traces', 'fft2d-s16.trace')


def box(name, of, **settings):
    return f'<component name="{name}" class="scope.{of}" version="1">' + ''.join(f'<setting name="{k}">{v}</setting>' for k, v in settings.items()) + '</component>'


def wire(begin, output, end, entry):
    return f'<wire from="{begin}" out="{output}" to="{end}" in="{entry}"/>'


BEGIN = box('Reader', 'tapepvm-reader') + box('Simulator', 'pvm-simulator') + wire('Reader', 'events', 'Simulator', 'events')
WAITING = box('P', 'waiting-times') + wire('Reader', 'events', 'P', 'events')
DATED = {
    'waits': (WAITING, 'dated', 's'),
    'under way': (box('P', 'in-flight') + wire('Simulator', 'changes', 'P', 'changes'), 'all', 'B'),
    'a share': (box('P', 'activity') + wire('Simulator', 'states', 'P', 'states'), 'share', '%'),
    'bytes of events': (box('P', 'event-presenter', field='bytes', kind='Send') + wire('Reader', 'events', 'P', 'events'), 'dated', 'B'),
    'durations of events': (box('P', 'event-presenter', field='duration') + wire('Reader', 'events', 'P', 'events'), 'dated', 's'),
}
OTHERS = {      # histograms, tables, matrices
    'histogram': (WAITING + box('H', 'histogram') + wire('P', 'value', 'H', 'value'), 'histogram', [('histogram-view', 'histogram')], 's'),
    'table': (WAITING + box('H', 'statistics-by-owner') + wire('P', 'dated', 'H', 'value'), 'table', [('table-view', 'table'), ('scatter-matrix', 'table')], 's'),
    'matrix of bytes': (box('H', 'traffic') + wire('Simulator', 'messages', 'H', 'messages'), 'volumes', [('matrix-view', 'matrix'), ('stacked-bars', 'matrix')], 'B'),
    'matrix of shares': (box('H', 'state-durations') + wire('Simulator', 'states', 'H', 'states'), 'balance', [('matrix-view', 'matrix'), ('stacked-bars', 'matrix')], '%'),
}
BETWEEN = {'delay': 'in', 'gate': 'in', 'fallback': 'in', 'merge': 'in', 'sample': 'in', 'filter': 'in', 'limit': 'in'}
checks = 0


def table(folder, program):
    path, to = os.path.join(folder, 'program.eve'), os.path.join(folder, 'table.csv')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(f'<eve version="1"><title>Units</title>{BEGIN}{program}</eve>')
    done = subprocess.run([SCOPE, 'draw', TRACE, '--program', path, '--view', 'V', '--at', 'end', '-o', to, '-q'], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(to, newline='', encoding='utf-8') as f:
        return list(csv.reader(f))


def same(what, got, want):
    global checks
    checks += 1
    if got != want:
        sys.exit(f'FAILED: {what}: {got!r}, not {want!r}')


def of_each(what, rows, unit):
    """A column that says the unit of each."""
    column = rows[0].index('unit')
    same(f'{what}: rows', len(rows) > 1, True)
    same(what, {row[column] for row in rows[1:]}, {unit})


with tempfile.TemporaryDirectory() as folder:
    for name, (made, output, unit) in DATED.items():
        for kind in ('bar', 'gauge', 'pie', 'radial', 'value-panel'):
            of_each(f'{name} in {kind}', table(folder, made + box('V', kind) + wire('P', output, 'V', 'value')), unit)
        rows = table(folder, made + box('V', 'curve') + wire('P', output, 'V', 'value'))
        same(f'{name} in curve', rows[0], ['date [s]', 'owner', f'value [{unit}]'])
        rows = table(folder, made + box('V', 'scatter') + wire('P', output, 'V', 'x') + wire('P', output, 'V', 'y'))
        same(f'{name} in scatter', rows[0], ['owner', 'date [s]', f'x [{unit}]', f'y [{unit}]'])
    for name, (made, output, views, unit) in OTHERS.items():
        for kind, entry in views:
            head = table(folder, made + box('V', kind) + wire('H', output, 'V', entry))[0]
            same(f'{name} in {kind}: {head}', any(cell.endswith(f'[{unit}]') for cell in head), True)
    for kind, entry in BETWEEN.items():
        passed = 'passed' if kind == 'filter' else 'out'
        of_each(f'behind {kind}', table(folder, WAITING + box('M', kind) + wire('P', 'dated', 'M', entry) + box('V', 'bar') + wire('M', passed, 'V', 'value')), 's')
print(f'{checks} units have come through')
