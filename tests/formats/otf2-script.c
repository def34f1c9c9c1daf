/* SPDX-License-Identifier: Apache-2.0 */
/* otf2-script.c - writes an OTF2 archive of what it is told: FOLDER, and on standard input a line a record.
 *
 *   ranks N                      processes of one thread, whose numbers are 0 to N - 1; first
 *   thread L RANK                one more thread L of a process, L >= N
 *   stream L RANK                a stream of an accelerator that a process uses, L >= N
 *   declared N                   so many more of the first process, all of one name, of which there is no file
 *   comm ID RANK...              a communicator; 0 is the world
 *   inter ID A B                 an inter-communicator of the members of two communicators
 *   team ID L...                 a team of threads, numbers of communicators and teams being different
 *   offset L TICKS DIFFERENCE    what a location's clock is behind
 *   L T enter|leave REGION       the paradigm is told by the name: MPI_, !$omp
 *   L T send|recv PEER COMM TAG BYTES;  isend ... REQUEST;  isendc REQUEST;  irecvr REQUEST;  irecv ... REQUEST
 *   L T test REQUEST;  cancel REQUEST
 *   L T begin;  end OP COMM ROOT;  ireq REQUEST;  iend OP COMM ROOT REQUEST       (OP: a number of the library, ROOT or
 * -1) L T rmabegin;  rmaend OP ROOT;  group COMM;  put PEER ID;  putc ID;  lock|locked|unlock PEER ID L T fork N; join;
 * tbegin|tend TEAM
 *
 *   L T asked TAG RANK;  askedc COMM                  what tape-mpi tells of a call that never ended
 *
 *   file ID NAME;  handle ID FILE                    a file, and a handle of it (or, without a file, of its own name)
 *   L T get PEER ID BYTES;  atomic PEER ID SENT RECEIVED;  wincreate;  winfree
 *   L T open|close HANDLE;  seek HANDLE TO;  io MODE HANDLE BYTES ID;  ioc HANDLE BYTES ID;  iostop HANDLE ID
 *                                                    (MODE: 0 read, 1 write, 2 flush)
 *   L T task|tswitch|tdone TEAM CREATOR GENERATION;  acquire|release LOCK ORDER
 *
 * The one window is of communicator 0.  Records of a location come in order; dates are nanoseconds. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#define MOST 4096
#define MOST_WORDS 4096
static OTF2_Archive *archive;
static OTF2_GlobalDefWriter *defs;
static int n_ranks;
static uint64_t n_declared;
static uint64_t n_events[MOST], last_date;
static bool asks;
static long process[MOST]; /* of a location, + 1 */
static bool is_stream[MOST], has_streams[MOST];
static char *names[MOST];
static uint32_t n_names, n_strings;
static struct {
  bool there, is_team, is_inter;
  long members[MOST_WORDS];
  uint32_t n;
} comms[64];
static struct {
  uint64_t location;
  uint64_t date;
  int64_t difference;
} offsets[MOST];
static uint32_t n_offsets;

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

static uint32_t
region (char *name)
{
  if (*name == '!') /* !$omp-parallel */
    for (char *c = name; (c = strchr (c, '-'));)
      *c = ' ';
  for (uint32_t i = 0; i < n_names; i++)
    if (strcmp (names[i], name) == 0)
      return i;
  names[n_names] = strdup (name);
  return n_names++;
}

static uint32_t
text (const char *s)
{
  OTF2_GlobalDefWriter_WriteString (defs, n_strings, s);
  return n_strings++;
}

static struct {
  bool there;
  char *name;
  long file; /* of a handle; -1: none */
} files[64], handles[64];

#define W(i) (i < n ? strtoll (word[i], NULL, 10) : 0)
#define IS(what) (strcmp (word[2], what) == 0)
#define RANK(i) (W (i) < 0 ? OTF2_COLLECTIVE_ROOT_NONE : (uint32_t) W (i))

static bool
write_message (OTF2_EvtWriter *w, uint64_t t, char **word, int n)
{
  uint32_t peer = (uint32_t) W (3), comm = (uint32_t) W (4), tag = (uint32_t) W (5);
  uint64_t bytes = (uint64_t) W (6), request = (uint64_t) W (7);

  if (IS ("send"))
    OTF2_EvtWriter_MpiSend (w, NULL, t, peer, comm, tag, bytes);
  else if (IS ("recv"))
    OTF2_EvtWriter_MpiRecv (w, NULL, t, peer, comm, tag, bytes);
  else if (IS ("isend"))
    OTF2_EvtWriter_MpiIsend (w, NULL, t, peer, comm, tag, bytes, request);
  else if (IS ("irecv"))
    OTF2_EvtWriter_MpiIrecv (w, NULL, t, peer, comm, tag, bytes, request);
  else if (IS ("isendc"))
    OTF2_EvtWriter_MpiIsendComplete (w, NULL, t, (uint64_t) W (3));
  else if (IS ("irecvr"))
    OTF2_EvtWriter_MpiIrecvRequest (w, NULL, t, (uint64_t) W (3));
  else if (IS ("test"))
    OTF2_EvtWriter_MpiRequestTest (w, NULL, t, (uint64_t) W (3));
  else if (IS ("cancel"))
    OTF2_EvtWriter_MpiRequestCancelled (w, NULL, t, (uint64_t) W (3));
  else if (IS ("asked")) {
    OTF2_EvtWriter_ParameterInt (w, NULL, t, 0, W (3));
    OTF2_EvtWriter_ParameterInt (w, NULL, t, 1, W (4));
  } else if (IS ("askedc"))
    OTF2_EvtWriter_ParameterInt (w, NULL, t, 2, W (3));
  else
    return false;
  return true;
}

static bool
write_group (OTF2_EvtWriter *w, uint64_t t, char **word, int n)
{
  if (IS ("begin"))
    OTF2_EvtWriter_MpiCollectiveBegin (w, NULL, t);
  else if (IS ("end"))
    OTF2_EvtWriter_MpiCollectiveEnd (w, NULL, t, (OTF2_CollectiveOp) W (3), (OTF2_CommRef) W (4), RANK (5), 8, 8);
  else if (IS ("ireq"))
    OTF2_EvtWriter_NonBlockingCollectiveRequest (w, NULL, t, (uint64_t) W (3));
  else if (IS ("iend"))
    OTF2_EvtWriter_NonBlockingCollectiveComplete (w, NULL, t, (OTF2_CollectiveOp) W (3), (OTF2_CommRef) W (4), RANK (5),
                                                  8, 8, (uint64_t) W (6));
  else if (IS ("rmabegin"))
    OTF2_EvtWriter_RmaCollectiveBegin (w, NULL, t);
  else if (IS ("rmaend"))
    OTF2_EvtWriter_RmaCollectiveEnd (w, NULL, t, (OTF2_CollectiveOp) W (3), OTF2_RMA_SYNC_LEVEL_MEMORY, 0, RANK (4), 0,
                                     0);
  else if (IS ("group"))
    OTF2_EvtWriter_RmaGroupSync (w, NULL, t, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 100 + (uint32_t) W (3));
  else if (IS ("put"))
    OTF2_EvtWriter_RmaPut (w, NULL, t, 0, (uint32_t) W (3), 8, (uint64_t) W (4));
  else if (IS ("putc"))
    OTF2_EvtWriter_RmaOpCompleteBlocking (w, NULL, t, 0, (uint64_t) W (3));
  else if (IS ("lock"))
    OTF2_EvtWriter_RmaRequestLock (w, NULL, t, 0, (uint32_t) W (3), (uint64_t) W (4), OTF2_LOCK_EXCLUSIVE);
  else if (IS ("locked"))
    OTF2_EvtWriter_RmaAcquireLock (w, NULL, t, 0, (uint32_t) W (3), (uint64_t) W (4), OTF2_LOCK_EXCLUSIVE);
  else if (IS ("unlock"))
    OTF2_EvtWriter_RmaReleaseLock (w, NULL, t, 0, (uint32_t) W (3), (uint64_t) W (4));
  else
    return false;
  return true;
}

static bool
write_thread (OTF2_EvtWriter *w, uint64_t t, char **word, int n)
{
  if (IS ("enter"))
    OTF2_EvtWriter_Enter (w, NULL, t, region (word[3]));
  else if (IS ("leave"))
    OTF2_EvtWriter_Leave (w, NULL, t, region (word[3]));
  else if (IS ("fork"))
    OTF2_EvtWriter_ThreadFork (w, NULL, t, OTF2_PARADIGM_OPENMP, (uint32_t) W (3));
  else if (IS ("join"))
    OTF2_EvtWriter_ThreadJoin (w, NULL, t, OTF2_PARADIGM_OPENMP);
  else if (IS ("tbegin"))
    OTF2_EvtWriter_ThreadTeamBegin (w, NULL, t, (OTF2_CommRef) W (3));
  else if (IS ("tend"))
    OTF2_EvtWriter_ThreadTeamEnd (w, NULL, t, (OTF2_CommRef) W (3));
  else
    return false;
  return true;
}

static bool
write_io (OTF2_EvtWriter *w, uint64_t t, char **word, int n)
{
  OTF2_IoHandleRef handle = (OTF2_IoHandleRef) W (3);

  if (IS ("open"))
    OTF2_EvtWriter_IoCreateHandle (w, NULL, t, handle, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_CREATION_FLAG_NONE,
                                   OTF2_IO_STATUS_FLAG_NONE);
  else if (IS ("close"))
    OTF2_EvtWriter_IoDestroyHandle (w, NULL, t, handle);
  else if (IS ("seek"))
    OTF2_EvtWriter_IoSeek (w, NULL, t, handle, W (4), OTF2_IO_SEEK_FROM_START, (uint64_t) W (4));
  else if (IS ("io"))
    OTF2_EvtWriter_IoOperationBegin (w, NULL, t, (OTF2_IoHandleRef) W (4), (OTF2_IoOperationMode) W (3),
                                     OTF2_IO_OPERATION_FLAG_NONE, (uint64_t) W (5), (uint64_t) W (6));
  else if (IS ("ioc"))
    OTF2_EvtWriter_IoOperationComplete (w, NULL, t, handle, (uint64_t) W (4), (uint64_t) W (5));
  else if (IS ("iostop"))
    OTF2_EvtWriter_IoOperationCancelled (w, NULL, t, handle, (uint64_t) W (4));
  else if (IS ("get"))
    OTF2_EvtWriter_RmaGet (w, NULL, t, 0, (uint32_t) W (3), (uint64_t) W (5), (uint64_t) W (4));
  else if (IS ("atomic"))
    OTF2_EvtWriter_RmaAtomic (w, NULL, t, 0, (uint32_t) W (3), OTF2_RMA_ATOMIC_TYPE_SWAP, (uint64_t) W (5),
                              (uint64_t) W (6), (uint64_t) W (4));
  else if (IS ("wincreate"))
    OTF2_EvtWriter_RmaWinCreate (w, NULL, t, 0);
  else if (IS ("winfree"))
    OTF2_EvtWriter_RmaWinDestroy (w, NULL, t, 0);
  else if (IS ("task"))
    OTF2_EvtWriter_ThreadTaskCreate (w, NULL, t, (OTF2_CommRef) W (3), (uint32_t) W (4), (uint32_t) W (5));
  else if (IS ("tswitch"))
    OTF2_EvtWriter_ThreadTaskSwitch (w, NULL, t, (OTF2_CommRef) W (3), (uint32_t) W (4), (uint32_t) W (5));
  else if (IS ("tdone"))
    OTF2_EvtWriter_ThreadTaskComplete (w, NULL, t, (OTF2_CommRef) W (3), (uint32_t) W (4), (uint32_t) W (5));
  else if (IS ("acquire"))
    OTF2_EvtWriter_ThreadAcquireLock (w, NULL, t, OTF2_PARADIGM_OPENMP, (uint32_t) W (3), (uint32_t) W (4));
  else if (IS ("release"))
    OTF2_EvtWriter_ThreadReleaseLock (w, NULL, t, OTF2_PARADIGM_OPENMP, (uint32_t) W (3), (uint32_t) W (4));
  else
    return false;
  return true;
}

static bool
take (char **word, int n)
{
  if (strcmp (word[0], "ranks") == 0) {
    n_ranks = (int) W (1);
    comms[0].there = true;
    for (long i = 0; i < n_ranks; i++) {
      process[i] = i + 1;
      comms[0].members[comms[0].n++] = i;
    }
  } else if (strcmp (word[0], "thread") == 0) {
    process[W (1)] = W (2) + 1;
  } else if (strcmp (word[0], "stream") == 0) {
    process[W (1)] = W (2) + 1;
    is_stream[W (1)] = has_streams[W (2)] = true;
  } else if (strcmp (word[0], "declared") == 0) {
    n_declared = (uint64_t) W (1);
  } else if (strcmp (word[0], "comm") == 0 || strcmp (word[0], "team") == 0) {
    long id = W (1);
    comms[id].there = true;
    comms[id].is_team = word[0][0] == 't';
    for (int i = 2; i < n; i++)
      comms[id].members[comms[id].n++] = W (i);
  } else if (strcmp (word[0], "inter") == 0) {
    comms[W (1)].there = comms[W (1)].is_inter = true;
    comms[W (1)].members[0] = W (2);
    comms[W (1)].members[1] = W (3);
  } else if (strcmp (word[0], "file") == 0) {
    files[W (1)].there = true;
    files[W (1)].name = strdup (word[2]);
  } else if (strcmp (word[0], "handle") == 0) {
    handles[W (1)].there = true;
    handles[W (1)].file = n > 2 && word[2][0] >= '0' && word[2][0] <= '9' ? W (2) : -1;
    handles[W (1)].name = strdup (handles[W (1)].file < 0 ? word[2] : "");
  } else if (strcmp (word[0], "offset") == 0) {
    offsets[n_offsets].location = (uint64_t) W (1);
    offsets[n_offsets].date = (uint64_t) W (2);
    offsets[n_offsets++].difference = W (3);
  } else if (n > 2 && W (0) >= 0 && W (0) < MOST) {
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter (archive, (OTF2_LocationRef) W (0));
    uint64_t t = (uint64_t) W (1);
    n_events[W (0)] += IS ("asked") ? 2 : 1;
    asks |= IS ("asked") || IS ("askedc");
    last_date = t > last_date ? t : last_date;
    return write_thread (w, t, word, n) || write_message (w, t, word, n) || write_group (w, t, word, n)
           || write_io (w, t, word, n);
  } else {
    return false;
  }
  return true;
}

static void
write_regions (void)
{
  uint32_t none = text ("");

  for (uint32_t i = 0; i < n_names; i++) {
    bool mpi = strncmp (names[i], "MPI_", 4) == 0, omp = strncmp (names[i], "!$omp", 5) == 0;
    bool barrier = strstr (names[i], "barrier") != NULL;
    uint32_t s = text (names[i]);
    OTF2_GlobalDefWriter_WriteRegion (defs, i, s, s, none,
                                      omp && barrier ? OTF2_REGION_ROLE_IMPLICIT_BARRIER
                                      : omp          ? OTF2_REGION_ROLE_PARALLEL
                                                     : OTF2_REGION_ROLE_FUNCTION,
                                      mpi   ? OTF2_PARADIGM_MPI
                                      : omp ? OTF2_PARADIGM_OPENMP
                                            : OTF2_PARADIGM_USER,
                                      OTF2_REGION_FLAG_NONE, none, 0, 0);
  }
}

static void
write_comms (void)
{
  uint64_t *members = calloc (MOST_WORDS, sizeof *members);

  for (int i = 0; i < n_ranks; i++)
    members[i] = (uint64_t) i;
  OTF2_GlobalDefWriter_WriteGroup (defs, 0, text ("locations"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                   OTF2_GROUP_FLAG_NONE, (uint32_t) n_ranks, members);
  uint32_t n = 0;
  for (uint64_t l = 0; l < MOST; l++)
    if (process[l] > 0 && !is_stream[l])
      members[n++] = l;
  OTF2_GlobalDefWriter_WriteGroup (defs, 1, text ("threads"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                                   OTF2_GROUP_FLAG_NONE, n, members);
  for (uint32_t c = 0; c < 64; c++) {
    char name[32];
    if (!comms[c].there)
      continue;
    snprintf (name, sizeof name, c ? "group %u" : "MPI_COMM_WORLD", c);
    if (comms[c].is_inter) {
      OTF2_GlobalDefWriter_WriteInterComm (defs, c, text (name), 100 + (uint32_t) comms[c].members[0],
                                           100 + (uint32_t) comms[c].members[1], 0, OTF2_COMM_FLAG_NONE);
      continue;
    }
    for (uint32_t i = 0; i < comms[c].n; i++) {
      members[i] = (uint64_t) comms[c].members[i];
      if (comms[c].is_team) { /* a place among all threads */
        uint64_t at = 0;
        for (uint64_t l = 0; l < members[i]; l++)
          at += process[l] > 0;
        members[i] = at;
      }
    }
    OTF2_GlobalDefWriter_WriteGroup (defs, 100 + c, 0, OTF2_GROUP_TYPE_COMM_GROUP,
                                     comms[c].is_team ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                     comms[c].n, members);
    OTF2_GlobalDefWriter_WriteComm (defs, c, text (name), 100 + c, c ? 0 : OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  }
  OTF2_GlobalDefWriter_WriteRmaWin (defs, 0, text ("window"), 0, OTF2_RMA_WIN_FLAG_NONE);
  free (members);
}

static void
write_files (void)
{
  bool any = false;

  for (uint32_t i = 0; i < 64; i++) {
    any |= files[i].there || handles[i].there;
    if (files[i].there)
      OTF2_GlobalDefWriter_WriteIoRegularFile (defs, i, text (files[i].name), 0);
  }
  if (any)
    OTF2_GlobalDefWriter_WriteIoParadigm (defs, 0, text ("POSIX"), text ("POSIX I/O"), OTF2_IO_PARADIGM_CLASS_SERIAL,
                                          OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL);
  for (uint32_t i = 0; i < 64; i++)
    if (handles[i].there)
      OTF2_GlobalDefWriter_WriteIoHandle (defs, i, text (handles[i].name),
                                          handles[i].file < 0 ? OTF2_UNDEFINED_IO_FILE : (uint32_t) handles[i].file, 0,
                                          OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
}

static void
write_definitions (void)
{
  char name[64];

  OTF2_Archive_CloseEvtFiles (archive);
  OTF2_Archive_OpenDefFiles (archive);
  for (uint64_t l = 0; l < MOST; l++)
    if (n_events[l] > 0) {
      OTF2_DefWriter *w = OTF2_Archive_GetDefWriter (archive, l);
      for (uint32_t i = 0; i < n_offsets; i++)
        if (offsets[i].location == l)
          OTF2_DefWriter_WriteClockOffset (w, offsets[i].date, offsets[i].difference, 0);
      OTF2_Archive_CloseDefWriter (archive, w);
    }
  OTF2_Archive_CloseDefFiles (archive);
  defs = OTF2_Archive_GetGlobalDefWriter (archive);
  OTF2_GlobalDefWriter_WriteClockProperties (defs, 1000000000, 0, last_date + 1, OTF2_UNDEFINED_TIMESTAMP);
  OTF2_GlobalDefWriter_WriteSystemTreeNode (defs, 0, text ("cluster"), text ("machine"),
                                            OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (int r = 0; r < n_ranks; r++) {
    snprintf (name, sizeof name, "rank %d", r);
    OTF2_GlobalDefWriter_WriteLocationGroup (defs, (uint32_t) r, text (name), OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                             OTF2_UNDEFINED_LOCATION_GROUP);
  }
  for (uint32_t r = 0; r < MOST; r++)
    if (has_streams[r]) {
      snprintf (name, sizeof name, "device of rank %u", r);
      OTF2_GlobalDefWriter_WriteLocationGroup (defs, MOST + r, text (name), OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, r);
    }
  for (uint64_t l = 0; l < MOST; l++)
    if (process[l] > 0) {
      snprintf (name, sizeof name, "%s %" PRIu64, is_stream[l] ? "stream" : "thread", l);
      OTF2_GlobalDefWriter_WriteLocation (
          defs, l, text (name), is_stream[l] ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM : OTF2_LOCATION_TYPE_CPU_THREAD,
          n_events[l], (uint32_t) process[l] - 1 + (is_stream[l] ? MOST : 0));
    }
  uint32_t declared = n_declared > 0 ? text ("declared") : 0;
  for (uint64_t i = 0; i < n_declared; i++)
    OTF2_GlobalDefWriter_WriteLocation (defs, MOST + i, declared, OTF2_LOCATION_TYPE_CPU_THREAD, 1, 0);
  write_regions ();
  write_comms ();
  write_files ();
  for (uint32_t i = 0; asks && i < 3; i++) {
    static const char *const told[] = { "waits for tag", "waits for rank", "waits in communicator" };
    OTF2_GlobalDefWriter_WriteParameter (defs, i, text (told[i]), OTF2_PARAMETER_TYPE_INT64);
  }
}

int
main (int n_words, char **argv)
{
  static char line[1 << 16], *word[MOST_WORDS];

  archive = n_words == 2 ? OTF2_Archive_Open (argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)
                         : NULL;
  if (!archive)
    return 2;
  OTF2_Archive_SetFlushCallbacks (archive, &flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks (archive);
  OTF2_Archive_OpenEvtFiles (archive);
  while (fgets (line, sizeof line, stdin)) {
    int n = 0;
    for (char *w = strtok (line, " \n"); w && n < MOST_WORDS; w = strtok (NULL, " \n"))
      word[n++] = w;
    for (int i = n; i < 4; i++)
      word[i] = (char *) "";
    if (n > 0 && !take (word, n)) {
      fprintf (stderr, "what is %s %s %s?\n", word[0], word[1], word[2]);
      return 1;
    }
  }
  for (uint64_t l = 0; l < MOST; l++)
    if (n_events[l] > 0)
      OTF2_Archive_CloseEvtWriter (archive, OTF2_Archive_GetEvtWriter (archive, l));
  write_definitions ();
  OTF2_Archive_CloseGlobalDefWriter (archive, defs);
  return OTF2_Archive_Close (archive) != OTF2_SUCCESS;
}
