/* SPDX-License-Identifier: Apache-2.0 */
/* film-schema.c - the values that attributes of the simulators can have, by name: a model may learn them as it runs,
 * and a picture of the whole execution wants all of them before the session has come to them.  File `schema` of a film.
 */
#include <string.h>
#include "session/film.h"
#include "views/history.h"

#define SCHEMA "schema 2\n" /* its first line */

/* Whether the values of an attribute may grow. */
static bool
grows (const StateAttribute *a)
{
  return a->kind == STATE_VALUE;
}

static uint64_t
film_schema_count (const Session *s)
{
  g_autoptr (GPtrArray) simulators = session_simulators (s);
  uint64_t n = 0;

  for (guint i = 0; i < simulators->len; ++i) {
    const StateGraph *g = eve_query (simulators->pdata[i], "state-graph/1");
    for (uint32_t a = 0; g && a < g->model->n_attributes; ++a)
      n += grows (&g->model->attributes[a]) ? g->model->attributes[a].n_values : 0;
  }
  return n;
}

bool
film_schema_write (const char *folder, const Session *s, uint64_t *n_written, GError **error)
{
  uint64_t n = film_schema_count (s);

  if (n == *n_written)
    return true;
  g_autoptr (GPtrArray) simulators = session_simulators (s);
  g_autoptr (GString) text = g_string_new (SCHEMA);
  g_autofree char *path = g_build_filename (folder, "schema", NULL);
  for (guint i = 0; i < simulators->len; ++i) {
    const StateGraph *g = eve_query (simulators->pdata[i], "state-graph/1");
    for (uint32_t k = 0; g && k < g->model->n_attributes; ++k) {
      const StateAttribute *a = &g->model->attributes[k];
      for (uint32_t v = 0; grows (a) && v < a->n_values; ++v) {
        g_string_append_printf (text, "%u\t%u\t%u", v, a->values[v].sense, a->scope);
        names_put (text, eve_name (simulators->pdata[i]));
        names_put (text, a->name);
        names_put (text, a->values[v].name);
        g_string_append_c (text, '\n');
      }
    }
  }
  *n_written = n;
  return names_file_write (path, text, error);
}

/* One line: the model of a simulator hears of one value. */
static void
film_schema_tell (GPtrArray *simulators, char **words)
{
  guint64 value = g_ascii_strtoull (words[0], NULL, 10), sense = g_ascii_strtoull (words[1], NULL, 10),
          scope = g_ascii_strtoull (words[2], NULL, 10);
  g_autofree char *simulator = g_strcompress (words[3]), *attribute = g_strcompress (words[4]),
                  *name = g_strcompress (words[5]);

  for (guint i = 0; i < simulators->len; ++i) {
    StateGraph *g = (StateGraph *) eve_query (simulators->pdata[i], "state-graph/1");
    if (!g || !g->model->foresee || strcmp (eve_name (simulators->pdata[i]), simulator) != 0)
      continue;
    for (uint32_t k = 0; k < g->model->n_attributes; ++k)
      /* a task and a link may have attributes of the same name */
      if (grows (&g->model->attributes[k]) && g->model->attributes[k].scope == scope
          && strcmp (g->model->attributes[k].name, attribute) == 0 && value <= UINT32_MAX && sense <= STATE_SENSE_GONE)
        g->model->foresee (g, k, (uint32_t) value, name, (StateSense) sense);
  }
}

char *
film_schema_read (const char *folder, const Session *s)
{
  char *problem = NULL;
  g_autofree char *path = folder ? g_build_filename (folder, "schema", NULL) : NULL,
                  *text = names_file_read (path, &problem);
  g_autoptr (GPtrArray) simulators = session_simulators (s);

  if (!text || !g_str_has_prefix (text, SCHEMA))
    return problem;
  for (char *line = text + strlen (SCHEMA), *end; *line; line = end) {
    end = line + strcspn (line, "\n");
    if (*end)
      *end++ = '\0';
    g_auto (GStrv) words = g_strsplit (line, "\t", 7);
    if (g_strv_length (words) == 6 && g_utf8_validate (line, -1, NULL))
      film_schema_tell (simulators, words);
  }
  return NULL;
}
