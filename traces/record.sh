#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record.sh BUILD [NAME...] - records the sample traces of this folder anew, with the programs of traces/programs.
#
# BUILD is a build folder of Scope.  Without names all are recorded.  A private PVM is started for it; one that
# runs already is left alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: record.sh BUILD [NAME...]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
tape=$build/traces/tracers/pvm/tape-pvm
programs=$build/traces/programs
[ -x "$tape" ] || { echo "record.sh: $tape: not built" >&2; exit 1; }
names=${*:-fft2d-s64 fft2d-s32 fft2d-s16 fft2d-s4 fft2d-s2 farm farm-sampled ring heat2d groups births deadlock services}
work=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/pvm"
HOME=$work/home PVM_TMP=$work/pvm
export HOME PVM_TMP

# readme NAME < text: doc/README.md of a bundle, title and place in front, run.md behind.
readme() {
  {
    printf '# %s\n\n' "$1"
    cat
    printf '\nTaken on a machine with 2 cores, Debian 12, PVM 3.4.6; the program is in `traces/programs`, and\n'
    printf '`traces/record.sh` takes this trace again. `run.md` beside this page tells the command, the clocks and the\n'
    printf 'cost of tracing.\n'
  } >"$here/$1.trace/doc/README.md"
}

# nicknames NAME FIRST OTHERS: the first task, and those it spawns in the order of their birth.
nicknames() {
  awk -v first="$2" -v others="$3" '
    $1 == 1 && !n++ { printf "t%x %s\n", $3, first }
    $1 == 3 { for (i = 1; i <= $10; i++) printf "t%x %s %d\n", $(10 + i), others, ++child }
  ' "$here/$1.trace/$1.tapepvm/events" >"$here/$1.trace/nicknames"
}

# take NAME WANTED-STATUS [OPTION...] -- PROGRAM...
take() {
  name=$1 wanted=$2 status=0
  shift 2
  rm -rf "$here/$name.trace"
  "$tape" -a -t 60 -o "$here/$name.trace" "$@" || status=$?
  [ $status = "$wanted" ] || { echo "record.sh: $name: exit status $status, not $wanted" >&2; exit 1; }
}

for name in $names; do
  case $name in
  fft2d-s*)
    s=${name#fft2d-s}
    take "$name" 0 -- "$programs/fft2d" 256 4 "$s" 50
    nicknames "$name" "fft 0" fft
    readme "$name" <<EOF
Blocks of $s lines, 4 tasks: a Fourier transform in two dimensions of a matrix of 256 x 256 complex numbers, by
transpose-split with overlap of communication and computation. One of five traces that differ in the size of the
block only (64, 32, 16, 4, 2 lines): the experiment of chapter 6 of Arrouye's thesis.

Parameters: \`fft2d 256 4 $s 50\`: each line is transformed 50 times over, as processors have grown faster than
messages since then. Each task holds 64 lines and sends $((64 / s)) blocks to each of the 3 others.

What to look for: phases \`rows\` (transform of the lines, while blocks travel), \`transpose\` (waiting for what
has not come), \`columns\` (transform of the transposed lines) and \`check\`. Compare the five traces: large blocks
leave the waiting to the end because nothing overlaps, small ones pay for every message. With 4 tasks on 2 cores
tasks also wait for a core, which no event tells: it shows as long phases \`rows\` of some tasks.
EOF
    ;;
  services)
    take services 0 -- "$programs/services" 2 5 12
    awk '$1 == 1 && !n++ { printf "t%x main\n", $3 }
      $1 == 3 { for (i = 1; i <= $10; i++) printf "t%x %s %d\n", $(10 + i), i <= 2 ? "server" : "client", i <= 2 ? i : i - 2 }' \
      "$here/services.trace/services.tapepvm/events" >"$here/services.trace/nicknames"
    readme services <<EOF
Client and server: five clients call services of two servers and wait for each reply. A service is known by the tag of its
requests: 1 sums, 2 counts primes, 3 finds a number of Fibonacci, for which the first server calls the sums of the second;
replies have the same tag and 100.

Parameters: \`services 2 5 12\`: 2 servers, 5 clients, 12 calls each.

What to look for: the program \`services\`, with its setting \`requests\` 1-3: the queue of *server 1: primes*, whom the
clients wait for, and that *server 1* is a client itself while it serves Fibonacci.
EOF
    ;;
  farm-sampled)
    take farm-sampled 0 --sample=50 --events=-pack -- "$programs/farm" 3 250
    nicknames farm-sampled master worker
    readme farm-sampled <<'EOF'
The farm with 250 pieces of work and 3 workers, and what the system says of their processes 50 times a second: two levels.

Parameters: `farm 3 250`, recorded with `--sample=50`.

What to look for: the program `samples`. All workers are busy by what they ask of PVM; the system says how much of a
processor each really had, and how long it was ready without one, as others want the two processors too.
EOF
    ;;
  farm)
    take farm 0 -- "$programs/farm" 4 40
    nicknames farm master worker
    readme farm <<'EOF'
A master deals 40 pieces of work of uneven size to 4 workers; whoever is done gets the next one.

Parameters: `farm 4 40`.

What to look for: the star of links around the master; the phases `work` of different length; how evenly the
workers end. The user event `left` of the master counts the pieces still to deal down to 0, a curve to draw.
EOF
    ;;
  ring)
    take ring 0 -- "$programs/ring" 5 20 1000
    nicknames ring "ring 0" ring
    readme ring <<'EOF'
A token of 1000 bytes goes 20 times round 5 tasks; each adds its number.

Parameters: `ring 5 20 1000`.

What to look for: only one task works at any time, all others wait in a receive: the chain of dependence is the
program. The first 10 rounds use pvm_send and pvm_recv, the others pvm_psend and pvm_precv, which need fewer calls.
EOF
    ;;
  heat2d)
    take heat2d 0 -- "$programs/heat2d" 64 4 30
    nicknames heat2d "band 0" band
    readme heat2d <<'EOF'
Heat spreads over a plate of 64 x 64 points in 30 steps; 4 tasks hold a band of rows each and exchange borders with
their neighbours. The first task then collects the plate and compares it with its own sequential run.

Parameters: `heat2d 64 4 30`.

What to look for: a phase `step` a step in each task; neighbours that drift apart by one step at most, as each waits
for the border of the other; links only between neighbours. The 30 steps of the first task after the last exchange are
the sequential run.
EOF
    ;;
  groups)
    take groups 0 -- "$programs/groups" 4 3
    nicknames groups "crew 0" crew
    readme groups <<'EOF'
Every operation of groups: 4 tasks join, meet at barriers, broadcast, scatter, gather and reduce in 3 rounds, each with
another root; the last one leaves and comes back.

Parameters: `groups 4 3`.

What to look for: barriers end at almost the same date for all, and the last to come is the one that waits least; in a
scatter, gather or reduce the root is named by the events. Messages inside PVM's own group functions are not events.
EOF
    ;;
  births)
    take births 0 -- "$programs/births" 3
    awk '
      $1 == 1 && !n++ { first = $3; printf "t%x first\n", $3 }
      $1 == 201 && $3 != first && !seen[$3]++ { printf "t%x %s %d\n", $3, $6, ++of[$6] }
    ' "$here/births.trace/births.tapepvm/events" >"$here/births.trace/nicknames"
    readme births <<'EOF'
Tasks are born as the program goes and end in every way a task can: in good order, without pvm_exit, by a crash,
killed while waiting. 3 generations of 5 tasks and a grandchild each.

Parameters: `births 3`.

What to look for: the graph of tasks grows and dies; Exit has result 0 for an end in good order and -1 for the tasks
that crashed or were killed (dated by PVM's own notice); the receive of a killed task has no end (duration -1), nor
has its phase.
EOF
    ;;
  deadlock)
    take deadlock 124 --timeout 1 -- "$programs/deadlock" 3 4
    nicknames deadlock "philosopher 0" philosopher
    readme deadlock <<'EOF'
3 tasks pass a word round four times; in the fifth round everybody listens to the one before and nobody speaks.
tape-pvm stopped them after a second.

Parameters: `deadlock 3 4`, with `--timeout 1`.

What to look for: the last event of each task is a Recv without an end (duration -1) that names whom it waits for: a
circle. What is long is not the answer here, what never ends is.
EOF
    ;;
  *)
    echo "record.sh: $name: no such trace" >&2
    exit 1
    ;;
  esac
done
