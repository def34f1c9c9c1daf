/* SPDX-License-Identifier: Apache-2.0 */
/* associate.c - the associations of what is open: of its format, the person, the bundle and the program. */
#include "document/private.h"
#include "views/associations.h"

static void
on_unreadable (void *document, const char *sentence)
{
  scope_document_say (document, SCOPE_SAY_WARNING, "%s; it says nothing", sentence);
}

void
document_associate (ScopeDocument *d)
{
  g_autofree char *folder = d->session->program_path ? g_path_get_dirname (d->session->program_path) : NULL;

  view_associations_load (d->colours, folder, d->session->trace, eve_program_note (d->session->program, "associations"),
                          on_unreadable, d);
}
