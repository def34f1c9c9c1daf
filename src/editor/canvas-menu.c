/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-menu.c - the context menu, and what the pointer is told about a thing. */
#include "editor/canvas-private.h"
#include "eve/words.h"
#include "document/active-row.h"
#include <string.h>

/* ---- the menu ------------------------------------------------------------------------------------------------------- */
/* What an item does later: components by name, since they may be gone by then. */
typedef struct MenuCall {
  EditorCanvas *w;
  char *names[4];
  int number;
  double x, y; /* canvas px */
} MenuCall;

static void
menu_call_free (void *call, GClosure *closure)
{
  MenuCall *d = call;
  for (int i = 0; i < 4; i++)
    g_free (d->names[i]);
  g_object_unref (d->w);
  g_free (d);
}

static GtkWidget *
canvas_menu_item (GtkWidget *menu, const char *label)
{
  GtkWidget *i = gtk_menu_item_new_with_label (label);
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), i);
  return i;
}

/* An action of the window, by its detailed name, with its key. */
static void
action_item (EditorCanvas *w, GtkWidget *menu, const char *label, const char *action)
{
  GtkWidget *i = canvas_menu_item (menu, label);
  GdkModifierType mods;
  guint key;
  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (i), action);
  if (w->key_of && w->key_of (action, &key, &mods))
    gtk_accel_label_set_accel (GTK_ACCEL_LABEL (gtk_bin_get_child (GTK_BIN (i))), key, mods);
}

static MenuCall *
closure_item (EditorCanvas *w, GtkWidget *menu, const char *label, GCallback done, const char *a, const char *b,
              const char *c, const char *d, int number)
{
  MenuCall *call = g_new0 (MenuCall, 1);
  *call = (MenuCall){ .w = g_object_ref (w),
                      .names = { g_strdup (a), g_strdup (b), g_strdup (c), g_strdup (d) },
                      .number = number };
  g_signal_connect_data (canvas_menu_item (menu, label), "activate", done, call, menu_call_free, 0);
  return call;
}

static void
separator (GtkWidget *menu)
{
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), gtk_separator_menu_item_new ());
}

static SketchWire *
canvas_menu_wire_of (const MenuCall *d)
{
  Sketch *s = d->w->sketch;
  for (guint i = 0; i < s->wires->len; i++) {
    SketchWire *w = s->wires->pdata[i];
    if (!strcmp (eve_name (w->from), d->names[0]) && !strcmp (w->out, d->names[1])
        && !strcmp (eve_name (w->to), d->names[2]) && !strcmp (w->in, d->names[3]))
      return w;
  }
  return NULL;
}

static void
do_cut_wire (GtkMenuItem *i, MenuCall *d)
{
  SketchWire *w = canvas_menu_wire_of (d);
  if (w)
    canvas_disconnect (d->w, w->from, w->out, w->to, w->in);
}

static void
do_pin (GtkMenuItem *i, MenuCall *d)
{
  SketchWire *w = canvas_menu_wire_of (d);
  if (w)
    canvas_pin (d->w, w, !w->pinned);
}

static void
do_add_bend (GtkMenuItem *i, MenuCall *d)
{
  SketchWire *w = canvas_menu_wire_of (d);
  if (w)
    canvas_add_bend (d->w, w, d->x, d->y);
}

static void
do_remove_bends (GtkMenuItem *i, MenuCall *d)
{
  SketchWire *w = canvas_menu_wire_of (d);
  if (w && (guint) d->number <= w->bends->len)
    canvas_remove_bends (d->w, w, (guint) d->number);
}

static void
do_table (GtkMenuItem *i, MenuCall *d)
{
  canvas_table (d->w, d->names[0], d->names[1]);
}

static void
do_bookmark (GtkMenuItem *i, MenuCall *d)
{
  if (d->number)
    canvas_remove_bookmark (d->w, d->names[0]);
  else
    canvas_go_bookmark (d->w, d->names[0]);
}

static void
do_insert (GtkMenuItem *i, MenuCall *d)
{
  SketchWire *w = canvas_menu_wire_of (d);
  double x, y, wx, wy;
  if (!w)
    return;
  sketch_wire_point (w, 0.5, &x, &y);
  paint_to_window (&d->w->view, x, y, &wx, &wy);
  canvas_search (d->w, wx, wy, NULL, NULL, false, w);
}

static void
do_connect (GtkMenuItem *i, MenuCall *d)
{
  EveProgram *p = canvas_program (d->w);
  EveComponent *from = p ? eve_find (p, d->names[0]) : NULL, *to = p ? eve_find (p, d->names[2]) : NULL;
  if (from && to)
    canvas_connect (d->w, from, d->names[1], to, d->names[3]);
}

static void
do_add_connected (GtkMenuItem *i, MenuCall *d)
{
  EveComponent *from = canvas_program (d->w) ? eve_find (canvas_program (d->w), d->names[0]) : NULL;
  SketchPort *p = from ? sketch_port (d->w->sketch, from, d->names[1], d->number) : NULL;
  double wx, wy;
  if (!p)
    return;
  paint_to_window (&d->w->view, p->x + (p->side == SIDE_LEFT ? -60 : 60), p->y, &wx, &wy);
  canvas_search (d->w, wx, wy, from, d->names[1], d->number, NULL);
}

static void
do_inspect (GtkMenuItem *i, MenuCall *d)
{
  canvas_inspect (d->w);
}

static Frame *
canvas_menu_frame_of (const MenuCall *d)
{
  GPtrArray *frames = d->w->sketch->notes ? d->w->sketch->notes->frames : NULL;
  guint at = (guint) atoi (d->names[0]);
  return frames && at < frames->len ? frames->pdata[at] : NULL;
}

static void
do_frame_colour (GtkMenuItem *i, MenuCall *d)
{
  Frame *f = canvas_menu_frame_of (d);
  if (f)
    canvas_set_frame (d->w, f, NULL, d->number);
}

static void
do_frame_text (GtkMenuItem *i, MenuCall *d)
{
  Frame *f = canvas_menu_frame_of (d);
  if (f)
    canvas_rename (d->w, (CanvasHit){ .frame = f, .part = FRAME_TITLE });
}

static void
do_frame_delete (GtkMenuItem *i, MenuCall *d)
{
  Frame *f = canvas_menu_frame_of (d);
  if (f)
    canvas_delete_frame (d->w, f);
}

/* Every port of the program that this one can be wired to: the keyboard's way to draw a wire.  `flat`: not in a menu
 * below, into which a screen reader cannot go. */
static void
connect_items (EditorCanvas *w, GtkWidget *menu, const SketchPort *p, bool flat)
{
  g_autofree char *label = g_strdup_printf (p->out ? _ ("Connect %s to") : _ ("Connect %s from"), p->name);
  GtkWidget *sub = flat ? menu : gtk_menu_new ();
  EveProgram *program = canvas_program (w);
  guint n = 0;
  for (guint i = 0; i < w->sketch->boxes->len && n < 40; i++) {
    const SketchBox *b = w->sketch->boxes->pdata[i];
    for (guint k = 0; k < b->ports->len; k++) {
      const SketchPort *q = b->ports->pdata[k];
      const SketchPort *out = p->out ? p : q, *in = p->out ? q : p;
      if (q->out == p->out || q->c == p->c)
        continue;
      g_autofree char *no = eve_why_not (program, out->c, out->name, in->c, in->name);
      if (no)
        continue;
      g_autofree char *name = sketch_port_name (q), *whole = g_strdup_printf ("%s %s", label, name);
      closure_item (w, sub, flat ? whole : name, G_CALLBACK (do_connect), eve_name (out->c), out->name,
                    eve_name (in->c), in->name, 0);
      n++;
    }
  }
  if (n)
    separator (sub);
  closure_item (w, sub, _ ("A new component…"), G_CALLBACK (do_add_connected), eve_name (p->c), p->name, NULL, NULL,
                p->out);
  if (!flat)
    gtk_menu_item_set_submenu (GTK_MENU_ITEM (canvas_menu_item (menu, label)), sub);
}

static void
table_item (EditorCanvas *w, GtkWidget *menu, EveComponent *c, const char *out, bool alone)
{
  if (eve_is_ghost (c) || eve_use (c) != EVE_WORKS || eve_class_out (eve_class (c), out) < 0)
    return;
  g_autofree char *label = alone ? g_strdup (_ ("Table of what passes…")) : g_strdup_printf (_ ("Table of %s…"), out);
  closure_item (w, menu, label, G_CALLBACK (do_table), eve_name (c), out, NULL, NULL, 0);
}

/* `by_pointer`: where the pointer is; else in its middle. */
static void
wire_items (EditorCanvas *w, GtkWidget *menu, const SketchWire *wire, guint bend, bool by_pointer)
{
  const char *from = eve_name (wire->from), *to = eve_name (wire->to);
  table_item (w, menu, wire->from, wire->out, true);
  MenuCall *at = bend ? NULL
                      : closure_item (w, menu, _ ("Add a point here"), G_CALLBACK (do_add_bend), from, wire->out, to,
                                      wire->in, 0);
  if (at && by_pointer)
    canvas_to_sketch (w, w->px, w->py, &at->x, &at->y);
  else if (at)
    sketch_wire_point (wire, 0.5, &at->x, &at->y);
  if (bend)
    closure_item (w, menu, _ ("Take this point away"), G_CALLBACK (do_remove_bends), from, wire->out, to, wire->in,
                  (int) bend);
  if (wire->bends->len)
    closure_item (w, menu, _ ("Straighten"), G_CALLBACK (do_remove_bends), from, wire->out, to, wire->in, 0);
  separator (menu);
  closure_item (w, menu, _ ("Insert a component…"), G_CALLBACK (do_insert), from, wire->out, to, wire->in, 0);
  closure_item (w, menu, wire->pinned ? _ ("Unpin its value") : _ ("Pin its value"), G_CALLBACK (do_pin), from,
                wire->out, to, wire->in, 0);
  closure_item (w, menu, _ ("Disconnect"), G_CALLBACK (do_cut_wire), from, wire->out, to, wire->in, 0);
}

static void
frame_items (EditorCanvas *w, GtkWidget *menu, const Frame *f)
{
  guint at = 0;
  g_ptr_array_find (w->sketch->notes->frames, f, &at);
  g_autofree char *number = g_strdup_printf ("%u", at);
  closure_item (w, menu, _ ("Edit the comment"), G_CALLBACK (do_frame_text), number, NULL, NULL, NULL, 0);
  GtkWidget *sub = gtk_menu_new ();
  for (int i = 0; i < FRAME_COLOURS; i++)
    closure_item (w, sub, notes_colour_name (i), G_CALLBACK (do_frame_colour), number, NULL, NULL, NULL, i);
  gtk_menu_item_set_submenu (GTK_MENU_ITEM (canvas_menu_item (menu, _ ("Colour"))), sub);
  closure_item (w, menu, _ ("Delete the frame"), G_CALLBACK (do_frame_delete), number, NULL, NULL, NULL, 0);
}

static void
do_open (GtkMenuItem *i, MenuCall *d)
{
  const SketchBox *b = sketch_box (d->w->sketch, d->names[0]);
  if (b)
    canvas_open (d->w, b);
}

static void
box_items (EditorCanvas *w, GtkWidget *menu, const SketchBox *b)
{
  if (canvas_has_view (b)) /* what a double click does comes first */
    closure_item (w, menu, _ ("Open its view"), G_CALLBACK (do_open), b->name, NULL, NULL, NULL, 0);
  if (!b->c)
    action_item (w, menu, _ ("Open the sub-program"), "win.canvas-fold");
  if (canvas_has_view (b) || !b->c)
    separator (menu);
  for (guint i = 0; i < b->ports->len; i++) {
    const SketchPort *p = b->ports->pdata[i];
    if (!p->missing)
      connect_items (w, menu, p, false);
  }
  if (b->ports->len)
    separator (menu);
  for (guint i = 0; b->c && i < b->ports->len; i++) {
    const SketchPort *p = b->ports->pdata[i];
    if (p->out && !p->missing)
      table_item (w, menu, p->c, p->name, false);
  }
  if (b->c)
    closure_item (w, menu, _ ("Settings"), G_CALLBACK (do_inspect), NULL, NULL, NULL, NULL, 0);
  if (b->c && !b->ghost) {
    g_autofree char *help = g_strdup_printf ("win.help-class('%s')", eve_class_id (b->c));
    action_item (w, menu, _ ("Help"), help);
  }
  separator (menu);
  if (b->c)
    action_item (w, menu, _ ("Replace with…"), "win.canvas-replace");
  action_item (w, menu, b->use == EVE_OFF ? _ ("Switch on") : _ ("Switch off"), "win.canvas-off");
  action_item (w, menu, b->use == EVE_BYPASSED ? _ ("Bypass no longer") : _ ("Bypass"), "win.canvas-bypass");
  action_item (w, menu, _ ("Rename"), "win.canvas-rename");
  separator (menu);
  action_item (w, menu, _ ("Cut"), "win.canvas-cut");
  action_item (w, menu, _ ("Copy"), "win.canvas-copy");
  action_item (w, menu, _ ("Duplicate"), "win.canvas-duplicate");
  action_item (w, menu, _ ("Save as a part…"), "win.canvas-save-part");
  action_item (w, menu, _ ("Put on the shelf"), "win.canvas-shelve");
  action_item (w, menu, _ ("Delete"), "win.canvas-delete");
  separator (menu);
  action_item (w, menu, _ ("Make a sub-program"), "win.canvas-group");
  if (!b->c || notes_group_of (w->sketch->notes, b->name))
    action_item (w, menu, _ ("Dissolve the sub-program"), "win.canvas-ungroup");
  g_autoptr (GPtrArray) chosen = canvas_selection (w);
  g_autofree char *outer = edits_outer_group (canvas_program (w), (EveComponent *const *) chosen->pdata, chosen->len);
  if (outer) {
    g_autofree char *label = g_strdup_printf (_ ("Take out of %s"), outer);
    action_item (w, menu, label, "win.canvas-take-out");
  }
  action_item (w, menu, _ ("Put a frame around"), "win.canvas-frame");
  GtkWidget *sub = gtk_menu_new ();
  const struct {
    const char *label, *action;
  } ways[] = { { _ ("Left"), "win.canvas-align('left')" },    { _ ("Right"), "win.canvas-align('right')" },
               { _ ("Top"), "win.canvas-align('top')" },      { _ ("Bottom"), "win.canvas-align('bottom')" },
               { _ ("In a row"), "win.canvas-align('row')" }, { _ ("In a column"), "win.canvas-align('column')" } };
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    action_item (w, sub, ways[i].label, ways[i].action);
  gtk_menu_item_set_submenu (GTK_MENU_ITEM (canvas_menu_item (menu, _ ("Align"))), sub);
}

static void
bookmark_items (EditorCanvas *w, GtkWidget *menu)
{
  const GPtrArray *all = w->sketch->notes->bookmarks;
  action_item (w, menu, _ ("Bookmark this place…"), "win.canvas-bookmark");
  for (int remove = 0; remove < 2 && all->len; remove++) {
    GtkWidget *sub = gtk_menu_new ();
    for (guint i = 0; i < all->len; i++) {
      const Bookmark *b = all->pdata[i];
      closure_item (w, sub, b->name, G_CALLBACK (do_bookmark), b->name, NULL, NULL, NULL, remove);
    }
    gtk_menu_item_set_submenu (
        GTK_MENU_ITEM (canvas_menu_item (menu, remove ? _ ("Take a bookmark away") : _ ("Go to"))), sub);
  }
}

void
canvas_menu (EditorCanvas *w, CanvasHit what, const GdkEvent *event)
{
  if (!canvas_program (w))
    return;
  GtkWidget *menu = gtk_menu_new ();
  if (what.port) {
    connect_items (w, menu, what.port, event == NULL);
    if (what.port->out && !what.port->missing)
      table_item (w, menu, what.port->c, what.port->name, false);
    for (guint i = 0; i < w->sketch->wires->len; i++) {
      const SketchWire *wire = w->sketch->wires->pdata[i];
      if (wire->start != what.port && wire->end != what.port)
        continue;
      g_autofree char *label = g_strdup_printf (_ ("Disconnect %s"),
                                                eve_name (wire->start == what.port ? wire->to : wire->from));
      closure_item (w, menu, label, G_CALLBACK (do_cut_wire), eve_name (wire->from), wire->out, eve_name (wire->to),
                    wire->in, 0);
    }
  } else if (what.box)
    box_items (w, menu, what.box);
  else if (what.wire)
    wire_items (w, menu, what.wire, what.bend, event && event->type == GDK_BUTTON_PRESS);
  else if (what.group) {
    action_item (w, menu, _ ("Fold the sub-program"), "win.canvas-fold");
    action_item (w, menu, _ ("Dissolve the sub-program"), "win.canvas-ungroup");
  } else {
    if (what.frame) {
      frame_items (w, menu, what.frame);
      separator (menu);
    }
    action_item (w, menu, _ ("Add a component…"), "win.canvas-add");
    action_item (w, menu, _ ("Paste"), "win.canvas-paste");
    action_item (w, menu, _ ("Add a frame"), "win.canvas-frame");
    bookmark_items (w, menu);
    separator (menu);
    action_item (w, menu, _ ("Select all"), "win.canvas-select-all");
    action_item (w, menu, _ ("Lay out the program"), "win.canvas-layout");
    action_item (w, menu, _ ("All of it in sight"), "win.canvas-fit");
    action_item (w, menu, _ ("Small map"), "win.canvas-minimap");
  }
  gtk_menu_attach_to_widget (GTK_MENU (menu), GTK_WIDGET (w), NULL);
  g_signal_connect (menu, "selection-done", G_CALLBACK (gtk_widget_destroy), NULL);
  gtk_widget_show_all (menu);
  if (event && event->type == GDK_BUTTON_PRESS)
    gtk_menu_popup_at_pointer (GTK_MENU (menu), event);
  else {
    GdkRectangle at = { (int) w->px, (int) w->py, 1, 1 };
    double x = w->px, y = w->py;
    if (what.box)
      paint_to_window (&w->view, what.box->x, what.box->y + SKETCH_HEADER, &x, &y);
    else if (what.frame)
      paint_to_window (&w->view, what.frame->x, what.frame->y + SKETCH_HEADER, &x, &y);
    else if (what.wire) {
      sketch_wire_point (what.wire, 0.5, &x, &y);
      paint_to_window (&w->view, x, y, &x, &y);
    }
    at.x = (int) x;
    at.y = (int) y;
    g_autoptr (GdkEvent) asked = event ? gdk_event_copy (event) : menu_event (GTK_WIDGET (w));
    gtk_menu_popup_at_rect (GTK_MENU (menu), w->window, &at, GDK_GRAVITY_SOUTH_WEST, GDK_GRAVITY_NORTH_WEST, asked);
  }
}

/* ---- what the pointer is told ---------------------------------------------------------------------------------------------- */
static void
canvas_menu_append (GString *s, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  g_autofree char *text = g_markup_vprintf_escaped (fmt, args);
  va_end (args);
  g_string_append (s, text);
}

static char *
wire_tip (const Sketch *sketch, const SketchWire *w)
{
  GString *s = g_string_new (NULL);
  canvas_menu_append (s, "<b>%s.%s → %s.%s</b>", in_words (eve_name (w->from)), w->out, in_words (eve_name (w->to)),
                      w->in);
  if (w->rests) {
    canvas_menu_append (s, _ ("\nIt carries nothing: one of its ends is off or bypassed."));
    return g_string_free (s, FALSE);
  }
  if (w->broken) {
    g_autofree char *why = eve_why_not (sketch->p, w->from, w->out, w->to, w->in);
    bool there = !w->start->missing && !w->end->missing;
    canvas_menu_append (s, _ ("\nBroken: it carries nothing. %s"),
                        there || !why ? _ ("The types at its ends do not fit.") : why);
    return g_string_free (s, FALSE);
  }
  uint64_t passed = 0;
  for (uint32_t i = 0; i < eve_n_wires (sketch->p); i++) {
    EveWire e = eve_wire (sketch->p, i);
    if (e.from == w->from && e.to == w->to && !strcmp (e.out, w->out) && !strcmp (e.in, w->in))
      passed = e.passed;
  }
  g_autofree char *last = scope_wire_last (w->from, w->out);
  g_autofree char *count = scope_number (passed);
  canvas_menu_append (s, _ ("\n%s · %s passed"), w->type ? in_words (w->type->name) : _ ("no type yet"), count);
  if (last)
    canvas_menu_append (s, _ ("\nLast: <b>%s%s%s</b>"), last, w->start->unit ? " " : "",
                        w->start->unit ? w->start->unit : "");
  return g_string_free (s, FALSE);
}

char *
canvas_tip (EditorCanvas *w, CanvasHit what)
{
  if (what.wire)
    return wire_tip (w->sketch, what.wire);
  GString *s = g_string_new (NULL);
  if (what.port) {
    const SketchPort *p = what.port;
    canvas_menu_append (s, "<b>%s</b> %s · %s", p->name,
                        p->control ? p->out ? _ ("control output") : _ ("control input")
                        : p->out ? _ ("output")
                                   : _ ("input"),
                        p->missing ? _ ("not there")
                        : p->type  ? in_words (p->type->name)
                                   : _ ("any type"));
    if (p->unit)
      canvas_menu_append (s, _ (", in %s"), p->unit);
    if (p->doc)
      canvas_menu_append (s, "\n%s", in_words (p->doc));
    if (p->needed)
      canvas_menu_append (s, _ ("\nNeeded: nothing happens until it is connected."));
    if (p->missing)
      canvas_menu_append (s, _ ("\nA wire names it, but %s has no such port."), eve_name (p->c));
  } else if (what.box && what.box->c) {
    const SketchBox *b = what.box;
    canvas_menu_append (s, "<b>%s</b> · %s", in_words (b->name), b->kind);
    if (b->ghost)
      canvas_menu_append (s, _ ("\nA ghost: its class %s was not found. What was saved of it is kept."),
                          eve_class_id (b->c));
    else if (eve_class (b->c)->doc)
      canvas_menu_append (s, "\n%s", in_words (eve_class (b->c)->doc));
    if (*b->status)
      canvas_menu_append (s, "\n%s", b->status);
    if (b->problem)
      canvas_menu_append (s, "\n<b>%s</b>", b->problem);
    if (b->use == EVE_OFF)
      canvas_menu_append (s, _ ("\nOff: it does nothing, and its wires carry nothing."));
    if (b->use == EVE_BYPASSED)
      canvas_menu_append (s, _ ("\nBypassed: what comes to it goes on unchanged."));
    if (b->changed)
      canvas_menu_append (s, _ ("\nNot what was saved."));
  } else if (what.box) {
    canvas_menu_append (s, _ ("<b>%s</b> · %u components\nDouble-click to open it."), what.box->name,
                        what.box->members->len);
  }
  if (!s->len) {
    g_string_free (s, TRUE);
    return NULL;
  }
  return g_string_free (s, FALSE);
}
