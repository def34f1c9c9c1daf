/* SPDX-License-Identifier: Apache-2.0 */
/* info-holds.c - what a trace holds, counted and in words: what its events do, whatever their format calls them. */
#include "cli/cli.h"
#include "cli/text.h"
#include "eve/words.h"
#include "readers/another.h"

static bool
info_has_events (const GArray *events, uint32_t task)
{
  return task < events->len && g_array_index (events, uint64_t, task) > 0;
}

CliHolds
cli_holds (const TraceSource *s, const uint64_t *begun, const GArray *events)
{
  CliHolds h = { 0 };

  for (uint32_t i = 0; i < s->tasks->len; ++i)
    if (!trace_task_is_another (s, i))
      ++*(info_has_events (events, i) ? &h.tasks : &h.around);
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

/* " (Thread: 10, Process: 3)", of those that have events, or of the others. */
static void
info_tell_types (const TraceSource *s, const GArray *events, bool have, GString *to)
{
  g_autofree guint *of_type = g_new0 (guint, s->types->len + 1);
  guint told = 0;

  for (guint i = 0; i < s->tasks->len; ++i) {
    const TraceTask *t = s->tasks->pdata[i];
    if (t->type < s->types->len && !trace_task_is_another (s, i) && info_has_events (events, i) == have)
      of_type[t->type]++;
  }
  for (guint i = 0; i < s->types->len; ++i)
    if (of_type[i] > 0)
      g_string_append_printf (to, _ ("%s%s: %u"), told++ == 0 ? " (" : ", ",
                              in_words (((const TraceType *) s->types->pdata[i])->name), of_type[i]);
  g_string_append (to, told > 0 ? ")" : "");
}

char *
cli_holds_told (const TraceSource *s, const CliHolds *h, const GArray *events)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, P_ ("%u task", "%u tasks", h->tasks), h->tasks);
  info_tell_types (s, events, true, text);
  if (h->around > 0) {
    g_string_append_printf (text, P_ ("; %u more without an event", "; %u more without events", h->around), h->around);
    info_tell_types (s, events, false, text);
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
