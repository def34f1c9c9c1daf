# SPDX-License-Identifier: Apache-2.0
"""scope events, run, info on a trace that somebody is still writing."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

from cli import ROOT, SCOPE, Case, scope

sys.path.insert(0, os.path.join(ROOT, 'tests'))
from live_writer import MS, Writer      # noqa: E402

def follow(*words):
    return subprocess.Popen([SCOPE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, DISPLAY='', WAYLAND_DISPLAY=''))


class Lines:
    """What a process prints, as it comes."""

    def __init__(self, process):
        self.lines, self.process = [], process
        self.thread = threading.Thread(target=lambda: self.lines.extend(iter(process.stdout.readline, '')), daemon=True)
        self.thread.start()

    def wait(self, n, seconds=30):
        until = time.monotonic() + seconds
        while len(self.lines) < n and time.monotonic() < until:
            time.sleep(0.02)
        return self.lines

    def finish(self):
        status = self.process.wait(30)
        self.thread.join(30)
        with self.process.stdout, self.process.stderr:
            return status, self.process.stderr.read()


class Events(Case):
    def test_as_they_come(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        got = Lines(follow('events', '--follow', '--json', w.bundle))
        self.assertEqual(len(got.wait(2)), 2)
        for i in range(5):
            w.round(i)
            self.assertEqual(len(got.wait(2 + 4 * (i + 1))), 2 + 4 * (i + 1))      # the end of the send too, at once
        w.put('60 ')                                                               # not whole: nothing comes of it yet
        time.sleep(0.3)
        self.assertEqual(len(got.lines), 22)
        self.assertIsNone(got.process.poll())
        w.put(f'{w.date} 262145 7 0 262146 2 5 0\n')
        self.assertEqual(len(got.wait(23)), 23)
        w.end()
        self.assertEqual(got.finish(), (0, ''))
        self.assertEqual(''.join(got.lines), self.good('events', '--json', w.bundle).out)
        self.assertEqual(len(got.lines), 24)

    def test_writer_is_killed(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        w.round(0)
        got = Lines(follow('events', '--follow', w.bundle))
        got.wait(6)
        w.put('60 123')
        w.end(says=False)
        status, said = got.finish()
        self.assertEqual((status, len(got.lines)), (0, 6))
        self.assertIn('the program that wrote made.trace is gone without having ended it; what it wrote is all read: 4 records', said)
        self.assertIn('1 damaged record was left out', said)
        info = self.good('info', '--json', w.bundle).json()
        self.assertEqual((info['writer'], info['events'], info['damaged']), ('gone', 6, 1))

    def test_control_c(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        got = Lines(follow('events', '--follow', w.bundle))
        got.wait(2)
        got.process.send_signal(signal.SIGINT)
        self.assertEqual(got.finish(), (130, ''))
        self.assertEqual(len(got.lines), 2)
        w.end()

    def test_backward_and_ended(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        w.round(0)
        got = Lines(follow('events', '--follow', w.bundle))
        got.wait(6)
        w.put(f'60 {w.date - 12 * MS} 262145 7 0 262146 2 5 0\n60 {w.date} 262145 7 0 262146 2 5 0\n')
        w.end()
        status, said = got.finish()
        self.assertEqual((status, len(got.lines)), (0, 8))
        self.assertRegex(said, r'1 damaged record was left out')

    def test_until(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        got = Lines(follow('events', '--follow', '--to', '0.012', w.bundle))
        for i in range(3):
            w.round(i)
        self.assertEqual(got.finish(), (0, ''))
        self.assertEqual(''.join(got.lines), self.good('events', '--to', '0.012', w.bundle).out)
        w.end()

    def test_without_following(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        w.round(0)
        self.assertEqual(len(self.good('events', w.bundle).out.splitlines()), 6)
        self.assertIn('still being written', self.good('info', w.bundle).out)
        w.end()
        self.assertEqual(self.good('info', '--json', w.bundle).json()['writer'], 'ended')
        self.assertNotIn('written', self.good('info', w.bundle).out)


class Storm(Case):
    def without(self, w, back):
        """What was written, but for the records that went back in time, as a bundle of its own."""
        clean = self.path('clean', os.path.basename(w.bundle))
        data = os.path.join(clean, os.path.basename(w.data))
        os.makedirs(data)
        with open(os.path.join(w.data, 'events')) as f, open(os.path.join(data, 'events'), 'w') as to:
            to.writelines(line for line in f if line not in back)
        return clean

    def test_at_random(self):
        """Pieces of records, dates that go back, floods, and kill -9 of who follows at any moment: what was written is read, once, by who
        comes next too; the writer ends, or is gone in the midst of a record. What goes back is told, and is in its place afterwards."""
        rand = random.Random(int(os.environ.get('SCOPE_SEED', '1')))
        for turn in range(3):
            w, rounds, pieces, settled, back = Writer(self.path(f'storm{turn}.trace')), 0, 0, 0, set()
            w.enroll(262145, 262146)
            followers = [follow('events', '--follow', '--json', w.bundle), follow('run', '--follow', '--stats', w.bundle)]
            listed = Lines(followers[0])
            for _ in range(40):
                what = rand.randrange(6)
                for _ in range((1, 300, 5)[what] if what < 3 else 0):
                    w.round(rounds)
                    rounds += 1
                    settled = 2 + 4 * rounds + 2 * pieces
                if what == 3:               # a record in pieces
                    pieces += 1
                    text = f'60 {w.date} 262145 7 0 262146 2 5 0\n'
                    cut = sorted(rand.sample(range(1, len(text)), 2))
                    for begin, end in zip([0, *cut], [*cut, len(text)]):
                        w.put(text[begin:end])
                        time.sleep(0.02 * rand.random())
                elif what == 4 and w.date > 20 * MS:
                    listed.wait(settled, 60)        # what is later was read
                    line = f'60 {w.date - rand.randrange(6, 20) * MS} 262145 7 0 262146 3 {10**6 + len(back)} 0\n'
                    back.add(line)
                    w.put(line)
                elif what == 5:             # of either side: who follows is killed, another comes
                    followers[1].kill()
                    followers[1].communicate()
                    followers[1] = follow('run', '--follow', '--stats', w.bundle)
            says = rand.random() < 0.5
            if not says:
                w.put(f'60 {w.date} 2621')
            w.end(says)
            clean = self.without(w, back)
            status, said = listed.finish()
            self.assertEqual(status, 0, said)
            self.assertEqual(''.join(listed.lines), scope('events', '--json', clean).out)
            n = len(back) + (not says)
            self.assertRegex(said, f'{n} damaged records? w(as|ere) left out' if n else '^$')
            out, said = followers[1].communicate(timeout=120)
            self.assertEqual(followers[1].returncode, 0, said)
            stats, left_out = json.loads(out), int((re.search(r'(\d+) damaged', said) or '00')[1]) - (not says)
            self.assertLessEqual(left_out, len(back))       # those that went back before it came have been put in their place
            self.assertEqual(stats['events_read'] + 2 * left_out, len(listed.lines) + 2 * len(back), (turn, said))
            if left_out in (0, len(back)):
                after = json.loads(scope('run', '--stats', clean if left_out else w.bundle).out)
                for what in ('events_read', 'state_updates', 'impossible', 'result_hash'):
                    self.assertEqual(stats[what], after[what], (turn, what))
            info = self.good('info', '--json', w.bundle).json()
            self.assertEqual((info['writer'], info['events'], info['damaged']),
                             ('ended' if says else 'gone', len(listed.lines) + 2 * len(back), int(not says)), turn)


class Report(Case):
    def test_calls_without_an_end(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        for i in range(3):
            w.round(i)
        w.put(f'52 {w.date} 262145 -1 0 group 2 0\n')
        w.time(5)
        w.end()
        self.good('report', w.bundle, '-o', self.path('out'))
        with open(self.path('out', 'report.txt')) as f:
            text = f.read()
        self.assertRegex(text, r'unfinished +1 call never ended')
        self.assertRegex(text, r'Barrier +1 ')
        self.assertRegex(text, r'Recv +3 ')


class Run(Case):
    def test_to_the_end(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        process = follow('run', '--follow', '--stats', w.bundle, '--out', self.path('out'))
        for i in range(10):
            w.round(i)
            time.sleep(0.05)
        self.assertIsNone(process.poll())
        w.end()
        out, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, said), (0, ''))
        stats, after = json.loads(out), self.good('run', '--stats', w.bundle).json()
        self.assertEqual((stats['events_read'], stats['impossible']), (42, 0))
        for what in ('events_read', 'state_updates', 'result_hash'):
            self.assertEqual(stats[what], after[what])
        at = self.good('state', '--at', '1', '--json', w.bundle).json()
        link = at['links'][0] if 'links' in at else at['edges'][0]
        self.assertIn(str(sum(range(100, 110))), json.dumps(link))

    def test_control_c_tells_what_was_seen(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        w.round(0)
        process = follow('run', '--follow', '--stats', w.bundle)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(out)['events_read'], 6)
        w.end()

    def test_until(self):
        w = Writer(self.path('made.trace'))
        w.enroll(262145, 262146)
        process = follow('run', '--follow', '--stats', '--until', '0.02', w.bundle)
        for i in range(3):
            w.round(i)
        out, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, said), (0, ''))
        self.assertEqual(json.loads(out)['result_hash'],
                         self.good('run', '--stats', '--until', '0.02', w.bundle).json()['result_hash'])
        w.end()


if __name__ == '__main__':
    unittest.main()
