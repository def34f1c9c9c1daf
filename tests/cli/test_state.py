# SPDX-License-Identifier: Apache-2.0
"""scope state: hand-computed instants, and random executions folded a second way (thesis, annex A.2)."""
import collections
import random
import shutil
import subprocess
import unittest

from cli import Case, columns, pair, scope

STATES = ['Busy', 'Overhead', 'Idle', 'Talking']


def by_id(objects):
    return {o['id']: o for o in objects}


class ByHand(Case):
    """tests/cli/data/pair.trace; the comments in its events say what happens."""

    def at(self, t):
        return self.good('state', pair(), '--at', t, '--json').json()

    def check(self, t, nodes, edges):
        state = self.at(t)
        self.assertEqual(state['clock'], float(t))
        self.assertEqual(state['format'], 'tapepvm')
        self.assertEqual(state['graph']['ClockUnits'], 's')
        for objects, wanted in ((state['nodes'], nodes), (state['edges'], edges)):
            self.assertEqual([o['id'] for o in objects], sorted(wanted), f'at {t}')
            for object_id, attributes in wanted.items():
                have = by_id(objects)[object_id]
                self.assertEqual({k: have[k] for k in attributes}, attributes, f'{object_id} at {t}')

    def test_before_the_second_task(self):
        self.check('0.5', {'t40001': {'State': 'Busy', 'PercentBusy': '100.0', 'Nickname': 'boss'}}, {})

    def test_waiting(self):
        self.check('2', {'t40001': {'State': 'Overhead', 'PercentBusy': '100.0'},
                         't40002': {'State': 'Idle', 'PercentBusy': '50.0', 'PercentIdle': '50.0'}},
                   {'t40001->t40002': {'State': 'Idle', 'from': 't40001', 'to': 't40002', 'TotalTraffic': '0'}})

    def test_talking(self):
        self.check('2.75', {'t40001': {'State': 'Busy', 'PercentBusy': '81.8', 'PercentOverhead': '18.2'},
                            't40002': {'State': 'Talking', 'PercentBusy': '28.6', 'PercentIdle': '57.1',
                                       'PercentTalking': '14.3'}},
                   {'t40001->t40002': {'State': 'Talking', 'Traffic': '4096', 'TotalTraffic': '0',
                                       'PercentIdle': '80.0', 'PercentTalking': '20.0'}})

    def test_an_end_belongs_to_its_instant(self):
        self.assertEqual(by_id(self.at('2.999999999')['nodes'])['t40002']['State'], 'Talking')
        state = self.at('3')
        self.assertEqual(by_id(state['nodes'])['t40002']['State'], 'Busy')
        self.assertEqual(by_id(state['edges'])['t40001->t40002']['State'], 'Unused')
        self.assertEqual(by_id(state['edges'])['t40001->t40002']['TotalTraffic'], '4096')

    def test_unexpected_message(self):
        self.check('3.75', {'t40001': {'State': 'Busy'}, 't40002': {'State': 'Busy'}},
                   {'t40001->t40002': {'State': 'Unused'},
                    't40002->t40001': {'State': 'Overhead', 'Traffic': '100', 'TotalTraffic': '0'}})
        self.check('4.1', {'t40001': {'State': 'Overhead'}, 't40002': {'State': 'Busy'}},
                   {'t40001->t40002': {'State': 'Unused'}, 't40002->t40001': {'State': 'Overhead'}})

    def test_death(self):
        self.check('4.6', {'t40001': {'State': 'Busy'}, 't40002': {'State': 'Dead'}},
                   {'t40001->t40002': {'State': 'Unused'}, 't40002->t40001': {'State': 'Dead', 'TotalTraffic': '100'}})

    def test_before_the_first_event(self):
        later = self.bundle('#TAPE/PVM 1\n60 1000000000 262145 10 0 262145 1 8 0\n', 'later')
        state = self.good('state', later, '--at', '0.5', '--json').json()
        self.assertEqual((state['nodes'], state['edges']), ([], []))
        for at in ('0', '-1'):
            done = scope('state', later, '--at', at)
            self.assertEqual((done.status, done.err),
                             (0, 'scope: --at: nothing has happened yet: the first event is at 1.000000 s\n'))
            self.assertIn('0 tasks, 0 links', done.out)

    def test_after_the_end_is_the_end(self):
        self.assertEqual(self.at('1000000'), self.at('5'))

    def test_table(self):
        rows = columns(self.good('state', pair(), '--at', '2.75').out)
        heads = [i for i, row in enumerate(rows) if row[0] in ('node', 'edge')]
        self.assertEqual([rows[i][0] for i in heads], ['node', 'edge'])
        self.assertEqual([rows[heads[0] + 1][0], rows[heads[0] + 2][0]], ['t40001', 't40002'])
        self.assertIn('Talking', rows[heads[0] + 2])
        self.assertIn('4096', rows[heads[1] + 1])

    @unittest.skipUnless(shutil.which('dot'), 'needs Graphviz')
    def test_dot(self):
        for t in ('0', '2', '2.75', '4.6', '9'):
            dot = self.good('state', pair(), '--at', t, '--dot').out
            drawn = subprocess.run(['dot', '-Tsvg'], input=dot.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(drawn.returncode, 0, drawn.stderr)
            self.assertIn(b'</svg>', drawn.stdout)
            self.assertEqual('t40002' in dot, float(t) >= 1)


# ---- a second way --------------------------------------------------------------------------------------------------

def play(rng, tasks, steps):
    """A random execution that could have been: gives lines of `events`.  No two events have one date."""
    dates, lines, clock = set(), [], [0] * tasks
    pending = [[] for _ in range(tasks)]        # by receiver: (end of send, sender, tag, size) in order of sending

    def fresh(at):
        while at in dates:
            at += 1
        dates.add(at)
        return at

    def lasting(begin, least=10):
        return fresh(begin + least + rng.randrange(10 ** 7))

    first = 262145
    for t in range(tasks):
        clock[t] = fresh(rng.randrange(1000))
        lines.append(f'1 {clock[t]} {first + t} 0 0 host{t} LINUX64 1000 -1 prog')
    for _ in range(steps):
        t = min(range(tasks), key=clock.__getitem__)
        begin = fresh(clock[t] + rng.randrange(1, 10 ** 7))
        what = rng.random()
        # The head of each (sender, tag) may be received: order is kept only between two tasks.
        heads = list({(m[1], m[2]): m for m in reversed(pending[t])}.values())
        if what < 0.2:
            end = lasting(begin)
            lines.append(f'15 {begin} {first + t} {end - begin} 0 8 1 32 0')
        elif what < 0.6 or not heads:
            to = rng.choice([x for x in range(tasks) if x != t])
            end, tag, size = lasting(begin), rng.randrange(2), rng.randrange(1, 5000)
            pending[to].append((end, t, tag, size))
            lines.append(f'60 {begin} {first + t} {end - begin} 0 {first + to} {tag} {size} 0')
        else:
            m = rng.choice(heads)
            pending[t].remove(m)
            end = lasting(max(begin, m[0]))
            asked = rng.choice([(first + m[1], m[2]), (-1, m[2]), (first + m[1], -1), (-1, -1)])
            lines.append(f'62 {begin} {first + t} {end - begin} 0 {asked[0]} {asked[1]} {first + m[1]} {m[2]} {m[3]} {len(lines)}')
        clock[t] = end
    for t in range(tasks):
        if rng.random() < 0.7:
            clock[t] = fresh(clock[t] + 10)
            lines.append(f'2 {clock[t]} {first + t} 0 0 0')
    rng.shuffle(lines)                          # the reader sorts
    return '\n'.join(lines) + '\n', sorted(dates)


class Thing:
    """A task or a link: a state and the time spent in each."""

    def __init__(self, now, state):
        self.state, self.since, self.spent = state, now, collections.Counter()
        self.total = self.volume = self.count = self.traffic = 0
        self.waits = None

    def become(self, state, now):
        if self.state != 'Dead':
            self.spent[self.state] += now - self.since
        self.state, self.since = state, now

    def percent(self, state, now):
        spent = collections.Counter(self.spent)
        if self.state != 'Dead':
            spent[self.state] += now - self.since
        whole = sum(spent.values())
        return 100 * spent[state] / whole if whole else 0


def fold(events, until):
    tasks, links, queues = {}, {}, collections.defaultdict(list)
    for e in events:
        now = round(e['t'] * 10 ** 9)
        if now > until:
            break
        me, kind, end = e['task'], e['kind'], e.get('end', False)
        if kind == 'Enroll':
            tasks[me] = Thing(now, 'Busy')
        elif kind == 'Exit':
            tasks[me].become('Dead', now)
            for (source, _), link in links.items():
                if source == me:
                    link.become('Dead', now)
        elif kind == 'PkInt':
            tasks[me].become('Busy' if end else 'Overhead', now)
        elif kind == 'Send' and not end:
            tasks[me].become('Overhead', now)
        elif kind == 'Send':
            to, size = e['to'][0], e['bytes']
            link = links.setdefault((me, to), Thing(now, 'Unused'))
            tasks[me].become('Busy', now)
            link.volume += size
            link.count += 1
            if tasks[to].waits == (me, e['tag']):
                tasks[to].waits = None
                tasks[to].become('Talking', now)
                link.become('Talking', now)
                link.traffic = size
            else:
                queues[me, to, e['tag']].append(size)
                if link.state != 'Talking':
                    link.become('Overhead', now)
                    link.traffic = link.volume
        elif kind == 'Recv' and not end:
            source, tag = e['from'], e['tag']
            if queues[source, me, tag]:
                queues[source, me, tag].pop(0)
                tasks[me].become('Overhead', now)
            else:
                tasks[me].waits = (source, tag)
                tasks[me].become('Idle', now)
                links.setdefault((source, me), Thing(now, 'Unused')).become('Idle', now)
        else:
            assert kind == 'Recv', kind
            link = links[e['from'], me]
            tasks[me].become('Busy', now)
            link.total += e['bytes']
            link.volume -= e['bytes']
            link.count -= 1
            if link.state != 'Dead':
                link.become('Overhead' if link.count else 'Unused', now)
            link.traffic = link.volume
    return tasks, links


class SecondWay(Case):
    def compare(self, state, events, now):
        tasks, links = fold(events, now)
        self.assertEqual([n['id'] for n in state['nodes']], sorted(tasks))
        for node in state['nodes']:
            mine = tasks[node['id']]
            self.assertEqual(node['State'], mine.state, f'{node["id"]} at {now}')
            for name in STATES:
                self.assertAlmostEqual(float(node['Percent' + name]), mine.percent(name, now), delta=0.0501)
        self.assertEqual([e['id'] for e in state['edges']], [f'{a}->{b}' for a, b in sorted(links)])
        for edge in state['edges']:
            mine = links[edge['from'], edge['to']]
            where = f'{edge["id"]} at {now}'
            self.assertEqual(edge['State'], mine.state, where)
            self.assertEqual(int(edge['TotalTraffic']), mine.total, where)
            if mine.state in ('Unused', 'Overhead', 'Talking'):
                self.assertEqual(int(edge['Traffic']), mine.traffic, where)
            for name in ('Unused', 'Overhead', 'Idle', 'Talking'):
                self.assertAlmostEqual(float(edge['Percent' + name]), mine.percent(name, now), delta=0.0501, msg=where)

    def test_many_instants(self):
        for seed in range(6):
            rng = random.Random(seed)
            text, dates = play(rng, 2 + seed, 150)
            trace = self.bundle(text, name=f'play{seed}')
            events = self.good('events', trace, '--json').lines()
            self.assertEqual([round(e['t'] * 10 ** 9) for e in events], dates)
            for _ in range(12):
                now = rng.choice(dates) + rng.choice((-1, 0, 0, 1, rng.randrange(10 ** 6)))
                now = min(max(now, dates[0]), dates[-1])
                at = f'{now // 10 ** 9}.{now % 10 ** 9:09d}'
                done = self.good('state', trace, '--at', at, '--json')
                self.compare(done.json(), events, now)


if __name__ == '__main__':
    unittest.main()
