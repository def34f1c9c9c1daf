# SPDX-License-Identifier: Apache-2.0
"""Clocks that differ: executions whose dates are right, written with clocks that are not, and what comes of them by each
correction, against the same rules in Python, computed by going round until nothing changes."""
import json
import os
import sys
import unittest
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from executions import OPS, Execution                                                            # noqa: E402
from formats import Format, few, main, samples                                                  # noqa: E402

WRITER = os.environ.get('OTF2_SCRIPT', '')
SLOWER = 100
NAME = {number: op for op, number in OPS.items()}


def skewed(seed, ranks=5, steps=60, sudden=False):
    """An execution, and the clock of each rank: another origin, another rate, and perhaps a jump in the middle."""
    x = Execution(ranks, seed, 10 ** 6)
    x.together('Barrier')
    for _ in range(steps):
        x.step()
    x.together('Allreduce')
    x.finish()
    origin = [x.any.randrange(-50000, 50000) for _ in range(ranks)]
    rate = [1 + x.any.randrange(-500, 500) / 10 ** 6 for _ in range(ranks)]
    jump = [x.any.randrange(0, 3000) if sudden else 0 for _ in range(ranks)]
    middle = max(x.now) // 2

    def clock(r, date):
        return origin[r] + round((date - 10 ** 6) * rate[r]) + 10 ** 6 + (jump[r] if date > middle else 0)
    return x, clock


class Rules:
    """The corrections, from the records of the execution as they were written."""

    def __init__(self, x, clock):
        self.ranks = x.ranks
        self.dates = [[clock(r, date) for date, _ in records] for r, records in enumerate(x.records)]
        self.words = [[words.split() for _, words in records] for records in x.records]
        self.causes = defaultdict(list)      # (rank, place) -> [(rank, place)]
        sends, receives, parts = defaultdict(list), defaultdict(list), defaultdict(list)
        begun, count = {}, defaultdict(int)
        for r, words in enumerate(self.words):
            for i, w in enumerate(words):
                if w[0] == 'send':
                    sends[r, int(w[1]), w[3]].append((r, i))
                elif w[0] == 'recv':
                    receives[int(w[1]), r, w[3]].append((r, i))
                elif w[0] == 'begin':
                    begun[r] = i
                elif w[0] == 'end':
                    parts[w[2], count[r, w[2]]].append((r, begun[r], i, NAME[int(w[1])], int(w[3])))
                    count[r, w[2]] += 1
        for key, queue in receives.items():
            for send, receive in zip(sends[key], queue):
                self.causes[receive].append(send)
        self.world = []
        for (comm, k), members in sorted(parts.items()):
            for r, begin, end, op, root in members:
                others = [(m, b) for m, b, _, _, _ in members]
                self.causes[r, end] += (others if op in ('Barrier', 'Allreduce') else
                                        [o for o in others if o[0] == root and r != root] if op == 'Bcast' else
                                        [o for o in others if o[0] != root and r == root] if op == 'Reduce' else [])
            if members[0][3] in ('Barrier', 'Allreduce'):
                self.world.append({r: end for r, _, end, _, _ in members})

    def early(self, dates):
        """How many effects come before their latest cause, and by how much at most."""
        late = [max(dates[r][i] for r, i in causes) - dates[effect[0]][effect[1]]
                for effect, causes in self.causes.items() if causes]
        return len(late), sum(n > 0 for n in late), max(0, *late)

    def linear(self):
        first, last = self.world[0], self.world[-1]
        zero, lasts = self.dates[0][first[0]], self.dates[0][last[0]] - self.dates[0][first[0]]
        out = []
        for r in range(self.ranks):
            begin, own = self.dates[r][first[r]], self.dates[r][last[r]] - self.dates[r][first[r]]
            rate = lasts / own - 1
            out.append([])
            for d in self.dates[r]:
                more = rate * (d - begin)
                out[r].append(d + zero - begin + int(more - 0.5 if more < 0 else more + 0.5))
        return out

    def logical(self):
        lines = self.linear()
        dates = [list(line) for line in lines]
        changed = True
        while changed:
            changed = False
            for r in range(self.ranks):
                for i, own in enumerate(lines[r]):
                    date = own
                    if i > 0:
                        passed = max(own - lines[r][i - 1], 0)
                        date = max(date, dates[r][i - 1] + passed - -(-passed // SLOWER))
                    causes = self.causes.get((r, i), [])
                    if causes:
                        latest = max(dates[c][k] for c, k in causes)
                        date = latest + 1 if date <= latest else date
                    if date != dates[r][i]:
                        dates[r][i] = date
                        changed = True
        return dates


KINDS = {'Enter', 'Leave', 'MpiSend', 'MpiRecv', *OPS}


@unittest.skipUnless(WRITER, 'built without libotf2')
class Clocks(Format):
    def dates(self, path, by):
        """Of each rank the dates of what was written, in order: in nanoseconds."""
        out = defaultdict(list)
        for line in self.scope('events', path, '--json', '--clocks', by)[0].splitlines():
            e = json.loads(line)
            kind = e['kind'][3:] if e.get('end') and e['kind'].startswith('End') else e['kind']
            if kind in KINDS:
                out[int(e['task'].split()[1])].append(round(e['t'] * 1e9))
        return [out[r] for r in range(len(out))]

    def test_as_the_rules_say(self):
        for seed in range(few(6)):
            x, clock = skewed(seed, sudden=seed % 2)
            path = x.write(WRITER, self.path(f'skewed{seed}'), clock)
            rules = Rules(x, clock)
            self.assertEqual(self.dates(path, 'offsets'), rules.dates, seed)
            for by, dates in (('linear', rules.linear()), ('logical', rules.logical())):
                self.assertEqual(self.dates(path, by), dates, (seed, by))
                told = json.loads(self.scope('info', path, '--json', '--clocks', by)[0])['clocks']
                checked, before, worst = rules.early(rules.dates)
                self.assertEqual((told['corrected'], told['checked'], told['early_before'], round(told['early_before_most'] * 1e9)),
                                 (by, checked, before, worst), seed)
                self.assertEqual((told['early_after'], round(told['early_after_most'] * 1e9)), rules.early(dates)[1:], (seed, by))
                self.assertEqual(round(told['moved_most'] * 1e9), max(abs(a - b) for mine, own in zip(dates, rules.dates)
                                                                      for a, b in zip(mine, own)))
            self.assertGreater(rules.early(rules.dates)[1], 10)
            self.assertEqual(rules.early(rules.logical())[1], 0)
            for folder, _, files in os.walk(self.env['XDG_CACHE_HOME']):     # all that is kept is damaged: it is read anew, and corrected from that
                for file in (os.path.join(folder, f) for f in files if f == 'events'):
                    with open(file, 'r+b') as f:
                        f.seek(os.path.getsize(file) // 2)
                        byte = f.read(1)
                        f.seek(-1, os.SEEK_CUR)
                        f.write(bytes([byte[0] ^ 0x55]))
            self.assertEqual(self.dates(path, 'logical'), rules.logical(), seed)
            self.assertEqual(self.dates(path, 'linear'), rules.linear(), seed)

    def test_offsets_that_the_trace_tells(self):
        x, _ = skewed(1)
        behind = [0, 700, -300, 45000, 5]
        x.head += [f'offset {r} {t} {behind[r]}' for r in range(5) for t in (0, 10 ** 9)]
        path = x.write(WRITER, self.path('told'), lambda r, date: date - behind[r])
        right = [[date for date, _ in records] for records in x.records]
        self.assertEqual(self.dates(path, 'offsets'), right)
        self.assertEqual(self.dates(path, 'none'), [[d - behind[r] for d in dates] for r, dates in enumerate(right)])
        self.assertEqual(self.info(path)['clocks'], {'corrected': 'offsets', 'offsets': 4})

    def test_the_state_is_one(self):
        """Dates are in order; films and travel go by the corrected ones."""
        x, clock = skewed(3, sudden=True)
        path = x.write(WRITER, self.path('skewed'), clock)
        for by in ('linear', 'logical'):
            dates = [json.loads(line)['t'] for line in self.scope('events', path, '--json', '--clocks', by)[0].splitlines()]
            self.assertEqual(dates, sorted(dates))
            self.scope('film', path, '--clocks', by)
            for at in ('0.00098', '0.00102', '0.00105'):
                film, played = (json.loads(self.scope('seek', path, '--clocks', by, '--to', at, *more)[0])
                                for more in ((), ('--no-film',)))
                self.assertEqual(film['hash'], played['hash'], (by, at))
        self.assertIn('there are offsets, none, linear and logical', self.scope('info', path, '--clocks', 'odd', status=2)[1])

    def test_causes_in_a_circle(self):
        """What cannot be is not waited for: two ranks that receive, each before it sends, what the other sends."""
        x = Execution(2)
        for r in range(2):
            x.put(r, 'enter MPI_Sendrecv', 1)
            x.put(r, f'recv {1 - r} 0 0 8', 1)
            x.put(r, f'send {1 - r} 0 0 8', 1)
            x.put(r, 'leave MPI_Sendrecv', 1)
        x.finish()
        path = x.write(WRITER, self.path('circle'))
        told = json.loads(self.scope('info', path, '--json', '--clocks', 'logical')[0])
        self.assertEqual((told['events'], told['clocks']['early_after']), (14, 1))

    @unittest.skipUnless(os.path.isdir(samples('otf2')), 'the samples are not here')
    def test_eztrace_is_found_out(self):
        path = os.path.join(samples('otf2'), 'eztrace-colls')
        said = ' '.join(self.scope('report', path, '-o', self.path('report'))[0].replace('\u00a0', ' ').split())
        self.assertIn('The clocks of the tasks differ, by 98.7 ms at least', said)
        self.assertLess(said.index('The clocks of the tasks differ'), said.index('wait for each other'))    # before all that is not right then
        self.assertIn('40 of 40 messages are received before they are sent', said)
        self.assertIn('--clocks logical', said)
        self.assertIn('Clocks are not corrected.', said)
        said = ' '.join(self.scope('report', path, '-o', self.path('report'), '--clocks', 'logical')[0].replace('\u00a0', ' ').split())
        self.assertIn('Clocks are corrected (logical): ', said)
        self.assertNotIn(' 0 tasks follow', said)
        self.assertNotIn('The clocks of the tasks differ', said)
        wrong, right = (self.scope('run', path, '--program', 'waits', '--out', self.path(f'out{i}'), *more)[1]        # who only looks at views is warned, once
                        for i, more in enumerate(((), ('--clocks', 'logical'))))
        self.assertEqual((wrong.count('Waits: The clocks of the tasks differ, by 98.7'), right.count('The clocks of the tasks differ')), (1, 0))

    def test_lost_send(self):
        """A send that was lost moves nothing: the messages behind it are of their own sends.  Where all receives come early, all move."""
        head = '-1 0 0 0 0 0 Me\n-2 0 0 38 0 0\n-3 0 0 2 0 0\n'
        for lost, flight, moves in ((True, 30, False), (False, 30, False), (False, -30, True)):
            halves = [(1000 * k + half * flight, half) for k in range(1, 20) for half in (0, 1) if not (lost and (k, half) == (7, 0))]
            text = head + ''.join(f'-102 1 0 0 0 {date} 7 9\n' if half else f'-101 0 0 1 0 {date} 7 9\n' for date, half in sorted(halves))
            path = self.path(f'{lost}{flight}.alog', text)
            said = ' '.join(self.scope('info', path, '--clocks', 'logical')[0].replace('\u00a0', ' ').split())
            self.assertIn(f'Of {18 if lost else 19} receives', said)
            self.assertEqual('dates are moved by 0 s at most' not in said, moves, said)


main()
