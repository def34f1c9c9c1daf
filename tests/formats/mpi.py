# SPDX-License-Identifier: Apache-2.0
"""Programs of MPI that never were: communicators inside of each other, requests of every kind, windows, files, threads; and the archives that
tests/formats/otf2-script.c makes of them.  What is done comes in an order in which it could be done, at dates at which it could."""
import random
import subprocess
from collections import Counter

OPS = {'Barrier': 0, 'Bcast': 1, 'Gather': 2, 'Gatherv': 3, 'Scatter': 4, 'Scatterv': 5, 'Allgather': 6, 'Allgatherv': 7, 'Alltoall': 8, 'Alltoallv': 9,
       'Alltoallw': 10, 'Allreduce': 11, 'Reduce': 12, 'Reduce_scatter': 13, 'Scan': 14, 'Exscan': 15, 'Reduce_scatter_block': 16}
CREATE = 17
FROM_ROOT, TO_ROOT = ('Bcast', 'Scatter', 'Scatterv'), ('Reduce', 'Gather', 'Gatherv')
UP = ('Scan', 'Exscan')


class Program:
    def __init__(self, ranks, seed, steps, what=None):
        self.any = random.Random(seed)
        self.n = ranks
        self.now = [self.any.randrange(100, 900) for _ in range(ranks)]
        self.records = [[] for _ in range(ranks)]           # by location: (date, words)
        self.head, self.comms, self.inters = [f'ranks {ranks}'], {0: list(range(ranks))}, {}
        self.requests, self.open = Counter(), set()
        self.waits = Counter()          # of windows and teams: (kind, task, region) -> ticks, by their definitions
        self.done = Counter()           # how often each thing was done
        self.locks = {}
        self.files = 0
        for r in range(ranks):
            self.put(r, 'enter main')
        self.make_comms()
        kinds = what or (self.blocking, self.blocking, self.aside, self.aside, self.persistent, self.cancelled, self.tested, self.probed, self.both, self.some,
                         self.any_source, self.collective, self.collective, self.collective)
        for _ in range(steps):
            self.any.choice(kinds)()

    # ---- records ----------------------------------------------------------------------------------------------------

    def put(self, r, words, after=0):
        self.now[r] += after
        self.records[r].append((self.now[r], words))

    def soon(self):
        return self.any.randrange(1, 40)

    def call(self, r, name):
        self.put(r, f'enter MPI_{name}', self.soon())

    def end(self, r, name):
        self.put(r, f'leave MPI_{name}', self.soon())

    def compute(self, *ranks):
        for r in ranks:
            self.put(r, 'enter ' + self.any.choice(('solve', 'pack')), self.soon())
            words = self.records[r][-1][1].replace('enter', 'leave')
            self.put(r, words, self.any.randrange(1, self.any.choice((50, 2000))))

    def until(self, r, date):
        self.now[r] = max(self.now[r], date)

    def request(self, r):
        """The lowest that is free: numbers are used again."""
        n = next(n for n in range(1000) if (r, n) not in self.open)
        self.open.add((r, n))
        return n

    def free(self, r, n):
        self.open.discard((r, n))

    # ---- communicators -------------------------------------------------------------------------------------------------

    def new_comm(self, members, parent=None):
        c = len(self.comms) + len(self.inters)
        self.comms[c] = list(members)
        self.head.append(f'comm {c} ' + ' '.join(map(str, members)))
        return c

    def create(self, name, parent, members=None):
        """Making one is done by all of the parent together."""
        members = members or self.comms[parent]
        for r in members:
            self.call(r, name)
            self.put(r, 'begin', 1)
        until = max(self.now[r] for r in members)
        for r in members:
            self.until(r, until)
            self.put(r, f'end {CREATE} {parent} -1', self.soon())
            self.end(r, name)

    def make_comms(self):
        """Split, split again, the same once more, one that overlaps, one each for itself, between two."""
        self.create('Comm_split', 0)
        halves = [self.new_comm([r for r in range(self.n) if r % 2 == k][::(-1) ** k]) for k in range(2) if self.n > k]
        for half in halves:
            if len(self.comms[half]) > 2:
                self.create('Comm_split', half)
                middle = len(self.comms[half]) // 2
                self.new_comm(self.comms[half][:middle])
                self.new_comm(self.comms[half][middle:])
        self.create('Comm_dup', halves[0])
        self.new_comm(self.comms[halves[0]])
        if self.n > 2:
            self.create('Comm_create', 0)
            self.new_comm(list(range(1, self.n)))           # overlaps with both halves
        if len(halves) == 2:
            self.create('Intercomm_create', 0)
            c = len(self.comms) + len(self.inters)
            self.inters[c] = halves
            self.head.append(f'inter {c} {halves[0]} {halves[1]}')

    def pair(self):
        """Two ranks, the communicator, what each is called by the other, a tag."""
        if self.inters and self.any.random() < 0.15:
            c, (one, other) = self.any.choice(list(self.inters.items()))
            s, r = self.any.choice(self.comms[one]), self.any.choice(self.comms[other])
            return s, r, c, self.comms[other].index(r), self.comms[one].index(s), self.any.randrange(3)
        c = self.any.choice([c for c, m in self.comms.items() if len(m) > 1])
        s, r = self.any.sample(self.comms[c], 2)
        return s, r, c, self.comms[c].index(r), self.comms[c].index(s), self.any.randrange(3)

    # ---- messages -----------------------------------------------------------------------------------------------------------

    def blocking(self, probe=None):
        s, r, c, to, by, tag = self.pair()
        self.compute(self.any.choice((s, r)))
        size, name = self.any.randrange(1, 9999), self.any.choice(('Send', 'Ssend', 'Bsend'))
        if probe:
            self.call(r, probe)
            asked = self.now[r]
        else:
            self.call(r, 'Recv')
            asked = self.now[r]
        self.call(s, name)
        self.put(s, f'send {to} {c} {tag} {size}', 1)
        sent = self.now[s]
        if name == 'Ssend':
            self.until(s, asked + self.soon())
        self.end(s, name)
        if probe:
            self.until(r, sent)
            self.end(r, probe)
            self.call(r, 'Mrecv' if probe == 'Mprobe' else 'Recv')
        self.until(r, sent)
        self.put(r, f'recv {by} {c} {tag} {size}', self.soon())
        self.end(r, 'Mrecv' if probe == 'Mprobe' else 'Recv')
        self.done['blocking'] += 1

    def probed(self):
        """Iprobe finds nothing at first."""
        kind = self.any.choice(('Probe', 'Mprobe', 'Iprobe'))
        if kind == 'Iprobe':
            r = self.any.randrange(self.n)
            for _ in range(self.any.randrange(1, 4)):
                self.call(r, 'Iprobe')
                self.end(r, 'Iprobe')
        self.blocking('Probe' if kind == 'Iprobe' else kind)
        self.done[kind] += 1

    def any_source(self):
        """Several send to one that takes whoever comes first: the record tells who that was."""
        c = self.any.choice([c for c, m in self.comms.items() if len(m) > 2] or [0])
        members = self.comms[c]
        r = self.any.choice(members)
        others = self.any.sample([m for m in members if m != r], min(len(members) - 1, self.any.randrange(1, 4)))
        tag, sent = self.any.randrange(3), []
        for s in others:
            self.compute(s)
            self.call(s, 'Send')
            size = self.any.randrange(1, 99)
            self.put(s, f'send {members.index(r)} {c} {tag} {size}', 1)
            sent.append((self.now[s], s, size))
            self.end(s, 'Send')
        for date, s, size in sorted(sent):
            self.call(r, 'Recv')
            self.until(r, date)
            self.put(r, f'recv {members.index(s)} {c} {tag} {size}', self.soon())
            self.end(r, 'Recv')
        self.done['any source'] += 1

    def both(self):
        s, r, c, to, by, tag = self.pair()
        self.compute(s)
        for x in (s, r):
            self.call(x, 'Sendrecv')
        self.put(s, f'send {to} {c} {tag} 10', 1)
        self.put(r, f'send {by} {c} {tag} 20', 1)
        dates = self.now[s], self.now[r]
        self.until(s, dates[1])
        self.until(r, dates[0])
        self.put(s, f'recv {to} {c} {tag} 20', self.soon())
        self.put(r, f'recv {by} {c} {tag} 10', self.soon())
        for x in (s, r):
            self.end(x, 'Sendrecv')
        self.done['Sendrecv'] += 1

    def start(self, name, pair=None):
        """One of each that does not block, begun in calls of this name: (s, r, request of s, of r, end of the send's record, words)."""
        s, r, c, to, by, tag = pair or self.pair()
        size, a, b = self.any.randrange(1, 999), self.request(s), self.request(r)
        self.call(r, name or 'Irecv')
        self.put(r, f'irecvr {b}', 1)
        self.end(r, name or 'Irecv')
        posted = self.now[r]
        self.compute(self.any.choice((s, r)))
        self.call(s, name or 'Isend')
        self.put(s, f'isend {to} {c} {tag} {size} {a}', 1)
        sent = self.now[s]
        self.end(s, name or 'Isend')
        return s, r, a, b, sent, posted, f'irecv {by} {c} {tag} {size} {b}'

    def finish(self, started, name='Wait'):
        """Those that one call each waits for."""
        for r in sorted({x for one in started for x in one[:2] if x is not None}):
            mine = [one for one in started if r in one[:2]]
            self.compute(r)
            self.call(r, name)
            for s, d, a, b, sent, posted, words in mine:
                if r == d:
                    self.until(r, sent)
                    self.put(r, words, self.soon())
                    self.free(r, b)
                if r == s:
                    self.until(r, posted)
                    self.put(r, f'isendc {a}', self.soon())
                    self.free(r, a)
            self.end(r, name)

    def aside(self):
        self.finish([self.start(None)])
        self.done['aside'] += 1

    def some(self):
        """Several at once: all of them together, or one or some of them in each call."""
        started, used = [], set()
        for _ in range(self.any.randrange(2, 5)):
            pair = self.pair()
            if (pair[0], pair[1], pair[2], pair[5]) in used:
                continue
            used.add((pair[0], pair[1], pair[2], pair[5]))
            started.append(self.start(None, pair))
        name = self.any.choice(('Waitall', 'Waitany', 'Waitsome'))
        while started:
            n = {'Waitall': len(started), 'Waitany': 1, 'Waitsome': self.any.randrange(1, len(started) + 1)}[name]
            self.any.shuffle(started)
            self.finish(started[:n], name)
            started = started[n:]
        self.done[name] += 1

    def persistent(self):
        """Made once, started several times, inactive between, freed at last.  Waiting for one that is inactive returns at once."""
        pair = self.pair()
        s, r = pair[:2]
        for x, name in ((s, 'Send_init'), (r, 'Recv_init')):
            self.call(x, name)
            self.end(x, name)
        name = self.any.choice(('Start', 'Startall'))
        for _ in range(self.any.randrange(1, 4)):
            self.finish([self.start(name, pair)], self.any.choice(('Wait', 'Waitall')))
            if self.any.random() < 0.3:
                self.call(r, 'Wait')
                self.end(r, 'Wait')
        for x in (s, r):
            self.call(x, 'Request_free')
            self.end(x, 'Request_free')
        self.done['persistent'] += 1

    def cancelled(self):
        """A receive, or a send, that is asked for and then given up; nobody ever has it."""
        s, r, c, to, by, tag = self.pair()
        if self.any.random() < 0.5:
            b = self.request(r)
            self.call(r, 'Irecv')
            self.put(r, f'irecvr {b}', 1)
            self.end(r, 'Irecv')
            self.compute(r)
            who, request = r, b
            self.done['cancelled receive'] += 1
        else:
            a = self.request(s)
            self.call(s, 'Isend')
            self.put(s, f'isend {to} {c} {tag} 5 {a}', 1)
            self.end(s, 'Isend')
            self.compute(s)
            who, request = s, a
            self.done['cancelled send'] += 1
        self.call(who, 'Cancel')
        self.end(who, 'Cancel')
        self.call(who, 'Wait')
        self.put(who, f'cancel {request}', self.soon())
        self.free(who, request)
        self.end(who, 'Wait')

    def tested(self):
        """It is not there, and not, and then it is."""
        s, r, a, b, sent, posted, words = self.start(None)
        for _ in range(self.any.randrange(1, 4)):
            self.call(r, 'Test')
            self.put(r, f'test {b}', 1)
            self.end(r, 'Test')
        self.call(r, 'Test')
        self.until(r, sent)
        self.put(r, words, 1)
        self.free(r, b)
        self.end(r, 'Test')
        self.finish([(s, None, a, b, sent, posted, words)])
        self.done['tested'] += 1

    # ---- all of a group together -----------------------------------------------------------------------------------------------

    def members_of(self, c):
        return [r for one in self.inters.get(c, ()) for r in self.comms[one]] or self.comms[c]

    def collective(self, c=None, leave_out=()):
        """`leave_out`: who does not come, so that the others never leave."""
        c = self.any.choice([*self.comms, *self.inters]) if c is None else c
        op = self.any.choice(list(OPS) if c in self.comms else ['Barrier', 'Allreduce', 'Alltoall'])
        all_of = self.members_of(c)
        members = [r for r in all_of if r not in leave_out]
        self.compute(*self.any.sample(members, max(1, len(members) // 3)))
        root = self.any.choice(all_of) if op in FROM_ROOT + TO_ROOT else None
        for r in self.any.sample(members, len(members)):
            self.call(r, op)
            self.put(r, 'begin', 1)
        if leave_out:
            self.done['without some'] += 1
            return
        came = {r: self.now[r] for r in members}
        for i, r in enumerate(all_of):
            last = (came[root] if op in FROM_ROOT else max(came.values()) if r == root else 0 if op in TO_ROOT
                    else max((came[m] for m in all_of[:i]), default=0) if op in UP else max(came.values()))
            self.until(r, last)
            self.put(r, f'end {OPS[op]} {c} {-1 if root is None else all_of.index(root)}', self.soon())
            self.end(r, op)
        self.done[op] += 1

    def together_aside(self):
        """Several operations that do not block, of groups that overlap, completed in another order."""
        started = []
        for _ in range(self.any.randrange(1, 4)):
            c = self.any.choice(list(self.comms))
            op = self.any.choice(('Barrier', 'Allreduce', 'Alltoall'))
            numbers = {}
            for r in self.comms[c]:
                self.call(r, 'I' + op.lower())
                numbers[r] = 1000 + self.requests[r]
                self.requests[r] += 1
                self.put(r, f'ireq {numbers[r]}', 1)
                self.end(r, 'I' + op.lower())
            started.append((c, op, numbers, max(self.now[r] for r in self.comms[c])))
        self.any.shuffle(started)
        for c, op, numbers, came in started:
            for r in self.comms[c]:
                self.call(r, 'Wait')
                self.until(r, came)
                self.put(r, f'iend {OPS[op]} {c} -1 {numbers[r]}', self.soon())
                self.end(r, 'Wait')
        self.done['aside together'] += 1

    # ---- memory of others ------------------------------------------------------------------------------------------------------

    def add_wait(self, kind, r, region, ticks):
        if ticks > 0:
            self.waits[kind, f'rank {r}', 'MPI_' + region] += ticks

    def fence(self):
        enters = {}
        for r in range(self.n):
            self.compute(r)
            self.call(r, 'Win_fence')
            enters[r] = self.now[r]
            self.put(r, 'rmabegin', 1)
        last = max(enters.values())
        for r in range(self.n):
            self.until(r, max(self.now))
            self.put(r, 'rmaend 0 -1', 1)
            self.end(r, 'Win_fence')
            self.add_wait('Wait at fence', r, 'Win_fence', last - enters[r])
        for _ in range(self.any.randrange(3)):
            self.access(*self.any.sample(range(self.n), 2), self.any.random() < 0.5)
        self.done['fence'] += 1

    def access(self, r, target, flush):
        """Put, get or atomic; completed in its call, or later by a flush."""
        self.requests[r] += 1
        number, kind = 5000 + self.requests[r], self.any.choice(('put', 'get', 'atomic'))
        self.call(r, kind.title())
        self.put(r, f'{kind} {target} {number}' + {'put': '', 'get': ' 64', 'atomic': ' 8 8'}[kind], 1)
        if flush:
            self.end(r, kind.title())
            self.compute(r)
            self.call(r, 'Win_flush')
        self.put(r, f'putc {number}', self.soon())
        self.end(r, 'Win_flush' if flush else kind.title())
        self.done['flush' if flush else kind] += 1

    def groups(self):
        """Post, start, complete, wait: one gives its memory to some others."""
        owner = self.any.randrange(self.n)
        users = self.any.sample([r for r in range(self.n) if r != owner], self.any.randrange(1, min(4, self.n)))
        if len(self.comms) + len(self.inters) > 55:
            return
        of_users, of_owner = self.new_comm(users), self.new_comm([owner])
        self.compute(owner)
        self.call(owner, 'Win_post')
        post = self.now[owner]
        self.put(owner, f'group {of_users}', 1)
        self.end(owner, 'Win_post')
        completes = []
        for r in users:
            self.compute(r)
            self.call(r, 'Win_start')
            start = self.now[r]
            self.until(r, post + 1)
            self.put(r, f'group {of_owner}', 1)
            self.end(r, 'Win_start')
            self.add_wait('Late post', r, 'Win_start', post - start)
            self.access(r, owner, False)
            self.call(r, 'Win_complete')
            completes.append(self.now[r])
            self.put(r, f'group {of_owner}', 1)
            self.end(r, 'Win_complete')
        self.compute(owner)
        self.call(owner, 'Win_wait')
        wait = self.now[owner]
        self.until(owner, max(completes) + 1)
        self.put(owner, f'group {of_users}', 1)
        self.end(owner, 'Win_wait')
        self.add_wait('Early wait for access', owner, 'Win_wait', max(completes) - wait)
        self.done['groups'] += 1

    def lock(self):
        """Several ask for the lock of one window, and have it one after the other."""
        owner = self.any.randrange(self.n)
        users = self.any.sample(range(self.n), self.any.randrange(1, min(4, self.n) + 1))
        for r in users:
            self.compute(r)
            self.call(r, 'Win_lock')
        asked, (free, held) = {r: self.now[r] for r in users}, self.locks.get(owner, (0, []))
        for r in sorted(users, key=lambda r: asked[r]):
            self.put(r, f'lock {owner} 0')
            if any(a <= asked[r] < b for a, b in held):
                self.add_wait('Lock of a window held', r, 'Win_lock', free - asked[r])
            self.until(r, free + 1)
            self.put(r, f'locked {owner} 0', 1)
            since = self.now[r]
            self.end(r, 'Win_lock')
            self.access(r, owner, self.any.random() < 0.5)
            self.call(r, 'Win_unlock')
            self.put(r, f'unlock {owner} 0')
            free = self.now[r]
            held.append((since, free))
            self.end(r, 'Win_unlock')
        self.locks[owner] = free, held
        self.done['lock'] += 1

    # ---- files, threads ------------------------------------------------------------------------------------------------------------

    def file(self):
        """Opened, read and written, in parts aside, some of which are given up; closed."""
        if self.files >= 60:
            return
        r, f = self.any.randrange(self.n), self.files
        self.files += 1
        if self.any.random() < 0.7:
            self.head += [f'file {f} /data/{f}', f'handle {f} {f}']
        else:
            self.head.append(f'handle {f} pipe{f}')
        self.call(r, 'File_open')
        self.put(r, f'open {f}', 1)
        self.end(r, 'File_open')
        for k in range(self.any.randrange(4)):
            self.call(r, 'File_iread')
            self.put(r, f'io {self.any.randrange(3)} {f} {self.any.randrange(9999)} {k}', 1)
            self.compute(r)
            self.put(r, self.any.choice((f'ioc {f} {self.any.randrange(9999)} {k}', f'iostop {f} {k}')), self.soon())
            self.end(r, 'File_iread')
        self.put(r, f'seek {f} 77', 1)
        self.put(r, f'close {f}', 1)
        self.done['file'] += 1

    def finished(self):
        for r in range(self.n):
            self.put(r, 'leave main', self.soon())
        return self

    def write(self, writer, path):
        lines = [*self.head, *(f'{l} {date} {words}' for l, records in enumerate(self.records) for date, words in records)]
        subprocess.run([writer, path], input='\n'.join(lines) + '\n', text=True, check=True)
        return path
