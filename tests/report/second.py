# SPDX-License-Identifier: Apache-2.0
"""Everything that `scope report` prints, worked out from the raw files with the models of tests/model: a second opinion
that shares no code with the program."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'model'))
import ouf
import pvm
import raw

SLICES, STRIP, BAR, ROWS, TOP = 240, 60, 40, 64, 10
SHADE = {'Busy': '█', 'Overhead': '▓', 'Idle': '░', 'Talking': '▒'}     # the same for every model
STATES = {'PVM': ['Busy', 'Overhead', 'Idle', 'Talking'], 'OUF': ['Busy', 'Idle', 'Talking']}
OTHERS = ('peer', 'group', 'link', 'links')  # roles of a call in which others take part; `peers` are spoken of, not waited for


def amount(size):
    """4.2 kB"""
    for unit in ('B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'):
        if size < 999.5 or unit == 'EB':
            return f'{size:.1f} {unit}' if unit != 'B' and size < 99.95 else f'{size:.0f} {unit}'
        size /= 1000


def span(seconds):
    """3.603 ms"""
    if seconds >= 1 or seconds == 0:
        return f'{seconds:.3f} s'
    return f'{seconds * 1e3:.3f} ms' if seconds >= 1e-3 else f'{seconds * 1e6:.1f} µs' if seconds >= 1e-6 else f'{seconds * 1e9:.0f} ns'


class Calls:
    """What the events of one kind amount to."""

    def __init__(self):
        self.times = self.unfinished = self.bytes = 0
        self.durations = []


class Second:
    def __init__(self, path):
        self.trace = raw.read(path)
        self.model = self.trace.model
        self.states = STATES[self.model]
        self.roles = {kind: dict(fields) for kind, _, _, fields in raw.kinds_of('tapepvm' if self.model == 'PVM' else 'tape').values()}
        self.play()
        self.look_at_calls()

    # -- the state graph --

    def play(self):
        """Ticks of each task in each state in each slice of the execution, as differences of what was spent until its ends."""
        t = self.trace
        self.simulator = (pvm.Pvm if self.model == 'PVM' else ouf.Ouf)(t)
        self.slices, before, events = [], {}, iter(t.events)
        event = next(events, None)
        for i in range(SLICES):
            at = t.last if i + 1 == SLICES else t.first + int(float(t.last - t.first) * (i + 1) / SLICES)
            while event is not None and event.date <= at:
                self.simulator.step(event)
                event = next(events, None)
            now = {name: [seen.ticks(at)[s] for s in self.states] for name, seen in self.seen()}
            self.slices.append({name: [a - b for a, b in zip(spent, before.get(name, [0] * len(spent)))] for name, spent in now.items()})
            before = now
        self.spent = before
        self.people = {task.id: task for task in t.tasks.values()}

    def seen(self):
        """(id, what was seen of it) of each task that is there"""
        if self.model == 'OUF':
            return [(self.trace.tasks[n.number].id, n.seen) for n in self.simulator.nodes]
        return [(self.trace.tasks[n].id, p.seen) for n, p in self.simulator.people.items() if p.seen]

    def shares(self, name):
        total = sum(self.spent[name])
        return [spent / total if total else 0 for spent in self.spent[name]]

    def bar(self, name):
        bar, total = '', 0
        for state, share in zip(self.states, self.shares(name)):
            total += share
            bar += SHADE[state] * (math.floor(total * BAR + .5) - len(bar))
        return bar

    def strip_fits(self, name, strip):
        """Each character is the state of most of its stretch of time, or a blank where the task did not live."""
        for i in range(STRIP):
            part = self.slices[i * SLICES // STRIP:(i + 1) * SLICES // STRIP]
            sums = [sum(s.get(name, [0] * len(self.states))[k] for s in part) for k in range(len(self.states))]
            if max(sums) <= 0 and strip[i] != ' ':
                return False
            if max(sums) > 0 and max([s for s, state in zip(sums, self.states) if SHADE[state] == strip[i]], default=0) < max(sums) * (1 - 1e-5):
                return False
        return len(strip) == STRIP

    def label(self, name):
        task = self.people[name]
        told = task.nickname if task.nickname != task.id else self.program(name)
        return f'{told} {name}' if told else name

    def program(self, name):
        if self.model == 'OUF':
            return self.people[name].program
        return next((p.program for n, p in self.simulator.people.items() if self.trace.tasks[n].id == name), '')

    def host(self, name):
        if self.model == 'OUF':
            return self.people[name].host
        return next((p.host for n, p in self.simulator.people.items() if self.trace.tasks[n].id == name), None) or '?'

    # -- calls --

    def kind_of(self, e):
        return e.ends if e.end and e.ends and e.kind != 'Timeout' else e.kind

    def look_at_calls(self):
        self.calls, self.waits, self.open, self.functions = {}, [], [], []
        ticks = self.trace.ticks
        for e in self.trace.events:
            kind = self.kind_of(e)
            if not e.end and not e.instant and e.duration != raw.UNFINISHED:
                continue
            c = self.calls.setdefault(kind, Calls())
            c.times += 1
            if not e.end and not e.instant:
                c.unfinished += 1
                waits = any(role in (*OTHERS, 'peers', 'semaphore') for role in self.roles[e.kind].values()) or e.kind == 'Wait'
                (self.open if waits and e.kind != 'Phase' else self.functions).append(e)
                continue
            duration = max(e.duration, 0) if e.end else 0
            c.durations.append(duration)
            c.bytes += max(self.size_of(e), 0)
            if duration > 0 and (any(role in (*OTHERS, 'semaphore') for role in self.roles[e.kind].values()) or e.kind in ('Wait', 'Mcast')):
                self.waits.append((duration, e.date - duration))
        self.seconds = lambda t: t / ticks

    def circles(self):
        """(since, tasks) of those that wait for each other, each in a receive that never ended and has no limit of time."""
        wanted, death, waits, ends = {'PVM': ('Recv', 'PRecv'), 'OUF': ('Receive',)}[self.model], {}, {}, {}
        for link in self.trace.links:
            ends[link.number] = link.origin
        for e in self.trace.events:
            if e.kind in ('Exit', 'TskDth') and not e.end:
                death[e.task] = e.date
        for e in self.open:
            if e.kind in wanted:
                on = ends.get(e.fields['link']) if self.model == 'OUF' else e.fields['from'] if e.fields['from'] is not None else e.fields['asked_from']
                if on is not None:
                    waits[e.task] = on, e.date, e.fields.get('asked_tag')
        found = set()
        for task in waits:
            way = [task]
            while way[-1] in waits and waits[way[-1]][0] not in way:
                way.append(waits[way[-1]][0])
            if way[-1] in waits and waits[way[-1]][0] == task and not any(self.under_way(waits[t][0], t, waits[t][2]) for t in way):
                since = max(waits[t][1] for t in way)
                if since <= min(death.get(t, since) for t in way):
                    found.add((since, frozenset(way)))
        return found

    def under_way(self, origin, to, tag):
        """Whether more messages of a tag (None, -1: any) were sent from one task to another than it has got."""
        left = 0
        for e in self.trace.events if self.model == 'PVM' else []:
            if e.fields.get('result', 0) < 0 or (tag is not None and tag >= 0 and e.fields.get('tag') != tag):
                continue
            if e.task == origin and not e.end:
                left += e.kind in ('Send', 'PSend') and e.fields['to'] == to or e.kind == 'Mcast' and to in e.fields['to']
                left += e.kind in ('Bcast', 'Scatter', 'Gather', 'Reduce')
            left -= e.task == to and e.end and e.kind in ('Recv', 'PRecv', 'TRecv', 'NRecv') and e.fields['from'] == origin
        return left > 0

    def size_of(self, e):
        return next((e.fields[field] for field, role in self.roles[e.kind].items() if role == 'size'), 0)

    def call_rows(self):
        """kind -> the other cells"""
        rows = {}
        for kind, c in self.calls.items():
            total = math.fsum(self.seconds(d) for d in c.durations)
            instant = all(e.instant for e in self.trace.events if self.kind_of(e) == kind)
            times = [] if instant else [span(total), span(total / len(c.durations) if c.durations else 0),
                                        span(self.seconds(max(c.durations, default=0)))]
            rows[kind] = [str(c.times), *times] + ([amount(c.bytes)] if c.bytes else []) + ([str(c.unfinished)] if c.unfinished else [])
        return rows

    # -- messages --

    def links(self):
        """(from, to, bytes received) of each link, busiest first"""
        edges = [(e['id'].split('->'), int(e['TotalTraffic'])) for e in self.simulator.state(self.trace.last)['edges']]
        return [(self.label(a), self.label(b), total) for (a, b), total in sorted(edges, key=lambda e: (-e[1], e[0])) if total > 0]

    def messages(self):
        """(sent, bytes of them, received, bytes of them); a message that was sent to several counts for each"""
        if self.model == 'OUF':  # sending and receiving are one act
            return 2 * (sum(w.messages for w in self.simulator.wires), sum(w.total for w in self.simulator.wires))
        wires = self.simulator.wires.values()
        received, size = sum(w.received for w in wires), sum(w.total for w in wires)
        on_links = [m.size for w in wires for m in w.messages]
        return received + len(on_links), size + sum(on_links), received, size

    def waits_for_others(self):
        """(task that waits, task that is waited for, ticks): a receive that was called before its message was sent; a send that
        lasts until its receive is called.  Messages of one sender, receiver and tag come in their order.  None: something else
        than these may wait in it."""
        sends, waits, owned = {}, [], {}     # owned: of a send to several, up to when its wait is told already
        calls = [e for e in self.trace.events if e.category != 'user']
        if any(e.kind in ('Bcast', 'Scatter', 'Gather', 'Reduce', 'Barrier', 'PSend', 'PRecv', 'TRecv', 'NRecv') for e in calls):
            return None
        for e in calls:
            if e.kind in ('Send', 'Mcast') and not e.end:
                for to in [e.fields['to']] if e.kind == 'Send' else e.fields['to']:
                    sends.setdefault((e.task, to, e.fields['tag']), []).append(e)
            elif e.kind == 'Recv' and e.end:
                send = sends[e.fields['from'], e.task, e.fields['tag']].pop(0)
                begun = e.date - e.duration
                if send.date > begun:
                    waits.append((e.task, send.task, send.date - begun))
                elif send.date < begun < send.date + send.duration:
                    since = owned.get(send.record, send.date)
                    waits.append((send.task, e.task, max(begun - since, 0)))
                    owned[send.record] = max(begun, since)
        died = {e.task: e.date for e in self.trace.events if e.kind in ('Exit', 'TskDth') and not e.end}
        for e in self.open:
            if e.kind == 'Recv':
                on = e.fields['from'] if e.fields['from'] is not None else e.fields['asked_from']
                waits.append((e.task, on, min(died.get(e.task, self.trace.last), self.trace.last) - e.date))
        return waits
