#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record-others.sh [-o FOLDER] [NAME...] - records traces of this folder that other tools write of our own programs:
# simgrid (waits.c, simulated), lttng (queue.c), eztrace (clocks.c).  Into FOLDER, else over those that are here.  A tool
# that is not installed is left out, which is said; one that is named has to be there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
programs=$here/programs out=$here failed=0
if [ "${1:-}" = -o ]; then
  mkdir -p "$2"
  out=$(cd "$2" && pwd)
  shift 2
fi
[ $# -gt 0 ] && named=yes || { named=no; set -- simgrid lttng eztrace; }
work=$(mktemp -d) sessiond=
trap 'stop_daemon; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# lacks NAME PACKAGES COMMAND...: whether one of the commands is not there, which is said.
lacks() {
  name=$1 packages=$2
  shift 2
  for command; do
    command -v "$command" >/dev/null && continue
    echo "record-others.sh: $name is left out: $command is missing; it is in $packages" >&2
    [ $named = no ] || failed=1
    return 0
  done
  return 1
}

# begin NAME: the folder NAME, empty, with the page from the standard input.
begin() {
  rm -rf "${out:?}/$1"
  mkdir -p "$out/$1"
  cat >"$out/$1/README.md"
}

# Four computers with one link of 1 GB/s and 1 µs between each two, which all can use at once.
platform() {
  echo '<?xml version="1.0"?>'
  echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
  echo '<platform version="4.1"><zone id="here" routing="Full">'
  for i in 0 1 2 3; do echo "<host id=\"host$i\" speed=\"1Gf\"/>"; done
  echo '<link id="wire" bandwidth="1GBps" latency="1us" sharing_policy="FATPIPE"/>'
  for pair in '0 1' '0 2' '0 3' '1 2' '1 3' '2 3'; do
    echo "<route src=\"host${pair% *}\" dst=\"host${pair#* }\"><link_ctn id=\"wire\"/></route>"
  done
  echo '</zone></platform>'
}

simgrid() {
  lacks simgrid libsimgrid-dev smpicc smpirun && return
  cd "$work"
  platform >platform.xml
  for i in 0 1 2 3; do echo "host$i"; done >hosts
  smpicc -O2 -I"$here/tracers/mpi" "$programs/mpi/waits.c" -o waits
  # No time but that of sleeping and of messages, which take the latency and the bytes at the bandwidth.
  smpirun -np 4 -platform platform.xml -hostfile hosts -trace -trace-file waits.trace --cfg=tracing/precision:9 \
    --cfg=smpi/simulate-computation:no --cfg=network/model:CM02 --cfg=network/latency-factor:1 \
    --cfg=network/bandwidth-factor:1 --cfg=network/TCP-gamma:0 --cfg=network/weight-S:0 --cfg=network/crosstraffic:0 \
    ./waits 5 10 >simgrid.log 2>&1 || { cat simgrid.log >&2; exit 1; }
  begin simgrid <<'PAGE'
# SimGrid: planned waits, simulated

`traces/programs/mpi/waits.c`, 4 ranks, 5 rounds with waits of 10 ms each, in the simulator SimGrid 3.32 (`smpirun -trace`): a Pajé trace. The platform, `platform.xml`, is four computers
that take no time for computing, and links of 1 GB/s and 1 µs, so all dates can be told beforehand, to the nanosecond.

What to look for: `scope report traces/simgrid/waits.trace`; the same program on a real machine is `traces/mpi-waits.otf2`.
`traces/record-others.sh simgrid` takes it again.
PAGE
  cp waits.trace platform.xml "$out/simgrid"
}

stop_daemon() {
  [ -n "$sessiond" ] || return 0
  kill "$sessiond" 2>/dev/null || true
  for i in 1 2 3 4 5 6 7 8 9 10; do # until it has written its last
    [ -e "$work/sessiond.pid" ] || break
    sleep 0.1
  done
  sessiond=
}

# A session daemon of one's own, of user space alone.  That of root would be the machine's: root is nobody for this.
as_nobody() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$work" LTTNG_HOME="$work" "$@"
  else
    HOME="$work" LTTNG_HOME="$work" "$@"
  fi
}

lttng_of_queue() {
  lacks lttng "lttng-tools and liblttng-ust-dev" lttng lttng-sessiond lttng-gen-tp && return
  cd "$work"
  ${CC:-cc} -O2 -I"$programs/lttng" "$programs/lttng/queue.c" -o queue -llttng-ust -ldl -pthread
  chmod 755 "$work"
  [ "$(id -u)" != 0 ] || chown 65534:65534 "$work"
  as_nobody lttng-sessiond --no-kernel --background --pidfile="$work/sessiond.pid" >sessiond.log 2>&1 || { cat sessiond.log >&2; exit 1; }
  sessiond=$(cat sessiond.pid)
  # Buffers are emptied each second only, so the burst at the end is more than they hold.
  as_nobody sh -ec 'lttng -q create queue --output="$1/written"
    lttng -q enable-channel -u all --subbuf-size=4096 --num-subbuf=4 --read-timer=1000000
    lttng -q add-context -u -c all -t vpid -t vtid
    lttng -q enable-event -u -c all "queue:*"
    lttng -q start
    LTTNG_UST_REGISTER_TIMEOUT=10000 "$1/queue" 3 40 3000 >"$1/counts.txt"
    lttng -q stop
    lttng -q destroy' sh "$work"
  stop_daemon
  begin lttng <<'PAGE'
# LTTng: a queue, and a burst

`traces/programs/lttng/queue.c`: a master deals 40 pieces of work to 3 threads, with tracepoints of LTTng (lttng-ust 2.13, user space); then come 3,000 tracepoints at once,
more than the buffers hold: the tracer tells how many it discarded. `counts.txt` is what the program itself has counted: for each thread its number, and the tracepoints that it has passed.
`scope.map` tells what is a message (`readers/ctf/README.md`).

What to look for: `scope info traces/lttng`: kept and discarded are what was counted; `scope draw traces/lttng --program nested --view "Call timeline" -o queue.png`.
`traces/record-others.sh lttng` takes it again.
PAGE
  cp -r written/ust/uid/*/64-bit "$out/lttng/ust"
  # The machine's name, by another one that is as long.
  LC_ALL=C sed -i "s/hostname = \"$(uname -n)\"/hostname = \"$(uname -n | sed 's/./h/g')\"/" "$out/lttng/ust/metadata"
  cp counts.txt "$out/lttng"
  cat >"$out/lttng/scope.map" <<'MAP'
[queue:work_begin]
does=enter
state=name
[queue:work_end]
does=leave
[queue:put]
does=send
peer=to
size=bytes
tag=item
[queue:take]
does=receive
peer=from
size=bytes
tag=item
MAP
  chmod -R u=rwX,go=rX "$out/lttng"
}

eztrace_of_clocks() {
  lacks eztrace "eztrace and openmpi-bin, libopenmpi-dev" eztrace mpicc mpirun && return
  cd "$work"
  mpicc -O2 -I"$here/tracers/mpi" "$programs/mpi/clocks.c" -o clocks
  # Open MPI does not start as root without these two; mpirun would read the page.
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    mpirun --oversubscribe -n 4 eztrace -o eztrace -t openmpi ./clocks 10 5 dates.txt </dev/null >eztrace.log 2>&1 || { cat eztrace.log >&2; exit 1; }
  begin eztrace <<'PAGE'
# EZTrace: clocks that do not agree

`traces/programs/mpi/clocks.c`, 4 ranks, 10 rounds, recorded by EZTrace 2.0 (`eztrace -t openmpi`): an OTF2 archive. EZTrace dates what a rank does since the rank's own start, so clocks differ by tens of milliseconds,
and messages are received before they are sent. `dates.txt` is what the program itself has noted: the number of a rank, and the machine's clock in nanoseconds as it came to each barrier.

What to look for: `scope info traces/eztrace --clocks logical` beside that without the option; the report, which names the clocks first.
`traces/record-others.sh eztrace` takes it again.
PAGE
  cp -r eztrace/clocks_trace/. "$out/eztrace"
  sort -n dates.txt >"$out/eztrace/dates.txt"
}

for name; do
  case $name in
  simgrid) simgrid ;;
  lttng) lttng_of_queue ;;
  eztrace) eztrace_of_clocks ;;
  *)
    echo "record-others.sh: $name: there is no such tool: simgrid, lttng, eztrace" >&2
    exit 2
    ;;
  esac
done
exit $failed
