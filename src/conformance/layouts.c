/* SPDX-License-Identifier: Apache-2.0 */
/* layouts.c - a layout of graphs: a place for each node, the same twice, and nothing written that is not its own. */
#include <math.h>
#include <string.h>
#include <time.h>
#include "src/conformance/private.h"
#include "views/graph-layout.h"

#define MANY 20000
#define LONG_S 2.0 /* of the processor, for so many, if it is asked again and again */
#define GUARD 0x5a /* bytes before and behind the places */
#define GUARDED 3  /* places */
#define TRIED 20   /* sizes, of one that is loaded */

typedef struct Nodes {
  LayoutNodes are;
  uint32_t *host;
  double *value[3];
  LayoutTie *ties;
} Nodes;

static Nodes
make_nodes (uint32_t n, const GraphLayout *l)
{
  Nodes s = { .host = g_new (uint32_t, n + 1), .ties = g_new (LayoutTie, 2 * (gsize) n + 1) };
  uint32_t n_ties = 0;

  for (int k = 0; k < 3; k++)
    s.value[k] = l->dynamic && k != 1 ? g_new (double, n + 1) : NULL; /* an attribute may not be there at all */
  for (uint32_t i = 0; i < n; i++) {
    s.host[i] = i % 3;
    for (int k = 0; k < 3; k++)
      if (s.value[k] != NULL)
        s.value[k][i] = i % 11 == 10 ? NAN : (double) (i * (7 + (uint32_t) k) % 101) / 100;
    if (i + 1 < n)
      s.ties[n_ties++] = (LayoutTie){ i, i + 1, 1 + i % 5, true, i % 2 == 0 };
    if (i + 17 < n && i % 4 == 0)
      s.ties[n_ties++] = (LayoutTie){ i, i + 17, 1e6, false, true };
  }
  s.are = (LayoutNodes){ .n = n, .host = s.host, .value = { s.value[0], s.value[1], s.value[2] } };
  if (l->tied) {
    s.are.ties = s.ties;
    s.are.n_ties = n_ties;
  }
  return s;
}

static void
free_nodes (Nodes *s)
{
  g_free (s->host);
  g_free (s->ties);
  for (int k = 0; k < 3; k++)
    g_free (s->value[k]);
}

static bool
is_same_nodes (const Nodes *a, const Nodes *b)
{
  gsize n = a->are.n;
  bool same = memcmp (a->host, b->host, n * sizeof *a->host) == 0
              && memcmp (a->ties, b->ties, a->are.n_ties * sizeof *a->ties) == 0;

  for (int k = 0; k < 3; k++)
    same = same && (a->value[k] == NULL || memcmp (a->value[k], b->value[k], n * sizeof (double)) == 0);
  return same;
}

/* In space or in the plane, by the number of axes, with a guard before and behind the places; *seconds of the
 * processor. */
static char *
conformance_layouts_place (const GraphLayout *l, guint axes, const Nodes *s, gsize *bytes, double *seconds)
{
  clock_t began = clock ();

  *bytes = sizeof (double) * axes * (s->are.n + 2 * GUARDED);
  char *all = g_malloc (*bytes);
  memset (all, GUARD, *bytes);
  double *at = (double *) (void *) all + axes * GUARDED;
  for (gsize i = 0; i < (gsize) axes * s->are.n; i++)
    at[i] = NAN;
  if (axes == 3)
    l->place (&s->are, (double (*)[3]) (void *) at);
  else
    l->plane (&s->are, (double (*)[2]) (void *) at);
  *seconds = (double) (clock () - began) / CLOCKS_PER_SEC;
  return all;
}

static bool
is_guarded (const char *all, guint axes, gsize bytes)
{
  gsize guard = GUARDED * axes * sizeof (double);

  for (gsize i = 0; i < guard; i++)
    if (all[i] != GUARD || all[bytes - 1 - i] != GUARD)
      return false;
  return true;
}

/* False: more of the same would be told for others. */
static bool
check_places (Check *k, const GraphLayout *l, guint axes, uint32_t n, const double *at)
{
  for (uint32_t i = 0; i < n; i++, at += axes) {
    double up = axes == 3 ? at[2] : 0;
    if (!(fabs (at[0]) <= LAYOUT_FAR && fabs (at[1]) <= LAYOUT_FAR && fabs (up) <= LAYOUT_FAR)) { /* NaN is not */
      check_problem (k, "Of %u nodes it puts the one of number %u nowhere, or too far away: %g, %g, %g.", n, i, at[0],
                     at[1], up);
      return false;
    }
    if (l->flat && axes == 3 && i > 0 && up != at[2 - (int) axes]) {
      check_problem (k, "It says that it is flat, and puts nodes at different heights.");
      return false;
    }
  }
  return true;
}

static bool
check_many (Check *k, const GraphLayout *l, guint axes, uint32_t n)
{
  Nodes a = make_nodes (n, l), b = make_nodes (n, l);
  gsize bytes;
  double first, second;
  g_autofree char *once = conformance_layouts_place (l, axes, &a, &bytes, &first),
                  *twice = conformance_layouts_place (l, axes, &b, &bytes, &second);
  Nodes fresh = make_nodes (n, l);
  guint before = k->problems->len;

  if (!is_guarded (once, axes, bytes))
    check_problem (k, "Of %u nodes it writes places beyond theirs.", n);
  else if (!is_same_nodes (&a, &fresh))
    check_problem (k, "It writes into what it is given.");
  else if (memcmp (once, twice, bytes) != 0)
    check_problem (k, "The same %u nodes come to other places the second time.", n);
  else
    check_places (k, l, axes, n, (const double *) (const void *) once + (gsize) axes * GUARDED);
  if (!l->tied && MIN (first, second) > LONG_S)
    check_problem (k, "It takes %.1f s for %u nodes, and is asked again and again.", MIN (first, second), n);
  free_nodes (&a);
  free_nodes (&b);
  free_nodes (&fresh);
  return k->problems->len == before;
}

static const char *
promised (const EveClass *klass)
{
  for (const char *const *p = klass->provides; p != NULL && *p != NULL; p++)
    if (g_str_has_prefix (*p, LAYOUT_PROVIDES))
      return *p + strlen (LAYOUT_PROVIDES);
  return NULL;
}

void
check_layout (Check *k)
{
  static const uint32_t sizes[] = { 0, 1, 2, 3, 8, 30, 1000, MANY };
  const char *name = promised (k->klass);
  const GraphLayout *l = name != NULL && k->klass->query != NULL ? k->klass->query (NULL, LAYOUT_INTERFACE) : NULL;

  if (name == NULL)
    return;
  check_begin (k, "layout");
  if (l == NULL || (l->place == NULL && l->plane == NULL))
    return check_problem (k, "It provides a layout, and does not answer the query \"%s\" without an instance.",
                          LAYOUT_INTERFACE);
  if (g_strcmp0 (l->name, name) != 0 || *name == '\0')
    return check_problem (k, "Its layout is called \"%s\", and not \"%s\" as in what it provides.",
                          l->name != NULL ? l->name : "", name);
  for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint axes = 2; axes <= 3; axes++)
      if ((axes == 3 ? l->place != NULL : l->plane != NULL) && !(l->tied && sizes[i] == MANY)
          && !check_many (k, l, axes, sizes[i]))
        return;
}

void
try_layout (const EveClass *klass)
{
  const GraphLayout *l = promised (klass) != NULL && klass->query != NULL ? klass->query (NULL, LAYOUT_INTERFACE)
                                                                          : NULL;

  for (uint32_t n = 0; l != NULL && n < TRIED; n++) {
    Nodes s = make_nodes (n, l);
    gsize bytes;
    double unused;
    if (l->place != NULL)
      g_free (conformance_layouts_place (l, 3, &s, &bytes, &unused));
    if (l->plane != NULL)
      g_free (conformance_layouts_place (l, 2, &s, &bytes, &unused));
    free_nodes (&s);
  }
}
