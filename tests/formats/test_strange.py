#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files in forms that tools write and that no sample has: small ones, of which all that must be seen is known beforehand."""
import csv
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, main                                                                   # noqa: E402

THINGS = (
    'ranks 2; thread 2 0; team 5 0 2; file 0 /data/input.txt; file 1 /data/output.bin; handle 0 0; handle 1 1; handle 2 1; '
    'handle 3 stderr; 0 0 enter main; 1 0 enter main; 0 100 open 0; 0 200 io 0 0 1000 1; 0 700 ioc 0 900 1; 0 800 seek 0 0; 0'
    ' 900 io 0 0 500 2; 0 950 io 0 0 400 3; 0 1200 ioc 0 500 2; 0 1300 ioc 0 400 3; 0 1400 close 0; 1 100 open 1; 1 150 open '
    '2; 1 200 io 1 1 4096 9; 1 1200 ioc 1 4096 9; 1 1300 io 2 2 0 1; 1 1350 ioc 2 0 1; 1 1400 io 1 3 10 4; 1 1500 iostop 3 4;'
    ' 1 1600 io 1 1 77 5; 0 2000 wincreate; 1 2001 wincreate; 0 2100 put 1 1; 0 2150 get 1 2 64; 0 2200 putc 1; 0 2300 putc '
    '2; 1 2100 atomic 0 1 4 4; 1 2150 putc 1; 0 2400 lock 1 3; 0 2450 locked 1 3; 0 2500 unlock 1 3; 0 2600 winfree; 1 2600 '
    'winfree; 0 3000 fork 2; 0 3010 tbegin 5; 2 3012 tbegin 5; 0 3020 enter !$omp-parallel; 2 3022 enter !$omp-parallel; 0 '
    '3030 task 5 0 1; 0 3040 task 5 0 2; 2 3050 tswitch 5 0 1; 2 3100 tdone 5 0 1; 0 3110 acquire 7 1; 0 3150 release 7 1; 0 '
    '3200 leave !$omp-parallel; 2 3210 leave !$omp-parallel; 2 3220 tend 5; 0 3230 tend 5; 0 3240 join; 0 4000 leave main; 1 '
    '4000 leave main')

# Kinds of lines in no order, with numbers, names and orders of fields of their own, as some tools have them.
PAJE = (
    ('SetState', 50, 'Value:string Time:date Container:string Type:string'),
    ('DefineContainerType', 1, 'Alias:string ContainerType:string Name:string'),
    ('DefineStateType', 2, 'Alias:string ContainerType:string Name:string'),
    ('DefineVariableType', 3, 'Name:string Type:string Alias:string'),
    ('DefineLinkType', 4, 'Alias:string Name:string ContainerType:string SourceContainerType:string DestContainerType:string'),
    ('DefineEntityValue', 5, 'Alias:string EntityType:string Name:string Color:color'),
    ('CreateContainer', 6, 'Time:date Alias:string Type:string Container:string Name:string'),
    ('DestroyContainer', 7, 'Time:date Type:string Container:string'),
    ('PushState', 8, 'Time:date Type:string Container:string Value:string Mark:int'),
    ('PushState', 108, 'Time:date Type:string Container:string Value:string'),
    ('PopState', 9, 'Time:date Type:string Container:string'),
    ('ResetState', 10, 'Time:date Type:string Container:string'),
    ('SetVariable', 11, 'Time:date Type:string Container:string Value:double'),
    ('AddVariable', 12, 'Time:date Type:string Container:string Value:double'),
    ('SubVariable', 13, 'Time:date Type:string Container:string Value:double'),
    ('StartLink', 14, 'Time:date Type:string Container:string SourceContainer:string Value:string Key:string Size:int'),
    ('EndLink', 15, 'Time:date Type:string Container:string DestContainer:string Value:string Key:string'),
    ('NewEvent', 16, 'Time:date Type:string Container:string Value:string'),
    ('DefineEventType', 17, 'Name:string Type:string Alias:string'),
)
PAJE_HEAD = ''.join('%%%sEventDef\tPaje%s  %d\n' % (' ' * (n % 2), name, n) + ''.join('%%\t%s %s\n' % tuple(f.split(':')) for f in fields.split())
                    + '%EndEventDef\n' for name, n, fields in PAJE)
PAJE_BODY = '''# a comment
1 M 0 Machine
1 P M "Process of it"
1 T P Thread
2 S T "Thread state"
2 S2 T 'Other state'
2 S T "Thread state"
3 "Used memory" P V
3 Load M L
4 K "a link" M P T
17 "Mark it" T E
5 r S "Running now" "0.1 0.9 0.1"
5 b S Blocked "1 0 0"
5 m K Message "1 1 1"
6 0.0 m1 M 0 "node one"
6 0.0 m2 M 0 "node two"
6 0.5 p1 P m1 "rank 0"
6 0.5 p2 P m2 "rank 0"
6 0.5 t1 T p1 T0
6 0.5 t2 T p2 T0
50 r 1.0 t1 S
50 "Running now" 1.0 t2 "Thread state"
8 2.0 S t1 b 7
8 2.5 S t1 "unknown value" 8
14 2.6 K m1 p1 m k1 100
15 3.6 K m1 t2 m k1
14 2.7 K m1 p1 m k1 200
15 3.7 K m1 t2 m k1
11 1.0 V p1 10
12 2.0 V p1 5
13 3.0 V p1 2.5
12 1.0 L m1 4
108 2.2 S2 t1 inner
16 2.9 E t1 "hello there"
9 4.0 S t1
10 4.5 S t1
7 5.0 T t1
6 6.0 t1 T p1 T0
50 b 6.5 t1 S
7 7 T T0
9 8 S t2
9 8.5 S t2
7 9 P p2
'''
PAJE_TYPES = '1 M 0 Machine\n1 P M Process\n2 S P State\n5 r S Run\n5 b S Blk\n6 0 m M 0 mach\n6 1 p P m proc\n6 1 q P m proq\n'


class Strange(Format):
    def nodes(self, path, at, *more):
        state = json.loads(self.scope('state', path, '--at', str(at), '--json', *more)[0])
        return {n['id']: n for n in state['nodes']}, {e['id']: e for e in state['edges']}

    def states(self, path, at, *more):
        return {name: n['State'] for name, n in self.nodes(path, at, *more)[0].items()}

    def tasks(self, path):
        return [t['id'] for t in self.info(path)['tasks']]

    # ---- Chrome ------------------------------------------------------------------------------------------------------

    def test_chrome_rows(self):
        """Threads stand below their process, whenever they begin; where the file says where, which may be at its end, there.
        Clocks that are corrected leave them so."""
        def x(pid, tid, ts, name):
            return {'ph': 'X', 'pid': pid, 'tid': tid, 'ts': ts, 'dur': 50, 'name': name}

        def flow(ph, key, pid, tid, ts):
            return {'ph': ph, 'id': key, 'cat': 'f', 'name': 'f', 'pid': pid, 'tid': tid, 'ts': ts}
        events = [x(2, 1, 0, 'a'), x(1, 1, 5, 'b'), x(2, 3, 10, 'c'), x(1, 2, 20, 'd'),
                  flow('s', 1, 2, 1, 8), flow('f', 1, 1, 2, 30), flow('s', 2, 1, 1, 9), flow('f', 2, 2, 3, 31),
                  {'ph': 'b', 'cat': 'n', 'id': 1, 'pid': 2, 'ts': 1, 'name': 'lane'}, {'ph': 'e', 'cat': 'n', 'id': 1, 'pid': 2, 'ts': 3, 'name': 'lane'}]
        plain = self.path('plain.json', json.dumps(events))
        self.assertEqual(self.tasks(plain), ['process 2', 'thread 1', 'thread 3', 'lane', 'process 1', 'thread 1 of process 1', 'thread 2'])
        sorted_ = self.path('sorted.json', json.dumps(events + [
            {'ph': 'M', 'pid': 2, 'name': 'process_sort_index', 'args': {'sort_index': 5000000}},
            {'ph': 'M', 'pid': 1, 'tid': 1, 'name': 'thread_sort_index', 'args': {'sort_index': '7'}},
            {'ph': 'M', 'pid': 2, 'tid': 3, 'name': 'thread_sort_index', 'args': {'sort_index': -1}}]))
        rows = ['process 1', 'thread 2', 'thread 1 of process 1', 'process 2', 'thread 3', 'thread 1', 'lane']
        counts = {'process 1': 0, 'thread 2': 3, 'thread 1 of process 1': 3, 'process 2': 0, 'thread 3': 3, 'thread 1': 3, 'lane': 2}
        for _ in range(2):          # read, and from the cache
            self.assertEqual(self.tasks(sorted_), rows)
            self.assertEqual({t['id']: t['events'] for t in self.info(sorted_)['tasks']}, counts)
        for more in ((), ('--clocks', 'logical'), ('--clocks', 'linear')):
            nodes, edges = self.nodes(sorted_, 0.000035, *more)
            self.assertEqual({name: n['State'] for name, n in nodes.items() if n['Type'] == 'Thread'},
                             {'thread 1': 'a', 'thread 1 of process 1': 'b', 'thread 3': 'c', 'thread 2': 'd'}, more)
            self.assertEqual({name: n['Inside'] for name, n in nodes.items() if n['Type'] != 'Process'},
                             {'thread 1': 'process 2', 'thread 1 of process 1': 'process 1', 'thread 3': 'process 2', 'thread 2': 'process 1',
                              'lane': 'process 2'})
            self.assertEqual({name: int(e['Messages']) for name, e in edges.items()},
                             {'thread 1->thread 2': 1, 'thread 1 of process 1->thread 3': 1}, more)
        again = self.path('again.otf2')
        self.scope('export', sorted_, '-o', again)
        self.assertEqual(self.states(again, 0.000035)['thread 3'], 'c')
        self.scope('draw', sorted_, '--view', 'Space-time', '--csv', '-o', self.path('rows.csv'))
        with open(self.path('rows.csv')) as f:
            drawn = [line.split(',')[0].strip('"') for line in f]
        self.assertEqual(list(dict.fromkeys(d for d in drawn if d in rows)), [r for r in rows if r in drawn])

    def test_chrome_words(self):
        """Dates and numbers in quotes, names behind the events, series of counters, what is nested and asynchronous."""
        a = {'pid': 'A', 'tid': 'main'}
        w = {'pid': 'A', 'tid': 'w'}
        n = {'pid': 'A', 'cat': 'n', 'id': '0x1'}
        path = self.path('words.json', json.dumps({'displayTimeUnit': 'ns', 'systemTraceEvents': '# tracer: nop\n', 'traceEvents': [
            dict(a, ph='B', ts='1.5', name='outer'), dict(a, ph='B', ts='2', name='inner'), dict(a, ph='E', ts='3'), dict(a, ph='E', ts='10'),
            dict(a, ph='s', id=7, ts=2.5, name='flow', cat='f'), dict(w, ph='f', bp='e', id=7, ts=4.5, name='flow', cat='f'),
            dict(w, ph='X', ts=4, dur='2', name='work'),
            dict(n, ph='b', tid='main', ts=1, name='req'), dict(n, ph='b', tid='main', ts=2, name='dns'), dict(n, ph='e', tid='main', ts=3, name='dns'),
            dict(n, ph='e', tid='w', ts=6, name='req'),
            dict(a, ph='C', ts=1, name='c', args={'u': 1, 'v': -2.5, 'w': '3'}), dict(a, ph='C', ts=5, name='c', args={'u': None, 'v': 7}),
            {'ph': 'M', 'pid': 'A', 'tid': 'w', 'name': 'thread_name', 'args': {'name': 'Worker'}}]})[:-2] + ',')
        nodes, edges = self.nodes(path, 0.0000055)
        self.assertEqual({k: (v['State'], int(v['Depth'])) for k, v in nodes.items()},
                         {'A': ('No state', 0), 'Worker w': ('work', 1), 'main': ('outer', 1), 'req': ('req', 1)})
        self.assertEqual([float(nodes['A'][k]) for k in ('c.u', 'c.v', 'c.w')], [1, 7, 3])
        self.assertEqual(int(edges['main->Worker w']['Messages']), 1)
        nodes, _ = self.nodes(path, 0.0000025)
        self.assertEqual((nodes['main']['State'], nodes['req']['State'], float(nodes['A']['c.v'])), ('inner', 'dns', -2.5))

    def test_chrome_of_pytorch(self):
        """As its profiler names processes, streams and what is of neither."""
        gpu, cpu = {'pid': 0, 'tid': 7}, {'pid': 100, 'tid': 100}
        path = self.path('torch.json', json.dumps({'schemaVersion': 1, 'deviceProperties': [{'id': 0, 'name': 'A100'}], 'traceEvents': [
            dict(cpu, ph='X', cat='cpu_op', name='aten::mm', ts=1000.5, dur=50, args={'External id': 7, 'Ev Idx': 0}),
            dict(cpu, ph='X', cat='cuda_runtime', name='cudaLaunchKernel', ts=1010, dur=5, args={'correlation': 42}),
            dict(cpu, ph='s', id=42, ts=1010, cat='ac2g', name='ac2g'),
            dict(gpu, ph='X', cat='kernel', name='void gemm<float>', ts=1030.25, dur=100, args={'stream': 7}),
            dict(gpu, ph='f', id=42, ts=1030.25, cat='ac2g', name='ac2g', bp='e'),
            {'ph': 'X', 'cat': 'Trace', 'ts': 900, 'dur': 500, 'pid': 'Spans', 'tid': 'PyTorch Profiler', 'name': 'PyTorch Profiler (0)'},
            {'ph': 'i', 's': 'g', 'pid': '', 'tid': '', 'ts': 1400, 'name': 'Record Window End'},
            *({'name': name, 'ph': 'M', 'ts': 900, 'pid': pid, 'tid': tid, 'args': {arg: value}} for name, pid, tid, arg, value in (
                ('process_name', 100, 0, 'name', 'python'), ('process_labels', 100, 0, 'labels', 'CPU'), ('process_sort_index', 100, 0, 'sort_index', 100),
                ('process_name', 0, 0, 'name', 'python'), ('process_labels', 0, 0, 'labels', 'GPU 0'), ('process_sort_index', 0, 0, 'sort_index', 5000000),
                ('thread_name', 0, 7, 'name', 'stream 7 '), ('thread_sort_index', 0, 7, 'sort_index', 7), ('thread_name', 100, 100, 'name', 'thread 100 (python)'),
                ('process_sort_index', 'Spans', 0, 'sort_index', 536870912)))]}))
        self.assertEqual(self.tasks(path), ['process ?', 'python 100 (CPU)', 'thread 100 (python)', 'python 0 (GPU 0)', 'stream 7', 'Spans', 'PyTorch Profiler'])
        nodes, edges = self.nodes(path, 0.0010305)
        self.assertEqual({name: nodes[name]['State'] for name in ('thread 100 (python)', 'stream 7', 'PyTorch Profiler')},
                         {'thread 100 (python)': 'aten::mm', 'stream 7': 'void gemm<float>', 'PyTorch Profiler': 'PyTorch Profiler (0)'})
        self.assertEqual(int(edges['thread 100 (python)->stream 7']['Messages']), 1)

    # ---- Pajé --------------------------------------------------------------------------------------------------------

    def test_paje_words(self):
        """Old names of fields, kinds of lines in any order, names in quotes of both sorts, types that are defined again, two
        containers of one name, values that nobody defined, links between containers that are not side by side, a key that is
        used again, states of two types in one container, which is destroyed and created again."""
        path = self.path('words.trace', PAJE_HEAD + PAJE_BODY)
        self.assertEqual(self.tasks(path), ['node one', 'rank 0', 'T0', 'T0 · Other state', 'node two', 'rank 0 (p2)', 'T0 (t2)'])
        for at, one, depth, other, two, memory in (
                (0.7, 'No state', 0, None, 'No state', ''), (1.5, 'Running now', 0, None, 'Running now', 10), (2.1, 'Blocked', 1, None, 'Running now', 15),
                (2.55, 'unknown value', 2, 'inner', 'Running now', 15), (4.2, 'Blocked', 1, 'inner', 'Running now', 12.5),
                (4.7, 'No state', 0, 'inner', 'Running now', 12.5), (5.5, 'Dead', 0, 'No state', 'Running now', 12.5),
                (6.2, 'No state', 0, 'No state', 'Running now', 12.5), (6.7, 'Blocked', 0, 'No state', 'Running now', 12.5),
                (8.2, 'Dead', 0, 'No state', 'No state', 12.5)):
            nodes, edges = self.nodes(path, at)
            self.assertEqual((nodes['T0']['State'], int(nodes['T0']['Depth']), nodes['T0 (t2)']['State']), (one, depth, two), at)
            if other:
                self.assertEqual(nodes['T0 · Other state']['State'], other, at)
            self.assertEqual(nodes['rank 0'].get('Used memory', ''), '' if memory == '' else f'{memory:g}', at)
        self.assertEqual(float(nodes['node one']['Load']), 4)
        link = edges['rank 0->T0 (t2)']
        self.assertEqual([int(link[k]) for k in ('Messages', 'TotalTraffic', 'Traffic')], [2, 300, 0])
        note = [json.loads(line) for line in self.scope('events', path, '--json', '--kind', 'NewEvent')[0].splitlines()]
        self.assertEqual([(n['task'], n['value']) for n in note], [('T0', 'hello there')])

    def test_paje_created_before_its_end_is_told(self):
        """Lines need not be in order of date: a container is created again, and its end before that is told afterwards.  What
        is created twice is told where no end comes."""
        path = self.path('again.trace', PAJE_HEAD + PAJE_TYPES + '\n'.join((
            '50 r 1 p S', '50 r 1 q S', '6 6 p P m proc', '6 3 q P m proq', '50 b 7 p S', '50 b 6 p S', '7 5 P p', '7 8 P q', '7 9 M m', '6 8 p P m proc')) + '\n')
        first = len((PAJE_HEAD + PAJE_TYPES).splitlines())
        self.assertEqual([self.states(path, at)['proc'] for at in (3, 5.5, 6, 6.5, 7.5, 9)], ['Run', 'Dead', 'Blk', 'Blk', 'Blk', 'Blk'])
        self.assertEqual([self.states(path, at)['proq'] for at in (3.5, 7, 8)], ['Run', 'Run', 'Dead'])
        told = self.scope('check', path, status=(0, 1))[0]
        for line, name in ((first + 4, 'q'), (first + 10, 'p')):
            self.assertIn(f'line {line}, column 1: the container “{name}” is created twice', told)
        self.assertIn('2 damaged', told)

    # ---- OTF2 --------------------------------------------------------------------------------------------------------

    @unittest.skipUnless(os.environ.get('OTF2_SCRIPT'), 'libotf2 is not here')
    def test_otf2_things(self):
        """Files, windows of memory, locks of them, teams of threads and their tasks: what was done to each, how often, how
        much, how long, and what is open."""
        path = self.path('things.otf2')
        subprocess.run([os.environ['OTF2_SCRIPT'], path], input='\n'.join(THINGS.split('; ')), text=True, check=True)
        self.assertEqual(self.info(path)['damaged'], 0)
        self.scope('run', path, '--program', 'under-way', '--out', self.path('out'))
        with open(os.path.join(self.path('out'), 'objects.csv'), newline='') as f:
            rows = {(r['object'], r['what']): [int(r['times']), int(r['open']), int(r['volume [B]']), round(float(r['time [s]']) * 1e9)]
                    for r in csv.DictReader(f)}
        self.assertEqual(rows, {
            ('/data/input.txt', 'IoCreateHandle'): [1, 0, 0, 0], ('/data/input.txt', 'IoRead'): [3, 0, 1800, 1150],
            ('/data/input.txt', 'IoSeek'): [1, 0, 0, 0], ('/data/input.txt', 'IoDestroyHandle'): [1, 0, 0, 0],
            ('/data/output.bin', 'IoCreateHandle'): [1, 0, 0, 0], ('/data/output.bin', 'IoWrite'): [2, 1, 4096, 1000],
            ('/data/output.bin (2)', 'IoCreateHandle'): [1, 0, 0, 0], ('/data/output.bin (2)', 'IoFlush'): [1, 0, 0, 50],
            ('stderr', 'IoWrite'): [1, 0, 0, 100],
            ('window', 'RmaWinCreate'): [2, 0, 0, 0], ('window', 'RmaWinDestroy'): [2, 0, 0, 0], ('window', 'RmaPut'): [1, 0, 8, 100],
            ('window', 'RmaGet'): [1, 0, 64, 150], ('window', 'RmaAtomic'): [1, 0, 4, 50], ('window', 'RmaRequestLock'): [1, 0, 0, 0],
            ('window', 'RmaAcquireLock'): [1, 0, 0, 0], ('window', 'RmaReleaseLock'): [1, 0, 0, 0],
            ('group 5', 'ThreadTeamBegin'): [2, 0, 0, 0], ('group 5', 'ThreadTeamEnd'): [2, 0, 0, 0],
            ('group 5', 'ThreadTaskCreate'): [2, 0, 0, 0], ('group 5', 'ThreadTaskSwitch'): [1, 0, 0, 0],
            ('group 5', 'ThreadTaskComplete'): [1, 0, 0, 0]})
        with open(os.path.join(self.path('out'), 'left.csv'), newline='') as f:
            self.assertEqual([(r['what'], r['of'], int(r['volume [B]'])) for r in csv.DictReader(f)], [('IoWrite', '/data/output.bin', 77)])
        self.assertEqual(self.states(path, 0.0000031), {'rank 0 · thread 0': '!$omp parallel', 'rank 0 · thread 2': '!$omp parallel', 'rank 1': 'main'})


if __name__ == '__main__':
    main()
