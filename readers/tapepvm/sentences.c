/* SPDX-License-Identifier: Apache-2.0 */
/* sentences.c - an event of PVM in words, after the names of the kinds, so that a bundle's own table speaks
 * too. */
#include "readers/words.h"
#include "eve/words.h"
#include "readers/tapepvm/tapepvm.h"

/* In a template, $name stands for a field said by its role, and some more:
 *   $took     how long the call took, at its end            $wanted   what a receive asked for
 *   $message  what came: bytes, tag, from whom              $items    "1,024 doubles (8,192 bytes)"
 *   $call     the name of the function in libpvm3           $many     the tasks of the list field, the first
 * few of many
 */
typedef struct Words {
  const char *name;
  const char *begin, *end, *unfinished; /* unfinished NULL: begin and "never ends" */
  const char *failed;                   /* of a negative result; NULL: end and "fails with code" */
} Words;

static Words words[] = {
  { "Enroll", N_ ("enrolls$where"), NULL, NULL },
  { "Exit", N_ ("leaves PVM"), NULL, NULL, N_ ("dies: it crashed or was killed") },
  { "Spawn", N_ ("begins to start $count of program $program$place"),
    N_ ("has started $many of program $program$place ($took)"),
    N_ ("begins to start $count of program $program$place, and never returns") },
  { "JoinGroup", N_ ("begins to join group $group"), N_ ("joins group $group as instance $result ($took)"),
    N_ ("begins to join group $group, and never gets in") },
  { "LvGroup", N_ ("begins to leave group $group"), N_ ("has left group $group ($took)"),
    N_ ("begins to leave group $group, and never gets out") },
  { "Barrier", N_ ("reaches the barrier of group $group and waits for $count"),
    N_ ("passes the barrier of group $group ($took)"),
    N_ ("waits at the barrier of group $group for $count, and never passes") },
  { "Send", N_ ("begins to send $bytes tagged $tag to $to"), N_ ("has sent $bytes tagged $tag to $to ($took)"),
    N_ ("begins to send $bytes tagged $tag to $to, and never ends") },
  { "PSend", N_ ("begins to pack and send $bytes tagged $tag to $to"),
    N_ ("has packed and sent $bytes tagged $tag to $to ($took)"),
    N_ ("begins to pack and send $bytes tagged $tag to $to, and never ends") },
  { "Recv", N_ ("waits for a message$wanted"), N_ ("receives $message ($took)"),
    N_ ("waits for a message$wanted, and never gets it") },
  { "PRecv", N_ ("waits for a message$wanted to unpack it"), N_ ("receives and unpacks $message ($took)"),
    N_ ("waits for a message$wanted to unpack it, and never gets it") },
  { "TRecv", N_ ("waits at most $timeout_ns for a message$wanted"), N_ ("receives $message ($took)"),
    N_ ("waits at most $timeout_ns for a message$wanted, and never returns") },
  { "NRecv", N_ ("looks for a message$wanted"), N_ ("takes $message ($took)"),
    N_ ("looks for a message$wanted, and never returns") },
  { "Mcast", N_ ("begins to multicast $bytes tagged $tag to $many"),
    N_ ("has multicast $bytes tagged $tag to $many ($took)"),
    N_ ("begins to multicast $bytes tagged $tag to $many, and never ends") },
  { "Bcast", N_ ("begins to broadcast $bytes tagged $tag in group $group"),
    N_ ("has broadcast $bytes tagged $tag in group $group ($took)"), NULL },
  { "Scatter", N_ ("begins a scatter of $bytes a task in group $group, root $root"),
    N_ ("has done a scatter of $bytes a task in group $group, root $root ($took)"), NULL },
  { "Gather", N_ ("begins a gather of $bytes a task in group $group, root $root"),
    N_ ("has done a gather of $bytes a task in group $group, root $root ($took)"), NULL },
  { "Reduce", N_ ("begins a reduction of $bytes a task in group $group, root $root"),
    N_ ("has done a reduction of $bytes a task in group $group, root $root ($took)"), NULL },
  { "PkMesg", N_ ("begins to pack message buffer $buffer ($bytes)"),
    N_ ("has packed message buffer $buffer ($bytes, $took)"), NULL },
  { "PkMesgBody", N_ ("begins to pack the body of message buffer $buffer ($bytes)"),
    N_ ("has packed the body of message buffer $buffer ($bytes, $took)"), NULL },
  { "UpkMesg", N_ ("begins to unpack a message ($bytes)"), N_ ("has unpacked a message ($bytes, $took)"), NULL },
  { "Packf", N_ ("begins to pack by a format ($bytes)"), N_ ("has packed by a format ($bytes, $took)"), NULL },
  { "Unpackf", N_ ("begins to unpack by a format ($bytes)"), N_ ("has unpacked by a format ($bytes, $took)"), NULL },
  { "User", N_ ("says $name = $value"), NULL, NULL },
  { "Sample", N_ ("has used $cpu thousandths of a processor, and has $memory of memory"), NULL, NULL },
  { "output", N_ ("output: $text"), NULL, NULL }, /* of PVM's own tracer */
  { "spntask", N_ ("was started by $parent"), NULL, NULL },
  { "user_defined", N_ ("says $values"), NULL, NULL },
  { "Phase", N_ ("enters phase $name ($value)"), N_ ("leaves phase $name ($value) after $took"),
    N_ ("enters phase $name ($value), and never leaves it") },
};
static Words pack = { "Pk", N_ ("begins to pack $items"), N_ ("has packed $items in $took"), NULL };
static Words unpack = { "Upk", N_ ("begins to unpack $items"), N_ ("has unpacked $items in $took"), NULL };
static Words call = { "", N_ ("calls $call"), N_ ("returns from $call ($took)"),
                      N_ ("calls $call, which never returns") };

static const struct {
  const char *name, *one, *many;
} items[] = {
  { "Byte", NP_ ("byte", "bytes") },
  { "Cplx", NP_ ("complex number", "complex numbers") },
  { "Dcplx", NP_ ("double complex number", "double complex numbers") },
  { "Double", NP_ ("double", "doubles") },
  { "Float", NP_ ("float", "floats") },
  { "Int", NP_ ("int", "ints") },
  { "Long", NP_ ("long", "longs") },
  { "Short", NP_ ("short", "shorts") },
  { "Str", NP_ ("string", "strings") },
  { "Uint", NP_ ("unsigned int", "unsigned ints") },
  { "Ulong", NP_ ("unsigned long", "unsigned longs") },
  { "Ushort", NP_ ("unsigned short", "unsigned shorts") },
};

/* Functions of libpvm3 whose name is not the kind's in small letters. */
static const struct {
  const char *kind, *function;
} functions[] = {
  { "RegHoster", "reg_hoster" }, { "RegRm", "reg_rm" },         { "RegTasker", "reg_tasker" },
  { "RegTracer", "reg_tracer" }, { "StartPvmd", "start_pvmd" },
};

/* Looked up once: sentences are made by thousands where they are searched. */
static void
translate (Words *w)
{
  w->begin = in_words (w->begin);
  w->end = in_words (w->end);
  w->unfinished = in_words (w->unfinished);
  w->failed = in_words (w->failed);
}

static void
translate_all (void)
{
  static gsize done;

  if (!g_once_init_enter (&done))
    return;
  for (unsigned i = 0; i < G_N_ELEMENTS (words); i++)
    translate (&words[i]);
  translate (&pack);
  translate (&unpack);
  translate (&call);
  g_once_init_leave (&done, 1);
}

static int
sentences_field_of (const TraceKind *kind, const char *name, size_t n)
{
  for (uint32_t i = 0; i < kind->n_fields; i++)
    if (strlen (kind->fields[i].name) == n && !strncmp (kind->fields[i].name, name, n))
      return (int) i;
  return -1;
}

static TraceValue
sentences_value_of (const TraceKind *kind, const TraceEvent *e, const char *name)
{
  int field = sentences_field_of (kind, name, strlen (name));
  return field < 0 ? (TraceValue){ .kind = TRACE_VALUE_NONE } : trace_value (e, (uint32_t) field);
}

static void
sentences_add_field (GString *to, const TraceSource *s, const TraceEvent *e, const TraceKind *kind, unsigned field)
{
  TraceValue v = trace_value (e, field);
  const char *unit = kind->fields[field].unit;
  if (v.kind == TRACE_VALUE_TASK)
    g_string_append (to, trace_task_name (s, (uint32_t) v.i));
  else if (v.kind == TRACE_VALUE_TEXT)
    g_string_append (to, v.text && *v.text ? v.text : "“”");
  else if (v.kind == TRACE_VALUE_NONE)
    g_string_append (to, _ ("nobody"));
  else if (v.kind == TRACE_VALUE_INT && kind->fields[field].role == TRACE_ROLE_SIZE)
    words_add_counted (to, v.i, NP_ ("byte", "bytes"));
  else if (v.kind == TRACE_VALUE_INT && unit && g_str_equal (unit, "ns"))
    words_add_duration (to, (double) v.i * 1e-9);
  else if (v.kind == TRACE_VALUE_INT && g_str_equal (kind->fields[field].name, "count"))
    words_add_counted (to, v.i, NP_ ("task", "tasks"));
  else if (v.kind == TRACE_VALUE_INT)
    g_string_append_printf (to, "%" G_GINT64_FORMAT, v.i);
}

static void
add_many (GString *to, const TraceSource *s, const TraceEvent *e)
{
  uint32_t n, shown;
  const uint32_t *list = trace_list (e, &n);
  if (!n) {
    g_string_append (to, _ ("nobody"));
    return;
  }
  shown = n > 4 ? 3 : n;
  for (uint32_t i = 0; i < shown; i++)
    g_string_append_printf (to, "%s%s", i == 0 ? "" : i + 1 == n ? _ (" and ") : ", ", trace_task_name (s, list[i]));
  if (shown < n)
    g_string_append_printf (to, _ (" and %u others"), n - shown);
}

/* " tagged 3 from t40004" */
static void
add_wanted (GString *to, const TraceSource *s, const TraceEvent *e, const TraceKind *kind)
{
  TraceValue tag = sentences_value_of (kind, e, "asked_tag"), from = sentences_value_of (kind, e, "asked_from");
  if (tag.kind == TRACE_VALUE_INT && tag.i >= 0)
    g_string_append_printf (to, _ (" tagged %" PRId64), tag.i);
  if (from.kind == TRACE_VALUE_TASK)
    g_string_append_printf (to, _ (" from %s"), trace_task_name (s, (uint32_t) from.i));
  else if (!(tag.kind == TRACE_VALUE_INT && tag.i >= 0))
    g_string_append (to, _ (" from anybody"));
}

static void
sentences_add_message (GString *to, const TraceSource *s, const TraceEvent *e)
{
  if (e->peer == TRACE_NONE && e->result <= 0) {
    g_string_append (to, _ ("nothing"));
    return;
  }
  words_add_counted (to, e->size, NP_ ("byte", "bytes"));
  if (e->peer == TRACE_NONE) { /* a notification */
    g_string_append_printf (to, _ (" tagged %d from the PVM daemon"), e->tag);
    return;
  }
  g_string_append_printf (to, _ (" tagged %d from %s"), e->tag, trace_task_name (s, e->peer));
}

static void
add_items (GString *to, const TraceEvent *e, const TraceKind *kind)
{
  const char *what = kind->name + (g_str_has_prefix (kind->name, "Upk") ? 3 : 2), *one = N_ ("item"),
             *many = N_ ("items");
  TraceValue count = sentences_value_of (kind, e, "count"), stride = sentences_value_of (kind, e, "stride");
  for (unsigned i = 0; i < G_N_ELEMENTS (items); i++)
    if (g_str_equal (items[i].name, what)) {
      one = items[i].one;
      many = items[i].many;
    }
  if (count.kind == TRACE_VALUE_INT)
    words_add_counted (to, count.i, one, many);
  else
    g_string_append (to, P_ (one, many, 2));
  if (stride.kind == TRACE_VALUE_INT && stride.i != 1)
    g_string_append_printf (to, _ (" at distance %" PRId64), stride.i);
  if (strcmp (what, "Byte") != 0) {
    g_string_append (to, " (");
    words_add_counted (to, e->size, NP_ ("byte", "bytes"));
    g_string_append_c (to, ')');
  }
}

static void
sentences_add_call (GString *to, const TraceKind *kind)
{
  g_autofree char *small = g_ascii_strdown (kind->name, -1);
  const char *name = small;
  for (unsigned i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_str_equal (functions[i].kind, kind->name))
      name = functions[i].function;
  g_string_append_printf (to, "pvm_%s", name);
}

/* " on host a (LINUX64), program fft2d" */
static void
sentences_add_where (GString *to, const TraceEvent *e, const TraceKind *kind)
{
  static const struct {
    const char *field, *before, *after;
  } parts[] = { { "host", N_ (" on host "), "" }, { "arch", " (", ")" }, { "program", N_ (", program "), "" } };
  for (unsigned i = 0; i < G_N_ELEMENTS (parts); i++) {
    TraceValue v = sentences_value_of (kind, e, parts[i].field);
    if (v.kind == TRACE_VALUE_TEXT && *v.text)
      g_string_append_printf (to, "%s%s%s", in_words (parts[i].before), v.text, parts[i].after);
  }
  TraceValue parent = sentences_value_of (kind, e, "parent");
  if (parent.kind == TRACE_VALUE_TASK)
    g_string_append_printf (to, _ (", started by %s"), trace_task_name (trace_source (e->source), (uint32_t) parent.i));
}

static void
sentences_fill (GString *to, const char *template, const TraceSource *s, const TraceEvent *e, const TraceKind *kind)
{
  for (const char *p = template; *p;) {
    if (*p != '$') {
      g_string_append_c (to, *p++);
      continue;
    }
    size_t n = 1;
    while (g_ascii_isalpha (p[n]) || p[n] == '_')
      n++;
    g_autofree char *name = g_strndup (p + 1, n - 1);
    int field = sentences_field_of (kind, name, n - 1);
    p += n;
    if (g_str_equal (name, "took"))
      words_add_duration (to, trace_clock_seconds (&s->clock, e->duration));
    else if (g_str_equal (name, "wanted"))
      add_wanted (to, s, e, kind);
    else if (g_str_equal (name, "message"))
      sentences_add_message (to, s, e);
    else if (g_str_equal (name, "items"))
      add_items (to, e, kind);
    else if (g_str_equal (name, "call"))
      sentences_add_call (to, kind);
    else if (g_str_equal (name, "many"))
      add_many (to, s, e);
    else if (g_str_equal (name, "place")) {
      TraceValue where = sentences_value_of (kind, e, "where");
      if (where.kind == TRACE_VALUE_TEXT && *where.text)
        g_string_append_printf (to, _ (" on %s"), where.text);
    } else if (g_str_equal (name, "where"))
      sentences_add_where (to, e, kind);
    else if (field >= 0)
      sentences_add_field (to, s, e, kind, (unsigned) field);
    else
      g_string_append (to, "?");
  }
}

static const Words *
sentences_words_of (const TraceKind *kind)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (words[i].name, kind->name))
      return &words[i];
  return g_str_has_prefix (kind->name, "Pk") ? &pack : g_str_has_prefix (kind->name, "Upk") ? &unpack : &call;
}

char *
tp_sentence (TraceSource *s, const TraceEvent *e)
{
  const TraceKind *kind = &s->kinds[e->kind];
  translate_all ();
  const Words *w = sentences_words_of (kind);
  GString *to = g_string_new (trace_task_name (s, e->task));
  g_string_append_c (to, ' ');
  bool failed = e->flags & (TRACE_END | TRACE_INSTANT) && e->result < 0;
  if (failed && w->failed)
    sentences_fill (to, w->failed, s, e, kind);
  else if (e->flags & TRACE_UNFINISHED && w->unfinished)
    sentences_fill (to, w->unfinished, s, e, kind);
  else
    sentences_fill (to, e->flags & TRACE_END && w->end ? w->end : w->begin, s, e, kind);
  if (e->flags & TRACE_UNFINISHED && !w->unfinished)
    g_string_append (to, _ (", and never ends"));
  if (failed && !w->failed)
    g_string_append_printf (to, _ (", and fails with code %d"), e->result);
  return g_string_free (to, FALSE);
}
