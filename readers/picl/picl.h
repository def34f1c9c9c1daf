/* SPDX-License-Identifier: Apache-2.0 */
/* picl.h - what the files of the PICL reader share. */
#pragma once
#include "readers/converted.h"
#include "readers/together.h"

#define MOST_NODES 100000
#define MOST_DEPTH 1000   /* calls of a task that are open at once */
#define MOST_WORDS 4096   /* of a line */
#define ASKED_EACH 1000   /* lines: whether to go on */
#define MOST_NEAR 4096    /* nodes that are found without a table */
#define NEAR_CODES 1024   /* on either side of 0: what is known of them is found without a table */
#define LINE_BYTES 32     /* that may be read behind a line (digits.h) */
#define MOST_NAMES 100000 /* of user events */

/* ParaGraph's model, and what a task is in before tracing is on. */
typedef enum { BUSY, OVERHEAD, IDLE, OFF, N_CONDITIONS } Condition;

/* A change of state that is told when it is known what to. */
typedef struct Pending {
  int64_t date;
  uint64_t place;
} Pending;

typedef struct Frame { /* a call that is open */
  int family;
  bool is_system;
  Condition condition; /* as its entry tells */
  uint32_t object, kind;
  uint64_t begun;
  int64_t begin;
  GArray *pending; /* of Pending: what is its condition is known at its end alone; NULL: it is known */
  uint32_t together, group,
      root; /* the kind of what a group does + 1, or 0; the group, and who it is of or TRACE_NONE */
  int64_t bytes;
  uint64_t together_begun;
} Frame;

typedef struct Node {
  uint32_t task, calls;
  int64_t last;  /* date of its last record */
  Frame *frames; /* calls that are open, the innermost last */
  uint32_t n_frames, room_frames;
  bool begun, off; /* something came of it; tracing is off */
  Condition shown;
  int64_t send_date; /* old traces: what may be followed by its end, which the second compstats is; -1: nothing */
  uint64_t send_place;
  uint32_t send_object;
  int n_compstats;   /* seen at its date */
  int64_t compstats; /* date of the last one */
} Node;

typedef struct Picl {
  Converter *to;
  TraceSource *source;
  Input *in;
  uint64_t n_ahead; /* lines that were read where they lie, and that `in` does not know of yet */
  const char *file;
  GHashTable *nodes; /* node << 32 | task -> Node */
  bool ignores_task; /* it is the node again */
  GHashTable *names; /* code of an event -> object + 1 */
  GHashTable *kinds; /* code of an event -> kind + 1 */
  GHashTable *variables;
  uint32_t type_node, type_calls, states, calls, conditions[N_CONDITIONS];
  uint32_t state_kind, send_kind, receive_kind, mark_kind, data_kind, alone_kind, variable_kind, message_kind;
  uint64_t n_back, first_back, n_open;
  Together together;
  GHashTable *numbers, *subsets,
      *told;            /* of subsets of nodes: number -> Number; Subset; who, Number -> Subset (groups.c) */
  uint32_t all;         /* the group of all nodes + 1; 0: nobody has named it */
  uint64_t first_place; /* before all that happens, */
  int64_t first;        /* at the first date */
  uint32_t near_objects[2 * NEAR_CODES], near_kinds[2 * NEAR_CODES]; /* + 1 */
  GPtrArray *spare;                                                  /* of arrays of Pending */
  GString *text;                                                     /* scratch */
  Node *near[MOST_NEAR];                                             /* task 0 of each */
} Picl;

void picl_damaged (Picl *p, const char *fmt, ...) G_GNUC_PRINTF (2, 3);
/* The task; NULL, and told: there are too many.  Its dates are looked at. */
Node *picl_node (Picl *p, int64_t node, int64_t task, int64_t date);
/* The same, of which nothing happens. */
Node *picl_find_node (Picl *p, int64_t node, int64_t task);
/* The name that events of a code have. */
const char *picl_name (int64_t code);
/* The object of what is called so, in the calls of the trace. */
uint32_t picl_call_object (Picl *p, int64_t code, const char *name);
/* An empty array of Pending. */
GArray *picl_pending (Picl *p);
/* It is in another condition from now on. */
void picl_show (Picl *p, Node *n, int64_t date, Condition condition);
void picl_show_at (Picl *p, Node *n, Pending at, Condition condition);
/* A call begins, and the innermost one of a family ends; false: none is open. */
bool picl_enter (Picl *p, Node *n, int64_t date, Frame frame, const char *data);
bool picl_leave (Picl *p, Node *n, int64_t date, int family, Condition as_it_was);
/* groups.c: subsets of nodes with their members, told by one of them, or by NULL for all; what the innermost call is
 * that has just begun, if its data tell of which group ("bytes root subset", "bytes subset" or "subset"); and its end.
 */
void picl_groups_begin (Picl *p);
void picl_groups_end (Picl *p, bool whole);
void picl_subset (Picl *p, const Node *teller, int64_t id, const int64_t *nodes, uint32_t n, int64_t date);
void picl_begin_together (Picl *p, Node *n, int64_t date, const char *name, const int64_t *data, int n_data);
void picl_end_together (Picl *p, const Node *n, const Frame *f, int64_t date);
/* Events that are instants. */
void picl_message (Picl *p, Node *n, int64_t date, bool sends, int64_t other, int64_t task, int64_t tag, int64_t bytes);
void picl_mark (Picl *p, Node *n, int64_t date, uint32_t kind, const char *what, const char *data);
void picl_variable (Picl *p, Node *n, int64_t date, const char *name, const char *unit, double value);

/* ---- the two dialects: a line each, split into words ------------------------------------------------------------------- */
void picl_old_line (Picl *p, char **words, int n);
void picl_new_line (Picl *p, char **words, int n);
/* The same of lines as input_ahead() gives them: takes the first ones that are of plain numbers alone.  Nothing has
 * come of the line behind these. */
void picl_new_quick (Picl *p);
/* The line at hand, from 1. */
static inline uint64_t
picl_at_line (const Picl *p)
{
  return input_line_number (p->in) + p->n_ahead;
}
/* The number of a word of a line; false: it is none. */
bool picl_int (const char *word, int64_t *v);
bool picl_date (const char *word, int64_t *date);
/* Whether a line may be one of the dialect. */
bool picl_looks_old (char **words, int n);
bool picl_looks_new (char **words, int n);
