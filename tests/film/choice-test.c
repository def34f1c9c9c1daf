/* SPDX-License-Identifier: Apache-2.0 */
/* choice-test.c - which state a travel starts from, and which are in memory afterwards: after each of many random
 * travels the whole list is compared with a slow model; searches backwards are compared with all events looked at one
 * by one. */
#include "help.h"
#include "session/travel-private.h"

/* Speed is measured while travelling; here it is set, so that what follows from it is known. */
#define EVENTS_PER_NS (1.0 / (1 << 20))
#define NEAR 5         /* events in 5 ms, and one */
#define NOT_WORTH 24.1 /* events in 20 ms and those near: nothing is kept on so short a way */
#define VISITS 32      /* instants that are remembered */

/* ---- the model ------------------------------------------------------------------------------------------------------ */

typedef struct Place {
  uint64_t event, uses;
  int64_t date;
  bool ended, by_hand;
  char name[16];
  uint64_t bytes; /* where room is short */
} Place;

typedef struct Model {
  Session *s, *reference;
  Travel *t;
  Linear l;
  GRand *rand;
  GArray *memory, *film, *hand; /* of Place */
  uint64_t present;
  bool ended, exact, nearest;
  uint64_t room; /* for states in memory, bytes; 0: for all */
  struct {
    uint64_t event, visits;
  } visits[VISITS];
  GString *said; /* what was done, told when it fails */
} Model;

static Place *
place (GArray *of, guint i)
{
  return &g_array_index (of, Place, i);
}

static int64_t
date_of (const Model *m, uint64_t event)
{
  return event ? nth (&m->l, event - 1)->date : INT64_MIN;
}

static bool
may_start (const Place *p, const Target *to, const Session *s)
{
  if (to->kind == TO_END)
    return true;
  if (to->kind == TO_EVENT)
    return !p->ended && p->event <= to->event;
  return p->date <= to->date && !(p->ended && to->date < s->last);
}

/* How many events there are about by the goal: between the two states of the film around it as the dates say. */
static uint64_t
guess (const Model *m, const Target *to)
{
  const Session *s = m->s;
  uint64_t events[2] = { 0, s->n_events };
  int64_t dates[2] = { s->first, s->last };

  if (to->kind == TO_EVENT)
    return to->event;
  if (to->kind == TO_END || to->date >= s->last)
    return s->n_events;
  for (guint i = m->film->len; i-- > 0;) {
    const Place *p = place (m->film, i);
    guint side = p->date > to->date;
    if (side == 1 || dates[0] == s->first) {
      if (side == 0 && events[0])
        continue;
      events[side] = p->event;
      dates[side] = p->date;
    }
  }
  if (to->date <= dates[0] || dates[1] <= dates[0])
    return events[0];
  double share = (double) (to->date - dates[0]) / (double) (dates[1] - dates[0]);
  return events[0] + (uint64_t) ((double) (events[1] - events[0]) * share);
}

typedef struct Begin {
  GArray *of; /* NULL: the beginning, or the present */
  guint i;
  uint64_t event;
  bool present;
} Begin;

static Begin
cheapest (const Model *m, const Target *to)
{
  uint64_t about = guess (m, to);
  Place present = { .event = m->present, .date = date_of (m, m->present), .ended = m->ended };
  double restore = m->nearest ? 0 : m->t->restore_ns, least = (double) about / EVENTS_PER_NS;
  Begin best = { 0 };
  GArray *all[] = { m->memory, m->film, m->hand };

  if (m->exact && may_start (&present, to, m->s)) {
    double cost = (about > m->present ? (double) (about - m->present) : 0) / EVENTS_PER_NS;
    if (cost < least) {
      least = cost;
      best = (Begin){ .event = m->present, .present = true };
    }
  }
  for (guint k = 0; k < G_N_ELEMENTS (all); ++k)
    for (guint i = 0; i < all[k]->len; ++i) {
      const Place *p = place (all[k], i);
      double cost = (about > p->event ? (double) (about - p->event) : 0) / EVENTS_PER_NS + restore;
      if (may_start (p, to, m->s) && cost < least) {
        least = cost;
        best = (Begin){ .of = all[k], .i = i, .event = p->event };
      }
    }
  return best;
}

/* What is kept of an instant takes the place of what was there; two that a person named are both wanted. */
static void
put (Model *m, Place p)
{
  guint i = 0;

  for (i = m->memory->len; i-- > 0;) {
    const Place *old = place (m->memory, i);
    if (old->event != p.event || old->ended != p.ended
        || (old->by_hand && p.by_hand && strcmp (old->name, p.name) != 0))
      continue;
    p.uses = old->uses;
    if (old->by_hand) {
      p.by_hand = true;
      g_strlcpy (p.name, old->name, sizeof p.name);
    }
    g_array_remove_index (m->memory, i);
  }
  for (i = 0; i < m->memory->len && place (m->memory, i)->event <= p.event; ++i)
    ;
  g_array_insert_val (m->memory, i, p);
}

static void
put_present (Model *m)
{
  Place p = { .event = m->present, .date = date_of (m, m->present), .ended = m->ended };

  if (m->room) { /* nothing is kept on the way then: the session is where the model is */
    g_autoptr (GBytes) state = travel_run_state (m->s);
    p.bytes = g_bytes_get_size (state);
  }
  put (m, p);
}

static void
begin_at (Model *m, const Begin *b)
{
  if (b->of == m->memory)
    place (m->memory, b->i)->uses++;
  else if (b->of) {
    Place copy = *place (b->of, b->i);
    place (b->of, b->i)->uses++;
    put (m, copy);
  }
  m->present = b->event;
  m->ended = b->of ? place (b->of, b->i)->ended : b->present && m->ended;
}

/* Goes there, with a state kept a little before when `prepare`; gives the events that were played. */
static Begin
go (Model *m, const Target *to, bool prepare, bool in_slices)
{
  Begin b = cheapest (m, to);
  uint64_t about = guess (m, to);

  begin_at (m, &b);
  if (prepare && about > m->present && (double) (about - m->present) > NOT_WORTH) {
    uint64_t from = m->present, before = about - NEAR;
    if (to->kind == TO_DATE) {
      double ticks = (double) (m->s->last - m->s->first) / (double) m->s->n_events * NEAR;
      before = events_by (&m->l, to->date - (int64_t) ticks);
    }
    m->present = MAX (from, before);
    if (in_slices || m->present > from)
      put_present (m);
  }
  m->present = to->kind == TO_END     ? m->l.events->len
               : to->kind == TO_EVENT ? to->event
                                      : MAX (m->present, events_by (&m->l, to->date));
  /* whether there are more events of a date is known when one of another is met */
  m->ended = to->kind == TO_END || (to->kind == TO_DATE && to->date >= m->s->last);
  m->exact = true;
  return b;
}

static uint64_t
visit (Model *m)
{
  guint least = 0;

  for (guint i = 0; i < VISITS; ++i) {
    if (m->visits[i].visits && m->visits[i].event == m->present)
      return ++m->visits[i].visits;
    if (m->visits[i].visits < m->visits[least].visits)
      least = i;
  }
  m->visits[least].event = m->present;
  return m->visits[least].visits = 1;
}

/* ---- compared ------------------------------------------------------------------------------------------------------- */

static char *
as_text (const Model *m)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < m->memory->len; ++i) {
    const Place *p = place (m->memory, i);
    g_string_append_printf (text, "%" G_GUINT64_FORMAT "%s x%" G_GUINT64_FORMAT " %s\n", p->event, p->ended ? "." : "",
                            p->uses, p->by_hand ? p->name : "-");
  }
  return g_string_free (text, FALSE);
}

static char *
is_as_text (const Model *m)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < m->t->memory->len; ++i) {
    const Checkpoint *c = &g_array_index (m->t->memory, Kept, i).what;
    g_assert_cmpint (c->date, ==, date_of (m, c->event));
    g_string_append_printf (text, "%" G_GUINT64_FORMAT "%s x%" G_GUINT64_FORMAT " %s\n", c->event, c->ended ? "." : "",
                            c->uses, c->kind == CHECKPOINT_BY_HAND ? c->name : "-");
  }
  return g_string_free (text, FALSE);
}

static void
assert_as_modelled (Model *m)
{
  g_autofree char *expected = as_text (m), *is = is_as_text (m);

  if (strcmp (expected, is) != 0 || drive_ended (m->s) != m->ended)
    g_test_message ("%s", m->said->str);
  g_assert_cmpstr (is, ==, expected);
  g_assert_cmpuint (travel_event (m->t), ==, m->present);
  g_assert_true (drive_ended (m->s) == m->ended);
  g_assert_true (travel_is_exact (m->t));
}

static void
assert_began (const Model *m, const Begin *b, bool from_film)
{
  const TravelReport *r = travel_report (m->t);

  g_assert_cmpuint (r->from_event, ==, b->event);
  g_assert_true (r->restored == (b->of != NULL));
  g_assert_true (r->from_film == from_film);
  g_assert_cmpuint (r->played, ==, m->present - b->event);
}

/* What is there, as the strategy is told it; gives the bytes of all. */
static uint64_t
places_of (const Model *m, StrategyPlace *all)
{
  uint64_t bytes = 0;

  for (guint i = 0; i < m->memory->len; ++i) {
    const Place *p = place (m->memory, i);
    all[i] = (StrategyPlace){ p->event, p->uses, p->bytes, p->by_hand };
    bytes += p->bytes;
  }
  return bytes;
}

/* The present gets a state of its own; where there is no room for one of the usual size, in place of what serves least,
 * unless all that is there serves as well. */
static void
put_visited (Model *m, uint64_t visits)
{
  StrategyPlace all[200];
  uint64_t bytes = places_of (m, all);
  guint n = m->memory->len;

  if (m->room && n && bytes + bytes / n > m->room) {
    int victim = strategy_victim (all, n, m->present, visits);
    if (victim < 0)
      return;
    g_array_remove_index (m->memory, (guint) victim);
  }
  put_present (m);
}

static void
thin (Model *m)
{
  StrategyPlace all[200];

  for (;;) {
    uint64_t bytes = places_of (m, all);
    int drop = m->room && bytes > m->room ? strategy_thin (all, m->memory->len, m->present, m->room) : -1;
    if (drop < 0)
      return;
    g_array_remove_index (m->memory, (guint) drop);
  }
}

/* A travel in one go: an instant that was visited before gets a state of its own. */
static void
travelled (Model *m, const Target *to, bool stepping, bool ok)
{
  Begin b = go (m, to, stepping, false);
  bool has = false;

  g_assert_true (ok);
  assert_began (m, &b, b.of == m->film);
  uint64_t visits = visit (m);
  for (guint i = 0; i < m->memory->len; ++i)
    has |= place (m->memory, i)->event == m->present;
  if (visits >= 2 && m->present > b.event && !m->ended && !has)
    put_visited (m, visits);
  thin (m);
}

/* ---- walks with room for all, which are modelled in full ------------------------------------------------------------ */

static void
open_travel (Model *m, const char *film)
{
  uint64_t trace, plan;
  g_autofree char *home = film_folder (m->s, &trace, &plan, NULL);
  TravelOptions o = { .nearest = m->nearest, .film = film, .trace = trace, .plan = plan };

  drive_reset (m->s);
  m->t = travel_new (m->s, &o);
  m->present = 0;
  m->ended = m->exact = false;
  memset (m->visits, 0, sizeof m->visits);
  g_array_set_size (m->memory, 0);
  g_array_set_size (m->film, 0);
  g_array_set_size (m->hand, 0);
  Checkpoints *files[] = { m->t->film, m->t->hand };
  GArray *lists[] = { m->film, m->hand };
  for (guint k = 0; k < 2; ++k)
    for (guint i = 0; files[k] && i < checkpoints_n (files[k]); ++i) {
      const Checkpoint *c = checkpoints_nth (files[k], i);
      Place p = { .event = c->event, .date = c->date, .ended = c->ended, .by_hand = c->kind == CHECKPOINT_BY_HAND };
      g_strlcpy (p.name, c->name, sizeof p.name);
      g_array_append_val (lists[k], p);
    }
}

static void
any_step (Model *m, guint number)
{
  static const double restores[] = { 0, 3, 40, 1e6 }; /* events that could be played meanwhile */
  g_autoptr (GError) error = NULL;
  uint64_t n = m->l.events->len;
  Travel *t = m->t;
  /* few goals, so that some are visited again */
  Target to = { TO_EVENT, (uint64_t) g_rand_int_range (m->rand, 0, 48) * n / 47, 0 };
  if (g_rand_int_range (m->rand, 0, 12) == 0)
    to.event = (uint64_t) g_rand_int_range (m->rand, 1, 8);
  int what = g_rand_int_range (m->rand, 0, 10);

  t->given_speed = true;
  t->events_per_ns = EVENTS_PER_NS;
  t->restore_ns = restores[g_rand_int_range (m->rand, 0, G_N_ELEMENTS (restores))] / EVENTS_PER_NS;
  if (to.event && g_rand_int_range (m->rand, 0, 3) == 0)
    to = (Target){ TO_DATE, 0, nth (&m->l, to.event - 1)->date + g_rand_int_range (m->rand, -1, 2) };
  g_string_append_printf (m->said, "%u: %d to %" G_GUINT64_FORMAT ", %" G_GINT64_FORMAT "\n", number, what, to.event,
                          to.date);
  switch (what) {
  case 0:
    to = (Target){ TO_END, 0, 0 };
    travelled (m, &to, false, travel_to_end (t, &error));
    break;
  case 1:
    if (!m->present) {
      g_assert_false (travel_back_event (t, &error));
      g_assert_error (error, FILM_ERROR, FILM_ERROR_TARGET);
      g_clear_error (&error);
      return;
    }
    to = (Target){ TO_EVENT, m->present - 1, 0 };
    travelled (m, &to, true, travel_back_event (t, &error));
    break;
  case 2: {
    Place p = { .event = m->present, .date = date_of (m, m->present), .ended = m->ended, .by_hand = true };
    g_snprintf (p.name, sizeof p.name, "hand %d", g_rand_int_range (m->rand, 0, 3));
    if (!m->exact)
      return;
    g_assert_true (travel_save (t, p.name, CHECKPOINT_BY_HAND, &error));
    put (m, p);
    if (t->film_folder) { /* the file is read anew */
      g_array_set_size (m->hand, 0);
      for (guint i = 0; i < checkpoints_n (t->hand); ++i) {
        const Checkpoint *c = checkpoints_nth (t->hand, i);
        Place q = { .event = c->event, .date = c->date, .ended = c->ended, .by_hand = true };
        g_strlcpy (q.name, c->name, sizeof q.name);
        g_array_append_val (m->hand, q);
      }
    }
    break;
  }
  case 3: {
    bool needed = m->exact && m->present > 1;
    Target back = { m->ended ? TO_END : TO_EVENT, m->present, 0 };
    TravelReport was = *travel_report (t);
    for (guint i = 0; i < m->memory->len; ++i)
      needed &= place (m->memory, i)->event >= m->present || m->present - place (m->memory, i)->event > 4 * NEAR;
    if (!m->exact)
      return;
    g_assert_true (travel_prepare (t, &error));
    g_assert_cmpmem (&was, sizeof was, travel_report (t), sizeof was);
    if (needed) {
      go (m, &(Target){ TO_EVENT, m->present > NEAR ? m->present - NEAR : 0, 0 }, false, false);
      put_present (m);
      go (m, &back, false, false);
    }
    break;
  }
  case 4: { /* in slices */
    bool prepare = g_rand_boolean (m->rand);
    if (to.kind == TO_EVENT)
      travel_begin_event (t, to.event, prepare);
    else
      travel_begin_date (t, to.date, prepare);
    uint64_t from = travel_event (t), end = to.kind == TO_EVENT ? to.event : n;
    if (to.kind == TO_DATE && to.date < m->s->last)
      end = (uint64_t) ((double) (MAX (to.date, m->s->first) - m->s->first) / (double) (m->s->last - m->s->first)
                        * (double) n);
    do {
      uint64_t at = travel_event (t);
      double share = end > from && at > from ? (double) (at - from) / (double) (end - from) : 0;
      g_assert_cmpfloat (travel_share (t), ==, MIN (share, 1));
    } while (travel_go_on (t, 0, &error) > 0);
    g_assert_cmpint (travel_go_on (t, 0, &error), ==, 0); /* it is there */
    go (m, &to, prepare, true);
    break;
  }
  default:
    travelled (m, &to, false,
               to.kind == TO_EVENT ? travel_to_event (t, to.event, &error) : travel_to_date (t, to.date, &error));
  }
  g_assert_no_error (error);
  assert_as_modelled (m);
  if (number % 8 == 0 && !m->ended) { /* and it is right */
    uint64_t run = eve_program_run_hash (m->s->program);
    Hashes is = hashes (m->s), should = played_events (m->reference, m->present);
    g_assert_cmphex (is.state, ==, should.state);
    g_assert_cmphex (run, ==, eve_program_run_hash (m->s->program));
  }
}

static Model
model_new (const char *trace, guint32 seed)
{
  Model m = { .s = open_session (trace, NULL),
              .reference = open_session (trace, NULL),
              .l = read_linear (trace),
              .rand = g_rand_new_with_seed (seed),
              .nearest = seed % 2,
              .said = g_string_new (NULL) };
  static DriveListener deaf;

  m.memory = g_array_new (FALSE, FALSE, sizeof (Place));
  m.film = g_array_new (FALSE, FALSE, sizeof (Place));
  m.hand = g_array_new (FALSE, FALSE, sizeof (Place));
  drive_listen (m.reference, &deaf);
  return m;
}

static void
model_clear (Model *m)
{
  travel_free (m->t);
  session_free (m->s);
  session_free (m->reference);
  linear_clear (&m->l);
  g_rand_free (m->rand);
  g_array_unref (m->memory);
  g_array_unref (m->film);
  g_array_unref (m->hand);
  g_string_free (m->said, TRUE);
}

static void
test_modelled (void)
{
  for (guint32 seed = 1; seed <= 8; ++seed) {
    g_autofree char *trace = sample ("ring"), *name = g_strdup_printf ("choice-%u", seed), *film = in_folder (name);
    Model m = model_new (trace, seed);

    if (seed > 2)
      shoot (trace, NULL, film, seed % 3 ? "events=90" : "events=31");
    for (guint times = 0; times < 2; ++times) { /* the second time what was saved is there */
      open_travel (&m, seed > 2 ? film : NULL);
      for (guint i = 0; i < 120; ++i)
        any_step (&m, i);
      if (!times)
        travel_free (m.t);
    }
    model_clear (&m);
  }
}

/* Room for a few states: what a person saved stays, of the others those that serve. */
static void
test_full (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = sample ("ring");

  for (guint32 seed = 1; seed <= 12; ++seed) {
    Model m = model_new (trace, seed);
    guint saved = 0, most_saved = seed % 4;
    uint64_t n = m.l.events->len;

    open_travel (&m, NULL);
    g_assert_true (travel_to_event (m.t, n / 2, &error));
    g_autoptr (GBytes) state = travel_run_state (m.s);
    travel_free (m.t);
    open_travel (&m, NULL);
    m.room = g_bytes_get_size (state) * (seed % 5 + 1);
    travel_set_memory (m.t, m.room);
    for (guint i = 0; i < 200; ++i) {
      Target to = { TO_EVENT, (uint64_t) g_rand_int_range (m.rand, 0, i < 100 ? 8 : 16) * n / 15, 0 };
      m.t->given_speed = true;
      m.t->events_per_ns = EVENTS_PER_NS;
      m.t->restore_ns = 10 / EVENTS_PER_NS;
      if (m.exact && saved < most_saved && g_rand_int_range (m.rand, 0, 20) == 0) {
        g_autoptr (GBytes) present = travel_run_state (m.s);
        Place p = { m.present, 0, date_of (&m, m.present), m.ended, true, "", g_bytes_get_size (present) };
        g_snprintf (p.name, sizeof p.name, "hand %u", saved++);
        g_assert_true (travel_save (m.t, p.name, CHECKPOINT_BY_HAND, &error));
        put (&m, p);
      }
      g_string_append_printf (m.said, "%u: to %" G_GUINT64_FORMAT "\n", i, to.event);
      travelled (&m, &to, false, travel_to_event (m.t, to.event, &error));
      g_assert_no_error (error);
      assert_as_modelled (&m);
    }
    model_clear (&m);
  }
}

/* States that are kept while playing: after so many events since the last, and none of a program that is no longer; as
 * many as there is room for. */
static void
test_played (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = synthetic ("chosen", 20000);

  for (guint times = 0; times < 3; ++times) {
    bool mixed = times == 2;
    Session *s = open_session (trace, NULL);
    Travel *t = travel_new (s, &(TravelOptions){ .trace = 1, .plan = 1 });
    Strategy strategy;
    uint64_t since = 0, n = s->n_events;
    guint kept = 0;
    int more;

    g_assert_true (strategy_parse (times ? "events=700" : "none", &strategy));
    travel_set_strategy (t, &strategy);
    if (mixed) {
      g_assert_true (travel_to_event (t, 100, &error));
      travel_use_film (t, NULL, 1, 2);
      g_assert_true (travel_is_mixed (t));
    }
    g_assert_true (travel_is_exact (t) == false);
    drive_events (s, n - 10);
    do {
      uint64_t before = drive_given (s);
      g_assert_cmpuint (t->now.events_since, ==, since);
      int64_t worked = t->now.worked_ns, saving = t->now.saving_ns;
      more = travel_play_slice (t, false, 1, &error);
      since += drive_given (s) - before;
      g_assert_cmpfloat (t->now.done, ==, (double) drive_given (s) / (double) n);
      g_assert_cmpint (t->now.worked_ns, >, worked);
      if (since >= 700 && times == 1) {
        since = 0;
        g_assert_cmpuint (t->memory->len, ==, ++kept);
        const Kept *k = &g_array_index (t->memory, Kept, kept - 1);
        g_assert_cmpuint (k->what.event, ==, drive_given (s));
        g_assert_cmpint (k->what.date, ==, drive_date (s));
        g_assert_cmpint (k->what.kind, ==, CHECKPOINT_AUTOMATIC);
        g_assert_false (k->what.ended);
        g_assert_cmpint (t->now.last_cost_ns, >, 0);
        g_assert_cmpint (t->now.saving_ns, ==, saving + t->now.last_cost_ns);
        g_assert_cmpint (t->now.replay_since_ns, ==, 0);
      } else {
        g_assert_cmpint (t->now.saving_ns, ==, saving);
        g_assert_cmpint (t->now.replay_since_ns, >, 0);
      }
      g_assert_cmpuint (t->memory->len, ==, kept);
    } while (more > 0);
    g_assert_true (more == 0 && drive_given (s) == n - 10);
    g_assert_true (times != 1 || kept > 2); /* how much is played in one slice hangs on what else the machine does */
    if (times == 1) {
      g_autoptr (GBytes) one = travel_run_state (s);
      travel_set_memory (t, 4 * g_bytes_get_size (one));
      drive_reset (s);
      t->now = (StrategyNow){ 0 };
      drive_events (s, n - 10);
      while (travel_play_slice (t, false, 1, &error) > 0) {
        uint64_t bytes = 0;
        for (guint i = 0; i < t->memory->len; ++i)
          bytes += g_bytes_get_size (g_array_index (t->memory, Kept, i).bytes);
        g_assert_true (t->now.events_since || bytes <= t->o.memory_bytes); /* when one was kept */
      }
    }
    drive_reset (s); /* what was measured is believed by half, and for a quarter */
    travel_note_present (t, false);
    g_array_set_size (t->memory, 0);
    for (int again = 0; again < 2; ++again) {
      double rate = t->events_per_ns, restore = t->restore_ns;
      const TravelReport *r = travel_report (t);
      g_assert_true (travel_to_event (t, again ? 1000 : 9000, &error));
      g_assert_cmpuint (r->played, ==, again ? 1000 : 9000);
      g_assert_cmpint (r->play_ns, >, 0);
      g_assert_cmpfloat_with_epsilon (
          t->events_per_ns, again ? rate : (rate + (double) r->played / (double) r->play_ns) / 2, rate * 1e-9);
      g_assert_cmpfloat (t->restore_ns, ==, restore);
    }
    travel_keep_present (t, CHECKPOINT_TRAVEL);
    g_assert_cmpint (travel_report (t)->save_ns, >, 0);
    g_assert_true (travel_to_event (t, 0, &error));
    t->o.nearest = true;
    double restore = t->restore_ns;
    g_assert_true (travel_to_event (t, 1001, &error));
    g_assert_true (travel_report (t)->restored && travel_report (t)->restore_ns > 0);
    g_assert_cmpfloat_with_epsilon (t->restore_ns, (3 * restore + (double) travel_report (t)->restore_ns) / 4, 1e-3);
    travel_set_memory (t, 1); /* they can be given up */
    travel_thin (t, n);
    g_assert_cmpuint (t->memory->len, ==, 0);
    travel_free (t);
    session_free (s);
  }
}

/* ---- searches backwards --------------------------------------------------------------------------------------------- */

static bool
is_with (const Linear *l, uint64_t i, uint32_t a, uint32_t b)
{
  const TraceEvent *e = nth (l, i);
  const GArray *list = g_array_index (l->lists, GArray *, i);
  uint32_t other = e->task == a ? b : a;
  bool found = e->peer == other;

  if (e->task != a && e->task != b)
    return false;
  for (guint k = 0; k < list->len; ++k)
    found |= g_array_index (list, uint32_t, k) == other;
  return found;
}

/* The event with which each node got its state, after each number of events. */
static GArray **
read_states (Session *s, uint64_t n, uint32_t n_nodes)
{
  g_autoptr (GError) error = NULL;
  GArray **since = g_new0 (GArray *, n_nodes);
  g_autofree int64_t *state = g_new (int64_t, n_nodes);
  int attribute = state_attribute (s->graph->model, STATE_NODE, "State");

  for (uint32_t k = 0; k < n_nodes; ++k) {
    since[k] = g_array_sized_new (FALSE, TRUE, sizeof (uint64_t), (guint) n + 1);
    g_array_set_size (since[k], (guint) n + 1);
    state[k] = -1;
  }
  drive_reset (s);
  for (uint64_t i = 1; i <= n; ++i) {
    drive_events (s, i);
    g_assert_true (drive_run (s, NULL, NULL, NULL, NULL, &error));
    for (uint32_t k = 0; k < n_nodes; ++k) {
      uint32_t now;
      bool is = k < s->graph->n_nodes && state_value_of (s->graph, attribute, k, &now);
      uint64_t *to = &g_array_index (since[k], uint64_t, i);
      *to = to[-1];
      if (is && (int64_t) now != state[k]) {
        *to = i;
        state[k] = now;
      }
    }
  }
  return since;
}

/* From wherever, in a session that has states or none, and however the present was reached. */
static void
test_searched (void)
{
  static const char *const traces[] = { "ring", "farm", "philosophers" };

  for (guint k = 0; k < G_N_ELEMENTS (traces); ++k) {
    g_autoptr (GError) error = NULL;
    g_autofree char *trace = sample (traces[k]), *name = g_strdup_printf ("search-%u", k), *film = in_folder (name);
    Model m = model_new (trace, k);
    uint64_t n = m.l.events->len;
    uint32_t n_tasks, n_nodes;
    guint none = 0, some = 0;

    g_assert_true (session_go_end (m.reference, &error));
    n_nodes = m.reference->graph->n_nodes;
    n_tasks = m.reference->source->tasks->len;
    GArray **since = read_states (m.reference, n, n_nodes);
    shoot (trace, NULL, film, "events=60");
    open_travel (&m, k == 2 ? NULL : film);
    for (guint i = 0; i < 60; ++i) {
      uint64_t present = (uint64_t) g_rand_int_range (m.rand, 0, 40) * n / 39, goal = present;
      uint32_t a = (uint32_t) g_rand_int_range (m.rand, 0, (gint32) n_tasks),
               b = (uint32_t) g_rand_int_range (m.rand, 0, (gint32) n_tasks);
      bool at_end = present == n && g_rand_boolean (m.rand), moved = g_rand_int_range (m.rand, 0, 4) == 0, ok;
      int what = g_rand_int_range (m.rand, 0, 3);
      if (at_end)
        g_assert_true (travel_to_end (m.t, &error));
      else
        g_assert_true (travel_to_event (m.t, present, &error));
      if (moved && present + 2 <= n && !at_end) { /* by somebody else */
        g_assert_true (session_go_events (m.s, 2, &error));
        goal = present = present + 2;
      }
      bool exact = travel_is_exact (m.t);
      Hashes before = hashes (m.s);
      if (what == 0) {
        goal -= goal > 0;
        while (goal && nth (&m.l, goal - 1)->task != a)
          --goal;
        ok = travel_back_task (m.t, a, &error);
      } else if (what == 1) {
        goal -= goal > 0;
        while (goal && !is_with (&m.l, goal - 1, a, b))
          --goal;
        ok = travel_back_link (m.t, a, b, &error);
      } else {
        a = (uint32_t) g_rand_int_range (m.rand, 0, (gint32) n_nodes);
        goal = g_array_index (since[a], uint64_t, present);
        ok = travel_back_state (m.t, m.s->graph, a, &error);
      }
      g_test_message ("%s: %d from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, traces[k], what, present, goal);
      g_assert_true (ok == (goal > 0));
      if (ok) {
        ++some;
        g_assert_no_error (error);
        g_assert_cmpuint (travel_event (m.t), ==, goal);
        g_assert_true (travel_is_exact (m.t));
        g_assert_cmphex (hashes (m.s).state, ==, played_events (m.reference, goal).state);
      } else { /* nothing moved */
        ++none;
        g_assert_error (error, FILM_ERROR, FILM_ERROR_TARGET);
        g_clear_error (&error);
        assert_same (hashes (m.s), before);
        g_assert_true (travel_is_exact (m.t) == exact);
      }
    }
    g_assert_true (none > 0 && some > 10);
    for (uint32_t i = 0; i < n_nodes; ++i)
      g_array_unref (since[i]);
    g_free (since);
    model_clear (&m);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *components = places_components ();

  folder = g_dir_make_tmp ("scope-choice-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (problems);
  g_test_add_func ("/choice/modelled", test_modelled);
  g_test_add_func ("/choice/full", test_full);
  g_test_add_func ("/choice/played", test_played);
  g_test_add_func ("/choice/searched", test_searched);
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
