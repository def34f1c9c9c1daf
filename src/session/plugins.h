/* SPDX-License-Identifier: Apache-2.0 */
/* plugins.h - components that did not come with Scope: tried in a process of their own before they are loaded, and
 * known again, by the bytes of their shared object, when they ended a process.
 *
 * What was found is kept in XDG_CACHE_HOME/scope/components, a file an object, named by the checksum of its bytes. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "eve/eve-host.h"

/* From here on objects from elsewhere are tried before they are loaded: one that crashes, calls exit or does not come
 * back when it is loaded, or when one of each of its classes is made, is refused with a sentence.  What was tried once
 * is not tried again; what was refused is, when the file has another date. */
void plugins_guard (void);

/* Whether a shared object is none of those that came with Scope; NULL: part of the program. */
bool plugins_from_elsewhere (const char *object);
/* Notes that a component of this object ended a process; `sentence` says how.  Only of objects from elsewhere. */
void plugins_note_fault (const char *object, const char *sentence);
/* How an object with these very bytes ended a process; g_free.  NULL: never seen to. */
char *plugins_fault (const char *object);

/* Identity of the bytes of all objects from elsewhere that a program uses; 0: it uses none. */
uint64_t plugins_identity (const EveProgram *p);
/* The boxes of a program that came from elsewhere, "A, B"; g_free; "" if there are none. */
char *plugins_boxes (const EveProgram *p);
/* The first box of a program whose object has ended a process, and how (g_free); NULL: none is known to. */
EveComponent *plugins_bad_box (const EveProgram *p, char **sentence);
