#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the header that says which readers, simulators and components this is: of what they are made of.  A film that
# others have shot is shot again, and nobody has to think of it.  DEPFILE says what that is, for ninja.
# usage: code-stamp.sh ROOT HEADER DEPFILE
set -e
header=$(realpath -m "$2") depfile=$(realpath -m "$3") target=$2
root=$(realpath "$1")
cd "$root"
files=$(find readers simulators statistics components \( -name '*.[ch]' -o -name '*.def' \) -type f | LC_ALL=C sort)
sum=$(echo "$files" | xargs cat | sha256sum | cut -c1-16)
printf '#define FILM_CODE UINT64_C (0x%s)\n' "$sum" >"$header"
root=$(echo "$root" | sed 's/[ #]/\\&/g')
{
  printf '%s:' "$target"
  echo "$files" | while read -r file; do printf ' %s/%s' "$root" "$file"; done
  echo
} >"$depfile"
