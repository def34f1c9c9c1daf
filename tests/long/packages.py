#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packages.py [FOLDER]: `make deb` on a copy of the sources (or the packages that lie in FOLDER): lintian has nothing to say, and what
the packages hold works where nothing else of Scope is, out of a folder into which they were unpacked."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIP = 77


def run(*command, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', **more)
    if done.returncode:
        sys.exit(f'{" ".join(command)}: status {done.returncode}\n{done.stdout[-4000:]}')
    return done.stdout


def main():
    missing = [c for c in ('dpkg-buildpackage', 'lintian', 'git', 'desktop-file-validate', 'appstreamcli') if not shutil.which(c)]
    if missing:
        print(f'not there: {", ".join(missing)}')
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory() as folder:
        made = sys.argv[1] if len(sys.argv) > 1 else folder
        if made == folder:
            copy = os.path.join(folder, 'scope')
            run('git', '-c', 'safe.directory=*', 'clone', '-q', '--shared', ROOT, copy)
            env = {k: v for k, v in os.environ.items() if not re.match(r'(ASAN|UBSAN|LSAN|SCOPE_|CFLAGS|MESON)', k)}
            run('make', 'deb', cwd=copy, env=dict(env, CC='ccache gcc' if shutil.which('ccache') else 'gcc', CCACHE_BASEDIR=copy,
                                                  CCACHE_NOHASHDIR='1'))
        debs, changes = (sorted(glob.glob(os.path.join(made, f'*.{ending}'))) for ending in ('deb', 'changes'))
        with open(os.path.join(ROOT, 'debian', 'control'), encoding='utf-8') as f:
            wanted = set(re.findall(r'^Package: (.*)', f.read(), re.M))
        there = {os.path.basename(d).split('_')[0] for d in debs}
        assert wanted - there <= {'tape-pvm'}, wanted - there        # Debian 13 has no PVM
        assert len(changes) == 1, changes
        said = run('lintian', '--allow-root', '--fail-on', 'error,warning', changes[0])
        assert not re.search('^[EW]: ', said, re.M), said

        root = os.path.join(folder, 'root')
        for deb in debs:
            run('dpkg-deb', '-x', deb, root)
        usr, work = os.path.join(root, 'usr'), os.path.join(folder, 'work')
        os.mkdir(work)
        scope = os.path.join(usr, 'bin', 'scope')
        env = {'PATH': os.environ['PATH'], 'HOME': work, 'LC_ALL': 'C.UTF-8'}
        with open(os.path.join(ROOT, 'meson.build'), encoding='utf-8') as f:
            version = re.search(r"version: '([^']*)'", f.read())[1]
        assert run(scope, '--version', env=env).strip() == f'scope {version}'
        assert 'Commandes' in run(scope, '--help', env=dict(env, LANGUAGE='fr'))
        samples = sorted(os.listdir(os.path.join(usr, 'share', 'scope', 'samples')))
        assert len(samples) > 3, samples
        for sample in samples:
            path = os.path.join(usr, 'share', 'scope', 'samples', sample)
            run(scope, 'run', path, '--out', os.path.join(work, sample), env=env, cwd=work)
        run(scope, 'draw', os.path.join(usr, 'share', 'scope', 'samples', 'fft2d-s16.trace'), '--view', 'Space-time', '-o', 'picture.png', env=env, cwd=work)
        assert os.path.getsize(os.path.join(work, 'picture.png')) > 10000
        for tracer in sorted(there):
            if tracer.startswith('tape-'):
                assert 'Essayez' not in run(os.path.join(usr, 'bin', tracer), '--help', env=env)
                assert run(os.path.join(usr, 'bin', tracer), '--help', env=dict(env, LANGUAGE='fr')).startswith('Usage\u00a0:')
        run(os.path.join(usr, 'bin', 'tape-threads'), '-o', 'sleep.trace', '--', 'sleep', '0', env=env, cwd=work)
        run(scope, 'info', 'sleep.trace', env=env, cwd=work)

        run('desktop-file-validate', *glob.glob(os.path.join(usr, 'share', 'applications', '*.desktop')))
        run('appstreamcli', 'validate', '--no-net', *glob.glob(os.path.join(usr, 'share', 'metainfo', '*.xml')))
        pages = {os.path.basename(p)[:-len('.1.gz')] for p in glob.glob(os.path.join(usr, 'share', 'man', 'man1', '*.1.gz'))}
        programs = set(os.listdir(os.path.join(usr, 'bin'))) | {'scope-window'}
        assert pages == programs, pages ^ programs

        run(scope, 'new-component', 'my-filter', '--kind', 'flow', env=env, cwd=work)
        packages = glob.glob(os.path.join(usr, 'lib', '*', 'pkgconfig'))[0]
        env.update(PKG_CONFIG_PATH=packages, PKG_CONFIG_SYSROOT_DIR='', LD_LIBRARY_PATH=os.path.join(os.path.dirname(packages), 'scope'),
                   PATH=os.path.join(usr, 'bin') + ':' + env['PATH'])
        # the folder in the files of pkg-config is that of an installation
        for file in glob.glob(os.path.join(packages, '*.pc')):
            with open(file, encoding='utf-8') as f:
                text = f.read().replace('=/usr', '=' + usr)
            with open(file, 'w', encoding='utf-8') as f:
                f.write(text)
        build = os.path.join(work, 'my-filter', 'build')
        run('meson', 'setup', build, os.path.join(work, 'my-filter'), env=env)
        run('meson', 'test', '-C', build, env=env)
        told = run(scope, 'components', 'my.my-filter', env=dict(env, SCOPE_PLUGIN_PATH=build))
        assert 'My filter' in told, told
    print(f'{len(there)} packages hold what they should')


main()
