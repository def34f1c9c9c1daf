/* SPDX-License-Identifier: Apache-2.0 */
#include "session/layers.h"
#include "eve/words.h"
#include <string.h>
#include "eve/bytes.h"
#include "session/checkpoints.h"
#include "simulators/state.h"
#include "views/layer.h"

/* What is wanted: the data of some outputs, of one type. */
typedef struct Wanted {
  uint64_t identity;
  const EveType *type;
  uint32_t n; /* outputs */
  EveComponent **from;
  uint32_t *output;
  Layer *layer; /* NULL: all of it is there */
} Wanted;

/* An output and the layers that its data go to. */
typedef struct Tap {
  EveComponent *from;
  uint32_t output;
  GPtrArray *layers;
  const Layers *of; /* who hears what comes here; NULL: nobody */
} Tap;

struct Layers {
  GArray *wanted;  /* of Wanted, by identity, then suffix */
  GPtrArray *taps; /* of Tap * */
  void (*hear) (void *arg, EveComponent *reader, const void *events, uint32_t n);
  void *arg;
};

/* ---- what is wanted ---------------------------------------------------------------------------------------------------- */

static void
wanted_clear (gpointer data)
{
  Wanted *w = data;

  layer_free (w->layer);
  g_free (w->from);
  g_free (w->output);
}

static bool
layers_is_wanted (const GArray *all, uint64_t identity, const EveType *type)
{
  for (guint i = 0; i < all->len; ++i) {
    const Wanted *w = &g_array_index (all, Wanted, i);
    if (w->identity == identity && w->type == type)
      return true;
  }
  return false;
}

static void
want_input (GArray *all, EveComponent *c, uint32_t input)
{
  EveIn *in = eve_base (c)->in[input];
  const EveType *type = eve_in_type (in);
  Wanted w = { .identity = eve_in_identity (in), .type = type };

  if (w.identity == 0 || layer_suffix (type) == NULL || layers_is_wanted (all, w.identity, type))
    return;
  w.n = eve_in_fed_by (c, input, NULL, NULL, 0);
  w.from = g_new (EveComponent *, w.n);
  w.output = g_new (uint32_t, w.n);
  eve_in_fed_by (c, input, w.from, w.output, w.n);
  g_array_append_val (all, w);
}

static void
want_output (GArray *all, EveComponent *c, uint32_t output)
{
  const EveType *type = eve_class (c)->outs[output].type;
  Wanted w = { .identity = eve_out_identity (c, output), .type = type, .n = 1 };

  if (layers_is_wanted (all, w.identity, type))
    return;
  w.from = g_memdup2 (&c, sizeof (EveComponent *));
  w.output = g_memdup2 (&output, sizeof output);
  g_array_append_val (all, w);
}

static int
layers_by_name (gconstpointer a, gconstpointer b)
{
  const Wanted *x = a, *y = b;

  if (x->identity != y->identity)
    return x->identity < y->identity ? -1 : 1;
  return strcmp (layer_suffix (x->type), layer_suffix (y->type));
}

bool
layers_keep (EveComponent *c, uint32_t output)
{
  const EveType *type = eve_is_ghost (c) ? NULL : eve_class (c)->outs[output].type;

  /* what nests is as much again, and kept only where a view shows it */
  return type && layer_suffix (type) && type != &state_type_frame
         && (eve_query (c, "state-graph/1") || eve_query (c, "trace-reader/1"));
}

/* In an order that hangs on nothing but the program. */
static GArray *
wanted_of (EveProgram *p, bool all)
{
  GArray *found = g_array_new (FALSE, TRUE, sizeof (Wanted));

  g_array_set_clear_func (found, wanted_clear);
  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    const EveClass *k = eve_class (c);
    if (eve_is_ghost (c))
      continue;
    for (uint32_t in = 0; in < k->n_ins; ++in)
      if (k->ins[in].kept)
        want_input (found, c, in);
    for (uint32_t out = 0; all && out < k->n_outs; ++out)
      if (layers_keep (c, out))
        want_output (found, c, out);
  }
  g_array_sort (found, layers_by_name);
  return found;
}

uint64_t
layers_identity (EveProgram *p, bool all)
{
  g_autoptr (GArray) wanted = wanted_of (p, all);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < wanted->len; ++i) {
    const Wanted *w = &g_array_index (wanted, Wanted, i);
    g_autofree char *name = layer_base (w->identity, w->type, "");
    g_string_append (names, name);
  }
  return wanted->len ? MAX (bytes_fnv (names->str, names->len), 1) : 0;
}

/* ---- keeping ----------------------------------------------------------------------------------------------------------- */

static void
layers_keep_span (void *arg, const void *data, uint32_t n)
{
  const Tap *t = arg;

  for (guint i = 0; i < t->layers->len; ++i)
    layer_keep (t->layers->pdata[i], data, n);
  if (t->of)
    t->of->hear (t->of->arg, t->from, data, n);
}

static void *
directly (void *arg)
{
  const Tap *t = arg;

  return t->layers->len == 1 && !t->of ? layer_directly (t->layers->pdata[0]) : NULL;
}

static void
tap_free (gpointer data)
{
  Tap *t = data;

  eve_out_keep (t->from, t->output, NULL);
  g_ptr_array_unref (t->layers);
  g_free (t);
}

/* `layer` NULL: all of it is there; what passes is counted nevertheless, as films say it for whoever has a view there.
 */
static void
tap (Layers *l, EveComponent *from, uint32_t output, Layer *layer)
{
  Tap *t = NULL;

  for (guint i = 0; !t && i < l->taps->len; ++i) {
    Tap *known = l->taps->pdata[i];
    t = known->from == from && known->output == output ? known : NULL;
  }
  if (!t) {
    t = g_new0 (Tap, 1);
    bool heard = l->hear && eve_class (from)->outs[output].type == &trace_type_event
                 && eve_query (from, "trace-reader/1");
    *t = (Tap){ from, output, g_ptr_array_new (), heard ? l : NULL };
    g_ptr_array_add (l->taps, t);
    eve_out_keep (from, output, &(EveKeeper){ layers_keep_span, directly, t });
  }
  if (layer)
    g_ptr_array_add (t->layers, layer);
}

static bool
layers_begin (Layers *l, EveProgram *p, const LayersOptions *options, EveBlobView *places, GError **error)
{
  if (places && eve_get_int (places) != l->wanted->len) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_DAMAGED, _ ("it does not say where the histories stand"));
    return false;
  }
  for (guint i = 0; i < l->wanted->len; ++i) {
    Wanted *w = &g_array_index (l->wanted, Wanted, i);
    g_autofree char *base = layer_base (w->identity, w->type, options->folder), *name = g_path_get_basename (base);
    size_t n_place = 0;
    if (places && strcmp (eve_get_text (places), name) != 0) {
      g_set_error (error, FILM_ERROR, FILM_ERROR_DAMAGED, _ ("it does not say where the history %s stands"), name);
      return false;
    }
    const void *place = places ? eve_get_bytes (places, &n_place) : NULL;
    if (options->counts || layer_is_whole (base)) {
      for (uint32_t k = 0; k < w->n; ++k)
        tap (l, w->from[k], w->output[k], NULL);
      continue;
    }
    if (places && n_place == 0) { /* it was whole then */
      g_set_error (error, FILM_ERROR, FILM_ERROR_DAMAGED, _ ("the history %s is damaged"), name);
      return false;
    }
    EveBlobView *from = places ? eve_blob_view_new (place, n_place) : NULL;
    w->layer = layer_new (w->from[0], w->type, base, from, error);
    if (from)
      eve_blob_view_free (from);
    if (!w->layer)
      return false;
    for (uint32_t k = 0; k < w->n; ++k)
      tap (l, w->from[k], w->output[k], w->layer);
  }
  return true;
}

Layers *
layers_new (EveProgram *p, const LayersOptions *options, GError **error)
{
  Layers *l = g_new0 (Layers, 1);
  EveBlobView *places = options->places ? eve_blob_view_new (options->places, options->n_places) : NULL;

  l->taps = g_ptr_array_new_with_free_func (tap_free);
  l->wanted = wanted_of (p, options->all);
  l->hear = options->hear;
  l->arg = options->arg;
  bool ok = layers_begin (l, p, options, places, error);
  if (places)
    eve_blob_view_free (places);
  if (ok)
    return l;
  layers_free (l);
  return NULL;
}

bool
layers_flush (Layers *l, int64_t reach, GError **error)
{
  for (guint i = 0; i < l->wanted->len; ++i)
    if (g_array_index (l->wanted, Wanted, i).layer
        && !layer_flush (g_array_index (l->wanted, Wanted, i).layer, reach, error))
      return false;
  return true;
}

void
layers_save (const Layers *l, EveBlob *to)
{
  eve_put_int (to, l->wanted->len);
  for (guint i = 0; i < l->wanted->len; ++i) {
    const Wanted *w = &g_array_index (l->wanted, Wanted, i);
    g_autofree char *name = layer_base (w->identity, w->type, ""), *file = g_path_get_basename (name);
    EveBlob *place = eve_blob_new ();
    size_t n;
    if (w->layer)
      layer_save (w->layer, place);
    const uint8_t *bytes = eve_blob_data (place, &n);
    eve_put_text (to, file);
    eve_put_bytes (to, bytes, n);
    eve_blob_free (place);
  }
}

bool
layers_are_whole (EveProgram *p, bool all, const char *folder)
{
  g_autoptr (GArray) wanted = wanted_of (p, all);

  for (guint i = 0; i < wanted->len; ++i) {
    const Wanted *w = &g_array_index (wanted, Wanted, i);
    g_autofree char *base = layer_base (w->identity, w->type, folder);
    if (!layer_is_whole (base))
      return false;
  }
  return true;
}

bool
layers_lack (EveComponent *c, const char *folder)
{
  const EveClass *k = eve_is_ghost (c) ? NULL : eve_class (c);

  for (uint32_t i = 0; k && i < k->n_ins; ++i) {
    EveIn *in = eve_base (c)->in[i];
    const EveType *type = eve_in_type (in);
    uint64_t identity = k->ins[i].kept ? eve_in_identity (in) : 0;
    if (!identity || !layer_suffix (type))
      continue;
    g_autofree char *base = layer_base (identity, type, folder);
    if (!layer_is_whole (base))
      return true;
  }
  return false;
}

guint
layers_n (EveProgram *p, bool all)
{
  g_autoptr (GArray) wanted = wanted_of (p, all);

  return wanted->len;
}

guint
layers_borrow (EveProgram *p, bool all, const char *folder, const char *from)
{
  g_autoptr (GArray) wanted = wanted_of (p, all);
  guint n = 0;

  for (guint i = 0; i < wanted->len; ++i) {
    const Wanted *w = &g_array_index (wanted, Wanted, i);
    g_autofree char *own = layer_base (w->identity, w->type, folder), *theirs = layer_base (w->identity, w->type, from);
    if (!layer_is_whole (own))
      n += layer_copy (theirs, folder);
  }
  return n;
}

void
layers_free (Layers *l)
{
  if (!l)
    return;
  g_ptr_array_unref (l->taps); /* before what they write to goes */
  g_array_unref (l->wanted);
  g_free (l);
}
