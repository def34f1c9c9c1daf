/* SPDX-License-Identifier: Apache-2.0 */
/* local.c - reads the files that the tasks wrote; also the small map and heap of the merge. */
#include "tape-pvm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/words.h"

/* -- map and heap -- */

static uint64_t
pvm_local_mix (uint64_t x)
{
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

int *
map_at (TapeMap *map, uint64_t key)
{
  uint64_t k = pvm_local_mix (key) | 1; /* mix loses nothing but this bit, and 0 is an empty place */
  unsigned i;

  if (map->used * 2 >= map->size) {
    TapeMap old = *map;

    map->size = old.size ? old.size * 2 : 64;
    map->key = calloc (map->size, sizeof *map->key);
    map->value = malloc (map->size * sizeof *map->value);
    for (unsigned j = 0; j < old.size; j++)
      if (old.key[j]) {
        for (i = (unsigned) (old.key[j] >> 1) & (map->size - 1); map->key[i]; i = (i + 1) & (map->size - 1))
          ;
        map->key[i] = old.key[j];
        map->value[i] = old.value[j];
      }
    free (old.key);
    free (old.value);
  }
  for (i = (unsigned) (k >> 1) & (map->size - 1); map->key[i] && map->key[i] != k; i = (i + 1) & (map->size - 1))
    ;
  if (!map->key[i]) {
    map->key[i] = k;
    map->value[i] = -1;
    map->used++;
  }
  return &map->value[i];
}

void
map_clear (TapeMap *map)
{
  free (map->key);
  free (map->value);
  memset (map, 0, sizeof *map);
}

#define BEFORE(heap, a, b)                                                                                             \
  ((heap)->item[a].date < (heap)->item[b].date                                                                         \
   || ((heap)->item[a].date == (heap)->item[b].date && (heap)->item[a].index < (heap)->item[b].index))

static void
heap_swap (TapeHeap *heap, int a, int b)
{
  __typeof__ (*heap->item) x = heap->item[a];

  heap->item[a] = heap->item[b];
  heap->item[b] = x;
}

void
heap_push (TapeHeap *heap, int64_t date, int index)
{
  int i = heap->n++;

  if (heap->n > heap->room) {
    heap->room = heap->room ? heap->room * 2 : 64;
    heap->item = realloc (heap->item, (size_t) heap->room * sizeof *heap->item);
  }
  heap->item[i].date = date;
  heap->item[i].index = index;
  for (; i && BEFORE (heap, i, (i - 1) / 2); i = (i - 1) / 2)
    heap_swap (heap, i, (i - 1) / 2);
}

int
heap_pop (TapeHeap *heap)
{
  int top = heap->item[0].index, i = 0;

  heap->item[0] = heap->item[--heap->n];
  for (;;) {
    int child = 2 * i + 1;

    if (child + 1 < heap->n && BEFORE (heap, child + 1, child))
      child++;
    if (child >= heap->n || !BEFORE (heap, child, i))
      return top;
    heap_swap (heap, i, child);
    i = child;
  }
}

/* -- local files -- */

/* A record that could not have been written by the library ends the file: it was cut or damaged there. */
const TapeRecord *
local_next (const TapeTask *task, size_t *at)
{
  const TapeRecord *r;

  if (*at == 0)
    *at = task->h->header_size;
  if (*at + sizeof *r > task->size)
    return NULL;
  r = (const TapeRecord *) (task->map + *at);
  if (r->size < sizeof *r + r->n * 8u || r->size % 8 || *at + r->size > task->size)
    return NULL;
  *at += r->size;
  return r;
}

void
local_modules (TapeTask *task, const TapeRecord *r)
{
  const char *p, *end;

  if (r->n != 1)
    return;
  p = (const char *) &r->field[1];
  if (r->field[0] < 0 || (size_t) r->field[0] > r->size - sizeof *r - 8)
    return;
  end = p + r->field[0];
  while (p < end) {
    const char *eol = memchr (p, '\n', (size_t) (end - p));
    char line[4608];
    unsigned long long a, b, c;
    int name = 0;

    if (!eol)
      eol = end;
    snprintf (line, sizeof line, "%.*s", (int) (eol - p), p);
    if (sscanf (line, "%llx %llx %llx %n", &a, &b, &c, &name) == 3 && name > 0) {
      task->module = realloc (task->module, (size_t) (task->n_modules + 1) * sizeof *task->module);
      task->module[task->n_modules++] = (TapeModule){ a, b, c, site_file (line + name) };
    }
    p = eol + 1;
  }
}

static void
pvm_local_read_modules (TapeTask *task)
{
  size_t at = 0;
  const TapeRecord *r = local_next (task, &at);

  if (r && r->kind == TAPE_MODULES)
    local_modules (task, r);
}

static bool
pvm_local_open_one (TapeRun *run, const char *path, const char *file)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  TapeTask task = { 0 };

  if (fd < 0 || fstat (fd, &st) != 0) {
    tape_say (_ ("%s: %s; the events of this task are lost"), file, strerror (errno));
    if (fd >= 0)
      close (fd);
    return false;
  }
  task.size = (size_t) st.st_size;
  task.map = task.size >= sizeof (TapeHeader) ? mmap (NULL, task.size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close (fd);
  if (task.map == MAP_FAILED)
    return false;
  task.h = (const TapeHeader *) task.map;
  if (memcmp (task.h->magic, TAPE_LOCAL_MAGIC, sizeof task.h->magic) != 0 || task.h->version != TAPE_LOCAL_VERSION
      || task.h->header_size != sizeof (TapeHeader)) {
    tape_say (_ ("%s: not a file of this tracer; left out"), file);
    munmap ((void *) task.map, task.size);
    return false;
  }
  /* Called a function of PVM without ever becoming a task: nothing to show. */
  if (task.h->tid <= 0 || local_find (run, task.h->tid) >= 0) {
    munmap ((void *) task.map, task.size);
    return false;
  }
  task.clock = tape_clock_number (run, task.h->domain);
  for (int i = 0; i < run->n_known; i++)
    if (run->known[i].tid == task.h->tid)
      task.died = run->known[i].at;
  run->task = realloc (run->task, (size_t) (run->n_tasks + 1) * sizeof *run->task);
  run->task[run->n_tasks++] = task;
  pvm_local_read_modules (&run->task[run->n_tasks - 1]);
  return true;
}

int
local_find (const TapeRun *run, int tid)
{
  for (int i = 0; i < run->n_tasks; i++)
    if (run->task[i].h->tid == tid)
      return i;
  return -1;
}

static int
by_tid (const void *a, const void *b)
{
  int x = ((const TapeTask *) a)->h->tid, y = ((const TapeTask *) b)->h->tid;

  return (x > y) - (x < y);
}

bool
local_open (TapeRun *run)
{
  DIR *dir = opendir (run->dir);
  struct dirent *entry;

  if (!dir) {
    tape_say ("%s: %s", run->dir, strerror (errno));
    return false;
  }
  while ((entry = readdir (dir)) != NULL) {
    size_t length = strlen (entry->d_name);
    char path[1024];

    if (length < 5 || strcmp (entry->d_name + length - 5, ".tape") != 0)
      continue;
    snprintf (path, sizeof path, "%s/%s", run->dir, entry->d_name);
    pvm_local_open_one (run, path, entry->d_name);
  }
  closedir (dir);
  if (run->n_tasks == 0) {
    tape_say (_ ("%s: no task of PVM was seen; is the program dynamically linked with libpvm3, and did it run?"),
              run->argv[0]);
    return false;
  }
  qsort (run->task, (size_t) run->n_tasks, sizeof *run->task, by_tid);
  for (int i = 0; i < run->n_tasks; i++) {
    TapeClock *clock = &run->clock[run->task[i].clock];

    /* A host nobody could measure: its first task begins with the run, messages will push the rest. */
    if (!clock->known) {
      int64_t first = run->task[i].h->enroll_ns;

      for (int k = i; k < run->n_tasks; k++)
        if (run->task[k].clock == run->task[i].clock && run->task[k].h->enroll_ns < first)
          first = run->task[k].h->enroll_ns;
      clock->known = true;
      clock->at[0] = run->began;
      clock->offset[0] = first - run->began;
      clock->error[0] = -1;
      tape_say (_ ("host of t%x: its clock could not be compared; its dates are a guess"), run->task[i].h->tid);
    }
  }
  run->origin = INT64_MAX;
  for (int i = 0; i < run->n_tasks; i++) {
    int64_t date = tape_to_ours (&run->clock[run->task[i].clock], run->task[i].h->enroll_ns);

    if (date < run->origin)
      run->origin = date;
  }
  return true;
}

void
local_close (TapeRun *run)
{
  for (int i = 0; i < run->n_tasks; i++) {
    munmap ((void *) run->task[i].map, run->task[i].size);
    free (run->task[i].point);
    free (run->task[i].module);
  }
  free (run->task);
  run->task = NULL;
  run->n_tasks = 0;
}

int64_t
local_date (const TapeRun *run, const TapeTask *task, int64_t local)
{
  int64_t date = tape_to_ours (&run->clock[task->clock], local) - run->origin;
  int low = 0, high = task->n_points;

  while (low < high) { /* the last point at or before the local date */
    int middle = (low + high) / 2;

    if (task->point[middle].at <= local)
      low = middle + 1;
    else
      high = middle;
  }
  if (low > 0) {
    const TapePoint *p = &task->point[low - 1];
    int64_t since = local - p->at;
    /* What was moved falls back to its own date by 1 part in 100: spans shrink a little, order is kept. */
    int64_t moved = p->to + since - since / 100;

    if (moved > date)
      date = moved;
  }
  return date;
}
