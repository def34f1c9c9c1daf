/* SPDX-License-Identifier: Apache-2.0 */
/* behind-test.c - groups by behaviour that a thread finds: what is shown until then says so, and what comes is what is
 * found at once. */
#include "help.h"
#include "session/clusters.h"
#include "session/cut.h"

#define CUT "by behaviour\n"

static char *trace, *film;

static ViewScene
scene_of (Session *s)
{
  return (ViewScene){ .source = s->source, .film = film, .bundle = trace, .at = s->source->last, .from = 1 };
}

static void
on_found (void *n)
{
  ++*(int *) n;
}

/* "like t1: 0 2 5\n" for each part. */
static char *
told (const Groups *g)
{
  GString *text = g_string_new (NULL);

  g_assert_nonnull (g);
  for (uint32_t i = 0; i < g->n_parts; ++i) {
    g_autofree char *name = groups_part_name (g, i);
    g_string_append_printf (text, "%s:", name ? name : "alone");
    for (uint32_t k = 0; k < g->parts[i].n; ++k)
      g_string_append_printf (text, " %u", g->order[g->parts[i].first + k]);
    g_string_append_c (text, '\n');
  }
  return g_string_free (text, FALSE);
}

static char *
at_once (void)
{
  Session *s = open_session (trace, NULL);
  const ViewScene scene = scene_of (s);

  session_set_cut (s, CUT);
  char *text = told (session_groups (s, &scene));
  session_free (s);
  return text;
}

static void
test_thread (void)
{
  g_autofree char *want = at_once ();
  Session *s = open_session (trace, NULL);
  const ViewScene scene = scene_of (s);
  int n = 0;

  session_cut_in_background (s, 2, on_found, &n);
  session_set_cut (s, CUT);
  const Groups *g = session_groups (s, &scene);
  g_autofree char *soon = told (g);
  g_assert_nonnull (strstr (session_cut_problem (s), "were looked at"));
  g_assert_true (session_cut_is_whole (s));
  uint32_t not_yet = groups_find (g, "not looked at yet");
  g_assert_cmpuint (not_yet, !=, TRACE_NONE);
  g_assert_cmpuint (g->all[not_yet].n, ==, g->n_tasks / 2);
  for (uint32_t k = 0; k < g->all[not_yet].n; ++k)
    g_assert_cmpuint (g->order[g->all[not_yet].first + k] % 2, ==, 1);
  while (n == 0)
    g_main_context_iteration (NULL, TRUE);
  g_autofree char *then = told (session_groups (s, &scene)), *again = told (session_groups (s, &scene));
  g_assert_cmpstr (then, ==, want);
  g_assert_cmpstr (again, ==, want);
  g_assert_null (session_cut_problem (s));
  /* one that may be cut otherwise is made of what is known */
  g_autoptr (GError) error = NULL;
  g_autoptr (Groups) own = session_groups_new (s, &scene, CUT, &error);
  g_assert_no_error (error);
  g_autofree char *other = told (own);
  g_assert_cmpstr (other, ==, want);
  g_assert_cmpint (n, ==, 1);
  session_free (s);
}

/* Few tasks are not worth a thread. */
static void
test_few (void)
{
  g_autofree char *want = at_once ();
  Session *s = open_session (trace, NULL);
  const ViewScene scene = scene_of (s);
  int n = 0;

  session_cut_in_background (s, 100000, on_found, &n);
  session_set_cut (s, CUT);
  g_autofree char *got = told (session_groups (s, &scene));
  g_assert_cmpstr (got, ==, want);
  session_free (s);
  g_assert_cmpint (n, ==, 0);
}

/* Whoever is told of a history that grows asks for more of it at once: between two searches there is a rest. */
typedef struct Growing {
  SessionClusters *clusters;
  ClustersAsked asked;
  int n;
} Growing;

static void
grow (void *data)
{
  Growing *g = data;
  bool whole;

  g->asked.reach++;
  g->n++;
  const GroupsClusters *known = session_clusters_ask (g->clusters, &g->asked, &whole);
  g_assert_nonnull (known);
  g_assert_false (whole);
}

static void
test_rests (void)
{
  Session *s = open_session (trace, NULL);
  const ViewScene scene = scene_of (s);
  g_autofree char *states = g_strdup_printf ("%s/%s", film, "none");
  g_autoptr (GDir) dir = g_dir_open (film, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".states.index")) {
      g_free (states);
      states = g_strdup_printf ("%s/%.*s", film, (int) (strlen (name) - strlen (".index")), name);
    }
  Growing g = { .asked = { states, 0, scene.source->first, scene.source->last, 0 } };
  session_set_cut (s, CUT);
  g.asked.n_tasks = session_groups (s, &scene)->n_tasks;
  g.clusters = session_clusters_new (2, grow, &g);
  bool whole;
  int64_t began_us = g_get_monotonic_time ();
  g_assert_null (session_clusters_ask (g.clusters, &g.asked, &whole));
  g_assert_false (whole);
  while (g.n < 7) /* told at once, then after a rest, after which the next search begins */
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (g_get_monotonic_time () - began_us, >=, 300000);
  session_clusters_free (g.clusters);
  session_free (s);
}

/* Who goes while the thread searches is told nothing. */
static void
test_gone (void)
{
  int gone = 0, there = 0;
  Session *s = open_session (trace, NULL), *other = open_session (trace, NULL);
  const ViewScene scene = scene_of (s), second = scene_of (other);

  session_cut_in_background (s, 2, on_found, &gone);
  session_cut_in_background (other, 2, on_found, &there);
  session_set_cut (s, CUT);
  session_set_cut (other, CUT);
  session_groups (s, &scene);
  session_free (s);
  session_groups (other, &second);
  while (there == 0)
    g_main_context_iteration (NULL, TRUE);
  session_free (other);
  g_assert_cmpint (gone, ==, 0);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *components = places_components ();

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("scope-behind-XXXXXX", &error);
  g_assert_no_error (error);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  trace = sample ("births");
  film = in_folder ("film");
  shoot (trace, NULL, film, "none");
  g_test_add_func ("/behind/thread", test_thread);
  g_test_add_func ("/behind/rests", test_rests);
  g_test_add_func ("/behind/few", test_few);
  g_test_add_func ("/behind/gone", test_gone);
  int status = g_test_run ();
  places_remove (folder, NULL);
  g_free (trace);
  g_free (film);
  g_free (folder);
  return status;
}
