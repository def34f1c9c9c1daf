/* SPDX-License-Identifier: Apache-2.0 */
#include "eve/disk.h"
#include "eve/words.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAREFUL (O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* ---- whole reads and writes ------------------------------------------------------------------------------------------ */

ssize_t
disk_pread (int fd, void *to, size_t n, uint64_t at)
{
  size_t done = 0;

  while (done < n) {
    ssize_t got = pread (fd, (char *) to + done, n - done, (off_t) (at + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    done += (size_t) got;
  }
  return (ssize_t) done;
}

/* at < 0: where the file stands */
static bool
disk_put (int fd, const char *from, size_t n, off_t at)
{
  while (n) {
    ssize_t k = at < 0 ? write (fd, from, n) : pwrite (fd, from, n, at);
    if (k < 0 && errno == EINTR)
      continue;
    if (k == 0)
      errno = ENOSPC;
    if (k <= 0)
      return false;
    from += k;
    n -= (size_t) k;
    at += at < 0 ? 0 : k;
  }
  return true;
}

bool
disk_pwrite (int fd, const void *from, size_t n, uint64_t at)
{
  return disk_put (fd, from, n, (off_t) at);
}

bool
disk_write (int fd, const void *from, size_t n)
{
  return disk_put (fd, from, n, -1);
}

/* ---- sentences --------------------------------------------------------------------------------------------------------- */

static const char *
reason (int e)
{
  return e == ENOENT  ? _ ("there is no such file")
         : e == ELOOP ? _ ("its symbolic links lead round in a circle")
                      : g_strerror (e);
}

static int
disk_refuse (GError **error, int e, const char *what, const char *path)
{
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (e), _ (what), shown, reason (e));
  errno = e;
  return -1;
}

/* False and a sentence for what is no plain file. */
static bool
disk_is_plain (const struct stat *st, const char *path, GError **error)
{
  mode_t m = st->st_mode;

  if (S_ISREG (m))
    return true;
  g_autofree char *shown = g_filename_display_name (path);
  g_set_error (error, G_FILE_ERROR, S_ISDIR (m) ? G_FILE_ERROR_ISDIR : G_FILE_ERROR_INVAL,
               _ ("%s is no plain file but %s"), shown,
               S_ISDIR (m)    ? _ ("a folder")
               : S_ISLNK (m)  ? _ ("a link")
               : S_ISFIFO (m) ? _ ("a pipe")
               : S_ISSOCK (m) ? _ ("a socket")
                              : _ ("a device"));
  errno = S_ISDIR (m) ? EISDIR : EINVAL;
  return false;
}

/* ---- where a path leads ------------------------------------------------------------------------------------------------ */

static GMutex lock;
static GPtrArray *allowed; /* of char *: real paths */

char *
disk_real_path (const char *path)
{
  char *real = realpath (path, NULL), *given = real ? g_strdup (real) : NULL;

  free (real);
  return given;
}

void
disk_allow (const char *path)
{
  char *real = disk_real_path (path);

  g_mutex_lock (&lock);
  if (!allowed)
    allowed = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (allowed, real ? real : g_canonicalize_filename (path, NULL));
  g_mutex_unlock (&lock);
}

static bool
lies_in (const char *real, const char *folder)
{
  size_t n = strlen (folder);

  while (n > 1 && folder[n - 1] == '/')
    n--;
  return strncmp (real, folder, n) == 0 && (real[n] == '/' || !real[n] || n == 1);
}

static bool
is_allowed (const char *real, const char *below)
{
  g_autofree char *folder = below ? disk_real_path (below) : NULL;
  bool yes = folder && lies_in (real, folder);

  g_mutex_lock (&lock);
  for (guint i = 0; allowed && i < allowed->len && !yes; i++)
    yes = lies_in (real, allowed->pdata[i]);
  g_mutex_unlock (&lock);
  return yes;
}

bool
disk_is_below (const char *path, const char *below)
{
  g_autofree char *full = g_canonicalize_filename (path, NULL), *real = disk_real_path (full);

  while (!real && strcmp (full, "/") != 0) { /* what is not there: decided by the nearest folder that is */
    struct stat st;
    if (lstat (full, &st) == 0)
      return false; /* a link to nowhere may lead anywhere tomorrow */
    char *above = g_path_get_dirname (full);
    g_free (full);
    full = above;
    real = disk_real_path (full);
  }
  return real && is_allowed (real, below);
}

/* Where an open file lies; NULL: not known. */
static char *
disk_place_of (int fd, const char *path)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd);
  char *place = g_file_read_link (link, NULL);

  return place && *place == '/' ? place : disk_real_path (path);
}

/* ---- reading ------------------------------------------------------------------------------------------------------------- */

/* A descriptor of O_PATH only looks: nothing happens to a device, and no pipe blocks. */
int
disk_open (const char *path, const char *below, uint64_t most, uint64_t *size, GError **error)
{
  struct stat seen, st;
  int look = open (path, O_PATH | O_CLOEXEC), fd = -1;

  if (look < 0)
    return disk_refuse (error, errno, N_ ("%s cannot be read: %s"), path);
  g_autofree char *place = below ? disk_place_of (look, path) : NULL, *shown = g_filename_display_name (path);
  if (fstat (look, &seen) < 0)
    disk_refuse (error, errno, N_ ("%s cannot be read: %s"), path);
  else if (!disk_is_plain (&seen, path, error))
    ;
  else if (below && !(place && is_allowed (place, below)))
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM,
                 _ ("%s is a link to %s, out of %s, and is not followed; put a copy in its place, or allow it with "
                    "--allow %s"),
                 shown, place ? place : "nowhere", below, place ? place : "PATH");
  else if ((uint64_t) seen.st_size > most) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                 _ ("%s has %.6g MiB, more than the %.6g MiB that such a file may have"), shown,
                 (double) seen.st_size / DISK_MIB, (double) most / DISK_MIB);
  } else if ((fd = open (path, O_RDONLY | CAREFUL)) < 0)
    disk_refuse (error, errno, N_ ("%s cannot be read: %s"), path);
  else if (fstat (fd, &st) < 0 || st.st_dev != seen.st_dev || st.st_ino != seen.st_ino) {
    close (fd);
    fd = disk_refuse (error, EAGAIN, N_ ("%s cannot be read: %s"), path); /* another one was put there meanwhile */
  } else if (size)
    *size = (uint64_t) st.st_size;
  close (look);
  return fd;
}

char *
disk_read (const char *path, const char *below, uint64_t most, size_t *n, GError **error)
{
  uint64_t size = 0;
  int fd = disk_open (path, below, most, &size, error);
  char *text = fd >= 0 ? g_try_malloc (size + 1) : NULL;
  ssize_t got = text ? disk_pread (fd, text, size, 0) : -1;

  if (fd >= 0 && got < 0)
    disk_refuse (error, text ? errno : ENOMEM, N_ ("%s cannot be read: %s"), path);
  if (fd >= 0)
    close (fd);
  if (got < 0) {
    g_free (text);
    return NULL;
  }
  text[got] = '\0';
  if (n)
    *n = (size_t) got;
  return text;
}

char *
disk_end_line (char *line, const char *end)
{
  char *at = memchr (line, '\n', (size_t) (end - line));

  if (!at)
    return NULL;
  *at = '\0';
  return at + 1;
}

bool
disk_read_keys (GKeyFile *keys, const char *path, GKeyFileFlags flags)
{
  size_t n;
  g_autofree char *text = disk_read (path, NULL, DISK_MIB, &n, NULL);

  return text && g_key_file_load_from_data (keys, text, n, flags, NULL);
}

/* ---- writing ------------------------------------------------------------------------------------------------------------- */

/* Opens `leaf` of the folder `at` (AT_FDCWD: the path itself).  `make`: O_CREAT, or 0. */
static int
open_leaf (int at, const char *leaf, const char *path, int make, GError **error)
{
  struct stat st;
  int fd = -1;

  if (fstatat (at, leaf, &st, AT_SYMLINK_NOFOLLOW) == 0 && !disk_is_plain (&st, path, error))
    return -1;
  /* O_NOFOLLOW: a link that was put there after the look */
  if ((fd = openat (at, leaf, O_RDWR | make | O_NOFOLLOW | CAREFUL, 0666)) < 0 || fstat (fd, &st) < 0)
    disk_refuse (error, errno, N_ ("%s cannot be written: %s"), path);
  else if (disk_is_plain (&st, path, error)) {
    if (st.st_nlink <= 1)
      return fd;
    g_autofree char *shown = g_filename_display_name (path);
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM,
                 _ ("%s is not written, as it is a file that has another name too"), shown);
    errno = EMLINK;
  }
  int e = errno;
  if (fd >= 0)
    close (fd);
  errno = e;
  return -1;
}

int
disk_open_write (const char *path, GError **error)
{
  return open_leaf (AT_FDCWD, path, path, O_CREAT, error);
}

int
disk_open_pipe (const char *path)
{
  struct stat st;
  int fd = lstat (path, &st) == 0 && S_ISFIFO (st.st_mode) ? open (path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
                                                           : -1;

  if (fd >= 0 && (fstat (fd, &st) < 0 || !S_ISFIFO (st.st_mode))) {
    close (fd);
    fd = -1;
  }
  return fd;
}

bool
disk_cut (const char *path, uint64_t size)
{
  struct stat st;
  int fd = -1, e = 0;

  if (lstat (path, &st) < 0 || (S_ISREG (st.st_mode) && (fd = open (path, O_WRONLY | O_NOFOLLOW | CAREFUL)) < 0))
    return false;
  if (fd < 0 || fstat (fd, &st) < 0 || !S_ISREG (st.st_mode) || st.st_nlink > 1)
    e = EINVAL;
  else if (ftruncate (fd, (off_t) size) < 0)
    e = errno;
  if (fd >= 0)
    close (fd);
  errno = e;
  return e == 0;
}

static bool (*keeper) (const char *path, GError **error); /* set before there are threads */

void
disk_set_keeper (bool (*may_change) (const char *path, GError **error))
{
  keeper = may_change;
}

/* Goes into a folder of an open one, which it closes; `path` becomes its path.  -1 and a sentence. */
static int
disk_enter (int at, const char *part, const char *name, const char *folder, GString *path, GError **error)
{
  g_autofree char *shown = g_filename_display_name (name);
  int inner = openat (at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), e = errno;

  close (at);
  g_string_append_printf (path, "/%s", part);
  if (inner < 0)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (e),
                 _ ("%s cannot be written below %s: %s is no folder there"), shown, folder, part);
  else if (keeper && !keeper (path->str, error)) {
    g_prefix_error (error, _ ("%s cannot be written below %s: %s: "), shown, folder, part);
    close (inner);
    inner = -1;
    errno = EPERM;
  }
  return inner;
}

/* The folder that a name below another lies in, with its last part in *leaf; -1 and a sentence. */
static int
open_folder (const char *folder, const char *name, char **leaf, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  g_autofree char *shown = g_filename_display_name (name);
  const char *wrong = *name == '/' ? _ ("it begins with /") : !*name ? _ ("it is empty") : NULL;
  guint n = g_strv_length (parts);

  for (guint i = 0; i < n && !wrong; i++)
    wrong = !*parts[i]                     ? _ ("a part of it is empty")
            : strcmp (parts[i], "..") == 0 ? _ ("it leads out of the folder")
            : *parts[i] == '.'             ? _ ("a part of it begins with a dot")
                                           : NULL;
  if (wrong) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM,
                 _ ("“%s” is no name for a file of a component: %s. Files are written below the output folder, %s"),
                 shown, wrong, folder);
    return -1;
  }
  int at = open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (at < 0)
    return disk_refuse (error, errno, N_ ("%s cannot be written: %s"), folder);
  g_autoptr (GString) path = g_string_new (folder);
  for (guint i = 0; i + 1 < n; i++)
    if ((at = disk_enter (at, parts[i], name, folder, path, error)) < 0)
      return -1;
  g_string_append_printf (path, "/%s", parts[n - 1]);
  if (keeper && faccessat (at, parts[n - 1], F_OK, AT_SYMLINK_NOFOLLOW) == 0 && !keeper (path->str, error)) {
    g_prefix_error (error, _ ("%s cannot be written below %s: "), shown, folder);
    close (at);
    errno = EPERM;
    return -1;
  }
  *leaf = g_strdup (parts[n - 1]);
  return at;
}

int
disk_open_below (const char *folder, const char *name, GError **error)
{
  g_autofree char *leaf = NULL, *path = g_build_filename (folder, name, NULL);
  int at = open_folder (folder, name, &leaf, error), fd = at < 0 ? -1 : open_leaf (at, leaf, path, O_CREAT, error);

  if (at >= 0)
    close (at);
  return fd;
}

/* Whether another file may take its place: it may be written, or is not there. */
static bool
may_replace (int at, const char *leaf, const char *path, GError **error)
{
  g_autoptr (GError) why = NULL;
  int fd = open_leaf (at, leaf, path, 0, &why);

  if (fd >= 0)
    close (fd);
  if (fd >= 0 || g_error_matches (why, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return true;
  g_propagate_error (error, g_steal_pointer (&why));
  return false;
}

void
disk_remove_below (const char *folder, const char *name)
{
  g_autofree char *leaf = NULL, *path = g_build_filename (folder, name, NULL);
  int at = open_folder (folder, name, &leaf, NULL), fd = at < 0 ? -1 : open_leaf (at, leaf, path, 0, NULL);

  if (fd >= 0) {
    close (fd);
    unlinkat (at, leaf, 0);
  }
  if (at >= 0)
    close (at);
}

/* Opens the folder that a file may be put into, as `leaf`; -1 and a sentence. */
static int
open_place (const char *folder, const char *name, char **leaf, const char *path, GError **error)
{
  int at = open_folder (folder, name, leaf, error);

  if (at >= 0 && !may_replace (at, *leaf, path, error)) {
    close (at);
    at = -1;
  }
  return at;
}

bool
disk_write_below (const char *folder, const char *name, const void *bytes, size_t n, GError **error)
{
  g_autofree char *leaf = NULL, *path = g_build_filename (folder, name, NULL);
  int at = open_place (folder, name, &leaf, path, error);

  if (at < 0)
    return false;
  g_autofree char *making = g_strdup_printf (".%.200s.%08x", leaf, g_random_int ());
  int fd = openat (at, making, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  bool ok = fd >= 0 && disk_write (fd, bytes, n);
  ok = (fd < 0 || close (fd) == 0) && ok && renameat (at, making, at, leaf) == 0;
  if (!ok) {
    disk_refuse (error, errno, N_ ("%s cannot be written: %s"), path);
    if (fd >= 0) /* else it is somebody else's */
      unlinkat (at, making, 0);
  }
  close (at);
  return ok;
}

bool
disk_check_below (const char *folder, const char *name, GError **error)
{
  g_autofree char *leaf = NULL, *path = g_build_filename (folder, name, NULL);
  int at = open_place (folder, name, &leaf, path, error);

  if (at >= 0)
    close (at);
  return at >= 0;
}

bool
disk_move_below (const char *from, const char *folder, const char *name, GError **error)
{
  g_autofree char *leaf = NULL, *path = g_build_filename (folder, name, NULL);
  int at = open_place (folder, name, &leaf, path, error);

  if (at < 0)
    return false;
  bool ok = renameat (AT_FDCWD, from, at, leaf) == 0;
  if (!ok)
    disk_refuse (error, errno, N_ ("%s cannot be written: %s"), path);
  close (at);
  return ok;
}
