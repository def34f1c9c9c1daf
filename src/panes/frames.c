/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - how long the window was busy with a picture, for benchmarks: SCOPE_DEBUG=frames prints, each time nothing
 * was painted for a second, median and worst in ms of three things: what was done between two waits of the main loop,
 * by the clock; the same, of the processor alone, which is what a machine with other work to do can be judged by; and
 * from one frame to the next, which also holds what was done between the two. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "panes/picture.h"
#include "statistics/quantile.h"

#define REST_MS 1000

typedef struct Moment {
  gint64 clock_ns, processor_ns;
} Moment;

static GArray *clocks, *processors, *between; /* of double, ms */
static GPollFunc wait_poll;
static Moment woke;
static gint64 painted_ns, frame_ns;
static bool painted, is_frame;

static Moment
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (Moment){ g_get_monotonic_time () * 1000, (gint64) t.tv_sec * 1000000000 + t.tv_nsec };
}

static int
frames_compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
frames_print (const char *what, GArray *times)
{
  if (times->len == 0)
    return;
  g_array_sort (times, frames_compare);
  const double *sorted = (const double *) (const void *) times->data;
  g_printerr ("frames: %u, %s: median %.1f ms, 95 %% %.1f ms, worst %.1f ms\n", times->len, what,
              stats_quantile (sorted, times->len, 0.5), stats_quantile (sorted, times->len, 0.95),
              stats_quantile (sorted, times->len, 1));
  g_array_set_size (times, 0);
}

static void
frames_note (GArray *times, gint64 ns)
{
  double ms = (double) ns / 1e6;

  g_array_append_val (times, ms);
}

static gint
poll_measured (GPollFD *fds, guint n, gint timeout)
{
  Moment at = now ();
  gint result;

  if (painted) {
    frames_note (clocks, at.clock_ns - woke.clock_ns);
    frames_note (processors, at.processor_ns - woke.processor_ns);
    painted_ns = at.clock_ns;
  } else if (clocks->len > 0 && at.clock_ns - painted_ns > REST_MS * G_GINT64_CONSTANT (1000000)) {
    frames_print ("by the clock", clocks);
    frames_print ("of the processor", processors);
    frames_print ("from one to the next", between);
    frame_ns = 0;
  }
  if (is_frame) {
    if (frame_ns != 0)
      frames_note (between, at.clock_ns - frame_ns);
    frame_ns = at.clock_ns;
  }
  painted = is_frame = false;
  if (clocks->len > 0 && (timeout < 0 || timeout > REST_MS + 100))
    timeout = REST_MS + 100; /* to print, though nothing else happens */
  result = wait_poll (fds, n, timeout);
  woke = now ();
  return result;
}

void
frames_painted (bool frame)
{
  static int wanted = -1;

  if (wanted < 0) {
    const char *debug = g_getenv ("SCOPE_DEBUG");
    wanted = debug != NULL && strstr (debug, "frames") != NULL;
    if (wanted) {
      clocks = g_array_new (FALSE, FALSE, sizeof (double));
      processors = g_array_new (FALSE, FALSE, sizeof (double));
      between = g_array_new (FALSE, FALSE, sizeof (double));
      wait_poll = g_main_context_get_poll_func (NULL);
      woke = now ();
      g_main_context_set_poll_func (NULL, poll_measured);
    }
  }
  painted = true;
  is_frame |= frame;
}
