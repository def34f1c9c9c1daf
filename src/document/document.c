/* SPDX-License-Identifier: Apache-2.0 */
/* document.c - opening, editing, saving, selection, look; time.c plays and travels, film.c has films
 * shot. */
#include <string.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "session/cut.h"
#include "session/places.h"
#include "document/agreements.h"
#include "document/private.h"
#include "document/usual.h"
#include "views/paint.h"
#include "session/nearby.h"

G_DEFINE_TYPE (ScopeDocument, scope_document, G_TYPE_OBJECT)

static guint signals[DOC_N_SIGNALS];

void
document_tell (ScopeDocument *d, int signal)
{
  if (signal == DOC_FILM && d->session)
    session_cut_film_grew (d->session);
  g_signal_emit (d, signals[signal], 0);
}

void
document_set_mode (ScopeDocument *d, ScopeMode mode)
{
  if (d->mode == mode)
    return;
  d->mode = mode;
  document_tell (d, DOC_MODE);
}

/* ---- long work --------------------------------------------------------------------------------------------------- */

#define BUSY_AFTER_US (300 * 1000)
#define BUSY_EVERY_US (50 * 1000)

/* Long work runs inside a handler; what is drawn and pressed meanwhile goes on in here.  Only the overlay with its
 * button can be pressed then, since the window is insensitive while there is something in `busy`. */
static bool
document_on_progress (void *arg, const char *doing, double share)
{
  ScopeDocument *d = arg;
  int64_t now = g_get_monotonic_time ();

  if (!d->busy_since_us)
    d->busy_since_us = now;
  d->busy_share = share;
  if (now - d->busy_since_us < BUSY_AFTER_US || now - d->busy_told_us < BUSY_EVERY_US)
    return !d->cancelled;
  d->busy_told_us = now;
  if (g_strcmp0 (d->busy, doing)) {
    g_free (d->busy);
    d->busy = g_strdup (doing);
  }
  document_tell (d, DOC_BUSY);
  while (!d->cancelled && g_main_context_iteration (NULL, FALSE))
    if (g_get_monotonic_time () - now > BUSY_EVERY_US)
      break;
  return !d->cancelled;
}

void
document_work_begins (ScopeDocument *d)
{
  d->cancelled = false;
  d->busy_since_us = d->busy_told_us = 0;
}

void
document_work_ends (ScopeDocument *d)
{
  bool told = d->busy != NULL;

  g_clear_pointer (&d->busy, g_free);
  d->busy_since_us = 0;
  d->cancelled = false;
  if (told)
    document_tell (d, DOC_BUSY);
}

const char *
scope_document_busy (ScopeDocument *d, double *share)
{
  if (share)
    *share = d->busy_share;
  return d->busy;
}

void
scope_document_cancel (ScopeDocument *d)
{
  d->cancelled = true;
}

const TraceProgress *
scope_document_progress (ScopeDocument *d)
{
  return &d->progress;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void
document_on_warn (void *arg, const char *component, const char *sentence)
{
  ScopeDocument *d = arg;

  if (g_hash_table_size (d->warnings) < 1000)
    g_hash_table_replace (d->warnings, g_strdup (component), g_strdup (sentence));
}

static bool
is_below_schemas (const char *path)
{
  g_autofree char *all = places_schemas ("."), *real = disk_real_path (path), *folder = disk_real_path (all);
  size_t n = folder ? strlen (folder) : 0;

  return real && n && strncmp (real, folder, n) == 0 && real[n] == '/';
}

/* What is selected as text: a line each, boxes after a space, so that no name can be taken for a part. */
static char *
selection_text (void *document)
{
  ScopeDocument *d = document;
  GString *s = g_string_new (NULL);

  for (guint i = 0; i < d->boxes->len; ++i)
    g_string_append_printf (s, " %s\n", (char *) d->boxes->pdata[i]);
  for (guint i = 0; i < d->parts->len; ++i)
    g_string_append_printf (s, "%s\n", (char *) d->parts->pdata[i]);
  return g_string_free (s, FALSE);
}

static void
document_forget (ScopeDocument *d)
{
  document_live_end (d);
  document_film_end (d);
  document_trust_end (d);
  document_time_end (d);
  g_clear_pointer (&d->nearby, nearby_free);
  g_clear_pointer (&d->history, edit_history_free);
  g_clear_pointer (&d->session, session_free);
  g_hash_table_remove_all (d->warnings);
  g_clear_pointer (&d->triggered, g_array_unref);
  d->unknown_told = d->damage_told = false;
  g_ptr_array_set_size (d->boxes, 0);
  g_ptr_array_set_size (d->parts, 0);
  trace_refs_clear (d->selection);
  trace_refs_clear (d->hovered);
  d->selection_serial++;
  d->edit_depth = 0;
}

static void
say_problems (ScopeDocument *d)
{
  GPtrArray *problems = d->session->problems;

  if (problems->len == 0)
    return;
  g_autoptr (GString) all = g_string_new (problems->pdata[0]);
  for (guint i = 1; i < MIN (problems->len, 12); ++i)
    g_string_append_printf (all, "\n%s", (char *) problems->pdata[i]);
  if (problems->len > 12)
    g_string_append_printf (all, _ ("\n... and %u more"), problems->len - 12);
  scope_document_say (d, SCOPE_SAY_WARNING, "%s", all->str);
}

void
scope_document_fresh_next (ScopeDocument *d)
{
  d->fresh_next = true;
}

void
scope_document_allow_next (ScopeDocument *d, const char *const *paths)
{
  g_strfreev (d->allow_next);
  d->allow_next = g_strdupv ((char **) paths);
}

bool
scope_document_open (ScopeDocument *d, const char *trace, const char *const *more, const char *format,
                     const char *program, const char *text, GError **error)
{
  bool fresh = d->fresh_next;
  g_autofree char *chosen = NULL, *gone = NULL;
  g_autofree char *usual = program || more ? NULL : usual_program_for (trace, format, &chosen, &gone);
  SessionOptions options = { .trace = trace,
                             .more = more,
                             .format = format,
                             .program = program ? program : usual,
                             .text = text,
                             .follow = d->follow_next,
                             .warn = document_on_warn,
                             .arg = d,
                             .may_read = document_may_read,
                             .progress = &d->progress };

  if (chosen && text == NULL) {
    bool follow = d->follow_next;
    g_autoptr (GError) why = NULL;
    if (scope_document_open (d, trace, more, format, chosen, text, &why))
      return true;
    if (g_error_matches (why, SESSION_ERROR, SESSION_ERROR_CANCELLED)) {
      g_propagate_error (error, g_steal_pointer (&why));
      return false;
    }
    /* A trace is not lost to a wish: it is opened as ever, and what was wrong is said. */
    d->fresh_next = fresh;
    d->follow_next = follow;
    gone = g_strdup_printf ("%s (%s)", chosen, why->message);
  }
  d->fresh_next = false;
  if (d->busy_since_us) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED, _ ("another trace is being opened"));
    return false;
  }
  if (!document_trust_program (options.program, text, error))
    return false;
  d->follow_next = false;
  document_work_begins (d);
  Session *s = session_open (&options, error);
  scope_document_allow_next (d, NULL);
  bool cancelled = d->cancelled;
  document_work_ends (d);
  if (s && cancelled) {
    session_free (s);
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED, _ ("interrupted"));
    return false;
  }
  if (!s)
    return false;
  g_autoptr (Stay) stay = document_stay_take (d);
  scope_document_unsay (d, NULL);
  document_forget (d);
  d->session = s;
  s->options.progress = NULL;
  s->options.more = NULL;
  d->shipped = is_below_schemas (s->program_path);
  d->history = edit_history_new (s->program);
  edit_history_set_selection (d->history, selection_text, d);
  if (text && !fresh)
    edit_history_set_unsaved (d->history);
  document_associate (d);
  document_time_begin (d);
  document_film_begin (d);
  if (document_trust (d) == TRUST_GO) /* what is known before the first event is shown: the graph of a topology */
    document_stay_go (stay, d);
  d->n_asked_to_open = d->n_asked;
  document_tell (d, DOC_OPENED);
  document_stay_select (stay, d);
  say_problems (d);
  document_say_nothing_is_whole (d);
  document_live_begin (d);
  document_trust_tell (d);
  if (gone)
    scope_document_say (
        d, SCOPE_SAY_WARNING,
        _ ("Traces of this format are to be opened with %s, which cannot be had; this is Scope's own program"), gone);
  return true;
}

void
scope_document_close (ScopeDocument *d)
{
  if (!d->session)
    return;
  scope_document_unsay (d, NULL);
  document_forget (d);
  document_set_mode (d, SCOPE_MODE_EMPTY);
  document_tell (d, DOC_OPENED);
}

bool
scope_document_is_open (ScopeDocument *d)
{
  return d->session != NULL;
}

Session *
scope_document_session (ScopeDocument *d)
{
  return d->session;
}

EveProgram *
scope_document_program (ScopeDocument *d)
{
  return d->session ? d->session->program : NULL;
}

TraceSource *
scope_document_source (ScopeDocument *d)
{
  return d->session ? d->session->source : NULL;
}

const char *
scope_document_trace (ScopeDocument *d)
{
  return d->session ? d->session->trace : NULL;
}

const char *
scope_document_program_path (ScopeDocument *d)
{
  return d->session ? d->session->program_path : NULL;
}

const char *
scope_document_title (ScopeDocument *d)
{
  if (!d->session)
    return "Scope";
  g_autoptr (GString) title = g_string_new (NULL);
  g_autofree char *opened = g_path_get_basename (d->session->trace);
  g_string_append (title, opened);
  for (guint i = 0; i < d->session->readers->len; ++i) {
    const TraceSource *source = session_source_of (d->session->readers->pdata[i]);
    if (!source || source == d->session->source || g_str_equal (source->path, d->session->trace))
      continue;
    g_autofree char *name = g_path_get_basename (source->path);
    g_string_append_printf (title, ", %s", name);
  }
  g_free (d->title);
  return d->title = g_string_free (g_steal_pointer (&title), FALSE);
}

char *
scope_document_subtitle (ScopeDocument *d)
{
  if (!d->session)
    return g_strdup ("");
  g_autoptr (GString) tasks = g_string_new (NULL), events = g_string_new (NULL), models = g_string_new (NULL);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) all = session_executions (d->session); /* in the order of the title */
  guint n_tasks = 0;
  bool only_things = true;
  for (guint i = 0; i < MAX (all->len, 1); ++i) {
    const TraceSource *own = i < all->len ? g_array_index (all, SessionExecution, i).source : d->session->source;
    const char *model = in_words (own->format->model);
    n_tasks = document_counted_tasks_of (d, own);
    only_things = only_things && trace_n_things (own) > 0 && n_tasks == 0;
    g_autofree char *named = n_tasks ? scope_number (n_tasks) : g_strdup ("…"), *of = scope_number (own->n_events);
    g_string_append_printf (tasks, "%s%s", tasks->len ? " + " : "", named);
    g_string_append_printf (events, "%s%s", events->len ? " + " : "", of);
    if (g_hash_table_add (known, (gpointer) model))
      g_string_append_printf (models, "%s%s", models->len ? " + " : "", model);
  }
  const char *saved = d->history && edit_history_is_saved (d->history) ? _ ("saved") : _ ("changed");
  if (only_things)
    return g_strdup_printf (_ ("%s · %s"), models->str, /* nobody counts what they tell */ saved);
  return g_strdup_printf (
      P_ ("%s · %s task · %s events · %s", "%s · %s tasks · %s events · %s", all->len > 1 ? 2 : n_tasks), models->str,
      tasks->str, events->str, saved);
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

bool
scope_document_modified (ScopeDocument *d)
{
  return d->history && !edit_history_is_saved (d->history);
}

bool
scope_document_is_shipped (ScopeDocument *d)
{
  return d->shipped;
}

bool
scope_document_save (ScopeDocument *d, const char *path, GError **error)
{
  if (!d->session)
    return true;
  g_autofree char *to = g_strdup (path ? path : d->session->program_path),
                  *before = g_strdup (eve_program_content (d->session->program));
  if (!places_may_replace (to, error) || !eve_program_save (d->session->program, to, error))
    return false;
  agreements_carry (before, eve_program_content (d->session->program));
  g_free (d->session->program_path);
  d->session->program_path = g_steal_pointer (&to);
  d->shipped = is_below_schemas (d->session->program_path);
  edit_history_set_saved (d->history);
  document_tell (d, DOC_SAVED);
  return true;
}

/* ---- editing ------------------------------------------------------------------------------------------------------ */

void
scope_document_begin_edit (ScopeDocument *d, const char *what)
{
  scope_document_begin_edit_merge (d, what, NULL);
}

void
scope_document_begin_edit_merge (ScopeDocument *d, const char *what, const char *merge)
{
  if (d->edit_depth++ == 0 && d->history)
    edit_history_begin (d->history, what, merge);
}

void
document_edited (ScopeDocument *d)
{
  for (guint i = d->boxes->len; i-- > 0;)
    if (!eve_find (d->session->program, d->boxes->pdata[i]))
      g_ptr_array_remove_index (d->boxes, i);
  document_marks_edited (d);
  document_since_look (d, false);
  document_time_edited (d);
  document_film_edited (d);
  bool looks = document_associate_again (d);
  document_tell (d, DOC_PROGRAM);
  if (looks)
    document_tell (d, DOC_LOOK);
  document_tell (d, DOC_SAVED);
}

void
scope_document_end_edit (ScopeDocument *d)
{
  if (--d->edit_depth > 0 || !d->history)
    return;
  session_refresh (d->session);
  if (edit_history_end (d->history))
    document_edited (d);
}

static void
select_text (ScopeDocument *d, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GPtrArray) boxes = g_ptr_array_new (), parts = g_ptr_array_new ();

  for (char **l = lines; *l; ++l)
    if (**l == ' ' && eve_find (d->session->program, *l + 1))
      g_ptr_array_add (boxes, *l + 1);
    else if (**l && **l != ' ')
      g_ptr_array_add (parts, *l);
  scope_document_select (d, (const char *const *) boxes->pdata, boxes->len, (const char *const *) parts->pdata,
                         parts->len);
}

static bool
back_or_forth (ScopeDocument *d, bool (*go) (EditHistory *, GError **))
{
  g_autoptr (GError) error = NULL;

  if (!d->history || d->edit_depth)
    return false;
  bool done = go (d->history, &error);
  if (error)
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", error->message);
  session_refresh (d->session);
  if (done) {
    const char *selected = edit_history_selection (d->history);

    document_edited (d);
    if (selected)
      select_text (d, selected);
  }
  return done;
}

bool
scope_document_undo (ScopeDocument *d)
{
  return back_or_forth (d, edit_history_undo);
}

bool
scope_document_redo (ScopeDocument *d)
{
  return back_or_forth (d, edit_history_redo);
}

EditHistory *
scope_document_history (ScopeDocument *d)
{
  return d->history;
}

const char *
scope_document_note (ScopeDocument *d, const char *key)
{
  return d->session ? eve_program_note (d->session->program, key) : "";
}

void
scope_document_set_note (ScopeDocument *d, const char *key, const char *text)
{
  if (!d->session)
    return;
  /* Outside of an edit it is how something is looked at: no change that a person must save. */
  bool as_saved = !d->edit_depth && d->history && edit_history_is_saved (d->history);
  eve_program_set_note (d->session->program, key, text);
  if (as_saved)
    edit_history_set_saved (d->history);
}

/* ---- selection and look ---------------------------------------------------------------------------------------------- */

const TraceRefs *
scope_document_selection (ScopeDocument *d)
{
  return d->selection;
}

uint64_t
scope_document_selection_serial (ScopeDocument *d)
{
  return d->selection_serial;
}

static bool
has_all (const TraceRefs *s, const TraceRefs *refs)
{
  bool all = true;

  for (uint32_t i = 0; all && i < trace_refs_n (refs); i++)
    all = trace_refs_has (s, trace_refs_at (refs, i));
  return all;
}

void
scope_document_select_refs (ScopeDocument *d, const TraceRefs *refs, bool add)
{
  bool away = add && has_all (d->selection, refs);

  if (add ? trace_refs_n (refs) == 0 : trace_refs_same (d->selection, refs))
    return;
  if (!add)
    trace_refs_clear (d->selection);
  if (away)
    trace_refs_remove_all (d->selection, refs);
  for (uint32_t i = 0; !away && i < trace_refs_n (refs); i++)
    trace_refs_add (d->selection, trace_refs_at (refs, i));
  d->selection_serial++;
  document_time_selected (d);
  document_tell (d, DOC_SELECTION);
}

const TraceRefs *
scope_document_hovered (ScopeDocument *d)
{
  return d->hovered;
}

void
scope_document_hover (ScopeDocument *d, const TraceRefs *refs)
{
  if (trace_refs_same (d->hovered, refs))
    return;
  trace_refs_clear (d->hovered);
  for (uint32_t i = 0; i < trace_refs_n (refs); i++)
    trace_refs_add (d->hovered, trace_refs_at (refs, i));
  document_tell (d, DOC_HOVER);
}

/* The last that was selected and is a task, or goes from one to another. */
static TraceRef
selected_last (ScopeDocument *d, uint32_t *task, uint32_t *peer)
{
  for (uint32_t i = trace_refs_n (d->selection); i-- > 0;) {
    TraceRef r = trace_refs_at (d->selection, i);
    *task = r.id;
    *peer = TRACE_NONE;
    if (r.type == TRACE_REF_TASK || trace_ref_ends (r, task, peer))
      return r;
  }
  *task = *peer = TRACE_NONE;
  return (TraceRef){ 0 };
}

uint32_t
scope_document_selected_task (ScopeDocument *d)
{
  uint32_t task, peer;

  selected_last (d, &task, &peer);
  return task;
}

uint32_t
scope_document_selected_peer (ScopeDocument *d)
{
  uint32_t task, peer;

  selected_last (d, &task, &peer);
  return peer;
}

void
scope_document_select_task (ScopeDocument *d, uint32_t task)
{
  const TraceSource *s = scope_document_view_source (d);
  g_autoptr (TraceRefs) refs = trace_refs_new ();

  if (s != NULL)
    trace_refs_add (refs, trace_ref_task (s->number, task));
  scope_document_select_refs (d, refs, false);
}

GPtrArray *
scope_document_selected_boxes (ScopeDocument *d)
{
  return d->boxes;
}

GPtrArray *
scope_document_selected_parts (ScopeDocument *d)
{
  return d->parts;
}

static bool
same_names (const GPtrArray *now, const char *const *names, guint n)
{
  bool same = n == now->len;

  for (guint i = 0; same && i < n; ++i)
    same = g_str_equal (names[i], now->pdata[i]);
  return same;
}

static void
take_names (GPtrArray **now, const char *const *names, guint n)
{
  GPtrArray *chosen = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < n; ++i) /* the names may be those of the old selection */
    g_ptr_array_add (chosen, g_strdup (names[i]));
  g_ptr_array_unref (*now);
  *now = chosen;
}

void
scope_document_select (ScopeDocument *d, const char *const *boxes, guint n_boxes, const char *const *parts,
                       guint n_parts)
{
  if (same_names (d->boxes, boxes, n_boxes) && same_names (d->parts, parts, n_parts))
    return;
  take_names (&d->boxes, boxes, n_boxes);
  take_names (&d->parts, parts, n_parts);
  document_tell (d, DOC_SELECTION);
}

void
scope_document_select_boxes (ScopeDocument *d, const char *const *names, guint n)
{
  scope_document_select (d, names, n, NULL, 0);
}

bool
scope_document_box_is_selected (ScopeDocument *d, const char *name)
{
  return g_ptr_array_find_with_equal_func (d->boxes, name, g_str_equal, NULL);
}

ViewColours *
scope_document_colours (ScopeDocument *d)
{
  return d->colours;
}

void
scope_document_look_changed (ScopeDocument *d)
{
  g_autoptr (GError) error = NULL;

  if (!view_colours_save (d->colours, &error))
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("The colours cannot be saved: %s"), error->message);
  document_tell (d, DOC_LOOK);
}

bool
scope_document_dark (ScopeDocument *d)
{
  static GtkStyleContext *of; /* any widget's: the colour is of the whole theme */
  GdkRGBA c;

  if (!of) {
    g_autoptr (GtkWidgetPath) path = gtk_widget_path_new ();
    gtk_widget_path_append_type (path, GTK_TYPE_WINDOW);
    of = gtk_style_context_new ();
    gtk_style_context_set_path (of, path);
  }
  return gtk_style_context_lookup_color (of, "theme_base_color", &c)
         && 0.3 * c.red + 0.59 * c.green + 0.11 * c.blue < 0.5;
}

void
scope_document_scene (ScopeDocument *d, ViewScene *scene)
{
  Session *s = d->session;

  scene->dark = scope_document_dark (d);
  scene->at = s ? scope_document_cursor (d) : INT64_MIN;
  scene->source = s ? s->source : NULL;
  scene->graph = scope_document_graph (d);
  scene->film = scope_document_film (d);
  scene->colours = d->colours;
  scene->bundle = s ? s->trace : NULL;
  scene->selection = d->selection;
}

void
scope_document_set_view (ScopeDocument *d, const char *box)
{
  if (g_strcmp0 (d->view, box) == 0)
    return;
  g_free (d->view);
  d->view = g_strdup (box);
  document_tell (d, DOC_SELECTION);
}

static EveComponent *
view_at_work (ScopeDocument *d)
{
  return d->view && d->session ? eve_find (d->session->program, d->view) : NULL;
}

const StateGraph *
scope_document_graph (ScopeDocument *d)
{
  EveComponent *view = view_at_work (d), *simulator = view ? session_simulator_above (view) : NULL;

  if (simulator)
    return eve_query (simulator, "state-graph/1");
  return d->session ? d->session->graph : NULL;
}

TraceSource *
scope_document_view_source (ScopeDocument *d)
{
  EveComponent *view = view_at_work (d), *reader = view ? session_reader_above (view) : NULL;
  TraceSource *source = reader ? session_source_of (reader) : NULL;

  return source ? source : scope_document_source (d);
}

const char *
scope_document_box_problem (ScopeDocument *d, EveComponent *c)
{
  const char *failure = eve_component_failure (c);

  return failure ? failure : g_hash_table_lookup (d->warnings, eve_name (c));
}

void
scope_document_forget_problem (ScopeDocument *d, EveComponent *c)
{
  g_hash_table_remove (d->warnings, eve_name (c));
}

/* ---- the object ------------------------------------------------------------------------------------------------------- */

static void
document_finalize (GObject *object)
{
  ScopeDocument *d = SCOPE_DOCUMENT (object);

  document_forget (d);
  trace_refs_free (d->selection);
  trace_refs_free (d->hovered);
  g_ptr_array_unref (d->boxes);
  g_ptr_array_unref (d->parts);
  g_hash_table_unref (d->warnings);
  view_colours_free (d->colours);
  document_associate_end (d);
  g_free (d->associated);
  g_free (d->given);
  g_free (d->busy);
  g_free (d->strategy_words);
  g_free (d->title);
  g_free (d->view);
  G_OBJECT_CLASS (scope_document_parent_class)->finalize (object);
}

static void
scope_document_class_init (ScopeDocumentClass *class)
{
  static const char *const names[] = { "opened", "program", "activity", "time",  "mode",  "film", "selection",
                                       "look",   "marks",   "busy",     "saved", "hover", "range" };

  G_OBJECT_CLASS (class)->finalize = document_finalize;
  for (guint i = 0; i < G_N_ELEMENTS (names); ++i)
    signals[i] = g_signal_new (names[i], SCOPE_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[DOC_SAY] = g_signal_new ("say", SCOPE_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
                                   G_TYPE_STRING, G_TYPE_INT, G_TYPE_STRING);
  for (int i = DOC_UNSAY; i <= DOC_FRONT; ++i)
    signals[i] = g_signal_new (i == DOC_UNSAY ? "unsay" : "front", SCOPE_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL,
                               NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[DOC_SHOW] = g_signal_new ("show", SCOPE_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                    G_TYPE_INT64, G_TYPE_INT64);
}

static void
scope_document_init (ScopeDocument *d)
{
  d->boxes = g_ptr_array_new_with_free_func (g_free);
  d->parts = g_ptr_array_new_with_free_func (g_free);
  d->warnings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  d->colours = view_colours_load ();
  d->selection = trace_refs_new ();
  d->hovered = trace_refs_new ();
  d->progress = (TraceProgress){ document_on_progress, d };
  d->strategy = strategy_default ();
  d->strategy_words = g_strdup ("default");
  d->live_fd = -1;
}

ScopeDocument *
scope_document_new (void)
{
  return g_object_new (SCOPE_TYPE_DOCUMENT, NULL);
}
