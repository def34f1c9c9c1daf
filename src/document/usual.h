/* SPDX-License-Identifier: Apache-2.0 */
/* usual.h - with which program the person opens traces of a format: kept among the preferences. */
#pragma once
#include <glib.h>
#include <stdbool.h>

/* The file of it; NULL: Scope's own; g_free.  *gone: it was chosen and is not there any more, and what was chosen is
 * this; else NULL; g_free. */
char *usual_program_of (const char *format, char **gone);
/* For a trace: the program with views if its format (NULL: as its bundle says) has one; *chosen: the one that the
 * person wants for the format, or NULL, and *gone as above; g_free all. */
char *usual_program_for (const char *trace, const char *format, char **chosen, char **gone);
/* From now on; NULL: Scope's own again.  One on offer is kept by its name, so that it is found in another Scope too. */
bool usual_program_keep (const char *format, const char *path, GError **error);
