/* SPDX-License-Identifier: Apache-2.0 */
/* together.c - operations of groups, as maps tell them: when a task has come to one, and afterwards which it was, with
 * which communicator, root and bytes. */
#include "readers/ctf/ctf.h"
#include "readers/pair.h"

#define MOST_MEMBERS (1u << 22) /* of all communicators */

void
ctf_together_begin (Ctf *c)
{
  together_begin (&c->together, c->to);
  c->met = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  c->groups = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  c->operations = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

void
ctf_together_end (Ctf *c)
{
  together_end (&c->together);
  g_hash_table_unref (c->met);
  g_hash_table_unref (c->groups);
  g_hash_table_unref (c->operations);
}

void
ctf_meets (Ctf *c, uint32_t task, int64_t date)
{
  int64_t *since = g_hash_table_lookup (c->met, GUINT_TO_POINTER (task));

  if (!since)
    g_hash_table_insert (c->met, GUINT_TO_POINTER (task), since = g_new (int64_t, 1));
  *since = date;
}

/* Its members are told where it is used first; NONE: the trace does not tell them, or very many of others already. */
static uint32_t
together_group_of (Ctf *c, const Stream *s, const Class *k, int64_t comm, int64_t date)
{
  gint64 key = comm;
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (c->groups, &key));
  int64_t group, location;

  if (known > 0)
    return known - 1;
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  bool is_told = ctf_number_in (c, "comm", comm, &group);
  for (uint32_t rank = 0; is_told && ctf_number_in (c, "member", group << 32 | rank, &location); rank++) {
    uint32_t task = ctf_location (c, s, k->task_table, location);
    g_array_append_val (members, task);
    if (++c->n_members > MOST_MEMBERS)
      return NONE;
  }
  if (members->len == 0)
    return NONE;
  g_autofree char *name = g_strdup_printf ("communicator %" G_GINT64_FORMAT, comm);
  uint32_t object = together_group (&c->together, name, (const uint32_t *) (const void *) members->data, members->len,
                                    MIN (c->first, date));
  g_hash_table_insert (c->groups, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (object + 1));
  return object;
}

/* As long as since the task has come to it; a map that tells no such date has operations of no length. */
void
ctf_together (Ctf *c, const Stream *s, const Class *k, const Cell *const *scopes, uint32_t task)
{
  const Cell *op = ctf_field (scopes, k->state);
  const char *name = op ? ctf_text (c, op) : "", *told = g_hash_table_lookup (c->operations, name);
  uint32_t kind = together_kind (&c->together, told ? told : name);
  int64_t comm, bytes, *since = g_hash_table_lookup (c->met, GUINT_TO_POINTER (task)), begin = s->date;

  if (since) {
    begin = MIN (*since, s->date);
    g_hash_table_remove (c->met, GUINT_TO_POINTER (task));
  }
  if (kind == TOGETHER_NONE || !ctf_int (ctf_field (scopes, k->comm), &comm))
    return;
  TraceEvent e = {
    .date = begin, .task = task, .peer = ctf_peer (c, s, k, scopes), .tag = -1, .kind = (uint16_t) kind
  };
  e.object = together_group_of (c, s, k, comm, begin);
  if (e.object == NONE)
    return;
  e.size = ctf_int (ctf_field (scopes, k->size), &bytes) && bytes >= 0 ? bytes : 0;
  converter_int (c->to, ctf_int (ctf_field (scopes, k->received), &bytes) ? MAX (bytes, 0) : 0);
  converter_action (c->to, &e, s->date);
}
