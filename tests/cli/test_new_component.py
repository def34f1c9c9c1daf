# SPDX-License-Identifier: Apache-2.0
"""scope new-component: every kind comes out as its template says, and builds with nothing but a compiler.  That each
passes its own tests is checked by tests/components/templates.py."""
import os
import re
import shutil
import subprocess
import unittest

from cli import ROOT, SCOPE, Case, scope

TEMPLATES = os.path.join(ROOT, 'src', 'templates')
BUILD = os.path.dirname(os.path.dirname(SCOPE))
PACKAGES = f", 'pkg_config_path={BUILD}/meson-uninstalled'"
KINDS = ['flow', 'math', 'analysis', 'reader', 'simulator', 'view', 'layout']


class NewComponent(Case):
    def test_each_kind(self):
        for kind in KINDS:
            made = self.path('deep', kind)
            self.good('new-component', f'my-{kind}-2', '--kind', kind, '-o', made)
            marks = {'@NAME@': f'my-{kind}-2', '@IDENT@': f'my_{kind}_2', '@LABEL@': f'My {kind} 2', '@PACKAGES@': PACKAGES}

            def filled(text):
                return re.sub('@(NAME|IDENT|LABEL|PACKAGES)@', lambda m: marks[m[0]], text)
            names = os.listdir(os.path.join(TEMPLATES, kind))
            self.assertEqual(sorted(os.listdir(made)), sorted(map(filled, names)))
            self.assertIn(f'my-{kind}-2.c', os.listdir(made))
            for name in names:
                with open(os.path.join(TEMPLATES, kind, name)) as f, open(os.path.join(made, filled(name))) as g:
                    text = g.read()
                    self.assertEqual(text, filled(f.read()))
                    self.assertNotRegex(text, '@[A-Z]+@')

    def test_a_model_is_a_simulator(self):
        for kind in ('model', 'simulator'):
            self.good('new-component', 'mine', '--kind', kind, '-o', self.path(kind))
        for name in os.listdir(self.path('simulator')):
            with open(self.path('simulator', name)) as f, open(self.path('model', name)) as g:
                self.assertEqual(f.read(), g.read(), name)

    @unittest.skipUnless(shutil.which('meson') and shutil.which('pkg-config'), 'needs Meson')
    def test_right_after_make_run(self):
        """As its README says, with a Scope that is built and not installed."""
        made = self.path('first')
        self.good('new-component', 'first', '--kind', 'flow', '-o', made)
        env = {k: v for k, v in os.environ.items() if k not in ('DESTDIR', 'NINJA', 'PKG_CONFIG_PATH', 'CFLAGS', 'LDFLAGS')}
        for command in (['meson', 'setup', 'build'], ['ninja', '-C', 'build'], ['meson', 'test', '-C', 'build']):
            done = subprocess.run(command, cwd=made, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r'(?s)conformance.*Ok: +2')

    def compiled(self, name):
        glib = subprocess.run(['pkg-config', '--cflags', 'glib-2.0'], stdout=subprocess.PIPE, text=True, check=True)
        os.mkdir(self.path('so'))
        subprocess.run(['cc', '-std=gnu17', '-Wall', '-Werror', '-shared', '-fPIC', '-I', ROOT, *glib.stdout.split(),
                        self.path('new', name + '.c'), '-o', self.path('so', name + '.so')], check=True)

    @unittest.skipUnless(shutil.which('cc') and shutil.which('pkg-config'), 'needs a compiler')
    def test_it_is_a_component(self):
        self.good('new-component', 'my-filter', '--kind', 'flow', '-o', self.path('new'))
        self.compiled('my-filter')
        env = {'SCOPE_PLUGIN_PATH': self.path('so')}
        self.assertEqual(self.good('components', 'my.my-filter', '--json', env=env).json()['label'], 'My filter')
        done = scope('check', self.path('so', 'my-filter.so'))
        self.assertEqual(done.status, 0, done.out + done.err)

    @unittest.skipUnless(shutil.which('cc') and shutil.which('unshare'), 'needs a compiler, and a folder /proc of its own')
    def test_what_is_tried_has_a_bound_of_memory(self):
        """Also where /proc, which tells what the program has already, is not there."""
        with open(self.path('told.c'), 'w') as f:
            f.write("""#include <stdio.h>
                       #include <sys/resource.h>
                       __attribute__ ((constructor)) static void tell (void)
                       { struct rlimit r; getrlimit (RLIMIT_DATA, &r); fprintf (stderr, "bound %lu %lu\\n", (unsigned long) r.rlim_cur, (unsigned long) r.rlim_max); }""")
        subprocess.run(['cc', '-shared', '-fPIC', self.path('told.c'), '-o', self.path('told.so')], check=True)
        tried, apart = [SCOPE, 'check', '--brief', self.path('told.so')], ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh']
        ways = [[], apart] if subprocess.run(apart + ['true'], stderr=subprocess.DEVNULL).returncode == 0 else [[]]
        built = os.path.join(os.path.dirname(os.path.abspath(SCOPE)), '..')       # without /proc a program does not find the libraries beside it
        env = dict(os.environ, LD_LIBRARY_PATH=':'.join(os.path.join(built, part) for part in ('eve', 'readers', 'simulators', 'statistics', 'views')))
        for way in ways:
            done = subprocess.run(way + tried, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
            now, most = map(int, re.search(r'bound (\d+) (\d+)', done.stderr).groups())
            self.assertEqual(now, most)
            self.assertGreaterEqual(now, 4 << 30)
            self.assertLess(now, 1 << 62, way)

    @unittest.skipUnless(shutil.which('cc') and shutil.which('pkg-config'), 'needs a compiler')
    def test_a_format_brings_its_programs(self):
        """A format of a plug-in is opened, listed and reported as Scope's own; programs beside the plug-in, and the person's, are on offer."""
        self.good('new-component', 'my-format', '--kind', 'reader', '-o', self.path('new'))
        self.compiled('my-format')
        trace = self.path('a.trace')
        os.makedirs(os.path.join(trace, 'a.my-format'))
        with open(os.path.join(trace, 'a.my-format', 'events'), 'w') as f:
            f.write('0.1 alpha start\n0.2 beta start\n0.5 alpha stop\n')
        text = """<eve version="1"><title>%s</title><component name="Reader" class="my.my-format"/><component name="Text" class="scope.text-sink">
                  <setting name="file">told.txt</setting></component><wire from="Reader" out="events" to="Text" in="in"/></eve>"""
        env = {'SCOPE_PLUGIN_PATH': self.path('so'), 'XDG_DATA_HOME': self.path('data'), 'XDG_CACHE_HOME': self.path('cache')}

        def offered():
            programs = self.good('info', trace, '--json', env=env).json()['programs']
            return {os.path.basename(p['file']): p['file'] for p in programs}
        alone = offered()
        self.assertIn(os.path.join(ROOT, 'schemas', 'any', 'views.eve'), alone.values())
        for folder, name in (('so/schemas/my-format', 'mine'), ('so/schemas/any', 'anybody'), ('data/scope/schemas/my-format', 'person'),
                             ('so/schemas/any', 'views')):
            os.makedirs(self.path(*folder.split('/')), exist_ok=True)
            with open(self.path(*folder.split('/'), name + '.eve'), 'w') as f:
                f.write(text % name)
        now = offered()
        self.assertEqual(now, {**alone, 'mine.eve': self.path('so', 'schemas', 'my-format', 'mine.eve'),
                               'anybody.eve': self.path('so', 'schemas', 'any', 'anybody.eve'),
                               'person.eve': self.path('data', 'scope', 'schemas', 'my-format', 'person.eve')})    # `views` is Scope's
        for name in ('mine', 'anybody', 'person.eve'):
            self.good('run', trace, '--program', name, '--out', self.path('out-' + name), env=env)
            with open(self.path('out-' + name, 'told.txt')) as f:
                self.assertEqual(len(f.read().splitlines()), 3)
        self.assertRegex(self.good('report', trace, '-o', self.path('report'), env=env).out, r'recorded +3 events, of 3 records; 0 damaged')
        with open(self.path('so', 'schemas', 'my-format', 'shares'), 'w') as f:     # it says what else it has on offer
            f.write('messages/scene.eve\n')
        shared = offered()
        self.assertLessEqual({'mine.eve', 'person.eve', 'anybody.eve', 'scene.eve', 'views.eve'}, set(shared))
        self.assertNotIn('load-balance.eve', shared)

    def test_refusals(self):
        for name in ('Upper', 'a--b', 'a-', '-a', '1a', 'a_b', '\u00e9t\u00e9', 'a/b', '..', 'a' * 61):
            self.bad(2, '(?i)name is of|unknown option', 'new-component', name, '--kind', 'flow', '-o', self.path('x'))
        self.bad(2, 'say which', 'new-component', 'good')
        self.bad(2, 'say which', 'new-component', 'good', '--kind', 'poem')
        self.bad(1, 'is there already', 'new-component', 'good', '--kind', 'flow', '-o', self.folder)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == '__main__':
    unittest.main()
