/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-fits.c - which components a loose wire could go to, by which port, and which of them people mean mostly: those
 * that the programs on offer wire so. */
#include "editor/canvas-private.h"
#include <string.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "session/places.h"
#include "session/plugins.h"

#define GIVERS 3 /* are named to who lacks something */

/* ---- what is wired mostly: "class.out class.in" -> how often --------------------------------------------------------- */
typedef struct Habits {
  GHashTable *classes; /* of the boxes of one program: name -> class */
  GHashTable *counts;
} Habits;

/* Programs that formats share name no reader and no simulator: one is like another here. */
static const char *
alike (const char *class_id)
{
  return g_str_has_suffix (class_id, "reader")      ? "any.reader"
         : g_str_has_suffix (class_id, "simulator") ? "any.simulator"
                                                    : class_id;
}

static void
habit_element (GMarkupParseContext *context, const char *element, const char **names, const char **values, void *habits,
               GError **error)
{
  Habits *h = habits;
  const char *name = NULL, *class_id = NULL, *from = NULL, *out = NULL, *to = NULL, *in = NULL;
  const struct {
    const char *name;
    const char **value;
  } known[] = { { "name", &name }, { "class", &class_id }, { "from", &from },
                { "out", &out },   { "to", &to },          { "in", &in } };
  for (; *names; names++, values++)
    for (guint i = 0; i < G_N_ELEMENTS (known); i++)
      if (!strcmp (*names, known[i].name))
        *known[i].value = *values;
  if (!strcmp (element, "component") && name && class_id)
    g_hash_table_replace (h->classes, g_strdup (name), g_strdup (class_id));
  if (strcmp (element, "wire") || !from || !out || !to || !in)
    return;
  const char *a = g_hash_table_lookup (h->classes, from), *b = g_hash_table_lookup (h->classes, to);
  if (!a || !b)
    return;
  char *key = g_strdup_printf ("%s.%s %s.%s", alike (a), out, alike (b), in);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (h->counts, key));
  g_hash_table_replace (h->counts, key, GUINT_TO_POINTER (n + 1));
}

static void
read_habits (Habits *h, const char *folder)
{
  static const GMarkupParser parser = { .start_element = habit_element };
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;
    gsize len = 0;
    if (!g_str_has_suffix (name, ".eve") || !(text = disk_read (path, NULL, DISK_PROGRAM, &len, NULL)))
      continue;
    g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, h, NULL);
    g_hash_table_remove_all (h->classes);
    g_markup_parse_context_parse (context, text, (gssize) len, NULL);
  }
}

/* Read once; the programs on offer are some dozens, and small. */
static guint
habit (const EveClass *from, const char *out, const EveClass *to, const char *in)
{
  static GHashTable *counts;
  if (!counts) {
    g_autofree char *all = places_schemas (".");
    g_autoptr (GDir) dir = g_dir_open (all, 0, NULL);
    Habits h = { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                 g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
    for (const char *name; dir && (name = g_dir_read_name (dir));) {
      g_autofree char *folder = g_build_filename (all, name, NULL);
      read_habits (&h, folder);
    }
    g_hash_table_unref (h.classes);
    counts = h.counts;
  }
  g_autofree char *key = g_strdup_printf ("%s.%s %s.%s", alike (from->id), out, alike (to->id), in);
  return GPOINTER_TO_UINT (g_hash_table_lookup (counts, key));
}

/* ---- the ports of a class -------------------------------------------------------------------------------------------- */

/* How good a port is for the wire: what people do first, a view being worth two more programs that have it, as it
 * shows something at once; then the same type before conversions, data before controls.  0: types do not fit. */
static guint
canvas_fits_rank_of (const EveClass *own, const char *port, const EveType *type, bool out, const EveClass *k,
                     uint32_t i)
{
  const EveType *other = out ? k->ins[i].type : k->outs[i].type;
  const char *name = out ? k->ins[i].name : k->outs[i].name;
  EveRole role = out ? k->ins[i].role : k->outs[i].role;
  if (out ? !eve_type_fits (type, other) : !eve_type_fits (other, type))
    return 0;
  guint often = MIN (out ? habit (own, port, k, name) : habit (k, name, own, port), 999);
  bool shows = often && g_str_equal (k->category, "Views");
  return 1 + (often + 2 * shows) * 100 + (other && other == type ? 20 : 0) + (role == EVE_CONTROL ? 0 : 10)
         + (other ? 5 : 0);
}

/* The ports of `k`, the best first, that take the wire; `c` of that class, in the program of `own`, is asked, NULL:
 * nobody is.  Negative: none. */
static int
best_port (const EveClass *k, EveComponent *c, EveComponent *own, const char *port, const EveType *type, bool out,
           guint *rank)
{
  int best = -1;
  *rank = 0;
  for (uint32_t i = 0; i < (out ? k->n_ins : k->n_outs); i++) {
    guint r = canvas_fits_rank_of (eve_class (own), port, type, out, k, i);
    if (r <= *rank)
      continue;
    const char *name = out ? k->ins[i].name : k->outs[i].name;
    g_autofree char *no = !c    ? NULL
                          : out ? eve_why_not (eve_program (own), own, port, c, name)
                                : eve_why_not (eve_program (own), c, name, own, port);
    if (no)
      continue;
    best = (int) i;
    *rank = r;
  }
  return best;
}

const char *
canvas_fit_port (EveComponent *c, EveComponent *own, const char *port, bool out)
{
  const EveClass *k = eve_class (c), *o = eve_class (own);
  int n = out ? eve_class_out (o, port) : eve_class_in (o, port);
  if (n < 0)
    return NULL;
  const EveType *type = out ? eve_out_type (eve_base (own)->out[n]) : eve_in_type (eve_base (own)->in[n]);
  guint rank;
  int i = best_port (k, c, own, port, type, out, &rank);
  return i < 0 ? NULL : out ? k->ins[i].name : k->outs[i].name;
}

const char *
canvas_fit_out (EveComponent *own, const EveClass *k, guint *most)
{
  const char *best = NULL;
  *most = 35; /* data of one type; or what the programs on offer wire so */
  for (uint32_t i = 0; i < eve_class (own)->n_outs; i++) {
    const char *port = eve_class (own)->outs[i].name;
    guint rank;
    best_port (k, NULL, own, port, eve_out_type (eve_base (own)->out[i]), true, &rank);
    if (rank > *most) {
      *most = rank;
      best = port;
    }
  }
  return best;
}

static bool
canvas_fit_gives (const EveProgram *p, const EveComponent *but, const EveType *type)
{
  for (uint32_t i = 0; i < eve_n_components (p); i++) {
    EveComponent *c = eve_component (p, i);
    for (uint32_t k = 0; c != but && k < eve_class (c)->n_outs; k++)
      if (eve_type_fits (eve_out_type (eve_base (c)->out[k]), type))
        return true;
  }
  return false;
}

/* The classes that people mostly take an input's data from, best first: "PVM Simulator, Calls Simulator". */
static char *
canvas_fit_givers (const EveClass *k, const EveInSpec *in)
{
  const EveClass *best[GIVERS] = { NULL };
  guint ranks[GIVERS] = { 0 };
  g_autoptr (GPtrArray) all = eve_registry_list ();
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint n = 0; n < all->len; n++) {
    const EveClass *giver = all->pdata[n];
    guint rank = 0, at = GIVERS;
    for (uint32_t i = 0; giver != k && i < giver->n_outs; i++)
      if (giver->outs[i].type) /* what passes on anything gives nothing of its own */
        rank = MAX (rank, canvas_fits_rank_of (k, in->name, in->type, false, giver, i));
    while (at > 0 && rank > ranks[at - 1])
      at--;
    for (guint i = GIVERS - 1; at < GIVERS && i > at; i--) {
      best[i] = best[i - 1];
      ranks[i] = ranks[i - 1];
    }
    if (at < GIVERS) {
      best[at] = giver;
      ranks[at] = rank;
    }
  }
  for (guint i = 0; i < GIVERS && best[i]; i++)
    g_string_append_printf (names, "%s%s", i ? ", " : "", in_words (best[i]->label));
  return g_strdup (names->str);
}

char *
canvas_fit_lack (EveComponent *c)
{
  const EveClass *k = eve_class (c);

  for (uint32_t i = 0; i < k->n_ins; i++) {
    const EveInSpec *in = &k->ins[i];
    if (!in->required || !in->type || canvas_fit_gives (eve_program (c), c, in->type))
      continue;
    g_autofree char *givers = canvas_fit_givers (k, in);
    if (*givers)
      return g_strdup_printf (_ ("%s does nothing yet: no box of the program gives what its input %s takes. These "
                                 "components do: %s."),
                              eve_name (c), in->name, givers);
  }
  return NULL;
}

/* In a copy of the program each class that may fit is tried, as only the component itself knows what it refuses; those
 * from elsewhere are not made before they are chosen. */
GHashTable *
canvas_fits (EveComponent *own, const char *port, const EveType *type, bool out)
{
  GHashTable *fits = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable)
      used = g_hash_table_new (NULL, NULL); /* of two that are as good the one that is there comes first */
  g_autoptr (GPtrArray) all = eve_registry_list ();
  g_autofree char *text = eve_program_text (eve_program (own));
  EveProgram *copy = eve_program_parse (text, -1, "copy", NULL, NULL);
  EveComponent *twin = copy ? eve_find (copy, eve_name (own)) : NULL;
  for (uint32_t i = 0; i < eve_n_components (eve_program (own)); i++)
    g_hash_table_add (used, (void *) eve_class (eve_component (eve_program (own), i)));
  for (guint n = 0; n < all->len; n++) {
    const EveClass *k = all->pdata[n];
    bool known = twin && !plugins_from_elsewhere (eve_class_object (k));
    guint rank;
    if (best_port (k, NULL, own, port, type, out, &rank) < 0)
      continue;
    EveComponent *c = known ? eve_add (copy, k, NULL, NULL) : NULL;
    int i = best_port (k, c, c ? twin : own, port, type, out, &rank);
    if (c)
      eve_remove (copy, c);
    if (i < 0 || (known && !c))
      continue;
    CanvasFit *f = g_new (CanvasFit, 1);
    *f = (CanvasFit){ out ? k->ins[i].name : k->outs[i].name, rank + g_hash_table_contains (used, k) };
    g_hash_table_insert (fits, (void *) k, f);
  }
  if (copy)
    eve_program_free (copy);
  return fits;
}
