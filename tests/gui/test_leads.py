# SPDX-License-Identifier: Apache-2.0
"""Each class of views by the pointer: a click on a mark (bar, cell, row, dot, line, slice, node, link, box of a tree, word of a
legend) selects what it stands for in the other views, and a double click or the menu leads to its events and stays, which are
computed a second time from `scope events` and by the models."""
import json
import os
import re
import subprocess
import sys

from harness import ROOT, SAMPLES, SCOPE, Case, main, session

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import calls                                        # noqa: E402
import ouf                                          # noqa: E402
import pvm                                          # noqa: E402
import raw                                          # noqa: E402


def program(title, reader, boxes, wires):
    """`boxes`: name -> class, or class and settings; `wires`: "From.out To.in"."""
    text = [f'<eve version="1"><title>{title}</title><component name="Reader" class="{reader}" version="1"/>']
    for name, box in boxes.items():
        kind, settings = box if isinstance(box, tuple) else (box, {})
        inside = ''.join(f'<setting name="{k}">{v}</setting>' for k, v in settings.items())
        text.append(f'<component name="{name}" class="scope.{kind}" version="1">{inside}</component>')
    for wire in wires:
        a, b = wire.split(' > ')
        text.append('<wire from="{}" out="{}" to="{}" in="{}"/>'.format(*a.rsplit('.', 1), *b.rsplit('.', 1)))
    return '\n'.join(text) + '</eve>'


STATES = program(
    'Marks of states', 'scope.tapepvm-reader',
    {'Simulator': 'pvm-simulator', 'Space-time': 'space-time', 'State graph': 'state-graph', 'Traffic': 'traffic',
     'Matrix': 'matrix-view', 'Waiting': 'waiting-times', 'Bars': 'bar', 'Pie': 'pie', 'Activity': 'activity', 'Kiviat': 'radial',
     'Durations': 'state-durations', 'Shares': 'stacked-bars', 'Grid': 'status-grid', 'By task': 'statistics-by-owner',
     'Table': 'table-view', 'Dots': 'scatter-matrix'},
    ['Reader.events > Simulator.events', 'Reader.events > Waiting.events', 'Simulator.states > Space-time.states',
     'Simulator.messages > Space-time.messages', 'Simulator.messages > State graph.messages', 'Simulator.messages > Traffic.messages',
     'Simulator.states > Activity.states', 'Simulator.states > Durations.states', 'Simulator.states > Grid.states',
     'Durations.balance > Shares.matrix', 'Activity.share > Kiviat.value', 'Traffic.counts > Matrix.matrix',
     'Waiting.dated > Bars.value', 'Waiting.dated > Pie.value', 'Waiting.dated > By task.value', 'By task.table > Table.table',
     'By task.table > Dots.table'])

CALLS = program(
    'Marks of calls', 'scope.tape-reader',
    {'Simulator': 'calls-simulator', 'States': 'ouf-simulator', 'Space-time': 'space-time', 'Call timeline': 'call-timeline',
     'Call tree': 'call-tree', 'Flame': 'tree', 'Rows': ('tree', {'as': 'table'}), 'Profile': 'profile', 'Regions': 'table-view',
     'Durations': 'state-durations', 'Count': 'state-count', 'Concurrency': 'concurrency', 'Curve': 'curve', 'Scatter': 'scatter',
     'Scene': 'scene', 'Text': 'trace-text'},
    ['Reader.events > Simulator.events', 'Reader.events > States.events', 'Reader.events > Text.events',
     'States.states > Space-time.states', 'Simulator.calls > Call timeline.calls', 'Simulator.calls > Call tree.calls',
     'Call tree.tree > Flame.table', 'Call tree.tree > Rows.table', 'States.states > Profile.states', 'Profile.table > Regions.table',
     'States.states > Durations.states', 'States.states > Count.states', 'States.states > Concurrency.states',
     'Concurrency.dated > Curve.value', 'Durations.dated > Scatter.x', 'Profile.dated > Scatter.y', 'States.messages > Scene.messages'])


def entries(trace, model, people, state):
    """[(date, name of a task, state)]: begins of stays that last, in order."""
    stays = {}
    for e in trace.events:
        model.step(e)
        for number, now in people(model):
            mine, seen = stays.setdefault(trace.tasks[number].nickname, []), state(now)
            if seen is None or (mine and mine[-1][1] == seen):
                continue
            if mine and mine[-1][0] == e.date:
                mine.pop()
            if not mine or mine[-1][1] != seen:
                mine.append((e.date, seen))
    return sorted((date, name, seen) for name, mine in stays.items() for date, seen in mine)


class Leads(Case):
    def opened(self, name, text, last):
        path = self.path('marks.eve')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        trace = os.path.join(SAMPLES, name)
        w = self.start(self.copy(name), path)
        said = subprocess.run([SCOPE, 'events', trace, '--json'], check=True, stdout=subprocess.PIPE, text=True, env=session().env).stdout
        self.events = [json.loads(line) for line in said.splitlines()]
        self.w, self.trace, self.at = w, raw.read(trace), 0
        w.wait_gone('label', re.compile('^Shooting'), 60)
        self.slider = w.wait_for('slider', 'Time')
        if w.find('canvas', 'Program'):
            w.key('F8')
            w.wait_gone('canvas', 'Program')
        self.go(last)
        return w

    def given(self):
        present = self.w.find('push button', 'Present')
        m = re.search(r'event([\d]+)of', re.sub(r'\s', '', present.description)) if present else None
        return int(m[1]) if m else None

    def now(self):
        return self.events[self.at - 1]['t']

    def go(self, number):
        self.w.key('g')
        field = self.w.wait_for('text', 'Go to')
        self.w.wait(lambda: field.state('focused'), 'the field has the focus')
        self.w.key('ctrl+a')
        self.w.type(f'#{number}')
        self.w.key('Return')
        self.w.wait_gone('text', 'Go to')
        self.w.wait(lambda: self.given() == number, f'event {number} is the present one', 60)
        self.at = number

    def picture(self, view):
        return self.w.wait_for('drawing area', 'Picture of ' + view, 30)

    def item(self, view, begin):
        return self.w.wait(lambda: next((i for i in self.picture(view).children if i.name.startswith(begin)), None),
                           f'{view} has an item {begin}', 60)

    def chosen(self, view):
        return sorted({re.split('[:,]', i.name)[0].strip() for i in self.picture(view).children if i.state('SELECTED')})

    def press(self, view, begin, times=1, button=1):
        """Where the mark itself lies: pointed at, its own name is told."""
        self.item(view, begin).click(button=button, times=times, fx=self.fx, fy=self.fy)

    def selects(self, view, begin, other, wanted, fx=0.5, fy=0.5):
        """A click on it selects it; another view shows it."""
        self.fx, self.fy = fx, fy
        self.press(view, begin)
        self.w.wait(lambda: self.chosen(other) == sorted(wanted), f'{begin} of {view} selects {wanted} in {other}')

    def leads(self, view, begin, like):
        """A double click goes to the next event that is like it, behind the last one to the first."""
        order = list(range(self.at, len(self.events))) + list(range(self.at))
        wanted = next(i for i in order if like(self.events[i])) + 1
        self.press(view, begin, times=2)
        self.w.wait(lambda: self.given() == wanted, f'{begin} of {view} leads from event {self.at} to {wanted}')
        self.at = wanted

    def stays(self, view, begin, entries, menu=False):
        """... to the next begin of a stay, of those given."""
        here = round(self.now() * self.trace.ticks)
        dates = [e[0] for e in entries if e[0] > here] or [e[0] for e in entries]
        if menu:
            self.press(view, begin, button=3)
            self.w.wait_for('menu', 'Next').click()
            self.w.wait_for('menu item', 'Stay in This State').click()
            self.w.wait_gone('menu item', 'Stay in This State')
        else:
            self.press(view, begin, times=2)
        self.arrives(dates[0] / self.trace.ticks, f'{begin} of {view}')

    def arrives(self, date, what):
        self.w.wait(lambda: abs(self.slider.value - date) < 2e-9, f'{what} leads to {date} s')
        number = sum(e['t'] <= date + 1e-12 for e in self.events)
        self.w.wait(lambda: self.given() == number, f'event {number} is the present one')
        self.at = number

    def test_states(self):
        w = self.opened('fft2d-s16.trace', STATES, 1500)
        task = {f'fft {i}': f't4000{i + 2}' for i in range(4)}

        def of(name):
            return lambda e: e['task'] == task[name]

        def between(a, b):
            def others(e):
                return {x for field in ('to', 'from') for x in (e[field] if isinstance(e.get(field), list) else [e.get(field)])}
            return lambda e: (e['task'] == task[a] and task[b] in others(e)) or (e['task'] == task[b] and task[a] in others(e))
        marks = [('Bars', 'fft ', 0.02), ('Pie', 'fft ', 0.5), ('Kiviat', 'fft 3: ', 0.5), ('Table', 'owner fft ', 0.1), ('Dots', 'fft ', 0.5),
                 ('Matrix', 'row fft 2', 0.5)]
        for view, begin, fx in marks:
            name = re.search(r'fft \d', self.item(view, begin).name)[0]
            begin = begin if name in begin else begin.replace('fft ', name)
            self.selects(view, begin, 'Space-time', [f'{task[name]}  {name}'], fx)
            self.leads(view, begin, of(name))
        self.selects('Space-time', 't40004', 'State graph', ['fft 2'], 0.02, 0.5)
        # Links: the cell of a matrix, the line between two nodes.
        self.selects('Matrix', 'fft 2 to fft 0: ', 'State graph', ['fft 2 to fft 0'])
        self.leads('Matrix', 'fft 2 to fft 0: ', between('fft 2', 'fft 0'))
        self.selects('State graph', 'fft 3 to fft 1: ', 'Matrix', ['fft 3 to fft 1'])
        self.leads('State graph', 'fft 3 to fft 1: ', between('fft 3', 'fft 1'))
        # States: a slice of stacked bars and a word of a legend, of all tasks; a cell of a grid and a node of a graph of their own.
        all_stays = entries(self.trace, pvm.Pvm(self.trace), lambda m: m.people.items(), lambda p: p.seen and p.seen.state)
        self.selects('Shares', 'column Idle', 'Shares', ['column Idle'])
        self.stays('Shares', 'column Idle', [s for s in all_stays if s[2] == 'Idle'])
        self.selects('Shares', 'fft 2, Idle: ', 'Space-time', ['t40004  fft 2'])
        self.stays('Shares', 'fft 2, Idle: ', [s for s in all_stays if s[1:] == ('fft 2', 'Idle')])
        self.selects('Grid', 'fft 2: ', 'Space-time', ['t40004  fft 2'])
        state = re.match(r'fft 2: (\w+)', self.item('Grid', 'fft 2: ').name)[1]
        self.stays('Grid', 'fft 2: ', [s for s in all_stays if s[1:] == ('fft 2', state)])
        self.selects('State graph', 'fft 3: ', 'Grid', ['fft 3'])
        state = re.match(r'fft 3: (\w+)', self.item('State graph', 'fft 3: ').name)[1]
        self.stays('State graph', 'fft 3: ', [s for s in all_stays if s[1:] == ('fft 3', state)])

    def test_calls(self):
        w = self.opened('pipeline.trace', CALLS, 900)
        for view, begin, fx in (('Scatter', 'sink', 0.5), ('Space-time', 'source', -0.1)):
            name = re.split('[:,]', self.item(view, begin).name)[0]
            self.selects(view, name, 'Scatter' if view == 'Space-time' else 'Space-time', [name], fx)
            self.leads(view, name, lambda e: e['task'] == name)
        changes = entries(self.trace, ouf.Ouf(self.trace), lambda m: list(enumerate(m.nodes)), lambda n: n.seen.state)
        self.selects('Scene', 'stage5: ', 'Space-time', ['stage5'])
        state = re.match(r'stage5: (\w+)', self.item('Scene', 'stage5: ').name)[1]
        self.stays('Scene', 'stage5: ', [s for s in changes if s[1:] == ('stage5', state)])
        # What has dates leads there: a box of a timeline, an event of a text, a point of a curve, a flag.
        self.selects('Call timeline', 'stage1: Receive from', 'Space-time', ['stage1'])
        box = self.item('Call timeline', 'stage1: Receive from')
        first, last = (float(re.sub(r'\s', '', x)) for x in re.search(r'from ([\d.\s]+)s to ([\d.\s]+)s', box.name).groups())
        self.press('Call timeline', box.name, times=2)
        w.wait(lambda: first <= self.slider.value <= last, 'it is in the call')
        self.go(900)
        self.item('Text', 'stage3 receives from stage2; this takes 1.64')       # the text is there too
        w.settle()
        line = self.item('Text', 'stage')
        name = line.name.split()[0]
        self.selects('Text', line.name, 'Space-time', [name])
        self.press('Text', line.name, times=2)
        dates = [e['t'] for e in self.events if e['task'] == name]
        w.wait(lambda: any(abs(self.slider.value - t) < 2e-9 for t in dates), f'it is at an event of {name}')
        x, y, width, height = self.item('Curve', 'all: ').box
        for view, part in (('Curve', 0.7), ('Count', 0.4)):
            _, top, _, high = self.picture(view).box
            w.click(round(x + width * part), round(top + high * 0.6), times=2)
            about = self.events[0]['t'] + part * (self.events[-1]['t'] - self.events[0]['t'])
            w.wait(lambda: abs(self.slider.value - about) < 0.03 * about, f'about {about} s, where {view} was pointed at')
        flagged = self.slider.value
        w.key('m')
        w.wait(lambda: w.find('label', 'Mark 1') or w.find('text', 'Mark 1') or w.find('table cell', 'Mark 1'), 'there is a mark')
        self.go(900)
        span = self.events[-1]['t'] - self.events[0]['t']
        px = 18 + (flagged - self.events[0]['t']) / span * (self.slider.box[2] - 36)
        self.slider.click(fx=px / self.slider.box[2], fy=0.06)
        w.wait(lambda: self.slider.value == flagged, 'the flag leads to its date')
        self.go(900)
        # A box of a tree and a row of a table stand for a state: of all tasks.
        inside = entries(self.trace, calls.Calls(self.trace), lambda m: m.nodes.items(), lambda n: n.seen.state)
        self.selects('Flame', 'Receive,', 'Rows', ['Receive'])
        self.stays('Flame', 'Receive,', [s for s in inside if s[2] == 'Receive'], menu=True)
        self.selects('Rows', 'Send,', 'Flame', ['Send'], 0.3)
        self.stays('Rows', 'Send,', [s for s in inside if s[2] == 'Send'])
        idle = [s for s in changes if s[2] == 'Idle']
        self.selects('Regions', 'state Idle,', 'Regions', ['state Idle'], 0.1)
        self.stays('Regions', 'state Idle,', idle)


if __name__ == '__main__':
    main()
