/* SPDX-License-Identifier: Apache-2.0 */
/* looks.c - associations asked for by views: which attribute that is of the model at hand, its value, and what is said
 * of that. */
#include <math.h>
#include <string.h>
#include "eve/nearest.h"
#include "eve/words.h"
#include "eve/number.h"
#include "readers/more.h"
#include "readers/reader.h"
#include "statistics/graph.h"
#include "views/associations.h"
#include "views/drawing.h"
#include "views/painter.h"

/* Words that are understood whatever the model calls them. */
static const struct {
  const char *word;
  StateRole role;
} roles[] = {
  { "state", STATE_ROLE_STATE },     { "group", STATE_ROLE_GROUP },       { "host", STATE_ROLE_PLACE },
  { "program", STATE_ROLE_PROGRAM }, { "id", STATE_ROLE_NAME },           { "name", STATE_ROLE_LABEL },
  { "traffic", STATE_ROLE_TRAFFIC }, { "messages", STATE_ROLE_MESSAGES }, { "pending", STATE_ROLE_PENDING },
};

static StateRole
role_of_word (const char *attribute)
{
  for (size_t i = 0; i < G_N_ELEMENTS (roles); i++)
    if (g_ascii_strcasecmp (attribute, roles[i].word) == 0)
      return roles[i].role;
  return STATE_ROLE_NONE;
}

const TraceRefType look_ref_types[LOOK_KINDS] = { TRACE_REF_TASK, TRACE_REF_LINK,   TRACE_REF_MESSAGE,
                                                  TRACE_REF_NONE, TRACE_REF_SERIES, TRACE_REF_NONE };

/* By its name in the model, whatever the case; else by what it is for. */
static void
find_attribute (Looks *l, LookChannel channel, const StateGraph *graph)
{
  StateScope scope = l->kind == LOOK_LINK ? STATE_EDGE : STATE_NODE;
  const char *name = l->attribute[channel];
  const StateModel *m = graph != NULL && (look_kind_is_modelled (l->kind) || l->kind == LOOK_GROUP) ? graph->model
                                                                                                    : NULL;

  l->index[channel] = -1;
  l->role[channel] = role_of_word (name);
  for (uint32_t i = 0; m != NULL && i < m->n_attributes && l->index[channel] < 0; i++)
    if (m->attributes[i].scope == scope && strcmp (m->attributes[i].name, name) == 0)
      l->index[channel] = (int) i;
  if (m != NULL && l->index[channel] < 0 && l->role[channel] != STATE_ROLE_NONE)
    l->index[channel] = state_with_role (m, scope, l->role[channel]);
  for (uint32_t i = 0; m != NULL && i < m->n_attributes && l->index[channel] < 0; i++)
    if (m->attributes[i].scope == scope && g_ascii_strcasecmp (m->attributes[i].name, name) == 0)
      l->index[channel] = (int) i;
  if (l->index[channel] >= 0)
    l->role[channel] = m->attributes[l->index[channel]].role;
}

bool
looks_begin (Looks *l, const ViewScene *scene, const char *view, LookKind kind, uint32_t offers)
{
  *l = (Looks){ .of = view_associations (scene->colours),
                .colours = scene->colours,
                .view = view,
                .kind = kind,
                .dark = scene->dark,
                .more = scene->more };
  if (l->of != NULL)
    associations_ask (l->of, kind, offers);
  for (int i = 0; l->of != NULL && i < LOOK_CHANNELS; i++) {
    l->attribute[i] = offers >> i & 1 ? associations_attribute (l->of, kind, (LookChannel) i, view) : NULL;
    if (l->attribute[i] == NULL)
      continue;
    find_attribute (l, (LookChannel) i, scene->graph);
    if (i == LOOK_CHART && l->role[i] != STATE_ROLE_STATE)
      continue; /* there are no shares of it */
    if (look_kind_is_modelled (kind) && l->index[i] < 0 && l->role[i] == STATE_ROLE_NONE
        && associations_level (l->of, kind, (LookChannel) i, view) == LOOK_OF_MODEL)
      continue; /* the format has such an attribute, and this trace none of it */
    l->channels |= UINT32_C (1) << i;
  }
  l->falls = l->of != NULL && associations_falls (l->of, kind, view);
  return l->channels != 0;
}

static const char *const of_message[] = { "size", "tag", "duration", "from", "to", "bits", NULL },
                         *const of_region[] = { "name",  "depth",     "duration",  "begin",   "end",
                                                "task",  "id",        "host",      "program", "group",
                                                "share", "inclusive", "exclusive", "visits",  NULL },
                         *const of_series[] = { "name", "owner",  "unit", "number", "least",   "most",  "mean",
                                                "last", "values", "id",   "host",   "program", "group", NULL },
                         *const of_group[] = { "name", "tasks", "hierarchy", NULL };
const char *const *const look_of_kind[LOOK_KINDS] = {
  [LOOK_MESSAGE] = of_message, [LOOK_REGION] = of_region, [LOOK_SERIES] = of_series, [LOOK_GROUP] = of_group
};
#define N_OF_MESSAGE (G_N_ELEMENTS (of_message) - 1)
/* Of every task, whatever the model: its place in the order of Gray's code, where neighbours differ in one bit. */
#define GRAY_CODE "Gray code"

static uint32_t
place_in_gray_code (uint32_t task)
{
  for (uint32_t shift = 1; shift < 32; shift *= 2)
    task ^= task >> shift;
  return task;
}

typedef struct Having {
  const StateModel *m;
  const TraceAll *more;
  LookKind kind;
  const char *sought;
  bool found;
} Having;

static void
looks_offer_attributes (void *having, void (*add) (void *to, const char *name), void *to)
{
  const Having *h = having;
  StateScope scope = h->kind == LOOK_LINK ? STATE_EDGE : STATE_NODE;

  for (const char *const *name = look_of_kind[h->kind]; name != NULL && *name != NULL; name++)
    add (to, *name);
  bool modelled = look_kind_is_modelled (h->kind) || h->kind == LOOK_GROUP;
  for (uint32_t i = 0; modelled && h->m != NULL && i < h->m->n_attributes; i++)
    if (h->m->attributes[i].scope == scope)
      add (to, h->m->attributes[i].name);
  if (h->kind == LOOK_TASK)
    add (to, GRAY_CODE);
  if (look_ref_types[h->kind] != TRACE_REF_NONE)
    trace_more_offer (h->more, look_ref_types[h->kind], add, to);
}

static void
looks_seek (void *having, const char *name)
{
  Having *h = having;

  h->found |= g_ascii_strcasecmp (h->sought, name) == 0;
}

char *
looks_unknown (const StateModel *m, const TraceAll *more, LookKind kind, const char *attribute)
{
  bool modelled = look_kind_is_modelled (kind) || kind == LOOK_GROUP;
  Having h = { m, more, kind, attribute, modelled && role_of_word (attribute) != STATE_ROLE_NONE };

  if (m == NULL && modelled)
    return NULL;
  looks_offer_attributes (&h, looks_seek, &h);
  if (h.found)
    return NULL;
  g_autofree char *near = eve_nearest_told (attribute, looks_offer_attributes, &h);
  return g_strdup_printf (_ ("no %s has an attribute \u201c%s\u201d%s"), look_kinds[kind], attribute, near);
}

typedef struct Telling {
  const Associations *of;
  const char *view;
  const StateModel *m;
  const TraceAll *more;
  void (*tell) (void *arg, const char *sentence);
  void *arg;
} Telling;

char *
looks_no_chart (const StateModel *m, const char *attribute)
{
  int at = m != NULL ? state_with_role (m, STATE_NODE, STATE_ROLE_STATE) : -1;
  const char *state = at >= 0 ? m->attributes[at].name : NULL;

  if (m == NULL || role_of_word (attribute) == STATE_ROLE_STATE
      || (state != NULL && g_ascii_strcasecmp (attribute, state) == 0))
    return NULL;
  return state != NULL ? g_strdup_printf (_ ("a chart is of the shares of what tasks do, which is their %s here: write "
                                             "\u201ctask %s chart\u201d"),
                                          state, state)
                       : g_strdup (_ ("a chart is of the shares of what tasks do, which nobody tells here"));
}

static char *
unknown_or_no_state (const Telling *t, const AssociationsRule *r)
{
  char *why = looks_unknown (t->m, t->more, r->kind, r->attribute);

  return why != NULL || r->channel != LOOK_CHART ? why : looks_no_chart (t->m, r->attribute);
}

static void
tell_unseen (void *telling, const AssociationsRule *r)
{
  const Telling *t = telling;
  bool asked = associations_asked (t->of, r->kind) >> r->channel & 1,
       of_states = r->channel == LOOK_COLOUR && role_of_word (r->attribute) == STATE_ROLE_STATE; /* in all views */

  if (r->level < LOOK_OF_PROGRAM || (r->view != NULL && strcmp (r->view, t->view) != 0))
    return;
  g_autofree char *why = asked       ? unknown_or_no_state (t, r)
                         : of_states ? NULL
                                     : g_strdup_printf (_ ("%s does not show it"), t->view);
  if (why == NULL)
    return;
  g_autofree char *sentence = g_strdup_printf ("\u201c%s %s %s\u201d: %s", look_kinds[r->kind], r->attribute,
                                               look_channels[r->channel], why);
  t->tell (t->arg, sentence);
}

void
looks_tell_unseen (const ViewScene *scene, const char *view, const StateModel *m,
                   void (*tell) (void *arg, const char *sentence), void *arg)
{
  Telling t = { view_associations (scene->colours), view, m, scene->more, tell, arg };

  associations_each_rule (t.of, tell_unseen, &t);
}

/* A value, as text and as number, on a channel. */
static void
looks_say (const Looks *l, LookChannel channel, const char *text, double number, Look *look)
{
  LookValue v;

  if (channel == LOOK_LABEL) {
    const char *end;
    g_strlcpy (look->label, text, sizeof look->label);
    if (!g_utf8_validate (look->label, -1, &end)) /* it was cut within a letter */
      look->label[end - look->label] = '\0';
    look->has |= 1u << LOOK_LABEL;
    return;
  }
  if (channel == LOOK_ORDER) {
    look->order = number;
    g_strlcpy (look->text, text, sizeof look->text);
    look->has |= 1u << LOOK_ORDER;
    return;
  }
  if (channel == LOOK_COLOUR && view_chosen_colour (l->colours, l->attribute[channel], text, l->dark, &look->rgb)) {
    look->has |= 1u << LOOK_COLOUR;
    return;
  }
  if (!associations_look (l->of, l->kind, l->attribute[channel], channel, l->view, text, number, &v))
    return;
  look->has |= UINT32_C (1) << channel;
  if (channel == LOOK_COLOUR)
    look->rgb = view_colour_on (v.rgb, l->dark);
  else if (channel == LOOK_PATTERN)
    look->pattern = (LookPattern) v.number;
  else if (channel == LOOK_DASH)
    look->dash = (LookDash) v.number;
  else if (channel == LOOK_WIDTH)
    look->width = v.number;
  else if (channel == LOOK_OPACITY)
    look->opacity = v.number;
  else if (channel == LOOK_SHAPE)
    look->shape = (PaintShape) v.number;
  else if (channel == LOOK_SIZE)
    look->size = v.number;
  else if (channel == LOOK_HIDDEN)
    look->hidden = v.number > 0;
  else if (channel == LOOK_FILL)
    look->fill = v.number;
  else if (channel == LOOK_CHART)
    look->chart = (LookChart) v.number;
}

/* Where a rule has no lines percentages fill from 0 to 100, and charts are pies. */
static void
say_without_lines (const Looks *l, int channel, const StateGraph *g, double number, Look *look)
{
  const StateAttribute *a = l->index[channel] >= 0 ? &g->model->attributes[l->index[channel]] : NULL;

  if (LOOK_HAS (look, channel) || !a || associations_has_lines (l->of, l->kind, (LookChannel) channel, l->view))
    return;
  if (channel == LOOK_FILL && a->kind == STATE_PERCENT && !isnan (number))
    look->fill = CLAMP (number / 100, 0, 1);
  else if (channel != LOOK_CHART)
    return;
  look->has |= UINT32_C (1) << channel;
}

/* What a chart is of: the shares of the states of the object until now. */
static void
take_shares (const StateGraph *g, uint32_t object, int64_t now, StateScope scope, Look *look)
{
  for (uint32_t i = 0; i < g->model->n_attributes && look->n_shares < LOOK_SHARES; i++) {
    const StateAttribute *a = &g->model->attributes[i];
    double percent = a->kind == STATE_PERCENT && a->scope == scope ? state_number (g, i, object, now) : NAN;
    if (!(percent > 0) || a->of > UINT8_MAX)
      continue;
    look->share_of[look->n_shares] = (uint8_t) a->of;
    look->shares[look->n_shares++] = (float) (percent / 100);
  }
  if (look->n_shares == 0)
    look->has &= ~(UINT32_C (1) << LOOK_CHART);
}

static bool
asks (const Looks *l, int channel)
{
  return l->channels >> channel & 1;
}

static void
looks_clear (Look *look)
{
  *look = (Look){ .opacity = 1, .order = NAN };
}

/* What a component adds to it; a number is its own, whatever unit stands behind it. */
static bool
added_value (const Looks *l, int channel, TraceRef what, GString *text, double *number)
{
  char *end;

  if (what.type == TRACE_REF_TASK && g_ascii_strcasecmp (l->attribute[channel], GRAY_CODE) == 0) {
    *number = place_in_gray_code (what.id);
    g_string_append_printf (text, "%.0f", *number);
    return true;
  }
  if (l->more == NULL || l->more->n == 0 || what.type == TRACE_REF_NONE
      || !trace_more_value (l->more, what, l->attribute[channel], text))
    return false;
  double x = g_ascii_strtod (text->str, &end);
  if (end > text->str && (*end == '\0' || *end == ' ' || g_str_has_prefix (end, "\u00a0")))
    *number = x;
  return true;
}

static TraceRef
ref_of_object (const Looks *l, const StateGraph *g, uint32_t object)
{
  const StatsDatum d = { .owner = object,
                         .owner_kind = l->kind == LOOK_LINK ? STATS_OF_LINK : STATS_OF_NODE,
                         .source = g->source };

  return stats_owner_ref (&d, g);
}

bool
looks_value (const Looks *l, const ViewScene *scene, int channel, uint32_t object, GString *text, double *number)
{
  const StateGraph *g = scene->graph;
  int at = l->index[channel];
  uint32_t value;

  *number = NAN;
  g_string_truncate (text, 0);
  if (g == NULL || object == TRACE_NONE)
    return false;
  if (at < 0)
    return added_value (l, channel, ref_of_object (l, g, object), text, number);
  const StateAttribute *a = &g->model->attributes[at];
  if (state_value_of (g, at, object, &value)) {
    g_string_append (text, state_value (g->model, at, value)->name);
    return true;
  }
  int64_t now = MAX (scene->at, g->clock);
  if (a->kind != STATE_TEXT)
    *number = state_number (g, (uint32_t) at, object, now);
  if (a->kind == STATE_DATE && scene->source != NULL) /* as it is written: seconds */
    *number /= (double) scene->source->clock.ticks_per_second;
  state_text (g, (uint32_t) at, object, now, text);
  return text->len > 0 || !isnan (*number);
}

void
looks_of_object (const Looks *l, const ViewScene *scene, uint32_t object, Look *look)
{
  const StateGraph *g = scene->graph;
  g_autoptr (GString) text = NULL;

  looks_clear (look);
  for (int i = 0; g != NULL && object != TRACE_NONE && i < LOOK_CHANNELS; i++) {
    double number;
    uint32_t value;
    if (!asks (l, i) || (l->index[i] < 0 && l->more == NULL)
        || LOOKS_PLACES >> i & 1) /* places are made of all of them together */
      continue;
    number = NAN;
    text = text != NULL ? text : g_string_new (NULL);
    if (state_value_of (g, l->index[i], object, &value))
      looks_say (l, (LookChannel) i, state_value (g->model, l->index[i], value)->name, NAN, look);
    else if (looks_value (l, scene, i, object, text, &number))
      looks_say (l, (LookChannel) i, text->str, number, look);
    if (G_UNLIKELY (i >= LOOK_FILL))
      say_without_lines (l, i, g, number, look);
  }
  if (G_UNLIKELY (LOOK_HAS (look, LOOK_CHART)))
    take_shares (g, object, MAX (scene->at, g->clock), l->kind == LOOK_LINK ? STATE_EDGE : STATE_NODE, look);
}

static const char *
looks_kept_of_role (const Names *names, const TraceSource *s, uint32_t task, StateRole role)
{
  return role == STATE_ROLE_PLACE     ? names_host (names, s, task)
         : role == STATE_ROLE_PROGRAM ? names_program (names, s, task)
         : role == STATE_ROLE_GROUP   ? names_group (names, s, task)
         : role == STATE_ROLE_NAME    ? names_id (names, s, task)
         : role == STATE_ROLE_LABEL   ? names_name (names, s, task)
                                      : NULL;
}

const char *
looks_kept (const Names *names, const TraceSource *s, uint32_t task, const char *attribute)
{
  return looks_kept_of_role (names, s, task, role_of_word (attribute));
}

void
looks_of_task (const Looks *l, const ViewScene *scene, const Names *names, uint32_t task, Look *look)
{
  const TraceSource *s = scene->source;
  g_autoptr (GString) added = g_string_new (NULL);

  looks_clear (look);
  for (int i = 0; i < LOOK_CHANNELS; i++) {
    if (!asks (l, i))
      continue;
    const char *text = looks_kept_of_role (names, s, task, l->role[i]);
    double number = NAN;
    if (text != NULL)
      looks_say (l, (LookChannel) i, text, NAN, look);
    else if (l->index[i] < 0 && s != NULL
             && added_value (l, i, trace_ref_task (s->number, task), g_string_truncate (added, 0), &number))
      looks_say (l, (LookChannel) i, added->str, number, look);
  }
}

void
looks_of_values (const Looks *l, LooksValue value, void *arg, Look *look)
{
  g_autoptr (GString) text = g_string_new (NULL);

  looks_clear (look);
  for (int i = 0; i < LOOK_CHANNELS; i++) {
    double number = NAN;
    if (asks (l, i) && value (arg, l->attribute[i], g_string_truncate (text, 0), &number))
      looks_say (l, (LookChannel) i, text->str, number, look);
  }
}

void
looks_of_message (const Looks *l, const ViewScene *scene, const Names *names, const StateMessage *m, Look *look)
{
  const TraceSource *s = scene->source;
  bool dated = m->sent != INT64_MIN;

  looks_clear (look);
  for (int i = 0; i < LOOK_CHANNELS; i++) {
    guint k = 0;
    if (!asks (l, i))
      continue;
    while (k < N_OF_MESSAGE && g_ascii_strcasecmp (of_message[k], l->attribute[i]) != 0)
      k++;
    if (k == N_OF_MESSAGE - 1) { /* in how many bits the numbers of its two tasks differ: wires, in a hypercube */
      g_autofree char *text = g_strdup_printf ("%d", __builtin_popcount (m->from ^ m->to));
      if (m->from != TRACE_NONE && m->to != TRACE_NONE)
        looks_say (l, (LookChannel) i, text, __builtin_popcount (m->from ^ m->to), look);
    } else if (k < 3) {
      double number = k == 0   ? (double) m->size
                      : k == 1 ? (double) m->tag
                      : dated  ? (double) (m->received - m->sent) / (double) s->clock.ticks_per_second
                               : NAN;
      g_autofree char *text = isnan (number) ? g_strdup ("") : g_strdup_printf ("%.15g", number);
      if (!isnan (number))
        looks_say (l, (LookChannel) i, text, number, look);
    } else if (k < N_OF_MESSAGE) {
      uint32_t task = k == 3 ? m->from : m->to;
      if (task != TRACE_NONE)
        looks_say (l, (LookChannel) i, names_name (names, s, task), NAN, look);
    } else if (l->more != NULL && l->more->n > 0) {
      g_autoptr (GString) added = g_string_new (NULL);
      double number = NAN;
      if (added_value (l, i, trace_ref_message (s->number, m->from, m->to, m->sent, m->received), added, &number))
        looks_say (l, (LookChannel) i, added->str, number, look);
    }
  }
}

bool
looks_agree (Look *to, const Look *other)
{
  const bool same[LOOK_CHANNELS] = {
    [LOOK_COLOUR] = to->rgb == other->rgb,
    [LOOK_PATTERN] = to->pattern == other->pattern,
    [LOOK_WIDTH] = to->width == other->width,
    [LOOK_DASH] = to->dash == other->dash,
    [LOOK_OPACITY] = to->opacity == other->opacity,
    [LOOK_SHAPE] = to->shape == other->shape,
    [LOOK_SIZE] = to->size == other->size,
    [LOOK_LABEL] = strcmp (to->label, other->label) == 0,
    [LOOK_ORDER] = true,
    [LOOK_HIDDEN] = true,
    [LOOK_X] = true,
    [LOOK_Y] = true,
    [LOOK_Z] = true,
    [LOOK_FILL] = to->fill == other->fill,
    [LOOK_CHART] = true,
  };
  uint32_t lost = to->has ^ other->has;

  for (int i = 0; i < LOOK_CHANNELS; i++)
    lost |= same[i] ? 0 : to->has & other->has & UINT32_C (1) << i;
  lost &= ~(UINT32_C (1) << LOOK_LABEL | UINT32_C (1) << LOOK_CHART); /* a group has a name, and a ring, of its own */
  to->has &= ~lost;
  return lost != 0;
}

int
looks_compare (const Looks *l, const Look *a, const Look *b)
{
  bool there = LOOK_HAS (a, LOOK_ORDER), other = LOOK_HAS (b, LOOK_ORDER);
  int before = 0;

  if (!there || !other)
    return (int) other - (int) there; /* what has none comes last */
  if (!isnan (a->order) && !isnan (b->order))
    before = (a->order > b->order) - (a->order < b->order);
  else
    before = strcmp (a->text, b->text);
  return l->falls ? -before : before;
}

/* ---- painting --------------------------------------------------------------------------------------------------------------- */

#define PATTERN_PX 6.0 /* between two lines */

static void
lines (cairo_t *cr, double x0, double y0, double x1, double y1, bool back)
{
  for (double at = floor ((x0 - (y1 - y0)) / PATTERN_PX) * PATTERN_PX; at < x1 + (y1 - y0); at += PATTERN_PX) {
    cairo_move_to (cr, at, back ? y0 : y1);
    cairo_line_to (cr, at + (y1 - y0), back ? y1 : y0);
  }
  cairo_stroke (cr);
}

void
looks_fill_pattern (cairo_t *cr, LookPattern pattern, uint32_t ink)
{
  double x0, y0, x1, y1;

  if (pattern == PATTERN_NONE)
    return;
  cairo_save (cr);
  cairo_path_t *path = cairo_copy_path (cr);
  cairo_clip (cr);
  cairo_clip_extents (cr, &x0, &y0, &x1, &y1);
  paint_source (cr, ink, 0.5);
  cairo_set_line_width (cr, 1.3);
  if (pattern == PATTERN_HATCH || pattern == PATTERN_CROSS)
    lines (cr, x0, y0, x1, y1, false);
  if (pattern == PATTERN_BACK || pattern == PATTERN_CROSS)
    lines (cr, x0, y0, x1, y1, true);
  for (double y = y0 + 2; pattern == PATTERN_DOTS && y < y1; y += PATTERN_PX)
    for (double x = x0 + 2; x < x1; x += PATTERN_PX) {
      cairo_arc (cr, x, y, 1.3, 0, 2 * G_PI);
      cairo_fill (cr);
    }
  cairo_restore (cr);
  cairo_new_path (cr);
  cairo_append_path (cr, path);
  cairo_path_destroy (path);
}

void
looks_set_dash (cairo_t *cr, LookDash dash, double width)
{
  double w = MAX (width, 1);

  if (dash == DASH_DASHED)
    cairo_set_dash (cr, (const double[]){ 4 * w, 3 * w }, 2, 0);
  else if (dash == DASH_DOTTED)
    cairo_set_dash (cr, (const double[]){ w, 2 * w }, 2, 0);
  else
    cairo_set_dash (cr, NULL, 0, 0);
}

typedef struct Key {
  Paint *p;
  const Looks *l;
  LookChannel channel;
  double x, y, end;
} Key;

#define SAMPLE_PX 22.0

static void
sample_of_chart (Paint *p, double x, double y, LookChart chart)
{
  looks_draw_chart (p, x, y, 9,
                    &(Look){ .chart = chart, .n_shares = 2, .share_of = { 0, 1 }, .shares = { 0.6f, 0.4f } });
}

static bool
looks_key_entry (void *arg, const char *text, bool value, const LookValue *from, const LookValue *to)
{
  Key *k = arg;
  Paint *p = k->p;
  cairo_t *cr = p->cr;
  double room = SAMPLE_PX + 5 + paint_text_width (p, PAINT_SMALL, text) + 12;

  if (k->channel == LOOK_HIDDEN) { /* what is not there has no sample */
    if (from->number > 0)
      k->x += paint_text (p, k->x, k->y, 0, PAINT_SMALL, p->ink, MAX (k->end - k->x, 1), text) + 12;
    return k->x < k->end;
  }

  if (k->x + room > k->end) {
    k->x += paint_text (p, k->x, k->y, 0, PAINT_SMALL, p->muted, 0, "\u2026") + 12;
    return false;
  }
  for (int i = 0; i < (int) SAMPLE_PX; i++) {
    double share = i / (SAMPLE_PX - 1), x = k->x + i;
    uint32_t rgb = p->muted;
    if (k->channel == LOOK_COLOUR
        && !view_chosen_colour (k->l->colours, k->l->attribute[LOOK_COLOUR], text, k->l->dark, &rgb))
      rgb = view_colour_on (to ? look_between (from, to, share).rgb : from->rgb, k->l->dark);
    double number = to != NULL ? from->number + share * (to->number - from->number) : from->number;
    double high = k->channel == LOOK_WIDTH  ? CLAMP (number, 0.5, 10)
                  : k->channel == LOOK_SIZE ? MAX (10 * sqrt (number), 1)
                  : k->channel == LOOK_FILL ? MAX (10 * number, 0.5)
                                            : 10;
    bool otherwise = k->channel == LOOK_PATTERN || k->channel == LOOK_DASH || k->channel == LOOK_SHAPE
                     || k->channel == LOOK_CHART;
    double alpha = k->channel == LOOK_OPACITY ? number : otherwise ? 0 : 1;
    drawing_rect (p->drawing, x, k->y - high / 2, 1, high, rgb, alpha, NULL);
  }
  if (k->channel == LOOK_PATTERN) {
    cairo_new_path (cr);
    cairo_rectangle (cr, k->x, k->y - 5, SAMPLE_PX, 10);
    looks_fill_pattern (cr, (LookPattern) from->number, p->ink);
    cairo_new_path (cr);
  } else if (k->channel == LOOK_SHAPE) {
    paint_shape_of (p, k->x + SAMPLE_PX / 2, k->y, 5, (PaintShape) from->number, p->muted);
  } else if (k->channel == LOOK_CHART) {
    sample_of_chart (p, k->x + SAMPLE_PX / 2, k->y, (LookChart) from->number);
  } else if (k->channel == LOOK_DASH) {
    paint_source (cr, p->ink, 1);
    cairo_set_line_width (cr, 2);
    looks_set_dash (cr, (LookDash) from->number, 2);
    cairo_move_to (cr, k->x, k->y);
    cairo_line_to (cr, k->x + SAMPLE_PX, k->y);
    cairo_stroke (cr);
    cairo_set_dash (cr, NULL, 0, 0);
  }
  DrawingTag tag = { DRAWING_NO_DATES, .attribute = g_intern_string (k->l->attribute[k->channel]),
                     .value = g_intern_string (text), .part = DRAWING_LEGEND };
  double begin = k->x;
  k->x += SAMPLE_PX + 5;
  k->x += paint_text (p, k->x, k->y, 0, PAINT_SMALL, p->ink, 0, text);
  if (k->channel == LOOK_COLOUR && value) /* else there is nothing that a dropped colour would change */
    drawing_area (p->drawing, begin, k->y - 8, k->x - begin, 16, &tag);
  k->x += 12;
  return true;
}

const char *
looks_unit (const Looks *l, const StateGraph *g, int channel)
{
  const StateAttribute *a = g != NULL && l->index[channel] >= 0 ? &g->model->attributes[l->index[channel]] : NULL;

  if (l->kind == LOOK_MESSAGE)
    return g_ascii_strcasecmp (l->attribute[channel], "size") == 0       ? "B"
           : g_ascii_strcasecmp (l->attribute[channel], "duration") == 0 ? "s"
                                                                         : NULL;
  return a == NULL                  ? NULL
         : a->kind == STATE_DATE    ? "s"
         : a->unit != NULL          ? a->unit
         : a->kind == STATE_PERCENT ? "%"
                                    : NULL;
}

double
looks_legend (const Looks *l, Paint *p, double x, double y, uint32_t shown)
{
  for (int i = 0; l->of != NULL && i < LOOK_CHANNELS; i++) {
    if (!asks (l, i) || !(shown >> i & 1) || x > p->scene->width_px - 120)
      continue;
    const char *unit = looks_unit (l, p->scene->graph, i);
    const StateGraph *g = p->scene->graph;
    const char *title = g != NULL && l->index[i] >= 0 ? state_attribute_word (&g->model->attributes[l->index[i]])
                                                      : in_words (l->attribute[i]);
    g_autofree char *head = g_strdup_printf ("%s %s: %s%s%s", in_words (look_kinds[l->kind]),
                                             in_words (look_channels[i]), title, unit != NULL ? _ (" in ") : "",
                                             unit != NULL ? unit : "");
    Key k = { p, l, (LookChannel) i, x, y, p->scene->width_px - 12 };
    k.x += paint_text (p, x, y, 0, PAINT_SMALL, p->muted, 0, head) + 8;
    if (i == LOOK_CHART && !associations_has_lines (l->of, l->kind, LOOK_CHART, l->view)) {
      sample_of_chart (p, k.x + 10, y, CHART_PIE);
      k.x += 28;
    } else if (i != LOOK_LABEL && i != LOOK_ORDER)
      associations_each (l->of, l->kind, (LookChannel) i, l->view, looks_key_entry, &k);
    x = k.x + 8;
  }
  return x;
}

/* ---- where they come from --------------------------------------------------------------------------------------------------- */

static void
read_level (ViewColours *c, LookLevel level, const char *folder, void (*tell) (void *arg, const char *sentence),
            void *arg)
{
  g_autofree char *path = folder != NULL ? g_build_filename (folder, "associations", NULL) : NULL;
  g_autoptr (GError) error = NULL;

  associations_clear (view_colours_associations (c), level);
  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS)
      || associations_read_file (view_colours_associations (c), level, path, level == LOOK_OF_BUNDLE ? folder : NULL,
                                 &error))
    return;
  if (tell != NULL)
    tell (arg, error->message);
}

void
view_associations_load (ViewColours *c, const char *program_folder, const char *bundle, const char *program_note,
                        void (*tell) (void *arg, const char *sentence), void *arg)
{
  g_autofree char *person = g_build_filename (g_get_user_config_dir (), "scope", NULL);
  g_autoptr (GError) error = NULL;

  read_level (c, LOOK_OF_MODEL, program_folder, tell, arg);
  read_level (c, LOOK_OF_PERSON, person, tell, arg);
  read_level (c, LOOK_OF_BUNDLE, bundle, tell, arg);
  associations_clear (view_colours_associations (c), LOOK_OF_PROGRAM);
  if (program_note != NULL && *program_note != '\0'
      && !associations_read (view_colours_associations (c), LOOK_OF_PROGRAM, program_note,
                             "The note “associations” of the program", &error)
      && tell != NULL)
    tell (arg, error->message);
}
