/* SPDX-License-Identifier: Apache-2.0 */
/* film-fuzz.c - any bytes as a file of a film: the manifest, checkpoints, overview, commands, tasks, groups, traffic.
 *
 * The first byte chooses the file (low bits) and whether its checksums are made right (64). */
#include <string.h>
#include "eve/bytes.h"
#include "session/film.h"
#include "tests/fuzz/folder.h"
#include "views/history.h"

#define CHECKPOINT_HEADER 192
#define PLAN 0x1111u
#define TRACE 0x2222u

static void
manifest (void)
{
  g_autoptr (GError) error = NULL;
  FilmManifest m, again;
  bool ok = film_manifest_read (fuzz_folder, &m, &error);
  CHECK (ok == (error == NULL));
  if (error)
    fuzz_text (error->message);
  CHECK (m.state <= FILM_FAILED);
  if (ok && m.state != FILM_NONE) {
    CHECK (film_manifest_write (fuzz_folder, &m, NULL));
    CHECK (film_manifest_read (fuzz_folder, &again, NULL));
    CHECK (m.state == again.state && m.events == again.events && m.date == again.date && m.plan == again.plan);
    film_manifest_clear (&again);
  }
  film_manifest_clear (&m);
}

static void
checkpoints (bool write)
{
  g_autofree char *path = fuzz_path ("checkpoints");
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  Checkpoints *c = checkpoints_open (path, PLAN, TRACE, write, problems, NULL);
  if (!c)
    return;
  for (guint i = checkpoints_n (c); i-- > 0;) {
    const Checkpoint *p = checkpoints_nth (c, i);
    CHECK (i == 0 || checkpoints_nth (c, i - 1)->event <= p->event);
    CHECK ((unsigned) p->kind < CHECKPOINT_KINDS && memchr (p->name, 0, sizeof p->name));
    GBytes *bytes = checkpoints_read (c, i, NULL);
    if (bytes)
      g_bytes_unref (bytes);
  }
  if (write) {
    Checkpoint new = { .event = 7, .date = 9, .name = "new" };
    guint n = checkpoints_n (c);
    CHECK (checkpoints_append (c, &new, "0123456789", 10, NULL) && checkpoints_n (c) == n + 1);
    checkpoints_free (c);
    c = checkpoints_open (path, PLAN, TRACE, true, NULL, NULL);
    bool found = false;
    for (guint i = 0; c && i < checkpoints_n (c); i++)
      found |= g_str_equal (checkpoints_nth (c, i)->name, "new");
    CHECK (found);
    checkpoints_cut (c, -1, NULL);
    CHECK (checkpoints_n (c) == 0);
  }
  for (guint i = 0; i < problems->len; i++)
    fuzz_text (problems->pdata[i]);
  checkpoints_free (c);
}

static void
overview (void)
{
  FilmOverview *o = film_overview_read (fuzz_folder, NULL);
  for (guint i = 0; o && i < o->n * o->n_states; i++)
    CHECK (o->spent[i] != INT64_MIN || o->states);
  film_overview_free (o);
}

static void
commands (void)
{
  static const TraceClock clock = { 1000000000, "s" };
  g_autoptr (GPtrArray) all = film_commands_read (fuzz_folder, &clock, 1000);
  for (guint i = 0; i < all->len; i++)
    CHECK (((FilmCommand *) all->pdata[i])->verb);
}

static void
each_link (void *arg, const char *from, const char *to, double bytes)
{
  CHECK (from && to);
}

static void
names (void)
{
  Names *n = names_read (fuzz_folder);
  names_read_groups (n, fuzz_folder);
  names_read_traffic (n, fuzz_folder, each_link, NULL);
  names_free (n);
}

/* Every header that begins with the magic is of our plan and trace, and its checksum is right. */
static void
seal_checkpoints (uint8_t *data, size_t n)
{
  for (size_t at = 0; at + CHECKPOINT_HEADER <= n; at++)
    if (!memcmp (data + at, "SCOPECP\n", 8)) {
      bytes_put64 (data + at + 16, PLAN);
      bytes_put64 (data + at + 24, TRACE);
      bytes_put64 (data + at + CHECKPOINT_HEADER - 8, bytes_fnv (data + at, CHECKPOINT_HEADER - 8));
    }
}

/* The head is of this version; records are made right as far as their lengths lead. */
static void
seal_overview (uint8_t *data, size_t n)
{
  if (n < 64)
    return;
  memcpy (data, "SCOPEOV\n", 8);
  bytes_put64 (data + 8, 3);
  bytes_put64 (data + 16, FILM_BUCKETS);
  bytes_put64 (data + 56, bytes_fnv (data, 56));
  for (size_t at = 64, record; at + 40 <= n; at += record) {
    record = 40 + bytes_get64 (data + at) % 2048 / 8 * 8;
    if (record > n - at)
      break;
    bytes_put64 (data + at, record);
    bytes_put64 (data + at + record - 8, bytes_fnv (data + at, record - 8));
  }
}

/* Lines get their checksums, a manifest its sum. */
static GString *
seal_lines (const uint8_t *data, size_t n, bool each)
{
  g_autofree char *copy = g_strndup ((const char *) data, n);
  g_auto (GStrv) lines = g_strsplit (copy, "\n", -1);
  GString *text = g_string_new (NULL);
  for (char **line = lines; each && *line; line++)
    g_string_append_printf (text, "%s, \"check\": \"%016" G_GINT64_MODIFIER "x\"}\n", *line,
                            bytes_fnv (*line, strlen (*line)));
  if (!each) {
    g_string_append_printf (text, "%s\n", copy);
    g_string_append_printf (text, "sum=%016" G_GINT64_MODIFIER "x\n", bytes_fnv (text->str, text->len));
  }
  return text;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const files[] = {
    "manifest", "checkpoints", "overview", "commands", "tasks", "groups", "traffic"
  };
  if (size < 1)
    return 0;
  unsigned which = (data[0] & 7) % G_N_ELEMENTS (files);
  bool sealed = data[0] & 64;
  g_autofree uint8_t *copy = g_memdup2 (data, size);
  size--;
  if (which == 1 && sealed)
    seal_checkpoints (copy + 1, size);
  if (which == 2 && sealed)
    seal_overview (copy + 1, size);
  if ((which == 0 || which == 3) && sealed) {
    g_autoptr (GString) text = seal_lines (copy + 1, size, which == 3);
    fuzz_write (files[which], text->str, text->len);
  } else if (which > 3 && sealed && !memchr (copy + 1, 0, size)) {
    g_autofree char *path = fuzz_path (files[which]);
    g_autoptr (GString) text = g_string_new_len ((char *) copy + 1, (gssize) size);
    CHECK (names_file_write (path, text, NULL));
  } else {
    fuzz_write (files[which], copy + 1, size);
  }
  if (which == 0)
    manifest ();
  else if (which == 1)
    checkpoints (data[0] & 128);
  else if (which == 2)
    overview ();
  else if (which == 3)
    commands ();
  else
    names ();
  fuzz_clear ();
  return 0;
}
