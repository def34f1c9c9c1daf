# SPDX-License-Identifier: Apache-2.0
"""The logs of MPE once more, in Python and from the raw file alone: ALOG, CLOG, CLOG-2 and SLOG-2, what each process is inside of at
any instant and what it has sent."""
import json
import math
import os
import struct
from collections import Counter, defaultdict

OWN = {'Computing', 'Unseen', 'Dead', 'No state'}


class Model:
    """`events`: (date in ns, task, number) of those that begin and end states, or are noted; `messages`: (date, sends, task,
    partner, bytes); `states`: start -> (end, name).  Or `intervals`, as they are drawn: (begin, end, task, name)."""

    def __init__(self, events=(), messages=(), states=None, intervals=None):
        self.messages, self.marks, self.kinds = list(messages), 0, Counter()
        self.intervals, self.states = list(intervals or ()), states or {}
        ends = {}
        for start, (end, _) in (states or {}).items():
            ends.setdefault(end, start)
        waiting = defaultdict(list)
        for date, task, number in events:
            if number in (states or {}):
                waiting[task, number].append(date)
            elif number in ends and waiting[task, ends[number]]:
                begin = waiting[task, ends[number]].pop()
                self.intervals.append((begin, max(begin, date), task, states[ends[number]][1]))
            else:
                self.marks += 1
        for (task, number), dates in waiting.items():
            self.intervals += [(date, None, task, states[number][1]) for date in dates]
        for interval in self.intervals:
            self.kinds[interval[3]] += 1
        dates = [d for b, e, _, _ in self.intervals for d in (b, e) if d is not None] + [m[0] for m in self.messages]
        self.first, self.last = (min(dates), max(dates)) if dates else (0, 0)

    def state(self, task, at):
        inside = [(b, -(1 << 62) if e is None else -(e - b), i, name) for i, (b, e, who, name) in enumerate(self.intervals)
                  if who == task and b <= at and (e is None or e > at)]
        name = max(inside)[3] if inside else 'Computing'
        return (name + ' (call)' if inside and name in OWN else name), len(inside)

    def sums(self):
        total = Counter()
        for b, e, _, name in self.intervals:
            total[name] += (e - b) / 1e9 if e is not None else 0
        return total


def compare(test, path, model, dates):
    """What Scope shows at some dates is what the model has; gives how many numbers were compared."""
    n = 0
    for at in dates:
        sign = '-' if at < 0 else ''
        state = test.state(path, f'{sign}{abs(at) // 10**9}.{abs(at) % 10**9:09}')
        sent, received, links = Counter(), Counter(), Counter()
        for date, sends, task, partner, _ in model.messages:
            if date <= at and partner is not None:
                if sends:
                    sent[task] += 1
                else:
                    received[task] += 1
                    links[partner, task] += 1
        for node in state['nodes']:
            task = node['id']
            name, depth = model.state(task, at)
            if node['State'] != 'Unseen':
                test.assertEqual((node['State'], int(node['Depth'])), (name, depth), (path, at, task))
            test.assertEqual((int(node['Sent']), int(node['Received'])), (sent[task], received[task]), (path, at, task))
            n += 4
        for edge in state['edges']:
            test.assertEqual(int(edge['Messages']), links[edge['from'], edge['to']], (path, at, edge['id']))
            n += 1
        test.assertEqual({(e['from'], e['to']) for e in state['edges'] if e['Messages'] != '0'}, set(links), (path, at))
    return n


def compare_counts(test, path, model, marks=None):
    info = test.info(path)
    kinds = Counter()
    for k in info['kinds']:
        if k['category'] == 'state':
            kinds[k['name']] += k['begun']
    test.assertEqual(kinds, +model.kinds, path)
    test.assertEqual(sum(k['begun'] for k in info['kinds'] if k['category'] == 'event'), model.marks if marks is None else marks, path)
    sends = sum(m[1] for m in model.messages)
    for name, count in (('Send', sends), ('Receive', len(model.messages) - sends)):
        test.assertEqual(sum(k['begun'] for k in info['kinds'] if k['name'] == name), count, (path, name))
    total = Counter()
    for line in test.scope('events', path, '--json')[0].splitlines():
        e = json.loads(line)
        if e.get('end'):
            total[e['kind']] += e['duration']
    for name, seconds in model.sums().items():
        test.assertAlmostEqual(total[name], seconds, delta=1e-6 * max(1, seconds), msg=(path, name))
    return info, total


def expected_of(folder):
    with open(os.path.join(folder, 'expected.jsonl')) as lines:
        for line in map(json.loads, lines):
            yield os.path.join(folder, os.path.basename(line['path'])), line


def process(rank, thread=0):
    return f'process {rank}' + (f' thread {thread}' if thread else '')


def partner(rank):
    return process(rank) if rank >= 0 else None


# ---- ALOG ------------------------------------------------------------------------------------------------------------------

def alog(path):
    events, messages, states, head, rollover = [], [], {}, {}, 0
    with open(path, encoding='utf-8', errors='replace') as lines:
        split = [line.split(None, 6) for line in lines if line.strip()]
    for words in split:
        if int(words[0]) == -11:
            rollover = int(words[5])
        elif int(words[0]) == -13:
            name = words[6].strip().split(None, 1)
            states.setdefault(int(words[2]), (int(words[3]), name[-1].strip()))
        elif -9 < int(words[0]) < 0:
            head[int(words[0])] = int(words[3])
    for words in split:
        kind, proc, task, data, cycle, date = map(int, words[:6])
        ns = (date + cycle * rollover) * 1000
        who = process(proc, 0 if task == proc else task)
        if kind >= 0:
            events.append((ns, who, kind))
        elif kind in (-101, -102):
            messages.append((ns, kind == -101, who, partner(data), int(words[6].split()[1])))
    return Model(events, messages, states), head


# ---- CLOG and CLOG-2 --------------------------------------------------------------------------------------------------------

def ns(seconds):
    return int(math.copysign(math.floor(abs(seconds * 1e9) + .5), seconds))     # halves away from 0, as llround ()


def words(data):
    return data.split(b'\0')[0].decode('utf-8', errors='replace')


def clog(path, block):
    with open(path, 'rb') as f:
        data = f.read()
    size = {1: 32, 2: 24, 3: 24, 4: 16, 5: 24, 6: 56, 7: 48, 8: 8}
    at, records, found, states = 0, Counter(), [], {}
    while True:
        date, kind, _, proc, _ = struct.unpack_from('>diiii', data, at)
        records[str(kind)] += 1
        if kind == -2:
            break
        if kind == -1:
            at = (at // block + 1) * block
            continue
        body = data[at + 24:at + 24 + size[kind]]
        at += 24 + size[kind]
        if kind == 6:
            _, start, end = struct.unpack_from('>iii', body)
            states.setdefault(start, (end, words(body[40:56]) or f'state {start}'))
        elif kind in (1, 2, 3):
            found.append((ns(date), proc, kind, body))
    events, messages = [], []
    for date, proc, kind, body in found:
        number, data = struct.unpack_from('>ii', body)
        if kind == 1 and number in (-101, -102):
            messages.append((date, number == -101, process(proc), partner(data), int(words(body[16:32]).split()[1])))
        elif kind == 2 and number in (-101, -102):
            messages.append((date, number == -101, process(proc), partner(struct.unpack_from('>i', body, 8)[0]),
                             struct.unpack_from('>i', body, 16)[0]))
        else:
            events.append((date, process(proc), number))
    return Model(events, messages, states), records


def clog2(path):
    with open(path, 'rb') as f:
        data = f.read()
    size = {2: 112, 3: 104, 4: 40, 5: 8, 6: 40, 7: 24, 8: 16, 9: 48, 10: 48, 11: 8}
    names = {0: 'end', 1: 'block', 2: 'sdef', 3: 'edef', 4: 'cdef', 5: 'bare', 6: 'cago', 7: 'msg', 8: 'coll', 9: 'comm', 10: 'srcl', 11: 'shft'}
    preamble = data[:1024].split(b'\0')
    block = int(preamble[preamble.index(b'block_size=') + 1])
    at, records, found, states, ranks = 1024, Counter(), [], {}, {}
    while True:
        date, comm, rank, thread, kind = struct.unpack_from('>diiii', data, at)
        records[names[kind]] += 1
        if kind == 0:
            break
        if kind == 1:
            at = ((at - 1024) // block + 1) * block + 1024
            continue
        body = data[at + 24:at + 24 + size[kind]]
        at += 24 + size[kind]
        if kind == 2:
            _, start, end = struct.unpack_from('>iii', body)
            states.setdefault(start, (end, words(body[40:72])))
        elif kind == 9:
            _, c, r, w = struct.unpack_from('>iiii', body)
            ranks[c, r] = w
        elif kind in (5, 6, 7, 8):
            found.append((ns(date), comm, rank, thread, kind, body))
    events, messages = [], []
    for date, comm, rank, thread, kind, body in found:
        who = process(ranks.get((comm, rank), rank), thread)
        if kind == 7:
            number, c, r, _, n = struct.unpack_from('>iiiii', body)
            messages.append((date, number == -101, who, partner(ranks.get((c, r), r)), n))
        else:
            events.append((date, who, struct.unpack_from('>i', body)[0]))
    model = Model(events, messages, states)
    model.communicators = {comm: {process(w, 0) for (c, _), w in ranks.items() if c == comm} for comm, _ in ranks}
    model.states, open_, model.calls = states, defaultdict(list), []    # who, of which communicator, in which call, from, to
    ends = {end: start for start, (end, _) in states.items()}
    for date, comm, rank, thread, kind, body in found:
        number, who = struct.unpack_from('>i', body)[0], process(ranks.get((comm, rank), rank), thread)
        if kind != 7 and number in states:
            open_[who, number].append((date, comm))
        elif kind != 7 and open_[who, ends.get(number)]:
            begin, comm = open_[who, ends[number]].pop()
            model.calls.append((who, comm, states[ends[number]][1], begin, date))
    return model, records


# ---- SLOG-2 ------------------------------------------------------------------------------------------------------------------

class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, form):
        out = struct.unpack_from('>' + form, self.data, self.at)
        self.at += struct.calcsize('>' + form)
        return out if len(out) > 1 else out[0]

    def words(self):
        n = self.take('h')
        self.at += n
        return self.data[self.at - n:self.at].decode('utf-8', errors='replace')


class Slog:
    """All that is drawn: (category, [(date, line)], values)."""

    def __init__(self, path):
        with open(path, 'rb') as f:
            data = f.read()
        r = Reader(data)
        assert r.words() == 'SLOG 2.0.6'
        r.take('hihi')
        pointers = [r.take('qi') for _ in range(7)]
        self.categories, self.drawables, self.names = {}, [], {}
        at = Reader(data, pointers[0][0])
        for _ in range(at.take('i')):
            index, name, topology = at.take('i'), at.words(), at.take('i')
            at.take('i?b')
            keys = [at.words() for _ in range(at.take('h'))]
            types = [chr(at.take('b')) for _ in range(at.take('h'))]
            for _ in range(at.take('h')):
                at.take('i')
            at.take('ffq')
            self.categories[index] = name, topology, keys, types
        at = Reader(data, pointers[2][0])
        at.take('i')
        at.words()
        columns = [at.words() for _ in range(at.take('i'))]
        for _ in range(at.take('i')):
            line = at.take('i')
            self.names[line] = ' '.join(f"{ {'world_rank': 'process', 'LineID': 'line'}.get(c, c)} {at.take('i')}" for c in columns)
        at = Reader(data, pointers[4][0])
        nodes = [at.take('hiddqi')[4:] for _ in range(at.take('i'))]
        for place, n in sorted(nodes):
            if n:
                at = Reader(data, place)
                at.take('ddhiqi')
                for _ in range(2):
                    for _ in range(at.take('i')):
                        self.drawable(at, at.take('b'))

    def drawable(self, r, composite):
        index, n = r.take('ih')
        values = r.data[r.at:r.at + n]
        r.at += n
        if composite:
            for _ in range(r.take('h')):
                self.drawable(r, 0)
            return
        self.drawables.append((index, [r.take('di') for _ in range(r.take('h'))], values))

    def model(self):
        messages, intervals, marks = [], [], 0
        for index, v, values in self.drawables:
            name, topology, _, types = self.categories[index]
            (b, first), (e, last) = v[0], v[-1]
            if topology == 1:
                intervals.append((ns(min(b, e)), ns(max(b, e)), self.names[first], name))
            elif topology == 2:
                size = struct.unpack_from('>i', values, 4)[0] if len(values) == 8 else 0
                messages += [(ns(b), True, self.names[first], self.names[last], size), (ns(e), False, self.names[last], self.names[first], size)]
            else:
                marks += 1
        m = Model(messages=messages, intervals=intervals)
        m.marks = marks
        return m
