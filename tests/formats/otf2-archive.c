/* SPDX-License-Identifier: Apache-2.0 */
/* otf2-archive.c - writes an OTF2 archive of a program that never was: FOLDER SEED RANKS STEPS [plain].
 *
 * Odd as real ones are: communicators that split, wildcard receives (a record has its own source), requests that end in
 * another order, recursion, threads, metrics of all modes and scopes, what is never received, regions left open.  Dates
 * are those of a run that could be: nobody receives before it was sent.  `plain`: regions and messages alone, many. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

enum {
  MAIN,
  WORK,
  RECURSE,
  SEND,
  SSEND,
  RECV,
  ISEND,
  IRECV,
  WAIT,
  BARRIER,
  BCAST,
  ALLREDUCE,
  REDUCE,
  GATHER,
  SCAN,
  PUT,
  WRITE,
  PARALLEL,
  N_REGIONS
};
static const struct {
  const char *name;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
} regions[N_REGIONS] = {
  [MAIN] = { "main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER },
  [WORK] = { "work", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER },
  [RECURSE] = { "recurse", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER },
  [SEND] = { "MPI_Send", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI },
  [SSEND] = { "MPI_Ssend", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI },
  [RECV] = { "MPI_Recv", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI },
  [ISEND] = { "MPI_Isend", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI },
  [IRECV] = { "MPI_Irecv", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI },
  [WAIT] = { "MPI_Waitall", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI },
  [BARRIER] = { "MPI_Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI },
  [BCAST] = { "MPI_Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_PARADIGM_MPI },
  [ALLREDUCE] = { "MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI },
  [REDUCE] = { "MPI_Reduce", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_PARADIGM_MPI },
  [GATHER] = { "MPI_Gather", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_PARADIGM_MPI },
  [SCAN] = { "MPI_Scan", OTF2_REGION_ROLE_COLL_OTHER, OTF2_PARADIGM_MPI },
  [PUT] = { "MPI_Put", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI },
  [WRITE] = { "write", OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_USER },
  [PARALLEL] = { "!$omp parallel", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP },
};

#define MOST 4096
static int n_ranks;
static OTF2_EvtWriter *writers[MOST];
static uint64_t clocks[MOST], n_events[MOST], requests[MOST], counters[MOST];
static int depth[MOST];
static uint64_t seed;
#define START 5000

static uint32_t
any (uint32_t n)
{
  seed = seed * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (uint32_t) (seed >> 33) % n;
}

static OTF2_FlushType
pre_flush (void *u, OTF2_FileType t, OTF2_LocationRef l, void *caller, bool final)
{
  return OTF2_FLUSH;
}

static OTF2_TimeStamp
post_flush (void *u, OTF2_FileType t, OTF2_LocationRef l)
{
  return 0;
}
static OTF2_FlushCallbacks flush = { pre_flush, post_flush };

/* ---- communicators: the world, odd and even ranks, each alone ------------------------------------------------------------ */
static int
size_of (int comm)
{
  return comm == 0 ? n_ranks : comm == 1 ? (n_ranks + 1) / 2 : n_ranks / 2;
}

static int
member (int comm, int rank)
{
  return comm == 0 ? rank : 2 * rank + (comm - 1);
}

static void
pass (int r, uint32_t least)
{
  clocks[r] += least + any (3) * any (40);
}

static void
enter (int r, int region)
{
  OTF2_EvtWriter_Enter (writers[r], NULL, clocks[r], (OTF2_RegionRef) region);
  n_events[r]++;
}

static void
leave (int r, int region)
{
  OTF2_EvtWriter_Leave (writers[r], NULL, clocks[r], (OTF2_RegionRef) region);
  n_events[r]++;
}

#define PUT_EVENT(r, call) (n_events[r]++, OTF2_EvtWriter_##call)

static void
message (bool late)
{
  int comm = any (4) ? 0 : 1 + (int) any (2), n = size_of (comm);
  if (n < 2)
    return;
  uint32_t from = any ((uint32_t) n), to = (from + 1 + any ((uint32_t) n - 1)) % (uint32_t) n, tag = any (3);
  int s = member (comm, (int) from), r = member (comm, (int) to), kind = any (3) ? SEND : SSEND;
  uint64_t bytes = any (5) ? any (100000) : 0;
  (late ? pass (s, any (60)) : pass (r, any (60)));
  pass (s, 1);
  pass (r, 1);
  uint64_t entered = clocks[s], posted = clocks[r];
  enter (s, kind);
  enter (r, RECV);
  clocks[s] += any (3);
  PUT_EVENT (s, MpiSend) (writers[s], NULL, clocks[s], to, (OTF2_CommRef) comm, tag, bytes);
  clocks[s] = (kind == SSEND && posted > clocks[s] ? posted : clocks[s]) + any (4);
  leave (s, kind);
  clocks[r] = (entered > posted ? entered : posted) + 3 + any (5);
  PUT_EVENT (r, MpiRecv) (writers[r], NULL, clocks[r], from, (OTF2_CommRef) comm, tag, bytes);
  clocks[r] += any (3);
  leave (r, RECV);
}

/* Two messages of one tag in two communicators, which are received in the other order. */
static void
crossed (void)
{
  int n = size_of (1), s, r;
  uint32_t from, to;

  if (n < 2)
    return;
  from = any ((uint32_t) n);
  to = (from + 1 + any ((uint32_t) n - 1)) % (uint32_t) n;
  s = member (1, (int) from);
  r = member (1, (int) to);
  for (int comm = 0; comm < 2; comm++) {
    pass (s, 1);
    enter (s, SEND);
    PUT_EVENT (s, MpiSend) (writers[s], NULL, clocks[s], comm ? to : (uint32_t) r, (OTF2_CommRef) comm, 1, any (5000));
    leave (s, SEND);
  }
  clocks[r] = clocks[r] > clocks[s] ? clocks[r] : clocks[s];
  for (int comm = 2; comm-- > 0;) {
    pass (r, 30);
    enter (r, RECV);
    clocks[r] += 3;
    PUT_EVENT (r, MpiRecv) (writers[r], NULL, clocks[r], comm ? from : (uint32_t) s, (OTF2_CommRef) comm, 1, 10);
    leave (r, RECV);
  }
}

/* Several requests between two ranks, which end in any order, in one call. */
static void
requests_between (void)
{
  int s = (int) any ((uint32_t) n_ranks), r = (int) any ((uint32_t) n_ranks), n = 1 + (int) any (4);
  uint64_t sent[4], received[4], last = 0;

  if (s == r)
    return;
  for (int i = 0; i < n; i++) {
    pass (r, 1);
    enter (r, IRECV);
    received[i] = ++requests[r];
    PUT_EVENT (r, MpiIrecvRequest) (writers[r], NULL, clocks[r], received[i]);
    clocks[r] += any (2);
    leave (r, IRECV);
  }
  for (int i = 0; i < n; i++) {
    pass (s, 1);
    enter (s, ISEND);
    sent[i] = ++requests[s];
    last = clocks[s];
    PUT_EVENT (s, MpiIsend) (writers[s], NULL, clocks[s], (uint32_t) r, 0, (uint32_t) (10 + i), any (5000), sent[i]);
    clocks[s] += any (2);
    leave (s, ISEND);
  }
  pass (s, 1);
  enter (s, WAIT);
  for (int i = n; i-- > 0;)
    if (any (8)) /* else its completion is never told */
      PUT_EVENT (s, MpiIsendComplete) (writers[s], NULL, clocks[s] += any (3), sent[i]);
  leave (s, WAIT);
  pass (r, 1);
  enter (r, WAIT);
  clocks[r] = (last > clocks[r] ? last : clocks[r]) + 2;
  for (int i = n; i-- > 0;) {
    if (!any (20)) {
      PUT_EVENT (r, MpiRequestCancelled) (writers[r], NULL, clocks[r], received[i]);
      continue;
    }
    PUT_EVENT (r, MpiIrecv)
    (writers[r], NULL, clocks[r] += any (3), (uint32_t) s, 0, (uint32_t) (10 + i), any (5000), received[i]);
  }
  clocks[r] += any (2);
  leave (r, WAIT);
}

static void
collective (void)
{
  static const struct {
    int region;
    OTF2_CollectiveOp op;
  } kinds[] = { { BARRIER, OTF2_COLLECTIVE_OP_BARRIER },     { BCAST, OTF2_COLLECTIVE_OP_BCAST },
                { ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE }, { REDUCE, OTF2_COLLECTIVE_OP_REDUCE },
                { GATHER, OTF2_COLLECTIVE_OP_GATHER },       { SCAN, OTF2_COLLECTIVE_OP_SCAN } };
  int comm = any (3) ? 0 : 1 + (int) any (2), n = size_of (comm), k = (int) any (6);
  uint32_t root = k == 1 || k == 3 || k == 4 ? any ((uint32_t) n) : OTF2_COLLECTIVE_ROOT_NONE;
  uint64_t last = 0, at_root = 0;

  for (int i = 0; i < n; i++) {
    int r = member (comm, i);
    pass (r, any (50));
    enter (r, kinds[k].region);
    last = clocks[r] > last ? clocks[r] : last;
    at_root = i == (int) root ? clocks[r] : at_root;
    clocks[r] += any (2);
    PUT_EVENT (r, MpiCollectiveBegin) (writers[r], NULL, clocks[r]);
  }
  for (int i = 0; i < n; i++) {
    int r = member (comm, i);
    bool all = k == 0 || k == 2 || k == 5 || ((k == 3 || k == 4) && i == (int) root);
    uint64_t least = all ? last + 2 : k == 1 ? at_root + 2 : 0; /* after the record of who came last */
    clocks[r] = (least > clocks[r] ? least : clocks[r]) + any (5);
    PUT_EVENT (r, MpiCollectiveEnd) (writers[r], NULL, clocks[r], kinds[k].op, (OTF2_CommRef) comm, root, 8, 8);
    clocks[r] += any (2);
    leave (r, kinds[k].region);
  }
}

static void
metrics (int r)
{
  OTF2_Type types[3] = { OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_INT64 };
  OTF2_MetricValue values[3];

  pass (r, 1);
  values[0].unsigned_int = counters[r] += any (1000);
  values[1].floating_point = any (1000) / 8.0;
  values[2].signed_int = (int64_t) any (100) - 50;
  PUT_EVENT (r, Metric) (writers[r], NULL, clocks[r], (OTF2_MetricRef) (any (3) ? 0 : 1 + any (2)), 3, types, values);
}

static void
others (int r)
{
  pass (r, 1);
  switch (any (6)) {
  case 0:
    enter (r, PUT);
    PUT_EVENT (r, RmaPut) (writers[r], NULL, clocks[r], 0, any ((uint32_t) n_ranks), any (1000), ++requests[r]);
    PUT_EVENT (r, RmaOpCompleteBlocking) (writers[r], NULL, clocks[r] += any (5), 0, requests[r]);
    leave (r, PUT);
    break;
  case 1:
    enter (r, WRITE);
    PUT_EVENT (r, IoOperationBegin)
    (writers[r], NULL, clocks[r], 0, OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_NONE, 100, ++requests[r]);
    PUT_EVENT (r, IoOperationComplete) (writers[r], NULL, clocks[r] += any (9), 0, any (101), requests[r]);
    leave (r, WRITE);
    break;
  case 2:
    PUT_EVENT (r, ParameterInt) (writers[r], NULL, clocks[r], 0, (int64_t) any (9) - 4);
    break;
  case 3:
    PUT_EVENT (r, BufferFlush) (writers[r], NULL, clocks[r], clocks[r] + 30);
    clocks[r] += 30;
    break;
  case 4:
    PUT_EVENT (r, MeasurementOnOff) (writers[r], NULL, clocks[r], OTF2_MEASUREMENT_OFF);
    pass (r, 5);
    PUT_EVENT (r, MeasurementOnOff) (writers[r], NULL, clocks[r], OTF2_MEASUREMENT_ON);
    break;
  default: /* never received */
    enter (r, SEND);
    PUT_EVENT (r, MpiSend) (writers[r], NULL, clocks[r], any ((uint32_t) n_ranks), 0, 99, 1);
    leave (r, SEND);
  }
}

static void
functions (int r)
{
  pass (r, 1);
  if (depth[r] > 0 && any (2)) {
    leave (r, RECURSE);
    depth[r]--;
  } else if (depth[r] < 12) {
    enter (r, RECURSE);
    depth[r]++;
  }
  pass (r, 1);
  enter (r, WORK);
  pass (r, 1 + any (30));
  leave (r, WORK);
}

/* The second thread of a rank. */
static void
thread (OTF2_Archive *a, int r, int steps)
{
  OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter (a, (OTF2_LocationRef) (n_ranks + r));
  uint64_t t = START + any (500), n = 0;

  for (int i = 0; i < steps; i++, n += 2) {
    OTF2_EvtWriter_Enter (w, NULL, t += any (100), PARALLEL);
    OTF2_EvtWriter_Leave (w, NULL, t += any (50), PARALLEL);
  }
  n_events[n_ranks + r] = n;
  OTF2_Archive_CloseEvtWriter (a, w);
}

static void
write_events (OTF2_Archive *a, int steps, bool plain)
{
  OTF2_Archive_OpenEvtFiles (a);
  for (int r = 0; r < n_ranks; r++) {
    writers[r] = OTF2_Archive_GetEvtWriter (a, (OTF2_LocationRef) r);
    clocks[r] = START + any (20);
    enter (r, MAIN);
  }
  for (int i = 0; i < steps; i++) {
    int r = (int) any ((uint32_t) n_ranks);
    switch (plain ? any (8) : any (16)) {
    case 0:
      collective ();
      break;
    case 1:
    case 2:
      message (any (2));
      break;
    case 3:
      requests_between ();
      break;
    case 4:
      crossed ();
      break;
    case 8:
    case 9:
      metrics (r);
      break;
    case 10:
      others (r);
      break;
    default:
      functions (r);
    }
  }
  for (int r = 0; r < n_ranks; r++) {
    pass (r, 1);
    for (; depth[r] > 0; depth[r]--)
      leave (r, RECURSE);
    if (r % 3 != 2) /* else it is inside of it to the end */
      leave (r, MAIN);
    OTF2_Archive_CloseEvtWriter (a, writers[r]);
  }
  for (int r = 0; r < n_ranks && !plain; r += 2)
    thread (a, r, steps / 4);
  OTF2_Archive_CloseEvtFiles (a);
}

/* ---- definitions ------------------------------------------------------------------------------------------------------------- */
static OTF2_GlobalDefWriter *defs;
static uint32_t n_strings;

static uint32_t
text (const char *s)
{
  OTF2_GlobalDefWriter_WriteString (defs, n_strings, s);
  return n_strings++;
}

static void
write_system (void)
{
  char name[64];
  uint32_t none = text (""), machine = text ("machine"), node = text ("node"), thread_0 = text ("master"),
           thread_1 = text ("worker");

  OTF2_GlobalDefWriter_WriteSystemTreeNode (defs, 0, text ("cluster"), machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (uint32_t n = 0; n < 2; n++) {
    snprintf (name, sizeof name, "n%u", n);
    OTF2_GlobalDefWriter_WriteSystemTreeNode (defs, 1 + n, text (name), node, 0);
  }
  for (int r = 0; r < n_ranks; r++) {
    snprintf (name, sizeof name, "rank %d", r);
    OTF2_GlobalDefWriter_WriteLocationGroup (defs, (uint32_t) r, text (name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                             1 + (uint32_t) (r & 1), OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation (defs, (uint64_t) r, thread_0, OTF2_LOCATION_TYPE_CPU_THREAD, n_events[r],
                                        (uint32_t) r);
    if (n_events[n_ranks + r] > 0)
      OTF2_GlobalDefWriter_WriteLocation (defs, (uint64_t) (n_ranks + r), thread_1, OTF2_LOCATION_TYPE_CPU_THREAD,
                                          n_events[n_ranks + r], (uint32_t) r);
  }
  for (uint32_t i = 0; i < N_REGIONS; i++) {
    uint32_t s = text (regions[i].name);
    OTF2_GlobalDefWriter_WriteRegion (defs, i, s, s, none, regions[i].role, regions[i].paradigm, OTF2_REGION_FLAG_NONE,
                                      none, 0, 0);
  }
  OTF2_GlobalDefWriter_WriteParameter (defs, 0, text ("level"), OTF2_PARAMETER_TYPE_INT64);
}

static void
write_groups (void)
{
  uint64_t *members = calloc ((size_t) n_ranks, sizeof *members);

  for (int i = 0; i < n_ranks; i++)
    members[i] = (uint64_t) i;
  OTF2_GlobalDefWriter_WriteGroup (defs, 0, text ("locations"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                   OTF2_GROUP_FLAG_NONE, (uint32_t) n_ranks, members);
  for (int comm = 0; comm < 3; comm++) {
    static const char *const names[] = { "MPI_COMM_WORLD", "even", "odd" };
    for (int i = 0; i < size_of (comm); i++)
      members[i] = (uint64_t) member (comm, i);
    OTF2_GlobalDefWriter_WriteGroup (defs, 1 + (uint32_t) comm, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                     OTF2_GROUP_FLAG_NONE, (uint32_t) size_of (comm), members);
    OTF2_GlobalDefWriter_WriteComm (defs, (uint32_t) comm, text (names[comm]), 1 + (uint32_t) comm,
                                    comm ? 0 : OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  }
  OTF2_GlobalDefWriter_WriteRmaWin (defs, 0, text ("window"), 0, OTF2_RMA_WIN_FLAG_NONE);
  free (members);
}

/* Two grids of all ranks, whose names and two of whose dimensions are alike, a row of the odd ones, and properties of
 * every type that has a value of its own. */
static void
write_told (void)
{
  const uint32_t grid[] = { 0, 1 }, row[] = { 2 }, again[] = { 0, 0, 1 };

  OTF2_GlobalDefWriter_WriteCartDimension (defs, 0, text ("x"), 2, OTF2_CART_PERIODIC_TRUE);
  OTF2_GlobalDefWriter_WriteCartDimension (defs, 1, text ("y"), (uint32_t) (n_ranks + 1) / 2, OTF2_CART_PERIODIC_FALSE);
  OTF2_GlobalDefWriter_WriteCartDimension (defs, 2, text (""), (uint32_t) size_of (2), OTF2_CART_PERIODIC_FALSE);
  OTF2_GlobalDefWriter_WriteCartTopology (defs, 0, text ("grid"), 0, 2, grid);
  OTF2_GlobalDefWriter_WriteCartTopology (defs, 1, text ("row"), 2, 1, row);
  OTF2_GlobalDefWriter_WriteCartTopology (defs, 2, text ("grid"), 0, 3, again);
  for (uint32_t r = 0; r < (uint32_t) n_ranks; r++) {
    const uint32_t at[] = { r & 1, r / 2 };
    OTF2_GlobalDefWriter_WriteCartCoordinate (defs, 0, r, 2, at);
    OTF2_GlobalDefWriter_WriteCartCoordinate (defs, 2, r, 3, (const uint32_t[]){ 10 + r, 20 + r, 30 + r });
    OTF2_AttributeValue v = { .int32 = -3 * (int32_t) r };
    OTF2_GlobalDefWriter_WriteLocationProperty (defs, r, text ("pinned to"), OTF2_TYPE_INT32, v);
    v.stringRef = text (r & 1 ? "odd one" : "even one");
    OTF2_GlobalDefWriter_WriteLocationProperty (defs, r, text ("role"), OTF2_TYPE_STRING, v);
    v.float64 = 0.25 + r;
    OTF2_GlobalDefWriter_WriteLocationGroupProperty (defs, r, text ("weight"), OTF2_TYPE_DOUBLE, v);
  }
  for (uint32_t r = 0; r < (uint32_t) size_of (2); r++)
    OTF2_GlobalDefWriter_WriteCartCoordinate (defs, 1, r, 1, &(uint32_t){ 7 + r });
  OTF2_AttributeValue v = { .uint64 = 1ull << 40 };
  OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty (defs, 1, text ("memory"), OTF2_TYPE_UINT64, v);
  OTF2_GlobalDefWriter_WriteLocationProperty (defs, 0, text ("of a region"), OTF2_TYPE_REGION, v);
  OTF2_GlobalDefWriter_WriteLocationProperty (defs, 123456, text ("of nothing"), OTF2_TYPE_UINT64, v);
}

static void
write_metrics (void)
{
  uint32_t all[] = { 0, 1, 2 };

  OTF2_GlobalDefWriter_WriteMetricMember (defs, 0, text ("instructions"), 0, OTF2_METRIC_TYPE_PAPI,
                                          OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0,
                                          text ("#"));
  OTF2_GlobalDefWriter_WriteMetricMember (defs, 1, text ("power"), 0, OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_POINT,
                                          OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 3, text ("W"));
  OTF2_GlobalDefWriter_WriteMetricMember (defs, 2, text ("steps"), 0, OTF2_METRIC_TYPE_USER, OTF2_METRIC_RELATIVE_POINT,
                                          OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, text ("#"));
  OTF2_GlobalDefWriter_WriteMetricClass (defs, 0, 3, all, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
  OTF2_GlobalDefWriter_WriteMetricInstance (defs, 1, 0, 0, OTF2_SCOPE_SYSTEM_TREE_NODE, 1);
  OTF2_GlobalDefWriter_WriteMetricInstance (defs, 2, 0, 0, OTF2_SCOPE_LOCATION, 0);
}

int
main (int n, char **argv)
{
  if (n < 5)
    return 2;
  seed = strtoull (argv[2], NULL, 10) * 7919 + 1;
  n_ranks = atoi (argv[3]);
  if (n_ranks < 1 || n_ranks > MOST / 2)
    return 2;
  OTF2_Archive *a = OTF2_Archive_Open (argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 22, OTF2_SUBSTRATE_POSIX,
                                       OTF2_COMPRESSION_NONE);
  if (!a)
    return 1;
  OTF2_Archive_SetFlushCallbacks (a, &flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks (a);
  write_events (a, atoi (argv[4]), n > 5);
  OTF2_Archive_OpenDefFiles (a);
  for (int r = 0; r < 2 * n_ranks; r++)
    if (n_events[r] > 0)
      OTF2_Archive_CloseDefWriter (a, OTF2_Archive_GetDefWriter (a, (OTF2_LocationRef) r));
  OTF2_Archive_CloseDefFiles (a);
  defs = OTF2_Archive_GetGlobalDefWriter (a);
  uint64_t last = START;
  for (int r = 0; r < n_ranks; r++)
    last = clocks[r] > last ? clocks[r] : last;
  OTF2_GlobalDefWriter_WriteClockProperties (defs, 1000000, START, last - START, OTF2_UNDEFINED_TIMESTAMP);
  write_system ();
  write_groups ();
  write_metrics ();
  if (n == 5) /* not `plain` */
    write_told ();
  OTF2_Archive_CloseGlobalDefWriter (a, defs);
  return OTF2_Archive_Close (a) != OTF2_SUCCESS;
}
