/* SPDX-License-Identifier: Apache-2.0 */
/* call-timeline-looks.c - what rules say of a region: what it is called, of whom, how deep and how long. */
#include <math.h>
#include "views/call-timeline.h"

#define REGION_LOOKS                                                                                                   \
  (1u << LOOK_COLOUR | 1u << LOOK_PATTERN | 1u << LOOK_WIDTH | 1u << LOOK_DASH | 1u << LOOK_OPACITY | 1u << LOOK_LABEL \
   | 1u << LOOK_HIDDEN)

bool
call_timeline_is_ruled (const CallTimeline *v, const ViewScene *scene, Looks *rules)
{
  return looks_begin (rules, scene, eve_name ((EveComponent *) v), LOOK_REGION, REGION_LOOKS);
}

bool
call_timeline_is_nothing (const ViewScene *scene, uint32_t state)
{
  StateSense sense = paint_state_sense (scene->graph, STATE_NODE, state);

  return sense == STATE_SENSE_GONE || sense == STATE_SENSE_REST;
}

typedef struct Asked {
  const CallTimeline *v;
  const ViewScene *scene;
  const Block *block;
  uint32_t depth, state;
  int64_t from, to; /* to < from: of all that are so called */
} Asked;

static bool
region_has (void *asked, const char *attribute, GString *text, double *number)
{
  const Asked *a = asked;
  const TraceSource *s = a->scene->source;
  double ticks = (double) s->clock.ticks_per_second;
  g_autofree char *group = a->block->n_tasks > 1 ? call_timeline_name (a->v, a->scene, a->block) : NULL;
  const char *word = g_ascii_strcasecmp (attribute, "name") == 0
                         ? paint_state_name (a->scene->graph, STATE_NODE, a->state)
                     : g_ascii_strcasecmp (attribute, "task") == 0
                         ? (group != NULL ? group : names_name (a->v->names, s, a->block->tasks[0]))
                     : group != NULL ? NULL
                                     : looks_kept (a->v->names, s, a->block->tasks[0], attribute);

  if (word != NULL) {
    g_string_append (text, word);
    return true;
  }
  if (g_ascii_strcasecmp (attribute, "depth") == 0)
    *number = a->block->first_depth + a->depth;
  else if (a->from <= a->to && g_ascii_strcasecmp (attribute, "duration") == 0)
    *number = ((double) a->to - (double) a->from) / ticks;
  else if (a->from <= a->to && g_ascii_strcasecmp (attribute, "begin") == 0)
    *number = (double) a->from / ticks;
  else if (a->from <= a->to && g_ascii_strcasecmp (attribute, "end") == 0)
    *number = (double) a->to / ticks;
  if (!isnan (*number))
    g_string_append_printf (text, "%.15g", *number);
  return !isnan (*number);
}

Look
call_timeline_look (const Boxes *b, int64_t from, int64_t to, uint32_t state)
{
  Asked a = { b->v, b->scene, b->block, b->depth, state, from, to };
  Look look = { .opacity = 1 };

  if (b->v->ruled)
    looks_of_values (&b->v->rules, region_has, &a, &look);
  return look;
}

/* A colour that was dropped on a call goes before all rules. */
uint32_t
call_timeline_colour (const Boxes *b, const Look *look, uint32_t state)
{
  uint32_t rgb;

  return LOOK_HAS (look, LOOK_COLOUR)
                 && !view_chosen_colour (b->scene->colours, paint_state_attribute (b->scene->graph, STATE_NODE),
                                         paint_state_name (b->scene->graph, STATE_NODE, state), b->scene->dark, &rgb)
             ? look->rgb
             : paint_state (b->scene, STATE_NODE, state);
}

bool
call_timeline_coloured_otherwise (const CallTimeline *v)
{
  return v->ruled && v->rules.channels >> LOOK_COLOUR & 1
         && g_ascii_strcasecmp (v->rules.attribute[LOOK_COLOUR], "name") != 0;
}
