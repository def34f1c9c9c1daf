/* SPDX-License-Identifier: Apache-2.0 */
/* replace.c - a box of another class in the place of one: with what fits of its settings and wires. */
#include "session/replace.h"
#include <string.h>
#include "session/notes.h"

/* A wire of the old box, which goes away with it. */
typedef struct Held {
  EveComponent *other; /* NULL: the old box itself */
  char *own, *port;    /* ports: of the old box, of the other */
  bool out;            /* the old box gave */
} Held;

static void
held_clear (void *held)
{
  g_free (((Held *) held)->own);
  g_free (((Held *) held)->port);
}

static GArray *
wires_of (EveProgram *p, EveComponent *c)
{
  GArray *wires = g_array_new (FALSE, FALSE, sizeof (Held));
  g_array_set_clear_func (wires, held_clear);
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    bool out = w.from == c;
    if (w.from != c && w.to != c)
      continue;
    Held h = { w.from == w.to ? NULL
               : out          ? w.to
                              : w.from,
               g_strdup (out ? w.out : w.in), g_strdup (out ? w.in : w.out), out };
    g_array_append_val (wires, h);
  }
  return wires;
}

static bool
is_control (const EveClass *k, const char *port, bool out)
{
  int i = out ? eve_class_out (k, port) : eve_class_in (k, port);
  return i >= 0 && (out ? k->outs[i].role : k->ins[i].role) == EVE_CONTROL;
}

static const EveType *
other_type (const Held *h)
{
  const EveClass *k = eve_class (h->other);
  int i = h->out ? eve_class_in (k, h->port) : eve_class_out (k, h->port);
  return i < 0 ? NULL : h->out ? eve_in_type (eve_base (h->other)->in[i]) : eve_out_type (eve_base (h->other)->out[i]);
}

/* The ports of a class that a wire could go to, the best first: of the same name, then data for data and commands for
 * commands.  Gives the n-th, NULL: there are no more. */
static const char *
candidate (const EveClass *k, const Held *h, bool was_control, uint32_t n)
{
  for (int pass = 0; pass < 3; pass++)
    for (uint32_t i = 0; i < (h->out ? k->n_outs : k->n_ins); i++) {
      const char *name = h->out ? k->outs[i].name : k->ins[i].name;
      bool same = !strcmp (name, h->own), control = is_control (k, name, h->out);
      int of = same ? 0 : control == was_control ? 1 : 2;
      if (of == pass && !n--)
        return name;
    }
  return NULL;
}

/* A wire of the box to itself stays where there are two ports of the same names. */
static bool
loop_fits (const EveClass *k, const Held *h)
{
  int out = eve_class_out (k, h->own), in = eve_class_in (k, h->port);
  return out >= 0 && in >= 0 && eve_type_fits (k->outs[out].type, k->ins[in].type);
}

static bool
type_fits (const EveClass *k, const char *port, const Held *h)
{
  int i = h->out ? eve_class_out (k, port) : eve_class_in (k, port);
  const EveType *own = h->out ? k->outs[i].type : k->ins[i].type;
  return h->out ? eve_type_fits (own, other_type (h)) : eve_type_fits (other_type (h), own);
}

guint
edits_replace_fit (EveComponent *old, const EveClass *k, guint *of)
{
  g_autoptr (GArray) wires = wires_of (eve_program (old), old);
  g_autoptr (GHashTable) taken = g_hash_table_new (g_str_hash, g_str_equal);
  guint kept = 0;
  *of = wires->len;
  for (guint i = 0; i < wires->len; i++) {
    const Held *h = &g_array_index (wires, Held, i);
    const char *port;
    if (!h->other) {
      kept += loop_fits (k, h);
      continue;
    }
    for (uint32_t n = 0; (port = candidate (k, h, is_control (eve_class (old), h->own, h->out), n)); n++)
      if (type_fits (k, port, h) && (h->out || !strcmp (port, h->own) || !g_hash_table_contains (taken, port)))
        break;
    if (!port)
      continue;
    kept++;
    if (!h->out)
      g_hash_table_add (taken, (void *) port);
  }
  return kept;
}

bool
edits_is_taken (EveComponent *c, const char *in)
{
  const EveProgram *p = eve_program (c);
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    if (w.to == c && !strcmp (w.in, in) && (!w.broken || w.rests))
      return true;
  }
  return false;
}

/* A wire to the best port that takes it: an input that has none is better than one that has. */
static bool
replace_connect (EveProgram *p, EveComponent *c, const Held *h, bool was_control)
{
  const EveClass *k = eve_class (c);
  if (!h->other)
    return loop_fits (k, h) && eve_connect (p, c, h->own, c, h->port, NULL);
  for (int taken = 0; taken < (h->out ? 1 : 2); taken++) {
    const char *port;
    for (uint32_t n = 0; (port = candidate (k, h, was_control, n)); n++) {
      bool has = !h->out && edits_is_taken (c, port);
      if (has && !taken && strcmp (port, h->own) != 0)
        continue;
      if (h->out ? eve_connect (p, c, port, h->other, h->port, NULL)
                 : eve_connect (p, h->other, h->port, c, port, NULL))
        return true;
    }
  }
  return false;
}

guint
edits_replace_try (EveComponent *twin, const EveClass *k)
{
  EveProgram *p = eve_program (twin);
  g_autoptr (GArray) wires = wires_of (p, twin);
  EveComponent *c = eve_add (p, k, NULL, NULL);
  guint kept = 0;
  for (guint i = 0; c && i < wires->len; i++) {
    const Held *h = &g_array_index (wires, Held, i);
    kept += replace_connect (p, c, h, is_control (eve_class (twin), h->own, h->out));
  }
  if (c)
    eve_remove (p, c);
  return kept;
}

/* "Gate 2" of a Gate was called so by nobody. */
static bool
named_itself (EveComponent *c)
{
  const char *label = eve_class (c)->label, *name = eve_name (c);
  if (eve_is_ghost (c) || !g_str_has_prefix (name, label))
    return false;
  name += strlen (label);
  return !*name || (*name == ' ' && strspn (name + 1, "0123456789") == strlen (name + 1));
}

EveComponent *
edits_replace (EveProgram *p, EveComponent *old, const EveClass *k, GPtrArray *lost, GError **error)
{
  g_autofree char *before = g_strdup (eve_name (old)), *name = named_itself (old) ? NULL : g_strdup (before);
  EveComponent *c = eve_add (p, k, NULL, error);
  if (!c)
    return NULL;
  double x, y;
  eve_position (old, &x, &y);
  eve_set_position (c, x, y);
  for (uint32_t i = 0; i < k->n_settings; i++) {
    g_autofree char *value = eve_get (old, k->settings[i].name);
    if (value)
      eve_set (c, k->settings[i].name, value, NULL); /* refused: it means something else there */
  }
  EveUse use = eve_use (old);
  g_autoptr (GArray) wires = wires_of (p, old), control = g_array_new (FALSE, FALSE, sizeof (bool));
  for (guint i = 0; i < wires->len; i++) {
    const Held *h = &g_array_index (wires, Held, i);
    bool was = is_control (eve_class (old), h->own, h->out);
    g_array_append_val (control, was);
  }
  eve_remove (p, old);
  if (name)
    eve_rename (c, name, NULL);
  for (guint i = 0; i < wires->len; i++) {
    const Held *h = &g_array_index (wires, Held, i);
    if (replace_connect (p, c, h, g_array_index (control, bool, i)) || !lost)
      continue;
    const char *other = h->other ? eve_name (h->other) : before;
    g_ptr_array_add (lost, h->out ? g_strdup_printf ("%s.%s → %s.%s", before, h->own, other, h->port)
                                  : g_strdup_printf ("%s.%s → %s.%s", other, h->port, before, h->own));
  }
  if (use == EVE_OFF || (use == EVE_BYPASSED && !eve_set_use (c, use, NULL)))
    eve_set_use (c, EVE_OFF, NULL);
  if (strcmp (before, eve_name (c)) != 0)
    notes_rename (p, before, eve_name (c));
  notes_prune (p);
  return c;
}
