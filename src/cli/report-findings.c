/* SPDX-License-Identifier: Apache-2.0 */
/* What stands out in an execution, as sentences, and the tables that they are of. */
#include "cli/report.h"
#include "eve/number.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "cli/text.h"
#include "readers/another.h"
#include "simulators/mirror.h"
#include "views/view.h"
#include "views/palettes.h"

#define WIDTH 110     /* of a line of sentences */
#define NAMED 4       /* states in a sentence; sentences of one kind */
#define WORTH 0.05    /* a state is worth a sentence from this part of a life on, */
#define UNEVEN 1.25   /* and uneven if the most is so many times the mean */
#define HARDLY 0.0005 /* of a life */
#define MOST_TYPES 8  /* types that have a sentence and a table */

void
report_heading (GString *to, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  g_autofree char *text = text_clean (g_strdup_vprintf (fmt, args));
  va_end (args);
  g_string_append_printf (to, "\n%s\n", text);
  for (glong i = g_utf8_strlen (text, -1); i > 0; --i)
    g_string_append_c (to, '-');
  g_string_append_c (to, '\n');
}

void
report_sentence (GString *to, char *taken)
{
  g_autofree char *text = text_clean (taken);
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  glong column = 0;

  for (char **w = words; *w; ++w) {
    glong n = g_utf8_strlen (*w, -1);
    bool first = w == words, breaks = !first && column + 1 + n > WIDTH;
    /* what has a unit stays with it */
    g_string_append (to, first ? "  " : breaks ? "\n    " : " ");
    column = (first ? 2 : breaks ? 4 : column + 1) + n;
    g_string_append (to, *w);
  }
  g_string_append_c (to, '\n');
}

static char *
report_findings_seconds (const Report *r, int64_t ticks)
{
  return ticks == 0 ? g_strdup ("0 s") : text_seconds (trace_clock_seconds (&r->source->clock, ticks));
}

static double
report_findings_part (int64_t of, int64_t whole)
{
  return whole > 0 ? (double) of / (double) whole : 0;
}

/* Its type, which may be the program that it runs, is told beside it.  What is under way in a task, of which there may
 * be many, has a name of its own. */
static char *
report_findings_name_of (const Report *r, uint32_t node)
{
  uint32_t task = report_task_number (r, node);
  const TraceTask *t = trace_task (r->source, task);
  const char *id = r->graph->node_id (r->graph, node);

  if (trace_task_is_another (r->source, task) && trace_task_is_named_after (r->source, task)) {
    t = trace_task (r->source, t->parent); /* it is the one that is told there */
    id = t->id;
  }
  return t && t->nickname ? g_strdup_printf ("%s %s", t->nickname, id) : g_strdup (id);
}

/* "8 tasks of “Rank”", "5 tasks" */
static char *
report_findings_tasks_of (const ReportType *type)
{
  guint n = type->nodes->len;

  if (type->again && type->name)
    return g_strdup_printf (P_ ("the same %u task as “%s”", "the same %u tasks as “%s”", n), n, type->word);
  return type->name ? g_strdup_printf (P_ ("%u task of “%s”", "%u tasks of “%s”", n), n, type->word)
                    : g_strdup_printf (P_ ("%u task", "%u tasks", n), n);
}

char *
report_holds (const Report *r)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < r->types->len; ++i) {
    const ReportType *type = r->types->pdata[i];
    if (!type->name || type->again)
      continue;
    n += type->nodes->len;
    g_string_append_printf (text, "%s%s: %u", text->len ? ", " : "", type->word, type->nodes->len);
  }
  if (n == 0 || !r->source->types->len)
    return NULL;
  return g_strdup_printf (P_ ("%u task (%s)", "%u tasks (%s)", n), n, text->str);
}

char *
report_colour (const Report *r, int state)
{
  const StateModel *m = r->graph->model;
  int attribute = state_with_role (m, STATE_NODE, STATE_ROLE_STATE);

  if (r->state_of[state] == STATE_OTHERS)
    return g_strdup ("#c9ccd2");
  const StateValue *value = state_value (m, attribute, r->state_of[state]);
  if (m->times == NULL)
    return g_strdup (state_colour (value->sense));
  ViewColours *colours = view_colours_load ();
  view_colours_declare (colours, (TraceSource *const[]){ r->source }, 1);
  uint32_t rgb = view_state_colour (colours, STATE_NODE, m->attributes[attribute].name, value, false);
  view_colours_free (colours);
  return g_strdup_printf ("#%06x", VIEW_PLAIN (rgb));
}

/* ---- sentences ------------------------------------------------------------------------------------------------------ */

/* "2 tasks of “Rank” lived 1.2 s each, 2.4 s together" */
static void
tell_lives (const Report *r, const ReportType *type, GString *text)
{
  guint n = type->nodes->len;
  g_autofree char *who = report_findings_tasks_of (type), *shortest = report_findings_seconds (r, type->shortest),
                  *longest = report_findings_seconds (r, type->longest),
                  *all = report_findings_seconds (r, type->lived);

  if (type->again) { /* of whom that was told */
    g_string_append_printf (text, P_ ("The same %u task as “%s”", "The same %u tasks as “%s”", n), n,
                            type->name ? type->word : "");
    return;
  }
  g_string_append_printf (text, _ ("%s lived "), who);
  if (strcmp (shortest, longest) != 0)
    g_string_append_printf (text, _ ("%s to %s, %s together"), shortest, longest, all);
  else if (n == 1)
    g_string_append (text, all);
  else
    g_string_append_printf (text, _ ("%s each, %s together"), longest, all);
}

static void
tell_type (const Report *r, const ReportType *type, GString *to)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_states = 0, told = 0;
  double rest = 1;

  for (guint k = 0; k < type->states->len; ++k)
    n_states += g_array_index (type->states, ReportState, k).spent > 0;
  tell_lives (r, type, text);
  for (; told < n_states && (told < NAMED || n_states == NAMED + 1); ++told) {
    const ReportState *s = &g_array_index (type->states, ReportState, told);
    double share = report_findings_part (s->spent, type->lived);
    if (share < HARDLY)
      break;
    rest -= share;
    g_autofree char *percent = text_percent (share);
    g_string_append_printf (text,
                            told == 0              ? _ (": %s in “%s”")
                            : told + 1 == n_states ? _ (" and %s in “%s”")
                                                   : _ (", %s in “%s”"),
                            percent, report_word (r, s->value));
  }
  if (told < n_states && rest < HARDLY)
    g_string_append (text, _ (", and hardly ever in others"));
  else if (told < n_states) {
    g_autofree char *percent = text_percent (rest);
    g_string_append_printf (text, _ (" and %s in %u other states"), percent, n_states - told);
  }
  g_string_append_c (text, '.');
  report_sentence (to, g_string_free (g_steal_pointer (&text), FALSE));
}

/* The states of which one task has much more than the mean, those of most time first. */
static void
tell_uneven (const Report *r, const ReportType *type, GString *to)
{
  guint n = type->nodes->len, told = 0;

  for (guint k = 0; n > 1 && k < type->states->len && told < NAMED; ++k) {
    const ReportState *s = &g_array_index (type->states, ReportState, k);
    double mean = (double) s->spent / n;
    if (report_findings_part (s->spent, type->lived) < WORTH || (double) s->most < UNEVEN * mean
        || report_sense (r, s->value) == STATE_SENSE_REST)
      continue;
    g_autofree char *who = report_findings_tasks_of (type), *most = report_findings_seconds (r, s->most),
                    *least = report_findings_seconds (r, s->least);
    g_autofree char *usual = text_seconds (mean / (double) r->source->clock.ticks_per_second);
    g_autofree char *a = report_findings_name_of (r, s->most_node), *b = report_findings_name_of (r, s->least_node);
    report_sentence (
        to, g_strdup_printf (_ ("“%s” is uneven among %s: %s of %s at most, %s of %s at least, %s on average."),
                             report_word (r, s->value), who, most, a, least, b, usual));
    ++told;
  }
}

static void
tell_unlike (const Report *r, const ReportUnlike *u, GString *to)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const TraceSource *s = r->source;
  int64_t slice = (s->last - s->first) / REPORT_SLICES; /* dates are told as exactly as they are known */
  g_autofree char *who = report_findings_name_of (r, u->node), *from = report_date (&s->clock, u->from, slice),
                  *until = report_date (&s->clock, u->to, slice);

  number_local (from);
  number_local (until);
  uint32_t others = u->type->nodes->len - 1, alike = u->n_unlike - 1; /* as far from what is usual as this one */
  if (alike > 0)
    g_string_append_printf (text, _ ("%s is unlike %u of the other %u"), who, others - alike, others);
  else
    g_string_append_printf (text, _ ("%s is unlike the other %u"), who, others);
  if (u->type->name)
    g_string_append_printf (text, _ (" of “%s”"), u->type->word);
  g_autofree char *share = text_percent (u->share), *usual = text_percent (u->usual);
  if (u->share < HARDLY)
    g_string_append_printf (text, _ (": hardly ever in “%s”, where"), report_word (r, u->value));
  else
    g_string_append_printf (text, _ (": %s of its life in “%s”, where"), share, report_word (r, u->value));
  if (u->usual < HARDLY)
    g_string_append (text, _ (" they hardly ever are"));
  else
    g_string_append_printf (text, _ (" %s is usual"), usual);
  if (u->dated && u->from == s->first && u->to == s->last)
    g_string_append (text, _ ("; all along"));
  else if (u->dated && u->to == s->last)
    g_string_append_printf (text, _ ("; mostly from %s %s on"), from, s->clock.units);
  else if (u->dated && u->from == s->first)
    g_string_append_printf (text, _ ("; mostly until %s %s"), until, s->clock.units);
  else if (u->dated)
    g_string_append_printf (text, _ ("; mostly from %s to %s %s"), from, until, s->clock.units);
  g_string_append_c (text, '.');
  report_sentence (to, g_string_free (g_steal_pointer (&text), FALSE));
}

/* Of each the state in which it differs most. */
static void
tell_all_unlike (const Report *r, GString *to)
{
  g_autoptr (GHashTable) told = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < r->unlike->len && g_hash_table_size (told) < NAMED; ++i) {
    const ReportUnlike *u = &g_array_index (r->unlike, ReportUnlike, i);
    if (g_hash_table_add (told, GUINT_TO_POINTER (u->node)))
      tell_unlike (r, u, to);
  }
}

static void
report_findings_tell_messages (const Report *r, GString *to)
{
  StateTotals t = state_totals (r->graph);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *received = text_bytes ((double) t.received_bytes);

  if (t.sent == 0 && t.received == 0)
    return;
  bool sized = report_tells_sizes (r);
  if (sized)
    g_string_append_printf (
        text,
        P_ ("%" PRId64 " message, %s, was received", "%" PRId64 " messages, %s, were received", (gulong) t.received),
        t.received, received);
  else
    g_string_append_printf (
        text, P_ ("%" PRId64 " message was received", "%" PRId64 " messages were received", (gulong) t.received),
        t.received);
  if (t.sent > t.received)
    g_string_append_printf (text,
                            P_ ("; %" PRId64 " more was sent and never received",
                                "; %" PRId64 " more were sent and never received", (gulong) (t.sent - t.received)),
                            t.sent - t.received);
  if (sized && r->links->len > 1) {
    const ReportLink *l = &g_array_index (r->links, ReportLink, 0);
    double mean = 0;
    for (guint i = 0; i < r->links->len; ++i)
      mean += g_array_index (r->links, ReportLink, i).bytes / r->links->len;
    uint32_t a, b;
    r->graph->edge_ends (r->graph, l->edge, &a, &b);
    g_autofree char *from = report_findings_name_of (r, a), *other = report_findings_name_of (r, b),
                    *bytes = text_bytes (l->bytes), *share = text_share (l->bytes / MAX ((double) t.received_bytes, 1)),
                    *usual = text_bytes (mean);
    if (l->bytes < UNEVEN * mean)
      g_string_append_printf (text, _ ("; the %u links between tasks carry about as much each, %s"), r->links->len,
                              usual);
    else
      g_string_append_printf (text, _ ("; most bytes went from %s to %s: %s, %s"), from, other, bytes, share);
  }
  g_string_append_c (text, '.');
  report_sentence (to, g_string_free (g_steal_pointer (&text), FALSE));
}

static const TraceType *
type_of_variable (const Report *r, const ReportVariable *x)
{
  return r->source->types->pdata[x->type];
}

static void
report_findings_put_number (GString *to, double x, const char *unit)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  if (g_strcmp0 (unit, "B") == 0 && x >= 1000) {
    trace_write_bytes (x, buf, sizeof buf);
    g_string_append (to, buf);
    return;
  }
  g_string_append (to, number_local (g_ascii_formatd (buf, sizeof buf, "%.6g", x)));
  if (unit)
    g_string_append_printf (to, " %s", unit);
}

/* Where the variables of the name of the one at `i` end. */
static guint
end_of_name (const Report *r, guint i)
{
  const GArray *all = r->variables.all;
  const char *name = type_of_variable (r, &g_array_index (all, ReportVariable, i))->name;

  while (i < all->len && strcmp (type_of_variable (r, &g_array_index (all, ReportVariable, i))->name, name) == 0)
    ++i;
  return i;
}

/* The variables of one name of several tasks. */
typedef struct Together {
  const ReportVariable *least, *most;
  double mean; /* by time, of all of them; NaN: no time passed */
  uint64_t changes;
} Together;

static Together
report_findings_together (const Report *r, guint from, guint end)
{
  const GArray *all = r->variables.all;
  Together t = { .least = &g_array_index (all, ReportVariable, from) };
  double sum = 0, lasted = 0;

  t.most = t.least;
  for (guint k = from; k < end; ++k) {
    const ReportVariable *x = &g_array_index (all, ReportVariable, k);
    t.least = x->least < t.least->least ? x : t.least;
    t.most = x->most > t.most->most ? x : t.most;
    t.changes += x->changes;
    sum += x->sum;
    lasted += x->lasted;
  }
  t.mean = lasted > 0 ? sum / lasted : NAN;
  return t;
}

/* Those that change, or those that never do: what stands out changes.  *told: of NAMED; gives how many are left. */
static guint
tell_variables_that (const Report *r, bool change, guint *told, GString *to)
{
  const GArray *all = r->variables.all;
  guint left = 0;

  for (guint i = 0, end; all && i < all->len; i = end) {
    end = end_of_name (r, i);
    Together x = report_findings_together (r, i, end);
    const ReportVariable *least = x.least, *most = x.most;
    if ((least->least != most->most) != change)
      continue;
    if (*told >= NAMED) {
      ++left;
      continue;
    }
    ++*told;
    const TraceType *type = type_of_variable (r, least);
    g_autoptr (GString) text = g_string_new (NULL);
    g_autofree char *then = text_date (&r->source->clock, least->least_at),
                    *later = text_date (&r->source->clock, most->most_at);
    g_string_append_printf (text, _ ("“%s” of "), type->name);
    if (end - i == 1)
      g_string_append (text, trace_task_name (r->source, least->task));
    else
      g_string_append_printf (text, P_ ("%u task", "%u tasks", end - i), end - i);
    g_string_append (text, least->least == most->most ? _ (": ") : _ (": at least "));
    report_findings_put_number (text, least->least, type->unit);
    if (least->least == most->most) {
      g_string_append (text, _ (", always."));
      report_sentence (to, g_string_free (g_steal_pointer (&text), FALSE));
      continue;
    }
    g_string_append_printf (text, _ (" (%s, %s), at most "), trace_task_name (r->source, least->task), then);
    report_findings_put_number (text, most->most, type->unit);
    g_string_append_printf (text, " (%s, %s)", trace_task_name (r->source, most->task), later);
    if (x.mean == x.mean) {
      g_string_append (text, _ (", on average over time "));
      report_findings_put_number (text, x.mean, type->unit);
    }
    g_string_append_c (text, '.');
    report_sentence (to, g_string_free (g_steal_pointer (&text), FALSE));
  }
  return left;
}

static void
tell_variables (const Report *r, GString *to)
{
  guint told = 0, left = tell_variables_that (r, true, &told, to);

  left += tell_variables_that (r, false, &told, to);
  if (left)
    report_sentence (to,
                     g_strdup_printf (P_ ("There is %u more variable.", "There are %u more variables.", left), left));
}

static void
tell_stateless (const Report *r, GString *to)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < r->types->len; ++i) {
    const ReportType *type = r->types->pdata[i];
    g_autofree char *who = type->busy ? NULL : report_findings_tasks_of (type);
    if (who)
      g_string_append_printf (text, "%s%s", text->len ? ", " : "", who);
  }
  if (text->len)
    report_sentence (to, g_strdup_printf (_ ("No state is told of: %s."), text->str));
}

void
report_findings (const Report *r, GString *to)
{
  guint told = 0;

  report_heading (to, _ ("What stands out"));
  for (guint i = 0; i < r->types->len; ++i) {
    const ReportType *type = r->types->pdata[i];
    if (!type->busy || told++ >= MOST_TYPES)
      continue;
    tell_type (r, type, to);
    tell_uneven (r, type, to);
  }
  if (told > MOST_TYPES)
    report_sentence (to, g_strdup_printf (P_ ("There is %u more type of tasks.", "There are %u more types of tasks.",
                                              told - MOST_TYPES),
                                          told - MOST_TYPES));
  tell_all_unlike (r, to);
  report_findings_tell_messages (r, to);
  tell_variables (r, to);
  tell_stateless (r, to);
}

/* ---- tables ---------------------------------------------------------------------------------------------------------- */

static void
report_findings_put_state (const Report *r, const ReportType *type, const ReportState *s, Table *t)
{
  guint n = type->nodes->len;
  g_autofree char *all = report_findings_seconds (r, s->spent), *inclusive = report_findings_seconds (r, s->inclusive);
  g_autofree char *least = report_findings_seconds (r, s->least), *most = report_findings_seconds (r, s->most);
  g_autofree char *a = report_findings_name_of (r, s->least_node), *b = report_findings_name_of (r, s->most_node);
  g_autofree char *of_life = text_share (report_findings_part (s->spent, type->lived));
  bool differ = s->least != s->most;

  table_cell (t, "%s", report_word (r, s->value));
  table_cell (t, "%s", all);
  table_cell (t, "%s", of_life);
  if (r->nested)
    table_cell (t, "%s", inclusive);
  if (s->visits >= 0) {
    g_autofree char *mean = s->spent == 0 ? g_strdup ("0 s")
                            : s->visits > 0
                                ? text_seconds (trace_clock_seconds (&r->source->clock, s->spent) / (double) s->visits)
                                : NULL;
    table_cell (t, "%" G_GINT64_FORMAT, s->visits);
    table_cell (t, "%s", mean ? mean : "");
  }
  if (n > 1) {
    table_cell (t, "%s", least);
    table_cell (t, "%s", differ ? a : "");
    table_cell (t, "%s", most);
    table_cell (t, "%s", differ ? b : "");
  }
}

static void
put_type (const Report *r, const ReportType *type, GString *to)
{
  g_autofree char *who = report_findings_tasks_of (type);
  g_autoptr (GString) columns = g_string_new ("lrr");
  guint n = type->nodes->len, n_told = 0;
  int64_t rest = 0;
  bool counted = r->graph->model->times || r->graph->model->visits;

  report_heading (to, _ ("Time by state, %s"), who);
  g_string_append_printf (columns, "%s%s%s", r->nested ? "r" : "", counted ? "rr" : "", n > 1 ? "rlrl" : "");
  Table *t = table_new (columns->str);
  table_cell (t, "%s", _ ("state"));
  table_cell (t, "%s", _ ("in all"));
  table_cell (t, "%s", _ ("of life"));
  if (r->nested)
    table_cell (t, "%s", _ ("with what is inside"));
  if (counted) {
    table_cell (t, "%s", _ ("entered"));
    table_cell (t, "%s", _ ("mean"));
  }
  if (n > 1) {
    table_cell (t, "%s", _ ("least"));
    table_cell (t, "%s", _ ("by"));
    table_cell (t, "%s", _ ("most"));
    table_cell (t, "%s", _ ("by"));
  }
  for (guint k = 0; k < type->states->len; ++k) {
    const ReportState *s = &g_array_index (type->states, ReportState, k);
    if (n_told < REPORT_COMPARED) {
      report_findings_put_state (r, type, s, t);
      ++n_told;
    } else
      rest += s->spent;
  }
  table_print (t, 2, to);
  g_autofree char *together = text_share (report_findings_part (rest, type->lived));
  if (type->states->len > n_told)
    g_string_append_printf (
        to,
        P_ ("  and %u more state, %s together\n", "  and %u more states, %s together\n", type->states->len - n_told),
        type->states->len - n_told, together);
}

/* Those of one name. */
static void
put_variable (const Report *r, guint from, guint end, Table *t)
{
  Together x = report_findings_together (r, from, end);
  const TraceType *type = type_of_variable (r, x.least);
  const double numbers[] = { x.least->least, x.mean, x.most->most };
  g_autofree char *then = text_date (&r->source->clock, x.least->least_at),
                  *later = text_date (&r->source->clock, x.most->most_at);
  char text[G_N_ELEMENTS (numbers)][G_ASCII_DTOSTR_BUF_SIZE];

  for (guint k = 0; k < G_N_ELEMENTS (numbers); ++k)
    number_local (g_ascii_formatd (text[k], sizeof text[k], "%.6g", numbers[k]));
  if (type->unit)
    table_cell (t, "%s [%s]", type->name, type->unit);
  else
    table_cell (t, "%s", type->name);
  table_cell (t, "%u", end - from);
  table_cell (t, "%s", text[0]);
  table_cell (t, "%s", trace_task_name (r->source, x.least->task));
  table_cell (t, "%s", then);
  table_cell (t, "%s", isnan (x.mean) ? "" : text[1]);
  table_cell (t, "%s", text[2]);
  table_cell (t, "%s", trace_task_name (r->source, x.most->task));
  table_cell (t, "%s", later);
  table_cell (t, "%" G_GUINT64_FORMAT, x.changes);
}

static void
report_findings_put_variables (const Report *r, GString *to)
{
  const GArray *all = r->variables.all;
  Table *t = table_new ("lrrllrrllr");
  guint told = 0, left = 0;

  report_heading (to, "Variables");
  table_heads (t, N_ ("variable"), N_ ("tasks"), N_ ("least"), N_ ("by"), N_ ("at"), N_ ("mean by time"), N_ ("most"),
               N_ ("by"), N_ ("at"), N_ ("set"));
  for (guint i = 0, end; i < all->len; i = end) {
    end = end_of_name (r, i);
    if (told < REPORT_COMPARED)
      put_variable (r, i, end, t);
    ++*(told < REPORT_COMPARED ? &told : &left);
  }
  table_print (t, 2, to);
  if (left)
    g_string_append_printf (to, _ ("  and %u more\n"), left);
  if (all->len > told)
    g_string_append (to, _ ("  report.json has those of each task\n"));
}

void
report_tables (const Report *r, GString *to)
{
  guint told = 0;

  for (guint i = 0; i < r->types->len && told < MOST_TYPES; ++i) {
    const ReportType *type = r->types->pdata[i];
    if (type->busy && type->states->len > 0) {
      put_type (r, type, to);
      ++told;
    }
  }
  if (r->variables.all)
    report_findings_put_variables (r, to);
}
