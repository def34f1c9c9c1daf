#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the OCaml interface: build.sh SOURCES OUT; libscope_heap_stubs.a is in OUT already.
set -e
cd "$2"
cp "$1/scope_heap.mli" "$1/scope_heap.ml" .
with="-cclib -lscope_heap_stubs -cclib -ldl"
ocamlc -c scope_heap.mli
ocamlc -c scope_heap.ml
ocamlopt -c scope_heap.ml
ocamlopt -a -o scope_heap.cmxa scope_heap.cmx $with
ocamlc -a -custom -o scope_heap.cma scope_heap.cmo $with
