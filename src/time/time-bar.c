/* SPDX-License-Identifier: Apache-2.0 */
/* time-bar.c - playing, stepping and where time stands, above the ruler. */
#include <string.h>
#include "document/fold-box.h"
#include "eve/words.h"
#include "time/time.h"
#include "views/paint.h"

typedef struct Bar {
  ScopeDocument *d;
  GActionMap *actions; /* the window, once it has them */
  GtkWidget *root, *ruler, *play, *play_icon, *clock, *date, *event, *sentence, *speed, *record, *film, *status,
      *follow, *liveliest, *go_to, *go_entry, *go_why;
  GMenu *menu;
  bool tight;
} Bar;

GtkWidget *
time_label (const char *class, float align)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), align);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_style_context_add_class (gtk_widget_get_style_context (label), class);
  return label;
}

/* One digit more than what tells the mean distance of two events, as the axis of views does it. */
char *
time_text (ScopeDocument *d, int64_t date)
{
  TraceSource *s = scope_document_source (d);
  double mean = s ? trace_clock_seconds (&s->clock, s->last - s->first) / (double) MAX (s->n_events, 1) : 0;
  int decimals = 3;

  if (!s)
    return g_strdup ("");
  for (double step = 1e-3; decimals < 9 && step > mean / 2; step /= 10)
    decimals++;
  return axis_date (&s->clock, date, decimals);
}

char *
time_digits (ScopeDocument *d, int64_t date)
{
  TraceSource *s = scope_document_source (d);
  char *text = s ? axis_date_typed (&s->clock, date, -1) : g_strdup (""), *unit = g_strrstr (text, "\u2009");

  if (unit)
    *unit = '\0';
  return text;
}

bool
time_typed (ScopeDocument *d, const char *text, int64_t *date)
{
  TraceSource *s = scope_document_source (d);
  g_autoptr (GString) digits = g_string_new (NULL);

  for (const char *c = text; s && *c; c = g_utf8_next_char (c)) {
    gunichar u = g_utf8_get_char (c);
    if (u == ',')
      g_string_append_c (digits, '.');
    else if (!g_unichar_isspace (u) && u != 0x2009 && u != 0x202f)
      g_string_append_unichar (digits, u);
  }
  return s && (trace_clock_typed (&s->clock, text, date) || trace_clock_typed (&s->clock, digits->str, date));
}

bool
time_go_to (ScopeDocument *d, const char *text, char **why)
{
  TraceSource *s = scope_document_source (d);
  g_autofree char *wanted = g_strstrip (g_strdup (text));
  Marks *marks = scope_document_marks (d);
  int64_t date;
  char *end;

  if (!s || !*wanted)
    return false;
  if (*wanted == '@') {
    const Mark *m = marks ? marks_find (marks, wanted + 1) : NULL;
    if (m)
      scope_document_go_mark (d, m);
    else
      *why = g_strdup_printf (_ ("There is no mark “%s”"), wanted + 1);
    return m != NULL;
  }
  if (*wanted == '#') {
    uint64_t number = g_ascii_strtoull (wanted + 1, &end, 10);
    if (!g_ascii_isdigit (wanted[1]) || *end || number > s->n_events) {
      *why = g_strdup_printf (_ ("Events are numbered from #0 to #%" PRIu64), s->n_events);
      return false;
    }
    scope_document_go_event (d, number);
    return true;
  }
  if (!time_typed (d, wanted, &date)) {
    if (s->clock.dates && s->clock.dates->hint) {
      *why = g_strdup_printf (_ ("Type %s, a mark (@name) or an event (#1000)"), in_words (s->clock.dates->hint));
      return false;
    }
    *why = g_strdup (_ ("Type seconds (0.25), a time with its unit (20 ms), a mark (@name) or an event (#1000)"));
    return false;
  }
  if (date < scope_document_first (d) || date > scope_document_last (d)) {
    g_autofree char *first = time_text (d, scope_document_first (d)), *last = time_text (d, scope_document_last (d));
    *why = g_strdup_printf (_ ("The execution goes from %s to %s%s"), first, last,
                            s->clock.zero != 0 ? _ ("; +1.5 is 1.5 s from its beginning") : "");
    return false;
  }
  scope_document_go_date (d, date);
  return true;
}

/* ---- what is shown ---------------------------------------------------------------------------------------------------- */

static void
time_bar_set_text (GtkWidget *label, const char *text)
{
  if (strcmp (gtk_label_get_text (GTK_LABEL (label)), text))
    gtk_label_set_text (GTK_LABEL (label), text);
}

/* Before the first event there is nothing to be seen in views of an instant: the step to where there is. */
static void
time_bar_offer (Bar *b)
{
  int64_t date;
  bool empty = scope_document_is_open (b->d) && !b->tight && scope_document_event (b->d) == 0
               && scope_document_mode (b->d) == SCOPE_MODE_PAUSED
               && scope_document_film_state (b->d, NULL) == FILM_COMPLETE;

  gtk_widget_set_visible (b->liveliest, empty && scope_document_liveliest (b->d, &date));
}

/* What a screen reader tells when it is asked for the status line: its name, then the labels in it. */
static void
time_bar_tell_status (Bar *b, const char *where)
{
  static const char *const modes[] = { N_ ("Nothing is open"), N_ ("Paused"), N_ ("Playing"), N_ ("Travelling"),
                                       N_ ("Stopped by a failure") };
  const char *mode = scope_document_follows (b->d) ? _ ("Following") : in_words (modes[scope_document_mode (b->d)]);
  guint silent = scope_document_silent (b->d);
  g_autofree char *no_data = silent ? g_strdup_printf (_ (", no data for %u\u2009s"), silent) : g_strdup ("");
  g_autofree char *told = g_strdup_printf (_ ("%s: %s%s"), mode, where, no_data);

  atk_object_set_name (gtk_widget_get_accessible (b->status), told);
}

/* Of a trace that is still being written: whether time goes along, and that nothing comes. */
static void
time_bar_tell_live (Bar *b)
{
  guint silent = scope_document_silent (b->d);
  bool follows = scope_document_follows (b->d);
  g_autofree char *text = silent    ? g_strdup_printf (_ ("%s No data for %u\u2009s"), follows ? "●" : "○", silent)
                          : follows ? g_strdup (_ ("● Following"))
                                    : g_strdup (_ ("○ Follow"));

  gtk_widget_set_visible (b->follow, scope_document_is_live (b->d));
  if (g_strcmp0 (gtk_button_get_label (GTK_BUTTON (b->follow)), text))
    gtk_button_set_label (GTK_BUTTON (b->follow), text);
  gtk_widget_set_tooltip_text (b->follow,
                               follows ? _ ("The present goes along with the trace, which is still being written")
                                       : _ ("The trace is still being written: to its newest instant, and "
                                            "along (L)"));
}

static void
time_bar_on_time (Bar *b)
{
  TraceSource *s = scope_document_source (b->d);

  if (!s)
    return;
  g_autofree char *at = axis_date (&s->clock, scope_document_cursor (b->d), -1),
                  *sentence = scope_document_sentence (b->d);
  g_autofree char *event = scope_document_events (b->d);
  time_bar_set_text (b->date, at);
  time_bar_set_text (b->event, event);
  g_autofree char *told = g_strdup_printf ("%s, %s", at,
                                           event); /* a button hides its labels from assistive technology */
  atk_object_set_description (gtk_widget_get_accessible (b->clock), told);
  time_bar_tell_live (b);
  time_bar_set_text (b->sentence, sentence);
  gtk_widget_set_tooltip_text (b->sentence, sentence);
  time_bar_tell_status (b, told);
  time_bar_offer (b);
}

/* What the menus show as chosen is what the document has, whoever chose it: the preferences do too. */
static void
set_choice (Bar *b, const char *name, const char *choice)
{
  GAction *a = b->actions ? g_action_map_lookup_action (b->actions, name) : NULL;
  g_autoptr (GVariant) state = a ? g_action_get_state (a) : NULL;

  if (state && strcmp (g_variant_get_string (state, NULL), choice))
    g_simple_action_set_state (G_SIMPLE_ACTION (a), g_variant_new_string (choice));
}

static void
on_mode (Bar *b)
{
  ScopeMode mode = scope_document_mode (b->d);
  bool playing = mode == SCOPE_MODE_PLAYING;
  g_autofree char *label = speed_label (b->d), *target = speed_target (b->d), *speed = NULL, *record = NULL;

  gtk_image_set_from_icon_name (GTK_IMAGE (b->play_icon),
                                playing ? "media-playback-pause-symbolic" : "media-playback-start-symbolic",
                                GTK_ICON_SIZE_BUTTON);
  atk_object_set_name (gtk_widget_get_accessible (b->play), playing ? _ ("Pause") : _ ("Play"));
  gtk_widget_set_tooltip_text (b->play, playing ? _ ("Pause (Space)") : _ ("Play (Space)"));
  time_bar_on_time (b);
  speed = g_strdup_printf (_ ("Speed: %s"), label);
  gtk_button_set_label (GTK_BUTTON (b->speed), speed);
  set_choice (b, "speed", target);
  const char *strategy = scope_document_strategy (b->d);
  bool off = g_str_equal (strategy, "none");
  set_choice (b, "record", strategy);
  record = g_strdup_printf (_ ("%s Record: %s"), off ? "○" : "●",
                            off                                 ? _ ("off")
                            : g_str_equal (strategy, "default") ? _ ("on")
                                                                : strategy);
  gtk_button_set_label (GTK_BUTTON (b->record), record);
}

static void
time_bar_on_film (Bar *b)
{
  double share;
  FilmState state = scope_document_film_state (b->d, &share);
  const char *problem = scope_document_film_problem (b->d);
  g_autofree char *text = NULL;

  if (scope_document_is_live (b->d) && !problem)
    text = NULL; /* it grows with the trace */
  else if (state == FILM_SHOOTING)
    text = g_strdup_printf (_ ("Shooting the film: %.0f\u2009%%"), 100 * share);
  else if (problem || state == FILM_STOPPED || state == FILM_FAILED)
    text = g_strdup_printf (_ ("The film ends at %.0f\u2009%%"), 100 * share);
  gtk_widget_set_visible (b->film, text != NULL);
  if (text)
    time_bar_set_text (b->film, text);
  gtk_widget_set_tooltip_text (b->film, problem);
  time_bar_offer (b);
}

static void
time_bar_on_opened (Bar *b)
{
  gtk_widget_set_sensitive (b->root, scope_document_is_open (b->d));
  time_bar_on_time (b);
  on_mode (b);
  time_bar_on_film (b);
}

/* ---- go to ------------------------------------------------------------------------------------------------------------- */

static void
on_go_typed (Bar *b)
{
  gtk_widget_hide (b->go_why);
}

static void
on_go_done (Bar *b)
{
  g_autofree char *why = NULL;

  if (time_go_to (b->d, gtk_entry_get_text (GTK_ENTRY (b->go_entry)), &why)) {
    gtk_popover_popdown (GTK_POPOVER (b->go_to));
    return;
  }
  time_bar_set_text (b->go_why, why ? why : "");
  gtk_widget_set_visible (b->go_why, why != NULL);
}

static void
open_go_to (Bar *b)
{
  g_autofree char *date = time_digits (b->d, scope_document_cursor (b->d));

  gtk_entry_set_text (GTK_ENTRY (b->go_entry), date);
  gtk_widget_hide (b->go_why);
  gtk_popover_popup (GTK_POPOVER (b->go_to));
  gtk_widget_grab_focus (b->go_entry);
}

static GtkWidget *
make_go_to (Bar *b, GtkWidget *over)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *hint = time_label ("dim-label", 0);

  b->go_to = gtk_popover_new (over);
  b->go_entry = gtk_entry_new ();
  b->go_why = time_label ("error", 0);
  gtk_label_set_text (GTK_LABEL (hint), _ ("Seconds, @mark or #event"));
  gtk_label_set_ellipsize (GTK_LABEL (b->go_why), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_line_wrap (GTK_LABEL (b->go_why), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (b->go_why), 30);
  gtk_widget_set_no_show_all (b->go_why, TRUE);
  g_object_set (box, "margin", 10, NULL);
  gtk_container_add (GTK_CONTAINER (box), b->go_entry);
  gtk_container_add (GTK_CONTAINER (box), mark_offers_new (b->d, b->go_entry));
  gtk_container_add (GTK_CONTAINER (box), hint);
  gtk_container_add (GTK_CONTAINER (box), b->go_why);
  gtk_container_add (GTK_CONTAINER (b->go_to), box);
  gtk_widget_show_all (box);
  atk_object_set_name (gtk_widget_get_accessible (b->go_entry), _ ("Go to"));
  g_signal_connect_swapped (b->go_entry, "changed", G_CALLBACK (on_go_typed), b);
  g_signal_connect_swapped (b->go_entry, "activate", G_CALLBACK (on_go_done), b);
  return b->go_to;
}

/* ---- actions ------------------------------------------------------------------------------------------------------------ */

typedef struct Action {
  const char *name;
  void (*act) (Bar *b);
} Action;

static void
play_pause (Bar *b)
{
  if (scope_document_mode (b->d) == SCOPE_MODE_PLAYING)
    scope_document_pause (b->d);
  else
    scope_document_play (b->d);
}

static void
step_event (Bar *b)
{
  scope_document_step_event (b->d, 1);
}

static void
back_event (Bar *b)
{
  scope_document_step_event (b->d, -1);
}

static void
step_date (Bar *b)
{
  scope_document_step_date (b->d, 1);
}

static void
back_date (Bar *b)
{
  scope_document_step_date (b->d, -1);
}

static void
go_first (Bar *b)
{
  scope_document_go_first (b->d);
}

static void
time_bar_follow (Bar *b)
{
  if (scope_document_is_live (b->d))
    scope_document_follow (b->d);
  else
    scope_document_say (b->d, SCOPE_SAY_NOTE, _ ("Nobody is writing this trace any more: it can only be played"));
}

static void
go_last (Bar *b)
{
  scope_document_go_last (b->d);
}

static void
back_task (Bar *b)
{
  if (scope_document_selected_task (b->d) == TRACE_NONE)
    scope_document_say (b->d, SCOPE_SAY_NOTE, _ ("Select a task first: then this goes back to its previous event"));
  else
    scope_document_back_task (b->d, scope_document_selected_task (b->d));
}

static void
time_bar_edit_mark (Bar *b, const char *mark, int64_t date)
{
  GdkRectangle at;

  time_ruler_flag (b->ruler, date, &at);
  mark_editor_open (b->d, b->ruler, &at, GTK_POS_TOP, mark);
}

/* Who marks an instant goes on; who does so once more names what is there. */
static void
time_bar_mark_here (Bar *b)
{
  Marks *marks = scope_document_marks (b->d);
  int64_t now = scope_document_cursor (b->d);
  const Mark *there = NULL;

  for (guint i = 0; marks && i < marks->list->len; ++i)
    if (((const Mark *) marks->list->pdata[i])->date == now)
      there = marks->list->pdata[i];
  if (there)
    time_bar_edit_mark (b, there->name, now);
  else
    scope_document_add_mark (b->d, NULL, now, NULL);
}

static void
on_mark_at (GSimpleAction *a, GVariant *parameter, gpointer data)
{
  Bar *b = data;
  const char *what;
  int64_t date;

  g_variant_get (parameter, "(&sx)", &what, &date);
  g_autofree char *mark = scope_document_is_open (b->d) ? mark_make (b->d, *what ? what : NULL, date) : NULL;
  if (mark)
    time_bar_edit_mark (b, mark, date);
}

static void
to_mark (Bar *b, int direction)
{
  Marks *marks = scope_document_marks (b->d);
  int64_t at = scope_document_cursor (b->d);
  const Mark *best = NULL;

  for (guint i = 0; marks && i < marks->list->len; ++i) {
    const Mark *m = marks->list->pdata[i];
    if (direction > 0 ? m->date > at && !best : m->date < at)
      best = m;
  }
  if (best)
    scope_document_go_mark (b->d, best);
}

static void
next_mark (Bar *b)
{
  to_mark (b, 1);
}

static void
previous_mark (Bar *b)
{
  to_mark (b, -1);
}

static void
save_state (Bar *b)
{
  TraceSource *s = scope_document_source (b->d);
  g_autofree char *date = s ? axis_date (&s->clock, scope_document_at (b->d), -1) : g_strdup ("");
  g_autofree char *name = g_strdup_printf (_ ("at %s"), date);

  if (scope_document_mode (b->d) == SCOPE_MODE_PLAYING)
    scope_document_pause (b->d);
  scope_document_save_checkpoint (b->d, name);
}

static void
reshoot (Bar *b)
{
  scope_document_reshoot (b->d);
}

static void
own_speed (Bar *b)
{
  speed_ask (b->speed, gtk_widget_get_mapped (b->speed) ? b->speed : b->clock);
}

static void
ask_executions (Bar *b)
{
  executions_ask (b->d, GTK_WINDOW (gtk_widget_get_toplevel (b->speed)));
}

static void
go_liveliest (Bar *b)
{
  int64_t date;

  if (scope_document_liveliest (b->d, &date))
    scope_document_go_date (b->d, date);
}

static const Action actions[] = {
  { "play-pause", play_pause },     { "step-event", step_event },
  { "back-event", back_event },     { "step-date", step_date },
  { "back-date", back_date },       { "go-first", go_first },
  { "go-last", go_last },           { "follow", time_bar_follow },
  { "go-to", open_go_to },          { "stop", go_first },
  { "back-task", back_task },       { "mark", time_bar_mark_here },
  { "next-mark", next_mark },       { "previous-mark", previous_mark },
  { "save-state", save_state },     { "reshoot", reshoot },
  { "speed-own", own_speed },       { "executions", ask_executions },
  { "go-liveliest", go_liveliest },
};

static void
time_bar_on_action (GSimpleAction *a, GVariant *parameter, gpointer data)
{
  Bar *b = data;
  const char *name = g_action_get_name (G_ACTION (a));

  for (guint i = 0; i < G_N_ELEMENTS (actions); ++i)
    if (g_str_equal (actions[i].name, name) && scope_document_is_open (b->d))
      actions[i].act (b);
}

static void
on_go_mark (GSimpleAction *a, GVariant *parameter, gpointer data)
{
  Bar *b = data;
  Marks *marks = scope_document_marks (b->d);
  const Mark *m = marks ? marks_find (marks, g_variant_get_string (parameter, NULL)) : NULL;

  if (m)
    scope_document_go_mark (b->d, m);
}

/* "full", "events 1000", "time 0.01" */
static void
on_speed (GSimpleAction *a, GVariant *parameter, gpointer data)
{
  Bar *b = data;
  const char *text = g_variant_get_string (parameter, NULL);
  double value = strchr (text, ' ') ? g_ascii_strtod (strchr (text, ' '), NULL) : 0;

  if (g_str_has_prefix (text, "events ") && value > 0)
    scope_document_set_speed (b->d, SCOPE_SPEED_EVENTS, value);
  else if (g_str_has_prefix (text, "time ") && value > 0)
    scope_document_set_speed (b->d, SCOPE_SPEED_TIME, value);
  else
    scope_document_set_speed (b->d, SCOPE_SPEED_FULL, 0);
}

static void
time_bar_on_record (GSimpleAction *a, GVariant *parameter, gpointer data)
{
  Bar *b = data;

  scope_document_set_strategy (b->d, g_variant_get_string (parameter, NULL));
}

void
time_add_actions (GActionMap *window, GtkWidget *time_bar)
{
  Bar *b = g_object_get_data (G_OBJECT (time_bar), "bar");
  static const GActionEntry more[] = {
    { "go-mark", on_go_mark, "s", NULL, NULL, { 0 } },
    { "mark-at", on_mark_at, "(sx)", NULL, NULL, { 0 } },
    { "speed", on_speed, "s", "'full'", NULL, { 0 } },
    { "record", time_bar_on_record, "s", "'default'", NULL, { 0 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (actions); ++i) {
    GActionEntry one = { .name = actions[i].name, .activate = time_bar_on_action };
    g_action_map_add_action_entries (window, &one, 1, b);
  }
  g_action_map_add_action_entries (window, more, G_N_ELEMENTS (more), b);
  b->actions = window;
  on_mode (b);
}

/* ---- the bar -------------------------------------------------------------------------------------------------------------- */

static GtkWidget *
time_bar_add_button (GtkWidget *to, const char *icon, const char *name, const char *tip, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon, GTK_ICON_SIZE_BUTTON);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tip);
  gtk_widget_set_focus_on_click (button, FALSE);
  atk_object_set_name (gtk_widget_get_accessible (button), name);
  gtk_container_add (GTK_CONTAINER (to), button);
  return button;
}

static GtkWidget *
time_bar_menu_button (GMenu *menu, const char *name)
{
  GtkWidget *button = gtk_menu_button_new ();

  gtk_menu_button_set_use_popover (GTK_MENU_BUTTON (button), FALSE); /* a menu shows the keys */
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_menu_button_set_direction (GTK_MENU_BUTTON (button), GTK_ARROW_UP);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  atk_object_set_name (gtk_widget_get_accessible (button), name);
  g_object_unref (menu);
  return button;
}

static void
time_bar_add_choice (GMenu *menu, const char *label, const char *action, const char *target)
{
  GMenuItem *item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, action, "s", target);
  g_menu_append_item (menu, item);
  g_object_unref (item);
}

static GtkWidget *
make_record (void)
{
  GMenu *menu = g_menu_new (), *how = g_menu_new (), *now = g_menu_new ();

  time_bar_add_choice (how, _ ("Off: only by hand"), "win.record", "none");
  time_bar_add_choice (how, _ ("Usual"), "win.record", "default");
  time_bar_add_choice (how, _ ("Every 100,000 events"), "win.record", "events=100000");
  time_bar_add_choice (how, _ ("A twentieth of the time at most (5 %)"), "win.record", "share=5");
  time_bar_add_choice (how, _ ("When playing again would take 100 ms"), "win.record", "replay=100");
  time_bar_add_choice (how, _ ("100 ms apart, in at most 16 MiB"), "win.record", "replay=100+bytes=16777216");
  g_menu_append (now, _ ("Save the state now"), "win.save-state");
  g_menu_append (now, _ ("Shoot the film again"), "win.reshoot");
  g_menu_append_section (menu, _ ("States while playing"), G_MENU_MODEL (how));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (now));
  g_object_unref (how);
  g_object_unref (now);
  return time_bar_menu_button (menu, _ ("Record"));
}

#define EVENT_CHARS 26    /* so that what stands behind it does not move with each digit */
#define SENTENCE_CHARS 16 /* less would say nothing */

void
time_bar_add (GtkWidget *bar, GtkWidget *button)
{
  Bar *b = g_object_get_data (G_OBJECT (bar), "bar");

  gtk_box_pack_end (GTK_BOX (b->status), button, FALSE, FALSE, 0);
}

void
time_bar_set_room (GtkWidget *bar, bool low, bool tight)
{
  Bar *b = g_object_get_data (G_OBJECT (bar), "bar");

  time_ruler_set_low (b->ruler, low);
  gtk_label_set_width_chars (GTK_LABEL (b->event), tight ? EVENT_CHARS / 2 : EVENT_CHARS);
  gtk_label_set_ellipsize (GTK_LABEL (b->event), tight ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
  gtk_label_set_width_chars (GTK_LABEL (b->sentence), tight ? SENTENCE_CHARS / 2 : SENTENCE_CHARS);
  gtk_widget_set_visible (b->speed, !tight); /* the menu has them */
  gtk_widget_set_visible (b->record, !tight);
  if (b->tight != tight) {
    b->tight = tight;
    time_bar_offer (b);
  }
}

static GMenu *
time_bar_make_menu (Bar *b)
{
  static const char *const does[][2] = {
    { N_ ("Play or pause"), "win.play-pause" },     { N_ ("To the beginning"), "win.go-first" },
    { N_ ("Back one date"), "win.back-date" },      { N_ ("Back one event"), "win.back-event" },
    { N_ ("Forward one event"), "win.step-event" }, { N_ ("Forward one date"), "win.step-date" },
    { N_ ("To the end"), "win.go-last" },           { N_ ("Go to…"), "win.go-to" },
    { N_ ("Mark this instant"), "win.mark" },       { N_ ("Follow"), "win.follow" },
  };
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) steps = g_menu_new (), how = g_menu_new ();

  for (guint i = 0; i < G_N_ELEMENTS (does); ++i)
    g_menu_append (steps, in_words (does[i][0]), does[i][1]);
  g_menu_append_submenu (how, _ ("Speed"), gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (b->speed)));
  g_menu_append_submenu (how, _ ("Record"), gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (b->record)));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (steps));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (how));
  return menu;
}

GMenuModel *
time_bar_menu (GtkWidget *bar)
{
  return G_MENU_MODEL (((Bar *) g_object_get_data (G_OBJECT (bar), "bar"))->menu);
}

static void
time_bar_on_destroy (GtkWidget *root, Bar *b)
{
  g_signal_handlers_disconnect_by_data (b->d, b);
  g_clear_object (&b->menu);
}

GtkWidget *
time_bar_new (ScopeDocument *d)
{
  Bar *b = g_new0 (Bar, 1);
  GtkWidget *row = fold_box_new (10), *buttons = fold_box_new (4);
  GtkWidget *clock = b->clock = gtk_button_new (), *clock_box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  b->d = d;
  b->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  gtk_style_context_add_class (gtk_widget_get_style_context (b->root), "time-bar");
  g_object_set_data_full (G_OBJECT (b->root), "bar", b, g_free);
  atk_object_set_name (gtk_widget_get_accessible (b->root), _ ("Time panel"));

  time_bar_add_button (buttons, "media-skip-backward-symbolic", _ ("To the beginning"), _ ("To the beginning (Home)"),
                       "win.go-first");
  fold_box_order (time_bar_add_button (buttons, "media-seek-backward-symbolic", _ ("Back one date"),
                                       _ ("Back to the date before (<)"), "win.back-date"),
                  1);
  time_bar_add_button (buttons, "go-previous-symbolic", _ ("Back one event"), _ ("Back one event (,)"),
                       "win.back-event");
  b->play = time_bar_add_button (buttons, "media-playback-start-symbolic", _ ("Play"), _ ("Play (Space)"),
                                 "win.play-pause");
  b->play_icon = gtk_image_new ();
  gtk_button_set_image (GTK_BUTTON (b->play), b->play_icon);
  gtk_style_context_add_class (gtk_widget_get_style_context (b->play), "suggested-action");
  gtk_widget_set_size_request (b->play, 48, -1);
  time_bar_add_button (buttons, "go-next-symbolic", _ ("Forward one event"), _ ("Forward one event (.)"),
                       "win.step-event");
  fold_box_order (time_bar_add_button (buttons, "media-seek-forward-symbolic", _ ("Forward one date"),
                                       _ ("To the end of the next date (>)"), "win.step-date"),
                  1);
  time_bar_add_button (buttons, "media-skip-forward-symbolic", _ ("To the end"), _ ("To the end (End)"), "win.go-last");
  gtk_widget_set_valign (buttons, GTK_ALIGN_CENTER);

  b->date = time_label ("time-date", 0);
  b->event = time_label ("time-event", 0);
  gtk_label_set_ellipsize (GTK_LABEL (b->date), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_ellipsize (GTK_LABEL (b->event), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_width_chars (GTK_LABEL (b->date), 13);
  gtk_label_set_width_chars (GTK_LABEL (b->event), EVENT_CHARS);
  gtk_container_add (GTK_CONTAINER (clock_box), b->date);
  gtk_container_add (GTK_CONTAINER (clock_box), b->event);
  gtk_container_add (GTK_CONTAINER (clock), clock_box);
  gtk_button_set_relief (GTK_BUTTON (clock), GTK_RELIEF_NONE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (clock), "win.go-to");
  gtk_widget_set_tooltip_text (clock, _ ("Go to a date, a mark or an event (G)"));
  gtk_widget_set_focus_on_click (clock, FALSE);
  atk_object_set_name (gtk_widget_get_accessible (clock), _ ("Present"));
  make_go_to (b, clock);

  b->sentence = time_label ("time-sentence", 0);
  gtk_label_set_width_chars (GTK_LABEL (b->sentence), SENTENCE_CHARS);
  atk_object_set_description (gtk_widget_get_accessible (b->sentence), _ ("The present event"));
  b->film = time_label ("dim-label", 1);
  gtk_label_set_ellipsize (GTK_LABEL (b->film), PANGO_ELLIPSIZE_NONE);
  gtk_widget_set_no_show_all (b->film, TRUE);
  b->status = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  atk_object_set_role (gtk_widget_get_accessible (b->status), ATK_ROLE_STATUSBAR);
  b->speed = time_bar_menu_button (speed_menu (d), _ ("Speed"));
  b->record = make_record ();
  b->menu = time_bar_make_menu (b);

  gtk_box_pack_start (GTK_BOX (row), buttons, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (row), clock, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (b->status), b->sentence, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (b->status), b->film, FALSE, FALSE, 0);
  b->liveliest = gtk_button_new_with_label (_ ("Where most happens"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (b->liveliest), "win.go-liveliest");
  gtk_widget_set_tooltip_text (b->liveliest, _ ("To the instant at which most tasks live and most happens: before the "
                                                "first event, views of an instant have nothing to show"));
  gtk_widget_set_focus_on_click (b->liveliest, FALSE);
  gtk_widget_set_valign (b->liveliest, GTK_ALIGN_CENTER);
  gtk_widget_set_no_show_all (b->liveliest, TRUE);
  b->follow = gtk_button_new_with_label ("");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (b->follow), "win.follow");
  gtk_widget_set_focus_on_click (b->follow, FALSE);
  gtk_widget_set_valign (b->follow, GTK_ALIGN_CENTER);
  gtk_widget_set_no_show_all (b->follow, TRUE);
  atk_object_set_name (gtk_widget_get_accessible (b->follow), _ ("Follow"));
  gtk_box_pack_start (GTK_BOX (row), b->status, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (row), b->liveliest, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (row), b->follow, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (row), b->speed, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (row), b->record, FALSE, FALSE, 0);
  fold_box_order (b->record, 1);
  fold_box_order (b->speed, 2);
  fold_box_order (b->liveliest, 3); /* the search has it */
  gtk_widget_set_margin_start (row, 12);
  gtk_widget_set_margin_end (row, 12);
  gtk_widget_set_margin_top (row, 6);
  gtk_container_add (GTK_CONTAINER (b->root), row);
  b->ruler = time_ruler_new (d);
  gtk_container_add (GTK_CONTAINER (b->root), b->ruler);

  g_signal_connect_swapped (d, "opened", G_CALLBACK (time_bar_on_opened), b);
  g_signal_connect_swapped (d, "activity", G_CALLBACK (time_bar_on_time), b); /* told with every "time" that lasts */
  g_signal_connect_swapped (d, "program", G_CALLBACK (time_bar_on_time), b);  /* it may have shifted the dates */
  g_signal_connect_swapped (d, "look", G_CALLBACK (time_bar_on_time), b);     /* or the unit of dates */
  g_signal_connect_swapped (d, "mode", G_CALLBACK (on_mode), b);
  g_signal_connect_swapped (d, "film", G_CALLBACK (time_bar_on_film), b);
  g_signal_connect (b->root, "destroy", G_CALLBACK (time_bar_on_destroy), b);
  time_bar_on_opened (b);
  gtk_widget_show_all (b->root);
  return b->root;
}
