# SPDX-License-Identifier: Apache-2.0
"""What Perfetto's importer makes of a trace in the Trace Event Format, and what it leaves out: the rules of its tokenizer (a date, which
stands before what it cannot pass over), its sorter (by date, in the order of the file; no date below 0), and its parser: which fields each
phase wants, a stack of slices for each thread, flows that are tied to the slice that is open then."""
import json
import re
from collections import Counter, defaultdict

PENDING = -1        # a slice that has not ended


class Track:
    """The slices of a thread that are open: [begin, duration or PENDING]."""

    def __init__(self):
        self.stack = []

    def close(self, ts):
        while self.stack and self.stack[-1][1] != PENDING and self.stack[-1][0] + self.stack[-1][1] <= ts:
            self.stack.pop()

    def push(self, ts, duration, name):
        self.close(ts)
        self.stack.append([ts, duration, name])

    def end(self, ts, name):
        self.close(ts)
        for i in reversed(range(len(self.stack))):
            if self.stack[i][1] == PENDING and (not name or self.stack[i][2] == name):
                del self.stack[i:]
                return True
        return False


class Import:
    """`kept`: what there is of each phase; `lost`: why something was left out, and how often; `flows`: pairs of (thread, date of the slice)
    that are tied; `names`: of threads and processes."""

    def __init__(self, path):
        self.kept, self.lost, self.flows, self.names, self.counters = Counter(), Counter(), [], {}, Counter()
        self.tracks, self.begun, self.waiting = defaultdict(Track), {}, defaultdict(list)
        with open(path, encoding='utf-8') as f:
            text = f.read()
        for _, event in sorted(self.tokens(text), key=lambda x: x[0]):       # stable
            self.take(event)

    def tokens(self, text):
        """(date in ns, event) of what the tokenizer gives on."""
        decoder, at = json.JSONDecoder(), re.match(r'\s*', text).end()
        if text[at] == '{':
            key = re.compile(r'\s*,?\s*"(\w+)"\s*:\s*')
            at += 1
            while (m := key.match(text, at)) and m.group(1) != 'traceEvents':
                if m.group(1) == 'displayTimeUnit':
                    self.lost['a unit that some versions take for that of dates'] += 1
                _, at = decoder.raw_decode(text, m.end())
            at = m.end()
        assert text[at] == '[', 'no list of events'
        at += 1
        while True:
            at = re.compile(r'[\s,]*').match(text, at).end()
            if at == len(text) or text[at] == ']':
                if at == len(text):
                    self.lost['no end of the list'] += 1
                return
            event, end = decoder.raw_decode(text, at)
            before = text[at:end].split('"ts"')[0] if '"ts"' in text[at:end] else text[at:end]
            if '[' in before or '\\u' in before:
                self.lost['a list, or a letter in digits, before the date'] += 1
                raise AssertionError('the importer ends here: ' + text[at:end][:200])
            at = end
            ts = event.get('ts')
            if ts is None and event.get('ph') != 'M':
                self.lost['no date'] += 1
            elif ts is not None and float(ts) < 0:
                self.lost['a date below 0'] += 1
            else:
                yield round(float(ts or 0) * 1000), event

    def number(self, event, what):
        value = event.get(what)
        assert isinstance(value, int) and 0 <= value < 1 << 32, (what, event)      # a name would be taken for a number of its own
        return value

    def take(self, event):
        ph = event.get('ph')
        if not isinstance(ph, str) or not ph:
            self.lost['no phase'] += 1
            return
        pid, tid = self.number(event, 'pid'), self.number(event, 'tid')
        ts, thread, name = round(float(event.get('ts', 0)) * 1000), (pid, tid), event.get('name', '')
        track = self.tracks[thread]
        if ph == 'M':
            value = event.get('args', {}).get('name')
            if name in ('thread_name', 'process_name') and value:
                self.names[thread if name == 'thread_name' else pid] = value
            self.kept['M'] += 1
        elif ph == 'B':
            track.push(ts, PENDING, name)
            self.kept['B'] += 1
            self.slice_began(thread, ts)
        elif ph == 'E':
            if track.end(ts, name):
                self.kept['E'] += 1
            else:
                self.lost['an end without a begin'] += 1
        elif ph in 'iIR':
            if event.get('s', 't') not in ('t', 'p', 'g'):
                self.lost['an instant of no scope'] += 1
                return
            if event.get('s', 't') == 't':
                track.push(ts, 0, name)
                self.slice_began(thread, ts)
            self.kept['i'] += 1
        elif ph == 'C':
            args = event.get('args')
            if not isinstance(args, dict):
                self.lost['a counter without series'] += 1
                return
            for series, value in args.items():
                if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                    self.lost['a counter that is no number'] += 1
                    continue
                float(value)
                self.counters[pid, f'{name} {series}'] += 1
                self.kept['C'] += 1
        elif ph in 'sf':
            self.flow(ph, event, thread, track)
        else:
            self.lost[f'the phase {ph}'] += 1

    def slice_began(self, thread, ts):
        for key in self.waiting.pop(thread, ()):
            self.flows.append((self.begun[key], (thread, ts)))

    def flow(self, ph, event, thread, track):
        key = event.get('cat', ''), event.get('name', ''), event.get('id')
        if not isinstance(key[2], int) and not re.fullmatch('(0x)?[0-9a-fA-F]+', str(key[2])):
            self.lost['a flow without an id'] += 1
        elif ph == 'f' and event.get('bp') != 'e' and key in self.begun:
            self.waiting[thread].append(key)
            self.kept['f'] += 1
        elif not track.stack:
            self.lost['a flow outside of slices'] += 1
        elif ph == 's' and key in self.begun:
            self.lost['an id of two flows'] += 1
        elif ph == 's':
            self.begun[key] = thread, track.stack[-1][0]
            self.kept['s'] += 1
        elif key not in self.begun:
            self.lost['a flow that ends before it begins'] += 1
        else:
            self.flows.append((self.begun[key], (thread, track.stack[-1][0])))
            self.kept['f'] += 1
