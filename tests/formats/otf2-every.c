/* SPDX-License-Identifier: Apache-2.0 */
/* otf2-every.c - writes an OTF2 archive in FOLDER that has each kind of record once, in an order that a program could
 * leave: every 10 ns, in location 0. Prints a line for each: DATE NAME. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <otf2/otf2.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* old records of OpenMP */

static OTF2_EvtWriter *w;
static OTF2_GlobalDefWriter *defs;
static uint64_t date, n_events;
static uint32_t n_strings;

static OTF2_FlushType
every_before_flush (void *u, OTF2_FileType t, OTF2_LocationRef l, void *caller, bool final)
{
  return OTF2_FLUSH;
}

static OTF2_TimeStamp
every_after_flush (void *u, OTF2_FileType t, OTF2_LocationRef l)
{
  return 0;
}
static OTF2_FlushCallbacks every_flush = { every_before_flush, every_after_flush };

static uint32_t
every_text (const char *s)
{
  OTF2_GlobalDefWriter_WriteString (defs, n_strings, s);
  return n_strings++;
}

static void
says (const char *name)
{
  n_events++;
  printf ("%" PRIu64 " %s\n", date, name);
}

#define RECORD(name, ...)                                                                                              \
  (OTF2_EvtWriter_##name (w, NULL, date += 10 __VA_OPT__ (, ) __VA_ARGS__) == OTF2_SUCCESS ? says (#name) : (void) 0)

static void
write_calls (void)
{
  RECORD (ProgramBegin, 0, 0, NULL);
  RECORD (Enter, 0);
  RECORD (ParameterInt, 0, -7);
  RECORD (ParameterUnsignedInt, 1, 7);
  RECORD (ParameterString, 2, 0);
  RECORD (CallingContextEnter, 0, 1);
  RECORD (CallingContextSample, 0, 1, 0);
  RECORD (CallingContextLeave, 0);
  RECORD (CommCreate, 1);
  RECORD (MpiSend, 1, 0, 3, 100);
  RECORD (MpiIsend, 1, 0, 4, 200, 1);
  RECORD (MpiIsendComplete, 1);
  RECORD (MpiRecv, 1, 0, 5, 100);
  RECORD (MpiIrecvRequest, 2);
  RECORD (MpiRequestTest, 2);
  RECORD (MpiIrecv, 1, 0, 6, 200, 2);
  RECORD (MpiIrecvRequest, 3);
  RECORD (MpiRequestCancelled, 3);
  RECORD (MpiCollectiveBegin);
  RECORD (MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, 1, OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
  RECORD (NonBlockingCollectiveRequest, 4);
  RECORD (NonBlockingCollectiveComplete, OTF2_COLLECTIVE_OP_BARRIER, 1, OTF2_COLLECTIVE_ROOT_NONE, 0, 0, 4);
  RECORD (CommDestroy, 1);
}

static void
write_windows (void)
{
  RECORD (RmaWinCreate, 0);
  RECORD (RmaCollectiveBegin);
  RECORD (RmaCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_MEMORY, 0, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  RECORD (RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 1);
  RECORD (RmaRequestLock, 0, 1, 9, OTF2_LOCK_SHARED);
  RECORD (RmaAcquireLock, 0, 1, 9, OTF2_LOCK_SHARED);
  RECORD (RmaPut, 0, 1, 64, 11);
  RECORD (RmaOpTest, 0, 11);
  RECORD (RmaOpCompleteBlocking, 0, 11);
  RECORD (RmaGet, 0, 1, 65, 12);
  RECORD (RmaOpCompleteNonBlocking, 0, 12);
  RECORD (RmaAtomic, 0, 1, OTF2_RMA_ATOMIC_TYPE_SWAP, 4, 4, 13);
  RECORD (RmaOpCompleteRemote, 0, 13);
  RECORD (RmaReleaseLock, 0, 1, 9);
  RECORD (RmaTryLock, 0, 1, 9, OTF2_LOCK_EXCLUSIVE);
  RECORD (RmaSync, 0, 1, OTF2_RMA_SYNC_TYPE_MEMORY);
  RECORD (RmaWaitChange, 0);
  RECORD (RmaWinDestroy, 0);
}

static void
write_threads (void)
{
  RECORD (ThreadFork, OTF2_PARADIGM_OPENMP, 2);
  RECORD (ThreadTeamBegin, 2);
  RECORD (ThreadAcquireLock, OTF2_PARADIGM_OPENMP, 5, 1);
  RECORD (ThreadReleaseLock, OTF2_PARADIGM_OPENMP, 5, 1);
  RECORD (ThreadTaskCreate, 2, 0, 1);
  RECORD (ThreadTaskSwitch, 2, 0, 1);
  RECORD (ThreadTaskComplete, 2, 0, 1);
  RECORD (ThreadTeamEnd, 2);
  RECORD (ThreadJoin, OTF2_PARADIGM_OPENMP);
  RECORD (ThreadCreate, 2, 1);
  RECORD (ThreadBegin, 2, 1);
  RECORD (ThreadWait, 2, 1);
  RECORD (ThreadEnd, 2, 1);
  RECORD (OmpFork, 2);
  RECORD (OmpAcquireLock, 6, 1);
  RECORD (OmpReleaseLock, 6, 1);
  RECORD (OmpTaskCreate, 1);
  RECORD (OmpTaskSwitch, 1);
  RECORD (OmpTaskComplete, 1);
  RECORD (OmpJoin);
}

static void
write_files (void)
{
  RECORD (IoCreateHandle, 0, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE);
  RECORD (IoDuplicateHandle, 0, 1, OTF2_IO_STATUS_FLAG_NONE);
  RECORD (IoSeek, 0, -4, OTF2_IO_SEEK_FROM_END, 96);
  RECORD (IoChangeStatusFlags, 0, OTF2_IO_STATUS_FLAG_APPEND);
  RECORD (IoTryLock, 0, OTF2_LOCK_SHARED);
  RECORD (IoAcquireLock, 0, OTF2_LOCK_SHARED);
  RECORD (IoOperationBegin, 0, OTF2_IO_OPERATION_MODE_READ, OTF2_IO_OPERATION_FLAG_NON_BLOCKING, 50, 21);
  RECORD (IoOperationIssued, 0, 21);
  RECORD (IoOperationTest, 0, 21);
  RECORD (IoOperationComplete, 0, 40, 21);
  RECORD (IoOperationBegin, 0, OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_NON_BLOCKING, 50, 22);
  RECORD (IoOperationCancelled, 0, 22);
  RECORD (IoReleaseLock, 0, OTF2_LOCK_SHARED);
  RECORD (IoDestroyHandle, 0);
  RECORD (IoDeleteFile, 0, 0);
}

static void
write_end (void)
{
  OTF2_Type types[2] = { OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE };
  uint64_t flushed = date + 25;
  OTF2_MetricValue values[2] = { { .unsigned_int = 12345678901234 }, { .floating_point = 2.5 } };

  RECORD (Metric, 0, 2, types, values);
  RECORD (BufferFlush, flushed);
  RECORD (MeasurementOnOff, OTF2_MEASUREMENT_OFF);
  RECORD (MeasurementOnOff, OTF2_MEASUREMENT_ON);
  RECORD (Leave, 0);
  RECORD (ProgramEnd, 3);
}

static void
write_places (void)
{
  uint64_t places[2] = { 0, 1 };

  OTF2_GlobalDefWriter_WriteClockProperties (defs, 1000000000, 0, date + 1, OTF2_UNDEFINED_TIMESTAMP);
  every_text ("main");
  OTF2_GlobalDefWriter_WriteSystemTreeNode (defs, 0, every_text ("node"), every_text ("machine"),
                                            OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t name = every_text (i ? "rank 1" : "rank 0");
    OTF2_GlobalDefWriter_WriteLocationGroup (defs, i, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                             OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation (defs, i, name, OTF2_LOCATION_TYPE_CPU_THREAD, i ? 0 : n_events, i);
  }
  for (uint32_t i = 0; i < 2; i++) {
    OTF2_Paradigm of = i ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_MPI;
    OTF2_GlobalDefWriter_WriteGroup (defs, 10 + i, every_text ("all"), OTF2_GROUP_TYPE_COMM_LOCATIONS, of,
                                     OTF2_GROUP_FLAG_NONE, 2, places);
    OTF2_GlobalDefWriter_WriteGroup (defs, i, every_text ("some"), OTF2_GROUP_TYPE_COMM_GROUP, of, OTF2_GROUP_FLAG_NONE,
                                     2, places);
  }
  for (uint32_t i = 0; i < 3; i++)
    OTF2_GlobalDefWriter_WriteComm (defs, i, every_text (i ? "part" : "world"), i == 2, OTF2_UNDEFINED_COMM,
                                    OTF2_COMM_FLAG_NONE);
  OTF2_GlobalDefWriter_WriteRmaWin (defs, 0, every_text ("window"), 0, OTF2_RMA_WIN_FLAG_NONE);
}

static void
write_names (void)
{
  static const OTF2_ParameterType types[] = { OTF2_PARAMETER_TYPE_INT64, OTF2_PARAMETER_TYPE_UINT64,
                                              OTF2_PARAMETER_TYPE_STRING };
  OTF2_MetricMemberRef members[2] = { 0, 1 };

  OTF2_GlobalDefWriter_WriteRegion (defs, 0, 0, 0, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                    OTF2_REGION_FLAG_NONE, 0, 0, 0);
  OTF2_GlobalDefWriter_WriteCallingContext (defs, 0, 0, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                            OTF2_UNDEFINED_CALLING_CONTEXT);
  OTF2_GlobalDefWriter_WriteInterruptGenerator (defs, 0, every_text ("timer"), OTF2_INTERRUPT_GENERATOR_MODE_TIME,
                                                OTF2_BASE_DECIMAL, -3, 1);
  for (uint32_t i = 0; i < 3; i++)
    OTF2_GlobalDefWriter_WriteParameter (defs, i, every_text ("told"), types[i]);
  for (uint32_t i = 0; i < 2; i++)
    OTF2_GlobalDefWriter_WriteMetricMember (defs, i, every_text (i ? "load" : "cycles"), 0, OTF2_METRIC_TYPE_OTHER,
                                            OTF2_METRIC_ABSOLUTE_POINT, i ? OTF2_TYPE_DOUBLE : OTF2_TYPE_UINT64,
                                            OTF2_BASE_DECIMAL, 0, every_text ("#"));
  OTF2_GlobalDefWriter_WriteMetricClass (defs, 0, 2, members, OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
  OTF2_GlobalDefWriter_WriteIoRegularFile (defs, 0, every_text ("/data/file"), 0);
  OTF2_GlobalDefWriter_WriteIoParadigm (defs, 0, every_text ("POSIX"), every_text ("POSIX I/O"),
                                        OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL);
  for (uint32_t i = 0; i < 2; i++)
    OTF2_GlobalDefWriter_WriteIoHandle (defs, i, every_text ("handle"), 0, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                        OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
}

int
main (int n_words, char **argv)
{
  OTF2_Archive *archive = n_words == 2 ? OTF2_Archive_Open (argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 22,
                                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)
                                       : NULL;
  if (!archive)
    return 2;
  OTF2_Archive_SetFlushCallbacks (archive, &every_flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks (archive);
  OTF2_Archive_OpenEvtFiles (archive);
  w = OTF2_Archive_GetEvtWriter (archive, 0);
  write_calls ();
  write_windows ();
  write_threads ();
  write_files ();
  write_end ();
  OTF2_Archive_CloseEvtWriter (archive, w);
  OTF2_Archive_CloseEvtWriter (archive, OTF2_Archive_GetEvtWriter (archive, 1));
  OTF2_Archive_CloseEvtFiles (archive);
  OTF2_Archive_OpenDefFiles (archive);
  for (uint64_t l = 0; l < 2; l++)
    OTF2_Archive_CloseDefWriter (archive, OTF2_Archive_GetDefWriter (archive, l));
  OTF2_Archive_CloseDefFiles (archive);
  defs = OTF2_Archive_GetGlobalDefWriter (archive);
  write_places ();
  write_names ();
  OTF2_Archive_CloseGlobalDefWriter (archive, defs);
  return OTF2_Archive_Close (archive) != OTF2_SUCCESS;
}
