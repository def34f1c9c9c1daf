# SPDX-License-Identifier: Apache-2.0
"""What a film keeps of an execution is kept once: for any number of views, and for the programs that are made of it."""
import json
import os
import random
import re
import subprocess
import unittest

from test_film import ROOT, VIEWS, Case

FFT = os.path.join(ROOT, 'traces', 'fft2d-s16.trace')
ENDINGS = ('.index', '.records', '.sums')


class Layers(Case):
    def program(self, name, text='', drop=None, source=VIEWS):
        with open(source) as f:
            program = f.read()
        if drop:
            program = re.sub(r'\n[^\n]*"%s"[^\n]*' % re.escape(drop), '', program)
        path = os.path.join(self.folder, name + '.eve')
        with open(path, 'w') as f:
            f.write(program.replace('</eve>', text + '</eve>'))
        return path

    def space_time(self, number, states='Simulator', out='states'):
        name = 'Space-time %d' % number
        return ('<component name="%s" class="scope.space-time" version="1"/>\n'
                '<wire from="%s" out="%s" to="%s" in="states"/>\n'
                '<wire from="Simulator" out="messages" to="%s" in="messages"/>\n') % (name, states, out, name, name)

    def layers(self, film):
        """Name of each layer -> its bytes."""
        found = {}
        for name in sorted(os.listdir(film)):
            if name.endswith(ENDINGS):
                with open(os.path.join(film, name), 'rb') as f:
                    found[name] = f.read()
        return found

    def drawn(self, trace, program, view, *words):
        out = os.path.join(self.folder, 'drawn')
        self.scope('draw', trace, '--program', program, '--view', view, *words, '-o', out + '.png')
        self.scope('draw', trace, '--program', program, '--view', view, '--csv', *words, '-o', out + '.csv')
        both = []
        for path in (out + '.png', out + '.csv'):
            with open(path, 'rb') as f:
                both.append(f.read())
        return both

    def test_three_views_cost_one_history(self):
        one = self.stats(self.trace, '--program', VIEWS)
        three = self.stats(self.trace, '--program', self.program('three', self.space_time(2) + self.space_time(3)))
        self.assertEqual(three['film'], one['film'])       # it is the same film: nothing was shot
        self.assertTrue(three['was_complete'])
        self.assertEqual(three['disk_bytes'], one['disk_bytes'])

    def test_a_view_more_or_less(self):
        """A view that is added finds its history, one that is gone leaves it; each shows what the first one does."""
        first = self.stats(FFT, '--program', VIEWS)
        for name, text, drop in (('more', self.space_time(2), None), ('none', '', 'Space-time'),
                                 ('text', '<component name="T" class="scope.trace-text" version="1"/>\n'
                                          '<wire from="Reader" out="events" to="T" in="events"/>\n', None)):
            after = self.stats(FFT, '--program', self.program(name, text, drop))
            self.assertEqual((after['film'], after['was_complete']), (first['film'], True), name)
        bare = self.program('bare', '', 'Space-time')
        bare_again = self.program('again', self.space_time(2), 'Space-time')
        self.env['XDG_CACHE_HOME'] = os.path.join(self.folder, 'other')
        self.stats(FFT, '--program', bare)                     # shot while no view asked for states
        for words in ([], ['--from', '0.05', '--to', '0.07']):
            self.assertTrue(self.drawn(FFT, bare_again, 'Space-time 2', *words) == self.drawn(FFT, VIEWS, 'Space-time', *words))
        self.assertTrue(self.stats(FFT, '--program', bare_again)['was_complete'])

    def test_places_of_many_tasks(self):
        """Of many tasks a place of the reader is large: there are fewer of them."""
        trace = os.path.join(self.folder, 'crowd.trace')
        self.scope('synth', '--format', 'tapepvm', '--tasks', '30000', '--events', '300000', '--seed', '1', '-o', trace)
        made = self.stats(trace, '--program', VIEWS)
        places = [data for name, data in self.layers(made['film']).items() if name.endswith('.places.records')]
        self.assertEqual(len(places), 1)
        self.assertGreater(len(places[0]), 100_000)
        self.assertLess(len(places[0]), 5 * made['events'])

    def test_views_of_the_same_show_the_same(self):
        program = self.program('three', self.space_time(2) + self.space_time(3))
        first = self.drawn(FFT, program, 'Space-time')
        for view in ('Space-time 2', 'Space-time 3'):
            self.assertTrue(self.drawn(FFT, program, view) == first)

    def test_what_feeds_it_decides(self):
        """Behind a filter, or fed by two: another history, in another film; what is not concerned is not shot again."""
        first = self.stats(FFT, '--program', VIEWS)
        behind = self.program('behind', '<component name="Filter" class="scope.filter" version="1">'
                              '<setting name="from">0.1</setting></component>\n'
                              '<wire from="Simulator" out="states" to="Filter" in="in"/>\n' + self.space_time(2, 'Filter', 'passed'))
        second = self.stats(FFT, '--program', behind)
        self.assertNotEqual(second['film'], first['film'])
        old, new = self.layers(first['film']), self.layers(second['film'])
        self.assertTrue({k: new[k] for k in old} == old)
        further = {name.split('.')[1] for name in new if name not in old}
        self.assertEqual(further, {'states'})
        alone = self.drawn(FFT, behind, 'Space-time 2')
        self.assertFalse(alone == self.drawn(FFT, behind, 'Space-time'))
        self.assertTrue(self.drawn(FFT, behind, 'Space-time') == self.drawn(FFT, VIEWS, 'Space-time'))

    def test_borrowed(self):
        """A box that takes part in the run makes another film; its histories are those of before, not shot again, and right."""
        first = self.stats(self.trace, '--program', VIEWS)
        program = self.program('counted', '<component name="Counter" class="scope.counter" version="1"/>\n'
                               '<wire from="Reader" out="events" to="Counter" in="in"/>\n')
        second = self.stats(self.trace, '--program', program)
        self.assertNotEqual(second['film'], first['film'])
        self.assertTrue(self.layers(second['film']) == self.layers(first['film']))
        shown = [self.drawn(self.trace, program, 'Space-time', '--from', at, '--to', to) for at, to in (('1', '1.2'), ('0', '20'))]
        self.env['XDG_CACHE_HOME'] = os.path.join(self.folder, 'fresh')
        alone = self.stats(self.trace, '--program', program)
        self.assertEqual(self.layers(second['film']).keys(), self.layers(alone['film']).keys())
        for (at, to), was in zip((('1', '1.2'), ('0', '20')), shown):
            self.assertTrue(self.drawn(self.trace, program, 'Space-time', '--from', at, '--to', to) == was)

    def fresh(self):
        """From here on there are no films yet."""
        self.n_homes = getattr(self, 'n_homes', 0) + 1
        self.env['XDG_CACHE_HOME'] = os.path.join(self.folder, 'home %d' % self.n_homes)

    GRAPH = ('<component name="G" class="scope.state-graph" version="1"/>\n'
             '<wire from="Simulator" out="messages" to="G" in="messages"/>\n')
    TEXT = ('<component name="T" class="scope.trace-text" version="1"/>\n<wire from="Reader" out="events" to="T" in="events"/>\n')

    def test_views_cost_no_pass(self):
        """Views that are added to a program whose film is there: no event is shot, and they show what they do in a film
        that was shot with them; also when they are all gone again."""
        for trace in (FFT, self.trace):
            bare = self.program('bare', '', 'Space-time', )
            with open(bare) as f:
                text = f.read()
            for gone in ('State graph', 'Trace text'):
                text = re.sub(r'\n[^\n]*"%s"[^\n]*' % gone, '', text)
            with open(bare, 'w') as f:
                f.write(text)
            self.fresh()
            first = self.stats(trace, '--program', bare)
            self.assertGreater(first['events_shot'], 0)
            added = {'Space-time 2': self.space_time(2), 'G': self.GRAPH, 'T': self.TEXT}
            programs = {view: self.program(view, more, source=bare) for view, more in added.items()}
            programs['all'] = self.program('all', ''.join(added.values()), source=bare)
            at = ['--at', '0.1']
            shown = {}
            for view, program in programs.items():
                after = self.stats(trace, '--program', program)
                self.assertEqual((after['events_shot'], after['was_complete'], after['film']), (0, True, first['film']), view)
                shown[view] = [self.drawn(trace, program, each, *at) for each in ([view] if view in added else added)]
            os.utime(os.path.join(first['film'], 'lock'))
            for view, program in programs.items():
                self.fresh()
                self.assertGreater(self.stats(trace, '--program', program)['events_shot'], 0)
                self.assertTrue(shown[view] == [self.drawn(trace, program, each, *at) for each in ([view] if view in added else added)], view)
                if view == 'all':                              # less of it
                    for less in [bare] + list(programs.values()):
                        self.assertEqual(self.stats(trace, '--program', less)['events_shot'], 0, less)

    def test_analysis_added(self):
        """An analysis that is added is caught up, and says at any instant what it says without what was there."""
        boxes = ('<component name="Durations" class="scope.state-durations" version="1"/>\n'
                 '<component name="Waits" class="scope.waiting-times" version="1"/>\n'
                 '<component name="Numbers" class="scope.statistics" version="1"/>\n'
                 '<component name="Shares" class="scope.table-view" version="1"/>\n'
                 '<component name="Sums" class="scope.table-view" version="1"/>\n'
                 '<wire from="Simulator" out="states" to="Durations" in="states"/>\n'
                 '<wire from="Reader" out="events" to="Waits" in="events"/>\n'
                 '<wire from="Waits" out="value" to="Numbers" in="value"/>\n'
                 '<wire from="Numbers" out="table" to="Sums" in="table"/>\n'
                 '<wire from="Durations" out="table" to="Shares" in="table"/>\n')
        program = self.program('analysis', boxes)
        less = self.program('less', re.sub(r'\n[^\n]*"(Durations|Shares)"[^\n]*', '', '\n' + boxes))
        rand = random.Random(7)
        instants = ['%.4f' % rand.uniform(0.05, 0.16) for _ in range(6)]
        self.fresh()
        self.stats(FFT, '--program', VIEWS)
        after = self.stats(FFT, '--program', program)
        self.assertEqual(after['histories_taken'], after['histories'])
        gone = self.stats(FFT, '--program', less)              # all that is left of it is known
        self.assertEqual((gone['events_shot'], gone['film']), (0, after['film']))
        shown = [self.drawn(FFT, program, view, '--at', at) for at in instants for view in ('Shares', 'Sums')]
        shown_less = [self.drawn(FFT, less, 'Sums', '--at', at) for at in instants]
        hashes = [[self.hash_at(FFT, at, '--program', p) for at in instants] for p in (program, less)]
        self.fresh()
        self.assertTrue(shown == [self.drawn(FFT, program, view, '--at', at) for at in instants for view in ('Shares', 'Sums')])
        self.fresh()
        self.assertTrue(shown_less == [self.drawn(FFT, less, 'Sums', '--at', at) for at in instants])
        self.assertEqual(hashes, [[self.hash_at(FFT, at, '--program', p, '--no-film') for at in instants] for p in (program, less)])
        self.assertGreater(len(set(map(str, shown_less))), 1)

    def test_rewired(self):
        """A wire that goes elsewhere: what hangs on it is played, with what it is made of, and nothing else; histories are those of before. Back
        again, nothing is shot. Each shows what it does in a film of its own."""
        boxes = ('<component name="Filter" class="scope.filter" version="1"><setting name="tasks">fft 1, fft 2</setting></component>\n'
                 '<component name="Waits" class="scope.waiting-times" version="1"/>\n'
                 '<component name="Fewer waits" class="scope.waiting-times" version="1"/>\n'
                 '<component name="Numbers" class="scope.statistics" version="1"/>\n'
                 '<component name="Durations" class="scope.state-durations" version="1"/>\n'
                 '<component name="Shares" class="scope.table-view" version="1"/>\n'
                 '<wire from="Reader" out="events" to="Waits" in="events"/>\n'
                 '<wire from="Reader" out="events" to="Filter" in="in"/>\n'
                 '<wire from="Filter" out="passed" to="Fewer waits" in="events"/>\n'
                 '<wire from="Simulator" out="states" to="Durations" in="states"/>\n'
                 '<wire from="{numbers}" out="value" to="Numbers" in="value"/>\n'
                 '<wire from="{table}" out="table" to="Shares" in="table"/>\n')
        wired = {(n, t): self.program(f'{n} {t}', boxes.format(numbers=n, table=t)) for n in ('Waits', 'Fewer waits') for t in ('Numbers', 'Durations')}
        begin, *others = wired
        for how in others:
            self.fresh()
            first = self.stats(FFT, '--program', wired[begin])
            said = self.scope('film', FFT, '--program', wired[how], '--stats')
            after = json.loads(said[1])
            self.assertEqual((after['histories'], after['histories_taken']), (first['histories'],) * 2, how)
            played = re.search('has all but (.*?)(?: and [0-9]+ more)?: only that is played', said[2])
            self.assertLessEqual(set(played[1].split(', ')) if played else set(), self.concerned(wired[begin], wired[how]), how)
            self.assertTrue(played or how == others[-1], how)           # there all that is left is of no use
            shown = [self.drawn(FFT, wired[how], view, '--at', '0.12') for view in ('Shares', 'Space-time')]
            for known in (begin, how):
                again = self.stats(FFT, '--program', wired[known])
                self.assertEqual((again['events_shot'], again['was_complete']), (0, True), (how, known))
                self.assertEqual(again['film'], (first if known == begin else after)['film'])
            self.fresh()
            self.assertTrue(shown == [self.drawn(FFT, wired[how], view, '--at', '0.12') for view in ('Shares', 'Space-time')], how)

    def concerned(self, before, now):
        """What of a program is another one for wires that go elsewhere: their ends, what comes behind these, and all that is upstream of that."""
        def wires(path):
            with open(path) as f:
                return set(re.findall('<wire from="([^"]*)" out="([^"]*)" to="([^"]*)"', f.read()))
        moved, here = wires(before) ^ wires(now), wires(now)
        found = {end for a, _, b in moved for end in (a, b)}
        for from_end, to_end in ((0, 2), (2, 0)):
            while further := {w[to_end] for w in here if w[from_end] in found} - found:
                found |= further
        return found

    def listed(self, program):
        """Numbers of the events that the trace text T lists."""
        out = os.path.join(self.folder, 'listed.csv')
        self.scope('draw', FFT, '--program', program, '--view', 'T', '--csv', '--from', '0', '--to', '10', '-o', out)
        with open(out) as f:
            return [int(line.split(',')[0]) for line in f.read().splitlines()[1:]]

    def test_a_text_of_two_readers(self):
        """Of one trace: what comes by either wire is listed, once. Of two, or with other dates, it is refused with a sentence."""
        filtered = ('<component name="F%s" class="scope.filter" version="1"><setting name="%s">%s</setting></component>\n'
                    '<wire from="%s" out="events" to="F%s" in="in"/>\n')
        second = ('<component name="Reader 2" class="scope.tapepvm-reader" version="1">%s</component>\n'
                  '<wire from="Session" out="commands" to="Reader 2" in="commands"/>\n')
        text = '<component name="T" class="scope.trace-text" version="1"/>\n'
        wire = '<wire from="%s" out="%s" to="T" in="events"/>\n'
        some = {1: ('kinds', 'Send, Recv'), 2: ('tasks', 'fft 0, fft 1')}
        filters = {n: lambda reader, n=n: filtered % (n, *some[n], reader, n) + wire % ('F%d' % n, 'passed') for n in some}
        alone = {n: self.listed(self.program('alone', text + filters[n]('Reader'))) for n in some}
        self.assertTrue(set(alone[1]) - set(alone[2]) and set(alone[2]) - set(alone[1]))
        both = self.program('both', text + second % '' + filters[1]('Reader') + filters[2]('Reader 2'))
        self.assertEqual(self.listed(both), sorted(set(alone[1]) | set(alone[2])))
        everything = self.program('all', text + second % '' + filters[1]('Reader 2') + wire % ('Reader', 'events'))
        n_events = json.loads(self.scope('info', FFT, '--json')[1])['events']
        self.assertEqual(self.listed(everything), list(range(1, n_events + 1)))
        other = os.path.join(ROOT, 'traces', 'fft2d-s4.trace')
        for setting, told in (('<setting name="trace">%s</setting>' % other, 'lead to two executions, fft2d-s'),
                              ('<setting name="offset">0.5</setting>', 'lead to fft2d-s16 twice, read with other dates')):
            program = self.program('other', text + second % setting + wire % ('Reader', 'events') + wire % ('Reader 2', 'events'))
            said = self.scope('draw', FFT, '--program', program, '--allow', ROOT, '--view', 'T', '-o',
                              os.path.join(self.folder, 'x.png'), status=None)
            self.assertNotEqual(said[0], 0)
            self.assertIn(told, said[2])

    def test_parts_damaged(self):
        """The film of another program that is damaged is not used: one is shot, and it is right."""
        bare = self.program('bare', '', 'State graph')
        first = self.stats(FFT, '--program', bare)
        right = {at: self.hash_at(FFT, at, '--program', VIEWS, '--no-film') for at in ('0.05', '0.1')}
        path = os.path.join(first['film'], 'checkpoints')
        with open(path, 'rb') as f:
            sound = f.read()
        rand = random.Random(11)
        for _ in range(12):
            at = rand.randrange(len(sound))
            with open(path, 'wb') as f:
                f.write(sound[:at] + bytes([sound[at] ^ 0x41]) + sound[at + 1:])
            for to, is_right in right.items():
                self.assertEqual(self.hash_at(FFT, to, '--program', VIEWS), is_right)
            after = self.stats(FFT, '--program', VIEWS)
            if after['film'] != first['film']:
                subprocess.run(['rm', '-r', after['film']], check=True)

    def test_borrowed_damage(self):
        """A damaged history is not taken over without a word, and the film that is shot in the end is right."""
        first = self.stats(FFT, '--program', VIEWS)
        right = self.drawn(FFT, VIEWS, 'Space-time')
        program = self.program('counted', '<component name="Counter" class="scope.counter" version="1"/>\n'
                               '<wire from="Reader" out="events" to="Counter" in="in"/>\n')
        for ending in ENDINGS:
            name = next(n for n in sorted(self.layers(first['film'])) if '.states' in n and n.endswith(ending))
            path = os.path.join(first['film'], name)
            with open(path, 'rb') as f:
                sound = f.read()
            if not sound:
                continue
            for damaged in (sound[:len(sound) // 2], sound[:len(sound) // 2] + bytes(64) + sound[len(sound) // 2 + 64:]):
                with open(path, 'wb') as f:
                    f.write(damaged)
                second = self.stats(FFT, '--program', program)
                for _ in range(2):                             # the first look may be what finds the damage
                    self.scope('draw', FFT, '--program', program, '--view', 'Space-time', '-o',
                               os.path.join(self.folder, 'a.png'))
                self.assertTrue(self.drawn(FFT, program, 'Space-time') == right)
                subprocess.run(['rm', '-r', second['film']], check=True)
                with open(path, 'wb') as f:
                    f.write(sound)

    def test_killed(self):
        """A pass that was killed goes on with the histories that are whole left alone."""
        self.stats(self.trace, '--program', VIEWS)
        program = self.program('counted', '<component name="Counter" class="scope.counter" version="1"/>\n'
                               '<wire from="Reader" out="events" to="Counter" in="in"/>\n')
        self.stats(self.trace, '--program', program, '--until', '2')
        whole = self.stats(self.trace, '--program', program)
        self.assertEqual(whole['events'], self.events)
        for to in ('#1000', '#77777'):
            self.assertEqual(self.hash_at(self.trace, to, '--program', program), self.hash_at(self.trace, to, '--no-film'))


if __name__ == '__main__':
    unittest.main(verbosity=2)
