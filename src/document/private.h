/* SPDX-License-Identifier: Apache-2.0 */
/* private.h - what the files of this folder share. */
#pragma once
#include "document/document.h"

/* orders.c: SessionOptions.may_read, which asks the person. */
bool document_may_read (void *document, EveProgram *p, const char *path);

typedef enum { GOAL_NONE, GOAL_DATE, GOAL_EVENT, GOAL_END, GOAL_TASK } GoalKind;
typedef struct Goal {
  GoalKind kind;
  int64_t date;
  uint64_t event;
  uint32_t task;
  bool prepare;               /* steps back will follow */
  bool stays;                 /* time then stands at this very date, also where no event has it */
  bool whole_date, then_play; /* once there: on to the last event of its date; play */
} Goal;

/* counted.c */
typedef enum { COUNTED_NONE, COUNTED_BEGINS, COUNTED_BUSY, COUNTED_THERE, COUNTED_FAILED } DocumentCountedState;
void document_counted_end (ScopeDocument *d);    /* before the session is closed */
void document_counted_edited (ScopeDocument *d); /* the program is another, perhaps */

struct _ScopeDocument {
  GObject base;
  Session *session; /* NULL: nothing is open */
  EditHistory *history;
  bool shipped;

  /* time */
  Travel *travel;
  ScopeMode mode;
  guint worker;       /* idle source while playing or travelling */
  Goal goal, heading; /* where to go next; where it is on its way to */
  uint64_t n_asked;   /* how often it was sent anywhere, or halted: who waits for one travel tells it from the next */
  uint64_t n_asked_to_open; /* the same, when it had been opened */
  bool told_to_go, play_after;
  bool outdated;        /* results are of the program before it was changed */
  bool halted;          /* by an order in this slice */
  bool extended;        /* the same, */
  uint64_t extended_at; /* heard at this event */
  int64_t rest_begun_us, rest_cost_us;
  int64_t heading_begun_us;
  int64_t cursor;
  int64_t rest_date; /* the instant at which time stands between two events, while rest_event is the last of them */
  uint64_t rest_event;
  bool cursor_leads; /* the session is on its way to it */
  ScopeSpeed speed;
  double speed_value;
  int64_t play_begun_us, play_from_date, told_us, told_activity_us;
  uint64_t play_from_event, play_from_read; /* by the session's first reader; by all readers */
  Strategy strategy;
  char *strategy_words;
  Marks *marks;
  GPtrArray *mark_files; /* of GFileMonitor *: those of `watched_marks` */
  char *watched_marks;
  guint settling_marks;   /* a source: they are being written */
  GPtrArray *other_marks; /* of Marks: of the traces that do not lead; may be NULL */
  char *others;           /* which traces these are, and how they are shifted */

  /* live */
  bool fresh_next;           /* the text that is opened next is nobody's work */
  char **allow_next;         /* until the next program is open */
  bool follow_next, follows; /* follows: the present is the newest instant, or on its way there */
  bool live_grown;           /* and not told yet */
  bool catching_up;          /* events were given that nothing shows yet */
  uint64_t live_damage;      /* records that were left out, as was told */
  guint live_poll, live_silent;
  bool live_held;                /* a program waits there */
  int64_t live_halt;             /* the newest break point that the program has come to */
  int64_t live_us, live_told_us; /* something has come */
  guint live_watch, live_soon;   /* sources: the kernel tells that something was written; a look is due */
  int64_t live_looked_us;
  int live_fd; /* by which it does, or -1 */

  /* film */
  char *film;  /* folder */
  char *title; /* the last that was asked for */
  uint64_t trace_identity, plan_identity, plan_hash;
  GSubprocess *shooting;
  GCancellable *shooting_cancel;
  int64_t shooting_since; /* g_get_real_time() */
  guint film_poll, film_due;
  FilmState film_state;
  uint64_t film_events;
  int64_t film_date;
  double film_share;
  char *film_problem;
  FilmOverview *overview;
  struct StoryFilm *story_film;    /* what stories are read from; NULL: none was asked for yet */
  GHashTable *film_tasks;          /* TraceSource -> how many tasks it knows of; compared, never looked into */
  guint film_mends, film_restarts; /* shot again since it was damaged, or its process killed */
  guint film_mend;                 /* source: it is to be shot again */

  /* trust */
  char *strangers; /* boxes that came from elsewhere, "A, B" */
  char *distrust;  /* what is known against a component; NULL: nothing */
  char *trusted;   /* what the person has said yes to; NULL: nothing */
  Goal held;       /* what waits for the answer */
  bool held_play, waiting_told;

  /* editing, selection, look */
  int edit_depth;
  GArray *since;            /* since.c: when boxes were added */
  bool added_go;            /* on travel back */
  GPtrArray *boxes, *parts; /* selected; of char * */
  TraceRefs *selection, *hovered;
  uint64_t selection_serial;
  bool has_range, drags_range;
  const char *range_trace; /* of which it is, good for ever */
  int64_t range_from, range_to;
  GArray *ranges;                  /* range.c: those before; NULL: none */
  struct DocumentCounted *counted; /* what charts count of the range; NULL: nothing was asked for */
  char *view;                      /* box in whose picture the person is at work; NULL: in none yet */
  ViewColours *colours;
  char *given;                  /* file of associations that goes over all; NULL: none */
  GPtrArray *association_files; /* of GFileMonitor *: what somebody else writes is taken over */
  guint associating;            /* soon */
  char *associated;             /* the note of the program that they were made with */
  GArray *triggered;            /* of ScopeTriggered; NULL: none yet */
  bool asking, unknown_told, damage_told;
  GHashTable *parts_added; /* names of those that the program has added to itself; NULL: none yet */
  GHashTable *warnings;    /* name of a box -> its last warning */

  /* long work */
  TraceProgress progress;
  char *busy;
  double busy_share;
  int64_t busy_since_us, busy_told_us;
  bool cancelled;
  struct Nearby *nearby; /* near.c: what events are looked for in; NULL: nobody looked yet */
  bool near_under_way;
};

enum {
  DOC_OPENED,
  DOC_PROGRAM,
  DOC_ACTIVITY,
  DOC_TIME,
  DOC_MODE,
  DOC_FILM,
  DOC_SELECTION,
  DOC_LOOK,
  DOC_MARKS,
  DOC_BUSY,
  DOC_SAVED,
  DOC_HOVER,
  DOC_RANGE,
  DOC_SAY,
  DOC_UNSAY,
  DOC_FRONT,
  DOC_SHOW,
  DOC_N_SIGNALS
};
void document_tell (ScopeDocument *d, int signal);
/* Around work that reports to d->progress. */
void document_work_begins (ScopeDocument *d);
void document_work_ends (ScopeDocument *d);
/* Nobody is watched any more. */
void document_associate_end (ScopeDocument *d);
/* Reads the associations of the format, the person, the bundle and the program again. */
void document_associate (ScopeDocument *d);
/* The same after an edit, if the note of the program is another; true: it was. */
bool document_associate_again (ScopeDocument *d);
void document_set_mode (ScopeDocument *d, ScopeMode mode);

/* stay.c: what stays when another program is opened on the same trace. */
typedef ScopeStay Stay;
/* What is open, or what is gone back to; scope_document_stay_free(). */
Stay *document_stay_take (ScopeDocument *d);
bool document_stay_is_here (const Stay *s, const ScopeDocument *d);
void document_stay_go (const Stay *s, ScopeDocument *d); /* to its instant, else to the first event */
void document_stay_select (const Stay *s, ScopeDocument *d);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Stay, scope_document_stay_free)

/* time.c */
/* After opening, where damage has left no event at all. */
void document_say_nothing_is_whole (ScopeDocument *d);
/* How many tasks a trace has as far as it was read, here or by the film. */
guint document_tasks_of (ScopeDocument *d, const TraceSource *source);
/* The same without things, which nobody counts among those that do something: how many tasks there are. */
guint document_counted_tasks_of (ScopeDocument *d, const TraceSource *source);
void document_time_begin (ScopeDocument *d); /* a session was opened */
void document_time_end (ScopeDocument *d);
void document_marks_begin (ScopeDocument *d);  /* with the session */
void document_marks_edited (ScopeDocument *d); /* traces may have been shifted: their marks are where they are now */
void document_marks_watch (ScopeDocument *d);  /* their file may lie elsewhere now */
void document_marks_end (ScopeDocument *d);
/* Ends playing and travelling between two slices; what is on its way stays where it is. */
void document_time_halt (ScopeDocument *d);
/* With what was held back. */
void document_time_go_on (ScopeDocument *d);
/* The program is another: a failure may be gone, the worker goes on with it. */
void document_time_edited (ScopeDocument *d);

/* The program has extended itself at an order that was heard at this event: it is worked out up to there, and played
 * on; what was heard later comes again. */
void document_time_extended (ScopeDocument *d, uint64_t event, int64_t date);
/* A travel has arrived.  True: a part was added that was ordered on its way, and all is to be worked out again.  One
 * that the person has taken away again stays away until its order is played. */
bool document_part_ordered (ScopeDocument *d);
void document_time_halted (ScopeDocument *d); /* an order in this slice: then it is not played on */
/* What is shown is that of the present. */
void document_time_rest (ScopeDocument *d);
/* What is selected has changed, and is told next: components tell of it. */
void document_time_selected (ScopeDocument *d);
/* The program's plan is another: what is held is worked out again, as soon as nothing else is under way. */
void document_time_outdated (ScopeDocument *d);

/* since.c: the program is another.  `as_ever`: what is new of it is as if it had been there all along. */
void document_since_look (ScopeDocument *d, bool as_ever);
void document_since_end (ScopeDocument *d);
/* A travel has arrived: true: boxes that were added later went, as the person wishes. */
bool document_since_arrived (ScopeDocument *d);

/* live.c */
void document_live_begin (ScopeDocument *d);
void document_live_end (ScopeDocument *d);
Goal document_newest (ScopeDocument *d);
/* time.c: to the newest instant, and along from there; more has come. */
void document_time_follow (ScopeDocument *d);
void document_time_go_along (ScopeDocument *d);

void document_edited (ScopeDocument *d); /* the program is another: all who hang on it are told */
/* orders.c: obeys what a component orders of the window, and notes that it did. */
void document_order (ScopeDocument *d, const DriveHeard *h);

/* trust.c: components from elsewhere are tried by the film's process first. */
typedef enum { TRUST_GO, TRUST_WAIT, TRUST_ASK } Trust;
void document_trust_look (ScopeDocument *d); /* the program, or what is known of its components, is another */
void document_trust_tell (ScopeDocument *d); /* says what is known against them, with the question */
void document_trust_end (ScopeDocument *d);
Trust document_trust (ScopeDocument *d);      /* may it be played? */
guint document_trust_wait (ScopeDocument *d); /* for the film: so many ms, until it is asked again */
void document_trust_hold (ScopeDocument *d);  /* halts, keeps what was wished, and asks */
/* A program that names components from elsewhere is first made in another process; false: that ended badly. */
bool document_trust_program (const char *program, const char *text, GError **error);

/* film.c */
void document_film_begin (ScopeDocument *d);
void document_film_end (ScopeDocument *d);
/* The program is another; the film of this one is looked for, or begun, in a moment. */
void document_film_edited (ScopeDocument *d);
