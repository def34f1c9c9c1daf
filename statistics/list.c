/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/list.h"
#include "eve/words.h"
#include <string.h>

/* The end of what stands in quotes at `from`, behind the second quote; NULL: they are not closed. */
static const char *
quotes_end (const char *from)
{
  for (const char *at = from + 1; *at != '\0'; at++)
    if (*at == '"' && *++at != '"')
      return at;
  return NULL;
}

/* What stands between two commas, from `from` to `end`: quotes around all of it are no part of the name. */
static char *
list_name_of (const char *from, const char *end)
{
  GString *name = g_string_new_len (from, end - from);

  g_strstrip (name->str);
  g_string_truncate (name, strlen (name->str));
  const char *close = name->str[0] == '"' ? quotes_end (name->str) : NULL;
  if (close != NULL && *close == '\0') {
    g_string_truncate (name, name->len - 1);
    g_string_erase (name, 0, 1);
    g_string_replace (name, "\"\"", "\"", 0);
  }
  return g_string_free (name, FALSE);
}

char **
stats_list_split (const char *list)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (const char *from = list, *end; *from != '\0'; from = end + (*end == ',')) {
    while (g_ascii_isspace (*from))
      from++;
    const char *close = *from == '"' ? quotes_end (from) : NULL;
    end = close != NULL ? close : from;
    end += strcspn (end, ",");
    g_autofree char *name = list_name_of (from, end);
    if (*name != '\0')
      g_strv_builder_add (names, name);
  }
  return g_strv_builder_end (names);
}

bool
stats_list_has (const char *list, const char *name)
{
  g_auto (GStrv) names = stats_list_split (list);

  return name != NULL && stats_names_have (names, name);
}

void
stats_list_add (GString *list, const char *name)
{
  if (list->len > 0)
    g_string_append (list, ", ");
  if (strpbrk (name, ",\"") == NULL && !g_ascii_isspace (*name)
      && (*name == '\0' || !g_ascii_isspace (name[strlen (name) - 1]))) {
    g_string_append (list, name);
    return;
  }
  g_string_append_c (list, '"');
  for (const char *c = name; *c != '\0'; c++)
    g_string_append_len (list, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  g_string_append_c (list, '"');
}

char *
stats_list_renamed (const char *list, const char *before, const char *name)
{
  g_auto (GStrv) names = stats_list_split (list);

  if (!stats_names_have (names, before))
    return NULL;
  GString *to = g_string_new (NULL);
  for (char **n = names; *n != NULL; n++)
    stats_list_add (to, strcmp (*n, before) == 0 ? name : *n);
  return g_string_free (to, FALSE);
}

/* ---- names that are none ------------------------------------------------------------------------------------------ */

#define MOST_TOLD 8 /* names one by one */

static void
strike (void *left, const char *name)
{
  g_hash_table_remove (left, name);
}

static void
list_keep (void *names, const char *name)
{
  g_hash_table_add (names, g_strdup (name));
}

#define NO_COMMA " \t;"
#define MOST_WORDS 64

/* Whether what stands for one name is several in a row, each of a word or more: commas were forgotten. */
static bool
are_names (const char *name, EveOffer offer, void *arg)
{
  g_autoptr (GHashTable) there = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) words = g_strsplit_set (name, NO_COMMA, -1);
  bool begins[MOST_WORDS + 1] = { true }; /* a name may begin at this word: those before it are names */
  guint n = 0;

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      words[n++] = words[i];
    else
      g_free (words[i]);
  words[n] = NULL;
  if (n < 2 || n > MOST_WORDS)
    return false;
  offer (arg, list_keep, there);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GString) some = g_string_new (NULL);
    for (guint k = i; begins[i] && k < n; k++) {
      g_string_append_printf (some, "%s%s", k > i ? " " : "", words[k]);
      begins[k + 1] |= g_hash_table_contains (there, some->str);
    }
  }
  return begins[n];
}

void
stats_offer_keys (void *table, void (*add) (void *to, const char *name), void *to)
{
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    add (to, name);
}

void
stats_tell_unknown (EveComponent *c, GHashTable **told, const char *what, char *const *names, EveOffer offer, void *arg)
{
  g_autoptr (GHashTable) left = g_hash_table_new (g_str_hash, g_str_equal);
  guint more = 0;

  if (eve_at_rest (c)) /* nobody would hear it: it is told when something comes, or at the end */
    return;
  if (*told == NULL)
    *told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; names[i] != NULL; i++)
    g_hash_table_add (left, names[i]);
  if (g_hash_table_size (left) > 0)
    offer (arg, strike, left);
  for (guint i = 0; names[i] != NULL && g_hash_table_size (left) > 0; i++) {
    if (!g_hash_table_remove (left, names[i]) || !g_hash_table_add (*told, g_strconcat (what, " ", names[i], NULL)))
      continue;
    if (g_hash_table_size (*told) > MOST_TOLD) {
      more++;
      continue;
    }
    if (strpbrk (names[i], NO_COMMA) != NULL && are_names (names[i], offer, arg)) {
      eve_warn_missing (c, _ ("No %s is called “%s”; a list has commas between its names."), what, names[i]);
      continue;
    }
    g_autofree char *nearest = eve_nearest_told (names[i], offer, arg);
    eve_warn_missing (c, _ ("No %s is called “%s”%s."), what, names[i], nearest);
  }
  if (more > 0)
    eve_warn_missing (c, _ ("%u more names are those of no %s."), more, what);
}

char **
stats_list_read (EveComponent *c, GHashTable **told, const char *what, const char *list, EveOffer offer, void *arg)
{
  char **names = stats_list_split (list);

  stats_tell_unknown (c, told, what, names, offer, arg);
  return names;
}
