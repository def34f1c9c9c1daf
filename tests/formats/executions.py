# SPDX-License-Identifier: Apache-2.0
"""Executions that never were, and the archives that tests/formats/otf2-script.c makes of them: what ranks do, with the
dates that a run of it could have."""
import random
import subprocess

OPS = {'Barrier': 0, 'Bcast': 1, 'Gather': 2, 'Allreduce': 11, 'Reduce': 12, 'Scan': 14, 'Exscan': 15}


class Execution:
    """Ranks compute, send to each other and act together; each step moves the clocks of those who take part."""

    def __init__(self, ranks, seed=0, start=1000):
        self.ranks, self.any = ranks, random.Random(seed)
        self.now = [start] * ranks
        self.records = [[] for _ in range(ranks)]   # by rank: (date, words)
        self.head = [f'ranks {ranks}']
        for r in range(ranks):
            self.put(r, 'enter main')

    def put(self, r, words, after=0):
        self.now[r] += after
        self.records[r].append((self.now[r], words))

    def compute(self, r, ticks, region='work'):
        self.put(r, f'enter {region}', 1)
        self.put(r, f'leave {region}', ticks)

    def message(self, s, r, tag=0, latency=7, blocking=False, size=8):
        self.put(s, 'enter MPI_Send', 1)
        entered = self.now[s]
        self.put(r, 'enter MPI_Recv', 1)
        posted = self.now[r]
        self.put(s, f'send {r} 0 {tag} {size}', 1)
        self.now[s] = max(self.now[s], posted if blocking else 0) + 2
        self.put(s, 'leave MPI_Send')
        self.now[r] = max(posted, entered + 1) + latency
        self.put(r, f'recv {s} 0 {tag} {size}')
        self.put(r, 'leave MPI_Recv', 1)

    def together(self, op, root=-1, members=None, comm=0):
        members = range(self.ranks) if members is None else members
        for r in members:
            self.put(r, f'enter MPI_{op}', 1)
            self.put(r, 'begin', 1)
        came = {r: self.now[r] for r in members}
        for r in members:
            until = (max(came.values()) if op in ('Barrier', 'Allreduce') else came[root] if op == 'Bcast' else
                     max(came.values()) if r == root else max((came[m] for m in members if m < r), default=0) if op == 'Scan' else 0)
            self.now[r] = max(self.now[r], until) + self.any.randrange(2, 6)
            self.put(r, f'end {OPS[op]} {comm} {root}')
            self.put(r, f'leave MPI_{op}', 1)

    def finish(self):
        for r in range(self.ranks):
            self.put(r, 'leave main', 1)

    def step(self):
        """Something, at random."""
        what = self.any.randrange(10)
        if what < 4:
            s, r = self.any.sample(range(self.ranks), 2)
            self.compute(self.any.choice((s, r)), self.any.randrange(1, 2000), self.any.choice(('work', 'other')))
            self.message(s, r, self.any.randrange(2), self.any.randrange(3, 60), self.any.random() < 0.5)
        elif what < 7:
            self.compute(self.any.randrange(self.ranks), self.any.randrange(1, 3000), self.any.choice(('work', 'other')))
        else:
            op = self.any.choice(('Barrier', 'Allreduce', 'Bcast', 'Reduce', 'Scan'))
            self.together(op, self.any.randrange(self.ranks) if op in ('Bcast', 'Reduce') else -1)

    def write(self, writer, path, clock=lambda r, date: date):
        lines = list(self.head)
        for r, records in enumerate(self.records):
            lines += [f'{r} {clock(r, date)} {words}' for date, words in records]
        subprocess.run([writer, path], input='\n'.join(lines) + '\n', text=True, check=True)
        return path
