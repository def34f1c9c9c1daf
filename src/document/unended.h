/* SPDX-License-Identifier: Apache-2.0 */
/* unended.h - calls that wait for others and never ended, as in a deadlock: of a trace that has some this is told once,
 * when its film is complete, with the way to the last of them.  They are looked for in another process
 * (`scope events --unended`), which ends with the document.  All of it: main thread. */
#pragma once
#include "document/document.h"

#define UNENDED_ABOUT "unended" /* what the message is about */

/* From now on, of whatever is opened. */
void unended_watch (ScopeDocument *d);
/* What is known of the trace that is open, for the search, and when the last of them began; NULL: none is known; owned
 * by the document until something else is opened. */
const char *unended_told (ScopeDocument *d, int64_t *date);
/* To the beginning of the last of them. */
void unended_go (ScopeDocument *d);
