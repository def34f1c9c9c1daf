# SPDX-License-Identifier: Apache-2.0
"""Components that come while the window is open: dropped, asked for, tried, used by ghosts and new boxes, built again."""
import os
import re
import shutil
import subprocess
import sys
import unittest

from harness import ROOT, main, session
from test_editor import Editor

SOURCE = r'''
#include "eve/eve.h"
typedef struct Times { EveBase base; double factor; } Times;
static const EveInSpec ins[] = { { "in", &eve_type_double, .required = true, .doc = "Numbers." } };
static const EveOutSpec outs[] = { { "out", &eve_type_double, .doc = "Products." } };
static const EveField settings[] = { { "factor", EVE_F_DOUBLE, offsetof (Times, factor), .def = 2, .doc = "By which." } };
static void fire (EveComponent *c)
{
  double y = *(const double *) eve_take (eve_base (c)->in[0]) * ((Times *) c)->factor;
  eve_emit (eve_base (c)->out[0], &y);
  eve_status (c, "VERSION");
}
static const EveClass times = { EVE_CLASS_HEAD, .id = "test.times", .label = "LABEL", .category = "Math", .doc = "Multiplies.",
  .version = 1, .ins = ins, .n_ins = 1, .outs = outs, .n_outs = 1, .settings = settings, .n_settings = 1,
  .instance_size = sizeof (Times), .fire = fire };
EVE_PLUGIN (&times);
'''
PROGRAM = '''<eve version="1"><title>Dropped</title>
  <component name="Session" class="scope.session" version="1" x="40" y="40"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1" x="264" y="40"/>
  <component name="Waiting" class="scope.waiting-times" version="1" x="40" y="200"/>
  <component name="Times" class="test.times" version="1" x="264" y="200"><setting name="factor">3</setting></component>
  <component name="Sink" class="scope.text-sink" version="1" x="488" y="200"/>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Reader" out="events" to="Waiting" in="events"/>
  <wire from="Waiting" out="value" to="Times" in="in"/>
  <wire from="Times" out="out" to="Sink" in="in"/>
</eve>'''


@unittest.skipUnless(shutil.which('cc'), 'there is no compiler')
class Objects(Editor):
    def built(self, label='Times', version='first', source=SOURCE, name='times'):
        """As a build does: written elsewhere, and put in place."""
        c, so = self.path('times.c'), self.path(name + '.so')
        with open(c, 'w') as f:
            f.write(source.replace('LABEL', label).replace('VERSION', version))
        subprocess.run(['cc', '-shared', '-fPIC', '-I', ROOT, '-o', so + '.new', c], check=True)
        os.rename(so + '.new', so)
        return so

    def drop(self, w, seen, *files):
        source = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'drag_source.py'),
                                   '1480', '300', *files], env=session().env, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(source.stdout.readline(), 'ready\n')
            w.settle()
            w.drag(1520, 340, 700, 300, steps=30)
            found = w.wait(seen, f'{files} were dropped')
            w.settle()          # the dialog has its place
            return found
        finally:
            source.terminate()
            source.wait()
            source.stdout.close()

    def test_dropped_used_and_built_again(self):
        w = self.opened(PROGRAM)
        w.wait(lambda: self.box(w, 'Times'), 'a ghost stands there', 30).click()
        w.wait(lambda: w.find('label', re.compile('^A ghost')), 'it is told')
        use = self.drop(w, lambda: w.find('push button', 'Use them'), self.built())
        use.click()
        w.wait(lambda: not w.find('label', re.compile('^A ghost')), 'it is one no more', 30)
        self.box(w, 'Times').click()
        w.wait(lambda: (w.find('text', 'factor') or w).text == '3' if w.find('text', 'factor') else False, 'its setting was kept', 30)
        w.find(None, 'Play').click()
        w.wait(lambda: w.find('label', 'first'), 'it works', 30)
        self.built(version='second')
        w.wait(lambda: not w.find('label', 'first'), 'it is built again, and taken', 30)
        w.wait(lambda: (w.find('text', 'factor').text if w.find('text', 'factor') else '') == '3', 'its setting was kept again', 30)
        w.find('push button', 'Stop').click() if w.find('push button', 'Stop') else w.key('Home')
        w.find(None, 'Play').click()
        w.wait(lambda: w.find('label', 'second'), 'the new one works', 30)

    def test_bundle_of_several(self):
        """A folder of objects, one of them with two classes: asked about once, all in the library."""
        os.mkdir(self.path('bundle'))
        two = SOURCE.replace('EVE_PLUGIN (&times);', """static const EveClass again = { EVE_CLASS_HEAD, .id = "test.again", .label = "Again",
          .category = "Math", .doc = "Multiplies too.", .version = 1, .ins = ins, .n_ins = 1, .outs = outs, .n_outs = 1, .settings = settings,
          .n_settings = 1, .instance_size = sizeof (Times), .fire = fire };
        EVE_PLUGIN (&times, &again);""")
        self.built(source=two, name='bundle/two')
        self.built(source=SOURCE.replace('test.times', 'test.other'), label='Another', name='bundle/one')
        w = self.opened(PROGRAM)
        w.wait(lambda: self.box(w, 'Times'), 'a ghost stands there', 30).click()
        use = self.drop(w, lambda: w.find('push button', 'Use them'), self.path('bundle'))
        w.wait(lambda: w.find('label', re.compile('of these 2 objects')), 'both are asked about at once')
        use.click()
        w.wait(lambda: not w.find('label', re.compile('^A ghost')), 'the box takes its class', 30)
        for name in ('Again', 'Another'):
            self.in_library(w, name).click(times=2)
            self.there(w, name)

    def test_refused(self):
        w = self.opened(PROGRAM)
        w.wait(lambda: self.box(w, 'Times'), 'a ghost stands there', 30)
        self.drop(w, lambda: w.find('push button', 'Do not use them'), self.built()).click()
        w.wait_gone('push button', 'Use them')
        self.box(w, 'Times').click()
        w.wait(lambda: w.find('label', re.compile('^A ghost')), 'it is one still')
        crashes = self.built(source=SOURCE.replace('static const EveClass times', '__attribute__ ((constructor)) static void die (void) '
                                                   '{ __builtin_trap (); }\nstatic const EveClass times'))
        self.drop(w, lambda: w.find('push button', 'Use them'), crashes).click()
        w.wait(lambda: next((i for i in w.find_all('label') if 'times.so' in i.name and 'when it was tried' in i.name), None),
               'it was tried, and did not live', 60)
        w.wait(lambda: w.find('label', re.compile('^A ghost')), 'the window goes on')


if __name__ == '__main__':
    main()
