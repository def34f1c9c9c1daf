/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - the kinds of events out of kinds.def: an action that has two types of events in the file, a begin and an
 * end, is one kind of the source. */
#include "readers/tape/tape.h"

static TapeKinds table;

static const struct {
  uint8_t begin, end;
} pairs[] = {
  { TAPE_Send, TAPE_EndSend },        { TAPE_TSend, TAPE_EndSend }, { TAPE_Receive, TAPE_EndReceive },
  { TAPE_TReceive, TAPE_EndReceive }, { TAPE_SemP, TAPE_SemG },     { TAPE_Alt, TAPE_EndAlt },
  { TAPE_NAlt, TAPE_EndAlt },         { TAPE_Wait, TAPE_EndWait },  { TAPE_Phase, TAPE_EndPhase },
};

static TapeRole
tape_kinds_role_of (const char *word)
{
  static const struct {
    const char *word;
    TapeRole role;
  } roles[] = {
    { "link", TAPE_LINK },     { "links", TAPE_LINKS }, { "size", TAPE_SIZE },
    { "result", TAPE_RESULT }, { "word", TAPE_WORD },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (roles); i++)
    if (strcmp (word, roles[i].word) == 0)
      return roles[i].role;
  return TAPE_INT; /* numbers of threads and semaphores too */
}

/* "point begin", "link=link bytes=size" */
static void
add_type (uint8_t number, const char *name, const char *category, const char *fields)
{
  TapeTypeInfo *t = &table.types[number];
  g_auto (GStrv) words = g_strsplit (fields, " ", -1);

  t->name = name;
  t->phase = g_str_has_suffix (category, " instant") ? TAPE_INSTANT
             : g_str_has_suffix (category, " begin") ? TAPE_BEGIN
                                                     : TAPE_END;
  t->kind = 255;
  t->link = t->size = t->result = t->list = -1;
  for (char **word = words; *word != NULL; word++) {
    g_auto (GStrv) parts = g_strsplit (*word, "=", 2);
    if (parts[0] == NULL || parts[1] == NULL)
      continue;
    int8_t i = (int8_t) t->n_fields++;
    t->field[i] = g_intern_string (parts[0]);
    t->role[i] = (uint8_t) tape_kinds_role_of (parts[1]);
    switch (t->role[i]) {
    case TAPE_LINK:
      t->link = i;
      break;
    case TAPE_SIZE:
      t->size = i;
      break;
    case TAPE_RESULT:
      t->result = i;
      break;
    case TAPE_LINKS:
    case TAPE_WORD:
      t->list = i;
      break;
    default:
      break;
    }
  }
  t->from = number == TAPE_Send || number == TAPE_TSend || number == TAPE_EndSend;
  t->to = number == TAPE_Receive || number == TAPE_TReceive || number == TAPE_EndReceive || number == TAPE_EndAlt;
}

static const TapeTypeInfo *
tape_kinds_end_of (uint8_t begin)
{
  for (size_t i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (pairs[i].begin == begin)
      return &table.types[pairs[i].end];
  return NULL;
}

static void
tape_kinds_add_field (TraceKind *k, TraceField *list, const char *name, TraceRole role, const char *unit, int8_t begin,
                      int8_t end)
{
  TapeFieldAt *at = table.at[table.n_kinds];

  for (uint32_t i = 0; i < k->n_fields; i++)
    if (strcmp (list[i].name, name) == 0) {
      at[i].end = end;
      return;
    }
  at[k->n_fields] = (TapeFieldAt){ begin, end };
  list[k->n_fields++] = (TraceField){ name, role, unit };
}

static void
tape_kinds_add_fields (TraceKind *k, TraceField *list, const TapeTypeInfo *t, bool sends, bool end)
{
  for (int8_t i = 0; i < t->n_fields; i++) {
    int8_t begin_at = end ? -1 : i, end_at = end ? i : -1;
    const char *name = t->field[i];
    switch (t->role[i]) {
    case TAPE_LINK:
      tape_kinds_add_field (k, list, sends ? "to" : "from", TRACE_ROLE_PEER, NULL, begin_at, end_at);
      tape_kinds_add_field (k, list, "link", TRACE_ROLE_OBJECT, NULL, begin_at, end_at);
      break;
    case TAPE_LINKS:
      tape_kinds_add_field (k, list, "among", TRACE_ROLE_PEERS, NULL, begin_at, end_at);
      tape_kinds_add_field (k, list, name, TRACE_ROLE_OBJECTS, NULL, begin_at, end_at);
      break;
    case TAPE_SIZE:
      tape_kinds_add_field (k, list, name, TRACE_ROLE_SIZE, "B", begin_at, end_at);
      break;
    case TAPE_RESULT:
      tape_kinds_add_field (k, list, name, TRACE_ROLE_RESULT, NULL, begin_at, end_at);
      break;
    case TAPE_WORD:
      tape_kinds_add_field (k, list, name, TRACE_ROLE_WORD, NULL, begin_at, end_at);
      break;
    default:
      /* every event has its own thread beside the one that a Run names */
      tape_kinds_add_field (k, list, strcmp (name, "thread") == 0 ? "runs" : name, TRACE_ROLE_INT,
                            g_str_has_suffix (name, "_ns") ? "ns" : NULL, begin_at, end_at);
    }
  }
}

static void
tape_kinds_add (uint8_t type, const char *category)
{
  TapeTypeInfo *t = &table.types[type];
  const TapeTypeInfo *end = tape_kinds_end_of (type);
  TraceKind *k = &table.kinds[table.n_kinds];
  TraceField *list = g_new0 (TraceField, 2 * TAPE_MAX_FIELDS);
  const char *blank = strchr (category, ' ');

  *k = (TraceKind){
    .name = t->name, .end_name = end != NULL ? end->name : t->name, .fields = list, .instant = t->phase == TAPE_INSTANT
  };
  g_autofree char *word = blank != NULL ? g_strndup (category, (gsize) (blank - category)) : g_strdup (category);
  k->category = g_intern_string (word);
  tape_kinds_add_fields (k, list, t, t->from, t->phase == TAPE_END);
  if (end != NULL)
    tape_kinds_add_fields (k, list, end, end->from, true);
  /* an alternative tells who would send, and a Timeout with whom there was no meeting: nothing has gone over the link
   */
  k->acts = trace_acts (k);
  if (strcmp (k->category, "alternative") == 0 || type == TAPE_Timeout)
    k->acts &= (uint16_t) ~(TRACE_ACT_SEND | TRACE_ACT_MULTICAST | TRACE_ACT_RECEIVE);
  if (t->phase == TAPE_BEGIN && (t->link >= 0 || strcmp (k->category, "alternative") == 0))
    k->acts |= TRACE_ACT_MEET;
  tape_kinds_add_field (k, list, "thread", TRACE_ROLE_INT, NULL, TAPE_AT_THREAD, TAPE_AT_THREAD);
  tape_kinds_add_field (k, list, "physical", TRACE_ROLE_INT, NULL, TAPE_AT_PHYSICAL, TAPE_AT_PHYSICAL);
  tape_kinds_add_field (k, list, "virtual", TRACE_ROLE_INT, NULL, TAPE_AT_VIRTUAL, TAPE_AT_VIRTUAL);
  table.begin_type[table.n_kinds] = type;
  table.end_type[table.n_kinds] = end != NULL ? (uint8_t) (end - table.types) : t->phase == TAPE_END ? type : 0;
  t->kind = (uint8_t) table.n_kinds++;
}

const TapeKinds *
tape_kinds (void)
{
  static const struct {
    uint8_t number;
    const char *name, *category, *fields;
  } defined[] = {
#define KIND(number, name, category, fields) { number, #name, category, fields },
#include "readers/tape/kinds.def"
#undef KIND
  };
  static gsize ready;

  if (g_once_init_enter (&ready)) {
    for (size_t i = 0; i < G_N_ELEMENTS (defined); i++)
      add_type (defined[i].number, defined[i].name, defined[i].category, defined[i].fields);
    /* a Timeout is told as itself, not as the end that it stands for */
    for (size_t i = 0; i < G_N_ELEMENTS (defined); i++)
      if (table.types[defined[i].number].phase != TAPE_END || defined[i].number == TAPE_Timeout)
        tape_kinds_add (defined[i].number, defined[i].category);
    g_once_init_leave (&ready, 1);
  }
  return &table;
}
