# SPDX-License-Identifier: Apache-2.0
"""What the window tells in plain words, and what is chosen from lists rather than typed."""
import os
import re
import shutil

from harness import SAMPLES, Case, main

PROGRAM = re.compile('^Program: ')


class Plain(Case):
    def opened(self, *words, **more):
        w = self.start(*words, **more)
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        return w

    def test_a_raw_file_is_chosen(self):
        """The dialog begins where there are files; one that a tracer wrote is opened as it is."""
        raw = self.path('first-run.txt')
        shutil.copy(SAMPLES + '/ring.trace/ring.tapepvm/events', raw)
        w = self.start()
        w.key('ctrl+o')
        w.wait_for('file chooser')
        folder = os.path.basename(os.path.dirname(w.log_path))      # the window was started there
        w.wait(lambda: w.find('toggle button', folder), 'it begins in a folder, not in an empty list')
        w.type('/')
        w.wait_for('text', None)
        w.key('ctrl+a')
        w.type(raw)
        w.key('Return')
        w.wait(lambda: w.find('toggle button', PROGRAM) or w.find('push button', 'Open'), 'it was chosen')
        if w.find('file chooser'):
            w.key('Return')
        w.wait_for('toggle button', PROGRAM)
        w.wait(lambda: w.find('label', re.compile('^PVM · 5 tasks')), 'it has its five tasks', 30)

    def test_tasks_are_chosen_from_a_list(self):
        w = self.opened(self.copy('fft2d-s16.trace'))
        w.key('F4')
        w.wait(lambda: w.find('canvas', 'Program').find('panel', 'Trace text'), 'the box').click()
        field = w.wait_for('text', 'tasks')
        w.wait(lambda: w.find('toggle button', 'Choose from the tasks'), 'a list').click()
        w.wait_for('check box', re.compile('^t40003')).click()
        w.wait(lambda: field.text == 't40003', 'the field says so')
        w.wait_for('check box', re.compile('^t40005')).click()
        w.wait(lambda: field.text == 't40003, t40005', 'both')
        w.wait_for('check box', re.compile('^t40003')).click()
        w.wait(lambda: field.text == 't40005', 'the other alone')
        w.key('Escape')
        w.wait_gone('check box', re.compile('^t40005'))
        w.key('ctrl+z', 'ctrl+z', 'ctrl+z')
        w.wait(lambda: w.find('text', 'tasks').text == '', 'each tick is undone')

    def test_a_wire_speaks_of_tasks_and_states(self):
        w = self.opened(self.copy('fft2d-s16.trace'))
        w.find('slider', 'Time').click(fx=0.5, fy=0.4)
        w.wait_gone('label', 'Before the first event', 30)
        wire = w.wait(lambda: w.find('canvas', 'Program').find('arrow', re.compile('^Simulator.states')), 'the wire')
        words = re.compile('^fft [0-3]: (Busy|Idle|Talking|Overhead|Dead) → (Busy|Idle|Talking|Overhead|Dead)$')
        wire.action()
        w.wait(lambda: words.search(w.find('label', words).name), 'the last change in words')


if __name__ == '__main__':
    main()
