/* SPDX-License-Identifier: Apache-2.0 */
/* panel.h - boxes put together on a panel: those that a Panel names, or all that bring an inspector of their own
 * (readers/box-inspector.h).  Drawn by panel.c; the window puts widgets in the place of the drawing. */
#pragma once
#include <glib.h>
#include "readers/box-inspector.h"
#include "readers/event.h"

/* To eve_query: its answer, not NULL, says that a component is a panel. */
#define PANEL_INTERFACE "panel/1"
typedef struct PanelOf {
  const char *(*boxes) (EveComponent *self); /* its setting, a list of names (statistics/list.h) */
} PanelOf;

/* The boxes that stand on a panel, of EveComponent *, in this order; transfer container.  `missing` (NULL: not asked
 * for) gets the names, of char *, of those that are not there. */
TRACE_API GPtrArray *panel_boxes (EveComponent *panel, GPtrArray *missing);
/* What is said of a box: the setting `label` if it has one that is not empty, else its name.  Good until it changes. */
TRACE_API const char *panel_label (EveComponent *box);
/* How many rows of its inspector stand on a panel. */
static inline uint32_t
panel_rows (const BoxInspector *own)
{
  return own->n_panel > 0 && own->n_panel < own->n_rows ? own->n_panel : own->n_rows;
}
/* The setting of a row as it is now, for people; g_free. */
TRACE_API char *panel_setting (EveComponent *box, const char *setting);
