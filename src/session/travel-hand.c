/* SPDX-License-Identifier: Apache-2.0 */
/* travel-hand.c - states that were saved by hand or at a mark: of the program that is there, and of others, which serve
 * again when the program is theirs again. */
#include <string.h>
#include "session/travel-private.h"
#include "eve/words.h"

/* One in memory, of a program that was here before. */
typedef struct Elsewhere {
  Kept kept;
  uint64_t trace, plan;
} Elsewhere;

/* A program that was here, or is. */
typedef struct Visited {
  uint64_t trace, plan;
  char *folder; /* of its film; NULL: it has none */
} Visited;

static void
elsewhere_clear (void *elsewhere)
{
  g_clear_pointer (&((Elsewhere *) elsewhere)->kept.bytes, g_bytes_unref);
}

static void
visited_clear (void *visited)
{
  g_free (((Visited *) visited)->folder);
}

void
travel_hand_new (Travel *t)
{
  t->elsewhere = g_array_new (FALSE, TRUE, sizeof (Elsewhere));
  g_array_set_clear_func (t->elsewhere, elsewhere_clear);
  t->visited = g_array_new (FALSE, TRUE, sizeof (Visited));
  g_array_set_clear_func (t->visited, visited_clear);
  t->others = g_array_new (FALSE, TRUE, sizeof (TravelOther));
}

void
travel_hand_free (Travel *t)
{
  g_array_unref (t->elsewhere);
  g_array_unref (t->visited);
  g_array_unref (t->others);
}

/* ---- another program comes ----------------------------------------------------------------------------------------- */

void
travel_hand_leave (Travel *t)
{
  for (guint i = 0; i < t->memory->len; ++i) {
    const Kept *k = &g_array_index (t->memory, Kept, i);
    Elsewhere e = { *k, t->o.trace, t->o.plan };
    if (k->what.kind != CHECKPOINT_BY_HAND)
      continue;
    g_bytes_ref (k->bytes);
    g_array_append_val (t->elsewhere, e);
  }
}

static bool
is_here (const Travel *t, uint64_t trace, uint64_t plan)
{
  return trace == t->o.trace && plan == t->o.plan;
}

static const Visited *
visited (const Travel *t, uint64_t trace, uint64_t plan)
{
  for (guint i = 0; i < t->visited->len; ++i) {
    const Visited *v = &g_array_index (t->visited, Visited, i);
    if (v->trace == trace && v->plan == plan)
      return v;
  }
  return NULL;
}

#define COMPARED(a, b) (((a) > (b)) - ((a) < (b)))

/* 0: the same one, of the same program. */
static int
by_event_and_program (gconstpointer a, gconstpointer b)
{
  const TravelOther *x = a, *y = b;
  int order[] = { COMPARED (x->what.event, y->what.event), COMPARED (x->what.ended, y->what.ended),
                  strcmp (x->what.name, y->what.name), COMPARED (x->plan, y->plan), COMPARED (x->trace, y->trace) };

  for (guint i = 0; i < G_N_ELEMENTS (order); ++i)
    if (order[i])
      return order[i];
  return 0;
}

static void
travel_hand_add_file (Travel *t, const char *folder, uint64_t trace, uint64_t plan, bool was_here)
{
  g_autofree char *path = g_build_filename (folder, FILM_BY_HAND, NULL);
  Checkpoints *c = g_file_test (path, G_FILE_TEST_EXISTS) ? checkpoints_open (path, plan, trace, false, NULL, NULL)
                                                          : NULL;

  for (guint i = 0; c && i < checkpoints_n (c); ++i)
    g_array_append_vals (t->others, &(TravelOther){ *checkpoints_nth (c, i), trace, plan, was_here }, 1);
  checkpoints_free (c);
}

static void
add_beside (void *arg, const char *folder, uint64_t plan)
{
  Travel *t = arg;

  if (!is_here (t, t->o.trace, plan) && !visited (t, t->o.trace, plan))
    travel_hand_add_file (t, folder, t->o.trace, plan, false);
}

void
travel_hand_come (Travel *t)
{
  if (!visited (t, t->o.trace, t->o.plan)) {
    Visited v = { t->o.trace, t->o.plan, g_strdup (t->hand_folder) };
    g_array_append_val (t->visited, v);
  }
  g_array_set_size (t->others, 0);
  for (guint i = t->elsewhere->len; i-- > 0;) {
    Elsewhere *e = &g_array_index (t->elsewhere, Elsewhere, i);
    if (is_here (t, e->trace, e->plan)) {
      travel_keep (t, &e->kept.what, g_steal_pointer (&e->kept.bytes));
      g_array_remove_index (t->elsewhere, i);
    } else
      g_array_append_vals (t->others, &(TravelOther){ e->kept.what, e->trace, e->plan, true }, 1);
  }
  for (guint i = 0; i < t->visited->len; ++i) {
    const Visited *v = &g_array_index (t->visited, Visited, i);
    if (v->folder && !is_here (t, v->trace, v->plan))
      travel_hand_add_file (t, v->folder, v->trace, v->plan, true);
  }
  if (t->hand_folder)
    film_each_beside (t->hand_folder, add_beside, t);
  g_array_sort (t->others, by_event_and_program);
  guint n = 0; /* what was saved in this session is in memory and in a file: once is enough */
  for (guint i = 0; i < t->others->len; ++i) {
    TravelOther *all = &g_array_index (t->others, TravelOther, 0);
    if (!n || by_event_and_program (&all[n - 1], &all[i]) != 0)
      all[n++] = all[i];
  }
  g_array_set_size (t->others, n);
}

const GArray *
travel_others (const Travel *t)
{
  return t->others;
}

const char *
travel_other_says (const TravelOther *o)
{
  return o->was_here ? _ ("it is of the program as it was before an edit; undo or redo to use it")
                     : _ ("it is of another program; open that one to use it");
}

/* ---- saving -------------------------------------------------------------------------------------------------------- */

/* Saved twice, it is written once. */
static bool
is_there (Checkpoints *c, const Checkpoint *what, GBytes *bytes)
{
  for (guint i = 0; i < checkpoints_n (c); ++i) {
    const Checkpoint *p = checkpoints_nth (c, i);
    if (p->event != what->event || p->ended != what->ended || strcmp (p->name, what->name) != 0)
      continue;
    g_autoptr (GBytes) there = checkpoints_read (c, i, NULL);
    if (there && g_bytes_equal (there, bytes))
      return true;
    i -= !there; /* damaged, and dropped from the list */
  }
  return false;
}

bool
travel_save (Travel *t, const char *name, CheckpointKind kind, GError **error)
{
  Target here = travel_here (t);
  if (t->mixed && !travel_go (t, &here, error))
    return false;
  Checkpoint what = travel_describe_present (t, kind, name);
  GBytes *bytes = travel_run_state (t->s);
  gsize n;
  const void *data = g_bytes_get_data (bytes, &n);
  bool ok = true;

  if (t->film_folder) {
    g_autofree char *path = g_build_filename (t->hand_folder, FILM_BY_HAND, NULL);
    if (!g_str_equal (t->hand_folder, t->film_folder))
      g_mkdir_with_parents (t->hand_folder, 0700); /* else it is told that nothing can be written */
    if (t->hand)
      checkpoints_free (t->hand);
    t->hand = checkpoints_open (path, t->o.plan, t->o.trace, true, NULL, error);
    ok = t->hand && (is_there (t->hand, &what, bytes) || checkpoints_append (t->hand, &what, data, n, error));
    if (!ok)
      g_prefix_error (error, _ ("it is kept until Scope is closed, no longer; "));
  }
  what.kind = CHECKPOINT_BY_HAND; /* in memory: never given up */
  travel_keep (t, &what, bytes);
  return ok;
}

bool
travel_mark_placed (Travel *t, const char *name)
{
  return strategy_mark_saves (&t->o.strategy, &t->now) && travel_save (t, name, CHECKPOINT_MARK, NULL);
}

/* ---- finding ------------------------------------------------------------------------------------------------------- */

static int
travel_hand_by_event (gconstpointer a, gconstpointer b)
{
  const Checkpoint *x = a, *y = b;

  return COMPARED (x->event, y->event);
}

static guint
name_hash (gconstpointer c)
{
  return g_int64_hash (&((const Checkpoint *) c)->event) ^ g_str_hash (((const Checkpoint *) c)->name);
}

static gboolean
name_equal (gconstpointer a, gconstpointer b)
{
  const Checkpoint *x = a, *y = b;

  return x->event == y->event && strcmp (x->name, y->name) == 0;
}

GArray *
travel_checkpoints (Travel *t)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Checkpoint));
  g_autoptr (GHashTable) events = g_hash_table_new (g_int64_hash, g_int64_equal),
                         named = g_hash_table_new (name_hash, name_equal);

  if (t->film)
    checkpoints_refresh (t->film, NULL);
  for (guint i = 0; t->film && i < checkpoints_n (t->film); ++i) {
    g_hash_table_add (events, &checkpoints_nth (t->film, i)->event);
    g_array_append_vals (all, checkpoints_nth (t->film, i), 1);
  }
  for (guint i = 0; t->hand && i < checkpoints_n (t->hand); ++i) {
    g_hash_table_add (events, &checkpoints_nth (t->hand, i)->event);
    g_hash_table_add (named, checkpoints_nth (t->hand, i));
    g_array_append_vals (all, checkpoints_nth (t->hand, i), 1);
  }
  for (guint i = 0; i < t->memory->len; ++i) {
    const Checkpoint *c = &g_array_index (t->memory, Kept, i).what;
    if (c->kind == CHECKPOINT_BY_HAND ? !g_hash_table_contains (named, c) : !g_hash_table_contains (events, &c->event))
      g_array_append_vals (all, c, 1);
  }
  g_array_sort (all, travel_hand_by_event);
  return all;
}

bool
travel_to_checkpoint (Travel *t, const char *name, GError **error)
{
  g_autoptr (GArray) all = travel_checkpoints (t);

  for (guint i = all->len; i-- > 0;) {
    const Checkpoint *c = &g_array_index (all, Checkpoint, i);
    if (g_str_equal (c->name, name))
      return c->ended ? travel_to_end (t, error) : travel_to_event (t, c->event, error);
  }
  for (guint i = t->others->len; i-- > 0;) {
    const TravelOther *o = &g_array_index (t->others, TravelOther, i);
    if (g_str_equal (o->what.name, name)) {
      g_set_error (error, FILM_ERROR, FILM_ERROR_TARGET, _ ("the checkpoint %s does not serve: %s"), name,
                   travel_other_says (o));
      return false;
    }
  }
  g_set_error (error, FILM_ERROR, FILM_ERROR_TARGET, _ ("there is no checkpoint called %s"), name);
  return false;
}
