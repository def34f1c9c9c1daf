# SPDX-License-Identifier: Apache-2.0
"""The manual page, and what an installed Scope needs."""
import json
import os
import re
import shutil
import subprocess
import time
import unittest

from cli import COMMANDS, ROOT, SCOPE, Case, pair

MANUAL = os.path.join(ROOT, 'docs', 'scope.1')
MANUALS = [os.path.join(ROOT, 'docs', name) for name in ('scope.1', 'tape-mpi.1', 'scopeviz.3', 'tape-threads.1')]


class Manual(Case):
    def lint(self, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, b''))
        return done.stdout.decode(errors='replace')

    @unittest.skipUnless(shutil.which('groff'), 'needs groff')
    def test_groff_has_nothing_to_say(self):
        for manual in MANUALS:
            self.assertIn('SYNOPSIS', self.lint('groff', '-man', '-ww', '-z', '-Tutf8', manual)
                          or self.lint('groff', '-man', '-Tascii', '-P-cbou', manual))

    @unittest.skipUnless(shutil.which('mandoc'), 'needs mandoc')
    def test_mandoc_has_nothing_to_say(self):
        for manual in MANUALS:
            self.lint('mandoc', '-Tlint', '-Wwarning', manual)

    def test_tells_what_the_tracers_take(self):
        for manual, source in (MANUALS[1], 'mpi/tape-mpi.c'), (MANUALS[3], 'threads/tape-threads.c'):
            with open(manual) as f, open(os.path.join(ROOT, 'traces/tracers', source)) as code:
                manual, told = f.read().replace('\\-', '-'), code.read().split('help[] =')[1].split(';\n')[0]
            options = re.findall(r'^ *"  (?:-., |    )(--[a-z-]+)', told, re.M)
            self.assertGreater(len(options), 7)
            for option in options:
                self.assertIn(option, manual)

    def test_tells_every_command_and_option(self):
        with open(MANUAL) as f:
            manual = f.read().replace('\\-', '-')
        with open(os.path.join(ROOT, 'docs', 'cli.md')) as f:
            contract = f.read()
        for command in COMMANDS:
            self.assertRegex(manual, rf'(?m)^\.B {command}$')
            self.assertIn(f'scope {command}', contract)
            for option in re.findall(r'--[a-z-]+', self.good(command, '--help').out):
                self.assertIn(option, manual, command)


class Installed(Case):
    def test_installed_tree_works_by_itself(self):
        build = os.path.dirname(os.path.dirname(SCOPE))
        done = subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir', self.folder],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        found = {}
        for folder, _, files in os.walk(self.folder):
            for name in files:
                found.setdefault(name, os.path.join(folder, name))
        for name in ('scope', 'scope.1', 'default.eve', 'eve.rng', 'eve.h', 'event.h', 'reader.h', 'state.h', 'scope-eve.pc',
                     'gate.so', 'pvm-simulator.so', 'scopeviz.h', 'scopeviz.pc', 'scopeviz.3', 'libscopeviz.so'):
            self.assertIn(name, found)
        version = self.good('--version').out.split()[1]
        for name in ('scope-eve.pc', 'scopeviz.pc'):
            with open(found[name]) as f:
                self.assertIn(f'Version: {version}\n', f.read())
        with open(found['scopeviz.h']) as header, open(found['scopeviz.3']) as manual:
            functions = set(re.findall(r'\b(scopeviz_\w+|SCOPEVIZ_[A-Z]+) \(', re.sub(r'(?s)/\*.*?\*/', '', header.read())))
            told = manual.read()
        self.assertGreater(len(functions), 50)
        self.assertEqual([f for f in functions - {'SCOPEVIZ_PRINTF'} if f not in told and not f.startswith('scopeviz_site_')], [])

        def scope(*words):
            return subprocess.run([found['scope'], *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                                  cwd=self.folder)
        here = self.good('run', pair(), '--stats').json()
        there = json.loads(scope('run', pair(), '--stats').stdout)
        self.assertEqual(here['result_hash'], there['result_hash'])
        info = json.loads(scope('info', pair(), '--json').stdout)
        self.assertTrue(info['programs'][0]['file'].startswith(os.path.realpath(self.folder)), info['programs'])
        for page in ('scope.1', 'scopeviz.3'):
            self.assertEqual(os.path.basename(os.path.dirname(found[page])), 'man' + page[-1])
        self.watched_programs(found)

    # ---- what is installed for programs that are to be watched: compiled as a stranger compiles, run, watched --------------
    VIZ = """#include <scopeviz.h>
int main (void)
{
  ScopevizItem *p = scopeviz_point_new ("passed");
  scopeviz_wait_for_clients (1, 20000);
  scopeviz_point_add (p, 3);
  scopeviz_stop ();
  return 0;
}
"""
    OCAML = """let p = Ocamlviz.Point.create "passed"
let () = Ocamlviz.init (); Ocamlviz.wait_for_connected_clients 1;
  for _ = 1 to 3 do Ocamlviz.Point.observe p done; Ocamlviz.send_now ()
"""

    def flags(self, found, package):
        """Of an installed package; those it needs are the system's."""
        beside = subprocess.run(['pkg-config', '--variable', 'pc_path', 'pkg-config'], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        env = dict(os.environ, PKG_CONFIG_LIBDIR=os.path.dirname(found[package + '.pc']) + ':' + beside, PKG_CONFIG_SYSROOT_DIR=self.folder)
        said = subprocess.run(['pkg-config', '--cflags', '--libs', package], env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        # headers of the system are where they are
        return [w.replace(self.folder, '', 1) if w[:2] in ('-I', '-L') and not os.path.isdir(w[2:]) else w for w in said]

    def watched_programs(self, found):
        with open(found['libscopeviz.so'], 'rb') as f:
            if b'__asan_init' in f.read():
                return              # who links it must be sanitized too
        compilers = [(c, 'watched' + end) for c, end in (('cc', '.c'), ('c++', '.cc')) if shutil.which(c) and shutil.which('pkg-config')]
        commands = [[c, '-Wall', '-Werror', file, *self.flags(found, 'scopeviz')] for c, file in compilers]
        if compilers:
            with open(os.path.join(ROOT, 'docs', 'live.md')) as f, open(os.path.join(self.folder, 'client.c'), 'w') as to:
                to.write(re.search(r'(?s)```c\n(.*?)```', f.read())[1])
            subprocess.run([compilers[0][0], '-Wall', '-Werror', 'client.c', *self.flags(found, 'scope-live'), '-o', 'client'], cwd=self.folder, check=True)
        if 'libocamlviz.cmxa' in found and shutil.which('ocamlopt'):
            commands.append(['ocamlopt', '-I', os.path.dirname(found['libocamlviz.cmxa']), 'unix.cmxa', 'libocamlviz.cmxa', 'watched.ml'])
        for command in commands:
            source = next(w for w in command if w.startswith('watched.'))
            with open(os.path.join(self.folder, source), 'w') as f:
                f.write(self.OCAML if source.endswith('.ml') else self.VIZ)
            subprocess.run([*command, '-o', source + '.run'], cwd=self.folder, check=True)
            self.watch(found, source)

    def watch(self, found, source):
        """By the installed Scope; a program in C++ by the client of the manual."""
        at = os.path.join(self.folder, source + '.socket')
        env = dict(os.environ, SCOPEVIZ_LISTEN='unix:' + at, LD_LIBRARY_PATH=os.path.dirname(found['libscopeviz.so']))
        own = source.endswith('.cc')
        if own:
            env['LD_LIBRARY_PATH'] += ':' + os.path.dirname(found['libscope-live.so'])
        run = subprocess.Popen([os.path.join(self.folder, source + '.run')], stderr=subprocess.DEVNULL, env=env)
        try:
            over = time.monotonic() + 30
            while not os.path.exists(at) and run.poll() is None and time.monotonic() < over:
                time.sleep(0.01)
            words = [os.path.join(self.folder, 'client')] if own else [found['scope'], 'live', '--json', '--again']
            live = subprocess.Popen([*words, 'unix:' + at], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
            try:
                told = 'Count of passed is 3' if own else '"name": "passed", "kind": "Point", "Count": 3}'
                self.assertTrue(any(told in line for line in live.stdout), source)
            finally:
                live.kill()
                live.communicate()
            self.assertEqual(run.wait(20), 0, source)
        finally:
            run.kill()
            run.wait()


if __name__ == '__main__':
    unittest.main()
