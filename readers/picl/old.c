/* SPDX-License-Identifier: Apache-2.0 */
/* old.c - the records of PICL before 1992: "type sec usec node ...", or the same with words before the numbers. */
#include <string.h>

#include "readers/picl/picl.h"
#include "eve/words.h"

#define OLD_VALUES 8
#define BLOCKS INT64_C (1000000) /* codes of blocks are above those of other calls */

enum {
  RECORD_START = 1,
  OPEN,
  LOAD,
  SEND,
  PROBE,
  RECV,
  RECV_BLOCKING,
  RECV_WAKING,
  MESSAGE,
  SYNC,
  COMPSTATS,
  COMMSTATS,
  CLOSE,
  RECORD_LEVEL,
  RECORD_MARK,
  RECORD_MESSAGE,
  RECORD_STOP,
  RECORD_FLUSH,
  RECORD_EXIT,
  BLOCK_BEGIN,
  BLOCK_END,
  RECORD_MARKS,
  CLOCK_SYNC,
  RECORD_FILES,
  N_TYPES
};

static const struct {
  const char *name;
  int least; /* values that it must have */
} types[N_TYPES] = {
  [RECORD_START] = { "trace_start", 0 },
  [OPEN] = { "open", 0 },
  [LOAD] = { "load", 0 },
  [SEND] = { "send", 3 },
  [PROBE] = { "probe", 0 },
  [RECV] = { "recv", 3 },
  [RECV_BLOCKING] = { "recv_blocking", 0 },
  [RECV_WAKING] = { "recv_waking", 3 },
  [MESSAGE] = { "message", 0 },
  [SYNC] = { "sync", 0 },
  [COMPSTATS] = { "compstats", 2 },
  [COMMSTATS] = { "commstats", 0 },
  [CLOSE] = { "close", 0 },
  [RECORD_LEVEL] = { "trace_level", 0 },
  [RECORD_MARK] = { "trace_mark", 0 },
  [RECORD_MESSAGE] = { "trace_message", 0 },
  [RECORD_STOP] = { "trace_stop", 0 },
  [RECORD_FLUSH] = { "trace_flush", 2 },
  [RECORD_EXIT] = { "trace_exit", 0 },
  [BLOCK_BEGIN] = { "block_begin", 1 },
  [BLOCK_END] = { "block_end", 1 },
  [RECORD_MARKS] = { "trace_marks", 0 },
  [CLOCK_SYNC] = { "clock_sync", 0 },
  [RECORD_FILES] = { "trace_files", 2 },
};

static int
old_type_of (const char *word)
{
  int64_t n;

  if (picl_int (word, &n))
    return n > 0 && n < N_TYPES ? (int) n : 0;
  if (strcmp (word, "trace_mark_array") == 0)
    return RECORD_MARKS;
  for (int i = 1; i < N_TYPES; i++)
    if (strcmp (types[i].name, word) == 0)
      return i;
  return 0;
}

bool
picl_looks_old (char **words, int n)
{
  bool verbose = g_ascii_isalpha (*words[0]);
  int64_t v[3];
  int type = old_type_of (words[0]);

  if (type == 0 || n < (verbose ? 6 : 4))
    return false;
  if (verbose)
    return strcmp (words[1], "clock") == 0 && picl_int (words[2], &v[0]) && picl_int (words[3], &v[1]);
  for (int i = 0; i < 3; i++)
    if (!picl_int (words[i + 1], &v[i]))
      return false;
  return v[0] >= 0 && v[1] >= 0 && v[1] < 1000000 && v[2] >= -32768 && n - 4 >= types[type].least;
}

/* ---- records -------------------------------------------------------------------------------------------------------------------- */

typedef struct OldRecord {
  int type;
  int64_t date;
  int64_t v[OLD_VALUES];
  int n;
  char text[256]; /* its values as they stand */
} OldRecord;

static uint32_t
call_kind (Picl *p)
{
  const gint64 one = 0;
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (p->kinds, &one));
  static const TraceField fields[] = { { "call", TRACE_ROLE_REGION, NULL }, { "data", TRACE_ROLE_WORD, NULL } };

  if (known == 0) {
    known = converter_kind (
                p->to,
                &(TraceKind){
                    .name = "Call", .category = "call", .fields = fields, .n_fields = 2, .acts = TRACE_ACT_CALL })
            + 1;
    g_hash_table_insert (p->kinds, g_memdup2 (&one, sizeof one), GUINT_TO_POINTER (known));
  }
  return known - 1;
}

static uint32_t
block_object (Picl *p, int64_t type)
{
  static const char *const system[] = { "barrier", "bcast0", "bcast1", "global combine", "gather" };
  g_autofree char *name = type < 0 && type >= -5 ? g_strdup (system[-1 - type])
                          : type >= 0            ? g_strdup_printf ("task %" PRId64, type)
                                                 : g_strdup_printf ("block %" PRId64, type);

  return picl_call_object (p, BLOCKS + type, name);
}

/* A send, or a like record, lasts until the second compstats behind it, if there are such. */
static void
may_last (Picl *p, Node *n, const OldRecord *r)
{
  n->send_date = r->date;
  n->send_place = converter_place (p->to);
  n->send_object = picl_call_object (p, r->type, types[r->type].name);
  n->n_compstats = n->compstats == r->date;
}

static void
has_lasted (Picl *p, Node *n, const OldRecord *r)
{
  n->compstats = r->date;
  if (n->send_date < 0 || r->date < n->send_date)
    return;
  if (n->n_compstats == 0) {
    n->n_compstats = r->date == n->send_date;
    if (n->n_compstats == 0)
      n->send_date = -1; /* statistics of something else */
    return;
  }
  if (n->n_frames == 0 || !n->frames[n->n_frames - 1].is_system) {
    picl_show_at (p, n, (Pending){ n->send_date, n->send_place }, OVERHEAD);
    picl_show_at (p, n, (Pending){ r->date, converter_place (p->to) }, n->shown == N_CONDITIONS ? BUSY : n->shown);
  }
  converter_text (p->to, "", 0);
  converter_action (p->to,
                    &(TraceEvent){ .date = n->send_date,
                                   .task = n->calls,
                                   .peer = TRACE_NONE,
                                   .object = n->send_object,
                                   .tag = -1,
                                   .kind = (uint16_t) call_kind (p) },
                    r->date);
  n->send_date = -1;
}

/* What is written while nothing else is done: until a date that the record itself tells. */
static void
old_flush (Picl *p, Node *n, const OldRecord *r)
{
  int64_t end = r->v[0] >= 0 && r->v[0] < 4000000000 ? r->v[0] * 1000000000 + CLAMP (r->v[1], 0, 999999) * 1000
                                                     : r->date;

  end = MAX (end, r->date);
  converter_text (p->to, r->text, strlen (r->text));
  converter_action (p->to,
                    &(TraceEvent){ .date = r->date,
                                   .task = n->calls,
                                   .peer = TRACE_NONE,
                                   .object = picl_call_object (p, r->type, types[r->type].name),
                                   .tag = -1,
                                   .kind = (uint16_t) call_kind (p) },
                    end);
  picl_show_at (p, n, (Pending){ r->date, converter_place (p->to) }, OVERHEAD);
  picl_show_at (p, n, (Pending){ end, converter_place (p->to) }, n->shown == N_CONDITIONS ? BUSY : n->shown);
}

static void
statistics (Picl *p, Node *n, const OldRecord *r)
{
  static const char *const labels[] = { "messages received", "volume received", "messages sent", "volume sent",
                                        "probes" };

  if (r->type == COMPSTATS) {
    const int64_t *idle = r->v + (r->n >= 4 ? 2 : 0);
    picl_variable (p, n, r->date, "idle", "s", (double) idle[0] + (double) idle[1] / 1e6);
    has_lasted (p, n, r);
    return;
  }
  for (int i = 0; i < r->n && i < 5; i++)
    picl_variable (p, n, r->date, labels[i], i % 2 ? "B" : NULL, (double) r->v[i]);
}

static void
old_block (Picl *p, Node *n, const OldRecord *r)
{
  int family = (int) CLAMP (r->v[0], -1000, 1000000) + 10000;

  if (r->type != BLOCK_BEGIN) {
    if (!picl_leave (p, n, r->date, family, OVERHEAD))
      picl_mark (p, n, r->date, p->alone_kind, types[r->type].name, r->text);
    return;
  }
  bool entered = picl_enter (p, n, r->date,
                             (Frame){ .family = family,
                                      .object = block_object (p, r->v[0]),
                                      .kind = call_kind (p),
                                      .is_system = r->v[0] < 0,
                                      .condition = OVERHEAD },
                             r->text);
  if (entered && r->v[0] == -1) /* all nodes have to come */
    picl_begin_together (p, n, r->date, "Barrier", (const int64_t[]){ -1 }, 1);
}

static void
happen_old (Picl *p, Node *n, const OldRecord *r)
{
  switch (r->type) {
  case SEND:
    picl_message (p, n, r->date, true, r->v[0], -1, r->v[1], r->v[2]);
    may_last (p, n, r);
    break;
  case RECV:
    picl_message (p, n, r->date, false, r->v[0], -1, r->v[1], r->v[2]);
    may_last (p, n, r);
    break;
  case SYNC:
  case PROBE:
    picl_mark (p, n, r->date, p->mark_kind, types[r->type].name, r->text);
    may_last (p, n, r);
    break;
  case RECV_BLOCKING:
    n->send_date = -1;
    picl_enter (p, n, r->date,
                (Frame){ .family = RECV_BLOCKING,
                         .object = picl_call_object (p, RECV_BLOCKING, "recv"),
                         .kind = call_kind (p),
                         .is_system = true,
                         .condition = IDLE },
                r->text);
    break;
  case RECV_WAKING:
    /* within the call that it ends, as who looks for waits has to see */
    picl_message (p, n, r->date, false, r->v[0], -1, r->v[1], r->v[2]);
    if (!picl_leave (p, n, r->date, RECV_BLOCKING, IDLE))
      picl_mark (p, n, r->date, p->alone_kind, "recv_waking", r->text);
    break;
  case COMPSTATS:
  case COMMSTATS:
    statistics (p, n, r);
    break;
  case BLOCK_BEGIN:
  case BLOCK_END:
    old_block (p, n, r);
    break;
  case RECORD_FLUSH:
  case RECORD_FILES:
    old_flush (p, n, r);
    break;
  case RECORD_STOP:
  case RECORD_EXIT:
    n->off = true;
    picl_mark (p, n, r->date, p->mark_kind, types[r->type].name, r->text);
    picl_show (p, n, r->date, OFF);
    break;
  case RECORD_START:
    n->off = false;
    picl_mark (p, n, r->date, p->mark_kind, types[r->type].name, r->text);
    picl_show (p, n, r->date, BUSY);
    break;
  default:
    picl_mark (p, n, r->date, r->type == RECORD_MESSAGE ? p->message_kind : p->mark_kind, types[r->type].name, r->text);
    break;
  }
}

/* Numbers among the words from `from` on; in a message all words are its text. */
static void
take_values (OldRecord *r, char **words, int from, int n)
{
  size_t at = 0;

  for (int i = from; i < n; i++) {
    int64_t v;
    if (r->n < OLD_VALUES && picl_int (words[i], &v))
      r->v[r->n++] = v;
    size_t length = strlen (words[i]);
    if (at + length + 2 < sizeof r->text) {
      if (at > 0)
        r->text[at++] = ' ';
      memcpy (r->text + at, words[i], length + 1);
      at += length;
    }
  }
}

void
picl_old_line (Picl *p, char **words, int n)
{
  bool verbose = g_ascii_isalpha (*words[0]);
  int at = verbose ? 2 : 1, type = old_type_of (words[0]);
  int64_t sec, usec, node;
  OldRecord r;

  r.type = type;
  r.n = 0;
  r.text[0] = '\0';

  if (type == 0 || (verbose && (n < 6 || strcmp (words[1], "clock") != 0))) {
    picl_damaged (p, _ ("“%.40s” is no record of PICL"), words[0]);
    return;
  }
  if (n < (verbose ? 6 : 4) || !picl_int (words[at], &sec) || !picl_int (words[at + 1], &usec)
      || !picl_int (words[verbose ? 5 : 3], &node) || sec < 0 || sec > 4000000000 || usec < 0 || usec > 999999) {
    picl_damaged (p, _ ("a record has a type, seconds, microseconds and a node"));
    return;
  }
  r.date = sec * 1000000000 + usec * 1000;
  take_values (&r, words, verbose ? 6 : 4, n);
  if (r.n < types[type].least) {
    picl_damaged (p, _ ("a record %s has %d values, not %d"), types[type].name, types[type].least, r.n);
    return;
  }
  Node *of = picl_node (p, node, -1, r.date);
  if (!of)
    return;
  if (!of->begun && type != RECORD_START)
    picl_show (p, of, r.date, BUSY);
  of->begun = true;
  happen_old (p, of, &r);
}
