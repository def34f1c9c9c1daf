/* SPDX-License-Identifier: Apache-2.0 */
/* data-table.c - all data that an output gives in the whole execution, as a table: sorted, filtered, saved as CSV.
 *
 * What is upstream of the output runs in a process of its own, with a CSV sink at its end; the table is what that
 * wrote. So it is whole whatever the present is, and the same that the sink gives anybody. */
#include "window/data-table.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "statistics/csv-read.h"
#include "document/hand-over.h"
#include "eve/disk.h"
#include "panes/export-job.h"
#include "session/places.h"
#include "views/paint.h"
#include "window/app.h"

#define FILE_NAME "table.csv"
#define SINK "scope.csv-sink"
#define MOST_ROWS 200000u     /* that are shown; the file has all */
#define MOST_BYTES (96 << 20) /* of them */

typedef struct DataTable {
  ScopeDocument *d;
  char *trace; /* that it is of */
  GtkWidget *window, *view, *filter, *told;
  char *folder, *path; /* of its own: the whole file */
  CsvTable *csv;       /* what is shown of it */
  GArray *order;       /* of uint32_t: the rows that are shown */
  int by;              /* column that they are sorted by; -1: as they came */
  bool down;           /* the largest first */
} DataTable;

/* ---- the program ------------------------------------------------------------------------------------------------------ */

/* The components that lead to one, and itself; and those that play the trace, without whom there is nothing to run. */
static GHashTable *
upstream (EveProgram *p, EveComponent *c)
{
  GHashTable *above = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();

  g_ptr_array_add (todo, c);
  g_hash_table_add (above, c);
  for (uint32_t i = 0; i < eve_n_components (p); ++i)
    if (eve_query (eve_component (p, i), "trace-reader/1") && g_hash_table_add (above, eve_component (p, i)))
      g_ptr_array_add (todo, eve_component (p, i));
  for (guint i = 0; i < todo->len; ++i)
    for (uint32_t k = 0; k < eve_n_wires (p); ++k) { /* bypassed ones lead there too */
      EveWire w = eve_wire (p, k);
      if (w.to == todo->pdata[i] && g_hash_table_add (above, w.from))
        g_ptr_array_add (todo, w.from);
    }
  return above;
}

/* What is upstream of an output, and a sink; g_free.  NULL and a sentence: nothing can take what it gives. */
static char *
data_table_program_of (EveProgram *open, const char *box, const char *out, GError **error)
{
  g_autofree char *all = eve_program_text (open);
  EveProgram *p = eve_program_parse (all, -1, "table", NULL, error);
  EveComponent *c = p ? eve_find (p, box) : NULL, *sink = NULL;
  const EveClass *k = eve_registry_find (SINK);
  char *text = NULL;

  if (c && k) {
    g_autoptr (GHashTable) above = upstream (p, c);
    for (uint32_t i = eve_n_components (p); i-- > 0;)
      if (!g_hash_table_contains (above, eve_component (p, i)))
        eve_remove (p, eve_component (p, i));
    sink = eve_add (p, k, NULL, error);
  } else if (p)
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, "%s",
                 c ? _ ("the component CSV Sink is not installed") : _ ("it is gone"));
  if (sink && eve_set (sink, "file", FILE_NAME, error) && eve_connect (p, c, out, sink, "in", error))
    text = eve_program_text (p);
  if (p)
    eve_program_free (p);
  return text;
}

/* ---- what is shown ------------------------------------------------------------------------------------------------------ */

/* A column of seconds, which are shown in the unit that was chosen for all. */
static bool
data_table_is_seconds (const DataTable *t, uint32_t column)
{
  return t->csv->is_number[column] && g_str_has_suffix (t->csv->cells->pdata[column], " [s]");
}

/* The decimal number with its point moved, so that none of its digits changes; g_free. */
static char *
point_moved (const char *number, int digits)
{
  const char *sign = *number == '-' ? "-" : "", *at = number + (*number == '-');
  size_t before = strspn (at, "0123456789"), behind = at[before] == '.' ? strspn (at + before + 1, "0123456789") : 0;

  if (!before || at[before + (behind ? behind + 1 : 0)] != 0) /* with an exponent */
    return g_strdup_printf ("%.15g", g_ascii_strtod (number, NULL) * pow (10, digits));
  GString *all = g_string_new_len (at, (gssize) before);
  g_string_append_len (all, at + before + 1, (gssize) behind);
  while (behind < (size_t) digits)
    g_string_append_c (all, '0'), ++behind;
  if (behind > (size_t) digits)
    g_string_insert_c (all, (gssize) before + digits, '.');
  size_t zeros = strspn (all->str, "0");
  if (zeros && (zeros == all->len || all->str[zeros] == '.'))
    --zeros; /* one stays before the point */
  g_string_erase (all, 0, (gssize) zeros);
  g_string_prepend (all, sign);
  return g_string_free (all, FALSE);
}

/* As it is shown; g_free. */
static char *
shown_cell (const DataTable *t, uint32_t row, uint32_t column)
{
  const char *cell = csv_cell (t->csv, row, column);
  int digits = 0;

  if (*cell && data_table_is_seconds (t, column) && axis_unit (&digits) && digits)
    return point_moved (cell, digits);
  return g_strdup (cell);
}

static char *
shown_heading (const DataTable *t, uint32_t column)
{
  const char *heading = t->csv->cells->pdata[column], *unit;
  int digits = 0;

  if (data_table_is_seconds (t, column) && (unit = axis_unit (&digits)))
    return g_strdup_printf ("%.*s[%s]", (int) (strlen (heading) - strlen ("[s]")), heading, unit);
  return g_strdup (heading);
}

static bool
data_table_passes (const DataTable *t, uint32_t row, const char *wanted)
{
  for (uint32_t c = 0; c < t->csv->n_columns; ++c) {
    g_autofree char *cell = shown_cell (t, row, c);
    if (strcasestr (cell, wanted))
      return true;
  }
  return false;
}

static void
data_table_tell (DataTable *t)
{
  g_autofree char *shown = scope_number (t->order->len), *all = scope_number (t->csv->n_rows);
  g_autofree char *text = t->order->len == t->csv->n_rows
                              ? g_strdup_printf (P_ ("%s row", "%s rows", t->csv->n_rows), all)
                              : g_strdup_printf (P_ ("%s of %s rows", "%s of %s rows", t->order->len), shown, all);
  g_autofree char *more = t->csv->more ? g_strdup_printf (_ ("The first %s; CSV… has all"), text) : NULL;

  gtk_label_set_text (GTK_LABEL (t->told), more ? more : text);
}

static void
data_table_show (DataTable *t)
{
  const char *wanted = gtk_entry_get_text (GTK_ENTRY (t->filter));
  g_autoptr (GtkListStore) store = gtk_list_store_new (1, G_TYPE_UINT);

  g_array_set_size (t->order, 0);
  for (uint32_t r = 0; r < t->csv->n_rows; ++r)
    if (!*wanted || data_table_passes (t, r, wanted))
      g_array_append_val (t->order, r);
  if (t->by >= 0)
    csv_sort (t->csv, t->order, (uint32_t) t->by, t->down);
  for (guint i = 0; i < t->order->len; ++i)
    gtk_list_store_insert_with_values (store, NULL, -1, 0, g_array_index (t->order, uint32_t, i), -1);
  gtk_tree_view_set_model (GTK_TREE_VIEW (t->view), GTK_TREE_MODEL (store));
  for (uint32_t c = 0; c < t->csv->n_columns; ++c) {
    GtkTreeViewColumn *column = gtk_tree_view_get_column (GTK_TREE_VIEW (t->view), (int) c);
    gtk_tree_view_column_set_sort_indicator (column, t->by == (int) c);
    gtk_tree_view_column_set_sort_order (column, t->down ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
  }
  data_table_tell (t);
}

static void
show_cell (GtkTreeViewColumn *column, GtkCellRenderer *renderer, GtkTreeModel *model, GtkTreeIter *at, gpointer table)
{
  const DataTable *t = table;
  guint row = 0, c = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (column), "number"));

  gtk_tree_model_get (model, at, 0, &row, -1);
  g_autofree char *cell = shown_cell (t, row, c);
  g_object_set (renderer, "text", cell, NULL);
}

/* Up, down, and as they came. */
static void
on_header (GtkTreeViewColumn *column, DataTable *t)
{
  int c = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (column), "number"));

  if (t->by != c) {
    t->by = c;
    t->down = false;
  } else if (!t->down)
    t->down = true;
  else
    t->by = -1;
  data_table_show (t);
}

/* A row with a date leads there. */
static void
data_table_on_row (GtkTreeView *view, GtkTreePath *path, GtkTreeViewColumn *column, DataTable *t)
{
  GtkTreeIter at;
  guint row = 0;
  TraceSource *s = scope_document_source (t->d);

  if (!s || g_strcmp0 (t->trace, scope_document_trace (t->d)) != 0
      || !g_str_has_prefix (t->csv->cells->pdata[0], "date ")
      || !gtk_tree_model_get_iter (gtk_tree_view_get_model (view), &at, path))
    return;
  gtk_tree_model_get (gtk_tree_view_get_model (view), &at, 0, &row, -1);
  int64_t date;
  if (trace_clock_parse (&s->clock, csv_cell (t->csv, row, 0), &date))
    scope_document_go_date (t->d, date);
}

static void
on_csv (GtkButton *button, DataTable *t)
{
  g_autoptr (GError) error = NULL;
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  GtkWidget *dialog = gtk_file_chooser_dialog_new (_ ("Save the table"), GTK_WINDOW (t->window),
                                                   GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Cancel"), GTK_RESPONSE_CANCEL,
                                                   _ ("_Save"), GTK_RESPONSE_ACCEPT, NULL);

  gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (dialog), TRUE);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), documents ? documents : g_get_home_dir ());
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), FILE_NAME);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  if (gtk_dialog_run (GTK_DIALOG (dialog)) == GTK_RESPONSE_ACCEPT) {
    g_autoptr (GFile) from = g_file_new_for_path (t->path), to = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
    g_autofree char *path = g_file_get_path (to);
    if ((path && !places_may_write (path, &error))
        || !g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, &error))
      scope_document_say (t->d, SCOPE_SAY_ERROR, _ ("The table is not saved: %s"), error->message);
  }
  gtk_widget_destroy (dialog);
}

/* ---- its window ---------------------------------------------------------------------------------------------------------- */

/* Another unit of time. */
static void
data_table_on_look (DataTable *t)
{
  for (uint32_t c = 0; c < t->csv->n_columns; ++c) {
    GtkTreeViewColumn *column = gtk_tree_view_get_column (GTK_TREE_VIEW (t->view), (int) c);
    g_autofree char *heading = shown_heading (t, c);
    gtk_label_set_text (GTK_LABEL (gtk_tree_view_column_get_widget (column)), heading);
    atk_object_set_name (gtk_widget_get_accessible (gtk_tree_view_column_get_button (column)), heading);
  }
  data_table_show (t);
}

static void
table_free (gpointer table)
{
  DataTable *t = table;

  g_signal_handlers_disconnect_by_data (t->d, t);

  places_scratch_end (t->folder);
  g_clear_pointer (&t->csv, csv_free);
  g_clear_pointer (&t->order, g_array_unref);
  g_object_unref (t->d);
  g_free (t->trace);
  g_free (t->path);
  g_free (t);
}

static void
add_columns (DataTable *t)
{
  for (uint32_t c = 0; c < t->csv->n_columns; ++c) {
    GtkTreeViewColumn *column = gtk_tree_view_column_new ();
    GtkCellRenderer *text = gtk_cell_renderer_text_new ();
    g_autofree char *heading = shown_heading (t, c);
    GtkWidget *title = gtk_label_new (heading);
    g_object_set (text, "xalign", t->csv->is_number[c] ? 1.0f : 0.0f, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
    gtk_tree_view_column_pack_start (column, text, TRUE);
    gtk_tree_view_column_set_cell_data_func (column, text, show_cell, t, NULL);
    gtk_widget_show (title);
    gtk_tree_view_column_set_widget (column, title);
    gtk_tree_view_column_set_sizing (column, GTK_TREE_VIEW_COLUMN_FIXED);
    gtk_tree_view_column_set_fixed_width (column, (int) ((t->csv->is_number[c] ? 96 : 150) * scope_text_scale ()));
    gtk_tree_view_column_set_resizable (column, TRUE);
    gtk_tree_view_column_set_clickable (column, TRUE);
    gtk_tree_view_column_set_alignment (column, t->csv->is_number[c] ? 1.0f : 0.0f);
    g_object_set_data (G_OBJECT (column), "number", GUINT_TO_POINTER (c));
    g_signal_connect (column, "clicked", G_CALLBACK (on_header), t);
    gtk_tree_view_append_column (GTK_TREE_VIEW (t->view), column);
    atk_object_set_name (gtk_widget_get_accessible (gtk_tree_view_column_get_button (column)), heading);
  }
  GtkTreeViewColumn *rest = gtk_tree_view_column_new (); /* takes the room that is left */
  gtk_tree_view_column_set_sizing (rest, GTK_TREE_VIEW_COLUMN_FIXED);
  gtk_tree_view_append_column (GTK_TREE_VIEW (t->view), rest);
}

static char *
data_table_give_table (gpointer table, const char *kind, gsize *n, GError **error)
{
  return disk_read (((DataTable *) table)->path, NULL, HAND_OVER_MOST, n, error);
}

static char *
name_of_table (gpointer table)
{
  return g_strdup (gtk_window_get_title (GTK_WINDOW (((DataTable *) table)->window)));
}

static void
data_table_open_window (DataTable *t, GtkWindow *over, const char *title)
{
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8),
            *scrolled = gtk_scrolled_window_new (NULL, NULL), *csv = gtk_button_new_with_mnemonic (_ ("_CSV…"));

  t->window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
  gtk_window_set_title (GTK_WINDOW (t->window), title);
  gtk_window_set_transient_for (GTK_WINDOW (t->window), over);
  gtk_window_set_destroy_with_parent (GTK_WINDOW (t->window), TRUE);
  gtk_window_set_default_size (GTK_WINDOW (t->window), 760, 460);
  t->view = gtk_tree_view_new ();
  gtk_tree_view_set_fixed_height_mode (GTK_TREE_VIEW (t->view), TRUE);
  gtk_tree_view_set_enable_search (GTK_TREE_VIEW (t->view), FALSE);
  atk_object_set_name (gtk_widget_get_accessible (t->view), title);
  t->filter = gtk_search_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (t->filter), _ ("Only rows with …"));
  atk_object_set_name (gtk_widget_get_accessible (t->filter), _ ("Only rows with"));
  t->told = gtk_label_new ("");
  gtk_label_set_xalign (GTK_LABEL (t->told), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (t->told), "dim-label");
  gtk_widget_set_tooltip_text (csv, _ ("Saves all rows, as they came"));
  gtk_box_pack_start (GTK_BOX (line), t->filter, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (line), t->told, TRUE, TRUE, 0);
  static const char *const kinds[] = { "text/csv", "text/plain", NULL };
  gtk_box_pack_end (GTK_BOX (line), csv, FALSE, FALSE, 0);
  gtk_box_pack_end (GTK_BOX (line),
                    hand_over_new (t->d, &(HandOver){ kinds, data_table_give_table, name_of_table, t },
                                   _ ("Hand over: drag it into another program; a click copies the table")),
                    FALSE, FALSE, 0);
  g_object_set (line, "margin", 8, "margin-bottom", 0, NULL);
  gtk_container_add (GTK_CONTAINER (scrolled), t->view);
  gtk_box_pack_start (GTK_BOX (column), line, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (column), scrolled, TRUE, TRUE, 0);
  gtk_container_add (GTK_CONTAINER (t->window), column);
  add_columns (t);
  g_object_set_data_full (G_OBJECT (t->window), "table", t, table_free);
  g_signal_connect_swapped (t->filter, "search-changed", G_CALLBACK (data_table_show), t);
  g_signal_connect (t->view, "row-activated", G_CALLBACK (data_table_on_row), t);
  g_signal_connect (csv, "clicked", G_CALLBACK (on_csv), t);
  g_signal_connect_swapped (t->d, "look", G_CALLBACK (data_table_on_look), t);
  window_closes_by_escape (t->window);
  data_table_show (t);
  gtk_widget_show_all (t->window);
}

/* What the sink wrote is taken along, and read as far as it is shown. */
static bool
data_table_made (ScopeDocument *d, const char *folder, const char *what, GError **error)
{
  g_autofree char *from = g_build_filename (folder, FILE_NAME, NULL);
  GtkWindow *over = g_object_get_data (G_OBJECT (d), "table-over");
  DataTable *t = g_new0 (DataTable, 1);
  g_autoptr (GFile) source = g_file_new_for_path (from), target = NULL;
  gsize n = 0;

  *t = (DataTable){ .d = g_object_ref (d), .trace = g_strdup (scope_document_trace (d)), .by = -1 };
  t->order = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  t->folder = places_scratch (NULL, "scope-table");
  if (!t->folder) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), _ ("There is no room for it in %s: %s"),
                 g_get_tmp_dir (), g_strerror (errno));
    table_free (t);
    return false;
  }
  t->path = g_build_filename (t->folder, FILE_NAME, NULL);
  target = g_file_new_for_path (t->path);
  bool ok = g_file_move (source, target, G_FILE_COPY_NONE, NULL, NULL, NULL, error);
  g_autoptr (GFileInputStream) stream = ok ? g_file_read (target, NULL, error) : NULL;
  char *text = g_malloc (MOST_BYTES + 1);
  ok = stream && g_input_stream_read_all (G_INPUT_STREAM (stream), text, MOST_BYTES, &n, NULL, error);
  if (!ok) {
    g_free (text);
    table_free (t);
    return false;
  }
  text[n] = 0;
  t->csv = csv_read (g_realloc (text, n + 1), n == MOST_BYTES, MOST_ROWS);
  data_table_open_window (t, over, what);
  return true;
}

void
data_table_open (ScopeDocument *d, GtkWindow *over, const char *box, const char *out)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = data_table_program_of (scope_document_program (d), box, out, &error),
                  *what = g_strdup_printf (_ ("Table of %s.%s"), box, out);

  if (!text) {
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("There is no table of %s.%s: %s"), box, out, error->message);
    return;
  }
  g_object_set_data (G_OBJECT (d), "table-over", over);
  export_run (d, GTK_WIDGET (over), what, text, data_table_made);
}
