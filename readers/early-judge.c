/* SPDX-License-Identifier: Apache-2.0 */
/* early-judge.c - queues of messages that could be read in two ways: their clocks differ, or the trace was cut out of a
 * longer run and their first receives are of sends before the cut (decisions/clocks.md). */
#include <math.h>
#include <string.h>

#include "eve/words.h"
#include "readers/early-private.h"
#include "readers/pair.h"
#include "readers/reader.h"

#define MOST_SKIP 64u   /* receives at the begin of a queue that may be of sends before the cut, hidden behind a send */
#define FEW 4u          /* messages: of fewer, how even their ways are tells nothing */
#define MANY 12u        /* from so many on it may tell that more were on their way than were received before any send */
#define CLEARLY 2.0     /* so many times more even a reading has to be than others that are as likely beforehand, */
#define STRONGLY 2.5    /* or where no receive and few messages hint at what was on its way */
#define MOST_WORK 2e7   /* steps along links and queues in search of clocks that cannot be: tenths of a second */
#define MOST_PASSES 256 /* along all of them */

typedef struct Link { /* from one task to another */
  uint32_t from, to;
  int64_t way;   /* the shortest as its queues are read now; INT64_MAX: not known */
  GArray *all;   /* of EarlyQueue * */
  bool left_out; /* nothing explains it */
} Link;

/* ---- how a queue looks when its first receives are of nobody ------------------------------------------------------------- */

#define BY_DATE UINT32_MAX

typedef struct Look {
  guint n;        /* messages */
  guint known;    /* of them, those whose sizes are told at both ends, */
  guint unlike;   /* and those whose sizes differ */
  double uneven;  /* ticks: by how much a way differs from the one before, on average */
  double longest; /* ways, ticks */
  int64_t shortest;
  double middle; /* the average of all */
} Look;

static void
early_judge_add_message (Look *l, const EarlyHalf *sent, const EarlyHalf *received, double *before)
{
  int64_t ticks = early_way (sent->date, received->date);
  double way = (double) ticks;

  l->uneven += l->n > 0 ? fabs (way - *before) : 0;
  l->middle += way;
  l->longest = MAX (l->longest, way);
  l->shortest = MIN (l->shortest, ticks);
  l->known += sent->size > 0 && received->size > 0;
  l->unlike += sent->size > 0 && received->size > 0 && sent->size != received->size;
  l->n++;
  *before = way;
}

/* With the first receives left out; BY_DATE: each takes the first that was sent before it. */
static Look
early_judge_look (const EarlySample *s, guint skip)
{
  Look l = { .longest = -INFINITY, .shortest = INT64_MAX };
  double before = 0;

  for (guint i = skip == BY_DATE ? 0 : skip, k = 0; i < s->receives->len && k < s->sends->len; i++) {
    const EarlyHalf *sent = &g_array_index (s->sends, EarlyHalf, k),
                    *received = &g_array_index (s->receives, EarlyHalf, i);
    if (skip == BY_DATE && sent->date > received->date)
      continue;
    early_judge_add_message (&l, sent, received, &before);
    k++;
  }
  l.uneven /= l.n > 1 ? l.n - 1 : 1;
  l.middle /= MAX (l.n, 1);
  return l;
}

static bool
is_evener (const Look *a, const Look *b, double times)
{
  return (a->uneven + 0.5) * times <= b->uneven;
}

static bool
has_right_sizes (const Look *l)
{
  return l->known >= FEW && 2 * l->known >= l->n && l->unlike == 0;
}

static bool
has_wrong_sizes (const Look *l)
{
  return l->unlike >= MAX (2, l->n / 8);
}

/* What was on its way when recording began is received soon, and what nobody has received was sent shortly before it
 * ended: both within the longest way, give or take. */
static bool
is_close (const EarlyQueue *q, const Look *l, guint skip)
{
  const GArray *r = q->sample->receives;
  double within = 2 * l->longest + 1 - (double) MIN (l->shortest, 0);
  bool any_left = q->left + skip > q->alone, more = q->left + skip >= q->alone;

  if (q->anywhere)
    return true;
  return skip > 0 && skip <= r->len && l->n > 0 && more
         && (double) early_way (q->began, g_array_index (r, EarlyHalf, skip - 1).date) <= within
         && (!any_left || (double) early_way (q->last_sent, q->ended) <= within);
}

/* Sends, and no receives: as each takes the first that was sent before it. */
static bool
has_lost (const EarlyQueue *q)
{
  return q->left == 0 && q->alone > 0;
}

static void
early_judge_decide (EarlyQueue *q, uint64_t skip)
{
  q->decided = true;
  q->skip = (uint32_t) skip;
  q->reading = skip == 0                                      ? EARLY_BY_NUMBER
               : skip == q->leading && q->alone == q->leading ? EARLY_BY_DATE
                                                              : EARLY_SHIFTED;
}

/* Whether all of its messages would be lost if each receive took the first that was sent before it, or hardly any is
 * early: then no cut explains it. */
static bool
may_be_cut (const EarlyQueue *q)
{
  return q->pairs > MIN (q->left, q->alone) && q->early > 0 && q->early >= (q->pairs + 3) / 4;
}

/* Of which number of receives without a send the ways are most even, and clearly so; -1: none.  More than are before
 * any send are believed only of many messages, if they came soon; ways that are as even by chance are hardly ever twice
 * as even as any others. */
static int
evenest (const EarlyQueue *q, const Look *looks, guint n, guint lead)
{
  int best = -1, next = -1;

  for (int i = 0; i < (int) n; i++) {
    if ((guint) i > lead && looks[i].n < MANY)
      break;
    if (best < 0 || looks[i].uneven < looks[best].uneven) {
      next = best;
      best = i;
    } else if (next < 0 || looks[i].uneven < looks[next].uneven) {
      next = i;
    }
  }
  double times = looks[best].n < 2 * FEW ? 2 * CLEARLY : lead > 0 || looks[best].n >= 2 * MANY ? CLEARLY : STRONGLY;
  if (next < 0 || !is_evener (&looks[best], &looks[next], times))
    return -1;
  if (has_lost (q)) { /* somewhere else than at the begin? */
    const Look by_date = early_judge_look (q->sample, BY_DATE);
    if (looks[best].uneven > by_date.uneven)
      return -1;
  }
  bool far = (guint) best > lead;
  return far && (has_wrong_sizes (&looks[best]) || !is_close (q, &looks[best], (guint) best)) ? -1 : best;
}

/* Nothing hints at a cut or at clocks: the n-th receive is after the n-th send, and each finds one. */
static bool
early_judge_is_plain (const EarlyQueue *q)
{
  return q->leading == 0 && q->alone == 0 && q->early == 0;
}

/* By sizes, and with `ways` by how even the ways are. */
static void
judge_by_look (EarlyQueue *q, bool ways)
{
  const EarlySample *s = q->sample;
  Look looks[MOST_SKIP + 1];
  guint n = 0, fits = 0;

  if (!s || q->leading > MOST_SKIP)
    return;
  const guint lead = (guint) q->leading, most = MAX (lead, MIN (MOST_SKIP, s->receives->len / 2));
  for (guint skip = 0; skip <= most; skip++) {
    looks[n] = early_judge_look (s, skip);
    if (looks[n].n < FEW || (skip == 0 && !ways && lead == 0 && !has_wrong_sizes (&looks[0]))) /* sizes say nothing */
      break;
    fits = fits == 0 && skip > 0 && has_right_sizes (&looks[n]) ? skip : fits;
    n++;
  }
  if (n < 2)
    return;
  if (has_wrong_sizes (&looks[0]) && fits > 0) {
    early_judge_decide (q, lead > 0 && lead < n && has_right_sizes (&looks[lead]) ? lead : fits);
  } else if (has_right_sizes (&looks[0]) && lead > 0 && lead < n && has_wrong_sizes (&looks[lead])) {
    early_judge_decide (q, 0);
  } else if (ways) {
    int best = evenest (q, looks, n, lead);
    if (best > 0 || (best == 0 && may_be_cut (q)))
      early_judge_decide (q, (uint64_t) best);
  }
}

/* ---- clocks that cannot be -------------------------------------------------------------------------------------------------- */

static int64_t
early_judge_way_of (const EarlyQueue *q)
{
  if (q->reading == EARLY_BY_NUMBER)
    return q->least;
  return q->sample && (q->reading == EARLY_SHIFTED || q->alone == q->leading)
             ? early_judge_look (q->sample,
                                 q->reading == EARLY_SHIFTED ? q->skip : (guint) MIN (q->leading, EARLY_SAMPLE))
                   .shortest
             : INT64_MAX;
}

static void
early_judge_measure (Link *l)
{
  l->way = INT64_MAX;
  for (guint i = 0; i < l->all->len; i++)
    l->way = MIN (l->way, early_judge_way_of (g_array_index (l->all, EarlyQueue *, i)));
}

/* Takes what is not decided for cut; with `firmly` what how even it is has decided, too.  Whether there was any. */
static bool
cut_link (Link *l, bool firmly)
{
  bool any = false;

  for (guint i = 0; i < l->all->len; i++) {
    EarlyQueue *q = g_array_index (l->all, EarlyQueue *, i);
    if (q->reading != EARLY_BY_NUMBER || !may_be_cut (q) || (q->decided && !firmly))
      continue;
    q->reading = EARLY_BY_DATE;
    q->decided = any = true;
  }
  if (any)
    early_judge_measure (l);
  return any;
}

/* What one clock is ahead shortens the ways there and lengthens those back, so around a circle of tasks the shortest
 * ways have a sum that is not below 0.  Where one is, some of its queues are cut. */
static void
break_circle (Link *links, const uint32_t *circle, guint n)
{
  for (int firmly = 0; firmly < 2; firmly++) {
    bool any = false;
    for (guint i = 0; i < n; i++)
      any |= cut_link (&links[circle[i]], firmly);
    if (any)
      return;
  }
  guint worst = 0;
  for (guint i = 1; i < n; i++)
    worst = links[circle[i]].way < links[circle[worst]].way ? i : worst;
  links[circle[worst]].left_out = true;
}

/* Breaks the circles that the last links to the tasks make; whether there is one. */
static bool
early_judge_break_circles (Link *links, const uint32_t *by, uint32_t *seen, uint32_t n_tasks)
{
  g_autoptr (GArray) circle = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  bool any = false;

  memset (seen, 0, n_tasks * sizeof *seen);
  for (uint32_t from = 0; from < n_tasks; from++) {
    uint32_t at = from;
    while (seen[at] == 0 && by[at] != TRACE_NONE) {
      seen[at] = from + 1;
      at = links[by[at]].from;
    }
    if (seen[at] != from + 1 || by[at] == TRACE_NONE)
      continue;
    uint32_t end = at;
    g_array_set_size (circle, 0);
    do {
      g_array_append_val (circle, by[at]);
      at = links[by[at]].from;
    } while (at != end);
    break_circle (links, (const uint32_t *) circle->data, circle->len);
    any = true;
  }
  return any;
}

static bool
shorten (const Link *links, guint n, int64_t *way, uint32_t *by)
{
  bool any = false;

  for (guint i = 0; i < n; i++) {
    const Link *l = &links[i];
    if (l->left_out || l->way == INT64_MAX || l->from == l->to)
      continue;
    int64_t now = MAX (way[l->from], INT64_MIN / 2) + l->way;
    if (now < way[l->to]) {
      way[l->to] = now;
      by[l->to] = i;
      any = true;
    }
  }
  return any;
}

/* As Bellman and Ford find circles; tasks are numbered from 0. */
static void
judge_by_circles (Link *links, guint n, uint32_t n_tasks, guint n_queues)
{
  g_autofree int64_t *way = g_new (int64_t, MAX (n_tasks, 1));
  g_autofree uint32_t *by = g_new (uint32_t, MAX (n_tasks, 1)), *seen = g_new (uint32_t, MAX (n_tasks, 1));
  double work = 0;
  bool again = true;

  while (again && work < MOST_WORK) {
    memset (way, 0, n_tasks * sizeof *way);
    memset (by, 0xff, n_tasks * sizeof *by);
    again = false;
    for (int k = 0; k < MOST_PASSES && !again && work < MOST_WORK && shorten (links, n, way, by); k++) {
      again = early_judge_break_circles (links, by, seen, n_tasks);
      work += n + n_tasks + (again ? n_queues : 0);
    }
  }
}

/* ---- what is left ------------------------------------------------------------------------------------------------------------- */

static gint
by_link (gconstpointer a, gconstpointer b)
{
  const EarlyQueue *x = *(EarlyQueue *const *) a, *y = *(EarlyQueue *const *) b;

  return x->of.from != y->of.from       ? (x->of.from > y->of.from) - (x->of.from < y->of.from)
         : x->of.to != y->of.to         ? (x->of.to > y->of.to) - (x->of.to < y->of.to)
         : x->of.object != y->of.object ? (x->of.object > y->of.object) - (x->of.object < y->of.object)
                                        : (x->of.tag > y->of.tag) - (x->of.tag < y->of.tag);
}

/* The ways back are longer by what these are shorter: one clock is ahead. */
static void
judge_by_way_back (Link *l, GHashTable *at, const Link *links)
{
  int64_t back = (int64_t) ((uint64_t) l->to << 32 | l->from);
  const guint *place = g_hash_table_lookup (at, &back);

  if (!place || l->way >= 0 || links[*place].way == INT64_MAX)
    return;
  int64_t sum = l->way + links[*place].way;
  for (guint i = 0; sum >= 0 && sum < -l->way / 2 && i < l->all->len; i++) {
    EarlyQueue *q = g_array_index (l->all, EarlyQueue *, i);
    if (!q->decided && q->early > 0)
      early_judge_decide (q, 0);
  }
}

/* As the rest of the trace is; or the reading whose ways are shorter, be it forward or back. */
static void
judge_the_rest (EarlyQueue **queues, guint n, TraceMatched *matched)
{
  bool cut = false, differ = false;

  for (guint i = 0; i < n; i++) {
    const EarlyQueue *q = queues[i];
    cut |= q->decided && q->leading > 0 && q->reading != EARLY_BY_NUMBER;
    differ |= q->decided && q->reading == EARLY_BY_NUMBER && q->early > 0;
  }
  for (guint i = 0; i < n; i++) {
    EarlyQueue *q = queues[i];
    if (q->decided || q->leading == 0 || q->alone != q->leading || !may_be_cut (q) || !q->sample)
      continue;
    const guint lead = (guint) MIN (q->leading, EARLY_SAMPLE);
    const Look plain = early_judge_look (q->sample, 0), led = early_judge_look (q->sample, lead);
    bool shorter = led.n > 0 && is_close (q, &led, lead) && fabs (led.middle) <= fabs (plain.middle);
    matched->untold += cut == differ;
    if (led.n > 0 && (cut == differ ? shorter : cut))
      early_judge_decide (q, lead);
  }
}

void
early_judge (EarlyQueue **queues, guint n, TraceMatched *matched)
{
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (Link));
  g_autoptr (GHashTable) at = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free),
                         tasks = g_hash_table_new (NULL, NULL);
  bool any = false, cut = false;

  *matched = (TraceMatched){ 0 };
  for (guint i = 0; i < n; i++) {
    judge_by_look (queues[i], !early_judge_is_plain (queues[i]));
    cut |= queues[i]->decided && queues[i]->reading != EARLY_BY_NUMBER;
  }
  /* Ways to the next message are even too where both ends take equally long for each, as in wavefronts: without any
   * other hint in the trace, how even they are tells nothing. */
  for (guint i = 0; i < n; i++) {
    EarlyQueue *q = queues[i];
    if (cut && !q->decided && early_judge_is_plain (q))
      judge_by_look (q, true);
    if (has_lost (q) && (!q->decided || q->reading == EARLY_BY_NUMBER)) {
      q->reading = EARLY_BY_DATE;
      q->decided = true;
    }
    any |= q->early > 0;
  }
  if (any && n > 0) {
    qsort (queues, n, sizeof *queues, by_link);
    for (guint i = 0; i < n; i++) {
      const TraceQueue *of = &queues[i]->of;
      Link *l = links->len > 0 ? &g_array_index (links, Link, links->len - 1) : NULL;
      if (i == 0 || queues[i - 1]->of.from != of->from || queues[i - 1]->of.to != of->to) {
        uint32_t ends[] = { of->from, of->to };
        for (int k = 0; k < 2; k++) {
          gpointer its = g_hash_table_lookup (tasks, GUINT_TO_POINTER (ends[k]));
          if (!its)
            g_hash_table_insert (tasks, GUINT_TO_POINTER (ends[k]),
                                 its = GUINT_TO_POINTER (g_hash_table_size (tasks) + 1));
          ends[k] = GPOINTER_TO_UINT (its) - 1;
        }
        const Link new = { .from = ends[0], .to = ends[1], .all = g_array_new (FALSE, FALSE, sizeof (EarlyQueue *)) };
        int64_t key = (int64_t) ((uint64_t) ends[0] << 32 | ends[1]);
        g_hash_table_insert (at, g_memdup2 (&key, sizeof key), g_memdup2 (&links->len, sizeof links->len));
        g_array_append_val (links, new);
        l = &g_array_index (links, Link, links->len - 1);
      }
      g_array_append_val (l->all, queues[i]);
    }
    for (guint i = 0; i < links->len; i++)
      early_judge_measure (&g_array_index (links, Link, i));
    judge_by_circles ((Link *) links->data, links->len, g_hash_table_size (tasks), n);
    for (guint i = 0; i < links->len; i++)
      judge_by_way_back (&g_array_index (links, Link, i), at, (const Link *) links->data);
    for (guint i = 0; i < links->len; i++)
      g_array_unref (g_array_index (links, Link, i).all);
    judge_the_rest (queues, n, matched);
  }
  for (guint i = 0; i < n; i++)
    matched->cut += queues[i]->reading == EARLY_SHIFTED
                    || (queues[i]->reading == EARLY_BY_DATE && queues[i]->leading > 0 && queues[i]->any_sent);
}

void
trace_matched_tell (TraceSource *s, const TraceMatched *m)
{
  if (m->cut > 0)
    trace_source_remark (s, s->name, 0, 0,
                         P_ ("%u queue of messages begins with receives whose sends were before recording began: they "
                             "are of nobody, and those behind them of the sends that are here",
                             "%u queues of messages begin with receives whose sends were before recording began: they "
                             "are of nobody, and those behind them of the sends that are here",
                             m->cut),
                         m->cut);
  if (m->untold > 0)
    trace_source_remark (s, s->name, 0, 0,
                         P_ ("%u queue of messages begins with receives before any send, and nothing tells whether "
                             "their sends were before recording began or clocks differ: what makes ways shorter is "
                             "taken",
                             "%u queues of messages begin with receives before any send, and nothing tells whether "
                             "their sends were before recording began or clocks differ: what makes ways shorter is "
                             "taken",
                             m->untold),
                         m->untold);
}
