/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c - what handles of MPI stand for: requests, communicators, windows with what is under way on them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
numbers_begin (void)
{
  if (__builtin_expect (tape_threads, 0))
    pthread_mutex_lock (&lock);
}

static void
numbers_end (void)
{
  if (__builtin_expect (tape_threads, 0))
    pthread_mutex_unlock (&lock);
}

/* ---- a table by handle: open addressing, without graves --------------------------------------------------------------- */
typedef struct Table {
  uint64_t *keys; /* 0: free */
  char *rows;
  size_t row, n, room; /* room: a power of two */
} Table;

static size_t
numbers_place (const Table *t, uint64_t key)
{
  return (size_t) ((key * UINT64_C (0x9e3779b97f4a7c15)) >> 32) & (t->room - 1);
}

/* Where it is, or would be. */
static size_t
numbers_look (const Table *t, uint64_t key)
{
  size_t i = numbers_place (t, key);

  while (t->keys[i] && t->keys[i] != key)
    i = (i + 1) & (t->room - 1);
  return i;
}

static void *
numbers_row_at (const Table *t, size_t i)
{
  return t->rows + i * t->row;
}

static bool
numbers_widen (Table *t)
{
  Table new = { NULL, NULL, t->row, t->n, t->room ? t->room * 2 : 64 };

  new.keys = calloc (new.room, sizeof *new.keys);
  new.rows = malloc (new.room *new.row);
  if (!new.keys || !new.rows) {
    free (new.keys);
    free (new.rows);
    return false;
  }
  for (size_t i = 0; i < t->room; i++)
    if (t->keys[i]) {
      size_t k = numbers_look (&new, t->keys[i]);
      new.keys[k] = t->keys[i];
      memcpy (numbers_row_at (&new, k), numbers_row_at (t, i), t->row);
    }
  free (t->keys);
  free (t->rows);
  *t = new;
  return true;
}

/* NULL: it is not there. */
static void *
numbers_find (const Table *t, uint64_t key)
{
  size_t i = t->n ? numbers_look (t, key) : 0;

  return t->n && t->keys[i] ? numbers_row_at (t, i) : NULL;
}

/* NULL: there is no memory.  A new row is zeros. */
static void *
numbers_add (Table *t, uint64_t key)
{
  if (t->n * 2 >= t->room && !numbers_widen (t))
    return NULL;
  size_t i = numbers_look (t, key);
  if (!t->keys[i]) {
    t->keys[i] = key;
    t->n++;
    memset (numbers_row_at (t, i), 0, t->row);
  }
  return numbers_row_at (t, i);
}

static void
numbers_take_away (Table *t, uint64_t key)
{
  size_t i = t->n ? numbers_look (t, key) : 0, k = i;

  if (!t->n || !t->keys[i])
    return;
  t->n--;
  /* What stands behind it moves up, if it may. */
  for (;;) {
    t->keys[i] = 0;
    do {
      k = (k + 1) & (t->room - 1);
      if (!t->keys[k])
        return;
    } while (i <= k ? i < numbers_place (t, t->keys[k]) && numbers_place (t, t->keys[k]) <= k
                    : i < numbers_place (t, t->keys[k]) || numbers_place (t, t->keys[k]) <= k);
    t->keys[i] = t->keys[k];
    memcpy (numbers_row_at (t, i), numbers_row_at (t, k), t->row);
    i = k;
  }
}

/* ---- requests ------------------------------------------------------------------------------------------------------------ */

static Table requests = { .row = sizeof (Request) };
static uint64_t last_id;

uint64_t
tape_new_id (void)
{
  return tape_threads ? __atomic_add_fetch (&last_id, 1, __ATOMIC_RELAXED) : ++last_id;
}

static Request *spare;

void
tape_request_add (uint64_t handle, const Request *r)
{
  numbers_begin ();
  Request *first = numbers_find (&requests, handle), *to = NULL;
  if (first && first->kind != REQUEST_NONE && !first->persistent) {
    Request **end_of = &first->next;
    while (*end_of)
      end_of = &(*end_of)->next;
    to = spare ? spare : malloc (sizeof *to);
    spare = to && spare ? spare->next : spare;
    *end_of = to;
  } else if (handle) {
    to = first ? first : numbers_add (&requests, handle);
  }
  if (to) {
    *to = *r;
    to->next = NULL;
  }
  numbers_end ();
}

bool
tape_request_find (uint64_t handle, Request *r)
{
  numbers_begin ();
  const Request *there = numbers_find (&requests, handle);
  if (there)
    *r = *there;
  numbers_end ();
  return there != NULL;
}

void
tape_request_change (uint64_t handle, const Request *r)
{
  numbers_begin ();
  Request *there = numbers_find (&requests, handle);
  if (there) {
    Request *next = there->next;
    *there = *r;
    there->next = next;
  }
  numbers_end ();
}

/* The next takes the place of the first. */
static void
numbers_drop_first (Request *first, uint64_t handle)
{
  Request *next = first->next;

  if (next) {
    *first = *next;
    next->next = spare;
    spare = next;
  } else {
    numbers_take_away (&requests, handle);
  }
}

bool
tape_request_complete (uint64_t handle, Request *r)
{
  numbers_begin ();
  Request *first = numbers_find (&requests, handle);
  bool is = first && first->active;
  if (is) {
    *r = *first;
    if (first->persistent)
      first->active = false;
    else
      numbers_drop_first (first, handle);
  }
  numbers_end ();
  return is;
}

void
tape_request_remove (uint64_t handle)
{
  numbers_begin ();
  Request *first = numbers_find (&requests, handle);
  if (first)
    numbers_drop_first (first, handle);
  numbers_end ();
}

/* ---- communicators --------------------------------------------------------------------------------------------------------- */
typedef struct Comm {
  uint32_t number, n_made; /* of it */
} Comm;

static Table comms = { .row = sizeof (Comm) };
static uint32_t n_comms, world_made;
static MPI_Group world;

void
tape_numbers_start (void)
{
  PMPI_Comm_group (MPI_COMM_WORLD, &world);
}

uint32_t *
tape_members (MPI_Group group, int *n)
{
  uint32_t *to;
  int *ranks;

  *n = 0;
  PMPI_Group_size (group, n);
  to = malloc (((size_t) *n + 1) * sizeof *to);
  ranks = malloc (((size_t) *n + 1) * sizeof *ranks);
  for (int i = 0; ranks && i < *n; i++)
    ranks[i] = i;
  if (to && ranks && *n)
    PMPI_Group_translate_ranks (group, *n, ranks, world, (int *) to);
  for (int i = 0; to && i < *n; i++)
    if ((int) to[i] == MPI_UNDEFINED)
      to[i] = RAW_NONE;
  free (ranks);
  if (!to)
    *n = 0;
  return to;
}

static void
numbers_put_words (uint64_t *to, const uint32_t *first, size_t n, const uint32_t *second, size_t m)
{
  for (size_t i = 0; i < n + m; i++) {
    uint64_t v = i < n ? first[i] : second[i - n];
    to[i / 2] |= v << (i % 2 * 32);
  }
}

/* Definitions are written even while recording is off. */
static void
numbers_write_comm (Lane *l, uint32_t number, MPI_Comm comm, unsigned made, uint32_t parent, uint32_t ordinal)
{
  MPI_Group group = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
  uint32_t *first = NULL, *second = NULL;
  int inter = 0, n = 0, m = 0;

  PMPI_Comm_test_inter (comm, &inter);
  if (PMPI_Comm_group (comm, &group) == MPI_SUCCESS) {
    first = tape_members (group, &n);
    PMPI_Group_free (&group);
  }
  if (inter && PMPI_Comm_remote_group (comm, &other) == MPI_SUCCESS) {
    second = tape_members (other, &m);
    PMPI_Group_free (&other);
  }
  size_t words = 4 + ((size_t) n + (size_t) m + 1) / 2;
  uint64_t *r = words < RAW_MOST_WORDS && !l->lost ? tape_room (l, (unsigned) words) : NULL;
  if (r) {
    memset (r + 1, 0, (words - 1) * sizeof *r);
    r[1] = tape_pair (number, parent);
    r[2] = ordinal;
    r[3] = tape_pair ((uint32_t) n, (uint32_t) m);
    numbers_put_words (r + 4, first, (size_t) n, second, (size_t) m);
    tape_publish (l, r, RAW_COMM, (unsigned) words, made, inter != 0);
  }
  free (first);
  free (second);
}

static Comm *
new_comm (MPI_Comm comm, unsigned made, uint32_t parent, uint32_t ordinal)
{
  Comm *c = numbers_add (&comms, KEY (comm));

  if (!c)
    return NULL;
  *c = (Comm){ n_comms++, 0 };
  numbers_write_comm (tape_lane, c->number, comm, made, parent, ordinal);
  return c;
}

/* One that is made by a function that is not recorded, or that a spawned program shares, has no known parent. */
static Comm *
comm_of (MPI_Comm comm)
{
  Comm *c = numbers_find (&comms, KEY (comm));

  if (c || comm == MPI_COMM_NULL)
    return c;
  unsigned made = comm == MPI_COMM_WORLD ? RAW_MADE_WORLD : comm == MPI_COMM_SELF ? RAW_MADE_SELF : RAW_MADE_FROM_GROUP;
  return new_comm (comm, made, RAW_NONE, 0);
}

uint32_t
tape_comm (MPI_Comm comm)
{
  static __thread MPI_Comm last;
  static __thread uint32_t number, at;

  /* Handles are used again, after others were made or are gone. */
  if (last == comm && at == __atomic_load_n (&world_made, __ATOMIC_RELAXED) && n_comms)
    return number;
  numbers_begin ();
  const Comm *c = comm_of (comm);
  last = comm;
  number = c ? c->number : RAW_NONE;
  at = world_made;
  numbers_end ();
  return number;
}

uint32_t
tape_comm_ordinal (MPI_Comm parent)
{
  numbers_begin ();
  Comm *c = comm_of (parent);
  uint32_t ordinal = c ? c->n_made++ : 0;
  numbers_end ();
  return ordinal;
}

void
tape_comm_made (Call *c, MPI_Comm comm, MPI_Comm parent, uint32_t ordinal)
{
  if (comm == MPI_COMM_NULL)
    return;
  uint32_t above = parent == MPI_COMM_NULL ? RAW_NONE : tape_comm (parent);
  numbers_begin ();
  numbers_take_away (&comms, KEY (comm));
  world_made++;
  const Comm *new = new_comm (comm, parent == MPI_COMM_NULL ? RAW_MADE_FROM_GROUP : RAW_MADE_FROM_PARENT, above,
                              ordinal);
  numbers_end ();
  if (new)
    tape_put3 (c->lane, RAW_COMM_MADE, 0, 0, c->date, new->number);
}

void
tape_comm_gone (Call *c, uint64_t handle, uint32_t number)
{
  tape_put3 (c->lane, RAW_COMM_GONE, 0, 0, c->date, number);
  numbers_begin ();
  numbers_take_away (&comms, handle);
  world_made++;
  numbers_end ();
}

/* ---- windows ---------------------------------------------------------------------------------------------------------------- */
typedef struct Operation {
  uint64_t id;
  uint32_t target;
} Operation;
typedef struct Window {
  uint32_t number, n, room;
  Operation *pending;
} Window;

static Table windows = { .row = sizeof (Window) };
static Table on_comm = { .row = sizeof (uint32_t) }; /* how many were made on it */
static MPI_Win *handles;
static uint32_t n_windows, n_handles;

uint32_t
tape_window (MPI_Win win)
{
  numbers_begin ();
  const Window *w = numbers_find (&windows, KEY (win));
  uint32_t number = w ? w->number : RAW_NONE;
  numbers_end ();
  return number;
}

void
tape_window_made (Call *c, MPI_Win win, MPI_Comm comm)
{
  uint32_t number = tape_comm (comm);

  numbers_begin ();
  uint32_t *n = numbers_add (&on_comm, number + UINT64_C (1));
  uint32_t ordinal = n ? (*n)++ : 0;
  numbers_take_away (&windows, KEY (win));
  Window *w = numbers_add (&windows, KEY (win));
  if (w)
    w->number = n_windows++;
  if (w && w->number >= n_handles) {
    MPI_Win *more = realloc (handles, (n_handles + 64) * sizeof *more);
    handles = more ? more : handles;
    n_handles += more ? 64 : 0;
  }
  if (w && w->number < n_handles)
    handles[w->number] = win;
  numbers_end ();
  if (!w)
    return;
  bool off = c->lane->off;
  c->lane->off = c->lane->lost;
  TAPE_PUT (c->lane, RAW_WIN, 0, 0, tape_pair (w->number, number), ordinal);
  c->lane->off = off;
  tape_put3 (c->lane, RAW_WIN_MADE, 0, 0, c->date, w->number);
}

static Window *
window_at (uint32_t number)
{
  return number < n_handles && number < n_windows ? numbers_find (&windows, KEY (handles[number])) : NULL;
}

uint64_t
tape_window_operation (uint32_t window, uint32_t target)
{
  uint64_t id = tape_new_id ();

  numbers_begin ();
  Window *w = window_at (window);
  if (w && w->n == w->room) {
    Operation *more = realloc (w->pending, (w->room * 2 + 16) * sizeof *more);
    w->pending = more ? more : w->pending;
    w->room = more ? w->room * 2 + 16 : w->room;
  }
  if (w && w->n < w->room)
    w->pending[w->n++] = (Operation){ id, target };
  numbers_end ();
  return id;
}

void
tape_window_complete (Call *c, uint32_t window, uint32_t target)
{
  uint32_t left = 0;

  numbers_begin ();
  Window *w = window_at (window);
  for (uint32_t i = 0; w && i < w->n; i++)
    if (target == RAW_NONE || w->pending[i].target == target)
      TAPE_PUT (c->lane, RAW_OP_DONE, 0, 0, c->date, tape_pair (window, 0), w->pending[i].id);
    else
      w->pending[left++] = w->pending[i];
  if (w)
    w->n = left;
  numbers_end ();
}

void
tape_window_one (Call *c, uint32_t window, uint64_t id)
{
  numbers_begin ();
  Window *w = window_at (window);
  for (uint32_t i = 0; w && i < w->n; i++)
    if (w->pending[i].id == id) {
      TAPE_PUT (c->lane, RAW_OP_DONE, 0, 0, c->date, tape_pair (window, 0), id);
      w->pending[i] = w->pending[--w->n];
      break;
    }
  numbers_end ();
}

void
tape_window_gone (Call *c, MPI_Win win)
{
  uint32_t number = tape_window (win);

  tape_window_complete (c, number, RAW_NONE);
  tape_put3 (c->lane, RAW_WIN_GONE, 0, 0, c->date, number);
  numbers_begin ();
  Window *w = numbers_find (&windows, KEY (win));
  if (w)
    free (w->pending);
  numbers_take_away (&windows, KEY (win));
  numbers_end ();
}
