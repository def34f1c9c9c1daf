/* SPDX-License-Identifier: Apache-2.0 */
/* random-test.c - random programs: the simulator against the reference after every event; its run state saved and
 * restored at every event, also when its bytes are damaged. */
#include "reference.h"

#define MODEL Ouf
#define MODEL_CALL(verb) ouf_##verb
#include "tests/simulators/run-state.h"

enum { TASKS = 3, THREADS = 2, LINKS = 4 };

typedef struct Doing { /* of a thread */
  TapeType type;       /* 0: nothing */
  int64_t link, size, begun;
} Doing;

typedef struct Maker {
  GRand *rand;
  Hand *hand;
  Doing doing[TASKS][THREADS];
  uint32_t at[LINKS][2]; /* how many send, receive */
  int64_t date;
  bool alive[TASKS];
} Maker;

static const uint32_t senders[LINKS] = { A, B, C, A }, receivers[LINKS] = { B, A, B, B };

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

static bool
sends (const Doing *d)
{
  return d->type == TAPE_Send || d->type == TAPE_TSend;
}

static bool
communicates (const Doing *d)
{
  return sends (d) || d->type == TAPE_Receive || d->type == TAPE_TReceive;
}

/* A link from the task, or to it; -1: none. */
static int64_t
choose_link (Maker *m, uint32_t task, bool out)
{
  int64_t start = upto (m, LINKS);

  for (int64_t i = 0; i < LINKS; i++) {
    int64_t link = (start + i) % LINKS;
    if ((out ? senders : receivers)[link] == task)
      return link;
  }
  return -1;
}

static void
begin (Maker *m, uint32_t task, uint16_t thread, Doing *d)
{
  static const TapeType types[] = { TAPE_Send,     TAPE_Send, TAPE_Receive, TAPE_Receive, TAPE_TSend,
                                    TAPE_TReceive, TAPE_Alt,  TAPE_NAlt,    TAPE_Wait,    TAPE_SemP };
  int64_t fields[1 + LINKS] = { 0 };

  *d = (Doing){ .type = types[upto (m, G_N_ELEMENTS (types))], .begun = m->date };
  d->link = communicates (d) ? choose_link (m, task, sends (d)) : -1;
  d->size = 10 * upto (m, 4);
  switch (d->type) {
  case TAPE_Alt:
  case TAPE_NAlt:
    for (int64_t link = 0; link < LINKS; link++)
      if (receivers[link] == task && one_in (m, 2))
        fields[++fields[0]] = link;
    hand_event (m->hand, task, thread, d->type, (TapeType) 0, m->date, 1, fields, 1 + (uint32_t) fields[0]);
    return;
  case TAPE_Wait:
  case TAPE_SemP:
    hand_event (m->hand, task, thread, d->type, (TapeType) 0, m->date, 1, fields, 1);
    return;
  default:
    break;
  }
  if (d->link < 0) { /* c has nobody who sends to it */
    d->type = (TapeType) 0;
    return;
  }
  m->at[d->link][!sends (d)]++;
  fields[0] = d->link;
  fields[1] = d->size;
  fields[2] = 1000;
  hand_event (m->hand, task, thread, d->type, (TapeType) 0, m->date, 1, fields,
              d->type == TAPE_TSend || d->type == TAPE_TReceive ? 3 : 2);
}

static void
end (Maker *m, uint32_t task, uint16_t thread, Doing *d)
{
  int64_t took = m->date - d->begun;
  TapeType end_type = sends (d) ? TAPE_EndSend : TAPE_EndReceive;

  if (communicates (d)) {
    bool met = m->at[d->link][sends (d)] > 0;
    bool limited = d->type == TAPE_TSend || d->type == TAPE_TReceive;
    if (!met && !limited && !one_in (m, 60))
      return; /* waits on */
    m->at[d->link][!sends (d)]--;
    if (limited && (!met || one_in (m, 6))) {
      hand (m->hand, task, thread, Timeout, d->type, m->date, took, d->link);
    } else {
      int64_t result = one_in (m, 25) ? -1 : one_in (m, 25) ? -2 : 0;
      hand_event (m->hand, task, thread, end_type, d->type, m->date, took,
                  /* no number of a meeting: the oldest ones are taken; the second computation in Python tells them */
                  (const int64_t[]){ d->link, one_in (m, 8) ? upto (m, 40) : d->size, 0, result }, 4);
    }
  } else if (d->type == TAPE_Wait) {
    hand0 (m->hand, task, thread, EndWait, TAPE_Wait, m->date, took);
  } else if (d->type == TAPE_SemP) {
    hand (m->hand, task, thread, SemG, TAPE_SemP, m->date, took, 0, 0);
  } else {
    hand (m->hand, task, thread, EndAlt, d->type, m->date, took, -1, -1);
  }
  d->type = (TapeType) 0;
}

/* A program of so many turns, most of which make sense. */
static void
make (Maker *m, Hand *h, uint32_t seed, int turns)
{
  memset (m, 0, sizeof *m);
  m->rand = g_rand_new_with_seed (seed);
  m->hand = h;
  for (uint32_t task = 0; task < TASKS; task++) {
    m->alive[task] = true;
    if (!one_in (m, 20))
      hand (h, task, 0, TskBth, 0, upto (m, 2), 0, 1);
  }
  m->date = 2;
  for (int i = 0; i < turns; i++) {
    uint32_t task = (uint32_t) upto (m, TASKS);
    uint16_t thread = (uint16_t) upto (m, THREADS);
    Doing *d = &m->doing[task][thread];
    m->date += upto (m, 4);
    if (!m->alive[task] && !one_in (m, 40))
      continue;
    if (one_in (m, 300)) {
      hand (h, task, 0, TskDth, 0, m->date, 0, 0);
      m->alive[task] = false;
    } else if (one_in (m, 200)) {
      hand (h, task, 0, TskBth, 0, m->date, 0, 0);
    } else if (one_in (m, 100)) {
      hand (h, task, thread, EndSend, TAPE_Send, m->date, 0, choose_link (m, task, true), 5, 0,
            0); /* of nothing, perhaps */
    } else if (d->type == 0 || one_in (m, 100)) {
      begin (m, task, thread, d);
    } else {
      end (m, task, thread, d);
    }
  }
  g_rand_free (m->rand);
}

/* ---- against the reference --------------------------------------------------------------------------------------- */

static void
put (const Ouf *p, StateScope scope, uint32_t object, const char *before, const char *attribute, int64_t at,
     GString *to)
{
  g_string_append (to, before);
  state_text (&p->store.graph, (uint32_t) state_attribute (p->store.graph.model, scope, attribute), object, at, to);
}

static char *
text_of (const Ouf *p, int64_t at)
{
  GString *to = g_string_new (NULL);

  for (uint32_t i = 0; i < p->n_tasks; i++) {
    g_string_append (to, p->store.graph.node_id (&p->store.graph, i));
    put (p, STATE_NODE, i, " ", "State", at, to);
    put (p, STATE_NODE, i, " with ", "Protagonist", at, to);
    put (p, STATE_NODE, i, " Busy=", "PercentBusy", at, to);
    put (p, STATE_NODE, i, " Idle=", "PercentIdle", at, to);
    put (p, STATE_NODE, i, " Talking=", "PercentTalking", at, to);
    g_string_append_c (to, '\n');
  }
  for (uint32_t i = 0; i < p->store.graph.n_edges; i++) {
    put (p, STATE_EDGE, i, "", "Name", at, to);
    put (p, STATE_EDGE, i, " ", "State", at, to);
    put (p, STATE_EDGE, i, " used ", "Usage", at, to);
    put (p, STATE_EDGE, i, " ", "Traffic", at, to);
    put (p, STATE_EDGE, i, " ", "TotalTraffic", at, to);
    put (p, STATE_EDGE, i, " ", "Messages", at, to);
    put (p, STATE_EDGE, i, " Unused=", "PercentUnused", at, to);
    put (p, STATE_EDGE, i, " Idle=", "PercentIdle", at, to);
    put (p, STATE_EDGE, i, " Talking=", "PercentTalking", at, to);
    g_string_append_c (to, '\n');
  }
  return g_string_free (to, FALSE);
}

static Play *
random_play (uint32_t seed, int turns)
{
  Play *p = play_new (false);
  Maker m;

  make (&m, p->hand, seed, turns);
  play_until (p, -1);
  return p;
}

static void
test_reference (void)
{
  uint32_t seeds = g_test_quick () ? 60 : 2000;
  uint64_t impossible = 0, events = 0;

  for (uint32_t seed = 1; seed <= seeds; seed++) {
    g_autoptr (Play) p = random_play (seed, 300);
    Reference *r = reference_new (p->source);
    for (guint i = 0; i < p->events->len; i++) {
      const TraceEvent *e = &g_array_index (p->events, TraceEvent, i);
      int64_t at = e->date + 3 * (i % 2);
      ouf_step (p->ouf, e);
      reference_step (r, e);
      g_autofree char *got = text_of (p->ouf, at), *want = reference_text (r, at);
      expect_same_lines (got, want, seed, e);
      expect_impossible (&p->ouf->store.graph, reference_impossible (r), seed);
    }
    impossible += reference_impossible (r);
    events += p->events->len;
    reference_free (r);
  }
  g_test_message ("%" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " impossible", events, impossible);
  g_assert_cmpuint (impossible, >, 0);
  g_assert_cmpuint (impossible * 5, <, events);
}

/* ---- run state --------------------------------------------------------------------------------------------------- */

/* With everything as nodes, and without. */
static void
test_save_at_every_event (void)
{
  for (uint32_t seed = 1; seed <= 12; seed++) {
    g_autoptr (Play) p = random_play (seed, 250);
    Ouf *q = ouf_new (&p->keep_the_dead, &p->threads, &p->semaphores, &p->processors);
    p->threads = p->semaphores = p->processors = seed % 2;
    expect_same_from_everywhere (p->ouf, q, (const TraceEvent *) (void *) p->events->data, p->events->len);
    ouf_free (q);
  }
}

static void
test_hostile_bytes (void)
{
  g_autoptr (Play) p = random_play (7, 400);
  Ouf *q = ouf_new (&p->keep_the_dead, &p->threads, &p->semaphores, &p->processors);
  guint half = p->events->len / 2;

  p->threads = p->semaphores = p->processors = true;
  for (guint i = 0; i < half; i++)
    ouf_step (p->ouf, &g_array_index (p->events, TraceEvent, i));
  expect_survives_damage (p->ouf, q, &g_array_index (p->events, TraceEvent, half), p->events->len - half);
  ouf_free (q);
}

/* A synthetic trace asks nothing impossible, in any mode; what is told is all that changes. */
static void
test_synthetic (void)
{
  for (int mode = 0; mode < 8; mode++) {
    g_autoptr (Hand) h = hand_new ();
    TraceSynth what = { .tasks = 9, .records = 30000, .seed = (uint64_t) mode };
    bool keep = true, threads = mode & 1, semaphores = mode & 2, processors = mode & 4;
    g_assert_true (tape_synth (h->folder, &what, NULL));
    TraceSource *s = hand_open (h);
    g_autoptr (GArray) all = hand_read (s);
    Ouf *p = ouf_new (&keep, &threads, &semaphores, &processors);
    p->store.telling = p->store.telling_states = p->store.telling_messages = true;
    uint64_t told = 0, messages = 0;
    for (guint i = 0; i < all->len; i++) {
      ouf_step (p, &g_array_index (all, TraceEvent, i));
      told += p->store.outbox.changes.n;
      messages += p->store.outbox.messages.n;
      g_assert_cmpuint (i > 0 ? p->store.outbox.changes.n : 0, <=, 16); /* what component.c counts on to be quick */
      outbox_clear (&p->store.outbox);
    }
    if (p->store.graph.n_impossible > 0)
      g_error ("%s", (const char *) p->store.graph.impossible->pdata[0]);
    g_assert_cmpuint (told, ==, p->store.graph.n_updates);
    g_assert_cmpuint (messages, >, 3000);
    for (uint32_t i = 0; i < p->n_tasks; i++)
      g_assert_cmpuint (node_at (p, i)->state, ==, NODE_DEAD);
    for (uint32_t i = 0; i < p->store.graph.n_edges; i++)
      g_assert_cmpint (link_at (p, i)->usage, ==, 0);
    ouf_free (p);
    trace_close (s);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ouf/reference", test_reference);
  g_test_add_func ("/ouf/save-at-every-event", test_save_at_every_event);
  g_test_add_func ("/ouf/hostile-bytes", test_hostile_bytes);
  g_test_add_func ("/ouf/synthetic", test_synthetic);
  return g_test_run ();
}
