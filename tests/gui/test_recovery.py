# SPDX-License-Identifier: Apache-2.0
"""What is edited outlives a crash: the window is killed as a power cut would, and started again."""
import os
import re

from harness import SAMPLES, main, session
from test_shell import PROGRAM, Shell


def kept():
    """The files of edits that are not saved."""
    folder = os.path.join(session().env['XDG_STATE_HOME'], 'scope', 'recovery')
    return [n for n in os.listdir(folder) if '.' not in n] if os.path.isdir(folder) else []


class Recovery(Shell):
    def crashed(self, what='probe'):
        w = self.opened(SAMPLES + '/ring.trace')
        self.add(w, what)
        w.wait(kept, 'the edit is on the disk', 10)     # at most so many seconds of editing are lost
        w.kill()

    def test_recover(self):
        self.crashed()
        w = self.start()
        title = w.wait_for('label', re.compile('^Views of an execution of ring.trace, '))
        self.assertTrue(title)
        w.find('push button', 'Recover').click()
        w.wait_for(None, re.compile('^Probe'))
        w.wait(lambda: self.modified(w), 'it is still to be saved')
        w.key('ctrl+q')
        w.wait_for('push button', 'Close without Saving').click()
        w.ended()
        self.assertEqual(kept(), [])
        again = self.start()
        again.wait_for('push button', 'Open a trace…')
        self.assertIsNone(again.find('push button', 'Recover'))

    def test_asked_to_end(self):
        """As when the desktop ends: at once and well, nobody is asked, and what was just edited is there the next time."""
        w = self.opened(SAMPLES + '/ring.trace')
        self.add(w, 'probe')
        w.process.terminate()
        w.ended()
        self.assertEqual(len(kept()), 1)
        w = self.start()
        w.wait_for('push button', 'Recover').click()
        w.wait_for(None, re.compile('^Probe'))
        w.process.terminate()
        w.ended()

    def test_killed_twice(self):
        self.crashed()
        w = self.start()
        w.wait_for('push button', 'Recover').click()
        w.wait_for(None, re.compile('^Probe'))
        w.kill()
        w = self.start()
        w.wait_for('push button', 'Recover').click()
        w.wait_for(None, re.compile('^Probe'))

    def test_later_and_discard(self):
        self.crashed()
        w = self.start(SAMPLES + '/farm.trace')
        w.wait_for('push button', 'Later').click()
        w.wait_for('toggle button', PROGRAM)
        self.assertEqual(len(kept()), 1)
        w.key('ctrl+q')
        w.ended()
        w = self.start()
        w.wait_for('push button', 'Discard').click()
        w.wait(lambda: not kept(), 'nothing is kept')

    def test_nothing_is_kept_of_what_was_saved(self):
        w = self.opened(SAMPLES + '/ring.trace')
        self.add(w, 'probe')
        w.wait(kept, 'the edit is on the disk', 10)
        w.key('ctrl+shift+s')
        w.wait_for('file chooser')
        w.key('ctrl+a')
        w.type(self.path('mine.eve'))
        w.key('Return')
        w.wait(lambda: not kept(), 'what is saved need not be kept')
        w.kill()
        again = self.start()
        again.wait_for('push button', 'Open a trace…')
        self.assertIsNone(again.find('push button', 'Recover'))

    def test_the_bundle_has_gone(self):
        trace = self.copy('ring.trace')
        w = self.opened(trace)
        self.add(w, 'probe')
        w.wait(kept, 'the edit is on the disk', 10)
        w.kill()
        os.rename(trace, self.path('elsewhere.trace'))
        w = self.start()
        w.wait_for('push button', 'Recover').click()
        w.wait(lambda: w.find('info bar'), 'it is said')
        self.assertEqual(len(kept()), 1)        # still there for another time


if __name__ == '__main__':
    main()
