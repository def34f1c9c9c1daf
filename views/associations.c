/* SPDX-License-Identifier: Apache-2.0 */
/* associations.c - rules read from texts, and what they say of a value. */
#include "views/associations-rules.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "eve/disk.h"
#include "eve/nearest.h"
#include "readers/reader.h"
#include "views/paint.h"

#define FILE_MOST (4 * DISK_MIB)
#define RULES_MOST 1000 /* of a file: each value that is drawn may have to be looked for in all of them */
#define LINES_MOST 4096 /* of a rule */
#define VALUE_MOST 256  /* bytes */

const char *const look_kinds[LOOK_KINDS] = { "task", "link", "message", N_ ("region"), N_ ("series"), N_ ("group") },
                  *const look_channels[LOOK_CHANNELS] = { "colour", "pattern", "width", "dash",  "opacity",
                                                          "shape",  "size",    "label", "order", "hidden",
                                                          "x",      "y",       "z",     "fill",  "chart" },
                  *const look_charts[CHARTS] = { "pie", "bar" },
                  *const look_patterns[PATTERNS] = { "none", "hatch", "back", "cross", "dots" },
                  *const look_dashes[DASHES] = { "solid", "dashed", "dotted" },
                  *const look_levels[LOOK_LEVELS] = { "the format", "the person", "the bundle", "the program",
                                                      "what was given" };

static const char *const curves[CURVES] = { "linear", "root", "log" };

static uint64_t n_changes;

static void
rule_free (void *rule)
{
  Rule *r = rule;

  for (guint i = 0; i < r->entries->len; i++)
    g_free (g_array_index (r->entries, Entry, i).value);
  g_array_unref (r->entries);
  g_hash_table_unref (r->by_name);
  g_free (r->attribute);
  g_free (r->view);
  g_string_free (r->scale, TRUE);
  g_free (r);
}

Associations *
associations_new (void)
{
  Associations *a = g_new0 (Associations, 1);

  for (int i = 0; i < LOOK_LEVELS; i++)
    a->rules[i] = g_ptr_array_new_with_free_func (rule_free);
  a->asked = g_new0 (uint32_t, LOOK_KINDS);
  return a;
}

void
associations_free (Associations *a)
{
  if (a == NULL)
    return;
  for (int i = 0; i < LOOK_LEVELS; i++)
    g_ptr_array_unref (a->rules[i]);
  g_free (a->asked);
  g_free (a);
}

/* Rules do not change once they are read. */
Associations *
associations_copy (const Associations *a)
{
  Associations *copy = g_new0 (Associations, 1);

  for (int i = 0; i < LOOK_LEVELS; i++)
    copy->rules[i] = g_ptr_array_ref (a->rules[i]);
  copy->serial = a->serial;
  copy->asked = g_memdup2 (a->asked, LOOK_KINDS * sizeof *a->asked);
  return copy;
}

void
associations_clear (Associations *a, LookLevel level)
{
  g_ptr_array_unref (a->rules[level]);
  a->rules[level] = g_ptr_array_new_with_free_func (rule_free);
  a->serial = ++n_changes;
}

void
associations_ask (const Associations *a, LookKind kind, uint32_t channels)
{
  a->asked[kind] |= channels;
}

uint32_t
associations_asked (const Associations *a, LookKind kind)
{
  return a->asked[kind];
}

uint64_t
associations_serial (const Associations *a)
{
  return a != NULL ? a->serial : 0;
}

bool
associations_are_none (const Associations *a)
{
  guint n = 0;

  for (int i = 0; i < LOOK_LEVELS; i++)
    n += a->rules[i]->len;
  return n == 0;
}

/* ---- words of a line ------------------------------------------------------------------------------------------------------ */

typedef struct Line {
  const char *at;
  char *problem; /* NULL: none so far */
} Line;

static void views_associations_wrong (Line *l, const char *fmt, ...) G_GNUC_PRINTF (2, 3);

static void
views_associations_wrong (Line *l, const char *fmt, ...)
{
  va_list args;

  if (l->problem != NULL)
    return;
  va_start (args, fmt);
  l->problem = g_strdup_vprintf (fmt, args);
  va_end (args);
}

static void
views_associations_skip (Line *l)
{
  while (g_ascii_isspace (*l->at))
    l->at++;
}

/* A word, or what stands between quotation marks; NULL: the line ends.  g_free. */
static char *
views_associations_word (Line *l)
{
  views_associations_skip (l);
  if (*l->at == '\0')
    return NULL;
  const char *begin = l->at;
  if (*begin != '"') {
    bool colour = !g_ascii_strncasecmp (begin, "hsv(", 4) || !g_ascii_strncasecmp (begin, "hsl(", 4)
                  || !g_ascii_strncasecmp (begin, "lch(", 4); /* with blanks between their numbers */
    for (; *l->at != '\0' && (colour || !g_ascii_isspace (*l->at)); l->at++)
      colour = colour && *l->at != ')';
    return g_strndup (begin, (gsize) (l->at - begin));
  }
  GString *text = g_string_new (NULL);
  for (l->at++; *l->at != '\0' && *l->at != '"'; l->at++) {
    if (*l->at == '\\' && l->at[1] != '\0')
      l->at++;
    g_string_append_c (text, *l->at);
  }
  if (*l->at == '"')
    l->at++;
  else
    views_associations_wrong (l, _ ("a quotation mark is not closed"));
  return g_string_free (text, FALSE);
}

static void
offer_words (void *words, void (*add) (void *to, const char *name), void *to)
{
  for (const char *const *w = words; *w != NULL; w++)
    add (to, *w);
}

/* Which of n words it is; -1, and it is told. */
static int
which_of (Line *l, const char *what, const char *text, const char *const *words, int n)
{
  const char *all[LOOK_CHANNELS + 1] = { NULL };

  for (int i = 0; i < n; i++) {
    if (text != NULL && g_ascii_strcasecmp (text, words[i]) == 0)
      return i;
    all[i] = words[i];
  }
  g_autofree char *near = text != NULL ? eve_nearest_told (text, offer_words, (void *) all) : g_strdup (""),
                  *list = g_strjoinv (", ", (char **) all);
  if (text == NULL)
    views_associations_wrong (l, _ ("a %s is missing; it is one of %s"), what, list);
  else
    views_associations_wrong (l, _ ("“%s” is no %s; it is one of %s%s"), text, what, list, near);
  return -1;
}

static double
views_associations_number_of (Line *l, const char *text)
{
  char *end = NULL;
  double x = text != NULL ? g_ascii_strtod (text, &end) : NAN;

  if (text == NULL || end == text || *end != '\0' || !isfinite (x))
    views_associations_wrong (l, _ ("“%s” is no number"), text != NULL ? text : "");
  return x;
}

static LookValue
views_associations_look_of (Line *l, LookChannel channel, const char *text)
{
  LookValue v = { 0 };

  if (text == NULL) {
    views_associations_wrong (l, _ ("nothing stands behind “=”"));
    return v;
  }
  switch (channel) {
  case LOOK_COLOUR:
    if (!look_colour (text, &v))
      views_associations_wrong (
          l, _ ("“%s” is no colour; colours are six digits, as #2a9d6f, or hsv(150, 70%%, 60%%), hsl(...), lch(...)"),
          text);
    break;
  case LOOK_PATTERN:
    v.number = which_of (l, "pattern", text, look_patterns, PATTERNS);
    break;
  case LOOK_DASH:
    v.number = which_of (l, "dash", text, look_dashes, DASHES);
    break;
  case LOOK_SHAPE:
    v.number = which_of (l, "shape", text, paint_shapes, PAINT_SHAPES);
    break;
  case LOOK_HIDDEN:
    v.number = which_of (l, "answer", text, (const char *const[]){ "no", "yes" }, 2);
    break;
  case LOOK_CHART:
    v.number = which_of (l, "chart", text, look_charts, CHARTS);
    break;
  case LOOK_WIDTH:
    v.number = views_associations_number_of (l, text);
    if (!(v.number >= 0 && v.number <= 100))
      views_associations_wrong (l, _ ("a width is from 0 to 100 px"));
    break;
  case LOOK_OPACITY:
  case LOOK_SIZE:
    v.number = views_associations_number_of (l, text);
    if (!(v.number >= 0 && v.number <= 1))
      views_associations_wrong (l, _ ("%s is from 0 to 1"), channel == LOOK_SIZE ? _ ("a size") : _ ("an opacity"));
    break;
  case LOOK_FILL:
  case LOOK_X:
  case LOOK_Y:
  case LOOK_Z:
    v.number = views_associations_number_of (l, text);
    if (!(v.number >= 0 && v.number <= 1))
      views_associations_wrong (l, channel == LOOK_FILL ? _ ("how far something is filled is from 0 to 1")
                                                        : _ ("a place is from 0 to 1"));
    break;
  default:
    views_associations_wrong (l, _ ("%s has no looks of values"), look_channels[channel]);
    break;
  }
  return v;
}

/* ---- lines ----------------------------------------------------------------------------------------------------------------- */

/* Words with ".." between them: "0 .. 100"; how many, at most three. */
static guint
views_associations_spread (Line *l, char *words[3])
{
  guint n = 0;

  do {
    words[n] = views_associations_word (l);
    if (words[n] == NULL)
      return n;
    n++;
    views_associations_skip (l);
  } while (n < 3 && g_str_has_prefix (l->at, "..") && (l->at += 2));
  return n;
}

static void
views_associations_end_line (Line *l)
{
  g_autofree char *rest = views_associations_word (l);

  if (rest != NULL)
    views_associations_wrong (l, _ ("“%s” is more than is understood here"), rest);
}

static bool
is_smooth (LookChannel channel)
{
  return channel == LOOK_COLOUR || channel == LOOK_WIDTH || channel == LOOK_OPACITY || channel == LOOK_SIZE
         || (channel >= LOOK_X && channel != LOOK_CHART);
}

/* ramp 0 .. 100 = #ffffff .. #2a9d6f [root] */
static void
read_ramp (Line *l, const Rule *r, Entry *e)
{
  char *numbers[3] = { NULL }, *looks[3] = { NULL };
  guint n = views_associations_spread (l, numbers), m = 0;
  g_autofree char *equal = views_associations_word (l);

  e->scale = SCALE_RAMP;
  if (!is_smooth (r->channel))
    views_associations_wrong (l, _ ("a %s has no ramp"), look_channels[r->channel]);
  if (n < 2 || g_strcmp0 (equal, "=") != 0)
    views_associations_wrong (l, _ ("a ramp is written as: ramp 0 .. 100 = #ffffff .. #2a9d6f"));
  else if ((m = views_associations_spread (l, looks)) != n)
    views_associations_wrong (l, _ ("the ramp has %u numbers and %u looks"), n, m);
  if (l->problem == NULL) {
    e->from = views_associations_number_of (l, numbers[0]);
    e->to = views_associations_number_of (l, numbers[n - 1]);
    e->low = views_associations_look_of (l, r->channel, looks[0]);
    e->high = views_associations_look_of (l, r->channel, looks[n - 1]);
    e->has_centre = n == 3;
    if (e->has_centre) {
      e->middle = views_associations_number_of (l, numbers[1]);
      e->centre = views_associations_look_of (l, r->channel, looks[1]);
    }
  }
  if (l->problem == NULL && (!(e->from < e->to) || (e->has_centre && !(e->from < e->middle && e->middle < e->to))))
    views_associations_wrong (l, _ ("the numbers of a ramp grow"));
  g_autofree char *curve = l->problem == NULL ? views_associations_word (l) : NULL;
  if (curve != NULL)
    e->curve = (Curve) which_of (l, "curve", curve, curves, CURVES);
  if (e->curve == CURVE_LOG && !(e->from > 0))
    views_associations_wrong (l, _ ("a ramp by logarithm begins above 0"));
  for (int i = 0; i < 3; i++) {
    g_free (numbers[i]);
    g_free (looks[i]);
  }
}

/* VALUE = LOOK, or FROM .. TO = LOOK */
static void
views_associations_read_value (Line *l, const Rule *r, Entry *e)
{
  char *words[3] = { NULL };
  views_associations_skip (l);
  bool quoted = *l->at == '"';
  guint n = views_associations_spread (l, words);
  g_autofree char *equal = n == 0 ? NULL : views_associations_word (l);

  if (n == 1) { /* perhaps a value of several words */
    GString *value = g_string_new (words[0]);
    while (equal != NULL && strcmp (equal, "=") != 0) {
      g_string_append_printf (value, " %s", equal);
      if (value->len > VALUE_MOST)
        views_associations_wrong (l, _ ("a value is at most %d bytes long"), VALUE_MOST);
      g_free (equal);
      equal = l->problem == NULL ? views_associations_word (l) : NULL;
    }
    g_free (words[0]);
    words[0] = g_string_free (value, FALSE);
    if (strlen (words[0]) > VALUE_MOST)
      views_associations_wrong (l, _ ("a value is at most %d bytes long"), VALUE_MOST);
  }
  if (g_strcmp0 (equal, "=") != 0 || n == 3)
    views_associations_wrong (
        l, _ ("a line of a rule is VALUE = LOOK, FROM .. TO = LOOK, ramp FROM .. TO = LOOK .. LOOK, or other = LOOK"));
  g_autofree char *look = l->problem == NULL ? views_associations_word (l) : NULL;
  if (l->problem == NULL)
    e->low = views_associations_look_of (l, r->channel, look);
  e->scale = n == 2 ? SCALE_STEP : !quoted && g_strcmp0 (words[0], "other") == 0 ? SCALE_OTHER : SCALE_VALUE;
  if (e->scale == SCALE_STEP) {
    e->from = views_associations_number_of (l, words[0]);
    e->to = views_associations_number_of (l, words[1]);
    if (l->problem == NULL && !(e->from < e->to))
      views_associations_wrong (l, _ ("an interval ends behind its beginning"));
  } else {
    e->value = g_steal_pointer (&words[0]);
  }
  for (int i = 0; i < 3; i++)
    g_free (words[i]);
}

static void
read_entry (Line *l, Rule *r)
{
  Entry e = { 0 };
  Line ahead = *l;
  g_autofree char *first = views_associations_word (&ahead);

  views_associations_skip (l);
  if (r->channel == LOOK_ORDER) {
    r->falls = which_of (l, "order", first, (const char *const[]){ "rising", "falling" }, 2) == 1;
    l->at = ahead.at;
  } else if (r->channel == LOOK_CHART && first != NULL && strchr (l->at, '=') == NULL) { /* alone, as for all */
    e.low = views_associations_look_of (l, r->channel, first);
    e.scale = SCALE_OTHER;
    e.value = g_strdup ("other");
    l->at = ahead.at;
  } else if (r->channel == LOOK_LABEL) {
    views_associations_wrong (l, _ ("a label is the attribute itself, and has no lines"));
  } else if (*l->at != '"' && g_strcmp0 (first, "ramp") == 0 && strchr (l->at, '=') != NULL && strstr (l->at, "..")) {
    l->at = ahead.at;
    read_ramp (l, r, &e);
  } else if (r->channel == LOOK_COLOUR && *l->at != '"' && g_strcmp0 (first, "itself") == 0
             && strchr (l->at, '=') == NULL) {
    l->at = ahead.at;
    e.scale = SCALE_ITSELF;
    r->itself = true;
  } else {
    views_associations_read_value (l, r, &e);
  }
  g_free (ahead.problem);
  if (l->problem == NULL)
    views_associations_end_line (l);
  if (r->channel == LOOK_ORDER || l->problem != NULL) {
    g_free (e.value);
    return;
  }
  if (r->entries->len >= LINES_MOST) {
    views_associations_wrong (l, _ ("a rule has at most %d lines"), LINES_MOST);
    g_free (e.value);
    return;
  }
  g_array_append_val (r->entries, e);
  if (e.scale == SCALE_VALUE)
    g_hash_table_insert (r->by_name, e.value, GUINT_TO_POINTER (r->entries->len));
  if (e.scale == SCALE_OTHER)
    r->other = (int) r->entries->len - 1;
}

/* task State colour */
static Rule *
views_associations_read_rule (Line *l, const char *view)
{
  g_autofree char *kind = views_associations_word (l), *attribute = views_associations_word (l),
                  *channel = views_associations_word (l);
  int k = which_of (l, "kind of object", kind, look_kinds, LOOK_KINDS), c = -1;

  if (l->problem == NULL && attribute == NULL)
    views_associations_wrong (l, _ ("an attribute is missing: a rule begins as “task State colour”"));
  if (l->problem == NULL)
    c = which_of (l, "channel", channel, look_channels, LOOK_CHANNELS);
  if (c == LOOK_CHART && k != LOOK_TASK) /* of which attribute, the model says */
    views_associations_wrong (l, _ ("a chart is of the shares of what tasks do: only a rule for tasks has one"));
  if (l->problem == NULL)
    views_associations_end_line (l);
  if (l->problem != NULL)
    return NULL;
  Rule *r = g_new0 (Rule, 1);
  r->kind = (LookKind) k;
  r->channel = (LookChannel) c;
  r->attribute = g_steal_pointer (&attribute);
  r->view = g_strdup (view);
  r->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  r->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  r->other = -1;
  r->scale = g_string_new (NULL);
  return r;
}

/* "in "Space-time"", "in all" */
static void
read_view (Line *l, char **view)
{
  g_autofree char *in = views_associations_word (l);
  views_associations_skip (l);
  bool quoted = *l->at == '"';
  char *name = views_associations_word (l);

  if (name == NULL)
    views_associations_wrong (l, _ ("which view is missing: in \"Space-time\", or in all"));
  views_associations_end_line (l);
  g_free (*view);
  *view = name != NULL && !quoted && strcmp (name, "all") == 0 ? (g_free (name), NULL) : name;
}

bool
associations_read (Associations *a, LookLevel level, const char *text, const char *name, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GPtrArray) rules = g_ptr_array_new_with_free_func (rule_free);
  g_autofree char *view = NULL;
  Rule *r = NULL;
  bool begun = false;

  if (!g_utf8_validate (text, -1, NULL)) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s is no text in UTF-8"), name);
    return false;
  }
  for (guint i = 0; lines[i] != NULL; i++) {
    char *one = lines[i];
    bool inside = g_ascii_isspace (*one);
    Line l = { g_strstrip (one), NULL };
    if (*l.at == '\0' || *l.at == '#')
      continue;
    if (!begun) {
      begun = strcmp (l.at, HEAD) == 0;
      if (!begun)
        views_associations_wrong (&l, _ ("a file of associations begins with the line “%s”"), HEAD);
    } else if (!inside && (g_str_has_prefix (l.at, "in ") || strcmp (l.at, "in") == 0)) {
      read_view (&l, &view);
      r = NULL;
    } else if (!inside) {
      r = views_associations_read_rule (&l, view);
      if (r != NULL)
        g_ptr_array_add (rules, r);
      if (rules->len > RULES_MOST)
        views_associations_wrong (&l, _ ("more than %d rules"), RULES_MOST);
    } else if (r == NULL) {
      views_associations_wrong (&l, _ ("this line belongs to no rule: before it comes one as “task State colour”"));
    } else {
      g_string_append_printf (r->scale, "  %s\n", l.at);
      read_entry (&l, r);
    }
    if (l.problem != NULL) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s, line %u: %s"), name, i + 1, l.problem);
      g_free (l.problem);
      return false;
    }
  }
  if (!begun) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s, line 1: a file of associations begins with the line “%s”"), name, HEAD);
    return false;
  }
  g_ptr_array_unref (a->rules[level]);
  a->rules[level] = g_steal_pointer (&rules);
  a->serial = ++n_changes;
  return true;
}

bool
associations_read_file (Associations *a, LookLevel level, const char *path, const char *below, GError **error)
{
  size_t n;
  g_autofree char *text = disk_read (path, below, FILE_MOST, &n, error);

  if (text == NULL)
    return false;
  if (strlen (text) != n) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s is no text"), path);
    return false;
  }
  return associations_read (a, level, text, path, error);
}

/* ---- what they say ----------------------------------------------------------------------------------------------------------- */

static bool
is_for (const Rule *r, LookKind kind, LookChannel channel, const char *view, bool own)
{
  return r->kind == kind && r->channel == channel
         && (own ? r->view != NULL && strcmp (r->view, view) == 0 : r->view == NULL);
}

/* Nearest first: those for the view, then those for all; in each, from what was given to what the format brings; in
 * one level the last. */
const Rule *
associations_nearest (const Associations *a, LookKind kind, LookChannel channel, const char *view, LookLevel *level)
{
  for (int own = view != NULL; a != NULL && own >= 0; own--)
    for (int i = LOOK_LEVELS - 1; i >= 0; i--)
      for (guint k = a->rules[i]->len; k-- > 0;) {
        const Rule *r = a->rules[i]->pdata[k];
        if (!is_for (r, kind, channel, view, own))
          continue;
        if (level != NULL)
          *level = (LookLevel) i;
        return r;
      }
  return NULL;
}

const char *
associations_attribute (const Associations *a, LookKind kind, LookChannel channel, const char *view)
{
  const Rule *r = associations_nearest (a, kind, channel, view, NULL);

  return r != NULL ? r->attribute : NULL;
}

LookLevel
associations_level (const Associations *a, LookKind kind, LookChannel channel, const char *view)
{
  LookLevel level = LOOK_OF_MODEL;

  associations_nearest (a, kind, channel, view, &level);
  return level;
}

bool
associations_falls (const Associations *a, LookKind kind, const char *view)
{
  const Rule *r = associations_nearest (a, kind, LOOK_ORDER, view, NULL);

  return r != NULL && r->falls;
}

static double
along (const Entry *e, double number, double from, double to)
{
  /* halves: the difference of two numbers may be none */
  double share = e->curve == CURVE_LOG ? (log (MAX (number, from)) - log (from)) / (log (to) - log (from))
                                       : (number / 2 - from / 2) / (to / 2 - from / 2);

  share = share > 0 ? fmin (share, 1) : 0;
  return e->curve == CURVE_ROOT ? sqrt (share) : share;
}

static bool
says (const Rule *r, const char *text, double number, LookValue *to)
{
  guint named = text != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (r->by_name, text)) : 0;

  if (named > 0) {
    *to = g_array_index (r->entries, Entry, named - 1).low;
    return true;
  }
  if (r->itself && text != NULL && look_colour (text, to))
    return true;
  for (guint i = 0; !isnan (number) && i < r->entries->len; i++) {
    const Entry *e = &g_array_index (r->entries, Entry, i);
    if (e->scale == SCALE_STEP && number >= e->from && number < e->to) {
      *to = e->low;
      return true;
    }
    if (e->scale != SCALE_RAMP)
      continue;
    if (e->has_centre)
      *to = number < e->middle ? look_between (&e->low, &e->centre, along (e, number, e->from, e->middle))
                               : look_between (&e->centre, &e->high, along (e, number, e->middle, e->to));
    else
      *to = look_between (&e->low, &e->high, along (e, number, e->from, e->to));
    return true;
  }
  if (r->other >= 0)
    *to = g_array_index (r->entries, Entry, r->other).low;
  return r->other >= 0;
}

bool
associations_look (const Associations *a, LookKind kind, const char *attribute, LookChannel channel, const char *view,
                   const char *text, double number, LookValue *to)
{
  for (int own = view != NULL; a != NULL && own >= 0; own--)
    for (int i = LOOK_LEVELS - 1; i >= 0; i--)
      for (guint k = a->rules[i]->len; k-- > 0;) {
        const Rule *r = a->rules[i]->pdata[k];
        if (is_for (r, kind, channel, view, own) && g_ascii_strcasecmp (r->attribute, attribute) == 0
            && says (r, text, number, to))
          return true;
      }
  return false;
}

bool
associations_ramp (const Associations *a, LookKind kind, LookChannel channel, const char *view, double *from,
                   double *to)
{
  const Rule *r = associations_nearest (a, kind, channel, view, NULL);
  bool any = false;

  for (guint i = 0; r != NULL && i < r->entries->len; i++) {
    const Entry *e = &g_array_index (r->entries, Entry, i);
    if (e->scale != SCALE_RAMP)
      continue;
    *from = any ? fmin (*from, e->from) : e->from;
    *to = any ? fmax (*to, e->to) : e->to;
    any = true;
  }
  return any;
}

bool
associations_has_lines (const Associations *a, LookKind kind, LookChannel channel, const char *view)
{
  const Rule *r = associations_nearest (a, kind, channel, view, NULL);

  return r != NULL && r->entries->len > 0;
}

static void
each_line (const Rule *r, AssociationsEach each, void *arg)
{
  for (guint i = 0; r != NULL && i < r->entries->len; i++) {
    const Entry *e = &g_array_index (r->entries, Entry, i);
    if (e->scale == SCALE_ITSELF)
      continue;
    g_autofree char *text = e->scale == SCALE_RAMP || e->scale == SCALE_STEP
                                ? g_strdup_printf ("%g \u2013 %g", e->from, e->to)
                                : g_strdup (e->value);
    if (!each (arg, text, e->scale == SCALE_VALUE, &e->low, e->scale == SCALE_RAMP ? &e->high : NULL))
      return;
  }
}

void
associations_each (const Associations *a, LookKind kind, LookChannel channel, const char *view, AssociationsEach each,
                   void *arg)
{
  each_line (associations_nearest (a, kind, channel, view, NULL), each, arg);
}

void
associations_each_line (const Associations *a, LookLevel level, guint number, AssociationsEach each, void *arg)
{
  each_line (a != NULL && number < a->rules[level]->len ? a->rules[level]->pdata[number] : NULL, each, arg);
}
