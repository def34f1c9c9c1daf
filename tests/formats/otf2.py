# SPDX-License-Identifier: Apache-2.0
"""OTF2 once more, in Python and from the text of otf2-print alone: regions, variables and messages of locations at any
instant."""
import functools
import glob
import os
import re
import subprocess
from collections import defaultdict

NAME = r'"((?:[^"\\]|\\.)*)"(?: <\d+>)?'


@functools.lru_cache(12)
def printed(files, anchor, *options):
    done = subprocess.run(['otf2-print', *options, anchor], capture_output=True, text=True, errors='replace')
    return done.stdout, done.returncode, done.stderr


def files_of(anchor):
    inside = sorted(glob.glob(os.path.join(os.path.dirname(anchor), '**'), recursive=True))
    return tuple((path, os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in inside if os.path.isfile(path))


def told(anchor, *options):
    """What otf2-print tells of an archive, which is asked again only if a file of it has changed."""
    return printed(files_of(anchor), anchor, *options)[0]


def judged(anchor):
    """Its exit status, and what it complains of."""
    return printed(files_of(anchor), anchor)[1:]


class Archive:
    """What otf2-print tells: locations with the names that Scope gives them, and all records in order."""

    def __init__(self, anchor):
        text = told(anchor, '-G')
        self.resolution, self.offset = 10 ** 9, 0
        self.strings, groups, locations, self.nodes = {}, {}, [], {}
        self.group_members, self.comms, self.world = {}, {}, []
        self.members, self.classes, self.instances, self.inter = {}, {}, {}, {}
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
            elif kind == 'INTER_COMM':
                self.inter[number] = [int(n) for n in re.search(r'Group A: ".*?" <(\d+)>, Group B: ".*?" <(\d+)>', rest).groups()]
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
        of_kind = defaultdict(list)
        for number, _, kind, group in locations:
            of_kind[group, kind].append(number)
        self.not_first = {number for of in of_kind.values() for number in of[1:]}     # of its process
        for number, name, kind, group in locations:
            if threads[group] == 1 and kind != 'METRIC':
                self.tasks[number] = self.process[group] = groups[group]
            else:
                self.tasks[number] = f'{groups[group]} · {name or "location " + str(number)}'
        for group, name in groups.items():
            self.process.setdefault(group, name)
        text = told(anchor)
        self.records = []
        for line in text.splitlines():
            f = re.match(r'([A-Z_0-9]+) +(\d+) +(\d+)  ?(.*)', line)
            if f:
                ticks = int(f[3]) - self.offset
                self.records.append((ticks * 10 ** 9 // self.resolution, f[1], int(f[2]), f[4]))
        asked, given_up = {}, []
        for n, (_, kind, location, text) in enumerate(self.records):
            if kind == 'MPI_ISEND':
                asked[location, re.search(r'Request: (\d+)', text)[1]] = n
            elif kind == 'MPI_ISEND_COMPLETE':
                asked.pop((location, re.search(r'Request: (\d+)', text)[1]), None)
            elif kind == 'MPI_REQUEST_CANCELLED':
                given_up.append(asked.pop((location, re.search(r'Request: (\d+)', text)[1]), None))
        for n in given_up:
            if n is not None:       # nobody will have it
                self.records[n] = self.records[n][:1] + ('CANCELLED_' + self.records[n][1],) + self.records[n][2:]

    def rank(self, text, what, task=None):
        """Who a rank is, and in which communicator; between two groups it is one of the other group than that of `task`."""
        rank = re.search(what + r': (\d+)', text)
        comm = int(re.search(r'Communicator: .*?<(\d+)>', text)[1])
        group = self.comms.get(comm)
        if comm in self.inter:
            one, other = self.inter[comm]
            group = other if task in self.names_of(one) else one
        return self.tasks[self.world[self.group_members[group][int(rank[1])]]], comm

    def names_of(self, group):
        return [self.tasks[self.world[m]] for m in self.group_members[group]]

    def size(self, comm):
        return sum(len(self.group_members[g]) for g in self.inter.get(comm) or [self.comms[comm]])

    @functools.cache
    def early(self):
        """Queues in which receives are dated before their sends: both are left over when each receive takes the first that was sent before it."""
        waiting, alone = defaultdict(int), set()
        for _, kind, location, text in self.records:
            task = self.tasks[location]
            if kind in ('MPI_SEND', 'MPI_ISEND'):
                to, comm = self.rank(text, 'Receiver', task)
                waiting[task, to, comm, re.search(r'Tag: (\d+)', text)[1]] += 1
            elif kind in ('MPI_RECV', 'MPI_IRECV'):
                source, comm = self.rank(text, 'Sender', task)
                key = source, task, comm, re.search(r'Tag: (\d+)', text)[1]
                if waiting[key]:
                    waiting[key] -= 1
                else:
                    alone.add(key)
        return {key for key in alone if waiting[key]}


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
        self.owed, self.early = defaultdict(int), archive.early()
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
            to, comm = self.a.rank(text, 'Receiver', task)
            size = int(re.search(r'Length: (\d+)', text)[1])
            self.sent[task] += 1
            key = task, to, comm, re.search(r'Tag: (\d+)', text)[1]
            if self.owed[key]:
                self.owed[key] -= 1
            else:
                self.queues[key].append(size)
                self.links[task, to][0] += size
        elif kind in ('MPI_RECV', 'MPI_IRECV'):
            source, comm = self.a.rank(text, 'Sender', task)
            size = int(re.search(r'Length: (\d+)', text)[1])
            self.received[task] += 1
            key = source, task, comm, re.search(r'Tag: (\d+)', text)[1]
            link = self.links[source, task]
            if self.queues[key]:
                link[0] -= self.queues[key].pop(0)
            else:
                self.owed[key] += key in self.early
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


N_BY_N = {'ALLREDUCE', 'ALLGATHER', 'ALLGATHERV', 'ALLTOALL', 'ALLTOALLV', 'ALLTOALLW', 'REDUCE_SCATTER', 'REDUCE_SCATTER_BLOCK'}


class Calls:
    """Each call of each location with what is recorded in it; from these the waits by their definitions."""

    def __init__(self, archive, until=None):
        """`until`: of an instant: calls that are not over end there, and are `open`."""
        self.a, self.until = archive, until
        stacks, self.calls = defaultdict(list), []
        sends, receives, posted, isent, self.collectives = defaultdict(list), defaultdict(list), {}, {}, defaultdict(list)
        self.useful, since, talking, self.spans = defaultdict(int), {}, defaultdict(int), {}
        self.computed = defaultdict(list)       # by location: (from, to, 1 or, what is no computing after all, -1)
        self.stretches = defaultdict(list)      # by task: (from, to, region), none inside of another
        numbers, off, inside = defaultdict(int), {}, defaultdict(list)
        helpers, idle = set(), set()            # threads that come for parallel regions alone, and those that are between two of them
        for date, kind, location, text in archive.records:
            if until is not None and date > until:
                break
            task, stack = archive.tasks[location], stacks[location]
            call = stack[-1] if stack else None
            if kind in ('ENTER', 'LEAVE', 'BUFFER_FLUSH', 'MEASUREMENT_ON_OFF') and location in self.spans:
                self.stretches[task].append((self.spans[location][1], date, inside[location][-1] if inside[location] else None))
            if kind in ('ENTER', 'LEAVE'):
                region = re.search('Region: ' + NAME, text)[1]
                mpi = region.startswith('MPI_')
                if kind == 'ENTER':
                    if location not in self.spans:
                        self.spans[location], since[location] = [date, date], date
                        helpers |= {location} & archive.not_first if region.startswith('!$omp') else set()
                    if location in idle:
                        idle.remove(location)
                        talking[location] -= 1
                        since[location] = date
                    if mpi and talking[location] == 0:
                        self.useful[location] += date - since[location]
                        self.computed[location].append((since[location], date, 1))
                    talking[location] += mpi
                    inside[location].append(region)
                    stack.append({'task': task, 'region': region, 'enter': date, 'leave': None, 'receives': [], 'sends': [], 'done': [],
                                  'location': location, 'useful': self.useful[location]})
                    stack[-1]['outer'] = next((c for c in stack if c['region'].startswith('MPI_')), stack[-1])
                else:
                    stack.pop()['leave'] = date
                    inside[location].pop()
                    self.calls.append(call)
                    talking[location] -= mpi
                    if mpi and talking[location] == 0:
                        since[location] = date
                    if location in helpers and not inside[location]:
                        idle.add(location)
                        self.useful[location] += date - since[location]
                        self.computed[location].append((since[location], date, 1))
                        talking[location] += 1
                self.spans[location][1] = date
            elif kind in ('BUFFER_FLUSH', 'MEASUREMENT_ON_OFF'):     # no computing, whoever was traced
                if kind == 'BUFFER_FLUSH':
                    stop = (int(re.search(r'Stop Time: (\d+)', text)[1]) - archive.offset) * 10 ** 9 // archive.resolution
                    stop = stop if until is None else min(stop, until)
                    self.useful[location] -= stop - date
                    self.computed[location].append((date, stop, -1))
                    self.stretches[task].append((date, stop, 'Buffer flush'))
                    self.spans[location][1] = stop
                elif 'Mode: OFF' in text:
                    off[location] = date
                    inside[location].append('Measurement off')
                    self.spans[location][1] = date
                else:
                    inside[location].pop()
                    self.spans[location][1] = date
                    self.computed[location].append((off[location], date, -1))
                    self.useful[location] -= date - off.pop(location)
            elif kind in ('MPI_SEND', 'MPI_ISEND'):
                to, comm = archive.rank(text, 'Receiver', task)
                half = {'call': call, 'task': task, 'date': date, 'to': to, 'blocks': kind == 'MPI_SEND'}
                call['sends'].append(half)
                if kind == 'MPI_ISEND':
                    isent[location, re.search(r'Request: (\d+)', text)[1]] = half
                sends[task, to, comm, re.search(r'Tag: (\d+)', text)[1]].append(half)
            elif kind == 'MPI_ISEND_COMPLETE':
                half = isent.pop((location, re.search(r'Request: (\d+)', text)[1]), None)
                if half and call and half['call'] is not call:
                    call['done'].append(half)
            elif kind == 'MPI_IRECV_REQUEST':
                posted[location, re.search(r'Request: (\d+)', text)[1]] = call['enter']
            elif kind in ('MPI_RECV', 'MPI_IRECV'):
                source, comm = archive.rank(text, 'Sender', task)
                when = posted.pop((location, re.search(r'Request: (\d+)', text)[1]), None) if kind == 'MPI_IRECV' else None
                half = {'call': call, 'posted': call['enter'] if when is None else when, 'task': task, 'date': date}
                call['receives'].append(half)
                receives[source, task, comm, re.search(r'Tag: (\d+)', text)[1]].append(half)
            elif kind == 'MPI_COLLECTIVE_END':
                op, comm = re.search(r'Operation: (\w+)', text)[1], int(re.search(r'Communicator: .*?<(\d+)>', text)[1])
                root = re.search(r'Root: (\d+)', text)
                root = root and archive.rank(text, 'Root', task)[0]
                self.collectives[comm, numbers[comm, location]].append((op, root, call))
                numbers[comm, location] += 1
        self.open = {location: stack for location, stack in stacks.items() if stack}
        if until is not None:
            for stack in self.open.values():
                for call in stack:
                    call['leave'], call['open'] = until, True
                    self.calls.append(call)
            for location, date in off.items():
                self.useful[location] -= until - date
        for location in self.spans:
            if talking[location] == 0:
                end = self.spans[location][1] if until is None or self.ended(location) else until
                self.useful[location] += end - since[location]
                self.computed[location].append((since[location], end, 1))
        self.messages = 0
        for key, queue in sends.items():
            for send, receive in zip(queue, receives[key]):
                send['other'], receive['other'] = receive, send
                self.messages += 1

    def ended(self, location):
        """At an instant: it is inside of nothing, and has ended communication."""
        return location not in self.open and any(c['region'] == 'MPI_Finalize' and c['location'] == location for c in self.calls)

    def waits(self):
        """(kind, task, region) -> [ticks, ...]"""
        out = defaultdict(list)
        for kind, call, ticks in self.each_wait():
            out[kind, call['task'], call['region']].append(ticks)
        return out

    def each_wait(self):
        """[(kind, call, ticks)]: all of them begin with their call."""
        out = []

        def add(kind, call, ticks):
            if ticks > 0:
                out.append((kind, call, ticks))
        for call in self.calls:
            late = [min(half['other']['call']['enter'], call['leave']) - call['enter'] for half in call['receives'] if 'other' in half]
            add('Late sender', call, max(late, default=0))
            for half in call['sends']:
                posted = half['other']['posted'] if 'other' in half else 0
                if call['enter'] < posted < call['leave']:
                    add('Late receiver', call, posted - call['enter'])
            done = [half['other']['posted'] - call['enter'] for half in call['done'] if 'other' in half
                    and call['enter'] < half['other']['posted'] < call['leave']]
            add('Late receiver of what was sent aside', call, max(done, default=0))
        order = {task: i for i, task in enumerate(self.a.tasks[n] for n in sorted(self.a.tasks))}
        for (comm, _), members in self.collectives.items():
            op, root, _ = members[0]
            if len(members) < self.a.size(comm):
                continue
            enters = {call['task']: call['enter'] for _, _, call in members}
            for _, _, call in members:
                others = [e for task, e in enters.items() if task != root]
                if op == 'BARRIER' or op in N_BY_N:
                    add('Wait at barrier' if op == 'BARRIER' else 'Wait at N x N', call, min(max(enters.values()), call['leave']) - call['enter'])
                elif op in ('BCAST', 'SCATTER', 'SCATTERV') and call['task'] != root:
                    add('Late root', call, min(enters[root], call['leave']) - call['enter'])
                elif op in ('REDUCE', 'GATHER', 'GATHERV') and call['task'] == root and others:
                    add('Early root', call, min(min(others), call['leave']) - call['enter'])
                elif op in ('SCAN', 'EXSCAN'):
                    before = [e for task, e in enters.items() if order[task] < order[call['task']]]
                    add('Early scan', call, min(max(before, default=0), call['leave']) - call['enter'])
        return out

    def owned(self):
        """[(kind, call, from, to, who it waits for)]: each time of a call once. What is known when the call ends comes first, and of that
        what came last (of equal ones: a receive, a completed send, a send, an operation of a group); what is known later has the rest."""
        known, later = defaultdict(list), []
        for call in self.calls:
            late = [(min(h['other']['call']['enter'], call['leave']), h['other']['task']) for h in reversed(call['receives']) if 'other' in h]
            if late and max(late, key=lambda x: x[0])[0] > call['enter']:
                until, task = max(late, key=lambda x: x[0])
                known[id(call)].append((until, 'Late sender', task))
            for halves, kind in ((call['done'][::-1], 'Late receiver of what was sent aside'), (call['sends'][::-1], 'Late receiver')):
                for h in halves:
                    posted = h['other']['posted'] if 'other' in h else 0
                    if call['enter'] < posted < call['leave']:
                        if h['other']['date'] < call['leave']:
                            known[id(call)].append((posted, kind, h['other']['task']))
                        else:
                            later.append((h['other']['date'], kind, call, posted, h['other']['task']))
        out, owned = [], {}
        for call in self.calls:
            if known[id(call)]:
                until, kind, task = max(known[id(call)], key=lambda x: x[0])
                out.append((kind, call, call['enter'], until, task))
                owned[id(call)] = until
        for kind, call, until, task, when in self.group_waits():
            later.append((call['leave'] if when is None else when, kind, call, until, task))
        for _, kind, call, until, task in sorted(later, key=lambda x: x[0]):
            begin = owned.get(id(call), call['enter'])
            if begin < until:
                out.append((kind, call, begin, until, task))
                owned[id(call)] = until
        return out

    def group_waits(self):
        """[(kind, call, until, who it waits for, when it is known; None: when the call ends)]"""
        out = []
        order = {task: i for i, task in enumerate(self.a.tasks[n] for n in sorted(self.a.tasks))}
        for (comm, _), members in self.collectives.items():
            op, root, _ = members[0]
            if len(members) < self.a.size(comm):
                continue
            enters = sorted((call['enter'], order[call['task']], call['task']) for _, _, call in members)
            end = max(call['leave'] for _, _, call in members)
            for _, _, call in members:
                when = None
                if op == 'BARRIER' or op in N_BY_N:
                    last = enters[-1][0]
                    kind, (date, _, task) = 'Wait at barrier' if op == 'BARRIER' else 'Wait at N x N', next(e for e in enters if e[0] == last)
                elif op in ('BCAST', 'SCATTER', 'SCATTERV') and call['task'] != root:
                    kind, (date, _, task) = 'Late root', next(e for e in enters if e[2] == root)
                elif op in ('REDUCE', 'GATHER', 'GATHERV') and call['task'] == root and len(members) > 1:
                    kind, (date, _, task) = 'Early root', next(e for e in enters if e[2] != root)
                elif op in ('SCAN', 'EXSCAN'):
                    before = [e for e in sorted(enters, key=lambda e: e[1]) if e[1] < order[call['task']]]
                    if not before:
                        continue
                    kind, (date, _, task), when = 'Early scan', max(before, key=lambda e: e[0]), end
                else:
                    continue
                if min(date, call['leave']) > call['enter']:
                    out.append((kind, call, min(date, call['leave']), task, when))
        return out

    def root_causes(self):
        """{(task, region): [direct, indirect]}, ticks of all waits, those that nothing explains: of clocks that are right, late senders and barriers
        of all.  Each wait by its definition: what both did since the last operation of both, from their stretches of time."""
        met = defaultdict(list)         # of two tasks: (date of one, date of the other)
        for call in self.calls:
            for half in call['receives']:
                if 'other' in half:
                    met[call['task'], half['other']['task']].append((half['date'], half['date']))
                    met[half['other']['task'], call['task']].append((half['date'], half['date']))
        for members in self.collectives.values():
            for _, _, a in members:
                for _, _, b in members:
                    met[a['task'], b['task']].append((a['leave'], b['leave']))
        done, costs, judged, unexplained = [], defaultdict(lambda: [0, 0]), 0, 0
        first, begins = min(r[0] for r in self.a.records), {self.a.tasks[n]: span[0] for n, span in self.spans.items()}
        for _, call, begin, end, cause in sorted(self.owned(), key=lambda x: x[1]['leave']):
            since = max((pair for pair in met[call['task'], cause] if pair[0] <= begin and pair[1] <= end), default=(0, 0))

            def spent(task, a, b):
                out = defaultdict(int)
                out['(before its first call)'] = max(0, min(begins[task], b) - max(first, a))
                for x, y, region in self.stretches[task]:
                    out[region] += max(0, min(y, b) - max(x, a))
                waits = [w for w in done if w['task'] == task and w['from'] >= a and w['to'] <= b]
                for w in waits:
                    out[w['region']] -= w['to'] - w['from']
                return out, waits
            own, _ = spent(call['task'], since[0], begin)
            its, waits = spent(cause, since[1], end)
            more = {region: n - own[region] for region, n in its.items() if n > own[region]}
            total = sum(more.values()) + sum(w['to'] - w['from'] for w in waits)
            direct = {(cause, region): n / total for region, n in more.items()}
            indirect = defaultdict(float)
            for w in waits:
                for key, part in w['roots'].items():
                    indirect[key] += part * (w['to'] - w['from']) / total
            roots = {key: direct.get(key, 0) + indirect[key] for key in {*direct, *indirect}}
            done.append({'task': call['task'], 'region': call['region'], 'from': begin, 'to': end, 'roots': roots})
            for key in roots:
                costs[key][0] += direct.get(key, 0) * (end - begin)
                costs[key][1] += indirect[key] * (end - begin)
            judged += end - begin
            unexplained += (1 - sum(roots.values())) * (end - begin)
        return costs, judged, unexplained

    def owned_waits(self):
        """(kind, task, region) -> [ticks, ...]"""
        out = defaultdict(list)
        for kind, call, a, b, _ in self.owned():
            out[kind, call['task'], call['region']].append(b - a)
        return out

    def useful_in(self, location, a, b):
        """Ticks that it computed between two dates."""
        return sum(sign * max(0, min(y, b) - max(x, a)) for x, y, sign in self.computed[location])

    def late_messages(self):
        """Late senders message by message: (sender, receiver, call, ticks, begins at)"""
        out = []
        for call in self.calls:
            late = [(min(half['other']['call']['enter'], call['leave']) - call['enter'], half['other']['task'])
                    for half in call['receives'] if 'other' in half]
            if late and max(late)[0] > 0:
                out.append((max(late)[1], call['task'], call['region'], max(late)[0], call['enter']))
        return out

    def ideal(self, first, inner=False):
        """When each location has ended on an ideal network, from `first` on: all dates are raised to what they have to wait for, over
        and over, until none is raised any more.  `inner`: all begin together as they leave MPI_Init, and end as they call MPI_Finalize."""
        own, opens, base = defaultdict(list), {}, defaultdict(int)
        for call in sorted(self.calls, key=lambda c: (c['enter'], -c['leave'])):
            if call['outer'] is call and call['region'].startswith('MPI_'):
                if inner and call['region'] == 'MPI_Init':
                    opens[call['location']], base[call['location']] = call['leave'], call['useful']
                    own[call['location']].clear()
                    call['needs'], call['at'] = [], 0
                    continue
                call['needs'], call['at'] = [], 0
                own[call['location']].append(call)
        for call in self.calls:
            call['outer'].setdefault('needs', []).extend(half['other']['call']['outer'] for half in call['receives'] if 'other' in half)
        for (comm, _), members in self.collectives.items():
            op, root, _ = members[0]
            for _, _, call in members:
                if op == 'BARRIER' or op in N_BY_N:
                    who = [c for _, _, c in members]
                elif op in ('BCAST', 'SCATTER', 'SCATTERV') and call['task'] != root:
                    who = [c for _, _, c in members if c['task'] == root]
                elif op in ('REDUCE', 'GATHER', 'GATHERV') and call['task'] == root:
                    who = [c for _, _, c in members if c['task'] != root]
                else:
                    who = []
                call['outer']['needs'] += [c['outer'] for c in who]
        end, raised = {}, True
        while raised:
            raised = False
            for location, calls in own.items():
                stalled, offset = 0, 0 if location in opens else self.spans[location][0] - first
                for call in calls:
                    at = offset + call['useful'] - base[location] + stalled
                    raised |= at > call['at']
                    call['at'] = at
                    stalled += max([0, *(c['at'] - at for c in call['needs'])])
                end[location] = offset + self.useful[location] - base[location] + stalled
                end[location] = min([end[location], *(c['at'] for c in calls if inner and c['region'] == 'MPI_Finalize')])
        return {location: end.get(location, self.spans[location][0] - first + self.useful[location]) for location in self.spans}

    def wrong_order(self):
        """Of late senders whose receiver could have had an earlier message: ([of one source], [of several]), ticks each."""
        halves = defaultdict(list)
        for call in self.calls:
            for half in call['receives']:
                if 'other' in half:
                    halves[half['task']].append(half)
        out = [], []
        for call in self.calls:
            best, late = 0, None
            for half in reversed(call['receives']):
                if 'other' in half and min(half['other']['call']['enter'], call['leave']) - call['enter'] > best:
                    best, late = min(half['other']['call']['enter'], call['leave']) - call['enter'], half
            if late is None:
                continue
            amounts = [], []
            for other in halves[call['task']]:
                sent = other['other']['date']
                ticks = call['enter'] + best - max(call['enter'], sent)
                if other['call']['enter'] >= call['leave'] and sent < late['other']['date'] and ticks > 0:
                    amounts[other['other']['task'] != late['other']['task']].append(ticks)
            if amounts[0]:
                out[0].append(max(amounts[0]))
            elif amounts[1]:
                out[1].append(max(amounts[1]))
        return out

    def jumps(self):
        """Of each task the calls in which it waited: (enter, leave, date, task that it waited for)."""
        out = defaultdict(list)
        for call in self.calls:
            best, late = 0, None
            for half in reversed(call['receives']):
                if 'other' in half:
                    cause = half['other']['call']
                    if min(cause['enter'], call['leave']) - call['enter'] > best:
                        best, late = min(cause['enter'], call['leave']) - call['enter'], (cause['enter'], cause['task'])
            sends = [half['other'] for half in call['sends'] if 'other' in half and call['enter'] < half['other']['posted'] < call['leave']]
            done = [half['other'] for half in reversed(call['done']) if 'other' in half
                    and call['enter'] < half['other']['posted'] < call['leave']]
            ends = [late] * (late is not None and late[0] <= call['leave']) + [(other['posted'], other['task']) for other in done + sends]
            late = max(ends, key=lambda end: end[0], default=None)         # what it waited for last, whenever that became known
            if late and call['enter'] < late[0] <= call['leave']:
                out[call['task']].append((call['enter'], call['leave'], *late))
        order = {task: i for i, task in enumerate(self.a.tasks[n] for n in sorted(self.a.tasks))}
        for (comm, _), members in self.collectives.items():
            op, root, _ = members[0]
            enters = [(call['enter'], order[call['task']], call['task']) for _, _, call in members]
            if op == 'BARRIER' or op in N_BY_N:
                last = max(enter for enter, _, _ in enters)
                cause = min(e for e in enters if e[0] == last)
            elif op in ('BCAST', 'SCATTER', 'SCATTERV'):
                cause = next(e for e in enters if e[2] == root)
            elif op in ('REDUCE', 'GATHER', 'GATHERV') and len(enters) > 1:
                cause = min(e for e in enters if e[2] != root)
            else:
                continue
            for _, _, call in members:
                waits = call['task'] == root if op in ('REDUCE', 'GATHER', 'GATHERV') else call['task'] != root
                if waits and call['enter'] < cause[0] <= call['leave']:
                    out[call['task']].append((call['enter'], call['leave'], cause[0], cause[2]))
        return out

    def path_pieces(self):
        """The critical path backward: [(task, from, to, wait that led there)]."""
        jumps = {task: sorted(j) for task, j in self.jumps().items()}
        spans = {self.a.tasks[location]: span for location, span in sorted(self.spans.items())}
        last = max(span[1] for span in spans.values())
        task = next(task for task, span in spans.items() if span[1] == last)
        now, pieces = last, []
        while True:
            found = next((j for j in reversed(jumps.get(task, [])) if j[1] <= now and j[0] < now), None)
            begin = found[2] if found else spans[task][0]
            pieces.append((task, begin, now, found))
            if not found:
                break
            now, task = found[2], found[3]
        return pieces

    def critical_path(self):
        """Backward from the end: (length, stretches, ticks by task, ticks by region)."""
        pieces = self.path_pieces()
        by_task, by_region, stretches, before = defaultdict(int), defaultdict(int), 0, None
        for task, begin, end, found in pieces:
            stretches += task != before
            before = task
            by_task[task] += end - begin
            for a, b, region in self.stretches[task]:
                a, b = max(a, begin), min(b, end)
                if a < b:
                    by_region[region or '(outside)'] += b - a
        return pieces[0][2] - pieces[-1][1], stretches, {t: n for t, n in by_task.items() if n}, dict(by_region)
