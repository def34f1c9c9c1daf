/* SPDX-License-Identifier: Apache-2.0 */
/* trace-text-find.c - which events are shown, scrolling among them, and searching. */
#include <string.h>
#include "statistics/list.h"
#include "views/trace-text.h"

/* ---- what is shown ------------------------------------------------------------------------------------- */

bool
trace_text_filters (const TraceText *t)
{
  return *t->kinds != '\0' || *t->tasks != '\0' || t->of_program || t->only_begins
         || (t->came != NULL && t->came->len > 0);
}

void
trace_text_forget_filter (TraceText *t)
{
  g_clear_pointer (&t->kind, g_byte_array_unref);
  g_clear_pointer (&t->task, g_byte_array_unref);
  g_clear_pointer (&t->kind_names, g_strfreev);
  g_clear_pointer (&t->task_names, g_strfreev);
}

/* Names of the source's tasks, and of those that will come and have a nickname. */
static void
trace_text_find_offer_tasks (void *arg, void (*add) (void *to, const char *name), void *to)
{
  const TraceSource *s = arg;
  GHashTableIter i;
  gpointer id, nickname;

  for (guint k = 0; k < s->tasks->len; k++) {
    add (to, trace_task_id (s, k));
    add (to, trace_task_name (s, k));
  }
  g_hash_table_iter_init (&i, s->nicknames);
  while (g_hash_table_iter_next (&i, &id, &nickname)) {
    add (to, id);
    add (to, nickname);
  }
}

static void
trace_text_find_offer_kinds (void *arg, void (*add) (void *to, const char *name), void *to)
{
  const TraceSource *s = arg;

  for (uint32_t k = 0; k < s->n_kinds; k++) {
    add (to, s->kinds[k].name);
    if (s->kinds[k].end_name != NULL)
      add (to, s->kinds[k].end_name);
  }
}

static bool
names (char **list, const char *a, const char *b)
{
  return stats_names_have (list, a) || (b != NULL && stats_names_have (list, b));
}

void
trace_text_tell_unknown (TraceText *t, const TraceSource *s, bool whole)
{
  if (whole && t->task_names != NULL)
    stats_tell_unknown ((EveComponent *) t, &t->told, "task", t->task_names, trace_text_find_offer_tasks, (void *) s);
  if (t->kind_names != NULL)
    stats_tell_unknown ((EveComponent *) t, &t->told, "kind of event", t->kind_names, trace_text_find_offer_kinds,
                        (void *) s);
}

static void
trace_text_find_add (GByteArray *to, bool shown)
{
  uint8_t byte = shown;

  g_byte_array_append (to, &byte, 1);
}

/* What the program itself tells: its phases and marks, what it prints and logs; not what a tracer notes of itself. */
static bool
trace_text_find_is_of_program (const TraceKind *k)
{
  uint16_t acts = trace_acts (k);

  if (acts & TRACE_ACT_PHASE)
    return true;
  return acts & TRACE_ACT_MARK && g_strcmp0 (k->category, "tracer") != 0 && g_strcmp0 (k->category, "life") != 0;
}

static bool
shows_kind (const TraceText *t, const TraceKind *k)
{
  return (*t->kinds == '\0' || names (t->kind_names, k->name, k->end_name))
         && (!t->of_program || trace_text_find_is_of_program (k));
}

static void
find_kinds (TraceText *t, const TraceSource *s)
{
  if (t->kind == NULL) {
    t->kind = g_byte_array_new ();
    t->kind_names = stats_list_split (t->kinds);
  }
  while (t->kind->len < s->n_kinds)
    trace_text_find_add (t->kind, shows_kind (t, &s->kinds[t->kind->len]));
}

/* The kinds that are shown, as bits; 0: all, or more than there are bits for. */
uint64_t
trace_text_kinds (TraceText *t, const TraceSource *s)
{
  uint64_t bits = 0;

  if ((*t->kinds == '\0' && !t->of_program) || s->n_kinds > 64)
    return 0;
  find_kinds (t, s);
  for (guint k = 0; k < t->kind->len && k < s->n_kinds; k++)
    bits |= t->kind->data[k] ? UINT64_C (1) << k : 0;
  return bits;
}

/* Names are compared once a kind and once a task, not once an event. */
bool
trace_text_shows (TraceText *t, const TraceSource *s, const TraceEvent *e)
{
  if ((t->only_begins && e->flags & TRACE_END) || !trace_text_came (t, e->number))
    return false;
  if (*t->kinds != '\0' || t->of_program) {
    find_kinds (t, s);
    if (e->kind >= t->kind->len || !t->kind->data[e->kind])
      return false;
  }
  if (*t->tasks == '\0')
    return true;
  if (t->task == NULL) {
    t->task = g_byte_array_new ();
    t->task_names = stats_list_split (t->tasks);
  }
  while (t->task->len < s->tasks->len)
    trace_text_find_add (t->task,
                         names (t->task_names, trace_task_id (s, t->task->len), trace_task_name (s, t->task->len)));
  return e->task < t->task->len && t->task->data[e->task];
}

/* ---- scrolling ----------------------------------------------------------------------------------------- */

bool
trace_text_scroll (EveComponent *c, const ViewScene *scene, int lines, uint64_t *event)
{
  TraceText *t = (TraceText *) c;
  g_autoptr (GArray) found = NULL;
  uint64_t next = 0;
  Wanted w = { .by_number = true, .most = TRACE_TEXT_MOST };
  guint at;

  if (!trace_text_turn_page (t, scene, NULL))
    return false;
  w.number = t->page.events->len > 0        ? g_array_index (t->page.events, TraceEvent, 0).number
             : t->page.number != UINT64_MAX ? t->page.number
                                            : 0;
  if (lines == 0) {
    *event = w.number;
    return true;
  }
  found = trace_text_fetch (t, scene, &w, lines < 0 ? (guint) -lines : 0, (guint) ABS (lines) + 1, &at, &next, NULL);
  if (lines < 0 && at > 0)
    *event = g_array_index (found, TraceEvent, 0).number;
  else if (lines > 0 && found->len > 1)
    *event = g_array_index (found, TraceEvent, found->len - 1).number;
  else if (lines > 0 && next > w.number && next < scene->source->n_events)
    *event = next;
  else if (lines < 0 && w.number > 0 && trace_text_filters (t)) /* nothing in reach: as far back as that was */
    *event = w.number - MIN (w.number, 32768);
  else
    return false;
  return *event != w.number;
}

/* ---- searching ----------------------------------------------------------------------------------------- */

#define PART 4096 /* events between two looks at the clock */

static bool
trace_text_find_holds (const TraceEvent *e, const char *text)
{
  g_autofree char *sentence = *text != '\0' ? trace_sentence (e) : NULL;

  return sentence == NULL || strcasestr (sentence, text) != NULL || strcasestr (trace_event_name (e), text) != NULL;
}

/* The first of a part that holds the text, or the last; the part begins at `from`.  *next, forward: the number of the
 * first event that was not looked at, which is more than n further where others are known to be of no interest. */
static bool
find_in_part (TraceText *t, const ViewScene *scene, uint64_t from, uint64_t n, ViewSearch *search, uint64_t *next,
              GError **error)
{
  Wanted w = { .by_number = true, .number = from, .most = n };
  g_autoptr (GArray) events = NULL;
  bool found = false;
  guint at;

  *next = from;
  events = trace_text_fetch (t, scene, &w, 0, (guint) n, &at, next, error);
  for (guint i = at; i < events->len && !(found && !search->backward); i++) {
    const TraceEvent *e = &g_array_index (events, TraceEvent, i);
    if (e->number >= from + n && search->backward)
      break;
    if (!trace_text_find_holds (e, search->text))
      continue;
    search->event = e->number;
    search->date = e->date;
    found = true;
  }
  return found;
}

ViewFound
trace_text_find (EveComponent *c, const ViewScene *scene, ViewSearch *search, int64_t budget_ns, GError **error)
{
  TraceText *t = (TraceText *) c;
  gint64 until = g_get_monotonic_time () + budget_ns / 1000;
  GError *failure = NULL;

  do {
    uint64_t from = search->backward ? search->event - MIN (search->event, PART - 1) : search->event,
             n = search->backward ? search->event - from + 1 : PART, next;
    if (find_in_part (t, scene, from, n, search, &next, &failure))
      return VIEW_FOUND;
    if (failure != NULL) {
      g_propagate_error (error, failure);
      return VIEW_NOT_FOUND;
    }
    next = MAX (next, from + n);
    if (search->backward ? from == 0 : next >= scene->source->n_events)
      return VIEW_NOT_FOUND;
    search->event = search->backward ? from - 1 : next;
  } while (g_get_monotonic_time () < until);
  return VIEW_SEARCHING;
}
