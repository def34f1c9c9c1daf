/* SPDX-License-Identifier: Apache-2.0 */
/* stretch.c - stretches of the time of tasks as data of Eve: run state, text. */
#include "statistics/stretch.h"
#include <string.h>
#include "statistics/types.h"

static const char *
stretch_task_of (const StatsStretch *s, uint32_t task)
{
  const TraceSource *source = trace_source (s->source);

  return source && trace_task (source, task) ? trace_task_name (source, task) : "?";
}

static void
stretch_print (const void *slot, char *buf, size_t n)
{
  const StatsStretch *s = slot;

  g_snprintf (buf, (gulong) n, "%s: %s, %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "%s%s",
              stretch_task_of (s, s->owner), s->kind, s->from, s->to, s->cause != TRACE_NONE ? ", for " : "",
              s->cause != TRACE_NONE ? stretch_task_of (s, s->cause) : "");
}

static int64_t
stretch_date (const void *slot)
{
  return ((const StatsStretch *) slot)->date;
}

static void
stretch_sample (void *slot, uint64_t n)
{
  static const char *const kinds[] = { "waits", "moves", "rests" };
  StatsStretch *s = slot;
  int64_t from = (int64_t) n * 1000, lasts = (int64_t) (n * 2654435761u % 997);

  *s = (StatsStretch){ .from = from,
                       .to = from + lasts,
                       .date = from + lasts + (int64_t) (n % 5),
                       .kind = g_intern_static_string (kinds[n % G_N_ELEMENTS (kinds)]),
                       .owner = (uint32_t) (n % 7),
                       .cause = n % 4 ? (uint32_t) (n % 5) : TRACE_NONE,
                       .leads = n % 2 };
}

static void
stretch_save (EveProgram *p, const void *slot, EveBlob *to)
{
  const StatsStretch *s = slot;
  const int64_t numbers[] = { s->from, s->to, s->date, s->owner, s->cause, s->leads };

  eve_put_ints (to, numbers, G_N_ELEMENTS (numbers));
  eve_put_text (to, s->kind);
  trace_put_source (p, s->source, to);
}

static bool
stretch_load (EveProgram *p, void *slot, EveBlobView *from)
{
  StatsStretch *s = slot;
  int64_t n[6] = { 0 };

  memset (s, 0, sizeof *s);
  if (eve_get_ints (from, n, G_N_ELEMENTS (n)) != G_N_ELEMENTS (n))
    return false;
  const char *kind = eve_get_text (from);
  *s = (StatsStretch){ .from = n[0],
                       .to = n[1],
                       .date = n[2],
                       .owner = (uint32_t) n[3],
                       .cause = (uint32_t) n[4],
                       .leads = n[5] != 0,
                       .kind = g_intern_string (kind ? kind : "") };
  s->source = trace_get_source (p, from);
  return eve_get_ok (from) && n[0] <= n[1] && n[1] <= n[2] && n[3] >= 0 && n[3] <= UINT32_MAX && n[4] >= 0
         && n[4] <= UINT32_MAX;
}

void
stats_stretch_csv (const StatsStretch *s, GString *to)
{
  g_string_append (to, "from [s],to [s],task,kind,cause\n");
  stats_csv_date (to, s->source, s->from);
  g_string_append_c (to, ',');
  stats_csv_date (to, s->source, s->to);
  g_string_append_printf (to, ",%u,", s->owner);
  stats_csv_text (to, s->kind);
  if (s->cause != TRACE_NONE)
    g_string_append_printf (to, ",%u\n", s->cause);
  else
    g_string_append (to, ",\n");
}

const EveType stats_type_stretch = { .name = "stretch",
                                     .size = sizeof (StatsStretch),
                                     .align = _Alignof(StatsStretch),
                                     .colour = 0x8a4f9e,
                                     .print = stretch_print,
                                     .date = stretch_date,
                                     .sample = stretch_sample,
                                     .save = stretch_save,
                                     .load = stretch_load };
