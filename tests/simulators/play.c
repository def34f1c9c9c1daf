/* SPDX-License-Identifier: Apache-2.0 */
#include "play.h"

Play *
play_new (uint32_t tasks, uint32_t groups, bool born)
{
  Play *p = g_new0 (Play, 1);

  p->fake = fake_new (tasks, groups);
  p->keep_the_dead = true;
  p->pvm = pvm_new (&p->keep_the_dead, &p->ignore_packing);
  p->tasks = tasks;
  for (uint32_t i = 0; born && i < tasks; i++)
    fake (p->fake, 0, 0, "Enroll", i);
  return p;
}

void
play_free (Play *p)
{
  pvm_free (p->pvm);
  fake_free (p->fake);
  g_free (p);
}

void
play_until (Play *p, int64_t date)
{
  if (p->events == NULL)
    p->events = fake_events (p->fake, &p->n);
  while (p->next < p->n && p->events[p->next].date <= date)
    pvm_step (p->pvm, &p->events[p->next++]);
}

static char *
text (Play *p, StateScope scope, uint32_t object, const char *attribute, int64_t at)
{
  int a = state_attribute (p->pvm->store.graph.model, scope, attribute);
  GString *to = g_string_new (NULL);

  g_assert_cmpint (a, >=, 0);
  state_text (&p->pvm->store.graph, (uint32_t) a, object, at, to);
  return g_string_free (to, FALSE);
}

char *
play_task (Play *p, uint32_t task, const char *attribute, int64_t at)
{
  uint32_t node = task < p->pvm->store.n_node_of ? p->pvm->store.node_of[task] : NONE;

  if (node == NONE || !state_present (&p->pvm->store.graph, STATE_NODE, node))
    return NULL;
  return text (p, STATE_NODE, node, attribute, at);
}

char *
play_link (Play *p, uint32_t from, uint32_t to, const char *attribute, int64_t at)
{
  uint32_t n = p->pvm->store.n_node_of;
  uint32_t x = from < n ? p->pvm->store.node_of[from] : NONE, y = to < n ? p->pvm->store.node_of[to] : NONE;
  uint32_t link = x != NONE && y != NONE ? store_find_edge (&p->pvm->store, x, y) : NONE;

  if (link == NONE || !state_present (&p->pvm->store.graph, STATE_EDGE, link))
    return NULL;
  return text (p, STATE_EDGE, link, attribute, at);
}
