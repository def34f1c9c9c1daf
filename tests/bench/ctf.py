#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a trace in the Common Trace Format (1.8) whose events hold what a logical event of Scope holds.

usage: ctf.py FOLDER EVENTS [STREAMS]

Begins and ends of calls of 64 tasks, each with task, duration, peer, tag, bytes and result as integers beside the date and
the kind, packed, in packets of 64 KiB; one stream a processor that records, as tracers of the kernel and of user space do.
"""
import os
import random
import struct
import sys

METADATA = '''/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
typealias integer {{ size = 32; align = 8; signed = true; }} := int32_t;
typealias integer {{ size = 64; align = 8; signed = true; }} := int64_t;

trace {{
  major = 1;
  minor = 8;
  byte_order = le;
  packet.header := struct {{ uint32_t magic; uint32_t stream_id; }};
}};

clock {{ name = global; freq = 1000000000; offset = 0; }};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.global.value; }} := date_t;

stream {{
  id = 0;
  packet.context := struct {{ date_t timestamp_begin; date_t timestamp_end; uint64_t content_size; uint64_t packet_size; }};
  event.header := struct {{ uint16_t id; date_t timestamp; }};
}};
{events}'''
EVENT = '''
event {{
  id = {number};
  name = "{name}";
  stream_id = 0;
  fields := struct {{ uint32_t task; int64_t duration; int32_t peer; int32_t tag; int64_t bytes; int32_t result; }};
}};
'''
NAMES = ['Send', 'EndSend', 'Recv', 'EndRecv', 'PkDouble', 'EndPkDouble', 'UpkDouble', 'EndUpkDouble']
PACKET = 64 << 10
HEAD = struct.Struct('<IIQQQQ')
RECORD = struct.Struct('<HQIqiiqi')


class Stream:
    def __init__(self, path):
        self.file = open(path, 'wb')
        self.begin()

    def begin(self):
        self.body = bytearray()
        self.first = self.last = 0

    def add(self, date, *fields):
        if HEAD.size + len(self.body) + RECORD.size > PACKET:
            self.end()
        if not self.body:
            self.first = date
        self.last = date
        self.body += RECORD.pack(fields[0], date, *fields[1:])

    def end(self):
        content = HEAD.size + len(self.body)
        self.file.write(HEAD.pack(0xC1FC1FC1, 0, self.first, self.last, content * 8, PACKET * 8))
        self.file.write(self.body)
        self.file.write(bytes(PACKET - content))
        self.begin()

    def close(self):
        if self.body:
            self.end()
        self.file.close()


def write(folder, events, streams=4):
    os.makedirs(folder)
    with open(os.path.join(folder, 'metadata'), 'w') as f:
        f.write(METADATA.format(events=''.join(EVENT.format(number=i, name=name) for i, name in enumerate(NAMES))))
    draw = random.Random(1)
    out = [Stream(os.path.join(folder, f'stream_{i}')) for i in range(streams)]
    date = 0
    for i in range(events):
        date += draw.randrange(1, 3000)
        task = draw.randrange(64)
        out[task % streams].add(date, draw.randrange(len(NAMES)), 262145 + task, draw.randrange(300, 200000),
                                262145 + draw.randrange(64), 10 + i % 40, 8 << draw.randrange(14), 0)
    for stream in out:
        stream.close()


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    write(sys.argv[1], int(sys.argv[2]), *map(int, sys.argv[3:]))
