/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c - who waits for a stream of an accelerator.  Score-P's adapters of CUDA, HIP and OpenCL have a location for
 * each stream, and no number that ties what it does to the call that launched it.  But a call that waits for a device
 * returns when that is done: what it waited for is what ended last meanwhile, of the streams of its process; if the
 * call is for one stream or an event, and several have ended something meanwhile, nobody knows for which.  Of such
 * calls that are inside each other the outermost counts. */
#include <inttypes.h>
#include <string.h>

#include "eve/words.h"
#include "readers/otf2/otf2.h"

#define MOST_NOTED (1u << 21)

typedef struct DeviceEnd {
  uint64_t process;
  int64_t date;
  uint32_t stream;
  uint32_t run; /* the first of those side by side that are of this stream */
} DeviceEnd;

typedef struct DeviceWait {
  uint64_t process;
  int64_t from, to;
  uint32_t task;
  bool of_all;
} DeviceWait;

struct Devices {
  GHashTable *processes; /* id of a group of locations that has streams */
  GArray *ends, *waits;
  uint64_t n_left[2]; /* of each, beyond MOST_NOTED */
  GByteArray *awaits; /* by object: 0 not asked, else 1 and what it waits for */
};

/* The process that a location is of; UINT64_MAX: none. */
static uint64_t
devices_process (const Otf2 *o, const Location *at)
{
  const LocationGroup *g = map_get (&o->location_groups, at->group);

  return !g                                                ? UINT64_MAX
         : g->type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR ? at->group
         : g->creator == OTF2_UNDEFINED_LOCATION_GROUP     ? UINT64_MAX
                                                           : g->creator;
}

static struct Devices *
devices_of (Otf2 *o)
{
  struct Devices *d = o->devices;

  if (d)
    return d;
  d = o->devices = g_new0 (struct Devices, 1);
  d->processes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  d->ends = g_array_new (FALSE, FALSE, sizeof (DeviceEnd));
  d->waits = g_array_new (FALSE, FALSE, sizeof (DeviceWait));
  d->awaits = g_byte_array_new ();
  for (guint i = 0; i < o->all_locations->len; i++) {
    const Location *at = o->all_locations->pdata[i];
    uint64_t process = devices_process (o, at);
    if (at->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM && process != UINT64_MAX)
      g_hash_table_add (d->processes, g_memdup2 (&process, sizeof process));
  }
  return d;
}

void
otf2_free_devices (Otf2 *o)
{
  struct Devices *d = o->devices;

  if (!d)
    return;
  g_hash_table_unref (d->processes);
  g_array_unref (d->ends);
  g_array_unref (d->waits);
  g_byte_array_unref (d->awaits);
  g_free (d);
}

DeviceRole
otf2_device_role (Otf2 *o, const Location *at, uint64_t *process)
{
  *process = devices_process (o, at);
  return !g_hash_table_contains (devices_of (o)->processes, process) ? DEVICE_NONE
         : at->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM         ? DEVICE_STREAM
                                                                     : DEVICE_HOST;
}

static TraceAwaits
devices_call_awaits (Otf2 *o, uint32_t object)
{
  guint8 *awaits = trace_byte_of (o->devices->awaits, object);

  if (*awaits == 0)
    *awaits = (guint8) (1 + trace_region_awaits (trace_object_id (o->source, object)));
  return (TraceAwaits) (*awaits - 1);
}

void
otf2_device_enter (Lane *l, uint32_t object, int64_t date)
{
  if (l->device == DEVICE_HOST && l->waits_in == 0 && devices_call_awaits (l->o, object) != TRACE_AWAITS_NOTHING) {
    l->waits_since = date;
    l->waits_in = l->depth; /* it is inside of this one already */
  }
}

void
otf2_device_leave (Lane *l, uint32_t object, int64_t date)
{
  struct Devices *d = l->o->devices;

  if (l->device == DEVICE_STREAM && l->depth == 0) {
    const DeviceEnd one = { l->process, date, l->task, 0 };
    if (d->ends->len < MOST_NOTED)
      g_array_append_val (d->ends, one);
    else
      d->n_left[0]++;
  } else if (l->device == DEVICE_HOST && l->waits_in == l->depth + 1) {
    l->waits_in = 0;
    const DeviceWait one = { l->process, l->waits_since, date, l->task,
                             devices_call_awaits (l->o, object) == TRACE_AWAITS_ALL };
    if (d->waits->len < MOST_NOTED)
      g_array_append_val (d->waits, one);
    else
      d->n_left[1]++;
  }
}

/* ---- at the end ------------------------------------------------------------------------------------------------------------- */

static int
devices_by_date (gconstpointer a, gconstpointer b)
{
  const DeviceEnd *x = a, *y = b;

  return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
         : x->date != y->date     ? (x->date > y->date) - (x->date < y->date)
                                  : (x->stream > y->stream) - (x->stream < y->stream);
}

static int
devices_by_wait (gconstpointer a, gconstpointer b)
{
  const DeviceWait *x = a, *y = b;

  return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->task > y->task) - (x->task < y->task);
}

/* What ended last in a wait; NULL: nothing did, or nobody knows what of several it was for. */
static const DeviceEnd *
devices_awaited (const GArray *ends, const DeviceWait *w)
{
  const DeviceEnd *all = (const DeviceEnd *) (void *) ends->data, key = { w->process, w->to, UINT32_MAX, 0 };
  guint from = 0, to = ends->len;

  while (from < to) { /* behind the last that may be it */
    guint middle = from + (to - from) / 2;
    bool before = devices_by_date (&all[middle], &key) <= 0;
    *(before ? &from : &to) = middle + !!before;
  }
  const DeviceEnd *last = from > 0 && all[from - 1].process == w->process ? &all[from - 1] : NULL;
  if (!last || last->date <= w->from)
    return NULL;
  const DeviceEnd *other = last->run > 0 ? &all[last->run - 1] : NULL; /* the last of another stream */
  bool several = other && other->process == w->process && other->date > w->from;
  return several && !w->of_all ? NULL : last;
}

void
otf2_end_devices (Otf2 *o)
{
  struct Devices *d = o->devices;

  if (!d || d->waits->len == 0)
    return;
  if (d->n_left[0] > 0 || d->n_left[1] > 0)
    trace_source_remark (o->source, o->name, 0, 0,
                         _ ("more than %u ends of what accelerators do, or calls that wait for these; %" PRIu64
                            " ends and %" PRIu64
                            " calls are left out: some waits are not told, or as if for another stream"),
                         MOST_NOTED, d->n_left[0], d->n_left[1]);
  g_array_sort (d->ends, devices_by_date);
  g_array_sort (d->waits, devices_by_wait);
  for (guint i = 0; i < d->ends->len; i++) {
    DeviceEnd *one = &g_array_index (d->ends, DeviceEnd, i), *before = i > 0 ? one - 1 : NULL;
    one->run = before && before->process == one->process && before->stream == one->stream ? before->run : i;
  }
  for (guint i = 0; i < d->waits->len; i++) {
    const DeviceWait *w = &g_array_index (d->waits, DeviceWait, i);
    const DeviceEnd *end = devices_awaited (d->ends, w);
    if (!end)
      continue;
    TraceEvent e = { .date = end->date,
                     .task = end->stream,
                     .peer = w->task,
                     .object = TRACE_NONE,
                     .tag = -1,
                     .kind = otf2_kind_of (o, KIND_DONE),
                     .flags = TRACE_INSTANT };
    converter_event_first (o->to, &e); /* what waits may end at that very date */
    e.task = w->task;
    e.peer = end->stream;
    e.kind = otf2_kind_of (o, KIND_AWAITED);
    converter_event_first (o->to, &e);
  }
}
