#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program that is linked with libscopeviz sends, read by a decoder of its own.  test-viz.py CASE BUILD SOURCE"""
import json
import math
import os
import random
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time

from wire import *

CASE, BUILD, SOURCE = sys.argv[1:4]
DRIVE = os.path.join(BUILD, 'tests', 'viz', 'viz-drive')
SKIP = 77
SLOW = 'asan' if b'__asan_init' in open(DRIVE, 'rb').read() else 'tsan' if b'__tsan_init' in open(DRIVE, 'rb').read() else ''


def same(a, b):
    return a == b or isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)


def seen(program, client, mark=[0]):
    """The client has all that the program has done until now: the log is the last of a batch."""
    mark[0] += 1
    program.do('log', f'mark {mark[0]}')
    program.do('now')
    client.until(lambda c: c.log and c.lines()[-1] == f'mark {mark[0]}', 'the mark')


def case_model():
    """Random things are done; at random instants two clients, one of which came late, have the state of a model."""
    for seed in range(3):
        rng = random.Random(seed)
        p = Program(DRIVE, OCAMLVIZ_PERIOD=rng.choice(['0.01', '0.05', '1']))
        model, kinds, dead = {}, {}, {}
        clients = [Client(p.where())]

        def make():
            kind = rng.choice(['point', 'int', 'float', 'bool', 'string', 'tag', 'count', 'size', 'hash', 'tree'])
            name = f'{kind} {p.n} é'
            i = p.new('new', kind, name)
            kinds[i] = (kind, name)
            if kind in ('point', 'count', 'size'):
                model[i] = 0
            elif kind == 'tag':
                model[i] = (0, 0)

        def change(i):
            kind = kinds[i][0]
            if kind == 'point':
                n = rng.randrange(1000)
                p.do('hit', i, n)
                model[i] += n
            elif kind == 'int':
                model[i] = rng.choice([0, -1, 2 ** 62, -2 ** 63, 2 ** 63 - 1, rng.randrange(10 ** 6)])
                p.do('int', i, model[i])
            elif kind == 'float':
                model[i] = rng.choice([math.nan, -math.inf, -0.0, 1e-310, rng.random() * 1e9])
                p.do('float', i, repr(model[i]))
            elif kind == 'bool':
                model[i] = rng.random() < 0.5
                p.do('bool', i, int(model[i]))
            elif kind == 'string':
                text = ''.join(rng.choice('aé∀🐫 ') for _ in range(rng.randrange(2000)))
                model[i] = text.encode()
                p.do('string', i, text)
            elif kind in ('tag', 'count', 'size'):
                size = rng.randrange(10000)
                more = rng.random() < 0.7
                p.do('add' if more else 'remove', i, size)
                sign = 1 if more else -1
                if kind == 'tag':
                    model[i] = (model[i][0] + sign * size, model[i][1] + sign)
                else:
                    model[i] += sign * (size if kind == 'size' else 1)
            elif kind == 'hash':
                model[i] = tuple(rng.randrange(10 ** 9) for _ in range(4))
                p.do('hash', i, *model[i])
            else:
                nodes = []
                for n in range(rng.randrange(1, 30)):
                    children = tuple(rng.randrange(n) for _ in range(rng.randrange(4))) if n else ()
                    nodes.append((b'n%d' % rng.randrange(100), children))
                model[i] = tuple(nodes)
                p.do('tree', i, ';'.join(label.decode() + (':' + ','.join(map(str, c)) if c else '') for label, c in nodes))

        def check():
            for client in clients:
                seen(p, client)
                for i, (kind, name) in kinds.items():
                    if kind == 'tag':
                        size, count = client.item(name, SIZE), client.item(name, COUNT)
                        assert (client.value[size], client.value[count]) == model[i], (name, model[i])
                        assert (size, count) in client.binds and client.end.get(size) == client.end.get(count) == dead.get(i)
                    else:
                        tag = client.item(name)
                        assert same(client.value.get(tag), model.get(i)), (name, client.value.get(tag), model.get(i))
                        assert client.end.get(tag) == dead.get(i), name

        for step in range(400):
            alive = [i for i in kinds if i not in dead]
            if not alive or rng.random() < 0.1:
                make()
            elif rng.random() < 0.03:
                i = rng.choice(alive)
                dead[i] = rng.choice(['killed', 'gone'])
                p.do('kill' if dead[i] == 'killed' else 'gone', i)
            else:
                change(rng.choice(alive))
            if step == 200:
                clients.append(Client(p.where()))
                p.do('wait', 2, 10000)
            if rng.random() < 0.05:
                check()
        check()
        assert p.end() == ''
    print('two clients had the state of the model at some sixty instants')


def case_order():
    """The first client gets the log before the names, a later one names, groups, ends, the log: as of the original."""
    p = Program(DRIVE, OCAMLVIZ_PERIOD='0.05')
    for kind in ('point', 'time', 'int', 'tag', 'string'):
        p.new('new', kind, kind)
    p.do('int', 2, 7)
    p.do('string', 4, 'x')
    p.do('log', 'before')
    a = Client(p.where()).until(lambda c: 1 in c.value, 'a batch')
    log, names = a.messages[0], [m for m in a.messages if m[0] == 'declare']
    assert log == ('send', 3, ()), log
    seen(p, a)
    assert a.lines()[0] == 'before', 'at the end of the batch'
    assert a.messages[1:len(names) + 1] == names, a.messages
    assert [m[1] for m in names] == [10, 9, 8, 7, 6, 5, 4, 2, 3, 1, 0], names
    assert [m[2] for m in names] == [STRING, COUNT, SIZE, INT, TIME, POINT, SPECIAL, SPECIAL, LOG, SPECIAL, SPECIAL]
    assert a.name[4] == 'scope/1' and a.messages[len(names) + 1] == ('bind', (8, 9))
    assert [m[1] for m in a.messages[len(names) + 2:]][:9] == [5, 2, 6, 7, 10, 8, 9, 0, 1], a.messages[len(names) + 2:]
    assert a.value[7] == 7 and a.value[10] == b'x' and a.value[5] == 0 and (SLOW or a.value[0] >= a.value[1] > 0)
    p.do('hit', 0, 3)
    p.do('kill', 0)
    p.do('gone', 2)
    p.do('new', 'point', 'late')
    seen(p, a)
    own = a.messages[next(i for i, m in enumerate(a.messages) if m[0] == 'declare' and m[3] == 'late'):]
    assert own[0] == ('declare', 11, POINT, 'late') and own[1] == ('send', 5, 3) and own[2] == ('send', 5, 'killed'), own
    assert [m[1] for m in own[3:]][:4] == [11, 2, 6, 7], own
    p.do('lines', 250)
    b = Client(p.where()).until(lambda c: 1 in c.value, 'a batch')
    kinds = [m[0] for m in b.messages]
    assert kinds[:12] == ['declare'] * 12 and kinds[12] == 'bind'
    assert b.messages[13:17] == [('send', 5, 3), ('send', 5, 'killed'), ('send', 7, 7), ('send', 7, 'gone')], b.messages[13:]
    assert b.messages[17][:2] == ('send', 3) and [t for _, t in b.messages[17][2]] == [b'line %d' % i for i in range(249, 49, -1)]
    assert b.messages[18][1] == 11
    dates = [date for date, _ in a.log + b.log]
    assert all(0 < date <= a.value[2] + 10 for date in dates) and sorted(d for d, _ in b.log) == [d for d, _ in b.log]
    p.end()


def case_sources():
    """Variables that are read, functions that are called, periods, times."""
    p = Program(DRIVE, OCAMLVIZ_PERIOD='0.02')
    watched = {kind: p.new('watch', kind, 'w ' + kind) for kind in ('int', 'int32', 'float', 'bool', 'string')}
    called = {kind: p.new('call', kind, 'c ' + kind) for kind in ('int', 'float', 'bool', 'string', 'hash', 'tree')}
    never = p.new('new', 'int', 'never set')
    cpu, wall, idle = p.new('new', 'time', 'cpu'), p.new('new', 'wall', 'wall'), p.new('new', 'time', 'idle')
    c = Client(p.where())
    p.do('wait', 1, 10000)
    for n in (5, -8, 1234567):
        p.do('watched', n)
        for i in called.values():
            p.do('called', i, n)
        seen(p, c)
        want = {'w int': n, 'w int32': n, 'w float': n / 4, 'w bool': bool(n & 1), 'w string': b'now %d' % n, 'c int': n,
                'c float': n / 8, 'c bool': bool(n & 1), 'c string': b'text %d' % n, 'c hash': (n, n + 1, n + 2, n + 3),
                'c tree': ((b'leaf', ()), (b'root %d' % n, (0, 0)))}
        for name, value in want.items():
            assert c.get(name) == value, (name, c.get(name), value)
    assert c.get('never set') is None and c.item('never set')
    p.do('period', called['int'], 400)
    time.sleep(0.5)
    before = dict(c.sends)
    for _ in range(40):
        time.sleep(0.02)
        c.pump()
    slow, fast = (c.sends[c.item('c ' + k)] - before[c.item('c ' + k)] for k in ('int', 'float'))
    assert slow >= 1 and fast > 3 * slow, (slow, fast)
    p.do('kill', called['float'])
    p.do('called', called['float'], 99)
    seen(p, c)
    assert c.get('c float') == 1234567 / 8 and c.end[c.item('c float')] == 'killed'

    assert p.do('start', cpu) == '1' and p.do('start', cpu) == '0' and p.do('start', wall) == '1' and p.do('stop', idle) == '0'
    p.do('burn', 30, 2)
    seen(p, c)
    running = c.get('cpu')
    assert running >= 0.09, running
    p.do('doze', 200)
    seen(p, c)
    assert c.get('cpu') < running + 0.15 and c.get('wall') >= running + 0.2, (c.get('cpu'), c.get('wall'))
    assert p.do('stop', cpu) == '1' and p.do('stop', cpu) == '0'
    stopped = [seen(p, c), c.get('cpu')][1]
    p.do('burn', 20, 0)
    seen(p, c)
    assert c.get('cpu') == stopped and c.get('idle') == 0.0 and c.get('wall') > stopped
    assert c.get('burn', POINT) == 4 and 0.11 <= c.get('burn', TIME) < 0.3, c.get('burn', TIME)
    assert c.get('doze', POINT) == 1 and 0.2 <= c.get('doze', TIME) < 2
    assert (c.item('burn', POINT), c.item('burn', TIME)) in c.binds
    assert c.get('burn', TIME) < c.value[2], 'a share of the whole'
    p.end()


def case_trees():
    p = Program(DRIVE, OCAMLVIZ_PERIOD='60')
    t = p.new('new', 'tree', 't')
    c = Client(p.where())
    p.do('wait', 1, 10000)

    def shown(*words):
        p.do(*words)
        seen(p, c)
        return c.get('t')
    assert shown('tree', t, 'a;b:0;c:0,1,0') == ((b'a', ()), (b'b', (0,)), (b'c', (0, 1, 0)))
    assert b'before its parent' in shown('tree', t, 'a;b:1')[0][0]
    assert shown('chain', t, 3) == ((b'2', ()), (b'1', (0, 0)), (b'0', (1, 1)))
    deep = shown('chain', t, 60000)
    assert len(deep) == 60000 and deep[-1] == (b'0', (59998, 59998)) and deep[0] == (b'59999', ())
    assert len(shown('chain', t, 65535)) == 65535
    assert shown('chain', t, 65536) == ((b'(too large to be shown: more than 65535 nodes)', ()),)
    assert b'circle' in shown('chain', t, -10)[0][0]
    assert len(shown('tree', t, ';'.join('n' for _ in range(65535)))) == 65535
    assert b'too large' in shown('tree', t, ';'.join('n' for _ in range(65536)))[0][0]
    assert shown('tree', t, '') == ((b'', ()),)
    p.end()


def case_slow():
    """A client that does not read never holds up the program; when it reads, it gets all that is told once and the latest
    values; memory is bounded and what was lost is told."""
    folder = tempfile.TemporaryDirectory()      # a Unix socket: it has no window that is slow to open
    p = Program(DRIVE, f'unix:{folder.name}/s', OCAMLVIZ_PERIOD='0.01')
    big = [p.new('new', 'string', f's{i}') for i in range(40)]
    c = Client(p.where())
    p.do('wait', 1, 10000)
    kills, began = 0, time.monotonic()
    for step in range(300):
        for i in big:
            p.do('string', i, f'{step} ' + 'x' * 2000)
        p.do('log', f'step {step}')
        if step % 10 == 0:
            p.do('kill', p.new('new', 'point', f'short {step}'))
            kills += 1
    assert time.monotonic() - began < (60 if SLOW else 20)
    seen(p, c)
    assert [line for line in c.lines() if line.startswith('step')] == [f'step {i}' for i in range(300)]
    assert len(c.end) == kills and all(c.get(f's{i}').startswith(b'299 x') for i in range(40))
    assert sum(c.sends[c.item(f's{i}')] for i in range(40)) < 40 * 300 * 0.9, 'nothing was left out'

    def memory():
        with open(f'/proc/{p.process.pid}/statm') as f:
            return int(f.read().split()[1]) * 4096
    before = memory()
    for _ in range(20):
        p.do('lines', 10000)
        for i in big:
            p.do('string', i, 'y' * 60000)
        p.do('now')
    if not SLOW:
        assert memory() - before < 60 << 20, memory() - before
    seen(p, c)
    told = [line for line in c.lines() if 'are lost' in line]
    lost = sum(int(re.search(r'(\d+) lines', line)[1]) for line in told)
    assert told and lost + sum(line.startswith('line ') for line in c.lines()) == 200000, (told, lost)
    assert p.end() == ''


def case_many():
    """A hundred clients; some are killed, some reset the connection, some send half a message."""
    p = Program(DRIVE, OCAMLVIZ_PERIOD='0.5')
    p.do('many', 'point', 200)
    clients = [Client(p.where()) for _ in range(100)]
    assert p.do('wait', 100, 20000) == '1' and p.do('clients') == '100'
    p.do('hit', 199, 5)
    seen(p, clients[0])
    for c in clients:
        c.until(lambda c: 'point 199' in c.name.values() and c.get('point 199') == 5, 'the value')
        assert c.get('point 199') == 5 and len(c.name) == 205
    for i, c in enumerate(clients[1:]):
        if i % 3 == 0:
            c.socket.sendall(b'\x05\x00')
        c.close(reset=i % 2 == 0)
    clients[0].until(lambda c: p.do('clients') == '1', 'one is left')
    seen(p, clients[0])
    killed = subprocess.Popen([sys.executable, '-c', f'''
import socket, time
host, port = {p.where()!r}.rsplit(":", 1)
s = socket.create_connection((host, int(port))); print(len(s.recv(10)), flush=True); time.sleep(60)'''], stdout=subprocess.PIPE)
    killed.stdout.readline()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    clients[0].until(lambda c: p.do('clients') == '1', 'the killed one has left')
    clients[0].close()
    assert p.do('nobody', 10000) == '1'
    assert p.end() == ''


def case_commands():
    """What clients ask for: docs/scopeviz-protocol.md."""
    p = Program(DRIVE, OCAMLVIZ_PERIOD='0.02')
    p.do('many', 'point', 3)
    tag, called = p.do('new', 'tag', 'tag'), p.do('call', 'int', 'called')
    a, b = Client(p.where()), Client(p.where())
    p.do('wait', 2, 10000)
    for c in (a, b):
        seen(p, c)
    point = a.item('point 1')

    def rates(seconds=0.5):
        for c in (a, b):
            c.pump()
        before, over = (dict(a.sends), dict(b.sends)), time.monotonic() + seconds
        while time.monotonic() < over:
            for c in (a, b):
                c.pump(0.01)
        return [{t: c.sends[t] - old.get(t, 0) for t in c.sends} for c, old in zip((a, b), before)]
    a.say(STOP, 'H', point)
    a.say(STOP, 'H', a.item('tag', SIZE))
    seen(p, a)
    of_a, of_b = rates()
    assert of_a[point] == 0 < of_b[point] and of_a[a.item('tag', COUNT)] == 0 < of_a[a.item('point 0')], of_a
    a.say(RESUME, 'H', point)
    seen(p, a)
    assert rates()[0][point] > 5
    a.say(PERIOD, 'HI', point, 60000)
    seen(p, a)
    seen(p, a)
    of_a, of_b = rates()
    assert of_a[point] == of_b[point] == 0 < of_a[a.item('point 0')]
    b.say(PERIOD_OF_ALL, 'I', 60000)
    time.sleep(0.2)
    a.pump()
    assert rates()[0][2] <= 1
    p.do('hit', 0, 77)
    for n in range(50):
        a.say(SEND_NOW)
    a.until(lambda c: c.value[c.item('point 0')] == 77, 'a batch at once', 5)
    b.say(PERIOD_OF_ALL, 'I', 20)
    assert rates()[0][2] > 5
    # an end is told even of what was stopped
    p.do('kill', 3)
    seen(p, a)
    assert len(a.end) == 2
    # break points
    assert p.do('break', 5000, 'nobody minds') == '0'
    a.say(HELLO, 'BB', 1, 1)
    seen(p, a)
    assert p.do('break', 100, 'too late') == '0'
    threading.Thread(target=lambda: (a.until(lambda c: 'held' in c.lines(), 'held'), a.say(CONTINUE, 'Q', 0))).start()
    began = time.monotonic()
    assert p.do('break', 20000, 'held') == '1' and time.monotonic() - began < 10
    seen(p, a)
    assert a.get('scope:break') == 3 and {'nobody minds', 'too late', 'held'} <= set(a.lines())
    threading.Timer(0.2, a.close).start()
    assert p.do('break', -1, 'the client leaves') == '0'
    b.say(PERIOD_OF_ALL, 'I', 60000)    # which is over when nobody is there any more
    seen(p, b), b.close()
    p.do('wait', 0, 10000)
    Client(p.where()).until(lambda c: 'point 0' in c.name.values() and c.sends.get(c.item('point 0'), 0) > 5, 'batches as before', 10)
    assert p.end() == ''


def case_hostile():
    """Clients that send nonsense, without end or length, do no harm."""
    p = Program(DRIVE, OCAMLVIZ_PERIOD='0.02')
    p.do('new', 'point', 'p')
    good = Client(p.where())
    rng = random.Random(1)
    sent = 0
    for i in range(60):
        bad = Client(p.where())
        body = bytes(rng.randrange(256) for _ in range(rng.randrange(2000)))
        if i % 4 == 0:
            body = struct.pack('<I', rng.choice([0, 1, 300, 1 << 20, (64 << 20) + 1, 0xffffffff])) + body
        elif i % 4 == 1:
            body = b''.join(struct.pack('<iB', 1 + len(part), rng.randrange(128, 140)) + part
                            for part in (bytes(rng.randrange(256) for _ in range(rng.randrange(9))) for _ in range(100)))
        elif i % 4 == 2:
            body *= 20000 // (len(body) + 1) + 1
        bad.socket.settimeout(0.2)
        try:
            sent += len(body)
            bad.socket.sendall(body)
        except OSError:
            pass
        p.do('hit', 0, 1)
        bad.close(reset=i % 2)
    good.say(PERIOD_OF_ALL, 'I', 20)
    good.say(PERIOD, 'HI', good.until(lambda c: 5 in c.kind, 'named').item('p'), 0)
    good.say(RESUME, 'H', good.item('p'))
    seen(p, good)
    seen(p, good)
    assert good.get('p') == 60, good.get('p')
    # one that floods: its share is small, and the program has the time it has without it
    flood = Client(p.where())
    flood.socket.setblocking(False)
    message = struct.pack('<iB', 1, SEND_NOW) * 10000
    before, over, taken = good.sends[good.item('p')], time.monotonic() + 1, 0
    while time.monotonic() < over:
        try:
            taken += flood.socket.send(message)
        except BlockingIOError:
            time.sleep(0.001)
        good.pump()
        flood.pump()
    assert taken < 40 << 20 and good.sends[good.item('p')] - before < 300, (taken, good.sends)
    assert p.end() == ''


def case_places():
    """Where a program listens, and what it says if it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'socket')
        p = Program(DRIVE, f'unix:{path},127.0.0.1:0,[::1]:0' if socket.has_ipv6 and os.path.exists('/proc/net/if_inet6') and
                    open('/proc/net/if_inet6').read() else f'unix:{path},127.0.0.1:0')
        p.do('new', 'point', 'p')
        places = p.where().split(',')
        assert places[0] == f'unix:{path}' and stat.S_IMODE(os.stat(path).st_mode) == 0o600, oct(os.stat(path).st_mode)
        for place in places[:2]:
            c = Client(place)
            seen(p, c)
            assert c.get('p') == 0 and c.name[4] == 'scope/1'
            c.close()
        second = Program(DRIVE, f'unix:{path}')
        second.do('new', 'point', 'p')
        assert second.where() == ''
        said = second.end()
        assert 'unobserved' in said and said.count('\n') == 1, said
        p.process.kill()
        p.process.wait()
        assert os.path.exists(path)
        p = Program(DRIVE, f'unix:{path}')          # what a killed program left is taken over
        p.do('new', 'point', 'p')
        seen(p, Client(f'unix:{path}'))
        p.end()
        assert not os.path.exists(path)
        with open(path, 'w') as f:
            f.write('mine')
        p = Program(DRIVE, f'unix:{path}')          # a file of somebody is not removed
        assert p.where() == '' and 'unobserved' in p.end() and open(path).read() == 'mine'
    taken = socket.socket()
    taken.bind(('127.0.0.1', 0))
    taken.listen(1)
    port = str(taken.getsockname()[1])
    p = Program(DRIVE, None, OCAMLVIZ_PORT=port)
    for i in range(3):
        p.do('new', 'point', 'p')
        p.do('hit', 0, 1)
        p.do('now')
    assert p.where() == '' and p.do('wait', 1, -1) == '0' and p.do('nobody', -1) == '0' and p.do('break', -1, 'x') == '0'
    assert p.do('listen', '127.0.0.1:0') == '1', 'it may still be told to'
    seen(p, Client(p.where()))
    said = p.end()
    assert said.count('\n') == 1 and f'port {port} of 127.0.0.1 is taken' in said and 'unobserved' in said, said
    free = socket.socket()
    free.bind(('127.0.0.1', 0))
    port = str(free.getsockname()[1])
    free.close()
    p = Program(DRIVE, None, OCAMLVIZ_PORT=port)
    assert p.where() == f'127.0.0.1:{port}'
    p.end()
    for place, word in {'nonsense': 'not a port', '127.0.0.1:70000': 'not a port', 'unix:': 'path', 'unix:' + 'x' * 200: 'path',
                        '1,2,3,4,5,6': '', '300.300.300.300:1': 'cannot listen'}.items():
        p = Program(DRIVE, place)
        assert p.where() == ''
        said = p.end()
        assert word in said and 'unobserved' in said and said.count('\n') == 1, (place, said)
    p = Program(DRIVE, 'off')
    p.do('new', 'point', 'p')
    assert p.where() == '' and p.end() == ''


def case_periods():
    """The period in the environment; what is no period is said and not taken."""
    for env, least, most in (({'OCAMLVIZ_PERIOD': '0.01'}, 25, 110), ({'OCAMLVIZ_PERIOD': '0.3'}, 2, 7), ({}, 5, 14),
                             ({'OCAMLVIZ_PERIOD': '0'}, 5, 14), ({'OCAMLVIZ_PERIOD': 'x'}, 5, 14), ({'OCAMLVIZ_PERIOD': '-1'}, 5, 14)):
        p = Program(DRIVE, **env)
        c = Client(p.where())
        over = time.monotonic() + 1
        while time.monotonic() < over:
            c.pump(0.01)
        assert (least if not SLOW else 1) <= c.sends[2] <= most, (env, c.sends)
        said = p.end()
        assert ('must be seconds' in said) == (env.get('OCAMLVIZ_PERIOD') in ('0', 'x', '-1')), said
    for name in ('OCAMLVIZ_HEAP_PERIOD', 'OCAMLVIZ_GC_PERIOD'):
        p = Program(DRIVE, OCAMLVIZ_PERIOD='0.01', **{name: '30'})
        i = p.new('new', 'string', 's')
        c = Client(p.where()).until(lambda c: 1 in c.value, 'the heap')
        for n in range(20):
            p.do('string', i, 'x' * 3000 * n)
            p.do('new', 'point', str(n))
            seen(p, c)
        assert c.sends[0] == c.sends[1] == 1, c.sends
        p.end()


def case_process():
    """fork, signals, exit."""
    p = Program(DRIVE, OCAMLVIZ_PERIOD='0.02')
    p.do('new', 'point', 'p')
    c = Client(p.where())
    p.do('wait', 1, 10000)
    p.do('fork')
    p.do('hit', 0, 4)
    seen(p, c)
    assert c.get('p') == 4 and not any('child' in line for line in c.lines())
    n, elsewhere = p.do('signals', 300).split()
    assert int(n) == 300 and elsewhere == '0', (n, elsewhere)
    p.do('hit', 0, 38)
    p.do('log', 'the last word')
    began = time.monotonic()
    p.process.stdin.write('exit\n')
    p.process.stdin.flush()
    c.until(lambda c: c.closed, 'the end', 2.5)      # although the child lives, for 3 s
    assert c.get('p') == 42 and c.lines()[-1] == 'the last word' and time.monotonic() - began < 2.5
    p.process.wait()
    # a client that does not read delays the end by half a second at most
    p = Program(DRIVE)
    i = p.new('new', 'string', 's')
    c = Client(p.where(), room=2048)
    p.do('wait', 1, 10000)
    for n in range(100):
        p.do('string', i, 'z' * 60000)
        p.do('now')
    began = time.monotonic()
    p.end()
    assert time.monotonic() - began < (6 if SLOW else 2)
    # once more after the end of the server
    p = Program(DRIVE)
    p.do('new', 'point', 'p')
    seen(p, Client(p.where()))
    p.do('halt')
    assert p.where() == '' and p.do('listen', '127.0.0.1:0') == '1'
    p.do('hit', 0, 9)
    c = Client(p.where())
    seen(p, c)
    assert c.get('p') == 9
    p.end()


def case_numbers():
    """All numbers of the protocol; what has none is not shown and does no harm.  Ten thousand items at 10 Hz."""
    p = Program(DRIVE)
    p.do('many', 'int', 10000)
    c = Client(p.where())
    p.do('wait', 1, 10000)
    cpu = lambda: sum(map(int, open(f'/proc/{p.process.pid}/stat').read().rsplit(')', 1)[1].split()[11:13])) / os.sysconf('SC_CLK_TCK')
    for i in range(0, 10000, 100):
        p.do('int', i, i)
    seen(p, c)
    before, over = cpu(), time.monotonic() + 2
    while time.monotonic() < over:
        c.pump(0.05)
    spent = (cpu() - before) / 2
    print(f'10000 items at 10 Hz: {100 * spent:.1f} % of a core')
    assert SLOW or spent < 0.15, spent
    assert all(c.get(f'int {i}') == i for i in range(0, 10000, 100))
    p.do('many', 'point', 56000)
    p.do('hit', 65530, 3)
    p.do('hit', 65900, 3)
    p.do('kill', 65900)
    p.do('bind', 65530, 65900)
    seen(p, c)
    assert max(c.kind) == 65535 and len(c.kind) == 65536 and c.value[65535] == 3
    said = p.end()
    assert 'numbers that the protocol has are used' in said and said.count('\n') == 1, said


def case_cost():
    """A pass costs 5 ns at most with a client connected."""
    if SLOW:
        sys.exit(SKIP)
    p = Program(DRIVE, OCAMLVIZ_PERIOD='0.01')
    p.do('new', 'point', 'p')
    alone = float(p.do('cost', 0))
    c = Client(p.where())
    p.do('wait', 1, 10000)
    watched = float(p.do('cost', 0))
    seen(p, c)
    assert c.get('p') == 40000000
    print(f'a pass costs {alone:.2f} ns alone, {watched:.2f} ns with a client')
    assert watched < 10, watched        # of a machine that has other work; docs/benchmarks.md has the figure
    p.end()


def case_headers():
    """The header is C and C++ of any age that warns of nothing; the macros compile, and off they are nothing."""
    text = '''
#include "scopeviz.h"
static int inside (int n)
{
  SCOPEVIZ_FUNCTION ();
  { SCOPEVIZ_BLOCK ("block"); SCOPEVIZ_POINT ("point"); }
  return n;
}
static int outside (int n) { SCOPEVIZ_FUNCTION_WALL (); return n; }
static int counted (int n) { SCOPEVIZ_CALLS (); return n; }
int main (void) { ScopevizItem *p = scopeviz_point_new ("x"); scopeviz_point (p); scopeviz_log ("%d", 1); return inside (0) + outside (0) + counted (0); }
'''
    listed = subprocess.run(['nm', '-D', '--defined-only', os.path.join(BUILD, 'traces/tracers/viz/libscopeviz.so')], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    given = {line.split()[-1] for line in listed.splitlines() if line.split()[-2] in 'TDBR'}
    told = set(re.findall(r'SCOPEVIZ_API [^;]*?(scopeviz_\w+) \(', open(os.path.join(SOURCE, 'traces/tracers/viz/scopeviz.h')).read()))
    assert SLOW or given == told, given ^ told
    done = []
    with tempfile.TemporaryDirectory() as folder:
        for compiler, suffix, options in (('g++', 'cc', ['-std=c++11']), ('clang++', 'cc', ['-std=c++20']), ('gcc', 'c', ['-std=gnu99']),
                                          ('gcc', 'c', ['-std=c17']), ('clang', 'c', ['-std=c17']), ('gcc', 'c', ['-std=c17', '-DSCOPEVIZ_OFF'])):
            if not shutil.which(compiler):
                continue
            source = os.path.join(folder, 'x.' + suffix)
            with open(source, 'w') as f:
                f.write(text)
            subprocess.run([compiler, *options, '-Wall', '-Wextra', '-Wshadow', '-Werror', '-Wpedantic', '-c', source, '-o', os.path.join(folder, 'x.o'),
                            '-I', os.path.join(SOURCE, 'traces', 'tracers', 'viz')], check=True)
            done.append(compiler)
            library = os.path.join(BUILD, 'traces', 'tracers', 'viz')
            if not SLOW:
                subprocess.run([compiler, os.path.join(folder, 'x.o'), '-L', library, '-lscopeviz', '-pthread', '-o', os.path.join(folder, 'x')],
                               check=True)
                subprocess.run([os.path.join(folder, 'x')], check=True, env=dict(os.environ, LD_LIBRARY_PATH=library, SCOPEVIZ_LISTEN='off'))
    print('compiled by', ', '.join(done))
    if not done:
        sys.exit(SKIP)


def case_samples():
    """The sample programs, to their end."""
    env = dict(os.environ, SCOPEVIZ_LISTEN='127.0.0.1:0')
    where = lambda p: re.search(r'scope live (\S+)', p.stderr.readline())[1]
    p = subprocess.Popen([os.path.join(BUILD, 'traces/programs/viz/viz-orders'), '120'], stderr=subprocess.PIPE, env=env, text=True)
    c = Client(where(p))
    while not c.closed:
        c.pump(1)
    orders = 50 + 50 * 6 + 20
    assert p.wait() == 0 and c.get('orders taken') == c.get('work_on', POINT) == orders, c.value
    assert c.get('orders in memory', COUNT) == c.get('orders in memory', SIZE) == 0
    assert c.get('large orders') == sum(i % 7 == 6 for i in range(orders)) and c.end[c.item('orders waiting')] == 'killed'
    assert c.lines()[-1] == f'{orders} orders were served' and c.get('phase') == b'calm' and c.get('a rush') is False
    p = subprocess.Popen([os.path.join(BUILD, 'traces/programs/viz/viz-index'), '200'], stderr=subprocess.PIPE, env=env, text=True)
    c = Client(where(p))
    while not c.closed:
        c.pump(1)
    assert p.wait() == 0
    places, elements, empty, longest = c.get('table')
    assert elements == 200 == c.get('words') == c.get('insert') and places == 128 and 0 < empty < places and longest < 10
    tree = c.get('search tree')
    words = sorted(label for label, _ in tree)
    assert len(tree) == 200 and words == sorted(b'%x' % (i * 2654435761 % 2 ** 32 % 65521) for i in range(1, 201))
    children = [child for _, children in tree for child in children]
    assert sorted(children) == list(range(199)), 'a tree: each has one parent but the root'
    assert c.get('warm-up') == 10 and c.end[c.item('warm-up')] == 'killed' and c.get('scope:break') == 1


def case_live():
    """scope live receives it: the last of everything, of a program that one can count by hand, and what it asks for."""
    with tempfile.TemporaryDirectory() as folder:
        place, trace = f'unix:{folder}/s', os.path.join(folder, 'orders.trace')
        p = subprocess.Popen([os.path.join(BUILD, 'traces/programs/viz/viz-orders'), '120'], stderr=subprocess.PIPE, text=True,
                             env=dict(os.environ, SCOPEVIZ_LISTEN=place))
        p.stderr.readline()
        done = subprocess.run([os.environ['SCOPE'], 'live', place, '--json', '-o', trace], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and p.wait() == 0 and 'left out' not in done.stderr, (done.returncode, done.stderr)
        last, ends, lines = {}, {}, []
        for line in done.stdout.splitlines():
            record = json.loads(line)
            if 'is' in record:
                ends[record.get('name')] = record['is']
                continue
            for key, value in record.items():
                if key in ('t', 'program', 'name', 'kind'):
                    continue
                if isinstance(value, dict):
                    lines.append(value['line'])
                else:
                    last[record.get('name'), record['kind'].lower(), key] = value
        value = lambda name, *keys: [last.get((name, kind, key)) for n, kind, key in last if n == name and key in keys]
        orders = 50 + 50 * 6 + 20
        assert value('orders taken', 'Count') == value('work_on', 'Count') == [orders], last
        assert 0 < value('work_on', 'Time')[0] < value(None, 'ProcessorTime')[0], last
        assert value('orders in memory', 'Size', 'Living') == [0, 0] and value('phase', 'String') == ['calm'] and value('a rush', 'Boolean') == [False]
        assert ends['orders waiting'] == 'killed' and lines[-1] == f'{orders} orders were served', (ends, lines)
        again = subprocess.run([os.environ['SCOPE'], 'events', trace], capture_output=True, text=True)
        if 'no component provides' not in again.stderr:
            assert again.returncode == 0 and f'{orders} orders were served' in again.stdout, again.stderr


def case_original():
    """The original client connects and writes what it is told."""
    ascii = shutil.which('ocamlviz-ascii')
    if not ascii:
        print('ocamlviz-ascii (Debian: ocamlviz) is not installed')
        sys.exit(SKIP)
    p = Program(DRIVE, OCAMLVIZ_PERIOD='0.05')
    for kind in ('point', 'time', 'int', 'float', 'bool', 'string', 'tag', 'hash', 'tree'):
        p.new('new', kind, 'my ' + kind)
    p.do('burn', 5, 0)
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, 'log')
        client = subprocess.Popen([ascii, '-server', '127.0.0.1', '-port', p.where().split(':')[1], '-o', log],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert p.do('wait', 1, 10000) == '1'
        p.do('hit', 0, 110)
        p.do('int', 2, -5)
        p.do('float', 3, 2.5)
        p.do('bool', 4, 1)
        p.do('string', 5, 'hello')
        p.do('add', 6, 4096)
        p.do('hash', 7, 17, 5, 13, 2)
        p.do('tree', 8, 'leaf;root:0,0')
        p.do('log', 'a line')
        p.do('kill', 2)
        p.do('break', 0, 'a break')
        over, last = time.monotonic() + 30, ''      # it writes a state each second, and does not end by itself
        while 'a line' not in last or 'break' not in last:
            assert time.monotonic() < over and client.poll() is None, last
            time.sleep(0.2)
            states = open(log, errors='replace').read().split('#' * 39) if os.path.exists(log) else []
            last = states[-2] if len(states) > 1 else ''
        p.end()
        client.kill()
        said = client.communicate()[1].decode()
    assert 'ssert' not in said and 'xception' not in said, said
    found = re.findall(r'name:(.*) t:[\d.]+ value:(.*) status:(\w+)', last)
    for wanted in (('my point', 'Int 110', 'active'), ('my int', 'Int -5', 'killed'), ('my float', 'Float 2.5', 'active'),
                                ('my bool', 'Bool true', 'active'), ('my string', 'String hello', 'active'), ('my tag', 'Int 1', 'active'),
                                ('my tag', 'Int 4096', 'active'), ('my hash', 'Hashtable (17 5 13 2 )', 'active'),
                                ('burn', 'Int 1', 'active'), ('scope:break', 'Int 1', 'active')):
        assert wanted in found, (wanted, last)
    assert re.search(r'[\d.]+ : a line', last) and 'name:my tree' in last, last


OCAML = os.path.join(BUILD, 'traces', 'tracers', 'viz', 'ocaml')


def compiled(source, folder, how):
    """An OCaml program, compiled as it would be with the original's library, but for -I."""
    if not os.path.exists(os.path.join(OCAML, 'libocamlviz.cmxa')):
        print('the interface for OCaml was not built: ocamlopt is missing, or there is a sanitizer')
        sys.exit(SKIP)
    copy = shutil.copy(source, folder)
    program = os.path.join(folder, os.path.basename(source)[:-3] + '.' + how)
    suffix = 'cmxa' if how == 'ocamlopt' else 'cma'
    subprocess.run([how, '-w', '-a', '-I', OCAML, '-ccopt', '-L' + OCAML, 'unix.' + suffix, 'libocamlviz.' + suffix, copy, '-o', program] +
                   (['-custom'] if how == 'ocamlc' else []), check=True)
    return program


def watched(program, *arguments, **env):
    """A client that has seen it to its end, and what it printed."""
    folder = tempfile.TemporaryDirectory()
    p = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True, env=dict(os.environ, SCOPEVIZ_LISTEN=f'unix:{folder.name}/s', **env))
    over = time.monotonic() + 20
    while not os.path.exists(f'{folder.name}/s'):
        assert time.monotonic() < over and p.poll() is None
        time.sleep(0.01)
    time.sleep(0.05)
    c = Client(f'unix:{folder.name}/s')
    while not c.closed:
        c.pump(1)
    said = p.communicate(timeout=60)[0]
    assert p.returncode == 0, p.returncode
    return c, said


def case_ocaml():
    """A program that uses the whole interface, in native code and in byte code."""
    with tempfile.TemporaryDirectory() as folder:
        for how in ('ocamlopt', 'ocamlc'):
            c, said = watched(compiled(os.path.join(SOURCE, 'tests', 'viz', 'observed.ml'), folder, how), OCAMLVIZ_PERIOD='0.02', OCAMLVIZ_HEAP_PERIOD='0.01')
            for line in said.splitlines():
                name, value = line.split('\t')
                if name == 'lists':
                    shown = f'{c.get(name, COUNT)} {c.get(name, SIZE)}'
                else:
                    shown = c.get(name)
                    shown = ' '.join(map(str, shown)) if isinstance(shown, tuple) else shown.decode() if isinstance(shown, bytes) else shown
                    value = {'true': True, 'false': False}.get(value, float(value) if isinstance(shown, float) else value)
                assert shown == value or str(shown) == value, (name, shown, value)
            assert len(said.splitlines()) == 11, said
            assert c.get('own') % 100 == 0 and c.get('own', SIZE) < 6000
            assert c.end[c.item('dies')] == 'gone' and c.get('dies') == b'dddd'
            assert c.end[c.item('raises')] == 'killed' and c.end[c.item('no table')] == 'killed'
            assert 'raises is no longer observed: it raised Failure("enough")' in c.lines()
            assert [line for line in c.lines() if 'sixty' in line] == ['round 20 of sixty: false', 'round 40 of sixty: true', 'round 60 of sixty: true']
            assert 0 < c.get('collector') < c.get('timer')
            assert 0 < c.get('timed') < c.get('timer') <= c.value[2], (c.get('timed'), c.get('timer'), c.value[2])
            assert c.get('chain')[-1] == (b'10', (9, 9)) and len(c.get('chain')) == 11
            wide = c.get('wide')
            assert len(wide) == 20001 and wide[-1] == (b'wide', tuple(range(20000))) and wide[777] == (b'777', ())
            assert c.value[0] >= c.value[1] > 100000 and c.sends[2] >= c.sends[c.item('wide')] > 1


def case_originals():
    """Programs that were written for the original library, unchanged, end with the values that it sent of them."""
    samples = os.path.join(SOURCE, '..', 'shared', 'samples', 'ocamlviz')
    if not os.path.exists(os.path.join(samples, 'points.ml')):
        print('the sample programs are not here')
        sys.exit(SKIP)
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        c, _ = watched(compiled(os.path.join(samples, 'points.ml'), folder, 'ocamlopt'), '30')     # 700 take two seconds
        assert [c.get(name) for name in ('iterations', 'even rounds', 'warm-up (killed)', 'fib calls')] == [30, 15, 10, 30 * 1219]
        assert c.end == {c.item('warm-up (killed)'): 'killed', c.item('sieve'): 'killed'} and 0 < c.get('sort') < c.value[2]
        for name, rounds in (('values', 400), ('tags', 250), ('shapes', 300)):
            c, _ = watched(compiled(os.path.join(samples, name + '.ml'), folder, 'ocamlopt'), str(rounds))
            with open(os.path.join(samples, name + '.ovz'), 'rb') as f:
                data = f.read()
            at, old = 0, {}
            names = {}
            while len(data) - at >= 4 and len(data) - at - 4 >= struct.unpack_from('<i', data, at)[0]:
                size = struct.unpack_from('<i', data, at)[0]
                m = decode(data[at + 4:at + 4 + size])
                at += 4 + size
                if m[0] == 'declare':
                    names[m[1]] = (m[3], m[2])
                elif m[0] == 'send' and m[1] > 4 and m[2] not in ('killed', 'gone'):
                    old[names[m[1]]] = m[2]
                elif m[0] == 'send' and m[1] > 4:
                    old[names[m[1]] + ('end',)] = m[2]
            ours = {(c.name[t], c.kind[t]): v for t, v in c.value.items() if t > 4}
            ours.update({(c.name[t], c.kind[t], 'end'): v for t, v in c.end.items()})
            for key, value in old.items():
                # times differ, and the last batch of the original was some rounds before the end for what has a period
                if key[1] == TIME or key[0] in ('sine, every 500 ms', 'one bucket'):
                    continue
                assert same(ours.get(key), value), (name, key, value, ours.get(key))
                count += 1
    print(count, 'values as of the original')


globals()['case_' + CASE]()
