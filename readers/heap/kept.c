/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c - what keeps what alive in a large snapshot, in the user's cache, so that opening it again does not compute it
 * again.
 *
 * XDG_CACHE_HOME/scope/heaps/NAME, where NAME is of the snapshot's path: a head, then of each place but the first its
 * node less that before it, zigzag, and how many places its dominator is before it, numbers of 7 bits a byte. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/heap/private.h"

#define LEAST_PLACES 20000 /* of fewer it is soon computed */
#define MOST_BYTES (UINT64_C (4) << 30)
#define MOST_AGE_S (90 * 24 * 3600)
#define LEFT_FREE (256 * DISK_MIB)

typedef struct Head {
  char magic[8];
  uint64_t device, inode, size, changed_ns; /* of the snapshot */
  uint64_t n_blocks, n_edges, n_places;
  uint64_t bytes, check; /* of what follows, and heap_check() of it */
} Head;
static const char magic[8] = "SCPKEPT1";

/* The head of what would be kept of a graph; false: its file is not there any more. */
static bool
kept_head_of (const HeapGraph *h, uint32_t n, Head *head)
{
  struct stat s;

  if (!h->path || stat (h->path, &s) != 0)
    return false;
  *head = (Head){ .device = s.st_dev,
                  .inode = s.st_ino,
                  .size = (uint64_t) s.st_size,
                  .changed_ns = (uint64_t) (s.st_mtim.tv_sec * INT64_C (1000000000) + s.st_mtim.tv_nsec),
                  .n_blocks = h->n_blocks,
                  .n_edges = h->n_edges,
                  .n_places = n };
  memcpy (head->magic, magic, sizeof magic);
  return true;
}

static char *
kept_folder_of (void)
{
  return g_build_filename (g_get_user_cache_dir (), "scope", "heaps", NULL);
}

static char *
kept_name_of (const HeapGraph *h)
{
  g_autofree char *real = disk_real_path (h->path);
  g_autofree char *sum = real ? g_compute_checksum_for_string (G_CHECKSUM_SHA256, real, -1) : NULL;

  return sum ? g_strndup (sum, 24) : NULL;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------------- */

/* Each node once, live blocks and what is above them, and no dominator behind what it dominates. */
static bool
kept_decode (const HeapGraph *h, Bytes b, uint32_t n, uint32_t *node, uint32_t *place, uint32_t *dominator)
{
  uint32_t nodes = heap_nodes (h);

  memset (place, 0xff, (size_t) nodes * sizeof *place);
  node[0] = h->n_blocks;
  place[h->n_blocks] = dominator[0] = 0;
  for (uint32_t v = 1; v < n; v++) {
    uint64_t zigzag = heap_get_number (&b), back = heap_get_number (&b);
    uint64_t is = node[v - 1] + (zigzag >> 1 ^ -(zigzag & 1));
    if (b.over || is >= nodes || back == 0 || back > v || place[is] != TRACE_NONE || (is < h->n_blocks && !h->live[is]))
      return false;
    node[v] = (uint32_t) is;
    place[is] = v;
    dominator[v] = v - (uint32_t) back;
  }
  return b.at == b.end;
}

bool
heap_kept_read (HeapGraph *h, uint32_t n, uint32_t *node, uint32_t *place, uint32_t *dominator)
{
  g_autofree char *folder = kept_folder_of (), *name = n >= LEAST_PLACES ? kept_name_of (h) : NULL;
  g_autofree char *path = name ? g_build_filename (folder, name, NULL) : NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *all = NULL;
  size_t size = 0;
  Head own, head;

  g_clear_pointer (&h->not_used, g_free);
  if (!path || !kept_head_of (h, n, &own))
    return false;
  all = disk_read (path, folder, (uint64_t) n * 16 + sizeof head, &size, &error);
  if (!all) {
    if (!g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      h->not_used = g_strdup_printf (_ ("what is kept of it in the cache cannot be read, and is computed again: %s"),
                                     error->message);
    return false;
  }
  bool whole = size >= sizeof head;
  if (whole)
    memcpy (&head, all, sizeof head);
  whole = whole && memcmp (head.magic, magic, sizeof magic) == 0 && head.bytes == size - sizeof head
          && head.check == heap_check ((const uint8_t *) all + sizeof head, size - sizeof head);
  if (whole
      && (head.device != own.device || head.inode != own.inode || head.size != own.size
          || head.changed_ns != own.changed_ns)) {
    h->not_used = g_strdup (_ ("what is kept in the cache is of an earlier file of this name, and is computed again"));
    return false;
  }
  const uint8_t *bytes = (const uint8_t *) all + sizeof head;
  if (!whole || head.n_blocks != own.n_blocks || head.n_edges != own.n_edges || head.n_places != n
      || !kept_decode (h, (Bytes){ .at = bytes, .end = bytes + head.bytes }, n, node, place, dominator)) {
    h->not_used = g_strdup (_ ("what is kept of it in the cache is damaged, and is computed again"));
    return false;
  }
  utimensat (AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW); /* it is in use: others go first */
  return true;
}

/* ---- writing ---------------------------------------------------------------------------------------------------------------- */

static void
kept_put_number (GByteArray *to, uint64_t v)
{
  uint8_t bytes[10];
  guint n = 0;

  for (; v >= 128; v >>= 7)
    bytes[n++] = (uint8_t) (v | 128);
  bytes[n++] = (uint8_t) v;
  g_byte_array_append (to, bytes, n);
}

typedef struct Old {
  char *name;
  int64_t used_s;
  uint64_t bytes;
} Old;

static int
kept_by_use (gconstpointer a, gconstpointer b)
{
  const Old *x = a, *y = b;

  return (x->used_s > y->used_s) - (x->used_s < y->used_s);
}

/* Takes away what nobody has used for long, and the oldest of what is too much. */
static void
kept_clean (const char *folder, const char *keep)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Old));
  int64_t now = g_get_real_time () / G_USEC_PER_SEC;
  uint64_t bytes = 0;

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    struct stat s;
    if (strlen (name) != 24 || strspn (name, "0123456789abcdef") != 24 || lstat (path, &s) != 0 || !S_ISREG (s.st_mode))
      continue;
    g_array_append_val (all, ((Old){ g_strdup (name), s.st_mtim.tv_sec, (uint64_t) s.st_size }));
    bytes += (uint64_t) s.st_size;
  }
  g_array_sort (all, kept_by_use);
  for (guint i = 0; i < all->len; i++) {
    const Old *o = &g_array_index (all, Old, i);
    if ((bytes > MOST_BYTES || now - o->used_s > MOST_AGE_S) && strcmp (o->name, keep) != 0) {
      disk_remove_below (folder, o->name);
      bytes -= o->bytes;
    }
    g_free (o->name);
  }
}

void
heap_kept_write (const HeapGraph *h)
{
  g_autofree char *folder = kept_folder_of (), *name = h->n_places >= LEAST_PLACES ? kept_name_of (h) : NULL;
  struct statvfs disk;
  Head head;

  if (!name || !kept_head_of (h, h->n_places, &head) || g_mkdir_with_parents (folder, 0700) != 0)
    return;
  g_autoptr (GByteArray) all = g_byte_array_sized_new (4 * h->n_places + sizeof head);
  g_byte_array_append (all, (const guint8 *) &head, sizeof head);
  for (uint32_t v = 1; v < h->n_places; v++) {
    int64_t delta = (int64_t) h->node[v] - (int64_t) h->node[v - 1];
    kept_put_number (all, delta >= 0 ? (uint64_t) delta << 1 : ((uint64_t) -delta << 1) - 1);
    kept_put_number (all, v - h->dominator[v]);
    if (all->len > G_MAXUINT / 2)
      return;
  }
  head.bytes = all->len - sizeof head;
  head.check = heap_check (all->data + sizeof head, head.bytes);
  memcpy (all->data, &head, sizeof head);
  if (statvfs (folder, &disk) == 0 && (uint64_t) disk.f_bavail * disk.f_frsize < LEFT_FREE + all->len)
    return;
  disk_write_below (folder, name, all->data, all->len, NULL);
  kept_clean (folder, name);
}
