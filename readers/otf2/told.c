/* SPDX-License-Identifier: Apache-2.0 */
/* told.c - what definitions tell of tasks beside their names: where they are in Cartesian topologies, and properties of
 * locations, processes and machines.  Numbers are variables of the task from the first date on, texts are noted then.
 */
#include <string.h>

#include "eve/words.h"
#include "readers/otf2/otf2.h"

#define MOST_TOLD (1u << 22) /* coordinates and properties */
#define MOST_VARIABLES 20000 /* that are made of them */

typedef struct Dimension {
  uint32_t name, size;
} Dimension;

typedef struct Topology {
  uint32_t name, comm;
  uint8_t n;
  uint32_t *dimensions, *objects; /* a variable for each */
  char *called;                   /* unlike other topologies; NULL: not yet */
} Topology;

typedef struct Coordinate {
  uint32_t topology, rank, value;
  uint8_t dimension;
} Coordinate;

typedef struct Property {
  OTF2_MetricScope scope;
  uint64_t of;
  uint32_t name;
  OTF2_Type type;
  OTF2_AttributeValue value;
} Property;

struct TaskFacts {
  Map dimensions, topologies;
  GArray *coordinates, *properties;
  uint32_t n_variables;
  uint64_t n_left;
};

static void
free_topology (void *p)
{
  Topology *t = p;

  g_free (t->dimensions);
  g_free (t->objects);
  g_free (t->called);
  g_free (t);
}

void
otf2_start_told (Otf2 *o)
{
  o->told = g_new0 (TaskFacts, 1);
  o->told->dimensions.free = g_free;
  o->told->topologies.free = free_topology;
  o->told->coordinates = g_array_new (FALSE, FALSE, sizeof (Coordinate));
  o->told->properties = g_array_new (FALSE, FALSE, sizeof (Property));
}

void
otf2_free_told (Otf2 *o)
{
  map_clear (&o->told->dimensions);
  map_clear (&o->told->topologies);
  g_array_unref (o->told->coordinates);
  g_array_unref (o->told->properties);
  g_clear_pointer (&o->told, g_free);
}

/* ---- definitions -------------------------------------------------------------------------------------------------------- */

static OTF2_CallbackCode
on_dimension (void *user, OTF2_CartDimensionRef self, OTF2_StringRef name, uint32_t size, OTF2_CartPeriodicity periodic)
{
  const Dimension d = { name, size };

  map_put (&((Otf2 *) user)->told->dimensions, self, g_memdup2 (&d, sizeof d));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_topology (void *user, OTF2_CartTopologyRef self, OTF2_StringRef name, OTF2_CommRef comm, uint8_t n,
             const OTF2_CartDimensionRef *dimensions)
{
  Topology *t = g_new0 (Topology, 1);

  *t = (Topology){ name, comm, n, g_memdup2 (dimensions, n * sizeof *dimensions), NULL, NULL };
  map_put (&((Otf2 *) user)->told->topologies, self, t);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_coordinate (void *user, OTF2_CartTopologyRef topology, uint32_t rank, uint8_t n, const uint32_t *at)
{
  TaskFacts *told = ((Otf2 *) user)->told;

  for (uint8_t i = 0; i < n; i++) {
    const Coordinate c = { topology, rank, at[i], i };
    if (told->coordinates->len < MOST_TOLD)
      g_array_append_val (told->coordinates, c);
    else
      told->n_left++;
  }
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
add_property (Otf2 *o, const Property *p)
{
  if (o->told->properties->len < MOST_TOLD)
    g_array_append_val (o->told->properties, *p);
  else
    o->told->n_left++;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_node_property (void *user, OTF2_SystemTreeNodeRef of, OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value)
{
  return add_property (user, &(Property){ OTF2_SCOPE_SYSTEM_TREE_NODE, of, name, type, value });
}

static OTF2_CallbackCode
on_group_property (void *user, OTF2_LocationGroupRef of, OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value)
{
  return add_property (user, &(Property){ OTF2_SCOPE_LOCATION_GROUP, of, name, type, value });
}

static OTF2_CallbackCode
on_location_property (void *user, OTF2_LocationRef of, OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value)
{
  return add_property (user, &(Property){ OTF2_SCOPE_LOCATION, of, name, type, value });
}

void
otf2_set_told_callbacks (OTF2_GlobalDefReaderCallbacks *c)
{
  OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback (c, on_dimension);
  OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback (c, on_topology);
  OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback (c, on_coordinate);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback (c, on_node_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback (c, on_group_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback (c, on_location_property);
}

/* ---- given ---------------------------------------------------------------------------------------------------------------- */

/* TRACE_NONE: there are too many. */
static uint32_t
variable (Otf2 *o, const char *name)
{
  if (o->told->n_variables++ >= MOST_VARIABLES)
    return TRACE_NONE;
  uint32_t t = trace_source_add_type (o->source, TRACE_VARIABLE, name, NULL, TRACE_NONE);

  return ((const TraceType *) o->source->types->pdata[t])->object;
}

static void
otf2_told_give (Otf2 *o, Kind k, TraceEvent e)
{
  e.kind = (uint16_t) (o->kinds[k] > 0 ? o->kinds[k] - 1 : otf2_add_kind (o, k));
  e.flags |= TRACE_INSTANT;
  converter_event_first (o->to, &e);
}

/* What is called alike: of a second topology "grid 2: x", of a second dimension "grid: x 2". */
typedef struct Taken {
  Unlike *topologies, *coordinates;
} Taken;

static char *
coordinate_name (Otf2 *o, Topology *t, uint8_t dimension, const Taken *taken)
{
  const Dimension *d = map_get (&o->told->dimensions, t->dimensions[dimension]);
  const char *of = otf2_text (o, t->name), *own = d ? otf2_text (o, d->name) : "";

  if (!t->called)
    t->called = unlike_others (taken->topologies, *of ? of : "topology", " ", "");
  g_autofree char *name = *own ? g_strdup_printf ("%s: %s", t->called, own)
                               : g_strdup_printf ("%s: %u", t->called, dimension);
  return unlike_others (taken->coordinates, name, " ", "");
}

static void
give_coordinate (Otf2 *o, const Coordinate *c, const Taken *taken)
{
  Topology *t = map_get (&o->told->topologies, c->topology);
  uint32_t task = t ? otf2_rank (o, t->comm, c->rank, TRACE_NONE) : TRACE_NONE;

  if (task == TRACE_NONE || c->dimension >= t->n)
    return;
  if (!t->objects)
    t->objects = g_new0 (uint32_t, t->n); /* + 1 */
  uint32_t *object = &t->objects[c->dimension];
  if (*object == 0) {
    g_autofree char *name = coordinate_name (o, t, c->dimension, taken);
    *object = variable (o, name) + 1;
  }
  if (*object == 0) { /* it has none */
    o->told->n_left++;
    return;
  }
  otf2_told_give (
      o, KIND_COORDINATE,
      (TraceEvent){
          .date = o->first, .task = task, .peer = TRACE_NONE, .object = *object - 1, .size = c->value, .tag = -1 });
}

/* False: it is a text, or the number of something else. */
static bool
otf2_told_number_of (const Property *p, TraceEvent *e)
{
  const OTF2_AttributeValue v = p->value;

  switch (p->type) {
  case OTF2_TYPE_UINT8:
    e->size = v.uint8;
    return true;
  case OTF2_TYPE_UINT16:
    e->size = v.uint16;
    return true;
  case OTF2_TYPE_UINT32:
    e->size = v.uint32;
    return true;
  case OTF2_TYPE_UINT64:
    if (v.uint64 <= INT64_MAX) {
      e->size = (int64_t) v.uint64;
      return true;
    }
    e->flags |= TRACE_REAL;
    e->real = (double) v.uint64;
    return true;
  case OTF2_TYPE_INT8:
    e->size = v.int8;
    return true;
  case OTF2_TYPE_INT16:
    e->size = v.int16;
    return true;
  case OTF2_TYPE_INT32:
    e->size = v.int32;
    return true;
  case OTF2_TYPE_INT64:
    e->size = v.int64;
    return true;
  case OTF2_TYPE_FLOAT:
  case OTF2_TYPE_DOUBLE:
    e->flags |= TRACE_REAL;
    e->real = p->type == OTF2_TYPE_FLOAT ? (double) v.float32 : v.float64;
    return true;
  default:
    return false;
  }
}

static void
give_property (Otf2 *o, const Property *p, GHashTable *names)
{
  TraceEvent e = { .date = o->first, .peer = TRACE_NONE, .tag = -1 };
  const char *name = otf2_text (o, p->name);

  e.task = otf2_scope_task (o, p->scope, p->of, TRACE_NONE);
  if (e.task == TRACE_NONE || !*name)
    return;
  bool is_number = otf2_told_number_of (p, &e);
  if (!is_number && p->type != OTF2_TYPE_STRING)
    return;
  g_autofree char *key = g_strconcat (is_number ? "1" : "0", name, NULL);
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (names, key));
  if (known == 0) {
    known = (is_number ? variable (o, name) : trace_source_add_object (o->source, name)) + 1;
    g_hash_table_insert (names, g_steal_pointer (&key), GUINT_TO_POINTER (known));
  }
  e.object = known - 1;
  if (e.object == TRACE_NONE) {
    o->told->n_left++;
    return;
  }
  if (!is_number) {
    const char *text = otf2_text (o, p->value.stringRef);
    converter_text (o->to, text, strlen (text));
  }
  otf2_told_give (o, is_number ? KIND_PROPERTY : KIND_PROPERTY_TEXT, e);
}

void
otf2_give_told (Otf2 *o)
{
  const TaskFacts *t = o->told;
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (o->first == INT64_MAX)
    return;
  const Taken taken = { unlike_new (), unlike_new () };
  for (guint i = 0; i < t->coordinates->len; i++)
    give_coordinate (o, &g_array_index (t->coordinates, Coordinate, i), &taken);
  unlike_free (taken.topologies);
  unlike_free (taken.coordinates);
  for (guint i = 0; i < t->properties->len; i++)
    give_property (o, &g_array_index (t->properties, Property, i), names);
  if (t->n_left > 0) {
    g_autofree char *file = g_strconcat (o->name, ".def", NULL);
    otf2_damaged (o, file,
                  _ ("more coordinates or properties are defined than are kept; %" PRIu64 " of them are left out"),
                  t->n_left);
  }
}
