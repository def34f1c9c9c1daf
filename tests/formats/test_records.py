#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each kind of record that a format has, once, in all spellings that it knows: what must be seen of each is known beforehand."""
import json
import os
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, main                                                                    # noqa: E402

# Old records of PICL: (name, fields of the verbose form, of the compact form or None where they are alike).
OLD = [('trace_start', 'event 1 compstats 2 commstats 3', '1 2 3'), ('open', '', ''), ('load', '"a program" and its tail', '4 x'), ('send', 'to 1 type 5 lth 100', '1 5 100'),
       ('probe', 'type 7', '7'), ('recv', 'from 1 type 6 lth 50', '1 6 50'), ('recv_blocking', 'type 9', '9'), ('recv_waking', 'from 1 type 9 lth 8', '1 9 8'), ('message', '', ''),
       ('sync', '', ''), ('compstats', 'busy 0 20 idle 0 17', '0 17'), ('commstats', 'received 1 volume 2 sent 3 volume 4 probed 5', '1 2 3 4 5'), ('close', '', ''),
       ('trace_level', 'event 2 compstats 2 commstats 2', '2 2 2'), ('trace_mark', 'type 33', '33'), ('trace_message', 'free text, 17 of it', None), ('trace_stop', ': ran out of memory', ''),
       ('trace_flush', 'finished {end}', '{end}'), ('trace_exit', 'space 1000', '1000'), ('block_begin', 'type -1 location 0 parameter 0', '-1 0 0'),
       ('block_end', 'type -1 location 0 parameter 0', '-1 0 0'), ('trace_marks', '3 7 8 9', None), ('clock_sync', '', ''), ('trace_files', 'finished {end}', '{end}')]
NUMBER = {name: i + 1 for i, (name, *_) in enumerate(OLD)}

# New ones: code of the event, its name; what each node is in meanwhile.
NEW = {-11: 'open', -12: 'close', -13: 'who', -14: 'recvinfo', -15: 'set buffering', -16: 'comm status', -22: 'bsend', -23: 'ssend', -24: 'rsend', -21: 'send', -27: 'isend', -33: 'bisend',
       -39: 'sisend', -45: 'risend', -28: 'send done', -29: 'send not done', -30: 'send end', -31: 'send wait', -32: 'send cancelled', -51: 'recv', -52: 'recv blocked', -53: 'iprobe found',
       -54: 'iprobe not found', -55: 'probe', -56: 'probe blocked', -57: 'irecv', -58: 'recv done', -59: 'recv not done', -60: 'recv end', -61: 'recv wait', -62: 'recv cancelled',
       -201: 'file open', -202: 'file close', -221: 'write', -251: 'read', -401: 'clock sync', -402: 'barrier', -501: 'allocate', -502: 'release', -503: 'spawn', -601: 'idle',
       -602: 'system overhead', -603: 'user overhead', -756: 'pack', -773: 'unpack', -780: 'allgather', -782: 'allreduce', -783: 'alltoall', -785: 'bcast', -786: 'gather', -790: 'reduce',
       -791: 'reduce_scatter', -792: 'scan', -793: 'scatter', -804: 'comm_create', -805: 'comm_dup', -806: 'comm_free', -812: 'comm_split', -826: 'intercomm_create', -827: 'intercomm_merge',
       -841: 'cart_create', -846: 'cart_sub', -849: 'graph_create', -912: 'flush', 44: 'user 44'}
NEW.update({-34 - k - 6 * i: f'{name} {word}' for i, name in enumerate(('bsend', 'ssend', 'rsend')) for k, word in enumerate(('done', 'not done', 'end', 'wait', 'cancelled'))})
IDLE = {-31, -37, -43, -49, -52, -56, -61, -402, -601}         # blocked, or said to be idle
DATA = {-21: '100 5 1 0', -22: '100 5 1', -23: '100 5 1 0', -24: '100 5 1', -27: '64 6 1 0', -33: '64 6 1', -39: '64 6 1 0', -45: '64 6 1', -51: '5 1 -1', -52: '5 1 -1', -402: '-1', -780: '8 -1',
        -782: '8 -1', -783: '8 -1', -785: '8 0 -1', -786: '8 0 -1', -790: '8 0 -1', -791: '8 -1', -792: '8 -1', -793: '8 0 -1'}

# Records of OTF2 that are told by another name, or as the end of what they end.
AS = {'CallingContextEnter': 'Enter', 'CallingContextLeave': 'Leave', 'CallingContextSample': 'Sample', 'ParameterInt': 'Parameter', 'ParameterUnsignedInt': 'Parameter',
      'MpiIsendComplete': 'end of MpiIsend', 'MpiIrecvRequest': 'MpiIrecv', 'MpiIrecv': 'end of MpiIrecv', 'MpiRequestCancelled': 'end of MpiIrecv', 'MpiCollectiveBegin': 'Allreduce',
      'MpiCollectiveEnd': 'end of Allreduce', 'NonBlockingCollectiveRequest': 'IBarrier', 'NonBlockingCollectiveComplete': 'end of IBarrier', 'RmaCollectiveBegin': 'RmaBarrier',
      'RmaCollectiveEnd': 'end of RmaBarrier', 'RmaOpCompleteBlocking': 'end of RmaPut', 'RmaOpCompleteNonBlocking': 'end of RmaGet', 'IoOperationComplete': 'end of IoRead',
      'IoOperationCancelled': 'end of IoWrite', 'BufferFlush': 'Enter'}


def padded(words, n):
    return words.encode()[:n].ljust(n, b'\0')


def in_blocks(head, records, block, size, end, last):
    """Records one behind the other in blocks; `end` stands where no more fits in one, `last` behind all."""
    out = b''
    for record in records:
        if len(out) % block + len(record) + size > block:
            out = (out + end).ljust((len(out) + block - 1) // block * block, b'\x55')
        out += record
    return head + out + last


class Records(Format):
    def told(self, path):
        return [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]

    def states(self, path, at):
        return {n['id']: n['State'] for n in self.state(path, f'{at:.9f}')['nodes']}

    # ---- PICL --------------------------------------------------------------------------------------------------------

    def old_trace(self, name, verbose):
        lines = []
        for i, (record, words, compact) in enumerate(OLD):
            at = 10 * i
            end = f'0 {at + 5}'
            if verbose:
                lines.append(f'{record} clock 0 {at} node 0 {words.format(end=end)}'.strip())
            else:
                lines.append(f'{NUMBER[record]} 0 {at} 0 {(words if compact is None else compact).format(end=end)}'.strip())
        lines.append('2 0 300 -32768 0')                     # the host, of a number of its own
        lines.append('12 is not a legal record type')        # of a buffer that was damaged
        return self.path(name, '\n'.join(lines) + '\n')

    def test_picl_old(self):
        """All 24, in words and in numbers: the same marks, calls, messages and numbers; what is no record is told, and nothing else is lost."""
        shown = []
        for verbose in (False, True):
            path = self.old_trace(f'old{verbose}', verbose)
            info = self.info(path)
            self.assertEqual((info['damaged'], len(OLD) + 2), (1, info['damage'][0]['line']))
            told = self.told(path)
            known = {(e['kind'], e.get('what') or e.get('call') or e.get('variable') or e.get('state'), round(e['t'] * 1e6)) for e in told if not e.get('end') and e['kind'] != 'State'}
            for i, (record, words, _) in enumerate(OLD):
                kind = {'send': 'Send', 'recv': 'Receive', 'recv_waking': 'Receive', 'recv_blocking': 'Call', 'compstats': 'Statistics', 'commstats': 'Statistics', 'trace_flush': 'Call',
                        'trace_files': 'Call', 'block_begin': 'Call', 'block_end': None, 'trace_message': 'Note'}.get(record, 'Mark')
                what = {'recv_blocking': 'recv', 'block_begin': 'barrier', 'compstats': 'idle', 'commstats': 'volume sent'}.get(record, None if kind in ('Send', 'Receive') else record)
                if kind:
                    self.assertIn((kind, what, 10 * i), known, record)
            self.assertEqual([(e['to'], e['tag'], e['bytes']) for e in told if e['kind'] == 'Send'], [(['node 1'], 5, 100)])
            self.assertEqual([(e['from'], e['tag'], e['bytes']) for e in told if e['kind'] == 'Receive'], [('node 1', 6, 50), ('node 1', 9, 8)])
            self.assertEqual({e['variable']: e['value'] for e in told if e['kind'] == 'Statistics'},
                             {'idle': 17e-6, 'messages received': 1, 'volume received': 2, 'messages sent': 3, 'volume sent': 4, 'probes': 5})
            self.assertEqual([e['data'] for e in told if e['kind'] == 'Note'], ['free text, 17 of it'])
            self.assertEqual([(e['call'], round(e['duration'] * 1e6)) for e in told if e['kind'] == 'Call' and e.get('end')],
                             [('recv', 10), ('trace_flush', 5), ('barrier', 10), ('trace_files', 5)])
            self.assertIn('host', {t['id'] for t in info['tasks']})
            shown.append([{k: v for k, v in e.items() if k != 'data'} for e in told])
        self.assertEqual(*shown)

    def test_picl_new(self):
        """Each event between its entry and its exit, at all of which the state of the node and the call are looked at; kinds of records that hold no
        event; a kind that nobody knows is told and left out."""
        lines, t = [f'-3 -901 0.0 {n} 0 0' for n in (0, 1)], 0
        for code in NEW:
            t += 1
            for phase, at in ((-3, t), (-4, t + .5)):
                data = DATA.get(code, '') if phase == -3 else '100 5 1 0' if code in (-51, -52, -60, -61) else '77' if code in (-27, -33, -39, -45, -57) else ''
                lines.append(f'{phase} {code} {at:.6f} 0 0 {len(data.split())}' + (f' 2 {data}' if data else ''))
        end = t + 1
        lines += [f'-2 {code} {end} 0 0 2 2 1 2' for code in (-901, -902, -903, -904, -905, -913, -914, 44)] + [f'-2 -911 {end} 0 0 2 "%d %s" 5 words']
        lines += [f'{kind} -1002 {end} 0 0 3 2 1 2 3' for kind in (-101, -102, -103, -104, -105)] + [f'-201 -1 {end} -1 -1 3 2 5 0 1', f'-202 -812 {end} -1 -1 3 2 6 0 1', f'-203 -1001 {end} -1 -1 2 2 7 1']
        lines += [f'{kind} 44 {end} 0 0 1 2 3' for kind in (-6, -7)]
        lines += ['-99 44 %s 0 0 0' % end, *(f'-4 -901 {end + 1} {n} 0 0' for n in (0, 1))]
        path = self.path('new.trf', '\n'.join(lines) + '\n')
        info = self.info(path)
        self.assertEqual([(d['line'], '-99' in d['reason']) for d in info['damage']], [(len(lines) - 2, True)])
        told = self.told(path)
        calls = [(round(e['t'], 6), e.get('call')) for e in told if e['task'] == 'node 0 · calls' and 'call' in e and not e.get('end')]
        self.assertEqual(calls, [(i + 1, name) for i, name in enumerate(NEW.values())])
        self.assertEqual([round(e['duration'], 6) for e in told if e['task'] == 'node 0 · calls' and 'call' in e and e.get('end')], [.5] * len(NEW))
        changes = [(e['t'], e['state']) for e in told if e['task'] == 'node 0' and e['kind'] == 'State']
        for i, code in enumerate(NEW):
            inside = [state for at, state in changes if at <= i + 1.2][-1]
            self.assertEqual(inside, 'Busy' if code >= 0 else 'Idle' if code in IDLE else 'Overhead', NEW[code])
            self.assertEqual([state for at, state in changes if at <= i + 1.7][-1], 'Busy', NEW[code])
        sends = [code for code in NEW if code in (-21, -22, -23, -24, -27, -33, -39, -45)]
        self.assertEqual([(e['to'], e['tag'], e['bytes']) for e in told if e['kind'] == 'Send'],
                         [(['node 1'], *((5, 100) if code > -27 else (6, 64))) for code in NEW if code in sends])
        self.assertEqual([(round(e['t'], 6) % 1, e['from'], e['tag'], e['bytes']) for e in told if e['kind'] == 'Receive'], [(.5, 'node 1', 5, 100)] * 4)
        self.assertEqual({e['kind'] for e in told if e['kind'][0] in 'ABGRS' and e['kind'] not in ('Send', 'State', 'Receive', 'Group')},
                         {'Allgather', 'Allreduce', 'Alltoall', 'Barrier', 'Bcast', 'Gather', 'Reduce', 'Reduce_scatter', 'Scan', 'Scatter'})

    # ---- the logs of MPE ---------------------------------------------------------------------------------------------

    def test_alog(self):
        """Lines of the head in any order, the clock that begins anew at 2^32 - 1, a colour that is empty, a comment that is empty, a state of one word."""
        lines = ['-2 0 0 12 0 0', '-3 0 0 2 0 0', '-1 0 0 0 0 0 ', '-4 0 0 1 0 0', '-5 0 0 7 0 0', '-6 0 0 0 0 4294967000', '-7 0 0 0 1 80', '-8 0 0 2 0 0', '-11 0 0 0 0 4294967295',
                 '-9 0 0 20 0 0 my event', '-10 0 0 20 0 0 value %d here', '-13 0 1 2 0 0  : MPI_Bcast', '-13 0 3 4 0 0 red:gray My  state', '-13 0 5 6 0 0 blue',
                 '0 0 0 0 0 4294967000', '1 0 0 0 0 4294967100 ', '1 1 1 0 0 4294967100 ', '3 0 0 7 0 4294967200 note it', '20 0 0 42 1 5', '4 0 0 7 1 20', '2 0 0 0 1 30', '2 1 1 0 1 40',
                 '-101 0 0 1 1 50 3 1024', '-102 1 0 0 1 60 3 1024', '5 0 0 0 1 70', '6 0 0 0 1 80']
        path = self.path('a.alog', '\n'.join(lines) + '\n')
        info = self.info(path)
        self.assertEqual((info['damaged'], info['damage'], info['first'], info['last']), (0, [], 4294.967, 4294.967375))
        told = self.told(path)
        self.assertEqual([(e['task'], e['kind'], round(e['duration'] * 1e6)) for e in told if e.get('end')],
                         [('process 0', 'My  state', 115), ('process 0', 'MPI_Bcast', 225), ('process 1', 'MPI_Bcast', 235), ('process 0', 'blue', 10)])
        self.assertEqual([(e['data'], e['text'], round(e['t'] * 1e6)) for e in told if e['kind'] == 'my event'], [(42, 'value 42 here', 4294967300)])
        self.assertEqual([(e['to'], e['tag'], e['bytes'], round(e['t'] * 1e6)) for e in told if e['kind'] == 'Send'], [(['process 1'], 3, 1024, 4294967345)])
        self.assertEqual([e['text'] for e in told if e['kind'] == 'My  state'], ['note it'] * 2)
        for form, text in (('%d', '42: so'), ('100%% %5ld of %s', '100% 42 of so'), ('%x%n%d%', '2a%n42%: so'), ('%*d %s%s', '%*d soso'), ('plain', 'plain: so')):
            path = self.path('form.alog', f'-1 0 0 0 0 0 Me\n-3 0 0 1 0 0\n-10 0 0 20 0 0 {form}\n20 0 0 42 0 5 so\n')
            self.assertEqual([e['text'] for e in self.told(path)], [text], form)
        # what the head claims is compared with what there is
        path = self.path('b.alog', '\n'.join(['-2 0 0 99 0 0', *lines[1:]]) + '\n')
        self.assertIn('99 events, and there are 12', self.info(path)['damage'][0]['reason'])

    def test_clog(self):
        """The nine kinds of records, in blocks of both sizes; a first date below 0."""
        records = []

        def add(date, kind, process, body):
            records.append(struct.pack('>diiii', date, kind, (24 + len(body)) // 8, process, 0) + body)
        add(-.5, 7, 0, struct.pack('>ii', 77, 12) + padded('prog.c', 40))
        add(-.4, 8, 0, struct.pack('>d', .25))
        add(-.3, 4, 0, struct.pack('>iiii', -201, 0, 5, 77))
        add(-.2, 1, 0, struct.pack('>iiii', 1, 0, 77, 0) + padded('begin', 16))
        add(.1, 3, 0, struct.pack('>iiiiii', 3, 0, 5, 64, 77, 0))
        add(.2, 3, 0, struct.pack('>iiiiii', 4, 0, 5, 64, 77, 0))
        add(.3, 2, 0, struct.pack('>iiiiii', -101, 9, 1, 0, 128, 77))
        add(.4, 2, 1, struct.pack('>iiiiii', -102, 9, 0, 0, 128, 77))
        add(.5, 1, 0, struct.pack('>iiii', -101, 1, 77, 0) + padded('8 256', 16))
        add(.6, 1, 1, struct.pack('>iiii', -102, 0, 77, 0) + padded('8 256', 16))
        add(.7, 1, 0, struct.pack('>iiii', 2, 0, 77, 0) + padded('end', 16))
        add(.8, 1, 0, struct.pack('>iiii', 9, 42, 77, 0) + padded('', 16))
        for i, (start, end, colour, name) in enumerate(((1, 2, 'red:gray', 'Work'), (3, 4, '', 'MPI_Bcast'))):
            add(.8, 6, 0, struct.pack('>iiii', i, start, end, 0) + padded(colour, 24) + padded(name, 16))
        add(.8, 5, 0, struct.pack('>ii', 9, 0) + padded('a mark', 16))
        for block in (1024, 65536):
            data = in_blocks(b'', records, block, 24, struct.pack('>diiii', .8, -1, 3, 0, 0), struct.pack('>diiii', .8, -2, 3, 0, 0))
            path = self.path(f'{block}.clog', data.ljust((len(data) + block - 1) // block * block, b'\0'))
            info = self.info(path)
            self.assertEqual((info['damaged'], info['first'], info['last']), (0, -.2, .8))
            told = self.told(path)
            self.assertEqual([(e['kind'], round(e['duration'], 9), e['source']) for e in told if e.get('end')], [('MPI_Bcast', .1, 'prog.c:12'), ('Work', .9, 'prog.c:12')])
            self.assertEqual([(e['t'], e['to'], e['tag'], e['bytes']) for e in told if e['kind'] == 'Send'], [(.3, ['process 1'], 9, 128), (.5, ['process 1'], 8, 256)])
            self.assertEqual([(e['t'], e['from'], e['tag'], e['bytes']) for e in told if e['kind'] == 'Receive'], [(.4, 'process 0', 9, 128), (.6, 'process 0', 8, 256)])
            self.assertEqual([(e['t'], e['data']) for e in told if e['kind'] == 'a mark'], [(.8, 42)])

    def test_clog2(self):
        """The twelve kinds, among them all kinds of communicators, one that is freed, a constant, a shift of clocks, states of MPE's own."""
        records = []

        def add(date, kind, body, comm=0, rank=0, thread=0):
            records.append(struct.pack('>diiii', date, comm, rank, thread, kind) + body)

        def communicator(kind, number, rank, process):
            add(-1, 9, struct.pack('>iiii', kind, number, rank, process) + bytes(32), 0, process)
        for process in (0, 1):
            communicator(0, 0, process, process)
            communicator(1, 1 + process, 0, process)
            communicator(100, 7, 1 - process, process)
            communicator(101, 8, 0, process)
            communicator(102, 9, 0, 1 - process)
            communicator(1000, 10, 0, process)
        communicator(10, -999999999, -1, 0)
        add(-1, 10, struct.pack('>ii', 5, 12) + padded('a.c', 40))
        add(-1, 11, struct.pack('>d', .25))
        add(-1, 4, struct.pack('>ii', 3, 77) + padded('MPI_PROC_NULL', 32))
        add(0, 5, struct.pack('>ii', 560, 0))
        add(.1, 5, struct.pack('>ii', 561, 0))
        add(.2, 6, struct.pack('>iiih', 20, 0, 41, 3) + padded('abc', 26), 7, 0)
        add(.3, 5, struct.pack('>ii', 21, 0), 7, 0)
        add(.4, 7, struct.pack('>iiiiii', -101, 7, 0, 5, 99, 0))
        add(.5, 7, struct.pack('>iiiiii', -102, 7, 1, 5, 99, 0), 0, 1)
        add(.6, 8, struct.pack('>iiii', 22, 0, 64, 0), 0, 1)
        add(.7, 5, struct.pack('>ii', 23, 0), 0, 1)
        add(.75, 5, struct.pack('>ii', 9, 0), 0, 1, 1)
        for i, (start, end, colour, name, form) in enumerate(((560, 561, 'maroon', 'CLOG_Buffer_write2disk', ''), (20, 21, 'red', 'Compute', 'n=%d, where=%s'), (22, 23, 'cyan', 'MPI_Barrier', ''))):
            add(.8, 2, struct.pack('>iiii', i, start, end, 0) + padded(colour, 24) + padded(name, 32) + padded(form, 40))
        add(.8, 3, struct.pack('>ii', 9, 0) + padded('red', 24) + padded('a mark', 32) + padded('', 40))
        head = b'\0'.join([b'CLOG-02.44', b'is_big_endian=', b'TRUE ', b'is_finalzed=', b'TRUE ', b'block_size=', b'2048', b'num_buffered_blocks=', b'128', b'max_comm_world_size=', b'2',
                           b'max_thread_count=', b'2', b'known_eventID_start=', b'0', b'commtable_fptr=', b'0', b'1073741824', b'4000', b'']).ljust(1024, b'\0')
        path = self.path('a.clog2', in_blocks(head, records, 2048, 24, struct.pack('>diiii', .8, 0, 0, 0, 1), struct.pack('>diiii', .8, 0, 0, 0, 0)))
        info = self.info(path)
        self.assertEqual((info['damaged'], info['damage']), (0, []))
        told = self.told(path)
        self.assertEqual([(e['task'], e['kind'], round(e['duration'], 9)) for e in told if e.get('end') and e['kind'] != 'Barrier'],
                         [('process 0', 'CLOG_Buffer_write2disk', .1), ('process 1', 'Compute', .1), ('process 1', 'MPI_Barrier', .1)])
        self.assertEqual([(e['n'], e['where']) for e in told if e['kind'] == 'Compute' and not e.get('end')], [(41, 'abc')])
        self.assertEqual([(e['task'], e.get('to', e.get('from')), e['tag'], e['bytes']) for e in told if e['kind'] in ('Send', 'Receive')],
                         [('process 0', ['process 1'], 5, 99), ('process 1', 'process 0', 5, 99)])
        self.assertEqual([(e['task'], e['t']) for e in told if e['kind'] == 'a mark'], [('process 1 thread 1', .75)])
        members = {e['group']: e['members'] for e in told if e['kind'] == 'Group'}
        self.assertEqual((members['MPI_COMM_WORLD'], members['communicator 7']), (['process 0', 'process 1'], ['process 1', 'process 0']))
        self.assertNotIn('communicator -999999999', members)
        self.assertEqual([e['group'] for e in told if e['kind'] == 'Barrier' and not e.get('end')], ['MPI_COMM_WORLD'])

    # ---- SDDF --------------------------------------------------------------------------------------------------------

    def test_sddf(self):
        """Packets of all kinds, with and without the first line; types of all words; descriptors behind records; texts with quotes in them."""
        text = '''/*
 * "Creation Date" "today"
 * "k" "v"
 */ ;;
// stray "comment" "x"
#1: // "descr" "what it is"
"all types" { // "unit" "s"
 double "Seconds"; int "PE"; char "c"; float "f"; byte "b"; short "sh"; long "l"; unsigned int "ui";
 char "text"[]; int "list"[]; double "m"[][];
};;
%7: "a command";;
"all types" { 0.5, 0, 'x', 2.5, 7, -3, 123456789012, 42, [6] { "hello" }, [3] { 1, 2, 3 }, [2][2] { 1.0, 2.0, 3.0, 4.0 } };;
#2: "later" { double "Seconds"; int "PE"; char "t"[]; };;
"later" { 1.5, 1, [0] { } };;
"all types" { 0.75, 1, 'y', -2.5e3, 7, -3, 1, 42, [0] { }, [0] { }, [0][0] { } };;
"later"
{
 2.5, 1,
 [7] { "a"b\\c" }
}
;;
'''
        for first in ('', 'SDDFA\n'):
            path = self.path('all.sddf', first + text)
            info = self.info(path)
            self.assertEqual((info['format'], info['damaged'], info['damage']), ('sddf', 0, []))
            told = self.told(path)
            self.assertEqual([[e[k] for k in ('t', 'c', 'f', 'b', 'sh', 'l', 'ui', 'text', 'list', 'm')] for e in told if e['kind'] == 'all types'],
                             [[.5, 'x', 2.5, 7, -3, 123456789012, 42, 'hello', '1, 2, 3', '1.0, 2.0, 3.0, 4.0'], [.75, 'y', -2500, 7, -3, 1, 42, '', '', '']])
            self.assertEqual([(e['t'], e['arg_t']) for e in told if e['kind'] == 'later'], [(1.5, ''), (2.5, 'a"b\\c')])

    # ---- Pajé, Paraver, Chrome, SLOG-2 -------------------------------------------------------------------------------

    def test_paje(self):
        """Kinds of lines with blanks behind the sign, old names and alias first, numbers in hexadecimal, definitions in the midst, two containers of one
        name, files that are named by a line and by a container and have no head of their own, ends before their begins, the root as 0."""
        kinds = (('PajeDefineContainerType', 'Alias:string ContainerType:string Name:string'), ('PajeDefineStateType', 'Alias:string ContainerType:string Name:string'),
                 ('PajeDefineEntityValue', 'Alias:string EntityType:string Name:string Color:color'),
                 ('PajeCreateContainer', 'Time:date Alias:string Type:string Container:string Name:string Shape:string Height:int Width:int Filename:string'),
                 ('PajeSetState', 'Time:date Type:string Container:string Value:string Address:hex'), ('PajePushState', 'Time:date Type:string Container:string Value:string'),
                 ('PajePopState', 'Time:date Type:string Container:string'), ('PajeAddVariable', 'Time:date Type:string Container:string Value:double'),
                 ('PajeDefineVariableType', 'Alias:string Type:string Name:string Color:color'), ('PajeTraceFile', 'Container:string Type:string Filename:string'),
                 ('PajeDestroyContainer', 'Time:date Name:string Type:string'), ('PajeStartLink', 'Time:date Type:string Container:string SourceContainer:string Value:string Key:string'),
                 ('PajeEndLink', 'Time:date Type:string Container:string DestContainer:string Value:string Key:string'),
                 ('PajeDefineLinkType', 'Alias:string Type:string SourceContainerType:string DestContainerType:string Name:string'))
        head = ''.join(('%EventDef {} {}\n', '% EventDef\t{}\t{}\n')[i % 2].format(kind, 10 + i) + ''.join('%' + '\t '[i % 2] + '{} {}\n'.format(*f.split(':')) for f in fields.split())
                       + '% EndEventDef\n' for i, (kind, fields) in enumerate(kinds))
        body = '\n'.join(('# a comment', '', '10 R 0 Root', '10 P R Proc', '11 S P State', '18 V P "mem" "0.5 0.5 0.5"', '23 L R P P link', '12 a S Run "0.0 1.0 0.0"', '13 0 r R 0 root none 1 2 ""',
                          '13 0 p1 P r one none 1 2 child.trace', '13 0 p2 P r one none 1 2 ""', '16 0.1 S p1', '15 0.2 S p1 a', '12 b S Wait "1.0 0.0 0.0"', '15 0.2 S p1 b',
                          '14 0.3 S p2 a 0xdeadbeef', '17 0.4 V p1 5', '22 0.45 L r p2 m k', '21 0.5 L r p1 m k', '21 0.6 L r p1 m 0', '22 0.7 L r p2 m 0', '19 p2 P child2.trace',
                          '20 1.0 one P', '20 1.0 p2 P', '20 2.0 r R')) + '\n'
        self.path('child.trace', '16 0.75 S p1\n15 0.8 S p1 never\n')
        self.path('child2.trace', '14 0.9 S p2 b 0x1\n')
        path = self.path('main.trace', head + body)
        info = self.info(path)
        self.assertEqual((info['damaged'], info['damage']), (0, []))
        for at, states in ((.15, ('No state', 'No state')), (.25, ('Wait', 'No state')), (.35, ('Wait', 'Run')), (.78, ('Run', 'Run')), (.85, ('never', 'Run')), (.95, ('never', 'Wait')),
                           (1.5, ('Dead', 'Dead'))):
            shown = self.states(path, at)
            self.assertEqual((shown['one'], shown['one (p2)']), states, at)
        state = self.state(path, '0.95')
        self.assertEqual([float(n['mem']) for n in state['nodes'] if n['id'] == 'one'], [5])
        self.assertEqual([(e['from'], e['to'], e['Messages']) for e in state['edges']], [('one', 'one (p2)', '2')])
        self.assertEqual([e['Address'] for e in self.told(path) if e['kind'] == 'SetState'], ['0xdeadbeef', '0x1'])

    def test_paraver(self):
        """The four kinds of records; communicators of all letters, applications that a comma parts, blank lines and remarks in the midst, fourteen pairs of one
        record, a state of no duration, one without an end; a .pcf of all sections; a .row with lines that are empty."""
        pairs = [(50000001, 4), (50100001, 77), (50100002, 88), (50100003, 1), (50100004, 1)] + [(42000050 + i, 100 + i) for i in range(9)]
        text = ('new format\n#Paraver (07/03/2011 at 14:21):1000000_ns:2(2,2):2:2(2:1,1:2),1(1:2),4\nc:1:1:2:1:2\nC:1:2:1:1\ni:1:3:2:1:2\nI:1:4:1:2\n# a remark\n'
                '1:1:1:1:1:0:1000:1\n\n1:2:1:1:2:0:-1:2\n2:1:1:1:1:100:' + ':'.join(f'{t}:{v}' for t, v in pairs) + '\n2:1:1:1:1:200:50000001:0\n# another\n'
                '3:1:1:1:1:300:310:3:1:2:1:400:410:2048:99\n1:1:1:1:1:1000:1000:3\n1:1:1:1:1:1000:2000:17\n2:4:2:1:1:500:60000019:3\n2:4:2:1:1:700:60000019:0\n4:1:1:1:1:900:1:1\n')
        self.path('all.pcf', 'DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\n\nDEFAULT_SEMANTIC\n\nTHREAD_FUNC State As Is\n\nSTATES\n0 Idle\n1 Running\n2 Not created\n3 Waiting a message\n'
                  '17 Memory transfer\n\n\nSTATES_COLOR\n1 {0,0,255}\n\n\nEVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n4 MPI_Irecv\n3 MPI_Isend\n0 Outside MPI\n\n\nEVENT_TYPE\n'
                  '7 42000050 PAPI_TOT_INS\n7 42000051 other\n\nEVENT_TYPE\n0 60000019 User function\nVALUES\n0 End\n3 solve\n\n\nGRADIENT_COLOR\n0 {0,255,2}\n\nGRADIENT_NAMES\n0 Gradient 0\n')
        self.path('all.row', 'LEVEL CPU SIZE 2\nCPU 1.1\nCPU 1.2\n\nLEVEL NODE SIZE 2\nna\nnb\n\nLEVEL THREAD SIZE 4\nT 1\n\nT 3\nT 4\n\nLEVEL TASK SIZE 3\ntA\ntB\ntC\n\nLEVEL APPL SIZE 2\nfirst\nsecond\n')
        path = self.path('all.prv', text)
        info = self.info(path)
        self.assertEqual((info['damaged'], info['last']), (1, .001))            # the record 4 of no call alone
        self.assertEqual([t['id'] for t in info['tasks'] if '·' not in t['id']], ['first', 'tA', 'T 1', 'THREAD 1.1.2', 'tB', 'T 3', 'second', 'tC', 'T 4'])
        for ns, name, state in ((50, 'T 1', 'Running'), (1500, 'T 1', 'Memory transfer'), (50, 'THREAD 1.1.2', 'Not created'), (150, 'T 1 · calls', 'MPI_Irecv'), (250, 'T 1 · calls', 'No state'),
                                (600, 'T 4 · calls', 'solve')):
            self.assertEqual(self.states(path, ns / 1e9)[name], state, (ns, name))
        told = self.told(path)
        self.assertEqual([(round(e['t'] * 1e9), e.get('to', e.get('from')), e['bytes'], e['message_tag']) for e in told if e['kind'] in ('Send', 'Receive')],
                         [(300, ['T 3'], 2048, 99), (410, 'T 1', 2048, 99)])
        self.assertEqual([e['value'] for e in told if e['kind'] in ('PAPI_TOT_INS', 'other') or e['kind'].startswith('Type 4200')], list(range(100, 109)))
        self.assertEqual({e['group']: e['members'] for e in told if e['kind'] == 'Group'}, {'communicator 1': ['T 1 · calls', 'T 3 · calls'], 'communicator 2': ['T 1 · calls']})

    def test_chrome(self):
        """Each phase, told as what it is."""
        base, slices = {'pid': 1, 'tid': 2, 'cat': 'c', 'name': 'n'}, {'X': 'Slice', 'B': 'Begin', 'E': 'End'}
        marks = {'i': 'Instant', 'I': 'Instant', 'R': 'Mark', 'N': 'ObjectNew', 'O': 'ObjectSnapshot', 'D': 'ObjectDelete', 'P': 'Sample', 'c': 'ClockSync', '(': 'ContextEnter',
                 ')': 'ContextLeave', 'v': 'MemoryDump', 'V': 'MemoryDump', '=': 'Alias'}
        others = {'C': 'Counter', 's': 'FlowStart', 't': 'FlowEnd', 'f': 'FlowEnd', 'b': 'Async', 'n': 'AsyncInstant', 'e': 'Async', 'S': 'Async', 'T': 'AsyncStep', 'F': 'Async'}
        phases = {**slices, **marks, **others}
        events = [dict(base, ph=ph, ts=10 * i, id=9 if ph in 'stf' else 7 if ph in 'bne' else 8, **({'dur': 5} if ph == 'X' else {}), **({'args': {'v': i}} if ph == 'C' else {}))
                  for i, ph in enumerate(phases)]
        events += [dict(base, ph='M', name='thread_name', args={'name': 'called'})]
        path = self.path('phases.json', json.dumps({'otherData': {'a': [1]}, 'displayTimeUnit': 'ns', 'traceEvents': events}))
        self.assertEqual((self.info(path)['damaged'], self.info(path)['damage']), (0, []))
        told = {}
        for e in self.told(path):
            told.setdefault(round(e['t'] * 1e6), set()).add(e['kind'])
        for i, (ph, kind) in enumerate(phases.items()):
            self.assertIn(kind, told[10 * i], ph)
        self.assertIn('called 2', [t['id'] for t in self.info(path)['tasks']])

    def test_slog2(self):
        """Values of all types that a category may have, of real drawables alone: none of a preview."""
        def string(text):
            return struct.pack('>h', len(text)) + text.encode()
        types = 'dlfeEs'
        keys = [('' if i == 0 else ' ') + f'{name}=' for i, name in enumerate(('whole', 'long', 'short', 'real', 'more', 'words'))]
        values = struct.pack('>iqfdd', -7, 1 << 40, .5, 2.25, -1e9) + string('so')
        categories = struct.pack('>i', 2)
        for index, name, topology, of, form in ((0, 'Compute', 1, keys, types), (-1, 'Preview_State', 1, [], '')):
            categories += struct.pack('>i', index) + string(name) + struct.pack('>iI?b', topology, 0xff00ff00, True, 1) + struct.pack('>h', len(of)) + b''.join(map(string, of))
            categories += struct.pack('>h', len(form)) + form.encode() + struct.pack('>hffq', 0, 0, 0, 0)
        shadow = struct.pack('>ihh', -1, 0, 2) + struct.pack('>didi', 0, 0, 1, 0) + struct.pack('>ddqi', 0, 1, 5, 0)
        body = struct.pack('>ii', 0, 1) + b'\0' + struct.pack('>ih', 0, len(values)) + values + struct.pack('>h', 2) + struct.pack('>didi', .25, 0, .75, 0) + struct.pack('>i', 1) + shadow
        lines = struct.pack('>i', 1) + string('Process View') + struct.pack('>i', 1) + string('world_rank') + struct.pack('>iiih', 1, 0, 3, 0)
        node = struct.pack('>ddhiqi', 0, 1, 0, 0, 108, 34 + len(body)) + body
        tree = struct.pack('>i', 1) + struct.pack('>hiddqi', 0, 0, 0, 1, 108, len(node))
        at, pointers = 108 + len(node), b''
        for part in (categories, b'', lines, None, tree, b'', b''):
            pointers += struct.pack('>qi', 108 if part is None else at if part else 0, len(node if part is None else part))
            at += len(part or b'')
        path = self.path('all.slog2', string('SLOG 2.0.6') + struct.pack('>hihi', 2, 65536, 1, 65536) + pointers + node + categories + lines + tree)
        info = self.info(path)
        self.assertEqual((info['damaged'], [t['id'] for t in info['tasks']], [(k['name'], k['begun'], k['ended']) for k in info['kinds'] if k['begun']]), (0, ['process 3'], [('Compute', 1, 1)]))
        (begin, end) = self.told(path)
        self.assertEqual((begin['t'], end['t']), (.25, .75))
        self.assertEqual([begin[k] for k in ('whole', 'long', 'short', 'real', 'more', 'words')], [-7, 1 << 40, .5, 2.25, -1e9, 'so'])

    # ---- OTF2 --------------------------------------------------------------------------------------------------------

    @unittest.skipUnless(os.environ.get('OTF2_EVERY'), 'libotf2 is not here')
    def test_otf2(self):
        """Each kind of record that the library can write is told at its date, decoded by the library or here, and none is unknown."""
        path = self.path('every')
        written = [line.split() for line in subprocess.run([os.environ['OTF2_EVERY'], path], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
        self.assertGreater(len({name for _, name in written}), 75)
        shown = []
        for library in (False, True):
            self.env.pop('SCOPE_OTF2_LIBRARY', None)
            self.env.update({'SCOPE_OTF2_LIBRARY': '1', 'XDG_CACHE_HOME': self.path('other-cache')} if library else {})
            info = self.info(path)
            self.assertEqual((info['damaged'], info['damage']), (0, []))
            told = self.told(path)
            at = {}
            for e in told:
                if e['kind'] != 'Group':
                    at.setdefault(round(e['t'] * 1e9), []).append(('end of ' if e.get('end') else '') + e['kind'])
            turns = {'MeasurementOnOff': ['Enter', 'Leave'], 'IoOperationBegin': ['IoRead', 'IoWrite']}
            for date, name in written:
                want = turns[name].pop(0) if name in turns else AS.get(name, 'Thread' + name[3:] if name.startswith('Omp') else name)
                self.assertIn(want, at[int(date)], (date, name))
            (flushed,) = (int(date) + 5 for date, name in written if name == 'BufferFlush')      # until when it says
            self.assertEqual(set(at), {int(date) for date, _ in written} | {flushed})
            shown.append(told)
        self.assertEqual(*shown)
        self.assertEqual({e['variable']: e['value'] for e in told if e['kind'] == 'Metric'}, {'cycles': 12345678901234, 'load': 2.5})
        (parameters,) = ([e['value'] for e in told if e['kind'] in ('Parameter', 'ParameterString')],)
        self.assertEqual(parameters, [-7, 7, 'main'])
        self.assertEqual([(e['bytes'], e['asked']) for e in told if e['kind'] in ('IoRead', 'IoWrite') and e.get('end')], [(40, 50), (0, 50)])


if __name__ == '__main__':
    main()
