/* SPDX-License-Identifier: Apache-2.0 */
/* save.c - the run state of clients and servers, written and read. */
#include "simulators/services/model.h"

static void
save_held (const Model *m, EveBlob *to)
{
  for (uint32_t i = 0; i < m->store.graph.n_nodes; i++)
    for (uint32_t at = node_at (m, i)->server == NONE ? node_at (m, i)->held : NONE; at != NONE;
         at = held_at (m, at)->next) {
      const Held *h = held_at (m, at);
      const int64_t all[] = { i, h->client, h->tag, h->service, h->sent, h->begun };
      eve_put_ints (to, all, G_N_ELEMENTS (all));
    }
  eve_put_ints (to, (const int64_t[]){ -1, 0, 0, 0, 0, 0 }, 6);
}

static bool
load_held (Model *m, EveBlobView *from)
{
  int64_t all[6], n = m->store.graph.n_nodes;

  while (eve_get_ints (from, all, 6) == 6 && all[0] != -1) {
    bool ok = all[0] >= 0 && all[0] < n && all[1] >= 0 && all[1] < n && node_at (m, (uint32_t) all[0])->server == NONE
              && node_at (m, (uint32_t) all[1])->server == NONE && all[2] >= INT32_MIN && all[2] <= INT32_MAX
              && all[3] >= INT32_MIN && all[3] <= INT32_MAX;
    if (!ok)
      return false;
    const Held h = { (uint32_t) all[1], (int32_t) all[2], (int32_t) all[3], all[4], all[5], NONE };
    uint32_t *link = &node_at (m, (uint32_t) all[0])->held, many = 0;
    for (; *link != NONE && many < MOST_HELD; many++)
      link = &held_at (m, *link)->next;
    if (*link != NONE)
      return false;
    *link = m->held->len;
    g_array_append_val (m->held, h);
  }
  return eve_get_ok (from);
}

void
services_model_save (const Model *m, EveBlob *to)
{
  store_save (&m->store, to);
  for (uint32_t i = 0; i < m->store.graph.n_nodes; i++) {
    const Node *n = node_at (m, i);
    const int64_t all[] = { n->server == NONE ? -1 : (int64_t) n->server, n->tag,
                            n->serves + 2 * n->acts + 4 * n->sends, n->began,
                            n->server == NONE && n->parent != NONE ? (int64_t) n->parent : -1 };
    eve_put_ints (to, all, G_N_ELEMENTS (all));
  }
  save_held (m, to);
  eve_put_int (to, (int64_t) m->n_calls);
  eve_put_int (to, (int64_t) m->n_lost);
  eve_put_int (to, (int64_t) m->n_done);
  eve_put_int (to, calls_n (&m->calls));
  g_autoptr (GPtrArray) sorted = calls_in_order (&m->calls);
  for (guint i = 0; i < sorted->len; i++) {
    const Call *c = sorted->pdata[i];
    const int64_t all[] = { c->client, c->server, c->service, c->tag, c->sent, c->begun, c->stage };
    eve_put_ints (to, all, G_N_ELEMENTS (all));
  }
}

bool
services_model_load (Model *m, EveBlobView *from)
{
  bool ok = store_load (&m->store, from);
  int64_t n_nodes = ok ? m->store.graph.n_nodes : 0;

  for (uint32_t i = 0; ok && i < n_nodes; i++) {
    int64_t all[5];
    Node *n = node_at (m, i);
    ok = eve_get_ints (from, all, 5) == 5 && all[0] >= -1 && all[0] < n_nodes && all[1] >= INT32_MIN
         && all[1] <= INT32_MAX && all[4] >= -1 && all[4] < n_nodes;
    if (!ok)
      break;
    n->server = all[0] < 0 ? NONE : (uint32_t) all[0];
    n->tag = (int32_t) all[1];
    n->serves = all[2] & 1;
    n->acts = all[2] & 2;
    n->sends = all[2] & 4;
    n->began = MAX (all[3], 0);
    n->parent = all[4] < 0 ? NONE : (uint32_t) all[4];
    n->held = NONE;
    if (n->server != NONE)
      put (m->services, key_of (n->server, (uint32_t) n->tag), i + 1);
  }
  for (uint32_t i = 0; ok && i < n_nodes; i++) { /* who offers a service is a task */
    uint32_t server = node_at (m, i)->server;
    ok = server == NONE ? node_at (m, i)->node.task != NONE : node_at (m, server)->server == NONE;
  }
  ok = ok && load_held (m, from);
  m->n_calls = (uint64_t) eve_get_int (from);
  m->n_lost = (uint64_t) eve_get_int (from);
  m->n_done = (uint64_t) eve_get_int (from);
  for (int64_t n = state_get (from, 0, MOST_CALLS, &ok); ok && n > 0; n--) {
    int64_t all[7];
    ok = eve_get_ints (from, all, 7) == 7 && all[3] >= INT32_MIN && all[3] <= INT32_MAX && all[6] >= SENT
         && all[6] <= REPLIED;
    for (int i = 0; i < 3 && ok; i++)
      ok = all[i] >= 0 && all[i] < n_nodes;
    ok = ok && node_at (m, (uint32_t) all[2])->server != NONE && node_at (m, (uint32_t) all[0])->server == NONE
         && node_at (m, (uint32_t) all[1])->server == NONE;
    const Call c = { .client = (uint32_t) all[0],
                     .server = (uint32_t) all[1],
                     .service = (uint32_t) all[2],
                     .tag = (int32_t) all[3],
                     .sent = all[4],
                     .begun = all[5],
                     .number = calls_n (&m->calls), /* its place among those before it */
                     .stage = (uint8_t) all[6] };
    if (ok)
      calls_add (&m->calls, &c);
  }
  if (!ok || !eve_get_ok (from))
    return false;
  store_find_source (&m->store);
  return true;
}
