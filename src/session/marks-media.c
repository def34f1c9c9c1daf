/* SPDX-License-Identifier: Apache-2.0 */
/* marks-media.c - pictures, sounds and films that belong to notes: which files are such, and how they come into the
 * bundle. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
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

  /* Goes on where a name ends: what a stranger wrote is looked at once. */
  for (const char *at = notes; (at = strstr (at, "![")) != NULL;) {
    const char *close = strstr (at, "](");
    if (!close)
      break;
    at = close + 2 + strcspn (close + 2, ")\n");
    if (!*at)
      break;
    g_autofree char *name = *at == ')' ? g_strndup (close + 2, (gsize) (at - close - 2)) : NULL;
    const MarksMedium *medium = name ? marks_medium (name) : NULL;
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

/* Of the bundle itself, no link out of it; g_free; NULL and an error. */
static char *
marks_media_own_folder (const Marks *m, GError **error)
{
  g_autofree char *folder = g_build_filename (m->bundle, FOLDER, NULL);

  if (m->beside) {
    g_set_error (
        error, MARKS_ERROR, MARKS_ERROR_FILE,
        _ ("nothing is written into this trace, so that it takes no files; copy it to a folder of yours, and open "
           "the copy"));
    return NULL;
  }
  bool made = mkdir (folder, 0777) == 0 || errno == EEXIST;
  g_autofree char *real = made ? disk_real_path (folder) : NULL;
  if (g_strcmp0 (real, folder) == 0)
    return g_steal_pointer (&folder);
  g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("the folder %s cannot be made: %s"), folder,
               g_strerror (made ? ENOTDIR : errno));
  return NULL;
}

/* The name of the i-th file, from 1, whose names would be the same; g_free. */
static char *
marks_media_numbered (const char *stem, int i, const char *ending)
{
  return i > 1 ? g_strdup_printf (FOLDER "/%s-%d%s", stem, i, ending) : g_strdup_printf (FOLDER "/%s%s", stem, ending);
}

char *
marks_free_name (const Marks *m, const char *stem, const char *ending)
{
  for (int i = 1; i < MOST_NAMED; ++i) {
    g_autofree char *file = marks_media_numbered (stem, i, ending), *there = g_build_filename (m->bundle, file, NULL);
    if (!g_file_test (there, G_FILE_TEST_EXISTS) && !g_file_test (there, G_FILE_TEST_IS_SYMLINK))
      return g_steal_pointer (&file);
  }
  return NULL;
}

/* The file that was copied before, of this name or one with a number, that holds the same; g_free; NULL: there is none.
 */
static char *
same_there (const Marks *m, const char *stem, const char *ending, const char *bytes, gsize n)
{
  for (int i = 1; i < MOST_NAMED; ++i) {
    g_autofree char *file = marks_media_numbered (stem, i, ending), *there = g_build_filename (m->bundle, file, NULL);
    size_t held = 0;
    g_autofree char *before = disk_read (there, m->bundle, MARKS_MEDIUM_BYTES, &held, NULL);
    if (before && held == n && memcmp (before, bytes, n) == 0)
      return g_steal_pointer (&file);
    if (!before && !g_file_test (there, G_FILE_TEST_EXISTS))
      return NULL;
  }
  return NULL;
}

static bool
marks_media_is_shown (const Marks *m, const char *name)
{
  /* However it is spelt there. */
  for (guint i = 0; i < m->list->len; ++i)
    if (strstr (((const Mark *) m->list->pdata[i])->notes, name + strlen (FOLDER "/")))
      return true;
  return false;
}

/* Whether what ends with the bracket at `end` shows a file: it is no mere link, and nothing in its line is quoted. */
static bool
shows (const char *notes, const char *end)
{
  const char *line = end;

  while (line > notes && line[-1] != '\n')
    line--;
  g_autofree char *before = g_strndup (line, (gsize) (end - line));
  const char *begin = strrchr (before, '[');
  return begin && begin > before && begin[-1] == '!' && !memchr (line, '`', strcspn (line, "\n"));
}

void
marks_forget_media (const Marks *m, const char *notes)
{
  g_autofree char *folder = m->beside ? NULL : g_build_filename (m->bundle, FOLDER, NULL),
                  *real = folder ? disk_real_path (folder) : NULL;

  if (!folder || g_strcmp0 (real, folder) != 0) /* a link leads elsewhere */
    return;
  for (const char *at = notes; (at = strstr (at, "](" FOLDER "/")) != NULL;) {
    at += 2;
    gsize n = strcspn (at, ")\n");
    g_autofree char *name = g_strndup (at, n), *path = g_build_filename (m->bundle, name, NULL);
    struct stat st;
    bool own = shows (notes, at - 2) && at[n] == ')' && !strchr (name + strlen (FOLDER "/"), '/')
               && marks_medium (name);
    if (own && !marks_media_is_shown (m, name) && lstat (path, &st) == 0 && S_ISREG (st.st_mode))
      g_remove (path);
    at += n;
  }
}

char *
marks_attach (const Marks *m, const char *path, GError **error)
{
  const MarksMedium *medium = marks_medium (path);
  g_autofree char *name = plain_name (path), *bytes = NULL;
  char *there;
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
  name[strlen (name) - strlen (medium->ending)] = '\0';
  if (!m->beside && g_strcmp0 (medium->ending, ".svg") != 0 && (there = same_there (m, name, medium->ending, bytes, n)))
    return there;
  g_autofree char *file = marks_free_name (m, name, medium->ending);
  if (file)
    return marks_put (m, file, bytes, n, error) ? g_steal_pointer (&file) : NULL;
  g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("%s cannot be copied into the trace: %s"), path,
               g_strerror (EEXIST));
  return NULL;
}

char *
marks_attach_to_notes (const Marks *m, const char *notes, const char *path, GError **error)
{
  g_autofree char *name = marks_attach (m, path, error), *base = name ? g_path_get_basename (name) : NULL;

  return name ? g_strdup_printf ("%s%s![%s](%s)", notes, *notes ? "\n\n" : "", base, name) : NULL;
}

bool
marks_put (const Marks *m, const char *name, const char *bytes, gsize n, GError **error)
{
  g_autofree char *folder = marks_media_own_folder (m, error), *file = g_path_get_basename (name),
                  *path = folder ? g_build_filename (folder, file, NULL) : NULL;
  g_autoptr (GError) why = NULL;

  if (!path)
    return false;
  if (g_file_set_contents_full (path, bytes, (gssize) n, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &why))
    return true;
  g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("%s cannot be written into the trace: %s"), name, why->message);
  return false;
}
