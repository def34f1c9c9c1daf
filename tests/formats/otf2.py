# SPDX-License-Identifier: Apache-2.0
"""OTF2 once more, in Python and from the text of otf2-print alone: regions, variables and messages of locations at any
instant."""
import re
import subprocess
from collections import defaultdict

NAME = r'"((?:[^"\\]|\\.)*)"(?: <\d+>)?'


class Archive:
    """What otf2-print tells: locations with the names that Scope gives them, and all records in order."""

    def __init__(self, anchor):
        text = subprocess.run(['otf2-print', '-G', anchor], capture_output=True, text=True, errors='replace').stdout
        self.resolution, self.offset = 10 ** 9, 0
        self.strings, groups, locations, self.nodes = {}, {}, [], {}
        self.group_members, self.comms, self.world = {}, {}, []
        self.members, self.classes, self.instances = {}, {}, {}
        for line in text.splitlines():
            kind, _, rest = line.partition(' ')
            f = re.match(r'\s*(\d+)\s+(.*)', rest)
            if kind == 'CLOCK_PROPERTIES':
                self.resolution, self.offset = map(int, re.search(r'Ticks per Seconds: (\d+), Global Offset: (\d+)', rest).groups())
            if not f:
                continue
            number, rest = int(f[1]), f[2]
            name = re.match(r'Name: ' + NAME, rest)
            if kind == 'SYSTEM_TREE_NODE':
                self.nodes[number] = name[1]
            elif kind == 'LOCATION_GROUP':
                groups[number] = name[1]
            elif kind == 'LOCATION':
                locations.append((number, name[1], re.search(r'Type: (\w+)', rest)[1], int(re.search(r'Group: .*<(\d+)>$', rest)[1])))
            elif kind == 'GROUP':
                if 'COMM_LOCATIONS' in rest and 'Paradigm: MPI' in rest or 'Paradigm: "MPI"' in rest and 'COMM_LOCATIONS' in rest:
                    self.world = [int(m) for m in re.findall(r'<(\d+)>', rest.split('Member')[1])]
                elif 'COMM_GROUP' in rest:
                    self.group_members[number] = [int(m) for m in re.findall(r'(?:Members?: |, )(\d+) \(', rest)]
            elif kind == 'COMM':
                self.comms[number] = int(re.search(r'Group: ' + r'"(?:[^"\\]|\\.)*" <(\d+)>', rest)[1])
            elif kind == 'METRIC_MEMBER':
                mode, base, exponent = re.search(r'Mode: (\w+?)_.*Base: (\w+), Exponent: (-?\d+)', rest).groups()
                self.members[number] = name[1], mode, {'DECIMAL': 10, 'BINARY': 2}[base] ** int(exponent)
            elif kind == 'METRIC_INSTANCE':
                scope = re.search(r'Scope: (\w+) .*<(\d+)>$', rest)
                self.instances[number] = scope[1], int(scope[2])
        threads = defaultdict(int)
        for _, _, kind, group in locations:
            threads[group] += kind != 'METRIC'
        self.tasks, self.process = {}, {}
        for number, name, kind, group in locations:
            if threads[group] == 1 and kind != 'METRIC':
                self.tasks[number] = self.process[group] = groups[group]
            else:
                self.tasks[number] = f'{groups[group]} · {name or "location " + str(number)}'
        for group, name in groups.items():
            self.process.setdefault(group, name)
        text = subprocess.run(['otf2-print', anchor], capture_output=True, text=True, errors='replace').stdout
        self.records = []
        for line in text.splitlines():
            f = re.match(r'([A-Z_0-9]+) +(\d+) +(\d+)  ?(.*)', line)
            if f:
                ticks = int(f[3]) - self.offset
                self.records.append((ticks * 10 ** 9 // self.resolution, f[1], int(f[2]), f[4]))

    def rank(self, text, what):
        rank = re.search(what + r': (\d+)', text)
        comm = int(re.search(r'Communicator: .*?<(\d+)>', text)[1])
        return self.tasks[self.world[self.group_members[self.comms[comm]][int(rank[1])]]], comm


class Model:
    """All that happens until `at` (nanoseconds)."""

    def __init__(self, archive, at=None):
        self.a = archive
        self.stack, self.calls = defaultdict(list), defaultdict(int)
        self.sent, self.received = defaultdict(int), defaultdict(int)
        self.variables = defaultdict(dict)
        self.queues = defaultdict(list)
        self.links = defaultdict(lambda: [0, 0, 0])     # bytes on their way, received, messages
        self.seen, self.flushing, self.off = set(), {}, set()
        self.counts = defaultdict(int)
        for date, kind, location, text in archive.records:
            if at is not None and date > at:
                break
            self.happen(date, kind, location, text)
        for location, until in list(self.flushing.items()):
            if at is None or until <= at:
                self.stack[archive.tasks[location]].pop()

    def happen(self, date, kind, location, text):
        task = self.a.tasks[location]
        self.counts[kind] += 1
        if kind != 'METRIC':
            self.seen.add(task)
        if location in self.flushing:
            del self.flushing[location]
            self.stack[task].pop()
        stack = self.stack[task]
        if kind == 'ENTER':
            stack.append(re.search('Region: ' + NAME, text)[1])
            self.calls[task] += 1
        elif kind == 'LEAVE':
            region = re.search('Region: ' + NAME, text)[1]
            if region in stack:
                while stack.pop() != region:
                    pass
        elif kind == 'BUFFER_FLUSH':
            stack.append('Buffer flush')
            self.calls[task] += 1
            self.flushing[location] = (int(re.search(r'Stop Time: (\d+)', text)[1]) - self.a.offset) * 10 ** 9 // self.a.resolution
        elif kind == 'MEASUREMENT_ON_OFF':
            if 'Mode: OFF' in text:
                stack.append('Measurement off')
                self.calls[task] += 1
            elif 'Measurement off' in stack:
                while stack.pop() != 'Measurement off':
                    pass
        elif kind in ('MPI_SEND', 'MPI_ISEND'):
            to, comm = self.a.rank(text, 'Receiver')
            size = int(re.search(r'Length: (\d+)', text)[1])
            self.sent[task] += 1
            self.queues[task, to, comm, re.search(r'Tag: (\d+)', text)[1]].append(size)
            self.links[task, to][0] += size
        elif kind in ('MPI_RECV', 'MPI_IRECV'):
            source, comm = self.a.rank(text, 'Sender')
            size = int(re.search(r'Length: (\d+)', text)[1])
            self.received[task] += 1
            queue = self.queues[source, task, comm, re.search(r'Tag: (\d+)', text)[1]]
            link = self.links[source, task]
            if queue:
                link[0] -= queue.pop(0)
            link[1] += size
            link[2] += 1
        elif kind == 'METRIC':
            self.metric(task, text)

    def metric(self, task, text):
        number = int(re.match(r'Metric: (\d+)', text)[1])
        if number in self.a.instances:
            scope, of = self.a.instances[number]
            task = {'LOCATION': self.a.tasks, 'LOCATION_GROUP': self.a.process, 'SYSTEM_TREE_NODE': self.a.nodes}[scope][of]
        self.seen.add(task)
        for member, value in re.findall(r'<(\d+)>; \w+; ([^)]+)\)', text):
            name, mode, scale = self.a.members[int(member)]
            x = float(value) * scale
            self.variables[task][name] = x + (self.variables[task].get(name, 0) if mode == 'RELATIVE' else 0)
