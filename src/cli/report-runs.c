/* SPDX-License-Identifier: Apache-2.0 */
/* Several executions in one picture, as SVG: a row for each, with how long it lasted and in which states, and what it
 * sent. */
#include "cli/report.h"
#include "eve/words.h"
#include <string.h>
#include "cli/text.h"

enum { TOP = 40, ROW = 30, BAR = 18, BOTTOM = 44, NAME = 24 /* letters */ };
enum { LEFT = 180, LONG = 470, MESSAGES = 830, SENT = 1000, SHORT = 90, WIDE = 1160 };

static double
report_runs_messages (const ReportRow *row)
{
  return (double) row->messages.sent;
}

static double
bytes (const ReportRow *row)
{
  return (double) row->messages.sent_bytes;
}

/* How long the bar of a row is, so that the largest of all rows fills the room. */
static double
report_runs_length_of (const GPtrArray *rows, const ReportRow *row, double (*amount) (const ReportRow *), double room)
{
  double most = 0;

  for (guint i = 0; i < rows->len; ++i)
    most = MAX (most, amount (rows->pdata[i]));
  return most > 0 ? room * amount (row) / most : 0;
}

static char *
escaped (const char *text)
{
  g_autofree char *clean = text_clean (g_strdup (text));

  return g_markup_escape_text (clean, -1);
}

static void
report_runs_put_text (GString *to, double x, double y, const char *anchor, const char *text)
{
  g_string_append_printf (to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

/* The bar of its time, of which each state has its share. */
static void
put_time (GString *to, const GPtrArray *rows, const ReportRow *row, double y)
{
  double length = report_runs_length_of (rows, row, report_lasted, LONG), x = LEFT, waits = 0;
  g_autofree char *time = text_seconds (report_lasted (row));

  g_string_append_printf (to, "<rect x=\"%d\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"#eceef1\"/>\n", LEFT, y,
                          length, BAR);
  for (int k = 0; k < row->n_states; ++k) {
    g_autofree char *name = escaped (row->states[k]), *share = text_share (row->shares[k]);
    double width = length * row->shares[k];
    waits += row->senses[k] == STATE_SENSE_WAITS ? row->shares[k] : 0;
    if (width > 0.01)
      g_string_append_printf (to,
                              "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>%s %s"
                              "</title></rect>\n",
                              x, y, width, BAR, row->colours[k], name, share);
    x += width;
  }
  g_autofree char *waiting = text_share (waits), *told = g_strdup_printf (_ ("%s, %s waiting"), time, waiting);
  report_runs_put_text (to, LEFT + length + 8, y + BAR - 5, "start", waits > 0 ? told : time);
}

static void
put_bar (GString *to, double x, double y, double length, const char *told)
{
  g_string_append_printf (to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"#7b8794\"/>\n", x, y,
                          length, BAR);
  report_runs_put_text (to, x + length + 6, y + BAR - 5, "start", told);
}

static void
report_runs_put_row (GString *to, const GPtrArray *rows, const ReportRow *row, double y)
{
  g_autofree char *clean = text_clean (g_strdup (row->name)), *name = g_markup_escape_text (clean, -1);
  g_autofree char *n = g_strdup_printf ("%.0f", report_runs_messages (row)), *sent = text_bytes (bytes (row));

  if (g_utf8_strlen (clean, -1) > NAME) {
    g_autofree char *cut = g_utf8_substring (clean, 0, NAME - 1), *start = g_markup_escape_text (cut, -1);
    g_autofree char *shorter = g_strdup_printf ("%s…<title>%s</title>", start, name);
    report_runs_put_text (to, LEFT - 10, y + BAR - 5, "end", shorter);
  } else
    report_runs_put_text (to, LEFT - 10, y + BAR - 5, "end", name);
  put_time (to, rows, row, y);
  put_bar (to, MESSAGES, y, report_runs_length_of (rows, row, report_runs_messages, SHORT), n);
  put_bar (to, SENT, y, report_runs_length_of (rows, row, bytes, SHORT), sent);
}

/* Names of states and their colours; those of one name are one. */
static void
put_legend (GString *to, const GPtrArray *rows, int y)
{
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  int x = LEFT;

  for (guint i = 0; i < rows->len; ++i) {
    const ReportRow *row = rows->pdata[i];
    for (int k = 0; k < row->n_states; ++k) {
      if (row->shares[k] <= 0 || x > WIDE - 110 || !g_hash_table_add (met, (gpointer) row->states[k]))
        continue;
      g_autofree char *name = escaped (row->states[k]);
      g_string_append_printf (to, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x, y,
                              row->colours[k]);
      report_runs_put_text (to, x + 18, y + 10, "start", name);
      x += MAX (110, 30 + 8 * (int) g_utf8_strlen (name, -1));
    }
  }
}

void
report_runs (const GPtrArray *rows, GString *to)
{
  int bottom = TOP + ROW * (int) rows->len;

  g_string_append_printf (to,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                          "font-family=\"Helvetica,Arial,sans-serif\" font-size=\"12\" fill=\"#33363d\">\n"
                          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<g font-weight=\"bold\">\n",
                          WIDE, bottom + BOTTOM, WIDE, bottom + BOTTOM);
  report_runs_put_text (to, LEFT, TOP - 16, "start", _ ("How long, and in which states"));
  report_runs_put_text (to, MESSAGES, TOP - 16, "start", _ ("Messages"));
  report_runs_put_text (to, SENT, TOP - 16, "start", _ ("Sent"));
  g_string_append (to, "</g>\n");
  for (guint i = 0; i < rows->len; ++i)
    report_runs_put_row (to, rows, rows->pdata[i], TOP + ROW * (double) i);
  put_legend (to, rows, bottom + 14);
  g_string_append (to, "</svg>\n");
}
