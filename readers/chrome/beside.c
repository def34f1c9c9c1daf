/* SPDX-License-Identifier: Apache-2.0 */
/* beside.c - what is told of threads and processes beside what they do: samples, with the calls that they were taken in
 * (`samples` and `stackFrames`), counters, and how much memory processes have (dumps of memory). */
#include <math.h>
#include <string.h>

#include "readers/chrome/chrome.h"
#include "eve/words.h"
#include "readers/memory-places.h"

#define MOST_FRAMES (1u << 20)
#define MOST_SAMPLES (1u << 20)
#define MOST_CALLS 512 /* of one sample, the innermost ones */

typedef struct Frame {
  uint32_t object, parent; /* a call; an index into frames, or TRACE_NONE */
  uint64_t at;             /* where in the file it is described */
} Frame;

enum { FRAME_ON_THE_WAY = 1, FRAME_DONE };

typedef struct Sample { /* kept until all frames and threads are known */
  int64_t date;
  uint32_t frame, name; /* an index into frames, or TRACE_NONE; a mark */
  uint32_t thread;      /* its task, if the record tells the process, else TRACE_NONE */
  uint32_t id;          /* of the thread, an index into ids */
  double weight, cpu;   /* NaN: not told */
} Sample;

struct Beside {
  NameTable *frames_of, *ids_of; /* name -> index */
  GArray *frames, *samples;
  guint n_old;    /* frames that earlier objects of the file have */
  GPtrArray *ids; /* of threads */
  MemoryPlaces *places;
  uint64_t n_left, first_left; /* samples and frames beyond what is kept */
};

static Beside *
chrome_beside (Chrome *c)
{
  if (!c->beside) {
    c->beside = g_new0 (Beside, 1);
    c->beside->frames_of = name_table_new ();
    c->beside->ids_of = name_table_new ();
    c->beside->frames = g_array_new (FALSE, FALSE, sizeof (Frame));
    c->beside->samples = g_array_new (FALSE, FALSE, sizeof (Sample));
    c->beside->ids = g_ptr_array_new_with_free_func (g_free);
    c->beside->places = memory_places_new (c->source);
  }
  return c->beside;
}

void
chrome_free_beside (Chrome *c)
{
  Beside *b = c->beside;

  if (!b)
    return;
  name_table_free (b->frames_of);
  name_table_free (b->ids_of);
  g_array_unref (b->frames);
  g_array_unref (b->samples);
  g_ptr_array_unref (b->ids);
  memory_places_free (b->places);
  g_free (b);
}

static void
beside_leave_out (Chrome *c, const Record *r)
{
  Beside *b = c->beside;

  if (b->n_left++ == 0)
    b->first_left = chrome_offset (c, r);
}

/* The member of a record that has no meaning elsewhere; NULL: it has none. */
static const JsonValue *
beside_member (const Record *r, const char *key)
{
  size_t n = strlen (key);

  for (uint32_t i = 0; i < r->n_fields; i++)
    if (!r->fields[i].argument && r->fields[i].n == n && memcmp (r->fields[i].key, key, n) == 0)
      return &r->fields[i].value;
  return NULL;
}

/* ---- stackFrames -------------------------------------------------------------------------------------------------------- */

static uint32_t
beside_frame_of (Beside *b, const char *id, size_t n)
{
  n = MIN (n, MOST_NAME);
  uint32_t known = name_table_find (b->frames_of, id, n);

  if (known != NAME_TABLE_NONE || b->frames->len >= MOST_FRAMES)
    return known != NAME_TABLE_NONE ? known : TRACE_NONE;
  const Frame f = { .object = TRACE_NONE, .parent = TRACE_NONE };
  name_table_set (b->frames_of, id, n, b->frames->len);
  g_array_append_val (b->frames, f);
  return b->frames->len - 1;
}

static uint32_t
frame_at (Beside *b, const JsonValue *id)
{
  return id && id->type && id->n > 0 ? beside_frame_of (b, id->at, id->n) : TRACE_NONE;
}

void
chrome_frame (Chrome *c, const char *id, const Record *r)
{
  Beside *b = chrome_beside (c);
  uint32_t at = beside_frame_of (b, id, strlen (id)), parent = frame_at (b, beside_member (r, "parent"));

  if (at == TRACE_NONE) {
    beside_leave_out (c, r);
    return;
  }
  Frame *f = &g_array_index (b->frames, Frame, at);
  char *name = r->name.type && r->name.n > 0 ? chrome_word (c, &r->name) : g_strdup (id);
  f->object = memory_place_called (b->places, name);
  f->parent = parent;
  f->at = chrome_offset (c, r);
}

/* Ids are those of one object of the file: the next one has its own. */
void
chrome_end_frames (Chrome *c)
{
  Beside *b = c->beside;

  if (!b || b->frames->len == b->n_old)
    return;
  b->n_old = b->frames->len;
  name_table_free (b->frames_of);
  b->frames_of = name_table_new ();
}

/* Frames that are called from themselves, at last, have no callers. */
static void
beside_break_circles (Chrome *c)
{
  Beside *b = c->beside;
  Frame *frames = (Frame *) (void *) b->frames->data;
  g_autofree uint8_t *passed = g_new0 (uint8_t, b->frames->len + 1);
  uint64_t n = 0, first = UINT64_MAX;

  for (guint i = 0; i < b->frames->len; i++) {
    uint32_t at = i;
    for (; at != TRACE_NONE && !passed[at]; at = frames[at].parent)
      passed[at] = FRAME_ON_THE_WAY;
    if (at != TRACE_NONE && passed[at] == FRAME_ON_THE_WAY)
      for (uint32_t of = at, next; (next = frames[of].parent) != TRACE_NONE; of = next) { /* round the circle */
        frames[of].parent = TRACE_NONE;
        passed[of] = FRAME_DONE;
        first = MIN (first, frames[of].at);
        n++;
      }
    for (at = i; at != TRACE_NONE && passed[at] == FRAME_ON_THE_WAY; at = frames[at].parent)
      passed[at] = FRAME_DONE;
  }
  if (n > 0)
    chrome_damaged (c, first,
                    _ ("stackFrames have %" PRIu64 " frames that are called from themselves, from here on; they are "
                       "shown without what they were called from"),
                    n);
}

/* ---- samples ------------------------------------------------------------------------------------------------------------- */

/* NaN: it is no number. */
static double
beside_amount_of (const JsonValue *v)
{
  char text[64], *end;

  if (!v || v->n == 0 || v->n >= sizeof text || strspn (v->at, "+-.0123456789eE") < v->n)
    return NAN;
  memcpy (text, v->at, v->n);
  text[v->n] = '\0';
  double x = g_ascii_strtod (text, &end);
  return *end == '\0' && isfinite (x) ? x : NAN;
}

static void
put_amount (Chrome *c, double x)
{
  if (isnan (x))
    converter_none (c->to);
  else if (fabs (x) < 0x1p63 && x == trunc (x))
    converter_int (c->to, (int64_t) x);
  else
    converter_real (c->to, x);
}

void
chrome_sample (Chrome *c, const Record *r, int64_t date)
{
  Beside *b = chrome_beside (c);
  Sample s = { date, frame_at (b, beside_member (r, "sf")), chrome_named (c, MARK, &r->name), TRACE_NONE, 0, NAN, NAN };

  if (b->samples->len >= MOST_SAMPLES) {
    beside_leave_out (c, r);
    return;
  }
  s.weight = beside_amount_of (beside_member (r, "weight"));
  s.cpu = beside_amount_of (beside_member (r, "cpu"));
  if (s.cpu < 0)
    s.cpu = NAN; /* it was not known */
  if (r->pid.type) {
    s.thread = chrome_thread (c, r);
  } else {
    size_t n = r->tid.type ? MIN (r->tid.n, MOST_NAME) : 0;
    const char *id = n > 0 ? r->tid.at : "";
    s.id = name_table_find (b->ids_of, id, n);
    if (s.id == NAME_TABLE_NONE) {
      s.id = b->ids->len;
      g_ptr_array_add (b->ids, g_strndup (id, n));
      name_table_set (b->ids_of, id, n, s.id);
    }
  }
  g_array_append_val (b->samples, s);
}

/* By the number of a thread alone: the first that has it, in any process; else one of its own. */
static void
find_threads (Chrome *c, uint32_t *threads)
{
  Beside *b = c->beside;
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = c->threads->len; i-- > 0;) {
    const Thread *t = &g_array_index (c->threads, Thread, i);
    g_hash_table_insert (known, t->id, GUINT_TO_POINTER (t->task + 1));
  }
  for (guint i = 0; i < b->ids->len; i++) {
    const char *id = b->ids->pdata[i];
    threads[i] = GPOINTER_TO_UINT (g_hash_table_lookup (known, id)) - 1;
    if (threads[i] != TRACE_NONE)
      continue;
    Record r = { .tid = { .at = id, .n = strlen (id), .type = *id ? '0' : 0 } };
    r.pid = r.tid;
    threads[i] = chrome_thread (c, &r);
  }
}

/* From the outermost call to the innermost one. */
static uint32_t
beside_calls_of (const Beside *b, uint32_t frame, uint32_t *calls)
{
  uint32_t n = 0;

  for (; frame != TRACE_NONE && n < MOST_CALLS; frame = g_array_index (b->frames, Frame, frame).parent)
    if (g_array_index (b->frames, Frame, frame).object != TRACE_NONE) /* one that is not described says nothing */
      calls[n++] = g_array_index (b->frames, Frame, frame).object;
    else
      break;
  for (uint32_t i = 0; i < n / 2; i++) {
    uint32_t other = calls[i];
    calls[i] = calls[n - 1 - i];
    calls[n - 1 - i] = other;
  }
  return n;
}

void
chrome_end_beside (Chrome *c)
{
  static const TraceField fields[] = { { "name", TRACE_ROLE_OBJECT, NULL },
                                       { "weight", TRACE_ROLE_INT, NULL },
                                       { "cpu", TRACE_ROLE_INT, NULL },
                                       { "stack", TRACE_ROLE_OBJECTS, NULL } };
  Beside *b = c->beside;

  if (!b)
    return;
  if (b->n_left > 0)
    chrome_damaged (c, b->first_left,
                    _ ("samples and their calls are more than %u; %" PRIu64 " of them are left out from here on"),
                    MOST_SAMPLES, b->n_left);
  beside_break_circles (c);
  if (b->samples->len == 0)
    return;
  g_autofree uint32_t *threads = g_new (uint32_t, b->ids->len + 1), *calls = g_new (uint32_t, MOST_CALLS);
  find_threads (c, threads);
  uint32_t kind = converter_kind (c->to, &(TraceKind){ .name = "Sample",
                                                       .category = "sample",
                                                       .fields = fields,
                                                       .n_fields = G_N_ELEMENTS (fields),
                                                       .instant = true,
                                                       .acts = TRACE_ACT_MARK });
  for (guint i = 0; i < b->samples->len; i++) {
    const Sample *s = &g_array_index (b->samples, Sample, i);
    put_amount (c, s->weight);
    put_amount (c, s->cpu);
    converter_list (c->to, calls, beside_calls_of (b, s->frame, calls));
    converter_event (c->to, &(TraceEvent){ .date = s->date,
                                           .task = s->thread != TRACE_NONE ? s->thread : threads[s->id],
                                           .peer = TRACE_NONE,
                                           .object = s->name,
                                           .tag = -1,
                                           .kind = (uint16_t) kind,
                                           .flags = TRACE_INSTANT });
  }
}

/* ---- counters ----------------------------------------------------------------------------------------------------------------- */

/* The variable of one series of a counter; without `of`, one that is no counter's. */
static uint32_t
beside_variable_of (Chrome *c, const JsonValue *of, const JsonValue *told, const Field *series)
{
  g_string_truncate (c->key, 0);
  g_string_append_len (c->key, of->at, of->type ? (gssize) MIN (of->n, MOST_NAME) : 0);
  g_string_append_c (c->key, '\0');
  g_string_append_len (c->key, told->at, told->type ? (gssize) MIN (told->n, MOST_NAME) : 0);
  g_string_append_c (c->key, '\0');
  g_string_append_len (c->key, series->key, (gssize) MIN (series->n, MOST_NAME));
  uint32_t known = name_table_find (c->names[OF_VARIABLES], c->key->str, c->key->len);
  if (G_LIKELY (known != NAME_TABLE_NONE))
    return known;
  if (c->n_variables++ >= MOST_VARIABLES) {
    c->other_values++;
    return TRACE_NONE;
  }
  g_autofree char *name = chrome_word (c, of), *id = told->type ? chrome_word (c, told) : NULL;
  g_autofree char *raw = g_strndup (series->key, MIN (series->n, MOST_NAME)), *own = g_utf8_make_valid (raw, -1);
  bool plain = strcmp (own, "value") == 0 || strcmp (own, name) == 0;
  g_autofree char *whole = g_strconcat (name, id ? "[" : "", id ? id : "", id ? "]" : "", plain || !of->type ? "" : ".",
                                        plain ? "" : own, NULL);
  uint32_t type = trace_source_add_type (c->source, TRACE_VARIABLE, whole, NULL, c->process_type);
  uint32_t object = ((const TraceType *) c->source->types->pdata[type])->object;
  name_table_set (c->names[OF_VARIABLES], c->key->str, c->key->len, object);
  return object;
}

static void
beside_set_variable (Chrome *c, const Record *r, const char *variable, double value, int64_t date)
{
  const Field series = { .key = variable, .n = strlen (variable) };
  TraceEvent e = { .date = date,
                   .task = chrome_process_task (c, r),
                   .peer = TRACE_NONE,
                   .tag = -1,
                   .flags = TRACE_INSTANT | TRACE_REAL,
                   .real = value };

  e.object = beside_variable_of (c, &(JsonValue){ 0 }, &(JsonValue){ 0 }, &series);
  if (e.object == TRACE_NONE)
    return;
  chrome_values (c, r, "Counter", COUNTER, &e);
  converter_event (c->to, &e);
}

void
chrome_counter (Chrome *c, const Record *r, int64_t date)
{
  TraceEvent e = {
    .date = date, .task = chrome_process_task (c, r), .peer = TRACE_NONE, .tag = -1, .flags = TRACE_INSTANT | TRACE_REAL
  };

  for (uint32_t i = 0; i < r->n_fields; i++) {
    const JsonValue *v = &r->fields[i].value;
    char text[64], *end;
    if (!r->fields[i].argument || v->n == 0 || v->n >= sizeof text || v->type == '{' || v->type == '[')
      continue;
    memcpy (text, v->at, v->n);
    text[v->n] = '\0';
    e.real = g_ascii_strtod (text, &end);
    if (*end != '\0' || (e.object = beside_variable_of (c, &r->name, chrome_id (r), &r->fields[i])) == TRACE_NONE)
      continue;
    chrome_values (c, r, "Counter", COUNTER, &e);
    converter_event (c->to, &e);
  }
}

/* ---- dumps of memory ------------------------------------------------------------------------------------------------------ */

/* The member of an object in JSON; false: it has none. */
static bool
find_member (const JsonValue *object, const char *name, JsonValue *found)
{
  JsonValue key;
  const char *bad, *end = object->at + object->n, *p = json_blanks (object->at + 1);

  while (*p == '"' && (p = json_value (p, end, &key, &bad)) && *(p = json_blanks (p)) == ':'
         && (p = json_value (json_blanks (p + 1), end, found, &bad))) {
    if (key.n == strlen (name) && memcmp (key.at, name, key.n) == 0)
      return true;
    p = json_blanks (p);
    p = *p == ',' ? json_blanks (p + 1) : p;
    if (p >= end)
      break;
  }
  return false;
}

void
chrome_memory (Chrome *c, const Record *r, int64_t date)
{
  static const char *const totals[] = { "resident_set_bytes",      "peak_resident_set_bytes", "private_bytes",
                                        "private_footprint_bytes", "shared_footprint_bytes",  "heap_in_use_bytes" };
  JsonValue process, total;

  for (uint32_t i = 0; i < r->n_fields; i++) {
    const Field *f = &r->fields[i];
    if (!f->argument || f->n != 5 || memcmp (f->key, "dumps", 5) != 0 || f->value.type != '{'
        || !find_member (&f->value, "process_totals", &process) || process.type != '{')
      continue;
    for (size_t k = 0; k < G_N_ELEMENTS (totals); k++) {
      char text[32], *end;
      if (!find_member (&process, totals[k], &total) || total.type != '"' || total.n == 0 || total.n >= sizeof text)
        continue;
      memcpy (text, total.at, total.n);
      text[total.n] = '\0';
      guint64 bytes = g_ascii_strtoull (text, &end, 16); /* they are written so */
      if (*end == '\0' && bytes <= INT64_MAX)
        beside_set_variable (c, r, totals[k], (double) bytes, date);
    }
    return;
  }
}
