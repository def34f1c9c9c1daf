# SPDX-License-Identifier: Apache-2.0
"""Odd executions, as bundles of raw files: many things at one date, calls without duration, calls inside calls, deaths
of all kinds, groups that change inside calls, receives that end before their send, and what no program could do."""
import os

from trace import kinds_of

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
        to = self.rand.sample(self.tasks, self.upto(len(self.tasks) + 1))
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
