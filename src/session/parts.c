/* SPDX-License-Identifier: Apache-2.0 */
#include "session/parts.h"
#include <string.h>
#include "eve/bytes.h"
#include "session/film.h"
#include "session/layers.h"
#include "session/plugins.h"

static uint64_t
mixed (uint64_t a, uint64_t b)
{
  uint64_t both[] = { a, b };

  return MAX (bytes_fnv (both, sizeof both), 1);
}

/* What a component does may hang on which of its outputs somebody listens to; not on those that films keep anyway. */
static void
add_outputs (EveProgram *program, const GHashTable *number, uint64_t *key)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree uint64_t *outs = g_new0 (uint64_t, eve_n_components (program) + 1);

  for (uint32_t i = 0; i < eve_n_flows (program); ++i) {
    EveWire w = eve_flow (program, i);
    int output = w.broken ? -1 : eve_class_out (eve_class (w.from), w.out);
    guint from = GPOINTER_TO_UINT (g_hash_table_lookup ((GHashTable *) number, w.from));
    if (output >= 0 && !layers_keep (w.from, (uint32_t) output)
        && g_hash_table_add (seen, g_strdup_printf ("%u %s", from, w.out)))
      outs[from] += bytes_fnv (w.out, strlen (w.out)) | 1; /* a sum: in which order they are wired says nothing */
  }
  for (uint32_t i = 0; i < eve_n_components (program); ++i)
    key[i] = mixed (key[i], outs[i]);
}

static int
session_parts_by_value (gconstpointer a, gconstpointer b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

static bool
makes_files (const Session *s, EveComponent *c)
{
  return c == s->controller || eve_query (c, "state-graph/1") || eve_query (c, "trace-reader/1");
}

/* Readers, simulators and the controller, and which simulator leads: all else that a film says is theirs. */
static uint64_t
session_parts_side_of (const Session *s, const Parts *p)
{
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (uint64_t));

  for (uint32_t i = 0; i < p->n; ++i)
    if (p->key[i] && makes_files (s, eve_component (s->program, i)))
      g_array_append_val (keys, p->key[i]);
  g_array_sort (keys, session_parts_by_value);
  const char *leads = s->simulator ? eve_name (s->simulator) : "";
  uint64_t side = mixed (bytes_fnv (leads, strlen (leads)), p->in_order);
  for (guint i = 0; i < keys->len; ++i)
    side = mixed (side, g_array_index (keys, uint64_t, i));
  return side;
}

Parts *
parts_new (Session *s)
{
  Parts *p = g_new0 (Parts, 1);
  uint64_t plugins = plugins_identity (s->program);

  p->n = eve_n_components (s->program);
  p->plan = film_plan_identity (s);
  p->key = g_new0 (uint64_t, p->n + 1);
  p->keys = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  g_autofree bool *alone = g_new0 (bool, p->n + 1);
  g_autoptr (GHashTable) number = g_hash_table_new (NULL, NULL);
  eve_program_identities (s->program, p->key, alone);
  for (uint32_t i = 0; i < p->n; ++i)
    g_hash_table_insert (number, eve_component (s->program, i), GUINT_TO_POINTER (i));
  add_outputs (s->program, number, p->key);
  for (uint32_t i = 0; i < p->n; ++i) {
    p->in_order |= !alone[i];
    p->key[i] = mixed (p->key[i], alone[i] ? plugins : p->plan);
    if (eve_component_keeps_nothing (eve_component (s->program, i)))
      p->key[i] = 0;
    else
      g_array_append_val (p->keys, p->key[i]);
  }
  p->side = session_parts_side_of (s, p);
  g_array_sort (p->keys, session_parts_by_value);
  return p;
}

void
parts_free (Parts *p)
{
  if (!p)
    return;
  g_array_unref (p->keys);
  g_free (p->key);
  g_free (p);
}

uint64_t *
parts_held (const Parts *p, const Session *s, guint *n)
{
  uint64_t *held = g_new (uint64_t, p->n + 1);

  *n = 0;
  for (uint32_t i = 0; i < p->n; ++i)
    if (p->key[i])
      held[(*n)++] = eve_component_is_settled (eve_component (s->program, i)) ? p->key[i] : mixed (p->key[i], p->plan);
  qsort (held, *n, sizeof *held, session_parts_by_value);
  return held;
}

bool
parts_are_among (const Parts *p, const uint64_t *held, guint n)
{
  for (guint i = 0, k = 0; i < p->keys->len; ++i) {
    uint64_t key = g_array_index (p->keys, uint64_t, i);
    while (k < n && held[k] < key)
      ++k;
    if (k == n || held[k] != key)
      return false;
  }
  return true;
}

bool
parts_load (Session *s, const void *run_state, size_t n_bytes, GError **error)
{
  uint32_t n = eve_n_components (s->program);
  g_autofree int *of = g_new0 (int, n + 1);

  for (uint32_t i = 0; i < n; ++i)
    of[i] = eve_component_keeps_nothing (eve_component (s->program, i)) ? -1 : 0;
  return eve_program_load_parts (s->program, &(EveRunState){ run_state, n_bytes }, 1, of, error);
}
