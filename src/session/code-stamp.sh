#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the header that says which Scope shoots films: of what the engine, readers, simulators, statistics, components,
# the writers of histories and sessions are made of.  A film that others have shot is shot again, and nobody has to think
# of it.  DEPFILE says what that is, for ninja: the files, and the folders, in which there may be a new one.
# usage: code-stamp.sh ROOT HEADER DEPFILE
set -e
header=$(realpath -m "$2") depfile=$(realpath -m "$3") target=$2
root=$(realpath "$1")
cd "$root"
folders='eve readers simulators statistics components src/session'
files=$({
  # marks and travel read films, and write nothing into them
  find $folders \( -name '*.[ch]' -o -name '*.def' \) ! -path 'src/session/marks*' ! -path 'src/session/travel*' -type f
  # of views only what keeps what they show, and what that is written with
  find views \( -name 'history*.[ch]' -o -name 'layer*.[ch]' -o -name 'stretches.[ch]' -o -name 'frame-rows.[ch]' \
    -o -name 'groups.[ch]' -o -name 'four.h' \) -type f
} | LC_ALL=C sort)
sum=$(echo "$files" | xargs cat | sha256sum | cut -c1-16)
printf '#define FILM_CODE UINT64_C (0x%s)\n' "$sum" >"$header"
root=$(echo "$root" | sed 's/[ #]/\\&/g')
{
  printf '%s:' "$target"
  {
    echo "$files"
    find $folders views -type d
  } | while read -r file; do printf ' %s/%s' "$root" "$file"; done
  echo
} >"$depfile"
