/* SPDX-License-Identifier: Apache-2.0 */
/* Traces and programs that were opened, among the recent files of the desktop, where a person also takes them away. */
#include "window/window.h"

static const char *const groups[] = { "scope-traces", "scope-programs" };

void
recent_add (RecentKind kind, const char *path)
{
  const char *group[] = { groups[kind], NULL };
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL), *name = g_path_get_basename (path);
  GtkRecentData data = {
    .display_name = name,
    .mime_type = (char *) (kind == RECENT_TRACES ? "inode/directory" : "application/x-scope-program"),
    .app_name = (char *) g_get_application_name (),
    .app_exec = (char *) "scope %f",
    .groups = (char **) group,
  };

  if (uri)
    gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

static int
last_first (gconstpointer a, gconstpointer b)
{
  time_t x = gtk_recent_info_get_modified ((GtkRecentInfo *) a), y = gtk_recent_info_get_modified ((GtkRecentInfo *) b);

  return (x < y) - (x > y);
}

GList *
recent_list (RecentKind kind)
{
  GList *all = gtk_recent_manager_get_items (gtk_recent_manager_get_default ()), *ours = NULL;

  for (GList *l = all; l; l = l->next)
    if (gtk_recent_info_has_group (l->data, groups[kind]) && gtk_recent_info_exists (l->data))
      ours = g_list_prepend (ours, gtk_recent_info_ref (l->data));
  g_list_free_full (all, (GDestroyNotify) gtk_recent_info_unref);
  return g_list_sort (ours, last_first);
}
