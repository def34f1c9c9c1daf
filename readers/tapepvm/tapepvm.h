/* SPDX-License-Identifier: Apache-2.0 */
/* tapepvm.h - the parts of the TAPE/PVM reader and what they share.
 *
 *   kinds.c     the table of kinds, built in or of the bundle
 *   scan.c      a line of text -> numbers, or what is wrong with it
 *   lines.c     many ordinary lines -> events
 *   check.c     one fast pass at opening: order, first and last date, how many
 *   remember.c  ... which a file needs but once
 *   sort.c      external merge sort of a file that is not in order
 *   parse.c     lines become events, ends interleaved: on a thread of its own
 *   blocks.c    that thread and what it hands over
 *   reader.c    the source: takes blocks, save and load
 *   follow.c    ... of a file that grows: what has come, whether its writer is at work
 *   later.c     lines of version 2: time has come to a date, a call has ended
 *   record.c    fields read again from a record, sites
 *   sentences.c, synth.c, import.c
 */
#pragma once
#include "readers/live.h"
#include "readers/reader.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define TP_MAX_DATE ((INT64_C (1) << 62) - 1)
#define TP_MAX_ID INT64_C (0x7fffffff)   /* task identifiers and sites */
#define TP_MAX_PEER INT64_C (0xffffffff) /* beyond TP_MAX_ID: a daemon, which is no task */
#define TP_MAX_LINE (1u << 20)
#define TP_MAX_NAME 1024        /* bytes of the name of a host or program ... */
#define TP_MAX_GROUP 255        /* ... and of a group */
#define TP_MAX_TASKS (1u << 20) /* of each of these, in one trace ... */
#define TP_MAX_OBJECTS (1u << 18)
#define TP_MAX_HOSTS (1u << 16)
#define TP_MAX_OPEN (1u << 20) /* ... and calls under way at once */
#define TP_MAX_KINDS 512
#define TP_MAX_FIELDS 16
#define TP_MAX_HEADER 16
#define TP_SLACK 128 /* readable bytes before and behind a line that is scanned */

/* ---- kinds.c ---- */
typedef enum { TP_TYPE, TP_DATE, TP_TASK, TP_DURATION, TP_SITE, TP_DATE_S, TP_DATE_US, TP_SKIP } TpCommon;

/* Places in TpRecord.v: the words of the line in their order (so field f of a kind is at n_header + f), then constants
 * for what a kind has not. */
#define TP_MAX_WORDS (TP_MAX_HEADER + TP_MAX_FIELDS)
#define TP_V_NONE (TP_MAX_WORDS + 33) /* -1; the fast scanner may overshoot before it looks */
#define TP_V_ZERO (TP_V_NONE + 1)     /* 0 */
#define TP_V (TP_V_ZERO + 1)

typedef struct TpKind {
  uint16_t number;
  uint8_t n_words; /* of a line, when `plain` */
  bool plain;      /* no lists: each field is one word */
  bool quick;      /* ... no names, and no other task but the peer and one more */
  uint32_t text;   /* bit at each place that holds a word, not a number */
  bool instant, enroll;
  uint8_t peer_at, tag_at, size_at, result_at;              /* in v */
  uint8_t n_tasks, task_at[TP_MAX_FIELDS];                  /* other fields that name a task; [0] is set always */
  uint8_t group_at, host_at, arch_at, speed_at, program_at; /* TP_V_NONE: it has none */
  uint8_t n_lists, list_at[TP_MAX_FIELDS];
} TpKind;

typedef struct TpTable {
  TraceKind *kinds; /* what the source shows */
  TpKind *details;  /* the same, for scanning */
  uint32_t n_kinds;
  uint32_t n_header;
  uint8_t header[TP_MAX_HEADER]; /* TpCommon */
  uint8_t at[TP_SKIP];           /* place of each common number in v */
  bool split_date;               /* date_s date_us */
  bool later;                    /* the file is of version 2: later.c */
  int64_t ticks_per_second;
  uint16_t by_number[65536]; /* kind + 1; 0: there is none */
} TpTable;

/* Scope's own table, or the text of a bundle's file `kinds`.  NULL: the sentence names line and column. */
TpTable *tp_table_builtin (void);
TpTable *tp_table_parse (const char *text, size_t n, const char *file, GError **error);
void tp_table_free (TpTable *t);

/* ---- scan.c ---- */
typedef struct TpRecord {
  int64_t v[TP_V];
  int64_t date, duration; /* duration -1: never ended */
  uint32_t kind;
  /* Of words and lists: bytes from the start of the line. */
  uint32_t at[TP_MAX_WORDS], len[TP_MAX_WORDS];
} TpRecord;

typedef struct TpFault {
  uint32_t column; /* from 1, in bytes */
  char reason[200];
} TpFault;

void tp_record_init (TpRecord *r);
/* Reads a line of numbers and simple words at p, of which TP_SLACK bytes before and behind and a line feed are
 * readable. Gives its length with the line feed, or 0 if it is anything but an ordinary line: then tp_scan() tells. */
size_t tp_scan_fast (const TpTable *t, const uint8_t *p, TpRecord *r);
/* Reads any line, n bytes without its line feed.  False: *fault tells why not. */
bool tp_scan (const TpTable *t, const uint8_t *line, size_t n, TpRecord *r, TpFault *fault);
/* The ordinary lines of quick kinds at the beginning of n bytes of whole lines, at most max, as events: with raw task
 * identifiers, the other task in `object`; `place`: of the first in the file.  Stops before any other line; *used:
 * bytes read.  TP_SLACK around, as for tp_scan_fast(). */
uint32_t tp_scan_lines (const TpTable *t, const uint8_t *text, size_t n, uint64_t place, TpRecord *scratch,
                        TraceEvent *events, uint32_t max, size_t *used);
/* The same with vectors of 32 bytes at most, and without any; of odd lines they may take others. */
uint32_t tp_scan_lines_four (const TpTable *t, const uint8_t *text, size_t n, uint64_t place, TpRecord *scratch,
                             TraceEvent *events, uint32_t max, size_t *used);
uint32_t tp_scan_lines_plain (const TpTable *t, const uint8_t *text, size_t n, uint64_t place, TpRecord *scratch,
                              TraceEvent *events, uint32_t max, size_t *used);
/* The dates alone of ordinary lines of any kind, likewise. */
typedef struct TpDates {
  int64_t begin, end; /* end -1: has none */
} TpDates;
uint32_t tp_scan_dates (const TpTable *t, const uint8_t *text, size_t n, TpRecord *scratch, TpDates *dates,
                        uint32_t max, size_t *used);
/* Empty, or a comment. */
bool tp_is_blank (const uint8_t *line, size_t n);
/* The next number of a list, from *at on, which has been checked before. */
int64_t tp_list_next (const uint8_t *line, uint32_t *at);
/* A word with its %XX undone, `to` having room for n + 1 bytes. */
size_t tp_unescape (const uint8_t *word, size_t n, char *to);
bool tp_fault (TpFault *f, size_t column, const char *fmt, ...) __attribute__ ((format (printf, 3, 4)));

/* ---- later.c: lines `0 DATE` and `0 DATE RECORD` of version 2 ---- */
/* Whether it is one: it begins with the word 0. */
static inline bool
tp_is_later (const uint8_t *line, size_t n)
{
  return n > 1 && line[0] == '0' && (line[1] == ' ' || line[1] == '\t');
}
/* Reads one, n bytes without line feed.  *date: what stands behind the 0.  *record: offset in the line of the record
 * read into r, whose call has ended at the date; 0: there is none. */
bool tp_scan_later (const TpTable *t, const uint8_t *line, size_t n, TpRecord *r, int64_t *date, size_t *record,
                    TpFault *fault);
/* The calls that have begun, and whose end may stand in a later line. */
typedef struct TpLater TpLater;
TpLater *tp_later_new (void);
void tp_later_free (TpLater *l); /* may be NULL */
uint32_t tp_later_n (const TpLater *l);
void tp_later_add (TpLater *l, const TpTable *t, const TpRecord *r, uint64_t record);
/* Takes the first that began with these numbers; UINT64_MAX: there is none. */
uint64_t tp_later_take (TpLater *l, const TpTable *t, const TpRecord *r);
void tp_later_list (const TpLater *l, uint64_t *to); /* tp_later_n() offsets */

/* Lines of a file, read by pread in blocks. */
typedef struct TpLines {
  int fd;
  uint64_t at, size; /* of the file: what is read next, where reading ends */
  uint64_t base;     /* offset in the file of text[0] */
  uint8_t *buffer, *text;
  size_t room, n; /* of text: bytes that can, and do, lie there */
  size_t cursor;  /* start of the next line, in text */
  size_t full;    /* end of the last complete line, in text */
  bool skip;      /* inside a line longer than TP_MAX_LINE */
} TpLines;

typedef enum { TP_LINES_MORE, TP_LINES_END, TP_LINES_CUT, TP_LINES_LONG, TP_LINES_ERROR } TpLinesState;
void tp_lines_init (TpLines *l, int fd, uint64_t from, uint64_t size);
void tp_lines_clear (TpLines *l);
/* Goes on behind `full`, wherever the cursor is.  MORE: complete lines lie from cursor to full.  CUT: the last line,
 * without line feed, lies there.  LONG: the beginning of a line of more than TP_MAX_LINE bytes lies there, the rest is
 * passed over by the next call.  ERROR: *error is set. */
TpLinesState tp_lines_fill (TpLines *l, GError **error);
/* pread that goes on after interrupts and short reads; less than n only at the end of the file. */

/* ---- check.c ---- */
typedef struct TpCheck {
  bool ordered;
  uint64_t n_records, n_events;
  int64_t first, last; /* first > last: none */
  int64_t reached;     /* date of the last line; -1: none */
} TpCheck;
#define TP_CHECK_NOTHING ((TpCheck){ .ordered = true, .first = INT64_MAX, .last = -1, .reached = -1 })
/* Adds the lines that begin in [from, to), where lines begin or the file ends. */
bool tp_check_more (const TpTable *t, int fd, uint64_t from, uint64_t to, TpCheck *c, GError **error);
bool tp_check (const TpTable *t, int fd, uint64_t size, const TraceProgress *progress, TpCheck *c, GError **error);
/* The same; a large file that was checked before, and has not changed, is not read again.  remember.c */
bool tp_check_once (const TpTable *t, int fd, uint64_t size, const TraceProgress *progress, TpCheck *c, GError **error);
bool tp_report (const TraceProgress *progress, const char *doing, double share, GError **error);

/* ---- sort.c: gives a file of lines in order, each with "NUMBER " or "NUMBER!" (cut off) before it, NUMBER being its
 * line in the file it comes from.  -1 and *error. */
int tp_sort (const TpTable *t, int fd, uint64_t size, const TraceOptions *options, uint64_t *sorted_size,
             GError **error);
int tp_temporary (const char *folder, GError **error);

/* ---- interning of task identifiers ---- */
typedef struct TpIntern {
  uint64_t *slots; /* (raw + 1) << 32 | index; 0: free */
  uint32_t mask, n;
} TpIntern;
void tp_intern_init (TpIntern *t);
void tp_intern_clear (TpIntern *t);
void tp_intern_add (TpIntern *t, uint32_t raw);
/* TRACE_NONE: not there. */
static inline uint32_t
tp_intern_find (const TpIntern *t, uint32_t raw)
{
  for (uint32_t i = (uint32_t) ((raw * UINT64_C (0x9e3779b97f4a7c15)) >> 32) & t->mask;; i = (i + 1) & t->mask) {
    uint64_t slot = t->slots[i];
    if (slot >> 32 == (uint64_t) raw + 1)
      return (uint32_t) slot;
    if (!slot)
      return TRACE_NONE;
  }
}

/* ---- ends.c: the calls under way, by date of their end, then by place in the file ---- */
typedef unsigned __int128 TpEndKey; /* date, 44 bits of place, 20 bits of slot */
typedef struct TpEnds {
  TpEndKey *heap;
  TraceEvent *events;
  uint32_t *free;
  uint32_t n, room;
} TpEnds;
void tp_ends_clear (TpEnds *q);
void tp_ends_grow (TpEnds *q);
static inline int64_t
tp_ends_first (const TpEnds *q)
{
  return q->n ? (int64_t) (q->heap[0] >> 64) : INT64_MAX;
}

/* ---- blocks.c ---- */
#define TP_BLOCK 4096
#define TP_BLOCKS 16 /* so much as the engine does in the 3 ms that a thread may have to wait for a processor */
#define TP_DAMAGE_KEPT (TRACE_DAMAGE_KEPT - 20) /* room is left for what is wrong with other files */

/* Where parsing can go on: the state before the first line of which nothing has been given. */
typedef struct TpPlace {
  uint64_t offset, line; /* line: how many came before */
  uint64_t number;       /* of the next event */
  int64_t date;          /* of the last line */
  uint32_t n_tasks, n_objects, n_hosts;
  uint64_t n_damaged;
} TpPlace;

/* What the source learns, once `at` events of the block are given. */
typedef enum { TP_NEW_TASK, TP_NEW_OBJECT, TP_NEW_HOST, TP_ENROLLED, TP_DAMAGED } TpNewsKind;
typedef struct TpNews {
  uint32_t at;
  TpNewsKind what;
  uint64_t a, b;  /* task: raw; enrolled: task, host; damaged: line, column */
  uint64_t count; /* damaged: how many more of which nothing is kept; host: speed */
  char *text, *more;
} TpNews;

typedef struct TpBlock {
  TpPlace from;
  GArray *open; /* of uint64_t: offsets of the records under way where it begins */
  uint32_t n;
  bool last;
  GError *error; /* with `last` */
  GArray *news;  /* of TpNews */
  TraceEvent *events;
} TpBlock;

typedef struct TpParser TpParser;
typedef struct TpReader TpReader;

/* What a parser starts from. */
typedef struct TpStart {
  TpPlace place;
  GArray *open;          /* of uint64_t: offsets of the records under way; or NULL */
  const uint32_t *tasks; /* raw, n_tasks of them */
  const uint8_t *enrolled;
  char *const *objects;
  char *const *hosts; /* names */
} TpStart;

/* The thread runs from here on.  NULL: the records under way are not what they were. */
TpParser *tp_parser_start (TpReader *r, const TpStart *start, GError **error);
void tp_parser_free (TpParser *p);
/* The block after the one in hand (the first, at first); waits for it.  It stays in the queue until taken. */
TpBlock *tp_parser_next (TpParser *p);
/* Of a file that grows: it may be read up to `size`, where a line ends; `final`: nothing more will come. */
void tp_parser_grow (TpParser *p, uint64_t size, bool final);
/* Waits until the block in hand is whole, or all that may be read is read; false: the latter, and it may still grow,
 * but not before tp_parser_grow(). */
bool tp_parser_settle (TpParser *p);
/* Lets go of the block in hand; the next one is then in hand. */
void tp_parser_take (TpParser *p);
TpBlock *tp_parser_block (TpParser *p); /* in hand, or NULL */
/* Offsets of the records under way where the block in hand begins, in the order of the file; of uint64_t, owned by the
 * block. */
GArray *tp_parser_open (TpParser *p);

/* ---- reader.c ---- */
struct TpReader {
  TraceSource base;
  TpTable *table;
  char *folder;
  int fd;        /* of the events, sorted if need be */
  uint64_t size; /* when it was opened */
  uint64_t original_size;
  bool sorted_copy; /* lines have their number before them */
  bool strict;
  int version;  /* of the file; 0: not known yet */
  bool follows; /* it was opened while it grew, or is followed though nobody knows its writer */
  /* follow.c */
  TraceWriter writer;
  TpCheck check;   /* of the lines before `size` */
  uint64_t looked; /* no line feed lies between `size` and here */
  TpParser *parser;
  uint32_t given; /* events of the block in hand */
  uint32_t news_given;
  uint32_t n_tasks, n_objects, n_hosts; /* learnt on this passage; the arrays of the source only grow */
  uint64_t n_events_damaged;
  TpIntern known;      /* all tasks of the source */
  GArray *enrolled_at; /* of uint64_t: events given before a task's host and program were known */
  GPtrArray *programs; /* of char *: of each task that was ever read of; NULL: none */
  /* record.c */
  uint8_t *window_buffer, *window; /* TP_SLACK around it */
  uint64_t window_at;
  size_t window_room, window_n;
  uint64_t record_at;        /* of the record scanned last; UINT64_MAX: none */
  uint64_t late_of, late_at; /* the event of a late end that was looked for last, and what was found */
  TpRecord record;
  GString *text;
  GArray *list;
  GHashTable *sites;
  uint64_t sites_read, sites_lines; /* bytes and lines read of their file */
};

/* later.c: the record in the line that tells of the end of an event that is LATE; UINT64_MAX: it is not found. */
uint64_t tp_later_find (TpReader *r, const TraceEvent *e);
bool tp_check_version (TpReader *r, GError **error);
bool tp_open_whole (TpReader *r, const TraceOptions *options, GError **error);
void tp_note_check (TpReader *r); /* what the check found, for everybody */
/* follow.c: opens what is there by now, and looks for more. */
bool tp_follow (TpReader *r, const TraceOptions *options, GError **error);
bool tp_look (TraceSource *s);

void tp_record_clear (TpReader *r);
TraceValue tp_value (TraceSource *s, const TraceEvent *e, uint32_t field);
bool tp_site (TraceSource *s, const TraceEvent *e, const char **file, uint32_t *line, const char **function);
/* Line of a record, found by its offset: bytes and length without line feed; good until the next call. */
const uint8_t *tp_record_line (TpReader *r, uint64_t record, size_t *n);
char *tp_sentence (TraceSource *s, const TraceEvent *e);
bool tp_synth (const char *folder, const TraceSynth *what, GError **error);
bool tp_import (const char *folder, const char *const *files, GError **error);
TraceSource *tp_open (const char *bundle, const char *folder, const TraceOptions *options, GError **error);
extern const TraceFormat tapepvm_format;
