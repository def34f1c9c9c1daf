/* SPDX-License-Identifier: Apache-2.0 */
/* Several executions side by side: each has a report of its own, and all a table. */
#include "cli/report.h"
#include "eve/number.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "cli/text.h"

ReportRow *
report_row (const Report *r, const char *name, const char *folder)
{
  ReportRow *row = g_new0 (ReportRow, 1);
  g_autoptr (GString) timeline = g_string_new (NULL);

  report_timeline (r, timeline);
  row->name = g_strdup (name);
  row->folder = g_strdup (folder);
  row->timeline = g_strdup (timeline->str);
  row->clock = r->source->clock;
  row->first = r->source->first;
  row->last = r->source->last;
  row->n_tasks = r->source->tasks->len;
  row->n_events = r->source->n_events;
  row->messages = state_totals (r->graph);
  row->computed = report_computed (r);
  row->n_states = r->n_states;
  for (int k = 0; k < r->n_states; ++k) {
    row->states[k] = r->states[k];
    row->words[k] = g_intern_string (report_word (r, r->state_of[k]));
    row->shares[k] = report_share_of_all (r, k);
    row->senses[k] = r->senses[k];
    g_autofree char *colour = report_colour (r, k);
    g_strlcpy (row->colours[k], colour, sizeof row->colours[k]);
  }
  return row;
}

void
report_row_free (gpointer pointer)
{
  ReportRow *row = pointer;

  g_free (row->name);
  g_free (row->folder);
  g_free (row->timeline);
  g_free (row);
}

/* States of all executions, by name: they may be of different models. */
static GPtrArray *
all_states (const GPtrArray *rows)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < rows->len; ++i) {
    const ReportRow *row = rows->pdata[i];
    for (int k = 0; k < row->n_states; ++k)
      if (!g_ptr_array_find_with_equal_func (names, row->states[k], g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer) row->states[k]);
  }
  return names;
}

/* NaN: the execution has no such state. */
static double
report_several_share_of (const ReportRow *row, const char *state)
{
  for (int k = 0; k < row->n_states; ++k)
    if (g_str_equal (row->states[k], state))
      return row->shares[k];
  return NAN;
}

static const char *
report_several_word_of (const GPtrArray *rows, const char *state)
{
  for (guint i = 0; i < rows->len; ++i) {
    const ReportRow *row = rows->pdata[i];
    for (int k = 0; k < row->n_states; ++k)
      if (g_str_equal (row->states[k], state))
        return row->words[k];
  }
  return state;
}

double
report_lasted (const ReportRow *row)
{
  return trace_clock_seconds (&row->clock, row->last - row->first);
}

/* One figure of all executions: a row, with what the second has more than the first where there are just two. */
typedef struct Figure {
  Table *t;
  const GPtrArray *rows;
} Figure;

static void
report_several_put_times (Table *t, double a, double b)
{
  g_autofree char *more = number_local (g_strdup_printf ("%+.1f %%", 100 * (b / a - 1)));

  table_cell (t, "%s", a > 0 && b > 0 && fabs (b / a - 1) >= 0.0005 ? more : "");
}

static void
report_several_put_counts (const Figure *f, const char *name, double (*count) (const ReportRow *row))
{
  table_cell (f->t, "%s", name);
  for (guint i = 0; i < f->rows->len; ++i)
    table_cell (f->t, "%.0f", count (f->rows->pdata[i]));
  if (f->rows->len != 2)
    return;
  double a = count (f->rows->pdata[0]), b = count (f->rows->pdata[1]);
  table_cell (f->t, a == b ? "%.0f" : "%+.0f", b - a);
  report_several_put_times (f->t, a, b);
}

static double
n_tasks (const ReportRow *row)
{
  return row->n_tasks;
}

static double
n_events (const ReportRow *row)
{
  return (double) row->n_events;
}

static double
n_messages (const ReportRow *row)
{
  return (double) row->messages.sent;
}

static char *
with_sign (double x, char *of_amount)
{
  g_autofree char *amount = of_amount;

  return g_strconcat (x > 0 ? "+" : x < 0 ? "-" : "", amount, NULL);
}

/* Seconds, bytes: what `text` makes of them. */
static void
put_amounts (const Figure *f, const char *name, double (*amount) (const ReportRow *row), char *(*text) (double) )
{
  table_cell (f->t, "%s", name);
  for (guint i = 0; i < f->rows->len; ++i) {
    g_autofree char *told = text (amount (f->rows->pdata[i]));
    table_cell (f->t, "%s", told);
  }
  if (f->rows->len != 2)
    return;
  double a = amount (f->rows->pdata[0]), b = amount (f->rows->pdata[1]);
  g_autofree char *more = with_sign (b - a, text (fabs (b - a)));
  table_cell (f->t, "%s", more);
  report_several_put_times (f->t, a, b);
}

static double
sent_bytes (const ReportRow *row)
{
  return (double) row->messages.sent_bytes;
}

static void
report_several_put_state (const Figure *f, const char *state)
{
  table_cell (f->t, "%s", report_several_word_of (f->rows, state));
  for (guint i = 0; i < f->rows->len; ++i) {
    double share = report_several_share_of (f->rows->pdata[i], state);
    g_autofree char *told = isnan (share) ? g_strdup ("") : text_share (share);
    table_cell (f->t, "%s", told);
  }
  if (f->rows->len != 2)
    return;
  double a = report_several_share_of (f->rows->pdata[0], state), b = report_several_share_of (f->rows->pdata[1], state);
  g_autofree char *more = isnan (a) || isnan (b) ? g_strdup ("") : g_strdup_printf (_ ("%+.1f points"), 100 * (b - a));
  table_cell (f->t, "%s", number_local (more));
  table_cell (f->t, "%s", "");
}

/* ---- how an execution scales, the first being the reference ------------------------------------------------------------ */

static double
report_several_efficiency (const ReportRow *reference, const ReportRow *row)
{
  return row->computed.efficiency;
}

/* The same work is shared out: the more of it there is, the worse. */
static double
report_several_computing (const ReportRow *reference, const ReportRow *row)
{
  return reference->computed.useful / row->computed.useful;
}

static double
report_several_global (const ReportRow *reference, const ReportRow *row)
{
  return report_several_efficiency (reference, row) * report_several_computing (reference, row);
}

/* Of so many executions at least it is told, else of none. */
static bool
report_several_put_scaling (const Figure *f, const char *name, guint least,
                            double (*of) (const ReportRow *reference, const ReportRow *row))
{
  const ReportRow *reference = f->rows->pdata[0];
  guint n = 0;

  for (guint i = 0; i < f->rows->len; ++i)
    n += !isnan (of (reference, f->rows->pdata[i]));
  if (n < least)
    return false;
  table_cell (f->t, "%s", name);
  for (guint i = 0; i < f->rows->len; ++i) {
    double share = of (reference, f->rows->pdata[i]);
    g_autofree char *told = isnan (share) ? g_strdup ("") : text_percent (share);
    table_cell (f->t, "%s", told);
  }
  if (f->rows->len != 2)
    return true;
  double more = of (reference, f->rows->pdata[1]) - of (reference, reference);
  g_autofree char *points = isnan (more) ? g_strdup ("") : g_strdup_printf (_ ("%+.1f points"), 100 * more);
  table_cell (f->t, "%s", number_local (points));
  table_cell (f->t, "%s", "");
  return true;
}

static void
put_dates (const Figure *f, const char *name, bool end)
{
  table_cell (f->t, "%s", name);
  for (guint i = 0; i < f->rows->len; ++i) {
    const ReportRow *row = f->rows->pdata[i];
    g_autofree char *date = text_date (&row->clock, end ? row->last : row->first);
    table_cell (f->t, "%s", date);
  }
  for (int k = 0; f->rows->len == 2 && k < 2; ++k)
    table_cell (f->t, "%s", "");
}

void
report_several_text (const GPtrArray *rows, GString *to)
{
  g_autoptr (GPtrArray) states = all_states (rows);
  g_autoptr (GString) columns = g_string_new ("l");
  bool two = rows->len == 2;

  g_string_append_printf (to, P_ ("%u execution\n\n", "%u executions\n\n", rows->len), rows->len);
  for (guint i = 0; i < rows->len + (two ? 2 : 0); ++i)
    g_string_append_c (columns, 'r');
  Figure f = { table_new (columns->str), rows };
  table_cell (f.t, "%s", "");
  for (guint i = 0; i < rows->len; ++i) {
    g_autofree char *name = text_clean (g_strdup (((ReportRow *) rows->pdata[i])->name));
    table_cell (f.t, "%s", name);
  }
  if (two) {
    table_cell (f.t, "%s", _ ("difference"));
    table_cell (f.t, "%s", "");
  }
  put_amounts (&f, _ ("lasted"), report_lasted, text_seconds);
  for (guint k = 0; k < states->len; ++k)
    report_several_put_state (&f, states->pdata[k]);
  report_several_put_scaling (&f, _ ("parallel efficiency"), 1, report_several_efficiency);
  bool scales = report_several_put_scaling (&f, _ ("computation scaling"), 2, report_several_computing);
  report_several_put_scaling (&f, _ ("global efficiency"), 2, report_several_global);
  report_several_put_counts (&f, _ ("tasks"), n_tasks);
  report_several_put_counts (&f, _ ("events"), n_events);
  report_several_put_counts (&f, _ ("messages"), n_messages);
  put_amounts (&f, C_ ("table", "sent"), sent_bytes, text_bytes);
  put_dates (&f, _ ("from"), false);
  put_dates (&f, _ ("to"), true);
  table_print (f.t, 2, to);
  g_string_append (
      to, _ ("  Shares are of the lives of all tasks together; a message counts once for each of its receivers.\n"));
  if (two)
    g_string_append (to, _ ("  The difference is what the second has more than the first, or less.\n"));
  if (scales)
    g_string_append (
        to, _ ("  Computation scaling is how long all tasks of the first execution, the reference, computed, by how "
               "long those "
               "of this one did;\n  global efficiency is parallel efficiency times that. Both are of executions of one "
               "program on the same data.\n"));
  for (guint i = 0; i < rows->len; ++i) {
    const ReportRow *row = rows->pdata[i];
    if (row->folder)
      g_string_append_printf (to, _ ("  The report of %s: %s/report.txt\n"), row->name, row->folder);
  }
}

void
report_several_html (const GPtrArray *rows, GString *to)
{
  g_autoptr (GString) text = g_string_new (NULL);

  report_several_text (rows, text);
  g_autofree char *figures = g_markup_escape_text (text->str, -1),
                  *title = g_strdup_printf (P_ ("%u execution", "%u executions", rows->len), rows->len);
  g_string_append_printf (to,
                          "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\"><title>%s"
                          "</title>\n" REPORT_STYLE "</head><body>\n<h1>%s</h1>\n"
                          "<p><img src=\"executions.svg\" alt=\"%s\" style=\"max-width: "
                          "100%%\"></p>\n<pre>%s</pre>\n",
                          LANGUAGE_OF_PAGE, title, title, _ ("A row for each execution"), figures);
  for (guint i = 0; i < rows->len; ++i) {
    const ReportRow *row = rows->pdata[i];
    g_autofree char *name = g_markup_escape_text (row->name, -1);
    g_autofree char *link = g_uri_escape_string (row->folder, NULL, FALSE);
    g_string_append_printf (to, "<h2>%s</h2>\n%s<p><a href=\"%s/index.html\">%s</a></p>\n", name, row->timeline, link,
                            _ ("Its report"));
  }
  g_string_append (to, "</body></html>\n");
}
