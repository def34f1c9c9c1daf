/* SPDX-License-Identifier: Apache-2.0 */
/* raw.c - the files that the ranks have left: reading them, and which of their numbers mean the same.
 *
 * A communicator is known in all its members by how it was made: the k-th of its parent, and of those that are made at
 * once the one with these members; or, where only its members have made it, the k-th of these.  So nothing need be sent
 * while the program runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lines.h"
#include "convert.h"
#include "eve/words.h"

#define MOST_RANKS (1u << 20)

const uint64_t *
raw_next (const Lane *l, const uint64_t *at)
{
  return raw_record (at, l->end);
}

/* ---- one file ----------------------------------------------------------------------------------------------------------- */

static Lane *
raw_open_lane (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat st;
  Lane *l = NULL;
  void *map = MAP_FAILED;

  if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && (size_t) st.st_size >= sizeof (RawHeader))
    map = mmap (NULL, (size_t) st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (fd >= 0)
    close (fd);
  if (map == MAP_FAILED)
    return NULL;
  const RawHeader *h = map;
  if (memcmp (h->magic, RAW_MAGIC, sizeof h->magic) != 0 || h->version != RAW_VERSION || h->header_size != sizeof *h
      || h->size == 0 || h->size > MOST_RANKS || h->rank >= h->size || memchr (h->host, 0, sizeof h->host) == NULL
      || memchr (h->domain, 0, sizeof h->domain) == NULL || memchr (h->program, 0, sizeof h->program) == NULL) {
    munmap (map, (size_t) st.st_size);
    return NULL;
  }
  l = g_new0 (Lane, 1);
  l->map = map;
  l->size = (size_t) st.st_size;
  l->h = h;
  l->at = (const uint64_t *) map + sizeof *h / 8;
  l->end = (const uint64_t *) map + l->size / 8;
  l->open = l->open_at = RAW_NONE;
  return l;
}

static void
free_lane (void *lane)
{
  Lane *l = lane;

  munmap (l->map, l->size);
  g_free (l);
}

static int
compare_lanes (const void *a, const void *b)
{
  const RawHeader *x = (*(Lane *const *) a)->h, *y = (*(Lane *const *) b)->h;

  return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : x->thread < y->thread ? -1 : x->thread > y->thread;
}

static bool
raw_open_all (Run *run)
{
  g_autoptr (GDir) dir = g_dir_open (run->folder, 0, NULL);

  run->lanes = g_ptr_array_new_with_free_func (free_lane);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (run->folder, name, NULL);
    Lane *l = g_str_has_suffix (name, ".lane") ? raw_open_lane (path) : NULL;
    if (l)
      g_ptr_array_add (run->lanes, l);
    else if (g_str_has_suffix (name, ".lane"))
      tape_say (_ ("%s: not a file of this tape-mpi; left out"), path);
  }
  g_ptr_array_sort (run->lanes, compare_lanes);
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *l = run->lanes->pdata[i];
    run->n_ranks = MAX (run->n_ranks, l->h->size);
  }
  return run->lanes->len > 0;
}

/* ---- first pass: what is defined --------------------------------------------------------------------------------------------- */

static void
raw_read_modules (Rank *r, const uint64_t *at)
{
  g_autofree char *text = g_strndup ((const char *) (at + 1), (RAW_WORDS (*at) - 1) * 8 - MIN (RAW_B (*at), 7));

  modules_read (r->modules, text);
}

static char *
raw_text_of (const uint64_t *at, unsigned head)
{
  size_t n = (size_t) (RAW_WORDS (*at) - head) * 8;

  return g_strndup ((const char *) (at + head), n - MIN (n, RAW_B (*at)));
}

/* Definitions, by number; threads of a rank may each have some. */
static void
raw_keep (GPtrArray *to, uint32_t number, const uint64_t *at)
{
  if (number >= 1u << 24)
    return;
  if (number >= to->len)
    g_ptr_array_set_size (to, (gint) number + 1);
  to->pdata[number] = (void *) (uintptr_t) at;
}

static bool
sound_comm (const uint64_t *at)
{
  if (RAW_WORDS (*at) < 4)
    return false;
  uint64_t n = (at[3] >> 32) + (uint32_t) at[3];
  return n < 2 * MOST_RANKS && 4 + (n + 1) / 2 <= RAW_WORDS (*at);
}

static void
keep_clock (Run *run, const Lane *l, const uint64_t *at)
{
  Clock *c = &g_array_index (run->clocks, Clock, l->clock);
  int k = MIN (c->n, 1);

  c->at[k] = (int64_t) at[1];
  c->offset[k] = (int64_t) at[2];
  c->error[k] = (int64_t) at[3];
  c->n = k + 1;
}

/* The date of a record, or 0: it has none. */
static uint64_t
raw_date_of (const uint64_t *at)
{
  unsigned type = RAW_TYPE (*at);
  bool none = type == RAW_COMM || type == RAW_COMM_NAME || type == RAW_WIN || type == RAW_WIN_NAME || type == RAW_REGION
              || type == RAW_MODULES || type == RAW_COST || type == RAW_CLOCK;

  return none || RAW_WORDS (*at) < 2 ? 0 : at[1];
}

static void
raw_look_at (Run *run, Lane *l, Rank *r, const uint64_t *at, GPtrArray *comms, GPtrArray *names, GPtrArray *windows)
{
  switch (RAW_TYPE (*at)) {
  case RAW_MODULES:
    raw_read_modules (r, at);
    break;
  case RAW_REGION:
    if (!r->regions)
      r->regions = g_new0 (char *, 65536);
    if (!r->regions[RAW_A (*at)])
      r->regions[RAW_A (*at)] = raw_text_of (at, 1);
    break;
  case RAW_COMM:
    if (sound_comm (at))
      raw_keep (comms, (uint32_t) (at[1] >> 32), at);
    break;
  case RAW_COMM_NAME:
    if (RAW_WORDS (*at) > 2)
      raw_keep (names, (uint32_t) at[1], at);
    break;
  case RAW_WIN:
    if (RAW_WORDS (*at) == 3)
      raw_keep (windows, (uint32_t) (at[1] >> 32), at);
    break;
  case RAW_CLOCK:
    if (RAW_WORDS (*at) == 4)
      keep_clock (run, l, at);
    break;
  case RAW_COST:
    l->cost_ps = RAW_WORDS (*at) == 2 ? at[1] : 0;
    break;
  case RAW_FINALIZED:
    l->finalized = true;
    break;
  case RAW_ABORTED:
    l->aborted = true;
    l->code = RAW_WORDS (*at) == 3 ? (int32_t) at[2] : 0;
    break;
  case RAW_LOST:
    l->lost = true;
    break;
  default:
    break;
  }
  uint64_t date = raw_date_of (at);
  if (date)
    l->last = MAX (l->last, (int64_t) date);
}

/* ---- which is which ------------------------------------------------------------------------------------------------------------- */

static uint32_t
raw_member (const uint64_t *words, uint64_t i)
{
  return (uint32_t) (words[i / 2] >> (i % 2 * 32));
}

/* The members, the group with the lower first member first. */
static Comm *
comm_from (const uint64_t *at)
{
  uint32_t n = (uint32_t) (at[3] >> 32), m = (uint32_t) at[3];
  Comm *c = g_new0 (Comm, 1);
  bool swap = n > 0 && m > 0 && raw_member (at + 4, n) < raw_member (at + 4, 0);

  c->members = g_new (uint32_t, (size_t) n + m + 1);
  for (uint32_t i = 0; i < n; i++)
    c->members[swap ? m + i : i] = raw_member (at + 4, i);
  for (uint32_t i = 0; i < m; i++)
    c->members[swap ? i : n + i] = raw_member (at + 4, (uint64_t) n + i);
  c->n = swap ? m : n;
  c->m = swap ? n : m;
  return c;
}

static void
free_comm (void *comm)
{
  Comm *c = comm;

  g_free (c->members);
  g_free (c->name);
  g_free (c);
}

static GBytes *
comm_key (const Run *run, const Comm *c, const uint64_t *at, GHashTable *made)
{
  GByteArray *key = g_byte_array_new ();
  uint32_t how[3] = { RAW_A (*at), 0, 0 }, n = c->n + c->m;

  if (how[0] == RAW_MADE_FROM_PARENT) {
    how[1] = c->parent;
    how[2] = (uint32_t) at[2];
    g_byte_array_append (key, (const guint8 *) how, sizeof how);
    /* Of those that are made at once no two have a member in common. */
    g_byte_array_append (key, (const guint8 *) c->members, n ? sizeof *c->members : 0);
  } else if (how[0] == RAW_MADE_FROM_GROUP) {
    g_byte_array_append (key, (const guint8 *) how, sizeof how);
    g_byte_array_append (key, (const guint8 *) &c->n, sizeof c->n);
    g_byte_array_append (key, (const guint8 *) c->members, (guint) (n * sizeof *c->members));
    GBytes *group = g_bytes_new (key->data, key->len);
    uint32_t k = GPOINTER_TO_UINT (g_hash_table_lookup (made, group));
    g_hash_table_insert (made, group, GUINT_TO_POINTER (k + 1));
    g_byte_array_append (key, (const guint8 *) &k, sizeof k);
  } else {
    g_byte_array_append (key, (const guint8 *) how, sizeof how);
  }
  return g_byte_array_free_to_bytes (key);
}

static void
number_comms (Run *run, Rank *r, const GPtrArray *comms, const GPtrArray *names)
{
  g_autoptr (GHashTable)
      made = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);

  for (guint i = 0; i < comms->len; i++) {
    const uint64_t *at = comms->pdata[i];
    uint32_t number = RAW_NONE;
    if (at) {
      Comm *c = comm_from (at);
      uint32_t parent = (uint32_t) at[1];
      c->parent = parent < r->comms->len ? g_array_index (r->comms, uint32_t, parent) : RAW_NONE;
      c->self = RAW_A (*at) == RAW_MADE_SELF;
      c->world = RAW_A (*at) == RAW_MADE_WORLD;
      GBytes *key = comm_key (run, c, at, made);
      number = GPOINTER_TO_UINT (g_hash_table_lookup (run->comm_of, key));
      if (number == 0) {
        g_ptr_array_add (run->comms, c);
        number = run->comms->len;
        g_hash_table_insert (run->comm_of, g_bytes_ref (key), GUINT_TO_POINTER (number));
      } else {
        free_comm (c);
      }
      g_bytes_unref (key);
      number--;
      Comm *its = run->comms->pdata[number];
      if (i < names->len && names->pdata[i] && !its->name)
        its->name = raw_text_of (names->pdata[i], 2);
    }
    g_array_append_val (r->comms, number);
  }
}

static void
number_windows (Run *run, Rank *r, const GPtrArray *windows)
{
  for (guint i = 0; i < windows->len; i++) {
    const uint64_t *at = windows->pdata[i];
    uint32_t number = RAW_NONE;
    uint32_t of = at ? (uint32_t) at[1] : RAW_NONE;
    if (at && of < r->comms->len) {
      gint64 key = (gint64) ((uint64_t) g_array_index (r->comms, uint32_t, of) << 32 | (uint32_t) at[2]);
      number = GPOINTER_TO_UINT (g_hash_table_lookup (run->window_of, &key));
      if (number == 0) {
        Window *w = g_new0 (Window, 1);
        w->comm = g_array_index (r->comms, uint32_t, of);
        g_ptr_array_add (run->windows, w);
        number = run->windows->len;
        g_hash_table_insert (run->window_of, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (number));
      }
      number--;
    }
    g_array_append_val (r->windows, number);
  }
}

uint32_t
raw_comm (const Run *run, const Lane *l, uint32_t number)
{
  const GArray *a = run->ranks[l->h->rank].comms;

  return number < a->len ? g_array_index (a, uint32_t, number) : OTF2_UNDEFINED_COMM;
}

uint32_t
raw_window (const Run *run, const Lane *l, uint32_t number)
{
  const GArray *a = run->ranks[l->h->rank].windows;

  return number < a->len ? g_array_index (a, uint32_t, number) : OTF2_UNDEFINED_RMA_WIN;
}

/* ---- clocks ----------------------------------------------------------------------------------------------------------------------- */

static int
raw_clock_of (Run *run, const char *domain)
{
  for (guint i = 0; i < run->clocks->len; i++)
    if (strcmp (g_array_index (run->clocks, Clock, i).domain, domain) == 0)
      return (int) i;
  Clock c = { .n = 0 };
  g_strlcpy (c.domain, domain, sizeof c.domain);
  g_array_append_val (run->clocks, c);
  return (int) run->clocks->len - 1;
}

uint64_t
raw_date (const Run *run, const Lane *l, uint64_t local)
{
  const Clock *c = &g_array_index (run->clocks, Clock, l->clock);

  return (uint64_t) MAX ((int64_t) local + (c->n ? c->offset[0] : 0) - run->origin, 0);
}

static void
find_origin (Run *run)
{
  run->origin = INT64_MAX;
  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *l = run->lanes->pdata[i];
    const Clock *c = &g_array_index (run->clocks, Clock, l->clock);
    int64_t born = l->h->born + (c->n ? c->offset[0] : 0);
    if (born < run->origin) {
      run->origin = born;
      run->real = l->h->real;
    }
    run->last = MAX (run->last, l->last + (c->n ? c->offset[0] : 0));
  }
  run->last = MAX (run->last, run->origin);
}

/* ---- all ---------------------------------------------------------------------------------------------------------------------------- */

static void
read_rank (Run *run, uint32_t rank, guint *i)
{
  g_autoptr (GPtrArray) comms = g_ptr_array_new (), names = g_ptr_array_new (), windows = g_ptr_array_new ();
  Rank *r = &run->ranks[rank];

  for (; *i < run->lanes->len; ++*i) {
    Lane *l = run->lanes->pdata[*i];
    if (l->h->rank != rank)
      break;
    r->there = true;
    l->last = l->h->born;
    for (const uint64_t *at = l->at; (at = raw_next (l, at)) != NULL; at += RAW_WORDS (*at))
      raw_look_at (run, l, r, at, comms, names, windows);
  }
  number_comms (run, r, comms, names);
  number_windows (run, r, windows);
}

bool
raw_open (Run *run)
{
  uint64_t threads = 0;

  run->clocks = g_array_new (FALSE, TRUE, sizeof (Clock));
  run->comms = g_ptr_array_new_with_free_func (free_comm);
  run->comm_of = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  run->windows = g_ptr_array_new_with_free_func (g_free);
  run->window_of = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (!raw_open_all (run))
    return false;
  run->ranks = g_new0 (Rank, run->n_ranks);
  for (uint32_t i = 0; i < run->n_ranks; i++) {
    Rank *r = &run->ranks[i];
    r->comms = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    r->windows = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    r->modules = g_array_new (FALSE, FALSE, sizeof (Module));
    r->sites = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  }
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *l = run->lanes->pdata[i];
    l->clock = raw_clock_of (run, l->h->domain);
    l->location = l->h->thread == 0 ? l->h->rank : run->n_ranks + threads++;
  }
  guint at = 0;
  for (uint32_t rank = 0; rank < run->n_ranks; rank++)
    read_rank (run, rank, &at);
  find_origin (run);
  return true;
}

void
raw_close (Run *run)
{
  for (uint32_t i = 0; run->ranks && i < run->n_ranks; i++) {
    Rank *r = &run->ranks[i];
    g_array_unref (r->comms);
    g_array_unref (r->windows);
    g_array_unref (r->modules);
    g_hash_table_unref (r->sites);
    for (int k = 0; r->regions && k < 65536; k++)
      g_free (r->regions[k]);
    g_free (r->regions);
  }
  g_free (run->ranks);
  g_ptr_array_unref (run->lanes);
  g_ptr_array_unref (run->comms);
  g_ptr_array_unref (run->windows);
  g_hash_table_unref (run->comm_of);
  g_hash_table_unref (run->window_of);
  g_array_unref (run->clocks);
}
