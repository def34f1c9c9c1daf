/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h - what the commands share: options, sentences, output, progress, interruption.  Main thread only. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "readers/reader.h"
#include "views/associations.h"
#include "session/session.h"

enum { CLI_OK, CLI_FAILED, CLI_USAGE }; /* exit statuses */

typedef struct CliCommand {
  const char *name;
  const char *args;                                                  /* "TRACE": what follows the options, for --help */
  const char *summary;                                               /* one sentence, marked for translation */
  const char *example;                                               /* whole lines, each "  scope ..." */
  int (*run) (const struct CliCommand *self, int argc, char **argv); /* argv[0] is the command */
} CliCommand;

extern const CliCommand cli_info, cli_events, cli_state, cli_run, cli_components, cli_check, cli_import, cli_synth,
    cli_new_component, cli_report, cli_film, cli_seek, cli_draw, cli_marks, cli_export, cli_live, cli_heap;

/* Parses the options of a command into `entries`; the words left are argv[1] to argv[argc - 1], between min
 * and max of them.  --help prints and ends the process.  False after a sentence: return CLI_USAGE. */
bool cli_parse (const CliCommand *self, const GOptionEntry *entries, int *argc, char ***argv, int min, int max);

/* Options of commands that open traces with a program. */
/* Texts of these are marked as eve/words.h says, and looked up as they are shown. */
extern char **cli_offsets;
extern char *cli_associations_file; /* --associations; NULL: not given */
#define CLI_ASSOCIATIONS                                                                                               \
  {                                                                                                                    \
    "associations", 0, 0, G_OPTION_ARG_FILENAME, &cli_associations_file,                                               \
        "How attributes look: a file as docs/associations.md has it, over those of the person, bundle and program",    \
        "FILE"                                                                                                         \
  }
#define CLI_OFFSET                                                                                                     \
  {                                                                                                                    \
    "offset", 0, 0, G_OPTION_ARG_STRING_ARRAY, &cli_offsets,                                                           \
        N_ ("Adds so many seconds to all dates of a trace: its name, path or place among those given, from 1; start "  \
            "or @MARK: as many as bring its first event, or mark, to that of the first trace; may be repeated"),       \
        "TRACE=SECONDS"                                                                                                \
  }
/* How clocks are corrected; NULL: as the program, or the trace, says. */
extern char *cli_clocks;
/* Whose order events have that are dated by vectors; NULL likewise. */
extern char *cli_reference;
#define CLI_CLOCKS                                                                                                     \
  { "clocks",                                                                                                          \
    0,                                                                                                                 \
    0,                                                                                                                 \
    G_OPTION_ARG_STRING,                                                                                               \
    &cli_clocks,                                                                                                       \
    N_ ("How dates of tasks with clocks of their own are corrected: offsets (as the trace tells), none, linear, or "   \
        "logical"),                                                                                                    \
    "HOW" },                                                                                                           \
  {                                                                                                                    \
    "reference", 0, 0, G_OPTION_ARG_STRING, &cli_reference,                                                            \
        N_ ("Of traces whose dates are vectors: as which task has them, events come"), "TASK"                          \
  }
/* For commands that open a trace without a program; false: there is no such way, which was told. */
bool cli_clocks_by (TraceOptions *options);
#define CLI_MOST_TRACES 16
/* What stands behind the first trace: further ones, NULL-terminated, or NULL. */
static inline const char *const *
cli_more (int argc, char **argv)
{
  return argc > 2 ? (const char *const *) argv + 2 : NULL;
}

/* "scope: what: why" on standard error; gives CLI_FAILED, or 128 + signal without a word after Ctrl-C. */
int cli_fail (const char *what, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* The same with an error, which is freed; of a file that was not found, with the nearest name there is. */
int cli_fail_error (const char *what, GError *error);
/* The same for wrong usage: gives CLI_USAGE. */
int cli_usage (const char *what, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* Whether a person reads along: standard error is a terminal, or --progress was given, and not --quiet.  What scripts
 * need not hear is told only then. */
bool cli_is_watched (void);
/* A number as a person types it, with a point or a comma, of an option like "--scale"; NULL leaves *to as it is. */
int cli_number (const char *what, const char *text, double *to);
/* A sentence on standard error that does not end the command. */
void cli_note (const char *what, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* The same about a part that the program adds to itself, as extend_go() wants it. */
void cli_tell_part (void *unused, const char *sentence);
/* The same about the program. */
void cli_tell_program (void *unused, const char *sentence);
/* What a program file names and is not there, or has no meaning: of char *. */
void cli_note_problems (const GPtrArray *problems);
/* The same of a session, and of each box that can do nothing for want of a wire, unless the program may make wires
 * while it runs. */
void cli_note_program (const Session *s);
/* Associations of the format, the person, the bundle, the program, and those that were given, for pictures.  Files that
 * cannot be read are told; of the one that was given that is a failure. */
int cli_associate (const Session *s, ViewColours *colours);
/* That records of a trace, or lines of its other files, were left out, or that its writer has left it; nothing if
 * neither was. */
void cli_note_damaged (const char *trace, const TraceSource *s);
/* The same of all traces of a session, as far as it came, and how many events are impossible for a simulator. */
void cli_note_faults (const Session *s, const char *trace);
/* CLI_FAILED if the program or its settings ask for names that are not there, which was told: what was made is not what
 * was asked for, and a script must notice; else CLI_OK.  `problems`: of its file. */
int cli_missing (const EveProgram *p, const GPtrArray *problems);

/* A time of the command line in ticks of the source's clock: decimal seconds or @mark.  Gives CLI_OK, or the
 * status after a sentence. */
int cli_time (const TraceSource *s, const char *option, const char *text, int64_t *date);
/* The same, or "#1000": just after that event, whose number is then in *event, else UINT64_MAX. */
int cli_instant (const TraceSource *s, const char *option, const char *text, uint64_t *event, int64_t *date);

/* "FROM..TO", of which either may be left out: `first`, `last`. */
int cli_range (const TraceSource *s, const char *option, const char *text, int64_t first, int64_t last, int64_t *from,
               int64_t *to);

/* Standard output, with what a terminal would obey made visible (eve/visible.h): whole pieces only.  False once the
 * reader of the pipe has gone or writing failed; a command then stops, and cli_end() says the rest. */
bool cli_out (const GString *text);
/* Flushes standard output; gives the exit status of the process. */
int cli_end (int status);

/* Progress on standard error, from half a second on; its report is false after Ctrl-C. */
const TraceProgress *cli_progress (void);
void cli_progress_clear (void);
bool cli_interrupted (void);
/* While a trace is followed: waits a little for more of it.  False after Ctrl-C, which ends the following alone: what
 * was seen is told as at an end. */
bool cli_wait (void);
void cli_begin (void); /* signals; once, from main */
/* Before another program takes this one's place: signals are to it what they were to us when we began, ignored or not.
 */
void cli_signals_back (void);
bool cli_signal_was_ignored (int sig);

/* Makes components known: those of SCOPE_PLUGIN_PATH are loaded, Scope's own when they are asked for by name.  The
 * second loads every one there is, for commands that list them.  Problems are told on standard error. */
void cli_load_components (void);
void cli_load_all_components (void);

/* One damaged record or remark: where and what; g_free. */
char *cli_damage_line (const TraceDamage *d);
/* The damaged records of a source, a line each, appended. */
void cli_damage_text (const TraceSource *s, GString *to);
/* The window: beside this program, as in a build, or where the installation put it; g_free.  NULL: it was not built or
 * installed. */
char *cli_window_program (void);
bool cli_has_display (void);

/* How many tasks do something, each once, how many others there are, as machines, and how many tell more of the former,
 * as their calls beside their states (readers/another.h); and how often events of each sort
 * begin in a trace, whatever its format calls them (info-holds.c). */
typedef struct CliHolds {
  guint tasks, around, besides, things;
  uint64_t calls, sent, received, together, values, memory, others; /* these are told; */
  uint64_t lives, left; /* tasks begin and end, and leave what they entered */
} CliHolds;
/* `events`: by task, of uint64_t. */
CliHolds cli_holds (const TraceSource *s, const uint64_t *begun, const GArray *events);
char *cli_holds_told (const TraceSource *s, const CliHolds *h, const GArray *events); /* in words; g_free */

/* What `scope info` prints, appended; a status. */
int cli_info_text (const char *trace, const char *format, bool json, bool all, GString *to);
