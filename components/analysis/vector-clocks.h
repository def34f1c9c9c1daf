/* SPDX-License-Identifier: Apache-2.0 */
/* vector-clocks.h - what the parts of the component share: what each task knows (vector-clocks.c), what is told of it
 * (vector-clocks-told.c), and how it is saved (vector-clocks-saved.c). */
#pragma once
#include <string.h>
#include "eve/words.h"
#include "readers/early.h"
#include "readers/more.h"
#include "readers/pair.h"
#include "statistics/findings.h"
#include "statistics/graph.h"
#include "statistics/stretch.h"
#include "statistics/types.h"

#define MOST_TASKS 256u   /* what is known of each by each is kept */
#define MOST_FLYING 8192u /* messages on their way */
#define MOST_OPEN 32u     /* receives of "any" of a task that are remembered */
#define MOST_RACES 10000u
#define MOST_GROUPS 1024u /* whose barriers are followed */
#define MOST_ROOTED 32u   /* what one gives to its group, or gets of it, that are under way at once */
#define MOST_IMPOSSIBLE 10000u
#define MOST_EARLY 1024u /* receives whose send may still come */
#define TOLD 4           /* races in sentences */
#define MOST_EVENTS (INT64_C (1) << 60)
#define NO_FIELD UINT32_MAX

/* What is known of a task: so many of its events, the last of them dated so. */
typedef struct Known {
  int64_t events, date;
} Known;

/* A message that was sent, with what its sender knew; messages of one key are chained, the oldest first. */
typedef struct Flying {
  uint32_t from, to, object; /* a TraceQueue */
  int32_t tag;
  int32_t thread;   /* of a rendezvous: whose it is, */
  int64_t met;      /* and its number, once it is over for who came so; 0: it is not */
  uint32_t n, room; /* of `known` */
  Known *known;
  struct Flying *next, *last; /* last: of a chain, known to its first */
} Flying;

/* A receive that took what came first. */
typedef struct Open {
  int64_t event, date; /* its number among the events of its task; its end */
  uint32_t from;       /* whose message it got */
  int32_t tag;         /* that it asked for; -1: any */
} Open;

typedef struct Race {
  int64_t date, other_sent; /* end of the receive; when the other message was sent, as far as its receiver knows */
  uint32_t task, from, other;
  int32_t tag; /* of the other message */
} Race;

/* What came before its cause, as the dates have it: the clocks cannot both be right. */
typedef struct Impossible {
  int64_t cause, date; /* cause > date */
  uint32_t from, to;
  int32_t tag;
  bool birth; /* else a message */
} Impossible;

/* A message that was received and not sent yet; of one key, the oldest first. */
typedef struct Early {
  uint32_t from, to, object;
  int32_t tag;
  int64_t date;
} Early;

/* The n-th time that one of a group, the root, gives to all others, or gets of all: what it knew, or what they know. */
typedef struct Rooted {
  int64_t nth; /* from 1; 0: none */
  uint32_t n;  /* of `known` */
  Known *known;
} Rooted;

/* A group that meets: what those know who have come since it last parted, and what it knew then.  Whoever has come when
 * the first one leaves was waited for by all. */
typedef struct Group {
  int64_t meeting;        /* how often it has parted */
  int64_t come, expected; /* of this meeting; expected: as they say, 0: they do not */
  Known *all, *parted;    /* of MOST_TASKS; parted: of the meeting before; NULL: nobody has come; all were not there */
  int64_t *nth;           /* by task: how often it has taken part in what has a root; NULL: nobody has */
  Rooted rooted[MOST_ROOTED];
} Group;

typedef struct Task {
  Known *known;     /* of MOST_TASKS; NULL: nothing has come of it */
  Known *born;      /* what whoever bore it knew then; NULL: it has begun, or nobody told */
  uint32_t meets;   /* the group in whose barrier it is + 1; 0: in none */
  int64_t meeting;  /* and the meeting of that */
  uint32_t roots;   /* the group in which it takes part in what has a root + 1; 0: in none */
  int64_t begun;    /* date of its first event */
  int64_t after;    /* number of its first event that the instant of reference has led to; 0: none yet */
  int64_t after_at; /* its date */
  Open open[MOST_OPEN];
  uint32_t n_open; /* in all; the last MOST_OPEN are there */
  bool told;       /* its stretch is given */
} Task;

typedef struct KindOf {
  uint16_t acts;
  bool meets;                     /* all of a group for all others */
  bool rendezvous;                /* one for one other: both know what the other knew as it came */
  uint32_t meeting;               /* field with its number, 0: they did not meet; or NO_FIELD */
  TraceCollective rooted;         /* FROM_ROOT or TO_ROOT, or OTHER */
  uint32_t asked_from, asked_tag; /* fields, or NO_FIELD */
  uint32_t bears, expects;        /* the tasks that it bears; how many meet */
} KindOf;

typedef struct VectorClocks {
  EveBase base;
  char *reference, *instant_text; /* settings */
  int64_t instant;                /* INT64_MIN: the present */
  Task tasks[MOST_TASKS];
  uint32_t n_tasks;
  GHashTable *flying; /* key -> the first Flying */
  Flying *spare;      /* to be used again: no message costs an allocation once as many were on their way */
  GPtrArray *groups;  /* of Group, by object; NULL: it has not met */
  uint32_t n_flying;
  uint64_t lost, beyond, unsent; /* not kept; of tasks beyond; received without a send */
  GArray *races;                 /* of Race, for messages that were received */
  GArray *early;                 /* of Early */
  GArray *impossible;            /* of Impossible */
  uint64_t n_impossible;         /* in all */
  uint64_t n_events;             /* that have come */
  GArray *known_races;           /* all of them, when so many had; NULL: nobody has asked */
  uint64_t known_at;
  bool asks;         /* some kind of event tells what a receive asked for */
  Known *then;       /* what the reference knew at the instant; n_tasks of it; NULL: not yet */
  uint32_t of;       /* the reference, or TRACE_NONE: not found yet, */
  uint32_t n_looked; /* among so many tasks: others may come */
  bool warned;
  bool passed; /* the instant */
  TraceQueues queued;
  KindOf *kinds;
  uint32_t n_kinds;
  int64_t date;
  uint16_t source;
} VectorClocks;

enum { OUT_TABLE, OUT_ORDER, OUT_CONCURRENT, OUT_RACES, OUT_IMPOSSIBLE };

/* vector-clocks.c */
void vectors_reset (EveComponent *c);
void vectors_bind (VectorClocks *self);            /* to the kinds of events of its source */
void vectors_push (VectorClocks *self, Flying *f); /* a message is on its way */
Group *vectors_group (VectorClocks *self, uint32_t object);
void vectors_learn (Known *mine, const Known *other, uint32_t n, uint32_t me); /* but of itself */
/* Receives that could have got a message that is on its way, or was; at most so many. */
void vectors_look_for_races (const VectorClocks *self, const Flying *f, GArray *to, guint most);

/* vector-clocks-roots.c: what one of a group gives to all others, or gets of them. */
void vectors_take_part (VectorClocks *self, const TraceEvent *e, TraceCollective what);
void vectors_took_part (VectorClocks *self, const TraceEvent *e, TraceCollective what);

/* vector-clocks-told.c */
void vectors_give (VectorClocks *self, int64_t date); /* tables and the status, as things stand now */
const void *vectors_query (EveComponent *c, const char *name);

/* vector-clocks-saved.c */
void vectors_save (EveComponent *c, EveBlob *to);
bool vectors_load (EveComponent *c, EveBlobView *from);
