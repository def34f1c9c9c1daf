/* SPDX-License-Identifier: Apache-2.0 */
#include "document/usual.h"
#include <string.h>
#include "eve/disk.h"
#include "readers/reader.h"
#include "session/places.h"

#define GROUP "programs" /* of the file of preferences: FORMAT=FILE */

char *
usual_program_of (const char *format, char **gone)
{
  g_autofree char *path = places_preferences ();
  g_autoptr (GKeyFile) keys = g_key_file_new ();

  *gone = NULL;
  if (!disk_read_keys (keys, path, G_KEY_FILE_NONE))
    return NULL;
  g_autofree char *said = g_key_file_get_string (keys, GROUP, format, NULL);
  if (!said || !*said)
    return NULL;
  /* A name is of what is on offer, never of a file that lies where the window happens to be started. */
  g_autofree char *program = strchr (said, G_DIR_SEPARATOR) ? g_strdup (said) : places_offered (format, said);
  if (program && g_file_test (program, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&program);
  *gone = g_steal_pointer (&said);
  return NULL;
}

char *
usual_program_for (const char *trace, const char *format, char **chosen, char **gone)
{
  TraceBundle *b = trace_bundle_open (trace, NULL);
  char *path = NULL;

  *chosen = *gone = NULL;
  if (b && (format || b->formats->len == 1)) {
    const char *its = format ? format : b->formats->pdata[0];
    *chosen = usual_program_of (its, gone);
    path = places_offered (its, "views.eve");
  }
  if (b)
    trace_bundle_free (b);
  return path;
}

bool
usual_program_keep (const char *format, const char *path, GError **error)
{
  g_autofree char *where = places_preferences (), *folder = g_path_get_dirname (where);
  g_autoptr (GKeyFile) keys = g_key_file_new ();

  disk_read_keys (keys, where, G_KEY_FILE_KEEP_COMMENTS);
  if (path) {
    g_autofree char *name = g_path_get_basename (path), *offered = places_offered (format, name),
                    *real = disk_real_path (path);
    g_autofree char *same = offered ? disk_real_path (offered) : NULL;
    g_key_file_set_string (keys, GROUP, format, same && real && g_str_equal (same, real) ? name : real ? real : path);
  } else {
    g_key_file_remove_key (keys, GROUP, format, NULL);
  }
  g_mkdir_with_parents (folder, 0700);
  return g_key_file_save_to_file (keys, where, error);
}
