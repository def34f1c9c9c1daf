/* SPDX-License-Identifier: Apache-2.0 */
/* expression-private.h - between the compiler (expression.c) and what runs its code (expression-run.c). */
#pragma once
#include "statistics/expression.h"
#include "statistics/types.h"

#define STACK 32          /* values; deeper expressions are refused */
#define MOST_CODE 4096    /* instructions */
#define MOST_LENGTH 16384 /* bytes of text */

typedef enum { /* what an index stands for, and so by which names it goes */
               SYMBOL_KIND,
               SYMBOL_EVENT,
               SYMBOL_CATEGORY,
               SYMBOL_TASK,
               SYMBOL_OBJECT,
               SYMBOL_HOST,
               SYMBOL_PROGRAM,
               SYMBOL_ATTRIBUTE,
               SYMBOL_STATE,
               SYMBOL_SCOPE,
               SYMBOL_UNIT,
               N_SYMBOLS,
} Symbol;

typedef enum {
  OP_CONST,
  OP_F64,
  OP_I64,
  OP_NUMBER, /* of an event, which people count from 1 */
  OP_DATE,
  OP_I32,
  OP_U32,
  OP_U16,
  OP_SCOPE,
  OP_ATTRIBUTE,
  OP_FLAG, /* push a field */
  OP_HAS_I64,
  OP_HAS_VALUE,
  OP_HAS_I32,
  OP_HAS_U32, /* the same, of events of kinds that have it */
  OP_DURATION,
  OP_DATUM, /* ... of actions that have one; number of a datum */
  OP_EVENT,
  OP_STATE,   /* indices made of two fields */
  OP_CHANGED, /* a value of a change, whole or real */
  OP_NODE,    /* the object of a change, if it is a node */
  OP_NAMED,
  OP_NAMED_TEXT, /* a field by name, read again from the record; ... compared with texts */
  OP_SYMBOL,     /* index on the stack -> whether it goes by one of some names */
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_MOD,
  OP_MIN,
  OP_MAX,
  OP_LT,
  OP_LE,
  OP_GT,
  OP_GE,
  OP_EQ,
  OP_NE, /* two -> one */
  OP_NEG,
  OP_ABS,
  OP_SQRT,
  OP_FLOOR,
  OP_NOT,
  OP_NONE, /* one -> one */
  OP_LT_K,
  OP_LE_K,
  OP_GT_K,
  OP_GE_K,
  OP_EQ_K,
  OP_NE_K,
  OP_IN, /* one and constants -> one */
  OP_IF_NOT,
  OP_AND,
  OP_OR,
  OP_JUMP, /* jumps: pop and test; keep if false; keep if true; always */
  OP_END,
} Op;

typedef struct Code {
  uint8_t op, role; /* HAS: TraceRole */
  uint16_t to;      /* jumps; SYMBOL, NAMED, IN: index of a Names, a Field, a List */
  uint32_t offset;  /* of the field in the datum */
  double k;
} Code;

typedef struct Names { /* texts that an index is compared with, and the answers found so far */
  Symbol symbol;
  uint32_t column;
  GPtrArray *texts; /* of char * */
  uint8_t *answer;  /* by index: 0 not known yet, 1 no, 2 yes */
  uint32_t n_answers;
} Names;

typedef struct Field { /* of some kinds of event, by name */
  char *name;
  uint32_t column;
  GPtrArray *texts; /* compared with these; NULL: a number */
  int16_t *of_kind; /* its index in each kind; -1: the kind has none */
} Field;

struct StatsExpression {
  const EveType *type;
  GArray *code;                      /* of Code */
  GPtrArray *names, *fields, *lists; /* of Names *, Field *, GArray * of double */
  bool condition;
  const StateGraph *graph;
  uint32_t n_attributes; /* of its model */
  /* bound to a trace */
  const TraceSource *source; /* NULL: not bound */
  uint16_t number;           /* of the source */
  double ticks;              /* a second */
  uint32_t n_kinds;
  uint16_t *has; /* one a kind: bits of TraceRole */
  char *problem;
  uint8_t met[8192]; /* numbers of sources that data came from, as bits */
};

/* Whether the thing with this index goes by this name. */
bool stats_expression_goes_by (const StatsExpression *e, Symbol symbol, uint32_t index, const char *name);
/* "kind", "task": for sentences. */
extern const char *const stats_expression_symbols[N_SYMBOLS];
