# SPDX-License-Identifier: Apache-2.0
"""scope info, events, run, report, check, components on good input."""
import glob
import json
import os
import re
import shutil
import unittest
import xml.dom.minidom

from cli import ROOT, Case, columns, pair, scope


class Unended(Case):
    def test_only_what_has_no_end(self):
        """Calls in which others take part and that never ended, counted a second time from all events; a filter is one of these too."""
        for name in ('deadlock.trace', 'ring.trace', 'philosophers-deadlock.trace'):
            trace = os.path.join(ROOT, 'traces', name)
            events = [json.loads(line) for line in self.good('events', trace, '--json').out.splitlines()]
            told = [json.loads(line) for line in self.good('events', trace, '--unended', '--json').out.splitlines()]
            self.assertEqual(told, [e for e in events if e.get('unfinished')], name)       # receives and semaphores: all wait for others
            if 'deadlock' in name:
                self.assertGreater(len(told), 1)
                task = told[0]['task']
                only = self.good('events', trace, '--unended', '--json', '--task', task).out.splitlines()
                self.assertEqual(len(only), sum(e['task'] == task for e in told))
        self.assertIn('--follow', scope('events', trace, '--unended', '--follow').err)


class Info(Case):
    def test_json(self):
        info = self.good('info', pair(), '--json').json()
        self.assertEqual(info['trace'], 'pair')
        self.assertEqual(info['path'], os.path.realpath(pair()))
        self.assertEqual((info['format'], info['reader'], info['model']), ('tapepvm', 'scope.tapepvm-reader', 'PVM'))
        self.assertEqual((info['first'], info['last'], info['records'], info['events']), (0, 5, 10, 15))
        self.assertEqual((info['damaged'], info['damage']), (0, []))
        self.assertEqual([h['name'] for h in info['hosts']], ['alpha', 'beta'])
        self.assertEqual([(t['id'], t['nickname'], t['host'], t['program'], t['events']) for t in info['tasks']],
                         [('t40001', 'boss', 'alpha', 'master', 9), ('t40002', None, 'beta', 'worker', 6)])
        self.assertEqual({k['name']: (k['begun'], k['ended']) for k in info['kinds']},
                         {'Enroll': (2, 0), 'Exit': (1, 0), 'PkDouble': (1, 1), 'Send': (2, 2), 'Recv': (3, 2), 'User': (1, 0)})
        self.assertEqual([os.path.basename(d) for d in info['documentation']], ['README'])
        # what shows something first, what has no view last
        self.assertEqual([os.path.basename(info['programs'][i]['file']) for i in (0, -1)], ['views.eve', 'default.eve'])
        self.assertTrue(all(p['title'] and p['doc'] for p in info['programs']))

    def test_text(self):
        out = self.good('info', pair()).out
        rows = columns(out)
        self.assertEqual(rows[0], ['pair: an execution, as a TAPE/PVM trace tells it'])
        self.assertIn(['time', '0.000000 s to 5.000000 s (5.000 s)'], rows)
        self.assertIn(['events', '15, of 10 records'], rows)
        self.assertIn(['damaged', 'none'], rows)
        self.assertIn(['t40001', 'boss', 'master', 'alpha', 'LINUX64', '9'], rows)
        self.assertIn(['Recv', '3', '2', 'point'], rows)

    def test_many_tasks(self):
        trace = self.path('many.trace')
        self.good('synth', '--format', 'tapepvm', '--tasks', '60', '--events', '600', '--seed', '3', '-o', trace)
        short, whole = self.good('info', trace).out, self.good('info', trace, '--all').out
        n = json.loads(self.good('info', trace, '--json').out)['tasks']
        listed = lambda text: len(re.findall(r'^  t[0-9a-f]+ ', text, re.M))
        self.assertEqual((listed(short), listed(whole)), (40, len(n)))
        self.assertIn(f'  and {len(n) - 40} more: --all lists them\n', short)
        self.assertNotIn('--all', whole)

    def test_begin_and_end(self):
        info = self.good('info', pair(), '--json').json()
        for word, date in (('begin', info['first']), ('end', info['last'])):
            self.assertEqual(self.good('state', pair(), '--at', word).out, self.good('state', pair(), '--at', str(date)).out)

    def test_counts_damage(self):
        text = '1 0 262145 0 0 a L 1 -1 p\n60 5 262145 1 0 zzz 1 2 0\n2 9 262145 0 0 0\n'
        done = self.good('info', self.bundle(text), '--json').json()
        self.assertEqual((done['damaged'], done['events']), (1, 2))
        self.assertEqual((done['damage'][0]['file'], done['damage'][0]['line']), ('events', 2))
        self.assertGreater(done['damage'][0]['column'], 1)


class Events(Case):
    def test_json_of_every_event(self):
        events = self.good('events', pair(), '--json').lines()
        got = [(e['t'], e['kind'], e.get('end', False), e['task']) for e in events]
        a, b = 't40001', 't40002'
        self.assertEqual(got, [
            (0, 'Enroll', False, a), (1, 'Enroll', False, b), (1.5, 'Recv', False, b), (2, 'PkDouble', False, a),
            (2.25, 'PkDouble', True, a), (2.25, 'Send', False, a), (2.5, 'Send', True, a), (3, 'Recv', True, b),
            (3.5, 'Send', False, b), (3.6, 'Send', True, b), (4, 'Recv', False, a), (4.25, 'Recv', True, a),
            (4.5, 'Exit', False, b), (4.75, 'Recv', False, a), (5, 'User', False, a)])
        send = events[5]
        self.assertEqual((send['duration'], send['to'], send['bytes'], send['tag'], send['result']),
                         (0.25, [b], 4096, 7, 0))
        self.assertEqual((send['file'], send['line'], send['function']), ('master.c', 17, 'main'))
        self.assertEqual((events[2]['from'], events[2]['function']), (a, 'work hard'))
        self.assertEqual((events[14]['name'], events[14]['value']), ('late', 42))

    def test_sentences(self):
        lines = self.good('events', pair()).out.splitlines()
        self.assertEqual(len(lines), 15)
        self.assertEqual(len({line.index('.') for line in lines}), 1, 'dates are aligned')
        self.assertEqual(len({re.match(r' *[\d.]+ +', line).end() for line in lines}), 1, 'sentences are aligned')
        send = [x for x in lines if x.startswith('2.250000') and 'send' in x and '4,096' in x]
        self.assertTrue(send, lines)
        self.assertIn('t40002', send[0])

    def kinds(self, *words):
        return [(e['kind'], e['t']) for e in self.good('events', pair(), '--json', *words).lines()]

    def test_filters(self):
        self.assertEqual(self.kinds('--from', '4.25'), [('Recv', 4.25), ('Exit', 4.5), ('Recv', 4.75), ('User', 5)])
        self.assertEqual(self.kinds('--to', '1'), [('Enroll', 0), ('Enroll', 1)])
        self.assertEqual(self.kinds('--from', '2.25', '--to', '2.25'), [('PkDouble', 2.25), ('Send', 2.25)])
        self.assertEqual(self.kinds('--from', '9'), [])
        self.bad(2, '--to: 1 lies before --from 2', 'events', pair(), '--json', '--from', '2', '--to', '1')
        self.assertEqual(self.kinds('--task', 't40002', '--to', '2'), [('Enroll', 1), ('Recv', 1.5)])
        self.assertEqual(self.kinds('--task', 'boss', '--kind', 'user'), [('User', 5)])
        self.assertEqual(self.kinds('--kind', 'SEND'), [('Send', 2.25), ('Send', 2.5), ('Send', 3.5), ('Send', 3.6)])
        self.assertEqual(self.kinds('--kind', 'endsend'), [('Send', 2.5), ('Send', 3.6)])
        self.assertEqual(self.kinds('--kind', 'exit', '--kind', 'User'), [('Exit', 4.5), ('User', 5)])
        self.assertEqual(len(self.kinds('--task', 't40001', '--task', 't40002')), 15)

    def test_filters_that_name_nothing(self):
        self.bad(1, 'no task t99999.*scope info', 'events', pair(), '--task', 't99999')
        self.bad(1, '--kind: "Telepathy"', 'events', pair(), '--kind', 'Telepathy')

    def test_slices_make_the_whole(self):
        trace = self.path('s.trace')
        self.good('synth', '--format', 'tapepvm', '--tasks', 5, '--events', 3000, '--seed', 3, '-o', trace)
        whole = self.good('events', trace, '--json').out
        dates = sorted({json.loads(line)['t'] for line in whole.splitlines()})
        cut = dates[len(dates) // 3], dates[2 * len(dates) // 3]
        after = [dates[dates.index(c) + 1] for c in cut]
        parts = [self.good('events', trace, '--json', *words).out for words in (
            ('--to', f'{cut[0]:.9f}'), ('--from', f'{after[0]:.9f}', '--to', f'{cut[1]:.9f}'),
            ('--from', f'{after[1]:.9f}'))]
        self.assertEqual(''.join(parts), whole)


class Run(Case):
    def stats(self, *words):
        return self.good('run', *words, '--stats').json()

    def test_stats(self):
        stats = self.stats(pair())
        self.assertEqual((stats['events_read'], stats['events_simulated'], stats['damaged'], stats['impossible'],
                          stats['checkpoints']), (15, 15, 0, 0, 0))
        self.assertGreater(stats['state_updates'], 15)
        self.assertGreater(stats['peak_rss_bytes'], 1 << 20)
        self.assertGreater(stats['wall_s'], 0)
        self.assertAlmostEqual(stats['events_per_s'], 15 / stats['wall_s'], delta=1)
        self.assertRegex(stats['result_hash'], r'\A[0-9a-f]{16}\Z')

    def test_silent_without_stats(self):
        self.assertEqual(self.good('run', pair()).out, '')

    def test_until(self):
        for t, n in (('-1', 0), ('0', 1), ('2.25', 6), ('2.249999999', 4), ('5', 15), ('99', 15)):
            self.assertEqual(self.stats(pair(), '--until', t)['events_read'], n, t)

    def test_hash_is_that_of_the_state(self):
        hashes = set()
        for t in ('0.5', '2', '2.75', '4.6', '5'):
            hashes.add(self.stats(pair(), '--until', t)['result_hash'])
            self.assertEqual(self.stats(pair(), '--until', t)['result_hash'],
                             self.good('state', pair(), '--at', t, '--json').json()['hash'])
        self.assertEqual(len(hashes), 5)
        self.assertEqual(self.stats(pair(), '--until', '5')['result_hash'], self.stats(pair())['result_hash'])

    def test_settings(self):
        trace = self.bundle('1 0 262145 0 0 a L 1 -1 p\nnonsense\n')
        done = scope('run', trace, '--stats')
        self.assertEqual((done.status, json.loads(done.out)['damaged']), (0, 1))
        self.assertIn('1 damaged', done.err)
        self.bad(1, 'line 2', 'run', trace, '--set', 'Reader.on damage=stop', '--stats')
        self.bad(1, 'no such component.*Session, Reader, Simulator', 'run', trace, '--set', 'Gate.open=true')
        self.bad(1, 'COMPONENT.SETTING=VALUE', 'run', trace, '--set', 'open')
        self.bad(1, '(?i)colour', 'run', trace, '--set', 'Reader.colour=red')
        self.bad(1, '(?i)perhaps', 'run', trace, '--set', 'Reader.on damage=perhaps')

    def test_sinks_write_into_out(self):
        program = self.program('''<?xml version="1.0"?>
<eve version="1">
  <component name="Reader" class="scope.tapepvm-reader" version="1"/>
  <component name="Table" class="scope.text-sink" version="1"><setting name="file">told.txt</setting></component>
  <wire from="Reader" out="events" to="Table" in="in"/>
</eve>
''')
        out = self.path('deep', 'er')
        done = self.good('run', pair(), '--program', program, '--out', out, '--stats')
        self.assertEqual(done.json()['events_simulated'], 0)
        with open(os.path.join(out, 'told.txt')) as f:
            self.assertEqual(len(f.read().splitlines()), 15)


class Report(Case):
    def test_files(self):
        out = self.path('out')
        told = self.good('report', pair(), '-o', out).out
        names = set(os.listdir(out))
        for name in ('report.txt', 'index.html', 'timeline.svg', 'events.txt', 'state-25.json', 'state-50.dot', 'state-75.json'):
            self.assertIn(name, names)
        with open(os.path.join(out, 'report.txt')) as f:
            self.assertEqual(f.read(), told)
        for name in ('timeline.svg',) + (('state-25.svg', 'state-50.svg', 'state-75.svg') if shutil.which('neato') else ()):
            xml.dom.minidom.parse(os.path.join(out, name))
        for percent in (25, 50, 75):
            with open(os.path.join(out, f'state-{percent}.json')) as f:
                self.assertEqual(json.load(f), self.good('state', pair(), '--at', 5 * percent / 100, '--json').json())
        rows = columns(told)
        self.assertIn(['messages', '2, 4.2 kB sent task to task; 2, 4.2 kB received'], rows)
        self.assertIn(['unfinished', '1 call never ended'], rows)
        self.assertTrue(any(row[:5] == ['boss t40001', 'alpha', '80.0 %', '15.0 %', '5.0 %'] for row in rows), told)
        self.assertIn(['boss t40001', 'worker t40002', '4.1 kB'], rows)

    def test_nothing_to_report(self):
        self.bad(1, 'no event', 'report', self.bundle('#TAPE/PVM 1\n'), '-o', self.path('out'))
        self.assertFalse(os.path.exists(self.path('out')))


class Components(Case):
    def test_list_and_each(self):
        every = self.good('components', '--json').json()
        ids = [c['id'] for c in every]
        self.assertEqual(ids, sorted(ids))
        for wanted in ('scope.tapepvm-reader', 'scope.pvm-simulator', 'scope.session', 'scope.gate'):
            self.assertIn(wanted, ids)
        listed = [row[0] for row in columns(self.good('components').out)][1:]
        self.assertEqual(listed, ids)
        for c in every:
            self.assertTrue(c['doc'] and c['label'] and c['category'], c['id'])
            self.assertEqual(self.good('components', c['id'], '--json').json(), c)
            text = self.good('components', c['id']).out
            for port in c['inputs'] + c['outputs'] + c['settings']:
                self.assertIn('  ' + port['name'] + '  ', text)
        # The short name and the label will do.
        traffic = self.good('components', 'scope.traffic').out
        for name in ('traffic', 'Traffic', 'TRAFFIC'):
            self.assertEqual(self.good('components', name).out, traffic)
        self.assertEqual(self.good('components', 'stacked bars').out, self.good('components', 'scope.stacked-bars').out)
        self.bad(1, 'scope.nothing: there is no such component', 'components', 'scope.nothing')

    def test_a_broken_plugin_does_not_hide_the_others(self):
        with open(self.path('bad.so'), 'w') as f:
            f.write('no object')
        done = scope('components', env={'SCOPE_PLUGIN_PATH': self.folder})
        self.assertEqual(done.status, 0)
        self.assertIn('scope.gate', done.out)
        self.assertRegex(done.err, r'\Ascope: [^\n]*bad\.so[^\n]*\n\Z')


class Check(Case):
    def test_bundle(self):
        self.assertIn('15 events, 0 damaged records, 0 impossible events', self.good('check', pair()).out)
        trace = self.bundle('1 0 262145 0 0 a L 1 -1 p\n1 1 262146 0 0 a L 1 262145 p\nxx\n'
                            '62 2 262145 5 0 -1 -1 262146 3 10 1\n')
        done = scope('check', trace)
        self.assertEqual((done.status, done.err), (1, ''))
        self.assertIn('1 damaged records, 1 impossible', done.out)
        self.assertIn('events, line 3', done.out)

    def test_every_command_tells_damage(self):
        """Whoever plays a trace says what was left out as far as it came, and what is impossible."""
        trace = self.bundle('1 0 262145 0 0 a L 1 -1 p\n1 1 262146 0 0 a L 1 262145 p\nxx\n'
                            '62 2 262145 5 0 -1 -1 262146 3 10 1\n1 1000000 262147 0 0 a L 1 262145 p\nyy\n1 2000000 262148 0 0 a L 1 262145 p\n')
        cache = {'XDG_CACHE_HOME': self.path('cache')}
        for words, damaged in ((['state', '--at', '0.0005'], '1 damaged record was left out or mended by then'), (['seek', '--to', '0.0005'], '1 damaged record was left out or mended by then'),
                               (['run', '--until', '0.0005'], '1 damaged record was left out or mended by then'), (['state', '--at', '5'], '2 damaged records were left out or mended'),
                               (['run'], '2 damaged records were left out or mended'), (['seek', '--to', '5'], '2 damaged records were left out or mended')):
            done = scope(words[0], trace, *words[1:], env=cache)
            by_then = ' by then' if 'by then' in damaged else ''
            self.assertEqual(done.status, 0, done.err)
            self.assertIn(f'{damaged}; `scope check` lists them\n', done.err, words)
            self.assertIn(f'1 event is impossible in the PVM model{by_then}; `scope check` lists them\n', done.err, words)

    def test_programs_of_the_project(self):
        programs = glob.glob(os.path.join(ROOT, 'schemas', '*', '*.eve'))
        self.assertGreater(len(programs), 30)
        for path in programs:
            with open(path, encoding='utf-8') as f:
                shared = '"any.reader"' in f.read()
            out = self.good('check', path).out
            self.assertRegex(out, r' 0 problems(, as it is for traces of the format \w+)?\n')
            self.assertEqual('as it is for traces' in out, shared)

    def test_program_with_problems(self):
        program = self.program('''<eve version="1">
  <component name="A" class="scope.nothing" version="1"/>
  <component name="B" class="scope.gate" version="1">
    <setting name="colour">red</setting>
  </component>
  <wire from="B" out="nowhere" to="A" in="x"/>
</eve>
''')
        done = scope('check', program)
        self.assertEqual((done.status, done.err), (1, ''))
        for line in (2, 3, 6):
            self.assertRegex(done.out, rf'made\.eve:{line}: ')

    def test_neither(self):
        self.bad(1, 'no such file', 'check', self.path('nothing.eve'))
        self.bad(2, 'what it is does not show', 'check', os.path.join(pair(), 'nicknames'))


if __name__ == '__main__':
    unittest.main()
