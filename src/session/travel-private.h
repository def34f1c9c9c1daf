/* SPDX-License-Identifier: Apache-2.0 */
/* travel-private.h - what the files of travel share. */
#pragma once
#include "session/film.h"
#include "session/travel.h"

/* A run state in memory. */
typedef struct Kept {
  Checkpoint what;
  GBytes *bytes;
  uint64_t serial; /* of the program: it may have got a view since, whose wire counts what has passed */
} Kept;

typedef enum { TO_EVENT, TO_DATE, TO_END } TargetKind;
typedef struct Target {
  TargetKind kind;
  uint64_t event;
  int64_t date;
} Target;

struct Travel {
  Session *s;
  TravelOptions o;
  char *film_folder, *hand_folder; /* of the film, which may be that of another program; of what is saved by hand */
  Checkpoints *film, *hand;
  Parts *parts;   /* what the program needs of the checkpoints of others; NULL: no film */
  GArray *memory; /* of Kept, by event */
  /* travel-hand.c: saved by hand, of programs that were here before; these programs; what is told of such states */
  GArray *elsewhere, *visited, *others;
  GHashTable *told;      /* sentences about saved states */
  GArray *ordered;       /* travel-parts.c: parts that were ordered */
  int64_t film_commands; /* bytes of the film's commands that were read for it */
  DriveListener listener;
  TravelReport report;
  StrategyNow now;                  /* for saves while playing */
  double events_per_ns, restore_ns; /* measured, unless */
  bool given_speed;                 /* they are not to be, for tests */
  /* the present is what playing to it from the beginning gives, as long as nothing else has moved the program */
  bool exact;
  bool mixed;             /* some of it was worked out before the program was changed */
  uint32_t saves_ordered; /* by components */
  bool stepping;          /* back: a state is kept a little before the goal */
  Target goal, before;    /* of a travel in slices */
  bool going, to_before;
  uint64_t way_from, way_to;
  uint64_t seen_serial, seen_given, seen_firings;
  struct {
    uint64_t event, visits;
  } visits[32]; /* instants travelled to most, for the replacement heuristic */
};

typedef enum { START_BEGINNING, START_PRESENT, START_MEMORY, START_FILM, START_HAND } StartKind;
typedef struct Start {
  StartKind kind;
  guint i;
  uint64_t event;
  double cost_ns;
} Start;

void travel_note_present (Travel *t, bool exact);
bool travel_is_exact (const Travel *t);
void travel_thin (Travel *t, uint64_t present);
/* Restores the best place to start from for a target; nothing is played yet. */
void travel_set_out (Travel *t, const Target *to);
void travel_command (Travel *t, const Target *to);
bool travel_stop_before (const Travel *t, const Target *to, uint64_t from, Target *before);
void travel_keep_present (Travel *t, CheckpointKind kind);
void travel_keep (Travel *t, const Checkpoint *what, GBytes *bytes); /* takes the reference over */
Checkpoint travel_describe_present (const Travel *t, CheckpointKind kind, const char *name);
GBytes *travel_run_state (const Session *s);
bool travel_load (Travel *t, GBytes *bytes, char **why);
bool travel_begin_at (Travel *t, const Start *start);
bool travel_way_there (Travel *t, const Target *to, GError **error);
bool travel_go (Travel *t, const Target *to, GError **error);
Target travel_here (const Travel *t);
GBytes *travel_hold (const Travel *t); /* unreferenced by the caller */
void travel_parts_new (Travel *t);
void travel_parts_forget (Travel *t); /* the program is another */
void travel_parts_heard (Travel *t);  /* before what was heard is dropped */
void travel_hand_new (Travel *t);
void travel_hand_free (Travel *t);
void travel_hand_leave (Travel *t); /* the program will be another: what was saved by hand is put aside */
void travel_hand_come (Travel *t);  /* it is another: what was saved of it is taken back, the others are listed */
