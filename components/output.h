/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - the file, or standard output, that a component writes.
 *
 * The number of bytes written is run state.  After travel to the past the file is cut to what had been written by
 * then, so that it always holds what a run from the beginning would have written.  What comes at rest stands at its end
 * until the program goes on; standard output, of which nothing can be taken back, gets it when the program is over.
 * Where nothing is to be written, as in a film's pass (eve_open_output()), bytes are counted all the same. */
#pragma once
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "eve/eve.h"
#include "eve/words.h"

typedef struct Output {
  char *name;      /* a setting of the component: empty means standard output */
  int64_t written; /* a field of its state: bytes since the beginning */
  FILE *file;
  int64_t left_out; /* bytes that were written to a file that is not there any more */
  bool nowhere;     /* no file is written now */
  bool failed;
  char *held; /* for standard output, of what came at rest */
  size_t n_held;
  EveComponent *holder;
} Output;

static inline bool
output_fail (Output *o, EveComponent *c, const char *what, const char *advice)
{
  if (!o->failed)
    eve_fail (c, _ ("Cannot %s %s: %s. %s"), what, o->name[0] ? o->name : _ ("standard output"), strerror (errno),
              advice);
  o->failed = true;
  return false;
}

static inline void
output_forget_held (Output *o)
{
  free (o->held);
  o->held = NULL;
  o->n_held = 0;
}

static inline void
output_close (Output *o)
{
  if (o->n_held)
    eve_print (o->holder, o->held, o->n_held);
  output_forget_held (o);
  if (o->file)
    fclose (o->file);
  o->file = NULL;
  o->failed = o->nowhere = false;
}

static inline bool
output_open (Output *o, EveComponent *c)
{
  if (o->file || o->nowhere || (!o->name[0] && !o->failed))
    return true;
  if (o->failed)
    return false;
  int fd = eve_open_output (c, o->name);
  o->nowhere = fd == EVE_NOWHERE;
  o->failed = fd == -1;
  if (fd < 0)
    return o->nowhere;
  int64_t keep = o->written - o->left_out, there = (int64_t) lseek (fd, 0, SEEK_END);
  if (keep > 0 && there < keep) {
    eve_warn (c, _ ("%s is not there or is shorter than it was; it is begun anew, without what was written before."),
              o->name);
    keep = 0;
  }
  if (keep <= 0) {
    o->left_out = o->written;
    keep = 0;
  }
  if (ftruncate (fd, (off_t) keep) != 0 || !(o->file = fdopen (fd, "r+b"))) {
    output_fail (o, c, "write", _ ("Choose another file."));
    close (fd);
    return false;
  }
  return fseeko (o->file, (off_t) keep, SEEK_SET) == 0
         || output_fail (o, c, _ ("go on in"), _ ("Choose another file."));
}

static inline bool
output_bytes (Output *o, EveComponent *c, const char *bytes, size_t n)
{
  if (!output_open (o, c))
    return false;
  if (!o->file && !o->nowhere && eve_at_rest (c)) {
    char *more = (char *) realloc (o->held, o->n_held + n);
    if (more) {
      memcpy (more + o->n_held, bytes, n);
      o->held = more;
      o->n_held += n;
      o->holder = c;
    }
    return true;
  }
  if (o->file ? fwrite_unlocked (bytes, 1, n, o->file) != n : !o->nowhere && !eve_print (c, bytes, n))
    return output_fail (o, c, _ ("write to"), _ ("Make room on the disk, or choose another file."));
  o->written += (int64_t) n;
  return true;
}

static inline void
output_flush (Output *o, EveComponent *c)
{
  if ((o->file && fflush (o->file)) || (!o->name[0] && fflush (stdout)))
    output_fail (o, c, _ ("write to"), _ ("Make room on the disk, or choose another file."));
}

/* After the engine set `written` to 0, or before it sets it to what a saved run says. */
static inline void
output_reset (Output *o, EveComponent *c)
{
  output_forget_held (o);
  output_close (o);
  if (!eve_at_rest (c)) /* what came at rest is taken back: the file is the same */
    o->left_out = 0;
}

/* The name was changed: the new file begins here. */
static inline void
output_renamed (Output *o)
{
  output_forget_held (o);
  output_close (o);
  o->left_out = o->written;
}

/* "12 rows in x.csv", for the box */
static inline void
output_status (const Output *o, EveComponent *c, int64_t n, const char *one, const char *several)
{
  eve_status (c, "%lld %s %s %s", (long long) n, n == 1 ? one : several, o->nowhere ? "for" : "in",
              o->name[0] ? o->name : _ ("standard output"));
}
