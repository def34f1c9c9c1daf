/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - the tree of groups, made of the names that each task has in it. */
#include "views/groups-private.h"
#include "eve/words.h"
#include <fnmatch.h>
#include <string.h>

const char *const groups_hierarchies[] = { "host",     "program", "group",     "type", "inside", "spawn",
                                           "topology", "blocks",  "behaviour", "hand", NULL };
const char *const groups_hierarchies_told[] = {
  N_ ("Hosts, in racks where their names have such numbers"),
  N_ ("Programs"),
  N_ ("Groups that tasks joined first, communicators"),
  N_ ("Types of tasks, as the trace declares them"),
  N_ ("Tasks inside of tasks: threads of processes, processes of machines"),
  N_ ("Tasks with those that they spawned"),
  N_ ("Places in a topology: lines, planes"),
  N_ ("Blocks of 16 tasks, of 256, and so on"),
  N_ ("Tasks that do much the same at the same time"),
  N_ ("Groups made by hand"),
  NULL
};
enum { BY_HOST, BY_PROGRAM, BY_GROUP, BY_TYPE, BY_INSIDE, BY_SPAWN, BY_TOPOLOGY, BY_BLOCKS, BY_BEHAVIOUR, BY_HAND };

/* ---- the tree --------------------------------------------------------------------------------------------------------------- */

/* A group while it is made: its number is that of its appearance. */
typedef struct Sprout {
  char *name;
  uint32_t parent, depth;
  GArray *below; /* of uint32_t: groups right inside of it; NULL: none */
  GArray *tasks; /* of uint32_t: in none of these; NULL: none */
} Sprout;

typedef struct Maker {
  const GroupsFrom *from;
  int by;
  uint32_t n_tasks;
  GArray *sprouts;     /* of Sprout */
  GHashTable *numbers; /* "PARENT NAME" -> number + 1 */
  GArray *roots;       /* of uint32_t */
  GArray *loose;       /* of uint32_t: tasks in no group */
  uint32_t last[GROUPS_DEEPEST];
  uint32_t n_last; /* where the task before was: mostly the next one is there too */
  GString *key, *text;
  /* by behaviour */
  const uint32_t *cluster;
  GArray *likest;
  GroupsClusters *found; /* here, if they were not before */
  GPtrArray *likes;      /* of char *: the name of each cluster */
  /* by hand */
  GPtrArray *wanted;    /* of char *: the name of the group of each line */
  GHashTable *literals; /* id or name of a task -> number of its first line, from 1 */
  GArray *patterns;     /* of Pattern, by line */
  uint32_t left_out, too_long;
  Kin *kin;                 /* by what is inside of what, or who spawned whom */
  Coordinates *coordinates; /* by places in a topology */
} Maker;

/* What is said with wildcards, and the line that says it. */
typedef struct Pattern {
  char *text;
  uint32_t line;
  uint32_t n_plain; /* bytes before the first wildcard */
} Pattern;

/* Each task is tried with each pattern. */
#define PATTERNS_MOST 1000u
#define MATCHED_MOST 1024u /* bytes of a pattern, and of a name, as matching costs as much as both multiplied */
#define PATTERNS_LEAST 16u
#define TRIES_MOST 10000000u

static void
pattern_clear (gpointer data)
{
  g_free (((Pattern *) data)->text);
}

static void
sprout_clear (gpointer data)
{
  Sprout *s = data;

  g_free (s->name);
  if (s->below != NULL)
    g_array_unref (s->below);
  if (s->tasks != NULL)
    g_array_unref (s->tasks);
}

static Sprout *
sprout (const Maker *m, uint32_t i)
{
  return &g_array_index (m->sprouts, Sprout, i);
}

static void
views_groups_append (GArray **to, uint32_t number)
{
  if (*to == NULL)
    *to = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_array_append_val (*to, number);
}

/* The group of that name inside of another one, made if it is new. */
static uint32_t
views_groups_inside_of (Maker *m, uint32_t parent, uint32_t depth, const char *name)
{
  if (depth < m->n_last && sprout (m, m->last[depth])->parent == parent
      && strcmp (sprout (m, m->last[depth])->name, name) == 0)
    return m->last[depth];
  g_string_printf (m->key, "%u %s", parent, name);
  uint32_t number = GPOINTER_TO_UINT (g_hash_table_lookup (m->numbers, m->key->str));
  if (number == 0) {
    Sprout new = { .name = g_strdup (name), .parent = parent, .depth = depth };
    g_array_append_val (m->sprouts, new);
    number = m->sprouts->len;
    g_hash_table_insert (m->numbers, g_strdup (m->key->str), GUINT_TO_POINTER (number));
    if (parent == TRACE_NONE)
      g_array_append_vals (m->roots, &(uint32_t){ number - 1 }, 1);
    else
      views_groups_append (&sprout (m, parent)->below, number - 1);
  }
  m->last[depth] = number - 1;
  m->n_last = depth + 1;
  return number - 1;
}

/* "r03n12": what stands before the last number is the rack, where it has a number too. */
static const char *
rack_of (Maker *m, const char *host)
{
  size_t end = strlen (host), first;

  while (end > 0 && !g_ascii_isdigit (host[end - 1]))
    end--;
  while (end > 0 && g_ascii_isdigit (host[end - 1]))
    end--;
  while (end > 0 && !g_ascii_isdigit (host[end - 1])) /* the word for a node, and what sets it off */
    end--;
  for (first = 0; first < end && !g_ascii_isdigit (host[first]);)
    first++;
  if (first == 0 || end == 0 || strchr (host, '.') != NULL) /* an address, a domain */
    return NULL;
  g_string_assign (m->text, "");
  g_string_append_len (m->text, host, (gssize) end);
  return m->text->str;
}

/* Ids of the first and the last task of a block. */
static const char *
block_name (Maker *m, uint32_t first, uint32_t size)
{
  const TraceSource *s = m->from->source;
  uint32_t last = MIN (first + size, m->n_tasks) - 1;

  g_string_printf (m->text, "%s \u2013 %s", names_id (m->from->names, s, first), names_id (m->from->names, s, last));
  return m->text->str;
}

#define BLOCK 16u

/* Blocks of blocks, as long as there is more than one. */
static uint32_t
block_levels (uint32_t n)
{
  uint32_t levels = 1;

  for (uint64_t size = BLOCK; size * BLOCK < n; size *= BLOCK)
    levels++;
  return levels;
}

static bool
views_groups_matches (const Pattern *p, const char *text)
{
  return strncmp (p->text, text, p->n_plain) == 0 && fnmatch (p->text, text, 0) == 0;
}

/* The first line that says it counts. */
static const char *
hand_name (const Maker *m, uint32_t task)
{
  const char *id = names_id (m->from->names, m->from->source, task),
             *name = names_name (m->from->names, m->from->source, task);
  uint32_t by_id = GPOINTER_TO_UINT (g_hash_table_lookup (m->literals, id)) - 1,
           by_name = GPOINTER_TO_UINT (g_hash_table_lookup (m->literals, name)) - 1, line = MIN (by_id, by_name);
  bool by_its_id = strnlen (id, MATCHED_MOST) < MATCHED_MOST,
       by_its_name = name != id && strnlen (name, MATCHED_MOST) < MATCHED_MOST;

  for (guint i = 0; i < m->patterns->len; i++) {
    const Pattern *p = &g_array_index (m->patterns, Pattern, i);
    if (p->line >= line)
      break;
    if ((by_its_id && views_groups_matches (p, id)) || (by_its_name && views_groups_matches (p, name)))
      line = p->line;
  }
  return line < m->wanted->len ? m->wanted->pdata[line] : NULL;
}

/* What the group is called that a task is in, so many groups deep; NULL: it is in none there. */
static const char *
views_groups_name_at (Maker *m, uint32_t task, uint32_t depth)
{
  const GroupsFrom *f = m->from;
  const TraceTask *t;
  uint64_t size = BLOCK;
  const char *rack;

  switch (m->by) {
  case BY_HOST:
    rack = rack_of (m, names_host (f->names, f->source, task));
    return depth == 0 && rack != NULL          ? rack
           : depth == (rack != NULL ? 1u : 0u) ? names_host (f->names, f->source, task)
                                               : NULL;
  case BY_PROGRAM:
    return depth == 0 ? names_program (f->names, f->source, task) : NULL;
  case BY_GROUP:
    return depth == 0 ? names_group (f->names, f->source, task) : NULL;
  case BY_TYPE:
    t = trace_task (f->source, task);
    return depth > 0                                      ? NULL
           : t != NULL && t->type < f->source->types->len ? ((TraceType *) f->source->types->pdata[t->type])->name
                                                          : N_ ("no type");
  case BY_INSIDE:
  case BY_SPAWN:
    return kin_name (m->kin, task, depth);
  case BY_TOPOLOGY:
    return coordinates_name (m->coordinates, task, depth);
  case BY_BLOCKS:
    if (depth >= block_levels (m->n_tasks))
      return NULL;
    for (uint32_t i = block_levels (m->n_tasks) - 1; i > depth; i--)
      size *= BLOCK;
    return block_name (m, (uint32_t) (task / size * size), (uint32_t) MIN (size, UINT32_MAX));
  case BY_BEHAVIOUR:
    if (depth > 0)
      return NULL;
    return m->cluster[task] != TRACE_NONE ? m->likes->pdata[m->cluster[task]] : N_ ("not looked at yet");
  default:
    return depth == 0 ? hand_name (m, task) : NULL;
  }
}

static void
place_task (Maker *m, uint32_t task)
{
  uint32_t in = TRACE_NONE;

  for (uint32_t depth = 0; depth < GROUPS_DEEPEST; depth++) {
    const char *name = views_groups_name_at (m, task, depth);
    if (name == NULL)
      break;
    in = views_groups_inside_of (m, in, depth, name);
  }
  if (in == TRACE_NONE)
    g_array_append_val (m->loose, task);
  else
    views_groups_append (&sprout (m, in)->tasks, task);
}

/* A sprout and all inside of it, in order: its own tasks stand before its groups. */
static void
views_groups_take (const Maker *m, Groups *g, uint32_t i, uint32_t parent, uint32_t *n_order)
{
  const Sprout *s = sprout (m, i);
  uint32_t own = g->n++, n_tasks = s->tasks != NULL ? s->tasks->len : 0, n_below = s->below != NULL ? s->below->len : 0;

  g->all[own] = (Group){
    .name = g_strdup (s->name), .parent = parent, .first = *n_order, .n_members = n_tasks + n_below
  };
  if (n_tasks > 0)
    memcpy (g->order + *n_order, s->tasks->data, n_tasks * sizeof (uint32_t));
  *n_order += n_tasks;
  for (uint32_t k = 0; k < n_below; k++)
    views_groups_take (m, g, g_array_index (s->below, uint32_t, k), own, n_order);
  g->all[own].n = *n_order - g->all[own].first;
  g->all[own].end = g->n;
}

/* What is said between two commas.  Without wildcards it is looked up, not tried. */
static void
views_groups_read_one (Maker *m, const char *text, uint32_t line)
{
  size_t plain = strcspn (text, "\\*?[");

  g_string_assign (m->text, "");
  for (const char *c = text; *c != '\0'; c++) {
    if (strchr ("*?[", *c) != NULL && strlen (text) >= MATCHED_MOST) {
      m->too_long++;
      return;
    }
    if (strchr ("*?[", *c) != NULL) {
      Pattern p = { g_strdup (text), line, (uint32_t) plain };
      g_array_append_val (m->patterns, p);
      return;
    }
    c += *c == '\\' && c[1] != '\0';
    g_string_append_c (m->text, *c);
  }
  if (m->text->len > 0 && g_hash_table_lookup (m->literals, m->text->str) == NULL)
    g_hash_table_insert (m->literals, g_strdup (m->text->str), GUINT_TO_POINTER (line + 1));
}

/* "front = t40002, rank 1*": a line a group.  A backslash takes its meaning from what follows. */
static void
views_groups_read_hand (Maker *m)
{
  g_auto (GStrv) lines = g_strsplit (m->from->by_hand != NULL ? m->from->by_hand : "", "\n", -1);

  for (char **line = lines; *line != NULL; line++) {
    char *equal = strchr (g_strstrip (*line), '=');
    if (equal == NULL || (*line)[0] == '#')
      continue;
    *equal = '\0';
    g_ptr_array_add (m->wanted, g_strdup (g_strstrip (*line)));
    for (char *from = equal + 1, *to = from; from != NULL; from = to) {
      while (*to != '\0' && *to != ',')
        to += *to == '\\' && to[1] != '\0' ? 2 : 1;
      bool more = *to == ',';
      *to = '\0';
      to = more ? to + 1 : NULL;
      views_groups_read_one (m, g_strstrip (from), m->wanted->len - 1);
    }
  }
  uint32_t most = CLAMP (TRIES_MOST / MAX (m->n_tasks, 1), PATTERNS_LEAST, PATTERNS_MOST);
  if (m->patterns->len > most) {
    m->left_out = m->patterns->len - most;
    g_array_set_size (m->patterns, most);
  }
}

/* A cluster is called after the task that is most like all of it, with its id where two are called so. */
static void
name_clusters (Maker *m)
{
  const GroupsFrom *f = m->from;

  for (guint i = 0; i < m->likest->len; i++) {
    uint32_t task = g_array_index (m->likest, uint32_t, i);
    const char *name = names_name (f->names, f->source, task);
    bool again = false;
    for (guint k = 0; k < m->likest->len; k++)
      again |= k != i && strcmp (name, names_name (f->names, f->source, g_array_index (m->likest, uint32_t, k))) == 0;
    g_ptr_array_add (m->likes, again ? g_strdup_printf (_ ("like %s (%s)"), name, names_id (f->names, f->source, task))
                                     : g_strdup_printf (_ ("like %s"), name));
  }
}

static bool
make_ready (Maker *m, GError **error)
{
  const TraceSource *s = m->from->source;

  if (m->by == BY_HAND) {
    views_groups_read_hand (m);
    if (m->wanted->len == 0)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("no group was made by hand yet"));
    return m->wanted->len > 0;
  }
  if (m->by == BY_INSIDE || m->by == BY_SPAWN)
    m->kin = kin_new (m->from, m->n_tasks, m->by == BY_SPAWN ? KIN_SPAWN : KIN_INSIDE);
  if (m->by == BY_SPAWN && kin_is_empty (m->kin)) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("the trace does not tell who spawned whom"));
    return false;
  }
  if (m->by == BY_TOPOLOGY)
    return (m->coordinates = coordinates_new (m->from, m->n_tasks, error)) != NULL;
  if (m->by != BY_BEHAVIOUR)
    return true;
  if (m->from->states == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("what tasks did is not known yet: groups by behaviour need the film of the execution"));
    return false;
  }
  const GroupsClusters *all = m->from->clusters;
  if (all == NULL || all->n_tasks != m->n_tasks)
    all = m->found = groups_clusters_new (m->from->states, m->n_tasks, s->first, s->last, 1);
  m->cluster = all->of;
  m->likest = all->likest;
  name_clusters (m);
  return true;
}

/* Whether the trace says of no task where it belongs: one group "?" would tell nothing. */
static bool
nobody_knows (const Maker *m, GError **error)
{
  static const char *const what[] = { [BY_HOST] = "on which host its tasks are",
                                      [BY_PROGRAM] = "which programs its tasks run",
                                      [BY_GROUP] = "which groups its tasks join",
                                      [BY_TYPE] = "of which types its tasks are" };
  static const char *const unknown[] = {
    [BY_HOST] = "?", [BY_PROGRAM] = "?", [BY_GROUP] = "?", [BY_TYPE] = N_ ("no type")
  };

  if (m->by > BY_TYPE || m->roots->len != 1 || m->loose->len > 0
      || strcmp (sprout (m, g_array_index (m->roots, uint32_t, 0))->name, unknown[m->by]) != 0)
    return false;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("the trace does not tell %s"), what[m->by]);
  return true;
}

static Groups *
views_groups_grow (Maker *m, const char *hierarchy, GError **error)
{
  uint32_t n_order = 0;

  for (uint32_t i = 0; i < m->n_tasks; i++)
    place_task (m, i);
  if (nobody_knows (m, error))
    return NULL;
  Groups *g = g_new0 (Groups, 1);
  g->hierarchy = g_strdup (hierarchy);
  g->n_tasks = m->n_tasks;
  g->left_out = m->left_out;
  g->too_long = m->too_long;
  g->too_deep = m->kin != NULL ? kin_too_deep (m->kin) : 0;
  g->in_circle = m->kin != NULL ? kin_in_circle (m->kin) : 0;
  g->all = g_new0 (Group, m->sprouts->len + 1);
  g->order = g_new (uint32_t, m->n_tasks + 1);
  g->part_of = g_new0 (uint32_t, m->n_tasks + 1);
  g->parts = g_new0 (GroupPart, m->n_tasks + m->sprouts->len + 1);
  for (guint i = 0; i < m->roots->len; i++)
    views_groups_take (m, g, g_array_index (m->roots, uint32_t, i), TRACE_NONE, &n_order);
  if (m->loose->len > 0)
    memcpy (g->order + n_order, m->loose->data, m->loose->len * sizeof (uint32_t));
  return g;
}

Groups *
groups_new (const GroupsFrom *from, const char *hierarchy, GError **error)
{
  Maker m = { .from = from, .by = -1, .n_tasks = names_count (from->names, from->source) };
  Groups *g = NULL;

  for (int i = 0; groups_hierarchies[i] != NULL; i++)
    if (strcmp (groups_hierarchies[i], hierarchy) == 0)
      m.by = i;
  if (m.by < 0) {
    g_autofree char *all = g_strjoinv (", ", (char **) groups_hierarchies);
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("there is no hierarchy “%s”; there are %s"), hierarchy, all);
    return NULL;
  }
  m.sprouts = g_array_new (FALSE, TRUE, sizeof (Sprout));
  g_array_set_clear_func (m.sprouts, sprout_clear);
  m.numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  m.roots = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  m.loose = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  m.likes = g_ptr_array_new_with_free_func (g_free);
  m.literals = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  m.patterns = g_array_new (FALSE, FALSE, sizeof (Pattern));
  g_array_set_clear_func (m.patterns, pattern_clear);
  m.wanted = g_ptr_array_new_with_free_func (g_free);
  m.key = g_string_new (NULL);
  m.text = g_string_new (NULL);
  if (make_ready (&m, error))
    g = views_groups_grow (&m, groups_hierarchies[m.by], error);
  g_array_unref (m.sprouts);
  g_hash_table_unref (m.numbers);
  g_array_unref (m.roots);
  g_array_unref (m.loose);
  g_ptr_array_unref (m.likes);
  g_hash_table_unref (m.literals);
  g_array_unref (m.patterns);
  g_ptr_array_unref (m.wanted);
  g_string_free (m.key, TRUE);
  g_string_free (m.text, TRUE);
  groups_clusters_free (m.found);
  kin_free (m.kin);
  coordinates_free (m.coordinates);
  if (g != NULL)
    groups_recut (g);
  return g;
}

void
groups_free (Groups *g)
{
  if (g == NULL)
    return;
  for (uint32_t i = 0; i < g->n; i++)
    g_free (g->all[i].name);
  g_free (g->hierarchy);
  g_free (g->all);
  g_free (g->order);
  g_free (g->parts);
  g_free (g->part_of);
  g_free (g);
}
