# SPDX-License-Identifier: Apache-2.0
"""Components from elsewhere that are bad: they cost the process that shoots the film, not the window, which says so and
plays into them only when it is told to."""
import os
import re
import shutil
import subprocess

from harness import SAMPLES, SCOPE, main, session
from test_bad import Bad

PLUGIN = os.environ.get('FAULT_PLUGIN', '')
PROGRAM = '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1">
  <component name="Session" class="scope.session" version="1"/>
  <component name="Reader" class="scope.tapepvm-reader" version="1" x="0" y="0"/>
  <component name="Bad one" class="test.fault" version="1" x="200" y="0"><setting name="level">2</setting></component>
  <wire from="Session" out="commands" to="Reader" in="commands"/>
  <wire from="Reader" out="events" to="Bad one" in="in"/>
</eve>'''


class Trust(Bad):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path('plugins'))
        self.plugin = self.path('plugins', 'fault.so')
        shutil.copy(PLUGIN, self.plugin)
        with open(self.plugin, 'ab') as f:              # bytes of its own: nothing is known of it
            f.write(self.id().encode())
        self.program = self.write('bad.eve', PROGRAM)

    def environment(self, fault=''):
        return {'SCOPE_PLUGIN_PATH': self.path('plugins'), 'SCOPE_PATIENCE': '4', 'FAULT': fault}

    def known_as_good(self):
        subprocess.run([SCOPE, 'components'], env=dict(session().env, **self.environment()), check=True,
                       stdout=subprocess.DEVNULL)

    def event(self, w):
        return int(re.search(r'event ([\d\s,]+) of', w.find('push button', 'Present').description)[1].replace('\u202f', '').replace(',', ''))

    def refuses(self, w):
        """Neither playing nor travelling goes into it; the window lives."""
        for key in ('space', 'End'):
            w.key(key)
            w.wait_for('push button', 'Play Anyway')
            w.settle()
            self.assertEqual(self.event(w), 0)
        self.add(w, 'probe')                            # all else can be done
        w.key('ctrl+z')

    def test_crash_and_exit(self):
        for deed, did in (('reach', 'reached for memory'), ('exit', 'called exit'), ('_exit', 'ended the process'),
                          ('deaf', 'does not come back')):
            with self.subTest(deed):
                with open(self.plugin, 'ab') as f:
                    f.write(b'+')
                w = self.opened(SAMPLES + '/ring.trace', self.program, env=self.environment(f'fire:{deed}:300'))
                w.key('End')                            # at once: it waits for the film, and then for an answer
                w.wait(lambda: re.search(f'Bad one .*{did}', self.said(w)), f'{deed}: it is told', 40)
                w.wait_for('push button', 'Play Anyway')
                self.assertEqual(self.event(w), 0)
                self.refuses(w)
                w.kill()
                # known again, with another trace and without a film
                again = self.opened(SAMPLES + '/fft2d-s2.trace', self.program,
                                    env=self.environment(f'fire:{deed}:300'))
                again.wait(lambda: re.search(f'Bad one .*{did}', self.said(again)), f'{deed}: it is known again')
                self.refuses(again)
                again.kill()

    def test_play_anyway(self):
        w = self.opened(SAMPLES + '/ring.trace', self.program, env=self.environment('fire:reach:300'))
        w.wait_for('push button', 'Play Anyway', 40)
        w.kill()
        w = self.opened(SAMPLES + '/ring.trace', self.program, env=self.environment())      # it was bad, and is not now
        w.wait_for('push button', 'Play Anyway')
        w.key('End')
        w.settle()
        self.assertEqual(self.event(w), 0)
        w.find('push button', 'Play Anyway').click()
        w.wait(lambda: self.event(w) == 996, 'what was held back is done', 30)
        self.assertFalse(w.find('push button', 'Play Anyway'))
        w.key('Home')
        w.wait(lambda: self.event(w) == 0, 'it is not asked again')

    def test_good(self):
        """One from elsewhere that is good: nothing is asked."""
        w = self.opened(SAMPLES + '/ring.trace', self.program, env=self.environment())
        self.travels(w, 996)
        self.assertFalse(w.find('push button', 'Play Anyway'))

    def test_drawn(self):
        """A view that is bad when it is drawn ends the process that shoots the film; the window draws it no more."""
        view = self.write('view.eve', PROGRAM.replace('"test.fault"', '"test.fault-view"').replace('Bad one', 'Bad view'))
        for deed, did in (('reach', 'reached for memory'), ('exit', 'called exit')):
            w = self.opened(SAMPLES + '/ring.trace', view, env=self.environment(f'draw:{deed}'))
            w.wait(lambda: re.search(f'Bad view .*{did}.*when it was drawn', self.said(w)), f'{deed}: it is told', 40)
            w.settle()
            self.refuses(w)
            w.kill()
            with open(self.plugin, 'ab') as f:
                f.write(b'+')

    def test_not_loaded(self):
        w = self.opened(SAMPLES + '/ring.trace', env=self.environment('constructor:exit'))
        w.wait(lambda: re.search('fault.so is not loaded: when it was tried, .* called exit', self.said(w)), 'it is told')
        self.travels(w, 996)

    def test_not_opened(self):
        """It was good when it was tried, and ends the process when this program makes it."""
        self.known_as_good()
        w = self.start(env=self.environment('changed:exit'))
        self.refused(w, 'The program is not opened: .*Bad one .* called exit .*changed', SAMPLES + '/ring.trace', self.program)
        self.lives(w)

    def test_not_tried(self):
        """What was edited is tried in a process of its own; where that cannot be, it is not opened untried."""
        good = self.environment()
        w = self.opened(SAMPLES + '/ring.trace', self.program, env=good)
        self.add(w, 'probe')
        w.process.terminate()                           # what was edited is kept
        w.ended()
        w = self.start(env=good)
        w.wait_for('push button', 'Recover')
        cache = os.path.join(session().env['XDG_CACHE_HOME'], 'scope')
        os.rename(cache, cache + '.aside')
        with open(cache, 'w'):                          # nothing can be written there
            pass
        try:
            w.find('push button', 'Recover').click()
            w.wait(lambda: re.search('The program is not opened: .*cannot be tried first.*no folder can be made in .*scope: ',
                                     self.said(w)), 'it is told', 30)
            self.assertFalse(w.find('push button', 'Play'))
        finally:
            os.unlink(cache)
            os.rename(cache + '.aside', cache)


if __name__ == '__main__':
    main()
