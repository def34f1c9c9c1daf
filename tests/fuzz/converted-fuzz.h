/* SPDX-License-Identifier: Apache-2.0 */
/* converted-fuzz.h - any bytes as a file of another program.  Beside not crashing: dates in order, all that an event
 * names is there, backward is the reverse of forward, every event can be shown, and what the cache holds of it is the
 * same trace.  A target includes the reader's sources, and this with FUZZED: its ConvertedFormat.  With FUZZED_ARCHIVE
 * too the bytes are the files of a folder, packed in one (archive.py). */
#pragma once
#include "readers/converted-private.h"
#include "tests/fuzz/reader-fuzz.h"

#define MOST 20000 /* events looked at */

#ifdef FUZZED_ARCHIVE
#include <ctype.h>
#define MOST_FILES 64

/* "NAME LENGTH\n" and as many bytes, one after the other; a name is letters, digits, points and one "/" at most.  What
 * is no such head, and what is behind it, is left out. */
static void
put_events (const uint8_t *data, size_t n)
{
  empty_folder (folder);
  for (int i = 0; i < MOST_FILES && n > 0; i++) {
    const uint8_t *end = memchr (data, '\n', MIN (n, 100));
    g_autofree char *head = g_strndup ((const char *) data, end ? (gsize) (end - data) : 0);
    char *blank = strchr (head, ' '), *slash;
    if (!blank || !isalnum ((unsigned char) *head))
      return;
    *blank = '\0';
    guint64 length = g_ascii_strtoull (blank + 1, NULL, 10);
    n -= (size_t) (end + 1 - data);
    data = end + 1;
    length = MIN (length, n);
    if (strspn (head, "abcdefghijklmnopqrstuvwxyz0123456789./") != strlen (head) || strstr (head, "..")
        || g_str_has_suffix (head, "/"))
      return;
    if ((slash = strchr (head, '/'))) {
      g_autofree char *inner = g_strndup (head, (gsize) (slash - head)), *path = g_build_filename (folder, inner, NULL);
      if (strchr (slash + 1, '/') || (g_mkdir (path, 0700) != 0 && !g_file_test (path, G_FILE_TEST_IS_DIR)))
        return;
    }
    g_autofree char *path = g_build_filename (folder, head, NULL);
    if (!g_file_test (path, G_FILE_TEST_IS_DIR))
      write_file (head, data, length);
    data += length;
    n -= length;
  }
}

static char *
events_path (void)
{
  return g_strdup (folder);
}
#else
static void
put_events (const uint8_t *data, size_t n)
{
  write_file ("events", data, n);
}

static char *
events_path (void)
{
  return g_build_filename (folder, "events", NULL);
}
#endif

static void
remove_cache (void)
{
  g_autofree char *path = events_path ();
  g_autofree char *kept = converted_folder (&FUZZED, path, NULL);

  if (kept)
    converted_remove (kept);
  for (g_autofree char *above = kept ? g_path_get_dirname (kept) : NULL; above && strcmp (above, bundle) != 0;) {
    char *next = g_path_get_dirname (above);
    g_rmdir (above);
    g_free (above);
    above = next;
  }
}

static GArray *
read_all (TraceSource *s, size_t batch)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  TraceEvent some[64];
  size_t n;

  while (all->len < MOST && (n = s->format->next (s, some, batch, NULL)) > 0)
    g_array_append_vals (all, some, (guint) n);
  return all;
}

static void
check (TraceSource *s, size_t batch)
{
  g_autoptr (GArray) all = read_all (s, batch);
  TraceEvent e;

  for (guint i = 0; i < all->len; i++) {
    const TraceEvent *at = &g_array_index (all, TraceEvent, i);
    check_event (s, at);
    CHECK (i == 0 || (at->date >= at[-1].date && at->number == at[-1].number + 1));
    if (i < 200)
      show (at);
  }
  for (guint i = all->len; i-- > 0 && i + 500 > all->len;)
    CHECK (s->format->previous (s, &e, 1, NULL) == 1
           && memcmp (&e, &g_array_index (all, TraceEvent, i), sizeof e) == 0);
  if (all->len > 0) {
    int64_t date = g_array_index (all, TraceEvent, all->len / 2).date;
    CHECK (s->format->seek (s, date, NULL) && s->format->next (s, &e, 1, NULL) == 1 && e.date == date);
  }
  for (guint i = 0; i < s->damage->len; i++)
    CHECK (g_utf8_validate (((const TraceDamage *) s->damage->pdata[i])->reason, -1, NULL));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const TraceOptions options = { .strict = size % 7 == 0 };

  if (!bundle) {
    make_bundle (&FUZZED.format);
    g_autofree char *cache = g_build_filename (bundle, "cache", NULL);
    CHECK (g_setenv ("XDG_CACHE_HOME", cache, TRUE));
  }
  put_events (data, size);
  TraceSource *s = open_bundle (&FUZZED.format, &options);
  if (s) {
    check (s, 1 + size % 64);
    uint64_t n = s->n_events;
    trace_close (s);
    s = open_bundle (&FUZZED.format, &options); /* what was kept */
    CHECK (s && s->n_events == n);
    check (s, 64);
    trace_close (s);
  }
  remove_cache ();
  return 0;
}
