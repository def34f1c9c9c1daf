/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - what processors do together: the subset of them is among the data of such a call; -1 is all of them, which
 * are known at the end of the file. */
#include <inttypes.h>
#include <string.h>

#include "readers/picl/picl.h"
#include "readers/keys.h"
#include "readers/pair.h"

#define MOST_SUBSETS 100000
#define MOST_TOLD (1 << 20) /* which subset a processor means by a number; of others it is the one told last */
#define ALL (-1)

/* Processors that were split from each other may use one number for different subsets: what is meant is what the
 * processor itself has told last, or another one that counts it among its members. */
typedef struct Subset {
  int64_t id;
  uint32_t object;
  GArray *members; /* uint32_t: tasks of their calls, in order of their numbers, each once */
} Subset;

typedef struct Number {
  uint32_t index, times; /* so many subsets have it */
  const Subset *last;    /* that was told */
} Number;

static void
free_subset (void *v)
{
  g_array_unref (((Subset *) v)->members);
  g_free (v);
}

static guint
hash_subset (gconstpointer v)
{
  const Subset *s = v;
  uint64_t h = (uint64_t) s->id;

  for (guint i = 0; i < s->members->len; i++)
    h = (uint64_t) pair_hash_of (h) << 32 | g_array_index (s->members, uint32_t, i);
  return pair_hash_of (h);
}

static bool
is_same_set (const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (uint32_t)) == 0;
}

static gboolean
is_same_subset (gconstpointer a, gconstpointer b)
{
  const Subset *x = a, *y = b;

  return x->id == y->id && is_same_set (x->members, y->members);
}

void
picl_groups_begin (Picl *p)
{
  together_begin (&p->together, p->to);
  p->numbers = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
  p->subsets = g_hash_table_new_full (hash_subset, is_same_subset, free_subset, NULL);
  p->told = g_hash_table_new (pair_hash_direct, g_direct_equal);
  p->first_place = converter_place (p->to);
  p->first = INT64_MAX;
}

static int
picl_tasks_by_number (const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return (x > y) - (x < y);
}

/* As a set: processors may tell the same one in different orders. */
static GArray *
picl_groups_set_of (const GArray *told)
{
  GArray *set = g_array_sized_new (FALSE, FALSE, sizeof (uint32_t), told->len);
  guint n = 0;

  if (told->len > 0)
    g_array_append_vals (set, told->data, told->len);
  g_array_sort (set, picl_tasks_by_number);
  for (guint i = 0; i < set->len; i++)
    if (n == 0 || g_array_index (set, uint32_t, n - 1) != g_array_index (set, uint32_t, i))
      g_array_index (set, uint32_t, n++) = g_array_index (set, uint32_t, i);
  g_array_set_size (set, n);
  return set;
}

static gpointer
told_key (uint32_t calls, const Number *n)
{
  return GSIZE_TO_POINTER ((gsize) calls << 32 | n->index);
}

/* From now on the members mean this one by its number: the processor that tells it, or all of them if that is -1; the
 * others unless they have told another one themselves, which the lowest bit says. */
static void
picl_groups_mean (Picl *p, const Number *n, const Subset *s, uint32_t teller)
{
  for (guint i = 0; i < s->members->len; i++) {
    const uint32_t who = g_array_index (s->members, uint32_t, i);
    gpointer key = told_key (who, n), before = g_hash_table_lookup (p->told, key);
    const gsize own = who == teller || teller == TRACE_NONE;
    if (!own && (GPOINTER_TO_SIZE (before) & 1))
      continue;
    if (before || g_hash_table_size (p->told) < MOST_TOLD)
      g_hash_table_insert (p->told, key, GSIZE_TO_POINTER (GPOINTER_TO_SIZE (s) | own));
  }
}

static Number *
picl_groups_number (Picl *p, int64_t id)
{
  const gint64 key = id;
  Number *n = g_hash_table_lookup (p->numbers, &key);

  if (!n && g_hash_table_size (p->numbers) < MOST_SUBSETS) {
    n = g_new0 (Number, 1);
    n->index = g_hash_table_size (p->numbers);
    g_hash_table_insert (p->numbers, g_memdup2 (&key, sizeof key), n);
  }
  return n;
}

void
picl_subset (Picl *p, const Node *teller, int64_t id, const int64_t *nodes, uint32_t n, int64_t date)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (uint32_t i = 0; i < n; i++) {
    const Node *of = nodes[i] >= 0 && nodes[i] <= INT32_MAX ? picl_find_node (p, nodes[i], -1) : NULL;
    if (of)
      g_array_append_val (members, of->calls);
  }
  Number *number = id == ALL || members->len == 0 ? NULL : picl_groups_number (p, id);
  if (!number)
    return;
  g_autoptr (GArray) set = picl_groups_set_of (members);
  const Subset wanted = { .id = id, .members = set };
  Subset *s = g_hash_table_lookup (p->subsets, &wanted);
  if (!s) { /* else each of its processors may tell it */
    if (g_hash_table_size (p->subsets) >= MOST_SUBSETS)
      return;
    g_autofree char *name = ++number->times > 1 ? g_strdup_printf ("subset %" PRId64 " (%u)", id, number->times)
                                                : g_strdup_printf ("subset %" PRId64, id);
    s = g_new0 (Subset, 1);
    *s = (Subset){
      id, together_group (&p->together, name, (const uint32_t *) (const void *) members->data, members->len, date),
      g_array_ref (set)
    };
    g_hash_table_add (p->subsets, s);
  }
  number->last = s;
  picl_groups_mean (p, number, s, teller ? teller->calls : TRACE_NONE);
}

/* + 1; 0: nobody has told its members. */
static uint32_t
picl_groups_find (Picl *p, const Node *n, int64_t id)
{
  const gint64 key = id;

  if (id == ALL) {
    if (p->all == 0)
      p->all = trace_source_add_object (p->source, "all nodes") + 1;
    return p->all;
  }
  const Number *number = g_hash_table_lookup (p->numbers, &key);
  const gsize told = number ? GPOINTER_TO_SIZE (g_hash_table_lookup (p->told, told_key (n->calls, number))) : 0;
  const Subset *s = told ? GSIZE_TO_POINTER (told & ~(gsize) 1) : number ? number->last : NULL;
  return s ? s->object + 1 : 0;
}

static TraceEvent
together_operation_of (const Node *n, const Frame *f, int64_t date)
{
  return (TraceEvent){ .date = date,
                       .task = n->calls,
                       .peer = f->root,
                       .object = f->group,
                       .size = f->bytes,
                       .tag = -1,
                       .kind = (uint16_t) (f->together - 1) };
}

void
picl_begin_together (Picl *p, Node *n, int64_t date, const char *name, const int64_t *data, int n_data)
{
  Frame *f = n->n_frames > 0 ? &n->frames[n->n_frames - 1] : NULL;
  uint32_t group = f && n_data > 0 ? picl_groups_find (p, n, data[n_data - 1]) : 0,
           kind = group > 0 ? together_kind (&p->together, name) : TOGETHER_NONE;

  if (kind == TOGETHER_NONE)
    return;
  const Node *root = n_data > 2 && data[1] >= 0 && data[1] <= INT32_MAX ? picl_find_node (p, data[1], -1) : NULL;
  f->together = kind + 1;
  f->group = group - 1;
  f->root = root ? root->calls : TRACE_NONE;
  f->bytes = n_data > 1 ? MAX (data[0], 0) : 0;
  TraceEvent e = together_operation_of (n, f, date);
  converter_none (p->to);
  f->together_begun = converter_begin (p->to, &e);
}

void
picl_end_together (Picl *p, const Node *n, const Frame *f, int64_t date)
{
  if (f->together == 0)
    return;
  TraceEvent e = together_operation_of (n, f, date);
  converter_end (p->to, &e, f->together_begun, f->begin, date);
}

/* The host is none of those that act together. */
static void
tell_all (Picl *p)
{
  g_autoptr (GArray) keys = keys_sorted (p->nodes), members = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (guint i = 0; i < keys->len; i++) {
    const gint64 *id = &g_array_index (keys, gint64, i);
    const Node *n = g_hash_table_lookup (p->nodes, id);
    if (*id >= 0)
      g_array_append_val (members, n->calls);
  }
  together_members (p->to, &p->together.group, p->all - 1, (const uint32_t *) (const void *) members->data,
                    members->len, p->first, p->first_place);
}

void
picl_groups_end (Picl *p, bool whole)
{
  if (whole && p->all > 0 && p->first != INT64_MAX)
    tell_all (p);
  g_hash_table_unref (p->told);
  g_hash_table_unref (p->subsets);
  g_hash_table_unref (p->numbers);
  together_end (&p->together);
}
