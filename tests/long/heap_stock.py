#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heap_stock.py SCOPE [PROGRAM ...]: stripped programs as Debian has them, with a snapshot at each major collection.

What they write, and how they end, must be as it is without; each snapshot must be good (`scope heap check`), and of the last one what
is live is computed a second time (tests/formats/heap.py).  Of ocaml, coq, menhir and why3 what is installed is tried."""
import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'formats'))
from heap import Model                                                                          # noqa: E402

SCOPE = os.path.abspath(sys.argv[1])
SEED = int(os.environ.get('SCOPE_SEED', '1'))
FUNCTIONS = '\n'.join(f'''let f{i} x = match x with
  | 0 -> [x; {i}] | n when n land {i + 1} = 3 -> List.map (fun y -> y + n + {i}) [n; n + 1] | n -> List.rev (List.init n (fun k -> k * {i}))
type t{i} = A{i} of int | B{i} of {{ name : string; next : t{i} option }}
let g{i} = function A{i} n -> f{i} n | B{i} {{ name; next = Some (A{i} m) }} -> f{i} (m + String.length name) | B{i} _ -> []''' for i in range(700))
PROOFS = 'Require Import ZArith Lia List.\nOpen Scope Z_scope.\n' + '\n'.join(f'''Lemma l{i} : forall a b c d : Z, a + {i} <= b -> b <= c -> c + 1 <= d -> 2 * a + {i} < 2 * d + 7 /\\ a - {i} < d.
Proof. intros; split; lia. Qed.''' for i in range(60))
LEVELS = 24
GRAMMAR = '''%token <int> INT
%token ''' + ' '.join(f'OP{i}' for i in range(LEVELS)) + ''' LEFT RIGHT EOF
%start <int> main
%%
main: e = e0 EOF { e }
''' + '\n'.join(f'e{i}: a = e{i} OP{i} b = e{i + 1} {{ a + b }} | e = e{i + 1} {{ e }}' for i in range(LEVELS)) + f'''
e{LEVELS}: n = INT {{ n }} | LEFT e = e0 RIGHT {{ e }}
'''
GOALS = 'theory T\n  use int.Int\n' + '\n'.join(f'''  predicate p{i} (x : int)
  axiom a{i} : forall x. p{i} x -> p{i} (x + {i + 1}) /\\ (p{i} (2 * x) \\/ x < {i})
  goal g{i} : forall x y. p{i} x -> p{i} y -> x < y -> p{i} (x + {2 * (i + 1)})''' for i in range(150)) + '\nend\n'
WRONG = FUNCTIONS + '\nlet wrong : int = "text"\n'
PROGRAMS = {                                                    # name: (program, files, arguments)
    'ocamlopt': ('ocamlopt.opt', {'big.ml': FUNCTIONS}, ['-g', '-c', 'big.ml']),
    'ocamlopt, a wrong program': ('ocamlopt.opt', {'big.ml': WRONG}, ['-c', 'big.ml']),
    'coqc': ('coqc', {'proofs.v': PROOFS}, ['proofs.v']),
    'menhir': ('menhir', {'grammar.mly': GRAMMAR}, ['--table', '--dump', '--explain', '--canonical', 'grammar.mly']),
    'why3': ('why3', {'goals.why': GOALS}, ['prove', '-a', 'split_goal_right', '-a', 'inline_all', 'goals.why']),
}


def run(command, files, folder):
    """Gives what it wrote, how it ended, the sums of all files, and its processor time."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, text in files.items():
        with open(os.path.join(folder, name), 'w') as f:
            f.write(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=1800)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    left = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith('.glob') and not name.startswith('.'):         # Coq writes when it ran
            with open(os.path.join(folder, name), 'rb') as f:
                left[name] = hashlib.sha256(f.read()).hexdigest()
    return p.stdout, p.stderr, p.returncode, left, sum(getattr(after, k) - getattr(before, k) for k in ('ru_utime', 'ru_stime'))


def scope(*arguments):
    return subprocess.run([SCOPE, 'heap', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=1800)


def tried(name, folder):
    program, files, arguments = PROGRAMS[name]
    at = shutil.which(program)
    if not at:
        print(f'{name}: {program} is not installed')
        return
    plain = run([at, *arguments], files, os.path.join(folder, 'work'))
    for how in (['--children', '8'], ['--no-fork']):
        compare(name, folder, at, plain, how)


def compare(name, folder, at, plain, how):
    """With `how` each snapshot is taken: by up to 8 children at once, or by the program itself, which leaves none out."""
    _, files, arguments = PROGRAMS[name]
    out, err, status, left, cpu = plain
    work, trace = os.path.join(folder, 'work'), os.path.join(folder, 'run.trace')
    shutil.rmtree(trace, ignore_errors=True)
    taken = run([SCOPE, 'heap', 'run', '--every', '1', *how, '-o', trace, '--', at, *arguments], files, work)
    assert taken[0] == out, f'{name} wrote something else'
    assert taken[1].startswith(err), f'{name} said something else: {taken[1]}'
    assert taken[2] == status, f'{name} ended with {taken[2]} instead of {status}'
    assert taken[3] == left, f'{name} left other files'
    data = os.path.join(trace, 'run.heap')
    snapshots = sorted(f for f in os.listdir(data) if f.endswith('.heap'))
    assert snapshots, f'{name}: no snapshot; {taken[1]}'
    r = random.Random(SEED)
    for f in sorted(r.sample(snapshots[:-1], min(5, len(snapshots) - 1))) + snapshots[-1:]:
        said = scope('check', os.path.join(data, f))
        assert said.returncode == 0 and 'good' in said.stdout, f'{name}, {f}: {said.stdout}{said.stderr}'
    least = min(snapshots, key=lambda f: os.path.getsize(os.path.join(data, f)))
    with open(os.path.join(data, least), 'rb') as f:
        model = Model(f.read())
    shown = json.loads(scope('show', '--json', '--quick', os.path.join(data, least)).stdout)
    live = model.live()
    assert shown['live_words'] == model.words(live), (name, shown['live_words'], model.words(live))
    assert shown['live_blocks'] == sum(b < model.n_heap for b in live), name
    last = json.loads(scope('show', '--json', '--quick', os.path.join(data, snapshots[-1])).stdout)
    told = taken[1][len(err):]
    assert how[0] != '--no-fork' or 'left out' not in told, f'{name}: {told}'
    print(f"{name}, {' '.join(how)}: ends with {status} as without, {len(snapshots)} snapshots, {'some' if 'left out' in told else 'none'} left out, "
          f"the last of {last['blocks']} blocks ({last['live_words'] * 8 / 1e6:.0f} MB live), processor time {cpu:.2f} s, with them {taken[4]:.2f} s", flush=True)


with tempfile.TemporaryDirectory(prefix='scope-stock-') as top:
    print('seed', SEED)
    for one in sys.argv[2:] or PROGRAMS:
        tried(one, top)
