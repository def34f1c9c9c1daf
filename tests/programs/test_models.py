#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that one model has and others have too, beside a second computation from the raw files (tests/model): wait states of
PVM; traffic, balance, waiting times, overhead and the watch of OUF.

usage: test_models.py WHICH SCOPE SOURCE_FOLDER      WHICH: waits or ouf"""
import csv
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict, deque

WHICH, SCOPE, ROOT = sys.argv[1:4]
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import make
import ouf
import raw

RECEIVES = {'PVM': ('Recv', 'PRecv', 'TRecv', 'NRecv'), 'OUF': ouf.RECEIVES}
SENDS = {'PVM': ('Send', 'PSend', 'Mcast'), 'OUF': ouf.SENDS}
checks = 0


def near(what, got, want, allowed=2e-9):
    global checks
    checks += 1
    assert math.isclose(float(got), float(want), rel_tol=1e-9, abs_tol=allowed), f'{what}: {got}, not {want}'


def run(trace, program, out, *more):
    """Its files: name -> rows."""
    done = subprocess.run([SCOPE, 'run', trace.path, '--program', program, '--out', out, *more], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (trace.path, program, done.stderr)
    files = {}
    for name in os.listdir(out):
        if name.endswith('.csv'):
            with open(os.path.join(out, name), newline='', encoding='utf-8') as f:
                files[name] = list(csv.DictReader(f))
    return files


class Call:
    """One that sends or receives: until when it lasts is known at its end."""

    def __init__(self, trace, event):
        self.task, self.enter, self.leave, self.kind = event.task, event.date, trace.last, event.kind
        self.ended, self.result, self.fields = False, None, event.fields


def calls_of(trace):
    """Those that send and those that receive, in order of their begins."""
    wanted, calls, running = RECEIVES[trace.model] + SENDS[trace.model], [], {}
    for e in trace.events:
        if e.kind in wanted and not e.end:
            running[e.record if trace.model == 'PVM' else (e.task, e.thread)] = Call(trace, e)
            calls.append(running[e.record if trace.model == 'PVM' else (e.task, e.thread)])
        elif e.end:
            call = running.pop(e.record if trace.model == 'PVM' else (e.task, e.thread), None)
            if call is not None:
                call.leave, call.ended, call.fields = e.date, e.kind != 'Timeout', {**call.fields, **e.fields}
    return calls


def messages_of(trace):
    """(send, receive) of each message that was received: the k-th of a link, and of a tag, is the k-th."""
    sent, pairs, calls = defaultdict(deque), [], calls_of(trace)
    ends = {link.number: (link.origin, link.destination) for link in trace.links}
    events = sorted([(c.enter, 0, n, c) for n, c in enumerate(calls) if c.kind in SENDS[trace.model]]
                    + [(c.leave, 1, n, c) for n, c in enumerate(calls) if c.kind in RECEIVES[trace.model] and c.ended])
    for _, received, _, c in events:
        f = c.fields
        if trace.model == 'OUF':
            key = ends[f['link']]
            if f.get('result', 0) == ouf.DEAD:
                continue
            keys = [key]
        else:
            if f.get('result', 0) < 0:
                continue
            to = f.get('to', [])
            keys = [(f['from'], c.task, f['tag'])] if received else [(c.task, t, f['tag']) for t in (to if isinstance(to, list) else [to])]
        for key in keys:
            if not received:
                sent[key].append(c)
            elif sent[key]:
                pairs.append((sent[key].popleft(), c))
    return pairs


def check_waits(trace, files):
    """Late senders: from the call of the receive to that of the send, as far as the former lasted; each message of the longest."""
    name = {n: t.nickname for n, t in trace.tasks.items()}
    late, each = defaultdict(lambda: [0, 0, 0]), []
    for send, receive in messages_of(trace):
        waited = min(send.enter, receive.leave) - receive.enter
        if waited > 0:
            row = late[name[receive.task], receive.kind]
            row[0], row[1], row[2] = row[0] + 1, row[1] + waited, max(row[2], waited)
            each.append((name[send.task], name[receive.task], waited))
    got = {(r['task'], r['region']): r for r in files['waits.csv'] if r['kind'] == 'Late sender'}
    assert set(got) == set(late), (trace.path, set(got) ^ set(late))
    for key, (times, waited, longest) in late.items():
        assert int(got[key]['times']) == times, (trace.path, key, got[key], times)
        near(f'{trace.path}: {key} waited', got[key]['waited [s]'], waited / trace.ticks)
        near(f'{trace.path}: {key} at most', got[key]['longest [s]'], longest / trace.ticks)
    told = sorted((r['sender'], r['receiver'], round(float(r['waited [s]']) * trace.ticks)) for r in files['late-senders.csv'])
    assert told == sorted(each), (trace.path, set(told) ^ set(each))
    return len(each)


def check_path(trace, files):
    """It leads from the last call of all back to the first one of a task that nobody started, however many were started in between; and what is
    told of it by task and by region is all of it."""
    calls = [e for e in trace.events if not e.instant]
    begins, parents = {}, {e.task: e.fields.get('parent') for e in trace.events if e.kind == 'Enroll'}
    for e in calls:
        begins.setdefault(e.task, e.date)
    length = next(float(r['value']) for r in files['efficiency.csv'] if r['what'] == 'Critical path')
    roots = [t for t in begins if parents.get(t) not in begins]
    want = [(max(e.date for e in calls) - begins[t]) / trace.ticks for t in roots]
    assert any(math.isclose(length, x, abs_tol=2e-9) for x in want), (trace.path, length, want)
    assert len(roots) < len(begins), trace.path
    near(f'{trace.path}: path by task', math.fsum(float(r['on the critical path [s]']) for r in files['tasks.csv']), length, 1e-7)
    near(f'{trace.path}: path by region', math.fsum(float(r['on the path [s]']) for r in files['path.csv']), length, 1e-7)
    before = next((float(r['on the path [s]']) for r in files['path.csv'] if r['region'] == '(before its first call)'), 0)
    # what a task takes to come up lies between the call that starts it and its first one
    spawns = {child: e.date for e in trace.events if e.kind == 'Spawn' and not e.end for child in e.fields['spawned'] or ()}
    assert 0 < before <= sum(begins[t] - at for t, at in spawns.items() if t in begins) / trace.ticks + 1e-9, (trace.path, before)


def meetings_of(trace):
    """Calls at a rendezvous as {number: call}, and looks for one as (call, link, begin of the send).  Each call has `other`, the call
    that it met: the one with the same number over the same link, and of one that never ended the only one that was there."""
    calls, running, looks, alts = [], {}, [], {}
    for e in trace.events:
        key = e.task, e.thread
        if e.kind in RECEIVES['OUF'] + SENDS['OUF'] and not e.end:
            c = running[key] = Call(trace, e)
            c.leave, c.link, c.sends, c.number, c.other, c.timed = None, e.fields['link'], e.kind in SENDS['OUF'], 0, None, False
            calls.append(c)
        elif e.kind in ('Alt', 'NAlt'):
            alts[key] = e
        elif e.kind == 'EndAlt' and key in alts:
            begin = alts.pop(key)
            if e.fields['link'] >= 0:
                there = [c.enter for c in calls if c.sends and c.link == e.fields['link'] and c.leave is None]
                looks.append((e.task, begin.kind, begin.date, e.date, trace.links[e.fields['link']].origin, min(there, default=None)))
        elif e.kind in ('EndSend', 'EndReceive', 'Timeout') and key in running:
            c = running.pop(key)
            c.leave, c.number, c.timed = e.date, e.fields.get('meeting', 0), e.kind == 'Timeout'
    ended = {(c.link, c.number, c.sends): c for c in calls if c.number}
    for c in calls:
        if c.number:
            c.other = ended.get((c.link, c.number, not c.sends))
            there = [o for o in calls if o.link == c.link and o.sends != c.sends and o.leave is None and o.enter <= c.leave]
            if c.other is None and len(there) == 1:
                c.other = there[0]
    return calls, looks


def held_up(trace, at):
    """(task, kind, begin) of choices, and of who is held up by a semaphore, that are not over at that date."""
    alone = {}
    for e in trace.events:
        if e.date > at:
            continue
        if e.kind in ('Alt', 'NAlt', 'SemP'):
            alone[e.task, e.thread] = e
        elif e.kind in ('EndAlt', 'SemG'):
            alone.pop((e.task, e.thread), None)
    return [(e.task, e.kind, e.date) for e in alone.values()]


def never_ended(trace, calls):
    """(task, kind, begin, whom it waits for or None) of calls that wait for others and never end."""
    for c in calls:
        if c.leave is None and c.other is None and not any(o.other is c for o in calls):
            yield c.task, c.kind, c.enter, getattr(trace.links[c.link], 'destination' if c.sends else 'origin')
    for task, kind, begin in held_up(trace, trace.last):
        yield task, kind, begin, None


def check_meetings(trace, folder, instants):
    """Who comes first to a rendezvous waits for the other, until then or until it gives up; who looks for a sender, for that one."""
    name, (calls, looks) = {n: t.nickname for n, t in trace.tasks.items()}, meetings_of(trace)
    dates = sorted({e.date for e in trace.events})
    for at in [trace.last] + instants:
        # not between both ends of a meeting: where several were there, it is known with the second
        for c in sorted((c for c in calls if c.other and c.other.leave), key=lambda c: min(c.leave, c.other.leave)):
            if min(c.leave, c.other.leave) <= at < max(c.leave, c.other.leave):
                at = max(c.leave, c.other.leave)
        rows, waiting, caused = defaultdict(lambda: [0, 0, 0]), defaultdict(int), defaultdict(int)

        def add(kind, task, region, cause, waited):
            row = rows[kind, name[task], region]
            row[0], row[1], row[2] = row[0] + 1, row[1] + waited, max(row[2], waited)
            waiting[name[task]] += waited
            if cause is not None:
                caused[name[cause]] += waited
        for c in calls:
            peer = getattr(trace.links[c.link], 'destination' if c.sends else 'origin')
            if c.leave is None or c.leave > at:
                # under way, or never over: what is known to have been waited, as if it ended now
                other = next((o for o in calls if (o is c.other or o.other is c) and o.leave and o.leave <= at), None)
                there = [o for o in calls if o.link == c.link and o.sends != c.sends and o.enter <= at and (not o.leave or o.leave > at)]
                if at < trace.last and not other and len(there) == 1:      # of several nobody knows yet who it is
                    other = there[0]
                until = min([at, *(e.date for e in trace.events if e.kind == 'TskDth' and e.task == c.task)])
                if other:
                    if c.enter < other.enter:
                        add('Late receiver' if c.sends else 'Late sender', c.task, c.kind, peer, min(until, other.enter) - c.enter)
                elif at < trace.last and c.enter < until:
                    add('Under way', c.task, c.kind, peer, until - c.enter)
                continue
            if c.other and min(c.leave, c.other.enter) > c.enter:
                add('Late receiver' if c.sends else 'Late sender', c.task, c.kind, peer, min(c.leave, c.other.enter) - c.enter)
            elif not c.number and c.leave > c.enter:
                add('Partner that never came', c.task, c.kind, peer, c.leave - c.enter)
        for task, kind, enter, peer in never_ended(trace, calls) if at == trace.last else ():
            until = min([at, *(e.date for e in trace.events if e.kind == 'TskDth' and e.task == task)])
            if until > enter:
                add('Never answered', task, kind, peer, until - enter)
        for task, kind, begin, end, peer, sent in looks:
            if end <= at and sent is not None and min(sent, end) > begin:
                add('Late sender', task, kind, peer, min(sent, end) - begin)
        for task, kind, begin in held_up(trace, at) if at < trace.last else ():
            until = min([at, *(e.date for e in trace.events if e.kind == 'TskDth' and e.task == task)])
            if until > begin:
                add('Under way', task, kind, None, until - begin)
        out = os.path.join(folder, f'waits-{at}')
        files = run(trace, 'waits', out, *(['--until', f'{at / trace.ticks:.9f}'] if at < trace.last else []))
        got = {(r['kind'], r['task'], r['region']): r for r in files['waits.csv']}
        assert set(got) == set(rows), (trace.path, at, set(got) ^ set(rows))
        for key, (times, waited, longest) in rows.items():
            assert int(got[key]['times']) == times, (trace.path, at, key, got[key], times)
            near(f'{trace.path}: {key} waited until {at}', got[key]['waited [s]'], waited / trace.ticks)
            near(f'{trace.path}: {key} at most until {at}', got[key]['longest [s]'], longest / trace.ticks)
        for r in files['tasks.csv']:
            near(f'{trace.path}: {r["task"]} waits until {at}', r['waiting [s]'], waiting[r['task']] / trace.ticks)
            near(f'{trace.path}: {r["task"]} is waited for until {at}', r['waited for [s]'], caused[r['task']] / trace.ticks)
    assert dates
    return len(calls)


class Meetings(make.TapeMaker):
    """No two events of one date, no thread in two calls, nobody dies: then it is told who met whom, and when."""

    def __init__(self, rand, tasks):
        super().__init__(rand, tasks)
        self.missing = 0

    def event(self, *words, **named):
        self.date += 1
        return super().event(*words, **named)

    def begin(self, thread):
        if thread.call is None:
            super().begin(thread)

    def die(self, task):
        pass


class AtOnce(Meetings):
    """Each send ends at the very date at which its receive begins: until then it has waited."""

    def make(self, actions):
        for task in range(len(self.events)):
            self.event(task, 0, 'TskBth', [100 + task])
        first = {t.task: t for t in reversed(self.threads)}
        for _ in range(actions // 4):
            link = self.rand.randrange(len(self.links))
            send, receive = (first[task] for task in self.links[link])
            self.met[link] += 1
            send.call = make.Call(self.event(send.task, send.number, 'Send', [link, 8]), link, True)
            self.date += self.rand.randrange(50)
            self.end(send, 'EndSend', [link, 8, self.met[link], 0])
            self.date -= 1
            receive.call = make.Call(self.event(receive.task, receive.number, 'Receive', [link, 4096]), link, False)
            self.end(receive, 'EndReceive', [link, 8, self.met[link], 0])
        return self


def check_ouf(trace, folder):
    """All other programs that PVM has."""
    model = ouf.Ouf(trace)
    for e in trace.events:
        model.step(e)
    state, name = model.state(trace.last), {t.id: t.nickname for t in trace.tasks.values()}
    files = run(trace, 'traffic', os.path.join(folder, 'traffic'))
    want = {(name[e['from']], name[e['to']]): (e['Messages'], e['TotalTraffic']) for e in state['edges'] if e['Messages']}
    assert {(r['from'], r['to']): (int(r['messages']), int(r['volume [B]'])) for r in files['pairs.csv']} == want, (trace.path, want)
    for row in files['messages.csv']:
        for to, n in list(row.items())[1:]:
            near(f'{trace.path}: messages', n, want.get((row['messages'], to), (0, 0))[0])
    files = run(trace, 'load-balance', os.path.join(folder, 'balance'))
    rows = {r['task']: r for r in files['states.csv']}
    busy = {}
    for node in state['nodes']:
        for kind in ('Busy', 'Idle', 'Talking'):
            spent = model.nodes[[n for n, t in trace.tasks.items() if t.id == node['id']][0]].seen.ticks(trace.last).get(kind, 0)
            near(f'{trace.path}: {kind} of {node["id"]}', rows[node['Nickname']][kind + ' [s]'], spent / trace.ticks)
            busy[node['Nickname']] = busy.get(node['Nickname'], 0) + (spent if kind != 'Idle' else 0)
    if files['imbalance.csv']:
        mean = sum(busy.values()) / sum(b > 0 for b in busy.values())
        near(f'{trace.path}: imbalance', files['imbalance.csv'][-1]['imbalance [%]'], 100 * (max(busy.values()) / mean - 1), 1e-6)
    times = defaultdict(list)
    for c in calls_of(trace):
        if c.kind in RECEIVES['OUF'] and c.ended:
            times[trace.tasks[c.task].nickname].append((c.leave - c.enter) / trace.ticks)
    files = run(trace, 'waiting-times', os.path.join(folder, 'waiting'))
    assert {r['owner']: int(r['count']) for r in files['by-task.csv']} == {t: len(s) for t, s in times.items()}, trace.path
    for r in files['by-task.csv']:
        near(f'{trace.path}: waiting of {r["owner"]}', r['sum [s]'], math.fsum(times[r['owner']]), 1e-9)
    check_overhead(trace, folder)


def check_overhead(trace, folder):
    """The share of communication in the lives of all tasks, from sample to sample; the watch acts at the first above its limit."""
    lives, spans, running = {}, [], {}
    for e in trace.events:
        key = e.task, e.thread
        begin, death = lives.get(e.task, (e.date, trace.last))
        lives[e.task] = begin, e.date if e.kind == 'TskDth' else death
        if e.category == 'point' and not e.end:
            running[key] = e.date
        elif e.end and key in running:
            spans.append((e.task, running.pop(key), e.date))
    spans += [(task, begin, trace.last) for (task, _), begin in running.items()]
    spans = [(task, begin, min(end, lives[task][1])) for task, begin, end in spans]

    def share(begin, end):
        cut = lambda a, b: max(0, min(b, end) - max(a, begin))
        life = sum(cut(*l) for l in lives.values())
        return 100 * sum(cut(a, b) for _, a, b in spans) / life if life else None
    rows = run(trace, 'communication-overhead', os.path.join(folder, 'overhead'))['overhead-dated.csv']
    before, first = trace.first, None
    for r in rows:
        date = round(float(r['date [s]']) * trace.ticks)
        near(f'{trace.path}: overhead until {r["date [s]"]}', r['value'], share(before, date), 1e-6)
        first = first or (date if float(r['value']) > 50 else None)
        before = date
    assert rows and before == trace.last, trace.path
    acted = run(trace, 'watch-overhead', os.path.join(folder, 'watch')).get('triggered.csv', [])
    assert [round(float(r['date [s]']) * trace.ticks) for r in acted[:1]] == ([first] if first else []), (trace.path, acted, first)


with tempfile.TemporaryDirectory() as scratch:
    os.environ['XDG_CACHE_HOME'] = os.path.join(scratch, 'cache')
    found = 0
    for sample in ('fft2d-s16', 'farm', 'heat2d', 'births') if WHICH == 'waits' else ('farm-alt', 'deaths'):
        execution = raw.read(os.path.join(ROOT, 'traces', sample + '.trace'))
        where = os.path.join(scratch, sample)
        if WHICH == 'waits':
            files = run(execution, 'waits', where)
            found += check_waits(execution, files)
            check_path(execution, files)
        else:
            check_ouf(execution, where)
    if WHICH == 'ouf':
        seed = int(os.environ.get('SCOPE_SEED', '1'))
        print(f'seed {seed}: SCOPE_SEED gives another')
        rand = random.Random(seed)
        bundles = [os.path.join(ROOT, 'traces', n) for n in raw.samples()]
        bundles = [b for b in bundles if os.path.isdir(os.path.join(b, os.path.basename(b)[:-6] + '.tape'))]
        assert len(bundles) > 4
        bundles += [make.write_tape(os.path.join(scratch, f'made{n}.trace'), rand, rand.choice([2, 3, 5]), 120, Meetings) for n in range(4)]
        bundles.append(make.write_tape(os.path.join(scratch, 'at-once.trace'), rand, 3, 120, AtOnce))
        for n, bundle in enumerate(bundles):
            execution = raw.read(bundle)
            instants = [rand.randint(execution.first, execution.last) for _ in range(2)]
            found += check_meetings(execution, os.path.join(scratch, f'meetings{n}'), instants)
        assert found > 500, found
print(f'{checks} numbers are right')
assert checks > 30 and (WHICH != 'waits' or found > 30)
