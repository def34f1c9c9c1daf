# SPDX-License-Identifier: Apache-2.0
"""Our own programs as other tools recorded them (traces/record-others.sh): what the trace tells is what the program was to do,
or what it noted itself."""
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, SANITIZED, Format, main                                                          # noqa: E402

TRACES = os.path.join(ROOT, 'traces')
LATENCY, BANDWIDTH, HEAD = 1000, 1, 16      # of the simulated network: ns, bytes in a ns, bytes that SimGrid sends with each message
ROUNDS, PLANNED = 5, 10 ** 7                # of waits.c: ns
LONG = 200000                               # bytes of its late receiver


def nanoseconds(text):
    whole, _, part = text.partition('.')
    return int(whole) * 10 ** 9 + int(part.ljust(9, '0'))


def simulated(path):
    """Of a trace of SimGrid: (rank, name, enter, leave) of each call, and (sender, sent, receiver, received), nanoseconds, in order of date."""
    verbs, names, ranks, inside, calls, begun, links = {}, {}, {}, collections.defaultdict(list), [], {}, []
    with open(path, encoding='utf-8') as lines:
        for w in (line.split() for line in lines):
            if w[0] == '%EventDef':
                verbs[w[2]] = w[1]
            verb = verbs.get(w[0])
            if verb == 'PajeDefineEntityValue':
                names[w[1]] = w[3]
            elif verb == 'PajeCreateContainer':
                ranks[w[2]] = int(w[5].strip('"').split('-')[1])
            elif verb == 'PajePushState':
                inside[w[3]].append((nanoseconds(w[1]), names[w[4]]))
            elif verb == 'PajePopState':
                enter, name = inside[w[3]].pop()
                calls.append((ranks[w[3]], name, enter, nanoseconds(w[1])))
            elif verb == 'PajeStartLink':
                begun[w[6]] = ranks[w[5]], nanoseconds(w[1])
            elif verb == 'PajeEndLink':
                links.append((*begun.pop(w[6]), ranks[w[5]], nanoseconds(w[1])))
    assert not begun and not any(inside.values())
    return calls, links


class Recorded(Format):
    def judge_simgrid(self, folder):
        path = os.path.join(folder, 'waits.trace')
        calls, links = simulated(path)
        of = collections.defaultdict(list)
        for rank, name, enter, leave in calls:
            of[rank, name.removeprefix('PMPI_')].append((enter, leave))
        # the plan: who sends whom how much in each round, and in which calls
        plan = ((1, 0, 8, 'Send', 'Recv'), (2, 1, 8, 'Send', 'Wait'), (0, 3, LONG, 'Ssend', 'Recv'))
        late = {'Late sender': collections.Counter(), 'Late receiver': collections.Counter()}
        for sender, receiver, size, send, receive in plan:
            sends, receives = of[sender, send], of[receiver, receive]
            mine = [link for link in links if link[0] == sender and link[2] == receiver]
            self.assertEqual([len(sends), len(receives), len(mine)], [ROUNDS] * 3)
            for (sent, _), (asked, received), link in zip(sends, receives, mine):
                begins = max(sent, asked) if send == 'Ssend' else sent
                self.assertEqual(link[3], begins + LATENCY + (size + HEAD) // BANDWIDTH)     # the network's model
                self.assertEqual(received, link[3])
                kind, who, wait = ('Late receiver', sender, asked - sent) if send == 'Ssend' else ('Late sender', receiver, sent - asked)
                planned = PLANNED - PLANNED // 5 * (receive == 'Wait')      # rank 1 does something before it waits
                # they leave the barrier before that by at most three of its messages apart
                self.assertLessEqual(abs(wait - planned), 3 * (LATENCY + HEAD), (kind, who))
                late[kind][f'rank-{who}', 'PMPI_' + (send if send == 'Ssend' else receive)] += wait
        out = self.path('out')
        self.scope('run', path, '--program', 'waits', '--out', out)
        with open(os.path.join(out, 'waits.csv'), newline='', encoding='utf-8') as f:
            rows = list(csv.DictReader(f))
        mine = {kind: {(r['task'], r['region']): round(float(r['waited [s]']) * 1e9) for r in rows if r['kind'] == kind} for kind in late}
        self.assertEqual(mine, late)
        self.assertEqual({r['times'] for r in rows}, {str(ROUNDS)})
        # nobody tells of which group operations are; in order they are the planned ones: at three barriers of a round two wait for the third, at the fourth
        # and at the sum others by thirds; and the long message is waited for by two
        long, text = LATENCY + LONG + HEAD, self.scope('report', path)[0]
        barrier, sums = (float(re.search(words, ' '.join(text.split())).group(1)) for words in (r'they wait in these (\d+) ms at barriers', r'and (\d+) ms where each'))
        self.assertEqual([barrier, sums], [round(ROUNDS * (8 * PLANNED + 2 * long) / 1e6), round(ROUNDS * 2 * PLANNED / 1e6)])

    def judge_lttng(self, folder):
        counted, of_thread = collections.Counter(), {}
        with open(os.path.join(folder, 'counts.txt'), encoding='utf-8') as lines:
            for w in map(str.split, lines):
                of_thread[w[0]] = {w[i]: int(w[i + 1]) for i in range(1, len(w), 2)}
                counted.update(of_thread[w[0]])
        info = self.info(folder)
        kinds = {k['name'].removeprefix('queue:'): k['begun'] + k['ended'] for k in info['kinds'] if k['name'].startswith('queue:')}
        events = [json.loads(line) for line in self.scope('events', folder, '--json')[0].splitlines()]
        lost = sum(e['lost'] for e in events if e['kind'] == 'DiscardedEvents')
        self.assertGreater(lost, 0)
        self.assertEqual({**kinds, 'tick': kinds['tick'] + lost}, counted)      # what was kept and what was discarded
        self.assertEqual(info['events'], sum(kinds.values()) + sum(e['kind'] == 'DiscardedEvents' for e in events))
        self.assertIn(f'{lost} events were discarded', self.scope('info', folder)[0])
        mine = collections.defaultdict(collections.Counter)
        for e in events:
            if e['kind'].startswith('queue:'):
                mine[e['task'].split('/')[1]][e['kind'].removeprefix('queue:')] += 1
        master = max(of_thread, key=lambda t: of_thread[t]['put'])
        mine[master]['tick'] += lost
        self.assertEqual({t: +c for t, c in mine.items()}, {t: {k: n for k, n in c.items() if n} for t, c in of_thread.items()})
        # each piece of work goes from the master to who takes it
        put = {e['item']: (e['task'], *e['to'], e['bytes']) for e in events if e['kind'] == 'queue:put'}
        took = {e['item']: (e['from'], e['task'], e['bytes']) for e in events if e['kind'] == 'queue:take'}
        self.assertEqual((put, sorted(put)), (took, list(range(1, counted['put'] + 1))))
        end = json.loads(self.scope('state', folder, '--at', '4000000000', '--json')[0])
        nodes = {n['Name'].split('/')[1]: n for n in end['nodes'] if '/' in n['Name']}
        self.assertEqual({t: (int(n['Sent']), int(n['Received'])) for t, n in nodes.items()}, {t: (c['put'], c['take']) for t, c in of_thread.items()})

    def judge_eztrace(self, folder):
        with open(os.path.join(folder, 'dates.txt'), encoding='utf-8') as lines:
            noted = {f'P#{w[0]}': [int(x) for x in w[1:]] for w in map(str.split, lines)}
        told = {}
        for how in ('none', 'linear', 'logical'):
            info = json.loads(self.scope('info', folder, '--json', '--clocks', how)[0])
            events = [json.loads(line) for line in self.scope('events', folder, '--json', '--clocks', how)[0].splitlines()]
            calls = collections.defaultdict(list)
            for e in events:
                if e.get('region') == 'MPI_Barrier' and e['kind'] in ('Enter', 'Leave'):
                    calls[e['task'], e['kind']].append(round(e['t'] * 1e9))
            told[how] = info['clocks'], events, calls
        _, events, calls = told['none']
        self.assertEqual({t for t, _ in calls}, set(noted))
        # by how much the clock of each is before the machine's, which the program read just before
        offset = {t: min(at - date for at, date in zip(calls[t, 'Enter'], dates, strict=True)) for t, dates in noted.items()}
        differ = {t: at - offset['P#0'] for t, at in offset.items()}
        self.assertGreater(max(map(abs, differ.values())), 10 ** 6)     # they are far from each other, which is what is to be found out
        # what comes before its cause, from the events
        sent, early, checked = collections.defaultdict(collections.deque), 0, 0
        for e in sorted(events, key=lambda e: e['kind'] != 'MpiSend'):
            if e['kind'] == 'MpiSend':
                sent[e['task'], e['to'][0] if isinstance(e['to'], list) else e['to']].append(e['t'])
            elif e['kind'] == 'MpiRecv':
                early += e['t'] < sent[e['from'], e['task']].popleft()
                checked += 1
        self.assertFalse(any(sent.values()))
        begins, ends = ({t: [e['t'] for e in events if e['task'] == t and e['kind'] == 'Barrier' and e.get('end', False) == is_end] for t in noted}
                        for is_end in (False, True))
        for k in range(len(noted['P#0'])):
            last = max(begins[t][k] for t in noted)
            early += sum(ends[t][k] < last for t in noted)
            checked += len(noted)
        self.assertEqual(told['linear'][0]['checked'], checked)
        if any('nothing tells whether' in d['reason'] for d in info['damage']):     # some may be taken to be of sends before recording began
            self.assertLessEqual(told['linear'][0]['early_before'], early)
        else:
            self.assertEqual(told['linear'][0]['early_before'], early)
        self.assertGreater(told['linear'][0]['early_before'], 0)
        self.assertEqual(told['logical'][0]['early_after'], 0)
        # the correction takes it that all leave the first barrier at once, and the last: between them it is off by at most as much as they did not
        leaves = {t: calls[t, 'Leave'] for t in noted}
        spread = max(abs((leaves[t][k] - offset[t]) - (leaves['P#0'][k] - offset['P#0'])) for t in noted for k in (0, -1))
        moved = told['linear'][2]
        for t in noted:
            off = [now - was + differ[t] for was, now in list(zip(calls[t, 'Enter'], moved[t, 'Enter']))[1:]]
            self.assertLessEqual(max(map(abs, off)), spread + 20000, t)       # and by what is between the program's reading and the tracer's
        self.assertLess(spread, max(map(abs, differ.values())))

    def test_simgrid(self):
        self.judge_simgrid(os.path.join(TRACES, 'simgrid'))

    def test_lttng(self):
        self.judge_lttng(os.path.join(TRACES, 'lttng'))

    def test_eztrace(self):
        self.judge_eztrace(os.path.join(TRACES, 'eztrace'))

    @unittest.skipIf(SANITIZED or os.environ.get('CI'), 'the tools have no sanitizers, and are not for a machine that checks every change')
    def test_anew(self):
        """Where the tools are, each records once more."""
        tools = {'simgrid': 'smpirun', 'lttng': 'lttng-gen-tp', 'eztrace': 'eztrace'}
        here = [name for name, command in tools.items() if shutil.which(command)]
        out = self.path('recorded anew')
        done = subprocess.run([os.path.join(TRACES, 'record-others.sh'), '-o', out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, sorted(os.listdir(out))), (0, sorted(here)), done.stderr)
        for name in tools:
            self.assertEqual(f'{name} is left out' in done.stderr, name not in here, done.stderr)
        for name in here:
            with self.subTest(name):
                getattr(self, 'judge_' + name)(os.path.join(out, name))
        if len(here) < len(tools):
            self.skipTest('not installed, and not recorded: ' + ', '.join(sorted(set(tools) - set(here))))


main()
