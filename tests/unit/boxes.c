/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/boxes.h"

#define CLASS(name_, type_, label_)                                                                                    \
  EVE_CLASS_HEAD, .id = "test." name_, .label = label_, .category = "Tests", .doc = "A box for tests.", .version = 1,  \
                  .instance_size = sizeof (type_)
#define INS(table) .ins = table, .n_ins = EVE_N (table)
#define OUTS(table) .outs = table, .n_outs = EVE_N (table)
#define SETTINGS(table) .settings = table, .n_settings = EVE_N (table)
#define STATE(table) .state = table, .n_state = EVE_N (table)
#define INT(name_, type_, member, def_)                                                                                \
  {                                                                                                                    \
    name_, EVE_F_INT64, offsetof (type_, member), .def = def_, .doc = "A number."                                      \
  }

/* 0 if the input is not connected. */
static int64_t
take_int (EveComponent *c, uint32_t in)
{
  const int64_t *v = eve_take (eve_base (c)->in[in]);

  return v ? *v : 0;
}

static bool
emit_int (EveComponent *c, uint32_t out, int64_t v)
{
  return eve_emit (eve_base (c)->out[out], &v);
}

static const EveInSpec in_int[] = { { "in", &eve_type_int64, .doc = "Number." } };
static const EveOutSpec out_int[] = { { "out", &eve_type_int64, .doc = "Number." } };

/* ---- source ---- */
typedef struct Source {
  EveBase base;
  int64_t first, count, at;
} Source;

static EveSupply
source_produce (EveComponent *c, uint32_t max)
{
  Source *self = (Source *) c;

  for (; max && self->at < self->count; max--, self->at++)
    if (!emit_int (c, 0, self->first + self->at))
      break;
  return self->at < self->count ? EVE_MORE : EVE_END;
}

static const EveField source_settings[] = { INT ("first", Source, first, 0), INT ("count", Source, count, 10) };
static const EveField source_state[] = { INT ("at", Source, at, 0) };
const EveClass box_source = { CLASS ("source", Source, "Source"), OUTS (out_int), SETTINGS (source_settings),
                              STATE (source_state), .produce = source_produce };

/* ---- sink ---- */
typedef struct Sink {
  EveBase base;
  int64_t count, hash;
  GArray *log;
} Sink;

static bool
sink_init (EveComponent *c)
{
  ((Sink *) c)->log = g_array_new (FALSE, FALSE, sizeof (int64_t));
  return true;
}

static void
sink_finish (EveComponent *c)
{
  g_array_unref (((Sink *) c)->log);
}

static void
sink_reset (EveComponent *c)
{
  g_array_set_size (((Sink *) c)->log, 0);
}

static void
sink_fire (EveComponent *c)
{
  Sink *self = (Sink *) c;
  int64_t v = take_int (c, 0);

  self->count++;
  self->hash = (int64_t) (((uint64_t) self->hash ^ (uint64_t) v) * 1099511628211u);
  g_array_append_val (self->log, v);
}

static const EveField sink_state[] = { INT ("count", Sink, count, 0), INT ("hash", Sink, hash, 0) };
const EveClass box_sink = { CLASS ("sink", Sink, "Sink"), INS (in_int),        STATE (sink_state), .init = sink_init,
                            .finish = sink_finish,        .reset = sink_reset, .fire = sink_fire };

/* ---- one in, one out ---- */
typedef struct Plain {
  EveBase base;
  int64_t n;
  bool open;
  EveComponent *proxy;
} Plain;

static void
pass_fire (EveComponent *c)
{
  emit_int (c, 0, take_int (c, 0));
}

static void
pass_span (EveComponent *c, uint32_t n)
{
  const int64_t *v = eve_take_span (eve_base (c)->in[0], n);

  for (uint32_t i = 0; v && i < n; i++)
    emit_int (c, 0, v[i]);
}

static const EveOutSpec out_tiny[] = { { "out", &eve_type_int64, .capacity = 1, .fixed = true, .doc = "Number." } };
static const EveOutSpec out_small[] = { { "out", &eve_type_int64, .capacity = 1, .doc = "Number." } };
const EveClass box_pass = { CLASS ("pass", Plain, "Pass"), INS (in_int), OUTS (out_int), .fire = pass_fire,
                            .fire_span = pass_span };
const EveClass box_tiny = { CLASS ("tiny", Plain, "Tiny"), INS (in_int), OUTS (out_tiny), .fire = pass_fire };
const EveClass box_small = { CLASS ("small", Plain, "Small"), INS (in_int), OUTS (out_small), .fire = pass_fire };

static void
twice_fire (EveComponent *c)
{
  int64_t v = take_int (c, 0);

  emit_int (c, 0, v);
  emit_int (c, 0, v);
}

static const EveOutSpec out_twice[] = { { "out", &eve_type_int64, .per_fire = 2, .doc = "Number." } };
const EveClass box_twice = { CLASS ("twice", Plain, "Twice"), INS (in_int), OUTS (out_twice), .fire = twice_fire };

static void
every_fire (EveComponent *c)
{
  int64_t v = take_int (c, 0);

  if (v % ((Plain *) c)->n == 0)
    emit_int (c, 0, v);
}

static const EveField every_settings[] = { { "n", EVE_F_INT64, offsetof (Plain, n), .min = 1, .max = 1000000, .def = 2,
                                             .doc = "Divisor." } };
const EveClass box_every = { CLASS ("every", Plain, "Every"), INS (in_int), OUTS (out_int), SETTINGS (every_settings),
                             .fire = every_fire };

static void
echo_datum (EveComponent *c, EveIn *in, const void *datum)
{
  emit_int (c, 0, *(const int64_t *) datum + 1);
}

static const EveInSpec in_echo[] = { { "in", &eve_type_int64, EVE_ASYNC, .on_datum = echo_datum, .doc = "Number." } };
const EveClass box_echo = { CLASS ("echo", Plain, "Echo"), INS (in_echo), OUTS (out_int) };

static EveComponent *
gate_can_fire (EveComponent *c)
{
  return ((Plain *) c)->open ? c : NULL;
}

static const EveField gate_settings[] = { { "open", EVE_F_BOOL, offsetof (Plain, open), .def = 1,
                                            .doc = "Lets data through." } };
const EveClass box_gate = { CLASS ("gate", Plain, "Gate"), INS (in_int),     OUTS (out_int), SETTINGS (gate_settings),
                            .can_fire = gate_can_fire,     .fire = pass_fire };

static bool
proxy_init (EveComponent *c)
{
  ((Plain *) c)->proxy = c;
  return true;
}

static EveComponent *
proxy_can_fire (EveComponent *c)
{
  return ((Plain *) c)->proxy;
}

const EveClass box_proxy = { CLASS ("proxy", Plain, "Proxy"), INS (in_int),     OUTS (out_int), .init = proxy_init,
                             .can_fire = proxy_can_fire,      .fire = pass_fire };

typedef struct Scale {
  EveBase base;
  int64_t by, fired;
} Scale;

static void
scale_fire (EveComponent *c)
{
  Scale *self = (Scale *) c;

  emit_int (c, 0, (int64_t) ((uint64_t) take_int (c, 0) * (uint64_t) self->by + (uint64_t) ++self->fired));
}

static const EveField scale_settings[] = { INT ("by", Scale, by, 1000) };
static const EveField scale_state[] = { INT ("fired", Scale, fired, 0) };
const EveClass box_scale = { CLASS ("scale", Scale, "Scale"), INS (in_int),        OUTS (out_int),
                             SETTINGS (scale_settings),       STATE (scale_state), .fire = scale_fire };

static void
fuse_fire (EveComponent *c)
{
  int64_t v = take_int (c, 0);

  if (v == ((Plain *) c)->n) {
    eve_fail (c, "the wire melted at %d", (int) v);
    eve_fail (c, "cannot pass the number on");
    return;
  }
  emit_int (c, 0, v);
}

static const EveField fuse_settings[] = { INT ("at", Plain, n, -1) };
const EveClass box_fuse = { CLASS ("fuse", Plain, "Fuse"), INS (in_int), OUTS (out_int), SETTINGS (fuse_settings),
                            .fire = fuse_fire };

static void
greedy_fire (EveComponent *c)
{
  int64_t v = take_int (c, 0);

  for (int i = 0; i < 3; i++)
    ((Plain *) c)->n += !emit_int (c, 0, v);
}

const EveClass box_greedy = { CLASS ("greedy", Plain, "Greedy"), INS (in_int), OUTS (out_tiny), .fire = greedy_fire };

static void
rude_fire (EveComponent *c)
{
}

const EveClass box_rude = { CLASS ("rude", Plain, "Rude"), INS (in_int), .fire = rude_fire };

static void
ender_fire (EveComponent *c)
{
  ((Plain *) c)->n = (int64_t) ((uint64_t) ((Plain *) c)->n + (uint64_t) take_int (c, 0));
}

static bool
ender_at_end (EveComponent *c)
{
  emit_int (c, 0, ((Plain *) c)->n);
  return true;
}

static const EveField plain_state[] = { INT ("n", Plain, n, 0) };
const EveClass box_ender = {
  CLASS ("ender", Plain, "Ender"), INS (in_int), OUTS (out_int), STATE (plain_state), .fire = ender_fire,
  .at_end = ender_at_end
};

static const EveOutSpec out_large[] = { { "out", &eve_type_int64, .capacity = 1 << 15, .doc = "Number." } };
const EveClass box_caller = { CLASS ("caller", Plain, "Caller"), OUTS (out_large) };

/* Without room it tries again later, behind what was posted meanwhile. */
static void
call_now (EveComponent *c, void *arg)
{
  if (emit_int (c, 0, *(int64_t *) arg))
    g_free (arg);
  else
    eve_post (c, call_now, arg, g_free);
}

void
box_call (EveComponent *caller, int64_t value)
{
  eve_post (caller, call_now, g_memdup2 (&value, sizeof value), g_free);
}

/* ---- several ports ---- */
static void
add_fire (EveComponent *c)
{
  emit_int (c, 0, (int64_t) ((uint64_t) take_int (c, 0) + (uint64_t) take_int (c, 1)));
}

static const EveInSpec in_two[] = { { "a", &eve_type_int64, .doc = "Number." },
                                    { "b", &eve_type_int64, .doc = "Number." } };
const EveClass box_add = { CLASS ("add", Plain, "Add"), INS (in_two), OUTS (out_int), .fire = add_fire };

static void
needy_fire (EveComponent *c)
{
  emit_int (c, 0, take_int (c, 0));
  eve_take (eve_base (c)->in[1]);
}

static const EveInSpec in_needy[] = { { "a", &eve_type_int64, .doc = "Number." },
                                      { "b", &eve_type_int64, .required = true, .doc = "Number." } };
const EveClass box_needy = { CLASS ("needy", Plain, "Needy"), INS (in_needy), OUTS (out_int), .fire = needy_fire };

static void
split_fire (EveComponent *c)
{
  int64_t v = take_int (c, 0);

  emit_int (c, v & 1 ? 1 : 0, v);
}

static const EveOutSpec out_split[] = { { "even", &eve_type_int64, .doc = "Number." },
                                        { "odd", &eve_type_int64, .doc = "Number." } };
const EveClass box_split = { CLASS ("split", Plain, "Split"), INS (in_int), OUTS (out_split), .fire = split_fire };

static void
hold_gain (EveComponent *c, EveIn *in, const void *datum)
{
  ((Plain *) c)->n = *(const int64_t *) datum;
}

static void
hold_fire (EveComponent *c)
{
  emit_int (c, 0, (int64_t) ((uint64_t) take_int (c, 0) * (uint64_t) ((Plain *) c)->n));
}

static const EveInSpec in_hold[] = { { "value", &eve_type_int64, .doc = "Number." },
                                     { "gain", &eve_type_int64, EVE_ASYNC, EVE_CONTROL, hold_gain, .quiet = true,
                                       .doc = "Number." } };
static const EveField hold_state[] = { INT ("gain", Plain, n, 1) };
const EveClass box_hold = { CLASS ("hold", Plain, "Hold"), INS (in_hold), OUTS (out_int), STATE (hold_state),
                            .fire = hold_fire };

static void
turn (EveComponent *c, int64_t v)
{
  if (v > 0)
    emit_int (c, 0, v - 1);
  else
    emit_int (c, 1, 0);
}

static void
loop_fire (EveComponent *c)
{
  turn (c, take_int (c, 0));
}

static void
loop_datum (EveComponent *c, EveIn *in, const void *datum)
{
  turn (c, *(const int64_t *) datum);
}

static const EveOutSpec out_loop[] = { { "again", &eve_type_int64, .doc = "Number." },
                                       { "done", &eve_type_int64, .doc = "Number." } };
static const EveInSpec in_echo_loop[] = { { "in", &eve_type_int64, EVE_ASYNC, .on_datum = loop_datum,
                                            .doc = "Number." } };
const EveClass box_loop = { CLASS ("loop", Plain, "Loop"), INS (in_int), OUTS (out_loop), .fire = loop_fire };
const EveClass box_echo_loop = { CLASS ("echo-loop", Plain, "Echo loop"), INS (in_echo_loop), OUTS (out_loop) };

/* ---- types ---- */
static void
any_fire (EveComponent *c)
{
  eve_emit (eve_base (c)->out[0], eve_take (eve_base (c)->in[0]));
}

static const EveInSpec in_any[] = { { "in", NULL, .doc = "Anything." } };
static const EveOutSpec out_any[] = { { "out", NULL, .doc = "The same." } };
const EveClass box_any = { CLASS ("any", Plain, "Any"), INS (in_any), OUTS (out_any), .fire = any_fire };

static void
count_fire (EveComponent *c)
{
  ((Plain *) c)->n += eve_take (eve_base (c)->in[0]) != NULL;
}

const EveClass box_any_sink = { CLASS ("any-sink", Plain, "Any sink"), INS (in_any), STATE (plain_state),
                                .fire = count_fire };
static const EveInSpec in_pulse[] = { { "in", &eve_type_pulse, .doc = "Anything." } };
const EveClass box_pulse = { CLASS ("pulse", Plain, "Pulse"), INS (in_pulse), STATE (plain_state), .fire = count_fire };

typedef struct Number {
  EveBase base;
  double sum;
} Number;

static void
number_fire (EveComponent *c)
{
  ((Number *) c)->sum += *(const double *) eve_take (eve_base (c)->in[0]);
}

static const EveInSpec in_number[] = { { "in", &eve_type_double, .doc = "Number." } };
static const EveField number_state[] = { { "sum", EVE_F_DOUBLE, offsetof (Number, sum), .doc = "Sum." } };
const EveClass box_number = { CLASS ("number", Number, "Number"), INS (in_number), STATE (number_state),
                              .fire = number_fire };

static EveSupply
text_produce (EveComponent *c, uint32_t max)
{
  Source *self = (Source *) c;

  for (; max && self->at < self->count; max--, self->at++) {
    g_autofree char *plain = g_strdup_printf ("text %d", (int) self->at);
    char *text = g_ref_string_new (plain);

    eve_emit_steal (self->base.out[0], &text);
  }
  return self->at < self->count ? EVE_MORE : EVE_END;
}

static const EveOutSpec out_text[] = { { "out", &eve_type_text, .doc = "Text." } };
const EveClass box_text = { CLASS ("text", Source, "Text"), OUTS (out_text), SETTINGS (source_settings),
                            STATE (source_state), .produce = text_produce };

static const char *
picky_refuse (EveComponent *c, const EveInSpec *in, const EveOutSpec *out, const EveType *other)
{
  return other == &eve_type_int64 ? NULL : "Only whole numbers are welcome here.";
}

const EveClass box_picky = { CLASS ("picky", Plain, "Picky"), INS (in_any), .refuse = picky_refuse,
                             .fire = count_fire };

/* ---- counted things ---- */
typedef struct Thing {
  int refs;
  int64_t value;
} Thing;

int64_t box_things_alive, box_thing_refs;

static void
thing_retain (void *slot)
{
  Thing *t = *(Thing **) slot;

  g_assert_cmpint (t->refs, >, 0);
  t->refs++;
  box_thing_refs++;
}

static void
thing_release (void *slot)
{
  Thing *t = *(Thing **) slot;

  g_assert_cmpint (t->refs, >, 0);
  box_thing_refs--;
  if (--t->refs == 0) {
    box_things_alive--;
    g_free (t);
  }
}

static Thing *
thing_new (int64_t value)
{
  Thing *t = g_new (Thing, 1);

  t->refs = 1;
  t->value = value;
  box_things_alive++;
  box_thing_refs++;
  return t;
}

static void
thing_print (const void *slot, char *buf, size_t n)
{
  g_snprintf (buf, n, "thing %d", (int) (*(Thing *const *) slot)->value);
}

static void
thing_sample (void *slot, uint64_t n)
{
  *(Thing **) slot = thing_new ((int64_t) n);
}

static void
thing_save (EveProgram *p, const void *slot, EveBlob *to)
{
  eve_put_int (to, (*(Thing *const *) slot)->value);
}

static bool
thing_load (EveProgram *p, void *slot, EveBlobView *from)
{
  int64_t v = eve_get_int (from);

  if (!eve_get_ok (from))
    return false;
  *(Thing **) slot = thing_new (v);
  return true;
}

const EveType box_type_thing = { .name = "thing",
                                 .size = sizeof (Thing *),
                                 .align = _Alignof(Thing *),
                                 .colour = 0x808080,
                                 .retain = thing_retain,
                                 .release = thing_release,
                                 .print = thing_print,
                                 .sample = thing_sample,
                                 .save = thing_save,
                                 .load = thing_load };

static EveSupply
things_produce (EveComponent *c, uint32_t max)
{
  Source *self = (Source *) c;

  for (; max && self->at < self->count; max--, self->at++) {
    Thing *t = thing_new (self->first + self->at);

    eve_emit_steal (self->base.out[0], &t);
  }
  return self->at < self->count ? EVE_MORE : EVE_END;
}

static const EveInSpec in_thing[] = { { "in", &box_type_thing, .doc = "Thing." } };
static const EveOutSpec out_thing[] = { { "out", &box_type_thing, .capacity = 4, .doc = "Thing." } };
const EveClass box_things = { CLASS ("things", Source, "Things"), OUTS (out_thing), SETTINGS (source_settings),
                              STATE (source_state), .produce = things_produce };

static void
thing_fire (EveComponent *c)
{
  Thing *t = *(Thing *const *) eve_take (eve_base (c)->in[0]);

  if (t->value % 2 == 0)
    eve_emit (eve_base (c)->out[0], &t);
  else { /* a thing of its own, handed over */
    t = thing_new (t->value);
    eve_emit_steal (eve_base (c)->out[0], &t);
  }
}

const EveClass box_thing_pass = { CLASS ("thing-pass", Plain, "Thing pass"), INS (in_thing), OUTS (out_thing),
                                  .fire = thing_fire };

static void
thing_sum (EveComponent *c)
{
  ((Plain *) c)->n += (*(Thing *const *) eve_take (eve_base (c)->in[0]))->value;
}

const EveClass box_thing_sink = { CLASS ("thing-sink", Plain, "Thing sink"), INS (in_thing), STATE (plain_state),
                                  .fire = thing_sum };

static void
thing_datum (EveComponent *c, EveIn *in, const void *datum)
{
  eve_emit (eve_base (c)->out[0], datum);
}

static const EveInSpec in_thing_echo[] = { { "in", &box_type_thing, EVE_ASYNC, .on_datum = thing_datum,
                                             .doc = "Thing." } };
const EveClass box_thing_echo = { CLASS ("thing-echo", Plain, "Thing echo"), INS (in_thing_echo), OUTS (out_thing) };

/* ---- settings ---- */
typedef struct Settings {
  EveBase base;
  double real;
  int64_t whole;
  bool truth;
  char *text, *file;
  int32_t choice;
  uint32_t changes;
} Settings;

static const char *const colours[] = { "red", "deep blue", "green", NULL };

static bool
settings_changed (EveComponent *c, uint32_t setting)
{
  Settings *self = (Settings *) c;

  self->changes++;
  if (self->whole != 13)
    return true;
  eve_fail (c, "thirteen brings bad luck to this component");
  return false;
}

static void
settings_fire (EveComponent *c)
{
  eve_take (eve_base (c)->in[0]);
}

static const EveField settings_fields[] = {
  { "real", EVE_F_DOUBLE, offsetof (Settings, real), .min = -10, .max = 10, .def = 0.1, .unit = "s", .doc = "Real." },
  { "whole", EVE_F_INT64, offsetof (Settings, whole), .def = 7, .doc = "Whole." },
  { "truth", EVE_F_BOOL, offsetof (Settings, truth), .def = 1, .doc = "Truth." },
  { "text", EVE_F_STRING, offsetof (Settings, text), .def_text = "hello", .doc = "Text." },
  { "choice", EVE_F_CHOICE, offsetof (Settings, choice), .def = 1, .choices = colours, .doc = "Choice." },
  { "file", EVE_F_STRING, offsetof (Settings, file), .path = true, .doc = "File." },
};
const EveClass box_settings = { CLASS ("settings", Settings, "Settings"), INS (in_int), SETTINGS (settings_fields),
                                .changed = settings_changed, .fire = settings_fire };

/* ---- short names ---- */
void
boxes_register (void)
{
  static const EveClass *const classes[] = {
    &box_source,     &box_sink,       &box_pass,       &box_tiny,   &box_small,    &box_add,       &box_split,
    &box_twice,      &box_every,      &box_hold,       &box_echo,   &box_loop,     &box_echo_loop, &box_gate,
    &box_proxy,      &box_scale,      &box_fuse,       &box_greedy, &box_rude,     &box_ender,     &box_any,
    &box_any_sink,   &box_number,     &box_pulse,      &box_text,   &box_picky,    &box_needy,     &box_things,
    &box_thing_pass, &box_thing_sink, &box_thing_echo, &box_caller, &box_settings,
  };

  for (uint32_t i = 0; i < EVE_N (classes); i++) {
    g_autoptr (GError) error = NULL;

    if (!eve_registry_find (classes[i]->id) && !eve_registry_add (classes[i], &error))
      g_error ("%s", error->message);
  }
}

EveComponent *
box (EveProgram *p, const EveClass *klass, const char *name)
{
  g_autoptr (GError) error = NULL;
  EveComponent *c = eve_add (p, klass, name, &error);

  if (c == NULL)
    g_error ("%s", error->message);
  return c;
}

void
wire (EveComponent *from, const char *out, EveComponent *to, const char *in)
{
  g_autoptr (GError) error = NULL;

  if (!eve_connect (eve_program (from), from, out, to, in, &error))
    g_error ("%s", error->message);
}

void
set (EveComponent *c, const char *setting, const char *value)
{
  g_autoptr (GError) error = NULL;

  if (!eve_set (c, setting, value, &error))
    g_error ("%s", error->message);
}

void
set_int (EveComponent *c, const char *setting, int64_t value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  set (c, setting, text);
}

const GArray *
box_log (EveComponent *sink)
{
  return ((Sink *) sink)->log;
}

int64_t
box_logged (EveComponent *sink, guint i)
{
  const GArray *log = box_log (sink);

  g_assert_cmpuint (i, <, log->len);
  return g_array_index (log, int64_t, i);
}

uint64_t
box_count (EveComponent *sink)
{
  return eve_class (sink)->fire == sink_fire ? (uint64_t) ((Sink *) sink)->count : (uint64_t) ((Plain *) sink)->n;
}

uint64_t
box_hash (EveComponent *sink)
{
  return (uint64_t) ((Sink *) sink)->hash;
}

void
box_proxy_for (EveComponent *proxy, EveComponent *other)
{
  ((Plain *) proxy)->proxy = other;
}

uint64_t
box_refused (EveComponent *greedy)
{
  return (uint64_t) ((Plain *) greedy)->n;
}

double
box_sum (EveComponent *number)
{
  return ((Number *) number)->sum;
}

int
box_few (int n)
{
  return g_getenv ("SCOPE_SANITIZED") ? n / 10 : n;
}

void
run_idle (EveProgram *p)
{
  EveRun run = eve_run (p, -1);

  if (run != EVE_IDLE)
    g_error ("the program is %s: %s", run == EVE_STALLED ? "stalled" : "failed",
             run == EVE_STALLED ? eve_program_stall (p) : eve_program_failure (p, NULL));
}
