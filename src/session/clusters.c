/* SPDX-License-Identifier: Apache-2.0 */
#include "session/clusters.h"
#include <string.h>

/* Belongs to the thread until it has arrived in the main loop. */
typedef struct Search {
  SessionClusters *of; /* NULL: nobody waits for it any more; main loop only */
  char *states;
  int64_t reach, first, last;
  uint32_t n_tasks;
  GroupsClusters *found; /* NULL: the history cannot be read */
  int64_t began_us;
} Search;

/* A history that grows is searched again and again: it takes a fifth of a processor at most. */
#define REST_TIMES 4
#define REST_LEAST_US 100000

struct SessionClusters {
  uint32_t least;
  void (*found) (void *arg);
  void *arg;
  Search *known, *running; /* NULL: none */
  char *refused;           /* a history that no thread could read */
  int64_t rest_until_us;   /* no search before */
  guint rest;              /* the source that ends it; 0: nobody asked for more meanwhile */
};

static void
search_free (Search *s)
{
  if (!s)
    return;
  groups_clusters_free (s->found);
  g_free (s->states);
  g_free (s);
}

SessionClusters *
session_clusters_new (uint32_t least, void (*found) (void *arg), void *arg)
{
  SessionClusters *c = g_new0 (SessionClusters, 1);

  *c = (SessionClusters){ .least = least, .found = found, .arg = arg };
  return c;
}

void
session_clusters_free (SessionClusters *c)
{
  if (!c)
    return;
  if (c->running)
    c->running->of = NULL;
  g_clear_handle_id (&c->rest, g_source_remove);
  search_free (c->known);
  g_free (c->refused);
  g_free (c);
}

static gboolean
clusters_arrive (gpointer data)
{
  Search *s = data;
  SessionClusters *c = s->of;

  if (!c) {
    search_free (s);
    return G_SOURCE_REMOVE;
  }
  int64_t now_us = g_get_monotonic_time ();

  c->running = NULL;
  c->rest_until_us = now_us + MAX (REST_TIMES * (now_us - s->began_us), REST_LEAST_US);
  if (s->found) {
    search_free (c->known);
    c->known = s;
  } else {
    g_free (c->refused);
    c->refused = g_strdup (s->states);
    search_free (s);
  }
  c->found (c->arg);
  return G_SOURCE_REMOVE;
}

/* Who is told asks again. */
static gboolean
clusters_rested (gpointer data)
{
  SessionClusters *c = data;

  c->rest = 0;
  c->found (c->arg);
  return G_SOURCE_REMOVE;
}

/* With a reader of its own: files of a film only grow. */
static gpointer
clusters_search (gpointer data)
{
  Search *s = data;
  StatesReader *r = states_reader_open (s->states, NULL);

  if (r) {
    states_reader_set_end (r, s->last);
    s->found = groups_clusters_new (r, s->n_tasks, s->first, s->last, 1);
    states_reader_free (r);
  }
  g_idle_add_full (G_PRIORITY_DEFAULT, clusters_arrive, s, NULL);
  return NULL;
}

const GroupsClusters *
session_clusters_ask (SessionClusters *c, const ClustersAsked *asked, bool *whole)
{
  *whole = true;
  if (!c || asked->n_tasks < c->least || g_strcmp0 (c->refused, asked->states) == 0)
    return NULL;
  const Search *k = c->known;
  bool same = k && k->n_tasks == asked->n_tasks && strcmp (k->states, asked->states) == 0;
  if (same && k->reach == asked->reach && k->first == asked->first && k->last == asked->last)
    return k->found;
  *whole = false;
  int64_t now_us = g_get_monotonic_time ();
  if (!c->running && now_us < c->rest_until_us) {
    if (c->rest == 0)
      c->rest = g_timeout_add ((guint) ((c->rest_until_us - now_us) / 1000 + 1), clusters_rested, c);
  } else if (!c->running) {
    Search *s = g_new0 (Search, 1);
    *s = (Search){ .of = c,
                   .states = g_strdup (asked->states),
                   .reach = asked->reach,
                   .first = asked->first,
                   .last = asked->last,
                   .n_tasks = asked->n_tasks,
                   .began_us = now_us };
    c->running = s;
    g_thread_unref (g_thread_new ("clusters", clusters_search, s));
  }
  return same ? k->found : NULL;
}
