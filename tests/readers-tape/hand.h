/* SPDX-License-Identifier: Apache-2.0 */
/* hand.h - small TAPE traces written by hand, in either byte order, and the events that come out of them. */
#pragma once
#include <glib/gstdio.h>
#include "readers/tape/tape.h"

typedef struct Hand {
  char *top, *bundle, *folder; /* temporary */
  GPtrArray *blocks;           /* of GByteArray *, each a TapeBlock and its events, by task as made */
  uint32_t capacity;           /* of each block */
  bool swap;                   /* written in the other byte order */
  bool no_index;
} Hand;

/* Two tasks "a" and "b" on two processors, links 0 a->b "ab", 1 b->a "ba", 2 a->b "ab2". */
extern const char hand_topology[];
Hand *hand_new (void);
void hand_free (Hand *h);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Hand, hand_free)
/* The next event goes into a new block of its task. */
void hand_cut (Hand *h, uint32_t task);
void hand_event (Hand *h, uint32_t task, uint16_t thread, TapeType type, TapeType begin, int64_t date, int64_t duration,
                 const int64_t *fields, uint32_t n_fields);
#define hand(h, task, thread, type, begin, date, duration, ...)                                                        \
  hand_event (h, task, thread, TAPE_##type, (TapeType) (begin), date, duration, (const int64_t[]){ __VA_ARGS__ },      \
              sizeof ((const int64_t[]){ __VA_ARGS__ }) / 8)
#define hand0(h, task, thread, type, begin, date, duration)                                                            \
  hand_event (h, task, thread, TAPE_##type, (TapeType) (begin), date, duration, NULL, 0)
/* A name of up to 8 bytes. */
int64_t hand_word (const char *text);
/* Writes topology, events and index. */
void hand_write (Hand *h);
/* Offset in `events` of the i-th block, and of the k-th event in it. */
uint64_t hand_block_at (const Hand *h, uint32_t block);
uint64_t hand_event_at (const Hand *h, uint32_t block, uint32_t event);
/* Changes bytes of a file of the trace; cuts it to `size`. */
void hand_patch (Hand *h, const char *file, uint64_t at, const void *bytes, size_t n);
void hand_truncate (Hand *h, const char *file, uint64_t size);
void hand_text (Hand *h, const char *file, const char *text);

TraceSource *hand_open (Hand *h);
/* All events from the present place on, either way. */
GArray *hand_read (TraceSource *s);
GArray *hand_read_back (TraceSource *s);
/* "3 Send" or "3 EndSend": date and name, one a line. */
char *hand_names (const GArray *events);
bool hand_same (const TraceEvent *a, const TraceEvent *b);
/* "events: 168: the reason", the i-th. */
char *hand_damage (const TraceSource *s, guint i);

#define expect_text(got, want)                                                                                         \
  do {                                                                                                                 \
    g_autofree char *got_ = (got);                                                                                     \
    g_assert_cmpstr (got_, ==, (want));                                                                                \
  } while (0)
