/* SPDX-License-Identifier: Apache-2.0 */
/* document.h - an execution opened with a program, as the window has it: the session and its present, the film that
 * another process shoots, the program being edited, what is selected, the colours, the marks.  Every part of the window
 * looks at this one object and hears its signals; no part talks to another.  Main thread, which is the engine's.
 *
 * Signals (no arguments unless said):
 *   "opened"        another trace or program is open, or none: everything is new
 *   "program"       boxes, wires, names, settings, positions or notes changed (an edit has ended, an undo was done)
 *   "activity"      some twenty times a second while the program works, and when it rests: statuses, values on wires,
 * failures may be others "time"          the present moved (scope_document_at), or the cursor did "mode" playing,
 * pausing or travelling began or ended; a component failed "film"          the film has grown, was finished or failed
 *   "selection"     scope_document_selection / _selected_boxes / _selected_parts
 *   "hover"         scope_document_hovered
 *   "range"         scope_document_range
 *   "look"          colours, dark or light, size of text: redraw
 *   "marks"         marks or checkpoints changed
 *   "busy"          long work began, went on or ended: scope_document_busy
 *   "saved"         the program was saved, or is no longer what was saved
 *   "say"           (const char *sentence, int kind of ScopeSay, const char *about): for a person, shown in the window
 *   "unsay"         (const char *about): what was said about this is true no longer; NULL: all that was said
 *   "front"         (const char *name): a component asks that its view be seen
 *   "show"          (int64_t from, int64_t to): views with dates show what lies between these */
#pragma once
#include <gtk/gtk.h>
#include "document/history.h"
#include "session/film.h"
#include "session/marks-drawing.h"
#include "session/marks.h"
#include "session/session.h"
#include "session/travel.h"
#include "views/view.h"

#define SCOPE_TYPE_DOCUMENT (scope_document_get_type ())
G_DECLARE_FINAL_TYPE (ScopeDocument, scope_document, SCOPE, DOCUMENT, GObject)

/* DISTRUST: an error, to which scope_document_trust() is the answer. */
typedef enum {
  SCOPE_SAY_NOTE,
  SCOPE_SAY_WARNING,
  SCOPE_SAY_ERROR,
  SCOPE_SAY_DISTRUST,
  SCOPE_SAY_SILENT, /* nothing comes: it can be connected again, scope_document_connect_again() */
  SCOPE_SAY_HELD    /* a program waits: scope_document_let_go_on() */
} ScopeSay;

ScopeDocument *scope_document_new (void);
/* Opens a bundle with a program file (NULL: the format's views.eve, else default.eve).  `text`, if not NULL, is the
 * program instead of what the file holds (recovery).  Shows progress through "busy" and can be cancelled.  What was
 * open stays open when this fails. */
bool scope_document_open (ScopeDocument *d, const char *trace, const char *const *more, const char *format,
                          const char *program, const char *text, GError **error);
/* What is opened next may still be growing, and is then followed. */
void scope_document_follow_next (ScopeDocument *d);
/* The text that is opened next is nobody's work: it need not be saved. */
void scope_document_fresh_next (ScopeDocument *d);
/* The program that is opened next may read these paths without asking: the person allowed them before.  NULL: none. */
void scope_document_allow_next (ScopeDocument *d, const char *const *paths);
/* What is opened next is gone back to: if it is the trace that was open when that was noted, time stands where it stood
 * then, and the same is selected.  Takes what was noted; NULL: nothing. */
typedef struct Stay ScopeStay;
ScopeStay *scope_document_stay_new (ScopeDocument *d);
void scope_document_stay_free (ScopeStay *stay);
void scope_document_return_next (ScopeDocument *d, ScopeStay *stay);
void scope_document_close (ScopeDocument *d);
bool scope_document_is_open (ScopeDocument *d);

/* ---- what is open; NULL and 0 while nothing is -------------------------------------------------------------------- */
Session *scope_document_session (ScopeDocument *d);
EveProgram *scope_document_program (ScopeDocument *d);
TraceSource *scope_document_source (ScopeDocument *d);
const char *scope_document_trace (ScopeDocument *d); /* path of the bundle */
const char *scope_document_program_path (ScopeDocument *d);
const char *scope_document_title (ScopeDocument *d); /* "fft2d-s16.trace"; good until the next call */
/* "PVM · 4 tasks · 3 104 events · saved"; of two traces "PVM · 4 + 4 tasks · 3 104 + 7 076 events · saved" */
char *scope_document_subtitle (ScopeDocument *d); /* g_free */
/* How many tasks all executions have, as the subtitle tells: those that a trace names, but things.  Whoever counts some
 * of them says of how many. */
guint scope_document_n_tasks (ScopeDocument *d);

/* ---- saving --------------------------------------------------------------------------------------------------------- */
bool scope_document_modified (ScopeDocument *d);
bool scope_document_save (ScopeDocument *d, const char *path, GError **error); /* NULL: where it came from */
/* True: the program came from the programs on offer, which are not written over: saving asks for a place. */
bool scope_document_is_shipped (ScopeDocument *d);

/* ---- editing: every change of the program stands between these two, and can then be undone ------------------------ */
void scope_document_begin_edit (ScopeDocument *d, const char *what); /* "Add Gate"; may be nested: the outer counts */
/* Edits of the same `merge` key that follow each other within two seconds are undone as one (a slider dragged). */
void scope_document_begin_edit_merge (ScopeDocument *d, const char *what, const char *merge);
void scope_document_end_edit (ScopeDocument *d);
bool scope_document_undo (ScopeDocument *d); /* false: there is nothing */
bool scope_document_redo (ScopeDocument *d);
EditHistory *scope_document_history (ScopeDocument *d); /* for labels */
/* Text of the application kept in the program file under a key ("window", "frames", "groups"); "" if there is none. */
const char *scope_document_note (ScopeDocument *d, const char *key);
void scope_document_set_note (ScopeDocument *d, const char *key, const char *text); /* inside an edit */

/* On travel back to before boxes were added these go, as an edit that can be undone; else they stay. */
void scope_document_set_added_go (ScopeDocument *d, bool go);

/* ---- time ------------------------------------------------------------------------------------------------------------ */
int64_t scope_document_first (ScopeDocument *d); /* of the trace, ticks */
int64_t scope_document_last (ScopeDocument *d);
/* The present: the date of the event given last (the first of the trace while nothing was given), or, where time was
 * put between two events and rests there, that very date. */
int64_t scope_document_at (ScopeDocument *d);
uint64_t scope_document_event (ScopeDocument *d); /* events given */
/* Where the cursor stands: the present; while a drag goes on and the session follows, where it is dragged to. */
int64_t scope_document_cursor (ScopeDocument *d);
/* "event 227 of 7 076", "events 227 + 180 of 7 076 + 3 356" of two traces, in the order of their readers; g_free. */
char *scope_document_events (ScopeDocument *d);
char *scope_document_sentence (ScopeDocument *d); /* of the present event, or "Before the first event"; g_free */
/* All return at once; the session follows, seen by "time".  Asked again meanwhile, the last goal counts. */
void scope_document_go_date (ScopeDocument *d, int64_t date);
/* The date at which most tasks live and most happens, as far as the film has been shot; false: none is known to live.
 */
bool scope_document_liveliest (ScopeDocument *d, int64_t *date);
void scope_document_go_event (ScopeDocument *d, uint64_t number);
void scope_document_go_first (ScopeDocument *d);
void scope_document_go_last (ScopeDocument *d);
void scope_document_step_event (ScopeDocument *d, int n); /* 1, -1 */
void scope_document_step_date (ScopeDocument *d, int n);
/* Back to just after the previous event of the selected task. */
void scope_document_back_task (ScopeDocument *d, uint32_t task);
/* Back to where a node of the state graph took the state that it has. */
void scope_document_back_state (ScopeDocument *d, uint32_t node);

typedef enum {
  SCOPE_MODE_EMPTY,
  SCOPE_MODE_PAUSED,
  SCOPE_MODE_PLAYING,
  SCOPE_MODE_TRAVELLING,
  SCOPE_MODE_FAILED
} ScopeMode;
ScopeMode scope_document_mode (ScopeDocument *d);
/* The note "opens at" of the program says "end": before, it has nothing to show. */
bool scope_document_opens_at_end (ScopeDocument *d);
/* Since it was opened somebody has sent it to an instant, played or halted it. */
bool scope_document_was_sent (ScopeDocument *d);
bool scope_document_at_end (ScopeDocument *d);
/* Results of this instant are still of the program before it was changed, or some of them: a sentence for whoever shows
 * them.  NULL: they are of this program. */
const char *scope_document_outdated (ScopeDocument *d);
void scope_document_play (ScopeDocument *d);
void scope_document_pause (ScopeDocument *d);
void scope_document_stop (ScopeDocument *d); /* pause, and back to the beginning */
typedef enum { SCOPE_SPEED_FULL, SCOPE_SPEED_EVENTS, SCOPE_SPEED_TIME } ScopeSpeed;
/* As fast as possible; `value` events a second; `value` seconds of the trace a second. */
void scope_document_set_speed (ScopeDocument *d, ScopeSpeed kind, double value);
ScopeSpeed scope_document_speed (ScopeDocument *d, double *value);

/* A trace that somebody is still writing; told of by "mode" and "film", which also tells that there is more of it. */
bool scope_document_is_live (ScopeDocument *d);
bool scope_document_follows (ScopeDocument *d); /* the present goes along with the newest instant, until it is moved */
void scope_document_follow (ScopeDocument *d);  /* from now on, again */
/* It goes along, and there is more to be given before what views hold is that of an instant: they are drawn then. */
bool scope_document_catches_up (ScopeDocument *d);
void scope_document_connect_again (ScopeDocument *d); /* to who records: what says nothing is connected anew */
void scope_document_let_go_on (ScopeDocument *d);     /* the same: programs that wait at a break point go on */
/* What can be told now to who writes, of a task (live.h): of TraceOrder *, perhaps none; g_ptr_array_unref. */
GPtrArray *scope_document_orders (ScopeDocument *d, TraceRef what);
/* One of their lines, for the trace of `what`; a failure is said. */
void scope_document_order (ScopeDocument *d, TraceRef what, const char *line);
guint scope_document_silent (ScopeDocument *d); /* for so many seconds nothing has come; 0: less than 3 */

/* A component is known to have ended a process: nothing plays into it before the person has said so. */
bool scope_document_asks_trust (ScopeDocument *d);
void scope_document_trust (ScopeDocument *d); /* play anyway; what waits goes on */
/* The view of a component that speaks "view/4"; one that says why it is not drawn for a component from elsewhere that
 * may not be played.  Another when "film" was told. */
const View *scope_document_view (ScopeDocument *d, EveComponent *c);

/* Boxes take classes that have come, or come anew (eve/reload.h): how many did.  What they held is worked out anew. */
guint scope_document_take_classes (ScopeDocument *d);

/* Does at once what a person orders by a button of a component (statistics/order.h): `by` says whose.  What makes no
 * sense is said. */
void scope_document_obey (ScopeDocument *d, const char *order, const char *by);

/* What components have ordered in this session, of which the last some hundred are kept. */
typedef struct ScopeTriggered {
  uint64_t event;
  int64_t date; /* ticks; INT64_MIN: before the first event */
  char *text;   /* "pause · Watch: because ..." */
} ScopeTriggered;
GArray *scope_document_triggered (ScopeDocument *d); /* of ScopeTriggered; the document's; told by "marks" */

/* ---- film, checkpoints, marks ----------------------------------------------------------------------------------------- */
const char *scope_document_film (ScopeDocument *d);                    /* folder; NULL: there is none */
FilmState scope_document_film_state (ScopeDocument *d, double *share); /* 0..1 */
const char *scope_document_film_problem (ScopeDocument *d);            /* a sentence, or NULL */
const FilmOverview *scope_document_overview (ScopeDocument *d);        /* as far as there is one; NULL: not yet */
void scope_document_reshoot (ScopeDocument *d);
/* Who reads the film has met damage, told by a sentence: it is said, and the film shot again from what is sound of it,
 * soon, and not for ever. */
void scope_document_film_damaged (ScopeDocument *d, const char *sentence);
Travel *scope_document_travel (ScopeDocument *d); /* for checkpoints; move time by the functions above */
/* Recording of states in memory while playing: a strategy's words (strategy.h), "none". */
bool scope_document_set_strategy (ScopeDocument *d, const char *words);
const char *scope_document_strategy (ScopeDocument *d);
bool scope_document_save_checkpoint (ScopeDocument *d, const char *name);
/* Of Marks, which are not to be changed: those of the traces that do not lead, as their files were when they were
 * opened or shifted last; `bundle` says of which.  May be NULL. */
const GPtrArray *scope_document_other_marks (ScopeDocument *d);
Marks *scope_document_marks (ScopeDocument *d); /* NULL: their file cannot be understood, which was said */
/* Change, save and tell; a sentence is said and false given when refused.  `name` NULL: one is made. */
bool scope_document_add_mark (ScopeDocument *d, const char *name, int64_t date, const char *notes);
bool scope_document_edit_mark (ScopeDocument *d, Mark *m, const char *name, const int64_t *date, const char *notes);
/* What is drawn over a view goes into its file, which goes last where nothing is drawn any more: saved notes never name
 * one that is not there.  All are told of the marks, so who lets go of its drawings then has none afterwards. */
bool scope_document_draw_mark (ScopeDocument *d, Mark *m, MarkDrawing *drawing);
bool scope_document_remove_mark (ScopeDocument *d, Mark *m);
/* Whether views of the program have a camera, from whose places marks can hold. */
bool scope_document_has_cameras (ScopeDocument *d);
/* The mark holds from where these views are seen now; or no more from where any is. */
bool scope_document_place_mark (ScopeDocument *d, Mark *m, bool holds);
/* To its instant; and the views of which it holds from where they are seen are seen from there, which can be undone. */
void scope_document_go_mark (ScopeDocument *d, const Mark *m);

/* ---- selection and look ------------------------------------------------------------------------------------------------ */
/* What of the traces is selected: the document's. */
const TraceRefs *scope_document_selection (ScopeDocument *d);
uint64_t scope_document_selection_serial (ScopeDocument *d); /* another after each change */
/* These alone; `add`: with what is selected, or, if all of them are, no longer.  NULL: nothing. */
void scope_document_select_refs (ScopeDocument *d, const TraceRefs *refs, bool add);
/* What the pointer is at, which every view marks; told by "hover". */
const TraceRefs *scope_document_hovered (ScopeDocument *d);
void scope_document_hover (ScopeDocument *d, const TraceRefs *refs); /* NULL: nothing */
/* The range of dates that is selected, ticks; false: none is. */
bool scope_document_range (ScopeDocument *d, int64_t *from, int64_t *to);
void scope_document_set_range (ScopeDocument *d, int64_t from, int64_t to); /* from >= to: none */
/* The one before, or none: a step of a view is undone.  False: there was none before. */
bool scope_document_range_back (ScopeDocument *d);

/* Charts of an instant that follow the range count it alone: they are drawn from another session, which is at its end,
 * in the place of the one that is seen.  Asking is what lets it be counted; "range" tells when it is. */
typedef struct ScopeCounted {
  EveComponent *view; /* the same one there, good until "range" or "program"; NULL: the chart is of the present, */
  Session *session;   /* as there is no range, it counts nothing, */
  int64_t from, to;   /* ticks */
  uint64_t serial;    /* another for each range that was counted */
  bool waits;         /* or it is not counted yet: so much is, */
  double share;
  bool is_long;        /* and that takes long enough to be said, */
  const char *problem; /* or cannot be: a sentence */
} ScopeCounted;
ScopeCounted scope_document_counted (ScopeDocument *d, EveComponent *view);
/* Whether a view would follow a range. */
bool scope_document_counts (ScopeDocument *d, EveComponent *view);
/* Around what is drawn and asked of that view: names of tasks are then those that the other session has read. */
bool scope_document_counted_enter (ScopeDocument *d);
void scope_document_counted_leave (ScopeDocument *d, bool entered);

/* Whether the pointer holds an end of it: "range" comes once more when it is let go. */
bool scope_document_drags_range (const ScopeDocument *d);
void scope_document_set_drags_range (ScopeDocument *d, bool drags);
/* The task that was selected last, or TRACE_NONE; of a link the one that it comes from, and then the peer is where it
 * goes to. */
uint32_t scope_document_selected_task (ScopeDocument *d);
uint32_t scope_document_selected_peer (ScopeDocument *d);
void scope_document_select_task (ScopeDocument *d, uint32_t task); /* of scope_document_view_source() */
/* Names of the selected boxes (of const char *, owned by the document). */
GPtrArray *scope_document_selected_boxes (ScopeDocument *d);
/* Wires and frames of the program that are selected, as document/parts.h names them (the same; some may be gone). */
GPtrArray *scope_document_selected_parts (ScopeDocument *d);
void scope_document_select (ScopeDocument *d, const char *const *boxes, guint n_boxes, const char *const *parts,
                            guint n_parts);
void scope_document_select_boxes (ScopeDocument *d, const char *const *names, guint n); /* them alone */
bool scope_document_box_is_selected (ScopeDocument *d, const char *name);
ViewColours *scope_document_colours (ScopeDocument *d); /* change, then scope_document_look_changed() */
void scope_document_look_changed (ScopeDocument *d);    /* saves the colours too */
void scope_document_look_again (ScopeDocument *d);      /* all views are drawn again */
/* A file of associations that goes over all others, in whatever is opened; NULL: none. */
void scope_document_set_associations (ScopeDocument *d, const char *path);
const char *scope_document_associations (ScopeDocument *d);
bool scope_document_dark (ScopeDocument *d);
/* How many times as large as usual the desktop wants text (its font, resolution and GDK_DPI_SCALE); what is painted is
 * scaled by it.  Another after "look". */
double scope_text_scale (void);
/* Fills what is common to all scenes: all but size, scale and what part is shown. */
void scope_document_scene (ScopeDocument *d, ViewScene *scene);
/* The view at whose picture the person is at work, by name: what is told of tasks and states is told of the simulator
 * and the trace that it is wired to; of the leading ones as long as there is none. */
void scope_document_set_view (ScopeDocument *d, const char *box);
const StateGraph *scope_document_graph (ScopeDocument *d);  /* NULL: there is no simulator */
TraceSource *scope_document_view_source (ScopeDocument *d); /* NULL: nothing is open */

/* ---- telling ------------------------------------------------------------------------------------------------------------ */
void scope_document_say (ScopeDocument *d, ScopeSay kind, const char *fmt, ...) G_GNUC_PRINTF (3, 4);
/* The same of what may come to be true no longer; scope_document_unsay() with the same word takes it from sight, and so
 * does opening something else, unless the word is "always". */
void scope_document_say_about (ScopeDocument *d, const char *about, ScopeSay kind, const char *fmt, ...)
    G_GNUC_PRINTF (4, 5);
void scope_document_unsay (ScopeDocument *d, const char *about); /* NULL: all */
/* What the box of a component would say that failed or warned; NULL: nothing. */
const char *scope_document_box_problem (ScopeDocument *d, EveComponent *c);
/* What it warned of was of a setting that a person gives another value: it warns again if it has to. */
void scope_document_forget_problem (ScopeDocument *d, EveComponent *c);
/* The datum that last passed an output, in words: eve_out_last(), with names of tasks and states in it; g_free, or
 * NULL. */
char *scope_wire_last (EveComponent *from, const char *out);
/* "13 104": digits in threes, of four none, as everywhere (paint_in_threes); g_free. */
char *scope_number (uint64_t n);
/* A label that says it already is left as it is: what is selected of it stays so. */
void scope_label_say (GtkWidget *label, const char *text);
/* A label of names, which go over several lines where they are long, and get no hyphen there: it would be read as a
 * part of them. */
void scope_label_wrap_names (GtkWidget *label);
/* A name as the label of a menu item: none of its underscores becomes a key; g_free. */
char *scope_menu_label (const char *name);
/* Long work under way: what, and how far (0..1); NULL: none. */
const char *scope_document_busy (ScopeDocument *d, double *share);
void scope_document_cancel (ScopeDocument *d);
/* For long work of the window's parts: report to this; false asks to stop. */
const TraceProgress *scope_document_progress (ScopeDocument *d);
