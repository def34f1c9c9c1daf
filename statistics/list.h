/* SPDX-License-Identifier: Apache-2.0 */
/* list.h - settings that are lists of names: "fft 0, fft 1".
 *
 * Names stand between commas.  Blanks around a name do not belong to it, blanks inside it do.  A name with a comma or a
 * quote in it stands in double quotes, in which two quotes are one: "a, b". [any thread] */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "readers/event.h"

/* The names of a list, without empty ones; g_strfreev. */
TRACE_API char **stats_list_split (const char *list);
/* Whether a list has a name; NULL is in no list. */
TRACE_API bool stats_list_has (const char *list, const char *name);
/* Adds a name at the end, quoted if need be. */
TRACE_API void stats_list_add (GString *list, const char *name);
/* As stats_list_split(); but a name that nobody is called by, though each of its words is somebody's, is those words:
 * so older programs wrote lists, with blanks between. */
typedef bool (*StatsIsName) (void *arg, const char *name);
TRACE_API char **stats_list_names (const char *list, StatsIsName is_name, void *arg);

/* Among names that are offered one by one, the nearest to one that is none of them: that which it becomes by the fewest
 * letters left out, added or changed (Levenshtein's distance), whatever the case. */
typedef struct StatsNearest {
  const char *wanted;
  char *best; /* g_free; NULL: none is near, so far */
  guint distance;
} StatsNearest;
TRACE_API void stats_nearest_offer (StatsNearest *n, const char *name);
/* Warns that no task is called `name`, and which name is the nearest of those that `offer` gives, once for each name:
 * *told keeps them, NULL at first, g_hash_table_unref. [engine thread] */
TRACE_API void stats_tell_unknown_task (EveComponent *c, GHashTable **told, const char *name,
                                        void (*offer) (void *arg, StatsNearest *nearest), void *arg);
