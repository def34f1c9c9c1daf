#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Associations: what pictures look like at random instants, beside what the rules say of states that are worked out from the
raw files (tests/model); which level says so; files that are damaged.

usage: test_associations.py SCOPE SOURCE_FOLDER"""
import collections
import colorsys
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

SCOPE, ROOT = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests', 'model')]
from few import few
import calls
import pvm
import raw

STATES = {'Busy': 'b5179e', 'Overhead': '7209b7', 'Idle': '3a0ca3', 'Talking': '4361ee'}
OTHER = '4cc9f0'
LINKS = {'Unused': 'aa1100', 'Idle': '00aa11'}
checks = 0


def draw(path, folder, rules, view, *words, program=None, given=True, end='svg', fails=False):
    out, file = os.path.join(folder, 'x.' + end), os.path.join(folder, 'rules')
    with open(file, 'w', encoding='utf-8') as f:
        f.write(rules)
    done = subprocess.run([SCOPE, 'draw', path, '--view', view, '-o', out, '--size', '900x700', *words, *(['--associations', file] if given else []),
                           *(['--program', program] if program else [])], capture_output=True, text=True, timeout=60)
    if fails:
        assert done.returncode == 1, (rules, done.stderr)
        return done.stderr
    assert done.returncode == 0, (rules, done.stderr)
    with open(out, encoding='utf-8') as f:
        return f.read()


def paths(svg):
    """(fill or stroke, width of a stroke, opacity, dashed, box) of all that is painted."""
    for style, d in re.findall(r'<path style="([^"]*)" d="([^"]*)"', svg):
        kind = 'stroke' if 'stroke:rgb' in style else 'fill'
        rgb = re.search(kind + r':rgb\(([\d.]+)%,([\d.]+)%,([\d.]+)%\)', style)
        if not rgb:
            continue
        numbers = [float(x) for x in re.findall(r'-?[\d.]+', d)]
        xs, ys = numbers[::2], numbers[1::2]
        width = re.search(r'stroke-width:([\d.]+)', style)
        yield (kind, ''.join(f'{round(float(x) * 2.55):02x}' for x in rgb.groups()), float(width.group(1)) if width else None,
               float(re.search(kind + r'-opacity:([\d.]+)', style).group(1)), 'dasharray' in style, (max(xs) - min(xs), max(ys) - min(ys)))


def mixed(low, high, share):
    share = min(max(share, 0), 1)
    return [int(low[k:k + 2], 16) + (int(high[k:k + 2], 16) - int(low[k:k + 2], 16)) * share for k in (0, 2, 4)]


def close(rgb, want):
    return all(abs(int(rgb[2 * k:2 * k + 2], 16) - want[k]) <= 1.6 for k in range(3))


def state_at(trace, at):
    model = pvm.Pvm(trace)
    for e in trace.events:
        if e.date <= at:
            model.step(e)
    return model.state(at), model


def share(state, task, of):
    """With all digits."""
    spent = {s: times[0] for (t, s), times in state['times'].items() if t == task}
    return spent[of] / sum(spent.values()) if sum(spent.values()) else 0


def check_instant(path, trace, at, folder):
    global checks
    state, _ = state_at(trace, at)
    when = ['--at', f'{at / trace.ticks:.9f}']
    rules = ('associations 1\ntask State colour\n' + ''.join(f'  {s} = #{c}\n' for s, c in STATES.items()) + f'  other = #{OTHER}\n'
             'link TotalTraffic width\n  ramp 0 .. 100000 = 1 .. 9 root\nlink state colour\n'
             + ''.join(f'  {s} = #{c}\n' for s, c in LINKS.items()) + '  other = #0011aa\nlink State dash\n  Unused = dotted\n'
             'link State opacity\n  Unused = 0.5\n')
    svg = list(paths(draw(path, folder, rules, 'State graph', *when)))
    got = collections.Counter(rgb for kind, rgb, _, _, _, box in svg if kind == 'fill' and min(box) > 24 and rgb in [*STATES.values(), OTHER])
    want = collections.Counter(STATES.get(n['State'], OTHER) for n in state['nodes'])
    assert got == want, (path, at, got, want)
    got = collections.Counter((rgb, round(width, 2), dashed, round(alpha, 2)) for kind, rgb, width, alpha, dashed, box in svg
                              if kind == 'stroke' and rgb in [*LINKS.values(), '0011aa'] and max(box) > 40)
    want = collections.Counter((LINKS.get(e['State'], '0011aa'), round(1 + 8 * math.sqrt(min(e['TotalTraffic'] / 1e5, 1)), 2), e['State'] in ('Unused', 'Dead'),
                                0.5 if e['State'] == 'Unused' else 1) for e in state['edges'])
    assert sum(got.values()) == sum(want.values()) and all(
        min(abs(w - g[1]) for g in got if (g[0], *g[2:]) == (c, *rest)) < 0.02 for c, w, *rest in want), (path, at, got, want)
    # cells: another attribute for each channel, and rules of one view before those of all
    hide = random.Random(at).choice(state['nodes'])['id']
    rules = ('associations 1\nin "Processor status"\ntask PercentBusy colour\n  ramp 0 .. 100 = #ffffff .. #0000ff\ntask PercentIdle order\n  falling\n'
             f'task Name hidden\n  {hide} = yes\nin all\ntask State colour\n  Busy = #000000\n')
    svg = paths(draw(path, folder, rules, 'Processor status', *when, program='utilization'))
    cells = [rgb for kind, rgb, _, _, _, box in svg if kind == 'fill' and box[0] > 40 and box[1] > 14]
    known = {t.id: n for n, t in trace.tasks.items()}
    nodes = sorted((n for n in state['nodes'] if n['id'] != hide), key=lambda n: (-share(state, n['id'], 'Idle'), known[n['id']]))
    unborn = len(trace.tasks) - len(state['nodes'])
    assert len(cells) == len(nodes) + unborn, (path, at, len(cells), len(nodes))
    for rgb, node in zip(cells, nodes):
        assert close(rgb, mixed('ffffff', '0000ff', float(node['PercentBusy']) / 100)), (path, at, node, rgb)
        checks += 1
    checks += len(state['nodes']) + len(state['edges'])


SCATTER = """<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><title>x</title>
<component name="Session" class="scope.session" version="1"/><component name="Reader" class="scope.tapepvm-reader" version="1"/>
<component name="Simulator" class="scope.pvm-simulator" version="1"/>
<component name="A" class="scope.state-presenter" version="1"><setting name="attribute">PercentBusy</setting></component>
<component name="Dots" class="scope.scatter" version="1"/>
<wire from="Session" out="commands" to="Reader" in="commands"/><wire from="Reader" out="events" to="Simulator" in="events"/>
<wire from="Simulator" out="changes" to="A" in="changes"/><wire from="A" out="dated" to="Dots" in="x"/><wire from="A" out="dated" to="Dots" in="y"/>
</eve>
"""
CORNERS = {'diamond': 4, 'triangle': 3, 'hexagon': 6}


def check_shapes(path, trace, at, folder):
    """Sizes by a percentage, shapes and colours by who a task is: of nodes of the state graph, and of dots."""
    global checks
    state, _ = state_at(trace, at)
    nodes, when = sorted(state['nodes'], key=lambda n: n['id']), ['--at', f'{at / trace.ticks:.9f}']
    colours = {n['id']: f'{0x102030 + 0x060503 * i:06x}' for i, n in enumerate(nodes)}
    shapes = {n['id']: list(CORNERS)[i % 3] for i, n in enumerate(nodes)}
    rules = ('associations 1\ntask Name colour\n' + ''.join(f'  {i} = #{c}\n' for i, c in colours.items()) + 'task Name shape\n'
             + ''.join(f'  {i} = {s}\n' for i, s in shapes.items()) + 'task PercentIdle size\n  ramp 0 .. 100 = 0.25 .. 1\n')
    program = os.path.join(folder, 'dots.eve')
    with open(program, 'w', encoding='utf-8') as f:
        f.write(SCATTER)
    for view, own in (('State graph', None), ('Dots', program)):
        svg = draw(path, folder, rules, view, *when, program=own)
        areas = {}
        for (kind, rgb, _, _, _, box), d in zip(paths(svg), re.findall(r'<path style="[^"]*rgb[^"]*" d="([^"]*)"', svg)):
            one = [i for i, c in colours.items() if c == rgb and kind == 'fill' and min(box) > 4]
            if one and len(re.findall('[ML]', d)) - d.count('Z M') in (CORNERS[shapes[one[0]]], CORNERS[shapes[one[0]]] + 1):
                areas[one[0]] = box[0] * box[1]
        assert set(areas) == {n['id'] for n in nodes}, (path, view, at, areas)
        for i, a in areas.items():                     # beside all of the same shape
            for j in (j for j in areas if shapes[j] == shapes[i]):
                want = (0.25 + 0.75 * share(state, i, 'Idle')) / (0.25 + 0.75 * share(state, j, 'Idle'))
                assert abs(a / areas[j] / want - 1) < 0.03, (path, view, at, i, j, a / areas[j], want)
                checks += 1


def check_six(path, trace, at, folder):
    """Six attributes of a task at once, and two of a link (thesis, 4.3.2): colour, shape, size, both places and label; colour and width."""
    global checks
    state, _ = state_at(trace, at)
    nodes, when = sorted(state['nodes'], key=lambda n: n['id']), ['--at', f'{at / trace.ticks:.9f}']
    colours = {n['id']: f'{0x102030 + 0x060503 * i:06x}' for i, n in enumerate(nodes)}
    shapes = {n['id']: list(CORNERS)[i % 3] for i, n in enumerate(nodes)}
    rules = ('associations 1\ntask Name colour\n' + ''.join(f'  {i} = #{c}\n' for i, c in colours.items())
             + 'task id shape\n' + ''.join(f'  {i} = {s}\n' for i, s in shapes.items()) + 'task PercentIdle size\n  ramp 0 .. 100 = 0.25 .. 1\n'
             + 'task PercentBusy x\ntask PercentOverhead y\n  ramp 0 .. 100 = 0 .. 1\ntask State label\n'
             + 'link TotalTraffic width\n  ramp 0 .. 100000 = 1 .. 9 root\nlink State colour\n' + ''.join(f'  {s} = #{c}\n' for s, c in LINKS.items()) + '  other = #0011aa\n')
    svg = draw(path, folder, rules, 'State graph', *when)
    found, lines = {}, ([], [])
    for (kind, rgb, _, _, _, box), d in zip(paths(svg), re.findall(r'<path style="[^"]*rgb[^"]*" d="([^"]*)"', svg)):
        numbers = [float(x) for x in re.findall(r'-?[\d.]+', d)]
        low, high = (min(numbers[::2]), min(numbers[1::2])), (max(numbers[::2]), max(numbers[1::2]))
        one = [i for i, c in colours.items() if c == rgb and kind == 'fill' and min(box) > 4 and low[1] > 40]
        if one and len(re.findall('[ML]', d)) - d.count('Z M') in (CORNERS[shapes[one[0]]], CORNERS[shapes[one[0]]] + 1):
            # the middle of a triangle, which has its place a little above it: 1.4 radii above, 0.7 below, 0.15
            above = 0.2 / 2.1 * box[1] if shapes[one[0]] == 'triangle' else 0
            found[one[0]] = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2 + above], box[0] * box[1]
        if kind == 'stroke' and min(box) < 0.01 and max(box) > 300 and rgb not in [*LINKS.values(), '0011aa']:
            lines[box[0] > box[1]].append(low[box[0] > box[1]])
    assert set(found) == set(colours), (path, at, set(colours) ^ set(found))               # colour and shape
    across, up = sorted(lines[0]), sorted(lines[1])
    place = {n['id']: (across[0] + share(state, n['id'], 'Busy') * (across[-1] - across[0]), up[-1] - share(state, n['id'], 'Overhead') * (up[-1] - up[0])) for n in nodes}
    for n in nodes:
        at_x, area = found[n['id']]
        alone = all(math.dist(place[n['id']], place[m['id']]) > 110 for m in nodes if m is not n)       # else they stand around their place
        assert math.dist(at_x, place[n['id']]) < (0.8 if alone else 130), (path, at, n, at_x, place)
        for m in (m for m in nodes if shapes[m['id']] == shapes[n['id']]):
            want = (0.25 + 0.75 * share(state, n['id'], 'Idle')) / (0.25 + 0.75 * share(state, m['id'], 'Idle'))
            assert abs(area / found[m['id']][1] / want - 1) < 0.03, (path, at, n, m)
        checks += 6
    got = collections.Counter((rgb, round(width, 1)) for kind, rgb, width, _, _, box in paths(svg) if kind == 'stroke' and rgb in [*LINKS.values(), '0011aa'] and max(box) > 30)
    want = collections.Counter((LINKS.get(e['State'], '0011aa'), round(1 + 8 * math.sqrt(min(e['TotalTraffic'] / 1e5, 1)), 1)) for e in state['edges'] if e['from'] != e['to'])
    assert set(got) <= set(want) and (got or not want), (path, at, got, want)
    plain = draw(path, folder, rules.replace('task State label\n', ''), 'State graph', *when)
    assert plain != svg, 'the label is another one'


def check_places(path, trace, at, folder):
    """Tasks stand where two of their percentages say, beside the lines of the axes at 0 and at 100; names in their order."""
    global checks
    state, _ = state_at(trace, at)
    nodes, when = sorted(state['nodes'], key=lambda n: n['id']), ['--at', f'{at / trace.ticks:.9f}']
    colours = {n['id']: f'{0x102030 + 0x060503 * i:06x}' for i, n in enumerate(nodes)}

    def shown(rules):
        svg = draw(path, folder, 'associations 1\n' + rules + 'task Name shape\n  other = square\ntask Name colour\n' + ''.join(f'  {i} = #{c}\n' for i, c in colours.items()),
                   'State graph', *when)
        middles, lines = {}, ([], [])
        for (kind, rgb, _, _, _, box), d in zip(paths(svg), re.findall(r'<path style="[^"]*rgb[^"]*" d="([^"]*)"', svg)):
            numbers = [float(x) for x in re.findall(r'-?[\d.]+', d)]
            low, high = (min(numbers[::2]), min(numbers[1::2])), (max(numbers[::2]), max(numbers[1::2]))
            for i in (i for i, c in colours.items() if c == rgb and kind == 'fill' and min(box) > 4 and low[1] > 40):
                middles[i] = [(low[k] + high[k]) / 2 for k in (0, 1)]
            if kind == 'stroke' and min(box) < 0.01 and max(box) > 300:
                lines[box[0] > box[1]].append(low[box[0] > box[1]])
        assert set(middles) == set(colours), (path, at, middles)
        return middles, [sorted(one) for one in lines]

    for axis, rule in enumerate(('task PercentBusy x\n', 'task PercentIdle y\n  ramp 0 .. 100 = 0 .. 1 root\n')):
        middles, lines = shown(rule)
        assert len(lines[axis]) == 6 and not lines[1 - axis], (path, at, lines)
        for n in nodes:
            part = share(state, n['id'], 'Idle') ** 0.5 if axis else share(state, n['id'], 'Busy')
            first, last = (lines[1][-1], lines[1][0]) if axis else (lines[0][0], lines[0][-1])
            assert abs(middles[n['id']][axis] - first - part * (last - first)) < 1.1, (path, at, rule, n, part, middles, lines)
            checks += 1
    middles, lines = shown('task PercentBusy x\ntask State y\n')
    names = sorted({n['State'] for n in nodes})
    assert len(lines[1]) == len(names), (path, at, lines)
    for n in nodes:                                     # upwards in the order of the names; none more than half of the room for one aside
        row = lines[1][len(names) - 1 - names.index(n['State'])]
        assert abs(middles[n['id']][1] - row) <= 560 / len(names) / 2 + 1, (path, at, n, middles, lines)
        assert abs(middles[n['id']][0] - lines[0][0] - share(state, n['id'], 'Busy') * (lines[0][-1] - lines[0][0])) < 1.1, (path, at, n, middles, lines)
    apart = [max(abs(middles[a][k] - middles[b][k]) for k in (0, 1)) for a in middles for b in middles if a < b]
    assert min(apart, default=99) > 8, (path, at, apart)
    checks += len(nodes)


def filled(svg):
    """(colour, box, numbers of the path) of all that is filled, in the order in which it is painted."""
    for style, d in re.findall(r'<path style="([^"]*)" d="([^"]*)"', svg):
        rgb = re.search(r'fill:rgb\(([\d.]+)%,([\d.]+)%,([\d.]+)%\)', style)
        numbers = [float(x) for x in re.findall(r'-?[\d.]+', d)]
        if rgb and 'stroke:rgb' not in style:
            yield (''.join(f'{round(float(x) * 2.55):02x}' for x in rgb.groups()),
                   (max(numbers[::2]) - min(numbers[::2]), max(numbers[1::2]) - min(numbers[1::2])), numbers)


def turn(numbers):
    """Of a sector, which begins in the middle of its circle: its share of it."""
    (x, y), (x0, y0) = numbers[:2], numbers[2:4]
    last = len(numbers) - 2 if numbers[-2:] != [x, y] else len(numbers) - 4     # where the path is closed it is back in the middle
    x1, y1 = numbers[last:last + 2]
    return (math.atan2(y1 - y, x1 - x) - math.atan2(y0 - y, x0 - x)) / (2 * math.pi) % 1


def check_charts(path, trace, at, folder):
    """What stands inside of tasks: shares of states as pies and bars, how far they are filled; colours of other models."""
    global checks
    state, _ = state_at(trace, at)
    when = ['--at', f'{at / trace.ticks:.9f}']
    colours = 'task State colour\n' + ''.join(f'  {s} = #{c}\n' for s, c in STATES.items()) + f'  other = #{OTHER}\n'
    want = sorted(tuple(round(share(state, n['id'], s), 3) for s in STATES) for n in state['nodes'])
    for chart, lines in (('pie', ''), ('pie', '  pie\n'), ('bar', '  bar\n'), ('bar', '  other = bar\n')):
        got = []
        for rgb, box, numbers in filled(draw(path, folder, f'associations 1\n{colours}task State chart\n{lines}', 'State graph', *when)):
            name = {c: s for s, c in STATES.items()}.get(rgb)
            if rgb in [*STATES.values(), OTHER] and min(box) > 55:  # the shape of a task
                got.append(dict.fromkeys(STATES, 0.0))
            elif name and got and chart == 'bar' and abs(box[1] - 0.8 * 24) < 0.1:
                got[-1][name] += box[0] / (1.8 * 24)
            elif name and got and chart == 'pie' and 15 < max(box) < 50:
                got[-1][name] += 1 if min(box) > 45.9 and not 0 < turn(numbers) < 0.999 else turn(numbers)
        got = sorted(tuple(round(g[s], 3) for s in STATES) for g in got)
        assert len(got) == len(want) and all(abs(a - b) < 0.003 for x, y in zip(got, want) for a, b in zip(x, y)), (path, at, chart, got, want)
        checks += 4 * len(want)
    # filled from below in the colour of the task, which goes along a circle of hues
    rules = 'associations 1\ntask PercentBusy fill\ntask PercentBusy colour\n  ramp 0 .. 100 = hsv(0, 80%, 85%) .. hsv(240,80,85)\n'
    full = {}
    for rgb, box, _ in filled(draw(path, folder, rules, 'State graph', *when)):
        if min(box) > 55:
            node, full[rgb] = rgb, full.get(rgb, [])
        elif full and rgb == node and 0 < box[1] < 50:
            full[rgb].append(box[1] / (2 * 24.6))
    for n in state['nodes']:
        busy = float(n['PercentBusy']) / 100
        rgb = [round(255 * x) for x in colorsys.hsv_to_rgb(240 * busy / 360, 0.8, 0.85)]
        near = [f for c, f in full.items() if close(c, rgb)]
        assert near and all(min(abs(x - (busy * 24 * 2 + 0.6) / 49.2) for x in f) < 0.02 for f in near if busy > 0.02), (path, at, n, full)
        checks += 1
    for model, of in (('hsl', lambda a, b, c: colorsys.hls_to_rgb(a / 360 % 1, c / 100, b / 100)), ('lch', lch)):
        ends = [(20, 60, 40), (-70, 90, 70)] if model == 'hsl' else [(40, 30, 20), (80, 20, 130)]
        rules = 'associations 1\ntask PercentBusy colour\n  ramp 0 .. 100 = {0}({1}, {2}, {3}) .. {0}({4}, {5}, {6})\n'.format(model, *ends[0], *ends[1])
        got = [rgb for rgb, box, _ in filled(draw(path, folder, rules, 'State graph', *when)) if min(box) > 55]
        for n in state['nodes']:
            busy = share(state, n['id'], 'Busy')
            rgb = [255 * x for x in of(*(a + (b - a) * busy for a, b in zip(*ends)))]
            assert any(close(g, rgb) for g in got), (path, at, model, n, rgb, got)
            checks += 1


def lch(light, chroma, hue):
    """By the definition of CIELAB under D65, and of sRGB."""
    a, b, m = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue)), (light + 16) / 116
    inverse = lambda t: t ** 3 if t ** 3 > 216 / 24389 else (116 * t - 16) * 27 / 24389
    x, y, z = 0.95047 * inverse(m + a / 500), inverse(m), 1.08883 * inverse(m - b / 200)
    linear = (3.2404542 * x - 1.5371385 * y - 0.4985314 * z, -0.9692660 * x + 1.8760108 * y + 0.0415560 * z, 0.0556434 * x - 0.2040259 * y + 1.0572252 * z)
    return [min(max(12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055, 0), 1) for v in linear]


def check_messages(path, trace, folder):
    """Lines by who sent them: as many as the links have carried."""
    global checks
    _, model = state_at(trace, trace.last)
    senders = collections.Counter()
    for wire in model.wires.values():
        senders[trace.tasks[wire.origin].nickname] += wire.received if wire.origin != wire.destination else 0
    names = sorted(n for n in senders if senders[n])
    colours = {n: f'{0x102030 + 0x060503 * i:06x}' for i, n in enumerate(names)}
    gone = names[0]
    rules = ('associations 1\nmessage from colour\n' + ''.join(f'  "{n}" = #{c}\n' for n, c in colours.items())
             + f'message from hidden\n  "{gone}" = yes\nmessage size width\n  other = 2.25\n')
    got = collections.Counter((rgb, width) for kind, rgb, width, *_ in paths(draw(path, folder, rules, 'Space-time')) if kind == 'stroke' and rgb in colours.values())
    assert got == collections.Counter({(colours[n], 2.25): senders[n] for n in names[1:]}), (path, got, senders)
    checks += sum(senders.values())


def check_groups(path, trace, at, folder):
    """A group has the colour that rules say of all of its tasks; where they differ it has none."""
    global checks
    state, _ = state_at(trace, at)
    hosts, when = sorted({n['Host'] for n in state['nodes']}), ['--at', f'{at / trace.ticks:.9f}', '--hierarchy', 'host']
    colours = {h: f'{0x102030 + 0x060503 * i:06x}' for i, h in enumerate(hosts)}

    def discs(rules):
        return collections.Counter(rgb for kind, rgb, _, _, _, box in paths(draw(path, folder, rules, 'State graph', *when))
                                   if kind == 'fill' and min(box) > 4 and abs(box[0] - box[1]) < 1 and rgb in colours.values())

    assert discs('associations 1\ntask Host colour\n' + ''.join(f'  {h} = #{c}\n' for h, c in colours.items())) == collections.Counter(colours.values()), (path, at)
    several = collections.Counter(n['Host'] for n in state['nodes'])
    odd = {h: next(n['id'] for n in state['nodes'] if n['Host'] == h) for h in hosts}          # of one task of each host
    got = discs('associations 1\ntask Name colour\n' + ''.join(f'  {odd[h]} = #{c}\n' for h, c in colours.items()))
    assert got == collections.Counter(c for h, c in colours.items() if several[h] == 1), (path, at, got)
    # and of what is hidden nothing: the others have the colour then
    got = discs('associations 1\ntask Name hidden\n' + ''.join(f'  {n["id"]} = yes\n' for n in state['nodes'] if n['id'] != odd[n['Host']])
                + 'task Name colour\n' + ''.join(f'  {odd[h]} = #{c}\n' for h, c in colours.items()))
    assert got == collections.Counter(colours.values()), (path, at, got)
    checks += len(hosts)


def check_regions(path, trace, folder, r):
    """What tasks are inside of, worked out from the raw events: how many boxes of each colour, by how long they take, by
    whom and how deep; those of a name that is hidden have none."""
    global checks
    model = calls.Calls(trace)
    for e in trace.events:
        model.step(e)
    now, boxes = trace.last, []
    names = {number: t for number, t in trace.tasks.items()}
    for number, node in model.nodes.items():
        for name, call, begin, end in node.stays:
            if call is not None and (end if end is not None else now) > begin:
                boxes.append((number, name, begin, end if end is not None else now))
    a, b = sorted(r.randrange(trace.first, now) for _ in range(2))
    shown = [x for x in boxes if x[2] < b and x[3] > a]
    if not shown:
        return
    lengths = sorted((x[3] - x[2]) / trace.ticks for x in shown)
    least, most = lengths[len(lengths) // 3] * 1.0000001, lengths[2 * len(lengths) // 3] * 1.0000001
    most = max(most, least * 1.5)
    hidden, odd = r.choice(sorted({x[1] for x in shown})), r.choice(sorted({x[0] for x in shown}))
    within = ['--from', f'{a / trace.ticks:.9f}', '--to', f'{b / trace.ticks:.9f}', '--size', '1800x900']

    def drawn(rules):
        return collections.Counter(rgb for kind, rgb, _, alpha, _, box in paths(draw(path, folder, 'associations 1\n' + rules, 'Call timeline', *within, program='call-tree'))
                                   if kind == 'fill' and box[1] > 11 and rgb in ('112233', '445566', '778899'))

    got = drawn(f'region duration colour\n  0 .. {least:.15f} = #112233\n  {least:.15f} .. {most:.15f} = #445566\n  other = #778899\nregion name hidden\n  "{hidden}" = yes\n')
    want = collections.Counter('112233' if (x[3] - x[2]) / trace.ticks < least else '445566' if (x[3] - x[2]) / trace.ticks < most else '778899'
                               for x in shown if x[1] != hidden)
    assert got == want, (path, a, b, hidden, got, want)
    got = drawn(f'region id colour\n  {names[odd].id} = #112233\n  other = #445566\n')
    assert got == collections.Counter('112233' if x[0] == odd else '445566' for x in shown), (path, a, b, got)
    got = drawn(f'region name colour\n  "{hidden}" = #112233\n  other = #445566\n')
    assert got == collections.Counter('112233' if x[1] == hidden else '445566' for x in shown), (path, a, b, got)
    # in a tree by a column of its table, told a second time as the table
    when = ['--at', f'{now / trace.ticks:.9f}']
    table = [line.split(',') for line in draw(path, folder, 'associations 1\n', 'Flame graph', *when, program='call-tree', end='csv', given=False).splitlines()[1:] if line]
    seen = [int(row[5] or 0) for row in table if float(row[3]) > 1]       # wide enough for a box of its own
    tree = draw(path, folder, 'associations 1\nregion visits colour\n' + '  0 .. 2 = #112233\n  2 .. 9 = #445566\n  9 .. 1000000 = #778899\n', 'Flame graph',
                *when, program='call-tree')
    got = collections.Counter(rgb for kind, rgb, _, _, _, box in paths(tree) if kind == 'fill' and box[0] > 8 and box[1] > 11)
    want = collections.Counter('112233' if v < 2 else '445566' if v < 9 else '778899' for v, row in zip(seen, [r for r in table if float(r[3]) > 1]) if row[5])
    assert {c: got[c] for c in want} == want, (path, got, want)
    checks += 3 * len(shown) + len(seen)


CURVES = SCATTER.replace('class="scope.scatter"', 'class="scope.curve"').replace('in="x"', 'in="value"').replace('<wire from="A" out="dated" to="Dots" in="y"/>', '')


def check_series(path, trace, folder, r):
    """Lines as wide as the mean of what they are, dashed by their last value, in an order; what is hidden has none."""
    global checks
    program = os.path.join(folder, 'curves.eve')
    with open(program, 'w', encoding='utf-8') as f:
        f.write(CURVES)
    a, b = sorted(r.randrange(trace.first, trace.last) for _ in range(2))
    within = ['--from', f'{a / trace.ticks:.9f}', '--to', f'{b / trace.ticks:.9f}']
    table = [line.split(',') for line in draw(path, folder, 'associations 1\n', 'Dots', *within, program=program, end='csv', given=False).splitlines()[1:] if line]
    of = collections.defaultdict(list)
    for date, owner, value in table:
        of[owner].append(float(value))
    owners = sorted(of)
    if len(owners) < 3:
        return
    colours = {o: f'{0x102030 + 0x060503 * i:06x}' for i, o in enumerate(owners)}
    hidden, dashed = r.sample(owners, 2)
    rules = ('associations 1\nseries name colour\n' + ''.join(f'  "{o}" = #{c}\n' for o, c in colours.items()) + 'series mean width\n  ramp 0 .. 100 = 1 .. 9\n'
             f'series name hidden\n  "{hidden}" = yes\nseries owner dash\n  "{dashed}" = dashed\nseries mean order\n  falling\nseries most opacity\n  ramp 0 .. 200 = 0.5 .. 1\n')
    svg = draw(path, folder, rules, 'Dots', *within, program=program)
    got = {rgb: (width, dash, alpha) for kind, rgb, width, alpha, dash, box in paths(svg) if kind == 'stroke' and rgb in colours.values()}
    assert set(got) == {c for o, c in colours.items() if o != hidden}, (path, a, b, hidden, got, of)
    for o, c in colours.items():
        if o == hidden:
            continue
        width, dash, alpha = got[c]
        assert abs(width - (1 + 8 * sum(of[o]) / len(of[o]) / 100)) < 0.02, (path, a, b, o, width, of[o])
        assert dash == (o == dashed) and abs(alpha - (0.5 + 0.5 * max(of[o]) / 200)) < 0.005, (path, o, dash, alpha)
        checks += 1
    # areas: the least mean on the ground, and a pattern
    svg = draw(path, folder, rules.replace('falling', 'rising'), 'Dots', *within, '--set', 'Dots.join=stacked', program=program)
    order = list(dict.fromkeys(rgb for kind, rgb, _, _, _, box in paths(svg) if kind == 'fill' and rgb in colours.values() and box[0] > 100))
    want = [colours[o] for o in sorted(owners, key=lambda o: sum(of[o]) / len(of[o])) if o != hidden and max(of[o]) > 0]
    assert order == want, (path, a, b, order, want)


def check_of_groups(folder, seed):
    """Groups by what they are called, how many they are, and what their tasks are together; those that are hidden are gone,
    and rows of closed groups stand in an order."""
    global checks
    r, path = random.Random(seed), os.path.join(folder, f'of-groups-{seed}.trace')
    subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(r.randrange(14, 40)), '--events', '2000', '--seed', str(seed), '-o', path], check=True)
    trace = raw.read(path)
    at = r.randrange((trace.first + trace.last) // 2, trace.last)
    state, _ = state_at(trace, at)
    of = collections.defaultdict(list)
    for n in state['nodes']:
        of[n['Host']].append(n)
    hosts = sorted(h for h in of if len(of[h]) > 1)
    colours = {h: f'{0x102030 + 0x060503 * i:06x}' for i, h in enumerate(hosts)}
    hidden = r.choice(hosts)
    when = ['--at', f'{at / trace.ticks:.9f}', '--hierarchy', 'host']
    rules = ('associations 1\ngroup name colour\n' + ''.join(f'  {h} = #{c}\n' for h, c in colours.items()) + f'group name hidden\n  {hidden} = yes\n')
    svg = draw(path, folder, rules, 'State graph', *when)
    discs = [rgb for kind, rgb, _, _, _, box in paths(svg) if kind == 'fill' and min(box) > 4 and abs(box[0] - box[1]) < 1 and rgb in colours.values()]
    assert collections.Counter(discs) == collections.Counter(c for h, c in colours.items() if h != hidden), (seed, at, discs)
    # numbers that count are added up, shares are a mean
    tasks = {h: len(of[h]) for h in hosts}
    for attribute, value in (('tasks', lambda h: tasks[h]), ('PercentBusy', lambda h: sum(float(n['PercentBusy']) for n in of[h]) / len(of[h])),
                             ('Received', lambda h: sum(float(n['Received']) for n in of[h]))):
        if attribute not in ('tasks', *state['nodes'][0]):
            continue
        top = max(value(h) for h in hosts) or 1
        svg = draw(path, folder, f'associations 1\ngroup {attribute} colour\n  ramp 0 .. {top:.9f} = #000000 .. #0000ff\n', 'State graph', *when)
        got = sorted(int(rgb[4:], 16) for kind, rgb, _, _, _, box in paths(svg)
                     if kind == 'fill' and min(box) > 4 and abs(box[0] - box[1]) < 1 and rgb.startswith('0000'))
        want = sorted(255 * value(h) / top for h in hosts)
        assert len(got) == len(want) and all(abs(x - y) <= 1.6 for x, y in zip(got, want)), (seed, at, attribute, got, want)
        checks += len(hosts)
    # rows of the space-time diagram
    rows = draw(path, folder, f'associations 1\ngroup tasks order\n  falling\ngroup name hidden\n  {hidden} = yes\n', 'Space-time', '--hierarchy', 'host', end='csv')
    host = {n['id']: n['Host'] for n in state['nodes']}
    seen = list(dict.fromkeys(host[line.split(',')[1]] for line in rows.splitlines()[1:] if line.startswith('state,')))
    everyone = collections.Counter(host.values())
    assert seen == sorted((h for h in everyone if h != hidden), key=lambda h: (-everyone[h], list(everyone).index(h))), (seed, hidden, seen, everyone)
    checks += 1


def check_unseen(folder):
    """A rule that no picture shows is told of."""
    global checks
    path = os.path.join(ROOT, 'traces', 'ring.trace')
    for rule, view, words in (('task Hots colour', 'State graph', 'no task has an attribute “Hots”; the nearest name is “Host”'),
                              ('task Host colour', 'Space-time', '“task Host colour”: Space-time does not show it'),
                              ('link TotalTrafic width', 'State graph', 'no link has an attribute “TotalTrafic”; the nearest name is “TotalTraffic”'),
                              ('region depht colour', 'Call timeline', 'no region has an attribute “depht”; the nearest name is “depth”'),
                              ('series mean shape', 'State graph', '“series mean shape”: State graph does not show it'),
                              ('group PercentBusi colour', 'State graph', 'the nearest name is “PercentBusy”'),
                              ('task Host chart', 'State graph', 'which is their State here: write “task State chart”'), ('task state chart', 'State graph', ''),
                              ('message sise colour', 'Space-time', 'the nearest name is “size”'), ('task State colour', 'Space-time', ''),
                              ('task host colour', 'State graph', ''), ('task Host label', 'Space-time', ''), ('link traffic width', 'State graph', '')):
        with open(os.path.join(folder, 'rules'), 'w', encoding='utf-8') as f:
            f.write(f'associations 1\n{rule}\n')
        done = subprocess.run([SCOPE, 'draw', path, '--view', view, '--associations', os.path.join(folder, 'rules'), '-o', os.path.join(folder, 'u.png'),
                               *(['--program', 'call-tree'] if view == 'Call timeline' else [])],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and words in done.stderr and (words or 'associations' not in done.stderr), (rule, view, done)
        checks += 1


def check_levels(folder):
    """The nearest wins; a value that it does not name is left to the next."""
    path, person = os.path.join(folder, 'ring.trace'), os.path.join(os.environ['XDG_CONFIG_HOME'], 'scope')
    shutil.copytree(os.path.join(ROOT, 'traces', 'ring.trace'), path)
    os.makedirs(person, exist_ok=True)

    def rule(colour, values='other', view=''):
        return f'associations 1\n{view}\ntask Name colour\n  {values} = #{colour}\n'

    def colours(**more):
        svg = paths(draw(path, folder, rules, 'Processor status', program='utilization', **more))
        return collections.Counter(rgb for kind, rgb, _, _, _, box in svg if kind == 'fill' and box[0] > 40 and box[1] > 14)

    rules, n = rule('000001'), len(raw.read(path).tasks)
    files = [os.path.join(person, 'associations'), os.path.join(path, 'associations')]
    for file, colour in zip(files, ('000002', '000003')):
        with open(file, 'w', encoding='utf-8') as f:
            f.write(rule(colour))
        assert colours(given=False) == {colour: n}
    assert colours() == {'000001': n}                   # what is given goes before the bundle
    rules = rule('000001', values=raw.read(path).tasks[min(raw.read(path).tasks)].id)
    assert colours() == {'000001': 1, '000003': n - 1}
    with open(files[0], 'w', encoding='utf-8') as f:    # for this view, though it comes from further away
        f.write(rule('000004', view='in "Processor status"'))
    assert colours() == {'000004': n}
    with open(files[0], 'w', encoding='utf-8') as f:    # a damaged one says nothing, and is told
        f.write(rule('0000zz'))
    assert colours() == {'000001': 1, '000003': n - 1}
    for file in files:
        os.remove(file)


BAD = (('', 'line 1'), ('task State colour\n', 'line 1: a file of associations begins'), ('associations 1\n  Busy = #000000\n', 'line 2: this line belongs to no rule'),
       ('associations 1\n\ntask State colr\n', 'line 3: “colr” is no channel'), ('associations 1\ntask State colour\n  Busy = red\n', 'line 3: “red” is no colour'),
       ('associations 1\ntask State colour\n  Busy = hsv(10, 20)\n', 'line 3: “hsv(10, 20)” is no colour'), ('associations 1\ntask State colour\n  Busy = hsl(1, 200, 3)\n', 'is no colour'),
       ('associations 1\ntask State chart\n  Busy = cake\n', 'line 3: “cake” is no chart'), ('associations 1\ntask PercentBusy fill\n  ramp 0 .. 1 = 0 .. 2\n', 'from 0 to 1'),
       ('associations 1\ntsk State colour\n', 'the nearest name is “task”'), ('associations 1\ntask State colour more\n', '“more” is more than'),
       ('associations 1\ntask X width\n  ramp 5 .. 1 = 1 .. 2\n', 'the numbers of a ramp grow'), ('associations 1\ntask X width\n  ramp 0 .. 1 = 1 .. 900\n', 'from 0 to 100'),
       ('associations 1\ntask X width\n  ramp 0 .. 1 = 1 .. 2 log\n', 'begins above 0'), ('associations 1\ntask X dash\n  ramp 0 .. 1 = solid .. dotted\n', 'a dash has no ramp'),
       ('associations 1\ntask X hidden\n  a = maybe\n', '“maybe” is no answer'), ('associations 1\ntask "X colour\n', 'a quotation mark is not closed'),
       ('associations 1\ntask X label\n  a = b\n', 'has no lines'), ('associations 1\ntask X shape\n  a = cube\n', '“cube” is no shape'), ('associations 1\ntask X size\n  a = 3\n', 'a size is from 0 to 1'),
       ('associations 1\ntask X x\n  a = 1.5\n', 'a place is from 0 to 1'),
       ('associations 1\nlink State chart\n', 'line 2: a chart is of the shares of what tasks do: only a rule for tasks has one'), ('associations 1\ntask State chart\n  cake\n', 'line 3: “cake” is no chart'),
       ('associations 1\ntask State chart\n  bar bar\n', '“bar” is more than'),
       ('associations 1\ntask X order\n  up\n', 'it is one of rising, falling'),
       ('associations 1\ntask X colour\n  1 .. 0 = #000000\n', 'ends behind its beginning'), ('associations 1\ntask X colour\n  a =\n', 'nothing stands behind'),
       ('associations 1\nin\n', 'which view is missing'))


def check_damaged(folder):
    global checks
    path, r = os.path.join(ROOT, 'traces', 'ring.trace'), random.Random(8)
    for text, words in BAD:
        said = draw(path, folder, text, 'State graph', fails=True)
        assert words in said, (text, said)
        checks += 1
    good = 'associations 1\ntask State colour\n  Busy = #b5179e\n  "x y" = #000000\n  f( = #ff0000\n  g (x = hsv(1, 2, 3)\nlink TotalTraffic width\n  ramp 0 .. 10 .. 99 = 1 .. 2 .. 3 root\ntask Host label\n'
    draw(path, folder, good, 'State graph')             # a parenthesis holds blanks in colours alone
    for _ in range(few(25)):                            # any byte another: a picture, or a sentence with a line
        data = list(good)
        for _ in range(r.randrange(1, 4)):
            data[r.randrange(len(data))] = chr(r.choice([0x20, 0x22, 0x2e, 0x3d, 0x0a, 0x5c, r.randrange(1, 0x250)]))
        with open(os.path.join(folder, 'rules'), 'w', encoding='utf-8') as f:
            f.write(''.join(data))
        done = subprocess.run([SCOPE, 'draw', path, '--view', 'State graph', '--associations', os.path.join(folder, 'rules'), '-o', os.path.join(folder, 'y.svg')],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 or (done.returncode == 1 and re.search(r'rules, line \d+: .', done.stderr)), (data, done)


def check_names(folder):
    """Names that a trace gives its states have the places that a file gives them, as a window that draws by another process does."""
    global checks
    names, rows = [f'call {i}' for i in range(6)], re.search(r'row\[2\]\[STATE_COLOURS\] = \{(.*?)\n\};', open(
        os.path.join(ROOT, 'simulators', 'state.c'), encoding='utf-8').read(), re.S)[1]
    light = re.findall('0x([0-9a-f]{6})', rows)[:24]
    path, file = os.path.join(folder, 'names.json'), os.path.join(folder, 'places')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('{"traceEvents":[' + ','.join(f'{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{1000 * i},"dur":1000}}' for i, name in enumerate(names)) + ']}')
    dice = random.Random(3)
    for places in (dice.sample(range(1, 25), len(names)) for _ in range(few(3))):
        with open(file, 'w', encoding='utf-8') as f:
            f.write(''.join(f'{place}\tState\t{name}\n' for place, name in zip(places, names)))
        svg = draw(path, folder, '', 'Space-time', '--name-colours', file, given=False)
        painted = {rgb for kind, rgb, *_ in paths(svg) if kind == 'fill'}
        assert {light[place - 1] for place in places} <= painted, (places, painted)
        assert not painted & {light[k] for k in range(24) if k + 1 not in places}, (places, painted)
        checks += len(names)
    with open(file, 'a', encoding='utf-8') as f:
        f.write('73\tState\tno such place\n')
    assert 'places, line 7: ' in draw(path, folder, '', 'Space-time', '--name-colours', file, given=False, fails=True)


with tempfile.TemporaryDirectory(prefix='scope-associations-') as scratch:
    os.environ['XDG_CACHE_HOME'] = os.environ['XDG_DATA_HOME'] = os.environ['XDG_CONFIG_HOME'] = os.path.join(scratch, 'home')
    for name, seed in (('fft2d-s16.trace', 1), ('heat2d.trace', 2)):
        bundle = os.path.join(ROOT, 'traces', name)
        execution, rng, others = raw.read(bundle), random.Random(seed), random.Random(seed)
        for instant in (rng.randrange(execution.first + 1, execution.last) for _ in range(few(6))):
            check_instant(bundle, execution, instant, scratch)
        check_messages(bundle, execution, scratch)
        for _ in range(few(3)):
            check_regions(bundle, execution, scratch, others)
            check_series(bundle, execution, scratch, others)
        for instant in (rng.randrange(execution.first + 1, execution.last) for _ in range(few(3))):
            check_shapes(bundle, execution, instant, scratch)
            check_places(bundle, execution, instant, scratch)
            check_charts(bundle, execution, instant, scratch)
            check_six(bundle, execution, instant, scratch)
        for instant in (rng.randrange((execution.first + execution.last) // 2, execution.last) for _ in range(few(3))):
            check_groups(bundle, execution, instant, scratch)
    for seed in range(few(3)):
        check_of_groups(scratch, seed)
    check_levels(scratch)
    check_unseen(scratch)
    check_damaged(scratch)
    check_names(scratch)
print(f'{checks} looks are right')
assert checks > 300
