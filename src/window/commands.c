/* SPDX-License-Identifier: Apache-2.0 */
#include "window/commands.h"
#include "document/document.h"
#include "eve/words.h"
#include <stdbool.h>
#include <string.h>

/* Commands without an action are keys of a place, for reading. */
static const Command general[] = {
  { "win.open", N_ ("Open a trace"), "<Control>o", N_ ("file load import recent") },
  { "win.open-program", N_ ("Open a program"), "<Control><Shift>o" },
  { "win.new-program", N_ ("New, empty program"), "<Control><Alt>n" },
  { "win.ask", N_ ("New program from a question: what do you want to know?"), "<Control><Alt>q",
    N_ ("who waits why slow analysis") },
  { "win.add-view", N_ ("Add a view: displays by name, with pictures"), "<Control><Alt>v",
    N_ ("chart graph diagram plot show") },
  { "win.choose-program", N_ ("Choose another program for this trace"), "<Control><Shift>p", N_ ("analysis switch") },
  { "win.search", N_ ("Find anything: commands, components, tasks, events, settings, help"), "<Control>k" },
  { "win.save", N_ ("Save the program"), "<Control>s" },
  { "win.save-as", N_ ("Save the program as"), "<Control><Shift>s" },
  { "win.export-execution", N_ ("Export the execution for other programs"), NULL,
    N_ ("convert Perfetto Chrome Vampir ViTE") },
  { "win.write-files", N_ ("Write the files of components"), NULL, N_ ("csv results save") },
  { "win.ask-tool", N_ ("Ask a tool: it gets data, and its answer is shown"), NULL },
  { "win.undo", N_ ("Undo"), "<Control>z" },
  { "win.redo", N_ ("Redo"), "<Control><Shift>z <Control>y" },
  { "win.help", N_ ("Help on what is selected"), "F1", N_ ("manual documentation") },
  { "win.documentation", N_ ("Documentation of this trace"), "<Shift>F1" },
  { "win.tour", N_ ("Tour of the window"), NULL },
  { "win.shortcuts", N_ ("Keys"), "<Control>question <Control>F1", N_ ("keyboard shortcuts") },
  { "app.preferences", N_ ("Preferences"), "<Control>comma", N_ ("settings options configuration language") },
  { "app.new-window", N_ ("New window"), "<Control>n" },
  { "win.close", N_ ("Close the window"), "<Control><Shift>w" },
  { "app.quit", N_ ("Quit"), "<Control>q" },
  { "", N_ ("Out of a drag, a search, a message"), "(Escape)" },
  { NULL },
};

static const Command places[] = {
  { "win.library", N_ ("Library of components"), "F9", N_ ("left sidebar panel hide show") },
  { "win.side", N_ ("Inspector, legend and marks"), "F10", N_ ("right sidebar panel hide show") },
  { "win.program-only", N_ ("Program alone"), "F7" },
  { "win.views-only", N_ ("Views alone"), "F8" },
  { "win.program-folded", N_ ("Program in one line"), "F3", N_ ("hide canvas boxes") },
  { "win.fullscreen", N_ ("Full screen"), "F11" },
  { "win.canvas-focus", N_ ("Go to the program"), "F4" },
  { "win.view-next", N_ ("Go to the next view"), "F6" },
  { "win.view-previous", N_ ("Go to the view before"), "<Shift>F6" },
  { "win.menu-of-view", N_ ("Menu of the view that has the focus"), "F12" },
  { NULL },
};

static const Command moments[] = {
  { "win.play-pause", N_ ("Play or pause"), "space", N_ ("run start stop animate") },
  { "win.step-event", N_ ("One event on"), "period" },
  { "win.back-event", N_ ("One event back"), "comma" },
  { "win.step-date", N_ ("One date on"), "greater" },
  { "win.back-date", N_ ("One date back"), "less" },
  { "win.go-first", N_ ("To the beginning"), "Home" },
  { "win.go-last", N_ ("To the end"), "End" },
  { "win.go-liveliest", N_ ("To where most tasks live and most happens"), NULL, N_ ("busiest empty middle") },
  { "win.follow", N_ ("Go along with a trace that is being written"), "l", N_ ("live tail") },
  { "win.go-to", N_ ("Go to a date, mark or event"), "g" },
  { "win.back-task", N_ ("Back to the selected task's event before"), NULL },
  { "win.stop", N_ ("Stop: back to the beginning, ready to play"), NULL },
  { "win.near-next('kind')", N_ ("Next event of this kind"), "n" },
  { "win.near-previous('kind')", N_ ("Event of this kind before"), "<Shift>n" },
  { "win.near-next('task')", N_ ("Next event of this task"), "t" },
  { "win.near-previous('task')", N_ ("Event of this task before"), "<Shift>t" },
  { "win.near-next('partner')", N_ ("Next event between these two tasks"), "o" },
  { "win.near-previous('partner')", N_ ("Event between these two tasks before"), "<Shift>o" },
  { "win.near-next('tag')", N_ ("Next event with this tag"), "x" },
  { "win.near-previous('tag')", N_ ("Event with this tag before"), "<Shift>x" },
  { "win.near-next('state')", N_ ("Where this task is in this state again"), "i" },
  { "win.near-previous('state')", N_ ("Where this task was in this state before"), "<Shift>i" },
  { "win.go-lead", N_ ("Go to what is worth a look first"), NULL, N_ ("bottleneck slow worst") },
  { "win.mark", N_ ("Mark this instant"), "m", N_ ("flag note annotate bookmark") },
  { "win.next-mark", N_ ("Next mark"), "<Control>Right" },
  { "win.previous-mark", N_ ("Mark before"), "<Control>Left" },
  { "win.save-state", N_ ("Save the state of this instant"), "<Control><Alt>s" },
  { "win.speed-own", N_ ("Another speed"), NULL, N_ ("faster slower play") },
  { "win.reshoot", N_ ("Shoot the film again"), NULL },
  { "win.executions", N_ ("Lay executions over each other in time"), NULL,
    N_ ("two traces compare overlay align shift") },
  { "", N_ ("On the ruler: back, on by a hundredth"), "(Left) (Right)" },
  { "", N_ ("On the ruler: back, on by a tenth"), "(Page_Up) (Page_Down)" },
  { NULL },
};

static const Command views[] = {
  { "win.view-fit", N_ ("All of it again"), "f", N_ ("zoom reset whole") },
  { "win.view-zoom-in", N_ ("Closer"), "plus", N_ ("zoom larger") },
  { "win.view-zoom-out", N_ ("Farther"), "minus", N_ ("zoom smaller") },
  { "win.view-rows-in", N_ ("Larger rows"), "<Control>plus" },
  { "win.view-rows-out", N_ ("Smaller rows"), "<Control>minus" },
  { "win.view-tool('inspect')", N_ ("A drag selects a range"), NULL },
  { "win.view-tool('move')", N_ ("A drag moves the picture"), NULL },
  { "win.view-tool('draw')", N_ ("Draw over the view by hand, kept with the mark of this instant"), NULL,
    N_ ("annotate pen") },
  { "win.view-tool('arrow')", N_ ("Draw an arrow over the view, kept with the mark of this instant"), NULL },
  { "win.view-tool('rectangle')", N_ ("Draw a rectangle over the view, kept with the mark of this instant"), NULL },
  { "win.view-stroke-back", N_ ("Take the last back that was drawn over the view at this instant"), NULL },
  { "win.view-follow", N_ ("Follow the present"), NULL },
  { "win.view-maximise", N_ ("One view takes the room of all"), "<Control>m" },
  { "win.view-detach", N_ ("A window of its own, and back"), "<Control>d" },
  { "win.view-close", N_ ("Close the view"), "<Control>w", N_ ("hide remove") },
  { "win.view-find", N_ ("Find in the text, or else anything: tasks, events, marks"), "<Control>f",
    N_ ("search text") },
  { "win.view-find-next", N_ ("Next place found"), "<Control>g" },
  { "win.view-find-previous", N_ ("Place found before"), "<Control><Shift>g" },
  { "win.view-export", N_ ("Export as picture or table"), "<Control>e",
    N_ ("save image screenshot figure png svg pdf csv") },
  { "win.view-print", N_ ("Print"), "<Control>p", N_ ("paper pdf") },
  { "win.view-copy", N_ ("Copy the picture"), "<Control><Shift>c", N_ ("clipboard screenshot image") },
  { "win.range-shown", N_ ("Select the range that is shown: its story beside the views"), "r" },
  { "win.range-zoom", N_ ("Look closer at the selected range"), "z" },
  { "win.range-none", N_ ("Select no range"), NULL },
  { "win.associate", N_ ("Colour by an attribute: tie it to how things look"), NULL,
    N_ ("color shape size order label association") },
  { "win.legend-reset", N_ ("Colours as they came"), NULL, N_ ("palette reset color") },
  { "win.inspect-pin", N_ ("Pin what is selected: an inspector that stays, to compare"), "p",
    N_ ("compare difference details") },
  { "win.inspect-graph", N_ ("Inspect the state graph itself"), "<Shift>p" },
  { "win.group-open", N_ ("Open the group that is meant"), "e", N_ ("expand unfold hosts") },
  { "win.group-close", N_ ("Close the group that is meant"), "<Shift>e" },
  { "win.groups-open", N_ ("Open all groups that are seen"), "<Alt>plus" },
  { "win.groups-close", N_ ("Close the innermost groups"), "<Alt>minus", N_ ("collapse fold hosts") },
  { "win.groups-best", N_ ("As many groups as have room, where most differs"), "<Alt>e" },
  { "win.group-make", N_ ("A group of the selected tasks"), NULL },
  { "", N_ ("Closer, farther where the pointer is"), "(w) (s)" },
  { "", N_ ("Move the picture"), "(a) (d) (Left) (Right)" },
  { "", N_ ("A page back, on"), "(Page_Up) (Page_Down)" },
  { "", N_ ("Item before, next item"), "(Up) (Down)" },
  { "", N_ ("Select the item; then, go to its time"), "(Return)" },
  { "", N_ ("As a double click: open the item, or go to its time"), "(<Shift>Return)" },
  { "", N_ ("Menu of the view"), "(Menu) (<Shift>F10)" },
  { NULL },
};

static const Command canvas[] = {
  { "win.canvas-add", N_ ("Add a component at the pointer"), "(Tab) (Insert)" },
  { "win.canvas-rename", N_ ("Rename the box"), "(F2)" },
  { "win.canvas-delete", N_ ("Delete"), "(Delete) (BackSpace)" },
  { "win.canvas-cut", N_ ("Cut"), "(<Control>x)" },
  { "win.canvas-copy", N_ ("Copy"), "(<Control>c)" },
  { "win.canvas-paste", N_ ("Paste"), "(<Control>v)" },
  { "win.canvas-duplicate", N_ ("Duplicate"), "<Control>d" },
  { "win.canvas-save-part", N_ ("Save as a part, in the library…"), NULL },
  { "win.canvas-shelve", N_ ("Put on the shelf: what is selected, as a part"), "<Control><Alt>p" },
  { "win.canvas-shelve-program", N_ ("Put this program on the shelf"), NULL },
  { "win.canvas-shelf", N_ ("Go to the shelf"), "<Shift>F9" },
  { "win.canvas-replace", N_ ("Replace the box with another component"), "<Control>r" },
  { "win.canvas-off", N_ ("Switch the box off, or on"), "<Control>m" },
  { "win.canvas-bypass", N_ ("Bypass the box, or no longer"), "<Control>b" },
  { "win.canvas-table", N_ ("Table of what passes"), "<Control>t" },
  { "win.canvas-bookmark", N_ ("Bookmark this place of the program"), "<Control><Shift>b" },
  { "win.canvas-select-all", N_ ("Select all boxes and frames"), "(<Control>a)" },
  { "win.canvas-group", N_ ("Make a sub-program"), "<Control>g" },
  { "win.canvas-ungroup", N_ ("Take a sub-program apart"), "<Control><Shift>g" },
  { "win.canvas-fold", N_ ("Fold or unfold a sub-program"), "<Control>e" },
  { "win.canvas-take-out", N_ ("Take out of the sub-program"), NULL },
  { "win.canvas-frame", N_ ("Frame with a comment"), "<Control><Alt>f" },
  { "win.canvas-layout", N_ ("Lay out the program"), "<Control>l" },
  { "win.canvas-align('left')", N_ ("Align left"), NULL },
  { "win.canvas-align('right')", N_ ("Align right"), NULL },
  { "win.canvas-align('top')", N_ ("Align tops"), NULL },
  { "win.canvas-align('bottom')", N_ ("Align bottoms"), NULL },
  { "win.canvas-align('row')", N_ ("Spread in a row"), NULL },
  { "win.canvas-align('column')", N_ ("Spread in a column"), NULL },
  { "", N_ ("Open a sub-program, or the settings"), "(Return)" },
  { "", N_ ("Move what is selected"), "(Left) (Right) (Up) (Down)" },
  { NULL },
};

static const Command sheet[] = {
  { "win.canvas-fit", N_ ("All of it"), "(f)" },
  { "win.canvas-zoom-in", N_ ("Closer"), "<Control>plus" },
  { "win.canvas-zoom-out", N_ ("Farther"), "<Control>minus" },
  { "win.canvas-zoom-normal", N_ ("Natural size"), "<Control>0" },
  { "win.canvas-minimap", N_ ("Small map"), NULL },
  { "", N_ ("Box before, next box"), "(bracketleft) (bracketright)" },
  { "", N_ ("Wire before, next wire"), "(braceleft) (braceright)" },
  { "", N_ ("Nearest box in that direction"), "(<Alt>Left) (<Alt>Right) (<Alt>Up) (<Alt>Down)" },
  { "", N_ ("Held: a drag moves the picture"), "(space)" },
  { "", N_ ("Menu of what is selected"), "(Menu) (<Shift>F10)" },
  { NULL },
};

const CommandGroup command_groups[] = {
  { N_ ("General"), general },
  { N_ ("Places of the window"), places },
  { N_ ("Time"), moments },
  { N_ ("In a view"), views },
  { N_ ("In the program"), canvas },
  { N_ ("About the program"), sheet },
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
  bool shifted = gdk_keyval_to_lower (value) != gdk_keyval_to_upper (value)
                 || (value >= GDK_KEY_F1 && value <= GDK_KEY_F35);
  /* Shift counts for letters and F1 to F35; it is part of "plus" on some keyboards and not on others. */
  return gdk_keyval_to_lower (value) == gdk_keyval_to_lower (event->keyval)
         && (mods & strong) == (event->state & strong)
         && (!shifted || (mods & GDK_SHIFT_MASK) == (event->state & GDK_SHIFT_MASK));
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

#define SECTION                                                                                                        \
  "<child><object class=\"GtkShortcutsSection\"><property name=\"visible\">1</property>"                               \
  "<property name=\"max-height\">21</property>"

#define TWO_COLUMNS_PX 1400 /* of keys */

void
shortcuts_show (GtkWindow *parent)
{
  static GtkWidget *window;

  if (window) {
    gtk_window_set_transient_for (GTK_WINDOW (window), parent);
    gtk_window_present (GTK_WINDOW (window));
    return;
  }
  int room;
  gtk_window_get_size (parent, &room, NULL);
  bool narrow = room / scope_text_scale () < TWO_COLUMNS_PX; /* then a place at a time: the window has no scroll bar */
  g_autoptr (GString) ui = g_string_new (
      "<interface><object class=\"GtkShortcutsWindow\" id=\"keys\"><property name=\"modal\">1</property>");

  if (!narrow)
    g_string_append (ui, SECTION);

  for (const CommandGroup *g = command_groups; g->title; ++g) {
    g_autofree char *title = g_markup_escape_text (in_words (g->title), -1);
    if (narrow)
      g_string_append_printf (
          ui, SECTION "<property name=\"section-name\">%s</property><property name=\"title\">%s</property>", title,
          title);
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
      g_autofree char *label = g_markup_escape_text (in_words (c->label), -1);
      g_string_append_printf (ui,
                              "<child><object class=\"GtkShortcutsShortcut\"><property name=\"visible\">1</property>"
                              "<property name=\"accelerator\">%s</property><property name=\"title\">%s</property>"
                              "</object></child>",
                              escaped, label);
    }
    g_string_append (ui, narrow ? "</object></child></object></child>" : "</object></child>");
  }
  g_string_append (ui, narrow ? "</object></interface>" : "</object></child></object></interface>");

  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_string (ui->str, (gssize) ui->len);
  window = GTK_WIDGET (gtk_builder_get_object (builder, "keys"));
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  /* Kept: accessibility still asks for its many labels after it was closed. */
  g_signal_connect (window, "delete-event", G_CALLBACK (gtk_widget_hide_on_delete), NULL);
  gtk_window_present (GTK_WINDOW (window));
}
