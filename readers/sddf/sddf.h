/* SPDX-License-Identifier: Apache-2.0 */
/* sddf.h - what the files of the SDDF reader share. */
#pragma once
#include "readers/converted.h"
#include "readers/name-table.h"
#include "readers/open-calls.h"

#define MOST_FIELDS 48
#define MOST_RECORDS 4000 /* kinds of records that a file may describe */
#define MOST_TASKS 200000
#define MOST_HELD 100000        /* calls that have begun */
#define MOST_PACKET (16u << 20) /* bytes */

typedef enum { WHOLE, REAL, TEXT } FieldType; /* a list of either is shown as text */

typedef struct SddfField {
  char *name;
  FieldType type;
  uint8_t dimensions;
} SddfField;

typedef struct Value {
  char type; /* 'i', 'r', 't', a list of whole numbers 'l', or 0: none */
  int64_t whole;
  double real;
  const char *at; /* of a text, or of a list with all that is inside of its braces */
  size_t n;
} Value;

typedef enum { DOES_MARK, DOES_ENTER, DOES_LEAVE, DOES_SEND, DOES_RECEIVE, DOES_SET } Does;
typedef struct Rule { /* of a map: what records of a name do */
  Does does;
  char *time, *task, *state, *peer, *size, *tag; /* names of fields, or NULL */
  char *called;                                  /* what a number in `state` is of, or NULL: of the field */
  int64_t ticks;                                 /* of its dates, a second; 0: nothing is said */
} Rule;

typedef enum { NO_CALL, BEGINS, ENDS } Phase;
/* A field of TRACE_NONE: the record has none such. */
typedef struct Sddf Sddf;
typedef struct Record Record;
struct Record { /* a kind of record, as the file describes it */
  char *name;
  uint32_t n;
  SddfField fields[MOST_FIELDS];
  uint32_t seconds, microseconds, task; /* where these are */
  int64_t ticks;                        /* that its seconds are counted in; 0: seconds */
  /* records of PVM's tracer (pvm.c) */
  bool of_pvm;
  Phase phase;
  char *call;      /* its name */
  uint32_t called; /* and number: those of the begin and of the end of a call have one */
  /* others */
  Rule rule;
  uint32_t state, peer, size, tag;
  uint32_t kind; /* + 1; 0: not made yet */
};

typedef struct Held { /* a call that has begun */
  OpenCall call;      /* the first */
  const Record *record;
  char *text; /* of its values */
  int64_t date;
} Held;

struct Sddf {
  Converter *to;
  TraceSource *source;
  const char *file;
  Input *in;
  uint64_t line;  /* where the packet at hand begins */
  uint64_t lines; /* number of the last one that was read */
  /* Of a tracer that still writes (live.c): takes what happens, in place of the converter; or NULL. */
  void (*take) (void *live, const Record *r, const char *text, const char *end, int64_t date, int64_t tid);
  void *live;
  GPtrArray *all;
  NameTable *records; /* name -> index in `all`, of the description that counts */
  NameTable *tasks, *states, *variables;
  NameTable *calls; /* name of a call -> its number */
  uint32_t n_calls;
  OpenCalls *held;    /* of Held */
  GHashTable *kinds;  /* of calls: both records, as 64 bits -> kind + 1 */
  GHashTable *clocks; /* host -> what is added to its dates, ns */
  GHashTable *hosts;  /* host -> index + 1 */
  GHashTable *names;  /* of all records that the file describes */
  GHashTable *map;    /* name of a record -> Rule */
  Rule any;           /* of the map: of all records */
  uint32_t states_type, latest_task;
  int64_t latest;
  uint64_t undated, alone;
  bool crowded, too_many, looks_at_clocks;
};

void sddf_begin (Sddf *s);
void sddf_begin_tables (Sddf *s); /* of records that are described: none are */
void sddf_end (Sddf *s, void (*free_call) (OpenCall *call));
void sddf_line (Sddf *s, GString *text, char *line, size_t n, bool cut, int *tries, bool clocks);
bool sddf_read_packets (Sddf *s, const char *path, bool clocks, GError **error);
/* Behind blanks and comments; behind a sign; behind "..." without escapes.  NULL: it is not there. */
const char *sddf_blanks (const char *p);
const char *sddf_sign (const char *p, char c);
const char *sddf_quoted (const char *p, const char **at, size_t *n);
void sddf_damaged (Sddf *s, const char *fmt, ...) G_GNUC_PRINTF (2, 3);
uint32_t sddf_find_field (const Record *r, const char *name);
/* The field of the first of these names that the record has. */
uint32_t sddf_first_of (const Record *r, const char *const *names);
/* Values in `text`, one for each field of a record; false: they are not so. */
bool sddf_values (const Record *r, const char *text, const char *end, Value *values, const char **behind);
/* The next number of a list as the file writes it; false: there is none. */
bool sddf_next_number (const char **at, int64_t *number);
void sddf_give_value (Sddf *s, const Value *v);
TraceRole sddf_role (const SddfField *f);
/* The task of this name. */
uint32_t sddf_task (Sddf *s, const char *name, int64_t raw);

/* ---- pvm.c: records of PVM's own tracer -------------------------------------------------------------------------------- */
/* Whether a record, that has just been described, is one of them. */
/* Gives the fields of a tracer of PVM 3.3 the names that they have today. */
void pvm_rename (Record *r);
void pvm_describe (Sddf *s, Record *r);
void pvm_happen (Sddf *s, const Record *r, const Value *values, const char *text, const char *end);
/* Clocks of hosts, before all that happens. */
void pvm_clock (Sddf *s, const Record *r, const Value *values);
void pvm_end (Sddf *s);
uint32_t pvm_task_of (Sddf *s, int64_t tid);
void pvm_free_held (OpenCall *held);

/* ---- map.c: what others do ------------------------------------------------------------------------------------------------ */
void map_read (Sddf *s, const char *path);
void map_describe (Sddf *s, Record *r);
void map_happen (Sddf *s, Record *r, const Value *values);
void map_free_rule (void *rule);
