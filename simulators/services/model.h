/* SPDX-License-Identifier: Apache-2.0 */
/* model.h - what is known of clients, servers and their services; for the files of this folder. */
#pragma once
#include "readers/reader.h"
#include "simulators/services/calls.h"
#include "simulators/store.h"

#define MOST_CALLS 65536u /* under way at once */
#define MOST_RANGES 64u
#define MOST_SERVICES 4096u
#define MOST_HELD 16 /* of a task */

enum { WORKING, CALLING, SERVING, IDLE, DEAD, N_STATES };
#define N_LIVING DEAD

/* A task, or a service of one: what is asked of it under one tag. */
typedef struct Node {
  StoreNode node;            /* first */
  int64_t spent[N_LIVING];   /* ticks in each state, until the present one began */
  int64_t queue, most_queue; /* of a service, and of all of a server: asked for, not begun */
  int64_t serving, served;   /* begun; done */
  int64_t asks, calls;       /* of a client: without a reply yet; in all */
  double waited, lasted;     /* seconds of all that began, and were done; both together */
  double costs;
  double mean_wait, mean_service;
  int64_t began;   /* how many have begun */
  uint32_t server; /* of a service: the node of its task; of a task NONE */
  uint32_t parent; /* of a task: the node of who started it, or NONE */
  uint32_t held;   /* what that has sent it before it sent anything itself, the first of them, or NONE */
  int32_t tag;
  uint8_t state;
  bool serves; /* it has been asked for something */
  bool sends;  /* of a task: it has sent something */
  bool acts;   /* of a task: something of its own has come; before, the trace need not know more of it than its name */
} Node;

typedef struct Edge {
  StoreEdge edge;
  int64_t pending, done; /* calls */
  uint8_t state;
} Edge;

typedef struct Range {
  int32_t from, to;
} Range;

/* What started a task: not counted as a call, unless it turns out to be one. */
typedef struct Held {
  uint32_t client;
  int32_t tag, service; /* by which its receive knows it; what it asks for, if anything */
  int64_t sent, begun;  /* begun: INT64_MIN: it is not received */
  uint32_t next;        /* of the same task, or NONE */
} Held;

typedef struct KindOf {
  uint16_t acts;
  bool keyed;      /* its tag is a key, by which its receive knows it, and says nothing of what is asked for */
  uint32_t starts; /* field that tells which tasks it has started, or NONE */
} KindOf;

typedef struct Model {
  Store store;     /* first */
  GArray *held;    /* of Held */
  KindOf *kinds;   /* of the trace with this number */
  uint16_t source; /* 0: none yet */
  Calls calls;
  GHashTable *services; /* server << 32 | tag -> node + 1 */
  uint64_t n_calls, n_lost, n_done;
  /* as the settings say */
  Range requests[MOST_RANGES], replies[MOST_RANGES];
  uint32_t n_requests, n_replies;
  char **servers, **names; /* NULL-terminated; "TAG=NAME" */
  GArray *is_server;       /* by task: 1 yes, -1 no, 0 not looked at */
} Model;

static inline Node *
node_at (const Model *m, uint32_t node)
{
  return store_node_at (&m->store, node);
}

static inline uint64_t
key_of (uint32_t a, uint32_t b)
{
  return (uint64_t) a << 32 | b;
}

static inline uint32_t
look_up (GHashTable *table, uint64_t key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (table, &key));
}

static inline void
put (GHashTable *table, uint64_t key, uint32_t value)
{
  if (value == 0)
    g_hash_table_remove (table, &key);
  else
    g_hash_table_insert (table, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (value));
}

static inline Held *
held_at (const Model *m, uint32_t at)
{
  return &g_array_index (m->held, Held, at);
}

/* save.c: the run state. */
void services_model_save (const Model *m, EveBlob *to);
bool services_model_load (Model *m, EveBlobView *from);
