/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - looking at a program, its settings, and what components say of themselves. */
#include "eve/private.h"
#include "eve/number.h"
#include "eve/words.h"
#include <stdarg.h>
#include <string.h>

#define MOST_UNHEARD 100 /* warnings that are kept until somebody listens */

/* ---- what a component may ask and say ---------------------------------------------------------------------- */
const char *
eve_name (const EveComponent *c)
{
  return node_of (c)->name;
}

EveProgram *
eve_program (const EveComponent *c)
{
  return node_of (c)->program;
}

const EveClass *
eve_class (const EveComponent *c)
{
  return node_of (c)->klass;
}

void
eve_warn (EveComponent *c, const char *fmt, ...)
{
  Node *n = node_of (c);
  va_list args;
  va_start (args, fmt);
  g_autofree char *sentence = g_strdup_vprintf (fmt, args);
  va_end (args);
  LOG ("warn", 1, "%s: %s", n->name, sentence);
  if (n->program->telling) /* what is only shown warns when it comes */
    return;
  if (n->program->warn)
    n->program->warn (n->program->warn_arg, c, sentence);
  else if (!n->program->unheard || n->program->unheard->len < 2 * MOST_UNHEARD) {
    if (!n->program->unheard)
      n->program->unheard = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (n->program->unheard, g_strdup (n->name));
    g_ptr_array_add (n->program->unheard, g_steal_pointer (&sentence));
  }
}

void
eve_warn_missing (EveComponent *c, const char *fmt, ...)
{
  Node *n = node_of (c);
  va_list args;
  va_start (args, fmt);
  g_autofree char *sentence = g_strdup_vprintf (fmt, args), *told = g_strdup_printf ("%s: %s", n->name, sentence);
  va_end (args);
  if (!n->program->missing)
    n->program->missing = g_ptr_array_new_with_free_func (g_free);
  if (!g_ptr_array_find_with_equal_func (n->program->missing, told, g_str_equal, NULL))
    g_ptr_array_add (n->program->missing, g_steal_pointer (&told));
  eve_warn (c, "%s", sentence);
}

const GPtrArray *
eve_program_missing (const EveProgram *p)
{
  return p->missing;
}

void
eve_status (EveComponent *c, const char *fmt, ...)
{
  Node *n = node_of (c);
  va_list args;
  va_start (args, fmt);
  g_vsnprintf (n->status, sizeof n->status, fmt, args);
  va_end (args);
  /* a cut in the middle of a character */
  const char *end;
  if (!g_utf8_validate (n->status, -1, &end))
    n->status[end - n->status] = 0;
  number_local (n->status); /* same length */
}

/* ---- the program ----------------------------------------------------------------------------------------------- */
EveMode
eve_program_mode (const EveProgram *p)
{
  return p->mode;
}

bool
eve_program_ended (const EveProgram *p)
{
  if (p->dirty || p->failed || !p->end_settled)
    return false;
  for (guint i = 0; i < p->nodes->len; i++) {
    const Node *n = p->nodes->pdata[i];
    if (n->klass->produce && n->supply != NODE_ENDED)
      return false;
    for (uint32_t k = 0; k < n->n_ins; k++)
      if (n->ins[k].n_edges && in_available (&n->ins[k]))
        return false;
  }
  return true;
}

const char *
eve_program_stall (const EveProgram *p)
{
  return p->stall;
}

void
eve_program_set_waker (EveProgram *p, void (*wake) (void *), void *arg)
{
  g_mutex_lock (&p->lock);
  p->waker = wake;
  p->waker_arg = arg;
  g_mutex_unlock (&p->lock);
}

void
eve_program_set_progress (EveProgram *p, bool (*report) (void *arg, const char *doing, double share), void *arg)
{
  p->progress = report;
  p->progress_arg = arg;
}

bool
eve_progress (EveComponent *c, const char *doing, double share)
{
  EveProgram *p = node_of (c)->program;

  eve_alive ();
  return !p->progress || p->progress (p->progress_arg, doing, share);
}

void
eve_program_set_warn (EveProgram *p, void (*warn) (void *, EveComponent *, const char *), void *arg)
{
  p->warn = warn;
  p->warn_arg = arg;
  g_autoptr (GPtrArray) unheard = warn ? g_steal_pointer (&p->unheard) : NULL;
  for (guint i = 0; unheard && i + 1 < unheard->len; i += 2) {
    EveComponent *c = eve_find (p, unheard->pdata[i]);
    if (c)
      warn (arg, c, unheard->pdata[i + 1]);
  }
}

uint64_t
eve_program_serial (const EveProgram *p)
{
  return p->serial;
}

/* ---- settings --------------------------------------------------------------------------------------------------- */
/* A setting that nobody knows, of a ghost or of an old program; NULL if there is none. */
static char **
kept_value (Node *n, const char *setting)
{
  for (guint i = 0; i + 1 < n->kept->len; i += 2)
    if (!strcmp (n->kept->pdata[i], setting))
      return (char **) &n->kept->pdata[i + 1];
  return NULL;
}

char *
node_no_setting (const Node *n, const char *setting, bool list)
{
  GString *said = g_string_new (NULL);
  g_string_printf (said, _ ("%s has no setting '%s'"), n->name, setting);
  for (uint32_t k = 0; list && k < n->klass->n_settings; k++)
    g_string_append_printf (said, "%s%s", k ? ", " : _ ("; it has: "), n->klass->settings[k].name);
  return g_string_free (said, FALSE);
}

bool
node_set (Node *n, const char *setting, const char *value, GError **error)
{
  int i = eve_class_setting (n->klass, setting);
  if (i < 0) {
    char **kept = kept_value (n, setting);
    if (kept) {
      g_free (*kept);
      *kept = g_strdup (value);
      n->program->serial++;
      return true;
    }
    g_autofree char *sentence = node_no_setting (n, setting, true);
    g_set_error_literal (error, EVE_ERROR, EVE_ERROR_SETTING, sentence);
    return false;
  }
  const EveField *f = &n->klass->settings[i];
  void *at = (char *) n->self + f->offset;
  if (!f->look)
    rest_end (n->program);
  g_autofree char *before = eve_field_text (f, at);
  if (!eve_field_parse (f, value, at, error)) {
    g_prefix_error (error, "%s: ", n->name);
    return false;
  }
  bool ok = true;
  if (n->klass->changed) {
    Outer outer = call_enter (n, CALL_CHANGED);
    ok = n->klass->changed (n->self, (uint32_t) i);
    if (!ok) { /* back to what it was */
      g_autofree char *shown = field_shown (value);
      g_set_error (error, EVE_ERROR, EVE_ERROR_SETTING, _ ("%s: %s cannot be '%s': %s"), n->name, setting, shown,
                   n->failure ? n->failure->str : _ ("it was refused without a reason"));
      if (n->failure)
        g_string_free (g_steal_pointer (&n->failure), TRUE);
      eve_field_parse (f, before, at, NULL);
      n->klass->changed (n->self, (uint32_t) i);
      if (n->failure)
        g_string_free (g_steal_pointer (&n->failure), TRUE);
    }
    call_leave (n, outer);
  }
  n->program->serial++;
  /* what a box does may be another now: ask it again */
  if (n->declined && !n->program->dirty) {
    n->declined = false;
    sched_ready (n);
  }
  if (n->klass->produce)
    sched_source_news (n);
  return ok;
}

/* Called for a person: what is named by this may be read. */
bool
eve_set (EveComponent *c, const char *setting, const char *value, GError **error)
{
  Node *n = node_of (c);
  int i = eve_class_setting (n->klass, setting);
  const EveField *f = i >= 0 ? &n->klass->settings[i] : NULL;

  if (f && f->kind == EVE_F_STRING && f->path && !f->output && *value)
    eve_program_allow (n->program, value);
  return node_set (n, setting, value, error);
}

char *
eve_get (EveComponent *c, const char *setting)
{
  Node *n = node_of (c);
  int i = eve_class_setting (n->klass, setting);
  if (i >= 0)
    return eve_field_text (&n->klass->settings[i], (char *) n->self + n->klass->settings[i].offset);
  char **kept = kept_value (n, setting);
  return kept ? g_strdup (*kept) : NULL;
}

/* ---- looking ------------------------------------------------------------------------------------------------------ */
uint32_t
eve_n_components (const EveProgram *p)
{
  return p->nodes->len;
}

EveComponent *
eve_component (const EveProgram *p, uint32_t i)
{
  return i < p->nodes->len ? ((Node *) p->nodes->pdata[i])->self : NULL;
}

EveComponent *
eve_find (const EveProgram *p, const char *name)
{
  Node *n = g_hash_table_lookup (p->by_name, name);
  return n ? n->self : NULL;
}

bool
eve_is_ghost (const EveComponent *c)
{
  return node_of (c)->ghost_id != NULL;
}

const char *
eve_class_id (const EveComponent *c)
{
  const Node *n = node_of (c);
  return n->ghost_id ? n->ghost_id : n->klass->id;
}

const char *
eve_component_status (const EveComponent *c)
{
  return node_of (c)->status;
}

const char *
eve_component_failure (const EveComponent *c)
{
  const Node *n = node_of (c);
  return n->failure ? n->failure->str : NULL;
}

const void *
eve_query (EveComponent *c, const char *interface_name)
{
  const Node *n = node_of (c);
  if (!n->klass->query || n->use != EVE_WORKS)
    return NULL;
  uint64_t outer = watch_enter (n, CALL_QUERY);
  const void *spoken = n->klass->query (c, interface_name);
  watch_leave (outer);
  return spoken;
}

EveComponent *
eve_find_query (const EveProgram *p, const char *interface_name, const void **spoken)
{
  for (guint i = 0; i < p->nodes->len; i++) {
    EveComponent *c = ((Node *) p->nodes->pdata[i])->self;
    const void *s = eve_query (c, interface_name);
    if (s) {
      if (spoken)
        *spoken = s;
      return c;
    }
  }
  return NULL;
}

GPtrArray *
eve_find_above (const EveComponent *c, const char *interface_name)
{
  GPtrArray *found = g_ptr_array_new ();
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  g_ptr_array_add (todo, node_of (c));
  g_hash_table_add (seen, node_of (c));
  for (guint i = 0; i < todo->len; i++) {
    const Node *n = todo->pdata[i];
    for (uint32_t k = 0; k < n->n_ins; k++)
      for (uint32_t e = 0; e < n->ins[k].n_edges + n->ins[k].n_kept; e++) {
        Node *up = in_edge (&n->ins[k], e)->out->node;
        if (!g_hash_table_add (seen, up))
          continue;
        if (eve_query (up->self, interface_name))
          g_ptr_array_add (found, up->self);
        else
          g_ptr_array_add (todo, up);
      }
  }
  return found;
}

uint32_t
eve_n_wires (const EveProgram *p)
{
  return p->wires->len;
}

uint32_t
eve_n_flows (const EveProgram *p)
{
  return program_n_flows (p);
}

EveWire
eve_wire (const EveProgram *p, uint32_t i)
{
  return eve_flow (p, i);
}

EveWire
eve_flow (const EveProgram *p, uint32_t i)
{
  const Wire *w = program_flow (p, i);
  return (EveWire){ .from = w->from->self,
                    .to = w->to->self,
                    .out = w->out,
                    .in = w->in,
                    .broken = !w->edge,
                    .rests = w->from->use != EVE_WORKS || w->to->use != EVE_WORKS,
                    .passed = w->edge ? w->edge->out->head - w->born : 0 };
}

const void *
eve_out_last_slot (EveComponent *c, const char *out, const EveType **type)
{
  Node *n = node_of (c);
  int i = eve_class_out (n->klass, out);
  if (i < 0 || !n->outs[i].size || !n->outs[i].type->print)
    return NULL;
  EveOut *o = &n->outs[i];
  *type = o->type;
  if (o->shown)
    return o->shown;
  if (o->head == o->unseen || (o->type->release && o->freed == o->head))
    return NULL; /* nothing passed, or the ring was emptied since */
  return ring_slot (o, o->head - 1);
}

char *
eve_out_last (EveComponent *c, const char *out)
{
  const EveType *type = NULL;
  const void *slot = eve_out_last_slot (c, out, &type);
  char buf[256];
  if (!slot)
    return NULL;
  type->print (slot, buf, sizeof buf);
  return g_strdup (buf);
}

uint64_t
eve_component_firings (const EveComponent *c)
{
  return node_of (c)->firings;
}

bool
eve_source_ended (const EveComponent *c)
{
  const Node *n = node_of (c);

  return n->klass->produce && n->supply == NODE_ENDED;
}

void
eve_set_position (EveComponent *c, double x_px, double y_px)
{
  Node *n = node_of (c);
  n->x = x_px;
  n->y = y_px;
  n->program->serial++;
}

void
eve_position (const EveComponent *c, double *x_px, double *y_px)
{
  *x_px = node_of (c)->x;
  *y_px = node_of (c)->y;
}
