# SPDX-License-Identifier: Apache-2.0
"""A watched program that a test plays itself: it is received by `scope live`, and shown by the window that follows."""
import os
import socket
import subprocess
import sys
import threading

from harness import ROOT, SCOPE, Case, session

sys.path.insert(0, os.path.join(ROOT, 'tests', 'formats'))
import ocamlviz as o                                                                              # noqa: E402

VIEWS = os.path.join(ROOT, 'schemas', 'values', 'views.eve')
BEGIN = (o.made(1, 10) + o.declare(30, o.POINT, b'scope:break') + o.declare(31, o.POINT, b'ticks') + o.send(30, o.integer(0))
         + o.send(31, o.integer(1)) + o.send(2, o.real(5)))


class Watched(Case):
    def begin(self, *options, listens_to_orders=False, data=BEGIN):
        self.listens = listens = socket.socket()
        listens.bind(('127.0.0.1', 0))
        listens.listen(1)
        self.addCleanup(listens.close)
        accepted = threading.Thread(target=lambda: setattr(self, 'client', listens.accept()[0]), daemon=True)
        accepted.start()
        self.bundle = os.path.join(self.folder, 'watched.trace')
        self.recorder = subprocess.Popen([SCOPE, 'live', f'127.0.0.1:{listens.getsockname()[1]}', '-o', self.bundle, *options],
                                         env=session().env, stderr=subprocess.DEVNULL)
        self.addCleanup(self.recorder.kill)
        accepted.join(20)
        self.client.sendall((o.declare(4, o.SPECIAL, b'scope/1') if listens_to_orders else b'') + data)
        return self.start('--follow', self.bundle, VIEWS)

    def status(self):
        bar = self.w.find('status bar')
        return bar.name if bar else ''

    def follows(self):
        self.w.wait(lambda: self.status().startswith('Following'), 'it goes along', 30)

    def heard(self, n):
        """The next n bytes that the program is told."""
        data = b''
        self.client.settimeout(20)
        while len(data) < n:
            data += self.client.recv(n - len(data))
        return data
