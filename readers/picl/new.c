/* SPDX-License-Identifier: Apache-2.0 */
/* new.c - the records of PICL since 1992, of MPICL too: "rectype evtype time node task ndata [descriptor values]". */
#include <string.h>

#include "readers/picl/picl.h"
#include "eve/words.h"
#include "readers/digits.h"
#include "readers/vectors.h"

#define MOST_VALUES 16
#define USER_FAMILY 100000

enum { MARK = -2, ENTRY = -3, EXIT = -4, LABEL = -5, SUBSET_OF_NODES = -201, SUBSET = -202 };

static const struct {
  int code;
  const char *name;
} names[] = {
  { -11, "open" },
  { -12, "close" },
  { -13, "who" },
  { -14, "recvinfo" },
  { -15, "set buffering" },
  { -16, "comm status" },
  { -21, "send" },
  { -22, "bsend" },
  { -23, "ssend" },
  { -24, "rsend" },
  { -27, "isend" },
  { -28, "send done" },
  { -29, "send not done" },
  { -30, "send end" },
  { -31, "send wait" },
  { -32, "send cancelled" },
  { -51, "recv" },
  { -52, "recv blocked" },
  { -53, "iprobe found" },
  { -54, "iprobe not found" },
  { -55, "probe" },
  { -56, "probe blocked" },
  { -57, "irecv" },
  { -58, "recv done" },
  { -59, "recv not done" },
  { -60, "recv end" },
  { -61, "recv wait" },
  { -62, "recv cancelled" },
  { -201, "file open" },
  { -202, "file close" },
  { -221, "write" },
  { -251, "read" },
  { -401, "clock sync" },
  { -402, "barrier" },
  { -501, "allocate" },
  { -502, "release" },
  { -503, "spawn" },
  { -601, "idle" },
  { -602, "system overhead" },
  { -603, "user overhead" },
  { -756, "pack" },
  { -773, "unpack" },
  { -780, "allgather" },
  { -782, "allreduce" },
  { -783, "alltoall" },
  { -785, "bcast" },
  { -786, "gather" },
  { -790, "reduce" },
  { -791, "reduce_scatter" },
  { -792, "scan" },
  { -793, "scatter" },
  { -804, "comm_create" },
  { -805, "comm_dup" },
  { -806, "comm_free" },
  { -812, "comm_split" },
  { -826, "intercomm_create" },
  { -827, "intercomm_merge" },
  { -841, "cart_create" },
  { -846, "cart_sub" },
  { -849, "graph_create" },
  { -901, "tracing" },
  { -902, "statistics" },
  { -903, "trace files" },
  { -904, "trace level" },
  { -905, "trace info" },
  { -911, "trace message" },
  { -912, "flush" },
  { -913, "trace full" },
  { -914, "overwrite" },
};

const char *
picl_name (int64_t code)
{
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].code == code)
      return names[i].name;
  return NULL;
}

static bool
new_is_record (int64_t type)
{
  return (type <= -2 && type >= -7) || (type <= -101 && type >= -105) || (type <= -201 && type >= -203);
}

static bool
is_subset (int64_t type)
{
  return type == SUBSET_OF_NODES || type == SUBSET;
}

/* A date may be a whole number, as "%g" writes one: nothing else begins with the number of a record, which is below 0.
 */
bool
picl_looks_new (char **words, int n)
{
  int64_t type, event, node, task, n_data, date;

  return n >= 6 && picl_int (words[0], &type) && new_is_record (type) && picl_int (words[1], &event)
         && picl_date (words[2], &date) && picl_int (words[3], &node) && picl_int (words[4], &task)
         && picl_int (words[5], &n_data) && n_data >= 0 && (n_data > 0 || n == 6);
}

/* ---- codes ---------------------------------------------------------------------------------------------------------------------- */

/* The six codes of sends that do not block: of standard, buffered, synchronous and ready ones. */
static int
base_of_isend (int code)
{
  return code <= -27 && code >= -50 ? -27 - (-27 - code) / 6 * 6 : 0;
}

/* Entry and exit of one call may have different codes: whether it blocked is known at its exit alone. */
static int
new_family_of (int code)
{
  return code <= -21 && code >= -24   ? -21
         : code <= -27 && code >= -50 ? base_of_isend (code)
         : code == -52                ? -51
         : code == -54                ? -53
         : code == -56                ? -55
         : code <= -57 && code >= -62 ? -57
         : code >= 0                  ? USER_FAMILY + code
                                      : code;
}

static bool
blocks (int code)
{
  int base = base_of_isend (code);

  return code == -52 || code == -56 || code == -61 || code == -601 || code == -402 || (base && code == base - 4);
}

/* Whether an exit may still tell that it blocked. */
static bool
may_block (int code)
{
  int family = new_family_of (code);

  return family == -51 || family == -55 || family == -57 || base_of_isend (code) != 0;
}

static char *
new_name_of (int64_t code)
{
  static const char *const modes[] = { "", "b", "s", "r" };
  const char *known = picl_name (code);

  if (known)
    return g_strdup (known);
  int base = base_of_isend ((int) CLAMP (code, -1000, 0));
  if (base) {
    const char *of_standard = picl_name (code - base - 27);
    if (of_standard)
      return g_strconcat (modes[(-27 - base) / 6], of_standard, NULL);
  }
  return code >= 0 ? g_strdup_printf ("user %" PRId64, code) : g_strdup_printf ("event %" PRId64, code);
}

static uint32_t
find_object (Picl *p, int64_t code)
{
  gint64 key = code;
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (p->names, &key));

  if (known > 0)
    return known - 1;
  g_autofree char *name = new_name_of (code);
  return picl_call_object (p, code, name);
}

static uint32_t
new_object_of (Picl *p, int64_t code)
{
  if (code < -NEAR_CODES || code >= NEAR_CODES)
    return find_object (p, code);
  uint32_t *near = &p->near_objects[code + NEAR_CODES];
  if (G_UNLIKELY (*near == 0))
    *near = find_object (p, code) + 1;
  return *near - 1;
}

static uint32_t
find_kind (Picl *p, int64_t code)
{
  static const TraceField fields[] = { { "call", TRACE_ROLE_REGION, NULL }, { "data", TRACE_ROLE_WORD, NULL } };
  gint64 key = code >= 0 ? 0 : code; /* those of the program are one kind */
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (p->kinds, &key));

  if (known > 0)
    return known - 1;
  g_autofree char *name = code >= 0 ? g_strdup ("user event") : new_name_of (code),
                  *end = g_strconcat ("end of ", name, NULL);
  uint32_t kind = converter_kind (
      p->to,
      &(TraceKind){
          .name = name, .end_name = end, .category = "call", .fields = fields, .n_fields = 2, .acts = TRACE_ACT_CALL });
  if (kind == UINT32_MAX)
    return p->mark_kind;
  g_hash_table_insert (p->kinds, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (kind + 1));
  return kind;
}

static uint32_t
new_kind_of (Picl *p, int64_t code)
{
  if (code < -NEAR_CODES || code >= NEAR_CODES)
    return find_kind (p, code);
  uint32_t *near = &p->near_kinds[code + NEAR_CODES];
  if (G_UNLIKELY (*near == 0))
    *near = find_kind (p, code) + 1;
  return *near - 1;
}

/* ---- records -------------------------------------------------------------------------------------------------------------------- */

typedef struct Record {
  int64_t type, code, date, node, task;
  int64_t v[MOST_VALUES];
  int n;
  const char *text; /* its data as they stand, without what tells their type */
} Record;

/* bytes tag dest [dest_task] */
static void
sends (Picl *p, Node *n, const Record *r)
{
  if (r->n >= 3)
    picl_message (p, n, r->date, true, r->v[2], r->n > 3 ? r->v[3] : -1, r->v[1], r->v[0]);
}

static void
receives (Picl *p, Node *n, const Record *r)
{
  if (r->n >= 3)
    picl_message (p, n, r->date, false, r->v[2], r->n > 3 ? r->v[3] : -1, r->v[1], r->v[0]);
}

/* The bracket around all: no call, but the time that is known. */
static void
trace (Picl *p, Node *n, const Record *r, bool on)
{
  picl_mark (p, n, r->date, p->mark_kind, on ? "tracing on" : "tracing off", r->text);
  n->off = !on;
  if (!on || n->n_frames == 0)
    picl_show (p, n, r->date, on ? BUSY : OFF);
}

/* What groups of processors do; NULL: it is none of that. */
static const char *
new_operation_of (int code)
{
  static const struct {
    int code;
    const char *name;
  } operations[] = { { -402, "Barrier" }, { -780, "Allgather" }, { -782, "Allreduce" }, { -783, "Alltoall" },
                     { -785, "Bcast" },   { -786, "Gather" },    { -790, "Reduce" },    { -791, "Reduce_scatter" },
                     { -792, "Scan" },    { -793, "Scatter" } };

  for (size_t i = 0; i < G_N_ELEMENTS (operations); i++)
    if (operations[i].code == code)
      return operations[i].name;
  return NULL;
}

static void
new_enter (Picl *p, Node *n, const Record *r)
{
  int code = (int) r->code;
  Frame f = { .family = new_family_of (code),
              .object = new_object_of (p, code),
              .kind = new_kind_of (p, code),
              .is_system = code < 0,
              .condition = blocks (code) ? IDLE : OVERHEAD };

  if (n->shown == N_CONDITIONS && n->n_frames == 0)
    picl_show (p, n, r->date, n->off ? OFF : BUSY);
  if (f.is_system && may_block (code))
    f.pending = picl_pending (p);
  bool entered = picl_enter (p, n, r->date, f, r->text);
  const char *operation = entered && code <= -402 ? new_operation_of (code) : NULL;
  if (!entered)
    g_clear_pointer (&f.pending, g_array_unref);
  if (operation)
    picl_begin_together (p, n, r->date, operation, r->v, r->n);
  if (f.family == -21 || (base_of_isend (code) && base_of_isend (code) == code))
    sends (p, n, r);
}

static void
new_leave (Picl *p, Node *n, const Record *r)
{
  int code = (int) r->code;
  bool is_receive = code == -51 || code == -52 || code == -60 || code == -61;

  if (is_receive) /* within the call that it ends, as who looks for waits has to see */
    receives (p, n, r);
  bool known = picl_leave (p, n, r->date, new_family_of (code), blocks (code) ? IDLE : OVERHEAD);
  g_autofree char *name = known && (is_receive || r->n == 0) ? NULL : new_name_of (code);
  if (!known)
    picl_mark (p, n, r->date, p->alone_kind, name, r->text);
  if (!is_receive && known && r->n > 0)
    picl_mark (p, n, r->date, p->data_kind, name, r->text);
}

/* A name for events of the program. */
static void
new_label (Picl *p, const Record *r, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  uint32_t object = new_object_of (p, r->code);
  TraceObject *o = p->source->objects->pdata[object];

  if (*valid == '\0' || object == ((const TraceType *) p->source->types->pdata[p->calls])->object)
    return;
  g_free (o->id);
  o->id = g_steal_pointer (&valid);
}

static void
new_happen (Picl *p, const Record *r, const char *last)
{
  Node *n = picl_node (p, MAX (r->node, 0), r->task, r->date);

  if (!n)
    return;
  n->begun = true;
  g_autofree char *name = r->type == ENTRY || r->type == EXIT ? NULL : new_name_of (r->code);
  switch (r->type) {
  case ENTRY:
  case EXIT:
    if (r->code == -901)
      trace (p, n, r, r->type == ENTRY);
    else if (r->type == ENTRY)
      new_enter (p, n, r);
    else
      new_leave (p, n, r);
    break;
  case LABEL:
    new_label (p, r, last);
    break;
  default:
    picl_mark (p, n, r->date, r->type == MARK && r->code == -911 ? p->message_kind : p->mark_kind, name, r->text);
    break;
  }
}

/* The data are the last words: some writers leave the descriptor out. */
static void
take_data (Record *r, char **words, int n, int64_t n_data, GString *text)
{
  int from = n - (int) MIN (n_data, n - 6), first = n_data > 0 && from == 7 ? 7 : 6; /* behind the descriptor */
  char *end;

  g_string_set_size (text, (gsize) (words[n - 1] - words[first]) + strlen (words[n - 1]) + 1);
  char *to = text->str;
  for (int i = first; i < n; i++) { /* words are short: no call for each */
    for (const char *c = words[i]; *c; c++)
      *to++ = *c;
    *to++ = ' ';
  }
  g_string_truncate (text, (gsize) (to - text->str) - 1);
  for (int i = from; i < n && r->n < MOST_VALUES; i++) {
    int64_t v;
    if (!picl_int (words[i], &v)) {
      double x = g_ascii_strtod (words[i], &end);
      v = end > words[i] && x > -1e18 && x < 1e18 ? (int64_t) x : 0;
    }
    r->v[r->n++] = v;
  }
}

/* "id member member..." */
static void
define_subset (Picl *p, const Record *r, char **words, int n)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (int64_t));
  int64_t id, member;

  if (n < 2 || !picl_int (words[0], &id))
    return;
  for (int i = 1; i < n; i++)
    if (picl_int (words[i], &member))
      g_array_append_val (members, member);
  const bool is_node = r->node >= 0 && r->node <= INT32_MAX && r->task <= INT32_MAX;
  picl_subset (p, is_node ? picl_find_node (p, r->node, r->task) : NULL, id,
               (const int64_t *) (const void *) members->data, members->len, r->date);
}

void
picl_new_line (Picl *p, char **words, int n)
{
  Record r = { .text = "" };
  int64_t n_data;

  if (n < 6 || !picl_int (words[0], &r.type) || !picl_int (words[1], &r.code) || !picl_date (words[2], &r.date)
      || !picl_int (words[3], &r.node) || !picl_int (words[4], &r.task) || !picl_int (words[5], &n_data)) {
    picl_damaged (p, _ ("a record has a type, an event, a date, a node, a task and a number of data"));
    return;
  }
  if (!new_is_record (r.type)) {
    picl_damaged (p, _ ("%" PRId64 " is no type of record that PICL has"), r.type);
    return;
  }
  if (r.code < -100000 || r.code > 1000000000 || n_data < 0) {
    picl_damaged (p, _ ("no event has the number %" PRId64 " and %" PRId64 " data"), r.code, n_data);
    return;
  }
  if (n_data > n - 6)
    picl_damaged (p, _ ("%" PRId64 " data are announced, but %d are told; these count"), n_data, n - 6);
  if (n > 6) {
    take_data (&r, words, n, n_data, p->text);
    r.text = p->text->str;
  }
  const int n_own = (int) MIN (n_data, n - 6);
  if (is_subset (r.type))
    define_subset (p, &r, words + n - n_own, n_own);
  new_happen (p, &r, n > 6 ? words[n - 1] : "");
}

/* ---- lines of numbers alone ----------------------------------------------------------------------------------------- */

#define MOST_QUICK (6 + MOST_VALUES)

/* Numbers with a blank between any two, of which the third is a date, up to the end of the line; gives how many, what
 * is behind the sixth, or NULL, and where they end.  0: there is something else. */
static inline __attribute__ ((always_inline)) unsigned
quick_words (char *at, int64_t *v, const char **data, char **end, bool wide)
{
  static const int64_t scales[] = { 0, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
  char *base = at, *stop;
  uint64_t mask = wide ? digits_wide_none (base) : digits_none (base);
#define NUMBER(at_, n_) (wide ? digits_wide_number (at_, n_) : digits_long_number (at_, n_))
#define NEXT_STOP                                                                                                      \
  {                                                                                                                    \
    if (G_UNLIKELY (mask == 0)) {                                                                                      \
      base = at;                                                                                                       \
      mask = wide ? digits_wide_none (base) : digits_none (base);                                                      \
    }                                                                                                                  \
    if (G_UNLIKELY (mask == 0))                                                                                        \
      return 0;                                                                                                        \
    stop = base + __builtin_ctzll (mask);                                                                              \
    mask &= mask - 1;                                                                                                  \
  }

  *data = NULL;
  for (unsigned n = 0; n < MOST_QUICK; at = stop + 1) {
    NEXT_STOP
    bool negative = stop == at && *at == '-';
    if (negative) {
      at++;
      NEXT_STOP
    }
    size_t length = (size_t) (stop - at);
    if (G_UNLIKELY (length - 1 >= 16))
      return 0;
    int64_t number = (int64_t) NUMBER (at, length);
    if (n == 2) {
      if (G_UNLIKELY (length > 9 || *stop != '.'))
        return 0;
      at = stop + 1;
      NEXT_STOP
      length = (size_t) (stop - at);
      if (G_UNLIKELY (length > 9))
        return 0;
      number = number * 1000000000 + (length > 0 ? (int64_t) NUMBER (at, length) * scales[length] : 0);
    }
    v[n++] = negative ? -number : number;
    if (*stop == '\n') {
      *end = stop;
      return n;
    }
    if (G_UNLIKELY (*stop != ' '))
      return 0;
    if (n == 6)
      *data = stop + 1;
  }
  return 0;
}

static inline __attribute__ ((always_inline)) char *
new_quick_lines (Picl *p, char *at, const char *end, bool wide)
{
  int64_t v[MOST_QUICK];

  for (char *stop; at < end; at = stop + 1) {
    Record r;
    unsigned n = quick_words (at, v, &r.text, &stop, wide);
    if (G_UNLIKELY (n < 6 || v[0] == LABEL || is_subset (v[0]) || !new_is_record (v[0]) || v[1] < -100000
                    || v[1] > 1000000000 || v[5] < 0 || v[5] > (int64_t) n - 6))
      break;
    r.type = v[0];
    r.code = v[1];
    r.date = v[2];
    r.node = v[3];
    r.task = v[4];
    r.n = (int) v[5];
    memcpy (r.v, v + n - r.n, (size_t) r.n * sizeof *v);
    r.text = r.text ? r.text : "";
    *stop = '\0';
    if (r.n > 0 && n == 7 + (unsigned) r.n) /* the first one is the descriptor */
      while (*r.text++ != ' ')
        ;
    p->n_ahead++;
    new_happen (p, &r, "");
  }
  return at;
}

/* The same with shifts and searches for bits in one step. */
static WIDE char *
new_quick_lines_wide (Picl *p, char *at, const char *end)
{
  return new_quick_lines (p, at, end, true);
}

static char *
new_quick_lines_plain (Picl *p, char *at, const char *end)
{
  return new_quick_lines (p, at, end, false);
}

void
picl_new_quick (Picl *p)
{
  char *end, *at = input_ahead (p->in, &end);

  at = (has_vectors () ? new_quick_lines_wide : new_quick_lines_plain) (p, at, end);
  input_skip (p->in, at, p->n_ahead);
  p->n_ahead = 0;
}
