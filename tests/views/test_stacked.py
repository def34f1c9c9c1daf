#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Areas one upon the other, of snapshots of a heap: what a point in each of them answers, beside a second computation.

usage: test_stacked.py QUERY SOURCE_FOLDER"""
import os
import random
import re
import subprocess
import sys
import tempfile

QUERY, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, 'tests', 'formats'))
from heap import Model                                                                          # noqa: E402

TRACE = os.path.join(ROOT, 'tests', 'formats', 'heap-samples', 'leak.trace')
PROGRAM = """<eve version="1"><title>Stacked</title>
  <component name="Reader" class="scope.heap-reader" version="1"/><component name="Simulator" class="scope.calls-simulator" version="1"/>
  <component name="Words" class="scope.state-presenter" version="1"><setting name="attribute">{attribute}</setting></component>
  <component name="Areas" class="scope.curve" version="1"><setting name="join">stacked</setting><setting name="most">{most}</setting></component>
  <wire from="Reader" out="events" to="Simulator" in="events"/><wire from="Simulator" out="changes" to="Words" in="changes"/>
  <wire from="Words" out="dated" to="Areas" in="value"/></eve>"""
WIDTH, HEIGHT = 1200, 900


def same(what, got, want):
    if got != want:
        sys.exit(f'FAILED: {what}: {got!r}, not {want!r}')


class Views:
    def __init__(self, folder, **settings):
        os.makedirs(folder)
        program = os.path.join(folder, 'program.eve')
        with open(program, 'w') as f:
            f.write(PROGRAM.format(**settings))
        self.process = subprocess.Popen([QUERY, TRACE, program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line):
        self.process.stdin.write(line.encode() + b'\n')
        self.process.stdin.flush()
        return self.process.stdout.read(int(self.process.stdout.readline())).decode()

    def areas(self, x):
        """Of a column, from the ground up: name -> words, as they are told; and the date of it."""
        found, date, y = {}, None, HEIGHT
        while y > 0:
            told = self.ask(f'inspect Areas {x} {y}').splitlines()
            y -= 1
            cells = told[0].split('\t') if told else [''] * 10
            here = re.fullmatch(r'(.*): ([\d\s,]+)\swords at .*\ss', cells[9])
            if here:                                            # else it is of no point: the room that a series takes up
                found[here[1]], date = int(re.sub(r'\D', '', here[2])), int(cells[6])
                y = min(y, int(float(cells[1])))
        return found, date


def models():
    folder, found = os.path.join(TRACE, 'leak.heap'), []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), 'rb') as f:
            found.append(Model(f.read()))
    return sorted(found, key=lambda m: int(m.info['elapsed_ns']))


def alone(model, live):
    """Words that are reached from one module alone, by taking its roots away."""
    roots, found = model.roots, {}
    for symbol in {s for _, s, _ in roots if s}:
        model.roots = [r for r in roots if r[1] != symbol]
        found[model.names[symbol]] = model.words(live - model.live())
    model.roots = roots
    return found


def words_of(name, model, live):
    """Of a class, by what its name says; None: its name does not say it all."""
    shape = re.fullmatch(r'tag (\d+), (\d+) fields', name)
    tag = {'string': 252, 'float': 253}.get(name)
    if tag is None and not (shape and int(shape[2]) >= 3):
        return None
    wanted = (lambda b: b[0] == tag) if tag else lambda b: b[:2] == (int(shape[1]), int(shape[2]) + 1)
    return model.words(b for b in live if wanted(model.blocks[b]))


def main():
    rand, found, checks = random.Random(19), models(), 0
    lives = [m.live() for m in found]
    dates = [int(m.info['elapsed_ns']) for m in found]
    with tempfile.TemporaryDirectory() as folder:
        os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
        for attribute, most in (('words', 5), ('words', 2), ('kept words', 3)):
            views = Views(os.path.join(folder, f'{attribute} {most}'), attribute=attribute, most=most)
            views.ask(f'scene {WIDTH} {HEIGHT} 1 0 0 0')
            for x in rand.sample(range(70, WIDTH - 20), 8):
                areas, date = views.areas(x)
                at = max(i for i, d in enumerate(dates) if d <= date)
                if any(abs(d - date) < 1e5 for d in dates):
                    continue                                    # both may share the pixel
                live, model = lives[at], found[at]
                total, others = model.words(live), [v for k, v in areas.items() if re.fullmatch(r'\d+ others?', k)]
                same(f'{attribute} at {date}: all areas together', sum(areas.values()), total)
                same(f'{attribute} at {date}: one is of all the others', len(others), 1)
                if not len(areas) <= most + 1:
                    sys.exit(f'FAILED: {areas}: more than {most} areas')
                kept = alone(model, live) if attribute != 'words' else {}
                for name, words in areas.items():
                    want = words_of(name, model, live) if attribute == 'words' else \
                        {k[4:].replace('__', '.'): v for k, v in kept.items()}.get(name)
                    if want is not None:
                        checks += 1
                        same(f'{attribute} at {date}: {name}', words, want)
            views.process.stdin.close()
            views.process.wait()
    if checks < 30:
        sys.exit(f'FAILED: {checks} numbers were compared, which is too few')
    print(f'{checks} numbers of areas')


main()
