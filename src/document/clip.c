/* SPDX-License-Identifier: Apache-2.0 */
/* clip.c - copies: the engine writes boxes and wires, the notes beside them are those of a program file. */
#include "document/clip.h"
#include "document/edits.h"
#include <math.h>
#include <string.h>

/* ---- copying ------------------------------------------------------------------------------------------------------ */
static void
copy_groups (const Notes *from, GHashTable *chosen, Notes *to)
{
  for (guint i = 0; i < from->groups->len; i++) {
    const Group *g = from->groups->pdata[i], *outer = notes_group (from, g->parent);
    if (!notes_all_chosen (from, g, chosen))
      continue;
    Group *copy = notes_add_group (to, g->name, outer && notes_all_chosen (from, outer, chosen) ? outer->name : "");
    copy->open = g->open;
    for (guint k = 0; k < g->boxes->len; k++)
      g_ptr_array_add (copy->boxes, g_strdup (g->boxes->pdata[k]));
    for (guint k = 0; k < g->faces->len; k++)
      notes_set_face (copy, ((Face *) g->faces->pdata[k])->box, ((Face *) g->faces->pdata[k])->setting, true);
  }
}

static void
copy_frame (const Frame *f, const Group *g, Notes *to)
{
  Frame *copy = notes_add_frame (to, f->x, f->y, f->width, f->height, f->text);
  copy->colour = f->colour;
  notes_move_frame (copy, g);
}

static void
add_notes (GString *s, EveProgram *p, const Notes *n)
{
  char *lines[NOTES_KINDS];
  notes_text (p, n, lines);
  for (int i = 0; i < NOTES_KINDS; i++) {
    g_autofree char *text = g_markup_escape_text (lines[i], -1);
    if (*text)
      g_string_append_printf (s, "  <note name=\"%s\">%s</note>\n", notes_keys[i], text);
    g_free (lines[i]);
  }
}

static char *
with_notes (EveProgram *p, const char *text, EveComponent *const *boxes, guint n, const GPtrArray *frames)
{
  g_autoptr (Notes) all = notes_read (p), own = notes_parse ((const char *const[NOTES_KINDS]){ 0 });
  g_autoptr (GHashTable) chosen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++)
    g_hash_table_add (chosen, (void *) eve_name (boxes[i]));
  copy_groups (all, chosen, own);
  for (guint i = 0; frames && i < frames->len; i++) {
    const Frame *f = frames->pdata[i];
    copy_frame (f, notes_group (own, f->group), own);
  }
  for (guint i = 0; i < all->probes->len; i++) {
    const Probe *q = all->probes->pdata[i];
    if (g_hash_table_contains (chosen, q->from) && g_hash_table_contains (chosen, q->to))
      notes_add_probe (own, q->from, q->out, q->to, q->in);
  }
  for (guint i = 0; i < all->bends->len; i++) {
    const Bend *b = all->bends->pdata[i];
    if (g_hash_table_contains (chosen, b->from) && g_hash_table_contains (chosen, b->to))
      notes_add_bend (own, b->from, b->out, b->to, b->in, G_MAXUINT, b->x, b->y);
  }
  /* before the end of the program; of one without boxes the end is that of its beginning */
  const char *end = g_strrstr (text, "</eve>"), *bare = end ? NULL : g_strrstr (text, "/>");
  g_autoptr (GString) s = g_string_new_len (text, (end ? end : bare) - text);
  g_string_append (s, bare ? ">\n" : "");
  add_notes (s, p, own);
  g_string_append (s, "</eve>\n");
  return g_string_free (g_steal_pointer (&s), FALSE);
}

char *
clip_copy (EveProgram *p, EveComponent *const *boxes, guint n, const GPtrArray *frames)
{
  g_autofree char *text = eve_copy (p, boxes, n);
  return with_notes (p, text, boxes, n, frames);
}

char *
clip_part (EveProgram *p, EveComponent *const *boxes, guint n, const GPtrArray *frames)
{
  g_autofree char *text = eve_part (p, boxes, n);
  return with_notes (p, text, boxes, n, frames);
}

/* ---- reading: names of boxes and the notes, which the engine leaves aside ------------------------------------------- */
typedef struct Reading {
  GPtrArray *names; /* of the components that are taken, in their order */
  GString *notes[NOTES_KINDS];
  GString *note; /* that is being read */
} Reading;

static void
element (GMarkupParseContext *context, const char *what, const char **name, const char **value, void *reading,
         GError **error)
{
  Reading *r = reading;
  const char *called = NULL, *class = NULL;
  for (; *name; name++, value++)
    if (!strcmp (*name, "name"))
      called = *value;
    else if (!strcmp (*name, "class"))
      class = *value;
  r->note = NULL;
  if (!strcmp (what, "component") && called
      && class && !g_ptr_array_find_with_equal_func (r->names, called, g_str_equal, NULL))
    g_ptr_array_add (r->names, g_strdup (called));
  for (int i = 0; i < NOTES_KINDS && !strcmp (what, "note") && called; i++)
    if (!strcmp (called, notes_keys[i]))
      r->note = r->notes[i];
}

static void
clip_ends (GMarkupParseContext *context, const char *what, void *reading, GError **error)
{
  ((Reading *) reading)->note = NULL;
}

static void
words (GMarkupParseContext *context, const char *text, gsize len, void *reading, GError **error)
{
  Reading *r = reading;
  if (r->note)
    g_string_append_len (r->note, text, (gssize) len);
}

/* ---- pasting -------------------------------------------------------------------------------------------------------- */
/* made: Group of the copy -> Group here. */
static void
paste_groups (Notes *n, const Notes *from, GHashTable *names, const char *into, GHashTable *made)
{
  Group *outer = into ? notes_group (n, into) : NULL;
  for (guint i = 0; i < from->groups->len; i++) {
    const Group *g = from->groups->pdata[i];
    Group *own = notes_add_group (n, g->name, outer ? outer->name : "");
    own->open = g->open;
    g_hash_table_insert (made, (void *) g, own);
    for (guint k = 0; k < g->boxes->len; k++) {
      const char *box = g_hash_table_lookup (names, g->boxes->pdata[k]);
      if (box)
        notes_move_box (n, box, own);
    }
    for (guint k = 0; k < g->faces->len; k++) {
      const Face *f = g->faces->pdata[k];
      const char *box = g_hash_table_lookup (names, f->box);
      if (box)
        notes_set_face (own, box, f->setting, true);
    }
  }
  for (guint i = 0; i < from->groups->len; i++) {
    const Group *g = from->groups->pdata[i], *parent = notes_group (from, g->parent);
    Group *own = g_hash_table_lookup (made, g), *above = parent ? g_hash_table_lookup (made, parent) : NULL;
    if (above) {
      g_free (own->parent);
      own->parent = g_strdup (above->name);
    }
  }
  GHashTableIter iter;
  void *box;
  g_hash_table_iter_init (&iter, names);
  while (outer && g_hash_table_iter_next (&iter, NULL, &box))
    if (!notes_group_of (n, box))
      notes_move_box (n, box, outer);
}

static void
move_all (const GPtrArray *added, const Notes *own, double dx, double dy)
{
  for (guint i = 0; i < added->len; i++) {
    double x, y;
    eve_position (added->pdata[i], &x, &y);
    eve_set_position (added->pdata[i], x + dx, y + dy);
  }
  for (guint i = 0; i < own->frames->len; i++) {
    Frame *f = own->frames->pdata[i];
    f->x += dx;
    f->y += dy;
  }
  for (guint i = 0; i < own->bends->len; i++) {
    Bend *b = own->bends->pdata[i];
    b->x += dx;
    b->y += dy;
  }
}

static void
clip_put (const GPtrArray *added, const Notes *own, const ClipPlace *place)
{
  double left = INFINITY, top = INFINITY;
  for (guint i = 0; i < added->len; i++) {
    double x, y;
    eve_position (added->pdata[i], &x, &y);
    left = MIN (left, x);
    top = MIN (top, y);
  }
  for (guint i = 0; i < own->frames->len; i++) {
    const Frame *f = own->frames->pdata[i];
    if (notes_folded (own, notes_group (own, f->group)))
      continue; /* not seen: the box that it is in lies there */
    left = MIN (left, f->x);
    top = MIN (top, f->y);
  }
  if (isfinite (left))
    move_all (added, own, place->corner ? place->x - left : place->x, place->corner ? place->y - top : place->y);
}

#define COLUMN_PX 220
#define ROW_PX 100

static guint
place_hash (gconstpointer c)
{
  double at[2];

  eve_position ((EveComponent *) c, &at[0], &at[1]);
  return g_double_hash (&at[0]) * 31 + g_double_hash (&at[1]);
}

static gboolean
place_equal (gconstpointer a, gconstpointer b)
{
  double p[2], q[2];

  eve_position ((EveComponent *) a, &p[0], &p[1]);
  eve_position ((EveComponent *) b, &q[0], &q[1]);
  return p[0] == q[0] && p[1] == q[1];
}

/* Boxes of a file that says no places lie one on another: then data run from left to right, and boxes of a column are
 * one below the other. */
static void
clip_spread (const EveProgram *p, const GPtrArray *added)
{
  g_autoptr (GHashTable) places = g_hash_table_new (place_hash, place_equal), column = g_hash_table_new (NULL, NULL),
                         rows = g_hash_table_new (NULL, NULL);
  guint distinct = 0;

  for (guint i = 0; i < added->len; i++)
    distinct += g_hash_table_add (places, added->pdata[i]);
  if (distinct != 1 || added->len == 1)
    return;
  for (guint i = 0; i < added->len; i++)
    g_hash_table_insert (column, added->pdata[i], GUINT_TO_POINTER (1));
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    guint from = GPOINTER_TO_UINT (g_hash_table_lookup (column, w.from)),
          to = GPOINTER_TO_UINT (g_hash_table_lookup (column, w.to));
    if (from && to && from >= to && from < added->len)
      g_hash_table_insert (column, w.to, GUINT_TO_POINTER (from + 1));
  }
  for (guint i = 0; i < added->len; i++) {
    void *at = g_hash_table_lookup (column, added->pdata[i]);
    guint row = GPOINTER_TO_UINT (g_hash_table_lookup (rows, at));
    eve_set_position (added->pdata[i], COLUMN_PX * (GPOINTER_TO_UINT (at) - 1), ROW_PX * row);
    g_hash_table_insert (rows, at, GUINT_TO_POINTER (row + 1));
  }
}

bool
clip_paste (EveProgram *p, const char *text, const char *name, const ClipPlace *place, GPtrArray *added,
            guint *n_frames, GPtrArray *problems, GError **error)
{
  static const GMarkupParser parser = { element, clip_ends, words, NULL, NULL };
  if (!eve_add_part (p, text, name ? name : "clipboard", 0, 0, added, problems, error))
    return false;
  clip_spread (p, added);
  Reading r = { .names = g_ptr_array_new_with_free_func (g_free) };
  for (int i = 0; i < NOTES_KINDS; i++)
    r.notes[i] = g_string_new (NULL);
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, &r, NULL);
  /* what the engine has left out would put the names out of step: then boxes and wires come alone */
  bool good = g_markup_parse_context_parse (context, text, -1, NULL) && r.names->len == added->len;
  g_markup_parse_context_free (context);
  const char *lines[NOTES_KINDS] = { 0 };
  for (int i = 0; good && i < NOTES_KINDS; i++)
    lines[i] = r.notes[i]->str;
  g_autoptr (Notes) own = notes_parse (lines);
  g_autoptr (Notes) n = notes_read (p);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal), made = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < added->len; i++)
    g_hash_table_insert (names, good ? r.names->pdata[i] : (void *) eve_name (added->pdata[i]),
                         (void *) eve_name (added->pdata[i]));
  clip_put (added, own, place);
  paste_groups (n, own, names, place->group, made);
  for (guint i = 0; i < own->frames->len; i++) {
    const Frame *f = own->frames->pdata[i];
    Group *g = notes_group (own, f->group);
    copy_frame (f, g ? g_hash_table_lookup (made, g) : notes_group (n, place->group ? place->group : ""), n);
  }
  for (guint i = 0; i < own->probes->len; i++) {
    const Probe *q = own->probes->pdata[i];
    const char *from = g_hash_table_lookup (names, q->from), *to = g_hash_table_lookup (names, q->to);
    if (from && to)
      notes_add_probe (n, from, q->out, to, q->in);
  }
  for (guint i = 0; i < own->bends->len; i++) {
    const Bend *b = own->bends->pdata[i];
    const char *from = g_hash_table_lookup (names, b->from), *to = g_hash_table_lookup (names, b->to);
    if (from && to)
      notes_add_bend (n, from, b->out, to, b->in, G_MAXUINT, b->x, b->y);
  }
  notes_write (p, n);
  *n_frames = own->frames->len;
  for (int i = 0; i < NOTES_KINDS; i++)
    g_string_free (r.notes[i], TRUE);
  g_ptr_array_unref (r.names);
  return true;
}
