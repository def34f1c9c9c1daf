#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record-threads.sh BUILD [NAME...] - records the sample traces of threads anew, with the programs of
# traces/programs/threads.
#
# BUILD is a build folder of Scope.  Without names all are recorded.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: record-threads.sh BUILD [NAME...]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
[ -x "$build/traces/programs/threads/threads-bank" ] || { echo "record-threads.sh: $build: not built" >&2; exit 1; }
names=${*:-bank circle}

# take NAME WANTED-STATUS LIMIT PROGRAM [ARGUMENT...] < text: the trace, and doc/README.md with title and place around
# the text.
take() {
  name=$1 wanted=$2 limit=$3 program=$4 status=0
  shift 4
  rm -rf "$here/$name.trace"
  "$build/traces/tracers/threads/tape-threads" -a -q -t "$limit" -o "$here/$name.trace" -- \
    "$build/traces/programs/threads/threads-$program" "$@" || status=$?
  [ $status = "$wanted" ] || { echo "record-threads.sh: $name: exit status $status, not $wanted" >&2; exit 1; }
  chmod 644 "$here/$name.trace/$name.threads"/*
  mkdir -p "$here/$name.trace/doc"
  {
    printf '# %s\n\n' "$name"
    cat
    printf '\nTaken on a machine with 2 cores, Debian 12; the program is `traces/programs/threads/%s.c`, and\n' "$program"
    printf '`traces/record-threads.sh` takes this trace again.\n'
  } >"$here/$name.trace/doc/README.md"
}

for name in $names; do
  case $name in
  bank)
    take bank 0 60 bank 4 3 16 <<'EOT'
Four tellers move money between six accounts, a lock for each; orders come by a queue with a lock and two conditions, all
meet at a barrier at the end of each day, two printers are a semaphore, rates have a read-write lock.

Parameters: `bank 4 3 16`: 4 tellers, 3 days, 16 orders for each teller and day.

What to look for: the row of *audit_lock*, which is held nearly all the time, by one teller after the other, and the
critical path, which runs through *holds audit_lock* (program `waits`); *main* waits for *not_full*, since it
gives orders faster than they are carried out. Two processors for five threads: who holds a lock may wait for a
processor, which no event tells.
EOT
    ;;
  circle)
    take circle 124 1 circle 3 <<'EOT'
Three philosophers who all take the fork on their left first, and then wait for the other one for ever.

Parameters: `circle 3`, stopped after a second.

What to look for: the sentence that is told when the trace is opened, with the lines where each waits; *held by* in the
rows of the forks; the three waits that never end, and *main*, which joins the first of them.
EOT
    ;;
  *)
    echo "record-threads.sh: $name: none of bank circle" >&2
    exit 2
    ;;
  esac
done
