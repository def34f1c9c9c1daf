#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check-ouf.py [--killed] READERS/TAPE NAME.trace... - is a trace what readers/tape/README.md says, and possible?

Written from that page alone, without the reader.  Topology; heads; the index against the blocks; chains both ways;
dates; fields against the topology; births and deaths; each action begun and ended once; every rendezvous seen
by both ends, with one number and as many bytes, and ended after both began; semaphores counted over again;
alternatives.  --killed: a program that was killed with its collecting task left an index that is not complete and
blocks that are not closed.  Prints one line a trace; exit status 1 if one is wrong."""
import bisect
import collections
import os
import re
import struct
import sys

EVENTS_HEAD, BLOCK, EVENT = '8sIIQqqQQQ', 'IIIIIIqqQQQ', 'HHBBHqqIHH'
INDEX_HEAD, ENTRY = '8sIIQII', 'QIIIIqqQ'
DEAD, LONG = -1, -2
Event = collections.namedtuple('Event', 'at name flag category date duration task thread physical virtual begin fields')


class Wrong(Exception):
    pass


def need(good, *what):
    if not good:
        raise Wrong(' '.join(map(str, what)))


def read_kinds(folder):
    """Number -> (name, category, flag, [(field, role)])."""
    text = open(os.path.join(folder, 'kinds.def'), encoding='utf-8').read()
    kinds = {}
    for m in re.finditer(r'^KIND \((\d+), (\w+), "(\w+) (\w+)",\s*"([^"]*)"\)', text, re.M):
        kinds[int(m[1])] = (m[2], m[3], m[4], [f.split('=') for f in m[5].split()])
    need(len(kinds) == text.count('\nKIND ('), 'kinds.def: not every line is understood')
    return kinds


class Topology:
    """The file `topology`."""
    def __init__(self, path):
        lines = open(path, encoding='utf-8').read()
        need(lines.endswith('\n'), 'topology: the last line has no end')
        lines = lines.split('\n')
        need(lines[0] == '#TAPE 1', 'topology: no version')
        self.processors, self.virtual, self.tasks, self.links, self.threads = [], [], [], [], {}
        machine = 0
        for n, line in enumerate(lines, 1):
            words = line.split()
            if not words or line.startswith('#'):
                continue
            word, rest = words[0], words[1:]
            need(not any(re.search('%(?![0-9A-Fa-f]{2})', w) for w in rest), 'topology', n, 'bad %')
            count = {'machine': (1,), 'processor': (2,), 'wire': (2,), 'virtual': (2,), 'task': (3, 4), 'thread': (3,),
                     'link': (4,)}.get(word)
            need(count and len(rest) in count, 'topology', n, line)
            if word == 'machine':
                machine += 1
                continue
            value = [int(w) for w in rest if re.fullmatch('[0-9]+', w)]
            need(len(value) >= {'processor': 1, 'task': 2, 'thread': 2, 'link': 3}.get(word, 2), 'topology', n, line)
            if word == 'processor':
                self.add(self.processors, n, value[0], rest[1])
            elif word == 'wire':
                need(max(value) < len(self.processors) and value[0] != value[1], 'topology', n, line)
            elif word == 'virtual':
                need(value[1] < len(self.processors), 'topology', n, line)
                self.add(self.virtual, n, value[0], value[1])
            elif word == 'task':
                need(value[1] < len(self.virtual), 'topology', n, line)
                self.add(self.tasks, n, value[0], (rest[2], value[1]))
            elif word == 'thread':
                need(value[0] < len(self.tasks) and (value[0], value[1]) not in self.threads, 'topology', n, line)
                self.threads[value[0], value[1]] = rest[2]
            else:
                need(max(value[1:3]) < len(self.tasks) and value[1] != value[2], 'topology', n, line)
                self.add(self.links, n, value[0], (value[1], value[2], rest[3]))
        need(machine <= 1 and self.tasks, 'topology: several machines, or no task')

    @staticmethod
    def add(to, n, number, value):
        need(number == len(to), 'topology', n, 'not the next number')
        to.append(value)


class Trace:
    """A bundle: events in order of the whole, by task, and what the files say of themselves."""
    def __init__(self, path, kinds, killed=False):
        path = path.rstrip('/')
        name = os.path.basename(path)[:-len('.trace')]
        self.folder = os.path.join(path, name + '.tape')
        self.kinds, self.killed = kinds, killed
        self.topology = Topology(os.path.join(self.folder, 'topology'))
        self.data = open(os.path.join(self.folder, 'events'), 'rb').read()
        order = self.data[8:12]
        need(order in (b'\1\2\3\4', b'\4\3\2\1'), 'events: no byte order')
        self.order = '<' if order == b'\4\3\2\1' else '>'
        head = self.unpack(EVENTS_HEAD, 0)
        need(head[0] == b'TAPE evt' and head[2] == 1, 'events: not a file of this version')
        need(1 <= head[4] <= 10**9 and head[7:] == (0, 0), 'events: head', head)
        self.run, self.ticks, self.first_block = head[3], head[4], head[6]
        self.read_blocks()
        self.read_index()
        self.by_task = [[] for _ in self.topology.tasks]
        for task, blocks in enumerate(self.blocks):
            for block in blocks:
                self.by_task[task] += block['events']
        self.events = sorted((e for t in self.by_task for e in t), key=lambda e: (e.date, e.task))

    def unpack(self, form, at):
        size = struct.calcsize(self.order + form)
        need(0 <= at <= len(self.data) - size, 'events: nothing at', at)
        return struct.unpack_from(self.order + form, self.data, at)

    # -- files --
    def read_blocks(self):
        at = self.first_block
        self.blocks = [[] for _ in self.topology.tasks]
        need(at >= 64 and at % 8 == 0, 'first block at', at)
        while at < len(self.data):
            if self.killed and at + 64 > len(self.data):
                break
            magic, task, capacity, length, count, tail, first, last, before, previous, zero = self.unpack(BLOCK, at)
            if magic == 0 and not any(self.data[at:at + 64]):
                need(self.killed, 'zeros behind the last block')
                break
            need(magic == 0x4b4c4254 and zero == 0, 'block', at, 'head')
            need(task < len(self.blocks), 'block', at, 'task', task)
            need(64 <= capacity <= 1 << 24 and capacity % 8 == 0, 'block', at, 'capacity', capacity)
            need(self.killed or length, 'block', at, 'is not closed')
            need(length <= capacity and (self.killed or at + length <= len(self.data)), 'block', at, 'length', length)
            mine = self.blocks[task]
            limit = at + length if length else min(at + capacity, len(self.data))
            events, end, latest = self.read_events(at, min(limit, len(self.data)), task, open_=not length)
            if length:
                cut = at + length > len(self.data)
                need(cut or (end == at + length and count == len(events)), 'block', at, 'count', count, len(events))
                need(cut or tail == (latest - at if events else 0), 'block', at, 'tail', tail)
                need(not events or cut or (first, last) == (events[0].date, events[-1].date), 'block', at, 'dates')
            need(self.killed or events, 'block', at, 'is empty')
            need(before == sum(len(b['events']) for b in mine), 'block', at, 'before', before)
            need(previous == (mine[-1]['at'] if mine else 0), 'block', at, 'previous', previous)
            need(not (mine and events) or events[0].date >= mine[-1]['events'][-1].date, 'block', at, 'goes back')
            if events:
                mine.append({'at': at, 'events': events, 'closed': length > 0,
                             'entry': (at, length, task, count, tail, first, last, before)})
            at += capacity

    def read_events(self, block, limit, task, open_):
        events, at, previous, date = [], block + 64, 0, 0
        latest = at
        while at + 32 <= limit:
            length, back, kind, begin, physical, when, duration, its, thread, virtual = self.unpack(EVENT, at)
            if length == 0 and open_:
                break
            if self.killed and at + length > limit:
                break
            need(length % 8 == 0 and length >= 32 and at + length <= limit, 'event', at, 'length', length)
            need(back == previous, 'event', at, 'previous', back, 'not', previous)
            need(its == task, 'event', at, 'task', its, 'in a block of', task)
            need(date <= when < 1 << 62, 'event', at, 'date', when, 'after', date)
            need(kind in self.kinds, 'event', at, 'type', kind)
            name, category, flag, form = self.kinds[kind]
            need(virtual == self.topology.tasks[task][1] and physical == self.topology.virtual[virtual],
                 'event', at, 'placement', virtual, physical)
            need(duration >= (-1 if flag == 'begin' else 0) and (flag != 'instant' or duration == 0),
                 'event', at, 'duration', duration)
            need(flag == 'end' or begin == 0, 'event', at, 'begin', begin)
            fields = self.read_fields(at, length, task, form)
            events.append(Event(at, name, flag, category, when, duration, task, thread, physical, virtual,
                                self.kinds[begin][0] if begin else None, fields))
            latest, previous, date, at = at, length, when, at + length
        return events, at, latest

    def read_fields(self, at, length, task, form):
        fields, place = {}, at + 32
        for field, role in form:
            value, = self.unpack('q', place)
            place += 8
            if role == 'word':
                need(0 <= value <= 255, 'event', at, field, value)
                text = self.data[place:place + value]
                padded = (value + 7) // 8 * 8
                need(not any(self.data[place + value:place + padded]), 'event', at, 'padding')
                place += padded
                value = text.decode('utf-8')
            elif role == 'links':
                need(0 < value <= length // 8, 'event', at, field, value)
                value = [self.unpack('q', place + 8 * i)[0] for i in range(value)]
                place += 8 * len(value)
            for link in value if role == 'links' else [value] if role == 'link' else []:
                need(-1 <= link < len(self.topology.links), 'event', at, 'link', link)
                need(link < 0 or task in self.topology.links[link][:2], 'event', at, 'link of others', link)
            need(role != 'size' or value >= 0, 'event', at, field, value)
            fields[field] = value
        need(place == at + length, 'event', at, 'length', length, 'for', place - at)
        return fields

    def read_index(self):
        data = open(os.path.join(self.folder, 'index'), 'rb').read()
        magic, order, version, run, complete, size = struct.unpack_from(self.order + INDEX_HEAD, data)
        need(magic == b'TAPE idx' and order == 0x01020304 and version == 1 and size == 48, 'index: head')
        need(run == self.run, 'index: of another run')
        entries = [struct.unpack_from(self.order + ENTRY, data, at) for at in range(32, len(data) - 47, 48)]
        known = [b['entry'] for t in self.blocks for b in t]
        need((len(data) - 32) % 48 == 0 or self.killed, 'index: a part of an entry')
        if self.killed:
            need({e for e in entries if e[0] + e[1] <= len(self.data)} <= set(known), 'index: not the blocks')
            return
        need(complete == 1, 'index: not complete')
        need(entries == known, 'index: not the blocks, by task and date')


# -- what may have happened --
def check_tasks(trace, full):
    for task, events in enumerate(trace.by_task):
        if not events and full:                 # there was no room for anything of it
            continue
        need(events, 'task', task, 'has no event')
        need(events[0].name == 'TskBth' and sum(e.name == 'TskBth' for e in events) == 1, 'task', task, 'birth')
        deaths = sum(e.name == 'TskDth' for e in events)
        need(deaths == 0 and trace.killed or deaths == 1 and events[-1].name == 'TskDth', 'task', task, 'death')


def check_threads(trace):
    for events in trace.by_task:
        state = {0: 'runs'}
        pending = set()
        for e in events:
            if e.name == 'ThdBth':
                need(e.thread not in state and e.fields['parent'] in state, e, 'born twice, or of nobody')
                state[e.thread] = 'stopped'
                continue
            need(state.get(e.thread) == 'runs', e, 'by a thread that', state.get(e.thread, 'is not born'))
            if e.name == 'Run':
                other = e.fields['thread']
                need(other in state and e.name, e, 'runs nobody')
                if state[other] == 'runs':
                    pending.add(other)
                elif state[other] == 'stopped':
                    state[other] = 'runs'
            elif e.name == 'Stop' and e.thread not in pending:
                state[e.thread] = 'stopped'
            elif e.name == 'Stop':
                pending.discard(e.thread)
            elif e.name == 'ThdDth':
                state[e.thread] = 'is dead'


ENDS = {'EndSend': {'Send', 'TSend'}, 'EndReceive': {'Receive', 'TReceive'}, 'Timeout': {'TSend', 'TReceive'},
        'SemG': {'SemP'}, 'EndAlt': {'Alt', 'NAlt'}, 'EndWait': {'Wait'}, 'EndPhase': {'Phase'}}


def check_actions(trace):
    """Pairs begin and end; gives the pairs, end None where there is none."""
    pairs = []
    for events in trace.by_task:
        current, phases = {}, collections.defaultdict(list)
        for e in events:
            if e.name in ('TskDth', 'Phase', 'EndPhase') or e.category == 'user':
                pass
            elif e.flag != 'end':
                # ThdBth carries the number of the child.
                need(e.name == 'ThdBth' or e.thread not in current, e, 'inside', current.get(e.thread))
            if e.flag == 'begin':
                if e.name == 'Phase':
                    phases[e.thread].append(e)
                else:
                    current[e.thread] = e
            elif e.flag == 'end':
                if e.name == 'EndPhase':
                    open_ = [p for p in phases[e.thread] if p.fields['name'] == e.fields['name']]
                    need(open_, e, 'of no phase')
                    begin = open_[-1]
                    phases[e.thread].remove(begin)
                else:
                    begin = current.pop(e.thread, None)
                need(begin and begin.name in ENDS[e.name] and e.begin == begin.name, e, 'ends', begin)
                need(begin.duration == e.duration == e.date - begin.date, e, 'duration', begin.duration)
                for same in ('link', 'semaphore'):
                    need(same not in begin.fields or begin.fields[same] == e.fields[same], e, 'of another', same)
                pairs.append((begin, e))
        for begin in list(current.values()) + [p for t in phases.values() for p in t]:
            # The program was killed between the storing of the end and of the duration.
            need(begin.duration == -1 or trace.killed, begin, 'has a duration and no end')
            pairs.append((begin, None))
    return pairs


def check_links(trace, pairs):
    sent, received, offers = {}, {}, collections.defaultdict(list)
    died = {e.task: e.date for e in trace.events if e.name == 'TskDth'}
    for begin, end in pairs:
        sending = begin.name in ('Send', 'TSend')
        if begin.category != 'point':
            continue
        link = begin.fields['link']
        need(0 <= link and trace.topology.links[link][0 if sending else 1] == begin.task, begin, 'the wrong end')
        if sending:
            offers[link].append((begin, end))
        if end is None:
            continue
        if end.name == 'Timeout':
            need(end.duration >= begin.fields['limit_ns'], end, 'too early')
            continue
        result, meeting, moved = (end.fields[f] for f in ('result', 'meeting', 'bytes'))
        other = trace.topology.links[link][1 if sending else 0]
        need(moved <= begin.fields['bytes' if sending else 'room'], end, 'more bytes than there were')
        need(result in (0, DEAD, LONG) and meeting >= (0 if result == DEAD else 1), end)
        if result == DEAD:
            need(died.get(other, 1 << 62) <= end.date, end, 'the other lives')
            need(meeting or not moved, end, 'bytes without a meeting')
        else:
            table = sent if sending else received
            need((link, meeting) not in table, end, 'twice the same meeting')
            table[link, meeting] = (begin, end)
    known = set(sent) | set(received)
    for key in known:
        need(key[1] == 1 or (key[0], key[1] - 1) in known, key, 'meetings are not counted')
        if key not in sent or key not in received:
            # The other was killed after the last byte, or dead before it could say so.
            begin, _ = (sent.get(key) or received.get(key))
            other = trace.topology.links[key[0]][0 if begin.name in ('Receive', 'TReceive') else 1]
            need(trace.killed or trace.by_task[other][-1].fields['result'] != 0, key, 'one end only')
            continue
        (send, end_send), (receive, end_receive) = sent[key], received[key]
        need(end_send.fields['bytes'] == end_receive.fields['bytes'] ==
             min(send.fields['bytes'], receive.fields['room']), key, 'bytes')
        need(end_send.fields['result'] == end_receive.fields['result'] ==
             (LONG if send.fields['bytes'] > receive.fields['room'] else 0), key, 'results')
        need(min(end_send.date, end_receive.date) >= max(send.date, receive.date), key, 'ended before it began')
    dates = {}
    for link, all_ in offers.items():
        all_.sort(key=lambda pair: pair[0].date)
        dates[link] = [send.date for send, _ in all_]
    for begin, end in pairs:
        if begin.category != 'alternative' or end is None:
            continue
        links, chosen, link = begin.fields['links'], end.fields['result'], end.fields['link']
        for one in links:
            need(trace.topology.links[one][1] == begin.task, begin, 'the wrong end')
        if chosen >= 0:
            need(chosen < len(links) and links[chosen] == link, end, 'chosen out of nothing')
            # Several threads may send on it, the one that waits longest began before many that have ended.
            before = bisect.bisect_right(dates.get(link, []), end.date)
            need(any(e is None or e.date >= end.date for _, e in offers[link][max(0, before - 64):before]), end, 'nobody sends')
        else:
            need(chosen == -1 and link == -1, end)
            need(begin.name == 'NAlt' or all(died.get(trace.topology.links[one][0], 1 << 62) <= end.date for one in links),
                 end, 'the senders live')
    for begin, end in pairs:
        need(begin.name != 'Wait' or end is None or end.duration >= begin.fields['limit_ns'], begin, 'woken early')


def check_semaphores(trace):
    for events in trace.by_task:
        served, tickets, mine = {}, {}, {}
        for e in events:
            if e.category != 'semaphore':
                continue
            s = e.fields['semaphore']
            if e.name == 'SemInit':
                need(s == len(served) and e.fields['value'] >= 0, e)
                served[s], tickets[s] = e.fields['value'], 0
                continue
            need(s in served, e, 'is not there')
            if e.name == 'SemP':
                mine[e.thread] = tickets[s]
                tickets[s] += 1
            elif e.name == 'SemG':
                need(mine.pop(e.thread) < served[s], e, 'taken out of turn')
            elif e.name == 'SemGOk':
                need(e.fields['result'] == int(tickets[s] < served[s]), e, 'could be taken, or not')
                tickets[s] += e.fields['result']
            elif e.name == 'SemV':
                served[s] += 1
            need('value' not in e.fields or e.fields['value'] == max(0, served[s] - tickets[s]), e, 'value')


def check(path, kinds, killed=False, chosen=False, full=False):
    """Raises Wrong; gives the trace.  chosen: not all events were recorded, so only their form can be checked.  full: the file
    could not grow as long as was needed."""
    trace = Trace(path, kinds, killed)
    check_tasks(trace, full)
    if not chosen:
        check_threads(trace)
        check_links(trace, check_actions(trace))
        check_semaphores(trace)
    return trace


def main():
    arguments = sys.argv[1:]
    killed = arguments[:1] == ['--killed']
    arguments = arguments[killed:]
    kinds = read_kinds(arguments[0])
    status = 0
    for path in arguments[1:]:
        try:
            trace = check(path, kinds, killed)
            print('%s: %d events of %d tasks: good' % (path, len(trace.events), len(trace.by_task)))
        except (Wrong, OSError, struct.error, UnicodeDecodeError) as wrong:
            print('%s: %s' % (path, wrong))
            status = 1
    return status


if __name__ == '__main__':
    sys.exit(main())
