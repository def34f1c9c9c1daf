/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - what a view remembers of a whole execution: append-only files that are written once, while a film is
 * shot, and read at any zoom, also while they grow (docs/views.md tells the layout).
 *
 * A history is three files, BASE.index, BASE.records and BASE.sums.  Records are exact; sums are a pyramid over them,
 * so that a picture reads about as many of them as it has pixels.  Every block has its checksum; a reader takes whole
 * blocks only and says which it had to leave out.  Numbers are little endian on every machine.
 *
 * Writers of states and messages encode and write on a thread of their own: a push costs a few nanoseconds, a flush
 * waits. Who pushes is one thread, and the files are the same as if there were no other. */
#pragma once
#include <pthread.h>
#include "readers/reader.h"
#include "simulators/state.h"

#define HISTORY_STATES_MOST 65534 /* those above it are taken for it */

/* Where a writer stands, for the run state; flush first.  What lies behind it is dropped when writing goes on from it.
 */
typedef struct HistoryPlace {
  int64_t n[4]; /* entries, bytes of records and sums, last date */
} HistoryPlace;
TRACE_API void history_place_save (const HistoryPlace *p, EveBlob *to);
TRACE_API bool history_place_load (HistoryPlace *p, EveBlobView *from); /* false: it is none */

/* What is missing of [from, to]: of one owner, or, TRACE_NONE, of all. */
typedef struct HistoryLost {
  uint32_t owner;
  int64_t from, to;
} HistoryLost;
typedef void (*HistoryEachLost) (void *arg, const HistoryLost *lost);

/* ---- states of owners ---------------------------------------------------------------------------------------------- */
typedef struct StatesWriter StatesWriter;
/* Begins BASE anew.  NULL and a sentence if the files cannot be made. */
TRACE_API StatesWriter *states_writer_new (const char *base, GError **error);
/* Goes on from a place; NULL and a sentence if the files do not reach so far, or are damaged. */
TRACE_API StatesWriter *states_writer_restore (const char *base, const HistoryPlace *place, GError **error);
/* Owner takes `state` (0 to HISTORY_STATES_MOST) at `date` (ticks), not earlier than the last time; failures wait for
 * the next flush. */
TRACE_API void states_writer_push (StatesWriter *w, uint32_t owner, int64_t date, uint32_t state);
/* The same for the changes of an output called `states`. */
TRACE_API void states_writer_push_changes (StatesWriter *w, const StateChange *changes, uint32_t n);
/* Where a simulator puts them itself; good while the writer is. */
TRACE_API StateKeeper *states_writer_keeper (StatesWriter *w);
/* Shows readers everything so far, known until `reach` (ticks; INT64_MAX: nothing will come).  False with a sentence,
 * now and from then on: disk full, and the like. */
TRACE_API bool states_writer_flush (StatesWriter *w, int64_t reach, GError **error);
TRACE_API HistoryPlace states_writer_place (const StatesWriter *w);
TRACE_API void states_writer_free (StatesWriter *w);

typedef struct StatesReader StatesReader;
/* NULL and a sentence if there is no history, or it is of another version. */
TRACE_API StatesReader *states_reader_open (const char *base, GError **error);
TRACE_API void states_reader_free (StatesReader *r);
/* Looks for what was written since; call before each picture. */
TRACE_API void states_reader_refresh (StatesReader *r);
TRACE_API uint32_t states_reader_owners (const StatesReader *r);
/* Everything is known until here, ticks; INT64_MAX: to the end; INT64_MIN: nothing is. */
TRACE_API int64_t states_reader_reach (const StatesReader *r);
/* The execution ends at `end`: a last state that is known for ever ends there. */
TRACE_API void states_reader_set_end (StatesReader *r, int64_t end);
/* Damage met so far, as a sentence, or NULL; good until the next call. */
TRACE_API const char *states_reader_problem (const StatesReader *r);
/* What of [from, to) was missing when it was asked for, and what is not known yet; `each` may be NULL.  True: something
 * was lost, there or elsewhere. */
TRACE_API bool states_reader_lost (const StatesReader *r, int64_t from, int64_t to, HistoryEachLost each, void *arg);

/* Which column of a table of shares a state is added to: that of its number in `slot`, of n; `rest` for those that are
 * not there, and for what sums do not keep apart.  Less than 32 in all. */
typedef struct StatesPalette {
  const uint8_t *slot; /* NULL: a state is its own slot, where it is below `rest` */
  uint32_t n;
  uint32_t rest;
} StatesPalette;
static inline uint32_t
states_slot (const StatesPalette *p, uint32_t state)
{
  return p->slot == NULL ? MIN (state, p->rest) : state < p->n ? p->slot[state] : p->rest;
}
/* The states that owner is in, in [from, to), and about how long, ticks: added to time[state], of HISTORY_STATES_MOST +
 * 1; what sums do not keep apart is added to the last. */
TRACE_API void states_reader_amounts (StatesReader *r, uint32_t owner, int64_t from, int64_t to, double *time);
/* The highest state that was told so far. */
TRACE_API uint32_t states_reader_highest (const StatesReader *r);

/* Adds to shares[column * stride + slot] the share of each column that owner spends in the states of each slot of the
 * palette, times `weight`; stride > rest.  Column i is [from + i * width, from + (i + 1) * width) ticks.  Time that is
 * not known adds nothing.  Sums are used where they are at least twice as fine as a column: one edge of a column is
 * then off by at most a quarter of it, the total by nothing. `slots` gets a bit for each slot met. */
TRACE_API void states_reader_shares (StatesReader *r, uint32_t owner, int64_t from, double width, uint32_t n_columns,
                                     float weight, const StatesPalette *palette, float *shares, uint32_t stride,
                                     uint32_t *slots);
/* Before shares, or the most, of many owners at once are asked for: what makes that fast, where the film is complete
 * and there are very many.  Without it, and after each refresh, they are the same and come more slowly.  Not while
 * other threads ask this reader for something; those that come after it may be several at once (at-once.h), as long as
 * nobody refreshes. */
#define STATES_TOGETHER 16 /* owners: who asks for so many at once will ask for all */
TRACE_API void states_reader_together (StatesReader *r);
/* Before shares of several owners are asked for, of the same owners in many pictures: sums of those who do much are
 * kept in memory, for all readers of a film that is complete, and taken where they are twice as fine as a column.  One
 * is made once pictures have asked for half of the execution of its owners, if there is room.  The same rules as for
 * states_reader_together(). */
TRACE_API void states_reader_keep_sums (StatesReader *r);
/* The same of several owners, whose sum it adds: much faster than one after the other. */
TRACE_API void states_reader_shares_of (StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from,
                                        double width, uint32_t n_columns, float weight, const StatesPalette *palette,
                                        float *shares, uint32_t stride, uint32_t *slots);
/* most[column * stride + slot] becomes the most that any of the owners has of a column, if that is more than it was:
 * right for the slots whose bits are in `slots`, at most 32; of others it may be less. */
TRACE_API void states_reader_most (StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from,
                                   double width, uint32_t n_columns, const StatesPalette *palette, uint32_t slots,
                                   float *most, uint32_t stride);
/* The exact intervals of owner that touch [from, to), in order, until `each` gives false. */
TRACE_API void states_reader_each (StatesReader *r, uint32_t owner, int64_t from, int64_t to,
                                   bool (*each) (void *arg, int64_t from, int64_t to, uint32_t state), void *arg);
/* About how many intervals that is, from the index alone. */
TRACE_API uint64_t states_reader_count (StatesReader *r, uint32_t owner, int64_t from, int64_t to);

/* ---- messages --------------------------------------------------------------------------------------------------------- */
typedef struct MessagesWriter MessagesWriter;
TRACE_API MessagesWriter *messages_writer_new (const char *base, GError **error);
TRACE_API MessagesWriter *messages_writer_restore (const char *base, const HistoryPlace *place, GError **error);
/* In order of reception. */
TRACE_API void messages_writer_push (MessagesWriter *w, const StateMessage *m);
TRACE_API bool messages_writer_flush (MessagesWriter *w, int64_t reach, GError **error);
TRACE_API HistoryPlace messages_writer_place (const MessagesWriter *w);
TRACE_API void messages_writer_free (MessagesWriter *w);

/* Messages of one pair, taken together. */
typedef struct MessageBundle {
  uint32_t from, to; /* TRACE_NONE both: the rest, lighter than those that are listed */
  uint64_t count;
  uint64_t bytes;
  double sent, received; /* mean dates, ticks */
} MessageBundle;

typedef struct MessagesReader MessagesReader;
TRACE_API MessagesReader *messages_reader_open (const char *base, GError **error);
TRACE_API void messages_reader_free (MessagesReader *r);
TRACE_API void messages_reader_refresh (MessagesReader *r);
TRACE_API const char *messages_reader_problem (const MessagesReader *r);
/* What of [from, to) was missing when it was asked for, and what is not known yet; `each` may be NULL.  True: something
 * was lost, there or elsewhere. */
TRACE_API bool messages_reader_lost (const MessagesReader *r, int64_t from, int64_t to, HistoryEachLost each,
                                     void *arg);
/* Everything is known until here, as states_reader_reach(); *latest: when the last message was received, INT64_MIN:
 * there is none. */
TRACE_API int64_t messages_reader_reach (const MessagesReader *r, int64_t *latest);
/* About how many messages are received in [from, to), from the index alone. */
TRACE_API uint64_t messages_reader_count (MessagesReader *r, int64_t from, int64_t to);
/* The messages under way or received in [from, to), by date of reception, until `each` gives false. */
TRACE_API void messages_reader_each (MessagesReader *r, int64_t from, int64_t to,
                                     bool (*each) (void *arg, const StateMessage *m), void *arg);
/* The message of these ends and dates; `sent` INT64_MIN, or `received`: one of which nobody knows when it was sent,
 * too. False: there is none. */
TRACE_API bool messages_reader_find (MessagesReader *r, uint32_t from, uint32_t to, int64_t sent, int64_t received,
                                     StateMessage *message);
/* Bundles of messages received in [from, to) out of the coarsest blocks that are shorter than `width` ticks; a pair may
 * come several times. */
TRACE_API void messages_reader_bundles (MessagesReader *r, int64_t from, int64_t to, int64_t width,
                                        void (*each) (void *arg, const MessageBundle *b), void *arg);

/* ---- names: who the tasks of a film are, and what went between them (names.c; docs/film-format.md) ---------------------- */
typedef struct Names Names;
/* A tab and a text (NULL: none) in which nothing ends a field or a line, appended; g_strcompress() reads it. */
TRACE_API void names_put (GString *to, const char *text);
/* A small file of text with its checksum as the last line, which is appended to `text`; written whole or not at all. */
TRACE_API bool names_file_write (const char *path, GString *text, GError **error);
/* Without the checksum, g_free.  NULL: not there, or it cannot be read, or is damaged, which is told in *problem unless
 * that is NULL or holds a sentence already (g_free). */
TRACE_API char *names_file_read (const char *path, char **problem);
/* The film's file `tasks`: every task that the source knows by now. */
TRACE_API bool names_write (const char *film, const TraceSource *s, GError **error);
TRACE_API Names *names_read (const char *film); /* never NULL; empty if there is no such file, or no film (NULL) */
/* The file `groups`, for names_group() and names_told() (views/told.h).  True: there is something new in it. */
TRACE_API bool names_read_groups (Names *n, const char *film);
/* Whether the file `traffic` is another one than when this was asked last. */
TRACE_API bool names_more_traffic (Names *n, const char *film);
/* The file `traffic`: bytes by link, so far as the film knew when it was written last; ids are good until `each`
 * returns. */
TRACE_API void names_read_traffic (Names *n, const char *film,
                                   void (*each) (void *arg, const char *from, const char *to, double bytes), void *arg);
TRACE_API void names_free (Names *n);
/* A sentence about a file that was there, and that could not be read by any of these; NULL: there is none. */
TRACE_API const char *names_problem (const Names *n);
/* That the film knows: once it is complete, the same at every instant. */
TRACE_API uint32_t names_in_film (const Names *n);
/* Of the source, or where it has not come to them yet, of the film. */
TRACE_API uint32_t names_count (const Names *n, const TraceSource *s);
TRACE_API const char *names_id (const Names *n, const TraceSource *s, uint32_t task);
/* Id -> number of the task, from 1; good while the names are; g_hash_table_unref. */
TRACE_API GHashTable *names_tasks_by_id (const Names *n, const TraceSource *s);
/* The task of each node of a graph, TRACE_NONE: nobody knows it; and the host of each task, numbered as they are met.
 * g_free. */
TRACE_API uint32_t *names_tasks_of_nodes (const Names *n, const TraceSource *s, const StateGraph *g);
TRACE_API uint32_t *names_host_numbers (const Names *n, const TraceSource *s);
TRACE_API const char *names_nickname (const Names *n, const TraceSource *s, uint32_t task); /* or NULL */
TRACE_API const char *names_name (const Names *n, const TraceSource *s, uint32_t task);
TRACE_API const char *names_host (const Names *n, const TraceSource *s, uint32_t task); /* "?": not known */
TRACE_API const char *names_program (const Names *n, const TraceSource *s, uint32_t task);
TRACE_API const char *names_group (const Names *n, const TraceSource *s, uint32_t task); /* "no group" */

/* ---- the files themselves (history-file.c) ---------------------------------------------------------------------------- */
enum { HISTORY_RECORDS, HISTORY_SUMS, HISTORY_N_DATA };
#define HISTORY_REACH 255 /* level of an entry that says how far everything is known */

typedef struct HistoryEntry { /* as in memory; 64 bytes in the index */
  int64_t from, to;           /* dates, ticks */
  uint64_t offset;            /* in .records (level 0) or .sums */
  uint32_t level, owner;
  uint32_t bytes, count;
  int64_t aux;
  uint32_t more;
  uint32_t stored;           /* bytes in the file: fewer than `bytes` where the data are packed */
  uint32_t check;            /* of what is stored */
  uint8_t verified, damaged; /* in memory only */
} HistoryEntry;
/* Blocks of one owner and level follow each other.  `end`: of the one before, INT64_MIN where there is none. */
static inline bool
history_entry_follows (const HistoryEntry *e, int64_t end)
{
  return e->from >= end && e->to >= e->from;
}

typedef struct HistoryOut {
  char *base;
  uint32_t columns; /* of records: views/history-pack.h */
  int index, data[HISTORY_N_DATA];
  uint64_t n_entries, length[HISTORY_N_DATA]; /* written or waiting */
  uint64_t generation;
  uint8_t *waiting; /* entries, encoded */
  uint32_t n_waiting;
  uint8_t *behind[HISTORY_N_DATA]; /* data that are not in the file yet: its end */
  uint32_t n_behind[HISTORY_N_DATA];
  struct HistoryPacker *packer;
  char *failure;
} HistoryOut;
/* `columns`: how records are packed (views/history-pack.h).  `place` NULL: begins anew. */
TRACE_API bool history_out_open (HistoryOut *o, const char *base, uint32_t kind, uint32_t columns,
                                 const HistoryPlace *place, GError **error);
TRACE_API void history_out_close (HistoryOut *o);
/* Appends data and its entry; fills offset, bytes, stored and check.  Failures stick. */
TRACE_API bool history_out_add (HistoryOut *o, HistoryEntry *e, const void *data, uint32_t bytes);
TRACE_API bool history_out_flush (HistoryOut *o, GError **error);
/* The data of an entry that was added, checked; failures stick. */
TRACE_API bool history_out_read (HistoryOut *o, const HistoryEntry *e, void *to);
TRACE_API HistoryPlace history_out_place (const HistoryOut *o, int64_t latest);

#define HISTORY_ANY 0 /* kind: whatever it is */
typedef struct HistoryIn {
  char *base;
  uint32_t kind, columns;
  uint64_t generation;
  int index, data[HISTORY_N_DATA];
  const uint8_t *map[HISTORY_N_DATA];
  uint64_t mapped[HISTORY_N_DATA];
  GArray *entries; /* of HistoryEntry, except those of reach */
  GArray *lost;    /* of HistoryLost: met so far */
  struct HistoryUnpacked *unpacked;
  int64_t reach;
  uint32_t highest; /* what the entries of reach say in `more` */
  char *problem, *torn;
  guint problem_at;     /* of a damaged block: its entry */
  pthread_mutex_t lock; /* of what its data are asked for: blocks that stay unpacked, what is damaged and lost */
} HistoryIn;
TRACE_API bool history_in_open (HistoryIn *h, const char *base, uint32_t kind, GError **error);
TRACE_API void history_in_close (HistoryIn *h);
/* New entries are appended; false: the file was begun again or cut, and all entries are new. */
TRACE_API bool history_in_refresh (HistoryIn *h);
/* The bytes of an entry, checked; NULL: damaged.  Good until a hundred others were asked for: of one thread alone. */
TRACE_API const uint8_t *history_in_data (HistoryIn *h, HistoryEntry *e);
/* The same for several threads at once, as long as nobody refreshes: good until the hold is used again, or let go. */
typedef struct HistoryHold {
  struct HistoryKept *kept; /* NULL: nothing has to stay */
} HistoryHold;
TRACE_API const uint8_t *history_in_hold (HistoryIn *h, HistoryEntry *e, HistoryHold *hold);
TRACE_API void history_in_let_go (HistoryIn *h, HistoryHold *hold);
/* A sentence, or NULL. */
TRACE_API const char *history_in_problem (const HistoryIn *h);
/* An entry whose records are damaged was wanted: they were of [from, to]. */
TRACE_API void history_in_lose (HistoryIn *h, HistoryEntry *e, int64_t from, int64_t to);
/* An entry with the right checksum that cannot be right: as if it were damaged, and told. */
TRACE_API void history_in_refuse (HistoryIn *h, guint i);
/* Something that was asked for is lost; that a block of sums is damaged loses nothing.  `each`, if not NULL, gets what
 * of [from, to) is. */
TRACE_API bool history_in_lost (const HistoryIn *h, int64_t from, int64_t to, HistoryEachLost each, void *arg);
/* Looks through a history, with `data` through its blocks too.  *problem: what is damaged, g_free, or NULL; with `cut`
 * the index then ends before the first entry that is not sound, so that a film goes on from no place behind it.  False:
 * the progress said stop. */
TRACE_API bool history_look_through (const char *base, bool data, bool cut, const TraceProgress *progress,
                                     char **problem);
TRACE_API uint32_t history_check (const void *data, size_t n);
