/* SPDX-License-Identifier: Apache-2.0 */
/* associations-edit.c - rules of the program are changed, and lines proposed that one can begin with. */
#include <math.h>
#include <string.h>
#include "document/occurring.h"
#include "panes/associations-edit.h"
#include "views/palettes.h"
#include "eve/words.h"

#define NOTE "associations"
#define EXAMPLE_MOST 36 /* values of an attribute that a new rule lists */

bool
associations_change (ScopeDocument *d, const char *what, int number, const AssociationsRule *rule, GError **error)
{
  g_autofree char *text = associations_text (view_associations (scope_document_colours (d)), LOOK_OF_PROGRAM, number,
                                             rule);
  Associations *try = associations_new ();
  bool ok = *text == '\0' || associations_read (try, LOOK_OF_PROGRAM, text, _ ("The rules"), error);

  associations_free (try);
  if (!ok)
    return false;
  scope_document_begin_edit (d, what);
  scope_document_set_note (d, NOTE, text);
  scope_document_end_edit (d);
  return true;
}

/* A look for the `i`th of some values. */
static void
put_look (GString *to, LookChannel channel, guint i, uint32_t rgb)
{
  switch (channel) {
  case LOOK_COLOUR:
    g_string_append_printf (to, "#%06x", VIEW_PLAIN (rgb));
    break;
  case LOOK_PATTERN:
    g_string_append (to, look_patterns[i % PATTERNS]);
    break;
  case LOOK_DASH:
    g_string_append (to, look_dashes[i % DASHES]);
    break;
  case LOOK_SHAPE:
    g_string_append (to, paint_shapes[i % PAINT_SHAPES]);
    break;
  case LOOK_CHART:
    g_string_append (to, look_charts[i % CHARTS]);
    break;
  case LOOK_HIDDEN:
    g_string_append (to, i == 0 ? "yes" : "no");
    break;
  case LOOK_WIDTH:
    g_string_append_printf (to, "%u", 1 + 2 * i);
    break;
  default:
    g_string_append_printf (to, "%.1f", 1 - 0.15 * MIN (i, 5));
  }
}

/* Of the numbers that occur, as text; of percentages all. */
static void
range (const StateAttribute *a, const Occurring *has, char **least, char **most)
{
  bool percent = a != NULL && a->kind == STATE_PERCENT;
  double from = percent || isnan (has->least) ? 0 : has->least, to = percent             ? 100
                                                                     : isnan (has->most) ? 10000
                                                                                         : has->most;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (!(from < to)) /* all are the same */
    from = MIN (from, 0), to = to > 0 ? to : from + 1;
  *least = g_strdup (g_ascii_formatd (number, sizeof number, "%.6g", from));
  *most = g_strdup (g_ascii_formatd (number, sizeof number, "%.6g", to));
}

/* A state has the colour that it has now, any other value one of its own. */
static uint32_t
associations_edit_colour_of (ScopeDocument *d, const StateAttribute *a, const char *name, guint i)
{
  for (uint32_t k = 0; a != NULL && k < a->n_values; k++)
    if (strcmp (a->values[k].name, name) == 0)
      return view_state_colour (scope_document_colours (d), a->scope, a->name, &a->values[k], false);
  return state_row_colour ((uint8_t) (i % STATE_PLACES + 1), false);
}

static const StateAttribute *
associations_edit_attribute_of (ScopeDocument *d, LookKind kind, const char *name)
{
  const StateGraph *g = scope_document_graph (d);
  int i = g != NULL && (look_kind_is_modelled (kind) || kind == LOOK_GROUP)
              ? state_attribute (g->model, kind == LOOK_LINK ? STATE_EDGE : STATE_NODE, name)
              : -1;

  return i >= 0 ? &g->model->attributes[i] : NULL;
}

char *
associations_proposed (ScopeDocument *d, LookKind kind, const char *name, LookChannel channel)
{
  const StateAttribute *a = associations_edit_attribute_of (d, kind, name);
  GString *text = g_string_new (NULL);
  g_autofree char *least = NULL, *most = NULL;
  g_auto (Occurring) has = { NULL };

  occurring_find (d, kind, name, EXAMPLE_MOST, &has);
  range (a, &has, &least, &most);
  if (channel == LOOK_ORDER) {
    g_string_append (text, "falling\n");
  } else if (channel == LOOK_LABEL || (channel >= LOOK_X && channel != LOOK_FILL)) {
    ; /* places and charts are made of what there is, unless lines say more */
  } else if (has.names->len > 0) {
    for (guint i = 0; i < has.names->len; i++) {
      g_autofree char *quoted = associations_quoted (has.names->pdata[i]);
      g_string_append_printf (text, "%s = ", quoted);
      put_look (text, channel, i, associations_edit_colour_of (d, a, has.names->pdata[i], i));
      g_string_append_c (text, '\n');
    }
    if (has.more && channel == LOOK_COLOUR)
      g_string_append (text, "other = #c0c0c0\n");
  } else if (channel == LOOK_COLOUR) {
    g_string_append_printf (text, "ramp %s .. %s = #f3f6fa .. #08306b\n", least, most);
  } else if (channel == LOOK_WIDTH) {
    g_string_append_printf (text, "ramp %s .. %s = 1 .. 10 root\n", least, most);
  } else if (channel == LOOK_FILL) {
    g_string_append_printf (text, "ramp %s .. %s = 0 .. 1\n", least, most);
  } else if (channel == LOOK_OPACITY || channel == LOOK_SIZE) {
    g_string_append_printf (text, "ramp %s .. %s = 0.%d .. 1\n", least, most, channel == LOOK_SIZE ? 1 : 2);
  } else {
    char number[G_ASCII_DTOSTR_BUF_SIZE], end[G_ASCII_DTOSTR_BUF_SIZE]; /* the upper half, up to beyond the most */
    double low = g_ascii_strtod (least, NULL), high = g_ascii_strtod (most, NULL), wide = MAX (high - low, fabs (high));
    g_string_append_printf (text, "%s .. %s = ", g_ascii_formatd (number, sizeof number, "%.6g", (low + high) / 2),
                            g_ascii_formatd (end, sizeof end, "%.6g", high + MAX (wide, 1e-9) / 100));
    put_look (text, channel, channel == LOOK_HIDDEN ? 0 : 1, 0);
    g_string_append_c (text, '\n');
  }
  return g_string_free (text, FALSE);
}
