/* SPDX-License-Identifier: Apache-2.0 */
/* Several executions side by side: each has a report of its own, and all a table. */
#include "cli/report.h"
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
  row->n_states = r->n_states;
  for (int k = 0; k < r->n_states; ++k) {
    row->states[k] = r->states[k];
    row->shares[k] = report_share_of_all (r, k);
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

static void
add_share (Table *t, const ReportRow *row, const char *state)
{
  for (int k = 0; k < row->n_states; ++k)
    if (g_str_equal (row->states[k], state)) {
      table_cell (t, "%.1f %%", 100 * row->shares[k]);
      return;
    }
  table_cell (t, "%s", "");
}

void
report_several_text (const GPtrArray *rows, GString *to)
{
  static const char *const headings[] = { "trace", "from", "to", "lasted", "tasks", "events", "messages", "sent" };
  g_autoptr (GPtrArray) states = all_states (rows);
  g_autoptr (GString) columns = g_string_new ("lrrrrrrr");

  g_string_append_printf (to, "%u executions\n\n", rows->len);
  for (guint k = 0; k < states->len; ++k)
    g_string_append_c (columns, 'r');
  g_string_append_c (columns, 'l');
  Table *t = table_new (columns->str);
  for (size_t k = 0; k < G_N_ELEMENTS (headings); ++k)
    table_cell (t, "%s", headings[k]);
  for (guint k = 0; k < states->len; ++k)
    table_cell (t, "%s", (char *) states->pdata[k]);
  table_cell (t, "its report");
  for (guint i = 0; i < rows->len; ++i) {
    const ReportRow *row = rows->pdata[i];
    g_autofree char *from = text_date (&row->clock, row->first), *until = text_date (&row->clock, row->last);
    g_autofree char *lasted = text_seconds (trace_clock_seconds (&row->clock, row->last - row->first));
    g_autofree char *bytes = text_bytes ((double) row->messages.sent_bytes), *name = text_clean (g_strdup (row->name));
    table_cell (t, "%s", name);
    table_cell (t, "%s", from);
    table_cell (t, "%s", until);
    table_cell (t, "%s", lasted);
    table_cell (t, "%u", row->n_tasks);
    table_cell (t, "%" G_GUINT64_FORMAT, row->n_events);
    table_cell (t, "%" G_GINT64_FORMAT, row->messages.sent);
    table_cell (t, "%s", bytes);
    for (guint k = 0; k < states->len; ++k)
      add_share (t, row, states->pdata[k]);
    table_cell (t, "%s/report.txt", row->folder);
  }
  table_print (t, 2, to);
  g_string_append (
      to, "  Shares are of the lives of all tasks together; a message counts once for each of its receivers.\n");
}

void
report_several_html (const GPtrArray *rows, GString *to)
{
  g_autoptr (GString) text = g_string_new (NULL);

  report_several_text (rows, text);
  g_autofree char *figures = g_markup_escape_text (text->str, -1);
  g_string_append_printf (to,
                          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%u executions"
                          "</title>\n" REPORT_STYLE "</head><body>\n<h1>%u executions</h1>\n<pre>%s</pre>\n",
                          rows->len, rows->len, figures);
  for (guint i = 0; i < rows->len; ++i) {
    const ReportRow *row = rows->pdata[i];
    g_autofree char *name = g_markup_escape_text (row->name, -1);
    g_autofree char *link = g_uri_escape_string (row->folder, NULL, FALSE);
    g_string_append_printf (to, "<h2>%s</h2>\n%s<p><a href=\"%s/index.html\">Its report</a></p>\n", name, row->timeline,
                            link);
  }
  g_string_append (to, "</body></html>\n");
}
