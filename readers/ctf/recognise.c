/* SPDX-License-Identifier: Apache-2.0 */
/* recognise.c - what a CTF trace is known by: the file `metadata` of its folder. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eve/disk.h"
#include "readers/converted.h"
#include "readers/ctf/recognise.h"

#define MOST_DEPTH 10
#define MOST_METADATA (64 * DISK_MIB)
#define MOST_LOOKED_AT 20000 /* files and folders of a tree */

static bool
is_magic (const void *head, size_t n, uint32_t magic)
{
  uint32_t v;

  if (n < sizeof v)
    return false;
  memcpy (&v, head, sizeof v);
  return v == magic || v == GUINT32_SWAP_LE_BE (magic);
}

/* The version of what a file of metadata begins with; 0: it is none. */
static int
version_of (const char *head, size_t n)
{
  size_t at = 0;

  if (is_magic (head, n, 0x75d11d57))
    return 1;
  while (at < n && (g_ascii_isspace (head[at]) || head[at] == 0x1e))
    at++;
  if (n - at > 10 && strncmp (head + at, "/* CTF 1.", 9) == 0)
    return 1;
  return at < n && head[at] == '{' && g_strstr_len (head + at, (gssize) MIN (n - at, 200), "\"preamble\"") ? 2 : 0;
}

/* Folders of one trace, which was rotated, have one uuid. */
static char *
ctf_recognise_id_of (const char *head, size_t n)
{
  char *id = NULL;

  if (is_magic (head, n, 0x75d11d57) && n >= 20) {
    GString *hex = g_string_new (NULL);
    for (int i = 4; i < 20; i++)
      g_string_append_printf (hex, "%02x", (uint8_t) head[i]);
    return g_string_free (hex, FALSE);
  }
  const char *at = g_strstr_len (head, (gssize) n, "uuid"), *quote = at ? strchr (at, '"') : NULL;
  if (quote && quote - at < 40 && strlen (quote) > 37) {
    GString *hex = g_string_new (NULL);
    for (const char *c = quote + 1; *c && *c != '"' && hex->len < 32; c++)
      if (g_ascii_isxdigit (*c))
        g_string_append_c (hex, g_ascii_tolower (*c));
    id = g_string_free (hex, FALSE);
  }
  return id;
}

/* The beginning of a folder's metadata, with a 0 behind it; g_free.  *n < 1: there is none. */
static char *
metadata_of (const char *folder, ssize_t *n)
{
  g_autofree char *path = g_build_filename (folder, "metadata", NULL);
  uint64_t size;
  int fd = disk_open (path, NULL, DISK_DATA, &size, NULL);
  char *head = g_malloc0 (65537);

  *n = fd >= 0 ? disk_pread (fd, head, 65536, 0) : -1;
  if (fd >= 0)
    close (fd);
  return head;
}

bool
ctf_is_trace (const char *folder, int *version, char **id)
{
  ssize_t n;
  g_autofree char *head = metadata_of (folder, &n);

  *version = n > 0 ? version_of (head, (size_t) n) : 0;
  if (id)
    *id = *version == 1 ? ctf_recognise_id_of (head, (size_t) n) : NULL;
  return *version > 0;
}

/* A packet begins with 37 bytes: magic, uuid, checksum, sizes of content and packet in bits, and four small ones. */
#define PACKET_HEAD 37

static uint32_t
ctf_recognise_word (const uint8_t *head, size_t at, bool swapped)
{
  uint32_t v;

  memcpy (&v, head + at, sizeof v);
  return swapped ? GUINT32_SWAP_LE_BE (v) : v;
}

bool
ctf_has_sound_packets (const char *folder, uint64_t *at)
{
  g_autofree char *path = g_build_filename (folder, "metadata", NULL);
  uint8_t head[PACKET_HEAD] = { 0 };
  uint64_t size;
  int fd = disk_open (path, NULL, DISK_DATA, &size, NULL);
  bool sound = true;

  for (*at = 0; fd >= 0 && sound && *at < size;) {
    if (disk_pread (fd, head, sizeof head, *at) != sizeof head || !is_magic (head, 4, 0x75d11d57)) {
      sound = *at == 0 && !is_magic (head, 4, 0x75d11d57); /* it is text */
      break;
    }
    bool swapped = ctf_recognise_word (head, 0, false) != 0x75d11d57;
    uint32_t content = ctf_recognise_word (head, 24, swapped), packet = ctf_recognise_word (head, 28, swapped);
    sound = packet % 8 == 0 && packet / 8 >= PACKET_HEAD && content <= packet && content / 8 >= PACKET_HEAD
            && packet / 8 <= size - *at;
    *at += sound ? packet / 8 : 0;
  }
  if (fd >= 0)
    close (fd);
  return sound;
}

/* Metadata may lie in packets: their contents one behind the other. */
GString *
ctf_metadata_text (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "metadata", NULL);
  size_t n = 0, at = 0;
  g_autofree char *bytes = disk_read (path, NULL, MOST_METADATA, &n, NULL);
  GString *text = g_string_new (NULL);

  if (!is_magic (bytes, n, 0x75d11d57))
    return g_string_append_len (text, bytes ? bytes : "", (gssize) n);
  bool swapped = ctf_recognise_word ((const uint8_t *) bytes, 0, false) != 0x75d11d57;
  while (n - at >= PACKET_HEAD) {
    const uint8_t *head = (const uint8_t *) bytes + at;
    uint32_t content = ctf_recognise_word (head, 24, swapped) / 8, packet = ctf_recognise_word (head, 28, swapped) / 8;
    if (content < PACKET_HEAD || content > packet || packet > n - at)
      break;
    g_string_append_len (text, (const char *) head + PACKET_HEAD, (gssize) (content - PACKET_HEAD));
    at += packet;
  }
  return text;
}

/* Its environment says so: domain = "ust". */
bool
ctf_is_of_programs (const char *folder)
{
  ssize_t n;
  g_autofree char *head = metadata_of (folder, &n);

  return n > 0 && memmem (head, (size_t) n, "\"ust\"", 5) != NULL;
}

/* Until `most` are found. */
static void
look_into (const char *folder, int depth, int *looked_at, GPtrArray *found, guint most)
{
  g_autoptr (GDir) dir = depth < MOST_DEPTH ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;
  int version;

  if (ctf_is_trace (folder, &version, NULL))
    g_ptr_array_add (found, g_strdup (folder));
  while (dir && found->len < most && ++*looked_at < MOST_LOOKED_AT && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    struct stat st;
    if (lstat (path, &st) == 0 && S_ISDIR (st.st_mode))
      look_into (path, depth + 1, looked_at, found, most);
  }
}

static int
ctf_recognise_by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

GPtrArray *
ctf_traces_in (const char *top)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (g_free);
  int looked_at = 0;

  look_into (top, 0, &looked_at, found, G_MAXUINT);
  g_ptr_array_sort (found, ctf_recognise_by_name);
  return found;
}

/* A folder: it, or any below it, has a trace.  A file: it is one of the files of a trace. */
int
ctf_recognise (const char *path, const void *head, size_t n, char **whole)
{
  int version, looked_at = 0;

  if (!head) {
    g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
    look_into (path, 0, &looked_at, found, 1);
    return found->len > 0 ? 85 : 0;
  }
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  bool is = is_magic (head, n, 0xc1fc1fc1) || (strcmp (name, "metadata") == 0 && version_of (head, n) > 0);
  if (is && ctf_is_trace (folder, &version, NULL)) {
    *whole = g_steal_pointer (&folder);
    return 90;
  }
  g_autofree char *above = g_path_get_dirname (folder);
  if (is_magic (head, n, 0xc1f1dcc1) && ctf_is_trace (above, &version, NULL)) {
    *whole = g_steal_pointer (&above);
    return 90;
  }
  return 0;
}
