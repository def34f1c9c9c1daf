/* SPDX-License-Identifier: Apache-2.0 */
/* together.c - kinds of operations of groups, made when they are met. */
#include <string.h>

#include "readers/together.h"

#define MOST_LISTED 32768 /* members that one event tells */

void
together_begin (Together *t, Converter *to)
{
  *t = (Together){ .to = to, .kinds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
}

void
together_end (Together *t)
{
  g_clear_pointer (&t->kinds, g_hash_table_unref);
}

void
together_members (Converter *to, uint32_t *kind, uint32_t object, const uint32_t *tasks, uint32_t n, int64_t date,
                  uint64_t place)
{
  static const TraceField fields[] = { { "group", TRACE_ROLE_OBJECT, NULL }, { "members", TRACE_ROLE_PEERS, NULL } };
  uint32_t first = 0;

  while (first < n && tasks[first] == TRACE_NONE)
    first++;
  if (first == n || object == TRACE_NONE)
    return;
  if (*kind == 0)
    *kind = converter_kind (to, &(TraceKind){ .name = "Group",
                                              .category = "group",
                                              .fields = fields,
                                              .n_fields = G_N_ELEMENTS (fields),
                                              .instant = true,
                                              .acts = TRACE_ACT_MARK })
            + 1;
  for (uint32_t i = 0; i<n && * kind> 0; i += MOST_LISTED) {
    converter_list (to, tasks + i, MIN (n - i, MOST_LISTED));
    converter_event_at (to,
                        &(TraceEvent){ .date = date,
                                       .task = tasks[first],
                                       .peer = TRACE_NONE,
                                       .object = object,
                                       .tag = -1,
                                       .kind = (uint16_t) (*kind - 1),
                                       .flags = TRACE_INSTANT },
                        place);
  }
}

uint32_t
together_group (Together *t, const char *name, const uint32_t *tasks, uint32_t n, int64_t date)
{
  uint32_t object = trace_source_add_object (converter_source (t->to), name);

  together_members (t->to, &t->group, object, tasks, n, date, converter_place (t->to));
  return object;
}

uint32_t
together_operation (Converter *to, const char *name)
{
  static const TraceField fields[] = { { "group", TRACE_ROLE_OBJECT, NULL },
                                       { "root", TRACE_ROLE_PEER, NULL },
                                       { "bytes", TRACE_ROLE_SIZE, "B" },
                                       { "received", TRACE_ROLE_INT, NULL } };
  g_autofree char *end = g_strconcat ("End", name, NULL);

  return converter_kind (to, &(TraceKind){ .name = name,
                                           .end_name = end,
                                           .category = "collective",
                                           .fields = fields,
                                           .n_fields = G_N_ELEMENTS (fields),
                                           .acts = TRACE_ACT_COLLECTIVE });
}

uint32_t
together_kind (Together *t, const char *call)
{
  gpointer known;

  if (g_hash_table_lookup_extended (t->kinds, call, NULL, &known))
    return GPOINTER_TO_UINT (known) - 1;
  const TraceKind named = { .name = call };
  bool blocks = true;
  uint32_t kind = TOGETHER_NONE;
  if (trace_collective (&named, &blocks) != TRACE_COLLECTIVE_OTHER && blocks) {
    const char *behind = strchr (call, '_'),
               *name = g_ascii_strncasecmp (call, "MPI_", 4) == 0 || g_ascii_strncasecmp (call, "PMPI_", 5) == 0
                           ? behind + 1
                           : call;
    kind = together_operation (t->to, name);
  }
  g_hash_table_insert (t->kinds, g_strdup (call), GUINT_TO_POINTER (kind + 1));
  return kind;
}
