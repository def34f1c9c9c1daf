/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - who is in which group.  A membership stands in two chains, that of its group, in order of joining, and
 * that of its task; a table finds it by both. */
#include "simulators/pvm/pvm.h"

#include "readers/pair.h"
#include "readers/reader.h"

_Static_assert(sizeof (gpointer) == 8, "a node and a group are one key");

static gpointer
pvm_groups_key_of (uint32_t node, uint32_t group)
{
  return GSIZE_TO_POINTER ((gsize) node << 32 | group);
}

GHashTable *
pvm_membership_new (void)
{
  return g_hash_table_new (pair_hash_direct, NULL);
}

Group *
pvm_group (Pvm *p, uint32_t object)
{
  const TraceSource *s;

  if (object < p->groups->len)
    return &g_array_index (p->groups, Group, object);
  s = trace_source (p->store.graph.source);
  if (s == NULL || object >= s->objects->len)
    return NULL;
  return pvm_group_make (p, object);
}

Group *
pvm_group_make (Pvm *p, uint32_t object)
{
  while (p->groups->len <= object)
    g_array_append_val (p->groups, ((Group){ .first = NONE, .last = NONE }));
  return &g_array_index (p->groups, Group, object);
}

bool
pvm_group_join (Pvm *p, Group *group, uint32_t object, uint32_t node)
{
  gpointer key = pvm_groups_key_of (node, object);
  Task *t = task_at (p, node);
  uint32_t at = p->free_member;

  if (g_hash_table_contains (p->membership, key))
    return false;
  if (at != NONE) {
    p->free_member = p->members[at].after;
  } else {
    at = p->n_members++;
    p->members = state_room (p->members, at, &p->members_room, sizeof *p->members);
  }
  p->members[at] = (Member){
    .node = node, .group = object, .before = group->last, .after = NONE, .newer = NONE, .older = t->last_group
  };
  if (group->last != NONE)
    p->members[group->last].after = at;
  else
    group->first = at;
  group->last = at;
  group->n++;
  if (t->last_group != NONE)
    p->members[t->last_group].newer = at;
  t->last_group = at;
  t->n_groups++;
  g_hash_table_insert (p->membership, key, GUINT_TO_POINTER (at));
  return true;
}

bool
pvm_group_leave (Pvm *p, Group *group, uint32_t object, uint32_t node)
{
  gpointer key = pvm_groups_key_of (node, object), found;

  if (!g_hash_table_lookup_extended (p->membership, key, NULL, &found))
    return false;
  uint32_t at = GPOINTER_TO_UINT (found);
  const Member m = p->members[at];
  *(m.before != NONE ? &p->members[m.before].after : &group->first) = m.after;
  *(m.after != NONE ? &p->members[m.after].before : &group->last) = m.before;
  *(m.newer != NONE ? &p->members[m.newer].older : &task_at (p, node)->last_group) = m.older;
  if (m.older != NONE)
    p->members[m.older].newer = m.newer;
  group->n--;
  task_at (p, node)->n_groups--;
  p->members[at].after = p->free_member;
  p->free_member = at;
  g_hash_table_remove (p->membership, key);
  return true;
}
