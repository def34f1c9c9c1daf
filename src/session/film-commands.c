/* SPDX-License-Identifier: Apache-2.0 */
/* film-commands.c - the file `commands` of a film: what components would have commanded, a JSON object a line. */
#include <string.h>
#include "eve/bytes.h"
#include "session/film.h"
#include "session/film-drive.h"
#include "eve/disk.h"

#define CHECK ", \"check\": \"%016" G_GINT64_MODIFIER "x\"}\n" /* FNV-1a of what stands before it in its line */
#define CHECK_BYTES 31

static const char *const verbs[] = { "events", "until", "pause", "stop", "mark", "save", "go-mark", "other" };

void
film_command_write (const DriveHeard *h, const TraceClock *clock, GString *to)
{
  char date[64] = "null", until[64];
  gsize begun = to->len;
  g_autofree char *name = g_strndup (h->command.name, sizeof h->command.name);

  if (h->date > INT64_MIN)
    trace_clock_print (clock, h->date, date, sizeof date);
  trace_clock_print (clock, h->command.date, until, sizeof until);
  g_string_append_printf (to, "{\"event\": %" G_GUINT64_FORMAT ", \"t\": %s, \"verb\": \"%s\"", h->event, date,
                          h->command.verb < G_N_ELEMENTS (verbs) ? verbs[h->command.verb] : "unknown");
  if (h->command.verb == TRACE_GO_EVENTS)
    g_string_append_printf (to, ", \"number\": %" G_GUINT64_FORMAT, h->command.number);
  else if (h->command.verb == TRACE_GO_UNTIL)
    g_string_append_printf (to, ", \"until\": %s", until);
  else if (*name) {
    g_string_append (to, ", \"name\": ");
    trace_json_text (to, name);
  }
  if (h->order) {
    g_string_append (to, ", \"order\": ");
    trace_json_text (to, h->order);
  }
  g_string_append_printf (to, CHECK, bytes_fnv (to->str + begun, to->len - begun));
}

/* Whether a line of n bytes, with its end, is as it was written. */
static bool
film_commands_is_sound (const char *line, gsize n)
{
  g_autofree char *check = n > CHECK_BYTES ? g_strdup_printf (CHECK, bytes_fnv (line, n - CHECK_BYTES)) : NULL;

  return check && memcmp (line + n - CHECK_BYTES, check, CHECK_BYTES) == 0;
}

uint64_t
film_commands_sound (const char *path, uint64_t *bytes)
{
  g_autofree char *text = NULL;
  gsize n = 0, at = 0;

  *bytes = 0;
  if (!(text = disk_read (path, NULL, 256 * DISK_MIB, &n, NULL)))
    return 0;
  *bytes = n;
  for (const char *end; at < n && (end = memchr (text + at, '\n', n - at)); at = (gsize) (end + 1 - text))
    if (!film_commands_is_sound (text + at, (gsize) (end + 1 - (text + at))))
      break;
  return at;
}

/* The string that begins at `at`, which stands behind its quote; g_free.  NULL: it does not end. */
static char *
read_string (const char *at)
{
  GString *s = g_string_new (NULL);

  for (; *at && *at != '"'; ++at) {
    if (*at != '\\') {
      g_string_append_c (s, *at);
      continue;
    }
    switch (*++at) {
    case 'n':
      g_string_append_c (s, '\n');
      break;
    case 't':
      g_string_append_c (s, '\t');
      break;
    case 'u': {
      char hex[5] = { 0 };
      for (int i = 0; i < 4 && g_ascii_isxdigit (at[1]); ++i)
        hex[i] = *++at;
      g_string_append_unichar (s, (gunichar) strtoul (hex, NULL, 16));
      break;
    }
    case 0:
      g_string_free (s, TRUE);
      return NULL;
    default:
      g_string_append_c (s, *at);
    }
  }
  if (*at == '"')
    return g_string_free (s, FALSE);
  g_string_free (s, TRUE);
  return NULL;
}

/* What stands behind "key": in a line as film_command_write() makes it; NULL: there is no such member. */
static const char *
film_commands_member (const char *line, const char *key)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\": ", key);
  const char *at = strstr (line, quoted);

  return at ? at + strlen (quoted) : NULL;
}

static void
command_free (gpointer command)
{
  FilmCommand *c = command;

  g_free (c->verb);
  g_free (c->name);
  g_free (c->order);
  g_free (c);
}

GPtrArray *
film_commands_read (const char *folder, const TraceClock *clock, guint most)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (command_free);
  g_autofree char *path = g_build_filename (folder, "commands", NULL), *text = NULL;

  size_t n;
  if (!(text = disk_read (path, NULL, 256 * DISK_MIB, &n, NULL)))
    return all;
  for (char *line = text, *end; *line && all->len < most; line = end + 1) {
    if (!(end = memchr (line, '\n', n - (size_t) (line - text))))
      break; /* still being written */
    if (!film_commands_is_sound (line, (gsize) (end + 1 - line)))
      continue; /* what it said is not known; film_check() tells */
    *end = 0;
    const char *event = film_commands_member (line, "event"), *date = film_commands_member (line, "t"),
               *verb = film_commands_member (line, "verb");
    const char *name = film_commands_member (line, "name"), *order = film_commands_member (line, "order");
    FilmCommand *c = g_new0 (FilmCommand, 1);
    char number[64] = "";
    c->event = event ? g_ascii_strtoull (event, NULL, 10) : 0;
    c->date = INT64_MIN;
    if (date)
      g_strlcpy (number, date, MIN (sizeof number, strcspn (date, ",}") + 1));
    if (*number)
      trace_clock_parse (clock, number, &c->date);
    c->verb = verb && *verb == '"' ? read_string (verb + 1) : NULL;
    c->name = name && *name == '"' ? read_string (name + 1) : NULL;
    c->order = order && *order == '"' ? read_string (order + 1) : NULL;
    if (event && c->verb)
      g_ptr_array_add (all, c);
    else
      command_free (c);
  }
  return all;
}
