/* SPDX-License-Identifier: Apache-2.0 */
/* counted.c - pictures of charts that follow the range which is selected: they are drawn from the session that counts
 * it. */
#include "panes/picture.h"
#include "eve/words.h"
#include "session/cut.h"

bool
picture_counts (ScopePicture *p)
{
  return p->c != NULL && picture_sort (p) == PICTURE_DRAWING && scope_document_counts (p->d, p->c);
}

ScopeCounted
picture_counted (ScopePicture *p)
{
  return p->shown.follow && p->c != NULL && picture_sort (p) == PICTURE_DRAWING ? scope_document_counted (p->d, p->c)
                                                                                : (ScopeCounted){ 0 };
}

EveComponent *
picture_enter (ScopePicture *p, bool *entered)
{
  ScopeCounted counted = picture_counted (p);

  *entered = counted.view != NULL && scope_document_counted_enter (p->d);
  return counted.view != NULL ? counted.view : p->c;
}

void
picture_leave (ScopePicture *p, bool entered)
{
  scope_document_counted_leave (p->d, entered);
}

bool
picture_wired (ScopePicture *p, ViewScene *scene, GError **error)
{
  ScopeCounted counted = picture_counted (p);
  Session *s = scope_document_session (p->d);

  if (counted.view == NULL)
    return session_scene (s, p->c, scene, error);
  bool ok = session_scene (counted.session, counted.view, scene, error);
  scene->at = counted.to;
  scene->counted_from = counted.from;
  scene->counted_to = counted.to;
  scene->groups = session_groups (s, scene); /* one cut for all */
  return ok;
}

const char *
picture_counted_told (ScopePicture *p, const char *outdated, char **told)
{
  ScopeCounted counted = picture_counted (p);

  if (counted.waits && counted.is_long)
    *told = g_strdup_printf (_ ("The range is being counted: %.0f %%"), 100 * counted.share);
  else if (counted.problem != NULL)
    *told = g_strdup_printf (_ ("Of the present, not of the range: %s"), counted.problem);
  return *told != NULL ? *told : counted.view != NULL ? NULL : outdated;
}

void
picture_on_range (ScopePicture *p)
{
  gtk_widget_queue_draw (GTK_WIDGET (p));
  if (picture_is_alive (p) && gtk_widget_get_mapped (GTK_WIDGET (p)) && picture_counts (p)
      && !scope_document_drags_range (p->d))
    g_signal_emit_by_name (p, "shown");
}
