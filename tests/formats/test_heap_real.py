# SPDX-License-Identifier: Apache-2.0
"""Heap snapshots that are taken of real programs of OCaml, where it is (SCOPE_OCAMLOPT: which), beside what the runtime counts and what
the programs themselves say."""
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from formats import Format, SCOPE, main                                                   # noqa: E402
from heap import Model                                                                         # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
OCAML = os.environ.get('SCOPE_OCAMLOPT') or shutil.which('ocamlopt')

PROGRAM = '''
let table : (int, string) Hashtbl.t = Hashtbl.create 16
let weak = Obj.Ephemeron.create 1
let key = ref 7
let big = Bigarray.Array1.create Bigarray.float64 Bigarray.c_layout 1000
let lst = ref []
let () =
  for i = 1 to 20_000 do Hashtbl.replace table i (string_of_int i) done;
  for i = 1 to 10_000 do lst := (i, Some (string_of_int i)) :: !lst done;
  Obj.Ephemeron.set_key weak 0 (Obj.repr key);
  Obj.Ephemeron.set_data weak (Obj.repr (String.make 3000 'w'));
  Gc.full_major ();
  let s = Gc.stat () in
  Printf.printf "%d %d %d %d\\n%!" s.live_blocks s.live_words (Obj.reachable_words (Obj.repr table))
    (Obj.reachable_words (Obj.repr !lst));
  ignore (Sys.opaque_identity (big, key));
  exit 3
'''
# waits in select(), and tells when that was disturbed
IDLE = '''
let keep = Array.init 1000 string_of_int
let () =
  print_endline "ready";
  (try
     (match Unix.select [Unix.stdin] [] [] (-1.0) with
      | [_], _, _ -> print_endline ("woken " ^ input_line stdin)
      | _ -> print_endline "disturbed")
   with Unix.Unix_error (e, _, _) -> print_endline (Unix.error_message e));
  ignore (Sys.opaque_identity keep)
'''


class Heap(Format):
    def show(self, path, *more, status=0):
        return json.loads(self.scope('heap', 'show', path, '--json', '--top', '1000000', '--depth', '64', *more, status=status)[0])

    def retained_of(self, shown):
        found, stack = {}, [shown['tree']]
        while stack:
            node = stack.pop()
            if 'block' in node:
                found[node['block']] = node['retained']
            stack.extend(node.get('below', ()))
        return found


@unittest.skipUnless(OCAML, 'OCaml is not here')
class Real(Heap):
    def compiled(self, name, text, *more):
        source = self.path(name + '.ml', text)
        program = self.path(name)
        subprocess.run([OCAML, '-g', *more, '-o', program, source], check=True, cwd=self.folder.name, timeout=60,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return program

    def begun(self, program, *options):
        trace = self.path('idle.trace')
        p = subprocess.Popen([SCOPE, 'heap', 'run', *options, '-o', trace, '--', program], env=self.env, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(p.kill)
        self.assertEqual(p.stdout.readline(), 'ready\n')
        return trace, p

    def test_counts_are_those_of_the_runtime(self):
        program = self.compiled('p', PROGRAM)
        subprocess.run(['strip', program], check=False)
        trace = self.path('p.trace')
        out, err = self.scope('heap', 'run', '-o', trace, '--', program, status=3)
        blocks, words, table, lst = map(int, out.split())
        self.assertIn('snapshot', err)
        self.assertIn('good', self.scope('heap', 'check', trace)[0])
        shown = self.show(trace)
        self.assertEqual(shown['blocks'], blocks)
        retained = set(self.retained_of(shown).values())
        self.assertIn(table, retained)
        files = sorted(f for f in os.listdir(trace + '/p.heap') if f.endswith('.heap'))
        self.assertEqual(os.stat(f'{trace}/p.heap/{files[-1]}').st_mode & 0o777, 0o600)
        with open(f'{trace}/p.heap/{files[-1]}', 'rb') as f:
            model = Model(f.read())
        large = 0                                               # OCaml 5 counts the heads of large blocks, of 2 words, as live
        if shown['info']['ocaml'].startswith('5.'):
            large = sum(1 for b in range(model.n_heap) if model.words([b]) > 128)
        self.assertEqual(shown['words'] + 2 * large, words)
        live = model.live()
        self.assertEqual(shown['live_words'], model.words(live))
        self.assertEqual(shown['live_blocks'], sum(1 for b in live if b < model.n_heap))
        found, r = self.retained_of(shown), random.Random(2)
        for b in r.sample(sorted(found), 12):
            self.assertEqual(found[b], model.retained(b, live), b)
        names = {c['name']: c for c in shown['classes']}
        self.assertEqual(names['string']['live_blocks'], sum(1 for b in live if b < model.n_heap and model.blocks[b][0] == 252))
        self.assertIn('bigarray', names)
        self.assertIn('Stdlib.', self.scope('heap', 'show', trace)[0] + self.scope('heap', 'export', trace, '--folded')[0])
        self.assertTrue(self.scope('heap', 'diff', trace)[0])

    def test_idle_program_is_not_disturbed(self):
        for more in ([], ['-I', '+threads', 'threads.cmxa']):
            text = IDLE if not more else 'let _ = Thread.create (fun () -> Thread.delay 100.) ()\n' + IDLE.replace(
                'ignore (Sys', 'Stdlib.flush stdout; Unix._exit 0; ignore (Sys')
            program = self.compiled('idle', text, '-I', '+unix', 'unix.cmxa', *more)
            trace, p = self.begun(program, '--every', '0', '--no-exit')
            name = self.scope('heap', 'dump', trace, 'while-idle')[0].strip()
            self.assertTrue(name.endswith('.request.while-idle.heap'), name)
            self.assertGreater(self.show(name, '--quick')['live_blocks'], 1000)
            out, _ = p.communicate('now\n', timeout=60)
            self.assertEqual(out, 'woken now\n')
            self.assertEqual(p.returncode, 0)
            shutil.rmtree(trace)

    @unittest.skipUnless(os.environ.get('SCOPE_CMT'), 'scope-cmt was not built: it wants OCaml and its compiler-libs')
    def test_types_that_the_compiler_noted(self):
        self.path('lib.mli', 'type t\nval all : t list ref\nval add : int -> unit\nval table : (int, t) Hashtbl.t\n')
        self.path('lib.ml', '''
type t = Few of string | Many of { first : string; others : t list }
let secret = ref []
let table = Hashtbl.create 4
let all = ref []
let add n =
  let t = if n mod 3 = 0 then Many { first = string_of_int n; others = [Few (string_of_int n)] } else Few (string_of_int n) in
  all := t :: !all; Hashtbl.replace table n t; secret := Some (n, [| t |]) :: !secret
''')
        for command in (['-c', 'lib.mli'], ['-bin-annot', '-c', 'lib.ml']):
            subprocess.run([OCAML, *command], check=True, cwd=self.folder.name, timeout=60)
        main = '''
module Names = Map.Make (String)
type 'a node = { value : 'a; mutable next : 'a node option }
let names = ref Names.empty
let chain = ref None
let () =
  for i = 1 to 3000 do Lib.add i done;
  for i = 1 to 500 do names := Names.add (string_of_int i) (float i, i) !names done;
  for i = 1 to 400 do chain := Some { value = [ i ]; next = !chain } done;
  Gc.full_major ();
  ignore (Sys.opaque_identity (names, chain))
'''
        program = self.compiled('typed', main, '-bin-annot', 'lib.cmx')
        types = self.path('p.types')
        with open(types, 'w') as f:
            subprocess.run([os.environ['SCOPE_CMT'], self.folder.name], check=True, stdout=f, timeout=60)
        trace = self.path('t.trace')
        self.scope('heap', 'run', '--types', types, '-o', trace, '--', program)
        shown = self.show(trace, '--quick')
        blocks = {c['name']: c['live_blocks'] for c in shown['classes']}
        self.assertEqual([blocks[n] for n in ('Lib.t, Few', 'Lib.t, Many', 'Lib.t list, ::', '(int, Lib.t) Stdlib.Hashtbl.bucketlist, Cons', 'Lib.t array',
                                              '(int * Lib.t array) option list, ::', 'int * Lib.t array')],
                         [3000, 1000, 3000 + 1000, 3000, 3000, 3000, 3000])
        self.assertEqual([blocks[n] for n in ('(float * int) Stdlib.Map.Make.t, Node', 'int list Typed.node', 'int list Typed.node option, Some', 'float * int')],
                         [500, 400, 400, 500])
        words = sum(c['live_words'] for c in shown['classes'])
        known = sum(c['live_words'] for c in shown['classes'] if c['known'] in ('exact', 'inferred'))
        self.assertGreater(known, 0.9 * words)

    @unittest.skipUnless(os.environ.get('SCOPE_CMT') and platform.machine() == 'x86_64', 'scope-cmt was not built, or nothing is sampled')
    def test_types_of_what_closures_keep(self):
        """Of a function of which one was sampled the source says what it keeps; of others no type is told."""
        program = self.compiled('keeps', '''
type tree = Leaf of string | Node of tree * int * tree
type 'a holder = { it : 'a; mutable next : unit -> int }
let rec grow n = if n = 0 then Leaf (string_of_int n) else Node (grow (n - 1), n, Leaf "x")
let kept : (unit -> int) list ref = ref []
let rec size = function Leaf _ -> 1 | Node (a, _, b) -> size a + size b
let keep n =
  let tree = grow 3 and scale = [ n; n + 1 ] in
  kept := (fun () -> List.length scale * size tree) :: !kept
let generic x = { it = 0; next = (fun () -> ignore (Sys.opaque_identity x); 1) }
let others = ref []
let () =
  Array.iter ignore (Array.make 300_000 0); Gc.full_major ();
  for n = 1 to 1000 do keep n; others := generic (n, n) :: !others done;
  Gc.full_major ();
  print_int (List.fold_left (fun sum f -> sum + f ()) 0 !kept);
  ignore (Sys.opaque_identity !others)
''', '-bin-annot')
        types = self.path('k.types')
        with open(types, 'w') as f:
            subprocess.run([os.environ['SCOPE_CMT'], self.folder.name], check=True, stdout=f, stderr=subprocess.DEVNULL, timeout=60)
        for rate in ('0.05', '0'):
            trace = self.path(f'k{rate}.trace')
            self.scope('heap', 'run', '--every', '0', '--rate', rate, '--types', types, '-o', trace, '--', program)
            shown = self.show(trace, '--quick')
            blocks = {c['name']: c['live_blocks'] for c in shown['classes']}
            known = rate != '0'
            self.assertEqual(blocks.get('Keeps.tree, Node'), 3000 if known else None)
            self.assertEqual(blocks.get('int list, ::'), 2000 if known else None)
            self.assertEqual(blocks.get('int Keeps.holder'), 1000)
            self.assertNotIn('int * int', blocks)               # of a variable of any type nothing is told

    @unittest.skipUnless('SCOPE_HEAP_OCAML' in os.environ, 'the library for programs is not built with a sanitizer')
    def test_the_program_asks_itself(self):
        """At the very instant of the call: what is allocated after it is not in the snapshot.  Without the library nothing is taken."""
        text = '''
let keep = ref []
let fill n = for i = 1 to n do keep := string_of_int i :: !keep done
let () =
  fill 5_000;
  let one = Scope_heap.dump "after load!" in
  fill 7_000;
  let two = Scope_heap.dump "after work" in
  Printf.printf "%b %b\\n" one two;
  ignore (Sys.opaque_identity !keep)
'''
        where = os.environ['SCOPE_HEAP_OCAML']
        program = self.compiled('asks', text, '-I', where, '-ccopt', '-L' + where, 'scope_heap.cmxa')
        self.assertEqual(subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout, 'false false\n')
        for number, more in enumerate(([], ['--no-fork'])):
            trace = self.path(f'asks{number}.trace')
            out, _ = self.scope('heap', 'run', '--every', '0', '--no-exit', *more, '-o', trace, '--', program)
            self.assertEqual(out, 'true true\n')
            shown = [self.show(trace, '-n', str(n), '--quick') for n in (1, 2)]
            names = [os.path.basename(s['file']) for s in shown]
            self.assertEqual(names, ['0001.call.after-load-.heap', '0002.call.after-work.heap'])
            strings = [{c['name']: c['live_blocks'] for c in s['classes']}['string'] for s in shown]
            self.assertEqual(strings[1] - strings[0], 7000)
            self.assertGreaterEqual(strings[0], 5000)
            self.assertIn('it holds 2, from number 1 to 2', self.scope('heap', 'show', trace, '-n', '5', status=1)[1])

    def test_full_disk_and_no_strings(self):
        program = self.compiled('p', PROGRAM)
        trace = self.path('full.trace')
        done = subprocess.run(['sh', '-c', f'ulimit -f 64; exec "$0" heap run -o {trace} -- {program}', SCOPE], env=self.env,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertIn('cut or missing: the disk has no room left, or files may not become so large', done.stderr)
        self.assertNotIn('stopped', done.stderr)
        there = self.path('there.trace')                        # the program itself writes, and no signal ends it
        done = subprocess.run(['sh', '-c', f'ulimit -f 64; exec "$0" heap run --no-fork -o {there} -- {program}', SCOPE], env=self.env,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertIn('no room left', done.stderr)
        self.assertIn('has no end', self.scope('heap', 'show', trace)[1])
        trace = self.path('none.trace')
        self.scope('heap', 'run', '--every', '0', '--strings', '0', '-o', trace, '--', program, status=3)
        with open(f'{trace}/none.heap/0001.exit.heap', 'rb') as f:
            self.assertNotIn(b'wwww', f.read())

    def test_killed(self):
        program = self.compiled('idle', IDLE, '-I', '+unix', 'unix.cmxa')
        trace, p = self.begun(program)
        self.scope('heap', 'dump', trace)
        with open('/proc/%d/task/%d/children' % (p.pid, p.pid)) as f:
            inner = f.read().split()
        while inner:                                            # the program is the last of those begun
            pid = int(inner[-1])
            with open('/proc/%d/task/%d/children' % (pid, pid)) as f:
                inner = f.read().split()
        os.kill(pid, signal.SIGKILL)
        p.communicate(timeout=60)
        self.assertEqual(p.returncode, 128 + signal.SIGKILL)
        self.assertIn('good', self.scope('heap', 'check', trace)[0])

    def folder_of(self, trace):
        return os.path.join(trace, os.path.basename(trace).replace('.trace', '.heap'))

    def until(self, what, seconds=60):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end, 'in vain')
            time.sleep(0.01)

    def children(self, pid):
        found = []
        for task in os.listdir(f'/proc/{pid}/task'):
            with open(f'/proc/{pid}/task/{task}/children') as f:
                found += [int(n) for n in f.read().split()]
        return found

    def test_descriptors_that_the_program_closes(self):
        close = 'for i = 3 to 1000 do try Unix.close (Obj.magic i) with _ -> () done;\n'
        program = self.compiled('closes', IDLE.replace('print_endline "ready";', close + '  print_endline "ready";'),
                                '-I', '+unix', 'unix.cmxa')
        trace, p = self.begun(program, '--every', '0', '--no-exit')
        self.assertEqual(os.stat(self.folder_of(trace)).st_mode & 0o777, 0o700)
        (pid,) = self.children(self.children(p.pid)[0])
        name, over = '', time.monotonic() + 120  # the pipe of requests is opened again some seconds after it was closed
        while not name and time.monotonic() < over:
            name = self.scope('heap', 'dump', trace, 'after-all', status=(0, 1))[0].strip()
            time.sleep(0 if name else 0.2)
        self.assertTrue(name.endswith('after-all.heap'), name)
        used = self.ticks(pid)
        time.sleep(1)
        self.assertLess(self.ticks(pid) - used, 0.5 * os.sysconf('SC_CLK_TCK'))
        self.assertEqual(p.communicate('now\n', timeout=60)[0], 'woken now\n')

    def ticks(self, pid):
        with open(f'/proc/{pid}/stat') as f:
            return sum(map(int, f.read().rsplit(')', 1)[1].split()[11:13]))

    def test_a_writer_that_is_stuck_is_given_up(self):
        program = self.compiled('large', IDLE.replace('1000 string_of_int', '1_000_000 string_of_int'), '-I', '+unix', 'unix.cmxa')
        trace, p = self.begun(program, '--every', '0', '--no-exit', '--patience', '1')
        (pid,) = self.children(self.children(p.pid)[0])
        stopped = None
        for _ in range(50):                                     # until one is stopped before it is done
            with open(os.path.join(self.folder_of(trace), 'control'), 'w') as f:
                f.write('dump stuck\n')
            self.until(lambda: self.children(pid))
            try:
                stopped = self.children(pid)[0]
                os.kill(stopped, signal.SIGSTOP)
                with open(f'/proc/{stopped}/stat') as f:
                    if f.read().rsplit(')', 1)[1].split()[0] != 'Z':
                        break
            except (IndexError, OSError):
                self.until(lambda: not self.children(pid))
        self.until(lambda: stopped not in self.children(pid))
        self.assertTrue(self.scope('heap', 'dump', trace, 'good')[0].strip().endswith('good.heap'))
        out, err = p.communicate('now\n', timeout=60)
        self.assertEqual((out, p.returncode), ('woken now\n', 0))
        self.assertIn('1 snapshot is cut or missing: who wrote was stopped', err)

    def test_children_of_the_program_are_left_alone(self):
        program = self.compiled('forks', '''
let () =
  print_endline "ready";
  for i = 1 to 100 do
    match Unix.fork () with
    | 0 -> ignore (Array.init 1000 string_of_int); Gc.full_major (); Unix.sleepf 1e-4; exit 7
    | pid -> match Unix.waitpid [] pid with
      | _, Unix.WEXITED 7 -> ()
      | _ -> print_endline "another end"
  done;
  print_endline "done"
''', '-I', '+unix', 'unix.cmxa')
        trace, p = self.begun(program, '--every', '1')
        while p.poll() is None:
            try:
                fd = os.open(os.path.join(self.folder_of(trace), 'control'), os.O_WRONLY | os.O_NONBLOCK)
                os.write(fd, b'dump\n')
                os.close(fd)
            except OSError:
                pass                                            # it has ended
            time.sleep(0.002)
        out, err = p.communicate(timeout=60)
        self.assertEqual((out, p.returncode), ('done\n', 0), err)
        self.assertIn('good', self.scope('heap', 'check', trace)[0])

    def test_signals_are_what_they_were(self):
        program = self.compiled('signals', '''
let () =
  Gc.full_major ();
  let c = open_in "/proc/self/status" in
  try while true do
    let l = input_line c in
    if String.length l > 3 && String.sub l 0 3 = "Sig" && String.sub l 0 4 <> "SigQ" then print_endline l
  done with End_of_file -> ()
''')
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

        def said(*command):
            return subprocess.run(command, env=self.env, preexec_fn=ignore, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  timeout=60, check=True).stdout.decode()
        def masks(text):                                        # of the signals that have names: threads have two of their own
            return [(name, int(mask, 16) & 0x7fffffff) for name, mask in (line.split() for line in text.splitlines())]
        alone = masks(said(program))
        self.assertIn(('SigIgn:', 3), alone)
        self.assertEqual(masks(said(SCOPE, 'heap', 'run', '-o', self.path('s.trace'), '--', program)), alone)

    def test_what_ends_scope_is_for_the_program(self):
        handles = 'let () = Sys.set_signal Sys.sigterm (Sys.Signal_handle (fun _ -> print_endline "ended"; exit 9))\n'
        program = self.compiled('handles', handles + IDLE, '-I', '+unix', 'unix.cmxa')
        trace, p = self.begun(program, '--every', '0')
        p.terminate()
        self.assertEqual(p.stdout.readline(), 'ended\n')       # what it waits for stays open until then
        _, err = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 128 + signal.SIGTERM, err)
        self.assertIn('good', self.scope('heap', 'check', trace)[0])

    def test_what_is_left_out_is_counted(self):
        program = self.compiled('many', '''
let keep = Array.init 400_000 string_of_int
let () = for _ = 1 to 8 do Gc.full_major () done; ignore (Sys.opaque_identity keep)
''')
        trace = self.path('many.trace')
        out, err = self.scope('heap', 'run', '--every', '1', '-o', trace, '--', program)
        files = sorted(os.listdir(self.folder_of(trace)))
        begun = sum('.major.' in f for f in files)
        with open(os.path.join(self.folder_of(trace), 'counts')) as f:
            counts = dict(line.split() for line in f)
        info = self.show(trace)['info']
        self.assertEqual(info['trigger'], 'exit')
        # the last cycle may be told by the snapshot of the end
        self.assertIn(info['cycles_seen'] - begun - int(counts['skipped']), (0, 1))
        self.assertEqual(int(counts['failed']), 0)
        self.assertEqual(f"{counts['skipped']} snapshot" in err, int(counts['skipped']) > 0, err)
        self.assertGreaterEqual(int(counts['pause_ns']), int(counts['pause_cpu_ns']) // 2)   # by two clocks
        self.assertGreater(int(counts['pause_cpu_ns']), 0)
        self.assertIn(f"for {-(-int(counts['pause_ns']) // 1000000)} ms at most", err)
        self.assertGreater(info['writing_cpu_ns'], 0)
        self.assertGreater(info['end_ns'], info['date_ns'])
        self.assertLess(abs(info['end_ns'] - info['date_ns'] - info['writing_ns']), 1e9)

    def test_several_domains(self):
        """What several domains of OCaml 5 allocate at once is sampled without harm: the runtime forgets stacks of calls then.  What is left out
        says why."""
        if int(subprocess.run([OCAML, '-version'], stdout=subprocess.PIPE, text=True, check=True).stdout.split('.')[0]) < 5:
            self.skipTest('OCaml before 5 has no domains')
        program = self.compiled('domains', '''
let keep = Array.init 1000 string_of_int
let () =
  let busy () = for i = 1 to 40 do ignore (Sys.opaque_identity (Array.make 10000 i)); Gc.full_major () done in
  let other = Domain.spawn busy in
  busy ();
  Domain.join other;
  print_string "done";
  ignore (Sys.opaque_identity keep)
''')
        trace = self.path('domains.trace')
        out, err = self.scope('heap', 'run', '--rate', '1e-3', '-o', trace, '--', program)
        self.assertEqual(out, 'done')
        with open(os.path.join(self.folder_of(trace), 'counts')) as f:
            counts = {name: int(n) for name, n in (line.split() for line in f)}
        self.assertGreater(counts['hindered'], 0)
        self.assertIn(f"{counts['hindered']} snapshot", err)
        self.assertIn('several domains', err)
        self.assertEqual('still being written' in err, counts['skipped'] > counts['hindered'], err)

    def test_facts_of_a_snapshot(self):
        """Which process, when, why, and what the collector has done, as the program says of itself."""
        program = self.compiled('facts', '''
let keep = ref []
let () =
  for i = 1 to 100_000 do if i mod 10 = 0 then keep := string_of_int i :: !keep else ignore (Sys.opaque_identity (ref i)) done;
  Gc.compact ();
  Gc.full_major ();
  let s = Gc.quick_stat () in
  Printf.printf "%d %d %d %d %.0f %.0f %.0f %d\\n" (Unix.getpid ()) s.minor_collections s.major_collections s.compactions s.minor_words
    s.promoted_words s.major_words s.heap_words;
  ignore (Sys.opaque_identity keep)
''', '-I', '+unix', 'unix.cmxa')
        trace, before = self.path('facts.trace'), time.time_ns()
        out, _ = self.scope('heap', 'run', '--every', '1', '-o', trace, '--', program)
        after = time.time_ns()
        pid, minors, majors, compactions, minor_words, promoted, major_words, heap_words = map(int, out.split())
        files = sorted(f for f in os.listdir(self.folder_of(trace)) if f.endswith('.heap'))
        dates = []
        for i, name in enumerate(files):
            info = self.show(os.path.join(self.folder_of(trace), name), '--quick')['info']
            self.assertEqual((info['number'], info['pid'], info['program'], info['label']), (i + 1, pid, program, ''))
            self.assertEqual(info['trigger'], 'exit' if i + 1 == len(files) else 'major')
            self.assertEqual(name, f"{i + 1:04}.{info['trigger']}.heap")
            dates.append((info['date_ns'], info['elapsed_ns'], info['cycles_seen'], info['minor_words']))
        self.assertEqual(dates, sorted(dates))
        self.assertLess(before, dates[0][0])
        self.assertLess(dates[-1][0], after)
        # the last is taken behind the program's own look, and what it prints with
        self.assertEqual(info['compactions'], compactions)
        self.assertIn(info['major_collections'] - majors, range(0, 3))
        self.assertIn(info['minor_collections'] - minors, range(0, 4))
        for name, n in (('minor_words', minor_words), ('promoted_words', promoted), ('major_words', major_words)):
            self.assertIn(info[name] - n, range(0, 3000), name)
        if not info['ocaml'].startswith('5'):
            self.assertEqual(info['heap_words'], heap_words)

    def test_weak_arrays_of_any_size_and_atoms(self):
        program = self.compiled('weak', '''
let weak : int ref Weak.t = Weak.create 500_000
let keys = Array.init 100_000 (fun i -> ref i)
let kept = Array.map (fun k -> let e = Obj.Ephemeron.create 1 in
                               Obj.Ephemeron.set_key e 0 (Obj.repr k); Obj.Ephemeron.set_data e (Obj.repr (Bytes.make 20 'd')); e) keys
let empty : int array array = Array.make 5000 (Array.sub [|1|] 0 0)
let () =
  Array.iteri (fun i k -> Weak.set weak i (Some k)) keys;
  Gc.full_major ();
  Printf.printf "%d %d" (Gc.stat ()).live_blocks (Gc.stat ()).live_words;
  ignore (Sys.opaque_identity (weak, keys, kept, empty))
''')
        trace = self.path('weak.trace')
        blocks, words = map(int, self.scope('heap', 'run', '--every', '0', '-o', trace, '--', program)[0].split())
        shown = self.show(trace, '--quick')
        self.assertLess(blocks - shown['live_blocks'], 1000)
        self.assertLess(words - shown['live_words'], 5000)
        self.assertGreaterEqual(shown['info']['atoms'], 5000)
        with open(os.path.join(self.folder_of(trace), '0001.exit.heap'), 'rb') as f:
            model = Model(f.read())
        self.assertEqual(max(len(to) for _, to in model.weak), 500_001)
        self.assertEqual(len(model.weak), 100_001)

    def test_programs_that_use_the_profiler_themselves(self):
        """What is sampled for snapshots ends where the program begins, and it gets what it would."""
        program = self.compiled('profiles', '''
let n = ref 0 and live = ref []
let work k = for i = 1 to k do live := string_of_int i :: !live done
let () =
  work 200_000;
  let t = { Gc.Memprof.null_tracker with alloc_minor = (fun a -> n := !n + a.n_samples; Some a.size) } in
  ignore (Gc.Memprof.start ~sampling_rate:0.01 t);
  work 200_000;
  Gc.Memprof.stop ();
  Printf.printf "%b %d\\n" (abs (!n - 10_000) < 1_000) (List.length !live);
  exit 4
''')
        expected = subprocess.run([program], stdout=subprocess.PIPE, text=True, timeout=60).stdout
        self.assertEqual(expected, 'true 400000\n')
        trace = self.path('m.trace')
        self.assertEqual(self.scope('heap', 'run', '--every', '1', '--rate', '0.001', '-o', trace, '--', program, status=4)[0], expected)
        self.assertIn('good', self.scope('heap', 'check', trace)[0])
        self.assertEqual(self.show(trace, '--quick')['sites'], [])

    def test_places_of_a_program(self):
        """The same of this very compiler, where sampling is: its estimate lies near what is known."""
        with open(os.path.join(HERE, 'heap-samples', 'sites.ml')) as f:
            program = self.compiled('sites', f.read())
        trace = self.path('s.trace')
        self.scope('heap', 'run', '--every', '0', '--rate', '0.02', '-o', trace, '--', program)
        shown = self.show(trace, '--quick')
        if platform.machine() != 'x86_64':
            self.assertEqual(shown['sites'], [])
            return
        for line, words in ((4, 4000 * 7), (6, 2000 * 4), (7, 2000 * 3)):
            (site,) = [s for s in shown['sites'] if s['source'].endswith('sites.ml') and s['line'] == line]
            self.assertLess(abs(site['live_words'] - words), 6 * site['error_words'], site)

    def test_refused(self):
        if not shutil.which('ocamlc'):
            self.skipTest('no byte-code compiler')
        source = self.path('b.ml', 'let () = print_endline "byte"')
        subprocess.run(['ocamlc', '-custom', '-o', self.path('b'), source], check=True, timeout=60)
        out, err = self.scope('heap', 'run', '-o', self.path('b.trace'), '--', self.path('b'))
        self.assertEqual(out, 'byte\n')
        self.assertIn('OCaml', err)


main()
