/* SPDX-License-Identifier: Apache-2.0 */
/* Communication overhead, beside a slow model that keeps every stretch of time and adds them all up at each sample:
 * random calls, births and deaths of several tasks, all samplings, windows of time, and a run that is saved and taken
 * up. */
#include "readers/reader.h"
#include "statistics/types.h"
#include "tests/components/keep.h"

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

/* A component that samples as the model does. */
static Harness *
overhead_of (const Model *m)
{
  Harness *h = alone ("scope.communication-overhead");
  g_autofree char *n = g_strdup_printf ("%d", (int) m->n),
                  *interval = g_strdup_printf ("%f", (double) m->interval / 1000);

  harness_set (h, "sampling", samplings[m->sampling]);
  harness_set (h, "n", n);
  harness_set (h, "interval", interval);
  harness_set (h, "gap", "0.02");
  harness_set (h, "phases by", m->marks ? "marks" : "exchanges");
  if (m->from > INT64_MIN) {
    g_autofree char *from = g_strdup_printf ("%f", (double) m->from / 1000);
    harness_set (h, "from", from);
  }
  if (m->to < INT64_MAX) {
    g_autofree char *to = g_strdup_printf ("%f", (double) m->to / 1000);
    harness_set (h, "to", to);
  }
  harness_source (h, "events", &trace_type_event, NULL);
  harness_collect_all (h);
  return h;
}

static Harness *
overhead (GArray *events, const Model *m)
{
  Harness *h = overhead_of (m);

  harness_feed (h, "events", &trace_type_event, events->data, events->len);
  harness_end (h, NULL);
  return h;
}

/* What each output gave, number `i` of it. */
enum { OVERHEAD, DATED, MIN_OUT, MAX_OUT, SENDS, RECEIVES_OUT, UNDER_WAY, PHASES_OUT, TREND, N_OUTS };
static const char *const outs[N_OUTS] = { "overhead", "dated",     "min",    "max",  "sends",
                                          "receives", "under way", "phases", "trend" };

static void
assert_sample (const void *const *given, size_t i, const Sample *s)
{
  const StatsDatum *d = (const StatsDatum *) given[DATED] + i;
  const double reals[] = { [OVERHEAD] = s->value, [MIN_OUT] = s->min, [MAX_OUT] = s->max };
  const int64_t wholes[] = { [SENDS] = s->sends,
                             [RECEIVES_OUT] = s->receives,
                             [UNDER_WAY] = s->sends - s->receives,
                             [PHASES_OUT] = s->phases,
                             [TREND] = s->trend };

  g_assert_cmpint (d->date, ==, s->date);
  g_assert_cmpuint (d->source, ==, source.number);
  g_assert_cmpfloat_with_epsilon (d->value.real, s->value, 1e-9);
  for (int out = 0; out < N_OUTS; out++)
    if (out >= SENDS)
      g_assert_cmpint (((const int64_t *) given[out])[i], ==, wholes[out]);
    else if (out != DATED)
      g_assert_cmpfloat_with_epsilon (((const double *) given[out])[i], reals[out], 1e-9);
}

static void
assert_same (Harness *h, const Model *m)
{
  const void *given[N_OUTS];
  size_t n = 0;

  for (int out = 0; out < N_OUTS; out++) {
    given[out] = harness_collected (h, outs[out], &n);
    g_assert_cmpuint (n, ==, m->samples->len);
  }
  for (guint i = 0; i < n; i++)
    assert_sample (given, i, &g_array_index (m->samples, Sample, i));
}

/* Time stands at `now`: the samples that are due by then, and one of what has come since the last of them.  Only that
 * one is told, and only if somebody has lived since what was told last; false: nothing is. */
static bool
model_rest (const Model *model, int64_t now, Sample *last)
{
  Model m = *model;
  guint had = m.samples->len;

  if (!m.begun || m.over)
    return false;
  now = MAX (MIN (MIN (now, source.last), m.to), m.clock);
  bool lived = had == 0 || sum (&m, false, m.before, now) > 0;
  m.samples = g_array_copy (model->samples);
  for (; m.sampling == INTERVALS && m.next <= now; m.next += m.interval)
    model_sample (&m, m.next);
  model_sample (&m, now);
  bool told = lived && m.samples->len > had;
  if (told)
    *last = g_array_index (m.samples, Sample, m.samples->len - 1);
  g_array_unref (m.samples);
  return told;
}

static GBytes *
saved (Harness *h)
{
  EveBlob *blob = eve_blob_new ();
  size_t n;

  eve_component_save_run (harness_component (h), blob);
  const uint8_t *bytes = eve_blob_data (blob, &n);
  GBytes *state = g_bytes_new (bytes, n);
  eve_blob_free (blob);
  return state;
}

/* The run stands still now and then; what comes of it otherwise is the same. */
static guint
check_rests (GArray *events, Model *m, GRand *rand, GBytes *undisturbed)
{
  Harness *h = overhead_of (m);
  int64_t end = g_array_index (events, TraceEvent, events->len - 1).date;
  Keep *keeps[N_OUTS];
  guint told = 0;

  for (int out = 0; out < N_OUTS; out++)
    keeps[out] = kept (harness_program (h), harness_component (h), outs[out]);
  for (guint i = 0; i < events->len;) {
    guint part = (guint) g_rand_int_range (rand, 1, 40);
    part = MIN (part, events->len - i);
    for (guint k = i; k < i + part; k++)
      model_event (m, &g_array_index (events, TraceEvent, k));
    harness_feed (h, "events", &trace_type_event, &g_array_index (events, TraceEvent, i), part);
    run (h);
    i += part;
    int64_t next = i < events->len ? g_array_index (events, TraceEvent, i).date : end + 700,
            now = g_rand_int_range (rand, (gint32) m->clock, (gint32) next + 1);
    if (m->sampling == INTERVALS && m->begun && m->next <= next && g_rand_boolean (rand))
      now = m->next;
    Sample s;
    bool tells = model_rest (m, now, &s);
    g_assert_cmpuint (keeps[DATED]->n, ==, m->samples->len + told);
    eve_rest (harness_program (h), now);
    if (keeps[DATED]->n != m->samples->len + told + tells)
      g_error ("%s at %d", tells ? "nothing is told" : "something is told", (int) now);
    if (tells) {
      const void *given[N_OUTS];
      for (int out = 0; out < N_OUTS; out++)
        given[out] = out == DATED ? (void *) keeps[out]->data->data : (void *) keeps[out]->all->data;
      assert_sample (given, keeps[DATED]->n - 1, &s);
    }
    told += tells;
  }
  source.last = end;
  harness_end (h, NULL);
  run (h);
  g_autoptr (GBytes) state = saved (h);
  g_assert_true (g_bytes_equal (state, undisturbed));
  harness_free (h);
  return told;
}

static Model
model_new (int sampling, bool marks, int64_t n, int64_t interval)
{
  Model m = { .sampling = sampling, .marks = marks, .n = n, .interval = interval, .from = INT64_MIN, .to = INT64_MAX };

  m.zero = m.before = INT64_MIN / 2;
  m.samples = g_array_new (FALSE, FALSE, sizeof (Sample));
  for (int i = 0; i < TASKS; i++) {
    m.of[i].lives = g_array_new (FALSE, FALSE, sizeof (Stretch));
    m.of[i].talks = g_array_new (FALSE, FALSE, sizeof (Stretch));
  }
  return m;
}

static void
model_clear (Model *m)
{
  for (int i = 0; i < TASKS; i++) {
    g_array_unref (m->of[i].lives);
    g_array_unref (m->of[i].talks);
  }
  g_array_unref (m->samples);
}

static void
test_modelled (void)
{
  guint samples = 0, phases = 0, rests = 0;

  for (guint32 seed = 1; seed <= 240; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (GArray) events = make_events (rand, (guint) g_rand_int_range (rand, 10, 600));
    int64_t last = g_array_index (events, TraceEvent, events->len - 1).date;

    source.first = 100;
    source.last = last;
    int n = g_rand_int_range (rand, 1, 5);
    Model m = model_new ((int) (seed % 6), seed % 5 == 0, n, g_rand_int_range (rand, 7, 300));
    if (seed % 4 == 1)
      m.from = g_rand_int_range (rand, 90, (gint32) last + 1);
    if (seed % 3 == 1)
      m.to = g_rand_int_range (rand, (gint32) MAX (m.from, 100), (gint32) last + 20);
    for (guint i = 0; i < events->len; i++)
      model_event (&m, &g_array_index (events, TraceEvent, i));
    if (m.begun && !m.over)
      model_sample (&m, m.clock);
    g_test_message ("%u: %s, n %d, from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "%s", seed, samplings[m.sampling],
                    (int) m.n, m.from, m.to, m.marks ? ", marks" : "");

    Harness *whole = overhead (events, &m), *first = overhead (events, &m), *then = overhead (events, &m);
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
    Model resting = model_new (m.sampling, m.marks, m.n, m.interval);
    resting.from = m.from;
    resting.to = m.to;
    source.last = last + 500; /* the reader has not read all of it */
    g_autoptr (GBytes) state = saved (whole);
    rests += check_rests (events, &resting, rand, state);
    model_clear (&resting);
    harness_free (whole);
    harness_free (first);
    harness_free (then);
    samples += m.samples->len;
    phases += (guint) m.phases;
    model_clear (&m);
  }
  g_assert_true (samples > 500 && phases > 100 && rests > 500);
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
