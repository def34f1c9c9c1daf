/* SPDX-License-Identifier: Apache-2.0 */
/* export-job.c - a view drawn, or the files of components written, by another process.
 *
 * A large picture takes seconds, a table may have millions of lines.  A view's draw side belongs to the engine's thread
 * and most of its work is one call of cairo, so neither a thread nor slices would do: `scope draw` makes the file from
 * the same film, and can be killed at any moment.  It writes into a folder of its own beside the target, which is
 * therefore never half written. */
#include "panes/export-job.h"
#include "eve/words.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "eve/disk.h"
#include "session/film-drive.h"
#include "session/film.h"
#include "session/places.h"
#include "simulators/store.h"
#include "views/history.h"

#define SHOWN_AFTER_MS 400
#define PULSE_MS 100
#define SILENT_US (3 * G_USEC_PER_SEC / 2) /* `scope` tells how far it is once a second; after this it draws */
#define MOST_PX 20000.0                    /* a side of a picture, of `scope draw --size` */
#define MOST_PIXELS 32000.0
#define MOST_AREA 63e6 /* pixels of it; rounding up stays below what is refused */

typedef struct Job {
  ScopeDocument *d;
  char *what, *folder, *program, *made;
  ExportDone done;
  GSubprocess *child;
  GDataInputStream *says;
  char *said; /* the last sentence */
  GtkWidget *dialog, *bar, *doing;
  guint pulse;
  gint64 began, told;   /* when it last said how far it is, µs; 0: never */
  bool given_up, quiet; /* quiet: what it says besides is of no use */
} Job;

/* ---- its end ------------------------------------------------------------------------------------------- */

static void
export_job_free (Job *j)
{
  if (j->pulse != 0)
    g_source_remove (j->pulse);
  if (j->dialog != NULL) {
    g_signal_handlers_disconnect_by_data (j->dialog, j);
    gtk_widget_destroy (j->dialog);
  }
  places_scratch_end (j->folder);
  g_clear_object (&j->child);
  g_clear_object (&j->says);
  g_object_unref (j->d);
  g_free (j->what);
  g_free (j->program);
  g_free (j->made);
  g_free (j->said);
  g_free (j);
}

static void
export_job_fail (Job *j, const char *why)
{
  scope_document_say (j->d, SCOPE_SAY_ERROR, _ ("%s cannot be written: %s"), j->what, why);
  export_job_free (j);
}

static void
on_ended (GObject *child, GAsyncResult *result, gpointer data)
{
  Job *j = data;
  g_autoptr (GError) error = NULL;
  bool ended = g_subprocess_wait_check_finish (G_SUBPROCESS (child), result, &error);

  if (j->given_up)
    scope_document_say (j->d, SCOPE_SAY_NOTE, _ ("%s was not written: given up"), j->what);
  else if (!ended)
    return export_job_fail (j, j->said != NULL ? j->said : error->message);
  else if (!j->done (j->d, j->made, j->what, &error))
    return export_job_fail (j, error->message);
  else if (j->said != NULL && !j->quiet)
    scope_document_say (j->d, SCOPE_SAY_WARNING, "%s", j->said);
  export_job_free (j);
}

/* ---- progress ------------------------------------------------------------------------------------------ */

/* "shooting the film   42 %", or a sentence. */
static void
export_job_hear (Job *j, char *line)
{
  char *end = strrchr (line, ' '), *number = line;
  gsize n = strlen (line);

  if (n > 2 && g_str_has_suffix (line, " %")) {
    *end = '\0';
    g_strchomp (line);
    number = strrchr (line, ' ');
  }
  if (number == NULL || number == line) {
    g_free (j->said);
    j->said = g_strdup (g_str_has_prefix (line, "scope: ") ? line + strlen ("scope: ") : line);
    return;
  }
  j->told = g_get_monotonic_time ();
  if (j->dialog == NULL)
    return;
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (j->bar), CLAMP (g_ascii_strtod (number, NULL) / 100, 0, 1));
  *number = '\0';
  gtk_label_set_text (GTK_LABEL (j->doing), g_strchomp (line));
}

static void
export_job_on_line (GObject *stream, GAsyncResult *result, gpointer data)
{
  Job *j = data;
  g_autofree char *line = g_data_input_stream_read_line_finish_utf8 (j->says, result, NULL, NULL);

  if (line == NULL) {
    g_subprocess_wait_check_async (j->child, NULL, on_ended, j);
    return;
  }
  export_job_hear (j, line);
  g_data_input_stream_read_line_async (j->says, G_PRIORITY_DEFAULT, NULL, export_job_on_line, j);
}

static gboolean
export_job_show_progress (gpointer data)
{
  Job *j = data;
  gint64 now = g_get_monotonic_time ();

  if (j->dialog == NULL)
    return G_SOURCE_CONTINUE;
  if (!gtk_widget_get_visible (j->dialog) && now - j->began >= SHOWN_AFTER_MS * 1000)
    gtk_widget_show_all (j->dialog);
  if (now - j->told > SILENT_US) {
    gtk_progress_bar_pulse (GTK_PROGRESS_BAR (j->bar));
    gtk_label_set_text (GTK_LABEL (j->doing), j->told != 0 ? _ ("drawing") : "");
  }
  return G_SOURCE_CONTINUE;
}

static void
export_job_give_up (Job *j)
{
  j->given_up = true;
  g_subprocess_force_exit (j->child);
}

static void
export_job_on_response (GtkDialog *dialog, int answer, Job *j)
{
  export_job_give_up (j);
}

/* With the window that it belongs to.  The loop may not turn again: what is to be removed is removed now. */
static void
export_job_on_destroy (GtkWidget *dialog, Job *j)
{
  j->dialog = NULL;
  export_job_give_up (j);
  g_subprocess_wait (j->child, NULL, NULL);
  places_remove (j->folder, NULL);
}

static void
export_job_make_dialog (Job *j, GtkWidget *over)
{
  GtkWidget *box, *title;
  g_autofree char *text = g_strdup_printf (_ ("Writing %s"), j->what);

  j->dialog = gtk_dialog_new_with_buttons (_ ("Export"), GTK_IS_WINDOW (over) ? GTK_WINDOW (over) : NULL,
                                           GTK_DIALOG_DESTROY_WITH_PARENT, _ ("_Give Up"), GTK_RESPONSE_CANCEL, NULL);
  gtk_window_set_default_size (GTK_WINDOW (j->dialog), 360, -1);
  title = gtk_label_new (text);
  j->doing = gtk_label_new ("");
  j->bar = gtk_progress_bar_new ();
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (GTK_LABEL (j->doing), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (j->doing), "dim-label");
  box = gtk_dialog_get_content_area (GTK_DIALOG (j->dialog));
  gtk_container_set_border_width (GTK_CONTAINER (box), 12);
  gtk_box_set_spacing (GTK_BOX (box), 8);
  gtk_container_add (GTK_CONTAINER (box), title);
  gtk_container_add (GTK_CONTAINER (box), j->bar);
  gtk_container_add (GTK_CONTAINER (box), j->doing);
  g_signal_connect (j->dialog, "response", G_CALLBACK (export_job_on_response), j);
  g_signal_connect (j->dialog, "destroy", G_CALLBACK (export_job_on_destroy), j);
}

/* ---- its beginning ------------------------------------------------------------------------------------- */

static void
add_date (GPtrArray *words, const char *option, const TraceSource *s, int64_t date)
{
  char text[64];

  trace_clock_print (&s->clock, date, text, sizeof text);
  g_ptr_array_add (words, g_strdup (option));
  g_ptr_array_add (words, g_strdup (text));
}

static void
export_job_add (GPtrArray *words, const char *option, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (words, g_strdup (option));
  g_ptr_array_add (words, g_strdup_vprintf (format, args));
  va_end (args);
}

static void
add_range (GPtrArray *words, const char *option, const TraceClock *clock, int64_t from, int64_t to)
{
  char a[64], b[64];

  trace_clock_print (clock, from, a, sizeof a);
  trace_clock_print (clock, to, b, sizeof b);
  export_job_add (words, option, "%s..%s", a, b);
}

/* From where to where time goes on. */
static void
add_play (ScopePicture *p, GPtrArray *words)
{
  ScopeDocument *d = picture_document (p);
  const TraceClock *clock = &scope_document_source (d)->clock;
  const PictureShown *shown = picture_shown (p);
  int64_t from = shown->from, to = shown->to;

  if (scope_document_range (d, &from, &to) || shown->from <= shown->to)
    add_range (words, "--play", clock, from, to);
  else
    export_job_add (words, "--play", "%s", "..");
}

/* All that is selected of the trace that the view is of, in a file: there may be more than a command line holds. */
static bool
add_selected (Job *j, ScopePicture *p, GPtrArray *words, GError **error)
{
  g_autofree char *path = g_build_filename (j->folder, "selected", NULL);
  g_autoptr (GString) lines = g_string_new (NULL), name = g_string_new (NULL);
  ViewScene scene;

  picture_scene (p, &scene);
  for (uint32_t i = 0; i < trace_refs_n (scene.selection); i++) {
    TraceRef r = trace_refs_at (scene.selection, i);
    gsize begin = lines->len;
    if (r.source != 0 && scene.source != NULL && r.source != scene.source->number)
      continue;
    g_string_truncate (name, 0);
    trace_ref_name (r, true, name);
    names_put (lines, name->str);
    g_string_erase (lines, (gssize) begin, 1); /* the tab */
    g_string_append_c (lines, '\n');
  }
  if (lines->len == 0)
    return true;
  export_job_add (words, "--select-from", "%s", path);
  return g_file_set_contents (path, lines->str, (gssize) lines->len, error);
}

/* The instant, or how it goes on.  The cursor over a whole execution belongs to the window: a figure goes without. */
static void
add_when (ScopePicture *p, GPtrArray *words, const ViewScene *scene, bool figure, ExportMoves moves)
{
  ScopeDocument *d = picture_document (p);
  const TraceSource *s = scope_document_source (d);

  if (moves == EXPORT_PLAYED)
    add_play (p, words);
  else if (moves == EXPORT_STILL && view_is_counted (scene))
    add_range (words, "--range", &s->clock, scene->counted_from, scene->counted_to);
  else if (figure && !(picture_view (p)->spans & VIEW_OF_INSTANT))
    return;
  else if (scene->at == travel_date (scope_document_travel (d)) && !drive_several (scope_document_session (d)))
    export_job_add (words, "--at", "#%" G_GUINT64_FORMAT, scope_document_event (d));
  else
    add_date (words, "--at", s, scene->at);
}

/* The scene, as words for `scope draw`. */
static void
add_scene (ScopePicture *p, GPtrArray *words, const char *ending, double scale, ExportMoves moves)
{
  ScopeDocument *d = picture_document (p);
  const TraceSource *s = scope_document_source (d);
  ViewScene scene;
  double width, height, fit;
  bool figure = moves == EXPORT_STILL && !g_str_equal (ending, ".csv");

  picture_scene (p, &scene);
  width = MAX (scene.width_px, 50);
  height = MAX (scene.height_px, 50);
  fit = MIN (1, MIN (MOST_PX, MOST_PIXELS / scale) / MAX (width, height));
  fit = MIN (fit, sqrt (MOST_AREA / (width * height)) / MAX (scale, 1));
  export_job_add (words, "--size", "%dx%d", (int) (width * fit), (int) (height * fit));
  export_job_add (words, "--scale", "%g", scale);
  /* Several events can have the date of the present, which is then after one of them; or it lies between two dates, as
   * it always does with several traces, whose events have numbers of their own. */
  scene.at = scope_document_at (d);
  if (moves == EXPORT_TURNED)
    g_ptr_array_add (words, g_strdup ("--turn"));
  add_when (p, words, &scene, figure, moves);
  if (figure)
    g_ptr_array_add (words, g_strdup ("--heading"));
  bool all = scene.from > scene.to;
  if (!all || (g_str_equal (ending, ".csv") && picture_sort (p) == PICTURE_TEXT)) {
    add_date (words, "--from", s, all ? s->first : scene.from);
    add_date (words, "--to", s, all ? s->last : scene.to);
  }
  if (scene.event != UINT64_MAX)
    export_job_add (words, "--event", "%" G_GUINT64_FORMAT, scene.event + 1); /* people count from 1 */
  if (scene.n_rows > 0)
    export_job_add (words, "--rows", "%u-%u", scene.first_row + 1, scene.first_row + scene.n_rows);
}

/* The words that all commands begin with.  False and an error: it cannot be. */
static bool
prepare_trace (Job *j, const char *folder, const char *command, GPtrArray *words, GError **error)
{
  g_autofree char *scope = places_scope ();

  /* first: what is removed in the end, whatever happens, is then its own */
  j->folder = places_scratch (folder, ".scope");
  if (j->folder == NULL) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s", g_strerror (errno));
    return false;
  }
  if (scope == NULL) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                 _ ("the program \342\200\234scope\342\200\235 was not found"));
    return false;
  }
  g_ptr_array_add (words, g_steal_pointer (&scope));
  g_ptr_array_add (words, g_strdup (command));
  g_ptr_array_add (words, g_strdup (scope_document_trace (j->d)));
  export_job_add (words, "--format", "%s", scope_document_source (j->d)->format->name);
  g_ptr_array_add (words, g_strdup ("--progress"));
  return true;
}

/* The same for those that have a program too. */
static bool
prepare_text (Job *j, const char *folder, const char *command, const char *text, GPtrArray *words, GError **error)
{
  EveProgram *p = scope_document_program (j->d);
  guint n_allowed;
  const char *const *allowed = eve_program_allowed (p, &n_allowed);

  if (!prepare_trace (j, folder, command, words, error))
    return false;
  j->program = g_build_filename (j->folder, "program.eve", NULL);
  if (!g_file_set_contents (j->program, text, -1, error))
    return false;
  export_job_add (words, "--program", "%s", scope_document_program_path (j->d));
  export_job_add (words, "--edited", "%s", j->program);
  for (guint i = 0; i < n_allowed; i++)
    export_job_add (words, "--allow", "%s", allowed[i]);
  return true;
}

static bool
export_job_prepare (Job *j, const char *folder, const char *command, GPtrArray *words, GError **error)
{
  g_autofree char *text = eve_program_text (scope_document_program (j->d));

  return prepare_text (j, folder, command, text, words, error);
}

static bool
export_job_start (Job *j, GPtrArray *words, GError **error)
{
  g_ptr_array_add (words, NULL);
  j->child = g_subprocess_newv ((const char *const *) words->pdata, G_SUBPROCESS_FLAGS_STDERR_PIPE, error);
  return j->child != NULL;
}

static Job *
job_new (ScopeDocument *d, const char *what, ExportDone done)
{
  Job *j = g_new0 (Job, 1);

  j->d = g_object_ref (d);
  j->what = g_strdup (what);
  j->done = done;
  j->began = g_get_monotonic_time ();
  return j;
}

static void
export_job_watch (Job *j, GtkWidget *over)
{
  export_job_make_dialog (j, over);
  j->pulse = g_timeout_add (PULSE_MS, export_job_show_progress, j);
  j->says = g_data_input_stream_new (g_subprocess_get_stderr_pipe (j->child));
  g_data_input_stream_read_line_async (j->says, G_PRIORITY_DEFAULT, NULL, export_job_on_line, j);
}

/* Names have the colours that they have here, whatever else is open. */
static bool
add_name_colours (Job *j, GPtrArray *words, GError **error)
{
  g_autofree char *file = g_build_filename (j->folder, "names", NULL), *text = store_names_tell ();

  export_job_add (words, "--name-colours", "%s", file);
  return g_file_set_contents (file, text, -1, error);
}

void
export_job (ScopePicture *p, const char *what, const char *ending, const char *folder, double scale, ExportMoves moves,
            ExportDone done)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  Job *j = job_new (picture_document (p), what, done);
  const char *film = scope_document_film (j->d);

  bool ok = export_job_prepare (j, folder, "draw", words, &error);
  if (ok) {
    bool many = *ending == '\0';
    g_autofree char *base = g_path_get_basename (what), *first = g_strconcat (base, ".png", NULL), *out = NULL;
    j->made = g_strdup_printf ("%s" G_DIR_SEPARATOR_S "made%s", j->folder, ending);
    out = many ? g_build_filename (j->made, first, NULL) : g_strdup (j->made);
    if (many && g_mkdir (j->made, 0777) != 0)
      return export_job_fail (j, g_strerror (errno));
    ending = many ? ".png" : ending;
    export_job_add (words, "--view", "%s", eve_name (picture_component (p)));
    if (film != NULL)
      export_job_add (words, "--film", "%s", film);
    if (scope_document_associations (j->d) != NULL)
      export_job_add (words, "--associations", "%s", scope_document_associations (j->d));
    add_scene (p, words, ending, scale, moves);
    ok = add_name_colours (j, words, &error);
    export_job_add (words, "-o", "%s", out);
    ok = ok && add_selected (j, p, words, &error) && export_job_start (j, words, &error);
  }
  if (!ok)
    return export_job_fail (j, error->message);
  export_job_watch (j, gtk_widget_get_toplevel (GTK_WIDGET (p)));
}

/* ---- the files of components ---------------------------------------------------------------------------- */

/* They take their places all at once: before, they lie in the hidden folder.  All are looked at before the first is
 * moved. */
static bool
files_done (ScopeDocument *d, const char *made, const char *what, GError **error)
{
  g_autofree char *hidden = g_path_get_dirname (made), *folder = g_path_get_dirname (hidden);
  g_autoptr (GDir) dir = g_dir_open (made, 0, error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  bool ok = dir && places_may_hold_files (folder, error);

  for (const char *name; ok && (name = g_dir_read_name (dir));) {
    ok = disk_check_below (folder, name, error);
    g_ptr_array_add (names, g_strdup (name));
  }
  for (guint i = 0; ok && i < names->len; i++) {
    g_autofree char *from = g_build_filename (made, names->pdata[i], NULL);
    ok = disk_move_below (from, folder, names->pdata[i], error);
    if (!ok && i > 0)
      g_prefix_error (error, _ ("%u of %u files were written, then "), i, names->len);
  }
  if (ok)
    scope_document_say (
        d, SCOPE_SAY_NOTE,
        P_ ("%u file of this program was written into %s", "%u files of this program were written into %s", names->len),
        names->len, folder);
  return ok;
}

void
export_files (ScopeDocument *d, GtkWidget *over, const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *what = g_strdup_printf (_ ("The files of components in %s"), folder);
  Job *j = job_new (d, what, files_done);
  bool ok = places_may_hold_files (folder, &error) && export_job_prepare (j, folder, "run", words, &error);

  if (ok) {
    j->made = g_build_filename (j->folder, "made", NULL);
    export_job_add (words, "--out", "%s", j->made);
    ok = export_job_start (j, words, &error);
  }
  if (!ok)
    return export_job_fail (j, error->message);
  export_job_watch (j, over);
}

void
export_run (ScopeDocument *d, GtkWidget *over, const char *what, const char *text, ExportDone done)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  Job *j = job_new (d, what, done);
  j->quiet = true;
  bool ok = prepare_text (j, g_get_tmp_dir (), "run", text, words, &error);

  if (ok) {
    j->made = g_build_filename (j->folder, "made", NULL);
    export_job_add (words, "--out", "%s", j->made);
    ok = export_job_start (j, words, &error);
  }
  if (!ok)
    return export_job_fail (j, error->message);
  export_job_watch (j, over);
}

/* ---- the execution --------------------------------------------------------------------------------------- */

/* The hidden folder lies where the file shall be. */
static bool
execution_done (ScopeDocument *d, const char *made, const char *what, GError **error)
{
  g_autofree char *hidden = g_path_get_dirname (made), *folder = g_path_get_dirname (hidden),
                  *name = g_path_get_basename (made), *path = g_build_filename (folder, name, NULL);

  /* a file may be written over, as the person has agreed to it; a folder is not */
  if (g_rename (made, path) != 0) {
    int why = errno;
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (why), "%s",
                 why == ENOTEMPTY || why == EEXIST ? _ ("there is such a folder already") : g_strerror (why));
    return false;
  }
  scope_document_say (d, SCOPE_SAY_NOTE, _ ("The execution was exported to %s"), path);
  return true;
}

void
export_execution (ScopeDocument *d, GtkWidget *over, const char *path, const char *format)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  Job *j = job_new (d, path, execution_done);
  bool ok = prepare_trace (j, folder, "export", words, &error);

  if (ok) {
    j->made = g_build_filename (j->folder, name, NULL);
    export_job_add (words, "--as", "%s", format);
    export_job_add (words, "-o", "%s", j->made);
    ok = export_job_start (j, words, &error);
  }
  if (!ok)
    return export_job_fail (j, error->message);
  export_job_watch (j, over);
}
