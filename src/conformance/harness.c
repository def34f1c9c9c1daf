/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include "src/conformance/harness.h"

double harness_patience = 20;

/* ---- a growing array of data of one type
 * ------------------------------------------------------------------------ */
typedef struct Store {
  const EveType *type;
  GByteArray *bytes;
  uint64_t first; /* number of the first datum: > 0 after a run was loaded */
} Store;

static size_t
store_n (const Store *s)
{
  return s->bytes->len / s->type->size;
}

static void
store_cut (Store *s, size_t n)
{
  if (s->type->release)
    for (size_t i = n; i < store_n (s); i++)
      s->type->release (s->bytes->data + i * s->type->size);
  g_byte_array_set_size (s->bytes, (guint) (n * s->type->size));
}

static void
store_add (Store *s, const void *datum)
{
  g_byte_array_append (s->bytes, datum, s->type->size);
  if (s->type->retain)
    s->type->retain (s->bytes->data + s->bytes->len - s->type->size);
}

static Store *
store_new (const EveType *type)
{
  Store *s = g_new0 (Store, 1);

  s->type = type;
  s->bytes = g_byte_array_new ();
  return s;
}

static void
store_free (Store *s)
{
  if (s == NULL)
    return;
  store_cut (s, 0);
  g_byte_array_unref (s->bytes);
  g_free (s);
}

/* ---- sources
 * ------------------------------------------------------------------------------------------------------ */
/* One class a type; it lives as long as the process. */
typedef struct TypeClass {
  EveClass klass;
  EveInSpec in;
  EveOutSpec out;
  EveField field;
} TypeClass;

typedef struct Source {
  EveBase base;
  int64_t at;
  Store *store;
  bool ended;
} Source;

static EveSupply
source_produce (EveComponent *c, uint32_t max)
{
  Source *self = (Source *) c;
  uint64_t n = self->store ? store_n (self->store) : 0;

  if (self->at < 0 || (uint64_t) self->at > n) /* a damaged run state was loaded */
    self->at = (int64_t) n;
  for (; max > 0 && (uint64_t) self->at < n; max--, self->at++)
    if (!eve_emit (self->base.out[0], self->store->bytes->data + (size_t) self->at * self->store->type->size))
      break;
  if ((uint64_t) self->at < n)
    return EVE_MORE;
  return self->ended ? EVE_END : EVE_WAIT;
}

/* What was given last, or will be first, once more: as an analysis that tells its sum. */
static bool
source_at_rest (EveComponent *c, int64_t now)
{
  Source *self = (Source *) c;
  uint64_t n = self->store ? store_n (self->store) : 0, at = (uint64_t) CLAMP (self->at - 1, 0, (int64_t) n - 1);

  if (n)
    eve_emit (self->base.out[0], self->store->bytes->data + (size_t) at * self->store->type->size);
  return true;
}

static const EveClass *
source_class (const EveType *type)
{
  static GHashTable *classes;
  TypeClass *t;

  if (classes == NULL)
    classes = g_hash_table_new (NULL, NULL);
  if ((t = g_hash_table_lookup (classes, type)))
    return &t->klass;
  t = g_new0 (TypeClass, 1);
  t->out = (EveOutSpec){ .name = "out", .type = type, .doc = "What the array holds." };
  t->field = (EveField){ .name = "at", .kind = EVE_F_INT64, .offset = offsetof (Source, at), .doc = "Next." };
  t->klass = (EveClass){ EVE_CLASS_HEAD,
                         .id = "harness.source",
                         .label = "Source",
                         .category = "Tests",
                         .doc = "Gives the data of an array.",
                         .version = 1,
                         .outs = &t->out,
                         .n_outs = 1,
                         .state = &t->field,
                         .n_state = 1,
                         .instance_size = sizeof (Source),
                         .produce = source_produce,
                         .at_rest = source_at_rest };
  g_hash_table_insert (classes, (gpointer) type, t);
  return &t->klass;
}

/* ---- sinks
 * -------------------------------------------------------------------------------------------------------- */
typedef struct Sink {
  EveBase base;
  int64_t count;
  int64_t most;
  Store *store;
} Sink;

/* The engine resets and loads `count`; the array follows. */
static void
sink_follow (Sink *self)
{
  Store *s = self->store;
  uint64_t count = (uint64_t) MAX (self->count, 0);

  if (count >= s->first && count <= s->first + store_n (s)) {
    if (count != s->first + store_n (s))
      store_cut (s, (size_t) (count - s->first));
    return;
  }
  store_cut (s, 0);
  s->first = count;
}

static EveComponent *
sink_can_fire (EveComponent *c)
{
  const Sink *self = (Sink *) c;

  return self->most < 0 || self->count < self->most ? c : NULL;
}

static void
sink_fire (EveComponent *c)
{
  Sink *self = (Sink *) c;
  const void *datum = eve_take (self->base.in[0]);

  if (datum == NULL)
    return;
  sink_follow (self);
  store_add (self->store, datum);
  self->count = (int64_t) (self->store->first + store_n (self->store));
}

static const EveField sink_settings[] = {
  { "most", EVE_F_INT64, offsetof (Sink, most), .def = -1, .doc = "It takes no more than this; -1: no bound." },
};

typedef enum { SINK_OF_ALL, SINK_LIMITED, SINK_PRESENT, N_SINKS } SinkKind;

static const EveClass *
sink_class (const EveType *type, SinkKind kind)
{
  static GHashTable *classes[N_SINKS];
  TypeClass *t;

  if (classes[kind] == NULL)
    classes[kind] = g_hash_table_new (NULL, NULL);
  if ((t = g_hash_table_lookup (classes[kind], type)))
    return &t->klass;
  t = g_new0 (TypeClass, 1);
  t->in = (EveInSpec){
    .name = "in", .type = type, .arrival = EVE_SYNC, .present = kind == SINK_PRESENT, .doc = "What is kept."
  };
  t->field = (EveField){ .name = "count", .kind = EVE_F_INT64, .offset = offsetof (Sink, count), .doc = "Data kept." };
  t->klass = (EveClass){ EVE_CLASS_HEAD,
                         .id = "harness.sink",
                         .label = "Sink",
                         .category = "Tests",
                         .doc = "Keeps data in an array.",
                         .version = 1,
                         .ins = &t->in,
                         .n_ins = 1,
                         .settings = sink_settings,
                         .n_settings = EVE_N (sink_settings),
                         .state = &t->field,
                         .n_state = 1,
                         .instance_size = sizeof (Sink),
                         .can_fire = kind == SINK_LIMITED ? sink_can_fire : NULL,
                         .fire = sink_fire };
  g_hash_table_insert (classes[kind], (gpointer) type, t);
  return &t->klass;
}

/* ---- the harness
 * --------------------------------------------------------------------------------------------------- */
struct Harness {
  EveProgram *program;
  EveComponent *tested;
  Source *sources[EVE_MAX_PORTS];
  Sink *sinks[EVE_MAX_PORTS];
  Store *given[EVE_MAX_PORTS], *kept[EVE_MAX_PORTS]; /* outlive the components */
};

Harness *
harness_try (const EveClass *klass, GError **error)
{
  Harness *h = g_new0 (Harness, 1);

  h->program = eve_program_new ();
  h->tested = eve_add (h->program, klass, "tested", error);
  if (h->tested)
    return h;
  harness_free (h);
  return NULL;
}

Harness *
harness_new (const EveClass *klass)
{
  g_autoptr (GError) error = NULL;
  Harness *h = harness_try (klass, &error);

  if (h == NULL)
    g_error ("harness: %s cannot be added: %s", klass->id, error->message);
  return h;
}

void
harness_free (Harness *h)
{
  if (h == NULL)
    return;
  eve_program_free (h->program);
  for (uint32_t i = 0; i < EVE_MAX_PORTS; i++) {
    store_free (h->given[i]);
    store_free (h->kept[i]);
  }
  g_free (h);
}

EveProgram *
harness_program (Harness *h)
{
  return h->program;
}

EveComponent *
harness_component (Harness *h)
{
  return h->tested;
}

static uint32_t
in_index (Harness *h, const char *in)
{
  int i = eve_class_in (eve_class (h->tested), in);

  if (i < 0)
    g_error ("harness: %s has no input \"%s\"", eve_class_id (h->tested), in);
  return (uint32_t) i;
}

static uint32_t
out_index (Harness *h, const char *out)
{
  int i = eve_class_out (eve_class (h->tested), out);

  if (i < 0)
    g_error ("harness: %s has no output \"%s\"", eve_class_id (h->tested), out);
  return (uint32_t) i;
}

bool
harness_source (Harness *h, const char *in, const EveType *type, GError **error)
{
  uint32_t i = in_index (h, in);
  g_autofree char *name = g_strdup_printf ("source of %s", in);
  EveComponent *c;

  if (h->sources[i])
    return true;
  c = eve_add (h->program, source_class (type), name, error);
  if (c == NULL)
    return false;
  h->given[i] = store_new (type);
  ((Source *) c)->store = h->given[i];
  if (!eve_connect (h->program, c, "out", h->tested, in, error)) {
    eve_remove (h->program, c);
    g_clear_pointer (&h->given[i], store_free);
    return false;
  }
  h->sources[i] = (Source *) c;
  return true;
}

void
harness_feed (Harness *h, const char *in, const EveType *type, const void *data, size_t n)
{
  g_autoptr (GError) error = NULL;
  uint32_t i = in_index (h, in);

  if (!harness_source (h, in, type, &error))
    g_error ("harness: input \"%s\" refuses %s: %s", in, type->name, error->message);
  g_assert (h->given[i]->type == type);
  for (size_t k = 0; k < n; k++)
    store_add (h->given[i], (const uint8_t *) data + k * type->size);
  eve_wake ((EveComponent *) h->sources[i]);
}

EveRun
harness_send (Harness *h, const char *in, const EveType *type, const void *datum)
{
  harness_feed (h, in, type, datum, 1);
  return harness_run (h);
}

void
harness_end (Harness *h, const char *in)
{
  for (uint32_t i = 0; i < EVE_MAX_PORTS; i++)
    if (h->sources[i] && (in == NULL || in_index (h, in) == i)) {
      h->sources[i]->ended = true;
      eve_wake ((EveComponent *) h->sources[i]);
    }
}

static void
harness_add_sink (Harness *h, const char *out, SinkKind kind)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("sink of %s", out);
  uint32_t i = out_index (h, out);
  const EveType *type = eve_out_type (eve_base (h->tested)->out[i]);
  EveComponent *c;

  if (h->sinks[i])
    return;
  if (type == NULL)
    type = &eve_type_double;
  c = eve_add (h->program, sink_class (type, kind), name, &error);
  if (c) {
    h->kept[i] = store_new (type);
    h->sinks[i] = (Sink *) c;
    h->sinks[i]->store = h->kept[i];
    if (eve_connect (h->program, h->tested, out, c, "in", &error))
      return;
  }
  g_error ("harness: output \"%s\" cannot be collected: %s", out, error->message);
}

void
harness_collect (Harness *h, const char *out)
{
  harness_add_sink (h, out, SINK_OF_ALL);
}

void
harness_collect_present (Harness *h, const char *out)
{
  harness_add_sink (h, out, SINK_PRESENT);
}

void
harness_collect_at_most (Harness *h, const char *out, int64_t most)
{
  harness_add_sink (h, out, SINK_LIMITED);
  harness_limit (h, out, most);
}

void
harness_collect_all (Harness *h)
{
  const EveClass *klass = eve_class (h->tested);

  for (uint32_t i = 0; i < klass->n_outs; i++)
    harness_collect (h, klass->outs[i].name);
}

static Sink *
sink_of (Harness *h, const char *out)
{
  Sink *s = h->sinks[out_index (h, out)];

  if (s == NULL)
    g_error ("harness: output \"%s\" is not collected", out);
  sink_follow (s);
  return s;
}

const void *
harness_collected (Harness *h, const char *out, size_t *n)
{
  const Sink *s = sink_of (h, out);

  *n = store_n (s->store);
  return s->store->bytes->data;
}

uint64_t
harness_first (Harness *h, const char *out)
{
  return sink_of (h, out)->store->first;
}

const EveType *
harness_collected_type (Harness *h, const char *out)
{
  return sink_of (h, out)->store->type;
}

void
harness_limit (Harness *h, const char *out, int64_t most)
{
  Sink *s = sink_of (h, out);
  g_autofree char *text = g_strdup_printf ("%" PRId64, most);

  g_assert (eve_class ((EveComponent *) s)->can_fire);
  eve_set ((EveComponent *) s, "most", text, NULL);
}

void
harness_set (Harness *h, const char *setting, const char *value)
{
  g_autoptr (GError) error = NULL;

  if (!eve_set (h->tested, setting, value, &error))
    g_error ("harness: %s", error->message);
}

EveRun
harness_run_in (Harness *h, int64_t slice_ns)
{
  gint64 end_us = g_get_monotonic_time () + (gint64) (harness_patience * 1e6);

  for (;;) {
    EveRun run = eve_run (h->program, slice_ns);

    if (run != EVE_BUDGET || g_get_monotonic_time () > end_us)
      return run;
  }
}

EveRun
harness_run (Harness *h)
{
  return harness_run_in (h, 100 * 1000 * 1000);
}

EveRun
harness_run_random (Harness *h, GRand *rand)
{
  gint64 end_us = g_get_monotonic_time () + (gint64) (harness_patience * 1e6);

  for (;;) {
    EveRun run = eve_run (h->program, g_rand_boolean (rand) ? 0 : g_rand_int_range (rand, 0, 20000));

    if (run != EVE_BUDGET || g_get_monotonic_time () > end_us)
      return run;
  }
}

/* ---- comparing
 * ------------------------------------------------------------------------------------------------------ */
bool
harness_same (const EveType *type, EveProgram *p, const void *a, EveProgram *q, const void *b)
{
  char one[256] = "", two[256] = "";

  if (type->save) {
    EveBlob *of_a = eve_blob_new (), *of_b = eve_blob_new ();
    size_t n_a, n_b;
    const uint8_t *bytes_a, *bytes_b;
    bool same;

    type->save (p, a, of_a);
    type->save (q, b, of_b);
    bytes_a = eve_blob_data (of_a, &n_a);
    bytes_b = eve_blob_data (of_b, &n_b);
    same = n_a == n_b && (n_a == 0 || memcmp (bytes_a, bytes_b, n_a) == 0);
    eve_blob_free (of_a);
    eve_blob_free (of_b);
    return same;
  }
  if (type->retain == NULL)
    return memcmp (a, b, type->size) == 0;
  if (type->print == NULL)
    return true; /* a counted thing that can neither be saved nor printed cannot be compared */
  type->print (a, one, sizeof one);
  type->print (b, two, sizeof two);
  return strcmp (one, two) == 0;
}

static char *
datum_text (const EveType *type, const void *datum)
{
  char text[120] = "";

  if (type->print)
    type->print (datum, text, sizeof text);
  return g_strdup (*text ? text : "a datum without text");
}

char *
harness_difference (Harness *a, Harness *b)
{
  const EveClass *klass = eve_class (a->tested);

  for (uint32_t i = 0; i < klass->n_outs; i++) {
    const char *out = klass->outs[i].name;
    const Store *x, *y;
    uint64_t end_x, end_y;

    if (a->sinks[i] == NULL || b->sinks[i] == NULL)
      continue;
    x = sink_of (a, out)->store;
    y = sink_of (b, out)->store;
    end_x = x->first + store_n (x);
    end_y = y->first + store_n (y);
    for (uint64_t k = MAX (x->first, y->first); k < MIN (end_x, end_y); k++) {
      const void *at_x = x->bytes->data + (k - x->first) * x->type->size;
      const void *at_y = y->bytes->data + (k - y->first) * y->type->size;
      g_autofree char *one = NULL, *two = NULL;

      if (harness_same (x->type, a->program, at_x, b->program, at_y))
        continue;
      one = datum_text (x->type, at_x);
      two = datum_text (y->type, at_y);
      return g_strdup_printf ("Datum %" PRIu64 " of output \"%s\" is %s in one run and %s in the other.", k, out, one,
                              two);
    }
    if (end_x != end_y)
      return g_strdup_printf ("Output \"%s\" gave %" PRIu64 " data in one run and %" PRIu64 " in the other.", out,
                              end_x, end_y);
  }
  return NULL;
}

/* ---- a class whose calls are watched: what they emit is read from the room before and after ---- */
struct HarnessWatch {
  EveClass klass; /* first: eve_class() of a watched component is a HarnessWatch */
  EveInSpec ins[EVE_MAX_PORTS];
  const EveClass *real;
  void (*told) (void *, const char *);
  void *arg;
  bool said;
};

static HarnessWatch *
harness_watch_of (EveComponent *c)
{
  return (HarnessWatch *) eve_class (c);
}

static void
rooms (EveComponent *c, uint32_t room[EVE_MAX_PORTS])
{
  for (uint32_t i = 0; i < eve_class (c)->n_outs; i++)
    room[i] = eve_room (eve_base (c)->out[i]);
}

static void G_GNUC_PRINTF (2, 3) harness_say (HarnessWatch *w, const char *fmt, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (w->said) /* once: it would be said for each datum */
    return;
  w->said = true;
  va_start (args, fmt);
  text = g_strdup_vprintf (fmt, args);
  va_end (args);
  w->told (w->arg, text);
}

/* `allowed` UINT32_MAX: what each output says.  Gives the most that went out at one output. */
static uint32_t
harness_compare (EveComponent *c, const uint32_t before[EVE_MAX_PORTS], const char *call, uint32_t allowed)
{
  HarnessWatch *w = harness_watch_of (c);
  uint32_t after[EVE_MAX_PORTS], most = 0;

  rooms (c, after);
  for (uint32_t i = 0; i < w->real->n_outs; i++) {
    uint32_t n = before[i] > after[i] ? before[i] - after[i] : 0;
    uint32_t may = allowed != UINT32_MAX ? allowed : MAX (w->real->outs[i].per_fire, 1);

    most = MAX (most, n);
    if (n > may)
      harness_say (w, "Output \"%s\" emitted %u data in one %s; %u are allowed.", w->real->outs[i].name, n, call, may);
  }
  return most;
}

static void
harness_watch_fire (EveComponent *c)
{
  uint32_t before[EVE_MAX_PORTS];

  rooms (c, before);
  if (harness_watch_of (c)->real->fire)
    harness_watch_of (c)->real->fire (c);
  else
    harness_watch_of (c)->real->fire_span (c, 1);
  harness_compare (c, before, "firing", UINT32_MAX);
}

static EveSupply
watch_produce (EveComponent *c, uint32_t max)
{
  uint32_t before[EVE_MAX_PORTS], most;
  EveSupply supply;

  rooms (c, before);
  supply = harness_watch_of (c)->real->produce (c, max);
  most = harness_compare (c, before, "call of produce", max);
  for (uint32_t i = 0; supply == EVE_MORE && most == 0 && i < harness_watch_of (c)->real->n_outs; i++)
    if (eve_out_connected (eve_base (c)->out[i]) && before[i] > 0) {
      harness_say (harness_watch_of (c), "It says that it has more, but emitted nothing although there is room for %u.",
                   before[i]);
      break;
    }
  return supply;
}

static bool
harness_watch_at_end (EveComponent *c)
{
  uint32_t before[EVE_MAX_PORTS];
  bool done;

  rooms (c, before);
  done = harness_watch_of (c)->real->at_end (c);
  harness_compare (c, before, "call of at_end", UINT32_MAX);
  return done;
}

static void
watch_on_datum (EveComponent *c, EveIn *in, const void *datum)
{
  uint32_t before[EVE_MAX_PORTS], i = 0;

  while (eve_base (c)->in[i] != in)
    i++;
  rooms (c, before);
  if (harness_watch_of (c)->real->ins[i].on_span)
    harness_watch_of (c)->real->ins[i].on_span (c, in, datum, 1);
  else
    harness_watch_of (c)->real->ins[i].on_datum (c, in, datum);
  if (harness_watch_of (c)->real->ins[i].quiet)
    harness_compare (c, before, "handler of a quiet input", 0);
  else
    harness_compare (c, before, "handler", UINT32_MAX);
}

HarnessWatch *
harness_watch (const EveClass *klass, void (*told) (void *, const char *), void *arg)
{
  HarnessWatch *w = g_new0 (HarnessWatch, 1);

  w->klass = *klass;
  w->real = klass;
  w->told = told;
  w->arg = arg;
  w->klass.fire_span = NULL;
  w->klass.fire = klass->fire || klass->fire_span ? harness_watch_fire : NULL;
  w->klass.produce = klass->produce ? watch_produce : NULL;
  w->klass.at_end = klass->at_end ? harness_watch_at_end : NULL;
  for (uint32_t i = 0; i < klass->n_ins; i++) {
    w->ins[i] = klass->ins[i];
    w->ins[i].on_datum = klass->ins[i].arrival == EVE_ASYNC ? watch_on_datum : NULL;
    w->ins[i].on_span = NULL;
  }
  w->klass.ins = w->ins;
  return w;
}

const EveClass *
harness_watch_class (const HarnessWatch *w)
{
  return &w->klass;
}

void
harness_watch_free (HarnessWatch *w)
{
  g_free (w);
}
