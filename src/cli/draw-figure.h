/* SPDX-License-Identifier: Apache-2.0 */
/* draw-figure.h - what makes a figure of a picture: its palette, and the lines above it. */
#pragma once
#include "session/session.h"
#include "views/view.h"

/* CLI_OK, or what is said of a palette that there is not. */
int draw_check_palette (const char *name);
/* The view and the execution; then when it is of, how many tasks, what is selected; g_free. */
char *draw_heading (Session *s, EveComponent *c, const View *view, const ViewScene *scene);
