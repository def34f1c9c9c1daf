/* SPDX-License-Identifier: Apache-2.0 */
/* associate.c - the associations of what is open: of its format, the person, the bundle and the program. */
#include "document/private.h"
#include "eve/words.h"
#include "views/associations.h"

static void
on_unreadable (void *document, const char *sentence)
{
  scope_document_say (document, SCOPE_SAY_WARNING, _ ("%s; it says nothing"), sentence);
}

void
document_associate (ScopeDocument *d)
{
  g_autofree char *folder = d->session->program_path ? g_path_get_dirname (d->session->program_path) : NULL;

  g_free (d->associated);
  d->associated = g_strdup (eve_program_note (d->session->program, "associations"));
  view_associations_load (d->colours, folder, d->session->trace, eve_program_note (d->session->program, "associations"),
                          on_unreadable, d);
  g_autoptr (GError) error = NULL;
  associations_clear (view_colours_associations (d->colours), LOOK_GIVEN);
  if (d->given && !associations_read_file (view_colours_associations (d->colours), LOOK_GIVEN, d->given, NULL, &error))
    on_unreadable (d, error->message);
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
