/* SPDX-License-Identifier: Apache-2.0 */
#include "session/cut.h"
#include "eve/words.h"
#include <glib/gstdio.h>
#include <string.h>
#include "eve/disk.h"
#include "session/clusters.h"
#include "views/layer.h"

#define HAND_FILE "task-groups" /* of a bundle */

/* The groups of one trace, and what they were made from. */
typedef struct Made {
  const TraceSource *source;
  char *cut, *tasks, *states, *by_hand;
  char *note, *unread; /* the program's groups by hand; why those of the bundle could not be read, NULL: they were */
  char *stamp, *film_stamp; /* of the bundle's file of groups by hand, and of what the film says of tasks, */
  char *told_stamp;         /* and of their groups, spawners and places; NULL: these do not count */
  uint32_t n_tasks, news;
  int64_t reach; /* of the states, where these count */
  Names *names;
  StatesReader *read;
  GroupsClusters *sample; /* of some tasks, until those of all are found; NULL: they are, or nobody asks */
  bool sampled, stale;    /* sampled: they are of less than there is; stale: more of it is known by now */
  Groups *groups;         /* NULL: there are none */
} Made;

typedef struct SessionCut {
  char *own; /* NULL: the program's */
  char *problem;
  bool whole;          /* the problem is a remark, or none */
  GPtrArray *made;     /* of Made * */
  GPtrArray *replaced; /* of Made *: a scene that was filled in before may still be looked at, until its loop goes on */
  guint idle;
  SessionClusters *clusters; /* NULL: they are found when they are needed */
  void (*found) (void *arg);
  void *arg;
  uint32_t news; /* how often somebody said that the film grew; 0: nobody does, so each scene looks */
} SessionCut;

static void
cut_made_clear (Made *m)
{
  g_free (m->cut);
  g_free (m->tasks);
  g_free (m->states);
  g_free (m->by_hand);
  g_free (m->note);
  g_free (m->unread);
  g_free (m->stamp);
  g_free (m->film_stamp);
  g_free (m->told_stamp);
  names_free (m->names);
  states_reader_free (m->read);
  groups_clusters_free (m->sample);
  groups_free (m->groups);
}

static void
made_free (gpointer data)
{
  cut_made_clear (data);
  g_free (data);
}

void
session_cut_free (SessionCut *cut)
{
  if (!cut)
    return;
  g_clear_handle_id (&cut->idle, g_source_remove);
  session_clusters_free (cut->clusters);
  g_ptr_array_unref (cut->made);
  g_ptr_array_unref (cut->replaced);
  g_free (cut->own);
  g_free (cut->problem);
  g_free (cut);
}

static SessionCut *
session_cut_of (Session *s)
{
  if (!s->cut) {
    s->cut = g_new0 (SessionCut, 1);
    s->cut->made = g_ptr_array_new_with_free_func (made_free);
    s->cut->replaced = g_ptr_array_new_with_free_func (made_free);
  }
  return s->cut;
}

static gboolean
free_replaced (gpointer data)
{
  SessionCut *c = data;

  c->idle = 0;
  g_ptr_array_set_size (c->replaced, 0);
  return G_SOURCE_REMOVE;
}

static void
cut_replace (SessionCut *c, Made *m)
{
  guint at;

  if (g_ptr_array_find (c->made, m, &at))
    g_ptr_array_add (c->replaced, g_ptr_array_steal_index (c->made, at));
  if (c->idle == 0)
    c->idle = g_idle_add_full (G_PRIORITY_DEFAULT, free_replaced, c, NULL);
}

void
session_cut_film_grew (Session *s)
{
  session_cut_of (s)->news++;
}

void
session_set_cut (Session *s, const char *cut)
{
  SessionCut *c = session_cut_of (s);

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

bool
session_cut_is_whole (const Session *s)
{
  return !s->cut || s->cut->whole;
}

/* Where the film keeps what the tasks of a view did: of the simulator that it is wired to; NULL: nowhere. */
static char *
cut_states_of (const ViewScene *scene, EveComponent *simulator)
{
  const EveClass *k = simulator ? eve_class (simulator) : NULL;

  for (uint32_t i = 0; k && scene->film && i < k->n_outs; ++i)
    if (k->outs[i].type == &state_type_state)
      return layer_base (eve_out_identity (simulator, i), k->outs[i].type, scene->film);
  return NULL;
}

/* The simulator whose graph a scene has, or the leading one. */
static EveComponent *
cut_simulator_of (Session *s, const ViewScene *scene)
{
  for (uint32_t i = 0; scene->graph && i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    if (!eve_is_ghost (c) && eve_query (c, "state-graph/1") == scene->graph)
      return c;
  }
  return s->simulator;
}

/* Another one when the file is another; g_free. */
static char *
stamp_of (const char *folder, const char *name)
{
  g_autofree char *path = folder ? g_build_filename (folder, name, NULL) : NULL;
  GStatBuf st;

  if (!path || g_stat (path, &st) != 0)
    return g_strdup ("");
  return g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld", (gint64) st.st_size,
                          (gint64) st.st_mtim.tv_sec, (long) st.st_mtim.tv_nsec);
}

/* What the program and the bundle say of groups that were made by hand. */
static void
cut_read_hand (const Session *s, const ViewScene *scene, Made *m)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = scene->bundle ? g_build_filename (scene->bundle, HAND_FILE, NULL) : NULL,
                  *file = path ? disk_read (path, scene->bundle, DISK_MIB, NULL, &error) : NULL;

  m->note = g_strdup (eve_program_note (s->program, CUT_GROUPS));
  m->stamp = stamp_of (scene->bundle, HAND_FILE);
  m->by_hand = g_strconcat (m->note ? m->note : "", "\n", file ? file : "", NULL);
  /* A trace that is one file has no folder in which there could be one. */
  if (error && !g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT)
      && !g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOTDIR))
    m->unread = g_strdup_printf (_ ("groups by hand are not read: %s"), error->message);
}

static void
cut_begin (Session *s, const ViewScene *scene, const char *hierarchy, Made *m)
{
  static const char *const told[] = { "group", "spawn", "topology", NULL };

  m->source = scene->source;
  m->tasks = g_strdup (view_tasks (scene));
  m->states = cut_states_of (scene, cut_simulator_of (s, scene));
  m->film_stamp = stamp_of (m->tasks, "tasks");
  if (g_strcmp0 (hierarchy, "hand") == 0)
    cut_read_hand (s, scene, m);
  m->names = names_read (m->tasks);
  m->read = m->states ? states_reader_open (m->states, NULL) : NULL;
  m->reach = m->read ? states_reader_reach (m->read) : INT64_MIN;
  if (m->read)
    states_reader_set_end (m->read, scene->source->last);
  if (hierarchy && g_strv_contains (told, hierarchy) && m->tasks) {
    m->told_stamp = stamp_of (m->tasks, "groups");
    names_read_groups (m->names, m->tasks);
  }
  m->n_tasks = names_count (m->names, scene->source);
}

/* ---- groups by behaviour, by a thread --------------------------------------------------------------------------- */

#define SAMPLED 4000 /* tasks that are looked at at once */

static void
on_clusters (void *cut)
{
  SessionCut *c = cut;

  for (guint i = 0; i < c->made->len; ++i) {
    Made *m = c->made->pdata[i];
    m->stale |= m->sampled;
  }
  c->found (c->arg);
}

void
session_cut_in_background (Session *s, uint32_t least, void (*found) (void *arg), void *arg)
{
  SessionCut *c = session_cut_of (s);

  session_clusters_free (c->clusters);
  c->found = found;
  c->arg = arg;
  c->clusters = session_clusters_new (least, on_clusters, c);
}

static GroupsFrom
from_of (const SessionCut *c, const char *hierarchy, Made *m)
{
  GroupsFrom from = { m->names, m->source, m->read, m->by_hand, NULL };
  bool whole = true;

  if (g_strcmp0 (hierarchy, "behaviour") != 0 || !m->read)
    return from;
  const ClustersAsked asked = { m->states, m->reach, m->source->first, m->source->last, m->n_tasks };
  from.clusters = session_clusters_ask (c->clusters, &asked, &whole);
  m->sampled = !whole;
  if (!whole && !from.clusters)
    from.clusters = m->sample = groups_clusters_new (m->read, m->n_tasks, asked.first, asked.last,
                                                     MAX (m->n_tasks / SAMPLED, 2));
  return from;
}

static bool
counts_deeds (const char *cut)
{
  return g_str_has_prefix (cut, "by behaviour") || strstr (cut, "\nparts ");
}

/* Whether the film knows no more of what the groups were made from. */
static bool
film_holds (Made *m, const char *cut)
{
  g_autofree char *stamp = stamp_of (m->tasks, "tasks");
  bool deeds = m->states && counts_deeds (cut);

  if (strcmp (stamp, m->film_stamp) != 0)
    return false;
  if (m->told_stamp) {
    g_autofree char *now = stamp_of (m->tasks, "groups");
    if (strcmp (now, m->told_stamp) != 0)
      return false;
  }
  if (deeds && !m->read) {
    m->read = states_reader_open (m->states, NULL);
    return !m->read;
  }
  if (deeds)
    states_reader_refresh (m->read);
  return !deeds || states_reader_reach (m->read) == m->reach;
}

/* Whether the groups by hand are those that were read. */
static bool
hand_holds (const Made *m, const Session *s, const ViewScene *scene)
{
  if (!m->by_hand)
    return true;
  g_autofree char *stamp = stamp_of (scene->bundle, HAND_FILE);

  return g_strcmp0 (m->note, eve_program_note (s->program, CUT_GROUPS)) == 0 && strcmp (stamp, m->stamp) == 0;
}

/* Whether they would be the same now. */
static bool
cut_holds (Made *m, Session *s, const ViewScene *scene, const char *cut)
{
  if (m->stale || strcmp (m->cut, cut) != 0 || g_strcmp0 (m->tasks, view_tasks (scene)) != 0
      || names_count (m->names, scene->source) > m->n_tasks || !hand_holds (m, s, scene))
    return false;
  if (s->cut->news > 0 && m->news == s->cut->news)
    return true;
  m->news = s->cut->news;
  return film_holds (m, cut);
}

/* g_free; NULL: no task is under so many. */
static char *
too_deep_told (const Groups *g)
{
  if (!g->too_deep)
    return NULL;
  if (g_str_equal (g->hierarchy, "spawn"))
    return g_strdup_printf (P_ ("%u task has more than %d ancestors: it stands below the last of as many",
                                "%u tasks have more than %d ancestors: they stand below the last of as many",
                                g->too_deep),
                            g->too_deep, GROUPS_DEEPEST);
  return g_strdup_printf (P_ ("%u task is inside of more than %d others: it stands below the last of as many",
                              "%u tasks are inside of more than %d others: they stand below the last of as many",
                              g->too_deep),
                          g->too_deep, GROUPS_DEEPEST);
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
  SessionCut *c = session_cut_of (s);
  for (guint i = 0; i < c->made->len && !m; ++i)
    if (((Made *) c->made->pdata[i])->source == scene->source)
      m = c->made->pdata[i];
  if (m && cut_holds (m, s, scene, cut))
    return m->groups;
  if (m)
    cut_replace (c, m);
  m = g_new0 (Made, 1);
  g_ptr_array_add (c->made, m);
  m->cut = g_strdup (cut);
  m->news = c->news;
  cut_begin (s, scene, hierarchy, m);
  GroupsFrom from = from_of (c, hierarchy, m);
  m->groups = groups_new (&from, hierarchy, &error);
  g_clear_pointer (&c->problem, g_free);
  c->whole = false;
  if (!m->groups) {
    c->problem = g_strdup (m->unread ? m->unread : error->message);
    g_clear_error (&error);
    return NULL;
  }
  g_autoptr (GString) unknown = g_string_new (NULL);
  groups_cut (m->groups, &from, cut, unknown);
  g_autofree char *missing = unknown->len && m->n_tasks > 0
                                 ? g_strdup_printf (_ ("no group is called %s"), unknown->str)
                                 : NULL,
                  *rest = m->groups->left_out ? g_strdup_printf (
                              _ ("of the groups by hand %u patterns with * ? [ are left out: there are "
                                 "too many for %u tasks"),
                              m->groups->left_out, m->groups->n_tasks)
                                              : NULL,
                  *too_long = m->groups->too_long
                                  ? g_strdup_printf (_ ("of the groups by hand %u patterns with * ? [ are left out: "
                                                        "they are longer than names are"),
                                                     m->groups->too_long)
                                  : NULL;
  g_autofree char *too_deep = too_deep_told (m->groups),
                  *circled = m->groups->in_circle
                                 ? g_strdup_printf (P_ ("of %u task it is told that it is one of its own ancestors: "
                                                        "the first of each circle is taken for spawned by nobody",
                                                        "of %u tasks it is told that they are their own ancestors: "
                                                        "the first of each circle is taken for spawned by nobody",
                                                        m->groups->in_circle),
                                                    m->groups->in_circle)
                                 : NULL;
  g_autofree char *sample = m->sample ? g_strdup_printf (
                                _ ("groups by behaviour: %u of %u tasks were looked at, the others follow"),
                                m->sample->n_seen, m->n_tasks)
                                      : NULL;
  const char *const told[] = { missing, m->unread, rest, too_long, too_deep, circled, sample };
  g_autoptr (GString) all = g_string_new (NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (told); ++i)
    if (told[i])
      g_string_append_printf (all, "%s%s", all->len ? "; " : "", told[i]);
  c->problem = all->len ? g_strdup (all->str) : NULL;
  c->whole = !missing && !m->unread && !rest && !too_long;
  return m->groups;
}

Groups *
session_groups_new (Session *s, const ViewScene *scene, const char *cut, GError **error)
{
  g_autofree char *hierarchy = groups_hierarchy_of (cut);
  Made m = { 0 };

  if (!hierarchy) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_SETTING, _ ("no hierarchy of groups is chosen"));
    return NULL;
  }
  cut_begin (s, scene, hierarchy, &m);
  GroupsFrom from = from_of (session_cut_of (s), hierarchy, &m);
  Groups *g = groups_new (&from, hierarchy, error);
  if (g)
    groups_cut (g, &from, cut, NULL);
  cut_made_clear (&m);
  return g;
}
