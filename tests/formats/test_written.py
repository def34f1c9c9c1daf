# SPDX-License-Identifier: Apache-2.0
"""Every sample is exported to every format that can be written, read by the programs of that format, and read again: the hash of what
all tasks are in and have sent and received is the same, at instants drawn by lot and at the end.  Some samples, drawn by lot, more in
`make check-long`, and all with SCOPE_WRITTEN; those that once were not the same are always among them."""
import csv
import hashlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, ROOT, SCOPE, few, main, once, samples                                              # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '1'))
MOST = 150000                                                           # events; larger ones take minutes as text
ALWAYS = ['chrome/tc-bing-truncated.json', 'clog2/colls6.clog2']        # received at the date, and before the date, at which it was sent
HAS_OTF2 = os.environ.get('OTF2_ARCHIVE', '') != ''
NOTHING = {'Computing', 'Unseen', 'Dead', 'No state'}


def state_of(node):
    name = node['State'].removesuffix(' (state)').removesuffix(' (call)')
    return 'No state' if node['State'] in NOTHING else name


def made(r, kind):
    """The messages of some links, (from, to, tag) -> (sent, received), either of them None: lost, as ALOG."""
    links, date = {}, iter(r.sample(range(1000, 10 ** 7), 4000))
    for n, link in enumerate(r.sample([(a, b, tag) for a in range(4) for b in range(4) for tag in (7, 8) if a != b], 6)):
        if kind == 'skew' and link[0] > link[1]:                    # one clock is ahead of another, never both of each other
            link = (link[1], link[0], link[2])
        while kind == 'skew' and link in links:
            link = (*link[:2], link[2] + 2)
        sent = sorted(next(date) * 64 + n for _ in range(r.randrange(8, 40)))       # no date twice
        shortest = min(b - a for a, b in zip(sent, sent[1:]))
        clock = {'skew': -r.randrange(1, 4 * 10 ** 7), 'lost send': r.randrange(shortest), 'lost receive': r.randrange(shortest)}[kind]
        pairs = [[date, max(date + clock // 64 * 64 + 6, n + 6)] for date in sent]
        if kind == 'skew':
            pairs = [p for p in pairs if p[1] > 64]
        elif n < 5:                                                                 # of one link nothing is lost
            lost = r.randrange(len(pairs) - 1)
            pairs[lost][kind == 'lost receive'] = None
        links[link] = pairs
    rows = [(date, half, link) for link, pairs in links.items() for pair in pairs for half, date in enumerate(pair) if date is not None]
    text = ['-1 0 0 0 0 0 Me', f'-2 0 0 {len(rows)} 0 0', '-3 0 0 4 0 0']
    for date, half, (a, b, tag) in sorted(rows):
        text.append(f'-102 {b} 0 {a} 0 {date} {tag} 9' if half else f'-101 {a} 0 {b} 0 {date} {tag} 9')
    return '\n'.join(text) + '\n', links


def paired(pairs):
    """What belongs together: the pairs of whichever of two rules gives more of them, or else fewer that go back in time: the k-th receive
    is of the k-th send, or each is of the first that was sent before it and is not yet received."""
    sends, receives = (sorted(x[half] for x in pairs if x[half] is not None) for half in (0, 1))
    in_order, causal, waiting = list(zip(sends, receives)), [], list(sends)
    for date in receives:
        if waiting and waiting[0] <= date:
            causal.append((waiting.pop(0), date))
    return sorted(max((causal, in_order), key=lambda rule: (len(rule), -sum(b < a for a, b in rule))))


class Written(Format):
    maxDiff = None

    def test_messages_with_one_end(self):
        """Clocks that differ, a send or a receive that was lost: what comes behind it has its own other half in what is written."""
        r = random.Random(SEED)
        for kind in ('skew', 'lost send', 'lost receive'):
            for _ in range(few(6)):
                text, links = made(r, kind)
                expected = sorted(pair for pairs in links.values() for pair in paired(pairs))
                if kind != 'lost receive':                      # of a lost receive nothing tells that those behind it are not late
                    self.assertEqual(expected, sorted(tuple(pair) for pairs in links.values() for pair in pairs if None not in pair))
                self.assertTrue(all((b < a) == (kind == 'skew') for a, b in expected))
                halves = sum(date is not None for pairs in links.values() for pair in pairs for date in pair)
                log = self.path('log.alog', text)
                for ending in ('.json', '.paje'):
                    out, found = self.path('log' + ending), {}
                    self.scope('export', log, '-o', out)
                    if ending == '.json':
                        with open(out, encoding='utf-8') as f:
                            ends = [(e['id'], e['ph'] == 'f', round(e['ts'])) for e in json.load(f)['traceEvents'] if e['ph'] in 'sf']
                    else:
                        with open(out, encoding='utf-8') as f:
                            words = [line.split() for line in f if line.startswith(('16 ', '17 '))]
                        ends = [(w[6], w[0] == '17', round(float(w[1]) * 1e6)) for w in words]
                    for number, half, date in ends:
                        self.assertNotIn(half, found.setdefault(number, {}), (kind, ending))
                        found[number][half] = date
                    self.assertEqual(sum(map(len, found.values())), halves)     # none is left out
                    self.assertEqual(sorted((x[False], x[True]) for x in found.values() if len(x) == 2), expected, (kind, ending, SEED))
                    os.unlink(out)

    def test_messages_of_nobody(self):
        """Of which the trace tells one end alone, and not who has the other: they are counted, not left out without a word."""
        r = random.Random(SEED)
        kinds = {'PajeDefineContainerType 0': 'Alias Type Name', 'PajeDefineLinkType 1': 'Alias Type StartContainerType EndContainerType Name', 'PajeCreateContainer 2': 'Time Alias Type Container Name',
                 'PajeStartLink 3': 'Time Type Container Value StartContainer Key', 'PajeEndLink 4': 'Time Type Container Value EndContainer Key'}
        head = ''.join(f'%EventDef {k}\n' + ''.join(f'% {f} {"date" if f == "Time" else "string"}\n' for f in fields.split()) + '%EndEventDef\n' for k, fields in kinds.items())
        lines, alone = ['0 P 0 P', '1 L 0 P P L', '2 0 a P 0 a', '2 0 b P 0 b'], 0
        for n in range(60):
            ends = r.choice(['both', 'both', 'sent', 'got'])
            alone += ends != 'both'
            lines += [f'3 {n}.25 L 0 m a key{n}'] * (ends != 'got') + [f'4 {n}.5 L 0 m b key{n}'] * (ends != 'sent')
        log = self.path('alone.paje', head + '\n'.join(lines) + '\n')
        for ending in ('.json', '.paje', *(['.otf2'] if HAS_OTF2 else [])):
            told = self.scope('export', log, '-o', self.path('alone2' + ending))[1]
            self.assertIn(f'{alone} messages are not written: of their two ends one alone is told', told, ending)
            holds = self.info(self.path('alone2' + ending))['holds']
            self.assertEqual((holds['sent'], holds['received']), (60 - alone, 60 - alone), ending)

    def tasks(self, path, at, names=None):
        """name -> what tasks of that name are in, and what they have sent and received; those that have done nothing are left out, as
        they may not be there yet.  `names`: as the trace has them that this one was written from."""
        out = {}
        for node in self.state(path, at)['nodes']:
            name = node['Nickname'] or node['Name']
            if names is not None and path.endswith('.json'):    # a thread has its number behind its name, and perhaps its process
                if node['Type'] != 'Thread':
                    continue
                name = next((n for n in (name, re.sub(r' \d+(?: of .*)? · ', ' · ', name), name.rsplit(' ', 1)[0], re.sub(r' \d+ of .*$', '', name)) if n in names), name)
            elif names is not None:
                name = next((n for n in (name, re.sub(r' \([^()]*\)$', '', name)) if n in names), name)
            out.setdefault(name, []).append((state_of(node), *(node.get(k, '0') for k in ('Sent', 'Received'))))
        self.names = set(out)
        busy = {name: sorted(row for row in rows if row != ('No state', '0', '0')) for name, rows in out.items()}
        return {name: rows for name, rows in busy.items() if rows}

    def peer(self, out):
        """What a program of the format says of it."""
        if out.endswith('.json'):
            with open(out, encoding='utf-8') as f:
                self.assertTrue(json.load(f)['traceEvents'], out)
        words = {'.paje': ['pj_dump', out], '.otf2': ['otf2-print', '--silent', os.path.join(out, 'traces.otf2')]}.get(os.path.splitext(out)[1])
        if words and shutil.which(words[0]):
            with open(self.path('said'), 'wb') as said:
                done = subprocess.run(words, stdout=said, stderr=said)
            with open(self.path('said'), 'rb') as said:
                said.seek(max(0, os.path.getsize(self.path('said')) - 400))
                told = said.read()
            self.assertNotIn(b'out of order', told, out)
            alone = b'Incomplete links' in told         # a message that nobody receives: there, too
            self.assertTrue(done.returncode == 0 or alone, (out, told))
            return alone
        return False

    def test_no_room(self):
        """A file that may not grow any more, wherever that is: what cannot be written, and why; nothing of it is left, and no file of anything else."""
        trace, r = os.path.join(ROOT, 'traces', 'fft2d-s16.trace'), random.Random(SEED)
        endings = ['.paje', '.json'] + ['.otf2'] * HAS_OTF2
        for ending in endings:
            folder = self.path('place' + ending)
            os.mkdir(folder)
            self.scope('export', trace, '-o', os.path.join(folder, 'whole' + ending))
            most = max(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
            refused = 0
            for size in [1] + [r.randrange(2, most) for _ in range(few(6))]:
                out = os.path.join(folder, 'out' + ending)
                done = subprocess.run([SCOPE, 'export', trace, '-o', out], env=self.env, capture_output=True, text=True, timeout=120,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
                if done.returncode == 0:        # the library writes its largest file in pieces, each where it may
                    self.scope('info', out)
                    shutil.rmtree(out, True)
                    continue
                refused += 1
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r'\Ascope: \S+: \S+ cannot be written: File (is )?too large\n\Z', size)
                self.assertEqual(os.listdir(folder), ['whole' + ending])
            self.assertGreater(refused, 0)

    def test_what_states_tell_of_work(self):
        """What a task computes is the same in what is exported: which states are work and which wait is told there too."""
        def computing(path):
            out = self.path('waits')
            shutil.rmtree(out, ignore_errors=True)
            self.scope('run', path, '--program', 'waits', '--out', out)
            with open(os.path.join(out, 'tasks.csv'), newline='') as f:
                return sorted(float(row['computing [s]']) for row in csv.DictReader(f) if float(row['computing [s]'] or 0))
        r, paths = random.Random(SEED), [os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), 'traces', 'ring.trace')]
        wanted = {}
        for n in range(few(4)):
            lines, runs = ['#Paraver (01/02/2024 at 10:11):90000_us:0:1:3(1:1,1:1,1:1)'], [0] * 3
            for task in range(3):
                begin = r.randrange(9)
                for _ in range(60):
                    end, state = begin + r.randrange(1, 400), r.choice([1, 1, 3, 9, 12, 13])
                    lines.append(f'1:{task + 1}:1:{task + 1}:1:{begin}:{end}:{state}')
                    runs[task] += (end - begin) * (state == 1)
                    begin = end + r.choice([0, 0, 5])
            paths.append(self.path(f'work{n}.prv', '\n'.join(lines) + '\n'))
            wanted[paths[-1]] = sorted(us / 1e6 for us in runs)
        for n, path in enumerate(paths):
            mine = computing(path)
            self.assertTrue(mine)
            for ending in ('.json', '.paje', *(['.otf2'] if HAS_OTF2 else [])):
                again = self.path(f'again{n}{ending}')
                self.scope('export', path, '-o', again)
                self.peer(again)
                theirs = computing(again)
                self.assertEqual(len(theirs), len(mine), (path, ending))
                for a, b, c in zip(theirs, mine, wanted.get(path, mine)):
                    self.assertAlmostEqual(a, b, delta=2e-4, msg=(path, ending, SEED))       # a task of TAPE may begin with a thread that is told later
                    self.assertAlmostEqual(b, c, delta=1e-9, msg=(path, SEED))

    @unittest.skipUnless(os.path.isdir(samples('')), 'the samples are not here')
    @once
    def test_overlapping(self):
        """Calls that all overlap, the first to begin the first to end: each end leaves those inside of it for the moment, unless they are
        very many, which end with those then."""
        n, again = 300 + random.Random(SEED).randrange(300), 256
        begins = ''.join(f'-3 {i + 1} 0.{i + 1:06} 0 0 0\n' for i in range(n))
        ends = ''.join(f'-4 {i + 1} 0.{i + n + 1:06} 0 0 0\n' for i in range(n))
        path = self.path('overlap.picl', f'-3 -901 0.000000 0 0 0\n{begins}{ends}')
        out = self.path('overlap.paje')
        told = self.scope('export', path, '-o', out)[1]
        self.assertIn(f'{n - again} calls and states end while more than {again} ', told)
        events = [json.loads(line) for line in self.scope('events', out, '--json')[0].splitlines()]
        dates, stack = {}, []
        for e in events:
            if e['kind'] == 'PushState':
                stack.append(e['state'])
            elif e['kind'] == 'PopState':
                dates[stack.pop()] = e['t']
        self.assertEqual(stack, [], SEED)
        self.assertEqual(len(dates), n, SEED)
        for i in range(n):
            self.assertAlmostEqual(dates[f'user {i + 1}'], (2 * n if i < n - again else i + n + 1) / 1e6, 9, (SEED, i))

    @once
    def test_deep(self):
        """States and calls that overlap, hundreds of them at once, in the order of the file that comes of them: the same rule, step by step."""
        r, again = random.Random(SEED), 256
        for most in (5, 300, 700):
            steps, states, date = [], 0, 0
            for n in range(3 * most):                               # (date, what, name, number of the call)
                date += 10
                what = r.random()
                if what < (.5 if n < 1.5 * most else .1):
                    steps.append((date, 'B', f'state {r.randrange(9)}', None))
                    states += 1
                elif what < .75:
                    end = date + 10 * r.choice([1, 5, most, 2 * most]) - 5 + n / 1000      # no two dates are the same
                    steps += [(date, 'X', f'call {n % 9}', n), (end, 'x', None, n)]
                elif states > 0:
                    steps.append((date, 'E', None, None))
                    states -= 1
            steps.sort()
            until = {n: at for at, what, _, n in steps if what == 'x'}
            events = [{'ph': what, 'pid': 1, 'tid': 1, 'ts': at, **({'name': name, 'cat': 'c'} if name else {}), **({'dur': until[n] - at} if what == 'X' else {})}
                      for at, what, name, n in steps if what != 'x']
            wanted, stack, over = [], [], 0                         # of [name, number or None, whether it is over]
            for at, what, name, n in steps:
                if what in 'BX':
                    stack.append([name, n, False])
                    wanted.append((at, name))
                    continue
                place = max(i for i, (_, number, ended) in enumerate(stack) if number == n and not ended)
                if len(stack) - place > again:
                    stack[place][2] = True
                    over += 1
                    continue
                wanted += [(at, None)] * (len(stack) - place) + [(at, f[0]) for f in stack[place + 1:]]
                del stack[place]
                while stack and stack[-1][2]:
                    wanted.append((at, None))
                    stack.pop()
            out = self.path(f'deep-{most}.paje')
            told = self.scope('export', self.path(f'deep-{most}.json', json.dumps({'traceEvents': events})), '-o', out)[1]
            self.assertEqual([int(n) for n in re.findall(r'(\d+) calls? (?:and|or) states? ends? while', told)], [over] if over else [], (SEED, most))
            got = [(e['t'], e.get('state') if e['kind'] == 'PushState' else None)
                   for e in map(json.loads, self.scope('events', out, '--json')[0].splitlines()) if e['kind'] in ('PushState', 'PopState')]
            self.assertEqual([s for _, s in got[:len(wanted)]], [s for _, s in wanted], (SEED, most))
            for (t, _), (at, _) in zip(got, wanted):
                self.assertAlmostEqual(t, at / 1e6, 8, (SEED, most))

    def test_samples(self):
        paths = []
        for form in sorted(os.listdir(samples(''))):
            expected = os.path.join(samples(form), 'expected.jsonl')
            if os.path.exists(expected):
                with open(expected, encoding='utf-8') as rows:
                    paths += [row['path'] for row in map(json.loads, rows)]
        r = random.Random(SEED)
        others = sorted(set(paths) - set(ALWAYS))
        chosen = ALWAYS + (others if 'SCOPE_WRITTEN' in os.environ else r.sample(others, min(len(others), few(8) if not os.environ.get('SCOPE_ALL') else 24)))
        n = 0
        for name in chosen:
            path = os.path.join(samples(''), name)
            said = self.scope('info', path, '--json', status=(0, 1))[0]
            info = json.loads(said) if said else {'events': 0}
            if not 0 < info['events'] <= MOST:
                continue
            instants = [info['first'] + r.random() * (info['last'] - info['first']), info['last'] + 1]
            nodes = self.state(path, f'{instants[-1]:.9f}')['nodes']
            alone = sum(int(x['Sent'] or 0) for x in nodes) != sum(int(x['Received'] or 0) for x in nodes)
            for ending in ['.paje', '.json'] + ['.otf2'] * HAS_OTF2:
                out = self.path(f'written{n}{ending}')
                said = self.scope('export', path, '-o', out, status=(0, 1))[1]
                if ending == '.otf2' and 'more than 4096 tasks do something' in said:
                    continue
                self.assertTrue(os.path.exists(out), said)
                self.assertLessEqual(self.peer(out), alone, name)       # nobody complains of messages with one end where there are none
                self.assertEqual(self.info(out)['damaged'], 0, name)
                hashes = []
                for at in instants:
                    one = self.tasks(path, f'{at:.9f}')
                    two = self.tasks(out, f'{at:.9f}', self.names)
                    if alone and ending != '.otf2':     # a message with one end has none there: it counts as neither sent nor received
                        one, two = ({task: [row[0] for row in rows if row[0] != 'No state'] for task, rows in x.items()} for x in (one, two))
                        one, two = ({task: rows for task, rows in x.items() if rows} for x in (one, two))
                    self.assertEqual(one, two, (name, ending, at))
                    hashes.append([hashlib.sha256(json.dumps(x, sort_keys=True).encode()).hexdigest() for x in (one, two)])
                self.assertTrue(all(a == b for a, b in hashes))
                n += 1
        self.assertGreater(n, 3)


MESSAGES = '''<eve version="1"><title>Messages</title>
<component name="Session" class="scope.session" version="1"/>
<component name="Reader" class="any.reader" version="1"/>
<component name="Simulator" class="scope.calls-simulator" version="1"/>
<component name="File" class="scope.csv-sink" version="1"><setting name="file">messages.csv</setting></component>
<wire from="Session" out="commands" to="Reader" in="commands"/>
<wire from="Reader" out="events" to="Simulator" in="events"/>
<wire from="Simulator" out="messages" to="File" in="in"/></eve>
'''


def queues(events):
    """(from, to, tag) -> its messages, (sent, received, bytes), either date None: from the raw events, by the rule that makes more pairs, and of
    two that make as many the one that goes back in time less often."""
    halves = {}
    for e in events:
        if e['kind'] in ('Send', 'Receive'):
            half = e['kind'] == 'Receive'
            link = (e['from'], e['task'], e['tag']) if half else (e['task'], *e['to'], e['tag'])
            halves.setdefault(link, ([], []))[half].append((round(e['t'] * 1e9), e['bytes']))
    out = {}
    for link, (sends, receives) in halves.items():
        pairs = paired([[d, None] for d, _ in sends] + [[None, d] for d, _ in receives])
        sizes, left = dict(receives), {d for d, _ in receives} - {b for _, b in pairs}
        out[link] = ([(a, b, sizes[b]) for a, b in pairs] + [(None, b, sizes[b]) for b in left]
                     + [(a, None, size) for a, size in sends if a not in {x for x, _ in pairs}])
    return out


class Simulated(Format):
    """What the simulator of any trace tells of messages, of which some are dated before their send, or have one end alone."""
    def check(self, path, links, r):
        """`links`: (from, to, tag), ids -> messages: (sent, received, bytes), nanoseconds."""
        out = self.path('out')
        self.scope('run', path, '--program', self.path('messages.eve', MESSAGES), '--out', out)
        with open(os.path.join(out, 'messages.csv'), newline='', encoding='utf-8') as f:
            rows = [tuple(None if row[key] == '' else round(float(row[key]) * 1e9) for key in ('sent [s]', 'received [s]')) + (row['from'], row['to'], int(row['tag'] or -1))
                    for row in csv.DictReader(f)]
        self.assertEqual(sorted(rows, key=str), sorted(((a, b, *link) for link, all in links.items() for a, b, _ in all if b is not None), key=str), (path, SEED))
        self.assertEqual([row[1] for row in rows], sorted(row[1] for row in rows))      # in order of reception
        dates = sorted({d for all in links.values() for m in all for d in m[:2] if d is not None})
        early = [(b, a) for all in links.values() for a, b, _ in all if None not in (a, b) and b < a]
        instants = [r.randrange(dates[0], dates[-1]) for _ in range(few(4))] + [r.randrange(*pair) for pair in r.sample(early, min(len(early), 2))] + [dates[-1]]
        for at in set(instants) - set(dates[:-1]):
            want = {}
            for (a, b, _), all in links.items():
                w = want.setdefault((a, b), [0, 0, 0])
                for sent, received, size in all:
                    w[0] += size * (sent is not None and sent <= at and (received is None or received > at))
                    w[1] += size * (received is not None and received <= at)
                    w[2] += received is not None and received <= at
            state = self.state(path, f'{at // 10 ** 9}.{at % 10 ** 9:09d}')
            got = {tuple(e['Name'].split('->')): [int(e[k]) for k in ('Traffic', 'TotalTraffic', 'Messages')] for e in state['edges']}
            for pair, w in want.items():
                self.assertEqual(got.get(pair, [0, 0, 0]), w, (path, at, pair, SEED))
        return len(early)

    def test_made(self):
        """By clocks that differ, a send or a receive that was lost: of whichever it is each message is told with its own send."""
        r, n = random.Random(SEED), 0
        for kind in ('skew', 'lost send', 'lost receive'):
            for _ in range(few(4)):
                text, links = made(r, kind)
                log = self.path('log.alog', text)
                names = {t: t for t in range(4)}
                for node in self.state(log, '1000')['nodes']:
                    names[int(re.search(r'\d+', node['Name'])[0])] = node['Name']
                n += self.check(log, {(names[a], names[b], tag): messages_of(pairs) for (a, b, tag), pairs in links.items()}, r)
        self.assertGreater(n, 0)

    def test_window(self):
        """A part of a run with right clocks, both ways between two tasks, cut at dates drawn by lot: the sends of its first receives are
        missing, and the receives of its last sends.  The rest has its own."""
        r, cut = random.Random(SEED), 0
        for i in range(few(8)):
            period, n = r.randrange(500, 2000) * 10, r.randrange(40, 120)
            way, tag = int(period * r.uniform(0.2, 0.45)), r.choice([7, 8])
            lag = r.random() if i > 0 else (10 + way * r.uniform(0.1, 0.9)) / period   # the first is cut while a message is under way
            sent = {link: [k * period + (way + 3) * link[0] + 10 for k in range(1, n)] for link in ((0, 1), (1, 0))}
            first = r.randrange(5, n - 10)
            begin, end = (int(period * (k + lag)) for k in (first, r.randrange(first + 4, n - 4)))
            links, rows = {}, []
            for link, dates in sent.items():
                for date in dates:
                    m = [d if begin <= d < end else None for d in (date, date + way)]
                    rows += [(d, half, *link) for half, d in enumerate(m) if d is not None]
                    if m != [None, None]:
                        links.setdefault((*link, tag), []).append(tuple(None if d is None else d * 1000 for d in m) + (9,))
            cut += any(all[0][0] is None for all in links.values())
            text = [f'-1 0 0 0 0 0 Me\n-2 0 0 {len(rows)} 0 0\n-3 0 0 2 0 0\n']
            text += [f'-102 {b} 0 {a} 0 {date} {tag} 9\n' if half else f'-101 {a} 0 {b} 0 {date} {tag} 9\n' for date, half, a, b in sorted(rows)]
            log = self.path('log.alog', ''.join(text))
            names = {int(re.search(r'\d+', node['Name'])[0]): node['Name'] for node in self.state(log, '1000')['nodes']}
            self.assertEqual(self.check(log, {(names[a], names[b], t): all for (a, b, t), all in links.items()}, r), 0)
            told = self.scope('info', log, '--clocks', 'logical', '--json')[0]
            self.assertEqual(json.loads(told)['clocks']['early_before'], 0, SEED)
        self.assertGreater(cut, 0)

    @unittest.skipUnless(os.path.exists(os.path.join(samples('clog2'), 'colls6.clog2')), 'the sample is not here')
    def test_real(self):
        path = os.path.join(samples('clog2'), 'colls6.clog2')
        events = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        self.assertEqual(self.check(path, queues(events), random.Random(SEED)), 1)


def messages_of(pairs):
    """Of made(): as the dates alone tell them."""
    found = paired(pairs)
    sends, receives = ({p[half] for p in pairs if p[half] is not None} - {m[half] for m in found} for half in (0, 1))
    return [tuple(None if d is None else d * 1000 for d in m) + (9,) for m in [*found, *((a, None) for a in sends), *((None, b) for b in receives)]]



main()
