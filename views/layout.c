/* SPDX-License-Identifier: Apache-2.0 */
#include "views/layout.h"
#include "eve/disk.h"
#include "readers/reader.h"
#include <graphviz/gvc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES (64 * DISK_MIB)
#define EDGES_A_VERTEX 6 /* more make a layout slow and no better: the heaviest stay */

static int
views_layout_by_weight (const void *a, const void *b)
{
  const LayoutEdge *x = a, *y = b;

  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return (x->to > y->to) - (x->to < y->to);
}

static void
put_edges (Agraph_t *g, Agnode_t **node, uint32_t n, const LayoutEdge *edges, uint32_t n_edges)
{
  g_autofree LayoutEdge *sorted = g_memdup2 (edges, n_edges * sizeof *edges);
  g_autofree uint32_t *degree = g_new0 (uint32_t, n + 1);

  if (n_edges > 1)
    qsort (sorted, n_edges, sizeof *sorted, views_layout_by_weight);
  for (uint32_t i = 0; i < n_edges; i++) {
    const LayoutEdge *e = &sorted[i];
    if (e->from == e->to || e->from >= n || e->to >= n
        || (degree[e->from] >= EDGES_A_VERTEX && degree[e->to] >= EDGES_A_VERTEX)
        || agedge (g, node[e->from], node[e->to], NULL, 0))
      continue;
    agedge (g, node[e->from], node[e->to], NULL, 1);
    degree[e->from]++;
    degree[e->to]++;
  }
}

static void
views_layout_normalise (uint32_t n, double *x, double *y, double *ratio)
{
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;

  for (uint32_t i = 0; i < n; i++) {
    x0 = MIN (x0, x[i]), x1 = MAX (x1, x[i]);
    y0 = MIN (y0, y[i]), y1 = MAX (y1, y[i]);
  }
  *ratio = x1 - x0 > 1 && y1 - y0 > 1 ? (x1 - x0) / (y1 - y0) : x1 - x0 > 1 ? 100 : y1 - y0 > 1 ? 0.01 : 1;
  for (uint32_t i = 0; i < n; i++) {
    x[i] = x1 - x0 > 1 ? (x[i] - x0) / (x1 - x0) : 0.5;
    y[i] = y1 - y0 > 1 ? (y1 - y[i]) / (y1 - y0) : 0.5;
  }
}

static void
circle (uint32_t n, double *x, double *y)
{
  for (uint32_t i = 0; i < n; i++) {
    double angle = 2 * G_PI * (i + 0.5) / n;
    x[i] = -1000 * cos (angle);
    y[i] = 1000 * sin (angle);
  }
}

/* The graph, with what all layouts set. */
static Agraph_t *
new_graph (uint32_t n, Agnode_t **node, const LayoutEdge *edges, uint32_t n_edges)
{
  Agraph_t *g = agopen ((char *) "layout", Agstrictundirected, NULL);

  agseterr (AGMAX);
  agattr (g, AGRAPH, (char *) "start", (char *) "7");
  agattr (g, AGNODE, (char *) "width", (char *) "0.6");
  agattr (g, AGNODE, (char *) "height", (char *) "0.6");
  agattr (g, AGNODE, (char *) "fixedsize", (char *) "true");
  agattr (g, AGNODE, (char *) "label", (char *) "");
  agattr (g, AGNODE, (char *) "shape", (char *) "circle");
  for (uint32_t i = 0; i < n; i++) {
    char name[16];
    g_snprintf (name, sizeof name, "%u", i);
    node[i] = agnode (g, name, 1);
  }
  put_edges (g, node, n, edges, n_edges);
  return g;
}

#define PART_OF_POINT 1024.0 /* places are parts of it, as no eye can tell, */
#define PART_OF_INCH 65536.0 /* and in space of an inch */

/* What Graphviz computes hangs on addresses in its last digits: they are others in each process, and so would some
 * pixels be. */
static double
layout_snap (double at, double parts)
{
  return rint (at * parts) / parts;
}

static GVC_t *
the_context (void)
{
  static GVC_t *context; /* its plugins are loaded once */

  if (context == NULL)
    context = gvContext ();
  return context;
}

bool
layout_compute (const char *algorithm, uint32_t n, const LayoutEdge *edges, uint32_t n_edges, double *x, double *y,
                double *ratio)
{
  g_autofree Agnode_t **node = g_new (Agnode_t *, n + 1);
  Agraph_t *g = new_graph (n, node, edges, n_edges);
  bool ok = false;

  agattr (g, AGRAPH, (char *) "overlap", (char *) "false");
  agattr (g, AGRAPH, (char *) "splines", (char *) "false");
  agattr (g, AGRAPH, (char *) "sep", (char *) "+8");
  agattr (g, AGRAPH, (char *) "nodesep", (char *) "0.4");
  if (n > 0 && agnedges (g) > 0 && gvLayout (the_context (), g, algorithm) == 0) {
    for (uint32_t i = 0; i < n; i++) {
      x[i] = layout_snap (ND_coord (node[i]).x, PART_OF_POINT);
      y[i] = layout_snap (ND_coord (node[i]).y, PART_OF_POINT);
    }
    gvFreeLayout (the_context (), g);
    ok = true;
  } else {
    circle (n, x, y);
  }
  agclose (g);
  views_layout_normalise (n, x, y, ratio);
  return ok;
}

bool
layout_compute_space (const char *algorithm, uint32_t n, const LayoutEdge *edges, uint32_t n_edges, double (*at)[3])
{
  g_autofree Agnode_t **node = g_new (Agnode_t *, n + 1);
  Agraph_t *g = new_graph (n, node, edges, n_edges);
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  bool ok = false;

  agattr (g, AGRAPH, (char *) "dim", (char *) "3");
  agattr (g, AGRAPH, (char *) "dimen", (char *) "3");
  agattr (g, AGRAPH, (char *) "overlap", (char *) "true"); /* else what it does about it is in the plane */
  agattr (g, AGRAPH, (char *) "splines", (char *) "none");
  if (n > 0 && agnedges (g) > 0 && gvLayout (the_context (), g, algorithm) == 0) {
    for (uint32_t i = 0; i < n; i++)
      for (int k = 0; k < 3; k++) {
        at[i][k] = layout_snap (ND_pos (node[i])[k], PART_OF_INCH);
        low[k] = fmin (low[k], at[i][k]);
        high[k] = fmax (high[k], at[i][k]);
      }
    gvFreeLayout (the_context (), g);
    ok = true;
  }
  agclose (g);
  for (uint32_t i = 0; ok && i < n; i++)
    for (int k = 0; k < 3; k++)
      at[i][k] -= (low[k] + high[k]) / 2;
  return ok;
}

/* ---- kept positions ------------------------------------------------------------------------------------ */

static const char *
views_layout_file_of (int n_axes)
{
  return n_axes == 2 ? "layout" : "layout-3d";
}

static char *
of_user (const char *bundle, int n_axes)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA1, bundle, -1),
                  *name = g_strconcat (sum, n_axes == 2 ? NULL : "-3d", NULL);

  return g_build_filename (g_get_user_data_dir (), "scope", "layouts", name, NULL);
}

/* Whether a number of a file is a place. */
static bool
views_layout_is_place (double x, int n_axes)
{
  return n_axes == 2 ? fabs (x - 0.5) <= 1 : fabs (x) <= LAYOUT_FAR;
}

GHashTable *
layout_read (const char *bundle, int n_axes)
{
  GHashTable *found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *text = NULL;
  size_t n = 0;

  if (bundle == NULL)
    return found;
  g_autofree char *mine = of_user (bundle, n_axes),
                  *theirs = g_build_filename (bundle, views_layout_file_of (n_axes), NULL);
  if (!(text = disk_read (mine, NULL, MOST_BYTES, &n, NULL))
      && !(text = disk_read (theirs, bundle, MOST_BYTES, &n, NULL)))
    return found;
  for (char *line = text, *next; line != NULL; line = next) {
    next = disk_end_line (line, text + n);
    if (*line == '#' || *line == '\0')
      continue;
    g_auto (GStrv) words = g_strsplit (line, " ", n_axes + 2); /* one more is too many */
    double at[3];
    bool ok = g_strv_length (words) == (guint) n_axes + 1;
    for (int i = 0; ok && i < n_axes; i++) {
      at[i] = g_ascii_strtod (words[1 + i], NULL);
      ok = views_layout_is_place (at[i], n_axes);
    }
    if (ok)
      g_hash_table_insert (found, g_strdup (words[0]), g_memdup2 (at, sizeof at));
  }
  return found;
}

bool
layout_write (const char *bundle, int n_axes, char *const *ids, const double *const *at, uint32_t n, GError **error)
{
  g_autoptr (GString) text = g_string_new (n_axes == 2 ? "# positions of tasks: id, x and y from 0 to 1\n"
                                                       : "# positions of tasks in space: id, x, y and z; up is z\n");
  g_autofree char *path = g_build_filename (bundle, views_layout_file_of (n_axes), NULL),
                  *mine = of_user (bundle, n_axes);

  for (uint32_t i = 0; i < n; i++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append (text, ids[i]);
    for (int k = 0; k < n_axes; k++)
      g_string_append_printf (text, " %s", g_ascii_formatd (number, sizeof number, "%.5f", at[k][i]));
    g_string_append_c (text, '\n');
  }
  if (!trace_is_foreign (bundle) && access (bundle, W_OK) == 0) {
    unlink (mine); /* the bundle's own is the newer one now */
    return g_file_set_contents (path, text->str, (gssize) text->len, error);
  }
  g_autofree char *folder = g_path_get_dirname (mine);
  g_mkdir_with_parents (folder, 0777);
  return g_file_set_contents (mine, text->str, (gssize) text->len, error);
}
