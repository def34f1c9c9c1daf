/* SPDX-License-Identifier: Apache-2.0 */
/* film.h - films, for the commands that need one. */
#pragma once
#include "cli/cli.h"
#include "session/film.h"

/* film_shoot() with the default strategy, or `strategy`, and the limits of the user's cache; `watch` and `folder` may be NULL.
 * Sentences go to standard error unless `quiet`. */
bool film_cli_shoot (Session *s, const char *folder, int64_t until, const char *strategy, bool quiet, FilmWatch *watch,
                     FilmStats *stats, GError **error);
