/* SPDX-License-Identifier: Apache-2.0 */
/* pvm.c - records of PVM's tracer: "send(0.0)" is the begin of a call, "send(1.1)" its end, "newtask(0)" neither.  A
 * call is given when it ends, with the fields of both its records. */
#include <string.h>

#include "readers/sddf/sddf.h"
#include "eve/words.h"

#define HOST_BITS 18 /* of the number of a task, below its host */

/* What fields of calls are, by the names that the tracer gives them. */
static const struct {
  const char *name, *as;
  TraceRole role;
} roles[] = {
  { "DST", "to", TRACE_ROLE_PEER },         { "MDL", "to", TRACE_ROLE_PEERS },
  { "SRC", "from", TRACE_ROLE_PEER },       { "MC", "tag", TRACE_ROLE_TAG },
  { "MNB", "bytes", TRACE_ROLE_SIZE },      { "CC", "result", TRACE_ROLE_RESULT },
  { "PT", "parent", TRACE_ROLE_TASK },      { "STL", "spawned", TRACE_ROLE_TASKS },
  { "RST", "asked_from", TRACE_ROLE_TASK }, { "RMC", "asked_tag", TRACE_ROLE_INT },
  { "PC", "bytes", TRACE_ROLE_SIZE }, /* of pvm_psend alone: how many of a type; of others it is no message's */
};
#define MANY "PC"
#define MANY_OF "PDT"

static bool
pvm_is_call (const Record *r, const char *name)
{
  return strcmp (r->call, name) == 0;
}

/* -1: it is but a field. */
static int
role_at (const Record *r, uint32_t field)
{
  const SddfField *f = &r->fields[field];

  for (int i = 0; i < (int) G_N_ELEMENTS (roles); i++)
    if (strcmp (roles[i].name, f->name) == 0)
      return f->type == WHOLE && (strcmp (f->name, MANY) != 0 || pvm_is_call (r, "psend")) ? i : -1;
  return -1;
}

/* What tracers of PVM 3.3 called fields, which today's calls `now`. One name stands for several things there, so it is
 * of some records alone; of no kill is "dst" who gets a message. */
static const struct {
  const char *records, *field, *now;
} of_old[] = {
  { "send0 psend0", "dst", "DST" },
  { "send0 psend0 mcast0 recv1 nrecv1 trecv1", "code", "MC" },
  { "mcast0", "tids", "MDL" },
  { "psend0", "length", MANY },
  { "psend0", "type", MANY_OF },
  { "recv0 nrecv0 trecv0 precv0 probe0", "src", "RST" },
  { "recv0 nrecv0 trecv0 precv0 probe0", "code", "RMC" },
  { "recv1 nrecv1 trecv1", "cc", "MB" },
  { "recv1 nrecv1 trecv1", "nbytes", "MNB" },
  { "recv1 nrecv1 trecv1", "src", "SRC" },
  { NULL, "cc", "CC" },
  { NULL, "group", "GN" },
  { "spawn1", "tids", "STL" },
  { "newtask", "ptid", "PT" },
  { "newtask", "aout", "TN" },
  { "spntask", "parent", "PT" },
  { "output", "out", "OS" },
  { "host_add host_del", "name", "HN" },
  { "host_add", "arch", "HA" },
  { "host_add", "speed", "HSP" },
  { "host_sync", "dsec", "HDS" },
  { "host_sync", "dusec", "HDU" },
};

static bool
pvm_is_one_of (const char *names, const char *name)
{
  size_t n = strlen (name);

  for (const char *at = names; (at = strstr (at, name)); at += n)
    if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
      return true;
  return false;
}

void
pvm_rename (Record *r)
{
  if (r->n < 3 || strcmp (r->fields[0].name, "sec") != 0 || strcmp (r->fields[1].name, "usec") != 0
      || strcmp (r->fields[2].name, "tid") != 0 || *r->name == '\0')
    return;
  for (uint32_t k = 3; k < r->n; k++)
    for (uint32_t i = 0; i < G_N_ELEMENTS (of_old); i++)
      if (strcmp (r->fields[k].name, of_old[i].field) == 0
          && (!of_old[i].records || pvm_is_one_of (of_old[i].records, r->name))) {
        g_free (r->fields[k].name);
        r->fields[k].name = g_strdup (of_old[i].now);
        break;
      }
}

/* "NAME(PHASE.INDEX)", "NAME(INDEX)"; of old versions NAME0, NAME1. */
void
pvm_describe (Sddf *s, Record *r)
{
  size_t n = strspn (r->name, "abcdefghijklmnopqrstuvwxyz_");
  const char *rest = r->name + n;
  bool old = (rest[0] == '0' || rest[0] == '1') && rest[1] == '\0';
  size_t digits = rest[0] == '(' ? strspn (rest + 1, "0123456789.") : 0;

  if (n == 0 || r->seconds == TRACE_NONE || r->microseconds == TRACE_NONE || r->task == TRACE_NONE
      || (!old && *rest != '\0' && (digits == 0 || strcmp (rest + 1 + digits, ")") != 0)))
    return;
  for (uint32_t k = 0; k < 3; k++) {
    const SddfField *f = &r->fields[k == 0 ? r->seconds : k == 1 ? r->microseconds : r->task];
    if (f->type != WHOLE || f->dimensions > 0)
      return;
  }
  r->of_pvm = true;
  r->call = g_strndup (r->name, n);
  r->called = name_table_find (s->calls, r->call, n);
  if (r->called == NAME_TABLE_NONE) {
    r->called = s->n_calls++;
    name_table_set (s->calls, r->call, n, r->called);
  }
  bool dot = memchr (rest, '.', strlen (rest)) != NULL;
  char phase = old ? rest[0] : dot ? rest[1] : '\0';
  r->phase = phase == '0' ? BEGINS : phase == '1' ? ENDS : NO_CALL;
}

uint32_t
pvm_task_of (Sddf *s, int64_t tid)
{
  char id[32];

  if ((uint32_t) tid == 0x80000000u)
    return sddf_task (s, "pvmd", tid);
  g_snprintf (id, sizeof id, "t%x", (uint32_t) tid);
  uint32_t task = sddf_task (s, id, tid);
  TraceTask *t = trace_task (s->source, task);
  uint32_t host = GPOINTER_TO_UINT (g_hash_table_lookup (s->hosts, GUINT_TO_POINTER ((uint32_t) tid >> HOST_BITS)));
  if (host > 0 && t->host == TRACE_NONE)
    t->host = host - 1;
  return task;
}

/* Numbers below 0 stand for any task, or none. */
static uint32_t
named_task (Sddf *s, int64_t tid)
{
  return tid > 0 || (uint32_t) tid == 0x80000000u ? pvm_task_of (s, tid) : TRACE_NONE;
}

/* ---- kinds ---------------------------------------------------------------------------------------------------------------------- */

static uint32_t
pvm_add_fields (const Record *r, TraceField *fields, uint32_t n, uint16_t *acts)
{
  for (uint32_t i = 0; i < r->n; i++) {
    int role = role_at (r, i);
    bool known = role >= 0;
    if (i == r->seconds || i == r->microseconds || i == r->task)
      continue;
    TraceRole as = known ? roles[role].role : sddf_role (&r->fields[i]);
    if (as == TRACE_ROLE_PEER)
      *acts |= strcmp (roles[role].as, "to") == 0 ? TRACE_ACT_SEND : TRACE_ACT_RECEIVE;
    if (as == TRACE_ROLE_PEERS)
      *acts |= TRACE_ACT_SEND | TRACE_ACT_MULTICAST;
    fields[n++] = (TraceField){ known ? g_strdup (roles[role].as)
                                      : converted_field_name (r->fields[i].name, strlen (r->fields[i].name)),
                                as, as == TRACE_ROLE_SIZE ? "B" : NULL };
  }
  return n;
}

/* The kind of calls that begin with one record and end with another, or of what is none. */
static uint16_t
pvm_kind_of (Sddf *s, const Record *first, const Record *last)
{
  gint64 key = (gint64) (gintptr) first ^ (gint64) ((guint64) (guintptr) last << 20 | (guint64) (guintptr) last >> 44);
  uint32_t known = GPOINTER_TO_UINT (g_hash_table_lookup (s->kinds, &key)), n;
  TraceField fields[2 * MOST_FIELDS];
  uint16_t acts = 0;

  if (known > 0)
    return (uint16_t) (known - 1);
  n = pvm_add_fields (first, fields, 0, &acts);
  n = last ? pvm_add_fields (last, fields, n, &acts) : n;
  bool call = first->phase == BEGINS;
  if (call)
    acts |= TRACE_ACT_CALL;
  else
    acts = pvm_is_call (first, "newtask")   ? TRACE_ACT_BIRTH
           : pvm_is_call (first, "endtask") ? TRACE_ACT_DEATH
                                            : TRACE_ACT_MARK;
  uint32_t kind = converter_kind (s->to, &(TraceKind){ .name = first->call,
                                                       .category = call                            ? "call"
                                                                   : pvm_is_call (first, "output") ? "user"
                                                                   : acts == TRACE_ACT_MARK        ? "tracer"
                                                                                                   : "task",
                                                       .fields = fields,
                                                       .n_fields = n,
                                                       .instant = !call,
                                                       .acts = acts });
  while (n > 0)
    g_free ((char *) fields[--n].name);
  kind = kind == UINT32_MAX ? 0 : kind;
  g_hash_table_insert (s->kinds, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (kind + 1));
  return (uint16_t) kind;
}

/* Tasks of a list as the file writes it; a file may also declare a single number there. */
static void
pvm_give_tasks (Sddf *s, const Value *v)
{
  g_autoptr (GArray) tasks = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_autofree char *text = v->type == 'i' ? g_strdup_printf ("%" PRId64, v->whole)
                                         : g_strndup (v->at ? v->at : "", v->n);
  const char *at = text;
  int64_t tid;

  while (tasks->len < 65536 && sddf_next_number (&at, &tid)) {
    uint32_t task = named_task (s, tid);
    if (task != TRACE_NONE)
      g_array_append_val (tasks, task);
  }
  converter_list (s->to, (const uint32_t *) (const void *) tasks->data, tasks->len);
}

/* So many of the type that pvm_psend is told, by PVM's number: a text, a byte, a short, an int, a float, a complex, a
 * double, a double complex, a long, then those without a sign. */
static int64_t
pvm_bytes_of (const Record *r, const Value *values, int64_t n)
{
  static const uint8_t sizes[] = { 1, 1, 2, 4, 4, 8, 8, 16, 8, 2, 4, 8 };
  uint32_t at = sddf_find_field (r, MANY_OF);
  int64_t type = at != TRACE_NONE && values[at].type == 'i' ? values[at].whole : -1, bytes;

  if (type < 0 || type >= (int64_t) G_N_ELEMENTS (sizes) || n < 0 || __builtin_mul_overflow (n, sizes[type], &bytes))
    return n;
  return bytes;
}

/* Puts the values of a record into an event, or behind it. */
static void
pvm_give_values (Sddf *s, const Record *r, const Value *values, TraceEvent *e)
{
  for (uint32_t i = 0; i < r->n; i++) {
    const Value *v = &values[i];
    int role = role_at (r, i);
    if (i == r->seconds || i == r->microseconds || i == r->task)
      continue;
    switch (role < 0 ? TRACE_ROLE_WORD : roles[role].role) {
    case TRACE_ROLE_PEER:
      e->peer = named_task (s, v->whole);
      break;
    case TRACE_ROLE_TAG:
      e->tag = (int32_t) v->whole;
      break;
    case TRACE_ROLE_SIZE:
      e->size = strcmp (r->fields[i].name, MANY) == 0 ? pvm_bytes_of (r, values, v->whole) : v->whole;
      break;
    case TRACE_ROLE_RESULT:
      e->result = (int32_t) v->whole;
      break;
    case TRACE_ROLE_PEERS:
    case TRACE_ROLE_TASKS:
      pvm_give_tasks (s, v);
      break;
    case TRACE_ROLE_TASK:
      if (named_task (s, v->whole) != TRACE_NONE)
        converter_int (s->to, named_task (s, v->whole));
      else
        converter_none (s->to);
      break;
    default:
      sddf_give_value (s, v);
    }
    /* a receive that got no buffer got nothing */
    if (strcmp (r->fields[i].name, "MB") == 0 && r->fields[i].type == WHOLE && v->whole <= 0)
      e->result = v->whole < 0 ? (int32_t) v->whole : -1;
  }
}

/* ---- what happens ----------------------------------------------------------------------------------------------------------------- */

static void
give_call (Sddf *s, uint32_t task, const Held *h, int64_t end, const Record *last, const Value *values)
{
  TraceEvent e = { .date = h->date, .task = task, .peer = TRACE_NONE, .object = TRACE_NONE, .tag = -1 };
  Value of_begin[MOST_FIELDS] = { 0 };
  const char *behind;

  sddf_values (h->record, h->text, h->text + strlen (h->text), of_begin, &behind);
  e.kind = pvm_kind_of (s, h->record, last);
  e.flags = last ? 0 : TRACE_UNFINISHED;
  pvm_give_values (s, h->record, of_begin, &e);
  if (last)
    pvm_give_values (s, last, values, &e);
  converter_nested (s->to, &e, end);
}

void
pvm_free_held (OpenCall *call)
{
  Held *h = (Held *) call;

  g_free (h->text);
  g_free (h);
}

/* The innermost call of this name ends. */
static bool
pvm_end_call (Sddf *s, uint32_t task, int64_t date, const Record *r, const Value *values)
{
  Held *h = (Held *) open_calls_end (s->held, task, r->called);

  if (!h)
    return false;
  give_call (s, task, h, date, r, values);
  pvm_free_held (&h->call);
  return true;
}

static void
pvm_begin_call (Sddf *s, uint32_t task, int64_t date, const Record *r, const char *text, const char *end)
{
  Held h = { .record = r, .date = date };
  const char *behind;
  Value values[MOST_FIELDS];

  sddf_values (r, text, end, values, &behind);
  h.text = g_strndup (text, (gsize) (behind - text));
  if (open_calls_n (s->held) >= MOST_HELD || strlen (h.text) > 65536) {
    give_call (s, task, &h, date, NULL, NULL);
    g_free (h.text);
    return;
  }
  Held *held = g_memdup2 (&h, sizeof h);
  open_calls_begin (s->held, task, r->called, &held->call);
}

/* Calls of a task that never ended. */
static void
give_held (Sddf *s, uint32_t task)
{
  for (OpenCall *c = open_calls_take_all (s->held, task), *inner; c; c = inner) {
    const Held *h = (const Held *) c;
    inner = c->inner;
    give_call (s, task, h, h->date, NULL, NULL);
    pvm_free_held (c);
  }
}

static int64_t
pvm_field_of (const Record *r, const Value *values, const char *name)
{
  uint32_t at = sddf_find_field (r, name);

  return at != TRACE_NONE && values[at].type == 'i' ? values[at].whole : 0;
}

static char *
pvm_words_of (const Record *r, const Value *values, const char *name)
{
  uint32_t at = sddf_find_field (r, name);

  return at != TRACE_NONE && values[at].type == 't'
             ? g_utf8_make_valid (values[at].at, (gssize) MIN (values[at].n, 1000))
             : NULL;
}

static void
add_host (Sddf *s, const Record *r, const Value *values, uint32_t host)
{
  g_autofree char *name = pvm_words_of (r, values, "HN"), *arch = pvm_words_of (r, values, "HA");

  if (g_hash_table_contains (s->hosts, GUINT_TO_POINTER (host)) || g_hash_table_size (s->hosts) >= 10000)
    return;
  trace_source_add_host (s->source, name ? name : "?", arch ? arch : "", pvm_field_of (r, values, "HSP"));
  g_hash_table_insert (s->hosts, GUINT_TO_POINTER (host), GUINT_TO_POINTER (s->source->hosts->len));
}

/* In nanoseconds; false: it is too far. */
static bool
pvm_together (int64_t seconds, int64_t microseconds, int64_t *date)
{
  if (seconds > 4000000000 || seconds < -4000000000 || microseconds > 1000000000000 || microseconds < -1000000000000)
    return false;
  *date = seconds * 1000000000 + microseconds * 1000;
  return true;
}

/* Dates are those of the host, and the tracer tells now and then what is to be added; the first time counts for what
 * was before it, too. */
static void
set_clock (Sddf *s, uint32_t host, const Record *r, const Value *values, bool first)
{
  int64_t more;

  if (!pvm_together (pvm_field_of (r, values, "HDS"), pvm_field_of (r, values, "HDU"), &more)
      || (first && g_hash_table_contains (s->clocks, GUINT_TO_POINTER (host))) || g_hash_table_size (s->clocks) > 10000)
    return;
  g_hash_table_insert (s->clocks, GUINT_TO_POINTER (host), g_memdup2 (&more, sizeof more));
}

void
pvm_clock (Sddf *s, const Record *r, const Value *values)
{
  if (r->of_pvm && pvm_is_call (r, "host_sync"))
    set_clock (s, (uint32_t) values[r->task].whole >> HOST_BITS, r, values, true);
}

void
pvm_happen (Sddf *s, const Record *r, const Value *values, const char *text, const char *end)
{
  int64_t tid = values[r->task].whole, date;
  uint32_t host = (uint32_t) tid >> HOST_BITS;

  if (g_str_has_prefix (r->call, "host_")) { /* of a machine, not of a task: no event */
    if (pvm_is_call (r, "host_sync"))
      set_clock (s, host, r, values, false);
    else if (pvm_is_call (r, "host_add"))
      add_host (s, r, values, host);
    return;
  }
  const int64_t *clock = g_hash_table_lookup (s->clocks, GUINT_TO_POINTER (host));
  bool counts = pvm_together (values[r->seconds].whole, values[r->microseconds].whole, &date);
  date += counts && clock ? *clock : 0;
  if (!counts || date > 4 * INT64_C (1000000000000000000) || date < -4 * INT64_C (1000000000000000000)) {
    sddf_damaged (s, _ ("no date can be so far; the record is left out"));
    return;
  }
  if (s->take) {
    s->take (s->live, r, text, end, date, tid);
    return;
  }
  uint32_t task = pvm_task_of (s, tid);
  if (r->phase == BEGINS) {
    pvm_begin_call (s, task, date, r, text, end);
    return;
  }
  if (r->phase == ENDS) {
    if (!pvm_end_call (s, task, date, r, values))
      s->alone++;
    return;
  }
  if (pvm_is_call (r, "endtask"))
    give_held (s, task);
  if (pvm_is_call (r, "newtask")) {
    TraceTask *t = trace_task (s->source, task);
    g_autofree char *program = pvm_words_of (r, values, "TN");
    if (!t->program && program && *program && strcmp (program, "-") != 0)
      t->program = g_steal_pointer (&program);
  }
  TraceEvent e = {
    .date = date, .task = task, .peer = TRACE_NONE, .object = TRACE_NONE, .tag = -1, .flags = TRACE_INSTANT
  };
  e.kind = pvm_kind_of (s, r, NULL);
  pvm_give_values (s, r, values, &e);
  converter_event (s->to, &e);
}

void
pvm_end (Sddf *s)
{
  for (uint32_t task = 0; task < open_calls_tasks (s->held); task++)
    give_held (s, task);
  if (s->alone > 0) {
    trace_source_remark (s->source, s->file, 0, 0,
                         P_ ("%" PRIu64 " call ended that had not begun; left out",
                             "%" PRIu64 " calls ended that had not begun; left out", s->alone),
                         s->alone);
  }
}
