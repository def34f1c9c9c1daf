/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - the table by which lines are read: kinds.def, or the file `kinds` of a bundle, through one
 * parser. */
#include "readers/tapepvm/tapepvm.h"
#include "eve/words.h"

static const struct {
  const char *name;
  TraceRole role;
} roles[] = {
  { "peer", TRACE_ROLE_PEER }, { "peers", TRACE_ROLE_PEERS },  { "tag", TRACE_ROLE_TAG },
  { "size", TRACE_ROLE_SIZE }, { "group", TRACE_ROLE_OBJECT }, { "result", TRACE_ROLE_RESULT },
  { "int", TRACE_ROLE_INT },   { "task", TRACE_ROLE_TASK },    { "tasks", TRACE_ROLE_TASKS },
  { "word", TRACE_ROLE_WORD },
};
static const char *const commons[] = { "type", "date", "task", "duration", "site", "date_s", "date_us", "skip" };
/* Roles that fill the one place an event has for them. */
#define ONCE                                                                                                           \
  (1u << TRACE_ROLE_PEER | 1u << TRACE_ROLE_PEERS | 1u << TRACE_ROLE_TAG | 1u << TRACE_ROLE_SIZE                       \
   | 1u << TRACE_ROLE_OBJECT | 1u << TRACE_ROLE_RESULT)

/* Where the parser stands, for its sentences. */
typedef struct Where {
  const char *file;
  unsigned line;
  const char *start; /* of the line */
  GError **error;
} Where;

G_GNUC_PRINTF (3, 4) static bool tapepvm_kinds_refuse (const Where *w, const char *at, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  g_autofree char *why = g_strdup_vprintf (fmt, args);
  va_end (args);
  g_set_error (w->error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s: line %u, column %d: %s"), w->file, w->line,
               (int) (at - w->start) + 1, why);
  return false;
}

/* Next word of a NUL-terminated line, cut out of it; NULL: none is left.  A word in quotes may hold blanks. */
static char *
tapepvm_kinds_next_word (char **at, bool *unclosed)
{
  char *p = *at + strspn (*at, " \t\r");
  if (!*p)
    return NULL;
  char *word = p;
  if (*p == '"') {
    word = ++p;
    p = strchr (p, '"');
    if (!p) {
      *unclosed = true;
      p = word + strlen (word);
    }
  } else {
    p += strcspn (p, " \t\r");
  }
  *at = *p ? p + 1 : p;
  *p = 0;
  return word;
}

static bool
is_name (const char *text)
{
  size_t n = strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return n && !text[n] && n < 64 && !g_ascii_isdigit (*text);
}

static int
tapepvm_kinds_role_of (const char *name)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (roles); i++)
    if (g_str_equal (name, roles[i].name))
      return roles[i].role;
  return -1;
}

static bool
tapepvm_kinds_add (TpTable *t, const Where *w, const char *number_text, const char *name, char *category, char *fields)
{
  guint64 number;
  if (!g_ascii_string_to_unsigned (number_text, 10, 1, 65535, &number, NULL))
    return tapepvm_kinds_refuse (w, number_text, _ ("the number of a kind is 1 to 65535, not “%s”"), number_text);
  if (t->by_number[number])
    return tapepvm_kinds_refuse (w, number_text, _ ("kind %u stands in the table twice"), (unsigned) number);
  if (!is_name (name))
    return tapepvm_kinds_refuse (w, name, _ ("“%s” is no name of a kind: letters, digits and _ only"), name);
  if (t->n_kinds == TP_MAX_KINDS)
    return tapepvm_kinds_refuse (w, name, _ ("more than %d kinds"), TP_MAX_KINDS);
  for (uint32_t i = 0; i < t->n_kinds; i++)
    if (g_str_equal (t->kinds[i].name, name))
      return tapepvm_kinds_refuse (w, name, _ ("kind %s stands in the table twice"), name);

  bool unclosed = false;
  char *word = tapepvm_kinds_next_word (&category, &unclosed);
  if (!word || !is_name (word))
    return tapepvm_kinds_refuse (w, category, _ ("kind %s has no category"), name);
  char *instant = tapepvm_kinds_next_word (&category, &unclosed);
  if (instant && (!g_str_equal (instant, "instant") || tapepvm_kinds_next_word (&category, &unclosed)))
    return tapepvm_kinds_refuse (w, instant, _ ("after the category only “instant” can stand, not “%s”"), instant);

  TraceField list[TP_MAX_FIELDS];
  uint32_t n = 0;
  TpKind d = { .number = (uint16_t) number,
               .plain = true,
               .instant = instant != NULL,
               .enroll = g_str_equal (name, "Enroll"),
               .peer_at = TP_V_NONE,
               .tag_at = TP_V_NONE,
               .size_at = TP_V_ZERO,
               .result_at = TP_V_ZERO,
               .task_at = { TP_V_NONE },
               .group_at = TP_V_NONE,
               .host_at = TP_V_NONE,
               .arch_at = TP_V_NONE,
               .speed_at = TP_V_NONE,
               .program_at = TP_V_NONE };
  unsigned seen = 0;
  for (char *field; (field = tapepvm_kinds_next_word (&fields, &unclosed)); n++) {
    char *equals = strchr (field, '=');
    int role = equals ? tapepvm_kinds_role_of (equals + 1) : -1;
    if (role < 0)
      return tapepvm_kinds_refuse (w, field, _ ("“%s” is no field: expected NAME=ROLE"), field);
    *equals = 0;
    if (!is_name (field))
      return tapepvm_kinds_refuse (w, field, _ ("“%s” is no name of a field: letters, digits and _ only"), field);
    if (n == TP_MAX_FIELDS)
      return tapepvm_kinds_refuse (w, field, _ ("kind %s has more than %d fields"), name, TP_MAX_FIELDS);
    for (uint32_t i = 0; i < n; i++)
      if (g_str_equal (list[i].name, field))
        return tapepvm_kinds_refuse (w, field, _ ("kind %s has two fields “%s”"), name, field);
    if (seen & ONCE & 1u << role)
      return tapepvm_kinds_refuse (w, field, _ ("kind %s has two fields of the role %s"), name, equals + 1);
    seen |= 1u << role;
    list[n] = (TraceField){ .name = g_intern_string (field),
                            .role = (TraceRole) role,
                            .unit = role == TRACE_ROLE_SIZE           ? "B"
                                    : g_str_has_suffix (field, "_ns") ? "ns"
                                                                      : NULL };
    uint8_t at = (uint8_t) n; /* the header is added when it is known */
    uint8_t *of_enroll = !d.enroll                        ? NULL
                         : g_str_equal (field, "host")    ? &d.host_at
                         : g_str_equal (field, "arch")    ? &d.arch_at
                         : g_str_equal (field, "program") ? &d.program_at
                                                          : NULL;
    switch ((TraceRole) role) {
    case TRACE_ROLE_PEER:
      d.peer_at = at;
      break;
    case TRACE_ROLE_TAG:
      d.tag_at = at;
      break;
    case TRACE_ROLE_SIZE:
      d.size_at = at;
      break;
    case TRACE_ROLE_RESULT:
      d.result_at = at;
      break;
    case TRACE_ROLE_TASK:
      d.task_at[d.n_tasks++] = at;
      break;
    case TRACE_ROLE_INT:
      if (d.enroll && g_str_equal (field, "speed"))
        d.speed_at = at;
      break;
    case TRACE_ROLE_PEERS:
    case TRACE_ROLE_TASKS:
      d.list_at[d.n_lists++] = at;
      d.plain = false;
      break;
    case TRACE_ROLE_OBJECT:
      d.group_at = at;
      d.text |= 1u << n;
      break;
    case TRACE_ROLE_OBJECTS: /* not in this format, as those behind */
    case TRACE_ROLE_REGION:
    case TRACE_ROLE_VALUE:
    case TRACE_ROLE_KEY:
      break;
    case TRACE_ROLE_WORD:
      if (of_enroll)
        *of_enroll = at;
      d.text |= 1u << n;
      break;
    }
  }
  if (unclosed)
    return tapepvm_kinds_refuse (w, name, _ ("a quotation mark is not closed"));
  g_autofree char *end_name = g_strconcat ("End", name, NULL);
  t->kinds[t->n_kinds] = (TraceKind){ .name = g_intern_string (name),
                                      .end_name = g_intern_string (end_name),
                                      .category = g_intern_string (word),
                                      .n_fields = n,
                                      .instant = d.instant,
                                      .fields = n ? g_memdup2 (list, n * sizeof *list) : NULL };
  d.n_words = (uint8_t) n;
  t->details[t->n_kinds++] = d;
  t->by_number[number] = (uint16_t) t->n_kinds;
  return true;
}

static bool
set_header (TpTable *t, const Where *w, char *words)
{
  unsigned seen = 0;
  bool unclosed = false;
  uint32_t n = 0;
  for (char *word; (word = tapepvm_kinds_next_word (&words, &unclosed)); n++) {
    unsigned i = 0;
    while (i < G_N_ELEMENTS (commons) && !g_str_equal (word, commons[i]))
      i++;
    if (i == G_N_ELEMENTS (commons))
      return tapepvm_kinds_refuse (
          w, word, _ ("“%s” is no common number: expected type, date, task, duration, site, date_s, date_us or skip"),
          word);
    if (n == TP_MAX_HEADER)
      return tapepvm_kinds_refuse (w, word, _ ("the header has more than %d numbers"), TP_MAX_HEADER);
    if (i != TP_SKIP && seen & 1u << i)
      return tapepvm_kinds_refuse (w, word, _ ("the header has “%s” twice"), word);
    seen |= 1u << i;
    t->header[n] = (uint8_t) i;
  }
  t->n_header = n;
  const unsigned needed = 1u << TP_TYPE | 1u << TP_TASK | 1u << TP_DURATION, split = 1u << TP_DATE_S | 1u << TP_DATE_US;
  bool one = seen & 1u << TP_DATE;
  if ((seen & needed) != needed || (one ? (seen & split) != 0 : (seen & split) != split))
    return tapepvm_kinds_refuse (w, w->start,
                                 _ ("the header needs type, task, duration, and date or both of date_s and date_us"));
  t->split_date = !one;
  return true;
}

static TpTable *
tapepvm_kinds_new_table (void)
{
  TpTable *t = g_new0 (TpTable, 1);
  t->kinds = g_new0 (TraceKind, TP_MAX_KINDS);
  t->details = g_new0 (TpKind, TP_MAX_KINDS);
  t->ticks_per_second = 1000000000;
  t->n_header = 5;
  for (uint8_t i = 0; i < 5; i++)
    t->header[i] = i;
  return t;
}

static void
finish_table (TpTable *t)
{
  memset (t->at, TP_V_ZERO, sizeof t->at);
  for (uint32_t i = 0; i < t->n_header; i++)
    if (t->header[i] != TP_SKIP)
      t->at[t->header[i]] = (uint8_t) i;
  for (uint32_t k = 0; k < t->n_kinds; k++) {
    TpKind *d = &t->details[k];
    uint8_t *places[] = { &d->peer_at, &d->tag_at,  &d->size_at,  &d->result_at, &d->group_at,
                          &d->host_at, &d->arch_at, &d->speed_at, &d->program_at };
    for (unsigned i = 0; i < G_N_ELEMENTS (places); i++)
      if (*places[i] < TP_V_NONE)
        *places[i] = (uint8_t) (*places[i] + t->n_header);
    for (unsigned i = 0; i < d->n_tasks; i++)
      d->task_at[i] = (uint8_t) (d->task_at[i] + t->n_header);
    for (unsigned i = 0; i < d->n_lists; i++)
      d->list_at[i] = (uint8_t) (d->list_at[i] + t->n_header);
    d->quick = d->plain && d->n_tasks <= 1 && d->group_at == TP_V_NONE && !d->enroll;
    d->n_words = (uint8_t) (d->n_words + t->n_header);
    d->text <<= t->n_header;
  }
}

void
tp_table_free (TpTable *t)
{
  if (!t)
    return;
  for (uint32_t i = 0; i < t->n_kinds; i++)
    g_free ((void *) t->kinds[i].fields);
  g_free (t->kinds);
  g_free (t->details);
  g_free (t);
}

TpTable *
tp_table_builtin (void)
{
  static const struct {
    const char *number, *name, *category, *fields;
  } list[] = {
#define KIND(number, name, category, fields) { #number, #name, category, fields },
#include "readers/tapepvm/kinds.def"
#undef KIND
  };
  TpTable *t = tapepvm_kinds_new_table ();
  g_autoptr (GError) error = NULL;
  Where w = { .file = "kinds.def", .error = &error };
  for (unsigned i = 0; i < G_N_ELEMENTS (list); i++) {
    g_autofree char *category = g_strdup (list[i].category), *fields = g_strdup (list[i].fields);
    w.line = i + 1;
    w.start = list[i].number;
    if (!tapepvm_kinds_add (t, &w, list[i].number, list[i].name, category, fields))
      g_error ("%s", error->message); /* a fault of the program, met by any test */
  }
  finish_table (t);
  return t;
}

TpTable *
tp_table_parse (const char *text, size_t n, const char *file, GError **error)
{
  TpTable *t = tapepvm_kinds_new_table ();
  Where w = { .file = file, .error = error };
  const char *zero = memchr (text, 0, n), *bad;
  bool fine = true, clocked = false, headed = false;
  if (zero || !g_utf8_validate (text, (gssize) n, &bad)) {
    size_t at = (size_t) ((zero ? zero : bad) - text);
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s: byte %zu: the file is not text in UTF-8"), file, at);
    tp_table_free (t);
    return NULL;
  }
  for (const char *at = text, *end = text + n; fine && at < end;) {
    const char *stop = memchr (at, '\n', (size_t) (end - at));
    g_autofree char *line = g_strndup (at, (gsize) ((stop ? stop : end) - at));
    at = stop ? stop + 1 : end;
    w.line++;
    w.start = line;
    char *p = line;
    bool unclosed = false;
    char *word = *line == '#' ? NULL : tapepvm_kinds_next_word (&p, &unclosed);
    if (!word)
      continue;
    if (g_str_equal (word, "kind")) {
      char *number = tapepvm_kinds_next_word (&p, &unclosed), *name = tapepvm_kinds_next_word (&p, &unclosed);
      char *category = tapepvm_kinds_next_word (&p, &unclosed), *fields = tapepvm_kinds_next_word (&p, &unclosed),
           none[] = "";
      if (!category || unclosed || tapepvm_kinds_next_word (&p, &unclosed))
        fine = tapepvm_kinds_refuse (&w, word,
                                     _ ("expected: kind NUMBER NAME \"CATEGORY [instant]\" \"FIELD=ROLE ...\""));
      else
        fine = tapepvm_kinds_add (t, &w, number, name, category, fields ? fields : none);
    } else if (g_str_equal (word, "clock")) {
      char *ticks = tapepvm_kinds_next_word (&p, &unclosed);
      guint64 value;
      if (!ticks || tapepvm_kinds_next_word (&p, &unclosed) || clocked
          || !g_ascii_string_to_unsigned (ticks, 10, 1, 1000000000000000, &value, NULL))
        fine = tapepvm_kinds_refuse (&w, word, _ ("expected once: clock TICKS_PER_SECOND, 1 to 10^15"));
      else
        t->ticks_per_second = (int64_t) value;
      clocked = true;
    } else if (g_str_equal (word, "header")) {
      fine = headed ? tapepvm_kinds_refuse (&w, word, _ ("a second header")) : set_header (t, &w, p);
      headed = true;
    } else {
      fine = tapepvm_kinds_refuse (&w, word, _ ("expected kind, clock or header, not “%s”"), word);
    }
  }
  w.start = "";
  if (fine && !t->n_kinds)
    fine = tapepvm_kinds_refuse (&w, w.start, _ ("the table has no kind"));
  if (fine && t->split_date && t->ticks_per_second % 1000000)
    fine = tapepvm_kinds_refuse (
        &w, w.start, _ ("a date in seconds and microseconds needs a clock of a multiple of 1000000 ticks a second"));
  if (!fine) {
    tp_table_free (t);
    return NULL;
  }
  finish_table (t);
  return t;
}
