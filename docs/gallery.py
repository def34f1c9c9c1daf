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
    ('Space-time', 'ParaGraph’s Feynman diagram; XPVM', 'fft2d-s16', 'views', 'Space-time', [], 'What each task does over time, and the messages between them: who waits for whom.'),
    ('Gantt', 'ParaGraph; Upshot; Vampir’s master timeline', 'fft2d-s16', 'views', 'Space-time', ['--set', 'Space-time.hide messages=true'],
     'The same without messages: the rhythm of work and waiting.'),
    ('Groups by behaviour', 'Ocelotl; Vampir’s process groups', 'births', 'views', 'Space-time', ['--hierarchy', 'behaviour'],
     'Tasks that do much the same at the same time as one row each: which sorts of tasks there are, and what differs in them.'),
    ('Best cut', 'Ocelotl', 'births', 'views', 'Space-time', ['--hierarchy', 'blocks', '--parts', '18'],
     'As many groups opened as there is room for, where their members differ most.'),
    ('Nested timeline, flame chart', 'Jumpshot; Vampir’s process timeline', 'pipeline', 'call-tree', 'Call timeline', [],
     'What each task was inside of, calls inside of calls, a row for each depth.'),
    ('Flame graph', 'Gregg; Perfetto', 'pipeline', 'call-tree', 'Flame graph', ['--set', 'Flame graph.as=flame graph'],
     'In which calls the time went, whoever called them standing below.'),
    ('Call tree', 'Vampir; Cube', 'pipeline', 'call-tree', 'Call tree rows', [], 'The same as rows that open, with time, share and visits of each path.'),
    ('Source lines', 'Paradyn; Cube', 'fft2d-s4', 'source-lines', 'Lines', [], 'In which lines of the program its tasks spend the time of their calls, how often and how long at most.'),
    ('Treemap', 'Viva', 'pipeline', 'call-tree', 'Flame graph', ['--set', 'Flame graph.as=treemap'], 'The same as areas: the largest is where to look first.'),
    ('Sunburst', 'Trace Compass and others', 'pipeline', 'call-tree', 'Flame graph', ['--set', 'Flame graph.as=sunburst'], 'The same as rings, the outermost calls inside.'),
    ('Utilization count', 'ParaGraph; Vampir’s summary timeline', 'fft2d-s16', 'concurrency', 'Utilization count', [],
     'How many tasks are at work over time: where parallelism is lost.'),
    ('Tasks in each state', 'ParaGraph’s count; XPVM’s utilization; Vampir’s summary timeline', 'fft2d-s16', 'utilization', 'Tasks in each state', [],
     'How many tasks work, wait or talk over time, stacked on each other.'),
    ('Utilization meter', 'ParaGraph', 'fft2d-s16', 'utilization', 'Meter', ['--at', '0.12'], 'How many tasks are in each state at this instant, and on the average.'),
    ('Task summary', 'ParaGraph’s summary; Vampir', 'fft2d-s16', 'utilization', 'Summary', [], 'Which shares of its life each task was in its states, beside each other.'),
    ('Kiviat diagram', 'ParaGraph; Pablo', 'fft2d-cube', 'utilization', 'Kiviat diagram', ['--at', '0.25'],
     'How much each task has worked of late, with the least and the most so far: an even polygon is an even load.'),
    ('Streak', 'ParaGraph', 'fft2d-cube', 'utilization', 'Streak', ['--at', '0.12'], 'Who has worked (to the right) or not (to the left) for how long without a break.'),
    ('Processor status', 'ParaGraph', 'births', 'utilization', 'Processor status', ['--at', '0.3'], 'What each task does now, all of them at once.'),
    ('Concurrency profile', 'ParaGraph', 'fft2d-s16', 'concurrency', 'Concurrency profile', [], 'For which share of the time 0, 1, 2, ... tasks were busy at once.'),
    ('Utilization summary', 'ParaGraph; Vampir’s process summary', 'farm', 'load-balance', 'Balance', [], 'The same as numbers and shades: who has too much to do.'),
    ('State histogram', 'Jumpshot; Paraver', 'fft2d-s4', 'waiting-times', 'Distribution', ['--set', 'Distribution.logarithmic=true'], 'How long waits are: few long ones, or many short ones.'),
    ('Communication matrix', 'ParaGraph; Vampir; Paraver', 'heat2d', 'traffic', 'Messages', [], 'Who has sent how many messages to whom.'),
    ('Traffic', 'ParaGraph', 'fft2d-s16', 'in-flight', 'Traffic', [], 'How many bytes have been sent and not been received yet, over time.'),
    ('Message queues', 'ParaGraph; XPVM', 'fft2d-s16', 'in-flight', 'Message queues', ['--at', '0.09'], 'How much waits at each task now, and the most that ever did.'),
    ('Communication meter', 'ParaGraph', 'fft2d-s16', 'in-flight', 'Meter', ['--at', '0.09'], 'How much is under way now, of the most that ever was.'),
    ('Communication matrix of an instant', 'ParaGraph', 'fft2d-s16', 'in-flight', 'Communication matrix', ['--at', '0.09'],
     'Whose messages to whom are under way now.'),
    ('Phase portrait', 'ParaGraph', 'fft2d-s16', 'in-flight', 'Phase portrait', [], 'Work against what is under way: an execution that repeats itself goes round in circles.'),
    ('Table of stays', 'Paraver’s 2D table', 'fft2d-s16', 'stay-tables', 'Stays by length', [], 'How many stays of each task are how long.'),
    ('Table over time', 'Paraver’s 2D table; Trace Compass’ density', 'fft2d-s16', 'stay-tables', 'Stays in time', [], 'When the stays of each task were long.'),
    ('Bars of waiting', 'Pablo’s bargraph; ParaGraph’s streak', 'fft2d-s4', 'waiting-times', 'Who waits', [], 'How long each task has waited so far.'),
    ('Pie of shares', 'Pablo', 'farm', 'load-balance', 'Shares', [], 'Which part of all work each task has done.'),
    ('Message statistics', 'Vampir’s message summary', 'heat2d', 'traffic', 'Pairs', [], 'The same as rows: messages and bytes of each link.'),
    ('Animation', 'ParaGraph; XPVM’s network; the thesis’ state graph', 'fft2d-s16', 'views', 'State graph', ['--at', '0.253'],
     'The tasks and what goes between them at an instant.'),
    ('Hypercube', 'ParaGraph', 'fft2d-cube', 'views', 'State graph', ['--set', 'State graph.layout=hypercube', '--at', '0.1'],
     'The same on the corners of a cube: messages along the edges go to a neighbour.'),
    ('Ring', 'ParaGraph', 'fft2d-cube', 'views', 'State graph', ['--set', 'State graph.layout=ring', '--at', '0.1'], 'The same in a ring: who talks to the next one, who across.'),
    ('Mesh', 'ParaGraph', 'births', 'views', 'State graph', ['--set', 'State graph.layout=mesh', '--at', '0.3'], 'The same in rows and columns, by their numbers.'),
    ('Torus', 'ParaGraph', 'fft2d-cube', 'views', 'State graph', ['--set', 'State graph.layout=torus', '--at', '0.1'],
     'A mesh so folded that its first and last rows are neighbours.'),
    ('Tree', 'ParaGraph', 'births', 'views', 'State graph', ['--set', 'State graph.layout=tree', '--at', '0.3'], 'The same as a tree: task i stands above 2i + 1 and 2i + 2.'),
    ('Network', 'ParaGraph', 'fft2d-cube', 'views', 'State graph', ['--set', 'State graph.layout=topology', '--at', '0.25'],
     'The machine with its switches: messages take the wires, and each is as wide as what has gone over it.'),
    ('Hosts', 'XPVM’s network', 'fft2d-s16', 'views', 'State graph', ['--set', 'State graph.layout=hosts', '--at', '0.253'], 'The tasks of one host together.'),
    ('State graph in 3D', 'the thesis', 'fft2d-cube', 'scene', 'Scene', ['--set', 'Scene.layout=hypercube', '--at', '0.1'],
     'The tasks of an instant and what has passed between them, in space: cones point from who sent to who received.'),
    ('Space-time in 3D', 'Avatar; the thesis’ perspectives', 'heat2d', 'scenes', 'Space-time in 3D', ['--at', '0.1'],
     'Time goes up from where each task stands: who waited (thin) while whom a message was on its way to.'),
    ('Kiviat over time', 'Pablo; the thesis’ perspectives', 'fft2d-cube', 'scenes', 'Kiviat over time', ['--at', '0.2'],
     'The Kiviat diagram of each slice of time on that of the one before: a dent is a time in which a task did not work.'),
    ('Terrain of work', 'Virtue; ParaGraph’s landscape displays', 'heat2d', 'scenes', 'Work as a landscape', ['--at', '0.1'],
     'How much each task worked when, as a landscape: a valley across all of them is a time in which nobody did.'),
    ('Terrain of a matrix', 'ParaGraph; Pablo', 'heat2d', 'scenes', 'Bytes as a landscape', ['--at', '0.1'],
     'Who sent how many bytes to whom: the highest towers are the pairs to look at first.'),
    ('Scatter in 3D', 'Pablo’s scatter cube', 'heat2d', 'scenes', 'Tasks by what they do', ['--at', '0.06'],
     'Three numbers of each task at once: who works, how long it has been in its state, and how much waits for it.'),
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
