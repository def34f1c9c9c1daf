/* SPDX-License-Identifier: Apache-2.0 */
/* chunks-test.c - checkpoints that hold what changed: whatever happens to a state from one to the next, what is read is
 * what was saved, in any order, after damage nothing else; and lists of strangers.  SCOPE_SEED chooses. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include "eve/bytes.h"
#include "session/checkpoints.h"
#include "session/chunks.h"
#include "session/film.h"
#include "session/places.h"

#define STATES 40

static char *folder;
static GRand *chance;

static GByteArray *
noise (guint n)
{
  GByteArray *a = g_byte_array_new ();

  g_byte_array_set_size (a, n);
  for (guint i = 0; i < n; ++i)
    a->data[i] = (guint8) g_rand_int (chance);
  return a;
}

/* Here and there other bytes, some more or some less, as states change; now and then all of it. */
static GByteArray *
next_state (const GByteArray *before)
{
  GByteArray *a = g_byte_array_new ();

  if (g_rand_int_range (chance, 0, 15) == 0) {
    g_byte_array_unref (a);
    return noise ((guint) g_rand_int_range (chance, 100, 300000));
  }
  g_byte_array_append (a, before->data, before->len);
  for (int edits = g_rand_int_range (chance, 0, 20); edits > 0; --edits) {
    g_autoptr (GByteArray) new = noise ((guint) g_rand_int_range (chance, 0, 3000));
    guint at = (guint) g_rand_int_range (chance, 0, (gint32) a->len + 1);
    guint gone = (guint) g_rand_int_range (chance, 0, (gint32) MIN (a->len - at, 3000) + 1);
    g_autofree guint8 *behind = g_memdup2 (a->data + at + gone, a->len - at - gone);
    guint n_behind = a->len - at - gone;
    g_byte_array_set_size (a, at);
    g_byte_array_append (a, new->data, new->len);
    if (n_behind)
      g_byte_array_append (a, behind, n_behind);
  }
  return a;
}

static bool
is_state (GBytes *bytes, const GByteArray *state)
{
  return g_bytes_get_size (bytes) == state->len
         && memcmp (g_bytes_get_data (bytes, NULL), state->data, state->len) == 0;
}

typedef struct Saved {
  char *path;
  GPtrArray *states; /* of GByteArray; that of event i + 1 */
  guint lists;
  uint64_t whole_bytes; /* that all of them have */
} Saved;

/* The file is left and gone on with now and then; some are saved by a person. */
static Saved
save_some (const char *name)
{
  Saved s = { .path = g_build_filename (folder, name, NULL),
              .states = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref) };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) state = noise (200000);
  Checkpoints *c = checkpoints_open (s.path, 1, 2, true, NULL, &error);
  guint in_a_row = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < STATES; ++i) {
    bool by_hand = g_rand_int_range (chance, 0, 10) == 0;
    Checkpoint what = { .event = i + 1, .kind = by_hand ? CHECKPOINT_BY_HAND : CHECKPOINT_AUTOMATIC };
    g_assert_true (checkpoints_append (c, &what, state->data, state->len, &error));
    g_assert_false (by_hand && what.is_list);
    in_a_row = what.is_list ? in_a_row + 1 : 0;
    g_assert_cmpuint (in_a_row, <, CHUNKS_SOURCES);
    s.lists += what.is_list;
    s.whole_bytes += state->len;
    g_ptr_array_add (s.states, g_byte_array_ref (state));
    GByteArray *next = next_state (state);
    g_byte_array_unref (state);
    state = next;
    if (g_rand_int_range (chance, 0, 12) == 0) {
      checkpoints_free (c);
      c = checkpoints_open (s.path, 1, 2, true, NULL, &error);
      g_assert_no_error (error);
    }
  }
  checkpoints_free (c);
  return s;
}

static void
saved_clear (Saved *s)
{
  g_remove (s->path);
  g_free (s->path);
  g_ptr_array_unref (s->states);
}

static void
test_changed (void)
{
  Saved s = save_some ("changed");
  Checkpoints *c = checkpoints_open (s.path, 1, 2, false, NULL, NULL);
  GStatBuf st;

  g_assert_cmpuint (checkpoints_n (c), ==, STATES);
  for (guint k = 0; k < 3 * STATES; ++k) {
    guint i = (guint) g_rand_int_range (chance, 0, STATES);
    g_autoptr (GBytes) bytes = checkpoints_read (c, i, NULL);
    g_assert_true (bytes && is_state (bytes, g_ptr_array_index (s.states, i)));
  }
  checkpoints_free (c);
  g_assert_cmpuint (s.lists, >, STATES / 4);
  g_assert_cmpint (g_stat (s.path, &st), ==, 0); /* noise does not pack: what is less is what was not written again */
  g_assert_cmpuint ((uint64_t) st.st_size, <, s.whole_bytes / 10 * 8);
  saved_clear (&s);
}

/* A state is that which was saved, or refused; and what is called sound can be read. */
static void
test_damaged (void)
{
  Saved s = save_some ("whole");
  g_autofree char *path = g_build_filename (folder, "damaged", NULL), *bytes = NULL;
  gsize n;

  g_assert_true (g_file_get_contents (s.path, &bytes, &n, NULL));
  for (guint round = 0; round < 30; ++round) {
    g_autofree char *copy = g_memdup2 (bytes, n);
    gsize length = round % 3 == 0 ? (gsize) g_rand_int_range (chance, 0, (gint32) n) : n;
    for (guint k = 0; round % 3 != 0 && k < 1 + round / 10; ++k)
      copy[g_rand_int_range (chance, 0, (gint32) n)] ^= (char) (1 << g_rand_int_range (chance, 0, 8));
    g_assert_true (g_file_set_contents (path, copy, (gssize) length, NULL));
    g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
    bool stopped;
    Checkpoints *c = checkpoints_open (path, 1, 2, false, NULL, NULL);
    uint64_t sound = checkpoints_sound (c, true, NULL, problems, &stopped);
    for (guint i = 0; i < checkpoints_n (c);) {
      Checkpoint p = *checkpoints_nth (c, i);
      g_autoptr (GBytes) read = checkpoints_read (c, i, NULL);
      if (read) {
        g_assert_true (p.event >= 1 && p.event <= STATES && is_state (read, g_ptr_array_index (s.states, p.event - 1)));
        ++i;
      } else {
        g_assert_cmpuint (p.offset + 1, >, sound);
      }
    }
    g_assert_true (sound == UINT64_MAX || problems->len > 0);
    checkpoints_free (c);
  }
  g_remove (path);
  saved_clear (&s);
}

/* A film that goes on from an earlier one: what was cut off serves nobody. */
static void
test_cut (void)
{
  Saved s = save_some ("cut");

  for (guint round = 0; round < 5; ++round) {
    Checkpoints *c = checkpoints_open (s.path, 1, 2, true, NULL, NULL);
    int at = g_rand_int_range (chance, STATES / 2, (gint32) checkpoints_n (c));
    Checkpoint what = { 0 };
    g_assert_true (checkpoints_cut (c, at, NULL));
    for (guint i = (guint) at + 1; i < STATES; ++i) {
      const GByteArray *state = g_ptr_array_index (s.states, i);
      what = (Checkpoint){ .event = i + 1 };
      g_assert_true (checkpoints_append (c, &what, state->data, state->len, NULL));
    }
    checkpoints_free (c);
    c = checkpoints_open (s.path, 1, 2, false, NULL, NULL);
    g_assert_cmpuint (checkpoints_n (c), ==, STATES);
    for (guint i = 0; i < STATES; ++i) {
      g_autoptr (GBytes) bytes = checkpoints_read (c, i, NULL);
      g_assert_true (bytes && is_state (bytes, g_ptr_array_index (s.states, i)));
    }
    checkpoints_free (c);
  }
  saved_clear (&s);
}

/* Lists that say anything: nothing is read or written outside, and no state comes out but the one that was meant. */
static void
test_strangers (void)
{
  Chunks *c = chunks_new ();
  g_autoptr (GByteArray) first = noise (60000);
  size_t n = 0;

  g_assert_null (chunks_changed (c, first->data, first->len, &n));
  chunks_written (c, first->data, first->len, 0, 7);
  g_autoptr (GByteArray) second = g_byte_array_new ();
  g_byte_array_append (second, first->data, first->len);
  second->data[30000] ^= 1;
  g_autofree uint8_t *list = chunks_changed (c, second->data, second->len, &n);
  g_assert_nonnull (list);
  g_assert_cmpuint (n, <, 20000);
  for (guint round = 0; round < 3000; ++round) {
    g_autofree uint8_t *copy = g_memdup2 (list, n), *state = g_malloc0 (second->len);
    size_t length = round % 4 == 1 ? (size_t) g_rand_int_range (chance, 0, (gint32) n + 1) : n;
    g_autofree uint8_t *cut = g_memdup2 (copy, MAX (length, 1)); /* so that a step behind its end is seen */
    ChunksSource sources[CHUNKS_SOURCES];
    uint32_t n_sources = 0;
    for (guint k = 0; k < round % 3 && length > 0; ++k)
      cut[g_rand_int_range (chance, 0, (gint32) MIN (length, 200))] = (uint8_t) g_rand_int (chance);
    bool ok = chunks_sources (cut, length, sources, &n_sources);
    g_assert_cmpuint (n_sources, <=, CHUNKS_SOURCES);
    for (uint32_t i = 0; ok && i < n_sources; ++i)
      ok = chunks_copy (cut, length, i + 1, first->data, first->len, false, state, second->len);
    ok = ok && chunks_copy (cut, length, 0, cut, length, true, state, second->len)
         && chunks_whole (cut, length, state, second->len);
    g_assert_true (!ok || memcmp (state, second->data, second->len) == 0);
    if (round == 0)
      g_assert_true (ok);
  }
  chunks_free (c);
}

/* One whose header says that it is a list and that is none, and a list whose source is another: refused. */
static void
test_no_list (void)
{
  g_autofree char *path = g_build_filename (folder, "no-list", NULL);
  g_autoptr (GByteArray) state = noise (50000);
  Checkpoint what[3];

  for (int which = 0; which < 3; ++which) {
    g_autofree char *bytes = NULL;
    gsize n;
    g_remove (path);
    Checkpoints *c = checkpoints_open (path, 1, 2, true, NULL, NULL);
    for (guint i = 0; i < 3; ++i) {
      what[i] = (Checkpoint){ .event = i + 1 };
      state->data[25000] ^= 1;
      g_assert_true (checkpoints_append (c, &what[i], state->data, state->len, NULL));
      g_assert_true (what[i].is_list == (i > 0));
    }
    checkpoints_free (c);
    g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
    uint8_t *h = (uint8_t *) bytes + what[which].offset;
    if (which == 0)
      bytes_put32 (h + 8, 3);
    else if (which == 1)
      bytes_put32 (h + 8, 2);
    else
      bytes_put64 (h + 72, state->len + 1);
    bytes_put64 (h + 184, bytes_fnv (h, 184));
    g_assert_true (g_file_set_contents (path, bytes, (gssize) n, NULL));
    c = checkpoints_open (path, 1, 2, false, NULL, NULL);
    g_assert_cmpuint (checkpoints_n (c), ==, 3);
    for (guint i = 0, at = 0; i < 3; ++i) {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) read = checkpoints_read (c, at, &error);
      /* those behind need one whose header is another now */
      g_assert_true ((read != NULL) == (i < (guint) which));
      at += read != NULL;
    }
    checkpoints_free (c);
  }
  g_remove (path);
}

int
main (int argc, char **argv)
{
  const char *seed = g_getenv ("SCOPE_SEED");

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("scope-chunks-XXXXXX", NULL);
  g_test_message ("SCOPE_SEED=%s", seed ? seed : "1");
  chance = g_rand_new_with_seed (seed ? (guint32) g_ascii_strtoull (seed, NULL, 10) : 1);
  g_test_add_func ("/chunks/changed", test_changed);
  g_test_add_func ("/chunks/damaged", test_damaged);
  g_test_add_func ("/chunks/cut", test_cut);
  g_test_add_func ("/chunks/strangers", test_strangers);
  g_test_add_func ("/chunks/no-list", test_no_list);
  int status = g_test_run ();
  g_rand_free (chance);
  g_assert_true (places_remove (folder, NULL));
  g_free (folder);
  return status;
}
