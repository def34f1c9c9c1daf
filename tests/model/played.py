# SPDX-License-Identifier: Apache-2.0
"""What each task of a PVM trace did and what lay on each link, by the model in pvm.py, as lists of dates and values."""
import bisect
import math
import random
from collections import defaultdict

import pvm

WORKS = ('Busy', 'Overhead', 'Talking')
FEW = 64       # tasks that are all gone through at each event and in each table


class Model(pvm.Pvm):
    """Keeps each message that was received: (when, from, to, tag, bytes)."""

    def __init__(self, trace):
        super().__init__(trace)
        self.told = []

    def step(self, event):
        self.event = event
        super().step(event)

    def end_receive(self, receive, size):
        wire = receive.link
        n, total = wire.received, wire.total
        super().end_receive(receive, size)
        if wire.received > n:
            self.told.append((self.clock, wire.origin, wire.destination, self.event.fields['tag'], wire.total - total))


class Played:
    """What each task did and what lay on each link, as lists of dates and values."""

    def __init__(self, trace):
        self.trace, model, self.sums = trace, Model(trace), {}
        self.states, self.loads = defaultdict(list), defaultdict(list)
        self.first, self.last = trace.first, trace.last
        all_of_them = len(trace.tasks) <= FEW
        for e in trace.events:
            model.step(e)
            touched = [t for t in model.touched if not isinstance(t, pvm.Wire)] if not all_of_them else model.people.values()
            for person in touched:
                if person.seen is not None:
                    self.put(self.states[person.number], e.date, person.seen.state)
            touched = [t for t in model.touched if isinstance(t, pvm.Wire)] if not all_of_them else model.wires.values()
            for wire in touched:
                self.put(self.loads[wire.origin, wire.destination], e.date, model.link_state(wire)[1])

        self.told = model.told

    @staticmethod
    def put(to, date, value):
        if not to or to[-1][1] != value:
            to.append((date, value))

    def stays(self, task, end):
        """(from, to, state) of a task until `end`."""
        changes = [c for c in self.states[task] if c[0] <= end]
        return [(date, changes[k + 1][0] if k + 1 < len(changes) else end, state) for k, (date, state) in enumerate(changes)]

    def worked_by(self, task, date):
        """Ticks in which it worked until a date."""
        if task not in self.sums:
            sums, so_far, since = [], 0, None
            for when, state in self.states[task]:
                so_far += when - since if since is not None else 0
                since = when if state in WORKS else None
                sums.append((when, so_far, since))
            self.sums[task] = sums
        k = bisect.bisect_right(self.sums[task], (date, math.inf)) - 1
        if k < 0:
            return 0
        _, so_far, since = self.sums[task][k]
        return so_far + (date - since if since is not None else 0)

    def worked(self, task, begin, end):
        return self.worked_by(task, end) - self.worked_by(task, begin)

    @staticmethod
    def some(of, n=FEW):
        """All of few, so many of many."""
        return of if len(of) <= n else random.Random(len(of)).sample(sorted(of), n)

    def state(self, task, at):
        return ([None] + [s for d, s in self.states[task] if d <= at])[-1]

    def streak(self, task, at):
        """Ticks since it works (> 0), or does not (< 0); None: it does not live."""
        turned, works = None, None
        for date, state in self.states[task]:
            if date > at:
                break
            now = None if state == 'Dead' else state in WORKS
            if turned is None or now != works:
                turned, works = date, now
        return None if works is None else at - turned if works else turned - at

    def load(self, link, at):
        return ([0] + [v for d, v in self.loads[link] if d <= at])[-1]
