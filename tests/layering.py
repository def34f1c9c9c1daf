#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom (docs/map.md), and what every source file must be: signed with its licence, short, free of
the paths of one machine; and that layers for any model know no word of one."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAX_LINES = 850
COMMENT = {'.c': '/* ', '.h': '/* ', '.def': '/* ', '.py': '# ', '.sh': '# ', '.build': '# ', '.mk': '# '}

# folder -> headers of the project that its files may include, as regular expressions.  First folder that fits.
EVE, HOST = r'eve/(eve|bytes|disk|language|memory|visible|nearest|number|remember|words)\.h', r'eve/(eve-host|reload)\.h'
EVENT, READER, STATE = r'readers/[^/]+\.h', r'readers/[^/]+\.h', r'simulators/[^/]+\.h'
VIEW = r'views/[^/]+\.h'
STATS = r'statistics/[^/]+\.h'
BELOW = [EVE, HOST, READER, STATE, STATS, VIEW, r'config\.h']


def floor(*folders):
    return [rf'src/{folder}/[^/]+\.h' for folder in folders]


MAY = [
    ('eve/', [r'eve/[^/]+\.h']),
    ('readers/sddf/live.c', [EVE, HOST, READER, r'readers/(sddf|tapepvm)/.*']),  # it writes what that format reads
    ('readers/', [EVE, HOST, READER, r'readers/{sub}/.*']),
    ('simulators/', [EVE, HOST, EVENT, STATE, r'simulators/{sub}/.*']),
    ('statistics/', [EVE, HOST, READER, STATE, STATS]),
    ('components/', [EVE, READER, STATE, STATS, r'components/[^/]+\.h', r'components/{sub}/.*']),
    ('views/panel', [EVE, HOST, READER, STATE, STATS, VIEW]),       # it shows other components
    ('views/graph-layouts', [EVE, HOST, VIEW]),                  # asks which plug-ins there are
    ('views/', [EVE, READER, STATE, STATS, VIEW, r'views/{sub}/.*']),
    ('src/conformance/', [EVE, HOST, r'readers/box-inspector\.h', r'views/(drawing|painter|graph-layout)\.h']),
    # the floors of the program, from the lowest; what stands on one floor does not know its neighbours
    ('src/session/', BELOW),
    ('src/document/', BELOW + floor('session')),
    ('src/editor/', BELOW + floor('session', 'document')),
    ('src/panes/', BELOW + floor('session', 'document')),
    ('src/time/', BELOW + floor('session', 'document')),
    ('src/window/', BELOW + floor('session', 'document', 'editor', 'panes', 'time')),
    ('src/cli/', BELOW + floor('session', 'conformance')),
    ('src/', BELOW + floor('session', 'conformance', 'cli')),
    ('traces/', [r'traces/.*', r'eve/(language|number|words)\.h']),
    ('tests/', [r'.*']),
]
# Libraries that only some files may see.
ONLY = [
    (r'(gtk|gdk|adwaita|libadwaita)/.*|gtk.*\.h|epoxy/.*|cairo.*\.h', r'(src|views|tests/(gui|views))/'),
    (r'libxml/.*', r'eve/file(-write)?\.c|src/session/.*|src/marks[^/]*|tests/'),
    (r'graphviz/.*|cgraph\.h|gvc\.h', r'simulators/mirror\.[ch]|views/layout[^/]*|tests/'),
    (r'pvm3\.h', r'(traces|tests)/'),
    (r'mpi\.h', r'(traces|tests)/'),
]
# Files are opened in eve/disk.c, which refuses what a stranger may have put there (docs/security.md).  Here they are made,
# under a name that the person or the program itself has chosen.
OPENS = re.compile(r'(?<![\w>.])(fopen|g_fopen|open|openat|creat|truncate|freopen|g_open|g_creat|g_file_get_contents|g_file_load_contents|'
                   r'g_mapped_file_new|g_key_file_load_from_file|gdk_pixbuf_new_from_file\w*|xmlReadFile|xmlParseFile) \(')
MAY_OPEN = {'eve/disk.c', 'readers/tapepvm/import.c', 'readers/tapepvm/synth.c', 'readers/tape/synth.c', 'src/cli/bundle.c',
            'src/cli/marks.c', 'src/session/places.c',         # these two lock a folder
            'readers/ocamlviz/live.c', 'src/cli/live.c',      # pipes: one that the person names, one for orders
            'src/cli/heap-run.c', 'eve/memory.h'}                            # these read what the kernel says of a process
PRODUCT = ('eve/', 'readers/', 'simulators/', 'statistics/', 'components/', 'views/', 'src/')
# Layers that serve any model ask for roles and senses (simulators/state.h), never for a name that one model has given.
GENERIC = ('eve/', 'views/', 'src/', 'statistics/', 'components/')
OF_A_MODEL = re.compile(r'"(Busy|Idle|Talking|Unused|TotalTraffic|PendingTraffic|NRecv|PVM|OUF)"')
# What a history keeps was recorded by each view once, and things had names that say nothing.
GONE = re.compile(r'\b(eve_taker|eve_taken|StateTaker|deed_item|Tower|DriveEar|struct Told|owed?_\w+)\b')
COMMENTS = re.compile(r'/\*.*?\*/', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
HOME = re.compile(r'(?<![\w.])/(home|root|Users|work)/[\w.-]+')


def files():
    """What git knows, or is about to: the checkout may hold builds."""
    try:
        listed = subprocess.run(['git', '-C', ROOT, 'ls-files', '--cached', '--others', '--exclude-standard', '-z'],
                                capture_output=True, check=True).stdout.decode().split('\0')
        return sorted(f for f in listed if f and os.path.isfile(os.path.join(ROOT, f)))
    except (OSError, subprocess.CalledProcessError):        # a released archive
        return sorted(os.path.relpath(os.path.join(folder, f), ROOT) for folder, _, names in os.walk(ROOT) for f in names)


def ours(header, name):
    """The path of an included header inside the project, or None."""
    for base in ('', os.path.dirname(name), 'src'):
        path = os.path.normpath(os.path.join(base, header))
        if os.path.isfile(os.path.join(ROOT, path)):
            return path
    return None


def check_includes(name, text, say):
    allowed = next((may for folder, may in MAY if name.startswith(folder)), None)
    part = name.split('/')[1] if name.count('/') > 1 else ''
    for match in INCLUDE.finditer(text):
        kind, header = match.groups()
        line = text.count('\n', 0, match.start()) + 1
        path = ours(header, name) if kind == '"' else None
        if path:
            same_folder = os.path.dirname(path) == os.path.dirname(name) and not name.startswith('components/')
            if allowed is not None and not same_folder and not any(
                    re.fullmatch(p.replace('{sub}', re.escape(part)), path) for p in allowed):
                say(name, line, f'must not include {path}: that is upward or sideways')
            continue
        for library, where in ONLY:
            if re.fullmatch(library, header) and not re.match(where, name):
                say(name, line, f'must not include {header}: only {where} may see it')


def main():
    problems = []

    def say(name, line, what):
        problems.append(f'{name}:{line}: {what}')

    for name in files():
        suffix = os.path.splitext(name)[1]
        if suffix not in COMMENT and suffix not in ('.md', '.eve', '.rng', '.am', '.1'):
            continue
        with open(os.path.join(ROOT, name), encoding='utf-8', errors='replace') as f:
            text = f.read()
        for match in HOME.finditer(text):
            if name != 'tests/layering.py':
                say(name, text.count('\n', 0, match.start()) + 1, f'names a folder of one machine: {match.group()}')
        if suffix not in COMMENT or name.startswith('tests/fuzz/corpus/') or re.match(r'traces/([^/]+\.otf2|eztrace)/', name):
            continue
        first = text.split('\n', 3)[:2]
        if not any('SPDX-License-Identifier: Apache-2.0' in line for line in first):
            say(name, 1, 'has no line "SPDX-License-Identifier: Apache-2.0" at its head')
        if text.count('\n') > MAX_LINES:
            say(name, MAX_LINES, f'has {text.count(chr(10))} lines, more than {MAX_LINES}')
        if suffix in ('.c', '.h'):
            check_includes(name, text, say)
            code = COMMENTS.sub(lambda m: re.sub(r'[^\n]', ' ', m[0]), text)
            if name.startswith(GENERIC) and '/templates/' not in name:
                for match in OF_A_MODEL.finditer(code):
                    say(name, text.count('\n', 0, match.start()) + 1, f'knows a word of one model, {match[0]}: ask for a role (simulators/state.h)')
            if name.startswith(PRODUCT):
                for match in GONE.finditer(code):
                    say(name, text.count('\n', 0, match.start()) + 1, f'{match[0]}: is gone')
            if name.startswith(PRODUCT) and '/test-' not in name and name not in MAY_OPEN:
                for match in OPENS.finditer(text.replace('open ("/dev/null"', '')):
                    say(name, text.count('\n', 0, match.start()) + 1, f'opens a file by {match[1]}(): use eve/disk.h')
        if suffix == '.build' and not name.startswith('tests/'):
            for match in re.finditer(r'\btests/', text):
                say(name, text.count('\n', 0, match.start()) + 1, 'must not build from tests/: the product needs nothing of it')
    print('\n'.join(problems) or 'layering: nothing to say')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
