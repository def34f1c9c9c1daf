/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - who waits for whom, whose doing it is, where, and since when: in sentences. */
#include <math.h>

#include "components/waits/findings.h"
#include "components/waits/stuck.h"
#include "eve/number.h"
#include "eve/words.h"
#include "readers/untold.h"
#include "statistics/dates.h"

#define WORTH 0.01        /* of the time of all tasks: less waiting is not worth a sentence */
#define MOST_UNTOLD 0.1   /* of the time of all tasks: if more is untold, efficiency alone tells nothing */
#define WORTH_SET_UP 0.98 /* of the run time: if more is left without set-up, that is not worth a sentence */
#define MOST_PLACES 3
#define MOST_MISSING 3    /* of those that one call waits for, by name; a single one more is named, too */
#define MOST_STUCK 6u     /* calls that never end, in a sentence */
#define MOST_IN_CIRCLE 8u /* tasks of a circle, likewise */

static double
share_of_run (const Telling *t, double seconds)
{
  double all = t->lanes * t->e.runtime;

  return all > 0 ? seconds / all : 0;
}

/* Where most of the run is set-up, what is waited counts beside the rest. */
static bool
worth_telling (const Telling *t)
{
  return share_of_run (t, t->all_waited) >= WORTH
         || (t->sets_up && t->all_waited >= WORTH * t->lanes * t->inner.runtime && t->all_waited > 0);
}

/* Of a task that is told as another one the name of that. */
static const char *
task_named (const Waits *w, int64_t task)
{
  return trace_task_name (w->source, waits_whose (w, task));
}

char *
waits_in_region (const Waits *w, int64_t region)
{
  return region == -1              ? g_strdup (_ ("outside of all calls"))
         : region == REGION_BEFORE ? g_strdup (_ ("before its first call"))
                                   : g_strdup_printf (_ ("in %s"), waits_region (w, region));
}

static void
tell_kinds (const Telling *t)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char a[32], x[32];
  bool told[N_WAITS] = { false };

  for (int n = 0; n < MOST_PLACES; n++) {
    int best = -1;
    for (int k = 0; k < N_WAITS; k++)
      if (!told[k] && t->waited[k] > 0 && (best < 0 || t->waited[k] > t->waited[best]))
        best = k;
    if (best < 0)
      break;
    told[best] = true;
    const char *kind = in_words (wait_names[best]);
    g_string_append (text, n ? ", " : "");
    g_string_append_unichar (text, g_unichar_tolower (g_utf8_get_char (kind)));
    g_string_append_printf (text, "%s %s (%s)", g_utf8_next_char (kind), span (t->waited[best], a),
                            per_cent (t->waited[best] / t->all_waited, x));
  }
  if (t->threads)
    finding (t, _ ("Tasks wait for each other %s in all, %s of the time of all their threads: %s."),
             span (t->all_waited, a), per_cent (share_of_run (t, t->all_waited), x), text->str);
  else
    finding (t, _ ("Tasks wait for each other %s in all, %s of their time: %s."), span (t->all_waited, a),
             per_cent (share_of_run (t, t->all_waited), x), text->str);
}

/* Which receive is of which send was judged (readers/early.h). */
static void
tell_matched (const Telling *t)
{
  int64_t n = t->self->waits.count[WAITS_UNSENT];
  double late = t->waited[WAIT_LATE_SENDER] + t->waited[WAIT_LATE_RECEIVER] + t->waited[WAIT_LATE_RECEIVER_DONE];

  if (n > 0 && late > 0)
    finding (t,
             P_ ("Recording began in the middle of the run: %" PRId64 " receive is taken to be of a message that was "
                 "sent before. That is judged, and with it which send each receive behind it is of, so late senders "
                 "and receivers are as likely as that.",
                 "Recording began in the middle of the run: %" PRId64 " receives are taken to be of messages that were "
                 "sent before. That is judged, and with it which send each receive behind them is of, so late senders "
                 "and receivers are as likely as that.",
                 n),
             n);
}

/* The same waiting is told in other ways too. */
static void
tell_measure (const Telling *t)
{
  finding (
      t, _ ("Such a wait lasts from the call until the other has come, and its share is of the time of the whole run; "
            "states of tasks last until the call returns, and their shares are of the lives of tasks."));
}

typedef struct Place {
  int64_t kind, region, ticks, longest, longest_at, longest_for, task;
} Place;

static int
findings_by_ticks (const void *a, const void *b)
{
  const Place *x = a, *y = b;

  return (x->ticks < y->ticks) - (x->ticks > y->ticks);
}

static int
findings_by_place (const void *a, const void *b)
{
  const Place *x = a, *y = b;

  return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                            : (x->region > y->region) - (x->region < y->region);
}

/* Cells of all tasks put together by kind and region. */
static void
tell_places (const Telling *t)
{
  const Table *cells = &t->self->waits.cells;
  g_autofree Place *places = g_new (Place, MAX (cells->n, 1));
  int64_t n = 0;
  char a[32], b[32], date[64];

  for (int64_t i = 0; i < cells->n; i++) {
    const WaitCell *c = table_at (cells, i);
    places[i] = (Place){ c->kind, c->region, c->ticks, c->longest, c->longest_at, c->longest_for, c->task };
  }
  qsort (places, (size_t) cells->n, sizeof *places, findings_by_place);
  for (int64_t i = 0; i < cells->n; i++) {
    if (n == 0 || findings_by_place (&places[n - 1], &places[i]) != 0) {
      places[n++] = places[i];
      continue;
    }
    Place *p = &places[n - 1];
    p->ticks += places[i].ticks;
    if (places[i].longest > p->longest) {
      p->longest = places[i].longest;
      p->longest_at = places[i].longest_at;
      p->longest_for = places[i].longest_for;
      p->task = places[i].task;
    }
  }
  qsort (places, (size_t) n, sizeof *places, findings_by_ticks);
  if (n > 0 && places[0].kind >= 0 && places[0].kind < N_WAITS) {
    stats_date_told (&t->self->waits.source->clock, places[0].longest_at, date, sizeof date);
    const Waits *w = &t->self->waits;
    const Place *p = &places[0];
    span (waits_seconds (t->self, p->ticks), a);
    span (waits_seconds (t->self, p->longest), b);
    if (p->longest_for == TRACE_NONE)
      finding (t, _ ("Most is waited in %s: %s; the longest of these waits is %s, of %s at %s\u00a0s."),
               waits_region (w, p->region), a, b, task_named (w, p->task), date);
    else
      finding (t, _ ("Most is waited in %s: %s; the longest of these waits is %s, of %s for %s at %s\u00a0s."),
               waits_region (w, p->region), a, b, task_named (w, p->task), task_named (w, p->longest_for), date);
  }
}

/* Who waited longest, who was waited for longest; NULL: there is none.  g_free what is returned, in which these lie. */
static WaitTask *
longest (const Waits *w, const WaitTask **most, const WaitTask **cause)
{
  uint32_t n;
  WaitTask *tasks = waits_told_tasks (w, &n);

  *most = *cause = NULL;
  for (uint32_t i = 0; i < n; i++) {
    *most = !*most || tasks[i].owned > (*most)->owned ? &tasks[i] : *most;
    *cause = !*cause || tasks[i].caused > (*cause)->caused ? &tasks[i] : *cause;
  }
  return tasks;
}

static void
tell_tasks (const Telling *t)
{
  const WaitTask *most, *cause;
  g_autofree WaitTask *tasks = longest (&t->self->waits, &most, &cause);
  char a[32], b[32], x[32];

  if (most && cause && most->owned > 0 && cause->caused > 0)
    finding (t, _ ("%s waits longest (%s); %s is waited for most (%s, %s of all waiting)."), who_is (t, most),
             span (waits_seconds (t->self, most->owned), a), who_is (t, cause),
             span (waits_seconds (t->self, cause->caused), b),
             per_cent (waits_seconds (t->self, cause->caused) / t->all_waited, x));
}

/* Where a part of the trace begins, to the microsecond: its bounds mean nothing more exact, but where it is short. */
static void
print_date (const Waits *w, int part, char buf[64])
{
  int64_t date = CLAMP (MIN (w->source->first + part * w->part_lasts, w->source->last), w->from, w->to);
  const TraceClock *clock = &w->source->clock;
  bool since = clock->zero != 0 && date >= clock->zero, is_short = trace_clock_seconds (clock, w->part_lasts) < 1e-4;

  number_local (g_ascii_formatd (buf, 64,
                                 is_short ? (since ? "%+.9f" : "%.9f")
                                 : since  ? "%+.6f"
                                          : "%.6f",
                                 trace_clock_seconds (clock, since ? date - clock->zero : date)));
}

/* When the first wait begins that lies in a part: in the one before, where it goes on from there. */
static int64_t
first_wait_in (const Waits *w, int part)
{
  if (part > 0 && w->parts[part][PART_SINCE] >= w->part_lasts && w->parts[part - 1][PART_SINCE] > 0)
    part--;
  int64_t into = w->part_lasts - CLAMP (w->parts[part][PART_SINCE], 0, w->part_lasts);
  return w->source->first + part * w->part_lasts + into;
}

/* The time of all tasks in a part of the trace, as far as it lies in the window that is told of. */
static double
part_in_window (const Telling *t, int part)
{
  const Waits *w = &t->self->waits;
  int64_t from = w->source->first + part * w->part_lasts, to = MIN (from + w->part_lasts, w->source->last);

  return waits_seconds (t->self, waits_counted (w, from, to)) * t->lanes;
}

/* Since when: the first wait in the first part of the trace in which more than a twentieth of the time is waited; and
 * the worst part. */
static void
tell_when (const Telling *t)
{
  const Waits *w = &t->self->waits;
  int first = -1, worst = 0;
  double most = 0;
  char from[64], begin[64], end[64], x[32];

  for (int i = 0; i < WAIT_PARTS && w->part_lasts > 0; i++) {
    double all = 0, part = part_in_window (t, i);
    for (int k = 0; k < N_WAITS; k++)
      all += waits_seconds (t->self, w->parts[i][k]);
    if (part <= 0)
      continue;
    first = first < 0 && all > part / 20 ? i : first;
    worst = all / part > most ? i : worst;
    most = MAX (most, all / part);
  }
  if (first < 0)
    return;
  stats_date_told (&w->source->clock, first_wait_in (w, first), from, sizeof from);
  print_date (w, worst, begin);
  print_date (w, worst + 1, end);
  finding (t, _ ("They wait since %s\u00a0s, most between %s and %s\u00a0s: %s of the time of all there."), from, begin,
           end, per_cent (most, x));
}

/* Whose doing it is: not who came last, but what made it come last. */
static void
tell_causes (const Telling *t)
{
  const Waits *w = &t->self->waits;
  g_autoptr (GArray) all = waits_causes (w);
  g_autoptr (GString) text = g_string_new (NULL);
  const double ticks = (double) w->source->clock.ticks_per_second;
  char a[32], b[32], x[32];

  if (all->len == 0 || w->judged <= 0)
    return;
  for (guint i = 0; i < MIN (all->len, MOST_PLACES); i++) {
    const WaitCause *c = g_array_index (all, const WaitCause *, i);
    double costs = c->direct + c->indirect;
    if (i > 0 && costs < w->judged / 20)
      break;
    g_autofree char *where = waits_in_region (w, c->region);
    g_string_append_printf (text, _ ("%s%s %s costs %s of waiting (%s of all of it"), i ? _ ("; ") : "",
                            task_named (w, c->task), where, span (costs / ticks, a), per_cent (costs / w->judged, x));
    if (c->indirect > costs / 20)
      g_string_append_printf (text, _ (", %s of it by way of others"), span (c->indirect / ticks, b));
    g_string_append_c (text, ')');
  }
  finding (t, _ ("Root causes, which is what a task does for longer than those that wait for it: %s."), text->str);
  if (w->unexplained > w->judged / 20)
    finding (
        t, _ ("Nothing explains %s of the waiting (%s): nobody does anything for longer than those that wait for it."),
        span (w->unexplained / ticks, a), per_cent (w->unexplained / w->judged, x));
}

/* It ends, from the end back, where nothing tells what let its first task begin: a launch that is not recorded. */
static void
tell_path_begins (const Telling *t)
{
  const Waits *w = &t->self->waits;
  int64_t from, to, first;
  char date[64], a[32], x[32];

  if (path_end (w, &from, &to, &first) < 0 || t->e.runtime <= 0)
    return;
  double before = waits_seconds (t->self, waits_counted (w, w->source->first, from));
  if (before < MOST_UNTOLD * t->e.runtime)
    return;
  stats_date_told (&w->source->clock, from, date, sizeof date);
  finding (t,
           _ ("The path begins at %s\u00a0s on %s, as nothing tells what let that begin then, such as a launch or a "
              "message: "
              "what was critical in the %s before (%s of the run) is not known, and not in it."),
           date, task_named (w, first), span (before, a), per_cent (before / t->e.runtime, x));
}

static void
tell_path (const Telling *t)
{
  int64_t length, stretches;
  g_autoptr (GArray) regions = path_by_region (&t->self->waits, &length, &stretches);
  g_autoptr (GArray) tasks = path_by_task (&t->self->waits);
  const PathPart *most = NULL;
  char a[32], b[32], c[32], d[32];

  for (guint i = 0; i < tasks->len; i++) {
    const PathPart *p = &g_array_index (tasks, PathPart, i);
    most = !most || p->ticks > most->ticks ? p : most;
  }
  const PathPart *first = NULL; /* of what the program itself does, if that is told apart */
  int64_t set_up = 0;
  for (guint i = 0; i < regions->len; i++) {
    const PathPart *p = &g_array_index (regions, PathPart, i);
    bool is = t->sets_up && waits_region_is (&t->self->waits, p->region) & REGION_SETS_UP;
    set_up += is ? p->ticks : 0;
    first = !first && !is ? p : first;
  }
  if (!first || !most || stretches < 2)
    return;
  g_autofree char *where = first->region == REGION_BEFORE ? g_strdup (_ ("before the first call of a task"))
                                                          : waits_in_region (&t->self->waits, first->region);
  span (waits_seconds (t->self, length), a);
  span (waits_seconds (t->self, first->ticks), b);
  span (waits_seconds (t->self, most->ticks), c);
  if (set_up > 0)
    finding (
        t,
        _ ("The critical path (%s in %" PRId64 " stretches, %s of it in set-up) is longest, beside that, %s (%s), and "
           "on %s (%s)."),
        a, stretches, span (waits_seconds (t->self, set_up), d), where, b, task_named (&t->self->waits, most->task), c);
  else
    finding (t, _ ("The critical path (%s in %" PRId64 " stretches) is longest %s (%s) and on %s (%s)."), a, stretches,
             where, b, task_named (&t->self->waits, most->task), c);
  tell_path_begins (t);
}

void
findings_tell_clocks (const Telling *t)
{
  const Waits *w = &t->self->waits;
  const TraceSource *s = w->source;
  char a[32];

  if (w->count[WAITS_BACKWARD] + w->count[WAITS_LEFT_EARLY] == 0)
    return;
  finding (t,
           _ ("The clocks of the tasks differ, by %s at least, and all that is said of waiting is wrong by as much: "
              "%" PRId64 " of %" PRId64
              " messages are received before they are sent; operations of groups are left before "
              "the last task has come: %" PRId64 ". The worst is %s in %s, before %s. %s"),
           span (waits_seconds (t->self, w->count[WAITS_APART]), a), w->count[WAITS_BACKWARD], w->count[WAITS_MESSAGES],
           w->count[WAITS_LEFT_EARLY], trace_task_name (s, (uint32_t) w->count[WAITS_APART_EARLY]),
           waits_region (w, w->count[WAITS_APART_REGION]), trace_task_name (s, (uint32_t) w->count[WAITS_APART_LATE]),
           s->clocks.by == TRACE_CLOCKS_LOGICAL ? _ ("They are corrected as far as can be.")
           : s->clocks.by == TRACE_CLOCKS_LINEAR
               ? _ ("They are corrected by a straight line each; --clocks logical (the setting "
                    "“clocks” of the reader) corrects the rest.")
               : _ ("They are not corrected: --clocks logical (the setting “clocks” of the "
                    "reader) does it."));
}

/* What would be waited in them if the n-th of each task is one operation of all. */
static void
tell_by_order (const Telling *t)
{
  const Waits *w = &t->self->waits;
  const WaitTask *most = NULL;
  char a[32], b[32], d[32];
  g_autofree char *roots = NULL;

  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *task = waits_tasks_at (w, i);
    if (waits_tasks_use (w, i) && task->order_caused > 0 && (!most || task->order_caused > most->order_caused))
      most = task;
  }
  if (!most)
    return;
  if (w->count[WAITS_ORDER_LATE] + w->count[WAITS_ORDER_EARLY] > 0)
    roots = g_strdup_printf (_ (", and at most %s for roots that come late and %s in roots that come early"),
                             span (waits_seconds (t->self, w->count[WAITS_ORDER_LATE]), a),
                             span (waits_seconds (t->self, w->count[WAITS_ORDER_EARLY]), b));
  finding (
      t,
      P_ ("All %" PRId64 " tasks do the same %" PRId64
          " such operation: if it is one operation of all of them, they wait in it %s at barriers and %s where each "
          "needs data of all%s, added up over all tasks; %s is waited for most (%s of that). "
          "That is not counted elsewhere.",
          "All %" PRId64 " tasks do the same %" PRId64
          " such operations in the same order: if the n-th of each is one operation of all of them, they wait in these "
          "%s at barriers and %s where each needs data of all%s, added up over all tasks; %s is waited for most (%s of "
          "that). "
          "That is not counted elsewhere.",
          w->count[WAITS_ORDER_DONE]),
      w->count[WAITS_ORDER_TASKS], w->count[WAITS_ORDER_DONE],
      span (waits_seconds (t->self, w->count[WAITS_ORDER_BARRIER]), a),
      span (waits_seconds (t->self, w->count[WAITS_ORDER_ALL]), b), roots ? roots : "", task_named (w, most->task),
      span (waits_seconds (t->self, most->order_caused), d));
}

/* States that are named as operations of groups, of which the trace tells no group; true: there are such. */
static bool
tell_without_groups (const Telling *t)
{
  const Waits *w = &t->self->waits;
  const WaitRegion *longest;
  double all = waits_without_groups (t->self, &longest);
  char a[32], x[32];

  if (!longest || share_of_run (t, all) < WORTH)
    return false;
  finding (
      t,
      _ ("Who waits for whom is not known, and not counted, in operations of groups, in which tasks are for %s (%s "
         "of their time), longest in %s: the trace does not tell of which group each is, and the critical path goes "
         "through them as if nobody waited."),
      span (all, a), per_cent (share_of_run (t, all), x), waits_region (w, longest->region));
  if (order_agrees (w))
    tell_by_order (t);
  return true;
}

/* Operations from or to a root, of which the trace does not tell who that is; true: there are such. */
static bool
tell_without_roots (const Telling *t)
{
  const Waits *w = &t->self->waits;
  const WaitRegion *longest = NULL;
  double all = 0;
  char a[32], b[32], c[32], x[32];

  for (int64_t i = 0; i < w->regions_spent.n; i++) {
    const WaitRegion *r = waits_regions_spent_at (w, i);
    if (!waits_regions_spent_use (w, i) || r->rootless == 0)
      continue;
    all += waits_seconds (t->self, r->rootless);
    longest = !longest || r->rootless > longest->rootless ? r : longest;
  }
  if (!longest || share_of_run (t, all) < WORTH)
    return false;
  finding (
      t,
      _ ("Who waits for whom is not known, and not counted, in operations from one to all or from all to one, in "
         "which tasks are for %s (%s of their time), longest in %s: the trace does not tell who that one, the root, "
         "is, and the critical path goes through them as if nobody waited. At most, tasks wait there %s for roots "
         "that come late, and roots that come early wait %s for the others, added up over all tasks."),
      span (all, a), per_cent (share_of_run (t, all), x), waits_region (w, longest->region),
      span (waits_seconds (t->self, w->count[WAITS_ROOTLESS_LATE]), b),
      span (waits_seconds (t->self, w->count[WAITS_ROOTLESS_EARLY]), c));
  return true;
}

/* What groups did of which something is not told; true: there is such. */
static bool
tell_untold_groups (const Telling *t)
{
  bool groups = tell_without_groups (t), roots = tell_without_roots (t);

  return groups || roots;
}

/* True: there are some. */
static bool
tell_doubts (const Telling *t)
{
  const Waits *w = &t->self->waits;
  int64_t sends = waits_left_over (w, false), receives = waits_left_over (w, true);

  if (sends > 0 || receives > 0)
    finding (t, _ ("%" PRId64 " sends have no receive, %" PRId64 " receives no send."), sends, receives);
  if (w->instances.n_used > 0)
    finding (t, _ ("In %u operations of groups not all members take part."), w->instances.n_used);
  if (w->count[WAITS_MISMATCHED] > 0)
    finding (t, _ ("In %" PRId64 " operations of groups members do different things; they are left out."),
             w->count[WAITS_MISMATCHED]);
  return tell_untold_groups (t) || sends > 0 || receives > 0 || w->instances.n_used > 0
         || w->count[WAITS_MISMATCHED] > 0;
}

/* "rank 0 in MPI_Recv since 0.25 s, for rank 1", "... for rank 1, rank 2, rank 3 and 4 others", "... where 3 of crew
 * have come and 2 are missing: rank 1 and rank 4".  `at`: its first row. */
static void
put_stuck (const Telling *t, const GArray *all, guint at, GString *to)
{
  const Waits *w = &t->self->waits;
  const WaitStuck *s = &g_array_index (all, WaitStuck, at);
  uint32_t named = 1, n_rows = 1;
  char date[64];

  stats_date_told (&w->source->clock, s->from, date, sizeof date);
  g_string_append_printf (to, _ ("%s in %s since %s\u00a0s"), task_named (w, s->task), waits_region (w, s->region),
                          date);
  if (s->group >= 0)
    g_string_append_printf (to, P_ (", where %u of %s has come and ", ", where %u of %s have come and ", s->n_there),
                            s->n_there, trace_object_id (w->source, (uint32_t) s->group));
  if (s->group >= 0)
    g_string_append_printf (to, P_ ("%u is missing", "%u are missing", s->n_on), s->n_on);
  else if (s->on == TRACE_NONE)
    g_string_append (to, _ (", and nobody tells for whom"));
  if (s->on == TRACE_NONE)
    return;
  g_string_append_printf (to, s->group >= 0 ? _ (": %s") : _ (", for %s"), trace_task_name (w->source, s->on));
  while (at + n_rows < all->len && !g_array_index (all, WaitStuck, at + n_rows).first)
    n_rows++;
  for (; named < n_rows && (named < MOST_MISSING || named + 1 == s->n_on); named++)
    g_string_append_printf (to, "%s%s", named + 1 == s->n_on ? _ (" and ") : ", ",
                            trace_task_name (w->source, s[named].on));
  if (s->n_on > named)
    g_string_append_printf (to, P_ (" and %u other", " and %u others", s->n_on - named), s->n_on - named);
  if (s->under_way)
    g_string_append (to, _ (", which has sent it something that it has not got yet"));
}

/* The next of a circle; NULL: there is none. */
static const WaitStuck *
in_circle (const GArray *all, int64_t number, uint32_t task)
{
  for (guint i = 0; i < all->len; i++) {
    const WaitStuck *s = &g_array_index (all, WaitStuck, i);
    if (s->circle == number && (task == TRACE_NONE || s->task == task))
      return s;
  }
  return NULL;
}

/* Since when all of a circle wait; how many they are. */
static int64_t
circle_since (const GArray *all, int64_t number, guint *n)
{
  int64_t since = INT64_MIN;

  *n = 0;
  for (guint i = 0; i < all->len; i++)
    if (g_array_index (all, WaitStuck, i).circle == number) {
      since = MAX (since, g_array_index (all, WaitStuck, i).from);
      ++*n;
    }
  return since;
}

/* Those that wait in a circle, from the one with the lowest number on. */
static void
put_circle (const Telling *t, const GArray *all, int64_t number, GString *to)
{
  const Waits *w = &t->self->waits;
  const WaitStuck *s = in_circle (all, number, TRACE_NONE);
  char date[64];
  guint n;

  stats_date_told (&w->source->clock, circle_since (all, number, &n), date, sizeof date);
  g_string_append_printf (to, _ (" Deadlock since %s\u00a0s: "), date);
  for (guint k = 0; s && k <= MIN (n, MOST_IN_CIRCLE); k++) {
    if (k == MOST_IN_CIRCLE && n > MOST_IN_CIRCLE)
      g_string_append_printf (to, _ (", and so on, %u tasks in a circle"), n);
    else if (k == 0)
      g_string_append (to, task_named (w, s->task));
    else
      g_string_append_printf (to, k == 1 ? _ (" waits for %s") : _ (", that one for %s"), task_named (w, s->task));
    s = in_circle (all, number, s->on);
  }
  g_string_append (to, _ ("; none of them can ever go on"));
  g_string_append (to, w->source->n_damaged > 0 ? _ (", unless damage of the trace hides what ended it.") : ".");
}

static void
findings_circles (EveComponent *c, void (*add) (void *to, const uint32_t *tasks, uint32_t n, int64_t since), void *to)
{
  Waits *w = &((Component *) c)->waits;
  int64_t n_circles;

  if (!w->source || !waits_over (w))
    return;
  waits_settle (w);
  g_autoptr (GArray) all = waits_stuck (w, &n_circles), tasks = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (int64_t k = 0; k < n_circles; k++) {
    guint n;
    int64_t since = circle_since (all, k, &n);
    const WaitStuck *s = in_circle (all, k, TRACE_NONE);
    g_array_set_size (tasks, 0);
    for (guint i = 0; s && i < n; i++) {
      g_array_append_val (tasks, s->task);
      s = in_circle (all, k, s->on);
    }
    add (to, (const uint32_t *) (void *) tasks->data, tasks->len, since);
  }
}

const StatsCircles waits_circles = { findings_circles };

/* Who is in a call that is not over, for whom, and, if it never ends, whether that goes round in a circle; g_free. */
static char *
stuck_text (const Telling *t)
{
  const Waits *w = &t->self->waits;
  int64_t n_circles, last = -1;
  g_autoptr (GArray) all = waits_stuck (w, &n_circles);
  g_autoptr (GString) who = g_string_new (NULL), text = g_string_new (NULL);
  guint n = 0, n_calls = 0, n_left = 0; /* of tasks: those that no other thread can go on in */

  for (guint i = 0; i < all->len; i++) {
    const WaitStuck *s = &g_array_index (all, WaitStuck, i);
    double waits = waits_seconds (t->self, waits_counted (w, s->from, s->to));
    bool circles = false; /* any of those that it waits for */
    for (guint k = i; k < all->len && (k == i || !g_array_index (all, WaitStuck, k).first); k++)
      circles |= g_array_index (all, WaitStuck, k).circle >= 0;
    if (!s->first || (!circles && waits < WORTH * t->e.runtime))
      continue;
    if (n_calls++ < MOST_STUCK) {
      g_string_append (who, n_calls > 1 ? _ ("; ") : "");
      put_stuck (t, all, i, who);
    }
    n += s->task != last;
    n_left += s->task != last && s->alone;
    last = s->task;
  }
  if (n_calls == 0)
    return NULL;
  if (n_calls > MOST_STUCK)
    g_string_append_printf (who, P_ ("; and %u more such call", "; and %u more such calls", n_calls - MOST_STUCK),
                            n_calls - MOST_STUCK);
  if (!waits_over (w)) {
    g_string_append_printf (text,
                            P_ ("At this instant %u of %u tasks is in a call that is not over: %s.",
                                "At this instant %u of %u tasks are in calls that are not over: %s.", n),
                            n, MAX (t->e.n, n), who->str);
    return g_string_free (g_steal_pointer (&text), FALSE);
  }
  g_string_append_printf (
      text,
      P_ ("%u of %u tasks is in a call that never ended: %s.", "%u of %u tasks are in calls that never ended: %s.", n),
      n, MAX (t->e.n, n), who->str);
  for (int64_t k = 0; k < MIN (n_circles, MOST_PLACES); k++)
    put_circle (t, all, k, text);
  if (t->e.n > 0 && n_left >= t->e.n)
    g_string_append (text, _ (" No task came to an end by itself, so neither did the run: its time and efficiency are "
                              "of what there is up to the end of the trace."));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
tell_stuck (const Telling *t)
{
  g_autofree char *text = stuck_text (t);

  if (text)
    t->add (t->to, text);
}

/* What all sentences are of; false: nobody waits for another, as far as is told. */
static bool
findings_begin (Telling *t)
{
  const Waits *w = &t->self->waits;

  waits_settle ((Waits *) w);
  t->e = waits_efficiency (t->self, t->self->inner);
  t->inner = waits_efficiency (t->self, true);
  t->lanes = t->e.n;
  for (int64_t i = 0; i < w->tasks.n; i++) { /* numbers of threads begin with 0, which each task has */
    const WaitTask *task = waits_tasks_at (w, i);
    t->lanes += (double) MAX (task->threads, 0);
    t->threads |= task->threads > 0;
  }
  t->sets_up = !t->self->inner && waits_sets_up (w) && t->inner.runtime > 0
               && t->inner.runtime < WORTH_SET_UP * t->e.runtime;
  for (int64_t i = 0; i < w->cells.n; i++) { /* in which each time is counted once */
    const WaitCell *cell = waits_cells_at (w, i);
    double s = waits_seconds (t->self, cell->ticks);
    if (cell->kind >= 0 && cell->kind < N_WAITS)
      t->waited[cell->kind] += s;
    t->all_waited += s;
  }
  return w->count[WAITS_MESSAGES] + w->count[WAITS_INSTANCES] > 0 || t->all_waited > 0;
}

/* Nobody waits for another, as far as is told: what is known then of why it takes so long. */
static void
tell_alone (Telling *t)
{
  const char *untold = trace_waits_untold (t->self->waits.source);
  bool doubts = tell_doubts (t);

  if (!doubts)
    finding (t, "%s",
             untold ? untold : _ ("Who waits for whom is not told: there is no message and no operation of a group."));
  t->alone = !doubts && !t->sets_up;
  t->e.ideal = t->inner.ideal = 0; /* nobody knows what it would be */
  if (t->e.n > 1 && t->e.untold < MOST_UNTOLD && limits_tell (t))
    limits_tell_more (t);
}

/* How efficient it is, what limits it, where, since when: in this order, as that is what one asks. */
static void
findings (EveComponent *c, void (*add) (void *to, const char *sentence), void *to)
{
  Telling t = { .self = (const Component *) c, .add = add, .to = to };

  const Waits *w = &t.self->waits;
  if (!w->source)
    return;
  if (!findings_begin (&t)) {
    tell_alone (&t);
    return;
  }
  findings_tell_clocks (&t); /* nothing below is right then */
  tell_stuck (&t);
  bool waits = worth_telling (&t), told = limits_tell (&t);
  if (t.all_waited > 0)
    tell_kinds (&t);
  else
    finding (&t, _ ("No task waits for another."));
  if (waits) {
    tell_tasks (&t);
    tell_places (&t);
    tell_when (&t);
    tell_causes (&t);
  }
  tell_matched (&t);
  if (told)
    limits_tell_more (&t);
  if (waits) {
    tell_path (&t);
    tell_measure (&t);
  }
  tell_doubts (&t);
}

const StatsFindings waits_findings = { findings };

static void
findings_append (void *to, const char *sentence)
{
  GString *text = to;

  g_string_append (text, text->len > 0 ? " " : "");
  g_string_append (text, sentence);
}

/* "Tasks wait 272 ms for each other, 25.8 % of their time; fft 0 waits longest (97.6 ms), and fft 3 is waited for most
 * (145 ms).  What costs most is fft 3 in rows: 122 ms of waiting." */
static char *
findings_answer (EveComponent *c, const char *about)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Telling t = { .self = (const Component *) c, .add = findings_append, .to = text };
  const Waits *w = &t.self->waits;
  char a[32], b[32], d[32], x[32];

  if (!g_str_equal (about, "waits") || !w->source)
    return NULL;
  if (!findings_begin (&t)) {
    tell_alone (&t);
    return text->len > 0 ? g_strdup (text->str) : NULL;
  }
  if (t.all_waited <= 0) {
    findings_append (text, _ ("No task waits for another."));
    tell_untold_groups (&t);
    return g_strdup (text->str);
  }
  tell_stuck (&t);
  const WaitTask *most, *cause;
  g_autofree WaitTask *tasks = longest (w, &most, &cause);
  g_string_append (text, text->len > 0 ? " " : "");
  g_string_append_printf (text,
                          t.threads ? _ ("Tasks wait %s for each other, %s of the time of all their threads")
                                    : _ ("Tasks wait %s for each other, %s of their time"),
                          span (t.all_waited, a), per_cent (share_of_run (&t, t.all_waited), x));
  if (most && cause && most->owned > 0 && cause->caused > 0)
    g_string_append_printf (text, _ ("; %s waits longest (%s), and %s is waited for most (%s)"), who_is (&t, most),
                            span (waits_seconds (t.self, most->owned), b), who_is (&t, cause),
                            span (waits_seconds (t.self, cause->caused), d));
  g_string_append_c (text, '.');
  tell_matched (&t);
  g_autoptr (GArray) causes = waits_causes (w);
  const WaitCause *first = causes->len > 0 ? g_array_index (causes, const WaitCause *, 0) : NULL;
  if (first && first->direct + first->indirect > 0) {
    g_autofree char *where = waits_in_region (w, first->region);
    g_string_append_printf (text, _ (" What costs most is %s %s: %s of waiting."), task_named (w, first->task), where,
                            span ((first->direct + first->indirect) / (double) w->source->clock.ticks_per_second, a));
  }
  tell_untold_groups (&t);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

const StatsAnswer waits_answer = { findings_answer };
