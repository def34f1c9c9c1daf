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
    ('Space-time', 'ParaGraph’s spacetime or Feynman diagram; XPVM’s space-time', 'fft2d-s16', 'views', 'Space-time', [], 'What each task does over time, and the messages between them: who waits for whom.'),
    ('Gantt', 'ParaGraph’s Gantt; Upshot; Vampir’s master timeline; a row of it is Vampir’s process timeline', 'fft2d-s16', 'views', 'Space-time', ['--set', 'Space-time.hide messages=true'],
     'The same without messages: the rhythm of work and waiting.'),
    ('Preview', 'Jumpshot’s preview; Vampir’s master timeline', 'fft2d-s64', 'views', 'Space-time', [],
     'Where a column of the picture has more than it can show, states stand on each other, each as high as its share, and messages become bundles.'),
    ('Groups by behaviour', 'Ocelotl; Vampir’s process groups', 'births', 'views', 'Space-time', ['--hierarchy', 'behaviour'],
     'Tasks that do much the same at the same time as one row each: which sorts of tasks there are, and what differs in them.'),
    ('Best cut', 'Ocelotl’s overview', 'births', 'views', 'Space-time', ['--hierarchy', 'blocks', '--parts', '18'],
     'As many groups opened as there is room for, where their members differ most.'),
    ('Nested timeline, flame chart', 'Upshot’s and Jumpshot’s nested states; Perfetto’s flame chart; Vampir’s process timeline', 'pipeline', 'call-tree', 'Call timeline', [],
     'What each task was inside of, calls inside of calls, a row for each depth.'),
    ('Flame graph', 'Gregg’s; Perfetto', 'pipeline', 'call-tree', 'Flame graph', ['--set', 'Flame graph.as=flame graph'],
     'In which calls the time went, whoever called them standing below.'),
    ('Call tree', 'Vampir’s and Cube’s call tree', 'pipeline', 'call-tree', 'Call tree rows', [], 'The same as rows that open, with time, share and visits of each path.'),
    ('Source lines', 'Paradyn’s table; Vampir’s function summary; Cube', 'fft2d-s4', 'source-lines', 'Lines', [], 'In which lines of the program its tasks spend the time of their calls, how often and how long at most.'),
    ('Call tree of each task', 'Cube’s system tree', 'pipeline', 'call-tree', 'Call tree rows', ['--set', 'Call tree.trees of=tasks'],
     'The call tree of each task for itself: in whom the time of a call went.'),
    ('Treemap', 'Viva’s treemap', 'pipeline', 'call-tree', 'Flame graph', ['--set', 'Flame graph.as=treemap'], 'The same as areas: the largest is where to look first.'),
    ('Sunburst', 'Trace Compass and others', 'pipeline', 'call-tree', 'Flame graph', ['--set', 'Flame graph.as=sunburst'], 'The same as rings, the outermost calls inside.'),
    ('Utilization count', 'ParaGraph; Paradyn’s time histogram; Vampir’s summary timeline', 'fft2d-s16', 'concurrency', 'Utilization count', [],
     'How many tasks are at work over time: where parallelism is lost.'),
    ('Tasks in each state', 'ParaGraph’s count; XPVM’s utilization; Vampir’s summary timeline', 'fft2d-s16', 'utilization', 'Tasks in each state', [],
     'How many tasks work, wait or talk over time, stacked on each other.'),
    ('Utilization meter', 'ParaGraph’s meter', 'fft2d-s16', 'utilization', 'Meter', ['--at', '0.12'], 'How many tasks are in each state at this instant, and on the average.'),
    ('Task summary', 'ParaGraph’s summary; Vampir', 'fft2d-s16', 'utilization', 'Summary', [], 'Which shares of its life each task was in its states, beside each other.'),
    ('Kiviat diagram', 'ParaGraph’s and Pablo’s Kiviat', 'fft2d-cube', 'utilization', 'Kiviat diagram', ['--at', '0.25'],
     'How much each task has worked of late, with the least and the most so far: an even polygon is an even load.'),
    ('Streak', 'ParaGraph’s streak', 'fft2d-cube', 'utilization', 'Streak', ['--at', '0.12'], 'Who has worked (to the right) or not (to the left) for how long without a break.'),
    ('Processor status', 'ParaGraph’s processor status; Pablo’s LED', 'births', 'utilization', 'Processor status', ['--at', '0.3'], 'What each task does now, all of them at once.'),
    ('Concurrency profile', 'ParaGraph’s profile', 'fft2d-s16', 'concurrency', 'Concurrency profile', [], 'For which share of the time 0, 1, 2, ... tasks were busy at once.'),
    ('Utilization summary', 'ParaGraph; Vampir’s process summary; Pablo’s matrix; the thesis’ matrix', 'farm', 'load-balance', 'Balance', [], 'The same as numbers and shades: who has too much to do.'),
    ('State histogram', 'Jumpshot’s state histogram; Paraver; the thesis’ histogram', 'fft2d-s4', 'waiting-times', 'Distribution', ['--set', 'Distribution.logarithmic=true'], 'How long waits are: few long ones, or many short ones.'),
    ('Communication matrix', 'ParaGraph’s, Vampir’s and Paraver’s communication matrix', 'heat2d', 'traffic', 'Messages', [], 'Who has sent how many messages to whom.'),
    ('Traffic', 'ParaGraph’s traffic; Pablo’s strip chart; Trace Compass’ XY chart', 'fft2d-s16', 'in-flight', 'Traffic', [], 'How many bytes have been sent and not been received yet, over time.'),
    ('Message queues', 'ParaGraph’s message queues; XPVM’s message queue', 'fft2d-s16', 'in-flight', 'Message queues', ['--at', '0.09'], 'How much waits at each task now, and the most that ever did.'),
    ('Communication meter', 'ParaGraph’s communication meter; Pablo’s dial; the thesis’ gauge', 'fft2d-s16', 'in-flight', 'Meter', ['--at', '0.09'], 'How much is under way now, of the most that ever was.'),
    ('Communication matrix of an instant', 'ParaGraph', 'fft2d-s16', 'in-flight', 'Communication matrix', ['--at', '0.09'],
     'Whose messages to whom are under way now.'),
    ('Phase portrait', 'ParaGraph’s phase portrait; Pablo’s X-Y plot', 'fft2d-s16', 'in-flight', 'Phase portrait', [], 'Work against what is under way: an execution that repeats itself goes round in circles.'),
    ('Bubbles', 'Pablo’s bubble chart', 'heat2d', 'in-flight', 'Bubbles', ['--at', '0.1051'],
     'How much each task has worked of late, against for how long without a break, the larger the more waits for it: who is late with what others have sent.'),
    ('Table of stays', 'Paraver’s 2D table, and with each state in turn its 3D table', 'fft2d-s16', 'stay-tables', 'Stays by length', [], 'How many stays of each task are how long.'),
    ('Table over time', 'Paraver’s 2D table; Trace Compass’ density', 'fft2d-s16', 'stay-tables', 'Stays in time', [], 'When the stays of each task were long.'),
    ('Bars of waiting', 'Pablo’s bargraph; Paradyn’s bar chart', 'fft2d-s4', 'waiting-times', 'Who waits', [], 'How long each task has waited so far.'),
    ('Pie of shares', 'Pablo', 'farm', 'load-balance', 'Shares', [], 'Which part of all work each task has done.'),
    ('Message statistics', 'Vampir’s message summary; Trace Compass’ latency table', 'heat2d', 'traffic', 'Pairs', [], 'The same as rows: messages and bytes of each link.'),
    ('Node Data', 'ParaGraph’s node data', 'heat2d', 'node-data', 'Node Data', [],
     'Each message of one task: with whom, when, which tag, how large, how long under way.'),
    ('Messages of one task over time', 'ParaGraph’s node data', 'fft2d-s16', 'node-data', 'Sent over time', [],
     'How large the messages are that one task sends, in the colour of who gets them.'),
    ('Message statistics of tasks', 'ParaGraph’s statistics', 'heat2d', 'node-data', 'Messages of tasks', [],
     'How many messages and bytes each task has sent and received, and how long they were under way.'),
    ('Statistics', 'ParaGraph’s statistics', 'fft2d-s16', 'statistics', 'Statistics', [], 'For how long each task was in which state, in exact figures.'),
    ('Context', 'Vampir’s context view; ParaGraph’s coordinate information', 'fft2d-s16', 'statistics', 'Context', ['--at', '0.15'],
     'All that is known of each task at the instant; what is pointed at in any view tells the same of itself.'),
    ('Call Trace', 'XPVM’s call trace', 'fft2d-s16', 'statistics', 'Call Trace', ['--at', '0.15'],
     'The call that each task is inside of, or its last one, with what it was called for.'),
    ('Task Output', 'XPVM’s task output; Ocamlviz’ logs', 'fft2d-s16', 'statistics', 'Task Output', ['--from', '0.03'],
     'What the programs tell themselves, as text: marks and phases, and what they print and log where the trace has it.'),
    ('Clock', 'ParaGraph’s clock', 'fft2d-s16', 'statistics', 'Clock', ['--at', '0.15'], 'The instant that is looked at, and how far it is in the execution.'),
    ('Scatter matrix', 'Pablo’s scatter matrix', 'fft2d-cube', 'statistics', 'Scatter matrix', [],
     'Each figure of the tasks against each other: what goes together, and which tasks do not do as the others.'),
    ('Contour', 'Pablo’s contour; the thesis’ contour', 'farm-sampled', 'samples', 'Who had one', ['--set', 'Who had one.as=contour'],
     'Lines of equal height over tasks and time: where a number is large, and how far around.'),
    ('Counter timeline', 'Vampir’s counter timeline; Pablo’s strip chart', 'farm-sampled', 'samples', 'Processor in time', [],
     'A number that was sampled, for each task over time: who had a processor when.'),
    ('Performance radar', 'Vampir’s performance radar; Paraver’s timeline of a derived metric', 'farm-sampled', 'samples', 'Who had one', [],
     'The same as a shade for each task and stretch of time.'),
    ('Task Count', 'ParaGraph’s task count', 'heat2d', 'regions', 'Task Count', [], 'How many tasks are in which part of the program, or which call, over time.'),
    ('Task Gantt', 'ParaGraph’s task Gantt', 'heat2d', 'regions', 'Task Gantt', [], 'Which part of the program each task is in over time.'),
    ('Task Status', 'ParaGraph’s task status', 'heat2d', 'regions', 'Task Status', ['--at', '0.1'], 'Which part of the program each task is in now.'),
    ('Task Summary', 'ParaGraph’s task summary; Vampir’s function summary', 'heat2d', 'regions', 'Task Summary', [],
     'How much of its life each task was in which part of the program.'),
    ('Task Speed', 'ParaGraph’s task speed', 'heat2d', 'regions', 'Task Speed', [], 'How many seconds of tasks a second go into each part of the program, over time.'),
    ('Task Surface', 'ParaGraph’s task surface', 'heat2d', 'regions', 'Task Surface', [],
     'The shares of the parts of the program in each task, as a landscape: a ridge across it is a part that all spend their time in.'),
    ('Critical Path', 'ParaGraph’s critical path', 'heat2d', 'waits', 'Space-time', ['--set', 'Space-time.critical path=true'],
     'What the execution took so long for: only work on this way from task to task makes it shorter.'),
    ('Parts of the critical path', 'ParaGraph’s critical path', 'heat2d', 'waits', 'Critical path', [], 'The same in figures: how much of the path lies in which task and call.'),
    ('Kinds of wait', 'Cube’s metric tree', 'heat2d', 'waits', 'Kinds of wait', [], 'How long tasks waited, by the reason: a sender that is late, a receiver, a group that is not complete.'),
    ('Root causes', 'Paradyn’s Performance Consultant', 'heat2d', 'waits', 'Root causes', [], 'Whose doing the waits of others are, and in which call: why it takes so long, where, who.'),
    ('Overhead over time', 'Paradyn’s time histogram; the thesis’ curves', 'fft2d-s4', 'communication-overhead', 'In time', [],
     'Which share of their time tasks spend on exchanging data, phase by phase.'),
    ('Gauge', 'the thesis’ gauge; Pablo’s dial', 'fft2d-s4', 'communication-overhead', 'Now', ['--at', '0.1'], 'A number between the least and the most it has been.'),
    ('Numbers', 'Pablo’s LED; ParaGraph’s meters', 'fft2d-s4', 'communication-overhead', 'Messages', ['--at', '0.1'], 'Numbers large enough to be read from afar.'),
    ('Animation', 'ParaGraph’s animation; XPVM’s network; the thesis’ state graph', 'fft2d-s16', 'views', 'State graph', ['--at', '0.253'],
     'The tasks and what goes between them at an instant.'),
    ('Hypercube', 'ParaGraph’s hypercube', 'fft2d-cube', 'views', 'State graph', ['--set', 'State graph.layout=hypercube', '--at', '0.1'],
     'The same on the corners of a cube: messages along the edges go to a neighbour.'),
    ('Ring', 'ParaGraph', 'fft2d-cube', 'views', 'State graph', ['--set', 'State graph.layout=ring', '--at', '0.1'], 'The same in a ring: who talks to the next one, who across.'),
    ('Mesh', 'ParaGraph', 'births', 'views', 'State graph', ['--set', 'State graph.layout=mesh', '--at', '0.3'], 'The same in rows and columns, by their numbers.'),
    ('Torus', 'ParaGraph', 'fft2d-cube', 'views', 'State graph', ['--set', 'State graph.layout=torus', '--at', '0.1'],
     'A mesh so folded that its first and last rows are neighbours.'),
    ('Tree', 'ParaGraph', 'births', 'views', 'State graph', ['--set', 'State graph.layout=tree', '--at', '0.3'], 'The same as a tree: task i stands above 2i + 1 and 2i + 2.'),
    ('Network', 'ParaGraph’s network', 'fft2d-cube', 'views', 'State graph', ['--set', 'State graph.layout=topology', '--at', '0.25'],
     'The machine with its switches: messages take the wires, and each is as wide as what has gone over it.'),
    ('Hosts', 'XPVM’s network', 'fft2d-s16', 'views', 'State graph', ['--set', 'State graph.layout=hosts', '--at', '0.253'], 'The tasks of one host together.'),
    ('Graph of groups', 'Viva’s graph', 'births', 'views', 'State graph', ['--hierarchy', 'behaviour', '--at', '0.25'],
     'Tasks put together, with what goes between their groups and how those are divided among states.'),
    ('State graph in 3D', 'the thesis', 'fft2d-cube', 'scene', 'Scene', ['--set', 'Scene.layout=hypercube', '--at', '0.1'],
     'The tasks of an instant and what has passed between them, in space: cones point from who sent to who received.'),
    ('Space-time in 3D', 'Avatar; the thesis’ perspectives', 'heat2d', 'scenes', 'Space-time in 3D', ['--at', '0.1'],
     'Time goes up from where each task stands: who waited (thin) while whom a message was on its way to.'),
    ('Kiviat over time', 'Pablo; the thesis’ perspectives', 'fft2d-cube', 'scenes', 'Kiviat over time', ['--at', '0.2'],
     'The Kiviat diagram of each slice of time on that of the one before: a dent is a time in which a task did not work.'),
    ('Terrain of work', 'Virtue; Paradyn’s terrain; ParaGraph’s landscape displays', 'heat2d', 'scenes', 'Work as a landscape', ['--at', '0.1'],
     'How much each task worked when, as a landscape: a valley across all of them is a time in which nobody did.'),
    ('Terrain of a matrix', 'ParaGraph; Pablo', 'heat2d', 'scenes', 'Bytes as a landscape', ['--at', '0.1'],
     'Who sent how many bytes to whom: the highest towers are the pairs to look at first.'),
    ('Scatter in 3D', 'Pablo’s 3-D scatter cube', 'fft2d-cube', 'scenes', 'Tasks by what they do', ['--at', '0.2'],
     'Three numbers of each task at once: who works, how long it has been in its state, and how much waits for it.'),
    ('Trace', 'ParaGraph’s trace; XPVM’s event history', 'heat2d', 'views', 'Trace text', ['--from', '0.08'], 'The events themselves, as sentences.'),
    ('Sizes by type', 'ocp-memprof’s sizes by type over time', 'traces/shop.trace', 'views', 'Classes over time', [],
     'How much memory lives in blocks of each class, over time.'),
    ('Retained tree', 'ocp-memprof’s retained tree', 'docs/components/heap.trace', 'views', 'Retained rows', [], 'Which block alone keeps how much of the memory alive, and what below it.'),
    ('Memory by calls', 'ocp-memprof; heaptrack’s flame graph', 'docs/components/calls.heaptrack', 'views', 'Flame graph', [], 'Which calls have allocated the memory that lives.'),
    ('Values', 'Ocamlviz’ values', 'traces/watched.trace', 'views', 'Integers', [], 'What a running program shows of its variables, now.'),
    ('Tags', 'Ocamlviz’ tags', 'traces/watched.trace', 'views', 'Tags', [], 'How many values were marked in the program as belonging together, and how large they are.'),
    ('Logs', 'Ocamlviz’ logs', 'traces/watched.trace', 'views', 'Log', [], 'What a running program has written to its log.'),
]


def file_of(name):
    return ''.join(c if c.isalnum() else '-' for c in name.split(',')[0].lower())


def sample_of(root, display):
    """Samples of PVM have short names."""
    return os.path.join(root, display[2] if '/' in display[2] else os.path.join('traces', display[2] + '.trace'))


def draw(scope, root, display, out, cache, more=()):
    program, view, options = display[3:6]
    subprocess.run([scope, 'draw', sample_of(root, display), '--program', program, '--view', view, '-o', out, *options,
                    *more], check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, XDG_CACHE_HOME=cache))


def main():
    scope, root = sys.argv[1:3]
    to = sys.argv[3] if len(sys.argv) > 3 else os.path.join(root, 'docs')
    os.makedirs(os.path.join(to, 'gallery'), exist_ok=True)
    page = ['# Gallery', '', 'Displays by the names that people know them by: what each tells, and what draws it. `docs/gallery.py` makes this page (`ninja gallery`).', '']
    with tempfile.TemporaryDirectory() as cache:
        for display in DISPLAYS:
            name, known, _, program, view, options, tells = display
            draw(scope, root, display, os.path.join(to, 'gallery', file_of(name) + '.png'), cache, ['--size', '900x420'])
            words = ' '.join(f'"{o}"' if ' ' in o else o for o in options)
            quoted = f'"{view}"' if ' ' in view else view
            page += [f'## {name}', '', f'{tells} ({known})', '', f'    scope draw {os.path.relpath(sample_of(root, display), root)} --program {program} --view {quoted} {words}'.rstrip() +
                     f' -o {file_of(name)}.png', '', f'![{name}](gallery/{file_of(name)}.png)', '']
    with open(os.path.join(to, 'gallery.md'), 'w', encoding='utf-8') as f:
        f.write('\n'.join(page).rstrip() + '\n')


if __name__ == '__main__':
    main()
