#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Takes the heap snapshots of shop.trace again, from programs/heap/shop.ml: record-heap.sh SCOPE SCOPE-CMT, with OCaml 5.3.
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/programs/heap/shop.ml" "$work"
cd "$work"
ocamlopt -g -bin-annot -o shop shop.ml
"$2" . > shop.types
"$1" heap run --every 3 --no-exit --rate 0.02 --types shop.types -o shop.trace -- ./shop
mkdir shop.trace/sources
cp shop.ml shop.trace/sources
rm -f shop.trace/shop.heap/live shop.trace/shop.heap/control shop.trace/shop.heap/counts
mkdir -p "$here/shop.trace/doc"
rm -rf "$here/shop.trace/shop.heap" "$here/shop.trace/sources"
cp -r shop.trace/shop.heap shop.trace/sources "$here/shop.trace/"
chmod 644 "$here"/shop.trace/shop.heap/*
