# SPDX-License-Identifier: Apache-2.0
"""The state of an OUF program by simulators/ouf/README.md and annex A.1 of the thesis, computed a second way: calls in
progress and meetings are kept as they are, states and figures are worked out from them after each event."""
from state import Seen

NODE_STATES = ['Busy', 'Idle', 'Talking']
LINK_STATES = ['Unused', 'Idle', 'Talking']
SENDS, RECEIVES, ALTERNATIVES = ('Send', 'TSend'), ('Receive', 'TReceive'), ('Alt', 'NAlt')
ENDS = {'EndSend': SENDS, 'EndReceive': RECEIVES, 'EndAlt': ALTERNATIVES, 'EndWait': ('Wait',), 'SemG': ('SemP',),
        'Timeout': SENDS + RECEIVES}
BEGINS = SENDS + RECEIVES + ALTERNATIVES + ('Wait', 'SemP')
DEAD = -1  # result: the other task is


class Meeting:
    """`calls`: those that have not ended; `number`: told by the first end."""

    def __init__(self, size):
        self.size, self.number, self.calls = size, 0, {}


class Call:
    def __init__(self, event):
        self.kind, self.thread, self.link, self.meeting, self.listens = event.kind, event.thread, None, None, []
        self.sends, self.size, self.found, self.semaphore = event.kind in SENDS, 0, False, None


class Node:
    def __init__(self, number, date):
        self.number, self.calls, self.life, self.seen = number, [], 'unborn', Seen(date, NODE_STATES)


class Wire:
    def __init__(self, link, date):
        self.link, self.calls, self.meetings = link, [], []
        self.listening = self.total = self.messages = 0
        self.left = 0  # calls without an end: what they used is used no more, even if the next call uses it at once
        self.seen = Seen(date, LINK_STATES)

    def waiting(self, sends):
        return [c for c in self.calls if c.sends == sends and c.meeting is None]

    def talking(self, sends):
        return [c for c in self.calls if c.sends == sends and c.meeting is not None]


class Ouf:
    def __init__(self, trace, keep_the_dead=True):
        self.trace, self.keep_the_dead = trace, keep_the_dead
        first = trace.first
        self.nodes = [Node(number, first) for number in sorted(trace.tasks)]
        self.wires = [Wire(link, first) for link in trace.links]
        for node in self.nodes:
            node.seen.look(first, 'Unused', [])
        for wire in self.wires:
            wire.seen.look(first, 'Unused', (0, 0, 0, 0, 0))
        self.clock, self.impossible = None, 0

    # -- what is there --

    def node_state(self, node):
        if node.life != 'alive':
            return 'Dead' if node.life == 'dead' else 'Unused'
        if any(c.meeting is not None for c in node.calls):
            return 'Talking'
        waits = any(c.link is not None or (c.kind == 'Alt' and not c.found) for c in node.calls)
        return 'Idle' if waits else 'Busy'

    def protagonists(self, node):
        """Of the last call that communicates."""
        for call in reversed(node.calls):
            if call.link is not None:
                link = call.link.link
                return [link.destination if call.sends else link.origin]
            if call.listens:
                return [w.link.origin for w in call.listens]
        return []

    def link_state(self, wire):
        if self.nodes[wire.link.origin].life == 'dead':
            return 'Dead'
        if wire.meetings:
            return 'Talking'
        return 'Idle' if wire.calls or wire.listening else 'Unused'

    def traffic(self, wire):
        return sum(m.size for m in wire.meetings)

    def look(self):
        for node in self.nodes:
            who = self.protagonists(node)
            node.seen.look(self.clock, self.node_state(node), who)
        for wire in self.wires:
            wire.seen.look(self.clock, self.link_state(wire),
                           (len(wire.calls), self.traffic(wire), wire.total, wire.messages, wire.left))

    # -- communication --

    def meet(self, wire, call):
        """With the one that has waited longest at the other end."""
        others = wire.waiting(not call.sends)
        if others:
            send = call if call.sends else others[0]
            meeting = Meeting(send.size)
            meeting.calls = {call.sends: call, (not call.sends): others[0]}
            wire.meetings.append(meeting)
            call.meeting = others[0].meeting = meeting

    def leave(self, wire, call):
        """One side of a meeting is over; when both are, its bytes have been transferred."""
        meeting = call.meeting
        if meeting is not None:
            del meeting.calls[call.sends]
            call.meeting = None
            if not meeting.calls:
                wire.meetings.remove(meeting)
                wire.total += meeting.size

    def exchange(self, a, b):
        """Two calls at one end of a link: each takes part in what the other did."""
        a.meeting, b.meeting = b.meeting, a.meeting
        for call in (a, b):
            if call.meeting is not None:
                call.meeting.calls[call.sends] = call
                if call.sends and len(call.meeting.calls) == 2:
                    call.meeting.size = call.size

    def find_meeting(self, wire, call, number):
        """Which one ended is told by its number: the other side may have ended with it before."""
        mine = call.meeting
        same_side = [m for m in wire.meetings if call.sends in m.calls]
        half = [m for m in same_side if len(m.calls) == 1]
        told = [m for m in half if number > 0 and m.number == number]
        if told:
            return told[0]
        if mine is not None and mine.number in (0, number):
            return mine
        whole = [m for m in same_side if len(m.calls) == 2]
        unknown = [m for m in half if m.number == 0]
        return (whole + unknown + [mine])[0]

    def end_communication(self, call, event):
        wire, fields, again = call.link, event.fields, None
        if event.kind == 'Timeout':
            meeting = call.meeting
            if meeting is not None and len(meeting.calls) == 2:
                again = meeting.calls[not call.sends]
                wire.meetings.remove(meeting)
                call.meeting = again.meeting = None
            elif meeting is not None:
                served = wire.waiting(call.sends)
                if served:
                    self.exchange(call, served[0])
                else:
                    self.impossible += 1
        else:
            # with two calls on the link and one meeting there is nothing to find out, and no number is looked at
            alone = len(wire.calls) <= 2 and call.meeting is not None and len(wire.meetings) == 1
            number = 0 if alone else fields['meeting']
            meeting = call.meeting if alone else self.find_meeting(wire, call, number)
            if meeting is not None:
                if meeting is not call.meeting:
                    self.exchange(call, meeting.calls[call.sends])
                if number > 0:
                    meeting.number = number
                meeting.size = max(fields['bytes'], 0)
                wire.messages += not call.sends and fields['result'] != DEAD
            else:
                self.impossible += fields['result'] != DEAD
        self.leave(wire, call)
        wire.calls.remove(call)
        if again is not None:
            self.meet(wire, again)

    # -- calls --

    def begin(self, node, event):
        before = next((c for c in node.calls if c.thread == event.thread), None)
        if before is not None:
            self.impossible += 1
            self.drop(node, before)
        call = Call(event)
        node.calls.append(call)
        if event.kind in SENDS + RECEIVES:
            number = event.fields['link']
            wire = self.wires[number] if 0 <= number < len(self.wires) else None
            if wire is None or (wire.link.origin if call.sends else wire.link.destination) != node.number:
                self.impossible += 1
                return
            call.link, call.size = wire, max(event.fields.get('bytes', 0), 0)
            self.meet(wire, call)
            wire.calls.append(call)
        elif event.kind in ALTERNATIVES:
            for number in event.fields['links']:
                if 0 <= number < len(self.wires) and self.wires[number].link.destination == node.number:
                    wire = self.wires[number]
                    wire.listening += 1
                    call.listens.append(wire)
                    call.found |= bool(wire.waiting(True))
                else:
                    self.impossible += 1

    def end(self, node, event):
        call = next((c for c in node.calls if c.thread == event.thread), None)
        if call is None or call.kind not in ENDS[event.kind] or (event.kind == 'Timeout' and call.link is None):
            self.impossible += 1
            return
        if call.link is not None:
            self.end_communication(call, event)
        for wire in call.listens:
            wire.listening -= 1
        node.calls.remove(call)

    def drop(self, node, call):
        for wire in call.listens:
            wire.listening -= 1
        if call.link is not None:
            self.leave(call.link, call)
            call.link.calls.remove(call)
            call.link.left += 1
        node.calls.remove(call)

    def step(self, event):
        self.impossible += self.clock is not None and event.date < self.clock
        self.clock = event.date if self.clock is None else max(self.clock, event.date)
        node = self.nodes[event.task]
        if node.life == 'dead' or (node.life == 'alive' and event.kind == 'TskBth'):
            self.impossible += 1
            return
        self.impossible += node.life == 'unborn' and event.kind != 'TskBth'
        node.life = 'alive'
        if event.kind == 'TskDth':
            for call in list(node.calls):
                self.drop(node, call)
            node.life = 'dead'
        elif event.kind in BEGINS:
            self.begin(node, event)
        elif event.kind in ENDS:
            self.end(node, event)
        self.look()

    # -- all attributes --

    def state(self, at):
        tasks = self.trace.tasks
        at = max(at, self.clock) if self.clock is not None else at
        here = [n for n in self.nodes if self.keep_the_dead or n.life != 'dead']
        nodes = [{'id': tasks[n.number].id, 'Clock': n.seen.clock, 'State': n.seen.state,
                  'Name': 'task ' + tasks[n.number].id, 'Nickname': tasks[n.number].nickname,
                  'Protagonist': ', '.join(tasks[t].nickname for t in self.protagonists(n)), **n.seen.percentages(at),
                  'Kind': 'task', 'Inside': tasks[n.number].host, 'Program': tasks[n.number].program, 'Value': 0,
                  'Holders': '', 'Waiters': ''} for n in here]
        ids = {n.number for n in here}
        edges = []
        for wire in self.wires:
            origin, destination = tasks[wire.link.origin], tasks[wire.link.destination]
            if wire.link.origin in ids and wire.link.destination in ids:
                edges.append({'id': f'{origin.id}->{destination.id}', 'from': origin.id, 'to': destination.id,
                              'Clock': wire.seen.clock, 'State': wire.seen.state, 'Name': wire.link.name,
                              'Origin': origin.nickname, 'Destination': destination.nickname, 'Usage': len(wire.calls),
                              'Traffic': self.traffic(wire), 'TotalTraffic': wire.total,
                              **wire.seen.percentages(at), 'Messages': wire.messages})
        times = {(tasks[n.number].id, state): (t, t, n.seen.visits[state]) for n in here for state, t in n.seen.ticks(at).items()}
        return {'clock': self.clock, 'times': times, 'nodes': sorted(nodes, key=lambda n: n['id']),
                'edges': sorted(edges, key=lambda e: (e['from'], e['to']))}
