/* SPDX-License-Identifier: Apache-2.0 */
/* range.c - the range of dates that is selected, of which all views with dates show the place. */
#include "document/private.h"

#define STEPS_MOST 64

bool
scope_document_range (ScopeDocument *d, int64_t *from, int64_t *to)
{
  /* Another program on the same trace leaves it. */
  if (!d->session || !d->has_range || g_strcmp0 (d->range_trace, scope_document_trace (d)) != 0)
    return false;
  *from = d->range_from;
  *to = d->range_to;
  return true;
}

typedef struct Step {
  int64_t from, to; /* from > to: none was selected */
} Step;

static void
range_keep_step (ScopeDocument *d)
{
  Step now = { 1, 0 };

  scope_document_range (d, &now.from, &now.to);
  if (d->ranges == NULL)
    d->ranges = g_array_new (FALSE, FALSE, sizeof (Step));
  if (d->ranges->len == STEPS_MOST)
    g_array_remove_index (d->ranges, 0);
  g_array_append_val (d->ranges, now);
}

bool
scope_document_range_back (ScopeDocument *d)
{
  Step now = { 1, 0 };

  scope_document_range (d, &now.from, &now.to);
  while (d->ranges != NULL && d->ranges->len > 0) {
    Step before = g_array_index (d->ranges, Step, d->ranges->len - 1);
    guint n = d->ranges->len - 1;
    if (before.from != now.from || before.to != now.to)
      scope_document_set_range (d, before.from, before.to);
    g_array_set_size (d->ranges, n); /* going back is no step */
    if (before.from != now.from || before.to != now.to)
      return true;
  }
  return false;
}

void
scope_document_set_range (ScopeDocument *d, int64_t from, int64_t to)
{
  bool has = d->session != NULL && from < to;

  if (has) {
    from = MAX (from, scope_document_first (d));
    to = MIN (to, scope_document_last (d));
    has = from < to;
  }
  int64_t was_from, was_to;
  bool had = scope_document_range (d, &was_from, &was_to);
  if (has == had && (!has || (from == was_from && to == was_to)))
    return;
  if (!d->drags_range)
    range_keep_step (d);
  d->has_range = has;
  d->range_trace = has ? g_intern_string (scope_document_trace (d)) : NULL;
  d->range_from = from;
  d->range_to = to;
  document_tell (d, DOC_RANGE);
}

bool
scope_document_drags_range (const ScopeDocument *d)
{
  return d->drags_range;
}

void
scope_document_set_drags_range (ScopeDocument *d, bool drags)
{
  if (d->drags_range == drags)
    return;
  if (drags)
    range_keep_step (d);
  d->drags_range = drags;
  if (!drags)
    document_tell (d, DOC_RANGE);
}
