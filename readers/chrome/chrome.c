/* SPDX-License-Identifier: Apache-2.0 */
/* chrome.c - reads the JSON traces of Chrome, which Perfetto's exporters, PyTorch, viztracer, Node and many others
 * write: README.md.  A record is an object of the list of events; its keys may stand in any order. */
#include <math.h>
#include <string.h>

#include "eve/bytes.h"
#include "eve/words.h"
#include "readers/chrome/chrome.h"

void
chrome_damaged (Chrome *c, uint64_t at, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (c->source, c->file, 0, at, fmt, args);
  va_end (args);
}

/* ---- words ------------------------------------------------------------------------------------------------------------------ */

const char *
chrome_text (Chrome *c, const JsonValue *v, size_t *n)
{
  if (!v->escaped) {
    *n = v->type ? v->n : 0;
    return v->type ? v->at : "";
  }
  g_string_set_size (c->text, v->n);
  *n = json_unescape (v, c->text->str);
  return c->text->str;
}

char *
chrome_word (Chrome *c, const JsonValue *v)
{
  size_t n;
  const char *at = chrome_text (c, v, &n);
  g_autofree char *raw = g_strndup (at, MIN (n, MOST_NAME));

  return g_utf8_make_valid (raw, -1);
}

/* A name that is too long: its beginning, and a sum of all of it, so that others that begin alike stay others. */
static const char *
shortened (Chrome *c, const char *name, size_t *n)
{
  if (G_LIKELY (*n <= MOST_NAME))
    return name;
  uint64_t sum = bytes_fnv (name, *n);
  size_t kept = MOST_NAME;
  while (kept > 0 && ((uint8_t) name[kept] & 0xc0) == 0x80) /* not inside of a character */
    kept--;
  g_string_truncate (c->key, 0);
  g_string_append_len (c->key, name, (gssize) kept);
  g_string_append_printf (c->key, "… (%016" G_GINT64_MODIFIER "x)", sum);
  *n = c->key->len;
  return c->key->str;
}

uint32_t
chrome_named (Chrome *c, Act act, const JsonValue *name)
{
  bool is_mark = act == MARK || act == SEND || act == RECEIVE;
  NameTable *names = c->names[is_mark ? OF_MARKS : OF_STATES];
  size_t n;
  const char *at = shortened (c, chrome_text (c, name, &n), &n);
  uint32_t known = name_table_find (names, at, n);

  if (G_LIKELY (known != NAME_TABLE_NONE))
    return known;
  uint32_t type = is_mark ? c->marks : c->slices, *others = &c->others[is_mark], object;
  if (c->n_names[is_mark]++ < MOST_NAMES) {
    g_autofree char *raw = g_strndup (n > 0 ? at : N_ ("(no name)"), n > 0 ? n : 9);
    g_autofree char *valid = g_utf8_make_valid (raw, -1);
    object = trace_source_add_value (c->source, type, valid);
  } else {
    if (*others == TRACE_NONE)
      *others = trace_source_add_value (c->source, type, N_ ("(others)"));
    return *others;
  }
  name_table_set (names, at, n, object);
  return object;
}

/* ---- kinds of events: of one phase, one category, and the same fields ---------------------------------------------------------- */

static const TraceField of_slice[] = { { "name", TRACE_ROLE_REGION, NULL } };
static const TraceField of_counter[] = { { "variable", TRACE_ROLE_OBJECT, NULL }, { "value", TRACE_ROLE_VALUE, NULL } };
static const TraceField of_send[] = { { "to", TRACE_ROLE_PEER, NULL },
                                      { "flow", TRACE_ROLE_KEY, NULL },
                                      { "name", TRACE_ROLE_OBJECT, NULL } };
static const TraceField of_receive[] = { { "from", TRACE_ROLE_PEER, NULL },
                                         { "flow", TRACE_ROLE_KEY, NULL },
                                         { "name", TRACE_ROLE_OBJECT, NULL } };
static const TraceField of_size = { "bytes", TRACE_ROLE_SIZE, "B" }; /* where it is told */
static const TraceField of_mark[] = { { "name", TRACE_ROLE_OBJECT, NULL } };
#define FIELDS(list) list, G_N_ELEMENTS (list)
static const struct {
  uint16_t acts;
  bool instant, others; /* fields that only this record has */
  const TraceField *fields;
  uint32_t n_fields;
} acts[] = {
  [SLICE] = { TRACE_ACT_CALL, false, true, FIELDS (of_slice) },
  [BEGIN] = { TRACE_ACT_ENTER, true, true, FIELDS (of_slice) },
  [END] = { TRACE_ACT_LEAVE, true, true, FIELDS (of_slice) },
  [COUNTER] = { TRACE_ACT_SET, true, false, FIELDS (of_counter) },
  [SEND] = { TRACE_ACT_SEND, true, false, FIELDS (of_send) },
  [RECEIVE] = { TRACE_ACT_RECEIVE, true, false, FIELDS (of_receive) },
  [ASYNC] = { TRACE_ACT_CALL, false, true, FIELDS (of_slice) },
  [MARK] = { TRACE_ACT_MARK, true, true, FIELDS (of_mark) },
};

static TraceRole
chrome_role_of (const JsonValue *v)
{
  return v->type == '0' ? TRACE_ROLE_INT : TRACE_ROLE_WORD;
}

/* Bytes; -1: the record tells none. */
static int64_t
chrome_size (const Record *r, Act act)
{
  return act == SEND || act == RECEIVE ? chrome_size_of_flow (r) : -1;
}

/* The kind that c->key stands for from now on. */
static const Kind *
chrome_add_kind (Chrome *c, const Record *r, const char *name, Act act, bool whole)
{
  Kind k = { .whole = whole };
  TraceField fields[MOST_FIELDS + 4];
  uint32_t n = acts[act].n_fields, own = n;
  g_autofree char *category = whole || !r->category.type ? g_strdup ("other") : chrome_word (c, &r->category);

  memcpy (fields, acts[act].fields, n * sizeof *fields);
  if (chrome_size (r, act) >= 0)
    fields[n++] = of_size, own++;
  if (whole && acts[act].others)
    fields[n++] = (TraceField){ g_strdup ("record"), TRACE_ROLE_WORD, NULL };
  for (uint32_t i = 0; i < r->n_fields && acts[act].others && !whole; i++)
    fields[n++] = (TraceField){ converted_field_name (r->fields[i].key, r->fields[i].n),
                                chrome_role_of (&r->fields[i].value), NULL };
  k.kind = converter_kind (c->to, &(TraceKind){ .name = name,
                                                .category = *category ? category : "other",
                                                .fields = fields,
                                                .n_fields = n,
                                                .instant = acts[act].instant,
                                                .acts = acts[act].acts });
  while (n > own)
    g_free ((char *) fields[--n].name);
  name_table_set (c->names[OF_KINDS], c->key->str, MIN (c->key->len, 4096), c->kinds->len);
  g_array_append_val (c->kinds, k);
  return &g_array_index (c->kinds, Kind, c->kinds->len - 1);
}

static const Kind *
chrome_kind_of (Chrome *c, const Record *r, const char *name, Act act)
{
  bool whole = r->more && acts[act].others;
  GString *key = c->key;

  for (;;) {
    g_string_assign (key, name);
    g_string_append_c (key, whole ? '*' : chrome_size (r, act) >= 0 ? '+' : ' ');
    if (!whole) {
      g_string_append_len (key, r->category.at, r->category.type ? (gssize) MIN (r->category.n, MOST_NAME) : 0);
      for (uint32_t i = 0; i < r->n_fields && acts[act].others; i++) {
        g_string_append_c (key, chrome_role_of (&r->fields[i].value) == TRACE_ROLE_INT ? '\1' : '\2');
        g_string_append_len (key, r->fields[i].key, (gssize) r->fields[i].n);
      }
    }
    uint32_t at = name_table_find (c->names[OF_KINDS], key->str, MIN (key->len, 4096));
    if (G_LIKELY (at != NAME_TABLE_NONE))
      return &g_array_index (c->kinds, Kind, at);
    if (c->kinds->len < MOST_KINDS || whole)
      return chrome_add_kind (c, r, name, act, whole);
    whole = true; /* a new one would be too many */
  }
}

static void
chrome_give_value (Chrome *c, const JsonValue *v)
{
  char text[64], *end;
  size_t n;
  int64_t whole;

  if (v->type == '0' && v->n < sizeof text) {
    bool is_whole = v->n < 19;
    for (size_t i = v->at[0] == '-'; i < v->n && is_whole; i++)
      is_whole = g_ascii_isdigit (v->at[i]);
    if (is_whole && json_decimal (v->at, v->n, 1, &whole)) {
      converter_int (c->to, whole);
      return;
    }
    memcpy (text, v->at, v->n);
    text[v->n] = '\0';
    double x = g_ascii_strtod (text, &end);
    if (*end == '\0') {
      converter_real (c->to, x);
      return;
    }
  }
  if (!v->type || (v->type == 'w' && v->n == 4 && memcmp (v->at, "null", 4) == 0)) {
    converter_none (c->to);
    return;
  }
  const char *at = chrome_text (c, v, &n);
  converter_text (c->to, at, n);
}

void
chrome_values (Chrome *c, const Record *r, const char *kind, Act act, TraceEvent *e)
{
  const Kind *k = chrome_kind_of (c, r, kind, act);

  e->kind = (uint16_t) k->kind;
  if (act == SEND || act == RECEIVE)
    e->size = MAX (0, chrome_size (r, act));
  if (act != COUNTER)
    e->object = chrome_named (c, act, &r->name);
  if (!acts[act].others)
    return;
  if (k->whole)
    converter_text (c->to, r->at, (size_t) (r->end - r->at));
  for (uint32_t i = 0; i < r->n_fields && !k->whole; i++)
    chrome_give_value (c, &r->fields[i].value);
}

void
chrome_note (Chrome *c, const Record *r, const char *kind, const TraceEvent *e)
{
  TraceEvent note = { .date = e->date, .task = e->task, .peer = TRACE_NONE, .tag = -1, .flags = TRACE_INSTANT };

  if (r->n_args == 0)
    return;
  chrome_values (c, r, kind, MARK, &note);
  converter_event (c->to, &note);
}

/* ---- a record ------------------------------------------------------------------------------------------------------------------- */

static JsonValue *
chrome_place_of (Record *r, const char *key, size_t n)
{
#define IS(word) (n == sizeof (word) - 1 && memcmp (key, word, sizeof (word) - 1) == 0)
  switch (n) {
  case 2:
    return IS ("ts") ? &r->date : IS ("ph") ? &r->ph : IS ("id") ? &r->id : NULL;
  case 3:
    return IS ("pid") ? &r->pid : IS ("tid") ? &r->tid : IS ("dur") ? &r->duration : IS ("cat") ? &r->category : NULL;
  case 4:
    return IS ("name") ? &r->name : NULL;
  case 5:
    return IS ("scope") ? &r->scope : NULL;
  case 7:
    return IS ("bind_id") ? &r->bind : IS ("flow_in") ? &r->flow_in : NULL;
  case 8:
    return IS ("flow_out") ? &r->flow_out : NULL;
  default:
    return n == 1 && *key == 's' ? &r->where : NULL;
  }
#undef IS
}

/* Of those that have a meaning, these are to be read nevertheless. */
static bool
chrome_is_shown (const Record *r, const JsonValue *place)
{
  return !place || place == &r->id || place == &r->scope || place == &r->where || place == &r->bind
         || place == &r->flow_in || place == &r->flow_out;
}

static bool
is_null (const JsonValue *v)
{
  return v->type == 'w' && v->n == 4 && memcmp (v->at, "null", 4) == 0;
}

/* The members of the object that begins at p; of the record itself, or of its arguments, whose members are its too. */
static const char *
chrome_members (Record *r, const char *p, const char *end, bool args, const char **bad)
{
  JsonValue key, value;

  for (p = json_blanks (p + 1);; p = json_blanks (p)) {
    if (*p == '}')
      return p + 1;
    p = json_value (p, end, &key, bad);
    if (!p)
      return NULL;
    p = json_blanks (p);
    if (key.type != '"' || *p != ':') {
      *bad = key.type != '"' ? key.at : p;
      return NULL;
    }
    p = json_blanks (p + 1);
    if (!args && *p == '{' && key.n == 4 && memcmp (key.at, "args", 4) == 0) {
      p = chrome_members (r, p, end, true, bad);
      if (!p)
        return NULL;
    } else {
      p = json_value (p, end, &value, bad);
      if (!p)
        return NULL;
      JsonValue *place = args ? NULL : chrome_place_of (r, key.at, key.n);
      r->escaped |= key.escaped || (value.escaped && (place == &r->pid || place == &r->tid));
      if (place && !is_null (&value))
        *place = value;
      if (chrome_is_shown (r, place)) {
        if (r->n_fields < MOST_FIELDS)
          r->fields[r->n_fields++] = (Field){ key.at, key.n, value, args, key.escaped };
        else
          r->more = true;
        r->n_args += args && !r->more;
      }
    }
    r->n_members++;
    p = json_blanks (p);
    if (*p == ',')
      p++;
    else if (*p != '}') {
      *bad = p;
      return NULL;
    }
  }
}

static void
find_global_id (Record *r)
{
  JsonValue key, value;
  const char *bad;

  for (uint32_t i = 0; i < r->n_fields; i++) {
    const Field *f = &r->fields[i];
    if (f->argument || f->n != 3 || memcmp (f->key, "id2", 3) != 0 || f->value.type != '{')
      continue;
    const char *end = f->value.at + f->value.n, *p = json_blanks (f->value.at + 1);
    if (*p != '"' || !(p = json_value (p, end, &key, &bad)) || *(p = json_blanks (p)) != ':')
      return;
    p = json_blanks (p + 1);
    if (!json_value (p, end, &value, &bad))
      return;
    if (key.n == 6 && memcmp (key.at, "global", 6) == 0)
      r->global = value;
    else
      r->local = value;
  }
}

/* ---- what happens ---------------------------------------------------------------------------------------------------------------- */

static void
instant (Chrome *c, const Record *r, const char *kind, Act act, int64_t date)
{
  bool of_process = act == MARK && r->where.n == 1 && (*r->where.at == 'p' || *r->where.at == 'g');
  TraceEvent e = { .date = date, .peer = TRACE_NONE, .tag = -1, .flags = TRACE_INSTANT };

  e.task = of_process ? chrome_process_task (c, r) : chrome_thread (c, r);
  chrome_values (c, r, kind, act, &e);
  converter_event (c->to, &e);
}

static void
chrome_happen (Chrome *c, const Record *r, int64_t date)
{
  static const struct {
    char phase;
    const char *kind;
  } marks[] = {
    { 'i', "Instant" },        { 'I', "Instant" },      { 'R', "Mark" },       { 'N', "ObjectNew" },
    { 'O', "ObjectSnapshot" }, { 'D', "ObjectDelete" }, { 'P', "Sample" },     { 'c', "ClockSync" },
    { '(', "ContextEnter" },   { ')', "ContextLeave" }, { 'v', "MemoryDump" }, { 'V', "MemoryDump" },
    { '=', "Alias" },
  };

  switch (r->phase) {
  case 'X':
    chrome_slice (c, r, date);
    break;
  case 'B':
    instant (c, r, "Begin", BEGIN, date);
    break;
  case 'E':
    instant (c, r, "End", END, date);
    return;
  case 'C':
    chrome_counter (c, r, date);
    return;
  case 'i':
    if (chrome_carries (r))
      return;
  }
  if (strchr ("stf", r->phase)) {
    chrome_flow (c, r, date);
    return;
  }
  if (r->bind.type && strchr ("XBiI", r->phase))
    chrome_bound (c, r, date);
  if (strchr ("XB", r->phase))
    return;
  if (strchr ("bneSTpF", r->phase)) {
    chrome_async (c, r, date);
    return;
  }
  if (r->phase == 'v')
    chrome_memory (c, r, date);
  for (size_t i = 0; i < G_N_ELEMENTS (marks); i++)
    if (marks[i].phase == r->phase) {
      instant (c, r, marks[i].kind, MARK, date);
      return;
    }
  chrome_damaged (c, chrome_offset (c, r), _ ("the phase “%c” of an event is not known; it is shown as a mark"),
                  r->phase);
  instant (c, r, "Other", MARK, date);
}

static bool
is_too_far (const char *at, size_t n)
{
  int64_t date;

  return !json_decimal (at, n, 1000, &date) && json_decimal (at, n, 1, &date);
}

static void
take_for_nanoseconds (Chrome *c, uint64_t at, const char *date, size_t n)
{
  c->scale = 1;
  trace_source_remark (c->source, c->file, 0, at,
                       _ ("the date “%.*s” is too far for microseconds: dates are taken for nanoseconds"),
                       (int) MIN (n, 40), date);
}

/* Some writers count nanoseconds, which since 1970 are more than microseconds can be.  Most dates of the first piece of
 * the file tell: a single one, as of metadata, may be 0, or damaged. */
static void
chrome_find_unit (Chrome *c)
{
  const Json *j = &c->json;
  const char *end = j->buffer + j->end, *far = NULL;
  size_t n_far = 0, n_near = 0, length = 0;
  JsonValue v;
  const char *bad;

  for (const char *p = j->buffer; (p = memmem (p, (size_t) (end - p), "\"ts\"", 4)) != NULL;) {
    p = json_blanks (p + 4);
    if (*p != ':' || !(p = json_value (json_blanks (p + 1), end, &v, &bad))) {
      p = end;
      break;
    }
    if (v.n == 0 || (v.n == 1 && *v.at == '0'))
      continue;
    if (!is_too_far (v.at, v.n)) {
      n_near++;
    } else if (n_far++ == 0) {
      far = v.at;
      length = v.n;
    }
  }
  if (n_far > n_near)
    take_for_nanoseconds (c, j->base + (uint64_t) (far - j->buffer), far, length);
  else if (n_near > 0)
    c->scale = 1000;
}

/* A date.  If the first piece of the file has none, the first one tells the unit. */
static bool
read_date (Chrome *c, const Record *r, uint64_t at, int64_t *date)
{
  if (!r->date.type)
    return false;
  if (G_UNLIKELY (c->scale == 0)) {
    c->scale = 1000;
    if (is_too_far (r->date.at, r->date.n))
      take_for_nanoseconds (c, at, r->date.at, r->date.n);
  }
  return json_decimal (r->date.at, r->date.n, c->scale, date);
}

static void
chrome_take_record (Chrome *c, Record *r, const char *key)
{
  uint64_t at = chrome_offset (c, r);
  int64_t date;

  if (r->n_members == 0) /* some writers end their list so */
    return;
  r->phase = r->ph.type == '"' && r->ph.n > 0 && *r->ph.at > ' ' && *r->ph.at < 0x7f ? *r->ph.at : '\0';
  if (r->phase == '\0') {
    chrome_damaged (c, at, _ ("an event has no phase (“ph”); it is left out"));
    return;
  }
  find_global_id (r);
  if (!r->tid.type) /* a number that is not told is the other one, as Perfetto has it */
    r->tid = r->pid;
  else if (!r->pid.type)
    r->pid = r->tid;
  if (r->phase == 'M') {
    chrome_metadata (c, r);
    return;
  }
  if (!read_date (c, r, at, &date)) {
    chrome_damaged (c, at, _ ("“%.*s” is no date (“ts”); the event is left out"), (int) MIN (r->date.n, 40),
                    r->date.type ? r->date.at : "");
    return;
  }
  chrome_happen (c, r, date);
}

/* A member of the list `samples`. */
static void
chrome_take_sample (Chrome *c, Record *r, const char *key)
{
  uint64_t at = chrome_offset (c, r);
  int64_t date;

  if (r->n_members == 0)
    return;
  if (read_date (c, r, at, &date))
    chrome_sample (c, r, date);
  else
    chrome_damaged (c, at, _ ("“%.*s” is no date (“ts”); the sample is left out"), (int) MIN (r->date.n, 40),
                    r->date.type ? r->date.at : "");
}

static void
take_frame (Chrome *c, Record *r, const char *key)
{
  chrome_frame (c, key, r);
}

typedef void TakeRecord (Chrome *c, Record *r, const char *key);

/* Gives the record that begins here, and goes behind it.  False: the file ends inside of it. */
static bool
chrome_read_record (Chrome *c, TakeRecord *taken, const char *key)
{
  Json *j = &c->json;
  uint64_t at = json_offset (j);
  const char *bad = NULL;

  for (;;) {
    Record r;
    memset (&r, 0, offsetof (Record, fields));
    r.at = j->buffer + j->begin;
    r.end = chrome_members (&r, r.at, j->buffer + j->end, false, &bad);
    if (r.end) {
      if (G_UNLIKELY (r.escaped))
        chrome_plain (c, &r);
      taken (c, &r, key);
      j->begin = (size_t) (r.end - j->buffer);
      return true;
    }
    if (bad == j->buffer + j->end && json_more (j))
      continue;
    if (bad == j->buffer + j->end && j->ended && !j->why)
      chrome_damaged (c, at, _ ("the file ends inside of this event, which is left out"));
    else if (bad == j->buffer + j->end && !j->ended)
      chrome_damaged (c, at, _ ("this event is larger than 16 MiB; it is left out"));
    else if (!j->why)
      chrome_damaged (c, j->base + (uint64_t) (bad - j->buffer),
                      _ ("the event at byte %" PRIu64 " is no JSON from here on; it is left out"), at);
    return json_skip (j, true);
  }
}

/* ---- the whole -------------------------------------------------------------------------------------------------------------------- */

/* The list of events, or of samples, behind its bracket.  True: it ended, and so did nothing else. */
static bool
chrome_read_events (Chrome *c, TakeRecord *taken, bool *cancelled, GError **error)
{
  Json *j = &c->json;
  uint64_t n = 0;
  bool told = false;

  for (;;) {
    char next = json_peek (j);
    if ((++n & 0x3ff) == 0 && !converter_progress (c->to, input_share (j->in), error)) {
      *cancelled = true;
      return false;
    }
    if (next == '{') {
      told = false;
      if (!chrome_read_record (c, taken, NULL))
        return false;
    } else if (next == ',') {
      j->begin++;
    } else if (next == ']' || (next == '\0' && j->begin == j->end)) {
      j->begin += next == ']';
      return next == ']';
    } else {
      if (!told)
        chrome_damaged (c, json_offset (j), _ ("what stands here among the events is none; it is left out"));
      told = true;
      j->begin++;
    }
  }
}

/* The members of `stackFrames`, behind its bracket.  True: it ended. */
static bool
read_frames (Chrome *c, bool *cancelled, GError **error)
{
  Json *j = &c->json;
  uint64_t n = 0;

  for (char next; (next = json_peek (j)) == ',' || next == '"';) {
    if ((++n & 0x3ff) == 0 && !converter_progress (c->to, input_share (j->in), error)) {
      *cancelled = true;
      return false;
    }
    if (next == ',') {
      j->begin++;
      continue;
    }
    g_autofree char *id = json_word (j);
    if (!id || json_peek (j) != ':')
      break;
    j->begin++;
    bool ok = json_peek (j) == '{' ? chrome_read_record (c, take_frame, id) : json_skip (j, false);
    if (!ok)
      return false;
  }
  if (json_peek (j) == '}') {
    j->begin++;
    return true;
  }
  if (json_peek (j) != '\0')
    chrome_damaged (c, json_offset (j), _ ("no JSON from here on; the rest of the file is left out"));
  return false;
}

/* Members of the outermost object; `*goes_on`: it ended, and another may follow. */
static bool
read_outermost (Chrome *c, bool *goes_on, GError **error)
{
  Json *j = &c->json;
  bool cancelled = false;

  *goes_on = false;
  j->begin++;
  for (;;) {
    char next = json_peek (j);
    if (next == ',') {
      j->begin++;
      continue;
    }
    if (next == '}' || next == '\0')
      break;
    uint64_t at = json_offset (j);
    g_autofree char *key = json_word (j);
    if (!key || json_peek (j) != ':') {
      chrome_damaged (c, at, _ ("no JSON from here on; the rest of the file is left out"));
      return true;
    }
    j->begin++;
    bool events = strcmp (key, "traceEvents") == 0, samples = strcmp (key, "samples") == 0, ok = false;
    if ((events || samples) && json_peek (j) == '[') {
      j->begin++;
      c->has_list |= events;
      ok = chrome_read_events (c, events ? chrome_take_record : chrome_take_sample, &cancelled, error);
    } else if (strcmp (key, "stackFrames") == 0 && json_peek (j) == '{') {
      j->begin++;
      ok = read_frames (c, &cancelled, error);
    } else {
      ok = json_skip (j, false);
    }
    if (cancelled)
      return false;
    if (!ok)
      break;
  }
  *goes_on = json_peek (j) == '}';
  chrome_end_frames (c);
  if (*goes_on)
    j->begin++;
  else if (!j->why)
    chrome_damaged (c, json_offset (j), _ ("the file ends here, before its last bracket; what was read is kept"));
  return true;
}

/* Whether the object that begins here is an event, as in files that have one a line and no list. */
static bool
chrome_is_record (Json *j)
{
  const char *bad;
  Record r;

  while (j->end - j->begin < LOOKED_AT && json_more (j))
    ;
  memset (&r, 0, offsetof (Record, fields));
  return chrome_members (&r, j->buffer + j->begin, j->buffer + j->end, false, &bad) && r.ph.type == '"';
}

static bool
chrome_read_file (Chrome *c, const char *path, GError **error)
{
  Json *j = &c->json;
  bool cancelled = false, ok = true, goes_on = true;

  json_more (j);
  if (j->end >= 3 && memcmp (j->buffer, "\xef\xbb\xbf", 3) == 0)
    j->begin = 3;
  chrome_find_unit (c);
  for (char first;
       goes_on && ok && (first = json_peek (j)) != '\0';) { /* some files are several, one behind the other */
    if (first == '[' || (first == '{' && chrome_is_record (j))) {
      j->begin += first == '[';
      c->has_list = true;
      goes_on = chrome_read_events (c, chrome_take_record, &cancelled,
                                    error); /* its end may be missing: the form says so */
      ok = !cancelled;
    } else if (first == '{') {
      ok = read_outermost (c, &goes_on, error);
    } else {
      if (c->has_list)
        chrome_damaged (c, json_offset (j), _ ("what follows the list of events is no JSON of Chrome; it is left out"));
      goes_on = false;
    }
  }
  if (ok && !c->has_list && !j->why) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s is no trace of Chrome: it has no list of events"),
                 path);
    return false;
  }
  if (j->why && c->source->n_events > 0) { /* what came before it is good */
    chrome_damaged (c, json_offset (j), "%s", j->why->message);
  } else if (j->why) {
    g_propagate_error (error, g_steal_pointer (&j->why));
    ok = false;
  }
  return ok;
}

static bool
chrome_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  Input *in = input_open (path, error);
  Chrome c = { .to = to, .source = converter_source (to), .file = file, .others = { TRACE_NONE, TRACE_NONE } };

  if (!in)
    return false;
  json_open (&c.json, in);
  for (int i = 0; i < N_NAMES; i++)
    c.names[i] = name_table_new ();
  c.processes = g_array_new (FALSE, FALSE, sizeof (Process));
  c.threads = g_array_new (FALSE, FALSE, sizeof (Thread));
  c.kinds = g_array_new (FALSE, FALSE, sizeof (Kind));
  c.lanes = g_array_new (FALSE, FALSE, sizeof (Lane));
  c.groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  c.key = g_string_new (NULL);
  c.text = g_string_new (NULL);
  c.plain = g_string_chunk_new (256);
  chrome_open_halves (&c);
  c.source->clock = (TraceClock){ 1000000000, "s" };
  c.process_type = trace_source_add_own_type (c.source, TRACE_ENTITY, N_ ("Process"), NULL, TRACE_NONE);
  c.thread_type = trace_source_add_own_type (c.source, TRACE_ENTITY, N_ ("Thread"), NULL, c.process_type);
  c.async_type = trace_source_add_own_type (c.source, TRACE_ENTITY, N_ ("Async"), NULL, c.process_type);
  c.slices = trace_source_add_type (c.source, TRACE_STATES, "slice", NULL, c.thread_type);
  c.marks = trace_source_add_type (c.source, TRACE_MARKS, "mark", NULL, c.thread_type);
  bool ok = chrome_read_file (&c, path, error);
  if (ok) {
    chrome_end_slices (&c);
    chrome_end_halves (&c);
    chrome_end_beside (&c);
    if (c.other_values > 0)
      chrome_damaged (&c, json_offset (&c.json),
                      _ ("counters have more than %d series; %" PRIu64 " values of the others are left out"),
                      MOST_VARIABLES, c.other_values);
    chrome_name_tasks (&c);
    chrome_order_tasks (&c);
  }
  chrome_free_halves (&c);
  chrome_free_slices (&c);
  chrome_free_tasks (&c);
  chrome_free_beside (&c);
  g_array_unref (c.kinds);
  g_string_free (c.key, TRUE);
  g_string_free (c.text, TRUE);
  g_string_chunk_free (c.plain);
  for (int i = 0; i < N_NAMES; i++)
    name_table_free (c.names[i]);
  json_close (&c.json);
  input_close (in);
  return ok;
}

/* A list of objects with a phase, or an object that has such a list. */
static int
chrome_recognise (const char *path, const void *head, size_t n, char **whole)
{
  static const char *const surely[] = { "\"traceEvents\"", "\"ph\"" }, *const perhaps[] = {
    "\"displayTimeUnit\"", "\"otherData\"", "\"stackFrames\"", "\"deviceProperties\""
  };
  const char *at = head, *end = head ? at + n : NULL;

  if (n >= 3 && memcmp (at, "\xef\xbb\xbf", 3) == 0)
    at += 3;
  while (at < end && g_ascii_isspace (*at))
    at++;
  if (at == end || (*at != '{' && *at != '['))
    return 0;
  for (size_t i = 0; i < G_N_ELEMENTS (surely); i++)
    if (memmem (at, (size_t) (end - at), surely[i], strlen (surely[i])))
      return 90;
  for (size_t i = 0; i < G_N_ELEMENTS (perhaps) && *at == '{'; i++)
    if (memmem (at, (size_t) (end - at), perhaps[i], strlen (perhaps[i])))
      return 50;
  return 0;
}

static const ConvertedFormat chrome;
CONVERTED_OPEN (chrome_open, &chrome)
static const ConvertedFormat chrome = {
  .format = { .name = "chrome",
              .label = "Chrome JSON",
              .model = "Threads",
              .open = chrome_open,
              .recognise = chrome_recognise,
              .write = chrome_write,
              CONVERTED_FUNCTIONS },
  .convert = chrome_convert,
};

TRACE_READER_PLUGIN (chrome.format, "scope.chrome-reader", "Chrome JSON reader", "reader:chrome",
                     "Reads JSON traces in the form of Chrome, as Perfetto, PyTorch, Node and others write them.");
