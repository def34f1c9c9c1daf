/* SPDX-License-Identifier: Apache-2.0 */
/* blank.c - a program to begin with: a session that drives a reader, and nothing else. */
#include "readers/session.h"
#include "session/generic.h"
#include "session/places.h"
#include "session/session.h"

#define NEW_PROGRAM "New program"

bool
session_program_is_new (const EveProgram *p)
{
  return g_str_equal (eve_program_title (p), NEW_PROGRAM);
}

/* Made from what the format has on offer, which knows its reader. */
char *
session_new_program (const char *format, char **path)
{
  g_autofree char *usual = places_offered (format, "default.eve");
  const char *const formats[] = { format, NULL };
  g_autofree char *shared = generic_read (usual), *made = shared ? generic_text (shared, usual, formats, NULL) : NULL;
  EveProgram *p = made ? eve_program_parse (made, -1, usual, NULL, NULL) : eve_program_load (usual, NULL, NULL);

  if (!p)
    return NULL;
  for (uint32_t i = eve_n_components (p); i-- > 0;) {
    EveComponent *c = eve_component (p, i);
    if (!eve_query (c, "trace-reader/1") && !eve_query (c, "session/1"))
      eve_remove (p, c);
  }
  eve_program_describe (p, NEW_PROGRAM, "");
  char *text = eve_program_text (p);
  eve_program_free (p);
  *path = g_steal_pointer (&usual);
  return text;
}
