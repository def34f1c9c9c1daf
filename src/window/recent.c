/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles that were opened, among the recent files of the desktop, where a person also takes them away. */
#include "window/window.h"

#define GROUP "scope-traces"

void
recent_add (const char *trace)
{
  static const char *groups[] = { GROUP, NULL };
  g_autofree char *uri = g_filename_to_uri (trace, NULL, NULL), *name = g_path_get_basename (trace);
  GtkRecentData data = {
    .display_name = name,
    .mime_type = (char *) "inode/directory",
    .app_name = (char *) g_get_application_name (),
    .app_exec = (char *) "scope %f",
    .groups = (char **) groups,
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
recent_list (void)
{
  GList *all = gtk_recent_manager_get_items (gtk_recent_manager_get_default ()), *ours = NULL;

  for (GList *l = all; l; l = l->next)
    if (gtk_recent_info_has_group (l->data, GROUP) && gtk_recent_info_exists (l->data))
      ours = g_list_prepend (ours, gtk_recent_info_ref (l->data));
  g_list_free_full (all, (GDestroyNotify) gtk_recent_info_unref);
  return g_list_sort (ours, last_first);
}
