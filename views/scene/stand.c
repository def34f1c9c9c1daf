/* SPDX-License-Identifier: Apache-2.0 */
/* stand.c - where the nodes of the state graph stand: a layout says, over it the file of the bundle, over it what was
 * moved by hand; and they glide there, where a person looks. */
#include <math.h>
#include <string.h>
#include "eve/words.h"
#include "views/layout.h"
#include "views/scene/scene.h"
#include "views/ties.h"

#define GLIDE_MS 250   /* from a place to the next; */
#define HURRY_MS 400   /* but if the next comes within this, as when time is played, they are there at once */
#define LAID_AGAIN 150 /* nodes: so few are laid out again each time the film knows more of what goes between them */

/* ---- what goes between them ------------------------------------------------------------------------------------------------- */

static LayoutTie *
stand_ties_of (const SceneView *v, const ViewScene *scene, const SceneStand *s, uint32_t *n)
{
  uint32_t n_tasks = names_count (v->names, scene->source);
  g_autofree uint32_t *row_of = g_new (uint32_t, n_tasks + 1);

  memset (row_of, 0xff, n_tasks * sizeof *row_of);
  for (uint32_t row = 0; row < s->n; row++)
    if (s->task[row] < n_tasks)
      row_of[s->task[row]] = row;
  return ties_gather (v->names, v->film, scene, &(TiesWhere){ row_of, n_tasks, s->row_of }, n);
}

/* ---- what takes longer to find out: kept ------------------------------------------------------------------------------------ */

static void
clear_laid (SceneLaid *l)
{
  g_free (l->layout);
  g_free (l->at);
  *l = (SceneLaid){ 0 };
}

static bool
is_laid (SceneView *v, const ViewScene *scene, const GraphLayout *layout, const SceneStand *s)
{
  const SceneLaid *l = &v->laid;
  bool more = layout->tied && v->film != NULL && names_more_traffic (v->names, v->film);

  return l->at != NULL && l->of == v->named && l->n == s->n && strcmp (l->layout, layout->name) == 0
         && !(more && (l->n_ties == 0 || s->n <= LAID_AGAIN))
         && !(layout->tied && l->n_ties == 0 && scene->graph->n_edges > l->n_edges);
}

static void
stand_lay_out (SceneView *v, const ViewScene *scene, const GraphLayout *layout, const SceneStand *s, double (*at)[3])
{
  SceneLaid *l = &v->laid;

  if (!is_laid (v, scene, layout, s)) {
    clear_laid (l);
    g_autofree LayoutTie *ties = layout->tied ? stand_ties_of (v, scene, s, &l->n_ties) : NULL;
    LayoutNodes nodes = { .n = s->n, .host = s->host, .ties = ties, .n_ties = l->n_ties };
    l->of = v->named;
    l->n = s->n;
    l->n_edges = scene->graph->n_edges;
    l->layout = g_strdup (layout->name);
    l->at = g_malloc0 (sizeof *at * (s->n + 1));
    graph_layout_in_space (layout, &nodes, l->at);
  }
  memcpy (at, l->at, sizeof *at * s->n);
}

/* ---- by the file, and by hand ------------------------------------------------------------------------------------------------- */

/* "ID X Y Z, ID X Y Z" into id -> double[3]; what is not understood is left out. */
static GHashTable *
stand_read_positions (const char *text)
{
  GHashTable *found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (char **part = parts; *part != NULL; part++) {
    char *end = g_strstrip (*part) + strlen (g_strstrip (*part));
    double at[3];
    bool ok = true;
    for (int k = 2; ok && k >= 0; k--) {
      char *blank = g_strrstr_len (*part, end - *part, " "), *stop = NULL;
      at[k] = blank != NULL ? g_ascii_strtod (blank + 1, &stop) : NAN;
      ok = blank != NULL && stop == end && fabs (at[k]) <= LAYOUT_FAR;
      end = ok ? blank : end;
    }
    if (ok && end > *part)
      g_hash_table_insert (found, g_strndup (*part, (gsize) (end - *part)), g_memdup2 (at, sizeof at));
  }
  return found;
}

static char *
write_positions (GHashTable *from)
{
  g_autoptr (GList) ids = g_list_sort (g_hash_table_get_keys (from), (GCompareFunc) (void (*) (void)) strcmp);
  GString *text = g_string_new (NULL);

  for (GList *l = ids; l != NULL; l = l->next) {
    const double *at = g_hash_table_lookup (from, l->data);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", (char *) l->data);
    for (int k = 0; k < 3; k++)
      g_string_append_printf (text, " %s", g_ascii_formatd (number, sizeof number, "%.4f", at[k]));
  }
  return g_string_free (text, FALSE);
}

/* Gives how many it has put somewhere. */
static uint32_t
stand_take_positions (const SceneStand *s, GHashTable *from, double scale, double (*at)[3])
{
  uint32_t n = 0;

  for (uint32_t row = 0; g_hash_table_size (from) > 0 && row < s->n; row++) {
    const double *to = g_hash_table_lookup (from, s->id (s->of, row));
    if (to == NULL)
      continue;
    n++;
    if (scale > 0) { /* of the plane, from 0 to 1, y downward */
      at[row][0] = (to[0] - 0.5) * scale;
      at[row][1] = (0.5 - to[1]) * scale;
      at[row][2] = 0;
    } else {
      memcpy (at[row], to, sizeof *at);
    }
  }
  return n;
}

/* The places of the file, once more only where it has changed: when the view was told to look again. */
static void
take_file (SceneView *v, const ViewScene *scene, const SceneStand *s, double (*at)[3], GString *note)
{
  double plane = 1.3 * fmax (ceil (sqrt (s->n)), 2);

  if (v->filed == NULL || g_strcmp0 (v->filed_of, scene->bundle) != 0) {
    g_clear_pointer (&v->filed, g_hash_table_unref);
    g_free (v->filed_of);
    v->filed_of = g_strdup (scene->bundle);
    v->filed = layout_read (scene->bundle, 3);
    v->filed_flat = g_hash_table_size (v->filed) == 0;
    if (v->filed_flat) {
      g_hash_table_unref (v->filed);
      v->filed = layout_read (scene->bundle, 2);
    }
  }
  uint32_t n = stand_take_positions (s, v->filed, v->filed_flat ? plane : 0, at);
  const char *file = v->filed_flat ? "layout" : "layout-3d";
  if (g_hash_table_size (v->filed) == 0)
    g_string_append (note, _ ("; the bundle has no file layout-3d: on a mesh"));
  else if (n < s->n)
    g_string_append_printf (note, _ ("; %u stand where the file %s of the bundle says, %u on a mesh"), n, file,
                            s->n - n);
}

static void
stand_keep_positions (SceneView *v, const ViewScene *scene, const SceneStand *s, const double (*at)[3])
{
  g_autofree char **ids = g_new0 (char *, s->n + 1);
  g_autofree double *axes = g_new (double, 3 * (gsize) s->n + 1);
  g_autoptr (GError) error = NULL;
  uint32_t n = 0;

  for (uint32_t row = 0; row < s->n; row++) {
    if (s->task[row] == TRACE_NONE || !isfinite (at[row][0] + at[row][1] + at[row][2]))
      continue;
    ids[n] = (char *) names_id (v->names, scene->source, s->task[row]);
    for (gsize k = 0; k < 3; k++)
      axes[k * s->n + n] = at[row][k];
    n++;
  }
  if (!layout_write (scene->bundle, 3, ids, (const double *const[]){ axes, axes + s->n, axes + 2 * (gsize) s->n }, n,
                     &error))
    eve_warn ((EveComponent *) v, _ ("the positions are not kept: %s"), error->message);
  g_clear_pointer (&v->filed, g_hash_table_unref);
}

char *
scene_stand_moved (SceneView *v, const char *id, const double at[3])
{
  g_autoptr (GHashTable) moved = stand_read_positions (v->positions);
  double to[3];

  if (strchr (id, ',') != NULL) /* which would end it */
    return NULL;
  for (int k = 0; k < 3; k++)
    to[k] = CLAMP (at[k], -LAYOUT_FAR, LAYOUT_FAR);
  g_hash_table_replace (moved, g_strdup (id), g_memdup2 (to, sizeof to));
  return write_positions (moved);
}

/* ---- on the way ------------------------------------------------------------------------------------------------------------- */

static void
clear_glide (SceneGlide *g)
{
  g_free (g->from);
  g_free (g->to);
  g_free (g->task);
  *g = (SceneGlide){ 0 };
}

/* Where they are on the way now; the same when all of it is over, however they came there. */
static void
glide (SceneView *v, const ViewScene *scene, const SceneStand *s, double (*at)[3])
{
  SceneGlide *g = &v->glide;
  gsize bytes = sizeof *at * s->n;
  gint64 now = g_get_monotonic_time ();

  v->gliding = false;
  if (scene->budget_ms <= 0 || s->n == 0) { /* nobody looks on: a file, or another instant's picture */
    clear_glide (g);
    return;
  }
  if (g->n != s->n || g->of != v->named || memcmp (g->task, s->task, s->n * sizeof *s->task) != 0) {
    clear_glide (g);
    g->n = s->n;
    g->of = v->named;
    g->from = g_malloc0 (bytes);
    g->to = g_malloc0 (bytes);
    g->task = g_memdup2 (s->task, s->n * sizeof *s->task);
    memcpy (g->from, at, bytes);
    memcpy (g->to, at, bytes);
  }
  double share = g->began > 0 ? (double) (now - g->began) / (1000.0 * GLIDE_MS) : 1;
  share = share < 1 ? share * share * (3 - 2 * share) : 1;
  if (memcmp (g->to, at, bytes) != 0) {
    bool hurry = now - g->changed < G_GINT64_CONSTANT (1000) * HURRY_MS;
    for (uint32_t i = 0; i < s->n; i++)
      for (int k = 0; k < 3; k++)
        g->from[i][k] += (g->to[i][k] - g->from[i][k]) * share;
    memcpy (g->to, at, bytes);
    g->began = hurry ? 0 : now;
    g->changed = now;
    share = hurry ? 1 : 0;
  }
  if (share >= 1) {
    g->began = 0;
    return;
  }
  v->gliding = true;
  for (uint32_t i = 0; i < s->n; i++)
    for (int k = 0; k < 3; k++)
      if (isfinite (g->from[i][k]) && isfinite (g->to[i][k]))
        at[i][k] = g->from[i][k] + (g->to[i][k] - g->from[i][k]) * share;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------------------- */

void
scene_stand (SceneView *v, const ViewScene *scene, const SceneStand *s, double (*at)[3], GString *note)
{
  const GraphLayout *layout = layouts_find (LAYOUT_IN_SPACE, s->by_value ? LAYOUT_SORTED : v->layout);

  if (layout == NULL) {
    g_string_append_printf (note, _ ("; no layout is called %s: by hosts"), v->layout);
    layout = layouts_find (LAYOUT_IN_SPACE, "hosts");
  }
  v->stands = layout->name;
  if (layout->tied) {
    stand_lay_out (v, scene, layout, s, at);
  } else {
    LayoutNodes nodes = { .n = s->n, .host = s->host, .value = { s->value[0], s->value[1], s->value[2] } };
    graph_layout_in_space (layout, &nodes, at);
  }
  if (strcmp (layout->name, LAYOUT_FILE) == 0)
    take_file (v, scene, s, at, note);
  if (*v->positions != '\0') {
    g_autoptr (GHashTable) moved = stand_read_positions (v->positions);
    stand_take_positions (s, moved, 0, at);
  }
  if (v->keep && scene->bundle != NULL && !layout->dynamic && v->kept_serial != v->stood) {
    v->kept_serial = v->stood;
    stand_keep_positions (v, scene, s, (const double (*)[3]) at);
  }
  glide (v, scene, s, at);
}

void
scene_stand_forget (SceneView *v)
{
  clear_laid (&v->laid);
  clear_glide (&v->glide);
  g_clear_pointer (&v->filed, g_hash_table_unref);
  g_clear_pointer (&v->filed_of, g_free);
}
