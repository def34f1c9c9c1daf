/* SPDX-License-Identifier: Apache-2.0 */
#include "session/cut.h"
#include <string.h>
#include "eve/disk.h"
#include "views/layer.h"

/* The groups of one trace, and what they were made from. */
typedef struct Made {
  const TraceSource *source;
  char *cut, *tasks, *states, *by_hand;
  uint32_t n_tasks;
  int64_t reach; /* of the states, where these count */
  Names *names;
  StatesReader *read;
  Groups *groups; /* NULL: there are none */
} Made;

typedef struct SessionCut {
  char *own; /* NULL: the program's */
  char *problem;
  GPtrArray *made; /* of Made * */
} SessionCut;

static void
made_free (gpointer data)
{
  Made *m = data;

  g_free (m->cut);
  g_free (m->tasks);
  g_free (m->states);
  g_free (m->by_hand);
  names_free (m->names);
  states_reader_free (m->read);
  groups_free (m->groups);
  g_free (m);
}

void
session_cut_free (SessionCut *cut)
{
  if (!cut)
    return;
  g_ptr_array_unref (cut->made);
  g_free (cut->own);
  g_free (cut->problem);
  g_free (cut);
}

static SessionCut *
cut_of (Session *s)
{
  if (!s->cut) {
    s->cut = g_new0 (SessionCut, 1);
    s->cut->made = g_ptr_array_new_with_free_func (made_free);
  }
  return s->cut;
}

void
session_set_cut (Session *s, const char *cut)
{
  SessionCut *c = cut_of (s);

  g_free (c->own);
  c->own = g_strdup (cut);
}

const char *
session_cut (const Session *s)
{
  const char *note = s->cut && s->cut->own ? s->cut->own : eve_program_note (s->program, CUT_NOTE);

  return note ? note : "";
}

const char *
session_cut_problem (const Session *s)
{
  return s->cut ? s->cut->problem : NULL;
}

/* Where the film keeps what the tasks of a view did: of the simulator that it is wired to; NULL: nowhere. */
static char *
states_of (const ViewScene *scene, EveComponent *simulator)
{
  const EveClass *k = simulator ? eve_class (simulator) : NULL;

  for (uint32_t i = 0; k && scene->film && i < k->n_outs; ++i)
    if (k->outs[i].type == &state_type_state)
      return layer_base (eve_out_identity (simulator, i), k->outs[i].type, scene->film);
  return NULL;
}

/* The simulator whose graph a scene has, or the leading one. */
static EveComponent *
simulator_of (Session *s, const ViewScene *scene)
{
  for (uint32_t i = 0; scene->graph && i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    if (!eve_is_ghost (c) && eve_query (c, "state-graph/1") == scene->graph)
      return c;
  }
  return s->simulator;
}

/* What the program and the bundle say of groups that were made by hand. */
static char *
hand_of (const Session *s, const ViewScene *scene)
{
  const char *note = eve_program_note (s->program, CUT_GROUPS);
  g_autofree char *path = scene->bundle ? g_build_filename (scene->bundle, "task-groups", NULL) : NULL,
                  *file = path ? disk_read (path, scene->bundle, DISK_MIB, NULL, NULL) : NULL;

  return g_strconcat (note ? note : "", "\n", file ? file : "", NULL);
}

static void
begin (Session *s, const ViewScene *scene, const char *hierarchy, Made *m)
{
  m->source = scene->source;
  m->tasks = g_strdup (view_tasks (scene));
  m->states = states_of (scene, simulator_of (s, scene));
  m->by_hand = hand_of (s, scene);
  m->names = names_read (m->tasks);
  m->read = m->states ? states_reader_open (m->states, NULL) : NULL;
  m->reach = m->read ? states_reader_reach (m->read) : INT64_MIN;
  if (m->read)
    states_reader_set_end (m->read, scene->source->last);
  if (g_strcmp0 (hierarchy, "group") == 0 && m->tasks)
    names_read_groups (m->names, m->tasks);
  m->n_tasks = names_count (m->names, scene->source);
}

static GroupsFrom
from_of (const Made *m)
{
  return (GroupsFrom){ m->names, m->source, m->read, m->by_hand };
}

static bool
counts_deeds (const char *cut)
{
  return g_str_has_prefix (cut, "by behaviour") || strstr (cut, "\nparts ");
}

/* Whether they would be the same now. */
static bool
holds (Made *m, Session *s, const ViewScene *scene, const char *cut)
{
  if (m->read && counts_deeds (cut))
    states_reader_refresh (m->read);
  int64_t reach = m->read ? states_reader_reach (m->read) : INT64_MIN;

  return strcmp (m->cut, cut) == 0 && g_strcmp0 (m->tasks, view_tasks (scene)) == 0
         && MAX (names_count (m->names, scene->source), m->n_tasks) == m->n_tasks
         && (!counts_deeds (cut) || (reach == m->reach && m->read != NULL) || !scene->film);
}

const Groups *
session_groups (Session *s, const ViewScene *scene)
{
  const char *cut = session_cut (s);
  g_autofree char *hierarchy = groups_hierarchy_of (cut);
  GError *error = NULL;
  Made *m = NULL;

  if (!hierarchy || !scene->source)
    return NULL;
  SessionCut *c = cut_of (s);
  for (guint i = 0; i < c->made->len && !m; ++i)
    if (((Made *) c->made->pdata[i])->source == scene->source)
      m = c->made->pdata[i];
  if (m && holds (m, s, scene, cut))
    return m->groups;
  if (m)
    g_ptr_array_remove (c->made, m);
  m = g_new0 (Made, 1);
  g_ptr_array_add (c->made, m);
  m->cut = g_strdup (cut);
  begin (s, scene, hierarchy, m);
  GroupsFrom from = from_of (m);
  m->groups = groups_new (&from, hierarchy, &error);
  g_clear_pointer (&c->problem, g_free);
  if (!m->groups) {
    c->problem = g_strdup (error->message);
    g_clear_error (&error);
    return NULL;
  }
  g_autoptr (GString) unknown = g_string_new (NULL);
  groups_cut (m->groups, &from, cut, unknown);
  if (unknown->len)
    c->problem = g_strdup_printf ("no group is called %s", unknown->str);
  return m->groups;
}

Groups *
session_groups_new (Session *s, const ViewScene *scene, const char *cut, GError **error)
{
  g_autofree char *hierarchy = groups_hierarchy_of (cut);
  Made m = { 0 };

  if (!hierarchy) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_SETTING, "no hierarchy of groups is chosen");
    return NULL;
  }
  begin (s, scene, hierarchy, &m);
  GroupsFrom from = from_of (&m);
  Groups *g = groups_new (&from, hierarchy, error);
  if (g)
    groups_cut (g, &from, cut, NULL);
  names_free (m.names);
  states_reader_free (m.read);
  g_free (m.tasks);
  g_free (m.states);
  g_free (m.by_hand);
  return g;
}
