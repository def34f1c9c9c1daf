#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes the targets of this folder, one after the other, and keeps what reached something new.

    tests/fuzz/fuzz.py [--seconds N] [--most N] [TARGET ...]        # all of them, an hour each, or SCOPE_FUZZ_SECONDS

Builds them into build-fuzz (clang).  New inputs, minimized, go into corpus/TARGET, which `make check` replays; what
crashed, hung or took too much memory goes there as crash-..., timeout-..., oom-...: mend the cause and commit both.
The last lines are a table: inputs tried, crashes, hangs, how many lines of code were reached.  Exit status 1: something
was found."""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, 'build-fuzz')
FOREIGN = ('otf2', 'ctf')       # on libraries that keep what they have of damaged files
CORPORA = {'tapepvm-reader': 'tapepvm', 'tape-reader': 'tape'}      # the others are called as their target
ENV = dict(os.environ, ASAN_OPTIONS='detect_leaks=1:allocator_may_return_null=1', UBSAN_OPTIONS='print_stacktrace=1:halt_on_error=1',
           LSAN_OPTIONS='suppressions=' + os.path.join(ROOT, '.ci', 'lsan.supp') + ':print_suppressions=0',
           SCOPE_NO_DLCLOSE='1', G_SLICE='always-malloc')


def build(targets):
    if not os.path.exists(os.path.join(BUILD, 'build.ninja')):
        compiler = ('ccache ' if shutil.which('ccache') else '') + 'clang'
        subprocess.run(['meson', 'setup', BUILD, ROOT, '-Dfuzz=true', '-Dgui=disabled', '-Db_lundef=false',
                        '-Db_sanitize=address,undefined', '-Dbuildtype=debugoptimized', '-Dc_args=-fsanitize=fuzzer-no-link'],
                       env=dict(os.environ, CC=compiler), check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['ninja', '-C', BUILD, '--quiet', *[f'tests/fuzz/{t}-fuzz' for t in targets]], check=True,
                   env=dict(os.environ, ASAN_OPTIONS='detect_leaks=0'))


def passes_alone(binary, path, env):
    """Libraries of others lose memory of what they refuse: what is too much after a thousand inputs need not be of the last one."""
    return subprocess.run([binary, '-timeout=60', '-rss_limit_mb=2048', '-detect_leaks=0', path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env).returncode == 0


def fuzz(target, seconds, most):
    """Gives inputs tried, what was found, edges reached, inputs kept."""
    corpus = os.path.join(HERE, 'corpus', CORPORA.get(target, target))
    os.makedirs(corpus, exist_ok=True)
    binary = os.path.join(BUILD, 'tests', 'fuzz', target + '-fuzz')
    env = dict(ENV, ASAN_OPTIONS=ENV['ASAN_OPTIONS'].replace('leaks=1', 'leaks=0')) if target in FOREIGN else ENV
    words = [f'-dict={d}' for d in glob.glob(os.path.join(HERE, target + '.dict'))]
    with tempfile.TemporaryDirectory(prefix='scope-fuzz-') as work:
        found = os.path.join(work, 'found')
        os.mkdir(found)
        log, until, tried, bad = os.path.join(work, 'log'), time.monotonic() + seconds, 0, []
        while not bad and (left := int(until - time.monotonic())) > 0:
            with open(log, 'wb') as to:
                subprocess.run([binary, *words, f'-max_total_time={left}', '-timeout=60', '-rss_limit_mb=2048', '-max_len=16384',
                                '-print_final_stats=1', f'-detect_leaks={int(target not in FOREIGN)}', f'-artifact_prefix={work}/', '-ignore_crashes=0', found, corpus],
                               stdout=to, stderr=to, env=env, cwd=work)
            with open(log, errors='replace') as f:
                said = f.read()
            number = re.search(r'stat::number_of_executed_units:\s*(\d+)', said)
            tried += int(number.group(1)) if number else 0
            for path in glob.glob(os.path.join(work, 'oom-*')):
                if target in FOREIGN and passes_alone(binary, path, env):
                    os.remove(path)
            bad = [p for kind in ('crash-', 'timeout-', 'oom-', 'leak-') for p in glob.glob(os.path.join(work, kind + '*'))]
            if not number:
                break
        for path in bad:
            shutil.copy(path, corpus)
            print(f'{target}: {os.path.basename(path)}\n' + said[-6000:], flush=True)
        # what is new and small enough to be replayed at every check
        kept = os.path.join(work, 'kept')
        shutil.copytree(corpus, kept)
        before = set(os.listdir(kept))
        subprocess.run([binary, '-merge=1', '-timeout=10', kept, found], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=ENV, cwd=work)
        new = sorted((p for p in os.listdir(kept) if p not in before), key=lambda p: os.path.getsize(os.path.join(kept, p)))
        for name in new[:most]:
            if os.path.getsize(os.path.join(kept, name)) <= 4096:
                shutil.copy(os.path.join(kept, name), corpus)
    reached = re.findall(r'\bcov: (\d+)', said)
    return tried, [os.path.basename(p) for p in bad], int(reached[-1]) if reached else 0, min(len(new), most)


def main():
    targets = sorted(os.path.basename(p)[:-len('-fuzz.c')] for p in glob.glob(os.path.join(HERE, '*-fuzz.c')))
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--seconds', type=int, default=int(os.environ.get('SCOPE_FUZZ_SECONDS', '3600')), help='for each target')
    options.add_argument('--most', type=int, default=40, help='new inputs kept for each target')
    options.add_argument('targets', nargs='*', choices=[[], *targets], metavar='TARGET', default=[])
    given = options.parse_args()
    chosen = given.targets or targets
    if not shutil.which('clang'):
        print('clang is not installed: nothing is fuzzed')
        sys.exit(77)
    build(chosen)
    lines, failed = [], False
    for target in chosen:
        tried, bad, reached, kept = fuzz(target, given.seconds, given.most)
        failed |= bool(bad)
        count = {kind: sum(name.startswith(kind) for name in bad) for kind in ('crash', 'leak', 'timeout', 'oom')}
        lines.append(f'{target:16} {tried:12,} {count["crash"] + count["leak"]:8} {count["timeout"]:6} {count["oom"]:7} '
                     f'{reached:8} {kept:5}')
        print(lines[-1], flush=True)
    print(f'\n{"target":16} {"inputs tried":>12} {"crashes":>8} {"hangs":>6} {"memory":>7} {"reached":>8} {"kept":>5}\n' + '\n'.join(lines))
    sys.exit(failed)


if __name__ == '__main__':
    main()
