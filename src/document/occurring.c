/* SPDX-License-Identifier: Apache-2.0 */
#include "document/occurring.h"
#include <math.h>
#include <string.h>
#include "document/story.h"
#include "session/cut.h"
#include "session/session.h"
#include "views/groups.h"
#include "views/layer.h"

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

/* What tasks are inside of: the states of all simulators that traces name themselves. */
static void
meet_regions (Finding *f, ScopeDocument *d)
{
  EveProgram *p = scope_document_program (d);

  for (uint32_t i = 0; p != NULL && i < eve_n_components (p); i++) {
    EveComponent *c = eve_component (p, i);
    const StateGraph *g = eve_is_ghost (c) ? NULL : eve_query (c, "state-graph/1");
    int state = g != NULL && g->model != NULL ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE) : -1;
    for (uint32_t k = 0; state >= 0 && k < g->model->attributes[state].n_values; k++) {
      const StateValue *value = &g->model->attributes[state].values[k];
      if (value->given || value->sense == STATE_SENSE_NONE)
        meet_name (f, value->name);
    }
  }
}

/* The series that the film has values of. */
static void
meet_series (Finding *f, ScopeDocument *d, bool owner)
{
  const char *film = scope_document_film (d), *file;
  g_autoptr (GDir) folder = film != NULL ? g_dir_open (film, 0, NULL) : NULL;

  while (folder != NULL && (file = g_dir_read_name (folder)) != NULL) {
    g_autofree char *path = g_build_filename (film, file, NULL),
                    *text = g_str_has_suffix (file, ".series") ? names_file_read (path, NULL) : NULL;
    if (text == NULL || !g_str_has_prefix (text, LAYER_SERIES_HEAD))
      continue;
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    for (char **line = lines + 1; *line != NULL; line++) {
      g_auto (GStrv) words = g_strsplit (*line, "\t", -1);
      if (g_strv_length (words) != 3)
        continue;
      g_autofree char *name = g_strcompress (words[owner ? 2 : 0]);
      meet_name (f, name);
    }
  }
}

/* The groups of the cut, open or not. */
static void
meet_groups (Finding *f, ScopeDocument *d)
{
  Session *s = scope_document_session (d);
  ViewScene scene = { 0 };

  scope_document_scene (d, &scene);
  const Groups *g = s != NULL && scene.source != NULL ? session_groups (s, &scene) : NULL;
  for (uint32_t i = 0; g != NULL && i < g->n; i++) {
    if (g->all[i].n > 1)
      meet_name (f, g->all[i].name);
    meet_number (f, g->all[i].n);
  }
}

/* Of what the model has no attributes; true: there are no others. */
static bool
meet_others (Finding *f, ScopeDocument *d, LookKind kind, const char *attribute)
{
  bool named = g_ascii_strcasecmp (attribute, "name") == 0, owner = g_ascii_strcasecmp (attribute, "owner") == 0;

  if (kind == LOOK_SERIES && (named || owner))
    meet_series (f, d, owner);
  else if (kind == LOOK_REGION && named)
    meet_regions (f, d);
  else if (kind == LOOK_REGION || kind == LOOK_SERIES)
    for (uint32_t i = 0, n = f->names != NULL ? names_count (f->names, f->source) : 0; i < n && !f->to->more; i++)
      meet_name (f, g_ascii_strcasecmp (attribute, "task") == 0 ? names_name (f->names, f->source, i)
                                                                : looks_kept (f->names, f->source, i, attribute));
  else if (kind == LOOK_GROUP && named) {
    meet_groups (f, d);
    f->to->least = f->to->most = NAN;
  } else if (kind == LOOK_GROUP && g_ascii_strcasecmp (attribute, "tasks") == 0) {
    meet_groups (f, d);
    g_ptr_array_set_size (f->to->names, 0);
    f->to->more = false;
  } else
    return false;
  return true;
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
    const char *const *own = look_of_kind[LOOK_MESSAGE];
    while (own[f.what] != NULL && g_ascii_strcasecmp (own[f.what], attribute) != 0)
      f.what++;
    if (messages != NULL && own[f.what] != NULL)
      messages_reader_each (messages, f.source->first, INT64_MAX, meet_message, &f);
    return;
  }
  if (!look_kind_is_modelled (kind) && meet_others (&f, d, kind, attribute))
    return;
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
