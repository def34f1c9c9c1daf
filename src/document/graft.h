/* SPDX-License-Identifier: Apache-2.0 */
/* graft.h - a view of another program, with all that feeds it, added to a program: what does the same there already
 * feeds it in the place of its own.  No GTK; engine thread. */
#pragma once
#include "eve/eve-host.h"

/* `path`: of a program on offer; `formats`: of the open traces, NULL-terminated, for programs that formats share.
 * `settings`, of the other program: "Box.setting=value", NULL-terminated.  A session, a reader and a simulator of the
 * same class are the same; any other box if its settings and all that feeds it are, the view itself among them: then
 * nothing is added.  Inside an edit.  `shown` becomes the name of the view in `p`, g_free.  `added` (may be NULL) gets
 * the new boxes.  False and a sentence: nothing was changed. */
bool graft_view (EveProgram *p, const char *path, const char *const *formats, const char *view, char *const *settings,
                 GPtrArray *added, char **shown, GError **error);
