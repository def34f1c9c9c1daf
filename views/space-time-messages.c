/* SPDX-License-Identifier: Apache-2.0 */
/* space-time-messages.c - messages as lines from sender to receiver: one by one while they can be told apart, bundles when not.
 *
 * A bundle holds the messages between two rows that were received within one slice of the picture; its width is its volume.
 * Only the heaviest are drawn, and the picture says what part of the volume they are. */
#include <math.h>
#include <stdlib.h>
#include "views/space-time.h"

#define SLICE 48                                /* px */
#define BUNDLES 420                             /* drawn at most */

typedef struct Sum {
  uint64_t key;                                 /* slice, from, to */
  uint64_t count;
  double bytes, sent, received;                 /* dates: sums, less the axis' beginning */
} Sum;

typedef struct Drawing {
  Paint *p;
  const Rows *r;
  const Axis *a;
  GArray *lines;                                /* of StateMessage */
  GHashTable *sums;                             /* of Sum, by key */
  double slice, most, bytes, messages;
} Drawing;

static uint32_t
row_of (const Rows *r, uint32_t task)
{
  return task < r->n_tasks ? r->row_of[task] : TRACE_NONE;
}

/* From bar to bar, at the sides that face each other. */
static void
line (const Drawing *d, uint32_t from, uint32_t to, double x0, double x1, double width, double alpha)
{
  const Row *a = &g_array_index (d->r->rows, Row, from), *b = &g_array_index (d->r->rows, Row, to);
  cairo_t *cr = d->p->cr;
  bool down = b->y > a->y;

  if (from == to)
    return;
  paint_source (cr, d->p->scene->dark ? 0xd5d6da : 0x3c3f45, alpha);
  cairo_set_line_width (cr, width);
  cairo_move_to (cr, x0, down ? a->y + a->height : a->y);
  cairo_line_to (cr, x1, down ? b->y : b->y + b->height);
  cairo_stroke (cr);
}

/* ---- one by one --------------------------------------------------------------------------------------------------- */

static bool
keep (void *arg, const StateMessage *m)
{
  Drawing *d = arg;

  if (row_of (d->r, m->from) != TRACE_NONE && row_of (d->r, m->to) != TRACE_NONE) {
    g_array_append_val (d->lines, *m);
    d->most = MAX (d->most, (double) m->size);
  }
  return d->lines->len <= MESSAGES_EXACT * 4;
}

static void
draw_lines (Drawing *d)
{
  double crowd = d->lines->len > 200 ? sqrt (200.0 / d->lines->len) : 1;

  for (guint i = 0; i < d->lines->len; i++) {
    const StateMessage *m = &g_array_index (d->lines, StateMessage, i);
    int64_t sent = m->sent == INT64_MIN ? m->received : m->sent;
    double share = d->most > 0 ? sqrt ((double) m->size / d->most) : 0;
    line (d, row_of (d->r, m->from), row_of (d->r, m->to), axis_x (d->a, sent), axis_x (d->a, m->received),
          0.8 + 2.0 * share * MAX (crowd, 0.4), 0.30 + 0.35 * crowd);
  }
}

/* ---- bundles ------------------------------------------------------------------------------------------------------ */

static void
add (void *arg, const MessageBundle *b)
{
  Drawing *d = arg;
  uint32_t from = row_of (d->r, b->from), to = row_of (d->r, b->to);
  double slice = floor ((b->received - (double) d->a->from) / d->slice);
  uint64_t key;
  Sum *s;

  d->bytes += (double) b->bytes;
  d->messages += (double) b->count;
  if (from == TRACE_NONE || to == TRACE_NONE || from == to)
    return;
  key = (uint64_t) CLAMP (slice, 0, 4095) << 40 | (uint64_t) from << 20 | to;
  s = g_hash_table_lookup (d->sums, &key);
  if (s == NULL) {
    s = g_new0 (Sum, 1);
    s->key = key;
    g_hash_table_add (d->sums, s);
  }
  s->count += b->count;
  s->bytes += (double) b->bytes;
  s->sent += (b->sent - (double) d->a->from) * (double) b->count;
  s->received += (b->received - (double) d->a->from) * (double) b->count;
}

static gint
by_weight (gconstpointer a, gconstpointer b)
{
  const Sum *x = *(Sum *const *) a, *y = *(Sum *const *) b;

  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static char *
draw_bundles (Drawing *d)
{
  g_autoptr (GPtrArray) sums = g_ptr_array_new ();
  GHashTableIter i;
  gpointer key;
  double drawn = 0, most = 0;

  g_hash_table_iter_init (&i, d->sums);
  while (g_hash_table_iter_next (&i, &key, NULL))
    g_ptr_array_add (sums, key);
  g_ptr_array_sort (sums, by_weight);
  if (sums->len > BUNDLES)
    g_ptr_array_set_size (sums, BUNDLES);
  for (guint k = 0; k < sums->len; k++) {
    drawn += ((Sum *) sums->pdata[k])->bytes;
    most = MAX (most, ((Sum *) sums->pdata[k])->bytes);
  }
  /* The heaviest last, on top. */
  for (guint k = sums->len; k-- > 0;) {
    const Sum *s = sums->pdata[k];
    double share = most > 0 ? s->bytes / most : 1;
    double x0 = d->a->x + s->sent / (double) s->count / d->a->per_px, x1 = d->a->x + s->received / (double) s->count / d->a->per_px;
    line (d, (uint32_t) (s->key >> 20) & 0xfffff, (uint32_t) s->key & 0xfffff, x0, x1, 0.8 + 5.2 * share,
          sums->len > 150 ? 0.22 : 0.32);
  }
  g_autofree char *bytes = paint_bytes (d->bytes);
  if (d->bytes <= 0)
    return g_strdup_printf ("%.0f messages in bundles", d->messages);
  if (drawn >= d->bytes * 0.995)
    return g_strdup_printf ("%.0f messages, %s, in %u bundles", d->messages, bytes, sums->len);
  return g_strdup_printf ("%.0f messages, %s; the %u heaviest bundles are %.0f\u2009%% of it", d->messages, bytes, sums->len,
                          100 * drawn / d->bytes);
}

char *
messages_draw (SpaceTime *st, Paint *p, const Rows *r, const Axis *a)
{
  Drawing d = { .p = p, .r = r, .a = a, .slice = SLICE * a->per_px };
  char *note = NULL;

  if (st->read_messages == NULL || st->no_messages)
    return NULL;
  cairo_save (p->cr);
  cairo_rectangle (p->cr, r->left, r->top - 2, r->width, r->bottom - r->top + 4);
  cairo_clip (p->cr);
  if (r->per_row == 1 && messages_reader_count (st->read_messages, a->from, a->to) <= MESSAGES_EXACT) {
    d.lines = g_array_new (FALSE, FALSE, sizeof (StateMessage));
    messages_reader_each (st->read_messages, a->from, a->to, keep, &d);
    draw_lines (&d);
    if (d.lines->len > 0)
      note = g_strdup_printf (d.lines->len == 1 ? "%u message" : "%u messages", d.lines->len);
    g_array_unref (d.lines);
  } else {
    d.sums = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    messages_reader_bundles (st->read_messages, a->from, a->to, (int64_t) MIN (MAX (d.slice / 2, 1), 4e18), add, &d);
    note = draw_bundles (&d);
    g_hash_table_unref (d.sums);
  }
  cairo_restore (p->cr);
  return note;
}
