/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - the file, or standard output, that a component writes.
 *
 * The number of bytes written is run state.  After travel to the past the file is cut to what had been written by
 * then, so that it always holds what a run from the beginning would have written. */
#pragma once
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "eve/eve.h"

typedef struct Output {
  char *name;      /* a setting of the component: empty means standard output */
  int64_t written; /* a field of its state: bytes since the beginning */
  FILE *file;
  char *path;
  int64_t left_out; /* bytes that were written to a file that is not there any more */
  bool failed;
} Output;

static inline bool
output_fail (Output *o, EveComponent *c, const char *what, const char *advice)
{
  if (!o->failed)
    eve_fail (c, "Cannot %s %s: %s. %s", what, o->path ? o->path : "standard output", strerror (errno), advice);
  o->failed = true;
  return false;
}

static inline void
output_close (Output *o)
{
  if (o->file && o->path)
    fclose (o->file);
  else if (o->file)
    fflush (o->file);
  free (o->path);
  o->path = NULL;
  o->file = NULL;
  o->failed = false;
}

static inline bool
output_open (Output *o, EveComponent *c)
{
  if (o->file)
    return true;
  if (o->failed)
    return false;
  if (!o->name[0]) {
    o->file = stdout;
    return true;
  }
  o->path = eve_path (c, o->name, true);
  int64_t there = -1;
  if (o->written > o->left_out && (o->file = fopen (o->path, "r+b")))
    there = fseeko (o->file, 0, SEEK_END) == 0 ? (int64_t) ftello (o->file) : -1;
  if (there >= o->written - o->left_out) {
    if (ftruncate (fileno (o->file), o->written - o->left_out) || fseeko (o->file, 0, SEEK_END))
      return output_fail (o, c, "go on in", "Choose another file.");
    return true;
  }
  if (o->file)
    fclose (o->file);
  if (o->written > o->left_out)
    eve_warn (c, "%s is not there or is shorter than it was; it is begun anew, without what was written before.",
              o->path);
  o->left_out = o->written;
  if (!(o->file = fopen (o->path, "wb")))
    return output_fail (o, c, "write", "Choose a folder that is there and may be written to.");
  return true;
}

static inline bool
output_bytes (Output *o, EveComponent *c, const char *bytes, size_t n)
{
  if (!output_open (o, c))
    return false;
  if (fwrite_unlocked (bytes, 1, n, o->file) != n)
    return output_fail (o, c, "write to", "Make room on the disk, or choose another file.");
  o->written += (int64_t) n;
  return true;
}

static inline void
output_flush (Output *o, EveComponent *c)
{
  if (o->file && fflush (o->file))
    output_fail (o, c, "write to", "Make room on the disk, or choose another file.");
}

/* After the engine set `written` to 0, or before it sets it to what a saved run says. */
static inline void
output_reset (Output *o)
{
  output_close (o);
  o->left_out = 0;
}

/* The name was changed: the new file begins here. */
static inline void
output_renamed (Output *o)
{
  output_close (o);
  o->left_out = o->written;
}
