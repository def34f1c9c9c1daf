/* SPDX-License-Identifier: Apache-2.0 */
#include "session/counted.h"
#include "eve/words.h"
#include "readers/counted.h"
#include "session/film-drive.h"

#define SLICE_NS (20 * 1000000)

typedef struct Bounded { /* a component that is told by settings */
  EveComponent *c;
  char *own[2]; /* what the program says */
} Bounded;

struct Counted {
  Session *s;
  GArray *bounded; /* of Bounded */
  int64_t from, to;
  bool foresees, ahead; /* a component wants the end of the trace first; it does, of this range */
  enum { AHEAD, BEFORE, INSIDE, THERE } place;
};

static const char *const bounds[] = { "from", "to" };

static const TraceCounted *
session_counted_face_of (EveComponent *c)
{
  return eve_is_ghost (c) ? NULL : eve_query (c, TRACE_COUNTED);
}

static const TraceForesees *
session_counted_foresees (EveComponent *c)
{
  return eve_is_ghost (c) ? NULL : eve_query (c, TRACE_FORESEES);
}

bool
counted_shows (EveComponent *view)
{
  const View *v = session_view (view);

  if (v == NULL || !(v->spans & VIEW_OF_INSTANT) || v->plot != NULL || v->scroll != NULL)
    return false;
  g_autoptr (GPtrArray) above = eve_find_above (view, TRACE_COUNTED);
  for (guint i = 0; i < above->len; i++)
    if (!session_counted_face_of (above->pdata[i])->simulates)
      return true;
  return false;
}

static void
bounded_clear (gpointer bounded)
{
  g_free (((Bounded *) bounded)->own[0]);
  g_free (((Bounded *) bounded)->own[1]);
}

Counted *
counted_new (Session *s)
{
  Counted *c = g_new0 (Counted, 1);

  c->s = s;
  c->bounded = g_array_new (FALSE, FALSE, sizeof (Bounded));
  g_array_set_clear_func (c->bounded, bounded_clear);
  for (uint32_t i = 0; i < eve_n_components (s->program); i++) {
    EveComponent *one = eve_component (s->program, i);
    const TraceCounted *face = session_counted_face_of (one);
    c->foresees |= session_counted_foresees (one) != NULL;
    if (face == NULL || !face->by_settings)
      continue;
    Bounded b = { one, { eve_get (one, bounds[0]), eve_get (one, bounds[1]) } };
    g_array_append_val (c->bounded, b);
  }
  return c;
}

void
counted_free (Counted *c)
{
  if (c == NULL)
    return;
  g_array_unref (c->bounded);
  g_free (c);
}

/* A window of the program's own goes on to count: the two together. */
static void
session_counted_bound (const Counted *c, const Bounded *b)
{
  for (int i = 0; i < 2; i++) {
    int64_t date = i == 0 ? c->from : c->to, own;
    g_autofree char *given = g_strstrip (g_strdup (b->own[i] ? b->own[i] : ""));
    char text[64];
    if (*given && trace_clock_parse (&c->s->source->clock, given, &own))
      date = i == 0 ? MAX (date, own) : MIN (date, own);
    trace_clock_print (&c->s->source->clock, date, text, sizeof text);
    eve_set (b->c, bounds[i], text, NULL);
  }
}

static void
begin_counting (Counted *c)
{
  for (int simulators = 1; simulators >= 0; simulators--)
    for (uint32_t i = 0; i < eve_n_components (c->s->program); i++) {
      EveComponent *one = eve_component (c->s->program, i);
      const TraceCounted *face = session_counted_face_of (one);
      if (face == NULL ? simulators || !counted_shows (one) : face->simulates != simulators)
        continue;
      if (face == NULL || face->anew) /* a chart has what came last, which was of before */
        eve_component_reset (one);
      else if (face->begin != NULL)
        face->begin (one, c->from);
    }
  c->place = INSIDE;
  drive_until (c->s, c->to);
}

static void
count_anew (Counted *c)
{
  c->place = BEFORE;
  if (c->from > c->s->first)
    drive_until (c->s, c->from - 1);
  else
    begin_counting (c);
}

void
counted_begin (Counted *c, int64_t from, int64_t to)
{
  eve_program_clear_failure (c->s->program);
  drive_reset (c->s);
  c->from = from;
  c->to = to;
  for (guint i = 0; i < c->bounded->len; i++)
    session_counted_bound (c, &g_array_index (c->bounded, Bounded, i));
  c->ahead = c->foresees && to < c->s->last;
  if (!c->ahead) {
    count_anew (c);
    return;
  }
  c->place = AHEAD;
  drive_end (c->s);
}

/* The end of the trace is known: back to its beginning. */
static void
session_counted_ahead (Counted *c)
{
  for (uint32_t i = 0; i < eve_n_components (c->s->program); i++) {
    EveComponent *one = eve_component (c->s->program, i);
    const TraceForesees *face = session_counted_foresees (one);
    if (face != NULL)
      face->foresee (one);
  }
  drive_reset (c->s);
  count_anew (c);
}

int
counted_go_on (Counted *c, int64_t budget_ns, GError **error)
{
  if (c->place == THERE)
    return 0;
  int more = drive_slice (c->s, budget_ns, error);
  if (more != 0)
    return more;
  if (c->place == AHEAD) {
    session_counted_ahead (c);
    return 1;
  }
  if (c->place == BEFORE) {
    begin_counting (c);
    return 1;
  }
  c->place = THERE;
  session_rest (c->s, c->to);
  return 0;
}

bool
counted_go (Counted *c, const TraceProgress *progress, GError **error)
{
  int more;

  while ((more = counted_go_on (c, SLICE_NS, error)) > 0)
    if (!drive_report (progress, _ ("counting"), counted_share (c), error))
      return false;
  return more == 0;
}

double
counted_share (const Counted *c)
{
  int64_t first = c->s->first, at = drive_date (c->s);
  double ahead = c->ahead ? (double) c->s->last - (double) first : 0, all = ahead + (double) c->to - (double) first;
  double done = (double) at - (double) first + (c->place == AHEAD ? 0 : ahead);

  return at == INT64_MIN || all <= 0 ? 0 : CLAMP (done / all, 0, 1);
}
