/* SPDX-License-Identifier: Apache-2.0 */
#include "document/occurring.h"
#include <math.h>
#include <string.h>
#include "document/story.h"

typedef struct Finding {
  Occurring *to;
  GHashTable *met; /* names; not owned */
  guint most;
  const Names *names; /* NULL: there is no film */
  const TraceSource *source;
  int what; /* of messages: which of their attributes */
  guint n;
} Finding;

static void
meet_name (Finding *f, const char *name)
{
  if (name == NULL || *name == '\0' || g_hash_table_contains (f->met, name))
    return;
  if (f->to->names->len >= f->most) {
    f->to->more = true;
    return;
  }
  char *own = g_strdup (name);
  g_ptr_array_add (f->to->names, own);
  g_hash_table_add (f->met, own);
}

static void
meet_number (Finding *f, double x)
{
  if (!isfinite (x))
    return;
  f->to->least = isnan (f->to->least) ? x : fmin (f->to->least, x);
  f->to->most = isnan (f->to->most) ? x : fmax (f->to->most, x);
}

/* What a task keeps for ever; NULL: the attribute is another. */
static const char *
of_task (const Finding *f, StateRole role, uint32_t task)
{
  return role == STATE_ROLE_PLACE     ? names_host (f->names, f->source, task)
         : role == STATE_ROLE_PROGRAM ? names_program (f->names, f->source, task)
         : role == STATE_ROLE_GROUP   ? names_group (f->names, f->source, task)
         : role == STATE_ROLE_NAME    ? names_id (f->names, f->source, task)
         : role == STATE_ROLE_LABEL   ? names_name (f->names, f->source, task)
                                      : NULL;
}

static bool
meet_tasks (Finding *f, StateRole role)
{
  uint32_t n = f->names != NULL ? names_count (f->names, f->source) : 0;

  for (uint32_t i = 0; i < n && !f->to->more; i++) {
    const char *name = of_task (f, role, i);
    if (name == NULL)
      return false;
    meet_name (f, name);
  }
  return n > 0;
}

static void
meet_objects (Finding *f, const StateGraph *g, StateScope scope, uint32_t attribute)
{
  const StateAttribute *a = &g->model->attributes[attribute];
  g_autoptr (GString) text = g_string_new (NULL);

  for (uint32_t i = 0; i < a->n_values; i++)
    meet_name (f, a->values[i].name);
  for (uint32_t i = 0; a->n_values == 0 && i < (scope == STATE_NODE ? g->n_nodes : g->n_edges); i++) {
    if (!state_present (g, scope, i))
      continue;
    if (a->kind == STATE_TEXT) {
      state_text (g, attribute, i, g->clock, g_string_truncate (text, 0));
      meet_name (f, text->str);
    } else {
      double x = state_number (g, attribute, i, g->clock);
      meet_number (f, a->kind == STATE_DATE && f->source != NULL ? x / (double) f->source->clock.ticks_per_second : x);
    }
  }
}

static bool
meet_message (void *arg, const StateMessage *m)
{
  Finding *f = arg;
  uint32_t task = f->what == 3 ? m->from : m->to;

  if (f->what == 0)
    meet_number (f, (double) m->size);
  else if (f->what == 1)
    meet_number (f, m->tag);
  else if (f->what == 5 && m->from != TRACE_NONE && m->to != TRACE_NONE)
    meet_number (f, __builtin_popcount (m->from ^ m->to));
  else if (f->what == 2 && m->sent != INT64_MIN)
    meet_number (f, (double) (m->received - m->sent) / (double) f->source->clock.ticks_per_second);
  else if (f->what > 2 && f->what < 5 && task != TRACE_NONE)
    meet_name (f, names_name (f->names, f->source, task));
  return ++f->n < MESSAGES_READ;
}

void
occurring_find (ScopeDocument *d, LookKind kind, const char *attribute, guint most, Occurring *to)
{
  const StateGraph *g = scope_document_graph (d);
  StateScope scope = kind == LOOK_LINK ? STATE_EDGE : STATE_NODE;
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  Finding f = { .to = to, .met = met, .most = most, .source = scope_document_source (d) };
  MessagesReader *messages = NULL;

  *to = (Occurring){ .names = g_ptr_array_new_with_free_func (g_free), .least = NAN, .most = NAN };
  story_readers (d, &f.names, &messages, &f.source);
  if (kind == LOOK_MESSAGE) {
    while (look_of_message[f.what] != NULL && g_ascii_strcasecmp (look_of_message[f.what], attribute) != 0)
      f.what++;
    if (messages != NULL && look_of_message[f.what] != NULL)
      messages_reader_each (messages, f.source->first, INT64_MAX, meet_message, &f);
    return;
  }
  int at = g != NULL ? state_attribute (g->model, scope, attribute) : -1;
  if (at < 0 || (kind == LOOK_TASK && meet_tasks (&f, g->model->attributes[at].role)))
    return;
  meet_objects (&f, g, scope, (uint32_t) at);
}

void
occurring_clear (Occurring *o)
{
  g_clear_pointer (&o->names, g_ptr_array_unref);
}
