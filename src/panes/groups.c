/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/groups.h"
#include "eve/words.h"
#include <string.h>
#include "session/cut.h"

#define ROW_PX 14.0 /* of a part with its label */
#define PARTS_LEAST 4
#define MADE_MOST 10000 /* tasks of a group that is made by hand */

static const Groups *
groups_of (ScopePicture *p, ViewScene *scene)
{
  if (p == NULL || !picture_is_alive (p))
    return NULL;
  picture_scene (p, scene);
  return scene->groups;
}

/* What cannot be shown as the cut says, until it can. */
void
pane_groups_tell (ScopePicture *p)
{
  ScopeDocument *d = picture_document (p);
  Session *s = scope_document_session (d);
  const char *problem = s != NULL && *session_cut (s) != '\0' ? session_cut_problem (s) : NULL;

  if (problem != NULL)
    scope_document_say_about (d, "groups", SCOPE_SAY_NOTE, "%s", problem);
  else
    scope_document_unsay (d, "groups");
}

/* As an edit; the note of the program is what all views go by. */
static void
set_cut (ScopePicture *p, const char *what, const char *cut)
{
  ScopeDocument *d = picture_document (p);

  scope_document_begin_edit (d, what);
  scope_document_set_note (d, CUT_NOTE, cut);
  scope_document_end_edit (d);
  ViewScene scene;
  groups_of (p, &scene);
  pane_groups_tell (p);
}

const char *
pane_groups_hierarchy (ScopePicture *p)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);

  return g != NULL ? g->hierarchy : "";
}

void
pane_groups_by (ScopePicture *p, const char *hierarchy)
{
  g_autofree char *cut = *hierarchy != '\0' ? g_strdup_printf ("by %s\n", hierarchy) : g_strdup ("");
  g_autofree char *what = *hierarchy != '\0' ? g_strdup_printf (_ ("Tasks by %s"), in_words (hierarchy))
                                             : g_strdup (_ ("Tasks Alone"));

  scope_document_unsay (picture_document (p), "no groups");
  set_cut (p, what, cut);
}

/* The cut with one thing changed; `change` does it to groups of the caller's own. */
static void
panes_groups_change (ScopePicture *p, const char *what, void (*how) (Groups *g, const void *arg), const void *arg)
{
  g_autoptr (GError) error = NULL;
  ViewScene scene;
  const Groups *now = groups_of (p, &scene);
  Session *s = scope_document_session (picture_document (p));

  if (now == NULL)
    return;
  g_autofree char *cut = groups_text (now);
  g_autoptr (Groups) g = session_groups_new (s, &scene, cut, &error);
  if (g == NULL)
    return;
  how (g, arg);
  g_autofree char *after = groups_text (g);
  if (strcmp (after, cut) != 0)
    set_cut (p, what, after);
}

typedef struct Turn {
  uint32_t group;
  bool open;
} Turn;

static void
panes_groups_turn (Groups *g, const void *arg)
{
  const Turn *t = arg;

  groups_open (g, t->group, t->open);
}

static void
panes_groups_open_or_close (ScopePicture *p, const Groups *g, uint32_t group, bool open)
{
  g_autofree char *what = g_strdup_printf (open ? _ ("Open %s") : _ ("Close %s"), g->all[group].name);

  panes_groups_change (p, what, panes_groups_turn, &(Turn){ group, open });
}

/* Of an item those whom it stands for, else what is selected.  *exact: it is all of the group; else, where some of them
 * are hidden, the one that is seen in their place. */
static uint32_t
group_at (ScopePicture *p, const Groups *g, const ViewScene *scene, const ViewItem *item, bool *exact)
{
  g_autoptr (TraceRefs) refs = item != NULL ? trace_refs_new () : NULL;

  bool entered;
  EveComponent *drawn = item != NULL ? picture_enter (p, &entered) : NULL;

  if (drawn != NULL) {
    view_owners (drawn, picture_view (p), scene, &item->mark, refs);
    picture_leave (p, entered);
  }
  const TraceRefs *whose = item != NULL ? refs : scope_document_selection (picture_document (p));
  uint32_t group = groups_around (g, whose, scene->source->number, exact);
  for (uint32_t up = group; !*exact && trace_refs_n (whose) > 1 && up != TRACE_NONE; up = g->all[up].parent)
    if (!g->all[up].open)
      group = up;
  *exact = *exact || (group != TRACE_NONE && trace_refs_n (whose) > 1 && !g->all[group].open);
  return group;
}

/* The group that would be opened or closed; TRACE_NONE: none. */
static uint32_t
group_meant (ScopePicture *p, const Groups *g, const ViewScene *scene, const ViewItem *item, bool open)
{
  bool exact = false;
  uint32_t group = g != NULL ? group_at (p, g, scene, item, &exact) : TRACE_NONE;

  if (open)
    return group != TRACE_NONE && exact && !g->all[group].open && g->all[group].n > 1 ? group : TRACE_NONE;
  while (group != TRACE_NONE && !g->all[group].open)
    group = g->all[group].parent;
  return group;
}

bool
pane_groups_told (ScopePicture *p, const char *hierarchy)
{
  Session *s = scope_document_session (picture_document (p));
  g_autofree char *cut = g_strdup_printf ("by %s\n", hierarchy);
  ViewScene scene;

  /* Others are told by each trace, or are looked for with more work than a menu is worth. */
  if (s == NULL || !picture_is_alive (p) || strcmp (hierarchy, "topology") != 0
      || scope_document_film_state (picture_document (p), NULL) != FILM_COMPLETE)
    return true;
  picture_scene (p, &scene);
  g_autoptr (Groups) g = session_groups_new (s, &scene, cut, NULL);
  return g != NULL;
}

bool
pane_groups_turn (ScopePicture *p, const ViewItem *item)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);
  bool exact = false;
  uint32_t group = g != NULL ? group_at (p, g, &scene, item, &exact) : TRACE_NONE;

  if (group == TRACE_NONE || !exact || g->all[group].n < 2)
    return false;
  panes_groups_open_or_close (p, g, group, !g->all[group].open);
  return true;
}

char *
pane_groups_meant (ScopePicture *p, const ViewItem *item, bool open)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);
  uint32_t group = group_meant (p, g, &scene, item, open);
  g_autoptr (GString) path = g_string_new (NULL);

  if (group == TRACE_NONE)
    return NULL;
  groups_path (g, group, path);
  return g_strdup (path->str);
}

void
pane_groups_open_path (ScopePicture *p, const char *path, bool open)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);
  uint32_t group = g != NULL ? groups_find (g, path) : TRACE_NONE;

  if (group != TRACE_NONE)
    panes_groups_open_or_close (p, g, group, open);
}

void
pane_groups_open (ScopePicture *p, const ViewItem *item, bool open)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);
  uint32_t group = group_meant (p, g, &scene, item, open);

  if (group != TRACE_NONE)
    panes_groups_open_or_close (p, g, group, open);
}

bool
pane_groups_is_own (const EveField *f)
{
  return strcmp (f->name, "group by") == 0;
}

/* The hierarchy that a setting of the view sorts its rows by, g_free; NULL: none. */
static char *
own_groups (ScopePicture *p)
{
  EveComponent *view = picture_component (p);
  g_autofree char *by = NULL;

  for (uint32_t i = 0; view != NULL && i < eve_class (view)->n_settings; i++)
    if (pane_groups_is_own (&eve_class (view)->settings[i]))
      by = eve_get (view, eve_class (view)->settings[i].name);
  return by != NULL && g_strv_contains (groups_hierarchies, by) ? g_steal_pointer (&by) : NULL;
}

/* Where there are no groups, nothing would be seen of what was asked for.  Those that a view alone stands its rows by
 * become those of all views, closed. */
static bool
has_groups (ScopePicture *p, bool open)
{
  ScopeDocument *d = picture_document (p);
  ViewScene scene;

  if (groups_of (p, &scene) != NULL)
    return true;
  g_autofree char *own = own_groups (p);
  if (own != NULL) {
    if (!open)
      pane_groups_by (p, own);
    else
      scope_document_say_about (d, "no groups", SCOPE_SAY_NOTE, _ ("All groups are open: Alt+minus closes them"));
    return false;
  }
  scope_document_say_about (
      d, "no groups", SCOPE_SAY_NOTE,
      _ ("Tasks are not shown in groups: Groups, in the menu of a view, says by what they can be"));
  return false;
}

static void
turn_evenly (Groups *g, const void *arg)
{
  groups_open_evenly (g, *(const bool *) arg);
}

void
pane_groups_evenly (ScopePicture *p, bool open)
{
  if (has_groups (p, open))
    panes_groups_change (p, open ? _ ("Open Groups") : _ ("Close Groups"), turn_evenly, &open);
}

void
pane_groups_best (ScopePicture *p)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);
  uint32_t most = (uint32_t) MAX (picture_height (p) / ROW_PX, PARTS_LEAST);

  g_autofree char *own = g == NULL ? own_groups (p) : NULL;
  if (own == NULL && !has_groups (p, false))
    return;
  g_autofree char *cut = g_strdup_printf ("by %s\nparts %u\n", own != NULL ? own : g->hierarchy, most);
  set_cut (p, _ ("Best Groups"), cut);
}

bool
pane_groups_can_make (ScopePicture *p)
{
  return p != NULL && trace_refs_has_type (scope_document_selection (picture_document (p)), TRACE_REF_TASK);
}

/* The first name that no line of a text begins with. */
static char *
panes_groups_free_name (const char *made)
{
  for (guint i = 1;; i++) {
    g_autofree char *name = g_strdup_printf (_ ("group %u"), i), *line = g_strconcat ("\n", name, " = ", NULL),
                    *all = g_strconcat ("\n", made, NULL);
    if (strstr (all, line) == NULL)
      return g_steal_pointer (&name);
  }
}

/* An id as a pattern that it alone fits; what would be lost in a line or at the ends of a name becomes a wildcard. */
static void
panes_groups_put_task (GString *to, const char *id)
{
  for (const char *c = id; *c != '\0'; c++) {
    bool at_end = c == id || c[1] == '\0';
    if (g_ascii_iscntrl (*c) || (at_end && g_ascii_isspace (*c))) {
      g_string_append_c (to, '?');
      continue;
    }
    if (strchr ("\\*?[,", *c) != NULL)
      g_string_append_c (to, '\\');
    g_string_append_c (to, *c);
  }
}

void
pane_groups_make (ScopePicture *p)
{
  ScopeDocument *d = picture_document (p);
  const TraceRefs *selected = scope_document_selection (d);
  const char *made = scope_document_note (d, CUT_GROUPS);
  g_autofree char *name = panes_groups_free_name (made);
  g_autoptr (GString) text = g_string_new (NULL);
  uint32_t n = 0;
  ViewScene scene;

  if (!picture_is_alive (p))
    return;
  picture_scene (p, &scene);
  if (scene.source == NULL)
    return;
  g_string_printf (text, "%s = ", name);
  for (uint32_t i = 0; i < trace_refs_n (selected); i++) {
    TraceRef r = trace_refs_at (selected, i);
    if (r.type != TRACE_REF_TASK || r.source != scene.source->number || n++ >= MADE_MOST)
      continue;
    g_string_append (text, n > 1 ? ", " : "");
    panes_groups_put_task (text, trace_task_id (scene.source, r.id));
  }
  if (n == 0)
    return;
  /* Before the others: the first line that names a task counts, so it leaves the group that it was in. */
  g_string_append_printf (text, "\n%s", made);
  scope_document_begin_edit (d, _ ("Make a Group"));
  scope_document_set_note (d, CUT_GROUPS, text->str);
  scope_document_set_note (d, CUT_NOTE, "by hand\n");
  scope_document_end_edit (d);
  groups_of (p, &scene);
  pane_groups_tell (p);
  scope_document_unsay (d, "group made");
  if (n > MADE_MOST)
    scope_document_say_about (d, "group made", SCOPE_SAY_NOTE,
                              _ ("%u of the selected tasks are not in %s: one made here has %d at most"), n - MADE_MOST,
                              name, MADE_MOST);
}
