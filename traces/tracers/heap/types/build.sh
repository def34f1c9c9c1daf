#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles scope-cmt: build.sh SOURCES OUT VERSION, of the compiler, whose library it reads .cmt files with.
set -e
mkdir -p "$2/scope-cmt.dir"
cd "$2/scope-cmt.dir"
cp "$1/scope_cmt.ml" .
cp "$1/compat.$3.ml" compat.ml
ocamlopt -I +compiler-libs ocamlcommon.cmxa compat.ml scope_cmt.ml -o ../scope-cmt
