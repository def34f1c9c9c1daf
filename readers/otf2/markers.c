/* SPDX-License-Identifier: Apache-2.0 */
/* markers.c - notes that somebody has added to an archive, in a file of their own. */
#include <string.h>

#include "readers/otf2/otf2.h"
#include "eve/words.h"

static OTF2_CallbackCode
on_definition (void *user, OTF2_MarkerRef self, const char *group, const char *category, OTF2_MarkerSeverity severity)
{
  Otf2 *o = user;
  g_autofree char *name = g_strdup_printf ("%s: %s", group ? group : "", category ? category : "");
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  uint32_t object = trace_source_add_object (o->source, valid);

  map_put (&o->markers, self, g_memdup2 (&object, sizeof object));
  return OTF2_CALLBACK_SUCCESS;
}

/* The task that a note is of; of all, or of a group: the first. */
static uint32_t
markers_task_of (Otf2 *o, OTF2_MarkerScope scope, uint64_t of)
{
  const Location *first = o->all_locations->pdata[0];
  OTF2_MetricScope known = scope == OTF2_MARKER_SCOPE_LOCATION_GROUP     ? OTF2_SCOPE_LOCATION_GROUP
                           : scope == OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE ? OTF2_SCOPE_SYSTEM_TREE_NODE
                           : scope == OTF2_MARKER_SCOPE_LOCATION         ? OTF2_SCOPE_LOCATION
                                                                         : OTF2_SCOPE_GROUP;

  return otf2_scope_task (o, known, of, first->task);
}

static OTF2_CallbackCode
on_marker (void *user, OTF2_TimeStamp time, OTF2_TimeStamp duration, OTF2_MarkerRef marker, OTF2_MarkerScope scope,
           uint64_t of, const char *text)
{
  Otf2 *o = user;
  const uint32_t *object = map_get (&o->markers, marker);
  TraceEvent e = { .peer = TRACE_NONE, .object = object ? *object : TRACE_NONE, .tag = -1 };
  int64_t end;

  if (!otf2_date (o, time, &e.date) || !otf2_date (o, time + duration, &end)) {
    otf2_damaged (o, NULL, _ ("a marker has a date that cannot be; it is left out"));
    return OTF2_CALLBACK_SUCCESS;
  }
  e.task = markers_task_of (o, scope, of);
  e.kind = (uint16_t) (o->kinds[KIND_MARKER] ? o->kinds[KIND_MARKER] - 1 : otf2_add_kind (o, KIND_MARKER));
  converter_text (o->to, text ? text : "", text ? strlen (text) : 0);
  return converter_action (o->to, &e, MAX (end, e.date)) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

void
otf2_read_markers (Otf2 *o)
{
  OTF2_MarkerReader *reader = OTF2_Reader_GetMarkerReader (o->reader);
  OTF2_MarkerReaderCallbacks *c = reader ? OTF2_MarkerReaderCallbacks_New () : NULL;
  uint64_t n = 0;

  if (!reader)
    return;
  OTF2_MarkerReaderCallbacks_SetDefMarkerCallback (c, on_definition);
  OTF2_MarkerReaderCallbacks_SetMarkerCallback (c, on_marker);
  OTF2_Reader_RegisterMarkerCallbacks (o->reader, reader, c, o);
  OTF2_MarkerReaderCallbacks_Delete (c);
  OTF2_ErrorCode code = OTF2_Reader_ReadAllMarkers (o->reader, reader, &n);
  if (code != OTF2_SUCCESS)
    otf2_damaged (o, NULL, _ ("the markers end after %" PRIu64 ", in what cannot be read"), n);
  OTF2_Reader_CloseMarkerReader (o->reader, reader);
}
