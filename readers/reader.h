/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - the contract of a trace format (thesis, table 2.1): what a reader implements, and how the
 * application and the reader component use it.  One thread at a time, unless said otherwise. */
#pragma once
#include <stdarg.h>

#include "readers/event.h"

/* trace_group_of() what a program waits in for its accelerators, and what such a call waits for by its name: all that
 * its process has given to be done, one stream, a copy of its own, or an event.  Other calls: nothing. */
#define TRACE_GROUP_DEVICE "Accelerator synchronisation"
typedef enum {
  TRACE_AWAITS_NOTHING,
  TRACE_AWAITS_ALL,
  TRACE_AWAITS_STREAM,
  TRACE_AWAITS_COPY,
  TRACE_AWAITS_EVENT
} TraceAwaits;
TRACE_API TraceAwaits trace_region_awaits (const char *region);
/* The byte that is kept of a number, such as an object; those that nobody has asked for yet are 0. */
TRACE_API guint8 *trace_byte_of (GByteArray *all, uint32_t number);

/* What may happen during long work; NULL functions are allowed.  Called every few milliseconds. */
typedef struct TraceProgress {
  bool (*report) (void *arg, const char *doing, double share); /* share 0..1; false: cancel */
  void *arg;
} TraceProgress;

typedef struct TraceOptions {
  bool strict;             /* stop at the first damaged record instead of going on without it */
  size_t memory_bytes;     /* for sorting; 0: 32 MiB */
  const char *work_folder; /* for temporary files; NULL: the user's cache */
  int64_t offset;          /* is added to all dates, nanoseconds; trace_open() sees to it */
  const TraceProgress *progress;
  TraceClocksBy clocks; /* a format that cannot correct them leaves them: TraceSource.clocks.by tells */
  const char
      *reference; /* of formats with dates by vectors: the task whose order it is, by id; NULL or "": the first */
  bool follow;    /* it may still be growing, and is then read on as it does: TRACE_LIVE */
} TraceOptions;

typedef struct TraceSynth {
  uint32_t tasks;
  uint64_t records;
  uint64_t seed;
  const TraceProgress *progress;
} TraceSynth;

#define TRACE_ERROR (trace_error_quark ())
TRACE_API GQuark trace_error_quark (void);
typedef enum {
  TRACE_ERROR_BUNDLE,
  TRACE_ERROR_FORMAT,
  TRACE_ERROR_DATA,
  TRACE_ERROR_IO,
  TRACE_ERROR_CANCELLED
} TraceError;

/* One more TraceAbility: `next` may be given NULL for the events that `peek` has just shown.  They count as given then,
 * and stay where they are until the call after it. */
#define TRACE_LENDS 16u

/* One a format, static.  Its functions know dates and durations as the trace has them, in ticks of the clock that
 * `open` sets; all others read by trace_next() and its like, which give nanoseconds.  A reader's class says
 * "reader:FORMAT" in `provides` and answers the query "trace-format/1" with it, also without an instance (self is then
 * NULL). */
struct TraceFormat {
  const char *name;  /* "tapepvm": ending of the data folder */
  const char *label; /* "TAPE/PVM" */
  const char *model; /* programming model: "PVM" */
  /* Opens the data folder `folder` of bundle `bundle`; what is recoverable is repaired and counted.  Calls
   * trace_source_setup() first, then fills the rest of TraceSource. */
  TraceSource *(*open) (const char *bundle, const char *folder, const TraceOptions *options, GError **error);
  void (*close) (TraceSource *s); /* frees; ends with trace_source_clear() and g_free() */
  /* The next events in date order, at most max; 0: none are left, or *error is set (a strict source stops, a
   * file went away).  Of a LIVE source that has not ended: none have come yet. */
  size_t (*next) (TraceSource *s, TraceEvent *events, size_t max, GError **error);
  /* Backward: the events before the present place, latest first; NULL if the source cannot. */
  size_t (*previous) (TraceSource *s, TraceEvent *events, size_t max, GError **error);
  /* Goes to just before the first event dated >= date without reading what lies between; NULL if it cannot. */
  bool (*seek) (TraceSource *s, int64_t date, GError **error);
  void (*rewind) (TraceSource *s);
  /* The place in the trace and all that later events depend on. */
  void (*save) (TraceSource *s, EveBlob *to);
  bool (*load) (TraceSource *s, EveBlobView *from);
  /* Reads again from the record of an event. */
  TraceValue (*value) (TraceSource *s, const TraceEvent *e, uint32_t field);
  bool (*site) (TraceSource *s, const TraceEvent *e, const char **file, uint32_t *line, const char **function);
  char *(*sentence) (TraceSource *s, const TraceEvent *e); /* NULL: a general one is made */
  /* Writes a valid, reproducible data folder. */
  bool (*synth) (const char *folder, const TraceSynth *what, GError **error);
  /* Makes a data folder out of raw files; NULL: copies them. */
  bool (*import) (const char *folder, const char *const *files, GError **error);
  /* Whether a file or folder that a person names is a trace of this format as other programs write it, judged by its
   * content; `head`: its first n bytes, unpacked; NULL for a folder.  Gives 0, or how sure it is, up to 100.  *whole
   * may be set (g_free): the file or folder that is the whole trace, where that is another one.  `open` gets it for its
   * data folder then, and `bundle` is the same.  NULL: the format has no files but in bundles. */
  int (*recognise) (const char *path, const void *head, size_t n, char **whole);
  /* Writes what a source of any format gives, from where it is to its end, as a trace of this format at `path`, which
   * is not there yet: a file, or a folder.  What the format has no words for is left out.  NULL: nobody writes it.
   * False, with what was begun taken away: an error, or cancelled. */
  bool (*write) (TraceSource *from, const char *path, const TraceProgress *progress, GError **error);
  /* The events that `next` would give, without taking them; good until the next call.  0: as for `next`.  Never
   * changes what `save` writes.  How far a reader may go under TRACE_GO_UNTIL is seen by this. */
  size_t (*peek) (TraceSource *s, const TraceEvent **events, GError **error);
  /* trace_look(); NULL if the format is not read while it grows. */
  bool (*look) (TraceSource *s);
  /* trace_orders(); NULL if who writes this format takes none. */
  GPtrArray *(*orders) (TraceSource *s, uint32_t task);
  /* trace_skip(); NULL if the format does not know what lies where. */
  uint64_t (*skip) (TraceSource *s, uint64_t kinds, bool backward);
  /* What its dates are, if they are no seconds; NULL: they are. */
  const TraceDates *dates;
};

/* For readers: the common part. */
TRACE_API void trace_source_setup (TraceSource *s, const TraceFormat *format, const char *bundle, GError **error);
TRACE_API void trace_source_clear (TraceSource *s);
/* Nobody finds it by its number any more; who has it may still read it, until it is closed. */
TRACE_API void trace_source_hide (TraceSource *s);
TRACE_API uint32_t trace_source_add_task (TraceSource *s, const char *id,
                                          int64_t raw); /* takes the nickname from the bundle */
/* A task of a type (of the kind ENTITY), inside of another; TRACE_NONE for either: of no type, inside of none. */
TRACE_API uint32_t trace_source_add_task_in (TraceSource *s, const char *id, int64_t raw, uint32_t type,
                                             uint32_t parent);
TRACE_API uint32_t trace_source_add_object (TraceSource *s, const char *id);
/* A type, and the object that stands for it; `unit` may be NULL, `parent` TRACE_NONE. */
TRACE_API uint32_t trace_source_add_type (TraceSource *s, TraceTypeKind kind, const char *name, const char *unit,
                                          uint32_t parent);
/* The same, where the name is none of the file but a word of Scope's, marked with N_(). */
TRACE_API uint32_t trace_source_add_own_type (TraceSource *s, TraceTypeKind kind, const char *name, const char *unit,
                                              uint32_t parent);
/* An object that is one of a type: a state of a type of states.  Of such a one what nothing is known of, its name tells
 * if it is a region of code that is known to wait (trace_region_does()). */
TRACE_API uint32_t trace_source_add_value (TraceSource *s, uint32_t type, const char *id);
/* The same, of a trace that names states with words (trace_word_does()); those of a tool wait where another state of
 * the type is known to be the tool's. */
TRACE_API uint32_t trace_source_add_state (TraceSource *s, uint32_t type, const char *id);
/* The colour that the trace declares for states of that name, 0xRRGGBB; of a name that has one already the first
 * counts. Once all are told, some that are all alike say nothing, as of writers that have to write one: they are
 * forgotten. */
TRACE_API void trace_source_set_colour (TraceSource *s, const char *name, uint32_t rgb);
TRACE_API void trace_source_judge_colours (TraceSource *s);
/* A colour as tools of the field write it: its name in X11, "#rrggbb", or hue, saturation and value of 0 to 1; the
 * first of several between ':' or ';'.  False: it is none, or transparent. */
TRACE_API bool trace_colour_named (const char *text, uint32_t *rgb);
/* A link that is known before anything passes it (thesis, 2.3.3: simulators begin with the graph of the topology). */
TRACE_API uint32_t trace_source_add_link (TraceSource *s, const char *id, uint32_t from, uint32_t to);
TRACE_API uint32_t trace_source_add_host (TraceSource *s, const char *name, const char *arch, int64_t speed);
TRACE_API void trace_source_damage (TraceSource *s, const char *file, uint64_t line, uint64_t column, const char *fmt,
                                    ...) __attribute__ ((format (printf, 5, 6)));
/* The same for a reader's own function: the first 400 bytes of it, with what is no UTF-8 made visible. */
TRACE_API void trace_source_damage_list (TraceSource *s, const char *file, uint64_t line, uint64_t column,
                                         const char *fmt, va_list args) __attribute__ ((format (printf, 5, 0)));
/* What is to be told of the trace although no record is damaged: told with the damages, and not counted. */
TRACE_API void trace_source_remark (TraceSource *s, const char *file, uint64_t line, uint64_t column, const char *fmt,
                                    ...) __attribute__ ((format (printf, 5, 6)));
/* One more of its parts. */
TRACE_API void trace_source_part (TraceSource *s, const char *name, uint64_t n, uint64_t whole);

/* For the application. ------------------------------------------------------------------------------------------- */
/* A bundle, as its folder shows it (thesis, 1.6.1); or files of another program, which are opened as they are. */
typedef struct TraceBundle {
  char *raw;          /* the file or folder that is the trace; NULL: this is a bundle */
  char *path, *name;  /* absolute; name without .trace */
  char *stem;         /* of its data folders STEM.FORMAT: its name, or what that was before the folder was renamed */
  GPtrArray *formats; /* of char *: endings of the data folders found, sorted */
  char *doc;          /* folder of documentation, or NULL */
} TraceBundle;
/* Refuses with a sentence what is no bundle and no file that a format knows (not there, not a folder, no data folder,
 * link loop, not readable). */
TRACE_API TraceBundle *trace_bundle_open (const char *path, GError **error);
/* The same, but of Scope's own bundles alone: no file is looked into, and no tree of folders walked. */
TRACE_API TraceBundle *trace_bundle_open_own (const char *path, GError **error);
TRACE_API void trace_bundle_free (TraceBundle *b);
/* Whether a trace is files of another program: what a person adds to it (marks, positions) is kept elsewhere. */
TRACE_API bool trace_is_foreign (const char *path);
TRACE_API char *trace_bundle_data (const TraceBundle *b, const char *format); /* folder; g_free */
/* All formats that loaded components read, in the order of their classes: of const TraceFormat *; g_ptr_array_unref. */
TRACE_API GPtrArray *trace_formats (void);
/* Finds the format of a class that provides "reader:NAME"; NULL and a sentence if nobody reads it. */
TRACE_API const TraceFormat *trace_format_find (const char *name, GError **error);
/* Opens the trace of a bundle; `format` NULL: the only one, or a refusal that lists them. */
TRACE_API TraceSource *trace_open (const char *path, const char *format, const TraceOptions *options, GError **error);
TRACE_API void trace_close (TraceSource *s);
/* ---- reading with dates in nanoseconds, shifted by the offset; otherwise as the functions of the format (dates.c) ---- */
TRACE_API size_t trace_next (TraceSource *s, TraceEvent *events, size_t max, GError **error);
/* The same without a copy: *events is where they lie, until the next call.  NULL: this source cannot, and gave none. */
TRACE_API size_t trace_take (TraceSource *s, const TraceEvent **events, size_t max, GError **error);
TRACE_API size_t trace_previous (TraceSource *s, TraceEvent *events, size_t max, GError **error);
TRACE_API bool trace_seek (TraceSource *s, int64_t date, GError **error);
/* The event that trace_next() would give; false: none is left, or *error is set. */
TRACE_API bool trace_peek (TraceSource *s, TraceEvent *next, GError **error);
/* How many events at most `max`, that lie ahead in one piece, are dated <= date; *ended: none is left. */
TRACE_API size_t trace_ahead_until (TraceSource *s, int64_t date, size_t max, bool *ended, GError **error);
/* A date of the trace in nanoseconds, shifted; rounded down, and kept within +-2^62. */
TRACE_API int64_t trace_date (const TraceSource *s, int64_t own);
/* For trace_open(): false and a sentence if dates would leave what can be counted. */
TRACE_API bool trace_use_nanoseconds (TraceSource *s, int64_t offset, GError **error);
/* For trace_look(): what a format does, and the dates that it gives the source. */
TRACE_API bool trace_look_with (TraceSource *s, bool (*look) (TraceSource *s));
/* Who wants events of some kinds alone, bits 1 << kind, goes over others ahead, or behind, as far as the format knows
 * of them without reading each.  Gives the number of the event that trace_next() then gives; false: the format does not
 * know, and nothing was done. */
TRACE_API bool trace_skip (TraceSource *s, uint64_t kinds, bool backward, uint64_t *number);
/* Decimal seconds, to the nearest nanosecond; "" and blanks are 0.  False: no number of seconds. */
TRACE_API bool trace_offset_parse (const char *text, int64_t *offset);

/* What `save` writes, as bytes to keep; back to it.  False, at the beginning, if the bytes are no place of this source.
 */
TRACE_API GBytes *trace_place (TraceSource *s);
TRACE_API bool trace_go_to_place (TraceSource *s, const void *data, size_t n_bytes);

/* ---- the reader component ------------------------------------------------------------------------------------------
 * Every format's plugin is TRACE_READER_PLUGIN: the class is made here, so that a format is its TraceFormat alone.
 * Ports: control input `commands` (async; while nothing is connected the reader runs freely), output `events`.
 * Settings: `trace` (path of the bundle; empty: the one that is opened), `on damage` (go on, stop), `offset` (seconds
 * that are added to all dates). */
typedef struct TraceReader {                                   /* what the query "trace-reader/1" gives */
  TraceSource *(*source) (EveComponent *self);                 /* opens it if need be; NULL after eve_fail() */
  uint64_t (*given) (EveComponent *self);                      /* events given so far */
  int64_t (*clock) (EveComponent *self);                       /* date of the last one given, INT64_MIN: none yet */
  void (*command) (EveComponent *self, const TraceCommand *c); /* as if it came in at the control port */
  const TraceEvent *(*last) (EveComponent *self); /* the last one given, good until the next run; NULL: none yet */
  /* Told while the trace is opened, and may cancel that: source() then gives NULL.  It must live until the next call;
   * NULL: nobody. */
  void (*watch) (EveComponent *self, const TraceProgress *progress);
  /* The trace that a person opens, an absolute path: for a reader whose setting `trace` is empty.  Not saved with the
   * program. */
  void (*open_with) (EveComponent *self, const char *path);
  /* Its trace is followed while it grows; before it is opened. */
  void (*follow) (EveComponent *self, bool follow);
  /* trace_look() at its source; what has come is given as the commands allow. */
  bool (*look) (EveComponent *self);
} TraceReader;
TRACE_API extern const EveInSpec trace_reader_ins[];
TRACE_API extern const EveOutSpec trace_reader_outs[];
TRACE_API extern const EveField trace_reader_settings[];
TRACE_API bool trace_reader_init (EveComponent *c, const TraceFormat *format);
TRACE_API void trace_reader_finish (EveComponent *c);
TRACE_API void trace_reader_pause (EveComponent *c);
TRACE_API void trace_reader_reset (EveComponent *c);
TRACE_API bool trace_reader_changed (EveComponent *c, uint32_t setting);
TRACE_API EveSupply trace_reader_produce (EveComponent *c, uint32_t max);
TRACE_API void trace_reader_save (EveComponent *c, EveBlob *to);
TRACE_API bool trace_reader_load (EveComponent *c, EveBlobView *from);
TRACE_API const void *trace_reader_query (EveComponent *c, const char *name);
#define TRACE_READER_INSTANCE_BYTES 512 /* room for the private part; checked when the library is built */

#define TRACE_READER_PLUGIN(format_, id_, label_, provides_, doc_)                                                     \
  static bool trace_plugin_init (EveComponent *c)                                                                      \
  {                                                                                                                    \
    return trace_reader_init (c, &format_);                                                                            \
  }                                                                                                                    \
  static const void *trace_plugin_query (EveComponent *c, const char *name)                                            \
  {                                                                                                                    \
    return g_str_equal (name, "trace-format/1") ? (const void *) &format_ : c ? trace_reader_query (c, name) : NULL;   \
  }                                                                                                                    \
  static const char *const trace_plugin_provides[] = { provides_, NULL };                                              \
  static const EveClass trace_plugin_class = {                                                                         \
    EVE_CLASS_HEAD,                                                                                                    \
    .id = id_,                                                                                                         \
    .label = label_,                                                                                                   \
    .category = "Readers",                                                                                             \
    .doc = doc_,                                                                                                       \
    .version = 1,                                                                                                      \
    .provides = trace_plugin_provides,                                                                                 \
    .ins = trace_reader_ins,                                                                                           \
    .n_ins = 1,                                                                                                        \
    .outs = trace_reader_outs,                                                                                         \
    .n_outs = 1,                                                                                                       \
    .settings = trace_reader_settings,                                                                                 \
    .n_settings = 5,                                                                                                   \
    .instance_size = TRACE_READER_INSTANCE_BYTES,                                                                      \
    .init = trace_plugin_init,                                                                                         \
    .finish = trace_reader_finish,                                                                                     \
    .pause = trace_reader_pause,                                                                                       \
    .reset = trace_reader_reset,                                                                                       \
    .changed = trace_reader_changed,                                                                                   \
    .produce = trace_reader_produce,                                                                                   \
    .save = trace_reader_save,                                                                                         \
    .load = trace_reader_load,                                                                                         \
    .query = trace_plugin_query,                                                                                       \
  };                                                                                                                   \
  EVE_PLUGIN (&trace_plugin_class)
