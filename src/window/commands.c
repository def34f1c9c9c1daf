/* SPDX-License-Identifier: Apache-2.0 */
#include "window/commands.h"
#include <stdbool.h>
#include <string.h>

/* Commands without an action are keys of a place, for reading. */
static const Command general[] = {
  { "win.open", "Open a trace", "<Control>o" },
  { "win.open-program", "Open a program", "<Control><Shift>o" },
  { "win.new-program", "New, empty program", "<Control><Alt>n" },
  { "win.ask", "New program from a question: what do you want to know?", "<Control><Alt>q" },
  { "win.choose-program", "Choose another program for this trace", "<Control><Shift>p" },
  { "win.search", "Find anything: commands, components, tasks, events, settings, help", "<Control>k" },
  { "win.save", "Save the program", "<Control>s" },
  { "win.save-as", "Save the program as", "<Control><Shift>s" },
  { "win.export-execution", "Export the execution for other programs", NULL },
  { "win.write-files", "Write the files of components", NULL },
  { "win.undo", "Undo", "<Control>z" },
  { "win.redo", "Redo", "<Control><Shift>z <Control>y" },
  { "win.help", "Help on what is selected", "F1" },
  { "win.documentation", "Documentation of this trace", "<Shift>F1" },
  { "win.tour", "Tour of the window", NULL },
  { "win.shortcuts", "Keys", "<Control>question <Control>F1" },
  { "app.preferences", "Preferences", "<Control>comma" },
  { "app.new-window", "New window", "<Control>n" },
  { "win.close", "Close the window", "<Control><Shift>w" },
  { "app.quit", "Quit", "<Control>q" },
  { "", "Out of a drag, a search, a message", "(Escape)" },
  { NULL },
};

static const Command places[] = {
  { "win.library", "Library of components", "F9" },
  { "win.side", "Inspector, legend and marks", "F10" },
  { "win.program-only", "Program alone", "F7" },
  { "win.views-only", "Views alone", "F8" },
  { "win.program-folded", "Program in one line", "F3" },
  { "win.fullscreen", "Full screen", "F11" },
  { "win.canvas-focus", "Go to the program", "F4" },
  { "win.view-next", "Go to the next view", "F6" },
  { "win.view-previous", "Go to the view before", "<Shift>F6" },
  { NULL },
};

static const Command moments[] = {
  { "win.play-pause", "Play or pause", "space" },
  { "win.step-event", "One event on", "period" },
  { "win.back-event", "One event back", "comma" },
  { "win.step-date", "One date on", "greater" },
  { "win.back-date", "One date back", "less" },
  { "win.go-first", "To the beginning", "Home" },
  { "win.go-last", "To the end", "End" },
  { "win.follow", "Go along with a trace that is being written", "l" },
  { "win.go-to", "Go to a date, mark or event", "g" },
  { "win.back-task", "Back to the selected task's event before", NULL },
  { "win.stop", "Stop: back to the beginning, ready to play", NULL },
  { "win.near-next('kind')", "Next event of this kind", "n" },
  { "win.near-previous('kind')", "Event of this kind before", "<Shift>n" },
  { "win.near-next('task')", "Next event of this task", "t" },
  { "win.near-previous('task')", "Event of this task before", "<Shift>t" },
  { "win.near-next('partner')", "Next event between these two tasks", "o" },
  { "win.near-previous('partner')", "Event between these two tasks before", "<Shift>o" },
  { "win.near-next('tag')", "Next event with this tag", "x" },
  { "win.near-previous('tag')", "Event with this tag before", "<Shift>x" },
  { "win.near-next('state')", "Where this task is in this state again", "i" },
  { "win.near-previous('state')", "Where this task was in this state before", "<Shift>i" },
  { "win.mark", "Mark this instant", "m" },
  { "win.next-mark", "Next mark", "<Control>Right" },
  { "win.previous-mark", "Mark before", "<Control>Left" },
  { "win.save-state", "Save the state of this instant", "<Control><Alt>s" },
  { "win.speed-own", "Another speed", NULL },
  { "win.reshoot", "Shoot the film again", NULL },
  { "win.executions", "Lay executions over each other in time", NULL },
  { "", "On the ruler: back, on by a hundredth", "(Left) (Right)" },
  { "", "On the ruler: back, on by a tenth", "(Page_Up) (Page_Down)" },
  { NULL },
};

static const Command views[] = {
  { "win.view-fit", "All of it again", "f" },
  { "win.view-zoom-in", "Closer", "plus" },
  { "win.view-zoom-out", "Farther", "minus" },
  { "win.view-rows-in", "Larger rows", "<Control>plus" },
  { "win.view-rows-out", "Smaller rows", "<Control>minus" },
  { "win.view-tool('inspect')", "A drag selects a range", NULL },
  { "win.view-tool('move')", "A drag moves the picture", NULL },
  { "win.view-follow", "Follow the present", NULL },
  { "win.view-maximise", "One view takes the room of all", "<Control>m" },
  { "win.view-detach", "A window of its own, and back", "<Control>d" },
  { "win.view-close", "Close the view", "<Control>w" },
  { "win.view-find", "Search in the text", "<Control>f" },
  { "win.view-find-next", "Next place found", "<Control>g" },
  { "win.view-find-previous", "Place found before", "<Control><Shift>g" },
  { "win.view-export", "Export as picture or table", "<Control>e" },
  { "win.view-print", "Print", "<Control>p" },
  { "win.view-copy", "Copy the picture", "<Control><Shift>c" },
  { "win.range-shown", "Select the range that is shown: its story beside the views", "r" },
  { "win.range-zoom", "Look closer at the selected range", "z" },
  { "win.range-none", "Select no range", NULL },
  { "win.legend-reset", "Colours as they came", NULL },
  { "win.group-open", "Open the group that is meant", "e" },
  { "win.group-close", "Close the group that is meant", "<Shift>e" },
  { "win.groups-open", "Open all groups that are seen", "<Alt>plus" },
  { "win.groups-close", "Close the innermost groups", "<Alt>minus" },
  { "win.groups-best", "As many groups as have room, where most differs", "<Alt>e" },
  { "win.group-make", "A group of the selected tasks", NULL },
  { "", "Closer, farther where the pointer is", "(w) (s)" },
  { "", "Move the picture", "(a) (d) (Left) (Right)" },
  { "", "A page back, on", "(Page_Up) (Page_Down)" },
  { "", "Item before, next item", "(Up) (Down)" },
  { "", "Select the item; then, go to its time", "(Return)" },
  { "", "Menu of the view", "(Menu) (<Shift>F10)" },
  { NULL },
};

static const Command canvas[] = {
  { "win.canvas-add", "Add a component at the pointer", "(Tab) (Insert)" },
  { "win.canvas-rename", "Rename the box", "(F2)" },
  { "win.canvas-delete", "Delete", "(Delete) (BackSpace)" },
  { "win.canvas-cut", "Cut", "(<Control>x)" },
  { "win.canvas-copy", "Copy", "(<Control>c)" },
  { "win.canvas-paste", "Paste", "(<Control>v)" },
  { "win.canvas-duplicate", "Duplicate", "<Control>d" },
  { "win.canvas-save-part", "Save as a part, in the library…", NULL },
  { "win.canvas-replace", "Replace the box with another component", "<Control>r" },
  { "win.canvas-off", "Switch the box off, or on", "<Control>m" },
  { "win.canvas-bypass", "Bypass the box, or no longer", "<Control>b" },
  { "win.canvas-table", "Table of what passes", "<Control>t" },
  { "win.canvas-bookmark", "Bookmark this place of the program", "<Control><Shift>b" },
  { "win.canvas-select-all", "Select all boxes and frames", "(<Control>a)" },
  { "win.canvas-group", "Make a sub-program", "<Control>g" },
  { "win.canvas-ungroup", "Take a sub-program apart", "<Control><Shift>g" },
  { "win.canvas-fold", "Fold or unfold a sub-program", "<Control>e" },
  { "win.canvas-take-out", "Take out of the sub-program", NULL },
  { "win.canvas-frame", "Frame with a comment", "<Control><Alt>f" },
  { "win.canvas-layout", "Lay out the program", "<Control>l" },
  { "win.canvas-align('left')", "Align left", NULL },
  { "win.canvas-align('right')", "Align right", NULL },
  { "win.canvas-align('top')", "Align tops", NULL },
  { "win.canvas-align('bottom')", "Align bottoms", NULL },
  { "win.canvas-align('row')", "Spread in a row", NULL },
  { "win.canvas-align('column')", "Spread in a column", NULL },
  { "", "Open a sub-program, or the settings", "(Return)" },
  { "", "Move what is selected", "(Left) (Right) (Up) (Down)" },
  { NULL },
};

static const Command sheet[] = {
  { "win.canvas-fit", "All of it", "(f)" },
  { "win.canvas-zoom-in", "Closer", "<Control>plus" },
  { "win.canvas-zoom-out", "Farther", "<Control>minus" },
  { "win.canvas-zoom-normal", "Natural size", "<Control>0" },
  { "win.canvas-minimap", "Small map", NULL },
  { "", "Box before, next box", "(bracketleft) (bracketright)" },
  { "", "Wire before, next wire", "(braceleft) (braceright)" },
  { "", "Nearest box in that direction", "(<Alt>Left) (<Alt>Right) (<Alt>Up) (<Alt>Down)" },
  { "", "Held: a drag moves the picture", "(space)" },
  { "", "Menu of what is selected", "(Menu) (<Shift>F10)" },
  { NULL },
};

const CommandGroup command_groups[] = {
  { "General", general },
  { "Places of the window", places },
  { "Time", moments },
  { "In a view", views },
  { "In the program", canvas },
  { "About the program", sheet },
  { NULL },
};

/* The keys that the window sees to; those in brackets are for reading only. */
static char **
accelerators (const Command *c)
{
  g_auto (GStrv) words = g_strsplit (c->keys ? c->keys : "", " ", -1);
  GStrvBuilder *b = g_strv_builder_new ();

  for (char **w = words; *w; ++w)
    if (**w && **w != '(')
      g_strv_builder_add (b, *w);
  char **keys = g_strv_builder_end (b);
  g_strv_builder_unref (b);
  return keys;
}

/* A key of two places belongs to the first of them here; commands_place_key() knows better. */
void
commands_set_keys (GtkApplication *app)
{
  g_autoptr (GHashTable) taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (const CommandGroup *g = command_groups; g->title; ++g)
    for (const Command *c = g->commands; c->action; ++c) {
      g_auto (GStrv) keys = accelerators (c);
      if (*keys && g_hash_table_add (taken, g_strdup (*keys)))
        gtk_application_set_accels_for_action (app, c->action, (const char *const *) keys);
    }
}

static bool
is_key (const char *key, const GdkEventKey *event)
{
  const GdkModifierType strong = GDK_CONTROL_MASK | GDK_MOD1_MASK | GDK_SUPER_MASK;
  GdkModifierType mods;
  guint value;

  gtk_accelerator_parse (key, &value, &mods);
  bool letter = gdk_keyval_to_lower (value) != gdk_keyval_to_upper (value);
  /* Shift is part of "plus" on some keyboards and not on others. */
  return gdk_keyval_to_lower (value) == gdk_keyval_to_lower (event->keyval)
         && (mods & strong) == (event->state & strong)
         && (!letter || (mods & GDK_SHIFT_MASK) == (event->state & GDK_SHIFT_MASK));
}

const Command *
commands_place_key (const char *prefix, const GdkEventKey *event)
{
  for (const CommandGroup *g = command_groups; g->title; ++g)
    for (const Command *c = g->commands; c->action; ++c)
      if (g_str_has_prefix (c->action, prefix)) {
        g_auto (GStrv) keys = accelerators (c);
        for (char **key = keys; *key; ++key)
          if (is_key (*key, event))
            return c;
      }
  return NULL;
}

bool
command_key (const char *action, guint *value, GdkModifierType *mods)
{
  for (const CommandGroup *g = command_groups; g->title; ++g)
    for (const Command *c = g->commands; c->action; ++c)
      if (c->keys && g_str_equal (c->action, action)) {
        g_auto (GStrv) words = g_strsplit (c->keys, " ", 2);
        g_autofree char *key = g_strdup (words[0]);
        g_strdelimit (key, "()", ' ');
        gtk_accelerator_parse (g_strstrip (key), value, mods);
        return *value != 0;
      }
  return false;
}

char *
command_key_label (const char *action)
{
  GdkModifierType mods;
  guint value;

  return command_key (action, &value, &mods) ? gtk_accelerator_get_label (value, mods) : NULL;
}

void
shortcuts_show (GtkWindow *parent)
{
  static GtkWidget *window;

  if (window) {
    gtk_window_set_transient_for (GTK_WINDOW (window), parent);
    gtk_window_present (GTK_WINDOW (window));
    return;
  }
  g_autoptr (GString) ui = g_string_new (
      "<interface><object class=\"GtkShortcutsWindow\" id=\"keys\"><property name=\"modal\">1</property>"
      "<child><object class=\"GtkShortcutsSection\"><property name=\"visible\">1</property>"
      "<property name=\"max-height\">21</property>");

  for (const CommandGroup *g = command_groups; g->title; ++g) {
    g_autofree char *title = g_markup_escape_text (g->title, -1);
    g_string_append_printf (ui,
                            "<child><object class=\"GtkShortcutsGroup\"><property name=\"visible\">1</property>"
                            "<property name=\"spacing\">5</property>"
                            "<property name=\"title\">%s</property>",
                            title);
    for (const Command *c = g->commands; c->action; ++c) {
      if (!c->keys)
        continue;
      g_autofree char *keys = g_strdup (c->keys);
      g_auto (GStrv) words = g_strsplit_set (keys, "() ", -1);
      g_autoptr (GString) whole = g_string_new (NULL);
      for (char **w = words; *w; ++w)
        g_string_append_printf (whole, "%s%s", **w && whole->len ? " " : "", *w);
      g_autofree char *escaped = g_markup_escape_text (whole->str, -1);
      g_autofree char *label = g_markup_escape_text (c->label, -1);
      g_string_append_printf (ui,
                              "<child><object class=\"GtkShortcutsShortcut\"><property name=\"visible\">1</property>"
                              "<property name=\"accelerator\">%s</property><property name=\"title\">%s</property>"
                              "</object></child>",
                              escaped, label);
    }
    g_string_append (ui, "</object></child>");
  }
  g_string_append (ui, "</object></child></object></interface>");

  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_string (ui->str, (gssize) ui->len);
  window = GTK_WIDGET (gtk_builder_get_object (builder, "keys"));
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  /* Kept: accessibility still asks for its many labels after it was closed. */
  g_signal_connect (window, "delete-event", G_CALLBACK (gtk_widget_hide_on_delete), NULL);
  gtk_window_present (GTK_WINDOW (window));
}
