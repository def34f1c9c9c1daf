#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heap.py SCOPE: ten million blocks: written by a program of OCaml where it is, made where not; aggregates, and what is retained."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'formats'))
from heap import long_list                                                                     # noqa: E402

SCOPE = sys.argv[1]
PROGRAM = """
let t : (int, int) Hashtbl.t = Hashtbl.create 16
let l = ref []
let () =
  for i = 1 to 3_400_000 do Hashtbl.replace t i i done;
  for i = 1 to 3_400_000 do l := (i, i) :: !l done;
  ignore (Sys.opaque_identity (t, l))
"""


def run(what, *arguments):
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    out = subprocess.run([SCOPE, 'heap', *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f'{what}: {time.monotonic() - begun:.2f} s, of the processor {cpu:.2f} s, most memory so far {after.ru_maxrss / 1024:.0f} MiB')
    return out


def told(text, key):
    """The number behind the last KEY."""
    key = b'\n' + key.encode() + b' '
    return int(text[text.rindex(key) + len(key):].split(b'\n')[0])


# Allocates much, and keeps a little: what sampling costs is seen best.
WORK = """
let keep = Array.make 100_000 []
let () =
  for i = 1 to 40_000_000 do
    let l = List.rev (List.map succ [i; i + 1; i + 2; i + 3]) in
    if i land 15 = 0 then keep.(i mod 100_000) <- l
  done;
  ignore (Sys.opaque_identity keep)
"""


def sampling(folder):
    """Processor time of a program with no sampling, and with one word of 10 000: the least of five runs each."""
    program, least = os.path.join(folder, 'work'), {}
    with open(program + '.ml', 'w') as f:
        f.write(WORK)
    subprocess.run(['ocamlopt', '-g', '-o', program, program + '.ml'], check=True, cwd=folder)
    for _ in range(5):
        for rate in ('0', '0.0001'):
            trace, before = os.path.join(folder, 'work.trace'), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([SCOPE, 'heap', 'run', '--every', '0', '--no-exit', '--rate', rate, '-o', trace, '--', program],
                           check=True, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            shutil.rmtree(trace)
            least[rate] = min(least.get(rate, 1e9), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"sampling of one word of 10 000: {least['0']:.2f} s of the processor without, {least['0.0001']:.2f} s with it, "
          f"{100 * (least['0.0001'] / least['0'] - 1):.1f} %")


with tempfile.TemporaryDirectory() as folder:
    os.environ['XDG_CACHE_HOME'] = os.path.join(folder, 'cache')
    if shutil.which('ocamlopt'):
        sampling(folder)
    path = os.path.join(folder, 'list.heap')
    if shutil.which('ocamlopt'):
        program = os.path.join(folder, 'big')
        with open(program + '.ml', 'w') as f:
            f.write(PROGRAM)
        subprocess.run(['ocamlopt', '-o', program, program + '.ml'], check=True, cwd=folder)
        trace = os.path.join(folder, 'big.trace')
        run('the program, with a snapshot of 10.2 million blocks at its end', 'run', '--every', '0', '-o', trace, '--', program)
        path = os.path.join(trace, 'big.heap', '0001.exit.heap')
        with open(path, 'rb') as f:
            data = f.read()

        with open(os.path.join(trace, 'big.heap', 'counts'), 'rb') as f:
            counts = b'\n' + f.read()
        heap = told(data, 'heap_words') * 8 / 2**30
        print(f"written in {told(data, 'writing_ns') / 1e9:.2f} s, of the processor {told(data, 'writing_cpu_ns') / 1e9:.2f} s, "
              f"{len(data) / 10200035:.2f} bytes a block")
        print(f"the program stood still for {told(counts, 'pause_ns') / 1e6 / heap:.0f} ms a GiB, of the processor "
              f"{told(counts, 'pause_cpu_ns') / 1e6 / heap:.0f} ms a GiB, its heap is of {heap * 1024:.0f} MiB")
        print(f"one such snapshot a minute is {(told(data, 'writing_cpu_ns') + told(counts, 'pause_cpu_ns')) / 60e7:.1f} % of a processor")
    else:
        with open(path, 'wb') as f:
            f.write(long_list(10_000_000))
    run('aggregates', 'show', '--quick', path)
    run('with what is retained', 'show', path)
    run('the same again, from what is kept in the cache', 'show', path)
