/* SPDX-License-Identifier: Apache-2.0 */
/* meant.h - which of the traces that are open a person means. */
#pragma once
#include "session/session.h"

/* By its place from 1, its path, its name, or its name without ending, if nothing else is called so: the path; g_free.
 * NULL and a sentence: none is meant, or several. */
char *meant_trace (const Session *s, const char *word, GError **error);
