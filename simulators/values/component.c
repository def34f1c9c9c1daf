/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - a simulator of what running programs tell of themselves: each thing with its value, and what follows
 * from values: most, shares, rates, how full a hash table is, what was changed when.  README.md says what each is. */
#include <math.h>
#include "readers/values.h"
#include "eve/words.h"
#include "simulators/store.h"

enum { DECLARED, ACTIVE, SILENT, KILLED, COLLECTED, ENDED, STOPPED, N_STATES };
static const StateValue node_states[N_STATES] = {
  [DECLARED] = { "Declared", STATE_SENSE_REST, .doc = N_ ("it has no value yet") },
  [ACTIVE] = { "Active", STATE_SENSE_WORKS, .doc = N_ ("it is observed") },
  [SILENT] = { "Silent", STATE_SENSE_WAITS, .doc = N_ ("nothing comes from the program") },
  [KILLED] = { "Killed", STATE_SENSE_GONE, 15, .doc = "the program observes it no more" },
  [COLLECTED] = { "Collected", STATE_SENSE_GONE, 19, .doc = "the value is no more" },
  [ENDED] = { "Ended", STATE_SENSE_GONE, .doc = N_ ("the connection is closed") },
  [STOPPED] = { "Stopped", STATE_SENSE_WAITS, .doc = N_ ("it is not sent, for somebody has said so") },
};
static const StateValue booleans[] = { { "", 0 }, { "false", 0 }, { "true", 0 } };

enum {
  GRAPH_CLOCK,
  NODE_CLOCK,
  NODE_NAME,
  NODE_NICKNAME,
  NODE_TYPE,
  NODE_PROGRAM,
  NODE_STATE,
  NODE_VALUE,
  NODE_COUNT,
  NODE_TIME,
  NODE_TIME_SHARE,
  NODE_INTEGER,
  NODE_FLOAT,
  NODE_BOOLEAN,
  NODE_STRING,
  NODE_LIVING,
  NODE_MAX_LIVING,
  NODE_MAX_LIVING_AT,
  NODE_SIZE,
  NODE_MAX_SIZE,
  NODE_MAX_SIZE_AT,
  NODE_SIZE_SHARE,
  NODE_ELEMENTS,
  NODE_EMPTY,
  NODE_ARRAY,
  NODE_FILLING,
  NODE_LONGEST,
  NODE_MEAN_BUCKET,
  NODE_TREE,
  NODE_TREE_NODES,
  NODE_TREE_PLACE,
  NODE_LINES,
  NODE_LAST_LINE,
  NODE_CPU,
  NODE_HEAP_TOTAL,
  NODE_HEAP_MOST,
  NODE_HEAP_MOST_AT,
  NODE_HEAP_ALIVE,
  NODE_RATE,
  NODE_CHANGES,
  NODE_LAST_CHANGE,
  EDGE_CLOCK,
  EDGE_NAME,
  N_ATTRIBUTES
};

/* What no attribute shows, but what comes next depends on. */
typedef struct Hidden {
  int64_t had;        /* bits: variables that have a value */
  int64_t text, line; /* places of the last text or tree, of the last line */
  int64_t base_date, date;
  int64_t base, value; /* of what the rate is of, bits of doubles: before and at `date` */
} Hidden;
#define N_HIDDEN (sizeof (Hidden) / sizeof (int64_t))

typedef struct Node {
  StoreNode node;
  int64_t spent[N_STATES];
  uint8_t state, boolean;
  int64_t count, integer, living, max_living, size, max_size, elements, empty, array, longest, tree_nodes, tree_place,
      lines;
  int64_t heap_total, heap_most, heap_alive, changes;
  double time, time_share, real, size_share, filling, mean_bucket, cpu, rate, last_change;
  double max_living_at, max_size_at, heap_most_at;
  Hidden hidden;
} Node;
typedef struct Edge {
  StoreEdge edge;
} Edge;

#define NODE STATE_NODE
#define INT_(name_, member_, ...)                                                                                      \
  {                                                                                                                    \
    name_, NODE, STATE_INT, STORE_AT (Node, member_), __VA_ARGS__                                                      \
  }
#define REAL_(name_, member_, ...)                                                                                     \
  {                                                                                                                    \
    name_, NODE, STATE_REAL, STORE_AT (Node, member_), __VA_ARGS__                                                     \
  }
#define TEXT_(name_, ...)                                                                                              \
  {                                                                                                                    \
    name_, NODE, STATE_TEXT, __VA_ARGS__                                                                               \
  }
static const StateAttribute attributes[N_ATTRIBUTES] = {
  [GRAPH_CLOCK] = { "Clock", STATE_GRAPH, STATE_DATE, .doc = "Date of the last event." },
  [NODE_CLOCK] = { "Clock", NODE, STATE_DATE, STORE_AT (Node, node), .doc = "Date of its last change." },
  [NODE_NAME] = TEXT_ ("Name", .role = STATE_ROLE_NAME, .doc = "As the program calls it."),
  [NODE_NICKNAME] = TEXT_ ("Nickname", .role = STATE_ROLE_LABEL, .doc = "What people call it."),
  [NODE_TYPE] = TEXT_ ("Type", .doc = "What it is: Point, Time, Integer, Tag, Tree ..."),
  [NODE_PROGRAM] = TEXT_ ("Program", .role = STATE_ROLE_PLACE, .doc = "The program it belongs to."),
  [NODE_STATE] = { "State", NODE, STATE_ENUM, STORE_AT (Node, state), STATE_VALUES (node_states),
                   .doc = "Whether it is observed; of a program, whether data come." },
  [NODE_VALUE] = TEXT_ ("Value", .doc = "Its value, whatever it is."),
  [NODE_COUNT] = INT_ ("Count", count, .doc = "How often the point was passed."),
  [NODE_TIME] = REAL_ ("Time", time, .unit = "s", .doc = "Time spent there."),
  [NODE_TIME_SHARE] = REAL_ (
      "TimeShare", time_share, .unit = "%",
      .doc = "Share of the program’s processor time; above 100 of what is measured on the wall."),
  [NODE_INTEGER] = INT_ ("Integer", integer, .doc = "The value of a whole number."),
  [NODE_FLOAT] = REAL_ ("Float", real, .doc = "The value of a real number."),
  [NODE_BOOLEAN] = { "Boolean", NODE, STATE_ENUM, STORE_AT (Node, boolean), .values = booleans,
                     .n_values = G_N_ELEMENTS (booleans), .doc = "True or false." },
  [NODE_STRING] = TEXT_ ("String", .doc = "The value of a text."),
  [NODE_LIVING] = INT_ ("Living", living, .doc = "Marked values that live."),
  [NODE_MAX_LIVING] = INT_ ("MaxLiving", max_living, .doc = "The most of them so far."),
  [NODE_MAX_LIVING_AT] = REAL_ ("MaxLivingAt", max_living_at, .unit = "s", .doc = "When they were that many first."),
  [NODE_SIZE] = INT_ ("Size", size, .unit = "B", .doc = "Bytes that the marked values reach."),
  [NODE_MAX_SIZE] = INT_ ("MaxSize", max_size, .unit = "B", .doc = "The most of them so far."),
  [NODE_MAX_SIZE_AT] = REAL_ ("MaxSizeAt", max_size_at, .unit = "s", .doc = "When they were that many first."),
  [NODE_SIZE_SHARE] = REAL_ ("SizeShare", size_share, .unit = "%", .doc = "Share of the program’s heap."),
  [NODE_ELEMENTS] = INT_ ("Elements", elements, .doc = "Elements of the hash table."),
  [NODE_EMPTY] = INT_ ("EmptyBuckets", empty, .doc = "Its empty buckets."),
  [NODE_ARRAY] = INT_ ("ArraySize", array, .doc = "All its buckets."),
  [NODE_FILLING] = REAL_ ("FillingRate", filling, .unit = "%", .doc = "Share of its buckets that are not empty."),
  [NODE_LONGEST] = INT_ ("LongestBucket", longest, .doc = "Elements of its longest bucket."),
  [NODE_MEAN_BUCKET] = REAL_ ("MeanBucket", mean_bucket, .doc = "Elements a bucket that is not empty."),
  [NODE_TREE] = TEXT_ ("Tree", .doc = "The tree, in brackets."),
  [NODE_TREE_NODES] = INT_ ("TreeNodes", tree_nodes, .doc = "Nodes of the tree, those that are shared once."),
  [NODE_TREE_PLACE] = INT_ ("TreePlace", tree_place,
                            .doc = "Where in the trace it lies, for who draws it; 0: nowhere."),
  [NODE_LINES] = INT_ ("Lines", lines, .doc = "Lines of the log so far."),
  [NODE_LAST_LINE] = TEXT_ ("LastLine", .doc = "The last of them."),
  [NODE_CPU] = REAL_ ("ProcessorTime", cpu, .unit = "s", .doc = "Of the program."),
  [NODE_HEAP_TOTAL] = INT_ ("HeapTotal", heap_total, .unit = "B", .doc = "Of the program."),
  [NODE_HEAP_MOST] = INT_ ("HeapMax", heap_most, .unit = "B", .doc = "The most so far."),
  [NODE_HEAP_MOST_AT] = REAL_ ("HeapMaxAt", heap_most_at, .unit = "s", .doc = "When it was that large first."),
  [NODE_HEAP_ALIVE] = INT_ ("HeapAlive", heap_alive, .unit = "B", .doc = "Bytes of it that live."),
  [NODE_RATE] = REAL_ ("Rate", rate, .unit = "1/s", .doc = "How fast its number grows: since its value before."),
  [NODE_CHANGES] = INT_ ("Changes", changes, .doc = "How often its value became another one."),
  [NODE_LAST_CHANGE] = REAL_ ("LastChange", last_change, .unit = "s", .doc = "When it last did; nothing: never."),
  [EDGE_CLOCK] = { "Clock", STATE_EDGE, STATE_DATE, STORE_AT (Edge, edge), .doc = "Date of its last change." },
  [EDGE_NAME] = { "Name", STATE_EDGE, STATE_TEXT, .role = STATE_ROLE_NAME, .doc = "Which two it joins." },
};

/* The attribute of a variable: one of whole numbers, one of real ones; of the other sort it is an Integer or a Float.
 */
static const uint8_t attribute_of[N_VALUE_VARIABLES] = {
  [VAR_COUNT] = NODE_COUNT,
  [VAR_TIME] = NODE_TIME,
  [VAR_INTEGER] = NODE_INTEGER,
  [VAR_FLOAT] = NODE_FLOAT,
  [VAR_BOOLEAN] = NODE_BOOLEAN,
  [VAR_STRING] = NODE_STRING,
  [VAR_TAG_COUNT] = NODE_LIVING,
  [VAR_TAG_SIZE] = NODE_SIZE,
  [VAR_ARRAY] = NODE_ARRAY,
  [VAR_ELEMENTS] = NODE_ELEMENTS,
  [VAR_EMPTY] = NODE_EMPTY,
  [VAR_LONGEST] = NODE_LONGEST,
  [VAR_TREE] = NODE_TREE,
  [VAR_LOG] = NODE_LAST_LINE,
  [VAR_CPU] = NODE_CPU,
  [VAR_HEAP_TOTAL] = NODE_HEAP_TOTAL,
  [VAR_HEAP_ALIVE] = NODE_HEAP_ALIVE,
  [VAR_SPECIAL] = NODE_INTEGER,
};

static bool has_value (const StateGraph *g, uint32_t attribute, uint32_t object);
static void values_put_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to);

static const StoreLayout layout = {
  .model = "Values",
  .has = has_value,
  .text = values_put_text,
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .node = { sizeof (Node), .spent = offsetof (Node, spent), .n_spent = N_STATES },
  .edge = { sizeof (Edge) },
};

#define MOST_SHARES                                                                                                    \
  1024 /* things whose share follows at once when the whole changes: of others with their own value                    \
        */

typedef struct Values {
  Store store;
  GArray *times, *sizes; /* of uint32_t, in order: nodes that have a time, a size */
} Values;

typedef struct Simulator {
  EveBase base;
  Values *model;
} Simulator;

static void values_component_step (Values *p, const TraceEvent *e);

static void
values_component_reset (Values *p)
{
  store_reset (&p->store);
  g_array_set_size (p->times, 0);
  g_array_set_size (p->sizes, 0);
}

static void
values_component_free (Values *p)
{
  store_clear (&p->store);
  g_array_unref (p->times);
  g_array_unref (p->sizes);
  g_free (p);
}

static Node *
values_component_node_at (const Store *s, uint32_t node)
{
  return store_node_at (s, node);
}

static void
values_component_save (const Values *p, EveBlob *to)
{
  store_save (&p->store, to);
  for (uint32_t i = 0; i < p->store.graph.n_nodes; i++)
    eve_put_ints (to, (const int64_t *) (const void *) &values_component_node_at (&p->store, i)->hidden, N_HIDDEN);
}

static bool
values_component_load (Values *p, EveBlobView *from)
{
  if (!store_load (&p->store, from))
    return false;
  for (uint32_t i = 0; i < p->store.graph.n_nodes; i++)
    if (eve_get_ints (from, (int64_t *) (void *) &values_component_node_at (&p->store, i)->hidden, N_HIDDEN) != N_HIDDEN
        || !eve_get_ok (from))
      return false;
  for (uint32_t i = 0; i < p->store.graph.n_nodes; i++) {
    if (values_component_node_at (&p->store, i)->hidden.had & 1 << VAR_TIME)
      g_array_append_val (p->times, i);
    if (values_component_node_at (&p->store, i)->hidden.had & 1 << VAR_TAG_SIZE)
      g_array_append_val (p->sizes, i);
  }
  store_find_source (&p->store);
  return true;
}

#define MODEL Values
#define MODEL_CALL(verb) values_component_##verb
#define MODEL_STATE NODE_STATE
#define SIMULATOR_FIRES
#include "simulators/component.h"

/* ---- what is shown ------------------------------------------------------------------------------------------------------------ */

/* The variables, as bits, of which one must have come for an attribute to be there: those that it is of, or follows
 * from.  0: it always is. */
static const uint32_t comes_of[N_ATTRIBUTES] = {
  [NODE_COUNT] = 1 << VAR_COUNT,
  [NODE_TIME] = 1 << VAR_TIME,
  [NODE_INTEGER] = 1 << VAR_INTEGER | 1 << VAR_SPECIAL,
  [NODE_FLOAT] = 1 << VAR_FLOAT,
  [NODE_BOOLEAN] = 1 << VAR_BOOLEAN,
  [NODE_STRING] = 1 << VAR_STRING,
  [NODE_LIVING] = 1 << VAR_TAG_COUNT,
  [NODE_MAX_LIVING] = 1 << VAR_TAG_COUNT,
  [NODE_SIZE] = 1 << VAR_TAG_SIZE,
  [NODE_MAX_SIZE] = 1 << VAR_TAG_SIZE,
  [NODE_ARRAY] = 1 << VAR_ARRAY,
  [NODE_ELEMENTS] = 1 << VAR_ELEMENTS,
  [NODE_EMPTY] = 1 << VAR_EMPTY,
  [NODE_LONGEST] = 1 << VAR_LONGEST,
  [NODE_TREE] = 1 << VAR_TREE,
  [NODE_TREE_NODES] = 1 << VAR_TREE,
  [NODE_TREE_PLACE] = 1 << VAR_TREE,
  [NODE_LINES] = 1 << VAR_LOG,
  [NODE_LAST_LINE] = 1 << VAR_LOG,
  [NODE_CPU] = 1 << VAR_CPU,
  [NODE_HEAP_TOTAL] = 1 << VAR_HEAP_TOTAL,
  [NODE_HEAP_MOST] = 1 << VAR_HEAP_TOTAL,
  [NODE_HEAP_ALIVE] = 1 << VAR_HEAP_ALIVE,
};

static bool
has_value (const StateGraph *g, uint32_t attribute, uint32_t object)
{
  uint32_t of = comes_of[attribute];

  return of == 0 || (values_component_node_at ((const Store *) g, object)->hidden.had & of) != 0;
}

static const TraceTask *
values_component_task_of (const Store *s, uint32_t node)
{
  const TraceSource *source = trace_source (s->graph.source);

  return source ? trace_task (source, values_component_node_at (s, node)->node.task) : NULL;
}

static void
values_component_put_string (const Store *s, int64_t ref, size_t skip, GString *to)
{
  const TraceSource *source = trace_source (s->graph.source);
  size_t n;
  g_autofree char *bytes = source && ref > 0 ? values_bytes_at (source, ref, &n) : NULL;

  if (!bytes || n < skip)
    return;
  g_autofree char *valid = g_utf8_make_valid (bytes + skip, (gssize) MIN (n - skip, 4096));
  g_string_append (to, valid);
}

/* By an event like the one that brought the tree, which its source knows how to show. */
static void
values_component_put_tree (const Store *s, int64_t ref, GString *to)
{
  const TraceEvent e = { .kind = VALUE_TREE_IS, .size = ref, .source = s->graph.source };
  TraceValue v = ref > 0 ? trace_value (&e, 0) : (TraceValue){ .kind = TRACE_VALUE_NONE };

  if (v.kind == TRACE_VALUE_TEXT)
    g_string_append (to, v.text);
}

static void
values_component_put_number (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const char *unit = attributes[attribute].unit;

  state_text (g, attribute, object, g->clock, to);
  if (unit)
    g_string_append_printf (to, " %s", unit);
}

static void
values_component_put_value (const StateGraph *g, uint32_t object, GString *to)
{
  const Store *s = (const Store *) g;
  const Hidden *h = &values_component_node_at (s, object)->hidden;

  if (h->had & 1 << VAR_TREE)
    g_string_append_printf (to, _ ("%" PRId64 " nodes"), values_component_node_at (s, object)->tree_nodes);
  else if (h->had & 1 << VAR_STRING)
    values_component_put_string (s, h->text, 0, to);
  else if (h->had & 1 << VAR_LOG)
    values_component_put_string (s, h->line, 8, to);
  else if (h->had & 1 << VAR_ELEMENTS)
    g_string_append_printf (to, _ ("%" PRId64 " elements"), values_component_node_at (s, object)->elements);
  else if (h->had & 1 << VAR_TAG_COUNT && h->had & 1 << VAR_TAG_SIZE) {
    values_component_put_number (g, NODE_LIVING, object, to);
    g_string_append (to, ", ");
    values_component_put_number (g, NODE_SIZE, object, to);
  } else
    for (uint32_t v = 0; v < N_VALUE_VARIABLES; v++)
      if (h->had & 1 << v) {
        values_component_put_number (g, attribute_of[v], object, to);
        break;
      }
}

static void
values_put_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Store *s = (const Store *) g;
  const TraceTask *t = attributes[attribute].scope == NODE ? values_component_task_of (s, object) : NULL;
  const TraceSource *source = trace_source (g->source);

  switch (attribute) {
  case NODE_TYPE:
    if (t && t->type < source->types->len)
      g_string_append (to, ((const TraceType *) source->types->pdata[t->type])->name);
    break;
  case NODE_PROGRAM:
    if (t && t->parent != TRACE_NONE)
      g_string_append (to, trace_task_name (source, t->parent));
    break;
  case NODE_VALUE:
    values_component_put_value (g, object, to);
    break;
  case NODE_STRING:
    if (values_component_node_at (s, object)->hidden.had & 1 << VAR_STRING)
      values_component_put_string (s, values_component_node_at (s, object)->hidden.text, 0, to);
    break;
  case NODE_TREE:
    if (values_component_node_at (s, object)->hidden.had & 1 << VAR_TREE)
      values_component_put_tree (s, values_component_node_at (s, object)->hidden.text, to);
    break;
  case NODE_LAST_LINE:
    values_component_put_string (s, values_component_node_at (s, object)->hidden.line, 8, to);
    break;
  default:
    store_text (g, attribute, object, to);
  }
}

/* ---- what follows from a value ---------------------------------------------------------------------------------------------- */

static double
values_component_share (double part, double whole)
{
  return whole > 0 ? 100 * part / whole : NAN;
}

/* It has a time, or a size, from now on. */
static void
add_sharing (GArray *to, uint32_t node)
{
  guint at = to->len;

  while (at > 0 && g_array_index (to, uint32_t, at - 1) > node)
    at--;
  g_array_insert_val (to, at, node);
}

/* Of each thing of a program, the share that it has of what the program has. */
static void
set_shares (Store *s, uint32_t program, uint32_t attribute)
{
  uint32_t task = values_component_node_at (s, program)->node.task;
  bool time = attribute == NODE_TIME_SHARE;
  const GArray *of = time ? ((const Values *) s)->times : ((const Values *) s)->sizes;

  for (guint k = 0; k < MIN (of->len, MOST_SHARES); k++) {
    uint32_t i = g_array_index (of, uint32_t, k);
    const Node *n = values_component_node_at (s, i);
    const TraceTask *t = values_component_task_of (s, i);
    if (t && t->parent == task)
      store_set_real (
          s, attribute, i,
          time ? values_component_share (n->time, values_component_node_at (s, program)->cpu)
               : values_component_share ((double) n->size, (double) values_component_node_at (s, program)->heap_total));
  }
}

/* NONE: it is inside of none. */
static uint32_t
values_component_program_of (const Store *s, uint32_t node)
{
  const TraceTask *t = values_component_task_of (s, node);

  return t && t->parent != TRACE_NONE ? store_find_node (s, t->parent) : NONE;
}

/* The date of it is the attribute behind it. */
static void
set_most (Store *s, uint32_t node, uint32_t most, int64_t value, bool first)
{
  if (!first && value <= store_get (s, most, node))
    return;
  store_set (s, most, node, value);
  store_set_real (s, most + 1, node, (double) s->now / TRACE_TICKS);
}

static void
set_hash (Store *s, uint32_t node)
{
  const Node *n = values_component_node_at (s, node);
  double full = (double) n->array - (double) n->empty;

  store_set_real (s, NODE_FILLING, node, values_component_share (full, (double) n->array));
  store_set_real (s, NODE_MEAN_BUCKET, node, full > 0 ? (double) n->elements / full : 0);
}

/* Since the value before: at one date there may be several, of which the last counts. */
static void
set_rate (Store *s, uint32_t node, double value)
{
  Hidden *h = &values_component_node_at (s, node)->hidden;

  if (h->date < s->now || h->date == 0) {
    h->base = h->value;
    h->base_date = h->date;
  }
  h->value = state_real_bits (value);
  h->date = MAX (s->now, 1);
  if (h->base_date > 0)
    store_set_real (s, NODE_RATE, node,
                    (value - state_real (h->base)) / ((double) (h->date - h->base_date) / TRACE_TICKS));
}

static void
values_component_follow (Store *s, uint32_t node, uint32_t variable, bool first)
{
  const Node *n = values_component_node_at (s, node);
  uint32_t program = variable == VAR_TIME || variable == VAR_TAG_SIZE ? values_component_program_of (s, node) : NONE;

  switch (variable) {
  case VAR_TIME:
    if (program != NONE)
      store_set_real (s, NODE_TIME_SHARE, node,
                      values_component_share (n->time, values_component_node_at (s, program)->cpu));
    break;
  case VAR_TAG_COUNT:
    set_most (s, node, NODE_MAX_LIVING, n->living, first);
    break;
  case VAR_TAG_SIZE:
    set_most (s, node, NODE_MAX_SIZE, n->size, first);
    if (program != NONE)
      store_set_real (
          s, NODE_SIZE_SHARE, node,
          values_component_share ((double) n->size, (double) values_component_node_at (s, program)->heap_total));
    break;
  case VAR_ARRAY:
  case VAR_ELEMENTS:
  case VAR_EMPTY:
    set_hash (s, node);
    break;
  case VAR_CPU:
    set_shares (s, node, NODE_TIME_SHARE);
    break;
  case VAR_HEAP_TOTAL:
    set_most (s, node, NODE_HEAP_MOST, n->heap_total, first);
    set_shares (s, node, NODE_SIZE_SHARE);
    break;
  default:
    break;
  }
}

/* ---- values -------------------------------------------------------------------------------------------------------------------- */

static void
note_change (Store *s, uint32_t node)
{
  store_add (s, NODE_CHANGES, node, 1);
  store_set_real (s, NODE_LAST_CHANGE, node, (double) s->now / TRACE_TICKS);
}

static bool
has_rate (uint32_t variable)
{
  return variable != VAR_BOOLEAN && variable != VAR_ARRAY && variable != VAR_EMPTY && variable != VAR_LONGEST
         && variable != VAR_CPU && variable != VAR_HEAP_ALIVE && variable != VAR_TAG_COUNT;
}

/* Of a tag that has a size the rate is that of the size. */
static void
values_component_set_number (Store *s, uint32_t node, const TraceEvent *e)
{
  bool real = e->flags & TRACE_REAL;
  uint32_t variable = values_variable (e) < N_VALUE_VARIABLES ? values_variable (e) : VAR_SPECIAL;
  StateKind kind = attributes[attribute_of[variable]].kind;

  if ((kind == STATE_REAL) != real || kind == STATE_TEXT)
    variable = real ? VAR_FLOAT : VAR_INTEGER;
  uint32_t attribute = attribute_of[variable];
  Hidden *h = &values_component_node_at (s, node)->hidden;
  bool first = !(h->had & 1 << variable);
  int64_t bits = variable == VAR_BOOLEAN ? (e->size != 0) + 1 : e->size; /* of a real one, its bits */
  if (real && isnan (e->real))
    bits |= STATE_TOLD_NAN;
  bool changed = store_get (s, attribute, node) != bits;

  h->had |= 1 << variable;
  if (first && variable == VAR_TIME)
    add_sharing (((Values *) s)->times, node);
  else if (first && variable == VAR_TAG_SIZE)
    add_sharing (((Values *) s)->sizes, node);
  if (changed)
    store_set (s, attribute, node, bits);
  else if (first) /* whoever draws it begins here, though it is what nothing is */
    store_changed (s, NODE, node, attribute, bits, bits);
  if (changed && !first)
    note_change (s, node);
  if (changed || first || variable == VAR_TIME)
    values_component_follow (s, node, variable, first);
  if (has_rate (variable) || (variable == VAR_TAG_COUNT && !(h->had & 1 << VAR_TAG_SIZE)))
    set_rate (s, node, real ? e->real : (double) e->size);
}

static uint32_t
tree_nodes (const TraceEvent *e)
{
  size_t n;
  g_autofree uint8_t *bytes = values_bytes (e, &n);

  return n >= 2 ? bytes[0] | (uint32_t) bytes[1] << 8 : 0;
}

static void
values_component_set_text (Store *s, uint32_t node, const TraceEvent *e)
{
  bool tree = e->kind == VALUE_TREE_IS;
  Hidden *h = &values_component_node_at (s, node)->hidden;
  bool first = h->text == 0;

  h->had |= tree ? 1 << VAR_TREE : 1 << VAR_STRING;
  h->had &= tree ? ~(1 << VAR_STRING) : ~(1 << VAR_TREE);
  if (h->text == e->size)
    return;
  store_changed (s, NODE, node, tree ? NODE_TREE : NODE_STRING, h->text, e->size);
  h->text = e->size;
  if (tree) {
    store_set (s, NODE_TREE_NODES, node, tree_nodes (e));
    store_set (s, NODE_TREE_PLACE, node, e->size);
  }
  if (!first)
    note_change (s, node);
}

static void
values_component_add_line (Store *s, uint32_t node, const TraceEvent *e)
{
  Hidden *h = &values_component_node_at (s, node)->hidden;

  h->had |= 1 << VAR_LOG;
  store_changed (s, NODE, node, NODE_LAST_LINE, h->line, e->size);
  h->line = e->size;
  store_add (s, NODE_LINES, node, 1);
  note_change (s, node);
}

/* What was killed or collected stays so, whatever comes of it. */
static void
values_component_set_state (Store *s, uint32_t node, uint32_t state)
{
  uint32_t now = values_component_node_at (s, node)->state;

  if (now != KILLED && now != COLLECTED)
    store_set (s, NODE_STATE, node, state);
}

static void
values_component_step (Values *p, const TraceEvent *e)
{
  Store *s = &p->store;
  const TraceSource *source = trace_source (e->source);

  if (!store_event (s, e))
    return;
  store_clock (s, e);
  if (G_UNLIKELY (!source || source->format->next != values_next)) {
    state_impossible (&s->graph, e, _ ("is of a trace that tells no values of programs; left out"));
    return;
  }
  if (e->task == TRACE_NONE)
    return;
  uint32_t node = store_node (s, e->task, DECLARED);
  switch (e->kind) {
  case VALUE_IS:
    values_component_set_number (s, node, e);
    break;
  case VALUE_TEXT_IS:
  case VALUE_TREE_IS:
    values_component_set_text (s, node, e);
    break;
  case VALUE_LOGGED:
    values_component_add_line (s, node, e);
    break;
  case VALUE_KILLED:
    values_component_set_state (s, node, KILLED);
    return;
  case VALUE_COLLECTED:
    values_component_set_state (s, node, COLLECTED);
    return;
  case VALUE_SILENT:
    values_component_set_state (s, node, SILENT);
    return;
  case VALUE_ENDED:
    values_component_set_state (s, node, ENDED);
    return;
  case VALUE_STOPPED:
    values_component_set_state (s, node, STOPPED);
    return;
  case VALUE_CONNECTED:
  case VALUE_RESUMED:
    break;
  default:
    return;
  }
  /* what was on its way when it was stopped comes all the same */
  if (values_component_node_at (s, node)->state != ACTIVE
      && (values_component_node_at (s, node)->state != STOPPED || e->kind == VALUE_RESUMED))
    values_component_set_state (s, node, ACTIVE);
}

/* ---- the component ------------------------------------------------------------------------------------------------------------ */

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_SYNC, .required = true, .doc = "Events of programs that tell values." },
};
static const char *const provides[] = { "simulator:values", NULL };

static bool
values_simulator_init (EveComponent *c)
{
  Simulator *self = (Simulator *) c;

  self->model = g_new0 (Values, 1);
  self->model->times = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  self->model->sizes = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  store_init (&self->model->store, &layout);
  return true;
}

static const EveClass values_simulator = {
  EVE_CLASS_HEAD,
  .id = "scope.values-simulator",
  .label = "Values simulator",
  .doc = "Tells the value of each thing that a running program shows, and what follows from it.",
  .help =
      "Each thing that the program has declared is a node, with the attributes of its sort: *Count* of points, *Time* "
      "and its share, *Integer*, *Float*, *Boolean*, *String*, *Living* and *Size* of tags with their most so far, "
      "figures of hash tables, trees, lines of a log; memory and processor time of the program itself.  *Rate* says "
      "how fast a number grows, *Changes* and *LastChange* how often and when it became another one.",
  .provides = provides,
  .ins = ins,
  .n_ins = EVE_N (ins),
  .init = values_simulator_init,
  .fire = simulator_fire,
  .fire_span = simulator_fire_span,
  SIMULATOR_CLASS,
};
EVE_PLUGIN (&values_simulator);
