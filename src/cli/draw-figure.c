/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/draw-figure.h"
#include "cli/cli.h"
#include "eve/nearest.h"
#include "eve/words.h"
#include "views/chart.h"
#include "views/groups.h"
#include "views/history.h"
#include "views/paint.h"
#include "views/palettes.h"

#define SELECTED_TOLD 4

static void
draw_figure_offer (void *nothing, void (*add) (void *to, const char *name), void *to)
{
  const char *name;

  (void) nothing;
  for (unsigned i = 0; (name = view_palette_name (i, NULL)) != NULL; i++)
    add (to, name);
}

static void
draw_figure_add (void *to, const char *name)
{
  GString *all = to;

  g_string_append_printf (all, "%s%s", all->len ? ", " : "", name);
}

int
draw_check_palette (const char *name)
{
  const char *one;

  for (unsigned i = 0; (one = view_palette_name (i, NULL)) != NULL; i++)
    if (g_str_equal (one, name))
      return CLI_OK;
  g_autoptr (GString) there = g_string_new (NULL);
  g_autofree char *nearest = eve_nearest_told (name, draw_figure_offer, NULL);

  draw_figure_offer (NULL, draw_figure_add, there);
  return cli_usage ("--palette", _ ("there is no \"%s\"; there are %s%s"), name, there->str, nearest);
}

/* "0 s – 0.413 s", "at 0.103 s", "in 0.1 s to 0.2 s". */
static char *
draw_figure_when (const View *view, const ViewScene *scene)
{
  const TraceSource *s = scene->source;
  bool all = scene->from > scene->to;
  int64_t from = all ? s->first : scene->from, to = all ? s->last : scene->to;

  if (view_is_counted (scene))
    return chart_range_told (scene);
  if (view->spans & VIEW_OF_INSTANT) {
    g_autofree char *at = axis_date (&s->clock, scene->at, -1);
    return g_strdup_printf (_ ("at %s"), at);
  }
  int decimals = axis_span_decimals (&s->clock, (double) to - (double) from, 3);
  g_autofree char *a = axis_date (&s->clock, from, decimals), *b = axis_date (&s->clock, to, decimals);
  return g_strdup_printf ("%s \u2013 %s", a, b);
}

static void
draw_figure_add_selected (GString *to, const Names *names, const ViewScene *scene)
{
  guint n = trace_refs_n (scene->selection);

  for (guint i = 0; i < MIN (n, SELECTED_TOLD); i++) {
    g_string_append (to, i == 0 ? _ (" \u00b7 selected: ") : ", ");
    TraceRef r = trace_refs_at (scene->selection, i);
    if (r.type == TRACE_REF_TASK) /* the film knows it, though it may not have begun yet */
      g_string_append (to, names_name (names, scene->source, r.id));
    else
      trace_ref_name (r, false, to);
  }
  if (n > SELECTED_TOLD)
    paint_tell (to, _ (" and %u more"), n - SELECTED_TOLD);
}

char *
draw_heading (Session *s, EveComponent *c, const View *view, const ViewScene *scene)
{
  GString *to = g_string_new (in_words (eve_name (c)));
  g_autoptr (GArray) all = session_executions (s);

  for (guint i = 0; i < all->len; i++) {
    const SessionExecution *one = &g_array_index (all, SessionExecution, i);
    if (scene->trace == NULL || all->len == 1 || g_strcmp0 (scene->trace, one->name) == 0)
      g_string_append_printf (to, "%s%s (%s)", i == 0 || scene->trace != NULL ? " \u00b7 " : ", ", one->name,
                              in_words (one->source->format->label));
  }
  if (scene->source == NULL || scene->source->first > scene->source->last)
    return g_string_free (to, FALSE);
  g_autofree char *when = draw_figure_when (view, scene);
  Names *names = names_read (view_tasks (scene));
  uint32_t n = names_count (names, scene->source) - trace_n_things (scene->source);
  g_string_append_printf (to, "\n%s", when);
  if (n > 0)
    paint_tell (to, P_ (" \u00b7 %u task", " \u00b7 %u tasks", n), n);
  if (scene->groups != NULL)
    g_string_append_printf (to, _ (" \u00b7 in groups: %s"), in_words (scene->groups->hierarchy));
  draw_figure_add_selected (to, names, scene);
  names_free (names);
  return g_string_free (to, FALSE);
}
