/* SPDX-License-Identifier: Apache-2.0 */
/* marks.h - what commands do at a mark. */
#pragma once
#include "session/marks.h"
#include "session/session.h"

/* Scenes of the session are seen from where the mark holds that they are, except those whose camera is in `set`
 * (VIEW.camera=..., NULL-terminated; may be NULL). */
void marks_see_from (Session *s, const Mark *mark, const char *const *set);
