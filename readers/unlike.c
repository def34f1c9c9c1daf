/* SPDX-License-Identifier: Apache-2.0 */
/* unlike.c - a table of the names that are taken, and of the number that is to be tried next behind each: not from 2 on
 * for each of those that are alike. */
#include "readers/unlike.h"

struct Unlike {
  GHashTable *next; /* name -> number */
};

Unlike *
unlike_new (void)
{
  Unlike *taken = g_new0 (Unlike, 1);

  taken->next = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return taken;
}

void
unlike_free (Unlike *taken)
{
  if (taken)
    g_hash_table_unref (taken->next);
  g_free (taken);
}

bool
unlike_is_free (const Unlike *taken, const char *name)
{
  return !g_hash_table_contains (taken->next, name);
}

void
unlike_release (Unlike *taken, const char *name)
{
  g_hash_table_remove (taken->next, name);
}

char *
unlike_others (Unlike *taken, const char *name, const char *before, const char *behind)
{
  unsigned n = GPOINTER_TO_UINT (g_hash_table_lookup (taken->next, name));
  char *tried = g_strdup (name);

  if (n > 0) {
    do {
      g_free (tried);
      tried = g_strdup_printf ("%s%s%u%s", name, before, n++, behind);
    } while (!unlike_is_free (taken, tried));
    g_hash_table_insert (taken->next, g_strdup (name), GUINT_TO_POINTER (n));
  }
  g_hash_table_insert (taken->next, g_strdup (tried), GUINT_TO_POINTER (2));
  return tried;
}
