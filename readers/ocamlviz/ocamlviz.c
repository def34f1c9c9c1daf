/* SPDX-License-Identifier: Apache-2.0 */
/* ocamlviz.c - a file of recorded bytes, as a trace.  It is decoded into a recording of values when it is opened, which
 * goes away with the source.  Dates are when the bytes arrived, if FILE.times beside it tells that; else the processor
 * time that the program tells. */
#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>
#include "readers/converted.h"
#include "eve/words.h"
#include "readers/ocamlviz/decode.h"

#define PIECE 65536
#define MESSAGES_LOOKED_AT 8

static const TraceFormat ocamlviz_format;

/* When the bytes up to some place arrived: lines "SECONDS BYTES". */
typedef struct Arrivals {
  Input *in;      /* NULL: nobody knows */
  uint64_t until; /* the bytes up to here arrived at `date` */
  int64_t date;
} Arrivals;

static void
next_arrival (Arrivals *a)
{
  size_t n;
  bool cut;
  const char *line = a->in ? input_line (a->in, &n, &cut, NULL) : NULL;
  char *end = NULL;
  double seconds = line ? g_ascii_strtod (line, &end) : 0;
  uint64_t until = line && end > line ? g_ascii_strtoull (end, NULL, 10) : 0;

  if (until <= a->until || !(seconds >= 0 && seconds < 1e9)) {
    a->until = UINT64_MAX; /* what is behind the last line came then */
    return;
  }
  a->until = until;
  a->date = (int64_t) (seconds * 1e9 + 0.5);
}

/* *cut: how the file ends, if it does in the middle of a message; g_free. */
static bool
ocamlviz_decode (ValuesRecorder *to, const char *path, Input *in, Arrivals *a, const TraceProgress *progress,
                 char **cut, GError **error)
{
  g_autofree uint8_t *bytes = g_malloc (PIECE);
  g_autofree char *name = g_path_get_basename (path);
  g_autoptr (GError) why = NULL;
  uint32_t program = values_program (to, name);
  Ovz *o = ovz_new (to, program, a->in == NULL);
  uint64_t at = 0;
  bool good = true;
  size_t n;

  values_note (to, program, VALUE_CONNECTED);
  while (good && !why && (n = input_read (in, bytes, PIECE, &why)) > 0) {
    for (size_t done = 0, some; done < n && !why; done += some, at += some) {
      while (a->in && at >= a->until)
        next_arrival (a);
      some = a->in ? (size_t) MIN (n - done, a->until - at) : n - done;
      if (a->in)
        values_date (to, a->date);
      ovz_feed (o, bytes + done, some, &why);
    }
    good = values_flush (to, error);
    if (good && progress && progress->report && !progress->report (progress->arg, "reading", input_share (in))) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_CANCELLED, "interrupted");
      good = false;
    }
  }
  if (why)
    values_damage (to, "%s", why->message);
  *cut = ovz_cut (o);
  g_autoptr (GError) nothing = NULL;
  if (!ovz_end (o, &nothing) && good) {
    g_propagate_error (error, why ? g_steal_pointer (&why) : g_steal_pointer (&nothing));
    good = false;
  }
  values_note (to, program, VALUE_ENDED);
  ovz_free (o);
  return good;
}

/* The folder of the recording, made; g_free. */
static char *
ocamlviz_make_folder (const TraceOptions *options, GError **error)
{
  g_autofree char *above = options->work_folder ? g_strdup (options->work_folder)
                                                : g_build_filename (g_get_user_cache_dir (), "scope", NULL);
  char *folder = g_build_filename (above, "ocamlviz-XXXXXX", NULL);

  if (g_mkdir_with_parents (above, 0700) == 0 && g_mkdtemp (folder))
    return folder;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be made: %s"), folder, g_strerror (errno));
  g_free (folder);
  return NULL;
}

static TraceSource *
ocamlviz_open (const char *bundle, const char *path, const TraceOptions *options, GError **error)
{
  g_autofree char *folder = ocamlviz_make_folder (options, error), *times = g_strconcat (path, ".times", NULL);
  Arrivals a = { .until = 0 };
  TraceSource *s = NULL;
  Input *in = folder ? input_open (path, error) : NULL;
  TraceOptions whole = *options;

  whole.follow = false;
  if (in && g_file_test (times, G_FILE_TEST_IS_REGULAR))
    a.in = input_open (times, NULL);
  ValuesRecorder *to = in ? values_recorder_new (folder, "a file of Ocamlviz", error) : NULL;
  g_autofree char *cut = NULL;
  bool good = to && ocamlviz_decode (to, path, in, &a, options->progress, &cut, error);
  values_recorder_free (to, good);
  if (good)
    s = values_open_folder (&ocamlviz_format, bundle, folder, true, &whole, error);
  if (s && cut)
    trace_source_remark (s, path, 0, 0, _ ("it ends %s"), cut);
  if (!good && folder)
    values_remove_folder (folder);
  input_close (in);
  input_close (a.in);
  return s;
}

/* ---- is it one? ------------------------------------------------------------------------------------------------------------- */

static bool
is_message (const uint8_t *bytes, size_t n)
{
  OvzBytes b = { bytes, bytes + n };
  uint32_t tag, count;
  uint8_t type, kind;
  const uint8_t *name;
  OvzValue v;
  size_t n_name;

  if (!ovz_take (&b, &type, 1))
    return false;
  if (type == 0)
    return ovz_get_16 (&b, &tag) && ovz_take (&b, &kind, 1) && kind < OVZ_N_KINDS && ovz_get_string (&b, &name, &n_name)
           && b.at == b.end;
  if (type == 1)
    return ovz_get_16 (&b, &tag) && ovz_get_value (&b, &v);
  return type == 2 && ovz_get_16 (&b, &count) && (size_t) (b.end - b.at) == 2 * (size_t) count;
}

/* The first messages are good ones: surer, the more of them there are. */
static int
ocamlviz_recognise (const char *path, const void *head, size_t n, char **whole)
{
  const uint8_t *bytes = head;
  size_t at = 0;
  int good = 0, bad = 0;

  while (bytes && n - at >= 4 && good < MESSAGES_LOOKED_AT) {
    int64_t length = (int32_t) bytes_get32 (bytes + at);
    if (length < 1 || length > OVZ_MOST_MESSAGE)
      return 0;
    if ((size_t) length > n - at - 4)
      break;
    if (is_message (bytes + at + 4, (size_t) length))
      good++;
    else
      bad++;
    at += 4 + (size_t) length;
  }
  return bad > good || good == 0 ? 0 : MIN (50 + 5 * good, 90);
}

static const TraceFormat ocamlviz_format = {
  .name = "ocamlviz",
  .label = "Ocamlviz",
  .model = "Values",
  .open = ocamlviz_open,
  .recognise = ocamlviz_recognise,
  VALUES_FUNCTIONS,
};

TRACE_READER_PLUGIN (ocamlviz_format, "scope.ocamlviz-reader", "Ocamlviz reader", "reader:ocamlviz",
                     "Reads recorded streams of programs that are watched with Ocamlviz, or with libscopeviz.");
