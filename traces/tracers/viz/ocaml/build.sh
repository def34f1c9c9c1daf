#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the OCaml interface: build.sh SOURCES OUT; libocamlviz_stubs.a is in OUT already.
set -e
cd "$2"
for name in protocol.mli monitor_sig.mli ocamlviz.mli ocamlviz.ml ocamlviz_threads.mli ocamlviz_threads.ml; do
  cp "$1/$name" .
done
with="-cclib -locamlviz_stubs -ccopt -pthread"
ocamlc -c protocol.mli monitor_sig.mli ocamlviz.mli
ocamlc -c ocamlviz.ml
ocamlopt -c ocamlviz.ml
ocamlc -c ocamlviz_threads.mli
ocamlc -c ocamlviz_threads.ml
ocamlopt -c ocamlviz_threads.ml
ocamlopt -a -o libocamlviz.cmxa ocamlviz.cmx ocamlviz_threads.cmx $with
ocamlc -a -custom -o libocamlviz.cma ocamlviz.cmo ocamlviz_threads.cmo $with
