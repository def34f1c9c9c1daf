#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logs dated by vectors beside a second computation: which messages there were, and the order that each host of reference
has, from all pairs of vectors; dates as they are written and typed; damaged, packed, and opened as they are."""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, Format, few, main                                                     # noqa: E402

COMMIT = os.path.join(ROOT, 'traces', 'commit.trace')


def made(seed, hosts=5, n=120):
    """Entries of a run with messages that overtake each other: [(host, vector, text)], in the order of hosts."""
    r, vectors, logs, flying = random.Random(seed), {f'h{i}': {} for i in range(hosts)}, {}, []
    for i in range(n):
        me = r.choice(list(vectors))
        mine = [m for m in flying if m[0] == me]
        if mine and r.random() < .6:
            m = r.choice(mine)
            flying.remove(m)
            for h, k in m[1].items():
                vectors[me][h] = max(vectors[me].get(h, 0), k)
        vectors[me][me] = vectors[me].get(me, 0) + 1
        logs.setdefault(me, []).append((me, dict(vectors[me]), f'entry {i}, "{me}" {{said}}'))
        for other in r.sample([h for h in vectors if h != me], r.choice([0, 0, 1, 1, 2])):
            flying.append((other, dict(vectors[me])))
    return [e for host in logs.values() for e in host]


def written(entries, layout):
    """As GoVector does; in one line; with the text before the vector."""
    lines = []
    for host, vector, text in entries:
        dated = f'{host} {json.dumps(vector)}'
        lines += [dated + ' ' + text] if layout == 1 else [dated, text] if layout == 0 else [text, dated]
    return '\n'.join(lines) + '\n'


def read(path):
    with open(path, encoding='utf-8') as f:
        lines = f.read().splitlines()
    return [(lines[i].split(' ', 1)[0], json.loads(lines[i].split(' ', 1)[1]), lines[i + 1]) for i in range(0, len(lines), 2)]


def before(a, b):
    return a is not b and b[1].get(a[0], 0) >= a[1][a[0]]


def messages(entries):
    """(sender, its number, receiver, its number): the latest of those before an entry that its host did not know of before."""
    found = []
    for e in entries:
        last = next((x for x in entries if x[0] == e[0] and x[1][x[0]] == e[1][e[0]] - 1), None)
        new = [x for x in entries if before(x, e) and x[0] != e[0] and not (last and before(x, last))]
        found += [(x[0], x[1][x[0]], e[0], e[1][e[0]]) for x in new if not any(before(x, y) for y in new)]
    return sorted(found)


def dates(entries, reference, sent):
    """Steps, by going round until nothing changes: one behind all that is known, and behind all groups of earlier entries of the
    reference."""
    key = {(e[0], e[1][e[0]]): e for e in entries}
    at = {k: 1 for k in key}
    groups = sorted({e[1].get(reference, 0) for e in entries})
    causes = {k: [(k[0], k[1] - 1)] if (k[0], k[1] - 1) in key else [] for k in key}
    for a, i, b, j in sent:
        causes[b, j].append((a, i))
    for g in groups:
        mine = [k for k, e in key.items() if e[1].get(reference, 0) == g]
        floor = max((at[k] for k, e in key.items() if e[1].get(reference, 0) < g), default=0) + 1
        changed = True
        for k in mine:
            at[k] = floor
        while changed:
            changed = False
            for k in mine:
                want = max([floor] + [at[c] + 1 for c in causes[k]])
                changed |= want != at[k]
                at[k] = want
    return at


class Shiviz(Format):
    def events(self, path, *more):
        return [json.loads(line) for line in self.scope('events', path, '--json', *more)[0].splitlines()]

    def check(self, path, entries, reference):
        more = ['--reference', reference] if reference else []
        events = self.events(path, *more)
        noted = {(e['task'], e['number']): e for e in events if e['kind'] == 'Entry'}
        self.assertEqual({k: e['text'] for k, e in noted.items()}, {(e[0], e[1][e[0]]): e[2] for e in entries})
        for e in entries:
            self.assertEqual(json.loads(noted[e[0], e[1][e[0]]]['vector']), e[1])
        sends = {e['message']: e for e in events if e['kind'] == 'Send'}
        receives = {e['message']: e for e in events if e['kind'] == 'Receive'}
        self.assertEqual(set(sends), set(receives))
        sent = messages(entries)
        self.assertEqual(sorted((s['task'], s['number'], receives[m]['task'], receives[m]['number']) for m, s in sends.items()), sent)
        self.assertTrue(all(sends[m]['to'] == [receives[m]['task']] and receives[m]['from'] == sends[m]['task'] for m in sends))
        expected = dates(entries, reference or entries[0][0], sent)
        self.assertEqual({k: e['t'] for k, e in noted.items()}, expected)
        for a in entries:  # what the vectors say is true of the dates
            for b in entries:
                if before(a, b):
                    self.assertLess(expected[a[0], a[1][a[0]]], expected[b[0], b[1][b[0]]])
        return expected

    def test_made_logs_of_each_reference(self):
        for seed in range(few(6)):
            entries = made(seed)
            path = self.path(f'made{seed}.log', written(entries, seed % 3))
            self.check(path, entries, None)
            self.check(path, entries, random.Random(seed).choice(entries)[0])

    def test_recorded(self):
        entries = read(os.path.join(COMMIT, 'commit.shiviz', 'commit.log'))
        orders = [self.check(COMMIT, entries, who) for who in ('', 'wines', 'anna')]
        self.assertNotEqual(orders[0], orders[1])
        self.assertEqual(self.info(COMMIT)['damaged'], 0)

    def test_dates_as_a_person_types_them(self):
        entries = made(3)
        path = self.path('typed.log', written(entries, 0))
        for reference in ('h1', 'h4'):
            at = dates(entries, reference, messages(entries))
            for (host, number), step in random.Random(4).sample(sorted(at.items()), few(4)):
                state = json.loads(self.scope('state', path, '--reference', reference, '--at', f'{host} {number}', '--json')[0])
                self.assertEqual(float(state['clock']), step)
                state = json.loads(self.scope('state', path, '--reference', reference, '--at', f'{host}:{number} + 1', '--json')[0])
                self.assertEqual(float(state['clock']), min(step + 1, max(at.values())))
        told = self.scope('state', path, '--at', 'nobody 3', status=(1, 2))[1]
        self.assertIn('alice 3 + 2', told)

    def test_events_beside_another(self):
        """What came before, after, or neither, as the format compares."""
        entries = made(5, n=60)
        path = self.path('beside.log', written(entries, 0))
        one = random.Random(1).choice([e for e in entries if any(before(x, e) for x in entries) and any(before(e, x) for x in entries)])
        number = next(i for i, e in enumerate(self.events(path), 1) if e['kind'] == 'Entry' and (e['task'], e['number']) == (one[0], one[1][one[0]]))
        rows = self.events(path, '--beside', str(number))
        n = set()
        for e in (e for e in rows if e['kind'] == 'Entry'):
            other = next(x for x in entries if (x[0], x[1][x[0]]) == (e['task'], e['number']))
            expected = 'before' if before(other, one) else 'after' if before(one, other) else 'same' if other is one else 'beside'
            self.assertEqual(e['beside'], expected)
            n.add(expected)
        self.assertEqual(n, {'before', 'after', 'same', 'beside'})

    def test_long_names_are_compared(self):
        """A vector whose text would have no room in a value says as much as any."""
        n, long = 360, 'n' * 190
        names = [f'{long}{i}' for i in range(n)]
        entries = [(h, {h: 1}, 'x') for h in names[:-1]] + [(names[-1], {x: 1 for x in names}, 'x')]
        path = self.path('long.log', written(entries, 1))
        rows = self.events(path)
        number = next(i for i, e in enumerate(rows, 1) if e['kind'] == 'Entry' and e['task'] == names[-1])
        met = [e['beside'] for e in self.events(path, '--beside', str(number)) if e['kind'] == 'Entry']
        self.assertEqual((met.count('before'), met.count('same')), (n - 1, 1))

    def test_what_is_wrong_is_told(self):
        cases = (('h {"h":1}\na\nh {"h":1}\nb\n', 'stands in line 1 already'), ('h {"h":1}\na\ng {"h":1}\nb\n', 'does not count its own entries'),
                 ('h {"h":1}\na\nh {"h":4}\nb\n', 'entries 2 to 3 of h are missing'),
                 ('h {"h":1,"g":1}\na\ng {"g":1,"h":1}\nb\n', 'impossible'), ('h {"h":1}\na\nxx\nh {"h":2}\nb\n', 'is expected'),
                 ('h {"h":1,"g":2}\na\nh {"h":2,"g":1}\nb\n', 'knows less here than before'), ('h {"h":1,"g":7}\na\n', 'not in the log'))
        for i, (text, told) in enumerate(cases):
            path = self.path(f'wrong{i}.log', text)
            self.assertIn(told, ' '.join(self.scope('info', path)), text)
        path = self.path('one.log', 'h {"h":1}\na\n')
        self.assertIn('No task is called “x”', ' '.join(self.scope('run', path, '--reference', 'x', '--out', self.path('out'), status=(0, 1))))
        self.assertIn('no vectors', ' '.join(self.scope('run', os.path.join(ROOT, 'traces', 'ring.trace'), '--reference', 'x', '--out', self.path('out'),
                                                        status=(0, 1))))

    def test_damaged_and_packed(self):
        data = written(made(7, n=60), 0).encode()
        self.check_damage('x.log', data)
        self.check_travel_and_packing('whole.log', data, ['3', '9.5'])

    def test_patterns_of_shiviz_are_passed_over(self):
        entries = made(9, n=30)
        head = '(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n'
        self.check(self.path('with.log', head + written(entries, 0)), entries, None)

    def test_patterns_in_texts_are_texts(self):
        entries = [('a', {'a': 1}, 'one'), ('a', {'a': 2}, 'like (?<host>x)'), ('b', {'b': 1, 'a': 2}, '(?<y>')]
        self.check(self.path('texts.log', written(entries, 0)), entries, None)

    def test_short_logs_do_not_grow(self):
        """Each message of an entry of many hosts has its vector; who forgets them all is taken to know them still."""
        n, rounds = 900, 5
        lines = [line for r in range(1, rounds + 1) for line in
                 [f'h{i} {{"h{i}":{r}}} x' for i in range(n)] + [f'all {{"all":{r},' + ','.join(f'"h{i}":{r}' for i in range(n)) + '} x']]
        path = self.path('many.log', '\n'.join(lines) + '\n')
        counted = self.info(path)
        self.assertEqual(counted['events'], rounds * (n + 1 + 2 * n))
        kept = sum(os.path.getsize(os.path.join(folder, f)) for folder, _, files in os.walk(self.env['XDG_CACHE_HOME']) for f in files)
        self.assertLess(kept, 4 << 20)
        forgets = 'all {"all":1,' + ','.join(f'"h{i}":1' for i in range(n)) + '} x\n' + ''.join(f'all {{"all":{k}}} x\n' for k in range(2, 5000))
        path = self.path('forgets.log', forgets)
        self.assertIn('too much is forgotten', ' '.join(self.scope('info', path)))
        self.assertEqual(self.info(path)['events'], 1 + -(-(4 << 20) // (n + 1)))


if __name__ == '__main__':
    main()
