# SPDX-License-Identifier: Apache-2.0
"""Views, readers and simulators of a program with several: each is about what it is wired to, and nothing else."""
import csv
import io
import json
import math
import os
import random
import re
import shutil
import unittest

from cli import Case, ROOT, scope

random.seed(os.environ.get('SCOPE_SEED', '1'))

TRACES = os.path.join(ROOT, 'traces')
SMALL, LARGE = os.path.join(TRACES, 'fft2d-s64.trace'), os.path.join(TRACES, 'fft2d-s2.trace')
EXAMPLES = os.path.join(ROOT, 'docs', 'components')
OWN = '<setting name="trace">%s</setting>'


def box(name, kind, inside=''):
    return f'<component name="{name}" class="scope.{kind}" version="1">{inside}</component>'


def wire(source, out, to, into):
    return f'<wire from="{source}" out="{out}" to="{to}" in="{into}"/>'


def program(*parts):
    return '<eve version="1">' + ''.join(parts) + '</eve>'


def chain(mark, own=''):
    """A reader, its simulator, and three views of it."""
    reader, simulator = 'Reader ' + mark, 'Simulator ' + mark
    return (box(reader, 'tapepvm-reader', own) + box(simulator, 'pvm-simulator') + box('Graph ' + mark, 'state-graph')
            + box('Space-time ' + mark, 'space-time') + box('Text ' + mark, 'trace-text')
            + wire(reader, 'events', simulator, 'events') + wire(simulator, 'messages', 'Graph ' + mark, 'messages')
            + wire(simulator, 'states', 'Space-time ' + mark, 'states') + wire(reader, 'events', 'Text ' + mark, 'events'))


class Wires(Case):
    def setUp(self):
        super().setUp()
        os.environ['XDG_CACHE_HOME'] = self.path('cache')
        shutil.copytree(LARGE, self.path('beside.trace'))       # a program may read what lies beside it
        os.rename(self.path('beside.trace', 'fft2d-s2.tapepvm'), self.path('beside.trace', 'beside.tapepvm'))

    def write(self, name, text):
        with open(self.path(name), 'w') as f:
            f.write(text)
        return self.path(name)

    def table(self, trace, path, view, *words):
        """What a view shows, as rows."""
        to = self.path('view.csv')
        self.good('draw', trace, '--program', path, '--view', view, *words, '-o', to)
        with open(to, newline='') as f:
            return list(csv.reader(f))


class Executions(Wires):
    """One program, two traces."""

    def setUp(self):
        super().setUp()
        self.two = self.write('two.eve', program(chain('A', OWN % 'beside.trace'), chain('B')))

    def test_each_reads_its_own(self):
        stats = self.good('run', SMALL, '--program', self.two, '--stats').json()
        self.assertEqual(stats['events_read'], 7076 + 3356)
        self.assertEqual(stats['events_simulated'], 7076 + 3356)
        stats = self.good('run', self.path('beside.trace'), '--program', self.two, '--stats').json()
        self.assertEqual(stats['events_read'], 2 * 7076)

    def test_given_on_the_command_line(self):
        both = self.write('both.eve', program(chain('A'), chain('B')))
        for path in (LARGE, os.path.relpath(LARGE)):
            stats = self.good('run', SMALL, '--program', both, '--set', 'Reader A.trace=' + path, '--stats').json()
            self.assertEqual(stats['events_read'], 7076 + 3356)
        stats = self.good('run', SMALL, '--program', both, '--set', 'Reader A.trace=beside.trace', '--stats').json()
        self.assertEqual(stats['events_read'], 7076 + 3356)     # beside the program

    def test_views_are_of_their_own_trace(self):
        for mark, trace in (('A', LARGE), ('B', SMALL)):
            for view in ('Graph', 'Space-time', 'Text'):
                words = ['--at', '0.2'] if view == 'Graph' else []
                alone = self.write('alone.eve', program(chain(mark)))
                self.assertEqual(self.table(SMALL, self.two, f'{view} {mark}', *words),
                                 self.table(trace, alone, f'{view} {mark}', *words), f'{view} {mark}')

    def test_states(self):
        both = self.good('state', SMALL, '--at', '0.15', '--program', self.two, '--json').json()
        self.assertEqual([e['simulator'] for e in both], ['Simulator B', 'Simulator A'])
        self.assertEqual(both[0]['state'], self.good('state', SMALL, '--at', '0.15', '--json').json())
        other = self.good('state', SMALL, '--at', '0.15', '--program', self.two, '--simulator', 'Simulator A', '--json').json()
        self.assertEqual(other['hash'], self.good('state', LARGE, '--at', '0.15', '--json').json()['hash'])
        wrong = scope('state', SMALL, '--at', '0.15', '--program', self.two, '--simulator', 'Nobody')
        self.assertEqual(wrong.status, 1)
        self.assertIn('no simulator called “Nobody”; it has Simulator A, Simulator B', wrong.err)

    def test_nobody_reads_what_is_opened(self):
        path = self.write('own.eve', program(chain('A', OWN % 'beside.trace')))
        r = scope('run', SMALL, '--program', path)
        self.assertEqual(r.status, 1)
        self.assertIn('each of its readers has a trace of its own', r.err)
        self.assertIn('--set "Reader A.trace="', r.err)
        stats = self.good('run', SMALL, '--program', path, '--set', 'Reader A.trace=', '--stats').json()
        self.assertEqual(stats['events_read'], 3356)
        self.assertEqual(self.good('run', self.path('beside.trace'), '--program', path, '--stats').json()['events_read'], 7076)

    def test_the_example(self):
        """By `scope run`, too, whichever of its traces is opened."""
        with open(os.path.join(EXAMPLES, 'merge-by-date.expected')) as f:
            expected = f.read()
        for name in ('left', 'right'):
            r = self.good('run', os.path.join(EXAMPLES, name + '.trace'), '--program',
                          os.path.join(EXAMPLES, 'merge-by-date.eve'))
            self.assertEqual(r.out, expected)

    def test_films(self):
        """Another trace of one reader is another film."""
        film = self.path('film')
        self.good('film', SMALL, '--program', self.two, '-o', film)
        again = self.good('film', SMALL, '--program', self.two, '-o', film, '--stats').json()
        self.assertTrue(again['was_complete'])
        self.assertEqual(again['events'], 7076)
        ring = os.path.join(TRACES, 'ring.trace')
        other = scope('film', SMALL, '--program', self.two, '--set', 'Reader A.trace=' + ring, '-o', film)
        self.assertIn('shot again', other.err)

    def test_two_in_one_picture(self):
        path = self.write('mixed.eve', program(chain('A', OWN % 'beside.trace'), chain('B'), box('Both', 'space-time'),
                                              wire('Simulator A', 'states', 'Both', 'states'),
                                              wire('Simulator B', 'states', 'Both', 'states')))
        r = scope('draw', SMALL, '--program', path, '--view', 'Both', '-o', self.path('x.csv'))
        self.assertEqual(r.status, 1)
        self.assertIn('lead to two executions, beside and fft2d-s64', r.err)


class Simulators(Wires):
    """One trace, two simulators, a filter: the State graph is about its wire."""

    def setUp(self):
        super().setUp()
        some = '<setting name="tasks">fft 0, fft 1</setting>'
        large = '<setting name="where">bytes > %s</setting>'
        self.program = self.write('filters.eve', program(
            chain('all'), box('Some', 'filter', some), box('Second', 'pvm-simulator'), box('Graph of some', 'state-graph'),
            wire('Reader all', 'events', 'Some', 'in'), wire('Some', 'passed', 'Second', 'events'),
            wire('Second', 'messages', 'Graph of some', 'messages'),
            box('Nothing', 'filter', large % '1e12'), box('Graph of nothing', 'state-graph'),
            wire('Simulator all', 'messages', 'Nothing', 'in'), wire('Nothing', 'passed', 'Graph of nothing', 'messages'),
            box('Large', 'filter', large % '1024'), box('Graph of the large', 'state-graph'),
            wire('Simulator all', 'messages', 'Large', 'in'), wire('Large', 'passed', 'Graph of the large', 'messages'),
            box('Count', 'counter'), box('CSV', 'csv-sink'), wire('Large', 'passed', 'Count', 'in'), wire('Count', 'count', 'CSV', '1'), box('Alone', 'state-graph')))
        self.at = '0.19'

    def graph(self, view):
        rows = self.table(LARGE, self.program, view, '--at', self.at)
        head = rows[0]
        return {r[1]: dict(zip(head, r)) for r in rows[1:]}

    def test_second_simulator(self):
        all_tasks, some = self.graph('Graph all'), self.graph('Graph of some')
        self.assertEqual(len([r for r in all_tasks.values() if r['kind'] == 'node']), 4)
        self.assertEqual({r['node Nickname'] for r in some.values() if r['kind'] == 'node'}, {'fft 0', 'fft 1'})

    def test_the_one_that_gets_all(self):
        """What is told of the program is of the simulator that gets the whole trace, wherever it stands in the file."""
        some = '<setting name="tasks">fft 0, fft 1</setting>'
        half = (box('Reader', 'tapepvm-reader') + box('Some', 'filter', some) + box('Half', 'pvm-simulator')
                + wire('Reader', 'events', 'Some', 'in') + wire('Some', 'passed', 'Half', 'events'))
        whole = box('Whole', 'pvm-simulator') + wire('Reader', 'events', 'Whole', 'events')
        both, alone = self.write('both.eve', program(half, whole)), self.write('half.eve', program(half))
        state = scope('state', LARGE, '--at', self.at, '--program', both, '--json')
        self.assertIn('this is the state graph of Whole; the program also has Half', state.err)
        self.assertEqual(state.json(), self.good('state', LARGE, '--at', self.at, '--json').json())
        state = scope('state', LARGE, '--at', self.at, '--program', alone)
        self.assertIn('this is the state graph of Half, fed by Some\n', state.err)

        def report(*words):
            out = scope('report', LARGE, '-o', self.path('out'), *words).out
            return out, re.findall(r'^  fft \d t\d+ +host1.*$', out, re.M)
        plain, rows = report()
        self.assertEqual(len(rows), 4)
        self.assertNotRegex(plain, '(?m)^  by  ')
        told, shares = report('--program', both)
        self.assertRegex(told, '(?m)^  by +Whole; the program also has Half$')
        self.assertEqual(shares, rows)
        told, shares = report('--program', both, '--simulator', 'Half')
        self.assertRegex(told, '(?m)^  by +Half, fed by Some; the program also has Whole$')
        self.assertEqual([row.split()[:3] for row in shares], [row.split()[:3] for row in rows[:2]])
        self.assertRegex(report('--program', alone)[0], '(?m)^  by +Half, fed by Some$')

    def test_one_sink_of_two(self):
        """Each names its links alone; from one sink nobody can tell whose a number is, and no wrong name is told."""
        def rows(*kinds):
            path = self.write('sink.eve', program(
                box('Reader', 'tapepvm-reader'), box('Merge', 'merge'), box('Sink', 'csv-sink', '<setting name="file">s.csv</setting>'),
                wire('Merge', 'out', 'Sink', 'in'),
                *[box(k, k) + wire('Reader', 'events', k, 'events') + wire(k, 'changes', 'Merge', 'in') for k in kinds]))
            self.good('run', SMALL, '--program', path, '--out', self.path('out'))
            with open(self.path('out', 's.csv'), newline='') as f:
                return list(csv.DictReader(f))

        def told(rows, names):
            """What is left when the things that only a simulator names are taken away."""
            return sorted((r['date [s]'], r['of'], r['attribute'] if names else '') for r in rows)
        alone = [rows(k) for k in ('pvm-simulator', 'calls-simulator')]
        self.assertTrue(any(r['object'].startswith('t40002->') for r in alone[0]))
        self.assertIn('Computing', {r['new'] for r in alone[1]})
        both = rows('pvm-simulator', 'calls-simulator')
        self.assertEqual(told(both, False), told(alone[0] + alone[1], False))
        self.assertFalse([r for r in both if '->' in r['object'] or not r['attribute'].isdigit()])
        self.assertTrue(any(re.fullmatch(r'link \d+', r['object']) for r in both))
        # two of one model agree in their attributes
        twice = self.write('twice.eve', program(
            box('Reader', 'tapepvm-reader'), box('Merge', 'merge'), box('Sink', 'csv-sink', '<setting name="file">s.csv</setting>'),
            wire('Merge', 'out', 'Sink', 'in'),
            *[box(k, 'pvm-simulator') + wire('Reader', 'events', k, 'events') + wire(k, 'changes', 'Merge', 'in') for k in 'AB']))
        self.good('run', SMALL, '--program', twice, '--out', self.path('out'))
        with open(self.path('out', 's.csv'), newline='') as f:
            self.assertEqual(told(csv.DictReader(f), True), told(alone[0] * 2, True))

    def test_nothing_passes(self):
        self.assertEqual(self.graph('Graph of nothing'), {})

    def test_some_pass(self):
        """Links are those of messages that came, at that instant; counted from the messages themselves."""
        shown, whole = self.graph('Graph of the large'), self.graph('Graph all')
        links = {f"{e['from']}->{e['task']}" for e in self.good('events', LARGE, '--kind', 'recv', '--json').lines()
                 if e['t'] + e['duration'] <= float(self.at) and e['bytes'] > 1024}
        self.assertTrue(links)
        self.assertEqual({i for i, r in shown.items() if r['kind'] == 'link'}, links)
        ends = {end for link in links for end in link.split('->')}
        self.assertEqual({i for i, r in shown.items() if r['kind'] == 'node'}, ends)
        for i, r in shown.items():
            self.assertEqual(r, whole[i])

    def test_no_wire(self):
        r = scope('draw', LARGE, '--program', self.program, '--view', 'Alone', '-o', self.path('x.png'))
        self.assertEqual(r.status, 1)
        self.assertIn('Nothing is connected to Alone', r.err)


class Filters(Wires):
    def test_tasks_of_changes(self):
        """A change of a link is of no task, though links are numbered as tasks are."""
        files = {name: box(name, 'csv-sink', f'<setting name="file">{name}.csv</setting>') for name in ('all', 'some', 'others')}
        path = self.write('changes.eve', program(
            box('Reader', 'tapepvm-reader'), box('Simulator', 'pvm-simulator'),
            box('Filter', 'filter', '<setting name="tasks">fft 1</setting>'), *files.values(),
            wire('Reader', 'events', 'Simulator', 'events'), wire('Simulator', 'changes', 'all', 'in'),
            wire('Simulator', 'changes', 'Filter', 'in'), wire('Filter', 'passed', 'some', 'in'), wire('Filter', 'others', 'others', 'in')))
        self.good('run', SMALL, '--program', path, '--out', self.path('out'))

        def rows(name):
            with open(self.path('out', name + '.csv'), newline='') as f:
                return list(csv.DictReader(f))
        everything = rows('all')
        self.assertEqual({r['of'] for r in everything}, {'node', 'link'})
        self.assertTrue(rows('some'))
        of_task = [r['of'] == 'node' and r['object'] == 't40003' for r in everything]
        self.assertEqual(rows('some'), [r for r, own in zip(everything, of_task) if own])
        self.assertEqual(rows('others'), [r for r, own in zip(everything, of_task) if not own])


    def test_what_is_off(self):
        """A view whose wire comes from a box that is switched off is told so, and not that it has no wire."""
        path = self.write('off.eve', program(
            box('Session', 'session'), box('Reader', 'tapepvm-reader'), box('Filter', 'filter').replace('version', 'use="off" version'),
            box('Text', 'trace-text'), wire('Session', 'commands', 'Reader', 'commands'), wire('Reader', 'events', 'Filter', 'in'),
            wire('Filter', 'passed', 'Text', 'events')))
        self.bad(1, 'Nothing comes to Text, as Filter is switched off', 'draw', SMALL, '--program', path, '--view', 'Text', '-o', self.path('x.png'))

    def shown(self, *words):
        head, *rows = self.table(*words)
        return [dict(zip(head, row)) for row in rows]

    def test_text_shows_what_comes_to_it(self):
        """The trace text lists the events that its wire brought, in any window, in whatever case kinds are written; also of a film that was left and gone on with, and
        nothing at all where nothing came."""
        trace = self.path('many.trace')
        self.good('synth', '--format', 'tapepvm', '--tasks', '5', '--events', '30000', '--seed', '7', '-o', trace)
        parts = [box('Reader', 'tapepvm-reader'), box('All', 'trace-text'), wire('Session', 'commands', 'Reader', 'commands'),
                 wire('Reader', 'events', 'All', 'events'), box('Session', 'session')]
        every = self.write('every.eve', program(*parts))
        events = self.shown(trace, every, 'All', '--from', '0', '--to', '1000000')
        self.assertGreater(len(events), 20000)
        for e in events:                    # a filter names a call by its beginning
            e['call'] = e['kind'].removeprefix('End')
        kinds, tasks = sorted({e['call'] for e in events}), sorted({e['task'] for e in events})
        last, draw = float(events[-1]['date [s]']), random.Random(3)
        filters = {'kinds': {'kinds': {kinds[0], kinds[-1]}}, 'one task': {'tasks': {tasks[2]}}, 'both': {'kinds': {kinds[1]}, 'tasks': set(tasks[:2])},
                   'first rest': {'tasks': {tasks[-1]}}}
        for name, what in filters.items():
            parts += [box(name, 'filter', ''.join(f'<setting name="{k}">{", ".join(sorted(v)).swapcase() if k == "kinds" else ", ".join(sorted(v))}</setting>'
                                             for k, v in what.items())),
                      box(f'Text {name}', 'trace-text'), wire('Reader', 'events', name, 'in'), wire(name, 'passed', f'Text {name}', 'events')]
        parts += [box('None', 'filter', f'<setting name="tasks">{tasks[0]}</setting>'), box('Text none', 'trace-text'),
                  wire('one task', 'passed', 'None', 'in'), wire('None', 'passed', 'Text none', 'events')]
        path = self.write('filters.eve', program(*parts))
        self.good('seek', trace, '--program', path, '--to', f'{last / 3}')
        for name, what in filters.items():
            want = [{k: v for k, v in e.items() if k != 'call'} for e in events if e['call'] in what.get('kinds', kinds) and e['task'] in what.get('tasks', tasks)]
            self.assertEqual(self.shown(trace, path, f'Text {name}', '--from', '0', '--to', '1000000'), want)
            for _ in range(3):
                a, b = sorted(draw.uniform(0, last) for _ in range(2))
                self.assertEqual(self.shown(trace, path, f'Text {name}', '--from', f'{a:.9f}', '--to', f'{b:.9f}'),
                                 [e for e in want if a <= float(e['date [s]']) <= b])
        self.assertEqual(self.shown(trace, path, 'Text none', '--from', '0', '--to', '1000000'), [])

class Commands(Wires):
    WORDS = (('run',), ('film',), ('film',), ('draw', '--view', 'View', '-o', 'view.png'), ('state', '--at', '0.1'), ('seek', '--to', '0.1'),
             ('report', '-o', 'out'), ('marks', 'export', 'marks.html'))

    def each(self, text):
        """Every command that takes a program, on the same one; what it gives is there whatever it tells."""
        path, ring = self.write('misspelt.eve', text), shutil.copytree(os.path.join(TRACES, 'ring.trace'), self.path('ring.trace'), dirs_exist_ok=True)
        for verb, *words in self.WORDS:
            words = [self.path(w) if w in ('view.png', 'out', 'marks.html') else w for w in words]
            first, more = ([ring, words[0]], words[1:]) if verb == 'marks' else ([ring], words)
            yield verb, scope(verb, *first, *more, '--program', path)
        for made in ('view.png', 'out', 'marks.html'):
            self.assertTrue(os.path.exists(self.path(made)), made)

    def test_every_command_tells(self):
        """What has no meaning in a program file is told by whoever uses it, and scripts see it."""
        parts = (box('Simulator', 'pvm-simulator'), box('View', 'space-time'),
                 wire('Reader', 'events', 'Simulator', 'events'), wire('Simulator', 'states', 'View', 'states'))
        for inside, more, says in (('<set name="on damage">stop</set>', '', '<set> has no meaning inside'),
                                   ('', box('Wrong', 'state-duratoins'), "no component of class")):
            with self.subTest(says):
                for verb, done in self.each(program(box('Reader', 'tapepvm-reader', inside), *parts, more)):
                    self.assertEqual(done.err.count(says), 1, f'{verb}: {done.err}')
                    self.assertEqual(done.status, 1, f'{verb}: {done.err}')
                shutil.rmtree(self.path('out'))

    def test_every_command_tells_what_is_unfed(self):
        text = program(box('Reader', 'tapepvm-reader'), box('Simulator', 'pvm-simulator'), box('View', 'space-time'), box('Durations', 'state-durations'),
                       wire('Reader', 'events', 'Simulator', 'events'), wire('Simulator', 'states', 'View', 'states'))
        for verb, done in self.each(text):
            self.assertEqual(done.err.count('Durations does nothing: its input states'), 1, f'{verb}: {done.err}')
            self.assertEqual(done.status, 0, f'{verb}: {done.err}')
        checked = scope('check', self.path('misspelt.eve'))
        self.assertEqual(checked.status, 1)
        self.assertIn('1 problem\n  Durations does nothing: its input states', checked.out)


class Types(Wires):
    """Wires carry what their type says."""

    def test_changes_are_no_states(self):
        path = self.write('false.eve', program(
            box('Reader', 'tapepvm-reader'), box('Simulator', 'pvm-simulator'), box('Space-time', 'space-time'),
            wire('Reader', 'events', 'Simulator', 'events'), wire('Simulator', 'changes', 'Space-time', 'states')))
        r = scope('run', SMALL, '--program', path)
        self.assertIn('state change', r.err)
        self.assertIn('state of a task', r.err)
        r = scope('draw', SMALL, '--program', path, '--view', 'Space-time', '-o', self.path('x.png'))
        self.assertEqual(r.status, 1)
        self.assertIn('Nothing is connected to Space-time', r.err)

    def test_both_have_attributes(self):
        lines = {}
        for out in ('changes', 'states'):
            path = self.write('both.eve', program(
                box('Reader', 'tapepvm-reader'), box('Simulator', 'pvm-simulator'), box('State', 'state-presenter'),
                box('Some', 'filter', '<setting name="tasks">fft 2</setting>'), box('Sink', 'text-sink'),
                wire('Reader', 'events', 'Simulator', 'events'), wire('Simulator', out, 'Some', 'in'),
                wire('Some', 'passed', 'State', 'changes'), wire('State', 'text', 'Sink', 'in')))
            lines[out] = self.good('run', SMALL, '--program', path).out.splitlines()
            self.assertEqual(set(lines[out]), {'Busy', 'Overhead', 'Idle', 'Talking', 'Dead'})
        self.assertEqual(lines['changes'], lines['states'])



class Lists(Wires):
    """Lists of tasks: names with blanks, and names that nobody has."""

    def setUp(self):
        super().setUp()
        self.program = self.write('one.eve', program(chain('B')))

    def told(self, view, setting, value, status=0):
        r = scope('draw', SMALL, '--program', self.program, '--view', view + ' B', '--set', f'{view} B.{setting}={value}',
                  '-o', self.path('view.csv'))
        self.assertEqual(r.status, status, r.err)
        with open(self.path('view.csv'), newline='') as f:
            return list(csv.reader(f)), r.err

    def test_hidden(self):
        for value, hidden in (('fft 2', {'t40004'}), ('fft 2, t40005', {'t40004', 't40005'}),
                              ('"fft 2"', {'t40004'}), (' fft 0 ,fft 2', {'t40002', 't40004'})):
            rows, err = self.told('Space-time', 'hidden', value)
            shown = {cell for row in rows for cell in row if cell.startswith('t4000')}
            self.assertEqual(shown, {'t40002', 't40003', 't40004', 't40005'} - hidden, value)
            self.assertEqual(err, '', value)
        self.assertIn('Space-time B: No task is called “fft 22”; the nearest name is “fft 2”', self.told('Space-time', 'hidden', 'fft 22, fft 1', 1)[1])
        rows, err = self.told('Space-time', 'hidden', 't40004 t40005', 1)
        self.assertEqual({cell for row in rows for cell in row if cell.startswith('t4000')}, {'t40002', 't40003', 't40004', 't40005'})
        self.assertIn('No task is called “t40004 t40005”; a list has commas between its names.', err)
        for hidden in ('fft 1 fft 2', 'fft 1; fft 2', 't40004 fft 2;t40005'): # names of several words, other signs between
            self.assertIn(f'No task is called “{hidden}”; a list has commas between its names.', self.told('Space-time', 'hidden', hidden, 1)[1])
        self.assertNotIn('commas', self.told('Space-time', 'hidden', 'fft 1 fft', 1)[1])

    def test_text(self):
        for value in ('fft 2', 't40004', 't40004, t40004', '"fft 2", fft 22'):
            rows, _ = self.told('Text', 'tasks', value)      # a page, which does not know all tasks
            self.assertEqual({r[2] for r in rows[1:]}, {'t40004'}, value)
            self.assertGreater(len(rows), 20)

    def test_nobody(self):
        self.assertIn('nearest name is “fft 3”', self.told('Text', 'tasks', 'ftf 3', 1)[1])

    def test_status(self):
        """A script sees that a name is none, whichever list it stands in, now and when the film is used again."""
        for kind, setting, into, feed in (('filter', 'tasks', 'in', 'Reader B.events'), ('state-durations', 'states', 'states', 'Simulator B.states'),
                                          ('state-presenter', 'object', 'changes', 'Simulator B.changes'),
                                          ('event-presenter', 'kind', 'events', 'Reader B.events'), ('trace-text', 'tasks', 'events', 'Reader B.events'),
                                          ('communication-overhead', 'categories', 'events', 'Reader B.events')):
            good = {'states': 'Idle, Busy', 'kind': 'Recv', 'categories': 'point, global'}.get(setting, 'fft 1')
            for value, status in ((good, 0), ('fft 11', 1)):
                path = self.write('list.eve', program(chain('B'), box('Some', kind, f'<setting name="{setting}">{value}</setting>'),
                                                      wire(*feed.split('.'), 'Some', into)))
                r = scope('run', SMALL, '--program', path, '--out', self.path('out'))
                self.assertEqual(r.status, status, f'{kind}: {r.err}')
                self.assertEqual('fft 11' in r.err, status == 1, f'{kind}: {r.err}')
                if kind == 'trace-text':                        # asked by who looks at it
                    continue
                for command in (('film', SMALL, '--program', path), ('film', SMALL, '--program', path),
                                ('draw', SMALL, '--program', path, '--view', 'Space-time B', '-o', self.path('x.csv'))):
                    r = scope(*command)
                    self.assertEqual(r.status, status, f'{kind} {command[0]}: {r.err}')
                    self.assertEqual(r.err.count('called “fft 11”'), status, f'{kind} {command[0]}: {r.err}')

    def test_filter_reads_as_views_do(self):
        path = self.write('list.eve', program(chain('B'), box('Some', 'filter', '<setting name="tasks">t40002 t40003</setting>'),
                                              wire('Reader B', 'events', 'Some', 'in')))
        r = scope('run', SMALL, '--program', path)
        self.assertEqual(r.status, 1)
        self.assertIn('Some: No task is called “t40002 t40003”; a list has commas between its names.', r.err)


class Misspelt(Wires):
    """What a program file names and is not there: told with what may be meant, and scripts see it."""
    PARTS = (box('Reader', 'tapepvm-reader'), box('Simulator', 'pvm-simulator'), box('Durations', 'state-durations'),
             box('File', 'data-file', '<setting name="file">states.csv</setting>'),
             wire('Reader', 'events', 'Simulator', 'events'), wire('Simulator', 'states', 'Durations', 'states'),
             wire('Durations', 'table', 'File', 'in'))

    def told(self, wrong, right):
        text = program(*self.PARTS)
        self.assertIn(right, text)
        return scope('run', SMALL, '--program', self.write('wrong.eve', text.replace(right, wrong, 1)), '--out', self.path('out'))

    def test_names(self):
        for wrong, right, sentence in (
                ('class="scope.state-duratoins"', 'class="scope.state-durations"',
                 "no component of class 'scope.state-duratoins'; the nearest name is “scope.state-durations”: Durations is kept"),
                ('to="Duratoins"', 'to="Durations"', "no component called 'Duratoins'; the nearest name is “Durations”: the wire from"),
                ('from="Raeder"', 'from="Reader"', "no component called 'Raeder'; the nearest name is “Reader”: the wire from"),
                ('from="Qqq" out="a" to="Www"', 'from="Simulator" out="states" to="Durations"', "no component called 'Qqq': the wire is left out"),
                ('out="stats"', 'out="states"', "Simulator has no output called 'stats'; it has: "),
                ('in="sates"', 'in="states"', "Durations has no input called 'sates'; it has: "),
                ('name="fiel"', 'name="file"', "File has no setting 'fiel'; it has: file")):
            r = self.told(wrong, right)
            self.assertEqual(r.status, 1, r.err)
            self.assertIn(sentence, r.err)
            drawn = scope('draw', SMALL, '--program', self.path('wrong.eve'), '--view', 'Nothing', '-o', self.path('x.png'))
            self.assertEqual(drawn.status, 1)
            self.assertIn(sentence, drawn.err)

    def test_unfed(self):
        for gone, who in ((5, 'Simulator does nothing: its input events'), (6, 'Durations does nothing: its input states'),
                          (7, 'File does nothing: its input in')):
            parts = [p for k, p in enumerate(self.PARTS) if k != gone - 1]
            r = scope('run', SMALL, '--program', self.write('unfed.eve', program(*parts)))
            self.assertIn(f'{who} has no wire that brings something', r.err)
            self.assertEqual(r.err.count('does nothing'), 1, r.err)
        self.good('run', SMALL, '--program', self.write('whole.eve', program(*self.PARTS)), '--out', self.path('out'))

    def test_many_long_names(self):
        """Names are compared only so often, however many there are, and all that a box has is listed only so often."""
        n, names = 20000, []
        rand = random.Random(7)
        for k in range(n):
            names.append(''.join(rand.choice('abcdefgh') for _ in range(60)) + f'{k:04x}')
        text = program(*(box(name, 'counter') for name in names), *(wire(names[0], 'count', name[::-1], 'in') for name in names[:64]),
                       *(wire(names[0], f'wrong {k}', names[1], 'in') for k in range(1000)),
                       box('Many', 'counter', ''.join(f'<setting name="wrong {k}">x</setting>' for k in range(1000))))
        before = os.times()
        r = scope('check', self.write('long.eve', text))
        after = os.times()
        self.assertEqual(r.status, 1)
        self.assertEqual(r.out.count('no component called'), 64)
        self.assertLessEqual(r.out.count('the nearest name'), 5)
        self.assertEqual(r.out.count('no setting called'), 0)
        self.assertEqual(r.out.count("has no setting 'wrong"), 1000)
        self.assertEqual(r.out.count("has no output called 'wrong"), 1000)
        self.assertLessEqual(r.out.count('; it has: '), 128)
        self.assertLess(after.children_user - before.children_user, 8)

    def test_many_names(self):
        """Comparing each with each must not make a long program slow: after the first ones the nearest is not told."""
        n = 20000
        text = program(*self.PARTS, *(wire('Reader', 'events', f'Readr {k}', 'in') for k in range(n)))
        r = scope('check', self.write('many.eve', text))
        self.assertEqual(r.status, 1)
        self.assertEqual(r.out.count('no component called'), n)
        self.assertEqual(r.out.count('the nearest name'), 64)


class Opened(Wires):
    """Several traces on the command line: each goes to a reader of its own."""
    COMPARE = os.path.join(ROOT, 'schemas', 'activity', 'compare.eve')
    ALONE = program(box('Reader', 'tapepvm-reader'), box('Simulator', 'pvm-simulator'), box('Durations', 'state-durations'),
                    box('Space-time', 'space-time'), box('File', 'data-file', '<setting name="file">states.csv</setting>'),
                    wire('Reader', 'events', 'Simulator', 'events'), wire('Simulator', 'states', 'Durations', 'states'),
                    wire('Simulator', 'states', 'Space-time', 'states'),
                    wire('Simulator', 'messages', 'Space-time', 'messages'), wire('Durations', 'table', 'File', 'in'))

    def text(self, *path):
        with open(self.path(*path)) as f:
            return f.read()

    def test_each_has_its_own(self):
        """At the end, and at instants at random, the tables are those of each trace alone."""
        alone = self.write('alone.eve', self.ALONE)
        for until in [None] + [f'{random.uniform(0.001, 0.2):.6f}' for _ in range(4)]:
            words = ['--until', until] if until else []
            done = self.good('run', LARGE, SMALL, *words, '--stats', '--out', self.path('both'))
            count = json.loads(done.out)['events_read']
            for k, trace in ((1, LARGE), (2, SMALL)):
                one = self.good('run', trace, '--program', alone, *words, '--stats', '--out', self.path('one'))
                count -= json.loads(one.out)['events_read']
                with self.subTest(until=until, trace=trace):
                    self.assertEqual(self.text('both', f'states-{k}.csv'), self.text('one', 'states.csv'))
            self.assertEqual(count, 0)
            self.differences('states-1.csv', 'states-2.csv')

    def differences(self, *files):
        """Beside each other, the largest difference first below the sums: computed once more from the tables that they are of."""
        tables = []
        for file in files:
            tables.append({(row['task'], head[:-4]): float(x or 'nan') for row in csv.DictReader(io.StringIO(self.text('both', file)))
                           for head, x in row.items() if head.endswith(' [s]')})
        expected = {}
        for key in set().union(*tables):
            pair = [t.get(key, math.nan) for t in tables]
            if any(x and not math.isnan(x) for x in pair):
                expected[key] = pair
        several = len({task for t in tables for task, _ in t}) > 1         # else they are the sums
        for what in {what for _, what in expected if several}:
            expected['all', what] = [math.fsum(pair[k] for (_, w), pair in expected.items() if w == what and not math.isnan(pair[k])) for k in range(len(files))]
        rows = list(csv.reader(io.StringIO(self.text('both', 'differences.csv'))))
        self.assertEqual(rows[0][:2], ['task', 'what'])
        got, order = {}, []
        for task, what, *numbers in rows[1:]:
            first, second, more = (float(x or 'nan') for x in numbers)
            got[task, what] = [first, second]
            self.assertAlmostEqual(more, (0 if math.isnan(second) else second) - (0 if math.isnan(first) else first), delta=1e-9)
            order.append((task != 'all', -abs(more)))
        self.assertEqual(order, sorted(order))
        self.assertEqual(set(got), set(expected))
        for key, pair in expected.items():
            for x, y in zip(got[key], pair):
                self.assertTrue(math.isnan(x) == math.isnan(y) or key[0] == 'all', key)
                if not math.isnan(x):
                    self.assertAlmostEqual(x, y, delta=1e-9, msg=key)

    def test_types_of_other_names(self):
        """Formats name types of tasks as they like: where two traces have none in common, a state that is of one type alone in each is one row; a state of
        two types of one of them stays apart, as nobody knows which is meant."""
        heads = [('0 PajeDefineContainerType', 'Alias', 'Type', 'Name'), ('1 PajeDefineStateType', 'Alias', 'Type', 'Name'), ('2 PajeCreateContainer', 'Time', 'Alias', 'Type', 'Container', 'Name'),
                 ('3 PajePushState', 'Time', 'Type', 'Container', 'Value'), ('4 PajePopState', 'Time', 'Type', 'Container')]
        lines = [line for verb, *fields in heads for line in ('%EventDef ' + ' '.join(reversed(verb.split())), *(f'% {f} {"date" if f == "Time" else "string"}' for f in fields), '%EndEventDef')]
        lines += ['0 R 0 Rank', '0 D 0 Disk', '1 SR R State', '1 SD D State', '2 0 r R 0 r', '2 0 d D 0 d']
        events = []
        for who, states in (('R', ('solve', 'store', 'both')), ('D', ('turn', 'both'))):
            at = 0
            for state in states * 3:
                begin, at = at + random.randrange(1, 500), at + random.randrange(500, 1000)
                lines += [f'3 {begin / 1e6:.6f} S{who} {who.lower()} {state}', f'4 {at / 1e6:.6f} S{who} {who.lower()}']
        for i, state in enumerate(('solve', 'store', 'both', 'load') * 3):
            events.append(dict(ph='X', name=state, pid=1, tid=i % 2, ts=1000 * i, dur=random.randrange(1, 900)))
        self.good('run', self.write('one.paje', '\n'.join(lines) + '\n'), self.write('other.json', json.dumps(events)), '--out', self.path('both'))
        tables = [{(row['type'], row['state']): float(row['exclusive [s]']) for row in csv.DictReader(io.StringIO(self.text('both', f'states-{k}.csv')))} for k in (1, 2)]
        expected = {key: [x, None] for key, x in tables[0].items()}
        for (kind, state), x in tables[1].items():
            like = [key for key in tables[0] if key[1] == state]
            alone = len(like) == 1 and sum(s == state for _, s in tables[1]) == 1
            expected.setdefault(like[0] if alone else (kind, state), [None, None])[1] = x
        got = {(kind, state): [float(x) if x else None for x in numbers[:2]] for kind, state, what, *numbers in list(csv.reader(io.StringIO(self.text('both', 'differences.csv'))))[1:] if kind != 'all'}
        self.assertEqual(got, {key: pair for key, pair in expected.items() if any(pair)})
        for state, whole in (('solve', 1), ('store', 1), ('both', 0), ('load', 0)):
            self.assertEqual(any(None not in pair for key, pair in got.items() if key[1] == state), bool(whole), state)

    def test_the_order_says_which(self):
        self.good('run', LARGE, SMALL, '--out', self.path('ab'))
        self.good('run', SMALL, LARGE, '--out', self.path('ba'))
        self.assertEqual(self.text('ab', 'states-1.csv'), self.text('ba', 'states-2.csv'))
        self.assertEqual(self.text('ab', 'states-2.csv'), self.text('ba', 'states-1.csv'))
        self.assertNotEqual(self.text('ab', 'states-1.csv'), self.text('ab', 'states-2.csv'))
        for k, name in ((1, 'fft2d-s2'), (2, 'fft2d-s64')):
            done = self.good('state', LARGE, SMALL, '--at', '0.1', '--simulator', f'Simulator {k}', '--program', self.COMPARE)
            self.assertRegex(done.out, f'^{name} at 0.1')

    def test_films_and_pictures(self):
        """Views show what is wired to them; travels over both give what playing gives."""
        alone = self.write('alone.eve', self.ALONE)
        for k, trace in ((1, LARGE), (2, SMALL)):
            self.good('draw', LARGE, SMALL, '--view', f'Space-time {k}', '-o', self.path('both.csv'))
            self.good('draw', trace, '--program', alone, '--view', 'Space-time', '-o', self.path('one.csv'))
            self.assertEqual(self.text('both.csv'), self.text('one.csv'))
        self.good('film', LARGE, SMALL, '-o', self.path('film'))
        film = ['--program', self.COMPARE, '--repeat', '30', '--random', '5', '--film', self.path('film')]
        travelled = json.loads(self.good('seek', LARGE, SMALL, *film).out)
        played = json.loads(self.good('seek', LARGE, SMALL, *film[:-2], '--no-film').out)
        self.assertEqual(travelled['hash'], played['hash'])
        other = json.loads(self.good('seek', SMALL, LARGE, *film[:-2], '--no-film').out)
        self.assertNotEqual(travelled['hash'], other['hash'])

    def test_pictures_name_their_trace(self):
        """With two traces a picture says which it is of; with one it is the same whatever the trace is called."""
        other = shutil.copytree(SMALL, self.path('another.trace'))
        picture = {}
        for view in ('Space-time', 'Durations'):
            for trace in (SMALL, other):
                self.good('draw', LARGE, trace, '--view', f'{view} 2'.replace('Durations', 'Time by state'), '-o', self.path('x.png'))
                self.good('draw', trace, '--program', self.write('alone.eve', self.ALONE), '--view', 'Space-time', '-o', self.path('y.png'))
                for name in ('x.png', 'y.png'):
                    with open(self.path(name), 'rb') as f:
                        picture[trace, name] = f.read()
            self.assertNotEqual(picture[SMALL, 'x.png'], picture[other, 'x.png'], view)
            self.assertEqual(picture[SMALL, 'y.png'], picture[other, 'y.png'])

    def test_one_axis(self):
        """The whole of two executions is drawn as long as the longer one takes, whichever of them it is."""
        last = max(json.loads(self.good('info', t, '--json').out)['last'] for t in (LARGE, SMALL))
        for traces in ((LARGE, SMALL), (SMALL, LARGE)):
            for view in ('Space-time 1', 'Space-time 2'):
                self.good('draw', *traces, '--view', view, '-o', self.path('whole.png'))
                self.good('draw', *traces, '--view', view, '--from', '0', '--to', str(last), '-o', self.path('both.png'))
                with open(self.path('whole.png'), 'rb') as a, open(self.path('both.png'), 'rb') as b:
                    self.assertEqual(a.read(), b.read(), f'{view} of {traces}')

    def test_one_axis_of_a_chain(self):
        """Executions that are joined by a third have one axis with it, whoever is asked."""
        chain_of = []
        for name, first, last in (('early', 0, 120), ('middle', 100, 230), ('late', 200, 330), ('apart', 900, 930)):
            chain_of.append(self.bundle('#TAPE/PVM 1\n' + ''.join(f'60 {ms * 1000000} 262145 10 0 262145 1 8 0\n' for ms in (first, last)), name))
        last = [str(self.good('info', trace, '--json').json()['last']) for trace in chain_of]
        marks = [str(k) for k in range(4)]
        path = self.write('chain.eve', program(*(box('Reader ' + m, 'tapepvm-reader') + box('S ' + m, 'pvm-simulator') + box('V ' + m, 'space-time')
                                                 + wire('Reader ' + m, 'events', 'S ' + m, 'events') + wire('S ' + m, 'states', 'V ' + m, 'states')
                                                 for m in marks)))
        for m in marks:
            self.good('draw', *chain_of, '--program', path, '--view', 'V ' + m, '-o', self.path('whole.png'))
            ends = ('0', last[2]) if m != '3' else ('0.9', last[3])
            self.good('draw', *chain_of, '--program', path, '--view', 'V ' + m, '--from', ends[0], '--to', ends[1], '-o', self.path('both.png'))
            with open(self.path('whole.png'), 'rb') as a, open(self.path('both.png'), 'rb') as b:
                self.assertEqual(a.read(), b.read(), m)

    def test_a_picture_of_two(self):
        """A chart whose numbers are of two traces names both, and keeps apart owners of one name; so does its table."""
        def text(extra):
            return program(box('Reader 1', 'tapepvm-reader'), box('Reader 2', 'tapepvm-reader'), box('W 1', 'waiting-times'), box('W 2', 'waiting-times'),
                           box('Bar', 'bar'), box('Curve', 'curve'), box('Panel', 'value-panel'), wire('Reader 1', 'events', 'W 1', 'events'),
                           wire('Reader 2', 'events', 'W 2', 'events'),
                           *(wire(f'W {k}', 'dated', view, 'value') for view in ('Bar', 'Curve', 'Panel') for k in extra))
        for view in ('Bar', 'Curve', 'Panel'):
            path = self.write('two.eve', text((1, 2)))
            words = ['--at', '0.2'] if view != 'Curve' else []
            self.good('draw', LARGE, SMALL, '--program', path, '--view', view, *words, '-o', self.path('x.csv'))
            table = self.text('x.csv')
            self.assertIn('fft 1 (fft2d-s2)', table, view)
            self.assertIn('fft 1 (fft2d-s64)', table, view)
            self.good('draw', LARGE, SMALL, '--program', path, '--view', view, *words, '-o', self.path('x.svg'))
            one = self.write('one.eve', text((1,)))
            self.good('draw', LARGE, SMALL, '--program', one, '--view', view, *words, '-o', self.path('y.csv'))
            self.assertNotIn('fft 1 (', self.text('y.csv'), view)

    def test_readers_and_traces_must_fit(self):
        two = ('--program', os.path.join(TRACES, '..', 'schemas', 'activity', 'compare.eve'))
        self.bad(1, 'no reader of tapepvm traces is left for .*ring.trace', 'run', LARGE, SMALL,
                 os.path.join(TRACES, 'ring.trace'), *two)
        self.bad(1, 'no reader of tape traces is left', 'run', LARGE, os.path.join(TRACES, 'philosophers.trace'), *two)
        self.bad(1, '(?i)nowhere.trace', 'run', LARGE, self.path('nowhere.trace'))
        self.bad(1, 'no reader of tapepvm traces is left', 'run', LARGE, SMALL, '--program',
                 self.write('alone.eve', self.ALONE))
        tape = os.path.join(TRACES, 'philosophers.trace')
        done = self.good('run', tape, os.path.join(TRACES, 'pipeline.trace'), '--out', self.path('tape'))
        self.assertTrue(self.text('tape', 'states-2.csv'))
        self.assertEqual(done.err, '')


if __name__ == '__main__':
    unittest.main()
