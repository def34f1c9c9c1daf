/* SPDX-License-Identifier: Apache-2.0 */
/* travel-slices.c - travels that a window takes a few milliseconds at a time.  The result of a program does not depend
 * on how its work is cut into slices, so what is reached is bit for bit what a travel in one go reaches. */
#include "session/travel-private.h"
#include "eve/words.h"

#define MOST_SAVES 1000 /* that components order in a session: each is a state in memory that is never given up */

void
travel_set_strategy (Travel *t, const Strategy *strategy)
{
  t->o.strategy = *strategy;
}

static void
travel_slices_begin (Travel *t, Target goal, bool prepare)
{
  t->listener.obey = false;
  g_array_set_size (t->listener.heard, 0);
  if (t->film)
    checkpoints_refresh (t->film, NULL);
  travel_set_out (t, &goal);
  t->going = true;
  t->goal = goal;
  t->way_from = drive_given (t->s);
  t->way_to = goal.kind == TO_EVENT ? goal.event : t->s->n_events;
  if (goal.kind == TO_DATE && goal.date < t->s->last) {
    int64_t all = t->s->last - t->s->first;
    double share = all > 0 ? (double) (goal.date - t->s->first) / (double) all : 1;
    t->way_to = (uint64_t) (CLAMP (share, 0, 1) * (double) t->s->n_events);
  }
  t->to_before = prepare && travel_stop_before (t, &goal, t->way_from, &t->before);
  travel_command (t, t->to_before ? &t->before : &goal);
}

void
travel_begin_date (Travel *t, int64_t date, bool prepare)
{
  travel_slices_begin (t, (Target){ .kind = TO_DATE, .date = date }, prepare);
}

void
travel_begin_event (Travel *t, uint64_t number, bool prepare)
{
  uint64_t n = drive_several (t->s) ? t->s->source->n_events : t->s->n_events;
  travel_slices_begin (t, (Target){ .kind = TO_EVENT, .event = MIN (number, n) }, prepare);
}

int64_t
travel_next_date (Travel *t)
{
  return drive_next_date (t->s);
}

void
travel_begin_end (Travel *t)
{
  travel_slices_begin (t, (Target){ .kind = TO_END }, false);
}

int
travel_go_on (Travel *t, int64_t budget_ns, GError **error)
{
  if (!t->going)
    return 0;
  int more = drive_slice (t->s, budget_ns, error);
  travel_note_present (t, more >= 0); /* what is left unread in the rings is played on from */
  if (more == 0 && t->to_before) {
    t->to_before = false;
    if (!drive_ended (t->s))
      travel_keep_present (t, CHECKPOINT_TRAVEL);
    travel_command (t, &t->goal);
    return 1;
  }
  if (more == 0 && t->goal.kind == TO_EVENT && t->goal.event > 0 && drive_several (t->s)) {
    /* each of them has given as many of its own: the others go where they are at the date of the leading one */
    t->goal = (Target){ .kind = TO_DATE, .date = drive_date_of (t->s, t->s->reader) };
    travel_set_out (t, &t->goal); /* one of them may be past it */
    travel_command (t, &t->goal);
    return 1;
  }
  if (more <= 0) {
    t->going = false;
    travel_parts_heard (t);
    g_array_set_size (t->listener.heard, 0); /* heard on the way, not at the goal */
    travel_thin (t, drive_given (t->s));
  }
  return more;
}

double
travel_share (const Travel *t)
{
  uint64_t given = drive_given (t->s);

  return t->way_to > t->way_from && given > t->way_from
             ? MIN (1, (double) (given - t->way_from) / (double) (t->way_to - t->way_from))
             : 0;
}

bool
travel_heard (const Travel *t, bool *halts)
{
  for (guint i = 0; halts && i < t->listener.heard->len; ++i) {
    uint32_t verb = g_array_index (t->listener.heard, DriveHeard, i).command.verb;
    if (verb <= TRACE_STOP)
      *halts = verb == TRACE_PAUSE || verb == TRACE_STOP;
  }
  return t->listener.heard->len > 0;
}

bool
travel_obey (Travel *t, bool (*act) (void *arg, const DriveHeard *what), void *arg, GError **error)
{
  /* travelling clears what was heard, so it is taken away first */
  GArray *heard = t->listener.heard;
  bool ok = true;

  t->listener.heard = drive_heard_new ();
  for (guint i = 0; i < heard->len && ok; ++i) {
    const DriveHeard *h = &g_array_index (heard, DriveHeard, i);
    g_autofree char *name = g_strndup (h->command.name, sizeof h->command.name - 1);
    if (h->command.verb == TRACE_SAVE && t->saves_ordered++ >= MOST_SAVES) {
      if (t->saves_ordered == MOST_SAVES + 1 && t->o.say)
        t->o.say (t->o.arg, TRAVEL_OF_SAVED, _ ("components have ordered 1000 saves; no more of theirs are kept"));
    } else if (h->command.verb == TRACE_SAVE)
      ok = travel_save (t, name, CHECKPOINT_BY_HAND, error);
    else if (act)
      ok = act (arg, h);
  }
  g_array_unref (heard);
  return ok;
}
