/* SPDX-License-Identifier: Apache-2.0 */
/* input-test.c - files of lines, plain and packed by gzip, xz (where this build has it) and zstd, read by lines, where
 * they lie, and by bytes: what is in them comes back, each without and with a thread that reads ahead; of one that ends
 * too early, what is before; and one may stop at any time. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include "config.h"
#ifdef SCOPE_HAS_LZMA
#include <lzma.h>
#endif

#include "readers/converted.h"

#define LEAST_BYTES (6u << 20) /* several times what is read before a thread does */
#define BY_THREAD (3u << 20)   /* that were read: a thread reads ahead now, and has not come to the end yet */
#define MANY_PROCESSORS 16
#define LINE_CUT (1u << 20)

static guint n_processors; /* that input.c believes to be there */

/* In the place of that of GLib: whether a thread reads ahead hangs on it. */
TRACE_API guint
g_get_num_processors (void)
{
  return n_processors;
}

/* Threads that are called as these are, of this process. */
static guint
n_reading_ahead (void)
{
  GDir *all = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  g_assert_nonnull (all);
  for (const char *id; (id = g_dir_read_name (all));) {
    g_autofree char *path = g_build_filename ("/proc/self/task", id, "comm", NULL), *name = NULL;
    n += g_file_get_contents (path, &name, NULL, NULL) && strcmp (name, "read ahead\n") == 0;
  }
  g_dir_close (all);
  return n;
}

/* One that was joined is counted for a moment yet. */
static void
wait_for_reading_ahead (guint wanted)
{
  for (int i = 0; n_reading_ahead () != wanted && i < 6000; i++)
    g_usleep (10000);
  g_assert_cmpuint (n_reading_ahead (), ==, wanted);
}

/* Lines with their ends; some are empty, a few longer than is kept of a line. */
static GString *
make_text (GRand *r)
{
  GString *text = g_string_new (NULL);

  for (int n = 0; text->len < LEAST_BYTES; n++) {
    gint32 most = n % 50000 == 7 ? 3 << 20 : n % 100 == 0 ? 3000 : 120, length = g_rand_int_range (r, 0, most);
    for (gint32 i = 0; i < length; i++)
      g_string_append_c (text, (char) ('a' + (n + i) % 26));
    g_string_append_c (text, '\n');
  }
  g_string_append (text, "and no end");
  return text;
}

static void
put_plain (const char *path, const GString *text)
{
  g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
}

static void
put_gzip (const char *path, const GString *text)
{
  gzFile to = gzopen (path, "wb1");

  g_assert_nonnull (to);
  g_assert_cmpint (gzwrite (to, text->str, (unsigned) text->len), ==, (int) text->len);
  g_assert_cmpint (gzclose (to), ==, Z_OK);
}

static void
put_zstd (const char *path, const GString *text)
{
  size_t room = ZSTD_compressBound (text->len);
  g_autofree char *packed = g_malloc (room);
  size_t n = ZSTD_compress (packed, room, text->str, text->len, 1);

  g_assert_false (ZSTD_isError (n));
  g_assert_true (g_file_set_contents (path, packed, (gssize) n, NULL));
}

#ifdef SCOPE_HAS_LZMA
static void
put_xz (const char *path, const GString *text)
{
  size_t room = lzma_stream_buffer_bound (text->len), n = 0;
  g_autofree uint8_t *packed = g_malloc (room);
  lzma_ret done = lzma_easy_buffer_encode (0, LZMA_CHECK_CRC32, NULL, (const uint8_t *) text->str, text->len, packed,
                                           &n, room);

  g_assert_cmpint (done, ==, LZMA_OK);
  g_assert_true (g_file_set_contents (path, (const char *) packed, (gssize) n, NULL));
}
#endif

static const struct {
  const char *name;
  void (*put) (const char *path, const GString *text);
} packings[] = { { "text", put_plain },
                 { "text.gz", put_gzip },
                 { "text.zst", put_zstd },
#ifdef SCOPE_HAS_LZMA
                 { "text.xz", put_xz }
#endif
};

/* Some of the lines that lie in memory, which are those of the text. */
static const char *
take_ahead (GRand *r, Input *in, const char *at, uint64_t *line)
{
  char *end, *from = input_ahead (in, &end), *to = from;
  uint64_t n = 0;

  for (uint64_t wanted = g_rand_int_range (r, 0, 400); n < wanted && to < end; n++)
    to = (char *) memchr (to, '\n', (size_t) (end - to)) + 1;
  if (n > 0)
    g_assert_cmpmem (from, to - from, at, to - from);
  input_skip (in, to, n);
  *line += n;
  g_assert_cmpuint (input_line_number (in), ==, *line);
  return at + (to - from);
}

static void
read_lines (GRand *r, const char *path, const GString *text, bool ahead)
{
  g_autoptr (GError) error = NULL;
  Input *in = input_open (path, &error);
  const char *at = text->str, *got;
  uint64_t line = 0;
  bool cut, looked = false;
  size_t n;

  g_assert_no_error (error);
  for (;;) {
    if (ahead)
      at = take_ahead (r, in, at, &line);
    if (!(got = input_line (in, &n, &cut, &error)))
      break;
    const char *stop = memchr (at, '\n', (size_t) (text->str + text->len - at));
    size_t wanted = (size_t) ((stop ? stop : text->str + text->len) - at);
    g_assert_cmpuint (input_line_number (in), ==, ++line);
    g_assert_true (cut ? wanted >= LINE_CUT - 1 && n == LINE_CUT - 1 : n == wanted);
    g_assert_cmpint (memcmp (got, at, n), ==, 0);
    g_assert_cmpint (got[n], ==, '\0');
    g_assert_cmpint (input_line_ended (in), ==, stop != NULL);
    at += wanted + (stop != NULL);
    if (!looked && at - text->str >= BY_THREAD) {
      looked = true;
      wait_for_reading_ahead (n_processors > 1);
    }
  }
  g_assert_true (looked);
  g_assert_no_error (error);
  g_assert_true (at == text->str + text->len);
  g_assert_cmpfloat (input_share (in), ==, 1);
  input_close (in);
}

/* Gives how many bytes have come, at most `most`, which are those of the text. */
static size_t
read_bytes (GRand *r, const char *path, const GString *text, size_t most, GError **error)
{
  Input *in = input_open (path, NULL);
  g_autofree char *bytes = g_malloc (400000);
  size_t all = 0;

  g_assert_nonnull (in);
  for (size_t n;
       all < most
       && (n = input_read (in, bytes, (size_t) g_rand_int_range (r, 1, g_rand_boolean (r) ? 400000 : 500), error)) > 0;
       all += n) {
    g_assert_cmpuint (all + n, <=, text->len);
    g_assert_cmpint (memcmp (bytes, text->str + all, n), ==, 0);
  }
  input_close (in);
  return all;
}

static void
end_early (GRand *r, const char *path, const GString *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = NULL;
  gsize n;

  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) (n * 9 / 10), NULL));
  size_t got = read_bytes (r, path, text, SIZE_MAX, &error);
  g_assert_error (error, TRACE_ERROR, TRACE_ERROR_DATA);
  g_assert_cmpuint (got, >, text->len / 2);
  g_assert_cmpuint (got, <, text->len);
}

int
main (void)
{
  const char *given = g_getenv ("SCOPE_SEED");
  guint32 seed = given ? (guint32) strtoul (given, NULL, 10) : 20261127;
  GRand *r = g_rand_new_with_seed (seed);
  g_autofree char *folder = g_dir_make_tmp ("input-XXXXXX", NULL);
  GString *text = make_text (r);

  g_print ("SCOPE_SEED=%u\n", seed);
  for (gsize k = 0; k < G_N_ELEMENTS (packings); k++) {
    g_autofree char *path = g_build_filename (folder, packings[k].name, NULL);
    packings[k].put (path, text);
    for (n_processors = 1; n_processors <= MANY_PROCESSORS; n_processors += MANY_PROCESSORS - 1) {
      read_lines (r, path, text, false);
      read_lines (r, path, text, true);
      g_assert_cmpuint (read_bytes (r, path, text, SIZE_MAX, NULL), ==, text->len);
      for (int i = 0; i < 10; i++) /* nobody wants the rest */
        read_bytes (r, path, text, (size_t) g_rand_int_range (r, 1, (gint32) text->len), NULL);
      if (k > 0)
        end_early (r, path, text);
      packings[k].put (path, text);
    }
    g_unlink (path);
  }
  g_rmdir (folder);
  g_string_free (text, TRUE);
  g_rand_free (r);
  return 0;
}
