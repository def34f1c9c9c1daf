/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c - the records of each rank become the events of a location. */
#include <string.h>

#include "convert.h"
#include "eve/words.h"

#define CHUNK_BYTES (1024 * 1024)

typedef struct Writing {
  Run *run;
  Lane *lane;
  OTF2_EvtWriter *to;
  OTF2_AttributeList *attributes;
  OTF2_ErrorCode failed;
  uint32_t main;
  uint64_t last;
  GHashTable *functions; /* of this rank: address -> region + 1 */
} Writing;

static OTF2_FlushType
convert_pre_flush (void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
  return OTF2_FLUSH;
}

static OTF2_TimeStamp
convert_post_flush (void *user, OTF2_FileType type, OTF2_LocationRef location)
{
  return 0;
}

static void
convert_check (Writing *w, OTF2_ErrorCode code)
{
  if (code != OTF2_SUCCESS && w->failed == OTF2_SUCCESS)
    w->failed = code;
}

/* Dates of one location never go back. */
static uint64_t
at_date (Writing *w, uint64_t local)
{
  uint64_t date = raw_date (w->run, w->lane, local);

  w->last = MAX (w->last, date);
  return w->last;
}

static uint32_t
convert_function_of (Writing *w, uint64_t address)
{
  gint64 key = (gint64) address;
  void *known;

  if (g_hash_table_lookup_extended (w->functions, &key, NULL, &known))
    return GPOINTER_TO_UINT (known) - 1;
  uint32_t region = define_function (w->run, w->lane, address);
  g_hash_table_insert (w->functions, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (region + 1));
  return region;
}

static void
give_enter (Writing *w, const uint64_t *at, uint64_t date)
{
  bool own = RAW_B (*at) == 1;
  uint32_t region = define_region (w->run, w->lane, RAW_A (*at), own), site = define_site (w->run, w->lane, at[2]);
  OTF2_AttributeList *list = NULL;

  if (site != RAW_NONE) {
    list = w->attributes;
    convert_check (w, OTF2_AttributeList_AddSourceCodeLocationRef (list, 0, site));
  }
  convert_check (w, OTF2_EvtWriter_Enter (w->to, list, date, region));
  if (own)
    return;
  w->lane->n_calls++;
  if (w->lane->asked)
    g_array_set_size (w->lane->asked, 0);
  w->lane->open = region;
  w->lane->open_at = site;
  w->lane->open_since = (int64_t) date;
}

static void
give_leave (Writing *w, const uint64_t *at, uint64_t date)
{
  bool own = RAW_B (*at) == 1;

  convert_check (w, OTF2_EvtWriter_Leave (w->to, NULL, date, define_region (w->run, w->lane, RAW_A (*at), own)));
  if (!own)
    w->lane->open = RAW_NONE;
}

static void
give_function (Writing *w, const uint64_t *at, uint64_t date)
{
  uint32_t region = convert_function_of (w, at[2]);

  if (region == RAW_NONE)
    return;
  convert_check (w, RAW_TYPE (*at) == RAW_FUNCTION ? OTF2_EvtWriter_Enter (w->to, NULL, date, region)
                                                   : OTF2_EvtWriter_Leave (w->to, NULL, date, region));
}

static void
convert_give_message (Writing *w, const uint64_t *at, uint64_t date)
{
  uint32_t comm = raw_comm (w->run, w->lane, (uint32_t) (at[2] >> 32)), peer = (uint32_t) at[2], tag = (uint32_t) at[3];

  switch (RAW_TYPE (*at)) {
  case RAW_SEND:
    convert_check (w, OTF2_EvtWriter_MpiSend (w->to, NULL, date, peer, comm, tag, at[4]));
    break;
  case RAW_RECV:
    convert_check (w, OTF2_EvtWriter_MpiRecv (w->to, NULL, date, peer, comm, tag, at[4]));
    break;
  case RAW_ISEND:
    convert_check (w, OTF2_EvtWriter_MpiIsend (w->to, NULL, date, peer, comm, tag, at[4], at[5]));
    break;
  default:
    convert_check (w, OTF2_EvtWriter_MpiIrecv (w->to, NULL, date, peer, comm, tag, at[4], at[5]));
    break;
  }
}

static void
convert_give_request (Writing *w, const uint64_t *at, uint64_t date)
{
  switch (RAW_TYPE (*at)) {
  case RAW_SENT:
    convert_check (w, OTF2_EvtWriter_MpiIsendComplete (w->to, NULL, date, at[2]));
    break;
  case RAW_POSTED:
    convert_check (w, OTF2_EvtWriter_MpiIrecvRequest (w->to, NULL, date, at[2]));
    break;
  case RAW_TESTED:
    convert_check (w, OTF2_EvtWriter_MpiRequestTest (w->to, NULL, date, at[2]));
    break;
  case RAW_CANCELLED:
    convert_check (w, OTF2_EvtWriter_MpiRequestCancelled (w->to, NULL, date, at[2]));
    break;
  default:
    convert_check (w, OTF2_EvtWriter_NonBlockingCollectiveRequest (w->to, NULL, date, at[2]));
    break;
  }
}

static void
convert_give_collective (Writing *w, const uint64_t *at, uint64_t date)
{
  OTF2_CollectiveOp op = (OTF2_CollectiveOp) RAW_A (*at);
  uint32_t of = (uint32_t) (at[2] >> 32), root = (uint32_t) at[2];

  if (RAW_TYPE (*at) == RAW_ICOLL_DONE)
    convert_check (w, OTF2_EvtWriter_NonBlockingCollectiveComplete (
                          w->to, NULL, date, op, raw_comm (w->run, w->lane, of), root, at[3], at[4], at[5]));
  else if (RAW_B (*at) == 0)
    convert_check (
        w, OTF2_EvtWriter_MpiCollectiveEnd (w->to, NULL, date, op, raw_comm (w->run, w->lane, of), root, at[3], at[4]));
  else
    convert_check (w, OTF2_EvtWriter_RmaCollectiveEnd (w->to, NULL, date, op,
                                                       OTF2_RMA_SYNC_LEVEL_MEMORY | OTF2_RMA_SYNC_LEVEL_PROCESS,
                                                       raw_window (w->run, w->lane, of), root, at[3], at[4]));
}

static void
give_window (Writing *w, const uint64_t *at, uint64_t date)
{
  uint32_t window = raw_window (w->run, w->lane, (uint32_t) (at[2] >> 32)), target = (uint32_t) at[2];
  OTF2_LockType lock = RAW_A (*at) ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;

  switch (RAW_TYPE (*at)) {
  case RAW_PUT:
    convert_check (w, OTF2_EvtWriter_RmaPut (w->to, NULL, date, window, target, at[3], at[4]));
    break;
  case RAW_GET:
    convert_check (w, OTF2_EvtWriter_RmaGet (w->to, NULL, date, window, target, at[3], at[4]));
    break;
  case RAW_ATOMIC:
    convert_check (w, OTF2_EvtWriter_RmaAtomic (w->to, NULL, date, window, target, (OTF2_RmaAtomicType) RAW_A (*at),
                                                at[3], at[5], at[4]));
    break;
  case RAW_OP_DONE:
    convert_check (w, OTF2_EvtWriter_RmaOpCompleteBlocking (w->to, NULL, date, window, at[3]));
    break;
  case RAW_RMA_SYNC:
    convert_check (w, OTF2_EvtWriter_RmaSync (w->to, NULL, date, window, target, OTF2_RMA_SYNC_TYPE_MEMORY));
    break;
  case RAW_LOCK_ASKED:
    convert_check (w, OTF2_EvtWriter_RmaRequestLock (w->to, NULL, date, window, target, target, lock));
    break;
  case RAW_LOCKED:
    convert_check (w, OTF2_EvtWriter_RmaAcquireLock (w->to, NULL, date, window, target, target, lock));
    break;
  default:
    convert_check (w, OTF2_EvtWriter_RmaReleaseLock (w->to, NULL, date, window, target, target));
    break;
  }
}

static void
give_group (Writing *w, const uint64_t *at, uint64_t date)
{
  uint32_t n = (uint32_t) at[2];

  if (3 + ((uint64_t) n + 1) / 2 > RAW_WORDS (*at))
    return;
  convert_check (w, OTF2_EvtWriter_RmaGroupSync (w->to, NULL, date,
                                                 OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                                                 raw_window (w->run, w->lane, (uint32_t) (at[2] >> 32)),
                                                 n ? define_group (w->run, at + 3, n) : OTF2_UNDEFINED_GROUP));
}

static void
keep_asked (Writing *w, const uint64_t *at)
{
  if (!w->lane->asked)
    w->lane->asked = g_array_new (FALSE, FALSE, sizeof at);
  g_array_append_val (w->lane->asked, at);
}

/* The call that never ended tells whom it waits for: its rank in MPI_COMM_WORLD, -1: any; and the tag.  A send is told
 * if it is alone: else it may be done. */
static void
give_asked (Writing *w)
{
  const GArray *all = w->lane->open != RAW_NONE ? w->lane->asked : NULL;

  for (guint i = 0; all && i < all->len; i++) {
    const uint64_t *at = g_array_index (all, const uint64_t *, i);
    if (RAW_TYPE (*at) == RAW_BEGIN) {
      w->run->asked = true;
      convert_check (
          w, OTF2_EvtWriter_ParameterInt (w->to, NULL, w->last, 2, raw_comm (w->run, w->lane, (uint32_t) at[2])));
      continue;
    }
    uint32_t number = raw_comm (w->run, w->lane, (uint32_t) (at[2] >> 32)), peer = (uint32_t) at[2];
    const Comm *comm = number < w->run->comms->len ? w->run->comms->pdata[number] : NULL;
    bool known = comm && comm->m == 0 && peer < comm->n;
    if ((RAW_B (*at) && all->len > 1) || (peer != RAW_NONE && !known))
      continue;
    w->run->asked = true;
    convert_check (w, OTF2_EvtWriter_ParameterInt (w->to, NULL, w->last, 0,
                                                   RAW_B (*at) || (uint32_t) at[3] == RAW_NONE ? -1 : (int64_t) at[3]));
    convert_check (
        w, OTF2_EvtWriter_ParameterInt (w->to, NULL, w->last, 1, known ? (int64_t) comm->members[peer] : INT64_C (-1)));
  }
}

/* Words that each type of record has at least. */
static const uint8_t needs[256] = {
  [RAW_ENTER] = 3,      [RAW_LEAVE] = 2,      [RAW_FUNCTION] = 3,  [RAW_FUNCTION_END] = 3, [RAW_SEND] = 5,
  [RAW_RECV] = 5,       [RAW_ISEND] = 6,      [RAW_IRECV] = 6,     [RAW_SENT] = 3,         [RAW_POSTED] = 3,
  [RAW_TESTED] = 3,     [RAW_CANCELLED] = 3,  [RAW_BEGIN] = 2,     [RAW_ENDED] = 5,        [RAW_ICOLL] = 3,
  [RAW_ICOLL_DONE] = 6, [RAW_COMM_MADE] = 3,  [RAW_COMM_GONE] = 3, [RAW_WIN_MADE] = 3,     [RAW_WIN_GONE] = 3,
  [RAW_PUT] = 5,        [RAW_GET] = 5,        [RAW_ATOMIC] = 6,    [RAW_OP_DONE] = 4,      [RAW_GROUP_SYNC] = 3,
  [RAW_RMA_SYNC] = 3,   [RAW_LOCK_ASKED] = 3, [RAW_LOCKED] = 3,    [RAW_UNLOCKED] = 3,     [RAW_ON] = 2,
  [RAW_ASKED] = 4,
};

static void
convert_give (Writing *w, const uint64_t *at)
{
  unsigned type = RAW_TYPE (*at);

  if (needs[type] == 0 || RAW_WORDS (*at) < needs[type])
    return;
  uint64_t date = at_date (w, at[1]);
  switch (type) {
  case RAW_ENTER:
    give_enter (w, at, date);
    break;
  case RAW_LEAVE:
    give_leave (w, at, date);
    break;
  case RAW_FUNCTION:
  case RAW_FUNCTION_END:
    give_function (w, at, date);
    break;
  case RAW_SEND:
  case RAW_RECV:
  case RAW_ISEND:
  case RAW_IRECV:
    convert_give_message (w, at, date);
    break;
  case RAW_SENT:
  case RAW_POSTED:
  case RAW_TESTED:
  case RAW_CANCELLED:
  case RAW_ICOLL:
    convert_give_request (w, at, date);
    break;
  case RAW_BEGIN:
    if (RAW_B (*at) == 0 && RAW_WORDS (*at) > 2)
      keep_asked (w, at);
    convert_check (w, RAW_B (*at) ? OTF2_EvtWriter_RmaCollectiveBegin (w->to, NULL, date)
                                  : OTF2_EvtWriter_MpiCollectiveBegin (w->to, NULL, date));
    break;
  case RAW_ENDED:
  case RAW_ICOLL_DONE:
    convert_give_collective (w, at, date);
    break;
  case RAW_COMM_MADE:
    convert_check (w, OTF2_EvtWriter_CommCreate (w->to, NULL, date, raw_comm (w->run, w->lane, (uint32_t) at[2])));
    break;
  case RAW_COMM_GONE:
    convert_check (w, OTF2_EvtWriter_CommDestroy (w->to, NULL, date, raw_comm (w->run, w->lane, (uint32_t) at[2])));
    break;
  case RAW_WIN_MADE:
    convert_check (w, OTF2_EvtWriter_RmaWinCreate (w->to, NULL, date, raw_window (w->run, w->lane, (uint32_t) at[2])));
    break;
  case RAW_WIN_GONE:
    convert_check (w, OTF2_EvtWriter_RmaWinDestroy (w->to, NULL, date, raw_window (w->run, w->lane, (uint32_t) at[2])));
    break;
  case RAW_ASKED:
    keep_asked (w, at);
    break;
  case RAW_GROUP_SYNC:
    give_group (w, at, date);
    break;
  case RAW_ON:
    convert_check (w, OTF2_EvtWriter_MeasurementOnOff (w->to, NULL, date,
                                                       RAW_A (*at) ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
    break;
  default:
    give_window (w, at, date);
    break;
  }
}

/* It ended with the run: what it was inside of lasted until then. */
static void
give_stopped (Writing *w)
{
  Run *run = w->run;

  for (guint i = 0; run->stopped > 0 && i < run->lanes->len; i++) {
    const Lane *l = run->lanes->pdata[i];
    if (strcmp (l->h->domain, run->domain) != 0)
      continue;
    w->last = MAX (w->last, raw_date (run, l, (uint64_t) run->stopped));
    run->last = MAX (run->last, run->origin + (int64_t) w->last);
    convert_check (w, OTF2_EvtWriter_ProgramEnd (w->to, NULL, w->last, -1));
    return;
  }
}

static void
write_lane (Writing *w, OTF2_Archive *archive)
{
  Lane *l = w->lane;
  bool master = l->h->thread == 0;

  w->last = 0;
  w->to = OTF2_Archive_GetEvtWriter (archive, l->location);
  if (!w->to) {
    convert_check (w, OTF2_ERROR_MEM_ALLOC_FAILED);
    return;
  }
  if (master)
    convert_check (w, OTF2_EvtWriter_Enter (w->to, NULL, at_date (w, (uint64_t) l->h->born), w->main));
  for (const uint64_t *at = l->at; (at = raw_next (l, at)) != NULL; at += RAW_WORDS (*at))
    convert_give (w, at);
  give_asked (w);
  l->last = (int64_t) w->last; /* what tape-mpi tells of it */
  if (master && !l->finalized)
    give_stopped (w);
  g_clear_pointer (&l->asked, g_array_unref);
  if (master && l->finalized)
    convert_check (w, OTF2_EvtWriter_Leave (w->to, NULL, w->last, w->main));
  convert_check (w, OTF2_EvtWriter_GetNumberOfEvents (w->to, &l->n_events));
  convert_check (w, OTF2_Archive_CloseEvtWriter (archive, w->to));
}

static bool
convert_write_events (Run *run, OTF2_Archive *archive)
{
  Writing w = { .run = run, .attributes = OTF2_AttributeList_New (), .main = define_main (run) };
  uint32_t rank = RAW_NONE;

  for (guint i = 0; i < run->lanes->len && w.failed == OTF2_SUCCESS; i++) {
    w.lane = run->lanes->pdata[i];
    if (w.lane->h->rank != rank) {
      g_clear_pointer (&w.functions, g_hash_table_unref);
      w.functions = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    }
    rank = w.lane->h->rank;
    write_lane (&w, archive);
  }
  g_clear_pointer (&w.functions, g_hash_table_unref);
  OTF2_AttributeList_Delete (w.attributes);
  if (w.failed != OTF2_SUCCESS)
    tape_say (_ ("%s: libotf2 cannot write it: %s"), run->output, OTF2_Error_GetDescription (w.failed));
  return w.failed == OTF2_SUCCESS;
}

static void
free_region (void *region)
{
  Region *r = region;

  g_free (r->name);
  g_free (r);
}

static void
convert_clear_site (void *site)
{
  Site *s = site;

  g_free (s->file);
  g_free (s->function);
}

bool
convert (Run *run)
{
  static OTF2_FlushCallbacks flush = { convert_pre_flush, convert_post_flush };
  OTF2_Archive *archive = OTF2_Archive_Open (run->output, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, 4 * CHUNK_BYTES,
                                             OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

  if (!archive) {
    tape_say (_ ("%s: libotf2 cannot make an archive there"), run->output);
    return false;
  }
  run->sites = g_array_new (FALSE, TRUE, sizeof (Site));
  g_array_set_clear_func (run->sites, convert_clear_site);
  run->site_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run->regions = g_ptr_array_new_with_free_func (free_region);
  run->region_of = g_hash_table_new (g_str_hash, g_str_equal);
  run->groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  run->group_of = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  OTF2_Archive_SetFlushCallbacks (archive, &flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks (archive);
  OTF2_Archive_SetCreator (archive, "tape-mpi of Scope");
  OTF2_Archive_SetProperty (archive, "TAPE_MPI::CLOCKS", run->clocks->len > 1 ? "compared" : "one", false);
  OTF2_Archive_OpenEvtFiles (archive);
  bool ok = convert_write_events (run, archive);
  OTF2_Archive_CloseEvtFiles (archive);
  ok = ok && define_write (run, archive);
  if (OTF2_Archive_Close (archive) != OTF2_SUCCESS && ok) {
    tape_say (_ ("%s: libotf2 cannot write it"), run->output);
    ok = false;
  }
  return ok;
}
