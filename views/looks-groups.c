/* SPDX-License-Identifier: Apache-2.0 */
/* looks-groups.c - what a closed group of tasks has of an attribute: its own name and size, and what its tasks are
 * together. */
#include <math.h>
#include <string.h>
#include "readers/reader.h"
#include "views/associations.h"
#include "views/painter.h"

typedef struct Asking {
  const Looks *l;
  const ViewScene *scene;
  const LooksGroup *of;
} Asking;

/* Numbers that count are added up; of shares and dates it is the mean. */
static bool
number_of_all (const StateGraph *g, uint32_t attribute, const Asking *a, GString *text, double *number)
{
  const StateAttribute *of = &g->model->attributes[attribute];
  double sum = 0;
  uint32_t n = 0;

  for (uint32_t i = 0; i < a->of->n; i++) {
    double x = a->of->nodes[i] != TRACE_NONE
                   ? state_number (g, attribute, a->of->nodes[i], MAX (a->scene->at, g->clock))
                   : NAN;
    sum += isnan (x) ? 0 : x;
    n += !isnan (x);
  }
  if (n == 0)
    return false;
  *number = of->kind == STATE_INT ? sum : sum / n;
  if (of->kind == STATE_DATE && a->scene->source != NULL)
    *number /= (double) a->scene->source->clock.ticks_per_second;
  g_string_append_printf (text, "%.15g", *number);
  return true;
}

/* What all of them have; of those that are in several groups of a model all together. */
static bool
word_of_all (const StateGraph *g, int attribute, const Asking *a, GString *text)
{
  g_autoptr (GString) own = g_string_new (NULL);
  bool any = false;

  for (uint32_t i = 0; i < a->of->n; i++) {
    uint32_t value;
    if (a->of->nodes[i] == TRACE_NONE)
      continue;
    g_string_truncate (own, 0);
    if (state_value_of (g, attribute, a->of->nodes[i], &value))
      g_string_append (own, state_value (g->model, attribute, value)->name);
    else
      state_text (g, (uint32_t) attribute, a->of->nodes[i], MAX (a->scene->at, g->clock), own);
    if (any && strcmp (own->str, text->str) != 0)
      return false;
    if (!any)
      g_string_assign (text, own->str);
    any = true;
  }
  return any;
}

static bool
kept_of_all (const Asking *a, const char *attribute, GString *text)
{
  const char *first = NULL;

  for (uint32_t i = 0; i < a->of->n; i++) {
    const char *own = looks_kept (a->of->names, a->scene->source, a->of->tasks[i], attribute);
    if (own == NULL || (first != NULL && strcmp (own, first) != 0))
      return false;
    first = own;
  }
  g_string_append (text, first != NULL ? first : "");
  return first != NULL;
}

static bool
looks_groups_has (void *asking, const char *attribute, GString *text, double *number)
{
  const Asking *a = asking;
  const StateGraph *g = a->scene->graph;
  int at = -1;

  if (g_ascii_strcasecmp (attribute, "tasks") == 0) {
    *number = a->of->n_tasks;
    g_string_append_printf (text, "%u", a->of->n_tasks);
    return true;
  }
  const char *own = g_ascii_strcasecmp (attribute, "name") == 0        ? a->of->name
                    : g_ascii_strcasecmp (attribute, "hierarchy") == 0 ? a->of->hierarchy
                                                                       : NULL;
  if (own != NULL) {
    g_string_append (text, own);
    return true;
  }
  if (a->of->nodes == NULL || g == NULL)
    return a->of->tasks != NULL && kept_of_all (a, attribute, text);
  for (int i = 0; i < LOOK_CHANNELS && at < 0; i++) /* the channel that asks knows where it is in the model */
    at = a->l->attribute[i] != NULL && strcmp (a->l->attribute[i], attribute) == 0 ? a->l->index[i] : -1;
  if (at < 0)
    return false;
  StateKind kind = g->model->attributes[at].kind;
  return kind == STATE_TEXT || kind == STATE_ENUM || kind == STATE_VALUE
             ? word_of_all (g, at, a, text)
             : number_of_all (g, (uint32_t) at, a, text, number);
}

void
looks_of_group (const Looks *l, const ViewScene *scene, const LooksGroup *of, Look *look)
{
  Asking a = { l, scene, of };

  looks_of_values (l, looks_groups_has, &a, look);
}

/* A pattern, and an outline inside of it. */
void
looks_over_box (Paint *p, const Look *look, double x, double y, double width, double height, uint32_t ink)
{
  double line = LOOK_HAS (look, LOOK_WIDTH)  ? fmin (look->width, fmin (width, height) / 2)
                : LOOK_HAS (look, LOOK_DASH) ? fmin (1.5, fmin (width, height) / 2)
                                             : 0;

  if (LOOK_HAS (look, LOOK_PATTERN) && look->pattern != PATTERN_NONE && width >= 2 && height >= 2) {
    cairo_new_path (p->cr);
    cairo_rectangle (p->cr, x, y, width, height);
    looks_fill_pattern (p->cr, look->pattern, ink);
    cairo_new_path (p->cr);
  }
  if (line <= 0)
    return;
  cairo_new_path (p->cr);
  cairo_rectangle (p->cr, x + line / 2, y + line / 2, fmax (width - line, 0), fmax (height - line, 0));
  paint_source (p->cr, p->ink, 1);
  cairo_set_line_width (p->cr, line);
  looks_set_dash (p->cr, LOOK_HAS (look, LOOK_DASH) ? look->dash : DASH_SOLID, line);
  cairo_stroke (p->cr);
  cairo_set_dash (p->cr, NULL, 0, 0);
}

void
looks_lay_over (Look *to, const Look *over)
{
  Look both = *over;

  if (!LOOK_HAS (over, LOOK_COLOUR))
    both.rgb = to->rgb;
  if (!LOOK_HAS (over, LOOK_PATTERN))
    both.pattern = to->pattern;
  if (!LOOK_HAS (over, LOOK_WIDTH))
    both.width = to->width;
  if (!LOOK_HAS (over, LOOK_DASH))
    both.dash = to->dash;
  if (!LOOK_HAS (over, LOOK_OPACITY))
    both.opacity = to->opacity;
  if (!LOOK_HAS (over, LOOK_SHAPE))
    both.shape = to->shape;
  if (!LOOK_HAS (over, LOOK_SIZE))
    both.size = to->size;
  if (!LOOK_HAS (over, LOOK_FILL))
    both.fill = to->fill;
  if (!LOOK_HAS (over, LOOK_LABEL))
    g_strlcpy (both.label, to->label, sizeof both.label);
  both.chart = to->chart;
  both.n_shares = to->n_shares;
  memcpy (both.share_of, to->share_of, sizeof both.share_of);
  memcpy (both.shares, to->shares, sizeof both.shares);
  both.hidden |= to->hidden;
  both.has |= to->has;
  *to = both;
}
