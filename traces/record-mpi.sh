#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record-mpi.sh BUILD [NAME...] - records the samples mpi-NAME.otf2 of this folder anew, with the programs of
# traces/programs/mpi.  BUILD is a build folder of Scope.  Without names all are recorded.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: record-mpi.sh BUILD [NAME...]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
tape=$build/traces/tracers/mpi/tape-mpi
programs=$build/traces/programs/mpi
[ -x "$tape" ] || {
  echo "record-mpi.sh: tape-mpi is not built: it needs libopenmpi-dev and libotf2-trace-dev; then: meson setup --wipe $build" >&2
  exit 1
}
command -v mpirun >/dev/null || { echo "record-mpi.sh: mpirun is missing: it is in openmpi-bin" >&2; exit 1; }
names=${*:-waits stencil farm collectives memory requests}

# take NAME RANKS ARGUMENT... <README: records it, with the page in front.
take() {
  name=$1 ranks=$2
  shift 2
  # Open MPI does not start as root without these two; mpirun would read the page.
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    "$tape" --force --anonymous --timeout 60 -o "$here/mpi-$name.otf2" -- mpirun --oversubscribe -n "$ranks" "$programs/mpi-$name" "$@" </dev/null
  {
    printf '# mpi-%s\n\n' "$name"
    cat
    printf '\nTaken by `tape-mpi -- mpirun -n %s mpi-%s' "$ranks" "$name"
    [ $# = 0 ] || printf ' %s' "$@"
    printf '` on a machine with 2 cores, Debian 12, Open MPI 4.1;\nthe program is in `traces/programs/mpi`, and `make samples-mpi` takes it again. All ranks read one clock.\n'
  } >"$here/mpi-$name.otf2/README.md"
}

for name in $names; do
  case $name in
  waits)
    take waits 4 5 10 <<'EOF'
Waits as planned, of 10 ms each, 5 rounds: a late sender (rank 0 waits for rank 1 in `MPI_Recv`, rank 1 for rank 2 in `MPI_Wait`),
a late receiver (rank 0 in `MPI_Ssend`, for rank 3), an uneven barrier and `MPI_Allreduce`, a late root of `MPI_Bcast`
(rank 2) and an early root of `MPI_Reduce` (rank 0).

What to look for: program `waits` names each kind, whom it costs and whom it is owed to; each part of the program is a region of its own name.
EOF
    ;;
  stencil)
    take stencil 4 64 20 <<'EOF'
Heat spreads over a plate of 64 x 64 points in 20 steps; the ranks form a grid of 2 x 2 and exchange borders without blocking. The
right half has twice as much to do in each step.

What to look for: the left ranks wait in `MPI_Waitall`, all steps long; the communicator `grid`; the matrix of messages has neighbours only.
EOF
    ;;
  farm)
    take farm 5 40 <<'EOF'
A master deals 40 pieces of work of uneven size to 4 workers; whoever is done asks for the next one, and the master takes what comes
(`MPI_Probe` of anybody).

What to look for: the star of links around rank 0; the parts `piece` of different length; the workers hardly wait.
EOF
    ;;
  collectives)
    take collectives 4 <<'EOF'
Each collective operation, blocking and not, in MPI_COMM_WORLD and in halves of it whose ranks are in another order, and communicators that are
made in each way: split, dup, idup, create, create_group, cart_sub, intercomm_create and merge.

What to look for: communicators by name and their members; operations by their kind, root and bytes.
EOF
    ;;
  memory)
    take memory 4 <<'EOF'
Memory of others (RMA) in each way that MPI has: fences that wait for a late rank, groups of post, start, complete and wait, a lock
that all want, and what is counted and fetched in the memory of rank 0.

What to look for: the waits at `MPI_Win_fence` for rank 3, at `MPI_Win_wait` for rank 1, and the row at `MPI_Win_lock`.
EOF
    ;;
  requests)
    take requests 4 <<'EOF'
Messages that do not block: each way to ask for them and to be told that they are done (Waitany, Testsome, Test, Waitall), requests that are started again
and again, one that is given up, messages that are looked at before they are received.

What to look for: messages from the call that asks to the call that completes.
EOF
    ;;
  *)
    echo "record-mpi.sh: $name: no such program" >&2
    exit 1
    ;;
  esac
done
