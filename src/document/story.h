/* SPDX-License-Identifier: Apache-2.0 */
/* story.h - what happened in a range of an execution: how long tasks were in which state, what they waited, the
 * messages, by task or by what tasks have in common.  Read from the histories that the film keeps of the simulator that
 * is at work, so that no event is played.  No GTK; engine thread. */
#pragma once
#include "document/document.h"
#include "views/history.h"
#include "views/stretches.h"

typedef enum { STORY_BY_TASK, STORY_BY_HOST, STORY_BY_PROGRAM, STORY_BY_GROUP, STORY_WAYS } StoryBy;

#define STORY_STATES 12 /* told apart, those that lasted longest; the others are one */

typedef struct StoryRow {
  char *name;
  uint32_t task, n_tasks;        /* TRACE_NONE: of several */
  double time[STORY_STATES + 1]; /* ticks in each state of the story */
  double lives, waits, works;    /* ticks of its life, and of them in states that wait, that work */
  uint64_t sent, received;       /* messages whose send began, and whose receive ended, in the range */
  int64_t sent_bytes, received_bytes;
} StoryRow;

typedef struct Story {
  int64_t from, to;
  int64_t known;         /* the film reaches so far */
  bool about;            /* times are from sums, off at the edges by a little */
  bool has_messages;     /* whether anybody knows of messages */
  bool tells_waits;      /* a component tells of waits, each until the other has come: these are the story's; else, */
  bool knows_waits;      /* some states of the simulator are known to be those of who waits, */
  bool knows_works;      /* of who works */
  const char *simulator; /* name of the box, good for ever */
  const char *execution; /* the same of the trace; NULL: there is one alone */
  const char *trace;     /* its name, good for ever */
  StoryBy by;
  guint n_states;
  const char *states[STORY_STATES + 1]; /* names, good for ever, */
  const char *words[STORY_STATES + 1];  /* and as people read them */
  uint32_t values[STORY_STATES + 1];    /* of the model; UINT32_MAX: the others */
  bool lives[STORY_STATES + 1];         /* who is in it lives */
  char *pair;                           /* "A to B", between which the most bytes went; NULL: none did */
  uint64_t pair_messages;
  int64_t pair_bytes;
  GPtrArray *rows; /* of StoryRow *, those that waited longest first */
  StoryRow *all;   /* the sum */
  TraceClock clock;
} Story;

/* Histories and names that stories are read from; the document's, until the film is another. */
typedef struct StoryFilm StoryFilm;
void story_film_free (StoryFilm *f); /* NULL: nothing */

/* The states of all tasks over time, by the film; the document's, good until the next call.  *attribute of *model has
 * them. */
StatesReader *story_states (ScopeDocument *d, const StateModel **model, int *attribute, GError **error);

/* The same of who the tasks are, with their groups, and of the messages (NULL: nobody knows of any); false: there is no
 * film yet. */
bool story_readers (ScopeDocument *d, const Names **names, MessagesReader **messages, const TraceSource **source);

/* The same of who waits for whom; NULL: nobody tells of any, or there is no film yet. */
Stretches *story_waits (ScopeDocument *d, const Names **names, const TraceSource **source);

/* NULL and a sentence: there is no film yet, or no simulator. */
Story *story_new (ScopeDocument *d, int64_t from, int64_t to, StoryBy by, GError **error);
void story_free (Story *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Story, story_free)
/* "50.0 ms: Busy 61 %, Idle 30 %, ... 84 messages, 65.5 kB.  fft 2 waited longest, 12 ms."; g_free */
char *story_text (const Story *s);
/* A sentence or two about "waits", "work", "talk" or, any other word, where the time went; "": states do not tell it.
 * g_free. */
char *story_answer (const Story *s, const char *about);
/* Those of its rows that were in some state, sent or received, in the range, or in that of `beside`, if it is compared
 * (NULL: with none); g_ptr_array_unref.  A machine, or a lock that nobody took, is in the trace and does nothing. */
GPtrArray *story_rows (const Story *s, const Story *beside);
/* Which of its states has that name; -1: none. */
int story_state (const Story *s, const char *state);
/* RFC 4180, a line a row with a head that has units, and the same of what it is compared with below (NULL: nothing);
 * g_free. */
char *story_csv (const Story *s, const Story *kept);

/* ---- beside another that was kept ---------------------------------------------------------------------------------- */

typedef struct StoryChange {
  const char *name;             /* of the row */
  const StoryRow *now, *before; /* NULL: that story does not know it, or it did nothing in the one that was kept */
  double waits;                 /* seconds more than before */
} StoryChange;

/* Rows that do something in either, those whose waits differ most first; of StoryChange *, good as long as both are;
 * g_ptr_array_unref.  Both are told by the same. */
GPtrArray *story_changes (const Story *s, const Story *kept);
/* "+1.2 pp" of a share of 0.012, points of percent; g_free. */
char *story_points_text (double share);
/* "waits −3.20 ms, received +12"; g_free. */
char *story_change_text (const Story *s, const StoryChange *c);
/* Lines about messages, waits, and who does something in one of them alone; g_free. */
char *story_changes_text (const Story *s, const Story *kept, const GPtrArray *changes);
