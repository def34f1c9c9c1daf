#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small files as programs of others write them, by the code of their writers: what is in each is known beforehand, and it opens, is
reported and runs."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, main                                                                   # noqa: E402


def x(ts, dur, name, pid, tid, **more):
    return {'ph': 'X', 'ts': ts, 'dur': dur, 'name': name, 'pid': pid, 'tid': tid, **more}


def meta(what, name, pid, tid=0):
    return {'ph': 'M', 'ts': 0, 'name': what, 'pid': pid, 'tid': tid, 'args': {'name': name}}


# What rocprof writes: an empty event first, numbers as text, indexes beside the arguments, flows that a step ends.
ROCPROF = '''{ "traceEvents":[{}
,{"args":{"name":"0 CPU HIP API"},"ph":"M","pid":2,"name":"process_name","sort_index":0}
,{"args":{"name":"1 GPU0"},"ph":"M","pid":6,"name":"process_name","sort_index":1}
,{"ts":"2000.250","dur":12.5,"ph":"X","pid":2,"tid":4711,"name":"hipLaunchKernel","args":{"BeginNs":"2000250","pid":"4700","args":"( function_address(0x2) )"}}
,{"ts":2010,"ph":"s","cat":"DataFlow","id":0,"pid":2,"tid":4711,"name":"dep"}
,{"ts":2050,"ph":"t","cat":"DataFlow","id":0,"pid":6,"tid":1,"name":"dep"}
,{"ts":"2050","dur":"100","ph":"X","pid":"6","tid":"1","name":"kernel(float*) [clone .kd]","args":{"dev-id":"0","queue-id":"1"}}
],"otherData":{"deviceId":0}
}
'''
# What the tool of Go's traces writes.
GO = {'stackFrames': {'1': {'name': 'main.main:12'}, '2': {'name': 'runtime.goexit:1', 'parent': 1}}, 'traceEvents': [
    meta('process_name', 'PROCS', 1), meta('thread_name', 'Proc 0', 1, 0), meta('thread_name', 'Proc 1', 1, 1), meta('process_name', 'STATS', 0),
    {'name': 'Goroutines', 'ph': 'C', 'ts': 0.5, 'pid': 0, 'tid': 0, 'id': 2, 'args': {'GCWaiting': 0, 'Runnable': 1, 'Running': 2}},
    x(1.5, 10.25, 'G1 main.main', 1, 0, id=1, sf=1, esf=2), {'name': 'go', 'ph': 's', 'ts': 5, 'pid': 1, 'tid': 0, 'id': 3, 'sf': 1},
    {'name': 'go', 'ph': 't', 'ts': 6, 'pid': 1, 'tid': 1, 'id': 3}, x(6, 4, 'G7 main.worker', 1, 1, id=7, sf=1),
    {'name': 'unblock', 'ph': 's', 'ts': 7, 'pid': 1, 'tid': 1, 'id': 4}, {'name': 'unblock', 'ph': 't', 'ts': 12, 'pid': 1, 'tid': 0, 'id': 4},
    x(12, 3, 'G1 main.main', 1, 0, id=1), {'name': 'proc start', 'ph': 'i', 'ts': 1, 'pid': 1, 'tid': 0, 's': 't', 'args': {'thread': 11}}], 'displayTimeUnit': 'ns'}
# Bazel's profile: dates before its beginning, counters as text.
BAZEL = {'otherData': {'build_id': 'x', 'profile_start_ts': 1795000000000}, 'traceEvents': [
    meta('thread_name', 'Critical Path', 1, 0), meta('thread_name', 'Main Thread', 1, 17), meta('thread_name', 'skyframe-evaluator-1', 1, 30),
    x(-1102000, 1102000, 'Launch Blaze', 1, 17, cat='build phase marker'), {'cat': 'build phase marker', 'name': 'Initialize command', 'ph': 'i', 'ts': 0, 'pid': 1, 'tid': 17},
    x(1000, 50000, 'Compiling a.cc', 1, 30, cat='action processing', out='a.o', args={'target': '//:a', 'mnemonic': 'CppCompile'}),
    x(1000, 50000, "action 'Compiling a.cc'", 1, 0, cat='critical path component', args={'tid': 30}),
    {'name': 'CPU usage (Bazel)', 'ph': 'C', 'ts': 0, 'pid': 1, 'tid': 17, 'args': {'cpu': '0.5'}}, {'name': 'CPU usage (Bazel)', 'ph': 'C', 'ts': 40000, 'pid': 1, 'tid': 17, 'args': {'cpu': '1.75'}}]}
# What is made of exports of Nsight Systems: names where numbers are elsewhere.
NSIGHT = [x(100.5, 20.25, 'ampere_sgemm', 'Device 0', 'Stream 7', cat='cuda', args={}), x(90, 60, 'step', 'Device 0', 'NVTX Thread 4711', cat='nvtx', cname='thread_state_running', args={}),
          x(121, 5.125, 'memcpy', 'Device 0', 'Stream 13', cat='cuda', args={'bytes': 4096})]

# Pajé as it was first written: other names of fields, and a kind of line that tells the limits of the trace.
FIELDS = {'1 PajeDefineContainerType': 'NewType ContainerType NewName', '3 PajeDefineStateType': 'NewType ContainerType NewName',
          '5 PajeDefineLinkType': 'NewType ContainerType SourceContainerType DestContainerType NewName', '6 PajeDefineEntityValue': 'NewValue EntityType NewName',
          '7 PajeCreateContainer': 'Time NewContainer NewContainerType Container NewName', '8 PajeDestroyContainer': 'Time Name Type',
          '10 PajeSetState': 'Time EntityType Container Value', '111 PajePushState': 'Time EntityType Container Value FileName LineNumber',
          '12 PajePopState': 'Time EntityType Container', '16 PajeStartLink': 'Time EntityType Container Value SourceContainer Key',
          '17 PajeEndLink': 'Time EntityType Container Value DestContainer Key', '0 SetLimits': 'StartTime EndTime'}
FIRST_PAJE = ''.join('%EventDef\t{1}\t{0}\n'.format(*kind.split()) + ''.join(f'%\t{f}\t{"date" if "Time" in f else "int" if f == "LineNumber" else "string"}\n' for f in fields.split())
                     + '%EndEventDef\n' for kind, fields in FIELDS.items()) + '''0	0.0	5.0
1	Sim_t	0	Simulation_t
1	H_t	Sim_t	m_host_t
1	P_t	H_t	m_process_t
3	S_t	P_t	"Process State"
6	E	S_t	Executing
6	B	S_t	Blocked
6	C	S_t	Communicating
5	Comm	Sim_t	P_t	P_t	Communication_t
6	COMM_0	Comm	"Channel 0"
7	0.0	CUR	Sim_t	0	"MSG simulation"
7	0.0	0x80a	H_t	CUR	"Jacquelin"
7	0.0	0x80b	H_t	CUR	"Boivin"
7	0.0	0x81a	P_t	0x80a	"master 1"
7	0.0	0x81b	P_t	0x80b	"slave 2"
10	0.0	S_t	0x81a	E
10	0.0	S_t	0x81b	B
111	1.5	S_t	0x81a	C	"master.c"	42
16	1.5	Comm	CUR	COMM_0	0x81a	0x900
17	2.5	Comm	CUR	COMM_0	0x81b	0x900
12	2.5	S_t	0x81a
10	2.5	S_t	0x81b	E
8	4.0	0x81a	P_t
8	5.0	0x81b	P_t
'''



def head_of(kinds, end='\n', between=''):
    """The head of a Pajé file: {kind: fields}, each line with this end, and this between definitions."""
    return ''.join(f'%EventDef {kind}{end}' + ''.join(f'% {field} {"date" if field == "Time" else "double" if field == "Number" else "color" if field == "Color" else "string"}{end}'
                                                      for field in fields.split()) + f'%EndEventDef{end}{between}' for kind, fields in kinds.items()).replace(' Number ', ' Value ')


# A simulator of batch systems: types before aliases, a state a job that is defined when it begins, kills that are noted twice, numbers of the scheduler.
JOBS = head_of({'PajeDefineContainerType 1': 'Type Alias Name', 'PajeCreateContainer 2': 'Time Type Alias Name Container', 'PajeDestroyContainer 3': 'Time Name Type', 'PajeDefineStateType 4': 'Alias Type Name',
                'PajeDefineEntityValue 5': 'Alias Type Name Color', 'PajeSetState 6': 'Time Type Container Value', 'PajeDefineEventType 7': 'Type Alias Name', 'PajeNewEvent 8': 'Time Type Container Value',
                'PajeDefineVariableType 9': 'Type Alias Name Color', 'PajeSetVariable 10': 'Time Type Container Number'}, ' \n', '\n') + '''# Container types creation
1 0 root_ct "Machines"
1 root_ct machine_ct "Machine"
1 0 sched_ct "Scheduler"
1 sched_ct killer_ct "Killer"

7 killer_ct kk "Job kill"
7 machine_ct km "Job kill"

9 sched_ct vutilization "Utilization" "0.0 0.5 0.0"

2 0.000000 root_ct root "Machines" 0
2 0.000000 machine_ct m0 "Jupiter" root
2 0.000000 machine_ct m1 "Fafard" root
2 0.000000 sched_ct scheduler "Scheduler" 0
2 0.000000 killer_ct killer "Killer" scheduler

4 ms machine_ct "Machine state"

5 w ms "Waiting" "0.0 0.0 0.0"
5 l ms "Launching" "0.3 0.3 0.3"

# Begin of events
6 0.000000 ms m0 w
6 0.000000 ms m1 w
5 j1!2 ms "1!2" "1.000000 0.200000 0.4"
6 10.500000 ms m0 j1!2
6 10.500000 ms m1 j1!2
10 10.500000 vutilization scheduler 1.000000
8 15.000000 kk killer "1!2"
8 15.000000 km m1 "1!2"
6 15.000000 ms m1 w
10 15.000000 vutilization scheduler 0.500000
6 20.000000 ms m0 w

# End of events, containers destruction
3 25.000000 m0 machine_ct
3 25.000000 m1 machine_ct
3 25.000000 root root_ct
'''
# Timers of a library: an empty line first, blanks behind all, tabs, a field more for each begin, and all of one thread before the next one.
TIMERS = '\n' + head_of({'PajeDefineContainerType 0': 'Alias Type Name', 'PajeDefineStateType 2': 'Alias Type Name', 'PajeDefineEntityValue 5': 'Alias Type Name Color',
                         'PajeCreateContainer 6': 'Time Alias Type Container Name', 'PajePushState 12': 'Time Type Container Value Id', 'PajePopState 13': 'Time Type Container'}, ' \n') + '''

0\tmain\t0\t"Task Manager"
0\tthds\tmain\t"Thread"
2\tthdstate \tthds\t"Task"
6\t0\ta9\tmain\t0\t"Paje"
6 0 th0 thds a9 "Thread 0"
6 0 th1 thds a9 "Thread 1"
5 timer0 thdstate "assemble"  "1 0 0"
5 timer1 thdstate "solve"  "0.25 0.5 1e-05"
12 0.001 thdstate th0 timer0 idx \n12 0.0025 thdstate th0 timer1 idx \n13 0.004 thdstate th0 \n13 1.25e-02 thdstate th0 
12 5e-05 thdstate th1 timer1 idx \n13 0.0031 thdstate th1 \n'''
# Of a system under design: aliases of one letter, states told begin and end, and notes whose value their writer leaves out.
DESIGN = head_of({'PajeDefineContainerType 100': 'Alias ContainerType Name', 'PajeDefineStateType 101': 'Alias ContainerType Name', 'PajeDefineEventType 102': 'Alias ContainerType Name Color',
                  'PajeCreateContainer 103': 'Time Alias Type Container Name', 'PajeDefineEntityValue 1': 'Alias Type Name Color', 'PajeNewEvent 2': 'Time Type Container Value',
                  'PajePushState 3': 'Time Type Container Value', 'PajePopState 4': 'Time Type Container'}) + '''100 a 0 "Resource"
101 b a "Resource state"
103 0 A a 0 "CPU"
103 0 B a 0 "Bus"
1 C b "decode" "0.8 0.1 0"
102 D a "irq" "0 0.1 1"
3 0.000000010 b A C
4 0.000000030 b A
3 0.000000020 b B C
4 0.000000050 b B
2 0.000000025 D A
'''

# A meter of power: real numbers everywhere, and a colon before the threads.
POWER = '''#Paraver (27/11/2026 at 12:31):2000000000.000000_ns:1(1):1:1:(1:1)
2:0:1:1:1:0.000000:500000009:41.500000
2:0:1:1:1:666666666.666667:500000009:43.250000
2:0:1:1:1:2000000000.000000:500000009:40.125000
'''
# A batch system: capitals, one digit, microseconds.
BATCH = '''#PARAVER (7/3/2026 at 9:5):5000000:2(2,2):2:2(2:1,2:2):1(1:1)
1:1:1:1:1:0:1000000:3
1:1:1:1:1:1000000:3000000:1
1:3:1:2:1:1000000:4000000:1
1:2:2:1:1:3000000:5000000:1
'''
# One that knows neither its end nor its processors, and one whose dates are not from the beginning and whose threads are not counted.
OPEN_END = '#Paraver (19/01/38 at 03:14):00000000000000000000_ns:0:1:1(2:1)\n2:0:1:1:1:0:90:1\n2:0:1:1:2:1000:90:2\n2:0:1:1:1:5000:90:0\n2:0:1:1:2:9000:90:0\n'
UNCOUNTED = '#Paraver (27/11/2026 at 12:31):4000_ns:1(3):1:1(2:1)\n2:0:1:1:17:1000000:84210:1:84211:5\n2:2:1:1:23:1001000:84210:1\n2:0:1:1:17:1004000:84210:0\n'


class Strangers(Format):
    def opened(self, name, text, at=None):
        """What is in it, and the state at an instant; it is reported, and runs."""
        path = self.path(name, text if isinstance(text, str) else json.dumps(text))
        info = self.info(path)
        self.assertEqual(info['damaged'], 0)
        self.scope('report', path, '-o', self.path('report'))
        self.scope('run', path, '--out', self.path('run'))
        state = self.state(path, at) if at else {'nodes': [], 'edges': []}
        kinds = {}
        for k in info['kinds']:
            kinds[k['name']] = kinds.get(k['name'], 0) + k['begun']
        return info, kinds, {n['id']: n for n in state['nodes']}, {(e['from'], e['to']): int(e['Messages']) for e in state['edges']}

    def test_rocprof(self):
        info, kinds, nodes, edges = self.opened('rocprof.json', ROCPROF, '0.0021')
        self.assertEqual([t['id'] for t in info['tasks']], ['0 CPU HIP API 2', 'thread 4711', '1 GPU0 6', 'thread 1'])
        self.assertEqual(kinds, {'Slice': 2, 'FlowStart': 1, 'FlowEnd': 1})
        self.assertEqual(info['damage'], [])      # a flow that a step ends is whole
        self.assertEqual((nodes['thread 1']['State'], nodes['thread 4711']['State'], edges), ('kernel(float*) [clone .kd]', 'No state', {('thread 4711', 'thread 1'): 1}))

    def test_go(self):
        info, kinds, nodes, edges = self.opened('go.json', GO, '0.0000125')
        self.assertEqual(kinds, {'Counter': 3, 'Slice': 3, 'FlowStart': 2, 'FlowEnd': 2, 'Instant': 1})
        self.assertEqual(info['damage'], [])
        self.assertEqual((nodes['Proc 0']['State'], nodes['Proc 1']['State'], float(nodes['STATS 0']['Goroutines[2].Running'])), ('G1 main.main', 'No state', 2))
        self.assertEqual(edges, {('Proc 0', 'Proc 1'): 1, ('Proc 1', 'Proc 0'): 1})

    def test_bazel(self):
        info, _, nodes, _ = self.opened('bazel.json', BAZEL, '0.045')
        self.assertEqual((info['first'], info['last']), (-1.102, 0.051))
        self.assertEqual((nodes['skyframe-evaluator-1 30']['State'], nodes['Critical Path 0']['State'], float(nodes['process 1']['CPU usage (Bazel).cpu'])),
                         ('Compiling a.cc', "action 'Compiling a.cc'", 1.75))

    def test_nsight(self):
        info, _, nodes, _ = self.opened('nsys.json', NSIGHT, '0.0001225')
        self.assertEqual({name: n['State'] for name, n in nodes.items()},
                         {'Stream 7': 'No state', 'NVTX Thread 4711': 'step', 'Stream 13': 'memcpy'})
        self.assertEqual(info['tasks'][0]['id'], 'Device 0')
        # kinds of one name and category are one row, whatever fields they have
        rows = [line.split() for line in self.scope('info', self.path('nsys.json'))[0].splitlines()]
        self.assertEqual([row for row in rows if row[:1] == ['Slice']], [['Slice', '2', '2', 'cuda'], ['Slice', '1', '1', 'nvtx']])

    def test_tracers_of_functions(self):
        """The records of the first thread have no thread of their own; what the kernel did meanwhile is a call, too; the arguments are one text."""
        b, e = '{"ts":%s,"ph":"B","pid":%d,%s"name":"%s"%s}', '{"ts":%s,"ph":"E","pid":%d,%s"name":"%s"%s}'
        lines = ['{"ts":0,"ph":"M","pid":42,"name":"process_name","args":{"name":"[42] prog"}}', '{"ts":0,"ph":"M","pid":42,"tid":43,"name":"thread_name","args":{"name":"[43] worker"}}',
                 b % ('56466448.731', 42, '', 'main', ''), b % ('56466448.900', 42, '', 'fork_all', ',"args":{"srcline":"a.c:12","arguments":"(2, \\"x\\")"}'), e % ('56466449.500', 42, '', 'fork_all', ''),
                 b % ('56466449.001', 42, '"tid":43,', 'work', ''), b % ('56466449.010', 42, '"tid":43,', 'linux:schedule', ''), e % ('56466449.400', 42, '"tid":43,', 'linux:schedule', ''),
                 e % ('56466449.700', 42, '"tid":43,', 'work', ''), e % ('56466451.000', 42, '', 'main', ',"args":{"retval":"0"}')]
        text = '{"traceEvents":[\n' + ',\n'.join(lines) + '\n], "displayTimeUnit": "ns", "metadata": {\n"command_line":"dump --chrome","recorded_time":"Fri Nov 27 2026"} }\n'
        info, kinds, nodes, _ = self.opened('functions.json', text, '56.4664493')
        self.assertEqual((info['first'], info['last'], kinds['Begin'], kinds['End'], info['damage']), (56.466448731, 56.466451, 4, 4, []))
        self.assertEqual({name: (n['State'], n['Depth']) for name, n in nodes.items() if n['Type'] == 'Thread'}, {'thread 42': ('fork_all', '2'), '[43] worker': ('linux:schedule', '2')})

    def test_spans_of_programs(self):
        """A list that a program writes as it runs and may leave without its end: where spans are in the source, those of a thread and those that wander, and events inside of them."""
        text = '[\n' + ',\n'.join(json.dumps(record) for record in (
            {'ph': 'M', 'pid': 1, 'name': 'thread_name', 'tid': 0, 'args': {'name': 'main'}},
            {'ph': 'B', 'pid': 1, 'ts': 12.5, 'name': 'load', 'cat': 'app::io', 'tid': 0, '.file': 'src/io.rs', '.line': 17, 'args': {'path': '"a.txt"'}},
            {'ph': 'b', 'pid': 1, 'ts': 13.25, 'name': 'request', 'cat': 'app::net', 'tid': 0, 'id': 1, '.file': 'src/net.rs', '.line': 3},
            {'ph': 'i', 'pid': 1, 'ts': 14, 'name': 'event src/io.rs:21', 'cat': 'app::io', 'tid': 0, 's': 't', 'args': {'message': 'half'}},
            {'ph': 'M', 'pid': 1, 'name': 'thread_name', 'tid': 1, 'args': {'name': 'tokio-runtime-worker'}},
            {'ph': 'B', 'pid': 1, 'ts': 15, 'name': 'parse', 'cat': 'app', 'tid': 1, '.file': 'src/p.rs', '.line': 9},
            {'ph': 'e', 'pid': 1, 'ts': 90, 'name': 'request', 'cat': 'app::net', 'tid': 1, 'id': 1},
            {'ph': 'E', 'pid': 1, 'ts': 95.125, 'name': 'parse', 'cat': 'app', 'tid': 1},
            {'ph': 'E', 'pid': 1, 'ts': 100, 'name': 'load', 'cat': 'app::io', 'tid': 0})) + '\n'
        for whole in (text + ']', text, text[:-1] + ','):
            info, kinds, nodes, _ = self.opened('spans.json', whole, '0.00005')
            self.assertEqual((kinds['Begin'], kinds['Async'], kinds['Instant'], info['damage']), (2, 1, 1, []), whole[-9:])
            self.assertEqual((nodes['main 0']['State'], nodes['tokio-runtime-worker 1']['State'], nodes['request']['State']), ('load', 'parse', 'request'))
            self.assertEqual([info['holds'][k] for k in ('tasks', 'besides', 'around')], [2, 1, 1])

    def test_compilers(self):
        """clang tells sums of what it did in threads of their own, all from 0 on."""
        events = [x(100, 900, 'Frontend', 7, 7), x(120, 300, 'Source', 7, 7, args={'detail': 'vector'}), x(0, 1000, 'Total ExecuteCompiler', 7, 8, args={'count': 1, 'avg ms': 1}),
                  {'ph': 'M', 'cat': '', 'ts': 0, 'pid': 7, 'tid': 7, 'name': 'process_name', 'args': {'name': 'clang'}}]
        _, _, nodes, _ = self.opened('time-trace.json', {'traceEvents': events, 'beginningOfTime': 1700000000000000}, '0.0002')
        self.assertEqual((nodes['thread 7']['State'], nodes['thread 7']['Depth'], nodes['Total ExecuteCompiler']['State']), ('Source', '2', 'Total ExecuteCompiler'))

    def test_first_paje(self):
        info, kinds, nodes, edges = self.opened('msg.trace', FIRST_PAJE, '2.0')
        self.assertEqual(kinds, {'CreateContainer': 5, 'DestroyContainer': 2, 'SetState': 3, 'PushState': 1, 'PopState': 1, 'StartLink': 1, 'EndLink': 1})
        self.assertEqual([t['id'] for t in info['tasks']], ['MSG simulation', 'Jacquelin', 'master 1', 'Boivin', 'slave 2'])
        self.assertEqual((nodes['master 1']['State'], nodes['slave 2']['State'], nodes['slave 2']['Inside']), ('Communicating', 'Blocked', 'Boivin'))
        push = json.loads(self.scope('events', self.path('msg.trace'), '--kind', 'PushState', '--json')[0])
        self.assertEqual((push['FileName'], push['LineNumber']), ('master.c', '42'))

    def test_paje_of_batch_systems(self):
        info, kinds, nodes, _ = self.opened('batsim.trace', JOBS, '12')
        self.assertEqual([t['id'] for t in info['tasks']], ['Machines', 'Jupiter', 'Fafard', 'Scheduler', 'Killer'])
        self.assertEqual((kinds['SetState'], kinds['NewEvent'], kinds['SetVariable'], info['damage']), (6, 2, 2, []))
        self.assertEqual((nodes['Jupiter']['State'], nodes['Fafard']['State'], float(nodes['Scheduler']['Utilization'])), ('1!2', '1!2', 1))
        nodes = {n['id']: n for n in self.state(self.path('batsim.trace'), '17')['nodes']}
        self.assertEqual((nodes['Jupiter']['State'], nodes['Fafard']['State'], float(nodes['Scheduler']['Utilization'])), ('1!2', 'Waiting', 0.5))

    def test_paje_of_timers(self):
        info, kinds, nodes, _ = self.opened('timers.trace', TIMERS, '0.003')
        self.assertEqual((info['first'], info['last'], info['damage']), (0, 0.0125, []))
        self.assertEqual({name: (nodes[name]['State'], nodes[name]['Depth']) for name in ('Thread 0', 'Thread 1')}, {'Thread 0': ('solve', '2'), 'Thread 1': ('solve', '1')})
        nodes = {n['id']: n for n in self.state(self.path('timers.trace'), '0.005')['nodes']}
        self.assertEqual((nodes['Thread 0']['State'], nodes['Thread 1']['State']), ('assemble', 'No state'))

    def test_paje_of_designs(self):
        info, kinds, nodes, _ = self.opened('design.trace', DESIGN, '0.000000025')
        self.assertEqual((info['last'], kinds['PushState'], kinds['PopState'], kinds['NewEvent']), (0.00000005, 2, 2, 1))
        self.assertEqual((nodes['CPU']['State'], nodes['Bus']['State']), ('decode', 'decode'))

    def test_paraver_of_meters(self):
        info, kinds, nodes, _ = self.opened('power.prv', POWER, '1.0')
        self.assertEqual(kinds, {'Type 500000009': 3, 'EndOfTrace': 1})
        dates = [(json.loads(line)['t'], json.loads(line)['value']) for line in self.scope('events', self.path('power.prv'), '--kind', 'Type 500000009', '--json')[0].splitlines()]
        self.assertEqual(dates, [(0, 41.5), (0.666666667, 43.25), (2, 40.125)])

    def test_paraver_of_batch_systems(self):
        info, kinds, nodes, _ = self.opened('batch.prv', BATCH, '2.0')
        self.assertEqual((info['first'], info['last'], kinds['State']), (0, 5, 4))
        self.assertEqual({n: node['State'] for n, node in nodes.items()}, {'THREAD 1.1.1': 'Running', 'THREAD 1.2.1': 'Running'})

    def test_paraver_without_an_end(self):
        info, kinds, _, _ = self.opened('open.prv', OPEN_END)
        self.assertEqual((info['last'], kinds['Type 90'], info['damage']), (0.000009, 4, []))
        info, kinds, _, _ = self.opened('uncounted.prv', UNCOUNTED)
        self.assertEqual((info['last'], kinds['Type 84210'], kinds['Type 84211']), (0.001004, 3, 1))
        self.assertEqual([word in ' '.join(d['reason'] for d in info['damage']) for word in ('1.1.17', 'after the end')], [True, True])


main()
