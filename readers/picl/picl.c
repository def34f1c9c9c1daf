/* SPDX-License-Identifier: Apache-2.0 */
/* picl.c - reads PICL traces, old and new: README.md.  What both have is here; their lines are in old.c and new.c. */
#include <math.h>
#include <string.h>

#include "eve/disk.h"
#include "readers/picl/picl.h"
#include "eve/words.h"
#include "readers/digits.h"
#include "readers/pair.h"

void
picl_damaged (Picl *p, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (p->source, p->file, picl_at_line (p), 1, fmt, args);
  va_end (args);
}

/* ---- words ---------------------------------------------------------------------------------------------------------------- */

bool
picl_int (const char *word, int64_t *v)
{
  bool negative = *word == '-';
  const char *c = word + negative, *from = c;
  unsigned n_digits;
  int64_t n = (int64_t) digits_number16 (c, &n_digits);

  if (G_LIKELY (n_digits <= 16)) {
    *v = negative ? -n : n;
    return n_digits > 0 && c[n_digits] == '\0';
  }
  n = 0;
  for (; *c >= '0' && *c <= '9' && c - from < 18; c++)
    n = n * 10 + (*c - '0');
  *v = negative ? -n : n;
  return c > from && *c == '\0';
}

/* Decimal seconds. */
bool
picl_date (const char *word, int64_t *date)
{
  static const int64_t scales[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
  bool negative = *word == '-';
  const char *c = word + negative;
  unsigned before, behind;
  int64_t whole = (int64_t) digits_number16 (c, &before), part = 0;
  int digits = 0;

  if (G_LIKELY (before - 1 < 9 && c[before] == '.')) {
    part = (int64_t) digits_number16 (c + before + 1, &behind);
    if (G_LIKELY (behind <= 9 && c[before + 1 + behind] == '\0')) {
      *date = whole * 1000000000 + (behind > 0 ? part * scales[behind] : 0);
      *date = negative ? -*date : *date;
      return true;
    }
  }
  whole = part = 0;
  while (*c >= '0' && *c <= '9' && whole < 1000000000)
    whole = whole * 10 + (*c++ - '0');
  if (*c == '.')
    for (c++; *c >= '0' && *c <= '9' && digits < 9; digits++)
      part = part * 10 + (*c++ - '0');
  if (*c == '\0' && c > word + negative) {
    *date = whole * 1000000000 + part * scales[digits];
    *date = negative ? -*date : *date;
    return true;
  }
  char *end; /* more digits than are kept, or an exponent */
  double seconds = g_ascii_strtod (word, &end);
  if (end == word || *end != '\0' || !(fabs (seconds) < 4e9))
    return false;
  *date = (int64_t) llround (seconds * 1e9);
  return true;
}

/* Blanks part words, quotes hold them together; gives how many there are.  The line is cut into them. */
static int
picl_split (char *at, char **words)
{
  int n = 0;

  while (n < MOST_WORDS) {
    while (*at == ' ' || *at == '\t')
      at++;
    if (*at == '\0')
      break;
    words[n++] = at;
    char *end = *at == '"' ? strchr (at + 1, '"') : NULL;
    if (end)
      at = end + 1;
    else
      at = digits_word_end (at);
    if (*at == '\0')
      break;
    *at++ = '\0';
  }
  return n;
}

/* ---- tasks ---------------------------------------------------------------------------------------------------------------- */

static void
free_node (void *v)
{
  Node *n = v;

  for (guint i = 0; i < n->n_frames; i++) {
    Frame *f = &n->frames[i];
    g_clear_pointer (&f->pending, g_array_unref);
  }
  g_free (n->frames);
  g_free (n);
}

Node *
picl_find_node (Picl *p, int64_t node, int64_t task)
{
  gint64 key = node * (INT64_C (1) << 32) + (p->ignores_task || task < 0 ? 0 : task);
  bool is_near = key >> 32 < MOST_NEAR && key >= 0 && (key & UINT32_MAX) == 0;

  if (is_near && p->near[key >> 32])
    return p->near[key >> 32];
  Node *n = g_hash_table_lookup (p->nodes, &key);
  if (n)
    return n;
  if (g_hash_table_size (p->nodes) >= MOST_NODES)
    return NULL;
  g_autofree char *name = node == -32768                 ? g_strdup ("host")
                          : task > 0 && !p->ignores_task ? g_strdup_printf ("node %" PRId64 ".%" PRId64, node, task)
                                                         : g_strdup_printf ("node %" PRId64, node);
  g_autofree char *calls = g_strdup_printf ("%s · calls", name);
  n = g_new0 (Node, 1);
  n->task = trace_source_add_task_in (p->source, name, node, p->type_node, TRACE_NONE);
  n->calls = trace_source_add_task_in (p->source, calls, node, p->type_calls, n->task);
  n->last = INT64_MIN;
  n->shown = N_CONDITIONS;
  n->send_date = n->compstats = -1;
  g_hash_table_insert (p->nodes, g_memdup2 (&key, sizeof key), n);
  if (is_near)
    p->near[key >> 32] = n;
  return n;
}

Node *
picl_node (Picl *p, int64_t node, int64_t task, int64_t date)
{
  Node *n = node > INT32_MAX || node < INT32_MIN || task > INT32_MAX ? NULL : picl_find_node (p, node, task);

  if (!n) {
    picl_damaged (p, _ ("there are more than %d nodes, or none has this number"), MOST_NODES);
    return NULL;
  }
  p->first = MIN (p->first, date);
  if (date < n->last && p->n_back++ == 0)
    p->first_back = picl_at_line (p);
  n->last = MAX (n->last, date);
  return n;
}

/* ---- conditions and calls --------------------------------------------------------------------------------------------------- */

void
picl_show_at (Picl *p, Node *n, Pending at, Condition condition)
{
  TraceEvent *e = converter_room (p->to);

  *e = (TraceEvent){ .date = at.date,
                     .task = n->task,
                     .peer = TRACE_NONE,
                     .object = p->conditions[condition],
                     .tag = -1,
                     .kind = (uint16_t) p->state_kind,
                     .flags = TRACE_INSTANT };
  converter_event_at (p->to, e, at.place);
}

void
picl_show (Picl *p, Node *n, int64_t date, Condition condition)
{
  if (n->shown == condition)
    return;
  n->shown = condition;
  picl_show_at (p, n, (Pending){ date, converter_place (p->to) }, condition);
}

/* What a task is in is what its innermost call of the system is; calls of the program itself change nothing. */
static void
picl_show_innermost (Picl *p, Node *n, int64_t date)
{
  guint i = n->n_frames;

  while (i > 0 && !n->frames[i - 1].is_system)
    i--;
  Frame *f = i > 0 ? &n->frames[i - 1] : NULL;
  if (f && f->pending && !n->off) {
    const Pending at = { date, converter_place (p->to) };
    g_array_append_val (f->pending, at);
    n->shown = N_CONDITIONS;
  } else {
    picl_show (p, n, date, n->off ? OFF : f ? f->condition : BUSY);
  }
}

bool
picl_enter (Picl *p, Node *n, int64_t date, Frame frame, const char *data)
{
  if (n->n_frames >= MOST_DEPTH) {
    if (p->n_open++ == 0)
      picl_damaged (p, _ ("a task is inside of %d calls that have not ended; calls inside of these are left out"),
                    MOST_DEPTH);
    return false;
  }
  TraceEvent *e = converter_room (p->to);
  *e = (TraceEvent){
    .date = date, .task = n->calls, .peer = TRACE_NONE, .object = frame.object, .tag = -1, .kind = (uint16_t) frame.kind
  };
  converter_text (p->to, data, strlen (data));
  frame.begun = converter_begin (p->to, e);
  frame.begin = date;
  if (n->n_frames == n->room_frames) {
    n->room_frames = 2 * n->room_frames + 4;
    n->frames = g_renew (Frame, n->frames, n->room_frames);
  }
  n->frames[n->n_frames++] = frame;
  picl_show_innermost (p, n, date);
  return true;
}

static void
resolve (Picl *p, Node *n, Frame *f, Condition condition)
{
  if (!f->pending)
    return;
  for (guint i = 0; i < f->pending->len; i++)
    picl_show_at (p, n, g_array_index (f->pending, Pending, i), condition);
  g_array_set_size (f->pending, 0);
  g_ptr_array_add (p->spare, g_steal_pointer (&f->pending));
}

GArray *
picl_pending (Picl *p)
{
  return p->spare->len > 0 ? g_ptr_array_steal_index_fast (p->spare, p->spare->len - 1)
                           : g_array_new (FALSE, FALSE, sizeof (Pending));
}

bool
picl_leave (Picl *p, Node *n, int64_t date, int family, Condition as_it_was)
{
  guint i = n->n_frames;

  while (i > 0 && n->frames[i - 1].family != family)
    i--;
  if (i == 0)
    return false;
  Frame f = n->frames[i - 1];
  resolve (p, n, &f, as_it_was);
  n->n_frames--;
  if (i <= n->n_frames) /* seldom: not the innermost one */
    memmove (&n->frames[i - 1], &n->frames[i], (n->n_frames - i + 1) * sizeof *n->frames);
  picl_end_together (p, n, &f, date);
  TraceEvent *e = converter_room (p->to);
  *e = (TraceEvent){
    .date = date, .task = n->calls, .peer = TRACE_NONE, .object = f.object, .tag = -1, .kind = (uint16_t) f.kind
  };
  converter_end (p->to, e, f.begun, f.begin, date);
  picl_show_innermost (p, n, date);
  return true;
}

/* ---- instants ------------------------------------------------------------------------------------------------------------------ */

void
picl_message (Picl *p, Node *n, int64_t date, bool sends, int64_t other, int64_t task, int64_t tag, int64_t bytes)
{
  bool known = (other >= 0 && other <= INT32_MAX) || other == -32768;
  Node *peer = known ? picl_find_node (p, other, task > INT32_MAX ? -1 : task) : NULL;

  TraceEvent *e = converter_room (p->to);
  *e = (TraceEvent){ .date = date,
                     .task = n->task,
                     .peer = peer ? peer->task : TRACE_NONE,
                     .object = TRACE_NONE,
                     .size = MAX (bytes, 0),
                     .tag = (int32_t) CLAMP (tag, -1, INT32_MAX),
                     .kind = (uint16_t) (sends ? p->send_kind : p->receive_kind),
                     .flags = TRACE_INSTANT };
  converter_event (p->to, e);
}

void
picl_mark (Picl *p, Node *n, int64_t date, uint32_t kind, const char *what, const char *data)
{
  converter_text (p->to, what, strlen (what));
  converter_text (p->to, data, strlen (data));
  converter_event (p->to, &(TraceEvent){ .date = date,
                                         .task = n->task,
                                         .peer = TRACE_NONE,
                                         .object = TRACE_NONE,
                                         .tag = -1,
                                         .kind = (uint16_t) kind,
                                         .flags = TRACE_INSTANT });
}

void
picl_variable (Picl *p, Node *n, int64_t date, const char *name, const char *unit, double value)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (p->variables, name));

  if (known == 0) {
    uint32_t type = trace_source_add_type (p->source, TRACE_VARIABLE, name, unit, p->type_node);
    known = ((const TraceType *) p->source->types->pdata[type])->object + 1;
    g_hash_table_insert (p->variables, g_strdup (name), GUINT_TO_POINTER (known));
  }
  converter_event (p->to, &(TraceEvent){ .date = date,
                                         .task = n->task,
                                         .peer = TRACE_NONE,
                                         .object = known - 1,
                                         .tag = -1,
                                         .real = value,
                                         .kind = (uint16_t) p->variable_kind,
                                         .flags = TRACE_INSTANT | TRACE_REAL });
}

uint32_t
picl_call_object (Picl *p, int64_t code, const char *name)
{
  gint64 key = code;
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (p->names, &key));

  if (known > 0)
    return known - 1;
  if (g_hash_table_size (p->names) >= MOST_NAMES)
    return ((const TraceType *) p->source->types->pdata[p->calls])->object;
  uint32_t object = trace_source_add_value (p->source, p->calls, name);
  ((TraceObject *) p->source->objects->pdata[object])->does = trace_operation_does (name);
  g_hash_table_insert (p->names, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (object + 1));
  return object;
}

/* ---- the whole -------------------------------------------------------------------------------------------------------------------- */

static void
picl_declare (Picl *p)
{
  static const char *const called[N_CONDITIONS] = { "Busy", "Overhead", "Idle", "Not traced" };
  static const TraceField state[] = { { "state", TRACE_ROLE_REGION, NULL } };
  static const TraceField send[] = { { "to", TRACE_ROLE_PEER, NULL },
                                     { "tag", TRACE_ROLE_TAG, NULL },
                                     { "bytes", TRACE_ROLE_SIZE, "B" } };
  static const TraceField receive[] = { { "from", TRACE_ROLE_PEER, NULL },
                                        { "tag", TRACE_ROLE_TAG, NULL },
                                        { "bytes", TRACE_ROLE_SIZE, "B" } };
  static const TraceField mark[] = { { "what", TRACE_ROLE_WORD, NULL }, { "data", TRACE_ROLE_WORD, NULL } };
  static const TraceField variable[] = { { "variable", TRACE_ROLE_OBJECT, NULL }, { "value", TRACE_ROLE_VALUE, NULL } };
#define KIND(name_, category_, fields_, acts_)                                                                         \
  converter_kind (p->to, &(TraceKind){ .name = name_,                                                                  \
                                       .category = category_,                                                          \
                                       .fields = fields_,                                                              \
                                       .n_fields = G_N_ELEMENTS (fields_),                                             \
                                       .instant = true,                                                                \
                                       .acts = acts_ })
  p->type_node = trace_source_add_own_type (p->source, TRACE_ENTITY, N_ ("Node"), NULL, TRACE_NONE);
  p->type_calls = trace_source_add_own_type (p->source, TRACE_ENTITY, N_ ("Calls"), NULL, p->type_node);
  p->states = trace_source_add_type (p->source, TRACE_STATES, "State", NULL, p->type_node);
  p->calls = trace_source_add_type (p->source, TRACE_STATES, "Call", NULL, p->type_calls);
  for (int i = 0; i < N_CONDITIONS; i++)
    p->conditions[i] = trace_source_add_state (p->source, p->states, called[i]);
  /* it is in a call, but does not wait there */
  ((TraceObject *) p->source->objects->pdata[p->conditions[OVERHEAD]])->does = TRACE_DOES_ANYTHING;
  p->state_kind = KIND ("State", "state", state, TRACE_ACT_SET);
  p->send_kind = KIND ("Send", "message", send, TRACE_ACT_SEND);
  p->receive_kind = KIND ("Receive", "message", receive, TRACE_ACT_RECEIVE);
  p->mark_kind = KIND ("Mark", "event", mark, TRACE_ACT_MARK);
  p->data_kind = KIND ("Data", "event", mark, TRACE_ACT_MARK);
  p->alone_kind = KIND ("EndAlone", "event", mark, TRACE_ACT_MARK);
  p->message_kind = KIND ("Note", "event", mark, TRACE_ACT_MARK);
  p->variable_kind = KIND ("Statistics", "variable", variable, TRACE_ACT_SET);
}

static bool
picl_read_lines (Picl *p, bool is_new, GError **error)
{
  g_autoptr (GError) why = NULL;
  char *line, *words[MOST_WORDS + 1];
  size_t n;
  bool cut, goes_on = true;

  for (uint64_t asked = 0; goes_on;) {
    if (is_new)
      picl_new_quick (p);
    if (input_line_number (p->in) - asked >= ASKED_EACH) {
      asked = input_line_number (p->in);
      goes_on = converter_progress (p->to, input_share (p->in), error);
    }
    if (!(line = input_line (p->in, &n, &cut, &why)))
      break;
    if (G_UNLIKELY (cut || strlen (line) != n)) {
      picl_damaged (p, cut ? _ ("the line is longer than 1 MiB") : _ ("the line has a byte 0"));
      continue;
    }
    int n_words = picl_split (line, words);
    words[n_words] = NULL;
    if (n_words == 0 || *words[0] == '#')
      continue;
    if (is_new)
      picl_new_line (p, words, n_words);
    else
      picl_old_line (p, words, n_words);
  }
  if (why && p->source->n_events > 0) { /* what came before it is good */
    picl_damaged (p, "%s", why->message);
    g_clear_error (&why);
  }
  if (why)
    g_propagate_error (error, g_steal_pointer (&why));
  return goes_on && !(error && *error);
}

/* What has not ended was what its entry says. */
static void
end_of_file (Picl *p)
{
  GHashTableIter iter;
  gpointer v;

  g_hash_table_iter_init (&iter, p->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &v)) {
    Node *n = v;
    for (guint i = 0; i < n->n_frames; i++) {
      Frame *f = &n->frames[i];
      resolve (p, n, f, f->condition);
    }
  }
  if (p->n_back > 0) {
    trace_source_remark (p->source, p->file, p->first_back, 1,
                         _ ("%" PRIu64 " records, the first here, are dated before others of their node that come "
                            "before them"),
                         p->n_back);
  }
}

/* 0: neither; 1: old, 2: new.  *same: the task of all is their node. */
static int
dialect_of (const char *text, size_t n, bool *same)
{
  g_autofree char *head = g_malloc0 (n + LINE_BYTES);
  int n_old = 0, n_new = 0, n_other = 0, n_looked = 0;
  bool differs = false, above = false;
  char *words[MOST_WORDS + 1];

  memcpy (head, text, n);
  for (char *line = head, *next; line && *line; line = next) {
    next = disk_end_line (line, head + n);
    if (!next && n_looked > 0)
      break; /* it may be cut */
    line[strcspn (line, "\r")] = '\0';
    int n_words = picl_split (line, words);
    if (n_words == 0 || *words[0] == '#')
      continue;
    bool is_old = picl_looks_old (words, n_words), is_new = picl_looks_new (words, n_words);
    int64_t node, task;
    if (is_new && picl_int (words[3], &node) && picl_int (words[4], &task)) {
      differs = differs || node != task;
      above = above || node > 0;
    }
    if (++n_looked <= 50) {
      n_old += is_old;
      n_new += is_new;
      n_other += !is_old && !is_new;
    } else if (n_new == 0) {
      break;
    }
  }
  *same = !differs && above;
  return n_looked == 0 || n_other * 4 > n_looked ? 0 : n_new > n_old ? 2 : n_old > 1 ? 1 : 0;
}

#define LOOKED_AT 262144

static bool
picl_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path), *head = g_malloc (LOOKED_AT);
  size_t n = input_head (path, head, LOOKED_AT);
  Picl p = { .to = to, .source = converter_source (to), .file = file, .in = input_open (path, error) };

  if (!p.in)
    return false;
  int dialect = dialect_of (head, n, &p.ignores_task);
  if (dialect == 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s is no PICL trace: its first lines are no records of one"), path);
    input_close (p.in);
    return false;
  }
  p.source->clock = (TraceClock){ 1000000000, "s" };
  p.nodes = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, free_node);
  p.names = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  p.kinds = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  p.text = g_string_new (NULL);
  p.spare = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  p.variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  picl_declare (&p);
  picl_groups_begin (&p);
  bool ok = picl_read_lines (&p, dialect == 2, error);
  if (ok)
    end_of_file (&p);
  picl_groups_end (&p, ok);
  g_hash_table_unref (p.nodes);
  g_hash_table_unref (p.names);
  g_hash_table_unref (p.kinds);
  g_hash_table_unref (p.variables);
  g_string_free (p.text, TRUE);
  g_ptr_array_unref (p.spare);
  input_close (p.in);
  return ok;
}

static int
picl_recognise (const char *path, const void *head, size_t n, char **whole)
{
  bool same;
  int dialect = head && !memchr (head, 0, MIN (n, 4096)) ? dialect_of (head, MIN (n, 8192), &same) : 0;

  return dialect == 2 ? 70 : dialect == 1 ? 55 : 0;
}

static const ConvertedFormat picl;
CONVERTED_OPEN (picl_open, &picl)
static const ConvertedFormat picl = {
  .format = { .name = "picl",
              .label = "PICL",
              .model = "PICL",
              .open = picl_open,
              .recognise = picl_recognise,
              CONVERTED_FUNCTIONS },
  .convert = picl_convert,
};

TRACE_READER_PLUGIN (picl.format, "scope.picl-reader", "PICL reader", "reader:picl",
                     "Reads PICL traces, old and new, as PICL, MPICL and others wrote them for ParaGraph.");
