# SPDX-License-Identifier: Apache-2.0
"""Chrome's JSON once more, in Python and from the raw file alone: what each thread is inside of at any instant."""
import gzip
import json
import re
from collections import Counter, defaultdict
from decimal import ROUND_HALF_UP, Decimal

SPACE = ' \t\n\r\f'
NS = Decimal('0.001')
STEP = {'s': 1, 't': 1, 'f': 1}
MARKS = {'i': 'Instant', 'I': 'Instant', 'R': 'Mark', 'N': 'ObjectNew', 'O': 'ObjectSnapshot', 'D': 'ObjectDelete', 'P': 'Sample',
         'c': 'ClockSync', '(': 'ContextEnter', ')': 'ContextLeave', 'v': 'MemoryDump', 'V': 'MemoryDump', '=': 'Alias'}


def text_of(path):
    with open(path, 'rb') as f:
        data = f.read()
    return (gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data).decode('utf-8', errors='replace')


def records(path):
    """The events in the order of the file, as far as they go; commas between them may be missing."""
    text = text_of(path)
    decoder = json.JSONDecoder(parse_float=Decimal)
    at = text.index('[', text.index('"traceEvents"')) if text.lstrip()[0] == '{' else text.index('[')
    out, at = [], at + 1
    while True:
        while at < len(text) and text[at] in ' \t\r\n,':
            at += 1
        if at >= len(text) or text[at] == ']':
            return out
        try:
            record, at = decoder.raw_decode(text, at)
        except ValueError:
            return out
        out.append(record)


def ticks(x):
    return int((Decimal(str(x)) / NS).to_integral_value(ROUND_HALF_UP))


def name_of(record):
    return str(record.get('name', '')) or '(no name)'


def number(x):
    try:
        return float(x) if not isinstance(x, (dict, list)) and x is not None and not isinstance(x, bool) else None
    except ValueError:
        return None


def placed(r):
    """With the process, or the thread, that it does not tell: the one has the number of the other."""
    r = dict(r)
    if r.get('tid') is None and r.get('pid') is not None:
        r['tid'] = r['pid']
    elif r.get('pid') is None and r.get('tid') is not None:
        r['pid'] = r['tid']
    return r


class Names:
    """What processes and threads are called."""

    def __init__(self, all_records):
        self.processes, self.threads, named, labels, called = {}, {}, {}, {}, {}
        self.places = {}
        for r in all_records:
            p, t = str(r.get('pid', '?')) or '?', str(r.get('tid', '?')) or '?'
            args = r.get('args', {})
            if r.get('ph') == 'M':
                if r.get('name') == 'process_name' and str(args.get('name', '')).strip(SPACE):
                    named[p] = args['name'].strip(SPACE)
                elif r.get('name') == 'process_labels' and args.get('labels'):
                    labels[p] = args['labels'].strip(SPACE)
                elif r.get('name') == 'thread_name':
                    self.threads.setdefault((p, t))
                    if str(args.get('name', '')).strip(SPACE):
                        called[p, t] = args['name'].strip(SPACE)
                elif r.get('name') in ('process_sort_index', 'thread_sort_index'):
                    key = p if r['name'][0] == 'p' else (p, t)
                    if key != p:
                        self.threads.setdefault(key)
                    self.places[key] = int(args.get('sort_index', 0))
                elif r.get('name') not in ('process_name', 'process_labels'):
                    continue
                self.processes.setdefault(p)
            elif 'ph' in r:
                self.processes.setdefault(p)
                scoped = r['ph'] in MARKS and r.get('s') in ('p', 'g')
                if r['ph'] not in 'CbSnTp' and not scoped:
                    self.threads.setdefault((p, t))
        taken = set()
        for p in self.processes:
            name = f'{named[p]} {p}' if p in named else f'process {p}' if p[0].isdigit() or p == '?' else p
            self.processes[p] = self.unlike(taken, f'{name} ({labels[p]})' if p in labels else name)
        for p, t in self.threads:
            name = called.get((p, t), '')
            name = name if name and re.search(rf'(?<![A-Za-z0-9]){re.escape(t)}(?![A-Za-z0-9])', name) else f'{name} {t}' if name else f'thread {t}' if t[0].isdigit() or t == '?' else t
            more = f'thread {t}' if name == self.processes[p] else f'{name} of {self.processes[p]}'
            self.threads[p, t] = self.unlike(taken, name if name not in taken else more)

    def rows(self):
        """Processes and threads from top to bottom."""
        for p in sorted(self.processes, key=lambda p: self.places.get(p, 0)):
            yield self.processes[p]
            for key in sorted((k for k in self.threads if k[0] == p), key=lambda k: self.places.get(k, 0)):
                yield self.threads[key]

    @staticmethod
    def unlike(taken, name):
        tried, n = name, 2
        while tried in taken:
            tried = f'{name} ({n})'
            n += 1
        taken.add(tried)
        return tried


class Model:
    def __init__(self, path, all_records=None):
        self.records = [placed(r) if isinstance(r, dict) else r for r in all_records or records(path)]
        self.names = Names(self.records)
        self.happening, self.kinds, self.place, self.begun, self.record = [], Counter(), 0, 0, 0
        self.flows, self.ends = defaultdict(list), defaultdict(list)
        self.async_open, self.async_early = defaultdict(list), defaultdict(list)
        self.series, self.last_of_id = Counter(), {}
        for r in self.records:
            if r and r.get('ph') not in (None, 'M') and 'ts' in r:
                self.read(r)
        for key, stack in self.async_open.items():      # what never ended lasts
            for begin in stack:
                self.happen(begin['date'], 'async', (begin['process'], key), begin['name'], begin['id'])
        self.match_by_id()
        # a step that nothing follows is the end of its flow
        ended = {id(start) for waiting in self.flows.values() for start in waiting if start['step']}
        self.happening = [h for h in self.happening if not (h[3][0] == 'send' and id(h[3][1]) in ended)]
        self.kinds['FlowStart'] -= len(ended)
        self.happening.sort(key=lambda h: h[:3])
        self.first = self.happening[0][0] if self.happening else None
        self.last = self.happening[-1][0] if self.happening else None

    def match_by_id(self):
        """Halves of flows that are alone: an end takes the last start of its id, whatever both are called."""
        starts = defaultdict(list)
        alone = [(h['date'], h['place'], half, h) for half, table in (('start', self.flows), ('end', self.ends)) for waiting in table.values() for h in waiting if h['any']]
        for _, _, half, h in sorted(alone, key=lambda x: x[:2]):
            if half == 'start':
                starts[h['any']].append(h)
            elif starts[h['any']]:
                start = starts[h['any']].pop()
                h['peer'], start['peer'] = start['thread'], h['thread']
                for one, table in ((start, self.flows), (h, self.ends)):
                    for waiting in table.values():
                        waiting[:] = [x for x in waiting if x is not one]

    def bound(self, r, date):
        if 'bind_id' in r and r['ph'] in 'XBiI':
            key = ('bound', str(r['bind_id']))
            if r.get('flow_in', False) is not False:
                self.end_flow(r, key, date)
            if r.get('flow_out', False) is not False:
                self.start_flow(r, key, date, r.get('flow_in', False) is not False)

    def happen(self, date, *what, rank=(0, 0)):
        self.happening.append((date, rank, self.place, what))
        self.place += 1

    def thread(self, r):
        return self.names.threads[str(r.get('pid', '?')) or '?', str(r.get('tid', '?')) or '?']

    def process(self, r):
        return self.names.processes[str(r.get('pid', '?')) or '?']

    def read(self, r):
        r = {k: v for k, v in r.items() if v is not None or k == 'args'}
        self.record += 1
        date, phase = ticks(r['ts']), r['ph']
        args = r.get('args')
        has_args = bool(args) and isinstance(args, dict)
        if phase == 'X':
            self.kinds['Slice'] += 1
            if 'dur' not in r:
                self.happen(date, 'push', self.thread(r), name_of(r), 'call', self.place, rank=(1, -1 << 62))
            else:
                d, key = ticks(r['dur']), self.place
                rank = (1, -d)
                self.happen(date, 'push', self.thread(r), name_of(r), 'call', key, rank=rank)
                self.happen(date + d, 'pop', self.thread(r), 'call', key, rank=rank if d == 0 else (0, 0))
            self.bound(r, date)
        elif phase in 'BE':
            self.kinds['Begin' if phase == 'B' else 'End'] += 1
            if phase == 'B':
                self.happen(date, 'push', self.thread(r), name_of(r), 'state', None)
                self.bound(r, date)
            else:
                self.happen(date, 'pop', self.thread(r), 'state', None)
        elif phase == 'C':
            for series, value in (r.get('args') or {}).items():
                x, name = number(value), str(r.get('name', ''))
                if x is None:
                    continue
                known = self.identity(r)[1]
                label = name + (f'[{known}]' if known else '')
                label += '' if series in ('value', name) else '.' + series
                self.kinds['Counter'] += 1
                self.happen(date, 'set', self.process(r), label, x)
        elif phase in 'stf':
            key = r.get('cat'), r.get('name'), r.get('scope'), *self.identity(r)
            if phase != 's':
                self.end_flow(r, key, date)
            if phase != 'f':
                self.start_flow(r, key, date, phase == 't')
            self.kinds['Flow'] += has_args
        elif phase in 'beSF':
            self.asynchronous(r, phase, date)
            self.kinds['AsyncEnd'] += has_args and phase in 'eF'
        else:
            self.bound(r, date)
            self.kinds[{'n': 'AsyncInstant', 'T': 'AsyncStep', 'p': 'AsyncStep'}.get(phase) or MARKS.get(phase, 'Other')] += 1
            self.happen(date, 'mark')

    @staticmethod
    def identity(r):
        if 'id' in r:
            return ('', str(r['id']))
        both = r.get('id2', {})
        return ('', str(both['global'])) if 'global' in both else (str(r.get('pid', '')), str(both.get('local', '')))

    def any_name(self, r):
        return (r.get('cat'), r.get('scope'), *self.identity(r)) if r['ph'] in 'stf' else None

    def start_flow(self, r, key, date, step):
        self.kinds['FlowStart'] += 1
        start = {'date': date, 'thread': self.thread(r), 'peer': None, 'step': step, 'of': self.record, 'any': self.any_name(r), 'place': self.place}
        self.happen(date, 'send', start)
        self.match(start, self.ends[key], self.flows[key], lambda end: end['date'] >= date)

    def end_flow(self, r, key, date):
        self.kinds['FlowEnd'] += 1
        end = {'date': date, 'thread': self.thread(r), 'peer': None, 'of': self.record, 'any': self.any_name(r), 'place': self.place}
        self.happen(date, 'receive', end)
        self.match(end, self.flows[key], self.ends[key], lambda start: start['date'] <= date)

    @staticmethod
    def match(half, others, mine, may):
        other = next((o for o in reversed(others) if o['of'] != half['of'] and may(o)), None)
        if other:
            others.remove(other)
            half['peer'], other['peer'] = other['thread'], half['thread']
        else:
            mine.append(half)

    def asynchronous(self, r, phase, date):
        any_process = (r.get('cat'), r.get('name') if phase in 'SF' else r.get('scope'), *self.identity(r))
        own, name = (*any_process, str(r.get('pid'))), name_of(r)

        def among(halves):
            """Ids are those of a process, but if none of it waits there, of that where one began last."""
            last = self.last_of_id.get(any_process)
            return last if not halves[own] and last and halves[last] else own
        if phase in 'bS':
            self.kinds['Async'] += 1
            self.begun += 1
            begin = {'date': date, 'name': name, 'process': self.process(r), 'id': self.begun}
            key = among(self.async_early)
            early = [e for e in self.async_early[key] if e[1] in (name, None) and e[0] >= date]
            if early:
                self.async_early[key].remove(early[-1])
                self.both(begin, own, early[-1][0])
            else:
                if not self.async_open[own]:
                    self.last_of_id[any_process] = own
                self.async_open[own].append(begin)
        else:
            key = among(self.async_open)
            named = name if r.get('name') is not None else None
            for i in reversed(range(len(self.async_open[key]))):
                begin = self.async_open[key][i]
                if named in (begin['name'], None) and begin['date'] <= date:
                    del self.async_open[key][i]
                    self.both(begin, key, date)
                    return
            self.last_of_id[any_process] = own
            self.async_early[own].append((date, named))

    def both(self, begin, key, end):
        self.happen(begin['date'], 'async', (begin['process'], key), begin['name'], begin['id'])
        self.happen(end, 'end async', (begin['process'], key), begin['id'], rank=(2, 0))

    def at(self, date):
        """What is so after all that is dated until `date`."""
        stacks, variables = defaultdict(list), defaultdict(dict)
        sent, received, links, seen = Counter(), Counter(), Counter(), set()
        asyncs = defaultdict(list)
        for when, _, _, what in self.happening:
            if when > date:
                break
            if what[0] == 'push':
                stacks[what[1]].append(what[2:])
            elif what[0] == 'pop':
                _, thread, kind, key = what
                for i in reversed(range(len(stacks[thread]))):
                    if stacks[thread][i][1] == kind and stacks[thread][i][2] == key:
                        del stacks[thread][i]
                        break
            elif what[0] == 'set':
                variables[what[1]][what[2]] = what[3]
            elif what[0] == 'send' and what[1]['peer']:
                sent[what[1]['thread']] += 1
                seen.add((what[1]['thread'], what[1]['peer']))
            elif what[0] == 'receive' and what[1]['peer']:
                received[what[1]['thread']] += 1
                links[what[1]['peer'], what[1]['thread']] += 1
            elif what[0] == 'async':
                asyncs[what[1]].append((what[2], what[3]))
            elif what[0] == 'end async':
                asyncs[what[1]] = [a for a in asyncs[what[1]] if a[1] != what[2]]
        return stacks, variables, sent, received, links, seen, asyncs
