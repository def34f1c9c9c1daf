# SPDX-License-Identifier: Apache-2.0
"""Groups of tasks in the window: chosen in the menu of any view, opened and closed there, the same in all views, undone, kept."""
import collections
import json
import os
import re
import subprocess

from harness import ROOT, SCOPE, Case, main, session


class Groups(Case):
    def picture(self, w, view):
        return w.wait_for('drawing area', f'Picture of {view}')

    def names(self, w, view):
        return [i.name for i in self.picture(w, view).children[:80]]

    def has(self, w, view, *wanted, gone=()):
        def look():
            names = self.names(w, view)
            return all(any(re.match(n, name) for name in names) for n in wanted) and not any(re.match(n, name) for n in gone for name in names)
        w.wait(look, f'{view} shows {wanted}, not {gone}')

    def choose(self, w, view, item, **where):
        self.picture(w, view).click(button=3, **where)
        w.wait_for('menu', 'Groups').click()
        w.wait_for(None, item).click()
        w.wait_gone('menu', 'Groups')

    def opened(self, *synth):
        """At an instant at which all tasks live."""
        w = self.start(self.synth(*synth))
        self.has(w, 'Space-time', 't40001')
        self.picture(w, 'Space-time').click(times=2, fx=0.6, fy=0.05)
        self.has(w, 'State graph', 't40001')
        return w

    def row(self, w, view, name):
        return w.wait(lambda: next((i for i in self.picture(w, view).children[:80] if re.match(name, i.name)), None), f'{name} in {view}')

    def test_open_and_close(self):
        w = self.opened(12, 600)
        self.has(w, 'Space-time', 't40001', 't4000c')
        self.choose(w, 'Space-time', re.compile('^Hosts'), fx=0.5, fy=0.5)
        for view in ('Space-time', 'State graph'):
            self.has(w, view, r'node0 \(4\)', r'node2 \(4\)', gone=('t40001$', 't40001:'))
        # A menu that was left behind means nothing to the key: it opens what is selected.
        self.row(w, 'Space-time', r'node0 \(4\)').click(button=3, fx=0.02)
        w.wait_for('menu', 'Groups')
        w.key('Escape')
        w.wait_gone('menu', 'Groups')
        self.row(w, 'Space-time', r'node2 \(4\)').click(fx=0.02)
        w.key('e')
        self.has(w, 'State graph', r'node0 \(4\)', 't40009', gone=(r'node2 \(4\)',))
        w.key('ctrl+z')
        self.has(w, 'State graph', r'node2 \(4\)', gone=('t40009',))
        # A double click opens, in all views.
        self.row(w, 'Space-time', r'node1 \(4\)').click(times=2, fx=0.02)
        for view in ('Space-time', 'State graph'):
            self.has(w, view, r'node0 \(4\)', 't40005', gone=(r'node1 \(4\)',))
        # A heading closes it again; so does undo, step by step.
        self.row(w, 'Space-time', 'node1, 4 tasks').click(times=2)
        self.has(w, 'State graph', r'node1 \(4\)', gone=('t40005',))
        self.picture(w, 'State graph').click(fx=0.02, fy=0.95)
        w.key('alt+plus')
        self.has(w, 'Space-time', 't40001', 't40005', 't4000c', gone=(r'node\d \(4\)',))
        w.key('alt+minus')
        self.has(w, 'Space-time', r'node0 \(4\)', r'node1 \(4\)', gone=('t40005',))
        for wanted, gone in (('t40005', r'node\d \(4\)'), (r'node1 \(4\)', 't40005'), ('t40005', r'node1 \(4\)')):
            w.key('ctrl+z')
            self.has(w, 'State graph', wanted, gone=(gone,))
        self.choose(w, 'State graph', 'Each Task Alone', fx=0.02, fy=0.95)
        self.has(w, 'Space-time', 't40001', 't4000c', gone=('node',))

    def test_those_of_one_view(self):
        """Rows that Space-time alone stands below hosts are closed as groups by Alt+minus, in all views, and opened; undo brings them back."""
        w = self.opened(12, 600)
        self.picture(w, 'Space-time').click(fx=0.02, fy=0.95)
        w.key('ctrl+k')
        w.wait_for('text', 'Find')
        w.type('group by host')
        w.wait(lambda: w.find('list box', 'Found').children[0].name.startswith('Group by, in This View Alone: host'), 'it is the first')
        w.key('Return')
        w.wait_gone('text', 'Find')
        self.has(w, 'Space-time', 'node0', 't40001')
        w.key('alt+plus')
        w.wait_for('label', 'All groups are open: Alt+minus closes them')
        w.key('alt+minus')
        for view in ('Space-time', 'State graph'):
            self.has(w, view, r'node0 \(4\)', r'node2 \(4\)', gone=('t40001$', 't40001:'))
        w.key('alt+plus')
        self.has(w, 'Space-time', 't40001', 't4000c', gone=(r'node\d \(4\)',))

    def test_with_hidden_rows(self):
        """E, and a double click, open a group of which some tasks are hidden."""
        trace, program = self.synth(12, 600), self.path('hides.eve')
        with open(os.path.join(ROOT, 'schemas', 'tapepvm', 'views.eve'), encoding='utf-8') as f:
            text = f.read()
        before = re.search(r'<component name="Space-time"[^>]*?/?>', text).group()
        whole = before.replace('/>', '>') + '<setting name="hidden">t40001</setting>' + ('</component>' if before.endswith('/>') else '')
        with open(program, 'w', encoding='utf-8') as f:
            f.write(text.replace(before, whole))
        w = self.start(trace, program)
        self.has(w, 'Space-time', 't40002', gone=('t40001',))
        self.choose(w, 'Space-time', re.compile('^Hosts'), fx=0.5, fy=0.5)
        for way in (lambda row: (row.click(fx=0.02), w.key('e')), lambda row: row.click(times=2, fx=0.02)):
            self.has(w, 'Space-time', r'node0 \(3 of 4\)', gone=('t40002',))
            way(self.row(w, 'Space-time', r'node0 \(3 of 4\)'))
            self.has(w, 'Space-time', 't40002', gone=(r'node0 \(3',))
            w.key('ctrl+z')

    def test_a_selected_group(self):
        """The inspector tells name, number, states, sums and means of a group, as they come out of its members one by one."""
        trace = self.copy('mpi-stencil.otf2')
        w = self.start(trace)
        self.has(w, 'Space-time', 'rank 0')
        self.choose(w, 'Space-time', re.compile('^Hosts'), fx=0.5, fy=0.5)
        self.picture(w, 'Space-time').click(times=2, fx=0.65, fy=0.05)
        self.has(w, 'State graph', r'host1 \(\d\)')
        self.row(w, 'State graph', r'host1 \(\d\)').click()
        title = w.wait_for('label', re.compile(r'^host1: \d tasks$'))
        n = int(title.name.split()[1])
        pane = w.wait(lambda: next((p for p in w.find_all('panel', 'State graph') if p.find('drawing area', 'Picture of State graph')), None), 'a pane')
        date = re.match(r'[\d.]+', pane.description.replace('\u202f', '')).group()
        nodes = json.loads(subprocess.run([SCOPE, 'state', trace, '--at', date, '--json'], capture_output=True, check=True, env=session().env).stdout)['nodes']
        self.assertGreater(n, len(nodes))           # the machine is among them, and does nothing
        w.wait_for('label', f'Of the {len(nodes)} that live at this instant:')
        numbers = {name: [int(node[name]) for node in nodes] for name in ('Sent', 'Received', 'Calls')}
        said = {name: f'sum {sum(of)}, mean {sum(of) / len(of):.1f}; {min(of)} to {max(of)}' for name, of in numbers.items()}
        shares = [float(node['PercentNoState']) for node in nodes]
        for name, want in said.items():
            w.wait(lambda: w.find('label', name).description.replace('\u202f', '') == want, f'{name} is {want}')
        mean = float(w.find('label', 'PercentNoState').description.split(';')[0].split()[1])
        self.assertAlmostEqual(mean, sum(shares) / len(shares), delta=0.1)
        states = collections.Counter(node['State'] for node in nodes)
        found = dict(part.rsplit(' ', 1) for part in w.find('label', 'State').description.split(', '))
        self.assertEqual({name: int(k) for name, k in found.items()}, states)
        # Where tasks are not in groups there is nothing to open, and that is said.
        self.choose(w, 'Space-time', 'Each Task Alone', fx=0.5, fy=0.5)
        self.has(w, 'Space-time', 'rank 0')
        w.key('alt+e')
        w.wait_for('label', re.compile('^Tasks are not shown in groups'))

    def test_a_large_group_is_exported_as_it_is_selected(self):
        """240 tasks of a group that is open: in an exported figure all of them stand out, as in one that is told of each."""
        n = 240
        ids = [f'THREAD 1.{i}.1' for i in range(1, n + 9)]
        trace, figure, same = self.path('large.prv'), self.path('figure.svg'), self.path('same.svg')
        with open(trace, 'w') as f:
            f.write(f'#Paraver (01/01/2020 at 00:00):2000_ns:2({n},8):1:{n + 8}({",".join(["1:1"] * n + ["1:2"] * 8)})\n')
            f.writelines(f'1:{i}:1:{i}:1:0:{1000 + 4 * i}:1\n1:{i}:1:{i}:1:{1000 + 4 * i}:2000:3\n' for i in range(1, n + 9))
        w = self.start(trace)
        w.wait_gone('label', re.compile('^Shooting'), 60)
        w.key('End')
        self.choose(w, 'Space-time', re.compile('^Hosts'), fx=0.5, fy=0.5)
        group = self.row(w, 'Space-time', rf'.* \({n} of \d+\)')
        name = group.name.rsplit(' (', 1)[0]
        group.click(fx=0.02)
        w.wait(lambda: self.row(w, 'Space-time', name + ' ').state('selected'), 'it is selected')
        w.key('alt+plus')
        self.has(w, 'Space-time', 'THREAD 1.1.1', gone=(rf'{name} \(',))
        w.wait_for('label', re.compile(rf' and {n - 1} more$'))
        w.key('ctrl+e')
        w.wait_for('push button', 'Export')
        w.key('ctrl+a')
        w.type(figure)
        w.key('Return')
        w.wait_for('label', 'Written: ' + figure)
        with open(figure, encoding='utf-8') as f:
            drawn = f.read()
        width, height = re.search(r'<svg[^>]* width="(\d+)px" height="(\d+)px"', drawn).groups()

        def draw(selected):
            subprocess.run([SCOPE, 'draw', trace, '--view', 'Space-time', '--heading', '--hierarchy', 'host', '--open', 'all', '--size',
                            f'{width}x{height}', '-o', same, '--quiet', *(word for i in selected for word in ('--select', i))],
                           check=True, env=session().env)
            with open(same, encoding='utf-8') as f:
                return f.read()
        self.assertEqual(draw(ids[:n]), drawn)
        self.assertNotEqual(draw(ids[:200]), drawn)

    def test_a_colour_is_dropped_on_a_ring(self):
        """The middle of a closed group has the colour that is dropped on it, no other group has; it is kept by the group's name, and taken back."""
        orange = (0xd9, 0x73, 0x0d)
        w = self.opened(12, 600)
        self.choose(w, 'State graph', re.compile('^Hosts'), fx=0.02, fy=0.95)
        self.has(w, 'State graph', r'node0 \(4\)', r'node1 \(4\)')

        def middle(name):
            x, y, width, height = (round(v) for v in self.row(w, 'State graph', name).box)
            return w.colour(x + width // 2, y + height // 2), (x + width // 2, y + height // 2)
        w.settle()
        self.assertNotEqual(middle(r'node0 \(4\)')[0], orange)
        colour = w.wait_for('push button', 'Colour of Overhead')
        colour.drag_to(middle(r'node0 \(4\)')[1])
        near = lambda rgb: sum(abs(a - b) for a, b in zip(rgb, orange)) < 40                                      # noqa: E731

        def tinted(name):       # the number of its tasks stands in the middle
            x, y, width, height = (round(v) for v in self.row(w, 'State graph', name).box)
            return any(near(w.colour(x + width // 2 + i, y + height // 2 + k)) for i in range(-12, 13, 3) for k in range(-12, 13, 3))
        w.wait(lambda: tinted(r'node0 \(4\)'), 'the group has the colour')
        self.assertFalse(tinted(r'node1 \(4\)'))
        with open(os.path.join(os.environ['XDG_CONFIG_HOME'], 'scope', 'colours')) as f:
            self.assertRegex(f.read(), r'\[Group\]\nnode0=#d9730d')
        w.find('push button', 'All colours as they came').click()
        w.wait(lambda: not tinted(r'node0 \(4\)'), 'it is as it came')

    def test_by_hand(self):
        w = self.opened(6, 400)
        self.row(w, 'Space-time', 't40002').click(fx=0.01)
        self.row(w, 'State graph', 't40002')
        self.row(w, 'Space-time', 't40003')
        row = self.row(w, 'Space-time', 't40004')
        w.click(*row.at(0.01, 0.5), keys=('ctrl',))
        self.choose(w, 'State graph', 'Make a Group of the Selected', fx=0.02, fy=0.95)
        for view in ('Space-time', 'State graph'):
            self.has(w, view, r'group 1 \(2\)', 't40001', gone=('t40002', 't40004'))
        # Another group takes tasks from the first, which all views show at once; each step is undone by itself.
        self.row(w, 'Space-time', 't40003').click(fx=0.01)
        row = self.row(w, 'Space-time', r'group 1 \(2\)')
        w.click(*row.at(0.01, 0.5), keys=('ctrl',))
        self.choose(w, 'State graph', 'Make a Group of the Selected', fx=0.02, fy=0.95)
        for view in ('Space-time', 'State graph'):
            self.has(w, view, r'group 2 \(3\)', 't40001', gone=('group 1', 't40003'))
        w.key('ctrl+z')
        for view in ('Space-time', 'State graph'):
            self.has(w, view, r'group 1 \(2\)', 't40003', gone=('group 2',))
        w.key('ctrl+z')
        self.has(w, 'Space-time', 't40002', 't40004', gone=('group 1',))


if __name__ == '__main__':
    main()
