# SPDX-License-Identifier: Apache-2.0
"""The state of a PVM program by simulators/pvm/README.md and annex A.2 of the thesis, computed a second way: calls in
progress, messages on links and members of groups are kept as they are; states and figures are worked out from them."""
from collections import defaultdict

from state import Seen

TASK_STATES = ['Busy', 'Overhead', 'Idle', 'Talking']
LINK_STATES = ['Unused', 'Overhead', 'Idle', 'Talking']
WITHOUT_STATE = ('Phase', 'JoinGroup', 'LvGroup')
RECEIVES = ('Recv', 'PRecv', 'TRecv', 'NRecv')
GATHERS = ('Gather', 'Reduce')


class Message:
    def __init__(self, tag, size, number):
        self.tag, self.size, self.number, self.taken = tag, size, number, False


class Receive:
    """One task takes, or asks for, a message of one other; a Gather is several of them."""

    def __init__(self, link, began, tag, gets, waits, size):
        self.link, self.began, self.tag, self.gets, self.waits, self.size = link, began, tag, gets, waits, size
        self.message, self.talks = None, False


class Call:
    def __init__(self, event, number):
        self.event, self.kind, self.record, self.number = event, event.kind, event.record, number
        self.fields, self.receives, self.to, self.protagonists = event.fields, [], [], []
        self.root = event.fields.get('root') == event.task


class Person:
    def __init__(self, number):
        self.number, self.dead, self.seen, self.calls, self.groups = number, False, None, [], []
        self.host = self.program = None


class Wire:
    def __init__(self, origin, destination, date):
        self.ends, self.origin, self.destination = (origin, destination), origin, destination
        self.messages, self.receives, self.early = [], [], {}
        self.total = self.received = 0
        self.taker = None  # the receive that takes from it: one at a time
        self.shown = None  # Idle or Talking, and the size of the communication in progress; None: what lies on it
        self.seen = Seen(date, LINK_STATES)


class Pvm:
    """step() takes one event after the other; state() tells all attributes of all objects.  `impossible`: how many
    things the model did not allow."""

    def __init__(self, trace, keep_the_dead=True, ignore_packing=False):
        self.trace, self.keep_the_dead, self.ignore_packing = trace, keep_the_dead, ignore_packing
        self.people = {number: Person(number) for number in trace.tasks}
        self.wires, self.wires_of, self.members, self.group_order = {}, defaultdict(list), {}, []      # wires_of: by who sends
        self.clock, self.number, self.impossible = None, 0, 0
        self.touched = set()

    # -- what is there --

    def wire(self, origin, destination, make=True):
        ends = (origin, destination)
        if ends not in self.wires and make:
            self.wires[ends] = Wire(origin, destination, self.clock)
            self.wires_of[origin].append(self.wires[ends])
        if ends in self.wires:
            self.touched.add(self.wires[ends])
        return self.wires.get(ends)

    def deciding(self, person):
        """The innermost call that its state depends on."""
        for call in reversed(person.calls):
            packing = self.ignore_packing and call.event.category == 'pack'
            if call.kind not in WITHOUT_STATE and not packing and not call.dropped:
                return call
        return None

    def task_state(self, person):
        call = self.deciding(person)
        if person.dead:
            return 'Dead'
        if call is None:
            return 'Busy'
        if any(r.talks for r in call.receives):
            return 'Talking'
        if call.kind == 'Barrier' or any(r.waits for r in call.receives):
            return 'Idle'
        blocked = call.kind in ('Recv', 'PRecv', 'TRecv') or (call.kind in GATHERS and call.root) \
            or (call.kind == 'Scatter' and not call.root)
        return 'Idle' if blocked and not call.gets else 'Overhead'

    def protagonists(self, person):
        call = None if person.dead else self.deciding(person)
        return call.protagonists if call else []

    def phases(self, person):
        return [call.fields['name'] for call in person.calls if call.kind == 'Phase']

    def look_at_task(self, person):
        call = None if person.dead else self.deciding(person)
        several = call is not None and (call.kind in ('Mcast', 'Bcast') or (call.kind in ('Scatter',) + GATHERS and call.root))
        person.seen.look(self.clock, self.task_state(person),
                         (sorted(person.groups), call.number if several else list(self.protagonists(person)),
                          len(self.phases(person))))

    def link_state(self, wire):
        """State and Traffic."""
        volume = sum(m.size for m in wire.messages)
        if self.people[wire.origin].dead:
            return 'Dead', volume
        return wire.shown or ('Overhead' if wire.messages else 'Unused', volume)

    def look_at_link(self, wire):
        state, traffic = self.link_state(wire)
        wire.seen.look(self.clock, state, (len(wire.messages) + len(wire.receives), traffic, wire.total, wire.received))

    # -- sending --

    def receivers(self, event, call):
        """Who gets a message when the call ends."""
        kind, fields = event.kind, event.fields
        if kind in ('Send', 'PSend'):
            return [fields['to']] if fields['to'] is not None else []
        if kind == 'Mcast':
            return [t for t in fields['to'] if t != event.task]
        if kind in GATHERS and not call.root:
            return [fields['root']] if fields['root'] is not None else []
        if kind == 'Bcast' or (kind == 'Scatter' and call.root):
            return [t for t in self.members.get(fields['group'], []) if t != event.task and not self.people[t].dead]
        return []

    def arrive(self, event, to):
        tag, failed = event.fields['tag'], event.fields['result'] < 0
        wire = self.wire(event.task, to, make=not failed)
        if wire is not None and wire.early.get(tag, 0) > 0:
            wire.early[tag] -= 1
            self.impossible += failed
            return
        if failed:
            return
        message = Message(tag, max(event.fields['bytes'], 0), self.number)
        wire.messages.append(message)
        self.touched.add(self.people[to])
        taker = wire.taker
        if taker is not None and taker.waits and taker.message is None and taker.tag == tag:
            taker.message, taker.talks, message.taken = message, True, True
            wire.shown = None if self.people[wire.origin].dead else ('Talking', message.size)
        elif wire.shown and wire.shown[0] == 'Idle':
            wire.shown = None  # unexpected data: the link is in Overhead

    def sends_in_progress(self, origin, destination, tag):
        return sum(destination in call.to for call in self.people[origin].calls
                   if call.fields.get('tag') == tag and not call.dropped)

    # -- receiving --

    def begin_receive(self, call, origin, waits):
        fields = call.fields
        wire = self.wire(origin, call.event.task)
        receive = Receive(wire, self.number, fields['tag'], call.gets, waits, max(fields['bytes'], 0))
        there = self.first_message(wire, receive.tag) if call.gets else None
        receive.waits = waits and there is None
        if wire.taker is None:
            receive.message = there
            if there is not None:
                there.taken = True
            if receive.waits:
                wire.shown = None if self.people[origin].dead else ('Idle', receive.size if call.gets else 0)
            if there is not None or (receive.waits and call.gets):
                wire.taker = receive
        wire.receives.append(receive)
        call.receives.append(receive)

    def first_message(self, wire, tag):
        return next((m for m in wire.messages if m.tag == tag and not m.taken), None)

    def leave_link(self, receive):
        wire = receive.link
        wire.receives.remove(receive)
        self.touched.add(wire)
        if wire.taker is receive:
            wire.taker = None
        if wire.taker is None:
            wire.shown = None

    def end_receive(self, receive, size):
        wire = receive.link
        self.leave_link(receive)
        if not receive.gets:
            return
        message = receive.message or self.first_message(wire, receive.tag)
        early = wire.early.get(receive.tag, 0)
        if message is not None:
            wire.messages.remove(message)
            size = message.size
        elif self.sends_in_progress(wire.origin, wire.destination, receive.tag) > early:
            wire.early[receive.tag] = early + 1
        else:
            self.impossible += 1
            return
        wire.total += size
        wire.received += 1

    # -- calls --

    def begin(self, event):
        person, fields, kind = self.people[event.task], event.fields, event.kind
        call = Call(event, self.number)
        call.gets = call.dropped = False
        call.to = self.receivers(event, call)
        call.protagonists = list(call.to)
        came = fields.get('result', 0) >= 0 and event.duration != -1
        if kind in RECEIVES:
            call.gets = came and fields['from'] is not None and (fields['result'] != 0 or kind == 'PRecv')
            asked = fields['from'] if call.gets else fields['asked_from']
            call.protagonists = [asked] if asked is not None else []
            if asked is not None and (call.gets or kind != 'NRecv'):
                self.begin_receive(call, asked, kind != 'NRecv')
        elif kind == 'Scatter' and not call.root:
            call.gets = came and fields['root'] is not None
            call.protagonists = [fields['root']] if fields['root'] is not None else []
            if fields['root'] is not None:
                self.begin_receive(call, fields['root'], True)
        elif kind in GATHERS and call.root:
            call.gets = came
            for member in self.members.get(fields['group'], []):
                if member == event.task:
                    continue
                wire = self.wire(member, event.task, make=False)
                given = wire is not None and self.first_message(wire, fields['tag']) is not None
                if not self.people[member].dead or given:
                    self.begin_receive(call, member, True)
                    call.protagonists.append(member)
        person.calls.append(call)

    def end(self, event):
        person = self.people[event.task]
        call = next((c for c in person.calls if c.record == event.record), None)
        if call is None:
            self.impossible += 1
            self.begin(event)
            call = person.calls[-1]
        person.calls.remove(call)
        if call.dropped:
            return
        if event.kind in ('Send', 'PSend') and not call.to and event.fields['result'] >= 0:
            self.impossible += 1
        for to in call.to:
            self.arrive(event, to)
        for receive in call.receives:
            self.end_receive(receive, max(event.fields['bytes'], 0))
        if event.kind in ('JoinGroup', 'LvGroup') and event.fields['result'] >= 0:
            self.change_group(person, event)

    def change_group(self, person, event):
        group, joins = event.fields['group'], event.kind == 'JoinGroup'
        members = self.members.setdefault(group, [])
        if joins == (person.number in members):
            self.impossible += 1
        elif joins:
            members.append(person.number)
            person.groups.append(group)
        else:
            members.remove(person.number)
            person.groups.remove(group)

    # -- birth and death --

    def birth(self, person):
        again = person.dead
        if person.seen is None:
            person.seen = Seen(self.clock, TASK_STATES)
        person.seen.look(self.clock, 'Busy', person.seen.values)    # whatever the event does next
        person.dead = False
        for wire in self.wires_of[person.number] if again else ():
            wire.shown = None
            self.touched.add(wire)

    def death(self, person, result):
        for call in person.calls:
            if call.kind == 'Phase' or call.dropped:
                continue
            self.impossible += result >= 0
            for receive in call.receives:
                self.leave_link(receive)
                if receive.message is not None:
                    receive.message.taken = False
            call.receives, call.to, call.dropped = [], [], True
        person.dead = True
        self.touched.update(self.wires_of[person.number])

    # -- an event --

    def step(self, event):
        person = self.people[event.task]
        self.number += 1
        if self.clock is not None and event.date < self.clock:
            self.impossible += 1
        self.clock = event.date if self.clock is None else max(self.clock, event.date)
        self.touched = {person}
        if event.fields.get('group') is not None and event.fields['group'] not in self.group_order:
            self.group_order.append(event.fields['group'])
        if event.kind == 'Enroll' and person.host is None:
            person.host, person.program = event.fields['host'], event.fields['program']
        if self.let_in(person, event):
            if event.kind == 'Exit':
                self.death(person, event.fields['result'])
            elif event.kind not in ('Enroll', 'User', 'Sample'):
                (self.end if event.end else self.begin)(event)
        for thing in self.touched:
            if isinstance(thing, Wire):
                self.look_at_link(thing)
            elif thing.seen is not None:
                self.look_at_task(thing)

    def let_in(self, person, event):
        """Of a task that is not alive, or is born a second time.  False: left out."""
        if person.seen is not None and not person.dead:
            self.impossible += event.kind == 'Enroll'
            return event.kind != 'Enroll'
        if person.seen is None:
            self.impossible += event.kind != 'Enroll'
            self.birth(person)
        elif event.kind == 'Enroll':
            self.impossible += 1
            self.birth(person)
        elif event.kind not in ('User', 'Phase', 'Sample'):
            mine = event.end and any(c.record == event.record for c in person.calls)
            self.impossible += not mine
            return mine
        return True

    # -- all attributes --

    def state(self, at):
        """The graph at `at`, not before the last event, as `scope state --json` tells it; dates in ticks."""
        tasks, nodes, edges = self.trace.tasks, [], []
        at = max(at, self.clock) if self.clock is not None else at
        here = {n for n, p in self.people.items() if p.seen is not None and (self.keep_the_dead or not p.dead)}
        for number in sorted(here, key=lambda n: tasks[n].id):
            person, task = self.people[number], tasks[number]
            nodes.append({'id': task.id, 'Clock': person.seen.clock, 'State': person.seen.state, 'Name': task.id,
                          'Nickname': task.nickname,
                          'Groups': ', '.join(g for g in self.group_order if g in person.groups),
                          'Protagonists': ', '.join(tasks[t].nickname for t in self.protagonists(person)),
                          **person.seen.percentages(at), 'Phase': ', '.join(self.phases(person)), 'Host': person.host or '',
                          'Program': person.program or ''})
        for wire in sorted(self.wires.values(), key=lambda w: (tasks[w.origin].id, tasks[w.destination].id)):
            if wire.origin in here and wire.destination in here:
                origin, destination = tasks[wire.origin], tasks[wire.destination]
                name = f'{origin.id}->{destination.id}'
                edges.append({'id': name, 'from': origin.id, 'to': destination.id, 'Clock': wire.seen.clock,
                              'State': wire.seen.state, 'Name': name, 'Origin': origin.nickname,
                              'Destination': destination.nickname,
                              'Usage': len(wire.messages) + len(wire.receives), 'Traffic': self.link_state(wire)[1],
                              'TotalTraffic': wire.total, **wire.seen.percentages(at), 'Messages': wire.received})
        times = {(tasks[n].id, state): (t, t, self.people[n].seen.visits[state]) for n in here
                 for state, t in self.people[n].seen.ticks(at).items()}
        return {'clock': self.clock, 'nodes': nodes, 'edges': edges, 'times': times}
