/* SPDX-License-Identifier: Apache-2.0 */
#include "eve/nearest.h"
#include "eve/words.h"
#include <glib.h>
#include <string.h>

#define LONGEST 64 /* letters of a name that are compared */

static guint
nearest_distance (const char *a, const char *b, guint enough)
{
  guint n = (guint) MIN (strlen (a), LONGEST), m = (guint) MIN (strlen (b), LONGEST), row[LONGEST + 1];

  if ((n > m ? n - m : m - n) >= enough)
    return enough;
  for (guint j = 0; j <= m; j++)
    row[j] = j;
  for (guint i = 1; i <= n; i++) {
    guint diagonal = row[0];
    row[0] = i;
    guint least = i;
    for (guint j = 1; j <= m; j++) {
      guint changed = diagonal + (g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1]));
      diagonal = row[j];
      row[j] = MIN (changed, MIN (row[j], row[j - 1]) + 1);
      least = MIN (least, row[j]);
    }
    if (least >= enough)
      return enough;
  }
  return row[m];
}

typedef struct Nearest {
  const char *wanted;
  char *best; /* NULL: none is near, so far */
  guint distance;
} Nearest;

static void
nearest_compare (void *to, const char *name)
{
  Nearest *n = to;
  /* One that shares nothing but a few letters is no help. */
  guint enough = (guint) MAX (strlen (n->wanted), strlen (name)) / 2 + 1;
  if (n->best)
    enough = MIN (enough, n->distance);
  guint d = nearest_distance (n->wanted, name, enough);

  if (d >= enough)
    return;
  g_free (n->best);
  n->best = g_strdup (name);
  n->distance = d;
}

char *
eve_nearest (const char *wanted, EveOffer offer, void *arg)
{
  Nearest n = { .wanted = wanted };

  offer (arg, nearest_compare, &n);
  return n.best;
}

char *
eve_nearest_words (const char *nearest)
{
  return nearest ? g_strdup_printf (_ ("; the nearest name is “%s”"), nearest) : g_strdup ("");
}

char *
eve_nearest_told (const char *wanted, EveOffer offer, void *arg)
{
  g_autofree char *nearest = eve_nearest (wanted, offer, arg);
  return eve_nearest_words (nearest);
}
