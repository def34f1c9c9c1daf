# SPDX-License-Identifier: Apache-2.0
"""What is under way in an archive of MPI at an instant, once more, from the text of otf2-print: requests, messages, communicators and what their
members do together, memory of others, files, time by group of regions; and the tables of the component beside it."""
import csv
import os
import re
import shutil
from collections import Counter, defaultdict

from formats import Format
from otf2 import NAME, Archive, told

PROGRAM = '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><component name="R" class="scope.otf2-reader" version="1"/>
<component name="U" class="scope.under-way" version="1"><setting name="groups">%s</setting></component>%s
<wire from="R" out="events" to="U" in="events"/></eve>'''
TABLES = ('tasks', 'groups', 'times', 'objects', 'left', 'between')
FILES = ''.join(f'<component name="F{n}" class="scope.data-file" version="1"><setting name="file">{n}.csv</setting></component>'
                f'<wire from="U" out="{n}" to="F{n}" in="in"/>' for n in TABLES)
FILES = ''.join(re.findall('<component.*?</component>', FILES)) + '%s' + ''.join(re.findall('<wire.*?/>', FILES))
NOTED = {'RMA_' + name: 'Rma' + name.title().replace('_', '')
         for name in ('WIN_CREATE', 'WIN_DESTROY', 'REQUEST_LOCK', 'ACQUIRE_LOCK', 'TRY_LOCK', 'RELEASE_LOCK', 'SYNC', 'GROUP_SYNC', 'WAIT_CHANGE')}
HAS = shutil.which('otf2-print') and os.environ.get('OTF2_ARCHIVE')


class Second:
    """All until `at`, from the text."""

    def __init__(self, a, anchor, at):
        text = told(anchor, '-G')
        paradigm = dict(re.findall(r'^REGION +\d+ +Name: "(.*?)" .*?Paradigm: (\w+),', text, re.M))
        self.size = {name: len(a.group_members[a.comms[int(n)]]) for n, name in re.findall(r'^COMM +(\d+) +Name: "(.*?)"', text, re.M)
                     if a.comms[int(n)] in a.group_members}
        for name, one, other in re.findall(r'^INTER_COMM .*?name: "(.*?)".*?Group A: ".*?" <(\d+)>, Group B: ".*?" <(\d+)>', text, re.M):
            self.size[name] = len(a.group_members[int(one)]) + len(a.group_members[int(other)])
        self.a, self.paradigm = a, paradigm
        self.t = defaultdict(Counter)
        self.stack, self.since = defaultdict(list), {}
        self.times, self.visits = Counter(), Counter()
        self.on_way, self.requests = Counter(), {}
        self.ordinal, self.begun, self.ended = Counter(), defaultdict(Counter), Counter()
        self.current, self.g, self.objects = {}, defaultdict(Counter), defaultdict(Counter)
        last = a.records[0][0]
        for n, (date, kind, location, words) in enumerate(a.records):
            if date > at:
                break
            self.happen(date, kind, a.tasks[location], words, n)
            last = date
        for task in list(self.stack):
            self.spend(task, last)

    def spend(self, task, date):
        if self.stack[task]:
            self.times[task, self.stack[task][-1][1]] += date - self.since[task]
        self.since[task] = date

    def together(self, task, group, kind):
        k = self.ordinal[group, task]
        self.ordinal[group, task] += 1
        self.begun[group][k] += 1
        self.g[group]['inside'] += 1
        self.t[task]['inside'] += 1
        return k

    def done(self, task, group, k, words):
        self.ended[group, k] += 1
        self.g[group]['done'] += self.ended[group, k] == self.size.get(group)
        self.g[group]['inside'] -= 1
        self.t[task]['inside'] -= 1
        for key, what in (('given', 'Sent'), ('got', 'Received')):
            self.g[group][key] += int(re.search(what + r': (\d+)', words)[1])

    def happen(self, date, kind, task, words, n):
        t = self.t[task]
        if kind in ('ENTER', 'LEAVE'):
            region = re.search('Region: ' + NAME, words)[1]
            group = {'MPI': 'MPI'}.get(self.paradigm[region], 'Mine' if region.startswith('late') else 'Application')
            self.spend(task, date)
            if kind == 'ENTER':
                self.stack[task].append((region, group))
                self.visits[task, group] += 1
            else:
                assert self.stack[task].pop()[0] == region
        length = re.search(r'Length: (\d+)', words)
        request = re.search(r'Request: (\d+)', words)
        if kind in ('MPI_SEND', 'MPI_ISEND', 'MPI_RECV', 'MPI_IRECV'):
            comm = re.search(r'Communicator: "(.*?)"', words)[1]
            sends = 'SEND' in kind
            other = self.a.rank(words, 'Receiver' if sends else 'Sender', task)[0]
            key = (task, other) if sends else (other, task)
            self.on_way[key + (comm, re.search(r'Tag: (\d+)', words)[1])] += 1 if sends else -1
            t['sent' if sends else 'received'] += 1
            t['volume sent' if sends else 'volume received'] += int(length[1])
        if kind in ('MPI_ISEND', 'CANCELLED_MPI_ISEND'):
            self.requests[task, 's', request[1]] = 'sends open'
        elif kind == 'MPI_IRECV_REQUEST':
            self.requests[task, 'r', request[1]] = 'receives open'
        elif kind in ('MPI_ISEND_COMPLETE', 'MPI_IRECV'):
            del self.requests[task, 's' if 'ISEND' in kind else 'r', request[1]]
        elif kind == 'MPI_REQUEST_CANCELLED':
            if self.requests.pop((task, 'r', request[1]), None) is None:
                del self.requests[task, 's', request[1]]
        elif kind in ('RMA_PUT', 'RMA_GET', 'RMA_ATOMIC'):
            window, size = re.search(r'Window: "(.*?)"', words)[1], re.search(r'(?:Bytes|Sent): (\d+)', words)[1]
            name = {'RMA_PUT': 'RmaPut', 'RMA_GET': 'RmaGet', 'RMA_ATOMIC': 'RmaAtomic'}[kind]
            self.requests[task, 'a', re.search(r'Matching: (\d+)', words)[1]] = (window, name, date, int(size))
            self.objects[window, name].update(times=1, open=1)
        elif kind == 'RMA_OP_COMPLETE_BLOCKING':
            window, name, since, size = self.requests.pop((task, 'a', re.search(r'Matching: (\d+)', words)[1]))
            self.objects[window, name].update(open=-1, volume=size, time=date - since)
        elif kind == 'IO_OPERATION_BEGIN':
            self.requests[task, 'a', self.operation(words)] = None
        elif kind in ('IO_OPERATION_COMPLETE', 'IO_OPERATION_CANCELLED'):
            del self.requests[task, 'a', self.operation(words)]
        elif kind in NOTED:
            self.objects[re.search(r'Window: "(.*?)"', words)[1], NOTED[kind]].update(times=1)
        elif kind in ('RMA_COLLECTIVE_BEGIN', 'RMA_COLLECTIVE_END'):        # windows are groups, too
            t['inside'] += 1 if kind.endswith('BEGIN') else -1
        elif kind == 'MPI_COLLECTIVE_BEGIN':
            of = next((w, k) for d, k, l, w in self.a.records[n:] if self.a.tasks[l] == task and k == 'MPI_COLLECTIVE_END')
            self.current[task] = self.together(task, self.group(task, of[0]), kind)
        elif kind == 'MPI_COLLECTIVE_END':
            self.done(task, self.group(task, words), self.current.pop(task), words)
        elif kind == 'NON_BLOCKING_COLLECTIVE_REQUEST':
            of = next(w for d, k, l, w in self.a.records[n:] if self.a.tasks[l] == task and k == 'NON_BLOCKING_COLLECTIVE_COMPLETE'
                      and re.search(rf'Request: {request[1]}$', w))
            self.requests[task, 'c', request[1]] = self.together(task, self.group(task, of), kind)
        elif kind == 'NON_BLOCKING_COLLECTIVE_COMPLETE':
            self.done(task, self.group(task, words), self.requests.pop((task, 'c', request[1])), words)

    @staticmethod
    def operation(words):
        """Of a file: its handle and its number there."""
        return 'file', re.search(r'Handle: .*?<(\d+)>', words)[1], re.search(r'Matching Id: (\d+)', words)[1]

    def group(self, task, words):
        """What each task has for itself alone is one group for each."""
        name = re.search(r'Communicator: "(.*?)"', words)[1]
        if name == 'MPI_COMM_SELF':
            name = f'{name} of {task}'
            self.size[name] = 1
        return name


class Tables(Format):
    def tables(self, path, at=None, reader='otf2'):
        out = self.path('out')
        shutil.rmtree(out, ignore_errors=True)
        program = self.path('under-way.eve', (PROGRAM % ('late = Mine; MPI_ = MPI', FILES % '')).replace('otf2', reader))
        self.scope('run', path, '--program', program, '--out', out, *(['--until', f'{at / 10 ** 9:.9f}'] if at is not None else []))
        rows = {}
        for name in TABLES:
            with open(os.path.join(out, name + '.csv'), newline='') as f:
                rows[name] = list(csv.DictReader(f))
        return rows

    def compare(self, path, at):
        anchor = os.path.join(path, 'traces.otf2')
        a = Archive(anchor)
        s, rows, where = Second(a, anchor, at), self.tables(path, at), (path, at)
        open_now = Counter()
        for (task, kind, _), what in s.requests.items():
            if kind != 'c':
                open_now[task, what if kind != 'a' else 'accesses open'] += 1
        on_way = Counter()
        for (task, _, _, _), n in s.on_way.items():
            on_way[task] += max(n, 0)
        mine = {r['task']: r for r in rows['tasks']}
        for task in s.since:
            r, stack = mine[task], s.stack[task]
            self.assertEqual((r['region'], int(r['depth'])), (stack[-1][0] if stack else '', len(stack)), (where, task))
            for key in ('sent', 'received', 'volume sent [B]', 'volume received [B]'):
                self.assertEqual(int(r[key]), s.t[task][key.replace(' [B]', '')], (where, task, key))
            for key in ('sends open', 'receives open', 'accesses open'):
                self.assertEqual(int(r[key]), open_now[task, key], (where, task, key))
            self.assertEqual(int(r['on their way']), on_way[task], (where, task))
            self.assertEqual(int(r['operations inside']), s.t[task]['inside'], (where, task))
        self.assertEqual({(r['task'], r['group']): (round(float(r['time [s]']) * 1e9), int(r['visits'])) for r in rows['times']},
                         {key: (s.times[key], n) for key, n in s.visits.items()}, where)
        groups = {r['group']: r for r in rows['groups']}
        for name, g in s.g.items():
            r = groups[name]
            self.assertEqual([int(r[k]) for k in ('members inside', 'volume given [B]', 'volume got [B]')], [g['inside'], g['given'], g['got']], (where, name))
            if name in s.size:
                under_way = sum(s.ended[name, k] < s.size[name] for k in s.begun[name])
                self.assertEqual([int(r[k]) for k in ('members', 'operations done', 'operations under way')], [s.size[name], g['done'], under_way], (where, name))
        self.assertEqual({(r['object'], r['what']): [int(r['times']), int(r['open']), int(r['volume [B]']), round(float(r['time [s]']) * 1e9)]
                          for r in rows['objects'] if r['what'].startswith('Rma')},
                         {key: [o[k] for k in ('times', 'open', 'volume', 'time')] for key, o in s.objects.items()}, where)
        left = Counter(r['what'] for r in rows['left'] for _ in range(int(r['number']) if r['what'].startswith('Messages') else 1))
        self.assertEqual(left['Messages that nobody received'], sum(max(n, 0) for n in s.on_way.values()), where)
        self.assertEqual(left['Regions that were not left'], sum(map(len, s.stack.values())), where)
        return len(rows['left'])
