/* SPDX-License-Identifier: Apache-2.0 */
/* expression.c - the compiler of expressions: one pass over the text, by recursive descent, to stack code.
 *
 * A text, or a word that is no field of the data, makes no code by itself: what it is compared with says whether it is
 * the name of a kind, a task, a state, or a field of some kinds of event. */
#include "statistics/expression-private.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

#define MOST_NESTED 64

typedef enum { NUMBER, TRUTH, SYMBOL, TEXT, WORD } NodeType; /* WORD: a text without quotes, or a field by name */
typedef enum { ANY, SECONDS, BYTES, PLAIN } Measure;         /* of a NUMBER; ANY: not known, PLAIN: counts and tags */
typedef struct Node {
  NodeType type;
  Measure measure;
  bool constant; /* NUMBER: one instruction OP_CONST, the last */
  double k;
  Symbol symbol;
  char *text; /* owned by the compiler */
  uint32_t column;
} Node;

typedef struct FieldSpec {
  const char *name;
  NodeType type; /* NUMBER, TRUTH or SYMBOL */
  Op op;
  size_t offset;
  int arg; /* TraceRole, flag or Symbol */
  Measure measure;
} FieldSpec;

typedef struct Compiler {
  StatsExpression *e;
  const char *text, *at;
  const FieldSpec *fields;
  guint n_fields;
  int depth, nested; /* values on the stack; parentheses open */
  char *sentence;    /* the first mistake */
  GStringChunk *words;
} Compiler;

#define EVENT(field) offsetof (TraceEvent, field)
static const FieldSpec event_fields[] = {
  { "date", NUMBER, OP_DATE, EVENT (date), 0, SECONDS },
  { "duration", NUMBER, OP_DURATION, EVENT (duration), 0, SECONDS },
  { "number", NUMBER, OP_NUMBER, EVENT (number), 0, PLAIN },
  { "bytes", NUMBER, OP_HAS_I64, EVENT (size), TRACE_ROLE_SIZE, BYTES },
  { "size", NUMBER, OP_HAS_I64, EVENT (size), TRACE_ROLE_SIZE, BYTES },
  { "amount", NUMBER, OP_HAS_VALUE, EVENT (size), TRACE_ROLE_VALUE },
  { "tag", NUMBER, OP_HAS_I32, EVENT (tag), TRACE_ROLE_TAG, PLAIN },
  { "result", NUMBER, OP_HAS_I32, EVENT (result), TRACE_ROLE_RESULT },
  { "kind", SYMBOL, OP_U16, EVENT (kind), SYMBOL_KIND },
  { "event", SYMBOL, OP_EVENT, 0, SYMBOL_EVENT },
  { "category", SYMBOL, OP_U16, EVENT (kind), SYMBOL_CATEGORY },
  { "task", SYMBOL, OP_U32, EVENT (task), SYMBOL_TASK },
  { "host", SYMBOL, OP_U32, EVENT (task), SYMBOL_HOST },
  { "program", SYMBOL, OP_U32, EVENT (task), SYMBOL_PROGRAM },
  { "peer", SYMBOL, OP_HAS_U32, EVENT (peer), SYMBOL_TASK },
  { "group", SYMBOL, OP_HAS_U32, EVENT (object), SYMBOL_OBJECT },
  { "object", SYMBOL, OP_HAS_U32, EVENT (object), SYMBOL_OBJECT },
  { "end", TRUTH, OP_FLAG, EVENT (flags), TRACE_END },
  { "instant", TRUTH, OP_FLAG, EVENT (flags), TRACE_INSTANT },
  { "unfinished", TRUTH, OP_FLAG, EVENT (flags), TRACE_UNFINISHED },
};
#define CHANGE(field) offsetof (StateChange, field)
static const FieldSpec change_fields[] = {
  { "date", NUMBER, OP_DATE, CHANGE (date), 0, SECONDS },
  { "value", NUMBER, OP_CHANGED, CHANGE (new_value), 0 },
  { "old", NUMBER, OP_CHANGED, CHANGE (old_value), 0 },
  { "number", NUMBER, OP_U32, CHANGE (object), 0, PLAIN },
  { "object", SYMBOL, OP_SCOPE, 0, SYMBOL_SCOPE },
  { "attribute", SYMBOL, OP_ATTRIBUTE, 0, SYMBOL_ATTRIBUTE },
  { "state", SYMBOL, OP_STATE, CHANGE (new_value), SYMBOL_STATE },
  { "was", SYMBOL, OP_STATE, CHANGE (old_value), SYMBOL_STATE },
  { "task", SYMBOL, OP_NODE, CHANGE (object), SYMBOL_TASK },
};
#define MESSAGE(field) offsetof (StateMessage, field)
static const FieldSpec message_fields[] = {
  { "date", NUMBER, OP_DATE, MESSAGE (received), 0, SECONDS },
  { "received", NUMBER, OP_DATE, MESSAGE (received), 0, SECONDS },
  { "sent", NUMBER, OP_DATE, MESSAGE (sent), 0, SECONDS },
  { "bytes", NUMBER, OP_I64, MESSAGE (size), 0, BYTES },
  { "tag", NUMBER, OP_I32, MESSAGE (tag), 0, PLAIN },
  { "from", SYMBOL, OP_U32, MESSAGE (from), SYMBOL_TASK },
  { "to", SYMBOL, OP_U32, MESSAGE (to), SYMBOL_TASK },
};
static const FieldSpec datum_fields[] = {
  { "value", NUMBER, OP_DATUM, 0, 0 },
  { "date", NUMBER, OP_DATE, offsetof (StatsDatum, date), 0, SECONDS },
  { "owner", SYMBOL, OP_U32, offsetof (StatsDatum, owner), SYMBOL_TASK },
};
static const FieldSpec double_fields[] = { { "value", NUMBER, OP_F64, 0, 0 } };
static const FieldSpec int64_fields[] = { { "value", NUMBER, OP_I64, 0, 0 } };
static const FieldSpec bool_fields[] = { { "value", TRUTH, OP_FLAG, 0, 1 } };

static const FieldSpec *
expression_fields_of (const EveType *t, guint *n)
{
#define GIVE(fields) return *n = G_N_ELEMENTS (fields), fields
  if (t == &trace_type_event)
    GIVE (event_fields);
  if (state_is_change (t))
    GIVE (change_fields);
  if (t == &state_type_message)
    GIVE (message_fields);
  if (t == &stats_type_datum)
    GIVE (datum_fields);
  if (t == &eve_type_double)
    GIVE (double_fields);
  if (t == &eve_type_int64)
    GIVE (int64_fields);
  if (t == &eve_type_bool)
    GIVE (bool_fields);
  return *n = 0, NULL;
}

const char *const *
stats_expression_fields (const EveType *type)
{
  static const char *lists[8][G_N_ELEMENTS (event_fields) + 1];
  static const EveType *const types[] = { &trace_type_event, &state_type_change, &state_type_state, &state_type_message,
                                          &stats_type_datum, &eve_type_double,   &eve_type_int64,   &eve_type_bool };

  for (guint k = 0; k < G_N_ELEMENTS (types); k++)
    if (types[k] == type) {
      guint n;
      const FieldSpec *f = expression_fields_of (type, &n);
      for (guint i = 0; i < n; i++)
        lists[k][i] = f[i].name;
      return lists[k];
    }
  return lists[0] + G_N_ELEMENTS (event_fields); /* an empty one */
}

/* ---- mistakes and code ----------------------------------------------------------------------------------------------- */

/* Columns count characters, from 1. */
static uint32_t
column (const Compiler *c, const char *at)
{
  return (uint32_t) g_utf8_strlen (c->text, at - c->text) + 1;
}

G_GNUC_PRINTF (3, 4) static void mistake (Compiler *c, uint32_t at, const char *fmt, ...)
{
  va_list args;

  if (c->sentence)
    return;
  va_start (args, fmt);
  g_autofree char *what = g_strdup_vprintf (fmt, args);
  va_end (args);
  c->sentence = g_strdup_printf (_ ("column %u: %s"), at, what);
}

static Code *
last (Compiler *c)
{
  return &g_array_index (c->e->code, Code, c->e->code->len - 1);
}

static void
expression_put (Compiler *c, Op op, int grows, Code code)
{
  code.op = (uint8_t) op;
  if (c->e->code->len >= MOST_CODE || (c->depth += grows) > STACK)
    mistake (c, column (c, c->at), _ ("the expression is too long; split it over two filters"));
  else
    g_array_append_val (c->e->code, code);
}

/* ---- words ------------------------------------------------------------------------------------------------------------ */

static void
skip_space (Compiler *c)
{
  c->at += strspn (c->at, " \t\r\n");
}

static bool
expression_is_word (char ch)
{
  return g_ascii_isalnum (ch) || ch == '_' || (ch & 0x80);
}

/* The next word is this one; it is passed over. */
static bool
expression_word (Compiler *c, const char *w)
{
  size_t n = strlen (w);

  skip_space (c);
  if (strncmp (c->at, w, n) != 0 || expression_is_word (c->at[n]))
    return false;
  c->at += n;
  return true;
}

static bool
expression_sign (Compiler *c, const char *s)
{
  skip_space (c);
  if (strncmp (c->at, s, strlen (s)) != 0)
    return false;
  c->at += strlen (s);
  return true;
}

static char *
found_here (Compiler *c)
{
  skip_space (c);
  return *c->at ? g_strdup_printf ("“%.*s”", (int) (g_utf8_next_char (c->at) - c->at), c->at)
                : g_strdup (_ ("the end"));
}

static void
expect (Compiler *c, const char *s)
{
  if (!expression_sign (c, s)) {
    g_autofree char *here = found_here (c);
    mistake (c, column (c, c->at), _ ("expected “%s”, found %s"), s, here);
  }
}

/* ---- nodes ------------------------------------------------------------------------------------------------------------ */

static Node expression (Compiler *c);

/* A word that is compared with nothing that would make it a name: a field of some kinds of event. */
static void
need_field (Compiler *c, Node *n, GPtrArray *texts)
{
  if (n->type != WORD)
    return;
  if (c->e->type != &trace_type_event) {
    g_autoptr (GString) names = g_string_new (NULL);
    for (guint i = 0; i < c->n_fields; i++)
      g_string_append_printf (names, "%s%s", i ? ", " : "", c->fields[i].name);
    mistake (c, n->column, _ ("there is no field “%s”; a %s has %s"), n->text, c->e->type->name, names->str);
    return;
  }
  Field *f = g_new0 (Field, 1);
  f->name = g_strdup (n->text);
  f->column = n->column;
  f->texts = texts;
  expression_put (c, texts ? OP_NAMED_TEXT : OP_NAMED, 1, (Code){ .to = (uint16_t) c->e->fields->len });
  g_ptr_array_add (c->e->fields, f);
  n->type = texts ? TRUTH : NUMBER;
}

static void
expression_need (Compiler *c, Node *n, NodeType type, const char *what)
{
  if (type == NUMBER) {
    need_field (c, n, NULL);
    if (n->type == SYMBOL) /* its place in order of appearance */
      n->type = NUMBER;
  } else if (type == TRUTH && n->type == WORD) {
    mistake (c, n->column, _ ("“%s” is not a condition; compare it with something"), n->text);
  }
  if (n->type != type)
    mistake (c, n->column, _ ("%s wants %s here"), what,
             type == NUMBER ? _ ("a number") : _ ("a condition, such as duration > 0.1"));
}

static Node
field (Compiler *c, const FieldSpec *f, uint32_t at)
{
  Node n = { .type = f->type, .measure = f->measure, .column = at };
  Code code = { .offset = (uint32_t) f->offset };

  if (f->type == SYMBOL)
    n.symbol = (Symbol) f->arg;
  if (f->op == OP_HAS_U32)
    code.role = f->arg == SYMBOL_TASK ? TRACE_ROLE_PEER : TRACE_ROLE_OBJECT;
  else if (f->op == OP_HAS_I64 || f->op == OP_HAS_I32 || f->op == OP_HAS_VALUE)
    code.role = (uint8_t) f->arg;
  else if (f->op == OP_FLAG)
    code.k = f->arg;
  expression_put (c, f->op, 1, code);
  return n;
}

static Node
constant (Compiler *c, double k, uint32_t at)
{
  expression_put (c, OP_CONST, 1, (Code){ .k = k });
  return (Node){ .type = NUMBER, .constant = true, .k = k, .column = at };
}

/* Two quotes in the text are one. */
static Node
expression_quoted (Compiler *c, uint32_t at)
{
  char quote = *c->at++;
  g_autoptr (GString) text = g_string_new (NULL);

  for (; *c->at != '\0' && (*c->at != quote || c->at[1] == quote); c->at++) {
    c->at += *c->at == quote;
    g_string_append_c (text, *c->at);
  }
  if (*c->at == '\0')
    mistake (c, at, _ ("the text is not closed: %c is missing"), quote);
  else
    c->at++;
  return (Node){ .type = TEXT, .column = at, .text = g_string_chunk_insert (c->words, text->str) };
}

/* A number, and perhaps a unit after it: everything is in seconds and bytes. */
static Node
expression_number (Compiler *c, uint32_t at)
{
  static const struct {
    const char *unit;
    double factor;
    Measure measure;
  } units[] = {
    { "s", 1, SECONDS },     { "ms", 1e-3, SECONDS },   { "us", 1e-6, SECONDS }, { "µs", 1e-6, SECONDS },
    { "ns", 1e-9, SECONDS }, { "B", 1, BYTES },         { "kB", 1e3, BYTES },    { "KiB", 1024, BYTES },
    { "MB", 1e6, BYTES },    { "MiB", 1048576, BYTES },
  };
  char *end;
  double k = g_ascii_strtod (c->at, &end);

  c->at = end;
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (expression_word (c, units[i].unit)) { /* divided where that is exact: 1 ms is 1 / 1000 */
      Node n = constant (c, units[i].factor < 1 ? k / round (1 / units[i].factor) : k * units[i].factor, at);
      n.measure = units[i].measure;
      return n;
    }
  skip_space (c);
  const char *next = c->at, *after = next;
  if (!expression_is_word (*next) || g_ascii_isdigit (*next) || expression_word (c, "and") || expression_word (c, "or")
      || expression_word (c, "in")) { /* of the words, only these may follow */
    c->at = next;
    return constant (c, k, at);
  }
  while (expression_is_word (*after))
    after++;
  mistake (c, column (c, next), _ ("unknown unit “%.*s”; there are s, ms, us, ns, B, kB, KiB, MB, MiB"),
           (int) (after - next), next);
  return constant (c, 0, at);
}

/* Seconds are not compared with bytes, nor added to them.  Gives what both are of. */
static Measure
same_measure (Compiler *c, const Node *a, const Node *b, uint32_t at)
{
  static const char *const words[] = { [SECONDS] = "seconds", [BYTES] = "bytes", [PLAIN] = "a plain number" };

  if (a->type == NUMBER && b->type == NUMBER && a->measure != ANY && b->measure != ANY && a->measure != b->measure)
    mistake (c, at, _ ("%s and %s do not go together"), words[a->measure], words[b->measure]);
  return a->measure != ANY ? a->measure : b->measure;
}

static Node
expression_call (Compiler *c, Op op, int n_args, const char *name, uint32_t at)
{
  Node all = { .type = NUMBER, .column = at };

  expect (c, "(");
  for (int i = 0; i < n_args && !c->sentence; i++) {
    Node n = expression (c);
    expression_need (c, &n, NUMBER, name);
    all.measure = same_measure (c, &all, &n, n.column);
    if (i + 1 < n_args)
      expect (c, ",");
  }
  expect (c, ")");
  expression_put (c, op, 1 - n_args, (Code){ 0 });
  if (op == OP_SQRT)
    all.measure = ANY;
  return all;
}

/* if (condition, then, else): jumps, so that only one is worked out. */
static Node
choice (Compiler *c, uint32_t at)
{
  expect (c, "(");
  Node condition = expression (c);
  expression_need (c, &condition, TRUTH, "if");
  expect (c, ",");
  guint test = c->e->code->len;
  expression_put (c, OP_IF_NOT, -1, (Code){ 0 });
  Node yes = expression (c);
  expression_need (c, &yes, NUMBER, "if");
  expect (c, ",");
  guint jump = c->e->code->len;
  expression_put (c, OP_JUMP, -1, (Code){ 0 });
  Node no = expression (c);
  expression_need (c, &no, NUMBER, "if");
  expect (c, ")");
  Measure measure = same_measure (c, &yes, &no, no.column);
  if (!c->sentence) {
    g_array_index (c->e->code, Code, test).to = (uint16_t) (jump + 1);
    g_array_index (c->e->code, Code, jump).to = (uint16_t) c->e->code->len;
  }
  return (Node){ .type = NUMBER, .measure = measure, .column = at };
}

static Node
primary (Compiler *c)
{
  static const struct {
    const char *name;
    Op op;
    int n_args;
  } functions[] = {
    { "abs", OP_ABS, 1 }, { "sqrt", OP_SQRT, 1 }, { "floor", OP_FLOOR, 1 }, { "min", OP_MIN, 2 }, { "max", OP_MAX, 2 },
  };
  Node n = { .type = NUMBER };

  skip_space (c);
  n.column = column (c, c->at);
  if (c->sentence)
    return n;
  if (++c->nested > MOST_NESTED) {
    mistake (c, n.column, _ ("more than %d parentheses are open"), MOST_NESTED);
    return n;
  }
  if (expression_sign (c, "(")) {
    uint32_t at = n.column;
    n = expression (c);
    n.constant = false;
    n.column = at;
    expect (c, ")");
  } else if (expression_sign (c, "-")) {
    uint32_t at = n.column;
    n = primary (c);
    expression_need (c, &n, NUMBER, "-");
    n.column = at;
    if (n.constant && !c->sentence)
      last (c)->k = n.k = -n.k;
    else
      expression_put (c, OP_NEG, 0, (Code){ 0 });
  } else if (g_ascii_isdigit (*c->at) || (*c->at == '.' && g_ascii_isdigit (c->at[1]))) {
    n = expression_number (c, n.column);
  } else if (*c->at == '"' || *c->at == '\'') {
    n = expression_quoted (c, n.column);
  } else if (expression_word (c, "if")) {
    n = choice (c, n.column);
  } else if (expression_word (c, "true") || expression_word (c, "false")) {
    bool yes = c->at[-1] == 'e' && c->at[-2] == 'u';
    n = constant (c, yes, n.column);
    n.type = TRUTH;
    n.constant = false;
  } else if (expression_is_word (*c->at)) {
    const char *from = c->at;
    while (expression_is_word (*c->at))
      c->at++;
    char *name = g_string_chunk_insert_len (c->words, from, c->at - from);
    for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
      if (g_str_equal (name, functions[i].name)) {
        n = expression_call (c, functions[i].op, functions[i].n_args, name, n.column);
        c->nested--;
        return n;
      }
    for (guint i = 0; i < c->n_fields; i++)
      if (g_str_equal (name, c->fields[i].name)) {
        n = field (c, &c->fields[i], n.column);
        c->nested--;
        return n;
      }
    n.type = WORD;
    n.text = name;
  } else {
    g_autofree char *here = found_here (c);
    mistake (c, n.column, _ ("expected a field, a number or a text, found %s"), here);
  }
  c->nested--;
  return n;
}

static Node
product (Compiler *c)
{
  Node n = primary (c);

  for (;;) {
    uint32_t at = (skip_space (c), column (c, c->at));
    Op op = expression_sign (c, "*")   ? OP_MUL
            : expression_sign (c, "/") ? OP_DIV
            : expression_sign (c, "%") ? OP_MOD
                                       : OP_END;
    if (op == OP_END || c->sentence)
      return n;
    expression_need (c, &n, NUMBER, "arithmetic");
    Node right = primary (c);
    expression_need (c, &right, NUMBER, "arithmetic");
    expression_put (c, op, -1, (Code){ 0 });
    n = (Node){ .type = NUMBER, .column = at };
  }
}

static Node
expression_sum (Compiler *c)
{
  Node n = product (c);

  for (;;) {
    uint32_t at = (skip_space (c), column (c, c->at));
    Op op = expression_sign (c, "+") ? OP_ADD : expression_sign (c, "-") ? OP_SUB : OP_END;
    if (op == OP_END || c->sentence)
      return n;
    expression_need (c, &n, NUMBER, "arithmetic");
    Node right = product (c);
    expression_need (c, &right, NUMBER, "arithmetic");
    expression_put (c, op, -1, (Code){ 0 });
    n = (Node){ .type = NUMBER, .measure = same_measure (c, &n, &right, at), .column = at };
  }
}

/* The index on the stack goes by one of the texts. */
static void
compare_names (Compiler *c, Symbol symbol, uint32_t at, GPtrArray *texts)
{
  Names *names = g_new0 (Names, 1);

  names->symbol = symbol;
  names->column = at;
  names->texts = texts;
  expression_put (c, OP_SYMBOL, 0, (Code){ .to = (uint16_t) c->e->names->len });
  g_ptr_array_add (c->e->names, names);
}

/* `left in {a, b}`: names of what left is, or numbers. */
static Node
membership (Compiler *c, Node *left, uint32_t at)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
  GArray *list = g_array_new (FALSE, FALSE, sizeof (double));
  uint32_t first = 0;

  expect (c, "{");
  do {
    Node n = primary (c);
    if (c->sentence)
      break;
    first = first ? first : n.column;
    if (n.type == TEXT || n.type == WORD)
      g_ptr_array_add (texts, g_strdup (n.text));
    else if (n.constant) {
      same_measure (c, left, &n, n.column);
      g_array_append_val (list, n.k);
      g_array_set_size (c->e->code, c->e->code->len - 1);
      c->depth--;
    } else
      mistake (c, n.column, _ ("a set holds numbers or names"));
  } while (expression_sign (c, ","));
  expect (c, "}");
  if (texts->len && list->len)
    mistake (c, first, _ ("a set holds either numbers or names, not both"));
  if (!texts->len) {
    expression_need (c, left, NUMBER, _ ("a set of numbers"));
    expression_put (c, OP_IN, 0, (Code){ .to = (uint16_t) c->e->lists->len });
    g_ptr_array_add (c->e->lists, list);
    g_ptr_array_unref (texts);
  } else {
    g_array_unref (list);
    if (left->type == SYMBOL)
      compare_names (c, left->symbol, first, texts);
    else if (left->type == WORD && c->e->type == &trace_type_event)
      need_field (c, left, texts);
    else {
      mistake (c, at, _ ("a set of names wants a field that has names, such as kind or task, before it"));
      g_ptr_array_unref (texts);
    }
  }
  return (Node){ .type = TRUTH, .column = at };
}

static Node
comparison (Compiler *c)
{
  static const struct {
    const char *sign;
    Op op, with_constant, turned;
  } signs[] = {
    { "==", OP_EQ, OP_EQ_K, OP_EQ_K }, { "!=", OP_NE, OP_NE_K, OP_NE_K }, { "<=", OP_LE, OP_LE_K, OP_GE_K },
    { ">=", OP_GE, OP_GE_K, OP_LE_K }, { "<", OP_LT, OP_LT_K, OP_GT_K },  { ">", OP_GT, OP_GT_K, OP_LT_K },
  };
  Node left = expression_sum (c);
  uint32_t at = (skip_space (c), column (c, c->at));
  guint i = 0;

  if (c->sentence)
    return left;
  if (expression_word (c, "in"))
    return membership (c, &left, at);
  if (*c->at == '=' && c->at[1] != '=') {
    mistake (c, at, _ ("equality is written =="));
    return left;
  }
  while (i < G_N_ELEMENTS (signs) && !expression_sign (c, signs[i].sign))
    i++;
  if (i == G_N_ELEMENTS (signs))
    return left;
  bool equality = signs[i].op == OP_EQ || signs[i].op == OP_NE;
  if (equality && expression_word (c, "none")) {
    expression_need (c, &left, NUMBER, "none");
    expression_put (c, OP_NONE, 0, (Code){ 0 });
    if (signs[i].op == OP_NE)
      expression_put (c, OP_NOT, 0, (Code){ 0 });
    return (Node){ .type = TRUTH, .column = at };
  }
  if (!equality) /* its code comes before that of the right side; == does not mind */
    expression_need (c, &left, NUMBER, signs[i].sign);
  Node right = expression_sum (c);
  bool left_name = left.type == TEXT || left.type == WORD, right_name = right.type == TEXT || right.type == WORD;
  if (c->sentence)
    return left;
  if (equality
      && ((right_name && (left.type == SYMBOL || left.type == WORD))
          || (left_name && (right.type == SYMBOL || (right.type == WORD && left.type == TEXT))))) {
    bool turn = !(right_name && (left.type == SYMBOL || left.type == WORD));
    Node *field_ = turn ? &right : &left, *name = turn ? &left : &right;
    GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (texts, g_strdup (name->text));
    if (field_->type == SYMBOL)
      compare_names (c, field_->symbol, name->column, texts);
    else if (c->e->type == &trace_type_event)
      need_field (c, field_, texts);
    else {
      g_ptr_array_unref (texts);
      need_field (c, field_, NULL); /* says which fields there are */
    }
    if (signs[i].op == OP_NE)
      expression_put (c, OP_NOT, 0, (Code){ 0 });
    return (Node){ .type = TRUTH, .column = at };
  }
  if (!(left.type == TRUTH && right.type == TRUTH && equality)) {
    expression_need (c, &left, NUMBER, signs[i].sign);
    expression_need (c, &right, NUMBER, signs[i].sign);
    same_measure (c, &left, &right, at);
  }
  if (c->sentence)
    return left;
  if (right.constant && last (c)->op == OP_CONST) {
    last (c)->op = (uint8_t) signs[i].with_constant;
    c->depth--;
  } else {
    expression_put (c, signs[i].op, -1, (Code){ 0 });
  }
  return (Node){ .type = TRUTH, .column = at };
}

static Node
negation (Compiler *c)
{
  skip_space (c);
  uint32_t at = column (c, c->at);

  if (!expression_word (c, "not"))
    return comparison (c);
  if (++c->nested > MOST_NESTED) {
    mistake (c, at, _ ("more than %d parentheses are open"), MOST_NESTED);
    return (Node){ .type = TRUTH, .column = at };
  }
  Node n = negation (c);
  c->nested--;
  expression_need (c, &n, TRUTH, "not");
  expression_put (c, OP_NOT, 0, (Code){ 0 });
  return (Node){ .type = TRUTH, .column = at };
}

/* a and b, a or b: what follows is worked out only where it matters. */
static Node
expression_chain (Compiler *c, const char *w, Op op, Node (*part) (Compiler *))
{
  Node n = part (c);

  while (!c->sentence && expression_word (c, w)) {
    expression_need (c, &n, TRUTH, w);
    guint jump = c->e->code->len;
    expression_put (c, op, -1, (Code){ 0 });
    Node right = part (c);
    expression_need (c, &right, TRUTH, w);
    if (!c->sentence)
      g_array_index (c->e->code, Code, jump).to = (uint16_t) c->e->code->len;
    n = (Node){ .type = TRUTH, .column = n.column };
  }
  return n;
}

static Node
conjunction (Compiler *c)
{
  return expression_chain (c, "and", OP_AND, negation);
}

static Node
expression (Compiler *c)
{
  return expression_chain (c, "or", OP_OR, conjunction);
}

/* ---- the whole --------------------------------------------------------------------------------------------------------- */

static void
names_free (void *p)
{
  Names *n = p;

  g_ptr_array_unref (n->texts);
  g_free (n->answer);
  g_free (n);
}

static void
field_free (void *p)
{
  Field *f = p;

  g_free (f->name);
  if (f->texts)
    g_ptr_array_unref (f->texts);
  g_free (f->of_kind);
  g_free (f);
}

StatsExpression *
stats_expression_new (const char *text, const EveType *type, char **sentence)
{
  StatsExpression *e = g_new0 (StatsExpression, 1);
  Compiler c = { .e = e, .text = text, .at = text };

  e->type = type;
  e->code = g_array_new (FALSE, TRUE, sizeof (Code));
  e->names = g_ptr_array_new_with_free_func (names_free);
  e->fields = g_ptr_array_new_with_free_func (field_free);
  e->lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  e->ticks = 1;
  c.words = g_string_chunk_new (256);
  c.fields = expression_fields_of (type, &c.n_fields);
  if (!c.fields)
    mistake (&c, 1, _ ("a %s has no fields to ask for"), type->name);
  else if (!g_utf8_validate (text, -1, NULL))
    mistake (&c, 1, _ ("the text is not UTF-8"));
  else if (strlen (text) > MOST_LENGTH)
    mistake (&c, 1, _ ("the expression is longer than %d bytes"), MOST_LENGTH);
  Node n = c.sentence ? (Node){ .type = NUMBER } : expression (&c);
  skip_space (&c);
  if (!c.sentence && *c.at) {
    g_autofree char *here = found_here (&c);
    mistake (&c, column (&c, c.at), _ ("expected an operator or the end, found %s"), here);
  }
  if (n.type != TRUTH)
    expression_need (&c, &n, NUMBER, _ ("an expression"));
  e->condition = n.type == TRUTH;
  expression_put (&c, OP_END, 0, (Code){ 0 });
  g_string_chunk_free (c.words);
  if (!c.sentence)
    return e;
  stats_expression_free (e);
  if (sentence)
    *sentence = c.sentence;
  else
    g_free (c.sentence);
  return NULL;
}

void
stats_expression_free (StatsExpression *e)
{
  if (!e)
    return;
  stats_expression_unbind (e);
  g_array_unref (e->code);
  g_ptr_array_unref (e->names);
  g_ptr_array_unref (e->fields);
  g_ptr_array_unref (e->lists);
  g_free (e);
}

bool
stats_expression_is_condition (const StatsExpression *e)
{
  return e->condition;
}
