#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables 5.1 and 5.2 of the thesis, measured here: what a histogram and the communication overhead cost over a trace, beside the
simulator alone and beside the text view.

usage: analysis.py SCOPE ANALYSIS [--quick]

Costs are instructions, counted by callgrind (valgrind), so that they come out the same on a busy machine; without valgrind,
medians of processor time.  ANALYSIS is the program of analysis.c: expressions and statistics by owner."""
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

SCOPE, ANALYSIS = sys.argv[1:3]
LINES = 20_000 if '--quick' in sys.argv else 50_000

BASE = [('Session', 'session', {}), ('Reader', 'tapepvm-reader', {}), ('Simulator', 'pvm-simulator', {})]
BASE_WIRES = ['Session.commands Reader.commands', 'Reader.events Simulator.events']
HISTOGRAM = ([('Waiting', 'waiting-times', {}), ('Histogram', 'histogram', {'to': '0.05'}), ('Probe', 'probe', {'n': '1'})],
             ['Reader.events Waiting.events', 'Waiting.value Histogram.value', 'Histogram.histogram Probe.in'])
EVERYTHING = ([('Duration', 'event-presenter', {'of': 'both'}), ('Histogram', 'histogram', {'to': '0.05'}),
               ('Probe', 'probe', {'n': '1'})],
              ['Reader.events Duration.events', 'Duration.value Histogram.value', 'Histogram.histogram Probe.in'])
OVERHEAD = ([('Overhead', 'communication-overhead', {}), ('Probe', 'probe', {'n': '1'})],
            ['Reader.events Overhead.events', 'Overhead.dated Probe.in'])
TEXT = ([('Text', 'text-sink', {'file': 'text.txt'})], ['Reader.events Text.in'])


def program(folder, *parts):
    text = ['<eve version="1"><title>bench</title>']
    wires = list(BASE_WIRES)
    for name, klass, settings in BASE + [c for p in parts for c in p[0]]:
        inner = ''.join(f'<setting name="{k}">{v}</setting>' for k, v in settings.items())
        text.append(f'<component name="{name}" class="scope.{klass}" version="1" x="0" y="0">{inner}</component>')
    for wire in wires + [w for p in parts for w in p[1]]:
        (a, out), (b, into) = (side.split('.') for side in wire.split(' '))
        text.append(f'<wire from="{a}" out="{out}" to="{b}" in="{into}"/>')
    path = os.path.join(folder, 'p.eve')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(text + ['</eve>']))
    return path


def cost(trace, folder, *parts):
    out = os.path.join(folder, 'out')
    command = [SCOPE, 'run', trace, '--program', program(folder, *parts), '--out', out]
    subprocess.run(command, check=True, capture_output=True)
    if shutil.which('valgrind'):
        # The reader works ahead on a thread of its own, and how far decides a few percent: the least of three.
        return min(int(re.search(r'Collected : (\d+)', subprocess.run(
            ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *command], check=True, capture_output=True,
            text=True).stderr)[1]) for _ in range(3))
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def main():
    subprocess.run([ANALYSIS], check=True)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 't.trace')
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '16', '--events', str(LINES), '-o', trace], check=True)
        alone, text = cost(trace, folder), cost(trace, folder, TEXT)
        unit = 'instructions' if shutil.which('valgrind') else 's'
        print(f'\n{LINES} lines, 16 tasks: simulator alone {alone:.6g} {unit}; with text {text:.6g} ({text / alone:.1f} times)')
        for name, part, aim, aim_text in (('histogram of waiting times', HISTOGRAM, 5, 1), ('communication overhead', OVERHEAD, 10, 3),
                                          ('histogram of the durations of all events', EVERYTHING, None, None)):
            over = (cost(trace, folder, part) / alone - 1) * 100
            over_text = (cost(trace, folder, part, TEXT) / text - 1) * 100
            aims = f'   (aims: at most {aim} % and {aim_text} %)' if aim else ''
            print(f'{name}: {over:+.1f} % over the simulator alone, {over_text:+.2f} % when the text is written too{aims}')


main()
