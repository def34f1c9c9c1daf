#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Colours that a trace declares for its states: each format's, in pictures on both papers; what a person or a rule says goes before, and
palettes without them have none; an export keeps them."""
import os
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, main                                                                    # noqa: E402
import test_records                                                                                 # noqa: E402

# Each stands out against both papers as it is: red, green, blue of 255.
NAMES = {'alpha': ('mediumorchid', 0xba55d3), 'beta': ('chocolate', 0xd2691e), 'gamma': ('steelblue', 0x4682b4)}
PAPER = {'light': 0xffffff, 'dark': 0x1e1f22}


def parts(rgb):
    return rgb >> 16, rgb >> 8 & 255, rgb & 255


def contrast(a, b):
    """WCAG 2.1."""
    def luminance(rgb):
        linear = [c / 255 / 12.92 if c / 255 <= .04045 else ((c / 255 + .055) / 1.055) ** 2.4 for c in parts(rgb)]
        return sum(w * c for w, c in zip((.2126, .7152, .0722), linear)) + .05
    x, y = luminance(a), luminance(b)
    return max(x, y) / min(x, y)


def slog2(states):
    def string(s):
        return struct.pack('>h', len(s)) + s.encode()
    categories = struct.pack('>i', len(states)) + b''.join(
        struct.pack('>i', i) + string(name) + struct.pack('>iI?b', 1, 0xff000000 | rgb, True, 1) + struct.pack('>hhhffq', 0, 0, 0, 0, 0, 0) for i, (name, rgb) in enumerate(states))
    body = struct.pack('>i', 0) + struct.pack('>i', len(states)) + b''.join(
        b'\0' + struct.pack('>ihh', i, 0, 2) + struct.pack('>didi', i, 0, i + 1, 0) for i in range(len(states)))
    lines = struct.pack('>i', 1) + string('Process View') + struct.pack('>i', 1) + string('world_rank') + struct.pack('>iiih', 1, 0, 0, 0)
    node = struct.pack('>ddhiqi', 0, len(states), 0, 0, 108, 34 + len(body)) + body
    tree = struct.pack('>i', 1) + struct.pack('>hiddqi', 0, 0, 0, len(states), 108, len(node))
    at, pointers = 108 + len(node), b''
    for part in (categories, b'', lines, None, tree, b'', b''):
        size = len(node) if part is None else len(part)
        pointers += struct.pack('>qi', 108 if part is None else at if part else 0, size)
        at += 0 if part is None else size
    return string('SLOG 2.0.6') + struct.pack('>hihi', 2, 65536, 1, 65536) + pointers + node + categories + lines + tree


class Colours(Format):
    def traces(self, names=None):
        """One of each format: name -> path."""
        names, padded = names or NAMES, test_records.padded
        head = ''.join(f'%EventDef {kind} {i}\n' + ''.join(f'% {f}\n' for f in fields.split(',')) + '%EndEventDef\n' for i, (kind, fields) in enumerate((
            ('PajeDefineContainerType', 'Alias string,Type string,Name string'), ('PajeDefineStateType', 'Alias string,Type string,Name string'),
            ('PajeDefineEntityValue', 'Alias string,Type string,Name string,Color color'),
            ('PajeCreateContainer', 'Time date,Alias string,Type string,Container string,Name string'), ('PajeSetState', 'Time date,Type string,Container string,Value string'),
            ('PajeDestroyContainer', 'Time date,Type string,Name string'))))
        out = {'paje': head + '0 P 0 Proc\n1 S P State\n' + ''.join(f'2 {n} S {n} "{" ".join(f"{c / 255:.6f}" for c in parts(rgb))}"\n' for n, (_, rgb) in names.items())
               + '3 0 p P 0 one\n' + ''.join(f'4 {i} S p {n}\n' for i, n in enumerate(names)) + '5 3 P p\n',
               'alog': '-1 0 0 0 0 0 Me\n-3 0 0 1 0 0\n' + ''.join(f'-13 0 {2 * i} {2 * i + 1} 0 0 {x11}:gray3 {n}\n' for i, (n, (x11, _)) in enumerate(names.items()))
               + ''.join(f'{2 * i} 0 0 0 0 {i}000000\n{2 * i + 1} 0 0 0 0 {i + 1}000000\n' for i in range(len(names))),
               'prv': '#Paraver (01/02/2024 at 10:11):3000000_us:0:1:1(1:1)\n' + ''.join(f'1:1:1:1:1:{i}000000:{i + 1}000000:{i + 30}\n' for i in range(len(names))),
               'slog2': slog2([(n, rgb) for n, (_, rgb) in names.items()])}
        self.path('t.pcf', 'STATES\n' + ''.join(f'{i + 30} {n}\n' for i, n in enumerate(names)) + '\nSTATES_COLOR\n'
                  + ''.join(f'{i + 30} {{{",".join(map(str, parts(rgb)))}}}\n' for i, (_, rgb) in enumerate(names.values())) + '\nGRADIENT_COLOR\n30 {1,2,3}\n')
        for which, form in (('clog', '>diiii'), ('clog2', '>diiii')):
            records = []
            for i, (n, (x11, _)) in enumerate(names.items()):
                if which == 'clog':
                    records.append(struct.pack(form, 0, 6, 10, 0, 0) + struct.pack('>iiii', i, 2 * i, 2 * i + 1, 0) + padded(x11, 24) + padded(n, 16))
                    records += [struct.pack(form, i + k, 1, 7, 0, 0) + struct.pack('>iiii', 2 * i + k, 0, 0, 0) + padded('', 16) for k in (0, 1)]
                else:
                    records.append(struct.pack(form, 0, 0, 0, 0, 2) + struct.pack('>iiii', i, 2 * i, 2 * i + 1, 0) + padded(x11, 24) + padded(n, 32) + padded('', 40))
                    records += [struct.pack(form, i + k, 0, 0, 0, 5) + struct.pack('>ii', 2 * i + k, 0) for k in (0, 1)]
            head = b'' if which == 'clog' else b'\0'.join([b'CLOG-02.44', b'is_big_endian=', b'TRUE ', b'block_size=', b'65536', b'']).ljust(1024, b'\0')
            end = struct.pack(form, 3, -2, 3, 0, 0) if which == 'clog' else struct.pack(form, 3, 0, 0, 0, 0)
            data = test_records.in_blocks(head, records, 65536, 24, b'', end)
            out[which] = data.ljust(65536, b'\0') if which == 'clog' else data
        return {which: self.path('t.' + which, data) for which, data in out.items()}

    def shown(self, path, *more, view='Space-time'):
        """The colours of all that a picture fills."""
        out = self.path('picture.svg')
        self.scope('draw', path, '--view', view, '-o', out, *more)
        with open(out, encoding='utf-8') as f:
            text = f.read()
        return {sum(round(float(c) * 2.55) << s for c, s in zip(m, (16, 8, 0))) for m in re.findall(r'rgb\(([\d.]+)%, ?([\d.]+)%, ?([\d.]+)%\)', text)}

    def test_each_format(self):
        for which, path in self.traces().items():
            self.assertEqual(self.info(path)['damaged'], 0, which)
            wanted = {rgb for _, rgb in NAMES.values()}
            for again in range(2):          # as it is read, and as it is kept
                for dark in ([], ['--dark']):
                    self.assertEqual(wanted - self.shown(path, *dark), set(), (which, dark, again))
            for palette in ('scope', 'colour-blind', 'print'):
                self.assertEqual(wanted & self.shown(path, '--palette', palette), set(), (which, palette))

    def test_what_goes_before(self):
        """What a rule says, and what a person chose; the others stay as the trace has them."""
        path = self.traces()['paje']
        rules = self.path('rules', 'associations 1\ntask State colour\n  alpha = #008000\n')
        shown = self.shown(path, '--associations', rules)
        self.assertEqual((0x008000 in shown, 0xba55d3 in shown, 0x4682b4 in shown), (True, False, True))
        own = self.path('own')
        os.makedirs(os.path.join(own, 'scope'))
        with open(os.path.join(own, 'scope', 'colours'), 'w', encoding='utf-8') as f:
            f.write('[State]\nbeta=#a01010\n')
        self.env['XDG_CONFIG_HOME'] = own
        shown = self.shown(path)
        self.assertEqual((0xa01010 in shown, 0xd2691e in shown, 0x4682b4 in shown), (True, False, True))

    def test_legible(self):
        """White on white and black on black are not seen; all that is one colour is none."""
        path = self.traces({'alpha': ('white', 0xffffff), 'beta': ('black', 0x000000), 'gamma': ('yellow', 0xffff00)})['paje']
        own = self.shown(path, '--palette', 'scope'), self.shown(path, '--palette', 'scope', '--dark')
        for i, (paper, more) in enumerate((('light', []), ('dark', ['--dark']))):
            new = self.shown(path, *more) - own[i]
            stands_out = {rgb for rgb in new if contrast(rgb, PAPER[paper]) >= 2.95}
            self.assertGreaterEqual(len(stands_out), 2, (paper, new))
            yellow = [rgb for rgb in stands_out if parts(rgb)[0] == parts(rgb)[1] > 2 * parts(rgb)[2] + 100]
            self.assertEqual(len(yellow), 1, (paper, new))
        same = self.traces({n: ('red', 0xff0000) for n in NAMES})
        for which, path in same.items():
            self.assertEqual(self.shown(path), self.shown(path, '--palette', 'scope'), which)

    def test_export(self):
        """Read back from Pajé states have the colours that they had in whatever format."""
        for which, path in self.traces().items():
            again = self.path(f'again-{which}.paje')
            self.scope('export', path, '-o', again)
            self.assertEqual({rgb for _, rgb in NAMES.values()} - self.shown(again), set(), which)


if __name__ == '__main__':
    main()
