# SPDX-License-Identifier: Apache-2.0
"""What a start of `scope`, and of components, has to load: nothing that only pictures need (views/painter.h)."""
import re
import subprocess
import sys

PAINTS = re.compile(r'\tlib(cairo|pango|fontconfig|freetype|harfbuzz|X11|xcb|png|gio|gobject|gtk|gdk|curl)')
program, painter, *components = sys.argv[1:]
listed = subprocess.run(['ldd', program, painter, *components], check=True, stdout=subprocess.PIPE, text=True).stdout
loads, lines = {}, []
for line in listed.splitlines():
    if line.startswith('\t'):
        lines.append(line)
    else:
        loads[line.rstrip(':')] = lines = []

assert len(components) > 60 and all(any('libglib' in line for line in loads[f]) for f in (program, *components)), listed
assert any('libcairo' in line for line in loads[painter]), listed
wrong = [(f, line.strip()) for f in (program, *components) for line in loads[f] if PAINTS.match(line)]
for f, library in wrong:
    print(f'{f} loads {library}')
sys.exit(1 if wrong else 0)
