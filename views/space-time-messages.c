/* SPDX-License-Identifier: Apache-2.0 */
/* space-time-messages.c - messages as lines from sender to receiver: one by one while they can be told apart,
 * bundles when not.
 *
 * A bundle holds the messages between two rows that were received within one slice of time; its width is its volume.
 * Slices are a power of two of ticks long and count from date 0, so that a bundle is the same wherever the picture
 * begins and however wide it is: what a person sees does not change as he pans.  Only the heaviest are drawn, and the
 * picture says what part of the volume they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "readers/more.h"
#include "views/associations.h"
#include "eve/words.h"
#include "views/at-once.h"
#include "views/space-time.h"
#include "views/painter.h"

#define SLICE 80          /* px, at most; at least half of it */
#define FINE 4            /* a message is off by at most this part of a slice */
#define BUNDLES 420       /* drawn at most, */
#define EVEN_BUNDLES 1680 /* but for those that are as heavy as each other */
#define BANDS 8           /* of the raster, into which lines are drawn at once */
#define PASSING 60        /* drawn of those that neither begin nor end in the picture */

#define SUMS_LEAST 4095
#define SUMS_KEPT ((1u << 17) - 1) /* 5 MB */

typedef struct Sum {
  uint64_t key; /* slice, counted from that of the axis' beginning; from, to */
  uint64_t count;
  double bytes, sent, received; /* dates: sums, less the axis' beginning */
} Sum;

#define AHEAD 16 /* bundles whose sums are fetched while those before them are added up */

typedef struct Lines {
  Paint *p;
  Raster *raster;
  const Rows *r;
  const Axis *a;
  GArray *lines;       /* of StateMessage */
  Sum *sums;           /* open addressing, by key; count 0: free */
  SpaceTimeSums *kept; /* of the picture before */
  Sum ahead[AHEAD];    /* each is to be added to that of its key; dates are sums too */
  uint32_t n_ahead;
  uint32_t n_sums, mask, passing, here; /* here: lines that are received in the picture */
  int64_t slice, end;                   /* ticks; end: what is received before it is received in the picture */
  double most, bytes, messages;
  double unknown; /* messages of tasks that nothing is known of */
  double inside;  /* messages between two tasks of one row */
  bool cut;       /* there are more lines */
  Looks rules;    /* of messages, drawn one by one */
  bool looked;
  const Names *names;
  uint32_t n_hidden;  /* by a rule */
  GArray *chosen;     /* of uint64_t: rows from << 32 | to of the links that are selected; NULL: none */
  GArray *picked;     /* of TraceRef: messages that are; NULL: none */
  GPtrArray *bundles; /* of Sum: those that are drawn; NULL: they are drawn one by one */
  uint32_t n_bands;
} Lines;

static uint32_t
space_time_messages_row_of (const Rows *r, uint32_t task)
{
  return task < r->n_tasks ? r->row_of[task] : TRACE_NONE;
}

static void
find_chosen (Lines *d)
{
  const ViewScene *scene = d->p->scene;

  for (uint32_t i = 0; i < trace_refs_n (scene->selection); i++) {
    TraceRef ref = trace_refs_at (scene->selection, i);
    uint32_t from, to;
    if (ref.source != scene->source->number || !trace_ref_ends (ref, &from, &to))
      continue;
    if (ref.type == TRACE_REF_MESSAGE) {
      if (d->picked == NULL)
        d->picked = g_array_new (FALSE, FALSE, sizeof ref);
      g_array_append_val (d->picked, ref);
      continue;
    }
    uint64_t rows = (uint64_t) space_time_messages_row_of (d->r, from) << 32 | space_time_messages_row_of (d->r, to);
    if (d->chosen == NULL)
      d->chosen = g_array_new (FALSE, FALSE, sizeof rows);
    g_array_append_val (d->chosen, rows);
  }
}

static bool
space_time_messages_is_chosen (const Lines *d, uint32_t from, uint32_t to)
{
  for (guint i = 0; d->chosen != NULL && i < d->chosen->len; i++)
    if (g_array_index (d->chosen, uint64_t, i) == ((uint64_t) from << 32 | to))
      return true;
  return false;
}

static bool
is_picked (const Lines *d, const StateMessage *m)
{
  for (guint i = 0; d->picked != NULL && i < d->picked->len; i++) {
    TraceRef ref = g_array_index (d->picked, TraceRef, i);
    uint32_t from, to;
    int64_t sent, received;
    if (trace_ref_ends (ref, &from, &to) && trace_ref_dates (ref, &sent, &received) && from == m->from && to == m->to
        && sent == m->sent && received == m->received)
      return true;
  }
  return false;
}

#define HEADED_MOST 420  /* lines whose direction is told: of more, heads would be all that is seen */
#define HEADED_LEAST 9.0 /* px: a line that is shorter would be a head alone */

/* Where the two strokes of the head end whose tip is the end of a line. */
static bool
space_time_messages_head_of (double x0, double y0, double x1, double y1, double width, double ends[2][2])
{
  double length = hypot (x1 - x0, y1 - y0), h = CLAMP (3.5 + 1.2 * width, 4.5, 10), side = h * 0.42;

  if (length < HEADED_LEAST)
    return false;
  double ux = (x1 - x0) / length, uy = (y1 - y0) / length;
  for (int k = 0; k < 2; k++) {
    ends[k][0] = x1 - ux * h + (k == 0 ? -uy : uy) * side;
    ends[k][1] = y1 - uy * h + (k == 0 ? ux : -ux) * side;
  }
  return true;
}

/* From bar to bar, at the sides that face each other; with a head at who receives. */
static void
space_time_messages_line (const Lines *d, Raster *raster, uint32_t from, uint32_t to, double x0, double x1,
                          double width, double alpha, bool headed, bool picked, const Look *look)
{
  const Row *a = &g_array_index (d->r->rows, Row, from), *b = &g_array_index (d->r->rows, Row, to);
  cairo_t *cr = d->p->cr;
  uint32_t rgb = d->p->scene->dark ? 0xd5d6da : 0x3c3f45;
  bool down = b->y > a->y;
  double y0 = down ? a->y + a->height : a->y, y1 = down ? b->y : b->y + b->height, ends[2][2];

  if (from == to)
    return;
  if (look != NULL) {
    rgb = LOOK_HAS (look, LOOK_COLOUR) ? look->rgb : rgb;
    width = LOOK_HAS (look, LOOK_WIDTH) ? look->width : width;
    alpha = LOOK_HAS (look, LOOK_OPACITY) ? look->opacity : LOOK_HAS (look, LOOK_COLOUR) ? 1 : alpha;
  }
  if (picked || space_time_messages_is_chosen (d, from, to)) {
    rgb = DRAWING_ACCENT;
    alpha = picked ? 1 : 0.9;
    width = MAX (width, picked ? 2.4 : 1.6);
  }
  headed = headed && space_time_messages_head_of (x0, y0, x1, y1, width, ends);
  if (raster->image != NULL && (look == NULL || !LOOK_HAS (look, LOOK_DASH))) {
    double left = d->r->left, top = d->r->top;
    raster_line (raster, x0 - left, y0 - top, x1 - left, y1 - top, width, rgb, alpha);
    for (int k = 0; headed && k < 2; k++)
      raster_line (raster, ends[k][0] - left, ends[k][1] - top, x1 - left, y1 - top, width, rgb, alpha);
    return;
  }
  paint_source (cr, rgb, alpha);
  cairo_set_line_width (cr, width);
  if (look != NULL && LOOK_HAS (look, LOOK_DASH))
    looks_set_dash (cr, look->dash, width);
  cairo_move_to (cr, x0, y0);
  cairo_line_to (cr, x1, y1);
  if (headed) {
    cairo_move_to (cr, ends[0][0], ends[0][1]);
    cairo_line_to (cr, x1, y1);
    cairo_line_to (cr, ends[1][0], ends[1][1]);
  }
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

/* ---- one by one ---------------------------------------------------------------------------------------- */

static bool
space_time_messages_keep (void *arg, const StateMessage *m)
{
  Lines *d = arg;

  bool passes = m->sent != INT64_MIN && m->sent < d->a->from && m->received >= d->a->to;

  if (space_time_messages_row_of (d->r, m->from) == TRACE_NONE
      || space_time_messages_row_of (d->r, m->to) == TRACE_NONE)
    return true;
  if (d->looked) {
    Look look;
    looks_of_message (&d->rules, d->p->scene, d->names, m, &look);
    d->n_hidden += look.hidden;
    if (look.hidden)
      return true;
  }
  if (passes && d->passing++ >= PASSING)
    return true;
  g_array_append_val (d->lines, *m);
  d->here += m->received < d->end;
  d->inside += m->received < d->end && m->from != m->to
               && space_time_messages_row_of (d->r, m->from) == space_time_messages_row_of (d->r, m->to);
  d->most = MAX (d->most, (double) m->size);
  d->cut = d->lines->len >= MESSAGES_EXACT + PASSING;
  return !d->cut;
}

static char *
space_time_messages_draw_lines (Lines *d)
{
  double crowd = d->lines->len > 200 ? sqrt (200.0 / d->lines->len) : 1;

  for (guint i = 0; i < d->lines->len; i++) {
    const StateMessage *m = &g_array_index (d->lines, StateMessage, i);
    int64_t sent = m->sent == INT64_MIN ? m->received : m->sent;
    double share = d->most > 0 ? sqrt ((double) m->size / d->most) : 0;
    bool picked = is_picked (d, m);
    Look look;
    if (d->looked)
      looks_of_message (&d->rules, d->p->scene, d->names, m, &look);
    space_time_messages_line (d, d->raster, space_time_messages_row_of (d->r, m->from),
                              space_time_messages_row_of (d->r, m->to), axis_x (d->a, sent), axis_x (d->a, m->received),
                              0.8 + 1.7 * share * MAX (crowd, 0.4), 0.28 + 0.24 * crowd,
                              d->lines->len <= HEADED_MOST || picked, picked, d->looked ? &look : NULL);
  }
  uint32_t hidden = MAX (d->passing, PASSING) - PASSING, later = d->lines->len - d->here + hidden;
  if (d->here + later == 0 && d->n_hidden == 0)
    return NULL;
  g_autoptr (GString) told = g_string_new (NULL);
  g_string_printf (told, P_ ("%u message", "%u messages", d->here), d->here);
  if (later > 0)
    g_string_append_printf (told, later == 1 ? _ ("; %u more is received later") : _ ("; %u more are received later"),
                            later);
  if (hidden > 0)
    g_string_append_printf (told, _ (", %u of them not drawn"), hidden);
  if (d->n_hidden > 0)
    g_string_append_printf (told, _ ("; %u hidden"), d->n_hidden);
  return g_string_free (g_steal_pointer (&told), FALSE);
}

/* ---- bundles ------------------------------------------------------------------------------------------- */

static inline uint32_t
space_time_messages_place_of (uint64_t key, uint32_t mask)
{
  return (uint32_t) (key * UINT64_C (0x9e3779b97f4a7c15) >> 32) & mask;
}

static Sum *
find_sum (Sum *sums, uint32_t mask, uint64_t key)
{
  uint32_t at = space_time_messages_place_of (key, mask);

  while (sums[at].count != 0 && sums[at].key != key)
    at = (at + 1) & mask;
  return &sums[at];
}

static void
grow_sums (Lines *d)
{
  uint32_t mask = d->mask == 0 ? MAX (d->kept->mask, SUMS_LEAST) : d->mask * 2 + 1;
  Sum *sums = d->mask == 0 && d->kept->mask == mask ? g_steal_pointer (&d->kept->sums) : NULL;

  if (sums == NULL)
    sums = g_new (Sum, mask + 1);
  /* Written before it is read: a page of fresh zeros that is read first costs two faults, and the second stops the
   * threads that draw rows meanwhile. */
  memset (sums, 0, (mask + 1) * sizeof *sums);
  for (uint32_t i = 0; d->sums != NULL && i <= d->mask; i++)
    if (d->sums[i].count != 0)
      *find_sum (sums, mask, d->sums[i].key) = d->sums[i];
  g_free (d->sums);
  d->sums = sums;
  d->mask = mask;
}

/* The next picture is likely to need as many: fresh memory, and finding out how much, costs more than adding up. */
static void
keep_sums (Lines *d)
{
  if (d->sums == NULL)
    return;
  bool fits = d->mask <= SUMS_KEPT;
  g_free (d->kept->sums);
  d->kept->sums = fits ? d->sums : NULL;
  d->kept->mask = fits ? d->mask : 0;
  if (!fits)
    g_free (d->sums);
  d->sums = NULL;
}

/* The largest power of two that is not larger. */
static int64_t
slice_of (double ticks)
{
  return INT64_C (1) << CLAMP (ilogb (MAX (ticks, 1)), 0, 61);
}

static int64_t
space_time_messages_floor_to (int64_t date, int64_t slice)
{
  return date & ~(slice - 1);
}

static void
space_time_messages_add_up (Lines *d, const Sum *more)
{
  if (d->n_sums * 2 >= d->mask)
    grow_sums (d);
  Sum *s = find_sum (d->sums, d->mask, more->key);
  d->n_sums += s->count == 0;
  s->key = more->key;
  s->count += more->count;
  s->bytes += more->bytes;
  s->sent += more->sent;
  s->received += more->received;
}

static void
add_up_rest (Lines *d)
{
  for (uint32_t i = d->n_ahead - MIN (d->n_ahead, AHEAD); i < d->n_ahead; i++)
    space_time_messages_add_up (d, &d->ahead[i % AHEAD]);
  d->n_ahead = 0;
}

static void
space_time_messages_add (void *arg, const MessageBundle *b)
{
  Lines *d = arg;
  uint32_t from = space_time_messages_row_of (d->r, b->from), to = space_time_messages_row_of (d->r, b->to);
  double slice = floor ((b->received - (double) space_time_messages_floor_to (d->a->from, d->slice))
                        / (double) d->slice);

  if (b->from == TRACE_NONE)
    d->unknown += (double) b->count;
  if (b->from == TRACE_NONE && d->r->n_shown == d->r->n_tasks) { /* whoever they are, they are in the picture */
    d->bytes += (double) b->bytes;
    d->messages += (double) b->count;
  }
  if (from == TRACE_NONE || to == TRACE_NONE)
    return;
  d->bytes += (double) b->bytes;
  d->messages += (double) b->count;
  d->inside += from == to && b->from != b->to ? (double) b->count : 0;
  if (from == to)
    return;
  if (d->n_ahead >= AHEAD)
    space_time_messages_add_up (d, &d->ahead[d->n_ahead % AHEAD]);
  Sum *next = &d->ahead[d->n_ahead++ % AHEAD];
  *next = (Sum){ .key = (uint64_t) CLAMP (slice, 0, 4095) << 40 | (uint64_t) from << 20 | to,
                 .count = b->count,
                 .bytes = (double) b->bytes,
                 .sent = (b->sent - (double) d->a->from) * (double) b->count,
                 .received = (b->received - (double) d->a->from) * (double) b->count };
  if (d->sums != NULL)
    __builtin_prefetch (&d->sums[space_time_messages_place_of (next->key, d->mask)], 1);
}

static gint
space_time_messages_by_weight (gconstpointer a, gconstpointer b)
{
  const Sum *x = *(Sum *const *) a, *y = *(Sum *const *) b;

  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

/* A weight that at least BUNDLES sums have, found among the powers of two. */
static double
lightest (const GPtrArray *sums)
{
  guint n[64] = { 0 }, many = 0;
  int i;

  for (guint k = 0; k < sums->len; k++)
    n[CLAMP (ilogb (((Sum *) sums->pdata[k])->bytes + 1), 0, 63)]++;
  for (i = 63; i > 0 && (many += n[i]) < BUNDLES;)
    i--;
  return i > 0 ? ldexp (1, i) - 1 : 0;
}

static bool
as_heavy (const GPtrArray *sums, guint i, guint k)
{
  const Sum *x = sums->pdata[i], *y = sums->pdata[k];

  return x->bytes <= y->bytes && y->bytes <= x->bytes && x->count == y->count;
}

/* How many of the sorted sums are drawn: the heaviest, and of those that are as heavy as each other all or none, unless
 * they are too many for either. */
static guint
how_many (const GPtrArray *sums)
{
  guint low = BUNDLES, high = BUNDLES;

  if (sums->len <= BUNDLES)
    return sums->len;
  while (low > 0 && as_heavy (sums, low - 1, BUNDLES))
    low--;
  while (high < sums->len && as_heavy (sums, high, BUNDLES - 1))
    high++;
  return low >= BUNDLES / 2 ? low : high <= EVEN_BUNDLES ? high : low > 0 ? low : BUNDLES;
}

/* "1234 messages, 5.0 MB"; where the film tells of some only that they are not the heaviest, and not all tasks are
 * shown, these may be among them or not. */
static char *
told_messages (const Lines *d)
{
  bool least = d->unknown > 0 && d->r->n_shown < d->r->n_tasks;
  g_autofree char *bytes = paint_bytes (d->bytes), *digits = g_strdup_printf ("%.0f", d->messages),
                  *n = paint_in_threes (digits, false);

  gulong many = (gulong) MIN (d->messages, 1e9);
  return g_strdup_printf (least ? P_ ("at least %s message%s%s", "at least %s messages%s%s", many)
                                : P_ ("%s message%s%s", "%s messages%s%s", many),
                          n, d->bytes > 0 ? ", " : "", d->bytes > 0 ? bytes : "");
}

/* Those that are drawn, the heaviest first. */
static void
choose_bundles (Lines *d)
{
  GPtrArray *sums = g_ptr_array_sized_new (d->n_sums);
  double light;

  for (uint32_t i = 0; d->sums != NULL && i <= d->mask; i++)
    if (d->sums[i].count != 0)
      g_ptr_array_add (sums, &d->sums[i]);
  /* Only the heaviest need an order: those below a rough bound go first. */
  light = lightest (sums);
  for (guint i = 0; i < sums->len;)
    if (((Sum *) sums->pdata[i])->bytes < light)
      g_ptr_array_remove_index_fast (sums, i);
    else
      i++;
  g_ptr_array_sort (sums, space_time_messages_by_weight);
  g_ptr_array_set_size (sums, (gint) how_many (sums));
  d->bundles = sums;
}

/* A band of the raster: the heaviest last, on top. */
static void
draw_band (void *arg, uint32_t band)
{
  const Lines *d = arg;
  const GPtrArray *sums = d->bundles;
  Raster part = *d->raster;
  double most = sums->len > 0 ? ((Sum *) sums->pdata[0])->bytes : 0;

  part.above = (uint32_t) ((uint64_t) part.height * band / d->n_bands);
  part.below = (uint32_t) ((uint64_t) part.height * (band + 1) / d->n_bands);
  for (guint k = sums->len; k-- > 0;) {
    const Sum *s = sums->pdata[k];
    double share = most > 0 ? s->bytes / most : 1;
    double x0 = d->a->x + s->sent / (double) s->count / d->a->per_px,
           x1 = d->a->x + s->received / (double) s->count / d->a->per_px;
    space_time_messages_line (d, &part, (uint32_t) (s->key >> 20) & 0xfffff, (uint32_t) s->key & 0xfffff, x0, x1,
                              0.8 + 5.2 * share, sums->len > 150 ? 0.22 : 0.32, true, false, NULL);
  }
}

static char *
draw_bundles (Lines *d)
{
  const GPtrArray *sums = d->bundles;
  double drawn = 0;

  for (guint k = 0; k < sums->len; k++)
    drawn += ((Sum *) sums->pdata[k])->bytes;
  d->n_bands = d->raster->image != NULL ? BANDS : 1; /* where it is none, they go to cairo, in one go */
  at_once (d->n_bands, 1, draw_band, d);
  if (d->messages == 0 && d->unknown == 0)
    return NULL;
  g_autofree char *told = told_messages (d);
  if (d->bytes <= 0)
    return g_strdup_printf (_ ("%s; in bundles"), told);
  if (sums->len == 0 && d->inside >= d->messages)
    return g_steal_pointer (&told);
  if (sums->len == 0)
    return g_strdup_printf (_ ("%s; between two rows none is heavy enough to be drawn"), told);
  if (drawn >= d->bytes * 0.995)
    return g_strdup_printf (sums->len == 1 ? _ ("%s; in %u bundle") : _ ("%s; in %u bundles"), told, sums->len);
  return g_strdup_printf (_ ("%s; the %u heaviest bundles are %.0f\u2009%% of it"), told, sums->len,
                          100 * drawn / d->bytes);
}

#define MESSAGE_KEY_Y 32.0 /* px, below the legend */
#define MESSAGE_LOOKS (1u << LOOK_COLOUR | 1u << LOOK_WIDTH | 1u << LOOK_DASH | 1u << LOOK_OPACITY | 1u << LOOK_HIDDEN)

/* Those that no line can be drawn for, as both ends are in one row. */
static char *
tell_inside (const Lines *d, char *note)
{
  g_autofree char *old = note, *digits = g_strdup_printf ("%.0f", d->inside), *n = paint_in_threes (digits, false);

  if (d->inside <= 0 || note == NULL)
    return g_steal_pointer (&old);
  return d->inside >= d->messages && d->messages > 1 ? g_strdup_printf (_ ("%s; all of them inside of a row"), old)
                                                     : g_strdup_printf (_ ("%s; %s of them inside of a row"), old, n);
}

struct SpaceTimeMessages {
  Lines d;
  SpaceTime *st;
  bool found;
};

SpaceTimeMessages *
messages_begin (SpaceTime *st, Paint *p, const Rows *r, const Axis *a)
{
  SpaceTimeMessages *m = g_new0 (SpaceTimeMessages, 1);

  m->st = st;
  m->d = (Lines){ .p = p,
                  .r = r,
                  .a = a,
                  .kept = &st->sums,
                  .slice = slice_of (SLICE * a->per_px),
                  /* what is received at the very end belongs to it */
                  .end = a->to + (a->to >= p->scene->source->last) };
  if (st->read_messages == NULL || st->no_messages)
    return m;
  find_chosen (&m->d);
  m->d.names = st->names;
  m->d.looked = looks_begin (&m->d.rules, p->scene, eve_name ((EveComponent *) st), LOOK_MESSAGE, MESSAGE_LOOKS);
  return m;
}

void
messages_find (void *messages)
{
  SpaceTimeMessages *m = messages;
  Lines *d = &m->d;
  MessagesReader *read = m->st->read_messages;

  if (read == NULL || m->st->no_messages)
    return;
  m->found = true;
  if (d->r->per_row == 1 && messages_reader_count (read, d->a->from, d->a->to) <= MESSAGES_EXACT) {
    d->lines = g_array_new (FALSE, FALSE, sizeof (StateMessage));
    messages_reader_each (read, d->a->from, d->a->to, space_time_messages_keep, d);
  }
  if (d->lines != NULL && !d->cut)
    return;
  d->inside = 0; /* bundles tell of those that were looked at one by one too */
  messages_reader_bundles (read, d->a->from, d->end, MAX (d->slice / FINE, 1), space_time_messages_add, d);
  add_up_rest (d);
  choose_bundles (d);
}

static char *
draw_found (Lines *d, Raster *raster)
{
  Paint *p = d->p;
  const Rows *r = d->r;
  bool one_by_one = d->lines != NULL && !d->cut;
  char *note;

  d->raster = raster;
  if (d->looked && d->rules.channels >> LOOK_DASH & 1)
    raster_end (raster, p, r); /* dashed lines are no work of a raster: all lie over the bars, then */
  cairo_save (p->cr);
  cairo_rectangle (p->cr, r->left, r->top - 2, r->width, r->bottom - r->top + 4);
  cairo_clip (p->cr);
  note = one_by_one ? space_time_messages_draw_lines (d) : draw_bundles (d);
  if (!one_by_one)
    keep_sums (d);
  cairo_restore (p->cr);
  note = tell_inside (d, note);
  if (d->looked && one_by_one)
    looks_legend (&d->rules, p, r->left, MESSAGE_KEY_Y, ~0u);
  return note;
}

char *
messages_draw (SpaceTimeMessages *m, Raster *raster)
{
  char *note = m->found ? draw_found (&m->d, raster) : NULL;

  if (m->d.lines != NULL)
    g_array_unref (m->d.lines);
  if (m->d.bundles != NULL)
    g_ptr_array_unref (m->d.bundles);
  if (m->d.chosen != NULL)
    g_array_unref (m->d.chosen);
  if (m->d.picked != NULL)
    g_array_unref (m->d.picked);
  g_free (m);
  return note;
}
