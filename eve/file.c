/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - programs as text (docs/program-format.md), read with libxml2; file-write.c writes them. */
#include "eve/private.h"
#include "eve/words.h"
#include "eve/disk.h"
#include "eve/nearest.h"
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <math.h>
#include <string.h>

#define MAX_ATTRIBUTES 256   /* of an element; the library's time grows with their square, and ours have 5 */
#define MOST_NEAREST 64      /* names that are none, of which the nearest is told */
#define MOST_COMPARED 100000 /* names that these are compared with, all together */
#define MOST_LISTED 64       /* wrong names, with which all that there are is told */
#define ASKED_EVERY 256      /* components or wires, between two looks whether to go on */

struct EveRenames {
  GPtrArray *pairs; /* name, value, ... */
};

/* ---- old settings on their way through `upgrade` ------------------------------------------------------------------ */
static int
renames_find (EveRenames *s, const char *name)
{
  for (guint i = 0; i + 1 < s->pairs->len; i += 2)
    if (!strcmp (s->pairs->pdata[i], name))
      return (int) i;
  return -1;
}

const char *
eve_renames_get (EveRenames *s, const char *name)
{
  int i = renames_find (s, name);
  return i < 0 ? NULL : s->pairs->pdata[i + 1];
}

void
eve_renames_set (EveRenames *s, const char *name, const char *value)
{
  int i = renames_find (s, name);
  if (i >= 0) {
    g_free (s->pairs->pdata[i + 1]);
    s->pairs->pdata[i + 1] = g_strdup (value);
  } else {
    g_ptr_array_add (s->pairs, g_strdup (name));
    g_ptr_array_add (s->pairs, g_strdup (value));
  }
}

void
eve_renames_move (EveRenames *s, const char *from, const char *to)
{
  int i = renames_find (s, from);
  if (i < 0 || !strcmp (from, to))
    return;
  g_autofree char *value = g_strdup (s->pairs->pdata[i + 1]);
  g_ptr_array_remove_range (s->pairs, (guint) i, 2);
  eve_renames_set (s, to, value);
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */
typedef struct Reading {
  EveProgram *p;
  const char *name; /* of the file, for sentences */
  GPtrArray *problems;
  GHashTable *names; /* name in the text -> Node */
  GHashTable *fresh; /* paste: the nodes that it made; NULL: it is none */
  bool updating;
  double dx, dy;
  GPtrArray *added;
  bool (*go_on) (void *arg, double share); /* NULL: nobody wants to know */
  void *arg;
  uint32_t n_elements, n_read, n_nearest, n_compared, n_listed;
  bool cancelled;
} Reading;

static void G_GNUC_PRINTF (3, 4) trouble (Reading *r, const xmlNode *at, const char *fmt, ...)
{
  if (!r->problems)
    return;
  va_list args;
  va_start (args, fmt);
  g_autofree char *what = g_strdup_vprintf (fmt, args);
  va_end (args);
  g_ptr_array_add (r->problems, g_strdup_printf ("%s:%ld: %s", r->name, xmlGetLineNo (at), what));
}

/* Names that are offered, counted: all that a stranger's program may cost. */
typedef struct Offered {
  Reading *r;
  EveOffer offer;
  void *arg;
  void (*add) (void *to, const char *name);
  void *to;
} Offered;

static void
add_counted (void *offered, const char *name)
{
  const Offered *o = offered;

  if (o->r->n_compared < MOST_COMPARED) {
    o->r->n_compared++;
    o->add (o->to, name);
  }
}

static void
offer_counted (void *offered, void (*add) (void *to, const char *name), void *to)
{
  Offered *o = offered;

  o->add = add;
  o->to = to;
  o->offer (o->arg, add_counted, o);
}

/* The end of a sentence about a name that is none: what may be meant, if that was not too much to find out; g_free. */
static char *
file_nearest (Reading *r, const char *name, EveOffer offer, void *arg)
{
  Offered o = { .r = r, .offer = offer, .arg = arg };

  if (r->n_nearest++ >= MOST_NEAREST || r->n_compared >= MOST_COMPARED)
    return g_strdup ("");
  g_autofree char *found = eve_nearest_told (name, offer_counted, &o);
  return r->n_compared < MOST_COMPARED ? g_steal_pointer (&found) : g_strdup (""); /* not all were looked at */
}

static void
file_offer_names (void *by_name, void (*add) (void *to, const char *name), void *to)
{
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, by_name);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    add (to, name);
}

static void
file_offer_classes (void *unused, void (*add) (void *to, const char *name), void *to)
{
  g_autoptr (GPtrArray) classes = eve_registry_list ();
  for (guint i = 0; i < classes->len; i++)
    add (to, ((const EveClass *) classes->pdata[i])->id);
}

/* One more component or wire.  False: stop reading, nobody wants the program any more. */
static bool
file_go_on (Reading *r)
{
  if (r->n_read++ % ASKED_EVERY == 0 && r->go_on)
    r->cancelled |= !r->go_on (r->arg, (double) r->n_read / MAX (r->n_elements, 1));
  return !r->cancelled;
}

static char *
file_attribute (const xmlNode *e, const char *name)
{
  xmlChar *value = xmlGetNoNsProp (e, BAD_CAST name);
  char *copy = g_strdup ((char *) value);
  xmlFree (value);
  return copy;
}

static bool
file_is (const xmlNode *e, const char *name)
{
  return e->type == XML_ELEMENT_NODE && !strcmp ((const char *) e->name, name);
}

static char *
content (const xmlNode *e)
{
  xmlChar *text = xmlNodeGetContent (e);
  char *copy = g_strdup (text ? (char *) text : "");
  xmlFree (text);
  return copy;
}

static double
coordinate (Reading *r, const xmlNode *e, const char *name)
{
  g_autofree char *text = file_attribute (e, name);
  if (!text)
    return 0;
  char *end;
  double v = g_ascii_strtod (text, &end);
  if (end == text || *end || !isfinite (v) || fabs (v) > 1e6) {
    trouble (r, e, _ ("%s='%s' is no position: 0 is taken"), name, text);
    return 0;
  }
  return v;
}

/* The settings of a component as saved, name and value, brought to the version of the class; `n->failure` stays clear.
 */
static void
saved_settings (Reading *r, const xmlNode *e, Node *n, uint16_t version, GPtrArray *pairs)
{
  EveRenames renames = { pairs };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (const xmlNode *s = e->children; s; s = s->next) {
    if (s->type != XML_ELEMENT_NODE)
      continue;
    g_autofree char *name = file_is (s, "setting") ? file_attribute (s, "name") : NULL;
    if (!name) {
      trouble (r, s,
               file_is (s, "setting") ? _ ("A setting needs a name") : _ ("<%s> has no meaning inside <component>"),
               (const char *) s->name);
      continue;
    }
    if (g_hash_table_contains (seen, name)) {
      trouble (r, s, _ ("%s has the setting '%s' twice: the first is taken"), n->name, name);
      continue;
    }
    g_hash_table_add (seen, name);
    g_ptr_array_add (pairs, g_steal_pointer (&name));
    g_ptr_array_add (pairs, content (s));
  }
  if (n->ghost_id)
    return;
  if (version < n->klass->version && n->klass->upgrade) {
    Outer outer = call_enter (n, CALL_UPGRADE);
    bool ok = n->klass->upgrade (n->self, version, &renames);
    call_leave (n, outer);
    if (!ok)
      trouble (r, e, _ ("%s: the settings of version %u could not be brought to version %u: %s"), n->name, version,
               n->klass->version, n->failure ? n->failure->str : _ ("no reason was given"));
    if (n->failure)
      g_string_free (g_steal_pointer (&n->failure), TRUE);
  } else if (version > n->klass->version) {
    trouble (r, e, _ ("%s was saved with version %u of %s, this is version %u: what it does not know is kept as it is"),
             n->name, version, n->klass->id, n->klass->version);
  }
}

static void
read_settings (Reading *r, const xmlNode *e, Node *n, uint16_t version)
{
  saved_settings (r, e, n, version, n->kept);
  if (n->ghost_id)
    return;
  for (guint i = 0; i + 1 < n->kept->len;) {
    const char *name = n->kept->pdata[i];
    g_autoptr (GError) error = NULL;
    if (eve_class_setting (n->klass, name) < 0) {
      g_autofree char *none = node_no_setting (n, name, r->n_listed++ < MOST_LISTED);
      trouble (r, e, _ ("%s: it is kept as it is"), none);
      i += 2;
      continue;
    }
    if (!node_set (n, name, n->kept->pdata[i + 1], &error))
      trouble (r, e, _ ("%s; the default is taken"), error->message);
    g_ptr_array_remove_range (n->kept, i, 2);
  }
}

static void
read_use (Reading *r, const xmlNode *e, Node *n)
{
  g_autofree char *text = file_attribute (e, "use"), *sentence = NULL;
  bypass_set (n, bypass_parse (n, text, &sentence));
  if (sentence)
    trouble (r, e, "%s", sentence);
}

static void
read_component (Reading *r, const xmlNode *e)
{
  g_autofree char *name = file_attribute (e, "name"), *id = file_attribute (e, "class");
  g_autofree char *version_text = file_attribute (e, "version");
  if (!name || !id) {
    trouble (r, e, _ ("A component needs a name and a class: this one is left out"));
    return;
  }
  if (g_hash_table_contains (r->names, name)) {
    trouble (r, e, _ ("There is a component called '%s' already: this one is left out, and its wires go to the first"),
             name);
    return;
  }
  guint64 version = version_text ? g_ascii_strtoull (version_text, NULL, 10) : 1;
  g_autofree char *free_name = r->fresh ? edit_free_name (r->p, name) : g_strdup (name);
  g_autoptr (GError) error = NULL;
  const EveClass *klass = eve_registry_find (id);
  Node *n = edit_add (r->p, klass, klass ? NULL : id, free_name, &error);
  if (!n && klass) { /* its init failed: a ghost keeps what was saved */
    trouble (r, e, "%s: %s", name, error->message);
    g_clear_error (&error);
    n = edit_add (r->p, NULL, id, free_name, &error);
  } else if (!klass) {
    g_autofree char *near = file_nearest (r, id, file_offer_classes, NULL);
    trouble (r, e, _ ("There is no component of class '%s'%s: %s is kept as a ghost"), id, near, name);
  }
  if (!n) {
    trouble (r, e, "%s: %s", name, error->message);
    return;
  }
  n->saved_version = (uint16_t) MIN (version, G_MAXUINT16);
  n->x = coordinate (r, e, "x") + r->dx;
  n->y = coordinate (r, e, "y") + r->dy;
  g_hash_table_insert (r->names, g_strdup (name), n);
  if (r->added)
    g_ptr_array_add (r->added, n->self);
  if (r->fresh)
    g_hash_table_add (r->fresh, n);
  read_settings (r, e, n, n->saved_version);
  read_use (r, e, n);
}

/* Of a component that is not there: its name and what may be meant; g_free. */
static char *
no_component (Reading *r, const char *name, GHashTable *by_name)
{
  g_autofree char *near = file_nearest (r, name, file_offer_names, by_name);
  return g_strdup_printf (_ ("no component called '%s'%s"), name, near);
}

/* A wire of a part to the program that it is added to: made if that has such a box and port, and they fit. */
static void
file_join (Reading *r, const xmlNode *e, const char *const end[4], Node *a, Node *b)
{
  const char *outside = a ? end[2] : end[0];
  Node *n = g_hash_table_lookup (r->p->by_name, outside);
  n = n && !g_hash_table_contains (r->fresh, n) ? n : NULL;
  a = a ? a : n;
  b = b ? b : n;
  g_autofree char *sentence = n ? eve_why_not (r->p, a->self, end[1], b->self, end[3])
                                : no_component (r, outside, r->p->by_name);
  if (sentence)
    trouble (r, e, _ ("The wire from %s.%s to %s.%s is not made: %s%s"), end[0], end[1], end[2], end[3],
             n ? "" : _ ("the program has "), sentence);
  else
    edit_attach (r->p, edit_wire (r->p, a, end[1], b, end[3]), true);
}

/* `outer`: those of a part to the program that it is added to, which come after all others. */
static void
file_read_wire (Reading *r, const xmlNode *e, bool outer)
{
  g_autofree char *from = file_attribute (e, "from"), *out = file_attribute (e, "out");
  g_autofree char *to = file_attribute (e, "to"), *in = file_attribute (e, "in");
  if (!from || !out || !to || !in) {
    if (!outer)
      trouble (r, e, _ ("A wire needs from, out, to and in: this one is left out"));
    return;
  }
  Node *a = g_hash_table_lookup (r->names, from), *b = g_hash_table_lookup (r->names, to);
  if (outer != (r->fresh && !a != !b))
    return;
  if (outer) {
    file_join (r, e, (const char *const[]){ from, out, to, in }, a, b);
    return;
  }
  if (!a && !b) {
    g_autofree char *none = no_component (r, from, r->names);
    trouble (r, e, _ ("There is %s: the wire is left out"), none);
    return;
  }
  if (!a || !b) {
    edit_keep_outer (r->p, (const char *const[]){ from, out, to, in });
    g_autofree char *none = no_component (r, a ? to : from, r->names);
    trouble (
        r, e,
        _ ("There is %s: the wire from %s.%s to %s.%s is made when this is added, as a part, to a program that has "
           "one"),
        none, from, out, to, in);
    return;
  }
  if (edit_find_wire (r->p, a, out, b, in)) {
    trouble (r, e, _ ("%s.%s feeds %s.%s already: the second wire is left out"), from, out, to, in);
    return;
  }
  g_autofree char *sentence = edit_attach (r->p, edit_wire (r->p, a, out, b, in), r->n_listed < MOST_LISTED);
  if (sentence)
    r->n_listed++;
  if (sentence)
    trouble (r, e, _ ("%s: the wire is kept, but carries nothing"), sentence);
}

static void
file_read_note (Reading *r, const xmlNode *e)
{
  g_autofree char *name = file_attribute (e, "name"), *text = content (e);

  if (!name || !*name)
    trouble (r, e, _ ("a note needs a name: it is left out"));
  else
    eve_program_set_note (r->p, name, text);
}

static void
read_tree (Reading *r, const xmlNode *eve)
{
  /* wires may stand before the components they name */
  for (const xmlNode *e = eve->children; e; e = e->next) {
    if (file_is (e, "component")) {
      if (!file_go_on (r))
        return;
      read_component (r, e);
    } else if (r->fresh && (file_is (e, "title") || file_is (e, "doc") || file_is (e, "note")))
      continue; /* of the program that it was, not of this one */
    else if (file_is (e, "title") && !r->p->title)
      r->p->title = content (e);
    else if (file_is (e, "doc") && !r->p->doc)
      r->p->doc = content (e);
    else if (file_is (e, "note"))
      file_read_note (r, e);
    else if (e->type == XML_ELEMENT_NODE && !file_is (e, "wire"))
      trouble (r, e, _ ("<%s> has no meaning here: it is left out"), (const char *) e->name);
  }
  for (const xmlNode *e = eve->children; e; e = e->next)
    if (file_is (e, "wire")) {
      if (!file_go_on (r))
        return;
      file_read_wire (r, e, false);
    }
  for (const xmlNode *e = eve->children; e && r->fresh; e = e->next)
    if (file_is (e, "wire"))
      file_read_wire (r, e, true);
}

/* ---- updating: a program becomes what a text says ----------------------------------------------------------------- */
static const char *
saved_value (const EveField *f, GPtrArray *pairs, char **free_later)
{
  int i = renames_find (&(EveRenames){ pairs }, f->name);
  if (i >= 0)
    return pairs->pdata[i + 1];
  union {
    double number;
    int64_t integer;
    int32_t choice;
    bool truth;
    char *text;
  } value = { 0 };
  field_default (f, &value);
  *free_later = eve_field_text (f, &value);
  if (f->kind == EVE_F_STRING)
    g_free (value.text);
  return *free_later;
}

static void
update_settings (Reading *r, const xmlNode *e, Node *n, uint16_t version)
{
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func (g_free);
  saved_settings (r, e, n, version, pairs);
  /* a class may take a value only together with another one: what is refused is tried again after the others */
  for (bool progress = true, last = false; progress || !last;) {
    last = !progress;
    progress = false;
    for (uint32_t i = 0; i < n->klass->n_settings; i++) {
      const EveField *f = &n->klass->settings[i];
      g_autofree char *is_now = eve_get (n->self, f->name), *made = NULL;
      const char *wanted = saved_value (f, pairs, &made);
      g_autoptr (GError) error = NULL;
      if (!strcmp (is_now, wanted))
        continue;
      if (node_set (n, f->name, wanted, &error)) {
        g_autofree char *after = eve_get (n->self, f->name);
        progress |= strcmp (is_now, after) != 0;
      } else if (last) {
        trouble (r, e, _ ("%s; it stays as it is"), error->message);
      }
    }
  }
  for (guint i = 0; i + 1 < pairs->len;)
    if (eve_class_setting (n->klass, pairs->pdata[i]) >= 0)
      g_ptr_array_remove_range (pairs, i, 2);
    else
      i += 2;
  g_ptr_array_unref (n->kept);
  n->kept = g_steal_pointer (&pairs);
}

/* The box that stands for one of the text: of its name and class; else one that has lost its name, in the same place.
 */
static Node *
stands_for (Reading *r, const xmlNode *e, const char *name, const char *id, const GPtrArray *lost)
{
  const EveClass *klass = eve_registry_find (id);
  Node *n = g_hash_table_lookup (r->p->by_name, name);
  if (n)
    return !strcmp (eve_class_id (n->self), id) && !(n->ghost_id && klass) ? n : NULL;
  double x = coordinate (r, e, "x"), y = coordinate (r, e, "y");
  for (guint i = 0; i < lost->len; i++) {
    n = lost->pdata[i];
    if (fabs (n->x - x) < 1e-6 && fabs (n->y - y) < 1e-6 && !strcmp (eve_class_id (n->self), id))
      return n;
  }
  return NULL;
}

static void
update_component (Reading *r, const xmlNode *e, GHashTable *same)
{
  g_autofree char *name = file_attribute (e, "name"), *version = file_attribute (e, "version");
  Node *n = name ? g_hash_table_lookup (same, e) : NULL;
  if (!n) {
    read_component (r, e);
    return;
  }
  double x = coordinate (r, e, "x"), y = coordinate (r, e, "y");
  if (strcmp (n->name, name) != 0)
    eve_rename (n->self, name, NULL);
  if (n->x != x || n->y != y)
    eve_set_position (n->self, x, y);
  update_settings (r, e, n, (uint16_t) (version ? MIN (g_ascii_strtoull (version, NULL, 10), G_MAXUINT16) : 1));
  read_use (r, e, n);
  g_hash_table_insert (r->names, g_strdup (name), n);
}

static int
file_by_place (gconstpointer a, gconstpointer b, gpointer places)
{
  guint x = GPOINTER_TO_UINT (g_hash_table_lookup (places, *(void *const *) a));
  guint y = GPOINTER_TO_UINT (g_hash_table_lookup (places, *(void *const *) b));
  return (x > y) - (x < y);
}

static int
by_wire (gconstpointer a, gconstpointer b, gpointer places)
{
  const Edge *x = *(Edge *const *) a, *y = *(Edge *const *) b;
  return file_by_place (&x->wire, &y->wire, places);
}

static Wire *
file_wire_of (Reading *r, const xmlNode *e)
{
  g_autofree char *from = file_attribute (e, "from"), *out = file_attribute (e, "out");
  g_autofree char *to = file_attribute (e, "to"), *in = file_attribute (e, "in");
  Node *a = from && out && to && in ? g_hash_table_lookup (r->names, from) : NULL;
  Node *b = a ? g_hash_table_lookup (r->names, to) : NULL;
  return b ? edit_find_wire (r->p, a, out, b, in) : NULL;
}

static void
update_wires (Reading *r, const xmlNode *eve)
{
  EveProgram *p = r->p;
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL); /* Wire -> its place, from 1 */
  for (const xmlNode *e = eve->children; e; e = e->next)
    if (file_is (e, "wire"))
      g_hash_table_add (places, file_wire_of (r, e));
  for (guint i = 0; i < p->wires->len; i++) {
    Wire *w = p->wires->pdata[i];
    w->going = !g_hash_table_contains (places, w);
  }
  edit_sweep (p);
  g_hash_table_remove_all (places);
  guint place = 0;
  bool moved = false;
  for (const xmlNode *e = eve->children; e; e = e->next) {
    if (!file_is (e, "wire"))
      continue;
    if (!file_wire_of (r, e))
      file_read_wire (r, e, false);
    Wire *w = file_wire_of (r, e);
    if (w && !g_hash_table_contains (places, w)) {
      moved |= p->wires->pdata[place] != w;
      g_hash_table_insert (places, w, GUINT_TO_POINTER (++place));
    }
  }
  if (!moved)
    return;
  /* consumers are told in the order of wires, so that order is part of what a program does */
  g_ptr_array_sort_with_data (p->wires, file_by_place, places);
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    for (uint32_t k = 0; k < n->n_outs; k++)
      if (n->outs[k].n_edges > 1)
        g_qsort_with_data (n->outs[k].edges, (int) n->outs[k].n_edges, sizeof (Edge *), by_wire, places);
  }
  edit_changed (p);
}

static gboolean
note_name (void *name, void *value, void *names)
{
  g_ptr_array_add (names, g_strdup (name));
  return FALSE;
}

static void
update_tree (Reading *r, const xmlNode *eve)
{
  EveProgram *p = r->p;
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) same = g_hash_table_new (NULL, NULL);  /* xmlNode -> Node */
  g_autoptr (GHashTable) stays = g_hash_table_new (NULL, NULL); /* Node -> its place, from 1 */
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) lost = g_ptr_array_new ();
  g_autofree char *title = NULL, *doc = NULL;
  edit_forget_outer (p);
  for (const xmlNode *e = eve->children; e; e = e->next) {
    char *name = file_is (e, "component") ? file_attribute (e, "name") : NULL;
    if (name)
      g_hash_table_add (names, name);
  }
  for (guint i = 0; i < p->nodes->len; i++)
    if (!g_hash_table_contains (names, ((Node *) p->nodes->pdata[i])->name))
      g_ptr_array_add (lost, p->nodes->pdata[i]);
  /* those of the same name first: a renamed box is none of them */
  for (const xmlNode *e = eve->children; e; e = e->next) {
    g_autofree char *name = file_is (e, "component") ? file_attribute (e, "name") : NULL;
    g_autofree char *id = name ? file_attribute (e, "class") : NULL;
    Node *n = id ? stands_for (r, e, name, id, lost) : NULL;
    if (n && !g_hash_table_contains (stays, n)) {
      g_hash_table_insert (same, (void *) e, n);
      g_hash_table_insert (stays, n, n);
    }
  }
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    n->going = !g_hash_table_contains (stays, n);
  }
  edit_sweep (p);
  if (p->notes)
    g_tree_foreach (p->notes, note_name, notes);
  for (const xmlNode *e = eve->children; e; e = e->next)
    if (file_is (e, "component"))
      update_component (r, e, same);
    else if (file_is (e, "title") && !title)
      title = content (e);
    else if (file_is (e, "doc") && !doc)
      doc = content (e);
    else if (file_is (e, "note")) {
      g_autofree char *name = file_attribute (e, "name");
      guint at;
      file_read_note (r, e);
      if (name && g_ptr_array_find_with_equal_func (notes, name, g_str_equal, &at))
        g_ptr_array_remove_index (notes, at);
    }
  for (guint i = 0; i < notes->len; i++)
    eve_program_set_note (p, notes->pdata[i], NULL);
  g_free (p->title);
  p->title = g_steal_pointer (&title);
  g_free (p->doc);
  p->doc = g_steal_pointer (&doc);
  update_wires (r, eve);
  g_hash_table_remove_all (stays);
  guint place = 0;
  bool moved = false;
  for (const xmlNode *e = eve->children; e; e = e->next) {
    g_autofree char *name = file_is (e, "component") ? file_attribute (e, "name") : NULL;
    Node *n = name ? g_hash_table_lookup (r->names, name) : NULL;
    if (!n || g_hash_table_contains (stays, n))
      continue;
    moved |= p->nodes->pdata[place] != n;
    g_hash_table_insert (stays, n, GUINT_TO_POINTER (++place));
  }
  if (moved) { /* ties in the order of firing go by it */
    g_ptr_array_sort_with_data (p->nodes, file_by_place, stays);
    bind_forget (p);
    edit_changed (p);
  }
}

static void
silent (void *arg, const char *fmt, ...)
{
}

/* The line of the first element with too many attributes; 0: there is none.  Knows as much of XML as is needed to
 * count: what is quoted, and comments, instructions and sections, has no attributes. */
static long
crowded_line (const char *text, gsize len)
{
  static const char *const begin[] = { "<!--", "<![CDATA[", "<?" }, *const end[] = { "-->", "]]>", "?>" };
  const char *at = text, *stop = text + len;
  long line = 1;
  for (const char *tag, *past = NULL; (tag = memchr (at, '<', (size_t) (stop - at))); past = NULL) {
    for (; at < tag; at++)
      line += *at == '\n';
    for (guint i = 0; i < G_N_ELEMENTS (begin) && !past; i++)
      if (!strncmp (tag, begin[i], MIN (strlen (begin[i]), (size_t) (stop - tag)))) {
        past = memmem (tag, (size_t) (stop - tag), end[i], strlen (end[i]));
        past = past ? past : stop;
      }
    long begun = line;
    unsigned n = 0;
    for (char quote = 0; past ? at < past : at < stop && (quote || *at != '>'); at++) {
      line += *at == '\n';
      n += !quote && !past && *at == '=';
      if (quote ? *at == quote : (*at == '"' || *at == '\''))
        quote = quote ? 0 : *at;
    }
    if (n > MAX_ATTRIBUTES)
      return begun;
  }
  return 0;
}

static bool
file_parse (Reading *r, const char *text, gssize len, GError **error)
{
  if (len < 0)
    len = (gssize) strlen (text);
  if ((uint64_t) len > DISK_PROGRAM) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, _ ("%s is too large for a program: %" PRId64 " MB"), r->name,
                 (int64_t) (len >> 20));
    return false;
  }
  long line = crowded_line (text, (gsize) len);
  if (line) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE,
                 _ ("%s:%ld has an element with more than %d attributes: that is no part of a program"), r->name, line,
                 MAX_ATTRIBUTES);
    return false;
  }
  /* some messages of the library, of its decoders above all, do not go through the context */
  xmlSetGenericErrorFunc (NULL, silent);
  xmlParserCtxt *context = xmlNewParserCtxt ();
  context->sax->warning = context->sax->error = silent;
  context->vctxt.error = context->vctxt.warning = silent;
  xmlDoc *doc = xmlCtxtReadMemory (context, text, (int) len, r->name, NULL,
                                   XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA);
  bool ok = false;
  const xmlNode *root = doc ? xmlDocGetRootElement (doc) : NULL;
  const xmlError *why = xmlCtxtGetLastError (context);
  g_autofree char *version = root ? file_attribute (root, "version") : NULL;
  if (doc && (doc->intSubset || doc->extSubset))
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE,
                 _ ("%s has a document type declaration, which programs may not have: take it out"), r->name);
  else if (!root && why && why->message) {
    g_autofree char *what = g_utf8_make_valid (why->message, (gssize) strcspn (why->message, "\n"));
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, _ ("%s:%d:%d is not XML: %s"), r->name, why->line, why->int2, what);
  } else if (!root)
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, _ ("%s is empty: it is no program"), r->name);
  else if (!file_is (root, "eve"))
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, _ ("%s:%ld is no program: it begins with <%s>, not <eve>"), r->name,
                 xmlGetLineNo (root), (const char *) root->name);
  else if (!version || strcmp (version, "1"))
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE,
                 _ ("%s:%ld is written in version %s of the format, this Scope reads %d"), r->name, xmlGetLineNo (root),
                 version ? version : "(none)", PROGRAM_FORMAT);
  else {
    r->n_elements = (uint32_t) xmlChildElementCount ((xmlNode *) root);
    edit_hold (r->p);
    (r->updating ? update_tree : read_tree) (r, root);
    edit_release (r->p);
    ok = !r->cancelled;
    if (r->cancelled)
      g_set_error (error, EVE_ERROR, EVE_ERROR_CANCELLED, _ ("%s: reading it was interrupted"), r->name);
  }
  xmlFreeDoc (doc);
  xmlFreeParserCtxt (context);
  xmlSetGenericErrorFunc (NULL, NULL);
  return ok;
}

static bool
file_read_text (Reading *r, const char *text, gssize len, GError **error)
{
  r->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  bool ok = file_parse (r, text, len, error);
  g_hash_table_unref (r->names);
  return ok;
}

EveProgram *
eve_program_parse_asking (const char *text, gssize len, const char *name, GPtrArray *problems,
                          bool (*ask) (void *arg, double share), void *arg, GError **error)
{
  EveProgram *p = eve_program_new ();
  Reading r = { .p = p, .name = name, .problems = problems, .go_on = ask, .arg = arg };
  if (!file_read_text (&r, text, len, error)) {
    eve_program_free (p);
    return NULL;
  }
  program_set_content (p, text, len);
  return p;
}

EveProgram *
eve_program_parse (const char *text, gssize len, const char *name, GPtrArray *problems, GError **error)
{
  return eve_program_parse_asking (text, len, name, problems, NULL, NULL, error);
}

EveProgram *
eve_program_load_asking (const char *path, GPtrArray *problems, bool (*ask) (void *arg, double share), void *arg,
                         GError **error)
{
  g_autofree char *text = NULL, *shown = g_filename_display_name (path);
  size_t len;
  g_autoptr (GError) cause = NULL;
  if (!(text = disk_read (path, NULL, DISK_PROGRAM, &len, &cause))) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, _ ("The program %s"), cause->message);
    return NULL;
  }
  EveProgram *p = eve_program_parse_asking (text, (gssize) len, shown, problems, ask, arg, error);
  if (p)
    eve_program_set_file (p, path);
  return p;
}

EveProgram *
eve_program_load (const char *path, GPtrArray *problems, GError **error)
{
  return eve_program_load_asking (path, problems, NULL, NULL, error);
}

void
eve_program_set_file (EveProgram *p, const char *path)
{
  g_autofree char *full = g_canonicalize_filename (path, NULL);

  g_free (p->folder);
  p->folder = g_path_get_dirname (full);
}

bool
eve_paste (EveProgram *p, const char *text, double dx_px, double dy_px, GPtrArray *added, GPtrArray *problems,
           GError **error)
{
  return eve_add_part (p, text, "clipboard", dx_px, dy_px, added, problems, error);
}

bool
eve_add_part (EveProgram *p, const char *text, const char *name, double dx_px, double dy_px, GPtrArray *added,
              GPtrArray *problems, GError **error)
{
  if (p->calls) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED,
                 _ ("The program cannot be edited inside a firing: use eve_post()"));
    return false;
  }
  g_autoptr (GHashTable) fresh = g_hash_table_new (NULL, NULL);
  Reading r = { .p = p, .name = name, .problems = problems, .fresh = fresh, .dx = dx_px, .dy = dy_px };
  r.added = added;
  return file_read_text (&r, text, -1, error);
}

bool
eve_program_update (EveProgram *p, const char *text, GPtrArray *problems, GError **error)
{
  if (p->calls) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED,
                 _ ("The program cannot be edited inside a firing: use eve_post()"));
    return false;
  }
  rest_end (p);
  Reading r = { .p = p, .name = "program", .problems = problems, .updating = true };
  return file_read_text (&r, text, -1, error);
}
