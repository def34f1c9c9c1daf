/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - what processors do together: the subset of them is among the data of such a call; -1 is all of them, which
 * are known at the end of the file. */
#include <inttypes.h>
#include <string.h>

#include "readers/picl/picl.h"
#include "readers/keys.h"
#include "readers/pair.h"

#define MOST_SUBSETS 100000
#define ALL (-1)

typedef struct Subset {
  uint32_t object, times; /* it was defined so often, with other members */
  GArray *members;        /* uint32_t: tasks of their calls, in order of their numbers, each once */
} Subset;

static void
free_subset (void *v)
{
  g_array_unref (((Subset *) v)->members);
  g_free (v);
}

void
picl_groups_begin (Picl *p)
{
  together_begin (&p->together, p->to);
  p->subsets = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, free_subset);
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

static bool
is_same_set (const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (uint32_t)) == 0;
}

void
picl_subset (Picl *p, int64_t id, const int64_t *nodes, uint32_t n, int64_t date)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  const gint64 key = id;
  Subset *s = g_hash_table_lookup (p->subsets, &key);

  for (uint32_t i = 0; i < n; i++) {
    const Node *of = nodes[i] >= 0 && nodes[i] <= INT32_MAX ? picl_find_node (p, nodes[i], -1) : NULL;
    if (of)
      g_array_append_val (members, of->calls);
  }
  if (id == ALL || members->len == 0 || (!s && g_hash_table_size (p->subsets) >= MOST_SUBSETS))
    return;
  g_autoptr (GArray) set = picl_groups_set_of (members);
  if (s && is_same_set (s->members, set))
    return; /* each of its processors may tell it */
  if (s && s->times >= MOST_SUBSETS)
    return;
  const uint32_t times = s ? s->times + 1 : 1;
  g_autofree char *name = times > 1 ? g_strdup_printf ("subset %" PRId64 " (%u)", id, times)
                                    : g_strdup_printf ("subset %" PRId64, id);
  s = g_new0 (Subset, 1);
  s->times = times;
  s->members = g_array_ref (set);
  s->object = together_group (&p->together, name, (const uint32_t *) (const void *) members->data, members->len, date);
  g_hash_table_replace (p->subsets, g_memdup2 (&key, sizeof key), s);
}

/* + 1; 0: nobody has told its members. */
static uint32_t
picl_groups_find (Picl *p, int64_t id)
{
  const gint64 key = id;

  if (id == ALL) {
    if (p->all == 0)
      p->all = trace_source_add_object (p->source, "all nodes") + 1;
    return p->all;
  }
  const Subset *s = g_hash_table_lookup (p->subsets, &key);
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
  Frame *f = n->frames->len > 0 ? &g_array_index (n->frames, Frame, n->frames->len - 1) : NULL;
  uint32_t group = f && n_data > 0 ? picl_groups_find (p, data[n_data - 1]) : 0,
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
  g_hash_table_unref (p->subsets);
  together_end (&p->together);
}
