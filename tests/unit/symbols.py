# SPDX-License-Identifier: Apache-2.0
"""No two libraries of the project give the same name to others: the loader would take one of them for both."""
import subprocess
import sys

givers = {}
for library in sys.argv[1:]:
    listed = subprocess.run(['nm', '-D', '--defined-only', library], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in listed.splitlines():
        kind, name = line.split()[-2:]
        if kind in 'TDBRV' and not name.startswith('_'):
            givers.setdefault(name, []).append(library)
assert len(givers) > 100
twice = {name: libraries for name, libraries in givers.items() if len(libraries) > 1}
for name, libraries in sorted(twice.items()):
    print(f'{name} is given by {" and by ".join(libraries)}')
sys.exit(1 if twice else 0)
