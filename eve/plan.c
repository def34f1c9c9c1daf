/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - what is worked out once an edit: ranks, bursts, what each box waits for.  Types of ports: bind.c.
 *
 * Ranks: strongly connected components (Tarjan 1972, without recursion) in topological order, ties by the order in
 * which boxes were added; inside a cycle, breadth first from where data enter it.
 *
 * Bursts: a program whose components each fire on what their inputs hold is a process network (Kahn 1974): its
 * results do not depend on the schedule, and data may go in bursts.  Three things see the order of arrival:
 * inputs with several wires (but for those to which it is all the same), handlers, and components that choose
 * themselves when or who fires.  Whatever leads to one of them works datum by datum, each drained before a source gives
 * the next: so step by step, in slices and at full speed are the same there too. */
#include "eve/private.h"
#include <string.h>

/* ---- ranks ------------------------------------------------------------------------------------------------------ */
typedef struct Graph {
  uint32_t n;
  uint32_t *first, *next; /* successors of i: next[first[i]] to next[first[i + 1] - 1], sorted */
  uint32_t *pfirst, *pred;
} Graph;

static int
plan_by_number (const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  return (x > y) - (x < y);
}

static void
graph_make (Graph *g, EveProgram *p)
{
  g->n = p->nodes->len;
  g->first = g_new0 (uint32_t, g->n + 2);
  g->pfirst = g_new0 (uint32_t, g->n + 2);
  uint32_t n_edges = 0;
  for (uint32_t i = 0; i < program_n_flows (p); i++) {
    const Wire *w = program_flow (p, i);
    if (w->edge) {
      g->first[w->from->index + 1]++;
      g->pfirst[w->to->index + 1]++;
      n_edges++;
    }
  }
  for (uint32_t i = 0; i < g->n; i++) {
    g->first[i + 1] += g->first[i];
    g->pfirst[i + 1] += g->pfirst[i];
  }
  g->next = g_new (uint32_t, n_edges + 1);
  g->pred = g_new (uint32_t, n_edges + 1);
  g_autofree uint32_t *at = g_memdup2 (g->first, (g->n + 1) * sizeof (uint32_t));
  g_autofree uint32_t *pat = g_memdup2 (g->pfirst, (g->n + 1) * sizeof (uint32_t));
  for (uint32_t i = 0; i < program_n_flows (p); i++) {
    const Wire *w = program_flow (p, i);
    if (w->edge) {
      g->next[at[w->from->index]++] = w->to->index;
      g->pred[pat[w->to->index]++] = w->from->index;
    }
  }
  for (uint32_t i = 0; i < g->n; i++)
    qsort (g->next + g->first[i], g->first[i + 1] - g->first[i], sizeof (uint32_t), plan_by_number);
}

static void
plan_graph_free (Graph *g)
{
  g_free (g->first);
  g_free (g->next);
  g_free (g->pfirst);
  g_free (g->pred);
}

/* Tarjan: component[i] gets numbers in reverse topological order. */
static uint32_t
components (const Graph *g, uint32_t *component)
{
  g_autofree uint32_t *number = g_new0 (uint32_t, g->n + 1), *low = g_new0 (uint32_t, g->n + 1);
  g_autofree uint32_t *stack = g_new (uint32_t, g->n + 1), *path = g_new (uint32_t, g->n + 1);
  g_autofree uint32_t *at = g_new (uint32_t, g->n + 1);
  g_autofree bool *on_stack = g_new0 (bool, g->n + 1);
  uint32_t count = 0, n_stack = 0, n_components = 0;
  for (uint32_t root = 0; root < g->n; root++) {
    if (number[root])
      continue;
    uint32_t depth = 0;
    path[depth++] = root;
    while (depth) {
      uint32_t v = path[depth - 1];
      if (!number[v]) {
        number[v] = low[v] = ++count;
        at[v] = g->first[v];
        stack[n_stack++] = v;
        on_stack[v] = true;
      }
      if (at[v] < g->first[v + 1]) {
        uint32_t w = g->next[at[v]++];
        if (!number[w])
          path[depth++] = w;
        else if (on_stack[w])
          low[v] = MIN (low[v], number[w]);
        continue;
      }
      depth--;
      if (depth)
        low[path[depth - 1]] = MIN (low[path[depth - 1]], low[v]);
      if (low[v] == number[v]) {
        uint32_t w;
        do {
          w = stack[--n_stack];
          on_stack[w] = false;
          component[w] = n_components;
        } while (w != v);
        n_components++;
      }
    }
  }
  return n_components;
}

/* A heap of component numbers, smallest key first. */
static void
heap_push (uint32_t *heap, uint32_t *n, const uint32_t *key, uint32_t v)
{
  uint32_t i = (*n)++;
  for (; i && key[heap[(i - 1) / 2]] > key[v]; i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = v;
}

static uint32_t
heap_pop (uint32_t *heap, uint32_t *n, const uint32_t *key)
{
  uint32_t top = heap[0], v = heap[--*n], i = 0;
  for (uint32_t child; (child = 2 * i + 1) < *n; i = child) {
    if (child + 1 < *n && key[heap[child + 1]] < key[heap[child]])
      child++;
    if (key[v] <= key[heap[child]])
      break;
    heap[i] = heap[child];
  }
  heap[i] = v;
  return top;
}

static uint32_t
add_rank (EveProgram *p, bool *seen, uint32_t rank, uint32_t v)
{
  seen[v] = true;
  p->order[rank] = p->nodes->pdata[v];
  return rank + 1;
}

static void
rank_nodes (EveProgram *p, const Graph *g)
{
  uint32_t n = g->n;
  g_autofree uint32_t *component = g_new0 (uint32_t, n + 1);
  uint32_t n_components = components (g, component);
  g_autofree uint32_t *key = g_new (uint32_t, n_components + 1);    /* first box of the component */
  g_autofree uint32_t *waits = g_new0 (uint32_t, n_components + 1); /* wires from other components */
  g_autofree uint32_t *member_first = g_new0 (uint32_t, n_components + 2);
  g_autofree uint32_t *members = g_new (uint32_t, n + 1);
  for (uint32_t c = 0; c < n_components; c++)
    key[c] = UINT32_MAX;
  for (uint32_t v = 0; v < n; v++) {
    uint32_t c = component[v];
    key[c] = MIN (key[c], v);
    member_first[c + 1]++;
    for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
      if (component[g->next[e]] != c)
        waits[component[g->next[e]]]++;
  }
  for (uint32_t c = 0; c < n_components; c++)
    member_first[c + 1] += member_first[c];
  g_autofree uint32_t *fill = g_memdup2 (member_first, (n_components + 1) * sizeof (uint32_t));
  for (uint32_t v = 0; v < n; v++)
    members[fill[component[v]]++] = v;

  g_autofree uint32_t *heap = g_new (uint32_t, n_components + 1);
  g_autofree bool *seen = g_new0 (bool, n + 1);
  uint32_t n_heap = 0, rank = 0;
  for (uint32_t c = 0; c < n_components; c++)
    if (!waits[c])
      heap_push (heap, &n_heap, key, c);
  while (n_heap) {
    uint32_t c = heap_pop (heap, &n_heap, key);
    uint32_t begin = rank;
    for (uint32_t i = member_first[c]; i < member_first[c + 1]; i++)
      if (((Node *) p->nodes->pdata[members[i]])->klass->produce) /* what it feeds comes after it */
        rank = add_rank (p, seen, rank, members[i]);
    for (uint32_t i = member_first[c]; i < member_first[c + 1]; i++) {
      uint32_t v = members[i];
      bool fed = member_first[c + 1] - member_first[c] == 1;
      for (uint32_t e = g->pfirst[v]; e < g->pfirst[v + 1] && !fed; e++)
        fed = component[g->pred[e]] != c;
      if (fed && !seen[v])
        rank = add_rank (p, seen, rank, v);
    }
    if (rank == begin) /* nothing feeds this cycle */
      rank = add_rank (p, seen, rank, members[member_first[c]]);
    for (uint32_t done = begin; done < rank; done++) {
      uint32_t v = p->order[done]->index;
      for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
        if (!seen[g->next[e]] && component[g->next[e]] == c)
          rank = add_rank (p, seen, rank, g->next[e]);
    }
    for (uint32_t r = begin; r < rank; r++) {
      uint32_t v = p->order[r]->index;
      p->order[r]->rank = r;
      p->order[r]->component = c;
      for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
        uint32_t to = component[g->next[e]];
        if (to != c && !--waits[to])
          heap_push (heap, &n_heap, key, to);
      }
    }
  }
  p->n_order = rank;
}

/* ---- bursts ------------------------------------------------------------------------------------------------------- */
static void
choose_bursts (EveProgram *p, const Graph *g)
{
  g_autofree uint32_t *stack = g_new (uint32_t, g->n + 1);
  g_autofree bool *leads = g_new0 (bool, g->n + 1);
  uint32_t n_stack = 0;
  for (uint32_t v = 0; v < g->n; v++) {
    Node *n = p->nodes->pdata[v];
    bool sees_order = n->klass->can_fire && n->use == EVE_WORKS;
    uint32_t n_edges = 0, n_async = 0;
    for (uint32_t i = 0; i < n->n_ins; i++) {
      sees_order |= in_mixes (&n->ins[i]);
      n_edges += n->ins[i].n_edges;
      n_async += n->ins[i].n_edges && n->ins[i].spec->arrival == EVE_ASYNC && !n->ins[i].spec->commutes;
    }
    /* a handler that is all a component has sees one stream, in its order */
    sees_order |= n_async && (n_edges > 1 || n->klass->produce);
    if (!sees_order)
      continue;
    for (uint32_t e = g->pfirst[v]; e < g->pfirst[v + 1]; e++)
      if (!leads[g->pred[e]]) {
        leads[g->pred[e]] = true;
        stack[n_stack++] = g->pred[e];
      }
  }
  while (n_stack) {
    uint32_t v = stack[--n_stack];
    for (uint32_t e = g->pfirst[v]; e < g->pfirst[v + 1]; e++)
      if (!leads[g->pred[e]]) {
        leads[g->pred[e]] = true;
        stack[n_stack++] = g->pred[e];
      }
  }
  p->sees_order = false;
  for (uint32_t v = 0; v < g->n; v++) {
    ((Node *) p->nodes->pdata[v])->burst = leads[v] ? 1 : EVE_BURST;
    p->sees_order |= leads[v];
  }
}

void
plan_count_missing (Node *n)
{
  n->missing = n->use != EVE_WORKS; /* it never has what it needs */
  n->n_sync = 0;
  n->declined = n->has_pending = n->starved = false;
  for (uint32_t i = 0; i < n->n_ins; i++) {
    EveIn *in = &n->ins[i];
    in->empty = in->pending = false;
    if (!in->n_edges) {
      n->missing += in->spec->required && in->spec->arrival == EVE_SYNC;
      continue;
    }
    if (in->spec->arrival == EVE_ASYNC) {
      in->pending = in_available (in) > 0;
      n->has_pending |= in->pending;
      continue;
    }
    n->n_sync++;
    if (!in_available (in)) {
      in->empty = true;
      n->missing++;
    }
  }
  for (uint32_t i = 0; i < n->n_outs; i++) {
    n->outs[i].blocked = false;
    n->outs[i].armed = true;
    if (n->outs[i].size)
      ring_low_water (&n->outs[i]);
  }
}

void
plan_make (EveProgram *p)
{
  uint32_t n = p->nodes->len;
  bind_ports (p);
  /* the sweep goes on where it was, as far as that box is still there */
  Node *at = p->order && p->sweep < p->n_order ? p->order[p->sweep] : NULL;
  Node *turn = p->sources && p->turn < p->n_sources ? p->sources[p->turn] : NULL;
  p->order = g_renew (Node *, p->order, n + 1);
  Graph g;
  graph_make (&g, p);
  rank_nodes (p, &g);
  choose_bursts (p, &g);
  plan_graph_free (&g);

  g_free (p->ready);
  p->ready = g_new0 (uint64_t, n / 64 + 1);
  p->sources = g_renew (Node *, p->sources, n + 1);
  p->n_sources = p->sweep = p->turn = 0;
  bool kept = false;
  for (uint32_t i = 0; i < n; i++) {
    Node *node = p->nodes->pdata[i];
    plan_count_missing (node);
    if (node->klass->produce && node->use == EVE_WORKS) {
      if (node == turn)
        p->turn = p->n_sources;
      p->sources[p->n_sources++] = node;
    }
    if (node == at) {
      p->sweep = node->rank;
      kept = true;
    }
  }
  if (!kept)
    p->burst_left = 0;
  for (uint32_t i = 0; i < n; i++)
    sched_ready (p->nodes->pdata[i]);
  p->end_settled = false;
  p->dirty = false;
  LOG ("plan", 3, "%u boxes, %u wires, %u sources", n, p->wires->len, p->n_sources);
  dot_dump (p, "plan");
}
