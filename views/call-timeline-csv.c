/* SPDX-License-Identifier: Apache-2.0 */
/* call-timeline-csv.c - the boxes, waits and the critical path as a table. */
#include "eve/words.h"
#include "statistics/stretch.h"
#include "statistics/types.h"
#include "views/call-timeline.h"

typedef struct Lines {
  const ViewScene *scene;
  const CallTimeline *v;
  GString *to;
  uint32_t task, depth;
} Lines;

static void
call_timeline_csv_put_line (const Lines *g, const char *state, int64_t from, int64_t to)
{
  const TraceSource *s = g->scene->source;
  char date[64];

  stats_csv_text (g->to, g->task != TRACE_NONE ? names_id (g->v->names, s, g->task) : "");
  if (g->depth != FRAME_NO_ROW)
    g_string_append_printf (g->to, ",%u,", g->depth);
  else
    g_string_append (g->to, ",,");
  stats_csv_text (g->to, state);
  trace_clock_print (&s->clock, from, date, sizeof date);
  g_string_append_printf (g->to, ",%s", date);
  trace_clock_print (&s->clock, to, date, sizeof date);
  g_string_append_printf (g->to, ",%s\r\n", date);
}

static void
put_wait (Lines *g, uint32_t task, const char *what, int64_t from, int64_t to, uint32_t cause)
{
  g_autoptr (GString) text = g_string_new (what);

  g->task = task;
  g->depth = FRAME_NO_ROW;
  if (cause != TRACE_NONE)
    g_string_append_printf (text, _ (", for %s"), names_id (g->v->names, g->scene->source, cause));
  call_timeline_csv_put_line (g, text->str, from, to);
}

/* Of waits and the path the depth is nothing, and the call says whom it was for. */
static bool
call_timeline_csv_wait_line (void *arg, const Stretch *one)
{
  put_wait (arg, one->owner, one->kind, one->from, one->to, one->cause);
  return true;
}

static bool
call_timeline_csv_path_line (void *arg, const Stretch *one)
{
  put_wait (arg, one->owner, one->kind, one->from, one->to, TRACE_NONE);
  return true;
}

static bool
box_line (void *arg, int64_t from, int64_t to, uint32_t state)
{
  const Lines *g = arg;

  if (!call_timeline_is_nothing (g->scene, state))
    call_timeline_csv_put_line (g, paint_state_name (g->scene->graph, STATE_NODE, state), from, to);
  return true;
}

static void
call_timeline_csv_lost_line (void *arg, const HistoryLost *lost)
{
  Lines *g = arg;
  const FrameRow *r = lost->owner < g->v->frames.rows->len ? &g_array_index (g->v->frames.rows, FrameRow, lost->owner)
                                                           : NULL;

  g->task = r != NULL ? r->task : TRACE_NONE;
  g->depth = r != NULL ? r->depth : FRAME_NO_ROW;
  call_timeline_csv_put_line (g, "missing", lost->from, lost->to);
}

bool
call_timeline_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  CallTimeline *v = (CallTimeline *) c;
  Lines g = { scene, v, to, 0, 0 };
  Layout l;

  ViewScene each = *scene; /* of groups each task */
  each.groups = NULL;
  if (!call_timeline_begin (v, &each, &l, error))
    return false;
  g_string_append (to, "task,depth,call,from [s],to [s]\r\n");
  for (uint32_t i = 0; i < v->blocks->len; i++) {
    const Block *b = &g_array_index (v->blocks, Block, i);
    g.task = b->tasks[0];
    for (uint32_t k = 0; k < b->n_rows; k++) {
      g.depth = g_array_index (v->frames.rows, FrameRow, b->rows[k]).depth;
      states_reader_each (v->read, b->rows[k], l.axis.from, l.axis.to, box_line, &g);
    }
  }
  if (v->waits.read != NULL)
    stretches_each (v->waits.read, l.axis.from, l.axis.to, call_timeline_csv_wait_line, &g);
  if (v->waits.read != NULL && v->path)
    stretches_path_each (v->waits.read, l.axis.from, l.axis.to, call_timeline_csv_path_line, &g);
  states_reader_lost (v->read, l.axis.from, MIN (l.axis.to, scene->source->last), call_timeline_csv_lost_line, &g);
  return true;
}
