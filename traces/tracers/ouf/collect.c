/* SPDX-License-Identifier: Apache-2.0 */
/* collect.c - the collecting task: makes the bundle, keeps the index of full blocks, ends what dead tasks
 * left open.
 *
 *   OUF_TRACE=NAME.trace     the bundle; without it, PROGRAM.trace in the working folder
 *   OUF_EVENTS=point,SemP    what is recorded; ouf_events() tells how */
#include "collect.h"

#include "note.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static char bundle[PATH_MAX], *name, *command;
static int index_fd = -1, pipe_in = -1;
static uint64_t run, n_events;
static uint64_t *collected; /* of each task, the last block that is in the index */
static int64_t cost_ps;
static const char *events;

static bool
collect_say (const char *path)
{
  fprintf (stderr, "ouf: %s: %s\n", path, strerror (errno));
  return false;
}

/* A path in the bundle: .../NAME.tape/FILE or .../doc/FILE. */
static char *
path_to (const char *file, bool data)
{
  static char path[PATH_MAX];
  int n = data ? snprintf (path, sizeof path, "%s/%s.tape/%s", bundle, name, file)
               : snprintf (path, sizeof path, "%s/doc/%s", bundle, file);

  if (n < 0 || (size_t) n >= sizeof path)
    path[0] = 0;
  return path;
}

static const char *
collect_base (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash ? slash + 1 : path;
}

/* -- the bundle -- */

static bool
collect_folder (const char *path)
{
  return mkdir (path, 0777) == 0 || errno == EEXIST || collect_say (path);
}

static bool
collect_make_bundle (const char *program)
{
  const char *wanted = getenv ("OUF_TRACE");
  size_t n;

  if (wanted && *wanted)
    snprintf (bundle, sizeof bundle, "%s", wanted);
  else
    snprintf (bundle, sizeof bundle, "%s.trace", collect_base (program));
  n = strlen (bundle);
  while (n > 1 && bundle[n - 1] == '/')
    bundle[--n] = 0;
  if (n >= PATH_MAX - 600 || strlen (collect_base (bundle)) < 7 || strcmp (bundle + n - 6, ".trace") != 0) {
    fprintf (stderr, "ouf: OUF_TRACE: %s: the name of a bundle ends in .trace\n", bundle);
    return false;
  }
  name = strdup (collect_base (bundle));
  if (!name)
    return collect_say (bundle);
  name[strlen (name) - 6] = 0;
  if (!collect_folder (bundle) || !collect_folder (path_to ("", true)) || !collect_folder (path_to ("", false)))
    return false;
  /* Files of an earlier run may be open in a reader: they stay whole there. */
  for (const char *const *f = (const char *const[]){ "topology", "events", "index", "calibration", NULL }; *f; f++)
    unlink (path_to (*f, true));
  return true;
}

static void
collect_put_name (FILE *out, const char *text)
{
  for (; *text; text++)
    if ((unsigned char) *text <= ' ' || *text == '%' || *text == 0x7f)
      fprintf (out, "%%%02X", (unsigned char) *text);
    else
      fputc (*text, out);
}

static bool
collect_write_topology (const char *program)
{
  const char *path = path_to ("topology", true);
  FILE *out = fopen (path, "we");
  struct utsname machine;

  if (!out)
    return collect_say (path);
  fprintf (out, "#TAPE %d\n", TAPE_VERSION);
  if (uname (&machine) == 0) { /* not its name in the network, which is nobody's business */
    fputs ("machine ", out);
    collect_put_name (out, machine.sysname);
    fputc ('-', out);
    collect_put_name (out, machine.machine);
    fputc ('\n', out);
  }
  for (int i = 0; i < ouf.n_physical; i++)
    fprintf (out, "processor %d cpu%d\n", i, i);
  for (int i = 0; i < ouf.n_virtual; i++)
    fprintf (out, "virtual %d %d\n", i, ouf.placed[i]);
  for (int i = 0; i < ouf.n_tasks; i++) {
    fprintf (out, "task %d %d ", i, ouf.task[i].virtual_processor);
    collect_put_name (out, ouf.task[i].name);
    fputc (' ', out);
    collect_put_name (out, collect_base (program));
    fputc ('\n', out);
  }
  for (int i = 0; i < ouf.n_tasks; i++)
    fprintf (out, "thread %d 0 main\n", i);
  for (int i = 0; i < ouf.n_links; i++) {
    fprintf (out, "link %d %d %d ", i, ouf.link[i].from, ouf.link[i].to);
    collect_put_name (out, ouf.link[i].name);
    fputc ('\n', out);
  }
  return fclose (out) == 0 || collect_say (path);
}

static bool
collect_write_all (int fd, const void *data, size_t n)
{
  const char *p = data;

  while (n) {
    ssize_t done = write (fd, p, n);

    if (done < 0 && errno != EINTR)
      return false;
    if (done > 0)
      p += done, n -= (size_t) done;
  }
  return true;
}

static int
begin_index (const char *path, bool complete)
{
  TapeIndexHeader h = { .order = TAPE_ORDER,
                        .version = TAPE_VERSION,
                        .run = run,
                        .complete = complete,
                        .entry_size = sizeof (TapeIndexEntry) };
  int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

  memcpy (h.magic, TAPE_INDEX_MAGIC, sizeof h.magic);
  if (fd >= 0 && !collect_write_all (fd, &h, sizeof h)) {
    close (fd);
    fd = -1;
  }
  return fd;
}

bool
note_open (int argc, char **argv)
{
  const char *program = argc > 0 && argv[0] && *argv[0] ? argv[0] : "program";
  struct timespec now;
  size_t size;
  FILE *text;
  int ends[2];

  events = getenv ("OUF_EVENTS");
  if (!events || !*events)
    events = "all";
  if (!note_choose (events)) {
    fprintf (stderr, "ouf: OUF_EVENTS: %s: not names or categories of events\n", events);
    return false;
  }
  if (!collect_make_bundle (program) || !collect_write_topology (program))
    return false;
  text = open_memstream (&command, &size);
  if (!text)
    return collect_say (bundle);
  fputs (collect_base (program), text);
  for (int i = 1; i < argc; i++)
    fprintf (text, " %s", argv[i]);
  fclose (text);
  if (getrandom (&run, sizeof run, 0) != (ssize_t) sizeof run)
    run = (uint64_t) ouf.origin;
  cost_ps = writer_calibrate (path_to ("calibration", true));
  index_fd = begin_index (path_to ("index", true), false);
  if (index_fd < 0 || pipe2 (ends, O_CLOEXEC) != 0)
    return collect_say (path_to ("index", true));
  collected = calloc ((size_t) ouf.n_tasks, sizeof *collected);
  if (!collected)
    return collect_say (bundle);
  pipe_in = ends[0];
  fcntl (pipe_in, F_SETFL, O_NONBLOCK);
  ouf.origin = ouf_clock (); /* what this took is not the program's */
  clock_gettime (CLOCK_REALTIME, &now);
  if (!writer_open (&note_writer, path_to ("events", true), run, (int64_t) now.tv_sec * 1000000000 + now.tv_nsec)) {
    note_writer.base = NULL;
    return collect_say (path_to ("events", true));
  }
  note_writer.pipe = ends[1];
  return true;
}

/* -- while it runs -- */

void
note_claim (int task)
{
  int virtual_processor = ouf.task[task].virtual_processor;

  writer_task (&note_writer, (uint32_t) task, (uint16_t) ouf.placed[virtual_processor], (uint16_t) virtual_processor);
}

int
note_pipe (void)
{
  return pipe_in;
}

void
note_collect (void)
{
  uint64_t at[512];
  TapeIndexEntry entry[512];
  ssize_t n;

  while ((n = read (pipe_in, at, sizeof at)) > 0) {
    for (size_t i = 0; i < (size_t) n / 8; i++) {
      const TapeBlock *b = (const TapeBlock *) (note_writer.base + at[i]);

      entry[i] = (TapeIndexEntry){ at[i], b->length, b->task, b->count, b->tail, b->first, b->last, b->before };
      n_events += b->count;
      collected[b->task] = at[i];
    }
    if (!collect_write_all (index_fd, entry, (size_t) n / 8 * sizeof *entry))
      collect_say (path_to ("index", true));
  }
}

/* A task that ended in good order has said so itself.  Another one is ended here, at the date of the notice.
 */
void
note_bury (int task, pid_t pid, int status)
{
  uint64_t block;

  if (!note_writer.base || atomic_load (&ouf.tasks[task].closed))
    return;
  note_claim (task);
  block = writer_last (&note_writer, (uint32_t) task);
  writer_adopt (&note_writer, block);
  /* Killed when the block was full and nobody told of it yet. */
  if (block && note_writer.block->length && collected[task] != block
      && write (note_writer.pipe, &block, sizeof block) != sizeof block)
    collect_say (path_to ("index", true));
  if (!note_writer.last && !note_writer.before)
    note_instant (TAPE_TskBth, 1, (int64_t[]){ pid });
  /* It may have been killed at its very end. */
  if (!note_writer.last || note_writer.last->type != TAPE_TskDth)
    note_instant (TAPE_TskDth, 1, (int64_t[]){ status });
  writer_close_block (&note_writer);
  note_collect ();
}

/* -- the end -- */

static int
collect_by_task (const void *a, const void *b)
{
  const TapeIndexEntry *x = a, *y = b;

  return x->task != y->task ? (x->task > y->task) - (x->task < y->task)
                            : (x->before > y->before) - (x->before < y->before);
}

/* All at once or not at all: by renaming. */
static bool
sort_index (void)
{
  off_t size = lseek (index_fd, 0, SEEK_END) - (off_t) sizeof (TapeIndexHeader);
  TapeIndexEntry *entries = malloc ((size_t) size + 1);
  char new_path[PATH_MAX];
  int fd;
  bool ok;

  snprintf (new_path, sizeof new_path, "%s", path_to ("index.new", true));
  fd = begin_index (new_path, true);
  ok = entries && fd >= 0
       && pread (index_fd, entries, (size_t) size, (off_t) sizeof (TapeIndexHeader)) == (ssize_t) size;
  if (ok) {
    qsort (entries, (size_t) size / sizeof *entries, sizeof *entries, collect_by_task);
    ok = collect_write_all (fd, entries, (size_t) size);
  }
  if (fd >= 0)
    ok &= close (fd) == 0;
  free (entries);
  return ok && rename (new_path, path_to ("index", true)) == 0;
}

static void
write_notes (int64_t stopped_ns)
{
  FILE *out = fopen (path_to ("run.md", false), "we");
  time_t now = time (NULL);
  char date[32];

  if (!out) {
    collect_say (path_to ("run.md", false));
    return;
  }
  strftime (date, sizeof date, "%Y-%m-%d", gmtime (&now));
  fprintf (out, "# %s: how this trace was taken\n\nCommand: `%s`, linked with libouf-tape, on %s.\n", name, command,
           date);
  fprintf (out, "Events asked for: %s.\n\nThe run took %.3f s", events, (double) ouf_now () * 1e-9);
  if (stopped_ns)
    fprintf (out, " and was stopped after the %g s it was allowed", (double) stopped_ns * 1e-9);
  fprintf (out, "; %d tasks on %d processors, %" PRIu64 " events.\n", ouf.n_tasks, ouf.n_physical, n_events);
  for (int i = 0; i < ouf.n_tasks; i++)
    if (ouf.task[i].status < 0)
      fprintf (out, "Task %s was killed by signal %d.\n", ouf.task[i].name, -ouf.task[i].status);
  fputs ("\n## Cost of tracing\n\n", out);
  if (cost_ps >= 0)
    fprintf (out, "About %.0f ns an event (calibrated before the run), %.3f ms in all.\n", (double) cost_ps * 1e-3,
             (double) cost_ps * (double) n_events * 1e-9);
  else
    fputs ("Not measured.\n", out);
  if (fclose (out) != 0)
    collect_say (path_to ("run.md", false));
}

void
note_close (int64_t stopped_ns)
{
  if (!note_writer.base)
    return;
  note_collect ();
  if (!sort_index ())
    collect_say (path_to ("index", true));
  write_notes (stopped_ns);
  close (index_fd);
  close (pipe_in);
  close (note_writer.pipe);
  writer_close (&note_writer);
  note_writer.base = NULL;
  free (name);
  free (command);
  free (collected);
}
