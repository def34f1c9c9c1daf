/* SPDX-License-Identifier: Apache-2.0 */
/* notes.c - groups, frames, probes, bends and bookmarks as text: a line each, fields between tabs, which names cannot
 * contain. */
#include "session/notes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const notes_keys[NOTES_KINDS] = { "groups", "frames", "probes", "bends", "bookmarks" };

static void
face_free (void *face)
{
  g_free (((Face *) face)->box);
  g_free (((Face *) face)->setting);
  g_free (face);
}

static void
document_notes_group_free (void *group)
{
  Group *g = group;
  g_free (g->name);
  g_free (g->parent);
  g_ptr_array_unref (g->boxes);
  g_ptr_array_unref (g->faces);
  g_free (g);
}

static void
frame_free (void *frame)
{
  Frame *f = frame;
  g_free (f->text);
  g_free (f->group);
  g_free (f);
}

static void
probe_free (void *probe)
{
  Probe *p = probe;
  g_free (p->from);
  g_free (p->out);
  g_free (p->to);
  g_free (p->in);
  g_free (p);
}

static void
bend_free (void *bend)
{
  Bend *b = bend;
  g_free (b->from);
  g_free (b->out);
  g_free (b->to);
  g_free (b->in);
  g_free (b);
}

static void
bookmark_free (void *bookmark)
{
  g_free (((Bookmark *) bookmark)->name);
  g_free (bookmark);
}

void
notes_free (Notes *n)
{
  if (!n)
    return;
  g_ptr_array_unref (n->groups);
  g_ptr_array_unref (n->frames);
  g_ptr_array_unref (n->probes);
  g_ptr_array_unref (n->bends);
  g_ptr_array_unref (n->bookmarks);
  g_free (n);
}

/* ---- groups ------------------------------------------------------------------------------------------------- */
Group *
notes_group (const Notes *n, const char *name)
{
  for (guint i = 0; i < n->groups->len; i++) {
    Group *g = n->groups->pdata[i];
    if (!strcmp (g->name, name))
      return g;
  }
  return NULL;
}

static bool
document_notes_holds (const Group *g, const char *box, guint *at)
{
  return g_ptr_array_find_with_equal_func (g->boxes, box, g_str_equal, at);
}

Group *
notes_group_of (const Notes *n, const char *box)
{
  for (guint i = 0; i < n->groups->len; i++)
    if (document_notes_holds (n->groups->pdata[i], box, NULL))
      return n->groups->pdata[i];
  return NULL;
}

bool
notes_inside (const Notes *n, const Group *g, const Group *outer)
{
  for (guint depth = 0; g && depth <= n->groups->len; depth++) {
    if (g == outer)
      return true;
    g = notes_group (n, g->parent);
  }
  return false;
}

Group *
notes_folded (const Notes *n, Group *g)
{
  Group *hides = NULL;
  for (guint depth = 0; g && depth <= n->groups->len; depth++) {
    if (!g->open)
      hides = g;
    g = notes_group (n, g->parent);
  }
  return hides;
}

/* `name` is taken over. */
static Group *
notes_append_group (Notes *n, char *name, const char *parent)
{
  Group *g = g_new0 (Group, 1);
  g->name = name;
  g->parent = g_strdup (parent ? parent : "");
  g->boxes = g_ptr_array_new_with_free_func (g_free);
  g->faces = g_ptr_array_new_with_free_func (face_free);
  g_ptr_array_add (n->groups, g);
  return g;
}

Group *
notes_add_group (Notes *n, const char *wanted, const char *parent)
{
  char *name = g_strdup (wanted);
  size_t stem = strlen (wanted); /* "Half 2" is followed by "Half 3" */
  while (stem && g_ascii_isdigit (wanted[stem - 1]))
    stem--;
  stem = stem > 1 && wanted[stem] && wanted[stem - 1] == ' ' ? stem - 1 : strlen (wanted);
  for (guint i = 2; notes_group (n, name); i++) {
    g_free (name);
    name = g_strdup_printf ("%.*s %u", (int) stem, wanted, i);
  }
  return notes_append_group (n, name, parent);
}

static bool
find_face (const Group *g, const char *box, const char *setting, guint *at)
{
  for (*at = 0; *at < g->faces->len; ++*at) {
    const Face *f = g->faces->pdata[*at];
    if (!strcmp (f->box, box) && !strcmp (f->setting, setting))
      return true;
  }
  return false;
}

bool
notes_has_face (const Group *g, const char *box, const char *setting)
{
  guint at;
  return find_face (g, box, setting, &at);
}

static void
add_face (Group *g, const char *box, const char *setting)
{
  Face *f = g_new (Face, 1);
  *f = (Face){ g_strdup (box), g_strdup (setting) };
  g_ptr_array_add (g->faces, f);
}

void
notes_set_face (Group *g, const char *box, const char *setting, bool on)
{
  guint at;
  bool has = find_face (g, box, setting, &at);
  if (has && !on)
    g_ptr_array_remove_index (g->faces, at);
  if (!has && on)
    add_face (g, box, setting);
}

void
notes_move_box (Notes *n, const char *box, Group *to)
{
  Group *from = notes_group_of (n, box);
  guint at;
  if (from == to)
    return;
  if (to)
    g_ptr_array_add (to->boxes, g_strdup (box));
  if (from && document_notes_holds (from, box, &at))
    g_ptr_array_remove_index (from->boxes, at);
}

void
notes_remove_group (Notes *n, Group *g)
{
  Group *outer = notes_group (n, g->parent);
  for (guint i = 0; i < n->groups->len; i++) {
    Group *inner = n->groups->pdata[i];
    if (!strcmp (inner->parent, g->name)) {
      g_free (inner->parent);
      inner->parent = g_strdup (outer ? outer->name : "");
    }
  }
  while (g->boxes->len) {
    if (outer)
      notes_move_box (n, g->boxes->pdata[0], outer);
    else
      g_ptr_array_remove_index (g->boxes, 0);
  }
  for (guint i = 0; i < n->frames->len; i++) {
    Frame *f = n->frames->pdata[i];
    if (!strcmp (f->group, g->name))
      notes_move_frame (f, outer);
  }
  g_ptr_array_remove (n->groups, g);
}

GPtrArray *
notes_all_boxes (const Notes *n, const Group *g)
{
  GPtrArray *all = g_ptr_array_new ();
  for (guint i = 0; i < n->groups->len; i++) {
    const Group *inner = n->groups->pdata[i];
    if (notes_inside (n, inner, g))
      for (guint k = 0; k < inner->boxes->len; k++)
        g_ptr_array_add (all, inner->boxes->pdata[k]);
  }
  return all;
}

bool
notes_all_chosen (const Notes *n, const Group *g, GHashTable *names)
{
  g_autoptr (GPtrArray) all = notes_all_boxes (n, g);
  for (guint i = 0; i < all->len; i++)
    if (!g_hash_table_contains (names, all->pdata[i]))
      return false;
  return true;
}

/* ---- frames and probes -------------------------------------------------------------------------------------- */
Frame *
notes_add_frame (Notes *n, double x, double y, double width, double height, const char *text)
{
  Frame *f = g_new (Frame, 1);
  *f = (Frame){ .x = x, .y = y, .width = width, .height = height, .text = g_strdup (text), .group = g_strdup ("") };
  g_ptr_array_add (n->frames, f);
  return f;
}

void
notes_move_frame (Frame *f, const Group *to)
{
  g_free (f->group);
  f->group = g_strdup (to ? to->name : "");
}

const char *
notes_colour_name (int colour)
{
  static const char *const names[FRAME_COLOURS] = { "Yellow", "Blue", "Green", "Purple", "Grey" };
  return names[CLAMP (colour, 0, FRAME_COLOURS - 1)];
}

Probe *
notes_probe (const Notes *n, const char *from, const char *out, const char *to, const char *in)
{
  for (guint i = 0; i < n->probes->len; i++) {
    Probe *p = n->probes->pdata[i];
    if (!strcmp (p->from, from) && !strcmp (p->out, out) && !strcmp (p->to, to) && !strcmp (p->in, in))
      return p;
  }
  return NULL;
}

static void
add_probe (Notes *n, const char *from, const char *out, const char *to, const char *in)
{
  Probe *p = g_new (Probe, 1);
  *p = (Probe){ .from = g_strdup (from), .out = g_strdup (out), .to = g_strdup (to), .in = g_strdup (in) };
  g_ptr_array_add (n->probes, p);
}

void
notes_add_probe (Notes *n, const char *from, const char *out, const char *to, const char *in)
{
  if (!notes_probe (n, from, out, to, in))
    add_probe (n, from, out, to, in);
}

/* ---- bends and bookmarks ------------------------------------------------------------------------------------- */
static bool
is_of (const Bend *b, const char *from, const char *out, const char *to, const char *in)
{
  return !strcmp (b->from, from) && !strcmp (b->out, out) && !strcmp (b->to, to) && !strcmp (b->in, in);
}

GPtrArray *
notes_bends (const Notes *n, const char *from, const char *out, const char *to, const char *in)
{
  GPtrArray *found = g_ptr_array_new ();
  for (guint i = 0; i < n->bends->len; i++)
    if (is_of (n->bends->pdata[i], from, out, to, in))
      g_ptr_array_add (found, n->bends->pdata[i]);
  return found;
}

Bend *
notes_add_bend (Notes *n, const char *from, const char *out, const char *to, const char *in, guint before, double x,
                double y)
{
  Bend *b = g_new (Bend, 1);
  guint at = 0;
  *b = (Bend){ g_strdup (from), g_strdup (out), g_strdup (to), g_strdup (in), x, y };
  for (; before < G_MAXUINT && at < n->bends->len; at++)
    if (is_of (n->bends->pdata[at], from, out, to, in) && !before--)
      break;
  g_ptr_array_insert (n->bends, before < G_MAXUINT ? (int) at : -1, b);
  return b;
}

Bookmark *
notes_bookmark (const Notes *n, const char *name)
{
  for (guint i = 0; i < n->bookmarks->len; i++)
    if (!strcmp (((Bookmark *) n->bookmarks->pdata[i])->name, name))
      return n->bookmarks->pdata[i];
  return NULL;
}

static Bookmark *
add_bookmark (Notes *n, const char *name)
{
  Bookmark *b = g_new0 (Bookmark, 1);
  b->name = g_strdup (name);
  g_ptr_array_add (n->bookmarks, b);
  return b;
}

static void
place_bookmark (Bookmark *b, double x, double y, double zoom)
{
  b->x = x;
  b->y = y;
  b->zoom = zoom;
}

void
notes_set_bookmark (Notes *n, const char *name, double x, double y, double zoom)
{
  Bookmark *b = notes_bookmark (n, name);
  place_bookmark (b ? b : add_bookmark (n, name), x, y, zoom);
}

/* ---- reading ------------------------------------------------------------------------------------------------ */
/* What was read: a file may have so many lines that looking through all that are there for each would not end. */
typedef struct Reading {
  Notes *n;
  GHashTable *groups, *bookmarks; /* by name */
  GHashTable *boxes, *lines;      /* boxes that are in a group; what a line that may be there once says */
} Reading;

/* False: another line said the same. */
static bool
document_notes_is_new (Reading *r, char **word)
{
  return g_hash_table_add (r->lines, g_strjoinv ("\t", word));
}

static void
read_group_line (Reading *r, char **word, guint words)
{
  Group *g = words >= 3 ? g_hash_table_lookup (r->groups, word[1]) : NULL;
  if (words == 4 && !strcmp (word[0], "group") && *word[1] && !g) {
    g = notes_append_group (r->n, g_strdup (word[1]), word[2]);
    g->open = !strcmp (word[3], "open");
    g_hash_table_insert (r->groups, g->name, g);
  } else if (words == 4 && !strcmp (word[0], "face") && g && document_notes_is_new (r, word)) {
    add_face (g, word[2], word[3]);
  } else if (words == 3 && !strcmp (word[0], "box") && g && g_hash_table_add (r->boxes, g_strdup (word[2]))) {
    g_ptr_array_add (g->boxes, g_strdup (word[2]));
  }
}

static double
document_notes_place (const char *text)
{
  double v = g_ascii_strtod (text, NULL);
  return isfinite (v) ? CLAMP (v, -1e6, 1e6) : 0;
}

static void
read_frame_line (Reading *r, char **word, guint words)
{
  if (words < 7 || words > 8 || strcmp (word[0], "frame") != 0)
    return;
  g_autofree char *text = g_strcompress (word[6]);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  Frame *f = notes_add_frame (r->n, document_notes_place (word[1]), document_notes_place (word[2]),
                              MAX (document_notes_place (word[3]), 32), MAX (document_notes_place (word[4]), 32),
                              valid);
  f->colour = CLAMP (atoi (word[5]), 0, FRAME_COLOURS - 1);
  notes_move_frame (f, words == 8 ? g_hash_table_lookup (r->groups, word[7]) : NULL);
}

static void
read_probe_line (Reading *r, char **word, guint words)
{
  if (words == 5 && !strcmp (word[0], "probe") && document_notes_is_new (r, word))
    add_probe (r->n, word[1], word[2], word[3], word[4]);
}

static void
read_bend_line (Reading *r, char **word, guint words)
{
  if (words == 7 && !strcmp (word[0], "bend"))
    notes_add_bend (r->n, word[1], word[2], word[3], word[4], G_MAXUINT, document_notes_place (word[5]),
                    document_notes_place (word[6]));
}

static void
set_bookmark (Reading *r, const char *name, double x, double y, double zoom)
{
  Bookmark *b = g_hash_table_lookup (r->bookmarks, name);
  if (!b) {
    b = add_bookmark (r->n, name);
    g_hash_table_insert (r->bookmarks, b->name, b);
  }
  place_bookmark (b, x, y, zoom);
}

static void
read_bookmark_line (Reading *r, char **word, guint words)
{
  double zoom = words == 5 ? g_ascii_strtod (word[4], NULL) : 0;
  if (words == 5 && !strcmp (word[0], "bookmark") && *word[1] && isfinite (zoom) && zoom > 0)
    set_bookmark (r, word[1], document_notes_place (word[2]), document_notes_place (word[3]), CLAMP (zoom, 0.05, 20));
}

static void
document_notes_read_lines (Reading *r, const char *text, void (*line) (Reading *, char **, guint))
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **l = lines; *l; l++) {
    g_auto (GStrv) words = g_strsplit (*l, "\t", -1);
    line (r, words, g_strv_length (words));
  }
}

Notes *
notes_parse (const char *const lines[NOTES_KINDS])
{
  static void (*const read[NOTES_KINDS]) (Reading *, char **, guint) = { read_group_line, read_frame_line,
                                                                         read_probe_line, read_bend_line,
                                                                         read_bookmark_line };
  Notes *n = g_new (Notes, 1);
  n->groups = g_ptr_array_new_with_free_func (document_notes_group_free);
  n->frames = g_ptr_array_new_with_free_func (frame_free);
  n->probes = g_ptr_array_new_with_free_func (probe_free);
  n->bends = g_ptr_array_new_with_free_func (bend_free);
  n->bookmarks = g_ptr_array_new_with_free_func (bookmark_free);
  Reading r = { n, g_hash_table_new (g_str_hash, g_str_equal), g_hash_table_new (g_str_hash, g_str_equal),
                g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  for (int i = 0; i < NOTES_KINDS; i++)
    document_notes_read_lines (&r, lines[i] ? lines[i] : "", read[i]);
  for (guint i = 0; i < n->groups->len; i++) { /* a group inside itself, or inside none that is there */
    Group *g = n->groups->pdata[i], *outer = g_hash_table_lookup (r.groups, g->parent), *around = outer;
    for (guint depth = 0; around && around != g && depth <= n->groups->len; depth++)
      around = g_hash_table_lookup (r.groups, around->parent);
    if (*g->parent && (!outer || around == g)) {
      g_free (g->parent);
      g->parent = g_strdup ("");
    }
  }
  g_hash_table_unref (r.groups);
  g_hash_table_unref (r.bookmarks);
  g_hash_table_unref (r.boxes);
  g_hash_table_unref (r.lines);
  return n;
}

Notes *
notes_read (EveProgram *p)
{
  const char *lines[NOTES_KINDS];
  for (int i = 0; i < NOTES_KINDS; i++)
    lines[i] = eve_program_note (p, notes_keys[i]);
  return notes_parse (lines);
}

/* ---- writing ------------------------------------------------------------------------------------------------ */
static bool
has_boxes (EveProgram *p, const Notes *n, const Group *g)
{
  g_autoptr (GPtrArray) all = notes_all_boxes (n, g);
  for (guint i = 0; i < all->len; i++)
    if (eve_find (p, all->pdata[i]))
      return true;
  return false;
}

static bool
wire_is_there (EveProgram *p, const char *from, const char *out, const char *to, const char *in)
{
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    if (!strcmp (eve_name (w.from), from) && !strcmp (w.out, out) && !strcmp (eve_name (w.to), to)
        && !strcmp (w.in, in))
      return true;
  }
  return false;
}

static void
set_note (EveProgram *p, const char *name, const char *text)
{
  if (strcmp (eve_program_note (p, name), text) != 0)
    eve_program_set_note (p, name, text);
}

void
notes_text (EveProgram *p, const Notes *n, char *lines[NOTES_KINDS])
{
  GString *text_of[NOTES_KINDS];
  for (int i = 0; i < NOTES_KINDS; i++)
    text_of[i] = g_string_new (NULL);
  GString *groups = text_of[0], *frames = text_of[1], *probes = text_of[2], *bends = text_of[3], *places = text_of[4];
  for (guint i = 0; i < n->groups->len; i++) {
    const Group *g = n->groups->pdata[i];
    if (!has_boxes (p, n, g))
      continue;
    g_string_append_printf (groups, "group\t%s\t%s\t%s\n", g->name, g->parent, g->open ? "open" : "folded");
    for (guint k = 0; k < g->boxes->len; k++)
      if (eve_find (p, g->boxes->pdata[k]))
        g_string_append_printf (groups, "box\t%s\t%s\n", g->name, (char *) g->boxes->pdata[k]);
    for (guint k = 0; k < g->faces->len; k++) {
      const Face *f = g->faces->pdata[k];
      EveComponent *c = eve_find (p, f->box);
      if (c && eve_class_setting (eve_class (c), f->setting) >= 0 && notes_inside (n, notes_group_of (n, f->box), g))
        g_string_append_printf (groups, "face\t%s\t%s\t%s\n", g->name, f->box, f->setting);
    }
  }
  for (guint i = 0; i < n->frames->len; i++) {
    const Frame *f = n->frames->pdata[i];
    /* letters stay what they are; tabs and line ends become \t and \n */
    char keep[129];
    for (int c = 0; c < 128; c++)
      keep[c] = (char) (128 + c);
    keep[128] = 0;
    g_autofree char *text = g_strescape (f->text, keep);
    const Group *g = notes_group (n, f->group);
    bool in = g && has_boxes (p, n, g);
    g_string_append_printf (frames, "frame\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t%s%s%s\n", f->x, f->y, f->width, f->height,
                            f->colour, text, in ? "\t" : "", in ? f->group : "");
  }
  for (guint i = 0; i < n->probes->len; i++) {
    const Probe *q = n->probes->pdata[i];
    if (wire_is_there (p, q->from, q->out, q->to, q->in))
      g_string_append_printf (probes, "probe\t%s\t%s\t%s\t%s\n", q->from, q->out, q->to, q->in);
  }
  for (guint i = 0; i < n->bends->len; i++) {
    const Bend *b = n->bends->pdata[i];
    if (wire_is_there (p, b->from, b->out, b->to, b->in))
      g_string_append_printf (bends, "bend\t%s\t%s\t%s\t%s\t%.0f\t%.0f\n", b->from, b->out, b->to, b->in, b->x, b->y);
  }
  for (guint i = 0; i < n->bookmarks->len; i++) {
    const Bookmark *b = n->bookmarks->pdata[i];
    char zoom[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd (zoom, sizeof zoom, "%.3f", b->zoom);
    g_string_append_printf (places, "bookmark\t%s\t%.0f\t%.0f\t%s\n", b->name, b->x, b->y, zoom);
  }
  for (int i = 0; i < NOTES_KINDS; i++)
    lines[i] = g_string_free (text_of[i], FALSE);
}

void
notes_write (EveProgram *p, const Notes *n)
{
  char *lines[NOTES_KINDS];
  notes_text (p, n, lines);
  for (int i = 0; i < NOTES_KINDS; i++) {
    set_note (p, notes_keys[i], lines[i]);
    g_free (lines[i]);
  }
}

static void
rename_text (char **text, const char *from, const char *to)
{
  if (!strcmp (*text, from)) {
    g_free (*text);
    *text = g_strdup (to);
  }
}

void
notes_rename (EveProgram *p, const char *from, const char *to)
{
  g_autoptr (Notes) n = notes_read (p);
  for (guint i = 0; i < n->groups->len; i++) {
    Group *g = n->groups->pdata[i];
    for (guint k = 0; k < g->boxes->len; k++)
      rename_text ((char **) &g->boxes->pdata[k], from, to);
    for (guint k = 0; k < g->faces->len; k++)
      rename_text (&((Face *) g->faces->pdata[k])->box, from, to);
  }
  for (guint i = 0; i < n->probes->len; i++) {
    Probe *q = n->probes->pdata[i];
    rename_text (&q->from, from, to);
    rename_text (&q->to, from, to);
  }
  for (guint i = 0; i < n->bends->len; i++) {
    Bend *b = n->bends->pdata[i];
    rename_text (&b->from, from, to);
    rename_text (&b->to, from, to);
  }
  notes_write (p, n);
}

void
notes_prune (EveProgram *p)
{
  g_autoptr (Notes) n = notes_read (p);
  notes_write (p, n);
}
