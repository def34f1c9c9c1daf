/* SPDX-License-Identifier: Apache-2.0 */
/* extend.h - programs that extend themselves: the order `add PART` of a component (thesis, section 5.2.1).
 *
 * A part is a program file below the folder of the program, or one of the person's own.  When it was added, the program
 * is another: all that is shown of it is worked out from the beginning, as if the part had been there all along.  So no
 * result depends on when the order came, and the order, given again, finds the part there: each is added once.  The
 * program remembers them in the note "parts".  Engine thread only. */
#pragma once
#include "session/session.h"

#define EXTEND_MOST 32 /* parts that a program adds to itself */

/* The part that a command asks for, if it is the order `add` and was not followed before; g_free; else NULL.  `order`:
 * all that was said, or NULL. */
char *extend_wanted (const Session *s, const TraceCommand *command, const char *order);
/* Why the part of such an order was not added: a sentence; NULL: it was, or nobody has asked yet. */
const char *extend_refused (const Session *s, const char *order);
/* What became of such an order, to g_free: "added", "refused: why"; NULL: it is another order, or nobody has acted on
 * it yet. */
char *extend_became (const Session *s, const char *order);
/* The order asks for a part, whether it was followed or not. */
bool extend_is_add (const char *order);

/* Text of the part, and its path to g_free; g_free.  NULL and a sentence: there is none, it may not be read, or there
 * are too many already; it is not asked for again. */
char *extend_read (Session *s, const char *name, char **path, GError **error);
/* After its boxes were pasted: the program remembers it, and the session finds its parts again. */
void extend_done (Session *s, const char *name);
/* It could not be pasted; it is not asked for again. */
void extend_refuse (Session *s, const char *name, const char *why);
/* What was refused may be asked for again: the person may have put the file there. */
void extend_ask_again (Session *s);
/* A part that the person names, from any file, into a session that has not begun.  Nobody remembers it. */
bool extend_add_file (Session *s, const char *path, GPtrArray *said, GError **error);
/* All of this at once, between two slices: adds the part and goes back to the beginning.  `said` (of char *) gets a
 * sentence for whatever could not be connected.  False: it was refused. */
bool extend_add (Session *s, const char *name, GPtrArray *said, GError **error);

/* Goes as session_go_until() does, to the end for INT64_MAX, from the beginning again whenever the program orders
 * itself a part: where it comes to stand, the program is the one that `scope run --until` leaves there.  Nothing else
 * that components order is obeyed.  `tell` gets sentences about parts; may be NULL.  *again, if not NULL, is set when
 * it began again. */
bool extend_go (Session *s, int64_t until, void (*tell) (void *arg, const char *sentence), void *arg, bool *again,
                GError **error);
/* What extend_add() does, and what came of it in sentences, `added` after the name of the part. */
void extend_tell (Session *s, const char *name, const char *added, void (*tell) (void *arg, const char *sentence),
                  void *arg);
/* The controller gets to know what became of an order that it passed on. */
void extend_answer (Session *s, const char *order);
