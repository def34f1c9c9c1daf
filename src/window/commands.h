/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - everything that can be done by a key or found with Ctrl+K, in one table: accelerators, the shortcuts
 * window, the menus' hints and the search come from it.  What a command does is an action of the window or of the
 * application; the parts of the window add theirs (editor_add_actions() and its like), here they get a name for people
 * and a key. */
#pragma once
#include <gtk/gtk.h>
#include <stdbool.h>

typedef struct Command {
  const char *action; /* detailed: "win.zoom(1)"; "": a key that is only listed */
  const char *label;  /* "Zoom in" */
  const char *keys;   /* accelerators, blanks between; NULL: none.  "(Tab)": the part itself sees to it */
  const char *also;   /* other words that find it; NULL: none */
} Command;

typedef struct CommandGroup {
  const char *title;
  const Command *commands; /* ends with a NULL action */
} CommandGroup;

extern const CommandGroup command_groups[]; /* ends with a NULL title */

void commands_set_keys (GtkApplication *app);
/* The command of a place ("win.canvas-", "win.view-") that a key means while the focus is in it; NULL: none. */
const Command *commands_place_key (const char *prefix, const GdkEventKey *event);
/* First accelerator of an action; false: it has none. */
bool command_key (const char *action, guint *value, GdkModifierType *mods);
/* The same as a person reads it, "Ctrl+K"; g_free, NULL: it has none. */
char *command_key_label (const char *action);
/* The window that lists the keys. */
void shortcuts_show (GtkWindow *parent);
