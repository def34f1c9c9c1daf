#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record-viz.sh BUILD - records the sample trace of watched programs anew, with the programs of traces/programs/viz.
#
# BUILD is a build folder of Scope.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { echo "usage: record-viz.sh BUILD" >&2; exit 2; }
build=$(cd "$1" && pwd)
programs=$build/traces/programs/viz
[ -x "$programs/viz-orders" ] || { echo "record-viz.sh: $build: not built" >&2; exit 1; }

told=$(mktemp -d)
trap 'rm -rf "$told"' EXIT
# Each program says where it listens, and waits until somebody watches it.
SCOPEVIZ_LISTEN=51001 "$programs/viz-orders" 200 2>"$told/orders" &
SCOPEVIZ_LISTEN=51002 "$programs/viz-index" 600 2>"$told/index" &
until [ -s "$told/orders" ] && [ -s "$told/index" ]; do sleep 0.1; done
rm -rf "$here/watched.trace"
"$build/src/scope" live -q localhost:51001 localhost:51002 -o "$here/watched.trace"
wait
mkdir -p "$here/watched.trace/doc"
cat >"$here/watched.trace/doc/README.md" <<'EOT'
# watched

Two programs that were watched while they ran, by lines of `libscopeviz` in them: at *localhost:51001* three threads serve
orders, calm for half a second and then in a rush; at *localhost:51002* words go into a hash table that grows and into a
search tree.

What to look for: *orders waiting* and *orders in memory* (values, tags), which climb in each rush; *table*, whose places
double when it is full, as its log tells (*Hash tables*, *Log*); the tree, which leans to one side.

Taken on a machine with 2 cores, Debian 12; the programs are `traces/programs/viz/orders.c` and `index.c`, and
`traces/record-viz.sh` takes this trace again.
EOT
