# SPDX-License-Identifier: Apache-2.0
"""Calls that never end: who waits until the end, for whom, and whether they wait for each other in a circle."""
import collections
import os
import random
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import few, main                                                                   # noqa: E402
from waits import SCRIPT, Tables                                                                # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '16'))


class Stuck(Tables):
    @unittest.skipUnless(SCRIPT, 'built without libotf2')
    def test_calls_that_never_end(self):
        """Some ranks compute until the end, others are in a receive, a send or a barrier that nothing comes of: each waits until the end; a circle
        is told if there is one, and then of tasks that do wait for each other."""
        any_, deadlocks, frees, barriers = random.Random(SEED + 1), 0, 0, collections.Counter()
        for k in range(few(5) + 2):
            n, last = any_.randrange(2, 7), 100000
            rows, waits, edges, sent = [], collections.Counter(), collections.defaultdict(set), set()
            does = [any_.choice(('works', 'recv', 'recv', 'send', 'barrier', 'any')) for _ in range(n)]
            if k < 2:
                does = ['recv'] * n
            does.append('works')        # and tells when all is over
            for r in range(n + 1):
                rows.append((10, f'{r} 10 enter main'))
                if r < n and any_.randrange(3) == 0:      # what somebody may be asked for is under way
                    to = any_.choice([x for x in range(n) if x != r])
                    tag = any_.randrange(2)
                    sent.add((r, to, tag))
                    rows += [(20, f'{r} 20 enter MPI_Bsend'), (21, f'{r} 21 send {to} 0 {tag} 8'), (22, f'{r} 22 leave MPI_Bsend')]
            for r in range(n):
                at = any_.randrange(100, 50000)
                to, tag = any_.choice([x for x in range(n + 1) if x != r]), any_.choice((-1, 0, 1))
                to = (r + 1) % n if k < 2 else to
                region = {'recv': 'MPI_Recv', 'any': 'MPI_Recv', 'send': 'MPI_Ssend', 'barrier': 'MPI_Barrier', 'works': 'solve'}[does[r]]
                rows.append((at, f'{r} {at} enter {region}'))
                if does[r] == 'recv':
                    rows.append((at, f'{r} {at} asked {tag} {to}'))
                    if not any((to, r, t) in sent for t in ((0, 1) if tag < 0 else (tag,))):
                        edges[r].add(to)
                elif does[r] == 'any':
                    rows.append((at, f'{r} {at} asked -1 -1'))
                elif does[r] == 'send':
                    rows.append((at + 1, f'{r} {at + 1} send {to} 0 9 8'))
                    edges[r].add(to)
                elif does[r] == 'barrier':
                    rows += [(at + 1, f'{r} {at + 1} begin'), (at + 2, f'{r} {at + 2} askedc 0')]
                    edges[r] |= {x for x in range(n + 1) if does[x] != 'barrier'}
                if does[r] != 'works':
                    waits[f'rank {r}', region] += last - at
            rows.sort(key=lambda row: row[0])
            mine, efficiency = self.made(f'never{k}', [f'ranks {n + 1}', *(row for _, row in rows), f'{n} {last} enter end'])
            mine = {key[1:]: ticks for key, ticks in mine.items() if key[0] == 'Never answered'}
            self.assertEqual(mine, dict(waits), (SEED, k, does))
            left = dict(edges)
            while gone := [r for r, to in left.items() if not to & set(left)]:        # what leads nowhere is in no circle
                for r in gone:
                    del left[r]
            out = self.path('report')
            said = ' '.join(self.scope('report', self.path(f'never{k}'), '-o', out)[0].replace('\u00a0', ' ').split())
            found = re.findall(r'Deadlock since [\d.]+ s: rank (\d)((?: waits for rank \d|, that one for rank \d)+); none', said)
            self.assertEqual(bool(found), bool(left), (SEED, k, does, left, said))
            for r, many, who in re.findall(r'rank (\d) in MPI_Barrier since [\d.]+ s, where \d of .*? ha(?:s|ve) come and (\d) (?:is|are) missing: (rank [^;.]*)', said):
                missing = sorted(edges[int(r)])
                named, rest = [int(x) for x in re.findall(r'rank (\d)', who)], re.search(r' and (\d) others$', who)
                self.assertEqual((int(many), len(set(named)), set(named) - set(missing)), (len(missing), len(missing) if len(missing) <= 4 else 3, set()), (SEED, k, said))
                self.assertEqual(int(rest[1]) if rest else 0, len(missing) - len(named), (SEED, k, said))
                barriers[min(len(missing), 5)] += 1
            self.assertNotIn('No task came to an end', said, (SEED, k))        # the last one did
            for first, rest in found:
                way = [int(first), *map(int, re.findall(r'rank (\d)', rest))]
                self.assertEqual(way[0], way[-1])
                for a, b in zip(way, way[1:]):
                    self.assertIn(b, edges[a], (SEED, k, said))
            deadlocks, frees = deadlocks + bool(left), frees + (not left)
        self.assertGreater(deadlocks, 0)
        self.assertGreater(frees, 0)
        self.assertTrue(barriers)


main()
