/* SPDX-License-Identifier: Apache-2.0 */
/* film.c - shoots a film: the program at full speed, in slices; between two of them checkpoints are made, at the
 * boundaries of the overview's buckets the sums are read. */
#include "session/film.h"
#include "eve/words.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "session/extend.h"
#include "session/film-cone.h"
#include "session/film-drive.h"
#include "session/guard.h"
#include "session/layers.h"
#include "session/plugins.h"
#include "eve/disk.h"
#include "readers/live.h"

#define SLICE_NS (10 * 1000000)
#define WAITS_US G_USEC_PER_SEC /* for another process, until it is told of to those who are told little */
#define SHOW_US (400 * 1000)    /* between two times that a film that grows is shown to those who look on, at least */
#define FLUSH_NS (INT64_C (250) * 1000000) /* of work between two times that histories are written out, at most */

/* A checkpoint that is packed and written on a thread of its own while the program goes on; belongs to that thread
 * meanwhile, with the file of checkpoints and the manifest. */
typedef struct Packing {
  GThread *thread; /* NULL: none is under way */
  Checkpoint what;
  uint64_t *keys;    /* of what */
  EveBlob *state[2]; /* run states: of this one, and of the one before */
  guint turn;
  int64_t cost_ns;
  GError *error;
} Packing;

typedef struct Shoot {
  Session *s;
  const FilmOptions *o;
  FilmStats *stats;
  char *folder;
  int lock;
  FilmManifest m;
  Checkpoints *checkpoints;
  FilmSums *sums;
  FilmTasks *tasks;
  uint64_t n_values; /* in the file `schema` */
  int commands;      /* file */
  uint64_t commands_bytes;
  DriveListener listener;
  Strategy strategy; /* with the bytes of this trace */
  StrategyNow now;
  Parts *parts;       /* of the program */
  int64_t goal;       /* readers give what is dated until then; INT64_MAX: all */
  Layers *layers;     /* histories of all that views may want */
  int64_t flushed_ns; /* work done when the histories were written out */
  Packing packing;
  bool grows; /* the trace did when it was opened */
  char *part; /* that a component has ordered: this film goes no farther; NULL: none */
} Shoot;

static int64_t
session_film_now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t); /* the clock of the day may jump */
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What the strategy is told: time of this thread's work, so that a busy machine makes the same film as an idle one. */
static int64_t
work_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static void G_GNUC_PRINTF (2, 3) session_film_say (const Shoot *f, const char *fmt, ...)
{
  va_list args;

  if (!f->o->say)
    return;
  va_start (args, fmt);
  g_autofree char *text = g_strdup_vprintf (fmt, args);
  va_end (args);
  f->o->say (f->o->arg, text);
}

static bool
session_film_report (const Shoot *f, const char *doing, double share, GError **error)
{
  const TraceProgress *p = f->o->progress;

  guard_beat ();
  if (!p || !p->report || p->report (p->arg, doing, share))
    return true;
  g_set_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED, _ ("interrupted; what was shot stays"));
  return false;
}

/* ---- histories -------------------------------------------------------------------------------------------------------- */

static bool
histories_begin (Shoot *f, const void *places, size_t n_places, GError **error)
{
  const LayersOptions how = { f->folder, true, places, n_places, false, film_tasks_hear, &f->tasks };

  f->layers = layers_new (f->s->program, &how, error);
  return f->layers != NULL;
}

/* Another program's film of this trace has some of them whole, and all that it has is as it left it. */
static void
borrow (void *arg, const char *folder, uint64_t plan)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  Shoot *f = arg;
  FilmManifest m;

  if (film_manifest_read (folder, &m, NULL) && m.state == FILM_COMPLETE && m.trace == f->m.trace
      && m.plugins == f->m.plugins && film_check (folder, &m, &(FilmCheck){ 0 }, problems) && !problems->len)
    f->stats->histories_taken += layers_borrow (f->s->program, true, f->folder, folder);
  film_manifest_clear (&m);
}

static void
histories_end (Shoot *f)
{
  g_clear_pointer (&f->layers, layers_free);
}

/* ---- commands that watches would have given ------------------------------------------------------------------------ */

static bool
write_heard (Shoot *f, GError **error)
{
  g_autoptr (GString) lines = g_string_new (NULL);

  for (guint i = 0; i < f->listener.heard->len; ++i)
    film_command_write (&g_array_index (f->listener.heard, DriveHeard, i), &f->s->source->clock, lines);
  g_array_set_size (f->listener.heard, 0);
  if (!lines->len)
    return true;
  if (!disk_pwrite (f->commands, lines->str, lines->len, f->commands_bytes))
    return film_cannot (error, _ ("%s/commands cannot be written: %s"), f->folder);
  f->commands_bytes += lines->len;
  return true;
}

/* Something that was heard in this slice asks for a part. */
static bool
part_heard (Shoot *f)
{
  for (guint i = 0; f->o->extend && !f->part && i < f->listener.heard->len; ++i) {
    const DriveHeard *h = &g_array_index (f->listener.heard, DriveHeard, i);
    f->part = extend_wanted (f->s, &h->command, h->order);
  }
  return f->part != NULL;
}

/* An earlier pass has heard that; only as far as this one is to go. */
static bool
part_known (Shoot *f)
{
  if (!f->o->extend)
    return false;
  g_autoptr (GPtrArray) all = film_commands_read (f->folder, &f->s->source->clock, G_MAXUINT);
  for (guint i = 0; !f->part && i < all->len; ++i) {
    const FilmCommand *c = all->pdata[i];
    if (c->date <= f->o->until && c->order && g_str_equal (c->verb, "other"))
      f->part = extend_wanted (f->s, &(TraceCommand){ .verb = TRACE_OTHER }, c->order);
  }
  return f->part != NULL;
}

static bool
open_commands (Shoot *f, uint64_t bytes, GError **error)
{
  g_autofree char *path = g_build_filename (f->folder, "commands", NULL);

  if (f->commands < 0)
    f->commands = disk_open_write (path, NULL);
  if (f->commands < 0 || ftruncate (f->commands, (off_t) bytes) != 0)
    return film_cannot (error, _ ("%s cannot be written: %s"), path);
  f->commands_bytes = bytes;
  return true;
}

/* ---- checkpoints --------------------------------------------------------------------------------------------------- */

static void
session_film_note_place (Shoot *f, FilmState state)
{
  f->m.state = state;
  f->m.events = drive_given (f->s);
  f->m.date = drive_date (f->s);
  f->m.n_events = f->s->n_events;
  f->m.damaged = f->s->source->n_damaged;
  g_free (f->m.said);
  f->m.said = film_missing (f->s->program);
}

static bool
write_manifest (Shoot *f, FilmState state, GError **error)
{
  session_film_note_place (f, state);
  return film_manifest_write (f->folder, &f->m, error);
}

static gpointer
session_film_pack (gpointer data)
{
  Shoot *f = data;
  Packing *p = &f->packing;
  int64_t begun = work_ns ();
  size_t n;
  const uint8_t *bytes = eve_blob_data (p->state[p->turn], &n);

  if (checkpoints_append (f->checkpoints, &p->what, bytes, n, &p->error))
    film_manifest_write (f->folder, &f->m, &p->error);
  p->cost_ns = work_ns () - begun;
  return NULL;
}

/* Waits for the checkpoint that is being written. */
static bool
session_film_packed (Shoot *f, GError **error)
{
  Packing *p = &f->packing;

  if (!p->thread)
    return true;
  g_thread_join (p->thread);
  p->thread = NULL;
  f->now.saving_ns += p->cost_ns;
  f->now.last_cost_ns += p->cost_ns;
  f->now.bytes += p->what.stored_bytes;
  f->now.last_bytes = p->what.stored_bytes;
  if (!p->error)
    return true;
  g_propagate_error (error, g_steal_pointer (&p->error));
  return false;
}

/* Writing out all histories costs more than the rest of a checkpoint: it is done at the first one, then after twice the
 * work, and so on up to FLUSH_NS.  A film that was killed goes on at such a checkpoint, so every pass that makes one
 * gets farther. */
static bool
flush_due (const Shoot *f)
{
  return f->now.worked_ns - f->flushed_ns >= MIN (f->flushed_ns, FLUSH_NS);
}

static bool
session_film_save (Shoot *f, bool last, bool ended, GError **error)
{
  Packing *p = &f->packing;
  int64_t begun = work_ns ();
  bool flush = last || flush_due (f);

  if (!session_film_packed (f, error)
      || (flush && !layers_flush (f->layers, ended || drive_ended (f->s) ? INT64_MAX : INT64_MIN, error))
      || !write_heard (f, error) || !film_tasks_write (f->tasks, last, error)
      || !film_schema_write (f->folder, f->s, &f->n_values, error))
    return false;
  if (flush)
    f->flushed_ns = f->now.worked_ns;
  p->turn ^= 1;
  if (!p->state[p->turn])
    p->state[p->turn] = eve_blob_new ();
  eve_blob_clear (p->state[p->turn]);
  eve_program_save_run (f->s->program, p->state[p->turn]);
  size_t run_bytes;
  guint n_keys;
  g_free (p->keys);
  p->keys = parts_held (f->parts, f->s, &n_keys);
  eve_blob_data (p->state[p->turn], &run_bytes);
  if (flush)
    layers_save (f->layers, p->state[p->turn]);
  p->what = (Checkpoint){ .event = drive_given (f->s),
                          .date = drive_date (f->s),
                          .ended = ended || drive_ended (f->s),
                          .travel_only = !flush,
                          .run_bytes = run_bytes,
                          .keys = p->keys,
                          .n_keys = n_keys,
                          .when_us = g_get_real_time (),
                          .replay_ns = f->now.replay_since_ns,
                          .overview_bytes = film_sums_bytes (f->sums),
                          .commands_bytes = f->commands_bytes };
  session_film_note_place (f, FILM_SHOOTING);
  f->now.events_since = 0;
  f->now.replay_since_ns = 0;
  f->now.last_cost_ns = p->what.cost_ns = work_ns () - begun;
  f->now.saving_ns += f->now.last_cost_ns;
  p->thread = g_thread_new ("checkpoint", session_film_pack, f);
  return true;
}

/* 1: there is more to do, 0: the readers have given what they were told to, -1: failed. */
static int
session_film_slice (Shoot *f, GError **error)
{
  uint64_t before = drive_given (f->s);
  int64_t begun = work_ns ();
  int more = drive_slice (f->s, SLICE_NS, error);
  int64_t took = work_ns () - begun;
  uint64_t given = drive_given (f->s);

  f->now.worked_ns += took;
  f->now.replay_since_ns += took;
  f->now.events_since += given - before;
  f->now.done = (double) given / (double) MAX (f->s->n_events, 1);
  f->stats->events_shot += given - before;
  guard_doing (_ (", near event %" PRIu64 "; the film ends at its last checkpoint"), given);
  return more < 0 || part_heard (f) || !session_film_report (f, _ ("shooting the film"), f->now.done, error) ? -1
                                                                                                             : more;
}

static void
session_film_go (Shoot *f, int64_t until)
{
  f->goal = until;
  if (until == INT64_MAX)
    drive_end (f->s);
  else
    drive_until (f->s, until);
}

/* As the strategy wants it; what the last one cost is known only when it is written.  Where data are under way, no
 * other program could use what is saved: they come to their end before. */
static bool
save_if_due (Shoot *f, int *more, GError **error)
{
  if (!strategy_due (&f->strategy, &f->now))
    return true;
  if (!session_film_packed (f, error))
    return false;
  if (!strategy_due (&f->strategy, &f->now))
    return true;
  drive_events (f->s, 0);
  do
    *more = session_film_slice (f, error);
  while (*more > 0);
  if (*more < 0 || !session_film_save (f, false, false, error))
    return false;
  session_film_go (f, f->goal);
  *more = 1;
  return true;
}

/* Until all that is dated so has been given. */
static bool
run_film (Shoot *f, int64_t until, GError **error)
{
  session_film_go (f, until);
  for (;;) {
    int more = session_film_slice (f, error);
    if (more < 0 || !save_if_due (f, &more, error))
      return false;
    if (!more)
      return true;
  }
}

static bool
shoot_rest (Shoot *f, GError **error)
{
  const Session *s = f->s; /* time is that of all traces */
  bool whole = f->o->until >= s->last || s->first > s->last;
  guint k = film_sums_n (f->sums);

  if (k == 0 && !film_sums_add (f->sums, f->s, s->first, error))
    return false;
  for (k = MAX (k, 1); k <= FILM_BUCKETS; ++k) {
    int64_t to = film_bucket (s->first, s->last, k);
    if (to > f->o->until)
      break;
    if (!run_film (f, k == FILM_BUCKETS ? INT64_MAX : to, error) || !film_sums_add (f->sums, f->s, to, error))
      return false;
    film_tasks_look (f->tasks);
  }
  if (!whole && !run_film (f, f->o->until, error))
    return false;
  return session_film_save (f, true, whole, error) && session_film_packed (f, error);
}

/* ---- a trace that grows ------------------------------------------------------------------------------------------------ */

/* So that who looks on sees it, and not at each event. */
static bool
session_film_show (Shoot *f, int64_t reach, GError **error)
{
  return session_film_packed (f, error) && layers_flush (f->layers, reach, error) && write_heard (f, error)
         && film_tasks_write (f->tasks, false, error) && film_schema_write (f->folder, f->s, &f->n_values, error)
         && write_manifest (f, FILM_SHOOTING, error);
}

/* The film begins at the first date, which only an event tells. */
static bool
wait_for_first (Shoot *f, GError **error)
{
  while (f->s->first > f->s->last && session_may_grow (f->s)) {
    if (!session_film_report (f, _ ("waiting for the first event"), 0, error))
      return false;
    if (!session_look (f->s))
      g_usleep (TRACE_LOOK_MS * 1000);
  }
  return true;
}

/* Nothing that is not there yet is dated before the last date so far: up to there the film is as it will stay. */
static bool
shoot_growing (Shoot *f, GError **error)
{
  int64_t shown_us = 0, cost_us = 0, shown = INT64_MIN;

  for (bool more = true; more;) {
    Session *s = f->s;
    more = session_may_grow (s);
    for (int64_t to; s->first <= s->last && ((to = film_sums_next (f->sums)) < s->last || (!more && to == s->last));) {
      if (!run_film (f, to, error) || !film_sums_add (f->sums, s, to, error))
        return false;
      film_tasks_look (f->tasks);
    }
    if (!run_film (f, more ? s->last - 1 : INT64_MAX, error))
      return false;
    film_tasks_look (f->tasks);
    int64_t now_us = g_get_monotonic_time ();
    if (more && s->last > shown && now_us - shown_us >= MAX (SHOW_US, 10 * cost_us)) {
      if (!session_film_show (f, s->last - 1, error))
        return false;
      shown = s->last;
      shown_us = g_get_monotonic_time ();
      cost_us = shown_us - now_us;
    }
    while (more && !session_look (s)) {
      if (!session_film_report (f, _ ("shooting the film"), 1, error))
        return false;
      g_usleep (TRACE_LOOK_MS * 1000);
      if (s->last > shown && g_get_monotonic_time () - shown_us >= SHOW_US)
        break;
    }
  }
  return session_film_save (f, true, true, error) && session_film_packed (f, error);
}

/* ---- beginning, or going on ---------------------------------------------------------------------------------------- */

/* From a checkpoint that a killed or stopped pass left: the last before the n-th that can be restored without loss.
 * Gives its number, or -1.  *state: what it holds. */
static int
restore_before (Shoot *f, int n, GBytes **state)
{
  for (int i = n - 1; i >= 0; --i) {
    g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) why = NULL;
    if (checkpoints_nth (f->checkpoints, (guint) i)->travel_only)
      continue;
    g_autoptr (GBytes) bytes = checkpoints_read (f->checkpoints, (guint) i, &why);
    if (!bytes) {
      session_film_say (f, "%s", why->message);
      continue;
    }
    gsize size;
    const void *data = g_bytes_get_data (bytes, &size);
    if (eve_program_load_run (f->s->program, data, size, problems, &why) && !problems->len) {
      *state = g_steal_pointer (&bytes);
      return i;
    }
    session_film_say (f, _ ("the checkpoint of event %" PRIu64 " is not used: %s"),
                      checkpoints_nth (f->checkpoints, (guint) i)->event,
                      why ? why->message : (char *) problems->pdata[0]);
    eve_program_clear_failure (f->s->program);
  }
  return -1;
}

static bool
open_checkpoints (Shoot *f, GError **error)
{
  g_autofree char *path = g_build_filename (f->folder, "checkpoints", NULL);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  f->checkpoints = f->stats->of_another ? checkpoints_open_parts (path, f->m.plan, f->m.trace, f->parts, NULL, error)
                                        : checkpoints_open (path, f->m.plan, f->m.trace, true, problems, error);
  for (guint i = 0; i < problems->len; ++i)
    session_film_say (f, "%s", (char *) problems->pdata[i]);
  return f->checkpoints != NULL;
}

/* At the last checkpoint that all files of the film reach, with the histories going on from there; -1: there is none.
 */
static int
session_film_go_on (Shoot *f)
{
  g_autofree char *why = NULL;
  GBytes *state;
  int at = (int) checkpoints_n (f->checkpoints);
  guint passed = 0;

  while ((at = restore_before (f, at, &state)) >= 0) {
    g_autoptr (GBytes) held = g_steal_pointer (&state);
    const Checkpoint *from = checkpoints_nth (f->checkpoints, (guint) at);
    g_autoptr (GError) error = NULL;
    gsize n;
    const uint8_t *bytes = g_bytes_get_data (held, &n);
    uint64_t run = MIN (from->run_bytes, n);
    if (!film_file_has (f->folder, "overview", from->overview_bytes)
        || !film_file_has (f->folder, "commands", from->commands_bytes))
      g_set_error (&error, FILM_ERROR, FILM_ERROR_DAMAGED, _ ("the other files of the film are shorter than it says"));
    else if (histories_begin (f, bytes + run, n - run, &error))
      break;
    g_free (why);
    why = g_strdup (error->message);
    ++passed;
  }
  if (passed)
    session_film_say (f, _ ("%u checkpoints are not gone on from: %s"), passed, why);
  return at;
}

static bool
session_film_begin (Shoot *f, bool resume, GError **error)
{
  const Checkpoint *from = NULL;
  int at = -1;

  if (!open_checkpoints (f, error))
    return false;
  drive_reset (f->s);
  if (resume && checkpoints_n (f->checkpoints)) {
    at = session_film_go_on (f);
    from = at >= 0 ? checkpoints_nth (f->checkpoints, (guint) at) : NULL;
    if (!from) {
      g_autofree char *groups = g_build_filename (f->folder, "groups", NULL);
      session_film_say (f, _ ("the film is shot again from the beginning"));
      drive_reset (f->s);
      g_remove (groups); /* of tasks that were seen in a part that is shot again */
    }
  }
  if (!from && f->o->until >= f->s->last)
    film_each_beside (f->folder, borrow, f);
  if (!from && !histories_begin (f, NULL, 0, error))
    return false;
  uint64_t overview = from ? from->overview_bytes : 0, commands = from ? from->commands_bytes : 0;
  if (from) {
    session_film_say (f, _ ("going on from event %" PRIu64), from->event);
    for (int i = 0; i <= at; ++i)
      f->now.bytes += checkpoints_nth (f->checkpoints, (guint) i)->stored_bytes;
    f->now.last_bytes = from->stored_bytes;
  }
  if (!checkpoints_cut (f->checkpoints, from ? at : -1, error) || !open_commands (f, commands, error))
    return false;
  f->sums = f->grows ? film_sums_new_growing (f->folder, f->s, from ? from->date : INT64_MIN, error)
                     : film_sums_new (f->folder, f->s, overview, error);
  if (!f->sums && (!from || (error && *error)))
    return false;
  if (!f->sums) { /* some of what must be known of the part before is damaged */
    session_film_say (f, _ ("the film is shot again from the beginning: its overview is damaged"));
    histories_end (f);
    g_clear_pointer (&f->checkpoints, checkpoints_free);
    return film_wipe (f->folder, error) && session_film_begin (f, false, error);
  }
  f->tasks = film_tasks_new (f->folder, f->s);
  return film_write_program (f->folder, f->s->program, error) && write_manifest (f, FILM_SHOOTING, error);
}

/* Waits for another process that shoots the same film: its film is as good. */
static bool
take_lock (Shoot *f, GError **error)
{
  static const char sentence[] = "another Scope is shooting this film; waiting for it";
  int64_t begun = g_get_monotonic_time ();
  bool told = false, told_late = false, busy;

  for (;;) {
    GError *why = NULL;
    f->lock = film_lock (f->folder, &busy, &why);
    if (f->lock >= 0)
      return true;
    if (!busy) {
      g_propagate_error (error, why);
      return false;
    }
    g_error_free (why);
    if (!told)
      session_film_say (f, "%s", sentence);
    told = true;
    if (!told_late && f->o->waits && g_get_monotonic_time () - begun > WAITS_US) {
      f->o->waits (f->o->arg, sentence);
      told_late = true;
    }
    g_usleep (50 * 1000);
    FilmManifest m;
    double share = film_manifest_read (f->folder, &m, NULL) ? (double) m.events / (double) MAX (m.n_events, 1) : 0;
    film_manifest_clear (&m);
    if (!session_film_report (f, _ ("another Scope is shooting this film"), share, error))
      return false;
  }
}

/* Whether a checkpoint stands where the film says it ends. */
static bool
reaches (Shoot *f, const FilmManifest *old)
{
  if (!open_checkpoints (f, NULL))
    return false;
  guint n = checkpoints_n (f->checkpoints);
  const Checkpoint *last = n ? checkpoints_nth (f->checkpoints, n - 1) : NULL;
  bool ok = last && last->event == old->events && (old->state != FILM_COMPLETE || last->ended);
  g_clear_pointer (&f->checkpoints, checkpoints_free);
  return ok;
}

/* Whether there is a checkpoint of this trace and this program; `goes_on`: that a film goes on from. */
static bool
knows_anything (Shoot *f, bool goes_on)
{
  bool any = false;

  for (guint i = 0; (i || open_checkpoints (f, NULL)) && i < checkpoints_n (f->checkpoints); ++i)
    any |= !goes_on || !checkpoints_nth (f->checkpoints, i)->travel_only;
  g_clear_pointer (&f->checkpoints, checkpoints_free);
  return any;
}

/* Looks for damage and cuts off what cannot be gone on from; *enough: the film is there, and stays so only if it is
 * sound.  What a killed pass leaves half written is no damage.  False: cancelled. */
static bool
session_film_look_through (Shoot *f, const FilmManifest *old, bool *enough, GError **error)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  bool was_there = *enough || old->state == FILM_COMPLETE;
  FilmCheck how = { .data = f->o->look_through || !*enough, .mend = true, .progress = f->o->progress };
  bool going = film_check (f->folder, old, &how, problems);

  if (going && problems->len && !how.data) { /* what is gone on from must be sound in all its blocks */
    how.data = true;
    g_ptr_array_set_size (problems, 0);
    going = film_check (f->folder, old, &how, problems);
  }
  if (!going) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED, "interrupted");
    return false;
  }
  for (guint i = 0; i < problems->len; ++i)
    if (was_there && f->o->damaged)
      f->o->damaged (f->o->arg, problems->pdata[i]);
    else
      session_film_say (f, "%s", (char *) problems->pdata[i]);
  f->stats->damages += was_there ? problems->len : 0;
  *enough &= problems->len == 0;
  return true;
}

static bool
film_shoot_into_own (Shoot *f, GError **error)
{
  FilmManifest old;
  GError *stopped = NULL;
  g_autofree char *home = film_own_folder (f->s, &f->m.trace, &f->m.plan, error);

  if (!home)
    return false;
  f->parts = parts_new (f->s);
  f->stats->histories = layers_n (f->s->program, true);
  f->folder = film_of_another (f->s, f->parts, f->m.trace, home, f->o, &f->stats->events, &stopped);
  if (stopped) {
    g_propagate_error (error, stopped);
    return false;
  }
  if (f->folder) {
    f->stats->folder = g_strdup (f->folder);
    f->stats->was_complete = f->stats->of_another = true;
    return !part_known (f);
  }
  f->folder = g_strdup (f->o->folder ? f->o->folder : home);
  f->stats->folder = g_strdup (f->folder);
  if (g_mkdir_with_parents (f->folder, 0777) != 0)
    return film_cannot (error, _ ("%s: the folder cannot be made: %s"), f->folder);
  if (!film_may_begin (f->folder, error) || !take_lock (f, error))
    return false;
  guard_film (f->folder);
  film_remove_leftovers (f->folder);
  bool there = film_manifest_read (f->folder, &old, NULL), torn = there ? old.torn : film_is_film (f->folder);
  if (torn) { /* its checkpoints know what they are of */
    g_autofree char *said = g_strdup_printf (_ ("%s/manifest is damaged: how far the film is"), f->folder);
    there = true;
    f->stats->damages++;
    if (f->o->damaged)
      f->o->damaged (f->o->arg, said);
    film_manifest_clear (&old);
    old = (FilmManifest){ .state = FILM_SHOOTING, .trace = f->m.trace, .plan = f->m.plan };
  }
  bool resume = there && old.trace == f->m.trace && old.plan == f->m.plan && old.state != FILM_NONE
                && (!torn || knows_anything (f, false));
  bool enough = resume && (old.state == FILM_COMPLETE || (old.state == FILM_STOPPED && old.date >= f->o->until))
                && reaches (f, &old);
  uint64_t events = old.events;
  g_autofree char *missing = enough && old.state == FILM_COMPLETE ? g_strdup (old.said) : NULL;
  if (resume && !session_film_look_through (f, &old, &enough, error)) {
    film_manifest_clear (&old);
    return false;
  }
  if (there && !resume && !torn)
    session_film_say (f, _ ("the film is shot again: %s"),
                      old.state == FILM_NONE    ? _ ("it is of another version of Scope")
                      : old.trace != f->m.trace ? _ ("the trace has changed since")
                                                : _ ("the program has changed since"));
  film_manifest_clear (&old);
  film_touch (f->folder);
  if (resume && part_known (f))
    return false;
  if (enough) {
    f->stats->was_complete = true;
    f->stats->events = events;
    f->stats->missing = missing && *missing;
    if (f->stats->missing && f->o->missing)
      f->o->missing (f->o->arg, missing);
    return true;
  }
  if (!there && !film_is_empty (f->folder) && !film_is_at_home (f->folder)) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_FOREIGN, _ ("%s holds other files and no film; choose an empty folder"),
                 f->folder);
    return false;
  }
  if (!resume && !film_is_empty (f->folder) && !film_wipe (f->folder, error))
    return false;
  f->grows = (f->s->source->abilities & TRACE_LIVE) != 0;
  f->m.plugins = plugins_identity (f->s->program);
  f->m.side = f->parts->side;
  f->m.bundle = g_strdup (f->s->source->name);
  f->m.format = g_strdup (f->s->source->format->name);
  f->m.program = g_path_get_basename (f->s->program_path);
  if (resume && !knows_anything (f, true)) { /* begun from another film */
    resume = false;
    if (!film_wipe (f->folder, error))
      return false;
  }
  Cone cone = { f->s, f->parts, home, f->folder, f->o, f->stats };
  ConeResult of_cone = resume ? CONE_NONE : film_cone (&cone, &f->m, error);
  if (of_cone != CONE_NONE)
    return of_cone == CONE_DONE && !part_known (f);
  f->strategy = f->o->strategy;
  if (f->strategy.most_bytes == STRATEGY_TENTH)
    f->strategy.most_bytes = MAX (film_trace_bytes (f->s->source) / 10, 1 << 16);
  drive_listen (f->s, &f->listener);
  /* first of all files: from here on the folder is known as a film */
  if (!resume && !write_manifest (f, FILM_SHOOTING, error))
    return false;
  if ((f->grows && !wait_for_first (f, error)) || !session_film_begin (f, resume, error))
    return false;
  bool ok = f->grows ? shoot_growing (f, error) : shoot_rest (f, error);
  if (ok) {
    bool whole = f->o->until >= f->s->last || f->s->first > f->s->last;
    f->stats->missing = eve_program_missing (f->s->program) != NULL;
    ok = write_manifest (f, whole ? FILM_COMPLETE : FILM_STOPPED, error);
    if (!whole)
      f->m.date = f->o->until; /* nothing happens up to there */
    if (ok && !whole)
      ok = film_manifest_write (f->folder, &f->m, error);
  } else {
    session_film_packed (f, NULL);
    bool cancelled = f->part || (error && g_error_matches (*error, SESSION_ERROR, SESSION_ERROR_CANCELLED));
    if (cancelled && session_film_save (f, true, false, NULL)) /* between two slices: nothing is lost */
      session_film_packed (f, NULL);
    /* what is said of the end is true of the last checkpoint */
    guint n = checkpoints_n (f->checkpoints);
    f->m.state = cancelled ? FILM_STOPPED : FILM_FAILED;
    f->m.events = n ? checkpoints_nth (f->checkpoints, n - 1)->event : 0;
    f->m.date = n ? checkpoints_nth (f->checkpoints, n - 1)->date : INT64_MIN;
    g_free (f->m.said);
    f->m.said = g_strdup (error && *error ? (*error)->message : "");
    film_manifest_write (f->folder, &f->m, NULL);
  }
  f->stats->events = f->m.events;
  return ok;
}

/* *part: what the program orders to be added before its film goes on; g_free. */
static bool
shoot_once (Session *s, const FilmOptions *options, FilmStats *stats, char **part, GError **error)
{
  Shoot f = { .s = s, .o = options, .stats = stats, .lock = -1, .commands = -1 };
  GError *why = NULL;
  int64_t begun = session_film_now_ns ();

  memset (stats, 0, sizeof *stats);
  f.listener.heard = drive_heard_new ();
  g_autofree char *output = g_strdup (eve_program_output_folder (s->program));
  eve_program_set_output_folder (s->program, NULL); /* components write nothing in this pass */
  bool ok = film_shoot_into_own (&f, &why);
  eve_program_set_output_folder (s->program, output);
  drive_listen (s, NULL);
  histories_end (&f);
  for (guint i = 0; i < G_N_ELEMENTS (f.packing.state); ++i)
    if (f.packing.state[i])
      eve_blob_free (f.packing.state[i]);
  if (f.checkpoints)
    checkpoints_refresh (f.checkpoints, NULL);
  else if (stats->was_complete || stats->of_cone)
    open_checkpoints (&f, NULL);
  if (f.checkpoints) {
    stats->checkpoints = checkpoints_n (f.checkpoints);
    stats->checkpoint_bytes = checkpoints_bytes (f.checkpoints);
  }
  if (f.folder)
    stats->bytes = film_bytes (f.folder);
  parts_free (f.parts);
  g_free (f.packing.keys);
  checkpoints_free (f.checkpoints);
  film_sums_free (f.sums);
  film_tasks_free (f.tasks);
  if (f.commands >= 0)
    close (f.commands);
  g_array_unref (f.listener.heard);
  film_unlock (f.lock);
  guard_film ("");
  guard_doing ("%s", "");
  film_manifest_clear (&f.m);
  g_free (f.folder);
  stats->wall_s = (double) (session_film_now_ns () - begun) / 1e9;
  stats->saving_s = (double) f.now.saving_ns / 1e9;
  *part = f.part;
  if (why)
    g_propagate_error (error, why);
  return ok;
}

bool
film_shoot (Session *s, const FilmOptions *options, FilmStats *stats, GError **error)
{
  for (;;) {
    g_autofree char *part = NULL;
    bool ok = shoot_once (s, options, stats, &part, error);
    if (!part)
      return ok;
    g_clear_error (error);
    g_free (stats->folder);
    extend_tell (s, part, _ ("the film is of both"), options->extended, options->arg);
  }
}
