/* SPDX-License-Identifier: Apache-2.0 */
/* sddf.c - reads SDDF, the self-describing traces of Pablo and of PVM's tracer: README.md.
 *
 * A file is packets, each of which ends with ";;".  Those of the kind that a record is described by come before its
 * values, but may come anywhere. */
#include "readers/sddf/sddf.h"
#include "eve/words.h"
#include "readers/pair.h"

#include <string.h>

#define MOST_TRIES 100 /* of a packet that has ";;" inside, and of those in one text that are none */

void
sddf_damaged (Sddf *s, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (s->source, s->file, s->line, 1, fmt, args);
  va_end (args);
}

/* ---- words of a packet ------------------------------------------------------------------------------------------------------- */

/* Blanks, and comments to the end of their line. */
const char *
sddf_blanks (const char *p)
{
  for (;;) {
    while (g_ascii_isspace (*p))
      p++;
    if (p[0] != '/' || p[1] != '/')
      return p;
    p += strcspn (p, "\n");
  }
}

/* Behind this sign; NULL: something else is here. */
const char *
sddf_sign (const char *p, char c)
{
  p = sddf_blanks (p);
  return *p == c ? p + 1 : NULL;
}

/* "..." without escapes; NULL: none is here. */
const char *
sddf_quoted (const char *p, const char **at, size_t *n)
{
  p = sddf_blanks (p);
  if (*p != '"')
    return NULL;
  *at = p + 1;
  const char *end = strchr (*at, '"');
  *n = end ? (size_t) (end - *at) : 0;
  return end ? end + 1 : NULL;
}

/* ---- descriptions -------------------------------------------------------------------------------------------------------------- */

uint32_t
sddf_find_field (const Record *r, const char *name)
{
  for (uint32_t i = 0; name && i < r->n; i++)
    if (strcmp (r->fields[i].name, name) == 0)
      return i;
  return TRACE_NONE;
}

uint32_t
sddf_first_of (const Record *r, const char *const *names)
{
  uint32_t at = TRACE_NONE;

  for (; *names && at == TRACE_NONE; names++)
    at = sddf_find_field (r, *names);
  return at;
}

static void
free_record (void *p)
{
  Record *r = p;

  for (uint32_t i = 0; i < r->n; i++)
    g_free (r->fields[i].name);
  g_free (r->name);
  g_free (r->call);
  g_free (r);
}

/* TYPE "NAME"[][]; */
static const char *
describe_field (const char *p, Record *r)
{
  static const struct {
    const char *name;
    FieldType type;
  } types[] = { { "int", WHOLE },  { "short", WHOLE }, { "long", WHOLE }, { "byte", WHOLE },
                { "float", REAL }, { "double", REAL }, { "char", TEXT } };
  const char *at = p = sddf_blanks (p);
  size_t n, i = 0;
  SddfField f = { 0 };

  for (;;) { /* "unsigned int": the last word tells */
    while (g_ascii_isalpha (*p))
      p++;
    const char *next = sddf_blanks (p);
    if (next == p || !g_ascii_isalpha (*next))
      break;
    at = p = next;
  }
  while (i < G_N_ELEMENTS (types)
         && !(strlen (types[i].name) == (size_t) (p - at) && memcmp (types[i].name, at, (size_t) (p - at)) == 0))
    i++;
  if (i == G_N_ELEMENTS (types) || !(p = sddf_quoted (p, &at, &n)))
    return NULL;
  f.type = types[i].type;
  g_autofree char *raw = g_strndup (at, MIN (n, 200));
  for (const char *next; (next = sddf_sign (p, '[')); f.dimensions++)
    if (!(p = sddf_sign (next, ']')) || f.dimensions == 8)
      return NULL;
  if (r->n == MOST_FIELDS || !(p = sddf_sign (p, ';')))
    return NULL;
  f.name = g_utf8_make_valid (raw, -1);
  r->fields[r->n++] = f;
  return p;
}

/* Tracers describe records again and again. */
static bool
is_described (Sddf *s, const Record *r)
{
  uint32_t index = name_table_find (s->records, r->name, strlen (r->name));
  const Record *known = index != NAME_TABLE_NONE ? s->all->pdata[index] : NULL;

  if (!known || known->n != r->n)
    return false;
  for (uint32_t i = 0; i < r->n; i++) {
    const SddfField *a = &known->fields[i], *b = &r->fields[i];
    if (strcmp (a->name, b->name) != 0 || a->type != b->type || a->dimensions != b->dimensions)
      return false;
  }
  return true;
}

/* #TAG: "NAME" { FIELDS }; */
static const char *
sddf_describe (Sddf *s, const char *p)
{
  static const char *const seconds[] = { "TS",        "sec",       "Seconds",    "seconds",    "time", "Time",
                                         "Timestamp", "timestamp", "time stamp", "Time Stamp", NULL },
                           *const microseconds[] = { "TU", "usec", NULL },
                           *const tasks[] = { "TID",       "tid",       "Processor Number",
                                              "Processor", "processor", "Node",
                                              "node",      "PE",        NULL };
  Record *r = g_new0 (Record, 1);
  const char *at;
  size_t n;

  p = p + 1 + strspn (p + 1, " \t0123456789-");
  if ((p = sddf_sign (p, ':')) && (p = sddf_quoted (p, &at, &n)))
    r->name = g_strndup (at, MIN (n, 200));
  p = p ? sddf_sign (p, '{') : NULL;
  while (p && !sddf_sign (p, '}'))
    p = describe_field (p, r);
  p = p ? sddf_sign (sddf_sign (p, '}'), ';') : NULL;
  s->too_many = !p && r->n == MOST_FIELDS;
  if (p)
    pvm_rename (r);
  bool known = p && is_described (s, r);
  if (!p || known || s->all->len >= MOST_RECORDS) {
    free_record (r);
    if (p && !known)
      sddf_damaged (s, _ ("more than %d kinds of records are described; the others are left out"), MOST_RECORDS);
    return p;
  }
  r->seconds = sddf_first_of (r, seconds);
  r->microseconds = sddf_first_of (r, microseconds);
  r->task = sddf_first_of (r, tasks);
  g_ptr_array_add (s->all, r);
  name_table_set (s->records, r->name, strlen (r->name), s->all->len - 1);
  if (s->looks_at_clocks)
    g_hash_table_add (s->names, g_strdup (r->name));
  pvm_describe (s, r);
  if (!r->of_pvm)
    map_describe (s, r);
  return p;
}

/* ---- values ---------------------------------------------------------------------------------------------------------------------- */

/* [N] { "TEXT" }: N may count a 0 at the end, or not; quotes inside are not marked as such. */
static const char *
sddf_text_value (const char *p, const char *end, Value *v)
{
  char *rest;
  int64_t n;

  if (!(p = sddf_sign (p, '[')))
    return NULL;
  n = g_ascii_strtoll (p, &rest, 10);
  if (!(p = sddf_sign (rest, ']')) || !(p = sddf_sign (p, '{')))
    return NULL;
  *v = (Value){ .type = 't', .at = "" };
  if (sddf_sign (p, '}'))
    return sddf_sign (p, '}');
  if (!(p = sddf_sign (p, '"')))
    return NULL;
  v->at = p;
  n = CLAMP (n, 0, end - p);
  for (int64_t less = 1; less >= 0; less--) {
    const char *quote = n - less >= 0 && n - less < end - p ? p + (n - less) : NULL;
    if (quote && *quote == '"' && sddf_sign (quote + 1, '}')) {
      v->n = (size_t) (quote - p);
      return sddf_sign (quote + 1, '}');
    }
  }
  for (const char *quote = p; (quote = strchr (quote, '"'));) { /* the number is wrong */
    const char *next = quote + 1; /* a comment would be passed over from each quote that is in it */
    while (g_ascii_isspace (*next))
      next++;
    if (*next == '}') {
      v->n = (size_t) (quote - p);
      return next + 1;
    }
    quote = next;
  }
  return NULL;
}

/* The bracket that ends a list, of which each dimension may have its own; NULL: none does. */
static const char *
list_end (const char *p)
{
  unsigned depth = 0;

  for (bool inside = false; *p; p++)
    if (*p == '"')
      inside = !inside;
    else if (!inside && *p == '{')
      depth++;
    else if (!inside && *p == '}' && depth-- == 0)
      return p;
  return NULL;
}

/* [N] { 1, 2, 3 }, [N][M] { ... }: kept as its text. */
static const char *
list_value (const char *p, const SddfField *f, Value *v)
{
  for (uint8_t i = 0; i < f->dimensions; i++) {
    char *rest;
    if (!(p = sddf_sign (p, '[')))
      return NULL;
    g_ascii_strtoll (p, &rest, 10);
    if (!(p = sddf_sign (rest, ']')))
      return NULL;
  }
  if (!(p = sddf_sign (p, '{')))
    return NULL;
  const char *end = list_end (p);
  *v = (Value){ .type = f->dimensions == 1 && f->type == WHOLE ? 'l' : 't',
                .at = p,
                .n = end ? (size_t) (end - p) : 0 };
  while (v->n > 0 && g_ascii_isspace (*v->at)) {
    v->at++;
    v->n--;
  }
  while (v->n > 0 && g_ascii_isspace (v->at[v->n - 1]))
    v->n--;
  return end ? end + 1 : NULL;
}

bool
sddf_next_number (const char **at, int64_t *number)
{
  char *rest;

  *number = g_ascii_strtoll (*at, &rest, 10);
  if (rest == *at)
    return false;
  *at = rest + strspn (rest, ", \t\n");
  return true;
}

static const char *
sddf_value (const char *p, const char *end, const SddfField *f, Value *v)
{
  char *rest;

  p = sddf_blanks (p);
  if (f->dimensions == 1 && f->type == TEXT)
    return sddf_text_value (p, end, v);
  if (f->dimensions > 0)
    return list_value (p, f, v);
  if (f->type == TEXT && *p == '\'' && p[1] && p[2] == '\'') { /* one letter */
    *v = (Value){ .type = 't', .at = p + 1, .n = 1 };
    return p + 3;
  }
  if (f->type == REAL)
    *v = (Value){ .type = 'r', .real = g_ascii_strtod (p, &rest) };
  else
    *v = (Value){ .type = 'i', .whole = g_ascii_strtoll (p, &rest, 10) };
  return rest > p ? rest : NULL;
}

bool
sddf_values (const Record *r, const char *p, const char *end, Value *values, const char **behind)
{
  p = sddf_sign (p, '{');
  for (uint32_t i = 0; p && i < r->n; i++) {
    p = sddf_value (p, end, &r->fields[i], &values[i]);
    if (p && i + 1 < r->n)
      p = sddf_sign (p, ',');
  }
  *behind = p ? sddf_sign (p, '}') : NULL;
  return *behind != NULL;
}

TraceRole
sddf_role (const SddfField *f)
{
  return f->dimensions > 0 || f->type == TEXT ? TRACE_ROLE_WORD : TRACE_ROLE_INT;
}

void
sddf_give_value (Sddf *s, const Value *v)
{
  switch (v->type) {
  case 'i':
    converter_int (s->to, v->whole);
    break;
  case 'r':
    converter_real (s->to, v->real);
    break;
  case 't':
  case 'l':
    converter_text (s->to, v->at, v->n);
    break;
  default:
    converter_none (s->to);
  }
}

uint32_t
sddf_task (Sddf *s, const char *name, int64_t raw)
{
  size_t n = strlen (name);
  uint32_t task = name_table_find (s->tasks, name, n);

  if (G_LIKELY (task != NAME_TABLE_NONE))
    return task;
  if (s->source->tasks->len >= MOST_TASKS) {
    if (!s->crowded)
      sddf_damaged (s, _ ("more than %d tasks; what the others did is shown as done by the first"), MOST_TASKS);
    s->crowded = true;
    return 0;
  }
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  task = trace_source_add_task (s->source, valid, raw);
  name_table_set (s->tasks, name, n, task);
  return task;
}

/* ---- packets ------------------------------------------------------------------------------------------------------------------------ */

/* "NAME" { VALUES }; */
static const char *
data (Sddf *s, const char *p, const char *end, bool clocks)
{
  Value values[MOST_FIELDS] = { 0 };
  const char *at, *behind;
  size_t n;

  if (!(p = sddf_quoted (p, &at, &n)))
    return NULL;
  uint32_t index = name_table_find (s->records, at, n);
  if (index == NAME_TABLE_NONE) {
    if (!clocks)
      sddf_damaged (s, _ ("records “%.*s” are not described before this one; it is left out"), (int) MIN (n, 60), at);
    behind = strstr (p, ";;");
    return behind;
  }
  Record *r = s->all->pdata[index];
  if (!sddf_values (r, p, end, values, &behind))
    return NULL;
  if (clocks)
    pvm_clock (s, r, values);
  else if (r->of_pvm)
    pvm_happen (s, r, values, p, end);
  else if (!s->take)
    map_happen (s, r, values);
  return behind;
}

/* The packet that begins at p; gives what is behind its ";;".  NULL: it is none, or not all there. */
static const char *
packet (Sddf *s, const char *p, const char *end, bool clocks)
{
  if (p[0] == '/' && p[1] == '*') {
    p = strstr (p, "*/");
    p = p ? p + 2 : NULL;
  } else if (*p == '#') {
    p = sddf_describe (s, p);
    return p ? sddf_sign (p, ';') : NULL;
  } else if (*p == '%') {
    p = strstr (p, ";;");
  } else {
    p = data (s, p, end, clocks);
  }
  p = p ? sddf_sign (p, ';') : NULL;
  return p ? sddf_sign (p, ';') : NULL;
}

/* What is known of the text at hand, through which one goes forward: nothing is looked for from each of its packets. */
typedef struct Ahead {
  int failed;                             /* of its packets */
  bool looked[2];                         /* for the next end of a comment, of a description */
  const char *comment_end, *describe_end; /* or NULL: none is ahead */
} Ahead;

/* The packet at p.  It may have ";;" inside; where many were none, each of them would be sought in all that follows, so
 * that it is what is before the next ";;" then. */
static const char *
packet_ahead (Sddf *s, char *p, const char *end, Ahead *ahead, bool clocks)
{
  char *cut = p < end ? strstr (p, ";;") : NULL;

  if (!cut)
    return NULL;
  if (ahead->failed < MOST_TRIES)
    return packet (s, p, end, clocks);
  cut += 2;
  char saved = *cut;
  *cut = '\0';
  const char *behind = packet (s, p, cut, clocks);
  *cut = saved;
  return behind;
}

/* Takes packets out of what was read of the file, from `from` on.  Gives where what is left begins, with one that is
 * not all there. */
static size_t
take_packets (Sddf *s, const GString *text, size_t from, Ahead *ahead, int *tries, bool clocks)
{
  const char *p = text->str + from, *end = text->str + text->len;

  for (;;) {
    p = sddf_blanks (p);
    const char *behind = packet_ahead (s, text->str + (p - text->str), end, ahead, clocks);
    if (!behind) {
      ahead->failed++;
      break;
    }
    p = behind;
    *tries = 0;
  }
  if (p > text->str + from)
    s->line = s->lines;
  return (size_t) (p - text->str);
}

/* What cannot be understood ends with the next ";;".  Gives where that is. */
static size_t
sddf_leave_out (Sddf *s, const GString *text, size_t from, const char *why, bool clocks)
{
  const char *end = strstr (text->str + from, ";;");

  if (!clocks && s->too_many)
    sddf_damaged (s, _ ("a record has more than %d fields; it is left out"), MOST_FIELDS);
  else if (!clocks)
    sddf_damaged (s, "%s", why);
  s->too_many = false;
  return end ? (size_t) (end + 2 - text->str) : text->len;
}

/* Whether more lines may make a packet of it; counts the tries. */
static bool
sddf_may_go_on (const char *p, Ahead *ahead, int *tries)
{
  p = sddf_blanks (p);
  bool comment = p[0] == '/' && p[1] == '*';

  if (*tries >= MOST_TRIES || (!comment && *p != '#'))
    return false;
  const char **end = comment ? &ahead->comment_end : &ahead->describe_end;
  if (!ahead->looked[comment] || (*end && *end < p))
    *end = strstr (p, comment ? "*/" : "};");
  ahead->looked[comment] = true;
  *tries += !*end;
  return !*end;
}

/* A line more; `text` is what is left of those before.  `tries` is 0 at the beginning. */
void
sddf_line (Sddf *s, GString *text, char *line, size_t n, bool cut, int *tries, bool clocks)
{
  if (*sddf_blanks (text->str) == '\0') { /* between packets: however much of it there is, it is not looked at again */
    s->line = s->lines;
    g_string_truncate (text, 0);
  }
  if (cut || strlen (line) != n) {
    if (!clocks)
      sddf_damaged (s, cut ? _ ("a line is longer than 1 MiB") : _ ("a line has a byte 0"));
    g_string_truncate (text, 0);
    return;
  }
  g_string_append_len (text, line, (gssize) n);
  g_string_append_c (text, '\n');
  if (strstr (line, ";;")) {
    Ahead ahead = { 0 };
    size_t at = take_packets (s, text, 0, &ahead, tries, clocks);
    for (const char *p = text->str;
         *sddf_blanks (p + at) != '\0' && strstr (p + at, ";;") && !sddf_may_go_on (p + at, &ahead, tries);) {
      at = sddf_leave_out (s, text, at,
                           _ ("this is no packet of SDDF, or its values are not as it was described; it is left out"),
                           clocks);
      at = take_packets (s, text, at, &ahead, tries, clocks);
    }
    g_string_erase (text, 0, (gssize) at);
  }
  if (text->len > MOST_PACKET)
    g_string_erase (text, 0,
                    (gssize) sddf_leave_out (s, text, 0, _ ("a packet is larger than 16 MiB; it is left out"), clocks));
}

/* Once for the clocks of hosts, once for all. */
bool
sddf_read_packets (Sddf *s, const char *path, bool clocks, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) why = NULL;
  bool cut, goes_on = true, first = true;
  int tries = 0;
  size_t n;

  s->looks_at_clocks = clocks;
  s->in = input_open (path, error);
  for (char *line; s->in && goes_on && (line = input_line (s->in, &n, &cut, &why)); first = false) {
    if ((input_line_number (s->in) & 0x3ff) == 0)
      goes_on = converter_progress (s->to, clocks ? 0 : input_share (s->in), error);
    if (first && g_str_has_prefix (line, "SDDFA"))
      continue;
    s->lines = input_line_number (s->in);
    sddf_line (s, text, line, n, cut, &tries, clocks);
  }
  if (*sddf_blanks (text->str) != '\0' && !clocks && !why)
    sddf_damaged (s, _ ("the file ends inside of this packet, which is left out"));
  if (why && !clocks && s->source->n_events > 0) { /* what came before it is good */
    sddf_damaged (s, "%s", why->message);
  } else if (why && !clocks) {
    g_propagate_error (error, g_steal_pointer (&why));
    goes_on = false;
  }
  goes_on = goes_on && s->in;
  if (s->in)
    input_close (s->in);
  s->in = NULL;
  return goes_on;
}

void
sddf_begin_tables (Sddf *s)
{
  g_clear_pointer (&s->all, g_ptr_array_unref);
  g_clear_pointer (&s->records, name_table_free);
  s->all = g_ptr_array_new_with_free_func (free_record);
  s->records = name_table_new ();
}

void
sddf_begin (Sddf *s)
{
  s->tasks = name_table_new ();
  s->states = name_table_new ();
  s->variables = name_table_new ();
  s->calls = name_table_new ();
  s->held = open_calls_new ();
  s->kinds = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  s->clocks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  s->hosts = g_hash_table_new (NULL, NULL);
  s->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s->map = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, map_free_rule);
  s->states_type = TRACE_NONE;
  sddf_begin_tables (s);
}

void
sddf_end (Sddf *s, void (*free_call) (OpenCall *call))
{
  open_calls_free (s->held, free_call);
  name_table_free (s->calls);
  g_ptr_array_unref (s->all);
  name_table_free (s->records);
  name_table_free (s->tasks);
  name_table_free (s->states);
  name_table_free (s->variables);
  g_hash_table_unref (s->kinds);
  g_hash_table_unref (s->clocks);
  g_hash_table_unref (s->hosts);
  g_hash_table_unref (s->names);
  g_hash_table_unref (s->map);
  g_free (s->any.time);
  g_free (s->any.task);
}
