/* SPDX-License-Identifier: Apache-2.0 */
/* associate.c - the associations of what is open: of its format, the person, the bundle and the program. */
#include "document/private.h"
#include "eve/words.h"
#include "views/associations.h"

static void
associate_on_unreadable (void *document, const char *sentence)
{
  scope_document_say (document, SCOPE_SAY_WARNING, _ ("%s; it says nothing"), sentence);
}

/* ---- files that somebody else changes ------------------------------------------------------------------------------- */
#define SETTLE_MS 150 /* after the last sign that one is written */

static gboolean
associate_on_settled (gpointer document)
{
  ScopeDocument *d = document;

  d->associating = 0;
  if (d->session) {
    document_associate (d);
    document_tell (d, DOC_LOOK);
  }
  return G_SOURCE_REMOVE;
}

static void
associate_on_changed (ScopeDocument *d)
{
  g_clear_handle_id (&d->associating, g_source_remove);
  d->associating = g_timeout_add (SETTLE_MS, associate_on_settled, d);
}

void
document_associate_end (ScopeDocument *d)
{
  g_clear_handle_id (&d->associating, g_source_remove);
  g_clear_pointer (&d->association_files, g_ptr_array_unref);
}

static void
associate_unwatch (gpointer monitor)
{
  g_file_monitor_cancel (monitor);
  g_object_unref (monitor);
}

/* One that is not there yet, too. */
static void
associate_watch (ScopeDocument *d, const char *folder, const char *name)
{
  g_autofree char *path = folder ? g_build_filename (folder, name, NULL) : g_strdup (name);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GFileMonitor *m = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);

  if (!m) /* read when it is opened again */
    return;
  g_signal_connect_swapped (m, "changed", G_CALLBACK (associate_on_changed), d);
  g_ptr_array_add (d->association_files, m);
}

/* The person's, the bundle's, that of the program's folder, and the one that was given. */
static void
watch_all (ScopeDocument *d, const char *folder)
{
  g_autofree char *own = g_build_filename (g_get_user_config_dir (), "scope", NULL);

  g_clear_pointer (&d->association_files, g_ptr_array_unref);
  d->association_files = g_ptr_array_new_with_free_func (associate_unwatch);
  associate_watch (d, own, "associations");
  associate_watch (d, d->session->trace, "associations");
  if (folder)
    associate_watch (d, folder, "associations");
  if (d->given)
    associate_watch (d, NULL, d->given);
}

void
document_associate (ScopeDocument *d)
{
  g_autofree char *folder = d->session->program_path ? g_path_get_dirname (d->session->program_path) : NULL;

  session_declare_colours (d->session, d->colours);
  g_free (d->associated);
  d->associated = g_strdup (eve_program_note (d->session->program, "associations"));
  view_associations_load (d->colours, folder, d->session->trace, eve_program_note (d->session->program, "associations"),
                          associate_on_unreadable, d);
  g_autoptr (GError) error = NULL;
  associations_clear (view_colours_associations (d->colours), LOOK_GIVEN);
  if (d->given && !associations_read_file (view_colours_associations (d->colours), LOOK_GIVEN, d->given, NULL, &error))
    associate_on_unreadable (d, error->message);
  watch_all (d, folder);
}

void
scope_document_set_associations (ScopeDocument *d, const char *path)
{
  g_free (d->given);
  d->given = g_strdup (path);
  if (!d->session)
    return;
  document_associate (d);
  document_tell (d, DOC_LOOK);
}

void
scope_document_look_again (ScopeDocument *d)
{
  document_tell (d, DOC_LOOK);
}

const char *
scope_document_associations (ScopeDocument *d)
{
  return d->given;
}

bool
document_associate_again (ScopeDocument *d)
{
  if (g_strcmp0 (d->associated, eve_program_note (d->session->program, "associations")) == 0)
    return false;
  document_associate (d);
  return true;
}
