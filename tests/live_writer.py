# SPDX-License-Identifier: Apache-2.0
"""Writes a TAPE/PVM bundle record by record, as tape-pvm --live does."""
import fcntl
import os

MS = 1000000


class Writer:
    def __init__(self, bundle, version=2):
        name = os.path.basename(bundle)[:-len('.trace')]
        self.bundle, self.data = bundle, os.path.join(bundle, name + '.tapepvm')
        os.makedirs(self.data)
        self.events = open(os.path.join(self.data, 'events'), 'ab', buffering=0)
        self.live = open(os.path.join(self.data, 'live'), 'wb', buffering=0)
        fcntl.flock(self.live, fcntl.LOCK_EX)
        self.live.write(b'a test\n')
        self.put(f'#TAPE/PVM {version}\n')
        self.date = 0

    def put(self, text):
        self.events.write(text.encode())

    def enroll(self, *tasks):
        for task in tasks:
            self.put(f'1 {self.date} {task} 0 0 h LINUX64 1000 -1 prog\n')

    def round(self, i):
        """A receive that is told of when it begins, the send, and the end of the receive: four events in 15 ms."""
        begun = self.date
        self.put(f'62 {begun} 262146 -1 0 -1 -1 -1 -1 0 0\n')
        self.date += 10 * MS
        self.put(f'60 {self.date} 262145 2000 0 262146 1 {100 + i} 0\n')
        self.date += 5 * MS
        self.put(f'0 {self.date} 62 {begun} 262146 {self.date - begun} 0 -1 -1 262145 1 {100 + i} 1\n')

    def time(self, ms):
        """Time goes on, and nothing happens."""
        self.date += ms * MS
        self.put(f'0 {self.date}\n')

    def end(self, says=True):
        if says:
            self.live.write(b'ended\n')
        self.live.close()
        self.events.close()
