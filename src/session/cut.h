/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h - the groups of tasks that all views of a session show as one (views/groups.h): made from what the film knows,
 * once for each trace, again when there is more.  Engine thread only. */
#pragma once
#include "session/session.h"
#include "views/groups.h"

#define CUT_NOTE "cut"           /* of a program: the cut that its views have, */
#define CUT_GROUPS "task groups" /* and the groups that were made by hand; a file of the bundle says more of these */

/* Instead of what the program says, for this session; NULL: what it says. */
void session_set_cut (Session *s, const char *cut);
/* The cut that counts; "": there is none. */
const char *session_cut (const Session *s);
/* The groups of a scene's trace; NULL: there is no cut, or it cannot be made.  Those that were given before
 * stay until the thread's main loop goes on, or the session ends: a scene outlives the next one that is filled in. */
const Groups *session_groups (Session *s, const ViewScene *scene);
/* The same that may be cut otherwise, for who wants to know what that would be: groups_open() and groups_text(), then
 * session_set_cut() or the note.  g_free with groups_free().  NULL and a sentence. */
Groups *session_groups_new (Session *s, const ViewScene *scene, const char *cut, GError **error);
/* Why the cut could not be made, or what of it is not there; NULL: nothing.  Good until the next call. */
const char *session_cut_problem (const Session *s);
/* The cut is made all the same, and nothing of it is missing: what there is to say is a remark. */
bool session_cut_is_whole (const Session *s);
/* The film knows more.  Who calls this once (a window) does so each time: groups are made anew for what tasks did only
 * then, not at each scene. */
void session_cut_film_grew (Session *s);
/* Groups by behaviour of `least` tasks or more are found by a thread of their own from now on: until then the groups
 * are those of some tasks, and of the others, which were not looked at yet.  `found` is called by the main loop when
 * more is known.  Who has a window calls this once. */
void session_cut_in_background (Session *s, uint32_t least, void (*found) (void *arg), void *arg);
void session_cut_free (struct SessionCut *cut); /* NULL: nothing */
