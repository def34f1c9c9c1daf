/* SPDX-License-Identifier: Apache-2.0 */
/* walk-test.c - anything that a person may do with time, in any order: what then is, and what views show, is that of
 * playing to the instant, in the same session and in one that is opened anew for it. */
#include <unistd.h>
#include "help.h"
#include "session/travel-private.h"

#define EVERY "events=40" /* of films: short samples have many checkpoints then */

/* What the views of a session show, as text; of one that cannot show it, why. */
static char *
shown (Session *s, int64_t at)
{
  GString *all = g_string_new (NULL);

  session_rest (s, at);
  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    const View *view = view_get (c);
    ViewScene scene = { .width_px = 800, .height_px = 500, .scale = 1, .from = s->first, .to = s->last, .at = at };
    g_autoptr (GError) why = NULL;
    if (!view || !view->csv)
      continue;
    g_string_append_printf (all, "--- %s\n", eve_name (c));
    if (!session_scene (s, c, &scene, &why) || !view->csv (c, &scene, all, &why))
      g_string_append (all, why ? why->message : "nothing");
  }
  return g_string_free (all, FALSE);
}

typedef enum { BY_EVENT, BY_DATE, BY_END } How;

typedef struct Walk {
  Session *s, *reference;
  Travel *t;
  Linear l;
  GRand *rand;
  How how; /* how the present was gone to: readers know, so who replays does the same */
  int64_t date;
  bool extra;        /* the program is the edited one */
  GHashTable *saved; /* name -> number of the event, of the program without and with */
  char *film[2];     /* folders */
  uint64_t plan[2], trace;
  guint steps;
  const char *trace_path, *with;
  guint every; /* so many steps are compared with a session opened anew, too */
} Walk;

/* Another component, which goes again: the program of before, to the bit. */
static void
toggle (Walk *w)
{
  g_autoptr (GError) error = NULL;
  Session *both[] = { w->s, w->reference };

  w->extra = !w->extra;
  for (guint i = 0; i < 2 && both[i]; ++i) {
    EveProgram *p = both[i]->program;
    if (w->extra)
      add_counter (both[i]);
    else {
      eve_remove (p, eve_find (p, "Extra"));
      session_refresh (both[i]);
    }
  }
  uint64_t trace, plan;
  g_autofree char *film = film_folder (w->s, &trace, &plan, &error);
  if (!w->film[w->extra]) {
    g_mkdir_with_parents (film, 0700);
    w->film[w->extra] = g_strdup (film);
    w->plan[w->extra] = plan;
  }
  g_assert_cmpstr (film, ==, w->film[w->extra]); /* there and back */
  travel_use_film (w->t, film, trace, plan);
}

/* Without the rows of those of whom there is nothing: who is known has a place, whether it is there or not yet. */
static char *
without_empty_rows (const char *shown)
{
  g_autoptr (GRegex) empty = g_regex_new ("^[^,\n]*,+\r?\n", G_REGEX_MULTILINE, 0, NULL);

  return g_regex_replace_literal (empty, shown, -1, 0, "", 0, NULL);
}

/* A session that knows nothing of what comes later shows the same. */
static void
assert_as_anew (Walk *w, const char *travelled, int64_t at)
{
  g_autoptr (GError) error = NULL;
  DriveListener deaf = { 0 };
  Session *s = open_session (w->trace_path, w->with);

  if (w->extra)
    add_counter (s);
  drive_listen (s, &deaf);
  if (w->how == BY_EVENT)
    drive_events (s, travel_event (w->t));
  else if (w->how == BY_DATE)
    drive_until (s, w->date);
  else
    drive_end (s);
  g_assert_true (drive_run (s, NULL, NULL, NULL, NULL, &error));
  g_autofree char *b = shown (s, at), *of_a = without_empty_rows (travelled), *of_b = without_empty_rows (b);
  g_assert_cmpstr (of_a, ==, of_b);
  session_free (s);
}

static void
assert_as_replayed (Walk *w)
{
  g_autoptr (GError) error = NULL;
  Session *r = w->reference;

  drive_reset (r);
  if (w->how == BY_EVENT)
    drive_events (r, travel_event (w->t));
  else if (w->how == BY_DATE)
    drive_until (r, w->date);
  else
    drive_end (r);
  g_assert_true (drive_run (r, NULL, NULL, NULL, NULL, &error));
  assert_same (hashes (w->s), hashes (r));
  int64_t at = MAX (travel_date (w->t), w->s->first);
  g_autofree char *a = shown (w->s, at), *b = shown (r, at);
  g_assert_cmpstr (a, ==, b);
  assert_same (hashes (w->s), hashes (r)); /* looking changes nothing */
  if (w->steps % w->every == 0)
    assert_as_anew (w, a, at);
}

static uint64_t
some (Walk *w, uint64_t below)
{
  return (uint64_t) (g_rand_double (w->rand) * (double) below);
}

/* One thing that a person may do. */
static void
step (Walk *w)
{
  g_autoptr (GError) error = NULL;
  Travel *t = w->t;
  uint64_t present = travel_event (t), n = w->l.events->len, goal = present;
  int64_t date = w->s->first - 1 + (int64_t) some (w, (uint64_t) (w->s->last - w->s->first + 2));
  bool ended = eve_program_ended (w->s->program), mixed = travel_is_mixed (t);
  int what = g_rand_int_range (w->rand, 0, 14);

  if (what >= 11 && (mixed || ended)) /* one plays on from what is of this program */
    what = 0;
  g_test_message ("%u: %d at %" G_GUINT64_FORMAT, w->steps++, what, present);
  w->how = BY_EVENT;
  switch (what) {
  case 0:
  case 1:
    goal = what ? present + some (w, 20) : some (w, n + 1);
    goal = MIN (goal, n);
    g_assert_true (travel_to_event (t, goal, &error));
    break;
  case 2:
    w->how = BY_DATE;
    w->date = date;
    goal = events_by (&w->l, date);
    g_assert_true (travel_to_date (t, date, &error));
    break;
  case 3:
    w->how = BY_END;
    goal = n;
    g_assert_true (travel_to_end (t, &error));
    break;
  case 4:
    goal = present ? present - 1 : 0;
    g_assert_true (travel_back_event (t, &error) == (present > 0));
    g_clear_error (&error); /* from the beginning there is no back */
    g_assert_true (travel_to_event (t, goal, &error));
    break;
  case 5: {
    int64_t now = travel_date (t);
    w->how = BY_DATE;
    w->date = now == INT64_MIN ? now : now - 1;
    goal = now == INT64_MIN ? 0 : events_by (&w->l, now - 1);
    g_assert_true (travel_back_date (t, &error) == (now > INT64_MIN));
    g_clear_error (&error);
    if (now == INT64_MIN) {
      w->how = BY_EVENT;
      g_assert_true (travel_to_event (t, 0, &error));
    }
    break;
  }
  case 6: { /* back to a task's event */
    uint32_t task = nth (&w->l, some (w, n))->task;
    goal = present ? present - 1 : 0;
    while (goal && nth (&w->l, goal - 1)->task != task)
      --goal;
    g_assert_true (travel_back_task (t, task, &error) == (goal > 0));
    g_clear_error (&error);
    if (!goal) {
      goal = present;
      g_assert_true (travel_to_event (t, present, &error));
    }
    break;
  }
  case 7: { /* saved, or worked out and saved; found again by name, in the same program alone */
    g_autofree char *name = g_strdup_printf ("%d-%" G_GUINT64_FORMAT, w->extra, present);
    g_assert_true (travel_to_event (t, present, &error));
    g_assert_true (travel_save (t, name, CHECKPOINT_BY_HAND, &error));
    g_hash_table_replace (w->saved, g_steal_pointer (&name), GUINT_TO_POINTER (present));
    break;
  }
  case 8: {
    GHashTableIter i;
    gpointer key, value;
    g_hash_table_iter_init (&i, w->saved);
    g_assert_true (travel_to_event (t, present, NULL));
    while (g_hash_table_iter_next (&i, &key, &value)) {
      bool ours = *(const char *) key == '0' + w->extra;
      g_assert_true (travel_to_checkpoint (t, key, &error) == ours);
      g_clear_error (&error);
      if (ours)
        goal = GPOINTER_TO_UINT (value);
    }
    break;
  }
  case 9: /* given up on the way for something else */
    goal = some (w, n + 1);
    travel_begin_date (t, date, true);
    for (int slices = g_rand_int_range (w->rand, 0, 4); slices > 0 && travel_go_on (t, 0, &error) > 0; --slices)
      ;
    travel_begin_event (t, goal, true);
    while (travel_go_on (t, 0, &error) > 0)
      ;
    break;
  case 10: /* edited, or back, and worked out anew */
    toggle (w);
    g_assert_true (travel_to_event (t, present, &error));
    break;
  case 11:
    g_assert_true (travel_prepare (t, &error));
    g_assert_true (travel_to_event (t, present, &error));
    break;
  case 12: { /* plays on */
    w->how = BY_DATE;
    w->date = MAX (date, travel_date (t) == INT64_MIN ? w->s->first - 1 : travel_date (t));
    goal = MAX (present, events_by (&w->l, w->date));
    g_assert_true (travel_play_until (t, w->date, false, &error));
    break;
  }
  default:
    goal = present + some (w, 200);
    goal = MIN (goal, n);
    drive_events (w->s, goal);
    while (travel_play_slice (t, false, 0, &error) > 0)
      ;
  }
  g_assert_no_error (error);
  if (travel_is_mixed (t)) /* nothing was given when it was edited */
    g_assert_true (travel_to_event (t, goal, &error));
  g_assert_cmpuint (travel_event (t), ==, goal);
  const TravelReport *r = travel_report (t);
  g_test_message ("  to %" G_GUINT64_FORMAT " from %" G_GUINT64_FORMAT "%s, played %" G_GUINT64_FORMAT "%s", goal,
                  r->from_event, r->restored ? r->from_film ? " of the film" : " of memory" : "", r->played,
                  eve_program_ended (w->s->program) ? ", ended" : "");
  assert_as_replayed (w);
}

/* Nothing is damaged: each state that was saved is understood. */
static void
nothing_to_say (void *arg, TravelOf of, const char *sentence)
{
  g_error ("%s", sentence);
}

/* ---- through long traces ----------------------------------------------------------------------------------------------- */
/* Playing from the beginning after each travel takes as long as the trace times the travels.  Here instants are drawn
 * by lot first, what is there is found by playing past all of them once, without and with the component that is added,
 * and each travel goes to one of them. */

typedef struct Instant {
  How how;
  uint64_t goal;
  int64_t date;               /* BY_DATE */
  uint64_t h[2][3];           /* state, run, given: of the program without and with */
  uint32_t task;              /* of the last event before it */
  int before, before_of_task; /* the instants one event, one date or one event of that task earlier; -1: none */
} Instant;

enum { N_LOTS = 60 };

static int
add_instant (GArray *to, How how, uint64_t goal, int64_t date)
{
  Instant one = { .how = how, .goal = goal, .date = date, .before = -1, .before_of_task = -1, .task = TRACE_NONE };

  g_array_append_val (to, one);
  return (int) to->len - 1;
}

static uint64_t
given_by (const GArray *dates, int64_t date)
{
  uint64_t low = 0, high = dates->len;

  while (low < high) {
    uint64_t mid = (low + high) / 2;
    if (g_array_index (dates, int64_t, mid) <= date)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static GArray *
draw_instants (const char *trace, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  TraceSource *source = trace_open (trace, NULL, NULL, &error);
  g_autoptr (GArray) dates = g_array_new (FALSE, FALSE, sizeof (int64_t)),
                     tasks = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Instant));
  TraceEvent e;

  g_assert_no_error (error);
  while (trace_next (source, &e, 1, &error) == 1) {
    g_array_append_val (dates, e.date);
    g_array_append_val (tasks, e.task);
  }
  g_assert_no_error (error);
  int64_t first = source->first;
  trace_close (source);
  add_instant (all, BY_EVENT, 0, 0);
  add_instant (all, BY_END, dates->len, 0);
  for (int i = 0; i < N_LOTS; ++i) {
    uint64_t goal = 1 + (uint64_t) (g_rand_double (rand) * (double) dates->len), back = goal - 1;
    int64_t date = g_array_index (dates, int64_t, goal - 1);
    uint32_t task = g_array_index (tasks, uint32_t, goal - 1);
    while (back && g_array_index (tasks, uint32_t, back - 1) != task)
      --back;
    int before = add_instant (all, BY_EVENT, goal - 1, 0), of_task = back ? add_instant (all, BY_EVENT, back, 0) : -1;
    int here = add_instant (all, BY_EVENT, goal, 0);
    Instant *one = &g_array_index (all, Instant, here);
    one->before = before;
    one->before_of_task = of_task;
    one->task = task;
    before = date > first ? add_instant (all, BY_DATE, given_by (dates, date - 1), date - 1) : -1;
    here = add_instant (all, BY_DATE, given_by (dates, date), date);
    g_array_index (all, Instant, here).before = before;
  }
  return all;
}

static int
by_place (gconstpointer a, gconstpointer b, gpointer all)
{
  const Instant *x = &g_array_index ((GArray *) all, Instant, *(const int *) a),
                *y = &g_array_index ((GArray *) all, Instant, *(const int *) b);

  return x->how != y->how     ? (int) x->how - (int) y->how
         : x->goal != y->goal ? (x->goal < y->goal ? -1 : 1)
                              : (x->date > y->date) - (x->date < y->date);
}

/* Plays past all instants: by events from the beginning, then by dates, then to the end. */
static void
play_past (Walk *w, GArray *all)
{
  g_autofree int *order = g_new (int, all->len);

  for (guint i = 0; i < all->len; ++i)
    order[i] = (int) i;
  g_qsort_with_data (order, (int) all->len, sizeof *order, by_place, all);
  for (int with = 0; with < 2; ++with) {
    Session *r = open_session (w->trace_path, w->with);
    DriveListener deaf = { 0 };
    int how = -1;
    if (with)
      add_counter (r);
    drive_listen (r, &deaf);
    for (guint i = 0; i < all->len; ++i) {
      Instant *one = &g_array_index (all, Instant, order[i]);
      if ((int) one->how != how)
        drive_reset (r);
      how = (int) one->how;
      if (one->how == BY_EVENT)
        drive_events (r, one->goal);
      else if (one->how == BY_DATE)
        drive_until (r, one->date);
      else
        drive_end (r);
      Hashes h = played (r);
      g_assert_cmpuint (h.given, ==, one->goal);
      memcpy (one->h[with], (uint64_t[]){ h.state, h.run, h.given }, sizeof one->h[with]);
    }
    session_free (r);
  }
}

static void
assert_at (Walk *w, const Instant *one)
{
  Hashes h = hashes (w->s);

  g_assert_cmpuint (travel_event (w->t), ==, one->goal);
  g_assert_cmpuint (h.given, ==, one->h[w->extra][2]);
  g_assert_cmphex (h.state, ==, one->h[w->extra][0]);
  g_assert_cmphex (h.run, ==, one->h[w->extra][1]);
}

static void
go_to (Walk *w, const Instant *one, bool in_slices)
{
  g_autoptr (GError) error = NULL;

  if (!in_slices)
    g_assert_true (one->how == BY_EVENT  ? travel_to_event (w->t, one->goal, &error)
                   : one->how == BY_DATE ? travel_to_date (w->t, one->date, &error)
                                         : travel_to_end (w->t, &error));
  else {
    if (one->how == BY_EVENT)
      travel_begin_event (w->t, one->goal, g_rand_boolean (w->rand));
    else if (one->how == BY_DATE)
      travel_begin_date (w->t, one->date, g_rand_boolean (w->rand));
    else
      travel_begin_end (w->t);
    while (travel_go_on (w->t, 2000000, &error) > 0)
      ;
  }
  g_assert_no_error (error);
}

static const Instant *
any (Walk *w, const GArray *all)
{
  return &g_array_index (all, Instant, some (w, all->len));
}

/* One travel to an instant that is known, and one more from it for some. */
static void
known_step (Walk *w, const GArray *all)
{
  g_autoptr (GError) error = NULL;
  const Instant *one = any (w, all), *other = any (w, all);
  int what = g_rand_int_range (w->rand, 0, 12);

  g_test_message ("%u: %d at %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, w->steps++, what, travel_event (w->t),
                  one->goal);
  if (what == 0)
    toggle (w);
  else if (what == 1) { /* given up on the way for this one */
    travel_begin_date (w->t, other->date, true);
    for (int slices = g_rand_int_range (w->rand, 0, 4); slices > 0 && travel_go_on (w->t, 0, &error) > 0; --slices)
      ;
  }
  go_to (w, one, what == 1 || what == 2);
  assert_at (w, one);
  if (what == 3)
    g_assert_true (travel_prepare (w->t, &error));
  if (what <= 5 && one->before >= 0) {
    g_assert_true (one->how == BY_EVENT ? travel_back_event (w->t, &error) : travel_back_date (w->t, &error));
    assert_at (w, &g_array_index (all, Instant, one->before));
  } else if (what == 6 && one->before_of_task >= 0) {
    g_assert_true (travel_back_task (w->t, one->task, &error));
    assert_at (w, &g_array_index (all, Instant, one->before_of_task));
  } else if (what == 7) { /* saved, away, and back by name */
    g_autofree char *name = g_strdup_printf ("of %u", w->steps);
    g_assert_true (travel_save (w->t, name, CHECKPOINT_BY_HAND, &error));
    go_to (w, other, false);
    assert_at (w, other);
    g_assert_true (travel_to_checkpoint (w->t, name, &error));
    g_assert_cmpuint (travel_event (w->t), ==, one->goal);
  } else if (what >= 8 && one->how == BY_DATE && other->how == BY_DATE && other->date >= one->date) { /* plays on */
    g_assert_true (travel_play_until (w->t, other->date, false, &error));
    assert_at (w, other);
  } else if (what >= 8 && one->how == BY_EVENT && other->how == BY_EVENT && other->goal >= one->goal
             && !eve_program_ended (w->s->program)) { /* plays on in slices, as a window does */
    drive_events (w->s, other->goal);
    while (travel_play_slice (w->t, false, 2000000, &error) > 0)
      ;
    assert_at (w, other);
  }
  g_assert_no_error (error);
}

/* So many steps, or for so many seconds if that is not 0.  Of as many as `every` says one is compared with a session
 * that is opened anew. */
static void
walk (const char *trace, const char *with, const char *strategy, guint32 seed, guint steps, double seconds, guint every,
      bool known)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GTimer) timer = g_timer_new ();
  Walk w = { .s = open_session (trace, with),
             .reference = known ? NULL : open_session (trace, with),
             .l = known ? (Linear){ 0 } : read_linear (trace),
             .trace_path = trace,
             .with = with,
             .every = every };
  TravelOptions o = { .nearest = seed % 2, .say = nothing_to_say };
  g_autoptr (GArray) instants = NULL;
  DriveListener deaf = { 0 };

  w.rand = g_rand_new_with_seed (seed);
  w.saved = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_assert_true (strategy_parse (strategy, &o.strategy));
  if (known)
    play_past (&w, instants = draw_instants (trace, w.rand));
  else
    drive_listen (w.reference, &deaf);
  w.film[0] = film_folder (w.s, &w.trace, &w.plan[0], &error);
  g_autofree char *every_nth = g_strdup_printf ("events=%" G_GUINT64_FORMAT, MAX (w.s->source->n_events / 300, 40));
  shoot (trace, with, w.film[0], known ? every_nth : EVERY);
  o.film = w.film[0];
  o.trace = w.trace;
  o.plan = w.plan[0];
  w.t = travel_new (w.s, &o);
  g_autoptr (GBytes) one = travel_run_state (w.s);
  travel_set_memory (w.t, g_bytes_get_size (one) * (seed % 3 ? 200 : 8)); /* room for many states, or for few */
  while (seconds > 0 ? g_timer_elapsed (timer, NULL) < seconds : w.steps < steps)
    if (known)
      known_step (&w, instants);
    else
      step (&w);
  g_test_message ("%s: %u steps, seed %u", trace, w.steps, seed);
  travel_free (w.t);
  session_free (w.s);
  if (!known) {
    session_free (w.reference);
    linear_clear (&w.l);
  }
  g_rand_free (w.rand);
  g_hash_table_unref (w.saved);
  for (guint i = 0; i < 2; ++i)
    if (w.film[i])
      places_remove (w.film[i], NULL);
  g_free (w.film[0]);
  g_free (w.film[1]);
}

static void
count_told (void *n, const char *sentence)
{
  ++*(guint *) n;
}

/* A part that is asked for on the way is added whether the way is gone at once or in slices; before it was asked for,
 * it is not. */
static void
test_parts (void)
{
  static const char *const set[] = { "Watch.max=0.001", NULL };
  g_autofree char *trace = sample ("farm"), *closer = g_strdup ("look-closer");
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  SessionOptions o = { .trace = trace, .program = closer, .set = set };
  guint n_with = 0;

  for (int round = 0; round < 12; ++round) {
    g_autoptr (GError) error = NULL;
    Session *at_once = session_open (&o, &error), *in_slices = session_open (&o, &error);
    g_assert_no_error (error);
    Travel *a = travel_with (at_once, NULL, NULL), *b = travel_with (in_slices, NULL, NULL);
    uint64_t goal = (uint64_t) g_rand_int_range (rand, 0, round % 2 ? 300 : (gint32) at_once->source->n_events + 1);
    guint before = eve_n_components (at_once->program), told[2] = { 0 };
    g_assert_true (travel_to_event (a, goal, &error));
    travel_begin_event (b, goal, round % 3 == 0);
    while (travel_go_on (b, 0, &error) > 0)
      ;
    g_assert_no_error (error);
    g_assert_true (travel_extend (a, count_told, &told[0], &error));
    g_assert_true (travel_extend (b, count_told, &told[1], &error));
    bool with = goal >= 111; /* the first long wait ends there */
    n_with += with;
    g_assert_cmpuint (told[0], ==, with ? 1 : 0);
    g_assert_cmpuint (told[1], ==, told[0]);
    g_assert_true ((eve_n_components (at_once->program) > before) == with);
    g_assert_cmpuint (eve_n_components (in_slices->program), ==, eve_n_components (at_once->program));
    g_assert_cmpuint (travel_event (b), ==, goal);
    assert_same (hashes (in_slices), hashes (at_once));
    travel_free (a);
    travel_free (b);
    session_free (at_once);
    session_free (in_slices);
  }
  g_assert_cmpuint (n_with, >, 2);
  g_assert_cmpuint (n_with, <, 12);
}

/* What is gone is decided by the seed, not by the speed of the machine, unless SCOPE_TRAVEL_SECONDS says how long all
 * together last; SCOPE_TRAVEL_SEED: to begin with; SCOPE_TRAVEL_TRACE and SCOPE_TRAVEL_PROGRAM: through that trace
 * alone, SCOPE_TRAVEL_STEPS of them; SCOPE_TRAVEL_KNOWN: to instants that were played past before. */
static void
test_walks (void)
{
  static const struct {
    const char *trace, *program, *strategy;
    guint steps;
  } walks[] = {
    { "ring", "waiting-times", "events=100", 300 },    { "philosophers", "views", "events=50", 16 },
    { "farm", "load-balance", "none", 160 },           { "farm-alt", "calls", "events=1", 100 },
    { "heat2d", "calls", "events=500", 200 },          { NULL, "traffic", "events=2000", 32 },
    { "mpi-stencil.otf2", "waits", "events=100", 50 },
  };
  const char *seconds = g_getenv ("SCOPE_TRAVEL_SECONDS"), *seed = g_getenv ("SCOPE_TRAVEL_SEED");
  double each = (seconds ? g_ascii_strtod (seconds, NULL) : 0) / G_N_ELEMENTS (walks);

  if (g_getenv ("SCOPE_TRAVEL_TRACE")) {
    const char *steps = g_getenv ("SCOPE_TRAVEL_STEPS");
    guint n = steps ? (guint) g_ascii_strtoull (steps, NULL, 10) : 40;
    walk (g_getenv ("SCOPE_TRAVEL_TRACE"), g_getenv ("SCOPE_TRAVEL_PROGRAM"), "events=97",
          seed ? (guint32) g_ascii_strtoull (seed, NULL, 10) : 1, n, seconds ? g_ascii_strtod (seconds, NULL) : 0,
          MAX (n / 40, 1), g_getenv ("SCOPE_TRAVEL_KNOWN") != NULL);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (walks); ++i) {
    const char *name = walks[i].trace;
    g_autofree char *trace = !name                ? synthetic ("walked", 6000)
                             : strchr (name, '.') ? g_build_filename (SCOPE_SOURCE_DIR, "traces", name, NULL)
                                                  : sample (name);
    if (name && g_str_has_suffix (name, ".otf2") && !eve_registry_find ("scope.otf2-reader"))
      continue; /* built without the library */
    walk (trace, walks[i].program, walks[i].strategy, (seed ? (guint32) g_ascii_strtoull (seed, NULL, 10) : 1) + i,
          (guint) few ((int) walks[i].steps), each, 16, false);
  }
}

/* What is there at an instant is the same whatever other sessions are open beside it: those that were played past are.
 */
static void
test_known (void)
{
  g_autofree char *rendezvous = sample ("farm-alt"), *messages = sample ("ring"), *spawned = sample ("services");

  walk (rendezvous, "default", "none", 1, (guint) few (200), 0, 1, true);
  walk (messages, "waiting-times", "events=100", 2, (guint) few (200), 0, 1, true);
  walk (spawned, "waits", "none", 1, (guint) few (200), 0, 1,
        true); /* of tasks that are spoken of before their birth */
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *components = places_components ();

  folder = g_dir_make_tmp ("scope-walk-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (problems);
  g_test_add_func ("/parts", test_parts);
  g_test_add_func ("/walks", test_walks);
  g_test_add_func ("/known", test_known);
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
