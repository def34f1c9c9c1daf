/* SPDX-License-Identifier: Apache-2.0 */
/* film-drive.h - plays a program for films and travel, bit for bit the same whatever way it goes.
 *
 * Readers are commanded directly, not through the session controller of the program: how an instant was reached must
 * leave no trace in the run state, or two ways to it would differ.  What components command at the controller's control
 * port is recorded, not obeyed: a watch that pauses the program has no business in a film (architecture: the film).
 * Engine thread only. */
#pragma once
#include "session/session.h"

/* Where the session stood when a component stopped it: what is heard after that, of the data under way, belongs there
 * and not to the beginning that the readers went back to. */
typedef struct DriveStop {
  bool stopped;
  uint64_t event;
  int64_t date;
} DriveStop;
/* The place that a command belongs to that is heard now. */
void drive_place_heard (const Session *s, DriveStop *stop, TraceVerb verb, uint64_t *event, int64_t *date);

typedef struct DriveHeard { /* a command of a component */
  uint64_t event;           /* events given by then */
  int64_t date;             /* of the last */
  TraceCommand command;
  char *order; /* all that was said, with who and why (statistics/order.h); NULL: without words */
} DriveHeard;
GArray *drive_heard_new (void); /* of DriveHeard, which it frees */

/* How the commands of components are heard; belongs to the caller and outlives its use. */
typedef struct DriveListener {
  Session *session;
  GArray *heard;  /* drive_heard_new(), appended to; may be NULL */
  bool obey;      /* those for readers are obeyed too, as somebody who watches wants it */
  bool halted;    /* a save stopped the slice at its instant; there is more to do */
  DriveStop stop; /* private */
} DriveListener;
/* Listens to the controller of the session; listener NULL: nobody does any more. */
void drive_listen (Session *s, DriveListener *listener);
/* Back to the beginning of the trace. */
void drive_reset (Session *s);

/* What the readers shall give next; nothing runs yet. */
void drive_until (Session *s, int64_t date);     /* all events dated <= date */
void drive_events (Session *s, uint64_t number); /* events until `number` have been given since the beginning */
void drive_end (Session *s);

uint64_t drive_given (const Session *s); /* events given since the beginning: the most, of several readers */
int64_t drive_date (const Session *s);   /* of the last of them; INT64_MIN: none */
/* The end was met behind the last event given: this is no longer the state that so many events lead to, but that of the
 * end, though some of it may not be worked out yet.  That a shorter one of several traces has ended does not count. */
bool drive_ended (const Session *s);
/* All readers have met their end. */
bool drive_all_ended (const Session *s);

/* ---- several readers: each has numbers of its own, dates are what they share ------------------------------------------ */
static inline bool
drive_several (const Session *s)
{
  return s->readers->len > 1;
}
EveComponent *drive_reader_of (const Session *s, const TraceSource *source); /* the first; NULL: none reads it */
uint64_t drive_given_by (EveComponent *reader);                 /* events since the beginning; 0 for NULL */
int64_t drive_date_of (const Session *s, EveComponent *reader); /* of the last of them; INT64_MIN: none */
void drive_one (EveComponent *reader);                          /* it shall give one event more, the others none */
/* Of the first event that none has given yet, by looking ahead; INT64_MAX: there is none.  Between runs only. */
int64_t drive_next_date (const Session *s);

/* Runs a slice.  1: there is more to do, 0: done, -1: failed or stuck, with a sentence. */
int drive_slice (Session *s, int64_t budget_ns, GError **error);
/* Says how far that is; the progress, and its function, may be NULL.  False with an error: it said stop. */
bool drive_report (const TraceProgress *progress, const char *doing, double share, GError **error);
/* Runs until it is done; `share` says how far that is, for the progress, and may be NULL.  False with an error also
 * when the progress said stop. */
bool drive_run (Session *s, const TraceProgress *progress, const char *doing, double (*share) (void *arg), void *arg,
                GError **error);
