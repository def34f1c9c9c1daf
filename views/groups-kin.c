/* SPDX-License-Identifier: Apache-2.0 */
/* groups-kin.c - groups that tasks themselves are the heads of, as those that they are inside of or have spawned them,
 * and groups by where tasks are in a topology. */
#include <string.h>
#include "eve/words.h"
#include "views/groups-private.h"
#include "views/told.h"

/* ---- tasks under tasks --------------------------------------------------------------------------------------------------- */

struct Kin {
  uint32_t n_tasks;
  uint32_t *above;                     /* by task; TRACE_NONE: it is under none */
  char **name;                         /* of its group; NULL: nobody is under it */
  uint32_t chain[GROUPS_DEEPEST + 1];  /* a task, what it is under, and so on: */
  uint32_t n_chain, chain_of;          /* of the task that was asked for last */
  uint32_t n_under, too_deep, circled; /* tasks */
};

static void
find_above (const GroupsFrom *from, Kin *k, KinBy by)
{
  g_autoptr (GHashTable) ids = by == KIN_SPAWN ? names_tasks_by_id (from->names, from->source) : NULL;

  for (uint32_t i = 0; i < k->n_tasks; i++) {
    const TraceTask *t = by == KIN_INSIDE ? trace_task (from->source, i) : NULL;
    const TaskTold *told = by == KIN_SPAWN ? names_told (from->names, from->source, i) : NULL;
    uint32_t above = t != NULL ? t->parent : TRACE_NONE;
    if (told != NULL && told->spawner != NULL)
      above = GPOINTER_TO_UINT (g_hash_table_lookup (ids, told->spawner)) - 1; /* 0, nobody: TRACE_NONE */
    k->above[i] = above < k->n_tasks && above != i ? above : TRACE_NONE;
  }
}

/* Of those that are under themselves the first is under none.  Each task is walked over once. */
static void
open_circles (Kin *k)
{
  g_autofree uint32_t *walk = g_new0 (uint32_t, k->n_tasks + 1); /* by task: in which walk it was met; 0: in none */

  for (uint32_t i = 0; i < k->n_tasks; i++) {
    uint32_t at = i;
    while (at != TRACE_NONE && walk[at] == 0) {
      walk[at] = i + 1;
      at = k->above[at];
    }
    if (at == TRACE_NONE || walk[at] != i + 1)
      continue;
    uint32_t first = at;
    k->circled++;
    for (uint32_t on = k->above[at]; on != at; on = k->above[on]) {
      first = MIN (first, on);
      k->circled++;
    }
    k->above[first] = TRACE_NONE;
  }
}

/* How many a task is under, of all; of those that are on the way too. */
static void
groups_kin_measure (const Kin *k, uint32_t task, uint32_t *depth, GArray *way)
{
  g_array_set_size (way, 0);
  for (; task != TRACE_NONE && depth[task] == TRACE_NONE; task = k->above[task])
    g_array_append_val (way, task);
  uint32_t next = task != TRACE_NONE ? depth[task] + 1 : 0;
  for (guint i = way->len; i > 0; i--)
    depth[g_array_index (way, uint32_t, i - 1)] = next++;
}

/* Who is under too many stands in the last group that there can be above it. */
static void
flatten (Kin *k)
{
  g_autofree uint32_t *depth = g_new (uint32_t, k->n_tasks + 1), *last = g_new (uint32_t, k->n_tasks + 1);
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  memset (depth, 0xff, k->n_tasks * sizeof (uint32_t));
  memset (last, 0xff, k->n_tasks * sizeof (uint32_t));
  for (uint32_t i = 0; i < k->n_tasks; i++)
    groups_kin_measure (k, i, depth, way);
  for (uint32_t i = 0; i < k->n_tasks; i++) {
    uint32_t at = i;
    g_array_set_size (way, 0);
    for (; depth[at] >= GROUPS_DEEPEST && last[at] == TRACE_NONE; at = k->above[at])
      g_array_append_val (way, at);
    for (guint w = 0; w < way->len; w++)
      last[g_array_index (way, uint32_t, w)] = depth[at] >= GROUPS_DEEPEST ? last[at] : at;
    k->too_deep += depth[i] > GROUPS_DEEPEST;
  }
  for (uint32_t i = 0; i < k->n_tasks; i++)
    if (depth[i] > GROUPS_DEEPEST)
      k->above[i] = last[i];
}

/* Of those that others are under; with the id, where another one beside it is called so. */
static void
name_heads (const GroupsFrom *from, Kin *k)
{
  g_autoptr (GHashTable) again = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree bool *heads = g_new0 (bool, k->n_tasks + 1);
  g_autoptr (GString) key = g_string_new (NULL);

  for (uint32_t i = 0; i < k->n_tasks; i++)
    if (k->above[i] != TRACE_NONE) {
      heads[k->above[i]] = true;
      k->n_under++;
    }
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < k->n_tasks; i++) {
      if (!heads[i])
        continue;
      const char *name = names_name (from->names, from->source, i), *id = names_id (from->names, from->source, i);
      g_string_printf (key, "%u %s", k->above[i], name);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (again, key->str));
      if (pass == 0)
        g_hash_table_insert (again, g_strdup (key->str), GUINT_TO_POINTER (n + 1));
      else
        k->name[i] = n > 1 ? g_strdup_printf ("%s (%s)", name, id) : g_strdup (name);
    }
}

Kin *
kin_new (const GroupsFrom *from, uint32_t n_tasks, KinBy by)
{
  Kin *k = g_new0 (Kin, 1);

  k->n_tasks = n_tasks;
  k->above = g_new (uint32_t, n_tasks + 1);
  k->name = g_new0 (char *, n_tasks + 1);
  k->chain_of = TRACE_NONE;
  find_above (from, k, by);
  open_circles (k);
  flatten (k);
  name_heads (from, k);
  return k;
}

void
kin_free (Kin *k)
{
  if (k == NULL)
    return;
  for (uint32_t i = 0; i < k->n_tasks; i++)
    g_free (k->name[i]);
  g_free (k->name);
  g_free (k->above);
  g_free (k);
}

const char *
kin_name (Kin *k, uint32_t task, uint32_t depth)
{
  if (k->chain_of != task) {
    k->n_chain = 0;
    for (uint32_t at = task; at != TRACE_NONE && k->n_chain < G_N_ELEMENTS (k->chain); at = k->above[at])
      k->chain[k->n_chain++] = at;
    k->chain_of = task;
  }
  return depth < k->n_chain ? k->name[k->chain[k->n_chain - 1 - depth]] : NULL;
}

bool
kin_is_empty (const Kin *k)
{
  return k->n_under == 0;
}

uint32_t
kin_too_deep (const Kin *k)
{
  return k->too_deep;
}

uint32_t
kin_in_circle (const Kin *k)
{
  return k->circled;
}

/* ---- coordinates ------------------------------------------------------------------------------------------------------------- */

struct Coordinates {
  const GroupsFrom *from;
  const char *topology; /* its name, n_topology bytes of it; NULL: names of tasks tell, as "node/x/y" */
  size_t n_topology;
  uint32_t levels; /* of the dimensions so many make groups */
  GString *text;
};

/* The name of the topology in that of a coordinate, which is "TOPOLOGY: DIMENSION". */
static size_t
topology_bytes (const char *name)
{
  const char *dimension = g_strrstr (name, ": ");

  return dimension != NULL ? (size_t) (dimension - name) : 0;
}

/* What is told of a task, or, as of a thread nothing is, of the one that it is inside of. */
static const GArray *
places_of (const GroupsFrom *from, uint32_t task)
{
  for (uint32_t up = 0; task != TRACE_NONE && up <= GROUPS_DEEPEST; up++) {
    const TaskTold *told = names_told (from->names, from->source, task);
    if (told != NULL && told->places != NULL)
      return told->places;
    const TraceTask *t = trace_task (from->source, task);
    task = t != NULL ? t->parent : TRACE_NONE;
  }
  return NULL;
}

/* The place of a task in that dimension; NULL: it has none. */
static const ToldPlace *
place_in (const Coordinates *c, uint32_t task, uint32_t dimension)
{
  const GArray *places = places_of (c->from, task);

  for (guint i = 0; places != NULL && i < places->len; i++) {
    const ToldPlace *p = &g_array_index (places, ToldPlace, i);
    if (topology_bytes (p->name) == c->n_topology && strncmp (p->name, c->topology, c->n_topology) == 0
        && dimension-- == 0)
      return p;
  }
  return NULL;
}

/* The one that has most tasks; of several the one that is met first. */
static void
choose_topology (Coordinates *c, uint32_t n_tasks)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint most = 0;

  for (int pass = 0; pass < 2 && c->topology == NULL; pass++)
    for (uint32_t i = 0; i < n_tasks && c->topology == NULL; i++) {
      const TaskTold *told = names_told (c->from->names, c->from->source, i);
      size_t before = SIZE_MAX;
      const char *last = NULL;
      for (guint k = 0; told != NULL && told->places != NULL && k < told->places->len; k++) {
        const char *name = g_array_index (told->places, ToldPlace, k).name;
        size_t n = topology_bytes (name);
        if (n == before && strncmp (name, last, n) == 0) /* another dimension of it */
          continue;
        before = n;
        last = name;
        g_autofree char *key = g_strndup (name, n);
        guint so_far = GPOINTER_TO_UINT (g_hash_table_lookup (counts, key));
        if (pass == 0) {
          most = MAX (most, so_far + 1);
          g_hash_table_insert (counts, g_steal_pointer (&key), GUINT_TO_POINTER (so_far + 1));
        } else if (so_far == most) {
          c->topology = name;
          c->n_topology = n;
          break;
        }
      }
    }
}

/* The last dimension makes groups only where several tasks have one place. */
static bool
measure_topology (Coordinates *c, uint32_t n_tasks, GError **error)
{
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  bool shared = false;
  uint32_t dimensions = 0;

  for (uint32_t i = 0; i < n_tasks; i++) {
    const ToldPlace *p;
    uint32_t d = 0;
    g_string_truncate (c->text, 0);
    for (; d < GROUPS_DEEPEST && (p = place_in (c, i, d)) != NULL; d++)
      g_string_append_printf (c->text, "%" G_GINT64_FORMAT " ", p->at);
    dimensions = MAX (dimensions, d);
    shared |= d > 0 && !g_hash_table_add (places, g_strdup (c->text->str));
  }
  c->levels = shared ? dimensions : dimensions - 1;
  if (c->levels == 0)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("the topology has one dimension, in which each task stands alone: blocks put neighbours together"));
  return c->levels > 0;
}

Coordinates *
coordinates_new (const GroupsFrom *from, uint32_t n_tasks, GError **error)
{
  Coordinates *c = g_new0 (Coordinates, 1);
  bool parts = false;

  c->from = from;
  c->text = g_string_new (NULL);
  choose_topology (c, n_tasks);
  if (c->topology != NULL && measure_topology (c, n_tasks, error))
    return c;
  for (uint32_t i = 0; i < n_tasks && c->topology == NULL && !parts; i++) {
    const char *name = names_name (from->names, from->source, i), *slash = strchr (name, '/');
    parts = slash != NULL && slash > name && slash[1] != '\0';
  }
  if (parts)
    return c;
  if (c->topology == NULL)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("the trace does not tell where in a topology its tasks are, nor do their names, as node/x/y"));
  coordinates_free (c);
  return NULL;
}

void
coordinates_free (Coordinates *c)
{
  if (c == NULL)
    return;
  g_string_free (c->text, TRUE);
  g_free (c);
}

/* "node3/0/1": what stands before each slash but one at the beginning. */
static const char *
part_of_name (Coordinates *c, const char *name, uint32_t depth)
{
  const char *from = name + (*name == '/'), *to = strchr (from, '/');

  for (; depth > 0 && to != NULL; depth--) {
    from = to + 1;
    to = strchr (from, '/');
  }
  if (to == NULL || to[1] == '\0')
    return NULL;
  g_string_truncate (c->text, 0);
  g_string_append_len (c->text, from, to - from);
  return c->text->str;
}

const char *
coordinates_name (Coordinates *c, uint32_t task, uint32_t depth)
{
  if (c->topology == NULL)
    return part_of_name (c, names_name (c->from->names, c->from->source, task), depth);
  const ToldPlace *p = depth < c->levels ? place_in (c, task, depth) : NULL;
  if (p == NULL)
    return NULL;
  const char *dimension = p->name + (c->n_topology > 0 ? c->n_topology + 2 : 0);
  /* a dimension without a name has its number */
  g_string_printf (c->text, g_ascii_isdigit (*dimension) ? "#%s = %" G_GINT64_FORMAT : "%s = %" G_GINT64_FORMAT,
                   dimension, p->at);
  return c->text->str;
}
