/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.c - keeps what an archive defines.  Nothing is looked up here: what a definition names may come later.
 *
 * Writers define the same number again (eztrace): the last one counts. */
#include <math.h>
#include <string.h>

#include "readers/otf2/otf2.h"
#include "readers/pair.h"

#define MOST_DENSE (1u << 20)

/* ---- things by number -------------------------------------------------------------------------------------------------------- */

void
map_put (Map *m, uint64_t id, void *thing)
{
  if (id < MOST_DENSE) {
    if (id >= m->n_dense) {
      uint32_t n = MAX (64, m->n_dense);
      while (n <= id)
        n *= 2;
      m->dense = g_renew (void *, m->dense, n);
      memset (m->dense + m->n_dense, 0, (n - m->n_dense) * sizeof *m->dense);
      m->n_dense = n;
    }
    if (m->dense[id] && m->free)
      m->free (m->dense[id]);
    m->dense[id] = thing;
    return;
  }
  if (!m->others)
    m->others = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, m->free);
  gint64 key = (gint64) id;
  g_hash_table_insert (m->others, g_memdup2 (&key, sizeof key), thing);
}

void *
map_look_up (const Map *m, uint64_t id)
{
  gint64 key = (gint64) id;

  return m->others ? g_hash_table_lookup (m->others, &key) : NULL;
}

void
map_clear (Map *m)
{
  for (uint32_t i = 0; i < m->n_dense && m->free; i++)
    if (m->dense[i])
      m->free (m->dense[i]);
  g_clear_pointer (&m->dense, g_free);
  g_clear_pointer (&m->others, g_hash_table_unref);
  m->n_dense = 0;
}

/* ---- definitions --------------------------------------------------------------------------------------------------------------- */

static void
definitions_put (Otf2 *o, Map *m, uint64_t id, void *thing)
{
  o->n_duplicates += map_get (m, id) != NULL;
  map_put (m, id, thing);
}

static void
put_named (Otf2 *o, Map *m, uint64_t id, Named n)
{
  n.object = TRACE_NONE;
  definitions_put (o, m, id, g_memdup2 (&n, sizeof n));
}

static OTF2_CallbackCode
on_clock (void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime)
{
  Otf2 *o = user;

  o->resolution = resolution;
  o->offset = offset;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_string (void *user, OTF2_StringRef self, const char *text)
{
  Otf2 *o = user;

  o->cancels |= text && (strcmp (text, "MPI_Cancel") == 0 || strcmp (text, "PMPI_Cancel") == 0);
  definitions_put (o, &o->strings, self, g_utf8_make_valid (text ? text : "", -1));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_system_node (void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,
                OTF2_SystemTreeNodeRef parent)
{
  Otf2 *o = user;

  if (map_get (&o->nodes, self)) {
    o->n_duplicates++;
    return OTF2_CALLBACK_SUCCESS;
  }
  SystemNode *n = g_new0 (SystemNode, 1);
  *n = (SystemNode){ self, name, class_name, parent, TRACE_NONE, TRACE_NONE, false };
  map_put (&o->nodes, self, n);
  g_ptr_array_add (o->all_nodes, n);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_location_group (void *user, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,
                   OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef creator)
{
  Otf2 *o = user;

  if (map_get (&o->location_groups, self)) {
    o->n_duplicates++;
    return OTF2_CALLBACK_SUCCESS;
  }
  LocationGroup *g = g_new0 (LocationGroup, 1);
  *g = (LocationGroup){ self, name, parent, creator, type, TRACE_NONE, TRACE_NONE, TRACE_NONE, 0 };
  map_put (&o->location_groups, self, g);
  g_ptr_array_add (o->all_location_groups, g);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_location (void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, uint64_t n_events,
             OTF2_LocationGroupRef group)
{
  Otf2 *o = user;

  if (map_get (&o->locations, self)) {
    o->n_duplicates++;
    return OTF2_CALLBACK_SUCCESS;
  }
  Location *l = g_new0 (Location, 1);
  *l = (Location){ self, n_events == OTF2_UNDEFINED_UINT64 ? 0 : n_events, name, group, type, TRACE_NONE, NULL };
  map_put (&o->locations, self, l);
  g_ptr_array_add (o->all_locations, l);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_region (void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical, OTF2_StringRef description,
           OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
           uint32_t end)
{
  Otf2 *o = user;
  Region *r = g_new0 (Region, 1);

  *r = (Region){ name != OTF2_UNDEFINED_STRING ? name : canonical, TRACE_NONE, role, paradigm, description };
  definitions_put (o, &o->regions, self, r);
  return OTF2_CALLBACK_SUCCESS;
}

static void
definitions_free_group (void *p)
{
  Group *g = p;

  g_free (g->members);
  g_free (g->tasks);
  g_free (g);
}

/* The locations that take part in a paradigm are kept apart: eztrace gives their group and another the same number. */
static OTF2_CallbackCode
on_group (void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type, OTF2_Paradigm paradigm,
          OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
  Otf2 *o = user;
  Group *g = g_new0 (Group, 1);

  *g = (Group){ name, type, paradigm, n, g_memdup2 (members, n * sizeof *members), NULL };
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
    if (o->world[paradigm])
      definitions_free_group (o->world[paradigm]);
    o->world[paradigm] = g_memdup2 (g, sizeof *g);
    o->world[paradigm]->members = g_memdup2 (members, n * sizeof *members);
  }
  definitions_put (o, &o->groups, self, g);
  return OTF2_CALLBACK_SUCCESS;
}

static void
put_comm (Otf2 *o, uint32_t self, Comm c)
{
  c.object = c.asked = TRACE_NONE;
  if (!map_get (&o->comms, self))
    g_ptr_array_add (o->all_comms, GUINT_TO_POINTER (self));
  definitions_put (o, &o->comms, self, g_memdup2 (&c, sizeof c));
}

static OTF2_CallbackCode
on_comm (void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,
         OTF2_CommFlag flags)
{
  put_comm (user, self, (Comm){ .name = name, .group = group, .other = OTF2_UNDEFINED_GROUP });
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_inter_comm (void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a, OTF2_GroupRef b,
               OTF2_CommRef common, OTF2_CommFlag flags)
{
  put_comm (user, self, (Comm){ .name = name, .group = a, .other = b });
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_window (void *user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
  Otf2 *o = user;
  Window w = { name, comm, TRACE_NONE };

  definitions_put (o, &o->windows, self, g_memdup2 (&w, sizeof w));
  g_ptr_array_add (o->all_windows, GUINT_TO_POINTER (self));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_parameter (void *user, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type)
{
  Otf2 *o = user;

  put_named (o, &o->parameters, self, (Named){ .name = name, .file = OTF2_UNDEFINED_IO_FILE });
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_handle (void *user, OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
           OTF2_IoHandleFlag flags, OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
  Otf2 *o = user;

  put_named (o, &o->handles, self, (Named){ .name = name, .file = file });
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_file (void *user, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef scope)
{
  Otf2 *o = user;

  put_named (o, &o->files, self, (Named){ .name = name, .file = OTF2_UNDEFINED_IO_FILE });
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_directory (void *user, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef scope)
{
  return on_file (user, self, name, scope);
}

static OTF2_CallbackCode
definitions_on_line (void *user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line)
{
  Otf2 *o = user;

  definitions_put (o, &o->lines, self, g_strdup_printf ("%s:%u", otf2_text (o, file), line));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_context (void *user, OTF2_CallingContextRef self, OTF2_RegionRef region, OTF2_SourceCodeLocationRef where,
            OTF2_CallingContextRef parent)
{
  Otf2 *o = user;

  definitions_put (o, &o->contexts, self, g_memdup2 (&region, sizeof region));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_member (void *user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef description, OTF2_MetricType type,
           OTF2_MetricMode mode, OTF2_Type value, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
  Otf2 *o = user;
  MetricMember *m = g_new0 (MetricMember, 1);

  *m = (MetricMember){ name, unit, mode, base, exponent, 1, TRACE_NONE };
  if (exponent != 0)
    m->scale = pow (base == OTF2_BASE_BINARY ? 2 : 10, (double) CLAMP (exponent, -300, 300));
  definitions_put (o, &o->members, self, m);
  return OTF2_CALLBACK_SUCCESS;
}

static void
free_metric (void *p)
{
  g_free (((Metric *) p)->members);
  g_free (p);
}

static OTF2_CallbackCode
on_metric_class (void *user, OTF2_MetricRef self, uint8_t n, const OTF2_MetricMemberRef *members,
                 OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
  Otf2 *o = user;
  Metric *m = g_new0 (Metric, 1);

  m->is_class = true;
  m->n = n;
  m->members = g_memdup2 (members, n * sizeof *members);
  definitions_put (o, &o->metrics, self, m);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_metric_instance (void *user, OTF2_MetricRef self, OTF2_MetricRef of, OTF2_LocationRef recorder,
                    OTF2_MetricScope scope, uint64_t scope_of)
{
  Otf2 *o = user;
  Metric *m = g_new0 (Metric, 1);

  *m = (Metric){ .has_scope = true, .of = of, .scope = scope, .scope_of = scope_of };
  definitions_put (o, &o->metrics, self, m);
  return OTF2_CALLBACK_SUCCESS;
}

#define DEFINITION(name, callback) OTF2_GlobalDefReaderCallbacks_Set##name##Callback (c, callback)

void
otf2_set_definition_callbacks (OTF2_GlobalDefReaderCallbacks *c)
{
  DEFINITION (ClockProperties, on_clock);
  DEFINITION (String, on_string);
  DEFINITION (SystemTreeNode, on_system_node);
  DEFINITION (LocationGroup, on_location_group);
  DEFINITION (Location, on_location);
  DEFINITION (Region, on_region);
  DEFINITION (Group, on_group);
  DEFINITION (Comm, on_comm);
  DEFINITION (InterComm, on_inter_comm);
  DEFINITION (RmaWin, on_window);
  DEFINITION (Parameter, on_parameter);
  DEFINITION (IoHandle, on_handle);
  DEFINITION (IoRegularFile, on_file);
  DEFINITION (IoDirectory, on_directory);
  DEFINITION (CallingContext, on_context);
  DEFINITION (SourceCodeLocation, definitions_on_line);
  DEFINITION (MetricMember, on_member);
  DEFINITION (MetricClass, on_metric_class);
  DEFINITION (MetricInstance, on_metric_instance);
  otf2_set_told_callbacks (c);
}

static void
free_location (void *p)
{
  Location *l = p;

  otf2_own_free (l->own);
  g_clear_pointer (&l->cancelled, g_array_unref);
  g_free (l);
}

void
otf2_start_definitions (Otf2 *o)
{
  Map *const plain[] = { &o->strings,  &o->nodes,   &o->location_groups, &o->locations, &o->regions,
                         &o->comms,    &o->windows, &o->parameters,      &o->handles,   &o->files,
                         &o->contexts, &o->members, &o->markers,         &o->lines };

  for (size_t i = 0; i < G_N_ELEMENTS (plain); i++)
    plain[i]->free = g_free;
  o->locations.free = free_location;
  o->groups.free = definitions_free_group;
  o->metrics.free = free_metric;
  o->all_nodes = g_ptr_array_new ();
  o->all_location_groups = g_ptr_array_new ();
  o->all_locations = g_ptr_array_new ();
  o->all_comms = g_ptr_array_new ();
  o->all_windows = g_ptr_array_new ();
  o->resolution = TRACE_TICKS;
  otf2_start_told (o);
}

void
otf2_free_definitions (Otf2 *o)
{
  Map *const all[] = { &o->strings, &o->nodes,   &o->location_groups, &o->locations, &o->regions, &o->groups,
                       &o->comms,   &o->windows, &o->parameters,      &o->handles,   &o->files,   &o->contexts,
                       &o->members, &o->metrics, &o->markers,         &o->lines };

  for (size_t i = 0; i < G_N_ELEMENTS (all); i++)
    map_clear (all[i]);
  for (size_t i = 0; i < G_N_ELEMENTS (o->world); i++)
    if (o->world[i])
      definitions_free_group (o->world[i]);
  otf2_free_told (o);
  g_ptr_array_unref (o->all_nodes);
  g_ptr_array_unref (o->all_location_groups);
  g_ptr_array_unref (o->all_locations);
  g_ptr_array_unref (o->all_comms);
  g_ptr_array_unref (o->all_windows);
}
