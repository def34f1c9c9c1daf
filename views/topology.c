/* SPDX-License-Identifier: Apache-2.0 */
#include "views/topology.h"
#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/pair.h"
#include "readers/reader.h"

#define HEAD "topology 1"
#define FILE_MOST (4 * DISK_MIB)
#define NODES_MOST 4096u
#define WIRES_MOST 16384u
#define ROUTES_MOST 65536u
#define TRIES_MOST 10000000u /* of patterns with tasks */
#define PATTERN_MOST 64u     /* bytes: matching costs as much as both lengths multiplied */
#define MATCHED_MOST 1024u   /* of a name */

typedef struct On {
  uint32_t node;
  char *task; /* an id, a nickname, or a pattern */
} On;

struct Topology {
  GPtrArray *names;    /* of char * */
  GHashTable *by_name; /* -> node + 1 */
  GArray *at;          /* of double[2]; NaN: none is said */
  GArray *wires;       /* of TopologyWire */
  GHashTable *wire_of; /* pair, the lower node first -> wire + 1 */
  GArray *on;          /* of On */
  GHashTable *routes;  /* pair -> GArray of nodes */
  uint32_t **before; /* by node: of each other the node before it on the way from this one; NULL: not looked for yet */
  uint32_t *first, *next_to; /* neighbours of each node, in the order of the wires */
};

static void
views_topology_on_clear (gpointer on)
{
  g_free (((On *) on)->task);
}

static Topology *
topology_new (void)
{
  Topology *t = g_new0 (Topology, 1);

  t->names = g_ptr_array_new_with_free_func (g_free);
  t->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  t->at = g_array_new (FALSE, FALSE, 2 * sizeof (double));
  t->wires = g_array_new (FALSE, FALSE, sizeof (TopologyWire));
  t->wire_of = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  t->on = g_array_new (FALSE, FALSE, sizeof (On));
  g_array_set_clear_func (t->on, views_topology_on_clear);
  t->routes = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, (GDestroyNotify) g_array_unref);
  return t;
}

void
topology_free (Topology *t)
{
  if (t == NULL)
    return;
  for (guint i = 0; t->before != NULL && i < t->names->len; i++)
    g_free (t->before[i]);
  g_free (t->before);
  g_free (t->first);
  g_free (t->next_to);
  g_hash_table_unref (t->by_name);
  g_hash_table_unref (t->wire_of);
  g_hash_table_unref (t->routes);
  g_ptr_array_unref (t->names);
  g_array_unref (t->at);
  g_array_unref (t->wires);
  g_array_unref (t->on);
  g_free (t);
}

static gint64 *
pair_key (uint32_t from, uint32_t to)
{
  gint64 key = (gint64) ((uint64_t) from << 32 | to);

  return g_memdup2 (&key, sizeof key);
}

uint32_t
topology_wire (const Topology *t, uint32_t a, uint32_t b)
{
  gint64 key = (gint64) ((uint64_t) MIN (a, b) << 32 | MAX (a, b));
  gpointer wire = g_hash_table_lookup (t->wire_of, &key);

  return wire != NULL ? GPOINTER_TO_UINT (wire) - 1 : TRACE_NONE;
}

/* ---- reading ----------------------------------------------------------------------------------------------------------------- */

static bool
views_topology_add_node (Topology *t, const char *name, double x, double y, char **wrong)
{
  double at[2] = { x, y };

  if (g_hash_table_contains (t->by_name, name))
    *wrong = g_strdup_printf (_ ("the node “%s” is there already"), name);
  else if (t->names->len >= NODES_MOST)
    *wrong = g_strdup_printf (_ ("more than %u nodes"), NODES_MOST);
  if (*wrong != NULL)
    return false;
  g_ptr_array_add (t->names, g_strdup (name));
  g_hash_table_insert (t->by_name, t->names->pdata[t->names->len - 1], GUINT_TO_POINTER (t->names->len));
  g_array_append_val (t->at, at);
  return true;
}

/* A node of that name; one that no line has told of is made. */
static uint32_t
node_called (Topology *t, const char *name, bool make, char **wrong)
{
  gpointer known = g_hash_table_lookup (t->by_name, name);

  if (known != NULL)
    return GPOINTER_TO_UINT (known) - 1;
  if (make)
    return views_topology_add_node (t, name, NAN, NAN, wrong) ? t->names->len - 1 : 0;
  *wrong = g_strdup_printf (_ ("no node is called “%s”"), name);
  return 0;
}

static void
read_node (Topology *t, char **words, guint n, char **wrong)
{
  double at[2] = { NAN, NAN };

  if (n != 2 && n != 4)
    *wrong = g_strdup (_ ("a node is written as: node NAME, or node NAME X Y"));
  for (guint i = 0; n == 4 && i < 2 && *wrong == NULL; i++) {
    char *end;
    at[i] = g_ascii_strtod (words[2 + i], &end);
    if (*end != '\0' || !(at[i] >= 0 && at[i] <= 1))
      *wrong = g_strdup_printf (_ ("“%s” is no place: these are from 0 to 1"), words[2 + i]);
  }
  if (*wrong == NULL)
    views_topology_add_node (t, words[1], at[0], at[1], wrong);
}

static void
views_topology_read_wire (Topology *t, char **words, guint n, char **wrong)
{
  uint32_t a = 0, b = 0;

  if (n != 3)
    *wrong = g_strdup (_ ("a wire is written as: wire NODE NODE"));
  if (*wrong == NULL)
    a = node_called (t, words[1], true, wrong);
  if (*wrong == NULL)
    b = node_called (t, words[2], true, wrong);
  if (*wrong == NULL && a == b)
    *wrong = g_strdup_printf (_ ("a wire from “%s” to itself"), words[1]);
  if (*wrong == NULL && t->wires->len >= WIRES_MOST)
    *wrong = g_strdup_printf (_ ("more than %u wires"), WIRES_MOST);
  if (*wrong != NULL || topology_wire (t, a, b) != TRACE_NONE) /* told twice */
    return;
  TopologyWire wire = { a, b };
  g_array_append_val (t->wires, wire);
  g_hash_table_insert (t->wire_of, pair_key (MIN (a, b), MAX (a, b)), GUINT_TO_POINTER (t->wires->len));
}

static bool
is_pattern (const char *task)
{
  return strpbrk (task, "*?[") != NULL;
}

static bool
views_topology_matches (const char *pattern, const char *name)
{
  return strnlen (name, MATCHED_MOST) < MATCHED_MOST && fnmatch (pattern, name, 0) == 0;
}

static void
read_on (Topology *t, char **words, guint n, char **wrong)
{
  if (n < 3) {
    *wrong = g_strdup (_ ("where tasks are is written as: on NODE TASK TASK …"));
    return;
  }
  uint32_t node = node_called (t, words[1], true, wrong);
  for (guint i = 2; *wrong == NULL && i < n; i++) {
    if (is_pattern (words[i]) && strlen (words[i]) > PATTERN_MOST) {
      *wrong = g_strdup_printf (_ ("a pattern is at most %u bytes long"), PATTERN_MOST);
      return;
    }
    On on = { node, g_strdup (words[i]) };
    g_array_append_val (t->on, on);
  }
}

/* The way there, and, unless a line tells of that one, the way back. */
static void
keep_route (Topology *t, GArray *way, bool told)
{
  gint64 *key = pair_key (g_array_index (way, uint32_t, 0), g_array_index (way, uint32_t, way->len - 1));

  if (told || !g_hash_table_contains (t->routes, key))
    g_hash_table_insert (t->routes, key, g_array_ref (way));
  else
    g_free (key);
}

static void
read_route (Topology *t, char **words, guint n, GPtrArray *back, char **wrong)
{
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  if (n < 3)
    *wrong = g_strdup (_ ("a route is written as: route NODE NODE … NODE"));
  else if (g_hash_table_size (t->routes) >= ROUTES_MOST)
    *wrong = g_strdup_printf (_ ("more than %u routes"), ROUTES_MOST);
  for (guint i = 1; *wrong == NULL && i < n; i++) {
    uint32_t node = node_called (t, words[i], false, wrong);
    if (*wrong == NULL && i > 1 && topology_wire (t, g_array_index (way, uint32_t, i - 2), node) == TRACE_NONE)
      *wrong = g_strdup_printf (_ ("no wire joins “%s” and “%s”: lines of wires stand before routes"), words[i - 1],
                                words[i]);
    g_array_append_val (way, node);
  }
  if (*wrong != NULL)
    return;
  keep_route (t, way, true);
  GArray *turned = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (guint i = way->len; i-- > 0;)
    g_array_append_val (turned, g_array_index (way, uint32_t, i));
  g_ptr_array_add (back, turned);
}

static void
views_topology_read_line (Topology *t, const char *line, GPtrArray *back, char **wrong)
{
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) error = NULL;
  int n = 0;

  if (!g_shell_parse_argv (line, &n, &words, &error)) {
    if (!g_error_matches (error, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
      *wrong = g_strdup (error->message);
    return; /* else a comment alone */
  }
  if (strcmp (words[0], "node") == 0)
    read_node (t, words, (guint) n, wrong);
  else if (strcmp (words[0], "wire") == 0)
    views_topology_read_wire (t, words, (guint) n, wrong);
  else if (strcmp (words[0], "on") == 0)
    read_on (t, words, (guint) n, wrong);
  else if (strcmp (words[0], "route") == 0)
    read_route (t, words, (guint) n, back, wrong);
  else
    *wrong = g_strdup_printf (_ ("“%s” begins no line: these begin with node, wire, on or route"), words[0]);
}

/* Of each node those that it is joined to, one behind the other. */
static void
find_neighbours (Topology *t)
{
  uint32_t n = t->names->len;
  const TopologyWire *wires = (const TopologyWire *) (const void *) t->wires->data;

  t->before = g_new0 (uint32_t *, n + 1);
  t->first = g_new0 (uint32_t, n + 2);
  t->next_to = g_new (uint32_t, 2 * t->wires->len + 1);
  for (guint i = 0; i < t->wires->len; i++)
    t->first[wires[i].a + 1]++, t->first[wires[i].b + 1]++;
  for (uint32_t i = 0; i < n; i++)
    t->first[i + 1] += t->first[i];
  g_autofree uint32_t *to = g_memdup2 (t->first, (n + 1) * sizeof *to);
  for (guint i = 0; i < t->wires->len; i++) {
    t->next_to[to[wires[i].a]++] = wires[i].b;
    t->next_to[to[wires[i].b]++] = wires[i].a;
  }
}

Topology *
topology_parse (const char *text, const char *name, char **problem)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GPtrArray) back = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  Topology *t = topology_new ();
  char *wrong = g_utf8_validate (text, -1, NULL) ? NULL : g_strdup (_ ("no text in UTF-8"));
  bool begun = false;
  guint i;

  for (i = 0; wrong == NULL && lines[i] != NULL; i++) {
    const char *line = g_strstrip (lines[i]);
    if (*line == '\0' || *line == '#')
      continue;
    if (begun)
      views_topology_read_line (t, line, back, &wrong);
    else if (!(begun = strcmp (line, HEAD) == 0))
      wrong = g_strdup_printf (_ ("a topology begins with the line “%s”"), HEAD);
  }
  if (wrong == NULL && t->names->len == 0)
    wrong = g_strdup (_ ("no node is told of"));
  if (wrong != NULL) {
    *problem = g_strdup_printf (_ ("%s, line %u: %s"), name, MAX (i, 1), wrong);
    g_free (wrong);
    topology_free (t);
    return NULL;
  }
  for (guint k = 0; k < back->len; k++)
    keep_route (t, back->pdata[k], false);
  find_neighbours (t);
  return t;
}

Topology *
topology_read (const char *bundle, char **problem)
{
  bool folder = bundle != NULL && g_file_test (bundle, G_FILE_TEST_IS_DIR);
  g_autofree char *path = bundle == NULL ? NULL
                          : folder       ? g_build_filename (bundle, "topology", NULL)
                                         : g_strconcat (bundle, ".topology", NULL);
  g_autoptr (GError) error = NULL;
  size_t n = 0;

  *problem = NULL;
  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  g_autofree char *text = disk_read (path, folder ? bundle : NULL, FILE_MOST, &n, &error);
  if (text == NULL) {
    *problem = g_strdup (error->message);
    return NULL;
  }
  return topology_parse (strlen (text) == n ? text : "\xff", "topology", problem);
}

/* ---- what it tells ------------------------------------------------------------------------------------------------------------ */

uint32_t
topology_n (const Topology *t)
{
  return t->names->len;
}

const char *
topology_name (const Topology *t, uint32_t node)
{
  return t->names->pdata[node];
}

bool
topology_place (const Topology *t, uint32_t node, double *x, double *y)
{
  const double *at = (const double *) (const void *) t->at->data;

  for (guint i = 0; i < t->names->len; i++)
    if (isnan (at[2 * i]))
      return false;
  *x = at[2 * node];
  *y = at[2 * node + 1];
  return true;
}

const TopologyWire *
topology_wires (const Topology *t, uint32_t *n)
{
  *n = t->wires->len;
  return (const TopologyWire *) (const void *) t->wires->data;
}

uint32_t *
topology_nodes_of_tasks (const Topology *t, const Names *names, const TraceSource *source, uint32_t n_tasks)
{
  uint32_t *node = g_new (uint32_t, n_tasks + 1), n_patterns = 0, most = TRIES_MOST / MAX (n_tasks, 1);
  g_autoptr (GHashTable) plain = g_hash_table_new (g_str_hash, g_str_equal); /* -> line + 1; the first that says so */

  for (guint i = t->on->len; i-- > 0;) {
    const On *on = &g_array_index (t->on, On, i);
    if (!is_pattern (on->task))
      g_hash_table_insert (plain, on->task, GUINT_TO_POINTER (on->node + 1));
  }
  for (uint32_t i = 0; i < n_tasks; i++) {
    const char *id = names_id (names, source, i), *name = names_name (names, source, i);
    gpointer told = g_hash_table_lookup (plain, id);
    told = told != NULL ? told : g_hash_table_lookup (plain, name);
    node[i] = told != NULL ? GPOINTER_TO_UINT (told) - 1 : TRACE_NONE;
  }
  for (guint k = 0; k < t->on->len && n_patterns < most; k++) {
    const On *on = &g_array_index (t->on, On, k);
    if (!is_pattern (on->task))
      continue;
    n_patterns++;
    for (uint32_t i = 0; i < n_tasks; i++)
      if (node[i] == TRACE_NONE
          && (views_topology_matches (on->task, names_id (names, source, i))
              || views_topology_matches (on->task, names_name (names, source, i))))
        node[i] = on->node;
  }
  for (uint32_t i = 0; i < n_tasks; i++) {
    gpointer host = node[i] == TRACE_NONE ? g_hash_table_lookup (t->by_name, names_host (names, source, i)) : NULL;
    if (host != NULL)
      node[i] = GPOINTER_TO_UINT (host) - 1;
  }
  return node;
}

/* Nearest first, of equally near ones those whose wires are told of first. */
static uint32_t *
look_for_ways (const Topology *t, uint32_t from)
{
  uint32_t n = t->names->len, *before = g_new (uint32_t, n + 1), head = 0, tail = 0;
  g_autofree uint32_t *queue = g_new (uint32_t, n + 1);

  memset (before, 0xff, (n + 1) * sizeof *before);
  before[from] = from;
  queue[tail++] = from;
  while (head < tail) {
    uint32_t at = queue[head++];
    for (uint32_t i = t->first[at]; i < t->first[at + 1]; i++)
      if (before[t->next_to[i]] == TRACE_NONE) {
        before[t->next_to[i]] = at;
        queue[tail++] = t->next_to[i];
      }
  }
  return before;
}

const uint32_t *
topology_route (Topology *t, uint32_t from, uint32_t to, uint32_t *n)
{
  gint64 key = (gint64) ((uint64_t) from << 32 | to);
  GArray *way = g_hash_table_lookup (t->routes, &key);

  if (way == NULL) {
    if (t->before[from] == NULL)
      t->before[from] = look_for_ways (t, from);
    const uint32_t *before = t->before[from];
    if (before[to] == TRACE_NONE)
      return NULL;
    way = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    for (uint32_t at = to; at != from; at = before[at])
      g_array_prepend_val (way, at);
    g_array_prepend_val (way, from);
    g_hash_table_insert (t->routes, pair_key (from, to), way);
  }
  *n = way->len;
  return (const uint32_t *) (const void *) way->data;
}
