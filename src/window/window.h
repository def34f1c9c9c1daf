/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - the main window: header bar, library, program and views, inspector, time.  It puts the parts together and
 * sees to what is the window's own: files, layout, messages, search, help.  Parts are told of things by the
 * ScopeDocument alone.
 *
 * Actions ("win.NAME"): open, open-program, open-recent (s), choose-program, use-program (s), save, save-as, close,
 * undo, redo, search, inspect, help, help-class (s), documentation, shortcuts, about, fullscreen, and stateful:
 * library, side, program-only, views-only. */
#pragma once
#include "document/document.h"

#define SCOPE_TYPE_WINDOW (scope_window_get_type ())
G_DECLARE_FINAL_TYPE (ScopeWindow, scope_window, SCOPE, WINDOW, GtkApplicationWindow)

/* ---- recovery.c ------------------------------------------------------------------------------------------------------------- */
typedef struct Recovery Recovery;
/* Keeps what is edited, at most a few seconds old, until the document is saved or the window closed. */
Recovery *recovery_new (ScopeDocument *d);
void recovery_now (Recovery *r);   /* what is unsaved is on the disk when this returns */
void recovery_leave (Recovery *r); /* the process ends: what is unsaved stays on the disk for the next one */
void recovery_free (Recovery *r);  /* closed in good order: nothing is kept */
typedef struct Recovered {
  char *trace, *format, *program, *text; /* format may be NULL */
  char *title;                           /* "Overview of fft2d-s16, 12:03" */
  uint64_t event;                        /* the instant: so many were given */
  char **allowed;                        /* what the program might read outside its folder; NULL: nothing */
  char *file;                            /* private */
  int lock;
} Recovered;
GPtrArray *recovery_list (void);       /* of Recovered *, what windows left that did not end well; takes hold of them */
void recovered_discard (Recovered *r); /* from the disk too */
void recovered_free (Recovered *r);

/* ---- the window ------------------------------------------------------------------------------------------ */
GtkWidget *scope_window_new (GtkApplication *app);
ScopeDocument *scope_window_document (ScopeWindow *w);
void scope_window_prefer (ScopeWindow *w); /* does what the preferences say */
/* Opens a bundle; asks first about unsaved changes, and which format when there are several.  `format`, `program` may
 * be NULL.  What goes wrong is said in the window. */
void scope_window_open (ScopeWindow *w, const char *trace, const char *format, const char *program);
/* The same with further traces, NULL-terminated, each for a reader of its own (SessionOptions.more). */
void scope_window_open_several (ScopeWindow *w, const char *trace, const char *const *more, const char *format,
                                const char *program);
/* Opens a program on the trace that is open, or asks for one. */
void scope_window_open_program (ScopeWindow *w, const char *program);
/* Goes on with what a crash left; it belongs to the window then. */
void scope_window_recover (ScopeWindow *w, Recovered *r);
/* Saves; asks for a place when there is none to write to.  False: not saved. */
bool scope_window_save (ScopeWindow *w, bool elsewhere);
/* Asks about changes that are not saved; false: the person wants to stay. */
bool scope_window_close (ScopeWindow *w);
/* The process is about to end: asks nothing, keeps what is not saved for the next time. */
void scope_window_end (ScopeWindow *w);

static inline void
clear_children (GtkWidget *container)
{
  g_autoptr (GList) children = gtk_container_get_children (GTK_CONTAINER (container));

  for (GList *l = children; l; l = l->next)
    gtk_widget_destroy (l->data);
}

/* ---- parts of the window's own, each in the file of its name; all floating widgets ------------------------------------- */
GtkWidget *header_new (ScopeWindow *w);
void header_choose_program (GtkWidget *header); /* opens the list of programs */
void header_set_room (GtkWidget *header, int sides, bool tight);
GtkWidget *start_page_new (ScopeWindow *w);
void tour_begin (ScopeWindow *w);            /* on what is open, or a sample */
GtkWidget *tour_offer_new (GtkWidget *page); /* a line of the page that is seen first, while it is wanted */
/* A program as a row of a list: its drawing, title and line; `asks`: by the question that it answers.
 * g_object_get_data() has "path" and "title". */
typedef struct PlacesProgram PlacesProgram;
GtkWidget *program_card_new (const PlacesProgram *p, bool present, bool asks);
bool program_is_present (ScopeDocument *d, const char *path, const char *title);
void questions_ask (ScopeWindow *w); /* "What do you want to know?", and the program that answers it */
void questions_init (ScopeWindow *w);
void tools_init (ScopeWindow *w);           /* the action ask-tool */
#define MESSAGE_ANSWER "answer"             /* about: what a question is answered with stays until it is closed */
GtkWidget *messages_new (ScopeDocument *d); /* what is said, over a corner; an overlay */
/* ... at the foot of `side`, which leaves them room, while it is seen; else they fold once something of `window` is
 * pressed. */
void messages_stand_below (GtkWidget *messages, GtkWidget *window, GtkWidget *side);
GtkWidget *messages_folded (GtkWidget *messages);  /* the button that they fold into; it has its place elsewhere */
bool messages_close (GtkWidget *messages);         /* true: there were some */
void messages_raise (GtkWidget *messages, int px); /* so far above the lower edge */
GtkWidget *busy_new (ScopeDocument *d);            /* the overlay of long work */
GtkWidget *palette_new (ScopeWindow *w);           /* search; an overlay */
void palette_open (GtkWidget *palette);
GtkWidget *programs_new (ScopeWindow *w); /* the programs on offer, a card each */

/* ---- files.c: dialogs ------------------------------------------------------------------------------------------------------ */
char *files_ask_trace (GtkWindow *parent, const char *title); /* g_free; NULL: none was chosen */
char *files_ask_program (GtkWindow *parent);
char *files_ask_save (GtkWindow *parent, const char *name);
/* What is being typed into a field of the window counts as soon as it is left: who saves or closes means it too. */
void files_take_what_is_typed (GtkWindow *w);
char *files_ask_output (GtkWindow *parent); /* the folder for the files of components */
/* Where an execution is to be exported, and in which format (static); NULL: nowhere. */
char *files_ask_export (GtkWindow *parent, const char *name, const char **format);
/* Which format of a bundle that has several; g_free; NULL: none was chosen. */
char *files_ask_format (GtkWindow *parent, GPtrArray *formats);
void files_accept_drops (ScopeWindow *w);
/* objects.c: shared objects with components, dropped on it: asks whether they are to be used. */
void objects_drop (ScopeWindow *w, char *const *paths);
char **objects_of_folder (const char *folder); /* that lie in it; may be none; g_strfreev */
void objects_end (void);                       /* takes the copies away */
/* The bundle, if the path is one, lies inside one or is a folder with one in it; g_free, NULL: neither. */
char *files_bundle_of (const char *path);
/* ways.c: what messages are about that have a button */
#define WAYS_EXCHANGE "exchange"
#define WAYS_BACK "back"
/* After an opening that failed, for a reason: the trace with its usual program, if the file of the `other` one, or
 * NULL, is gone, and what is told of it.  False: it is not open either. */
bool files_open_usual (ScopeDocument *d, const char *trace, const char *const *more, const char *format,
                       const char *other, const char *why);

/* ---- recent.c ---------------------------------------------------------------------------------------------------------------- */
typedef enum { RECENT_TRACES, RECENT_PROGRAMS } RecentKind;
void recent_add (RecentKind kind, const char *path); /* absolute */
GList *recent_list (RecentKind kind); /* of GtkRecentInfo, the last first; g_list_free_full (gtk_recent_info_unref) */

/* ---- layout.c: sides, sizes and what is shown ------------------------------------------------------------------------------ */
typedef struct Layout {
  int width, height; /* of the window, logical px */
  bool maximised;
  int left, right; /* px of the sides */
  double top;      /* share of the height that the program has above its views: screens differ */
  bool library, side;
  bool program_only, views_only;
  bool folded; /* the program is a strip above its views, unless it is alone */
} Layout;
void layout_load (Layout *l, const char *note); /* of the note "window" if that has it, else as it was left last */
void layout_keep (const Layout *l);             /* for the next window */
char *layout_note (const Layout *l, const char *note); /* the note with this layout in it; g_free */

/* ---- help.c -------------------------------------------------------------------------------------------------------------------- */
void help_show_class (GtkWindow *parent, const char *class_id); /* NULL: the list of components */
void help_show_documentation (GtkWindow *parent, ScopeDocument *d);
