#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts of pictures, found by the ink of their letters: in no display of docs/gallery.md does one lie over another, and none is cut by
an edge, whatever the size; and of traces that have next to nothing (no message, one task, one instant, one event, none at all) every
display still says something.  SCOPE_ALL: all displays, of all traces and sizes; else each with some of them.

usage: test_labels.py SCOPE SOURCE_FOLDER"""
import os
import random
import subprocess
import sys
import tempfile

SCOPE, ROOT = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, 'tests', 'model'), os.path.join(ROOT, 'docs')]
import gallery
import labels
from make import FIRST_TASK, numbers_of, write_wide

SEED = int(os.environ.get('SCOPE_SEED', '15'))
ALL = bool(os.environ.get('SCOPE_ALL'))
SHORT = 'SCOPE_SANITIZED' in os.environ and not ALL     # a start takes ten times as long there
SIZES = '900x560', '520x340', '1600x1000', '360x700'
LETTERS = 1         # below the heading, of a picture that says something: a sentence, the name of the one task, a number
KINDS = numbers_of('tapepvm')
problems = []


def line(kind, date, task, duration, **fields):
    number, roles = KINDS[kind]
    words = [fields.get(name, -1 if role in ('peer', 'task') else '-' if role in ('word', 'group') else 0) for name, role in roles]
    return ' '.join(map(str, [number, date, FIRST_TASK + task, duration, 0, *words]))


def bundle(folder, name, *lines):
    os.makedirs(os.path.join(folder, name + '.trace', name + '.tapepvm'))
    with open(os.path.join(folder, name + '.trace', name + '.tapepvm', 'events'), 'w') as f:
        f.write('#TAPE/PVM 1\n' + ''.join(text + '\n' for text in lines))
    return os.path.join(folder, name + '.trace')


def scarce(folder):
    enroll = [line('Enroll', i, i, 0, host='h', arch='A', speed=1, parent=-1, program='p') for i in (0, 1)]
    exits = [line('Exit', 10**7 + i, i, 0) for i in (0, 1)]
    return {'no message': bundle(folder, 'silent', *enroll, line('TRecv', 10**6, 0, 10**5, asked_from=-1, asked_tag=1, tag=-1), *exits),
            'one task': bundle(folder, 'alone', enroll[0], line('PkInt', 5 * 10**6, 0, 10**4), exits[0]),
            'one instant': bundle(folder, 'instant', *(text.replace(f' {i} ', ' 0 ', 1) if i else text for i, text in enumerate(enroll))),
            'one event': bundle(folder, 'event', enroll[0]), 'no event': bundle(folder, 'empty')}


def drawn(display, trace, folder, size, own):
    """`own`: at the instant that the gallery has it of its sample."""
    name, _, _, program, view, options, _ = display
    dated = ('--at', '--from')
    options = options if own else [o for k, o in enumerate(options) if o not in dated and (k == 0 or options[k - 1] not in dated)]
    out = os.path.join(folder, 'x.svg')
    done = subprocess.run([SCOPE, 'draw', trace, '--program', program, '--view', view, '-q', '-o', out, '--size', size, *options],
                          capture_output=True, text=True, env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache')), timeout=300)
    assert done.returncode == 0, (name, trace, done.stderr)
    with open(out, encoding='utf-8') as f:
        texts, _ = labels.texts_of(f.read())
    what = f'{name} of {os.path.basename(trace)}, {size}'
    over, cut = labels.over_each_other(texts), [text for text in texts if text.cut]
    problems.extend([f'{what}: texts over each other: {over[:3]}'] if over else [])
    problems.extend([f'{what}: texts are cut: {cut[:3]}'] if cut else [])
    return what, texts


def check_finder(folder):
    """What finds them does find them."""
    letter = '<symbol id="glyph0-0"><path d="M 0 0 L 8 0 L 8 -9 L 0 -9 Z"/></symbol>'
    text = '<g><use xlink:href="#glyph0-0" x="{}" y="{}"/></g>'
    page = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100px" height="50px"><defs>' + letter + '</defs>{}</svg>'
    for places, over, cut in (([(10, 20), (30, 20)], 0, 0), ([(10, 20), (16, 24)], 1, 0), ([(10, 20), (97, 20)], 0, 1)):
        texts, _ = labels.texts_of(page.format(''.join(text.format(*at) for at in places)))
        assert (len(labels.over_each_other(texts)), sum(t.cut for t in texts)) == (over, cut), places
    covered = text.format(10, 20) + '<rect x="0" y="0" width="40" height="40" style="fill:rgb(100%,100%,100%);fill-opacity:1;"/>' + text.format(12, 20)
    assert len(labels.texts_of(page.format(covered))[0]) == 1


def main(folder):
    rand, checks = random.Random(SEED), 0
    print(f'SCOPE_SEED={SEED}')
    check_finder(folder)
    of_pvm = [d for d in gallery.DISPLAYS if '/' not in d[2]]
    wide = [write_wide(os.path.join(folder, f'wide{n}.trace'), random.Random(n), n) for n in (256, 2000)]
    odd = scarce(folder)
    for display in rand.sample(gallery.DISPLAYS, len(gallery.DISPLAYS) // 8) if SHORT else gallery.DISPLAYS:
        cases = [(gallery.sample_of(ROOT, display), size, True) for size in SIZES]
        cases += [(trace, size, False) for trace in wide for size in SIZES] if display in of_pvm else []
        for trace, size, own in cases if ALL else rand.sample(cases, 1):
            drawn(display, trace, folder, size, own)
            checks += 1
        for why in (odd if ALL else rand.sample(sorted(odd), 1)) if display in of_pvm else ():
            what, texts = drawn(display, odd[why], folder, rand.choice(SIZES), False)
            said = sum(len(t.glyphs) for t in texts if t.box[1] > 30)
            if said < LETTERS:
                problems.append(f'{what}: {why}, and the picture has {said} letters')
            checks += 1
    assert not problems, '\n'.join(problems)
    print(f'{checks} pictures have their texts beside each other')


with tempfile.TemporaryDirectory() as temporary:
    main(temporary)
