/* SPDX-License-Identifier: Apache-2.0 */
/* expression-run.c - runs compiled expressions, and looks names up in the trace: each once, then it is a table. */
#include "statistics/expression-private.h"
#include "eve/words.h"
#include "statistics/list.h"
#include <math.h>
#include <string.h>

const char *const stats_expression_symbols[N_SYMBOLS] = {
  "kind of event", "event", "category", "task", "group", "machine", "program", "attribute", "state", "object", "unit",
};

/* ---- names --------------------------------------------------------------------------------------------------------- */

static bool
expression_run_same (const char *a, const char *b)
{
  return a && strcmp (a, b) == 0;
}

/* What the thing with this index is called, and for a task its nickname as well (`second`); NULL: it has no such name.
 */
static const char *
expression_run_name_of (const StatsExpression *e, Symbol symbol, uint32_t index, bool second)
{
  static const char *const scopes[] = { "graph", "node", "link" };
  const TraceSource *s = e->source;
  const TraceKind *kind = symbol == SYMBOL_EVENT    ? s && index / 2 < s->n_kinds ? &s->kinds[index / 2] : NULL
                          : s && index < s->n_kinds ? &s->kinds[index]
                                                    : NULL;
  const TraceTask *task = s ? trace_task (s, index) : NULL;
  const StateModel *m = e->graph ? e->graph->model : NULL;
  const TraceHost *host;

  if (second && symbol != SYMBOL_TASK)
    return NULL;
  switch (symbol) {
  case SYMBOL_KIND:
    return kind ? kind->name : NULL;
  case SYMBOL_EVENT:
    return !kind ? NULL : index & 1 ? kind->end_name : kind->name;
  case SYMBOL_CATEGORY:
    return kind ? kind->category : NULL;
  case SYMBOL_TASK:
    if (e->graph && e->type == &state_type_change) {
      const char *id = index < e->graph->n_nodes ? e->graph->node_id (e->graph, index) : NULL;
      return !second ? id : id && s ? g_hash_table_lookup (s->nicknames, id) : NULL;
    }
    return !task ? NULL : second ? task->nickname : task->id;
  case SYMBOL_OBJECT:
    return s && index < s->objects->len ? ((TraceObject *) s->objects->pdata[index])->id : NULL;
  case SYMBOL_HOST:
    host = task && task->host < s->hosts->len ? s->hosts->pdata[task->host] : NULL;
    return host ? host->name : NULL;
  case SYMBOL_PROGRAM:
    return task ? task->program : NULL;
  case SYMBOL_ATTRIBUTE:
    return m && index < m->n_attributes ? m->attributes[index].name : NULL;
  case SYMBOL_STATE: {
    const StateAttribute *a = m ? &m->attributes[index % m->n_attributes] : NULL;
    return a && index / m->n_attributes < a->n_values ? a->values[index / m->n_attributes].name : NULL;
  }
  case SYMBOL_SCOPE:
    return index < G_N_ELEMENTS (scopes) ? scopes[index] : NULL;
  default:
    return NULL;
  }
}

/* One more than the largest index of what is there now. */
static uint32_t
expression_run_n_of (const StatsExpression *e, Symbol symbol)
{
  const TraceSource *s = e->source;
  uint32_t most = 0;

  switch (symbol) {
  case SYMBOL_KIND:
  case SYMBOL_CATEGORY:
    return e->n_kinds;
  case SYMBOL_EVENT:
    return e->n_kinds * 2;
  case SYMBOL_TASK:
    return e->graph && e->type == &state_type_change ? e->graph->n_nodes : s ? s->tasks->len : 0;
  case SYMBOL_HOST:
  case SYMBOL_PROGRAM:
    return s ? s->tasks->len : 0;
  case SYMBOL_OBJECT:
    return s ? s->objects->len : 0;
  case SYMBOL_ATTRIBUTE:
    return e->n_attributes;
  case SYMBOL_STATE:
    for (uint32_t i = 0; i < e->n_attributes; i++)
      most = MAX (most, e->graph->model->attributes[i].n_values);
    return most * e->n_attributes;
  case SYMBOL_SCOPE:
    return 3;
  default:
    return 0;
  }
}

static bool
is_exact (const StatsExpression *e, Symbol symbol, const char *name)
{
  for (uint32_t i = 0, n = expression_run_n_of (e, symbol); i < n; i++)
    if (expression_run_same (expression_run_name_of (e, symbol, i, false), name))
      return true;
  return false;
}

/* Kinds of events and their categories also without regard to case, where none is written just so. */
bool
stats_expression_goes_by (const StatsExpression *e, Symbol symbol, uint32_t index, const char *name)
{
  const char *own = expression_run_name_of (e, symbol, index, false);

  if (expression_run_same (own, name) || expression_run_same (expression_run_name_of (e, symbol, index, true), name))
    return true;
  return (symbol == SYMBOL_KIND || symbol == SYMBOL_EVENT || symbol == SYMBOL_CATEGORY) && own != NULL
         && g_ascii_strcasecmp (own, name) == 0 && !is_exact (e, symbol, name);
}

typedef struct Offered {
  StatsExpression *e;
  Symbol symbol;
} Offered;

/* Of all traces that data came from. */
static void
expression_run_offer (void *arg, void (*add) (void *to, const char *name), void *to)
{
  const Offered *o = arg;
  const TraceSource *bound = o->e->source;

  for (const TraceSource *s = NULL; (s = trace_source_after (s ? s->number : 0));) {
    if (!(o->e->met[s->number / 8] >> s->number % 8 & 1))
      continue;
    o->e->source = s;
    for (uint32_t i = 0, n = expression_run_n_of (o->e, o->symbol); i < n; i++)
      for (int k = 0; k < 2; k++) {
        const char *name = expression_run_name_of (o->e, o->symbol, i, k == 1);
        if (name)
          add (to, name);
      }
  }
  o->e->source = bound;
}

/* Those that are all there from the start: a name that is none of them is a mistake. */
static bool
is_fixed (const StatsExpression *e, Symbol symbol)
{
  return symbol == SYMBOL_KIND || symbol == SYMBOL_EVENT || symbol == SYMBOL_CATEGORY || symbol == SYMBOL_SCOPE
         || (symbol == SYMBOL_ATTRIBUTE && e->graph);
}

void
stats_expression_tell_unknown (StatsExpression *e, EveComponent *c, GHashTable **told)
{
  for (guint i = 0; i < e->names->len && e->source; i++) {
    const Names *n = e->names->pdata[i];
    g_autofree char **names = g_new0 (char *, n->texts->len + 1);
    if (is_fixed (e, n->symbol) || ((n->symbol == SYMBOL_ATTRIBUTE || n->symbol == SYMBOL_STATE) && !e->graph))
      continue;
    memcpy (names, n->texts->pdata, n->texts->len * sizeof *names);
    stats_tell_unknown (c, told, stats_expression_symbols[n->symbol], names, expression_run_offer,
                        &(Offered){ e, n->symbol });
  }
}

/* Host and program of a task may be learnt after its first event, so only their "yes" is kept. */
static bool
expression_run_look_up (const StatsExpression *e, Names *n, uint32_t index)
{
  enum { most = 1 << 22 };
  bool yes = false;

  for (guint i = 0; i < n->texts->len && !yes; i++)
    yes = stats_expression_goes_by (e, n->symbol, index, n->texts->pdata[i]);
  if (index >= most || (!yes && (n->symbol == SYMBOL_HOST || n->symbol == SYMBOL_PROGRAM)))
    return yes;
  if (index >= n->n_answers) {
    uint32_t more = MAX (index + 1, n->n_answers * 2 + 64);
    n->answer = g_realloc (n->answer, more);
    memset (n->answer + n->n_answers, 0, more - n->n_answers);
    n->n_answers = more;
  }
  n->answer[index] = yes ? 2 : 1;
  return yes;
}

static void
forget_answers (StatsExpression *e)
{
  for (guint i = 0; i < e->names->len; i++) {
    Names *n = e->names->pdata[i];
    g_clear_pointer (&n->answer, g_free);
    n->n_answers = 0;
  }
  for (guint i = 0; i < e->fields->len; i++)
    g_clear_pointer (&((Field *) e->fields->pdata[i])->of_kind, g_free);
  g_clear_pointer (&e->has, g_free);
  g_clear_pointer (&e->problem, g_free);
  e->source = NULL;
  e->n_kinds = 0;
  e->ticks = 1;
}

void
stats_expression_unbind (StatsExpression *e)
{
  forget_answers (e);
  memset (e->met, 0, sizeof e->met);
}

void
stats_expression_set_graph (StatsExpression *e, const StateGraph *graph)
{
  stats_expression_unbind (e);
  e->graph = graph;
  e->n_attributes = graph ? graph->model->n_attributes : 0;
}

static void
check_names (StatsExpression *e, const Names *n)
{
  for (guint i = 0; is_fixed (e, n->symbol) && i < n->texts->len && !e->problem; i++) {
    bool found = false;
    for (uint32_t k = 0, all = expression_run_n_of (e, n->symbol); k < all && !found; k++)
      found = stats_expression_goes_by (e, n->symbol, k, n->texts->pdata[i]);
    if (found)
      continue;
    g_autofree char *nearest = eve_nearest_told (n->texts->pdata[i], expression_run_offer, &(Offered){ e, n->symbol });
    e->problem = g_strdup_printf (_ ("column %u: the trace %s has no %s “%s”%s"), n->column, e->source->name,
                                  stats_expression_symbols[n->symbol], (char *) n->texts->pdata[i], nearest);
  }
}

static void
offer_fields (void *expression, void (*add) (void *to, const char *name), void *to)
{
  const StatsExpression *e = expression;

  for (const char *const *f = stats_expression_fields (e->type); *f; f++)
    add (to, *f);
  for (uint32_t k = 0; k < e->n_kinds; k++)
    for (uint32_t i = 0; i < e->source->kinds[k].n_fields; i++)
      add (to, e->source->kinds[k].fields[i].name);
}

static void
check_field (StatsExpression *e, Field *f)
{
  bool found = false;

  f->of_kind = g_new (int16_t, MAX (e->n_kinds, 1));
  for (uint32_t k = 0; k < e->n_kinds; k++) {
    f->of_kind[k] = -1;
    for (uint32_t i = 0; i < e->source->kinds[k].n_fields; i++)
      if (expression_run_same (e->source->kinds[k].fields[i].name, f->name)) {
        f->of_kind[k] = (int16_t) i;
        found = true;
      }
  }
  if (found || e->problem)
    return;
  g_autofree char *nearest = eve_nearest_told (f->name, offer_fields, e);
  e->problem = g_strdup_printf (_ ("column %u: no event of the trace %s has a field “%s”%s"), f->column,
                                e->source->name, f->name, nearest);
}

static bool
expression_run_bind (StatsExpression *e, uint16_t number)
{
  const TraceSource *s = trace_source (number);

  forget_answers (e);
  e->number = number;
  if (!s)
    return false;
  e->met[number / 8] |= (uint8_t) (1u << number % 8);
  e->source = s;
  e->ticks = (double) s->clock.ticks_per_second;
  e->n_kinds = s->n_kinds;
  e->n_attributes = e->graph ? e->graph->model->n_attributes : 0; /* a model of any trace has those of its variables */
  e->has = g_new0 (uint16_t, MAX (s->n_kinds, 1));
  for (uint32_t k = 0; k < s->n_kinds; k++)
    for (uint32_t i = 0; i < s->kinds[k].n_fields; i++)
      e->has[k] |= (uint16_t) (1u << s->kinds[k].fields[i].role);
  for (guint i = 0; i < e->names->len; i++)
    check_names (e, e->names->pdata[i]);
  for (guint i = 0; i < e->fields->len; i++)
    check_field (e, e->fields->pdata[i]);
  return true;
}

const char *
stats_expression_problem (const StatsExpression *e)
{
  return e->problem;
}

/* ---- running --------------------------------------------------------------------------------------------------------- */

/* A value as a number; a field that the event does not have is NaN. */
static double
expression_run_named (const StatsExpression *e, const Field *f, const TraceEvent *event)
{
  int at = event->kind < e->n_kinds ? f->of_kind[event->kind] : -1;
  TraceValue v = at >= 0 ? trace_value (event, (uint32_t) at) : (TraceValue){ .kind = TRACE_VALUE_NONE };

  if (!f->texts)
    return v.kind == TRACE_VALUE_INT     ? (double) v.i
           : v.kind == TRACE_VALUE_TASK  ? (v.i >= 0 && v.i != TRACE_NONE ? (double) v.i : NAN)
           : v.kind == TRACE_VALUE_REAL  ? v.real
           : v.kind == TRACE_VALUE_TASKS ? v.n_tasks
                                         : NAN;
  for (guint i = 0; i < f->texts->len; i++)
    if ((v.kind == TRACE_VALUE_TEXT && expression_run_same (v.text, f->texts->pdata[i]))
        || (v.kind == TRACE_VALUE_TASK && v.i >= 0
            && stats_expression_goes_by (e, SYMBOL_TASK, (uint32_t) v.i, f->texts->pdata[i])))
      return 1;
  return 0;
}

static inline double
in_list (const GArray *list, double x)
{
  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, double, i) == x)
      return 1;
  return 0;
}

static inline bool
has (const StatsExpression *e, const Code *c, const uint8_t *p)
{
  uint16_t kind = ((const TraceEvent *) p)->kind;

  return kind < e->n_kinds && e->has[kind] >> c->role & 1;
}

/* What an attribute changed to, or from, as a number. */
static inline double
changed_number (const StatsExpression *e, const StateChange *c, int64_t value)
{
  const StateModel *m = e->graph ? e->graph->model : NULL;

  return m && c->attribute < m->n_attributes && m->attributes[c->attribute].kind == STATE_REAL ? state_real (value)
                                                                                               : (double) value;
}

/* An index of a value of an attribute; NaN: it has no name. */
static inline double
state_index (const StatsExpression *e, const StateChange *c, int64_t value)
{
  return c->attribute < e->n_attributes && (uint64_t) value <= UINT16_MAX
             ? (double) (value * e->n_attributes + c->attribute)
             : NAN;
}

#define AT(type) (*(const type *) (const void *) (p + c->offset))
#define TWO(value)                                                                                                     \
  x = top[-1], y = *top, top--, *top = (value);                                                                        \
  break
#define ONE(value)                                                                                                     \
  x = *top, *top = (value);                                                                                            \
  break
#define PUSH(value)                                                                                                    \
  *++top = (value);                                                                                                    \
  break

/* What is compared with nothing (NaN) is false, != too. */
static inline double
expression_run_evaluate (StatsExpression *e, const Code *code, const uint8_t *p)
{
  double stack[STACK + 1], *top = stack, x, y;

  for (const Code *c = code;; c++)
    switch ((Op) c->op) {
    case OP_CONST:
      PUSH (c->k);
    case OP_F64:
      PUSH (AT (double));
    case OP_I64:
      PUSH ((double) AT (int64_t));
    case OP_NUMBER:
      PUSH ((double) AT (int64_t) + 1);
    case OP_DATE:
      PUSH (AT (int64_t) == INT64_MIN ? NAN : (double) AT (int64_t) / e->ticks);
    case OP_I32:
      PUSH (AT (int32_t));
    case OP_U32:
      PUSH (AT (uint32_t) == TRACE_NONE ? NAN : AT (uint32_t));
    case OP_U16:
      PUSH (AT (uint16_t));
    case OP_SCOPE:
      PUSH (((const StateChange *) (const void *) p)->scope);
    case OP_ATTRIBUTE:
      PUSH (((const StateChange *) (const void *) p)->attribute);
    case OP_FLAG:
      PUSH ((AT (uint8_t) & (uint8_t) c->k) != 0);
    case OP_HAS_I64:
      PUSH (has (e, c, p) ? (double) AT (int64_t) : NAN);
    case OP_HAS_VALUE:
      PUSH (!has (e, c, p)                                                ? NAN
            : ((const TraceEvent *) (const void *) p)->flags & TRACE_REAL ? AT (double)
                                                                          : (double) AT (int64_t));
    case OP_HAS_I32:
      PUSH (has (e, c, p) ? AT (int32_t) : NAN);
    case OP_HAS_U32:
      PUSH (has (e, c, p) && AT (uint32_t) != TRACE_NONE ? AT (uint32_t) : NAN);
    case OP_DURATION:
      PUSH (TRACE_HAS_DURATION ((const TraceEvent *) (const void *) p) ? (double) AT (int64_t) / e->ticks : NAN);
    case OP_DATUM:
      PUSH (stats_datum_number ((const StatsDatum *) (const void *) p));
    case OP_EVENT:
      PUSH (((const TraceEvent *) (const void *) p)->kind * 2
            + (((const TraceEvent *) (const void *) p)->flags & TRACE_END));
    case OP_CHANGED:
      PUSH (changed_number (e, (const StateChange *) (const void *) p, AT (int64_t)));
    case OP_STATE:
      PUSH (state_index (e, (const StateChange *) (const void *) p, AT (int64_t)));
    case OP_NODE: /* links have numbers of their own */
      PUSH (((const StateChange *) (const void *) p)->scope == STATE_NODE ? AT (uint32_t) : NAN);
    case OP_NAMED:
    case OP_NAMED_TEXT:
      PUSH (e->source ? expression_run_named (e, e->fields->pdata[c->to], (const TraceEvent *) (const void *) p) : NAN);
    case OP_SYMBOL: {
      Names *n = e->names->pdata[c->to];
      uint32_t i = *top >= 0 ? (uint32_t) *top : TRACE_NONE;
      uint8_t answer = i < n->n_answers ? n->answer[i] : 0;
      *top = answer ? answer == 2 : i != TRACE_NONE && expression_run_look_up (e, n, i);
      break;
    }
    case OP_ADD:
      TWO (x + y);
    case OP_SUB:
      TWO (x - y);
    case OP_MUL:
      TWO (x * y);
    case OP_DIV:
      TWO (x / y);
    case OP_MOD:
      TWO (fmod (x, y));
    case OP_MIN:
      TWO (fmin (x, y));
    case OP_MAX:
      TWO (fmax (x, y));
    case OP_LT:
      TWO (x < y);
    case OP_LE:
      TWO (x <= y);
    case OP_GT:
      TWO (x > y);
    case OP_GE:
      TWO (x >= y);
    case OP_EQ:
      TWO (x == y);
    case OP_NE:
      TWO (x < y || x > y);
    case OP_NEG:
      ONE (-x);
    case OP_ABS:
      ONE (fabs (x));
    case OP_SQRT:
      ONE (sqrt (x));
    case OP_FLOOR:
      ONE (floor (x));
    case OP_NOT:
      ONE (!(x != 0));
    case OP_NONE:
      ONE (isnan (x));
    case OP_LT_K:
      ONE (x < c->k);
    case OP_LE_K:
      ONE (x <= c->k);
    case OP_GT_K:
      ONE (x > c->k);
    case OP_GE_K:
      ONE (x >= c->k);
    case OP_EQ_K:
      ONE (x == c->k);
    case OP_NE_K:
      ONE (x < c->k || x > c->k);
    case OP_IN:
      ONE (in_list (e->lists->pdata[c->to], x));
    case OP_IF_NOT:
      if (!(*top-- != 0))
        c = code + c->to - 1;
      break;
    case OP_AND:
      if (*top != 0)
        top--;
      else
        c = code + c->to - 1;
      break;
    case OP_OR:
      if (*top != 0)
        c = code + c->to - 1;
      else
        top--;
      break;
    case OP_JUMP:
      c = code + c->to - 1;
      break;
    case OP_END:
      return *top;
    }
}

/* Offset of the number of the source in data of the type; -1: has none. */
static int
source_offset (const EveType *t)
{
  return t == &trace_type_event     ? (int) offsetof (TraceEvent, source)
         : state_is_change (t)      ? (int) offsetof (StateChange, source)
         : t == &state_type_message ? (int) offsetof (StateMessage, source)
         : t == &stats_type_datum   ? (int) offsetof (StatsDatum, source)
                                    : -1;
}

static inline uint16_t
source_at (const uint8_t *p)
{
  uint16_t number;

  memcpy (&number, p, sizeof number);
  return number;
}

double
stats_expression_value (StatsExpression *e, const void *datum)
{
  int at = source_offset (e->type);
  const uint8_t *p = datum;

  if (at >= 0 && (!e->source || source_at (p + at) != e->number))
    expression_run_bind (e, source_at (p + at));
  return expression_run_evaluate (e, (const Code *) (const void *) e->code->data, p);
}

uint32_t
stats_expression_select (StatsExpression *e, const void *data, uint32_t n, uint8_t *pass)
{
  int at = source_offset (e->type);
  const uint8_t *p = data;
  const Code *code = (const Code *) (const void *) e->code->data;
  uint32_t size = e->type->size, n_pass = 0;

  for (uint32_t i = 0; i < n; i++, p += size) {
    if (at >= 0 && G_UNLIKELY (!e->source || source_at (p + at) != e->number))
      expression_run_bind (e, source_at (p + at));
    double v = expression_run_evaluate (e, code, p);
    n_pass += pass[i] = v != 0 && v == v;
  }
  return n_pass;
}
