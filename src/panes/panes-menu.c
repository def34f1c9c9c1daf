/* SPDX-License-Identifier: Apache-2.0 */
/* panes-menu.c - the menu of a pane, which comes up in it, and the one that the view with the focus brings into the
 * application's (thesis, section 4.3.3). */
#include "document/active-row.h"
#include "document/box-commands.h"
#include "document/curves.h"
#include "document/near.h"
#include "eve/words.h"
#include "panes/groups.h"
#include "panes/lead.h"
#include "panes/panes-private.h"
#include "readers/box-commands.h"
#include "readers/box-inspector.h"
#include "readers/live.h"
#include "views/groups.h"
#include "views/paint.h"
#include "views/idle.h"

static void
add_section (GMenu *menu, const char *const *items)
{
  g_autoptr (GMenu) section = g_menu_new ();

  for (; items[0] != NULL; items += 2)
    g_menu_append (section, in_words (items[0]), items[1]);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
}

static void
add_closed (ScopePanes *panes, GMenu *menu)
{
  g_autoptr (GMenu) section = g_menu_new ();
  GHashTableIter i;
  gpointer name;

  g_hash_table_iter_init (&i, panes->closed);
  while (g_hash_table_iter_next (&i, &name, NULL)) {
    g_autofree char *label = g_strdup_printf (_ ("Open %s"), in_words (name));
    g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);
    g_menu_item_set_action_and_target (item, "win.show-view", "s", name);
    g_menu_append_item (section, item);
  }
  if (g_menu_model_get_n_items (G_MENU_MODEL (section)) > 0)
    g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
}

/* What the menu is of: the item at the pointer, else the focused one.  False: none.  item->name is to be freed. */
static bool
item_meant (ScopePicture *picture, GdkEvent *e, ViewItem *item)
{
  double x = 0, y = 0;

  if (e != NULL && gdk_event_get_coords (e, &x, &y)) /* of the picture, or of the title above it */
    return gdk_event_get_window (e) == gtk_widget_get_window (GTK_WIDGET (picture))
           && picture_item_at (picture, x / picture_text (), y / picture_text (), item, NULL);
  const GArray *items = picture_items (picture);
  int i = picture_focused_item (picture);
  if (items == NULL || i < 0 || i >= (int) items->len)
    return false;
  *item = g_array_index (items, ViewItem, i);
  item->name = g_strdup (item->name);
  return true;
}

/* Where the number that is meant can be shown over time. */
static void
panes_menu_add_number (ScopePanes *panes, ScopePane *p, const ViewItem *item, GMenu *menu)
{
  static const char *const new[] = { N_ ("Show as a C_urve"), "win.view-curve", N_ ("Show in a _List"), "win.view-list",
                                     NULL };

  panes->number = item->mark.tag;
  if (!curves_can (panes->d, picture_component (pane_picture (p)), &panes->number))
    return;
  add_section (menu, new);
  g_autoptr (GMenu) into = g_menu_new ();
  g_autoptr (GPtrArray) charts = curves_charts (panes->d);
  for (guint i = 0; i < charts->len; i++) {
    g_autofree char *label = scope_menu_label (eve_name (charts->pdata[i]));
    g_autoptr (GMenuItem) one = g_menu_item_new (label, NULL);
    g_menu_item_set_action_and_target (one, "win.view-into", "s", eve_name (charts->pdata[i]));
    g_menu_append_item (into, one);
  }
  if (charts->len > 0)
    g_menu_append_submenu (menu, _ ("Show i_n"), G_MENU_MODEL (into));
}

/* What can be told to the program that is watched: each in its place, with those of one menu together. */
static void
add_orders (ScopePanes *panes, GMenu *menu)
{
  g_autoptr (GPtrArray) orders = scope_document_orders (panes->d, panes->number.what);
  g_autoptr (GMenu) section = g_menu_new ();
  const char *under = NULL;
  GMenu *sub = NULL;

  for (guint i = 0; i < orders->len; i++) {
    const TraceOrder *o = orders->pdata[i];
    g_autoptr (GMenuItem) one = g_menu_item_new (in_words (o->label), NULL);
    g_menu_item_set_action_and_target (one, "win.view-order", "s", o->line);
    if (o->under && o->under != under) {
      sub = g_menu_new ();
      g_menu_append_submenu (section, o->under, G_MENU_MODEL (sub));
      g_object_unref (sub); /* the section has it */
    }
    under = o->under;
    g_menu_append_item (under ? sub : section, one);
  }
  if (orders->len > 0)
    g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
}

/* What is like the thing that is meant, or like the present: with the keys that do the latter. */
static void
add_near (ScopePanes *panes, ScopePane *p, const ViewItem *item, GMenu *menu)
{
  const struct {
    const char *label, *by, *key;
  } ways[] = { { _ ("Event of This _Task"), "task", "t" },         { _ ("Event of This _Kind"), "kind", "n" },
               { _ ("Event Between These _Two"), "partner", "o" }, { _ ("Event with This Ta_g"), "tag", "x" },
               { _ ("Stay in This _State"), "state", "i" },        { _ ("Event _About This"), "object", NULL } };
  bool here = item != NULL && lead_here (pane_picture (p), &item->mark.tag, &panes->here);

  for (int back = 0; back < 2; back++) {
    g_autoptr (GMenu) sub = g_menu_new ();
    for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
      if (ways[i].key == NULL && (!here || panes->here.object == TRACE_NONE))
        continue;
      g_autoptr (GMenuItem) one = g_menu_item_new (ways[i].label, NULL);
      g_autofree char *key = ways[i].key == NULL ? NULL : g_strconcat (back ? "<Shift>" : "", ways[i].key, NULL);
      g_menu_item_set_action_and_target (one,
                                         here   ? back ? "win.near-here-previous" : "win.near-here-next"
                                         : back ? "win.near-previous"
                                                : "win.near-next",
                                         "s", ways[i].by);
      if (key != NULL)
        g_menu_item_set_attribute (one, "accel", "s", key);
      g_menu_append_item (sub, one);
    }
    g_menu_append_submenu (menu, back ? _ ("Pre_vious") : _ ("Ne_xt"), G_MENU_MODEL (sub));
  }
}

/* By hand over the picture, at this instant. */
static void
add_drawing (ScopePane *p, GMenu *menu)
{
  static const char *const ways[] = { N_ ("_Freehand"),
                                      "win.view-tool::draw",
                                      N_ ("_Arrow"),
                                      "win.view-tool::arrow",
                                      N_ ("_Rectangle"),
                                      "win.view-tool::rectangle",
                                      N_ ("_No More"),
                                      "win.view-tool::inspect",
                                      N_ ("_Take the Last Back"),
                                      "win.view-stroke-back",
                                      NULL };
  g_autoptr (GMenu) sub = g_menu_new ();

  add_section (sub, ways);
  g_menu_append_submenu (menu, _ ("_Draw over It"), G_MENU_MODEL (sub));
}

static void
panes_menu_add_item (GMenu *menu, char *label, const char *action, const char *target)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, action, target != NULL ? "s" : NULL, target);
  g_menu_append_item (menu, item);
  g_free (label);
}

/* With the path of a group; g_free. */
static char *
panes_menu_label_of (const char *what, const char *path)
{
  g_autofree char *shown = scope_menu_label (path);

  g_auto (GStrv) around = g_strsplit (what, "%s", 2);

  return g_strjoinv (shown, around);
}

/* Which groups tasks are shown in, and what is done to the one that is meant.  `alone`: by what the view alone sorts
 * its rows; NULL: that is not asked. */
static void
add_groups (ScopePane *p, const ViewItem *item, GMenu *alone, GMenu *menu)
{
  ScopePicture *picture = pane_picture (p);
  g_autofree char *opens = pane_groups_meant (picture, item, true), *closes = pane_groups_meant (picture, item, false);
  g_autoptr (GMenu) sub = g_menu_new ();
  g_autoptr (GMenu) by = g_menu_new ();
  g_autoptr (GMenu) turn = g_menu_new ();

  const TraceSource *s = scope_document_view_source (picture_document (picture));
  bool crowded = s != NULL && s->tasks->len > GROUPS_ALONE_MOST;
  panes_menu_add_item (by, g_strdup (crowded ? _ ("Each Task _Alone, Where There Is Room") : _ ("Each Task _Alone")),
                       "win.groups-by", "");
  for (int i = 0; groups_hierarchies[i] != NULL; i++)
    if (pane_groups_told (picture, groups_hierarchies[i]))
      panes_menu_add_item (by, g_strdup (in_words (groups_hierarchies_told[i])), "win.groups-by",
                           groups_hierarchies[i]);
  g_menu_append_section (sub, NULL, G_MENU_MODEL (by));
  if (alone != NULL && g_menu_model_get_n_items (G_MENU_MODEL (alone)) > 0)
    g_menu_append_section (sub, NULL, G_MENU_MODEL (alone));
  if (opens != NULL)
    panes_menu_add_item (turn, panes_menu_label_of (_ ("_Open %s"), opens), "win.group-open-path", opens);
  if (closes != NULL)
    panes_menu_add_item (turn, panes_menu_label_of (_ ("_Close %s"), closes), "win.group-close-path", closes);
  if (*pane_groups_hierarchy (picture) != '\0') {
    panes_menu_add_item (turn, g_strdup (_ ("Open All That Are _Seen")), "win.groups-open", NULL);
    panes_menu_add_item (turn, g_strdup (_ ("Close the _Innermost")), "win.groups-close", NULL);
    panes_menu_add_item (turn, g_strdup (_ ("As Many as Have _Room")), "win.groups-best", NULL);
  }
  panes_menu_add_item (turn, g_strdup (_ ("_Make a Group of the Selected")), "win.group-make", NULL);
  g_menu_append_section (sub, NULL, G_MENU_MODEL (turn));
  g_menu_append_submenu (menu, _ ("_Groups"), G_MENU_MODEL (sub));
}

/* An inspector that stays, of what is meant: the task of a row, a link, a message. */
static void
add_inspect (ScopePanes *panes, const ViewItem *item, GMenu *menu)
{
  const TraceRef what = item != NULL ? item->mark.tag.what : (TraceRef){ 0 };

  panes->meant = what;
  if (what.type == TRACE_REF_TASK || what.type == TRACE_REF_LINK || what.type == TRACE_REF_MESSAGE)
    panes_menu_add_item (menu, g_strdup (_ ("P_in: an Inspector That Stays")), "win.inspect-here", NULL);
}

/* What can be done to a view, wherever the pointer is. */
static void
add_rest (ScopePanes *panes, ScopePane *p, GMenu *menu)
{
  static const char *const range[] = { N_ ("Select What Is Shown"),
                                       "win.range-shown",
                                       N_ ("Look Closer at the Range"),
                                       "win.range-zoom",
                                       N_ ("No Range"),
                                       "win.range-none",
                                       NULL };
  static const char *const zoom[] = { N_ ("_Fit"),
                                      "win.view-fit",
                                      N_ ("Zoom _In"),
                                      "win.view-zoom-in",
                                      N_ ("Zoom _Out"),
                                      "win.view-zoom-out",
                                      N_ ("Larger _Rows"),
                                      "win.view-rows-in",
                                      N_ ("Smaller Ro_ws"),
                                      "win.view-rows-out",
                                      N_ ("F_ollow the Present"),
                                      "win.view-follow",
                                      NULL };
  static const char *const text[] = { N_ ("F_ollow the Present"),
                                      "win.view-follow",
                                      N_ ("_Find\u2026"),
                                      "win.view-find",
                                      N_ ("Find _Next"),
                                      "win.view-find-next",
                                      N_ ("Find _Previous"),
                                      "win.view-find-previous",
                                      NULL };
  static const char *const drawing[] = {
    N_ ("_Fit"), "win.view-fit", N_ ("Zoom _In"), "win.view-zoom-in", N_ ("Zoom _Out"), "win.view-zoom-out", NULL
  };
  static const char *const counting[] = { N_ ("_Fit"),
                                          "win.view-fit",
                                          N_ ("Zoom _In"),
                                          "win.view-zoom-in",
                                          N_ ("Zoom _Out"),
                                          "win.view-zoom-out",
                                          N_ ("F_ollow the Range"),
                                          "win.view-follow",
                                          NULL };
  static const char *const out[] = { N_ ("_Export\u2026"),
                                     "win.view-export",
                                     N_ ("_Copy Picture"),
                                     "win.view-copy",
                                     N_ ("_Print\u2026"),
                                     "win.view-print",
                                     NULL };
  static const char *const move[] = { N_ ("Left"), "win.view-move::left", N_ ("Right"), "win.view-move::right",
                                      N_ ("Up"),   "win.view-move::up",   N_ ("Down"),  "win.view-move::down",
                                      NULL };
  static const char *const place[] = {
    N_ ("Ma_ximise"), "win.view-maximise", N_ ("_Detach"), "win.view-detach", N_ ("C_lose"), "win.view-close", NULL
  };
  PictureSort sort = picture_sort (pane_picture (p));
  g_autoptr (GMenu) beside = g_menu_new ();

  if (sort == PICTURE_TIME)
    add_section (menu, range);
  add_section (menu, sort == PICTURE_TIME                ? zoom
                     : sort == PICTURE_TEXT              ? text
                     : picture_counts (pane_picture (p)) ? counting
                                                         : drawing);
  add_section (menu, out);
  add_section (menu, place);
  add_drawing (p, menu);
  add_section (beside, move);
  g_menu_append_submenu (menu, _ ("Mo_ve"), G_MENU_MODEL (beside));
  add_closed (panes, menu);
}

static void
add_pin (ScopePanes *panes, ScopePane *p, GMenu *menu)
{
  bool pinned;

  if (pane_pins (pane_picture (p), panes->number.what, &pinned))
    panes_menu_add_item (menu, g_strdup (pinned ? _ ("Un_pin") : _ ("_Pin to the Top")), "win.view-pin", NULL);
}

/* The colour that the pointer is at: of a state, of a value, in the view or its legend. */
static void
add_colour (ScopePanes *panes, ScopePane *p, GdkEvent *e, GMenu *menu)
{
  ScopePicture *picture = pane_picture (p);
  const StateGraph *g = scope_document_graph (panes->d);
  double x, y;

  panes->coloured[0] = panes->coloured[1] = NULL;
  if (e == NULL || !gdk_event_get_coords (e, &x, &y)
      || gdk_event_get_window (e) != gtk_widget_get_window (GTK_WIDGET (picture))
      || !picture_colour_at (picture, x, y, &panes->coloured[0], &panes->coloured[1]))
    return;
  bool state = g_str_equal (panes->coloured[0], paint_state_attribute (g, STATE_NODE));
  g_autofree char *of = g_strdup_printf (_ ("Colour of %s…"),
                                         state ? paint_word (g, STATE_NODE, panes->coloured[1]) : panes->coloured[1]);
  panes_menu_add_item (menu, scope_menu_label (of), "win.view-colour", NULL);
}

/* "fft 0: Busy", "fft 0 → fft 1", or an event as it is read. */
static char *
name_of_what (const ViewItem *item)
{
  const DrawingTag *tag = &item->mark.tag;
  g_autoptr (GString) name = g_string_new (NULL);

  if (tag->event > 0)
    return g_strdup (item->name);
  trace_ref_name (tag->what, false, name);
  if (tag->other.type != TRACE_REF_NONE) {
    g_string_append (name, " → ");
    trace_ref_name (tag->other, false, name);
  }
  if (tag->value)
    g_string_append_printf (name, "%s%s", name->len > 0 ? ": " : "", tag->value);
  return name->len > 0 ? g_strdup (name->str) : NULL;
}

static GMenu *
panes_menu_make (ScopePanes *panes, ScopePane *p, GdkEvent *e)
{
  static const char *const here[] = { N_ ("Go _Here"), "win.view-go", N_ ("_Mark Here"), "win.view-mark", NULL };
  GMenu *menu = g_menu_new ();

  ViewItem item = { .name = NULL };
  bool meant = item_meant (pane_picture (p), e, &item);
  g_free (panes->here_name);
  panes->here_name = meant ? name_of_what (&item) : NULL;
  if (meant) {
    panes_menu_add_number (panes, p, &item, menu);
    add_orders (panes, menu);
    add_pin (panes, p, menu);
  }
  add_colour (panes, p, e, menu);
  add_inspect (panes, meant ? &item : NULL, menu);
  add_near (panes, p, meant ? &item : NULL, menu);
  add_groups (p, meant ? &item : NULL, NULL, menu);
  g_free (item.name);
  if (picture_sort (pane_picture (p)) != PICTURE_DRAWING)
    add_section (menu, here);
  add_rest (panes, p, menu);
  return menu;
}

void
panes_popup (ScopePanes *panes, ScopePane *p, GdkEvent *e)
{
  g_autoptr (GMenu) model = panes_menu_make (panes, p, e);

  panes_actions_update (panes);
  if (panes->menu != NULL)
    gtk_widget_destroy (panes->menu);
  panes->menu = gtk_menu_new_from_model (G_MENU_MODEL (model));
  g_object_add_weak_pointer (G_OBJECT (panes->menu), (gpointer *) &panes->menu);
  gtk_menu_attach_to_widget (GTK_MENU (panes->menu), GTK_WIDGET (p), NULL);
  if (e != NULL)
    gtk_menu_popup_at_pointer (GTK_MENU (panes->menu), e);
  else {
    g_autoptr (GdkEvent) asked = menu_event (GTK_WIDGET (p));
    gtk_menu_popup_at_widget (GTK_MENU (panes->menu), GTK_WIDGET (p), GDK_GRAVITY_NORTH_EAST, GDK_GRAVITY_NORTH_EAST,
                              asked);
  }
}

/* ---- the menu that a view brings into the application's -------------------------------------------------- */

#define COMMANDS_MOST 100 /* of one box */

/* Of the view, as long as it is of the program. */
static EveComponent *
brought_of (ScopePanes *panes)
{
  EveProgram *program = scope_document_is_open (panes->d) ? scope_document_program (panes->d) : NULL;

  return program != NULL && panes->active != NULL ? eve_find (program, pane_name (panes->active)) : NULL;
}

static void
on_setting (GSimpleAction *action, GVariant *to, ScopePanes *panes)
{
  const char *setting = g_object_get_data (G_OBJECT (action), "setting");
  EveComponent *c = brought_of (panes);
  g_autofree char *now = c != NULL ? eve_get (c, setting) : NULL;
  const char *value = to != NULL ? g_variant_get_string (to, NULL) : g_strcmp0 (now, "true") == 0 ? "false" : "true";

  if (now == NULL || g_str_equal (now, value))
    return;
  g_autoptr (GError) error = NULL;
  g_autofree char *what = g_strdup_printf (_ ("Set %s of %s"), setting, eve_name (c));
  scope_document_begin_edit (panes->d, what);
  scope_document_forget_problem (panes->d, c);
  if (!eve_set (c, setting, value, &error))
    scope_document_say (panes->d, SCOPE_SAY_WARNING, "%s", error->message);
  scope_document_end_edit (panes->d);
}

static void
panes_menu_on_command (GSimpleAction *action, GVariant *name, ScopePanes *panes)
{
  EveComponent *c = brought_of (panes);

  if (c != NULL)
    box_command_do (panes->d, eve_name (c), g_variant_get_string (name, NULL));
}

static GSimpleAction *
add_action (ScopePanes *panes, const char *name, const char *takes, GVariant *state, GCallback act)
{
  const GVariantType *type = takes != NULL ? G_VARIANT_TYPE (takes) : NULL;
  g_autoptr (GSimpleAction) a = state != NULL ? g_simple_action_new_stateful (name, type, state)
                                              : g_simple_action_new (name, type);

  g_signal_connect (a, "activate", act, panes);
  g_action_map_add_action (G_ACTION_MAP (panes->view_actions), G_ACTION (a));
  return a;
}

static void
panes_menu_add_value (void *values, const char *value)
{
  g_ptr_array_add (values, g_strdup (value));
}

/* The values of a setting that is a choice, or a text that has one of those that its component offers; NULL: there are
 * none; g_strfreev. */
static char **
panes_menu_values_of (EveComponent *c, const EveField *f)
{
  const BoxInspector *own = f->kind == EVE_F_STRING ? eve_query (c, BOX_INSPECTOR) : NULL;
  g_autofree char *now = eve_get (c, f->name);

  if (f->kind == EVE_F_CHOICE && f->choices[0] != NULL)
    return g_strdupv ((char **) f->choices);
  for (uint32_t i = 0; own != NULL && own->offer != NULL && i < own->n_rows; i++) {
    char unused[256];
    if (own->rows[i].kind != BOX_ROW_SETTING || strcmp (own->rows[i].name, f->name) != 0
        || (own->look != NULL && !own->look (c, i, unused, sizeof unused)))
      continue;
    GPtrArray *values = g_ptr_array_new ();
    own->offer (c, i, panes_menu_add_value, values);
    g_ptr_array_add (values, NULL);
    char **all = (char **) g_ptr_array_free (values, FALSE);
    if (g_strv_contains ((const char *const *) all, now))
      return all;
    g_strfreev (all);
  }
  return NULL;
}

/* As the other items of a menu begin; g_free, it takes `label`. */
static char *
panes_menu_capital (char *label)
{
  GString *s = g_string_new (NULL);

  g_string_append_unichar (s, g_unichar_toupper (g_utf8_get_char (label)));
  g_string_append (s, g_utf8_next_char (label));
  g_free (label);
  return g_string_free (s, FALSE);
}

/* A choice is a menu of its own, of which one item is marked; what is on or off is an item. */
static void
add_setting (ScopePanes *panes, EveComponent *c, const EveField *f, guint number, const char *called, GMenu *choices,
             GMenu *switches)
{
  g_auto (GStrv) values = panes_menu_values_of (c, f);
  const char *port = view_idle_port (c, f->name);
  g_autofree char *name = g_strdup_printf ("setting-%u", number), *full = g_strconcat ("view.", name, NULL),
                  *value = eve_get (c, f->name),
                  *told = port
                              ? g_strdup_printf (_ ("%s (nothing is wired to %s)"), in_words (f->name), in_words (port))
                              : g_strdup (in_words (f->name)),
                  *label = called ? g_strdup (called) : panes_menu_capital (scope_menu_label (told));
  bool many = f->kind != EVE_F_BOOL;

  if (many && values == NULL)
    return;
  GSimpleAction *a = add_action (panes, name, many ? "s" : NULL,
                                 many ? g_variant_new_string (value)
                                      : g_variant_new_boolean (g_strcmp0 (value, "true") == 0),
                                 G_CALLBACK (on_setting));

  g_object_set_data_full (G_OBJECT (a), "setting", g_strdup (f->name), g_free);
  g_simple_action_set_enabled (a, port == NULL);
  if (!many) {
    g_menu_append (switches, label, full);
    return;
  }
  g_autoptr (GMenu) sub = g_menu_new ();
  for (int i = 0; values[i] != NULL; i++)
    panes_menu_add_item (sub, scope_menu_label (in_words (values[i])), full, values[i]);
  g_menu_append_submenu (choices, label, G_MENU_MODEL (sub));
}

static void
add_own (ScopePanes *panes, EveComponent *c, GMenu *alone, GMenu *menu)
{
  const EveClass *k = eve_class (c);
  const BoxCommands *of = eve_query (c, BOX_COMMANDS);
  g_autoptr (GMenu) choices = g_menu_new (), switches = g_menu_new (), commands = g_menu_new ();
  BoxCommand command;

  for (uint32_t i = 0; i < k->n_settings; i++)
    if (k->settings[i].kind == EVE_F_BOOL || k->settings[i].kind == EVE_F_CHOICE || k->settings[i].kind == EVE_F_STRING)
      pane_groups_is_own (&k->settings[i])
          ? add_setting (panes, c, &k->settings[i], i, _ ("Group by, in This _View Alone"), alone, switches)
          : add_setting (panes, c, &k->settings[i], i, NULL, choices, switches);
  add_action (panes, "command", "s", NULL, G_CALLBACK (panes_menu_on_command));
  for (uint32_t i = 0; of != NULL && i < COMMANDS_MOST && of->at (c, i, &command); i++)
    panes_menu_add_item (commands, scope_menu_label (in_words (command.label)), "view.command", command.name);
  GMenu *const all[] = { choices, switches, commands };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (g_menu_model_get_n_items (G_MENU_MODEL (all[i])) > 0)
      g_menu_append_section (menu, NULL, G_MENU_MODEL (all[i]));
}

void
panes_bring (ScopePanes *panes)
{
  EveComponent *c = brought_of (panes);
  g_auto (GStrv) old = g_action_group_list_actions (G_ACTION_GROUP (panes->view_actions));

  g_menu_remove_all (panes->brought);
  for (char **name = old; *name != NULL; name++)
    g_action_map_remove_action (G_ACTION_MAP (panes->view_actions), *name);
  if (c != NULL) {
    g_autoptr (GMenu) turn = g_menu_new (), alone = g_menu_new ();
    add_own (panes, c, alone, panes->brought);
    add_near (panes, panes->active, NULL, turn);
    add_groups (panes->active, NULL, alone, turn);
    g_menu_append_section (panes->brought, NULL, G_MENU_MODEL (turn));
    add_rest (panes, panes->active, panes->brought);
  }
  g_signal_emit_by_name (panes, "brought", c != NULL ? eve_name (c) : NULL);
}

GMenuModel *
panes_brought (GtkWidget *panes)
{
  return G_MENU_MODEL (SCOPE_PANES (panes)->brought);
}

GActionGroup *
panes_brought_actions (GtkWidget *panes)
{
  return G_ACTION_GROUP (SCOPE_PANES (panes)->view_actions);
}
