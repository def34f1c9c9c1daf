# SPDX-License-Identifier: Apache-2.0
"""What a person reads is in French, with a decimal comma; what programs read is the same in every language."""
import gettext
import json
import os
import random
import re
import struct
import sys
import unittest

from cli import COMMANDS, ROOT, SCOPE, Case

sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import picture          # noqa: E402

CATALOGUE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(SCOPE))), 'po', 'fr', 'LC_MESSAGES', 'scope.mo')
FRENCH = {'LANGUAGE': 'fr', 'LC_ALL': 'C.UTF-8'}
FFT = os.path.join(ROOT, 'traces', 'fft2d-s2.trace')
FARM = os.path.join(ROOT, 'traces', 'farm.trace')       # of the other programming model
ENGLISH = re.compile(r'\b(the|and|of|with|this|from|which|begins|receives|takes|has|sends|were|lived)\b')


def lasts(seconds):
    """Three digits that count, as sentences have them."""
    value, unit = seconds * 1e9, 0
    while unit < 3 and value >= 999.5:
        value, unit = value / 1000, unit + 1
    text = f'{value:.{0 if value >= 99.95 or unit == 0 else 1 if value >= 9.995 else 2}f}'
    text = text.rstrip('0').rstrip('.') if '.' in text else text
    return f'{text.replace(".", ",")} {["ns", "µs", "ms", "s"][unit]}'


@unittest.skipUnless(os.path.exists(CATALOGUE), 'msgfmt is not installed')
class French(Case):
    def test_for_programs_alike(self):
        for words in (['info', FFT, '--json'], ['components', '--json'], ['events', FARM, '--json'],
                      ['state', FFT, '--at', '0.02', '--json'], ['report', FFT, '-o', self.path('out')]):
            told = []
            for env in (None, FRENCH):
                told.append(self.good(*words, env=env).out)
                if words[0] == 'report':
                    with open(self.path('out', 'report.json'), encoding='utf-8') as f:
                        told[-1] = json.load(f)
                    del told[-1]['told']       # sentences for a person
            self.assertEqual(*told)

    def test_pictures_as_tables_alike(self):
        for view in ('Space-time', 'State graph'):
            tables = []
            for env in (None, FRENCH):
                self.good('draw', FFT, '--view', view, '--at', '0.02', '-o', self.path('table.csv'), '--quiet', env=env)
                with open(self.path('table.csv'), encoding='utf-8') as f:
                    tables.append(f.read())
                os.remove(self.path('table.csv'))
            self.assertEqual(*tables)

    def test_files_of_components_alike(self):
        """Tables that are written are data: names in them are the same in every language, so a program that reads them is too."""
        for program in ('overview', 'concurrency', 'call-tree'):
            told = []
            for n, env in enumerate((None, FRENCH)):
                self.good('run', FARM, '--program', program, '--out', self.path(f'{program}{n}'), env=env)
                told.append({})
                for name in os.listdir(self.path(f'{program}{n}')):
                    if name.endswith('.csv'):
                        with open(self.path(f'{program}{n}', name), encoding='utf-8') as f:
                            told[-1][name] = f.read()
            self.assertTrue(told[0])
            self.assertEqual(*told)

    def test_sentences(self):
        for trace in (FFT, FARM):
            said = self.good('events', trace, env=FRENCH).out.splitlines()
            events = self.good('events', trace, '--json').lines()
            self.assertEqual(len(said), len(events))
            self.assertEqual([line for line in said if ENGLISH.search(line)], [])
            timed = [i for i, e in enumerate(events) if e.get('duration') and re.search(r'\((?:.*, )?[\d,]+ [nµm]?s\)$', said[i])]
            for i in random.Random(len(said)).sample(timed, min(50, len(timed))):
                self.assertRegex(said[i], re.escape(lasts(events[i]['duration'])) + r'\)$')

    def test_a_locale_that_was_not_made(self):
        """Whichever variable names it, and however: its language is spoken; LANGUAGE goes before it; "C" is English."""
        said = self.good('info', FFT, env=FRENCH).out
        nothing = {'LANGUAGE': '', 'LC_ALL': '', 'LC_MESSAGES': '', 'LANG': ''}
        english = self.good('info', FFT, env=nothing | {'LC_ALL': 'C'}).out
        self.assertNotEqual(said, english)
        for env in ({'LC_ALL': 'fr_ZZ.UTF-8'}, {'LC_MESSAGES': 'fr_ZZ'}, {'LANG': 'fr_ZZ.ISO-8859-1'}, {'LANG': 'de_ZZ.UTF-8', 'LANGUAGE': 'fr'},
                    {'LC_ALL': 'fr_ZZ.UTF-8', 'LANG': 'de_ZZ.UTF-8'}, {'LANG': 'fr_FR.UTF-8'}):
            self.assertEqual(self.good('info', FFT, env=nothing | env).out, said, env)
        for env in ({'LC_ALL': 'de_ZZ.UTF-8'}, {'LANG': 'fr_ZZ.UTF-8', 'LANGUAGE': 'en'}, {'LC_ALL': 'C', 'LANGUAGE': 'fr'}, {'LC_ALL': 'C', 'LANG': 'fr_ZZ.UTF-8'}):
            self.assertEqual(self.good('info', FFT, env=nothing | env).out, english, env)

    def test_the_general_sentence(self):
        """Names of fields are what conditions call them; quotation marks, units, and what a format is called are French."""
        mpi, log = (os.path.join(ROOT, 'traces', name) for name in ('mpi-waits.otf2', 'commit.trace'))
        said = self.good('events', mpi, env=FRENCH).out
        self.assertRegex(said, r'reçoit de .*communicator « MPI_COMM_WORLD », tag \d+, bytes \d+\so\)')
        self.assertNotRegex(said, r'[“”]|\d B\b')
        self.assertRegex(self.good('info', log, env=FRENCH).out.splitlines()[0], 'Journal à horloges vectorielles$')

    def test_names_that_scope_gives(self):
        """Titles of programs, what components say, names and values of attributes, what is known of a heap."""
        self.assertRegex(self.good('info', FFT, env=FRENCH).out, r'default\.eve +État des tâches et des liens')
        state = self.good('state', FFT, '--at', '0.02', env=FRENCH).out
        for word in ('Tâches', 'Liens', 'État', 'Horloge', 'Inactif', 'Système'):
            self.assertIn(word, state)
        for english in ('Tasks', 'Links', 'State', 'Clock', 'Idle', 'Overhead', 'node'):
            self.assertNotRegex(state, rf'\b{english}\b')
        one = self.good('components', 'scope.filter', env=FRENCH).out
        self.assertRegex(one, r'Filtre \(Analyse\)\nLaisse passer')
        self.assertEqual([line for line in one.split('`')[0].splitlines() if re.search(r'\b(the|with|this|which|waits|empty)\b', line)], [])
        heap = self.good('heap', 'show', os.path.join(ROOT, 'traces', 'shop.trace'), env=FRENCH).out
        self.assertRegex(heap, r'vivant +[\d\s]+ mots \([\d\s]+,\d\sKo\)')
        self.assertRegex(heap, 'Shop.item list, :: +déduit')
        self.assertNotRegex(heap, r'\d\.\d\s%|Classes:|inferred')

    def test_names_that_a_trace_gives(self):
        """Names of regions and variables that happen to be words of the catalogue stay what they are; the model's own do not."""
        with open(CATALOGUE, 'rb') as f:
            known = gettext.GNUTranslations(f)
        names = ['step', 'row', 'Idle', 'Clock']
        for name in names + ['No state', 'Depth']:
            self.assertNotEqual(known.gettext(name), name)
        events = [{'ph': 'X', 'name': name, 'ts': 1000 * i, 'dur': 900, 'pid': 1, 'tid': 1} for i, name in enumerate(names)]
        events += [{'ph': 'C', 'name': 'rows', 'ts': 10, 'pid': 1, 'tid': 1, 'args': {'rows': 3}}]
        with open(self.path('words.json'), 'w') as f:
            json.dump({'traceEvents': events}, f)
        for i, name in enumerate(names):
            state = self.good('state', self.path('words.json'), '--at', f'{i / 1000 + 0.0005:g}', env=FRENCH).out
            self.assertIn(name, state.split())
            self.assertNotIn(known.gettext(name), state.replace(known.gettext('Clock'), '', 1).split())
            self.assertIn('rows', state.split())
        told = self.good('report', self.path('words.json'), '-o', self.path('out'), env=FRENCH).out
        for name in names:
            self.assertRegex(told, rf'(?m)^  {name} +\d')
        self.assertNotRegex(told, r'(?m)^  (pas|Inactif|Horloge) +\d')

    def test_picture_of_the_report(self):
        """What tasks did over time: states and dates are those of the language, in the file and beside it."""
        self.good('report', FFT, '-o', self.path('out'), env=FRENCH)
        with open(self.path('out', 'timeline.svg'), encoding='utf-8') as f:
            texts = re.findall('<text[^>]*>([^<]*)</text>', f.read())
        self.assertTrue({'Actif', 'Inactif', 'Système', 'Communicant'} <= set(texts), texts)
        self.assertTrue([t for t in texts if re.fullmatch(r'\d+,\d+', t)] and not [t for t in texts if re.fullmatch(r'\d+\.\d+', t)], texts)

    def test_states_of_a_matrix(self):
        """The columns of shares of time are named by the words that the language has for states, and so is what counts some of several."""
        heads = []
        for env in (None, FRENCH):
            self.good('draw', os.path.join(ROOT, 'traces', 'farm.trace'), '--program', 'load-balance', '--view', 'Balance', '--size', '720x420',
                      '-o', self.path('picture.png'), '--quiet', env=env)
            heads.append(picture.pixels(self.path('picture.png'))[37:52])       # below the title, above the cells
        self.assertTrue(heads[0] != heads[1])
        with open(CATALOGUE, 'rb') as f:
            known = gettext.GNUTranslations(f)._catalog
        for text in ('%s%s%s of %s tasks hidden', '%u of %u tasks; ', '%s of %s rows'):
            self.assertEqual([bool(re.search('(tâche|ligne)s ', known[text, k])) for k in (0, 1)], [False, True], text)

    def test_numbers_of_options(self):
        for scale in ('0.5', '0,5'):
            self.good('draw', FFT, '--view', 'Space-time', '--size', '400x300', '--scale', scale, '-o', self.path('picture.png'), '--quiet')
            with open(self.path('picture.png'), 'rb') as f:
                self.assertEqual(struct.unpack('>II', f.read(24)[16:]), (200, 150))
            os.remove(self.path('picture.png'))
        self.bad(2, '“half” is no number', 'draw', FFT, '--view', 'Space-time', '--scale', 'half', '-o', self.path('picture.png'))

    def test_report(self):
        text = self.good('report', FFT, '-o', self.path('out'), env=FRENCH).out
        self.assertIn('Ce qui ressort', text)
        self.assertRegex(text, r'\d,\d %')
        self.assertNotRegex(text, r'\d\.\d+ (%|ms|µs)')

    def test_names_of_a_file_stay(self):
        """Types, states and values that a file calls as Scope calls something else keep their names; what Scope calls itself is French."""
        path = self.path('named.paje')
        with open(os.path.join(ROOT, 'tests', 'formats', 'nested.paje'), encoding='utf-8') as f:
            head = f.read().split('0 M 0')[0]
        lines = ['0 L 0 Lock', '0 G L Group', '1 S G State']
        lines += [f'2 S_{name} S {name} "0.7 0.8 0.5"' for name in ('Open', 'Waits', 'Node', 'Idle')]
        lines += ['3 0 lock L 0 lock', '3 0 one G lock one', '3 0 two G lock two']
        for i, name in enumerate(('Open', 'Waits', 'Node', 'Idle', 'Open')):
            lines += [f'5 {i} S one S_{name}', f'5 {i + 0.5} S two S_{name}']
        lines += ['4 6 G one', '4 6 G two', '4 6 L lock']
        with open(path, 'w', encoding='utf-8') as f:
            f.write(head + '\n'.join(lines) + '\n')
        names, words = ('Open', 'Waits', 'Node'), ('Ouvrir', 'Attentes', 'Nœud', 'Groupe', 'Verrou')
        info = self.good('info', path, env=FRENCH).out
        self.assertIn('(Group\u202f: 2)', info.replace(' :', '\u202f:').replace('\u00a0:', '\u202f:'))
        report = self.good('report', path, '-o', self.path('named'), env=FRENCH).out
        state = self.good('state', path, '--at', '2.2', env=FRENCH).out
        for name in names:
            self.assertIn(name, report)
        self.assertIn('“Group”', report.replace('«\u00a0', '“').replace('\u00a0»', '”').replace('« ', '“').replace(' »', '”'))
        for text in (info, report, state):
            for word in words:
                self.assertNotRegex(text, rf'\b{word}\b')
        self.assertIn('Fil', self.good('info', os.path.join(ROOT, 'traces', 'bank.trace'), env=FRENCH).out)      # which Scope calls so

    def test_helps(self):
        with open(CATALOGUE, 'rb') as f:
            known = gettext.GNUTranslations(f)._catalog
        self.assertIn('Commandes', self.good('--help', env=FRENCH).out)
        for command in COMMANDS:
            text = self.good(command, '--help', env=FRENCH).out
            for english, french in known.items():
                if isinstance(english, str) and len(english) > 25 and english != french:
                    self.assertNotIn(english, text, command)

    def test_mistakes(self):
        self.bad(2, 'il n’y a ni cette commande ni cette trace', 'nosuch', env=FRENCH)
        self.bad(2, 'n’est pas un temps', 'state', FFT, '--at', 'soon', env=FRENCH)

    def test_typed_in_both_forms(self):
        for env in (None, FRENCH):
            point, comma = (self.good('state', FFT, '--at', at, '--json', env=env).out for at in ('0.02', '0,02'))
            self.assertEqual(point, comma)


if __name__ == '__main__':
    unittest.main()
