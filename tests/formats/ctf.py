# SPDX-License-Identifier: Apache-2.0
"""CTF once more, in Python and from the text that babeltrace2 prints; and traces made byte by byte."""
import os
import re
import struct
import subprocess
from collections import defaultdict


def text_of(path):
    """(ns, name, fields) of each event, in the order of babeltrace2; numbers are int, all else is as it is printed."""
    done = subprocess.run(['babeltrace2', '--clock-seconds', '--no-delta', path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    events = []
    for line in done.stdout.decode(errors='replace').splitlines():
        m = re.match(r'(?:\[(-?\d+)\.(\d{9})\] )?(.*?): (\{.*|$)', line)     # one may have no field
        if not m:
            continue
        head = re.sub(r': $', '', m.group(3))
        name = head.split(' ', 1)[-1] if ' ' in head and not head.startswith('{') else head
        ns = int(m.group(1)) * 10**9 + int(m.group(2)) if m.group(1) else None
        events.append((ns, name, dict(pairs(m.group(4)))))
    return events


def pairs(text):
    """Numbers and texts of the structures of an event that stand by themselves, not in others."""
    depth, out, i = 0, [], 0
    for m in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}\[\]()]|([A-Za-z_][\w.]*) = (?=("(?:[^"\\]|\\.)*"|0x[0-9A-F]+|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)?)', text):
        token = m.group(0)
        if token in '{[(':
            depth += 1
        elif token in '}])':
            depth -= 1
        elif m.group(1) and depth == 1 and m.group(2):
            value = m.group(2)
            out.append((m.group(1), re.sub(r'\\(.)', r'\1', value[1:-1]) if value[0] == '"' else float(value) if re.search('[.e]', value) else int(value, 0)))
    return out


class Calls:
    """What begins and ends per thread, or per processor, until an instant."""

    def __init__(self, events, at, begin, end, who, name):
        self.stacks, self.begun = defaultdict(list), defaultdict(int)
        for ns, event, fields in events:
            if ns > at:
                break
            if event == begin:
                value = fields[name]
                self.stacks[fields[who]].append(value if isinstance(value, str) else f'0x{value:x}')     # an address
                self.begun[fields[who]] += 1
            elif event == end and self.stacks[fields[who]]:
                self.stacks[fields[who]].pop()


class Converted:
    """Traces that were made of OTF2: locations, what they are inside of and what they send, until an instant."""
    PAIRS = {f'Event_{what}{word}': f'Event_{what}' for what in ('Program', 'Thread') for word in ('Begin', 'End')}

    def __init__(self, events, at):
        tables = defaultdict(dict)
        for _, event, f in events:
            if event.startswith('GlobalDef_') and 'self' in f:
                tables[event[len('GlobalDef_'):]][f['self']] = f
            elif event == 'GlobalDef_GroupMember':
                tables['GroupMember'][f['group'], f['rank']] = f['location']
        text = {i: f['stringValue'] for i, f in tables['String'].items()}
        groups = {i: text[f['name']] for i, f in tables['LocationGroup'].items()}
        self.names = {i: f"{groups[f['locationGroup']]} · {text[f['name']]}" for i, f in tables['Location'].items()}
        regions = {i: text[f['name']] for i, f in tables['Region'].items()}
        self.stacks, self.begun, self.sent, self.received = defaultdict(list), defaultdict(int), defaultdict(int), defaultdict(int)
        self.links = defaultdict(lambda: [0, 0])
        for ns, event, f in events:
            if ns > at:
                break
            who = f.get('locationID')
            if event == 'Event_Enter' or event in self.PAIRS and event.endswith('Begin'):
                self.stacks[who].append(regions[f['region']] if event == 'Event_Enter' else self.PAIRS[event])
                self.begun[who] += 1
            elif (event == 'Event_Leave' or event in self.PAIRS) and self.stacks[who]:
                self.stacks[who].pop()
            elif event in ('Event_MpiSend', 'Event_MpiIsend', 'Event_MpiRecv', 'Event_MpiIrecv'):
                sends = 'send' in event.lower()
                rank = f['receiver' if sends else 'sender']
                other = tables['GroupMember'][tables['Comm'][f['communicator']]['group'], rank]
                (self.sent if sends else self.received)[who] += 1
                if not sends:
                    self.links[other, who][0] += 1
                    self.links[other, who][1] += f['msgLength']


class Scheduling:
    """Who runs on each processor, and what each thread does, until an instant."""

    def __init__(self, events, at):
        self.on_cpu, self.threads = {}, {}
        for ns, event, f in events:
            if ns > at:
                break
            if event == 'sched_switch':
                if f['prev_tid']:
                    self.threads[f['prev_tid']] = 'Waiting' if f['prev_state'] else 'Ready'
                if f['next_tid']:
                    self.threads[f['next_tid']] = 'Running'
                self.on_cpu[f['cpu_id']] = f['next_comm'] if f['next_tid'] else 'Idle'


METADATA = '''/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
trace { major = 1; minor = 8; uuid = "%s"; byte_order = %s;
  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; }; };
env { hostname = "made"; domain = "ust"; };
clock { name = mine; freq = 1000000000; offset_s = 100; };
typealias integer { size = 64; align = 8; signed = false; map = clock.mine.value; } := stamp_t;
stream { id = 0;
  packet.context := struct { stamp_t timestamp_begin; stamp_t timestamp_end; uint64_t content_size; uint64_t packet_size;
    uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; };
  event.header := struct { uint32_t id; stamp_t timestamp; };
  event.context := struct { uint32_t vpid; uint32_t vtid; }; };
event { id = 1; name = "work:begin"; stream_id = 0; fields := struct { string name; int64_t depth; }; };
event { id = 2; name = "work:end"; stream_id = 0; fields := struct { int64_t depth; }; };
event { id = 3; name = "job_taken"; stream_id = 0; fields := struct { string what; }; };
event { id = 4; name = "job_done"; stream_id = 0; fields := struct { string what; }; };
event { id = 5; name = "note"; stream_id = 0; fields := struct { uint64_t much; int64_t little; string text; }; };
'''


KERNEL = '''/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
trace { major = 1; minor = 8; uuid = "2a6422d0-6cee-11e0-8c08-cb07d7b3a564"; byte_order = le;
  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; }; };
env { hostname = "box"; domain = "kernel"; };
clock { name = monotonic; freq = 1000000000; offset_s = 0; };
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := stamp_t;
stream { id = 0;
  packet.context := struct { stamp_t timestamp_begin; stamp_t timestamp_end; uint64_t content_size; uint64_t packet_size; uint32_t cpu_id; };
  event.header := struct { uint32_t id; stamp_t timestamp; }; };
event { id = 0; name = "sched_switch"; stream_id = 0; fields := struct { string _prev_comm; int32_t _prev_tid; int64_t _prev_state; string _next_comm; int32_t _next_tid; }; };
event { id = 1; name = "%s"; stream_id = 0; fields := struct { int32_t _fd; }; };
event { id = 2; name = "%s"; stream_id = 0; fields := struct { int64_t _ret; }; };
event { id = 3; name = "%s"; stream_id = 0; fields := struct { int32_t _fd; }; };
event { id = 4; name = "%s"; stream_id = 0; fields := struct { int64_t _ret; }; };
event { id = 5; name = "irq_handler_entry"; stream_id = 0; fields := struct { int32_t _irq; string _name; }; };
event { id = 6; name = "irq_handler_exit"; stream_id = 0; fields := struct { int32_t _irq; int32_t _ret; }; };
event { id = 9; name = "lttng_ust_pthread:pthread_mutex_lock_req"; stream_id = 0; fields := struct { uint64_t _mutex; }; };
event { id = 10; name = "lttng_ust_pthread:pthread_mutex_lock_acq"; stream_id = 0; fields := struct { uint64_t _mutex; int32_t _status; }; };
event { id = 7; name = "ext4_sync_file_enter"; stream_id = 0; fields := struct { int32_t _ino; }; };
event { id = 8; name = "ext4_sync_file_exit"; stream_id = 0; fields := struct { int32_t _ret; }; };
'''


NEW_CALLS = ('syscall_entry_read', 'syscall_exit_read', 'syscall_entry_write', 'syscall_exit_write')


def switch(t, before, tid, why, after, then):
    return t, 0, before.encode() + b'\0' + struct.pack('<iq', tid, why) + after.encode() + b'\0' + struct.pack('<i', then)


def call(t, n, fd):
    return t, n, struct.pack('<i', fd)


def back(t, n, value):
    return t, n, struct.pack('<q', value)


def write_kernel(folder, names, streams, apart=False):
    """`names`: of the four events of calls; `streams`: of each the class, the processor and packets, which are how many events were lost until then, and its events.
    `apart`: sched_switch is of class 0, all others of class 1."""
    text = (KERNEL % names).replace('uint32_t cpu_id; };', 'uint32_t cpu_id; uint64_t events_discarded; };')
    if apart:
        begin, end = text.index('stream { id = 0;'), text.index('event { id = 0;')
        switches, others = text[end:].split('\n', 1)
        text = text[:end] + text[begin:end].replace('id = 0', 'id = 1', 1) + switches + '\n' + others.replace('stream_id = 0', 'stream_id = 1')
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'metadata'), 'w', encoding='utf-8') as f:
        f.write(text)
    for i, (stream, cpu, packets) in enumerate(streams):
        with open(os.path.join(folder, f'channel{i}_{cpu}'), 'wb') as f:
            for lost, events in packets:
                body = b''.join(struct.pack('<IQ', n, t) + fields for t, n, fields in events)
                head = struct.pack('<I', 0xc1fc1fc1) + bytes.fromhex('2a6422d06cee11e08c08cb07d7b3a564') + struct.pack('<I', stream)
                size = (len(head) + 44 + len(body)) * 8
                f.write(head + struct.pack('<QQQQIQ', events[0][0], events[-1][0], size, size, cpu, lost) + body)


def make_kernel(folder, old):
    """What a kernel tells as LTTng traces it when nobody asks for contexts: no event but sched_switch says of which thread it is: calls, and what else the kernel
    does for a thread.
    `old`: as before LTTng 2.5, when all calls of the system had one end.  A call lasts while its thread waits, and ends on
    another processor; one begins before anybody knows who runs."""
    end, irq, eth = 2 if old else 4, struct.pack('<i', 17), b'eth0\0'
    write_kernel(folder, ('sys_read', 'exit_syscall', 'sys_write', 'unused') if old else NEW_CALLS, [(0, cpu, [(0, events)]) for cpu, events in enumerate((
            [call(50, 1, 9), switch(100, 'swapper/0', 0, 0, 'reader', 5), call(200, 1, 3), switch(300, 'reader', 5, 1, 'writer', 6),
             call(400, 3, 4), call(410, 7, 1),
             (450, 5, irq + eth), (470, 6, irq + struct.pack('<i', 1)), call(480, 8, 0), back(500, end, 10),
             switch(600, 'writer', 6, 0, 'swapper/0', 0), (650, 5, irq + eth)],
            [switch(600, 'swapper/1', 0, 0, 'reader', 5), back(700, 2, 1), (720, 9, struct.pack('<Q', 99)), (760, 10, struct.pack('<Qi', 99, 0)), switch(800, 'reader', 5, 1, 'swapper/1', 0)]))])


def make(folder, r, n=300, streams=3, uuid=bytes(range(16)), big=False, begin=0, lose=False):
    """A trace of threads that move between processors; gives all events as (ns, cpu, thread, name, values)."""
    os.makedirs(folder, exist_ok=True)
    e = '>' if big else '<'
    text = '%s-%s-%s-%s-%s' % tuple(uuid.hex()[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))
    with open(os.path.join(folder, 'metadata'), 'w', encoding='utf-8') as f:
        f.write(METADATA % (text, 'be' if big else 'le'))
    depth, job, events, t = defaultdict(int), {}, [], begin + 10
    for _ in range(n):
        t += r.choice([0, 1, 5, 1000])
        thread, cpu = r.randrange(40, 44), r.randrange(streams)
        do = r.randrange(6)
        if do < 2 and depth[thread] < 6:
            depth[thread] += 1
            events.append((t, cpu, thread, 'work:begin', (r.choice(['read', 'solve', 'Dead']), depth[thread])))
        elif do < 4 and depth[thread]:
            events.append((t, cpu, thread, 'work:end', (depth[thread],)))
            depth[thread] -= 1
        elif do == 4:
            done = job.pop(thread, None)
            events.append((t, cpu, thread, 'job_done' if done else 'job_taken', (done or 'job é',)))
            if not done:
                job[thread] = 'job é'
        else:
            events.append((t, cpu, thread, 'note', (r.randrange(1 << 64), r.randrange(-9, 9), 'x' * r.randrange(20))))
        t += not r.randrange(2)
    ids = {'work:begin': 1, 'work:end': 2, 'job_taken': 3, 'job_done': 4, 'note': 5}
    for cpu in range(streams):
        mine, seq, at = [x for x in events if x[1] == cpu], 0, 0
        with open(os.path.join(folder, f'stream_{cpu}'), 'wb') as f:
            while at < len(mine):
                part = mine[at:at + r.randint(1, 40)]
                at += len(part)
                body = b''
                for ns, _, thread, name, values in part:
                    body += struct.pack(e + 'IQII', ids[name], ns, 7, thread)
                    for v in values:
                        body += (v.encode() + b'\0' if isinstance(v, str) else
                                 struct.pack(e + ('q' if v < 0 else 'Q'), v))
                head = struct.pack(e + 'I', 0xc1fc1fc1) + uuid + struct.pack(e + 'I', 0)
                size = (len(head) + 6 * 8 + 4 + len(body)) * 8
                f.write(head + struct.pack(e + 'QQQQQQI', part[0][0], part[-1][0], size, size, seq, seq * 3 if lose else 0, cpu) + body)
                seq += 1
    return events
