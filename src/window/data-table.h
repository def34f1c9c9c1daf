/* SPDX-License-Identifier: Apache-2.0 */
/* data-table.h - a window with all that an output gives in the whole execution. */
#pragma once
#include "document/document.h"

/* Returns at once: the data are made by another process, with progress; then the window opens over `over`, which lives
 * as long as the document.  What goes wrong is told. */
void data_table_open (ScopeDocument *d, GtkWindow *over, const char *box, const char *out);
