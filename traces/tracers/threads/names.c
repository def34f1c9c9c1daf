/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - what the addresses in the files of the threads are: lines of the program's source, variables. */
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../command.h"
#include "../lines.h"
#include "../modules.h"
#include "format.h"
#include "eve/words.h"

typedef struct Process {
  int32_t pid;
  uint32_t image;
  bool done;
  guint n_open; /* threads that have not ended */
  GArray *modules;
  GHashTable *sites, *objects, *routines; /* of addresses */
} Process;

typedef struct Lanes {
  GHashTable *processes; /* pid << 32 | image -> Process */
  bool anonymous;
  int64_t first_ns, last_ns;
  RunTold *told;
} Lanes;

static void
threads_names_process_free (void *process)
{
  Process *p = process;

  g_array_unref (p->modules);
  g_hash_table_unref (p->sites);
  g_hash_table_unref (p->objects);
  g_hash_table_unref (p->routines);
  g_free (p);
}

static GHashTable *
set_of_addresses (void)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

static Process *
threads_names_process_of (Lanes *l, const ThreadsHeader *h)
{
  gint64 key = (gint64) ((uint64_t) (uint32_t) h->pid << 32 | h->image);
  Process *p = g_hash_table_lookup (l->processes, &key);

  if (p)
    return p;
  p = g_new0 (Process, 1);
  p->pid = h->pid;
  p->image = h->image;
  p->modules = g_array_new (FALSE, FALSE, sizeof (Module));
  p->sites = set_of_addresses ();
  p->objects = set_of_addresses ();
  p->routines = set_of_addresses ();
  g_hash_table_insert (l->processes, g_memdup2 (&key, sizeof key), p);
  l->told->n_processes++;
  return p;
}

static void
threads_names_note (GHashTable *set, uint64_t address)
{
  if (address && !g_hash_table_contains (set, &address))
    g_hash_table_add (set, g_memdup2 (&address, sizeof address));
}

static void
threads_names_read_modules (Process *p, const uint64_t *at)
{
  size_t n = (size_t) (RAW_WORDS (*at) - 1) * 8;
  g_autofree char *text = g_strndup ((const char *) (at + 1), n - MIN (n, RAW_B (*at)));

  modules_read (p->modules, text);
}

static void
threads_names_read_record (Lanes *l, Process *p, const uint64_t *at)
{
  unsigned words = RAW_WORDS (*at);
  uint64_t w[5] = { 0 };

  memcpy (w, at, MIN (words, G_N_ELEMENTS (w)) * sizeof *w);
  l->told->n_records++;
  switch (RAW_TYPE (*at)) {
  case THREADS_HOLD:
    l->told->n_takes++;
    threads_names_note (p->objects, w[2]);
    threads_names_note (p->sites, w[3]);
    break;
  case THREADS_ASK:
    l->told->n_waits++;
    threads_names_note (p->objects, w[2]);
    threads_names_note (p->sites, w[3]);
    break;
  case THREADS_SIGNAL:
  case THREADS_INIT:
    threads_names_note (p->objects, w[2]);
    threads_names_note (p->sites, w[3]);
    break;
  case THREADS_CREATE:
    threads_names_note (p->sites, w[3]);
    break;
  case THREADS_MODULES:
    threads_names_read_modules (p, at);
    break;
  case THREADS_MISSED:
    l->told->n_missed += w[2];
    break;
  case THREADS_CLOCK:
    l->last_ns = MAX (l->last_ns, (int64_t) w[2]);
    break;
  case THREADS_LOST:
    l->told->n_lost++;
    break;
  case THREADS_EXIT:
    p->n_open--;
    break;
  case THREADS_DONE:
    p->done = true;
    break;
  default:
    break;
  }
}

static void
read_lane (Lanes *l, const char *path)
{
  int fd = open (path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct stat st;
  uint64_t *map = MAP_FAILED;

  if (fd >= 0 && fstat (fd, &st) == 0 && (size_t) st.st_size >= sizeof (ThreadsHeader))
    map = mmap (NULL, (size_t) st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ThreadsHeader *h = (ThreadsHeader *) map;
  if (map == MAP_FAILED || memcmp (h->magic, THREADS_MAGIC, sizeof h->magic) != 0 || h->version != THREADS_VERSION
      || h->header_size != sizeof *h) {
    tape_say (_ ("%s: not a file of a thread; left out"), path);
  } else {
    Process *p = threads_names_process_of (l, h);
    const uint64_t *at = map + sizeof *h / 8, *end = map + (size_t) st.st_size / 8;
    l->told->n_threads++;
    p->n_open++;
    threads_names_note (p->routines, h->routine);
    l->first_ns = MIN (l->first_ns, h->born_ns);
    l->last_ns = MAX (l->last_ns, h->born_ns);
    for (; (at = raw_record (at, end)); at += RAW_WORDS (*at))
      threads_names_read_record (l, p, at);
    if (l->anonymous)
      g_strlcpy (h->host, "host1", sizeof h->host);
    for (at = map + sizeof *h / 8; raw_record (at, end);)
      at += RAW_WORDS (*at);
    if (ftruncate (fd, (at - map + 1) * 8) != 0)
      tape_say ("%s: %s", path, strerror (errno));
  }
  if (map != MAP_FAILED)
    munmap (map, (size_t) st.st_size);
  if (fd >= 0)
    close (fd);
}

/* ---- what they are ---------------------------------------------------------------------------------------------- */

/* Names are words of a line: no control characters. */
static char *
threads_names_clean (const char *text)
{
  char *valid = g_utf8_make_valid (text, -1);

  for (char *p = valid; *p; p++)
    if ((unsigned char) *p < ' ')
      *p = ' ';
  return valid;
}

static void
threads_names_put_site (const Process *p, uint64_t address, bool call, const char *word, FILE *to)
{
  const Module *m = modules_find (p->modules, address);
  Line at = { 0 };

  /* One back: a return address may belong to the next line already. */
  bool known = m && lines_find (m->file, address - call - m->begin + m->offset, &at);
  if (known || at.function) {
    g_autofree char *file = threads_names_clean (known ? at.file : ""),
                    *function = threads_names_clean (at.function ? at.function : "");
    fprintf (to, "%s %" G_GINT64_MODIFIER "x %d %s\t%s\n", word, address, known ? at.line : 0, function, file);
  }
  free (at.file);
  free (at.function);
}

/* A variable lies behind the code of its file, and before that of the next. */
static void
threads_names_put_object (const Process *p, uint64_t address, FILE *to)
{
  const Module *best = NULL;

  for (guint i = 0; i < p->modules->len; i++) {
    const Module *m = &g_array_index (p->modules, Module, i);
    if (m->begin <= address && (!best || m->begin > best->begin))
      best = m;
  }
  char *found = best ? lines_object (best->file, best->offset, (int64_t) (address - best->begin)) : NULL;
  if (found) {
    g_autofree char *name = threads_names_clean (found);
    fprintf (to, "object %" G_GINT64_MODIFIER "x %s\n", address, name);
  }
  free (found);
}

static void
put_process (Process *p, bool lines, RunTold *told, FILE *to)
{
  GHashTableIter i;
  gpointer address;

  told->n_not_done += !p->done && p->n_open > 0;
  if (!lines)
    return;
  fprintf (to, "process %d %u\n", p->pid, p->image);
  for (g_hash_table_iter_init (&i, p->sites); g_hash_table_iter_next (&i, &address, NULL);)
    threads_names_put_site (p, *(uint64_t *) address, true, "site", to);
  for (g_hash_table_iter_init (&i, p->routines); g_hash_table_iter_next (&i, &address, NULL);)
    threads_names_put_site (p, *(uint64_t *) address, false, "routine", to);
  for (g_hash_table_iter_init (&i, p->objects); g_hash_table_iter_next (&i, &address, NULL);)
    threads_names_put_object (p, *(uint64_t *) address, to);
}

bool
names_write (const char *folder, bool lines, bool anonymous, RunTold *told)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *path = g_build_filename (folder, "names", NULL), *making = g_strconcat (path, ".new", NULL);
  Lanes l = { .anonymous = anonymous, .first_ns = INT64_MAX, .told = told };
  GHashTableIter i;
  gpointer process;

  memset (told, 0, sizeof *told);
  l.processes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, threads_names_process_free);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *lane = g_build_filename (folder, name, NULL);
    if (g_str_has_suffix (name, ".lane"))
      read_lane (&l, lane);
  }
  FILE *to = told->n_threads > 0 ? fopen (making, "we") : NULL;
  if (to) {
    fputs ("#threads-names 1\n", to);
    for (g_hash_table_iter_init (&i, l.processes); g_hash_table_iter_next (&i, NULL, &process);)
      put_process (process, lines, told, to);
  }
  told->seconds = l.last_ns > l.first_ns ? (double) (l.last_ns - l.first_ns) * 1e-9 : 0;
  bool ok = to && !ferror (to);
  ok = to && fclose (to) == 0 && ok && rename (making, path) == 0;
  if (!ok && told->n_threads > 0)
    tape_say ("%s: %s", path, strerror (errno));
  g_hash_table_unref (l.processes);
  return ok;
}
