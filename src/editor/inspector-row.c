/* SPDX-License-Identifier: Apache-2.0 */
/* inspector-row.c - one setting: an editor made from its field; changed at once, a drag of the slider being one step to
 * undo. */
#include "editor/inspector-private.h"
#include "eve/number.h"
#include "eve/words.h"
#include "document/task-list.h"
#include <math.h>
#include <string.h>

struct InspectorRow {
  Inspector *in;
  const EveField *f;
  const char *of;                               /* interned: the box that it is of; NULL: of those that are selected */
  GtkWidget *editor, *slider, *reset, *problem; /* slider NULL: has no bounds */
  GtkWidget *list;                              /* of values that are offered, `editor` is its entry; NULL: none */
  double from, to, step;                        /* of the slider */
  GtkWidget *all[4];                            /* in the grid, without the problem; the last may be NULL */
};

static const char *
inspector_row_default_text (const EveField *f, char **free_later)
{
  union {
    double number;
    int64_t integer;
    int32_t choice;
    bool truth;
    const char *text;
  } value = { 0 };
  switch (f->kind) {
  case EVE_F_DOUBLE:
    value.number = f->def;
    break;
  case EVE_F_INT64:
    value.integer = (int64_t) f->def;
    break;
  case EVE_F_BOOL:
    value.truth = f->def != 0;
    break;
  case EVE_F_CHOICE:
    value.choice = (int32_t) f->def;
    break;
  case EVE_F_STRING:
    value.text = f->def_text ? f->def_text : "";
    break;
  }
  return *free_later = eve_field_text (f, &value);
}

static GPtrArray *
row_boxes (const InspectorRow *row)
{
  if (!row->of)
    return inspector_boxes (row->in);
  GPtrArray *one = g_ptr_array_new ();
  EveComponent *c = scope_document_is_open (row->in->d) ? eve_find (scope_document_program (row->in->d), row->of)
                                                        : NULL;
  if (c)
    g_ptr_array_add (one, c);
  return one;
}

void
inspector_row_of (InspectorRow *row, const char *box)
{
  row->of = g_intern_string (box);
}

/* The common text of all boxes; NULL: they differ. */
static char *
common_text (const InspectorRow *row)
{
  g_autoptr (GPtrArray) boxes = row_boxes (row);
  char *common = NULL;
  for (guint i = 0; i < boxes->len; i++) {
    char *text = eve_get (boxes->pdata[i], row->f->name);
    if (i && g_strcmp0 (text, common) != 0) {
      g_free (text);
      g_free (common);
      return NULL;
    }
    g_free (common);
    common = text;
  }
  return common;
}

static void
complain (InspectorRow *row, const char *sentence)
{
  gtk_label_set_text (GTK_LABEL (row->problem), sentence ? sentence : "");
  gtk_widget_set_visible (row->problem, sentence != NULL);
  GtkStyleContext *style = gtk_widget_get_style_context (row->editor);
  if (sentence)
    gtk_style_context_add_class (style, "error");
  else
    gtk_style_context_remove_class (style, "error");
}

/* `merge`: part of a drag. */
static void
apply (InspectorRow *row, const char *text, bool merge)
{
  Inspector *in = row->in;
  const EveField *f = row->f;
  g_autoptr (GPtrArray) boxes = row_boxes (row);
  g_autoptr (GError) error = NULL;
  g_autofree char *now = common_text (row), *wanted = f->kind == EVE_F_DOUBLE ? number_typed (text) : g_strdup (text);
  if (in->filling || !boxes->len || !g_strcmp0 (now, wanted))
    return;
  g_autofree char *what = boxes->len == 1 ? g_strdup_printf (_ ("Set %s of %s"), f->name, eve_name (boxes->pdata[0]))
                                          : g_strdup_printf (_ ("Set %s of %u boxes"), f->name, boxes->len);
  g_autofree char *key = g_strdup_printf ("set %s %s", f->name, in->key ? in->key : "");
  if (merge)
    scope_document_begin_edit_merge (in->d, what, key);
  else
    scope_document_begin_edit (in->d, what);
  for (guint i = 0; i < boxes->len && !error; i++) {
    scope_document_forget_problem (in->d, boxes->pdata[i]);
    eve_set (boxes->pdata[i], f->name, wanted, &error);
  }
  scope_document_end_edit (in->d);
  complain (row, error ? error->message : NULL);
}

/* ---- typed -------------------------------------------------------------------------------------------------------------- */
static void
typed (GtkEntry *entry, InspectorRow *row)
{
  g_autofree char *now = common_text (row);
  const char *text = gtk_entry_get_text (entry);
  if (!now && !*text)
    return; /* they differ, and nothing was typed */
  apply (row, text, false);
}

static gboolean
entry_left (GtkWidget *entry, GdkEvent *e, InspectorRow *row)
{
  typed (GTK_ENTRY (entry), row);
  return FALSE;
}

static double
step_of (const EveField *f)
{
  if (f->kind == EVE_F_INT64)
    return 1;
  double span = f->max - f->min;
  return span > 0 && isfinite (span) ? pow (10, floor (log10 (span / 50))) : 1;
}

static void
inspector_row_number_text (const EveField *f, double v, char *buf, int n)
{
  if (f->kind == EVE_F_INT64)
    g_snprintf (buf, (gulong) n, "%" G_GINT64_FORMAT, (gint64) llround (v));
  else
    g_ascii_formatd (buf, n, "%.10g", v);
}

/* As it stands in the entry: numbers by the locale, in place; it is read back so. */
static const char *
shown_text (const EveField *f, char *text)
{
  return text && f->kind == EVE_F_DOUBLE ? number_local (text) : text;
}

static gboolean
inspector_row_entry_key (GtkWidget *entry, GdkEventKey *e, InspectorRow *row)
{
  const EveField *f = row->f;
  int step = e->keyval == GDK_KEY_Up          ? 1
             : e->keyval == GDK_KEY_Down      ? -1
             : e->keyval == GDK_KEY_Page_Up   ? 10
             : e->keyval == GDK_KEY_Page_Down ? -10
                                              : 0;
  if (e->keyval == GDK_KEY_Escape) { /* as it was; the window gets the key too */
    g_autofree char *now = common_text (row);
    gtk_entry_set_text (GTK_ENTRY (entry), now ? shown_text (f, now) : "");
    complain (row, NULL);
    return FALSE;
  }
  if (!step || (f->kind != EVE_F_DOUBLE && f->kind != EVE_F_INT64))
    return FALSE;
  g_autofree char *typed = number_typed (gtk_entry_get_text (GTK_ENTRY (entry)));
  char buf[G_ASCII_DTOSTR_BUF_SIZE];
  double by = step_of (f), v = g_ascii_strtod (typed, NULL);
  v = round ((v + step * by) / by) * by;
  if (f->min < f->max)
    v = CLAMP (v, f->min, f->max);
  inspector_row_number_text (f, v, buf, sizeof buf);
  apply (row, buf, true);
  gtk_entry_set_text (GTK_ENTRY (entry), shown_text (f, buf));
  return TRUE;
}

/* ---- other editors ---------------------------------------------------------------------------------------------------------- */
static void
slid (GtkRange *range, InspectorRow *row)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];
  if (row->in->filling)
    return;
  double v = gtk_range_get_value (range), by = row->step;
  inspector_row_number_text (row->f, CLAMP (round (v / by) * by, row->from, row->to), buf, sizeof buf);
  apply (row, buf, true);
}

static void
toggled (GtkToggleButton *button, InspectorRow *row)
{
  if (row->in->filling)
    return;
  gtk_toggle_button_set_inconsistent (button, FALSE);
  apply (row, gtk_toggle_button_get_active (button) ? "true" : "false", false);
}

static void
picked (GtkComboBox *box, InspectorRow *row)
{
  int i = gtk_combo_box_get_active (box);
  if (i >= 0 && !row->in->filling)
    apply (row, row->f->choices[i], false);
}

static void
inspector_row_reset (GtkButton *button, InspectorRow *row)
{
  g_autofree char *made = NULL;
  apply (row, inspector_row_default_text (row->f, &made), false);
}

static void
file_chosen (GtkNativeDialog *dialog, int response, InspectorRow *row)
{
  g_autofree char *path = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (dialog))
                                                          : NULL;
  if (path)
    apply (row, path, false);
  g_object_unref (dialog);
}

/* A trace is a folder; everything else is a file. */
static void
inspector_row_choose_file (GtkButton *button, InspectorRow *row)
{
  g_autoptr (GPtrArray) boxes = row_boxes (row);
  const EveClass *k = boxes->len ? eve_class (boxes->pdata[0]) : NULL;
  if (!k)
    return;
  GtkFileChooserAction action = strstr (row->f->name, "trace") || strstr (row->f->name, "folder")
                                    ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER
                                    : GTK_FILE_CHOOSER_ACTION_OPEN;
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      row->f->name, GTK_WINDOW (gtk_widget_get_toplevel (row->editor)), action, _ ("_Choose"), _ ("_Cancel"));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect (dialog, "response", G_CALLBACK (file_chosen), row);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- the row ------------------------------------------------------------------------------------------------------------------- */
/* A value was chosen from the list, not typed. */
static void
offered (GtkComboBox *list, InspectorRow *row)
{
  g_autofree char *text = gtk_combo_box_get_active (list) >= 0
                              ? gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (list))
                              : NULL;
  if (text)
    apply (row, text, false);
}

static GtkWidget *
make_entry (InspectorRow *row)
{
  bool number = row->f->kind != EVE_F_STRING;
  GtkWidget *entry = row->list ? gtk_bin_get_child (GTK_BIN (row->list)) : gtk_entry_new ();
  gtk_entry_set_width_chars (GTK_ENTRY (entry), number      ? 8
                                                : row->list ? 4
                                                            : 8); /* the side keeps its width, whatever is selected */
  gtk_entry_set_alignment (GTK_ENTRY (entry), number ? 1 : 0);
  gtk_entry_set_input_purpose (GTK_ENTRY (entry), number ? GTK_INPUT_PURPOSE_NUMBER : GTK_INPUT_PURPOSE_FREE_FORM);
  g_signal_connect (entry, "activate", G_CALLBACK (typed), row);
  g_signal_connect (entry, "focus-out-event", G_CALLBACK (entry_left), row);
  g_signal_connect (entry, "key-press-event", G_CALLBACK (inspector_row_entry_key), row);
  return entry;
}

static void
tasks_ticked (const char *text, gpointer row)
{
  apply (row, text, false);
}

/* Beside its field. */
static GtkWidget *
make_slider (InspectorRow *row, double from, double to, double step)
{
  GtkWidget *both = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);

  row->from = from;
  row->to = to;
  row->step = step / (row->f->kind == EVE_F_INT64 ? 1 : 10);
  row->slider = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, from, to, step);
  gtk_scale_set_draw_value (GTK_SCALE (row->slider), FALSE);
  gtk_widget_set_size_request (row->slider, 56, -1);
  g_signal_connect (row->slider, "value-changed", G_CALLBACK (slid), row);
  gtk_entry_set_width_chars (GTK_ENTRY (row->editor), 4);
  gtk_box_pack_start (GTK_BOX (both), row->slider, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (both), row->editor, FALSE, FALSE, 0);
  return both;
}

void
inspector_row_bounds (InspectorRow *row, double from, double to, double step)
{
  if (!row->slider || (row->from == from && row->to == to && row->step == step))
    return;
  bool filling = row->in->filling; /* a value that lies beyond an end stays what it is */
  row->in->filling = true;
  row->from = from;
  row->to = to;
  row->step = step;
  gtk_range_set_range (GTK_RANGE (row->slider), from, to);
  gtk_range_set_increments (GTK_RANGE (row->slider), step, 10 * step);
  inspector_row_show (row);
  row->in->filling = filling;
}

static GtkWidget *
make_editor (InspectorRow *row, const char *name, InspectorHow how)
{
  const EveField *f = row->f;
  if (f->kind == EVE_F_BOOL) {
    row->editor = gtk_check_button_new_with_label (name);
    gtk_label_set_ellipsize (GTK_LABEL (gtk_bin_get_child (GTK_BIN (row->editor))), PANGO_ELLIPSIZE_END);
    g_signal_connect (row->editor, "toggled", G_CALLBACK (toggled), row);
    return row->editor;
  }
  if (f->kind == EVE_F_CHOICE) {
    row->editor = gtk_combo_box_text_new ();
    for (const char *const *c = f->choices; *c; c++)
      gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (row->editor), in_words (*c));
    g_signal_connect (row->editor, "changed", G_CALLBACK (picked), row);
    return row->editor;
  }
  if (how == INSPECTOR_OFFERS && f->kind == EVE_F_STRING && !f->path)
    row->list = gtk_combo_box_text_new_with_entry ();
  row->editor = make_entry (row);
  if (row->list) {
    g_autofree char *values = g_strdup_printf (_ ("Values of %s"), in_words (f->name));
    atk_object_set_name (gtk_widget_get_accessible (row->list), values);
    g_signal_connect (row->list, "changed", G_CALLBACK (offered), row);
    return row->list;
  }
  if (how == INSPECTOR_SLIDES && f->kind != EVE_F_STRING)
    return make_slider (row, 0, 1, 0.01);
  if (f->kind != EVE_F_STRING && f->min < f->max && isfinite (f->max - f->min)
      && f->max - f->min <= (f->kind == EVE_F_INT64 ? 1000 : 1e5)) {
    /* of more whole numbers a slider this short would hit few */
    return make_slider (row, f->min, f->max, step_of (f));
  }
  if (f->kind == EVE_F_STRING && task_list_is_for (f->name)) {
    GtkWidget *both = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
    g_autoptr (GPtrArray) boxes = row_boxes (row);
    gtk_box_pack_start (GTK_BOX (both), row->editor, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (both),
                        task_list_button_new (row->in->d, GTK_ENTRY (row->editor),
                                              boxes->len ? eve_name (boxes->pdata[0]) : NULL, tasks_ticked, row),
                        FALSE, FALSE, 0);
    return both;
  }
  if (f->path && !f->output) { /* what is written is a name below the output folder */
    GtkWidget *both = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
    GtkWidget *button = gtk_button_new_from_icon_name ("document-open-symbolic", GTK_ICON_SIZE_MENU);
    g_autofree char *choose = g_strdup_printf (_ ("Choose %s"), in_words (f->name));
    gtk_widget_set_tooltip_text (button, choose);
    atk_object_set_name (gtk_widget_get_accessible (button), choose);
    g_signal_connect (button, "clicked", G_CALLBACK (inspector_row_choose_file), row);
    gtk_box_pack_start (GTK_BOX (both), row->editor, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (both), button, FALSE, FALSE, 0);
    return both;
  }
  return row->editor;
}

/* "explanation, 0 to 100, 5 % if nothing is set" */
static char *
explain (const EveField *f, const char *doc)
{
  GString *s = g_string_new (doc ? doc : in_words (f->doc ? f->doc : f->name));
  char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *made = NULL;
  if (f->min < f->max && (f->kind == EVE_F_DOUBLE || f->kind == EVE_F_INT64))
    g_string_append_printf (s, _ ("\nFrom %s to %s."), number_local (g_ascii_formatd (a, sizeof a, "%.10g", f->min)),
                            number_local (g_ascii_formatd (b, sizeof b, "%.10g", f->max)));
  g_autofree char *def = g_strdup (inspector_row_default_text (f, &made));
  if (*def)
    g_string_append_printf (s, _ ("\nDefault: %s%s%s"),
                            f->kind == EVE_F_DOUBLE   ? number_local (def)
                            : f->kind == EVE_F_CHOICE ? in_words (def)
                                                      : def,
                            f->unit ? " " : "", f->unit ? f->unit : "");
  return g_string_free (s, FALSE);
}

InspectorRow *
inspector_row_new (Inspector *in, const EveField *f, const char *named, const char *doc, InspectorHow how,
                   GtkGrid *grid, int line)
{
  InspectorRow *row = g_new0 (InspectorRow, 1);
  row->in = in;
  row->f = f;
  g_autofree char *name = g_strdup (named ? named : in_words (f->name)), *tip = explain (f, doc);
  *name = g_ascii_toupper (*name);
  GtkWidget *editor = make_editor (row, name, how), *label = editor;
  bool named_itself = f->kind == EVE_F_BOOL;
  gtk_widget_set_tooltip_text (editor, tip);
  gtk_widget_set_hexpand (editor, TRUE);
  atk_object_set_name (gtk_widget_get_accessible (row->editor), named ? named : in_words (f->name));
  atk_object_set_description (gtk_widget_get_accessible (row->editor), tip);
  if (!named_itself) {
    label = gtk_label_new (name);
    gtk_label_set_xalign (GTK_LABEL (label), 0);
    gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
    gtk_label_set_width_chars (GTK_LABEL (label), 9);
    gtk_label_set_max_width_chars (GTK_LABEL (label), 12);
    gtk_widget_set_tooltip_text (label, tip);
    gtk_label_set_mnemonic_widget (GTK_LABEL (label), row->editor);
    gtk_grid_attach (grid, label, 0, line, 1, 1);
  }
  gtk_grid_attach (grid, editor, named_itself ? 0 : 1, line, named_itself ? 2 : 1, 1);
  if (row->slider) {
    g_autofree char *slider = g_strdup_printf (_ ("%s, slider"), in_words (f->name));
    atk_object_set_name (gtk_widget_get_accessible (row->slider), slider);
  }
  GtkWidget *unit = f->unit ? gtk_label_new (f->unit) : NULL;
  if (unit) {
    gtk_style_context_add_class (gtk_widget_get_style_context (unit), "dim-label");
    gtk_grid_attach (grid, unit, 2, line, 1, 1);
  }
  g_autofree char *back = g_strdup_printf (_ ("Reset %s to its default"), f->name);
  row->reset = gtk_button_new_from_icon_name ("edit-undo-symbolic", GTK_ICON_SIZE_MENU);
  gtk_button_set_relief (GTK_BUTTON (row->reset), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (row->reset, back);
  atk_object_set_name (gtk_widget_get_accessible (row->reset), back);
  g_signal_connect (row->reset, "clicked", G_CALLBACK (inspector_row_reset), row);
  gtk_grid_attach (grid, row->reset, 3, line, 1, 1);
  row->problem = gtk_label_new ("");
  gtk_label_set_xalign (GTK_LABEL (row->problem), 0);
  gtk_label_set_line_wrap (GTK_LABEL (row->problem), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (row->problem), 30);
  gtk_style_context_add_class (gtk_widget_get_style_context (row->problem), "inspector-problem");
  gtk_widget_set_no_show_all (row->problem, TRUE);
  gtk_grid_attach (grid, row->problem, 0, line + 1, 4, 1);
  GtkWidget *all[] = { label, editor, row->reset, unit };
  memcpy (row->all, all, sizeof all);
  return row;
}

void
inspector_row_show (InspectorRow *row)
{
  g_autofree char *text = common_text (row), *made = NULL;
  const EveField *f = row->f;
  const char *def = inspector_row_default_text (f, &made);
  if (f->kind == EVE_F_BOOL) {
    gtk_toggle_button_set_inconsistent (GTK_TOGGLE_BUTTON (row->editor), !text);
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (row->editor), text && !strcmp (text, "true"));
  } else if (f->kind == EVE_F_CHOICE) {
    int at = -1;
    for (int i = 0; text && f->choices[i]; i++)
      if (!strcmp (f->choices[i], text))
        at = i;
    gtk_combo_box_set_active (GTK_COMBO_BOX (row->editor), at);
  } else {
    g_autofree char *own = g_strdup (text);
    const char *shown = gtk_entry_get_text (GTK_ENTRY (row->editor)), *now = own ? shown_text (f, own) : "";
    if (strcmp (shown, now) != 0)
      gtk_entry_set_text (GTK_ENTRY (row->editor), now);
    if (f->path && !gtk_widget_has_focus (row->editor)) { /* the end of a path tells more than its beginning */
      gtk_editable_set_position (GTK_EDITABLE (row->editor), -1);
      gtk_widget_set_tooltip_text (row->editor, text);
    }
    gtk_entry_set_placeholder_text (GTK_ENTRY (row->editor), text ? NULL : _ ("several values"));
    if (row->slider && text)
      gtk_range_set_value (GTK_RANGE (row->slider), g_ascii_strtod (text, NULL));
  }
  if (text)
    complain (row, NULL);
  /* it keeps its room, so that nothing jumps while one types */
  gtk_widget_set_opacity (row->reset, !text || strcmp (text, def) != 0 ? 1 : 0);
  gtk_widget_set_sensitive (row->reset, !text || strcmp (text, def) != 0);
}

void
inspector_row_enable (InspectorRow *row, bool visible, bool sensitive)
{
  bool reset = gtk_widget_get_opacity (row->reset) > 0;
  for (guint i = 0; i < G_N_ELEMENTS (row->all) && row->all[i]; i++) {
    gtk_widget_set_visible (row->all[i], visible);
    gtk_widget_set_sensitive (row->all[i], sensitive && (row->all[i] != row->reset || reset));
  }
}

void
inspector_row_offer (InspectorRow *row, const char *lines)
{
  if (!row->list)
    return;
  g_auto (GStrv) values = g_strsplit (lines, "\n", -1);
  g_signal_handlers_block_by_func (row->list, offered, row);
  gtk_combo_box_text_remove_all (GTK_COMBO_BOX_TEXT (row->list));
  for (char **v = values; *v; v++)
    if (**v)
      gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (row->list), *v);
  g_signal_handlers_unblock_by_func (row->list, offered, row);
}

static void
inspector_row_mapped (GtkWidget *widget, void *unused)
{
  g_signal_handlers_disconnect_by_func (widget, inspector_row_mapped, unused);
  gtk_widget_grab_focus (widget);
}

bool
inspector_row_focus (InspectorRow *row, const char *setting)
{
  if (setting && strcmp (row->f->name, setting) != 0)
    return false;
  if (gtk_widget_get_mapped (row->editor))
    gtk_widget_grab_focus (row->editor);
  else
    g_signal_connect (row->editor, "map", G_CALLBACK (inspector_row_mapped), NULL);
  return true;
}

const char *
inspector_row_focused (const InspectorRow *row)
{
  GtkWidget *top = gtk_widget_get_toplevel (row->editor);
  GtkWidget *focus = GTK_IS_WINDOW (top) ? gtk_window_get_focus (GTK_WINDOW (top)) : NULL;
  return focus && (focus == row->editor || gtk_widget_is_ancestor (focus, row->editor)) ? row->f->name : NULL;
}
