/* SPDX-License-Identifier: Apache-2.0 */
#include "session/places.h"
#include "eve/words.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "config.h"
#include "eve/disk.h"
#include "eve/nearest.h"
#include "readers/reader.h"
#include "session/film.h"

static bool
in_build_tree (void)
{
  g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);

  return exe && g_str_has_prefix (exe, SCOPE_BUILD_DIR "/");
}

/* A path below the prefix it was configured for; when the tree was installed or moved elsewhere (DESTDIR),
 * there. */
static char *
installed (const char *path)
{
  g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *bin = exe ? g_path_get_dirname (exe) : NULL;

  int up = !bin ? 0 : g_str_has_suffix (bin, "/bin") ? 1 : g_str_has_suffix (bin, "/libexec/scope") ? 2 : 0;
  if (up && g_str_has_prefix (path, SCOPE_PREFIX "/")) {
    g_autofree char *above = g_path_get_dirname (bin), *prefix = up > 1 ? g_path_get_dirname (above) : g_strdup (above);
    char *moved = g_strconcat (prefix, path + strlen (SCOPE_PREFIX), NULL);
    if (g_file_test (moved, G_FILE_TEST_EXISTS))
      return moved;
    g_free (moved);
  }
  return g_strdup (path);
}

char *
places_components (void)
{
  return in_build_tree () ? g_strdup (SCOPE_BUILD_DIR "/components") : installed (SCOPE_PLUGIN_DIR);
}

char *
places_schemas (const char *folder)
{
  g_autofree char *all = in_build_tree () ? g_strdup (SCOPE_SOURCE_DIR "/schemas")
                                          : installed (SCOPE_DATA_DIR "/schemas");

  return g_build_filename (all, folder, NULL);
}

char *
places_preferences (void)
{
  return g_build_filename (g_get_user_config_dir (), "scope", "preferences", NULL);
}

char *
places_gallery (void)
{
  return in_build_tree () ? g_strdup (SCOPE_SOURCE_DIR "/docs/gallery") : installed (SCOPE_DATA_DIR "/gallery");
}

char *
places_words (void)
{
  return in_build_tree () ? g_strdup (SCOPE_BUILD_DIR "/po") : installed (SCOPE_LOCALE_DIR);
}

char *
places_templates (void)
{
  return in_build_tree () ? g_strdup (SCOPE_SOURCE_DIR "/src/templates") : installed (SCOPE_DATA_DIR "/templates");
}

char *
places_packages (void)
{
  return in_build_tree () ? g_strdup (SCOPE_BUILD_DIR "/meson-uninstalled") : NULL;
}

char *
places_scope (void)
{
  g_autofree char *path = in_build_tree () ? g_strdup (SCOPE_BUILD_DIR "/src/scope")
                                           : installed (SCOPE_PREFIX "/bin/scope");

  return g_file_test (path, G_FILE_TEST_IS_EXECUTABLE) ? g_steal_pointer (&path) : g_find_program_in_path ("scope");
}

char *
places_heap_library (void)
{
  g_autofree char *components = places_components (), *folder = g_path_get_dirname (components);

  return in_build_tree () ? g_strdup (SCOPE_BUILD_DIR "/traces/tracers/heap/libscope-heap.so")
                          : g_build_filename (folder, "libscope-heap.so", NULL);
}

char *
places_parts (void)
{
  return g_build_filename (g_get_user_data_dir (), "scope", "parts", NULL);
}

static int
session_places_by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

char **
places_samples (void)
{
  g_autofree char *folder = in_build_tree () ? g_strdup (SCOPE_SOURCE_DIR "/traces")
                                             : installed (SCOPE_DATA_DIR "/samples");
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *samples = g_ptr_array_new ();
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ".trace") || g_str_has_suffix (name, ".otf2"))
      g_ptr_array_add (samples, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (samples, session_places_by_text);
  g_ptr_array_add (samples, NULL);
  return (char **) g_ptr_array_free (samples, FALSE);
}

/* ---- title and doc of a program file: a light look, without making the program
 * ---------------------------------- */

typedef struct Peek {
  GString *title, *doc, *question, *asked, *lead;
  GString *note; /* that it is inside of; NULL: none of these */
  bool whole;
} Peek;

static void
peek_start (GMarkupParseContext *context, const char *element, const char **names, const char **values, gpointer data,
            GError **error)
{
  Peek *peek = data;

  peek->note = NULL;
  for (; g_str_equal (element, "note") && *names; ++names, ++values)
    if (g_str_equal (*names, "name"))
      peek->note = g_str_equal (*values, "question") ? peek->question
                   : g_str_equal (*values, "asked")  ? peek->asked
                   : g_str_equal (*values, "lead")   ? peek->lead
                                                     : NULL;
  for (; g_str_equal (element, "component") && *names; ++names, ++values)
    peek->whole |= g_str_equal (*names, "class") && g_str_equal (*values, "scope.session");
}

static void
peek_text (GMarkupParseContext *context, const char *text, gsize len, gpointer data, GError **error)
{
  Peek *peek = data;
  const GSList *stack = g_markup_parse_context_get_element_stack (context);

  if (g_slist_length ((GSList *) stack) != 2) /* directly inside <eve> */
    return;
  if (g_str_equal (stack->data, "title"))
    g_string_append_len (peek->title, text, (gssize) len);
  else if (g_str_equal (stack->data, "doc"))
    g_string_append_len (peek->doc, text, (gssize) len);
  else if (peek->note && g_str_equal (stack->data, "note"))
    g_string_append_len (peek->note, text, (gssize) len);
}

/* One line: runs of blanks become a space. */
static char *
session_places_one_line (GString *s)
{
  g_auto (GStrv) words = g_strsplit_set (s->str, " \t\r\n", -1);
  GString *line = g_string_new (NULL);

  for (char **w = words; *w; ++w)
    if (**w)
      g_string_append_printf (line, "%s%s", line->len ? " " : "", *w);
  g_string_free (s, TRUE);
  return g_string_free (line, FALSE);
}

PlacesProgram *
places_program_peek (const char *path)
{
  static const GMarkupParser parser = { .start_element = peek_start, .text = peek_text };
  g_autofree char *name = g_path_get_basename (path);
  PlacesProgram *p = g_new0 (PlacesProgram, 1);
  Peek peek = { .title = g_string_new (NULL),
                .doc = g_string_new (NULL),
                .question = g_string_new (NULL),
                .asked = g_string_new (NULL),
                .lead = g_string_new (NULL) };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, &peek, NULL);
  g_autofree char *text = NULL;
  gsize len = 0;

  p->path = g_strdup (path);
  g_autoptr (GError) why = NULL;
  if ((text = disk_read (p->path, NULL, DISK_PROGRAM, &len, &why)))
    g_markup_parse_context_parse (context, text, (gssize) len, NULL); /* what is wrong is told when it is opened */
  else
    g_string_printf (peek.doc, _ ("It cannot be read: %s"), why->message);
  p->title = session_places_one_line (peek.title);
  p->doc = session_places_one_line (peek.doc);
  p->question = session_places_one_line (peek.question);
  g_autofree char *asked = session_places_one_line (peek.asked);
  p->first = g_str_equal (asked, "first");
  p->lead = session_places_one_line (peek.lead);
  p->whole = peek.whole;
  if (!*p->title) {
    g_free (p->title);
    p->title = g_strdup (name);
  }
  return p;
}

void
places_program_free (PlacesProgram *p)
{
  g_free (p->path);
  g_free (p->title);
  g_free (p->doc);
  g_free (p->question);
  g_free (p->lead);
  g_free (p);
}

static int
by_offer (gconstpointer a, gconstpointer b)
{
  const PlacesProgram *p = *(PlacesProgram *const *) a, *q = *(PlacesProgram *const *) b;
  int d = g_str_has_suffix (q->path, "/views.eve") - g_str_has_suffix (p->path, "/views.eve");

  if (d == 0) /* it has no view: `scope state` and others that only need the state open it */
    d = g_str_has_suffix (p->path, "/default.eve") - g_str_has_suffix (q->path, "/default.eve");
  if (d == 0)
    d = q->first - p->first; /* what is asked most */
  g_autofree char *left = g_path_get_basename (p->path), *right = g_path_get_basename (q->path);

  return d ? d : strcmp (left, right);
}

/* Folders of programs that formats share, the one for all of them last. */
static const char *const shared[] = { "activity", "messages", "calls", "any", NULL };

/* Folders that hold folders of programs: Scope's own, those beside plug-ins, those of the person. */
static char **
program_roots (void)
{
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  const char *plugins = g_getenv ("SCOPE_PLUGIN_PATH");
  g_auto (GStrv) folders = g_strsplit (plugins ? plugins : "", ":", -1);
  g_autofree char *own = places_schemas (NULL),
                  *persons = g_build_filename (g_get_user_data_dir (), "scope", "schemas", NULL);

  g_strv_builder_add (all, own);
  for (char **f = folders; *f; ++f) {
    g_autofree char *beside = g_build_filename (*f, "schemas", NULL);
    if (**f)
      g_strv_builder_add (all, beside);
  }
  g_strv_builder_add (all, persons);
  return g_strv_builder_end (all);
}

/* The file that says what a format shares: of Scope, or of who brought the format; NULL: nobody has a folder for it;
 * g_free. */
static char *
session_places_shares_of (char **roots, const char *format, bool *is_own)
{
  for (char **root = roots; *root; ++root) {
    g_autofree char *folder = g_build_filename (*root, format, NULL);
    *is_own = root == roots;
    if (g_file_test (folder, G_FILE_TEST_IS_DIR))
      return g_build_filename (folder, "shares", NULL);
  }
  return NULL;
}

/* What a format has on offer of the shared programs: folders, or a single program as FOLDER/NAME.eve.  One that comes
 * from elsewhere, without a word about it, has them all.  *unread, if not NULL: the file that should say it and could
 * not be read. */
static char **
shared_with (const char *format, PlacesProgram **unread)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) roots = program_roots ();
  bool is_own = false;
  g_autofree char *path = session_places_shares_of (roots, format, &is_own),
                  *text = path ? disk_read (path, NULL, DISK_PROGRAM, NULL, &error) : NULL;
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();

  if (!path || (!is_own && !g_file_test (path, G_FILE_TEST_EXISTS)))
    return g_strdupv ((char **) shared);
  if (error && unread && !g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
    *unread = g_new0 (PlacesProgram, 1);
    **unread = (PlacesProgram){ g_steal_pointer (&path), g_strdup (_ ("Shared programs")),
                                g_strdup_printf (_ ("It cannot be read: %s"), error->message), g_strdup ("") };
  }
  g_auto (GStrv) words = g_strsplit_set (text ? text : "", " \t\r\n", -1);
  for (char **w = words; *w; ++w)
    if (**w)
      g_strv_builder_add (all, *w);
  g_strv_builder_add (all, "any");
  return g_strv_builder_end (all);
}

/* The program of that name in a folder, or that is the only one shared of it; of several Scope's own; NULL: it is not
 * there; g_free. */
static char *
offered_in (char **roots, const char *place, const char *name)
{
  g_autofree char *base = g_path_get_basename (place);
  bool single = g_str_has_suffix (place, ".eve");

  if (single && strcmp (base, name) != 0)
    return NULL;
  for (char **root = roots; *root; ++root) {
    char *program = single ? g_build_filename (*root, place, NULL) : g_build_filename (*root, place, name, NULL);
    if (g_file_test (program, G_FILE_TEST_IS_REGULAR))
      return program;
    g_free (program);
  }
  return NULL;
}

static char *
offered_among (char **roots, const char *format, char **also, const char *name)
{
  char *program = offered_in (roots, format, name);

  for (; *also && !program; ++also)
    program = offered_in (roots, *also, name);
  return program;
}

char *
places_offered (const char *format, const char *name)
{
  g_auto (GStrv) also = shared_with (format, NULL);
  g_auto (GStrv) roots = program_roots ();

  return offered_among (roots, format, also, name);
}

static void
session_places_add_names (GHashTable *names, char **roots, const char *place)
{
  if (g_str_has_suffix (place, ".eve"))
    g_hash_table_add (names, g_path_get_basename (place));
  for (char **root = roots; *root; ++root) {
    g_autofree char *folder = g_build_filename (*root, place, NULL);
    g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name (dir));)
      if (g_str_has_suffix (name, ".eve"))
        g_hash_table_add (names, g_strdup (name));
  }
}

GPtrArray *
places_programs (const char *format)
{
  GPtrArray *programs = g_ptr_array_new_with_free_func ((GDestroyNotify) places_program_free);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  PlacesProgram *unread = NULL;
  g_auto (GStrv) also = shared_with (format, &unread), roots = program_roots ();
  GHashTableIter iter;
  gpointer name;

  if (unread)
    g_ptr_array_add (programs, unread);

  session_places_add_names (names, roots, format);
  for (char **place = also; *place; ++place)
    session_places_add_names (names, roots, *place);
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL)) {
    g_autofree char *path = offered_among (roots, format, also, name);
    if (path)
      g_ptr_array_add (programs, places_program_peek (path));
  }
  g_ptr_array_sort (programs, by_offer);
  return programs;
}

bool
places_same_letters (const char *a, const char *b)
{
  if (!g_utf8_validate (a, -1, NULL) || !g_utf8_validate (b, -1, NULL))
    return false;
  g_autofree char *fa = g_utf8_casefold (a, -1), *fb = g_utf8_casefold (b, -1);
  bool any = false;

  for (const char *x = fa, *y = fb;; x = g_utf8_next_char (x), y = g_utf8_next_char (y)) {
    while (*x && !g_unichar_isalnum (g_utf8_get_char (x)))
      x = g_utf8_next_char (x);
    while (*y && !g_unichar_isalnum (g_utf8_get_char (y)))
      y = g_utf8_next_char (y);
    if (!*x || !*y)
      return any && !*x && !*y;
    if (g_utf8_get_char (x) != g_utf8_get_char (y))
      return false;
    any = true;
  }
}

/* Whether what was said, folded, is how a text of a program begins: all of it, or up to a colon or a stop; or has its
 * letters. */
static bool
session_places_is_called (const char *text, const char *wanted)
{
  g_autofree char *folded = g_utf8_casefold (text, -1);
  gsize n = strlen (wanted);

  return n > 0
         && ((g_str_has_prefix (folded, wanted) && (!folded[n] || strchr (":.,;?", folded[n])))
             || places_same_letters (folded, wanted));
}

/* Of the programs on offer the one that a person knows by this title, question or line, in the language of the person
 * or as its file has it; titles count first. */
static char *
titled (const char *format, const char *said)
{
  g_autoptr (GPtrArray) programs = places_programs (format);
  g_autofree char *wanted = g_utf8_validate (said, -1, NULL) ? g_utf8_casefold (said, -1) : NULL;

  for (int by = 0; wanted && by < 3; ++by)
    for (guint i = 0; i < programs->len; ++i) {
      const PlacesProgram *p = programs->pdata[i];
      const char *text = by == 0 ? p->title : by == 1 ? p->question : p->doc;
      if (*text && (session_places_is_called (text, wanted) || session_places_is_called (in_words (text), wanted)))
        return g_strdup (p->path);
    }
  return NULL;
}

char *
places_program (const char *format, const char *said)
{
  g_autofree char *name = g_str_has_suffix (said, ".eve") ? g_strdup (said) : g_strconcat (said, ".eve", NULL);
  bool there = g_file_test (said, G_FILE_TEST_EXISTS) && !g_file_test (said, G_FILE_TEST_IS_DIR);
  char *offered = NULL;

  if (!there && !strchr (said, G_DIR_SEPARATOR)) {
    g_auto (GStrv) roots = program_roots ();
    offered = places_offered (format, name);
    for (int i = 0; shared[i] && !offered; ++i)
      offered = offered_in (roots, shared[i], name);
    offered = offered ? offered : titled (format, said);
  }
  return offered ? offered : g_strdup (said);
}

/* The names of what a format has on offer, as they may be typed. */
static char *
names_on_offer (const char *format)
{
  g_autoptr (GPtrArray) programs = places_programs (format);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < programs->len; ++i) {
    g_autofree char *base = g_path_get_basename (((const PlacesProgram *) programs->pdata[i])->path);
    g_string_append_printf (names, "%s%.*s", i ? ", " : "", (int) (strlen (base) - strlen (".eve")), base);
  }
  return g_string_free (g_steal_pointer (&names), FALSE);
}

char *
places_program_elsewhere (const char *format, const char *said)
{
  g_autofree char *here = places_schemas (format), *all = g_path_get_dirname (here);
  g_autofree char *name = g_str_has_suffix (said, ".eve") ? g_strdup (said) : g_strconcat (said, ".eve", NULL);
  g_autoptr (GDir) dir = strchr (said, G_DIR_SEPARATOR) ? NULL : g_dir_open (all, 0, NULL);
  char *told = NULL;

  for (const char *other; dir && !told && (other = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (all, other, name, NULL), *names = NULL;
    if (strcmp (other, format) != 0 && g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
      names = names_on_offer (format);
      told = g_strdup_printf (_ ("it is a program for traces of the format %s; for %s there are %s"), other, format,
                              names);
    }
  }
  return told;
}

/* ---- what is meant, where something may be written ---- */

typedef struct Beside {
  const char *folder, *ending;
} Beside;

static void
offer_beside (void *arg, void (*add) (void *to, const char *name), void *to)
{
  const Beside *b = arg;
  g_autoptr (GDir) dir = g_dir_open (b->folder, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, b->ending))
      add (to, name);
}

static void
offer_programs (void *format, void (*add) (void *to, const char *name), void *to)
{
  g_autoptr (GPtrArray) programs = places_programs (format);

  for (guint i = 0; i < programs->len; ++i) {
    const PlacesProgram *p = programs->pdata[i];
    g_autofree char *name = g_path_get_basename (p->path);
    add (to, name);
    add (to, p->title);
    add (to, in_words (p->title));
  }
}

char *
places_program_nearest (const char *format, const char *said)
{
  g_autofree char *name = g_str_has_suffix (said, ".eve") ? g_strdup (said) : g_strconcat (said, ".eve", NULL);

  if (strchr (said, G_DIR_SEPARATOR))
    return NULL;
  char *nearest = eve_nearest (name, offer_programs, (void *) format);
  return nearest ? nearest : eve_nearest (said, offer_programs, (void *) format); /* it may be a title */
}

char *
places_nearest (const char *missing)
{
  g_autofree char *folder = g_path_get_dirname (missing), *name = g_path_get_basename (missing);
  const char *dot = strrchr (name, '.');

  if (g_file_test (missing, G_FILE_TEST_EXISTS))
    return NULL;
  char *alike = eve_nearest (name, offer_beside, &(Beside){ folder, dot ? dot : "" });
  g_autofree char *near = alike ? alike : eve_nearest (name, offer_beside, &(Beside){ folder, "" });
  return !near                               ? NULL
         : strchr (missing, G_DIR_SEPARATOR) ? g_build_filename (folder, near, NULL)
                                             : g_steal_pointer (&near);
}

/* Whether one of the files of a folder that is a trace opens it, as its own files do; what is told below it alone, as
 * by traces of which each has a folder of its own, is not replaced by what is written beside these.  `stem`: only a
 * file of that name and an ending, which has the rest of its data in a folder of that name; NULL: any. */
static bool
has_own_file (const char *folder, const char *stem)
{
  size_t n = stem ? strlen (stem) : 0;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  bool has = false;

  for (const char *name; dir && !has && (name = g_dir_read_name (dir));) {
    if (stem && (strncmp (name, stem, n) != 0 || strrchr (name, '.') != name + n))
      continue;
    g_autofree char *path = g_build_filename (folder, name, NULL);
    TraceBundle *b = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? trace_bundle_open (path, NULL) : NULL;
    has = b && b->raw && g_str_equal (b->raw, folder);
    if (b)
      trace_bundle_free (b);
  }
  return has;
}

/* Whether data of a folder X, X.otf2, are a trace by themselves, as other programs leave them: then X is a folder as
 * any other, in which somebody works. */
static bool
stands_alone (const char *data)
{
  TraceBundle *b = trace_bundle_open (data, NULL);
  bool alone = b && b->raw;

  if (b)
    trace_bundle_free (b);
  return alone;
}

/* Whether a folder is a trace, by its ending or by the format of its data. Having a folder NAME.X is not enough:
 * /tmp with a folder "tmp.X", which mktemp makes, is none.  `inner`: only if it is called NAME.trace, or that folder of
 * it is data of it: what lies far below a place that happens to hold data is no part of a trace.  NULL: in any case. */
static bool
is_trace (const char *folder, const char *inner, bool itself)
{
  TraceBundle *bundle = itself ? trace_bundle_open (folder, NULL) : trace_bundle_open_own (folder, NULL);
  bool is = bundle && !bundle->raw && g_str_has_suffix (bundle->path, ".trace");

  /* a folder of another program's is a trace as far as its own files go; a folder in it is nobody's */
  if (bundle && bundle->raw)
    is = g_str_equal (bundle->raw, folder) && has_own_file (folder, NULL);
  for (guint i = 0; bundle && !bundle->raw && !is && i < bundle->formats->len; ++i) {
    g_autofree char *data = trace_bundle_data (bundle, bundle->formats->pdata[i]), *name = g_path_get_basename (data);
    is = (!inner || g_str_equal (name, inner)) && trace_format_find (bundle->formats->pdata[i], NULL)
         && (!stands_alone (data) || (itself && has_own_file (folder, NULL)));
  }
  if (bundle)
    trace_bundle_free (bundle);
  return is;
}

static bool
is_known_film (const char *folder)
{
  FilmManifest m = { 0 };
  bool is = film_manifest_read (folder, &m, NULL) || film_is_film (folder);

  film_manifest_clear (&m);
  return is;
}

bool
places_may_hold_files (const char *folder, GError **error)
{
  g_autofree char *whole = g_canonicalize_filename (folder, NULL), *real = disk_real_path (whole),
                  *at = g_strdup (real ? real : whole), *inner = NULL;
  const char *what = is_trace (at, NULL, true)                     ? _ ("a trace")
                     : film_has_manifest (at) || film_is_film (at) ? _ ("a film")
                                                                   : NULL;

  for (bool far = false; !what && !g_str_equal (at, "/"); far = true) {
    char *above = g_path_get_dirname (at);
    g_free (inner);
    inner = g_path_get_basename (at);
    g_free (at);
    at = above;
    bool data = is_trace (at, far ? inner : NULL, false) || has_own_file (at, inner);
    what = data ? _ ("inside a trace") : is_known_film (at) ? _ ("inside a film") : NULL;
  }
  if (what)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM,
                 _ ("this folder is %s, and its own files could be replaced; choose another folder"), what);
  return !what;
}

bool
places_may_change (const char *path, GError **error)
{
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return places_may_hold_files (path, error);
  if (!trace_is_foreign (path))
    return true;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM,
               _ ("it is a trace, which is not replaced; choose another folder"));
  return false;
}

bool
places_may_replace (const char *path, GError **error)
{
  return !g_file_test (path, G_FILE_TEST_IS_REGULAR) || places_may_change (path, error);
}

bool
places_may_write (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  return places_may_replace (path, error) && places_may_hold_files (folder, error);
}

bool
places_write (const char *path, const char *bytes, gssize n, GError **error)
{
  return places_may_write (path, error) && g_file_set_contents (path, bytes, n, error);
}

/* ---- removing ---- */

bool
places_remove (const char *path, GError **error)
{
  g_autoptr (GDir) dir = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  bool ok = true;

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *inner = g_build_filename (path, name, NULL);
    ok &= places_remove (inner, ok ? error : NULL);
  }
  if (!ok || g_remove (path) == 0 || errno == ENOENT)
    return ok;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), _ ("%s cannot be removed: %s"), path,
               g_strerror (errno));
  return false;
}

/* ---- folders for a while ---- */

/* Whoever uses such a folder holds a lock on it, which the system lets go of however a process ends. */
#define FRESH_S 60            /* one that was just made may not be locked yet */
static GHashTable *scratches; /* path -> descriptor with its lock */

static int
lock_folder (const char *path)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

static void
remove_left_behind (const char *parent, const char *start)
{
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  int64_t now = g_get_real_time () / G_USEC_PER_SEC;

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (parent, name, NULL);
    struct stat st;
    int lock;
    if (!g_str_has_prefix (name, start) || strlen (name) != strlen (start) + 6 || lstat (path, &st) != 0
        || !S_ISDIR (st.st_mode) || st.st_uid != geteuid () || now - (int64_t) st.st_mtim.tv_sec < FRESH_S
        || (lock = lock_folder (path)) < 0)
      continue;
    places_remove (path, NULL);
    close (lock);
  }
}

char *
places_scratch (const char *parent, const char *prefix)
{
  g_autofree char *start = g_strconcat (prefix, "-", NULL), *name = g_strconcat (start, "XXXXXX", NULL);
  char *path = g_build_filename (parent ? parent : g_get_tmp_dir (), name, NULL);

  remove_left_behind (parent ? parent : g_get_tmp_dir (), start);
  if (!g_mkdtemp (path)) {
    g_free (path);
    return NULL;
  }
  if (!scratches)
    scratches = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_insert (scratches, g_strdup (path), GINT_TO_POINTER (lock_folder (path)));
  return path;
}

void
places_scratch_end (char *folder)
{
  gpointer lock;

  if (!folder)
    return;
  places_remove (folder, NULL);
  if (scratches && g_hash_table_lookup_extended (scratches, folder, NULL, &lock)) {
    g_hash_table_remove (scratches, folder);
    if (GPOINTER_TO_INT (lock) >= 0)
      close (GPOINTER_TO_INT (lock));
  }
  if (scratches && g_hash_table_size (scratches) == 0)
    g_clear_pointer (&scratches, g_hash_table_unref);
  g_free (folder);
}
