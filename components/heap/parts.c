/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - in what the live memory is parted, over heap snapshots: by class, root or place, in words, bytes or blocks,
 * as dated numbers for a curve. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "eve/words.h"
#include "readers/reader.h"
#include "statistics/graph.h"
#include "statistics/types.h"

enum { IN_WORDS, IN_BYTES, IN_BLOCKS };
static const char *const units[] = { "words", "bytes", "blocks", NULL };
static const char *const ways[] = {
  "class", "module of the type", "root", "place", "function", "module", "shape", NULL
};
/* By each: what the entities of the trace are called, and their numbers. */
static const struct {
  const char *entity, *words, *blocks;
} parts[] = {
  { "Class", "words", "blocks" },
  { "Types", "words of types", "blocks of types" },
  { "Root", "kept words", "kept blocks" },
  { "Site", "allocated words", "allocated blocks" },
  { "Function", "words by function", "blocks by function" },
  { "Module", "words by module", "blocks by module" },
  { "Shape", "words of a shape", "blocks of a shape" },
};

typedef struct Parts {
  EveBase base;
  int32_t by, in; /* settings */
  double word;    /* bytes of it, as the last snapshot says */
  /* of a source, looked up once */
  uint16_t known;
  uint32_t set, shot, word_field, object; /* TRACE_NONE: it has none */
} Parts;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of a reader of heap snapshots." },
};
static const EveOutSpec outs[] = {
  { "dated", &stats_type_datum, .doc = "How large each part is, at each snapshot at which it has become another." },
};
enum { BY, IN };
static const EveField settings[] = {
  [BY] = { "by", EVE_F_CHOICE, offsetof (Parts, by), .choices = ways,
           .doc = "What lives, by class of blocks, or the module that declares their type; by the root that alone "
                  "keeps it; or, as sampling estimates it, by the place, the function or the module that allocated "
                  "it; or by the shape of blocks, which is what their heads tell." },
  [IN] = { "in", EVE_F_CHOICE, offsetof (Parts, in), .choices = units, .doc = "In what it is counted." },
};
static const EveField state[] = {
  { "word", EVE_F_DOUBLE, offsetof (Parts, word) },
};

static void
heap_parts_look_up (Parts *self, uint16_t number)
{
  const TraceSource *s = trace_source (number);
  const char *name = self->in == IN_BLOCKS ? parts[self->by].blocks : parts[self->by].words;
  uint32_t entity = TRACE_NONE;

  self->known = number;
  self->set = self->shot = self->word_field = self->object = TRACE_NONE;
  for (uint32_t k = 0; s && k < s->n_kinds; k++) {
    if (s->kinds[k].acts & TRACE_ACT_SET)
      self->set = k;
    if (!g_str_equal (s->kinds[k].name, "Snapshot"))
      continue;
    self->shot = k;
    for (uint32_t f = 0; f < s->kinds[k].n_fields; f++)
      if (g_str_equal (s->kinds[k].fields[f].name, "word"))
        self->word_field = f;
  }
  for (uint32_t i = 0; s && i < s->types->len; i++) {
    const TraceType *t = s->types->pdata[i];
    if (t->kind == TRACE_ENTITY && g_str_equal (t->name, parts[self->by].entity))
      entity = i;
    else if (t->kind == TRACE_VARIABLE && entity != TRACE_NONE && t->parent == entity && g_str_equal (t->name, name))
      self->object = t->object;
  }
}

static void
heap_parts_step (Parts *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->known))
    heap_parts_look_up (self, e->source);
  if (e->kind == self->shot && self->word_field != TRACE_NONE) {
    TraceValue word = trace_value (e, self->word_field);
    self->word = word.kind == TRACE_VALUE_INT && word.i > 0 ? (double) word.i : 8;
  } else if (e->kind == self->set && e->object == self->object && self->object != TRACE_NONE) {
    double n = e->flags & TRACE_REAL ? e->real : (double) e->size;
    eve_emit (self->base.out[0], &(StatsDatum){ .date = e->date,
                                                .value.real = self->in == IN_BYTES ? n * self->word : n,
                                                .unit = g_intern_static_string (self->in == IN_BYTES    ? "B"
                                                                                : self->in == IN_BLOCKS ? "blocks"
                                                                                                        : "words"),
                                                .owner = e->task,
                                                .source = e->source,
                                                .owner_kind = STATS_OF_TASK });
  }
}

static void
heap_parts_fire (EveComponent *c)
{
  heap_parts_step ((Parts *) c, eve_take (eve_base (c)->in[0]));
}

static void
heap_parts_reset (EveComponent *c)
{
  ((Parts *) c)->known = 0;
  ((Parts *) c)->word = 8;
}

static bool
heap_parts_init (EveComponent *c)
{
  heap_parts_reset (c);
  ((Parts *) c)->set = ((Parts *) c)->shot = ((Parts *) c)->object = TRACE_NONE;
  return true;
}

static bool
heap_parts_changed (EveComponent *c, uint32_t setting)
{
  ((Parts *) c)->known = 0;
  return true;
}

static const EveClass heap_parts = {
  EVE_CLASS_HEAD,
  .id = "scope.heap-parts",
  .label = "Memory by Part",
  .category = "Analysis",
  .version = 1,
  .doc = "How much of the memory lives, over heap snapshots, by class, root, shape, place, function or module.",
  .help =
      "Connect the events of a reader of heap snapshots, and `dated` to a Curve (*join*: stacked).  A part is a task "
      "of "
      "the trace: what is selected in the curve is selected everywhere.\n\n"
      "*by* class, *by* root and *by* shape sum up to all that lives.  By place, function and module they are "
      "estimates of what "
      "was "
      "sampled (`scope heap run --rate`): nothing where there were no samples.  The module of a type is that which "
      "declares it, or of a function the one that it is of; what is built in, or known by its shape alone, is of no "
      "module.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Parts),
  .init = heap_parts_init,
  .reset = heap_parts_reset,
  .changed = heap_parts_changed,
  .fire = heap_parts_fire,
};
EVE_PLUGIN (&heap_parts);
