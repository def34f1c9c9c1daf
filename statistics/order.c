/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/order.h"
#include "eve/words.h"
#include <string.h>
#include "eve/eve-host.h"
#include "readers/reader.h"

#define LONGEST 4000 /* bytes of a part: what is longer is cut */

char *
stats_order_command (const char *order)
{
  return g_strstrip (g_strndup (order, strcspn (order, "\n")));
}

char *
stats_order_tells (const char *order, const char *word)
{
  size_t n = strlen (word);

  for (const char *line = strchr (order, '\n'); line; line = strchr (line, '\n')) {
    line++;
    if (strncmp (line, word, n) == 0 && line[n] == ' ')
      return g_strndup (line + n + 1, strcspn (line + n + 1, "\n"));
  }
  return NULL;
}

int64_t
stats_order_date (const char *order, const TraceClock *clock, int64_t place)
{
  g_autofree char *at = order ? stats_order_tells (order, "at") : NULL;
  int64_t date;

  return at && place != INT64_MIN && trace_clock_parse (clock, at, &date) && date < place ? date : place;
}

static void
statistics_order_add (GString *to, const char *word, const char *text)
{
  if (!text)
    return;
  if (word)
    g_string_append_printf (to, "\n%s ", word);
  for (size_t i = 0; text[i] && i < LONGEST; i++)
    g_string_append_c (to, text[i] == '\n' || text[i] == '\r' ? ' ' : text[i]);
}

char *
stats_order_new (const char *command, const char *by, const char *at, const char *because)
{
  g_autoptr (GString) text = g_string_new (NULL);

  statistics_order_add (text, NULL, command);
  statistics_order_add (text, "by", by);
  statistics_order_add (text, "at", at);
  statistics_order_add (text, "because", because);
  g_autofree char *valid = g_utf8_make_valid (text->str, -1);
  return g_ref_string_new (valid);
}

bool
stats_order_parse (const char *order, const TraceClock *clock, TraceCommand *command, char **sentence)
{
  static const struct {
    const char *word;
    TraceVerb verb;
  } words[] = {
    { "pause", TRACE_PAUSE },    { "stop", TRACE_STOP },   { "run", TRACE_GO_EVENTS }, { "play", TRACE_GO_EVENTS },
    { "step", TRACE_GO_EVENTS }, { "go", TRACE_GO_UNTIL }, { "mark", TRACE_MARK },     { "save", TRACE_SAVE },
  };
  g_autofree char *text = stats_order_command (order);
  char *space = strpbrk (text, " \t"), *about = space ? g_strstrip (space + 1) : (char *) "", *end;
  guint i = 0;

  if (space)
    *space = 0;
  while (i < G_N_ELEMENTS (words) && strcmp (words[i].word, text) != 0)
    i++;
  if (i == G_N_ELEMENTS (words))
    return false;
  memset (command, 0, sizeof *command);
  command->verb = words[i].verb;
  command->number = UINT64_MAX;
  if (strcmp (text, "step") == 0) {
    command->number = *about ? g_ascii_strtoull (about, &end, 10) : 1;
    if (*about && (*end || !g_ascii_isdigit (*about))) {
      *sentence = g_strdup_printf (_ ("step goes on by a number of events, and “%s” is none"), about);
      return false;
    }
  } else if (command->verb == TRACE_GO_UNTIL && *about == '@') {
    command->verb = TRACE_GO_MARK;
    g_strlcpy (command->name, about + 1, sizeof command->name);
  } else if (command->verb == TRACE_GO_UNTIL) {
    if (!clock || !trace_clock_parse (clock, about, &command->date)) {
      *sentence = g_strdup_printf (_ ("go wants a date in seconds, or a mark such as @slow, and not “%s”"), about);
      return false;
    }
  } else if (command->verb >= TRACE_MARK) {
    g_strlcpy (command->name, about, sizeof command->name);
    g_utf8_validate (command->name, -1, (const char **) &end);
    *end = 0; /* not half a character */
  } else if (*about) {
    *sentence = g_strdup_printf (_ ("%s is all there is to say; “%s” makes no sense after it"), text, about);
    return false;
  }
  return true;
}

uint64_t
stats_session_place (const EveComponent *session, int64_t *date, const TraceSource **source)
{
  EveProgram *p = eve_program (session);
  uint64_t given = 0;

  *date = INT64_MIN;
  *source = NULL;
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    const TraceReader *r = w.from == session && !w.broken && !eve_is_ghost (w.to) ? eve_query (w.to, "trace-reader/1")
                                                                                  : NULL;
    if (!r)
      continue;
    uint64_t n = r->given (w.to);
    given += n;
    *date = MAX (*date, r->clock (w.to));
    if (n > 0 && !*source) /* one that has given events is open */
      *source = r->source (w.to);
  }
  return given;
}
