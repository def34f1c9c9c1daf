#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the header that says which readers, simulators and components this is: of what they are made of.  A film that
# others have shot is shot again, and nobody has to think of it.
# usage: code-stamp.sh ROOT HEADER
set -e
header=$(realpath -m "$2")
cd "$1"
sum=$(find readers simulators statistics components \( -name '*.[ch]' -o -name '*.def' \) -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -c1-16)
printf '#define FILM_CODE UINT64_C (0x%s)\n' "$sum" >"$header"
