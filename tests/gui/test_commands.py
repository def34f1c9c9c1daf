# SPDX-License-Identifier: Apache-2.0
"""Commands that components register: listed with those of the window, done, and asked about where they are privileged."""
import os
import re
import shutil
import subprocess
import unittest

from harness import ROOT, SAMPLES, Case, main
from test_editor import Editor

SOURCE = r"""
#include <string.h>
#include "eve/eve.h"
#include "readers/box-commands.h"
typedef struct Acts { EveBase base; double n; } Acts;
static const EveOutSpec outs[] = { { "out", &eve_type_double, .doc = "Nothing." } };
static const EveField settings[] = { { "n", EVE_F_DOUBLE, offsetof (Acts, n), .def = 0, .doc = "How often." } };
static bool at (EveComponent *c, uint32_t i, BoxCommand *k)
{
  *k = i == 0 ? (BoxCommand){ "ping", "Ping the sonde", false } : (BoxCommand){ "purge", "Purge the sonde", true };
  return i < 2;
}
static const char *obey (EveComponent *c, const char *name, void (*set) (void *, const char *, const char *), void *arg)
{
  set (arg, "n", strcmp (name, "ping") == 0 ? "1" : "7");
  return strcmp (name, "ping") == 0 ? "message Pinged" : NULL;
}
static const void *query (EveComponent *c, const char *name)
{
  static const BoxCommands commands = { at, obey };
  return strcmp (name, BOX_COMMANDS) == 0 ? &commands : NULL;
}
static const EveClass acts = { EVE_CLASS_HEAD, .id = "test.acts", .label = "Acts", .category = "Control", .doc = "Has commands.", .version = 1,
  .outs = outs, .n_outs = 1, .settings = settings, .n_settings = 1, .instance_size = sizeof (Acts), .query = query };
EVE_PLUGIN (&acts);
"""
PROGRAM = """<eve version="1"><title>Acts</title>
  <component name="Session" class="scope.session" version="1" x="40" y="40"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1" x="264" y="40"/>
  <component name="Sonde" class="test.acts" version="1" x="40" y="200"/>
  <component name="Later" class="scope.button" version="1" x="264" y="200"><setting name="order">step 40</setting><setting name="label">Go where it begins</setting></component>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
</eve>"""


@unittest.skipUnless(shutil.which('cc'), 'there is no compiler')
class Commands(Editor):
    def command(self, w, words, row):
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type(words)
        w.wait(lambda: (w.find('list box', 'Found') or w).children and re.match(row, w.find('list box', 'Found').children[0].name), f'{row} is found')
        w.key('Return')
        w.wait_gone('text', 'Find')

    def n(self, w):
        field = w.find('text', 'n')
        return field.text if field else None

    def test_registered(self):
        with open(self.path('acts.c'), 'w') as f:
            f.write(SOURCE)
        subprocess.run(['cc', '-shared', '-fPIC', '-I', ROOT, '-o', self.path('acts.so'), self.path('acts.c')], check=True)
        w = self.opened(PROGRAM, env={'SCOPE_PLUGIN_PATH': self.folder})
        w.wait(lambda: self.box(w, 'Sonde'), 'its box is there', 30).click()
        self.command(w, 'ping the', 'Ping the sonde, command of Sonde')
        w.wait(lambda: self.n(w) == '1' and w.find('label', 'Sonde: Pinged'), 'it is done, and its order obeyed', 30)
        w.key('F4', 'ctrl+z')
        w.wait(lambda: self.n(w) == '0', 'it can be undone')
        self.command(w, 'purge', 'Purge the sonde, command of Sonde, which asks')
        w.wait_for('push button', 'Do not do it').click()
        w.wait_gone('push button', 'Do not do it')
        w.wait(lambda: self.n(w) == '0', 'it was not done')
        self.command(w, 'purge', 'Purge the sonde')
        w.wait_for('push button', 'Do it').click()
        w.wait(lambda: self.n(w) == '7', 'it is done')
        # A Button is a command by its label.
        self.command(w, 'go where it', 'Go where it begins, command of Later')
        w.wait(lambda: re.search('event 40 of', w.find('push button', 'Present').description), 'its order leads there', 30)


class Idle(Case):
    def test_what_cannot_be_done_now(self):
        """It comes last, and says why while the others stay."""
        w = self.start(os.path.join(SAMPLES, 'ring.trace'))
        w.wait(lambda: w.find('drawing area', 'Picture of Space-time') and w.find('drawing area', 'Picture of Space-time').children, 'it is drawn', 30)
        w.wait_for('drawing area', 'Picture of Space-time').click(fx=0.02, fy=0.95)
        w.key('ctrl+k')
        w.wait(lambda: w.find('text', 'Find').state('focused'), 'the field has the keys')
        w.type('critical path')
        rows = lambda: [i.name for i in w.find('list box', 'Found').children]
        w.wait(lambda: len(rows()) > 1 and rows()[-1].startswith('Critical path (nothing is wired to waits)')
               and not any(name.startswith('Critical path (') for name in rows()[:-1]), 'it is the last one')
        w.wait(lambda: w.find('list box', 'Found').children[-1].action(), 'it is chosen')
        w.wait(lambda: w.find('label', re.compile(r'^This cannot be done now: Critical path \(nothing is wired to waits\)')) and len(rows()) > 1,
               'it says why, and the others are there')
        w.wait(lambda: w.find('text', 'Find').state('focused'), 'the field has the keys')
        w.key('Escape')
        w.wait_gone('text', 'Find')


if __name__ == '__main__':
    main()
