/* SPDX-License-Identifier: Apache-2.0 */
#include "session/called.h"
#include <string.h>
#include "readers/reader.h"

uint32_t
task_called (const Names *names, const TraceSource *s, const char *id, size_t n)
{
  for (uint32_t i = 0, all = names_count (names, s); i < all; i++)
    if (strncmp (names_id (names, s, i), id, n) == 0 && names_id (names, s, i)[n] == '\0')
      return i;
  return TRACE_NONE;
}

TraceRef
ref_called (const Names *names, const TraceSource *s, const char *name)
{
  const char *arrow = strstr (name, "->"), *equal = strchr (name, '=');
  uint32_t task = task_called (names, s, name, strlen (name));

  if (task == TRACE_NONE && arrow) {
    uint32_t from = task_called (names, s, name, (size_t) (arrow - name)),
             to = task_called (names, s, arrow + 2, strlen (arrow + 2));
    if (from != TRACE_NONE && to != TRACE_NONE)
      return trace_ref_link (s->number, from, to);
  }
  if (task == TRACE_NONE && equal) {
    g_autofree char *attribute = g_strndup (name, (gsize) (equal - name));
    return trace_ref_value (attribute, equal + 1);
  }
  for (uint32_t i = 0; task == TRACE_NONE && i < s->n_kinds; i++)
    if (g_str_equal (s->kinds[i].name, name))
      return trace_ref (TRACE_REF_KIND, s->number, i);
  for (guint i = 0; task == TRACE_NONE && i < s->objects->len; i++)
    if (g_str_equal (trace_object_id (s, i), name))
      return trace_ref (TRACE_REF_OBJECT, s->number, i);
  return trace_ref_task (s->number, task);
}
