/* SPDX-License-Identifier: Apache-2.0 */
/* raw.h - the file that each thread of a rank writes while it runs, and tape-mpi makes an archive of: a header, then
 * records (readers/threads/lane-format.h).  The second word of records with a date is that.  Communicators, windows and
 * regions of the program's own have numbers of the process. */
#ifndef TAPE_RAW_H
#define TAPE_RAW_H

#include <stdint.h>

#include "lane-format.h"

#define RAW_MAGIC "TAPEMPI"
#define RAW_VERSION 1
#define RAW_ENV_FOLDER "TAPE_MPI_FOLDER" /* where the files go */

typedef struct RawHeader {
  char magic[8];
  uint32_t version, header_size;
  uint32_t rank, size; /* in MPI_COMM_WORLD */
  uint32_t thread;     /* 0: the one that called MPI_Init */
  int32_t pid;
  int64_t born, real; /* local clock, ns, when the process began; seconds since 1970 at that time, in ns */
  char domain[96];    /* threads with the same words here share one clock */
  char host[72], program[128];
} RawHeader;

enum {
  RAW_END,
  RAW_ENTER,    /* a: region, b: 1 if of the program; date, return address */
  RAW_LEAVE,    /* a, b: the same; date */
  RAW_FUNCTION, /* a function of the program begins; date, its address */
  RAW_FUNCTION_END,
  RAW_SEND,       /* date, communicator << 32 | peer, tag, bytes */
  RAW_RECV,       /* the same */
  RAW_ISEND,      /* the same, and number of the request */
  RAW_IRECV,      /* it is complete; the same */
  RAW_SENT,       /* date, request */
  RAW_POSTED,     /* date, request */
  RAW_TESTED,     /* date, request */
  RAW_CANCELLED,  /* date, request */
  RAW_BEGIN,      /* date: a collective operation, communicator; b: 1 if of a window, which is not told */
  RAW_ENDED,      /* a: operation; date, communicator or window << 32 | root, sent, received; b: 1 if of a window */
  RAW_ICOLL,      /* date, request: one that does not block */
  RAW_ICOLL_DONE, /* as ENDED, and request */
  RAW_COMM,       /* a: how it was made, b: 1 if there are two groups; number << 32 | parent, ordinal, members of the
                     first group, of the second; then these in the order of their ranks, two a word */
  RAW_COMM_NAME,  /* number; text */
  RAW_COMM_MADE,  /* date, communicator */
  RAW_COMM_GONE,
  RAW_WIN,      /* number << 32 | communicator, ordinal on it */
  RAW_WIN_NAME, /* number; text */
  RAW_WIN_MADE, /* date, window */
  RAW_WIN_GONE,
  RAW_PUT, /* date, window << 32 | target, bytes, operation */
  RAW_GET,
  RAW_ATOMIC,     /* a: what; the same, and bytes that come back */
  RAW_OP_DONE,    /* date, window << 32, operation */
  RAW_GROUP_SYNC, /* date, window << 32 | members; then these */
  RAW_RMA_SYNC,   /* date, window << 32 | target */
  RAW_LOCK_ASKED, /* a: 1 exclusive; date, window << 32 | target */
  RAW_LOCKED,
  RAW_UNLOCKED,
  RAW_REGION,    /* a: number of a region of the program; text */
  RAW_MODULES,   /* text: executable mappings, one a line: BEGIN END OFFSET PATH, hexadecimal */
  RAW_ON,        /* a: 1 on, 0 off; date */
  RAW_CLOCK,     /* local date, offset to be added for that of rank 0, half the width of what is possible */
  RAW_COST,      /* picoseconds that recording one call costs */
  RAW_FINALIZED, /* date: the rank ended in good order */
  RAW_ABORTED,   /* date, error code */
  RAW_LOST,      /* date: nothing is recorded any more, as the disk refuses */
  RAW_ASKED,     /* the call waits for a message from a rank, b: 1: that one to it is taken; date, communicator << 32 |
                    rank (RAW_NONE: any), tag (RAW_NONE: any) */
};

/* How a communicator was made: with the parent and the ordinal this tells which is which in all its members. */
enum { RAW_MADE_WORLD, RAW_MADE_SELF, RAW_MADE_FROM_PARENT, RAW_MADE_FROM_GROUP };

/* Collective operations, as OTF2 numbers them. */
enum {
  RAW_OP_BARRIER,
  RAW_OP_BCAST,
  RAW_OP_GATHER,
  RAW_OP_GATHERV,
  RAW_OP_SCATTER,
  RAW_OP_SCATTERV,
  RAW_OP_ALLGATHER,
  RAW_OP_ALLGATHERV,
  RAW_OP_ALLTOALL,
  RAW_OP_ALLTOALLV,
  RAW_OP_ALLTOALLW,
  RAW_OP_ALLREDUCE,
  RAW_OP_REDUCE,
  RAW_OP_REDUCE_SCATTER,
  RAW_OP_SCAN,
  RAW_OP_EXSCAN,
  RAW_OP_REDUCE_SCATTER_BLOCK,
  RAW_OP_CREATE,
  RAW_OP_DESTROY,
  RAW_OP_CREATE_AND_ALLOCATE = 21,
  RAW_OP_DESTROY_AND_DEALLOCATE
};
/* Roots that are no rank: there is none; it is this one; it is in this group, of an inter-communicator. */
#define RAW_ROOT_SELF (UINT32_MAX - 1)
#define RAW_ROOT_THIS_GROUP (UINT32_MAX - 2)

/* The regions: functions of MPI. */
enum {
#define REGION(name, role) RAW_REGION_##name,
#include "regions.def"
#undef REGION
  RAW_N_REGIONS
};

#define RAW_NONE UINT32_MAX

#endif
