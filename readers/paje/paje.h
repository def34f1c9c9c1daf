/* SPDX-License-Identifier: Apache-2.0 */
/* paje.h - what the files of the Pajé reader share. */
#pragma once
#include "readers/converted.h"
#include "readers/digits.h"
#include "readers/name-table.h"
#include "readers/unlike.h"

#define MOST_FIELDS 32
#define ASKED_EACH 1000 /* lines: whether to go on */
#define MOST_DEFINITIONS 4096

typedef enum {
  DEFINE_CONTAINER,
  DEFINE_STATE,
  DEFINE_EVENT,
  DEFINE_VARIABLE,
  DEFINE_LINK,
  DEFINE_VALUE,
  CREATE,
  DESTROY,
  SET_STATE,
  PUSH_STATE,
  POP_STATE,
  RESET_STATE,
  NEW_EVENT,
  SET_VARIABLE,
  ADD_VARIABLE,
  SUB_VARIABLE,
  START_LINK,
  END_LINK,
  TRACE_FILE,
  SET_LIMITS,
  N_VERBS
} Verb;

typedef enum {
  TIME,
  NAME,
  ALIAS,
  TYPE,
  CONTAINER,
  VALUE,
  KEY,
  START,
  END,
  SIZE,
  COLOUR,
  FILENAME,
  DOES,
  OTHER,
  N_KNOWN = OTHER
} Name;

/* A kind of line, as the head of the file defines it. */
typedef struct Definition {
  int64_t number;
  Verb verb;
  uint32_t kind; /* of events, for what happens */
  int n_fields;
  int n_others;
  bool quick;                 /* quick.c may read its lines */
  uint8_t names[MOST_FIELDS]; /* Name of each */
  uint8_t places[N_KNOWN];    /* of the first field of each name, from 1; 0: there is none */
} Definition;

typedef struct PajeType {
  uint32_t type; /* of the source */
  TraceTypeKind kind;
  NameTable *values; /* name or alias -> object; or NULL */
} PajeType;

/* A container is created while it is there: the line of its end may follow, dated before. */
typedef struct Again {
  int64_t date;
  uint64_t place, line;
  const char *file;
  char *name;
  uint16_t kind;
} Again;

typedef struct Container {
  uint32_t task;
  uint32_t states; /* the type of its states that are its own, + 1; 0: none yet */
  bool lives;
  Again *again;   /* or NULL */
  uint32_t lanes; /* index + 1 of the first of them in all_lanes; 0: none */
  /* Of its own states: the last one, pushed and, unless `ended` is NEVER_ENDED, popped since; a place before that. */
  uint32_t last;
  int64_t ended;
  uint64_t place;
} Container;
#define NEVER_ENDED INT64_MIN

/* The task of states of a type that is not the container's own, inside of it. */
typedef struct Lane {
  uint32_t task, type, next; /* next: as Container.lanes */
} Lane;

/* A word of a line; a 0 lies behind it. */
typedef struct Word {
  char *at; /* NULL: it is not there */
  size_t n;
} Word;

typedef struct PajeKnown { /* a word of at most eight bytes, as a number */
  uint64_t bytes;
  const void *of; /* the names that it is one of, or the type of a value; NULL: free */
  union {
    PajeType *type;
    Container *container;
    uint32_t object;
  };
} PajeKnown;
#define KNOWN_BITS 9

typedef struct Link Link;
typedef struct Links { /* those that have begun, or those that have ended before they began */
  Link **buckets;      /* by key: the oldest link of each */
  size_t size, used;   /* size: a power of two */
} Links;

#define MOST_NUMBERED 1024
typedef struct Paje {
  Converter *to;
  TraceSource *source;
  Input *in;
  uint64_t n_ahead; /* lines that were read where they lie, and that `in` does not know of yet */
  const char *file;
  GHashTable *definitions;             /* number -> Definition */
  Definition *numbered[MOST_NUMBERED]; /* the same, of small numbers */
  Definition *open;                    /* whose fields are being read */
  NameTable *types;                    /* name or alias -> index into all_types */
  GPtrArray *all_types;                /* of PajeType */
  NameTable *containers;               /* name or alias -> index into all_containers */
  GPtrArray *all_containers;           /* of Container */
  Unlike *ids;                         /* of tasks, to be unlike each other */
  GArray *all_lanes;                   /* of Lane */
  uint32_t end_states;                 /* kind of events that end the states of a lane, + 1 */
  GHashTable *lanes;                   /* task and type of states -> task + 1, as 64 bits */
  Links starts, ends;
  GString *key; /* of the link at hand */
  uint32_t n_links;
  Word words[MOST_FIELDS + 2]; /* the one behind the last, and those beyond, are not there */
  int n_words;
  GPtrArray *files;                 /* names of other files with lines of this trace, and of this one */
  GHashTable *known_files;          /* set of these */
  int64_t unit;                     /* of dates, nanoseconds */
  PajeKnown known[1 << KNOWN_BITS]; /* words that came of late */
  bool quote_open;                  /* the last of them began with a quote that nothing ends */
} Paje;

/* Tells that the line at hand is damaged. */
void paje_damaged (Paje *p, const char *fmt, ...) G_GNUC_PRINTF (2, 3);
/* The field of the line at hand. */
static inline Word
paje_word (const Paje *p, const Definition *d, Name name)
{
  int at = d->places[name];

  return at > 0 && at < p->n_words ? p->words[at] : (Word){ NULL, 0 };
}
/* The same; NULL: it has none. */
static inline const char *
paje_field (const Paje *p, const Definition *d, Name name)
{
  return paje_word (p, d, name).at;
}

/* What names stand for; NULL: nothing. */
PajeType *paje_find_type (const Paje *p, Word name);
Container *paje_find_container (const Paje *p, Word name);
/* The object of a value of a type; one that was never defined is what its name says. */
uint32_t paje_value_of (Paje *p, PajeType *t, Word name);
/* The task whose states of a type are: the container, for the first type that it has; a lane in it for each other. */
uint32_t paje_find_task_of_states (Paje *p, Container *c, const PajeType *t);
static inline uint32_t
paje_task_of_states (Paje *p, Container *c, const PajeType *t)
{
  return c->states == t->type + 1 ? c->task : paje_find_task_of_states (p, c, t);
}
/* Keeps what paje_place_of_end () wants, before the event of a state is given; `object`: of a state that is entered. */
static inline void
paje_note_state (Paje *p, Container *c, const PajeType *t, Verb verb, uint32_t object, int64_t date)
{
  if (c->states != t->type + 1)
    return;
  if (verb == POP_STATE && c->last != TRACE_NONE && c->ended == NEVER_ENDED) {
    c->ended = date;
    c->place = converter_place (p->to);
  } else {
    c->last = verb == PUSH_STATE ? object : TRACE_NONE;
    c->ended = NEVER_ENDED;
  }
}
/* ---- head.c: "%EventDef NAME NUMBER", "% FIELD TYPE", "%EndEventDef" ------------------------------------------------------- */
typedef struct PajeHead {    /* of the definition that is open */
  char *others[MOST_FIELDS]; /* fields that no other trace has */
  int n_others;
} PajeHead;
/* A line of it, from behind the "%". */
void paje_head_line (Paje *p, PajeHead *h, char *at);
/* The definition that is open ends, if one is. */
void paje_end_definition (Paje *p, PajeHead *h);
/* ---- line.c ----------------------------------------------------------------------------------------------------------------- */
/* The words of a line, which is changed.  Gives where it ended. */
char *paje_split (Paje *p, char *at);
#define PAJE_SECOND 1000000000
/* The unit of the dates of a file, by its beginning. */
void paje_look_at_dates (Paje *p, const char *path);
/* A date in nanoseconds.  False: it is none, or too far. */
bool paje_date (const Paje *p, Word word, int64_t *date);
/* A number, with a point or a comma; what follows it is at *end, which is `text` where there is none. */
double paje_real (const char *text, const char **end);
/* Seconds without an exponent and with no more digits than ticks have: goes behind them.  False: it is nothing such. */
static inline bool
paje_plain_date (char **at, int64_t *date)
{
  static const int64_t scales[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
  const char *text = *at;
  bool negative = *text == '-';
  unsigned digits, after = 0;
  uint64_t part = 0;

  text += negative;
  uint64_t whole = digits_number16 (text, &digits);
  text += digits;
  if (digits > 0 && *text == '.') {
    part = digits_number16 (++text, &after);
    text += after;
  }
  /* seconds since 1970 are ten digits; up to here their nanoseconds are an int64_t */
  if (digits == 0 || digits > 10 || whole >= 9223372036 || after > 9)
    return false;
  *at += text - *at;
  *date = (int64_t) whole * 1000000000 + (int64_t) part * scales[after];
  *date = negative ? -*date : *date;
  return true;
}

/* ---- quick.c: lines as nearly all are ----------------------------------------------------------------------------------- */
void paje_quick_define (Definition *d);
/* Lines as input_ahead() gives them: takes the first ones that are so.  Nothing has come of the line behind these. */
void paje_quick (Paje *p);
/* The line at hand, from 1. */
static inline uint64_t
paje_line (const Paje *p)
{
  return input_line_number (p->in) + p->n_ahead;
}

/* ---- links.c: a link is given when both its ends are known -------------------------------------------------------------- */
void paje_free_links (Links *l);
/* One end of a link of a type, at a container. */
void paje_link (Paje *p, const Definition *d, const Container *c, int64_t date);
/* At the end of the file: those that began or ended alone. */
void paje_half_links (Paje *p);

/* write.c: as `write` of TraceFormat. */
bool paje_write (TraceSource *from, const char *path, const TraceProgress *progress, GError **error);
