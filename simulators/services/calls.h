/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h - calls under way, found by who asks whom, at which stage, and by tag; each at a cost that does not grow with
 * how many there are. */
#pragma once
#include "simulators/store.h"

typedef enum { SENT, BEGUN, REPLIED } CallStage;
/* Each call is in three lists, the oldest first: those of one client and server at a stage, of these one tag, and all
 * of one client. */
enum { OF_STAGE, OF_TAG, OF_CLIENT, N_LISTS };
typedef struct Call {
  uint32_t client, server, service; /* nodes */
  int32_t tag;                      /* by which its receive knows it */
  int64_t sent, begun;
  uint64_t number;                       /* in the order of all calls */
  uint32_t next[N_LISTS], last[N_LISTS]; /* NONE: there is none behind it, before it */
  uint8_t stage;
} Call;

typedef struct Calls {
  GArray *all, *free; /* of Call; of uint32_t: places that are free */
  GHashTable *lists;  /* of those that are not empty */
  GPtrArray *spare;   /* of lists that are empty */
} Calls;

void calls_init (Calls *c);
void calls_reset (Calls *c);
void calls_clear (Calls *c);

static inline Call *
call_at (const Calls *c, uint32_t at)
{
  return &g_array_index (c->all, Call, at);
}

static inline uint32_t
calls_n (const Calls *c)
{
  return c->all->len - c->free->len;
}

/* The oldest call of the two at a stage, of this tag if there is one; NONE: there is none. */
uint32_t calls_find (const Calls *c, uint32_t client, uint32_t server, CallStage stage, int32_t tag, bool only_tag);
/* The oldest of a client, whatever its stage; the others are behind it, by next[OF_CLIENT].  NONE: it has none. */
uint32_t calls_of_client (const Calls *c, uint32_t client);
/* Copies it; its lists are set here.  Gives its place. */
uint32_t calls_add (Calls *c, const Call *call);
void calls_set_stage (Calls *c, uint32_t at, CallStage stage);
/* Its place may be that of another from here on. */
void calls_remove (Calls *c, uint32_t at);
/* Of Call, in the order in which they were made: their places say nothing of it.  g_ptr_array_unref(). */
GPtrArray *calls_in_order (const Calls *c);
