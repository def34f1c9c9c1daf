/* SPDX-License-Identifier: Apache-2.0 */
/* groups-cut.c - which groups are open, what is a part therefore, and both as text. */
#include <string.h>
#include "eve/words.h"
#include "views/groups-private.h"

static uint64_t serials;

/* ---- the cut ----------------------------------------------------------------------------------------------------------------- */

static void
groups_cut_add_part (Groups *g, uint32_t group, uint32_t first, uint32_t n, uint32_t inside)
{
  for (uint32_t k = 0; k < n; k++)
    g->part_of[g->order[first + k]] = g->n_parts;
  g->parts[g->n_parts++] = (GroupPart){ group, first, n, inside };
}

static void
add_tasks (Groups *g, uint32_t from, uint32_t to, uint32_t inside)
{
  for (uint32_t k = from; k < to; k++)
    groups_cut_add_part (g, TRACE_NONE, k, 1, inside);
}

/* The parts anew, after some were opened or closed. */
void
groups_recut (Groups *g)
{
  uint32_t next = 0, at = 0; /* group, and task in `order` */

  g->n_parts = 0;
  while (next < g->n) {
    const Group *one = &g->all[next];
    /* tasks before it are of the group that it is inside of, or of none */
    add_tasks (g, at, one->first, one->parent);
    at = one->first;
    if (!one->open) {
      groups_cut_add_part (g, one->n > 1 ? next : TRACE_NONE, one->first, one->n, one->parent);
      at = one->first + one->n;
      next = one->end;
      continue;
    }
    next++;
    if (next == one->end) { /* tasks alone */
      add_tasks (g, at, one->first + one->n, (uint32_t) (one - g->all));
      at = one->first + one->n;
    } else {
      add_tasks (g, at, g->all[next].first, (uint32_t) (one - g->all));
      at = g->all[next].first;
    }
  }
  add_tasks (g, at, g->n_tasks, TRACE_NONE);
  g->serial = ++serials;
}

void
groups_open (Groups *g, uint32_t group, bool open)
{
  if (group >= g->n || g->all[group].open == open)
    return;
  g->all[group].open = open;
  groups_recut (g);
}

/* Whether all that it is inside of is open. */
static bool
can_be_seen (const Groups *g, uint32_t group)
{
  for (uint32_t up = g->all[group].parent; up != TRACE_NONE; up = g->all[up].parent)
    if (!g->all[up].open)
      return false;
  return true;
}

void
groups_open_evenly (Groups *g, bool open)
{
  g_autofree bool *change = g_new0 (bool, g->n + 1);

  for (uint32_t i = 0; i < g->n; i++) {
    change[i] = can_be_seen (g, i) && g->all[i].open != open;
    for (uint32_t k = i + 1; !open && change[i] && k < g->all[i].end; k++)
      change[i] &= !g->all[k].open; /* the innermost ones */
  }
  for (uint32_t i = 0; i < g->n; i++)
    if (change[i])
      g->all[i].open = open;
  groups_recut (g);
}

/* A closed group, and what is lost while it is. */
typedef struct Loss {
  double loss;
  uint32_t group;
} Loss;

static bool
is_more (Loss a, Loss b)
{
  return a.loss > b.loss || (a.loss == b.loss && a.group < b.group);
}

/* A heap: the one that loses most stands first. */
static void
heap_add (GArray *heap, Loss new)
{
  Loss *all;
  guint i = heap->len;

  g_array_append_val (heap, new);
  all = (Loss *) (void *) heap->data;
  for (; i > 0 && is_more (new, all[(i - 1) / 2]); i = (i - 1) / 2)
    all[i] = all[(i - 1) / 2];
  all[i] = new;
}

static Loss
heap_take (GArray *heap)
{
  Loss *all = (Loss *) (void *) heap->data, first = all[0], last = all[heap->len - 1];
  guint n = heap->len - 1, i = 0;

  for (guint down; (down = 2 * i + 1) < n; i = down) {
    down += down + 1 < n && is_more (all[down + 1], all[down]);
    if (!is_more (all[down], last))
      break;
    all[i] = all[down];
  }
  all[i] = last;
  g_array_set_size (heap, n);
  return first;
}

void
groups_open_best (Groups *g, const GroupsFrom *from, uint32_t most)
{
  g_autofree double *loss = groups_losses (g, from);
  g_autoptr (GArray) closed = g_array_new (FALSE, FALSE, sizeof (Loss));
  uint32_t n = 0;

  for (uint32_t i = 0; i < g->n; i = g->all[i].end)
    n++;
  n += g->n_tasks - (g->n > 0 ? g->all[g->n - 1].first + g->all[g->n - 1].n : 0);
  for (uint32_t i = 0; i < g->n; i++) {
    g->all[i].open = false;
    if (g->all[i].parent == TRACE_NONE)
      heap_add (closed, (Loss){ loss[i], i });
  }
  while (closed->len > 0) {
    Loss most_lost = heap_take (closed);
    uint32_t i = most_lost.group;
    if (most_lost.loss <= 1e-9)
      break;
    if (n + g->all[i].n_members - 1 > most) /* nor will it have room when more are open */
      continue;
    n += g->all[i].n_members - 1;
    g->all[i].open = true;
    for (uint32_t in = i + 1; in < g->all[i].end; in = g->all[in].end)
      heap_add (closed, (Loss){ loss[in], in });
  }
  groups_recut (g);
}

/* ---- as text ------------------------------------------------------------------------------------------------------------------- */

char *
groups_hierarchy_of (const char *cut)
{
  const char *end;

  if (cut == NULL || !g_str_has_prefix (cut, "by "))
    return NULL;
  end = strchr (cut, '\n');
  return g_strstrip (end != NULL ? g_strndup (cut + 3, (gsize) (end - cut - 3)) : g_strdup (cut + 3));
}

/* Path -> number of the group, from 1; of two with one path the first. */
static GHashTable *
by_path (const Groups *g)
{
  GHashTable *paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (uint32_t i = 0; i < g->n; i++) {
    GString *path = g_string_new (NULL);
    groups_path (g, i, path);
    if (g_hash_table_contains (paths, path->str))
      g_string_free (path, TRUE);
    else
      g_hash_table_insert (paths, g_string_free (path, FALSE), GUINT_TO_POINTER (i + 1));
  }
  return paths;
}

void
groups_cut (Groups *g, const GroupsFrom *from, const char *cut, GString *unknown)
{
  g_auto (GStrv) lines = g_strsplit (cut, "\n", -1);
  g_autoptr (GHashTable) paths = NULL;
  uint64_t most = 0;

  for (uint32_t i = 0; i < g->n; i++)
    g->all[i].open = false;
  for (char **line = lines; *line != NULL; line++) {
    if (g_str_has_prefix (g_strstrip (*line), "parts "))
      most = g_ascii_strtoull (*line + 6, NULL, 10);
    if (strcmp (*line, "all open") == 0)
      for (uint32_t i = 0; i < g->n; i++)
        g->all[i].open = true;
    if (!g_str_has_prefix (*line, "open "))
      continue;
    paths = paths != NULL ? paths : by_path (g);
    uint32_t group = GPOINTER_TO_UINT (g_hash_table_lookup (paths, *line + 5));
    if (group > 0)
      g->all[group - 1].open = true;
    else if (unknown != NULL)
      g_string_append_printf (unknown, "%s%s", unknown->len > 0 ? ", " : "", *line + 5);
  }
  if (most > 0)
    groups_open_best (g, from, (uint32_t) MIN (most, UINT32_MAX));
  else
    groups_recut (g);
}

char *
groups_text (const Groups *g)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "by %s\n", g->hierarchy);
  for (uint32_t i = 0; i < g->n; i++)
    if (g->all[i].open) {
      g_string_append (text, "open ");
      groups_path (g, i, text);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

void
groups_path (const Groups *g, uint32_t group, GString *to)
{
  if (group >= g->n)
    return;
  if (g->all[group].parent != TRACE_NONE) {
    groups_path (g, g->all[group].parent, to);
    g_string_append (to, " / ");
  }
  g_string_append (to, g->all[group].name);
}

uint32_t
groups_find (const Groups *g, const char *path)
{
  g_autoptr (GString) own = g_string_new (NULL);
  size_t length = strlen (path);

  for (uint32_t i = 0; i < g->n; i++) {
    size_t end = strlen (g->all[i].name);
    if (end > length || strcmp (path + length - end, g->all[i].name) != 0) /* the last of its names decides, mostly */
      continue;
    g_string_truncate (own, 0);
    groups_path (g, i, own);
    if (strcmp (own->str, path) == 0)
      return i;
  }
  return TRACE_NONE;
}

char *
groups_name_of (const char *name, uint32_t shown, uint32_t all)
{
  return shown == all ? g_strdup_printf ("%s (%u)", name, all)
                      : g_strdup_printf (_ ("%s (%u of %u)"), name, shown, all);
}

char *
groups_part_name (const Groups *g, uint32_t part)
{
  const GroupPart *p = &g->parts[part];

  return p->group != TRACE_NONE ? groups_name_of (g->all[p->group].name, p->n, p->n) : NULL;
}

uint32_t
groups_around (const Groups *g, const TraceRefs *refs, uint16_t source, bool *exact)
{
  g_autofree uint32_t *place = NULL; /* of a task in the order */
  g_autofree bool *met = NULL;
  uint32_t low = UINT32_MAX, high = 0, n = 0, best = TRACE_NONE;

  *exact = false;
  for (uint32_t i = 0; i < trace_refs_n (refs); i++) {
    TraceRef r = trace_refs_at (refs, i);
    uint32_t ends[2] = { r.id, r.id };
    if (r.source != source || (r.type != TRACE_REF_TASK && !trace_ref_ends (r, &ends[0], &ends[1])))
      continue;
    if (place == NULL) {
      place = g_new (uint32_t, g->n_tasks + 1);
      met = g_new0 (bool, g->n_tasks + 1);
      for (uint32_t k = 0; k < g->n_tasks; k++)
        place[g->order[k]] = k;
    }
    for (int k = 0; k < 2; k++)
      if (ends[k] < g->n_tasks) {
        low = MIN (low, place[ends[k]]);
        high = MAX (high, place[ends[k]]);
        n += !met[ends[k]]; /* a task that is met again, or that has a link too, counts once */
        met[ends[k]] = true;
      }
  }
  for (uint32_t i = 0; n > 0 && i < g->n; i++)
    if (g->all[i].first <= low && high < g->all[i].first + g->all[i].n)
      best = i; /* those inside of it come later */
  *exact = best != TRACE_NONE && g->all[best].n == n;
  /* of groups that are each other's only member the outermost that is closed is meant, which is the one that is seen */
  while (*exact && g->all[best].parent != TRACE_NONE && g->all[g->all[best].parent].n == n && !can_be_seen (g, best))
    best = g->all[best].parent;
  return best;
}
