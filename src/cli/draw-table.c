/* SPDX-License-Identifier: Apache-2.0 */
/* draw-table.c - scope draw --csv: what a view shows as a table. */
#include "cli/draw-table.h"
#include "cli/cli.h"
#include "session/counted.h"
#include <string.h>

bool
draw_table (Session *s, EveComponent *c, const View *view, const ViewScene *scene, GString *to, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (GString) whole = g_string_new (NULL);

  if (view_csv (c, view, scene, to, &why))
    return true;
  bool nothing = view_is_counted (scene) && g_error_matches (why, TRACE_ERROR, TRACE_ERROR_DATA);
  Counted *counted = nothing ? counted_new (s) : NULL;
  if (counted) {
    counted_begin (counted, s->first, s->last);
    nothing = counted_go (counted, cli_progress (), NULL) && view_csv (c, view, scene, whole, NULL);
    counted_free (counted);
  }
  if (!nothing) {
    g_propagate_error (error, g_steal_pointer (&why));
    return false;
  }
  bool quoted = false;
  for (const char *at = whole->str; *at && (quoted || (*at != '\r' && *at != '\n')); at++) {
    quoted ^= *at == '"';
    g_string_append_c (to, *at);
  }
  g_string_append (to, strchr (whole->str, '\r') ? "\r\n" : "\n");
  return true;
}
