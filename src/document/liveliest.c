/* SPDX-License-Identifier: Apache-2.0 */
/* liveliest.c - the instant at which most tasks live, and of several the one at which most happens: before the first
 * event views of an instant have nothing to show. */
#include "document/private.h"

#define AS_MANY 0.99 /* of the most tasks: among those instants events decide */

/* By state of the overview, whether its tasks live: those of the leading execution that are not gone. */
static bool *
liveliest_states (const ScopeDocument *d, const FilmOverview *o)
{
  const StateModel *m = d->session->graph ? d->session->graph->model : NULL;
  int attribute = m ? state_with_role (m, STATE_NODE, STATE_ROLE_STATE) : -1;
  const StateAttribute *a = attribute >= 0 ? &m->attributes[attribute] : NULL;
  bool *lives = g_new0 (bool, o->n_states + 1);

  for (guint i = 0; i < o->n_states; ++i) {
    lives[i] = o->of[i] == 0;
    for (uint32_t v = 0; a && v < a->n_values; ++v)
      if (a->values[v].name && strcmp (a->values[v].name, o->states[i]) == 0)
        lives[i] &= a->values[v].sense != STATE_SENSE_GONE;
  }
  return lives;
}

/* How many tasks live in a bucket, in the mean. */
static double
living (const FilmOverview *o, const bool *lives, guint bucket)
{
  int64_t wide = film_bucket (o->first, o->last, bucket + 1) - film_bucket (o->first, o->last, bucket);
  double sum = 0;

  for (guint i = 0; i < o->n_states; ++i)
    sum += lives[i] ? (double) o->spent[(gsize) bucket * o->n_states + i] : 0;
  return wide > 0 ? sum / (double) wide : 0;
}

bool
scope_document_liveliest (ScopeDocument *d, int64_t *date)
{
  const FilmOverview *o = d->session ? d->overview : NULL;
  guint best = 0;
  double most = 0;

  if (!o)
    return false;
  g_autofree bool *lives = liveliest_states (d, o);
  for (guint k = 0; k < o->n; ++k)
    most = MAX (most, living (o, lives, k));
  bool any = false;
  for (guint k = 0; k < o->n && most > 0; ++k)
    if (living (o, lives, k) >= AS_MANY * most && (!any || o->events[k] > o->events[best])) {
      best = k;
      any = true;
    }
  if (any) {
    int64_t from = film_bucket (o->first, o->last, best), to = film_bucket (o->first, o->last, best + 1);
    *date = from + (to - from) / 2;
  }
  return any;
}
