/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - what of the definitions becomes tasks, states, variables and groups of the source. */
#include <string.h>

#include "readers/otf2/otf2.h"
#include "readers/writing.h"
#include "eve/words.h"

const char *
otf2_text (const Otf2 *o, uint32_t string)
{
  const char *text = string != OTF2_UNDEFINED_STRING ? map_get (&o->strings, string) : NULL;

  return text ? text : "";
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------------- */

/* `own`: a word of ours, not of the writer. */
static uint32_t
entity_type (Otf2 *o, const char *name, bool own)
{
  uint32_t t = GPOINTER_TO_UINT (g_hash_table_lookup (o->entity_types, name));

  if (t == 0) {
    t = trace_source_add_type (o->source, TRACE_ENTITY, name, NULL, TRACE_NONE) + 1;
    g_hash_table_insert (o->entity_types, g_strdup (name), GUINT_TO_POINTER (t));
  }
  ((TraceType *) o->source->types->pdata[t - 1])->own |= own;
  return t - 1;
}

static uint32_t
otf2_tables_add_task (Otf2 *o, const char *name, uint64_t raw, const char *type, bool own, uint32_t parent,
                      uint32_t host)
{
  g_autofree char *id = unlike_others (o->ids, *name ? name : "?", " (", ")");
  uint32_t task = trace_source_add_task_in (o->source, id, (int64_t) raw, entity_type (o, type, own), parent);

  trace_task (o->source, task)->host = host;
  return task;
}

/* Classes are words of the writer: "machine", "node", "ROCm Device"; else, *own, of ours. */
static char *
otf2_tables_class_of (const Otf2 *o, const SystemNode *n, bool *own)
{
  const char *class_name = otf2_text (o, n->class_name);

  *own = !*class_name || strcmp (class_name, otf2_text (o, n->name)) == 0;
  if (*own)
    return g_strdup (n->parent == OTF2_UNDEFINED_SYSTEM_TREE_NODE ? N_ ("Machine") : N_ ("Node"));
  char *class_words = g_strdup (class_name);
  *class_words = g_ascii_toupper (*class_words);
  return class_words;
}

/* Parents first; one that is inside of itself is inside of nothing. */
static void
otf2_tables_add_node (Otf2 *o, SystemNode *n)
{
  g_autoptr (GPtrArray) way = g_ptr_array_new ();

  while (n && n->task == TRACE_NONE && !n->met) {
    n->met = true;
    g_ptr_array_add (way, n);
    n = n->parent != OTF2_UNDEFINED_SYSTEM_TREE_NODE ? map_get (&o->nodes, n->parent) : NULL;
  }
  for (guint i = way->len; i-- > 0;) {
    SystemNode *here = way->pdata[i];
    const SystemNode *above = here->parent != OTF2_UNDEFINED_SYSTEM_TREE_NODE ? map_get (&o->nodes, here->parent)
                                                                              : NULL;
    bool own;
    g_autofree char *type = otf2_tables_class_of (o, here, &own);
    const char *name = otf2_text (o, here->name);
    bool is_host = g_ascii_strcasecmp (type, "node") == 0 || g_ascii_strcasecmp (type, "host") == 0;
    here->host = is_host ? trace_source_add_host (o->source, name, "", 0) : above ? above->host : TRACE_NONE;
    here->task = otf2_tables_add_task (o, name, here->id, type, own, above ? above->task : TRACE_NONE, here->host);
  }
}

static const char *
type_of_group (const LocationGroup *g)
{
  return g->type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR ? N_ ("Accelerator") : N_ ("Process");
}

/* What it is inside of: one that tells of another once more, by its name, is inside of that one, which created it. */
static uint32_t
around_group (const Otf2 *o, const LocationGroup *g)
{
  const LocationGroup *of = g->creator != OTF2_UNDEFINED_LOCATION_GROUP ? map_get (&o->location_groups, g->creator)
                                                                        : NULL;
  const char *name = otf2_text (o, g->name), *its = of && of->task != TRACE_NONE ? otf2_text (o, of->name) : "";

  return *its && g_str_has_prefix (name, its) && g_str_has_prefix (name + strlen (its), " · ") ? of->task : g->around;
}

/* A process of one thread is one task, for both. */
static void
add_location_group (Otf2 *o, LocationGroup *g)
{
  const SystemNode *above = map_get (&o->nodes, g->parent);

  g->around = above ? above->task : TRACE_NONE;
  g->host = above ? above->host : TRACE_NONE;
  if (g->n_threads != 1)
    g->task = otf2_tables_add_task (o, otf2_text (o, g->name), g->id, type_of_group (g), true, g->around, g->host);
}

static void
add_location (Otf2 *o, Location *l)
{
  static const char *const types[] = { N_ ("Location"), N_ ("Thread"), N_ ("Stream"), N_ ("Metrics") };
  LocationGroup *g = map_get (&o->location_groups, l->group);
  const char *name = otf2_text (o, l->name), *process = g ? otf2_text (o, g->name) : "";
  g_autofree char *own = NULL, *number = NULL;

  if (!*name)
    name = number = g_strdup_printf ("location %" PRIu64, l->id);
  if (g && g->n_threads == 1 && l->type != OTF2_LOCATION_TYPE_METRIC) {
    l->task = g->task = otf2_tables_add_task (o, *process ? process : name, l->id, type_of_group (g), true,
                                              around_group (o, g), g->host);
    return;
  }
  if (*process && !g_str_has_prefix (name, process))
    own = g_strdup_printf ("%s · %s", process, name);
  l->task = otf2_tables_add_task (o, own ? own : name, l->id, types[l->type < G_N_ELEMENTS (types) ? l->type : 0], true,
                                  g ? g->task : TRACE_NONE, g ? g->host : TRACE_NONE);
}

void
otf2_make_tasks (Otf2 *o)
{
  for (guint i = 0; i < o->all_locations->len; i++) {
    const Location *l = o->all_locations->pdata[i];
    LocationGroup *g = map_get (&o->location_groups, l->group);
    if (g && l->type != OTF2_LOCATION_TYPE_METRIC)
      g->n_threads++;
  }
  for (guint i = 0; i < o->all_nodes->len; i++)
    otf2_tables_add_node (o, o->all_nodes->pdata[i]);
  for (guint i = 0; i < o->all_location_groups->len; i++)
    add_location_group (o, o->all_location_groups->pdata[i]);
  for (int metrics = 0; metrics < 2; metrics++) /* a thread may be what its metrics are inside of */
    for (guint i = 0; i < o->all_locations->len; i++) {
      Location *l = o->all_locations->pdata[i];
      if ((i & 0xfff) == 0)
        eve_alive ();
      if ((l->type == OTF2_LOCATION_TYPE_METRIC) == (metrics == 1))
        add_location (o, l);
    }
}

/* ---- states ------------------------------------------------------------------------------------------------------------------- */

/* What a region belongs to: its paradigm and role say so; of what is but a function its name may. */
static const char *
otf2_tables_group_of (const Otf2 *o, const Region *r)
{
  static const char *const paradigms[] = {
    [OTF2_PARADIGM_OPENMP] = TRACE_GROUP_PARALLEL,
    [OTF2_PARADIGM_MPI] = "MPI",
    [OTF2_PARADIGM_CUDA] = "CUDA",
    [OTF2_PARADIGM_MEASUREMENT_SYSTEM] = "Tracing",
    [OTF2_PARADIGM_PTHREAD] = "Threads",
    [OTF2_PARADIGM_HMPP] = "HMPP",
    [OTF2_PARADIGM_OMPSS] = "OmpSs",
    [OTF2_PARADIGM_HARDWARE] = "Hardware",
    [OTF2_PARADIGM_GASPI] = "GASPI",
    [OTF2_PARADIGM_UPC] = "UPC",
    [OTF2_PARADIGM_SHMEM] = "SHMEM",
    [OTF2_PARADIGM_WINTHREAD] = "Threads",
    [OTF2_PARADIGM_QTTHREAD] = "Threads",
    [OTF2_PARADIGM_ACETHREAD] = "Threads",
    [OTF2_PARADIGM_TBBTHREAD] = "TBB",
    [OTF2_PARADIGM_OPENACC] = "OpenACC",
    [OTF2_PARADIGM_OPENCL] = "OpenCL",
    [OTF2_PARADIGM_MTAPI] = "MTAPI",
    [OTF2_PARADIGM_HIP] = "HIP",
    [OTF2_PARADIGM_KOKKOS] = "Kokkos",
  };
  bool waits = r->role == OTF2_REGION_ROLE_BARRIER || r->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER
               || r->role == OTF2_REGION_ROLE_TASK_WAIT;

  if (r->paradigm == OTF2_PARADIGM_OPENMP && waits)
    return TRACE_GROUP_TEAM;
  if (r->paradigm < G_N_ELEMENTS (paradigms) && paradigms[r->paradigm])
    return paradigms[r->paradigm];
  if (r->role == OTF2_REGION_ROLE_FILE_IO || r->role == OTF2_REGION_ROLE_FILE_IO_METADATA)
    return "I/O";
  const char *named = trace_group_of (otf2_text (o, r->name));
  return named ? named : "Application";
}

uint32_t
otf2_state (Otf2 *o, const char *name, const char *type)
{
  g_autofree char *key = g_strconcat (type, "\n", name, NULL);
  uint32_t t = GPOINTER_TO_UINT (g_hash_table_lookup (o->state_types, type));
  uint32_t object = GPOINTER_TO_UINT (g_hash_table_lookup (o->states, key));

  if (t == 0) {
    t = trace_source_add_type (o->source, TRACE_STATES, type, NULL, TRACE_NONE) + 1;
    ((TraceType *) o->source->types->pdata[t - 1])->does = trace_group_does (type);
    g_hash_table_insert (o->state_types, g_strdup (type), GUINT_TO_POINTER (t));
  }
  if (object == 0) {
    object = trace_source_add_value (o->source, t - 1, name) + 1;
    g_hash_table_insert (o->states, g_steal_pointer (&key), GUINT_TO_POINTER (object));
  }
  return object - 1;
}

/* What tasks do in a region that we wrote, where it was told. */
static TraceDoes
otf2_tables_told (const Otf2 *o, const Region *r)
{
  const char *told = otf2_text (o, r->description);
  const size_t n = strlen (OTF2_SCOPE_DOES);

  return strncmp (told, OTF2_SCOPE_DOES, n) == 0 ? trace_does_called (told + n, strlen (told + n))
                                                 : TRACE_DOES_ANYTHING;
}

/* Regions of one name are one state: some writers define them again for each process. */
uint32_t
otf2_region_object (Otf2 *o, uint32_t region)
{
  Region *r = map_get (&o->regions, region);
  g_autofree char *number = NULL;

  if (!r) {
    r = g_new0 (Region, 1);
    *r = (Region){ OTF2_UNDEFINED_STRING, TRACE_NONE, OTF2_REGION_ROLE_UNKNOWN, OTF2_PARADIGM_UNKNOWN,
                   OTF2_UNDEFINED_STRING };
    map_put (&o->regions, region, r);
    otf2_damaged (o, NULL, _ ("the region %u is not defined"), region);
  }
  if (r->object == TRACE_NONE) {
    const char *name = otf2_text (o, r->name);
    if (!*name)
      name = number = g_strdup_printf ("region %u", region);
    TraceDoes does = otf2_tables_told (o, r);
    r->object = otf2_state (o, name, does ? "State" : otf2_tables_group_of (o, r));
    if (does)
      ((TraceObject *) o->source->objects->pdata[r->object])->does = does;
  }
  return r->object;
}

/* ---- groups, windows, and what else has a name --------------------------------------------------------------------------------- */

/* An object that is alike no other by its name. */
static uint32_t
otf2_tables_add_object (Otf2 *o, const char *name, const char *what, uint64_t id)
{
  g_autofree char *own = *name ? g_strdup (name) : g_strdup_printf ("%s %" G_GUINT64_FORMAT, what, id);

  if (g_hash_table_contains (o->objects, own)) {
    char *other = g_strdup_printf ("%s (%" G_GUINT64_FORMAT ")", own, id);
    g_free (own);
    own = other;
  }
  g_hash_table_add (o->objects, g_strdup (own));
  return trace_source_add_object (o->source, own);
}

uint32_t
otf2_comm_object (Otf2 *o, uint32_t comm)
{
  Comm *c = map_get (&o->comms, comm);

  if (comm == OTF2_UNDEFINED_COMM)
    return TRACE_NONE;
  if (!c) {
    c = g_new0 (Comm, 1);
    *c = (Comm){ OTF2_UNDEFINED_STRING, OTF2_UNDEFINED_GROUP, OTF2_UNDEFINED_GROUP, TRACE_NONE, TRACE_NONE, false, 0 };
    map_put (&o->comms, comm, c);
    otf2_damaged (o, NULL, _ ("the communicator %u is not defined"), comm);
  }
  if (c->object == TRACE_NONE)
    c->object = otf2_tables_add_object (o, otf2_text (o, c->name), "communicator", comm);
  return c->object;
}

bool
otf2_is_self (Otf2 *o, uint32_t comm)
{
  const Comm *c = map_get (&o->comms, comm);
  const Group *g = c ? map_get (&o->groups, c->group) : NULL;

  return g && g->type == OTF2_GROUP_TYPE_COMM_SELF;
}

uint32_t
otf2_self_object (Otf2 *o, uint32_t comm, uint32_t task, bool *is_new)
{
  gint64 key = (gint64) ((guint64) task << 32 | comm);
  uint32_t object = GPOINTER_TO_UINT (g_hash_table_lookup (o->selves, &key));

  *is_new = object == 0;
  if (object > 0)
    return object - 1;
  const Comm *c = map_get (&o->comms, comm);
  const char *name = c ? otf2_text (o, c->name) : "";
  g_autofree char *own = g_strdup_printf ("%s of %s", *name ? name : "itself", trace_task_id (o->source, task));
  object = otf2_tables_add_object (o, own, "communicator", comm);
  g_hash_table_insert (o->selves, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (object + 1));
  return object;
}

uint32_t
otf2_window_object (Otf2 *o, uint32_t window)
{
  Window *w = map_get (&o->windows, window);

  if (!w)
    return TRACE_NONE;
  if (w->object == TRACE_NONE)
    w->object = otf2_tables_add_object (o, otf2_text (o, w->name), "window", window);
  return w->object;
}

uint32_t
otf2_named_object (Otf2 *o, const Map *map, uint32_t id, const char *what)
{
  Named *n = map_get (map, id);

  if (!n)
    return TRACE_NONE;
  if (n->object == TRACE_NONE) {
    const Named *file = n->file != OTF2_UNDEFINED_IO_FILE ? map_get (&o->files, n->file) : NULL;
    const char *name = otf2_text (o, n->name);
    n->object = otf2_tables_add_object (o, !*name && file ? otf2_text (o, file->name) : name, what, id);
  }
  return n->object;
}

uint32_t
otf2_member_object (Otf2 *o, MetricMember *m)
{
  if (m->object == TRACE_NONE) {
    const char *name = otf2_text (o, m->name), *unit = otf2_text (o, m->unit);
    bool counts = !*unit || strcmp (unit, "#") == 0;
    uint32_t t = trace_source_add_type (o->source, TRACE_VARIABLE, *name ? name : "metric", counts ? NULL : unit,
                                        TRACE_NONE);
    m->object = ((const TraceType *) o->source->types->pdata[t])->object;
  }
  return m->object;
}

/* ---- ranks --------------------------------------------------------------------------------------------------------------------- */

static uint32_t
task_of_location (const Otf2 *o, uint64_t id)
{
  const Location *l = map_get (&o->locations, id);

  return l ? l->task : TRACE_NONE;
}

uint32_t
otf2_rank_task (const Otf2 *o, uint64_t rank)
{
  const Group *world = o->world[OTF2_PARADIGM_MPI];

  return world && rank < world->n ? task_of_location (o, world->members[rank]) : TRACE_NONE;
}

/* Members of a group of a communicator are ranks among the locations of the paradigm, or those locations themselves. */
static const uint32_t *
otf2_tables_tasks_of (Otf2 *o, Group *g)
{
  const Group *world = o->world[g->paradigm];

  if (g->tasks || g->n == 0)
    return g->tasks;
  g->tasks = g_new (uint32_t, g->n);
  for (uint32_t i = 0; i < g->n; i++) {
    uint64_t member = g->members[i];
    if (g->type == OTF2_GROUP_TYPE_COMM_GROUP && world)
      member = member < world->n ? world->members[member] : OTF2_UNDEFINED_LOCATION;
    g->tasks[i] = task_of_location (o, member);
  }
  return g->tasks;
}

const uint32_t *
otf2_group_tasks (Otf2 *o, uint32_t group, uint32_t *n)
{
  Group *g = map_get (&o->groups, group);

  *n = g ? g->n : 0;
  return g ? otf2_tables_tasks_of (o, g) : NULL;
}

static bool
otf2_tables_holds (const uint32_t *tasks, uint32_t n, uint32_t task)
{
  for (uint32_t i = 0; i < n; i++)
    if (tasks[i] == task)
      return true;
  return false;
}

const uint32_t *
otf2_members (Otf2 *o, uint32_t comm, bool second, uint32_t *n)
{
  const Comm *c = map_get (&o->comms, comm);
  Group *g = c ? map_get (&o->groups, second ? c->other : c->group) : NULL;

  *n = 0;
  if (!g || (second && c->other == OTF2_UNDEFINED_GROUP) || g->type == OTF2_GROUP_TYPE_COMM_SELF)
    return NULL;
  *n = g->n;
  return otf2_tables_tasks_of (o, g);
}

uint32_t
otf2_rank (Otf2 *o, uint32_t comm, uint32_t rank, uint32_t me)
{
  Comm *c = map_get (&o->comms, comm);
  Group *g = c ? map_get (&o->groups, c->group) : NULL;

  if (!g)
    return TRACE_NONE;
  if (g->type == OTF2_GROUP_TYPE_COMM_SELF)
    return me;
  const uint32_t *tasks = otf2_tables_tasks_of (o, g);
  if (c->other != OTF2_UNDEFINED_GROUP && c->asked != me) { /* between two groups: it speaks of the other */
    c->asked = me;
    c->in_first = otf2_tables_holds (tasks, g->n, me);
  }
  if (c->other != OTF2_UNDEFINED_GROUP && c->in_first) {
    g = map_get (&o->groups, c->other);
    if (!g)
      return TRACE_NONE;
    tasks = otf2_tables_tasks_of (o, g);
  }
  return rank < g->n ? tasks[rank] : TRACE_NONE;
}

uint32_t
otf2_scope_task (Otf2 *o, OTF2_MetricScope scope, uint64_t of, uint32_t own)
{
  uint32_t task = TRACE_NONE;

  if (scope == OTF2_SCOPE_LOCATION) {
    task = task_of_location (o, of);
  } else if (scope == OTF2_SCOPE_LOCATION_GROUP) {
    const LocationGroup *g = map_get (&o->location_groups, of);
    task = g ? g->task : TRACE_NONE;
  } else if (scope == OTF2_SCOPE_SYSTEM_TREE_NODE) {
    const SystemNode *n = map_get (&o->nodes, of);
    task = n ? n->task : TRACE_NONE;
  }
  return task != TRACE_NONE ? task : own;
}
