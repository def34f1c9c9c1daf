/* SPDX-License-Identifier: Apache-2.0 */
/* cancelled.c - which sends are given up before anybody has received them.
 *
 * That is told by a later record with the number of the request, when the send is long among the events, and others may
 * wait in the same queue of messages behind it.  So an archive whose program can cancel is looked through first. */
#include "readers/otf2/otf2.h"

typedef struct Looking {
  uint64_t n_sends;
  GHashTable *open; /* number of a request -> the index of its send among those of the location */
  GArray *found;    /* of these, in no order */
} Looking;

static OTF2_CallbackCode
cancelled_on_isend (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t place, void *user,
                    OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                    uint64_t id)
{
  Looking *l = user;

  g_hash_table_insert (l->open, g_memdup2 (&id, sizeof id), g_memdup2 (&l->n_sends, sizeof l->n_sends));
  l->n_sends++;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
cancelled_on_complete (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t place, void *user,
                       OTF2_AttributeList *attributes, uint64_t id)
{
  g_hash_table_remove (((Looking *) user)->open, &id);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
cancelled_on_cancelled (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t place, void *user,
                        OTF2_AttributeList *attributes, uint64_t id)
{
  Looking *l = user;
  const uint64_t *send = g_hash_table_lookup (l->open, &id);

  if (send)
    g_array_append_val (l->found, *send);
  g_hash_table_remove (l->open, &id);
  return OTF2_CALLBACK_SUCCESS;
}

static int
cancelled_by_number (gconstpointer a, gconstpointer b)
{
  const uint64_t *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* Of one location; what cannot be read there will be told when its events are. */
static void
look_through (OTF2_Reader *of, Location *at, const OTF2_EvtReaderCallbacks *callbacks)
{
  OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader (of, at->id);
  uint64_t n;

  if (!reader)
    return;
  Looking l = { 0, g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
                g_array_new (FALSE, FALSE, sizeof (uint64_t)) };
  OTF2_Reader_RegisterEvtCallbacks (of, reader, callbacks, &l);
  OTF2_Reader_ReadAllLocalEvents (of, reader, &n);
  OTF2_Reader_CloseEvtReader (of, reader);
  g_hash_table_unref (l.open);
  g_array_sort (l.found, cancelled_by_number);
  if (l.found->len > 0)
    at->cancelled = g_steal_pointer (&l.found);
  else
    g_array_unref (l.found);
}

bool
otf2_find_cancelled (Otf2 *o, const char *anchor, const GArray *sizes, GError **error)
{
  OTF2_Reader *of = o->cancels ? OTF2_Reader_Open (anchor) : NULL;
  bool ok = true;

  if (!of)
    return true;
  OTF2_Reader_SetSerialCollectiveCallbacks (of);
  for (guint i = 0; i < sizes->len; i++)
    if (g_array_index (sizes, uint64_t, i) > 0)
      OTF2_Reader_SelectLocation (of, ((const Location *) o->all_locations->pdata[i])->id);
  if (OTF2_Reader_OpenEvtFiles (of) == OTF2_SUCCESS) {
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New ();
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback (callbacks, cancelled_on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback (callbacks, cancelled_on_complete);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback (callbacks, cancelled_on_cancelled);
    for (guint i = 0; i < sizes->len && ok; i++) {
      if (g_array_index (sizes, uint64_t, i) > 0)
        look_through (of, o->all_locations->pdata[i], callbacks);
      ok = converter_progress (o->to, 0, error);
    }
    OTF2_EvtReaderCallbacks_Delete (callbacks);
    OTF2_Reader_CloseEvtFiles (of);
  }
  OTF2_Reader_Close (of);
  return ok;
}

bool
otf2_is_cancelled (const Location *at, uint64_t send)
{
  return at->cancelled && bsearch (&send, at->cancelled->data, at->cancelled->len, sizeof send, cancelled_by_number);
}
