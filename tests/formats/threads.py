# SPDX-License-Identifier: Apache-2.0
"""A second computation of what threads and locks were at an instant, from the files that tape-threads leaves, by intervals:
who held what from when until when, who waited.  And a writer of such files."""
import collections
import glob
import os
import random
import struct

HEAD = struct.Struct('<8sIIiiIIIIQQqqq72s128s')
(END, HOLD, RELEASE, ASK, GOT, SIGNAL, INIT, DESTROY, CREATE, EXIT, NAME, CALLED, CLOCK, MODULES, LOST, MISSED, DONE) = range(17)
MUTEX, READ, WRITE, SPIN, CONDITION, SEMAPHORE, BARRIER, JOIN = range(8)
WAIT_WORDS = ('waits for', 'waits for', 'waits for', 'waits for', 'waits for condition', 'waits for semaphore', 'at barrier', 'joins')
NEVER = 1 << 62


def read_lane(path):
    """The head, and (type, a, b, words) of each record."""
    with open(path, 'rb') as f:
        data = f.read()
    head = HEAD.unpack_from(data)
    words = struct.unpack_from(f'<{(len(data) - HEAD.size) // 8}Q', data, HEAD.size)
    records, i = [], 0
    while i < len(words) and words[i] & 0xff:
        n = words[i] >> 8 & 0xffff
        if n == 0 or i + n > len(words):
            break
        records.append((words[i] & 0xff, words[i] >> 24 & 0xffff, words[i] >> 40, words[i + 1:i + n]))
        i += n
    return head, records


def text(record, head):
    _, _, b, words = record
    data = struct.pack(f'<{len(words) - head}Q', *words[head:])
    return data[:len(data) - b].decode()


class Wait:
    def __init__(self, what, thing, asked, site, mutex):
        self.what, self.thing, self.asked, self.site, self.mutex, self.until, self.got = what, thing, asked, site, mutex, NEVER, False


class Thread:
    def __init__(self):
        self.holds = []         # [lock, since, until, shared]
        self.takes, self.waits, self.died = [], [], NEVER


class Execution:
    """One process; locks are not unmade and made again at one address."""

    def __init__(self, folder):
        data, = glob.glob(os.path.join(folder, '*.threads'))
        lanes = sorted((read_lane(p) for p in glob.glob(os.path.join(data, '*.lane'))), key=lambda lane: lane[0][6])
        pairs = [(h[12], h[11]) for h, _ in lanes]              # (ns, ticks)
        for _, records in lanes:
            pairs += [(r[3][1], r[3][0]) for r in records if r[0] == CLOCK]
        clock = os.path.join(data, 'clock')
        if os.path.exists(clock):
            with open(clock) as f:
                pairs += [tuple(map(int, line.split()))[::-1] for line in f]
        first, last = min(pairs), max(pairs)
        self.per_tick = (last[0] - first[0]) / (last[1] - first[1]) if last[1] > first[1] else 1.0
        self.origin = min(h[11] for h, _ in lanes)
        self.names = {}
        names = os.path.join(data, 'names')
        if os.path.exists(names):
            with open(names) as f:
                for line in f:
                    word, _, rest = line.rstrip('\n').partition(' ')
                    if word == 'object':
                        address, _, name = rest.partition(' ')
                        self.names[int(address, 16)] = name
        for _, records in lanes:
            for r in records:
                if r[0] == CALLED:
                    self.names[r[3][0]] = text(r, 1)
        self.threads, self.values, self.posts, self.last = [], collections.defaultdict(list), collections.defaultdict(list), 0
        self.selves = [h[9] for h, _ in lanes]
        for h, records in lanes:
            self.threads.append(self.read(h, records))

    def date(self, ticks):
        return int((ticks - self.origin) * self.per_tick)

    def read(self, h, records):
        t, depth, open_, wait, now = Thread(), collections.Counter(), {}, None, 0
        t.born = now = self.date(h[11])

        def take(lock, date, shared):
            depth[lock] += 1
            t.takes.append((lock, date))
            if depth[lock] == 1:
                open_[lock] = [lock, date, NEVER, shared]
                t.holds.append(open_[lock])

        def release(lock, date):
            if depth[lock] == 0:
                return
            depth[lock] -= 1
            if depth[lock] == 0:
                open_.pop(lock)[2] = date

        def end_wait(date, got):
            wait.until, wait.got = date, got
            if wait.what <= SPIN and got:
                take(wait.thing, date, wait.what == READ)
            if wait.what == CONDITION:
                take(wait.mutex, date, False)
            if wait.what == SEMAPHORE and got:
                self.values[wait.thing].append((date, -1))
                t.takes.append((wait.thing, date))

        for kind, a, b, w in records:
            if kind in (NAME, CALLED, MODULES):
                continue
            now = max(now, self.date(w[0]))
            self.last = max(self.last, now)
            if wait and kind not in (GOT, CLOCK, MISSED, LOST) and not (kind == SIGNAL and a == 2):
                end_wait(now, False)
                wait = None
            if kind == HOLD:
                take(w[1], now, bool(a & 1))
                if b:
                    now = max(now, self.date(w[0] + b - 1))
                    release(w[1], now)
            elif kind == RELEASE:
                release(w[1], now)
            elif kind == ASK:
                wait = Wait(a, w[1] if a != JOIN else w[3], now, w[2], w[3])
                t.waits.append(wait)
                if a == CONDITION:
                    release(w[3], now)
            elif kind == GOT and wait:
                end_wait(now, a == 0)
                wait = None
            elif kind == SIGNAL and a >= 2:
                self.values[w[1]].append((now, 1 if a == 2 else -1))
                if a == 3:
                    t.takes.append((w[1], now))
            elif kind == INIT and a == 4:
                self.values[w[1]].append((now, w[3]))
            elif kind == EXIT:
                t.died = now
        return t

    # ---- at an instant: after what happened at it ----

    def holders(self, lock, at):
        return [(i, shared) for i, t in enumerate(self.threads) for x, since, until, shared in t.holds
                if x == lock and since <= at < until]

    def waits(self, thing):
        return [w for t in self.threads for w in t.waits if w.what != JOIN and w.thing == thing]

    def waiting(self, thing, at):
        return sum(w.asked <= at < w.until for w in self.waits(thing))

    def takes(self, thing, at):
        return sum(x == thing and date <= at for t in self.threads for x, date in t.takes)

    def over(self, thing, at):
        return [w.until - w.asked for w in self.waits(thing) if w.until <= at]

    def value(self, semaphore, at):
        return sum(n for date, n in self.values[semaphore] if date <= at)

    def state(self, thread, at):
        """("runs",), ("holds", lock), (what, thing), or None: not there."""
        t = self.threads[thread]
        if not t.born <= at < t.died:
            return None
        for w in t.waits:
            if w.asked <= at < w.until:
                return w.what, w.thing
        held = [(since, n) for n, (_, since, until, _) in enumerate(t.holds) if since <= at < until]
        return ('holds', t.holds[max(held)[1]][0]) if held else ('runs',)

    def post_of(self, wait):
        """When the unit was posted that a wait for a semaphore took: the oldest goes to the first."""
        units = sorted(date for date, n in self.values[wait.thing] if n > 0 for _ in range(n))
        takes = sorted(date for date, n in self.values[wait.thing] if n < 0)
        return units[takes.index(wait.until)]

    def last_of_round(self, wait):
        """When the last one came to a barrier whose rounds are of as many as wait there at once."""
        asked = sorted(w.asked for w in self.waits(wait.thing))
        most = max(self.waiting(wait.thing, at) for at in asked)
        return asked[asked.index(wait.asked) // most * most + most - 1]

    def cause(self, thread, wait):
        """Who let go of the lock last while it waited: (thread, date), or None."""
        ends = [(until, i) for i, t in enumerate(self.threads) for x, _, until, _ in t.holds
                if x == wait.thing and until <= wait.until]
        date, who = max(ends, default=(-1, None))
        return (who, date) if date >= wait.asked and who != thread else None


# ---- files that a tracer might have written -------------------------------------------------------------------------

class Lane:
    def __init__(self, thread, born, ticks=0, pid=77):
        self.thread, self.born, self.ticks, self.pid, self.words = thread, born, ticks, pid, b''

    def put(self, kind, *words, a=0, b=0):
        self.words += struct.pack(f'<{len(words) + 1}Q', kind | (len(words) + 1) << 8 | a << 24 | b << 40, *words)

    def put_text(self, kind, number, name, a=0):
        data = name.encode()
        pad = -len(data) % 8
        words = struct.unpack(f'<{(len(data) + pad) // 8}Q', data + bytes(pad))
        self.put(kind, number, *words, a=a, b=pad)

    def bytes(self):
        return HEAD.pack(b'TAPETHR', 1, HEAD.size, self.pid, 1, 0, self.thread, 0, self.ticks, 0x1000 + self.thread, 0, self.born, self.born,
                         0, b'host1', b'made') + self.words + bytes(8)

    def write(self, folder):
        with open(os.path.join(folder, f'{self.pid}-0.{self.thread}.lane'), 'wb') as f:
            f.write(self.bytes())


def make(folder, seed, threads=5, locks=4, steps=120):
    """Threads that take locks, some of them read-write, one recursive; now and then they cannot, and wait.  Every state is kept
    as the C library would: the writer plays all threads on one clock."""
    chance = random.Random(seed)
    data = os.path.join(folder, 'made.threads')
    os.makedirs(data)
    lanes = [Lane(i, 1000 + 10 * i) for i in range(threads)]
    address = [0x5000 + 64 * k for k in range(locks)]
    lanes[0].put_text(CALLED, address[0], 'first lock')
    holders = {x: {} for x in address}          # lock -> {thread: depth}
    shared = {x: False for x in address}
    held = [[] for _ in range(threads)]
    asked = [None] * threads
    last = [None] * threads                     # (lock, date, place of the record) if nothing came after
    queue, now = {x: [] for x in address}, 2000

    def release(i, x):
        holders[x][i] -= 1
        if holders[x][i] == 0:
            del holders[x][i]
        held[i].remove(x)
        if last[i] and last[i][0] == x:         # in the record in which it was taken
            at, date = last[i][2], last[i][1]
            word = struct.unpack_from('<Q', lanes[i].words, at)[0] | now - date + 1 << 40
            lanes[i].words = lanes[i].words[:at] + struct.pack('<Q', word) + lanes[i].words[at + 8:]
        else:
            lanes[i].put(RELEASE, now, x)
        last[i] = None

    def take(i, x, share):
        holders[x][i] = holders[x].get(i, 0) + 1
        shared[x] = share
        held[i].append(x)

    for _ in range(steps * threads):
        now += chance.randrange(1, 50)
        i = chance.randrange(threads)
        if asked[i]:
            x, share = asked[i]
            if queue[x][0] == i and (not holders[x] or share and shared[x]):
                lanes[i].put(GOT, now)
                queue[x].pop(0)
                take(i, x, share)
                asked[i], last[i] = None, None
            elif chance.random() < 0.05:        # no more time
                lanes[i].put(GOT, now, a=110)
                queue[x].remove(i)
                asked[i] = None
            continue
        if held[i] and chance.random() < 0.55:
            release(i, chance.choice(held[i]))
            continue
        x = chance.choice(address)
        share = x == address[1] and chance.random() < 0.7
        mine = i in holders[x]
        if mine and x == address[2] or not mine and not queue[x] and (not holders[x] or share and shared[x]):
            last[i] = (x, now, len(lanes[i].words))
            lanes[i].put(HOLD, now, x, 0x400 + i, a=int(share) | (x == address[1]) << 1)
            take(i, x, share)
        elif not mine:
            lanes[i].put(ASK, now, x, 0x500 + i, 0, a=READ if share else WRITE if x == address[1] else MUTEX, b=1)
            asked[i] = (x, share)
            queue[x].append(i)
            last[i] = None
    for lane in lanes:
        lane.write(data)
    return folder


def make_posts(folder, seed, threads=4, steps=150):
    """The first thread posts a semaphore, the others wait for it."""
    chance = random.Random(seed)
    data = os.path.join(folder, 'made.threads')
    os.makedirs(data)
    lanes, semaphore, now = [Lane(i, 1000 + 10 * i) for i in range(threads)], 0x7000, 2000
    lanes[0].put(INIT, now, semaphore, 0x400, 2, a=4)
    units, queue = 2, []
    for _ in range(steps):
        now += chance.randrange(1, 50)
        i = chance.randrange(threads)
        if queue and units > 0:
            lanes[queue.pop(0)].put(GOT, now)
            units -= 1
        elif i == 0 and units < 2:
            lanes[0].put(SIGNAL, now, semaphore, 0x410, 0, a=2)
            units += 1
        elif i > 0 and i not in queue:
            lanes[i].put(ASK, now, semaphore, 0x500 + i, 0, a=SEMAPHORE)
            queue.append(i)
    for lane in lanes:
        lane.write(data)
    return folder
