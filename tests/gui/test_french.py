# SPDX-License-Identifier: Apache-2.0
"""The window in French: no text of its catalogue is seen in English."""
import gettext
import os
import re

from harness import ROOT, SAMPLES, SCOPE, Case, main, skip

CATALOGUE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(SCOPE))), 'po', 'fr', 'LC_MESSAGES', 'scope.mo')
POINT = re.compile(r'\d\.\d+[\s\u2009\u202f\u00a0]?(%|s|ms|µs|ko|Mo)?($|\s)')        # a decimal point
ENGLISH = re.compile(r'\b(the|and|of|with|this|from|which|all|are|is)\b')


class French(Case):
    def english(self, w, frame, given=()):
        """Texts of `frame` that are English ones of the catalogue, or look so.  What a trace says, the names of boxes and ports and the
        sentences of events, is as they have it, as are those of `given`: names in the trace that Scope happens to know as words."""
        with open(CATALOGUE, 'rb') as f:
            known = gettext.GNUTranslations(f)._catalog
        french, found = set(known.values()), set()

        def look(item):
            for text in (item.name, item.description):
                if text and text not in french and text not in given and (known.get(text, text) != text or ENGLISH.search(text) or POINT.search(text)):
                    found.add(text)
            if item.role not in ('canvas', 'drawing area', 'entry', 'text'):
                for child in item.children:
                    look(child)
        look(frame)
        return found

    def test_no_english(self):
        w = self.start(SAMPLES + '/fft2d-s16.trace', env={'LANGUAGE': 'fr'})
        w.wait_for('toggle button', re.compile('^Programme.: Vues d’une exécution'), 30)
        w.wait_for('drawing area', 'Image de Espace-temps')
        w.wait_gone('label', re.compile('^Tournage'), 60)
        w.settle()
        self.assertEqual(self.english(w, w.frame), set())
        w.find('slider', 'Temps').click(fx=0.6, fy=0.35)
        w.wait_for(None, re.compile('événement .* sur 3716'))
        # what is selected, and the story of a range: names of attributes, numbers
        w.find('drawing area', 'Image de Espace-temps').find('list item', re.compile('^t40003')).click(fx=0.5)
        w.wait_for('label', 'Protagonistes')
        picture = w.find('drawing area', 'Image de Espace-temps')
        side = w.find('scroll pane', 'Inspecteur, légende et marques').box[2]
        (x0, y), (x1, _) = picture.at(0.3, 0.4), picture.at(0.6, 0.4)
        w.drag(x0, y, x1, y)
        w.wait_for('push button', 'De plus près')
        w.settle()
        self.assertEqual(self.english(w, w.frame), set())
        self.assertEqual(w.find('scroll pane', 'Inspecteur, légende et marques').box[2], side)      # nothing moves under the pointer
        w.key('ctrl+comma')
        w.wait_for('label', 'Aspect')
        for frame in w.frames:
            self.assertEqual(self.english(w, frame), set())

    def test_displays(self):
        """The dialog that adds one: names, what they tell, and why some are not for this trace; what is found by either name; and the
        view that comes, with the titles and axes that are settings of its program."""
        w = self.start(SAMPLES + '/fft2d-s4.trace', env={'LANGUAGE': '', 'LC_ALL': 'fr_ZZ.UTF-8'})        # a locale that the machine has not made
        w.wait_for('toggle button', re.compile('^Programme.: '), 60)
        w.wait_gone('label', re.compile('^Tournage'), 60)
        w.key('ctrl+alt+v')
        field = w.wait_for('text', 'Nom d’un affichage, ou ce qu’il montre')
        w.wait(lambda: len(w.find(None, 'Affichages').children) > 40, 'the displays are there')
        dialog = w.wait(lambda: next((f for f in w.frames if f.name == 'Ajouter une vue'), None), 'the dialog')
        self.assertEqual(self.english(w, dialog), set())
        w.wait(lambda: field.state('focused'), 'it is written into')
        w.type('bubbles')           # as others call it
        w.wait(lambda: w.find(None, 'Bulles') and not w.find(None, 'Gantt'), 'it is found by its English name')
        w.key('Return')
        picture = w.wait_for('drawing area', 'Image de Bulles', 30)
        w.wait_for('slider', 'Temps').click(fx=0.6, fy=0.35)
        w.wait(lambda: [i for i in picture.children if 'part récente du temps au travail' in i.name], 'axes are told in French', 30)

    def test_programs(self):
        """Titles and labels that programs on offer set; the panel of a component, with what its rows mean."""
        for program, given in (('activity/overhead-panel.eve', ()), ('messages/in-flight.eve', ()), ('messages/waits.eve', ('rows', 'columns'))):
            w = self.start(SAMPLES + '/fft2d-s4.trace', os.path.join(ROOT, 'schemas', program), env={'LANGUAGE': 'fr'})
            w.wait_for('toggle button', re.compile('^Programme.: '), 60)
            w.wait_gone('label', re.compile('^Tournage'), 60)
            w.wait_for('slider', 'Temps').click(fx=0.6, fy=0.35)
            w.wait_for(None, re.compile('événement .* sur 5156'), 30)
            w.settle()
            self.assertEqual(self.english(w, w.frame, given), set(), program)       # `given` are phases of this trace
            w.kill()
            w.log.close()

    def test_inspector_of_the_graph(self):
        """Where names are long they give way: each value is seen, inside of the side.  A view has one name wherever it stands."""
        w = self.start(SAMPLES + '/heat2d.trace', env={'LANGUAGE': 'fr'}, size=(1600, 1000))
        w.wait_for('drawing area', 'Image de Espace-temps', 60)
        w.wait_for('push button', 'Menu de la vue Espace-temps')
        w.key('shift+p')
        w.wait(lambda: [i for i in w.find_all('label', re.compile('^Horloge de'))], 'its values stand there')
        w.settle()
        x, _, width, _ = w.find('scroll pane', 'Inspecteur, légende et marques').box
        values = w.find_all('label', re.compile('^(Horloge|Tâches|Messages envoyés) de '))
        self.assertGreaterEqual(len(values), 3)
        for v in values:
            self.assertGreaterEqual(v.box[0], x, v.name)
            self.assertLessEqual(v.box[0] + v.box[2], x + width, v.name)

    def test_a_sentence_has_room(self):
        """Where a view has nothing to draw yet, in a small window, what to do is read whole: in several lines."""
        w = self.start(SAMPLES + '/fft2d-s16.trace', env={'LANGUAGE': 'fr'}, size=(900, 600))
        picture = w.wait_for('drawing area', 'Image de Graphe d’états', 30)
        w.settle()
        x, y, width, height = picture.box
        self.assertLess(width, 300)
        _, _, line, data = w.pixels()
        rows = [data[at * line + (x + 4) * 4:at * line + (x + width - 4) * 4] for at in range(y + 4, y + height - 4)]
        inked = [len({bytes(row[i:i + 4]) for i in range(0, len(row), 4)}) > 1 for row in rows]
        lines = sum(now and not before for before, now in zip([False, *inked], inked))
        self.assertGreaterEqual(lines, 3, 'lines of the sentence')

    def test_a_note_covers_no_view(self):
        """In a small window the answer, with its button, stands in the side: beside the views."""
        w = self.start(SAMPLES + '/mpi-waits.otf2', env={'LANGUAGE': 'fr'}, size=(900, 600))
        w.wait_for('toggle button', re.compile('^Programme'), 30)
        w.key('ctrl+k')
        w.type('pourquoi')
        w.settle()
        w.key('Return')         # all that can be asked, the first of it first
        w.wait_for(None, re.compile('^Pourquoi est-ce si long'))
        w.settle()
        w.key('Return')
        w.wait_for('push button', 'Aller à la plus longue attente', 60)
        w.settle()
        card, side = w.find('info bar', re.compile('^Pourquoi')).box, w.find('scroll pane', 'Inspecteur, légende et marques').box
        self.assertGreaterEqual(card[0], side[0], 'the note stands in the side')
        self.assertLessEqual(card[0] + card[2], side[0] + side[2])

    def test_tables(self):
        """Heads of tables and names of waits are French, those of the trace as they are; a head sorts in this language too."""
        w = self.start(SAMPLES + '/mpi-waits.otf2', os.path.join(ROOT, 'schemas', 'messages', 'waits.eve'), env={'LANGUAGE': 'fr'})
        rows = re.compile('^sorte Attente à la barrière, tâche rank .*, région MPI_Barrier, attendu .*ms')
        first = lambda: [i.name for i in w.find('drawing area', 'Image de Sortes d’attente').children if i.name.startswith('sorte ')][0]
        w.wait(lambda: rows.search(first()), 'the longest waits come first', 60)
        w.wait(lambda: w.find('drawing area', 'Image de Sortes d’attente').find(None, 'colonne région'), 'a head').click(times=2)
        w.wait(lambda: 'région MPI_Ssend' in first() or 'région MPI_Wait' in first(), 'it sorts by region, the last first')


if __name__ == '__main__':
    if not os.path.exists(CATALOGUE):
        skip('the catalogues were not built: msgfmt is not installed')
    main()
