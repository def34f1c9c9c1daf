/* SPDX-License-Identifier: Apache-2.0 */
/* classes.c - the program takes classes of components that have come, or come anew, while it is open. */
#include "document/private.h"
#include "eve/reload.h"

#define MOST_SAID 5

guint
scope_document_take_classes (ScopeDocument *d)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  guint n = 0;

  if (scope_document_is_open (d)) {
    scope_document_pause (d);
    n = eve_program_take_classes (scope_document_program (d), problems);
  }
  for (guint i = 0; i < problems->len && i < MOST_SAID; i++)
    scope_document_say (d, SCOPE_SAY_WARNING, "%s", (char *) problems->pdata[i]);
  if (n) {
    session_refresh (d->session);
    d->plan_hash ^= 1; /* the same plan, of other code: what is known of it is of no use */
    document_edited (d);
  }
  document_tell (d, DOC_LOOK); /* the library has it */
  return n;
}
