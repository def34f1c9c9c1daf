#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of a folder packed in one, as targets read them whose traces are folders; or what such a file holds.

    tests/fuzz/archive.py FOLDER > tests/fuzz/corpus/otf2/NAME
    tests/fuzz/archive.py --unpack FILE FOLDER"""
import os
import re
import sys


def pack(folder, names=None):
    """`names`: those of its files that are wanted, or all."""
    out = b''
    for at, _, found in sorted(os.walk(folder)):
        for name in sorted(found):
            path = os.path.relpath(os.path.join(at, name), folder)
            if names is None or path in names:
                with open(os.path.join(at, name), 'rb') as f:
                    data = f.read()
                out += f'{path.lower().replace("-", "").replace("_", "")} {len(data)}\n'.encode() + data
    return out


def unpack(data, folder):
    while data:
        head, _, data = data.partition(b'\n')
        if not re.fullmatch(rb'[a-z0-9][a-z0-9./]* \d+', head):        # the targets stop there, too
            return
        name, length = head.decode().split(' ')
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(data[:int(length)])
        data = data[int(length):]


if __name__ == '__main__':
    if sys.argv[1] == '--unpack':
        with open(sys.argv[2], 'rb') as packed:
            unpack(packed.read(), sys.argv[3])
    else:
        sys.stdout.buffer.write(pack(sys.argv[1]))
