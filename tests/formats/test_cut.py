# SPDX-License-Identifier: Apache-2.0
"""Which send each receive is of, in traces that are known to the last message because they are made here: rings, pipelines and streams
in which messages go one way only, whole or cut out of a longer run, with clocks that are right or differ.  What is written for other
programs has for each message the two dates that it was made with, and nothing else has two."""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main                                                              # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '1'))


def near(r, length, uneven):
    return max(1, round(length * r.uniform(1 - uneven, 1 + uneven)))


def ring(r, n, flight, work, uneven, laps):
    """One message goes round: (from, to, sent, received)."""
    at, task, out = 1000, 0, []
    for _ in range(n * laps):
        sent = at + near(r, work, uneven)
        at = sent + near(r, flight, uneven)
        out.append((task, (task + 1) % n, sent, at))
        task = (task + 1) % n
    return out


def pipeline(r, n, flight, work, uneven, items):
    """Each stage works at what the one before sends, all at once; the first is the slowest by a little."""
    free, out = [1000] * n, []
    for _ in range(items):
        at = free[0]
        for stage in range(n):
            done = max(at, free[stage]) + (near(r, work, uneven) if stage == 0 else near(r, work * .8, uneven / 2))
            free[stage] = done
            if stage + 1 < n:
                at = done + near(r, flight, .05)
                at = max([at, *(m[3] + 1 for m in out[-n:] if m[1] == stage + 1)])
                out.append((stage, stage + 1, done, at))
    return out


def wavefront(r, n, flight, uneven, items):
    """Each item takes all tasks equally long, and the items differ: the way to the receive of the next item is as even as can be."""
    work, out = [r.choice([300, 500, 1000, 2000, 3000]) for _ in range(items)], []
    free = [1000 + r.randrange(3000) for _ in range(n)]
    for long in work:
        at = free[0]
        for task in range(n):
            done = max(at, free[task]) + near(r, long, uneven)
            free[task] = done
            if task + 1 < n:
                at = max(done + near(r, flight, uneven), free[task + 1])
                out.append((task, task + 1, done, at))
    return out


def cut(messages, begin, end):
    """The halves within: (from, to, sent or None, received or None)."""
    halves = [(a, b, *(d if begin <= d < end else None for d in (sent, received))) for a, b, sent, received in messages]
    return [m for m in halves if m[2:] != (None, None)]


def with_clocks(messages, ahead):
    return [(a, b, None if s is None else s + ahead[a], None if d is None else d + ahead[b]) for a, b, s, d in messages]


def alog(messages, sizes=None):
    rows = sorted((date, half, a, b, sizes[i] if sizes else 9) for i, (a, b, *dates) in enumerate(messages)
                  for half, date in enumerate(dates) if date is not None)
    n = max(max(m[:2]) for m in messages) + 1
    head = [f'-1 0 0 0 0 0 Me\n-2 0 0 {len(rows)} 0 0\n-3 0 0 {n} 0 0\n']
    return ''.join(head + [f'-102 {b} 0 {a} 0 {d} 7 {size}\n' if half else f'-101 {a} 0 {b} 0 {d} 7 {size}\n' for d, half, a, b, size in rows])


class Cut(Format):
    def pairs(self, messages, sizes=None):
        log, out = self.path('log.alog', alog(messages, sizes)), self.path('log.json')
        self.scope('export', log, '-o', out)
        with open(out, encoding='utf-8') as f:
            ends = [(e['id'], e['ph'] == 'f', round(e['ts']), e['tid']) for e in json.load(f)['traceEvents'] if e['ph'] in 'sf']
        os.unlink(out)
        found = {}
        for number, half, date, _ in ends:
            self.assertNotIn(half, found.setdefault(number, {}))
            found[number][half] = date
        self.assertEqual(len(ends), sum(d is not None for m in messages for d in m[2:]))
        return sorted((x[False], x[True]) for x in found.values() if len(x) == 2)

    def check(self, messages, about, sizes=None, exact=True):
        """How many messages have another half than their own, of how many."""
        whole = sorted(m[2:] for m in messages if None not in m[2:])
        got = self.pairs(messages, sizes)
        wrong = len(set(got) - set(whole))
        if exact:
            self.assertEqual((wrong, len(got)), (0, len(whole)), (about, SEED))
        return wrong, len(whole)

    @unittest.skipUnless(os.environ.get('OTF2_SCRIPT'), 'built without libotf2')
    def test_report_says_what_is_judged(self):
        """Beside what is waited for late senders the report says how many receives are taken to be of sends before the cut, and that this is judged."""
        r, told = random.Random(SEED), 0
        for k in range(few(3) + 1):
            flight, date, messages = 1 if k == 1 else r.randrange(1, 4), 0, []      # the shortest: it is called for before some sends
            way = flight * 300 + 150
            for n in range(160):            # ways are even, and sends are not
                date += r.choice((40, 260, 900)) + r.randrange(99)
                messages.append([date, date + way + r.randrange(9)])
            lost = next(n for n in range(60, 130) if messages[n + 1][0] < messages[n][1])       # the next is sent while it is on its way
            begin, end = (0, 10 ** 9) if k == 0 else (messages[lost][0] + 1, messages[140][0] + 1)
            rows = [(max(begin, 0) + 1, f'{x} {max(begin, 0) + 1} enter main') for x in (0, 1)]
            before = begin + 1
            for sent, received in messages:
                if begin < sent < end:
                    rows += [(sent, f'0 {sent} enter MPI_Send'), (sent + 1, f'0 {sent + 1} send 1 0 7 8'), (sent + 2, f'0 {sent + 2} leave MPI_Send')]
                if begin < received < end:
                    early = max(before + 1, sent - 30)       # it asks before the send, if it can
                    rows += [(early, f'1 {early} enter MPI_Recv'), (received - 2, f'1 {received - 2} recv 0 0 7 8'), (received - 1, f'1 {received - 1} leave MPI_Recv')]
                    before = received
            over = min(end, messages[-1][1]) + 1
            rows += [(over, f'{x} {over} leave main') for x in (0, 1)]
            lost = sum(sent <= begin < received < end for sent, received in messages)
            first = min(sent for sent, _ in messages if sent > begin)
            if all(received < first for sent, received in messages if sent <= begin < received):
                lost = 0                        # they are before all sends: that is known, not judged
            path = self.path(f'judged{k}')
            subprocess.run([os.environ['OTF2_SCRIPT'], path], input='\n'.join(['ranks 2', *(row for _, row in sorted(rows, key=lambda one: one[0]))]) + '\n', text=True, check=True)
            said = ' '.join(self.scope('report', path, '-o', self.path('report'))[0].split())
            found = re.search(r'middle of the run: (\d+) receives? (?:is|are) taken to be of', said)
            self.assertEqual(int(found[1]) if found else 0, lost if 'late sender' in said else 0, (k, flight, said))
            told += found is not None
        self.assertGreater(told, 0)

    def test_rings(self):
        """What goes round cannot be early everywhere: no clocks explain it, however even it goes."""
        r = random.Random(SEED)
        cases = list(itertools.product((2, 3, 4, 8, 33, 100), (0, .02, .4), (False, True), (False, True)))
        for n, uneven, is_cut, differ in r.sample(cases, min(len(cases), few(24))):
            if is_cut and differ and (uneven < .4 or n == 2):
                continue                        # of what is as even as that nothing tells by how much clocks differ
            flight, work = r.randrange(20, 2000), r.randrange(20, 2000)
            all = ring(r, n, flight, work, uneven, 40 if is_cut and differ else r.randrange(12, 24))
            if is_cut:
                all = cut(all, r.randrange(*(m[2] for m in all[n * 3:n * 3 + 2])), r.randrange(*(m[2] for m in all[-n - 3:-n - 1])))
            self.check(with_clocks(all, self.clocks(r, n, n * (flight + work) // (1 if uneven > .1 else 2)) if differ else [0] * n), (n, uneven, is_cut, differ, flight, work), exact=not (is_cut and differ))

    def test_wavefronts(self):
        """Of a whole trace with right clocks nothing is taken for cut, even where another reading has more even ways."""
        r = random.Random(SEED)
        for _ in range(few(16)):
            n, flight, uneven, items = r.randrange(2, 9), r.randrange(5, 300), r.choice([0, .05, .2, .4]), r.randrange(8, 80)
            self.check(wavefront(r, n, flight, uneven, items), (n, flight, uneven, items))

    def clocks(self, r, n, most):
        return [r.randrange(most) for _ in range(n)]

    def test_pipelines(self):
        """Messages that go one way only, up to three at once on a link: by how even their ways are.  Of few messages that does not
        always tell."""
        r, found = random.Random(SEED), []
        for n, is_cut, differ in itertools.product((2, 3, 8, 30), (False, True), (False, True)):
            for _ in range(few(2)):
                work = r.randrange(500, 5000)
                flight = work * r.uniform(.05, 3)
                all = pipeline(r, n, flight, work, .5, 60)
                if is_cut:
                    dates = sorted(m[2] for m in all)
                    all = cut(all, r.choice(dates[n * 8:n * 12]) + 1, r.choice(dates[-n * 12:-n * 8]) + 1)
                found.append(self.check(with_clocks(all, self.clocks(r, n, work * 2) if differ else [0] * n), (n, is_cut, differ, work), exact=not is_cut))
        self.assertLess(sum(w for w, _ in found), sum(n for _, n in found) / 8, (found, SEED))

    def stream(self, period, way, begin, end):
        return [m for m in cut([(0, 1, d, d + way) for d in range(period, 400 * period, period)], begin, end)]

    def test_even_streams(self):
        """Where nothing tells, what makes ways shorter is taken, and it is said."""
        r = random.Random(SEED)
        for is_cut, way in ((False, -.4), (False, .4), (True, .4)):
            period = r.randrange(50, 500) * 10
            way = round(period * way * r.uniform(.1, 1))
            messages = self.stream(period, way, *((100 * period + max(way, 0) // 2, 200 * period + abs(way) // 2) if is_cut else (0, 1 << 40)))
            self.check(messages, (is_cut, way, period))
            told = self.info(self.path('log.alog'))['damage']
            self.assertEqual(['nothing tells whether' in d['reason'] for d in told if 'clocks differ' in d['reason']], [True] * (way < 0 or is_cut), (is_cut, way, period))
            self.assertEqual(sum('whose sends were before recording began' in d['reason'] for d in told), is_cut and way > 0)
            again, corrected = (json.loads(self.scope('info', self.path('log.alog'), '--json', *how)[0])['damage'] for how in ((), ('--clocks', 'logical')))
            self.assertEqual(again, told)
            self.assertEqual(corrected, told if is_cut or way > 0 else [])      # where clocks were to blame nothing is left to tell

    def test_sizes(self):
        """As even as that, but of sizes that tell."""
        r = random.Random(SEED)
        for is_cut in (False, True):
            period = r.randrange(50, 500) * 10
            way = round(period * r.uniform(.55, .95)) * (1 if is_cut else -1)
            messages = self.stream(period, way, *((100 * period + way // 2, 200 * period + way // 2) if is_cut else (0, 1 << 40)))
            self.check(messages, (is_cut, way, period), [r.randrange(1, 9999) for _ in messages])
            self.assertNotIn('nothing tells', str(self.info(self.path('log.alog'))['damage']))


main()
