# SPDX-License-Identifier: Apache-2.0
"""Each number of each `expected.jsonl`, which programs of others have told of the samples: compared here with what Scope says, or by the
test that is named; where it is of the file, with a second reading of that, or with the other program once more (raw.py); or not, for a reason that is told.
None is forgotten: one that no rule knows fails."""
import csv
import glob
import json
import os
import re
import sys
import unittest
from collections import Counter
from decimal import Decimal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpe  # noqa: E402
import raw  # noqa: E402
from formats import Format, main, once, samples                                                          # noqa: E402

FOLDERS = sorted(glob.glob(os.path.join(samples(''), '*', 'expected.jsonl')))
# where a number that is not compared here is compared
ELSEWHERE = {
    'alog': {'sends|receives|bytes_sent|states_s|state_calls': 'test_alog'},
    'chrome': {'events|by_phase|slice_time_us|tracks|unclosed_B': 'test_chrome'},
    'clog': {'records|sends|bytes_sent': 'test_clog'},
    'clog2': {'records|sends|receives|bytes_sent': 'test_clog'},
    'ctf': {'events|by_name|discarded_events|discarded_packets': 'test_ctf'},
    'memtrace': {'allocations': 'test_memtrace'},
    'otf2': {'first|last|first_ticks|last_ticks|messages|bytes': 'test_otf2', 'waits|critical_path|pop|collective_instances': 'test_waits'},
    'paje': {'records|event_lines|states_total_time': 'test_paje'},
    'paraver': {'bad|messages|bytes|event_pairs|event_types|state_time|pop_from_state_1': 'test_paraver'},
    'slog2': {'by_topology|drawables|counts|time_s|first|last': 'test_slog2'},
}
# What is not compared, why, and how many numbers that are at most: more of them fail.
NOT = {
    'ctf': {'messages': ('what the other program had counted after a step of its own, before the last: it is not here to be asked', 2)},
}


def leaves(value, key=()):
    """(key, number) of all numbers of a row, also of those that are written as text."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield from leaves(v, key + (k,))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from leaves(v, key + (i,))
    elif isinstance(value, bool):
        return
    elif isinstance(value, (int, Decimal)):
        yield key, Decimal(value)
    elif isinstance(value, str) and re.fullmatch(r'-?\d+(\.\d+)?', value):
        yield key, Decimal(value)


def rule_of(rules, key):
    return next((why for names, why in rules.items() if key[0] in names.split('|')), None)


def last_told(messages):
    """Of each kind of message the key that has the last count: the other program tells how many there are again and again, by a singular or a plural."""
    return {re.sub(' messages?$', '', k): k for k in messages}


class Numbers(Format):
    maxDiff = None

    def info(self, path):
        return json.loads(self.scope('info', path, '--json')[0], parse_float=Decimal)

    def calls(self, path):
        """Visits, seconds inside and seconds of its own of each call, of all tasks."""
        out = self.path('calls')
        self.scope('run', path, '--program', 'call-tree', '--out', out)
        with open(os.path.join(out, 'calls.csv'), encoding='utf-8', newline='') as f:
            return {row['call']: (int(row['visits']), Decimal(row['inclusive [s]']), Decimal(row['exclusive [s]'])) for row in csv.DictReader(f)}

    def events(self, path, *kind):
        return [json.loads(line, parse_float=Decimal) for line in self.scope('events', path, '--json', *(word for k in kind for word in ('--kind', k)))[0].splitlines()]

    @staticmethod
    def types(form, row, path, kinds, ends):
        """How often events of a type come: those that begin and end a state that no others do, and messages."""
        made = mpe.clog(path, 65536 if os.path.getsize(path) % 65536 == 0 else 1024) if form == 'clog' else {'alog': mpe.alog, 'clog2': mpe.clog2}[form](path)
        names = Counter(name for _, name in made[0].states.values())
        of = {-101: kinds['Send'], -102: kinds['Receive']}
        for begin, (end, name) in made[0].states.items():
            if names[name] == 1:
                of[begin], of[end] = kinds[name], ends[name]
        key = next(k for k in ('by_type', 'raw_etypes', 'bare_etypes') if k in row)
        return {(key, i, 1): (of[int(number)], 0) for i, (number, _) in enumerate(row[key]) if int(number) in of}

    @staticmethod
    def judged(form, row, info, said):
        """What another program's exit tells, as Scope has it: that all is well, or something damaged or refused, or that the library itself falls."""
        falls = -6 if 'an assertion of its own fails' in said else 1
        if form == 'ctf':
            return {('rc',): (min(info['damaged'], 1) if info else falls, 0)}
        if form in ('clog', 'clog2', 'slog2'):
            return {('rc',): (min(info['damaged'], 1) if info else 1, 0)}
        return {('rc',): (0 if info else 1, 0)} if form == 'paje' else {}

    def mine(self, form, row, path, info):
        """{key: (number, how far off it may be)} of what Scope says."""
        kinds, ends = Counter(), Counter()
        for k in info['kinds']:
            kinds[k['name']] += k['begun']
            ends[k['name']] += k['ended']
        us, first, last = 10 ** 6, info['first'] or Decimal(0), info['last'] or Decimal(0)     # without an event: none
        if form in ('alog', 'clog', 'clog2'):
            types = self.types(form, row, path, kinds, ends)
        if form == 'alog':
            return {**types, ('events',): (info['events'], 0), ('header', 'events'): (info['events'], 0), ('first_us',): (first * us, 1), ('last_us',): (last * us, 1),
                    ('header', 'start_us'): (first * us, 1), ('header', 'end_us'): (last * us, 1),
                    ('processes',): (len(info['tasks']), 0), ('header', 'processes'): (len(info['tasks']), 0)}
        if form == 'chrome':
            return {('first_us',): (first * us, 10), ('last_us',): (last * us, 1)}
        if form in ('clog', 'clog2'):
            return {**types, ('processes',): (len(info['tasks']), 0), ('ranks',): (len(info['tasks']), 0)}
        if form == 'ctf':
            besides = sum(k['begun'] + (k['ended'] or 0) for k in info['kinds'] if k['category'] in ('collective', 'group'))   # what an event tells besides itself
            made = {'Discarded event': kinds['DiscardedEvents'], 'Discarded packet': kinds['LostPackets'],
                    'Event': sum((kinds + ends).values()) - sum((kinds + ends)[k] for k in ('DiscardedEvents', 'LostPackets', 'Runs', 'Scheduled')) - besides}
            last_of, parts = last_told(row['messages']), {part['name']: part for part in info['parts']}
            for one, name in (('Stream', 'streams'), ('Packet', 'packets')):
                made.update({one + ' beginning': parts[name]['count'], one + ' end': parts[name]['whole']})
            made['Message iterator inactivity'] = parts['times of silence']['count']
            return {('first',): (first, Decimal('1e-9')), ('last',): (last, Decimal('1e-9')),
                    **{('messages', last_of[k]): (n, 0) for k, n in made.items() if k in last_of}}
        if form == 'otf2':
            told = [k['name'] for k in info['kinds'] if k['name'] in ('Coordinate', 'Property', 'PropertyText')]   # by definitions, which are no records
            own = Counter(e['task'] for e in self.events(path, *told)) if told else Counter()
            if 'Metric' in row['kinds']:
                self.assertEqual(kinds['Metric'] + kinds['Metric more'], raw.metric_values(path), path)
            same = {k.upper().replace('_', ''): n for k, n in kinds.items()}
            out = {('kinds', k): (same[k.upper().replace('_', '')], 0) for k in row['kinds'] if k.upper().replace('_', '') in same and k != 'Metric'}
            of_calls = [k for k in row['kinds'] if k.startswith('Parameter')]      # of all types one kind of Scope's
            if len(of_calls) == 1:
                out['kinds', of_calls[0]] = kinds['Parameter'], 0
            both = sum(k['begun'] for k in info['kinds'] if k['category'] == 'collective')
            out.update({('kinds', k): (both, 0) for k in row['kinds'] if k.upper().replace('_', '') in ('MPICOLLECTIVEBEGIN', 'MPICOLLECTIVEEND')})
            if '/mi300/' not in path and '/damaged' not in path:    # locations of metrics are no tasks; the peer refuses what is damaged
                out['locations',] = sum(t['events'] > own[t['id']] for t in info['tasks']), 0
            if 'Metric' not in row['kinds']:
                out['events',] = sum(n for k, n in kinds.items() if k not in ('Group', *told)) + sum(ends.values()), 0
            calls = self.calls(path) if 'top' in row or row.get('top_ticks') else {}
            for i, (region, _, _) in enumerate(row.get('top_ticks', ())):
                out['top_ticks', i, 1], out['top_ticks', i, 2] = (calls[region][1] * 10 ** 9, 2 * calls[region][0]), (calls[region][0], 0)
            out['clock', 0, 0] = info['ticks_per_second'], 0
            clocks = json.loads(self.scope('info', path, '--json', '--clocks', 'linear')[0])['clocks']
            out['received_before_sent',] = clocks['early_before'], 0
            if '/damaged' not in path:
                end = json.loads(self.scope('state', path, '--at', '1000000', '--json')[0])
                sent, received, depth = (sum(int(node[what] or 0) for node in end['nodes']) for what in ('Sent', 'Received', 'Depth'))
                out['unmatched',], out['open_at_end',] = (sent - received, 0), (depth, 0)
            for i, top in enumerate(row.get('top', ())):
                if top['region'] in calls:
                    out.update({('top', i, what): (number, Decimal('1e-9') * (0 if what == 'calls' else 1 + top['calls']))
                                for what, number in zip(('calls', 'inclusive', 'exclusive'), calls[top['region']])})
            return out
        if form == 'paje':
            links = Counter(e['value'] for e in self.events(path, 'EndLink')) if row.get('links') else {}
            out = {}
            if row.get('links') and row['first'] == row['last']:       # of one date the peer shows one link of each type alone: here, from what to what
                types = {t['id']: t['type'] for t in info['tasks']}
                links = Counter(value for value, _, _ in {(e['value'], types[e['task']], types[to]) for e in self.events(path, 'StartLink') for to in e['to']})
                out['records', 'Link'] = sum(links.values()), 0
            return {**out, ('first',): (first, Decimal('6e-7')), ('last',): (last, Decimal('6e-7')), ('bad',): (info['damaged'], 0),
                    **{('links', i, 1): (links[value], 0) for i, (value, _) in enumerate(row.get('links') or ()) if value in links}}
        if form == 'paraver':       # the trace ends where its header says
            dates = [e['t'] for e in self.events(path) if e['kind'] != 'EndOfTrace'] if row['event_pairs'] < 1000 else [last]
            seen = {t['id'].removesuffix(' · calls') for t in info['tasks'] if t['events'] > (t['id'] == info['tasks'][0]['id'])}
            return {('first',): (first * 10 ** 9, 0), ('last',): (dates[-1] * 10 ** 9, 0), ('threads_seen',): (len(seen), 0),
                    ('records', '1'): (kinds['State'], 0), ('records', '3'): (kinds['Receive'], 0)}
        return {}

    def check_tasks(self, form, path, info):
        """Which tasks do something, which tell more of these, by the events."""
        holds, every = info['holds'], self.events(path)
        events, inside = ({t['id']: t[what] for t in info['tasks']} for what in ('events', 'inside'))
        besides = [t for t in events if ' \u00b7 ' in t and events.get(t.split(' \u00b7 ')[0])]
        states = {k['name'] for k in info['kinds'] if k['category'] == 'state'}
        stated = {e['task'] for e in every if e['kind'] in states} if besides and form == 'paraver' else set(events)
        besides = [t for t in besides if t.split(' \u00b7 ')[0] in stated]
        small = {k['name'] for k in info['kinds'] if k['category'] in ('variable', 'note', 'container') or k['name'] in ('Processor', 'NewEvent')}
        does = {e['task'] for e in every if e['kind'] not in small} if any(events[t] for t in set(inside.values()) - {None}) else set()
        around = {inside[t] for t in events if events[t] and inside[t]}
        while not around >= {inside[t] for t in around if inside[t]}:
            around |= {inside[t] for t in around if inside[t]}
        alone = [t for t in events if t not in besides and events[t] > 0 and (t not in around or t in does)]
        self.assertEqual((holds['tasks'], holds['besides']), (len(alone), len(besides)), path)
        self.assertEqual(sum(holds[what] for what in ('tasks', 'around', 'besides')), len(events), path)

    @unittest.skipUnless(FOLDERS, 'the samples are not here')
    def test_what_a_trace_holds(self):
        """What is told of it in words has the numbers of the other programs."""
        n = 0
        for file in FOLDERS:
            form = os.path.basename(os.path.dirname(file))
            with open(file, encoding='utf-8') as lines:
                rows = [json.loads(line) for line in lines]
            for row in rows:
                kinds, records = row.get('kinds', {}), row.get('records', {})
                want = {}
                if form in ('alog', 'clog', 'clog2') and 'sends' in row:
                    want = {'sent': row['sends']}
                elif form == 'otf2' and kinds:
                    of = {k.upper().replace('_', ''): v for k, v in kinds.items()}
                    want = {'sent': row['messages'], 'calls': of['ENTER'], 'together': of.get('MPICOLLECTIVEEND', 0)}
                elif form == 'paraver':
                    want = {'sent': row['messages'], 'received': row['messages']}
                elif form == 'paje' and row.get('first') != row.get('last'):
                    lines = row.get('event_lines', {})
                    want = {'calls': records.get('State', lines.get('PajeSetState', 0) + lines.get('PajePushState', 0))}
                    want.update({'sent': records['Link']} if 'Link' in records else {})
                elif form == 'slog2':
                    want = {'sent': row['by_topology'].get('Arrow', 0), 'calls': row['by_topology'].get('State', 0)}
                if not want:
                    continue
                path = os.path.join(samples(''), row['path'])
                info = self.info(path)
                holds = info['holds']
                if form == 'paje':      # a state that is none is one that is entered, too
                    want['calls'] += sum(k['begun'] for k in info['kinds'] if k['name'] in ('ResetState', 'EndStates'))
                self.assertEqual({key: holds[key] for key in want}, want, path)
                told = re.search(r'^  holds +(.*)$', self.scope('info', path)[0], re.M).group(1)
                if info['events'] < 50_000:     # text of all events: else that takes minutes
                    self.check_tasks(form, path, info)
                if form == 'otf2' and row['locations'] != holds['tasks']:       # locations of metrics are no tasks
                    self.assertIn(os.path.basename(os.path.dirname(path)), ('mi300',), (path, row['locations'], holds))
                self.assertEqual('receive' in told, holds['sent'] + holds['received'] > 0, (path, told))
                for key, words in (('tasks', 'tasks?(?: |;)'), ('around', 'more without states or messages'), ('besides', 'that tells? more of them'), ('sent', 'sends?'),
                                   ('received', 'receives?'), ('calls', 'calls?(?: or| and) states?'), ('together', 'parts? in operations?(?: of a| of) groups?')):
                    found = re.search(rf'(\d+) {words}', told)
                    self.assertEqual(int(found.group(1)) if found else 0, holds[key], (path, told))
                n += len(want)
        self.assertGreater(n, 40)

    @unittest.skipUnless(FOLDERS, 'the samples are not here')
    @once
    def test_each_number(self):
        here, again, elsewhere, left, wrong, told = Counter(), Counter(), Counter(), Counter(), [], []
        for file in FOLDERS:
            form = os.path.basename(os.path.dirname(file))
            with open(file, encoding='utf-8') as lines:
                rows = [json.loads(line, parse_float=Decimal) for line in lines]
            for row in rows:
                path = os.path.join(samples(''), row['path'])
                text, said = self.scope('info', path, '--json', status=(0, 1))
                info = json.loads(text, parse_float=Decimal) if text else None
                mine = {**(self.mine(form, row, path, info) if info else {}), **self.judged(form, row, info, said)}
                second = raw.read(form, path, row, info)
                for key, number in leaves({k: v for k, v in row.items() if k != 'path'}):
                    is_elsewhere, why = rule_of(ELSEWHERE[form], key), rule_of(NOT.get(form, {}), key)
                    if key in mine:
                        here[form] += 1
                        for value, off in (mine[key], second.get(key, (number, 0))):
                            if abs(Decimal(value) - number) > off:
                                wrong.append((row['path'], key, str(number), str(value)))
                    elif is_elsewhere:
                        elsewhere[form, is_elsewhere] += 1
                    elif key in second:
                        again[form] += 1
                        if abs(second[key][0] - number) > second[key][1]:
                            wrong.append((row['path'], key, str(number), str(second[key][0])))
                    elif why:
                        left[form, why[0]] += 1
                    else:
                        told.append((row['path'], key, str(number)))
        counts = [sum(of.values()) for of in (here, elsewhere, again, left)]
        said = [f'{sum(counts)} numbers: {counts[0]} compared here, {counts[1]} by other tests, {counts[2]} with a second reading of the file, {counts[3]} not']
        said += [f'{n} of {form} here' for form, n in sorted(here.items())] + [f'{n} of {form} by {test}' for (form, test), n in sorted(elsewhere.items())]
        said += [f'{n} of {form} read again' for form, n in sorted(again.items())]
        said += [f'{n} of {form} not: {why}' for (form, why), n in sorted(left.items())]
        print('\n'.join(said), file=sys.stderr)
        self.assertEqual(wrong, [])
        self.assertEqual(told, [], 'no rule knows these')
        most = {(form, why): n for form, rules in NOT.items() for why, n in rules.values()}
        self.assertEqual({key: n for key, n in left.items() if n > most[key]}, {}, 'more than were left')


main()
