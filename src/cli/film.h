/* SPDX-License-Identifier: Apache-2.0 */
/* film.h - films, for the commands that need one. */
#pragma once
#include "cli/cli.h"
#include "session/film.h"

typedef enum {
  FILM_CLI_QUIET, /* tells nothing but damage, and looks only where that is quick: somebody waits for something else */
  FILM_CLI_MEND,  /* the same, but looks through all of a film */
  FILM_CLI_TELL,  /* that, and tells all on standard error */
} FilmCliHow;

/* film_shoot() with the default strategy, or `strategy`, and the limits of the user's cache; `folder` may be NULL. */
bool film_cli_shoot (Session *s, const char *folder, int64_t until, const char *strategy, FilmCliHow how,
                     FilmStats *stats, GError **error);

/* After a view has drawn or written.  Damage that it met in the film is told and the film shot again, which moves the
 * session.  True: what the view made is to be made again.  *lost: something in it is missing, and stays so. */
bool film_cli_mend (Session *s, EveComponent *view, const char *folder, bool *lost);

/* What opens a session, for the commands that shoot a film or travel in one: fields of SessionOptions. */
#define FILM_CLI_ENTRIES(o)                                                                                              \
  {                                                                                                                      \
    "program", 0, 0, G_OPTION_ARG_FILENAME, &(o).program, "The program; otherwise the default one of the format", "FILE" \
  },                                                                                                                     \
      { "set",                                                                                                           \
        0,                                                                                                               \
        0,                                                                                                               \
        G_OPTION_ARG_STRING_ARRAY,                                                                                       \
        &(o).set,                                                                                                        \
        "A setting of a component; may be repeated",                                                                     \
        "COMPONENT.SETTING=VALUE" },                                                                                     \
  {                                                                                                                      \
    "format", 0, 0, G_OPTION_ARG_STRING, &(o).format, "Which data of a bundle that holds several formats", "F"           \
  }
typedef struct FilmCli {
  char *program, *format, **set;
} FilmCli;
void film_cli_clear (FilmCli *o);
