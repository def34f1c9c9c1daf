/* SPDX-License-Identifier: Apache-2.0 */
#include "document/graft.h"
#include <string.h>
#include "eve/words.h"
#include "document/clip.h"
#include "session/generic.h"

#define GAP_PX 96.0 /* below what is there */

static EveProgram *
read_program (const char *path, const char *const *formats, GError **error)
{
  g_autofree char *shared = generic_read (path);
  g_autofree char *text = shared ? generic_text (shared, path, formats, error) : NULL;

  if (!shared)
    return eve_program_load (path, NULL, error);
  return text ? eve_program_parse (text, -1, path, NULL, error) : NULL;
}

static bool
put_settings (EveProgram *p, char *const *settings, GError **error)
{
  for (char *const *s = settings; *s; ++s) {
    g_auto (GStrv) both = g_strsplit (*s, "=", 2);
    char *dot = both[0] ? strrchr (both[0], '.') : NULL;
    if (!dot || !both[1])
      continue;
    *dot = '\0';
    EveComponent *box = eve_find (p, both[0]);
    if (box && !eve_set (box, dot + 1, both[1], error))
      return false;
  }
  return true;
}

/* All that feeds a box, before it; each once. */
static void
graft_collect (EveProgram *p, EveComponent *box, GPtrArray *cone, GHashTable *seen)
{
  if (!g_hash_table_add (seen, box))
    return;
  for (uint32_t i = 0; i < eve_n_wires (p); ++i) {
    EveWire w = eve_wire (p, i);
    if (w.to == box)
      graft_collect (p, w.from, cone, seen);
  }
  g_ptr_array_add (cone, box);
}

/* What stands at the source of all: whatever it is set to, there is one. */
static bool
is_source (EveComponent *c)
{
  return eve_query (c, "session/1") || eve_query (c, "trace-reader/1") || eve_query (c, "state-graph/1");
}

static bool
same_settings (EveComponent *a, EveComponent *b)
{
  const EveClass *k = eve_class (a);

  for (uint32_t i = 0; i < k->n_settings; ++i) {
    g_autofree char *x = eve_get (a, k->settings[i].name), *y = eve_get (b, k->settings[i].name);
    if (g_strcmp0 (x, y) != 0)
      return false;
  }
  return true;
}

static bool
has_wire (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in)
{
  for (uint32_t i = 0; i < eve_n_wires (p); ++i) {
    EveWire w = eve_wire (p, i);
    if (w.from == from && w.to == to && strcmp (w.out, out) == 0 && strcmp (w.in, in) == 0)
      return true;
  }
  return false;
}

static guint
n_wires_to (EveProgram *p, EveComponent *to)
{
  guint n = 0;

  for (uint32_t i = 0; i < eve_n_wires (p); ++i)
    n += eve_wire (p, i).to == to;
  return n;
}

/* Whether a box of the program is fed by just what stands for what feeds the other one. */
static bool
same_feed (EveProgram *p, EveComponent *mine, EveProgram *more, EveComponent *other, GHashTable *twin)
{
  if (n_wires_to (p, mine) != n_wires_to (more, other))
    return false;
  for (uint32_t i = 0; i < eve_n_wires (more); ++i) {
    EveWire w = eve_wire (more, i);
    EveComponent *from = w.to == other ? g_hash_table_lookup (twin, w.from) : NULL;
    if (w.to == other && (!from || !has_wire (p, from, w.out, mine, w.in)))
      return false;
  }
  return true;
}

static EveComponent *
find_twin (EveProgram *p, EveProgram *more, EveComponent *other, GHashTable *twin)
{
  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *mine = eve_component (p, i);
    if (eve_is_ghost (mine) || eve_use (mine) != EVE_WORKS || strcmp (eve_class (mine)->id, eve_class (other)->id) != 0)
      continue;
    if (is_source (other) || (same_settings (mine, other) && same_feed (p, mine, more, other, twin)))
      return mine;
  }
  return NULL;
}

/* Boxes that have a twin get its name, so that wires of a part lead to it; others give way. */
static bool
rename_twins (GPtrArray *cone, GHashTable *twin, GError **error)
{
  for (guint i = 0; i < cone->len; ++i) {
    g_autofree char *away = g_strdup_printf ("%s (%u of what is added)", eve_name (cone->pdata[i]), i);
    EveComponent *mine = g_hash_table_lookup (twin, cone->pdata[i]);
    if (mine && !eve_rename (cone->pdata[i], away, error))
      return false;
  }
  for (guint i = 0; i < cone->len; ++i) {
    EveComponent *mine = g_hash_table_lookup (twin, cone->pdata[i]), *holder = NULL;
    if (!mine)
      continue;
    for (guint k = 0; k < cone->len && !holder; ++k)
      if (strcmp (eve_name (cone->pdata[k]), eve_name (mine)) == 0)
        holder = cone->pdata[k];
    g_autofree char *other = g_strdup_printf ("%s 2", eve_name (mine));
    if ((holder && !eve_rename (holder, other, error)) || !eve_rename (cone->pdata[i], eve_name (mine), error))
      return false;
  }
  return true;
}

/* Below all that is there, from where the first boxes behind the readers stand. */
static ClipPlace
place_for (EveProgram *p)
{
  double right = 0, bottom = 0, x, y;

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    eve_position (c, &x, &y);
    bottom = MAX (bottom, y);
    right = is_source (c) ? MAX (right, x) : right;
  }
  return (ClipPlace){ true, right + 200, bottom + GAP_PX, NULL };
}

static bool
graft_add (EveProgram *p, GPtrArray *cone, GHashTable *twin, GPtrArray *added, char **shown, GError **error)
{
  g_autoptr (GPtrArray) which = g_ptr_array_new (), fresh = g_ptr_array_new (),
                        problems = g_ptr_array_new_with_free_func (g_free);
  EveProgram *more = eve_program (cone->pdata[0]);
  guint n_frames = 0;

  for (guint i = 0; i < cone->len; ++i)
    if (!g_hash_table_lookup (twin, cone->pdata[i]))
      g_ptr_array_add (which, cone->pdata[i]);
  g_autofree char *part = clip_part (more, (EveComponent *const *) which->pdata, which->len, NULL);
  ClipPlace place = place_for (p);
  if (!clip_paste (p, part, NULL, &place, fresh, &n_frames, problems, error))
    return false;
  if (fresh->len != which->len) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, "%s",
                 problems->len ? (char *) problems->pdata[0] : _ ("Not all of what feeds the view could be added."));
    return false;
  }
  EveComponent *view = cone->pdata[cone->len - 1];
  for (guint i = 0; i < fresh->len; ++i) {
    if (strcmp (eve_class (fresh->pdata[i])->id, eve_class (view)->id) == 0 && which->pdata[i] == view)
      *shown = g_strdup (eve_name (fresh->pdata[i]));
    if (added)
      g_ptr_array_add (added, fresh->pdata[i]);
  }
  return *shown != NULL;
}

bool
graft_view (EveProgram *p, const char *path, const char *const *formats, const char *view, char *const *settings,
            GPtrArray *added, char **shown, GError **error)
{
  EveProgram *more = read_program (path, formats, error);
  EveComponent *box = more ? eve_find (more, view) : NULL;
  g_autoptr (GPtrArray) cone = g_ptr_array_new ();
  g_autoptr (GHashTable) twin = g_hash_table_new (NULL, NULL); /* box of `more` -> that of `p` */
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  bool good = false;

  *shown = NULL;
  if (more && !box)
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, _ ("The program has no box called “%s”."), view);
  if (!box || !put_settings (more, settings, error))
    goto out;
  graft_collect (more, box, cone, seen);
  for (guint i = 0; i < cone->len; ++i) {
    EveComponent *mine = find_twin (p, more, cone->pdata[i], twin);
    if (mine)
      g_hash_table_insert (twin, cone->pdata[i], mine);
  }
  EveComponent *there = g_hash_table_lookup (twin, box);
  if (there) {
    *shown = g_strdup (eve_name (there));
    good = true;
  } else {
    good = rename_twins (cone, twin, error) && graft_add (p, cone, twin, added, shown, error);
  }
out:
  if (more)
    eve_program_free (more);
  return good;
}
