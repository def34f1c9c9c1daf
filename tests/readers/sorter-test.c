/* SPDX-License-Identifier: Apache-2.0 */
/* sorter-test.c - events of many habits go through the sorter into a file and come back in order of date and place, all
 * of them and each as it was, the same bytes by however many threads: in order, late by a little, by much, by all,
 * alone or all of them; of few dates; such as wait for ever. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eve/disk.h"
#include "readers/sorter.h"

typedef enum { IN_ORDER, LATE, ANY, LONE, TWICE, FEW_DATES, FAR, WORSE, N_HABITS } Habit;

static Stamp
stamp_of (GRand *r, Habit habit, uint32_t i, uint32_t n)
{
  const int64_t date = (int64_t) i * 10;

  switch (habit) {
  case IN_ORDER:
    return (Stamp){ date / 30, i };
  case LATE:
    return (Stamp){ date - g_rand_int_range (r, 0, 3000), i };
  case ANY:
    return (Stamp){ (int64_t) ((uint64_t) g_rand_int (r) << 32 | g_rand_int (r)), i };
  case LONE: /* the last of all is the first, and some others are late by more than ever wait */
    return (Stamp){ i == n - 1 ? -5 : i % 300000 == 299999 ? date / 2 : date, i };
  case TWICE: /* one location, then another */
    return (Stamp){ (int64_t) (i % (n / 2 + 1)) * 10, i };
  case FEW_DATES: /* what is told behind may come before */
    return (Stamp){ g_rand_int_range (r, 0, 5), (uint64_t) g_rand_int (r) << 20 | i };
  case FAR: /* some of each block wait until the end */
    return (Stamp){ i % 1000 == 7 ? INT64_MAX - i : date - g_rand_int_range (r, 0, 20000), i };
  default: /* all is well at first */
    return (Stamp){ i < n / 2 ? date : date - g_rand_int_range (r, 0, (int) n * 3), i };
  }
}

static int
compare (const void *a, const void *b)
{
  const Stamp *x = a, *y = b;

  return x->date != y->date ? (x->date > y->date) - (x->date < y->date) : (x->order > y->order) - (x->order < y->order);
}

static TraceEvent
event_of (Stamp s)
{
  uint64_t mixed = ((uint64_t) s.date ^ s.order << 17) * UINT64_C (0x9e3779b97f4a7c15);

  return (TraceEvent){ .date = s.date,
                       .number = s.order,
                       .duration = (int64_t) (mixed >> 60),
                       .record = TRACE_RECORD (mixed >> 40),
                       .size = (int64_t) mixed,
                       .task = (uint32_t) (mixed >> 58),
                       .object = TRACE_NONE,
                       .kind = (uint16_t) (mixed >> 61) };
}

/* What the file holds is what was given, in the order of `all`. */
static void
look_back (const char *folder, const Sorter *s, const Stamp *all, uint32_t n)
{
  g_autofree char *name = g_build_filename (folder, "events", NULL);
  g_autofree uint8_t *packed = g_malloc (BLOCK_PACKED_BYTES), *columns = g_malloc (COLUMNS_BYTES);
  g_autofree TraceEvent *e = g_new (TraceEvent, BLOCK_EVENTS);
  const GArray *blocks = sorter_blocks (s);
  ZSTD_DCtx *zstd = ZSTD_createDCtx ();
  int fd = disk_open (name, folder, DISK_DATA, NULL, NULL);
  uint32_t at = 0;

  g_assert_cmpint (fd, >=, 0);
  for (guint k = 0; blocks && k < blocks->len; k++) {
    const Block *b = &g_array_index (blocks, Block, k);
    size_t bytes;
    g_assert_cmpint (disk_pread (fd, packed, b->bytes, b->at), ==, b->bytes);
    const uint8_t *unpacked = converted_unpack (zstd, packed, b->bytes, columns, &bytes);
    g_assert_nonnull (unpacked);
    g_assert_true (converted_get_columns (unpacked, bytes, b->n, e, at, 0));
    g_assert_cmpuint (at + b->n, <=, n);
    for (uint32_t i = 0; i < b->n; i++, at++) {
      TraceEvent wanted = event_of (all[at]);
      wanted.number = at;
      g_assert_cmpmem (&e[i], sizeof *e, &wanted, sizeof wanted);
    }
    g_assert_cmpint (b->first, ==, e[0].date);
    g_assert_cmpint (b->last, ==, e[b->n - 1].date);
  }
  g_assert_cmpuint (at, ==, n);
  close (fd);
  ZSTD_freeDCtx (zstd);
}

/* Who watches: has seen those of odd kinds, each with its number, in order. */
typedef struct Seen {
  GArray *stamps; /* of Stamp; order: the number that was told */
} Seen;

static void
see (void *arg, const TraceEvent *event, uint64_t number)
{
  Seen *seen = arg;
  const Stamp now = { event->date, number };

  g_assert_cmpint (event->kind % 2, ==, 1);
  g_array_append_val (seen->stamps, now);
}

/* All were, if one run was enough; of what came in order it is. */
static void
look_at_seen (const Seen *seen, const Sorter *s, Habit habit, const Stamp *all, uint32_t n)
{
  guint at = 0;

  if (!sorter_watched (s)) {
    g_assert_true (n > 16 * BLOCK_EVENTS && habit != IN_ORDER && habit != LATE);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (event_of (all[i]).kind % 2 == 0)
      continue;
    g_assert_cmpuint (at, <, seen->stamps->len);
    g_assert_cmpint (g_array_index (seen->stamps, Stamp, at).date, ==, all[i].date);
    g_assert_cmpuint (g_array_index (seen->stamps, Stamp, at).order, ==, i);
    at++;
  }
  g_assert_cmpuint (at, ==, seen->stamps->len);
}

static void
remove_all (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);

  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_assert_cmpstr (name, ==, "events"); /* nothing else is left behind */
    g_unlink (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
}

static void
try (GRand *r, Habit habit, uint32_t n)
{
  g_autofree char *folder = g_dir_make_tmp ("sorter-XXXXXX", NULL);
  g_autofree Stamp *all = g_new (Stamp, MAX (n, 1));
  Sorter *s = sorter_new (folder);
  static const uint8_t odd[8] = { 0, 1, 0, 1, 0, 1, 0, 1 };
  Seen seen = { g_array_new (FALSE, FALSE, sizeof (Stamp)) };

  sorter_watch (s, (Watch){ odd, see, &seen });
  for (uint32_t i = 0, many; i < n; i += many) { /* one by one, or some that are all written before any is told */
    TraceEvent *room = sorter_room (s);
    many = (uint32_t) g_rand_int_range (r, 1, 100);
    many = MIN (many, sorter_rooms (s));
    many = MIN (many, n - i);
    for (uint32_t k = 0; k < many; k++) {
      all[i + k] = stamp_of (r, habit, i + k, n);
      room[k] = event_of (all[i + k]);
    }
    for (uint32_t k = 0; k < many; k++) {
      g_assert_true (sorter_room (s) == room + k);
      g_assert_true (sorter_put (s, all[i + k].date, all[i + k].order));
    }
  }
  g_assert_true (sorter_finish (s, NULL, NULL));
  qsort (all, n, sizeof *all, compare);
  look_back (folder, s, all, n);
  look_at_seen (&seen, s, habit, all, n);
  sorter_free (s);
  g_array_unref (seen.stamps);
  remove_all (folder);
}

static bool
stop (void *asked)
{
  ++*(int *) asked;
  return false;
}

/* Who no longer waits is told so, where there is something to wait for; LONE: though nearly all blocks are taken over
 * as they are. */
static void
cancel (GRand *r, Habit habit)
{
  const uint32_t n = habit == LONE ? 2300000 : 1200000;
  g_autofree char *folder = g_dir_make_tmp ("sorter-XXXXXX", NULL);
  Sorter *s = sorter_new (folder);
  int asked = 0;

  for (uint32_t i = 0; i < n; i++) {
    Stamp now = stamp_of (r, habit, i, n);
    *sorter_room (s) = event_of (now);
    g_assert_true (sorter_put (s, now.date, now.order));
  }
  errno = 0;
  g_assert_false (sorter_finish (s, stop, &asked));
  g_assert_cmpint (errno, ==, ECANCELED);
  g_assert_cmpint (asked, ==, 1);
  sorter_free (s);
  g_autofree char *rm = g_strdup_printf ("rm -rf %s", folder);
  g_assert_cmpint (system (rm), ==, 0);
}

/* What a packer makes of blocks that zstd packs well or not at all, some of each in turn; *n_packed: how many it did.
 */
static GBytes *
pack_by (int n_threads, guint32 seed, uint32_t n_blocks, uint32_t *n_packed)
{
  g_autofree char *folder = g_dir_make_tmp ("packer-XXXXXX", NULL), *name = g_build_filename (folder, "events", NULL);
  GRand *r = g_rand_new_with_seed (seed);
  Packer p = { .fd = disk_open_write (name, NULL), .numbers_fd = -1 };
  Run *run = packer_run_new ();
  bool alike = false;

  g_assert_cmpint (p.fd, >=, 0);
  packer_start (&p, n_threads);
  for (uint32_t k = 0, left = 0; k < n_blocks; k++, left--) {
    uint32_t n = k % 5 == 4 ? (uint32_t) g_rand_int_range (r, 1, BLOCK_EVENTS) : BLOCK_EVENTS;
    EventBlock *block = packer_take (&p);
    if (left == 0) {
      alike = !alike;
      left = (uint32_t) g_rand_int_range (r, 1, 40);
    }
    for (uint32_t i = 0; i < n; i++) {
      block->events[i] = event_of ((Stamp){ (int64_t) k * BLOCK_EVENTS + i, i });
      if (alike)
        block->events[i].size = (int64_t) (i / 8 % 3 * UINT64_C (0x9e3779b97f4a7c15));
    }
    block->left = n;
    g_assert_true (packer_put (&p, run, block->events, NULL, n, &(Take){ block, n }, 1));
  }
  g_assert_true (packer_drain (&p));
  packer_stop (&p);
  close (p.fd);
  size_t size;
  char *text = disk_read (name, folder, DISK_DATA, &size, NULL);
  g_assert_nonnull (text);
  g_assert_cmpuint (run->blocks->len, ==, n_blocks);
  *n_packed = 0;
  for (uint32_t k = 0; k < n_blocks; k++)
    *n_packed += memcmp (text + g_array_index (run->blocks, Block, k).at, "PLN0", 4) != 0;
  packer_run_free (run);
  g_rand_free (r);
  remove_all (folder);
  return g_bytes_new_take (text, size);
}

/* How many threads pack, and which of them is quicker, changes no byte. */
static void
pack_alike (GRand *r)
{
  const guint32 seed = g_rand_int (r);
  const uint32_t n_blocks = 300;
  uint32_t n_packed, n;
  g_autoptr (GBytes) at_once = pack_by (0, seed, n_blocks, &n_packed);

  g_assert_cmpuint (n_packed, >, 0);
  g_assert_cmpuint (n_packed, <, n_blocks);
  for (int threads = 1; threads <= MOST_PACKERS; threads++) {
    g_autoptr (GBytes) by_threads = pack_by (threads, seed, n_blocks, &n);
    g_assert_cmpuint (n, ==, n_packed);
    g_assert_true (g_bytes_equal (at_once, by_threads));
  }
}

int
main (void)
{
  const char *given = g_getenv ("SCOPE_SEED");
  guint32 seed = given ? (guint32) strtoul (given, NULL, 10) : 20261127;
  GRand *r = g_rand_new_with_seed (seed);

  g_print ("SCOPE_SEED=%u\n", seed);
  for (Habit habit = 0; habit < N_HABITS; habit++) {
    static const uint32_t sizes[] = { 1, BLOCK_EVENTS, BLOCK_EVENTS + 1, 70000 };
    for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
      try (r, habit, sizes[i]);
    try (r, habit, 700000 + (uint32_t) g_rand_int_range (r, 0, 5000));
  }
  try (r, ANY, 0);
  pack_alike (r);
  cancel (r, ANY);
  cancel (r, LONE);
  g_rand_free (r);
  return 0;
}
