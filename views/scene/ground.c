/* SPDX-License-Identifier: Apache-2.0 */
/* ground.c - what a scene stands on: floors, plates of hosts, scales. */
#include <math.h>
#include <string.h>
#include "views/scene/scene.h"

#define LABELS_OF_HOSTS 64
#define THICK 0.0014 /* of the length of a scale */

uint32_t
scene_faint (const ViewScene *scene)
{
  return scene->dark ? 0x6a7180 : 0xaab0ba;
}

void
scene_floor (const ViewScene *scene, SceneModel *m, const double low[2], const double high[2], double z)
{
  double at[] = { (low[0] + high[0]) / 2, (low[1] + high[1]) / 2, z },
         size[] = { (high[0] - low[0]) / 2, (high[1] - low[1]) / 2, 0 };

  scene_shape (m, SCENE_PLATE, at, size, scene->dark ? 0x9fb4d8 : 0x5c7cb0, scene->dark ? 0.14 : 0.12, 0);
}

void
scene_rod (SceneModel *m, const double from[3], const double to[3], double radius, uint32_t rgb, uint32_t id)
{
  scene_arrow (m, SCENE_ROD, from, to, radius, rgb, id);
}

static void
ground_mix (const double a[3], const double b[3], double share, const double aside[3], double by, double to[3])
{
  for (int k = 0; k < 3; k++)
    to[k] = a[k] + (b[k] - a[k]) * share + aside[k] * by;
}

/* A stroke across the scale, and its number behind it. */
static void
tick (const ViewScene *scene, SceneModel *m, const double a[3], const double b[3], double share, const double aside[3],
      double thick, char *text)
{
  double at[3], end[3], behind[3];

  ground_mix (a, b, share, aside, 0, at);
  ground_mix (a, b, share, aside, 0.4, end);
  ground_mix (a, b, share, aside, 1, behind);
  scene_rod (m, at, end, thick, scene_faint (scene), 0);
  scene_label (m, behind, 0, text, true);
}

static double
ground_begin_scale (const ViewScene *scene, SceneModel *m, const double from[3], const double to[3])
{
  double d[] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] },
         thick = THICK * sqrt (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);

  scene_rod (m, from, to, thick, scene_faint (scene), 0);
  return thick;
}

void
scene_scale (const ViewScene *scene, SceneModel *m, const ChartScale *s, const double from[3], const double to[3],
             const double aside[3], const char *title)
{
  double thick = ground_begin_scale (scene, m, from, to), end[3], step = s->step;
  int n = (int) CLAMP (lround ((s->hi - s->lo) / step), 1, 20);

  for (int i = 0; i <= n; i++) {
    g_autofree char *number = chart_label (s, s->lo + i * step);
    bool last = i == n && *s->unit != '\0';
    tick (scene, m, from, to, (double) i / n, aside, thick,
          last ? g_strdup_printf ("%s\u2009%s", number, s->unit) : g_strdup (number));
  }
  if (title == NULL || *title == '\0')
    return;
  ground_mix (from, to, 0.5, aside, 2.2, end);
  scene_label (m, end, 0, g_strdup (title), true);
}

void
scene_time_scale (const ViewScene *scene, SceneModel *m, int64_t from, int64_t to, const double a[3], const double b[3],
                  const double aside[3])
{
  const TraceClock *clock = &scene->source->clock;
  double thick = ground_begin_scale (scene, m, a, b);
  Axis axis;

  axis_begin (&axis, scene, from, to, 0, 640);
  int decimals = axis.decimals + (axis.unit_s < 1e-4 ? 6 : axis.unit_s < 0.1 ? 3 : 0);
  int64_t first = axis.zero + (int64_t) ceil (((double) from - (double) axis.zero) / (double) axis.step) * axis.step;
  for (int64_t date = first, n = 0; date <= to && n < 40; date += axis.step, n++)
    tick (scene, m, a, b, ((double) date - (double) from) / ((double) to - (double) from), aside, thick,
          axis_date (clock, date, decimals));
}

void
scene_host_plates (const ViewScene *scene, const LayoutNodes *nodes, const double (*at)[3], const char *const *names,
                   SceneModel *m, double z)
{
  uint32_t n_hosts = 0;

  for (uint32_t i = 0; i < nodes->n; i++)
    n_hosts = MAX (n_hosts, nodes->host[i] + 1);
  g_autofree double *box = g_new (double, 4 * (gsize) n_hosts + 1);
  g_autofree const char **name = g_new0 (const char *, n_hosts + 1);
  for (uint32_t i = 0; i < nodes->n; i++) {
    double *b = &box[4 * (gsize) nodes->host[i]];
    if (names[i] == NULL)
      continue;
    if (name[nodes->host[i]] == NULL)
      b[0] = b[2] = at[i][0], b[1] = b[3] = at[i][1];
    name[nodes->host[i]] = names[i];
    b[0] = fmin (b[0], at[i][0]), b[1] = fmin (b[1], at[i][1]);
    b[2] = fmax (b[2], at[i][0]), b[3] = fmax (b[3], at[i][1]);
  }
  for (uint32_t h = 0; h < n_hosts; h++) {
    const double *b = &box[4 * (gsize) h];
    if (name[h] == NULL) /* nobody stands there */
      continue;
    scene_floor (scene, m, (const double[]){ b[0] - 0.55, b[1] - 0.55 }, (const double[]){ b[2] + 0.55, b[3] + 0.55 },
                 z);
    if (n_hosts <= LABELS_OF_HOSTS)
      scene_label (m, (const double[]){ (b[0] + b[2]) / 2, b[1] - 0.55, z }, 0, g_strdup (name[h]), true);
  }
}
