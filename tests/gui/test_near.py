# SPDX-License-Identifier: Apache-2.0
"""Next and previous: to the event of this kind, task, tag, partner, or stay in this state, by key and by right click; where it
should lead is computed from what `scope events` says, and of states by the model."""
import json
import os
import random
import re
import subprocess
import sys

from harness import ROOT, SAMPLES, SCOPE, Case, main, session

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import pvm                                          # noqa: E402
import raw                                          # noqa: E402

KEYS = {'kind': 'n', 'task': 't', 'tag': 'x', 'partner': 'o'}


def partner(e):
    """The one other task of an event, or None."""
    for field in ('to', 'from'):
        to = e.get(field)
        to = to[0] if isinstance(to, list) and len(to) == 1 else to
        if isinstance(to, str) and to.startswith('t'):
            return to
    return None


def others(e):
    found = set()
    for field in ('to', 'from'):
        found |= set(e[field]) if isinstance(e.get(field), list) else {e.get(field)}
    return found


class Near(Case):
    def opened(self):
        w = self.start(self.copy('fft2d-s16.trace'))
        w.wait(lambda: w.find('push button', 'Play') and self.given(w) is not None, 'it can be played', 30)
        said = subprocess.run([SCOPE, 'events', os.path.join(SAMPLES, 'fft2d-s16.trace'), '--json'], check=True, stdout=subprocess.PIPE,
                              text=True, env=session().env).stdout
        self.events = [json.loads(line) for line in said.splitlines()]
        return w

    def given(self, w):
        present = w.find('push button', 'Present')
        m = re.search(r'event([\d]+)of', re.sub(r'\s', '', present.description)) if present else None
        return int(m[1]) if m else None

    def go(self, w, number):
        w.key('g')
        field = w.wait_for('text', 'Go to')
        w.wait(lambda: field.state('focused'), 'the field has the focus')
        w.key('ctrl+a')
        w.type(f'#{number}')
        w.key('Return')
        w.wait_gone('text', 'Go to')
        self.arrives(w, number)

    def arrives(self, w, number):
        w.wait(lambda: self.given(w) == number, f'event {number} is the present one')

    def like(self, by, a):
        """Whether an event is like the a-th."""
        here = self.events[a]
        if by == 'kind':
            return lambda e: (e['kind'], e.get('end')) == (here['kind'], here.get('end'))
        if by == 'task':
            return lambda e: e['task'] == here['task']
        if by == 'tag':
            return lambda e: e.get('tag') == here['tag']
        one, two = here['task'], partner(here)
        return lambda e: (e['task'] == one and two in others(e)) or (e['task'] == two and one in others(e))

    def wanted(self, by, a, back):
        """Events given when it has arrived, from the a-th event on; None: there is none."""
        like = self.like(by, a)
        for i in range(a - 1, -1, -1) if back else range(a + 1, len(self.events)):
            if like(self.events[i]):
                return i + 1
        return None

    def test_by_key(self):
        w = self.opened()
        r, tried = random.Random(3), 0
        usable = {'kind': lambda e: True, 'task': lambda e: True, 'tag': lambda e: e.get('tag', -1) >= 0, 'partner': partner}
        for by, key in KEYS.items():
            chosen = r.choice([i for i, e in enumerate(self.events) if usable[by](e) and 100 < i < len(self.events) - 100])
            self.go(w, chosen + 1)
            at = chosen
            for back in (False, False, True, True, True):
                to = self.wanted(by, at, back)
                w.key(('shift+' if back else '') + key)
                if to is None:
                    w.wait_for('label', re.compile('^There is no (earlier|later) '))
                    continue
                self.arrives(w, to)
                at, tried = to - 1, tried + 1
        self.assertGreater(tried, 12)
        # Where there is none: a sentence, which goes when it is no longer true.
        self.go(w, len(self.events))
        w.key('t')
        to = self.wanted('task', len(self.events) - 1, True)
        w.wait_for('label', re.compile('^There is no later event of '))
        w.key('shift+t')
        self.arrives(w, to)
        w.wait_gone('label', re.compile('^There is no later event of '))

    def test_by_right_click(self):
        """From the line of a text that is pointed at, and in a diagram from a task."""
        w = self.opened()
        self.go(w, 600)
        picture = w.wait_for('drawing area', 'Picture of Trace text')
        lines = w.wait(lambda: [i for i in picture.children if i.showing][3:], 'there are lines')
        names = [i.name for i in lines]
        said = subprocess.run([SCOPE, 'events', os.path.join(SAMPLES, 'fft2d-s16.trace')], check=True, stdout=subprocess.PIPE, text=True,
                              env=session().env).stdout
        sentences = [line.split('  ', 1)[1].strip() for line in said.splitlines()]
        near = [i for i in range(560, 640) if any(sentences[i] in n for n in names) and sentences.count(sentences[i]) == 1]
        at = near[len(near) // 2]
        line = next(i for i in lines if sentences[at] in i.name)
        line.click(button=3, fx=0.3)
        self.choose(w, 'Next', 'Event of This Kind')
        self.arrives(w, self.wanted('kind', at, False))
        # In the diagram: the task whose name is pointed at, from the present on.
        self.go(w, 900)
        row = next(i for i in w.find('drawing area', 'Picture of Space-time').children if i.name.startswith('t40004'))
        row.click(button=3, fx=0.05)
        self.choose(w, 'Previous', 'Event of This Task')
        self.arrives(w, max(i for i in range(899) if self.events[i]['task'] == 't40004') + 1)

    def choose(self, w, menu, item):
        w.wait_for('menu', menu).click()
        w.wait_for('menu item', item).click()
        w.wait_gone('menu item', item)

    def test_states(self):
        """To where a task is in the state again: begins of stays, beside the model."""
        w = self.opened()
        trace = raw.read(os.path.join(SAMPLES, 'fft2d-s16.trace'))
        model, stays = pvm.Pvm(trace), {}
        for e in trace.events:
            model.step(e)
            for number, p in model.people.items():
                mine = stays.setdefault(trace.tasks[number].nickname, [])
                if p.seen is not None and (not mine or mine[-1][1] != p.seen.state):
                    if mine and mine[-1][0] == e.date:
                        mine.pop()
                    if not mine or mine[-1][1] != p.seen.state:
                        mine.append((e.date, p.seen.state))
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.wait_for('drawing area', 'Picture of Space-time').find('list item', re.compile('^t40004')).click()
        w.wait_for('label', re.compile('^t40004'))
        mine = stays['fft 2']
        k = next(i for i in range(len(mine) // 3, len(mine)) if mine[i][1] == 'Idle')
        slider = w.find('slider', 'Time')
        w.key('g')
        w.wait_for('text', 'Go to')
        w.key('ctrl+a')
        w.type(f'{(mine[k][0] + 1) / trace.ticks:.9f}')
        w.key('Return')
        w.wait_gone('text', 'Go to')
        w.wait(lambda: abs(slider.value - mine[k][0] / trace.ticks) < 1e-6, 'it is there')
        for back, way in ((False, 'i'), (False, 'i'), (True, 'shift+i')):
            others = [i for i in range(len(mine)) if mine[i][1] == 'Idle' and (i < k if back else i > k)]
            k = others[-1] if back else others[0]
            w.key(way)
            w.wait(lambda: abs(slider.value - mine[k][0] / trace.ticks) < 2e-9, f'the stay that begins at {mine[k][0] / trace.ticks} s')


if __name__ == '__main__':
    main()
