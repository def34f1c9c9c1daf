# SPDX-License-Identifier: Apache-2.0
"""The packets of a CTF trace, found a second time: by what its metadata says of the head and the context of a packet alone."""
import os
import re
import struct

INTEGER = r'integer\s*\{([^}]*)\}'


def text_of_metadata(path):
    """Plain, or itself in packets; in either byte order."""
    with open(path, 'rb') as f:
        data = f.read()
    order = {b'\x57\x1d\xd1\x75': '<', b'\x75\xd1\x1d\x57': '>'}.get(data[:4])
    text, at = b'' if order else data, 0
    while order and at < len(data):
        content, packet = struct.unpack_from(order + 'II', data, at + 24)
        text, at = text + data[at + 37:at + content // 8], at + packet // 8
    return re.sub(rb'/\*.*?\*/', b'', text, flags=re.S).decode()


def block_from(text, at):
    """What stands between the braces that open behind `at`."""
    begin = at = text.index('{', at) + 1
    depth = 1
    while depth:
        depth += {'{': 1, '}': -1}.get(text[at], 0)
        at += 1
    return text[begin:at - 1]


class Layout:
    """Names of fields with their bits and alignment, in order."""

    def __init__(self, text):
        self.order = re.search(r'byte_order\s*=\s*(\w+)', text).group(1)
        self.types = {name: self.integer(body) for body, name in re.findall(r'typealias\s+' + INTEGER + r'\s*:=\s*([\w ]+?)\s*;', text)}
        self.structures = {name: block_from(text, m.start()) for m in re.finditer(r'struct\s+(\w+)\s*\{', text) for name in [m.group(1)]}
        self.head = self.fields(text, 'packet.header')
        self.contexts = {}
        for m in re.finditer(r'\bstream\s*\{', text):
            body = block_from(text, m.start())
            number = re.search(r'(?<![\w.])id\s*=\s*(\d+)', re.sub(r'struct[^{;]*\{.*?\}\s*;', '', body, flags=re.S))
            self.contexts[int(number.group(1)) if number else 0] = self.fields(body, 'packet.context')

    def integer(self, body):
        size, = re.search(r'size\s*=\s*(\d+)', body).groups()
        align, order = re.search(r'align\s*=\s*(\d+)', body), re.search(r'byte_order\s*=\s*(\w+)', body)
        order = order.group(1) if order and order.group(1) != 'native' else self.order
        return int(size), int(align.group(1)) if align else 8 if int(size) % 8 == 0 else 1, 'big' if order == 'be' else 'little'

    def fields(self, text, what):
        m = re.search(re.escape(what) + r'\s*:=\s*struct\s*(\w*)', text)
        if not m:
            return []
        body, out = self.structures[m.group(1)] if m.group(1) else block_from(text, m.end()), []
        for one, kind, name, n in re.findall(r'(?:' + INTEGER + r'|([\w ]+?))\s+(\w+)\s*(?:\[(\d+)\])?\s*;', body):
            out += [(name, self.integer(one) if one else self.types[kind.strip()])] * int(n or 1)
        return out

    def read(self, data, at, fields):
        """{name: value}, and the bit behind them."""
        out = {}
        for name, (size, align, order) in fields:
            at += -at % align
            out[name] = int.from_bytes(data[at // 8:(at + size) // 8], order)
            at += size
        return out, at


def packets(folder):
    """Of each packet the stream that it is of."""
    layout, out = Layout(text_of_metadata(os.path.join(folder, 'metadata'))), []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name == 'metadata' or not os.path.isfile(path):
            continue
        with open(path, 'rb') as f:
            data = f.read()
        at = 0
        while at < len(data):
            head, behind = layout.read(data[at:], 0, layout.head)
            stream = head.get('stream_id', next(iter(layout.contexts), 0))
            context, _ = layout.read(data[at:], behind, layout.contexts.get(stream, []))
            out.append((stream, head['stream_instance_id']) if 'stream_instance_id' in head else name)
            at += context.get('packet_size', 8 * len(data)) // 8
    return out
