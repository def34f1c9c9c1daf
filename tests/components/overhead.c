/* SPDX-License-Identifier: Apache-2.0 */
/* Communication overhead, beside a slow model that keeps every stretch of time and adds them all up at each sample:
 * random calls, births and deaths of several tasks, all samplings, windows of time, and a run that is saved and taken
 * up. */
#include "readers/reader.h"
#include "statistics/types.h"
#include "tests/components/common.h"

enum { SEND, RECV, WORK, MARK, PING, PONG, MCAST, NOTE, BIRTH, DEATH };
static const TraceField none[] = { { "x", TRACE_ROLE_INT, NULL } }, many[] = { { "to", TRACE_ROLE_PEERS, NULL } };
static const TraceKind kinds[] = {
  [SEND] = { "Send", "EndSend", "point", none, 1, false, .acts = TRACE_ACT_CALL | TRACE_ACT_SEND },
  [RECV] = { "Recv", "EndRecv", "point", none, 1, false, .acts = TRACE_ACT_CALL | TRACE_ACT_RECEIVE },
  [WORK] = { "Work", "EndWork", "local", none, 1, false, .acts = TRACE_ACT_CALL },
  [MARK] = { "Mark", "EndMark", "user", none, 1, false, .acts = TRACE_ACT_CALL | TRACE_ACT_PHASE },
  [PING] = { "Ping", "Ping", "point", none, 1, true, .acts = TRACE_ACT_SEND },
  [PONG] = { "Pong", "Pong", "point", none, 1, true, .acts = TRACE_ACT_RECEIVE },
  [MCAST] = { "Mcast", "EndMcast", "point", many, 1, false,
              .acts = TRACE_ACT_CALL | TRACE_ACT_SEND | TRACE_ACT_MULTICAST },
  [NOTE] = { "User", "User", "user", none, 1, true },
  [BIRTH] = { "Enroll", "Enroll", "task", none, 1, true, .acts = TRACE_ACT_BIRTH },
  [DEATH] = { "Exit", "Exit", "task", none, 1, true, .acts = TRACE_ACT_DEATH },
};
static TraceValue
value_of (TraceSource *s, const TraceEvent *e, uint32_t field)
{
  static const uint32_t to[] = { 0, 1, 2 };

  return e->kind == MCAST ? (TraceValue){ .kind = TRACE_VALUE_TASKS, .tasks = to, .n_tasks = G_N_ELEMENTS (to) }
                          : (TraceValue){ .kind = TRACE_VALUE_NONE };
}
static const TraceFormat format = { .name = "toy", .label = "Toy", .model = "Toy", .value = value_of };
static TraceSource source;

#define TASKS 5
#define GAP 20 /* ticks */
enum { INTERVALS, RECEIVES, TASK_RECEIVES, PHASES, PHASES_SO_FAR, AT_END };
static const char *const samplings[] = { "intervals of time", "receives",  "receives of a task", "phases",
                                         "phases so far",     "at the end" };

/* ---- the model ------------------------------------------------------------------------------------------------------ */

typedef struct Stretch {
  int64_t from, to; /* to INT64_MAX: it goes on */
} Stretch;

typedef struct Person {
  GArray *lives, *talks; /* of Stretch */
  int depth, life;       /* 1: alive, 2: dead */
  bool takes_part, has_talked;
  int64_t phases, receives, left;
} Person;

typedef struct Sample {
  int64_t date;
  double value, min, max;
  int64_t sends, receives, phases, trend;
} Sample;

typedef struct Model {
  Person of[TASKS];
  GArray *samples; /* of Sample */
  int sampling;
  bool marks;
  int64_t n, interval, from, to; /* ticks */
  int64_t zero, before, next, clock;
  int64_t phases, counted, sends, receives;
  bool begun, over;
} Model;

static int64_t
sum (const Model *m, bool talks, int64_t from, int64_t to)
{
  int64_t all = 0;

  for (int i = 0; i < TASKS; i++) {
    const GArray *of = talks ? m->of[i].talks : m->of[i].lives;
    for (guint k = 0; k < of->len; k++) {
      const Stretch *s = &g_array_index (of, Stretch, k);
      all += MAX (MIN (s->to, to) - MAX (s->from, from), 0);
    }
  }
  return all;
}

static void
model_sample (Model *m, int64_t at)
{
  bool all = m->sampling == PHASES_SO_FAR || m->sampling == AT_END;
  int64_t since = all ? m->zero : m->before, life = sum (m, false, since, at);
  Sample s = { .date = at, .sends = m->sends, .receives = m->receives, .phases = m->phases };

  if (life == 0)
    return;
  s.value = s.min = s.max = 100.0 * (double) sum (m, true, since, at) / (double) life;
  int64_t rises = 0, falls = 0;
  for (guint i = m->samples->len; i-- > 0;) {
    const Sample *one = &g_array_index (m->samples, Sample, i);
    s.min = MIN (s.min, one->value);
    s.max = MAX (s.max, one->value);
  }
  for (guint i = m->samples->len; i-- > 0;) { /* how far back each was below, or above, the next */
    double later = i + 1 < m->samples->len ? g_array_index (m->samples, Sample, i + 1).value : s.value,
           one = g_array_index (m->samples, Sample, i).value;
    if (later > one && !falls)
      rises++;
    else if (later < one && !rises)
      falls++;
    else
      break;
  }
  s.trend = rises - falls;
  m->before = at;
  m->counted = 0;
  g_array_append_val (m->samples, s);
}

static void
close_stretch (GArray *of, int64_t at)
{
  g_array_index (of, Stretch, of->len - 1).to = at;
}

static void
ends_phase (const Model *m, Person *t)
{
  t->has_talked = false;
  t->phases += t->takes_part;
}

static void
takes_part (const Model *m, Person *t)
{
  if (!t->takes_part)
    t->phases = m->phases;
  t->takes_part = true;
}

static void
model_event (Model *m, const TraceEvent *e)
{
  Person *t = &m->of[e->task];
  int64_t at = e->date;
  bool end = e->flags & TRACE_END, instant = e->kind == PING || e->kind == PONG;
  bool talk = e->kind == SEND || e->kind == RECV || e->kind == MCAST || instant;

  if (!m->begun && at >= m->from) {
    m->begun = true;
    m->next = (m->from > INT64_MIN ? m->from : at) + m->interval;
    if (m->from > INT64_MIN) {
      m->zero = m->before = m->from;
      m->sends = m->receives = m->phases = m->counted = 0;
      for (int i = 0; i < TASKS; i++) {
        Person *p = &m->of[i];
        p->phases = p->receives = 0;
        p->takes_part = p->has_talked = p->depth > 0 && !m->marks;
      }
    }
  }
  while (m->sampling == INTERVALS && m->begun && !m->over && MIN (at, m->to) >= m->next) {
    model_sample (m, m->next);
    m->next += m->interval;
  }
  if (m->begun && !m->over && at > m->to) {
    model_sample (m, m->to);
    m->over = true;
  }
  m->clock = at;
  if (t->life != 1 && e->kind != DEATH) {
    if (t->life == 2 && e->kind != BIRTH)
      return;
    t->life = 1;
    g_array_append_vals (t->lives, &(Stretch){ at, INT64_MAX }, 1);
  }
  if (t->life != 1 || e->kind == WORK
      || e->kind == NOTE) /* that a death was the end of a phase is seen at the next event that matters */
    return;
  if (talk && !end && t->depth++ == 0) {
    if (!m->marks) {
      if (t->has_talked && at - t->left >= GAP)
        ends_phase (m, t);
      takes_part (m, t);
      t->has_talked = true;
    }
    g_array_append_vals (t->talks, &(Stretch){ at, INT64_MAX }, 1);
  }
  if (talk && (end || instant) && t->depth > 0 && --t->depth == 0) {
    close_stretch (t->talks, at);
    t->left = at;
  }
  if (e->result >= 0 && !end)
    m->sends += e->kind == SEND || e->kind == PING ? 1 : e->kind == MCAST ? e->task < 3 ? 2 : 3 : 0;
  if (((e->kind == RECV && end) || e->kind == PONG) && trace_received (e)) {
    m->receives++;
    t->receives++;
    if (m->sampling == RECEIVES)
      m->counted++;
    if (m->sampling == TASK_RECEIVES && t->receives % m->n == 0)
      m->counted = m->n;
  }
  if (e->kind == MARK && m->marks) {
    takes_part (m, t);
    if (end)
      ends_phase (m, t);
  }
  if (e->kind == DEATH) {
    if (t->depth > 0)
      close_stretch (t->talks, at);
    t->depth = 0;
    if (t->has_talked)
      ends_phase (m, t);
    close_stretch (t->lives, at);
    t->life = 2;
  }
  int64_t least = INT64_MAX;
  for (int i = 0; i < TASKS; i++)
    if (m->of[i].takes_part)
      least = MIN (least, m->of[i].phases);
  if (least < INT64_MAX && least > m->phases) {
    if (m->sampling == PHASES || m->sampling == PHASES_SO_FAR)
      m->counted += least - m->phases;
    m->phases = least;
  }
  if (e->kind == DEATH)
    t->takes_part = false;
  if (!m->begun)
    m->counted = 0;
  else if (m->sampling != INTERVALS && m->sampling != AT_END && m->counted >= m->n && !m->over)
    model_sample (m, at);
}

/* ---- executions ------------------------------------------------------------------------------------------------------ */

static GArray *
make_events (GRand *rand, guint n)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  int inside[TASKS][4], depth[TASKS] = { 0 };
  int64_t date = 100;

  for (guint i = 0; i < n; i++) {
    uint32_t task = (uint32_t) g_rand_int_range (rand, 0, TASKS);
    TraceEvent e = { .task = task, .peer = 0, .number = i, .source = source.number, .object = TRACE_NONE };
    int what = g_rand_int_range (rand, 0, 40);
    date += g_rand_int_range (rand, 0, 3) ? g_rand_int_range (rand, 0, 12) : 0;
    e.date = date;
    if (i < TASKS) {
      e.task = i;
      e.kind = BIRTH;
      e.flags = TRACE_INSTANT;
    } else if (what == 0) {
      e.kind = (uint16_t) (g_rand_boolean (rand) ? DEATH : BIRTH);
      e.flags = TRACE_INSTANT;
      if (e.kind == DEATH && g_rand_boolean (rand))
        depth[task] = 0; /* else it dies inside of calls, which end afterwards */
    } else if (depth[task] == 4 || (depth[task] && what % 2)) {
      e.kind = (uint16_t) inside[task][--depth[task]];
      e.flags = TRACE_END;
      e.result = g_rand_int_range (rand, 0, 8) ? 0 : -1;
    } else {
      e.kind = (uint16_t) g_rand_int_range (rand, SEND, NOTE + 1);
      e.result = g_rand_int_range (rand, 0, 8) ? 0 : -1;
      if (kinds[e.kind].instant)
        e.flags = TRACE_INSTANT;
      else
        inside[task][depth[task]++] = e.kind;
    }
    g_array_append_val (all, e);
  }
  return all;
}

static Harness *
overhead (GArray *events, const Model *m, bool marks)
{
  Harness *h = alone ("scope.communication-overhead");
  g_autofree char *n = g_strdup_printf ("%d", (int) m->n),
                  *interval = g_strdup_printf ("%f", (double) m->interval / 1000);

  harness_set (h, "sampling", samplings[m->sampling]);
  harness_set (h, "n", n);
  harness_set (h, "interval", interval);
  harness_set (h, "gap", "0.02");
  harness_set (h, "phases by", marks ? "marks" : "exchanges");
  if (m->from > INT64_MIN) {
    g_autofree char *from = g_strdup_printf ("%f", (double) m->from / 1000);
    harness_set (h, "from", from);
  }
  if (m->to < INT64_MAX) {
    g_autofree char *to = g_strdup_printf ("%f", (double) m->to / 1000);
    harness_set (h, "to", to);
  }
  harness_collect_all (h);
  harness_feed (h, "events", &trace_type_event, events->data, events->len);
  harness_end (h, NULL);
  return h;
}

static void
assert_same (Harness *h, const Model *m)
{
  size_t n, k;
  const StatsDatum *dated = harness_collected (h, "dated", &n);
  const double *min = harness_collected (h, "min", &k), *max = harness_collected (h, "max", &k);
  const int64_t *sends = harness_collected (h, "sends", &k), *receives = harness_collected (h, "receives", &k),
                *way = harness_collected (h, "under way", &k), *phases = harness_collected (h, "phases", &k),
                *trend = harness_collected (h, "trend", &k);

  for (guint i = 0; i < MIN (n, m->samples->len); i++) {
    const Sample *s = &g_array_index (m->samples, Sample, i);
    g_assert_cmpint (dated[i].date, ==, s->date);
    g_assert_cmpfloat_with_epsilon (dated[i].value.real, s->value, 1e-9);
    g_assert_cmpfloat_with_epsilon (min[i], s->min, 1e-9);
    g_assert_cmpfloat_with_epsilon (max[i], s->max, 1e-9);
    g_assert_cmpint (sends[i], ==, s->sends);
    g_assert_cmpint (receives[i], ==, s->receives);
    g_assert_cmpint (way[i], ==, s->sends - s->receives);
    g_assert_cmpint (phases[i], ==, s->phases);
    g_assert_cmpint (trend[i], ==, s->trend);
  }
  g_assert_cmpuint (n, ==, m->samples->len);
}

static void
test_modelled (void)
{
  guint samples = 0, phases = 0;

  for (guint32 seed = 1; seed <= 240; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (GArray) events = make_events (rand, (guint) g_rand_int_range (rand, 10, 600));
    Model m = { .sampling = (int) (seed % 6), .marks = seed % 5 == 0, .from = INT64_MIN, .to = INT64_MAX };
    int64_t last = g_array_index (events, TraceEvent, events->len - 1).date;

    source.first = 100;
    source.last = last;
    m.n = g_rand_int_range (rand, 1, 5);
    m.interval = g_rand_int_range (rand, 7, 300);
    if (seed % 4 == 1)
      m.from = g_rand_int_range (rand, 90, (gint32) last + 1);
    if (seed % 3 == 1)
      m.to = g_rand_int_range (rand, (gint32) MAX (m.from, 100), (gint32) last + 20);
    m.zero = m.before = INT64_MIN / 2;
    m.samples = g_array_new (FALSE, FALSE, sizeof (Sample));
    for (int i = 0; i < TASKS; i++) {
      m.of[i].lives = g_array_new (FALSE, FALSE, sizeof (Stretch));
      m.of[i].talks = g_array_new (FALSE, FALSE, sizeof (Stretch));
    }
    for (guint i = 0; i < events->len; i++)
      model_event (&m, &g_array_index (events, TraceEvent, i));
    if (m.begun && !m.over)
      model_sample (&m, m.clock);
    g_test_message ("%u: %s, n %d, from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "%s", seed, samplings[m.sampling],
                    (int) m.n, m.from, m.to, m.marks ? ", marks" : "");

    Harness *whole = overhead (events, &m, m.marks), *first = overhead (events, &m, m.marks),
            *then = overhead (events, &m, m.marks);
    run (whole);
    assert_same (whole, &m);
    if (m.over && m.samples->len) { /* what is said in the end is of the window too */
      g_autofree char *phases_then = g_strdup_printf (
          "; %d phases", (int) g_array_index (m.samples, Sample, m.samples->len - 1).phases);
      if (g_array_index (m.samples, Sample, m.samples->len - 1).date == m.to)
        g_assert_true (g_str_has_suffix (eve_component_status (harness_component (whole)), phases_then));
    }
    /* saved somewhere on the way and taken up by another */
    EveBlob *blob = eve_blob_new ();
    g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
    size_t size;
    for (int i = g_rand_int_range (rand, 0, 300); i > 0 && eve_run (harness_program (first), 0) == EVE_BUDGET; i--)
      ;
    eve_program_save_run (harness_program (first), blob);
    const uint8_t *bytes = eve_blob_data (blob, &size);
    g_assert_true (eve_program_load_run (harness_program (then), bytes, size, problems, NULL));
    g_assert_cmpuint (problems->len, ==, 0);
    run (then);
    g_assert_cmphex (eve_program_run_hash (harness_program (whole)), ==, eve_program_run_hash (harness_program (then)));
    eve_blob_free (blob);
    harness_free (whole);
    harness_free (first);
    harness_free (then);
    samples += m.samples->len;
    phases += (guint) m.phases;
    for (int i = 0; i < TASKS; i++) {
      g_array_unref (m.of[i].lives);
      g_array_unref (m.of[i].talks);
    }
    g_array_unref (m.samples);
  }
  g_assert_true (samples > 500 && phases > 100);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  g_test_init (&argc, &argv, NULL);
  eve_registry_load_all (problems);
  trace_source_setup (&source, &format, "/nowhere/toy.trace", NULL);
  source.clock = (TraceClock){ 1000, "s" };
  source.kinds = kinds;
  source.n_kinds = G_N_ELEMENTS (kinds);
  for (int i = 0; i < TASKS; i++) {
    g_autofree char *id = g_strdup_printf ("t%d", i);
    trace_source_add_task (&source, id, (int64_t) i);
  }
  g_test_add_func ("/overhead/modelled", test_modelled);
  return g_test_run ();
}
