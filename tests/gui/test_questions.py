# SPDX-License-Identifier: Apache-2.0
"""What do you want to know?  A question gives a program, and a sentence of what was found: its numbers beside those of a
second computation from the raw files (tests/model)."""
import re

from harness import SAMPLES, Case, main
from test_range import PROGRAM, raw, story


class Questions(Case):
    def ask(self, w, question):
        w.key('ctrl+alt+q')
        row = w.wait_for('list item', question)
        row.click()
        if w.find('list item', question):       # a first click chooses, Enter opens
            w.key('Return')

    def said(self, w, question):
        return w.wait(lambda: next((i.name for i in w.find_all('label') if i.name.startswith(question + ' ') and len(i.name) > len(question) + 5), None),
                      'what was found is said', 60)

    def test_questions_are_answered(self):
        trace = raw.read(SAMPLES + '/fft2d-s16.trace')
        time, got = story(trace, trace.first, trace.last)
        got_last = story(trace, trace.first, trace.last + 1)[1]     # what comes at the very end may count or not
        waits = sorted(((time[n]['Idle'], t.nickname) for n, t in trace.tasks.items()), reverse=True)
        lives = {t.nickname: sum(v for s, v in time[n].items() if s != 'Dead') for n, t in trace.tasks.items()}
        w = self.start(self.copy('fft2d-s16.trace'))
        w.wait_for('toggle button', PROGRAM)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        self.ask(w, 'Who waits, and how long?')
        w.wait_for('toggle button', re.compile('^Program: '))
        said = self.said(w, 'Who waits, and how long?')
        share = round(100 * sum(t for t, _ in waits) / sum(lives.values()))
        found = re.search(r'Tasks wait (\d+) % of their life\. (.+) waits longest, ([\d.]+)\s(ms|s) \((\d+) %\); (.+) least', said)
        self.assertIsNotNone(found, said)
        self.assertAlmostEqual(int(found[1]), share, delta=1)
        self.assertEqual((found[2], found[6]), (waits[0][1], waits[-1][1]))
        seconds = float(found[3]) * (1e-3 if found[4] == 'ms' else 1)
        self.assertAlmostEqual(seconds, waits[0][0] / trace.ticks, delta=0.006 * seconds)
        self.ask(w, 'Who talks to whom, and how much?')
        w.wait_for('toggle button', 'Program: Traffic')
        said = self.said(w, 'Who talks to whom, and how much?')
        n = int(re.sub(r'\D', '', re.search(r'much\? ([\d\s\u202f]+) messages were received', said)[1]))
        self.assertIn(n, {sum(g[0] for g in many.values()) for many in (got, got_last)})
        self.assertRegex(said, r'Most went from fft \d to fft \d: ')

    def test_it_can_be_left(self):
        w = self.start(self.copy('ring.trace'))
        w.wait_for('toggle button', PROGRAM)
        w.key('ctrl+alt+q')
        w.wait_for('list item', 'Where does the time go?')
        w.key('Escape')
        w.wait_gone('list item', 'Where does the time go?')


if __name__ == '__main__':
    main()
