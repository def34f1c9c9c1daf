/* SPDX-License-Identifier: Apache-2.0 */
/* late.c - late senders one by one: those that were waited for longest, and those that came in another order than they
 * were sent. */
#include "components/waits/waits.h"

/* ---- those that were waited for longest ------------------------------------------------------------------------------------------ */

/* Of all late senders those that were waited for longest, as a heap: the shortest of them is the first. */
void
late_message (Waits *w, const WaitHalf *h, int64_t ticks)
{
  const WaitMessage m = { h->peer, h->task, h->tag, h->size, h->region, MAX (h->enter, w->from), ticks, 0 };
  Table *t = &w->messages;
  int64_t i = 0;

  if (ticks <= 0 || w->most_messages <= 0)
    return;
  if (t->n < w->most_messages) {
    for (i = table_add (t, NULL); i > 0; i = (i - 1) / 2) {
      const WaitMessage *above = table_at (t, (i - 1) / 2);
      if (above->ticks <= ticks)
        break;
      *(WaitMessage *) table_at (t, i) = *above;
    }
  } else {
    if (((const WaitMessage *) table_at (t, 0))->ticks >= ticks)
      return;
    for (int64_t k = 1; k < t->n; k = 2 * i + 1) {
      k += k + 1 < t->n
           && ((const WaitMessage *) table_at (t, k + 1))->ticks < ((const WaitMessage *) table_at (t, k))->ticks;
      if (((const WaitMessage *) table_at (t, k))->ticks >= ticks)
        break;
      *(WaitMessage *) table_at (t, i) = *(const WaitMessage *) table_at (t, k);
      i = k;
    }
  }
  *(WaitMessage *) table_at (t, i) = m;
}

/* ---- messages in another order than they were sent ---------------------------------------------------------------------------- */

#define MOST_LATE 64 /* of a receiver: of older ones it is not known any more */

static void
forget_old (Waits *w, WaitTask *t)
{
  int64_t next, n = 0;

  for (int64_t i = t->late; waits_late_use (w, i); i = next) {
    WaitLate *l = waits_late_at (w, i);
    next = l->next;
    if (++n == MOST_LATE)
      l->next = -1;
    else if (n > MOST_LATE)
      waits_late_drop (w, i);
  }
  t->n_late = MIN (n, MOST_LATE);
}

/* A receiver waited for a late sender, in a call that ends now. */
void
late_keep (Waits *w, const WaitHalf *h, const WaitHalf *other, int64_t ticks, int64_t date)
{
  int64_t i = waits_late_take (w);
  WaitTask *t = waits_task (w, (uint32_t) h->task);
  WaitLate *l = waits_late_at (w, i);

  *l = (WaitLate){ .source = other->task,
                   .from = h->enter,
                   .until = h->enter + ticks,
                   .sent = other->date,
                   .call = date,
                   .next = t->late };
  t->late = i;
  if (++t->n_late >= 2 * MOST_LATE)
    forget_old (w, t);
}

/* Its wrong order, the end of its wait, is counted; or (-1) not any more. */
static void
count_wrong (const Waits *w, WaitTask *t, const WaitLate *l, int by)
{
  int64_t ticks = waits_counted (w, l->until - l->wrong, l->until);

  t->wrong[l->several] += by * ticks;
  t->n_wrong[l->several] += ticks > 0 ? by : 0;
}

/* A message is received that was sent before others, which its receiver has waited for: it could have had it then. */
void
late_order (Waits *w, const WaitHalf *send, const WaitHalf *receive)
{
  WaitTask *t = waits_task (w, (uint32_t) receive->task);
  int64_t n = 0;

  for (int64_t i = t->late; waits_late_use (w, i) && n++ < MOST_LATE;) {
    WaitLate *l = waits_late_at (w, i);
    int64_t from = MAX (l->from, send->date), ticks = from < l->until ? waits_between (from, l->until) : 0;
    bool several = send->task != l->source;
    if (l->call <= send->date) /* and so did all before it */
      break;
    i = l->next;
    if (send->date >= l->sent || l->call > receive->enter || ticks == 0)
      continue;
    bool better = l->wrong == 0 || (l->several && !several) || (l->several == several && ticks > l->wrong);
    if (!better || (l->wrong > 0 && !l->several && several))
      continue;
    count_wrong (w, t, l, -1);
    l->wrong = ticks;
    l->several = several;
    count_wrong (w, t, l, 1);
  }
}
