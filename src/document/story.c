/* SPDX-License-Identifier: Apache-2.0 */
#include "document/story.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "document/private.h"
#include "readers/another.h"
#include "readers/pair.h"
#include "statistics/stretch.h"
#include "statistics/types.h"
#include "views/layer.h"
#include "views/paint.h"

#define EXACT_MOST 400000 /* intervals, or messages, that are looked at one by one */

typedef struct Pair {
  gint64 number; /* from << 32 | to */
  uint64_t n;
  int64_t bytes;
} Pair;

/* What stories are read from, open while the film is the same: a range that is dragged is told many times a second. */
struct StoryFilm {
  char *base, *messages_base, *waits_base, *folder; /* of what is open */
  StatesReader *states;
  MessagesReader *messages; /* NULL: nobody knows of any */
  Stretches *waits;         /* NULL: nobody tells of any */
  Names *names;
  uint32_t n_names; /* tasks that the trace knew when these were read */
  bool complete;    /* they will be no more */
};

typedef struct Telling {
  Story *s;
  StatesReader *states;     /* of the document */
  MessagesReader *messages; /* the same; NULL: nobody knows of any */
  Stretches *waits;         /* the same */
  const StateModel *model;
  int attribute;
  Names *names; /* the same */
  const TraceSource *source;
  GHashTable *rows;  /* name -> StoryRow *, of the story; not by task */
  GHashTable *pairs; /* number of a pair -> Pair *, owned */
  GPtrArray *of;     /* task -> StoryRow * */
  double *time;      /* by value of the model */
  guint n_values;
} Telling;

/* ---- where it is kept ------------------------------------------------------------------------------------------------ */

static EveComponent *
story_simulator_of (ScopeDocument *d)
{
  const StateGraph *g = scope_document_graph (d);
  EveProgram *p = scope_document_program (d);

  for (uint32_t i = 0; g && i < eve_n_components (p); ++i)
    if (eve_query (eve_component (p, i), "state-graph/1") == g)
      return eve_component (p, i);
  return NULL;
}

static char *
layer_of (EveComponent *simulator, const EveType *type, const char *film)
{
  const EveClass *k = eve_class (simulator);

  for (uint32_t i = 0; i < k->n_outs; ++i)
    if (k->outs[i].type == type) {
      uint64_t identity = eve_out_identity (simulator, i);
      return identity ? layer_base (identity, type, film) : NULL;
    }
  return NULL;
}

/* Of who tells of waits in the same trace; NULL: nobody does. */
static char *
waits_layer (ScopeDocument *d, const EveComponent *reader, const char *film)
{
  EveProgram *p = scope_document_program (d);

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    const uint32_t *output = eve_query (c, STATS_WAITS);
    uint64_t identity = output && session_reader_above (c) == reader ? eve_out_identity (c, *output) : 0;
    if (identity)
      return layer_base (identity, eve_class (c)->outs[*output].type, film);
  }
  return NULL;
}

static void
close_film (StoryFilm *f)
{
  g_clear_pointer (&f->states, states_reader_free);
  g_clear_pointer (&f->messages, messages_reader_free);
  g_clear_pointer (&f->waits, stretches_free);
  g_clear_pointer (&f->names, names_free);
  g_clear_pointer (&f->base, g_free);
  g_clear_pointer (&f->messages_base, g_free);
  g_clear_pointer (&f->waits_base, g_free);
  g_clear_pointer (&f->folder, g_free);
}

void
story_film_free (StoryFilm *f)
{
  if (f)
    close_film (f);
  g_free (f);
}

/* Histories that grow, or were shot again, are looked at again by their readers; names are read until the film has
 * reached the end of the execution.  NULL and a sentence: there is none yet. */
static StoryFilm *
story_open_film (StoryFilm **film, const char *states, const char *messages, const char *waits, const char *folder,
                 const TraceSource *source, GError **error)
{
  StoryFilm *f = *film ? *film : (*film = g_new0 (StoryFilm, 1));

  if (g_strcmp0 (f->base, states) != 0 || g_strcmp0 (f->messages_base, messages) != 0
      || g_strcmp0 (f->folder, folder) != 0)
    close_film (f);
  if (f->states) {
    states_reader_refresh (f->states);
  } else {
    if (!(f->states = states_reader_open (states, error)))
      return NULL;
    g_free (f->base);
    g_free (f->messages_base);
    g_free (f->folder);
    f->base = g_strdup (states);
    f->messages_base = g_strdup (messages);
    f->folder = g_strdup (folder);
  }
  if (f->messages)
    messages_reader_refresh (f->messages);
  else if (messages)
    f->messages = messages_reader_open (messages, NULL);
  if (g_strcmp0 (f->waits_base, waits) != 0) {
    g_clear_pointer (&f->waits, stretches_free);
    g_free (f->waits_base);
    f->waits_base = g_strdup (waits);
  }
  if (f->waits)
    stretches_refresh (f->waits);
  else if (waits)
    f->waits = stretches_open (waits, NULL);
  if (f->names && f->complete && f->n_names == source->tasks->len && !names_problem (f->names))
    return f;
  g_clear_pointer (&f->names, names_free);
  f->names = names_read (folder);
  f->n_names = source->tasks->len;
  f->complete = states_reader_reach (f->states) >= source->last;
  return f;
}

/* How people call the trace where there are several; good for ever. */
static const char *
execution_of (ScopeDocument *d, const TraceSource *source)
{
  g_autoptr (GArray) all = session_executions (scope_document_session (d));

  for (guint i = 0; all->len > 1 && i < all->len; ++i) {
    const SessionExecution *one = &g_array_index (all, SessionExecution, i);
    if (one->source == source)
      return g_intern_string (one->name);
  }
  return NULL;
}

static bool
story_begin (Telling *t, ScopeDocument *d, GError **error)
{
  const char *film = scope_document_film (d);
  EveComponent *simulator = story_simulator_of (d), *reader = simulator ? session_reader_above (simulator) : NULL;

  if (!simulator) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("The program has no simulator that could tell of states"));
    return false;
  }
  if (!film) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("What happened is read from the film, which is not there yet"));
    return false;
  }
  g_autofree char *states = layer_of (simulator, &state_type_state, film),
                  *messages = layer_of (simulator, &state_type_message, film), *waits = waits_layer (d, reader, film),
                  *folder = session_tasks_folder (scope_document_session (d), reader, film);
  if (!states) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s keeps no history of states"), eve_name (simulator));
    return false;
  }
  t->source = reader ? session_source_of (reader) : NULL;
  if (!t->source)
    t->source = scope_document_source (d);
  StoryFilm *f = story_open_film (&d->story_film, states, messages, waits, folder ? folder : film, t->source, error);
  if (!f)
    return false;
  t->states = f->states;
  t->messages = f->messages;
  t->waits = f->waits;
  t->names = f->names;
  if (t->s->by == STORY_BY_GROUP)
    names_read_groups (t->names, f->folder);
  t->model = scope_document_graph (d)->model;
  t->attribute = state_with_role (t->model, STATE_NODE, STATE_ROLE_STATE);
  states_reader_set_end (t->states, t->source->last);
  t->s->known = states_reader_reach (t->states);
  t->s->clock = t->source->clock;
  t->s->trace = g_intern_string (t->source->name ? t->source->name : "");
  t->s->execution = execution_of (d, t->source);
  t->s->has_messages = t->messages != NULL;
  t->s->tells_waits = t->waits != NULL;
  t->s->simulator = g_intern_string (eve_name (simulator));
  t->n_values = MIN (states_reader_highest (t->states), HISTORY_STATES_MOST - 1)
                + 1; /* what a film says, may be anything */
  t->time = g_new0 (double, HISTORY_STATES_MOST + 1);
  return true;
}

static void
story_end (Telling *t)
{
  g_clear_pointer (&t->rows, g_hash_table_unref);
  g_clear_pointer (&t->of, g_ptr_array_unref);
  g_clear_pointer (&t->pairs, g_hash_table_unref);
  g_free (t->time);
}

/* ---- states ----------------------------------------------------------------------------------------------------------- */

static bool
story_add_interval (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Telling *t = arg;

  from = MAX (from, t->s->from);
  to = MIN (to, t->s->to);
  if (to > from && state <= HISTORY_STATES_MOST)
    t->time[state] += (double) to - (double) from;
  return true;
}

/* Into t->time. */
static void
amounts (Telling *t, uint32_t owner)
{
  memset (t->time, 0, t->n_values * sizeof *t->time);
  t->time[HISTORY_STATES_MOST] = 0;
  if (t->s->about)
    states_reader_amounts (t->states, owner, t->s->from, t->s->to, t->time);
  else
    states_reader_each (t->states, owner, t->s->from, t->s->to, story_add_interval, t);
}

static int
story_longest_first (const void *a, const void *b, void *sums)
{
  const double *sum = sums;
  double d = sum[*(const uint32_t *) b] - sum[*(const uint32_t *) a];

  return d < 0 ? -1 : d > 0;
}

/* Which states are told apart: in the order of the model, so that they stand the same in every range. */
static int
story_by_value (const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return x < y ? -1 : x > y;
}

static void
story_choose_states (Telling *t)
{
  g_autofree double *sum = g_new0 (double, t->n_values);
  g_autofree uint32_t *order = g_new (uint32_t, t->n_values);
  Story *s = t->s;
  guint n = 0;

  for (uint32_t i = 0; i < states_reader_owners (t->states); ++i) {
    if (trace_task_is_another (t->source, i))
      continue;
    amounts (t, i);
    for (guint v = 0; v < t->n_values; ++v)
      sum[v] += t->time[v];
  }
  for (guint v = 0; v < t->n_values; ++v) {
    StateSense sense = state_value (t->model, t->attribute, v)->sense;
    s->knows_waits |= sense == STATE_SENSE_WAITS;
    s->knows_works |= sense == STATE_SENSE_WORKS;
    if (sum[v] > 0)
      order[n++] = v;
  }
  g_qsort_with_data (order, (int) n, sizeof *order, story_longest_first, sum);
  guint kept = MIN (n, STORY_STATES);
  qsort (order, kept, sizeof *order, story_by_value);
  for (guint i = 0; i < kept; ++i) {
    s->values[i] = order[i];
    s->lives[i] = state_counts (t->model, STATE_NODE, order[i]);
    s->states[i] = g_intern_string (state_value (t->model, t->attribute, order[i])->name);
    s->words[i] = g_intern_string (state_value_word (state_value (t->model, t->attribute, order[i])));
  }
  s->n_states = kept;
  if (n > kept) {
    s->values[kept] = UINT32_MAX;
    s->lives[kept] = true;
    s->states[kept] = N_ ("others");
    s->words[kept] = _ ("others");
    s->n_states++;
  }
}

static void
story_add_states (Telling *t, StoryRow *row)
{
  Story *s = t->s;

  for (guint v = 0; v <= HISTORY_STATES_MOST; v = v + 1 == t->n_values ? HISTORY_STATES_MOST : v + 1) {
    double time = t->time[v];
    guint slot = 0;
    if (time > 0) {
      while (slot + 1 < s->n_states && s->values[slot] != v)
        ++slot;
      row->time[slot] += time;
      if (v == HISTORY_STATES_MOST || state_counts (t->model, STATE_NODE, v)) {
        StateSense sense = v == HISTORY_STATES_MOST ? STATE_SENSE_NONE : state_value (t->model, t->attribute, v)->sense;
        row->lives += time;
        row->waits += sense == STATE_SENSE_WAITS && !s->tells_waits ? time : 0;
        row->works += sense == STATE_SENSE_WORKS ? time : 0;
      }
    }
    if (v == HISTORY_STATES_MOST)
      break;
  }
}

/* ---- whose ---------------------------------------------------------------------------------------------------------------- */

static StoryRow *
story_row_of (Telling *t, uint32_t task)
{
  const char *name = t->s->by == STORY_BY_HOST      ? names_host (t->names, t->source, task)
                     : t->s->by == STORY_BY_PROGRAM ? names_program (t->names, t->source, task)
                     : t->s->by == STORY_BY_GROUP   ? names_group (t->names, t->source, task)
                                                    : names_name (t->names, t->source, task);
  StoryRow *row = t->s->by == STORY_BY_TASK ? NULL : g_hash_table_lookup (t->rows, name);

  if (!row) {
    row = g_new0 (StoryRow, 1);
    row->name = g_strdup (name);
    row->task = t->s->by == STORY_BY_TASK ? task : TRACE_NONE;
    g_ptr_array_add (t->s->rows, row);
    if (t->s->by != STORY_BY_TASK)
      g_hash_table_insert (t->rows, row->name, row);
  }
  row->n_tasks++;
  return row;
}

static StoryRow *
row_for (Telling *t, uint32_t task)
{
  return task < t->of->len ? t->of->pdata[task] : NULL;
}

/* ---- messages --------------------------------------------------------------------------------------------------------------- */

static void
story_count (StoryRow *row, bool sent, uint64_t n, int64_t bytes)
{
  if (!row)
    return;
  if (sent) {
    row->sent += n;
    row->sent_bytes += bytes;
  } else {
    row->received += n;
    row->received_bytes += bytes;
  }
}

static void
count_pair (Telling *t, uint32_t from, uint32_t to, uint64_t n, int64_t bytes)
{
  gint64 number = (gint64) ((uint64_t) from << 32 | to);
  Pair *p = from == TRACE_NONE || to == TRACE_NONE ? NULL : g_hash_table_lookup (t->pairs, &number);

  if (from == TRACE_NONE || to == TRACE_NONE)
    return;
  if (!p) {
    p = g_new0 (Pair, 1);
    p->number = number;
    g_hash_table_insert (t->pairs, &p->number, p);
  }
  p->n += n;
  p->bytes += bytes;
}

/* The heaviest; of equal ones the first, so that it is the same each time. */
static void
choose_pair (Telling *t)
{
  const Pair *best = NULL;
  GHashTableIter i;
  gpointer value;

  g_hash_table_iter_init (&i, t->pairs);
  while (g_hash_table_iter_next (&i, NULL, &value)) {
    const Pair *p = value;
    if (!best || p->bytes > best->bytes || (p->bytes == best->bytes && p->number < best->number))
      best = p;
  }
  if (!best)
    return;
  t->s->pair = g_strdup_printf (_ ("%s to %s"), names_name (t->names, t->source, (uint32_t) (best->number >> 32)),
                                names_name (t->names, t->source, (uint32_t) best->number));
  t->s->pair_messages = best->n;
  t->s->pair_bytes = best->bytes;
}

static bool
story_add_message (void *arg, const StateMessage *m)
{
  Telling *t = arg;
  Story *s = t->s;

  if (m->sent >= s->from && m->sent < s->to) {
    story_count (row_for (t, m->from), true, 1, m->size);
    story_count (s->all, true, 1, m->size);
  }
  if (m->received >= s->from && m->received < s->to) {
    story_count (row_for (t, m->to), false, 1, m->size);
    story_count (s->all, false, 1, m->size);
    count_pair (t, m->from, m->to, 1, m->size);
  }
  return true;
}

static void
story_add_bundle (void *arg, const MessageBundle *b)
{
  Telling *t = arg;

  story_count (row_for (t, b->from), true, b->count, (int64_t) b->bytes);
  story_count (row_for (t, b->to), false, b->count, (int64_t) b->bytes);
  story_count (t->s->all, true, b->count, (int64_t) b->bytes);
  story_count (t->s->all, false, b->count, (int64_t) b->bytes);
  count_pair (t, b->from, b->to, b->count, (int64_t) b->bytes);
}

static void
story_add_messages (Telling *t)
{
  Story *s = t->s;

  if (!t->messages)
    return;
  if (messages_reader_count (t->messages, s->from, s->to) <= EXACT_MOST) {
    messages_reader_each (t->messages, s->from, s->to, story_add_message, t);
    return;
  }
  s->about = true;
  messages_reader_bundles (t->messages, s->from, s->to, MAX ((s->to - s->from) / 64, 1), story_add_bundle, t);
}

/* ---- waits -------------------------------------------------------------------------------------------------------------------- */

static bool
story_add_wait (void *arg, const Stretch *one)
{
  Telling *t = arg;
  StoryRow *row = row_for (t, one->owner);
  int64_t from = MAX (one->from, t->s->from), to = MIN (one->to, t->s->to);

  if (row && to > from)
    row->waits += (double) to - (double) from;
  return true;
}

static void
story_add_wait_sum (void *arg, uint32_t owner, uint64_t ticks)
{
  StoryRow *row = row_for (arg, owner);

  if (row)
    row->waits += (double) ticks;
}

/* Each as far as it lies in the range, as in tables of waits. */
static void
story_add_waits (Telling *t)
{
  Story *s = t->s;

  if (!t->waits)
    return;
  if (stretches_count (t->waits, s->from, s->to) <= EXACT_MOST) {
    stretches_each (t->waits, s->from, s->to, story_add_wait, t);
    return;
  }
  s->about = true;
  stretches_sums (t->waits, s->from, s->to, story_add_wait_sum, t);
}

/* ---- the story ---------------------------------------------------------------------------------------------------------------- */

static int
waits_first (const void *a, const void *b)
{
  const StoryRow *x = *(StoryRow *const *) a, *y = *(StoryRow *const *) b;

  return x->waits != y->waits   ? (x->waits > y->waits ? -1 : 1)
         : x->lives != y->lives ? (x->lives > y->lives ? -1 : 1)
                                : strcmp (x->name, y->name);
}

static void
story_row_free (void *row)
{
  if (row)
    g_free (((StoryRow *) row)->name);
  g_free (row);
}

static void
story_tell (Telling *t)
{
  Story *s = t->s;
  uint32_t owners = states_reader_owners (t->states);
  uint64_t intervals = 0;

  for (uint32_t i = 0; i < owners; ++i)
    if (!trace_task_is_another (t->source, i))
      intervals += states_reader_count (t->states, i, s->from, s->to);
  s->about = intervals > EXACT_MOST;
  story_choose_states (t);
  t->rows = g_hash_table_new (g_str_hash, g_str_equal);
  t->of = g_ptr_array_new ();
  for (uint32_t i = 0; i < owners; ++i) {
    StoryRow *row = trace_task_is_another (t->source, i) ? NULL : story_row_of (t, i);
    g_ptr_array_add (t->of, row);
    if (!row)
      continue;
    amounts (t, i);
    story_add_states (t, row);
  }
  for (uint32_t i = 0; i < owners;
       ++i) /* what is told of a task once more is of the same time: its messages alone count */
    if (!t->of->pdata[i])
      t->of->pdata[i] = row_for (t, trace_task (t->source, i)->parent);
  t->pairs = g_hash_table_new_full (pair_hash, g_int64_equal, NULL, g_free);
  story_add_messages (t);
  story_add_waits (t);
  choose_pair (t);
  for (guint i = 0; i < s->rows->len; ++i) {
    const StoryRow *row = s->rows->pdata[i];
    for (guint k = 0; k < s->n_states; ++k)
      s->all->time[k] += row->time[k];
    s->all->lives += row->lives;
    s->all->waits += row->waits;
    s->all->works += row->works;
    s->all->n_tasks += row->n_tasks;
  }
  qsort (s->rows->pdata, s->rows->len, sizeof (void *), waits_first);
}

StatesReader *
story_states (ScopeDocument *d, const StateModel **model, int *attribute, GError **error)
{
  Story s = { .by = STORY_BY_TASK };
  Telling t = { .s = &s };
  bool ok = story_begin (&t, d, error);

  *model = t.model;
  *attribute = t.attribute;
  story_end (&t);
  return ok ? t.states : NULL;
}

bool
story_readers (ScopeDocument *d, const Names **names, MessagesReader **messages, const TraceSource **source)
{
  Story s = { .by = STORY_BY_GROUP };
  Telling t = { .s = &s };
  bool ok = story_begin (&t, d, NULL);

  if (ok) {
    *names = t.names;
    *messages = t.messages;
    *source = t.source;
  }
  story_end (&t);
  return ok;
}

Stretches *
story_waits (ScopeDocument *d, const Names **names, const TraceSource **source)
{
  Story s = { .by = STORY_BY_GROUP };
  Telling t = { .s = &s };
  bool ok = story_begin (&t, d, NULL);

  if (ok) {
    *names = t.names;
    *source = t.source;
  }
  story_end (&t);
  return ok ? t.waits : NULL;
}

Story *
story_new (ScopeDocument *d, int64_t from, int64_t to, StoryBy by, GError **error)
{
  Story *s = g_new0 (Story, 1);
  Telling t = { .s = s };

  s->from = from;
  s->to = MAX (from, to);
  s->by = by;
  s->rows = g_ptr_array_new_with_free_func (story_row_free);
  s->all = g_new0 (StoryRow, 1);
  s->all->name = g_strdup (N_ ("all"));
  s->all->task = TRACE_NONE;
  bool ok = story_begin (&t, d, error);
  if (ok)
    story_tell (&t);
  story_end (&t);
  if (!ok)
    g_clear_pointer (&s, story_free);
  return s;
}

void
story_free (Story *s)
{
  if (!s)
    return;
  g_ptr_array_unref (s->rows);
  story_row_free (s->all);
  g_free (s->pair);
  g_free (s);
}

/* ---- as text ------------------------------------------------------------------------------------------------------------------- */

char *
story_text (const Story *s)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *length = axis_duration (&s->clock, (double) s->to - (double) s->from);
  double sum = 0;
  bool first = true;

  for (guint i = 0; i < s->n_states; ++i)
    sum += s->all->time[i];
  g_string_append_printf (text, s->about ? _ ("%s, about:") : _ ("%s:"), length);
  for (guint i = 0; i < s->n_states && sum > 0; ++i)
    if (s->all->time[i] / sum >= 0.005) {
      g_string_append_printf (text, "%s %s %.0f\u2009%%", first ? "" : ",", s->words[i], 100 * s->all->time[i] / sum);
      first = false;
    }
  if (s->has_messages) {
    g_autofree char *n = scope_number (s->all->received), *bytes = paint_bytes ((double) s->all->received_bytes);
    g_string_append_printf (text, "%s ", first ? "" : ";");
    g_string_append_printf (text, P_ ("%s message received, %s", "%s messages received, %s", s->all->received), n,
                            bytes);
  }
  const StoryRow *top = s->rows->len ? s->rows->pdata[0] : NULL;
  if (top && top->waits > 0) {
    g_autofree char *waits = axis_duration (&s->clock, top->waits);
    g_string_append_printf (text, _ (". %s waited longest, %s"), top->name, waits);
  }
  return g_strdup (text->str);
}

static const StoryRow *
extreme (const Story *s, bool works, bool least)
{
  const StoryRow *best = NULL;

  for (guint i = 0; i < s->rows->len; ++i) {
    const StoryRow *row = s->rows->pdata[i];
    double a = works ? row->works : row->waits, b = !best ? 0 : works ? best->works : best->waits;
    if (row->lives > 0 && (!best || (least ? a < b : a > b)))
      best = row;
  }
  return best;
}

/* "All wait 31 % of their life. fft 2 waits longest, 91 ms (43 %); fft 3 least, 2 ms (1 %)." */
static void
tell_extremes (const Story *s, bool works, GString *text)
{
  const StoryRow *most = extreme (s, works, false), *least = extreme (s, works, true);
  double all = works ? s->all->works : s->all->waits;

  if (!most || s->all->lives <= 0 || !(works ? s->knows_works : s->tells_waits || s->knows_waits))
    return;
  double a = works ? most->works : most->waits, b = works ? least->works : least->waits;
  g_autofree char *long_text = axis_duration (&s->clock, a), *short_text = axis_duration (&s->clock, b);
  g_string_append_printf (
      text, works ? _ ("Tasks work %.0f\u2009%% of their life.") : _ ("Tasks wait %.0f\u2009%% of their life."),
      100 * all / s->all->lives);
  if (most != least)
    g_string_append_printf (text,
                            works ? _ (" %s works longest, %s (%.0f\u2009%%); %s least, %s (%.0f\u2009%%).")
                                  : _ (" %s waits longest, %s (%.0f\u2009%%); %s least, %s (%.0f\u2009%%)."),
                            most->name, long_text, 100 * a / most->lives, least->name, short_text,
                            100 * b / least->lives);
}

/* "Busy 48 %, Idle 31 %, others 1 % of the life of all tasks.": the largest first, none that reads as nothing. */
static void
story_tell_shares (const Story *s, GString *text)
{
  guint order[STORY_STATES + 1], n = 0;
  double rest = 0, sum = 0;

  for (guint i = 0, k; i < s->n_states; ++i) {
    if (!s->lives[i])
      continue;
    sum += s->all->time[i];
    for (k = n++; k > 0 && s->all->time[order[k - 1]] < s->all->time[i]; --k)
      order[k] = order[k - 1];
    order[k] = i;
  }
  for (guint i = 0; i < n && sum > 0; ++i) {
    double share = 100 * s->all->time[order[i]] / sum;
    if (share >= 0.5 && s->values[order[i]] != UINT32_MAX)
      g_string_append_printf (text, "%s%s %.0f\u2009%%", text->len ? ", " : "", s->words[order[i]], share);
    else
      rest += share;
  }
  if (rest >= 0.5)
    g_string_append_printf (text, _ (", all others %.0f\u2009%%"), rest);
  g_string_append (text, text->len ? _ (" of the life of all tasks.") : "");
}

char *
story_answer (const Story *s, const char *about)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (g_str_equal (about, "waits") || g_str_equal (about, "work")) {
    tell_extremes (s, g_str_equal (about, "work"), text);
  } else if (g_str_equal (about, "talk")) {
    g_autofree char *n = scope_number (s->all->received), *bytes = paint_bytes ((double) s->all->received_bytes);
    if (s->all->received == 0)
      g_string_append (text, _ ("No message was received."));
    else
      g_string_append_printf (
          text, P_ ("%s message was received, %s.", "%s messages were received, %s.", s->all->received), n, bytes);
    if (s->pair) {
      g_autofree char *count_text = scope_number (s->pair_messages), *pair_bytes = paint_bytes ((double) s->pair_bytes);
      g_string_append_printf (
          text, _ (" Most went from %s: %s, %s, %.0f\u2009%% of all."), s->pair, count_text, pair_bytes,
          s->all->received_bytes > 0 ? 100 * (double) s->pair_bytes / (double) s->all->received_bytes : 0);
    }
  } else {
    story_tell_shares (s, text);
  }
  return g_strdup (text->str);
}

static void
put_seconds (GString *to, const TraceClock *clock, double ticks)
{
  g_string_append_c (to, ',');
  stats_csv_number (to, ticks / (double) clock->ticks_per_second);
}

int
story_state (const Story *s, const char *state)
{
  for (guint i = 0; i < s->n_states; ++i)
    if (strcmp (s->states[i], state) == 0)
      return (int) i;
  return -1;
}

static void
put_rows (GString *to, const Story *s, const Story *beside, const GPtrArray *states)
{
  g_autoptr (GPtrArray) rows = story_rows (s, beside);

  g_ptr_array_add (rows, s->all);
  for (guint k = 0; k < rows->len; ++k) {
    const StoryRow *row = rows->pdata[k];
    stats_csv_text (to, row->name);
    for (guint i = 0; i < states->len; ++i) {
      int place = story_state (s, states->pdata[i]);
      put_seconds (to, &s->clock, place >= 0 ? row->time[place] : 0);
    }
    put_seconds (to, &s->clock, row->lives);
    put_seconds (to, &s->clock, row->waits);
    g_string_append_printf (to, ",%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT,
                            row->sent, row->sent_bytes, row->received, row->received_bytes);
    put_seconds (to, &s->clock, (double) s->from);
    put_seconds (to, &s->clock, (double) s->to);
    g_string_append_c (to, ',');
    stats_csv_text (to, s->execution ? s->execution : s->trace);
    g_string_append_c (to, '\n');
  }
}

char *
story_csv (const Story *s, const Story *kept)
{
  static const char *const whose[STORY_WAYS] = { "task", "host", "program", "group" };
  GString *to = g_string_new (kept && kept->by != s->by ? "name" : whose[s->by]);
  g_autoptr (GPtrArray) states = g_ptr_array_new ();

  for (guint i = 0; i < s->n_states; ++i)
    g_ptr_array_add (states, (void *) s->states[i]);
  for (guint i = 0; kept && i < kept->n_states; ++i)
    if (story_state (s, kept->states[i]) < 0)
      g_ptr_array_add (states, (void *) kept->states[i]);
  for (guint i = 0; i < states->len; ++i) {
    g_autofree char *head = g_strdup_printf ("%s [s]", (const char *) states->pdata[i]);
    g_string_append_c (to, ',');
    stats_csv_text (to, head);
  }
  g_string_append (to, ",life [s],waits [s],sent,sent [B],received,received [B],from [s],to [s],trace\n");
  put_rows (to, s, kept, states);
  if (kept)
    put_rows (to, kept, s, states);
  return g_string_free (to, FALSE);
}
