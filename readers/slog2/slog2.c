/* SPDX-License-Identifier: Apache-2.0 */
/* slog2.c - reads SLOG-2, what Jumpshot shows: README.md.
 *
 * What is drawn lies in a tree of nodes, each before what is known of it: so the file is read twice, once for its
 * categories, lines and nodes, and once for what is in the nodes, always forward. */
#include <stdlib.h>
#include <string.h>

#include "readers/mpe.h"
#include "eve/words.h"

#define VERSION "SLOG 2.0.6"
#define NODES_AT 108 /* behind the head */
#define NODE_HEAD 34
#define MOST_CATEGORIES 20000
#define MOST_LINES 200000
#define MOST_NODES (64u << 20) /* bytes of their list */

typedef enum { EVENT, STATE, ARROW, UNKNOWN } Topology;

typedef struct Category {
  char *name;
  Topology topology;
  MpeForm form;
  int size;                  /* which of its values is the size of a message; -1: none */
  uint32_t kind[3], receive; /* by topology, + 1; 0: not made yet */
} Category;

typedef struct Place {
  uint64_t at;
  uint32_t bytes;
} Place;

typedef struct Slog {
  Converter *to;
  TraceSource *source;
  const char *file;
  MpeBytes in;
  Place categories_at, lines_at, nodes_at;
  GHashTable *categories; /* index -> Category */
  GHashTable *lines;      /* id -> task + 1 */
  GHashTable *ids;        /* of tasks */
  GArray *nodes;          /* of Place */
  bool short_of;          /* the file ended, which was told */
  uint32_t n_arrows;
  uint8_t info[G_MAXINT16];
} Slog;

static void
slog2_damaged (Slog *s, uint64_t at, const char *what)
{
  trace_source_damage (s->source, s->file, 0, at, "%s", what);
}

static bool
ends_early (Slog *s)
{
  if (!s->short_of)
    slog2_damaged (s, mpe_at (&s->in), _ ("the file ends here, before what it should hold; what was read is kept"));
  s->short_of = true;
  return false;
}

/* ---- numbers and words, one after the other -------------------------------------------------------------------------------- */

static bool
take_32 (Slog *s, int32_t *v)
{
  const uint8_t *at = mpe_take (&s->in, 4);

  *v = at ? mpe_32 (at) : 0;
  return at || ends_early (s);
}

static bool
take_16 (Slog *s, int16_t *v)
{
  const uint8_t *at = mpe_take (&s->in, 2);

  *v = at ? mpe_16 (at) : 0;
  return at || ends_early (s);
}

/* g_free; NULL: it is not all there. */
static char *
take_words (Slog *s)
{
  int16_t n;
  uint64_t place = mpe_at (&s->in);

  if (!take_16 (s, &n))
    return NULL;
  if (n < 0) {
    slog2_damaged (s, place, _ ("a word cannot be as long as this one says"));
    return NULL;
  }
  const uint8_t *at = mpe_take (&s->in, (size_t) n);
  if (!at)
    ends_early (s);
  return at ? mpe_words (at, (size_t) n) : NULL;
}

static bool
slog2_skip (Slog *s, uint64_t n)
{
  return mpe_go (&s->in, mpe_at (&s->in) + n) || ends_early (s);
}

/* ---- categories --------------------------------------------------------------------------------------------------------------- */

static void
free_category (void *p)
{
  Category *c = p;

  mpe_form_clear (&c->form);
  g_free (c->name);
  g_free (c);
}

/* Texts and values take turns, and each value has the text before it as its name. */
static bool
take_form (Slog *s, Category *c)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  int16_t n_keys, n_types, n_methods;

  if (!take_16 (s, &n_keys))
    return false;
  for (int i = 0; i < n_keys; i++) {
    char *key = take_words (s);
    if (!key)
      return false;
    g_ptr_array_add (keys, key);
  }
  if (!take_16 (s, &n_types))
    return false;
  for (int i = 0; i < n_types; i++) {
    const uint8_t *type = mpe_take (&s->in, 1);
    if (!type)
      return ends_early (s);
    mpe_form_add (&c->form, (guint) i < keys->len ? keys->pdata[i] : "", (char) *type);
  }
  for (uint32_t i = 0; i < c->form.n; i++)
    if (strstr (c->form.names[i], "size"))
      c->size = (int) i;
  return take_16 (s, &n_methods) && slog2_skip (s, 4 * (uint64_t) MAX (n_methods, 0));
}

static bool
take_category (Slog *s)
{
  Category *c = g_new0 (Category, 1);
  int32_t index, topology, argb;
  bool ok = take_32 (s, &index);

  c->size = -1;
  c->name = ok ? take_words (s) : NULL;
  ok = c->name && take_32 (s, &topology) && take_32 (s, &argb) && slog2_skip (s, 2) && take_form (s, c)
       && slog2_skip (s, 16);
  c->topology = ok && topology >= EVENT && topology <= ARROW ? (Topology) topology : UNKNOWN;
  if (ok && index >= 0 && c->topology == STATE) /* those below 0 are of previews */
    trace_source_set_colour (s->source, c->name, (uint32_t) argb);
  if (ok && g_hash_table_size (s->categories) < MOST_CATEGORIES)
    g_hash_table_replace (s->categories, GINT_TO_POINTER (index), c);
  else
    free_category (c);
  return ok;
}

/* One that the file does not tell has the name of its number. */
static Category *
category_of (Slog *s, int32_t index)
{
  Category *c = g_hash_table_lookup (s->categories, GINT_TO_POINTER (index));

  if (c)
    return c;
  if (g_hash_table_size (s->categories) >= 2 * MOST_CATEGORIES) {
    index = G_MININT32;
    c = g_hash_table_lookup (s->categories, GINT_TO_POINTER (index));
  }
  if (!c) {
    c = g_new0 (Category, 1);
    c->name = g_strdup_printf ("category %d", index);
    c->topology = UNKNOWN;
    c->size = -1;
    g_hash_table_insert (s->categories, GINT_TO_POINTER (index), c);
  }
  return c;
}

static uint16_t
slog2_kind_of (Slog *s, Category *c, Topology t, bool receives)
{
  static const TraceField of_send[] = { { "to", TRACE_ROLE_PEER, NULL },
                                        { "key", TRACE_ROLE_KEY, NULL },
                                        { "bytes", TRACE_ROLE_SIZE, "B" } };
  static const TraceField of_receive[] = { { "from", TRACE_ROLE_PEER, NULL },
                                           { "key", TRACE_ROLE_KEY, NULL },
                                           { "bytes", TRACE_ROLE_SIZE, "B" } };
  uint32_t *known = receives ? &c->receive : &c->kind[t], n = 0;
  TraceField fields[MPE_MOST_VALUES + 3];

  if (*known > 0)
    return (uint16_t) (*known - 1);
  if (t == ARROW) {
    memcpy (fields, receives ? of_receive : of_send, sizeof of_send);
    n = G_N_ELEMENTS (of_send);
  }
  n += mpe_form_fields (&c->form, fields + n);
  uint32_t kind = converter_kind (s->to, &(TraceKind){ .name = t != ARROW ? c->name
                                                               : receives ? "Receive"
                                                                          : "Send",
                                                       .category = t == ARROW   ? c->name
                                                                   : t == STATE ? "state"
                                                                                : "event",
                                                       .fields = fields,
                                                       .n_fields = n,
                                                       .instant = t != STATE,
                                                       .acts = t == STATE   ? TRACE_ACT_CALL
                                                               : t == EVENT ? TRACE_ACT_MARK
                                                               : receives   ? TRACE_ACT_RECEIVE
                                                                            : TRACE_ACT_SEND });
  *known = (kind == UINT32_MAX ? 0 : kind) + 1;
  return (uint16_t) (*known - 1);
}

/* ---- lines ---------------------------------------------------------------------------------------------------------------------- */

static uint32_t
slog2_add_line (Slog *s, int32_t line, const char *name)
{
  g_autofree char *id = g_hash_table_contains (s->ids, name) ? g_strdup_printf ("%s (line %d)", name, line)
                                                             : g_strdup (name);
  uint32_t task = trace_source_add_task (s->source, id, line);

  g_hash_table_add (s->ids, g_strdup (id));
  g_hash_table_insert (s->lines, GINT_TO_POINTER (line), GUINT_TO_POINTER (task + 1));
  return task;
}

static uint32_t
slog2_task_of (Slog *s, int32_t line)
{
  uint32_t known = GPOINTER_TO_UINT (g_hash_table_lookup (s->lines, GINT_TO_POINTER (line)));

  if (known > 0)
    return known - 1;
  if (s->source->tasks->len >= MOST_LINES)
    return 0;
  g_autofree char *name = g_strdup_printf ("line %d", line);
  return slog2_add_line (s, line, name);
}

/* What a line is: "process 3" where a map has nothing but ranks, else its columns: "commID 0 comm_rank 3". */
static bool
slog2_take_entry (Slog *s, GPtrArray *columns, bool counts)
{
  g_autoptr (GString) name = g_string_new (NULL);
  int32_t line, value;

  if (!take_32 (s, &line))
    return false;
  for (guint i = 0; i < columns->len; i++) {
    const char *column = columns->pdata[i];
    if (!take_32 (s, &value))
      return false;
    column = strcmp (column, "world_rank") == 0 ? "process" : strcmp (column, "LineID") == 0 ? "line" : column;
    g_string_append_printf (name, "%s%s %d", i > 0 ? " " : "", column, value);
  }
  if (counts && !g_hash_table_contains (s->lines, GINT_TO_POINTER (line)) && s->source->tasks->len < MOST_LINES)
    slog2_add_line (s, line, name->str);
  return true;
}

/* The first map tells what lines are called. */
static bool
take_lines (Slog *s, int32_t n_maps)
{
  for (int32_t i = 0; i < n_maps; i++) {
    g_autoptr (GPtrArray) columns = g_ptr_array_new_with_free_func (g_free);
    g_autofree char *title = take_words (s);
    int32_t n_columns, n;
    int16_t n_methods;
    if (!title || !take_32 (s, &n_columns))
      return false;
    if (n_columns < 0 || n_columns > 64) {
      slog2_damaged (s, mpe_at (&s->in), _ ("a map of lines has no such number of columns; lines have their numbers"));
      return true;
    }
    for (int32_t k = 0; k < n_columns; k++) {
      char *column = take_words (s);
      if (!column)
        return false;
      g_ptr_array_add (columns, column);
    }
    if (!take_32 (s, &n))
      return false;
    for (int32_t k = 0; k < n; k++)
      if (!slog2_take_entry (s, columns, i == 0))
        return false;
    if (!take_16 (s, &n_methods) || !slog2_skip (s, 4 * (uint64_t) MAX (n_methods, 0)))
      return false;
  }
  return true;
}

/* ---- what is drawn ---------------------------------------------------------------------------------------------------------------- */

typedef struct Vertex {
  double seconds;
  int32_t line;
} Vertex;

static void
slog2_give (Slog *s, Category *c, TraceEvent e, uint16_t kind, size_t n_info)
{
  mpe_form_give (&c->form, s->info, n_info, s->to);
  e.kind = kind;
  e.flags |= TRACE_INSTANT;
  converter_event (s->to, &e);
}

static void
give_arrow (Slog *s, Category *c, const TraceEvent *begin, int64_t end, uint32_t to, size_t n_info)
{
  TraceEvent send = *begin, receive = *begin;
  int64_t bytes;

  if (c->size >= 0 && mpe_form_whole (&c->form, s->info, n_info, (uint32_t) c->size, &bytes))
    send.size = receive.size = bytes;
  send.tag = receive.tag = (int32_t) (s->n_arrows++ & G_MAXINT32);
  send.peer = to;
  receive.peer = begin->task;
  receive.task = to;
  receive.date = end;
  slog2_give (s, c, send, slog2_kind_of (s, c, ARROW, false), n_info);
  slog2_give (s, c, receive, slog2_kind_of (s, c, ARROW, true), n_info);
}

static void
give_drawable (Slog *s, uint64_t place, Category *c, size_t n_info, const Vertex *first, const Vertex *last, int n)
{
  TraceEvent e = { .peer = TRACE_NONE, .object = TRACE_NONE, .tag = -1 };
  Topology t = c->topology != UNKNOWN ? c->topology : n < 2 ? EVENT : first->line == last->line ? STATE : ARROW;
  int64_t begin, end;

  if (n < 1 || (t != EVENT && n < 2) || !mpe_date (first->seconds, &begin) || !mpe_date (last->seconds, &end)) {
    slog2_damaged (s, place,
                   n < 1 || (t != EVENT && n < 2) ? _ ("what is drawn here has too few points; it is left out")
                                                  : _ ("no date can be so far; what is drawn here is left out"));
    return;
  }
  e.date = t == STATE ? MIN (begin, end) : begin;
  e.task = slog2_task_of (s, first->line);
  if (t == EVENT) {
    slog2_give (s, c, e, slog2_kind_of (s, c, EVENT, false), n_info);
  } else if (t == ARROW) {
    give_arrow (s, c, &e, end, slog2_task_of (s, last->line), n_info);
  } else {
    e.kind = slog2_kind_of (s, c, STATE, false);
    mpe_form_give (&c->form, s->info, n_info, s->to);
    converter_nested (s->to, &e, MAX (begin, end));
  }
}

/* The number of a category, and values in s->info. */
static bool
slog2_take_head (Slog *s, int32_t *index, size_t *n_info)
{
  int16_t n;

  if (!take_32 (s, index) || !take_16 (s, &n))
    return false;
  const uint8_t *at = mpe_take (&s->in, (size_t) MAX (n, 0));
  if (!at)
    return ends_early (s);
  *n_info = (size_t) MAX (n, 0);
  memcpy (s->info, at, *n_info);
  return true;
}

static bool
take_primitive (Slog *s)
{
  uint64_t place = mpe_at (&s->in);
  Vertex first = { 0 }, last = { 0 };
  int32_t index;
  int16_t n;
  size_t n_info;

  if (!slog2_take_head (s, &index, &n_info) || !take_16 (s, &n))
    return false;
  for (int i = 0; i < n; i++) {
    const uint8_t *at = mpe_take (&s->in, 12);
    if (!at)
      return ends_early (s);
    last = (Vertex){ mpe_double (at), mpe_32 (at + 8) };
    first = i == 0 ? last : first;
  }
  give_drawable (s, place, category_of (s, index), n_info, &first, &last, n);
  return true;
}

/* Its parts are what is drawn. */
static bool
take_composite (Slog *s)
{
  int32_t index;
  int16_t n;
  size_t n_info;

  if (!slog2_take_head (s, &index, &n_info) || !take_16 (s, &n))
    return false;
  for (int i = 0; i < n; i++)
    if (!take_primitive (s))
      return false;
  return true;
}

/* What is drawn in a node: first what is inside of nothing, then states; behind it are previews of nodes below. */
static bool
take_node (Slog *s)
{
  if (!mpe_take (&s->in, NODE_HEAD))
    return ends_early (s);
  for (int list = 0; list < 2; list++) {
    int32_t n;
    if (!take_32 (s, &n))
      return false;
    for (int32_t i = 0; i < n; i++) {
      uint64_t place = mpe_at (&s->in);
      const uint8_t *kind = mpe_take (&s->in, 1);
      if (!kind)
        return ends_early (s);
      if (*kind > 1) {
        slog2_damaged (s, place,
                       _ ("what is drawn here is neither one thing nor several; the rest of this node is left out"));
        return true;
      }
      if ((i & 0xfff) == 0 && !converter_progress (s->to, input_share (s->in.in), NULL))
        return false;
      if (!(*kind == 0 ? take_primitive (s) : take_composite (s)))
        return false;
    }
  }
  return true;
}

/* ---- the whole --------------------------------------------------------------------------------------------------------------------- */

static bool
open_at_head (Slog *s, const char *path, GError **error)
{
  if (!mpe_bytes_open (&s->in, path, error))
    return false;
  const uint8_t *at = mpe_take (&s->in, NODES_AT);
  if (!at) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s ends inside of its head: nothing of it can be read"),
                 path);
    return false;
  }
  if (mpe_16 (at) != (int16_t) strlen (VERSION) || memcmp (at + 2, VERSION, strlen (VERSION)) != 0) {
    g_autofree char *version = mpe_words (at + 2, 10);
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s is of another version of SLOG (“%s”); what can be read is %s: convert it anew from its CLOG-2 "
                    "file, which can be opened itself"),
                 path, version, VERSION);
    return false;
  }
  const uint8_t *pointers = at + 24;
  s->categories_at = (Place){ (uint64_t) mpe_64 (pointers), (uint32_t) mpe_32 (pointers + 8) };
  s->lines_at = (Place){ (uint64_t) mpe_64 (pointers + 24), (uint32_t) mpe_32 (pointers + 32) };
  s->nodes_at = (Place){ (uint64_t) mpe_64 (pointers + 48), (uint32_t) mpe_32 (pointers + 56) };
  return true;
}

static bool
take_nodes (Slog *s, int32_t n)
{
  for (int32_t i = 0; i < n && i < (int32_t) (MOST_NODES / 34); i++) {
    const uint8_t *at = mpe_take (&s->in, 34);
    if (!at) { /* they will be found without it */
      g_array_set_size (s->nodes, 0);
      return ends_early (s);
    }
    Place p = { (uint64_t) mpe_64 (at + 22), (uint32_t) mpe_32 (at + 30) };
    g_array_append_val (s->nodes, p);
  }
  return true;
}

static int
slog2_by_place (const void *a, const void *b)
{
  uint64_t one = ((const Place *) a)->at, other = ((const Place *) b)->at;

  return one < other ? -1 : one > other;
}

/* A part that begins with how many there are in it. */
static void
slog2_take_part (Slog *s, const Place *p)
{
  int32_t n;

  if (p->at == 0 || p->bytes == 0)
    return;
  if (p->at < mpe_at (&s->in)) {
    slog2_damaged (s, mpe_at (&s->in), _ ("a part of the file would begin inside of another; it is left out"));
    return;
  }
  if (!mpe_go (&s->in, p->at)) {
    ends_early (s);
    return;
  }
  if (!take_32 (s, &n))
    return;
  if (p == &s->lines_at)
    take_lines (s, n);
  else if (p == &s->nodes_at)
    take_nodes (s, n);
  else
    for (int32_t i = 0; i < n && take_category (s); i++)
      ;
}

static void
slog2_read_parts (Slog *s)
{
  const Place *parts[] = { &s->categories_at, &s->lines_at, &s->nodes_at };

  for (int i = 0; i < 2; i++) /* in the order of the file */
    for (int k = 0; k < 2 - i; k++)
      if (parts[k]->at > parts[k + 1]->at) {
        const Place *swap = parts[k];
        parts[k] = parts[k + 1];
        parts[k + 1] = swap;
      }
  for (int i = 0; i < 3; i++)
    slog2_take_part (s, parts[i]);
  g_array_sort (s->nodes, slog2_by_place);
}

/* Without their list, nodes lie one behind the other, and each says how long it is. */
static void
walk_nodes (Slog *s)
{
  const uint8_t *at;
  uint64_t next = NODES_AT;
  uint64_t end = s->categories_at.at > NODES_AT ? s->categories_at.at : UINT64_MAX;

  slog2_damaged (s, 0, _ ("the list of nodes is missing; they are read one after the other"));
  while (next < end && mpe_go (&s->in, next) && (at = mpe_look (&s->in, NODE_HEAD))) {
    int32_t bytes = mpe_32 (at + 30);
    if (bytes < NODE_HEAD || (uint64_t) mpe_64 (at + 22) != next || !take_node (s))
      return;
    next += (uint32_t) bytes;
  }
}

static void
slog2_read_nodes (Slog *s)
{
  for (guint i = 0; i < s->nodes->len; i++) {
    const Place *p = &g_array_index (s->nodes, Place, i);
    if (p->at == 0 || p->bytes == 0) /* nothing is in it */
      continue;
    if (p->at < mpe_at (&s->in)) {
      slog2_damaged (s, p->at, _ ("a node would begin inside of another; it is left out"));
      continue;
    }
    if (!mpe_go (&s->in, p->at)) {
      ends_early (s);
      return;
    }
    if (!take_node (s))
      return;
  }
}

static bool
slog2_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  g_autofree Slog *s = g_new0 (Slog, 1);
  g_autoptr (GHashTable) categories = g_hash_table_new_full (NULL, NULL, NULL, free_category),
                         lines = g_hash_table_new (NULL, NULL),
                         ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (Place));

  s->to = to;
  s->source = converter_source (to);
  s->file = file;
  s->categories = categories;
  s->lines = lines;
  s->ids = ids;
  s->nodes = nodes;
  s->source->clock = (TraceClock){ 1000000000, "s" };
  bool ok = open_at_head (s, path, error);
  if (ok)
    slog2_read_parts (s);
  mpe_bytes_close (&s->in);
  s->in = (MpeBytes){ 0 };
  ok = ok && open_at_head (s, path, error);
  if (ok && nodes->len > 0)
    slog2_read_nodes (s);
  else if (ok)
    walk_nodes (s);
  if (ok && s->in.why && s->source->n_events > 0) { /* what came before it is good */
    slog2_damaged (s, mpe_at (&s->in), s->in.why->message);
  } else if (ok && s->in.why) {
    g_propagate_error (error, g_steal_pointer (&s->in.why));
    ok = false;
  }
  mpe_bytes_close (&s->in);
  return ok && converter_progress (to, 1, error);
}

static int
slog2_recognise (const char *path, const void *head, size_t n, char **whole)
{
  const uint8_t *at = head;

  return head && n >= 12 && at[0] == 0 && at[1] == strlen (VERSION) && memcmp (at + 2, "SLOG 2", 6) == 0 ? 95 : 0;
}

static const ConvertedFormat slog2;
CONVERTED_OPEN (slog2_open, &slog2)
static const ConvertedFormat slog2 = {
  .format = { .name = "slog2",
              .label = "SLOG-2",
              .model = "MPI",
              .open = slog2_open,
              .recognise = slog2_recognise,
              CONVERTED_FUNCTIONS },
  .convert = slog2_convert,
};

TRACE_READER_PLUGIN (slog2.format, "scope.slog2-reader", "SLOG-2 reader", "reader:slog2",
                     "Reads SLOG-2, the logs that Jumpshot shows.");
