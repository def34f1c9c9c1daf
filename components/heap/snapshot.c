/* SPDX-License-Identifier: Apache-2.0 */
#include "components/heap/snapshot.h"
#include <stdlib.h>
#include <string.h>
#include "eve/words.h"
#include "readers/reader.h"

/* ---- which one ------------------------------------------------------------------------------------------------------------ */

static void
snapshot_look_up (Snapshot *s, uint16_t number)
{
  const TraceSource *source = trace_source (number);

  s->looked_up = number;
  s->kind = s->file_field = s->number_field = TRACE_NONE;
  g_clear_pointer (&s->tasks, g_hash_table_unref);
  for (uint32_t k = 0; source && k < source->n_kinds && s->kind == TRACE_NONE; k++)
    if (g_str_equal (source->kinds[k].name, "Snapshot"))
      s->kind = k;
  for (uint32_t f = 0; s->kind != TRACE_NONE && f < source->kinds[s->kind].n_fields; f++) {
    const char *name = source->kinds[s->kind].fields[f].name;
    if (g_str_equal (name, "file"))
      s->file_field = f;
    else if (g_str_equal (name, "snapshot"))
      s->number_field = f;
  }
}

bool
snapshot_take (Snapshot *s, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != s->looked_up))
    snapshot_look_up (s, e->source);
  s->date = e->date;
  s->source = e->source;
  if (e->kind != s->kind || s->file_field == TRACE_NONE)
    return false;
  TraceValue file = trace_value (e, s->file_field),
             number = s->number_field != TRACE_NONE ? trace_value (e, s->number_field) : (TraceValue){ 0 };
  if (file.kind != TRACE_VALUE_TEXT)
    return false;
  g_free (s->file);
  s->file = g_strdup (file.text);
  s->number = number.i;
  return true;
}

void
snapshot_clear (Snapshot *s)
{
  g_free (s->file);
  g_clear_pointer (&s->tasks, g_hash_table_unref);
  *s = (Snapshot){ .date = INT64_MIN, .kind = TRACE_NONE };
}

void
snapshot_save (EveComponent *c, const Snapshot *s, EveBlob *to)
{
  eve_put_text (to, s->file ? s->file : "");
  eve_put_int (to, s->date);
  eve_put_int (to, s->number);
  trace_put_source (eve_program (c), s->source, to);
}

bool
snapshot_load (EveComponent *c, Snapshot *s, EveBlobView *from)
{
  snapshot_clear (s);
  const char *file = eve_get_text (from);
  s->file = file && *file ? g_strdup (file) : NULL;
  s->date = eve_get_int (from);
  s->number = eve_get_int (from);
  s->source = trace_get_source (eve_program (c), from);
  return eve_get_ok (from);
}

#define PROGRESS_US (G_USEC_PER_SEC / 10)

static bool
snapshot_on_progress (void *arg, const char *doing, double share)
{
  SnapshotWatch *w = arg;
  int64_t now = g_get_monotonic_time ();

  if (now - w->told < PROGRESS_US)
    return true;
  w->told = now;
  return eve_progress (w->c, doing, share);
}

void
snapshot_watch (SnapshotWatch *w, EveComponent *c)
{
  *w = (SnapshotWatch){ c, g_get_monotonic_time (), { snapshot_on_progress, w } };
}

HeapGraph *
snapshot_graph (EveComponent *c, const Snapshot *s, const char *file, bool retained, bool *cancelled)
{
  const TraceSource *source = file ? trace_source (s->source) : NULL;
  g_autoptr (GError) error = NULL;
  SnapshotWatch watch;

  *cancelled = false;
  if (!source)
    return NULL;
  snapshot_watch (&watch, c);
  g_autofree char *path = g_build_filename (source->path, file, NULL);
  HeapGraph *h = heap_share (path, source->path, retained, &watch.progress, &error);
  *cancelled = g_error_matches (error, TRACE_ERROR, TRACE_ERROR_CANCELLED);
  if (*cancelled)
    eve_warn (c, _ ("reading %s was cancelled: go to another instant and back for it"), file);
  else if (error)
    eve_warn (c, "%s", error->message);
  if (h && h->not_used)
    eve_warn (c, "%s: %s", file, h->not_used);
  if (h)
    g_clear_pointer (&h->not_used, g_free); /* once is enough */
  return h;
}

/* ---- whom rows are of -------------------------------------------------------------------------------------------------------- */

TraceRef
snapshot_ref (Snapshot *s, const char *entity, const char *name)
{
  const TraceSource *source = trace_source (s->source);
  g_autofree char *key = g_strdup_printf ("%s\t%s", entity, name);

  if (source && (!s->tasks || s->looked_up != s->source)) {
    snapshot_look_up (s, s->source);
    s->tasks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t i = 0; i < source->tasks->len; i++) {
      const TraceTask *t = source->tasks->pdata[i];
      const TraceType *type = t->type < source->types->len ? source->types->pdata[t->type] : NULL;
      if (type && t->id)
        g_hash_table_insert (s->tasks, g_strdup_printf ("%s\t%s", type->name, t->id), GUINT_TO_POINTER (i + 1));
    }
  }
  guint task = s->tasks ? GPOINTER_TO_UINT (g_hash_table_lookup (s->tasks, key)) : 0;
  return task > 0 ? trace_ref_task (s->source, task - 1) : trace_ref_value (entity, name);
}

TraceRef
snapshot_class_ref (Snapshot *s, const char *name)
{
  return snapshot_ref (s, "Class", name);
}

TraceRef
snapshot_block_ref (const Snapshot *s, uint32_t block)
{
  char name[64];

  g_snprintf (name, sizeof name, "#%u of %" G_GINT64_FORMAT, block, s->number);
  return trace_ref_value ("Block", name);
}

void
snapshot_set_owner (StatsTable *t, uint32_t row, Snapshot *s, const HeapGraph *h, uint32_t node, bool alone)
{
  if (node < h->n_blocks)
    stats_table_set_owner (t, row, snapshot_class_ref (s, heap_node_name (h, node)),
                           alone ? snapshot_block_ref (s, node) : (TraceRef){ 0 });
}

/* ---- what is selected ---------------------------------------------------------------------------------------------------------- */

/* "#17 of 3" */
static bool
snapshot_read_block (const char *text, SnapshotChoice *to)
{
  char *end;

  if (*text != '#' || !g_ascii_isdigit (text[1]))
    return false;
  guint64 block = g_ascii_strtoull (text + 1, &end, 10);
  if (block >= TRACE_NONE || !g_str_has_prefix (end, " of ") || !g_ascii_isdigit (end[4]))
    return false;
  to->block = (uint32_t) block;
  to->number = (int64_t) MIN (g_ascii_strtoull (end + 4, NULL, 10), INT64_MAX);
  return true;
}

const char *
snapshot_named (TraceRef r, const char *entity)
{
  const char *attribute = NULL, *name = trace_ref_named_by (r, &attribute);
  const TraceSource *source = r.type == TRACE_REF_TASK ? trace_source (r.source) : NULL;

  if (r.type == TRACE_REF_VALUE)
    return attribute && g_str_equal (attribute, entity) ? name : NULL;
  if (!source || r.id >= source->tasks->len)
    return NULL;
  const TraceTask *t = source->tasks->pdata[r.id];
  const TraceType *type = t->type < source->types->len ? source->types->pdata[t->type] : NULL;
  return type && g_str_equal (type->name, entity) ? t->id : NULL;
}

bool
snapshot_choose (SnapshotChoice *choice, const TraceRefs *selection)
{
  SnapshotChoice now = { .block = TRACE_NONE };

  for (uint32_t i = trace_refs_n (selection); i-- > 0 && !now.class;) {
    TraceRef r = trace_refs_at (selection, i);
    const char *attribute = NULL, *name = trace_ref_named_by (r, &attribute);
    if (now.block == TRACE_NONE && r.type == TRACE_REF_VALUE && attribute && g_str_equal (attribute, "Block"))
      snapshot_read_block (name, &now);
    else
      now.class = g_strdup (snapshot_named (r, "Class"));
  }
  bool other = g_strcmp0 (now.class, choice->class) != 0 || now.block != choice->block || now.number != choice->number;
  g_free (choice->class);
  *choice = now;
  return other;
}

void
snapshot_choice_clear (SnapshotChoice *choice)
{
  g_free (choice->class);
  *choice = (SnapshotChoice){ .block = TRACE_NONE };
}

/* ---- components whose outputs are made of one snapshot -------------------------------------------------------------------- */

void
snapshot_begin (EveComponent *c, const SnapshotMaker *maker)
{
  SnapshotBase *self = (SnapshotBase *) c;

  self->maker = maker;
  snapshot_clear (&self->last);
  heap_share_join ();
}

void
snapshot_forget (SnapshotBase *self)
{
  for (uint32_t i = 0; i < self->maker->n_outs; i++) {
    stats_unref (self->maker->outs[i].type, self->things[i]);
    self->things[i] = NULL;
  }
  g_clear_pointer (&self->shown, g_free);
}

void
snapshot_reset (EveComponent *c)
{
  SnapshotBase *self = (SnapshotBase *) c;

  snapshot_clear (&self->last);
  snapshot_forget (self);
}

void
snapshot_finish (EveComponent *c)
{
  snapshot_reset (c);
  heap_share_leave ();
}

static void
snapshot_make (SnapshotBase *self)
{
  const SnapshotMaker *m = self->maker;
  EveComponent *c = (EveComponent *) self;
  bool cancelled = false, wanted = !m->wants || m->wants (c);
  HeapGraph *h = wanted ? snapshot_graph (c, &self->last, self->last.file, m->retained, &cancelled) : NULL;

  snapshot_forget (self);
  self->shown = cancelled ? NULL : g_strdup (self->last.file); /* it is asked for again where it is looked at again */
  if (wanted && !h)
    return;
  m->make (c, h);
  for (uint32_t i = 0; i < m->n_outs; i++) {
    StatsTable *t = m->outs[i].type == &stats_type_table ? self->things[i] : NULL;
    StatsMatrix *x = m->outs[i].type == &stats_type_matrix ? self->things[i] : NULL;
    if (t) {
      t->date = self->last.date;
      t->source = self->last.source;
    } else if (x) {
      x->date = self->last.date;
      x->source = self->last.source;
    }
  }
}

void
snapshot_ready (SnapshotBase *self)
{
  if (self->last.file && trace_source (self->last.source) && g_strcmp0 (self->shown, self->last.file) != 0)
    snapshot_make (self);
}

bool
snapshot_at_end (EveComponent *c)
{
  SnapshotBase *self = (SnapshotBase *) c;

  snapshot_ready (self);
  for (uint32_t i = 0; i < self->maker->n_outs; i++) {
    void *thing = self->things[i];
    if (!thing || !eve_out_connected (self->base.out[i]))
      continue;
    stats_ref (self->maker->outs[i].type, thing);
    eve_emit_steal (self->base.out[i], &thing);
  }
  return true;
}

bool
snapshot_at_rest (EveComponent *c, int64_t now)
{
  return snapshot_at_end (c);
}

void
snapshot_fire (EveComponent *c)
{
  SnapshotBase *self = (SnapshotBase *) c;

  snapshot_take (&self->last, eve_take (self->base.in[0]));
}

void
snapshot_fire_span (EveComponent *c, uint32_t n)
{
  SnapshotBase *self = (SnapshotBase *) c;
  const TraceEvent *e = eve_take_span (self->base.in[0], n);

  for (uint32_t i = 0; i < n; i++)
    snapshot_take (&self->last, &e[i]);
}

bool
snapshot_changed (EveComponent *c, uint32_t setting)
{
  snapshot_forget ((SnapshotBase *) c);
  return true;
}

void
snapshot_save_base (EveComponent *c, EveBlob *to)
{
  snapshot_save (c, &((const SnapshotBase *) c)->last, to);
}

bool
snapshot_load_base (EveComponent *c, EveBlobView *from)
{
  return snapshot_load (c, &((SnapshotBase *) c)->last, from);
}

StatsTable *
snapshot_sentence (const StatsColumn *columns, uint32_t n, const char *title, const char *why)
{
  StatsTable *t = stats_table_new (title, columns, n, 1);

  stats_table_set_text (t, 0, 0, why);
  for (uint32_t i = 1; i < n; i++)
    if (g_str_equal (columns[i].name, "depth"))
      stats_cell (t, 0, i)->whole = 0;
  return t;
}
