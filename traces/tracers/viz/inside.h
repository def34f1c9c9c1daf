/* SPDX-License-Identifier: Apache-2.0 */
/* inside.h - what the files of the library share.
 *
 * Who may touch what: `viz.lock` guards everything in `viz` and in items, but for what is named otherwise.  A thread
 * may take the lock of an item, or of the log, while it holds viz.lock, never the other way round.  Clients belong to
 * the server's thread alone. */
#ifndef SCOPEVIZ_INSIDE_H
#define SCOPEVIZ_INSIDE_H

#include "scopeviz.h"

#include <pthread.h>
#include <time.h>

#define VIZ_SECOND INT64_C (1000000000) /* ns */
#define VIZ_MILLISECOND INT64_C (1000000)
#define VIZ_TAGS 65536
#define VIZ_FIRST_TAG 5 /* below are the library's own */
#define VIZ_LISTENERS 4
#define VIZ_CLIENTS 1000

enum { TAG_HEAP_TOTAL, TAG_HEAP_ALIVE, TAG_ETIME, TAG_LOG, TAG_SCOPE };

typedef enum VizKind { /* as the protocol numbers them */
                       KIND_POINT,
                       KIND_TIME,
                       KIND_INT,
                       KIND_FLOAT,
                       KIND_BOOL,
                       KIND_STRING,
                       KIND_COUNT,
                       KIND_SIZE,
                       KIND_SPECIAL,
                       KIND_TREE,
                       KIND_HASH,
                       KIND_LOG
} VizKind;

enum {
  VALUE_INT = 1,
  VALUE_FLOAT,
  VALUE_STRING,
  VALUE_BOOL,
  VALUE_INT64,
  VALUE_COLLECTED,
  VALUE_KILLED,
  VALUE_TREE,
  VALUE_HASH,
  VALUE_LOG
};

/* Items in the order in which a batch tells them. */
typedef enum VizClass {
  CLASS_POINTS,
  CLASS_TIMES,
  CLASS_VALUES,
  CLASS_TAGS,
  CLASS_TREES,
  CLASS_HASHES,
  N_CLASSES
} VizClass;

/* -- bytes.c: bytes that grow; once memory is used up `failed` is set and they stay as they are ------------------- */
typedef struct Bytes {
  uint8_t *data;
  size_t size, room;
  bool failed;
} Bytes;

void bytes_put (Bytes *to, const void *data, size_t size);
void bytes_u8 (Bytes *to, unsigned value);
void bytes_u16 (Bytes *to, unsigned value);
void bytes_u32 (Bytes *to, uint32_t value);
void bytes_i64 (Bytes *to, int64_t value);
void bytes_f64 (Bytes *to, double value);
void bytes_text (Bytes *to, const void *text, size_t length);
void bytes_clear (Bytes *bytes); /* keeps the memory */
void bytes_free (Bytes *bytes);
/* A message: what is put between the two is its content. */
size_t bytes_begin (Bytes *to);
void bytes_end (Bytes *to, size_t begun);
/* The value of a Send, type and all; `floating`: the bits of a double. */
void bytes_int (Bytes *to, unsigned type, int64_t value);
void bytes_float (Bytes *to, double value);

/* -- items.c ------------------------------------------------------------------------------------------------------ */
typedef enum VizSource { BY_SET, BY_WATCH, BY_CALL } VizSource;

typedef struct Item {
  ScopevizItem
      face;       /* first: what the program holds.  Passes, ns, numbers, bits of a double, things of a tag: atomic */
  int64_t second; /* bytes of a tag: atomic */
  bool set;       /* has a value: atomic */
  bool touched;   /* was set since it was last sent: atomic */

  pthread_mutex_t lock; /* of the next five */
  bool running;         /* a time */
  clockid_t clock;
  int64_t started; /* of that clock, ns */
  Bytes given;     /* a value of many bytes, as it is sent, that was set */
  bool given_new;

  VizKind kind;
  VizClass class;
  unsigned n_tags;
  uint16_t tags[2];
  bool wall, wide; /* a time of the wall; a watched variable of 64 bits */
  VizSource source;
  union {
    const void *variable;
    int64_t (*integer) (void *);
    double (*floating) (void *);
    bool (*boolean) (void *);
    size_t (*string) (void *, char *, size_t);
    void (*hash) (void *, ScopevizHash *);
    void (*tree) (void *, ScopevizTree *);
  } from;
  void *data;
  size_t size; /* of a watched array */
  char *name;
  size_t name_length;

  bool dead, gone;  /* killed; the thing itself was */
  bool calling;     /* its function runs, without viz.lock */
  unsigned period;  /* ms */
  int64_t due;      /* ns */
  uint64_t stamp;   /* the batch for which it was last looked at */
  unsigned stopped; /* clients that do not want it */
  Bytes sent;       /* its last value, as messages */
  Bytes farewell;   /* what it was killed with */
} Item;

typedef struct Viz {
  pthread_mutex_t lock;
  pthread_cond_t changed; /* clients, batches served, calls that ended, breaks let go */

  Item *by_tag[VIZ_TAGS];
  unsigned next_tag;
  Item **of[N_CLASSES]; /* in the order in which they were made */
  size_t n_of[N_CLASSES], room_of[N_CLASSES];
  Item **dead; /* in the order in which they were killed */
  size_t n_dead, room_dead;
  Bytes *binds; /* messages */
  size_t n_binds, room_binds;
  Item *breaks; /* "scope:break" */

  int64_t heap[2];
  bool heap_set; /* by the program */

  enum { SERVER_NEW, SERVER_RUNS, SERVER_NONE } server;
  pthread_t thread;
  int wake[2]; /* a pipe: a byte makes the thread look */
  int listener[VIZ_LISTENERS];
  char *path[VIZ_LISTENERS]; /* of a Unix socket, to be removed */
  unsigned n_listeners;
  char where[512];
  bool stopping;
  unsigned n_clients;
  unsigned n_honouring;        /* of these, the ones that let break points go on */
  uint64_t asked, served;      /* batches at once */
  bool everything;             /* ... of all items, whatever their periods */
  bool hurry;                  /* a client asks for one */
  int64_t released;            /* break points up to this one may go on */
  int64_t period, heap_period; /* ns */
  int64_t own_period;          /* while nobody has asked for another */
  uint64_t batch;              /* number of the last one */
  bool due;                    /* atomic: scopeviz_due() */
  bool answers, answered;      /* the program calls scopeviz_done(); did, since it was last due */
} Viz;

extern Viz viz;

int64_t viz_now (clockid_t clock); /* ns; 0 if the clock is of a thread that has ended */
void viz_say (const char *format, ...) SCOPEVIZ_PRINTF (1, 2);
/* Looks at an item that is due for the batch `viz.batch`: makes its messages anew.  Holds viz.lock; a function is
 * called without it.  Not `calls`: no function is called and no variable read. */
void item_look (Item *item, Bytes *scratch, bool calls);
bool item_is_given (const Item *item); /* a value that the program sets */
void item_declare (Bytes *to, unsigned tag, VizKind kind, const void *name, size_t length);
void items_after_fork (void);
void sites_after_fork (void); /* times.c */

/* -- log.c: has a lock of its own -----------------------------------------------------------------------------------
 */
/* What a client that comes now gets first, and what comes after `seen`; puts messages and moves `seen`.  Not
 * `even_empty`: nothing if there is no new line. */
uint64_t log_begin (void);
void log_put (Bytes *to, uint64_t *seen, bool even_empty);
void log_put_none (Bytes *to);   /* a log without a line */
void log_needed (uint64_t seen); /* the oldest line that a client still waits for; UINT64_MAX: none */
void log_after_fork (void);

/* -- tree.c ---------------------------------------------------------------------------------------------------------
 */
void tree_build (Bytes *to, void (*function) (void *, ScopevizTree *), void *data); /* a value */

/* -- listen.c -------------------------------------------------------------------------------------------------------
 */
/* Opens all sockets of `where`; false, with a sentence in `why`: one cannot be. */
bool listen_open (const char *where, char *why, size_t size);
void listen_close (bool remove);

/* -- server.c -------------------------------------------------------------------------------------------------------
 */
typedef struct Client {
  int fd;
  bool near;          /* on this machine: may command */
  bool fresh;         /* had no batch yet */
  bool first;         /* the first client ever */
  bool honours, deaf; /* breaks; what it sends is no longer looked at */
  Bytes out;
  size_t out_at;
  uint8_t in[256];
  size_t in_size;
  uint64_t in_skip;   /* bytes of a message that is too long */
  unsigned in_budget; /* bytes that it may still send before the next batch */
  unsigned declared;  /* tags below are */
  size_t binds, deaths;
  uint64_t log, batch;
  bool heap;        /* had the heap */
  uint8_t *stopped; /* a bit for each tag, or NULL */
} Client;

void server_begin (void); /* with the first item */
void server_wake (void);
bool server_is_this_thread (void);

/* -- batch.c: the server's thread ------------------------------------------------------------------------------------
 */
void batch_look (bool calls, bool everything); /* at all items that are due */
void batch_put (Client *client);               /* what is new to the client, into its `out` */

/* -- commands.c: what clients send; the server's thread -------------------------------------------------------------
 */
void commands_read (Client *client, const uint8_t *data, size_t size);
void commands_forget (Client *client); /* it leaves */

#endif
