/* SPDX-License-Identifier: Apache-2.0 */
/* map.c - what records do that are not of PVM's tracer: they are noted, unless a file FILE.map beside the trace tells
 * which of them enter and leave states, send and receive. */
#include <math.h>
#include <string.h>

#include "eve/disk.h"
#include "eve/words.h"
#include "readers/both-ends.h"
#include "readers/sddf/sddf.h"

void
map_free_rule (void *p)
{
  Rule *r = p;

  g_free (r->time);
  g_free (r->task);
  g_free (r->state);
  g_free (r->called);
  g_free (r->peer);
  g_free (r->size);
  g_free (r->tag);
  g_free (r);
}

static void
map_tell (Sddf *s, const char *file, const char *what)
{
  trace_source_remark (s->source, file, 0, 0, "%s", what);
}

/* How many of its unit a date has a second: of a word, or told as a number; 0: none is told, or it cannot be. */
static int64_t
map_ticks_of (Sddf *s, GKeyFile *keys, const char *name, const char *file)
{
  static const struct {
    const char *unit;
    int64_t ticks;
  } units[] = { { "s", 1 }, { "ms", 1000 }, { "us", 1000000 }, { "ns", 1000000000 } };
  g_autofree char *unit = g_key_file_get_string (keys, name, "unit", NULL);
  int64_t ticks = 0;

  for (size_t i = 0; unit && i < G_N_ELEMENTS (units); i++)
    ticks = strcmp (unit, units[i].unit) == 0 ? units[i].ticks : ticks;
  if (!unit || ticks > 0 || g_ascii_string_to_signed (unit, 10, 1, INT64_C (1000000000000), &ticks, NULL))
    return ticks;
  g_autofree char *what = g_strdup_printf (
      _ ("[%s]: “unit” is s, ms, us, ns, or how many there are a second, not “%s”"), name, unit);
  map_tell (s, file, what);
  return 0;
}

static void
map_read_rule (Sddf *s, GKeyFile *keys, const char *name, const char *file)
{
  static const char *const words[] = { "mark", "enter", "leave", "send", "receive", "set" };
  g_autofree char *does = g_key_file_get_string (keys, name, "does", NULL);
  size_t i = 0;

  if (strcmp (name, "*") == 0) {
    s->any.time = g_key_file_get_string (keys, name, "time", NULL);
    s->any.task = g_key_file_get_string (keys, name, "task", NULL);
    s->any.ticks = map_ticks_of (s, keys, name, file);
    return;
  }
  while (does && i < G_N_ELEMENTS (words) && strcmp (words[i], does) != 0)
    i++;
  if (i == G_N_ELEMENTS (words)) {
    g_autofree char *what = g_strdup_printf (_ ("[%s]: “does” is mark, enter, leave, send, receive or set, not “%s”"),
                                             name, does);
    map_tell (s, file, what);
    return;
  }
  Rule *r = g_new0 (Rule, 1);
  r->does = (Does) i;
  r->time = g_key_file_get_string (keys, name, "time", NULL);
  r->task = g_key_file_get_string (keys, name, "task", NULL);
  r->state = g_key_file_get_string (keys, name, "state", NULL);
  r->peer = g_key_file_get_string (keys, name, "peer", NULL);
  r->size = g_key_file_get_string (keys, name, "size", NULL);
  r->tag = g_key_file_get_string (keys, name, "tag", NULL);
  r->ticks = map_ticks_of (s, keys, name, file);
  g_hash_table_replace (s->map, g_strdup (name), r);
}

void
map_read (Sddf *s, const char *path)
{
  g_autofree char *beside = g_strconcat (path, ".map", NULL), *file = g_path_get_basename (beside);
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  g_autoptr (GError) why = NULL;
  size_t n;

  if (!g_file_test (beside, G_FILE_TEST_EXISTS))
    return;
  g_autofree char *text = (char *) disk_read (beside, NULL, DISK_MIB, &n, &why);
  if (!text || !g_key_file_load_from_data (keys, text, n, G_KEY_FILE_NONE, &why)) {
    map_tell (s, file, why ? why->message : _ ("it cannot be read"));
    return;
  }
  g_auto (GStrv) names = g_key_file_get_groups (keys, NULL);
  for (int i = 0; names[i]; i++)
    map_read_rule (s, keys, names[i], file);
}

/* "FIELD", or "SECONDS,MICROSECONDS". */
static void
find_time (Record *r, const char *names)
{
  if (!names)
    return;
  g_auto (GStrv) both = g_strsplit (names, ",", 2);
  r->seconds = both[0] ? sddf_find_field (r, g_strstrip (both[0])) : TRACE_NONE;
  r->microseconds = both[0] && both[1] ? sddf_find_field (r, g_strstrip (both[1])) : TRACE_NONE;
}

/* A map that names a field which the record has not means something else than it says. */
static uint32_t
named_field (Sddf *s, const Record *r, const char *name)
{
  uint32_t field = sddf_find_field (r, name);

  if (name && field == TRACE_NONE && !s->looks_at_clocks)
    trace_source_remark (s->source, s->file, s->line, 1, _ ("the map names “%s”, which is no field of the record “%s”"),
                         name, r->name);
  return field;
}

/* The field of this name after that of another one, as "task id" of "task". */
static char *
id_of (const Record *r, const char *stem)
{
  char *name = g_strdup_printf ("%s id", stem);

  if (sddf_find_field (r, name) == TRACE_NONE)
    g_clear_pointer (&name, g_free);
  return name;
}

static const char *
name_of_first (const Record *r, const char *const *names)
{
  uint32_t field = sddf_first_of (r, names);

  return field != TRACE_NONE ? r->fields[field].name : NULL;
}

/* What a message is by the names of a record and its fields: sent to somebody, received from somebody. */
static Rule *
rule_of_message (const Record *r)
{
  static const char *const to[] = { "dest node", "Destination Node", "Destination", "destination", "dest", NULL };
  static const char *const from[] = { "source node", "Source Node", "Source", "source", "src", NULL };
  static const char *const sizes[] = { "msg length", "Message Length", "Message Size", "Length", "length",
                                       "Size",       "size",           "Bytes",        "bytes",  NULL };
  static const char *const tags[] = { "msg type", "Message Type", "Message Tag", "Type", "type", "Tag", "tag", NULL };
  static const char *const sends[] = { "send", "Send" }, *const receives[] = { "recv", "receive", "Recv", "Receive" };
  const char *peer = NULL;
  Does does = DOES_MARK;

  for (size_t i = 0; i < G_N_ELEMENTS (sends) && does == DOES_MARK; i++)
    if (both_ends_word (r->name, sends[i]) && (peer = name_of_first (r, to)))
      does = DOES_SEND;
  for (size_t i = 0; i < G_N_ELEMENTS (receives) && does == DOES_MARK; i++)
    if (both_ends_word (r->name, receives[i]) && (peer = name_of_first (r, from)))
      does = DOES_RECEIVE;
  if (does == DOES_MARK)
    return NULL;
  Rule *rule = g_new0 (Rule, 1);
  *rule = (Rule){ .does = does,
                  .peer = g_strdup (peer),
                  .size = g_strdup (name_of_first (r, sizes)),
                  .tag = g_strdup (name_of_first (r, tags)) };
  return rule;
}

/* What a record does that no map tells of: one of two whose names differ in a word as "start" and "end" begins what
 * the other ends; or it is a message.  NULL: it is noted. */
static const Rule *
rule_by_names (Sddf *s, const Record *r)
{
  BothEnds both;
  Rule *rule;

  if (both_ends_of (r->name, s->names, &both)) {
    char *id = id_of (r, both.stem);
    rule = g_new0 (Rule, 1);
    rule->does = both.begins ? DOES_ENTER : DOES_LEAVE;
    rule->state = id ? id : g_strdup (both.stem);
    rule->called = both.stem;
  } else if (!(rule = rule_of_message (r))) {
    return NULL;
  }
  g_hash_table_insert (s->map, g_strdup (r->name), rule);
  return rule;
}

void
map_describe (Sddf *s, Record *r)
{
  const Rule *rule = g_hash_table_lookup (s->map, r->name);

  if (!rule && !s->looks_at_clocks)
    rule = rule_by_names (s, r);

  r->ticks = rule && rule->ticks > 0 ? rule->ticks : s->any.ticks;
  find_time (r, rule && rule->time ? rule->time : s->any.time);
  if (rule && rule->task)
    r->task = named_field (s, r, rule->task);
  else if (s->any.task)
    r->task = sddf_find_field (r, s->any.task);
  r->rule = rule ? *rule : (Rule){ .does = DOES_MARK };
  r->state = sddf_find_field (r, r->rule.state);
  r->peer = named_field (s, r, r->rule.peer);
  r->size = named_field (s, r, r->rule.size);
  r->tag = named_field (s, r, r->rule.tag);
}

static const uint16_t acts[] = {
  [DOES_MARK] = TRACE_ACT_MARK, [DOES_ENTER] = TRACE_ACT_ENTER,     [DOES_LEAVE] = TRACE_ACT_LEAVE,
  [DOES_SEND] = TRACE_ACT_SEND, [DOES_RECEIVE] = TRACE_ACT_RECEIVE, [DOES_SET] = TRACE_ACT_SET,
};

/* What leaves the innermost state need not name it. */
static bool
tells_state (const Rule *rule)
{
  return rule->does == DOES_ENTER || rule->state;
}

static void
make_kind (Sddf *s, Record *r)
{
  TraceField fields[MOST_FIELDS + 4];
  uint32_t n = 0, own;

  switch (r->rule.does) {
  case DOES_ENTER:
  case DOES_LEAVE:
    if (tells_state (&r->rule))
      fields[n++] = (TraceField){ "state", TRACE_ROLE_REGION, NULL };
    break;
  case DOES_SET:
    fields[n++] = (TraceField){ "variable", TRACE_ROLE_OBJECT, NULL };
    fields[n++] = (TraceField){ "value", TRACE_ROLE_VALUE, NULL };
    break;
  case DOES_SEND:
  case DOES_RECEIVE:
    fields[n++] = (TraceField){ r->rule.does == DOES_SEND ? "to" : "from", TRACE_ROLE_PEER, NULL };
    fields[n++] = (TraceField){ "tag", TRACE_ROLE_TAG, NULL };
    fields[n++] = (TraceField){ "bytes", TRACE_ROLE_SIZE, "B" };
    break;
  case DOES_MARK:
    break;
  }
  own = n;
  for (uint32_t i = 0; i < r->n; i++)
    fields[n++] = (TraceField){ converted_field_name (r->fields[i].name, strlen (r->fields[i].name)),
                                sddf_role (&r->fields[i]), NULL };
  g_autofree char *name = g_utf8_make_valid (r->name, -1);
  uint32_t kind = converter_kind (s->to, &(TraceKind){ .name = *name ? name : "record",
                                                       .category = "record",
                                                       .fields = fields,
                                                       .n_fields = n,
                                                       .instant = true,
                                                       .acts = acts[r->rule.does] });
  while (n > own)
    g_free ((char *) fields[--n].name);
  r->kind = (kind == UINT32_MAX ? 0 : kind) + 1;
}

static bool
map_date_of (const Record *r, const Value *values, int64_t *date)
{
  const Value *v = r->seconds != TRACE_NONE ? &values[r->seconds] : NULL;
  double more = r->microseconds != TRACE_NONE && values[r->microseconds].type == 'i'
                    ? (double) values[r->microseconds].whole
                    : 0;

  if (!v || (v->type != 'i' && v->type != 'r'))
    return false;
  const int64_t ticks = MAX (r->ticks, 1);
  double seconds = (v->type == 'i' ? (double) v->whole : v->real) / (double) ticks;
  if (!(fabs (seconds) < 4e9) || !(fabs (more) < 1e15))
    return false;
  *date = v->type == 'i'
              ? v->whole / ticks * 1000000000 + (int64_t) llround ((double) (v->whole % ticks) * (1e9 / (double) ticks))
              : (int64_t) llround (seconds * 1e9);
  *date += (int64_t) more * 1000;
  return true;
}

/* A number, however it is written; 0: it is none. */
static double
real_of (const Value *v)
{
  if (v->type == 't') {
    g_autofree char *text = g_strndup (v->at, MIN (v->n, 40));
    double real = g_ascii_strtod (text, NULL);
    return isfinite (real) ? real : 0;
  }
  return v->type == 'r' ? v->real : v->type == 'i' ? (double) v->whole : 0;
}

/* The nearest whole number, as sizes and tags are. */
static int64_t
map_whole_of (const Value *v)
{
  double real = real_of (v);

  if (v->type == 't') {
    g_autofree char *text = g_strndup (v->at, MIN (v->n, 40));
    if (text[strspn (text, " +-0123456789")] == '\0') /* exact beyond what real numbers are */
      return g_ascii_strtoll (text, NULL, 10);
  }
  return v->type == 'i' ? v->whole : fabs (real) < 9e18 ? (int64_t) llround (real) : 0;
}

/* Names are names; numbers are those of what the field is called. */
static uint32_t
map_task_of (Sddf *s, const Record *r, const Value *values, uint32_t field)
{
  g_autofree char *name = NULL;

  if (field == TRACE_NONE || values[field].type == 'l' || values[field].type == 0)
    return sddf_task (s, "program", 0);
  if (values[field].type == 't')
    name = g_strndup (values[field].at, MIN (values[field].n, 200));
  else
    name = g_strdup_printf ("%s %" G_GINT64_FORMAT,
                            r->task != TRACE_NONE ? r->fields[r->task].name : r->fields[field].name,
                            map_whole_of (&values[field]));
  return sddf_task (s, *name ? name : "?", values[field].whole);
}

static uint32_t
map_state_of (Sddf *s, const Record *r, const Value *values)
{
  g_autofree char *name = r->state == TRACE_NONE ? g_strdup (r->rule.state ? r->rule.state : r->name)
                          : values[r->state].type == 't'
                              ? g_strndup (values[r->state].at, MIN (values[r->state].n, 200))
                          : values[r->state].type == 'i' || values[r->state].type == 'r'
                              ? g_strdup_printf ("%s %" G_GINT64_FORMAT,
                                                 r->rule.called ? r->rule.called : r->rule.state,
                                                 map_whole_of (&values[r->state]))
                              : g_strdup (r->rule.state);
  uint32_t object = name_table_find (s->states, name, strlen (name));

  if (object != NAME_TABLE_NONE)
    return object;
  if (s->states_type == TRACE_NONE)
    s->states_type = trace_source_add_type (s->source, TRACE_STATES, "state", NULL, TRACE_NONE);
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  object = trace_source_add_state (s->source, s->states_type, valid);
  name_table_set (s->states, name, strlen (name), object);
  return object;
}

static void
map_set_variable (Sddf *s, const Record *r, const Value *values, TraceEvent *e)
{
  const char *name = r->rule.state ? r->rule.state : r->name;
  uint32_t object = name_table_find (s->variables, name, strlen (name));

  if (object == NAME_TABLE_NONE) {
    g_autofree char *valid = g_utf8_make_valid (name, -1);
    uint32_t type = trace_source_add_type (s->source, TRACE_VARIABLE, valid, NULL, TRACE_NONE);
    object = ((const TraceType *) s->source->types->pdata[type])->object;
    name_table_set (s->variables, name, strlen (name), object);
  }
  e->object = object;
  e->flags |= TRACE_REAL;
  e->real = r->state == TRACE_NONE ? 0 : real_of (&values[r->state]);
}

void
map_happen (Sddf *s, Record *r, const Value *values)
{
  TraceEvent e = { .peer = TRACE_NONE, .object = TRACE_NONE, .tag = -1, .flags = TRACE_INSTANT };

  if (!map_date_of (r, values, &s->latest))
    s->undated++;
  e.date = s->latest;
  e.task = map_task_of (s, r, values, r->task);
  if (r->kind == 0)
    make_kind (s, r);
  e.kind = (uint16_t) (r->kind - 1);
  switch (r->rule.does) {
  case DOES_ENTER:
  case DOES_LEAVE:
    if (tells_state (&r->rule))
      e.object = map_state_of (s, r, values);
    break;
  case DOES_SET:
    map_set_variable (s, r, values, &e);
    break;
  case DOES_SEND:
  case DOES_RECEIVE:
    e.peer = r->peer != TRACE_NONE ? map_task_of (s, r, values, r->peer) : TRACE_NONE;
    e.size = r->size != TRACE_NONE ? MAX (map_whole_of (&values[r->size]), 0) : 0;
    e.tag = r->tag != TRACE_NONE ? (int32_t) CLAMP (map_whole_of (&values[r->tag]), G_MININT32, G_MAXINT32) : -1;
    break;
  case DOES_MARK:
    break;
  }
  for (uint32_t i = 0; i < r->n; i++)
    sddf_give_value (s, &values[i]);
  converter_event (s->to, &e);
}
