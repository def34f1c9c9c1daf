/* SPDX-License-Identifier: Apache-2.0 */
/* eve-host.h - what an application needs of Eve: the registry of classes, programs, running, editing, looking,
 * files and checkpoints.  Everything is for the engine thread, the thread that made the program. */
#pragma once
#include <glib.h>
#include "eve/eve.h"

#pragma GCC visibility push(default)

#define EVE_ERROR (eve_error_quark ())
GQuark eve_error_quark (void);
typedef enum {
  EVE_ERROR_PLUGIN,    /* a shared object that cannot be used */
  EVE_ERROR_REFUSED,   /* an edit that a port or the program refuses; the message is the sentence */
  EVE_ERROR_FILE,      /* a program file that cannot be read or written */
  EVE_ERROR_SETTING,   /* a value that a setting does not take */
  EVE_ERROR_BLOB,      /* run state that cannot be restored */
  EVE_ERROR_CANCELLED, /* who asked for it does not want it any more */
} EveError;

/* ---- watching: whose fault was it? --------------------------------------------------------------------------
 * A process that dies inside a component, or never comes back from one, cannot say so itself.  What it shares with the
 * process that watches over it tells which component was at work. */
typedef struct EveWatch EveWatch;
typedef struct EveWatched {
  char box[96];         /* its name; "" while an object is being loaded */
  char class_id[96];    /* "" if that is not known */
  char object[512];     /* path of the shared object; "": part of the program */
  const char *function; /* of the class, as "fire"; "" if that is not known */
} EveWatched;
/* In memory that is shared with children; NULL: there is none. */
EveWatch *eve_watch_new (void);
void eve_watch_free (EveWatch *w);
/* In the process that will load and run components: from here on they are watched.  NULL: no more. */
void eve_watch_use (EveWatch *w);
/* From a signal handler: return addresses of the stack, the innermost first.  Notes the first that lies in the shared
 * object of a component: it is at fault, whatever the engine had called.  False: there is none. */
bool eve_watch_stack (EveWatch *w, void *const *frames, int n);
void eve_watch_forget (EveWatch *w); /* what eve_watch_stack() noted */
/* Who is at work, or was when the process died.  False: no component. */
bool eve_watch_who (const EveWatch *w, EveWatched *who);
/* Grows with each function of a component that is called. */
uint64_t eve_watch_calls (const EveWatch *w);
/* Grows with each eve_alive(). */
uint64_t eve_watch_signs (const EveWatch *w);

/* ---- registry: the classes that are there ------------------------------------------------------------------
 * Process-wide.  Made from the folders of SCOPE_PLUGIN_PATH (colon list) and those added by the application. */
void eve_registry_add_folder (const char *folder);
/* Loads every shared object of the folders.  Objects that cannot be used are passed over; their sentences are
 * appended to `problems` (of char *, if not NULL). */
void eve_registry_load_all (GPtrArray *problems);
/* Of these the ones that are called so, as paje-reader.so by the role "reader": a few, where all would take longer. */
void eve_registry_load_named (const char *role);
/* Loads one shared object, checks ABI and tables; none of its functions runs before.  The classes stay loaded
 * for the process.  `classes` gets the NULL-terminated table of the object, if not NULL. */
bool eve_registry_load_file (const char *path, const EveClass *const **classes, GError **error);
/* Asked before a shared object is loaded, with its absolute path; false and an error: it is not to be. */
void eve_registry_set_gate (bool (*may_load) (const char *path, GError **error));
/* Path of the shared object that a class came with; NULL: it is linked into the program. */
const char *eve_class_object (const EveClass *klass);
/* Adds a class linked into the program. */
bool eve_registry_add (const EveClass *klass, GError **error);
/* NULL if there is none. */
const EveClass *eve_registry_find (const char *id);
/* All classes sorted by id; transfer container. */
GPtrArray *eve_registry_list (void);
/* First class that provides `what` ("reader:tapepvm"), or NULL. */
const EveClass *eve_registry_find_provider (const char *what);
/* Says what is wrong with a class table, in sentences; true if nothing is. */
bool eve_class_check (const EveClass *klass, GError **error);
/* Index of a port or setting by name, or -1. */
int eve_class_in (const EveClass *klass, const char *name);
int eve_class_out (const EveClass *klass, const char *name);
int eve_class_setting (const EveClass *klass, const char *name);

/* True: data of the type `gives` can be sent where `takes` is wanted, converted if need be; NULL: any type. */
bool eve_type_fits (const EveType *gives, const EveType *takes);

/* ---- program ----------------------------------------------------------------------------------------------- */
typedef enum { EVE_STOPPED, EVE_RUNNING, EVE_PAUSED, EVE_FAILED } EveMode;
typedef enum {
  EVE_IDLE,       /* nothing can be done now; sources wait or have ended (eve_program_ended tells) */
  EVE_BUDGET,     /* the budget is used up, there is more to do */
  EVE_STALLED,    /* data wait that nobody can move: eve_program_stall() names the loop */
  EVE_RUN_FAILED, /* a component failed: eve_program_failure() */
} EveRun;

EveProgram *eve_program_new (void);
void eve_program_free (EveProgram *p);
/* Components write files below this folder, and nowhere else.  NULL, as at first: they write none, and go on as if they
 * had. */
void eve_program_set_output_folder (EveProgram *p, const char *folder);
const char *eve_program_output_folder (const EveProgram *p);
/* Whether components write to standard output; at first they do not. */
void eve_program_set_prints (EveProgram *p, bool prints);
/* Before eve_reset(), if the program is played again with more in it: what its components have printed by now is not
 * printed a second time.  One that now prints something else there warns. */
void eve_program_print_on (EveProgram *p);
/* Lets components read a file, or a folder with what is in it, although it lies outside the folder of the program file.
 * eve_set() does so with the path that it sets, being called for a person. */
void eve_program_allow (EveProgram *p, const char *path);
const char *const *eve_program_allowed (EveProgram *p, guint *n); /* absolute; good until the next one */
/* Whether the program may read a path: absolute, or relative to its folder. */
bool eve_program_may_read (EveProgram *p, const char *path);
/* The paths, of char *, that settings name to be read, that lie elsewhere and were not allowed: what to ask for. */
GPtrArray *eve_program_asks_for (EveProgram *p);
/* SHA-256 of the text that the program was read from or saved as, in hexadecimal: what a person agreed to. */
const char *eve_program_content (const EveProgram *p);

/* Lets the program work for at most budget_ns nanoseconds (0: one round only; < 0: until it is idle).  Starts it
 * when it is stopped or paused.  The result of a program never depends on how its work was cut into slices. */
EveRun eve_run (EveProgram *p, int64_t budget_ns);
/* Freezes at once, between two firings. */
void eve_pause (EveProgram *p);
/* Time stands still, at `now` (ticks): everything shows what is true at this instant, until the program goes on; also
 * when it was paused or has ended.  The run state stays what it is, and so does what comes later: nothing depends on
 * where it rested, or how often.  For whoever looks at results: views, files, values on wires. */
void eve_rest (EveProgram *p, int64_t now);
/* Back to the beginning: rings emptied, run state reset. */
void eve_reset (EveProgram *p);
EveMode eve_program_mode (const EveProgram *p);
bool eve_program_ended (const EveProgram *p); /* every source has ended and everything was consumed */
/* Sentence of a stall, "Merge.out is full -> Filter.in waits for Gate.open -> ..."; NULL if there is none. */
const char *eve_program_stall (const EveProgram *p);
/* Tells of each box that can do nothing because an input that it needs has no wire: a sentence with its name. */
void eve_program_tell_unfed (const EveProgram *p, void (*tell) (void *arg, const char *sentence), void *arg);
/* The failed component and the chain of causes, "Reader: cannot ... because ..."; NULL if nothing failed. */
const char *eve_program_failure (const EveProgram *p, EveComponent **who);
void eve_program_clear_failure (EveProgram *p);
/* Called from any thread when eve_run should be called again (posts, wakes); for a main loop. */
void eve_program_set_waker (EveProgram *p, void (*wake) (void *), void *arg);
/* Told of each warning (eve_warn), on the engine thread; for reports and canvas.  The first 100 of those that nobody
 * has heard by then, as the program was loaded, are told now. */
void eve_program_set_warn (EveProgram *p, void (*warn) (void *, EveComponent *, const char *), void *arg);
/* Told how far long work inside of one call is (eve_progress), on the engine thread; false: it is cancelled.  NULL:
 * nobody, and it goes on to its end.  It must live until the next call of this. */
void eve_program_set_progress (EveProgram *p, bool (*report) (void *arg, const char *doing, double share), void *arg);
/* What was told with eve_warn_missing() since the program was made, each once, with the names of the boxes: of char *,
 * of the program; NULL: nothing. */
const GPtrArray *eve_program_missing (const EveProgram *p);
uint64_t eve_program_serial (const EveProgram *p); /* grows with each edit */

/* ---- editing, also while the program runs ------------------------------------------------------------------ */
/* `name` NULL: made from the label.  A taken name is refused. */
EveComponent *eve_add (EveProgram *p, const EveClass *klass, const char *name, GError **error);
void eve_remove (EveProgram *p, EveComponent *c);
bool eve_rename (EveComponent *c, const char *name, GError **error);
bool eve_connect (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in, GError **error);
bool eve_disconnect (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in);
/* Why this wire would be refused: a sentence to g_free, or NULL if it would be made. */
char *eve_why_not (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in);

/* A component that is off stays in the program with its wires, which carry nothing then; it does nothing and speaks no
 * interface.  One that is bypassed is off, and what comes to it goes on, unchanged, to whom it feeds: from the input of
 * the same type.  Saved with the program.  Refused where nothing could go on so. */
typedef enum { EVE_WORKS, EVE_OFF, EVE_BYPASSED } EveUse;
EveUse eve_use (const EveComponent *c);
const char *eve_use_name (EveUse use); /* as in program files: "works", "off", "bypassed" */
bool eve_set_use (EveComponent *c, EveUse use, GError **error);
char *eve_why_no_bypass (const EveComponent *c); /* a sentence to g_free; NULL: it can be */
/* The input that goes on as an output when the component is bypassed; the class owns it.  NULL: nothing does. */
const char *eve_bypass_input (const EveComponent *c, const char *out);

/* Settings as text: numbers in C notation, bools true/false, choices by name. */
bool eve_set (EveComponent *c, const char *setting, const char *value, GError **error);
char *eve_get (EveComponent *c, const char *setting); /* g_free; NULL: no such setting */
bool eve_field_parse (const EveField *f, const char *text, void *at, GError **error);
char *eve_field_text (const EveField *f, const void *at); /* g_free */

/* ---- looking ------------------------------------------------------------------------------------------------ */
uint32_t eve_n_components (const EveProgram *p);
EveComponent *eve_component (const EveProgram *p, uint32_t i);       /* in the order they were added */
EveComponent *eve_find (const EveProgram *p, const char *name);      /* NULL: none */
bool eve_is_ghost (const EveComponent *c);                           /* its class was not found */
const char *eve_class_id (const EveComponent *c);                    /* also of a ghost */
const char *eve_component_status (const EveComponent *c);            /* what eve_status said; may be "" */
const char *eve_component_failure (const EveComponent *c);           /* NULL: has not failed */
const void *eve_query (EveComponent *c, const char *interface_name); /* NULL: not spoken */
/* First component that speaks an interface, or NULL. */
EveComponent *eve_find_query (const EveProgram *p, const char *interface_name, const void **spoken);
/* The components that speak an interface upstream of another, which does not count itself: nearest first, and nobody
 * beyond one that was found, for he stands between.  Wires that carry nothing lead nowhere.  Of EveComponent *;
 * transfer container. */
GPtrArray *eve_find_above (const EveComponent *c, const char *interface_name);
typedef struct EveWire {
  EveComponent *from, *to;
  const char *out, *in; /* names, owned by the program */
  bool broken;          /* a port is not there, types do not fit, or an end is off: kept, but carries nothing */
  bool rests;           /* it carries nothing because an end is off or bypassed */
  uint64_t passed;      /* data that were sent through */
} EveWire;
uint32_t eve_n_wires (const EveProgram *p);
EveWire eve_wire (const EveProgram *p, uint32_t i);
/* The same of all ways that data go: the wires, and after them what goes past bypassed components, as wires from who
 * feeds them to whom they feed. */
uint32_t eve_n_flows (const EveProgram *p);
EveWire eve_flow (const EveProgram *p, uint32_t i);
/* The datum that last passed an output, as text to g_free; NULL if none has. */
char *eve_out_last (EveComponent *c, const char *out);
/* The datum itself, of *type; NULL where eve_out_last() gives NULL.  Good until the program goes on or is changed. */
const void *eve_out_last_slot (EveComponent *c, const char *out, const EveType **type);
uint64_t eve_component_firings (const EveComponent *c);
/* A source that has said that nothing more comes from it; what it gave may still wait to be consumed. */
bool eve_source_ended (const EveComponent *c);
/* Room for the application: position on the canvas, in px. */
void eve_set_position (EveComponent *c, double x_px, double y_px);
void eve_position (const EveComponent *c, double *x_px, double *y_px);
/* Text of the application that is kept in the program file under a name, as the layout of its window; "" or NULL takes
 * it away.  Not part of what runs. */
void eve_program_set_note (EveProgram *p, const char *name, const char *text);
const char *eve_program_note (const EveProgram *p, const char *name);          /* "" if there is none */
const char *eve_program_title (const EveProgram *p);                           /* of the file; "" if it has none */
void eve_program_describe (EveProgram *p, const char *title, const char *doc); /* doc NULL: as it is */
/* The program graph in Graphviz's language; g_free. */
char *eve_program_dot (const EveProgram *p);

/* ---- files (libxml2; docs/program-format.md) --------------------------------------------------------------- */
/* Reads a program.  Problems that leave something out of work (unknown classes, ports, settings) do not fail: each
 * is a sentence with file and line in `problems` (of char *, if not NULL) and is kept for writing. */
EveProgram *eve_program_load (const char *path, GPtrArray *problems, GError **error);
EveProgram *eve_program_parse (const char *text, gssize len, const char *name, GPtrArray *problems, GError **error);
/* The same for somebody who waits: `ask` is called every few hundred boxes with the share read, 0 to 1; false breaks
 * off with EVE_ERROR_CANCELLED. */
EveProgram *eve_program_load_asking (const char *path, GPtrArray *problems, bool (*ask) (void *arg, double share),
                                     void *arg, GError **error);
EveProgram *eve_program_parse_asking (const char *text, gssize len, const char *name, GPtrArray *problems,
                                      bool (*ask) (void *arg, double share), void *arg, GError **error);
/* The file that the program belongs to: relative names of files in settings are relative to its folder.  Set by
 * loading. */
void eve_program_set_file (EveProgram *p, const char *path);
bool eve_program_save (EveProgram *p, const char *path, GError **error); /* atomically */
char *eve_program_text (EveProgram *p);                                  /* g_free */
/* Makes a program what a text says, changing only what differs, by name: boxes and wires that are the same keep their
 * run state and data.  A box is taken as renamed when one of its class and place lost its name.  False: the text is no
 * program, or a firing is under way; nothing was changed then. */
bool eve_program_update (EveProgram *p, const char *text, GPtrArray *problems, GError **error);
/* How many wires of a part lead to components that the program does not have: they are told as problems when it is
 * loaded, and are made where it is added. */
uint32_t eve_n_open_ends (const EveProgram *p);
/* Some components and the wires between them, as text for the clipboard; g_free. */
char *eve_copy (EveProgram *p, EveComponent *const *which, uint32_t n);
/* The same with their wires to other components too: a part, to be added to programs that have such; g_free. */
char *eve_part (EveProgram *p, EveComponent *const *which, uint32_t n);
/* Adds what eve_copy or eve_part gave, under new names where taken, moved by dx, dy; `added` gets the components if not
 * NULL.  A wire to a component that the text does not hold goes to the one of that name here; what cannot be connected
 * is a sentence in `problems`. */
bool eve_paste (EveProgram *p, const char *text, double dx_px, double dy_px, GPtrArray *added, GPtrArray *problems,
                GError **error);
/* The same with a name for the text, for those sentences: that of its file. */
bool eve_add_part (EveProgram *p, const char *text, const char *name, double dx_px, double dy_px, GPtrArray *added,
                   GPtrArray *problems, GError **error);

/* ---- keeping what goes through outputs ---------------------------------------------------------------------------- */
typedef struct EveKeeper {
  /* All data that the output sends in a run, in order, arrays of them; not what at_rest tells.  It may fail no
   * component, edit no program and send nothing. */
  void (*keep) (void *arg, const void *data, uint32_t n);
  /* For eve_out_kept(): where they may go in the place of that; NULL function, or NULL: nowhere else. */
  void *(*directly) (void *arg);
  void *arg;
} EveKeeper;
/* One for each output, copied; NULL: none.  The output has a type of its own. */
void eve_out_keep (EveComponent *c, uint32_t output, const EveKeeper *keeper);
/* Identity of all that decides what an output sends; that of an input with a wire from there alone is the same
 * (eve_in_identity). */
uint64_t eve_out_identity (EveComponent *c, uint32_t output);
/* For each component, in the order of eve_component(): identity of all that decides what it holds, which is itself and
 * all that is upstream; and whether that is all, once the program is drained: neither it nor anybody upstream sees in
 * which order data come from several sides, and in the whole program nobody fires in the place of another. */
void eve_program_identities (EveProgram *p, uint64_t *identity, bool *alone);
/* At any instant it holds what it held at the beginning: it has no run state, as it is wired now, and nothing waits for
 * it.  One whose class saves something may say so by speaking "keeps-nothing/1". */
bool eve_component_keeps_nothing (EveComponent *c);
/* The outputs that are wired to an input: at most `most` are stored; gives how many there are. */
uint32_t eve_in_fed_by (EveComponent *c, uint32_t input, EveComponent **from, uint32_t *output, uint32_t most);

/* ---- run state ------------------------------------------------------------------------------------------------ */
EveBlob *eve_blob_new (void);
void eve_blob_free (EveBlob *b);
void eve_blob_clear (EveBlob *b); /* empty again; its room stays */
const uint8_t *eve_blob_data (const EveBlob *b, size_t *n_bytes);
uint64_t eve_blob_hash (const EveBlob *b);
EveBlobView *eve_blob_view_new (const void *data, size_t n_bytes); /* the bytes must outlive it */
void eve_blob_view_free (EveBlobView *v);
/* The run state of every component, unread data and the place of the sweep. */
void eve_program_save_run (EveProgram *p, EveBlob *to);
/* Restores it, by component name.  Components that are not in it are reset; what belongs to nobody is left aside;
 * both are told in `problems`.  False, with the program reset, if the bytes are not a run state. */
bool eve_program_load_run (EveProgram *p, const void *data, size_t n_bytes, GPtrArray *problems, GError **error);
/* One component alone is as after its init, with its settings; what waits at its ports stays.  Between runs. */
void eve_component_reset (EveComponent *c);
/* Whether a component has nothing at its ports that waits, for itself or for others, and could do nothing now. */
bool eve_component_is_settled (EveComponent *c);
/* The same from parts of several run states, which other programs may have saved: each of a component of the same
 * identity that was settled and stood alone (eve_program_identities()), and of whose outputs the same were wired.
 * of[i]: the state that has the i-th component (eve_component()), by its name; -1: it keeps nothing, or is not part of
 * run states.  False, with the program reset and a sentence, if one of them is not there. */
typedef struct EveRunState {
  const void *data;
  size_t n_bytes;
} EveRunState;
bool eve_program_load_parts (EveProgram *p, const EveRunState *states, uint32_t n_states, const int *of,
                             GError **error);
/* One component's own run state (no rings), for tests. */
void eve_component_save_run (EveComponent *c, EveBlob *to);
bool eve_component_load_run (EveComponent *c, EveBlobView *from);
/* Identity of what runs: classes, versions, settings except those of looks, and wires.  Components that take nothing,
 * give nothing and keep nothing, as views of histories, are not part of it, nor of the run state: it is the same with
 * them and without. */
uint64_t eve_program_plan_hash (const EveProgram *p);
/* A hash of everything that eve_program_save_run writes, other than how much went where only views look: those are not
 * part of the run. */
uint64_t eve_program_run_hash (EveProgram *p);

#pragma GCC visibility pop
