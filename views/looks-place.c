/* SPDX-License-Identifier: Apache-2.0 */
/* looks-place.c - where objects stand by an attribute: a place for each, and the axis that tells which. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "eve/words.h"
#include "readers/more.h"
#include "views/associations.h"
#include "views/chart.h"

/* Digits count as the numbers that they are: node2 stands before node10. */
static int
looks_place_by_name (const void *a, const void *b)
{
  const char *x = *(const char *const *) a, *y = *(const char *const *) b, *from = x, *other = y;

  while (*x != '\0' && *y != '\0') {
    if (g_ascii_isdigit (*x) && g_ascii_isdigit (*y)) {
      size_t n, m;
      x += strspn (x, "0");
      y += strspn (y, "0");
      n = strspn (x, "0123456789"), m = strspn (y, "0123456789");
      int before = n != m ? (n > m) - (n < m) : memcmp (x, y, n);
      if (before != 0)
        return before;
      x += n, y += m;
    } else if (*x != *y) {
      return (unsigned char) *x < (unsigned char) *y ? -1 : 1;
    } else {
      x++, y++;
    }
  }
  return *x != *y ? (*x != '\0') - (*y != '\0') : strcmp (from, other);
}

static void
add_tick (LooksAxis *to, double at, char *text)
{
  if (to->n_ticks == LOOKS_TICKS) {
    g_free (text);
    return;
  }
  to->tick[to->n_ticks] = at;
  to->text[to->n_ticks++] = text;
}

/* Labels at round numbers; `at` gives the place of each. */
static void
add_numbers (LooksAxis *to, double low, double high, const char *unit, double (*at) (void *arg, double number),
             void *arg)
{
  ChartScale s;

  chart_scale (&s, low, high, unit, 6);
  to->unit = s.unit;
  for (int i = 0; i < 2 * LOOKS_TICKS && to->n_ticks < LOOKS_TICKS; i++) {
    double x = s.lo + i * s.step, place = x < low - s.step * 1e-6 || x > high + s.step * 1e-6 ? NAN : at (arg, x);
    if (isfinite (place))
      add_tick (to, place, chart_label (&s, x));
  }
}

/* ---- without lines: by what there is ----------------------------------------------------------------------------------------- */

typedef struct Extent {
  double low, high;
} Extent;

static double
looks_place_within (void *extent, double x)
{
  const Extent *e = extent;

  return e->high > e->low ? (x / 2 - e->low / 2) / (e->high / 2 - e->low / 2) : 0.5;
}

static void
place_numbers (const Looks *l, const ViewScene *scene, LookChannel channel, const double *number, uint32_t n,
               LooksAxis *to)
{
  Extent e = { INFINITY, -INFINITY };

  for (uint32_t i = 0; i < n; i++)
    if (isfinite (number[i]))
      e.low = fmin (e.low, number[i]), e.high = fmax (e.high, number[i]);
  if (l->index[channel] >= 0 && scene->graph->model->attributes[l->index[channel]].kind == STATE_PERCENT)
    e = (Extent){ 0, 100 };
  for (uint32_t i = 0; i < n; i++)
    to->at[i] = isfinite (number[i]) ? CLAMP (looks_place_within (&e, number[i]), 0, 1) : NAN;
  const char *unit = looks_unit (l, scene->graph, (int) channel);
  if (e.high > e.low)
    add_numbers (to, e.low, e.high, unit, looks_place_within, &e);
  else if (e.high == e.low)
    add_tick (to, 0.5, chart_number (e.low, unit));
}

static void
place_names (const StateModel *m, int attribute, char *const *name, uint32_t n, LooksAxis *to)
{
  g_autofree const char **sorted = g_new (const char *, n + 1);
  g_autoptr (GHashTable) rank = g_hash_table_new (g_str_hash, g_str_equal);
  uint32_t all = 0, kinds = 0;

  for (uint32_t i = 0; i < n; i++)
    if (name[i] != NULL)
      sorted[all++] = name[i];
  qsort (sorted, all, sizeof *sorted, looks_place_by_name);
  for (uint32_t i = 0; i < all; i++)
    if (kinds == 0 || strcmp (sorted[i], sorted[kinds - 1]) != 0) {
      sorted[kinds++] = sorted[i];
      g_hash_table_insert (rank, (gpointer) sorted[i], GUINT_TO_POINTER (kinds));
    }
  for (uint32_t i = 0; i < n; i++)
    to->at[i] = name[i] != NULL ? (GPOINTER_TO_UINT (g_hash_table_lookup (rank, name[i])) - 0.5) / kinds : NAN;
  to->names = true;
  uint32_t every = (kinds + LOOKS_TICKS - 1) / LOOKS_TICKS;
  for (uint32_t i = 0; i < kinds; i += every)
    add_tick (to, (i + 0.5) / kinds, g_strdup (state_word (m, attribute, sorted[i])));
}

/* ---- by the lines of the rule ------------------------------------------------------------------------------------------------- */

typedef struct Said {
  const Looks *l;
  LookChannel channel;
  LooksAxis *to;
  const StateModel *m;
} Said;

static double
said (void *arg, double number)
{
  const Said *s = arg;
  LookValue v;

  return associations_look (s->l->of, s->l->kind, s->l->attribute[s->channel], s->channel, s->l->view, NULL, number, &v)
             ? v.number
             : NAN;
}

static bool
add_said (void *arg, const char *text, bool value, const LookValue *from, const LookValue *to)
{
  const Said *s = arg;

  if (to == NULL) /* numbers of a ramp have labels of their own */
    add_tick (s->to, from->number, g_strdup (state_word (s->m, s->l->index[s->channel], text)));
  return s->to->n_ticks < LOOKS_TICKS;
}

static bool
any_line (void *arg, const char *text, bool value, const LookValue *from, const LookValue *to)
{
  *(bool *) arg = true;
  return false;
}

bool
looks_axis (const Looks *l, const ViewScene *scene, LookChannel channel, const uint32_t *objects, uint32_t n,
            LooksAxis *to)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_full (n, g_free);
  g_autofree double *number = g_new (double, n + 1);
  bool lines = false, numbers = true;
  double low, high;

  *to = (LooksAxis){ 0 };
  if (!(l->channels >> channel & 1) || scene->graph == NULL
      || (l->index[channel] < 0 && g_ascii_strcasecmp (l->attribute[channel], "Gray code") != 0
          && (l->more == NULL || l->more->n == 0)))
    return false;
  to->at = g_new (double, n + 1);
  associations_each (l->of, l->kind, channel, l->view, any_line, &lines);
  for (uint32_t i = 0; i < n; i++) {
    bool has = looks_value (l, scene, (int) channel, objects[i], text, &number[i]);
    LookValue v;
    to->at[i] = NAN;
    if (lines && has
        && associations_look (l->of, l->kind, l->attribute[channel], channel, l->view, text->str, number[i], &v))
      to->at[i] = v.number;
    numbers &= !has || !isnan (number[i]);
    g_ptr_array_add (names, has && !lines ? g_strdup (text->str) : NULL);
  }
  const char *unit = looks_unit (l, scene->graph, (int) channel);
  Said s = { l, channel, to, scene->graph->model };
  if (!lines && numbers) {
    place_numbers (l, scene, channel, number, n, to);
  } else if (!lines) {
    place_names (scene->graph->model, l->index[channel], (char *const *) names->pdata, n, to);
  } else {
    associations_each (l->of, l->kind, channel, l->view, add_said, &s);
    if (associations_ramp (l->of, l->kind, channel, l->view, &low, &high))
      add_numbers (to, low, high, unit, said, &s);
  }
  for (uint32_t i = 0; i < n; i++)
    to->n_none += objects[i] != TRACE_NONE && isnan (to->at[i]);
  const char *title = l->index[channel] >= 0
                          ? state_attribute_word (&scene->graph->model->attributes[l->index[channel]])
                          : in_words (l->attribute[channel]);
  to->title = to->unit != NULL && *to->unit != '\0' ? g_strdup_printf (_ ("%s in %s"), title, to->unit)
                                                    : g_strdup (title);
  return true;
}

void
looks_axis_clear (LooksAxis *axis)
{
  for (uint32_t i = 0; i < axis->n_ticks; i++)
    g_free (axis->text[i]);
  g_free (axis->at);
  g_free (axis->title);
  *axis = (LooksAxis){ 0 };
}
