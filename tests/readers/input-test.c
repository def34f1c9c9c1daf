/* SPDX-License-Identifier: Apache-2.0 */
/* input-test.c - files of lines, plain and packed, read by lines, where they lie, and by bytes: what is in them comes
 * back, also by a thread that reads ahead; of one that ends too early, what is before; and one may stop at any time. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "readers/converted.h"

#define LEAST_BYTES (6u << 20) /* several times what is read before a thread does */
#define LINE_CUT (1u << 20)

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
pack (const char *path, const GString *text)
{
  gzFile to = gzopen (path, "wb1");

  g_assert_nonnull (to);
  g_assert_cmpint (gzwrite (to, text->str, (unsigned) text->len), ==, (int) text->len);
  g_assert_cmpint (gzclose (to), ==, Z_OK);
}

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
  bool cut;
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
  }
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
  g_autofree char *plain = g_build_filename (folder, "text", NULL),
                  *packed = g_build_filename (folder, "text.gz", NULL);
  GString *text = make_text (r);

  g_print ("SCOPE_SEED=%u\n", seed);
  g_assert_true (g_file_set_contents (plain, text->str, (gssize) text->len, NULL));
  pack (packed, text);
  for (int k = 0; k < 2; k++) {
    const char *path = k == 0 ? plain : packed;
    read_lines (r, path, text, false);
    read_lines (r, path, text, true);
    g_assert_cmpuint (read_bytes (r, path, text, SIZE_MAX, NULL), ==, text->len);
    for (int i = 0; i < 20; i++) /* nobody wants the rest */
      read_bytes (r, path, text, (size_t) g_rand_int_range (r, 1, (gint32) text->len), NULL);
  }
  end_early (r, packed, text);
  g_unlink (plain);
  g_unlink (packed);
  g_rmdir (folder);
  g_string_free (text, TRUE);
  g_rand_free (r);
  return 0;
}
