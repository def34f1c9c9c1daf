/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - how long the window was busy with a picture, for benchmarks: SCOPE_DEBUG=frames prints median and worst, in ms,
 * of what was done between two waits of the main loop, each time it has rested for a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "panes/picture.h"

static GArray *frames; /* of double, ms */
static GPollFunc wait_poll;
static gint64 woke_us, last_us;
static bool painted;

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static void
print (void)
{
  if (frames->len == 0)
    return;
  g_array_sort (frames, compare);
  g_printerr ("frames: %u, median %.1f ms, 95 %% %.1f ms, worst %.1f ms\n", frames->len,
              g_array_index (frames, double, frames->len / 2), g_array_index (frames, double, frames->len * 95 / 100),
              g_array_index (frames, double, frames->len - 1));
  g_array_set_size (frames, 0);
}

static gint
poll_measured (GPollFD *fds, guint n, gint timeout)
{
  gint64 now = g_get_monotonic_time ();
  double ms = (double)(now - woke_us) / 1000;
  gint result;

  if (painted) {
    g_array_append_val (frames, ms);
    last_us = now;
  }
  painted = false;
  result = wait_poll (fds, n, timeout);
  woke_us = g_get_monotonic_time ();
  if (woke_us - last_us > G_USEC_PER_SEC)
    print ();
  return result;
}

void
frames_painted (gint64 began_us)
{
  static int wanted = -1;

  if (wanted < 0) {
    const char *debug = g_getenv ("SCOPE_DEBUG");
    wanted = debug != NULL && strstr (debug, "frames") != NULL;
    if (wanted) {
      frames = g_array_new (FALSE, FALSE, sizeof (double));
      wait_poll = g_main_context_get_poll_func (NULL);
      woke_us = began_us;
      g_main_context_set_poll_func (NULL, poll_measured);
    }
  }
  painted = true;
}
