/* SPDX-License-Identifier: Apache-2.0 */
#include "document/look-at.h"
#include "document/private.h"

bool
document_look_at (ScopeDocument *d, EveComponent *c, const char *setting, const char *value, GError **error)
{
  if (!eve_set (c, setting, value, error))
    return false;
  session_refresh (d->session);
  edit_history_looked (d->history);
  document_edited (d);
  return true;
}
