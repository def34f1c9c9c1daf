# SPDX-License-Identifier: Apache-2.0
"""SDDF once more, in Python and from the raw file alone: calls of tasks of PVM and their messages at any instant."""
import re
from collections import Counter

WORD = re.compile(r'\s*(?://[^\n]*\n\s*)*')


def records(path):
    """(name, {field: value}) of each record, in the order of the file."""
    with open(path, encoding='utf-8', errors='replace') as f:
        text = f.read()
    at, described, out = 0, {}, []
    while True:
        at = WORD.match(text, at).end()
        if at == len(text):
            return out
        if text.startswith('SDDFA', at):
            at = text.index('\n', at)
        elif text.startswith('/*', at):
            at = text.index(';;', text.index('*/', at)) + 2
        elif text[at] == '#':
            m = re.compile(r'#[^:]*:(?:\s*//[^\n]*\n)*\s*"([^"]*)"\s*\{(.*?)\}\s*;\s*;', re.S).match(text, at)
            body = re.sub(r'//[^\n]*', '', m.group(2))
            described[m.group(1)] = [(n, t, d) for t, n, d in re.findall(r'(\w+)\s*"([^"]*)"\s*((?:\[\s*\])*)\s*;', body)]
            at = m.end()
        else:
            m = re.compile(r'"([^"]*)"\s*\{').match(text, at)
            at, fields = m.end(), {}
            for name, kind, dimensions in described[m.group(1)]:
                if dimensions and kind == 'char':
                    m2 = re.compile(r'\s*,?\s*\[\s*(\d+)\s*\]\s*\{\s*').match(text, at)
                    at, n = m2.end(), int(m2.group(1))
                    if text[at] == '"':
                        fields[name] = text[at + 1:at + n]
                        at += n + 1
                    else:
                        fields[name] = ''
                    at = text.index('}', at) + 1
                elif dimensions:
                    m2 = re.compile(r'\s*,?\s*(?:\[\s*\d+\s*\]\s*)+\{([^}]*)\}').match(text, at)
                    at, fields[name] = m2.end(), [int(x) for x in m2.group(1).replace(',', ' ').split()]
                else:
                    m2 = re.compile(r'\s*,?\s*([^\s,}]+)').match(text, at)
                    at, fields[name] = m2.end(), (float if kind in ('float', 'double') else int)(m2.group(1))
            at = text.index(';;', at) + 2
            out.append((m.group(1), fields))


# The fields of PVM 3.3, record by record; of those that are not here nothing is needed.
OF_OLD = {'send0': {'dst': 'DST', 'code': 'MC'}, 'send1': {'cc': 'CC'}, 'psend0': {'dst': 'DST', 'code': 'MC', 'length': 'PC', 'type': 'PDT'}, 'psend1': {'cc': 'CC'}, 'mcast0': {'code': 'MC', 'tids': 'MDL'}, 'mcast1': {'cc': 'CC'},
          'recv0': {'src': 'RST', 'code': 'RMC'}, 'recv1': {'cc': 'MB', 'nbytes': 'MNB', 'code': 'MC', 'src': 'SRC'},
          'host_sync': {'dsec': 'HDS', 'dusec': 'HDU'}, 'newtask': {'ptid': 'PT'}}


def today(name, fields):
    """A record of an old file as today's tracer would have written it."""
    if 'sec' not in fields:
        return name, fields
    names = {'sec': 'TS', 'usec': 'TU', 'tid': 'TID', **OF_OLD.get(name, {})}
    return re.sub('([01])$', r'(\1.\1)', name), {names.get(f, f): v for f, v in fields.items()}


def tid(n):
    return 'pvmd' if n & 0xffffffff == 0x80000000 else f't{n & 0xffffffff:x}' if n > 0 else None


class Model:
    def __init__(self, path):
        self.calls, self.deaths, self.sent, self.received, self.kinds = [], {}, [], [], Counter()
        self.tasks = set()
        all_records = [today(*r) for r in records(path)]
        clocks = {}
        for name, f in all_records:
            if name.startswith('host_sync'):
                clocks.setdefault(f['TID'] >> 18, f['HDS'] * 10**9 + f['HDU'] * 1000)
        held, dates = {}, []
        for order, (name, f) in enumerate(all_records):
            call, phase = re.match(r'([a-z_]+)\(?(\d\.)?', name).groups()
            if call == 'host_sync':
                clocks[f['TID'] >> 18] = f['HDS'] * 10**9 + f['HDU'] * 1000
            if call.startswith('host_'):
                continue
            date = f['TS'] * 10**9 + f['TU'] * 1000 + clocks.get(f['TID'] >> 18, 0)
            dates.append(date)
            task = tid(f['TID'])
            self.tasks.add(task)
            waiting = held.setdefault(task, [])
            if phase == '0.':
                self.kinds[call] += 1
                waiting.append((call, date, f, order))
            elif phase == '1.':
                for i in reversed(range(len(waiting))):
                    if waiting[i][0] == call:
                        _, begin, of_begin, order = waiting.pop(i)
                        self.call(task, call, begin, max(begin, date), order, of_begin | f)
                        break
            else:
                self.kinds[call] += 1
                if call == 'endtask':
                    self.deaths[task] = date
        for task, waiting in held.items():
            for call, begin, f, order in waiting:
                self.call(task, call, begin, None, order, f)
        self.first, self.last = min(dates), max(dates)

    def call(self, task, call, begin, end, order, f):
        self.calls.append((begin, -(1 << 62) if end is None else begin - end, order, task, call))
        for to in [*f.get('MDL', []), f.get('DST', 0)]:
            if tid(to) and not ('MDL' in f and tid(to) == task) and f.get('CC', 0) >= 0:
                self.sent.append((begin, task, tid(to)))
        if end is not None and tid(f.get('SRC', 0)) and f.get('MB', 1) > 0:
            self.received.append((end, tid(f['SRC']), task))

    def state(self, task, at):
        if at >= self.deaths.get(task, at + 1):
            return 'Dead', 0
        inside = sorted(c for c in self.calls if c[3] == task and c[0] <= at and (c[1] == -(1 << 62) or c[0] - c[1] > at))
        return inside[-1][4] if inside else 'Computing', len(inside)
