# SPDX-License-Identifier: Apache-2.0
"""What tasks are inside of, by simulators/calls/README.md, computed a second way: open calls and messages on their way
are lists; states and figures are worked out from them after each event."""
from ouf import ENDS
from raw import kinds_of
from state import Seen


class Node:
    def __init__(self, date):
        self.calls, self.outside, self.begun, self.sent, self.received = [], 'Unseen', 0, 0, 0
        self.seen, self.host = Seen(date, ['Computing']), ''
        self.lived, self.alive_since = 0, None  # while it is neither Unseen nor Dead
        self.history, self.stays = [], []       # (date, state) of each change; [state, entered, left] of each that was entered

    def look(self, date):
        state = self.calls[-1][0] if self.calls else self.outside
        alive = state not in ('Unseen', 'Dead')
        if alive and self.alive_since is None:
            self.alive_since = date
        if not alive and self.alive_since is not None:
            self.lived, self.alive_since = self.lived + date - self.alive_since, None
        self.seen.look(date, state, (len(self.calls), self.begun, self.sent, self.received))
        if not self.history or self.history[-1][1] != state:
            self.history.append((date, state))
        # what is entered and left: the state outside, and the calls, each of which is one object
        inside = [(self.outside, None)] + [(call[0], call) for call in self.calls]
        for stay in self.stays:
            if stay[3] is None and not any(stay[0] == name and stay[1] is call for name, call in inside):
                stay[3] = date
        for name, call in inside:
            if not any(stay[0] == name and stay[1] is call and stay[3] is None for stay in self.stays):
                self.stays.append([name, call, date, None])

    def times(self, at):
        """{state: (spent, inclusive, visits)} in ticks, worked out from all that was."""
        out = {}
        for name in {stay[0] for stay in self.stays}:
            ends = [date for date, _ in self.history[1:]] + [at]
            spent = sum(end - date for (date, state), end in zip(self.history, ends) if state == name)
            stays = sorted((start, at if end is None else end) for what, _, start, end in self.stays if what == name)
            inclusive, until = 0, stays[0][0]
            for start, end in stays:
                inclusive += max(end - max(start, until), 0)
                until = max(until, end)
            out[name] = spent, inclusive, len(stays)
        return out


class Edge:
    def __init__(self, date):
        self.messages, self.total, self.received = [], 0, 0
        self.seen = Seen(date, [])

    def look(self, date):
        self.seen.look(date, 'Loaded' if self.messages else 'Empty',
                       (sum(size for size, _ in self.messages), self.total, self.received))


class Calls:
    def __init__(self, trace):
        self.trace, self.nodes, self.edges, self.clock, self.impossible = trace, {}, {}, None, 0
        self.pvm = trace.model == 'PVM'
        self.roles = {name: dict(roles) for name, _, _, roles in kinds_of('tapepvm' if self.pvm else 'tape').values()}
        self.links = {link.number: link for link in trace.links}

    def node(self, number):
        return self.nodes.setdefault(number, Node(self.clock))

    def edge(self, origin, destination):
        self.node(origin), self.node(destination)
        return self.edges.setdefault((origin, destination), Edge(self.clock))

    # -- what an event does, in the words of its format --
    def sends(self, e):
        """Tasks, bytes, tag."""
        if self.pvm:
            to = e.fields.get('to') if self.roles[e.kind].get('to') in ('peer', 'peers') else None
            to = [] if to is None else [to] if not isinstance(to, list) else [t for t in to if t != e.task]
            sent = [] if not to or e.fields['result'] < 0 else to
            return [(task, e.fields['bytes'], e.fields['tag']) for task in sent]
        if e.kind in ('Send', 'TSend'):
            return [(self.links[e.fields['link']].destination, e.fields['bytes'], -1)]
        return []

    def receives(self, e):
        if self.pvm and self.roles[e.kind].get('from') == 'peer':
            if e.fields['from'] is not None and e.fields['result'] >= 0 and e.duration >= 0:
                return e.fields['from'], e.fields['bytes'], e.fields['tag']
        if not self.pvm and e.kind == 'EndReceive' and e.fields['result'] >= 0:
            return self.links[e.fields['link']].origin, e.fields['bytes'], -1
        return None

    def is_end_of(self, e, call):
        """Whether an event ends an open call: (state, record, kind, thread)."""
        if self.pvm:
            return call[1] == e.record
        return call[2] in ENDS.get(e.kind, ('Phase',) if e.kind == 'EndPhase' else ()) and call[3] == e.thread

    # -- events --
    def step(self, e):
        self.clock = e.date
        me = self.node(e.task)
        begins, ends = not e.end, e.end or e.instant
        if me.outside == 'Unseen':
            me.outside = 'Computing'
        if me.outside == 'Dead':
            if e.kind not in ('Enroll', 'TskBth'):
                note = e.category == 'user' or (e.instant and e.kind not in ('Exit', 'TskDth'))
                self.impossible += not e.end and not note
                return
            me.outside = 'Computing'
        me.look(e.date)     # an event that is the first and the last of a task is both
        if self.pvm and e.kind == 'Enroll':
            me.host = me.host or e.fields['host']
        if begins and not e.instant:
            name = e.category == 'user' and e.fields['name'] or e.kind
            own = name in ('Computing', 'Unseen', 'Dead')
            me.calls.append((name + ' (call)' if own else name, e.record, e.kind, e.thread))
            me.begun += 1
        if begins:
            for task, size, tag in self.sends(e):
                self.edge(e.task, task).messages.append((size, tag))
                me.sent += 1
        if ends and self.receives(e):
            task, size, tag = self.receives(e)
            edge = self.edge(task, e.task)
            taken = next((i for i, m in enumerate(edge.messages) if m[1] == tag), None)
            if taken is not None:
                edge.messages.pop(taken)
            edge.total, edge.received, me.received = edge.total + size, edge.received + 1, me.received + 1
        if e.end:
            ended = next((i for i in reversed(range(len(me.calls))) if self.is_end_of(e, me.calls[i])), None)
            if ended is None:
                self.impossible += 1
            else:
                me.calls.pop(ended)
        if e.kind in ('Exit', 'TskDth'):
            me.calls, me.outside = [], 'Dead'
        for thing in [*self.nodes.values(), *self.edges.values()]:
            thing.look(e.date)

    def state(self, at):
        """As Pvm.state() gives it."""
        tasks, nodes, edges = self.trace.tasks, [], []
        at = max(at, self.clock) if self.clock is not None else at
        for number in sorted(self.nodes, key=lambda n: tasks[n].id):
            node, task = self.nodes[number], tasks[number]
            lived = node.lived + (at - node.alive_since if node.alive_since is not None else 0)
            share = 100 * node.seen.ticks(at)['Computing'] / lived if lived else 0
            nodes.append({'id': task.id, 'Clock': node.seen.clock, 'Name': task.id, 'Nickname': task.nickname,
                          'Host': node.host if self.pvm else task.host, 'State': node.seen.state, 'Depth': len(node.calls),
                          'Calls': node.begun, 'Sent': node.sent, 'Received': node.received,
                          'PercentComputing': '%.1f' % share})
        for origin, destination in sorted(self.edges, key=lambda e: (tasks[e[0]].id, tasks[e[1]].id)):
            edge = self.edges[origin, destination]
            name = f'{tasks[origin].id}->{tasks[destination].id}'
            edges.append({'id': name, 'from': tasks[origin].id, 'to': tasks[destination].id, 'Clock': edge.seen.clock,
                          'Name': name, 'State': edge.seen.state, 'Traffic': edge.seen.values[0],
                          'TotalTraffic': edge.total, 'Messages': edge.received})
        times = {(tasks[number].id, name): row for number, node in self.nodes.items() for name, row in node.times(at).items()}
        return {'clock': self.clock, 'nodes': nodes, 'edges': edges, 'times': times}
