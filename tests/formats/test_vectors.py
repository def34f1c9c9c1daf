# SPDX-License-Identifier: Apache-2.0
"""Vector clocks beside a second computation: what came before what, by the closure of the order of each task and of the
messages, births and barriers, over all events of small executions; and which receives of any sender could have got another message."""
import csv
import json
import math
import os
import random
import re
from collections import defaultdict, deque

from formats import ROOT, Format, few, main

PROGRAM = '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><title>Vectors</title>
  <component name="Reader" class="scope.{reader}-reader" version="1" x="40" y="40"/>
  <component name="Vectors" class="scope.vector-clocks" version="1" x="240" y="40">{settings}</component>
{files}  <wire from="Reader" out="events" to="Vectors" in="events"/>
</eve>
'''
OUTS = {'table': 'data-file', 'order': 'csv-sink', 'concurrent': 'csv-sink', 'races': 'data-file', 'impossible': 'data-file'}


class Order:
    """All events, and of each the set of those before it, as bits."""

    def __init__(self, events):
        self.events, self.before, self.matched = events, [], {}
        self.of, flying, born = defaultdict(list), defaultdict(deque), {}
        self.flying = flying  # in the end: what nobody has received
        early, self.impossible = defaultdict(deque), []
        met = self.meetings()
        for end, begins in [*self.rooted().items(), *self.rendezvous().items()]:
            met[end] = [*met.get(end, ()), *begins]
        for i, e in enumerate(events):
            own = self.of[e['task']]
            before = self.before[own[-1]] | 1 << own[-1] if own else 0
            if not own and e['task'] in born:
                before |= self.before[born[e['task']]] | 1 << born[e['task']]
            for k in met.get(i, ()):
                before |= self.before[k] | 1 << k
            for child in e.get('spawned', ()) if not e.get('end') else ():
                if not self.of[child]:
                    born.setdefault(child, i)
                elif child != e['task'] and child not in born and events[self.of[child][0]]['t'] < e['t']:
                    self.impossible.append(('birth', e['task'], e['t'], child, events[self.of[child][0]]['t'], None))
            instant = 'duration' not in e and 'unfinished' not in e
            if e.get('from') and 'asked_from' in e and e.get('result', 0) >= 0 and (e.get('end') or instant) and 'unfinished' not in e:
                queue = flying[e['from'], e['task'], e.get('tag', -1)]
                if queue:
                    self.matched[i] = sent = queue.popleft()
                    before |= self.before[sent] | 1 << sent
                else:
                    early[e['from'], e['task'], e.get('tag', -1)].append(e['t'])
            own.append(i)
            self.before.append(before)
            to = e.get('to') if 'meeting' not in e else None
            if to and not e.get('end') and e.get('result', 0) >= 0:
                for t in [t for t in to if t != e['task'] or e['kind'] != 'Mcast'] if isinstance(to, list) else [to]:
                    key = e['task'], t, e.get('tag', -1)
                    if early[key]:  # received before it was sent
                        at = early[key].popleft()
                        if at < e['t']:
                            self.impossible.append(('message', e['task'], e['t'], t, at, e.get('tag', -1)))
                    else:
                        flying[key].append(i)

    def rendezvous(self):
        """Ends of a rendezvous -> the begin of the other's call: the one over the same link with the same number, or, where that never ended,
        the one that is there; of a call that looks for a sender, the begin of the send that is there."""
        open_, numbered, ends, known = {}, {}, [], {}
        there = defaultdict(dict)       # (link, sends) -> thread -> begin
        for i, e in enumerate(self.events):
            who = e['task'], e.get('thread')
            if e.get('link') and e['kind'] in ('Alt', 'NAlt') and e.get('end') and e.get('result', -1) >= 0:
                known[i] = sorted(there[e['link'], True].values())[:1]
            if 'meeting' not in e:
                continue
            side = e['link'], bool(e.get('to'))
            if not e.get('end'):
                open_[who] = there[side][who] = i
                continue
            begin = open_.pop(who)
            if e['meeting']:
                numbered[*side, e['meeting']] = begin
                ends.append((i, side, e['meeting'], sorted(there[side[0], not side[1]].values())))
            del there[side][who]
        for i, (link, sends), number, others in ends:
            begin = numbered.get((link, not sends, number))
            known[i] = [begin] if begin is not None else others[:1]
        return known

    def rooted(self):
        """Ends of what has a root -> the begins that they know of: of the others the root's, of the root all others' until then."""
        nth, begins, ends = defaultdict(int), defaultdict(dict), {}
        inside = {}
        for i, e in enumerate(self.events):
            if e['kind'] not in ('Scatter', 'Gather', 'Reduce') or not e.get('group'):
                continue
            if not e.get('end'):
                nth[e['task'], e['group']] += 1
                inside[e['task']] = e['group'], nth[e['task'], e['group']]
                begins[inside[e['task']]][e['task']] = i
            elif e['task'] in inside and e.get('result', 0) >= 0 and e.get('root'):
                ends[i] = inside.pop(e['task'])
        known = {}
        for i, which in ends.items():
            e = self.events[i]
            if e['kind'] == 'Scatter':
                known[i] = [b for t, b in begins[which].items() if t == e['root'] != e['task'] and b < i]
            elif e['task'] == e['root']:
                known[i] = [b for b in begins[which].values() if b < i]
        return known

    def meetings(self):
        """Ends of barriers -> the begins of all that met: as intervals, those that all contain one instant."""
        calls, open_, ends_of = defaultdict(list), {}, {}
        for i, e in enumerate(self.events):
            if e['kind'] in ('Barrier',) and e.get('group') and not e.get('end'):
                open_[e['task']] = i
                calls[e['group']].append(i)
            elif e['kind'] in ('Barrier',) and e.get('group') and e['task'] in open_:
                ends_of[open_.pop(e['task'])] = i
        met = {}
        for begins in calls.values():
            while begins:
                first = min((ends_of[b] for b in begins if b in ends_of and self.events[b].get('result', 0) >= 0), default=None)
                if first is None:
                    break
                together = [b for b in begins if b < first]
                if len(together) == self.events[together[-1]].get('count', len(together)):
                    met.update((ends_of[b], together) for b in together if b in ends_of)
                begins = [b for b in begins if b > first]
        return met

    def table(self, reference, instant):
        last = [i for i in self.of[reference] if instant is None or self.events[i]['t'] <= instant]
        rows = {}
        for task, own in self.of.items():
            at = last[-1] if last else None
            past = self.before[at] | 1 << at if last else 0
            before = [i for i in own if past >> i & 1]
            after = [i for i in own if last and self.before[i] >> at & 1 or not last and task == reference]
            rows[task] = (len(own), len(before), len(own) - len(before) - len(after), len(after),
                          self.events[before[-1]]['t'] if before else None, self.events[after[0]]['t'] if after and task != reference else None)
        return rows

    def knows(self, i, reference):
        past = self.before[i] | 1 << i
        return sum(past >> k & 1 for k in self.of[reference])

    def races(self):
        found, any_of = {}, defaultdict(list)

        def look(sent, task, sender, tag):
            for r in any_of[task][-32:]:
                one = self.events[r]
                if sender != one['from'] and one['asked_tag'] in (-1, tag) and not self.before[sent] >> r & 1:
                    key = one['t'], task, sender  # of several of one sender the first
                    found[key] = min(found.get(key, (math.inf,)), (self.events[sent]['t'], tag, one['from']))

        for i, e in enumerate(self.events):
            if i not in self.matched:
                continue
            look(self.matched[i], e['task'], e['from'], e['tag'])
            if e['asked_from'] is None:
                any_of[e['task']].append(i)
        for (sender, task, tag), queue in self.flying.items():
            for sent in queue:
                look(sent, task, sender, tag)
        return [(t, task, got, sender, tag) for (t, task, sender), (_, tag, got) in found.items()]


class Vectors(Format):
    def outputs(self, trace, **settings):
        files = ''.join(f'  <component name="{o}" class="scope.{c}" version="1" x="440" y="40"><setting name="file">{o}.csv</setting></component>\n'
                        f'  <wire from="Vectors" out="{o}" to="{o}" in="in"/>\n' for o, c in OUTS.items())
        text = ''.join(f'<setting name="{n}">{v}</setting>' for n, v in settings.items() if v is not None)
        lines = files.splitlines(True)
        reader = 'tape' if os.path.isdir(os.path.join(trace, os.path.basename(trace)[:-6] + '.tape')) else 'tapepvm'
        program = self.path('vectors.eve', PROGRAM.format(reader=reader, settings=text, files=''.join(line for line in lines if 'component' in line))
                            .replace('</eve>', ''.join(line for line in lines if 'wire' in line) + '</eve>'))
        out = self.path('out')
        self.scope('run', trace, '--program', program, '--out', out)
        read = {}
        for o in OUTS:
            path = os.path.join(out, o + '.csv')
            with open(path, encoding='utf-8', newline='') as f:
                read[o] = list(csv.DictReader(f))
            os.remove(path)
        return read

    def check(self, trace, seed):
        r = random.Random(seed)
        order = Order([json.loads(line) for line in self.scope('events', trace, '--json')[0].splitlines()])
        names = {t['id']: t.get('nickname') or t['id'] for t in self.info(trace)['tasks']}
        end, n = order.events[-1]['t'], len(order.events)
        self.assertGreater(len(order.matched), 0)
        for instant in [None] + [f'{r.random() * end:.6f}' for _ in range(few(3))]:
            reference = r.choice(list(order.of))
            got = self.outputs(trace, reference=reference, instant=instant)
            expected = order.table(reference, None if instant is None else float(instant))
            number = lambda x: None if x == '' else float(x)                                                        # noqa: E731
            table = {row['task']: (*(int(row[c]) for c in ('events', 'before', 'concurrent', 'after')), number(row['last before [s]']),
                                   number(row['first after [s]'])) for row in got['table']}
            self.assertEqual(table, {names[t]: v for t, v in expected.items()}, (trace, reference, instant))
            self.assertEqual({row['task']: int(row['knows']) for row in got['table']},
                             {names[t]: order.knows(own[-1], reference) for t, own in order.of.items()})
            self.assertEqual([int(row['value']) for row in got['order']], [order.knows(i, reference) for i in range(n)])
            races = sorted((float(r['receive [s]']), r['task'], r['got from'], r['could get'], int(r['tag'])) for r in got['races'])
            self.assertEqual(races, sorted((t, names[x], names[a], names[b], tag) for t, x, a, b, tag in order.races()))
            self.assertEqual(sorted((r['what'], r['from'], float(r['cause [s]']), r['to'], float(r['came [s]']), r['tag']) for r in got['impossible']),
                             sorted((w, names[a], t, names[b], u, '' if tag is None else str(tag)) for w, a, t, b, u, tag in order.impossible))
            self.check_stretches(got['concurrent'], expected, reference, order, names, end, instant)
        return len(order.races())

    def check_stretches(self, rows, table, reference, order, names, end, instant):
        expected = {}
        for task, (_, before, _, after, last, first) in table.items():
            if task != reference and instant is not None and any(order.events[i]['t'] <= float(instant) for i in order.of[reference]):
                expected[names[task]] = (last if before else order.events[order.of[task][0]]['t'], first if after else end)
        told = [re.fullmatch(r'(.*): Concurrent, (\d+) to (\d+), for (.*)', row['in']).groups() for row in rows]
        self.assertEqual({t: (int(a), int(b)) for t, a, b, _ in told},
                         {t: (round(a * 1e9), round(b * 1e9)) for t, (a, b) in expected.items() if a < b})
        self.assertEqual({of for *_, of in told} - {names[reference]}, set())

    def test_samples(self):
        races = [self.check(os.path.join(ROOT, 'traces', name + '.trace'), i) for i, name in enumerate(('farm', 'ring', 'fft2d-s2', 'groups', 'births'))]
        self.assertGreater(races[0], 0)  # its master takes what comes first
        self.assertEqual(races[1], 0)    # in a ring each hears of one other only

    def test_made(self):
        for seed in range(few(5)):
            trace = self.path(f'made{seed}.trace')
            self.scope('synth', '--format', 'tapepvm', '--tasks', str(2 + 2 * seed), '--events', '600', '--seed', str(seed), '-o', trace)
            self.check(trace, seed)

    def test_rendezvous(self):
        """Both know, when it is over, what the other knew when it came; whoever looks for a sender knows what that one knew."""
        r, learnt = random.Random(int(os.environ.get('SCOPE_SEED', '9'))), 0
        for sample in ('farm-alt', 'pipeline', 'shop', 'deaths', 'philosophers'):
            trace = os.path.join(ROOT, 'traces', sample + '.trace')
            if not os.path.isdir(os.path.join(trace, sample + '.tape')):
                continue
            order = Order([json.loads(line) for line in self.scope('events', trace, '--json')[0].splitlines()])
            for reference in r.sample(sorted(order.of), min(len(order.of), few(3))):
                got = self.outputs(trace, reference=reference)
                want = [order.knows(i, reference) for i in range(len(order.events))]
                mine = [int(row['value']) for row in got['order']]
                if sample == 'philosophers':    # which of several threads it was may be told too late: at least so much is known
                    self.assertTrue(all(a <= b for a, b in zip(mine, want)), (sample, reference))
                else:
                    self.assertEqual(mine, want, (sample, reference))
                learnt += sum(want[i] > 0 for i in order.rendezvous() if order.events[i]['task'] != reference)
        self.assertGreater(learnt, 20)

    def test_barriers_and_births_order(self):
        """Each task of a group knows all that was before the barrier; a child what was before its birth."""
        trace = os.path.join(ROOT, 'traces', 'groups.trace')
        events = [json.loads(line) for line in self.scope('events', trace, '--json')[0].splitlines()]
        order = Order(events)
        met = order.meetings()
        self.assertGreater(len(met), 8)
        end = max(i for i in met if len(met[i]) == 4)
        self.assertTrue(all(order.before[end] >> k & 1 for k in met[end] if k != end))
        child = next(e for e in events if e['kind'] == 'Enroll' and e['parent'])
        first = order.of[child['task']][0]
        self.assertTrue(any(e['kind'] == 'Spawn' and not e.get('end') and order.before[first] >> i & 1 for i, e in enumerate(events)))

    def test_what_one_gives_to_all_or_gets_of_all(self):
        """Whoever was given something knows what the root knew; a root that got of all knows what all knew."""
        order = Order([json.loads(line) for line in self.scope('events', os.path.join(ROOT, 'traces', 'groups.trace'), '--json')[0].splitlines()])
        known = order.rooted()
        self.assertEqual({order.events[i]['kind'] for i, begins in known.items() if begins}, {'Scatter', 'Gather', 'Reduce'})
        for end, begins in known.items():
            self.assertTrue(all(order.before[end] >> b & 1 for b in begins))

    def test_impossible_orders(self):
        """The clock of one machine goes wrong: what was received before it was sent, as many as a second computation finds."""
        for seed in range(few(4)):
            r, lines = random.Random(seed), []
            tasks = [262146 + i for i in range(4)]
            wrong = {t: r.choice([0, 0, -700, 900]) for t in tasks[1:]}
            lines += [(1, f'1 1 {t} 0 0 h L 1 -1 p') for t in tasks]
            for k in range(60):
                a, b = r.sample(tasks, 2)
                at = 2000 + 100 * k
                lines.append((at + wrong.get(a, 0), f'60 {at + wrong.get(a, 0)} {a} 3 0 {b} {k % 3} 4 0'))
                lines.append((at + 40 + wrong.get(b, 0), f'62 {at + 40 + wrong.get(b, 0)} {b} 3 0 {a} {k % 3} {a} {k % 3} 4 0'))
            trace = self.path(f'wrong{seed}.trace')
            os.makedirs(os.path.join(trace, f'wrong{seed}.tapepvm'))
            with open(os.path.join(trace, f'wrong{seed}.tapepvm', 'events'), 'w', encoding='utf-8') as f:
                f.write('#TAPE/PVM 1\n' + ''.join(line + '\n' for _, line in sorted(lines)))
            events = [json.loads(line) for line in self.scope('events', trace, '--json')[0].splitlines()]
            impossible = Order(events).impossible
            self.assertGreater(len(impossible), 3 if any(wrong.values()) else -1)
            self.check(trace, seed)
            out = self.path('told')
            self.scope('report', trace, '-o', out)
            with open(os.path.join(out, 'report.txt'), encoding='utf-8') as f:
                text = ' '.join(f.read().split())
            self.assertEqual(f'{len(impossible)} times something is dated before its cause' in text, bool(impossible), text)

    def test_report_tells_races(self):
        """Races stand in the report, as many as a second computation finds; where there are none, nothing is said."""
        for name in ('farm', 'ring'):
            trace = os.path.join(ROOT, 'traces', name + '.trace')
            races = Order([json.loads(line) for line in self.scope('events', trace, '--json')[0].splitlines()]).races()
            out = self.path('out')
            self.scope('report', trace, '-o', out)
            with open(os.path.join(out, 'report.txt'), encoding='utf-8') as f:
                text = ' '.join(f.read().split())
            n = len({(t, task) for t, task, *_ in races})
            if n == 0:
                self.assertNotIn('could come in another order', text)
                continue
            self.assertIn(f'{n} receives of any sender could have got another message, which was sent', text)
            self.assertIn('What could come in another order', text)
            names = {t['id']: t.get('nickname') or t['id'] for t in self.info(trace)['tasks']}
            told = re.findall(r'At ([\d.]+) s, (.*?) got the message of (.*?); it could have been one of: (.*?)\.(?= At| All)', text)
            expected = defaultdict(set)
            for t, task, got, other, _ in races:
                expected[f'{t:.9f}'.rstrip('0'), names[task], names[got]].add(names[other])
            self.assertEqual(len(told), 4)
            for at, task, got, others in told:
                self.assertEqual(set(others.split(', ')), expected[at.rstrip('0'), task, got])
            self.assertEqual(float(told[0][0]), min(races)[0])

    def test_race_for_what_nobody_receives(self):
        """A message that nobody took in the end could have been what a receive of any sender got."""
        os.makedirs(self.path('left.trace/left.tapepvm'))
        with open(self.path('left.trace/left.tapepvm/events'), 'w', encoding='utf-8') as f:
            f.write('#TAPE/PVM 1\n' + ''.join(f'1 0 {t} 0 0 h L 1 -1 p\n' for t in (262146, 262147, 262148))
                    + '60 100 262147 10 0 262146 1 4 0\n60 105 262148 10 0 262146 1 4 0\n60 106 262148 1 0 262146 2 4 0\n'
                      '62 200 262146 10 0 -1 1 262147 1 4 0\n2 300 262146 0 0 0\n')
        self.assertEqual(self.check(self.path('left.trace'), 1), 1)
        self.scope('report', self.path('left.trace'), '-o', self.path('left'))
        with open(self.path('left/report.txt'), encoding='utf-8') as f:
            self.assertIn('1 receive of any sender could have got another message', ' '.join(f.read().split()))

    def test_travel_and_reference(self):
        """The table at an instant is one, played to or travelled to; another reference is answered from there."""
        farm = os.path.join(ROOT, 'traces', 'farm.trace')
        tables = []
        for at in ('0.08', '0.08', '0.1'):
            out = self.path('at.csv')
            self.scope('draw', farm, '--program', 'vector-clocks', '--view', 'Vectors', '--at', at, '--set', 'Vector clocks.reference=t40004', '-o', out)
            with open(out, encoding='utf-8') as f:
                tables.append(f.read())
        self.assertEqual(tables[0], tables[1])
        self.assertNotEqual(tables[0], tables[2])

    def test_what_is_wrong_is_told(self):
        farm = os.path.join(ROOT, 'traces', 'farm.trace')
        for setting, told in (('reference=nobody', 'No task is called “nobody”'), ('instant=soon', '“soon” is no date in seconds')):
            done = self.scope('run', farm, '--program', 'vector-clocks', '--set', 'Vector clocks.' + setting, '--out', self.path('out'), status=(0, 1))
            self.assertIn(told, done[0] + done[1])


if __name__ == '__main__':
    main()
