#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the header that says of what each format kept in the cache (converted.h) is made: its folders, and what all
# formats share.  What another Scope kept of a file is then read anew, and nobody has to think of it.  DEPFILE says what
# that is, for ninja: the files, and the folders, in which there may be a new one.
# usage: code-stamp.sh ROOT HEADER DEPFILE {-n NAME SOURCE...}...
set -e
root=$(realpath "$1") header=$(realpath -m "$2") depfile=$(realpath -m "$3") target=$2
shift 3
of=$(mktemp) seen=$(mktemp)
trap 'rm -f "$of" "$seen"' EXIT
# NAME FOLDER, a line each
while [ $# -gt 0 ]; do
  if [ "$1" = -n ]; then
    name=$2
    shift 2
  else
    echo "$name $(dirname "$(realpath "$1")")"
    shift
  fi
done | LC_ALL=C sort -u >"$of"
cd "$root"
sources () {
  find "$@" -type f \( -name '*.[ch]' -o -name '*.def' \) | LC_ALL=C sort | tee -a "$seen"
}
shared=$({
  sources readers -maxdepth 1
  sources eve
} | xargs cat | sha256sum)
{
  echo 'static const struct { const char *format; uint64_t code; } converted_codes[] = {'
  cut -d' ' -f1 "$of" | uniq | while read -r name; do
    # `readers/absent.c` takes the place of some
    folders=$(grep "^$name " "$of" | cut -d' ' -f2- | sed "s|^$root/||" | grep -v -x readers || true)
    sum=$({
      echo "$shared"
      for folder in $folders; do sources "$folder"; done | xargs cat
    } | sha256sum | cut -c1-16)
    echo "  { \"$name\", UINT64_C (0x$sum) },"
  done
  echo '};'
} >"$header"
root=$(echo "$root" | sed 's/[ #]/\\&/g')
{
  printf '%s:' "$target"
  {
    LC_ALL=C sort -u "$seen"
    find eve readers -type d
  } | while read -r file; do printf ' %s/%s' "$root" "$file"; done
  echo
} >"$depfile"
