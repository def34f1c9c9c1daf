/* SPDX-License-Identifier: Apache-2.0 */
#include "window/window-private.h"
#include "document/leads.h"
#include "document/unended.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "editor/editor.h"
#include "panes/export-job.h"
#include "panes/panes.h"
#include "config.h"
#include "time/time.h"
#include "window/data-table.h"
#include "window/displays.h"
#include "window/app.h"
#include "window/commands.h"
#include "window/focus.h"

#define WHOLE_S 10        /* an execution is played in 5 to 10 seconds, */
#define WHOLE_MOST 100000 /* if it has no more events than can be shown in that time */

G_DEFINE_FINAL_TYPE (ScopeWindow, scope_window, GTK_TYPE_APPLICATION_WINDOW)

ScopeDocument *
scope_window_document (ScopeWindow *w)
{
  return w->doc;
}

/* ---- what the document tells ---------------------------------------------------------------------------------------------- */

static void
update_actions (ScopeWindow *w)
{
  static const char *const need_open[] = { "save",        "save-as",       "write-files",      "choose-program",
                                           "use-program", "documentation", "export-execution", "new-program",
                                           "ask",         "add-view" };
  bool open = scope_document_is_open (w->doc);
  EditHistory *h = open ? scope_document_history (w->doc) : NULL;
  GActionMap *map = G_ACTION_MAP (w);

  for (guint i = 0; i < G_N_ELEMENTS (need_open); ++i)
    g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (map, need_open[i])), open);
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (map, "undo")),
                               h && edit_history_undo_label (h));
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (map, "redo")),
                               h && edit_history_redo_label (h));
}

static void
window_window_on_program (ScopeWindow *w)
{
  update_actions (w);
}

/* So that a person who presses play sees something: at full speed a small execution is over before the eye has found
 * it. */
static void
pace (ScopeWindow *w)
{
  const Preferences *p = preferences ();
  TraceSource *s = scope_document_source (w->doc);
  double seconds = s ? trace_clock_seconds (&s->clock, s->last - s->first) : 0;

  g_free (w->paced);
  w->paced = g_strdup (scope_document_trace (w->doc));
  if (scope_document_is_live (w->doc))
    scope_document_set_speed (w->doc, SCOPE_SPEED_FULL, 0);
  else if (p->speed != SPEED_WHOLE)
    scope_document_set_speed (w->doc, (ScopeSpeed) p->speed, p->speed_value);
  else if (s && seconds > 0 && s->n_events <= WHOLE_MOST) {
    double speed = seconds / WHOLE_S, ten = pow (10, floor (log10 (speed))), digit = speed / ten;
    scope_document_set_speed (w->doc, SCOPE_SPEED_TIME, ten * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10));
  } else
    scope_document_set_speed (w->doc, SCOPE_SPEED_FULL, 0);
}

/* What is hidden cannot have the focus: keys would be lost in it. */
static void
focus_work (ScopeWindow *w)
{
  gtk_widget_child_focus (shape_has_canvas (w) ? w->canvas : w->panes, GTK_DIR_TAB_FORWARD);
}

/* A program of the person's own is found again below Open. */
static void
note_program (ScopeWindow *w)
{
  const char *path = scope_document_program_path (w->doc);

  if (path && !scope_document_is_shipped (w->doc))
    recent_add (RECENT_PROGRAMS, path);
}

static void
window_window_on_opened (ScopeWindow *w)
{
  bool open = scope_document_is_open (w->doc);

  if (open) {
    shape_read (w); /* the size of the window stays */
    if (!scope_document_is_shipped (w->doc) || scope_document_modified (w->doc))
      w->layout.folded = false; /* somebody works at it, unless it says otherwise */
    layout_load (&w->layout, scope_document_note (w->doc, "window"));
    shape_show (w);
  }
  gtk_stack_set_visible_child_name (GTK_STACK (w->stack), open ? "work" : "start");
  if (open) {
    recent_add (RECENT_TRACES, scope_document_trace (w->doc));
    note_program (w);
    travel_set_memory (scope_document_travel (w->doc), preferences ()->memory_bytes);
    if (g_strcmp0 (w->paced, scope_document_trace (w->doc)))
      pace (w);
    shape_place_soon (w);
    focus_work (w);
  }
  update_actions (w);
}

/* The desktop or the person has chosen light or dark, or another size of text. */
static void
window_window_on_look (ScopeWindow *w)
{
  if (!w->doc)
    return;
  gtk_widget_set_size_request (w->side, (int) (SIDE_PX * scope_text_scale ()), -1);
  g_signal_emit_by_name (w->doc, "look");
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

/* A program that is saved under another name is called by it. */
static void
name_program (ScopeWindow *w, const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  if (g_strcmp0 (path, scope_document_program_path (w->doc)) == 0)
    return;
  if (g_str_has_suffix (name, ".eve"))
    name[strlen (name) - strlen (".eve")] = 0;
  eve_program_describe (scope_document_program (w->doc), name, NULL);
}

bool
scope_window_save (ScopeWindow *w, bool elsewhere)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;

  if (!scope_document_is_open (w->doc))
    return false;
  files_take_what_is_typed (GTK_WINDOW (w));
  if (elsewhere || scope_document_is_shipped (w->doc) || !scope_document_program_path (w->doc)) {
    const char *old = scope_document_program_path (w->doc);
    /* One that is new would take the place of the program of the format that it was made from, by its name. */
    bool nameless = !old || session_program_is_new (scope_document_program (w->doc));
    g_autofree char *name = nameless ? g_strdup ("program.eve") : g_path_get_basename (old);
    path = files_ask_save (GTK_WINDOW (w), name);
    if (!path)
      return false;
  }
  g_autofree char *title = g_strdup (eve_program_title (scope_document_program (w->doc)));
  if (path)
    name_program (w, path);
  /* Not an edit: sides that were folded are nothing to undo. */
  shape_read (w);
  g_autofree char *note = layout_note (&w->layout, scope_document_note (w->doc, "window"));
  eve_program_set_note (scope_document_program (w->doc), "window", note);
  if (!scope_document_save (w->doc, path, &error)) {
    scope_document_say_about (w->doc, "save", SCOPE_SAY_ERROR, "%s", error->message);
    eve_program_describe (scope_document_program (w->doc), title, NULL);
    return false;
  }
  scope_document_unsay (w->doc, "save");
  note_program (w);
  return true;
}

/* Keeps how it was laid out.  What is open above the window closes first: it gives the focus back, and must not do so
 * when what it gives it to is being destroyed. */
static void
window_leave (ScopeWindow *w)
{
  shape_read (w);
  layout_keep (&w->layout);
  gtk_widget_hide (GTK_WIDGET (w));
  gtk_widget_destroy (GTK_WIDGET (w));
}

bool
scope_window_close (ScopeWindow *w)
{
  if (scope_document_busy (w->doc, NULL)) { /* opening is on the stack */
    scope_document_cancel (w->doc);
    return false;
  }
  if (!ways_may_leave (w))
    return false;
  recovery_free (g_steal_pointer (&w->recovery));
  window_leave (w);
  return true;
}

void
scope_window_end (ScopeWindow *w)
{
  if (w->recovery)
    recovery_leave (g_steal_pointer (&w->recovery));
  if (scope_document_busy (w->doc, NULL)) /* opening is on the stack */
    return;
  window_leave (w);
}

/* The person's own program goes on with another trace, if that is of the same format; NULL: there is none. */
static char *
own_program (ScopeWindow *w, const char *format)
{
  const TraceSource *source = scope_document_source (w->doc);

  if (!source || scope_document_is_shipped (w->doc))
    return NULL;
  return g_strcmp0 (format, source->format->name) == 0 ? g_strdup (scope_document_program_path (w->doc)) : NULL;
}

/* ---- what is asked for while the document is busy ---- */
static void
wanted_free (Wanted *wanted)
{
  g_free (wanted->trace);
  g_strfreev (wanted->more);
  g_free (wanted->format);
  g_free (wanted->program);
  g_free (wanted);
}

static gboolean
open_wanted (gpointer window)
{
  ScopeWindow *w = window;
  Wanted *wanted = g_steal_pointer (&w->wanted);

  w->opening = 0;
  if (scope_document_busy (w->doc, NULL)) { /* something else has begun */
    w->wanted = wanted;
    return G_SOURCE_REMOVE;
  }
  scope_document_unsay (w->doc, "wanted");
  if (wanted->trace)
    scope_window_open_several (w, wanted->trace, (const char *const *) wanted->more, wanted->format, wanted->program);
  else
    scope_window_open_program (w, wanted->program);
  wanted_free (wanted);
  return G_SOURCE_REMOVE;
}

/* From a turn of the loop: who is busy tells so while it is on the stack. */
static void
window_window_on_busy (ScopeWindow *w)
{
  if (w->wanted && !w->opening && !scope_document_busy (w->doc, NULL))
    w->opening = g_idle_add (open_wanted, w);
}

/* The last that was asked for counts.  False: nothing is under way, it can be opened now. */
static bool
waits (ScopeWindow *w, const char *trace, const char *const *more, const char *format, const char *program)
{
  if (!scope_document_busy (w->doc, NULL))
    return false;
  g_autofree char *name = g_path_get_basename (trace ? trace : program);
  g_clear_pointer (&w->wanted, wanted_free);
  w->wanted = g_new (Wanted, 1);
  *w->wanted = (Wanted){ g_strdup (trace), g_strdupv ((char **) more), g_strdup (format), g_strdup (program) };
  scope_document_say_about (w->doc, "wanted", SCOPE_SAY_NOTE, _ ("%s is opened as soon as this has ended"), name);
  return true;
}

void
scope_window_open (ScopeWindow *w, const char *trace, const char *format, const char *program)
{
  scope_window_open_several (w, trace, NULL, format, program);
}

void
scope_window_open_several (ScopeWindow *w, const char *trace, const char *const *more, const char *format,
                           const char *program)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *inside = files_bundle_of (trace), *chosen = g_strdup (format);

  if (waits (w, trace, more, format, program))
    return;
  TraceBundle *bundle = trace_bundle_open (inside ? inside : trace, &error);
  if (!bundle) {
    scope_document_say (w->doc, SCOPE_SAY_ERROR, "%s", error->message);
    return;
  }
  bool go = true;
  if (!chosen && bundle->formats->len > 1) {
    g_autoptr (GPtrArray) known = g_ptr_array_new ();
    for (guint i = 0; i < bundle->formats->len; ++i)
      if (trace_format_find (g_ptr_array_index (bundle->formats, i), NULL))
        g_ptr_array_add (known, g_ptr_array_index (bundle->formats, i));
    if (known->len == 1)
      chosen = g_strdup (g_ptr_array_index (known, 0));
    else if (known->len > 1)
      go = (chosen = files_ask_format (GTK_WINDOW (w), known)) != NULL;
  }
  if (!chosen && bundle->formats->len == 1)
    chosen = g_strdup (g_ptr_array_index (bundle->formats, 0));
  if (go)
    go = program || more ? ways_may_leave (w) : ways_go_along (w, bundle->path, chosen) == WAYS_LEAVE;
  g_autofree char *own = program || more || !go ? NULL : own_program (w, chosen), *text = NULL;
  g_autofree char *left = program || more || own || !go ? NULL : ways_leave (w, &text);
  if (go && ways_open (w, bundle->path, more, chosen, program ? program : own, NULL) && left)
    ways_offer (w, left, text);
  trace_bundle_free (bundle);
}

void
scope_window_open_program (ScopeWindow *w, const char *program)
{
  if (waits (w, NULL, NULL, NULL, program))
    return;
  if (scope_document_is_open (w->doc)) {
    g_autofree char *trace = g_strdup (scope_document_trace (w->doc));
    TraceSource *source = scope_document_source (w->doc);
    g_autofree char *format = source ? g_strdup (source->format->name) : NULL;
    scope_window_open (w, trace, format, program);
    return;
  }
  g_autofree char *name = g_path_get_basename (program), *title = g_strdup_printf (_ ("A trace for %s"), name);
  g_autofree char *trace = files_ask_trace (GTK_WINDOW (w), title);
  if (trace)
    scope_window_open (w, trace, NULL, program);
}

void
scope_window_recover (ScopeWindow *w, Recovered *r)
{
  scope_document_allow_next (w->doc, (const char *const *) r->allowed);
  bool opened = ways_open (w, r->trace, NULL, r->format, r->program, r->text);
  scope_document_allow_next (w->doc, NULL); /* also where it was refused: it holds for no other program */
  if (opened) {
    if (r->event)
      scope_document_go_event (w->doc, r->event);
    recovery_now (w->recovery); /* before the other copy goes */
    recovered_discard (r);
  }
}

/* ---- actions ----------------------------------------------------------------------------------------------------------------- */

#define ACTION(name) static void act_##name (GSimpleAction *action, GVariant *parameter, gpointer window)

ACTION (open)
{
  g_autofree char *trace = files_ask_trace (window, _ ("Open a trace"));

  if (trace)
    scope_window_open (window, trace, NULL, NULL);
}

ACTION (open_program)
{
  g_autofree char *program = files_ask_program (window);

  if (program)
    scope_window_open_program (window, program);
}

/* From nothing: on the trace that is open. */
ACTION (new_program)
{
  ScopeWindow *w = window;
  TraceSource *source = scope_document_source (w->doc);
  g_autofree char *trace = g_strdup (scope_document_trace (w->doc)), *format = g_strdup (source->format->name);
  g_autofree char *path = NULL, *text = session_new_program (format, &path);

  if (!text || scope_document_busy (w->doc, NULL) || !ways_may_leave (w))
    return;
  scope_document_fresh_next (w->doc);
  ways_open (w, trace, NULL, format, path, text);
  shape_unfold (w); /* there is nothing else to work at */
}

ACTION (add_view)
{
  gallery_ask (window);
}

ACTION (ask)
{
  questions_ask (window);
}

ACTION (open_recent)
{
  scope_window_open (window, g_variant_get_string (parameter, NULL), NULL, NULL);
}

ACTION (choose_program)
{
  header_choose_program (SCOPE_WINDOW (window)->header);
}

ACTION (save)
{
  scope_window_save (window, false);
}

ACTION (save_as)
{
  scope_window_save (window, true);
}

ACTION (write_files)
{
  g_autofree char *folder = files_ask_output (window);

  if (folder)
    export_files (SCOPE_WINDOW (window)->doc, window, folder);
}

ACTION (export_execution)
{
  ScopeDocument *d = SCOPE_WINDOW (window)->doc;
  const char *format = NULL;
  g_autofree char *path = files_ask_export (window, scope_document_source (d)->name, &format);

  if (path)
    export_execution (d, window, path, format);
}

ACTION (close)
{
  scope_window_close (window);
}

ACTION (undo)
{
  scope_document_undo (SCOPE_WINDOW (window)->doc);
}

ACTION (redo)
{
  scope_document_redo (SCOPE_WINDOW (window)->doc);
}

ACTION (search)
{
  palette_open (SCOPE_WINDOW (window)->palette);
}

ACTION (help)
{
  ScopeWindow *w = window;
  GPtrArray *boxes = scope_document_is_open (w->doc) ? scope_document_selected_boxes (w->doc) : NULL;
  EveComponent *c = boxes && boxes->len ? eve_find (scope_document_program (w->doc), g_ptr_array_index (boxes, 0))
                                        : NULL;

  help_show_class (window, c ? eve_class_id (c) : NULL);
}

ACTION (help_class)
{
  help_show_class (window, g_variant_get_string (parameter, NULL));
}

ACTION (table)
{
  const char *box, *out;

  g_variant_get (parameter, "(&s&s)", &box, &out);
  if (scope_document_is_open (SCOPE_WINDOW (window)->doc))
    data_table_open (SCOPE_WINDOW (window)->doc, window, box, out);
}

ACTION (documentation)
{
  help_show_documentation (window, SCOPE_WINDOW (window)->doc);
}

ACTION (go_lead)
{
  leads_go (SCOPE_WINDOW (window)->doc);
}

ACTION (tour)
{
  tour_begin (window);
}

ACTION (shortcuts)
{
  shortcuts_show (window);
}

ACTION (about)
{
  gtk_show_about_dialog (window, "program-name", "Scope", "version", SCOPE_VERSION, "logo-icon-name", SCOPE_APP_ID,
                         "comments", _ ("Why is my parallel program slow?"), "license-type", GTK_LICENSE_APACHE_2_0,
                         NULL);
}

/* What is selected, to be changed by keys. */
ACTION (inspect)
{
  ScopeWindow *w = window;

  if (!shape_has_side (w))
    shape_toggle (w, "side");
  shape_show (w);
  gtk_widget_child_focus (w->side, GTK_DIR_TAB_FORWARD);
}

ACTION (fullscreen)
{
  if (SCOPE_WINDOW (window)->fullscreen)
    gtk_window_unfullscreen (window);
  else
    gtk_window_fullscreen (window);
}

static void
window_window_toggle (GSimpleAction *action, GVariant *parameter, gpointer window)
{
  ScopeWindow *w = window;

  shape_toggle (w, g_action_get_name (G_ACTION (action)));
  if (!gtk_window_get_focus (GTK_WINDOW (w)) || !gtk_widget_get_mapped (gtk_window_get_focus (GTK_WINDOW (w))))
    focus_work (w);
}

static const GActionEntry actions[] = {
  { "open", act_open },
  { "open-program", act_open_program },
  { "new-program", act_new_program },
  { "ask", act_ask },
  { "add-view", act_add_view },
  { "open-recent", act_open_recent, "s" },
  { "go-lead", act_go_lead },
  { "use-program", ways_use, "s" },
  { "exchange", ways_exchange },
  { "go-back", ways_go_back },
  { "choose-program", act_choose_program },
  { "save", act_save },
  { "save-as", act_save_as },
  { "write-files", act_write_files },
  { "export-execution", act_export_execution },
  { "close", act_close },
  { "undo", act_undo },
  { "redo", act_redo },
  { "search", act_search },
  { "help", act_help },
  { "help-class", act_help_class, "s" },
  { "table", act_table, "(ss)" },
  { "documentation", act_documentation },
  { "tour", act_tour },
  { "shortcuts", act_shortcuts },
  { "about", act_about },
  { "inspect", act_inspect },
  { "fullscreen", act_fullscreen },
  { "library", window_window_toggle, NULL, "true" },
  { "side", window_window_toggle, NULL, "true" },
  { "program-only", window_window_toggle, NULL, "false" },
  { "views-only", window_window_toggle, NULL, "false" },
  { "program-folded", window_window_toggle, NULL, "false" },
};

/* ---- keys -------------------------------------------------------------------------------------------------------------------- */

static bool
takes_text (GtkWidget *focus)
{
  return GTK_IS_EDITABLE (focus) || GTK_IS_TEXT_VIEW (focus);
}

static bool
is_inside (GtkWidget *widget, GtkWidget *place)
{
  return widget && (widget == place || gtk_widget_is_ancestor (widget, place));
}

/* Keys of the window are mostly without Ctrl, so whoever takes text hears them first, and so do popovers, and buttons
 * and lists that the person went to by keys; a button that was only clicked does not swallow the space bar.  Some keys
 * mean one thing in the program, another in views. */
static gboolean
key_press (GtkWidget *widget, GdkEventKey *event)
{
  ScopeWindow *w = SCOPE_WINDOW (widget);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (w));

  if (scope_document_busy (w->doc, NULL)) {
    if (event->keyval == GDK_KEY_Escape)
      scope_document_cancel (w->doc);
    return GDK_EVENT_STOP;
  }
  if (event->keyval == GDK_KEY_Escape)
    leads_stay (w->doc);
  bool in_popover = focus && gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER);
  bool own = takes_text (focus) || in_popover
             || (w->by_keyboard
                 && (GTK_IS_BUTTON (focus) || GTK_IS_LIST_BOX_ROW (focus) || GTK_IS_TREE_VIEW (focus)
                     || GTK_IS_RANGE (focus) || GTK_IS_SWITCH (focus)));
  if (focus && own && gtk_window_propagate_key_event (GTK_WINDOW (w), event))
    return GDK_EVENT_STOP;
  if (in_popover && gdk_keyval_to_unicode (event->keyval) > ' ' && !(event->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)))
    return GDK_EVENT_STOP; /* no command to what lies behind */
  bool in_canvas = is_inside (focus, w->canvas), in_panes = is_inside (focus, w->panes);
  const Command *c = own         ? NULL
                     : in_canvas ? commands_place_key ("win.canvas-", event)
                     : in_panes  ? commands_place_key ("win.view-", event)
                                 : NULL;
  if (c) {
    g_action_group_activate_action (G_ACTION_GROUP (w), c->action + strlen ("win."), NULL);
    return GDK_EVENT_STOP;
  }
  if (in_canvas && !own && gtk_window_propagate_key_event (GTK_WINDOW (w), event))
    return GDK_EVENT_STOP;
  if (GTK_WIDGET_CLASS (scope_window_parent_class)->key_press_event (widget, event))
    return GDK_EVENT_STOP;
  return event->keyval == GDK_KEY_Escape && messages_close (w->messages) ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
}

static void
set_focus (GtkWindow *window, GtkWidget *focus)
{
  g_autoptr (GdkEvent) event = gtk_get_current_event ();

  if (focus_refused (window, focus, GTK_WINDOW_CLASS (scope_window_parent_class)))
    return;
  if (event)
    SCOPE_WINDOW (window)->by_keyboard = event->type == GDK_KEY_PRESS;
  GTK_WINDOW_CLASS (scope_window_parent_class)->set_focus (window, focus);
}

static gboolean
delete_event (GtkWidget *widget, GdkEventAny *event)
{
  scope_window_close (SCOPE_WINDOW (widget));
  return GDK_EVENT_STOP;
}

static gboolean
window_state_event (GtkWidget *widget, GdkEventWindowState *event)
{
  SCOPE_WINDOW (widget)->fullscreen = (event->new_window_state & GDK_WINDOW_STATE_FULLSCREEN) != 0;
  return GTK_WIDGET_CLASS (scope_window_parent_class)->window_state_event (widget, event);
}

/* ---- putting it together ------------------------------------------------------------------------------------------------- */

static GtkWidget *
paned (GtkOrientation orientation, GtkWidget *first, bool first_grows, GtkWidget *second, bool second_grows)
{
  GtkWidget *p = gtk_paned_new (orientation);

  gtk_paned_pack1 (GTK_PANED (p), first, first_grows, FALSE);
  gtk_paned_pack2 (GTK_PANED (p), second, second_grows, FALSE);
  return p;
}

/* Messages stand above the time bar, where there is one. */
static void
on_time_bar (GtkWidget *bar, GdkRectangle *room, ScopeWindow *w)
{
  messages_raise (w->messages, gtk_widget_get_mapped (bar) ? room->height : 0);
}

static void
window_build (ScopeWindow *w)
{
  GtkWidget *work = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *overlay = gtk_overlay_new (), *bar = time_bar_new (w->doc);

  w->library = editor_library_new (w->doc);
  gtk_style_context_add_class (gtk_widget_get_style_context (w->library), "scope-side");
  w->canvas = editor_canvas_new (w->doc);
  editor_canvas_set_keys (w->canvas, command_key);
  panes_set_panel_maker (editor_panel_new);
  w->panes = panes_new (w->doc);
  w->side = side_new (w);
  w->strip = strip_new (w);
  w->middle = paned (GTK_ORIENTATION_VERTICAL, strip_canvas (w->canvas), true, w->panes, true);
  gtk_box_pack_start (GTK_BOX (column), w->strip, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (column), w->middle, TRUE, TRUE, 0);
  w->rest = paned (GTK_ORIENTATION_HORIZONTAL, column, true, w->side, false);
  w->across = paned (GTK_ORIENTATION_HORIZONTAL, w->library, false, w->rest, true);
  g_signal_connect (w->middle, "size-allocate", G_CALLBACK (shape_on_room), w);
  gtk_box_pack_start (GTK_BOX (work), w->across, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (work), bar, FALSE, FALSE, 0);

  w->stack = gtk_stack_new ();
  gtk_stack_add_named (GTK_STACK (w->stack), start_page_new (w), "start");
  gtk_stack_add_named (GTK_STACK (w->stack), work, "work");
  w->messages = messages_new (w->doc);
  messages_stand_below (w->messages, GTK_WIDGET (w), w->side);
  time_bar_add (bar, messages_folded (w->messages));
  g_signal_connect (bar, "size-allocate", G_CALLBACK (on_time_bar), w);
  g_signal_connect (w, "size-allocate", G_CALLBACK (shape_on_size), w);
  w->time_bar = bar;
  w->busy = busy_new (w->doc);
  w->palette = palette_new (w);
  gtk_container_add (GTK_CONTAINER (overlay), w->stack);
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), w->messages);
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), w->palette);
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), w->busy);
  gtk_container_add (GTK_CONTAINER (w), overlay);

  w->header = header_new (w);
  gtk_window_set_titlebar (GTK_WINDOW (w), w->header);
  editor_add_actions (G_ACTION_MAP (w), w->canvas);
  strip_watch (w);
  panes_add_actions (G_ACTION_MAP (w), w->panes);
  time_add_actions (G_ACTION_MAP (w), bar);
  gtk_widget_show (w->header);
  gtk_widget_show_all (work);
  gtk_widget_show (w->stack);
  gtk_widget_show (overlay);
  gtk_stack_set_visible_child_name (GTK_STACK (w->stack), "start");
}

static void
window_window_dispose (GObject *object)
{
  ScopeWindow *w = SCOPE_WINDOW (object);

  g_clear_handle_id (&w->placing, g_source_remove);
  g_clear_handle_id (&w->opening, g_source_remove);
  g_clear_pointer (&w->wanted, wanted_free);
  g_clear_handle_id (&w->reshaping, g_source_remove);
  if (w->doc)
    g_signal_handlers_disconnect_by_data (w->doc, w);
  G_OBJECT_CLASS (scope_window_parent_class)->dispose (object); /* parts go before what they look at */
  g_clear_pointer (&w->recovery, recovery_free);
  g_clear_pointer (&w->paced, g_free);
  if (w->doc)
    scope_document_close (w->doc);
  g_clear_object (&w->doc);
}

static void
scope_window_class_init (ScopeWindowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = window_window_dispose;
  GTK_WIDGET_CLASS (klass)->key_press_event = key_press;
  GTK_WIDGET_CLASS (klass)->delete_event = delete_event;
  GTK_WIDGET_CLASS (klass)->get_preferred_width = shape_least_width;
  GTK_WIDGET_CLASS (klass)->configure_event = shape_on_configure;
  GTK_WIDGET_CLASS (klass)->window_state_event = window_state_event;
  GTK_WINDOW_CLASS (klass)->set_focus = set_focus;

  /* Keys by which panes move the focus and their handles, and which mean other things here. */
  g_autoptr (GTypeClass) paned_class = g_type_class_ref (GTK_TYPE_PANED);
  GtkBindingSet *bindings = gtk_binding_set_by_class (paned_class);
  for (guint shift = 0; shift < 2; ++shift) {
    gtk_binding_entry_remove (bindings, GDK_KEY_F6, shift ? GDK_SHIFT_MASK : 0);
    gtk_binding_entry_remove (bindings, GDK_KEY_F8, shift ? GDK_SHIFT_MASK : 0);
  }
}

static void
scope_window_init (ScopeWindow *w)
{
  w->doc = scope_document_new ();
  unended_watch (w->doc);
  leads_watch (w->doc);
  w->sides = 2;
  scope_window_prefer (w);
  g_action_map_add_action_entries (G_ACTION_MAP (w), actions, G_N_ELEMENTS (actions), w);
  layout_load (&w->layout, NULL);
  window_build (w);
  files_accept_drops (w);
  shape_show (w);
  update_actions (w);
  w->recovery = recovery_new (w->doc);
  questions_init (w);
  tools_init (w);
  g_signal_connect_swapped (w->doc, "opened", G_CALLBACK (window_window_on_opened), w);
  g_signal_connect_swapped (w->doc, "busy", G_CALLBACK (window_window_on_busy), w);
  g_signal_connect_swapped (w->doc, "program", G_CALLBACK (window_window_on_program), w);
  g_signal_connect_swapped (w->doc, "range", G_CALLBACK (shape_on_range), w);
  for (const char *const *setting = (const char *const[]){ "gtk-application-prefer-dark-theme", "gtk-theme-name",
                                                           "gtk-font-name", "gtk-xft-dpi", NULL };
       *setting; ++setting) {
    g_autofree char *notify = g_strdup_printf ("notify::%s", *setting);
    g_signal_connect_object (gtk_settings_get_default (), notify, G_CALLBACK (window_window_on_look), w,
                             G_CONNECT_SWAPPED);
  }
  gtk_window_set_default_size (GTK_WINDOW (w), w->layout.width, w->layout.height);
  if (w->layout.maximised)
    gtk_window_maximize (GTK_WINDOW (w));
}

void
scope_window_prefer (ScopeWindow *w)
{
  const Preferences *p = preferences ();
  pace (w);
  scope_document_set_added_go (w->doc, p->added_go);
  scope_document_set_strategy (w->doc, p->strategy);
  if (scope_document_is_open (w->doc))
    travel_set_memory (scope_document_travel (w->doc), p->memory_bytes);
}

GtkWidget *
scope_window_new (GtkApplication *app)
{
  return g_object_new (SCOPE_TYPE_WINDOW, "application", app, "title", "Scope", "icon-name", SCOPE_APP_ID, NULL);
}
