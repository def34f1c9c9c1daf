/* SPDX-License-Identifier: Apache-2.0 */
/* share.c - the snapshot that several components look at, at one instant: it is read, and what it retains is computed,
 * once for all of them. */
#include <sys/stat.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/heap/private.h"

typedef struct Identity {
  dev_t device;
  ino_t inode;
  off_t size;
  int64_t changed_ns;
} Identity;

static struct {
  unsigned joined;
  char *path;
  Identity file, types;
  HeapGraph *h;
} shared;

static Identity
identity_of (const char *path)
{
  struct stat s;

  if (stat (path, &s) != 0)
    return (Identity){ 0 };
  return (Identity){ s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec * INT64_C (1000000000) + s.st_mtim.tv_nsec };
}

static bool
share_is_same (const Identity *a, const Identity *b)
{
  return a->device == b->device && a->inode == b->inode && a->size == b->size && a->changed_ns == b->changed_ns;
}

static void
share_forget (void)
{
  g_clear_pointer (&shared.h, heap_free);
  g_clear_pointer (&shared.path, g_free);
}

void
heap_share_join (void)
{
  shared.joined++;
}

void
heap_share_leave (void)
{
  if (--shared.joined == 0)
    share_forget ();
}

HeapGraph *
heap_share (const char *path, const char *bundle, bool retained, const TraceProgress *progress, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path), *types = g_build_filename (folder, HEAP_TYPES, NULL);
  Identity file = identity_of (path), of_types = identity_of (types);

  if (!disk_is_below (path, bundle)) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s lies outside of its bundle, and is not opened"), path);
    return NULL;
  }
  if (!shared.h || g_strcmp0 (shared.path, path) != 0 || !share_is_same (&shared.file, &file)
      || !share_is_same (&shared.types, &of_types)) {
    share_forget ();
    shared.h = heap_open (path, progress, error);
    if (!shared.h)
      return NULL;
    shared.path = g_strdup (path);
    shared.file = file;
    shared.types = of_types;
  }
  return (retained ? heap_dominate (shared.h, progress, error) : heap_reach (shared.h, progress, error)) ? shared.h
                                                                                                         : NULL;
}
