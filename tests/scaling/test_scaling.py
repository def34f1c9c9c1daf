#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing grows worse than n log n with what a trace or a program can make large: boxes, wires, tasks, marks.

Each command is run on n and on 8 n of something, and its own processor time is compared; what it takes for nothing is
taken off.  n log n gives about 10 times as much, a square 64 times: 24 is refused, and only if it is so three times in a
row, as the machine may have much else to do."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

SCOPE = os.environ['SCOPE']
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FACTOR, MOST = 8, 24
FLOOR = 0.05        # s: what is shorter is not compared with anything


def program(path, boxes, wires):
    with open(path, 'w') as f:
        f.write('<eve version="1">\n<component name="Reader" class="scope.tapepvm-reader"/>\n' + '\n'.join(boxes) + '\n' + '\n'.join(wires)
                + '\n</eve>\n')


def box(name, kind, more=''):
    return f'<component name="{name}" class="scope.{kind}">{more}</component>'


def wire(a, out, b, into):
    return f'<wire from="{a}" out="{out}" to="{b}" in="{into}"/>'


class Scaling(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='scope-scaling-')
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.env = dict(os.environ, DISPLAY='', WAYLAND_DISPLAY='', LC_ALL='C.UTF-8',
                        **{f'XDG_{kind}_HOME': self.path(kind) for kind in ('CACHE', 'DATA', 'CONFIG')})
        self.trace = self.path('ring.trace')
        shutil.copytree(os.path.join(ROOT, 'traces', 'ring.trace'), self.trace)

    def path(self, *words):
        return os.path.join(self.folder, *words)

    def cpu(self, words, statuses=(0,)):
        """Seconds of the processor, its own and the system's for it."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([SCOPE, *words], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertIn(done.returncode, statuses, done.stderr[-2000:])
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    def grows(self, what, n, command, statuses=(0,)):
        """`command` gives the words for n things, having made them."""
        for attempt in range(3):
            nothing = self.cpu(command(1), statuses)
            small = max(self.cpu(command(n), statuses) - nothing, FLOOR)
            large = self.cpu(command(FACTOR * n), statuses) - nothing
            ratio = large / small
            print(f'{what:34} {n:7} {small:7.3f} s   {FACTOR * n:7} {large:7.3f} s   {ratio:5.1f} times', file=sys.stderr)
            if ratio <= MOST:
                return
        self.fail(f'{what}: {FACTOR} times as many take {ratio:.0f} times as long')

    # ---- programs ----
    def of_program(self, what, n, make, verb=('check',)):
        path = self.path('p.eve')

        def command(k):
            program(path, *make(k))
            return [*verb, path] if verb[0] == 'check' else ['run', self.trace, '--until', '0.001', '--program', path]
        self.grows(what, n, command, (0, 1))

    @staticmethod
    def chain(n):
        return ([box(f'Gate {i}', 'gate') for i in range(n)],
                [wire(f'Gate {i - 1}' if i else 'Reader', 'out' if i else 'events', f'Gate {i}', 'in') for i in range(n)])

    @staticmethod
    def fan(n):
        return [box(f'Gate {i}', 'gate') for i in range(n)], [wire('Reader', 'events', f'Gate {i}', 'in') for i in range(n)]

    def test_chain(self):
        self.of_program('boxes in a chain', 1000, self.chain)

    def test_backwards(self):
        """Wired from the end: sets of boxes with one type grow into each other."""
        self.of_program('boxes wired from the end', 1000, lambda n: (self.chain(n)[0], self.chain(n)[1][::-1]))

    def test_fan_out(self):
        self.of_program('wires at an output', 2000, self.fan)

    def test_fan_in(self):
        self.of_program('wires at an input', 2000, lambda n: (
            [box(f'Gate {i}', 'gate') for i in range(n)] + [box('Merge', 'merge')],
            [wire(f'Gate {i}', 'out', 'Merge', 'in') for i in range(n)]))

    def test_misfits(self):
        """Wires that are refused: each with a sentence."""
        self.of_program('wires that do not fit', 2000, lambda n: (
            [box('Gate', 'gate'), box('Sink', 'text-sink'), *[box(f'Unary {i}', 'unary') for i in range(n)]],
            [wire('Reader', 'events', 'Gate', 'in'), *[wire('Gate', 'out', f'Unary {i}', 'value') for i in range(n)]]))

    def test_ghosts(self):
        self.of_program('boxes of no class', 3000, lambda n: ([box(f'G {i}', f'none-{i}') for i in range(n)], []))

    def test_settings(self):
        self.of_program('settings of a box', 10000, lambda n: (
            [box('Gate', 'gate', ''.join(f'<setting name="s{i}">1</setting>' for i in range(n)))], []))

    def test_notes(self):
        self.of_program('notes of a program', 10000, lambda n: ([f'<note name="n{i}">x</note>' for i in range(n)], []))

    def test_run(self):
        self.of_program('running a chain', 500, self.chain, ('run',))

    def test_run_fan(self):
        self.of_program('running a fan', 500, self.fan, ('run',))

    # ---- marks ----
    def test_marks(self):
        def command(n):
            with open(os.path.join(self.trace, 'marks.xml'), 'w') as f:
                f.write('<marks version="1">\n' + '\n'.join(f'<mark name="m{i}" date="{(i * 7919) % n}"/>' for i in range(n)) + '\n</marks>\n')
            return ['marks', self.trace, 'list', '--json']
        self.grows('marks', 5000, command)

    def test_nicknames(self):
        def command(n):
            with open(os.path.join(self.trace, 'nicknames'), 'w') as f:
                f.write('\n'.join(f't{i} name {i}' for i in range(n)))
            return ['info', self.trace]
        self.grows('nicknames', 20000, command)

    # ---- traces ----
    def of_trace(self, what, n, words, events_each=20, form='tapepvm'):
        made = {}

        def command(k):
            if k not in made:
                made[k] = self.path(f't{k}.trace')
                subprocess.run([SCOPE, 'synth', '--format', form, '--tasks', str(max(k, 2)), '--events', str(max(k, 2) * events_each),
                                '-o', made[k]], env=self.env, check=True, stdout=subprocess.DEVNULL)
            return [words[0], made[k], *words[1:]]
        self.grows(what, n, command)

    def test_tasks_info(self):
        self.of_trace('tasks: info', 500, ['info'])

    def test_tasks_run(self):
        self.of_trace('tasks: run', 500, ['run', '--stats'])

    def test_tasks_tables(self):
        """A table of all tasks, and one of all pairs, again and again."""
        path, often = self.path('tables.eve'), '<setting name="every">64</setting>'
        program(path, [box('Simulator', 'pvm-simulator'), box('Durations', 'state-durations', often), box('Traffic', 'traffic', often),
                       box('A', 'data-file', '<setting name="file">a.csv</setting>'), box('B', 'data-file', '<setting name="file">b.csv</setting>')],
                [wire('Reader', 'events', 'Simulator', 'events'), wire('Simulator', 'states', 'Durations', 'states'),
                 wire('Simulator', 'messages', 'Traffic', 'messages'), wire('Durations', 'table', 'A', 'in'), wire('Traffic', 'table', 'B', 'in')])
        self.of_trace('tasks: tables', 1000, ['run', '--program', path, '--out', self.path('out')], 10)

    def test_tasks_threads(self):
        """Tasks die, each with its threads and semaphores."""
        path, follow = self.path('threads.eve'), ''.join(f'<setting name="{k}">true</setting>' for k in ('threads', 'semaphores'))
        with open(path, 'w') as f:
            f.write('<eve version="1">' + box('Reader', 'tape-reader') + box('Simulator', 'ouf-simulator', follow)
                    + wire('Reader', 'events', 'Simulator', 'events') + '</eve>')
        self.of_trace('tasks: threads', 2000, ['run', '--program', path], 10, 'tape')

    def test_tasks_film(self):
        self.of_trace('tasks: film', 125, ['film'])

    def test_events(self):
        self.of_trace('events: run', 4, ['run', '--stats'], 5000)


if __name__ == '__main__':
    unittest.main(verbosity=0)
