/* SPDX-License-Identifier: Apache-2.0 */
/* both-ends.c - names that differ in one word alone. */
#include <string.h>

#include "readers/both-ends.h"

static const struct {
  const char *begin, *end;
} words[] = {
  { "entry", "exit" }, { "enter", "exit" },   { "enter", "leave" }, { "begin", "end" }, { "start", "end" },
  { "start", "stop" }, { "start", "finish" }, { "start", "done" },  { "req", "acq" },   { "Entry", "Exit" },
  { "Enter", "Exit" }, { "Enter", "Leave" },  { "Begin", "End" },   { "Start", "End" }, { "Start", "Stop" },
};

const char *
both_ends_word (const char *name, const char *word)
{
  size_t n = strlen (word);

  for (const char *at = strstr (name, word); at; at = strstr (at + 1, word))
    if ((at == name || !g_ascii_islower (at[-1]) || g_ascii_isupper (*word)) && !g_ascii_islower (at[n]))
      return at;
  return NULL;
}

static char *
with_word (const char *name, const char *at, size_t n, const char *other)
{
  return g_strdup_printf ("%.*s%s%s", (int) (at - name), name, other, at + n);
}

/* What is left of a name without the word: "syscall_open" of "syscall_entry_open". */
static char *
stem_of (const char *name, const char *at, size_t n)
{
  g_autofree char *stem = with_word (name, at, n, "");
  GString *to = g_string_new (NULL);

  for (const char *c = stem; *c; c++)
    if (!strchr ("_:. ", *c)
        || (to->len > 0 && c[1] && !strchr ("_:. ", c[1]) && !strchr ("_:. ", to->str[to->len - 1])))
      g_string_append_c (to, *c);
    else if (to->len > 0 && c[1] && !strchr ("_:. ", to->str[to->len - 1]))
      g_string_append_c (to, *c);
  if (to->len == 0)
    g_string_append (to, name);
  return g_string_free (to, FALSE);
}

bool
both_ends_of (const char *name, GHashTable *names, BothEnds *to)
{
  for (size_t i = 0; i < G_N_ELEMENTS (words); i++)
    for (int side = 0; side < 2; side++) {
      const char *mine = side == 0 ? words[i].begin : words[i].end, *other = side == 0 ? words[i].end : words[i].begin;
      const char *at = both_ends_word (name, mine);
      g_autofree char *partner = at ? with_word (name, at, strlen (mine), other) : NULL;
      if (!partner || !g_hash_table_contains (names, partner))
        continue;
      *to = (BothEnds){ .begins = side == 0,
                        .asks = strcmp (mine, "req") == 0,
                        .stem = stem_of (name, at, strlen (mine)) };
      return true;
    }
  return false;
}
