/* SPDX-License-Identifier: Apache-2.0 */
/* bundle.c - the folder of a trace (thesis, 1.6.1), and from there to an open source. */
#include "readers/reader.h"
#include "eve/words.h"
#include "eve/disk.h"
#include "eve/eve-host.h"
#include "eve/visible.h"
#include "readers/converted.h"
#include "readers/file.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_FOLDERS 64 /* that are looked at in a folder without data of its name */
#define MOST_NAMED 8    /* of them, in a sentence */

void
trace_bundle_free (TraceBundle *b)
{
  if (!b)
    return;
  g_free (b->raw);
  g_free (b->path);
  g_free (b->name);
  g_free (b->stem);
  g_free (b->doc);
  if (b->formats)
    g_ptr_array_unref (b->formats);
  g_free (b);
}

static int
readers_bundle_by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Whether the name of a file stands in a sentence as it is. */
static bool
may_be_told (const char *name)
{
  g_autofree char *obeyed = visible_text (name, strlen (name));

  return !obeyed && !strpbrk (name, "\n\t");
}

/* The folder NAME.trace has another name than when its data were recorded: they are found if all of them have one stem.
 * `folders`: those that it holds. */
static void
find_renamed (TraceBundle *b, const GPtrArray *folders)
{
  g_autofree char *stem = NULL;

  for (guint i = 0; i < folders->len; i++) {
    const char *name = folders->pdata[i], *dot = strrchr (name, '.');
    if (!dot || dot == name || !dot[1] || !may_be_told (name))
      continue;
    g_autofree char *its = g_strndup (name, (gsize) (dot - name));
    if (stem && !g_str_equal (stem, its)) {
      g_ptr_array_set_size (b->formats, 0);
      return;
    }
    g_ptr_array_add (b->formats, g_strdup (dot + 1));
    stem = stem ? stem : g_steal_pointer (&its);
  }
  if (stem) {
    g_free (b->stem);
    b->stem = g_steal_pointer (&stem);
  }
}

#define HEAD_BYTES 65536

/* Of the formats that are loaded. */
static const TraceFormat *
most_sure (const char *path, char **whole)
{
  g_autoptr (GPtrArray) formats = trace_formats ();
  bool is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_autofree char *head = is_folder ? NULL : g_malloc (HEAD_BYTES);
  size_t n = is_folder ? 0 : input_head (path, head, HEAD_BYTES);
  const TraceFormat *best = NULL;
  int best_sure = 0;

  *whole = NULL;
  for (guint i = 0; i < formats->len && (is_folder || n > 0); i++) {
    const TraceFormat *f = formats->pdata[i];
    char *all = NULL;
    int sure = f->recognise ? f->recognise (path, head, n, &all) : 0;
    if (sure > best_sure) {
      best = f;
      best_sure = sure;
      g_free (*whole);
      *whole = g_steal_pointer (&all);
    }
    g_free (all);
  }
  return best;
}

/* The format that knows a file or folder by its content; NULL: none does.  Readers are looked for where they most
 * likely are, FORMAT-reader.so: all others are loaded only for what none of these knows. */
static const TraceFormat *
recognise (const char *path, char **whole)
{
  eve_registry_load_named ("reader");
  const TraceFormat *best = most_sure (path, whole);

  if (best)
    return best;
  eve_registry_load_all (NULL);
  return most_sure (path, whole);
}

/* Files of another program are a trace too. */
static bool
open_raw (TraceBundle *b)
{
  g_autofree char *whole = NULL;
  const TraceFormat *f = recognise (b->path, &whole);

  if (!f)
    return false;
  if (whole) {
    g_free (b->path);
    b->path = g_steal_pointer (&whole);
    g_autofree char *base = g_path_get_basename (b->path);
    g_free (b->name);
    b->name = g_str_has_suffix (base, ".trace") ? g_strndup (base, strlen (base) - 6) : g_strdup (base);
  }
  b->raw = g_strdup (b->path);
  g_ptr_array_add (b->formats, g_strdup (f->name));
  return true;
}

static void
refuse_special (const char *path, GError **error)
{
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE,
               _ ("%s is a pipe, a device or a socket; a trace is a plain file or a folder"), path);
}

/* A file without a byte, or whose packing holds none: as of a program that was killed before it wrote. */
static bool
readers_bundle_is_empty (const char *path)
{
  Input *in = input_open (path, NULL);
  g_autoptr (GError) error = NULL;
  char byte;
  bool empty = in && input_read (in, &byte, 1, &error) == 0 && !error;

  input_close (in);
  return empty;
}

/* How an archive of several files is unpacked; NULL: it is none. */
static const char *
unpacked_by (const char *path)
{
  char head[512]; /* a header of tar, whose name stands at 257 */
  size_t n = input_head (path, head, sizeof head);

  return n == sizeof head && memcmp (head + 257, "ustar", 5) == 0 ? "tar -xf"
         : n >= 4 && memcmp (head, "PK\3\4", 4) == 0              ? "unzip"
                                                                  : NULL;
}

/* The first trace in a folder that is none, by the alphabet; NULL: none of those looked at. */
static char *
trace_in_it (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (const char *name; dir && names->len < MOST_FOLDERS && (name = g_dir_read_name (dir));)
    if (name[0] != '.' && may_be_told (name))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, readers_bundle_by_text);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *full = g_build_filename (folder, names->pdata[i], NULL);
    TraceBundle *b = trace_bundle_open (full, NULL);
    bool is_one = b && (b->raw || g_str_has_suffix (full, ".trace"));
    trace_bundle_free (b);
    if (is_one)
      return g_steal_pointer (&full);
  }
  return NULL;
}

/* `raw`: files of another program will do. */
static TraceBundle *
open_bundle (const char *path, bool raw, GError **error)
{
  char *real = disk_real_path (path);
  if (!real && errno == ENOENT && g_file_test (path, G_FILE_TEST_EXISTS)) { /* a link to a pipe, as /dev/stdin may be */
    refuse_special (path, error);
    return NULL;
  }
  if (!real) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE, _ ("%s cannot be opened as a trace: %s"), path,
                 errno == ELOOP    ? _ ("its symbolic links lead round in a circle")
                 : errno == ENOENT ? _ ("there is no such folder")
                                   : g_strerror (errno));
    return NULL;
  }
  TraceBundle *b = g_new0 (TraceBundle, 1);
  b->path = real;
  g_autofree char *base = g_path_get_basename (b->path);
  b->name = g_str_has_suffix (base, ".trace") ? g_strndup (base, strlen (base) - 6) : g_strdup (base);
  b->stem = g_strdup (b->name);
  b->formats = g_ptr_array_new_with_free_func (g_free);

  g_autoptr (GError) why = NULL;
  g_autoptr (GDir) dir = g_dir_open (b->path, 0, &why);
  if (!dir && raw && open_raw (b))
    return b;
  if (!dir) {
    const char *by;
    bool file = g_file_test (b->path, G_FILE_TEST_EXISTS) && !g_file_test (b->path, G_FILE_TEST_IS_DIR);
    if (file && !g_file_test (b->path, G_FILE_TEST_IS_REGULAR))
      refuse_special (path, error);
    else if (file && readers_bundle_is_empty (b->path))
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE,
                   _ ("%s is empty: nothing was recorded, or nothing of it was written before its writer ended"), path);
    else if (file && (by = unpacked_by (b->path)))
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE,
                   _ ("%s is an archive of files: unpack it (%s), and open the trace that was in it"), path, by);
    else if (file)
      g_set_error (
          error, TRACE_ERROR, TRACE_ERROR_BUNDLE,
          _ ("%s is a file of no format that can be opened; a trace of Scope's own is a folder NAME.trace (scope "
             "import makes one out of a file)"),
          path);
    else
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE, _ ("%s cannot be read: %s"), path, why->message);
    trace_bundle_free (b);
    return NULL;
  }
  g_autofree char *prefix = g_strconcat (b->name, ".", NULL);
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *broken = NULL;
  bool unreached = false; /* there are data of its name, but not here */
  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *full = g_build_filename (b->path, name, NULL);
    bool data = g_str_has_prefix (name, prefix) && name[strlen (prefix)];
    struct stat st;
    if (stat (full, &st) < 0) {
      unreached |= data;
      if (data && !broken)
        broken = g_strdup_printf (
            "%s: %s", name, errno == ELOOP ? _ ("its symbolic links lead round in a circle") : g_strerror (errno));
      continue;
    }
    if (!S_ISDIR (st.st_mode)) {
      if (data && !broken)
        broken = g_strdup_printf (_ ("%s is no folder"), name);
      continue;
    }
    if (data)
      g_ptr_array_add (b->formats, g_strdup (name + strlen (prefix)));
    else if (g_str_equal (name, "doc"))
      b->doc = g_strdup (full);
    else if (others->len < MOST_FOLDERS)
      g_ptr_array_add (others, g_strdup (name));
  }
  g_ptr_array_sort (others, readers_bundle_by_text);
  if (!b->formats->len && !unreached && others->len < MOST_FOLDERS && g_str_has_suffix (base, ".trace"))
    find_renamed (b, others);
  if (!b->formats->len && !broken && raw && open_raw (b))
    return b;
  if (!b->formats->len) {
    g_ptr_array_set_size (others, (int) MIN (others->len, MOST_NAMED));
    g_ptr_array_add (others, NULL);
    g_autofree char *found = g_strdelimit (g_strjoinv (", ", (char **) others->pdata), "\n\t", ' ');
    g_autofree char *inside = error && raw && !broken ? trace_in_it (b->path) : NULL;
    if (broken)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE, _ ("the data of %s cannot be reached: %s"), path, broken);
    else if (inside)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE,
                   _ ("%s is no trace, but holds some that can be opened: name one of them, as %s"), path, inside);
    else if (*found)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE,
                   _ ("%s holds no data: expected a folder %s.FORMAT, found %s (was the trace renamed?)"), path,
                   b->name, found);
    else
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE, _ ("%s holds no data: expected a folder %s.FORMAT in it"),
                   path, b->name);
    trace_bundle_free (b);
    return NULL;
  }
  g_ptr_array_sort (b->formats, readers_bundle_by_text);
  return b;
}

TraceBundle *
trace_bundle_open (const char *path, GError **error)
{
  return open_bundle (path, true, error);
}

TraceBundle *
trace_bundle_open_own (const char *path, GError **error)
{
  return open_bundle (path, false, error);
}

bool
trace_is_foreign (const char *path)
{
  TraceBundle *b = trace_bundle_open (path, NULL);
  bool foreign = b && b->raw;

  trace_bundle_free (b);
  return foreign;
}

char *
trace_bundle_data (const TraceBundle *b, const char *format)
{
  if (b->raw)
    return g_strdup (b->raw);
  g_autofree char *name = g_strconcat (b->stem, ".", format, NULL);
  return g_build_filename (b->path, name, NULL);
}

GPtrArray *
trace_formats (void)
{
  g_autoptr (GPtrArray) classes = eve_registry_list ();
  GPtrArray *formats = g_ptr_array_new ();
  for (guint i = 0; i < classes->len; i++) {
    const EveClass *k = classes->pdata[i];
    bool reads = false;
    for (const char *const *p = k->provides; p && *p && !reads; p++)
      reads = g_str_has_prefix (*p, "reader:");
    const TraceFormat *f = reads && k->query ? k->query (NULL, "trace-format/1") : NULL;
    if (f)
      g_ptr_array_add (formats, (void *) f);
  }
  return formats;
}

const TraceFormat *
trace_format_find (const char *name, GError **error)
{
  g_autofree char *what = g_strconcat ("reader:", name, NULL);
  const EveClass *klass = eve_registry_find_provider (what);
  const TraceFormat *format = klass && klass->query ? klass->query (NULL, "trace-format/1") : NULL;
  if (!format)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("nobody reads the format “%s”: no component provides %s"),
                 name, what);
  return format;
}

TraceSource *
trace_open (const char *path, const char *format, const TraceOptions *options, GError **error)
{
  TraceBundle *b = trace_bundle_open (path, error);
  TraceSource *s = NULL;
  if (!b)
    return NULL;
  if (!format && b->formats->len > 1) {
    g_autoptr (GString) list = g_string_new (NULL);
    for (guint i = 0; i < b->formats->len; i++)
      g_string_append_printf (list, "%s%s", i ? ", " : "", (char *) b->formats->pdata[i]);
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s holds data in %u formats: say which of %s is wanted"),
                 path, b->formats->len, list->str);
  } else if (format && !g_ptr_array_find_with_equal_func (b->formats, format, g_str_equal, NULL)) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 b->raw ? _ ("%s is of the format %s, not %s") : _ ("%s holds no folder %s.%s"), path,
                 b->raw ? (char *) b->formats->pdata[0] : b->stem, format);
  } else {
    if (!format)
      format = b->formats->pdata[0];
    const TraceFormat *f = trace_format_find (format, error);
    g_autofree char *folder = trace_bundle_data (b, format);
    static const TraceOptions none;
    if (f)
      s = f->open (b->path, folder, options ? options : &none, error);
    else
      g_prefix_error (error, "%s: ", path);
  }
  trace_bundle_free (b);
  if (s && !trace_use_nanoseconds (s, options ? options->offset : 0, error)) {
    trace_close (s);
    return NULL;
  }
  return s;
}

int
trace_source_open (const TraceSource *s, const char *path, uint64_t most, uint64_t *size, GError **error)
{
  g_autoptr (GError) why = NULL;
  int fd = disk_open (path, s->path, most, size, &why);

  if (fd < 0)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE, "%s", why->message);
  return fd;
}

void
trace_close (TraceSource *s)
{
  if (s)
    s->format->close (s);
}
