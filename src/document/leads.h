/* SPDX-License-Identifier: Apache-2.0 */
/* leads.h - to what the components of the program would have a person look at first, such as the longest wait (the
 * query "leads/1", statistics/findings.h): the instant goes there, whose time it is and whom it was for are selected,
 * and views with dates show it.  Main thread. */
#pragma once
#include "document/document.h"

/* From now on, of whatever is opened. */
void leads_watch (ScopeDocument *d);
/* How to go there is called, as "Go to the longest wait": by a component of the program, or else by the program on
 * offer that leads somewhere; g_free.  *also (may be NULL): more words to find it by, g_free.  NULL: nothing leads
 * anywhere. */
char *leads_what (ScopeDocument *d, char **also);
/* "The longest wait: fft 0 waits 12.3 ms for fft 3 in rows", as it was when time stood at the end last; NULL: it has
 * not yet, or there is none. */
const char *leads_told (ScopeDocument *d);
#define LEADS_NONE "no leads" /* about: no component leads anywhere */
/* The program on offer that leads somewhere (its note "lead"); *title: its name, both g_free.  NULL: none. */
char *leads_program (ScopeDocument *d, char **title);
/* Goes there; where it is not known yet, by way of the end.  Where there is none, a sentence is said. */
void leads_go (ScopeDocument *d);
/* Does not go there any more, if it is still on its way by the end. */
void leads_stay (ScopeDocument *d);
/* To what begins at that date in the time of `who`; false: no component tells of anything such. */
bool leads_go_at (ScopeDocument *d, TraceRef who, int64_t date);
