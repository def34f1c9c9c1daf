/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl+K: one field that finds commands, components (adds them), programs (opens them), tasks (selects them), marks,
 * events and dates (goes there), boxes, their settings and bookmarks (shows them), and help.  What is found is made new
 * each time it is opened; matching a few thousand names takes less than a frame. */
#include <string.h>
#include "document/box-commands.h"
#include "document/near.h"
#include "readers/box-commands.h"
#include "eve/words.h"
#include "session/notes.h"
#include "document/leads.h"
#include "document/unended.h"
#include "session/places.h"
#include "window/commands.h"
#include "window/displays.h"
#include "document/active-row.h"
#include "panes/panes.h"
#include "window/window-private.h"

#define SHOWN 40
#define IDLE_LATE 1000 /* after all that can be done */
#define REPLACES_LATE                                                                                                  \
  2 /* what takes the place of the program that is open: after what adds to it, or shows something */

typedef enum {
  FIND_COMMAND,
  FIND_COMPONENT,
  FIND_BOX,
  FIND_TASK,
  FIND_MARK,
  FIND_PROGRAM,
  FIND_KIND,  /* the next event of a kind */
  FIND_EVENT, /* one of a number */
  FIND_DATE,
  FIND_SETTING,
  FIND_BOOKMARK,
  FIND_HELP,
  FIND_DISPLAY,
  FIND_BOX_COMMAND, /* what: its box; setting: its name */
  FIND_OF_VIEW,     /* what: an action of the menu of the view with the focus; setting: its target */
} FindKind;
typedef struct Find {
  FindKind kind;
  char *name, *hint, *key; /* key: what is searched, in lower case */
  char *what;              /* action, class id, box, mark, path; NULL for tasks */
  size_t n_name;           /* bytes of the key that are the name */
  size_t weak;             /* bytes of the key from which on a word counts less: what something tells; 0: none */
  uint32_t task;           /* or the number of a kind */
  int64_t number;          /* of an event, from 1; a date, ticks */
  char *setting;
  int late;  /* after all that fit as well: by how much */
  bool idle; /* cannot be done now: its name says why */
} Find;

typedef struct Palette {
  ScopeWindow *window;
  ScopeDocument *doc;
  GtkWidget *all, *entry, *list, *nothing;
  GPtrArray *finds;    /* of Find * */
  GPtrArray *displays; /* of Display *: the gallery; read once */
  GPtrArray *typed;    /* the same, of what was typed: events of that number, dates */
  GtkWidget *focus;    /* who had it before; weak */
} Palette;

static void
palette_find_free (gpointer find)
{
  Find *f = find;

  g_free (f->name);
  g_free (f->hint);
  g_free (f->key);
  g_free (f->what);
  g_free (f->setting);
  g_free (f);
}

static Find *
palette_add_to (GPtrArray *finds, FindKind kind, const char *name, const char *hint, const char *what)
{
  Find *f = g_new0 (Find, 1);
  g_autofree char *both = g_strconcat (name, " ", hint, NULL), *folded = g_utf8_casefold (name, -1);

  f->kind = kind;
  f->name = g_strdup (name);
  f->hint = g_strdup (hint);
  f->what = g_strdup (what);
  f->key = g_utf8_casefold (both, -1);
  f->n_name = strlen (folded);
  g_ptr_array_add (finds, f);
  return f;
}

static Find *
palette_add (Palette *p, FindKind kind, const char *name, const char *hint, const char *what)
{
  return palette_add_to (p->finds, kind, name, hint, what);
}

/* Found by more than its name and hint: by that it counts less. */
static void
also_by (Find *f, const char *words)
{
  g_autofree char *more = g_utf8_casefold (words, -1), *all = g_strjoin (" ", f->key, more, NULL);

  f->weak = strlen (f->key);
  g_free (f->key);
  f->key = g_steal_pointer (&all);
}

/* ---- what there is ---------------------------------------------------------------------------------------------------------- */

/* The group that answers for "win.…" or "app.…" and the bare name; a command whose action is not there, or cannot be
 * done now, is not offered. */
static bool
can_do (Palette *p, const char *action)
{
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;
  GApplication *app = G_APPLICATION (gtk_window_get_application (GTK_WINDOW (p->window)));

  if (!g_action_parse_detailed_name (action, &name, &target, NULL))
    return false;
  GActionGroup *group = g_str_has_prefix (name, "app.") ? G_ACTION_GROUP (app) : G_ACTION_GROUP (p->window);
  return g_action_group_get_action_enabled (group, name + 4);
}

/* Or tells why it is none of this execution. */
static void
show_display (Palette *p, const Display *d, const char *path)
{
  if (*path) {
    displays_show (p->window, d, path);
    return;
  }
  g_autofree char *why = displays_why_not (d, scope_document_source (p->doc)->format);
  scope_document_say (p->doc, SCOPE_SAY_NOTE, "%s. %s", in_words (d->name), why);
}

/* Those of the gallery, by the names that people know them by, and by what they tell. */
static void
collect_displays (Palette *p, const GPtrArray *programs)
{
  p->displays = p->displays ? p->displays : displays_read ();
  for (guint i = 0; i < p->displays->len; ++i) {
    const Display *d = g_ptr_array_index (p->displays, i);
    const PlacesProgram *q = displays_program (d, programs);
    g_autofree char *hint = q ? g_strdup_printf (_ ("display, in %s"), in_words (q->title))
                              : g_strdup (_ ("display, not for this execution"));
    Find *f = palette_add (p, FIND_DISPLAY, in_words (d->name), hint, q ? q->path : "");
    f->late = q ? 0 : 5;
    g_autofree char *words = g_strjoin (" ", d->name, in_words (d->tells), NULL);
    also_by (f, words);
    f->task = i;
  }
}

/* Those on offer for this trace, also by what their line says, and the person's own. */
static void
collect_programs (Palette *p, const char *format)
{
  g_autoptr (GPtrArray) programs = places_programs (format);
  GList *recent = recent_list (RECENT_PROGRAMS);

  collect_displays (p, programs);
  for (guint i = 0; i < programs->len; ++i) {
    const PlacesProgram *q = g_ptr_array_index (programs, i);
    Find *f = palette_add (p, FIND_PROGRAM, in_words (q->title), _ ("program"), q->path);
    f->late = REPLACES_LATE;
    g_autofree char *words = g_strjoin (" ", in_words (q->question), in_words (q->doc), NULL);
    also_by (f, words);
  }
  for (GList *l = recent; l; l = l->next) {
    g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (l->data), NULL, NULL);
    if (path)
      palette_add (p, FIND_PROGRAM, gtk_recent_info_get_display_name (l->data), _ ("program of yours"), path)->late =
          REPLACES_LATE;
  }
  g_list_free_full (recent, (GDestroyNotify) gtk_recent_info_unref);
}

/* Events by what they are called. */
static void
collect_kinds (Palette *p, const TraceSource *source)
{
  for (uint32_t k = 0; k < source->n_kinds; ++k) {
    if (!source->kinds[k].name)
      continue;
    Find *f = palette_add (p, FIND_KIND, source->kinds[k].name, _ ("next event of this kind"), NULL);
    f->task = k;
    f->late = 1;
  }
}

static void
collect_settings (Palette *p, EveProgram *program)
{
  for (uint32_t i = 0; i < eve_n_components (program); ++i) {
    EveComponent *c = eve_component (program, i);
    const EveClass *k = eve_class (c);
    for (uint32_t s = 0; s < k->n_settings; ++s) {
      g_autofree char *value = eve_get (c, k->settings[s].name),
                      *name = g_strdup_printf (_ ("%s of %s"), k->settings[s].name, eve_name (c));
      g_autofree char *hint = g_strdup_printf (_ ("setting: %s"), value && *value ? value : _ ("not set"));
      Find *f = palette_add (p, FIND_SETTING, name, hint, eve_name (c));
      f->setting = g_strdup (k->settings[s].name);
      f->late = 2;
      if (k->settings[s].doc)
        also_by (f, k->settings[s].doc);
    }
  }
}

/* Settings of the window are in one place. */
static void
collect_preferences (Palette *p)
{
  static const struct {
    const char *name, *also;
  } all[] = { { N_ ("Light or dark"), N_ ("theme night contrast") },
              { N_ ("Colours: standard, for colour-blind readers, for print"), N_ ("theme palette color") },
              { N_ ("Unit of time: seconds, milliseconds, microseconds"), NULL },
              { N_ ("Size of text"), N_ ("font bigger larger smaller scale zoom") },
              { N_ ("Speed that a window begins with"), NULL },
              { N_ ("When states are saved while playing"), NULL },
              { N_ ("Memory for saved states"), NULL },
              { N_ ("Boxes added since, on travel back: they stay, or go"), NULL } };
  for (guint i = 0; i < G_N_ELEMENTS (all); ++i) {
    Find *f = palette_add (p, FIND_COMMAND, in_words (all[i].name), _ ("preference"), "app.preferences");
    f->late = 2;
    if (all[i].also)
      also_by (f, in_words (all[i].also));
  }
}

/* Commands that components have registered. */
static void
collect_box_commands (Palette *p, EveProgram *program)
{
  BoxCommand command;

  for (uint32_t c = 0; c < eve_n_components (program); ++c) {
    EveComponent *box = eve_component (program, c);
    const BoxCommands *of = eve_query (box, BOX_COMMANDS);
    for (uint32_t i = 0; of && i < 100 && of->at (box, i, &command); ++i) {
      g_autofree char *hint = g_strdup_printf (
          command.privileged ? _ ("command of %s, which asks") : _ ("command of %s"), eve_name (box));
      palette_add (p, FIND_BOX_COMMAND, in_words (command.label), hint, eve_name (box))->setting = g_strdup (
          command.name);
    }
  }
}

/* The label of a menu item without what marks its key: scope_menu_label() turned round; g_free. */
static char *
palette_name_of (const char *label)
{
  g_auto (GStrv) pieces = g_strsplit (label, "__", -1);

  for (char **piece = pieces; *piece; ++piece) {
    g_auto (GStrv) parts = g_strsplit (*piece, "_", -1);
    g_free (*piece);
    *piece = g_strjoinv ("", parts);
  }
  return g_strjoinv ("_", pieces);
}

/* What the menu has that the view with the focus brings, in words that say under what; what is the window's own is
 * found anyway. */
static void
collect_of_view (Palette *p, GMenuModel *menu, const char *under, int depth)
{
  for (int i = 0; depth < 6 && i < g_menu_model_get_n_items (menu); ++i) {
    g_autofree char *label = NULL, *action = NULL, *target = NULL;
    g_autoptr (GMenuModel) section = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION),
                           sub = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SUBMENU);
    g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_LABEL, "s", &label);
    g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_ACTION, "s", &action);
    g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_TARGET, "s", &target);
    g_autofree char *name = label ? palette_name_of (label) : NULL, *whole = NULL;
    if (name && under)
      whole = g_strdup_printf (_ ("%s: %s"), under, name);
    if (section)
      collect_of_view (p, section, under, depth + 1);
    if (sub && name)
      collect_of_view (p, sub, name, depth + 1);
    if (name && action && g_str_has_prefix (action, "view.setting")) {
      Find *f = palette_add (p, FIND_OF_VIEW, whole ? whole : name, _ ("of the view with the focus"), action);
      f->setting = g_steal_pointer (&target);
      f->idle = !g_action_group_get_action_enabled (panes_brought_actions (p->window->panes),
                                                    action + strlen ("view."));
      f->late = f->idle ? IDLE_LATE : 1;
    }
  }
}

static void
collect_help (Palette *p, const GPtrArray *classes)
{
  for (guint i = 0; i < classes->len; ++i) {
    const EveClass *k = g_ptr_array_index (classes, i);
    g_autofree char *name = g_strdup_printf (_ ("Help: %s"), in_words (k->label)),
                    *words = g_strjoin (" ", k->doc ? in_words (k->doc) : "", k->help ? in_words (k->help) : "", NULL);
    Find *f = palette_add (p, FIND_HELP, name, in_words (k->category), k->id);
    also_by (f, words);
    f->late = 4;
  }
}

static void
collect_bookmarks (Palette *p, EveProgram *program)
{
  g_autoptr (Notes) n = notes_read (program);

  for (guint i = 0; i < n->bookmarks->len; ++i) {
    const Bookmark *b = g_ptr_array_index (n->bookmarks, i);
    palette_add (p, FIND_BOOKMARK, b->name, _ ("bookmark of the program"), b->name);
  }
}

/* A number may be that of an event, or a date. */
static void
collect_typed (Palette *p, const char *text)
{
  TraceSource *s = scope_document_is_open (p->doc) ? scope_document_source (p->doc) : NULL;
  g_autofree char *digits = g_strdup (text);
  char *end = NULL;
  int64_t date;

  g_ptr_array_set_size (p->typed, 0);
  if (!s || !*text)
    return;
  char *bare = *digits == '#' ? digits + 1 : digits, *to = bare;
  for (const char *from = bare; *from; ++from) /* "3 104" */
    if (*from != ' ')
      *to++ = *from;
  *to = 0;
  guint64 number = g_ascii_strtoull (bare, &end, 10);
  if (g_ascii_isdigit (*bare) && !*end && number && number <= s->n_events) {
    g_autofree char *count = scope_number (number), *name = g_strdup_printf (_ ("Event %s"), count);
    palette_add_to (p->typed, FIND_EVENT, name, _ ("go there"), NULL)->number = (int64_t) number;
  }
  if (*bare && (trace_clock_typed (&s->clock, text, &date) || trace_clock_typed (&s->clock, bare, &date))
      && date >= s->first && date <= s->last) {
    char shown[64];
    trace_clock_print (&s->clock, date, shown, sizeof shown);
    g_autofree char *name = g_strdup_printf (_ ("Date %s"), shown);
    palette_add_to (p->typed, FIND_DATE, name, _ ("go there"), NULL)->number = date;
  }
}

static void
palette_collect (Palette *p)
{
  g_autofree char *also = NULL, *what = leads_what (p->doc, &also);
  const char *lead = leads_told (p->doc);

  if (!lead)
    lead = what; /* as the command is called that leads there */
  g_ptr_array_set_size (p->finds, 0);
  for (const CommandGroup *g = command_groups; g->title; ++g)
    for (const Command *c = g->commands; c->action; ++c)
      if (*c->action) {
        const char *leads = g_str_equal (c->action, "win.go-lead") ? lead : NULL;
        g_autofree char *key = command_key_label (c->action);
        Find *f = palette_add (p, FIND_COMMAND, leads ? leads : in_words (c->label),
                               leads ? _ ("go there")
                               : key ? key
                                     : in_words (g->title),
                               c->action);
        if (leads && also) {
          g_autofree char *both = g_strjoin (" ", in_words (c->also), also, NULL);
          also_by (f, both);
        } else if (c->also) {
          also_by (f, in_words (c->also));
        }
        f->idle = !can_do (p, c->action); /* that there is such a command is worth knowing */
        f->late = f->idle ? IDLE_LATE : 0;
      }
  g_autoptr (GPtrArray) classes = eve_registry_list ();
  collect_preferences (p);
  collect_help (p, classes);
  if (!scope_document_is_open (p->doc))
    return;
  EveProgram *program = scope_document_program (p->doc);
  TraceSource *source = scope_document_source (p->doc);
  Marks *marks = scope_document_marks (p->doc);

  collect_programs (p, source->format->name);
  int64_t began;
  const char *unended = unended_told (p->doc, &began);
  if (unended) {
    Find *f = palette_add (p, FIND_DATE, unended, _ ("go there"), NULL);
    f->number = began;
    also_by (f, _ ("deadlock stuck hang"));
  }
  for (guint i = 0; marks && i < marks->list->len; ++i) {
    const Mark *m = g_ptr_array_index (marks->list, i);
    char date[64];
    trace_clock_print (&source->clock, m->date, date, sizeof date);
    g_autofree char *hint = g_strdup_printf (_ ("mark at %s"), date);
    palette_add (p, FIND_MARK, m->name, hint, m->name);
  }
  for (uint32_t i = 0; i < eve_n_components (program); ++i) {
    EveComponent *c = eve_component (program, i);
    palette_add (p, FIND_BOX, eve_name (c), _ ("box of the program"), eve_name (c));
  }
  for (guint i = 0; i < classes->len; ++i) {
    const EveClass *k = g_ptr_array_index (classes, i);
    g_autofree char *hint = g_strdup_printf (_ ("add: %s"), in_words (k->category));
    palette_add (p, FIND_COMPONENT, in_words (k->label), hint, k->id);
  }
  collect_bookmarks (p, program);
  collect_box_commands (p, program);
  collect_of_view (p, panes_brought (p->window->panes), NULL, 0);
  collect_kinds (p, scope_document_view_source (p->doc));
  collect_settings (p, program);
  for (uint32_t t = 0; source && t < source->tasks->len; ++t) {
    const char *id = trace_task_id (source, t), *nick = trace_task (source, t)->nickname;
    g_autofree char *name = nick ? g_strdup_printf ("%s %s", id, nick) : g_strdup (id);
    palette_add (p, FIND_TASK, name, _ ("task"), NULL)->task = t;
  }
}

/* ---- finding ------------------------------------------------------------------------------------------------------------------ */

/* "mine-waits.eve" has the word "waits". */
static bool
palette_begins_word (const char *at)
{
  return !g_ascii_isalnum (at[-1]) && g_ascii_isprint (at[-1]);
}

/* Every word must be there; the better the earlier, best at the beginning of the name.  Negative: no. */
static int
score (const Find *f, char **words)
{
  int sum = 0;

  for (; *words; ++words) {
    const char *at = strstr (f->key, *words);
    if (!at)
      return -1;
    /* many displays are of the program that is looked for */
    size_t name = f->kind == FIND_DISPLAY ? f->n_name : f->weak;
    sum += name && at >= f->key + name ? 6 : at == f->key ? 0 : palette_begins_word (at) ? 1 : 3;
  }
  return sum + f->late;
}

typedef struct Hit {
  const Find *find;
  bool named; /* what was typed is its whole name */
  int score;
  guint order;
} Hit;

/* Displays come after others that fit as well: they bring more than one box. */
static int
better (gconstpointer a, gconstpointer b)
{
  const Hit *x = a, *y = b;
  bool p = x->find->kind == FIND_DISPLAY, q = y->find->kind == FIND_DISPLAY;

  return x->named != y->named   ? y->named - x->named
         : x->score != y->score ? x->score - y->score
         : p != q               ? p - q
                                : (x->order > y->order) - (x->order < y->order);
}

static GtkWidget *
palette_row_new (const Find *f)
{
  static const char *const icons[] = { "system-run-symbolic",      "list-add-symbolic",
                                       "view-grid-symbolic",       "view-list-symbolic",
                                       "bookmark-new-symbolic",    "document-open-symbolic",
                                       "go-next-symbolic",         "go-jump-symbolic",
                                       "go-jump-symbolic",         "document-properties-symbolic",
                                       "bookmark-new-symbolic",    "help-browser-symbolic",
                                       "image-x-generic-symbolic", "system-run-symbolic",
                                       "view-more-symbolic" };
  GtkWidget *row = active_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *name = gtk_label_new (f->name), *hint = gtk_label_new (f->hint);
  g_autofree char *spoken = g_strdup_printf ("%s, %s", f->name, f->hint);

  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (hint), "dim-label");
  gtk_box_pack_start (GTK_BOX (box), gtk_image_new_from_icon_name (icons[f->kind], GTK_ICON_SIZE_MENU), FALSE, FALSE,
                      0);
  gtk_box_pack_start (GTK_BOX (box), name, TRUE, TRUE, 0);
  gtk_box_pack_end (GTK_BOX (box), hint, FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (row), box);
  g_object_set_data (G_OBJECT (row), "find", (gpointer) f);
  atk_object_set_name (gtk_widget_get_accessible (row), spoken);
  gtk_widget_set_can_focus (row, FALSE); /* the field keeps it */
  gtk_widget_show_all (row);
  return row;
}

static void
palette_search (Palette *p)
{
  g_autofree char *text = g_utf8_casefold (gtk_entry_get_text (GTK_ENTRY (p->entry)), -1);
  g_auto (GStrv) words = g_strsplit (g_strstrip (text), " ", -1);
  g_autoptr (GArray) hits = g_array_new (FALSE, FALSE, sizeof (Hit));

  for (guint i = 0; i < p->finds->len; ++i) {
    Hit h = { g_ptr_array_index (p->finds, i), false, 0, i };
    h.score = score (h.find, words);
    h.named = strlen (text) == h.find->n_name && strncmp (h.find->key, text, h.find->n_name) == 0;
    if (h.score >= 0)
      g_array_append_val (hits, h);
  }
  g_array_sort (hits, better);
  clear_children (p->list);
  collect_typed (p, text);
  gtk_label_set_text (GTK_LABEL (p->nothing), _ ("Nothing of this name"));
  for (guint i = 0; i < p->typed->len; ++i)
    gtk_container_add (GTK_CONTAINER (p->list), palette_row_new (g_ptr_array_index (p->typed, i)));
  for (guint i = 0; i < hits->len && i < SHOWN; ++i)
    gtk_container_add (GTK_CONTAINER (p->list), palette_row_new (g_array_index (hits, Hit, i).find));
  gtk_list_box_select_row (GTK_LIST_BOX (p->list), gtk_list_box_get_row_at_index (GTK_LIST_BOX (p->list), 0));
  gtk_widget_set_visible (p->nothing, hits->len + p->typed->len == 0);
  gtk_widget_queue_draw (GTK_WIDGET (p->window)); /* its shadow falls on what lies below */
}

/* ---- opening, choosing, closing --------------------------------------------------------------------------------------------- */

static void
close_palette (Palette *p)
{
  GtkWidget *focus = p->focus;

  if (!gtk_widget_get_visible (p->all))
    return;
  gtk_widget_hide (p->all);
  g_clear_weak_pointer (&p->focus);
  gtk_window_set_focus (GTK_WINDOW (p->window), focus && gtk_widget_get_mapped (focus) ? focus : NULL);
}

static void
palette_act (Palette *p, const char *action, const char *target)
{
  g_action_group_activate_action (G_ACTION_GROUP (p->window), action, target ? g_variant_new_string (target) : NULL);
}

static void
palette_choose (Palette *p, const Find *chosen)
{
  Find f = *chosen;
  g_autofree char *what = g_strdup (f.what), *setting = g_strdup (f.setting), *name = NULL;
  g_autoptr (GVariant) target = NULL;

  if (chosen->idle) { /* what else there is stays in sight */
    g_autofree char *why = g_strdup_printf (_ ("This cannot be done now: %s"), chosen->name);
    gtk_label_set_text (GTK_LABEL (p->nothing), why);
    gtk_widget_show (p->nothing);
    return;
  }
  close_palette (p); /* first: a command may open it again, or look at the focus */
  switch (f.kind) {
  case FIND_COMMAND:
    g_action_parse_detailed_name (what, &name, &target, NULL);
    g_action_group_activate_action (g_str_has_prefix (name, "app.")
                                        ? G_ACTION_GROUP (gtk_window_get_application (GTK_WINDOW (p->window)))
                                        : G_ACTION_GROUP (p->window),
                                    name + 4, target);
    break;
  case FIND_COMPONENT:
    palette_act (p, "canvas-add-class", what);
    break;
  case FIND_PROGRAM:
    palette_act (p, "use-program", what);
    break;
  case FIND_BOX:
    palette_act (p, "canvas-show-box", what);
    break;
  case FIND_KIND:
    scope_document_go_kind (p->doc, f.task, false);
    break;
  case FIND_EVENT:
    scope_document_go_event (p->doc, (uint64_t) f.number);
    break;
  case FIND_DATE:
    scope_document_go_date (p->doc, f.number);
    break;
  case FIND_SETTING:
    g_action_group_activate_action (G_ACTION_GROUP (p->window), "canvas-show-setting",
                                    g_variant_new ("(ss)", what, setting));
    break;
  case FIND_BOX_COMMAND:
    box_command_do (p->doc, what, setting);
    break;
  case FIND_OF_VIEW:
    g_action_group_activate_action (panes_brought_actions (p->window->panes), what + strlen ("view."),
                                    setting ? g_variant_new_string (setting) : NULL);
    break;
  case FIND_BOOKMARK:
    palette_act (p, "canvas-go-bookmark", what);
    break;
  case FIND_HELP:
    palette_act (p, "help-class", what);
    break;
  case FIND_DISPLAY:
    show_display (p, g_ptr_array_index (p->displays, f.task), what);
    break;
  case FIND_TASK:
    scope_document_select_task (p->doc, f.task);
    break;
  case FIND_MARK: {
    const Mark *m = marks_find (scope_document_marks (p->doc), what);
    if (m)
      scope_document_go_mark (p->doc, m);
    break;
  }
  }
}

static void
palette_on_row (GtkListBox *list, GtkListBoxRow *row, Palette *p)
{
  palette_choose (p, g_object_get_data (G_OBJECT (row), "find"));
}

static gboolean
palette_enter (gpointer all)
{
  Palette *p = g_object_get_data (G_OBJECT (all), "palette");
  GtkListBoxRow *row = gtk_widget_get_mapped (all) ? gtk_list_box_get_selected_row (GTK_LIST_BOX (p->list)) : NULL;

  if (row) /* else the window was closed meanwhile */
    palette_choose (p, g_object_get_data (G_OBJECT (row), "find"));
  return G_SOURCE_REMOVE;
}

/* Not in here: a command may ask the person, and a screen reader that tells the field to go on gets no other answer
 * before it has one to that. */
static void
palette_on_enter (Palette *p)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, palette_enter, g_object_ref (p->all), g_object_unref);
}

static void
show_row (Palette *p, GtkListBoxRow *row)
{
  GtkAdjustment *a = gtk_scrollable_get_vadjustment (
      GTK_SCROLLABLE (gtk_widget_get_ancestor (p->list, GTK_TYPE_VIEWPORT)));
  GtkAllocation at;

  gtk_list_box_select_row (GTK_LIST_BOX (p->list), row);
  gtk_widget_get_allocation (GTK_WIDGET (row), &at);
  gtk_adjustment_clamp_page (a, at.y, at.y + at.height);
}

static gboolean
palette_on_key (GtkWidget *entry, GdkEventKey *event, Palette *p)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (GTK_LIST_BOX (p->list));
  int step = event->keyval == GDK_KEY_Down ? 1 : event->keyval == GDK_KEY_Up ? -1 : 0;

  if (event->keyval == GDK_KEY_Escape) {
    close_palette (p);
    return GDK_EVENT_STOP;
  }
  if (!step || !row)
    return GDK_EVENT_PROPAGATE;
  row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (p->list), gtk_list_box_row_get_index (row) + step);
  if (row)
    show_row (p, row);
  return GDK_EVENT_STOP;
}

void
palette_open (GtkWidget *all)
{
  Palette *p = g_object_get_data (G_OBJECT (all), "palette");

  if (gtk_widget_get_visible (all)) {
    close_palette (p);
    return;
  }
  g_set_weak_pointer (&p->focus, gtk_window_get_focus (GTK_WINDOW (p->window)));
  palette_collect (p);
  gtk_entry_set_text (GTK_ENTRY (p->entry), "");
  palette_search (p);
  gtk_widget_show (all);
  gtk_widget_grab_focus (p->entry);
}

/* A click elsewhere takes the focus, and closes. */
static gboolean
on_focus_out (GtkWidget *entry, GdkEventFocus *event, Palette *p)
{
  if (gtk_window_get_focus (GTK_WINDOW (p->window)) != entry) {
    gtk_widget_hide (p->all);
    g_clear_weak_pointer (&p->focus);
  }
  return GDK_EVENT_PROPAGATE;
}

static void
palette_free (gpointer palette)
{
  Palette *p = palette;

  g_clear_weak_pointer (&p->focus);
  g_ptr_array_unref (p->finds);
  if (p->displays)
    g_ptr_array_unref (p->displays);
  g_ptr_array_unref (p->typed);
  g_object_unref (p->doc);
  g_free (p);
}

GtkWidget *
palette_new (ScopeWindow *w)
{
  Palette *p = g_new0 (Palette, 1);
  GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL);

  p->window = w;
  p->doc = g_object_ref (scope_window_document (w));
  p->finds = g_ptr_array_new_with_free_func (palette_find_free);
  p->typed = g_ptr_array_new_with_free_func (palette_find_free);
  p->all = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  p->entry = gtk_search_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (p->entry),
                                  _ ("Command, program, component, box, setting, task, mark, event, date or help"));
  atk_object_set_name (gtk_widget_get_accessible (p->entry), _ ("Find"));
  p->list = gtk_list_box_new ();
  gtk_list_box_set_activate_on_single_click (GTK_LIST_BOX (p->list), TRUE);
  atk_object_set_name (gtk_widget_get_accessible (p->list), _ ("Found"));
  p->nothing = gtk_label_new (_ ("Nothing of this name"));
  gtk_style_context_add_class (gtk_widget_get_style_context (p->nothing), "dim-label");
  gtk_label_set_line_wrap (GTK_LABEL (p->nothing), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (p->nothing), 60);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), 380);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_container_add (GTK_CONTAINER (scrolled), p->list);
  gtk_box_pack_start (GTK_BOX (p->all), p->entry, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (p->all), p->nothing, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (p->all), scrolled, TRUE, TRUE, 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (p->all), "scope-card");
  gtk_widget_set_size_request (p->all, 520, -1);
  gtk_widget_set_halign (p->all, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (p->all, GTK_ALIGN_START);
  gtk_widget_set_margin_top (p->all, 8);
  atk_object_set_name (gtk_widget_get_accessible (p->all), _ ("Search"));
  gtk_widget_show_all (p->all);
  gtk_widget_hide (p->all);
  gtk_widget_set_no_show_all (p->all, TRUE);
  g_signal_connect_swapped (p->entry, "changed", G_CALLBACK (palette_search), p);
  g_signal_connect_swapped (p->entry, "activate", G_CALLBACK (palette_on_enter), p);
  g_signal_connect (p->entry, "key-press-event", G_CALLBACK (palette_on_key), p);
  g_signal_connect (p->entry, "focus-out-event", G_CALLBACK (on_focus_out), p);
  g_signal_connect (p->list, "row-activated", G_CALLBACK (palette_on_row), p);
  g_object_set_data_full (G_OBJECT (p->all), "palette", p, palette_free);
  return p->all;
}
