/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoints-test.c - files of checkpoints under damage, and which films have to go. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/bytes.h"
#include "session/film.h"
#include "session/places.h"

static char *folder; /* for what tests write */

static char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* ---- files of checkpoints ---------------------------------------------------------------------------------------------- */

#define STATES 4

static char *
make_file (const char *name, gsize *n_bytes, guint64 sizes[STATES])
{
  g_autoptr (GError) error = NULL;
  char *path = in_folder (name);
  guint64 end = 0;

  g_remove (path);
  Checkpoints *c = checkpoints_open (path, 11, 22, true, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < STATES; ++i) {
    Checkpoint what = { .event = 100 * (i + 1), .date = 1000 * (int64_t) (i + 1) };
    g_autofree char *state = g_strnfill (50 + 10 * i, (char) ('a' + i));
    g_assert_true (checkpoints_append (c, &what, state, strlen (state), &error));
    end += 192 + what.stored_bytes;
    sizes[i] = end;
  }
  checkpoints_free (c);
  *n_bytes = end;
  return path;
}

/* What is there is right: each one that can be read has its own bytes. */
static guint
count_right (const char *path, uint64_t plan, uint64_t trace)
{
  g_autoptr (GError) error = NULL;
  Checkpoints *c = checkpoints_open (path, plan, trace, false, NULL, &error);
  guint right = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < checkpoints_n (c);) {
    uint64_t event = checkpoints_nth (c, i)->event;
    guint n = checkpoints_n (c);
    g_autoptr (GBytes) bytes = checkpoints_read (c, i, NULL);
    if (!bytes) {
      g_assert_cmpuint (checkpoints_n (c), ==, n - 1);
      continue;
    }
    gsize size;
    const char *data = g_bytes_get_data (bytes, &size);
    g_assert_true (event >= 100 && event <= 100 * STATES && event % 100 == 0);
    g_assert_cmpuint (size, ==, 50 + 10 * (event / 100 - 1));
    for (gsize k = 0; k < size; ++k)
      g_assert_cmpint (data[k], ==, (char) ('a' + event / 100 - 1));
    ++right;
    ++i;
  }
  checkpoints_free (c);
  return right;
}

static void
test_truncated (void)
{
  guint64 sizes[STATES];
  gsize n;
  g_autofree char *path = make_file ("cut", &n, sizes), *bytes = NULL;
  g_autofree char *copy = in_folder ("cut-copy");

  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
  for (gsize cut = 0; cut <= n; ++cut) {
    guint whole = 0;
    while (whole < STATES && sizes[whole] <= cut)
      ++whole;
    g_unlink (copy); /* not g_file_set_contents(), which waits for the disk each time */
    g_assert_true (g_file_set_contents_full (copy, bytes, (gssize) cut, G_FILE_SET_CONTENTS_NONE, 0666, NULL));
    g_assert_cmpuint (count_right (copy, 11, 22), ==, whole);
    if (cut % 7)
      continue;
    /* and it is gone on with */
    Checkpoints *c = checkpoints_open (copy, 11, 22, true, NULL, NULL);
    g_autofree char *state = g_strnfill (80, 'd');
    Checkpoint what = { .event = 400 };
    g_assert_true (checkpoints_append (c, &what, state, 80, NULL));
    checkpoints_free (c);
    g_assert_cmpuint (count_right (copy, 11, 22), ==, whole + 1);
  }
  g_assert_cmpuint (count_right (path, 11, 23), ==, 0); /* of another trace */
  g_assert_cmpuint (count_right (path, 12, 22), ==, 0); /* of another program */
}

static void
test_flipped (void)
{
  guint64 sizes[STATES];
  gsize n;
  g_autofree char *path = make_file ("flip", &n, sizes), *bytes = NULL;
  g_autofree char *copy = in_folder ("flip-copy");

  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
  for (gsize at = 0; at < n; ++at)
    for (int bit = 0; bit < 8; bit += 3) {
      bytes[at] = (char) (bytes[at] ^ 1 << bit);
      FILE *f = fopen (copy, "wb"); /* not atomically: thousands of times */
      g_assert_cmpuint (fwrite (bytes, 1, n, f), ==, n);
      fclose (f);
      bytes[at] = (char) (bytes[at] ^ 1 << bit);
      /* one is lost, the others are not; a bit that means nothing to the decoder loses none */
      g_assert_cmpuint (count_right (copy, 11, 22), >=, STATES - 1);
    }
}

/* Who looks at a film while it is cut back and shot on finds what is there now, also when the file is longer than it
 * was. */
static void
test_written_over (void)
{
  gsize n;
  guint64 sizes[STATES];
  g_autofree char *path = make_file ("over", &n, sizes);
  g_autoptr (GError) error = NULL;
  Checkpoints *looks = checkpoints_open (path, 11, 22, false, NULL, &error),
              *writes = checkpoints_open (path, 11, 22, true, NULL, &error);

  g_assert_cmpuint (checkpoints_n (looks), ==, STATES);
  g_assert_false (checkpoints_nth (looks, 1)->travel_only);
  g_assert_true (checkpoints_cut (writes, 0, &error));
  for (guint i = 1; i <= 2 * STATES; ++i) {
    Checkpoint what = { .event = 100 + i, .date = i, .travel_only = i % 2 };
    g_autofree char *state = g_strnfill (40 + i, 'z');
    g_assert_true (checkpoints_append (writes, &what, state, strlen (state), &error));
  }
  g_assert_null (checkpoints_read (looks, STATES - 1, &error)); /* not yet looked again: told, never another state */
  g_clear_error (&error);
  g_assert_true (checkpoints_refresh (looks, NULL));
  g_assert_cmpuint (checkpoints_n (looks), ==, 2 * STATES + 1);
  for (guint i = 1; i <= 2 * STATES; ++i) {
    g_autoptr (GBytes) bytes = checkpoints_read (looks, i, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (g_bytes_get_size (bytes), ==, 40 + i);
    g_assert_cmpuint (checkpoints_nth (looks, i)->event, ==, 100 + i);
    g_assert_true (checkpoints_nth (looks, i)->travel_only == (i % 2 == 1));
  }
  g_assert_false (checkpoints_refresh (looks, NULL));
  checkpoints_free (looks);
  checkpoints_free (writes);
}

/* Every field of a header comes back from the file as it was given. */
static void
test_fields (void)
{
  g_autofree char *path = in_folder ("fields");
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  Checkpoint given[40];
  Checkpoints *c = checkpoints_open (path, 7, 8, true, NULL, &error);

  for (guint i = 0; i < G_N_ELEMENTS (given); ++i) {
    static const int64_t dates[] = { INT64_MIN, -1, 0, INT64_C (-123456789012345), INT64_MAX };
    uint64_t bits = (uint64_t) g_rand_int (rand) << 32 | g_rand_int (rand);
    given[i] = (Checkpoint){ .event = 1000 * i + g_rand_int_range (rand, 0, 1000),
                             .date = i < G_N_ELEMENTS (dates) ? dates[i] : (int64_t) bits,
                             .ended = g_rand_boolean (rand),
                             .travel_only = g_rand_boolean (rand),
                             .kind = (CheckpointKind) (i % CHECKPOINT_KINDS),
                             .when_us = (int64_t) (bits >> 3),
                             .cost_ns = (int64_t) (bits >> 5),
                             .replay_ns = (int64_t) (bits >> 7),
                             .overview_bytes = bits >> 9,
                             .commands_bytes = bits >> 11 };
    if (i % 3)
      g_snprintf (given[i].name, sizeof given[i].name, "%.*s%u", (int) (i % 37),
                  "näme of a checkpoint that is rather long", i);
    g_assert_true (checkpoints_append (c, &given[i], "some state", 1 + i % 10, &error));
  }
  checkpoints_free (c);
  c = checkpoints_open (path, 7, 8, false, NULL, &error);
  g_assert_cmpuint (checkpoints_n (c), ==, G_N_ELEMENTS (given));
  for (guint i = 0; i < G_N_ELEMENTS (given); ++i) {
    const Checkpoint *p = checkpoints_nth (c, i), *g = &given[i];
    g_autoptr (GBytes) bytes = checkpoints_read (c, i, &error);
    g_assert_cmpuint (p->event, ==, g->event);
    g_assert_cmpint (p->date, ==, g->date);
    g_assert_cmpint (p->ended, ==, g->ended);
    g_assert_cmpint (p->travel_only, ==, g->travel_only);
    g_assert_cmpint (p->kind, ==, g->kind);
    g_assert_cmpint (p->when_us, ==, g->when_us);
    g_assert_cmpint (p->cost_ns, ==, g->cost_ns);
    g_assert_cmpint (p->replay_ns, ==, g->replay_ns);
    g_assert_cmpuint (p->raw_bytes, ==, 1 + i % 10);
    g_assert_cmpuint (p->stored_bytes, ==, g->stored_bytes);
    g_assert_cmpuint (p->overview_bytes, ==, g->overview_bytes);
    g_assert_cmpuint (p->commands_bytes, ==, g->commands_bytes);
    g_assert_cmpuint (p->offset, ==, g->offset);
    g_assert_cmpuint (p->check, ==, g->check);
    g_assert_cmpstr (p->name, ==, g->name);
    g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "some state", 1 + i % 10);
  }
  checkpoints_free (c);
}

/* Looking through a file finds whatever byte was changed, and says before which checkpoint. */
static void
test_sound (void)
{
  gsize n;
  guint64 sizes[STATES];
  g_autofree char *path = make_file ("sound", &n, sizes), *copy = in_folder ("unsound"), *bytes = NULL;
  guint found = 0, tried = 0;
  bool stopped;

  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  for (gsize at = 0; at < n; at += 7) {
    g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
    bytes[at] = (char) (bytes[at] ^ 0x10);
    g_unlink (copy);
    g_assert_true (g_file_set_contents_full (copy, bytes, (gssize) n, G_FILE_SET_CONTENTS_NONE, 0666, NULL));
    bytes[at] = (char) (bytes[at] ^ 0x10);
    Checkpoints *c = checkpoints_open (copy, 11, 22, false, NULL, NULL);
    uint64_t sound = checkpoints_sound (c, true, NULL, problems, &stopped);
    checkpoints_free (c);
    if (problems->len)
      g_assert_cmpuint (sound, <=, at);
    else /* a bit that means nothing to the decoder */
      g_assert_cmpuint (count_right (copy, 11, 22), ==, STATES);
    found += problems->len;
    tried++;
  }
  g_assert_cmpuint (found, >, tried * 9 / 10);
  Checkpoints *c = checkpoints_open (path, 11, 22, false, NULL, NULL);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_assert_cmpuint (checkpoints_sound (c, true, NULL, problems, &stopped), ==, UINT64_MAX);
  g_assert_cmpuint (problems->len, ==, 0);
  checkpoints_free (c);
}

/* What a killed process left behind the last whole one goes when the next is written, however short that is. */
static void
test_tail (void)
{
  g_autofree char *path = in_folder ("tail"), *noise = g_malloc (20000);
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (int i = 0; i < 20000; ++i)
    noise[i] = (char) g_rand_int (rand);
  Checkpoints *c = checkpoints_open (path, 1, 2, true, NULL, &error);
  Checkpoint one = { .event = 1 }, two = { .event = 2 }, three = { .event = 3 };
  g_assert_true (checkpoints_append (c, &one, noise, 20000, &error));
  for (int i = 0; i < 20000; ++i) /* another, or less of it would be written */
    noise[i] = (char) ~noise[i];
  g_assert_true (checkpoints_append (c, &two, noise, 20000, &error));
  checkpoints_free (c);
  g_assert_cmpint (truncate (path, (off_t) (two.offset + 15000)), ==, 0);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  c = checkpoints_open (path, 1, 2, true, problems, &error);
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "the last 15000 bytes are no whole checkpoint"));
  g_assert_true (checkpoints_append (c, &three, "short", 5, &error));
  g_assert_no_error (error);
  checkpoints_free (c);
  GStatBuf st;
  g_assert_cmpint (g_stat (path, &st), ==, 0);
  g_assert_cmpint (st.st_size, ==, three.offset + 192 + three.stored_bytes);
  g_ptr_array_set_size (problems, 0);
  c = checkpoints_open (path, 1, 2, false, problems, &error);
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_cmpuint (checkpoints_n (c), ==, 2);
  g_assert_cmpuint (checkpoints_nth (c, 1)->event, ==, 3);
  checkpoints_free (c);
}

/* Whatever lies between two checkpoints, the second is found, and how much was passed over is told. */
static void
test_between (void)
{
  static const size_t from[] = { 0, 65520, 131050 }; /* where the pieces end that are looked through */
  g_autofree char *path = in_folder ("between"), *noise = g_strnfill (140000, 'S');
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 90; ++i) {
    size_t junk = from[i / 30] + i % 30;
    g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
    Checkpoint a = { .event = 1 }, b = { .event = 2 };
    g_unlink (path);
    Checkpoints *c = checkpoints_open (path, 1, 2, true, NULL, &error);
    g_assert_true (checkpoints_append (c, &a, "first", 5, &error));
    uint64_t end = checkpoints_nth (c, 0)->offset + 192 + a.stored_bytes;
    g_assert_true (checkpoints_append (c, &b, "second", 6, &error));
    checkpoints_free (c);
    g_autofree char *bytes = NULL;
    gsize n;
    g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
    FILE *f = fopen (path, "wb");
    g_assert_true (fwrite (bytes, 1, end, f) == end && fwrite (noise, 1, junk, f) == junk
                   && fwrite (bytes + end, 1, n - end, f) == n - end);
    fclose (f);
    c = checkpoints_open (path, 1, 2, false, problems, &error);
    g_assert_cmpuint (checkpoints_n (c), ==, 2);
    g_assert_cmpuint (problems->len, ==, junk > 0);
    g_autofree char *told = g_strdup_printf (": %zu damaged bytes between", junk);
    if (junk)
      g_assert_nonnull (strstr (problems->pdata[0], told));
    g_autoptr (GBytes) second = checkpoints_read (c, 1, &error);
    g_assert_cmpmem (g_bytes_get_data (second, NULL), g_bytes_get_size (second), "second", 6);
    checkpoints_free (c);
  }
}

/* Headers that are well sealed and say what cannot be are passed over; of another version, or of another program or
 * trace, is told how many. */
static void
test_hostile (void)
{
  static const struct {
    guint at;
    uint64_t value;
    const char *says;
  } hostile[] = {
    { 72, (UINT64_C (1) << 31) + 1, NULL },
    { 80, (UINT64_C (1) << 31) + 1, NULL },
    { 80, UINT64_MAX, NULL },
    { 8, 4 | UINT64_C (192) << 32, ": 1 checkpoint of another version of Scope was passed over" },
    { 176, (1u << 24) + 1, NULL }, /* keys of parts */
    { 16, 7, ": 1 checkpoint of another trace or program was passed over" },
    { 24, 7, ": 1 checkpoint of another trace or program was passed over" },
  };
  g_autofree char *path = in_folder ("hostile"), *copy = in_folder ("hostile-copy"), *sound = NULL;
  guint64 sizes[STATES];
  gsize n;

  g_free (make_file ("hostile", &n, sizes));
  g_assert_true (g_file_get_contents (path, &sound, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (hostile); ++i)
    for (guint k = 0; k < STATES; ++k) {
      g_autofree uint8_t *bytes = g_memdup2 (sound, n);
      g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
      uint8_t *h = bytes + (k ? sizes[k - 1] : 0);
      bytes_put64 (h + hostile[i].at, hostile[i].value);
      bytes_put64 (h + 184, bytes_fnv (h, 184));
      g_unlink (copy);
      g_assert_true (g_file_set_contents_full (copy, (char *) bytes, (gssize) n, G_FILE_SET_CONTENTS_NONE, 0666, NULL));
      Checkpoints *c = checkpoints_open (copy, 11, 22, false, problems, NULL);
      g_assert_cmpuint (checkpoints_n (c), ==, STATES - 1);
      for (guint left = 0; left < STATES - 1; ++left)
        g_assert_cmpuint (checkpoints_nth (c, left)->event, ==, 100 * (left + 1 + (left >= k)));
      checkpoints_free (c);
      g_assert_cmpuint (count_right (copy, 11, 22), ==, STATES - 1);
      g_assert_cmpuint (problems->len, ==, 1);
      if (hostile[i].says)
        g_assert_nonnull (strstr (problems->pdata[0], hostile[i].says));
    }
}

/* One that holds less than its header says is told, and is no state. */
static void
test_short (void)
{
  g_autofree char *path = in_folder ("short"), *bytes = NULL;
  guint64 sizes[STATES];
  gsize n;

  g_free (make_file ("short", &n, sizes));
  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
  uint8_t *h = (uint8_t *) bytes + sizes[0];
  for (int more = -1; more <= 1; ++more) {
    g_autoptr (GError) error = NULL;
    bytes_put64 (h + 72, (uint64_t) (60 + more));
    bytes_put64 (h + 184, bytes_fnv (h, 184));
    g_unlink (path);
    g_assert_true (g_file_set_contents_full (path, bytes, (gssize) n, G_FILE_SET_CONTENTS_NONE, 0666, NULL));
    Checkpoints *c = checkpoints_open (path, 11, 22, false, NULL, NULL);
    g_autoptr (GBytes) state = checkpoints_read (c, 1, &error);
    g_assert_true ((state != NULL) == (more == 0));
    if (more) {
      g_assert_error (error, FILM_ERROR, FILM_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, more > 0 ? "shorter than it says" : "the checkpoint of event 200"));
    }
    checkpoints_free (c);
  }
}

static bool
count_shares (void *arg, const char *doing, double share)
{
  GArray *shares = arg;

  g_array_append_val (shares, share);
  return shares->len < 3;
}

/* Who looks through a file is told how far that is and may stop it. */
static void
test_progress (void)
{
  guint64 sizes[STATES];
  gsize n;
  g_autofree char *path = make_file ("progress", &n, sizes);
  g_autoptr (GArray) shares = g_array_new (FALSE, FALSE, sizeof (double));
  TraceProgress progress = { count_shares, shares };
  Checkpoints *c = checkpoints_open (path, 11, 22, false, NULL, NULL);
  bool stopped;

  g_assert_cmpuint (checkpoints_sound (c, true, &progress, NULL, &stopped), ==, sizes[2]);
  g_assert_true (stopped);
  g_assert_cmpuint (shares->len, ==, 3);
  for (guint i = 0; i < 3; ++i)
    g_assert_cmpfloat (g_array_index (shares, double, i), ==, (double) sizes[i] / (double) n);
  checkpoints_free (c);
}

/* Bytes that this process has read so far, as the kernel counts them; 0: it does not tell. */
static uint64_t
bytes_read (void)
{
  g_autofree char *text = NULL;
  const char *at = g_file_get_contents ("/proc/self/io", &text, NULL, NULL) ? strstr (text, "rchar: ") : NULL;

  return at ? g_ascii_strtoull (at + strlen ("rchar: "), NULL, 10) : 0;
}

/* Nothing but magics: what was read once is not read again for each. */
static void
test_magics (void)
{
  enum { n = 250000 };
  g_autofree char *path = in_folder ("magics"), *bytes = g_malloc (8 * n + 192);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  guint64 sizes[STATES];
  gsize len;
  g_autofree char *sound = make_file ("sound", &len, sizes), *whole = NULL;

  for (int i = 0; i < n; ++i)
    memcpy (bytes + 8 * i, "SCOPECP\n", 8);
  g_assert_true (g_file_get_contents (sound, &whole, NULL, NULL));
  memcpy (bytes + 8 * n, whole, 192); /* behind them one that is whole, but for its bytes */
  g_assert_true (g_file_set_contents (path, bytes, 8 * n + 192, NULL));
  uint64_t before = bytes_read ();
  Checkpoints *c = checkpoints_open (path, 11, 22, false, problems, NULL);
  g_assert_cmpuint (bytes_read () - before, <, 2 * 8 * n);
  g_assert_cmpuint (checkpoints_n (c), ==, 0);
  g_assert_cmpuint (problems->len, ==, 2);
  g_assert_nonnull (strstr (problems->pdata[0], "2000000 damaged bytes"));
  g_assert_nonnull (strstr (problems->pdata[1], "are no whole checkpoint"));
  checkpoints_free (c);
}

/* Many, the last event first, and each event twice: in order of events, and of one event as they lie in the file. */
static void
test_descending (void)
{
  enum { n = 120000 };
  guint64 sizes[STATES];
  gsize len;
  g_autofree char *path = make_file ("descending", &len, sizes), *template = NULL;
  uint8_t *bytes = g_malloc ((gsize) n * 192), *h = bytes;

  g_assert_true (g_file_get_contents (path, &template, NULL, NULL));
  for (int i = 0; i < n; ++i, h += 192) {
    memcpy (h, template, 192);
    bytes_put64 (h + 32, (uint64_t) (n - i) / 2);
    bytes_put64 (h + 80, 0);
    bytes_put64 (h + 184, bytes_fnv (h, 184));
  }
  g_assert_true (g_file_set_contents (path, (char *) bytes, (gssize) n * 192, NULL));
  g_free (bytes);
  Checkpoints *c = checkpoints_open (path, 11, 22, false, NULL, NULL);
  g_assert_cmpuint (checkpoints_n (c), ==, n);
  for (guint i = 1; i < n; ++i) {
    const Checkpoint *a = checkpoints_nth (c, i - 1), *b = checkpoints_nth (c, i);
    g_assert_true (a->event < b->event || (a->event == b->event && a->offset < b->offset));
    g_assert_cmpuint (b->event, ==, (n - b->offset / 192) / 2);
  }
  checkpoints_free (c);
}

static void
test_evict (void)
{
  g_autofree char *home = in_folder ("home");
  static const char *const names[] = { "oldest", "middle", "newest" };
  struct timespec times[2] = { 0 };

  for (int i = 0; i < 3; ++i) {
    g_autofree char *film = g_build_filename (home, names[i], NULL),
                    *data = g_build_filename (film, "checkpoints", NULL);
    g_autofree char *of_reader = g_build_filename (film, "Reader_2.tasks", NULL),
                    *written = g_build_filename (of_reader, "groups", NULL);
    g_autofree char *lock = g_build_filename (film, "lock", NULL), *bytes = g_strnfill (100000, 'x');
    FilmManifest m = { .state = FILM_COMPLETE };
    g_mkdir_with_parents (of_reader, 0777);
    g_assert_true (film_manifest_write (film, &m, NULL));
    g_assert_true (g_file_set_contents (data, bytes, 100000, NULL));
    g_assert_true (g_file_set_contents (lock, "", 0, NULL));
    g_assert_true (g_file_set_contents (written, "", 0, NULL));
    times[0].tv_sec = times[1].tv_sec = g_get_real_time () / G_USEC_PER_SEC - (3 - i) * 1000;
    if (i == 2)
      times[0].tv_sec = times[1].tv_sec += 500000; /* a clock that was ahead */
    g_assert_cmpint (utimensat (AT_FDCWD, lock, times, 0), ==, 0);
  }
  g_assert_cmpuint (film_evict (home, NULL, 1000000, 100000), ==, 0);
  g_assert_cmpuint (film_evict (home, NULL, 250000, 100000), ==, 1);
  g_autofree char *oldest = g_build_filename (home, "oldest", NULL), *middle = g_build_filename (home, "middle", NULL);
  g_autofree char *newest = g_build_filename (home, "newest", NULL);
  g_assert_false (g_file_test (oldest, G_FILE_TEST_EXISTS));
  bool busy;
  int lock = film_lock (middle, &busy, NULL); /* in use: it stays, however old */
  g_assert_cmpint (lock, >=, 0);
  g_assert_cmpuint (film_evict (home, newest, 0, 500), ==, 0);
  film_unlock (lock);
  g_assert_cmpuint (film_evict (home, newest, 250000, 500), ==, 1);
  g_assert_false (g_file_test (middle, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (newest, G_FILE_TEST_EXISTS));
}

/* A link in the home, to a film that lies elsewhere: that film belongs to whoever put it there. */
static void
test_evict_link (void)
{
  g_autofree char *home = in_folder ("home-of-links"), *film = in_folder ("elsewhere.film"),
                  *link = g_build_filename (home, "old", NULL), *sub = g_build_filename (film, "sub", NULL);
  g_autofree char *lock = g_build_filename (film, "lock", NULL), *notes = g_build_filename (film, "notes.txt", NULL);
  struct timespec long_ago[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
  FilmManifest m = { .state = FILM_COMPLETE }, after;

  g_mkdir_with_parents (home, 0777);
  g_mkdir_with_parents (sub, 0777);
  g_assert_true (film_manifest_write (film, &m, NULL));
  g_assert_true (g_file_set_contents (lock, "", 0, NULL));
  g_assert_true (g_file_set_contents (notes, "mine", 4, NULL));
  g_assert_cmpint (utimensat (AT_FDCWD, lock, long_ago, 0), ==, 0);
  g_assert_cmpint (symlink (film, link), ==, 0);
  g_assert_cmpuint (film_evict (home, NULL, 0, 100), ==, 0);
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_test (notes, G_FILE_TEST_EXISTS) && g_file_test (sub, G_FILE_TEST_IS_DIR));
  g_assert_true (film_manifest_read (film, &after, NULL) && after.state == FILM_COMPLETE);
  film_manifest_clear (&after);

  /* its own film, in whose lock's place a link was put */
  g_autofree char *own = g_build_filename (home, "own", NULL), *own_lock = g_build_filename (own, "lock", NULL);
  g_mkdir_with_parents (own, 0777);
  g_assert_true (film_manifest_write (own, &m, NULL));
  g_assert_cmpint (symlink (lock, own_lock), ==, 0);
  g_assert_cmpuint (film_evict (home, NULL, 0, 100), ==, 0);
  g_assert_true (g_file_test (lock, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("scope-checkpoints-XXXXXX", NULL);
  g_test_add_func ("/checkpoints/truncated", test_truncated);
  g_test_add_func ("/checkpoints/flipped", test_flipped);
  g_test_add_func ("/checkpoints/fields", test_fields);
  g_test_add_func ("/checkpoints/sound", test_sound);
  g_test_add_func ("/checkpoints/written-over", test_written_over);
  g_test_add_func ("/checkpoints/tail", test_tail);
  g_test_add_func ("/checkpoints/between", test_between);
  g_test_add_func ("/checkpoints/hostile", test_hostile);
  g_test_add_func ("/checkpoints/short", test_short);
  g_test_add_func ("/checkpoints/progress", test_progress);
  g_test_add_func ("/checkpoints/magics", test_magics);
  g_test_add_func ("/checkpoints/descending", test_descending);
  g_test_add_func ("/film/evict", test_evict);
  g_test_add_func ("/film/evict-link", test_evict_link);
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
