# SPDX-License-Identifier: Apache-2.0
"""Threads and locks at random instants, against a second computation from the files of the threads; deadlocks; damage."""
import csv
import json
import os
import random
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import threads                                                                                  # noqa: E402
from formats import ROOT, Format, few, main                                                    # noqa: E402

RECORDED = os.path.join(ROOT, 'traces', 'bank.trace')
CIRCLE = os.path.join(ROOT, 'traces', 'circle.trace')


class Threads(Format):
    def events(self, trace):
        return [json.loads(line) for line in self.scope('events', trace, '--json')[0].splitlines()]

    def names(self, trace, second):
        """Names of threads in order of their numbers, of things by their address: as the trace has them."""
        info = self.info(trace)
        tasks = [t['id'] for t in info['tasks']]
        return tasks[1:1 + len(second.threads)], tasks

    def check_at(self, trace, second, at, people, address_of):
        state = self.state(trace, f'{at / 1e9:.9f}')
        seen = 0
        for node in state['nodes']:
            if node['Type'] == 'Thread':
                told, is_now = second.state(people.index(node['id']), at), node['State']
                if told is None:
                    self.assertIn(is_now, ('Dead', 'Unseen', 'No state'), (node['id'], at))
                elif told[0] == 'runs':
                    self.assertEqual(is_now, 'runs', (node['id'], at))
                elif told[0] == 'holds':
                    self.assertEqual(address_of[is_now[len('holds '):]], told[1], (node['id'], at))
                elif told[0] == threads.JOIN:
                    self.assertEqual(is_now, f'joins {people[second.selves.index(told[1])]}', (node['id'], at))
                else:
                    words = threads.WAIT_WORDS[told[0]] + ' '
                    self.assertTrue(is_now.startswith(words), (node['id'], at, is_now))
                    self.assertEqual(address_of[is_now[len(words):]], told[1], (node['id'], at))
                seen += 1
            elif node['Type'] == 'Process':
                continue
            else:
                self.check_thing(node, second, at, people, address_of[node['id']])
                seen += 1
        return seen

    def check_thing(self, node, second, at, people, address):
        if node['Type'] == 'Lock':
            who = second.holders(address, at)
            free = node['State'] in ('free', 'No state')     # the latter before anything is known of it
            self.assertEqual(free, not who, (node['id'], at, node['State']))
            if len(who) == 1:
                self.assertEqual(node['State'], ('read by ' if who[0][1] else 'held by ') + people[who[0][0]], (node['id'], at))
            elif who:
                self.assertTrue(all(shared for _, shared in who))
                self.assertEqual(node['State'], 'read by several', (node['id'], at))
        if node['Type'] in ('Lock', 'Semaphore'):
            self.assertEqual(int(node['Takes'] or 0), second.takes(address, at), (node['id'], at))
        if node['Type'] == 'Semaphore':
            self.assertEqual(int(node['Value'] or 0), second.value(address, at), (node['id'], at))
        over = second.over(address, at)
        self.assertEqual(int(node['Waiting'] or 0), second.waiting(address, at), (node['id'], at))
        self.assertEqual(int(node['Waits'] or 0), len(over), (node['id'], at))
        self.assertAlmostEqual(float(node['Waited'] or 0), sum(over) / 1e9, 10)
        self.assertAlmostEqual(float(node['Longest'] or 0), max(over, default=0) / 1e9, 10)

    def check_causes(self, trace, second, people, address_of):
        """Each wait for a lock that was ended by an unlock has a message, from who let go of it, then; no other has."""
        got = {}
        for e in self.events(trace):
            if e['kind'] == 'GoOn' and e.get('of') in address_of:
                got[people.index(e['task']), round(float(e['t']) * 1e9)] = people.index(e['from'])
        n = 0
        for i, t in enumerate(second.threads):
            for w in t.waits:
                if w.what > threads.SPIN or not w.got:
                    continue
                cause = second.cause(i, w)
                self.assertEqual(got.get((i, w.until)), cause and cause[0], (people[i], w.until))
                n += cause is not None
        return n

    def addresses(self, second, trace):
        """By name: as the trace names what has none."""
        met = dict((name, address) for address, name in second.names.items())
        _, tasks = self.names(trace, second)
        unnamed = [t for t in tasks if t not in met and t.split()[0] in ('mutex', 'read-write')]
        firsts = []
        for date, address in sorted([(d, x) for t in second.threads for x, d in t.takes]
                                    + [(w.asked, w.thing) for t in second.threads for w in t.waits if w.what != threads.JOIN]):
            if address not in firsts and address not in second.names:
                firsts.append(address)
        met.update(zip(unnamed, firsts))
        return met

    def check_all(self, trace, instants, seed):
        second = threads.Execution(trace)
        people, _ = self.names(trace, second)
        address_of = self.addresses(second, trace)
        chance = random.Random(seed)
        dates = sorted({d for t in second.threads for _, d in t.takes} | {w.until for t in second.threads for w in t.waits if w.until < threads.NEVER})
        at = [chance.randrange(second.last) for _ in range(instants // 2)] + [chance.choice(dates) for _ in range(instants // 2)]
        for instant in at:
            self.assertGreater(self.check_at(trace, second, instant, people, address_of), 0)
        return self.check_causes(trace, second, people, address_of)

    def test_recorded(self):
        self.assertGreater(self.check_all(RECORDED, 24, 7), 20)

    def test_made(self):
        causes = 0
        for seed in range(few(4)):
            trace = self.path(f'made{seed}.trace')
            os.makedirs(trace)
            threads.make(trace, seed)
            causes += self.check_all(trace, 12, seed)
        self.assertGreater(causes, few(50))

    def test_all_on_the_table(self):
        """The program of contention gives the same at the end of the trace."""
        out = self.path('out')
        self.scope('run', RECORDED, '--program', 'contention', '--out', out)
        second = threads.Execution(RECORDED)
        address_of = self.addresses(second, RECORDED)
        with open(os.path.join(out, 'locks.csv')) as f:
            head, *rows = [line.rstrip('\n').split(',') for line in f]
        self.assertGreater(len(rows), 8)
        for row in rows:
            told = dict(zip(head, row))
            over = second.over(address_of[told['task']], second.last)
            self.assertEqual(int(told['Waits'] or 0), len(over), told)
            self.assertAlmostEqual(float(told['Waited [s]'] or 0), sum(over) / 1e9, 10)
            self.assertEqual(int(told['Takes'] or 0), second.takes(address_of[told['task']], second.last), told)

    def test_waits_and_their_causes(self):
        """Wait states, each under its own name: for a lock until who had it let go of it, for a semaphore until the post that
        this take has, at a barrier until the last of its round, for a thread until it ends."""
        out = self.path('out')
        self.scope('run', RECORDED, '--program', 'waits', '--out', out)
        second = threads.Execution(RECORDED)
        address_of = self.addresses(second, RECORDED)
        told, kinds = {}, {}
        with open(os.path.join(out, 'waits.csv')) as f:
            head, *rows = [line.rstrip('\n').split(',') for line in f]
        for row in rows:
            r = dict(zip(head, row))
            region = r.get('region') or r.get('call')
            told[region] = told.get(region, 0) + float(next(r[k] for k in head if k.startswith('waited')))
            kinds.setdefault(region, set()).add(r['kind'])
        n = 0
        for name, address in address_of.items():
            ticks = [second.cause(i, w)[1] - w.asked for i, t in enumerate(second.threads) for w in t.waits
                     if w.what <= threads.SPIN and w.thing == address and w.got and second.cause(i, w)]
            if ticks:
                self.assertAlmostEqual(told[f'waits for {name}'], sum(ticks) / 1e9, 7)
                self.assertEqual(kinds[f'waits for {name}'], {'Lock held by another'})
                n += 1
        self.assertGreater(n, 1)
        names = {address: name for name, address in address_of.items()}
        expected = {}
        for what, kind, region, ends in ((threads.SEMAPHORE, 'Semaphore not posted', 'waits for semaphore {}', second.post_of),
                                         (threads.BARRIER, 'Wait at barrier of threads', 'at barrier {}', second.last_of_round)):
            for w in (w for t in second.threads for w in t.waits if w.what == what and w.got):
                name = region.format(names[w.thing])
                expected[name] = expected.get(name, 0) + max(ends(w) - w.asked, 0)
                self.assertLessEqual(kinds.get(name, {kind}), {kind}, name)
        for w in (w for t in second.threads for w in t.waits if w.what == threads.JOIN and w.got):
            joined = second.selves.index(w.thing)
            (name,) = [r for r in kinds if r.startswith('joins') and r.split('joins ')[1] in (names.get(w.thing, ''), f'teller {joined}')] or ['']
            expected[name] = max(second.threads[joined].died - w.asked, 0)
            self.assertLessEqual(kinds.get(name, {'Thread not ended'}), {'Thread not ended'})
        for name, ticks in expected.items():
            self.assertAlmostEqual(told.get(name, 0), ticks / 1e9, 7, name)
        self.assertEqual({k.split(' ')[0] for k, ticks in expected.items() if ticks > 0}, {'at', 'joins'})
        self.assertLessEqual(kinds['waits for condition not_full'], {'Condition not signalled', 'Lock held by another'})
        self.assertFalse([k for k in kinds.values() if 'Late sender' in k])

    def test_waits_for_a_semaphore(self):
        """Each take has the oldest post that nobody has; those of its making wait for nobody."""
        for seed in (1, 2):
            trace, out = threads.make_posts(self.path(f'posts{seed}.trace'), seed), self.path(f'out{seed}')
            second = threads.Execution(trace)
            self.scope('run', trace, '--program', 'waits', '--out', out)
            with open(os.path.join(out, 'waits.csv')) as f:
                rows = list(csv.DictReader(f))
            never = [r for r in rows if r['kind'] == 'Never answered']
            rows = [r for r in rows if r['kind'] != 'Never answered']
            last = max(float(e['t']) for e in self.events(trace))
            asked = [last - w.asked / 1e9 for t in second.threads for w in t.waits if not w.got and w.until == threads.NEVER]
            self.assertAlmostEqual(sum(float(r['waited [s]']) for r in never), sum(asked), 8)
            self.assertEqual({r['kind'] for r in rows}, {'Semaphore not posted'})
            waits = [max(second.post_of(w) - w.asked, 0) for t in second.threads for w in t.waits if w.got]
            self.assertGreater(sum(w > 0 for w in waits), 5)
            self.assertEqual(sum(int(r['times']) for r in rows), sum(w > 0 for w in waits))
            self.assertAlmostEqual(sum(float(r['waited [s]']) for r in rows), sum(waits) / 1e9, 9)

    def test_deadlock_is_told(self):
        said = self.scope('info', CIRCLE)[0]
        self.assertRegex(said, r'deadlock from 0\.\d+\ss on: philosopher \d waits for fork \d \(circle\.c:\d+\), which philosopher \d holds')
        found = [e for e in self.events(CIRCLE) if e['kind'] == 'Deadlock']
        self.assertEqual(len(found), 1)
        second = threads.Execution(CIRCLE)
        self.assertEqual(round(float(found[0]['t']) * 1e9), max(t.waits[-1].asked for t in second.threads[1:]))
        self.assertEqual(found[0]['circle'].count('waits for'), len(second.threads) - 1)

    def test_cut_and_changed_files(self):
        """However a file is cut or changed, the trace is opened or refused with a sentence."""
        chance = random.Random(3)
        trace = self.path('bad.trace')
        for n in range(few(25)):
            shutil.rmtree(trace, ignore_errors=True)
            os.makedirs(trace)
            threads.make(trace, n, threads=3, steps=20)
            for name in os.listdir(os.path.join(trace, 'made.threads')):
                path = os.path.join(trace, 'made.threads', name)
                with open(path, 'r+b') as f:
                    data = bytearray(f.read())
                    for _ in range(chance.randrange(6)):
                        data[chance.randrange(len(data))] = chance.randrange(256)
                    f.seek(0)
                    f.write(data[:chance.randrange(len(data))] if n % 3 == 0 else data)
                    f.truncate()
            out, err = self.scope('info', trace, status=(0, 1))
            self.assertTrue(out or err)

    def test_nothing_was_recorded(self):
        trace = self.path('empty.trace')
        os.makedirs(os.path.join(trace, 'empty.threads'))
        self.assertIn('no file of a thread', self.scope('info', trace, status=1)[1])


if __name__ == '__main__':
    main()
