#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record-ouf.sh BUILD [NAME...] - records the sample traces of communicating sequential processes anew, with the
# programs of traces/programs/ouf.
#
# BUILD is a build folder of Scope.  Without names all are recorded.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: record-ouf.sh BUILD [NAME...]" >&2; exit 2; }
programs=$(cd "$1" && pwd)/traces/programs/ouf
shift
[ -x "$programs/ouf-farm-tape" ] || { echo "record-ouf.sh: $programs/ouf-farm-tape: not built" >&2; exit 1; }
names=${*:-fft2d-cube pipeline farm-alt philosophers philosophers-deadlock deaths}
unset OUF_EVENTS

# take NAME WANTED-STATUS LIMIT PROGRAM [ARGUMENT...] < text: the trace, and doc/README.md with title and place
# around the text.
take() {
  name=$1 wanted=$2 limit=$3 program=$4 status=0
  shift 4
  rm -rf "$here/$name.trace"
  OUF_LIMIT=$limit OUF_TRACE=$here/$name.trace "$programs/ouf-$program-tape" "$@" || status=$?
  [ $status = "$wanted" ] || { echo "record-ouf.sh: $name: exit status $status, not $wanted" >&2; exit 1; }
  {
    printf '# %s\n\n' "$name"
    cat
    printf '\nTaken on a machine with 2 cores, Debian 12; the program is `traces/programs/ouf/%s.c`, and\n' "$program"
    printf '`traces/record-ouf.sh` takes this trace again. `run.md` beside this page tells the command and the cost of\n'
    printf 'tracing.\n'
  } >"$here/$name.trace/doc/README.md"
}

for name in $names; do
  case $name in
  fft2d-cube)
    take fft2d-cube 0 60 fft2d-cube 128 30 <<'EOT'
A Fourier transform in two dimensions of a matrix of 128 x 128 complex numbers by transpose, over a hypercube of 8
tasks: there, compared, and back again.

Parameters: `fft2d-cube 128 30`: each line is transformed 30 times over, as processors have grown faster than messages
since the Transputer.

What to look for: a cube of links, 3 out of each task; phases `rows`, `transpose`, `columns` that all tasks begin and
end together, because a transposition waits for everybody; in each of the 4 transpositions 3 exchanges along one
dimension after the other, the task with the 0 speaks first. 8 virtual processors share 2 physical ones, so tasks
also wait for a core, which no event tells. The last messages bring the largest error to `node000`, as a tree.
EOT
    ;;
  pipeline)
    take pipeline 0 60 pipeline 6 30 <<'EOT'
Primes by a sieve of processes, as Occam's teachers draw it: a source of numbers, 6 stages that each keep 5 primes and
pass on what none of theirs divides, a sink that says when it is enough.

Parameters: `pipeline 6 30`.

What to look for: a chain in which the first stages carry most of the messages; each task works at the pace of
its slowest neighbour, for a message is a rendezvous; user events `kept`. The first stage listens to two links by an
alternative. The phase `answer` brings the primes to the sink. The last Send of the source fails (result -1): the
stage behind it is dead by then.
EOT
    ;;
  farm-alt)
    take farm-alt 0 60 farm 4 60 <<'EOT'
A master deals 60 pieces of work of uneven size to 4 workers, whom it hears by an alternative; an auditor asks now and
then how far it is, and gives up when nobody listens within a millisecond.

Parameters: `farm 4 60`.

What to look for: Alt and EndAlt of the master, NAlt for the question of the auditor; Timeout events of the auditor and
its user events `refused`; phases `work` of different length. `left` and `done` are curves to draw.
EOT
    ;;
  philosophers)
    take philosophers 0 60 philosophers well 5 12 <<'EOT'
Five philosophers eat 12 meals each: threads of one task, 5 forks that are semaphores, a room for 4 at once. A second
task counts the meals, which come over one link.

Parameters: `philosophers well 5 12`.

What to look for: threads and semaphores inside a task; SemGOk with result 0 where the second fork was taken, and the
first one put back; phases `think` and `eat`; threads that take turns on the link `meal`.
EOT
    ;;
  philosophers-deadlock)
    take philosophers-deadlock 124 1 philosophers deadlock 5 12 <<'EOT'
The same table where nobody takes care: at the third meal everybody has the left fork and waits for the right one. The
program was stopped after a second.

Parameters: `philosophers deadlock 5 12`, with `OUF_LIMIT=1`.

What to look for: the last event of each philosopher is a SemP without an end (duration -1), on a fork that the
neighbour holds: a circle. The cook's last Receive never ends either, but it is no part of the circle. Run and Stop show
how they waited for each other before that. Both tasks die by signal 9.
EOT
    ;;
  deaths)
    take deaths 139 60 deaths <<'EOT'
Tasks that die while they communicate: one crashes in the middle of a message of 512 KiB, one is killed while it waits to
send, one leaves before it takes what is offered, one ends inside an alternative. A witness at the other ends notices
each time.

Parameters: none.

What to look for: TskDth with the signal (-11, -9), 0 and the status 7; Send and Alt without an end (duration -1); in the
witness EndReceive with result -1 and the 262144 bytes that came before the crash (a meeting that one side ended only),
EndSend with result -1, EndAlt with link -1 when all senders are dead. Links die with their tasks.
EOT
    ;;
  *)
    echo "record-ouf.sh: $name: no such trace" >&2
    exit 1
    ;;
  esac
done
