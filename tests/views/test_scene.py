#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenes in three dimensions: where each object is in the picture, computed apart from the numbers of the camera, is where
the picture of numbers has it, for all builders; what they show, computed once more from the raw events; pictures of all
renderings; what is said where nothing can be drawn.

usage: test_scene.py SCOPE SOURCE_FOLDER"""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

SCOPE, ROOT = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests', 'model')]
import raw              # noqa: E402
from few import once    # noqa: E402
from picture import pixels  # noqa: E402
from pvm import Pvm     # noqa: E402

CACHE = tempfile.TemporaryDirectory()
WIDTH, HEIGHT, HEAD = 900, 600, 30
BIRTHS, FFT, FARM, HEAT = (os.path.join(ROOT, 'traces', n + '.trace') for n in ('births', 'fft2d-s16', 'farm', 'heat2d'))
WORK = ('Busy', 'Overhead', 'Talking')


def draw(trace, out, *options, env=None, at='0.3', size=f'{WIDTH}x{HEIGHT}', program='scene', view='Scene'):
    return subprocess.run([SCOPE, 'draw', trace, '--program', program, '--view', view, '--at', at, '--size', size, '-o', out, *options],
                          env=dict(os.environ, XDG_CACHE_HOME=CACHE.name, **(env or {})), capture_output=True, text=True)


def objects(trace, *options, **more):
    with tempfile.NamedTemporaryFile(suffix='.csv') as f:
        done = draw(trace, f.name, *options, **more)
        assert done.returncode == 0, done.stderr
        with open(f.name, encoding='utf-8') as table:
            return list(csv.DictReader(table))


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def unit(a):
    return [x / math.sqrt(dot(a, a)) for x in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def project(eye, centre, up, angle, parallel, at):
    """Where a point is in the picture, px, and how far away."""
    onward = unit(minus(centre, eye))
    right = unit(cross(onward, up))
    above = cross(right, onward)
    d = minus(at, eye)
    depth = dot(d, onward)
    far = math.sqrt(dot(minus(centre, eye), minus(centre, eye))) if parallel else depth
    px = (HEIGHT - HEAD) / 2 / math.tan(math.radians(angle / 2)) / far
    return WIDTH / 2 + dot(d, right) * px, HEAD + (HEIGHT - HEAD) / 2 - dot(d, above) * px, depth, px


# One message from a to b, sent at 0.2 s, received at 0.6 s: made by hand.
HAND_MADE = """%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
%       Alias string
%       Type string
%       StartContainerType string
%       EndContainerType string
%       Name string
%EndEventDef
%EventDef PajeCreateContainer 3
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeDestroyContainer 4
%       Time date
%       Type string
%       Name string
%EndEventDef
%EventDef PajeSetState 5
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
%EventDef PajeStartLink 6
%       Time date
%       Type string
%       Container string
%       StartContainer string
%       Value string
%       Key string
%EndEventDef
%EventDef PajeEndLink 7
%       Time date
%       Type string
%       Container string
%       EndContainer string
%       Value string
%       Key string
%EndEventDef
0 M 0 Machine
0 P M Process
1 S P State
2 L M P P Link
3 0.0 m M 0 machine
3 0.0 a P m a
3 0.0 b P m b
5 0.0 S a Work
5 0.0 S b Work
6 0.2 L m a 100 k
7 0.6 L m b 100 k
4 1.0 P a
4 1.0 P b
4 1.0 M m
"""


class Execution:
    """What each task does when, from the raw events: (from, to, state), ticks, by id."""

    def __init__(self, path):
        self.raw = raw.read(path)
        model, now = Pvm(self.raw), {}
        self.intervals = {t.id: [] for t in self.raw.tasks.values()}
        born = set()
        for n, event in enumerate(self.raw.events):
            model.step(event)
            born.add(event.task)
            if n + 1 < len(self.raw.events) and self.raw.events[n + 1].date == event.date:
                continue
            for number in born:
                state, who = model.task_state(model.people[number]), self.raw.tasks[number].id
                if now.get(who, (None, None))[1] != state:
                    if who in now:
                        self.intervals[who].append((now[who][0], event.date, now[who][1]))
                    now[who] = (event.date, state)
        for who, (begin, state) in now.items():
            self.intervals[who].append((begin, self.raw.last, state))
        self.sent = {}
        for (origin, destination), wire in model.wires.items():
            self.sent[(self.raw.tasks[origin].id, self.raw.tasks[destination].id)] = wire.total

    def time_in(self, who, states, begin, end):
        return sum(max(min(b, end) - max(a, begin), 0) for a, b, state in self.intervals[who] if state in states)


class Scene(unittest.TestCase):
    def place(self, o):
        return [float(o[k]) for k in 'xyz']

    def test_objects_are_where_the_camera_puts_them(self):
        dice = random.Random(7)
        compared = 0
        for n in range(12):
            parallel = n % 2 == 1
            centre = [dice.uniform(-1, 1) for _ in range(3)]
            eye = [c + d for c, d in zip(centre, (dice.uniform(-9, 9), dice.choice((-9, 9)), dice.uniform(2, 9)))]
            angle = dice.choice((20, 30, 50))
            camera = 'eye {} {} {} centre {} {} {} up 0 0 1 angle {}'.format(*eye, *centre, angle)
            layout = dice.choice(('ball', 'cube', 'ring', 'hosts'))
            all_ = objects(BIRTHS, '--set', f'Scene.camera={camera}', '--set', f'Scene.parallel={str(parallel).lower()}', '--set',
                           f'Scene.layout={layout}', '--set', 'Scene.rendering=' + dice.choice(('smooth', 'wire', 'points', 'flat')))
            tasks = [o for o in all_ if o['kind'] == 'task']
            self.assertGreater(len(tasks), 8)
            told = {o['what']: project(eye, centre, [0, 0, 1], angle, parallel, self.place(o)) for o in tasks}
            for o in tasks:
                x, y, depth, px = told[o['what']]
                if depth <= 0:
                    continue
                self.assertAlmostEqual(float(o['across [px]']), x, delta=0.02)
                self.assertAlmostEqual(float(o['down [px]']), y, delta=0.02)
                inside = 0 <= x < WIDTH and HEAD <= y < HEIGHT
                # through the middle of a ring one sees what lies behind it
                if not inside or o['state'] == 'Idle' or px * float(o['radius']) < 3:
                    continue
                seen = o['seen there']
                if seen != o['what']:       # then something is before it
                    self.assertNotEqual(seen, '', o)
                    if seen in told:
                        self.assertLess(told[seen][2] - float(o['radius']), depth + float(o['radius']))
                    continue
                compared += 1
        self.assertGreater(compared, 60)

    def synth(self, tasks):
        trace = os.path.join(CACHE.name, f's{tasks}.trace')
        if not os.path.exists(trace):
            subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(8 * tasks + 20), '-o', trace], check=True, capture_output=True)
        return trace

    @once
    def test_two_hundred_nodes_in_all_renderings_and_both_projections(self):
        dice, trace = random.Random(11), self.synth(256)
        for n, rendering in enumerate(('smooth', 'flat', 'hidden lines', 'wire', 'points', 'boxes')):
            for parallel in (False, True):
                eye, centre = [dice.uniform(4, 8), -dice.uniform(4, 8), dice.uniform(28, 40)], [dice.uniform(6, 9), dice.uniform(6, 9), 0]
                all_ = objects(trace, '--set', 'Scene.camera=eye {} {} {} centre {} {} {} angle 45'.format(*eye, *centre), '--set', f'Scene.rendering={rendering}',
                               '--set', f'Scene.parallel={str(parallel).lower()}', '--set', 'Scene.layout=mesh', at='0.1')
                tasks = [o for o in all_ if o['kind'] == 'task']
                self.assertEqual(len(tasks), 256)
                seen = 0
                for o in dice.sample(tasks, 200):
                    x, y, depth, px = project(eye, centre, [0, 0, 1], 45, parallel, self.place(o))
                    self.assertAlmostEqual(float(o['across [px]']), x, delta=0.02)
                    self.assertAlmostEqual(float(o['down [px]']), y, delta=0.02)
                    if 0 <= x < WIDTH and HEAD <= y < HEIGHT and o['state'] != 'Idle':
                        before = o['seen there'] != o['what']      # a cone may lie before it; nothing else does
                        self.assertTrue(not before or '->' in o['seen there'], o)
                        seen += not before
                self.assertGreater(seen, 20, (rendering, parallel))

    @once
    def test_one_task_and_thousands_light_and_dark(self):
        for tasks in (1, 4, 256, 2000):
            trace = self.synth(tasks)
            self.assertEqual(sum(o['kind'] == 'task' for o in objects(trace, at='0.05', size='120x90')), tasks)
            papers = []
            for options in ((), ('--dark',)):
                picture = os.path.join(CACHE.name, 'size.png')
                self.assertEqual(draw(trace, picture, '--set', 'Scene.ground=false', *options, at='0.05', size='120x90').stderr, '')
                rows = pixels(picture)
                papers.append(sum(rows[-1][0]))
                self.assertGreater(sum(p != rows[-1][0] for row in rows[HEAD:] for p in row), 150, tasks)
            self.assertGreater(papers[0], 2 * papers[1])

    def test_things_of_all_builders_are_where_the_camera_puts_them(self):
        dice = random.Random(3)
        for view in ('Space-time in 3D', 'Kiviat over time', 'Work as a landscape', 'Bytes as a landscape', 'Tasks by what they do'):
            parallel = dice.choice((False, True))
            eye = [dice.choice((-1, 1)) * dice.uniform(5, 9), -dice.uniform(5, 9), dice.uniform(5, 9)]
            all_ = objects(HEAT, '--set', f'{view}.camera=eye {eye[0]} {eye[1]} {eye[2]} centre 0 0 1 up 0 0 1 angle 50', '--set',
                           f'{view}.parallel={str(parallel).lower()}', '--set', f'{view}.rendering=' + dice.choice(('smooth', 'wire', 'boxes')),
                           program='scenes', view=view, at='0.1')
            self.assertGreater(len(all_), 3, view)
            told = [project(eye, [0, 0, 1], [0, 0, 1], 50, parallel, self.place(o)) for o in all_]
            own = inside = 0
            for o, (x, y, depth, _) in zip(all_, told):
                if depth <= 0:
                    continue
                self.assertAlmostEqual(float(o['across [px]']), x, delta=0.05, msg=view)
                self.assertAlmostEqual(float(o['down [px]']), y, delta=0.05, msg=view)
                if not 0 <= x < WIDTH or not HEAD <= y < HEIGHT:
                    continue
                inside += 1
                seen = int(o['number seen'])
                own += seen == int(o['number'])
                if seen not in (0, int(o['number'])) and float(o['radius']) > 0 and float(all_[seen - 1]['radius']) > 0:
                    # then its front is before it: an interval is as high as it lasts
                    high = 0 if o['kind'] != 'interval' else 9
                    self.assertLess(told[seen - 1][2] - 1.5 - high, depth + float(o['radius']), (view, o))
            self.assertGreater(inside, 3, view)
            self.assertGreater(own, 0, view)

    def test_intervals_and_messages_are_those_of_the_events(self):
        mine = Execution(HEAT)
        second = mine.raw.ticks
        all_ = objects(HEAT, program='scenes', view='Space-time in 3D', at='0.1')
        intervals = [o for o in all_ if o['kind'] == 'interval']
        self.assertEqual({o['what'] for o in intervals}, set(mine.intervals))
        for who, told in mine.intervals.items():
            for state in WORK + ('Idle',):
                there = sum(float(o['to [s]']) - float(o['from [s]']) for o in intervals if o['what'] == who and o['state'] == state)
                self.assertAlmostEqual(there, mine.time_in(who, (state,), mine.raw.first, mine.raw.last) / second, delta=1e-5, msg=(who, state))
            for o in (o for o in intervals if o['what'] == who):
                middle = (float(o['from [s]']) + float(o['to [s]'])) / 2 * second
                self.assertIn(o['state'], [s for a, b, s in told if a - 1 <= middle <= b + 1])
        # height is time, in both: what lasts from one height to the other begins and ends there
        high = {(float(o['from [s]']) + float(o['to [s]'])) / 2: float(o['z']) for o in intervals}
        (t0, z0), (t1, z1) = min(high.items()), max(high.items())
        for o in (o for o in all_ if o['kind'] == 'message'):
            for date, z in ((o['from [s]'], o['z']), (o['to [s]'], o['to z'])):
                self.assertAlmostEqual(float(z), z0 + (float(date) - t0) * (z1 - z0) / (t1 - t0), delta=0.01)
        messages = {}
        self.assertEqual({(o['kind'], o['unit']) for o in all_}, {('interval', ''), ('message', 'B')})
        for o in (o for o in all_ if o['kind'] == 'message'):
            pair = (o['what'], o['other'])
            messages[pair] = messages.get(pair, 0) + float(o['value'])
            begin = next(i for i in intervals if i['what'] == o['what'])
            self.assertEqual((o['x'], o['y']), (begin['x'], begin['y']))    # it begins at its sender
        self.assertEqual(messages, {pair: n for pair, n in mine.sent.items() if n > 0 and pair[0] != pair[1]})

    @once
    def test_messages_look_as_rules_say(self):
        mine = [m for m in objects(HEAT, program='scenes', view='Space-time in 3D', at='0.1') if m['kind'] == 'message']
        sizes = sorted({float(m['value']) for m in mine})
        self.assertGreater(len(sizes), 1)
        rules = os.path.join(CACHE.name, 'rules')
        with open(rules, 'w', encoding='utf-8') as f:
            f.write(f'associations 1\nmessage size hidden\n  0 .. {sizes[-1]} = yes\n')
        left = [m for m in objects(HEAT, '--associations', rules, program='scenes', view='Space-time in 3D', at='0.1') if m['kind'] == 'message']
        told = [(m['what'], m['other'], m['from [s]'], m['to [s]']) for m in mine if float(m['value']) == sizes[-1]]
        self.assertEqual(sorted(told), sorted((m['what'], m['other'], m['from [s]'], m['to [s]']) for m in left))
        # a colour is that of the rule: some pixels are as red as nothing else is
        with open(rules, 'w', encoding='utf-8') as f:
            f.write(f'associations 1\nmessage size colour\n  other = #ff0000\nmessage size width\n  other = 6\n')
        pictures = []
        for options in ((), ('--associations', rules)):
            picture = os.path.join(CACHE.name, 'rules.png')
            done = draw(HEAT, picture, '--set', 'Space-time in 3D.fog=false', *options, program='scenes', view='Space-time in 3D', at='0.1')
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            pictures.append(sum(r > 110 and g < 12 and b < 12 for row in pixels(picture)[HEAD:] for r, g, b in row))
        self.assertEqual(pictures[0], 0)
        self.assertGreater(pictures[1], 50)

    def test_two_eyes_see_what_is_farther_farther_apart(self):
        """Each ball is found in both halves by its colour, where an eye beside the middle has it."""
        look = ('--set', 'Scene.layout=mesh', '--set', 'Scene.fog=false', '--set', 'Scene.ground=false', '--set', 'Scene.camera=eye 1 -5 4 centre 0.5 0 0 angle 50')
        picture = os.path.join(CACHE.name, 'eyes.png')
        self.assertEqual(draw(FFT, picture, *look, '--set', 'Scene.stereo=side by side', at='0.1').stderr, '')
        rows = pixels(picture)
        tasks = {o['what']: o for o in objects(FFT, *look, at='0.1') if o['kind'] == 'task'}
        self.assertEqual({o['state'] for o in tasks.values()}, {'Busy'})
        eye, centre = [1, -5, 4], [0.5, 0, 0]
        onward = unit(minus(centre, eye))
        right = unit(cross(onward, [0, 0, 1]))
        far, tall = math.dist(eye, centre), math.tan(math.radians(25))
        shift = round((HEIGHT - HEAD) / (2 * tall * 60))      # an eye is beside the middle by a 60th of how far it looks
        apart = shift * 2 * tall * far / (HEIGHT - HEAD)
        between = []
        for o in tasks.values():
            found = []
            for side in (-1, 1):
                at = [e + side * apart * r for e, r in zip(eye, right)]
                to = [c + side * apart * r for c, r in zip(centre, right)]
                d = minus(self.place(o), at)
                depth = dot(d, onward)
                px = (HEIGHT - HEAD) / 2 / tall / depth
                x = WIDTH / 4 + (WIDTH / 2 if side > 0 else 0) + dot(d, right) * px + side * shift
                y = HEAD + (HEIGHT - HEAD) / 2 - dot(d, cross(right, onward)) * px
                self.assertAlmostEqual(dot(minus(to, at), onward), far, delta=1e-6)
                reach = round(px * float(o['radius']) * 1.4)
                row = rows[round(y)]
                green = [i for i in range(round(x) - reach, round(x) + reach) if 0 <= i < WIDTH and row[i][1] > row[i][0] + 20 and row[i][1] > row[i][2] + 10]
                found.append((min(green), max(green), x))
            # both edges of the ball, or those that nothing hides, are where they are told to be
            self.assertTrue(any(abs((f[0] + f[1]) / 2 - f[2]) < 4 for f in found), (o, found))
            between.append((dot(minus(self.place(o), eye), onward), found[1][2] - found[0][2] - WIDTH / 2))
        between.sort()
        self.assertEqual([b for _, b in between], sorted(b for _, b in between))    # what is farther is farther apart
        one = os.path.join(CACHE.name, 'one.png')
        self.assertEqual(draw(FFT, one, *look, '--set', 'Scene.stereo=red-cyan', at='0.1').stderr, '')
        self.assertGreater(sum(r > g + 60 and r > b + 60 for row in pixels(one)[HEAD:] for r, g, b in row), 20)

    @once
    def test_messages_between_groups_are_sums_of_all_their_tasks(self):
        """More than are drawn one by one: a cone for two groups and a slice of time, whichever of their tasks it is."""
        trace = os.path.join(CACHE.name, 'many.trace')
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', '16', '--events', '40000', '-o', trace], check=True, capture_output=True)
        mine = Execution(trace)
        told = json.loads(subprocess.run([SCOPE, 'info', '--json', trace], check=True, capture_output=True).stdout)
        host = {t['id']: t['host'] for t in told['tasks']}
        cones = [o for o in objects(trace, '--hierarchy', 'host', program='scenes', view='Space-time in 3D', at='0.1') if o['kind'] == 'message']
        rows = len(set(host.values()))
        self.assertGreater(rows, 2)
        self.assertTrue(rows * (rows - 1) < len(cones) <= rows * (rows - 1) * 26, len(cones))
        own, names = {}, set(host.values())
        for o in cones:
            own[o['what'], o['other']] = own.get((o['what'], o['other']), 0) + float(o['value'])
        self.assertEqual({n for pair in own for n in pair}, {f'{h} ({list(host.values()).count(h)})' for h in names})
        want = {}
        for (a, b), n in mine.sent.items():
            if host[a] != host[b]:
                want[host[a], host[b]] = want.get((host[a], host[b]), 0) + n
        self.assertEqual({(a.split(' ')[0], b.split(' ')[0]): n for (a, b), n in own.items()}, want)

    @once
    def test_closed_groups_look_as_rules_say(self):
        """As large as what a rule says, of groups of as many tasks the same; hidden with their links; a lid of their colour."""
        rules = os.path.join(CACHE.name, 'rules')

        def seen(rule, *, of=objects, out=()):
            with open(rules, 'w', encoding='utf-8') as f:
                f.write(f'associations 1\n{rule}\n')
            return of(BIRTHS, *out, '--hierarchy', 'behaviour', '--associations', rules)

        plain = seen('group tasks opacity\n  other = 1')
        sizes = {o['what']: float(o['radius']) for o in plain if o['kind'] == 'task' and o['state'] == ''}
        self.assertEqual(len(sizes), 3)
        self.assertEqual(len(set(sizes.values())), 2)       # two are of two tasks each, one is of three
        (largest,) = [n for n, r in sizes.items() if r == max(sizes.values())]
        self.assertAlmostEqual(max(sizes.values()) / min(sizes.values()), (1 + math.log2(3) / 2) / (1 + math.log2(2) / 2), places=4)
        ruled = {o['what']: float(o['radius']) for o in seen('group tasks size\n  ramp 2 .. 3 = 0.125 .. 1') if o['kind'] == 'task' and o['what'] in sizes}
        for name, radius in sizes.items():
            self.assertAlmostEqual(ruled[name], radius if name == largest else radius / 2, places=4, msg=name)
        left = seen('group tasks hidden\n  3 .. 4 = yes')
        self.assertEqual({o['what'] for o in left if o['kind'] == 'task'}, {o['what'] for o in plain if o['kind'] == 'task'} - {largest})
        self.assertLess(sum(o['kind'] == 'link' for o in left), sum(o['kind'] == 'link' for o in plain))
        red = []
        for rule in ('group tasks opacity\n  other = 1', 'group name colour\n  other = #ff0000', 'group tasks label'):
            picture = os.path.join(CACHE.name, 'lid.png')
            done = seen(rule, of=lambda trace, *more: draw(trace, picture, '--set', 'Scene.fog=false', *more))
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            red.append(sum(r > 110 and g < 12 and b < 12 for row in pixels(picture)[HEAD + 30:] for r, g, b in row))
        self.assertEqual(red[::2], [0, 0])
        self.assertGreater(red[1], 50)

    def test_shares_are_those_of_the_events(self):
        mine, dice = Execution(FARM), random.Random(5)
        for view, states in (('Work as a landscape', ''), ('Kiviat over time', ''), ('Work as a landscape', 'Idle, Overhead')):
            all_ = objects(FARM, '--set', f'{view}.states shown={states}', program='scenes', view=view, at='0.05')
            counted = states.split(', ') if states else WORK
            self.assertGreater(len(all_), 150)
            self.assertEqual({o['unit'] for o in all_ if o['value']}, {'%'})
            for o in dice.sample(all_, 120):
                begin, end = (float(o[k]) * mine.raw.ticks for k in ('from [s]', 'to [s]'))
                if o['value']:
                    self.assertAlmostEqual(float(o['value']), 100 * mine.time_in(o['what'], counted, begin, end) / (end - begin), delta=0.2, msg=(view, o))
                # as high, or as far out, as it says
                far = math.hypot(float(o['x']), float(o['y'])) if view == 'Kiviat over time' else float(o['z']) / 3.2
                self.assertAlmostEqual(far, float(o['value'] or 0) / 100, delta=1e-3)

    def test_a_terrain_is_as_high_as_its_matrix(self):
        mine = Execution(HEAT)
        cells = objects(HEAT, program='scenes', view='Bytes as a landscape', at='10')
        self.assertEqual({o['unit'] for o in cells}, {'B'})
        self.assertEqual({(o['what'], o['other']): float(o['value']) for o in cells if float(o['value']) > 0},
                         {pair: n for pair, n in mine.sent.items() if n > 0})
        for o in cells:     # all by one measure
            self.assertAlmostEqual(float(o['z']) * float(cells[1]['value']), float(o['value']) * float(cells[1]['z']), delta=1)

    def test_points_stand_where_their_numbers_say(self):
        program = os.path.join(CACHE.name, 'points.eve')
        with open(os.path.join(ROOT, 'schemas', 'messages', 'scenes.eve'), encoding='utf-8') as f:
            text = f.read()
        charts = (('Activity', 'share', 'x'), ('Activity', 'streak', 'y'), ('In Flight', 'queue', 'z'))
        for component, out, axis in charts:
            text = text.replace('  <wire', f'  <component name="Numbers {axis}" class="scope.bar" version="1" x="0" y="0"/>\n  <wire', 1)
            text = text.replace('</eve>', f'  <wire from="{component}" out="{out}" to="Numbers {axis}" in="value"/>\n</eve>')
        with open(program, 'w', encoding='utf-8') as f:
            f.write(text)
        points = {o['what']: o for o in objects(HEAT, program=program, view='Tasks by what they do', at='0.1')}
        self.assertGreater(len(points), 3)
        for component, out, axis in charts:
            told = {o['owner']: float(o['value']) for o in objects(HEAT, program=program, view=f'Numbers {axis}', at='0.1')}
            names = {t.id: t.nickname for t in Execution(HEAT).raw.tasks.values()}
            pairs = sorted((told[names[what]], float(o[axis])) for what, o in points.items())
            (v0, p0), (v1, p1) = pairs[0], pairs[-1]
            for v, p in pairs:
                self.assertAlmostEqual((p - p0) * (v1 - v0), (p1 - p0) * (v - v0), delta=1e-4 * max(abs(v1 - v0), 1e-9))
            self.assertGreaterEqual(p1, p0)
            self.assertTrue(all(-2.001 <= p <= 2.001 for _, p in pairs))

    def test_cones_lead_from_the_sender_to_the_receiver(self):
        all_ = objects(FFT, at='0.25')
        place = {o['what']: self.place(o) for o in all_ if o['kind'] == 'task'}
        links = [o for o in all_ if o['kind'] == 'link']
        self.assertGreater(len(links), 3)
        for o in links:
            begin, end = self.place(o), [float(o['to ' + k]) for k in 'xyz']
            for at, near, far in ((begin, o['what'], o['other']), (end, o['other'], o['what'])):
                self.assertLess(math.dist(at, place[near]), math.dist(at, place[far]))

    def test_a_cone_is_thick_at_its_sender(self):
        trace = os.path.join(CACHE.name, 'hand.trace')
        with open(trace, 'w', encoding='utf-8') as f:
            f.write(HAND_MADE)
        first = [o for o in objects(trace, program='scenes', view='Space-time in 3D', at='1') if o['kind'] == 'message']
        self.assertEqual([(o['what'], o['other'], float(o['from [s]']), float(o['to [s]'])) for o in first], [('a', 'b', 0.2, 0.6)])
        look = ['--set', 'Scene.layout=mesh', '--set', 'Scene.side=front', '--set', 'Scene.fog=false', '--set', 'Scene.ground=false']
        told = {(o['what'], o['other']): o for o in objects(trace, *look, at='0.7')}
        self.assertIn(('a', 'b'), told)
        self.assertNotIn(('b', 'a'), told)
        picture = os.path.join(CACHE.name, 'hand.png')
        self.assertEqual(draw(trace, picture, *look, at='0.7').stderr, '')
        rows = pixels(picture)
        (ax, ay), (bx, _) = [(float(told[(w, '')]['across [px]']), float(told[(w, '')]['down [px]'])) for w in 'ab']

        def thick(x):
            paper = rows[HEAD + 60][round(x)]
            return sum(rows[round(ay) + k][round(x)] != paper for k in range(-60, 61))
        begin, end = ax + (bx - ax) * 0.3, ax + (bx - ax) * 0.5
        self.assertGreater(thick(begin), 1.3 * thick(end))
        self.assertGreater(thick(end), 0)

    def test_sorted_places_are_those_of_the_attributes(self):
        """At each instant others: further, higher and larger is who has more of the attribute that is asked for."""
        axes = {'x': 'PercentIdle', 'y': 'PercentOverhead', 'z': 'PercentBusy', 'radius': 'PercentIdle'}
        asked = [f'Scene.{"size" if a == "radius" else "sort " + a}={name}' for a, name in axes.items()]
        before = None
        for at in ('0.1', '0.3'):
            told = subprocess.run([SCOPE, 'state', BIRTHS, '--at', at, '--json'], capture_output=True, check=True).stdout
            has = {n['id']: n for n in json.loads(told)['nodes']}
            tasks = [o for o in objects(BIRTHS, '--set', 'Scene.layout=sorted', *[w for a in asked for w in ('--set', a)], at=at) if o['kind'] == 'task']
            self.assertEqual({o['what'] for o in tasks}, set(has))
            for axis, name in axes.items():
                rows = sorted((float(o[axis]), float(has[o['what']][name])) for o in tasks)
                self.assertGreater(len({place for place, _ in rows}), 1, axis)
                for (_, one), (_, other) in zip(rows, rows[1:]):
                    self.assertLessEqual(one, other + 0.11, (at, axis, rows))       # of what is shown rounded to a tenth
            self.assertNotEqual({o['what']: self.place(o) for o in tasks}, before)
            before = {o['what']: self.place(o) for o in tasks}

    def test_a_picture_is_the_same_twice_and_all_renderings_differ(self):
        pictures = []
        with tempfile.TemporaryDirectory() as folder:
            for n, rendering in enumerate(('smooth', 'smooth', 'flat', 'hidden lines', 'wire', 'points', 'boxes')):
                out = os.path.join(folder, f'{n}.png')
                self.assertEqual(draw(FFT, out, '--set', f'Scene.rendering={rendering}', at='0.25', size='300x200').stderr, '')
                with open(out, 'rb') as f:
                    pictures.append(f.read())
        self.assertEqual(pictures[0], pictures[1])
        self.assertEqual(len(set(pictures)), 6)

    def test_sizes_from_the_least_to_more_than_a_part(self):
        with tempfile.TemporaryDirectory() as folder:
            for size in ('50x50', '2500x60', '60x2500'):
                done = draw(FFT, os.path.join(folder, 'a.png'), '--dark', size=size)
                self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_where_nothing_can_be_drawn_a_sentence_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            done = draw(FFT, os.path.join(folder, 'a.png'), env={'__EGL_VENDOR_LIBRARY_DIRS': folder})
            self.assertEqual((done.returncode, done.stderr), (0, ''))     # the sentence is in the picture
            svg = os.path.join(folder, 'a.svg')
            self.assertEqual(draw(FFT, svg, env={'__EGL_VENDOR_LIBRARY_DIRS': folder}).returncode, 0)
            self.assertGreater(os.path.getsize(svg), 1000)

    def test_places_with_names_and_one_camera_for_several(self):
        place = 'eye 5 -6 4 centre 0 0 0.5 up 0 0 1 angle 40'
        told = objects(FFT, '--set', f'Scene.camera={place}')
        self.assertNotEqual(told, objects(FFT))
        list_ = f'Scene.viewpoints=else: eye 1 1 9 centre 0 0 0; from below : {place} ;'
        self.assertEqual(told, objects(FFT, '--set', list_, '--set', 'Scene.camera=from below'))
        self.assertEqual(objects(FFT), objects(FFT, '--set', list_, '--set', 'Scene.camera=below'))     # no such name: all of it
        program = os.path.join(CACHE.name, 'shared.eve')
        with open(os.path.join(ROOT, 'schemas', 'messages', 'scene.eve'), encoding='utf-8') as f:
            text = f.read()
        wire = next(line for line in text.splitlines() if 'to="Scene"' in line)
        with open(program, 'w', encoding='utf-8') as f:
            f.write(text.replace('  <wire', '  <component name="Other" class="scope.scene" version="1" x="0" y="0"/>\n  <wire', 1)
                    .replace(wire, wire + '\n' + wire.replace('"Scene"', '"Other"')))
        shared = ('--set', 'Scene.shared camera=a', '--set', f'Scene.camera={place}', '--set', 'Other.camera=eye 1 1 9 centre 0 0 0')
        self.assertEqual(told, objects(FFT, *shared, '--set', 'Other.shared camera=a', program=program, view='Other'))
        self.assertNotEqual(told, objects(FFT, *shared, '--set', 'Other.shared camera=b', program=program, view='Other'))

    @once
    def test_a_camera_that_is_no_camera_shows_all(self):
        for camera in ('somewhere', 'eye 0 0 0 centre 0 0 0', 'eye nan 1 1 centre 0 0 0', 'eye 1 1 1 centre 0 0'):
            self.assertEqual(objects(FFT, '--set', f'Scene.camera={camera}'), objects(FFT))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
