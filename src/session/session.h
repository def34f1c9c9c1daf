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
#include "views/view.h"

#define SESSION_ERROR (g_quark_from_static_string ("scope-session-error"))
enum {
  SESSION_ERROR_PROGRAM,
  SESSION_ERROR_SETTING,
  SESSION_ERROR_STALLED,
  SESSION_ERROR_COMPONENT,
  SESSION_ERROR_CANCELLED,
  SESSION_ERROR_READER /* the program has no reader of the format */
};

typedef struct SessionOptions {
  const char *trace; /* the bundle */
  /* Further bundles, NULL-terminated; may be NULL.  Each becomes the trace of a reader that has none of its own, as if
   * the program said so. */
  const char *const *more;
  const char *format;     /* NULL: the only one of the bundle */
  const char *program;    /* file; NULL: the default program of the format, or the one that compares */
  const char *text;       /* the program instead of what the file holds, as after a crash; may be NULL */
  bool exchanges;         /* a program that has no reader of the format gets one in the place of its own: exchange.h */
  const char *const *set; /* "Component.setting=value", NULL-terminated; may be NULL */
  /* "TRACE=SECONDS", NULL-terminated; may be NULL: what is added to the dates of a trace, as if the settings of its
   * readers said so.  TRACE is its name, its path, or its place among those that were opened, from 1.  "TRACE=start"
   * and "TRACE=@MARK": as much as brings its first event, or its mark, to the date of that of the leading trace. */
  const char *const *offsets;
  const char *reference; /* likewise: whose order events have that are dated by vectors; NULL: as it is */
  const char *clocks;    /* the setting of this name of all readers; NULL: as it is */
  const char *out;       /* folder for the files of components; NULL: they write none */
  bool prints;           /* what they write to standard output is wanted */
  bool follow;           /* traces may still be growing, and are then read on as they do: session_look() */
  void (*warn) (void *arg, const char *component, const char *sentence); /* may be NULL */
  void *arg;
  /* Whether the program may read a path outside its folder, which the person has not named; NULL: no. */
  bool (*may_read) (void *arg, EveProgram *p, const char *path);
  const TraceProgress *progress; /* may be NULL; must outlive the session */
} SessionOptions;

typedef struct Session {
  EveProgram *program;
  char *program_path;
  /* The leading reader: of the trace that was opened; else the first. */
  EveComponent *reader;    /* NULL: there is none */
  TraceSource *source;     /* of it, owned by it.  Without a reader, one of its own: names and dates stay known */
  const StateGraph *graph; /* of the leading simulator; NULL: there is none */
  EveComponent *simulator;
  int64_t first, last; /* dates of all traces together; first > last: no event */
  uint64_t n_events;   /* of the longest */
  GPtrArray *problems; /* of char *: what the program file names and is not there */
  /* private */
  SessionOptions options;
  TraceSource *spare;   /* while the program has no reader */
  char *exchanged;      /* options.text that was made for another format; NULL: none */
  char *trace, *format; /* trace: the bundle that was opened, an absolute path */
  GPtrArray *readers;   /* of EveComponent *: all there are, of whatever trace */
  GHashTable *refused;  /* extend.c: name of a part -> why it was not added; NULL: none yet */
  EveComponent *controller;
  const TraceSession *controller_face; /* NULL: the readers are driven directly */
  GArray *adding;                      /* of TraceAdding; NULL: nobody asked yet */
  struct TraceAll *all;
  struct SessionCut *cut; /* cut.c; NULL: nobody asked yet */
} Session;

/* NULL and an error if the trace or the program cannot be opened, or a setting is refused.  The components
 * must have been loaded. */
Session *session_open (const SessionOptions *options, GError **error);
void session_free (Session *s);
/* The program was edited: finds readers, simulator and controller again, gives new readers without a trace the one that
 * was opened.  Nothing of the session is to be used between an edit and this. */
void session_refresh (Session *s);
/* The same when the program has added something to itself: what it may read is asked for as when it was opened. */
void session_grown (Session *s);

/* ---- who is wired to what (session-wires.c).  A program may have several readers, each with a trace of its own, and
 * several simulators. ------------------------------------------------------------------------------------------------
 */
/* The trace of a reader, NULL if it cannot be read. */
TraceSource *session_source_of (EveComponent *reader);
/* What a component draws with; NULL: it is no view, or a ghost. */
const View *session_view (EveComponent *c);
/* The nearest simulator and reader upstream of a component, which may be one itself; NULL: there is none. */
EveComponent *session_simulator_above (EveComponent *c);
EveComponent *session_reader_above (EveComponent *c);
/* The one that `graph` is of: the first that all events of the leading reader's trace go to, else the first fed by it.
 */
EveComponent *session_leading_simulator (const Session *s);
/* The same of another reader's trace; NULL: no simulator is fed by it. */
EveComponent *session_simulator_of (const Session *s, EveComponent *reader);
/* One of the executions that a program is about. */
typedef struct SessionExecution {
  EveComponent *reader, *simulator; /* simulator: NULL: there is none of it */
  TraceSource *source;
  char *name; /* of the trace; of several that have one name: "ring (2)" */
} SessionExecution;
/* Each trace once, the leading one first, the others in the order of their readers; of SessionExecution, unref it. Good
 * until the program is edited. */
GArray *session_executions (const Session *s);
/* The setting "offset" of a reader that brings its first event ("start") or its mark ("@NAME") to the date of that of
 * the leading trace; g_free.  NULL and a sentence: one of them has none, or that is too far. */
char *session_alignment (const Session *s, EveComponent *reader, const char *what, GError **error);
/* Which one that is, where it goes without saying no longer: "Simulator; the program also has Calls", "Simulator, fed
 * by Filter".  NULL: the only one, connected to the reader itself.  g_free. */
char *session_simulator_told (const Session *s);
GPtrArray *session_simulators (const Session *s); /* of EveComponent *, in the order they were added; unref it */
/* Takes another simulator for `graph`, by name.  False and a sentence: there is none of that name. */
bool session_choose_simulator (Session *s, const char *name, GError **error);
/* What is known of the tasks of a reader's trace in a film lies here; g_free.  Of the leading reader: the film's
 * folder. */
char *session_tasks_folder (const Session *s, EveComponent *reader, const char *film);
/* Gives a table of colours those that the traces declare. */
void session_declare_colours (const Session *s, ViewColours *colours);
/* Components that add attributes to what there is (readers/more.h), as the program is now; good until the next call. */
const struct TraceAll *session_more (Session *s);
/* Fills in what a view is shown with, by its wires: graph, source, bundle, and who the tasks are in scene->film; where
 * the program has several traces also which it is, and the time that all of them take, if the whole is asked for. False
 * and a sentence: nothing is wired to it, or two executions are. */
bool session_scene (Session *s, EveComponent *view, ViewScene *scene, GError **error);

/* The text of a program that drives the reader of a format and has nothing else, and the file that it would be instead
 * of; both g_free.  NULL: the format has no program on offer. */
char *session_new_program (const char *format, char **path);

/* Whether it is one of those, and has been given no other title. */
bool session_program_is_new (const EveProgram *p);

/* Go forward.  False with an error when a component failed, the program is stuck or the progress said stop;
 * what was reached stays. */
bool session_go_until (Session *s, int64_t date, GError **error); /* all events dated <= date, in ticks */
bool session_go_events (Session *s, uint64_t number, GError **error);
bool session_go_end (Session *s, GError **error);
/* Back to the beginning. */
void session_stop (Session *s);
/* Traces that grow: takes note of what has come meanwhile, which readers then give as they were told.  True: something
 * has come, or a trace has ended; first, last and n_events are measured again.  Every TRACE_LOOK_MS is often enough. */
bool session_look (Session *s);
/* Some trace of the session may still grow. */
bool session_may_grow (const Session *s);

uint64_t session_events_read (const Session *s);
/* The instant the session stands at: `until` if it lies inside the execution, else the execution's end. */
int64_t session_instant (const Session *s, int64_t until);
/* What views, files and wires show is that of the instant `at` from here on, until the program goes on (eve_rest): for
 * whoever looks at results after going or travelling there. */
void session_rest (Session *s, int64_t at);
/* What is selected is this now (readers/selected.h).  True: some component would tell another thing for it, so
 * session_rest() is due. */
bool session_select (Session *s, const TraceRefs *selection);
/* Whether some component knows what such a thing is. */
bool session_knows (Session *s, TraceRef what);
/* Who is told, from here on, how far long work inside of one component is, and may cancel it: what it makes is then
 * missing, which the component tells.  It must live until the next call; NULL: nobody.  Driving sets its own. */
void session_watch (Session *s, const TraceProgress *progress);
/* Identity of the state reached at `at`: of the state graphs; in a program without one, of what its components
 * hold, however it was driven there. */
uint64_t session_hash (Session *s, int64_t at);
