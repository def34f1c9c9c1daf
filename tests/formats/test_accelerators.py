#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ties programs and their accelerators: which call launched what a stream does, how long that took, who waits for which stream.
Recorded by PyTorch's profiler, and made at random with what is true of them; each beside a second computation."""
import collections
import csv
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chrome import Names, placed, ticks                                                         # noqa: E402
from formats import Format, few, main, samples                                                  # noqa: E402
from otf2 import Archive                                                                        # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = int(os.environ.get('SCOPE_SEED', '17'))
TABLES = 'waits', 'tasks', 'efficiency', 'path', 'flows'
PROGRAM = ('<?xml version="1.0" encoding="UTF-8"?><eve version="1"><component name="R" class="scope.chrome-reader" version="1"/>'
           '<component name="W" class="scope.wait-states" version="3"/>'
           + ''.join(f'<component name="F{n}" class="scope.data-file" version="1"><setting name="file">{n}.csv</setting></component>' for n in TABLES)
           + '<wire from="R" out="events" to="W" in="events"/>' + ''.join(f'<wire from="W" out="{n}" to="F{n}" in="in"/>' for n in TABLES) + '</eve>')


class Doing(collections.namedtuple('Doing', 'stream name begin end launched by')):
    """What a stream does; launched when, by whom."""


class Wait(collections.namedtuple('Wait', 'task region enter leave until stream')):
    pass


def ended_last(doings, process, enter, leave, stream=None, records=()):
    """What ended last in a call, of one stream, or of all if one alone has done something by then; None: nobody knows."""
    by = max((date for date in records if date <= enter), default=enter)       # what an event stands for was launched before it was recorded
    ended = [d for d in doings if enter < d.end <= leave and d.by[0] == process and d.launched < by and stream in (None, d.stream)]
    return max(ended, key=lambda d: d.end) if len({d.stream for d in ended}) == 1 else None


def led_to(doings):
    """(stream, name) -> times, latency, the longest, and for how long it was behind what the stream did."""
    out, free = collections.defaultdict(lambda: [0, 0, 0, 0]), {}
    for d in sorted(doings, key=lambda d: d.begin):
        row, before = out[d.stream, d.name], free.get(d.stream, 0)
        latency = d.begin - d.launched
        row[0] += 1
        row[1] += latency
        row[2] = max(row[2], latency)
        row[3] += max(0, min(before, d.begin) - d.launched)
        free[d.stream] = d.end
    return {key: tuple(row) for key, row in out.items()}


def critical_path(doings, waits, spans):
    """Backward from what ends last: ticks by task."""
    jumps, free = collections.defaultdict(list), {}
    for d in sorted(doings, key=lambda d: d.begin):
        if d.launched >= free.get(d.stream, 0):
            jumps[d.stream].append((d.launched, d.begin, d.launched, d.by))
        free[d.stream] = d.end
    for w in waits:
        jumps[w.task].append((w.enter, w.leave, w.until, w.stream))
    for one in jumps.values():
        one.sort()
    task = max(spans, key=lambda t: spans[t][1])
    now, out = spans[task][1], collections.Counter()
    while True:
        found = next((j for j in reversed(jumps[task]) if j[1] <= now and j[0] < now), None)
        out[task] += now - (found[2] if found else spans[task][0])
        if not found:
            return out
        now, task = found[2], found[3]


class Made:
    """Programs of several threads that launch work on streams and wait for it, and what is true of all that."""

    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.infos, self.of_events, self.shared = r.random() < 0.5, r.random() < 0.5, r.random() < 0.5
        self.flows = r.choice(['none', 'all', 'some'])
        self.doings, self.waits, self.out, self.spans = [], [], [], {}
        self.threads = [(p, t) for p in (1000, 2000) for t in range(1, r.randrange(2, 4))]
        self.now = {t: r.randrange(1000, 3000) for t in self.threads}
        self.free, self.n = collections.Counter(), collections.Counter()
        self.records = collections.defaultdict(list)        # of events, by process: (date, what it is behind)
        for _ in range(r.randrange(40, 120)):
            thread = min(self.threads, key=lambda t: self.now[t])
            r.choice([self.work, self.launch, self.launch, self.launch, self.all, self.one, self.event, self.copy])(thread)
        for thread in self.threads:
            self.now[thread] += r.randrange(1, 999)
            self.work(thread)
        r.shuffle(self.out)

    def slice(self, pid, tid, name, cat, begin, end, **args):
        self.out.append({'ph': 'X', 'pid': pid, 'tid': tid, 'name': name, 'cat': cat, 'ts': begin / 1000, 'dur': (end - begin) / 1000, 'args': args})
        span = self.spans.setdefault((pid, tid), [begin, end])
        span[:] = min(span[0], begin), max(span[1], end)

    def number(self, thread):
        self.n[thread[0]] += 1
        n = self.n[thread[0]]
        return {'correlation': n if self.shared else n + thread[0] * 1000, 'External id': n * 10 + thread[0] // 1000}

    def work(self, thread):
        end = self.now[thread] + self.r.randrange(1, 3000)
        self.slice(*thread, self.r.choice(['aten::mm', 'aten::add']), 'cpu_op', self.now[thread], end)
        self.now[thread] = end + self.r.randrange(1, 20)

    def stream(self, thread):
        return self.r.randrange(2), thread[0] // 100 + self.r.randrange(3)

    def doing(self, thread, launched, number, name, cat):
        stream = self.stream(thread)
        begin = max(self.free[stream], launched) + self.r.randrange(3, 60)
        end = self.free[stream] = begin + self.r.randrange(10, 6000)
        self.slice(*stream, name, cat, begin, end, stream=stream[1], device=stream[0], **number)
        self.doings.append(Doing(stream, name, begin, end, launched, thread))
        return begin, end, stream

    def launch(self, thread):
        """Of a graph several things come, on several streams."""
        launched, number = self.now[thread], self.number(thread)
        n = self.r.choice([1, 1, 1, 3])
        end = launched + self.r.randrange(5, 30)
        self.slice(*thread, 'cudaGraphLaunch' if n > 1 else self.r.choice(['cudaLaunchKernel', 'cudaMemcpyAsync']), 'cuda_runtime', launched, end, **number)
        told = self.flows == 'all' or (self.flows == 'some' and self.r.random() < 0.5)
        flow = {'id': number['External id'], 'cat': 'ac2g', 'name': 'ac2g'}
        if told:
            self.out.append({'ph': 's', 'pid': thread[0], 'tid': thread[1], 'ts': launched / 1000, **flow})
        for _ in range(n):
            begin, _, stream = self.doing(thread, launched, number, self.r.choice(['gemm', 'copy']), self.r.choice(['kernel', 'gpu_memcpy']))
            if told:
                self.out.append({'ph': 'f', 'bp': 'e', 'pid': stream[0], 'tid': stream[1], 'ts': begin / 1000, **flow})
        self.now[thread] = end + self.r.randrange(1, 40)
        if self.r.random() < 0.4:
            begin = self.now[thread]
            last = max(self.mine(thread, self.doings[-1].stream), key=lambda d: d.end)
            self.slice(*thread, 'cudaEventRecordWithFlags', 'cuda_runtime', begin, begin + 3, **self.number(thread))
            self.records[thread[0]].append((begin, last))
            self.now[thread] = begin + self.r.randrange(4, 20)

    def wait(self, thread, region, until, target, info, known):
        """`target`: the stream whose end it waits for, for which it is `until`; `known`: what the trace lets be known of it, else a
        function that finds it."""
        enter, number = self.now[thread], self.number(thread)
        leave = max(enter, until) + self.r.randrange(2, 25)
        self.slice(*thread, region, 'cuda_runtime', enter, leave, **number)
        if info is not None:
            kind, pid, tid, args = info
            self.slice(pid, tid, kind, 'cuda_sync', enter + 1, leave - 1, **args, **number)
            if (pid, tid) in self.spans and not any((pid, tid) == d.stream for d in self.doings):
                del self.spans[pid, tid]
        self.late.append((thread, region, enter, leave, known))
        self.now[thread] = leave + self.r.randrange(1, 40)

    late = None

    def mine(self, thread, stream=None, before=None):
        return [d for d in self.doings if d.by[0] == thread[0] and stream in (None, d.stream) and d.launched < (before or self.now[thread])]

    def all(self, thread):
        self.late = self.late or []
        last = max(self.mine(thread), key=lambda d: d.end, default=None)
        info = ('Context Sync', 0, 1, {'stream': -1}) if self.infos else None
        self.wait(thread, self.r.choice(['cudaDeviceSynchronize', 'cuCtxSynchronize_v2']), last.end if last else 0, last and last.stream, info, ('all', None))

    def one(self, thread):
        self.late = self.late or []
        stream = self.stream(thread)
        last = max(self.mine(thread, stream), key=lambda d: d.end, default=None)
        info = ('Stream Sync', *stream, {'stream': stream[1]}) if self.infos else None
        self.wait(thread, self.r.choice(['cudaStreamSynchronize', 'cudaStreamSynchronize_ptsz']), last.end if last else 0, stream, info,
                  ('stream', stream) if self.infos else ('perhaps', None))

    def event(self, thread):
        """An event that was recorded behind something that need not be the last of its stream."""
        self.late = self.late or []
        of = [d for date, d in self.records[thread[0]] if date < self.now[thread]]
        if not of:
            return
        d = self.r.choice(of[-3:])
        told = self.infos and self.of_events
        info = ('Event Sync', *(d.stream if told else (0, 1)), {'wait_on_stream': d.stream[1] if told else -1}) if self.infos else None
        self.wait(thread, 'cudaEventSynchronize', d.end, d.stream, info, ('perhaps', d.stream if told else None))

    def copy(self, thread):
        """The call lasts until what it copies is there."""
        enter, number = self.now[thread], self.number(thread)
        _, end, stream = self.doing(thread, enter, number, 'Memcpy HtoD', 'gpu_memcpy')
        leave = end + self.r.randrange(2, 25)
        self.slice(*thread, 'cudaMemcpy', 'cuda_runtime', enter, leave, **number)
        self.waits.append(Wait(thread, 'cudaMemcpy', enter, leave, end, stream))
        self.now[thread] = leave + self.r.randrange(1, 40)

    def known(self):
        """All waits that the trace tells whom for."""
        out = list(self.waits)
        for thread, region, enter, leave, (how, stream) in self.late or ():
            if how == 'perhaps':
                records = [date for date, _ in self.records[thread[0]]] if 'Event' in region else ()
                d = ended_last(self.doings, thread[0], enter, leave, stream, records)
            else:
                d = max(self.mine(thread, stream, enter), key=lambda d: d.end, default=None)
            if d and d.end > enter:
                out.append(Wait(thread, region, enter, leave, min(d.end, leave), d.stream))
        return out


class Accelerators(Format):
    maxDiff = 6000
    def tables(self, path):
        out = self.path('out')
        shutil.rmtree(out, ignore_errors=True)
        self.scope('run', path, '--program', self.path('waits.eve', PROGRAM), '--out', out)
        rows = {}
        for name in TABLES:
            with open(os.path.join(out, name + '.csv'), newline='') as f:
                rows[name] = list(csv.DictReader(f))
        return rows

    def compare(self, path, doings, waits, spans, names, where):
        rows = self.tables(path)

        def ns(text):
            return round(float(text) * 1e9)
        streams = {names[d.stream] for d in doings}
        mine = {(r['task'], r['led to']): (int(r['times']), ns(r['latency [s]']), ns(r['longest [s]']), ns(r['behind others [s]']))
                for r in rows['flows'] if r['task'] in streams}
        self.assertEqual(mine, {(names[stream], name): row for (stream, name), row in led_to(doings).items()}, where)
        told, mostly = collections.Counter(), collections.defaultdict(collections.Counter)
        for w in waits:
            told[names[w.task], w.region] += w.until - w.enter
            mostly[names[w.task], w.region][names[w.stream]] += w.until - w.enter
        self.assertEqual({r['kind'] for r in rows['waits'] if r['times'] != '0'} - {'Accelerator not done'}, set(), where)
        mine = {(r['task'], r['region']): ns(r['waited [s]']) for r in rows['waits'] if r['times'] != '0'}
        self.assertEqual(mine, dict(told), where)
        for r in rows['waits']:
            if r['times'] != '0':
                self.assertEqual(mostly[r['task'], r['region']][r['mostly for']], max(mostly[r['task'], r['region']].values()), (where, r))
        if spans:
            path_of = {names[t]: n for t, n in critical_path(doings, waits, spans).items()}
            self.assertEqual({r['task']: ns(r['on the critical path [s]']) for r in rows['tasks'] if ns(r['on the critical path [s]'])},
                             {t: n for t, n in path_of.items() if n}, where)
        return rows

    def test_made_at_random(self):
        """Launches with flows, without, with some of them, and many things of one launch; waits for all, a stream, an event, a copy."""
        n, jumps = 0, 0
        for seed in range(SEED, SEED + few(8) + 4):
            made = Made(seed)
            path = self.path(f'made{seed}.json', json.dumps({'traceEvents': made.out}))
            names = Names([placed(e) for e in made.out]).threads
            waits = made.known()
            rows = self.compare(path, made.doings, waits, made.spans, {(int(p), int(t)): name for (p, t), name in names.items()}, seed)
            figures = {r['what']: r['value'] for r in rows['efficiency']}
            self.assertEqual([figures[k] for k in ('Messages', 'Sends that nobody received', 'Receives that nobody sent')],
                             [str(len(made.doings)), '0', '0'], seed)
            self.assertEqual(self.info(path)['damage'], [], seed)
            n, jumps = n + len(waits), jumps + float(figures['Critical path, stretches'])
        self.assertGreater(n, 20)
        self.assertGreater(jumps, 10)

    def test_recorded(self):
        """What PyTorch's profiler recorded of a program with two streams, events, copies and a graph: launches by their numbers of correlation."""
        for name in ('sync', 'plain'):
            path = os.path.join(HERE, 'accelerators', f'pytorch-{name}.json.gz')
            with gzip.open(path) as f:
                records = [placed(e) for e in json.load(f, parse_float=str)['traceEvents']]
            slices = [e for e in records if e['ph'] == 'X']
            calls = {e['args']['correlation']: e for e in slices if e['cat'] in ('cuda_runtime', 'cuda_driver')}
            doings, syncs = [], {e['args']['correlation']: e for e in slices if e['cat'] == 'cuda_sync'}
            for e in slices:
                if e['cat'] in ('kernel', 'gpu_memcpy', 'gpu_memset'):
                    call = calls[e['args']['correlation']]
                    begin = ticks(e['ts'])
                    doings.append(Doing((e['pid'], e['tid']), e['name'], begin, begin + ticks(e['dur']), ticks(call['ts']), (call['pid'], call['tid'])))
            self.assertGreater(len(doings), 40)
            waits = []
            for number, e in calls.items():
                if not e['name'].endswith('Synchronize'):
                    continue
                enter = ticks(e['ts'])
                leave, before = enter + ticks(e['dur']), [d for d in doings if d.launched < enter]
                if 'Device' in e['name']:
                    d = max(before, key=lambda d: d.end)
                elif 'Stream' in e['name'] and number in syncs:
                    d = max((d for d in before if d.stream == (syncs[number]['pid'], syncs[number]['tid'])), key=lambda d: d.end)
                else:
                    behind = [ticks(c['ts']) for c in calls.values() if 'EventRecord' in c['name'] and c['pid'] == e['pid']]
                    d = ended_last(doings, e['pid'], enter, leave, None, behind if 'Event' in e['name'] else ())
                if d and d.end > enter:
                    waits.append(Wait((e['pid'], e['tid']), e['name'], enter, leave, min(leave, d.end), d.stream))
            self.assertGreater(len(waits), 7)
            names = Names(records).threads
            of = {(d.stream, d.by) for d in doings} | {(w.stream, w.task) for w in waits}
            names = {key: names[str(key[0]), str(key[1])] for pair in of for key in pair}
            rows = self.compare(path, doings, waits, None, names, name)
            tasks = {r['task'] for r in rows['tasks']}
            self.assertEqual(len(tasks), 5, tasks)         # two threads and three streams: what the profiler tells of itself is no task
            for r in rows['tasks']:
                stream = [d for d in doings if names[d.stream] == r['task']]
                if stream:
                    self.assertEqual(round(float(r['computing [s]']) * 1e9), sum(d.end - d.begin for d in stream), r)
            figures = {r['what']: r['value'] for r in rows['efficiency']}
            self.assertEqual([figures[k] for k in ('Sends that nobody received', 'Receives that nobody sent')], ['0', '0'])
            self.assertEqual(self.info(path)['damage'], [])

    def otf2_waits(self, path):
        out = self.path('out')
        shutil.rmtree(out, ignore_errors=True)
        self.scope('run', path, '--program', self.path('waits.eve', PROGRAM.replace('chrome', 'otf2')), '--out', out)
        with open(os.path.join(out, 'waits.csv'), newline='') as f:
            return {(r['task'], r['region'], r['mostly for']): round(float(r['waited [s]']) * 1e9) for r in csv.DictReader(f) if r['times'] != '0'}

    @unittest.skipUnless(os.environ.get('OTF2_SCRIPT'), 'built without libotf2')
    def test_streams_of_otf2(self):
        """What a call that waits for all streams, or for one, has waited for: what ended last meanwhile, of its own process, if that can be told."""
        any_, n, nested, untold = random.Random(SEED), 0, 0, 0
        for k in range(few(6) + 2):
            ranks, streams, ends, rows, spans = any_.randrange(1, 4), {}, collections.defaultdict(list), [], []
            lines = [f'ranks {ranks}']
            for r in range(ranks):
                for _ in range(any_.randrange(1, 4)):
                    streams[ranks + len(streams)] = r
            lines += [f'stream {x} {r}' for x, r in streams.items()]
            for x, r in streams.items():
                now = any_.randrange(100, 900)
                for _ in range(any_.randrange(1, 12)):
                    rows.append(f'{x} {now} enter kernel{any_.randrange(2)}')
                    region = rows[-1].split()[-1]
                    now += any_.randrange(1, 3000)
                    rows.append(f'{x} {now} leave {region}')
                    ends[r].append((now, x))
                    now += any_.randrange(1, 900)
            for r in range(ranks):
                now = any_.randrange(100, 900)
                for _ in range(any_.randrange(3, 9)):
                    region = any_.choice(('hipDeviceSynchronize', 'hipStreamSynchronize', 'hipEventSynchronize', 'hipMemcpy', 'solve'))
                    last = any_.choice(ends[r])[0] + any_.randrange(20)
                    leave = max(now + any_.randrange(1, 2000), last if any_.random() < 0.5 else 0)
                    dates = sorted(any_.sample(range(now + 1, leave), 4)) if any_.random() < 0.6 and leave - now > 9 else []
                    inside = [(any_.choice(('hipDeviceSynchronize', 'hipStreamSynchronize', 'hipEventQuery')), *dates[i:i + 2]) for i in range(0, len(dates), 2)]
                    rows += [f'{r} {now} enter {region}']
                    for inner, enter, left in inside:
                        rows += [f'{r} {enter} enter {inner}', f'{r} {left} leave {inner}']
                    rows += [f'{r} {leave} leave {region}']
                    if region == 'solve':
                        spans += [(r, *one, []) for one in inside if 'Query' not in one[0]]
                    else:
                        spans.append((r, region, now, leave, inside))
                    now = leave + any_.randrange(1, 500)
            expected = collections.defaultdict(collections.Counter)
            for r, region, enter, leave, inside in spans:
                ended = [(date, x) for date, x in ends[r] if enter < date <= leave]
                if not ended:
                    continue
                if 'Device' not in region and len({x for _, x in ended}) > 1:
                    untold += 1
                    continue
                date, x = max(ended)
                for inner, begin, end in inside:               # it counts in the call that the task is in then
                    if begin < date <= end:
                        region, enter = inner, begin
                        nested += 1
                expected[f'rank {r}', region][x] += date - enter
                n += 1
            path = self.path(f'streams{k}')
            subprocess.run([os.environ['OTF2_SCRIPT'], path], input='\n'.join(lines + rows) + '\n', text=True, check=True)
            mine = self.otf2_waits(path)
            self.assertEqual({key[:2]: ticks for key, ticks in mine.items()}, {key: sum(of.values()) for key, of in expected.items()}, (SEED, k))
            for task, region, mostly in mine:
                of = expected[task, region]
                only = [x for x, r in streams.items() if mostly == f'device of rank {r}']      # a device of one stream has its own name
                self.assertEqual(of[only[0] if only else int(mostly.split()[-1])], max(of.values()), (SEED, k, task, region))
        self.assertGreater(n, 10)
        self.assertGreater(nested, 0)
        self.assertGreater(untold, 0)

    @unittest.skipUnless(os.environ.get('OTF2_SCRIPT'), 'built without libotf2')
    def test_a_wait_in_another_of_otf2(self):
        """The outermost call says since when is waited, and whether for one stream; what is inside of it is over sooner."""
        def waits(name, streams, calls):
            lines = ['ranks 1'] + [f'stream {x} 0' for x in streams]
            for x, end in streams.items():
                lines += [f'{x} 100 enter k', f'{x} {end} leave k']
            subprocess.run([os.environ['OTF2_SCRIPT'], self.path(name)], input='\n'.join(lines + [f'0 {c}' for c in calls]) + '\n', text=True, check=True)
            return {key[1]: ticks for key, ticks in self.otf2_waits(self.path(name)).items()}
        outer = ['1000 enter hipDeviceSynchronize', '5200 enter hipEventSynchronize', '5500 leave hipEventSynchronize', '6100 leave hipDeviceSynchronize']
        self.assertEqual(waits('sooner', {1: 5000}, outer), {'hipDeviceSynchronize': 4000})
        self.assertEqual(waits('never-left', {1: 5000}, outer[:2] + outer[3:]), {'hipDeviceSynchronize': 4000})
        outer = ['1000 enter hipMemcpy', '1200 enter hipEventSynchronize', '1500 leave hipEventSynchronize', '6100 leave hipMemcpy']
        self.assertEqual(waits('two', {1: 1100, 2: 5000}, outer), {})
        self.assertEqual(waits('inside', {1: 1400, 2: 9000}, outer), {'hipEventSynchronize': 200})
        self.assertEqual({k['name']: k['begun'] for k in self.info(self.path('inside'))['kinds'] if k['category'] == 'wake'}, {'Done': 1, 'Awaited': 1})

    @unittest.skipUnless(os.environ.get('OTF2_SCRIPT'), 'built without libotf2')
    def test_more_waits_than_are_kept(self):
        """It is said how many calls that wait are left out."""
        path, n = self.path('many'), (1 << 21) + 5
        with subprocess.Popen([os.environ['OTF2_SCRIPT'], path], stdin=subprocess.PIPE, text=True) as script:
            script.stdin.write('ranks 1\nstream 1 0\n1 100 enter k\n1 900 leave k\n')
            script.stdin.writelines(f'0 {now} enter hipDeviceSynchronize\n0 {now + 1} leave hipDeviceSynchronize\n' for now in range(500, 500 + 2 * n, 2))
        self.assertEqual(script.returncode, 0)
        self.assertEqual([d['reason'].split(': ')[0] for d in self.info(path)['damage']],
                         [f'more than {n - 5} ends of what accelerators do, or calls that wait for these; 0 ends and 5 calls are left out'])

    @unittest.skipUnless(os.path.isdir(samples('otf2')) and shutil.which('otf2-print'), 'the samples are not here')
    def test_recorded_by_score_p(self):
        archive = Archive(os.path.join(samples('otf2'), 'mi300', 'traces.otf2'))
        since, ended, expected = 0, (0, ''), collections.Counter()
        for date, kind, location, text in archive.records:
            task = archive.tasks[location]
            if kind == 'LEAVE' and task.startswith('HIP Context'):
                ended = date, task
            elif kind == 'ENTER' and 'hipEventSynchronize' in text:
                since = date
            elif kind == 'LEAVE' and 'hipEventSynchronize' in text and ended[0] > since:
                expected[task, ended[1]] += ended[0] - since
        self.assertEqual(len(expected), 2)
        path = os.path.join(samples('otf2'), 'mi300')
        mine = self.otf2_waits(path)
        of_task = collections.defaultdict(dict)
        for (task, stream), ticks in expected.items():
            of_task[task][stream] = ticks
        self.assertEqual(mine, {(task, 'hipEventSynchronize', max(of, key=of.get)): sum(of.values()) for task, of in of_task.items()})
        self.assert_launches_are_not_told(path, archive, {by: ticks for (_, by), ticks in expected.items()})
        self.assert_under_way(path, archive)

    def assert_launches_are_not_told(self, path, archive, waited):
        """The path ends where the last kernel begins, which is said; and nobody is to blame for having nothing to do until then."""
        first, last = min(r[0] for r in archive.records), max(r[0] for r in archive.records)
        begin, by = max((date, archive.tasks[location]) for date, kind, location, _ in archive.records
                        if kind == 'ENTER' and archive.tasks[location].startswith('HIP Context'))
        said = ' '.join(self.scope('report', path, '-q')[0].replace('\u00a0', ' ').split())
        at, on, share = re.search(r'The path begins at ([\d.]+) s on (.*?), as nothing tells .*? \(([\d.]+) % of the run\)', said).groups()
        self.assertEqual((round(float(at) * 1e9), on), (begin - first, by))
        self.assertAlmostEqual(float(share), 100 * (begin - first) / (last - first), delta=0.06)
        costs = re.findall(r'(HIP Context \d) in \w+\(.*?\) costs [\d.]+ s of waiting \(([\d.]+) % of all of it\)', said)
        for task, part in costs:
            self.assertAlmostEqual(float(part), 100 * waited[task] / sum(waited.values()), delta=0.06)
        self.assertEqual({task for task, _ in costs}, set(waited))
        self.assertNotIn('before its first call costs', said)

    def assert_under_way(self, path, archive):
        """At an instant in a call that waits for an accelerator."""
        any_, first = random.Random(SEED), min(r[0] for r in archive.records)
        calls = [(date, kind) for date, kind, _, text in archive.records if 'hipEventSynchronize' in text and kind in ('ENTER', 'LEAVE')]
        done = [date for date, kind, location, _ in archive.records if kind == 'LEAVE' and archive.tasks[location].startswith('HIP Context')]
        for (enter, _), (leave, _) in zip(calls[::2], calls[1::2]):
            at = any_.randrange(enter + 1, min(date for date in done if date > enter))
            out = self.path('instant')
            shutil.rmtree(out, ignore_errors=True)
            self.scope('run', path, '--program', 'waits', '--until', f'{(at - first) / 1e9:.9f}', '--out', out, '-q')
            with open(os.path.join(out, 'waits.csv'), newline='') as f:
                rows = [(r['kind'], r['task'], r['region'], r['mostly for'], round(float(r['waited [s]']) * 1e9)) for r in csv.DictReader(f)]
            self.assertIn(('Under way', 'Process', 'hipEventSynchronize', '', at - enter), rows, at)
            before = [('Accelerator not done', max(d for d in done if d < b) - a) for (a, _), (b, _) in zip(calls[::2], calls[1::2]) if b < at]
            self.assertEqual([(r[0], r[4]) for r in rows if r[0] != 'Under way'], before, at)

    def test_waits_at_random_instants(self):
        """Who is in a call that waits for a stream waits up to the instant, as that is not known to be done."""
        any_ = random.Random(SEED)
        made = Made(SEED + 300)
        path = self.path('made.json', json.dumps({'traceEvents': made.out}))
        names = {(int(p), int(t)): name for (p, t), name in Names([placed(e) for e in made.out]).threads.items()}
        for w in any_.sample(sorted(made.known()), few(4) + 2):
            at, out = any_.randrange(w.enter + 1, w.until), self.path('instant')
            shutil.rmtree(out, ignore_errors=True)
            self.scope('run', path, '--program', 'waits', '--until', f'{at / 1e9:.9f}', '--out', out, '-q')
            with open(os.path.join(out, 'waits.csv'), newline='') as f:
                rows = [(r['kind'], r['task'], r['region'], round(float(r['waited [s]']) * 1e9)) for r in csv.DictReader(f)]
            self.assertIn(('Under way', names[w.task], w.region, at - w.enter), rows, at)
            self.assertEqual([r for r in rows if r[0] == 'Under way' and not re.search('Synchronize|Memcpy', r[2])], [], at)
        launch = [{'ph': 'X', 'pid': 1, 'tid': tid, 'ts': at, 'dur': 50, 'name': name} for tid, at, name in ((1, 10, 'Post'), (2, 90, 'Handle'))]
        launch += [{'ph': ph, 'pid': 1, 'tid': tid, 'ts': at, 'name': 'x', 'id': 7, 'bp': 'e'} for ph, tid, at in (('s', 1, 15), ('f', 2, 95))]
        launched = self.path('launch.json', json.dumps({'traceEvents': launch}))
        shutil.rmtree(out)
        self.scope('run', launched, '--program', 'waits', '--until', f'{any_.randrange(16, 60) / 1e6:.9f}', '--out', out, '-q')
        with open(os.path.join(out, 'waits.csv'), newline='') as f:
            self.assertEqual(list(csv.DictReader(f)), [])                   # who begins a flow waits for nobody

    def test_what_is_written(self):
        """Nobody waits for a launch in what is written; what a format does not keep of it, and of waits, is said, in its number."""
        for name in ('pytorch-plain.json.gz', 'pytorch-sync.json.gz'):
            path = os.path.join(HERE, 'accelerators', name)
            kinds = collections.Counter()
            for kind in self.info(path)['kinds']:
                kinds[kind['name']] += kind['begun']
            self.assertGreater(min(kinds['FlowStart'], kinds['Awaited']), 0)
            for ending in ['.json', '.paje'] + ['.otf2'] * ('OTF2_SCRIPT' in os.environ):
                out = self.path(name + '.written' + ending)
                told = self.scope('export', path, '-o', out)[1]
                self.assertIn(f'{kinds["Awaited"]} waits for accelerators are written as notes alone', told)
                flows = f'{kinds["FlowStart"] + kinds["Launch"]} flows, such as launches, are written as messages'
                (self.assertNotIn if ending == '.json' else self.assertIn)(flows, told)
                self.assertIn('No task waits for another', self.scope('report', out)[0], (name, ending))

    def test_at_random_instants(self):
        """So many launches have come from each thread to each stream by then, and what each stream does."""
        any_ = random.Random(SEED)
        made = Made(SEED + 100)
        path = self.path('made.json', json.dumps({'traceEvents': made.out}))
        names = {(int(p), int(t)): name for (p, t), name in Names([placed(e) for e in made.out]).threads.items()}
        first = min(s[0] for s in made.spans.values())
        for _ in range(few(12)):
            at = any_.randrange(first, max(s[1] for s in made.spans.values())) + 0.5
            expected, doing = collections.Counter(), {}
            for d in made.doings:
                expected[names[d.by], names[d.stream]] += d.begin < at
                if d.begin < at < d.end:
                    doing[names[d.stream]] = d.name
            state = self.state(path, f'{at / 1e9:.10f}')
            edges = {(e['from'], e['to']): int(e['Messages']) for e in state['edges'] if int(e['Messages'])}
            self.assertEqual(edges, +expected, at)
            nodes = {n['Name']: n['State'] for n in state['nodes']}
            for stream in {names[d.stream] for d in made.doings}:
                self.assertEqual(None if nodes.get(stream, 'Unseen') in ('No state', 'Unseen', 'Computing') else nodes[stream], doing.get(stream), (at, stream))

    def test_travel(self):
        made = Made(SEED + 200)
        path = self.path('made.json', json.dumps({'traceEvents': made.out}))
        program = self.path('waits.eve', PROGRAM)
        self.scope('film', path, '--program', program)
        info = self.info(path)
        for part in (0.3, 0.6, 0.9):
            at = f"{info['first'] + part * (info['last'] - info['first']):.9f}"
            film, played = (json.loads(self.scope('seek', path, '--program', program, '--to', at, *more)[0]) for more in ((), ('--no-film',)))
            self.assertEqual(film['hash'], played['hash'], at)

    def launches(self, events):
        """What streams do -> how often it was launched; and the number of launches."""
        path = self.path('launches.json', json.dumps({'traceEvents': events}))
        rows = self.tables(path)
        figures = {r['what']: r['value'] for r in rows['efficiency']}
        self.assertEqual([figures[k] for k in ('Sends that nobody received', 'Receives that nobody sent')], ['0', '0'])
        return {r['led to']: int(r['times']) for r in rows['flows']}, int(figures['Messages'])

    @staticmethod
    def call(ts, name, number, dur=2):
        return {'ph': 'X', 'cat': 'cuda_runtime', 'name': name, 'pid': 1, 'tid': 1, 'ts': ts, 'dur': dur, 'args': {'correlation': number}}

    @staticmethod
    def does(ts, name, number, dur=20, cat='kernel'):
        return {'ph': 'X', 'cat': cat, 'name': name, 'pid': 0, 'tid': 7, 'ts': ts, 'dur': dur, 'args': {'stream': 7, 'correlation': number}}

    @staticmethod
    def flow(number, ts, to):
        return [{'ph': 's', 'id': number, 'cat': 'ac2g', 'name': 'ac2g', 'pid': 1, 'tid': 1, 'ts': ts},
                {'ph': 'f', 'bp': 'e', 'id': number, 'cat': 'ac2g', 'name': 'ac2g', 'pid': 0, 'tid': 7, 'ts': to}]

    def test_several_at_one_date(self):
        """Flows lead to all that begins on a stream at one date, whatever of it has numbers, and in any order."""
        any_ = random.Random(SEED)
        for _ in range(few(10) + 5):
            n = any_.randrange(2, 6)
            calls = [self.call(3 * i, 'cudaLaunchKernel', i + 1) for i in range(n)]
            does = [self.does(100, f'k{i}', any_.choice((i + 1, i + 1, 0)), 0 if i < n - 1 else 20) for i in range(n)]
            told = [i for i in range(n) if does[i]['args']['correlation'] == 0 or any_.random() < 0.6]        # by flows
            flows = [self.flow(i + 1, 3 * i, 100) for i in told]
            for one in (does, flows):
                any_.shuffle(one)
            self.assertEqual(self.launches(calls + does + sum(flows, []))[1], n, (SEED, calls, does, flows))
            half = [self.flow(i + 1, 3 * i, 100)[1] for i in range(n) if i not in told]                       # their begins are not in the file
            self.assertEqual(self.launches(calls + does + sum(flows, half))[1], n, (SEED, calls, does, flows, half))

    def test_many_flows(self):
        """More flows than are kept to tell what is launched by them: those that lead to no stream do not count, and of others it is said."""
        n = 10
        calls = sum(([self.call(3000 + 100 * i, 'cudaLaunchKernel', i + 1), self.does(3010 + 100 * i, 'k', i + 1)] + self.flow(f'k{i}', 3000 + 100 * i, 3010 + 100 * i)
                     for i in range(n)), [])
        others = '{"ph":"s","id":1,"pid":2,"tid":1,"ts":1}' + ',{"ph":"t","id":1,"pid":2,"tid":1,"ts":1}' * (1 << 20)
        late = self.does(9000, 'k', 99)
        for k, (more, kept) in enumerate((([], True), ([dict(late, tid=1, pid=2)], False))):
            path = self.path(f'flows{k}.json', '{"traceEvents":[' + others + ',' + json.dumps(calls + more)[1:] + '}')
            info = self.info(path)
            counts = {(one['name'], one['category']): one['begun'] for one in info['kinds'] if one['name'] in ('FlowStart', 'Launch')}
            self.assertEqual(counts, {('FlowStart', 'other'): 1 << 20, ('FlowStart', 'ac2g'): n})
            self.assertEqual([d['reason'].split(';')[0] for d in info['damage']], [] if kept else ['more than 1048576 flows lead to accelerators'])
            os.remove(path)

    def test_no_number(self):
        """0 is no number of correlation, and who waits for streams launches nothing."""
        for none in (0, '0'):
            self.assertEqual(self.launches([self.call(0, 'cudaLaunchKernel', 7), self.does(10, 'k7', 7), self.call(40, 'cudaGetDevice', none), self.does(50, 'k0', none),
                                            self.call(60, 'cudaDeviceSynchronize', none, 30), self.does(100, 'k1', none)])[0], {'k7': 1})
        self.assertEqual(self.launches([self.call(0, 'cudaLaunchKernel', 7), self.call(5, 'cudaStreamSynchronize', 8), self.does(10, 'k7', 7), self.does(50, 'k8', 8),
                                        self.call(60, 'cudaMemcpy', 9, 40), self.does(80, 'copied', 9, 5)])[0], {'k7': 1, 'copied': 1})

    def test_damaged(self):
        """Numbers that are no numbers, streams that are none, calls that share one number a thousand times."""
        events = []
        for i in range(3000):
            events += [{'ph': 'X', 'pid': 1, 'tid': 1, 'name': 'cudaStreamSynchronize', 'cat': 'cuda_runtime', 'ts': 10 * i, 'dur': 9, 'args': {'correlation': 7}},
                       {'ph': 'X', 'pid': 0, 'tid': 7, 'name': 'k', 'cat': 'kernel', 'ts': 10 * i + 1, 'dur': 3, 'args': {'correlation': 7, 'stream': [1], 'External id': i}}]
        odd = [{'ph': 'X', 'pid': 1, 'tid': 1, 'name': 'cudaMemcpy', 'cat': 'cuda_runtime', 'ts': 1, 'dur': 1e12, 'args': {'correlation': value, 'stream': value}}
               for value in ('', None, -1, {}, [], 1e300, 'x' * 5000)]
        for one in (events, odd, odd + events, [dict(e, dur=-5) for e in events[:50]]):
            path = self.path('odd.json', json.dumps({'traceEvents': one}))
            self.tables(path)
            os.remove(path)
        self.check_damage('made.json', json.dumps({'traceEvents': Made(SEED).out}).encode())


main()
