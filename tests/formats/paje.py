# SPDX-License-Identifier: Apache-2.0
"""Pajé once more, in Python and from the raw file alone: states, variables and links of containers at any instant."""
import shlex
from collections import defaultdict
from decimal import Decimal

OWN = 'Computing', 'Unseen', 'Dead', 'No state'     # states that the simulator has names for itself
SAME = {'ContainerType': 'Type', 'EntityType': 'Type', 'SourceContainer': 'StartContainer', 'DestContainer': 'EndContainer',
        'Date': 'Time'}


def tokens(line):
    out, i = [], 0
    while i < len(line):
        if line[i] in ' \t':
            i += 1
        elif line[i] == '"':
            end = line.find('"', i + 1)
            end = len(line) if end < 0 else end
            out.append(line[i + 1:end])
            i = end + 1
        else:
            end = i
            while end < len(line) and line[end] not in ' \t':
                end += 1
            out.append(line[i:end])
            i = end
    return out


def records(path):
    """(verb, fields) of each line of the body, in order of date for what has one; definitions first where they stand."""
    definitions, number, dated = {}, None, []
    with open(path, encoding='utf-8', errors='replace') as lines:
        for i, line in enumerate(lines):
            line = line.rstrip('\r\n')
            text = line.strip(' \t')
            if text.startswith('%'):
                words = text[1:].split()
                if words and words[0] == 'EventDef':
                    number = words[2]
                    definitions[number] = (words[1], [])
                elif words and words[0] == 'EndEventDef':
                    number = None
                elif words and number is not None:
                    definitions[number][1].append(SAME.get(words[0], words[0]))
            elif text and not text.startswith('#'):
                words = tokens(line)
                if words and words[0] in definitions:
                    verb, names = definitions[words[0]]
                    dated.append((verb[4:], dict(reversed(list(zip(names, words[1:]))))))
    return dated


class Model:
    """All that happens until `at` (Decimal seconds), in order of date."""

    def __init__(self, path, at=None):
        self.types, self.values, self.containers, self.alive = {}, defaultdict(dict), {}, set()
        self.names, self.taken, self.kinds = {}, set(), {}
        self.stack, self.base, self.lanes, self.first = defaultdict(list), {}, {}, {}
        self.variables, self.past = defaultdict(dict), defaultdict(list)
        self.links = defaultdict(lambda: [0, 0, 0])     # bytes on their way, received, messages
        self.sent, self.received = defaultdict(int), defaultdict(int)
        self.history, self.stays, self.serial = defaultdict(list), defaultdict(dict), 0
        happening = []
        starts, ends = defaultdict(list), defaultdict(list)
        for order, (verb, f) in enumerate(records(path)):
            if 'Time' not in f:
                self.define(verb, f)
                continue
            when = Decimal(f['Time'])
            if verb == 'CreateContainer':
                self.declare(f)
            elif verb.endswith('State'):
                f['_task'] = self.lane(f)
            if verb in ('StartLink', 'EndLink'):
                key = f['Type'], f.get('Value', ''), f.get('Key', '')
                mine, other = (starts, ends) if verb == 'StartLink' else (ends, starts)
                if other[key]:
                    partner = other[key].pop(0)
                    f['_partner'], partner['_partner'] = partner, f
                else:
                    mine[key].append(f)
            happening.append((when, order, verb, f))
        happening.sort(key=lambda h: (h[0], h[1]))
        self.last = happening[-1][0] if happening else None
        self.first_date = happening[0][0] if happening else None
        for when, _, verb, f in happening:
            if at is not None and when > at:
                break
            self.happen(verb, f)
            for who in [f.get('_task') or self.containers.get(f.get('Container', '')),
                        self.containers.get(f.get('Alias', f.get('Name'))), self.containers.get(f.get('Name'))]:
                if who in self.base:
                    self.look(who, when)

    def entered(self, value):
        """A state that somebody is in from now on; another one than an earlier one of the same name."""
        self.serial += 1
        return value, self.serial

    def look(self, who, when):
        """What who is in now is kept: when each state was entered and left, and which was the innermost."""
        inside, stays, history = [self.base[who], *self.stack[who]], self.stays[who], self.history[who]
        for one in stays:
            if stays[one][1] is None and one not in inside:
                stays[one][1] = when
        for one in inside:
            stays.setdefault(one, [when, None])
        if not history or history[-1][1] != inside[-1][0]:
            history.append((when, inside[-1][0]))

    def times(self, who, at):
        """{state: (spent, inclusive, visits)}, seconds."""
        out, history = {}, self.history[who]
        for name in {one[0] for one in self.stays[who]}:
            ends = [when for when, _ in history[1:]] + [at]
            spent = sum(end - when for (when, value), end in zip(history, ends) if value == name)
            stays = sorted((a, at if b is None else b) for one, (a, b) in self.stays[who].items() if one[0] == name)
            inclusive, until = Decimal(0), stays[0][0]
            for a, b in stays:
                inclusive += max(b - max(a, until), 0)
                until = max(until, b)
            out[name] = spent, inclusive, len(stays)
        return out

    def spent(self, who, name, begin, end):
        """Seconds in a state, and in none inside of it, between two dates."""
        history = self.history[who]
        ends = [when for when, _ in history[1:]] + [end]
        return sum(max(min(b, end) - max(a, begin), 0) for (a, value), b in zip(history, ends) if value == name)

    def dies(self, who):
        return next((when for when, value in self.history[who] if value == 'Dead'), self.last)

    def define(self, verb, f):
        key = f.get('Alias', f.get('Name'))
        if verb == 'DefineEntityValue':
            name = f.get('Name', key)
            self.values[self.types.get(f['Type'], f['Type'])].setdefault(name, name)
            self.values[self.types.get(f['Type'], f['Type'])].setdefault(key, name)
        elif key not in self.types:
            self.types[key] = key
            self.types.setdefault(f.get('Name', key), key)
            self.names[key] = f.get('Name', key)

    def unlike(self, name, alias):
        tried, n = name, 2
        while tried in self.taken:
            tried = f'{name} ({alias})' if n == 2 and alias != name else f'{name} ({n})'
            n += 1
        self.taken.add(tried)
        return tried

    def declare(self, f):
        key = f.get('Alias', f.get('Name'))
        if key not in self.containers:
            name = self.unlike(f.get('Name', key), key)
            self.containers[key] = name
            self.kinds[name] = self.names[self.types[f['Type']]]
            self.containers.setdefault(f.get('Name', key), name)

    def lane(self, f):
        kind, task = self.types.get(f['Type']), self.containers.get(f['Container'])
        if kind is None or task is None:
            return None
        if self.first.setdefault(task, kind) == kind:
            return task
        if (task, kind) not in self.lanes:
            lane = self.lanes[task, kind] = self.unlike(f'{task} · {self.names[kind]}', self.names[kind])
            self.kinds[lane] = self.kinds[task] + lane[len(task):]
        return self.lanes[task, kind]

    def value(self, f):
        name = self.values[self.types[f['Type']]].get(f['Value'], f['Value'])
        return f'{name} (state)' if name in OWN else name

    def rest(self, task, value):
        """What it is in outside of all that is pushed; one that it is in already is not entered."""
        if task not in self.base or self.base[task][0] != value:
            self.base[task] = self.entered(value)

    def happen(self, verb, f):
        task = f.get('_task') or self.containers.get(f.get('Container', ''))
        if verb == 'CreateContainer':
            who = self.containers[f.get('Alias', f.get('Name'))]
            self.alive.add(who)
            self.rest(who, 'No state')
            self.stack[who] = []
        elif verb == 'DestroyContainer':
            who = self.containers.get(f.get('Name', f.get('Alias')))
            if who:
                for (task, _), lane in self.lanes.items():
                    if task == who and lane in self.base:
                        self.rest(lane, 'No state')
                        self.stack[lane] = []
                        self.look(lane, Decimal(f['Time']))
                self.rest(who, 'Dead')
                self.stack[who] = []
        elif verb.endswith('State') and task:
            if task not in self.base:
                self.rest(task, 'No state')
                self.look(task, Decimal(f['Time']))
            if verb == 'SetState':
                self.rest(task, self.value(f))
                self.stack[task] = []
            elif verb == 'PushState':
                self.stack[task].append(self.entered(self.value(f)))
            elif verb == 'ResetState':
                self.rest(task, 'No state')
                self.stack[task] = []
            else:
                if self.stack[task]:
                    self.stack[task].pop()
                else:                   # what was set is left too
                    self.rest(task, 'No state')
        elif verb.endswith('Variable') and task:
            name = self.names[self.types[f['Type']]]
            x, now = float(f['Value']), self.variables[task].get(name)
            self.variables[task][name] = (x if verb == 'SetVariable' else
                                          (now or 0) + (x if verb == 'AddVariable' else -x))
            self.past[task, name].append((Decimal(f['Time']), self.variables[task][name]))
        elif verb == 'StartLink' and '_partner' in f:
            pair = self.containers[f['StartContainer']], self.containers[f['_partner']['EndContainer']]
            self.links[pair][0] += int(f.get('Size', 0) or 0)
            self.sent[pair[0]] += 1
        elif verb == 'EndLink' and '_partner' in f:
            size = int(f['_partner'].get('Size', 0) or 0)
            pair = self.containers[f['_partner']['StartContainer']], self.containers[f['EndContainer']]
            self.links[pair][0] -= size
            self.links[pair][1] += size
            self.links[pair][2] += 1
            self.received[pair[1]] += 1

    def state(self, task):
        return self.stack[task][-1][0] if self.stack[task] else self.base.get(task, (None,))[0]
