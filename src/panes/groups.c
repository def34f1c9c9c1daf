/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/groups.h"
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

/* As an edit; the note of the program is what all views go by. */
static void
set_cut (ScopePicture *p, const char *what, const char *cut)
{
  ScopeDocument *d = picture_document (p);

  scope_document_begin_edit (d, what);
  scope_document_set_note (d, CUT_NOTE, cut);
  scope_document_end_edit (d);
  const char *problem = NULL;
  ViewScene scene;
  if (*cut != '\0' && groups_of (p, &scene) == NULL)
    problem = session_cut_problem (scope_document_session (d));
  if (problem != NULL)
    scope_document_say_about (d, "groups", SCOPE_SAY_NOTE, "%s", problem);
  else
    scope_document_unsay (d, "groups");
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
  g_autofree char *what = *hierarchy != '\0' ? g_strdup_printf ("Tasks by %s", hierarchy) : g_strdup ("Tasks Alone");

  set_cut (p, what, cut);
}

/* The cut with one thing changed; `change` does it to groups of the caller's own. */
static void
change (ScopePicture *p, const char *what, void (*how) (Groups *g, const void *arg), const void *arg)
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
turn (Groups *g, const void *arg)
{
  const Turn *t = arg;

  groups_open (g, t->group, t->open);
}

static void
turn_group (ScopePicture *p, const Groups *g, uint32_t group, bool open)
{
  g_autofree char *what = g_strdup_printf ("%s %s", open ? "Open" : "Close", g->all[group].name);

  change (p, what, turn, &(Turn){ group, open });
}

/* Of an item those whom it stands for, else what is selected. */
static uint32_t
group_at (ScopePicture *p, const Groups *g, const ViewScene *scene, const ViewItem *item, bool *exact)
{
  g_autoptr (TraceRefs) refs = item != NULL ? trace_refs_new () : NULL;

  if (item != NULL)
    view_owners (picture_component (p), picture_view (p), scene, &item->mark, refs);
  return groups_around (g, item != NULL ? refs : scope_document_selection (picture_document (p)), scene->source->number,
                        exact);
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
pane_groups_turn (ScopePicture *p, const ViewItem *item)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);
  bool exact = false;
  uint32_t group = g != NULL ? group_at (p, g, &scene, item, &exact) : TRACE_NONE;

  if (group == TRACE_NONE || !exact || g->all[group].n < 2)
    return false;
  turn_group (p, g, group, !g->all[group].open);
  return true;
}

char *
pane_groups_meant (ScopePicture *p, const ViewItem *item, bool open)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);
  uint32_t group = group_meant (p, g, &scene, item, open);

  return group != TRACE_NONE ? g_strdup (g->all[group].name) : NULL;
}

void
pane_groups_open (ScopePicture *p, const ViewItem *item, bool open)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);
  uint32_t group = group_meant (p, g, &scene, item, open);

  if (group != TRACE_NONE)
    turn_group (p, g, group, open);
}

static void
turn_evenly (Groups *g, const void *arg)
{
  groups_open_evenly (g, *(const bool *) arg);
}

void
pane_groups_evenly (ScopePicture *p, bool open)
{
  change (p, open ? "Open Groups" : "Close Groups", turn_evenly, &open);
}

void
pane_groups_best (ScopePicture *p)
{
  ViewScene scene;
  const Groups *g = groups_of (p, &scene);
  uint32_t most = (uint32_t) MAX (picture_height (p) / ROW_PX, PARTS_LEAST);

  if (g == NULL)
    return;
  g_autofree char *cut = g_strdup_printf ("by %s\nparts %u\n", g->hierarchy, most);
  set_cut (p, "Best Groups", cut);
}

bool
pane_groups_can_make (ScopePicture *p)
{
  return p != NULL && trace_refs_has_type (scope_document_selection (picture_document (p)), TRACE_REF_TASK);
}

/* The first name that no line of a text begins with. */
static char *
free_name (const char *made)
{
  for (guint i = 1;; i++) {
    g_autofree char *name = g_strdup_printf ("group %u", i), *line = g_strconcat ("\n", name, " = ", NULL),
                    *all = g_strconcat ("\n", made, NULL);
    if (strstr (all, line) == NULL)
      return g_steal_pointer (&name);
  }
}

void
pane_groups_make (ScopePicture *p)
{
  ScopeDocument *d = picture_document (p);
  const TraceRefs *selected = scope_document_selection (d);
  const char *made = scope_document_note (d, CUT_GROUPS);
  g_autofree char *name = free_name (made);
  ViewScene scene;
  GString *text = g_string_new (NULL);

  picture_scene (p, &scene);
  g_string_printf (text, "%s%s = ", made, name);
  gsize empty = text->len;
  for (uint32_t i = 0; i < MIN (trace_refs_n (selected), MADE_MOST); i++) {
    TraceRef r = trace_refs_at (selected, i);
    if (r.type == TRACE_REF_TASK && r.source == scene.source->number)
      g_string_append_printf (text, "%s%s", text->len > empty ? ", " : "", trace_task_id (scene.source, r.id));
  }
  if (text->len > empty) {
    g_string_append_c (text, '\n');
    scope_document_begin_edit (d, "Make a Group");
    scope_document_set_note (d, CUT_GROUPS, text->str);
    scope_document_set_note (d, CUT_NOTE, "by hand\n");
    scope_document_end_edit (d);
  }
  g_string_free (text, TRUE);
}
