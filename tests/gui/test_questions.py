# SPDX-License-Identifier: Apache-2.0
"""What do you want to know?  A question gives a program, and a sentence of what was found: its numbers beside those of a
second computation from the raw files (tests/model)."""
import csv
import json
import os
import random
import re
import subprocess

from harness import ROOT, SAMPLES, SCOPE, Case, main, session
from test_range import PROGRAM, raw, story


class Questions(Case):
    def ask(self, w, question):
        w.key('ctrl+alt+q')
        row = w.wait(lambda: w.find('list item', question, showing=False), question)       # it may lie below
        for _ in range(40):     # by keys: it may lie below what the list has room for
            if row.state('focused'):
                break
            w.key('Down')
        w.key('Return')
        w.wait_gone('list item', question)

    def said(self, w, question):
        return w.wait(lambda: next((i.name for i in w.find_all('label') if i.name.startswith(question + ' ') and len(i.name) > len(question) + 5), None),
                      'what was found is said', 60)

    def test_questions_are_answered(self):
        trace = raw.read(SAMPLES + '/fft2d-s16.trace')
        time, got = story(trace, trace.first, trace.last)
        got_last = story(trace, trace.first, trace.last + 1)[1]     # what comes at the very end may count or not
        waits = sorted(((time[n]['Idle'], t.nickname) for n, t in trace.tasks.items()), reverse=True)
        lives = {t.nickname: sum(v for s, v in time[n].items() if s != 'Dead') for n, t in trace.tasks.items()}
        w = self.start(self.copy('fft2d-s16.trace'))
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        self.ask(w, 'Who waits, and how long?')
        w.wait_for('toggle button', re.compile('^Program: '))
        said = self.said(w, 'Who waits, and how long?')
        share = round(100 * sum(t for t, _ in waits) / sum(lives.values()))
        found = re.search(r'Tasks wait (\d+)\s% of their life\. (.+) waits longest, ([\d.]+)\s(ms|s) \((\d+)\s%\); (.+) least', said)
        self.assertIsNotNone(found, said)
        self.assertAlmostEqual(int(found[1]), share, delta=1)
        self.assertEqual((found[2], found[6]), (waits[0][1], waits[-1][1]))
        seconds = float(found[3]) * (1e-3 if found[4] == 'ms' else 1)
        self.assertAlmostEqual(seconds, waits[0][0] / trace.ticks, delta=0.006 * seconds)
        self.ask(w, 'Who talks to whom, and how much?')
        w.wait_for('toggle button', 'Program: Traffic')
        said = self.said(w, 'Who talks to whom, and how much?')
        n = int(re.sub(r'\D', '', re.search(r'much\? ([\d\s\u202f,]+) messages were received', said)[1]))
        self.assertIn(n, {sum(g[0] for g in many.values()) for many in (got, got_last)})
        self.assertRegex(said, r'Most went from fft \d to fft \d: ')

    def test_shares_of_calls(self):
        """What is said of calls is what the table beside has: who is no more counts for nothing, and calls are no part of computing."""
        trace, out, question = self.copy('ring.trace'), os.path.join(self.folder, 'calls'), 'In which calls is the time spent?'
        subprocess.run([SCOPE, 'run', trace, '--program', 'call-tree', '--out', out], check=True, capture_output=True, timeout=60)
        with open(os.path.join(out, 'call-tree.csv'), newline='') as f:
            expected = {row['call']: float(row['of all [%]']) for row in csv.DictReader(f) if row['depth'] == '1'}
        self.assertAlmostEqual(sum(expected.values()), 100, delta=.01)
        w = self.start(trace)
        w.wait_for('toggle button', PROGRAM)
        self.ask(w, question)
        said = self.said(w, question)[len(question) + 1:].replace('\u2009', ' ')
        self.assertTrue(said.endswith(' of the life of all tasks.'), said)
        found = {name: int(share) for name, share in re.findall(r'(?:^|, )([^,]+?) (\d+) %', said) if name != 'all others'}
        self.assertIn('Computing', found)
        self.assertGreater(len(found), 2)
        for name, share in found.items():
            self.assertAlmostEqual(share, expected[name], delta=.6, msg=(name, said))

    def told(self, trace, *more):
        """What a report says of who waits."""
        done = subprocess.run([SCOPE, 'report', trace, '-o', os.path.join(self.folder, 'report'), *more], capture_output=True, text=True, timeout=60)
        said = ' '.join(done.stdout.replace('\u00a0', ' ').split())
        return re.search(r'Tasks wait for each other ([\d.]+ \w+) in all, ([\d.]+ %)', said), re.search(r'(\S+ \d+) waits longest \(([\d.]+ \w+)\); (\S+ \d+) is waited for most', said)

    def test_why_it_takes_so_long(self):
        """The first question: who waits for whom, and what it costs, as the report says it; at the end, where its tables are full."""
        trace = self.copy('fft2d-s16.trace')
        all_waits, who = self.told(trace)
        w = self.start(trace)
        w.wait_for('toggle button', PROGRAM)
        w.key('ctrl+alt+q')
        w.wait_for('list item', 'Who waits, and how long?')
        names = [i.name for i in w.find('list', 'Questions').children] if w.find('list', 'Questions') else [i.name for i in w.find_all('list item')]
        question = next(n for n in names if n.endswith('?'))
        self.assertEqual(question, 'Why does it take so long: who waits for whom?')
        w.key('Escape')
        w.wait_gone('list item', question)
        self.ask(w, question)
        said = ' '.join(self.said(w, question).split())
        self.assertIn(f'Tasks wait {all_waits[1]} for each other, {all_waits[2]} of their time; {who[1]} waits longest ({who[2]}), and {who[3]} is waited for most', said)
        self.assertRegex(said, r'What costs most is fft 3 in rows: 122 ms of waiting')
        slider = w.wait_for('slider', 'Time')
        w.wait(lambda: abs(slider.value - raw.read(trace).last / 1e9) < 1e-6, 'time stands at the end')
        # A row tells since when; a double click leads there.
        subprocess.run([SCOPE, 'run', trace, '--program', 'waits', '--out', self.path('out'), '--quiet'], check=True, timeout=120)
        with open(self.path('out', 'waits.csv'), newline='', encoding='utf-8') as file:
            longest = max(csv.DictReader(file), key=lambda row: float(row['waited [s]']))
        picture = w.wait_for('drawing area', 'Picture of Kinds of wait')
        start = f"kind {longest['kind']}, task {longest['task']}, region {longest['region']}, "
        row = w.wait(lambda: next((i for i in picture.children if i.name.startswith(start)), None), 'the longest wait has a row')
        row.click(times=2)
        w.wait(lambda: abs(slider.value - float(longest['begins at [s]'])) < 1e-6, 'time stands where it begins')

    def test_elsewhere_before_the_longest_wait(self):
        """Who is on the way to the longest wait and goes elsewhere is not led there afterwards."""
        trace = self.synth(8, 1_500_000)
        info = json.loads(subprocess.run([SCOPE, 'info', trace, '--json'], env=session().env, check=True, stdout=subprocess.PIPE).stdout)
        w = self.start(trace, os.path.join(ROOT, 'schemas', 'messages', 'waits.eve'))
        slider = w.wait_for('slider', 'Time')
        w.key('ctrl+k')
        w.type('longest wait')
        w.wait_for('list item', re.compile('^Go to the longest wait'))
        w.key('Return')
        w.wait_gone('text', 'Find')
        w.key('Home')
        w.wait(lambda: abs(slider.value - info['first']) < 1e-6, 'time stands at the beginning', 120)
        w.settle()
        self.assertIsNone(w.find('label', re.compile('^The longest wait: ')))
        self.assertLess(abs(slider.value - info['first']), 1e-6)

    @staticmethod
    def waits(trace):
        """(how long, since when, who, for whom) of each receive that begins before its message is sent: the n-th from a task with a
        tag is of the n-th that was sent so."""
        said = subprocess.run([SCOPE, 'events', trace, '--json'], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
        events = [e for e in map(json.loads, said.splitlines()) if not e.get('end')]
        sends = {}
        for e in events:
            for to in e.get('to', []) if e['kind'] in ('Send', 'Mcast') else []:
                sends.setdefault((e['task'], to, e['tag']), []).append(e['t'])
        got = sorted((e['t'] + e['duration'], e['t'], e['task'], e['from'], e['tag']) for e in events if e['kind'] == 'Recv')
        return sorted((sends[(whom, who, tag)].pop(0) - since, since, who, whom) for _, since, who, whom, tag in got)

    def test_to_the_longest_wait(self):
        """One step from the answer, from a row of its table and from the search: time stands where it begins, both are selected, and
        the views show it, whatever was looked at before."""
        trace = self.copy('fft2d-s16.trace')
        span, begins, who, whom = self.waits(trace)[-1]
        names = {f't4000{i + 2}': f'fft {i}' for i in range(4)}
        w = self.start(trace)
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        slider = w.wait_for('slider', 'Time')
        for words in ('waits most', 'limits'):
            w.key('ctrl+k')
            w.type(words)
            w.wait_for('list item', re.compile('^Wait states'))
            w.key('Escape')
            w.wait_gone('list item', re.compile('^Wait states'))
        w.key('ctrl+k')
        w.type('longest wait')
        w.wait_for('list item', re.compile('^Go to the longest wait'))
        w.key('Return')         # no box of this program tells
        w.wait_for('label', 'No box of this program says where to look first; the program “Wait states” does')

        def picture(view):
            return w.wait_for('drawing area', 'Picture of ' + view)

        def there(what):
            w.wait(lambda: abs(slider.value - begins) < 1e-6, f'{what}: time stands where it begins')
            w.wait(lambda: [f'{t}  {n}' for t, n in names.items() if t in (who, whom)] ==
                   [i.name.split(',')[0].split(':')[0] for i in picture('Space-time').children if i.state('selected') and re.match(r't4\d+  ', i.name)],
                   f'{what}: both are selected')
            seen = re.sub(r'\s', '', next(p.description for p in w.find_all('panel', 'Space-time') if '–' in p.description))
            first, last, unit = re.search(r'^([\d.]+)–([\d.]+)(ms|s)$', seen).groups()
            scale = 1e-3 if unit == 'ms' else 1
            self.assertLessEqual(float(first) * scale, begins)
            self.assertGreaterEqual(float(last) * scale, begins + span)
            self.assertLessEqual((float(last) - float(first)) * scale, 20 * span)
            panel = w.find('panel', 'Range') or w.find('filler', 'Range')
            length, unit = re.search(r' · ([\d.]+)\s(µs|ms|s)$', panel.find('label', re.compile(' – .* · ')).name).groups()
            self.assertAlmostEqual(float(length) * {'µs': 1e-6, 'ms': 1e-3, 's': 1}[unit], span, delta=0.002 * span, msg=f'{what}: it is the range')
            row = w.wait(lambda: next((i.name for i in picture('Kinds of wait').children if i.name.startswith(f'kind Late sender, task {names[who]}, region Recv, ')), None),
                         f'{what}: it is counted')
            waited, unit = re.search(r', waited ([\d.]+)\s(µs|ms|s),', row).groups()
            self.assertGreaterEqual(float(waited) * {'µs': 1e-6, 'ms': 1e-3, 's': 1}[unit], 0.998 * span, what)
            said = w.wait_for('label', re.compile('^The longest wait: ')).name.replace('\u2009', ' ')
            self.assertRegex(said, rf'^The longest wait: {names[who]} waits [\d.]+ ms for {names[whom]} in Recv$')
            self.assertAlmostEqual(float(re.search(r'([\d.]+) ms', said)[1]) * 1e-3, span, delta=0.002 * span)

        w.wait_for('push button', 'Open It and Go There').click()
        w.wait_for('toggle button', 'Program: Wait states')
        there('from the program that does not tell')
        w.key('Home')
        question = 'Why does it take so long: who waits for whom?'
        self.ask(w, question)
        self.said(w, question)
        w.wait_for('push button', 'Go to the longest wait').click()
        there('from the answer')
        # Elsewhere, and so close that it is not in sight.
        w.key('ctrl+k')
        w.type(f'{random.uniform(0.21, 0.25):.4f}')
        w.wait_for('list item', re.compile('^Date '))
        w.key('Return')
        picture('Space-time').click(fx=0.6)
        w.key('plus', 'plus', 'plus', 'plus', 'plus', 'plus', 'plus', 'plus', 'Escape')
        w.key('ctrl+k')
        w.type('longest wait')
        w.wait_for('list item', re.compile(f'^The longest wait: {names[who]} waits '))
        w.key('Return')
        there('from the search')
        w.key('End')
        row = w.wait(lambda: next((i for i in picture('Kinds of wait').children if i.name.startswith(f'kind Late sender, task {names[who]}, region Recv, ')), None),
                     'it has a row')
        row.click(times=2)
        there('from the table')

    def test_each_wait_is_a_span_that_names_for_whom(self):
        """Each is drawn from where it begins to where it ends, and its item and its row say whom it was for: the same as events tell of its call."""
        trace = self.copy('fft2d-s16.trace')
        said = subprocess.run([SCOPE, 'events', trace, '--json'], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
        calls = [(e['task'], e['from'], e['t'], e['t'] + e['duration']) for e in map(json.loads, said.splitlines()) if e['kind'] == 'Recv' and not e.get('end')]
        names = {f't4000{i + 2}': f'fft {i}' for i in range(4)}
        subprocess.run([SCOPE, 'draw', trace, '--program', 'waits', '--view', 'Each wait', '-o', self.path('each.csv')], check=True, timeout=120)
        with open(self.path('each.csv'), newline='', encoding='utf-8') as f:
            rows = list(csv.DictReader(f))
        late = sorted((names[who], names[whom], round(since + span, 9)) for span, since, who, whom in self.waits(trace) if span > 0)
        self.assertEqual(sorted((row['owner'], row['for'], float(row['until [s]'])) for row in rows), late)
        for row in rows:
            begin, end = float(row['from [s]']), float(row['until [s]'])
            of = [c for c in calls if names[c[0]] == row['owner'] and abs(c[2] - begin) < 1e-8]
            self.assertEqual([names[c[1]] for c in of], [row['for']], row)
            self.assertLessEqual(end, of[0][3] + 1e-8)
            self.assertAlmostEqual(end - begin, float(row['value [s]']), delta=1e-8)
            self.assertAlmostEqual(float(row['date [s]']), of[0][3], delta=1e-8)
            self.assertEqual(row['kind'], 'Late sender')
        w = self.start(trace, os.path.join(SAMPLES, '..', 'schemas', 'messages', 'waits.eve'))
        w.wait_for('drawing area', 'Picture of Each wait')
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.wait_for('slider', 'Time')

        def told():
            found = ((re.match(r'(fft\d):Latesenderfrom([\d.]+)sto([\d.]+)s,for(fft\d)$', re.sub(r'\s', '', i.name)), i)
                     for i in w.wait_for('drawing area', 'Picture of Each wait').children)
            return sorted((m[1], m[4], float(m[2]), float(m[3]), i) for m, i in found if m)

        w.wait(lambda: len(told()) == len(rows), 'each has an item')
        rows.sort(key=lambda r: (r['owner'], r['for'], float(r['from [s]'])))
        items = told()
        for one, row in zip(items, rows):
            self.assertEqual(one[:2], (row['owner'].replace(' ', ''), row['for'].replace(' ', '')))
            self.assertAlmostEqual(one[2], float(row['from [s]']), delta=1e-6)
            self.assertAlmostEqual(one[3], float(row['until [s]']), delta=1e-6)
        # pointed at where it is: a click selects who waited
        i = random.choice([i for i, r in enumerate(rows) if float(r['value [s]']) > 0.02])
        items[i][4].click(fx=random.uniform(0.2, 0.8))
        w.wait(lambda: any(e.state('selected') and rows[i]['owner'] in e.name for e in w.wait_for('drawing area', 'Picture of Space-time').children), 'who waited is selected')

    def test_efficiency_is_seen(self):
        """*Wait states* shows, without a further step, how efficient the program is."""
        w = self.start(self.copy('fft2d-s16.trace'), os.path.join(SAMPLES, '..', 'schemas', 'messages', 'waits.eve'))
        w.wait_for('drawing area', 'Picture of Efficiency')
        w.wait(lambda: any(i.name.startswith('what Parallel efficiency, value') for i in w.wait_for('drawing area', 'Picture of Efficiency').children), 'its rows are there', 60)

    def test_efficiency_is_up_to_the_instant(self):
        """So the heading of its table says: who is in a call or computes then does so until then, or until the last event of the trace."""
        with open(os.path.join(SAMPLES, '..', 'schemas', 'messages', 'waits.eve'), encoding='utf-8') as f:
            self.assertRegex(f.read(), r'name="Efficiency" [^>]*>\s*<setting name="title">Efficiency up to this instant</setting>')
        trace = self.copy('fft2d-s16.trace')
        events = raw.read(trace).events
        for at in (random.uniform(0.05, 0.25), 1):
            subprocess.run([SCOPE, 'draw', trace, '--program', 'waits', '--view', 'Efficiency', '--at', f'{at:.6f}', '-o', self.path('efficiency.csv')], check=True, timeout=120)
            with open(self.path('efficiency.csv'), newline='', encoding='utf-8') as f:
                rows = {row['what']: row['value'] for row in csv.DictReader(f)}
            dates = [e.date / 1e9 for e in events]
            self.assertAlmostEqual(float(rows['Run time']), min(round(at, 6), max(dates)) - min(dates), delta=1e-8)

    def test_mpi(self):
        """Who talks to whom is asked of MPI too, whose messages are counted by the same program; lists mark the one that is open, and
        what was answered stays."""
        trace = SAMPLES + '/mpi-stencil.otf2'
        subprocess.run([SCOPE, 'run', trace, '--program', 'traffic', '--out', self.path('out'), '--quiet'], check=True, timeout=120)
        with open(self.path('out', 'pairs.csv'), newline='', encoding='utf-8') as file:
            n = sum(int(row['messages']) for row in csv.DictReader(file))
        w = self.start(trace)
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        question = 'Who talks to whom, and how much?'
        self.ask(w, question)
        w.wait_for('toggle button', 'Program: Traffic')
        self.assertEqual(int(re.sub(r'\D', '', re.search(r'much\? ([\d\s\u202f,]+) messages were received', self.said(w, question))[1])), n)
        w.key('ctrl+shift+p')
        w.wait(lambda: w.find('list item', 'Traffic').state('focused') and w.find('list item', 'Traffic').description.startswith('Open now. '),
               'the list begins at the program that is open')
        w.key('Escape')
        w.wait_gone('list item', 'Traffic')
        w.key('ctrl+alt+q')
        w.wait(lambda: w.find('list item', question, showing=False).description.startswith('Open now. '), 'questions mark it too')
        w.key('Escape')
        w.wait_gone('list item', question)
        self.said(w, question)

    def test_a_trace_that_does_not_tell(self):
        """Who waits for whom cannot be told of calls alone: so say the window and the report, in the same words."""
        trace, sentence = self.path('calls.json'), 'This trace does not tell who waits for whom: no message and no operation of a group is in it.'
        with open(trace, 'w', encoding='utf-8') as file:
            json.dump({'traceEvents': [{'ph': 'X', 'pid': 1, 'tid': tid, 'ts': 10 * n, 'dur': 8, 'name': '_thread.lock.acquire' if n % 2 else 'work'}
                                       for tid in (1, 2) for n in range(20)]}, file)
        done = subprocess.run([SCOPE, 'report', trace], capture_output=True, text=True, timeout=60)
        self.assertIn('What limits it ' + '-' * 14 + ' ' + sentence, ' '.join(done.stdout.split()))
        w = self.start(trace)
        w.wait_for('toggle button', PROGRAM)
        question = 'Why does it take so long: who waits for whom?'
        self.ask(w, question)
        self.assertIn(sentence, ' '.join(self.said(w, question).split()))
        rows = w.wait(lambda: [i.name for i in w.find('drawing area', 'Picture of Waits of tasks').children if i.name.startswith('task ')], 'the tasks are there')
        self.assertEqual(len(rows), 2)
        for row in rows:        # work is known, waits are not: no 0
            self.assertRegex(row, r', computing [\d.]+\s[mµ]?s, waiting –, mostly for –, for that one –, waited for –, ')
            self.assertNotRegex(row, r'Late sender \d')

    def made(self, rows, kind):
        """A Pajé trace of states alone: rows of (date in ms, task, state)."""
        head = ''.join(f'%EventDef {event} {i}\n' + ''.join(f'% {field} {"date" if field == "Time" else "string"}\n' for field in fields.split()) + '%EndEventDef\n'
                       for i, (event, fields) in enumerate([('PajeDefineContainerType', 'Alias Type Name'), ('PajeDefineStateType', 'Alias Type Name'),
                                                            ('PajeCreateContainer', 'Time Alias Type Container Name'), (kind, 'Time Type Container Value'),
                                                            ('PajePopState', 'Time Type Container')]))
        tasks = sorted({task for _, task, _ in rows})
        with open(self.path('made.trace'), 'w', encoding='utf-8') as f:
            f.write(head + '0 P 0 Process\n1 S P State\n' + ''.join(f'2 0 {task} P 0 {task}\n' for task in tasks))
            f.writelines(f'3 {ms / 1e3:.6f} S {task} {state}\n' if state else f'4 {ms / 1e3:.6f} S {task}\n' for ms, task, state in sorted(rows, key=lambda row: row[0]))
        return self.path('made.trace')

    def answer(self, trace):
        """What the window says, and the report's first part, of one trace."""
        told = ' '.join(subprocess.run([SCOPE, 'report', trace], check=True, capture_output=True, text=True, timeout=60).stdout.replace('\u00a0', ' ').split())
        w = self.start(trace)
        w.wait_for('toggle button', PROGRAM)
        question = 'Why does it take so long: who waits for whom?'
        self.ask(w, question)
        return ' '.join(self.said(w, question).replace('\u00a0', ' ').split())[len(question) + 1:], told

    def test_operations_of_unknown_groups(self):
        """Ranks that are in operations of groups of which the trace tells no group: how long, and that it is not counted, is a part of the
        answer, as of the report."""
        rows, inside, waited = [], 0, 0
        for k in range(5):
            begins = [20 * k + random.randrange(1, 10) for _ in range(3)]
            ends = [20 * k + 12 + random.randrange(0, 6) for _ in range(3)]
            rows += [(at, f'r{n}', 'PMPI_Allreduce') for n, at in enumerate(begins)] + [(at, f'r{n}', '') for n, at in enumerate(ends)]
            inside += sum(ends) - sum(begins)
            waited += sum(max(begins) - at for at in begins)
        said, told = self.answer(self.made(rows, 'PajePushState'))
        found = re.match(r'Who waits for whom is not known, and not counted, in operations of groups, in which tasks are for ([\d.]+) ms \(.*longest in PMPI_Allreduce: .*\. All 3 tasks do the same 5 such '
                         r'operations .* and (?:([\d.]+) ms|0 s) where each needs data of all, added up over all tasks', said)
        self.assertIsNotNone(found, said)
        self.assertIn(said, told)
        self.assertAlmostEqual(float(found[1]), inside, delta=inside * .006)
        self.assertAlmostEqual(float(found[2] or 0), waited, delta=waited * .006)
        self.assertNotIn('of their life', said)

    def test_uneven_computing_is_an_answer(self):
        """Tasks that send nothing: how even they compute, as the report says it."""
        works = [random.randrange(10, 90) for _ in range(3)]
        rows = [row for n, ms in enumerate(works) for row in ((0, f't{n}', 'Running'), (ms, f't{n}', 'Idle'), (100, f't{n}', 'Idle'))]
        said, told = self.answer(self.made(rows, 'PajeSetState'))
        found = re.search(r'Parallel efficiency is ([\d.]+) %: 3 tasks .* Load balance is ([\d.]+) %', said)
        self.assertIsNotNone(found, said)
        self.assertIn(said, told)
        self.assertAlmostEqual(float(found[1]), sum(works) / 3, delta=.006 * sum(works) / 3)
        self.assertAlmostEqual(float(found[2]), 100 * sum(works) / 3 / max(works), delta=.6)
        self.assertNotIn('of their life', said)

    def test_it_can_be_left(self):
        w = self.start(self.copy('ring.trace'))
        w.wait_for('toggle button', PROGRAM)
        w.key('ctrl+alt+q')
        w.wait_for('list item', 'Why does it take so long: who waits for whom?')
        w.key('Escape')
        w.wait_gone('list item', 'Why does it take so long: who waits for whom?')


if __name__ == '__main__':
    main()
