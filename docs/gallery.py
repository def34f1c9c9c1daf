#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/gallery.md and its pictures: each display that people know by a name, what it tells, and what draws it.

usage: gallery.py SCOPE SOURCE_FOLDER [OUT]     (`ninja gallery` in the build folder); OUT: all that is made goes there"""
import os
import subprocess
import sys
import tempfile

# name, known from, sample, program, view, more options, what it tells
DISPLAYS = [
    ('Space-time', 'ParaGraph, XPVM', 'fft2d-s16', 'views', 'Space-time', [], 'What each task does over time, and the messages between them: who waits for whom.'),
    ('Gantt', 'ParaGraph; Upshot; Vampir’s master timeline', 'fft2d-s16', 'views', 'Space-time', ['--set', 'Space-time.hide messages=true'],
     'The same without messages: the rhythm of work and waiting.'),
    ('Nested timeline, flame chart', 'Jumpshot; Vampir’s process timeline', 'pipeline', 'call-tree', 'Call timeline', [],
     'What each task was inside of, calls inside of calls, a row for each depth.'),
    ('Flame graph', 'Gregg; Perfetto', 'pipeline', 'call-tree', 'Flame graph', ['--set', 'Flame graph.as=flame graph'],
     'In which calls the time went, whoever called them standing below.'),
    ('Call tree', 'Vampir; Cube', 'pipeline', 'call-tree', 'Call tree rows', [], 'The same as rows that open, with time, share and visits of each path.'),
    ('Treemap', 'Viva', 'pipeline', 'call-tree', 'Flame graph', ['--set', 'Flame graph.as=treemap'], 'The same as areas: the largest is where to look first.'),
    ('Sunburst', 'Trace Compass and others', 'pipeline', 'call-tree', 'Flame graph', ['--set', 'Flame graph.as=sunburst'], 'The same as rings, the outermost calls inside.'),
    ('Utilization count', 'ParaGraph; Vampir’s summary timeline', 'fft2d-s16', 'concurrency', 'Utilization count', [],
     'How many tasks are at work over time: where parallelism is lost.'),
    ('Utilization meter', 'ParaGraph', 'fft2d-s16', 'concurrency', 'Utilization', ['--at', '0.2'], 'How many tasks are in each state at this instant, and on the average.'),
    ('Concurrency profile', 'ParaGraph', 'fft2d-s16', 'concurrency', 'Concurrency profile', [], 'For which share of the time 0, 1, 2, ... tasks were busy at once.'),
    ('Utilization summary', 'ParaGraph; Vampir’s process summary', 'farm', 'load-balance', 'Balance', [], 'Which share of its life each task was in each state: who has too much to do.'),
    ('State histogram', 'Jumpshot; Paraver', 'fft2d-s4', 'waiting-times', 'Distribution', ['--set', 'Distribution.logarithmic=true'], 'How long waits are: few long ones, or many short ones.'),
    ('Communication matrix', 'ParaGraph; Vampir; Paraver', 'heat2d', 'traffic', 'Messages', [], 'Who has sent how many messages to whom.'),
    ('Bars of waiting', 'Pablo’s bargraph; ParaGraph’s streak', 'fft2d-s4', 'waiting-times', 'Who waits', [], 'How long each task has waited so far.'),
    ('Pie of shares', 'Pablo', 'farm', 'load-balance', 'Shares', [], 'Which part of all work each task has done.'),
    ('Message statistics', 'Vampir’s message summary', 'heat2d', 'traffic', 'Pairs', [], 'The same as rows: messages and bytes of each link.'),
    ('Animation', 'ParaGraph; XPVM’s network; the thesis’ state graph', 'fft2d-s16', 'views', 'State graph', ['--at', '0.253'],
     'The tasks and what goes between them at an instant.'),
    ('Trace', 'ParaGraph; XPVM’s event history', 'heat2d', 'views', 'Trace text', ['--from', '0.08'], 'The events themselves, as sentences.'),
]


def file_of(name):
    return ''.join(c if c.isalnum() else '-' for c in name.split(',')[0].lower())


def draw(scope, root, display, out, cache, more=()):
    name, _, sample, program, view, options, _ = display
    subprocess.run([scope, 'draw', os.path.join(root, 'traces', sample + '.trace'), '--program', program, '--view', view, '-o', out, *options,
                    *more], check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, XDG_CACHE_HOME=cache))


def main():
    scope, root = sys.argv[1:3]
    to = sys.argv[3] if len(sys.argv) > 3 else os.path.join(root, 'docs')
    os.makedirs(os.path.join(to, 'gallery'), exist_ok=True)
    page = ['# Gallery', '', 'Displays by the names that people know them by: what each tells, and what draws it. `docs/gallery.py` makes this page (`ninja gallery`).', '']
    with tempfile.TemporaryDirectory() as cache:
        for display in DISPLAYS:
            name, known, sample, program, view, options, tells = display
            draw(scope, root, display, os.path.join(to, 'gallery', file_of(name) + '.png'), cache, ['--size', '900x420'])
            words = ' '.join(f'"{o}"' if ' ' in o else o for o in options)
            quoted = f'"{view}"' if ' ' in view else view
            page += [f'## {name}', '', f'{tells} ({known})', '', f'    scope draw traces/{sample}.trace --program {program} --view {quoted} {words}'.rstrip() +
                     f' -o {file_of(name)}.png', '', f'![{name}](gallery/{file_of(name)}.png)', '']
    with open(os.path.join(to, 'gallery.md'), 'w', encoding='utf-8') as f:
        f.write('\n'.join(page).rstrip() + '\n')


if __name__ == '__main__':
    main()
