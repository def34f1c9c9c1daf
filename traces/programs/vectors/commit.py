#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""commit.py FILE - a commitment in two phases, by processes that have no common clock: customers order, a broker asks all
stores whether they can, and tells them what came of it.  Each process counts its own entries and knows of the others what
their messages told; the logs of all, as GoVector writes them, are put one behind the other into FILE."""
import json
import os
import random
import socket
import sys
import tempfile

CUSTOMERS, STORES, ORDERS = ('anna', 'bruno'), ('books', 'tools', 'wines'), 3


class Process:
    def __init__(self, name, folder):
        self.name, self.folder, self.vector = name, folder, {}
        self.random = random.Random(name)
        self.log = open(os.path.join(folder, name + '.log'), 'w', encoding='utf-8')
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(os.path.join(folder, name))

    def note(self, text):
        self.vector[self.name] = self.vector.get(self.name, 0) + 1
        self.log.write(f'{self.name} {json.dumps(self.vector, separators=(",", ":"))}\n{text}\n')
        self.log.flush()

    def send(self, text, *to):
        self.note(f'send to {", ".join(to)}: {text}')
        for one in to:
            self.socket.sendto(json.dumps([self.name, self.vector, text]).encode(), os.path.join(self.folder, one))

    def receive(self):
        sender, vector, text = json.loads(self.socket.recv(65536))
        for host, n in vector.items():
            self.vector[host] = max(self.vector.get(host, 0), n)
        self.note(f'received from {sender}: {text}')
        return sender, text


def customer(p):
    for i in range(ORDERS):
        p.note(f'thinks of order {i + 1}')
        p.send(f'order {p.name}-{i + 1}', 'broker')
        p.receive()
    p.send('leaves', 'broker')


def store(p):
    while True:
        _, text = p.receive()
        if text == 'close':
            return
        if text.startswith('can you'):
            able = p.random.random() < 0.8
            p.note('has it' if able else 'has it no more')
            p.send('yes' if able else 'no', 'broker')
        else:
            p.note('ships' if text.startswith('commit') else 'puts it back')


def broker(p):
    waiting, gone = [], 0
    while gone < len(CUSTOMERS):
        sender, text = waiting.pop(0) if waiting else p.receive()
        if text == 'leaves':
            gone += 1
            continue
        p.send('can you do ' + text, *STORES)
        votes = {}
        while len(votes) < len(STORES):
            who, said = p.receive()
            if who in STORES:
                votes[who] = said
            else:
                waiting.append((who, said))
        done = 'commit' if all(v == 'yes' for v in votes.values()) else 'give up'
        p.note(f'{done}s {text}')
        p.send(f'{done} {text}', *STORES)
        p.send(f'{done}: {text}', sender)
    p.send('close', *STORES)


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: commit.py FILE')
    with tempfile.TemporaryDirectory() as folder:
        processes = [Process(name, folder) for name in ('broker', *CUSTOMERS, *STORES)]
        children = []
        for p in processes:
            child = os.fork()
            if child == 0:
                (broker if p.name == 'broker' else customer if p.name in CUSTOMERS else store)(p)
                os._exit(0)
            children.append(child)
        for child in children:
            if os.waitpid(child, 0)[1] != 0:
                sys.exit('commit.py: a process failed')
        with open(sys.argv[1], 'w', encoding='utf-8') as out:
            for p in processes:
                with open(os.path.join(folder, p.name + '.log'), encoding='utf-8') as f:
                    out.write(f.read())


if __name__ == '__main__':
    main()
