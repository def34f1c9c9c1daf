/* SPDX-License-Identifier: Apache-2.0 */
/* The report as a page. */
#include "eve/words.h"
#include "cli/report.h"
#include "cli/text.h"

void
report_html (const Report *r, GString *to)
{
  const TraceSource *s = r->source;
  g_autofree char *name = g_markup_escape_text (s->name, -1);
  g_autoptr (GString) text = g_string_new (NULL), timeline = g_string_new (NULL);

  report_text (r, text);
  report_timeline (r, timeline);
  g_autofree char *escaped = g_markup_escape_text (text->str, -1);
  g_string_append_printf (
      to,
      "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\"><title>%s</title>\n" REPORT_STYLE
      "</head><body>\n<h1>%s</h1>\n<h2>%s</h2>\n%s"
      "<h2>%s</h2>\n<div class=\"states\">\n",
      LANGUAGE_OF_PAGE, name, name, _ ("What each task did over time"), timeline->str, _ ("State of tasks and links"));
  for (int i = 0; i < REPORT_INSTANTS; ++i) {
    int percent = 100 * (i + 1) / (REPORT_INSTANTS + 1);
    g_autofree char *date = text_date (&s->clock, r->instants[i]);
    g_string_append_printf (
        to,
        "<figure><img src=\"state-%d.svg\" alt=\"%s %s\"><figcaption>%s "
        "(<a href=\"state-%d.png\">png</a>, <a href=\"state-%d.json\">json</a>)</figcaption></figure>\n",
        percent, _ ("State graph at"), date, date, percent, percent);
  }
  g_string_append_printf (to,
                          "</div>\n<h2>%s</h2>\n<pre>%s</pre>\n<p><a href=\"events.txt\">%s</a></p>\n"
                          "</body></html>\n",
                          _ ("In figures"), escaped, _ ("Each event as a sentence"));
}
