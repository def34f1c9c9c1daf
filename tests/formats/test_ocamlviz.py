# SPDX-License-Identifier: Apache-2.0
"""Recorded and live streams of Ocamlviz: at random instants beside a second computation (ocamlviz.py), in all pieces, from
servers that lie."""
import ast
import csv
import json
import math
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ocamlviz as o                                                                              # noqa: E402
from formats import Format, SCOPE, few, main, once, samples                                      # noqa: E402

SAMPLES = samples('ocamlviz')
VIEWS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'schemas', 'values', 'views.eve')
NO_NUMBERS = (struct.pack('<Q', 0x7ff8000000000000), struct.pack('<Q', 0x7ff0000000000001), *(struct.pack('<d', x) for x in (math.inf, -math.inf, 1.5, math.nan)))
HASH = ('ArraySize', 'Elements', 'EmptyBuckets', 'LongestBucket')


class Server:
    """Sends bytes to whoever connects, in pieces, then closes, or stays silent."""

    def __init__(self, data, piece=0, stays=False, unix=None, arrivals=None):
        self.data, self.piece, self.stays, self.open, self.arrivals = data, piece, stays, [], arrivals
        self.socket = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
        self.socket.bind(unix or ('127.0.0.1', 0))
        self.socket.listen(8)
        self.place = f'unix:{unix}' if unix else f'127.0.0.1:{self.socket.getsockname()[1]}'
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.give, args=(client,), daemon=True).start()

    def give(self, client):
        try:
            begun, sent = time.monotonic(), 0
            for date, until in self.arrivals or ():
                time.sleep(max(0, begun + date - time.monotonic()))
                client.sendall(self.data[sent:until])
                sent = until
            step = self.piece or len(self.data) or 1
            if self.piece and client.family == socket.AF_INET:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for at in range(sent, len(self.data), step):
                client.sendall(self.data[at:at + step])
        except OSError:
            pass
        if self.stays:
            self.open.append(client)
        else:
            client.close()

    def close(self):
        self.socket.close()
        for client in self.open:
            client.close()


class Ocamlviz(Format):
    def serve(self, data, **how):
        server = Server(data, **how)
        self.addCleanup(server.close)
        return server

    def live(self, *args, status=0):
        done = subprocess.run([SCOPE, 'live', *args], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    # ---- what is shown, and what it is a second time ---------------------------------------------------------------------
    def check_thing(self, node, thing, program, at):
        for name, (value, _) in thing.values.items():
            shown, what = node[name], (thing.name, name, at)
            if name == 'Tree':
                self.assertEqual(int(node['TreeNodes']), struct.unpack_from('<H', value)[0], what)
            elif name == 'String':
                self.assertEqual(shown.replace('\ufffd', '?')[:40], shown_bytes(value)[:40], what)
            elif isinstance(value, bool):
                self.assertEqual(shown, 'true' if value else 'false', what)
            elif isinstance(value, int):
                self.assertEqual(int(shown), value, what)
            elif math.isfinite(value):
                self.assertTrue(math.isclose(float(shown), value, rel_tol=1e-14), what)    # 15 digits are shown
            else:
                self.assertEqual(shown, str(value), what)
        for name, most in (('Living', 'MaxLiving'), ('Size', 'MaxSize'), ('HeapTotal', 'HeapMax')):
            if name in thing.values:
                self.assertEqual(int(node[most]), thing.most[name])
                self.assertAlmostEqual(float(node[most + 'At']), thing.most_at[name], places=6)
        if thing is not program:
            self.assertEqual(int(node['Changes']), thing.changes, (thing.name, at))
        if thing.last_change is not None and thing is not program:
            self.assertAlmostEqual(float(node['LastChange']), thing.last_change, places=6)
        if 'Time' in thing.values and program.value('ProcessorTime'):
            self.assertAlmostEqual(float(node['TimeShare']), 100 * thing.value('Time') / program.value('ProcessorTime'))
        if 'Size' in thing.values and program.value('HeapTotal'):
            self.assertAlmostEqual(float(node['SizeShare']), 100 * thing.value('Size') / program.value('HeapTotal'))
        if 'ArraySize' in thing.values:
            array, elements, empty, _ = (thing.value(n) for n in HASH)
            full = array - empty
            self.assertAlmostEqual(float(node['FillingRate'] or 'nan') if array else 0, 100 * full / array if array else 0)
            self.assertAlmostEqual(float(node['MeanBucket']), elements / full if full > 0 else 0)
        if thing.lines:
            self.assertEqual((int(node['Lines']), node['LastLine']), (len(thing.lines), thing.lines[-1][1].decode()))
        if thing is not program and (thing.killed or thing.collected):
            self.assertEqual(node['State'], 'Killed' if thing.killed else 'Collected')

    def compare(self, path, data, at):
        model = o.Model(data, at)
        nodes = self.state(path, f'{at:.6f}')['nodes']
        for thing in model.things:
            kind = o.KINDS[thing.kind]
            named = [n for n in nodes if n['Type'] == kind and n['Name'].encode()[:3] == thing.name[:3]
                     and (len(thing.name) < 4 or '\ufffd' in n['Name'] or n['Name'].encode() == thing.name)]
            if not thing.values and not thing.lines:
                continue
            self.assertEqual(len(named), 1, (thing.name, [n['Name'] for n in nodes]))
            self.check_thing(named[0], thing, model.program, at)
        programs = [n for n in nodes if n['Type'] == 'Program']
        self.check_thing(programs[0], model.program, model.program, at)

    # ---- recorded streams -------------------------------------------------------------------------------------------------
    def test_made_streams_at_random_instants(self):
        for seed in range(few(4)):
            data = o.made(seed)
            path, r, end = self.path(f'made{seed}', data), random.Random(seed), o.Model(data).end
            for at in [end + 1] + [round(r.uniform(0, end), 6) for _ in range(3)]:
                self.compare(path, data, at)
            self.assertEqual(self.info(path)['damaged'], 0)

    @unittest.skipUnless(os.path.isdir(SAMPLES), 'the samples are not here')
    def test_samples(self):
        for name in ('points', 'values', 'shapes'):
            with open(os.path.join(SAMPLES, name + '.ovz'), 'rb') as f:
                data = f.read()
            path = self.path(name, data)
            for at in (1000, 0.3):
                self.compare(path, data, at)

    @unittest.skipUnless(os.path.isdir(SAMPLES), 'the samples are not here')
    def test_samples_served(self):
        """Each shared stream gives the same final state at its own speed, at once, byte by byte, and as a file; its last values
        are those that a strict decoder of another hand has written down."""
        def one(name, results):
            with open(os.path.join(SAMPLES, name + '.ovz'), 'rb') as f:
                data = f.read()
            with open(os.path.join(SAMPLES, name + '.ovz.times')) as f:
                arrivals = [(float(line.split()[0]), int(line.split()[1])) for line in f]
            states = [self.final(self.path(name + '-whole', data))]
            for how, more in (('speed', {'arrivals': arrivals}), ('once', {}), ('bytes', {'piece': 1})):
                bundle = self.path(f'{name}-{how}.trace')
                self.live(self.serve(data, **more).place, '-o', bundle)
                states.append(self.final(bundle))
            results[name] = states
        results, names = {}, ('points', 'values', 'shapes', 'tags')
        threads = [threading.Thread(target=one, args=(name, results)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in names:
            for state in results[name][1:]:
                self.assertEqual(state, results[name][0], name)
            self.assertGreater(len(results[name][0]), 2)
        self.assertGreater(sum(self.compare_text(name, results[name][0]) for name in names), 15)

    def compare_text(self, name, state):
        """The last numbers, and what was killed and collected, beside NAME.txt; gives how many things were compared."""
        names, last, over, n = {}, {}, {}, 0
        with open(os.path.join(SAMPLES, name + '.txt')) as f:
            for words in (line.strip().split(None, 4) for line in f):
                if words[1] == 'Declare':
                    names[words[2]] = words[3], ast.literal_eval(words[4]).decode('utf-8', 'replace')
                elif words[1] == 'Send' and words[3] in ('Killed', 'Collected'):
                    over.setdefault(words[2], words[3])
                elif words[1] == 'Send':
                    last[words[2]] = words[3:]
        attributes = {'Point': 'Count', 'Time': 'Time', 'Value_int': 'Integer', 'Value_float': 'Float', 'Tag_count': 'Living', 'Tag_size': 'Size'}
        for tag, (kind, called) in names.items():
            if kind not in attributes or tag not in last:
                continue
            nodes = [node for node in state if node['Name'] == called]
            self.assertTrue(nodes, (name, called))
            sent, shown = last[tag][1], [node[attributes[kind]] for node in nodes]
            if last[tag][0] == 'Float':
                self.assertTrue(any(s == sent if sent == 'nan' else math.isclose(float(s or 'nan'), float(sent), rel_tol=1e-14) for s in shown), (called, sent, shown))
            else:
                self.assertIn(sent, shown, (name, called))
            if tag in over:
                self.assertIn(over[tag], [node['State'] for node in nodes], (name, called))
            n += 1
        return n

    def test_bound_late(self):
        """Count and size of a tag that are bound after both had values are one thing from then on."""
        data = (o.declare(7, o.TAG_COUNT, b'marked') + o.declare(8, o.TAG_SIZE, b'marked size') + o.send(7, o.integer(3))
                + o.send(8, o.size(100)) + o.send(2, o.real(1)) + o.bind(7, 8) + o.send(7, o.integer(4)) + o.send(8, o.size(200))
                + o.send(2, o.real(2)))
        nodes = {n['Name']: n for n in self.state(self.path('late', data), '100')['nodes']}
        self.assertEqual([nodes['marked'][k] for k in ('Living', 'Size', 'State')], ['4', '200', 'Active'])
        self.assertEqual(nodes['marked size']['State'], 'Killed')

    def test_a_full_disk(self):
        """A file that may not grow: a sentence, and all that came before is kept."""
        data, bundle = o.made(12, 200), self.path('full.trace')
        server = self.serve(data, arrivals=[(i / 50, 3000 * (i + 1)) for i in range(len(data) // 3000)])
        done = subprocess.run(['bash', '-c', 'ulimit -f 20; exec "$0" live "$1" -o "$2"', SCOPE, server.place, bundle],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn('the recording ends here, for it cannot be written', done.stderr)
        self.assertLessEqual(os.path.getsize(os.path.join(bundle, 'full.values', 'records')), 20 * 1024)
        info = self.info(bundle)
        self.assertGreater(info['events'], 100)
        self.assertEqual(info['damaged'], 0)

    def test_bits(self):
        """Each number that was sent is an event, with all its bits."""
        data = o.made(0)
        events = [json.loads(line) for line in self.scope('events', self.path('bits', data), '--json', '--kind', 'value')[0].splitlines()]
        shown = [e['value'] for e in events if e['task'] == 'whole']
        reals = [e['value'] for e in events if e['task'] == 'sorting']
        sent, sent_reals, at = [], [], 0
        while at < len(data):
            n = struct.unpack_from('<i', data, at)[0]
            if data[at + 4:at + 7] == b'\1\7\0':
                sent.append(o.value_of(data[at + 7:at + 4 + n])[1])
            if data[at + 4:at + 7] == b'\1\6\0':
                sent_reals.append(o.value_of(data[at + 7:at + 4 + n])[1])
            at += 4 + n
        self.assertEqual((shown, reals), (sent, sent_reals))

    def test_no_numbers(self):
        """What a program tells that is no number is told as such: in events, states and tables."""
        data = o.declare(5, o.FLOAT, b'f') + b''.join(
            o.send(2, o.real(at)) + o.send(5, b'\2' + bits) for at, bits in enumerate(NO_NUMBERS, 1))
        path, sent = self.path('none', data), ['nan', 'nan', 'inf', '-inf', 1.5, 'nan']
        events = [json.loads(line) for line in self.scope('events', path, '--json', '--task', 'f', '--kind', 'value')[0].splitlines()]
        self.assertEqual([e['value'] for e in events], sent)
        live = [json.loads(line) for line in self.live(self.serve(data).place, '--json')[0].splitlines()]
        self.assertEqual([e['Float'] for e in live if 'Float' in e], sent)
        for at, value in enumerate(sent, 1):
            node = next(n for n in self.state(path, f'{at}')['nodes'] if n['Name'] == 'f')
            self.assertEqual((node['Float'], node['Value'], node['Changes']), (str(value), str(value), str(at - 1)))
            rows = self.drawn(path, VIEWS, 'Floats', '--at', f'{at}')
            self.assertEqual(rows[0]['Float'], str(value))
        self.assertEqual([float(r['value']) for r in self.drawn(path, self.charts('Float'), 'Curve') if math.isfinite(float(r['value']))], [1.5])

    def test_several_numbers_of_one(self):
        """Attributes of one thing on one curve, and in one list, are told apart: at random instants beside the model."""
        data, r = o.made(11), random.Random(11)
        path = self.path('several', data)
        for names, of in ((('HeapTotal', 'HeapAlive', 'HeapMax'), 'several'), (('Size', 'MaxSize'), 'queue'),
                          (('ArraySize', 'Elements', 'EmptyBuckets', 'LongestBucket'), 'table')):
            charts = self.charts(*names)
            curve = self.drawn(path, charts, 'Curve')
            self.assertEqual({row['owner'] for row in curve}, {f'{name} of {of}' for name in names})
            for at in [round(r.uniform(0, o.Model(data).end), 6) for _ in range(3)]:
                model = o.Model(data, at)
                thing = next((t for t in [model.program, *model.things] if {*names} & {*t.values}), None)
                if not thing:
                    continue
                want = {f'{name} of {of}': float(thing.most[name[3:] if name != 'HeapMax' else 'HeapTotal'] if 'Max' in name else thing.value(name))
                        for name in names}
                value = next(head for head in curve[0] if head.split(' [')[0] == 'value')       # and its unit, where there is one
                last = {row['owner']: float(row[value]) for row in curve if float(row['date [s]']) <= at}
                self.assertEqual(last, want, at)
                panel = self.drawn(path, charts, 'Panel', '--at', f'{at}')
                self.assertEqual({row['owner']: float(row['value']) for row in panel}, want, at)

    def charts(self, *attributes):
        """A program that shows attributes of the things that have them, on one curve and in one list."""
        parts = ''.join(f'<component name="{a}" class="scope.state-presenter" version="1"><setting name="of">node</setting>'
                        f'<setting name="attribute">{a}</setting></component>' for a in attributes)
        wires = ''.join(f'<wire from="Simulator" out="changes" to="{a}" in="changes"/><wire from="{a}" out="dated" to="Curve" in="value"/>'
                        f'<wire from="{a}" out="dated" to="Panel" in="value"/>' for a in attributes)
        return self.path('-'.join(attributes) + '.eve', ('<?xml version="1.0" encoding="UTF-8"?><eve version="1">'
                         '<component name="Session" class="scope.session" version="1"/><component name="Reader" class="scope.ocamlviz-reader" version="1"/>'
                         '<component name="Simulator" class="scope.values-simulator" version="1"/><component name="Curve" class="scope.curve" version="1"/>'
                         '<component name="Panel" class="scope.value-panel" version="1"/>' + parts + '<wire from="Session" out="commands" to="Reader" in="commands"/>'
                         '<wire from="Reader" out="events" to="Simulator" in="events"/>' + wires + '</eve>').encode())

    def drawn(self, path, program, view, *more):
        """What a view shows, as rows."""
        out = self.path('drawn.csv')
        self.scope('draw', path, '--program', program, '--view', view, '-o', out, *more)
        with open(out, newline='') as f:
            return list(csv.DictReader(f))

    def test_declared_without_end(self):
        data = b''.join(o.declare(5 + i % 60000, o.INT, b'%d' % i) + o.send(5 + i % 60000, o.integer(i)) for i in range(131200))
        path = self.path('endless', data + o.send(2, o.real(1)))
        info = self.info(path)
        self.assertEqual((len(info['tasks']), info['damaged']), (131072, 1))
        self.assertIn('more than 131072 things are declared', self.scope('check', path, status=(0, 1))[0])

    def test_two_programs_are_told_apart(self):
        """Rows of several programs say whose they are; of one it need not be said."""
        files = [self.path(f'program{i}', o.declare(5, o.POINT, b'p') + o.send(5, o.integer(i + 1))) for i in (0, 1)]
        for n in (2, 1):
            trace = self.path(f'of{n}.trace')
            self.live(*files[:n], '-o', trace)
            rows = self.drawn(trace, 'views', 'Points and times')
            self.assertEqual([float(row['Count']) for row in rows], [1.0, 2.0][:n])
            self.assertEqual([list(row)[1] for row in rows], ['Program', 'Program'] if n == 2 else ['Count'])
            if n == 2:
                self.assertEqual(len({row['Program'] for row in rows}), 2, rows)

    def test_processor_time_of_two_connections(self):
        """Whoever is connected again has begun anew: its dates go on where those before ended."""
        one = o.declare(5, o.POINT, b'p') + o.declare(2, o.SPECIAL, b'etime') + o.send(5, o.integer(1)) + o.send(2, o.real(4.0))
        server = socket.socket()
        self.addCleanup(server.close)
        server.bind(('127.0.0.1', 0))
        server.listen(1)
        process = subprocess.Popen([SCOPE, 'live', f'127.0.0.1:{server.getsockname()[1]}', '--json', '--again', '--clock', 'cpu'],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        dates = []
        for seconds in (4.0, 0.5, 1.5):
            client, _ = server.accept()
            with client:
                client.sendall(one[:-len(o.send(2, o.real(4.0)))] + o.send(2, o.real(seconds)))
            while len(dates) < 3:
                line = json.loads(process.stdout.readline())
                if 'ProcessorTime' in line:
                    dates.append(line['t'])
                    break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(dates, [4.0, 4.5, 6.0])

    @once
    def test_many_shares(self):
        """Thousands of times, and the whole that they have a share of told again and again: soon done, and each share right
        when its own value has come."""
        data = o.declare(2, o.SPECIAL, b'etime') + b''.join(o.declare(5 + i, o.TIME, b't%d' % i) for i in range(30000))
        data += b''.join(o.send(5 + i, o.real(1.0)) for i in range(30000)) + b''.join(o.send(2, o.real(1 + i / 4000)) for i in range(20000))
        data += o.send(29999, o.real(3.0)) + o.send(5, o.real(1.5))
        begun = time.monotonic()
        nodes = {n['Name']: n for n in self.state(self.path('shares', data), '1000')['nodes']}
        self.assertLess(time.monotonic() - begun, 60)       # it was minutes
        cpu = 1 + 19999 / 4000
        for name, seconds in (('t0', 1.5), ('t29990', 1.0), ('t29994', 3.0)):
            self.assertAlmostEqual(float(nodes[name]['TimeShare']), 100 * seconds / cpu)

    def test_never_declared(self):
        """What waits for its declaration to the end is told of."""
        data = o.made(3, 3) + b''.join(o.send(4000, o.integer(i)) for i in range(7))
        path = self.path('undeclared', data)
        self.assertEqual(self.info(path)['damaged'], 1)
        self.assertIn('7 values are of things that the program has never declared', self.scope('check', path, status=(0, 1))[0])

    def test_arrival(self):
        """Dates are those of FILE.times where it is there."""
        data = o.made(1)
        path = self.path('arrived', data)
        with open(path + '.times', 'w') as f:
            f.write(f'0.5 {len(data) // 2}\n7.25 {len(data)}\n')
        events = [json.loads(line) for line in self.scope('events', path, '--json')[0].splitlines()]
        self.assertEqual(sorted({e['t'] for e in events}), [0, 0.5, 7.25])

    def test_malformed(self):
        good = o.made(2)
        bad = [o.message(b'\7'), o.message(b''), o.message(b'\1\5\0\x0b'), o.send(5, o.integer(1) + b'x'), o.declare(9, 77, b'x'),
               o.send(13, b'\x08\1\0' + o.text(b'a') + b'\1\0\0\0'), o.send(13, b'\x08\0\0'), o.send(14, b'\x09' + o.integer(1)),
               o.send(3, b'\x0a\xff\xff'), o.message(b'\2\5\0\1\0'), o.send(10, b'\3\xff\xff\xff\x7f')]
        path = self.path('bad', good + b''.join(bad))
        info = self.info(path)
        self.assertEqual(info['damaged'], len(bad))
        self.compare(path, good, 1000)
        for length in (-1, 1 << 30):                # where the next one begins nobody knows
            path = self.path('lost', good + struct.pack('<i', length) + b'xyz' * 99)
            self.assertIn('no message of Ocamlviz', self.scope('info', path)[0])
            self.compare(path, good, 1000)

    def test_large(self):
        deep = [(b'x', [])] + [(b'x', [i, i]) for i in range(65534)]       # unfolded it has 2^65534 leaves
        many = b''.join(o.declare(i, o.INT, b'tag %d' % i) for i in range(5, 65536, 7))
        data = (o.declare(5, o.TREE, b'deep') + o.declare(6, o.STRING, b'long') + o.send(5, o.tree(deep))
                + o.send(6, o.string(b'y' * ((64 << 20) - 20))) + many + o.send(2, o.real(1.0)))
        path = self.path('large', data)
        nodes = {n['Name']: n for n in self.state(path, '9')['nodes']}
        self.assertEqual(nodes['deep']['TreeNodes'], '65535')
        self.assertEqual(nodes['long']['String'][:3], 'yyy')
        text, _ = self.live(path, '--ascii')
        self.assertLess(len(text), 100 << 20)

    # ---- live -------------------------------------------------------------------------------------------------------------
    def final(self, path):
        state = self.state(path, '100000')
        for node in state['nodes']:
            for dated in ('Clock', 'LastChange', 'Rate', 'Program', 'MaxLivingAt', 'MaxSizeAt', 'HeapMaxAt'):
                node[dated] = ''
        return sorted((n for n in state['nodes'] if n['Type'] != 'Program'), key=lambda n: (n['Name'], n['Type']))

    def test_all_pieces_give_the_same(self):
        data = o.made(3, 12)
        states = []
        for piece in (0, 1, 1000):
            bundle = self.path(f'pieces{piece}.trace')
            self.live(self.serve(data, piece=piece).place, '-o', bundle)
            states.append(self.final(bundle))
        self.assertEqual(states[0], states[1])
        self.assertEqual(states[0], states[2])
        self.assertEqual(states[0], self.final(self.path('recorded', data)))
        self.assertGreater(len(states[0]), 12)

    def test_cut(self):
        """As it is told; “fuzz ocamlviz” cuts streams at each of their bytes, and compares what is kept."""
        whole = o.declare(20, o.INT, b'n') + o.send(20, o.integer(5))
        for n, inside in ((len(whole), False), (len(whole) + 2, True), (len(whole) + 9, True)):
            for served in (True, False):
                data = (whole + o.send(20, o.integer(6)))[:n]
                text, errors = self.live(self.serve(data).place if served else self.path(f'cut{n}', data), '--json')
                self.assertEqual([line['Integer'] for line in map(json.loads, text.splitlines()) if 'Integer' in line], [5])
                self.assertEqual(f'in the middle of the message at byte {len(whole)}' in errors, inside, errors)
        said = subprocess.run([SCOPE, 'check', self.path('cut', whole + b'\x0c\0\0')], capture_output=True, text=True)
        self.assertEqual((said.returncode, 'of which 3 bytes had come' in said.stderr + said.stdout), (0, True), said)

    def test_no_stream_at_all(self):
        for name, data, sentence in (('words', b'root:x:0:0:root:/root:/bin/sh\n' * 20, 'a message at byte 0 would be 1953460082 bytes long'),
                                     ('zeros', bytes(400), 'none of its messages makes sense'), ('empty', b'', 'before anything came'),
                                     ('short', b'abc', 'within its first message')):
            for place in (self.path(name, data), self.serve(data).place):
                _, errors = self.live(place, '--json', status=1)
                self.assertIn(sentence, errors)
        good = self.serve(o.made(11, 2)).place
        self.live(good, self.path('words2', b'no stream'), '--json', status=1)      # of several, one

    def test_json_and_a_recording_at_once(self):
        bundle = self.path('both.trace')
        one, two = self.serve(o.made(5, 5)), self.serve(o.made(6, 5), unix=self.path('socket'))
        text, errors = self.live(one.place, two.place, '--json', '-o', bundle)
        lines = [json.loads(line) for line in text.splitlines()]
        self.assertEqual({line['program'] for line in lines}, {one.place, two.place})
        self.assertEqual(len(lines), self.info(bundle)['events'])
        self.assertEqual(errors.count('closed the connection'), 2)
        self.assertEqual(subprocess.run([SCOPE, 'live', one.place, '-o', bundle], capture_output=True).returncode, 1)

    def test_ascii(self):
        text, _ = self.live(self.path('text', o.made(7)), '--ascii')
        self.assertIn('{id:7 name:whole t:', text)
        self.assertTrue(text.endswith('#' * 39 + '\n'))

    def test_text_and_json_at_once(self):
        """The text goes to a file, behind what is there; on one output both would be mixed.  The last state has the numbers of
        the lines, and nothing that a program says looks like a line of ours."""
        data = o.made(7) + o.declare(21, o.STRING, b'two\nlines') + o.send(21, o.string(b'a\n{id:1 name:no\r\x1b[2J')) + o.send(2, o.real(9.0))
        file = self.path('state.txt', b'before\n')
        bundle = self.path('all.trace')
        out, _ = self.live(self.serve(data).place, '--json', '--ascii-to', file, '-o', bundle)
        last = {(line['name'], key): line[key] for line in map(json.loads, out.splitlines()) for key in line
                if 'name' in line and key not in ('t', 'program', 'name', 'kind', 'is')}
        with open(file) as f:
            text = f.read()
        self.assertTrue(text.startswith('before\n'))
        self.assertNotIn('\x1b', text)
        self.assertIn('{id:21 name:two\\nlines t:', text)
        self.assertIn('value:String a\\n{id:1 name:no\\r\\x1b[2J status:active }\n', text)
        for name, key in (('steps', 'Count'), ('whole', 'Integer'), ('last', 'Count')):
            self.assertRegex(text, r'name:%s t:[0-9.]+ value:Int %d status' % (name, last[name, key]))
        self.assertGreater(self.info(bundle)['events'], 100)
        done = subprocess.run([SCOPE, 'live', self.path('text2', data), '--json', '--ascii'], capture_output=True, text=True, timeout=30)
        self.assertEqual((done.returncode, '--ascii-to FILE' in done.stderr), (2, True), done.stderr)
        self.assertIn('cannot be written', self.live(self.path('text3', data), '--ascii-to', '/nowhere/state', status=1)[1])

    def test_lines_of_the_log_among_many_values(self):
        """The log shows the lines before an instant however many values came since, and a search finds them."""
        many = (o.send(20, o.integer(1)) + o.send(20, o.integer(2))) * 25000
        data, lines = o.declare(20, o.INT, b'n') + o.declare(3, o.LOG, b'log'), []
        for i in range(6):
            data += many + o.send(3, o.log([(float(i), b'line %d' % i)])) + o.send(2, o.real(i + 1.0))
        path, film, out = self.path('long', data + many + o.send(2, o.real(9.0))), self.path('long.film'), self.path('log.csv')
        subprocess.run([SCOPE, 'film', path, '--program', VIEWS, '-o', film, '-q'], check=True, stdout=subprocess.DEVNULL)
        for at, known in (('9', 6), ('5.5', 5), ('1', 1), ('0.5', 0)):
            subprocess.run([SCOPE, 'draw', path, '--program', VIEWS, '--film', film, '--view', 'Log', '--at', at, '-o', out], check=True)
            with open(out, newline='') as f:
                lines = [row['sentence'] for row in csv.DictReader(f)]
            self.assertEqual(lines[:known], [f'line {i}' for i in range(known)], (at, lines))

    def test_nobody_listens(self):
        with socket.socket() as s:
            s.bind(('127.0.0.1', 0))
            place = f'127.0.0.1:{s.getsockname()[1]}'
        _, errors = self.live(place, '--json', status=1)
        self.assertIn(f'could not connect to the server {place}', errors)

    def test_waits_until_somebody_listens(self):
        at, bundle = self.path('later'), self.path('waits.trace')
        waits = subprocess.Popen([SCOPE, 'live', 'unix:' + at, '--again', '--json', '-o', bundle], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(waits.kill)
        self.assertIn('No such file or directory; it is tried every second', waits.stderr.readline())
        self.serve(o.made(12, 2), unix=at)
        self.assertIn('connected', waits.stderr.readline())
        self.assertTrue(any('"steps"' in line for line in waits.stdout))
        waits.send_signal(signal.SIGINT)
        waits.communicate(timeout=30)
        self.assertGreater(self.info(bundle)['events'], 10)

    def test_waits_for_nobody(self):
        """What is left when Ctrl+C ends that: nothing."""
        bundle = self.path('nobody.trace')
        waits = subprocess.Popen([SCOPE, 'live', 'unix:' + self.path('nobody'), '--again', '-o', bundle], stderr=subprocess.PIPE, text=True)
        self.addCleanup(waits.kill)
        waits.stderr.readline()
        waits.send_signal(signal.SIGINT)
        waits.communicate(timeout=30)
        self.assertFalse(os.path.exists(bundle))

    def test_names_on_one_line(self):
        """Whatever a program calls its things: each name is on one line, and the same in every place."""
        raw = b'a\tb\nc\r\x1b[2J\x01"d"'
        shown = 'a\\tb\\nc\\r\\x1b[2J\\x01"d"'
        data = o.declare(20, o.INT, raw) + o.send(20, o.integer(5)) + o.send(2, o.real(1))
        path, bundle = self.path('names', data), self.path('names.trace')
        text, _ = self.live(path, '--json', '-o', bundle)
        self.assertEqual({line.get('name') for line in map(json.loads, text.splitlines())}, {None, shown})
        for trace in (path, bundle):
            self.assertEqual([n['Name'] for n in self.state(trace, '1')['nodes'] if n['Type'] == 'Integer'], [shown])
            for command in (['info'], ['events'], ['state', '--at', '1']):
                done = subprocess.run([SCOPE, *command, trace], capture_output=True, text=True)
                self.assertEqual([line for line in done.stdout.splitlines() if '"d"' in line and shown not in line], [])
                self.assertIn(shown, done.stdout)
        table = self.path('table.csv')
        subprocess.run([SCOPE, 'draw', path, '--program', VIEWS, '--view', 'Integers', '--csv', '-o', table], check=True)
        with open(table, newline='') as f:
            rows = list(csv.reader(f))
        self.assertIn(shown, [row[0] for row in rows if row])
        self.assertIn('name:a\\tb\\nc\\r\\x1b[2J\\x01"d" t:', self.live(path, '--ascii')[0])

    def test_a_pipe(self):
        pipe = self.path('pipe')
        os.mkfifo(pipe)
        process = subprocess.Popen([SCOPE, 'live', pipe, '--json'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        with open(pipe, 'wb') as f:
            f.write(o.made(8, 3))
        out, _ = process.communicate(timeout=30)
        self.assertIn(b'"steps"', out)

    def test_silence_and_connecting_again(self):
        server = self.serve(o.made(9, 3), stays=True)
        process = subprocess.Popen([SCOPE, 'live', server.place, '--json', '--again'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(3.6)
        for client in server.open:
            client.close()
        server.open.clear()
        time.sleep(1.8)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=30)
        said = [json.loads(line).get('is') for line in out.decode().splitlines()]
        self.assertIn('no data for 3\u2009s'.encode(), errors)
        self.assertIn(b'connected again', errors)
        self.assertEqual([s for s in said if s not in (None, 'declared', 'killed', 'collected')],
                         ['connected', 'silent', 'ended', 'connected'])
        names = [json.loads(line)['name'] for line in out.decode().splitlines() if '"is": "declared"' in line and '"name"' in line]
        self.assertEqual(len(names), len(set(names)))       # what is known is not declared again

    def test_killed(self):
        """What has come is there, and whoever follows is told."""
        data, bundle = o.made(10), self.path('killed.trace')
        server = self.serve(data, stays=True)
        process = subprocess.Popen([SCOPE, 'live', server.place, '-o', bundle], stderr=subprocess.DEVNULL)
        follower = subprocess.Popen([SCOPE, 'events', '--follow', '--json', bundle], stdout=subprocess.PIPE, stderr=subprocess.PIPE) \
            if self.wait_for(os.path.join(bundle, 'killed.values', 'records')) else None
        time.sleep(0.7)
        children = subprocess.run(['ps', '-o', 'pid=', '--ppid', str(process.pid)], capture_output=True).stdout.split()
        for pid in [process.pid, *map(int, children)]:
            os.kill(pid, signal.SIGKILL)
        process.wait()
        out, errors = follower.communicate(timeout=30)
        self.assertIn(b'is gone without having ended it', errors)
        self.assertEqual(self.final(bundle), self.final(self.path('whole', data)))
        self.assertEqual(len(out.splitlines()), self.info(bundle)['events'])

    @staticmethod
    def wait_for(path, more=24):
        for _ in range(200):
            if os.path.exists(path) and os.path.getsize(path) > more:
                return True
            time.sleep(0.02)
        return False

    def test_orders(self):
        """A program that has said that it listens is told; to any other nothing is sent."""
        for listens in (True, False):
            heard = bytearray()
            server = socket.socket()
            self.addCleanup(server.close)
            server.bind(('127.0.0.1', 0))
            server.listen(1)
            bundle = self.path(f'orders{listens}.trace')
            process = subprocess.Popen([SCOPE, 'live', f'127.0.0.1:{server.getsockname()[1]}', '-o', bundle], stderr=subprocess.PIPE)
            client, _ = server.accept()
            self.addCleanup(client.close)
            client.sendall((o.declare(4, o.SPECIAL, b'scope/1') if listens else b'') + o.declare(300, o.POINT, b'steps here')
                           + o.send(300, o.integer(1)))
            self.assertTrue(self.wait_for(os.path.join(bundle, f'orders{listens}.values', 'records'), 96))
            client.settimeout(0.3)
            for order in ('stop steps here', 'resume #300', 'period 250', 'period 20 steps here', 'continue', 'send now', 'stop nothing'):
                self.scope('live', '--tell', order, bundle)
                try:
                    heard += client.recv(100) if order != 'stop nothing' else b''
                except socket.timeout:
                    pass
            tag = struct.pack('<H', 300)
            wanted = [b'\x81' + tag, b'\x82' + tag, b'\x84' + struct.pack('<I', 250), b'\x83' + tag + struct.pack('<I', 20),
                      b'\x85' + bytes(8), b'\x86']
            self.assertEqual(bytes(heard), b''.join(map(o.message, wanted)) if listens else b'')
            said, errors = b'', b'called nothing' if listens else b'takes no orders'
            while errors not in said and select.select([process.stderr], [], [], 30)[0]:
                said += os.read(process.stderr.fileno(), 4096)      # the last order has been taken: now it may end
            self.assertIn(errors, said)
            client.close()
            process.communicate(timeout=30)
            self.assertIn('nobody records it', self.scope('live', '--tell', 'continue', bundle, status=1)[1])

    def test_a_tree_is_drawn(self):
        path = self.path('drawn', o.declare(5, o.TREE, b't') + o.send(5, o.tree([(b'leaf', []), (b'shared', [0]), (b'root', [1, 1])]))
                         + o.declare(6, o.POINT, b'p') + o.send(6, o.integer(1)) + o.send(2, o.real(1.0)))
        sizes = []
        for sharing in ('true', 'false'):
            out = self.path('out-' + sharing)
            self.scope('run', path, '--program', 'views', '--set', 'Tree.sharing=' + sharing, '-o', out)
            sizes.append(os.path.getsize(os.path.join(out, 'Tree.png')))
        self.assertGreater(sizes[1], sizes[0])      # three nodes, and five

    def test_a_flood(self):
        """A tag that is declared without end, each time by another name: bounded, told, and what was before is there."""
        flood = b''.join(o.declare(5, o.INT, b'n%d' % i) + o.send(5, o.integer(i)) for i in range(30000))
        bundle = self.path('flood.trace')
        self.live(self.serve(o.made(11, 4) + flood).place, '-o', bundle)
        self.assertEqual(self.info(bundle)['damaged'], 0)
        self.assertGreater(len(self.info(bundle)['tasks']), 30000)


def shown_bytes(b):
    return ''.join('?' if c == '\ufffd' or c == '\0' else c for c in b.decode('utf-8', 'replace'))


main()
