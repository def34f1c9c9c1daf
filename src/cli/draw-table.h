/* SPDX-License-Identifier: Apache-2.0 */
/* draw-table.h - what a view shows as a table. */
#pragma once
#include "session/session.h"
#include "views/view.h"

/* Where nothing that it counts happened in a range, the heading alone, as it is for the whole trace. */
bool draw_table (Session *s, EveComponent *c, const View *view, const ViewScene *scene, GString *to, GError **error);
