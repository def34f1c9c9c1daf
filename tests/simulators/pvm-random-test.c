/* SPDX-License-Identifier: Apache-2.0 */
/* pvm-random-test.c - random programs: the simulator against the reference after every event; its run state saved
 * and restored at every event, also when its bytes are damaged. */
#include "play.h"
#include "reference.h"

#define MODEL Pvm
#define MODEL_CALL(verb) pvm_##verb
#include "run-state.h"

enum { TASKS = 7, GROUPS = 2 };

typedef struct Maker {
  GRand *rand;
  Fake *fake;
  int64_t free_at[TASKS]; /* each task makes one call after the other */
  bool in[GROUPS][TASKS];
} Maker;

static int64_t
upto (Maker *m, int n)
{
  return g_rand_int_range (m->rand, 0, n);
}

static bool
one_in (Maker *m, int n)
{
  return upto (m, n) == 0;
}

static uint32_t
task (Maker *m)
{
  return (uint32_t) upto (m, TASKS);
}

/* One receive at a time, also when it takes no time at all.  It ends after the send has begun, and may end before
 * the send does. */
static void
receive (Maker *m, uint32_t from, uint32_t to, int64_t sent, int32_t tag, int64_t size)
{
  static const char *const kinds[] = { "Recv", "Recv", "PRecv", "TRecv", "NRecv" };
  int64_t begin = m->free_at[to] + upto (m, 40), end = MAX (begin, sent + 1) + upto (m, 30);
  const char *kind = kinds[upto (m, G_N_ELEMENTS (kinds))];

  m->free_at[to] = end + (end == begin);
  fake (m->fake, begin, end - begin, kind, to, P (from), ASKED (from), .tag = tag, .size = size,
        .result = strcmp (kind, "PRecv") != 0);
}

static void
point_to_point (Maker *m)
{
  uint32_t from = task (m), to = task (m);
  int64_t begin = m->free_at[from] + upto (m, 40), end = begin + upto (m, 30), size = 10 * upto (m, 3);
  int32_t tag = (int32_t) upto (m, 3);

  if (from == to && !one_in (m, 5))
    return;
  m->free_at[from] = end;
  fake (m->fake, begin, end - begin, one_in (m, 4) ? "PSend" : "Send", from, P (to), .tag = tag, .size = size,
        .result = one_in (m, 15) ? -2 : 0);
  if (!one_in (m, 6))
    receive (m, from, to, begin, tag, size);
  if (one_in (m, 20))
    receive (m, from, to, begin, tag, size); /* of what was not sent, perhaps */
}

static void
to_many (Maker *m)
{
  uint32_t from = task (m), list[TASKS], n = (uint32_t) upto (m, TASKS), group = (uint32_t) upto (m, GROUPS);
  int64_t begin = m->free_at[from] + upto (m, 40), end = begin + upto (m, 30);
  int32_t tag = (int32_t) upto (m, 3);
  bool bcast = one_in (m, 2);

  for (uint32_t i = 0; i < n; i++)
    list[i] = (from + i) % TASKS;
  m->free_at[from] = end;
  if (bcast)
    fake (m->fake, begin, end - begin, "Bcast", from, G (group), .tag = tag, .size = 5);
  else
    fake (m->fake, begin, end - begin, "Mcast", from, .list = list, .n_list = n, .tag = tag, .size = 5);
  for (uint32_t i = 0; i < TASKS; i++)
    if (i != from && !one_in (m, 4) && (bcast ? m->in[group][i] : (i + TASKS - from) % TASKS < n))
      receive (m, from, i, begin, tag, 5);
}

static void
collective (Maker *m)
{
  static const char *const kinds[] = { "Scatter", "Gather", "Reduce" };
  const char *kind = kinds[upto (m, G_N_ELEMENTS (kinds))];
  uint32_t root = task (m), group = (uint32_t) upto (m, GROUPS);
  int64_t begin[TASKS], latest = 0;

  if (!m->in[group][root])
    return;
  for (uint32_t i = 0; i < TASKS; i++) {
    begin[i] = m->free_at[i] + upto (m, 40);
    if (m->in[group][i] && i != root)
      latest = MAX (latest, begin[i]);
  }
  for (uint32_t i = 0; i < TASKS; i++) {
    bool waits = *kind == 'S' ? i != root : i == root;
    int64_t until = waits ? MAX (begin[i], (*kind == 'S' ? begin[root] : latest) + 1) : begin[i];
    int64_t end = until + upto (m, 30);
    if (!m->in[group][i] || one_in (m, 20))
      continue;
    m->free_at[i] = end + (end == begin[i]);
    fake (m->fake, begin[i], end - begin[i], kind, i, G (group), P (root), .tag = 1, .size = 8,
          .result = one_in (m, 20) ? -1 : 0);
  }
}

static void
alone (Maker *m)
{
  static const char *const kinds[] = {
    "PkInt", "UpkInt", "Spawn", "Barrier", "JoinGroup", "LvGroup", "TRecv", "NRecv"
  };
  int which = (int) upto (m, G_N_ELEMENTS (kinds));
  uint32_t who = task (m), group = (uint32_t) upto (m, GROUPS);
  int64_t begin = m->free_at[who] + upto (m, 20), length = upto (m, 20);
  int32_t result = one_in (m, 10) ? -1 : 0;

  m->free_at[who] = begin + length + (length == 0);
  if (one_in (m, 3))
    fake (m->fake, begin, length + upto (m, 2), "Phase", who, .word = "w");
  fake (m->fake, begin, length, kinds[which], who, G (group), .asked = (uint32_t) upto (m, TASKS + 1), .tag = 1,
        .result = result);
  if (result == 0 && (which == 4 || which == 5))
    m->in[group][who] = which == 4;
  if (one_in (m, 5))
    fake (m->fake, begin, 0, "User", who, .word = "u");
}

static void
last_words (Maker *m)
{
  for (uint32_t i = 0; i < TASKS; i++)
    switch (upto (m, 4)) {
    case 0:
      fake (m->fake, m->free_at[i] + 1, 0, "Exit", i);
      break;
    case 1:
      fake (m->fake, m->free_at[i] + 1, FAKE_UNFINISHED, one_in (m, 2) ? "Recv" : "Send", i, P (task (m)),
            ASKED (task (m)), .tag = 1, .size = 3);
      break;
    case 2:
      fake (m->fake, m->free_at[i] + 1, FAKE_UNFINISHED, one_in (m, 2) ? "Gather" : "Scatter", i, P (task (m)), G (0),
            .tag = 1, .size = 3);
      break;
    default:
      break;
    }
}

/* A program of `actions` actions.  Tasks are born before they act, now and then after somebody has sent to them. */
static void
make (Maker *m, Fake *fake_, uint32_t seed, int actions)
{
  memset (m, 0, sizeof *m);
  m->rand = g_rand_new_with_seed (seed);
  m->fake = fake_;
  for (uint32_t i = 0; i < TASKS; i++) {
    m->free_at[i] = one_in (m, 2) ? 0 : upto (m, 200);
    fake (m->fake, m->free_at[i], 0, "Enroll", i);
  }
  for (int i = 0; i < actions; i++)
    switch (upto (m, 12)) {
    case 0:
      to_many (m);
      break;
    case 1:
      collective (m);
      break;
    case 2:
    case 3:
    case 4:
      alone (m);
      break;
    default:
      point_to_point (m);
    }
  last_words (m);
  g_rand_free (m->rand);
}

/* ---- against the reference ----------------------------------------------------------------------------------- */

static void
put_line (const StateGraph *g, GPtrArray *lines, StateScope scope, uint32_t object, int64_t at)
{
  static const char *const node[] = { "Clock",        "State",          "Groups",
                                      "Protagonists", "PercentBusy",    "PercentOverhead",
                                      "PercentIdle",  "PercentTalking", NULL };
  static const char *const edge[] = { "Clock",    "State",         "Usage",           "Traffic",     "TotalTraffic",
                                      "Messages", "PercentUnused", "PercentOverhead", "PercentIdle", "PercentTalking",
                                      NULL };
  GString *line = g_string_new (NULL);

  if (scope == STATE_NODE)
    g_string_append (line, g->node_id (g, object));
  else
    state_edge_id (g, object, line);
  for (const char *const *name = scope == STATE_NODE ? node : edge; *name != NULL; name++) {
    g_string_append_printf (line, " %s=", *name);
    state_text (g, (uint32_t) state_attribute (g->model, scope, *name), object, at, line);
  }
  g_ptr_array_add (lines, g_string_free (line, FALSE));
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static char *
graph_text (const StateGraph *g, int64_t at)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  for (int scope = STATE_NODE; scope <= STATE_EDGE; scope++) {
    g_autofree uint32_t *order = state_sorted (g, scope);
    for (uint32_t i = 0; i < state_count (g, scope); i++)
      put_line (g, lines, scope, order[i], at);
  }
  g_ptr_array_sort (lines, by_text);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (char **) lines->pdata);
}

static void
test_reference (void)
{
  uint32_t seeds = g_test_quick () ? 60 : 2000;
  uint64_t impossible = 0, events = 0;

  for (uint32_t seed = 1; seed <= seeds; seed++) {
    g_autoptr (Play) p = play_new (TASKS, GROUPS, false);
    Reference *r = reference_new (p->fake);
    Maker m;
    make (&m, p->fake, seed, 60);
    p->events = fake_events (p->fake, &p->n);
    for (size_t i = 0; i < p->n; i++) {
      const TraceEvent *e = &p->events[i];
      pvm_step (p->pvm, e);
      reference_step (r, e);
      int64_t at = e->date + 7 * (i % 2);
      g_autofree char *got = graph_text (&p->pvm->store.graph, at), *want = reference_text (r, at);
      expect_same_lines (got, want, seed, e);
      expect_impossible (&p->pvm->store.graph, reference_impossible (r), seed);
    }
    impossible += reference_impossible (r);
    events += p->n;
    reference_free (r);
  }
  g_test_message ("%" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " impossible", events, impossible);
  g_assert_cmpuint (impossible, >, 0);
  g_assert_cmpuint (impossible * 20, <, events); /* most of what is made makes sense */
}

/* ---- run state ----------------------------------------------------------------------------------------------- */

static void
test_save_at_every_event (void)
{
  for (uint32_t seed = 1; seed <= 10; seed++) {
    g_autoptr (Play) p = play_new (TASKS, GROUPS, false);
    Pvm *q = pvm_new (&p->keep_the_dead, &p->ignore_packing);
    Maker m;
    make (&m, p->fake, seed, 80);
    p->events = fake_events (p->fake, &p->n);
    expect_same_from_everywhere (p->pvm, q, p->events, p->n);
    pvm_free (q);
  }
}

/* Another process opens the same trace under another number. */
static void
test_load_elsewhere (void)
{
  g_autoptr (Play) p = play_new (TASKS, GROUPS, false), q = play_new (TASKS, GROUPS, false);
  Maker m;
  size_t n;

  make (&m, p->fake, 3, 80);
  make (&m, q->fake, 3, 80);
  g_free (fake_source (q->fake)->name);
  fake_source (q->fake)->name = g_strdup ("another");
  play_until (p, 400);
  EveBlob *b = saved (p->pvm);
  const uint8_t *bytes = eve_blob_data (b, &n);
  g_free (fake_source (p->fake)->name);
  fake_source (p->fake)->name = g_strdup ("moved");
  g_free (fake_source (q->fake)->name);
  fake_source (q->fake)->name = g_strdup ("fake");
  g_assert_true (restore (q->pvm, bytes, n));
  eve_blob_free (b);
  g_assert_cmpuint (q->pvm->store.graph.source, ==, fake_source (q->fake)->number);
  g_assert_cmpuint (state_hash (&p->pvm->store.graph, 400), ==, state_hash (&q->pvm->store.graph, 400));
  q->events = fake_events (q->fake, &q->n);
  q->next = p->next;
  play_until (p, INT64_MAX);
  play_until (q, INT64_MAX);
  g_assert_cmpuint (state_hash (&p->pvm->store.graph, INT64_MIN), ==, state_hash (&q->pvm->store.graph, INT64_MIN));
}

/* Of two sources of one name, the first event after a load tells which it is. */
static void
test_load_beside (void)
{
  g_autoptr (Play) p = play_new (TASKS, GROUPS, false), q = play_new (TASKS, GROUPS, false);
  Maker m;
  size_t n;

  make (&m, p->fake, 3, 80);
  make (&m, q->fake, 3, 80);
  play_until (p, 400);
  EveBlob *b = saved (p->pvm);
  const uint8_t *bytes = eve_blob_data (b, &n);
  g_assert_true (restore (q->pvm, bytes, n));
  eve_blob_free (b);
  q->events = fake_events (q->fake, &q->n);
  q->next = p->next;
  play_until (p, INT64_MAX);
  play_until (q, INT64_MAX);
  g_assert_cmpuint (q->pvm->store.graph.source, ==, fake_source (q->fake)->number);
  g_assert_cmpuint (q->pvm->store.graph.n_impossible, ==, p->pvm->store.graph.n_impossible);
  g_assert_cmpuint (state_hash (&p->pvm->store.graph, INT64_MIN), ==, state_hash (&q->pvm->store.graph, INT64_MIN));
}

static void
test_hostile_bytes (void)
{
  g_autoptr (Play) p = play_new (TASKS, GROUPS, false);
  Pvm *q = pvm_new (&p->keep_the_dead, &p->ignore_packing);
  Maker m;
  size_t half;

  make (&m, p->fake, 11, 120);
  p->events = fake_events (p->fake, &p->n);
  half = p->n / 2;
  for (size_t i = 0; i < half; i++)
    pvm_step (p->pvm, &p->events[i]);
  expect_survives_damage (p->pvm, q, p->events + half, p->n - half);
  pvm_free (q);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pvm/reference", test_reference);
  g_test_add_func ("/pvm/save-at-every-event", test_save_at_every_event);
  g_test_add_func ("/pvm/load-elsewhere", test_load_elsewhere);
  g_test_add_func ("/pvm/load-beside", test_load_beside);
  g_test_add_func ("/pvm/hostile-bytes", test_hostile_bytes);
  return g_test_run ();
}
