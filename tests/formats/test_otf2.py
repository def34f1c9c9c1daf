# SPDX-License-Identifier: Apache-2.0
"""OTF2 archives: samples of other programs and made ones, at random instants against a second computation (otf2.py) from
what otf2-print tells; damaged, and named by any of their files."""
import csv
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, SCOPE, Format, few, main, once, samples
from otf2 import Archive, Model, told                                                                 # noqa: E402

SAMPLES, SEED = samples('otf2'), int(os.environ.get('SCOPE_SEED', '1'))
WRITER = os.environ.get('OTF2_ARCHIVE', '')
HAS_PRINT = shutil.which('otf2-print') is not None
HAS_SAMPLES = os.path.isdir(SAMPLES) and WRITER != ''


def expected():
    with open(os.path.join(SAMPLES, 'expected.jsonl')) as lines:
        for row in map(json.loads, lines):
            yield os.path.join(SAMPLES, os.path.relpath(row['path'], 'otf2')), row


def unlike(name, taken):
    """With a number behind it, if it is taken."""
    own, n = name, 2
    while own in taken:
        own, n = f'{name} {n}', n + 1
    taken.add(own)
    return own


class Otf2(Format):
    def made(self, seed, ranks=5, steps=150, plain=False):
        if not WRITER:
            self.skipTest('built without libotf2')
        path = self.path(f'made{seed}')
        subprocess.run([WRITER, path, str(seed), str(ranks), str(steps)] + ['plain'] * plain, check=True)
        return path

    def compare(self, path, anchor, instants, seed):
        """Every number of the state of every task and link, at random instants."""
        archive, r, n = Archive(anchor), random.Random(seed), 0
        first, last = archive.records[0][0], max(record[0] for record in archive.records)
        names = {name for name, _, _ in archive.members.values()}
        received = [date for date, kind, _, _ in archive.records if kind == 'MPI_RECV'] or [first]
        for i in range(few(instants)):
            at = r.choice(received) if i % 2 else r.randint(first, last)     # also while something is on its way
            model = Model(archive, at)
            state = self.state(path, f'{at / 10 ** 9:.9f}')
            nodes = {node['id']: node for node in state['nodes']}
            self.assertLessEqual(model.seen, set(nodes), (path, at))
            for task, node in nodes.items():
                stack = model.stack[task]
                self.assertEqual(node['State'], stack[-1] if stack else 'No state', (path, at, task))
                self.assertEqual([int(node[k]) for k in ('Depth', 'Calls', 'Sent', 'Received')],
                                 [len(stack), model.calls[task], model.sent[task], model.received[task]], (path, at, task))
                for name in names:
                    x = model.variables[task].get(name)
                    if x is None:
                        self.assertEqual(node[name], '', (path, at, task, name))
                    else:
                        self.assertAlmostEqual(float(node[name]), x, delta=1e-9 * max(1, abs(x)), msg=(path, at, task, name))
                n += 5 + len(names)
            edges = {(e['from'], e['to']): [int(e['Traffic']), int(e['TotalTraffic']), int(e['Messages'])] for e in state['edges']}
            self.assertEqual(edges, dict(model.links), (path, at))
            n += 3 * len(edges)
        return n

    @unittest.skipUnless(HAS_PRINT, 'otf2-print is not here')
    def test_made_archives_at_random_instants(self):
        n = 0
        for seed in range(few(5)):
            path = self.made(seed)
            n += self.compare(path, os.path.join(path, "traces.otf2"), 6, seed)
        self.assertGreater(n, few(few(1000)))

    @unittest.skipUnless(HAS_PRINT and HAS_SAMPLES, 'the samples or otf2-print are not here')
    def test_samples_at_random_instants(self):
        for anchor, row in expected():
            if row.get('otf2_print_rc') == 0:
                self.compare(anchor, anchor, 2, f'{SEED} {os.path.relpath(anchor, SAMPLES)}')   # not where the tests lie: they pass everywhere or nowhere

    @unittest.skipUnless(HAS_PRINT, 'otf2-print is not here')
    def test_topologies_and_properties(self):
        """Where tasks are in Cartesian topologies, and what is told of locations, processes and machines, as otf2-print has it."""
        paths = [self.made(3)] + ([os.path.dirname(anchor) for anchor, row in expected() if row.get('otf2_print_rc') == 0] if HAS_SAMPLES else [])
        n = 0
        for path in paths:
            (anchor,) = glob.glob(os.path.join(path, '*.otf2'))
            archive, want, texts, taken = Archive(anchor), {}, [], set()
            for line in told(anchor, '-G').splitlines():
                kind = line.split(' ')[0]
                names = re.findall(r'"((?:[^"\\]|\\.)*)" <(\d+)>', line)
                if kind == 'CART_TOPOLOGY':
                    dimensions = [name for name, _ in names[2:]]
                    own = unlike(f'{names[0][0]}', taken)
                    for k, name in enumerate(dimensions):
                        want['of', line.split()[1], k] = unlike(f'{own}: {name or k}', taken)
                elif kind == 'CART_COORDINATE':
                    for k, x in enumerate(re.search(r'Coordinates?: \((.*)\)', line)[1].split(', ')):
                        want[archive.tasks[int(names[1][1])], want['of', names[0][1], k]] = float(x)
                elif kind in ('LOCATION_PROPERTY', 'LOCATION_GROUP_PROPERTY', 'SYSTEM_TREE_NODE_PROPERTY') and len(names) > 1:
                    of = int(names[0][1])
                    task = archive.tasks.get(of) if kind == 'LOCATION_PROPERTY' else archive.process.get(of) if 'GROUP' in kind else archive.nodes.get(of)
                    if task and 'Type: STRING' in line:
                        texts.append((task, names[1][0], names[2][0]))
                    elif task and 'Type: REGION' not in line:
                        want[task, names[1][0]] = float(re.search(r'Value: (\S+)', line)[1])
            nodes = {node['id']: node for node in self.state(path, '1000000')['nodes']}
            for (task, name), x in [(k, x) for k, x in want.items() if len(k) == 2]:
                self.assertEqual(float(nodes[task][name]), x, (path, task, name))
                n += 1
            kinds = {k['name'] for k in self.info(path)['kinds']}
            events = self.scope('events', path, '--json', '--kind', 'PropertyText')[0].splitlines() if 'PropertyText' in kinds else []
            got = sorted((e['task'], e['property'], e['value']) for e in map(json.loads, events))
            hosts = {t['id'] for t in self.info(path)['tasks']}
            self.assertEqual(got, sorted(t for t in texts if t[0] in hosts), path)
            n += len(got)
        self.assertGreater(n, 20)

    @unittest.skipUnless(HAS_PRINT, 'otf2-print is not here')
    def test_who_asks_others_is_not_at_work(self):
        """At random instants the number of tasks at work is that of those outside of calls of MPI."""
        n = 0
        for k, name in enumerate(('mpi-stencil', 'mpi-farm')):
            path = os.path.join(ROOT, 'traces', name + '.otf2')
            archive, out, r = Archive(os.path.join(path, 'traces.otf2')), self.path(name + '.csv'), random.Random(SEED + k)
            self.scope('draw', path, '--program', 'concurrency', '--view', 'Utilization count', '-o', out)
            with open(out, encoding='utf-8', newline='') as f:
                rows = [(round(float(date) * 1e9), int(value)) for date, _, value in list(csv.reader(f))[1:]]
            ends = {task: max(d for d, _, location, _ in archive.records if archive.tasks[location] == task) for task in archive.tasks.values()}
            start = archive.records[0][0]
            dates = {date for date, *_ in archive.records}
            for _ in range(few(40)):
                at = r.randint(start, max(ends.values()) - 1)
                if at in dates:
                    continue
                model = Model(archive, at)
                want = sum(ends[task] > at and not (model.stack[task] and model.stack[task][-1].startswith('MPI_')) for task in model.seen)
                shown = [value for date, value in rows if date <= at - start]
                self.assertEqual(shown[-1], want, (name, at, model.stack))
                n += 1
            self.assertGreater(max(value for date, value in rows), 0)
        self.assertGreater(n, 0)

    @unittest.skipUnless(HAS_PRINT, 'otf2-print is not here')
    def test_load_balance(self):
        """The work of a task is the time that it is outside of calls of MPI, from its first record to its last, whatever its states are called."""
        for name in ('mpi-stencil', 'mpi-farm'):
            path, out, work, at, stack = os.path.join(ROOT, 'traces', name + '.otf2'), self.path(name), {}, {}, {}
            archive = Archive(os.path.join(path, 'traces.otf2'))
            for date, kind, location, text in archive.records:
                task = archive.tasks[location]
                inside = stack.setdefault(task, [])
                if not (inside and inside[-1].startswith('MPI_')):
                    work[task] = work.get(task, 0) + date - at.get(task, date)
                at[task] = date
                if kind == 'ENTER':
                    inside.append(re.search(r'Region: "([^"]*)"', text)[1])
                elif kind == 'LEAVE':
                    inside.pop()
            self.scope('run', path, '--program', 'load-balance', '--out', out, '-q')
            with open(os.path.join(out, 'busy.csv'), encoding='utf-8', newline='') as f:
                told = {row['owner']: float(row['sum [s]']) for row in csv.DictReader(f)}
            self.assertEqual(set(told), set(work))
            for task, ticks in work.items():
                self.assertAlmostEqual(told[task], ticks / 1e9, delta=1e-8, msg=(name, task))
            with open(os.path.join(out, 'imbalance.csv'), encoding='utf-8', newline='') as f:
                told = float(list(csv.reader(f))[-1][0])
            self.assertAlmostEqual(told, (max(work.values()) * len(work) / sum(work.values()) - 1) * 100, places=5)

    @unittest.skipUnless(HAS_PRINT, 'otf2-print is not here')
    def test_call_that_each_task_is_inside_of(self):
        """Of tasks whose last record enters a region the call lasts, since then; where it leaves one, that is over."""
        path, seen = os.path.join(ROOT, 'traces', 'mpi-stencil.otf2'), set()
        archive, r = Archive(os.path.join(path, 'traces.otf2')), random.Random(SEED)
        middle = [date for date, kind, *_ in archive.records if kind in ('ENTER', 'LEAVE')]
        for k in range(few(8)):
            at, out, last = r.choice(middle), self.path(f'{k}.csv'), {}
            for date, kind, location, text in archive.records:
                if date <= at:
                    last[archive.tasks[location]] = date, kind, text
            self.scope('draw', path, '--program', 'statistics', '--view', 'Call Trace', '--at', f'{at / 1e9:.9f}', '-o', out)
            with open(out, encoding='utf-8', newline='') as f:
                rows = {row[0]: row[1:] for row in list(csv.reader(f))[1:]}
            for task, (date, kind, text) in last.items():
                if kind in ('ENTER', 'LEAVE'):
                    call, state, since, until = rows[task][:4]
                    told, other = (since, until) if kind == 'ENTER' else (until, since)
                    self.assertEqual((call, state), (re.search(r'Region: "([^"]*)"', text)[1], 'lasts' if kind == 'ENTER' else 'over'), (at, task))
                    self.assertEqual((round(float(told) * 1e9), other), (date, ''), (at, task))
                    seen.add(kind)
        self.assertTrue(seen)

    @unittest.skipUnless(HAS_SAMPLES, 'the samples are not here')
    @once
    def test_samples_as_others_count_them(self):
        for anchor, row in expected():
            if row.get('otf2_print_rc') != 0:
                continue
            info = self.info(anchor)
            begun = {k['name']: k['begun'] for k in info['kinds']}
            kinds = {k.upper().replace('_', ''): n for k, n in row['kinds'].items()}
            for name in ('Enter', 'Leave', 'MpiSend', 'MpiRecv', 'ProgramBegin', 'RmaPut', 'RmaGet', 'RmaWinCreate', 'MpiIrecv'):
                self.assertEqual(begun.get(name, 0), kinds.get(name.upper(), 0), (anchor, name))
            collective = sum(k['begun'] for k in info['kinds'] if k['category'] == 'collective')
            self.assertEqual(collective, kinds.get('MPICOLLECTIVEEND', 0), anchor)
            self.assertEqual(float(info['first']), row.get('first', row.get('first_ticks', 0) / 1e9), anchor)
            self.assertAlmostEqual(float(info['last']), row.get('last', row.get('last_ticks', 0) / 1e9), delta=2e-9, msg=anchor)
            end = self.state(anchor, '1000000')
            self.assertEqual(sum(int(e['Messages']) for e in end['edges']), row['messages'], anchor)
            self.assertEqual(sum(int(e['TotalTraffic']) for e in end['edges']), row['bytes'], anchor)

    def test_many_decode(self):
        """Whoever decodes the locations, it is the same trace byte by byte, damage told in the same order; threads on one processor too."""
        broken = self.made(3)
        some = sorted(glob.glob(os.path.join(broken, 'traces', '*.evt')))
        for path in some[::2]:
            with open(path, 'r+b') as f:
                f.truncate(os.path.getsize(path) * 2 // 3)
        for path in (self.made(1, 7, 400), broken):
            of_any = set()
            for n in ('0', '1', '2', '4'):
                self.env.update(SCOPE_DECODERS=n, XDG_CACHE_HOME=self.path(f'cache{n}-{os.path.basename(path)}'))
                told = self.scope('info', path, '--json')
                kept, = glob.glob(os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'converted', '*'))
                parts = []
                for part in ('tables', 'values', 'counts'):
                    with open(os.path.join(kept, part), 'rb') as f:
                        parts.append(f.read())
                os.unlink(os.path.join(kept, 'counts'))     # then they are counted
                self.assertEqual(self.scope('info', path, '--json'), told)
                states = [self.state(path, at)['hash'] for at in ('0.01', '0.1', '100')]
                of_any.add((*told, *parts, *states))
            self.assertEqual(len(of_any), 1, path)

    def kept_of(self, path, **more):
        """All that is told and kept of a trace that was never opened."""
        cache = self.path('cache')
        shutil.rmtree(cache, True)
        self.env.update(XDG_CACHE_HOME=cache, **more)
        told = self.scope('info', path, status=(0, 1))
        for name in more:
            del self.env[name]
        parts = {}
        for file in sorted(glob.glob(os.path.join(cache, 'scope', 'converted', '*', '*'))):
            with open(file, 'rb') as f:
                parts[os.path.basename(file)] = f.read()
        return told, parts

    def test_decoded_here_and_by_the_library(self):
        """Sound or damaged: byte for byte what libotf2 gives, and the same sentences."""
        r = random.Random(SEED)
        some = [self.made(5, 6, 60)] + sorted(glob.glob(os.path.join(ROOT, 'traces', '*.otf2')))
        some += [p for p in sorted(glob.glob(os.path.join(SAMPLES, '*'))) if os.path.isdir(p)]
        for i in range(max(few(80), len(some))):       # every other one is damaged
            path = self.path('some')
            shutil.rmtree(path, True)
            shutil.copytree(some[i // 2 % len(some)], path)
            file = r.choice(sorted(glob.glob(os.path.join(path, '**', '*.evt'), recursive=True)))
            os.chmod(file, 0o644)
            with open(file, 'rb') as f:
                data = bytearray(f.read())
            how = r.randrange(1, 5) if i % 2 else 0
            if how == 1:
                data = data[:r.randrange(1, len(data))]
            elif how == 2:
                at = r.randrange(len(data))
                del data[at:at + r.randrange(1, 5)]
            for _ in range(how - 2):
                data[r.randrange(len(data))] = r.choice((0, 2, 3, 5, 6, 0xff, r.randrange(256)))
            with open(file, 'wb') as f:
                f.write(data)
            self.assertEqual(self.kept_of(path), self.kept_of(path, SCOPE_OTF2_LIBRARY='1'), (path, some[i // 2 % len(some)], file, how, SEED))

    def test_records_are_decoded_without_the_library(self):
        """All of them, of archives that hold what most do: what compares both ways would else compare the library with itself."""
        paths = [self.made(31)] + sorted(glob.glob(os.path.join(ROOT, 'traces', '*.otf2')))
        paths += [p for p in sorted(glob.glob(os.path.join(samples('otf2'), '*'))) if os.path.isdir(p)][:few(4)]
        for path in paths:
            told = {}
            for how in ('', '1'):
                shutil.rmtree(self.env['XDG_CACHE_HOME'], True)
                env = dict(self.env, G_MESSAGES_DEBUG='all', **({'SCOPE_OTF2_LIBRARY': how} if how else {}))
                done = subprocess.run([SCOPE, 'info', path, '-q'], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stdout[-2000:])
                told[how] = re.findall(r'otf2: location (\d+): (\d+) records, (\d+) of them without the library', done.stdout)
            self.assertEqual(sorted((at, n) for at, n, _ in told['']), sorted((at, n) for at, n, _ in told['1']), path)
            self.assertGreater(sum(int(n) for _, n, _ in told['']), 0, path)
            self.assertEqual([at for at, n, own in told[''] if n != own], [], path)
            self.assertEqual([at for at, _, own in told['1'] if own != '0'], [], path)

    def test_named_by_any_file(self):
        path = self.made(31)
        files = [path, f'{path}/traces.otf2', f'{path}/traces.def', f'{path}/traces', f'{path}/traces/2.evt', f'{path}/traces/0.def']
        hashes = {self.state(p, '0.001')['hash'] for p in files}
        hashes.add(json.loads(self.scope('seek', path, '--to', '0.001')[0])['hash'])
        self.assertEqual(len(hashes), 1)
        cache = os.path.join(self.env['XDG_CACHE_HOME'], 'scope', 'converted')
        self.assertEqual(len(os.listdir(cache)), 1)     # all of them are one trace
        # two archives in one folder: each by its anchor
        for name in ('b.otf2', 'b.def', 'b'):
            (shutil.copytree if name == 'b' else shutil.copy)(path + '/traces' + name[1:], f'{path}/{name}')
        self.assertEqual(self.info(f'{path}/b.otf2')['events'], self.info(f'{path}/traces.otf2')['events'])

    def test_one_location_is_damaged(self):
        """The others lose nothing; what is missing is told with its place."""
        path = self.made(32)
        sound = {t['id']: t['events'] for t in self.info(path)['tasks']}
        file = f'{path}/traces/1.evt'
        with open(file, 'rb') as f:
            data = f.read()
        for cut in (0, 1, 30, len(data) // 2, len(data) - 20, None):
            if cut is None:
                os.remove(file)
            else:
                with open(file, 'wb') as f:
                    f.write(data[:cut])
            info = self.info(path)
            self.assertGreaterEqual(info['damaged'], 1, cut)
            self.assertIn('1.evt', json.dumps(info['damage']))
            for task in info['tasks']:
                if task['id'] not in ('rank 1', 'rank 0 · master', 'n0'):    # it writes metrics of these too
                    self.assertEqual(task['events'], sound[task['id']], (cut, task['id']))
        os.symlink('/dev/zero', file)
        self.assertIn('1.evt', self.scope('info', path)[0])

    def test_damage(self):
        """However files are changed, cut or taken away: opened, or refused with a sentence, which the library does not
        add to."""
        path, r, told = self.made(33, ranks=3, steps=40), random.Random(33), 0
        files = sorted(f for f in glob.glob(path + '/**', recursive=True) if os.path.isfile(f))
        for i in range(few(40)):
            file = r.choice(files)
            with open(file, 'rb') as f:
                data = f.read()
            b = bytearray(data)
            if i % 3 == 0:
                b = b[:r.randrange(len(b))]
            else:
                for _ in range(r.choice((1, 2, 8))):
                    b[r.randrange(len(b))] = r.choice((0, 1, 127, 128, 255, r.randrange(256)))
            with open(file, 'wb') as f:
                f.write(b)
            shown, said = self.scope('info', path, status=(0, 1))
            self.assertLessEqual(said.count('\n'), 1, said)
            told += said != '' or 'Damaged records' in shown
            with open(file, 'wb') as f:
                f.write(data)
        self.assertGreater(told, 0)
        os.remove(f'{path}/traces.def')
        self.assertIn('no definitions', self.scope('info', path, status=1)[1])

    def test_what_is_lost_is_told(self):
        """Of a file that is cut or gone: who, and how many events; what the location was inside of ends with its last event."""
        whole = os.path.join(ROOT, 'traces', 'mpi-farm.otf2')
        events = [json.loads(line) for line in self.scope('events', whole, '--json')[0].splitlines()]
        for kept in (0.5, 0.9, None):
            shutil.copytree(whole, self.path('cut'))
            file = self.path('cut/traces/1.evt')
            os.chmod(os.path.dirname(file), 0o755)
            with open(file, 'rb') as f:
                data = f.read()
            os.unlink(file)
            if kept:
                with open(file, 'wb') as f:
                    f.write(data[:int(len(data) * kept)])
            info, told = self.info(self.path('cut')), self.scope('check', self.path('cut'), status=1)[0]
            declared = int(re.search(r'missing, (\d+) as|of the (\d+) events that', told).group(2 if kept else 1))
            read = int(re.search(r'after (\d+) events of rank 1', told).group(1)) if kept else 0
            self.assertIn('1.evt', told)
            self.assertEqual(info['damaged'], declared - read, told)
            if kept:
                self.assertIn(f'{declared - read} of the {declared} events', told)
                last = max(e['t'] for e in (json.loads(line) for line in self.scope('events', self.path('cut'), '--json')[0].splitlines())
                           if e['task'] == 'rank 1')
                self.assertLess(last, max(e['t'] for e in events))
                node = next(n for n in self.state(self.path('cut'), f'{last + 1e-6:.9f}')['nodes'] if 'rank 1' in n['Name'])
                self.assertEqual(node['State'], 'No state')
            shutil.rmtree(self.path('cut'))

    def test_anchor_that_promises_too_much(self):
        """Texts of an anchor that do not end: told at once, where the library would look for billions of others."""
        whole = os.path.join(ROOT, 'traces', 'mpi-farm.otf2')
        with open(os.path.join(whole, 'traces.otf2'), 'rb') as f:
            anchor = f.read()
        for at, byte in [(at, 0xff) for at in (46, 64, 65)] + [(66 + i, 0x7f) for i in range(4)] + [(len(anchor) - 16, None)]:
            shutil.copytree(whole, self.path('anchor'))
            os.unlink(self.path('anchor/traces.otf2'))
            with open(self.path('anchor/traces.otf2'), 'wb') as f:
                f.write(anchor[:at] + (b'' if byte is None else bytes([byte]) + anchor[at + 1:]))
            self.assertRegex(self.scope('info', self.path('anchor'), status=1)[1], r'traces\.otf2 is damaged: the texts')
            shutil.rmtree(self.path('anchor'))

    @unittest.skipUnless(HAS_SAMPLES, 'the samples are not here')
    def test_sample_that_is_damaged(self):
        info = self.info(os.path.join(SAMPLES, 'damaged-truncated'))
        self.assertEqual(info['damaged'], 351)      # of one file the rest, another is not there
        events = {t['id']: t['events'] for t in info['tasks']}
        self.assertEqual([events[f'MPI Rank {i}'] for i in range(4)], [308, 277, 157, 0])     # one more leaves what rank 2 was inside of
        top, _, rest = self.scope('report', os.path.join(SAMPLES, 'damaged-truncated'))[0].partition('What limits it')     # figures are of a part: told before them
        self.assertRegex(top, r'(?m)^  damaged     3\.evt, .*the events of MPI Rank 3 are missing, 246 as')
        self.assertRegex(top, r'(?m)^  damaged     2\.evt, .*after 156 events of MPI Rank 2')
        self.assertIn('the events of MPI Rank 3 are missing', rest)

    def test_anchor_alone(self):
        path = self.path('alone.otf2', b'\x03BOTF2' + bytes(60))
        said = self.scope('info', path, status=1)[1]
        self.assertIn('no definitions' if WRITER else 'libotf2-trace-dev', said)

    @unittest.skipUnless(shutil.which('otf2-marker'), 'otf2-marker is not here')
    def test_markers(self):
        path = self.made(35)
        anchor, n = f'{path}/traces.otf2', self.info(path)['events']
        subprocess.run(['otf2-marker', '--add-def', 'run', 'phase', 'LOW', anchor], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(['otf2-marker', '--add', 'run', 'phase', '5100+50', 'LOCATION:1', 'the first one', anchor], check=True, stdout=subprocess.DEVNULL)
        said = self.scope('events', path, '--kind', 'Marker')[0]
        self.assertIn('rank 1: Marker (marker “run: phase”, text “the first one”) takes 0.00005\u2009s', said)
        self.assertEqual(self.info(path)['events'], n + 2)

    @once
    def test_many_locations_are_declared(self):
        """Most have no file: it is said, and not once for each."""
        path = self.made(36, ranks=250, steps=3, plain=True)
        lost = sum(t['events'] for t in self.info(path)['tasks'] if t['id'] not in ('rank 0', 'rank 1'))
        for name in os.listdir(f'{path}/traces'):
            if not name.startswith(('0.', '1.')):
                os.remove(f'{path}/traces/{name}')
        info = self.info(path)
        self.assertEqual(info['damaged'], lost)
        self.assertEqual(len(info['damage']), 100)

    def test_as_a_film(self):
        path = self.made(34)
        self.scope('film', path)
        self.scope('marks', path, 'add', 'here', '--at', '0.001')
        self.assertIn('here', self.scope('marks', path)[0])
        self.assertEqual(sorted(os.listdir(path)), ['traces', 'traces.def', 'traces.otf2'])

    @unittest.skipUnless(WRITER, 'built without libotf2')
    def test_written_and_read_again(self):
        """What is exported as an archive is the same execution at any instant; otf2-print counts the same messages."""
        paths = [os.path.join(ROOT, 'traces', name) for name in ('ring.trace', 'philosophers.trace')]
        paths += [os.path.join(SAMPLES, 'pmpi-waits')] if HAS_SAMPLES else []

        def twin_of(node, nodes):
            return next((n for n in nodes if n['Name'] == (node['Nickname'] or node['Name'])), None)
        for n, path in enumerate(paths):
            again = self.check_written(path, '.otf2', twin_of, seed=n, dies=False)
            state = self.state(again, str(self.info(again)['last']))
            received = sum(int(node['Received']) for node in state['nodes'])
            if HAS_PRINT:
                text = subprocess.run(['otf2-print', os.path.join(again, 'traces.otf2')], capture_output=True, text=True).stdout
                self.assertEqual(sum(line.startswith(('MPI_RECV ', 'MPI_IRECV ')) for line in text.splitlines()), received)
        self.assertFalse([name for name in os.listdir(self.folder.name) if name.endswith('.making')])

    def test_what_groups_do_is_written(self):
        """Operations of communicators and of windows of memory, each with its window; a format without them says what is lost."""
        for name in ('mpi-memory.otf2', 'mpi-collectives.otf2'):
            path, again = os.path.join(ROOT, 'traces', name), self.path(name + '.again.otf2')
            told = self.scope('export', path, '-o', again)[1]
            left = int((re.search(r'(\d+) operations? of', told) or [0, 0])[1])
            one, two = ({k['name']: k['begun'] for k in self.info(p)['kinds'] if k['category'] == 'collective'} for p in (path, again))
            self.assertEqual(sum(one.values()) - sum(two.values()), left, told)
            self.assertEqual({k: n for k, n in one.items() if k.startswith('Rma')}, {k: n for k, n in two.items() if k.startswith('Rma')})
            if HAS_PRINT:
                done = subprocess.run(['otf2-print', os.path.join(again, 'traces.otf2')], capture_output=True, text=True)
                self.assertEqual(done.stderr, '')
                self.assertEqual(done.stdout.count('RMA_COLLECTIVE_END'), sum(n for k, n in one.items() if k.startswith('Rma')))
            self.assertIn('who waits in them cannot be judged when it is read again', self.scope('export', path, '-o', self.path(name + '.paje'))[1])


main()
