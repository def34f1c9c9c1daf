/* SPDX-License-Identifier: Apache-2.0 */
/* film.c - what scenes read of a film: states, messages, names of tasks. */
#include <string.h>
#include "views/layer.h"
#include "eve/words.h"
#include "views/scene/scene.h"

void
scene_close (SceneView *v)
{
  g_clear_pointer (&v->names, names_free);
  g_clear_pointer (&v->film, g_free);
  g_clear_pointer (&v->states, states_reader_free);
  g_clear_pointer (&v->messages, messages_reader_free);
  g_clear_pointer (&v->states_layer, g_free);
  g_clear_pointer (&v->messages_layer, g_free);
}

void
scene_open_names (SceneView *v, const ViewScene *scene, uint32_t n_least)
{
  if (v->names != NULL && g_strcmp0 (v->film, view_tasks (scene)) == 0 && names_problem (v->names) == NULL
      && names_count (v->names, scene->source) >= n_least)
    return;
  g_clear_pointer (&v->names, names_free);
  v->named++;
  g_free (v->film);
  v->film = g_strdup (view_tasks (scene));
  v->names = names_read (v->film);
}

bool
scene_open_states (SceneView *v, const ViewScene *scene, GError **error)
{
  EveIn *in = v->held.base.in[SCENE_IN_STATES];

  if (scene->film == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("there is no film yet: what tasks did in the whole execution comes from it"));
    return false;
  }
  g_autofree char *layer = layer_of_input (in, scene->film);
  if (layer == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("nothing is wired to its states, of which such a scene is made: a simulator has an output of that "
                    "name"));
    return false;
  }
  if (g_strcmp0 (layer, v->states_layer) != 0) {
    g_clear_pointer (&v->states, states_reader_free);
    scene_shares_clear (&v->shares);
    g_free (v->states_layer);
    v->states_layer = g_steal_pointer (&layer);
  }
  if (v->states == NULL)
    v->states = states_reader_open (v->states_layer, error);
  else
    states_reader_refresh (v->states);
  if (v->states == NULL)
    return false;
  states_reader_set_end (v->states, scene->source->last);
  scene_open_names (v, scene, states_reader_owners (v->states));
  return true;
}

void
scene_open_messages (SceneView *v, const ViewScene *scene)
{
  EveIn *in = v->held.base.in[SCENE_IN_MESSAGES];
  g_autofree char *layer = scene->film != NULL ? layer_of_input (in, scene->film) : NULL;

  if (g_strcmp0 (layer, v->messages_layer) != 0) {
    g_clear_pointer (&v->messages, messages_reader_free);
    g_free (v->messages_layer);
    v->messages_layer = g_steal_pointer (&layer);
  }
  if (v->messages != NULL)
    messages_reader_refresh (v->messages);
  else if (v->messages_layer != NULL)
    v->messages = messages_reader_open (v->messages_layer, NULL);
}

void
scene_range (const ViewScene *scene, int64_t *from, int64_t *to)
{
  bool all = scene->from > scene->to;

  *from = all ? scene->source->first : scene->from;
  *to = all ? scene->source->last : scene->to;
  if (*to <= *from)
    *to = *from + 1;
}

uint32_t *
scene_hosts (const SceneView *v, const ViewScene *scene, const uint32_t *tasks, uint32_t n)
{
  g_autoptr (GHashTable) hosts = g_hash_table_new (g_str_hash, g_str_equal);
  uint32_t *of = g_new (uint32_t, n + 1), unknown;

  for (uint32_t i = 0; i < n; i++) {
    const char *host = tasks[i] != TRACE_NONE ? names_host (v->names, scene->source, tasks[i]) : "?";
    gpointer number = g_hash_table_lookup (hosts, host);
    of[i] = TRACE_NONE;
    if (strcmp (host, "?") == 0)
      continue;
    if (number == NULL)
      g_hash_table_insert (hosts, (gpointer) host, number = GUINT_TO_POINTER (g_hash_table_size (hosts) + 1));
    of[i] = GPOINTER_TO_UINT (number) - 1;
  }
  unknown = g_hash_table_size (hosts);
  for (uint32_t i = 0; i < n; i++)
    of[i] = MIN (of[i], unknown);
  return of;
}
