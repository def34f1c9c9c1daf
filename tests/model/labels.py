# SPDX-License-Identifier: Apache-2.0
"""Texts of an SVG that cairo wrote, by the ink of their glyphs: which lie over each other, which are cut by an edge."""
import re
import xml.etree.ElementTree as ET
from collections import defaultdict

SVG, LINK = '{http://www.w3.org/2000/svg}', '{http://www.w3.org/1999/xlink}href'
NUMBER = re.compile(r'-?\d+(?:\.\d+)?(?:e-?\d+)?')
CELL = 32       # px, of the grid by which neighbours are found
TOUCH = 1.0     # px by which the ink of two texts may overlap in both directions: rounding, and feet of letters


def bounds(path):
    numbers = [float(x) for x in NUMBER.findall(path)]
    xs, ys = numbers[0::2], numbers[1::2]
    return (min(xs), min(ys), max(xs), max(ys)) if xs else None


def meet(a, b):
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])


def covers(node):
    """The box of a rectangle that hides what is below it; None: it is another shape, or is seen through."""
    style = dict(part.split(':') for part in node.get('style', '').split(';') if ':' in part)
    fill, seen = style.get('fill', node.get('fill', 'none')), style.get('fill-opacity', node.get('fill-opacity', '1'))
    if not fill.startswith(('rgb', '#')) or float(seen) < 1:
        return None
    if node.tag == SVG + 'rect':
        x, y, w, h = (float(node.get(k, 0)) for k in ('x', 'y', 'width', 'height'))
        return x, y, x + w, y + h
    found = re.fullmatch(r'M (\S+) (\S+) L (\S+) (\S+) L (\S+) (\S+) L (\S+) (\S+) Z( M \S+ \S+)? ?', node.get('d', ''))
    numbers = [float(x) for x in found.groups()[:8]] if found else []
    return bounds(node.get('d')) if len({numbers[k] for k in (0, 2, 4, 6)[:len(numbers)]}) == 2 and len({numbers[k] for k in (1, 3, 5, 7)}) == 2 else None


class Text:
    def __init__(self, glyphs, cut):
        self.glyphs, self.cut, self.hidden = glyphs, cut, False     # boxes x0, y0, x1, y1
        self.box = min(g[0] for g in glyphs), min(g[1] for g in glyphs), max(g[2] for g in glyphs), max(g[3] for g in glyphs)

    def __repr__(self):
        return '%d letters at (%.0f, %.0f) to (%.0f, %.0f)' % (len(self.glyphs), *self.box)


def texts_of(svg):
    """Texts in the order in which they are painted, and the size of the picture."""
    root = ET.fromstring(svg)
    width, height = (float(root.get(k).rstrip('pxt')) for k in ('width', 'height'))
    glyphs, clips, found = {}, {}, []
    for symbol in root.iter(SVG + 'symbol'):
        glyphs[symbol.get('id')] = bounds(' '.join(p.get('d', '') for p in symbol.iter(SVG + 'path')))
    for group in root.iter(SVG + 'g'):      # newer versions of cairo have groups in the place of symbols
        if (group.get('id') or '').startswith('glyph'):
            glyphs[group.get('id')] = bounds(' '.join(p.get('d', '') for p in group.iter(SVG + 'path')))
    for clip in root.iter(SVG + 'clipPath'):
        boxes = [bounds(p.get('d', '')) for p in clip.iter(SVG + 'path')]
        boxes += [(float(r.get('x', 0)), float(r.get('y', 0)), float(r.get('x', 0)) + float(r.get('width')), float(r.get('y', 0)) + float(r.get('height')))
                  for r in clip.iter(SVG + 'rect')]
        clips[clip.get('id')] = next(iter(boxes), None)

    def walk(node, clip):
        named = re.match(r'url\(#(.*)\)', node.get('clip-path', ''))
        if named and clips.get(named[1]):
            clip = meet(clip, clips[named[1]])
        own, cut = [], False
        for child in node:
            if child.tag == SVG + 'use' and (child.get(LINK) or child.get('href') or '').startswith('#glyph'):
                box = glyphs.get((child.get(LINK) or child.get('href'))[1:])
                if box is None:     # a space
                    continue
                x, y = float(child.get('x', 0)), float(child.get('y', 0))
                box = box[0] + x, box[1] + y, box[2] + x, box[3] + y
                seen = meet(box, clip)
                if seen[0] >= seen[2] or seen[1] >= seen[3]:
                    cut = cut or bool(own)
                    continue
                cut = cut or any(abs(a - b) > 1 for a, b in zip(box, seen))
                own.append(seen)
            elif child.tag in (SVG + 'rect', SVG + 'path'):
                area = covers(child)
                for text in found if area else ():
                    if meet(text.box, area) == text.box:
                        text.hidden = True
            elif child.tag != SVG + 'defs':
                walk(child, clip)
        if own:
            found.append(Text(own, cut))

    walk(root, (0, 0, width, height))
    return [text for text in found if not text.hidden], (width, height)


def over_each_other(texts):
    """Pairs of texts whose letters overlap."""
    cells, pairs = defaultdict(list), {}
    for n, text in enumerate(texts):
        for g in text.glyphs:
            near = {(i, j) for i in range(int(g[0] // CELL), int(g[2] // CELL) + 1) for j in range(int(g[1] // CELL), int(g[3] // CELL) + 1)}
            for cell in near:
                for m, other in cells[cell]:
                    if m != n and (m, n) not in pairs:
                        both = meet(g, other)
                        if both[2] - both[0] > TOUCH and both[3] - both[1] > TOUCH:
                            pairs[m, n] = both
                cells[cell].append((n, g))
    return [(texts[m], texts[n]) for m, n in pairs]
