# SPDX-License-Identifier: Apache-2.0
"""Odd executions, as bundles of raw files: many things at one date, calls without duration, calls inside calls, deaths
of all kinds, groups that change inside calls, receives that end before their send, and what no program could do."""
import os
import struct

from raw import kinds_of

FIRST_TASK = 262146


def numbers_of(folder):
    return {name: (number, roles) for number, (name, _, _, roles) in kinds_of(folder).items()}


class PvmMaker:
    """Lines of a TAPE/PVM file; the fields that matter are given by name, the others are 0, nobody or empty."""

    def __init__(self, rand, tasks, groups):
        self.rand, self.kinds, self.lines = rand, numbers_of('tapepvm'), []
        self.tasks = [FIRST_TASK + i for i in range(tasks)]
        self.groups = [f'g{i}' for i in range(groups)]
        self.free = {t: 0 for t in self.tasks}  # a task receives one message after the other
        self.inside = {g: [] for g in self.groups}
        self.born = {}  # dates of those that enroll
        self.step = rand.choice([1, 3, 40])  # small: nearly all at the same dates

    def line(self, kind, date, task, duration, **fields):
        number, roles = self.kinds[kind]
        words = [number, date, task, duration, 0]
        for name, role in roles:
            value = fields.get(name, -1 if role in ('peer', 'task') else [] if role in ('peers', 'tasks') else
                               '-' if role in ('word', 'group') else 0)
            words += [len(value), *value] if isinstance(value, list) else [value]
        self.lines.append(' '.join(map(str, words)))

    def upto(self, n):
        return self.rand.randrange(n)

    def one_in(self, n):
        return self.upto(n) == 0

    def span(self, task):
        """When a call begins and how long it takes."""
        return self.free[task] + self.upto(self.step + 1), self.rand.choice([0, 0, 1, self.upto(self.step + 1)])

    def other(self, task):
        return self.rand.choice([t for t in self.tasks if t != task])

    def receive(self, origin, task, sent, tag, size):
        kind = self.rand.choice(['Recv', 'Recv', 'PRecv', 'TRecv', 'NRecv'])
        begin = self.free[task] + self.upto(self.step + 1)
        end = max(begin, sent + 1) + self.upto(self.step + 1)
        self.free[task] = end
        self.line(kind, begin, task, -1 if self.one_in(40) else end - begin, asked_from=self.rand.choice([-1, origin]),
                  asked_tag=tag, tag=tag, bytes=size, result=0 if kind == 'PRecv' else 1, **{'from': origin})

    def message(self):
        task = self.rand.choice(self.tasks)
        to, tag, size = self.other(task), self.upto(3), self.rand.choice([0, 4, 4, 10, 1000])
        begin, duration = self.span(task)
        self.free[task] = begin + duration
        self.line(self.rand.choice(['Send', 'Send', 'PSend']), begin, task, -1 if self.one_in(40) else duration, to=to,
                  tag=tag, bytes=size, result=-2 if self.one_in(15) else 0)
        for _ in range(self.rand.choice([0, 1, 1, 1, 1, 2 if self.one_in(5) else 1])):
            self.receive(task, to, begin, tag, size)

    def to_many(self):
        task, tag = self.rand.choice(self.tasks), self.upto(3)
        begin, duration = self.span(task)
        duration += self.upto(3 * self.step)  # others come and go meanwhile
        group = self.rand.choice(self.groups)
        to = self.rand.sample(self.tasks, self.upto(len(self.tasks) + 1))  # its own sender may be among them
        self.free[task] = begin + duration
        result = -1 if self.one_in(15) else 0
        if self.one_in(2):
            self.line('Mcast', begin, task, duration, to=to, tag=tag, bytes=5, result=result)
        else:
            to = list(self.inside[group])
            self.line('Bcast', begin, task, duration, group=group, tag=tag, bytes=5, result=result)
        for other in to:
            if other != task and not self.one_in(4):
                self.receive(task, other, begin, tag, 5)
            if self.one_in(4):
                self.change_group(other, begin + self.upto(duration + 1), group)

    def collective(self):
        kind, group = self.rand.choice(['Scatter', 'Gather', 'Reduce']), self.rand.choice(self.groups)
        root = self.rand.choice(self.inside[group] or self.tasks)
        begins = {t: self.free[t] + self.upto(self.step + 1) for t in set(self.inside[group]) | {root}}
        for task, begin in begins.items():
            waits = (task == root) != (kind == 'Scatter')
            until = max(begin, (begins[root] if kind == 'Scatter' else max(begins.values())) + 1) if waits else begin
            end = until + self.upto(self.step + 1)
            if self.one_in(15):
                continue
            self.free[task] = end
            self.line(kind, begin, task, -1 if self.one_in(30) else end - begin, group=group, root=root, tag=1, bytes=8,
                      result=-1 if self.one_in(15) else 0)

    def change_group(self, task, begin, group):
        joins = task not in self.inside[group]
        if self.one_in(10):
            joins = not joins  # twice, or without having been in it
        failed = self.one_in(10)
        self.line('JoinGroup' if joins else 'LvGroup', begin, task, self.upto(3), group=group, result=-1 if failed else 0)
        if not failed and joins != (task in self.inside[group]):
            (self.inside[group].append if joins else self.inside[group].remove)(task)

    def alone(self):
        task = self.rand.choice(self.tasks)
        begin, duration = self.span(task)
        if not self.one_in(3):
            self.free[task] = begin + duration  # else inside, or beside, another call
        kind = self.rand.choice(['PkInt', 'UpkInt', 'Spawn', 'Barrier', 'GetTid', 'Group', 'Group', 'TRecv', 'NRecv', 'User',
                                 'Phase', 'Phase', 'notice'])
        if kind == 'Group':
            self.change_group(task, begin, self.rand.choice(self.groups))
        elif kind == 'Phase':
            self.line(kind, begin, task, -1 if self.one_in(20) else duration + self.upto(4 * self.step),
                      name=self.rand.choice(['solve', 'a%20b', '-']), value=1)
        elif kind in ('TRecv', 'NRecv'):
            self.free[task] = begin + duration
            self.line(kind, begin, task, duration, asked_from=self.rand.choice([-1, self.other(task)]), asked_tag=1, tag=-1,
                      result=self.rand.choice([0, 0, -7]))
        elif kind == 'notice':
            self.free[task] = begin + duration
            self.line('Recv', begin, task, duration, asked_from=-1, asked_tag=1, tag=1, bytes=4, result=1,
                      **{'from': 2147483648 + self.upto(3)})
        elif kind == 'Barrier':
            self.line(kind, begin, task, -1 if self.one_in(20) else duration, group=self.rand.choice(self.groups), count=2)
        elif kind == 'User':
            self.line(kind, begin, task, 0, name='n', value=3)
        else:
            self.line(kind, begin, task, -1 if self.one_in(20) else duration, result=0)

    def death(self):
        """In good order or killed, between two calls or inside one; now and then its deeds go on, or it lives again."""
        task = self.rand.choice(self.tasks)
        date = max(self.free[task] + self.rand.choice([0, 1, -self.step]), self.born.get(task, 0))
        self.line('Exit', date, task, 0, result=self.rand.choice([0, -1, -1]))
        if self.one_in(3):
            self.line('User', date + self.upto(3), task, 0, name='n', value=3)
        if self.one_in(5) and task in self.born:
            self.free[task] = date + self.step
            self.line('Enroll', self.free[task], task, 0, host='h2', arch='A', speed=1, parent=-1, program='again')

    def make(self, actions):
        for i, task in enumerate(self.tasks):
            self.free[task] = 0 if self.one_in(2) else self.upto(4 * self.step)
            if not self.one_in(12):
                self.born[task] = self.free[task]
                self.line('Enroll', self.free[task], task, 0, host=f'h{i % 2}', arch='A', speed=1, parent=-1, program='p%20q')
            if self.one_in(2):
                self.change_group(task, self.free[task], self.rand.choice(self.groups))
        for _ in range(actions):
            self.rand.choice([self.message] * 6 + [self.to_many] * 2 + [self.collective] + [self.alone] * 4)()
            if self.one_in(2 * actions // len(self.tasks)):
                self.death()
        return self


def write_pvm(path, rand, tasks=5, groups=2, actions=60):
    """Makes the bundle `path`."""
    name = os.path.basename(path)[:-len('.trace')]
    os.makedirs(os.path.join(path, name + '.tapepvm'))
    maker = PvmMaker(rand, tasks, groups).make(actions)
    with open(os.path.join(path, name + '.tapepvm', 'events'), 'w') as f:
        f.write('#TAPE/PVM 1\n' + '\n'.join(maker.lines) + '\n')
    with open(os.path.join(path, 'nicknames'), 'w') as f:
        f.write(f't{FIRST_TASK:x} the first\n')
    return path


def write_wide(path, rand, tasks, rounds=10, messages=None):
    """Makes the bundle `path`: all enroll at the beginning; in each round some tasks send to one that is a power of two of
    places further, which waits for it.  Quick, for any number of tasks."""
    kinds, out, now = numbers_of('tapepvm'), [], [10**6] * tasks

    def line(kind, date, task, duration, **fields):
        number, roles = kinds[kind]
        words = [fields.get(name, -1 if role in ('peer', 'task') else '-' if role in ('word', 'group') else 0) for name, role in roles]
        out.append((date, ' '.join(map(str, [number, date, FIRST_TASK + task, duration, 0, *words]))))

    for i in range(tasks):
        line('Enroll', i // 1000, i, 0, host=f'node{i * 64 // max(tasks, 64)}', arch='A', speed=1, parent=FIRST_TASK if i else -1, program='wide')
    for k in range(rounds):
        base = 10**6 + k * 10**7
        for _ in range(messages or max(tasks // 2, 200)):
            a = rand.randrange(tasks)
            b = (a ^ 1 << rand.randrange((tasks - 1).bit_length())) % tasks
            if a == b:
                continue
            sent, busy = max(now[a], base) + rand.randrange(3 * 10**6), rand.randrange(10**4, 10**5)
            line('Send', sent, a, busy, to=FIRST_TASK + b, tag=k, bytes=1 << rand.randrange(16), result=0)
            now[a] = sent + busy
            begin = max(now[b], base) + rand.randrange(10**6)
            now[b] = max(sent + busy, begin) + rand.randrange(10**5) + 1
            line('Recv', begin, b, now[b] - begin, asked_from=FIRST_TASK + a, asked_tag=k, tag=k, bytes=4, result=1, **{'from': FIRST_TASK + a})
    end = max(now) + 10**6
    for i in range(tasks):
        line('Exit', end + i // 1000, i, 0)
    out.sort()
    name = os.path.basename(path)[:-len('.trace')]
    os.makedirs(os.path.join(path, name + '.tapepvm'))
    with open(os.path.join(path, name + '.tapepvm', 'events'), 'w') as f:
        f.write('#TAPE/PVM 1\n')
        f.writelines(text + '\n' for _, text in out)
    return path


# ---- TAPE ------------------------------------------------------------------------------------------------------------

HEAD, BLOCK, EVENT = '<8sIIQqqQQQ', '<IIIIIIqqQQQ', '<HHBBHqqIHH'
CALLS = {'Send': 'EndSend', 'TSend': 'EndSend', 'Receive': 'EndReceive', 'TReceive': 'EndReceive', 'Alt': 'EndAlt',
         'NAlt': 'EndAlt', 'Wait': 'EndWait', 'SemP': 'SemG'}


class Thread:
    def __init__(self, task, number):
        self.task, self.number, self.call = task, number, None


class Call:
    """What a thread is inside of; `meeting`: [number, size, sides that go on], once it has met somebody."""

    def __init__(self, event, link, sends):
        self.event, self.link, self.sends, self.meeting = event, link, sends, None


class TapeMaker:
    """Plays a program of communicating threads: who meets whom is drawn, so that it is often not who has waited longest.
    Some events are then left out, as when not all types were chosen."""

    def __init__(self, rand, tasks):
        self.rand, self.kinds, self.date = rand, numbers_of('tape'), rand.choice([0, 5])
        self.step = rand.choice([1, 2, 50])
        self.missing = rand.choice([0, 0, 30])  # one event of so many
        self.events = [[] for _ in range(tasks)]
        self.threads = [Thread(t, n) for t in range(tasks) for n in range(rand.choice([1, 1, 2, 4]))]
        ends = [(a, b) for a in range(tasks) for b in range(tasks) if a != b]
        self.links = [rand.choice(ends) for _ in range(rand.choice([1, 2, 2 * tasks]))]
        self.met = [0] * len(self.links)
        self.alive = [True] * tasks

    def one_in(self, n):
        return self.rand.randrange(n) == 0

    def event(self, task, thread, kind, values, items=(), ended=0):
        e = {'task': task, 'thread': thread, 'kind': kind, 'date': self.date, 'values': values, 'items': items,
             'ended': ended, 'duration': -1 if kind in CALLS else 0}
        if not (self.missing and self.one_in(self.missing)):
            self.events[task].append(e)
        return e

    def end(self, thread, kind, values):
        begin = thread.call.event
        begin['duration'] = self.date - begin['date']
        self.event(thread.task, thread.number, kind, values, ended=self.kinds[begin['kind']][0])['duration'] = begin['duration']
        thread.call = None

    def waiting(self, link, sends):
        return [t for t in self.threads if t.call and t.call.link == link and t.call.sends == sends and not t.call.meeting]

    def begin(self, thread):
        links = [n for n, (a, b) in enumerate(self.links) if thread.task in (a, b)]
        kind = self.rand.choice(['Send', 'Send', 'TSend', 'Receive', 'Receive', 'TReceive', 'Alt', 'NAlt', 'Wait', 'SemP'])
        if kind in ('Alt', 'NAlt'):
            items = [n for n, (_, b) in enumerate(self.links) if (b == thread.task and self.one_in(2)) or self.one_in(60)]
            thread.call = Call(self.event(thread.task, thread.number, kind, [len(items)], items), None, False)
        elif kind in ('Wait', 'SemP'):
            thread.call = Call(self.event(thread.task, thread.number, kind, [3]), None, False)
        elif links:
            sends, link = 'Send' in kind, self.rand.choice(links)
            if self.links[link][0 if sends else 1] != thread.task:
                return
            size = self.rand.choice([0, 1, 8, 1000])
            values = [link, size if sends else 4096] + ([7] if kind[0] == 'T' else [])
            thread.call = Call(self.event(thread.task, thread.number, kind, values), link, sends)
            thread.call.size = size

    def meet(self, link):
        """Any sender and any receiver that wait."""
        senders, receivers = self.waiting(link, True), self.waiting(link, False)
        if senders and receivers:
            send, receive = self.rand.choice(senders), self.rand.choice(receivers)
            self.met[link] += 1
            size = send.call.size if not self.one_in(20) else send.call.size // 2  # longer than the room
            send.call.meeting = receive.call.meeting = [self.met[link], size, {send, receive}]

    def go_on(self, thread):
        """Its call ends, if it can."""
        call = thread.call
        kind = call.event['kind']
        if call.link is None:
            senders = [n for n in call.event['items'] if self.waiting(n, True) and self.links[n][1] == thread.task] if kind in ('Alt', 'NAlt') else []
            if kind == 'Alt' and not senders:
                return
            link = self.rand.choice(senders) if senders else -1
            values = {'EndAlt': [link, call.event['items'].index(link) if senders else -1], 'EndWait': [], 'SemG': [3, 0]}
            self.end(thread, CALLS[kind], values[CALLS[kind]])
            return
        a, b = self.links[call.link]
        if call.meeting:
            number, size, others = call.meeting
            others.discard(thread)
            dead = any(not self.alive[t.task] for t in others)
            result = -1 if dead else -2 if size != call.size and call.sends else 0
            self.end(thread, CALLS[kind], [call.link, size if not dead else size // 2, number, result])
        elif not self.alive[b if call.sends else a] and self.one_in(2):
            self.end(thread, CALLS[kind], [call.link, 0, 0, -1])
        elif kind[0] == 'T' and self.one_in(3):
            self.end(thread, 'Timeout', [call.link])

    def die(self, task):
        self.alive[task] = False
        self.event(task, 0, 'TskDth', [self.rand.choice([0, 7, -9, -11])])
        if self.one_in(8):
            self.event(task, 0, 'SemInit', [1, 1, 0])  # goes on all the same

    def make(self, actions):
        for task in range(len(self.events)):
            self.event(task, 0, 'TskBth', [100 + task])
        for _ in range(actions * 4):
            self.date += self.rand.choice([0, 0, 0, 1, self.step])
            alive = [t for t in self.threads if self.alive[t.task]]
            if not alive:
                break
            thread = self.rand.choice(alive)
            if self.one_in(2 * actions):
                self.die(thread.task)
            elif thread.call is None:
                self.begin(thread)
            elif self.one_in(200):
                self.begin(thread)  # without having ended
            else:
                self.go_on(thread)
            if not self.one_in(3):
                self.meet(self.rand.randrange(len(self.links)))
        return self

    def topology(self):
        tasks = range(len(self.events))
        lines = ['#TAPE 1', 'machine made', 'processor 0 left', 'processor 1 right', 'virtual 0 1', 'virtual 1 0']
        lines += [f'task {t} {t % 2} task{t} program' for t in tasks]
        lines += [f'thread {t.task} {t.number} thread{t.number}' for t in self.threads]
        lines += [f'link {n} {a} {b} link{n}' for n, (a, b) in enumerate(self.links)]
        return '\n'.join(lines) + '\n'

    def block(self, task, events, before):
        body, last = b'', 0
        for e in events:
            number, _ = self.kinds[e['kind']]
            words = struct.pack(f'<{len(e["values"]) + len(e["items"])}q', *e['values'], *e['items'])
            size = 32 + len(words)
            body += struct.pack(EVENT, size, last, number, e['ended'], 0, e['date'], e['duration'], task, e['thread'], 0) + words
            last = size
        n = 64 + len(body)
        return struct.pack(BLOCK, 0x4b4c4254, task, n, n, len(events), n - last, events[0]['date'], events[-1]['date'],
                           before, 0, 0) + body


def write_tape(path, rand, tasks=3, actions=60, maker=TapeMaker):
    """Makes the bundle `path`, without an index."""
    folder = os.path.join(path, os.path.basename(path)[:-len('.trace')] + '.tape')
    os.makedirs(folder)
    maker = maker(rand, tasks).make(actions)
    with open(os.path.join(folder, 'topology'), 'w') as f:
        f.write(maker.topology())
    with open(os.path.join(folder, 'events'), 'wb') as f:
        f.write(struct.pack(HEAD, b'TAPE evt', 0x01020304, 1, 77, 10**9, 0, 64, 0, 0))
        for task, events in enumerate(maker.events):
            cut = len(events) // 2
            for part, before in ((events[:cut], 0), (events[cut:], cut)):
                if part:
                    f.write(maker.block(task, part, before))
    return path
