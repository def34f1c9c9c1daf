/* SPDX-License-Identifier: Apache-2.0 */
/* travel.h - to any instant of an execution: the nearest saved run state at or before it is restored, the rest is
 * played (thesis, 3.2).  Saved states come from the film of the session, from a file of those made by hand, and from a
 * few kept in memory near the present.  Wherever it starts from, an instant is bit for bit what playing from the
 * beginning gives.
 *
 * A travel that fails or is cancelled leaves the session where it was.  Engine thread only. */
#pragma once
#include "session/checkpoints.h"
#include "session/film-drive.h"
#include "session/session.h"
#include "session/strategy.h"

typedef struct Travel Travel;

/* Where something damaged was found: another film mends the first, nothing mends the second. */
typedef enum { TRAVEL_OF_FILM, TRAVEL_OF_SAVED } TravelOf;

typedef struct TravelOptions {
  const char *film;              /* folder of the film; NULL: without one.  It may be growing */
  uint64_t trace, plan;          /* identities of film_folder() */
  Strategy strategy;             /* of saving in memory while playing */
  uint64_t memory_bytes;         /* for states kept in memory; 0: 64 MiB */
  bool nearest;                  /* start from the nearest state even when playing from another is quicker */
  const TraceProgress *progress; /* may be NULL */
  /* What was found damaged and passed over; of states saved by hand and in memory each sentence once.  May be NULL. */
  void (*say) (void *arg, TravelOf of, const char *sentence);
  void *arg;
} TravelOptions;

/* How the last travel went. */
typedef struct TravelReport {
  uint64_t from_event; /* where playing began */
  uint64_t played;     /* events played */
  int64_t restore_ns, play_ns, save_ns;
  bool restored, from_film;
} TravelReport;

Travel *travel_new (Session *s, const TravelOptions *options);
void travel_free (Travel *t);
/* The film has been begun anew, or there is one now; also when the program was edited, whose plan is then another.
 * States saved by hand stay those of their program. */
void travel_use_film (Travel *t, const char *folder, uint64_t trace, uint64_t plan);
/* Part of what the program holds was worked out before it was changed.  Any travel ends that, also one to the present;
 * until then no state is kept. */
bool travel_is_mixed (const Travel *t);

/* Of saving in memory while playing, from now on. */
void travel_set_strategy (Travel *t, const Strategy *strategy);

/* For states kept in memory from now on, in the place of what the options said. */
void travel_set_memory (Travel *t, uint64_t bytes);

uint64_t travel_event (const Travel *t); /* the present: events given */
int64_t travel_date (const Travel *t);   /* of the last of them; INT64_MIN: the beginning */
const TravelReport *travel_report (const Travel *t);
/* The part that the program has ordered itself to add by the present and does not have (extend.h): heard on the last
 * way, or known to the film.  g_free; NULL: none.  Whoever adds it calls travel_use_film() and travels again. */
char *travel_part (Travel *t);
/* Adds such parts, goes on until there is none, and ends at the same goal; for commands.  `tell` as in extend_go(). */
bool travel_extend (Travel *t, void (*tell) (void *arg, const char *sentence), void *arg, GError **error);

/* To just after the last event dated <= date, to just after `number` events, to the beginning (0) or the end.  Of
 * several readers it is the leading one whose events are counted, and all give what is dated by then. */
bool travel_to_date (Travel *t, int64_t date, GError **error);
bool travel_to_event (Travel *t, uint64_t number, GError **error);
bool travel_to_end (Travel *t, GError **error);
/* One event back, of several readers as by date; to the state before the events of the present date. */
bool travel_back_event (Travel *t, GError **error);
bool travel_back_date (Travel *t, GError **error);
/* While the person looks: makes ready for steps back, which then take a few milliseconds instead of a travel each.
 * Takes about as long as the travel here did; ends where it began, also when cancelled. */
bool travel_prepare (Travel *t, GError **error);
/* Back to just after the previous event of a task, or of either between two tasks; tasks are indices of the session's
 * leading source.  With several readers it is the previous date that has one, and the goal all of that date. */
bool travel_back_task (Travel *t, uint32_t task, GError **error);
bool travel_back_link (Travel *t, uint32_t from, uint32_t to, GError **error);
/* Back to the event with which a node (its id in the graph) took the value that its attribute `State` has now. */
bool travel_back_state (Travel *t, const StateGraph *graph, uint32_t node, GError **error);

/* Goes forward as playing in small steps does, making checkpoints in memory when the strategy says so; commands of
 * components are obeyed when `obey`.  Until `date`. */
bool travel_play_until (Travel *t, int64_t date, bool obey, GError **error);
/* The same for at most `budget_ns`, towards what readers were last told (drive_until() and its like): 1: there is more
 * to do, 0: done, -1: failed.  For a window, once a frame. */
int travel_play_slice (Travel *t, bool obey, int64_t budget_ns, GError **error);

/* ---- in slices, for a window that must go on drawing (travel-slices.c) ------------------------------------------------ */
/* The same travels: begin restores a state (some milliseconds), travel_go_on() plays until it gives 0 (there) or -1
 * (failed, with an error).  Given up on the way by another of these functions, the session is somewhere between, from
 * where every travel goes on well.  `prepare` makes ready for steps back from there. */
void travel_begin_date (Travel *t, int64_t date, bool prepare);
void travel_begin_event (Travel *t, uint64_t number, bool prepare); /* at most as many as the trace has */
void travel_begin_end (Travel *t);
/* Of the first event that no reader has given yet; INT64_MAX: there is none. */
int64_t travel_next_date (Travel *t);
int travel_go_on (Travel *t, int64_t budget_ns, GError **error);
double travel_share (const Travel *t); /* of the way, 0..1 */

/* ---- checkpoints by hand ------------------------------------------------------------------------------------------- */
/* The present is saved under a name, into the film's folder if there is one (it then outlives the session), and in
 * memory.  A mixed one is worked out again before.  False when it could not be written, too: it is in memory then. */
bool travel_save (Travel *t, const char *name, CheckpointKind kind, GError **error);
/* A mark was placed at the present: saves if the strategy's heuristic says so (thesis, 3.4.2); true: it did. */
bool travel_mark_placed (Travel *t, const char *name);
/* All checkpoints there are, by event: of the film, by hand, in memory (GArray of Checkpoint; free it). */
GArray *travel_checkpoints (Travel *t);
/* Those saved by hand with other programs: before the program was edited, or in another session on this trace.  None of
 * them is lost; each serves again when the program is the one it is of. */
typedef struct TravelOther {
  Checkpoint what;
  uint64_t trace, plan; /* identities of that program */
  bool was_here;        /* in this session: undo or redo leads there */
} TravelOther;
const GArray *travel_others (const Travel *t); /* of TravelOther, by event; good until the next travel_use_film() */
const char *travel_other_says (const TravelOther *o); /* why it cannot be used, and what to do: half a sentence */
/* To the checkpoint made by hand under this name. */
bool travel_to_checkpoint (Travel *t, const char *name, GError **error);

/* ---- commands of components ------------------------------------------------------------------------------------------ */
/* What components asked for while playing: save, mark, go to a mark, and others.  Saves are done here, at once; all
 * else is handed to `act`, which may be NULL: what was for readers they have obeyed already.  Call it after eve_run()
 * has come back. */
/* Something was heard; *halts, if not NULL: the last command of it for readers was to pause or stop. */
bool travel_heard (const Travel *t, bool *halts);
bool travel_obey (Travel *t, bool (*act) (void *arg, const DriveHeard *what), void *arg, GError **error);
