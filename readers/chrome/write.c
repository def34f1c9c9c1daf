/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - any execution as a JSON trace of Chrome.  A task is a thread of what it is inside of; those that are inside
 * of nothing are threads of one process, which is called as the trace. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "readers/another.h"
#include "readers/chrome/chrome.h"
#include "readers/writing.h"
#include "eve/words.h"

typedef struct ChromeText {
  TraceText out;
  GHashTable *processes; /* those that have a name */
  GByteArray *did;       /* by task: 1, it has been inside of something */
  GArray *depth;         /* by task: uint32_t, of how many states it is inside of now */
  uint64_t n_below;      /* records dated below 0 */
  uint32_t n_states;     /* of which is told what tasks do in them */
  bool begun;            /* a comma is wanted */
} ChromeText;

/* 0: of none. */
static uint32_t
chrome_write_process_of (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);

  return t && t->parent < task ? t->parent + 1 : 0;
}

/* {"ph":"B","pid":1,"tid":2,"ts":1.500 */
static GString *
begin_record (ChromeText *c, const TraceSource *s, const char *phase, uint32_t task, int64_t date)
{
  GString *to = c->out.text;

  c->n_below += date < 0;
  g_string_append_printf (to, "%s{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":", c->begun ? ",\n" : "\n", phase,
                          chrome_write_process_of (s, task), task + 1);
  trace_text_microseconds (to, date);
  c->begun = true;
  return to;
}

static void
chrome_write_put_name (GString *to, const char *name)
{
  g_string_append (to, ",\"name\":");
  trace_json_text (to, name);
}

static void
put_metadata (ChromeText *c, const TraceSource *s, int64_t date, uint32_t task, const char *what, const char *name)
{
  GString *to = begin_record (c, s, "M", task, date);

  chrome_write_put_name (to, what);
  g_string_append (to, ",\"args\":{\"name\":");
  trace_json_text (to, name);
  g_string_append (to, "}}");
}

/* What is told of a task that is another one once more: of which thread of which process.  Known at the end alone, as
 * threads are named after their process too, "rank 0 · thread 1", which then does nothing itself. */
static void
put_once_more (ChromeText *c, const TraceSource *s, int64_t date)
{
  for (uint32_t i = 0; i < c->did->len; i++) {
    uint32_t of = trace_task_is_named_after (s, i) ? trace_task (s, i)->parent : TRACE_NONE;
    if (of >= c->did->len || !c->did->data[of] || !c->did->data[i])
      continue;
    GString *to = begin_record (c, s, "M", i, date);
    chrome_write_put_name (to, "thread_name");
    g_string_append (to, ",\"args\":{\"name\":");
    trace_json_text (to, trace_task_name (s, i));
    g_string_append_printf (to, ",\"of\":%u,\"of_pid\":%u}}", of + 1, chrome_write_process_of (s, of));
  }
}

static void
chrome_task (TraceWriting *w, int64_t date, uint32_t task)
{
  ChromeText *c = w->to;
  uint32_t process = chrome_write_process_of (w->source, task);

  if (g_hash_table_add (c->processes, GUINT_TO_POINTER (process)))
    put_metadata (c, w->source, date, task, "process_name",
                  process ? trace_task_name (w->source, process - 1) : w->source->name);
  put_metadata (c, w->source, date, task, "thread_name", trace_task_name (w->source, task));
}

/* Of each state once, what tasks do in it. */
static void
chrome_state (TraceWriting *w, int64_t date, uint32_t task, uint32_t state)
{
  ChromeText *c = w->to;
  const char *does = trace_does_word ((TraceDoes) g_array_index (w->does, uint8_t, state));

  if (!does)
    return;
  GString *to = begin_record (c, w->source, "M", task, date);
  chrome_write_put_name (to, CHROME_STATE_DOES);
  g_string_append (to, ",\"args\":{\"name\":");
  trace_json_text (to, w->states->pdata[state]);
  g_string_append_printf (to, ",\"does\":\"%s\"}}", does);
}

static void
chrome_enter (TraceWriting *w, int64_t date, uint32_t task, uint32_t state)
{
  ChromeText *c = w->to;

  for (; c->n_states <= state; c->n_states++)
    chrome_state (w, date, task, c->n_states);
  GString *to = begin_record (c, w->source, "B", task, date);

  chrome_write_put_name (to, w->states->pdata[state]);
  g_string_append_c (to, '}');
  if (G_UNLIKELY (task >= c->did->len)) {
    guint n = c->did->len;
    g_byte_array_set_size (c->did, task + 1);
    memset (c->did->data + n, 0, task + 1 - n);
  }
  c->did->data[task] = 1;
  if (task >= c->depth->len)
    g_array_set_size (c->depth, task + 1);
  g_array_index (c->depth, uint32_t, task)++;
}

static void
chrome_leave (TraceWriting *w, int64_t date, uint32_t task, uint32_t state)
{
  ChromeText *c = w->to;

  g_string_append_c (begin_record (c, w->source, "E", task, date), '}');
  if (task < c->depth->len && g_array_index (c->depth, uint32_t, task) > 0)
    g_array_index (c->depth, uint32_t, task)--;
}

/* A counter belongs to the process, so the thread's name is said. */
static void
chrome_variable (TraceWriting *w, int64_t date, uint32_t task, uint32_t type, double value)
{
  const TraceSource *s = w->source;
  const TraceType *t = s->types->pdata[type];
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value)) /* JSON has no word for it */
    return;
  GString *to = begin_record (w->to, s, "C", task, date);
  g_string_append (to, ",\"name\":");
  g_autofree char *name = g_strdup_printf ("%s, %s", t->name, trace_task_name (s, task));
  trace_json_text (to, name);
  g_string_append_printf (to, ",\"args\":{\"value\":%s}}", g_ascii_dtostr (number, sizeof number, value));
}

static void
put_flow (TraceWriting *w, const char *phase, const TraceEvent *e, uint64_t number)
{
  ChromeText *c = w->to;

  if (e->task >= c->depth->len || g_array_index (c->depth, uint32_t, e->task) == 0) {
    GString *carries = begin_record (c, w->source, "i", e->task, e->date);
    g_string_append_printf (carries, ",\"name\":\"%s\",\"s\":\"t\",\"cat\":\"" CHROME_CARRIES "\"}",
                            *phase == 's' ? "send" : "receive");
  }
  GString *to = begin_record (c, w->source, phase, e->task, e->date);
  g_string_append_printf (to, ",\"cat\":\"message\",\"name\":\"message\",\"scope\":\"once\",\"id\":%" G_GUINT64_FORMAT,
                          number);
  if (*phase == 'f')
    g_string_append (to, ",\"bp\":\"e\"");
  g_string_append_printf (to, ",\"args\":{\"bytes\":%" G_GINT64_FORMAT "}}", TRACE_SIZE (e));
}

static void
chrome_send (TraceWriting *w, const TraceEvent *e, uint32_t to, uint64_t number)
{
  put_flow (w, "s", e, number);
}

static void
chrome_receive (TraceWriting *w, const TraceEvent *e, uint64_t number)
{
  put_flow (w, "f", e, number);
}

static void
chrome_mark (TraceWriting *w, const TraceEvent *e, const char *text)
{
  GString *to = begin_record (w->to, w->source, "i", e->task, e->date);
  const char *kind = w->source->kinds[e->kind].name;

  chrome_write_put_name (to, *text ? text : kind);
  g_string_append (to, ",\"s\":\"t\",\"cat\":");
  trace_json_text (to, kind);
  g_string_append_c (to, '}');
}

static bool
chrome_flush (TraceWriting *w, GError **error)
{
  return trace_text_flush (&((ChromeText *) w->to)->out, false, error);
}

bool
chrome_write (TraceSource *from, const char *path, const TraceProgress *progress, GError **error)
{
  static const TraceWriter writer = {
    .task = chrome_task,
    .enter = chrome_enter,
    .leave = chrome_leave,
    .variable = chrome_variable,
    .send = chrome_send,
    .receive = chrome_receive,
    .mark = chrome_mark,
    .flush = chrome_flush,
    .knows_flows = true,
  };
  ChromeText c = { .processes = g_hash_table_new (NULL, NULL),
                   .did = g_byte_array_new (),
                   .depth = g_array_new (FALSE, TRUE, sizeof (uint32_t)) };
  int64_t last = 0;
  bool ok = trace_text_open (&c.out, path, error);

  if (ok) {
    g_string_append (c.out.text, "{\"traceEvents\":[");
    ok = trace_write (from, &writer, &c, progress, &last, error);
    put_once_more (&c, from, last);
    g_string_append (c.out.text, "\n]}\n");
  }
  ok = trace_text_close (&c.out, ok, error);
  if (ok && c.n_below > 0)
    trace_source_remark (from, from->name, 0, 0,
                         P_ ("%" PRIu64 " record is dated below 0; Perfetto leaves such records out",
                             "%" PRIu64 " records are dated below 0; Perfetto leaves such records out", c.n_below),
                         c.n_below);
  g_array_unref (c.depth);
  g_hash_table_unref (c.processes);
  g_byte_array_unref (c.did);
  return ok;
}
