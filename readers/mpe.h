/* SPDX-License-Identifier: Apache-2.0 */
/* mpe.h - what the logs of MPE have in common, ALOG, CLOG, CLOG-2 and SLOG-2: states that are told by the numbers of
 * their first and last events, messages, events with values, and numbers with the most significant byte first. */
#pragma once
#include "readers/converted.h"
#include "readers/open-calls.h"
#include "readers/together.h"

/* ---- bytes of a file, from its beginning --------------------------------------------------------------------------------- */
#define MPE_MOST_TAKEN 65536
typedef struct MpeBytes {
  Input *in;
  uint8_t *buffer; /* buffer[begin..end) is not taken yet */
  size_t begin, end;
  uint64_t base; /* where buffer[0] lies in the file, unpacked */
  GError *why;   /* it could not be read on */
} MpeBytes;

bool mpe_bytes_open (MpeBytes *b, const char *path, GError **error);
void mpe_bytes_close (MpeBytes *b); /* of one that is all 0 too */
/* The next n bytes, MPE_MOST_TAKEN at most, good until the next call; NULL: there are not so many. */
const uint8_t *mpe_take (MpeBytes *b, size_t n);
/* The same, without going on. */
const uint8_t *mpe_look (MpeBytes *b, size_t n);
/* Goes to a place of the file that is not behind; false: the file ends before it. */
bool mpe_go (MpeBytes *b, uint64_t at);
static inline uint64_t
mpe_at (const MpeBytes *b)
{
  return b->base + b->begin;
}
int16_t mpe_16 (const uint8_t *at);
int32_t mpe_32 (const uint8_t *at);
int64_t mpe_64 (const uint8_t *at);
double mpe_double (const uint8_t *at);
/* Seconds in nanoseconds; false: that cannot be. */
bool mpe_date (double seconds, int64_t *date);
/* The words in n bytes, to the first 0, as valid UTF-8; g_free. */
char *mpe_words (const uint8_t *at, size_t n);

/* ---- values of an event: names and types, as a form of printf or the keys and types of a category tell them --------- */
#define MPE_MOST_VALUES 32
typedef struct MpeForm {
  uint32_t n;
  char types[MPE_MOST_VALUES];
  char *names[MPE_MOST_VALUES];
} MpeForm;

void mpe_form_parse (MpeForm *f, const char *form);
void mpe_form_add (MpeForm *f, const char *text, char type);
void mpe_form_clear (MpeForm *f);
/* Fields for them; gives how many, and their names are the form's. */
uint32_t mpe_form_fields (const MpeForm *f, TraceField *to);
/* The values in n bytes, for the next event; what is not there has none. */
void mpe_form_give (const MpeForm *f, const uint8_t *at, size_t n, Converter *to);
/* A whole number that is value `i` of them; false: there is none. */
bool mpe_form_whole (const MpeForm *f, const uint8_t *at, size_t n, uint32_t i, int64_t *value);

/* ---- logs of events: ALOG, CLOG, CLOG-2 -------------------------------------------------------------------------------------- */
#define MPE_CARGO 40
typedef struct MpeDetail { /* what a record tells beside its number */
  bool has_data;
  int64_t data;
  const char *text;   /* or NULL */
  const char *source; /* where in the program, or NULL */
  uint8_t cargo[MPE_CARGO];
  size_t n_cargo;
  uint32_t group; /* that it is of, + 1; 0: none, or not known */
} MpeDetail;

typedef struct Mpe {
  Converter *to;
  TraceSource *source;
  const char *file;
  bool has_data; /* events have a number and a text; otherwise values of their forms */
  bool has_source;
  GHashTable *starts, *ends, *events; /* number -> MpeState, MpeEvent */
  GPtrArray *states, *all_events;
  GHashTable *tasks; /* rank and thread -> task + 1 */
  OpenCalls *open;   /* states that have begun */
  uint32_t send, receive;
  Together together;
  uint64_t alone; /* ends of states that had not begun */
  bool crowded;
} Mpe;

void mpe_begin (Mpe *m, Converter *to, const char *file);
void mpe_free (Mpe *m);
/* At the end of the log. */
void mpe_end (Mpe *m);
void mpe_damaged (Mpe *m, uint64_t line, uint64_t column, const char *fmt, ...) G_GNUC_PRINTF (4, 5);
uint32_t mpe_task (Mpe *m, int64_t rank, int64_t thread);
/* Who a message goes to or comes from: TRACE_NONE for numbers below 0, which stand for nobody. */
uint32_t mpe_partner (Mpe *m, int64_t rank);
/* All that is defined must be so before what happens; form may be NULL, colour too ("red:gray3").  Defined again, the
 * first one counts. */
void mpe_define_state (Mpe *m, int32_t start, int32_t end, const char *name, const char *colour, const char *form);
void mpe_define_event (Mpe *m, int32_t number, const char *name, const char *form);
void mpe_event (Mpe *m, uint32_t task, int64_t date, int32_t number, const MpeDetail *d);
void mpe_message (Mpe *m, uint32_t task, int64_t date, bool sends, uint32_t partner, int32_t tag, int64_t bytes);
