/* SPDX-License-Identifier: Apache-2.0 */
/* marks-html.c - notes and reports as HTML.  What comes from files is escaped; only files of the bundle are taken in.
 */
#include <string.h>
#include <sys/stat.h>
#include "eve/words.h"
#include "session/marks-media.h"
#include "eve/disk.h"

#define MOST_PAGE (256u << 20) /* bytes: one file may be named any number of times, and is in the page each time */

static void
marks_html_escape (GString *to, const char *text, gssize n)
{
  g_autofree char *clean = g_markup_escape_text (text, n);

  g_string_append (to, clean);
}

bool
marks_data_uri (const char *path, GString *to)
{
  const MarksMedium *medium = marks_medium (path);
  g_autofree char *bytes = NULL;
  gsize n;

  if (!medium || !(bytes = disk_read (path, NULL, MARKS_MEDIUM_BYTES, &n, NULL)))
    return false;
  g_autofree char *coded = g_base64_encode ((const guchar *) bytes, n);
  g_string_append_printf (to, "data:%s;base64,%s", medium->type, coded);
  return true;
}

char *
marks_file_of (const Marks *m, const char *name)
{
  g_autofree char *path = g_build_filename (m->bundle, name, NULL), *prefix = g_strconcat (m->bundle, "/", NULL);
  g_autofree char *real = g_path_is_absolute (name) ? NULL : disk_real_path (path);

  return real && g_str_has_prefix (real, prefix) ? g_steal_pointer (&real) : NULL;
}

static void
append_id (GString *to, const char *name)
{
  g_autofree char *id = g_uri_escape_string (name, NULL, false);

  g_string_append (to, "mark-");
  marks_html_escape (to, id, -1);
}

static void
append_mark_link (GString *to, const char *name, const char *text, gssize n_text)
{
  g_string_append (to, "<a href=\"#");
  append_id (to, name);
  g_string_append (to, "\">");
  marks_html_escape (to, text, n_text);
  g_string_append (to, "</a>");
}

/* "[text](target)" at `at`; gives its length, or 0. */
static gsize
marks_html_link_at (const char *at, const char *end, const char **text, gsize *n_text, char **target)
{
  const char *close = memchr (at, ']', (gsize) (end - at));
  const char *last = close && close + 1 < end && close[1] == '(' ? memchr (close, ')', (gsize) (end - close)) : NULL;

  if (!last)
    return 0;
  *text = at + 1;
  *n_text = (gsize) (close - at - 1);
  *target = g_strndup (close + 2, (gsize) (last - close - 2));
  return (gsize) (last + 1 - at);
}

static void
append_link (const Marks *m, const char *text, gsize n_text, const char *target, bool picture, GString *to)
{
  g_autofree char *file = *target == '@' ? NULL : marks_file_of (m, target);
  gsize before = to->len;

  if (*target == '@' && !picture) {
    append_mark_link (to, target + 1, text, (gssize) n_text);
  } else if (picture && file) {
    const MarksMedium *medium = marks_medium (file);
    MarksMediumIs is = medium ? medium->is : MARKS_PICTURE;
    g_string_append (to, is == MARKS_PICTURE ? "<img alt=\""
                         : is == MARKS_SOUND ? "<audio controls title=\""
                                             : "<video controls title=\"");
    marks_html_escape (to, text, (gssize) n_text);
    g_string_append (to, "\" src=\"");
    if (to->len < MOST_PAGE && marks_data_uri (file, to)) {
      g_string_append (to, is == MARKS_PICTURE ? "\">" : is == MARKS_SOUND ? "\"></audio>" : "\"></video>");
      return;
    }
    g_string_truncate (to, before);
    marks_html_escape (to, text, (gssize) n_text);
  } else if (!picture && (file || g_str_has_prefix (target, "https://") || g_str_has_prefix (target, "http://"))) {
    g_autofree char *uri = file ? g_filename_to_uri (file, NULL, NULL) : g_strdup (target);
    g_string_append (to, "<a href=\"");
    marks_html_escape (to, uri ? uri : "", -1);
    g_string_append (to, "\">");
    marks_html_escape (to, text, (gssize) n_text);
    g_string_append (to, "</a>");
  } else { /* it leads nowhere: the words stay */
    marks_html_escape (to, text, (gssize) n_text);
    g_string_append (to, " (");
    marks_html_escape (to, target, -1);
    g_string_append (to, ")");
  }
}

static void
line_html (const Marks *m, const char *at, const char *end, GString *to)
{
  while (at < end) {
    const char *text, *close = NULL;
    g_autofree char *target = NULL;
    const Mark *mark;
    gsize n_text, n;
    bool picture = *at == '!' && at + 1 < end && at[1] == '[';

    if ((*at == '*' || *at == '`') && at + 1 < end && !g_ascii_isspace (at[1]))
      close = memchr (at + 1, *at, (gsize) (end - at - 1));
    if (close && close > at + 1) {
      g_string_append (to, *at == '*' ? "<em>" : "<code>");
      marks_html_escape (to, at + 1, close - at - 1);
      g_string_append (to, *at == '*' ? "</em>" : "</code>");
      at = close + 1;
    } else if ((picture || *at == '[') && (n = marks_html_link_at (at + picture, end, &text, &n_text, &target)) > 0) {
      append_link (m, text, n_text, target, picture, to);
      at += n + picture;
    } else if (*at == '@' && (mark = marks_named_at (m, at + 1, (gsize) (end - at - 1)))) {
      append_mark_link (to, mark->name, mark->name, -1);
      at += 1 + strlen (mark->name);
    } else {
      const char *next = at + 1;
      while (next < end && !strchr ("*`![@", *next))
        ++next;
      marks_html_escape (to, at, next - at);
      at = next;
    }
  }
}

void
marks_notes_html (const Marks *m, const char *notes, GString *to)
{
  g_auto (GStrv) lines = g_strsplit (notes, "\n", -1);
  enum { NOTHING, PARAGRAPH, LIST } in = NOTHING;
  static const char *const ends[] = { "", "</p>\n", "</li></ul>\n" };

  for (char **line = lines; *line; ++line) {
    char *l = g_strstrip (*line);
    bool item = (l[0] == '-' || l[0] == '*') && l[1] == ' ';
    if (!*l) {
      g_string_append (to, ends[in]);
      in = NOTHING;
      continue;
    }
    if (item) {
      if (in != LIST)
        g_string_append_printf (to, "%s<ul><li>", ends[in]);
      else
        g_string_append (to, "</li><li>");
      in = LIST;
      l += 2;
    } else if (in == NOTHING) {
      g_string_append (to, "<p>");
      in = PARAGRAPH;
    } else {
      g_string_append_c (to, '\n');
    }
    line_html (m, l, l + strlen (l), to);
  }
  g_string_append (to, ends[in]);
}

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c2126;--quiet:#5c6670;--paper:#fff;--edge:#d9dee3;--link:#0b62a4}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e8ec;--quiet:#98a2ac;--paper:#16191d;--edge:#343b42;--link:#"
    "6cb6ee}}\n"
    "body{font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2.5rem "
    "auto;"
    "padding:0 1.25rem}\n"
    "h1{font-size:1.7rem;margin:0 0 .3rem}h2{font-size:1.2rem;margin:0}a{color:var(--link)}\n"
    "nav ol{padding-left:1.4rem}section{border-top:1px solid var(--edge);padding:1.4rem 0}\n"
    "time,.quiet{color:var(--quiet);font-variant-numeric:tabular-nums}\n"
    "img,svg,video{max-width:100%;height:auto}figure{margin:1rem 0}figcaption{color:var(--quiet);font-size:.9rem}\n"
    "code{font-family:ui-monospace,monospace;font-size:.92em}\n"
    "@media print{body{max-width:none;margin:0}section{break-inside:avoid}}\n";

void
marks_html (const Marks *m, const MarksReport *report, GString *to)
{
  g_string_append_printf (to,
                          "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
                          C_ ("the code of this language", "en"));
  marks_html_escape (to, report->title, -1);
  g_string_append_printf (to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
  marks_html_escape (to, report->title, -1);
  g_string_append (to, "</h1>\n<p class=\"quiet\">");
  g_string_append_printf (to, P_ ("%u mark", "%u marks", m->list->len), m->list->len);
  g_string_append (to, "</p>\n");
  if (m->list->len > 1) {
    g_string_append (to, "<nav><ol>\n");
    for (guint i = 0; i < m->list->len; ++i) {
      const Mark *mark = m->list->pdata[i];
      g_string_append (to, "<li>");
      append_mark_link (to, mark->name, mark->name, -1);
      g_string_append (to, "</li>\n");
    }
    g_string_append (to, "</ol></nav>\n");
  }
  for (guint i = 0; i < m->list->len; ++i) {
    const Mark *mark = m->list->pdata[i];
    char date[64];
    trace_clock_print (&m->clock, mark->date, date, sizeof date);
    g_string_append (to, "<section id=\"");
    append_id (to, mark->name);
    g_string_append (to, "\">\n<h2>");
    marks_html_escape (to, mark->name, -1);
    g_string_append_printf (to, "</h2>\n<time>%s %s</time>\n", date, m->clock.units);
    marks_notes_html (m, mark->notes, to);
    if (report->pictures)
      report->pictures (report->arg, mark, to);
    g_string_append (to, "</section>\n");
  }
  g_string_append (to, "</body>\n</html>\n");
}
