# SPDX-License-Identifier: Apache-2.0
"""Reads what a watched program sends, strictly, and keeps the state that a client would have."""
import os
import select
import socket
import struct
import subprocess
import time

(POINT, TIME, INT, FLOAT, BOOL, STRING, COUNT, SIZE, SPECIAL, TREE, HASH, LOG) = range(12)
HELLO, STOP, RESUME, PERIOD, PERIOD_OF_ALL, CONTINUE, SEND_NOW = range(128, 135)


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        assert 0 <= n <= len(self.data) - self.at, f'{n} bytes wanted at {self.at} of {len(self.data)}'
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, form):
        return struct.unpack('<' + form, self.take(struct.calcsize(form)))[0]

    def text(self):
        return self.take(self.number('i'))

    def value(self):
        kind = self.number('B')
        if kind in (1, 5):
            return self.number('q')
        if kind == 2:
            return self.number('d')
        if kind == 3:
            return self.text()
        if kind == 4:
            return {0: False, 1: True}[self.number('B')]
        if kind in (6, 7):
            return 'gone' if kind == 6 else 'killed'
        if kind == 8:
            nodes = []
            for i in range(self.number('H')):
                label = self.text()
                children = tuple(self.number('H') for _ in range(self.number('H')))
                assert all(child < i for child in children)
                nodes.append((label, children))
            assert nodes
            return tuple(nodes)
        if kind == 9:
            return tuple(self.value() for _ in range(4))
        assert kind == 10, kind
        return tuple((self.number('d'), self.text()) for _ in range(self.number('H')))


def decode(data):
    """One message, as (what, tag, ...)."""
    cursor = Cursor(data)
    what = cursor.number('B')
    if what == 0:
        message = ('declare', cursor.number('H'), cursor.number('B'), cursor.text().decode())
    elif what == 1:
        message = ('send', cursor.number('H'), cursor.value())
    else:
        assert what == 2
        message = ('bind', tuple(cursor.number('H') for _ in range(cursor.number('H'))))
    assert cursor.at == len(data), 'bytes too many in a message'
    return message


class Client:
    """Connects to `where`; `messages` are all that came, the rest is the state after them."""

    def __init__(self, where, room=0):
        unix = where.startswith('unix:')
        self.socket = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
        if room:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        host, _, port = where.rpartition(':')
        self.socket.connect(where[5:] if unix else (host, int(port)))
        self.data, self.messages, self.closed = b'', [], False
        self.kind, self.name, self.value, self.end, self.binds, self.log = {}, {}, {}, {}, [], []
        self.sends = {}

    def pump(self, seconds=0.0):
        """Takes what is there, waiting for something."""
        room = 4 << 20          # a program may send faster than this reads
        while room > 0 and not self.closed and select.select([self.socket], [], [], seconds)[0]:
            try:
                more = self.socket.recv(1 << 18)
            except ConnectionError:
                more = b''
            self.closed = not more
            room -= len(more)
            self.data += more
            seconds = 0
        at = 0
        while len(self.data) - at >= 4:
            size = struct.unpack_from('<i', self.data, at)[0]
            assert 0 < size < 1 << 26, size
            if len(self.data) - at - 4 < size:
                break
            self.take(decode(self.data[at + 4:at + 4 + size]))
            at += 4 + size
        self.data = self.data[at:]

    def take(self, message):
        self.messages.append(message)
        if message[0] == 'declare':
            tag = message[1]
            assert tag not in self.kind, f'{tag} is declared twice'
            self.kind[tag], self.name[tag] = message[2:]
        elif message[0] == 'bind':
            self.binds.append(message[1])
        elif message[1] == 3:
            self.log += reversed(message[2])
        elif message[2] in ('killed', 'gone'):
            assert message[1] not in self.end, 'ended twice'
            self.end[message[1]] = message[2]
        else:
            assert message[1] not in self.end, 'a value after the end'
            assert message[1] in self.kind, 'a value before its name'
            self.value[message[1]] = message[2]
            self.sends[message[1]] = self.sends.get(message[1], 0) + 1

    def lines(self):
        return [text.decode() for _, text in self.log]

    def until(self, condition, what, seconds=20):
        """Pumps until the condition holds of this client."""
        over = time.monotonic() + seconds
        while not condition(self):
            assert time.monotonic() < over, f'not in {seconds} s: {what}; {self.messages[-5:]}'
            assert not self.closed, f'closed before: {what}'
            self.pump(0.05)
        return self

    def item(self, name, kind=None):
        return next(tag for tag in self.name if self.name[tag] == name and kind in (None, self.kind[tag]))

    def get(self, name, kind=None):
        return self.value.get(self.item(name, kind))

    def say(self, kind, form='', *numbers):
        body = struct.pack('<B' + form, kind, *numbers)
        self.socket.sendall(struct.pack('<i', len(body)) + body)

    def close(self, reset=False):
        if reset:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.socket.close()


class Program:
    """tests/viz/drive.c."""

    def __init__(self, path, listen='127.0.0.1:0', **env):
        env = {k: v for k, v in dict(os.environ, SCOPEVIZ_LISTEN=listen, **env).items() if v is not None}
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                                        text=True)
        self.n = 0

    def do(self, *words):
        """Gives what it answers, after it has done it."""
        self.process.stdin.write('\t'.join(map(str, words)) + '\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer.endswith('\n') and 'what is' not in answer, (words, answer, self.process.poll())
        return answer.strip()

    def new(self, *words):
        self.do(*words)
        self.n += 1
        return self.n - 1

    def where(self):
        return self.do('where')

    def end(self, status=0):
        """Gives what it said on stderr."""
        _, said = self.process.communicate('exit\n', timeout=60)
        assert self.process.returncode == status, (self.process.returncode, said)
        return said
