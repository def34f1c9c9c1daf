/* SPDX-License-Identifier: Apache-2.0 */
/* panel-boxes.c - which boxes stand on a panel, and what they are called. */
#include "views/panel.h"
#include "views/view.h"
#include <string.h>
#include "eve/words.h"
#include "eve/eve-host.h"
#include "statistics/list.h"

static const PanelOf *
panel_of (EveComponent *c)
{
  return eve_query (c, PANEL_INTERFACE);
}

GPtrArray *
panel_boxes (EveComponent *panel, GPtrArray *missing)
{
  EveProgram *p = eve_program (panel);
  const PanelOf *of = panel_of (panel);
  g_auto (GStrv) names = stats_list_split (of ? of->boxes (panel) : "");
  GPtrArray *boxes = g_ptr_array_new ();

  for (char **name = names; *name; name++) {
    EveComponent *c = eve_find (p, *name);
    if (c && c != panel)
      g_ptr_array_add (boxes, c);
    else if (missing)
      g_ptr_array_add (missing, g_strdup (*name));
  }
  for (uint32_t i = 0; !*names && i < eve_n_components (p); i++) /* how a view looks is for who looks at it */
    if (eve_query (eve_component (p, i), BOX_INSPECTOR) && !eve_query (eve_component (p, i), VIEW_INTERFACE))
      g_ptr_array_add (boxes, eve_component (p, i));
  return boxes;
}

const char *
panel_label (EveComponent *box)
{
  int i = eve_class_setting (eve_class (box), "label");
  const EveField *f = i >= 0 ? &eve_class (box)->settings[i] : NULL;
  const char *label = f && f->kind == EVE_F_STRING ? *(char **) ((char *) box + f->offset) : "";

  return in_words (*label ? label : eve_name (box));
}

char *
panel_setting (EveComponent *box, const char *setting)
{
  int i = eve_class_setting (eve_class (box), setting);
  const EveField *f = i >= 0 ? &eve_class (box)->settings[i] : NULL;
  g_autofree char *text = f ? eve_get (box, setting) : NULL;

  return f && f->unit && *text ? g_strdup_printf ("%s %s", text, f->unit) : g_strdup (text ? text : "");
}
