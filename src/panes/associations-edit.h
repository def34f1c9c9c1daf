/* SPDX-License-Identifier: Apache-2.0 */
/* associations-edit.h - the rules of the program, as edits that can be undone.  Main thread. */
#pragma once
#include "document/document.h"
#include "views/associations.h"

/* A rule in the place of the one of that number of the program; -1: another one, nearer than all before; NULL: it is
 * taken away.  `what`: name of the edit.  False and a sentence: it is no rule. */
bool associations_change (ScopeDocument *d, const char *what, int number, const AssociationsRule *rule, GError **error);
/* Lines of a scale: of values that occur each its look, of numbers a ramp or an interval over all; g_free. */
char *associations_proposed (ScopeDocument *d, LookKind kind, const char *attribute, LookChannel channel);
