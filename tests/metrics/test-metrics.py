#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scope live as the server of StatsD, and asking for pages of OpenMetrics of a server of this test.  CASE"""
import contextlib
import http.server
import json
import math
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

SCOPE, CASE = os.environ['SCOPE'], sys.argv[1]
SKIP = 77
SLOW = b'__asan_init' in open(os.path.join(os.path.dirname(SCOPE), '..', 'readers', 'libscope-live.so'), 'rb').read()


def free_port(kind=socket.SOCK_DGRAM):
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Live:
    """scope live PLACE --json; `state` is the last of everything, by name."""

    def __init__(self, *places):
        self.process = subprocess.Popen([SCOPE, 'live', *places, '--json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.state, self.kind, self.lines, self.notes, self.n, self.ready = {}, {}, [], {}, 0, threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            record = json.loads(line)
            self.ready.set()
            name = record.get('name')
            if name is None:
                continue
            self.kind[name] = record['kind'].lower()
            if 'is' in record:
                self.notes[name] = record['is']
                continue
            key = next(k for k in record if k not in ('t', 'program', 'name', 'kind'))
            self.n += 1
            if isinstance(record[key], dict):
                self.lines.append(record[key]['line'])
            else:
                self.state[name] = {'nan': math.nan, 'inf': math.inf, '-inf': -math.inf}.get(record[key], record[key])

    def begun(self):
        assert self.ready.wait(20), 'nothing came'
        return self

    def until(self, condition, what, seconds=20):
        over = time.monotonic() + seconds
        while not condition(self):
            assert time.monotonic() < over and self.process.poll() is None, (what, self.state if len(self.state) < 50 else len(self.state))
            time.sleep(0.02)

    def end(self, interrupt=True):
        if interrupt:
            self.process.send_signal(2)
        self.thread.join(30)
        said = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait(30), said


def memory(pid):
    with open(f'/proc/{pid}/statm') as f:
        return int(f.read().split()[1]) * 4096


def children(pid):
    with open(f'/proc/{pid}/task/{pid}/children') as f:
        return [int(p) for p in f.read().split()]


# ---- StatsD --------------------------------------------------------------------------------------------------------------
def sender(port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(('127.0.0.1', port))
    return s


def case_statsd():
    """Every type, and random lines against a model."""
    port = free_port()
    live = Live(f'statsd:{port}').begun()
    s = sender(port)
    lines = ['hits:1|c', 'hits:2|c|@0.5', 'hits:-1|c', 'load:0.25|g', 'load:+1|g', 'load:-0.5|g', 'db:320|ms', 'db:80|ms|@0.5', 'size:10|h',
             'size:30|d', 'users:ann|s', 'users:bob|s', 'users:ann|s', 'req:1|c|#route:/a,code:200', 'req:1|c|#route:/b', 'req:2|c|#route:/b',
             'many:1:2:3|c', 'é∀:7|g', '_e{5,4}:title|text', 'dialect:1|c|c:container|T1656581400']
    s.send('\n'.join(lines[:10]).encode())
    for line in lines[10:]:
        s.send(line.encode() + b'\r\n')
    live.until(lambda l: l.state.get('dialect') == 1, 'the last')
    want = {'hits': (4, 'point'), 'load': (0.75, 'float'), 'db': (0.48, 'time'), 'db.count': (3, 'point'), 'db.last': (0.08, 'float'),
            'size.sum': (40, 'float'), 'size.count': (2, 'point'), 'size.last': (30, 'float'), 'users': (2, 'integer'),
            'req{route:/a,code:200}': (1, 'point'), 'req{route:/b}': (3, 'point'), 'many': (6, 'point'), 'é∀': (7, 'float'), 'dialect': (1, 'point')}
    for name, (value, kind) in want.items():
        assert math.isclose(live.state[name], value) and live.kind[name].startswith(kind[:4]), (name, live.state[name], live.kind[name])
    assert live.lines == ['title|text'], live.lines
    rng, model = random.Random(4), {}
    for i in range(3000):
        name, value = f'r{rng.randrange(30)}', rng.randrange(-50, 1000) / 4
        kind = 'cg'[int(name[1:]) % 2]
        if kind == 'c':
            model[name] = model.get(name, 0) + value
        else:
            sign = '+' if value > 0 and rng.random() < 0.3 else ''
            model[name] = model.get(name, 0) + value if sign or value < 0 else value
            value = f'{sign}{value}'
        s.send(f'{name}:{value}|{kind}'.encode())
        if i % 100 == 99:       # at these instants
            s.send(f'mark:{i}|g'.encode())
            live.until(lambda l: l.state.get('mark') == i, 'a mark')
            for known, expected in model.items():
                assert math.isclose(live.state[known], expected), (i, known, live.state[known], expected)
    status, said = live.end()
    assert status == 130 and 'left out' not in said, (status, said)


def case_statsd_bad():
    """Nonsense is told and counted; names have a limit; two at one port; memory is bounded."""
    port = free_port()
    live = Live(f'statsd:{port}').begun()
    s, rng = sender(port), random.Random(2)
    bad = [b'x', b':1|c', b'x:|c', b'x:1', b'x:1|', b'x:1|q', b'x:nan|g', b'x:inf|c', b'x:1|c|@0', b'x:1|c|@2', b'x:1e999|g', b'x: 1|g', b'x:0x|c',
           b'\0\0:1|', b'y' * 2000 + b':1|c', b'x:1|c|@nan', b'x:1|c|@-1', b'x:1|c|@1e-300', b'x:0x10|c']
    for line in bad:
        s.send(line)
    s.send(b'good:1|c')
    live.until(lambda l: l.state.get('good') == 1, 'the good one')
    assert set(live.state) == {'good'}, live.state
    for _ in range(3000):
        line = bytearray(rng.choice([b'ab.c:12|c|@0.1|#a:b', b'name:-1.5|g', b'_e{1,1}:a|b', b't:1:2|ms|#,,']) * rng.randrange(1, 4))
        for _ in range(rng.randrange(4)):
            line[rng.randrange(len(line))] = rng.randrange(256)
        s.send(bytes(line))
    s.send(b'z' * 60000)
    s.send(b'good:1|c')
    live.until(lambda l: l.state.get('good') == 2, 'after the fuzz')
    other = subprocess.run([SCOPE, 'live', f'statsd:{port}', '--json'], capture_output=True, text=True, timeout=30)
    assert other.returncode != 0 and 'another program receives there' in other.stderr, other.stderr
    for base in range(0, 40000, 500):
        s.send('\n'.join(f'n{i}:1|c' for i in range(base, base + 500)).encode())
        time.sleep(0.002)
    s.send(b'good:1|c')
    live.until(lambda l: l.state.get('good') == 3, 'after many names')
    assert 19000 < len(live.state) <= 20000, len(live.state)
    status, said = live.end()
    assert status == 130 and 'left out' in said, (status, said)
    for place, word in {'statsd:': 'statsd', 'statsd:x': 'no place', 'statsd:70000': '', 'statsd:300.0.0.1:9': ''}.items():
        done = subprocess.run([SCOPE, 'live', place, '--json'], capture_output=True, text=True, timeout=30)
        assert done.returncode not in (0, -6, -11) and word in done.stderr and done.stderr, (place, done)


# ---- OpenMetrics ---------------------------------------------------------------------------------------------------------
class Server:
    """`page` is what it answers: bytes, a status, or a function of the handler."""

    def __init__(self, page):
        self.page, self.asked = page, 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked += 1
                page = outer.page
                try:
                    if callable(page):
                        page(self)
                        return
                    self.send_response(page if isinstance(page, int) else 200)
                    body = b'' if isinstance(page, int) else page
                    self.send_header('Content-Length', str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f'http://127.0.0.1:{self.server.server_address[1]}/metrics'

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def skip_without_curl():
    done = subprocess.run([SCOPE, 'live', 'http://127.0.0.1:1/', '--json'], capture_output=True, text=True)
    if 'without libcurl' in done.stderr:
        print('this build has no libcurl')
        sys.exit(SKIP)
    assert 'could not connect' in done.stderr, done.stderr


PAGE = '''# HELP http_requests_total Requests that were served.
# TYPE http_requests_total counter
http_requests_total{{method="post",code="200"}} {posts} 1395066363000
http_requests_total{{method="get",code="200"}} {gets}
# TYPE queue gauge
queue {queue}
# TYPE cpu_seconds counter
# UNIT cpu_seconds seconds
cpu_seconds_total {cpu}
cpu_seconds_created 1.5e9
# TYPE latency histogram
latency_bucket{{le="0.1"}} 3
latency_bucket{{le="+Inf"}} {count} # {{trace="abc"}} 0.67
latency_sum 1.5
latency_count {count}
# TYPE rpc summary
rpc{{quantile="0.5"}} NaN
rpc{{quantile="0.9"}} +Inf
rpc_count 7
weird{{label="a \\"quoted\\" }} brace, and \\\\"}} -0.5
untyped 1e3
{more}# EOF
'''


def case_openmetrics():
    """Types, units, labels, resets, what disappears; values at several instants against what was served."""
    skip_without_curl()
    at = dict(posts=1027, gets=3, queue=0.5, cpu=1.25, count=5, more='gone 1\n')
    server = Server(PAGE.format(**at).encode())
    live = Live(server.url + '#0.05').begun()
    live.until(lambda l: l.state.get('untyped') == 1000, 'a page')
    post = 'http_requests_total{method="post",code="200"}'
    first = {post: (1027, 'point'), 'queue': (0.5, 'float'), 'cpu_seconds_total': (1.25, 'time'), 'cpu_seconds_created': (1.5e9, 'float'),
             'latency_bucket{le="0.1"}': (3, 'point'), 'latency_bucket{le="+Inf"}': (5, 'point'), 'latency_sum': (1.5, 'float'),
             'latency_count': (5, 'point'), 'rpc{quantile="0.9"}': (math.inf, 'float'), 'rpc_count': (7, 'point'),
             'weird{label="a \\"quoted\\" } brace, and \\\\"}': (-0.5, 'float'), 'untyped': (1000, 'float'), 'gone': (1, 'float')}
    for name, (value, kind) in first.items():
        assert live.state[name] == value and live.kind[name].startswith(kind[:4]), (name, live.state.get(name), live.kind.get(name))
    assert math.isnan(live.state['rpc{quantile="0.5"}'])
    assert 'http_requests_total: Requests that were served.' in live.lines, live.lines
    rng, before = random.Random(3), 0
    raw, told = 1027, live.n
    for i in range(12):
        step = rng.randrange(1, 100)
        if i in (4, 9):
            before, raw = before + raw, step        # the program began anew
        else:
            raw += step
        at.update(posts=raw, queue=i + 0.25, more='')
        server.page = PAGE.format(**at).encode()
        live.until(lambda l: l.state['queue'] == i + 0.25, 'the next page')
        assert live.state[post] == before + raw, (i, live.state[post], before, raw)
    assert live.n - told <= 12 * 2 + 2, 'only what changes is told'
    assert sum('has begun anew' in line for line in live.lines) == 2 and live.notes['gone'] == 'collected'
    server.close()
    status, said = live.end(interrupt=False)
    assert 'could not connect' in said and status == 0, (status, said)


def case_openmetrics_bad():
    """A server that lies, floods, stalls, breaks off."""
    skip_without_curl()

    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b'x' * (1 << 20))       # one line of 100 MiB

    def half(handler):
        handler.send_response(200)
        handler.send_header('Content-Length', '1000')
        handler.end_headers()
        handler.wfile.write(b'a 1\nb 2\nc')

    def stall(handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(b'a 1\n')
        handler.wfile.flush()
        time.sleep(2.5)

    for page, word in ((404, 'status 404'), (500, 'status 500'), (endless, '64 MiB'), (half, 'could not connect'), (stall, 'imed out')):
        server = Server(page)
        done = subprocess.run([SCOPE, 'live', server.url, '--json'], capture_output=True, text=True, timeout=60)
        assert done.returncode != 0 and word in done.stderr and done.stderr.count('\n') <= 2, (word, done.stderr, done.returncode)
        server.close()
    for place, word in {'http://127.0.0.1:1/x': 'could not connect', 'http://127.0.0.1:1/x#0': 'seconds', 'http://127.0.0.1:1/x#x': 'seconds',
                        'http://': '', 'https://127.0.0.1:1/': 'could not connect'}.items():
        done = subprocess.run([SCOPE, 'live', place, '--json'], capture_output=True, text=True, timeout=60)
        assert done.returncode not in (0, -6, -11) and word in done.stderr and done.stderr, (place, done)
    bad = (b'ok 1\n{a="b"} 1\nx{a="b 1\nx\nx y\n\xff\xfe 3\nzero\0byte 1\n' + b'long{' + b'y' * 70000 + b'} 1\n' + b'n' * 2000 + b' 1\n' +
           b'# TYPE\n# HELP\n#\n# TYPE x\nlast 2')
    server = Server(bad)
    live = Live(server.url + '#0.05').begun()
    live.until(lambda l: l.state.get('last') == 2 and l.state.get('ok') == 1, 'the good ones')
    rng = random.Random(5)
    good = PAGE.format(posts=1, gets=2, queue=3, cpu=4, count=5, more='').encode()
    for i in range(60):
        page = bytearray(good)
        for _ in range(rng.randrange(1, 30)):
            page[rng.randrange(len(page))] = rng.randrange(256)
        server.page = bytes(page[:rng.randrange(len(page))]) + f'\nround {i}\n'.encode()
        live.until(lambda l: l.state.get('round') == i, 'the next')
    before = sum(map(memory, [live.process.pid] + children(live.process.pid)))
    server.page = b''.join(b'series%d %d\n' % (i, i) for i in range(1000000)) + b'round 99\n'
    asked = server.asked
    live.until(lambda l: l.state.get('round') == 99 and server.asked > asked + 1, 'a million series', 60)
    assert len(live.state) <= 20000, len(live.state)
    grown = sum(map(memory, [live.process.pid] + children(live.process.pid))) - before
    assert SLOW or grown < 100 << 20, grown
    status, said = live.end()
    assert status == 130 and 'left out' in said, (status, said)
    server.close()


def case_ascii():
    """The state in words: each name with its value, sorted, while it goes on."""
    port = free_port()
    process = subprocess.Popen([SCOPE, 'live', f'statsd:{port}', '--ascii'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    sent, over, seen = sender(port), time.monotonic() + 20, []
    while not {'  users 7', '  load 1.5'} <= set(seen):
        assert time.monotonic() < over, seen[-20:]
        with contextlib.suppress(ConnectionRefusedError):  # nobody listens yet
            sent.send(b'users:7|g\nload:1.5|g')
        seen.append(process.stdout.readline().rstrip('\n'))
    assert seen.index('  load 1.5') < seen.index('  users 7')
    process.send_signal(2)
    process.communicate(timeout=30)


def case_recorded():
    """What comes is recorded as any other, both at once, and read again."""
    skip_without_curl()
    port = free_port()
    server = Server(b'# TYPE n counter\nn_total 3\ng 1\n')
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'both.trace')
        p = subprocess.Popen([SCOPE, 'live', server.url + '#0.05', f'statsd:{port}', '-o', trace], stderr=subprocess.PIPE, text=True)
        s, over = sender(port), time.monotonic() + 20
        for i in range(1, 11):
            server.page = b'# TYPE n counter\nn_total %d\ng 1\n' % (3 + i)
            asked = server.asked
            while server.asked < asked + 2 or i == 1 and server.asked < 4:
                assert time.monotonic() < over and p.poll() is None
                time.sleep(0.01)
            try:
                s.send(b'lines:%d|g' % i)
            except ConnectionError:
                pass
        time.sleep(0.3)
        p.send_signal(2)
        said = p.communicate(timeout=30)[1]
        assert p.returncode == 130, said
        told = subprocess.run([SCOPE, 'events', trace], capture_output=True, text=True)
        assert told.returncode == 0, told.stderr
        text = told.stdout
        assert 'n_total' in text and 'lines' in text and text.count('lines') >= 10, text[-2000:]
    server.close()


globals()['case_' + CASE]()
