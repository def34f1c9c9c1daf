/* SPDX-License-Identifier: Apache-2.0 */
/* film-cone.h - a film that another one has nearly all of.  Only what that one does not know is played, with all that
 * is upstream of it: its cone.  The rest is taken over.  Engine thread only. */
#pragma once
#include "session/film.h"

typedef enum { CONE_NONE, CONE_DONE, CONE_FAILED } ConeResult;

typedef struct Cone {
  Session *s; /* as it was opened; holds what the last checkpoint says afterwards */
  const Parts *parts;
  const char *own;    /* as film_own_folder() */
  const char *folder; /* of the film: locked, and empty */
  const FilmOptions *o;
  FilmStats *stats;
} Cone;
/* Makes the film of a program from that of another program of the same trace and a pass over the cone.  *m says what it
 * is of, and how far it is afterwards.  DONE: all of it is there.  NONE: there is no such film, or it does not go so,
 * and the folder is empty.  FAILED, with an error: the progress said stop, or a component failed. */
ConeResult film_cone (const Cone *c, FilmManifest *m, GError **error);
