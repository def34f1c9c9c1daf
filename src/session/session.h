/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - a trace opened with a program (thesis, section 1.6): who owns the program, drives it to a date
 * and finds the trace and the state graph in it.  No GTK: the command line, the tests and the window use it.
 * Engine thread only. */
#pragma once
#include <stdbool.h>
#include "eve/eve-host.h"
#include "readers/reader.h"
#include "readers/session.h"
#include "simulators/state.h"

#define SESSION_ERROR (g_quark_from_static_string ("scope-session-error"))
enum {
  SESSION_ERROR_PROGRAM,
  SESSION_ERROR_SETTING,
  SESSION_ERROR_STALLED,
  SESSION_ERROR_COMPONENT,
  SESSION_ERROR_CANCELLED
};

typedef struct SessionOptions {
  const char *trace;      /* the bundle */
  const char *format;     /* NULL: the only one of the bundle */
  const char *program;    /* file; NULL: the default program of the format */
  const char *text;       /* the program instead of what the file holds, as after a crash; may be NULL */
  const char *const *set; /* "Component.setting=value", NULL-terminated; may be NULL */
  const char *out;        /* folder for the files of components; NULL: they write none */
  bool prints;            /* what they write to standard output is wanted */
  void (*warn) (void *arg, const char *component, const char *sentence); /* may be NULL */
  void *arg;
  /* Whether the program may read a path outside its folder, which the person has not named; NULL: no. */
  bool (*may_read) (void *arg, EveProgram *p, const char *path);
  const TraceProgress *progress; /* may be NULL; must outlive the session */
} SessionOptions;

typedef struct Session {
  EveProgram *program;
  char *program_path;
  TraceSource *source; /* of the reader; owned by it.  Without a reader, one of its own: names and dates stay known */
  const StateGraph *graph; /* NULL: the program has no simulator */
  EveComponent *simulator;
  GPtrArray *problems; /* of char *: what the program file names and is not there */
  /* private */
  SessionOptions options;
  TraceSource *spare; /* while the program has no reader */
  char *trace, *format;
  GPtrArray *readers; /* of EveComponent * */
  EveComponent *controller;
  const TraceSession *controller_face; /* NULL: the readers are driven directly */
} Session;

/* NULL and an error if the trace or the program cannot be opened, or a setting is refused.  The components
 * must have been loaded. */
Session *session_open (const SessionOptions *options, GError **error);
void session_free (Session *s);
/* The program was edited: finds reader, simulator and controller again, gives a new reader the trace.  Nothing of the
 * session is to be used between an edit and this. */
void session_refresh (Session *s);

/* The program as it is saved; g_free. */
char *session_program_text (const Session *s);

/* Go forward.  False with an error when a component failed, the program is stuck or the progress said stop;
 * what was reached stays. */
bool session_go_until (Session *s, int64_t date, GError **error); /* all events dated <= date, in ticks */
bool session_go_events (Session *s, uint64_t number, GError **error);
bool session_go_end (Session *s, GError **error);
/* Back to the beginning. */
void session_stop (Session *s);

uint64_t session_events_read (const Session *s);
/* The instant the session stands at: `until` if it lies inside the execution, else the execution's end. */
int64_t session_instant (const Session *s, int64_t until);
/* Identity of the state reached at `at`: of the state graph, of the whole program if it has none. */
uint64_t session_hash (Session *s, int64_t at);
