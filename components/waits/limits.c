/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - how efficient the program is, and what limits it: in sentences. */
#include <math.h>

#include "components/waits/findings.h"
#include "eve/words.h"

/* Threads of one process, which send nothing: they wait for what others hold, signal or end. */
static bool
sends_nothing (const Telling *t)
{
  double by_messages = 0;

  if (t->alone)
    return true;
  for (int k = 0; k < WAIT_TEAM; k++)
    by_messages += k == WAIT_NEVER ? 0 : t->waited[k];
  return by_messages == 0 && t->all_waited > t->waited[WAIT_NEVER] + t->waited[WAIT_UNDER_WAY];
}

/* The least of what efficiency is the product of. */
static const char *
what_limits (const Telling *t, const Efficiency *e)
{
  return e->balance < e->communication ? _ ("uneven computing")
         : t->alone                    ? _ ("time in which even the busiest does not compute")
         : sends_nothing (t)           ? _ ("waiting for each other")
                                       : _ ("communication");
}

/* Set-up is a part of the communication of the whole, and may hide what limits the rest. */
static bool
set_up_limits (const Telling *t)
{
  return t->sets_up && t->e.parallel < t->inner.parallel * MIN (t->inner.balance, t->inner.communication);
}

#define AS_ONE 0.9995 /* what is told as 100 % */

static void
tell_efficiency (const Telling *t)
{
  char a[32], b[32], x[32], y[32], z[32];

  if (t->e.parallel >= AS_ONE && !t->sets_up) {
    finding (t,
             P_ ("Parallel efficiency is %s: %u task computed %s of %s on average, so that nothing limits it.",
                 "Parallel efficiency is %s: %u tasks computed %s of %s on average, so that nothing limits it.",
                 t->e.n),
             per_cent (t->e.parallel, x), t->e.n, span (t->e.mean, a), span (t->e.runtime, b));
    return;
  }
  if (t->alone) {
    finding (t,
             P_ ("Parallel efficiency is %s: %u task computed %s of %s on average. Load balance is %s, and the task "
                 "that computes longest does so for %s of the run; so %s limits it most.",
                 "Parallel efficiency is %s: %u tasks computed %s of %s on average. Load balance is %s, and the task "
                 "that computes longest does so for %s of the run; so %s limits it most.",
                 t->e.n),
             per_cent (t->e.parallel, x), t->e.n, span (t->e.mean, a), span (t->e.runtime, b),
             per_cent (t->e.balance, y), per_cent (t->e.communication, z), what_limits (t, &t->e));
    return;
  }
  finding (t,
           sends_nothing (t)
               ? P_ ("Parallel efficiency is %s: %u thread computed %s of %s on average. Load balance is %s, "
                     "synchronisation efficiency %s; so %s limits it most.",
                     "Parallel efficiency is %s: %u threads computed %s of %s on average. Load balance is %s, "
                     "synchronisation efficiency %s; so %s limits it most.",
                     t->e.n)
               : P_ ("Parallel efficiency is %s: %u task computed %s of %s on average. Load balance is %s, "
                     "communication efficiency %s; so %s limits it most.",
                     "Parallel efficiency is %s: %u tasks computed %s of %s on average. Load balance is %s, "
                     "communication efficiency %s; so %s limits it most.",
                     t->e.n),
           per_cent (t->e.parallel, x), t->e.n, span (t->e.mean, a), span (t->e.runtime, b), per_cent (t->e.balance, y),
           per_cent (t->e.communication, z),
           set_up_limits (t) ? _ ("set-up") : what_limits (t, t->sets_up ? &t->inner : &t->e));
}

/* Outside of states that tell when tasks run they may do anything.  Where that is most of their time no efficiency can
 * be told: false. */
static bool
tell_untold (const Telling *t)
{
  char x[32];

  if (t->e.untold < WORTH_UNTOLD)
    return true;
  per_cent (t->e.untold, x);
  if (t->e.untold < 0.5) {
    finding (t, _ ("Of %s of the time of tasks no state says what they do; it counts as lost for that."), x);
    return true;
  }
  finding (
      t,
      _ ("How efficient it is nobody can tell: of %s of the time of tasks no state says what they do. It counts as "
         "neither computing nor waiting."),
      x);
  return false;
}

/* A run that is short beside what it takes to begin. */
static void
tell_set_up (const Telling *t)
{
  char a[32], b[32], x[32], y[32], z[32];

  if (t->sets_up)
    finding (
        t,
        _ ("Of the %s of the run %s are set-up: before the first task has left MPI_Init, or after the last has called "
           "MPI_Finalize. Without that time, which counts as lost, parallel efficiency is %s, load balance %s, "
           "communication efficiency %s; so %s limits the rest most."),
        span (t->e.runtime, a), span (t->e.runtime - t->inner.runtime, b), per_cent (t->inner.parallel, x),
        per_cent (t->inner.balance, y), per_cent (t->inner.communication, z), what_limits (t, &t->inner));
}

/* What communication costs apart: data that is waited for in any case, and the network.  Set-up is neither. */
static void
tell_ideal (const Telling *t)
{
  const Efficiency *e = t->sets_up ? &t->inner : &t->e;
  const char *more = e->serialisation < e->transfer ? _ ("as they wait for what others have not computed yet")
                                                    : _ ("in communication itself");
  char a[32], x[32], y[32];

  if (!(e->ideal > 0 && e->ideal <= e->runtime) || sends_nothing (t))
    return;
  if (!t->sets_up && e->parallel >= AS_ONE)
    return; /* it was said that nothing is lost */
  span (e->ideal, a);
  per_cent (e->serialisation, x);
  per_cent (e->transfer, y);
  if (t->sets_up)
    finding (
        t,
        _ ("On an ideal network that rest would take %s: serialisation efficiency is %s, transfer efficiency %s; so "
           "tasks lose more %s."),
        a, x, y, more);
  else
    finding (
        t,
        _ ("On an ideal network it would take %s: serialisation efficiency is %s, transfer efficiency %s; so tasks "
           "lose more %s."),
        a, x, y, more);
}

/* What cannot be is not left to be found out. */
static void
tell_above_one (const Telling *t)
{
  const struct {
    const char *what;
    double value;
  } all[] = { { N_ ("Transfer efficiency"), t->e.transfer },
              { N_ ("Transfer efficiency without set-up"), t->inner.transfer },
              { N_ ("Serialisation efficiency"), t->e.serialisation },
              { N_ ("Communication efficiency"), t->e.communication },
              { N_ ("Communication efficiency without set-up"), t->inner.communication } };
  char x[32];

  for (size_t i = 0; i < EVE_N (all); i++)
    if (all[i].value > 1 + 1e-9) {
      finding (t,
               _ ("%s comes out as %s, which cannot be: dates of the trace contradict each other, so do not trust it."),
               in_words (all[i].what), per_cent (all[i].value, x));
      return;
    }
}

/* Whose computing is far from the mean. */
static void
tell_balance (const Telling *t)
{
  uint32_t n;
  g_autofree const WaitTask **tasks = waits_tasks (&t->self->waits, &n);
  const WaitTask *most = NULL, *least = NULL;
  char a[32], b[32], x[32];

  for (uint32_t i = 0; i < n; i++) {
    most = !most || waits_useful (&t->self->waits, tasks[i]) > waits_useful (&t->self->waits, most) ? tasks[i] : most;
    least = !least || waits_useful (&t->self->waits, tasks[i]) < waits_useful (&t->self->waits, least) ? tasks[i]
                                                                                                       : least;
  }
  if (most != least && t->e.balance < 0.95)
    finding (t, _ ("%s computes longest (%s, %s more than the mean), %s least (%s)."), who_is (t, most),
             span (waits_seconds (t->self, waits_useful (&t->self->waits, most)), a),
             per_cent (t->e.most / t->e.mean - 1, x), who_is (t, least),
             span (waits_seconds (t->self, waits_useful (&t->self->waits, least)), b));
}

/* Processes that have threads: between which of them what is lost is lost. */
static void
tell_hybrid (const Telling *t)
{
  const HybridParts *h = &t->e.hybrid; /* what is told of all of the run */
  const double least = MIN (h->process, MIN (h->serial, h->teams));
  char a[32], b[32], x[32], y[32];

  if (h->n == 0)
    return;
  per_cent (h->process, a);
  per_cent (h->thread, b);
  per_cent (h->serial, x);
  per_cent (h->teams, y);
  if (least >= AS_ONE)
    finding (t, _ ("Processes have threads of their own: nothing is lost between processes, and nothing between the "
                   "threads of each."));
  else
    finding (t,
             _ ("Processes have threads of their own: process efficiency is %s, thread efficiency %s (%s for what is "
                "computed outside of parallel regions, %s for what lies in them); so most is lost %s."),
             a, b, x, y,
             least == h->process  ? _ ("between processes")
             : least == h->serial ? _ ("as threads wait while the first of their process computes alone")
                                  : _ ("between threads in parallel regions"));
}

bool
limits_tell (const Telling *t)
{
  if (t->e.n == 0 || t->e.runtime <= 0 || !tell_untold (t))
    return false;
  if (t->e.most <= 0) {
    finding (t, _ ("No task computes between its first call or state and its last: there is no efficiency to tell, as "
                   "where a trace tells of communication alone."));
    return false;
  }
  tell_efficiency (t);
  tell_set_up (t);
  tell_hybrid (t);
  tell_above_one (t);
  return true;
}

void
limits_tell_more (const Telling *t)
{
  tell_balance (t);
  tell_ideal (t);
  finding (
      t, _ ("Computing counts here from the first call or state of a task to its last, and as a share of the run; as a "
            "state it lasts as long as a task lives, and counts as a share of its life."));
  for (int64_t i = 0; i < t->self->waits.tasks.n; i++)
    if (((const WaitTask *) table_at (&t->self->waits.tasks, i))->threads > 0) {
      finding (t, _ ("A task that is told with threads of its own computes as these do, on average of those that live; "
                     "its state is what the model makes of all of them."));
      return;
    }
}

/* ---- beside other executions ------------------------------------------------------------------------------------------ */

static bool
limits_computed (EveComponent *c, StatsComputed *to)
{
  const Component *self = (const Component *) c;

  if (!self->waits.source)
    return false;
  const Efficiency e = waits_efficiency (self, self->inner);
  *to = (StatsComputed){ e.mean * e.n, e.parallel };
  return e.n > 0 && e.most > 0 && e.parallel > 0 && e.untold < WORTH_UNTOLD;
}

const StatsScaling waits_scaling = { limits_computed };
