/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/lead.h"
#include "document/leads.h"
#include "session/session.h"
#include "views/paint.h"

/* The attribute that tells states where it comes from. */
static const char *
lead_states_of (ScopePicture *p)
{
  EveComponent *simulator = session_simulator_above (p->c);

  return paint_state_attribute (
      simulator != NULL ? eve_query (simulator, "state-graph/1") : scope_document_graph (p->d), STATE_NODE);
}

static void
add_ref (TraceRef r, const char *states, ScopeHere *h)
{
  const char *attribute = NULL, *value;
  uint32_t from, to;

  switch ((TraceRefType) r.type) {
  case TRACE_REF_TASK:
    *(h->task == TRACE_NONE ? &h->task : &h->peer) = r.id;
    break;
  case TRACE_REF_LINK:
  case TRACE_REF_MESSAGE:
    if (trace_ref_ends (r, &from, &to)) {
      h->task = from;
      h->peer = to;
    }
    break;
  case TRACE_REF_KIND:
    h->kind = r.id;
    break;
  case TRACE_REF_OBJECT:
    h->object = r.id;
    break;
  case TRACE_REF_VALUE:
    value = trace_ref_named_by (r, &attribute);
    if (value != NULL && g_strcmp0 (attribute, states) == 0)
      h->state = g_intern_string (value);
    break;
  default:
    break;
  }
}

bool
lead_here (ScopePicture *p, const DrawingTag *tag, ScopeHere *h)
{
  const char *states = lead_states_of (p);

  *h = SCOPE_HERE_NOTHING;
  h->event = tag->event;
  /* Of a row of a task its name is meant: the present of this task. */
  h->dated = tag->from <= tag->to && (tag->what.type != TRACE_REF_TASK || tag->value != NULL);
  h->date = tag->from;
  add_ref (tag->what, states, h);
  if (h->peer == TRACE_NONE && !trace_ref_same (tag->what, tag->other))
    add_ref (tag->other, states, h);
  if (h->state == NULL && tag->value != NULL && g_strcmp0 (tag->attribute, states) == 0)
    h->state = tag->value;
  return h->event > 0 || h->dated || h->task != TRACE_NONE || h->kind != TRACE_NONE || h->object != TRACE_NONE
         || h->state != NULL;
}

/* What of it is looked for: the most that is told of it. */
static ScopeNear
lead_way_of (const ScopeHere *h)
{
  return h->kind != TRACE_NONE     ? SCOPE_NEAR_KIND
         : h->object != TRACE_NONE ? SCOPE_NEAR_OBJECT
         : h->peer != TRACE_NONE   ? SCOPE_NEAR_PARTNER
         : h->state != NULL        ? SCOPE_NEAR_STATE
                                   : SCOPE_NEAR_TASK;
}

void
lead_on (ScopePicture *p, const ViewItem *item, int64_t date)
{
  ScopeHere here;

  if (picture_open_item (p, item))
    return;
  if (date != INT64_MIN) {
    if (picture_sort (p) != PICTURE_DRAWING || !leads_go_at (p->d, item->mark.tag.what, date))
      scope_document_go_date (p->d, date);
  } else if (lead_here (p, &item->mark.tag, &here)) {
    here.around = true;
    scope_document_set_view (p->d, eve_name (p->c));
    scope_document_go_near (p->d, lead_way_of (&here), false, &here);
  }
}

void
lead_from (ScopePicture *p, double x, double y)
{
  int64_t date = picture_date_at (p, x, y);
  ViewItem item;

  if (picture_item_at (p, x, y, &item, NULL)) {
    lead_on (p, &item, date);
    g_free (item.name);
  } else if (date != INT64_MIN) {
    scope_document_go_date (p->d, date);
  }
}
