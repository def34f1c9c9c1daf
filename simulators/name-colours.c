/* SPDX-License-Identifier: Apache-2.0 */
/* name-colours.c - the places that names of states have in the row of colours.
 *
 * A name wants the same place in every trace: which one its hash says.  Where two names of one attribute want the same,
 * the one that was met later gives way.  The first eight names get the eight colours that are farthest apart, the next
 * the eight that are then: what is shown together is told apart, however the hashes fall.  What has a place keeps it as
 * long as a trace that is open has that name: a colour never changes while a trace is played, and a film, which knows
 * all names beforehand in the order in which they are met, gives the same.  A process that draws for another one is
 * given the places that names have there.  Engine thread only, but for store_name_places(). */
#include <string.h>
#include "simulators/store.h"

#define TOGETHER 8 /* colours of the row that were chosen together (state.c): it divides STATE_COLOURS */

typedef struct Name {
  uint32_t users;
  uint8_t place; /* from 1 */
  bool alone;    /* nobody else has that place */
} Name;

typedef struct Group { /* the names of the attributes of one name, of all traces */
  GHashTable *names;   /* text -> Name * */
  GHashTable *given;   /* text -> place: what another process has given them; NULL: none */
  uint32_t taken[STATE_PLACES / STATE_COLOURS];
} Group;

static GHashTable *groups; /* name of an attribute -> Group * */

static void
name_colours_take (uint32_t taken[STATE_PLACES / STATE_COLOURS], uint32_t place)
{
  taken[(place - 1) / STATE_COLOURS] |= UINT32_C (1) << (place - 1) % STATE_COLOURS;
}

static uint32_t
scrambled (uint32_t h)
{
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ h >> 16;
}

/* The `i`th place that a name would like: of the first eight of the row, which are farthest apart, then of the next
 * eight, and so on; within eight from one on, in odd steps, which visit all. */
static uint32_t
place_of_choice (uint32_t hash, uint32_t i)
{
  uint32_t h = scrambled (hash ^ 0x9e3779b9u);

  return i / TOGETHER * TOGETHER + ((h >> 4) + i * (2 * (h & 3) + 1)) % TOGETHER;
}

static void
choose_place (Name *n, uint32_t hash, uint32_t taken[STATE_PLACES / STATE_COLOURS])
{
  uint32_t found = STATE_PLACES;

  for (uint32_t turn = 0; turn < STATE_PLACES / STATE_COLOURS && found == STATE_PLACES; turn++)
    for (uint32_t i = 0; i < STATE_COLOURS && found == STATE_PLACES; i++)
      if ((taken[turn] >> place_of_choice (hash, i) & 1) == 0)
        found = turn * STATE_COLOURS + place_of_choice (hash, i);
  n->alone = found < STATE_PLACES;
  if (!n->alone) /* all are taken: what it wishes most, whoever has it too */
    found = place_of_choice (hash, 0);
  n->place = (uint8_t) (found + 1);
  name_colours_take (taken, n->place);
}

static void
name_colours_free_group (gpointer g)
{
  g_hash_table_unref (((Group *) g)->names);
  g_clear_pointer (&((Group *) g)->given, g_hash_table_unref);
  g_free (g);
}

static Group *
name_colours_group (const char *attribute)
{
  if (groups == NULL)
    groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, name_colours_free_group);
  Group *g = g_hash_table_lookup (groups, attribute);
  if (g == NULL) {
    g = g_new0 (Group, 1);
    g->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    g_hash_table_insert (groups, g_strdup (attribute), g);
  }
  return g;
}

uint8_t
store_name_come (const char *attribute, const char *name)
{
  Group *g = name_colours_group (attribute);
  Name *n = g_hash_table_lookup (g->names, name);
  if (n == NULL) {
    n = g_new0 (Name, 1);
    g_hash_table_insert (g->names, g_strdup (name), n);
    n->place = g->given != NULL ? (uint8_t) GPOINTER_TO_UINT (g_hash_table_lookup (g->given, name)) : 0;
    if (n->place == 0)
      choose_place (n, g_str_hash (name), g->taken);
  }
  n->users++;
  return n->place;
}

void
store_name_gone (const char *attribute, const char *name)
{
  Group *g = groups != NULL ? g_hash_table_lookup (groups, attribute) : NULL;
  Name *n = g != NULL ? g_hash_table_lookup (g->names, name) : NULL;

  if (n == NULL || --n->users > 0)
    return;
  if (n->alone)
    g->taken[(n->place - 1) / STATE_COLOURS] &= ~(UINT32_C (1) << (n->place - 1) % STATE_COLOURS);
  g_hash_table_remove (g->names, name);
  if (g_hash_table_size (g->names) == 0 && g->given == NULL)
    g_hash_table_remove (groups, attribute);
}

char *
store_names_tell (void)
{
  GString *text = g_string_new (NULL);
  GHashTableIter i, k;
  gpointer attribute, group, name, of;

  if (groups != NULL)
    g_hash_table_iter_init (&i, groups);
  while (groups != NULL && g_hash_table_iter_next (&i, &attribute, &group)) {
    g_autofree char *key = g_strescape (attribute, NULL);
    g_hash_table_iter_init (&k, ((Group *) group)->names);
    while (g_hash_table_iter_next (&k, &name, &of)) {
      g_autofree char *value = g_strescape (name, NULL);
      g_string_append_printf (text, "%u\t%s\t%s\n", ((Name *) of)->place, key, value);
    }
  }
  return g_string_free (text, FALSE);
}

uint32_t
store_names_give (const char *text)
{
  uint32_t line = 1;

  for (const char *at = text, *end; *at != '\0'; at = *end == '\0' ? end : end + 1, line++) {
    end = strchrnul (at, '\n');
    g_autofree char *one = g_strndup (at, (size_t) (end - at));
    g_auto (GStrv) words = g_strsplit (one, "\t", 3);
    guint64 place;
    if (g_strv_length (words) != 3 || !g_ascii_string_to_unsigned (words[0], 10, 1, STATE_PLACES, &place, NULL))
      return line;
    g_autofree char *attribute = g_strcompress (words[1]), *name = g_strcompress (words[2]);
    Group *g = name_colours_group (attribute);
    if (g->given == NULL)
      g->given = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    g_hash_table_insert (g->given, g_steal_pointer (&name), GUINT_TO_POINTER (place));
    name_colours_take (g->taken, (uint32_t) place); /* by nobody else, also while that name is not there */
  }
  return 0;
}

void
store_name_places (const char *const *names, uint32_t n, uint8_t *places)
{
  uint32_t taken[STATE_PLACES / STATE_COLOURS] = { 0 };

  for (uint32_t i = 0; i < n; i++) {
    Name name;
    choose_place (&name, g_str_hash (names[i]), taken);
    places[i] = name.place;
  }
}
