/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "session/strategy.h"
#include "eve/words.h"
#include "window/app.h"
#include "document/document.h"
#include "window/window.h"
#include "eve/disk.h"
#include "session/places.h"
#include "views/paint.h"
#include "views/palettes.h"

#define GROUP "scope"
#define MIB (1024. * 1024.)

static const char *const speed_words[] = { "full", "events", "time", "whole" };
static const char *const unit_words[] = { "fitting", "s", "ms", "us" }; /* by AxisUnit */
static const char *const type_words[] = { "small", "usual", "large" };
/* When states are saved, as one chooses it; in the file the words of session/strategy.h. */
static const struct {
  const char *words, *text, *value; /* `words` with a '=' at its end: a number belongs behind it, which is called so */
  double usual, most;
} saving[] = {
  { "none", N_ ("Only by hand"), "", 0, 0 },
  { "default", N_ ("As films are: often, in little of the time"), "", 0, 0 },
  { "events=", N_ ("After so many events"), N_ ("Events between two"), 100000, 1e12 },
  { "share=", N_ ("In a part of the time"), N_ ("Percent of the time"), 10, 100 },
  { "replay=", N_ ("When playing again would take long"), N_ ("Milliseconds to play again"), 100, 1e6 },
};
#define SAVING_OWN ((int) G_N_ELEMENTS (saving)) /* what somebody wrote into the file, and none of these */

static Preferences now;

const Preferences *
preferences (void)
{
  return &now;
}

void
preferences_load (void)
{
  g_autofree char *path = places_preferences ();
  g_autoptr (GKeyFile) f = g_key_file_new ();
  Strategy strategy;

  now = (Preferences){
    .look = LOOK_SYSTEM, .type = TYPE_USUAL, .speed = SPEED_WHOLE, .memory_bytes = (uint64_t) (64 * MIB)
  };
  if (disk_read_keys (f, path, G_KEY_FILE_NONE)) {
    g_autofree char *look = g_key_file_get_string (f, GROUP, "look", NULL);
    g_autofree char *speed = g_key_file_get_string (f, GROUP, "speed", NULL);
    double memory = g_key_file_get_double (f, GROUP, "memory-mib", NULL);
    now.look = !g_strcmp0 (look, "dark") ? LOOK_DARK : !g_strcmp0 (look, "light") ? LOOK_LIGHT : LOOK_SYSTEM;
    for (int i = 0; speed && i < (int) G_N_ELEMENTS (speed_words); ++i)
      if (g_str_equal (speed, speed_words[i]))
        now.speed = i;
    g_autofree char *type = g_key_file_get_string (f, GROUP, "text-size", NULL);
    for (int i = 0; type && i < (int) G_N_ELEMENTS (type_words); ++i)
      if (g_str_equal (type, type_words[i]))
        now.type = (TypeSize) i;
    g_autofree char *unit = g_key_file_get_string (f, GROUP, "unit-of-time", NULL);
    for (int i = 0; unit && i < N_AXIS_UNITS; ++i)
      if (g_str_equal (unit, unit_words[i]))
        now.unit = i;
    now.speed_value = g_key_file_get_double (f, GROUP, "speed-value", NULL);
    now.strategy = g_key_file_get_string (f, GROUP, "strategy", NULL);
    now.added_go = g_key_file_get_boolean (f, GROUP, "added-boxes-go", NULL);
    now.toured = g_key_file_get_boolean (f, GROUP, "toured", NULL);
    if (memory >= 1 && memory <= 1e6)
      now.memory_bytes = (uint64_t) (memory * MIB);
  }
  if (!(now.speed_value > 0))
    now.speed_value = now.speed == SCOPE_SPEED_TIME ? 0.01 : 100;
  if (!now.strategy || !strategy_parse (now.strategy, &strategy)) {
    g_free (now.strategy);
    now.strategy = g_strdup ("none");
  }
  look_choose (now.look);
  look_choose_type (now.type);
  axis_set_unit ((AxisUnit) now.unit);
}

static void
preferences_keep (GtkWindow *parent)
{
  static const char *const looks[] = { "system", "light", "dark" };
  g_autofree char *path = places_preferences (), *folder = g_path_get_dirname (path);
  g_autoptr (GKeyFile) f = g_key_file_new ();
  g_autoptr (GError) error = NULL;

  disk_read_keys (f, path, G_KEY_FILE_KEEP_COMMENTS);
  g_key_file_set_string (f, GROUP, "look", looks[now.look]);
  g_key_file_set_string (f, GROUP, "text-size", type_words[now.type]);
  g_key_file_set_string (f, GROUP, "unit-of-time", unit_words[now.unit]);
  g_key_file_set_string (f, GROUP, "speed", speed_words[now.speed]);
  g_key_file_set_double (f, GROUP, "speed-value", now.speed_value);
  g_key_file_set_string (f, GROUP, "strategy", now.strategy);
  g_key_file_set_double (f, GROUP, "memory-mib", (double) now.memory_bytes / MIB);
  g_key_file_set_boolean (f, GROUP, "added-boxes-go", now.added_go);
  g_key_file_set_boolean (f, GROUP, "toured", now.toured);
  g_mkdir_with_parents (folder, 0700);
  if (!g_key_file_save_to_file (f, path, &error) && SCOPE_IS_WINDOW (parent))
    scope_document_say (scope_window_document (SCOPE_WINDOW (parent)), SCOPE_SAY_WARNING,
                        _ ("The preferences could not be kept: %s"), error->message);
}

void
preferences_set_toured (void)
{
  if (now.toured)
    return;
  now.toured = true;
  preferences_keep (NULL);
}

/* ---- dialog -------------------------------------------------------------------------------------------------------------------- */

typedef struct Dialog {
  GtkWidget *look, *palette, *type, *unit, *speed, *value, *value_label, *saving, *often, *often_label, *memory, *added;
  char *own; /* the words of a saving that no choice stands for; NULL: there are none */
} Dialog;

/* Which of the choices the words are, and its number. */
static int
saving_of (const char *words, double *number)
{
  for (int i = 0; i < SAVING_OWN; i++) {
    size_t n = strlen (saving[i].words);
    char *end;
    if (strcmp (words, saving[i].words) == 0)
      return i;
    if (saving[i].words[n - 1] != '=' || strncmp (words, saving[i].words, n) != 0)
      continue;
    *number = g_ascii_strtod (words + n, &end);
    if (*end == '\0')
      return i;
  }
  return SAVING_OWN;
}

static char *
saving_words (Dialog *d)
{
  int i = gtk_combo_box_get_active (GTK_COMBO_BOX (d->saving));
  char number[G_ASCII_DTOSTR_BUF_SIZE] = "";

  if (i >= SAVING_OWN)
    return g_strdup (d->own);
  if (saving[i].most > 0)
    g_ascii_dtostr (number, sizeof number, gtk_spin_button_get_value (GTK_SPIN_BUTTON (d->often)));
  return g_strconcat (saving[i].words, number, NULL);
}

static void
show_often (Dialog *d)
{
  int i = gtk_combo_box_get_active (GTK_COMBO_BOX (d->saving));
  const char *name = i < SAVING_OWN ? saving[i].value : "";

  gtk_widget_set_visible (d->often, *name);
  gtk_widget_set_visible (d->often_label, *name);
  gtk_label_set_text (GTK_LABEL (d->often_label), in_words (name));
  atk_object_set_name (gtk_widget_get_accessible (d->often), *name ? in_words (name) : _ ("Saving"));
}

static void
on_saving (GtkComboBox *box, Dialog *d)
{
  int i = gtk_combo_box_get_active (box);

  if (i < SAVING_OWN && saving[i].most > 0) {
    gtk_spin_button_set_range (GTK_SPIN_BUTTON (d->often), 1, saving[i].most);
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (d->often), saving[i].usual);
  }
  show_often (d);
}

/* In all windows, at once: each has colours of its own. */
static void
on_palette (GtkComboBox *box)
{
  const char *name = view_palette_name ((unsigned) MAX (gtk_combo_box_get_active (box), 0), NULL);

  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (g_application_get_default ())); l; l = l->next)
    if (SCOPE_IS_WINDOW (l->data)) {
      ScopeDocument *document = scope_window_document (l->data);
      view_colours_set_palette (scope_document_colours (document), name);
      scope_document_look_changed (document);
    }
}

/* In all windows, at once. */
static void
on_unit (GtkComboBox *box)
{
  now.unit = MAX (gtk_combo_box_get_active (box), 0);
  axis_set_unit ((AxisUnit) now.unit);
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (g_application_get_default ())); l; l = l->next)
    if (SCOPE_IS_WINDOW (l->data))
      g_signal_emit_by_name (scope_window_document (l->data), "look");
}

static void
show_value (Dialog *d)
{
  static const char *const names[] = { "", N_ ("Events a second"), N_ ("Seconds of the trace a second"), "" };
  int kind = gtk_combo_box_get_active (GTK_COMBO_BOX (d->speed));

  gtk_widget_set_visible (d->value, *names[kind]);
  gtk_widget_set_visible (d->value_label, *names[kind]);
  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (d->value), kind == SCOPE_SPEED_TIME ? 4 : 0);
  gtk_label_set_text (GTK_LABEL (d->value_label), in_words (names[kind]));
  atk_object_set_name (gtk_widget_get_accessible (d->value), *names[kind] ? in_words (names[kind]) : _ ("Speed"));
}

/* The look is seen at once; the rest holds, in all windows, when the dialog is closed. */
static void
preferences_take (GtkWidget *widget, Dialog *d)
{
  now.look = (Look) gtk_combo_box_get_active (GTK_COMBO_BOX (d->look));
  now.speed = gtk_combo_box_get_active (GTK_COMBO_BOX (d->speed));
  now.speed_value = gtk_spin_button_get_value (GTK_SPIN_BUTTON (d->value));
  now.memory_bytes = (uint64_t) (gtk_spin_button_get_value (GTK_SPIN_BUTTON (d->memory)) * MIB);
  now.added_go = gtk_combo_box_get_active (GTK_COMBO_BOX (d->added)) == 1;
  g_free (now.strategy);
  now.strategy = saving_words (d);
  show_value (d);
  look_choose (now.look);
  if ((int) now.type != gtk_combo_box_get_active (GTK_COMBO_BOX (d->type))) {
    now.type = (TypeSize) gtk_combo_box_get_active (GTK_COMBO_BOX (d->type));
    look_choose_type (now.type);
  }
}

static GtkWidget *
preferences_combo (const char *const *texts, int active)
{
  GtkWidget *c = gtk_combo_box_text_new ();

  for (; *texts; ++texts)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (c), in_words (*texts));
  gtk_combo_box_set_active (GTK_COMBO_BOX (c), active);
  return c;
}

static GtkWidget *
preferences_row (GtkGrid *grid, int y, const char *name, GtkWidget *widget)
{
  GtkWidget *label = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), widget);
  gtk_widget_set_hexpand (widget, TRUE);
  atk_object_set_name (gtk_widget_get_accessible (widget), name);
  gtk_grid_attach (grid, label, 0, y, 1, 1);
  gtk_grid_attach (grid, widget, 1, y, 1, 1);
  return label;
}

static void
fill_saving (Dialog *d)
{
  double number = 1;
  int chosen = saving_of (now.strategy, &number);

  d->saving = gtk_combo_box_text_new ();
  d->often = gtk_spin_button_new_with_range (1, chosen < SAVING_OWN ? MAX (saving[chosen].most, 1) : 1, 1);
  for (int i = 0; i < SAVING_OWN; i++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (d->saving), in_words (saving[i].text));
  if (chosen == SAVING_OWN) {
    g_autofree char *text = g_strdup_printf (_ ("As written: %s"), now.strategy);
    d->own = g_strdup (now.strategy);
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (d->saving), text);
  }
  gtk_combo_box_set_active (GTK_COMBO_BOX (d->saving), chosen);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (d->often), number);
}

/* The palettes that there are; chosen is that of the window. */
static GtkWidget *
palettes (GtkWindow *parent)
{
  GtkWidget *c = gtk_combo_box_text_new ();
  const char *title;

  for (unsigned i = 0; view_palette_name (i, &title) != NULL; i++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (c), in_words (title));
  if (SCOPE_IS_WINDOW (parent)) {
    ScopeDocument *document = scope_window_document (SCOPE_WINDOW (parent));
    gtk_combo_box_set_active (GTK_COMBO_BOX (c), (int) view_colours_palette (scope_document_colours (document)));
  }
  gtk_widget_set_sensitive (c, SCOPE_IS_WINDOW (parent));
  return c;
}

static void
preferences_dialog_free (gpointer data)
{
  Dialog *d = data;

  g_free (d->own);
  g_free (d);
}

static void
preferences_on_response (GtkDialog *dialog)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (g_application_get_default ())); l; l = l->next)
    if (SCOPE_IS_WINDOW (l->data))
      scope_window_prefer (l->data);
  preferences_keep (gtk_window_get_transient_for (GTK_WINDOW (dialog)));
  gtk_widget_destroy (GTK_WIDGET (dialog));
}

void
preferences_show (GtkWindow *parent)
{
  static const char *const looks[] = { N_ ("As the desktop"), N_ ("Light"), N_ ("Dark"), NULL };
  static const char *const types[] = { N_ ("Small"), N_ ("Usual"), N_ ("Large"), NULL };
  static const char *const unit_names[] = { N_ ("As fits"), N_ ("Seconds"), N_ ("Milliseconds"), N_ ("Microseconds"),
                                            NULL };
  static const char *const speeds[] = { N_ ("As fast as possible"), N_ ("By events"), N_ ("By the trace's time"),
                                        N_ ("The whole in some seconds"), NULL };
  static const char *const added[] = { N_ ("Stay, worked out anew"), N_ ("Go; undo brings them back"), NULL };
  Dialog *d = g_new0 (Dialog, 1);
  GtkWidget *dialog = gtk_dialog_new_with_buttons (_ ("Preferences"), parent,
                                                   GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, _ ("_Close"),
                                                   GTK_RESPONSE_CLOSE, NULL);
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_row_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  g_object_set (grid, "margin", 18, NULL);
  d->look = preferences_combo (looks, (int) now.look);
  d->type = preferences_combo (types, (int) now.type);
  d->unit = preferences_combo (unit_names, now.unit);
  d->speed = preferences_combo (speeds, now.speed);
  d->value = gtk_spin_button_new_with_range (0.0001, 1e9, 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (d->value), now.speed_value);
  d->memory = gtk_spin_button_new_with_range (1, 65536, 16);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (d->memory), (double) now.memory_bytes / MIB);
  d->added = preferences_combo (added, now.added_go);
  fill_saving (d);
  d->palette = palettes (parent);
  preferences_row (GTK_GRID (grid), 0, _ ("Look"), d->look);
  preferences_row (GTK_GRID (grid), 1, _ ("Colours"), d->palette);
  preferences_row (GTK_GRID (grid), 2, _ ("Size of text"), d->type);
  preferences_row (GTK_GRID (grid), 3, _ ("Unit of time"), d->unit);
  preferences_row (GTK_GRID (grid), 4, _ ("Speed at the start"), d->speed);
  d->value_label = preferences_row (GTK_GRID (grid), 5, "", d->value);
  preferences_row (GTK_GRID (grid), 6, _ ("Saving of states while playing"), d->saving);
  d->often_label = preferences_row (GTK_GRID (grid), 7, "", d->often);
  preferences_row (GTK_GRID (grid), 8, _ ("Memory for saved states, MiB"), d->memory);
  preferences_row (GTK_GRID (grid), 9, _ ("Boxes added since, on travel back"), d->added);
  gtk_container_add (GTK_CONTAINER (gtk_dialog_get_content_area (GTK_DIALOG (dialog))), grid);
  gtk_style_context_add_class (gtk_widget_get_style_context (dialog), "scope-dialog");
  g_object_set_data_full (G_OBJECT (dialog), "dialog", d, preferences_dialog_free);
  g_signal_connect (d->look, "changed", G_CALLBACK (preferences_take), d);
  g_signal_connect (d->type, "changed", G_CALLBACK (preferences_take), d);
  g_signal_connect (d->speed, "changed", G_CALLBACK (preferences_take), d);
  g_signal_connect (d->value, "value-changed", G_CALLBACK (preferences_take), d);
  g_signal_connect (d->memory, "value-changed", G_CALLBACK (preferences_take), d);
  g_signal_connect (d->saving, "changed", G_CALLBACK (on_saving), d);
  g_signal_connect (d->saving, "changed", G_CALLBACK (preferences_take), d);
  g_signal_connect (d->often, "value-changed", G_CALLBACK (preferences_take), d);
  g_signal_connect (d->added, "changed", G_CALLBACK (preferences_take), d);
  g_signal_connect (d->palette, "changed", G_CALLBACK (on_palette), NULL);
  g_signal_connect (d->unit, "changed", G_CALLBACK (on_unit), NULL);
  g_signal_connect (dialog, "response", G_CALLBACK (preferences_on_response), NULL);
  gtk_widget_show_all (grid);
  show_value (d);
  show_often (d);
  gtk_window_present (GTK_WINDOW (dialog));
}
