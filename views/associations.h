/* SPDX-License-Identifier: Apache-2.0 */
/* associations.h - attributes of what is shown, tied to how it looks (thesis, 4.2.1; docs/associations.md).
 *
 * A rule ties an attribute of a kind of object (a task, a link, a region, ...) to a channel (its colour, its width,
 * ...) by a scale: values, intervals, ramps.  Rules come in levels, from what the format of a trace brings to what was
 * given for this run; the nearest that says something wins, for each attribute and channel, and those for one view go
 * before those for all.  Engine thread only. */
#pragma once
#include "views/history.h"
#include "views/paint.h"

typedef enum {
  LOOK_TASK,
  LOOK_LINK,
  LOOK_MESSAGE,
  LOOK_REGION, /* what tasks are inside of: a call, a function, a phase */
  LOOK_SERIES, /* numbers that are shown over time: a variable, a counter */
  LOOK_GROUP,  /* of tasks, that is closed */
  LOOK_KINDS
} LookKind;
typedef enum {
  LOOK_COLOUR,
  LOOK_PATTERN,
  LOOK_WIDTH, /* px */
  LOOK_DASH,
  LOOK_OPACITY, /* 0..1 */
  LOOK_SHAPE,   /* a PaintShape */
  LOOK_SIZE,    /* 0..1, of the area that there is room for */
  LOOK_LABEL,   /* the attribute is written */
  LOOK_ORDER,
  LOOK_HIDDEN,
  LOOK_X,     /* 0..1, of the room: where it stands, from the left to the right, */
  LOOK_Y,     /* from below upwards, */
  LOOK_Z,     /* and, in space, how high; y is then how far back */
  LOOK_FILL,  /* 0..1: how far its shape is filled, from below */
  LOOK_CHART, /* the shares of the values of the attribute, inside of it: a LookChart */
  LOOK_CHANNELS
} LookChannel;
typedef enum { LOOK_OF_MODEL, LOOK_OF_PERSON, LOOK_OF_BUNDLE, LOOK_OF_PROGRAM, LOOK_GIVEN, LOOK_LEVELS } LookLevel;
typedef enum { PATTERN_NONE, PATTERN_HATCH, PATTERN_BACK, PATTERN_CROSS, PATTERN_DOTS, PATTERNS } LookPattern;
typedef enum { DASH_SOLID, DASH_DASHED, DASH_DOTTED, DASHES } LookDash;
typedef enum { CHART_PIE, CHART_BAR, CHARTS } LookChart;
extern TRACE_API const char *const look_charts[CHARTS];
/* Attributes of what has none in the model, by kind; NULL behind the last, and for kinds that have no such.  Groups
 * have those of their tasks too. */
extern TRACE_API const char *const *const look_of_kind[LOOK_KINDS];
static inline bool
look_kind_is_modelled (LookKind kind)
{
  return kind == LOOK_TASK || kind == LOOK_LINK;
}
extern TRACE_API const TraceRefType look_ref_types[LOOK_KINDS];
extern TRACE_API const char *const look_kinds[LOOK_KINDS],
    *const look_channels[LOOK_CHANNELS], *const look_patterns[PATTERNS], *const look_dashes[DASHES],
                                                                             *const look_levels[LOOK_LEVELS];

/* What a rule says of an object on a channel. */
typedef struct LookValue {
  uint32_t rgb;  /* colour */
  uint8_t model; /* what it was written in (colour-models.c), and the three numbers of that: ramps go along these */
  float part[3];
  double number; /* width, opacity, size, place; else the number of a pattern or dash; hidden: not 0 */
} LookValue;

/* A colour as it is written: #2a9d6f, hsv(152, 73%, 62%), hsl(...), lch(58, 45, 165); false: it is none. */
TRACE_API bool look_colour (const char *text, LookValue *to);
/* From a (0) to b (1): of colours that are written in one model along its numbers, else along red, green and blue. */
TRACE_API LookValue look_between (const LookValue *a, const LookValue *b, double share);

typedef struct Associations Associations;
TRACE_API Associations *associations_new (void);
TRACE_API Associations *associations_copy (const Associations *a);
TRACE_API void associations_free (Associations *a); /* NULL: nothing */
/* What a text says becomes all of a level; `name` is told in sentences, with the line.  False and a sentence: the level
 * stays as it was. */
TRACE_API bool associations_read (Associations *a, LookLevel level, const char *text, const char *name, GError **error);
/* `below`: the folder that it must lie in when all links were followed; NULL: anywhere. */
TRACE_API bool associations_read_file (Associations *a, LookLevel level, const char *path, const char *below,
                                       GError **error);
/* Another number after each change of any; 0 for NULL. */
TRACE_API uint64_t associations_serial (const Associations *a);
TRACE_API void associations_clear (Associations *a, LookLevel level);
TRACE_API bool associations_are_none (const Associations *a);

/* Which channels of a kind of objects views asked for, a bit for each: looks_begin() notes it. */
TRACE_API void associations_ask (const Associations *a, LookKind kind, uint32_t channels);
TRACE_API uint32_t associations_asked (const Associations *a, LookKind kind);

/* The attribute that says how a kind of object looks on a channel in a view (NULL: in all): that of the nearest rule;
 * NULL: none does.  Good until the next change. */
TRACE_API const char *associations_attribute (const Associations *a, LookKind kind, LookChannel channel,
                                              const char *view);
/* Which level that is. */
TRACE_API LookLevel associations_level (const Associations *a, LookKind kind, LookChannel channel, const char *view);
/* Whether values of an order rule are from the most to the least. */
TRACE_API bool associations_falls (const Associations *a, LookKind kind, const char *view);
/* What is said of a value, as text (NULL: it has none) and as number (NaN: it is none). */
TRACE_API bool associations_look (const Associations *a, LookKind kind, const char *attribute, LookChannel channel,
                                  const char *view, const char *text, double number, LookValue *to);
/* The numbers of the nearest rule's ramp from its least to its most; false: it has none. */
TRACE_API bool associations_ramp (const Associations *a, LookKind kind, LookChannel channel, const char *view,
                                  double *from, double *to);
/* Whether that rule has lines. */
TRACE_API bool associations_has_lines (const Associations *a, LookKind kind, LookChannel channel, const char *view);
/* A key: "Busy" -> a look, "0 – 100" for an interval, and with `to` for a ramp; `value`: it is of one value, whose
 * colour can be another.  Until `each` gives false. */
typedef bool (*AssociationsEach) (void *arg, const char *text, bool value, const LookValue *from, const LookValue *to);
TRACE_API void associations_each (const Associations *a, LookKind kind, LookChannel channel, const char *view,
                                  AssociationsEach each, void *arg);

/* ---- as text, for who changes them ----------------------------------------------------------------------------------------- */
/* A rule as it was written; all good until the next change. */
typedef struct AssociationsRule {
  LookLevel level;
  guint number; /* in its level */
  LookKind kind;
  LookChannel channel;
  const char *attribute, *view; /* view NULL: for all */
  const char *scale;            /* its lines, each with a line feed */
  bool counts;                  /* no nearer rule says all that it says: it has a part in pictures */
} AssociationsRule;
/* The nearest first. */
TRACE_API void associations_each_rule (const Associations *a, void (*each) (void *arg, const AssociationsRule *rule),
                                       void *arg);
/* The lines of one of them, in their order, as associations_each(). */
TRACE_API void associations_each_line (const Associations *a, LookLevel level, guint number, AssociationsEach each,
                                       void *arg);
/* The text of a level with a rule in the place of the one of that number; `number` -1: behind the last; `rule` NULL: it
 * is left out.  "": there are no rules then.  g_free. */
TRACE_API char *associations_text (const Associations *a, LookLevel level, int number, const AssociationsRule *rule);

/* A value as it is written in a scale, between quotation marks; g_free. */
TRACE_API char *associations_quoted (const char *value);

/* ---- for views ------------------------------------------------------------------------------------------------------------- */
#define LOOK_SHARES 12
/* How one object looks; `has` has a bit for each channel that a rule says something of. */
typedef struct Look {
  uint32_t has;
  uint32_t rgb;
  LookPattern pattern;
  LookDash dash;
  PaintShape shape;
  double width, opacity, size, order; /* order: what a number is, else NaN, and `text` decides */
  bool hidden;
  double fill;
  LookChart chart;
  uint8_t n_shares; /* of the chart, in the order of the values; the sum of them is at most 1 */
  uint8_t share_of[LOOK_SHARES];
  float shares[LOOK_SHARES];
  char label[64], text[64];
} Look;
#define LOOK_HAS(l, channel) (((l)->has >> (channel) &1) != 0)

/* The rules of a view for a kind of object, found once a picture. */
typedef struct Looks {
  const Associations *of; /* NULL: there are no rules */
  const ViewColours *colours;
  const char *view, *attribute[LOOK_CHANNELS];
  LookKind kind;
  uint32_t channels;        /* a bit for each that has a rule */
  int index[LOOK_CHANNELS]; /* in the model of the graph, or -1 */
  StateRole role[LOOK_CHANNELS];
  bool dark, falls;
  const struct TraceAll *more; /* attributes that components add, for those that the model does not have */
} Looks;
/* `offers`: a bit for each channel that the view asks for.  False: nothing is to be asked. */
TRACE_API bool looks_begin (Looks *l, const ViewScene *scene, const char *view, LookKind kind, uint32_t offers);
/* What an object of scene->graph has on a channel, as text and as number (NaN: it is none); false: nothing. */
TRACE_API bool looks_value (const Looks *l, const ViewScene *scene, int channel, uint32_t object, GString *text,
                            double *number);
/* Of a node or an edge of scene->graph. */
TRACE_API void looks_of_object (const Looks *l, const ViewScene *scene, uint32_t object, Look *look);
/* Of a task, by what it keeps for ever: who it is, where, of which program and group. */
TRACE_API void looks_of_task (const Looks *l, const ViewScene *scene, const Names *names, uint32_t task, Look *look);
TRACE_API void looks_of_message (const Looks *l, const ViewScene *scene, const Names *names, const StateMessage *m,
                                 Look *look);
/* Of anything else: `value` gives what it has of an attribute, as text and as number (NaN: it is none); false: it has
 * no such. */
typedef bool (*LooksValue) (void *arg, const char *attribute, GString *text, double *number);
TRACE_API void looks_of_values (const Looks *l, LooksValue value, void *arg, Look *look);
/* What a task keeps for ever, by the name of the attribute: host, program, group, id, name; NULL: it is another. */
TRACE_API const char *looks_kept (const Names *names, const TraceSource *s, uint32_t task, const char *attribute);
/* A closed group: `nodes` those of its tasks in scene->graph, whose attributes it has: numbers that count are added up,
 * of others it is the mean, of words what all of them have.  `tasks`: the same by what they keep for ever. */
typedef struct LooksGroup {
  const char *name, *hierarchy;
  uint32_t n_tasks;
  const uint32_t *nodes, *tasks; /* NULL: not known here */
  uint32_t n;                    /* of each */
  const Names *names;
} LooksGroup;
TRACE_API void looks_of_group (const Looks *l, const ViewScene *scene, const LooksGroup *of, Look *look);
/* The attribute under which the colour is kept that was dropped on a series, and on a group. */
#define LOOKS_OF_SERIES "Series"
#define LOOKS_OF_GROUP "Group"
/* What `over` says goes before what `to` says. */
TRACE_API void looks_lay_over (Look *to, const Look *over);
/* Of two objects what both look like stays in `to`.  True: something else was lost from it, which one of them alone, or
 * each another way, looks like. */
TRACE_API bool looks_agree (Look *to, const Look *other);
/* Of two objects the one that comes first: < 0. */
TRACE_API int looks_compare (const Looks *l, const Look *a, const Look *b);

/* What the numbers of an attribute count; NULL: names have none. */
TRACE_API const char *looks_unit (const Looks *l, const StateGraph *g, int channel);

/* Places by an attribute: of each object, and what an axis tells (looks-place.c). */
#define LOOKS_PLACES (1u << LOOK_X | 1u << LOOK_Y | 1u << LOOK_Z)
#define LOOKS_TICKS 12
typedef struct LooksAxis {
  double *at; /* by object, 0 to 1; NaN: it has no value, or none that the rule says something of */
  uint32_t n_none, n_ticks;
  bool names; /* side by side: beside its place is still near it */
  double tick[LOOKS_TICKS];
  char *text[LOOKS_TICKS];
  const char *unit; /* of the labels; NULL: they have none */
  char *title;      /* "PercentBusy in %" */
} LooksAxis;
/* Of n objects of scene->graph (TRACE_NONE: none) on LOOK_X, LOOK_Y or LOOK_Z: what the scale of the rule says; where
 * it has no lines, percentages from 0 to 100, other numbers from the least of these objects to the most, names side by
 * side in their order.  False: no rule says where they stand, and nothing is to be cleared. */
TRACE_API bool looks_axis (const Looks *l, const ViewScene *scene, LookChannel channel, const uint32_t *objects,
                           uint32_t n, LooksAxis *to);
TRACE_API void looks_axis_clear (LooksAxis *axis);

/* Whether objects of a kind have an attribute; else a sentence, with the name that may be meant, g_free.  NULL: they
 * have it, or nobody knows, as there is no model (`m` NULL). */
TRACE_API char *looks_unknown (const StateModel *m, const struct TraceAll *more, LookKind kind, const char *attribute);
/* Why a chart cannot be of an attribute of tasks, g_free; NULL: it can, or there is no model. */
TRACE_API char *looks_no_chart (const StateModel *m, const char *attribute);
/* Tells, once a view was drawn, which of the rules that were given or are the program's it does not show: those of
 * channels that it did not ask for, and of attributes that nothing has. */
TRACE_API void looks_tell_unseen (const ViewScene *scene, const char *view, const StateModel *m,
                                  void (*tell) (void *arg, const char *sentence), void *arg);

/* Lines or dots over what was painted in the current path, which stays; `ink`: their colour. */
TRACE_API void looks_fill_pattern (cairo_t *cr, LookPattern pattern, uint32_t ink);
/* The pattern and the outline of a box that is painted. */
TRACE_API void looks_over_box (Paint *p, const Look *look, double x, double y, double width, double height,
                               uint32_t ink);
/* Inside of a shape of radius r: a gauge in its colour, or the shares of what it did in the colours of the states. */
TRACE_API void looks_draw_fill (Paint *p, double x, double y, double r, double fill, uint32_t rgb);
TRACE_API void looks_draw_chart (Paint *p, double x, double y, double r, const Look *look);
/* For cairo_set_dash(), of a line so wide. */
TRACE_API void looks_set_dash (cairo_t *cr, LookDash dash, double width);
/* What is associated in a view, as a key: "colour: State", with its scale, from x on; those of the channels in `shown`.
 * Gives where it ends. */
TRACE_API double looks_legend (const Looks *l, Paint *p, double x, double y, uint32_t shown);

/* What was dropped on a value goes before all rules: false, nothing was. */
TRACE_API bool view_chosen_colour (const ViewColours *c, const char *attribute, const char *value, bool dark,
                                   uint32_t *rgb);
/* A colour that was chosen, on light paper as it is, on dark paper so light that it stands out. */
TRACE_API uint32_t view_colour_on (uint32_t rgb, bool dark);
/* The view whose rules count for the colours of states, while it is drawn; NULL: those for all. */
TRACE_API void view_colours_of_view (const ViewColours *c, const char *view);
/* Of the table of colours that all views have. */
TRACE_API Associations *view_colours_associations (ViewColours *c);
TRACE_API const Associations *view_associations (const ViewColours *c); /* NULL: none */
/* All levels of a program and a trace: what the person and the bundle have.  Sentences about files that cannot be read
 * go to `tell`, and these say nothing. */
TRACE_API void view_associations_load (ViewColours *c, const char *program_folder, const char *bundle,
                                       const char *program_note, void (*tell) (void *arg, const char *sentence),
                                       void *arg);
