/* SPDX-License-Identifier: Apache-2.0 */
#include "session/travel-private.h"
#include "eve/words.h"
#include <string.h>
#include <time.h>
#include "session/film.h"

#define MEMORY_BYTES (UINT64_C (64) << 20)
#define NEAR_NS (INT64_C (5) * 1000000)  /* a state is kept this far behind the present, for steps back */
#define SKIP_NS (INT64_C (20) * 1000000) /* none is made if playing from the restored one takes no longer */
#define SLICE_NS (10 * 1000000)

static int64_t
travel_now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Files of saved states are opened again with each film, and nobody mends them: what is wrong there is told once. */
static void
travel_say (const Travel *t, TravelOf of, const char *sentence)
{
  if (t->o.say && (of == TRAVEL_OF_FILM || g_hash_table_add (t->told, g_strdup (sentence))))
    t->o.say (t->o.arg, of, sentence);
}

static void
kept_clear (void *kept)
{
  g_bytes_unref (((Kept *) kept)->bytes);
}

/* ---- the present ---------------------------------------------------------------------------------------------------- */

static uint64_t
firings (const Session *s)
{
  uint64_t n = 0;

  for (uint32_t i = 0; i < eve_n_components (s->program); ++i)
    n += eve_component_firings (eve_component (s->program, i));
  return n;
}

void
travel_note_present (Travel *t, bool exact)
{
  t->exact = exact && !t->mixed;
  t->seen_serial = eve_program_serial (t->s->program);
  t->seen_given = drive_given (t->s);
  t->seen_firings = firings (t->s);
}

bool
travel_is_exact (const Travel *t)
{
  return t->exact && t->seen_serial == eve_program_serial (t->s->program) && t->seen_given == drive_given (t->s)
         && t->seen_firings == firings (t->s);
}

void
travel_set_memory (Travel *t, uint64_t bytes)
{
  t->o.memory_bytes = bytes ? bytes : MEMORY_BYTES;
}

uint64_t
travel_event (const Travel *t)
{
  return drive_given (t->s);
}

int64_t
travel_date (const Travel *t)
{
  return drive_date (t->s);
}

bool
travel_is_mixed (const Travel *t)
{
  return t->mixed;
}

const TravelReport *
travel_report (const Travel *t)
{
  return &t->report;
}

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

static Checkpoints *
travel_open_file (Travel *t, const char *name, TravelOf of)
{
  bool of_film = of == TRAVEL_OF_FILM;
  g_autofree char *path = g_build_filename (of_film ? t->film_folder : t->hand_folder, name, NULL);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  g_autoptr (GError) why = NULL;
  Checkpoints *c = of_film ? checkpoints_open_parts (path, t->o.plan, t->o.trace, t->parts, problems, &why)
                           : checkpoints_open (path, t->o.plan, t->o.trace, false, problems, &why);
  for (guint i = 0; i < problems->len; ++i)
    travel_say (t, of, problems->pdata[i]);
  if (why)
    travel_say (t, of, why->message);
  return c;
}

void
travel_use_film (Travel *t, const char *folder, uint64_t trace, uint64_t plan)
{
  char *own = g_strdup (folder);

  g_clear_pointer (&t->film, checkpoints_free);
  g_clear_pointer (&t->hand, checkpoints_free);
  drive_listen (t->s, &t->listener); /* the controller may be another box by now */
  if (plan != t->o.plan || trace != t->o.trace) {
    travel_hand_leave (t);
    travel_parts_forget (t);
    g_array_set_size (t->memory, 0); /* states of another program would be wrong in this one */
    t->mixed |= drive_given (t->s) > 0 || t->seen_given > 0;
    t->exact = false;
  }
  g_free (t->film_folder);
  t->film_folder = own;
  g_free (t->hand_folder);
  t->hand_folder = own ? film_folder_of (own, plan) : NULL;
  parts_free (t->parts);
  t->parts = own ? parts_new (t->s) : NULL;
  g_autofree char *unread = film_schema_read (own, t->s);
  if (unread)
    travel_say (t, TRAVEL_OF_FILM, unread);
  t->o.trace = trace;
  t->o.plan = plan;
  if (folder) {
    t->film = travel_open_file (t, "checkpoints", TRAVEL_OF_FILM);
    t->hand = travel_open_file (t, FILM_BY_HAND, TRAVEL_OF_SAVED);
    film_touch (folder);
  }
  travel_hand_come (t);
}

Travel *
travel_new (Session *s, const TravelOptions *options)
{
  Travel *t = g_new0 (Travel, 1);

  t->s = s;
  t->o = *options;
  t->o.film = NULL;
  if (!t->o.memory_bytes)
    t->o.memory_bytes = MEMORY_BYTES;
  t->memory = g_array_new (FALSE, TRUE, sizeof (Kept));
  g_array_set_clear_func (t->memory, kept_clear);
  t->told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  travel_parts_new (t);
  travel_hand_new (t);
  t->listener.heard = drive_heard_new ();
  t->events_per_ns = 0.003;
  t->restore_ns = 10e6;
  travel_use_film (t, options->film, options->trace, options->plan);
  travel_note_present (t, false);
  return t;
}

void
travel_free (Travel *t)
{
  if (!t)
    return;
  drive_listen (t->s, NULL);
  checkpoints_free (t->film);
  checkpoints_free (t->hand);
  g_array_unref (t->memory);
  travel_hand_free (t);
  g_array_unref (t->ordered);
  g_hash_table_unref (t->told);
  g_array_unref (t->listener.heard);
  g_free (t->film_folder);
  g_free (t->hand_folder);
  parts_free (t->parts);
  g_free (t);
}

/* ---- memory ----------------------------------------------------------------------------------------------------------- */

static StrategyPlace *
memory_places (const Travel *t)
{
  StrategyPlace *places = g_new0 (StrategyPlace, t->memory->len + 1);

  for (guint i = 0; i < t->memory->len; ++i) {
    const Kept *k = &g_array_index (t->memory, Kept, i);
    places[i] = (StrategyPlace){ k->what.event, k->what.uses, g_bytes_get_size (k->bytes),
                                 k->what.kind == CHECKPOINT_BY_HAND };
  }
  return places;
}

void
travel_thin (Travel *t, uint64_t present)
{
  for (;;) {
    g_autofree StrategyPlace *places = memory_places (t);
    int drop = strategy_thin (places, t->memory->len, present, t->o.memory_bytes);
    if (drop < 0)
      return;
    g_array_remove_index (t->memory, (guint) drop);
  }
}

/* Whether both were saved by hand, under two names: then both are wanted. */
static bool
are_two (const Checkpoint *a, const Checkpoint *b)
{
  return a->kind == CHECKPOINT_BY_HAND && b->kind == CHECKPOINT_BY_HAND && strcmp (a->name, b->name) != 0;
}

void
travel_keep (Travel *t, const Checkpoint *what, GBytes *bytes)
{
  Kept k = { *what, bytes, eve_program_serial (t->s->program) };
  guint i = t->memory->len;

  while (i && g_array_index (t->memory, Kept, i - 1).what.event >= what->event) {
    Kept *old = &g_array_index (t->memory, Kept, --i);
    if (old->what.event == what->event && old->what.ended == what->ended && !are_two (&old->what, what)) {
      k.what.uses = old->what.uses;
      if (old->what.kind == CHECKPOINT_BY_HAND) {
        k.what.kind = old->what.kind;
        memcpy (k.what.name, old->what.name, sizeof k.what.name);
      }
      g_array_remove_index (t->memory, i);
    }
  }
  i = 0;
  while (i < t->memory->len && g_array_index (t->memory, Kept, i).what.event <= what->event)
    ++i;
  g_array_insert_val (t->memory, i, k);
}

GBytes *
travel_run_state (const Session *s)
{
  EveBlob *blob = eve_blob_new ();
  size_t n;

  eve_program_save_run (s->program, blob);
  const uint8_t *bytes = eve_blob_data (blob, &n);
  return g_bytes_new_with_free_func (bytes, n, (GDestroyNotify) eve_blob_free, blob);
}

Checkpoint
travel_describe_present (const Travel *t, CheckpointKind kind, const char *name)
{
  Checkpoint c = { .event = drive_given (t->s),
                   .date = drive_date (t->s),
                   .kind = kind,
                   .when_us = g_get_real_time (),
                   .ended = drive_ended (t->s) };

  g_strlcpy (c.name, name ? name : "", sizeof c.name);
  return c;
}

void
travel_keep_present (Travel *t, CheckpointKind kind)
{
  int64_t begun = travel_now_ns ();

  if (t->mixed) /* the program was changed on the way: what a box holds that came then counted from the middle */
    return;
  Checkpoint what = travel_describe_present (t, kind, NULL);

  travel_keep (t, &what, travel_run_state (t->s));
  t->report.save_ns += travel_now_ns () - begun;
}

/* ---- choosing where to start ---------------------------------------------------------------------------------------------- */

/* A state may be played on to the target: nothing in it lies beyond. */
static bool
serves (const Checkpoint *c, const Target *to, const Session *s)
{
  switch (to->kind) {
  case TO_END:
    return true;
  case TO_EVENT:
    return c->event <= to->event && !c->ended;
  default:
    return c->date <= to->date && (!c->ended || to->date >= s->last);
  }
}

static void
consider (const Travel *t, Start *best, StartKind kind, guint i, const Checkpoint *c, const Target *to, uint64_t about)
{
  if (!serves (c, to, t->s))
    return;
  double events = about > c->event ? (double) (about - c->event) : 0;
  double cost = events / t->events_per_ns + (kind == START_PRESENT || t->o.nearest ? 0 : t->restore_ns);
  if (cost < best->cost_ns)
    *best = (Start){ kind, i, c->event, cost };
}

/* The number of events by a date, roughly; what is needed is the order of costs only. */
static uint64_t
about_event (const Travel *t, const Target *to)
{
  const Session *s = t->s;
  uint64_t e0 = 0, e1 = s->n_events;
  int64_t d0 = s->first, d1 = s->last;

  if (to->kind == TO_EVENT)
    return to->event;
  if (to->kind == TO_END || to->date >= d1)
    return e1;
  for (guint i = 0; t->film && i < checkpoints_n (t->film); ++i) {
    const Checkpoint *c = checkpoints_nth (t->film, i);
    if (c->date > to->date) {
      e1 = c->event;
      d1 = c->date;
      break;
    }
    e0 = c->event;
    d0 = c->date;
  }
  return to->date <= d0 || d1 <= d0
             ? e0
             : e0 + (uint64_t) ((double) (e1 - e0) * ((double) (to->date - d0) / (double) (d1 - d0)));
}

static Start
travel_choose (Travel *t, const Target *to)
{
  uint64_t about = about_event (t, to);
  Start best = { START_BEGINNING, 0, 0, (double) about / t->events_per_ns };
  Checkpoint present = travel_describe_present (t, CHECKPOINT_TRAVEL, NULL);

  if (travel_is_exact (t))
    consider (t, &best, START_PRESENT, 0, &present, to, about);
  for (guint i = 0; i < t->memory->len; ++i) {
    const Kept *k = &g_array_index (t->memory, Kept, i);
    if (k->serial == eve_program_serial (t->s->program) || k->what.kind == CHECKPOINT_BY_HAND)
      consider (t, &best, START_MEMORY, i, &k->what, to, about);
  }
  for (guint i = 0; t->film && i < checkpoints_n (t->film); ++i)
    consider (t, &best, START_FILM, i, checkpoints_nth (t->film, i), to, about);
  for (guint i = 0; t->hand && i < checkpoints_n (t->hand); ++i)
    consider (t, &best, START_HAND, i, checkpoints_nth (t->hand, i), to, about);
  return best;
}

/* ---- restoring ------------------------------------------------------------------------------------------------------------ */

/* One that another program has saved. */
static bool
travel_load_parts (Travel *t, GBytes *bytes, char **why)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  const void *data = g_bytes_get_data (bytes, &n);

  eve_program_clear_failure (t->s->program);
  if (parts_load (t->s, data, n, &error) && !eve_program_failure (t->s->program, NULL))
    return true;
  *why = g_strdup (error ? error->message : eve_program_failure (t->s->program, NULL));
  eve_program_clear_failure (t->s->program);
  return false;
}

bool
travel_load (Travel *t, GBytes *bytes, char **why)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  gsize n;
  const void *data = g_bytes_get_data (bytes, &n);

  eve_program_clear_failure (t->s->program);
  if (eve_program_load_run (t->s->program, data, n, problems, &error) && !problems->len
      && !eve_program_failure (t->s->program, NULL))
    return true;
  /* A component without its state would show something that never was. */
  *why = g_strdup (error           ? error->message
                   : problems->len ? (char *) problems->pdata[0]
                                   : eve_program_failure (t->s->program, NULL));
  eve_program_clear_failure (t->s->program);
  return false;
}

/* Puts the program where the start says; false: that one cannot be used and is known no more. */
bool
travel_begin_at (Travel *t, const Start *start)
{
  int64_t begun = travel_now_ns ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;
  Checkpoints *file = start->kind == START_FILM ? t->film : t->hand;
  TravelOf of = start->kind == START_FILM ? TRAVEL_OF_FILM : TRAVEL_OF_SAVED;
  Checkpoint what = { 0 };

  t->report.restored = t->report.from_film = false;
  t->report.from_event = start->event;
  switch (start->kind) {
  case START_PRESENT:
    return true;
  case START_BEGINNING:
    eve_program_clear_failure (t->s->program);
    drive_reset (t->s);
    t->mixed = false;
    return true;
  case START_MEMORY:
    bytes = g_bytes_ref (g_array_index (t->memory, Kept, start->i).bytes);
    break;
  default:
    what = *checkpoints_nth (file, start->i);
    bytes = checkpoints_read (file, start->i, &error);
    if (!bytes) {
      travel_say (t, of, error->message);
      return false;
    }
    checkpoints_nth (file, start->i)->uses++;
  }
  if (what.of_another ? !travel_load_parts (t, bytes, &why) : !travel_load (t, bytes, &why)) {
    g_autofree char *sentence = g_strdup_printf (_ ("the checkpoint of event %" PRIu64 " is not used: %s"),
                                                 start->event, why);
    travel_say (t, of, sentence);
    if (start->kind == START_MEMORY)
      g_array_remove_index (t->memory, start->i);
    else
      checkpoints_forget (file, start->i);
    return false;
  }
  if (start->kind == START_MEMORY)
    g_array_index (t->memory, Kept, start->i).what.uses++;
  else
    travel_keep (t, &what, what.of_another ? travel_run_state (t->s) : g_steal_pointer (&bytes));
  /* in memory from now on: steps back will want it */
  t->mixed = false;
  t->report.restored = true;
  t->report.from_film = start->kind == START_FILM;
  t->report.restore_ns = travel_now_ns () - begun;
  if (!t->given_speed)
    t->restore_ns = 0.75 * t->restore_ns + 0.25 * (double) t->report.restore_ns;
  return true;
}

/* ---- travelling ------------------------------------------------------------------------------------------------------------ */

typedef struct Playing {
  const Travel *t;
  uint64_t from, to;
} Playing;

static double
playing_share (void *arg)
{
  const Playing *w = arg;
  uint64_t given = drive_given (w->t->s);

  return w->to > w->from ? (double) (given - w->from) / (double) (w->to - w->from) : 0;
}

/* Tells the readers how far to go; nothing runs yet. */
void
travel_command (Travel *t, const Target *to)
{
  switch (to->kind) {
  case TO_EVENT:
    drive_events (t->s, to->event);
    break;
  case TO_DATE:
    drive_until (t->s, to->date);
    break;
  case TO_END:
    drive_end (t->s);
  }
}

static bool
travel_play (Travel *t, const Target *to, uint64_t about, GError **error)
{
  Playing playing = { t, drive_given (t->s), about };

  travel_command (t, to);
  return drive_run (t->s, t->o.progress, "travelling", playing_share, &playing, error);
}

/* How long so many events take, on the average, in ticks. */
static int64_t
travel_ticks_of (const Session *s, uint64_t events)
{
  return (int64_t) ((double) (s->last - s->first) / (double) MAX (s->n_events, 1) * (double) events);
}

/* Where to keep a state a little before the target, when that is worth while. */
bool
travel_stop_before (const Travel *t, const Target *to, uint64_t from, Target *before)
{
  uint64_t about = about_event (t, to), near = (uint64_t) (t->events_per_ns * (double) NEAR_NS) + 1;

  if (about <= from || (double) (about - from) <= t->events_per_ns * (double) SKIP_NS + (double) near)
    return false;
  *before = (Target){ TO_EVENT, about - near, 0 };
  if (to->kind == TO_DATE) { /* the number is a guess: the date is what must not be passed */
    *before = (Target){ TO_DATE, 0, to->date - travel_ticks_of (t->s, near) };
  }
  return true;
}

/* Plays to the target, with a state kept a little before it. */
static bool
play_near (Travel *t, const Target *to, GError **error)
{
  uint64_t from = drive_given (t->s), about = about_event (t, to);
  int64_t begun = travel_now_ns ();
  Target before;
  bool ok = true;

  if (t->stepping && travel_stop_before (t, to, from, &before)) {
    ok = travel_play (t, &before, about, error);
    t->report.play_ns += travel_now_ns () - begun;
    if (ok && drive_given (t->s) > from && !drive_ended (t->s))
      travel_keep_present (t, CHECKPOINT_TRAVEL);
    begun = travel_now_ns ();
  }
  ok = ok && travel_play (t, to, about, error);
  t->report.play_ns += travel_now_ns () - begun;
  t->report.played = drive_given (t->s) - from;
  if (t->report.played > 1000 && t->report.play_ns > 0 && !t->given_speed)
    t->events_per_ns = 0.5 * t->events_per_ns + 0.5 * (double) t->report.played / (double) t->report.play_ns;
  return ok;
}

/* The instants travelled to most; gives how often this one was. */
static uint64_t
note_visit (Travel *t, uint64_t event)
{
  guint least = 0;

  for (guint i = 0; i < G_N_ELEMENTS (t->visits); ++i) {
    if (t->visits[i].visits && t->visits[i].event == event)
      return ++t->visits[i].visits;
    if (t->visits[i].visits < t->visits[least].visits)
      least = i;
  }
  t->visits[least].event = event;
  t->visits[least].visits = 1;
  return 1;
}

/* An instant often travelled to gets a state of its own, at the expense of the least used (thesis, 3.4.2). */
static void
travel_replace (Travel *t, uint64_t visits)
{
  uint64_t event = drive_given (t->s);

  if (visits < 2 || t->report.played == 0 || drive_ended (t->s))
    return;
  for (guint i = 0; i < t->memory->len; ++i)
    if (g_array_index (t->memory, Kept, i).what.event == event)
      return;
  g_autofree StrategyPlace *places = memory_places (t);
  uint64_t bytes = 0;
  for (guint i = 0; i < t->memory->len; ++i)
    bytes += places[i].bytes;
  if (t->memory->len && bytes + bytes / t->memory->len > t->o.memory_bytes) {
    int victim = strategy_victim (places, t->memory->len, event, visits);
    if (victim < 0)
      return;
    g_array_remove_index (t->memory, (guint) victim);
  }
  travel_keep_present (t, CHECKPOINT_TRAVEL);
}

void
travel_set_out (Travel *t, const Target *to)
{
  for (;;) {
    Start start = travel_choose (t, to);
    if (!travel_begin_at (t, &start))
      continue;
    travel_note_present (t, start.kind != START_PRESENT || t->exact);
    return;
  }
}

bool
travel_way_there (Travel *t, const Target *to, GError **error)
{
  travel_set_out (t, to);
  bool ok = play_near (t, to, error);
  travel_note_present (t, ok);
  return ok;
}

/* Where the session is.  What numbers of events say is clear for one reader alone: of several, each has given as many
 * of its own, and playing all to the largest number would run the others on. */
Target
travel_here (const Travel *t)
{
  int64_t date = drive_date (t->s);

  if (drive_several (t->s))
    return drive_all_ended (t->s) ? (Target){ .kind = TO_END }
           : date == INT64_MIN    ? (Target){ .kind = TO_EVENT }
                                  : (Target){ .kind = TO_DATE, .date = date };
  return (Target){ .kind = drive_ended (t->s) ? TO_END : TO_EVENT, .event = drive_given (t->s) };
}

/* The present as it is, to come back to; NULL: one that can be travelled to. */
GBytes *
travel_hold (const Travel *t)
{
  return travel_is_exact (t) && !drive_several (t->s) ? NULL : travel_run_state (t->s);
}

bool
travel_go (Travel *t, const Target *to, GError **error)
{
  Target back = travel_here (t);
  bool was_exact = travel_is_exact (t), was_mixed = t->mixed;
  GBytes *present = travel_hold (t);

  memset (&t->report, 0, sizeof t->report);
  t->listener.obey = false;
  g_array_set_size (t->listener.heard, 0);
  if (t->film)
    checkpoints_refresh (t->film, NULL);
  t->goal = *to;
  bool ok = travel_way_there (t, to, error);
  travel_parts_heard (t);
  g_array_set_size (t->listener.heard, 0); /* heard on the way, not at the goal */
  if (ok) {
    travel_replace (t, note_visit (t, drive_given (t->s)));
    travel_thin (t, drive_given (t->s));
  } else {
    const TraceProgress *progress = t->o.progress;
    g_autofree char *why = NULL;
    t->o.progress = NULL; /* the way back is not to be cancelled again */
    if (present ? !travel_load (t, present, &why) : !travel_way_there (t, &back, NULL)) {
      drive_reset (t->s);
      g_prefix_error (error, _ ("the present could not be kept, the session is at the beginning; "));
    }
    travel_note_present (t, was_exact);
    t->mixed = was_mixed && drive_given (t->s) > 0;
    t->o.progress = progress;
  }
  if (present)
    g_bytes_unref (present);
  return ok;
}

bool
travel_to_date (Travel *t, int64_t date, GError **error)
{
  return travel_go (t, &(Target){ .kind = TO_DATE, .date = date }, error);
}

bool
travel_to_event (Travel *t, uint64_t number, GError **error)
{
  bool several = drive_several (t->s);
  uint64_t n = several ? t->s->source->n_events : t->s->n_events;

  if (number > n) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_TARGET, _ ("there is no event %" PRIu64 ": the trace has %" PRIu64),
                 number, n);
    return false;
  }
  if (!travel_go (t, &(Target){ .kind = TO_EVENT, .event = number }, error))
    return false;
  /* each of several has given as many of its own */
  return !several || !number || travel_to_date (t, drive_date_of (t->s, t->s->reader), error);
}

bool
travel_to_end (Travel *t, GError **error)
{
  return travel_go (t, &(Target){ .kind = TO_END }, error);
}

bool
travel_back_event (Travel *t, GError **error)
{
  uint64_t given = drive_given (t->s);

  if (given && drive_several (t->s))
    return travel_back_date (t, error);
  if (given) {
    t->stepping = true;
    bool ok = travel_to_event (t, given - 1, error);
    t->stepping = false;
    return ok;
  }
  g_set_error (error, FILM_ERROR, FILM_ERROR_TARGET, _ ("this is the beginning of the execution"));
  return false;
}

bool
travel_back_date (Travel *t, GError **error)
{
  int64_t date = drive_date (t->s);

  if (date > INT64_MIN)
    return travel_to_date (t, date - 1, error);
  g_set_error (error, FILM_ERROR, FILM_ERROR_TARGET, _ ("this is the beginning of the execution"));
  return false;
}

bool
travel_prepare (Travel *t, GError **error)
{
  uint64_t present = drive_given (t->s);
  uint64_t near = (uint64_t) (t->events_per_ns * (double) NEAR_NS) + 1;
  Target back = travel_here (t), before = { .kind = TO_EVENT, .event = present > near ? present - near : 0 };
  TravelReport report = t->report;

  if (!travel_is_exact (t) || present <= 1)
    return true;
  for (guint i = 0; i < t->memory->len; ++i) {
    uint64_t event = g_array_index (t->memory, Kept, i).what.event;
    if (event < present && present - event <= 4 * near)
      return true;
  }
  if (drive_several (t->s))
    before = (Target){ .kind = TO_DATE, .date = drive_date (t->s) - travel_ticks_of (t->s, near) };
  g_autoptr (GBytes) held = travel_hold (t);
  bool ok = travel_way_there (t, &before, error);
  if (ok)
    travel_keep_present (t, CHECKPOINT_TRAVEL);
  const TraceProgress *progress = t->o.progress;
  g_autofree char *why = NULL;
  t->o.progress = NULL;
  if (held ? !travel_load (t, held, &why) : !travel_way_there (t, &back, NULL)) {
    drive_reset (t->s);
    ok = false;
  }
  travel_note_present (t, true);
  t->o.progress = progress;
  travel_thin (t, present);
  t->report = report;
  return ok;
}

/* ---- playing ------------------------------------------------------------------------------------------------------------- */

/* One slice, and a state kept in memory behind it when the strategy says so. */
static int
play_slice (Travel *t, int64_t budget_ns, GError **error)
{
  uint64_t before = drive_given (t->s);
  int64_t begun = travel_now_ns ();
  t->listener.halted = false;
  int more = drive_slice (t->s, budget_ns, error);
  more = more == 0 && t->listener.halted ? 1 : more;
  int64_t took = travel_now_ns () - begun;
  uint64_t given = drive_given (t->s);

  t->now.worked_ns += took;
  t->now.replay_since_ns += took;
  t->now.events_since += given - before;
  t->now.done = (double) given / (double) MAX (t->s->n_events, 1);
  if (more >= 0 && !t->mixed && strategy_due (&t->o.strategy, &t->now)) {
    begun = travel_now_ns ();
    travel_keep_present (t, CHECKPOINT_AUTOMATIC);
    travel_thin (t, given);
    t->now.last_cost_ns = travel_now_ns () - begun;
    t->now.saving_ns += t->now.last_cost_ns;
    t->now.events_since = 0;
    t->now.replay_since_ns = 0;
  }
  return more;
}

int
travel_play_slice (Travel *t, bool obey, int64_t budget_ns, GError **error)
{
  bool exact = travel_is_exact (t) || drive_given (t->s) == 0;

  t->listener.obey = obey;
  int more = play_slice (t, budget_ns, error);
  travel_note_present (t, exact && more >= 0 && !(obey && t->listener.heard->len));
  return more;
}

bool
travel_play_until (Travel *t, int64_t date, bool obey, GError **error)
{
  bool exact = travel_is_exact (t) || drive_given (t->s) == 0;
  int more;

  if (drive_given (t->s) == 0 && !travel_is_exact (t)) {
    drive_reset (t->s);
    t->mixed = false;
  }
  t->listener.obey = obey;
  drive_until (t->s, date);
  do {
    more = play_slice (t, SLICE_NS, error);
    if (more > 0 && !drive_report (t->o.progress, "playing", t->now.done, error)) {
      eve_pause (t->s->program);
      more = -1;
    }
  } while (more > 0);
  /* what was obeyed went through the controller, and a slice may have been cut off: not what a travel leaves */
  travel_note_present (t, exact && more == 0 && !(obey && t->listener.heard->len));
  return more == 0;
}
