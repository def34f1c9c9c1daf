/* SPDX-License-Identifier: Apache-2.0 */
/* pin.c - rows that stay in sight: of any view that has a setting "pinned", a list of tasks. */
#include <string.h>
#include "document/document.h"
#include "eve/words.h"
#include "panes/groups.h"
#include "statistics/list.h"

#define SETTING "pinned"

bool
pane_pins (ScopePicture *p, TraceRef what, bool *pinned)
{
  EveComponent *c = picture_component (p);
  TraceSource *s = scope_document_source (picture_document (p));

  if (what.type != TRACE_REF_TASK || c == NULL || s == NULL || s->number != what.source
      || eve_class_setting (eve_class (c), SETTING) < 0)
    return false;
  g_autofree char *list = eve_get (c, SETTING);
  *pinned = stats_list_has (list, trace_task_id (s, what.id)) || stats_list_has (list, trace_task_name (s, what.id));
  return true;
}

void
pane_pin (ScopePicture *p, TraceRef what)
{
  TraceSource *s = scope_document_source (picture_document (p));
  bool pinned;

  if (!pane_pins (p, what, &pinned))
    return;
  const char *id = trace_task_id (s, what.id), *name = trace_task_name (s, what.id);
  g_autofree char *list = eve_get (picture_component (p), SETTING);
  g_auto (GStrv) names = stats_list_split (list);
  g_autoptr (GString) after = g_string_new (NULL);
  for (guint i = 0; names[i] != NULL; i++)
    if (strcmp (names[i], id) != 0 && strcmp (names[i], name) != 0)
      stats_list_add (after, names[i]);
  if (!pinned)
    stats_list_add (after, id);
  g_autofree char *told = g_strdup_printf (pinned ? _ ("Unpin %s") : _ ("Pin %s"), name);
  picture_set (p, told, SETTING, after->str);
}
