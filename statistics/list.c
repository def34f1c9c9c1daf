/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/list.h"
#include <string.h>

char **
stats_list_split (const char *list)
{
  GStrvBuilder *names = g_strv_builder_new ();

  for (const char *at = list; *at != '\0';) {
    g_autoptr (GString) name = g_string_new (NULL);
    at += strspn (at, " \t\n");
    bool quoted = *at == '"';
    if (quoted)
      for (at++; *at != '\0' && (*at != '"' || at[1] == '"'); at++) {
        at += *at == '"';
        g_string_append_c (name, *at);
      }
    for (at += quoted && *at == '"'; *at != '\0' && *at != ','; at++)
      g_string_append_c (name, *at);
    if (!quoted)
      g_strchomp (name->str);
    if (name->str[0] != '\0')
      g_strv_builder_add (names, name->str);
    at += *at == ',';
  }
  char **all = g_strv_builder_end (names);
  g_strv_builder_unref (names);
  return all;
}

bool
stats_list_has (const char *list, const char *name)
{
  g_auto (GStrv) names = stats_list_split (list);

  return name != NULL && g_strv_contains ((const char *const *) names, name);
}

void
stats_list_add (GString *list, const char *name)
{
  if (list->len > 0)
    g_string_append (list, ", ");
  if (strpbrk (name, ",\"") == NULL && *name != ' ' && !g_str_has_suffix (name, " ")) {
    g_string_append (list, name);
    return;
  }
  g_string_append_c (list, '"');
  for (const char *c = name; *c != '\0'; c++)
    g_string_append (list, *c == '"' ? "\"\"" : (char[]){ *c, '\0' });
  g_string_append_c (list, '"');
}

char **
stats_list_names (const char *list, StatsIsName is_name, void *arg)
{
  g_auto (GStrv) written = stats_list_split (list);
  GStrvBuilder *names = g_strv_builder_new ();

  for (char **name = written; *name != NULL; name++) {
    g_auto (GStrv) words = g_strsplit_set (*name, " \t", -1);
    bool old = strpbrk (*name, " \t") != NULL && !is_name (arg, *name);
    for (char **word = words; old && *word != NULL; word++)
      old = **word == '\0' || is_name (arg, *word);
    for (char **word = words; old && *word != NULL; word++)
      if (**word != '\0')
        g_strv_builder_add (names, *word);
    if (!old)
      g_strv_builder_add (names, *name);
  }
  char **all = g_strv_builder_end (names);
  g_strv_builder_unref (names);
  return all;
}

/* ---- the nearest name --------------------------------------------------------------------------------------------- */

#define LONGEST 64 /* letters of a name that are compared */

static guint
distance (const char *a, const char *b, guint enough)
{
  guint n = (guint) MIN (strlen (a), LONGEST), m = (guint) MIN (strlen (b), LONGEST), row[LONGEST + 1];

  if ((n > m ? n - m : m - n) >= enough)
    return enough;
  for (guint j = 0; j <= m; j++)
    row[j] = j;
  for (guint i = 1; i <= n; i++) {
    guint diagonal = row[0];
    row[0] = i;
    for (guint j = 1; j <= m; j++) {
      guint changed = diagonal + (g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1]));
      diagonal = row[j];
      row[j] = MIN (changed, MIN (row[j], row[j - 1]) + 1);
    }
  }
  return row[m];
}

void
stats_nearest_offer (StatsNearest *n, const char *name)
{
  /* One that shares nothing but a few letters is no help. */
  guint enough = n->best != NULL ? n->distance : (guint) MAX (strlen (n->wanted), strlen (name)) / 2 + 1;
  guint d = name != NULL && *name != '\0' ? distance (n->wanted, name, enough) : enough;

  if (d >= enough)
    return;
  g_free (n->best);
  n->best = g_strdup (name);
  n->distance = d;
}

void
stats_tell_unknown_task (EveComponent *c, GHashTable **told, const char *name,
                         void (*offer) (void *arg, StatsNearest *nearest), void *arg)
{
  StatsNearest nearest = { .wanted = name };

  if (*told == NULL)
    *told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!g_hash_table_add (*told, g_strdup (name)))
    return;
  offer (arg, &nearest);
  if (nearest.best != NULL)
    eve_warn (c, "No task is called “%s”; the nearest name is “%s”.", name, nearest.best);
  else
    eve_warn (c, "No task is called “%s”.", name);
  g_free (nearest.best);
}
