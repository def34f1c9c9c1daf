/* SPDX-License-Identifier: Apache-2.0 */
/* marks-media.c - pictures, sounds and films that belong to notes: which files are such, and how they come into the
 * bundle. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "session/marks-media.h"
#include "eve/disk.h"
#include "eve/words.h"

#define FOLDER "marks"
#define MOST_NAMED 100 /* files of one name: "said.wav", "said-2.wav" */

static const MarksMedium media[] = {
  { ".png", "image/png", MARKS_PICTURE, "\x89PNG", 0 },
  { ".svg", "image/svg+xml", MARKS_PICTURE, NULL, 0 },
  { ".jpg", "image/jpeg", MARKS_PICTURE, "\xff\xd8\xff", 0 },
  { ".jpeg", "image/jpeg", MARKS_PICTURE, "\xff\xd8\xff", 0 },
  { ".gif", "image/gif", MARKS_PICTURE, "GIF8", 0 },
  { ".webp", "image/webp", MARKS_PICTURE, "WEBP", 8 },
  { ".wav", "audio/wav", MARKS_SOUND, "WAVE", 8 },
  { ".ogg", "audio/ogg", MARKS_SOUND, "OggS", 0 },
  { ".oga", "audio/ogg", MARKS_SOUND, "OggS", 0 },
  { ".opus", "audio/ogg", MARKS_SOUND, "OggS", 0 },
  { ".flac", "audio/flac", MARKS_SOUND, "fLaC", 0 },
  { ".mp3", "audio/mpeg", MARKS_SOUND, NULL, 0 },
  { ".m4a", "audio/mp4", MARKS_SOUND, "ftyp", 4 },
  { ".webm", "video/webm", MARKS_FILM, "\x1a\x45\xdf\xa3", 0 },
  { ".mp4", "video/mp4", MARKS_FILM, "ftyp", 4 },
};

const MarksMedium *
marks_medium (const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (guint i = 0; i < G_N_ELEMENTS (media); ++i)
    if (g_str_has_suffix (lower, media[i].ending))
      return &media[i];
  return NULL;
}

GPtrArray *
marks_played (const Marks *m, const char *notes)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (const char *at = notes; (at = strstr (at, "![")) != NULL; at += 2) {
    const char *close = strstr (at, "]("), *end = close ? strchr (close, ')') : NULL;
    g_autofree char *name = end ? g_strndup (close + 2, (gsize) (end - close - 2)) : NULL;
    const MarksMedium *medium = name && !strchr (name, '\n') ? marks_medium (name) : NULL;
    if (medium && medium->is != MARKS_PICTURE)
      g_ptr_array_add (names, g_steal_pointer (&name));
  }
  return names;
}

/* Notes end a name at a bracket, and a file's name may hold whatever a stranger likes. */
static char *
plain_name (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  char *name = g_utf8_make_valid (base, -1);

  return g_strdelimit (name, "()[]!<>\"'`*@\\\n\r\t ", '-');
}

/* Of the bundle itself, no link out of it. */
static int
open_folder (const Marks *m, GError **error)
{
  g_autofree char *folder = g_build_filename (m->bundle, FOLDER, NULL);

  if (m->beside) {
    g_set_error (
        error, MARKS_ERROR, MARKS_ERROR_FILE,
        _ ("nothing is written into this trace, so that it takes no files; copy it to a folder of yours, and open "
           "the copy"));
    return -1;
  }
  bool made = mkdir (folder, 0777) == 0 || errno == EEXIST;
  int at = made ? open (folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

  if (at < 0)
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("the folder %s cannot be made: %s"), folder,
                 g_strerror (errno));
  return at;
}

char *
marks_attach (const Marks *m, const char *path, GError **error)
{
  const MarksMedium *medium = marks_medium (path);
  g_autofree char *name = plain_name (path), *bytes = NULL;
  gsize n;

  if (!medium) {
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_NAME,
                 _ ("%s is no picture, sound or film that notes can show: PNG, SVG, JPEG, GIF, WebP, WAV, Ogg, Opus, "
                    "FLAC, MP3, M4A, WebM and MP4 are"),
                 path);
    return NULL;
  }
  if (!(bytes = disk_read (path, NULL, MARKS_MEDIUM_BYTES, &n, error)))
    return NULL;
  if (medium->begins
      && (n < medium->at + strlen (medium->begins)
          || memcmp (bytes + medium->at, medium->begins, strlen (medium->begins)) != 0)) {
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("%s is damaged, or no file of the kind %s: nothing is taken"),
                 path, medium->ending + 1);
    return NULL;
  }
  int at = open_folder (m, error);
  if (at < 0)
    return NULL;
  char *taken = NULL;
  int why = EEXIST;
  for (int i = 1; i < MOST_NAMED && !taken && why == EEXIST; ++i) {
    g_autofree char *number = i > 1 ? g_strdup_printf ("-%d", i) : g_strdup (""),
                    *file = g_strdup_printf ("%.*s%s%s", (int) (strlen (name) - strlen (medium->ending)), name, number,
                                             medium->ending);
    int fd = openat (at, file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    why = fd < 0 ? errno : 0;
    if (fd < 0)
      continue;
    bool ok = disk_write (fd, bytes, n);
    why = ok ? 0 : errno;
    if (close (fd) != 0 || !ok)
      unlinkat (at, file, 0);
    else
      taken = g_strconcat (FOLDER "/", file, NULL);
  }
  close (at);
  if (!taken)
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("%s cannot be copied into the trace: %s"), path,
                 g_strerror (why));
  return taken;
}

bool
marks_put (const Marks *m, const char *name, const char *bytes, gsize n, GError **error)
{
  const char *file = strrchr (name, '/') ? strrchr (name, '/') + 1 : name;
  g_autofree char *making = g_strdup_printf (".%.100s.%08x", file, g_random_int ());
  int at = open_folder (m, error);

  if (at < 0)
    return false;
  int fd = openat (at, making, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  bool ok = fd >= 0 && disk_write (fd, bytes, n);
  ok = (fd < 0 || close (fd) == 0) && ok && renameat (at, making, at, file) == 0;
  if (!ok)
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("%s cannot be written into the trace: %s"), name,
                 g_strerror (errno));
  if (!ok && fd >= 0)
    unlinkat (at, making, 0);
  close (at);
  return ok;
}
