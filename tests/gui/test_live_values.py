# SPDX-License-Identifier: Apache-2.0
"""A watched program, received and shown while it runs: what comes is in the tables, a break point stops the view alone."""
import json
import os
import socket
import subprocess
import sys
import threading

from harness import ROOT, SCOPE, Case, main, session

sys.path.insert(0, os.path.join(ROOT, 'tests', 'formats'))
import ocamlviz as o                                                                              # noqa: E402

VIEWS = os.path.join(ROOT, 'schemas', 'values', 'views.eve')


class LiveValues(Case):
    def begin(self):
        listens = socket.socket()
        listens.bind(('127.0.0.1', 0))
        listens.listen(1)
        self.addCleanup(listens.close)
        accepted = threading.Thread(target=lambda: setattr(self, 'client', listens.accept()[0]))
        accepted.start()
        self.bundle = os.path.join(self.folder, 'watched.trace')
        self.recorder = subprocess.Popen([SCOPE, 'live', f'127.0.0.1:{listens.getsockname()[1]}', '-o', self.bundle],
                                         env=session().env, stderr=subprocess.DEVNULL)
        self.addCleanup(self.recorder.kill)
        accepted.join(20)
        self.client.sendall(o.made(1, 10) + o.declare(30, o.POINT, b'scope:break') + o.declare(31, o.POINT, b'ticks')
                            + o.send(30, o.integer(0)) + o.send(31, o.integer(1)) + o.send(2, o.real(5)))
        return self.start('--follow', self.bundle, VIEWS)

    def status(self):
        bar = self.w.find('status bar')
        return bar.name if bar else ''

    def test_follows_and_stops_at_a_break_point(self):
        self.w = w = self.begin()
        w.wait_for('push button', 'Follow', 30)
        w.wait(lambda: self.status().startswith('Following'), 'it goes along', 30)
        self.client.sendall(o.send(31, o.integer(2)) + o.send(30, o.integer(1)) + o.send(2, o.real(6)))
        w.wait(lambda: not self.status().startswith('Following'), 'the view stops', 30)
        w.wait(lambda: 'break point' in w.tree(), 'that is told')
        self.client.sendall(o.send(31, o.integer(77)) + o.send(2, o.real(7)))
        w.key('l')
        w.wait(lambda: self.status().startswith('Following'), 'it goes along again')
        if os.environ.get('SCOPE_GUI_OUT'):
            w.screenshot(os.path.join(os.environ['SCOPE_GUI_OUT'], 'live-values.png'))
        self.client.close()
        w.wait(lambda: not w.find('push button', 'Follow'), 'the program has ended')
        self.assertEqual(self.recorder.wait(20), 0)
        state = json.loads(subprocess.run([SCOPE, 'state', self.bundle, '--at', '1000', '--json'], check=True,
                                          stdout=subprocess.PIPE, env=session().env).stdout)
        self.assertEqual([n['Count'] for n in state['nodes'] if n['Name'] == 'ticks'], ['77'])


if __name__ == '__main__':
    main()
