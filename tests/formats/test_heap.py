# SPDX-License-Identifier: Apache-2.0
"""Heap snapshots beside a second computation (heap.py), damaged, and huge."""
import csv
import json
import os
import random
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, few, main                                                   # noqa: E402
from heap import FRAMES, MAGIC, Model, SITES, STACKS, TYPES, Typed, long_list, many_graphs, retained_in, section, snapshot          # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPHS = int(os.environ.get('SCOPE_GRAPHS', '300'))


class Heap(Format):
    def show(self, path, *more, status=0):
        return json.loads(self.scope('heap', 'show', path, '--json', '--top', '1000000', '--depth', '64', *more, status=status)[0])

    def retained_of(self, shown):
        found, stack = {}, [shown['tree']]
        while stack:
            node = stack.pop()
            if 'block' in node:
                found[node['block']] = node['retained']
            stack.extend(node.get('below', ()))
        return found


class Made(Heap):
    def test_retained_is_what_taking_away_frees(self):
        data, parts = many_graphs(GRAPHS, GRAPHS)
        expected = {}
        for part in parts:
            expected.update(retained_in(part))
        shown = self.show(self.path('graphs.heap', data))
        found = self.retained_of(shown)
        self.assertEqual(found, expected)
        self.assertEqual(shown['live_blocks'], len(expected))
        self.assertEqual(shown['damaged'], 0)
        model = Model(data)
        self.assertEqual(shown['live_words'], model.words(expected))
        self.assertEqual(shown['garbage_words'], model.words(set(range(len(model.blocks))) - set(expected)))

    def test_ephemerons_keep_what_their_keys_allow(self):
        # 0 refers to ephemerons 1 and 2; 3 is kept by the key 0, 4 by a key that nobody keeps
        blocks = [(0, 2, [1, 2]), (251, 3, []), (251, 3, []), (252, 80, []), (252, 40, []), (0, 1, [])]
        data = snapshot(blocks, [(3, 0, 0)], weak=[(1, [4, 1]), (2, [5, 6])])
        shown = self.show(self.path('weak.heap', data))
        self.assertEqual(self.retained_of(shown), {0: 3 + 4 + 12 + 4, 1: 4 + 12, 2: 4, 3: 12})
        self.assertEqual(Model(data).live(), {0, 1, 2, 3})

    def test_random_ephemerons_in_sections_that_go_on(self):
        r, blocks, weak, roots = random.Random(6), [], [], []
        for _ in range(few(60)):
            begin, n = len(blocks), r.randint(4, 12)
            for i in range(n):
                ephemeron = r.random() < 0.4
                blocks.append((251, 4, []) if ephemeron else (0, 3, [begin + r.randrange(n) for _ in range(r.randrange(3))]))
                if ephemeron:
                    weak.append((begin + i, [r.choice((0, 1)) * (begin + r.randrange(n) + 1) for _ in range(r.randint(1, 4))]))
            roots += [(3, 0, begin + r.randrange(n)) for _ in range(2)]
        live = Model(snapshot(blocks, roots, weak=weak)).live()
        self.assertNotIn(len(live), (0, len(blocks)))
        for size in (0, 1, 7, 100):
            data = snapshot(blocks, roots, weak=weak, weak_bytes=size)
            self.assertEqual(Model(data).live(), live)
            shown = self.show(self.path('weak.heap', data))
            self.assertEqual(set(self.retained_of(shown)), live, size)
            self.assertEqual(shown['damaged'], 0)
        data = bytearray(snapshot(blocks, roots, weak=weak, weak_bytes=100))
        data[-60] ^= 1                                          # inside of the last section of them
        self.assertIn('told as garbage', self.scope('heap', 'show', self.path('weak.heap', bytes(data)))[1])

    def typed(self, seed, types=TYPES):
        folder = self.path(f'typed{seed}.trace')
        os.makedirs(folder + '/typed.heap', exist_ok=True)
        data, counts = Typed(seed).made()
        self.path(f'typed{seed}.trace/typed.heap/0001.made.heap', data)
        self.scope('heap', 'types', folder, self.path('made.types', types))
        return folder, counts

    def test_types_of_blocks(self):
        """From the values of modules down: each block has the type that its place says, if it looks so."""
        for seed in range(8):
            folder, counts = self.typed(seed)
            shown = self.show(folder)
            self.assertEqual({c['name']: c['live_blocks'] for c in shown['classes'] if c['live_blocks']}, counts, seed)
            for c in shown['classes']:
                sure = 'exact' if c['name'] == 'string' else 'unknown' if c['name'].startswith('tag ') else 'inferred'
                self.assertEqual(c['known'], sure, c)
            self.assertEqual(shown['damaged'], 0)

    def test_damaged_types(self):
        folder, counts = self.typed(3, TYPES.replace('block 1 Group', 'block one Group').replace('at 2', 'at two'))
        said = self.scope('heap', 'show', folder)
        self.assertIn('it makes no sense', said[1])
        r, data = random.Random(8), TYPES.encode()
        for i in range(25):
            b = bytearray(data)
            for _ in range(r.randrange(1, 12)):
                b[r.randrange(14, len(b))] = r.choice(b'0123456789 @*$?>\n\xffx')
            self.path('typed3.trace/typed.heap/types', bytes(b[:r.randrange(20, len(b))] if i % 3 == 0 else b))
            self.scope('heap', 'show', folder)
        for text in ('scope-types 1\nunit Made\nat 0 @ 0 1 ' + '@ 0 1 ' * 5000 + '?\n',
                     'scope-types 1\nunit Made\nat 2 @ 0 0\ntype 0 0 alias a\nis @ 0 0\n',
                     'scope-types 1\nunit Made\nat 2 @ 0 1 @ 1 0\ntype 0 1 alias a\nis @ 0 1 * 2 $0 $0\ntype 1 0 plain b\n'):
            self.path('typed3.trace/typed.heap/types', text)
            self.scope('heap', 'show', folder)
        self.assertIn('no file of types', self.scope('heap', 'types', folder, self.path('other', 'hello'), status=1)[1])

    def test_a_chain_of_ephemerons_takes_no_longer_than_its_length(self):
        n = 150_000                                             # each waits for the value of the one behind it
        blocks = [(0, n, range(1, n + 1))] + [(251, 3, [])] * n + [(252, 8, [])] * n
        weak = [(1 + i, [n + 1 + i + 1, n + 1 + i + 2 if i < n - 1 else 1]) for i in range(n)]
        shown = self.scope('heap', 'show', '--quick', '--json', self.path('chain.heap', snapshot(blocks, [(3, 0, 0)], weak=weak)))
        self.assertEqual(json.loads(shown[0])['live_blocks'], 2 * n + 1)

    def test_snapshots_are_in_order_of_their_numbers(self):
        folder = self.path('many.trace')
        os.makedirs(folder + '/many.heap')
        for n in (2, 9999, 10000, 10001, 100000):
            data = snapshot([(252, n, [])], [(3, 0, 0)], info=f'elapsed_ns {n}\nskipped {n % 7}\nfailed 1\n')
            self.path(f'many.trace/many.heap/{n:04}.major.heap', data)
        self.assertIn('/100000.', self.show(folder)['file'])
        self.assertIn('/10000.', self.show(folder, '-n', '10000')['file'])
        (program,) = [n for n in self.state(folder, '0.0000101')['nodes'] if n.get('Type') == 'Program']
        self.assertEqual(float(program['live words']), 10001 // 8 + 2)
        self.assertEqual(float(program['snapshots left out']), 10001 % 7 + 1)
        self.assertIn(f'{100000 % 7} snapshots before it were due', self.scope('heap', 'show', folder)[0])

    def test_long_lists_and_rings(self):
        n = 1_000_000
        for ring in (False, True):
            shown = json.loads(self.scope('heap', 'show', self.path('long.heap', long_list(n, ring)), '--json', '--depth', '2')[0])
            self.assertEqual(shown['live_blocks'], n)
            self.assertEqual(shown['tree']['retained'], 3 * n)
        path = self.scope('heap', 'show', self.path('short.heap', long_list(5)), '--path', '4')[0]
        self.assertIn('#3', path)

    def test_bad_input_gets_sentences(self):
        blocks = [(0, 2, [1, 2]), (252, 9, []), (253, 1, [])]
        good = snapshot(blocks, [(0, 0, 0)])

        def told(data, status=0):
            return self.scope('heap', 'show', self.path('bad.heap', data), status=status)[1]
        self.assertIn('no heap snapshot', told(b'no such thing', 1))
        self.assertIn('no heap snapshot', told(b'', 1))
        self.assertIn('has no end', told(snapshot(blocks, [(0, 0, 0)], end=False)))
        self.assertIn('not in the file', told(snapshot([(0, 1, [77])], [(0, 0, 0)])))
        self.assertIn('ends inside of a section', told(good[:-3]))
        self.assertIn('no section begins', told(good + bytes(100)))
        self.assertIn('cannot be', told(MAGIC + section(2, b'\0\0', count=9), 1))
        self.assertIn('nothing is known', told(MAGIC + section(2, b'\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01', count=1)))
        changed = bytearray(good)
        changed[good.index(b'/made')] ^= 1
        self.assertIn('is damaged', told(bytes(changed)))
        self.assertIn('heap_words says 99, and 8', self.scope('heap', 'check', self.path('lies.heap', snapshot(blocks, [], info='heap_words 99\n')),
                                                status=1)[0])

    def test_cut_and_changed(self):
        data = many_graphs(9, 40)[0]
        r = random.Random(1)
        for i in range(few(30)):
            b = bytearray(data[:r.randrange(len(data))] if i % 2 else data)
            for _ in range(i % 5):
                b[r.randrange(len(b))] = r.randrange(256)
            self.scope('heap', 'show', self.path('m.heap', bytes(b)), '--json', status=(0, 1))

    def test_usage(self):
        self.assertIn('run, dump', self.scope('heap', 'frob', status=2)[1])
        self.assertIn('no heap snapshots', self.scope('heap', 'show', self.folder.name, status=1)[1])
        self.assertIn('NAME.trace', self.scope('heap', 'run', '-o', self.path('x'), '--', 'true', status=(1, 2))[1])
        path = self.path('few.heap', snapshot([(0, 1, [1]), (252, 9, []), (253, 1, [])], [(3, 0, 0)]))
        for what, told in (('#', 'is no block'), ('#3', '#2'), ('-1', 'no class'), ('99999999999999999999', 'is no block'),
                           ('strin', 'is no class')):
            out, err = self.scope('heap', 'show', path, '--path=' + what, status=1)
            self.assertIn(told, err)
            self.assertEqual(out, '')
        self.assertIn('nothing', self.scope('heap', 'show', path, '--path', 'float')[0].replace('no such block is kept', 'nothing'))
        self.assertIn('string #1', self.scope('heap', 'show', path, '--path', 'string')[0])
        for command in ('show', 'diff'):
            self.assertIn('1 or more', self.scope('heap', command, path, '--top', '-1', status=2)[1])
        self.assertIn('--patience', self.scope('heap', 'run', '--patience', '0', '-o', self.path('y.trace'), '--', 'true', status=2)[1])

    def test_program_that_is_none_of_ocaml(self):
        out, err = self.scope('heap', 'run', '-o', self.path('sh.trace'), '--', 'sh', '-c', 'echo hello; exit 7', status=7)
        self.assertEqual(out, 'hello\n')
        self.assertIn('no program of OCaml', err)


class Recorded(Heap):
    """Snapshots that programs of several versions of OCaml have left (heap-samples/*.ml), beside what their runtime counted itself."""

    def test_as_the_runtime_counts(self):
        samples = os.path.join(HERE, 'heap-samples')
        with open(os.path.join(samples, 'counts')) as f:
            lines = [line.split() for line in f]
        self.assertEqual({f'{name}-{version}.heap' for name, version, *_ in lines}, {f for f in os.listdir(samples) if f.endswith('.heap')})
        for name, version, blocks, words, *reachable in lines:
            path = os.path.join(samples, f'{name}-{version}.heap')
            self.assertIn('good', self.scope('heap', 'check', path)[0])
            shown = self.show(path)
            self.assertTrue(str(shown['info']['ocaml']).startswith(version))
            with open(path, 'rb') as f:
                model = Model(f.read())
            large = sum(model.words([b]) > 128 for b in range(model.n_heap)) if version[0] == '5' else 0
            self.assertEqual((shown['live_blocks'], shown['live_words'] + 2 * large), (int(blocks), int(words)))
            live, found = model.live(), self.retained_of(shown)
            self.assertEqual(shown['live_words'], model.words(live))
            for b in random.Random(5).sample(sorted(found), 10):
                self.assertEqual(found[b], model.retained(b, live), b)
            self.assertLessEqual({int(n) for n in reachable}, set(found.values()) | {0})
            if name == 'suspended':                             # each stack keeps a list of 100
                classes = {c['name']: c for c in shown['classes']}
                self.assertEqual(classes['suspended stack']['live_blocks'], 20)
                self.assertGreaterEqual(classes['suspended stack']['retained'], 20 * 300)

    def test_blocks_strings_and_pieces(self):
        path = os.path.join(HERE, 'heap-samples', 'small-4.13.heap')
        with open(path, 'rb') as f:
            model = Model(f.read())
        live, r = model.live(), random.Random(8)
        for block in r.sample(sorted(live), few(5)):
            told = json.loads(self.scope('heap', 'show', path, '--json', '--quick', '--top', '100000', f'--block=#{block}')[0])['block']
            self.assertEqual((told['number'], told['live']), (block, True))
            self.assertEqual(sorted(b['block'] for b in told['refers_to'] for _ in range(b['times'])), sorted(model.blocks[block][2]))
            self.assertEqual(sorted(b['block'] for b in told['referred_from'] if 'block' in b for _ in range(b['times'])),
                             sorted(b for b, (_, _, to, _) in enumerate(model.blocks) for k in to if k == block))
        shown = json.loads(self.scope('heap', 'show', path, '--json', '--quick', '--top', '100000', '--strings', '--pieces')[0])
        mine = {}
        for b, (_, text) in model.strings.items():
            if b in live and b < model.n_heap:
                mine.setdefault((text, model.words([b])), []).append(b)
        mine = {k: len(v) for k, v in mine.items() if len(v) > 1}
        self.assertGreater(len(mine), 100)
        self.assertEqual({(d['begins'].encode(), d['words']): d['copies'] for d in shown['duplicates']}, mine)
        self.assertEqual(shown['duplicate_words'], sum((n - 1) * words for (_, words), n in mine.items()))
        self.assertEqual([(p['address'], p['words'], p['free_words'], p['free_blocks']) for p in shown['pieces']], model.pieces)
        self.assertEqual(sum(p['words'] for p in shown['pieces']), int(model.info['heap_words']))
        mine = {}
        for b in live:
            tag, words, to, _ = model.blocks[b]
            if b < model.n_heap and tag == 0 and words > 64:
                mine.setdefault(words - 1, []).append(len(to))
        told = json.loads(self.scope('heap', 'show', path, '--json', '--quick', '--top', '100000', '--arrays')[0])['arrays']
        self.assertEqual({(int(re.search(r'(\d+) fields', a['name'])[1]), a['blocks'], a['fields'], a['filled']) for a in told},
                         {(n, len(all_of), n * len(all_of), sum(all_of)) for n, all_of in mine.items()})
        text = self.scope('heap', 'show', path, '--quick', '--arrays', '--strings', '--pieces', '--block', str(block))[0]
        self.assertIn('more than once', text)
        self.assertIn('is referred to by', text)
        self.assertIn('is no block', self.scope('heap', 'show', path, '--block=#99999999', status=1)[1])

    SITES = os.path.join(HERE, 'heap-samples', 'sites-4.14.heap')

    def test_where_blocks_were_allocated(self):
        """What is estimated is what was sampled, and near to what the program has allocated at each line."""
        for path in (self.SITES, self.SITES.replace('4.14', '5.3')):
            with open(path, 'rb') as f:
                model = Model(f.read())
            mine = model.sites(model.live())
            shown = self.show(path, '--quick')['sites']
            self.assertEqual({s['name']: (s['live_words'], s['samples']) for s in shown}, mine)
            for line, words in ((4, 4000 * 7), (6, 2000 * 4), (7, 2000 * 3)):
                (site,) = [s for s in shown if s['source'] == 'sites.ml' and s['line'] == line]
                self.assertLess(abs(site['live_words'] - words), 4 * site['error_words'], site)
                self.assertAlmostEqual(site['error_words'], site['live_words'] / site['samples'] ** 0.5, delta=1)
            folded = self.scope('heap', 'export', path, '--sites')[0].splitlines()
            self.assertEqual(sum(int(line.rsplit(' ', 1)[1]) for line in folded), sum(words for words, _ in mine.values()))
        bundle = self.path('s.trace')
        os.makedirs(bundle + '/s.heap')
        shutil.copy(path, bundle + '/s.heap/0001.exit.heap')
        nodes = self.state(bundle, f"{int(model.info['elapsed_ns']) / 1e9:.9f}")['nodes']
        rows = {n['id']: float(n['allocated words']) for n in nodes if n.get('Type') == 'Site'}
        self.assertEqual(rows, {name: float(words) for name, (words, _) in mine.items()})

    def test_damaged_sites(self):
        with open(self.SITES, 'rb') as f:
            good, at, r = f.read(), 8, random.Random(3)
        while at < len(good):
            kind, _, n = struct.unpack_from('<IIQ', good, at)
            if kind in (FRAMES, STACKS, SITES):
                for _ in range(few(3)):                         # its sum is right, its bytes are not
                    body = bytearray(good[at + 40:at + 40 + n])
                    for _ in range(4):
                        body[r.randrange(n)] = r.choice((0, 127, 128, 255))
                    count, = struct.unpack_from('<I', good, at + 24)
                    bad = good[:at] + section(kind, bytes(body), count=count) + good[at + 40 + n:]
                    self.scope('heap', 'show', self.path('bad.heap', bad), '--json')
                    self.scope('heap', 'export', self.path('bad.heap', bad), '--sites')
            at += 40 + n


class Trace(Heap):
    """Snapshots of heap-samples/leak.ml as a trace, at random instants."""
    TRACE = os.path.join(HERE, 'heap-samples', 'leak.trace')

    def models(self):
        folder, found = os.path.join(self.TRACE, 'leak.heap'), []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), 'rb') as f:
                m = Model(f.read())
            found.append((int(m.info['elapsed_ns']), m, os.path.join(folder, name)))
        return found

    def test_numbers_at_random_instants(self):
        models, r = self.models(), random.Random(4)
        for i in range(few(4)):
            at = r.randrange(models[0][0], models[-1][0] + 1)
            _, model, _ = [m for m in models if m[0] <= at][-1]
            nodes = {n['id']: n for n in self.state(self.TRACE, f'{at / 1e9:.9f}')['nodes']}
            live = model.live()
            (program,) = [n for n in nodes.values() if n.get('Type') == 'Program']
            self.assertEqual(float(program['live words']), model.words(live))
            self.assertEqual(float(program['heap words']), int(model.info['heap_words']))
            for name, tag in (('string', 252), ('float', 253)):
                mine = [b for b in live if b < model.n_heap and model.blocks[b][0] == tag]
                self.assertEqual(float(nodes[name]['blocks']), len(mine))
                self.assertEqual(float(nodes[name]['words']), model.words(mine))

    def test_leak_is_what_grows_and_is_retained_by_the_cache(self):
        out = self.path('out')
        self.scope('run', self.TRACE, '--program', 'views', '-o', out)
        with open(os.path.join(out, 'retained.csv')) as f:
            rows = list(csv.DictReader(f))
        _, model, path = self.models()[-1]
        live = model.live()
        self.assertEqual(int(rows[0]['retained [words]']), model.words(live))
        self.assertEqual([r['block'] for r in rows[:3]], ['all that is live', 'globals', 'Leak'])
        self.assertGreater(float(rows[2]['of all [%]']), 90)
        shown = self.show(path)
        self.assertEqual(int(rows[2]['retained [words]']),
                         next(n['retained'] for n in shown['tree']['below'][0]['below'] if n['name'] == 'Leak'))
        with open(os.path.join(out, 'classes.csv')) as f:
            classes = {r['class']: int(r['words [words]']) for r in csv.DictReader(f)}
        self.assertEqual(classes, {c['name']: c['live_words'] for c in shown['classes']})
        first = {c['name']: c['live_words'] for c in self.show(self.models()[0][2], '--quick')['classes']}
        for against, before in ((0, first), (4, {c['name']: c['live_words'] for c in self.show(self.TRACE, '-n', '4', '--quick')['classes']}),
                                (-1, {c['name']: c['live_words'] for c in self.show(self.models()[-2][2], '--quick')['classes']})):
            self.scope('run', self.TRACE, '--program', 'views', '-o', out, '--set', f'What is retained.against={against}')
            with open(os.path.join(out, 'changes.csv')) as f:
                rows = list(csv.DictReader(f))
            self.assertEqual({r['class']: int(r['growth [words]']) for r in rows if r['growth [words]'] != '0'},
                             {n: classes.get(n, 0) - before.get(n, 0) for n in {*classes, *before} if classes.get(n, 0) != before.get(n, 0)})
            self.assertEqual([int(r['growth [words]']) for r in rows], sorted((int(r['growth [words]']) for r in rows), reverse=True))
        grown = json.loads(self.scope('heap', 'diff', self.TRACE, '--json')[0])
        self.assertEqual(grown['classes'][0]['name'], 'tag 0, 4 fields')

    def test_leaks_names_the_planted_one_and_who_keeps_it(self):
        told = json.loads(self.scope('heap', 'leaks', self.TRACE, '--json', '--top', '100')[0])
        models = [m for _, m, _ in self.models()]
        self.assertEqual(told['snapshots'], len(models))
        self.assertEqual(told['suspects'][0]['name'], 'tag 0, 4 fields')
        self.assertEqual([s['growth'] for s in told['suspects']], sorted((s['growth'] for s in told['suspects']), reverse=True))
        lives, checked = [m.live() for m in models], 0
        for s in told['suspects']:
            shape = re.fullmatch(r'tag (\d+), (\d+) fields', s['name'])
            if s['name'] != 'string' and not (shape and int(shape[2]) > 3):
                continue                                        # smaller ones may be exceptions, or cells of lists
            checked += 1
            mine = [[b for b in live if b < m.n_heap and (m.blocks[b][0] == 252 if not shape else
                                                          m.blocks[b][:2] == (int(shape[1]), int(shape[2]) + 1))]
                    for m, live in zip(models, lives)]
            words = [m.words(b) for m, b in zip(models, mine)]
            self.assertEqual(s['words'], words, s['name'])
            self.assertEqual(s['growth'], words[-1] - words[0])
            self.assertEqual(s['grew'], sum(b > a for a, b in zip(words, words[1:])))
            self.assertGreaterEqual(3 * s['grew'], 2 * (len(words) - 1))
            self.assertEqual(s['kept_words'], words[-1])
            if s['kept_by'] and 'block' in s['kept_by'][-1]:
                gone = lives[-1] - models[-1].live(s['kept_by'][-1]['block'])
                self.assertEqual(s['kept_below'], models[-1].words(gone & set(mine[-1])), s['name'])
                self.assertEqual(s['kept_by'][-1]['retained'], models[-1].words(gone))
                self.assertGreaterEqual(s['kept_below'], 0.8 * words[-1])
        self.assertGreater(checked, 0)
        self.assertEqual([k['name'] for k in told['suspects'][0]['kept_by'][:2]], ['globals', 'Leak'])
        text = self.scope('heap', 'leaks', self.TRACE)[0]
        self.assertIn('kept by globals > Leak', text)
        alone = self.models()[0][2]
        self.assertIn('two snapshots', self.scope('heap', 'leaks', alone, status=1)[1])

    def test_travel(self):
        at = '0.02'
        played = self.state(self.TRACE, at)['hash']
        self.assertEqual(json.loads(self.scope('seek', self.TRACE, '--to', at)[0])['hash'], played)


main()
