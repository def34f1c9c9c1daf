/* SPDX-License-Identifier: Apache-2.0 */
/* pace.h - how often a pane that shows the present looks again while time moves: every tenth of a second, and for a
 * tenth of the time at most. */
#pragma once
#include <glib.h>

typedef struct Pace {
  gint64 took; /* us, the last look */
  guint timer; /* `show` sets it to 0 */
} Pace;

static inline void
pace_stop (Pace *p)
{
  g_clear_handle_id (&p->timer, g_source_remove);
}

static inline void
pace_soon (Pace *p, GSourceFunc show, gpointer arg)
{
  if (p->timer == 0)
    p->timer = g_timeout_add ((guint) MAX (100, p->took * 10 / 1000), show, arg);
}

static inline void
pace_now (Pace *p, GSourceFunc show, gpointer arg)
{
  pace_stop (p);
  show (arg);
}
