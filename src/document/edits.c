/* SPDX-License-Identifier: Apache-2.0 */
/* edits.c - what the canvas does to a program. */
#include "document/edits.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "statistics/list.h"
#include "views/panel.h"

/* ---- deleting ------------------------------------------------------------------------------------------------ */
typedef struct End {
  EveComponent *c;
  char *port;
} End;

static void
end_clear (void *end)
{
  g_free (((End *) end)->port);
}

static const EveType *
in_type (EveComponent *c, const char *in)
{
  int i = eve_class_in (eve_class (c), in);
  return i < 0 ? NULL : eve_in_type (eve_base (c)->in[i]);
}

static const EveType *
out_type (EveComponent *c, const char *out)
{
  int i = eve_class_out (eve_class (c), out);
  return i < 0 ? NULL : eve_out_type (eve_base (c)->out[i]);
}

/* A wire that could carry something, were the box at its other end at work. */
static bool
edits_is_sound (const EveWire *w)
{
  return !w->broken || w->rests;
}

/* What went past a bypassed box goes on without it: (who gives, who takes), in turn. */
static void
past_bypassed (EveProgram *p, EveComponent *box, GArray *ends)
{
  for (uint32_t o = 0; o < eve_n_wires (p); o++) {
    EveWire out = eve_wire (p, o);
    const char *in = out.from == box && out.to != box && edits_is_sound (&out) ? eve_bypass_input (box, out.out) : NULL;
    for (uint32_t i = 0; in && i < eve_n_wires (p); i++) {
      EveWire w = eve_wire (p, i);
      if (w.to != box || w.from == box || !edits_is_sound (&w) || strcmp (w.in, in) != 0)
        continue;
      const End both[] = { { w.from, g_strdup (w.out) }, { out.to, g_strdup (out.in) } };
      g_array_append_vals (ends, both, 2);
    }
  }
}

/* What passes through a box unchanged in kind goes on without it: types are the same, and the input is no control.
 * Nothing passes through one that is off. */
static void
delete_one (EveProgram *p, EveComponent *box, bool heal)
{
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (End)), to = g_array_new (FALSE, FALSE, sizeof (End)),
                     past = g_array_new (FALSE, FALSE, sizeof (End));
  g_array_set_clear_func (from, end_clear);
  g_array_set_clear_func (to, end_clear);
  g_array_set_clear_func (past, end_clear);
  const EveType *type = NULL;
  if (heal && eve_use (box) == EVE_BYPASSED)
    past_bypassed (p, box, past);
  heal = heal && eve_use (box) == EVE_WORKS;
  for (uint32_t i = 0; heal && i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    if (w.to != box || w.from == box || !edits_is_sound (&w))
      continue;
    int in = eve_class_in (eve_class (box), w.in);
    const EveType *t = in_type (box, w.in);
    if (eve_class (box)->ins[in].role == EVE_CONTROL || (type && t != type))
      continue;
    type = t;
    End end = { w.from, g_strdup (w.out) };
    g_array_append_val (from, end);
  }
  for (uint32_t i = 0; type && i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    if (w.from != box || w.to == box || !edits_is_sound (&w) || out_type (box, w.out) != type)
      continue;
    End end = { w.to, g_strdup (w.in) };
    g_array_append_val (to, end);
  }
  eve_remove (p, box);
  for (guint i = 0; i < from->len; i++)
    for (guint k = 0; k < to->len; k++) {
      const End *a = &g_array_index (from, End, i), *b = &g_array_index (to, End, k);
      eve_connect (p, a->c, a->port, b->c, b->port, NULL); /* refused: there already, or it does not fit */
    }
  for (guint i = 0; i < past->len; i += 2) {
    const End *a = &g_array_index (past, End, i), *b = a + 1;
    eve_connect (p, a->c, a->port, b->c, b->port, NULL);
  }
}

void
edits_delete (EveProgram *p, EveComponent *const *boxes, guint n, bool heal)
{
  for (guint i = 0; i < n; i++)
    delete_one (p, boxes[i], heal);
  notes_prune (p);
}

/* ---- inserting ------------------------------------------------------------------------------------------------ */
bool
edits_insert (EveProgram *p, EveComponent *box, EveComponent *from, const char *out, EveComponent *to, const char *in,
              GError **error)
{
  g_autofree char *before = eve_program_text (p), *why = NULL;
  g_autofree char *o = g_strdup (out), *i = g_strdup (in); /* theirs go away with the wire */
  const EveClass *k = eve_class (box);
  eve_disconnect (p, from, o, to, i);
  for (uint32_t a = 0; a < k->n_ins; a++) {
    if (edits_is_taken (box, k->ins[a].name) || k->ins[a].role == EVE_CONTROL)
      continue;
    g_autofree char *no = eve_why_not (p, from, o, box, k->ins[a].name);
    if (no) {
      if (!why)
        why = g_steal_pointer (&no);
      continue;
    }
    eve_connect (p, from, o, box, k->ins[a].name, NULL);
    for (uint32_t b = 0; b < k->n_outs; b++) {
      g_autofree char *nor = eve_why_not (p, box, k->outs[b].name, to, i);
      if (!nor) {
        eve_connect (p, box, k->outs[b].name, to, i, NULL);
        notes_prune (p);
        return true;
      }
      if (!why)
        why = g_steal_pointer (&nor);
    }
    eve_disconnect (p, from, o, box, k->ins[a].name);
  }
  g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, _ ("%s does not fit into this wire: %s"), eve_name (box),
               why        ? why
               : k->n_ins ? _ ("its inputs are taken already")
                          : _ ("it has no input"));
  eve_program_update (p, before, NULL, NULL);
  return false;
}

const char *
edits_class_port (const EveClass *k, const EveType *other, bool output)
{
  for (int control = 0; control < 2; control++)
    for (uint32_t i = 0; i < (output ? k->n_outs : k->n_ins); i++) {
      const EveType *own = output ? k->outs[i].type : k->ins[i].type;
      EveRole role = output ? k->outs[i].role : k->ins[i].role;
      if ((role == EVE_CONTROL) == control && (output ? eve_type_fits (own, other) : eve_type_fits (other, own)))
        return output ? k->outs[i].name : k->ins[i].name;
    }
  return NULL;
}

bool
edits_class_fits_wire (const EveClass *k, EveComponent *from, const char *out, EveComponent *to, const char *in)
{
  return edits_class_port (k, out_type (from, out), false) && edits_class_port (k, in_type (to, in), true);
}

bool
edits_connect_first (EveProgram *p, EveComponent *from, const char *port, EveComponent *to, bool backward,
                     GError **error)
{
  const EveClass *k = eve_class (to);
  g_autofree char *why = NULL;
  for (int control = 0; control < 2; control++)
    for (uint32_t i = 0; i < (backward ? k->n_outs : k->n_ins); i++) {
      const char *name = backward ? k->outs[i].name : k->ins[i].name;
      if (((backward ? k->outs[i].role : k->ins[i].role) == EVE_CONTROL) != control)
        continue;
      g_autofree char *no = backward ? eve_why_not (p, to, name, from, port) : eve_why_not (p, from, port, to, name);
      if (!no)
        return backward ? eve_connect (p, to, name, from, port, error) : eve_connect (p, from, port, to, name, error);
      if (!why)
        why = g_steal_pointer (&no);
    }
  g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, "%s",
               why        ? why
               : backward ? _ ("It has no output to connect")
                          : _ ("It has no input to connect"));
  return false;
}

/* The setting of a component that is a list of names of boxes; NULL: it has none. */
static const char *
names_boxes (EveComponent *c)
{
  const EvePeers *peers = eve_query (c, EVE_PEERS);
  return peers ? peers->setting : eve_query (c, PANEL_INTERFACE) ? "boxes" : NULL;
}

bool
edits_rename (EveComponent *c, const char *name, GError **error)
{
  g_autofree char *before = g_strdup (eve_name (c));
  if (!eve_rename (c, name, error))
    return false;
  notes_rename (eve_program (c), before, name);
  for (uint32_t i = 0; i < eve_n_components (eve_program (c)); i++) {
    EveComponent *who = eve_component (eve_program (c), i);
    const char *setting = names_boxes (who);
    g_autofree char *boxes = setting ? eve_get (who, setting) : NULL,
                    *renamed = boxes ? stats_list_renamed (boxes, before, name) : NULL;
    if (renamed)
      eve_set (who, setting, renamed, NULL);
  }
  return true;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */
/* The innermost group that has both of them, or NULL. */
static Group *
common (const Notes *n, Group *a, Group *b)
{
  for (; a; a = notes_group (n, a->parent))
    if (notes_inside (n, b, a))
      return a;
  return NULL;
}

/* The innermost group that holds all of them and more than them; NULL: none. */
static Group *
outer_of (const Notes *n, EveComponent *const *boxes, guint n_boxes, GHashTable *chosen)
{
  Group *outer = n_boxes ? notes_group_of (n, eve_name (boxes[0])) : NULL;
  for (guint i = 0; i < n_boxes; i++)
    g_hash_table_add (chosen, (void *) eve_name (boxes[i]));
  for (guint i = 1; i < n_boxes; i++)
    outer = common (n, outer, notes_group_of (n, eve_name (boxes[i])));
  while (outer && notes_all_chosen (n, outer, chosen))
    outer = notes_group (n, outer->parent);
  return outer;
}

char *
edits_outer_group (EveProgram *p, EveComponent *const *boxes, guint n_boxes)
{
  g_autoptr (Notes) n = notes_read (p);
  g_autoptr (GHashTable) chosen = g_hash_table_new (g_str_hash, g_str_equal);
  const Group *outer = outer_of (n, boxes, n_boxes, chosen);
  return outer ? g_strdup (outer->name) : NULL;
}

char *
edits_group (EveProgram *p, EveComponent *const *boxes, guint n_boxes, const char *wanted)
{
  g_autoptr (Notes) n = notes_read (p);
  g_autoptr (GHashTable) chosen = g_hash_table_new (g_str_hash, g_str_equal);
  if (!n_boxes)
    return NULL;
  Group *outer = outer_of (n, boxes, n_boxes, chosen); /* a group in the whole is an element of the new one */
  Group *g = notes_add_group (n, wanted, outer ? outer->name : "");
  for (guint i = 0; i < n->groups->len; i++) {
    Group *inner = n->groups->pdata[i];
    if (inner != g && !strcmp (inner->parent, outer ? outer->name : "") && notes_all_chosen (n, inner, chosen)) {
      g_free (inner->parent);
      inner->parent = g_strdup (g->name);
    }
  }
  for (guint i = 0; i < n_boxes; i++) {
    Group *now = notes_group_of (n, eve_name (boxes[i]));
    if (!now || !notes_inside (n, now, g))
      notes_move_box (n, eve_name (boxes[i]), g);
  }
  notes_write (p, n);
  return g_strdup (g->name);
}

void
edits_into (EveProgram *p, EveComponent *const *boxes, guint n_boxes, const char *group)
{
  g_autoptr (Notes) n = notes_read (p);
  g_autoptr (GHashTable) chosen = g_hash_table_new (g_str_hash, g_str_equal), whole = g_hash_table_new (NULL, NULL);
  Group *to = notes_group (n, group);
  for (guint i = 0; i < n_boxes; i++)
    g_hash_table_add (chosen, (void *) eve_name (boxes[i]));
  for (guint i = 0; i < n->groups->len; i++) {
    Group *g = n->groups->pdata[i];
    if (!notes_inside (n, to, g) && notes_all_chosen (n, g, chosen))
      g_hash_table_add (whole, g);
  }
  for (guint i = 0; i < n_boxes; i++) {
    Group *now = notes_group_of (n, eve_name (boxes[i]));
    if (!now || !g_hash_table_contains (whole, now))
      notes_move_box (n, eve_name (boxes[i]), to);
  }
  for (guint i = 0; i < n->groups->len; i++) {
    Group *g = n->groups->pdata[i], *outer = notes_group (n, g->parent);
    if (g_hash_table_contains (whole, g) && !(outer && g_hash_table_contains (whole, outer))) {
      g_free (g->parent);
      g->parent = g_strdup (to ? to->name : "");
    }
  }
  notes_write (p, n);
}

void
edits_ungroup (EveProgram *p, const char *group)
{
  g_autoptr (Notes) n = notes_read (p);
  Group *g = notes_group (n, group);
  if (g)
    notes_remove_group (n, g);
  notes_write (p, n);
}

void
edits_fold (EveProgram *p, const char *group, bool open)
{
  g_autoptr (Notes) n = notes_read (p);
  Group *g = notes_group (n, group);
  if (g)
    g->open = open;
  notes_write (p, n);
}

bool
edits_rename_group (EveProgram *p, const char *group, const char *name, GError **error)
{
  g_autoptr (Notes) n = notes_read (p);
  Group *g = notes_group (n, group), *other = notes_group (n, name);
  if (!g || !*name || strpbrk (name, "\t\n") || (other && other != g)) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED,
                 other ? _ ("There is a sub-program called '%s' already") : _ ("A sub-program cannot be called '%s'"),
                 name);
    return false;
  }
  for (guint i = 0; i < n->groups->len; i++) {
    Group *inner = n->groups->pdata[i];
    if (!strcmp (inner->parent, group)) {
      g_free (inner->parent);
      inner->parent = g_strdup (name);
    }
  }
  g_autofree char *before = g_steal_pointer (&g->name);
  g->name = g_strdup (name);
  for (guint i = 0; i < n->frames->len; i++) {
    Frame *f = n->frames->pdata[i];
    if (!strcmp (f->group, before))
      notes_move_frame (f, g);
  }
  notes_write (p, n);
  return true;
}

/* ---- pins and frames ------------------------------------------------------------------------------------------------ */
void
edits_pin (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in, bool pin)
{
  g_autoptr (Notes) n = notes_read (p);
  if (pin)
    notes_add_probe (n, eve_name (from), out, eve_name (to), in);
  else
    g_ptr_array_remove (n->probes, notes_probe (n, eve_name (from), out, eve_name (to), in));
  notes_write (p, n);
}

void
edits_set_frame (EveProgram *p, guint number, const char *text, int colour)
{
  g_autoptr (Notes) n = notes_read (p);
  if (number >= n->frames->len)
    return;
  Frame *f = n->frames->pdata[number];
  if (text) {
    g_free (f->text);
    f->text = g_strdup (text);
  }
  if (colour >= 0)
    f->colour = colour;
  notes_write (p, n);
}

/* ---- aligning ----------------------------------------------------------------------------------------------------- */
static int
by_x (const void *a, const void *b)
{
  double x = ((const Place *) a)->x, y = ((const Place *) b)->x;
  return (x > y) - (x < y);
}

static int
by_y (const void *a, const void *b)
{
  double x = ((const Place *) a)->y, y = ((const Place *) b)->y;
  return (x > y) - (x < y);
}

bool
edits_align (Place *places, guint n, const char *how)
{
  if (!g_strv_contains ((const char *const[]){ "left", "right", "top", "bottom", "row", "column", NULL }, how))
    return false;
  if (n < 2)
    return true;
  double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY, widths = 0, heights = 0;
  for (guint i = 0; i < n; i++) {
    left = MIN (left, places[i].x);
    top = MIN (top, places[i].y);
    right = MAX (right, places[i].x + places[i].width);
    bottom = MAX (bottom, places[i].y + places[i].height);
    widths += places[i].width;
    heights += places[i].height;
  }
  bool row = !strcmp (how, "row"), column = !strcmp (how, "column");
  if (row || column)
    qsort (places, n, sizeof *places, row ? by_x : by_y);
  double gap = MAX (((row ? right - left - widths : bottom - top - heights)) / (n - 1), 24), at = row ? left : top;
  for (guint i = 0; i < n; i++) {
    Place *q = &places[i];
    if (!strcmp (how, "left"))
      q->x = left;
    else if (!strcmp (how, "right"))
      q->x = right - q->width;
    else if (!strcmp (how, "top"))
      q->y = top;
    else if (!strcmp (how, "bottom"))
      q->y = bottom - q->height;
    else if (row) {
      q->x = round (at);
      q->y = top;
      at += q->width + gap;
    } else {
      q->x = left;
      q->y = round (at);
      at += q->height + gap;
    }
  }
  return true;
}
