/* SPDX-License-Identifier: Apache-2.0 */
/* paje.c - reads Pajé traces, of all dialects: README.md.
 *
 * The head of a file says which fields each kind of line has; everything is found by the names of the fields, never by
 * their places.  A line is a record; what a line cannot mean is told as damage with its place, and left out. */
#include <math.h>
#include <string.h>

#include "readers/paje/paje.h"
#include "readers/writing.h"
#include "eve/words.h"
#include "readers/pair.h"

#define MOST_FILES 10000
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* of UTF-8, which some editors put first */

void
paje_damaged (Paje *p, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (p->source, p->file, paje_line (p), 1, fmt, args);
  va_end (args);
}

/* ---- what lines name ---------------------------------------------------------------------------------------------------- */

PajeType *
paje_find_type (const Paje *p, Word name)
{
  uint32_t at = name.at ? name_table_find (p->types, name.at, name.n) : NAME_TABLE_NONE;

  return at != NAME_TABLE_NONE ? p->all_types->pdata[at] : NULL;
}

Container *
paje_find_container (const Paje *p, Word name)
{
  uint32_t at = name.at ? name_table_find (p->containers, name.at, name.n) : NAME_TABLE_NONE;

  return at != NAME_TABLE_NONE ? p->all_containers->pdata[at] : NULL;
}

uint32_t
paje_value_of (Paje *p, PajeType *t, Word name)
{
  uint32_t object = name_table_find (t->values, name.at, name.n);

  if (object != NAME_TABLE_NONE)
    return object;
  if (!t->values)
    t->values = name_table_new ();
  g_autofree char *valid = g_utf8_make_valid (name.at, (gssize) name.n);
  object = trace_source_add_state (p->source, t->type, valid);
  name_table_set (t->values, name.at, name.n, object);
  return object;
}

/* An id that no other task has. */
static char *
paje_id_like (Paje *p, const char *name, const char *alias)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);

  if (unlike_is_free (p->ids, valid))
    return unlike_others (p->ids, valid, " (", ")");
  g_autofree char *more = g_utf8_make_valid (alias, -1), *both = g_strdup_printf ("%s (%s)", valid, more);
  bool helps = strcmp (more, valid) != 0 && unlike_is_free (p->ids, both);

  return unlike_others (p->ids, helps ? both : valid, " (", ")");
}

uint32_t
paje_find_task_of_states (Paje *p, Container *c, const PajeType *t)
{
  gint64 key = (gint64) c->task << 32 | t->type;
  const TraceType *type = p->source->types->pdata[t->type];

  if (c->states == 0)
    c->states = t->type + 1;
  if (c->states == t->type + 1)
    return c->task;
  uint32_t lane = GPOINTER_TO_UINT (g_hash_table_lookup (p->lanes, &key));
  if (lane == 0) {
    g_autofree char *name = g_strdup_printf ("%s · %s", trace_task_id (p->source, c->task), type->name);
    g_autofree char *id = paje_id_like (p, name, type->name);
    lane = trace_source_add_task_in (p->source, id, 0, trace_task (p->source, c->task)->type, c->task) + 1;
    g_hash_table_insert (p->lanes, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (lane));
    g_array_append_val (p->all_lanes, ((Lane){ lane - 1, t->type, c->lanes }));
    c->lanes = p->all_lanes->len;
  }
  return lane - 1;
}

/* The container that holds all, or its type, as far as no other is called so. */
static bool
paje_is_whole (Word name)
{
  return name.n == 0 || (name.n == 1 && (*name.at == '0' || *name.at == '/'));
}

/* ---- definitions in the body ------------------------------------------------------------------------------------------------- */

static void
define_type (Paje *p, const Definition *d, TraceTypeKind kind)
{
  Word name = paje_word (p, d, NAME), alias = paje_word (p, d, ALIAS), key = alias.at ? alias : name;

  if (!key.at) {
    paje_damaged (p, _ ("a type has no name"));
    return;
  }
  uint32_t known = name_table_find (p->types, key.at, key.n);
  if (known != NAME_TABLE_NONE) { /* each process of a program may say the same */
    const PajeType *before = p->all_types->pdata[known];
    const char *said = ((const TraceType *) p->source->types->pdata[before->type])->name;
    if (before->kind != kind || strcmp (said, name.at ? name.at : key.at) != 0)
      paje_damaged (p, _ ("the type “%s” is defined twice; the first one counts"), key.at);
    return;
  }
  Word of = paje_word (p, d, TYPE);
  const PajeType *above = paje_find_type (p, of);
  if (of.at && !above && !paje_is_whole (of))
    paje_damaged (p, _ ("the type that this one is of, “%s”, is not defined; it is taken as one of the whole"), of.at);
  else if (above && above->kind != TRACE_ENTITY)
    paje_damaged (p, _ ("the type that this one is of, “%s”, is none of containers"), of.at);
  g_autofree char *valid = g_utf8_make_valid (name.at ? name.at : key.at, -1);
  PajeType *t = g_new0 (PajeType, 1);
  t->type = trace_source_add_type (p->source, kind, valid, NULL, above ? above->type : TRACE_NONE);
  t->kind = kind;
  name_table_set (p->types, key.at, key.n, p->all_types->len);
  if (name.at && name_table_find (p->types, name.at, name.n) == NAME_TABLE_NONE)
    name_table_set (p->types, name.at, name.n, p->all_types->len);
  g_ptr_array_add (p->all_types, t);
}

/* "0.2 0.7 0.4", in which 1 is full; some writers count to 255. */
static bool
paje_colour (const char *text, uint32_t *rgb)
{
  double parts[3], most = 1;

  for (int i = 0; i < 3; i++) {
    char *end;
    parts[i] = g_ascii_strtod (text, &end);
    if (end == text || !(parts[i] >= 0 && parts[i] <= 255))
      return false;
    most = MAX (most, parts[i]);
    text = end + strspn (end, " \t,");
  }
  *rgb = 0;
  for (int i = 0; i < 3; i++)
    *rgb = *rgb << 8 | (uint32_t) (parts[i] * (most > 1 ? 1 : 255) + 0.5);
  return true;
}

static void
define_value (Paje *p, const Definition *d)
{
  Word name = paje_word (p, d, NAME), alias = paje_word (p, d, ALIAS);
  PajeType *t = paje_find_type (p, paje_word (p, d, TYPE));

  if (!t || !(name.at || alias.at)) {
    const char *text = paje_field (p, d, TYPE);
    paje_damaged (p, t ? _ ("a value has no name") : _ ("a value is of the type “%s”, which is not defined"),
                  text ? text : "");
    return;
  }
  if (t->kind == TRACE_ENTITY || t->kind == TRACE_VARIABLE)
    paje_damaged (p, _ ("a value is of the type “%s”, which is none of states, events or links"),
                  paje_field (p, d, TYPE));
  uint32_t object = paje_value_of (p, t, name.at ? name : alias);
  if (alias.at && name_table_find (t->values, alias.at, alias.n) == NAME_TABLE_NONE)
    name_table_set (t->values, alias.at, alias.n, object);
  const char *colour = paje_field (p, d, COLOUR);
  uint32_t rgb;
  if (t->kind == TRACE_STATES && colour && paje_colour (colour, &rgb))
    trace_source_set_colour (p->source, ((const TraceObject *) p->source->objects->pdata[object])->id, rgb);
  const char *word = paje_field (p, d, DOES); /* as `scope export` tells it */
  TraceDoes does = t->kind == TRACE_STATES && word ? trace_does_called (word, strlen (word)) : TRACE_DOES_ANYTHING;
  if (does)
    ((TraceObject *) p->source->objects->pdata[object])->does = does;
}

/* ---- what happens ----------------------------------------------------------------------------------------------------------- */

/* Fields that only this file has. */
static void
give_others (Paje *p, const Definition *d)
{
  for (int i = 0; i < d->n_fields; i++)
    if (d->names[i] == OTHER) {
      if (i + 1 < p->n_words)
        converter_text (p->to, p->words[i + 1].at, p->words[i + 1].n);
      else
        converter_none (p->to);
    }
}

static void
paje_give (Paje *p, const Definition *d, TraceEvent *e)
{
  if (d->n_others > 0)
    give_others (p, d);
  e->kind = (uint16_t) d->kind;
  e->flags |= TRACE_INSTANT;
  e->tag = -1;
  converter_event (p->to, e);
}

static const TraceField of_states_end[] = { { "state", TRACE_ROLE_REGION, NULL } };

/* Its container goes, and with it all that is in it. */
static void
end_lanes (Paje *p, const Container *c, int64_t date)
{
  if (c->lanes > 0 && p->end_states == 0)
    p->end_states = converter_kind (p->to, &(TraceKind){ .name = "EndStates",
                                                         .category = "state",
                                                         .fields = of_states_end,
                                                         .n_fields = G_N_ELEMENTS (of_states_end),
                                                         .instant = true,
                                                         .acts = TRACE_ACT_SET })
                    + 1;
  for (uint32_t at = c->lanes; at > 0 && p->end_states > 0;) {
    const Lane *l = &g_array_index (p->all_lanes, Lane, at - 1);
    at = l->next;
    converter_event (p->to, &(TraceEvent){ .date = date,
                                           .task = l->task,
                                           .peer = TRACE_NONE,
                                           .object = ((const TraceType *) p->source->types->pdata[l->type])->object,
                                           .tag = -1,
                                           .kind = (uint16_t) (p->end_states - 1),
                                           .flags = TRACE_INSTANT });
  }
}

/* Lines of the trace are in another file, in the same folder: they are read at the end, when all containers are known.
 */
static void
want_file (Paje *p, const Definition *d)
{
  const char *name = paje_field (p, d, FILENAME);

  if (!name || *name == '\0' || strcmp (name, "0") == 0)
    return;
  g_autofree char *file = g_path_get_basename (name);
  if (g_hash_table_contains (p->known_files, file))
    return;
  if (p->files->len > MOST_FILES) {
    paje_damaged (p, _ ("the trace lies in more than %d files; the others are not read"), MOST_FILES);
    return;
  }
  g_hash_table_add (p->known_files, file);
  g_ptr_array_add (p->files, g_steal_pointer (&file));
}

static void
free_container (void *container)
{
  Container *c = container;

  if (c->again)
    g_free (c->again->name);
  g_free (c->again);
  g_free (c);
}

static void
created_twice (Paje *p, const char *file, uint64_t line, const char *name)
{
  trace_source_damage (p->source, file, line, 1, _ ("the container “%s” is created twice; this line is left out"),
                       name);
}

/* It was not for nothing that the container was created while it was there. */
static void
live_again (Paje *p, Container *c, int64_t died)
{
  TraceEvent e = { .date = c->again->date,
                   .task = c->task,
                   .peer = TRACE_NONE,
                   .object = TRACE_NONE,
                   .tag = -1,
                   .kind = c->again->kind,
                   .flags = TRACE_INSTANT };

  if (died < e.date) /* before what the file tells of it from there on */
    converter_event_at (p->to, &e, c->again->place);
  else
    converter_event (p->to, &e);
  c->lives = true;
}

static void
destroy (Paje *p, const Definition *d, int64_t date)
{
  Container *c = paje_find_container (p, paje_word (p, d,
                                                    paje_field (p, d, NAME)    ? NAME
                                                    : paje_field (p, d, ALIAS) ? ALIAS
                                                                               : CONTAINER));

  if (!c || !c->lives) {
    paje_damaged (p, _ ("a container that is not there is destroyed"));
    return;
  }
  c->lives = false;
  end_lanes (p, c, date);
  paje_give (p, d, &(TraceEvent){ .date = date, .task = c->task, .peer = TRACE_NONE, .object = TRACE_NONE });
  if (!c->again)
    return;
  if (date <= c->again->date)
    live_again (p, c, date);
  else
    created_twice (p, c->again->file, c->again->line, c->again->name);
  g_free (c->again->name);
  g_clear_pointer (&c->again, g_free);
}

/* At the end of the file: nothing else has ended in between. */
static void
paje_tell_twice (Paje *p)
{
  for (guint i = 0; i < p->all_containers->len; i++) {
    const Again *a = ((const Container *) p->all_containers->pdata[i])->again;
    if (a)
      created_twice (p, a->file, a->line, a->name);
  }
}

static void
paje_create (Paje *p, const Definition *d, int64_t date)
{
  Word name = paje_word (p, d, NAME), alias = paje_word (p, d, ALIAS), key = alias.at ? alias : name;
  Word of = paje_word (p, d, TYPE), in = paje_word (p, d, CONTAINER);
  const PajeType *t = paje_find_type (p, of);
  const Container *inside = paje_find_container (p, in);

  if (!key.at) {
    paje_damaged (p, _ ("a container has no name"));
    return;
  }
  Container *c = paje_find_container (p, key);
  if (c && c->lives && c->again) {
    created_twice (p, p->file, paje_line (p), key.at);
    return;
  }
  if (c && c->lives) {
    c->again = g_new (Again, 1);
    *c->again = (Again){ date, converter_place (p->to), paje_line (p), p->file, g_strdup (key.at), (uint16_t) d->kind };
    return;
  }
  if (of.at && (!t || t->kind != TRACE_ENTITY))
    paje_damaged (
        p, _ ("the container “%s” is of “%s”, which is no type of containers; it is taken as one without a type"),
        key.at, of.at);
  else if (in.at && !inside && !paje_is_whole (in))
    paje_damaged (p, _ ("the container “%s” is in “%s”, which was never created; it is taken as one of the whole"),
                  key.at, in.at);
  if (!c) {
    c = g_new0 (Container, 1);
    c->last = TRACE_NONE;
    c->ended = NEVER_ENDED;
    g_autofree char *id = paje_id_like (p, name.at ? name.at : key.at, key.at);
    c->task = trace_source_add_task_in (p->source, id, 0, t && t->kind == TRACE_ENTITY ? t->type : TRACE_NONE,
                                        inside ? inside->task : TRACE_NONE);
    name_table_set (p->containers, key.at, key.n, p->all_containers->len);
    if (name.at && name_table_find (p->containers, name.at, name.n) == NAME_TABLE_NONE)
      name_table_set (p->containers, name.at, name.n, p->all_containers->len);
    g_ptr_array_add (p->all_containers, c);
  }
  c->lives = true;
  want_file (p, d);
  paje_give (p, d, &(TraceEvent){ .date = date, .task = c->task, .peer = TRACE_NONE, .object = TRACE_NONE });
}

/* The container of a line; NULL, and told: it is not there. */
static Container *
container_of (Paje *p, const Definition *d, Name name)
{
  Word word = paje_word (p, d, name);
  const char *text = word.at;
  Container *c = paje_find_container (p, word);

  if (!c)
    paje_damaged (p,
                  text ? _ ("the container “%s” was never created; this line is left out")
                       : _ ("the line ends before it names its container%s"),
                  text ? text : "");
  return c;
}

static PajeType *
paje_type_of (Paje *p, const Definition *d, TraceTypeKind kind)
{
  Word word = paje_word (p, d, TYPE);
  const char *text = word.at;
  PajeType *t = paje_find_type (p, word);

  if (t && t->kind == kind)
    return t;
  paje_damaged (p,
                !text ? _ ("the line ends before it names its type%s")
                : t   ? _ ("“%s” is a type of something else; this line is left out")
                      : _ ("the type “%s” is not defined; this line is left out"),
                text ? text : "");
  return NULL;
}

static void
change_state (Paje *p, const Definition *d, int64_t date)
{
  PajeType *t = paje_type_of (p, d, TRACE_STATES);
  Container *c = t ? container_of (p, d, CONTAINER) : NULL;
  Word value = paje_word (p, d, VALUE);
  bool needs = d->verb == SET_STATE || d->verb == PUSH_STATE;

  if (!c)
    return;
  if (needs && !value.at) {
    paje_damaged (p, _ ("the line ends before it names the state"));
    return;
  }
  uint32_t object = needs                    ? paje_value_of (p, t, value)
                    : d->verb == RESET_STATE ? ((const TraceType *) p->source->types->pdata[t->type])->object
                                             : TRACE_NONE;
  uint32_t task = paje_task_of_states (p, c, t);
  paje_note_state (p, c, t, d->verb, object, date);
  paje_give (p, d, &(TraceEvent){ .date = date, .task = task, .peer = TRACE_NONE, .object = object });
}

static void
change_variable (Paje *p, const Definition *d, int64_t date)
{
  const PajeType *t = paje_type_of (p, d, TRACE_VARIABLE);
  const Container *c = t ? container_of (p, d, CONTAINER) : NULL;
  const char *value = paje_field (p, d, VALUE);
  const char *end = NULL;
  double x = value ? paje_real (value, &end) : 0;

  if (!c)
    return;
  if (!value || end == value || *end != '\0') {
    paje_damaged (p, _ ("“%.40s” is no number"), value ? value : "");
    return;
  }
  if (G_UNLIKELY (isinf (x)) && strpbrk (value, "0123456789"))
    paje_damaged (p, _ ("“%.40s” is larger than numbers can be; it is taken as infinite"), value);
  paje_give (p, d,
             &(TraceEvent){ .date = date,
                            .task = c->task,
                            .peer = TRACE_NONE,
                            .flags = TRACE_REAL,
                            .object = ((const TraceType *) p->source->types->pdata[t->type])->object,
                            .real = d->verb == SUB_VARIABLE ? -x : x });
}

static void
note_event (Paje *p, const Definition *d, int64_t date)
{
  Word word = paje_word (p, d, TYPE), value = paje_word (p, d, VALUE);
  const PajeType *t = paje_find_type (p, word);
  const Container *c = container_of (p, d, CONTAINER);

  if (!c)
    return;
  if (!t) {
    paje_damaged (p, _ ("the type “%s” is not defined; this line is left out"), word.at ? word.at : "");
    return;
  }
  uint32_t known = value.at ? name_table_find (t->values, value.at, value.n) : NAME_TABLE_NONE;
  const char *shown = known != NAME_TABLE_NONE ? trace_object_id (p->source, known) : value.at ? value.at : "";
  converter_text (p->to, shown, strlen (shown));
  paje_give (p, d,
             &(TraceEvent){ .date = date,
                            .task = c->task,
                            .peer = TRACE_NONE,
                            .object = ((const TraceType *) p->source->types->pdata[t->type])->object });
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------------- */

static void
paje_happen (Paje *p, const Definition *d)
{
  Word time = paje_word (p, d, TIME);
  int64_t date;
  Container *c;

  if (!time.at || !paje_date (p, time, &date)) {
    paje_damaged (p, time.at ? _ ("“%.40s” is no date") : _ ("the line ends before its date%s"),
                  time.at ? time.at : "");
    return;
  }
  switch (d->verb) {
  case CREATE:
    paje_create (p, d, date);
    break;
  case DESTROY:
    destroy (p, d, date);
    break;
  case SET_STATE:
  case PUSH_STATE:
  case POP_STATE:
  case RESET_STATE:
    change_state (p, d, date);
    break;
  case SET_VARIABLE:
  case ADD_VARIABLE:
  case SUB_VARIABLE:
    change_variable (p, d, date);
    break;
  case NEW_EVENT:
    note_event (p, d, date);
    break;
  case START_LINK:
  case END_LINK:
    c = paje_type_of (p, d, TRACE_LINKS) ? container_of (p, d, d->verb == START_LINK ? START : END) : NULL;
    if (c)
      paje_link (p, d, c, date);
    break;
  default:
    break;
  }
}

/* The definition of the line at hand; NULL: there is none. */
static const Definition *
definition_of (const Paje *p)
{
  Word w = p->words[0];
  int64_t number;
  char *end;

  if (w.n == 1 && g_ascii_isdigit (w.at[0]))
    return p->numbered[w.at[0] - '0'];
  if (w.n == 2 && g_ascii_isdigit (w.at[0]) && g_ascii_isdigit (w.at[1]))
    return p->numbered[(w.at[0] - '0') * 10 + (w.at[1] - '0')];
  number = g_ascii_strtoll (w.at, &end, 10);
  return *end == '\0' ? g_hash_table_lookup (p->definitions, &number) : NULL;
}

static void
body_line (Paje *p)
{
  const Definition *d = definition_of (p);

  if (!d) {
    paje_damaged (p, _ ("the head of the file defines no kind of line “%.40s”"), p->words[0].at);
    return;
  }
  switch (d->verb) {
  case DEFINE_CONTAINER:
    define_type (p, d, TRACE_ENTITY);
    break;
  case DEFINE_STATE:
    define_type (p, d, TRACE_STATES);
    break;
  case DEFINE_EVENT:
    define_type (p, d, TRACE_MARKS);
    break;
  case DEFINE_VARIABLE:
    define_type (p, d, TRACE_VARIABLE);
    break;
  case DEFINE_LINK:
    define_type (p, d, TRACE_LINKS);
    break;
  case DEFINE_VALUE:
    define_value (p, d);
    break;
  case TRACE_FILE:
    want_file (p, d);
    break;
  case SET_LIMITS: /* dates tell them as well */
    break;
  default:
    paje_happen (p, d);
    break;
  }
}

/* The last line of a file that does not end with a line's end: it lacks fields, or nobody knows whether its last word
 * is all there. */
static void
paje_last_line (Paje *p)
{
  const Definition *d = definition_of (p);

  if (d && p->n_words - 1 < d->n_fields) {
    paje_damaged (p, _ ("the file ends in the middle of this line: it has %d of %d fields; the line is left out"),
                  MAX (p->n_words - 1, 0), d->n_fields);
    return;
  }
  if (p->quote_open) {
    paje_damaged (p,
                  _ ("the file ends in the middle of this line: quotes begin, and nothing ends them; the line is left "
                     "out"));
    return;
  }
  trace_source_remark (
      p->source, p->file, paje_line (p), 0,
      _ ("the file ends without the end of its last line, whose last word may be cut, and lines may be "
         "missing behind it"));
  body_line (p);
}

static bool
paje_read_lines (Paje *p, GError **error)
{
  g_autoptr (GError) why = NULL;
  PajeHead head = { .n_others = 0 };
  char *line;
  size_t n;
  bool cut, goes_on = true;

  for (uint64_t asked = 0; goes_on;) {
    paje_quick (p);
    if (paje_line (p) - asked >= ASKED_EACH) {
      asked = paje_line (p);
      goes_on = converter_progress (p->to, input_share (p->in), error);
    }
    if (!(line = input_line (p->in, &n, &cut, &why)))
      break;
    char *at = line;
    if (paje_line (p) == 1 && strncmp (at, BYTE_ORDER_MARK, strlen (BYTE_ORDER_MARK)) == 0)
      at += strlen (BYTE_ORDER_MARK);
    while (*at == ' ' || *at == '\t')
      at++;
    if (cut)
      paje_damaged (p, _ ("the line is longer than 1 MiB"));
    else if (*at == '%' || *at == '#' || *at == '\0') {
      if (strlen (line) != n)
        paje_damaged (p, _ ("the line has a byte 0"));
      else if (*at == '%')
        paje_head_line (p, &head, at + 1);
    } else if (paje_split (p, at) != line + n)
      paje_damaged (p, _ ("the line has a byte 0"));
    else if (input_line_ended (p->in))
      body_line (p);
    else
      paje_last_line (p);
  }
  paje_end_definition (p, &head);
  if (why && p->source->n_events > 0) { /* what came before it is good */
    paje_damaged (p, "%s", why->message);
    g_clear_error (&why);
  }
  if (why)
    g_propagate_error (error, g_steal_pointer (&why));
  return goes_on && !(error && *error);
}

static bool
read_other_files (Paje *p, const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  bool ok = true;

  for (guint i = 1; ok && i < p->files->len; i++) {
    g_autoptr (GError) why = NULL;
    p->file = p->files->pdata[i];
    g_autofree char *other = g_build_filename (folder, p->file, NULL);
    Input *in = input_open (other, &why);
    if (!in) {
      trace_source_damage (p->source, p->files->pdata[0], 1, 1, _ ("lines of this trace are in another file: %s"),
                           why->message);
      continue;
    }
    input_close (p->in);
    p->in = in;
    ok = paje_read_lines (p, error);
  }
  return ok;
}

static void
paje_free_type (void *p)
{
  g_clear_pointer (&((PajeType *) p)->values, name_table_free);
  g_free (p);
}

static bool
paje_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  Paje p = { .to = to, .source = converter_source (to), .file = file, .in = input_open (path, error) };

  if (!p.in)
    return false;
  p.definitions = g_hash_table_new_full (pair_hash, g_int64_equal, NULL, g_free);
  p.types = name_table_new ();
  p.all_types = g_ptr_array_new_with_free_func (paje_free_type);
  p.containers = name_table_new ();
  p.all_containers = g_ptr_array_new_with_free_func (free_container);
  p.ids = unlike_new ();
  p.lanes = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  p.all_lanes = g_array_new (FALSE, FALSE, sizeof (Lane));
  p.key = g_string_new (NULL);
  paje_look_at_dates (&p, path);
  p.source->clock = (TraceClock){ PAJE_SECOND, "s" };
  p.files = g_ptr_array_new_with_free_func (g_free);
  p.known_files = g_hash_table_new (g_str_hash, g_str_equal);
  g_ptr_array_add (p.files, g_strdup (file));
  g_hash_table_add (p.known_files, p.files->pdata[0]);
  bool ok = paje_read_lines (&p, error) && read_other_files (&p, path, error);
  if (ok) {
    paje_tell_twice (&p);
    paje_half_links (&p);
  }
  if (ok && g_hash_table_size (p.definitions) == 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s defines no kind of line: it is no Pajé trace"), path);
    ok = false;
  }
  if (ok)
    converter_order_tasks (to, NULL); /* containers are created as they are needed */
  g_hash_table_unref (p.definitions);
  name_table_free (p.types);
  g_ptr_array_unref (p.all_types);
  name_table_free (p.containers);
  g_ptr_array_unref (p.all_containers);
  g_hash_table_unref (p.known_files);
  g_ptr_array_unref (p.files);
  unlike_free (p.ids);
  g_hash_table_unref (p.lanes);
  g_array_unref (p.all_lanes);
  paje_free_links (&p.starts);
  paje_free_links (&p.ends);
  g_string_free (p.key, TRUE);
  input_close (p.in);
  return ok;
}

/* The first line that says something is "%EventDef ...". */
static int
paje_recognise (const char *path, const void *head, size_t n, char **whole)
{
  const char *at = head, *end = head ? at + n : NULL;

  if (n >= strlen (BYTE_ORDER_MARK) && memcmp (at, BYTE_ORDER_MARK, strlen (BYTE_ORDER_MARK)) == 0)
    at += strlen (BYTE_ORDER_MARK);
  while (at < end) {
    const char *line_end = memchr (at, '\n', (size_t) (end - at));
    line_end = line_end ? line_end : end;
    while (at < line_end && g_ascii_isspace (*at))
      at++;
    if (at < line_end && *at == '%') {
      for (at++; at < line_end && g_ascii_isspace (*at);)
        at++;
      return line_end - at > 8 && strncmp (at, "EventDef", 8) == 0 ? 95 : 0;
    }
    if (at < line_end && *at != '#')
      return 0;
    at = line_end + 1;
  }
  return 0;
}

static const ConvertedFormat paje;
CONVERTED_OPEN (paje_open, &paje)
static const ConvertedFormat paje = {
  .format = { .name = "paje",
              .label = "Pajé",
              .model = "Pajé",
              .open = paje_open,
              .recognise = paje_recognise,
              .write = paje_write,
              CONVERTED_FUNCTIONS },
  .convert = paje_convert,
};

TRACE_READER_PLUGIN (paje.format, "scope.paje-reader", "Pajé reader", "reader:paje",
                     "Reads Pajé traces, as SimGrid, StarPU and others write them.");
