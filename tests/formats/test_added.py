#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attributes that components add to tasks and messages, tied to colours in views, beside a second computation from the raw
events: what is counted of each task, and what could have come in the place of a message."""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import ROOT, Format, main                                                          # noqa: E402

FARM = os.path.join(ROOT, 'traces', 'farm.trace')
PROGRAM = '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><title>Added</title>
  <component name="Session" class="scope.session" version="1" x="0" y="0"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1" x="40" y="40"/>
  <component name="Simulator" class="scope.pvm-simulator" version="1" x="220" y="0"/>
  <component name="Bytes" class="scope.event-presenter" version="1" x="220" y="40"><setting name="field">size</setting><setting name="kind">Send</setting></component>
  <component name="Sent" class="scope.statistics-by-owner" version="1" x="400" y="40"/>
  <component name="Vectors" class="scope.vector-clocks" version="1" x="220" y="140"/>
  <component name="State graph" class="scope.state-graph" version="1" x="400" y="0"/>
  <component name="Space-time" class="scope.space-time" version="1" x="400" y="140"/>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Reader" out="events" to="Simulator" in="events"/>
  <wire from="Reader" out="events" to="Bytes" in="events"/>
  <wire from="Reader" out="events" to="Vectors" in="events"/>
  <wire from="Bytes" out="dated" to="Sent" in="value"/>
  <wire from="Simulator" out="messages" to="State graph" in="messages"/>
  <wire from="Simulator" out="states" to="Space-time" in="states"/>
  <wire from="Simulator" out="messages" to="Space-time" in="messages"/>
</eve>
'''


def painted(svg, kind):
    """Colours of what is filled, or drawn as a line: of each how often, with the least side of its box."""
    for style, d in re.findall(r'<path style="([^"]*)" d="([^"]*)"', svg):
        rgb = re.search(kind + r':rgb\(([\d.]+)%,([\d.]+)%,([\d.]+)%\)', style)
        numbers = [float(x) for x in re.findall(r'-?[\d.]+', d)]
        if rgb:
            yield ''.join(f'{round(float(x) * 2.55):02x}' for x in rgb.groups()), max(numbers[::2]) - min(numbers[::2]), max(numbers[1::2]) - min(numbers[1::2])


class Added(Format):
    def draw(self, view, rules, *words):
        program, out = self.path('added.eve', PROGRAM), self.path('x.svg')
        _, told = self.scope('draw', FARM, '--program', program, '--view', view, '--associations', self.path('rules', 'associations 1\n' + rules), '-o', out, *words)
        with open(out, encoding='utf-8') as f:
            return f.read(), told

    def events(self):
        return [json.loads(line) for line in self.scope('events', FARM, '--json')[0].splitlines()]

    def test_what_is_counted_of_a_task_colours_it(self):
        for at in (0.07, 0.12):
            sent = collections.Counter(e['task'] for e in self.events() if e['kind'] == 'Send' and not e.get('end') and e['t'] <= at)
            colours = {n: f'aa{i:02x}11' for i, n in enumerate(sorted(set(sent.values())))}
            rules = 'task "Sent count" colour\n' + ''.join(f'  {n} = #{c}\n' for n, c in colours.items())
            svg, told = self.draw('State graph', rules, '--at', str(at))
            self.assertNotIn('associations', told)
            got = collections.Counter(rgb for rgb, w, h in painted(svg, 'fill') if rgb in colours.values() and min(w, h) > 20)
            alive = {n['id'] for n in json.loads(self.scope('state', FARM, '--at', str(at), '--json')[0])['nodes']}
            self.assertEqual(got, collections.Counter(colours[n] for t, n in sent.items() if t in alive), at)

    def test_ramps_take_the_number(self):
        end = self.events()[-1]['t'] * 0.9
        total = collections.Counter()
        for e in self.events():
            if e['kind'] == 'Send' and not e.get('end') and e['t'] <= end:
                total[e['task']] += e['bytes']
        svg, _ = self.draw('State graph', f'task "Sent sum" colour\n  ramp 0 .. {max(total.values())} = #000000 .. #ff0000\n', '--at', f'{end:.9f}')
        reds = sorted(int(rgb[:2], 16) for rgb, w, h in painted(svg, 'fill') if rgb[2:] == '0000' and min(w, h) > 20)
        expected = sorted(round(255 * n / max(total.values())) for n in total.values())
        self.assertEqual(len(reds), len(expected))
        self.assertTrue(all(abs(a - b) <= 2 for a, b in zip(reds, expected)), (reds, expected))

    def test_what_could_have_come_colours_a_message(self):
        svg, told = self.draw('Space-time', 'message "Could have come instead" colour\n  "nothing that is known by now" = #aa1100\n  other = #0011aa\n',
                              '--size', '1600x1000')
        self.assertNotIn('associations', told)
        got = collections.Counter(rgb for rgb, *_ in painted(svg, 'stroke') if rgb in ('aa1100', '0011aa'))
        self.assertGreater(got['0011aa'], 0)   # what the master takes as it comes
        self.assertGreater(got['aa1100'], 0)   # what each worker waits for from the master alone

    def test_files_of_another_language(self):
        """Names and values of what components add are English in files: a file looks the same, whatever the language of who wrote it."""
        rules = {'State graph': 'task "Sent sum" colour\n  ramp 0 .. 1.5 .. 100000 = #000000 .. #0000ff .. #ff0000\n',
                 'Space-time': 'message "Could have come instead" colour\n  "nothing that is known by now" = #aa1100\n  other = #0011aa\n'}
        for view in ('State graph', 'Space-time'):
            pictures, self.env['LC_ALL'] = [], 'C.UTF-8'
            for language in ('', 'fr'):
                self.env['LANGUAGE'] = language
                svg, told = self.draw(view, rules[view], *(['--at', '0.1'] if view == 'State graph' else ['--size', '1600x1000']))
                self.assertNotIn('associations', told)
                pictures.append(sorted(rgb for rgb, *_ in painted(svg, 'stroke' if view == 'Space-time' else 'fill')))
            self.assertEqual(*pictures)
            self.assertTrue({'aa1100', '0011aa'} <= set(pictures[0]) if view == 'Space-time' else [c for c in pictures[0] if c.endswith('0000') or c.startswith('0000')])

    def test_bits_between_tasks_colour_messages(self):
        """In how many bits the numbers of two tasks differ: the wires that a message takes in a hypercube."""
        trace = os.path.join(ROOT, 'traces', 'fft2d-s64.trace')
        tasks = {t['id']: i for i, t in enumerate(self.info(trace)['tasks'])}
        events = [json.loads(line) for line in self.scope('events', trace, '--json')[0].splitlines()]
        expected = collections.Counter(bin(tasks[e['from']] ^ tasks[e['task']]).count('1') for e in events if e.get('from') and e.get('end') and e.get('result', 0) >= 0)
        self.assertEqual(set(expected), {1, 2})
        out = self.path('bits.svg')
        self.scope('draw', trace, '--view', 'Space-time', '--associations', self.path('rules', 'associations 1\nmessage bits colour\n  1 = #aa1100\n  2 = #0011aa\n'),
                   '--size', '2400x1200', '-o', out)
        with open(out, encoding='utf-8') as f:
            got = collections.Counter(rgb for rgb, *_ in painted(f.read(), 'stroke') if rgb in ('aa1100', '0011aa'))
        self.assertEqual((got['aa1100'], got['0011aa']), (expected[1], expected[2]))

    def test_order_of_gray_code(self):
        """Rows in the order in which neighbours differ in one bit: as many as there are tasks, each once."""
        trace, out = os.path.join(ROOT, 'traces', 'farm.trace'), self.path('rows.csv')
        names = [t.get('nickname') or t['id'] for t in self.info(trace)['tasks']]
        self.scope('draw', trace, '--program', 'utilization', '--view', 'Processor status', '--at', '0.1',
                   '--associations', self.path('rules', 'associations 1\ntask "Gray code" order\n'), '-o', out)
        with open(out, encoding='utf-8') as f:
            text = f.read()
        gray = [i ^ i >> 1 for i in range(8)]
        expected = [names[g] for g in gray if g < len(names)]
        at = [text.index('"' + n + '"') if '"' + n + '"' in text else text.index(n) for n in expected]
        self.assertEqual(at, sorted(at), text)

    def test_what_a_filter_leaves_out_is_told_behind_it(self):
        """Of each task how much did not pass, as an attribute: raw data stay in reach of what shows filtered ones."""
        program = PROGRAM.replace('  <component name="Vectors"', '  <component name="Short" class="scope.filter" version="2" x="220" y="90"><setting name="where">kind == Send or end</setting></component>\n'
                                  '  <component name="Vectors"').replace('</eve>', '  <wire from="Reader" out="events" to="Short" in="in"/></eve>')
        events = [e for e in self.events() if e['t'] <= 0.1]
        left = collections.Counter(e['task'] for e in events if e['kind'] != 'Send' and not e.get('end'))
        seen = collections.Counter(e['task'] for e in events)
        values = {f'{left[t]} of {n}': f'aa{i:02x}11' for i, (t, n) in enumerate(seen.items())}
        self.path('added.eve', program)
        rules = 'associations 1\ntask "Left out by Short" colour\n' + ''.join(f'  "{v}" = #{c}\n' for v, c in values.items())
        out = self.path('x.svg')
        _, told = self.scope('draw', FARM, '--program', self.path('added.eve'), '--view', 'State graph', '--at', '0.1', '--associations', self.path('rules', rules), '-o', out)
        self.assertNotIn('associations', told)
        with open(out, encoding='utf-8') as f:
            got = collections.Counter(rgb for rgb, w, h in painted(f.read(), 'fill') if rgb in values.values() and min(w, h) > 20)
        self.assertEqual(got, collections.Counter(values[f'{left[t]} of {n}'] for t, n in seen.items()))

    def test_objects_are_switched_one_by_one(self):
        """A task, or a service of one, is hidden by its name, and the others stay."""
        services = os.path.join(ROOT, 'traces', 'services.trace')
        for trace, program, view, at, names in ((FARM, 'views', 'State graph', '0.1', ['worker 1', 'worker 2', 'worker 3']),
                                                (services, 'services', 'Graph of services', '0.9', ['server 1', 'client 1', 'client 2'])):
            counts = []
            for k in range(4):
                out = self.path('x.svg')
                rules = 'associations 1\ntask Nickname colour\n  other = #aa1177\n' + ('task Nickname hidden\n' + ''.join(f'  "{n}" = yes\n' for n in names[:k]) if k else '')
                self.scope('draw', trace, '--program', program, '--view', view, '--at', at, '--associations', self.path('rules', rules), '-q', '-o', out)
                with open(out, encoding='utf-8') as f:
                    svg = f.read()
                counts.append(sum(rgb == 'aa1177' and min(w, h) > 15 for kind in ('fill', 'stroke') for rgb, w, h in painted(svg, kind)))
            self.assertEqual(counts, sorted(set(counts), reverse=True), view)

    def test_known_problems_stop_it_while_it_plays(self):
        """The first wait that is longer than what is allowed; none where all are allowed."""
        for most, stops in (('0.01', True), ('1000', False)):
            out = self.path('out' + most)
            self.scope('run', FARM, '--program', 'watch-waits', '--set', f'Watch.max={most}', '--out', out, status=(0, 1))
            triggered = []
            if os.path.exists(os.path.join(out, 'triggered.csv')):
                with open(os.path.join(out, 'triggered.csv'), encoding='utf-8') as f:
                    triggered = f.read().splitlines()
            with open(os.path.join(out, 'waits.csv'), encoding='utf-8') as f:
                waits = f.read().splitlines()
            self.assertEqual(len(triggered) > 1, stops, triggered)
            self.assertGreater(len(waits), 1)

    def test_what_nobody_adds_is_told(self):
        _, told = self.draw('State graph', 'task "Sent sums" colour\n  1 = #000000\n', '--at', '0.1')
        self.assertIn('no task has an attribute “Sent sums”', told)
        self.assertIn('“Sent sum”', told)


if __name__ == '__main__':
    main()
