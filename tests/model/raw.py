# SPDX-License-Identifier: Apache-2.0
"""Reads the raw files of a bundle, by the README of each format and the tables of kinds beside them, and gives its
events in order.  Written apart from the readers in C: what both say of a trace is compared in tests."""
import heapq
import os
import re
import struct

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNFINISHED = -1


def lines_of(path):
    with open(path, encoding='utf-8') as f:
        return f.readlines()


class Task:
    def __init__(self, number, name):
        self.number, self.id, self.nickname, self.host, self.program = number, name, name, '', ''


class Link:
    """A link of the topology of a TAPE trace."""

    def __init__(self, number, origin, destination, name):
        self.number, self.origin, self.destination, self.name = number, origin, destination, name


class Event:
    """`end`: the end of a call; of the same `record` as its begin.  `fields`: by the names of the table of kinds."""
    __slots__ = ('date', 'kind', 'category', 'task', 'thread', 'duration', 'record', 'end', 'instant', 'ends', 'fields')

    def __init__(self, **values):
        self.thread, self.ends = 0, None
        for name, value in values.items():
            setattr(self, name, value)

    def __repr__(self):
        return f'{self.date} {"End" if self.end else ""}{self.kind} of {self.task}/{self.thread} {self.fields}'


class Trace:
    """`tasks` by number of the trace, in the order in which they are spoken of; `ticks` a second."""

    def __init__(self, path):
        self.path, self.tasks, self.links, self.groups, self.events, self.ticks = path, {}, [], [], [], 10**9

    @property
    def first(self):
        return min((e.date for e in self.events), default=0)

    @property
    def last(self):
        return max((e.date for e in self.events), default=0)

    def give_nicknames(self):
        path, named = os.path.join(self.path, 'nicknames'), {}
        if os.path.exists(path):
            for line in lines_of(path):
                words = line.strip().split(None, 1)
                if len(words) == 2 and not line.startswith('#'):
                    named[words[0]] = words[1]
        for task in self.tasks.values():
            task.nickname = named.get(task.id, task.id)


def kinds_of(folder):
    """Kinds by number: name, category, flags, [(field, role)], from the table that the README of the format points to."""
    kinds = {}
    text = ''.join(lines_of(os.path.join(ROOT, 'readers', folder, 'kinds.def')))
    for number, name, category, fields in re.findall(r'^KIND \((\d+), (\w+), "([^"]*)",\s*"([^"]*)"\)', text, re.M):
        words = category.split()
        kinds[int(number)] = (name, words[0], words[1:], [tuple(f.split('=')) for f in fields.split()])
    return kinds


def unescape(word):
    return '' if word == '-' else re.sub(rb'%([0-9a-fA-F]{2})', lambda m: bytes([int(m[1], 16)]),
                                         word.encode()).decode()


# ---- TAPE/PVM --------------------------------------------------------------------------------------------------------

DAEMONS = 1 << 31  # numbers from here on are no tasks


def read_fields(words, roles):
    """What follows the five common numbers; a role with tasks tells them as numbers, nobody as None."""
    values, at = {}, 0

    def task(word):
        return int(word) if 0 <= int(word) < DAEMONS else None

    for name, role in roles:
        if role in ('peers', 'tasks'):
            n = int(words[at])
            values[name] = [t for t in map(task, words[at + 1:at + 1 + n]) if t is not None]
            at += n
        elif role in ('word', 'group'):
            values[name] = unescape(words[at])
        else:
            values[name] = task(words[at]) if role in ('peer', 'task') else int(words[at])
        at += 1
    return values


def read_pvm(path):
    """Events of a bundle of TAPE/PVM without a table of its own."""
    trace, kinds, records = Trace(path), kinds_of('tapepvm'), []
    name = os.path.basename(path.rstrip('/'))[:-len('.trace')]
    with open(os.path.join(path, name + '.tapepvm', 'events'), encoding='utf-8') as f:
        for line in f:
            words = line.split()
            if not words or line.startswith('#'):
                continue
            kind, category, flags, roles = kinds[int(words[0])]
            date, task, duration = (int(w) for w in words[1:4])
            records.append(Event(date=date, kind=kind, category=category, task=task, duration=duration,
                                 record=len(records), end=False, instant='instant' in flags,
                                 fields=read_fields(words[5:], roles)))
    records.sort(key=lambda e: e.date)  # stable

    def emit(e):
        trace.events.append(e)

    ends = []
    for begin in records:
        number = begin.record
        while ends and ends[0][0] <= begin.date:
            emit(heapq.heappop(ends)[2])
        emit(begin)
        if not begin.instant and begin.duration != UNFINISHED:
            end = Event(date=begin.date + begin.duration, kind=begin.kind, category=begin.category, task=begin.task,
                        duration=begin.duration, record=number, end=True, instant=False, fields=begin.fields)
            heapq.heappush(ends, (end.date, len(trace.events), end))
    while ends:
        emit(heapq.heappop(ends)[2])
    for e in trace.events:
        about = [e.task] + [v for field, role in roles_of(kinds, e.kind) if role in ('peer', 'task', 'peers', 'tasks')
                            for v in (e.fields[field] if isinstance(e.fields[field], list) else [e.fields[field]])]
        for number in about:
            if number is not None and number not in trace.tasks:
                trace.tasks[number] = Task(number, f't{number:x}')
        if 'group' in e.fields and e.fields['group'] not in trace.groups:
            trace.groups.append(e.fields['group'])
    trace.give_nicknames()
    return trace


def roles_of(kinds, name):
    return next(roles for kind, _, _, roles in kinds.values() if kind == name)


# ---- TAPE ------------------------------------------------------------------------------------------------------------

def read_topology(trace, path):
    processors, placed = {}, {}
    for line in lines_of(path):
        words = line.split()
        if not words or line.startswith('#'):
            continue
        if words[0] == 'processor':
            processors[int(words[1])] = unescape(words[2])
        elif words[0] == 'virtual':
            placed[int(words[1])] = int(words[2])
        elif words[0] == 'task':
            task = trace.tasks[int(words[1])] = Task(int(words[1]), unescape(words[3]))
            task.host = processors[placed[int(words[2])]]
            task.program = unescape(words[4]) if len(words) > 4 else ''
        elif words[0] == 'link':
            trace.links.append(Link(int(words[1]), int(words[2]), int(words[3]), unescape(words[4])))
    trace.processors = [processors[i] for i in sorted(processors)]


def read_tape(path):
    trace, kinds = Trace(path), kinds_of('tape')
    name = os.path.basename(path.rstrip('/'))[:-len('.trace')]
    folder = os.path.join(path, name + '.tape')
    read_topology(trace, os.path.join(folder, 'topology'))
    with open(os.path.join(folder, 'events'), 'rb') as f:
        data = f.read()
    order = '<' if data[8:12] == b'\4\3\2\1' else '>'
    trace.ticks, _, block = struct.unpack_from(order + 'qqQ', data, 24)
    events = []
    while block + 64 <= len(data):
        magic, task, capacity, length = struct.unpack_from(order + 'IIII', data, block)
        if magic != 0x4b4c4254:
            break
        at, end = block + 64, block + (length or capacity)
        while at + 32 <= min(end, len(data)):
            size, _, kind, ended, _, date, duration, owner, thread, _ = struct.unpack_from(order + 'HHBBHqqIHH', data, at)
            if size == 0:
                break
            kind_name, category, flags, roles = kinds[kind]
            values = list(struct.unpack_from(order + f'{len(roles)}q', data, at + 32))
            fields = {field: value for (field, _), value in zip(roles, values)}
            rest = at + 32 + 8 * len(roles)
            if roles and roles[-1][1] == 'links':
                fields[roles[-1][0]] = list(struct.unpack_from(order + f'{values[-1]}q', data, rest))
            elif roles and roles[-1][1] == 'word':
                fields[roles[-1][0]] = data[rest:rest + values[-1]].decode()
            events.append(Event(date=date, kind=kind_name, category=category, task=owner, thread=thread,
                                duration=duration, record=at, end='end' in flags, instant='instant' in flags,
                                ends=kinds[ended][0] if ended else None, fields=fields))
            at += size
        block += capacity
    trace.events = sorted(events, key=lambda e: (e.date, e.task))  # stable: inside a task by place
    trace.give_nicknames()
    return trace


def read(path):
    """The trace of a bundle; .model tells which simulator it is for."""
    pvm = any(f.endswith('.tapepvm') for f in os.listdir(path))
    trace = read_pvm(path) if pvm else read_tape(path)
    trace.model = 'PVM' if pvm else 'OUF'
    return trace


def samples():
    """The recorded traces that are read here, by name; those of other formats have a second computation of their own."""
    folder = os.path.join(ROOT, 'traces')
    return sorted(n for n in os.listdir(folder) if n.endswith('.trace') and os.path.isdir(os.path.join(folder, n))
                  and any(d.endswith(('.tapepvm', '.tape')) for d in os.listdir(os.path.join(folder, n))))
