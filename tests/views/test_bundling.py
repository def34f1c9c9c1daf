#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups that are opened in the state graph: all others stay where they are.  Links that are bundled along the tree of groups: they end where those do that are not bundled, are as wide, and those
between the same two groups run together; where the picture is of pixels they run where they do as vectors.

usage: test_bundling.py SCOPE SOURCE_FOLDER"""
import collections
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

SCOPE, ROOT = sys.argv[1:3]
SEED = int(os.environ.get('SCOPE_SEED', '1'))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'model'))
import picture

FIRST = 0x204060       # colour of the first task; the others have the next
STROKE = re.compile(r'<path style="fill:none;stroke-width:([\d.]+);[^"]*" d="([^"]*)"(?: transform="[^"]*")?/>')
FOLDER = tempfile.TemporaryDirectory()


def draw(path, out, bundled, *more):
    subprocess.run([SCOPE, 'draw', path, '--view', 'Graph', '--hierarchy', 'inside', *more, '--size', '900x700', '-q', '--set', f'Graph.bundle links={bundled}', '-o', out],
                   check=True, env=dict(os.environ, XDG_CACHE_HOME=FOLDER.name))


def lines(path):
    """(width, points) of links: of what is stroked and ends elsewhere than it begins."""
    with open(path, encoding='utf-8') as f:
        svg = f.read()
    for width, d in STROKE.findall(svg):
        for part in d.split('M ')[1:]:
            points = [tuple(float(n) for n in step.split()[-2:]) for step in re.split('[LC]', part.replace('Z', ''))]
            if len(points) > 1 and math.dist(points[0], points[-1]) > 0.5 and points[0][1] > 28:    # above is the legend
                yield float(width), points


class Graphs(unittest.TestCase):
    def graph(self, rand, n_groups, each, n_links):
        names = {f'n{g}_{k}': g for g in range(n_groups) for k in range(each)}
        links = set()
        while len(links) < n_links:
            a, b = rand.sample(sorted(names), 2)
            if (a, b) not in links:
                links.add((a, b))
        path = os.path.join(FOLDER.name, f'{n_groups}-{n_links}.dot')
        with open(path, 'w', encoding='utf-8') as f:
            f.write('digraph g {\n')
            for g in range(n_groups):
                f.write(f'subgraph cluster_{g} {{ label="group {g}"; ' + ' '.join(f'{n};' for n in names if names[n] == g) + ' }\n')
            f.write(''.join(f'{a} -> {b};\n' for a, b in sorted(links)) + '}\n')
        return path, names, links

    def places(self, svg, names, shown=None):
        """Middle and radius of each task, whose disc has a colour of its own."""
        at = {}
        with open(svg, encoding='utf-8') as f:
            discs = re.findall(r'<path style="[^"]*fill:rgb\(([^)]*)\)[^"]*" d="(M[^"L]*C[^"L]*)"/>', f.read())
        for rgb, d in discs:
            number = sum(round(float(part.rstrip('%')) * 2.55) << shift for part, shift in zip(rgb.split(','), (16, 8, 0)))
            points = [tuple(float(n) for n in step.split()[-2:]) for step in re.split('[MLC]', d.replace('Z', '')) if step.strip()]
            box = [f(p[k] for p in points) for k in (0, 1) for f in (min, max)]
            if FIRST <= number < FIRST + len(names) and box[2] > 28:
                at[sorted(names)[number - FIRST]] = ((box[0] + box[1]) / 2, (box[2] + box[3]) / 2, (box[1] - box[0]) / 2)
        self.assertEqual(set(at), set(shown or names))
        return at


class Places(Graphs):
    def test_all_others_stay_while_a_group_opens(self):
        """Closed groups and tasks stand where they did, members around the place of their group, and back when it is closed."""
        rand = random.Random(SEED)
        for n_groups, each, layout in ((4, 5, 'automatic'), (9, 6, 'automatic'), (7, 4, 'ring'), (6, 9, 'mesh'), (5, 13, 'sfdp'), (12, 3, 'helix')):
            path, names, _ = self.graph(rand, n_groups, each, 3 * n_groups + 20)
            groups = [f'group {g}' for g in range(n_groups)]
            every = groups + sorted(names)
            rules = os.path.join(FOLDER.name, 'rules')
            with open(rules, 'w', encoding='utf-8') as f:
                f.write('associations 1\n' + ''.join(f'{kind} {attribute} colour\n' + ''.join(
                    f'  "{name}" = #{FIRST + i:06x}\n' for i, name in enumerate(sorted(every)) if (name in names) == (kind == 'task'))
                    for kind, attribute in (('group', 'name'), ('task', 'Name'))))
            opened, at, before = [], {}, None
            for group in [None, *rand.sample(groups, min(3, n_groups))]:
                opened += ['--open', group] if group else []
                out = os.path.join(FOLDER.name, 'places.svg')
                draw(path, out, 'false', *opened, '--associations', rules, '--set', f'Graph.layout={layout}')
                shown = {g for g in groups if g not in opened} | {n for n in names if f'group {names[n]}' in opened}
                at = self.places(out, every, shown)
                if before is not None:
                    for name in shown & set(before):
                        self.assertLess(math.dist(at[name][:2], before[name][:2]), 1, (layout, name, group))
                    members = [at[n] for n in names if f'group {names[n]}' == group]
                    middle = [sum(m[k] for m in members) / len(members) for k in (0, 1)]
                    nearest = min(math.dist(before[group][:2], b[:2]) for name, b in before.items() if name != group)
                    self.assertLess(math.dist(middle, before[group][:2]), 0.25 * nearest, (layout, group))
                    for m in members:
                        self.assertLess(math.dist(m[:2], before[group][:2]), 0.75 * nearest, (layout, group))
                before = at


class Bundles(Graphs):
    def ends(self, at, drawn):
        """Which tasks lines join, how wide they are, and the lines."""
        found = {}
        for width, points in drawn:
            pair = []
            for point in (points[0], points[-1]):
                name = min(at, key=lambda n: math.dist(point, at[n][:2]) - at[n][2])
                self.assertLess(math.dist(point, at[name][:2]) - at[name][2], 20, 'a line ends at a task')
                pair.append(name)
            self.assertNotIn(tuple(pair), found)
            found[tuple(pair)] = (width, points)
        return found

    def test_they_end_where_they_must_and_are_as_wide(self):
        rand = random.Random(SEED)
        for n_groups, each, n_links in ((3, 5, 40), (6, 8, 150), (9, 4, 120)):
            path, names, links = self.graph(rand, n_groups, each, n_links)
            rules = os.path.join(FOLDER.name, 'rules')
            with open(rules, 'w', encoding='utf-8') as f:
                f.write('associations 1\ntask Name colour\n' + ''.join(f'  "{name}" = #{FIRST + i:06x}\n' for i, name in enumerate(sorted(names))))
            alone, together = os.path.join(FOLDER.name, 'alone.svg'), os.path.join(FOLDER.name, 'together.svg')
            draw(path, alone, 'false', '--open', 'all', '--associations', rules)
            draw(path, together, 'true', '--open', 'all', '--associations', rules)
            at = self.places(alone, names)
            self.assertEqual(self.places(together, names), at)
            before, after = self.ends(at, lines(alone)), self.ends(at, lines(together))
            self.assertEqual(set(before), links)
            self.assertEqual(set(after), links)
            self.assertEqual({k: w for k, (w, _) in after.items()}, {k: w for k, (w, _) in before.items()})
            inside = [k for k in links if names[k[0]] == names[k[1]]]
            for k in inside:        # within a group all is as ever
                self.assertEqual(after[k], before[k])
            # Between two groups: at the middle of the way links are nearer to each other than without.
            bundles = collections.defaultdict(list)
            for k in links.difference(inside):
                self.assertGreater(len(after[k][1]), len(before[k][1]))
                bundles[names[k[0]], names[k[1]]].append(k)
            apart = {'before': [], 'after': []}
            for of in bundles.values():
                for what, found in (('before', before), ('after', after)):
                    middle = [self.half(found[k][1]) for k in of]
                    apart[what] += [math.dist(a, b) for i, a in enumerate(middle) for b in middle[:i]]
            self.assertGreater(len(apart['after']), 10)
            self.assertLess(sum(apart['after']), 0.75 * sum(apart['before']), 'those between two groups run together')

    @staticmethod
    def half(points):
        """The point half way along a line."""
        lengths = [math.dist(a, b) for a, b in zip(points, points[1:])]
        left = sum(lengths) / 2
        for (a, b), length in zip(zip(points, points[1:]), lengths):
            if left <= length:
                t = left / length if length else 0
                return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t
            left -= length
        return points[-1]

    def test_of_a_crowd_pixels_are_where_lines_are(self):
        rand = random.Random(SEED)
        path, names, _ = self.graph(rand, 8, 10, 600)
        svg, png = os.path.join(FOLDER.name, 'crowd.svg'), os.path.join(FOLDER.name, 'crowd.png')
        draw(path, svg, 'true', '--open', 'all')
        draw(path, png, 'true', '--open', 'all')
        shown = picture.pixels(png)
        tried = hit = 0
        for _, points in rand.sample(list(lines(svg)), 200):
            x, y = self.half(points)
            tried += 1
            hit += any(shown[round(y) + dy][round(x) + dx] != (255, 255, 255) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        self.assertGreater(hit, 0.97 * tried)

    def test_closed_groups_are_joined_straight(self):
        path, _, _ = self.graph(random.Random(SEED), 5, 4, 60)
        closed, asked = os.path.join(FOLDER.name, 'closed.svg'), os.path.join(FOLDER.name, 'asked.svg')
        draw(path, closed, 'false')
        draw(path, asked, 'true')
        self.assertEqual(list(lines(closed)), list(lines(asked)))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
