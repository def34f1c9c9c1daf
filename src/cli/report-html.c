/* SPDX-License-Identifier: Apache-2.0 */
/* The report as a page. */
#include "cli/report.h"
#include "cli/text.h"

void
report_html (const Report *r, GString *to)
{
  const TraceSource *s = r->session->source;
  g_autofree char *name = g_markup_escape_text (s->name, -1);
  g_autoptr (GString) text = g_string_new (NULL), timeline = g_string_new (NULL);

  report_text (r, text);
  report_timeline (r, timeline);
  g_autofree char *escaped = g_markup_escape_text (text->str, -1);
  g_string_append_printf (
      to,
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n<style>\n"
      "body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #33363d; max-width: 1180px; margin: 2em "
      "auto; padding: 0 1em }\n"
      "pre { font: 12px/1.35 \"DejaVu Sans Mono\", monospace; background: #f6f7f9; padding: 1em; overflow-x: "
      "auto; border-radius: 6px }\n"
      "svg { max-width: 100%%; height: auto }\n"
      ".states { display: flex; flex-wrap: wrap; gap: 1em } figure { margin: 0; flex: 1 1 320px }\n"
      "figure img { width: 100%%; height: auto } figcaption { text-align: center }\n"
      "</style></head><body>\n<h1>%s</h1>\n<h2>What each task did over time</h2>\n%s"
      "<h2>State of tasks and links</h2>\n<div class=\"states\">\n",
      name, name, timeline->str);
  for (int i = 0; i < REPORT_INSTANTS; ++i) {
    int percent = 100 * (i + 1) / (REPORT_INSTANTS + 1);
    g_autofree char *date = text_date (&s->clock, r->instants[i]);
    g_string_append_printf (
        to,
        "<figure><img src=\"state-%d.svg\" alt=\"State graph at %s\"><figcaption>%s "
        "(<a href=\"state-%d.png\">png</a>, <a href=\"state-%d.json\">json</a>)</figcaption></figure>\n",
        percent, date, date, percent, percent);
  }
  g_string_append_printf (to,
                          "</div>\n<h2>In figures</h2>\n<pre>%s</pre>\n<p><a href=\"events.txt\">Each event "
                          "as a sentence</a></p>\n"
                          "</body></html>\n",
                          escaped);
}
