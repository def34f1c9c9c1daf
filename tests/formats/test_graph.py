# SPDX-License-Identifier: Apache-2.0
"""Graphs in Graphviz's language and as GraphML: made ones beside what they were made of, those of Graphviz beside its own
reading of them, states that Scope has written beside themselves, and damage."""
import json
import os
import random
import re
import resource
import shutil
import subprocess
import unittest
from xml.sax.saxutils import escape, quoteattr

from formats import ROOT, Format, few, main

OWN = {'id', 'Name', 'Nickname', 'Inside', 'State', 'LinksOut', 'LinksIn', 'from', 'to', 'From', 'To'}
WORDS = ['a', 'node', 'Graph', 'strict', 'two words', 'é', '-3', '.5', '0x1f', 'a"b', 'x;y', '[', '}', '->', '#', '//', 'back\\\\slash', '{b}']
VALUES = ['1', '-2.5', '1e3', '007', 'red', 'a "quoted" one', 'a, b; c', '<tag>', 'Größe', '12345678901234567890', '{', ']']


def number(text):
    """As the reader takes it: the text that its number has."""
    if not re.fullmatch(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?', text) or re.match(r'[+-]?0\d', text):
        return None
    return f'{float(text):.15g}' if len(re.sub(r'[eE].*|\D', '', text)) <= 15 else None


class Made:
    """A graph, and how it is written down: each node with values, links that may be several between two nodes."""

    def __init__(self, seed, names=WORDS, kinds=None):
        r = self.r = random.Random(seed)
        self.directed = r.random() < .7
        kinds = kinds or [r.choice([VALUES, VALUES[:3]]) for _ in range(6)]
        names = r.sample(names + [f'n{i}' for i in range(20)], r.randrange(1, 20))
        self.groups = {f'cluster{i}': r.choice([None, *[f'cluster{k}' for k in range(i)]]) for i in range(r.randrange(4))}
        self.nodes = {n: {f'p{i}': r.choice(v) for i, v in enumerate(kinds[:3]) if r.random() < .7} for n in names}
        self.inside = {n: r.choice([None, *self.groups]) for n in names}
        self.links = [(r.choice(names), r.choice(names), f'k{i}', {f'q{i}': r.choice(v) for i, v in enumerate(kinds[3:]) if r.random() < .6})
                      for i in range(r.randrange(30))]

    def quoted(self, text):
        if re.fullmatch(r'[A-Za-z_]\w*|-?(\.\d+|\d+(\.\d*)?)', text, re.A) and self.r.random() < .7 and \
                text.lower() not in ('node', 'edge', 'graph', 'digraph', 'subgraph', 'strict'):
            return text
        text = text.replace('"', '\\"')
        at = self.r.randrange(len(text) + 1)
        if self.r.random() < .2 and '\\' not in text:
            return f'"{text[:at]}" + /* joined */ "{text[at:]}"'
        return f'"{text}"'

    def list(self, values):
        if not values:
            return ''
        return ' [' + self.r.choice([', ', ';', ' ', '][']).join(f'{n}={self.quoted(v)}' for n, v in values.items()) + ']'

    def dot(self):
        r, out = self.r, []
        blank = lambda: r.choice(['', ' ', '\n', ' // remark\n', ' /* a\n { */ ', '\n# 12 "file"\n'])                # noqa: E731
        end = lambda: r.choice([';', '\n', ' ;\n'])                                                                # noqa: E731

        def group(name):
            out.append(f'subgraph {name} {{{blank()}')
            for n in self.nodes:
                if self.inside[n] == name:
                    out.append(self.quoted(n) + end())
            for g, around in self.groups.items():
                if around == name:
                    group(g)
            out.append(f'}}{end()}')
        for g, around in self.groups.items():
            if around is None:
                group(g)
        things = list(self.nodes) + self.links
        r.shuffle(things)
        for t in things:
            if isinstance(t, str):
                out.append(f'{self.quoted(t)}{self.list(self.nodes[t])}{end()}{blank()}')
            else:
                port = r.choice(['', '', ':n', ':p:se'])
                out.append(f'{self.quoted(t[0])}{port} {"->" if self.directed else "--"}{blank()} {self.quoted(t[1])}'
                           f'{self.list({**t[3], "key": t[2]})}{end()}')
        return f'{blank()}{"digraph" if self.directed else "Graph"} {r.choice(["", "G", chr(34) + "a name" + chr(34)])} {{{blank()}{"".join(out)}}}\n'

    def graphml(self):
        keys = ''.join(f'<key id="d{n}" for="{"node" if n[0] == "p" else "edge"}" attr.name="{n}"/>' for n in
                       sorted({n for v in self.nodes.values() for n in v} | {n for *_, v in self.links for n in v}))
        data = lambda values: ''.join(f'<data key="d{n}">{escape(v)}</data>' for n, v in values.items())           # noqa: E731
        things = [f'<node id={quoteattr(n)}>{data(v)}</node>' for n, v in self.nodes.items()] + \
            [f'<edge id="{k}" source={quoteattr(a)} target={quoteattr(b)}>{data(v)}</edge>' for a, b, k, v in self.links]
        self.r.shuffle(things)
        way = 'directed' if self.directed else 'undirected'
        return (f'<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}<graph edgedefault="{way}">'
                + '\n'.join(things) + '</graph></graphml>\n')

    def expected(self, groups=True):
        """Attributes of which all values are numbers are numbers; what has no value is not there."""
        things = [*self.nodes.values(), *[v for *_, v in self.links]]
        texts = {n for v in things for n in v if number(v[n]) is None}
        shown = lambda v: {n: t if n in texts else number(t) for n, t in v.items()}                                # noqa: E731
        nodes = {n: (shown(v), self.inside[n] or '' if groups else '') for n, v in self.nodes.items()}
        return nodes, {k: (a, b, shown(v)) for a, b, k, v in self.links}


class Graph(Format):
    def read(self, path):
        state = self.state(path, '0')
        values = lambda o: {n: v for n, v in o.items() if n not in OWN and v not in (None, '')}                     # noqa: E731
        return ({n['id']: (values(n), n['Inside']) for n in state['nodes']},
                {e['Name']: (e['from'], e['to'], values(e)) for e in state['edges']}, state)

    def check(self, made, name, text, groups=True):
        path = self.path(name, text)
        nodes, links, state = self.read(path)
        want_nodes, want_links = made.expected(groups)
        self.assertEqual(nodes, want_nodes, text)
        self.assertEqual(links, want_links, text)
        self.assertEqual(len(state['edges']), len(made.links), text)
        for n in state['nodes']:
            self.assertEqual((int(n['LinksOut']), int(n['LinksIn'])),
                             (sum(a == n['id'] for a, *_ in made.links), sum(b == n['id'] for _, b, *_ in made.links)))
        self.assertEqual(self.info(path)['damaged'], 0, text)

    def test_made_dot(self):
        for seed in range(few(20)):
            made = Made(seed)
            self.check(made, f'{seed}.dot', made.dot())

    def test_made_graphml(self):
        for seed in range(few(12)):
            made = Made(seed)
            self.check(made, f'{seed}.graphml', made.graphml(), groups=False)

    @unittest.skipUnless(shutil.which('dot'), 'Graphviz is not there')
    def test_as_graphviz_reads_it(self):
        """Nodes, and how many links join which: of statements that no two programs may read in two ways."""
        text = ('strict digraph S { node [w=1]; edge [c=2]; a -> b -> {c d; e -> f} -> g; subgraph x { node [w=3]; h; b -> h [c=4] }\n'
                'a -> b [c=5]; i; b [w=7]; subgraph cluster_k { label="Group k"; j -> {k l} }; "a\\nb" -> c; a -> a }')
        path = self.path('s.dot', text)
        done = subprocess.run(['dot', '-Tdot_json', path], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        theirs = json.loads(done.stdout)
        names = {o['_gvid']: o['name'] for o in theirs['objects'] if 'nodes' not in o and 'subgraphs' not in o and not o['name'].startswith(('x', 'cluster', '%'))}
        nodes, _, state = self.read(path)
        self.assertEqual(set(nodes), set(names.values()))
        self.assertEqual(sorted((e['from'], e['to'], e['c']) for e in state['edges']),
                         sorted((names[e['tail']], names[e['head']], e['c']) for e in theirs['edges']))
        for o in theirs['objects']:
            if o['name'] in nodes and 'w' in o:
                self.assertEqual(nodes[o['name']][0].get('w'), o['w'], o)
        self.assertEqual({n for n in nodes if nodes[n][1] == 'Group k'}, {'j', 'k', 'l'})

    def test_layout_dot_leads_downward(self):
        """In a graph without circles each arrow points down, in whatever order nodes are told."""
        for seed in range(few(4)):
            r = random.Random(seed)
            n = r.randrange(3, 12)
            names = r.sample(range(n), n)               # links go from lower to higher, nodes are told in this order
            links = {(a, a + 1) for a in range(n - 1)} | {tuple(sorted(r.sample(range(n), 2))) for _ in range(n)}
            path = self.path(f'd{seed}.dot', 'digraph {' + ';'.join(map(str, names)) + ''.join(f';{a}->{b}' for a, b in links) + '}')
            out = self.path('d.svg')
            self.scope('draw', path, '--view', 'Graph', '--set', 'Graph.layout=dot', '--size', '900x900', '-q', '-o', out)
            with open(out) as f:
                number = r'(-?[\d.]+)'
                heads = [tuple(map(float, h)) for h in re.findall(rf'M {number} {number} L {number} {number} L {number} {number} Z', f.read())]
            heads = [h for h in heads if h[1] > 40]     # above is the legend
            self.assertGreaterEqual(len(heads), n - 1)
            self.assertFalse([h for h in heads if h[1] <= (h[3] + h[5]) / 2], path)

    def test_state_is_written_and_read_again(self):
        """What `state --dot` writes has the same nodes, links and attributes when it is opened."""
        r = random.Random(4)
        for name in ('fft2d-s16', 'ring', 'bank', 'philosophers', 'mpi-farm'):
            trace = next(p for p in (os.path.join(ROOT, 'traces', name + e) for e in ('.trace', '.otf2')) if os.path.exists(p))
            if name.startswith('mpi') and not trace.endswith('.trace') and 'otf2' not in self.scope('components')[0]:
                continue
            info = self.info(trace)
            at = f"{info['first'] + r.random() * (info['last'] - info['first']):.9f}"
            before = self.state(trace, at)
            path = self.path(name + '.dot', self.scope('state', trace, '--at', at, '--dot')[0])
            after = self.state(path, '0')
            for of in ('nodes', 'edges'):
                self.assertEqual([o['id'] for o in before[of]], [o['id'] for o in after[of]], name)
                for one, two in zip(before[of], after[of]):
                    for attribute, value in one.items():
                        again = two.get(attribute + ' (attribute)', two.get(attribute))
                        if re.fullmatch(r'-?\d+\.?\d*', str(value)):
                            self.assertEqual(float(value), float(again), (name, one['id'], attribute))
                        else:
                            self.assertEqual(value or '', again or '', (name, one['id'], attribute))

    def test_colours_of_the_file_are_those_of_the_picture(self):
        """Names of X11, six digits, eight, hues, lists, lists of schemes; what is filled goes before the outline."""
        import colorsys
        hue = random.Random(3).random()
        made = {'red': 'ff0000', 'LightBlue': 'add8e6', 'lightblue3': '9ac0cd', 'gray': 'c0c0c0', 'grey30': '4d4d4d', '#1a2b3c': '1a2b3c', '#1a2b3c80': '1a2b3c',
                '#fa0': 'ffaa00', '/x11/navy': '000080', 'gold;0.5:blue': 'ffd700', 'none': None, 'transparent': None, '#12345600': None,
                f'{hue:.3f} 0.5 0.75': ''.join(f'{int(255 * x + .5):02x}' for x in colorsys.hsv_to_rgb(float(f'{hue:.3f}'), .5, .75))}
        text = 'digraph {' + ''.join(f'n{i} [color="{c}"];' for i, c in enumerate(made)) + 'f [color=red, fillcolor=blue, style=filled]; n0 -> n1 [color=darkgreen]}'
        nodes, links, _ = self.read(self.path('c.dot', text))
        for i, (written, rgb) in enumerate(made.items()):
            self.assertEqual(nodes[f'n{i}'][0].get('colour'), rgb and '#' + rgb, written)
        self.assertEqual(nodes['f'][0]['colour'], '#0000ff')
        self.assertEqual([v['colour'] for *_, v in links.values()], ['#006400'])
        out = self.path('c.svg')
        self.scope('draw', self.path('c.dot'), '--view', 'Graph', '--size', '1200x900', '-q', '-o', out)
        with open(out) as f:
            svg = f.read()
        painted = {''.join(f'{round(float(x) * 2.55):02x}' for x in c) for c in re.findall(r'rgb\(([\d.]+)%,([\d.]+)%,([\d.]+)%\)', svg)}
        self.assertEqual({rgb for rgb in made.values() if rgb} - painted, set())
        plain = self.path('plain.svg')
        self.scope('draw', self.path('p.dot', 'digraph { a -> b }'), '--view', 'Graph', '-q', '-o', plain)
        with open(plain) as f:
            self.assertNotIn('100%,0%,0%', f.read())

    def test_clusters_fold(self):
        """Clusters are groups that can be opened and closed."""
        path = self.path('k.dot', 'digraph { subgraph cluster_a { label="Group a"; a1 -> a2 -> a3 } subgraph cluster_b { b1 -> b2 } a3 -> b1 }')
        links = {}
        for more in ((), ('--hierarchy', 'inside'), ('--hierarchy', 'inside', '--open', 'all')):
            out = self.path('k.svg')
            self.scope('draw', path, '--view', 'Graph', *more, '-q', '-o', out)
            with open(out, encoding='utf-8') as f:
                heads = re.findall(r'M [-\d.]+ [-\d.]+ L [-\d.]+ [-\d.]+ L [-\d.]+ [-\d.]+ Z', f.read())
            links[len(more)] = len(heads) - 1  # one is in the legend
        self.assertEqual((links[0], links[4]), (4, 4))
        self.assertLess(links[2], 4)

    def test_a_number_that_splits_is_told(self):
        told = self.scope('info', self.path('s.dot', 'digraph { a [v=5-3]; b [v=-7]; c -> d [w=1e-05]; e--f }'))
        self.assertIn('“5” and the “-3” behind it', ' '.join(told))
        self.assertNotIn('-7', ' '.join(told))
        self.assertNotIn('05”', ' '.join(told))

    def test_views(self):
        made = Made(3)
        path = self.path('views.dot', made.dot())
        for view, ending in (('Graph', 'svg'), ('Nodes', 'csv'), ('Links', 'csv')):
            self.scope('draw', path, '--view', view, '-o', self.path(f'{view}.{ending}'))
        with open(self.path('Nodes.csv'), encoding='utf-8') as f:
            self.assertEqual(len(f.read().splitlines()), 1 + len(made.nodes))
        with open(self.path('Graph.svg'), encoding='utf-8') as f:
            self.assertIn('<svg', f.read())
        self.scope('draw', path, '--view', 'Graph', '--hierarchy', 'inside', '-o', self.path('groups.svg'))

    def test_travel_and_packing(self):
        self.check_travel_and_packing('packed.dot', Made(7).dot().encode(), ['0'])

    def test_damage(self):
        text = Made(5).dot().encode()
        self.check_damage('g.dot', text, cut=101)
        self.check_damage('g.graphml', Made(5).graphml().encode(), cut=101)

    def test_what_is_wrong_is_told(self):
        for text, told in (('digraph { a -> b; c [x=', 'the file ends inside of the graph'),
                           ('digraph { a -> b ] ; c }', r'“]” makes no sense here'),
                           ('digraph { "a', 'a text in quotation marks has no end'),
                           ('digraph { ' + '{' * 500 + 'a' + '}' * 500 + ' b }', 'subgraphs are inside of more than 64 others'),
                           ('digraph { a [' + ' '.join(f'x{i}=1' for i in range(300)) + '] }', 'more than 256 attributes'),
                           ('<graphml><graph><node id="a"/><edge source="a" target="z"/></graph></graphml>', 'node that is not there: 1'),
                           ('<graphml><graph><node id="a"/><node id="b"><data key="no">1</data>', 'a key “no”')):
            self.assertIn(told, self.scope('check', self.path('wrong.dot', text), status=(0, 1))[0], text[:40])
        self.assertIn('no graph in it', self.scope('info', self.path('none.graphml', '<graphml></graphml>'), status=1)[1])

    def test_exponents(self):
        """Numbers without quotation marks keep the sign of their exponent, also where a block of the file ends in it."""
        numbers = ['1e-05', '-2.5E-3', '.5e+2', '1e5']
        for blanks in (0, 65536 - 15, 65536 - 14, 65536 - 13):
            text = 'digraph {' + ' ' * blanks + ''.join(f'n{i} [v={n}];' for i, n in enumerate(numbers)) + ' 1e->n0; 2e--n1; n0->-3 }'
            nodes = {n['id']: n for n in self.state(self.path(f'exponents{blanks}.dot', text), '0')['nodes']}
            self.assertEqual([float(nodes[f'n{i}']['v']) for i in range(4)], [float(n) for n in numbers])
            self.assertEqual(sorted(nodes), ['-3', '1e', '2e', 'n0', 'n1', 'n2', 'n3'])

    def test_many_links_by_few_words(self):
        """Sets of nodes that are joined: more links than there may be are told, and none is an hour's work."""
        nodes = ' '.join(f'n{i}' for i in range(2100))
        path = self.path('many.dot', f'digraph {{ {{{nodes}}} -> {{{nodes}}} }}')
        self.assertIn('more than 4000000 links', json.dumps(self.info(path)))

    def test_tables_of_many_links(self):
        """The table of links takes their number, not its square: four times as many are not sixteen times the work."""
        def work():
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime
        took = []
        for n in (10000, 40000):
            path = self.path(f'chain{n}.dot', 'digraph {' + ''.join(f'a{i}->a{i + 1};' for i in range(n)) + '}')
            before = work()
            self.scope('run', path, '--program', 'views', '--out', self.path(f'out{n}'))
            took.append(work() - before)
            with open(self.path(f'out{n}/links.csv'), encoding='utf-8') as f:
                self.assertEqual(len(f.readlines()), 1 + n)
        self.assertLess(took[1], 8 * took[0])


if __name__ == '__main__':
    main()
