/* SPDX-License-Identifier: Apache-2.0 */
/* look-at.h - how something is looked at, which its program keeps: no step to undo, and nothing to be saved.  Main
 * thread. */
#pragma once
#include "document/document.h"

/* Sets it; false and a sentence: it was refused. */
bool document_look_at (ScopeDocument *d, EveComponent *c, const char *setting, const char *value, GError **error);
