/* SPDX-License-Identifier: Apache-2.0 */
/* info-holds.c - what a trace holds, counted and in words: what its events do, whatever their format calls them. */
#include "cli/cli.h"
#include "cli/text.h"
#include "eve/words.h"
#include "readers/another.h"
#include "readers/counts.h"

typedef enum { HELD_TASK, HELD_AROUND, HELD_BESIDES, HELD_THING } Held;

/* What each task counts as; g_free.  One that others are inside of, as a machine, counts as one of them only if more is
 * told of it than values and notes. */
static Held *
info_held (const TraceSource *s, const GArray *events)
{
  Held *held = g_new (Held, MAX (s->tasks->len, 1));
  g_autofree bool *around = g_new0 (bool, MAX (s->tasks->len, 1));

  for (uint32_t i = s->tasks->len; i-- > 0;) { /* those inside of it have higher numbers */
    uint32_t parent = trace_task (s, i)->parent;
    uint64_t n = i < events->len ? g_array_index (events, uint64_t, i) : 0;
    bool does = around[i] ? (n & TRACE_COUNT_DOES) != 0 : n != 0;
    held[i] = trace_task_is_another (s, i) ? HELD_BESIDES
              : !does                      ? HELD_AROUND
              : trace_is_thing (s, i)      ? HELD_THING
                                           : HELD_TASK;
    if ((n != 0 || around[i]) && parent < i)
      around[parent] = true;
  }
  return held;
}

CliHolds
cli_holds (const TraceSource *s, const uint64_t *begun, const GArray *events)
{
  g_autofree Held *held = info_held (s, events);
  CliHolds h = { 0 };

  guint *const counts[] = { &h.tasks, &h.around, &h.besides, &h.things };
  for (uint32_t i = 0; i < s->tasks->len; ++i)
    ++*counts[held[i]];
  for (uint32_t i = 0; i < s->n_kinds; ++i) {
    const uint16_t acts = trace_acts (&s->kinds[i]);
    *(acts & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE) ? acts & TRACE_ACT_SEND ? &h.sent : &h.received
      : acts & TRACE_ACT_COLLECTIVE               ? &h.together
      : acts & (TRACE_ACT_ALLOC | TRACE_ACT_FREE) ? &h.memory
      : acts & TRACE_ACT_ADD || (acts & TRACE_ACT_SET && trace_kind_has (&s->kinds[i], TRACE_ROLE_VALUE)) ? &h.values
      : acts & (TRACE_ACT_CALL | TRACE_ACT_PHASE | TRACE_ACT_ENTER | TRACE_ACT_SET)                       ? &h.calls
      : acts & (TRACE_ACT_BIRTH | TRACE_ACT_DEATH)                                                        ? &h.lives
      : acts & TRACE_ACT_LEAVE                                                                            ? &h.left
                               : &h.others) += begun[i];
  }
  return h;
}

/* " (Thread: 10, Process: 3)", of those that count as this. */
static void
info_tell_types (const TraceSource *s, const Held *held, Held as, GString *to)
{
  g_autofree guint *of_type = g_new0 (guint, s->types->len + 1);
  guint told = 0;

  for (guint i = 0; i < s->tasks->len; ++i) {
    const TraceTask *t = s->tasks->pdata[i];
    if (t->type < s->types->len && held[i] == as)
      of_type[t->type]++;
  }
  for (guint i = 0; i < s->types->len; ++i)
    if (of_type[i] > 0)
      g_string_append_printf (to, _ ("%s%s: %u"), told++ == 0 ? " (" : ", ", trace_type_word (s->types->pdata[i]),
                              of_type[i]);
  g_string_append (to, told > 0 ? ")" : "");
}

char *
cli_holds_told (const TraceSource *s, const CliHolds *h, const GArray *events)
{
  g_autofree Held *held = info_held (s, events);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, P_ ("%u task", "%u tasks", h->tasks), h->tasks);
  info_tell_types (s, held, HELD_TASK, text);
  if (h->besides > 0) {
    g_string_append_printf (text, P_ ("; %u that tells more of them", "; %u that tell more of them", h->besides),
                            h->besides);
    info_tell_types (s, held, HELD_BESIDES, text);
  }
  if (h->things > 0) {
    g_string_append_printf (text, P_ ("; %u thing that they use", "; %u things that they use", h->things), h->things);
    info_tell_types (s, held, HELD_THING, text);
  }
  if (h->around > 0) {
    g_string_append_printf (
        text, P_ ("; %u more without states or messages", "; %u more without states or messages", h->around),
        h->around);
    info_tell_types (s, held, HELD_AROUND, text);
  }
  if (h->calls > 0)
    g_string_append_printf (
        text, P_ ("; %" PRIu64 " call or state", "; %" PRIu64 " calls and states", (gulong) h->calls), h->calls);
  if (h->sent > 0 || h->received > 0) {
    g_string_append_printf (text, P_ ("; %" PRIu64 " send", "; %" PRIu64 " sends", (gulong) h->sent), h->sent);
    g_string_append_printf (text, P_ ("; %" PRIu64 " receive", "; %" PRIu64 " receives", (gulong) h->received),
                            h->received);
  }
  if (h->together > 0)
    g_string_append_printf (text,
                            P_ ("; %" PRIu64 " part in an operation of a group",
                                "; %" PRIu64 " parts in operations of groups", (gulong) h->together),
                            h->together);
  if (h->values > 0)
    g_string_append_printf (
        text, P_ ("; %" PRIu64 " value of a variable", "; %" PRIu64 " values of variables", (gulong) h->values),
        h->values);
  if (h->memory > 0)
    g_string_append_printf (
        text, P_ ("; %" PRIu64 " change of memory", "; %" PRIu64 " changes of memory", (gulong) h->memory), h->memory);
  if (h->others > 0)
    g_string_append_printf (text, P_ ("; %" PRIu64 " other event", "; %" PRIu64 " other events", (gulong) h->others),
                            h->others);
  return text_clean (g_string_free (g_steal_pointer (&text), FALSE));
}
