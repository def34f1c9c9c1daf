# SPDX-License-Identifier: Apache-2.0
"""A trace that is still being written, in the window: it goes along, travels into what has passed, and follows again."""
import json
import os
import re
import subprocess
import sys
import threading
import time

from harness import ROOT, SCOPE, Case, main, session

sys.path.insert(0, os.path.join(ROOT, 'tests'))
from live_writer import Writer      # noqa: E402

VIEWS = os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve')
EVENT = re.compile(r'event ([\d\s\u202f,]+) of ([\d\s\u202f,]+)')


def number(text):
    return int(re.sub(r'\D', '', text))


class Live(Case):
    def begin(self, rounds=5, name='made'):
        self.writer = Writer(os.path.join(self.folder, name + '.trace'))
        self.addCleanup(lambda: self.writer.events.closed or self.writer.end())
        self.writer.enroll(262145, 262146)
        self.n = 0
        self.write(rounds)
        w = self.start('--follow', self.writer.bundle, VIEWS)
        self.w = w
        self.follow = w.wait_for('push button', 'Follow', 30)
        self.present = w.wait_for('push button', 'Present')
        return w

    def write(self, rounds):
        for _ in range(rounds):
            self.writer.round(self.n)
            self.n += 1

    def shown(self):
        """The present and the number of events so far, as the window tells them; None: it does not."""
        m = EVENT.search(self.status())
        return (number(m[1]), number(m[2])) if m else None

    def status(self):
        bar = self.w.find('status bar')
        return bar.name if bar else ''

    def events(self):
        return 2 + 4 * self.n

    def follows(self):
        return self.shown() and self.shown()[0] == self.events() and self.status().startswith('Following')

    def test_follows_travels_and_follows_again(self):
        w = self.begin()
        w.wait(self.follows, 'it goes along with what is there', 30)
        for _ in range(4):
            self.write(3)
            w.wait(self.follows, 'it goes along with what has come')
        w.screenshot(os.path.join(self.out(), 'live-following.png'))
        # time goes on with the newest instant where nothing happens
        self.writer.time(2000)
        w.wait(lambda: f'{self.writer.date / 1e9:.3f}'.rstrip('0') in self.status(), 'time goes on')
        # into the past: recording goes on
        w.key('Home')
        w.wait(lambda: self.shown() and self.shown()[0] == 0 and not self.status().startswith('Following'), 'it is at the beginning')
        self.write(4)
        w.wait(lambda: self.shown() == (0, self.events()), 'what comes is counted, and the present stays')
        for _ in range(6):
            w.key('period')
        w.wait(lambda: self.shown()[0] == 6, 'it steps in the past')
        sentence = w.find('label', re.compile('receives 100 bytes'))
        self.assertTrue(sentence or 'receives' in w.tree())
        w.screenshot(os.path.join(self.out(), 'live-past.png'))
        self.write(2)
        w.wait(lambda: self.shown() == (6, self.events()), 'the present stays where it was put')
        # and along again, by the key and by the button
        w.key('l')
        w.wait(self.follows, 'it follows again')
        w.key('space')
        w.wait(lambda: self.status().startswith('Paused'), 'it pauses')
        self.write(1)
        w.wait(lambda: self.shown() and self.shown() == (self.events() - 4, self.events()), 'it stays')
        self.follow.click()
        w.wait(self.follows, 'it follows after a press of the button')
        self.write(1)
        self.writer.end()
        w.wait(lambda: not w.find('push button', 'Follow'), 'the writer has ended')
        w.wait(lambda: self.shown() == (self.events(), self.events()), 'all is there')
        w.wait(lambda: w.find(None, re.compile('has been written to its end')), 'that is told')
        self.complete(w)

    def out(self):
        folder = os.environ.get('SCOPE_GUI_OUT', '/tmp')
        os.makedirs(folder, exist_ok=True)
        return folder

    def complete(self, w):
        """The film, as an ordinary one is: complete, and its overview to the end."""
        films = os.path.join(session().env['XDG_CACHE_HOME'], 'scope', 'films')
        def whole():
            for name in os.listdir(films):
                text = open(os.path.join(films, name, 'manifest')).read() if name.startswith('made') else ''
                if 'state=complete' in text and f'events={self.events()}\n' in text:
                    return True
            return False
        w.wait(whole, 'the film is complete', 30)

    def test_travels_while_it_grows(self):
        """Wherever one goes meanwhile, it is what the whole trace says of that event."""
        w = self.begin(rounds=3, name='walk')
        w.wait(self.follows, 'it follows', 30)
        stop = threading.Event()

        def grow():
            while not stop.is_set():
                self.write(1)
                time.sleep(0.05)
        thread = threading.Thread(target=grow)
        thread.start()
        try:
            seen = {}
            for event in (3, 7, 1, 12, 5, 10, 2):
                w.key('g')
                entry = w.wait_for('text', 'Go to')
                entry.type(f'#{event}')
                w.key('Return')
                w.wait(lambda: self.shown() and self.shown()[0] == event, f'it is at event {event}')
                seen[event] = self.status()
        finally:
            stop.set()
            thread.join()
        self.writer.end()
        lines = subprocess.run([SCOPE, 'events', '--json', self.writer.bundle], check=True, stdout=subprocess.PIPE, text=True,
                               env=session().env).stdout.splitlines()
        for event, status in seen.items():
            self.assertIn(f'{json.loads(lines[event - 1])["t"]:.3f}', status)

    def test_silence_and_a_killed_writer(self):
        w = self.begin(name='silent')
        w.wait(self.follows, 'it follows', 30)
        w.wait(lambda: re.search(r'no data for \d+\ss', self.status()), 'silence is told of')
        self.write(1)
        w.wait(lambda: self.follows() and 'no data' not in self.status(), 'it goes on')
        self.writer.put('60 12')
        self.writer.end(says=False)
        w.wait(lambda: w.find('toggle button', re.compile('2 notes')), 'the damage is told, and that the writer is gone')
        w.find('toggle button', re.compile('2 notes')).click()
        w.wait(lambda: any('is gone without having ended it' in (i.text or '') for i in w.find_all('text')),
               'it is told that the writer is gone')
        w.wait(lambda: self.shown() == (self.events(), self.events()), 'all that is whole is there')


if __name__ == '__main__':
    main()
