/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - what each kind of event of a trace means, found once by category and name: numbers of kinds are the
 * trace's own. */
#include "simulators/pvm/pvm.h"

#include "readers/reader.h"

static bool
is_category (const TraceKind *k, const char *category)
{
  size_t n = strlen (category);

  return strncmp (k->category, category, n) == 0 && (k->category[n] == '\0' || k->category[n] == ' ');
}

static int8_t
field_of_role (const TraceKind *k, TraceRole role)
{
  for (uint32_t i = 0; i < k->n_fields && i < INT8_MAX; i++)
    if (k->fields[i].role == role)
      return (int8_t) i;
  return -1;
}

static Act
rules_act_of (const TraceKind *k)
{
  static const struct {
    const char *category, *name;
    Act act;
  } acts[] = {
    { "task", "Enroll", ACT_ENROLL },
    { "task", "Exit", ACT_EXIT },
    { "pack", NULL, ACT_PACK },
    { "group", "JoinGroup", ACT_JOIN },
    { "group", "LvGroup", ACT_LEAVE },
    { "barrier", NULL, ACT_BARRIER },
    { "point", "Send", ACT_SEND },
    { "point", "PSend", ACT_SEND },
    { "point", "Recv", ACT_RECEIVE },
    { "point", "PRecv", ACT_RECEIVE },
    { "point", "TRecv", ACT_RECEIVE },
    { "point", "NRecv", ACT_RECEIVE },
    { "global", NULL, ACT_MCAST },
    { "collective", "Bcast", ACT_BCAST },
    { "collective", "Scatter", ACT_SCATTER },
    { "collective", "Gather", ACT_GATHER },
    { "collective", "Reduce", ACT_GATHER },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (acts); i++)
    if (is_category (k, acts[i].category) && (acts[i].name == NULL || strcmp (k->name, acts[i].name) == 0))
      return acts[i].act;
  if (is_category (k, "user"))
    return k->instant ? ACT_NONE : ACT_PHASE;
  return k->instant ? ACT_NONE : ACT_FUNCTION;
}

bool
pvm_bind (Store *store, const TraceSource *s)
{
  Pvm *p = (Pvm *) store;

  g_free (p->rules);
  p->rules = g_new0 (Rule, s->n_kinds);
  p->n_rules = s->n_kinds;
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    p->rules[i].act = rules_act_of (k);
    p->rules[i].blocking = strcmp (k->name, "NRecv") != 0;
    p->rules[i].zero_is_none = strcmp (k->name, "PRecv") != 0 && field_of_role (k, TRACE_ROLE_RESULT) >= 0;
    p->rules[i].asked = field_of_role (k, TRACE_ROLE_TASK);
    p->rules[i].word = field_of_role (k, TRACE_ROLE_WORD);
  }
  return true;
}
