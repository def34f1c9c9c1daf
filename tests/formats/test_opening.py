#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How traces of other programs are opened: by what is in them, whatever they are called and packed by; what the person gives up leaves
nothing that is taken for whole; and who lacks a library is told which package has it."""
import datetime
import gzip
import json
import lzma
import os
import random
import re
import shutil
import signal
import subprocess

import extremes_made
import memory
import picl
from formats import ROOT, SCOPE, Format, few, main, samples

SEED = int(os.environ.get('SCOPE_SEED', '1'))
ABSENT = os.environ['ABSENT_READERS']
MOST_TOLD = 4              # variables, in the sentences of a report
CHROME = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 2, 'args': {'name': 'worker'}}] + [{'ph': 'X', 'name': f'f{i % 3}', 'pid': 1, 'tid': 2, 'ts': 10 * i, 'dur': 7} for i in range(40)]
SDDF = '#1: "ev" { double "Seconds"; int "Node"; };;\n' + ''.join(f'"ev" {{ {i}.5, {i % 3} }};;\n' for i in range(20))
SHIVIZ = ''.join(f'h{i % 2} {{"h{i % 2}":{i // 2 + 1}}}\nevent {i}\n' for i in range(20))
ALOG = '\n'.join(['-1 0 0 0 0 0 Me', '-2 0 0 20 0 0', '-3 0 0 2 0 0', '-13 0 1 2 0 0 red f'] + [f'{1 + i % 2} {i // 2 % 2} 0 0 0 {i}' for i in range(20)]) + '\n'
KINDS = {'PajeDefineContainerType 1': 'Alias Type Name', 'PajeDefineStateType 2': 'Alias Type Name', 'PajeCreateContainer 3': 'Time Alias Type Container Name',
         'PajeSetState 4': 'Time Type Container Value'}
PAJE = ''.join(f'%EventDef {kind}\n' + ''.join(f'%  {field} {"date" if field == "Time" else "string"}\n' for field in fields.split()) + '%EndEventDef\n' for kind, fields in KINDS.items())
PAJE += '1 P 0 Process\n2 S P State\n3 0.0 a P 0 a\n3 0.0 b P 0 b\n' + ''.join(f'4 {i}.5 S {"ab"[i % 2]} f{i % 3}\n' for i in range(20))
PARAVER = '#Paraver (21/11/2026 at 10:00):1000000_ns:1(2):1:2(1:1,1:1)\n' + ''.join(f'1:1:1:{1 + i % 2}:1:{i}:{i + 1}:{1 + i % 4}\n' for i in range(20))


def some():
    """Of each format that is one file: its name, and its bytes."""
    happening = [(i, i % 4, ('begin', 'end')[i // 4 % 2]) for i in range(80)]
    texts = {'alog': ALOG, 'chrome': json.dumps(CHROME), 'paje': PAJE, 'paraver': PARAVER, 'picl': picl.new(SEED), 'sddf': SDDF, 'shiviz': SHIVIZ,
             'heaptrack': memory.heaptrack(SEED)[0], 'massif': memory.massif(SEED)[0]}
    yield from ((name, text.encode()) for name, text in texts.items())
    yield 'picl', picl.old(SEED).encode()
    yield 'clog', extremes_made.clog(happening)
    yield 'clog', extremes_made.clog2(happening)
    yield 'slog2', extremes_made.slog2([(i, i + 1, 0) for i in range(50)])
    yield 'memtrace', extremes_made.memtrace([(10**15, [(0, 1, 1)] * 50)])


class Opening(Format):
    def test_by_content(self):
        """Without a name that tells, and with one that lies; plain and packed."""
        dice, n = random.Random(SEED), 0
        for name, data in some():
            wanted = self.info(self.path('first', data))
            self.assertEqual(wanted['format'], name)
            self.assertGreater(wanted['events'], 9)
            for ending in ('', '.' + dice.choice(('txt', 'prv', 'json', 'otf2', 'trace', 'clog2', 'log'))):
                for packed in (data, gzip.compress(data), lzma.compress(data)):
                    got = self.info(self.path(f'some{n}{ending}', packed))
                    n += 1
                    self.assertEqual([got[k] for k in ('format', 'events', 'first', 'last', 'tasks')], [wanted[k] for k in ('format', 'events', 'first', 'last', 'tasks')], (name, ending))

    def test_what_holds_traces(self):
        """An archive of files, and a folder of traces, are none: it is said what to do, and what is named then opens."""
        dice = random.Random(SEED)
        for n in range(few(4) + 1):
            inside = dice.sample([(name, data) for name, data in some() if name not in ('paraver', 'heaptrack', 'massif')], dice.randint(1, 4))
            folder = self.path(f'many{n}')
            os.makedirs(os.path.join(folder, '0 notes'))
            written = {'0.txt': b'words\n', 'a\nb.log': inside[0][1]}
            written.update((f'{dice.randrange(10**6)}.{name}', data) for name, data in inside)
            for name, data in written.items():
                with open(os.path.join(folder, name), 'wb') as f:
                    f.write(data)
            said = self.scope('info', folder, status=1)[1]
            first = os.path.join(folder, min(name for name in written if name[0] not in '0a'))
            self.assertIn(f'{folder} is no trace, but holds some that can be opened: name one of them, as {first}', said, SEED)
            self.assertEqual(self.info(first)['format'], first.rsplit('.', 1)[1])
            for kind, by in (('tar', 'tar -xf'), ('gztar', 'tar -xf'), ('xztar', 'tar -xf'), ('zip', 'unzip')):
                said = self.scope('info', shutil.make_archive(folder, kind, folder), status=1)[1]
                self.assertIn(f'is an archive of files: unpack it ({by}), and open the trace that was in it', said, (kind, SEED))
        one, copy = self.path('one', PAJE), self.path('copy.trace')
        self.scope('export', one, '-o', copy)
        self.assertEqual([self.info(copy)[k] for k in ('format', 'tasks')], [self.info(one)[k] for k in ('format', 'tasks')])

    def test_report_begins_by_the_calendar(self):
        """Where dates are seconds since 1970 the day is told; what never changes is told of behind what does; tasks are counted by type; nothing unknown has a line."""
        head = ''.join(f'%EventDef {kind}\n' + ''.join(f'%  {field} {"date" if field == "Time" else "string"}\n' for field in fields.split()) + '%EndEventDef\n'
                       for kind, fields in {**KINDS, 'PajeDefineVariableType 5': 'Alias Type Name', 'PajeSetVariable 6': 'Time Type Container Value'}.items())
        for n in range(few(4) + 1):
            dice = random.Random(SEED + n)
            start, names = dice.randrange(5 * 10**8 + 1, 4 * 10**9), dice.sample('abcdefghijk', dice.randint(2, 9))
            constant, types = {name: dice.random() < 0.5 for name in names}, {'Rank': dice.randint(1, 4), 'Disk': dice.randint(1, 3)}
            lines = [f'1 {kind} 0 {kind}' for kind in types] + ['2 S Rank State'] + [f'5 {name} Rank var_{name}' for name in names]
            tasks = [(f'{kind}{i}', kind) for kind, many in types.items() for i in range(many)]
            lines += [f'3 {start}.25 {task} {kind} 0 {task}' for task, kind in tasks] + [f'4 {start}.25 S {task} Running' for task, kind in tasks if kind == 'Rank']
            for i in range(1, 9):
                lines += [f'6 {start + i}.5 {name} Rank0 {7 if constant[name] else i}' for name in names]
            path = self.path(f'day{n}.trace', head + '\n'.join(lines) + '\n')
            began = datetime.datetime.fromtimestamp(start, datetime.timezone.utc).strftime('%Y-%m-%d %H:%M:%S UTC')
            said = self.scope('report', path, '-q')[0]
            for text in (said, self.scope('info', path)[0]):
                self.assertRegex(text, rf'\n  began +{began}\n', (SEED, n))
            holds = re.search(r'\n  holds +(\d+) tasks? \((.*)\)\n', said)
            told = dict((kind, int(many)) for kind, many in (one.split(': ') for one in holds[2].split(', ')))
            self.assertEqual((int(holds[1]), told), (len(tasks), types))
            self.assertNotIn('unknown', said.split('What')[0])
            order = sorted(names, key=lambda name: (constant[name], name))
            told = re.findall(r'“var_(.)” of Rank0: (at least 1|7, always)', ' '.join(said.split('What stands out')[1].split('\n\n')[0].split()))
            self.assertEqual(told, [(name, '7, always' if constant[name] else 'at least 1') for name in order[:MOST_TOLD]], (SEED, n))
            self.assertEqual(re.findall(r'There (?:is|are) (\d+) more variable', said), [str(len(names) - MOST_TOLD)] if len(names) > MOST_TOLD else [])
        self.assertNotRegex(self.scope('info', self.path('zero', PAJE))[0], r'\n  began ')

    def test_given_up(self):
        """Ctrl+C while it is read: status 130, no word, and nothing kept that is taken for the trace; then it is read as if nothing had been."""
        events = 3 * 10 ** 5
        while True:
            path = self.path('large.prv', PARAVER + ''.join(f'1:1:1:{1 + i % 2}:1:{i}:{i + 1}:{1 + i % 4}\n' for i in range(20, events)))
            child = subprocess.Popen([SCOPE, 'info', path, '--progress'], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            child.stderr.readline()
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=120)
            kept = os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'converted')
            left = [name for at, _, names in os.walk(kept) for name in names]
            if child.returncode != 0 and not left:
                break
            # it was ready before, and what is kept is whole
            self.assertEqual(sum(k['begun'] for k in self.info(path)['kinds'] if k['name'] == 'State'), events, said)
            events *= 2
            self.assertLess(events, 10 ** 7, (said, left))
            shutil.rmtree(self.env['XDG_CACHE_HOME'])
        self.assertEqual(child.returncode, 130, said)
        self.assertRegex(said, r'\A([^\n]* \d+ %\n)*\Z')
        again = self.path('again.prv')
        shutil.copy(path, again)
        self.assertEqual(self.info(path)['kinds'], self.info(again)['kinds'])
        self.assertEqual(sum(k['begun'] for k in self.info(path)['kinds'] if k['name'] == 'State'), events)

    def test_what_tasks_are_is_told(self):
        """Threads that are in slices are tasks; what is under way beside them, calls beside states, and machines are told apart, in text as in numbers."""
        dice = random.Random(SEED)
        threads, lanes, idle = dice.randrange(1, 5), dice.randrange(1, 6), dice.randrange(1, 4)
        events = [{'ph': 'X', 'name': 'f', 'pid': 1, 'tid': 10 + i, 'ts': i, 'dur': 100} for i in range(threads)]
        events += [{'ph': ph, 'cat': 'net', 'name': 'request', 'pid': 1, 'id': i, 'ts': ts} for i in range(lanes) for ph, ts in (('b', 5), ('e', 90))]
        events += [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 100 + i, 'args': {'name': f'idle {i}'}} for i in range(idle)]
        events += [{'ph': 'C', 'name': 'memory', 'pid': 1, 'ts': 20, 'args': {'value': 5}}]
        path = self.path('x.json', json.dumps(events))
        info = self.info(path)
        self.assertEqual([info['holds'][k] for k in ('tasks', 'besides', 'around')], [threads, lanes, idle + 1])
        text = re.search(r'^  holds +(.*)$', self.scope('info', path)[0], re.M).group(1)
        self.assertEqual(text.split('; ')[:3], [f'{threads} task{"s" * (threads > 1)} (Thread: {threads})',
                                                f'{lanes} that tell{"s" * (lanes == 1)} more of them (Async: {lanes})',
                                                f'{idle + 1} more without states or messages (Process: 1, Thread: {idle})'])
        inside = {t['id']: (t['type'], t['inside']) for t in info['tasks']}
        self.assertEqual(inside['thread 10'], ('Thread', 'process 1'))
        self.assertEqual(inside['request'], ('Async', 'process 1'))

    def test_the_package_is_named(self):
        """As it is built where a library is missing: the trace is known for what it is, and refused with what is to be installed."""
        for name, package, path in (('otf2', 'libotf2-trace-dev', os.path.join(ROOT, 'traces', 'mpi-waits.otf2')),
                                    ('ctf', 'libbabeltrace2-dev', samples('ctf/babeltrace/succeed/2packets'))):
            if not os.path.isdir(path):
                continue
            env = dict(self.env, SCOPE_PLUGIN_PATH=ABSENT)
            done = subprocess.run([SCOPE, 'info', path], env=env, capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout), (1, ''))
            self.assertIn(f'install the package {package}', done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        out = self.path('out.otf2')
        done = subprocess.run([SCOPE, 'export', os.path.join(ROOT, 'traces', 'simgrid', 'waits.trace'), '-o', out], env=dict(self.env, SCOPE_PLUGIN_PATH=ABSENT),
                              capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, os.path.exists(out)), (1, False), done.stderr)
        self.assertIn('install the package libotf2-trace-dev', done.stderr)


main()
