# SPDX-License-Identifier: Apache-2.0
"""The program `query` (query.c) of these tests, which answers lines of questions about views."""
import os
import subprocess


class Asked:
    def __init__(self, query, trace, folder, text):
        """`text`: of the program that the trace goes through; `folder` gets it, and a film."""
        program = os.path.join(folder, 'program.eve')
        with open(program, 'w', encoding='utf-8') as f:
            f.write(text)
        os.makedirs(os.path.join(folder, 'film'), exist_ok=True)
        self.process = subprocess.Popen([query, trace, program, os.path.join(folder, 'film')], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line):
        self.process.stdin.write(line.encode() + b'\n')
        self.process.stdin.flush()
        length = self.process.stdout.readline()
        if not length:
            raise RuntimeError(f'no answer to {line}')
        return self.process.stdout.read(int(length)).decode()

    def parts(self, cut):
        """[(tasks, name)]; a name is empty where a task stands alone."""
        return [([int(t) for t in line.split('\t')[0].split(',')], line.split('\t')[1]) for line in self.ask('cut ' + cut).splitlines()]

    def names(self, view, most):
        """What is said of each thing in the last picture of a view."""
        return [line.split('\t')[9] for line in self.ask(f'items {view} {most}').splitlines() if line.count('\t') >= 9]

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise RuntimeError('the program that was asked ends badly')
