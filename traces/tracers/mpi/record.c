/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - the file of a thread: opening, growing, its end; the clocks of other hosts; regions of the program. */
#include "record.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tape-mpi.h"

#define ROUNDS 200 /* of comparing two clocks */

__thread Lane *tape_lane;
bool tape_threads, tape_recording;

static int64_t born;
static uint32_t rank, size;
static uint32_t n_lanes;
static MPI_Comm clocks = MPI_COMM_NULL; /* over which clocks are compared; none: there is one clock */
static int *leaders, n_leaders, my_leader;

__attribute__ ((constructor)) static void
mpi_record_begin (void)
{
  tape_clock_init ();
  born = tape_now ();
}

/* ---- the file ------------------------------------------------------------------------------------------------------ */

bool
tape_grow (Lane *l, unsigned words)
{
  int saved = errno;

  if (!l->lost && !tape_lane_extend (l, words)) {
    l->off = l->lost = true;
    fprintf (stderr, "tape-mpi: %s: cannot grow; rank %u is recorded up to here\n", l->path, rank);
    if (l->at + 2 < l->end + 4) {
      l->at[1] = (uint64_t) tape_now ();
      tape_publish (l, l->at, RAW_LOST, 2, 0, 0);
    }
  }
  errno = saved;
  return !l->off && l->at + words < l->end;
}

static bool
mpi_record_open_file (Lane *l, uint32_t thread)
{
  const char *folder = getenv (RAW_ENV_FOLDER);

  if (!folder || !*folder)
    return false;
  snprintf (l->path, sizeof l->path, "%s/%u.%u.lane", folder, rank, thread);
  bool ok = tape_lane_open (l, sizeof (RawHeader));
  if (!ok)
    fprintf (stderr, "tape-mpi: %s: %s; rank %u is not recorded\n", l->path, strerror (errno), rank);
  return ok;
}

static void
mpi_record_write_header (Lane *l, uint32_t thread)
{
  RawHeader *h = (RawHeader *) l->base;
  struct timespec t;

  h->version = RAW_VERSION;
  h->header_size = sizeof *h;
  h->rank = rank;
  h->size = size;
  h->thread = thread;
  h->pid = (int32_t) getpid ();
  h->born = thread ? tape_now () : born;
  clock_gettime (CLOCK_REALTIME, &t);
  h->real = (int64_t) t.tv_sec * 1000000000 + t.tv_nsec - (tape_now () - h->born);
  tape_clock_domain (h->domain, sizeof h->domain);
  gethostname (h->host, sizeof h->host - 1);
  snprintf (h->program, sizeof h->program, "%s", program_invocation_short_name);
  memcpy (h->magic, RAW_MAGIC, sizeof h->magic);
}

Lane *
tape_lane_new (void)
{
  static __thread bool tried;
  int saved = errno;
  uint32_t thread;
  Lane *l;

  if (tried || (l = calloc (1, sizeof *l)) == NULL)
    return NULL;
  tried = true;
  thread = __atomic_fetch_add (&n_lanes, 1, __ATOMIC_RELAXED);
  if (!mpi_record_open_file (l, thread)) {
    free (l);
    errno = saved;
    return NULL;
  }
  mpi_record_write_header (l, thread);
  tape_lane = l;
  errno = saved;
  return l;
}

/* ---- clocks --------------------------------------------------------------------------------------------------------- */

/* Whose clock is whose: the lowest rank with each. */
static void
find_clocks (void)
{
  char mine[96] = { 0 }, *all = malloc (sizeof mine * size);
  int *found = malloc (size * sizeof *found);

  tape_clock_domain (mine, sizeof mine);
  if (!all || !found
      || PMPI_Allgather (mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD) != MPI_SUCCESS) {
    free (all);
    free (found);
    return;
  }
  /* Hosts are far fewer than ranks: each rank is compared with those that lead. */
  for (uint32_t i = 0; i < size; i++) {
    int k = 0;

    while (k < n_leaders && memcmp (all + (size_t) found[k] * sizeof mine, all + i * sizeof mine, sizeof mine) != 0)
      k++;
    if (k == n_leaders)
      found[n_leaders++] = (int) i;
    if (i == rank)
      my_leader = found[k];
  }
  free (all);
  leaders = found;
  if (n_leaders > 1 && PMPI_Comm_dup (MPI_COMM_WORLD, &clocks) != MPI_SUCCESS)
    clocks = MPI_COMM_NULL;
}

/* The shortest of some rounds says most.  Rank 0 asks, the other answers with its date. */
static void
ask_clock (int other)
{
  int64_t best = INT64_MAX, told[2] = { 0, 0 };

  for (int i = 0; i < ROUNDS; i++) {
    int64_t theirs = 0, t0 = tape_now ();

    PMPI_Send (&t0, 1, MPI_INT64_T, other, 0, clocks);
    PMPI_Recv (&theirs, 1, MPI_INT64_T, other, 0, clocks, MPI_STATUS_IGNORE);
    int64_t t1 = tape_now ();
    if (t1 - t0 < best) {
      best = t1 - t0;
      told[0] = t0 + best / 2 - theirs;
      told[1] = best / 2;
    }
  }
  PMPI_Send (told, 2, MPI_INT64_T, other, 1, clocks);
}

static void
answer_clock (void)
{
  int64_t asked, told[2] = { 0, 0 };

  for (int i = 0; i < ROUNDS; i++) {
    PMPI_Recv (&asked, 1, MPI_INT64_T, 0, 0, clocks, MPI_STATUS_IGNORE);
    int64_t now = tape_now ();
    PMPI_Send (&now, 1, MPI_INT64_T, 0, 0, clocks);
  }
  PMPI_Recv (told, 2, MPI_INT64_T, 0, 1, clocks, MPI_STATUS_IGNORE);
  TAPE_PUT (tape_lane, RAW_CLOCK, 0, 0, (uint64_t) tape_now (), (uint64_t) told[0], (uint64_t) told[1]);
}

void
tape_compare_clocks (void)
{
  if (clocks == MPI_COMM_NULL || !tape_lane)
    return;
  for (int i = 0; i < n_leaders; i++) {
    if (rank == 0 && leaders[i] != 0)
      ask_clock (leaders[i]);
    else if (leaders[i] == (int) rank && rank != 0)
      answer_clock ();
  }
}

/* ---- begin and end ----------------------------------------------------------------------------------------------------- */

void
tape_start (void)
{
  int r = 0, n = 1;
  MPI_Comm parent = MPI_COMM_NULL;

  PMPI_Comm_rank (MPI_COMM_WORLD, &r);
  PMPI_Comm_size (MPI_COMM_WORLD, &n);
  rank = (uint32_t) r;
  size = (uint32_t) n;
  PMPI_Comm_get_parent (&parent);
  if (parent != MPI_COMM_NULL) {
    if (rank == 0 && getenv (RAW_ENV_FOLDER))
      fprintf (stderr, "tape-mpi: %s was spawned by another program: its ranks are not recorded\n",
               program_invocation_short_name);
    return;
  }
  tape_numbers_start ();
  if (!getenv (RAW_ENV_FOLDER) || !tape_lane_new ())
    return;
  tape_lane->depth = 1;
  tape_modules (tape_lane, RAW_MODULES);
  tape_recording = true;
}

/* All take part, whether they have a file or not. */
static void
start_clocks (void)
{
  if (getenv (RAW_ENV_FOLDER))
    find_clocks ();
}

/* What a call costs: the least of some hundred, written where the next record will stand. */
static uint64_t
cost_ps (Lane *l)
{
  uint64_t *at = l->at, best = UINT64_MAX;

  if (l->off || !tape_room (l, 64 * 16))
    return 0;
  tape_recording = true;
  for (int i = 0; i < 200; i++) {
    int64_t t0 = tape_now ();
    for (int k = 0; k < 16; k++) {
      l->depth = 0;
      Call c = tape_enter (0, l);
      TAPE_PUT (l, RAW_SEND, 0, 0, c.date, 0, 0, 0);
      tape_done (&c);
      tape_leave (&c);
    }
    uint64_t took = (uint64_t) (tape_now () - t0) * 1000 / 16;
    l->at = at;
    *at = 0;
    best = took < best ? took : best;
  }
  tape_recording = false;
  return best;
}

void
tape_finish (int64_t date)
{
  Lane *l = tape_lane;

  if (!l)
    return;
  l->off = l->lost;
  tape_modules (l, RAW_MODULES);
  TAPE_PUT (l, RAW_COST, 0, 0, cost_ps (l));
  tape_put2 (l, RAW_FINALIZED, 0, 0, (uint64_t) date);
}

extern const Real __start_tape_reals[], __stop_tape_reals[];

void
tape_find_real (void)
{
  for (const Real *r = __start_tape_reals; r < __stop_tape_reals; r++)
    if (!*r->at)
      *r->at = dlsym (RTLD_NEXT, r->name);
}

/* ---- MPI_Init and MPI_Finalize ------------------------------------------------------------------------------------------- */

/* What the MPI that this is built with has in what it says of itself. */
#ifdef OPEN_MPI
#define MPI_OF_TAPE "Open MPI"
#elif defined MPICH_VERSION
#define MPI_OF_TAPE "MPICH"
#else
#define MPI_OF_TAPE ""
#endif

/* A program of another MPI, whose handles and constants are others, goes its way without us; the first rank says so. */
static bool
is_of_another_mpi (void)
{
  static char text[1 << 16];                                                 /* each MPI has a length of its own */
  static const char *const ranks[] = { "PMI_RANK", "OMPI_COMM_WORLD_RANK" }; /* as starters tell them */
  const char *starter = NULL;
  int n;

  if (!getenv (RAW_ENV_FOLDER) || PMPI_Get_library_version (text, &n) != MPI_SUCCESS || strstr (text, MPI_OF_TAPE))
    return false;
  text[strcspn (text, "\n")] = '\0';
  for (char *tab = strchr (text, '\t'); tab; tab = strchr (tab, '\t'))
    *tab = ' ';
  for (size_t i = 0; !starter && i < sizeof ranks / sizeof *ranks; i++)
    starter = getenv (ranks[i]);
  if (!starter || strcmp (starter, "0") == 0)
    fprintf (stderr, "tape-mpi: %s is not recorded: its MPI is %.100s, and tape-mpi was built with %s\n",
             program_invocation_short_name, text, MPI_OF_TAPE);
  return true;
}

/* The call had begun before there was a file. */
static void
initialised (unsigned region, uint64_t began, void *from, int provided)
{
  if (is_of_another_mpi ())
    return;
  tape_threads = provided == MPI_THREAD_MULTIPLE;
  tape_start ();
  start_clocks ();
  Lane *l = tape_lane;
  if (!tape_recording || !l)
    return;
  tape_comm (MPI_COMM_WORLD);
  tape_put3 (l, RAW_ENTER, region, 0, began, (uint64_t) (uintptr_t) from);
  tape_compare_clocks ();
  tape_put2 (l, RAW_LEAVE, region, 0, (uint64_t) tape_now ());
  l->depth = 0;
}

WRAP (Init, (int *argc, char ***argv))
{
  uint64_t began = (uint64_t) tape_now ();

  tape_find_real ();
  int result = real_Init (argc, argv);
  if (result == MPI_SUCCESS)
    initialised (RAW_REGION_Init, began, __builtin_return_address (0), MPI_THREAD_SINGLE);
  return result;
}

WRAP (Init_thread, (int *argc, char ***argv, int required, int *provided))
{
  uint64_t began = (uint64_t) tape_now ();

  tape_find_real ();
  int result = real_Init_thread (argc, argv, required, provided);
  if (result == MPI_SUCCESS)
    initialised (RAW_REGION_Init_thread, began, __builtin_return_address (0), *provided);
  return result;
}

WRAP (Finalize, (void) )
{
  CALL (Finalize, ());
  tape_compare_clocks ();
  if (clocks != MPI_COMM_NULL)
    PMPI_Comm_free (&clocks);
  tape_recording = false;
  int result = real_Finalize ();
  tape_done (&c);
  tape_leave (&c);
  tape_finish (tape_now ());
  return result;
}

WRAP (Abort, (MPI_Comm comm, int code))
{
  Call c = tape_enter (RAW_REGION_Abort, __builtin_return_address (0));

  if (c.lane)
    tape_put3 (c.lane, RAW_ABORTED, 0, 0, c.date, (uint64_t) (int64_t) code);
  return real_Abort (comm, code);
}

/* ---- regions of the program's own ------------------------------------------------------------------------------------------ */

#define MOST_REGIONS 4096
static char *names[MOST_REGIONS];
static unsigned n_names;
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

/* The number of a name: of a table that is searched from where its bytes tell. */
static unsigned
region_of (Lane *l, const char *name)
{
  unsigned hash = 5381, k;

  for (const char *p = name; *p; p++)
    hash = hash * 33 + (unsigned char) *p;
  for (unsigned i = 0; i < MOST_REGIONS; i++) {
    k = (hash + i) % MOST_REGIONS;
    const char *there = __atomic_load_n (&names[k], __ATOMIC_ACQUIRE);
    if (there && strcmp (there, name) == 0)
      return k;
    if (!there)
      break;
  }
  pthread_mutex_lock (&names_lock);
  while (names[k] && strcmp (names[k], name) != 0)
    k = (k + 1) % MOST_REGIONS;
  if (!names[k] && n_names < MOST_REGIONS - 1) {
    n_names++;
    tape_text (l, RAW_REGION, k, 0, false, name, strnlen (name, 1000));
    __atomic_store_n (&names[k], strdup (name), __ATOMIC_RELEASE);
  } else if (!names[k]) {
    k = MOST_REGIONS; /* there are too many */
  }
  pthread_mutex_unlock (&names_lock);
  return k;
}

#define PUBLIC __attribute__ ((visibility ("default")))
void tape_mpi_enter_region (const char *name) PUBLIC;
void tape_mpi_leave_region (const char *name) PUBLIC;
void __cyg_profile_func_enter (void *function, void *from) PUBLIC;
void __cyg_profile_func_exit (void *function, void *from) PUBLIC;

void
tape_mpi_enter_region (const char *name)
{
  Lane *l = tape_recording ? tape_lane_here () : NULL;
  unsigned region = l && name ? region_of (l, name) : MOST_REGIONS;

  if (l && region < MOST_REGIONS)
    tape_put3 (l, RAW_ENTER, region, 1, (uint64_t) tape_now (), (uint64_t) (uintptr_t) __builtin_return_address (0));
}

void
tape_mpi_leave_region (const char *name)
{
  Lane *l = tape_recording ? tape_lane_here () : NULL;
  unsigned region = l && name ? region_of (l, name) : MOST_REGIONS;

  if (l && region < MOST_REGIONS)
    tape_put2 (l, RAW_LEAVE, region, 1, (uint64_t) tape_now ());
}

/* What -finstrument-functions calls. */
void
__cyg_profile_func_enter (void *function, void *from)
{
  Lane *l = tape_recording ? tape_lane_here () : NULL;

  if (l && l->depth == 0)
    tape_put3 (l, RAW_FUNCTION, 0, 0, (uint64_t) tape_now (), (uint64_t) (uintptr_t) function);
}

void
__cyg_profile_func_exit (void *function, void *from)
{
  Lane *l = tape_recording ? tape_lane_here () : NULL;

  if (l && l->depth == 0)
    tape_put3 (l, RAW_FUNCTION_END, 0, 0, (uint64_t) tape_now (), (uint64_t) (uintptr_t) function);
}

__attribute__ ((visibility ("default"), alias ("PMPI_Pcontrol"))) int MPI_Pcontrol (const int level, ...);
__attribute__ ((visibility ("default"))) int
PMPI_Pcontrol (const int level, ...)
{
  Lane *l = tape_recording ? tape_lane_here () : NULL;

  if (!l || level < 0 || l->lost || l->off == (level == 0))
    return MPI_SUCCESS;
  l->off = false;
  TAPE_PUT (l, RAW_ON, level != 0, 0, (uint64_t) tape_now ());
  l->off = level == 0;
  return MPI_SUCCESS;
}
