#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several executions at once: what commands say of each is what they say of it alone; dates may be shifted."""
import collections
import json
import os
import random
import re
import shutil
import struct
import sys
import unittest
from xml.etree import ElementTree

from cli import Case, ROOT, scope

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import raw              # noqa: E402
from pvm import Pvm     # noqa: E402

random.seed(os.environ.get('SCOPE_SEED', '1'))

TRACES = os.path.join(ROOT, 'traces')


def trace(name):
    return os.path.join(TRACES, name + '.trace')


def undated(state):
    """A state as JSON, without what a shift changes."""
    if isinstance(state, dict):
        return {k: undated(v) for k, v in state.items() if k not in ('clock', 'hash', 'Clock')}
    return [undated(v) for v in state] if isinstance(state, list) else state


class Offset(Case):
    def state(self, *words):
        done = scope('state', *words, '--json', '-q', env=self.env)
        self.assertEqual(done.status, 0, done.err)
        return done.json()

    def setUp(self):
        super().setUp()
        self.env = {'XDG_CACHE_HOME': self.path('cache')}

    def test_impossible_events_of_each(self):
        """What is impossible is told of each execution by its name, and of one alone by the words that it was given by."""
        head = ''.join(f'%EventDef {name} {i}\n' + ''.join(f'% {field} {"date" if field == "Time" else "string"}\n' for field in fields.split()) + '%EndEventDef\n'
                       for i, (name, fields) in enumerate([('PajeDefineContainerType', 'Alias Type Name'), ('PajeDefineStateType', 'Alias Type Name'),
                                                           ('PajeCreateContainer', 'Time Alias Type Container Name'), ('PajePopState', 'Time Type Container'),
                                                           ('PajePushState', 'Time Type Container Value')]))
        paths = []
        for name, wrong in (('one', 3), ('fine', 0), ('two', 1)):
            paths.append(self.program(head + '0 P 0 Process\n1 S P State\n2 0 t P 0 T\n' + ''.join(f'3 {i + 1} S t\n' for i in range(wrong)) + '4 8 S t Work\n3 9 S t\n', name + '.paje'))
        told = re.findall(r'scope: (.*?): (\d+) events? (?:is|are) impossible', scope('run', *paths).err)
        self.assertEqual(sorted(told), [('one.paje', '3'), ('two.paje', '1')])
        self.assertEqual(re.findall(r'scope: (.*?): (\d+) events? (?:is|are) impossible', scope('run', paths[0]).err), [(paths[0], '3')])

    def test_as_alone(self):
        """At random instants, shifted to both sides of zero."""
        seed = random.randrange(10**6)
        rng = random.Random(seed)
        for offset in (0, 0.25, -1000):
            for at in [0.2415136] + [rng.uniform(0, 0.24) for _ in range(3)]:
                at = round(at, 9)
                with self.subTest(seed=seed, offset=offset, at=at):
                    both = self.state(trace('fft2d-s4'), trace('fft2d-s16'), f'--at={at:.9f}', '--offset', f'fft2d-s16={offset}')
                    alone = [self.state(trace('fft2d-s4'), f'--at={at:.9f}'),
                             self.state(trace('fft2d-s16'), f'--at={at - offset:.9f}')]
                    self.assertEqual([e['trace'] for e in both], ['fft2d-s4', 'fft2d-s16'])
                    self.assertEqual(both[0]['state'], alone[0])
                    self.assertEqual(undated(both[1]['state']), undated(alone[1]))
                    if offset == 0:
                        self.assertEqual(both[1]['state']['hash'], alone[1]['hash'])

    def test_which_is_meant(self):
        for word in ('fft2d-s16', 'fft2d-s16.trace', trace('fft2d-s16'), '2'):
            both = self.state(trace('fft2d-s4'), trace('fft2d-s16'), '--at', 5.1, '--offset', f'{word}=5')
            self.assertEqual(undated(both[1]['state']), undated(self.state(trace('fft2d-s16'), '--at', 0.1)))
        done = scope('state', trace('ring'), '--at', 1, '--offset', 'farm=1')
        self.assertEqual(done.status, 1)
        self.assertIn('no trace “farm” is opened; there is 1: ', done.err)
        self.assertIn('; the nearest name is “ring”', scope('state', trace('ring'), '--at', 1, '--offset', 'rng=1').err)
        otf2 = os.path.join(TRACES, 'mpi-farm.otf2')
        if scope('info', otf2).status == 0:     # the reader is built
            both = self.state(trace('ring'), otf2, '--at', 5.001, '--offset', 'mpi-farm=5')
            self.assertEqual(both[1]['trace'], 'mpi-farm.otf2')
            self.assertEqual(undated(both[1]['state']), undated(self.state(otf2, '--at', 0.001)))
        done = scope('state', trace('ring'), '--at', 1, '--offset', 'ring')
        self.assertIn('"ring" is not of the form TRACE=SECONDS, such as ring=-0.25; instead of seconds there may be start, or @MARK', done.err)
        for wrong in ('soon', '', 'nan', '0.1 s'):
            done = scope('state', trace('ring'), '--at', 1, '--offset', 'ring=' + wrong)
            self.assertIn(f'"ring={wrong}" is not of the form TRACE=SECONDS, such as ring=-0.25', done.err)
            self.assertEqual(done.status, 1)
        done = scope('state', trace('ring'), '--at', 1, '--offset', 'ring=4611686018.4')
        self.assertEqual(done.status, 1)
        self.assertIn('choose another offset', done.err)
        for where in ('one', 'two'):
            shutil.copytree(trace('ring'), self.path(where, 'ring.trace'))
        done = scope('state', self.path('one', 'ring.trace'), self.path('two', 'ring.trace'), '--at', 1, '--offset', 'ring=1')
        self.assertIn('several of the traces are called “ring”', done.err)

    def test_as_a_setting(self):
        shifted = self.state(trace('ring'), '--at', 2.05, '--offset', 'ring=2')
        done = scope('run', trace('ring'), '--until', 2.05, '--set', 'Reader.offset=2', '--stats')
        self.assertEqual(done.json()['result_hash'], shifted['hash'])

    def test_marks_stay_at_their_event(self):
        shutil.copytree(trace('ring'), self.path('ring.trace'))
        self.assertEqual(scope('marks', self.path('ring.trace'), 'add', 'here', '--at', 0.05).status, 0)
        plain = self.state(self.path('ring.trace'), '--at', '@here')
        shifted = self.state(self.path('ring.trace'), '--at', '@here', '--offset', 'ring=-7.5')
        self.assertEqual(undated(plain), undated(shifted))
        self.assertEqual(shifted['clock'], -7.45)

    def test_aligned(self):
        """The first event, or a mark of one name, comes at one date; also to an execution that is shifted itself."""
        one, two = self.path('ring.trace'), self.path('farm.trace')
        shutil.copytree(trace('ring'), one)
        shutil.copytree(trace('farm'), two)
        for path, at in ((one, 0.05), (two, 0.02)):
            self.assertEqual(scope('marks', path, 'add', 'a = b', '--at', at).status, 0)
        first = [scope('info', path, '--json').json()['first'] for path in (one, two)]
        for words, offset in ((['--offset', '2=@a = b'], 0.03), (['--offset', 'farm=start'], first[0] - first[1]),
                              (['--offset', '1=-2', '--offset', '2=@a = b'], 0.03 - 2),
                              (['--offset', '2=5', '--offset', '2=start'], first[0] - first[1])):
            with self.subTest(words):
                at = 0.06 if offset > -1 else -1.94
                both = self.state(one, two, '--at', at, *words)
                alone = self.state(two, f'--at={at - offset:.9f}')
                self.assertEqual(undated(both[1]['state']), undated(alone))
        done = scope('state', one, two, '--at', 1, '--offset', '2=@b')
        self.assertEqual((done.status, 'has no mark called b' in done.err), (1, True), done.err)

    def test_films_and_travel(self):
        """Another offset is another film; random journeys end where playing does."""
        two = [trace('fft2d-s4'), trace('fft2d-s16')]
        for words in ([], ['--offset', '2=0.1'], ['--offset', '1=-3', '--offset', '2=-3.05']):
            done = scope('film', *two, *words, '--stats', env=self.env)
            self.assertEqual(done.status, 0, done.err)
            done = scope('seek', *two, *words, '--repeat', 10, '--random', 7, env=self.env)
            self.assertEqual(done.status, 0, done.err)
        self.assertEqual(len(os.listdir(self.path('cache', 'scope', 'films'))), 3)

    def test_pictures(self):
        """The rows of a picture are those of the trace alone, shifted."""
        def rows(path):
            with open(path, encoding='utf-8') as f:
                return [line.rstrip('\n').split(',') for line in f]
        alone, both = self.path('alone.csv'), self.path('both.csv')
        done = scope('draw', trace('fft2d-s16'), '--view', 'Space-time', '-o', alone, env=self.env)
        self.assertEqual(done.status, 0, done.err)
        done = scope('draw', trace('fft2d-s4'), trace('fft2d-s16'), '--offset', '2=0.5', '--view', 'Space-time 2', '-o', both,
                     env=self.env)
        self.assertEqual(done.status, 0, done.err)
        a, b = rows(alone), rows(both)
        self.assertGreater(len(a), 100)
        self.assertEqual(len(a), len(b))
        dates = [i for i, name in enumerate(a[0]) if '[s]' in name]
        self.assertTrue(dates)
        for x, y in zip(a[1:], b[1:]):
            for i, (left, right) in enumerate(zip(x, y)):
                if i in dates and left and right:
                    self.assertAlmostEqual(float(left) + 0.5, float(right), places=8)
                else:
                    self.assertEqual(left, right)


class Clocks(Case):
    """A TAPE trace with a clock that does not divide a nanosecond: dates are those of the file, rounded down."""

    def setUp(self):
        super().setUp()
        self.env = {'XDG_CACHE_HOME': self.path('cache')}
        self.copy = self.path('philosophers.trace')
        shutil.copytree(trace('philosophers'), self.copy)
        events = os.path.join(self.copy, 'philosophers.tape', 'events')
        with open(events, 'r+b') as f:
            head = f.read(32)
            self.assertEqual(struct.unpack_from('<q', head, 24)[0], 10**9)
            f.seek(24)
            f.write(struct.pack('<q', 700000000))

    def test_events(self):
        plain = scope('events', trace('philosophers'), '--json').lines()
        other = scope('events', self.copy, '--json').lines()
        self.assertEqual(len(plain), len(other))
        for a, b in zip(plain, other):
            ticks = round(a['t'] * 10**9)
            self.assertEqual(b['kind'], a['kind'])
            self.assertEqual(round(b['t'] * 10**9), ticks * 10 // 7)
        self.assertEqual(scope('info', self.copy, '--json').json()['ticks_per_second'], 700000000)
        last = other[len(other) // 2]['t']
        after = scope('events', self.copy, '--json', '--from', f'{last:.9f}').lines()
        self.assertEqual(after, [e for e in other if e['t'] >= last])

    def test_side_by_side(self):
        """The same ticks of both clocks are the same state, each at its own date."""
        both = scope('state', trace('philosophers'), self.copy, '--at', 0.01, '--json', env=self.env)
        self.assertEqual(both.status, 0, both.err)
        one, two = both.json()
        for e, path in ((one, trace('philosophers')), (two, self.copy)):
            alone = scope('state', path, '--at', 0.01, '--json', env=self.env).json()
            self.assertEqual(e['state'], alone)
        slower = scope('state', trace('philosophers'), '--at', 0.007, '--json', env=self.env).json()
        names = [(n['id'], n['State']) for n in slower['nodes']]
        self.assertEqual([(n['id'], n['State']) for n in two['state']['nodes']], names)


class Commands(Case):
    def setUp(self):
        super().setUp()
        self.env = {'XDG_CACHE_HOME': self.path('cache')}

    def test_report(self):
        """The report of each is the one it has alone, and the table of all says the same."""
        names = ['ring', 'fft2d-s4']
        done = scope('report', *map(trace, names), '-o', self.path('all'), env=self.env)
        self.assertEqual(done.status, 0, done.err)
        lines = [re.split(r'\s{2,}', line.strip()) for line in done.out.split('  Shares are')[0].splitlines()[2:]]
        self.assertEqual(lines[0], names + ['difference'])
        rows = {line[0]: line[1:] for line in lines[1:]}
        number = lambda text: float(re.match(r'[-+]?[\d.]+', text)[0])
        for what, one in rows.items():      # what the second has more
            if what not in ('from', 'to', 'sent', 'lasted'):
                self.assertAlmostEqual(number(one[2]), number(one[1]) - number(one[0]), delta=0.11, msg=what)
        took = [scope('info', trace(name), '--json').json() for name in names]
        took = [info['last'] - info['first'] for info in took]
        self.assertAlmostEqual(float(rows['lasted'][2].split()[0]), 1000 * (took[1] - took[0]), delta=0.001)
        self.assertAlmostEqual(float(rows['lasted'][3].split()[0]), 100 * (took[1] / took[0] - 1), delta=0.06)
        for name in names:
            alone = scope('report', trace(name), '-o', self.path(name), env=self.env)
            self.assertEqual(alone.status, 0, alone.err)
            cut = alone.out.split('In the folder')[0]
            with open(self.path('all', name, 'report.txt'), encoding='utf-8') as f:
                self.assertEqual(f.read().split('In the folder')[0], cut)
            self.assertIn(cut, done.out)
            for file in ('state-50.json', 'state-50.dot', 'timeline.svg', 'events.txt'):
                with open(self.path('all', name, file), encoding='utf-8') as f, open(self.path(name, file), encoding='utf-8') as g:
                    self.assertEqual(f.read(), g.read(), file)
            info = scope('info', trace(name), '--json').json()
            row = {what: one[names.index(name)] for what, one in rows.items()}
            self.assertEqual(int(row['events']), info['events'])
            self.assertEqual(int(row['tasks']), len(info['tasks']))
            self.assertEqual(row['messages'], re.search(r'messages +(\d+),', cut)[1])
            self.assertEqual(float(row['to'].split()[0]), info['last'])
            end = scope('state', trace(name), '--at', info['last'], '--json', env=self.env).json()
            shares = [float(n['PercentIdle']) for n in end['nodes']]
            self.assertTrue(min(shares) - 0.1 <= float(row['Idle'].split()[0]) <= max(shares) + 0.1)
        with open(self.path('all', 'index.html'), encoding='utf-8') as f:
            page = f.read()
        for name in names:
            self.assertIn(f'href="{name}/index.html"', page)

    def test_report_has_one_ruler(self):
        names = ['ring', 'fft2d-s4']
        dates = [scope('info', trace(name), '--json').json() for name in names]
        spans = [[info['first'], info['last']] for info in dates]
        for shift in (0, 1000):                 # with the second one there is no date in both
            done = scope('report', *map(trace, names), '--offset', f'2={shift}', '-o', self.path(f'by{shift}'), env=self.env)
            self.assertEqual(done.status, 0, done.err)
            with open(self.path(f'by{shift}', 'index.html'), encoding='utf-8') as f:
                pictures = re.findall('<svg.*?</svg>', f.read(), re.S)
            if shift:
                begins, whole = [begin for begin, _ in spans], max(end - begin for begin, end in spans)
            else:
                begins, whole = [min(begin for begin, _ in spans)] * 2, max(end for _, end in spans) - min(begin for begin, _ in spans)
            self.assertEqual(len(pictures), 2)
            for picture, begin, span in zip(pictures, begins, spans):
                bands = [(float(x), float(x) + float(wide)) for x, wide in re.findall(r'M([\d.]+) [\d.]+h([\d.]+)v-', picture)]
                self.assertAlmostEqual(max(b for _, b in bands), 150 + 960 * (span[1] - begin) / whole, delta=4.1)
                self.assertAlmostEqual(min(a for a, _ in bands), 150 + 960 * (span[0] - begin) / whole, delta=4.1)

    def test_report_in_one_picture(self):
        """A row for each execution: its time, of which each state has its share, its messages and their bytes."""
        names = ['ring', 'fft2d-s2', 'fft2d-s4']
        done = scope('report', *map(trace, names), '-o', self.path('out'), env=self.env)
        self.assertEqual(done.status, 0, done.err)
        svg, picture = '{http://www.w3.org/2000/svg}', ElementTree.parse(self.path('out', 'executions.svg')).getroot()
        figures = []                            # of each execution: seconds, ticks by state, messages, bytes
        for name in names:
            execution = raw.read(trace(name))
            model, spent = Pvm(execution), collections.Counter()
            for e in execution.events:
                model.step(e)
            for (_, state), (ticks, _, _) in model.state(execution.last)['times'].items():
                spent[state] += ticks
            edges = model.state(execution.last)['edges']
            info = scope('info', trace(name), '--json').json()
            figures.append((info['last'] - info['first'], spent, sum(e['Messages'] for e in edges),
                            sum(e['TotalTraffic'] for e in edges)))
        height = lambda box: float(box.get('y')) + 18
        rows = sorted({height(box) for box in picture.iter(svg + 'rect') if box.get('height') == '18'})
        self.assertEqual(len(rows), len(names))
        most = [max(f[i] for f in figures) for i in (0, 2, 3)]
        for name, at, (seconds, spent, messages, sent) in zip(names, rows, figures):
            boxes = [box for box in picture.iter(svg + 'rect') if box.get('height') == '18' and height(box) == at]
            texts = [text for text in picture.iter(svg + 'text') if abs(float(text.get('y')) - at) < 8]
            told = [''.join(text.itertext()) for text in texts]
            whole, states, bars = boxes[0], [b for b in boxes if b.find(svg + 'title') is not None], boxes[-2:]
            self.assertAlmostEqual(float(whole.get('width')), 470 * seconds / most[0], delta=0.02, msg=name)
            x, shares = float(whole.get('x')), {}
            for box in states:                  # one after the other, the whole time
                self.assertAlmostEqual(float(box.get('x')), x, delta=0.05, msg=name)
                x += float(box.get('width'))
                shares[box.find(svg + 'title').text.split()[0]] = float(box.get('width')) / float(whole.get('width'))
            self.assertAlmostEqual(x, float(whole.get('x')) + float(whole.get('width')), delta=0.1, msg=name)
            for state, ticks in spent.items():
                self.assertAlmostEqual(shares.get(state, 0), ticks / sum(spent.values()), delta=0.001, msg=f'{name}: {state}')
            for box, amount, largest in zip(bars, (messages, sent), most[1:]):
                self.assertAlmostEqual(float(box.get('width')), 90 * amount / largest, delta=0.02, msg=name)
            self.assertEqual(told[0], name)
            self.assertIn(f"{100 * spent['Idle'] / sum(spent.values()):.1f} % waiting", told[1].replace('\u00a0', ' '))
            self.assertEqual(told[2], str(messages))

    def test_report_of_one_name(self):
        for where in ('one', 'two'):
            shutil.copytree(trace('ring'), self.path(where, 'ring.trace'))
        done = scope('report', self.path('one', 'ring.trace'), self.path('two', 'ring.trace'), '-o', self.path('out'), env=self.env)
        self.assertEqual(done.status, 0, done.err)
        self.assertEqual(sorted(os.listdir(self.path('out'))), ['executions.svg', 'index.html', 'report.txt', 'ring', 'ring (2)'])

    def test_marks(self):
        for name in ('ring', 'farm'):
            shutil.copytree(trace(name), self.path(name + '.trace'))
            self.assertEqual(scope('marks', self.path(name + '.trace'), 'add', name + ' here', '--at', 0.05).status, 0)
        both = [self.path('ring.trace'), self.path('farm.trace')]
        done = scope('marks', *both, '--json')
        self.assertEqual([(m['trace'], m['name'], m['t']) for m in done.json()], [('ring', 'ring here', 0.05), ('farm', 'farm here', 0.05)])
        alone = scope('marks', both[0], 'list', '--json').json()
        self.assertEqual([m['name'] for m in alone], ['ring here'])
        self.assertNotIn('trace', alone[0])
        done = scope('marks', *both, 'list')
        self.assertRegex(done.out, r'ring +0\.050000 s +ring here\nfarm +0\.050000 s +farm here')
        done = scope('marks', *both, 'add', 'x', '--at', 1)
        self.assertEqual(done.status, 2)
        self.assertIn('is for the marks of one trace', done.err)

    def test_check(self):
        alone = [scope('check', trace(name)) for name in ('ring', 'farm')]
        both = scope('check', trace('ring'), trace('farm'))
        self.assertEqual(both.out, alone[0].out + alone[1].out)
        self.assertEqual(both.status, 0)
        bad = self.bundle('0.5 nonsense\n')
        both = scope('check', bad, trace('farm'))
        self.assertEqual(both.out, scope('check', bad).out + alone[1].out)
        self.assertEqual(both.status, 1)

    def test_state(self):
        done = scope('state', trace('ring'), trace('farm'), '--at', 0.05, env=self.env)
        self.assertRegex(done.out, r'(?s)^ring at 0\.050000 s: 1 task,.*\nfarm at 0\.050000 s: ')
        one = scope('state', trace('ring'), trace('farm'), '--at', 0.05, '--simulator', 'Simulator 2', '--json', env=self.env)
        self.assertEqual(one.json()['hash'], scope('state', trace('farm'), '--at', 0.05, '--json', env=self.env).json()['hash'])
        dot = scope('state', trace('ring'), trace('farm'), '--at', 0.05, '--dot', env=self.env).out
        self.assertEqual(len(re.findall(r'^(?:strict )?digraph', dot, re.M)), 2)


if __name__ == '__main__':
    unittest.main()
