/* SPDX-License-Identifier: Apache-2.0 */
/* list.h - settings that are lists of names: "fft 0, fft 1".
 *
 * Names stand between commas.  Blanks around a name do not belong to it, blanks inside it do.  A name with a comma or a
 * quote in it, or with a blank at one of its ends, stands in double quotes, in which two quotes are one: "a, b".  What
 * has something behind its closing quote, or no closing quote, is a name as it stands, with its quotes: nobody goes by
 * such a name, and that is told.  [any thread, but for what warns: engine thread] */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "eve/nearest.h"
#include "readers/event.h"

/* The names of a list, without empty ones; g_strfreev. */
TRACE_API char **stats_list_split (const char *list);
static inline bool
stats_names_have (char *const *names, const char *name)
{
  return g_strv_contains ((const char *const *) names, name);
}
/* Whether a list has a name; NULL is in no list. */
TRACE_API bool stats_list_has (const char *list, const char *name);
/* Adds a name at the end, quoted if need be. */
TRACE_API void stats_list_add (GString *list, const char *name);
/* The list with another name in the place of one; g_free.  NULL: that is not in it. */
TRACE_API char *stats_list_renamed (const char *list, const char *before, const char *name);
/* Warns of each name that is not among those that there are ("No task is called “fft 22”"; `what`: "task"), with the
 * nearest, once for each, as what is missing (eve_warn_missing): *told keeps them, NULL at first, g_hash_table_unref.
 * Of many the first eight are told.  At rest nothing is: call it again at the end. */
TRACE_API void stats_tell_unknown (EveComponent *c, GHashTable **told, const char *what, char *const *names,
                                   EveOffer offer, void *arg);
/* An EveOffer of the keys of a GHashTable, which are names. */
TRACE_API void stats_offer_keys (void *table, void (*add) (void *to, const char *name), void *to);
/* stats_list_split() and stats_tell_unknown(): g_strfreev. */
TRACE_API char **stats_list_read (EveComponent *c, GHashTable **told, const char *what, const char *list,
                                  EveOffer offer, void *arg);
