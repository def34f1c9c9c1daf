/* SPDX-License-Identifier: Apache-2.0 */
#include "play.h"

Play *
play_new (bool born)
{
  Play *p = g_new0 (Play, 1);

  p->hand = hand_new ();
  p->hand->capacity = 1 << 16;
  hand_text (
      p->hand, "topology",
      "#TAPE 1\nprocessor 0 p0\nprocessor 1 p1\nvirtual 0 0\nvirtual 1 1\nvirtual 2 1\ntask 0 0 a prog\ntask 1 1 b\n"
      "task 2 2 c\nlink 0 0 1 ab\nlink 1 1 0 ba\nlink 2 2 1 cb\nlink 3 0 1 ab2\n");
  p->keep_the_dead = true;
  p->ouf = ouf_new (&p->keep_the_dead, &p->threads, &p->semaphores, &p->processors);
  for (uint32_t task = A; born && task <= C; task++)
    hand (p->hand, task, 0, TskBth, 0, 0, 0, 100 + task);
  return p;
}

void
play_free (Play *p)
{
  ouf_free (p->ouf);
  if (p->events != NULL)
    g_array_unref (p->events);
  if (p->source != NULL)
    trace_close (p->source);
  hand_free (p->hand);
  g_free (p);
}

void
play_until (Play *p, int64_t date)
{
  if (p->events == NULL) {
    hand_write (p->hand);
    p->source = hand_open (p->hand);
    p->events = hand_read (p->source);
    g_assert_cmpuint (p->source->n_damaged, ==, 0);
  }
  for (; p->next < p->events->len && g_array_index (p->events, TraceEvent, p->next).date <= date; p->next++)
    ouf_step (p->ouf, &g_array_index (p->events, TraceEvent, p->next));
}

static char *
text (Play *p, StateScope scope, uint32_t object, const char *attribute, int64_t at)
{
  int a = state_attribute (p->ouf->store.graph.model, scope, attribute);
  GString *to = g_string_new (NULL);

  g_assert_cmpint (a, >=, 0);
  state_text (&p->ouf->store.graph, (uint32_t) a, object, at, to);
  return g_string_free (to, FALSE);
}

char *
play_node (Play *p, const char *id, const char *attribute, int64_t at)
{
  const StateGraph *g = &p->ouf->store.graph;

  for (uint32_t i = 0; i < g->n_nodes; i++)
    if (state_present (g, STATE_NODE, i) && strcmp (g->node_id (g, i), id) == 0)
      return text (p, STATE_NODE, i, attribute, at);
  return NULL;
}

char *
play_link (Play *p, const char *name, const char *attribute, int64_t at)
{
  const StateGraph *g = &p->ouf->store.graph;

  for (uint32_t i = 0; i < g->n_edges; i++) {
    g_autofree char *found = text (p, STATE_EDGE, i, "Name", at);
    if (state_present (g, STATE_EDGE, i) && strcmp (found, name) == 0)
      return text (p, STATE_EDGE, i, attribute, at);
  }
  return NULL;
}
