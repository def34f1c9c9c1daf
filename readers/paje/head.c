/* SPDX-License-Identifier: Apache-2.0 */
/* head.c - the definitions of a Pajé trace, most of them at its head: which fields each kind of line has. */
#include <string.h>

#include "readers/paje/paje.h"
#include "eve/words.h"

static const char *const verbs[N_VERBS] = {
  "PajeDefineContainerType",
  "PajeDefineStateType",
  "PajeDefineEventType",
  "PajeDefineVariableType",
  "PajeDefineLinkType",
  "PajeDefineEntityValue",
  "PajeCreateContainer",
  "PajeDestroyContainer",
  "PajeSetState",
  "PajePushState",
  "PajePopState",
  "PajeResetState",
  "PajeNewEvent",
  "PajeSetVariable",
  "PajeAddVariable",
  "PajeSubVariable",
  "PajeStartLink",
  "PajeEndLink",
  "PajeTraceFile",
  "PajeSetLimits",
};

/* What a kind of line does, and the fields that it has whatever else its definition names. */
static const TraceField of_state[] = { { "state", TRACE_ROLE_REGION, NULL } };
static const TraceField of_variable[] = { { "variable", TRACE_ROLE_OBJECT, NULL },
                                          { "value", TRACE_ROLE_VALUE, NULL } };
static const TraceField of_start[] = { { "to", TRACE_ROLE_PEER, NULL },
                                       { "key", TRACE_ROLE_KEY, NULL },
                                       { "bytes", TRACE_ROLE_SIZE, "B" },
                                       { "value", TRACE_ROLE_WORD, NULL } };
static const TraceField of_end[] = { { "from", TRACE_ROLE_PEER, NULL },
                                     { "key", TRACE_ROLE_KEY, NULL },
                                     { "bytes", TRACE_ROLE_SIZE, "B" },
                                     { "value", TRACE_ROLE_WORD, NULL } };
static const TraceField of_event[] = { { "type", TRACE_ROLE_OBJECT, NULL }, { "value", TRACE_ROLE_WORD, NULL } };
#define FIELDS(list) list, G_N_ELEMENTS (list)
static const struct {
  const char *category;
  uint16_t acts;
  const TraceField *fields;
  uint32_t n_fields;
} actions[N_VERBS] = {
  [CREATE] = { "container", TRACE_ACT_BIRTH, NULL, 0 },
  [DESTROY] = { "container", TRACE_ACT_DEATH, NULL, 0 },
  [SET_STATE] = { "state", TRACE_ACT_SET, FIELDS (of_state) },
  [PUSH_STATE] = { "state", TRACE_ACT_ENTER, FIELDS (of_state) },
  [POP_STATE] = { "state", TRACE_ACT_LEAVE, NULL, 0 },
  [RESET_STATE] = { "state", TRACE_ACT_SET, FIELDS (of_state) },
  [NEW_EVENT] = { "event", TRACE_ACT_MARK, FIELDS (of_event) },
  [SET_VARIABLE] = { "variable", TRACE_ACT_SET, FIELDS (of_variable) },
  [ADD_VARIABLE] = { "variable", TRACE_ACT_ADD, FIELDS (of_variable) },
  [SUB_VARIABLE] = { "variable", TRACE_ACT_ADD, FIELDS (of_variable) },
  [START_LINK] = { "link", TRACE_ACT_SEND, FIELDS (of_start) },
  [END_LINK] = { "link", TRACE_ACT_RECEIVE, FIELDS (of_end) },
};

static Name
head_name_of (const char *word)
{
  static const struct {
    const char *word;
    Name name;
  } known[] = {
    { "Time", TIME },
    { "Date", TIME },
    { "Name", NAME },
    { "NewName", NAME },
    { "Alias", ALIAS },
    { "NewType", ALIAS },
    { "NewContainer", ALIAS },
    { "NewValue", ALIAS },
    { "Type", TYPE },
    { "ContainerType", TYPE },
    { "NewContainerType", TYPE },
    { "EntityType", TYPE },
    { "Container", CONTAINER },
    { "Value", VALUE },
    { "Key", KEY },
    { "StartContainer", START },
    { "SourceContainer", START },
    { "EndContainer", END },
    { "DestContainer", END },
    { "Size", SIZE },
    { "Color", COLOUR },
    { "Filename", FILENAME },
    { "FileName", FILENAME },
    { "Does", DOES },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].word, word) == 0)
      return known[i].name;
  return OTHER;
}

/* The next word of a line; NULL: there is none. */
static char *
head_next_word (char **at)
{
  char *word = *at + strspn (*at, " \t");

  if (*word == '\0')
    return NULL;
  *at = word + strcspn (word, " \t");
  if (**at != '\0')
    *(*at)++ = '\0';
  return word;
}

/* Each file of a trace may define its kinds of line again: what is as it was is no other kind of event. */
static bool
is_as_before (const Paje *p, const Definition *before, const Definition *d, char *const *others, int n_others)
{
  const TraceKind *k = before && before->verb == d->verb ? &p->source->kinds[before->kind] : NULL;
  const uint32_t own = actions[d->verb].n_fields;

  if (!k || k->n_fields != own + (uint32_t) n_others)
    return false;
  for (int i = 0; i < n_others; i++)
    if (strcmp (k->fields[own + (uint32_t) i].name, others[i]) != 0)
      return false;
  return true;
}

static void
head_add_kind (Paje *p, Definition *d, char *const *others, int n_others)
{
  const Definition *before = g_hash_table_lookup (p->definitions, &d->number);
  TraceField fields[MOST_FIELDS + 4];
  uint32_t n = actions[d->verb].n_fields;

  if (!actions[d->verb].category)
    return;
  if (is_as_before (p, before, d, others, n_others)) {
    d->kind = before->kind;
    return;
  }
  if (n > 0)
    memcpy (fields, actions[d->verb].fields, n * sizeof *fields);
  for (int i = 0; i < n_others; i++)
    fields[n++] = (TraceField){ others[i], TRACE_ROLE_WORD, NULL };
  d->kind = converter_kind (p->to, &(TraceKind){ .name = verbs[d->verb] + strlen ("Paje"),
                                                 .category = actions[d->verb].category,
                                                 .fields = fields,
                                                 .n_fields = n,
                                                 .instant = true,
                                                 .acts = actions[d->verb].acts });
}

static void
begin_definition (Paje *p, char *at)
{
  char *name = head_next_word (&at), *number = head_next_word (&at), *end = NULL;
  int64_t n = number ? g_ascii_strtoll (number, &end, 10) : 0;
  int verb = 0;

  /* The oldest writers have one name without what all others begin with. */
  const char *whole = g_strcmp0 (name, "SetLimits") == 0 ? verbs[SET_LIMITS] : name;
  while (whole && verb < N_VERBS && strcmp (verbs[verb], whole) != 0)
    verb++;
  g_clear_pointer (&p->open, g_free);
  if (!number || *end != '\0') {
    paje_damaged (p, _ ("a definition of a kind of line has a name and a number"));
    return;
  }
  if (verb == N_VERBS) {
    paje_damaged (p, _ ("“%s” is no kind of line that Pajé has; its lines are left out"), name);
    return;
  }
  if (g_hash_table_size (p->definitions) >= MOST_DEFINITIONS) {
    paje_damaged (p, _ ("more than %d kinds of line are defined"), MOST_DEFINITIONS);
    return;
  }
  p->open = g_new0 (Definition, 1);
  p->open->number = n;
  p->open->verb = (Verb) verb;
}

void
paje_end_definition (Paje *p, PajeHead *h)
{
  if (p->open) {
    head_add_kind (p, p->open, h->others, h->n_others);
    if (p->open->kind == UINT32_MAX)
      paje_damaged (p, _ ("too many kinds of line"));
    else {
      paje_quick_define (p->open);
      g_hash_table_replace (p->definitions, &p->open->number, p->open);
      if (p->open->number >= 0 && p->open->number < MOST_NUMBERED)
        p->numbered[p->open->number] = p->open;
    }
    p->open = NULL;
  }
  for (int i = 0; i < h->n_others; i++)
    g_free (h->others[i]);
  h->n_others = 0;
}

void
paje_head_line (Paje *p, PajeHead *h, char *at)
{
  char *rest = at, *word = head_next_word (&rest);

  if (!word)
    return;
  if (strcmp (word, "EventDef") == 0) {
    paje_end_definition (p, h);
    begin_definition (p, rest);
  } else if (strcmp (word, "EndEventDef") == 0) {
    paje_end_definition (p, h);
  } else if (p->open && p->open->n_fields < MOST_FIELDS) {
    Name name = head_name_of (word);
    if (name == FILENAME && p->open->verb != CREATE && p->open->verb != TRACE_FILE)
      name = OTHER; /* from where in the source a state was set */
    if (name == DOES && p->open->verb != DEFINE_VALUE)
      name = OTHER;
    p->open->names[p->open->n_fields++] = (uint8_t) name;
    if (name == OTHER) {
      h->others[h->n_others++] = g_strdup (word);
      p->open->n_others++;
    } else if (p->open->places[name] == 0) {
      p->open->places[name] = (uint8_t) p->open->n_fields;
    }
  } else if (p->open) {
    paje_damaged (p, _ ("a kind of line has more than %d fields"), MOST_FIELDS);
  }
}
