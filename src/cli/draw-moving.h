/* SPDX-License-Identifier: Apache-2.0 */
/* draw-moving.h - many pictures of a view in one go: the camera goes round, or time goes on, or both. */
#pragma once
#include "cli/cli.h"
#include "session/travel.h"
#include "views/view.h"

typedef struct DrawMoving {
  gboolean turn;    /* the camera goes once round */
  char *play;       /* "FROM..TO": the instants, as they were typed; NULL: one instant */
  int pictures;     /* 0: as many as fit the purpose */
  double rate;      /* a second */
  int64_t from, to; /* of `play`, ticks */
} DrawMoving;

static inline bool
draw_moving_asked (const DrawMoving *m)
{
  return m->turn || m->play != NULL;
}

/* What was typed, for a file `out`: CLI_OK, or the status after a sentence.  The first before a trace is open. */
int draw_moving_check (DrawMoving *m, const char *out);
int draw_moving_instants (DrawMoving *m, const Session *s);
/* Draws them, with progress; `t` brings the program to the instants, NULL: the view needs it at none.  The scene is set
 * up, at its first instant. */
int draw_moving (Session *s, const DrawMoving *m, EveComponent *c, const View *view, ViewScene *scene, Travel *t,
                 const char *out);
