/* SPDX-License-Identifier: Apache-2.0 */
/* causes.c - root causes: what tasks do for longer than those that wait for them, and how much waiting that costs.
 *
 * Each task has a log of what it did of late.  When one has waited for another, both logs are read back to the last
 * operation that both took part in.  The wait is shared out over what the other spent more time in since than the one
 * that waits (direct), and over what the other waited itself since: that part goes on to what its waits were due to
 * (indirect).  Boehme, Geimer, Wolf, Arnold: Identifying the root causes of wait states in large-scale parallel
 * applications, ICPP 2010; there costs are handed back after the run, here each wait keeps what it is due to. */
#include <math.h>
#include <string.h>

#include "components/waits/waits.h"

#define MOST_LOG 512u  /* entries of a task; then the older half is forgotten */
#define MOST_ROOTS 24u /* that a wait keeps apart; smaller ones are not explained to those who wait for it */

enum { WAITS, CAUSES, TOUCHED };

typedef struct Weight { /* part of a wait that is due to a row of `causes` */
  int64_t cause;
  double direct, indirect;
} Weight;

typedef struct CauseScratch {
  int64_t (*spent)[3]; /* by place in regions_spent: by who waits, by whom it waits for, whether it is in `touched` */
  int64_t *touched;    /* places; there is room for all */
  Weight *weights;     /* the same of causes */
  uint32_t *of_cause;  /* by place in causes: its weight + 1 */
  int64_t n_spent, n_causes, n_touched;
  uint32_t n_weights;
} CauseScratch;

/* ---- the log ------------------------------------------------------------------------------------------------------------------- */

WaitLog *
causes_more_logs (Waits *w, uint32_t row)
{
  uint32_t n = MAX (16, MAX (row + 1, 2 * w->n_logs));

  w->logs = g_renew (WaitLog, w->logs, n);
  for (; w->n_logs < n; w->n_logs++)
    w->logs[w->n_logs] = (WaitLog){ .since = INT64_MIN, .lost = INT64_MIN };
  return &w->logs[row];
}

static WaitLog *
log_of (Waits *w, int64_t task)
{
  return causes_log (w, waits_task (w, (uint32_t) task));
}

/* What a task is inside of has lasted until now. */
static WaitLog *
causes_up_to (Waits *w, int64_t task, int64_t date)
{
  const WaitTask *t = waits_task (w, (uint32_t) task);
  int64_t row = waits_spent_row (w, waits_region_of (w, t));
  WaitLog *l = causes_log (w, t);

  causes_spend (l, row, date);
  return l;
}

/* The first entries are forgotten. */
static void
causes_forget (WaitLog *l, uint32_t n)
{
  if (n == 0)
    return;
  for (uint32_t i = 0; i < n; i++)
    l->lost = MAX (l->lost, l->all[i].to);
  memmove (l->all, l->all + n, (l->n - n) * sizeof *l->all);
  l->n -= n;
  l->piece -= MIN (l->piece, n);
  l->met_all -= MIN (l->met_all, n);
}

/* Where the next one is to be written: what is put together elsewhere number by number, and copied at once, has to wait
 * for that. */
static inline LogEntry *
next_entry (WaitLog *l)
{
  if (G_UNLIKELY (l->n == MOST_LOG))
    causes_forget (l, MOST_LOG / 2);
  if (G_UNLIKELY (l->n == l->room))
    l->all = g_renew (LogEntry, l->all, l->room = MAX (8, 2 * l->room));
  return &l->all[l->n++];
}

void
causes_spend_anew (WaitLog *l, int64_t row, int64_t date, int64_t ticks)
{
  uint32_t first = MAX (l->piece, l->n - MIN (l->n, LOOK_BACK)), i = l->n;

  while (i > first && (l->all[i - 1].what != LOG_SPENT || l->all[i - 1].a != row))
    i--;
  if (i > first) {
    l->all[i - 1].to = date;
    l->all[i - 1].b = trace_sum (l->all[i - 1].b, ticks);
  } else {
    *next_entry (l) = (LogEntry){ LOG_SPENT, l->since, date, row, ticks };
    i = l->n;
  }
  l->recent[row % RECENT_ROWS].log = (uint16_t) (i - 1);
}

void
causes_cut (WaitLog *l)
{
  l->piece = l->n;
}

/* In this file a task that is told of once more is the one whose path it goes on: both are of the same time. */
static void
causes_meet (Waits *w, int64_t task, int64_t a, int64_t b, int64_t date)
{
  WaitLog *l = causes_up_to (w, task, date);

  *next_entry (l) = (LogEntry){ LOG_MET, date, date, a, b };
  l->piece = l->n;
}

void
causes_met (Waits *w, int64_t one, int64_t other, int64_t date)
{
  int64_t number = w->count[WAITS_SERIAL]++;

  one = path_task (w, (uint32_t) one);
  other = path_task (w, (uint32_t) other);
  if (one == other)
    return;
  causes_meet (w, one, -1 - other, number, date);
  causes_meet (w, other, -1 - one, number, date);
}

void
causes_met_group (Waits *w, int64_t task, int64_t group, int64_t number, int64_t size, int64_t date)
{
  const int64_t key[] = { group, path_task (w, (uint32_t) task) };

  if (key[1] != task) /* it is a member as well */
    table_find_or_add (&w->counts, key, NULL);
  task = key[1];
  causes_meet (w, task, group, number, date);
  if (size < w->tasks.n_used) /* else nobody looks back beyond the one before it */
    return;
  WaitLog *l = log_of (w, task);
  if (l->met_all > 0)
    causes_forget (l, l->met_all - 1);
  l->met_all = l->n;
}

/* ---- the last operation that two tasks took part in ----------------------------------------------------------------------------- */

typedef struct Since { /* of a task: the date, and the entry behind it */
  int64_t date;
  uint32_t entry;
} Since;

static bool
find_met (const WaitLog *l, int64_t a, int64_t b, int64_t until, Since *to)
{
  for (uint32_t i = l->n; i-- > 0;) {
    const LogEntry *e = &l->all[i];
    if (e->what == LOG_MET && e->b == b && (a < 0 ? e->a < 0 : e->a == a)) {
      *to = (Since){ e->to, i + 1 };
      return e->to <= until;
    }
  }
  return false;
}

static void
last_met (const Waits *w, const WaitLog *i_log, const WaitLog *j_log, int64_t cause, int64_t from, int64_t until,
          Since *i_since, Since *j_since)
{
  int64_t asked = -1; /* a group, and whether the other is a member of it */
  bool is_member = false;

  for (uint32_t k = i_log->n; k-- > 0;) {
    const LogEntry *e = &i_log->all[k];
    if (e->what != LOG_MET || e->to > from)
      continue;
    if (e->a < 0 && e->to < j_log->lost)
      break; /* the other has forgotten that, and all before */
    if (e->a >= 0 && e->a != asked) {
      const int64_t key[] = { asked = e->a, cause };
      is_member = table_find (&w->counts, key) >= 0;
    }
    if (e->a < 0 ? e->a != -1 - cause : !is_member)
      continue;
    if (find_met (j_log, e->a, e->b, until, j_since)) {
      *i_since = (Since){ e->to, k + 1 };
      return;
    }
  }
  /* never, or too long ago: as far back as both are known */
  *i_since = *j_since = (Since){ MAX (i_log->lost, j_log->lost), 0 };
}

/* ---- whose doing a wait is --------------------------------------------------------------------------------------------------------- */

static CauseScratch *
scratch_of (Waits *w)
{
  CauseScratch *s = w->scratch ? w->scratch : (w->scratch = g_new0 (CauseScratch, 1));

  if (G_UNLIKELY (s->n_spent < w->regions_spent.n)) {
    int64_t n = MAX (64, 2 * w->regions_spent.n);
    s->touched = g_realloc_n (s->touched, (gsize) n + 1, sizeof *s->touched); /* one is written ahead */
    s->spent = g_realloc_n (s->spent, (gsize) n, sizeof *s->spent);
    memset (s->spent + s->n_spent, 0, (size_t) (n - s->n_spent) * sizeof *s->spent);
    s->n_spent = n;
  }
  return s;
}

static inline void
causes_touch (CauseScratch *s, int64_t row, int who, int64_t ticks)
{
  s->touched[s->n_touched] = row;
  s->n_touched += !s->spent[row][TOUCHED];
  s->spent[row][TOUCHED] = 1;
  s->spent[row][who] = trace_sum (s->spent[row][who], ticks);
}

static int64_t
clipped (const LogEntry *e, int64_t from, int64_t to)
{
  int64_t a = MAX (e->from, from), b = MIN (e->to, to);

  if (a >= b)
    return 0;
  return a == e->from && b == e->to
             ? e->b
             : (int64_t) ((double) e->b * (double) waits_between (a, b) / (double) waits_between (e->from, e->to));
}

/* What a task did since then, without what it waited.  Gives how long it waited. */
static double
causes_gather (CauseScratch *s, const WaitLog *l, Since since, int64_t until, int who)
{
  double waited = 0;

  for (uint32_t i = l->n; i-- > since.entry;) {
    const LogEntry *e = &l->all[i];
    if (e->what == LOG_SPENT)
      causes_touch (s, e->a, who, clipped (e, since.date, until));
    else if (e->what == LOG_WAIT && e->from >= since.date && e->to <= until) {
      causes_touch (s, e->a, who, waits_between (e->to, e->from)); /* less than nothing */
      waited += (double) waits_between (e->from, e->to);
    }
  }
  return waited;
}

static Weight *
causes_weight_of (Waits *w, CauseScratch *s, int64_t cause)
{
  if (G_UNLIKELY (s->n_causes < w->causes.n)) {
    int64_t n = MAX (64, 2 * w->causes.n);
    s->weights = g_realloc_n (s->weights, (gsize) n, sizeof *s->weights);
    s->of_cause = g_realloc_n (s->of_cause, (gsize) n, sizeof *s->of_cause);
    memset (s->of_cause + s->n_causes, 0, (size_t) (n - s->n_causes) * sizeof *s->of_cause);
    s->n_causes = n;
  }
  if (s->of_cause[cause] == 0) {
    s->weights[s->n_weights++] = (Weight){ cause, 0, 0 };
    s->of_cause[cause] = s->n_weights;
  }
  return &s->weights[s->of_cause[cause] - 1];
}

/* What a task (`l` is its log) does in a region, which has this place in regions_spent. */
static int64_t
cause_row (Waits *w, WaitLog *l, int64_t task, int64_t row)
{
  const int64_t key[] = { task, waits_regions_spent_at (w, row)->region };
  uint32_t *known = &l->recent[row % RECENT_ROWS].cause;

  if (waits_causes_use (w, *known)) {
    const WaitCause *c = waits_causes_at (w, *known);
    if (c->task == key[0] && c->region == key[1])
      return *known;
  }
  int64_t i = table_find_or_add (&w->causes, key, NULL);
  *known = (uint32_t) i;
  return i;
}

/* Its waits hand on their parts. */
static void
hand_on (Waits *w, CauseScratch *s, const WaitLog *l, Since since, int64_t until, double total)
{
  for (uint32_t i = l->n; i-- > since.entry;) {
    const LogEntry *e = &l->all[i];
    if (e->what != LOG_WAIT || e->from < since.date || e->to > until)
      continue;
    double part = (double) waits_between (e->from, e->to) / total;
    for (uint32_t k = 1; k <= (uint32_t) e->b && k <= i; k++) {
      double of_one;
      memcpy (&of_one, &l->all[i - k].b, sizeof of_one);
      causes_weight_of (w, s, l->all[i - k].a)->indirect += part * of_one;
    }
  }
}

static int
most_first (const void *a, const void *b)
{
  const Weight *x = a, *y = b;
  double d = (x->direct + x->indirect) - (y->direct + y->indirect);

  return d != 0 ? (d < 0) - (d > 0) : (x->cause > y->cause) - (x->cause < y->cause);
}

/* Mostly there are a few. */
static void
causes_sort (Weight *all, uint32_t n)
{
  if (n > 16) {
    qsort (all, n, sizeof *all, most_first);
    return;
  }
  for (uint32_t i = 1; i < n; i++) {
    const Weight one = all[i];
    uint32_t k = i;
    for (; k > 0 && most_first (&one, &all[k - 1]) < 0; k--)
      all[k] = all[k - 1];
    all[k] = one;
  }
}

/* What it is due to, for those that will wait for it. */
static void
causes_keep (WaitLog *l, const CauseScratch *s, int64_t from, int64_t to, int64_t row)
{
  uint32_t n = MIN (s->n_weights, MOST_ROOTS);

  if (l->n + n + 1 > MOST_LOG)
    causes_forget (l, MOST_LOG / 2);
  for (uint32_t i = 0; i < n; i++) {
    const Weight *one = &s->weights[i];
    double part = one->direct + one->indirect;
    LogEntry *e = next_entry (l);
    *e = (LogEntry){ LOG_ROOT, from, to, one->cause, 0 };
    memcpy (&e->b, &part, sizeof part);
  }
  *next_entry (l) = (LogEntry){ LOG_WAIT, from, to, row, n };
}

/* By how many ticks the other did it longer.  What a stream of an accelerator is given to do is not its own doing, nor
 * that it has nothing to do until then. */
static double
excess (const Waits *w, const CauseScratch *s, const Wait *one, int64_t row)
{
  double more = (double) s->spent[row][CAUSES] - (double) MAX (s->spent[row][WAITS], 0);

  return one->kind == WAIT_DEVICE && waits_regions_spent_at (w, row)->region < 0 ? 0 : MAX (more, 0);
}

/* Parts of a wait: what the other did more than who waited, and what it waited itself. */
static void
weigh (Waits *w, CauseScratch *s, const Wait *one)
{
  int64_t task = path_task (w, one->task), by = path_task (w, one->cause);
  int64_t now = w->count[WAITS_LAST];
  WaitLog *j_log = by != one->cause ? causes_up_to (w, by, now) : log_of (w, by);
  WaitLog *i_log = task != one->task ? causes_up_to (w, task, now) : log_of (w, task);
  int64_t until = one->from + one->ticks;
  Since i_since, j_since;

  j_log = log_of (w, by); /* there may be more of them now */
  last_met (w, i_log, j_log, by, one->from, until, &i_since, &j_since);
  causes_gather (s, i_log, i_since, one->from, WAITS);
  const double waited = causes_gather (s, j_log, j_since, until, CAUSES);
  double total = waited;
  for (int64_t i = 0; i < s->n_touched; i++)
    total += excess (w, s, one, s->touched[i]);
  for (int64_t i = 0; i < s->n_touched; i++) {
    int64_t row = s->touched[i];
    double more = excess (w, s, one, row);
    memset (s->spent[row], 0, sizeof s->spent[row]);
    if (more > 0) {
      int64_t cause = cause_row (w, j_log, by, row);
      causes_weight_of (w, s, cause)->direct += more / total;
    }
  }
  if (waited > 0)
    hand_on (w, s, j_log, j_since, until, total);
  s->n_touched = 0;
}

/* The row that most of a stretch was spent in. */
static int64_t
causes_most_spent (const WaitLog *l, int64_t from, int64_t to, int64_t row)
{
  int64_t most = 0;

  for (uint32_t i = l->n; i-- > 0;) {
    int64_t ticks = l->all[i].what == LOG_SPENT ? clipped (&l->all[i], from, to) : 0;
    row = ticks > most ? l->all[i].a : row;
    most = MAX (most, ticks);
  }
  return row;
}

void
causes_judge (Waits *w, const Wait *one, int64_t own_from)
{
  int64_t until = one->from + one->ticks, task = path_task (w, one->task);
  double ticks = (double) waits_counted (w, own_from, until), explained = 0;
  CauseScratch *s = scratch_of (w);

  weigh (w, s, one);
  causes_sort (s->weights, s->n_weights);
  for (uint32_t i = 0; i < s->n_weights; i++) {
    const Weight *x = &s->weights[i];
    WaitCause *c = waits_causes_at (w, x->cause);
    c->direct += ticks * x->direct;
    c->indirect += ticks * x->indirect;
    explained += x->direct + x->indirect;
    s->of_cause[x->cause] = 0;
  }
  w->judged += ticks;
  w->unexplained += ticks * MAX (1 - explained, 0);
  WaitLog *l = log_of (w, task);
  int64_t row = waits_spent_row (w, one->region);
  if (task != one->task) /* which is inside of something else meanwhile */
    row = causes_most_spent (l, own_from, until, row);
  causes_keep (l, s, own_from, until, row);
  s->n_weights = 0;
}

/* ---- run state --------------------------------------------------------------------------------------------------------------------- */

void
causes_clear (Waits *w)
{
  CauseScratch *s = w->scratch;

  for (uint32_t i = 0; i < w->n_logs; i++) {
    g_free (w->logs[i].all);
    g_free (w->logs[i].pending.all);
  }
  g_clear_pointer (&w->logs, g_free);
  w->n_logs = 0;
  w->judged = w->unexplained = 0;
  if (!s)
    return;
  g_free (s->touched);
  g_free (s->weights);
  g_free (s->spent);
  g_free (s->of_cause);
  g_clear_pointer (&w->scratch, g_free);
}

void
causes_save (const Waits *w, EveBlob *to)
{
  int64_t n = MIN (w->n_logs, w->tasks.n);

  eve_put_double (to, w->judged);
  eve_put_double (to, w->unexplained);
  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitLog none = { .since = INT64_MIN, .lost = INT64_MIN }, *l = i < n ? &w->logs[i] : &none;
    const int64_t head[] = { l->n, l->piece, l->met_all, l->since, l->lost };
    eve_put_ints (to, head, EVE_N (head));
    for (uint32_t k = 0; k < l->n; k++)
      eve_put_ints (to, &l->all[k].what, sizeof *l->all / sizeof (int64_t));
    path_times_save (&l->pending, to);
  }
}

static bool
causes_is_sound (const Waits *w, const LogEntry *e)
{
  double part;

  memcpy (&part, &e->b, sizeof part);
  switch (e->what) {
  case LOG_SPENT:
    return e->a >= 0 && e->a < w->regions_spent.n && e->b >= 0;
  case LOG_MET:
    return true;
  case LOG_WAIT:
    return e->a >= 0 && e->a < w->regions_spent.n && e->from <= e->to && e->b >= 0 && e->b <= MOST_ROOTS;
  case LOG_ROOT:
    return waits_causes_use (w, e->a) && part >= 0 && part <= 2;
  default:
    return false;
  }
}

static bool
load_log (const Waits *w, WaitLog *l, EveBlobView *from)
{
  int64_t head[5];

  if (eve_get_ints (from, head, EVE_N (head)) != EVE_N (head) || head[0] < 0 || head[0] > MOST_LOG || head[1] < 0
      || head[1] > head[0] || head[2] < 0 || head[2] > head[0])
    return false;
  *l = (WaitLog){ .all = g_new (LogEntry, MAX (head[0], 1)),
                  .room = (uint32_t) MAX (head[0], 1),
                  .piece = (uint32_t) head[1],
                  .met_all = (uint32_t) head[2],
                  .since = head[3],
                  .lost = head[4] };
  for (; l->n < head[0]; l->n++)
    if (eve_get_ints (from, &l->all[l->n].what, sizeof *l->all / sizeof (int64_t)) != sizeof *l->all / sizeof (int64_t)
        || !causes_is_sound (w, &l->all[l->n]))
      return false;
  if (!path_times_load (&l->pending, from))
    return false;
  for (uint32_t i = 0, roots = 0; i < l->n; i++) { /* those of a wait lie before it */
    if (l->all[i].what == LOG_WAIT && l->all[i].b > roots && i > roots)
      return false;
    roots = l->all[i].what == LOG_ROOT ? roots + 1 : 0;
  }
  return true;
}

bool
causes_load (Waits *w, EveBlobView *from)
{
  causes_clear (w);
  w->judged = eve_get_double (from);
  w->unexplained = eve_get_double (from);
  if (!eve_get_ok (from))
    return false;
  w->logs = g_new0 (WaitLog, MAX (w->tasks.n, 1));
  for (; w->n_logs < w->tasks.n; w->n_logs++)
    if (!load_log (w, &w->logs[w->n_logs], from)) {
      w->n_logs++; /* to be freed */
      return false;
    }
  return true;
}
