# SPDX-License-Identifier: Apache-2.0
"""A State Presenter at random instants: the attribute that it tells last, of each object and of one that is named, and the
changes of the simulator by name, against the second computation of this folder; on all samples and on odd executions.
SCOPE_SEED: another choice."""
import csv
import os
import random
import tempfile
import unittest
from xml.sax.saxutils import escape

import make
import raw
from ouf import Ouf
from pvm import Pvm
from test_model import decimal
from test_model import scope as scope_command

SAMPLES = os.path.join(raw.ROOT, 'traces')
SEED = int(os.environ.get('SCOPE_SEED', '1'))
N_ODD = int(os.environ.get('SCOPE_ODD', '8'))
READERS = {'PVM': ('tapepvm-reader', 'pvm-simulator'), 'OUF': ('tape-reader', 'ouf-simulator')}


def program(execution, asked):
    """For each of (scope, attribute, object) a presenter, whose dated numbers and texts are kept."""
    reader, simulator = READERS[execution.model]
    lines = [f'<eve version="1"><component name="C" class="scope.session" version="1"/>'
             f'<component name="R" class="scope.{reader}" version="1"/><component name="S" class="scope.{simulator}" version="1"/>'
             f'<wire from="C" out="commands" to="R" in="commands"/><wire from="R" out="events" to="S" in="events"/>']
    for i, (scope, attribute, name) in enumerate(asked):
        lines.append(f'<component name="P{i}" class="scope.state-presenter" version="1"><setting name="of">{scope}</setting>'
                     f'<setting name="attribute">{attribute}</setting><setting name="object">{escape(name)}</setting></component>')
        for out in ('dated', 'text'):
            lines.append(f'<component name="{out}{i}" class="scope.csv-sink" version="1"><setting name="file">{out}{i}.csv</setting></component>'
                         f'<wire from="P{i}" out="{out}" to="{out}{i}" in="in"/>')
        lines.append(f'<wire from="S" out="changes" to="P{i}" in="changes"/>')
    lines.append('<component name="All" class="scope.csv-sink" version="1"><setting name="file">changes.csv</setting></component>'
                 '<wire from="S" out="changes" to="All" in="in"/>')
    return '\n'.join(lines) + '</eve>'


def called(thing):
    """What names it alone: several links may go from one to another."""
    return thing['Name'] if 'from' in thing else thing['id']


def owner_of(thing):
    """How tables call it."""
    if 'from' not in thing:
        return thing.get('Nickname') or thing['id']
    return thing['id'] + ('' if thing['Name'] == thing['id'] else f' ({thing["Name"]})')


def rows(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, newline='') as f:
        return list(csv.reader(f))[1:]


class Presenter(unittest.TestCase):
    def same(self, attribute, want, got, ticks, what):
        if attribute.startswith('Percent'):
            self.assertAlmostEqual(float(got), float(want), delta=0.0501, msg=what)
        elif attribute == 'Clock':
            self.assertAlmostEqual(float(got), want / ticks, 8, what)
        else:
            self.assertEqual(got, str(want), what)

    def check(self, path, rand):
        execution = raw.read(path)
        model = (Pvm if execution.model == 'PVM' else Ouf)(execution)
        dates = sorted({e.date for e in execution.events})
        at = rand.choice(dates[len(dates) // 4:])
        for e in execution.events:
            if e.date <= at:
                model.step(e)
        state = model.state(at)
        asked, wanted = [], []
        for scope, objects in (('node', state['nodes']), ('link', state['edges'])):
            if not objects:
                continue
            names = [n for n, v in objects[0].items() if n.startswith('Percent') or isinstance(v, int) or n in ('State', 'Clock')]
            for attribute in rand.sample(names, min(4, len(names))):
                one = rand.choice(objects)
                asked += [(scope, attribute, ''), (scope, attribute, called(one))]
                wanted += [(scope, attribute, objects), (scope, attribute, [one])]
                nickname = one.get('Nickname')
                if scope == 'node' and nickname and sum(o['Nickname'] == nickname for o in objects) == 1:
                    asked.append((scope, attribute, nickname))
                    wanted.append((scope, attribute, [one]))
        with tempfile.TemporaryDirectory(prefix='scope-presenter-') as folder:
            file, out = os.path.join(folder, 'p.eve'), os.path.join(folder, 'out')
            with open(file, 'w') as f:
                f.write(program(execution, asked))
            scope_command('run', path, '--program', file, '--out', out, '--until', decimal(at, execution.ticks))
            self.check_changes(rows(out, 'changes.csv'), state, f'{path} at {at}')
            for i, (scope, attribute, objects) in enumerate(wanted):
                what = f'{path} at {at}: {asked[i]}'
                dated, texts = rows(out, f'dated{i}.csv'), rows(out, f'text{i}.csv')
                self.assertEqual(len(dated), len(texts), what)
                last = {}
                for number, text in zip(dated, texts):
                    last[number[1]] = (float(number[0]), number[2], text[-1])
                    self.assertLessEqual(float(number[0]), at / execution.ticks + 1e-9, what)
                for o in objects:
                    owner = owner_of(o)
                    if sum(owner_of(p) == owner for p in objects) > 1:
                        continue                            # two of one name
                    if owner not in last:                   # nobody has ever changed it: a number
                        self.assertEqual(o[attribute], 0, what + owner)
                        continue
                    self.same(attribute, o[attribute], last[owner][2], execution.ticks, f'{what} {owner}')
                    self.compared += 1
                if len(objects) == 1 and asked[i][2]:
                    self.assertLessEqual(len(last), 1, what)

    def check_changes(self, rows, state, what):
        """The changes themselves, by name: the newest of each attribute of each object."""
        last = {(of, owner, attribute): new for _, of, owner, attribute, _, new in rows}
        for of, objects in (('node', state['nodes']), ('link', state['edges'])):
            for o in objects:
                name = owner_of(o) if of == 'link' else o['id']
                self.assertEqual(last[of, name, 'State'], o['State'], what)
                for attribute, value in o.items():
                    if isinstance(value, int) and attribute != 'Clock':
                        self.assertEqual(last.get((of, name, attribute), '0'), str(value), f'{what}: {attribute} of {name}')
                        self.compared += 1

    def setUp(self):
        self.compared = 0

    def test_samples(self):
        for name in raw.samples():
            with self.subTest(name):
                self.check(os.path.join(SAMPLES, name), random.Random(f'{SEED} {name}'))
        self.assertGreater(self.compared, 300)

    def test_odd(self):
        for seed in range(N_ODD):
            for write in (make.write_pvm, make.write_tape):
                rand = random.Random(f'{SEED} {seed}')
                with self.subTest(seed, write=write.__name__), tempfile.TemporaryDirectory(prefix='scope-presenter-') as folder:
                    self.check(write(os.path.join(folder, 'odd.trace'), rand, tasks=rand.choice([2, 3, 8]), actions=rand.choice([10, 40])), rand)
        self.assertGreater(self.compared, 100)

    def shares(self, path, simulator, attributes, states_of):
        """Percentages at random instants against the changes of State: of each object that `states_of` makes of these,
        dates and states, the share of the states of `attributes` in those that count."""
        rand, execution = random.Random(f'{SEED} {path}'), raw.read(path)
        reader = READERS[execution.model][0]
        lines = [f'<eve version="1"><component name="R" class="scope.{reader}"/><component name="S" class="scope.{simulator}">'
                 + ('<setting name="processors">true</setting>' if simulator == 'ouf-simulator' else '') + '</component>'
                 '<component name="All" class="scope.csv-sink"><setting name="file">changes.csv</setting></component>'
                 '<wire from="R" out="events" to="S" in="events"/><wire from="S" out="changes" to="All" in="in"/>']
        for a in attributes:
            lines.append(f'<component name="{a}" class="scope.state-presenter"><setting name="attribute">{a}</setting></component>'
                         f'<component name="File {a}" class="scope.csv-sink"><setting name="file">{a}.csv</setting></component>'
                         f'<wire from="S" out="changes" to="{a}" in="changes"/><wire from="{a}" out="dated" to="File {a}" in="in"/>')
        for _ in range(3):
            at = rand.choice([e.date for e in execution.events][len(execution.events) // 5:]) + rand.choice([0, 1, 1000])
            with tempfile.TemporaryDirectory(prefix='scope-presenter-') as folder:
                file, out = os.path.join(folder, 'p.eve'), os.path.join(folder, 'out')
                with open(file, 'w') as f:
                    f.write('\n'.join(lines) + '</eve>')
                scope_command('run', path, '--program', file, '--out', out, '--until', decimal(at, execution.ticks))
                changes = [(round(float(r[0]) * execution.ticks), r[2], r[5]) for r in rows(out, 'changes.csv') if r[1] == 'node' and r[3] == 'State']
                told = {a: {r[1]: float(r[2]) for r in rows(out, f'{a}.csv')} for a in attributes}
            until = min(at, execution.events[-1].date)
            for name, history in states_of(execution, changes).items():
                spent = {}
                for (date, state), (end, _) in zip(history, history[1:] + [(until, None)]):
                    spent[state] = spent.get(state, 0) + end - date
                life = sum(t for state, t in spent.items() if state not in ('Unused', 'Dead', 'Unseen'))
                for a, state in attributes.items():
                    what = f'{path} at {at}: {a} of {name}'
                    self.assertAlmostEqual(told[a].get(name, 0), 100 * spent.get(state, 0) / life if life else 0, delta=1e-6, msg=what)
                    self.compared += 1

    def test_computing(self):
        """A simulator that learns its states from the trace."""
        def by_task(execution, changes):
            names, of = {t.id: t.nickname or t.id for t in execution.tasks.values()}, {}
            for date, task, state in changes:
                of.setdefault(names[task], []).append((date, state))
            return of
        for trace in ('fft2d-s4', 'farm', 'births', 'philosophers'):
            self.shares(os.path.join(SAMPLES, trace + '.trace'), 'calls-simulator', {'PercentComputing': 'Computing'}, by_task)
        self.assertGreater(self.compared, 20)

    def test_processors(self):
        """Each is in the state of the liveliest of its tasks."""
        def by_processor(execution, changes):
            host, now, of = {t.id: t.host for t in execution.tasks.values()}, {}, {}
            for date, task, state in changes:
                if task in host:
                    now[task] = state
                    states = [now.get(t, 'Unused') for t in host if host[t] == host[task]]
                    liveliest = next(s for s in ('Busy', 'Talking', 'Idle', 'Unused', 'Dead') if s in states)
                    of.setdefault('processor ' + host[task], []).append((date, liveliest))
            return of
        for trace in ('philosophers', 'pipeline'):
            self.shares(os.path.join(SAMPLES, trace + '.trace'), 'ouf-simulator',
                        {'Percent' + s: s for s in ('Busy', 'Idle', 'Talking')}, by_processor)
        self.assertGreater(self.compared, 20)

    def test_two_traces(self):
        """Links of two traces that come to one table: each is named by the simulator of its own."""
        def named(*traces):
            lines = ['<eve version="1"><component name="C" class="scope.session" version="1"/>'
                     '<component name="F" class="scope.csv-sink" version="1"><setting name="file">all.csv</setting></component>']
            for i, _ in enumerate(traces):
                lines.append(f'<component name="R{i}" class="scope.tapepvm-reader" version="1"/>'
                             f'<component name="S{i}" class="scope.pvm-simulator" version="1"/>'
                             f'<component name="P{i}" class="scope.state-presenter" version="1"><setting name="of">link</setting></component>'
                             f'<wire from="C" out="commands" to="R{i}" in="commands"/><wire from="R{i}" out="events" to="S{i}" in="events"/>'
                             f'<wire from="S{i}" out="changes" to="P{i}" in="changes"/><wire from="P{i}" out="dated" to="F" in="in"/>')
            with tempfile.TemporaryDirectory(prefix='scope-presenter-') as folder:
                file, out = os.path.join(folder, 'p.eve'), os.path.join(folder, 'out')
                with open(file, 'w') as f:
                    f.write('\n'.join(lines) + '</eve>')
                scope_command('run', *(os.path.join(SAMPLES, t + '.trace') for t in traces), '--program', file, '--out', out)
                return sorted(rows(out, 'all.csv'))
        alone = named('heat2d') + named('groups')
        self.assertGreater(len({owner for _, owner, _, _ in alone}), 12)
        self.assertEqual(named('heat2d', 'groups'), sorted(alone))
        self.assertEqual(named('groups', 'heat2d'), sorted(alone))

    def test_curve_of_links(self):
        """A curve of the film names links as their simulator does, and its values are those of the model."""
        path, rand = os.path.join(SAMPLES, 'heat2d.trace'), random.Random(SEED)
        execution = raw.read(path)
        text = program(execution, []).replace('</eve>', '''<component name="P" class="scope.state-presenter" version="1"><setting name="of">link</setting>
            <setting name="attribute">Traffic</setting></component><component name="Curve" class="scope.curve" version="1"/>
            <wire from="S" out="changes" to="P" in="changes"/><wire from="P" out="dated" to="Curve" in="value"/></eve>''')
        with tempfile.TemporaryDirectory(prefix='scope-presenter-') as folder:
            file, table = os.path.join(folder, 'p.eve'), os.path.join(folder, 'curve.csv')
            with open(file, 'w') as f:
                f.write(text)
            scope_command('draw', path, '--program', file, '--view', 'Curve', '--csv', '-o', table, '--film', os.path.join(folder, 'x.film'))
            told = rows(folder, 'curve.csv')
        self.assertEqual([owner for date, owner, _ in told if not date], [])      # nothing is said to be left out
        owners = {owner for _, owner, _ in told}
        self.assertGreater(len(owners), 8)
        for _ in range(10):
            at, model, last = rand.choice(execution.events).date, Pvm(execution), {}
            for e in execution.events:
                if e.date <= at:
                    model.step(e)
            for date, owner, value in told:
                if round(float(date) * 10**9) <= at * (10**9 // execution.ticks):
                    last[owner] = float(value)
            for link in model.state(at)['edges']:
                if link['id'] in owners:
                    self.assertEqual(last[link['id']], link['Traffic'], f'{link["id"]} at {at}')


if __name__ == '__main__':
    unittest.main(verbosity=2)
