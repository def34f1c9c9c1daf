# SPDX-License-Identifier: Apache-2.0
"""Paraver once more, in Python and from the raw files alone: states, calls, variables and messages at any instant."""
import gzip
import os
import re
from collections import defaultdict

USUAL = ['Idle', 'Running', 'Not created', 'Waiting a message', 'Blocking Send', 'Synchronization', 'Test/Probe',
         'Scheduling and Fork/Join', 'Wait/WaitAll', 'Blocked', 'Immediate Send', 'Immediate Receive', 'I/O',
         'Group Communication', 'Tracing Disabled', 'Others', 'Send Receive', 'Memory transfer']
GROUPS = {50000001: 'MPI Point-to-point', 50000002: 'MPI Collective Comm', 50000003: 'MPI Other'}
CALLS = """Send Recv Isend Irecv Wait Waitall Bcast Barrier Reduce Allreduce Alltoall Alltoallv Gather Gatherv Scatter Scatterv Allgather
    Allgatherv Comm_rank Comm_size Comm_create Comm_dup Comm_split Comm_group Comm_free Comm_remote_group Comm_remote_size Comm_test_inter
    Comm_compare Scan Init Finalize Bsend Ssend Rsend Ibsend Issend Irsend Test Cancel Sendrecv Sendrecv_replace""".split()
PLACES = [(70000000, 70001000), (80000000, 80001000), (30000000, 30001000), (60000100, 60000200)]


def lines_of(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt', encoding='utf-8', errors='replace', newline='\n') as f:
        yield from f


def read_pcf(path):
    """(states, labels, values): names of states, of types, and by type the names of its values."""
    states, labels, values = dict(enumerate(USUAL)), {}, {}
    section, block, named = None, [], None
    if not os.path.exists(path):
        return states, labels, values, False
    for line in list(lines_of(path)) + ['END']:
        line = line.strip()
        if line == 'VALUES':
            section, named = 'VALUES' if block else None, {} if named is None else named
        elif re.fullmatch('[A-Z][A-Z_]*', line):
            for t in block:
                values[t] = named
            section, block, named = line, [], None
        elif not line:
            section = None if section == 'VALUES' else section
        elif section == 'STATES':
            number, name = line.split(None, 1)
            states[int(number)] = name
        elif section == 'EVENT_TYPE':
            _, number, name = line.split(None, 2)
            labels[int(number)] = name
            block.append(int(number))
        elif section == 'VALUES':
            number, _, name = line.partition(line[len(line.split()[0])] if ' ' in line or '\t' in line else ' ')
            named[int(number)] = name.strip()
    return states, labels, values, True


class Trace:
    def __init__(self, path, records=True):
        stem = re.sub(r'\.prv(\.gz|\.xz)?$', '', path)
        self.states, self.labels, self.values, self.described = read_pcf(stem + '.pcf')
        self.records, self.end, self.threads, self.unit = [], None, [], 1000
        for i, line in enumerate(lines_of(path)):
            line = line.rstrip('\r\n')
            if line.startswith('#Paraver'):
                self.header(line)
            elif line and line[0] in '123':
                if not records:
                    break
                self.records.append([int(x) for x in line.split(':')])
        self.names = {}
        row = stem + '.row'
        if os.path.exists(row):
            text = [line.rstrip('\n').strip() for line in lines_of(row)]
            for i, line in enumerate(text):
                if line.startswith('LEVEL THREAD SIZE'):
                    for k, name in enumerate(text[i + 1:i + 1 + int(line.split()[3])]):
                        if k < len(self.threads) and name:
                            self.names[self.threads[k]] = name
        self.find_habits()

    def header(self, line):
        rest = line[line.index('):') + 2:]
        end, rest = rest.split(':', 1)
        number, _, unit = end.partition('_')
        self.end, self.unit = int(number), {'ns': 1, 'us': 1000, '': 1000, 'ms': 1000000, 's': 10**9}[unit]
        for a, application in enumerate(re.findall(r'(?<=[:,])\d+\(([\d:,]*)\)', rest.split(':', 1)[1] if '(' in rest.split(':')[0]
                                                   else rest)):
            for t, task in enumerate(filter(None, application.split(','))):
                for n in range(int(task.split(':')[0])):
                    self.threads.append((a + 1, t + 1, n + 1))

    def find_habits(self):
        """Types of which one 0 ends all that is open: never does a 0 follow upon a 0, though value follows upon value."""
        last, ends, outer, inside = {}, defaultdict(int), defaultdict(int), defaultdict(int)
        for r in self.records:
            if r[0] == 2:
                for t, v in zip(r[6::2], r[7::2]):
                    key, now = (tuple(r[2:5]), t), v != 0
                    if key in last:
                        ends[t] += last[key] and not now
                        outer[t] += not last[key] and not now
                        inside[t] += last[key] and now
                    last[key] = now
        self.ended, self.seen = {t for t in ends if ends[t]}, {key[1] for key in last}
        self.replaces = {t for t in inside if inside[t] and not outer[t] and inside[t] >= ends[t] // 2}

    def label(self, t):
        return self.labels.get(t) or GROUPS.get(t) or f'Type {t}'

    def meaning(self, t):
        if any(low <= t < high for low, high in PLACES):
            return 'mark'
        if t in self.labels and t not in GROUPS:
            named = self.values.get(t)
            return ('variable' if named is None else 'call' if 0 in named and len(named) > 1 else
                    'call' if 0 not in named and t in self.ended else 'mark')
        return 'call' if 50000001 <= t <= 50000003 or 60000001 <= t <= 60000099 else 'variable'

    def call(self, t, v):
        named = self.values.get(t) or {}
        name = named.get(v)
        if not name and t in GROUPS and 1 <= v <= len(CALLS):
            return 'MPI_' + CALLS[v - 1]
        if not name:
            return f'{self.label(t)} {v}'
        return self.label(t) if name == 'Begin' and len(named) <= 1 + (0 in named) else name

    def thread(self, key):
        return self.names.get(key, 'THREAD %d.%d.%d' % key)

    def at(self, instant=None):
        return Model(self, instant)


class Model:
    """All that happens until an instant, in nanoseconds."""

    def __init__(self, trace, instant):
        happening, order = [], 0
        has_states = any(r[0] == 1 for r in trace.records)
        has_calls = not trace.described or any(trace.meaning(t) == 'call' for t in {*trace.labels, *trace.seen})
        apart = has_states and has_calls
        for r in trace.records:
            who = trace.thread(tuple(r[2:5]))
            if r[0] == 1:
                order += 2
                happening.append((r[5], order, 'begin', who, (order, trace.states.get(r[7], f'State {r[7]}'))))
                if r[6] >= 0:
                    happening.append((r[6], order + 1, 'end', who, order))
            elif r[0] == 2:
                for t, v in zip(r[6::2], r[7::2]):
                    order += 2
                    meaning = trace.meaning(t)
                    lane = who + ' · calls' if apart else who
                    if meaning == 'variable':
                        happening.append((r[5], order, 'set', who, (trace.label(t), v)))
                    elif meaning == 'call':
                        happening.append((r[5], order, 'call', lane, (t, v, trace.call(t, v) if v else None)))
            elif r[0] == 3:
                order += 2
                to = trace.thread(tuple(r[8:11]))
                happening.append((r[5], order, 'send', who, (to, r[13])))
                happening.append((r[12], order + 1, 'receive', to, (who, r[13])))
        self.stack, self.variables = defaultdict(list), defaultdict(dict)
        self.sent, self.received, self.links = defaultdict(int), defaultdict(int), defaultdict(lambda: [0, 0, 0])
        open_calls = defaultdict(list)
        happening.sort(key=lambda h: h[:2])
        # what a call ends is found in the order of the file
        ends = {}
        for date, o, what, who, arg in sorted(happening, key=lambda h: h[1]):
            if what == 'call':
                t, v, _ = arg
                for k in reversed(range(len(open_calls[who, t]))) if v == 0 or t in trace.replaces else ():
                    if open_calls[who, t][k][0] <= date:
                        ends[o] = open_calls[who, t].pop(k)[1]
                        break
                if v:
                    open_calls[who, t].append((date, o))
        self.count = len(happening) + sum(what == 'call' and arg[1] != 0 and o in ends for _, o, what, _, arg in happening)
        for date, o, what, who, arg in happening:
            if instant is not None and date * trace.unit > instant:
                break
            if what == 'call' and not arg[1] and o not in ends:     # of no call that is known: nothing changes
                continue
            stack = self.stack[who]
            if what == 'begin':
                stack.append(arg)
            elif what == 'end':
                stack[:] = [f for f in stack if f[0] != arg]
            elif what == 'call':
                stack[:] = [f for f in stack if f[0] != ends.get(o)]
                if arg[1]:
                    stack.append((o, arg[2]))
            elif what == 'set':
                self.variables[who][arg[0]] = arg[1]
            elif what == 'send':
                self.sent[who] += 1
                self.links[who, arg[0]][0] += arg[1]
            elif what == 'receive':
                self.received[who] += 1
                link = self.links[arg[0], who]
                link[0] -= arg[1]
                link[1] += arg[1]
                link[2] += 1

    def state(self, task):
        stack = self.stack.get(task)
        return None if stack is None else stack[-1][1] if stack else 'No state'
