/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - client and server: who asks whom for what, from messages alone.  A request makes a call, its receive
 * begins it, the reply ends it, the receive of that gives it back: README.md.  The queue of a service are the calls
 * that were asked for and have not begun. */
#include <math.h>
#include <stdlib.h>

#include "eve/words.h"
#include "readers/pair.h"
#include "simulators/services/model.h"

/* ---- what there is ---------------------------------------------------------------------------------------------- */
static const StateValue node_states[N_STATES] = {
  [WORKING] = { "Working", STATE_SENSE_WORKS, .doc = "it asks for nothing and serves nobody" },
  [CALLING] = { "Calling", STATE_SENSE_WAITS, .doc = "it has asked for a service and has no reply yet" },
  [SERVING] = { "Serving", STATE_SENSE_TALKS, .doc = "it does what somebody has asked for" },
  [IDLE] = { "Idle", STATE_SENSE_REST, .doc = "it has served and nobody asks for anything" },
  [DEAD] = { "Dead", STATE_SENSE_GONE },
};
enum { RESTS, ASKED };
static const StateValue edge_states[] = {
  [RESTS] = { "Unused", STATE_SENSE_REST }, [ASKED] = { "Calls", STATE_SENSE_TALKS }
};

enum {
  A_NAME,
  A_NICKNAME,
  A_HOST,
  A_SERVER,
  A_STATE,
  A_CLOCK,
  A_QUEUE,
  A_MOST,
  A_SERVING,
  A_SERVED,
  A_WAIT,
  A_SERVICE,
  A_WAITED,
  A_LASTED,
  A_COSTS,
  A_ASKS,
  A_CALLS,
  A_WAITS_FOR,
  A_WORKS,
  A_CALLING,
  A_SERVES,
  A_IDLE,
  A_FROM,
  A_TO,
  A_EDGE_STATE,
  A_PENDING,
  A_DONE,
  N_ATTRIBUTES
};
#define NODE STATE_NODE
#define EDGE STATE_EDGE
static const StateAttribute attributes[N_ATTRIBUTES] = {
  [A_NAME] = { "Name", NODE, STATE_TEXT, STATE_ROLE_NAME,
               .doc = "Identifier of the task; of a service also its name." },
  [A_NICKNAME] = { "Nickname", NODE, STATE_TEXT, STATE_ROLE_LABEL, .doc = "What people call it." },
  [A_HOST] = { "Host", NODE, STATE_TEXT, STATE_ROLE_PLACE, .doc = "The machine that it runs on." },
  [A_SERVER] = { "Server", NODE, STATE_TEXT, .doc = "Of a service: who offers it." },
  [A_STATE] = { "State", NODE, STATE_ENUM, STATE_VALUES (node_states), STORE_AT (Node, state),
                .doc = "Working, Calling (no reply yet), Serving, or Idle: a server that nobody asks." },
  [A_CLOCK] = { "Clock", NODE, STATE_DATE, STORE_AT (Node, node), .unit = "s", .doc = "Date of its last change." },
  [A_QUEUE] = { "Queue", NODE, STATE_INT, STORE_AT (Node, queue), .doc = "Calls that wait for it to begin them." },
  [A_MOST] = { "LongestQueue", NODE, STATE_INT, STORE_AT (Node, most_queue), .doc = "The most that ever waited." },
  [A_SERVING] = { "Serves", NODE, STATE_INT, STORE_AT (Node, serving), .doc = "Calls that it has begun." },
  [A_SERVED] = { "Served", NODE, STATE_INT, STORE_AT (Node, served), .doc = "Calls that it has replied to." },
  [A_WAIT] = { "MeanWait", NODE, STATE_REAL, STORE_AT (Node, mean_wait), .unit = "s",
               .doc = "How long a call waited before it began, on the average." },
  [A_SERVICE] = { "MeanService", NODE, STATE_REAL, STORE_AT (Node, mean_service), .unit = "s",
                  .doc = "How long it took from there to the reply, on the average." },
  [A_WAITED] = { "TotalWait", NODE, STATE_REAL, STORE_AT (Node, waited), .unit = "s",
                 .doc = "How long all calls waited before they began." },
  [A_LASTED] = { "TotalService", NODE, STATE_REAL, STORE_AT (Node, lasted), .unit = "s",
                 .doc = "How long it took from there to the replies, of all." },
  [A_COSTS] = { "Costs", NODE, STATE_REAL, STORE_AT (Node, costs), .unit = "s",
                .doc = "Both together: how long those that asked for it had to wait for it." },
  [A_ASKS] = { "Asks", NODE, STATE_INT, STORE_AT (Node, asks), .doc = "Its own calls that have no reply yet." },
  [A_CALLS] = { "Calls", NODE, STATE_INT, STORE_AT (Node, calls), .doc = "Its own calls, in all." },
  [A_WAITS_FOR] = { "WaitsFor", NODE, STATE_TEXT, .doc = "The services that it has asked for and has no reply of." },
  [A_WORKS] = { "PercentWorking", NODE, STATE_PERCENT, .of = WORKING, .unit = "%", .doc = "Share of its life." },
  [A_CALLING] = { "PercentCalling", NODE, STATE_PERCENT, .of = CALLING, .unit = "%", .doc = "Share of its life." },
  [A_SERVES] = { "PercentServing", NODE, STATE_PERCENT, .of = SERVING, .unit = "%", .doc = "Share of its life." },
  [A_IDLE] = { "PercentIdle", NODE, STATE_PERCENT, .of = IDLE, .unit = "%", .doc = "Share of its life." },
  [A_FROM] = { "From", EDGE, STATE_TEXT, STATE_ROLE_FROM, .doc = "Who asks, or the service." },
  [A_TO] = { "To", EDGE, STATE_TEXT, STATE_ROLE_TO, .doc = "The service that is asked for, and who offers it." },
  [A_EDGE_STATE] = { "State", EDGE, STATE_ENUM, STATE_VALUES (edge_states), STORE_AT (Edge, state),
                     .doc = "Calls while one has no reply yet." },
  [A_PENDING] = { "Pending", EDGE, STATE_INT, STORE_AT (Edge, pending), .doc = "Calls without a reply." },
  [A_DONE] = { "Done", EDGE, STATE_INT, STORE_AT (Edge, done), .role = STATE_ROLE_MESSAGES,
               .doc = "Calls that got their reply." },
};

static void services_put_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to);
static const char *services_node_id (const StateGraph *g, uint32_t node);
static bool services_has (const StateGraph *g, uint32_t attribute, uint32_t object);
static bool services_present (const StateGraph *g, uint32_t node);

static const StoreLayout layout = {
  .model = "Services",
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .node = { sizeof (Node), .spent = offsetof (Node, spent), .n_spent = N_LIVING },
  .edge = { sizeof (Edge) },
  .text = services_put_text,
  .node_id = services_node_id,
  .has = services_has,
  .present = services_present,
};

typedef struct Simulator {
  EveBase base; /* first */
  char *requests, *replies, *servers, *names;
  Model *model;
} Simulator;

/* ---- texts ------------------------------------------------------------------------------------------------------------ */

static const char *
service_name (const Model *m, int32_t tag, char *buf, size_t n)
{
  for (char **name = m->names; name && *name; name++) {
    char *end;
    int64_t of = g_ascii_strtoll (*name, &end, 10);
    if (end > *name && *end == '=' && of == tag)
      return end + 1;
  }
  if (tag == -1)
    g_strlcpy (buf, _ ("service"), n);
  else
    g_snprintf (buf, (gulong) n, _ ("service %d"), tag);
  return buf;
}

static void
put_service (const Model *m, const Node *n, bool ids, GString *to)
{
  const TraceSource *s = trace_source (m->store.graph.source);
  char buf[64];
  uint32_t task = node_at (m, n->server)->node.task;

  g_string_append_printf (to, "%s: %s", s ? (ids ? trace_task_id : trace_task_name) (s, task) : "?",
                          service_name (m, n->tag, buf, sizeof buf));
}

static const char *
services_node_id (const StateGraph *g, uint32_t node)
{
  const Model *m = (const Model *) g;
  const Node *n = node_at (m, node);
  g_autoptr (GString) id = g_string_new (NULL);

  if (n->server == NONE) {
    const TraceSource *s = trace_source (g->source);
    return s ? trace_task_id (s, n->node.task) : "?";
  }
  put_service (m, n, true, id);
  return g_string_chunk_insert_const (m->store.texts, id->str);
}

/* A service is there as soon as who offers it. */
static bool
services_present (const StateGraph *g, uint32_t node)
{
  const Model *m = (const Model *) g;
  const Node *n = node_at (m, node);

  return n->server == NONE ? n->acts : node_at (m, n->server)->acts;
}

static bool
services_has (const StateGraph *g, uint32_t attribute, uint32_t object)
{
  const Node *n = attribute < A_FROM ? node_at ((const Model *) g, object) : NULL;

  if (!n)
    return true;
  if (attribute == A_ASKS || attribute == A_CALLS)
    return n->server == NONE;
  if ((attribute >= A_QUEUE && attribute <= A_SERVED) || (attribute >= A_WAITED && attribute <= A_COSTS))
    return n->server != NONE || n->serves;
  return true;
}

/* What a client waits for, each once, in the order in which it asked. */
static void
put_waits_for (const Model *m, uint32_t client, GString *to)
{
  g_autoptr (GHashTable) told = g_hash_table_new (NULL, NULL);

  for (uint32_t i = calls_of_client (&m->calls, client); i != NONE;) {
    const Call *c = call_at (&m->calls, i);
    i = c->next[OF_CLIENT];
    if (!g_hash_table_add (told, GUINT_TO_POINTER (c->service + 1)))
      continue;
    if (g_hash_table_size (told) > 1)
      g_string_append (to, ", ");
    put_service (m, node_at (m, c->service), false, to);
  }
}

static void
services_put_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Model *m = (const Model *) g;
  const Node *n = attribute < A_FROM ? node_at (m, object) : NULL;
  const TraceSource *s = trace_source (g->source);

  if (n && n->server != NONE && (attribute == A_NAME || attribute == A_NICKNAME))
    put_service (m, n, attribute == A_NAME, to);
  else if (attribute == A_SERVER && n->server != NONE && s)
    g_string_append (to, trace_task_name (s, node_at (m, n->server)->node.task));
  else if (attribute == A_WAITS_FOR)
    put_waits_for (m, object, to);
  else if (attribute != A_SERVER && !(n && n->server != NONE && attribute == A_HOST))
    store_text (g, attribute, object, to);
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

static bool
in_ranges (const Range *r, uint32_t n, int32_t tag)
{
  for (uint32_t i = 0; i < n; i++)
    if (tag >= r[i].from && tag <= r[i].to)
      return true;
  return n == 0;
}

static bool
is_server (Model *m, const TraceSource *s, uint32_t task)
{
  if (!m->servers || !*m->servers)
    return true;
  if (task >= m->is_server->len)
    g_array_set_size (m->is_server, task + 1);
  int8_t *known = &g_array_index (m->is_server, int8_t, task);
  if (*known == 0) {
    const TraceTask *t = trace_task (s, task);
    *known = -1;
    for (char **name = m->servers; *name && t; name++)
      if (strcmp (*name, trace_task_id (s, task)) == 0 || strcmp (*name, trace_task_name (s, task)) == 0
          || g_strcmp0 (*name, t->program) == 0)
        *known = 1;
  }
  return *known > 0;
}

static void
see_state (Model *m, uint32_t node)
{
  const Node *n = node_at (m, node);

  if (n->state != DEAD)
    store_set (&m->store, A_STATE, node, n->asks > 0 ? CALLING : n->serving > 0 ? SERVING : n->serves ? IDLE : WORKING);
}

static uint32_t
service_of (Model *m, uint32_t server, int32_t tag)
{
  Store *s = &m->store;
  uint64_t key = key_of (server, (uint32_t) tag);
  uint32_t known = look_up (m->services, key);

  if (known != 0)
    return known - 1;
  if (g_hash_table_size (m->services) >= MOST_SERVICES)
    return NONE;
  uint32_t node = store_add_node (s, NONE);
  Node *n = node_at (m, node);
  n->server = server;
  n->parent = n->held = NONE;
  n->tag = tag;
  n->serves = true;
  n->state = IDLE;
  store_visit (s, node, N_LIVING, IDLE);
  put (m->services, key, node + 1);
  store_changed (s, NODE, node, A_STATE, -1, IDLE);
  store_edge (s, node, server);
  return node;
}

static void
add_queue (Model *m, uint32_t node, int64_t more)
{
  Store *s = &m->store;

  store_add (s, A_QUEUE, node, more);
  if (node_at (m, node)->queue > node_at (m, node)->most_queue)
    store_set (s, A_MOST, node, node_at (m, node)->queue);
}

static double
services_component_seconds (int64_t ticks)
{
  return (double) ticks / (double) TRACE_TICKS;
}

static uint32_t
services_component_ask (Model *m, uint32_t client, uint32_t server, int32_t tag, int32_t of_service, int64_t sent)
{
  Store *s = &m->store;
  uint32_t service = calls_n (&m->calls) < MOST_CALLS ? service_of (m, server, of_service) : NONE;

  if (service == NONE) {
    m->n_lost++;
    return NONE;
  }
  const Call call = {
    .client = client, .server = server, .service = service, .tag = tag, .sent = sent, .number = m->n_calls
  };
  m->n_calls++;
  uint32_t at = calls_add (&m->calls, &call);
  node_at (m, server)->serves = true;
  add_queue (m, service, 1);
  add_queue (m, server, 1);
  store_add (s, A_ASKS, client, 1);
  store_add (s, A_CALLS, client, 1);
  for (int i = 0; i < 2; i++) { /* with the service, and with who offers it: graphs of tasks show that one */
    uint32_t edge = store_edge (s, client, i == 0 ? service : server);
    store_add (s, A_PENDING, edge, 1);
    store_set (s, A_EDGE_STATE, edge, ASKED);
  }
  see_state (m, client);
  see_state (m, server);
  return at;
}

/* Nothing is known of what has never been. */
static double
grown (double sum, double by)
{
  return isnan (sum) ? by : sum + by;
}

/* What clients had to wait for it is known when it is told how long it took. */
static void
see_costs (Model *m, uint32_t node)
{
  const Node *n = node_at (m, node);

  store_set_real (&m->store, A_COSTS, node, grown (n->lasted, n->waited));
}

static void
services_component_begin (Model *m, uint32_t at, int64_t date)
{
  Store *s = &m->store;
  Call *c = call_at (&m->calls, at);
  const uint32_t both[] = { c->service, c->server };

  calls_set_stage (&m->calls, at, BEGUN);
  c->begun = date;
  for (int i = 0; i < 2; i++) {
    Node *n = node_at (m, both[i]);
    n->began++;
    store_set_real (s, A_WAITED, both[i], grown (n->waited, services_component_seconds (c->begun - c->sent)));
    store_set_real (s, A_WAIT, both[i], n->waited / (double) n->began);
    see_costs (m, both[i]);
    add_queue (m, both[i], -1);
    store_add (s, A_SERVING, both[i], 1);
    see_state (m, both[i]);
  }
}

static void
reply (Model *m, uint32_t at)
{
  Store *s = &m->store;
  const Call *c = call_at (&m->calls, at);
  const uint32_t both[] = { c->service, c->server };

  calls_set_stage (&m->calls, at, REPLIED);
  for (int i = 0; i < 2; i++) {
    Node *n = node_at (m, both[i]);
    store_set_real (s, A_LASTED, both[i], grown (n->lasted, services_component_seconds (s->now - c->begun)));
    see_costs (m, both[i]);
    store_add (s, A_SERVING, both[i], -1);
    store_add (s, A_SERVED, both[i], 1);
    n = node_at (m, both[i]);
    store_set_real (s, A_SERVICE, both[i], n->lasted / (double) n->served);
    see_state (m, both[i]);
  }
}

static void
services_component_give_back (Model *m, uint32_t at)
{
  Store *s = &m->store;
  const Call c = *call_at (&m->calls, at);

  calls_remove (&m->calls, at);
  m->n_done++;
  store_add (s, A_ASKS, c.client, -1);
  for (int i = 0; i < 2; i++) {
    uint32_t edge = store_find_edge (s, c.client, i == 0 ? c.service : c.server);
    if (edge == NONE)
      continue;
    store_add (s, A_PENDING, edge, -1);
    store_add (s, A_DONE, edge, 1);
    if (store_get (s, A_PENDING, edge) == 0)
      store_set (s, A_EDGE_STATE, edge, RESTS);
  }
  see_state (m, c.client);
}

/* ---- what starts a task ------------------------------------------------------------------------------------------------ */

/* Who starts a task sends it what it works with, which is no request: until it has sent anything itself, what it gets
 * from there is held back.  But only as long as nobody says what requests are. */
static bool
services_component_hold (Model *m, uint32_t client, uint32_t server, int32_t tag, int32_t service)
{
  Node *n = node_at (m, server);
  const Held held = { client, tag, service, m->store.now, INT64_MIN, NONE };
  uint32_t *link = &n->held, many = 0;

  if (m->n_requests > 0 || m->n_replies > 0 || (m->servers && *m->servers) || n->parent != client || n->sends
      || look_up (m->services, key_of (server, (uint32_t) service))
             != 0) /* once asked again it is a request for good */
    return false;
  for (; *link != NONE; link = &held_at (m, *link)->next, many++)
    if (held_at (m, *link)->service == service)
      return false;
  if (many == MOST_HELD)
    return false;
  uint32_t at = m->held->len;
  *link = at; /* before it moves */
  g_array_append_val (m->held, held);
  return true;
}

/* It was a request: counted as if it had been from its date on. */
static void
services_component_release (Model *m, uint32_t server, uint32_t *link)
{
  const Held h = *held_at (m, *link);

  *link = h.next;
  uint32_t call = services_component_ask (m, h.client, server, h.tag, h.service, h.sent);
  if (call != NONE && h.begun != INT64_MIN)
    services_component_begin (m, call, h.begun);
}

/* The same is asked of it again. */
static void
asked_again (Model *m, uint32_t server, int32_t service)
{
  for (uint32_t *link = &node_at (m, server)->held; *link != NONE; link = &held_at (m, *link)->next)
    if (held_at (m, *link)->service == service) {
      services_component_release (m, server, link);
      return;
    }
}

/* What a task sends first goes to who started it: so it replies to the last that it got from there. */
static void
sends_first (Model *m, uint32_t task, uint32_t to)
{
  Node *n = node_at (m, task);
  uint32_t *last = NULL;

  n->sends = true;
  for (uint32_t *link = &n->held; *link != NONE && n->parent == to; link = &held_at (m, *link)->next)
    if (held_at (m, *link)->begun != INT64_MIN)
      last = link;
  if (last)
    services_component_release (m, task, last);
}

static bool
begin_held (Model *m, uint32_t server, uint32_t client, int32_t tag)
{
  for (uint32_t at = node_at (m, server)->held; at != NONE; at = held_at (m, at)->next) {
    Held *h = held_at (m, at);
    if (h->client == client && h->tag == tag && h->begun == INT64_MIN) {
      h->begun = m->store.now;
      return true;
    }
  }
  return false;
}

/* ---- events ----------------------------------------------------------------------------------------------------------- */

static uint32_t
task_node (Model *m, uint32_t task)
{
  uint32_t node = store_find_node (&m->store, task);

  if (node != NONE)
    return node;
  node = store_node (&m->store, task, WORKING);
  node_at (m, node)->server = node_at (m, node)->parent = node_at (m, node)->held = NONE;
  return node;
}

static void
services_component_see_kinds (Model *m, const TraceSource *s)
{
  if (G_LIKELY (m->source == s->number && m->kinds))
    return;
  m->source = s->number;
  m->kinds = g_renew (KindOf, m->kinds, MAX (s->n_kinds, 1));
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    m->kinds[i] = (KindOf){ .acts = trace_acts (k), .starts = NONE };
    for (uint32_t f = 0; f < k->n_fields; f++) {
      m->kinds[i].keyed |= k->fields[f].role == TRACE_ROLE_KEY;
      if (strcmp (k->fields[f].name, "spawned") == 0)
        m->kinds[i].starts = f;
    }
  }
}

static void
see_started (Model *m, const TraceSource *s, const TraceEvent *e, uint32_t field)
{
  TraceValue v = trace_value (e, field);
  uint32_t parent = task_node (m, e->task);

  for (uint32_t i = 0; v.kind == TRACE_VALUE_TASKS && i < v.n_tasks; i++)
    if (v.tasks[i] < s->tasks->len && v.tasks[i] != e->task) {
      uint32_t child = task_node (m, v.tasks[i]);
      node_at (m, child)->parent = parent;
    }
}

static void
on_sent (Model *m, const TraceSource *source, const TraceEvent *e, uint32_t to)
{
  int32_t tag = m->kinds[e->kind].keyed ? -1 : e->tag;
  uint32_t one = task_node (m, e->task), other = task_node (m, to);

  if (!node_at (m, one)->sends)
    sends_first (m, one, other);
  uint32_t call = in_ranges (m->replies, m->n_replies, tag) ? calls_find (&m->calls, other, one, BEGUN, e->tag, false)
                                                            : NONE;

  if (call != NONE)
    reply (m, call);
  else if (in_ranges (m->requests, m->n_requests, tag) && is_server (m, source, to)) {
    if (services_component_hold (m, one, other, e->tag, tag))
      return;
    asked_again (m, other, tag);
    services_component_ask (m, one, other, e->tag, tag, m->store.now);
  }
}

static void
on_received (Model *m, const TraceEvent *e)
{
  uint32_t one = task_node (m, e->task), other = task_node (m, e->peer);
  uint32_t call = calls_find (&m->calls, other, one, SENT, e->tag, true);

  if (call != NONE) {
    services_component_begin (m, call, m->store.now);
    return;
  }
  if (begin_held (m, one, other, e->tag))
    return;
  call = calls_find (&m->calls, one, other, REPLIED, e->tag, false);
  if (call != NONE)
    services_component_give_back (m, call);
}

static void
services_model_step (Model *m, const TraceEvent *e)
{
  Store *s = &m->store;

  if (!store_event (s, e))
    return;
  store_clock (s, e);
  const TraceSource *source = trace_source (e->source);
  if (e->task >= source->tasks->len || e->kind >= source->n_kinds) {
    state_impossible (&s->graph, e, _ ("is of a task or kind that is not in the trace; left out"));
    return;
  }
  services_component_see_kinds (m, source);
  uint16_t acts = m->kinds[e->kind].acts;
  uint32_t node = task_node (m, e->task);
  node_at (m, node)->acts = true;
  if (G_UNLIKELY (m->kinds[e->kind].starts != NONE) && e->flags & (TRACE_END | TRACE_INSTANT))
    see_started (m, source, e, m->kinds[e->kind].starts);
  if (acts & TRACE_ACT_RECEIVE && e->flags & (TRACE_END | TRACE_INSTANT) && trace_received (e)
      && e->peer < source->tasks->len)
    on_received (m, e);
  if (acts & TRACE_ACT_SEND && !(e->flags & TRACE_END)) {
    bool multicast = acts & TRACE_ACT_MULTICAST;
    uint32_t n;
    const uint32_t *to = trace_sent_to (e, multicast, &n);
    for (uint32_t i = 0; i < n; i++)
      if (trace_reaches (e, multicast, to[i]) && to[i] < source->tasks->len)
        on_sent (m, source, e, to[i]);
  }
  if (acts & TRACE_ACT_DEATH)
    store_set (s, A_STATE, node, DEAD);
}

/* ---- the frame --------------------------------------------------------------------------------------------------------- */

static void
services_model_reset (Model *m)
{
  store_reset (&m->store);
  calls_reset (&m->calls);
  g_array_set_size (m->is_server, 0);
  g_array_set_size (m->held, 0);
  g_clear_pointer (&m->kinds, g_free);
  g_hash_table_remove_all (m->services);
  m->n_calls = m->n_lost = m->n_done = 0;
}

static void
services_model_free (Model *m)
{
  store_clear (&m->store);
  calls_clear (&m->calls);
  g_array_unref (m->is_server);
  g_array_unref (m->held);
  g_free (m->kinds);
  g_hash_table_unref (m->services);
  g_strfreev (m->servers);
  g_strfreev (m->names);
  g_free (m);
}

#define MODEL Model
#define MODEL_CALL(verb) services_model_##verb
#define MODEL_STATE A_STATE
#define SIMULATOR_FIRES
#include "simulators/component.h"

static bool
services_simulator_init (EveComponent *c)
{
  Model *m = g_new0 (Model, 1);

  store_init (&m->store, &layout);
  calls_init (&m->calls);
  m->is_server = g_array_new (FALSE, TRUE, 1);
  m->held = g_array_new (FALSE, FALSE, sizeof (Held));
  m->services = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  ((Simulator *) c)->model = m;
  return true;
}

/* "1, 10-19"; false: it is none. */
static bool
read_ranges (const char *text, Range *to, uint32_t *n)
{
  *n = 0;
  for (const char *at = text + strspn (text, " ,"); *at; at += strspn (at, " ,")) {
    char *end;
    int64_t from = g_ascii_strtoll (at, &end, 10), until = from;
    if (end == at || *n == MOST_RANGES)
      return false;
    if (*end == '-') {
      at = end + 1;
      until = g_ascii_strtoll (at, &end, 10);
      if (end == at)
        return false;
    }
    if (from < INT32_MIN || until > INT32_MAX || from > until || (*end && *end != ',' && *end != ' '))
      return false;
    to[(*n)++] = (Range){ (int32_t) from, (int32_t) until };
    at = end;
  }
  return true;
}

static char **
read_words (const char *text)
{
  char **words = g_strsplit (text, ",", -1);
  guint n = 0;

  for (char **w = words; *w; w++)
    if (*g_strstrip (*w))
      words[n++] = *w;
    else
      g_free (*w);
  words[n] = NULL;
  return words;
}

enum { REQUESTS, REPLIES, SERVERS, NAMES };
static const EveField settings[] = {
  [REQUESTS] = { "requests", EVE_F_STRING, offsetof (Simulator, requests),
                 .doc = "Tags of messages that ask for a service, as “1, 10-19”; empty: any may." },
  [REPLIES] = { "replies", EVE_F_STRING, offsetof (Simulator, replies),
                .doc = "Tags of messages that reply; empty: any to somebody whose call has begun." },
  [SERVERS] = { "servers", EVE_F_STRING, offsetof (Simulator, servers),
                .doc = "Who serves: ids, nicknames or programs, with commas between them; empty: anybody." },
  [NAMES] = { "names", EVE_F_STRING, offsetof (Simulator, names),
              .doc = "What the services are called, by their tags, as “1=add, 2=primes”." },
};

static bool
simulator_changed (EveComponent *c, uint32_t setting)
{
  Simulator *self = (Simulator *) c;
  Model *m = self->model;
  bool ok = read_ranges (self->requests, m->requests, &m->n_requests);

  if (!ok || !read_ranges (self->replies, m->replies, &m->n_replies)) {
    eve_fail (c, _ ("“%s” are tags: write numbers and ranges, as “1, 10-19”"), ok ? "replies" : "requests");
    return false;
  }
  g_strfreev (m->servers);
  g_strfreev (m->names);
  m->servers = read_words (self->servers);
  m->names = read_words (self->names);
  g_array_set_size (m->is_server, 0);
  return true;
}

static void
services_component_tell (EveComponent *c)
{
  const Model *m = ((Simulator *) c)->model;

  if (m->n_lost > 0)
    eve_status (c, _ ("%" PRIu64 " calls of %u services, %" PRIu64 " have their reply; %" PRIu64 " more are too many"),
                m->n_calls, g_hash_table_size (m->services), m->n_done, m->n_lost);
  else
    eve_status (c, _ ("%" PRIu64 " calls of %u services; %" PRIu64 " have their reply"), m->n_calls,
                g_hash_table_size (m->services), m->n_done);
}

static bool
services_at_rest (EveComponent *c, int64_t now)
{
  services_component_tell (c);
  return true;
}

static bool
services_at_end (EveComponent *c)
{
  services_component_tell (c);
  return true;
}

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_SYNC, .required = true, .doc = "Events of a trace, in order of date." },
};
static const char *const provides[] = { "simulator:Services", NULL };

static const EveClass services = {
  EVE_CLASS_HEAD,
  .id = "scope.services-simulator",
  .label = "Services",
  .doc = "Client and server: who asks whom for what, how long the queues are, who waits for which service.",
  .help =
      "A message that asks for something makes a *call*; its receive begins it, the reply ends it, and the receive of "
      "the reply gives it back.  Nodes are tasks and their *services*: what is asked of a task under one tag.  A "
      "service has its queue (calls that have not begun), how many it serves and has served, and how long calls waited "
      "and lasted; a client what it *WaitsFor*.\n\n"
      "Which messages ask and which reply, tags say (`requests`, `replies`), or who serves (`servers`).  Without these "
      "whoever of two first sends to the other is the client, and what comes back is the reply.",
  .provides = provides,
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .init = services_simulator_init,
  .changed = simulator_changed,
  .fire = simulator_fire,
  .fire_span = simulator_fire_span,
  .at_rest = services_at_rest,
  .at_end = services_at_end,
  SIMULATOR_CLASS,
};
EVE_PLUGIN (&services);
