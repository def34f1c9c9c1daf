/* SPDX-License-Identifier: Apache-2.0 */
/* leads.c - where to look: the longest wait of all, and the one that a row of `waits` gives the date of. */
#include "components/waits/component.h"
#include "eve/words.h"

static TraceRef
leads_task (const Waits *w, int64_t task)
{
  return task == TRACE_NONE ? (TraceRef){ 0 } : trace_ref_task (w->source->number, waits_whose (w, task));
}

/* "The longest wait: fft 0 waits 12.3 ms for fft 3 in rows" */
static void
lead_to (const Waits *w, const WaitCell *c, StatsLead *lead)
{
  char span[32];
  const char *who = trace_task_name (w->source, waits_whose (w, c->task));
  g_autofree char *where = waits_in_region (w, c->region);

  trace_write_span (trace_clock_seconds (&w->source->clock, c->longest), span, sizeof span);
  *lead = (StatsLead){ c->longest_at, c->longest_at + c->longest, leads_task (w, c->task),
                       leads_task (w, c->longest_for), NULL };
  lead->name = c->longest_for == TRACE_NONE
                   ? g_strdup_printf (_ ("The longest wait: %s waits %s %s"), who, span, where)
                   : g_strdup_printf (_ ("The longest wait: %s waits %s for %s %s"), who, span,
                                      trace_task_name (w->source, waits_whose (w, c->longest_for)), where);
}

/* Waits that are as long: the one that begins first, then that of the lower task. */
static bool
is_before (const WaitCell *a, const WaitCell *b)
{
  return a->longest != b->longest         ? a->longest > b->longest
         : a->longest_at != b->longest_at ? a->longest_at < b->longest_at
                                          : a->task < b->task;
}

/* `who` nothing: of all tasks, at whatever date. */
static bool
find_lead (EveComponent *c, TraceRef who, int64_t date, StatsLead *lead)
{
  Component *self = (Component *) c;
  const Waits *w = &self->waits;
  const WaitCell *most = NULL;

  if (!w->source || !trace_source (self->source))
    return false;
  waits_settle (&self->waits);
  for (int64_t i = 0; i < w->cells.n; i++) {
    const WaitCell *cell = waits_cells_at (w, i);
    bool meant = who.type == TRACE_REF_NONE
                 || (trace_ref_same (who, leads_task (w, cell->task)) && cell->longest_at == date);
    if (waits_cells_use (w, i) && cell->longest > 0 && meant && (!most || is_before (cell, most)))
      most = cell;
  }
  if (most)
    lead_to (w, most, lead);
  return most != NULL;
}

static bool
leads_first (EveComponent *c, StatsLead *lead)
{
  return find_lead (c, (TraceRef){ 0 }, 0, lead);
}

const StatsLeads waits_leads = { N_ ("Go to the longest wait"), N_ ("late critical"), N_ ("No task waits for another."),
                                 leads_first, find_lead };
