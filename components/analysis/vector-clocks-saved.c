/* SPDX-License-Identifier: Apache-2.0 */
/* Vector Clocks: how it is saved, and understood again. */
#include "components/analysis/vector-clocks.h"

static void
put_known (const Known *known, uint32_t n, EveBlob *to)
{
  for (uint32_t i = 0; i < n; i++) {
    eve_put_int (to, known[i].events);
    eve_put_int (to, known[i].date);
  }
}

/* A number within bounds; else *ok is false. */
static int64_t
vector_clocks_saved_get (EveBlobView *from, int64_t low, int64_t high, bool *ok)
{
  int64_t v = eve_get_int (from);

  *ok = *ok && eve_get_ok (from) && v >= low && v <= high;
  return *ok ? v : low;
}

static Known *
get_known (uint32_t n, EveBlobView *from, bool *ok)
{
  Known *known = g_new0 (Known, MOST_TASKS);

  for (uint32_t i = 0; i < n && *ok; i++) {
    known[i].events = vector_clocks_saved_get (from, 0, MOST_EVENTS, ok);
    known[i].date = eve_get_int (from);
  }
  return known;
}

static void
vector_clocks_saved_put_task (const Task *t, uint32_t n, EveBlob *to)
{
  eve_put_int (to, t->born != NULL);
  if (t->born)
    put_known (t->born, MOST_TASKS, to);
  eve_put_int (to, t->known != NULL);
  if (!t->known)
    return;
  eve_put_int (to, t->meets);
  eve_put_int (to, t->meeting);
  eve_put_int (to, t->roots);
  put_known (t->known, n, to);
  eve_put_int (to, t->begun);
  eve_put_int (to, t->after);
  eve_put_int (to, t->after_at);
  eve_put_int (to, t->told);
  eve_put_int (to, t->n_open);
  for (uint32_t i = 0; i < MIN (t->n_open, MOST_OPEN); i++) {
    eve_put_int (to, t->open[i].event);
    eve_put_int (to, t->open[i].date);
    eve_put_int (to, t->open[i].from);
    eve_put_int (to, t->open[i].tag);
  }
}

static void
put_group (const Group *g, EveBlob *to)
{
  eve_put_int (to, g != NULL);
  if (!g)
    return;
  eve_put_int (to, g->meeting);
  eve_put_int (to, g->come);
  eve_put_int (to, g->expected);
  eve_put_int (to, g->all != NULL);
  if (g->all)
    put_known (g->all, MOST_TASKS, to);
  eve_put_int (to, g->parted != NULL);
  if (g->parted)
    put_known (g->parted, MOST_TASKS, to);
  eve_put_int (to, g->nth != NULL);
  for (uint32_t i = 0; g->nth && i < MOST_TASKS; i++)
    eve_put_int (to, g->nth[i]);
  for (uint32_t i = 0; g->nth && i < MOST_ROOTED; i++) {
    const Rooted *r = &g->rooted[i];
    eve_put_int (to, r->known ? r->nth : 0);
    if (r->known && r->nth > 0) {
      eve_put_int (to, r->n);
      put_known (r->known, r->n, to);
    }
  }
}

static int
vector_clocks_saved_by_key (gconstpointer a, gconstpointer b)
{
  const Flying *x = *(Flying *const *) a, *y = *(Flying *const *) b;

  return x->from != y->from       ? (x->from > y->from) - (x->from < y->from)
         : x->to != y->to         ? (x->to > y->to) - (x->to < y->to)
         : x->object != y->object ? (x->object > y->object) - (x->object < y->object)
                                  : (x->tag > y->tag) - (x->tag < y->tag);
}

void
vectors_save (EveComponent *c, EveBlob *to)
{
  const VectorClocks *self = (const VectorClocks *) c;
  g_autoptr (GPtrArray) chains = g_ptr_array_new ();
  GHashTableIter each;
  gpointer first;

  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->date);
  eve_put_int (to, self->instant);
  eve_put_int (to, self->passed);
  eve_put_int (to, (int64_t) self->lost);
  eve_put_int (to, (int64_t) self->beyond);
  eve_put_int (to, (int64_t) self->unsent);
  eve_put_int (to, self->n_tasks);
  for (uint32_t i = 0; i < MOST_TASKS; i++) /* those that are born and have not begun, too */
    vector_clocks_saved_put_task (&self->tasks[i], self->n_tasks, to);
  eve_put_int (to, self->then != NULL);
  if (self->then)
    put_known (self->then, self->n_tasks, to);
  for (g_hash_table_iter_init (&each, self->flying); g_hash_table_iter_next (&each, &first, NULL);)
    g_ptr_array_add (chains, first);
  g_ptr_array_sort (chains, vector_clocks_saved_by_key);
  eve_put_int (to, self->n_flying);
  for (guint i = 0; i < chains->len; i++)
    for (const Flying *f = chains->pdata[i]; f; f = f->next) {
      eve_put_int (to, f->from);
      eve_put_int (to, f->to);
      eve_put_int (to, f->object);
      eve_put_int (to, f->tag);
      eve_put_int (to, f->thread);
      eve_put_int (to, f->met);
      eve_put_int (to, f->n);
      put_known (f->known, f->n, to);
    }
  eve_put_int (to, self->groups->len);
  for (guint i = 0; i < self->groups->len; i++)
    put_group (self->groups->pdata[i], to);
  eve_put_int (to, self->races->len);
  for (guint i = 0; i < self->races->len; i++) {
    const Race *r = &g_array_index (self->races, Race, i);
    const int64_t all[] = { r->date, r->other_sent, r->task, r->from, r->other, r->tag };
    eve_put_ints (to, all, G_N_ELEMENTS (all));
  }
  eve_put_int (to, self->early->len);
  for (guint i = 0; i < self->early->len; i++) {
    const Early *r = &g_array_index (self->early, Early, i);
    const int64_t all[] = { r->from, r->to, r->object, r->tag, r->date };
    eve_put_ints (to, all, G_N_ELEMENTS (all));
  }
  eve_put_int (to, (int64_t) self->n_impossible);
  eve_put_int (to, self->impossible->len);
  for (guint i = 0; i < self->impossible->len; i++) {
    const Impossible *r = &g_array_index (self->impossible, Impossible, i);
    const int64_t all[] = { r->cause, r->date, r->from, r->to, r->tag, r->birth };
    eve_put_ints (to, all, G_N_ELEMENTS (all));
  }
}

static void
vector_clocks_saved_get_task (Task *t, uint32_t n, EveBlobView *from, bool *ok)
{
  if (vector_clocks_saved_get (from, 0, 1, ok) == 1)
    t->born = get_known (MOST_TASKS, from, ok);
  if (vector_clocks_saved_get (from, 0, 1, ok) == 0)
    return;
  t->meets = (uint32_t) vector_clocks_saved_get (from, 0, MOST_GROUPS, ok);
  t->meeting = vector_clocks_saved_get (from, 0, MOST_EVENTS, ok);
  t->roots = (uint32_t) vector_clocks_saved_get (from, 0, MOST_GROUPS, ok);
  t->known = get_known (n, from, ok);
  t->begun = eve_get_int (from);
  t->after = vector_clocks_saved_get (from, 0, MOST_EVENTS, ok);
  t->after_at = eve_get_int (from);
  t->told = vector_clocks_saved_get (from, 0, 1, ok);
  t->n_open = (uint32_t) vector_clocks_saved_get (from, 0, UINT32_MAX, ok);
  for (uint32_t i = 0; *ok && i < MIN (t->n_open, MOST_OPEN); i++) {
    t->open[i].event = eve_get_int (from);
    t->open[i].date = eve_get_int (from);
    t->open[i].from = (uint32_t) vector_clocks_saved_get (from, 0, MOST_TASKS - 1, ok);
    t->open[i].tag = (int32_t) vector_clocks_saved_get (from, INT32_MIN, INT32_MAX, ok);
  }
}

static void
get_groups (VectorClocks *self, EveBlobView *from, bool *ok)
{
  uint32_t n = (uint32_t) vector_clocks_saved_get (from, 0, MOST_GROUPS, ok);

  for (uint32_t i = 0; i < n && *ok; i++) {
    if (vector_clocks_saved_get (from, 0, 1, ok) == 0)
      continue;
    Group *g = vectors_group (self, i);
    g->meeting = vector_clocks_saved_get (from, 0, MOST_EVENTS, ok);
    g->come = vector_clocks_saved_get (from, 0, MOST_EVENTS, ok);
    g->expected = vector_clocks_saved_get (from, INT64_MIN, INT64_MAX, ok);
    if (vector_clocks_saved_get (from, 0, 1, ok) == 1)
      g->all = get_known (MOST_TASKS, from, ok);
    if (vector_clocks_saved_get (from, 0, 1, ok) == 1)
      g->parted = get_known (MOST_TASKS, from, ok);
    if (vector_clocks_saved_get (from, 0, 1, ok) == 0)
      continue;
    g->nth = g_new0 (int64_t, MOST_TASKS);
    for (uint32_t k = 0; k < MOST_TASKS && *ok; k++)
      g->nth[k] = vector_clocks_saved_get (from, 0, MOST_EVENTS, ok);
    for (uint32_t k = 0; k < MOST_ROOTED && *ok; k++) {
      Rooted *r = &g->rooted[k];
      r->nth = vector_clocks_saved_get (from, 0, MOST_EVENTS, ok);
      r->n = r->nth > 0 ? (uint32_t) vector_clocks_saved_get (from, 0, MOST_TASKS, ok) : 0;
      if (r->nth > 0)
        r->known = get_known (*ok ? r->n : 0, from, ok);
    }
  }
}

static void
get_flying (VectorClocks *self, EveBlobView *from, bool *ok)
{
  for (int64_t n = vector_clocks_saved_get (from, 0, MOST_FLYING, ok); n > 0 && *ok; n--) {
    Flying *f = g_new0 (Flying, 1);
    f->room = MOST_TASKS;
    f->from = (uint32_t) vector_clocks_saved_get (from, 0, MOST_TASKS - 1, ok);
    f->to = (uint32_t) vector_clocks_saved_get (from, 0, MOST_TASKS - 1, ok);
    f->object = (uint32_t) vector_clocks_saved_get (from, 0, UINT32_MAX, ok);
    f->tag = (int32_t) vector_clocks_saved_get (from, INT32_MIN, INT32_MAX, ok);
    f->thread = (int32_t) vector_clocks_saved_get (from, INT32_MIN, INT32_MAX, ok);
    f->met = vector_clocks_saved_get (from, 0, INT64_MAX, ok);
    f->n = (uint32_t) vector_clocks_saved_get (from, (int64_t) f->from + 1, MOST_TASKS, ok);
    f->known = get_known (*ok ? f->n : 0, from, ok);
    vectors_push (self, f);
  }
}

static void
get_impossible (VectorClocks *self, EveBlobView *from, bool *ok)
{
  for (int64_t n = vector_clocks_saved_get (from, 0, MOST_EARLY, ok); n > 0 && *ok; n--) {
    int64_t all[5];
    *ok = eve_get_ints (from, all, 5) == 5 && all[0] >= 0 && all[0] < MOST_TASKS && all[1] >= 0 && all[1] < MOST_TASKS
          && all[2] >= 0 && all[2] <= UINT32_MAX;
    const Early r = { (uint32_t) all[0], (uint32_t) all[1], (uint32_t) all[2], (int32_t) all[3], all[4] };
    g_array_append_val (self->early, r);
  }
  self->n_impossible = (uint64_t) vector_clocks_saved_get (from, 0, INT64_MAX, ok);
  for (int64_t n = vector_clocks_saved_get (from, 0, MOST_IMPOSSIBLE, ok); n > 0 && *ok; n--) {
    int64_t all[6];
    *ok = eve_get_ints (from, all, 6) == 6 && all[2] >= 0 && all[2] < MOST_TASKS && all[3] >= 0 && all[3] < MOST_TASKS;
    const Impossible r = { all[0], all[1], (uint32_t) all[2], (uint32_t) all[3], (int32_t) all[4], all[5] != 0 };
    g_array_append_val (self->impossible, r);
  }
}

bool
vectors_load (EveComponent *c, EveBlobView *from)
{
  VectorClocks *self = (VectorClocks *) c;
  bool ok = true;

  vectors_reset (c);
  self->source = trace_get_source (eve_program (c), from);
  if (self->source != 0)
    vectors_bind (self);
  self->date = eve_get_int (from);
  self->instant = eve_get_int (from);
  self->passed = vector_clocks_saved_get (from, 0, 1, &ok);
  self->lost = (uint64_t) eve_get_int (from);
  self->beyond = (uint64_t) eve_get_int (from);
  self->unsent = (uint64_t) eve_get_int (from);
  self->n_tasks = (uint32_t) vector_clocks_saved_get (from, 0, MOST_TASKS, &ok);
  for (uint32_t i = 0; ok && i < MOST_TASKS; i++)
    vector_clocks_saved_get_task (&self->tasks[i], self->n_tasks, from, &ok);
  if (ok && vector_clocks_saved_get (from, 0, 1, &ok) == 1)
    self->then = get_known (self->n_tasks, from, &ok);
  get_flying (self, from, &ok);
  get_groups (self, from, &ok);
  for (int64_t n = vector_clocks_saved_get (from, 0, MOST_RACES, &ok); n > 0 && ok; n--) {
    int64_t all[6];
    ok = eve_get_ints (from, all, 6) == 6;
    for (int i = 2; i <= 4 && ok; i++)
      ok = all[i] >= 0 && all[i] < MOST_TASKS;
    const Race r = { all[0], all[1], (uint32_t) all[2], (uint32_t) all[3], (uint32_t) all[4], (int32_t) all[5] };
    g_array_append_val (self->races, r);
  }
  get_impossible (self, from, &ok);
  return ok && eve_get_ok (from);
}
