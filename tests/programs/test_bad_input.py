#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What analysis does with what it should never get: clear words, bounded memory, no freeze.

usage: test_bad_input.py SCOPE SOURCE_FOLDER"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

SCOPE, ROOT = sys.argv[1:3]
TRACE = os.path.join(ROOT, 'traces', 'ring.trace')


def program(folder, components, wires):
    text = ['<?xml version="1.0" encoding="UTF-8"?>', '<eve version="1">', '<title>t</title>']
    for name, klass, settings in components:
        text.append(f'<component name="{name}" class="scope.{klass}" version="1" x="0" y="0">')
        text += [f'<setting name="{k}">{escape(v)}</setting>' for k, v in settings.items()]
        text.append('</component>')
    for wire in wires:
        (a, out), (b, into) = (side.strip().split('.') for side in wire.split('->'))
        text.append(f'<wire from="{a}" out="{out}" to="{b}" in="{into}"/>')
    text.append('</eve>')
    path = os.path.join(folder, 'p.eve')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(text))
    return path


def run(components, wires, trace=TRACE, fails=None, says=None, files=()):
    """Runs a program; gives the rows of the files it wrote.  `fails`: what it must say as it fails; `says`: as it runs."""
    with tempfile.TemporaryDirectory() as out:
        path = program(out, [('Reader', 'tapepvm-reader', {})] + components, wires)
        done = subprocess.run([SCOPE, 'run', trace, '--program', path, '--out', out], capture_output=True, text=True, timeout=60)
        if fails:
            assert done.returncode == 1 and fails in done.stderr, (fails, done.returncode, done.stderr)
        else:
            assert done.returncode == 0, done.stderr
            assert "kept" not in done.stderr and "no output" not in done.stderr, done.stderr
        if says:
            assert says in done.stderr, (says, done.stderr)
        result = []
        for name in files:
            with open(os.path.join(out, name), newline='', encoding='utf-8') as f:
                result.append(list(csv.reader(f)))
        return result


def odd_numbers():
    """0/0, 1/0 and -1/0 among numbers: counted apart, and nothing else is changed."""
    part = [('Ones', 'series', {'first': '-1', 'step': '1', 'count': '3'}), ('Zero', 'series', {'first': '0', 'step': '0', 'count': '3'}),
            ('Divide', 'binary', {'operation': 'divide'}), ('Good', 'series', {'first': '1', 'step': '1', 'count': '4'}),
            ('Merge', 'merge', {}), ('H', 'histogram', {'from': '0', 'to': '10', 'bins': '2', 'every': '0'}),
            ('F', 'data-file', {'file': 'h.csv'}), ('S', 'statistics', {'every': '0'}), ('T', 'data-file', {'file': 's.csv'})]
    wires = ['Ones.out -> Divide.a', 'Zero.out -> Divide.b', 'Divide.out -> Merge.in', 'Good.out -> Merge.in', 'Merge.out -> H.value',
             'H.histogram -> F.in', 'Merge.out -> S.value', 'S.table -> T.in']
    h, s = run(part, wires, files=['h.csv', 's.csv'])
    assert [r[2] for r in h[1:]] == ['1', '4', '0', '1'], h     # -inf below, 1 to 4, inf above; the NaN nowhere
    row = dict(zip(s[0], s[1]))
    assert row['count'] == '4' and row['no numbers'] == '3' and float(row['mean']) == 2.5, row
    assert float(row['min']) == 1 and float(row['max']) == 4, row


def empty_and_constant():
    no = [('None', 'filter', {'where': 'value > 1e9'}), ('N', 'series', {'count': '5'}), ('H', 'histogram', {}),
          ('F', 'data-file', {'file': 'h.csv'}), ('S', 'statistics', {}), ('T', 'data-file', {'file': 's.csv'}),
          ('O', 'statistics', {'over': 'last n'}), ('C', 'correlation', {}), ('X', 'csv-sink', {'file': 'c.csv'})]
    wires = ['N.out -> None.in', 'None.passed -> H.value', 'H.histogram -> F.in', 'None.passed -> S.value', 'S.table -> T.in',
             'None.passed -> O.value', 'N.out -> C.x', 'None.passed -> C.y', 'C.correlation -> X.1']
    h, s, c = run(no, wires, files=['h.csv', 's.csv', 'c.csv'])
    assert all(r[2] == '0' for r in h[1:]) and len(h) == 23, h
    row = dict(zip(s[0], s[1]))
    assert row['count'] == '0' and row['mean'] == '' and row['median'] == '', row
    assert c == [['1'], ['nan']], c
    same = [('N', 'series', {'step': '0', 'count': '50'}), ('S', 'statistics', {'every': '0'}), ('T', 'data-file', {'file': 's.csv'}),
            ('C', 'correlation', {'every': '0'}), ('X', 'csv-sink', {'file': 'c.csv'}),
            ('H', 'histogram', {'fit': 'true', 'bins': '1'}), ('F', 'data-file', {'file': 'h.csv'})]
    s, c, h = run(same, ['N.out -> S.value', 'S.table -> T.in', 'N.out -> C.x', 'N.out -> C.y', 'C.correlation -> X.1',
                         'N.out -> H.value', 'H.histogram -> F.in'], files=['s.csv', 'c.csv', 'h.csv'])
    row = dict(zip(s[0], s[1]))
    assert float(row['deviation']) == 0 and float(row['median']) - 1 < 0.008 and c[1] == ['nan'], (row, c)
    assert [r[2] for r in h[1:]] == ['0', '50', '0'], h


def refused():
    n = ('N', 'series', {'count': '3'})
    for settings, words in (({'from': '2', 'to': '1'}, 'turned round'), ({'from': '1', 'to': '1'}, 'turned round, empty'),
                            ({'to': 'inf'}, 'without bound')):
        run([n, ('H', 'histogram', settings)], ['N.out -> H.value'], fails=words)
    with tempfile.TemporaryDirectory() as out:
        path = program(out, [('Reader', 'tapepvm-reader', {}), n, ('H', 'histogram', {})], ['N.out -> H.value'])
        done = subprocess.run([SCOPE, 'run', TRACE, '--program', path, '--set', 'H.bins=0'], capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and 'bins' in done.stderr, done.stderr
    for settings, words in (({'min': '2', 'max': '1'}, 'turned round'), ({'max': 'lots'}, 'is no number')):
        run([n, ('W', 'watch', settings)], ['N.out -> W.value'], fails=words)
    for where, words in (('value >', 'column 8: expected'), ('valeu > 1', 'column 1: there is no field “valeu”'),
                         ('value + 1', 'not a condition'), ('(' * 500, 'parentheses are open'), ('value > 1' * 4000, 'longer than')):
        run([n, ('F', 'filter', {'where': where})], ['N.out -> F.in'], fails=words)
    for where, words in (('kind == Sned', 'column 9: the trace ring has no kind of event “Sned”'),
                         ('nosuch > 3', 'column 1: no event of the trace ring has a field “nosuch”')):
        run([('F', 'filter', {'where': where})], ['Reader.events -> F.in'], fails=words)
    run([n, ('F', 'filter', {'tasks': 't1'})], ['N.out -> F.in'], fails='does not have')
    run([('F', 'filter', {'from': 'noon'})], ['Reader.events -> F.in'], fails='is no date')
    run([('S', 'pvm-simulator', {}), ('P', 'state-presenter', {'attribute': 'Colour'})],
        ['Reader.events -> S.events', 'S.changes -> P.changes'], fails='has no attribute “Colour”; it has Clock, State')
    for name, words in (('colour', 'has a field “colour”; nothing is given'),
                        ('duratoin', 'No event of the trace ring has a field “duratoin”; the nearest name is “duration”; nothing is given'),
                        ('asked_tga', 'has a field “asked_tga”; the nearest name is “asked_tag”; nothing is given')):
        run([('E', 'event-presenter', {'field': name})], ['Reader.events -> E.events'], fails=words)
    for where, words in (('durration > 1', 'column 1: no event of the trace ring has a field “durration”; the nearest name is “duration”'),
                         ('bytes > 100 ms', 'column 7: bytes and seconds do not go together'),
                         ('duration > 100 usec', 'column 16: unknown unit “usec”; there are s, ms, us')):
        run([('F', 'filter', {'where': where})], ['Reader.events -> F.in'], fails=words)


def told(components, wires, trace=TRACE, status=0, more=()):
    """What a run says on stderr."""
    with tempfile.TemporaryDirectory() as out:
        path = program(out, [('Reader', 'tapepvm-reader', {})] + components, wires)
        done = subprocess.run([SCOPE, 'run', trace, '--program', path, '--out', out, *more], capture_output=True, text=True, timeout=60)
        assert done.returncode == status, (done.returncode, done.stderr)
        return done.stderr


def unknown_names():
    """Names in settings that the trace does not have are told with the nearest one, each once, and nothing else is said."""
    simulator = ('S', 'pvm-simulator', {})

    def events(**settings):
        return [('F', 'filter', settings)], ['Reader.events -> F.in']

    def changes(out='changes', **settings):
        return [simulator, ('F', 'filter', settings)], ['Reader.events -> S.events', f'S.{out} -> F.in']

    def presenter(out='changes', **settings):
        return [simulator, ('P', 'state-presenter', settings)], ['Reader.events -> S.events', f'S.{out} -> P.changes']

    def waiting(**settings):
        return [('W', 'waiting-times', settings)], ['Reader.events -> W.events']

    def field(**settings):
        return [('E', 'event-presenter', settings)], ['Reader.events -> E.events']

    def durations(**settings):
        return [simulator, ('D', 'state-durations', settings)], ['Reader.events -> S.events', 'S.states -> D.states']

    def overhead(categories):
        return [('O', 'communication-overhead', {'categories': categories})], ['Reader.events -> O.events']
    for (part, wires), words in (
            (events(tasks='ring 77, t40002'), ['No task is called “ring 77”; the nearest name is “ring ']),
            (events(tasks='ring 1, rign 2, zzz'), ['No task is called “rign 2”; the nearest name is “ring 2”', 'No task is called “zzz”.']),
            (events(where='task == "Ring 22" and date > 0'), ['No task is called “Ring 22”; the nearest name is “ring 2”']),
            (events(where='program == nosuch'), ['No program is called “nosuch”']),
            (events(groups='nobody'), ['No group is called “nobody”']),
            (events(tasks='"ring 1" 2'), ['No task is called “"ring 1" 2”; the nearest name is “ring ']),
            (changes(tasks='ring 9'), ['No task is called “ring 9”; the nearest name is “ring ']),
            (changes('states', tasks='ring 9'), ['No task is called “ring 9”; the nearest name is “ring ']),
            (changes('messages', tasks='ring 9'), ['No task is called “ring 9”; the nearest name is “ring ']),
            (changes(where='attribute == State and state == Ilde'), ['No state is called “Ilde”; the nearest name is “Idle”']),
            (presenter(object='ring 77'), ['No node is called “ring 77”; the nearest name is “ring ']),
            (presenter('states', object='rimg 1'), ['No task is called “rimg 1”; the nearest name is “ring 1”']),
            (presenter(of='link', attribute='Traffic', object='t40002->t40009'), ['No link is called “t40002->t40009”; the nearest name is “t4000']),
            (waiting(kinds='Rceiv, Recv'), ['No kind of event is called “Rceiv”; the nearest name is “Recv”']),
            (field(field='size', kind='Send, Snd'), ['No kind of event is called “Snd”; the nearest name is “Send”']),
            (field(field='size', kind='Snd'), ['No kind of event is called “Snd”; the nearest name is “Send”']),
            (durations(states='Busy, Idel'), ['No state is called “Idel”; the nearest name is “Idle”']),
            (overhead('point, globl'), ['No category of event is called “globl”; the nearest name is “global”'])):
        said = told(part, wires, status=1)              # all is done, but it is not what was asked for
        assert all(said.count(w) == 1 for w in words) and said.count(' is called ') == len(words), (part, said)
        assert len(said.splitlines()) == len(words), said
    for settings, says in (({'from': '0.02'}, 1), ({'where': 'state == Idle'}, 1), ({'tasks': 'ring 1, ring 2'}, 0), ({'to': '0.02'}, 0),
                           ({'where': 'date < 0.02'}, 1)):
        part, wires = changes('states', **settings)
        said = told(part + [('D', 'state-durations', {})], wires + ['F.passed -> D.states'])
        assert said.count('were left out before they came here') == says, (settings, said)
    assert 'is no date' in told(*durations(**{'from': 'soon'}), status=1)
    for until in ([], ['--until', '0.01']):         # what cannot count is told at any instant
        for settings, words in (({'from': '5', 'to': '1'}, '“from” lies after “to”'), ({'from': '0.02', 'to': '0.01'}, '“from” lies after “to”'),
                                ({'from': '4000000'}, 'lies before “from”'), ({'to': '-1'}, 'lies behind “to”')):
            for part, wires in (durations(**settings), ([('O', 'communication-overhead', settings)], ['Reader.events -> O.events']),
                                ([('F', 'filter', settings)], ['Reader.events -> F.in'])):
                said = told(part, wires, more=until)
                assert said.count(words) == (words.startswith('“from”') or part[-1][1] != 'filter'), (part, until, said)
                assert len(said.splitlines()) <= 1, said
        assert told(*durations(**{'from': '0.01', 'to': '0.01'}), more=until) == ''
    for part, wires in (events(tasks='ring 1, t40002'), events(tasks=' "ring 1",ring 2 '), events(kinds='"Send", Recv'), changes(tasks='ring 1'),
                        changes('states', where='state in {Busy, "Idle"}'), presenter(object='ring 1'), presenter('states', object='t40002'),
                        waiting(kinds='"Recv" , Send'), field(field='size', kind=' Send ,"Recv"'), durations(states='"Busy", Idle'),
                        overhead('point, global, collective'), overhead('"point"')):
        assert told(part, wires) == '', (part, told(part, wires))
    for where, of, says in (('end', 'beginnings', 'ends, and “of” takes beginnings'), ('not end', 'ends', 'beginnings, and “of” takes ends'),
                            ('end', 'ends', ''), ('end', 'both', ''), ('number >= 0', 'beginnings', ''), ('date < 0', 'ends', '')):
        part = [('F', 'filter', {'where': where}), ('E', 'event-presenter', {'of': of})]
        said = told(part, ['Reader.events -> F.in', 'F.passed -> E.events'])
        assert said == (f'scope: E: Nothing was given: all events that came are {says}.\n' if says else ''), (where, of, said)
    for (part, wires), words in ((events(kinds='Sendd, Recv'), '“kinds” cannot be met: the trace ring has no kind of event “Sendd”; the nearest name is “Send”'),
                                 (events(where='category == pont'), 'column 13: the trace ring has no category “pont”; the nearest name is “point”'),
                                 (changes(where='object == nod'), 'has no object “nod”; the nearest name is “node”'),
                                 (changes(where='attribute == Sate'), 'has no attribute “Sate”; the nearest name is “State”'),
                                 (presenter(attribute='PercentBsy'), 'Host, Program; the nearest name is “PercentBusy”.')):
        said = told(part, wires, status=1)
        assert said.count(words) == 1, said
    names = ', '.join(f'nobody {i}' for i in range(300))
    said = told(*events(tasks=names), status=1)
    assert said.count('No task is called') == 8 and '292 more names are those of no task' in said, said
    with tempfile.TemporaryDirectory() as folder:               # names with all that a list has signs for
        trace = os.path.join(folder, 'ring.trace')
        shutil.copytree(TRACE, trace)
        with open(os.path.join(trace, 'nicknames'), 'w', encoding='utf-8') as f:
            f.write('t40002 a, "b"\nt40003 c\'s "d"\n')
        for names in ('"a, ""b"""', '"c\'s ""d"""', 'c\'s "d"'):
            part = [('F', 'filter', {'tasks': names}), ('C', 'counter', {}), ('Out', 'csv-sink', {'file': 'n.csv'})]
            rows, = run(part, ['Reader.events -> F.in', 'F.passed -> C.in', 'C.count -> Out.1'], trace=trace, files=['n.csv'])
            assert len(rows) > 50, (names, len(rows))


def ends_above():
    """Where a Filter lets nothing pass after a date, what lasts then counts until there: as with `to` of the component itself, at the
    end and at an instant, wherever the filter stands; and not where another wire goes past it."""
    fft = os.path.join(ROOT, 'traces', 'fft2d-s16.trace')
    own = {'durations': ('X', 'state-durations', {'every': '0', 'states': 'Busy, Idle'}),
           'overhead': ('X', 'communication-overhead', {'sampling': 'intervals of time', 'interval': '0.007'})}

    def rows(kind, to, filters, until):
        """`filters`: `to` of those before the simulator, or the component that takes events, and of those behind it."""
        name, klass, settings = own[kind]
        if until and kind == 'overhead':                        # at an instant it tells of all until then
            settings = {'sampling': 'at the end'}
        part, wires, at = [(name, klass, dict(settings, **({'to': to} if to else {})))], [], 'Reader.events'
        for place in range(2):
            if place == 1 and kind == 'durations':
                part.append(('S', 'pvm-simulator', {}))
                wires.append(f'{at} -> S.events')
                at = 'S.states'
            ends = filters[place] if len(filters) > place else []
            for n, end in enumerate(ends):
                part.append((f'F{place}{n}', 'filter', {'to': end}))
                wires.append(f'{at} -> F{place}{n}.in')
                at = f'F{place}{n}.passed'
        wires.append(f'{at} -> X.' + ('states' if kind == 'durations' else 'events'))
        part += [('By', 'statistics-by-owner', {'every': '0'}), ('T', 'data-file', {'file': 't.csv'}), ('D', 'csv-sink', {'file': 'd.csv'}),
                 ('U', 'data-file', {'file': 'u.csv'}), ('L', 'value-panel', {})]
        wires += ['X.dated -> L.value', 'X.dated -> By.value', 'By.table -> T.in', 'X.dated -> D.in'] + (['X.table -> U.in'] if kind == 'durations' else [])
        with tempfile.TemporaryDirectory() as out:
            path = program(out, [('Reader', 'tapepvm-reader', {})] + part, wires)
            done = subprocess.run([SCOPE, 'run', fft, '--program', path, '--out', out, *(['--until', until] if until else [])], capture_output=True,
                                  text=True, timeout=60)
            assert done.returncode == 0, done.stderr
            if until and kind == 'overhead':
                subprocess.run([SCOPE, 'draw', fft, '--program', path, '--view', 'L', '--at', until, '-o', os.path.join(out, 'l.csv')], check=True,
                               timeout=60)
            result = []
            for file in ('l.csv',) if until and kind == 'overhead' else ('t.csv', 'd.csv') + (('u.csv',) if kind == 'durations' else ()):
                with open(os.path.join(out, file), newline='', encoding='utf-8') as f:
                    result.append([row[:6] for row in csv.reader(f)] if file == 'l.csv' else list(csv.reader(f)))
            return result

    for kind in own:
        for until in (None, '0.13', '0.06'):
            want = rows(kind, '0.1', [], until)
            for filters in ([['0.1']], [['0.2', '0.1']], [['0.1', '0.2']]) + (([[], ['0.1']], [['0.1'], ['0.15']], [['0.15'], ['0.1']])
                                                                             if kind == 'durations' else ()):
                got = rows(kind, None, filters, until)
                assert sorted(map(tuple, sum(got, []))) == sorted(map(tuple, sum(want, []))), (kind, until, filters, want[0][:3], got[0][:3])
    # another wire that leads past the filter
    part = [('S', 'pvm-simulator', {}), ('F', 'filter', {'to': '0.1'}), ('M', 'merge', {}), ('D', 'state-durations', {'every': '0'}),
            ('U', 'data-file', {'file': 'u.csv'}), ('G', 'filter', {'tasks': 'fft 1'}), ('H', 'filter', {'tasks': 'fft 0'})]
    wires = ['Reader.events -> S.events', 'S.states -> G.in', 'G.passed -> F.in', 'F.passed -> M.in', 'S.states -> H.in', 'H.passed -> M.in',
             'M.out -> D.states', 'D.table -> U.in']
    table, = run(part, wires, trace=fft, files=['u.csv'])
    whole, = run([('S', 'pvm-simulator', {}), ('D', 'state-durations', {'every': '0'}), ('U', 'data-file', {'file': 'u.csv'})],
                 ['Reader.events -> S.events', 'S.states -> D.states', 'D.table -> U.in'], trace=fft, files=['u.csv'])
    assert table[1] == whole[1] and table[2] != whole[2], (table[:3], whole[:3])


def two_traces():
    """What tells tasks apart by their numbers is of one trace: two are refused by name, and not added up."""
    a, b = (os.path.join(ROOT, 'traces', name + '.trace') for name in ('ring', 'fft2d-s64'))

    def both(part, wires):
        with tempfile.TemporaryDirectory() as out:
            readers = [('Reader', 'tapepvm-reader', {}), ('Reader 2', 'tapepvm-reader', {}), ('S', 'pvm-simulator', {}), ('S 2', 'pvm-simulator', {})]
            path = program(out, readers + part, ['Reader.events -> S.events', 'Reader 2.events -> S 2.events'] + wires)
            return subprocess.run([SCOPE, 'run', a, b, '--program', path, '--out', out], capture_output=True, text=True, timeout=60), \
                {name: open(os.path.join(out, name), encoding='utf-8').read() for name in os.listdir(out) if name.endswith('.csv')}

    for klass, into, feeds in (('state-durations', 'states', ('S.states', 'S 2.states')), ('traffic', 'messages', ('S.messages', 'S 2.messages')),
                               ('communication-overhead', 'events', ('Reader.events', 'Reader 2.events')),
                               ('state-presenter', 'changes', ('S.states', 'S 2.states'))):
        done, _ = both([('X', klass, {})], [f'{feed} -> X.{into}' for feed in feeds])
        assert done.returncode == 1 and 'lead to two executions, ' in done.stderr and 'cannot tell apart' in done.stderr, (klass, done.stderr)
        assert 'ring' in done.stderr and 'fft2d-s64' in done.stderr, done.stderr
    done, files = both([('W', 'waiting-times', {}), ('By', 'statistics-by-owner', {}), ('U', 'data-file', {'file': 'u.csv'})],
                       ['Reader.events -> W.events', 'Reader 2.events -> W.events', 'W.dated -> By.value', 'By.table -> U.in'])
    owners = [line.split(',')[0] for line in files['u.csv'].splitlines()[1:]]
    assert done.returncode == 0 and len(owners) == len(set(owners)) and {o.rsplit(' ', 1)[1] for o in owners} == {'(ring)', '(fft2d-s64)'}, owners


def many_owners():
    """A million tasks: 131 072 rows and one for the others, in bounded memory."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, 'many.trace', 'many.tapepvm')
        os.makedirs(data)
        with open(os.path.join(data, 'events'), 'w', encoding='ascii') as f:
            f.write('#TAPE/PVM 1\n')
            for i in range(1_000_000):
                f.write(f'60 {i} {262144 + i} 10 0 {262144 + i} 1 8 0\n')
        part = [('D', 'event-presenter', {'field': 'size', 'kind': 'Send'}), ('O', 'statistics-by-owner', {'every': '0'}),
                ('F', 'data-file', {'file': 'o.csv'})]
        rows, = run(part, ['Reader.events -> D.events', 'D.dated -> O.value', 'O.table -> F.in'],
                    trace=os.path.join(folder, 'many.trace'), files=['o.csv'])
        rest = 1_000_000 - (1 << 17)
        assert len(rows) == (1 << 17) + 2 and rows[-1][:3] == ['others', str(rest), str(8 * rest)], rows[-1]


def always_triggered():
    """A watch that every event triggers, and commands that contradict each other."""
    part = [('Session', 'session', {'list': 'l.csv'}), ('D', 'event-presenter', {'field': 'date', 'of': 'both'}),
            ('W', 'watch', {'max': '-1', 'action': 'mark', 'when': 'each value', 'at most': '100', 'warning': 'none'})]
    wires = ['Session.commands -> Reader.commands', 'Reader.events -> D.events', 'D.dated -> W.value', 'W.orders -> Session.orders']
    rows, marks = run(part, wires, says='triggered 100 times and is silent', files=['l.csv', 'marks.xml'])
    assert len(rows) == 101 and all(r[2].startswith('mark') for r in rows[1:]), len(rows)
    back = [('Session', 'session', {}), ('Pause', 'command', {'command': 'pause', 'at most': '100000'}),
            ('Play', 'command', {'command': 'run', 'at most': '100000'})]
    run(back, ['Session.commands -> Reader.commands', 'Reader.events -> Pause.in', 'Pause.orders -> Play.in',
               'Pause.orders -> Session.orders', 'Play.orders -> Session.orders'])
    circle = [('Session', 'session', {}), ('First', 'filter', {'where': 'number == 5'}),
              ('Start', 'command', {'command': 'hello', 'at most': '100000'}), ('Again', 'command', {'command': 'hello', 'at most': '1000000'})]
    run(circle, ['Session.commands -> Reader.commands', 'Reader.events -> First.in', 'First.passed -> Start.in',
                 'Start.orders -> Session.orders', 'Session.others -> Again.in', 'Again.orders -> Session.orders'], says='in a circle')


def commands():
    """What a run without a window obeys, and what it tells that it could not."""
    def at(number, command, more=()):
        part = [('Session', 'session', {'list': 'l.csv'}), ('At', 'filter', {'where': f'number == {number}'}),
                ('Do', 'command', {'command': command}), ('Count', 'counter', {}), ('Out', 'csv-sink', {'file': 'n.csv', 'columns': 'n'})]
        return run(part, ['Session.commands -> Reader.commands', 'Reader.events -> At.in', 'At.passed -> Do.in', 'Do.orders -> Session.orders',
                          'Reader.events -> Count.in', 'Count.count -> Out.1'], files=['n.csv', 'l.csv', *more])
    whole = 996                                     # events of the sample
    n, l = at(100, 'pause')
    assert len(n) - 1 == 100 and l[1][0] == '100' and l[1][2] == 'pause' and l[1][5] == 'obeyed', (len(n), l)
    n, l = at(100, 'stop')
    assert len(n) - 1 == 100 and l[1][5] == 'obeyed', (len(n), l)
    n, l = at(100, 'step 7')
    assert len(n) - 1 == 107, len(n)
    n, l = at(100, 'go 0.12')
    assert 107 < len(n) - 1 < whole, len(n)
    n, l, marks = at(100, 'mark here', ['marks.xml'])
    assert len(n) - 1 == whole and any('here' in ''.join(r) for r in marks), (len(n), marks)
    n, l = at(100, 'save middle')
    assert len(n) - 1 == whole, len(n)
    n, l = at(100, 'front Space-time')
    assert len(n) - 1 == whole and l[1][2] == 'front Space-time', l
    part = [('Session', 'session', {}), ('At', 'filter', {'where': 'number == 9'}), ('Do', 'command', {'command': 'front Space-time'})]
    wires = ['Session.commands -> Reader.commands', 'Reader.events -> At.in', 'At.passed -> Do.in', 'Do.orders -> Session.orders']
    run(part, wires, says='(not obeyed: a run without a window cannot do that)')
    part[2] = ('Do', 'command', {'command': 'go @nowhere'})
    run(part, wires, says='(not obeyed: there is no such mark)')
    part[2] = ('Do', 'command', {'command': 'go nowhere'})
    run(part, wires, says='go wants a date in seconds')


def when_it_became_true():
    """The share of an interval is known at the first event after it; what a watch tells is the end of the interval."""
    part = [('Session', 'session', {'list': 'l.csv'}), ('O', 'communication-overhead', {'sampling': 'intervals of time', 'interval': '0.003'}),
            ('F', 'csv-sink', {'file': 'o.csv'}), ('W', 'watch', {'max': '20', 'action': 'mark', 'command': 'busy', 'when': 'each value', 'warning': 'none'})]
    rows, marks, told = run(part, ['Session.commands -> Reader.commands', 'Reader.events -> O.events', 'O.dated -> F.in', 'O.dated -> W.value',
                                   'W.orders -> Session.orders'], files=['o.csv', 'marks.xml', 'l.csv'])
    want = [float(r[0]) for r in rows[1:] if float(r[2]) > 20]
    got = [float(r[1]) for r in told[1:]]
    assert len(want) > 3 and got == want, (got[:5], want[:5])
    dates = sorted(float(d) for d in re.findall(r'date="([\d.]+)"', ' '.join(','.join(r) for r in marks)))
    assert dates == sorted(want), (dates[:5], want[:5])


for check in (odd_numbers, empty_and_constant, refused, unknown_names, ends_above, two_traces, many_owners, always_triggered, commands, when_it_became_true):
    check()
    print(f'{check.__name__}: well')
