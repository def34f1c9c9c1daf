/* SPDX-License-Identifier: Apache-2.0 */
#include "session/film-cone.h"
#include "eve/words.h"
#include <stdlib.h>
#include <string.h>
#include "session/film-drive.h"
#include "session/guard.h"
#include "session/layers.h"
#include "session/strategy.h"
#include "views/layer.h"

/* The film that most is taken from. */
typedef struct Lender {
  char *folder; /* NULL: there is none */
  FilmManifest m;
  GArray *keys; /* of the parts that it has and the program needs, sorted */
} Lender;

typedef struct Looking {
  const Cone *c;
  const FilmManifest *m; /* of the film to be made */
  Lender best;
} Looking;

/* ---- which film ---------------------------------------------------------------------------------------------------- */

static void
lender_clear (Lender *l)
{
  film_manifest_clear (&l->m);
  g_clear_pointer (&l->folder, g_free);
  g_clear_pointer (&l->keys, g_array_unref);
}

/* Whether `n` checkpoints among so many events are what the strategy asks for: the new film has those of the lender,
 * and no others. */
static bool
are_as_asked (const Strategy *asked, uint64_t events, guint n)
{
  Strategy usual = strategy_default ();

  if (asked->every_events > 0)
    return events / n <= 2 * asked->every_events;
  return asked->most_share == usual.most_share && asked->replay_ns == usual.replay_ns
         && asked->most_bytes == usual.most_bytes;
}

/* Of the parts that the program needs those that the last checkpoint of a film has; NULL: that is not of its end. */
static GArray *
common_keys (const Cone *c, const FilmManifest *m, const char *folder, uint64_t events)
{
  Parts any = { .keys = g_array_new (FALSE, FALSE, sizeof (uint64_t)) };
  g_autofree char *path = g_build_filename (folder, "checkpoints", NULL);
  Checkpoints *all = checkpoints_open_parts (path, m->plan, m->trace, &any, NULL, NULL);
  guint n = all ? checkpoints_n (all) : 0, n_held = 0;
  if (n && !are_as_asked (&c->o->strategy, events, n))
    n = 0;
  g_autofree uint64_t *held = n && checkpoints_nth (all, n - 1)->ended ? checkpoints_keys (all, n - 1, &n_held) : NULL;
  GArray *common = held ? g_array_new (FALSE, FALSE, sizeof (uint64_t)) : NULL;

  for (guint i = 0, k = 0; common && i < c->parts->keys->len; ++i) {
    uint64_t key = g_array_index (c->parts->keys, uint64_t, i);
    while (k < n_held && held[k] < key)
      ++k;
    if (k < n_held && held[k] == key)
      g_array_append_val (common, key);
  }
  checkpoints_free (all);
  g_array_unref (any.keys);
  return common;
}

/* The one that has most; of several the first by name. */
static void
film_cone_look_at (void *arg, const char *folder, uint64_t plan)
{
  Looking *l = arg;
  const Cone *c = l->c;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  Lender found = { 0 };

  if (film_manifest_read (folder, &found.m, NULL) && !found.m.torn && found.m.state == FILM_COMPLETE
      && found.m.trace == l->m->trace && found.m.side == c->parts->side && found.m.plugins == l->m->plugins
      && !(found.m.said && *found.m.said) && film_check (folder, &found.m, &(FilmCheck){ 0 }, problems)
      && !problems->len)
    found.keys = common_keys (c, l->m, folder, found.m.events);
  guint n = found.keys ? found.keys->len : 0, best = l->best.keys ? l->best.keys->len : 0;
  if (n == 0 || n < best || (n == best && strcmp (folder, l->best.folder) > 0)) {
    lender_clear (&found);
    return;
  }
  lender_clear (&l->best);
  found.folder = g_strdup (folder);
  l->best = found;
}

/* ---- what has to be played ----------------------------------------------------------------------------------------- */

static int
film_cone_by_value (const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

static bool
has_key (const GArray *keys, uint64_t key)
{
  return bsearch (&key, keys->data, keys->len, sizeof key, film_cone_by_value) != NULL;
}

/* What nobody knows of, and what is upstream of it.  What a component does may hang on which of its outputs somebody
 * listens to: these are played too.  NULL: that is all that holds something. */
static bool *
film_cone_of (const Cone *c, const Lender *l)
{
  EveProgram *p = c->s->program;
  g_autofree bool *played = g_new0 (bool, c->parts->n + 1);
  g_autoptr (GHashTable) number = g_hash_table_new (NULL, NULL);
  bool more = true, spares = false;

  for (uint32_t i = 0; i < c->parts->n; ++i) {
    uint64_t key = c->parts->key[i];
    played[i] = (key && !has_key (l->keys, key)) || layers_lack (eve_component (p, i), c->folder);
    g_hash_table_insert (number, eve_component (p, i), GUINT_TO_POINTER (i));
  }
  while (more) {
    more = false;
    for (uint32_t i = 0; i < eve_n_flows (p); ++i) {
      EveWire w = eve_flow (p, i);
      int output = w.broken ? -1 : eve_class_out (eve_class (w.from), w.out);
      if (output < 0)
        continue;
      bool *from = &played[GPOINTER_TO_UINT (g_hash_table_lookup (number, w.from))],
           *to = &played[GPOINTER_TO_UINT (g_hash_table_lookup (number, w.to))];
      bool listens = !layers_keep (w.from, (uint32_t) output);
      if (*from != *to && (*to || listens))
        *from = *to = more = true;
    }
  }
  for (uint32_t i = 0; i < c->parts->n; ++i)
    spares |= c->parts->key[i] && !played[i] && !eve_query (eve_component (p, i), "trace-reader/1");
  return spares ? g_steal_pointer (&played) : NULL;
}

/* Whether all that is there is by what it is in the whole program. */
static bool
film_cone_is_same (const Session *whole, const Session *part)
{
  uint32_t n = eve_n_components (whole->program), n_part = eve_n_components (part->program);
  g_autofree uint64_t *of = g_new0 (uint64_t, n + 1), *of_part = g_new0 (uint64_t, n_part + 1);
  g_autofree bool *alone = g_new0 (bool, n + 1), *alone_part = g_new0 (bool, n_part + 1);
  uint32_t same = 0;

  eve_program_identities (whole->program, of, alone);
  eve_program_identities (part->program, of_part, alone_part);
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t k = 0; k < n_part; ++k)
      if (strcmp (eve_name (eve_component (whole->program, i)), eve_name (eve_component (part->program, k))) == 0)
        same += of[i] == of_part[k] && alone[i] && alone_part[k];
  return same == n_part;
}

/* A session of the cone alone; NULL: it would do something else than in the whole program. */
static Session *
open_cone (const Cone *c, const bool *played)
{
  const Session *s = c->s;
  g_autofree char *text = eve_program_text (s->program);
  Session *part = session_open (&(SessionOptions){ .trace = s->trace,
                                                   .format = s->format,
                                                   .program = s->program_path,
                                                   .text = text,
                                                   .warn = s->options.warn,
                                                   .arg = s->options.arg,
                                                   .may_read = s->options.may_read,
                                                   .progress = c->o->progress },
                                NULL);

  if (!part)
    return NULL;
  for (uint32_t i = 0; i < c->parts->n; ++i) {
    EveComponent *there = played[i] ? NULL : eve_find (part->program, eve_name (eve_component (s->program, i)));
    if (there && eve_use (there) == EVE_WORKS) /* what is bypassed lets something pass */
      eve_remove (part->program, there);
  }
  session_refresh (part);
  if (part->readers->len == 1 && film_cone_is_same (s, part))
    return part;
  session_free (part);
  return NULL;
}

/* ---- playing --------------------------------------------------------------------------------------------------------- */

typedef struct Playing {
  const Cone *c;
  const Lender *lender;
  Session *part;
  Layers *layers, *counts; /* of the cone; of the whole program */
  Checkpoints *from, *to;
  int *of; /* eve_program_load_parts() */
} Playing;

/* To where the other film has a checkpoint.  1: there, 0: that is elsewhere, -1: failed. */
static int
play_to (const Playing *p, const Checkpoint *goal, GError **error)
{
  uint64_t before = drive_given (p->part);
  int more;

  if (goal->ended)
    drive_end (p->part);
  else
    drive_events (p->part, goal->event);
  do {
    more = drive_slice (p->part, 10 * 1000000, error);
    uint64_t given = drive_given (p->part);
    guard_beat ();
    guard_doing (_ (", near event %" PRIu64), given);
    if (more >= 0
        && !drive_report (p->c->o->progress, _ ("playing what is new"),
                          (double) given / (double) MAX (p->lender->m.events, 1), error))
      more = -1;
  } while (more > 0);
  p->c->stats->events_shot += drive_given (p->part) - before;
  return more < 0 ? -1 : drive_given (p->part) == goal->event && drive_date (p->part) == goal->date;
}

/* What the other film and the cone hold there becomes a checkpoint of the whole program.  As play_to(). */
static int
film_cone_join (const Playing *p, guint i, GError **error)
{
  EveProgram *whole = p->c->s->program;
  Checkpoint what = *checkpoints_nth (p->from, i);
  g_autoptr (GBytes) held = checkpoints_read (p->from, i, NULL);
  EveBlob *played = eve_blob_new (), *joined = eve_blob_new ();
  EveRunState states[2] = { { 0 }, { 0 } };
  gsize n_held;
  guint n_keys;
  int done = 0;

  if (held) {
    states[0].data = g_bytes_get_data (held, &n_held);
    states[0].n_bytes = what.run_bytes ? MIN (what.run_bytes, n_held) : n_held;
  }
  eve_program_save_run (p->part->program, played);
  states[1].data = eve_blob_data (played, &states[1].n_bytes);
  if (held && eve_program_load_parts (whole, states, 2, p->of, NULL) && drive_given (p->c->s) == what.event) {
    size_t n;
    g_autofree uint64_t *keys = parts_held (p->c->parts, p->c->s, &n_keys);
    eve_program_save_run (whole, joined);
    const void *bytes = eve_blob_data (joined, &n);
    what.keys = keys;
    what.n_keys = n_keys;
    what.run_bytes = n;
    what.travel_only = true; /* where histories stand is not said: they are whole, or not there */
    what.of_another = false;
    what.when_us = g_get_real_time ();
    done = checkpoints_append (p->to, &what, bytes, n, error) ? 1 : -1;
  }
  eve_blob_free (played);
  eve_blob_free (joined);
  return done;
}

static int
film_cone_play (Playing *p, GError **error)
{
  guint n = checkpoints_n (p->from);
  int going = n > 0 && checkpoints_nth (p->from, n - 1)->ended;

  drive_reset (p->part);
  for (guint i = 0; going > 0 && i < n; ++i) {
    going = play_to (p, checkpoints_nth (p->from, i), error);
    if (going > 0)
      going = film_cone_join (p, i, error);
    if (going > 0 && checkpoints_n (p->from) != n)
      going = 0; /* one was damaged */
  }
  return going > 0 && !layers_flush (p->layers, INT64_MAX, error) ? -1 : going;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

/* What readers, simulators and the controller alone decide is theirs. */
static bool
film_cone_take_over (const Cone *c, const Lender *l)
{
  static const char *const files[] = { "overview", "commands", "tasks", "groups", "traffic", "schema" };
  bool ok = true;

  for (guint i = 0; ok && i < G_N_ELEMENTS (files); ++i) {
    g_autofree char *from = g_build_filename (l->folder, files[i], NULL),
                    *to = g_build_filename (c->folder, files[i], NULL);
    ok = !g_file_test (from, G_FILE_TEST_EXISTS) || layer_copy_file (from, to);
  }
  return ok;
}

static void
film_cone_tell (const Cone *c, const bool *played)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n = 0;

  for (uint32_t i = 0; i < c->parts->n; ++i)
    if (played[i] && n++ < 8)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", eve_name (eve_component (c->s->program, i)));
  if (n > 8)
    g_string_append_printf (names, _ (" and %u more"), n - 8);
  g_autofree char *sentence = g_strdup_printf (_ ("the film of another program has all but %s: only that is played"),
                                               names->str);
  if (c->o->say)
    c->o->say (c->o->arg, sentence);
}

static ConeResult
shoot_cone (const Cone *c, const Lender *l, const FilmManifest *m, const bool *played, Session *part, GError **error)
{
  g_autofree char *from = g_build_filename (l->folder, "checkpoints", NULL),
                  *to = g_build_filename (c->folder, "checkpoints", NULL);
  Parts common = { .keys = l->keys };
  g_autofree int *of = g_new0 (int, c->parts->n + 1);
  DriveListener listener = { .heard = drive_heard_new () };
  int done = 0;

  for (uint32_t i = 0; i < c->parts->n; ++i)
    of[i] = !c->parts->key[i] ? -1 : has_key (l->keys, c->parts->key[i]) ? 0 : 1;
  Playing p = { .c = c,
                .lender = l,
                .part = part,
                .layers = layers_new (part->program, &(LayersOptions){ .folder = c->folder, .all = true }, NULL),
                .counts = layers_new (c->s->program,
                                      &(LayersOptions){ .folder = c->folder, .all = true, .counts = true }, NULL),
                .from = checkpoints_open_parts (from, m->plan, m->trace, &common, NULL, NULL),
                .to = checkpoints_open (to, m->plan, m->trace, true, NULL, NULL),
                .of = of };
  drive_listen (part, &listener);
  if (p.layers && p.counts && p.from && p.to
      && 2 * checkpoints_n (p.from) >= checkpoints_n (p.from) + checkpoints_n_others (p.from)) {
    film_cone_tell (c, played);
    done = film_cone_play (&p, error);
  }
  drive_listen (part, NULL);
  layers_free (p.layers);
  layers_free (p.counts);
  checkpoints_free (p.from);
  checkpoints_free (p.to);
  g_array_unref (listener.heard);
  return done < 0                                                                                  ? CONE_FAILED
         : done && film_cone_take_over (c, l) && layers_are_whole (c->s->program, true, c->folder) ? CONE_DONE
                                                                                                   : CONE_NONE;
}

static ConeResult
from_lender (const Cone *c, Lender *l, FilmManifest *m, GError **error)
{
  guint taken = layers_borrow (c->s->program, true, c->folder, l->folder);
  g_autofree bool *played = film_cone_of (c, l);
  Session *part = played ? open_cone (c, played) : NULL;
  ConeResult result = CONE_NONE;

  if (!part)
    return CONE_NONE;
  result = shoot_cone (c, l, m, played, part, error);
  if (result == CONE_DONE && eve_program_missing (part->program))
    result = CONE_NONE; /* who plays all of it tells that as ever */
  if (result == CONE_DONE) {
    m->state = FILM_COMPLETE;
    m->events = l->m.events;
    m->n_events = l->m.n_events;
    m->damaged = l->m.damaged;
    m->date = l->m.date;
    g_free (m->said);
    m->said = film_missing (part->program);
    c->stats->events = m->events;
    c->stats->missing = eve_program_missing (part->program) != NULL;
    c->stats->histories_taken = taken;
    c->stats->of_cone = true;
    if (!film_write_program (c->folder, c->s->program, error) || !film_manifest_write (c->folder, m, error))
      result = CONE_FAILED;
  }
  session_free (part);
  return result;
}

ConeResult
film_cone (const Cone *c, FilmManifest *m, GError **error)
{
  Looking looking = { .c = c, .m = m };
  ConeResult result = CONE_NONE;

  if (c->s->readers->len != 1 || c->parts->in_order || c->o->until < c->s->last || c->s->source->abilities & TRACE_LIVE)
    return CONE_NONE;
  film_each_beside (c->own, film_cone_look_at, &looking);
  if (!looking.best.folder)
    return CONE_NONE;
  m->state = FILM_SHOOTING;
  result = film_manifest_write (c->folder, m, error) ? from_lender (c, &looking.best, m, error) : CONE_FAILED;
  lender_clear (&looking.best);
  if (result != CONE_DONE && !film_wipe (c->folder, result == CONE_NONE ? error : NULL) && result == CONE_NONE)
    result = CONE_FAILED;
  if (result != CONE_DONE)
    drive_reset (c->s);
  return result;
}
