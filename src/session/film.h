/* SPDX-License-Identifier: Apache-2.0 */
/* film.h - the film of an execution: what one pass of a program at full speed leaves behind in a folder (architecture
 * of films: docs/film-format.md).  film-store.c finds and describes films, film.c shoots them.  Engine thread only. */
#pragma once
#include "session/checkpoints.h"
#include "session/session.h"
#include "session/strategy.h"

typedef enum { FILM_NONE, FILM_SHOOTING, FILM_COMPLETE, FILM_STOPPED, FILM_FAILED } FilmState;

/* What the file `manifest` of a film says. */
typedef struct FilmManifest {
  FilmState state;                 /* SHOOTING in a film that nobody shoots: it was killed */
  uint64_t trace, plan;            /* identities, below */
  uint64_t plugins;                /* plugins_identity() of the program */
  uint64_t side;                   /* Parts.side of the program */
  uint64_t events, n_events;       /* how far, of how many; events by the readers' first */
  uint64_t damaged;                /* records that were left out so far */
  int64_t date;                    /* how far; INT64_MIN: nothing yet */
  char *bundle, *format, *program; /* name of the trace, its format, the program's file */
  char *said;                      /* why it stopped or failed, a sentence; "" */
  char *fault;                     /* the component that crashed, called exit or did not come back; "" */
  char **files;                    /* film_list_files() when it was shot; NULL: none */
  bool torn;                       /* the manifest itself is damaged: what it says is not to be believed */
  bool other_build;                /* written by another Scope than this: state is NONE, and nothing of it is of use */
} FilmManifest;
void film_manifest_clear (FilmManifest *m);
/* False and an error: no manifest, or not one that can be read.  A film of another version has state FILM_NONE. */
bool film_manifest_read (const char *folder, FilmManifest *m, GError **error);
bool film_manifest_write (const char *folder, const FilmManifest *m, GError **error);
bool film_write_program (const char *folder, EveProgram *p, GError **error); /* program.eve */
/* Notes in the film of a process that died why it ends here; `fault`: the component that did it, or "". */
void film_manifest_fail (const char *folder, const char *fault, const char *sentence);
/* Whether a folder whose manifest is no longer one still is that of a film: by its first checkpoint. */
bool film_is_film (const char *folder);
/* Whether it is one of the folders that Scope itself names and makes: all that is in it is of a film. */
bool film_is_at_home (const char *folder);
/* Whether a film has files, or folders, of that name, as the path below its own folder; elsewhere than at home nothing
 * else is touched. */
bool film_has_file (const char *name);
bool film_has_folder (const char *name);
/* Whether a folder has something in the place of a film's manifest; the folder of a run has none. */
bool film_has_manifest (const char *folder);
/* Whether nothing of a film is in a folder, nor anything else: the lock, and states that a person saved, may be. */
bool film_is_empty (const char *folder);
/* Whether a pass may look into a folder: nothing, not even a lock, is put beside what others keep there.  Where a lock
 * is, a pass may have been killed early.  False and a sentence. */
bool film_may_begin (const char *folder, GError **error);
/* False, and the sentence, of a path and what errno says: "%s cannot be written: %s". */
bool film_cannot (GError **error, const char *sentence, const char *path);
#define FILM_BY_HAND "by-hand"           /* checkpoints that a person asked for */
#define FILM_MANIFEST_NEW "manifest.new" /* its name until it is whole */

/* Identity of the data of a trace, wherever the bundle lies and whenever it was copied there: names and bytes of its
 * data files.  0 and an error if they cannot be read. */
uint64_t film_trace_identity (const char *bundle, const char *format, GError **error);
/* Identity of the trace that was opened and of those that readers have of their own, in the order of the readers. */
uint64_t film_traces_identity (Session *s, GError **error);
/* Identity of what runs, whatever trace was opened: eve_program_plan_hash(), and the bytes of components from
 * elsewhere: built again, they are others. */
uint64_t film_plan_identity (Session *s);

/* The folder of the films of this user; g_free.  XDG_CACHE_HOME/scope/films. */
char *film_home (void);
/* The folder of the film of a session: of this trace and this program, or, while none is there that is complete, of a
 * program that has all which this one needs; g_free.  NULL and an error as above. */
char *film_folder (Session *s, uint64_t *trace, uint64_t *plan, GError **error);
/* The same of this very program, whatever others there are. */
char *film_own_folder (Session *s, uint64_t *trace, uint64_t *plan, GError **error);
/* Whether the film in a folder, perhaps of another program, is complete and has all that a program needs: histories,
 * parts of checkpoints, and the other files.  *m: its manifest. */
bool film_serves (Session *s, const Parts *p, uint64_t trace, const char *folder, const FilmManifest *m);
/* Another folder whose film serves; g_free; NULL: there is none.  `own`: as film_own_folder(). */
char *film_that_serves (Session *s, const Parts *p, const char *own, uint64_t trace);
/* The film of another program that has all of it, in the folder that the options name or, if they name none, beside,
 * and is without damage; g_free.  NULL: there is none, or with an error: the progress said stop. */
struct FilmOptions;
char *film_of_another (Session *s, const Parts *p, uint64_t trace, const char *own, const struct FilmOptions *o,
                       uint64_t *events, GError **error);
/* Where what is saved by hand of a program lies, if its film, which may be that of another, is in `folder`; g_free. */
char *film_folder_of (const char *folder, uint64_t plan);
/* Calls `each` for the folders that lie beside `folder`, are of the same trace, and of other programs. */
typedef void (*FilmEach) (void *arg, const char *folder, uint64_t plan);
void film_each_beside (const char *folder, FilmEach each, void *arg);
/* Removes films of the home that are too old, then those that were used the longest ago until the rest is small enough.
 * Films that are being shot, `keep` (may be NULL), and states that a person saved stay; so do links, and what they lead
 * to.  Gives how many were removed. */
guint film_evict (const char *home, const char *keep, uint64_t most_bytes, int64_t most_age_s);
uint64_t film_bytes (const char *folder);              /* room on the disk */
uint64_t film_trace_bytes (const TraceSource *source); /* the same of the data of a trace */

/* ---- damage (film-check.c) --------------------------------------------------------------------------------------------- */
typedef struct FilmCheck {
  bool data; /* also the blocks that histories and checkpoints hold; else what is quickly looked at */
  bool mend; /* files are cut before what is damaged; with the lock held */
  const TraceProgress *progress; /* may be NULL */
} FilmCheck;
/* Appends sentences (char *) to `problems`: which file, and what of it is missing.  False: the progress said stop. */
bool film_check (const char *folder, const FilmManifest *m, const FilmCheck *how, GPtrArray *problems);
/* "BYTES SUM NAME" of each file, for the manifest; g_strfreev. */
char **film_list_files (const char *folder);
/* Bytes that are whole and sound, of *bytes. */
uint64_t film_overview_sound (const char *path, uint64_t *bytes);
uint64_t film_commands_sound (const char *path, uint64_t *bytes);

/* Removes what a kill in the midst of writing a small file leaves: names with a few letters more. */
void film_remove_leftovers (const char *folder);
bool film_file_has (const char *folder, const char *name, uint64_t bytes); /* at least so many */
/* "Some: No task is called …; …", for the manifest, so that the film tells it whenever it is used; g_free. */
char *film_missing (const EveProgram *p);
/* Says that a film is in use, for film_evict(). */
void film_touch (const char *folder);
/* Removes the files of a film, and only those: what else lies in the folder stays, except at home.  What a person saved
 * cannot be shot again and stays too. */
bool film_wipe (const char *folder, GError **error);
/* Takes the lock of a film.  A descriptor to film_unlock(), or -1: another process has it (*busy), or an error. */
int film_lock (const char *folder, bool *busy, GError **error);
void film_unlock (int lock);

/* ---- overview: time spent in each state, over all tasks, by bucket of dates ------------------------------------------ */
#define FILM_BUCKETS 512
#define FILM_OTHERS "others"
#define FILM_EXECUTIONS 4 /* that an overview tells of: a program may have more */
typedef struct FilmOverview {
  guint n_states;
  char **states;       /* NULL-terminated: "Busy", ...; FILM_OTHERS: those beyond some sixty */
  guint *of;           /* of each state: the execution, 0 the leading one, in the order of session_executions() */
  guint n_executions;  /* that have a state; at least 1 */
  int64_t first, last; /* of all traces together, ticks */
  guint n;             /* buckets there are, at most FILM_BUCKETS */
  int64_t *spent;      /* [bucket * n_states + state], ticks, summed over tasks */
  uint64_t *events;    /* in each bucket */
} FilmOverview;
/* Bucket k goes from film_bucket (first, last, k), not counted in but for k = 0, to film_bucket (first, last, k + 1).
 */
int64_t film_bucket (int64_t first, int64_t last, guint k);
FilmOverview *film_overview_read (const char *folder, GError **error);
void film_overview_free (FilmOverview *o);
/* For film.c: begins the file, or goes on at `bytes` of it (NULL without an error: they are damaged); adds the sums up
 * to a boundary. */
typedef struct FilmSums FilmSums;
FilmSums *film_sums_new (const char *folder, const Session *s, uint64_t bytes, GError **error);
bool film_sums_add (FilmSums *o, const Session *s, int64_t at, GError **error);
uint64_t film_sums_bytes (const FilmSums *o);
guint film_sums_n (const FilmSums *o); /* boundaries there are */
void film_sums_free (FilmSums *o);
/* Of a trace that grows, whose last date nobody knows: buckets that get wider when there would be too many, so that
 * `last` lies behind what there is.  Goes on with those boundaries of the file that lie before `from`; INT64_MIN:
 * begins it.  NULL, without an error, if some of these are not there. */
FilmSums *film_sums_new_growing (const char *folder, const Session *s, int64_t from, GError **error);
int64_t film_sums_next (const FilmSums *o); /* the date of the next boundary */

/* ---- tasks, their groups and their traffic (film-tasks.c) ------------------------------------------------------------ */
typedef struct FilmTasks FilmTasks;
FilmTasks *film_tasks_new (const char *folder, Session *s); /* with what the film knows already; of all traces */
void film_tasks_free (FilmTasks *g);
void film_tasks_look (FilmTasks *g); /* at the groups of the present state */
/* What events of a reader tell of tasks, for LayersOptions.hear; `tasks`: where a FilmTasks * stands, or NULL does. */
void film_tasks_hear (void *tasks, EveComponent *reader, const void *events, uint32_t n);
/* What is new; `last`: nothing more will come in this pass. */
bool film_tasks_write (FilmTasks *g, bool last, GError **error);

/* ---- values that attributes can have, by name (film-schema.c) ---------------------------------------------------------- */
/* If there are not the *n_written that there were when it was written last. */
bool film_schema_write (const char *folder, const Session *s, uint64_t *n_written, GError **error);
/* The simulators of a session hear of the values that the film in `folder` has met; NULL: of none.  A sentence (g_free)
 * if they are there and cannot be read. */
char *film_schema_read (const char *folder, const Session *s);

/* ---- commands: what components would have commanded (film-commands.c) ------------------------------------------------ */
typedef struct FilmCommand {
  uint64_t event;     /* events given by then */
  int64_t date;       /* of the last, ticks; INT64_MIN: none */
  char *verb;         /* "pause", "mark", ...: docs/film-format.md */
  char *name, *order; /* what it is about; the whole text of an order; NULL: none */
} FilmCommand;
/* The first `most` of a film; of FilmCommand *; free it. */
GPtrArray *film_commands_read (const char *folder, const TraceClock *clock, guint most);
struct DriveHeard;
void film_command_write (const struct DriveHeard *h, const TraceClock *clock, GString *to);

/* ---- shooting -------------------------------------------------------------------------------------------------------- */
typedef struct FilmOptions {
  const char *folder; /* NULL: film_folder() */
  int64_t until;      /* INT64_MAX: the end */
  Strategy strategy;
  const TraceProgress *progress;                      /* may be NULL */
  void (*say) (void *arg, const char *sentence);      /* what was dropped, resumed, ...; may be NULL */
  void (*waits) (void *arg, const char *sentence);    /* another process shoots it, and takes long; may be NULL */
  void (*damaged) (void *arg, const char *sentence);  /* what is damaged, and shot again; may be NULL */
  void (*extended) (void *arg, const char *sentence); /* which part was added, and what of it was not; may be NULL */
  void (*missing) (void *arg, const char *sentence);  /* what was missing when a film that is there was shot:
                                                         eve_program_missing(); may be NULL */
  void *arg;
  bool look_through; /* at every block of a film that is there, not only at what is quickly looked at */
  /* Parts that components order are added to the program of the session (extend.h); what is shot in the end is the film
   * of the program that orders no more.  Else such orders are recorded alone. */
  bool extend;
} FilmOptions;

typedef struct FilmStats {
  char *folder;                 /* g_free */
  uint64_t events, events_shot; /* in the film; shot in this pass */
  guint checkpoints;
  uint64_t checkpoint_bytes, bytes;
  double wall_s, saving_s;
  bool was_complete;
  bool of_another;                  /* the film of another program has all of it, */
  bool of_cone;                     /* or nearly all: only what that one lacks was played (film-cone.h) */
  guint histories, histories_taken; /* of the program; that other films had, and were copied */
  bool missing;                     /* what settings ask for by name is not there */
  guint damages;                    /* found, and shot again */
} FilmStats;

/* Shoots the film of a session that was just opened, or what is missing of it.  False and an error: cancelled, a
 * component failed, the disk is full; what was shot stays and is gone on with the next time. */
bool film_shoot (Session *s, const FilmOptions *options, FilmStats *stats, GError **error);
