/* SPDX-License-Identifier: Apache-2.0 */
/* unended.h - calls that wait for others and never ended, as in a deadlock: of traces that have some this is told once,
 * when their film is complete, with the way to the last of the first such trace.  They are looked for in another
 * process
 * (`scope events --unended`), which ends with the document.  All of it: main thread. */
#pragma once
#include "document/document.h"

#define UNENDED_ABOUT "unended" /* what the message is about */

/* From now on, of whatever is opened. */
void unended_watch (ScopeDocument *d);
/* What is known of the first trace that has some, for the search, and when its last one began; NULL: none is known;
 * owned by the document until something else is opened. */
const char *unended_told (ScopeDocument *d, int64_t *date);
/* To the beginning of the last of them. */
void unended_go (ScopeDocument *d);
