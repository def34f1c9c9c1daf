# SPDX-License-Identifier: Apache-2.0
"""Who allocated what lives, what the collector does, which root keeps it, and two programs compared, beside a second computation from
the snapshots (heap.py)."""
import collections
import csv
import itertools
import json
import math
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, ROOT, main                                                         # noqa: E402
from heap import Model                                                                         # noqa: E402

SHOP = os.path.join(ROOT, 'traces', 'shop.trace')
LEAK = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'heap-samples', 'leak.trace')
CATEGORIES = 'globals', 'globals of plug-ins', 'stack', 'C globals', 'finalisers', 'memory profiler', 'threads'


def models(trace):
    """Date and decoded snapshot, in order."""
    found = []
    folder = os.path.join(trace, os.path.basename(trace).replace('.trace', '.heap'))
    for name in sorted(n for n in os.listdir(folder) if n.endswith('.heap')):
        with open(os.path.join(folder, name), 'rb') as f:
            model = Model(f.read())
        found.append((int(model.info['elapsed_ns']), model))
    return found


def called(symbol):
    return symbol.replace('__', '.')


class Places(Format):
    def rows(self, trace, program, view, *more):
        path = self.path('rows.csv')
        self.scope('draw', trace, '--program', program, '--view', view, '-q', '-o', path, *more)
        with open(path) as f:       # a curve tells the unit of its values in their head
            return [{head if not head.startswith('value [') else 'value': cell for head, cell in row.items()} for row in csv.DictReader(f)]

    def table(self, trace, program, component, output, *sets):
        """What a component of a program gives at an instant, without folding and choosing rows."""
        path = os.path.join(ROOT, 'schemas', 'heap', program + '.eve')
        with open(path) as f:
            text = f.read().replace('</eve>', f'<component name="T" class="scope.data-file" version="1"><setting name="file">t.csv</setting>'
                                    f'</component><wire from="{component}" out="{output}" to="T" in="in"/></eve>')
        out = self.path('out')
        shutil.rmtree(out, ignore_errors=True)
        self.scope('run', trace, '--program', self.path('p.eve', text), '-o', out, *sets)
        with open(os.path.join(out, 't.csv')) as f:
            return list(csv.DictReader(f))

    def sums(self, model):
        """Words and blocks, by module, function and line."""
        live, each, sums = model.live(), int(model.info['sample_words']), [collections.Counter() for _ in range(3)]
        blocks = [collections.Counter() for _ in range(3)]
        for block, stack, n in model.samples:
            if block not in live:
                continue
            function, file, line = model.frames[model.stacks[stack - 1][0]]
            function = called(function)
            module = '.'.join(itertools.takewhile(lambda w: w[:1].isupper(), function.split('.')[:-1])) or function
            for depth, key in enumerate(((module,), (module, function), (module, function, f'{file}:{line}'))):
                sums[depth][key] += n * each
                if block < model.n_heap:
                    blocks[depth][key] += n * each / model.blocks[block][1]
        return sums, blocks

    def test_from_modules_to_functions_to_lines(self):
        _, model = models(SHOP)[-1]
        sums, blocks = self.sums(model)
        rows, above = self.table(SHOP, 'places', 'Who allocated it', 'tree'), []
        together = sum(sums[0].values())
        found = [set(), set(), set()]
        for row in rows:
            depth = int(row['depth'])
            above[depth:] = [row['place']]
            key = tuple(above)
            found[depth].add(key)
            self.assertEqual(int(row['words [words]']), sums[depth][key], key)
            self.assertEqual(int(row['blocks']), math.floor(blocks[depth][key] + .5), key)
            self.assertAlmostEqual(float(row['of sampled [%]']), 100 * sums[depth][key] / together, delta=.01)
            self.assertAlmostEqual(int(row['give or take [words]']), math.sqrt(sums[depth][key] * 50), delta=1)
        for depth in range(3):
            self.assertEqual(found[depth], set(sums[depth]))
        of_list = next(r for r in rows if r['place'] == 'shop.ml:27')
        self.assertEqual((of_list['mostly'], of_list['type is']), ('Shop.visit', 'inferred'))   # as its source says
        told = json.loads(self.scope('heap', 'show', SHOP, '--json', '--quick', '--top', '1000')[0])['sites']
        self.assertEqual({s['class'] for s in told if s['source'] == 'shop.ml' and s['line'] == 27}, {'Shop.visit'})

    def test_calls_that_led_there(self):
        _, model = models(SHOP)[-1]
        live, each = model.live(), int(model.info['sample_words'])
        mine = collections.Counter()
        for block, stack, n in model.samples:
            if block in live:
                way = tuple('{} ({}:{})'.format(called(f), file, line) for f, file, line in (model.frames[k] for k in reversed(model.stacks[stack - 1])))
                for depth in range(len(way) + 1):
                    mine[way[:depth]] += n * each
        theirs, above = collections.Counter(), []
        for row in self.table(SHOP, 'places', 'Who allocated it', 'calls'):
            above[int(row['depth']):] = [row['call']]
            theirs[tuple(above[1:])] += int(row['words [words]'])
        self.assertEqual(theirs, mine)

    def test_lines_of_the_source(self):
        _, model = models(SHOP)[-1]
        sums, _ = self.sums(model)
        with open(os.path.join(SHOP, 'sources', 'shop.ml')) as f:
            lines = f.read().split('\n')
        rows = self.rows(SHOP, 'places', 'Source', '--at', '10', '--set', 'Who allocated it.around=1000')
        self.assertEqual([(int(r['line']), r['text'].removeprefix("'").rstrip()) for r in rows], [(i + 1, text.rstrip()) for i, text in enumerate(lines)])
        words = collections.Counter()
        for (_, _, place), n in sums[2].items():
            if place.startswith('shop.ml:'):
                words[int(place.split(':')[1])] += n
        self.assertEqual({int(r['line']): int(r['words [words]']) for r in rows if r['words [words]']}, words)
        # another place is selected; its source is not there, and nothing else is opened for it
        rows = self.rows(SHOP, 'places', 'Source', '--at', '10', '--select', 'Site=Stdlib.List.map (list.ml:88)')
        self.assertIn('list.ml, line 88: the file was not found', rows[0]['text'])
        copy = self.path('copy.trace')
        shutil.copytree(SHOP, copy)
        os.rename(os.path.join(copy, 'sources', 'shop.ml'), self.path('shop.ml'))
        self.assertGreater(len(self.rows(copy, 'places', 'Source', '--at', '10')), 20)      # beside the bundle
        os.rename(self.path('shop.ml'), self.path('elsewhere'))
        os.symlink(self.path('elsewhere'), os.path.join(copy, 'sources', 'shop.ml'))        # leads out of the bundle
        self.assertIn('was not found', self.rows(copy, 'places', 'Source', '--at', '10')[0]['text'])

    def test_nothing_was_sampled(self):
        self.assertEqual([r['place'] for r in self.table(LEAK, 'places', 'Who allocated it', 'tree')],
                         ['Nothing was sampled: scope heap run --rate 1e-4'])
        path = self.path('empty.svg')
        self.scope('draw', LEAK, '--program', 'places', '--view', 'Modules over time', '-q', '-o', path)
        self.assertGreater(os.path.getsize(path), 1000)

    def test_what_the_collector_does(self):
        """Between two snapshots: allocated in all, promoted, in the major heap at once; compactions are marked; all facts are told."""
        for trace in (SHOP, LEAK):
            shots = models(trace)
            before, values, compactions = collections.Counter(), collections.defaultdict(list), []
            for date, model in shots:
                now = {k: int(model.info[k]) for k in ('minor_words', 'promoted_words', 'major_words', 'compactions')}
                new = {k: now[k] - before[k] for k in now}
                direct = max(new['major_words'] - new['promoted_words'], 0)     # OCaml 5 counts its major heap later
                values['new words'].append(new['minor_words'] + direct)
                values['new words, promoted'].append(new['promoted_words'])
                values['new words, major at once'].append(direct)
                values['promoted'].append(math.floor(100 * new['promoted_words'] / new['minor_words'] + .5) if new['minor_words'] else 0)
                compactions += [(date, new['compactions'])] if new['compactions'] else []
                before = collections.Counter(now)
            for view, names in (('Allocated', ('new words', 'new words, promoted', 'new words, major at once')), ('Promoted', ('promoted',))):
                rows = self.rows(trace, 'collector', view)
                for name in names:
                    mine = {date: n for (date, _), n in zip(shots, values[name])}
                    own = [r for r in rows if re.fullmatch(re.escape(name) + r' of .*', r['owner']) or len(names) == 1]
                    last = None
                    for r in own:
                        self.assertEqual(float(r['value']), mine[round(float(r['date [s]']) * 1e9)], (name, r))
                        last = float(r['value'])
                    self.assertEqual(last, values[name][-1])
            rows = self.rows(trace, 'collector', 'Collector', '--at', '1000')
            facts = {r['fact']: r['number'] or r['text'] for r in rows}
            info = shots[-1][1].info
            for fact, key in (('minor collections', 'minor_collections'), ('compactions', 'compactions'), ('promoted from there', 'promoted_words'), ('process', 'pid'),
                              ('snapshot', 'number'), ('taken by', 'trigger'), ('heap', 'heap_words'), ('free', 'free_words')):
                self.assertEqual(facts[fact], info[key], fact)
            self.assertGreater(len(compactions), 0)
            self.assertEqual(self.marks(trace), [(d, float(n)) for d, n in compactions])

    def marks(self, trace):
        program = self.path('marks.eve', """<eve version="1"><title>Marks</title><component name="Reader" class="scope.heap-reader" version="1"/>
          <component name="Marks" class="scope.event-presenter" version="1"><setting name="field">compactions</setting><setting name="kind">Compaction</setting></component>
          <component name="File" class="scope.csv-sink" version="1"/>
          <wire from="Reader" out="events" to="Marks" in="events"/><wire from="Marks" out="dated" to="File" in="in"/></eve>""")
        rows = csv.DictReader(self.scope('run', trace, '--program', program)[0].splitlines())
        return [(round(float(r['date [s]']) * 1e9), float(r['value'])) for r in rows]

    def test_marks_and_areas_of_a_curve(self):
        def draw(*more):
            path = self.path('areas.svg')
            self.scope('draw', SHOP, '--program', 'views', '--view', 'Classes over time', '-q', '-o', path, *more)
            with open(path, 'rb') as f:
                return f.read()
        few = draw('--set', 'Classes over time.most=2')
        self.assertNotEqual(draw('--set', 'Classes over time.most=2', '--set', 'Classes over time.also=float'), few)
        self.assertEqual(draw('--set', 'Classes over time.most=2', '--set', 'Classes over time.also=nobody'), few)
        self.assertIn(b'stroke-dasharray', few)                 # the mark of its compaction
        with open(os.path.join(ROOT, 'schemas', 'heap', 'views.eve')) as f:
            text = re.sub(r'<wire from="Compactions"[^>]*/>', '', f.read())
        path = self.path('bare.svg')
        self.scope('draw', SHOP, '--program', self.path('bare.eve', text), '--view', 'Classes over time', '-q', '-o', path, '--set', 'Classes over time.most=2')
        with open(path, 'rb') as f:
            self.assertNotIn(b'stroke-dasharray', f.read())

    def test_two_programs_class_by_class(self):
        last = {}
        for trace in (SHOP, LEAK):
            shown = json.loads(self.scope('heap', 'show', trace, '--json', '--quick', '--top', '100000')[0])['classes']
            last[trace] = {c['name']: (c['live_words'], c['live_blocks']) for c in shown if c['live_blocks']}
        mine = {n: tuple(last[SHOP].get(n, (0, 0))[i] - last[LEAK].get(n, (0, 0))[i] for i in (0, 1)) for n in {*last[SHOP], *last[LEAK]}}
        mine = {n: d for n, d in mine.items() if d != (0, 0)}
        told = json.loads(self.scope('heap', 'diff', LEAK, SHOP, '--json')[0])
        self.assertEqual({c['name']: (c['words'], c['blocks']) for c in told['classes']}, mine)
        rows = self.table(SHOP, 'views', 'What is retained', 'changes', '--set', 'What is retained.against trace=' + LEAK)
        self.assertEqual({r['class']: (int(r['growth [words]']), int(r['more blocks'])) for r in rows}, mine)
        one = os.path.join(LEAK, 'leak.heap', '0002.major.heap')
        first = self.table(SHOP, 'views', 'What is retained', 'changes', '--set', 'What is retained.against trace=' + one)
        again = self.table(SHOP, 'views', 'What is retained', 'changes', '--set', 'What is retained.against trace=' + LEAK, '--set',
                           'What is retained.against=2')
        self.assertEqual(first, again)
        self.assertNotEqual(first, rows)
        said = self.scope('draw', SHOP, '--program', 'views', '--view', 'Changes', '-q', '-o', self.path('x.csv'), '--at', '10', '--set',
                          'What is retained.against trace=' + LEAK, '--set', 'What is retained.against=77')[1]
        self.assertIn('holds no snapshot 77', said)

    def test_which_root_alone_keeps_it(self):
        """Each category of roots, and each module: what is reached from it and from no other."""
        for trace in (SHOP, LEAK):
            program = self.path('roots.eve', """<eve version="1"><title>Roots</title><component name="Reader" class="scope.heap-reader" version="1"/>
              <component name="Parts" class="scope.heap-parts" version="1"><setting name="by">root</setting></component>
              <component name="File" class="scope.csv-sink" version="1"/>
              <wire from="Reader" out="events" to="Parts" in="events"/><wire from="Parts" out="dated" to="File" in="in"/></eve>""")
            rows = list(csv.DictReader(self.scope('run', trace, '--program', program)[0].splitlines()))
            for date, model in models(trace):
                self.assertEqual(model.weak, [])
                begins, of = collections.defaultdict(set), collections.Counter()
                for category, symbol, block in model.roots:
                    begins[called(model.names[symbol].removeprefix('caml')) if symbol else CATEGORIES[category]].add(block)
                owner = {}
                for name, blocks in begins.items():
                    seen, stack = set(), list(blocks)
                    while stack:
                        b = stack.pop()
                        if b not in seen:
                            seen.add(b)
                            stack.extend(model.blocks[b][2])
                    for b in seen:
                        owner[b] = name if b not in owner else 'kept by several'
                for b, name in owner.items():
                    of[name] += model.blocks[b][1] if b < model.n_heap else 0
                shown = {r['owner']: float(r['value']) for r in rows if round(float(r['date [s]']) * 1e9) <= date}
                self.assertEqual({n: w for n, w in shown.items() if w}, {n: w for n, w in of.items() if w})
                self.assertTrue(set(of) & set(CATEGORIES))


main()
