/* SPDX-License-Identifier: Apache-2.0 */
/* film-watch.h - shoots in a process of its own, watched over by this one. */
#pragma once
#include "session/film.h"

/* In the process that shoots: from here on a crash names the component whose code it happened in. */
void film_watch_components (FilmWatch *watch, const EveProgram *program);

/* Runs `work` in a child process and waits for it; gives what `work` gave (0..255), or 1 after a crash or when no beat
 * came for `patience_s` seconds; *sentence then says what happened (g_free).  No other thread may run yet.  When
 * `interrupted` turns true, the child is asked to end. */
int film_watch_over (int (*work) (FilmWatch *watch, void *arg), void *arg, bool (*interrupted) (void), int patience_s,
                     char **sentence);
