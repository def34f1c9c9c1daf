/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.c - the files of the threads: what they did, in order of date; the clock; names of addresses. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include <string.h>
#include <unistd.h>

#include "eve/disk.h"
#include "eve/words.h"
#include "readers/threads/parts.h"
#include "readers/pair.h"

#define MOST_LANES 100000
#define MOST_NS 1e17                     /* three years: no date of a program is further from its beginning */
#define MOST_PIECES (UINT64_C (1) << 20) /* words of all files that are in memory */
#define MOST_NAMES_BYTES (64 * DISK_MIB)

/* ---- names of addresses ------------------------------------------------------------------------------------------ */

/* Threads with one pthread_t, those before `first` were joined. */
typedef struct Selves {
  GPtrArray *lanes;
  guint first;
} Selves;

static void
selves_free (void *selves)
{
  g_ptr_array_unref (((Selves *) selves)->lanes);
  g_free (selves);
}

static GHashTable *
names_new (void)
{
  return g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
}

static void
lanes_process_free (void *process)
{
  Process *p = process;

  g_free (p->program);
  g_hash_table_unref (p->names);
  g_hash_table_unref (p->called);
  g_hash_table_unref (p->sites);
  g_hash_table_unref (p->routines);
  g_hash_table_unref (p->things);
  g_hash_table_unref (p->selves);
  g_free (p);
}

static guint
hash_process (gconstpointer at)
{
  const Process *p = at;

  return ((guint) p->pid * 2654435761u) ^ ((guint) p->image * 2246822519u >> 7);
}

static gboolean
same_process (gconstpointer a, gconstpointer b)
{
  const Process *x = a, *y = b;

  return x->pid == y->pid && x->image == y->image;
}

static Process *
process_find (const Threads *t, int32_t pid, uint32_t image)
{
  return g_hash_table_lookup (t->process_of, &(Process){ .pid = pid, .image = image });
}

static void
set_name (GHashTable *names, uint64_t address, const char *name)
{
  g_hash_table_replace (names, g_memdup2 (&address, sizeof address), g_strdup (name));
}

const char *
lanes_object (const Process *p, uint64_t address)
{
  const char *called = g_hash_table_lookup (p->called, &address);

  return called ? called : g_hash_table_lookup (p->names, &address);
}

const char *
lanes_site (const Process *p, uint64_t address)
{
  return g_hash_table_lookup (p->sites, &address);
}

/* A line of the file: "site ADDRESS LINE FUNCTION<tab>FILE", "routine" likewise, "object ADDRESS NAME". */
static bool
lanes_read_name (Process *p, char *line)
{
  char *at = strchr (line, ' '), *end;

  if (!at)
    return false;
  *at++ = '\0';
  uint64_t address = g_ascii_strtoull (at, &end, 16);
  if (end == at || *end != ' ' || !g_utf8_validate (end, -1, NULL))
    return false;
  at = end + 1;
  if (g_str_equal (line, "object")) {
    set_name (p->names, address, at);
    return true;
  }
  uint64_t number = g_ascii_strtoull (at, &end, 10);
  char *tab = strchr (end, '\t');
  if (end == at || *end != ' ' || !tab)
    return false;
  *tab = '\0';
  if (g_str_equal (line, "routine") && end[1]) {
    set_name (p->routines, address, end + 1);
  } else if (g_str_equal (line, "site") && number > 0) {
    g_autofree char *site = g_strdup_printf ("%s:%" G_GUINT64_FORMAT, tab + 1, number);
    set_name (p->sites, address, site);
  }
  return true;
}

static void
lanes_read_names (Threads *t)
{
  g_autofree char *path = g_build_filename (t->folder, "names", NULL), *text = NULL;
  g_autoptr (GError) error = NULL;
  uint64_t number = 0;
  Process *p = NULL;
  size_t n = 0;

  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    trace_source_remark (t->source, "names", 0, 0,
                         _ ("lines of the source and names of locks are missing: tape-threads --names finds them"));
    return;
  }
  text = disk_read (path, t->below, MOST_NAMES_BYTES, &n, &error);
  if (!text) {
    trace_source_damage (t->source, "names", 0, 0, "%s", error->message);
    return;
  }
  for (char *line = text, *next; line && *line; line = next) {
    unsigned image;
    int pid;
    next = disk_end_line (line, text + n);
    number++;
    if (*line == '#' || *line == '\0')
      continue;
    if (sscanf (line, "process %d %u", &pid, &image) == 2)
      p = process_find (t, pid, image);
    else if (p && !lanes_read_name (p, line))
      trace_source_damage (t->source, "names", number, 1, _ ("this line is none of a file of names; it is left out"));
  }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void
lane_free (void *lane)
{
  Lane *l = lane;

  g_free (l->h);
  g_free (l->words);
  g_free (l->name);
  g_free (l->given);
  g_free (l);
}

#define HEAD_WORDS (sizeof (ThreadsHeader) / 8)

/* Files are read piece by piece, and opened for each: there may be more of them than a process may have open. */
static void
lanes_fill (const Threads *t, Lane *l)
{
  g_autofree char *path = g_build_filename (t->folder, l->name, NULL);
  uint64_t size;
  int fd = disk_open (path, t->below, UINT64_MAX, &size, NULL);

  l->n = l->at = 0;
  if (fd < 0)
    return;
  ssize_t got = disk_pread (fd, l->words, l->room * 8, (HEAD_WORDS + l->offset) * 8);
  l->n = got > 0 ? (uint64_t) got / 8 : 0;
  close (fd);
}

/* The next record that is whole; NULL: there is none. */
static const uint64_t *
lanes_record (const Threads *t, Lane *l)
{
  const uint64_t *r = l->words ? raw_record (l->words + l->at, l->words + l->n) : NULL;

  if (r || (l->n > 0 && l->at < l->n && RAW_TYPE (l->words[l->at]) == 0) || l->offset + l->at >= l->size)
    return r;
  uint64_t wanted = MAX (l->at < l->n ? RAW_WORDS (l->words[l->at]) : 1, t->piece);
  if (wanted > l->room) {
    l->room = wanted;
    l->words = g_renew (uint64_t, l->words, wanted);
  }
  l->offset += l->at;
  lanes_fill (t, l);
  return raw_record (l->words, l->words + l->n);
}

static void
rewind_lane (Lane *l)
{
  l->offset = l->n = l->at = 0;
}

static bool
sound_header (const ThreadsHeader *h)
{
  return memcmp (h->magic, THREADS_MAGIC, sizeof h->magic) == 0 && h->version == THREADS_VERSION
         && h->header_size == sizeof *h && memchr (h->host, 0, sizeof h->host)
         && memchr (h->program, 0, sizeof h->program) && g_utf8_validate (h->host, -1, NULL) && h->born_ns >= 0
         && h->born_ns < INT64_MAX / 4 && h->born >= 0 && h->born < INT64_MAX / 4;
}

static void
lanes_open_one (Threads *t, const char *name)
{
  g_autofree char *path = g_build_filename (t->folder, name, NULL);
  g_autoptr (GError) error = NULL;
  ThreadsHeader h;
  uint64_t size = 0;
  int fd = disk_open (path, t->below, UINT64_MAX, &size, &error);
  bool ok = fd >= 0 && disk_pread (fd, &h, sizeof h, 0) == (ssize_t) sizeof h && sound_header (&h);

  if (fd >= 0)
    close (fd);
  if (error) {
    trace_source_damage (t->source, name, 0, 0, _ ("%s; it is left out"), error->message);
    return;
  }
  if (!ok) {
    trace_source_damage (t->source, name, 0, 0,
                         _ ("it is no file of a thread that this version reads; it is left out"));
    return;
  }
  Lane *l = g_new0 (Lane, 1);
  l->h = g_memdup2 (&h, sizeof h);
  l->size = size / 8 - HEAD_WORDS;
  l->name = g_strdup (name);
  l->task = l->joined = l->held_by = l->read_by = l->woken_by = TRACE_NONE;
  l->exited = INT64_MAX;
  g_ptr_array_add (t->lanes, l);
}

static int
lanes_by_birth (const void *a, const void *b)
{
  const ThreadsHeader *x = (*(Lane *const *) a)->h, *y = (*(Lane *const *) b)->h;

  if (x->pid != y->pid || x->image != y->image)
    return x->born_ns != y->born_ns ? (x->born_ns < y->born_ns ? -1 : 1) : x->pid < y->pid ? -1 : 1;
  return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Processes in the order in which they began; the threads of each together. */
static int
by_process (const void *a, const void *b)
{
  const Lane *x = *(Lane *const *) a, *y = *(Lane *const *) b;

  return x->process->order != y->process->order ? (x->process->order < y->process->order ? -1 : 1)
                                                : lanes_by_birth (a, b);
}

static void
find_processes (Threads *t)
{
  g_ptr_array_sort (t->lanes, lanes_by_birth);
  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    Process *p = process_find (t, l->h->pid, l->h->image);
    if (!p) {
      p = g_new0 (Process, 1);
      p->pid = l->h->pid;
      p->image = l->h->image;
      p->program = g_utf8_make_valid (l->h->program, -1);
      p->order = t->processes->len;
      p->names = names_new ();
      p->called = names_new ();
      p->sites = names_new ();
      p->routines = names_new ();
      p->things = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
      p->selves = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, selves_free);
      g_ptr_array_add (t->processes, p);
      g_hash_table_add (t->process_of, p);
    }
    l->process = p;
  }
  g_ptr_array_sort (t->lanes, by_process);
  for (guint i = 0; i < t->lanes->len; i++) {
    Process *p = ((const Lane *) t->lanes->pdata[i])->process;
    p->first = p->n_lanes == 0 ? i : p->first;
    p->n_lanes++;
  }
}

static int
lanes_by_date (const void *a, const void *b)
{
  const Lane *x = *(Lane *const *) a, *y = *(Lane *const *) b;

  return x->born < y->born ? -1 : x->born > y->born;
}

/* Threads by their pthread_t, which one that comes later may have again. */
static void
find_selves (const Threads *t)
{
  GHashTableIter it;
  gpointer those;

  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    Selves *of = g_hash_table_lookup (l->process->selves, &l->h->self);
    if (!of) {
      of = g_new0 (Selves, 1);
      of->lanes = g_ptr_array_new ();
      g_hash_table_insert (l->process->selves, g_memdup2 (&l->h->self, sizeof l->h->self), of);
    }
    g_ptr_array_add (of->lanes, l);
  }
  for (guint i = 0; i < t->processes->len; i++) {
    g_hash_table_iter_init (&it, ((const Process *) t->processes->pdata[i])->selves);
    while (g_hash_table_iter_next (&it, NULL, &those))
      g_ptr_array_sort (((const Selves *) those)->lanes, lanes_by_date);
  }
}

Lane *
lanes_find (const Process *p, uint64_t self, int64_t date)
{
  Selves *those = g_hash_table_lookup (p->selves, &self);
  Lane *before = NULL, *after = NULL;

  /* in order of birth; most were joined by now, the first ones first */
  while (those && those->first < those->lanes->len && ((const Lane *) those->lanes->pdata[those->first])->was_joined)
    those->first++;
  for (guint i = those ? those->first : 0; those && !after && i < those->lanes->len; i++) {
    Lane *l = those->lanes->pdata[i];
    if (l->was_joined)
      continue;
    *(l->born <= date ? &before : &after) = l;
  }
  return before ? before : after;
}

Lane *
lanes_numbered (const Threads *t, const Process *p, uint32_t thread)
{
  guint low = p->first, high = p->first + p->n_lanes;

  while (low < high) {
    guint middle = (low + high) / 2;
    Lane *l = t->lanes->pdata[middle];
    if (l->h->thread == thread)
      return l;
    if (l->h->thread < thread)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* ---- the clock ----------------------------------------------------------------------------------------------------- */

/* Pairs of ticks and nanoseconds: the first and the last tell how long a tick is. */
typedef struct Pairs {
  int64_t ticks[2], ns[2];
  bool any;
} Pairs;

static void
add_pair (Pairs *p, int64_t ticks, int64_t ns)
{
  if (ticks < 0 || ns < 0 || ticks > INT64_MAX / 4 || ns > INT64_MAX / 4)
    return;
  if (!p->any || ns < p->ns[0]) {
    p->ticks[0] = ticks;
    p->ns[0] = ns;
  }
  if (!p->any || ns > p->ns[1]) {
    p->ticks[1] = ticks;
    p->ns[1] = ns;
  }
  p->any = true;
}

static void
add_file_of_pairs (const Threads *t, Pairs *p)
{
  g_autofree char *path = g_build_filename (t->folder, "clock", NULL), *text = NULL;
  size_t n = 0;

  text = disk_read (path, t->below, DISK_MIB, &n, NULL);
  for (char *line = text, *next; line && *line; line = next) {
    long long ticks, ns;
    next = disk_end_line (line, text + n);
    if (sscanf (line, "%lld %lld", &ticks, &ns) == 2)
      add_pair (p, ticks, ns);
  }
}

static char *
lanes_text_of (const uint64_t *at, unsigned head)
{
  size_t n = RAW_WORDS (*at) > head ? (size_t) (RAW_WORDS (*at) - head) * 8 : 0;
  g_autofree char *text = g_strndup ((const char *) (at + head), n - MIN (n, RAW_B (*at)));

  return g_utf8_make_valid (text, -1);
}

/* All that must be known before the first event. */
static void
lanes_look_through (const Threads *t, Lane *l, Pairs *pairs)
{
  for (const uint64_t *at; (at = lanes_record (t, l)); l->at += RAW_WORDS (*at)) {
    unsigned words = RAW_WORDS (*at);
    if (RAW_TYPE (*at) == THREADS_CLOCK && words >= 3) {
      add_pair (pairs, (int64_t) at[1], (int64_t) at[2]);
    } else if (RAW_TYPE (*at) == THREADS_CALLED && words > 2) {
      g_autofree char *name = lanes_text_of (at, 2);
      set_name (l->process->called, at[1], name);
    } else if (RAW_TYPE (*at) == THREADS_NAME && RAW_A (*at) == 1 && words > 2) {
      g_free (l->given);
      l->given = lanes_text_of (at, 2);
    } else if (RAW_TYPE (*at) == THREADS_NAME) {
      l->names_others = true;
    }
  }
}

static int64_t
lanes_date_of (const Threads *t, const ThreadsHeader *h, uint64_t date)
{
  int64_t origin = h->ticks ? t->origin_ticks : t->origin_ns;
  double ns = ((double) (int64_t) date - (double) origin) * (h->ticks ? t->ns_per_tick : 1);

  if (!(fabs (ns) < MOST_NS)) /* none that a program has: it comes before all others, which is told */
    return -(int64_t) MOST_NS;
  int64_t since = (int64_t) (date - (uint64_t) origin);
  return h->ticks ? (int64_t) ((double) since * t->ns_per_tick) : since;
}

/* The names that others give a thread: the last one counts, unless it gave itself another. */
static void
find_names (Threads *t)
{
  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    for (const uint64_t *at; l->names_others && (at = lanes_record (t, l)); l->at += RAW_WORDS (*at))
      if (RAW_TYPE (*at) == THREADS_NAME && RAW_A (*at) == 0 && RAW_WORDS (*at) > 2) {
        Lane *its = lanes_find (l->process, at[1], INT64_MAX);
        if (its && !its->given)
          its->given = lanes_text_of (at, 2);
      }
    rewind_lane (l);
  }
}

static void
find_clock (Threads *t)
{
  Pairs p = { .any = false };
  int64_t first = INT64_MAX, first_ticks = INT64_MAX;

  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    lanes_look_through (t, l, &p);
    rewind_lane (l);
    add_pair (&p, l->h->born, l->h->born_ns);
    first = MIN (first, l->h->born_ns);
    first_ticks = MIN (first_ticks, l->h->born);
  }
  add_file_of_pairs (t, &p);
  t->origin_ns = first;
  t->origin_ticks = first_ticks;
  t->ns_per_tick = p.ticks[1] > p.ticks[0] ? (double) ((uint64_t) p.ns[1] - (uint64_t) p.ns[0])
                                                 / (double) ((uint64_t) p.ticks[1] - (uint64_t) p.ticks[0])
                                           : 1;
  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    l->born = l->last = lanes_date_of (t, l->h, (uint64_t) l->h->born);
  }
  find_selves (t);
  find_names (t);
}

/* ---- items in order -------------------------------------------------------------------------------------------------- */

static bool
has_date (unsigned type)
{
  return type != THREADS_NAME && type != THREADS_CALLED && type != THREADS_MODULES;
}

static unsigned
least_words (unsigned type)
{
  switch (type) {
  case THREADS_HOLD:
  case THREADS_SIGNAL:
  case THREADS_CREATE:
    return 4;
  case THREADS_ASK:
  case THREADS_INIT:
    return 5;
  case THREADS_RELEASE:
  case THREADS_DESTROY:
  case THREADS_DONE:
    return 3;
  default:
    return 2;
  }
}

/* A thread does one thing after the other: what is dated before what it did last is dated as that. */
static int64_t
lanes_in_order (Lane *l, int64_t date)
{
  if (date >= l->last)
    return date;
  l->back++;
  l->back_most = MAX (l->back_most, trace_sum (l->last, -date));
  return l->last;
}

static void
read_item (Threads *t, Lane *l)
{
  Item *i = &l->next;

  if (l->pending) { /* it lets go of what it has just taken */
    const uint64_t *at = l->words + l->at;
    l->pending = false;
    i->type = THREADS_RELEASE;
    i->date = MAX (l->last, lanes_date_of (t, l->h, at[1] + i->b - 1));
    i->a = i->b = 0;
    l->last = i->date;
    l->at += RAW_WORDS (*at);
    return;
  }
  l->has_next = false;
  for (const uint64_t *at; !l->has_next && (at = lanes_record (t, l));) {
    unsigned words = RAW_WORDS (*at), type = RAW_TYPE (*at);
    if (!has_date (type) || type > THREADS_DONE || words < least_words (type)) {
      if (type > THREADS_DONE || has_date (type))
        trace_source_damage (t->source, l->name, 0, (HEAD_WORDS + l->offset + l->at) * 8,
                             _ ("the record here makes no sense; it is left out"));
      l->at += words;
      continue;
    }
    *i = (Item){ .type = type, .a = RAW_A (*at), .b = RAW_B (*at) };
    i->date = lanes_in_order (l, lanes_date_of (t, l->h, at[1]));
    i->object = words > 2 ? at[2] : 0;
    i->site = words > 3 ? at[3] : 0;
    i->with = words > 4 ? at[4] : 0;
    l->last = i->date;
    l->has_next = true;
    l->pending = type == THREADS_HOLD && i->b > 0;
    if (!l->pending)
      l->at += words;
  }
}

static bool
lanes_is_before (const Lane *a, const Lane *b)
{
  return a->next.date != b->next.date ? a->next.date < b->next.date : a->order < b->order;
}

static void
lanes_sink (GPtrArray *heap, guint i)
{
  for (guint k; (k = 2 * i + 1) < heap->len; i = k) {
    if (k + 1 < heap->len && lanes_is_before (heap->pdata[k + 1], heap->pdata[k]))
      k++;
    if (!lanes_is_before (heap->pdata[k], heap->pdata[i]))
      return;
    void *swap = heap->pdata[i];
    heap->pdata[i] = heap->pdata[k];
    heap->pdata[k] = swap;
  }
}

Lane *
lanes_next (Threads *t, Item *item)
{
  Lane *l = t->heap->len > 0 ? t->heap->pdata[0] : NULL;

  if (!l)
    return NULL;
  *item = l->next;
  uint64_t before = l->offset + l->at;
  read_item (t, l);
  t->read += l->offset + l->at - before;
  if (!l->has_next)
    g_ptr_array_remove_index_fast (t->heap, 0);
  lanes_sink (t->heap, 0);
  return l;
}

double
lanes_share (const Threads *t)
{
  return t->size > 0 ? MIN ((double) t->read / (double) t->size, 1) : 1;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

bool
lanes_open (Threads *t, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (t->folder, 0, error);

  t->lanes = g_ptr_array_new_with_free_func (lane_free);
  t->processes = g_ptr_array_new_with_free_func (lanes_process_free);
  t->process_of = g_hash_table_new (hash_process, same_process);
  t->below = g_path_get_dirname (t->folder);
  t->heap = g_ptr_array_new ();
  if (!dir)
    return false;
  for (const char *name; (name = g_dir_read_name (dir)) && t->lanes->len < MOST_LANES;)
    if (g_str_has_suffix (name, ".lane"))
      lanes_open_one (t, name);
  if (t->lanes->len == 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s holds no file of a thread: the program has recorded nothing"), t->folder);
    return false;
  }
  t->piece = MAX (MOST_PIECES / t->lanes->len, 512);
  find_processes (t);
  lanes_read_names (t);
  find_clock (t);
  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    l->order = i;
    t->size += l->size;
    read_item (t, l);
    if (l->has_next)
      g_ptr_array_add (t->heap, l);
  }
  for (guint i = t->heap->len; i-- > 0;)
    lanes_sink (t->heap, i);
  return true;
}

/* Whether anything stands behind the record that says that no more follow. */
static bool
lanes_goes_on (const Threads *t, Lane *l)
{
  for (l->offset += l->at; l->offset < l->size; l->offset += l->n) {
    lanes_fill (t, l);
    if (l->n == 0)
      return false;
    for (uint64_t i = 0; i < l->n; i++)
      if (l->words[i] != 0) {
        l->offset += i;
        return true;
      }
  }
  return false;
}

void
lanes_tell (const Threads *t)
{
  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    if (l->back > 0) {
      char by[32];
      trace_write_span ((double) l->back_most * 1e-9, by, sizeof by);
      trace_source_damage (t->source, l->name, 0, 0,
                           _ ("%" PRIu64 " records are dated before the one in front of them, by %s at most, and were "
                              "dated as that one"),
                           l->back, by);
    }
    if (l->n > 0 && lanes_goes_on (t, l))
      trace_source_damage (t->source, l->name, 0, (HEAD_WORDS + l->offset) * 8,
                           _ ("it says before this place that it ends: what follows is left out"));
  }
}

void
lanes_close (Threads *t)
{
  g_ptr_array_unref (t->heap);
  g_ptr_array_unref (t->lanes);
  g_hash_table_unref (t->process_of);
  g_ptr_array_unref (t->processes);
  g_free (t->below);
}
