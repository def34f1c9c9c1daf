/* SPDX-License-Identifier: Apache-2.0 */
/* converted.h - formats whose files are read once, from the first byte to the last, and kept in the user's cache as
 * events in order of date: so that opening them again, going to any date and reading backward cost nothing.
 *
 * Such a format is one function, which reads the file and says what is in it.  It may give events in any order.  All
 * else of the contract of formats (reader.h) is done here.  The cache is a folder of its own for each file, known by
 * the file's name, size and date; docs/converted-format.md tells what is in it.  One thread at a time. */
#pragma once
#include "readers/reader.h"

typedef struct Converter Converter;

typedef struct ConvertedFormat {
  TraceFormat format; /* with CONVERTED_FUNCTIONS */
  /* Of readers from elsewhere: raise it when `convert` makes other events of a file, and what was kept is made anew.
   * Those of Scope itself are known by their code (docs/decisions/conversion-code.md). */
  uint32_t version;
  bool folder;        /* a trace is a folder with several files; else it is one file */
  bool offsets;       /* traces may tell how clocks differ */
  bool references;    /* dates are vectors: events come in the order of a task of reference */
  const char *beside; /* or NULL: with this behind its name, a file that belongs to it */
  /* Reads the trace and gives all that is in it.  `path` is the file or folder.  False and an error: cancelled, or
   * nothing of it can be read; what is damaged in part is told by trace_source_damage() and left out. */
  bool (*convert) (Converter *c, const char *path, GError **error);
} ConvertedFormat;

TRACE_API TraceSource *converted_open (const ConvertedFormat *f, const char *bundle, const char *path,
                                       const TraceOptions *options, GError **error);
TRACE_API void converted_close (TraceSource *s);
TRACE_API size_t converted_next (TraceSource *s, TraceEvent *events, size_t max, GError **error);
TRACE_API size_t converted_previous (TraceSource *s, TraceEvent *events, size_t max, GError **error);
TRACE_API size_t converted_peek (TraceSource *s, const TraceEvent **events, GError **error);
TRACE_API bool converted_seek (TraceSource *s, int64_t date, GError **error);
TRACE_API void converted_rewind (TraceSource *s);
TRACE_API void converted_save (TraceSource *s, EveBlob *to);
TRACE_API bool converted_load (TraceSource *s, EveBlobView *from);
TRACE_API TraceValue converted_value (TraceSource *s, const TraceEvent *e, uint32_t field);
/* For `site` of formats whose kinds tell by their last field, a word called `called_at`, from where in the
 * program's source something was called: FILE:LINE. */
TRACE_API bool converted_site (TraceSource *s, const TraceEvent *e, const char **file, uint32_t *line,
                               const char **function);

/* static TraceSource *NAME_open (...) of a format; its TraceFormat has .open = NAME_open and CONVERTED_FUNCTIONS. */
#define CONVERTED_OPEN(name_, format_)                                                                                 \
  static TraceSource *name_ (const char *bundle, const char *path, const TraceOptions *options, GError **error)        \
  {                                                                                                                    \
    return converted_open (format_, bundle, path, options, error);                                                     \
  }
#define CONVERTED_FUNCTIONS                                                                                            \
  .close = converted_close, .next = converted_next, .previous = converted_previous, .peek = converted_peek,            \
  .seek = converted_seek, .rewind = converted_rewind, .save = converted_save, .load = converted_load,                  \
  .value = converted_value

/* ---- for `convert`: what is in the trace -------------------------------------------------------------------------------- */
/* The source that is being made: its clock is to be set; tasks, objects, types, hosts and damages are added to it by
 * the functions of reader.h. */
TRACE_API TraceSource *converter_source (Converter *c);
/* Whether dates are those of a common clock, where the trace tells how clocks differ; else as they were recorded. */
TRACE_API bool converter_uses_offsets (const Converter *c);
/* The id of the task as whose order events are to come; "": the first one.  Of `references` alone, which say by
 * TraceSource.reference whose it is. */
TRACE_API const char *converter_reference (const Converter *c);
/* A kind of event more; all of it is copied.  Gives its number, or UINT32_MAX: there are 65535 already.  Fields of the
 * roles INT, WORD, TASK, TASKS, PEERS and OBJECTS are given with each event, in their order, by converter_int() and its
 * like; the others are in the event itself. */
TRACE_API uint32_t converter_kind (Converter *c, const TraceKind *k);
/* A name for a field that the trace brings along: as expressions can use it, and unlike what each event has; g_free. */
TRACE_API char *converted_field_name (const char *name, size_t n);
/* An event: an instant, or the begin or end of an action that is ended by a record of its own.  `number`, `source` and
 * `record` are set here.  False: the disk refuses, which converter_finished() will tell; go on or end, as is easier. */
TRACE_API bool converter_event (Converter *c, const TraceEvent *e);
/* The same, before all else of its date: for what is known to be done within an action that ends at that date, whose
 * end may have been given already. */
TRACE_API bool converter_event_first (Converter *c, const TraceEvent *e);
/* Where the next event may be written, all of it, and given to converter_event() from there: which is not copied then.
 */
TRACE_API TraceEvent *converter_room (Converter *c);
/* Where the next events may be written, side by side: *n of them, at most as many as it says before, at least one; and
 * that so many are written there, none of which has values behind it. */
TRACE_API TraceEvent *converter_rooms (Converter *c, uint32_t *n);
TRACE_API bool converter_events (Converter *c, uint32_t n);
/* The place that the next event would have among those of its date, for one whose rest is known later only. */
TRACE_API uint64_t converter_place (Converter *c);
TRACE_API bool converter_event_at (Converter *c, const TraceEvent *e, uint64_t place);
/* Events that share their values, which are then kept once: converter_values() takes those that were given, and says
 * what they are known by; converter_event_with() is an event with them. */
TRACE_API uint64_t converter_values (Converter *c);
TRACE_API bool converter_event_with (Converter *c, const TraceEvent *e, uint64_t values);
/* The begin of an action that ends at `end`, and its end. */
TRACE_API bool converter_action (Converter *c, const TraceEvent *e, int64_t end);
/* The same for actions that are inside of each other and may come in any order: of those that begin at one date the
 * longer is the outer one, behind all else of that date.  One that is UNFINISHED is the longest, and has no end. */
TRACE_API bool converter_nested (Converter *c, const TraceEvent *e, int64_t end);
/* The begin of an action whose end comes later; gives what converter_end() wants. */
TRACE_API uint64_t converter_begin (Converter *c, const TraceEvent *e);
/* Its end: the event as it began, and its end's date. */
TRACE_API bool converter_end (Converter *c, const TraceEvent *e, uint64_t begun, int64_t begin, int64_t end);
/* Values of the next event's fields that have no room in it, before it is given. */
TRACE_API void converter_int (Converter *c, int64_t v);
TRACE_API void converter_real (Converter *c, double v);
TRACE_API void converter_text (Converter *c, const char *v, size_t n); /* the first 64 KiB of it */
TRACE_API void converter_list (Converter *c, const uint32_t *v, uint32_t n);
TRACE_API void converter_none (Converter *c);
/* When all was given: tasks are to stand each before all that is inside of it, those side by side by what is `wanted`
 * of each, else as they were added.  NULL: as they were added.  Their numbers change with that, at once: nothing may be
 * given afterwards. */
TRACE_API void converter_order_tasks (Converter *c, const int64_t *wanted);
/* Tells how far it is, 0..1.  False, and the error is set: the person cancelled.  Cheap enough for each thousand
 * records. */
TRACE_API bool converter_progress (Converter *c, double share, GError **error);

/* ---- input: a file, plain or packed by gzip, xz or zstd, from its beginning ------------------------------------------------- */
typedef struct Input Input;
/* NULL and a sentence. */
TRACE_API Input *input_open (const char *path, GError **error);
TRACE_API void input_close (Input *in); /* may be NULL */
/* At most n bytes; 0: the end, or *error is set (it cannot be read, or what is packed is damaged). */
TRACE_API size_t input_read (Input *in, void *to, size_t n, GError **error);
/* The next line, without its end, of *n bytes, with a 0 behind it, and 64 more bytes that may be read (digits.h); good
 * until the next call, and may be changed.  A line of more than 1 MiB is cut, which *cut tells.  NULL: the end, or
 * *error is set. */
TRACE_API char *input_line (Input *in, size_t *n, bool *cut, GError **error);
/* The lines that lie in memory, from the next one on, all of them with their ends and up to *end, behind which 64 bytes
 * may be read; often none, which says nothing.  Who reads some of them there says up to where and how many these were;
 * good until the next call, and may be changed. */
TRACE_API char *input_ahead (Input *in, char **end);
TRACE_API void input_skip (Input *in, const char *to, uint64_t lines);
/* Whether the last line had an end, as a file has that was written to its own end. */
TRACE_API bool input_line_ended (const Input *in);
TRACE_API uint64_t input_line_number (const Input *in); /* of the last line, from 1 */
TRACE_API double input_share (const Input *in);         /* how much of the file has been read, 0..1 */
/* The first bytes of a file, unpacked, for who judges what it is: gives how many.  0: it cannot be read. */
TRACE_API size_t input_head (const char *path, void *to, size_t n);
