/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - any execution as a Pajé trace.  Types are defined where they are first wanted: a container type for each
 * type of task inside of each other, with its states and variables; links lie in the root. */
#include <string.h>

#include "readers/name-table.h"
#include "readers/paje/paje.h"
#include "readers/writing.h"

typedef struct PajeText {
  TraceText out;
  GArray *states_of; /* uint32_t, by container type: number of its type of states + 1 */
  GArray *type_of;   /* uint32_t, by task: number of its container type + 1 */
  NameTable *types;  /* what a type is of -> its number */
  uint32_t n_types;
  NameTable *values; /* type of states and state -> nothing: those that are defined */
} PajeText;

/* A value of a state whose colour the trace declares: a number that is none of Verb. */
#define VALUE_WITH_COLOUR 20

/* The definitions of the kinds of line: their numbers are those of Verb, but for that one. */
static const char *const line_kinds[][2] = {
  { "0 PajeDefineContainerType", "Alias string,Type string,Name string" },
  { "1 PajeDefineStateType", "Alias string,Type string,Name string" },
  { "2 PajeDefineEventType", "Alias string,Type string,Name string,Color color" },
  { "3 PajeDefineVariableType", "Alias string,Type string,Name string,Color color" },
  { "4 PajeDefineLinkType", "Alias string,Type string,StartContainerType string,EndContainerType string,Name string" },
  { "5 PajeDefineEntityValue", "Alias string,Type string,Name string,Does string" },
  { "6 PajeCreateContainer", "Time date,Alias string,Type string,Container string,Name string" },
  { "7 PajeDestroyContainer", "Time date,Type string,Name string" },
  { "8 PajeSetState", "Time date,Type string,Container string,Value string" },
  { "9 PajePushState", "Time date,Type string,Container string,Value string" },
  { "10 PajePopState", "Time date,Type string,Container string" },
  { "11 PajeResetState", "Time date,Type string,Container string" },
  { "12 PajeNewEvent", "Time date,Type string,Container string,Value string" },
  { "13 PajeSetVariable", "Time date,Type string,Container string,Value double" },
  { "16 PajeStartLink",
    "Time date,Type string,Container string,Value string,StartContainer string,Key string,Size int" },
  { "17 PajeEndLink", "Time date,Type string,Container string,Value string,EndContainer string,Key string,Size int" },
  { "20 PajeDefineEntityValue", "Alias string,Type string,Name string,Does string,Color color" },
};

static void
paje_write_put_head (GString *to)
{
  for (size_t i = 0; i < G_N_ELEMENTS (line_kinds); i++) {
    const char *name = strchr (line_kinds[i][0], ' ') + 1;
    g_auto (GStrv) fields = g_strsplit (line_kinds[i][1], ",", -1);
    g_string_append_printf (to, "%%EventDef %s %.*s\n", name, (int) (name - 1 - line_kinds[i][0]), line_kinds[i][0]);
    for (char **field = fields; *field; field++)
      g_string_append_printf (to, "%% %s\n", *field);
    g_string_append (to, "%EndEventDef\n");
  }
}

static void
paje_write_put_word (GString *to, const char *text)
{
  g_string_append_c (to, '"');
  for (; *text; text++)
    g_string_append_c (to, *text == '"' ? '\'' : (guchar) *text < ' ' ? ' ' : *text);
  g_string_append_c (to, '"');
}

/* Thousandths would not do: 255 of them are told apart. */
static void
paje_write_put_colour (GString *to, uint32_t rgb)
{
  char part[3][G_ASCII_DTOSTR_BUF_SIZE];

  for (int i = 0; i < 3; i++)
    g_ascii_formatd (part[i], sizeof part[i], "%.4f", (rgb >> (16 - 8 * i) & 255) / 255.0);
  g_string_append_printf (to, " \"%s %s %s\"", part[0], part[1], part[2]);
}

/* "8 1.500000000 S3 c7" */
static void
paje_write_put_line (PajeText *p, Verb verb, int64_t date, char letter, uint32_t type, uint32_t task)
{
  GString *to = p->out.text;

  g_string_append_printf (to, "%d ", verb);
  trace_text_seconds (to, date);
  g_string_append_printf (to, " %c%u c%u", letter, type, task);
}

/* The number of the type of this key; a new one is defined by a line that begins so. */
static uint32_t
type_for (PajeText *p, const char *key, Verb define, char letter, const char *of, const char *name)
{
  uint32_t type = name_table_find (p->types, key, strlen (key));

  if (type != NAME_TABLE_NONE)
    return type;
  type = p->n_types++;
  name_table_set (p->types, key, strlen (key), type);
  g_string_append_printf (p->out.text, "%d %c%u %s ", define, letter, type, of);
  paje_write_put_word (p->out.text, name);
  g_string_append (p->out.text, define == DEFINE_EVENT || define == DEFINE_VARIABLE ? " \"0.5 0.5 0.5\"\n" : "\n");
  return type;
}

static uint32_t
container_type (PajeText *p, const TraceSource *s, uint32_t task)
{
  if (task >= p->type_of->len)
    g_array_set_size (p->type_of, task + 1);
  uint32_t known = g_array_index (p->type_of, uint32_t, task);
  if (known > 0)
    return known - 1;
  const TraceTask *t = trace_task (s, task);
  g_autofree char *of = t->parent < task ? g_strdup_printf ("C%u", container_type (p, s, t->parent)) : g_strdup ("0");
  g_autofree char *key = g_strdup_printf ("C %s %u", of, t->type);
  const char *name = t->type < s->types->len ? ((const TraceType *) s->types->pdata[t->type])->name : "Task";
  uint32_t type = type_for (p, key, DEFINE_CONTAINER, 'C', of, name);
  g_array_index (p->type_of, uint32_t, task) = type + 1;
  return type;
}

/* The type of what containers of a task's type have. */
static uint32_t
type_below (PajeText *p, const TraceSource *s, uint32_t task, Verb define, char letter, uint32_t which,
            const char *name)
{
  g_autofree char *of = g_strdup_printf ("C%u", container_type (p, s, task));
  g_autofree char *key = g_strdup_printf ("%c %s %u", letter, of, which);

  return type_for (p, key, define, letter, of, name);
}

static void
paje_task (TraceWriting *w, int64_t date, uint32_t task)
{
  PajeText *p = w->to;
  const TraceTask *t = trace_task (w->source, task);
  uint32_t type = container_type (p, w->source, task);

  g_string_append_printf (p->out.text, "%d ", CREATE);
  trace_text_seconds (p->out.text, date);
  g_string_append_printf (p->out.text, " c%u C%u ", task, type);
  if (t->parent < task)
    g_string_append_printf (p->out.text, "c%u ", t->parent);
  else
    g_string_append (p->out.text, "0 ");
  paje_write_put_word (p->out.text, trace_task_name (w->source, task));
  g_string_append_c (p->out.text, '\n');
}

static void
paje_death (TraceWriting *w, int64_t date, uint32_t task)
{
  PajeText *p = w->to;

  paje_write_put_line (p, DESTROY, date, 'C', container_type (p, w->source, task), task);
  g_string_append_c (p->out.text, '\n');
}

/* Called as what the first state is of; what nests has to be of one type here. */
static uint32_t
paje_write_states_of (TraceWriting *w, uint32_t task, uint32_t state)
{
  PajeText *p = w->to;
  uint32_t container = container_type (p, w->source, task);

  if (container >= p->states_of->len)
    g_array_set_size (p->states_of, container + 1);
  uint32_t known = g_array_index (p->states_of, uint32_t, container);
  if (known > 0)
    return known - 1;
  uint32_t type = state != TRACE_NONE ? g_array_index (w->types, uint32_t, state) : TRACE_NONE;
  const TraceType *t = type < w->source->types->len ? w->source->types->pdata[type] : NULL;
  uint32_t made = type_below (p, w->source, task, DEFINE_STATE, 'S', 0, t ? t->name : "State");
  g_array_index (p->states_of, uint32_t, container) = made + 1;
  return made;
}

/* The value is defined once for each type of states. */
static void
paje_write_put_state (TraceWriting *w, Verb verb, int64_t date, uint32_t task, uint32_t state)
{
  PajeText *p = w->to;
  uint32_t type = paje_write_states_of (w, task, state);
  uint64_t both = (uint64_t) type << 32 | state;

  if (name_table_find (p->values, (const char *) &both, sizeof both) == NAME_TABLE_NONE) {
    name_table_set (p->values, (const char *) &both, sizeof both, 0);
    const char *does = trace_does_word ((TraceDoes) g_array_index (w->does, uint8_t, state));
    guint colour = w->source->colours
                       ? GPOINTER_TO_UINT (g_hash_table_lookup (w->source->colours, w->states->pdata[state]))
                       : 0;
    g_string_append_printf (p->out.text, "%d v%u_%u S%u ", colour > 0 ? VALUE_WITH_COLOUR : DEFINE_VALUE, type, state,
                            type);
    paje_write_put_word (p->out.text, w->states->pdata[state]);
    g_string_append_printf (p->out.text, " %s", does ? does : "unknown"); /* pj_dump knows no empty word */
    if (colour > 0)
      paje_write_put_colour (p->out.text, colour - 1);
    g_string_append_c (p->out.text, '\n');
  }
  paje_write_put_line (p, verb, date, 'S', type, task);
  g_string_append_printf (p->out.text, " v%u_%u\n", type, state);
}

static void
paje_enter (TraceWriting *w, int64_t date, uint32_t task, uint32_t state)
{
  paje_write_put_state (w, PUSH_STATE, date, task, state);
}

static void
paje_leave (TraceWriting *w, int64_t date, uint32_t task, uint32_t state)
{
  paje_write_put_line (w->to, POP_STATE, date, 'S', paje_write_states_of (w, task, state), task);
  g_string_append_c (((PajeText *) w->to)->out.text, '\n');
}

static void
paje_set (TraceWriting *w, int64_t date, uint32_t task, uint32_t state)
{
  if (state != TRACE_NONE) {
    paje_write_put_state (w, SET_STATE, date, task, state);
    return;
  }
  paje_write_put_line (w->to, RESET_STATE, date, 'S', paje_write_states_of (w, task, state), task);
  g_string_append_c (((PajeText *) w->to)->out.text, '\n');
}

static void
paje_variable (TraceWriting *w, int64_t date, uint32_t task, uint32_t type, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  const TraceType *t = w->source->types->pdata[type];

  paje_write_put_line (w->to, SET_VARIABLE, date, 'V',
                       type_below (w->to, w->source, task, DEFINE_VARIABLE, 'V', type, t->name), task);
  g_string_append_printf (((PajeText *) w->to)->out.text, " %s\n", g_ascii_dtostr (number, sizeof number, value));
}

/* Who is at the other end decides the type, so both ends say it. */
static void
paje_write_put_link (TraceWriting *w, Verb verb, const TraceEvent *e, uint32_t from, uint32_t to, uint64_t number)
{
  PajeText *p = w->to;
  uint32_t from_type = container_type (p, w->source, from), to_type = container_type (p, w->source, to);
  g_autofree char *key = g_strdup_printf ("L %u %u", from_type, to_type),
                  *of = g_strdup_printf ("0 C%u C%u", from_type, to_type);
  uint32_t type = type_for (p, key, DEFINE_LINK, 'L', of, "message");

  g_string_append_printf (p->out.text, "%d ", verb);
  trace_text_seconds (p->out.text, e->date);
  g_string_append_printf (p->out.text, " L%u 0 message c%u k%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT "\n", type,
                          e->task, number, TRACE_SIZE (e));
}

static void
paje_send (TraceWriting *w, const TraceEvent *e, uint32_t to, uint64_t number)
{
  paje_write_put_link (w, START_LINK, e, e->task, to, number);
}

static void
paje_receive (TraceWriting *w, const TraceEvent *e, uint64_t number)
{
  paje_write_put_link (w, END_LINK, e, e->peer, e->task, number);
}

static void
paje_mark (TraceWriting *w, const TraceEvent *e, const char *text)
{
  const char *name = w->source->kinds[e->kind].name;

  paje_write_put_line (w->to, NEW_EVENT, e->date, 'E',
                       type_below (w->to, w->source, e->task, DEFINE_EVENT, 'E', e->kind, name), e->task);
  GString *to = ((PajeText *) w->to)->out.text;
  g_string_append_c (to, ' ');
  paje_write_put_word (to, *text ? text : name);
  g_string_append_c (to, '\n');
}

static bool
paje_flush (TraceWriting *w, GError **error)
{
  return trace_text_flush (&((PajeText *) w->to)->out, false, error);
}

bool
paje_write (TraceSource *from, const char *path, const TraceProgress *progress, GError **error)
{
  static const TraceWriter writer = {
    paje_task,     paje_death, paje_enter,   paje_leave, paje_set,
    paje_variable, paje_send,  paje_receive, paje_mark,  paje_flush,
  };
  PajeText p = { .states_of = g_array_new (FALSE, TRUE, sizeof (uint32_t)),
                 .type_of = g_array_new (FALSE, TRUE, sizeof (uint32_t)) };

  p.types = name_table_new ();
  p.values = name_table_new ();
  bool ok = trace_text_open (&p.out, path, error);
  if (ok) {
    paje_write_put_head (p.out.text);
    ok = trace_write (from, &writer, &p, progress, NULL, error);
  }
  ok = trace_text_close (&p.out, ok, error);
  name_table_free (p.values);
  name_table_free (p.types);
  g_array_unref (p.type_of);
  g_array_unref (p.states_of);
  return ok;
}
