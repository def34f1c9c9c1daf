/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/simulators/expect.h"
#include <string.h>

/* UINT32_MAX: there is none. */
static uint32_t
find (const StateGraph *g, StateScope scope, const char *name)
{
  int named = state_attribute (g->model, STATE_EDGE, "Name");

  for (uint32_t i = 0; i < (scope == STATE_NODE ? g->n_nodes : g->n_edges); i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    if (!state_present (g, scope, i))
      continue;
    if (scope == STATE_NODE)
      g_string_append (text, g->node_id (g, i));
    else
      state_text (g, (uint32_t) named, i, INT64_MIN, text);
    if (strcmp (text->str, name) == 0)
      return i;
  }
  return UINT32_MAX;
}

static void
expect_line (const StateGraph *g, int64_t at, const char *line, const char *where)
{
  bool absent = *line == '!';
  const char *from = line + absent, *equals = strchr (from, '='), *end = absent ? from + strlen (from) : equals;
  StateScope scope = STATE_NODE;

  while (!absent && end > from && end[-1] != ' ') /* names may have blanks, names of attributes have none */
    end--;
  g_autofree char *name = g_strndup (from, (gsize) (end - from - !absent));
  uint32_t object = find (g, STATE_NODE, name);
  if (object == UINT32_MAX)
    object = find (g, scope = STATE_EDGE, name);
  if (absent != (object == UINT32_MAX))
    g_error ("%s: %s is %s", where, name, absent ? "there" : "not there");
  if (absent)
    return;
  g_auto (GStrv) words = g_strsplit (end, "|", -1);
  for (char **w = words; *w != NULL; w++) {
    g_autofree char *attribute = g_strndup (*w, (gsize) (strchr (*w, '=') - *w));
    g_autoptr (GString) got = g_string_new (NULL);
    int a = state_attribute (g->model, scope, attribute);
    g_assert_cmpint (a, >=, 0);
    state_text (g, (uint32_t) a, object, at, got);
    if (strcmp (got->str, strchr (*w, '=') + 1) != 0)
      g_error ("%s: %s of %s is \"%s\", not \"%s\"", where, attribute, name, got->str, strchr (*w, '=') + 1);
  }
}

void
expect_lines (const StateGraph *g, int64_t at, const char *const *lines, const char *file, int line)
{
  g_autofree char *where = g_strdup_printf ("%s:%d", file, line);

  for (; *lines != NULL; lines++)
    expect_line (g, at, *lines, where);
}
