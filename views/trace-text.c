/* SPDX-License-Identifier: Apache-2.0 */
/* trace-text.c - the events as sentences: any range of millions at once, by date or by number.
 *
 * The film holds a sparse index, a place of the reader every so many events; a picture goes to the place
 * before its first line and reads on from there.  Without a film it reads from the beginning. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "views/drawing.h"
#include "eve/words.h"
#include "views/trace-text.h"
#include "views/view-class.h"
#include "views/painter.h"

#define CSV_AT_ONCE 65536 /* lines */

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_ASYNC, .kept = true, .doc = "Events of a reader, in order of date." },
};
static const EveField settings[] = {
  { "beginnings only", EVE_F_BOOL, offsetof (TraceText, only_begins), .look = true,
    .doc = "Leaves out the ends of calls." },
  { "of the program", EVE_F_BOOL, offsetof (TraceText, of_program), .look = true,
    .doc = "Only what the program itself tells: its phases and marks, what it prints and logs." },
  { "kinds", EVE_F_STRING, offsetof (TraceText, kinds), .look = true,
    .doc = "Only events of these kinds, with commas between, as Send, Recv; all if empty." },
  { "tasks", EVE_F_STRING, offsetof (TraceText, tasks), .look = true,
    .doc = "Only events of these tasks, by id or nickname, with commas between; all if empty." },
};

static void
forget_page (TraceText *t)
{
  if (t->page.events != NULL)
    g_array_unref (t->page.events);
  t->page.events = NULL;
}

static void
trace_text_finish (EveComponent *c)
{
  TraceText *t = (TraceText *) c;

  forget_page (t);
  trace_text_forget_filter (t);
  g_clear_pointer (&t->told, g_hash_table_unref);
  if (t->open)
    history_in_close (&t->in);
  g_clear_pointer (&t->ways, g_array_unref);
  g_clear_pointer (&t->came, g_array_unref);
  g_free (t->places);
}

/* ---- finding ------------------------------------------------------------------------------------------- */

static HistoryEntry *
came_at (TraceText *t, guint i)
{
  return &g_array_index (t->in.entries, HistoryEntry, g_array_index (t->came, guint, i));
}

static int
trace_text_by_number (gconstpointer a, gconstpointer b, gpointer t)
{
  const GArray *entries = ((TraceText *) t)->in.entries;
  int64_t x = g_array_index (entries, HistoryEntry, *(const guint *) a).aux,
          y = g_array_index (entries, HistoryEntry, *(const guint *) b).aux;

  return x != y ? (x > y) - (x < y)
                : (*(const guint *) a > *(const guint *) b) - (*(const guint *) a < *(const guint *) b);
}

static void
look_at_entries (TraceText *t, bool anew)
{
  if (t->ways == NULL) {
    t->ways = g_array_new (FALSE, FALSE, sizeof (guint));
    t->came = g_array_new (FALSE, FALSE, sizeof (guint));
  }
  if (anew) {
    g_array_set_size (t->ways, 0);
    g_array_set_size (t->came, 0);
    t->n_looked = t->at = 0;
  }
  bool in_order = true;
  for (guint i = t->n_looked; t->open && i < t->in.entries->len; i++) {
    const HistoryEntry *e = &g_array_index (t->in.entries, HistoryEntry, i);
    if (e->level == 0 || e->level == LAYER_CAME)
      g_array_append_val (e->level == 0 ? t->ways : t->came, i);
    if (e->level == LAYER_CAME && t->came->len > 1)
      in_order &= came_at (t, t->came->len - 2)->aux <= e->aux;
    t->n_looked = i + 1;
  }
  if (!in_order) /* it came by several wires */
    g_array_sort_with_data (t->came, trace_text_by_number, t);
}

static void
open_index (TraceText *t, const ViewScene *scene)
{
  g_autofree char *places = scene->film != NULL ? layer_of_input (t->base.in[0], scene->film) : NULL;

  if (t->open && g_strcmp0 (t->places, places) == 0) {
    look_at_entries (t, !history_in_refresh (&t->in));
    return;
  }
  if (t->open)
    history_in_close (&t->in);
  g_free (t->places);
  t->places = g_steal_pointer (&places);
  t->open = t->places != NULL && history_in_open (&t->in, t->places, LAYER_PLACES, NULL);
  look_at_entries (t, true);
}

static bool
says_came (TraceText *t, HistoryEntry *e, uint64_t number)
{
  uint64_t bit = number - (uint64_t) e->aux;

  if (number < (uint64_t) e->aux || bit >= e->count)
    return false;
  const uint8_t *bits = e->bytes > 0 ? history_in_data (&t->in, e) : NULL;
  return e->bytes == 0 || (bits != NULL && bit / 8 < e->bytes && (bits[bit / 8] >> bit % 8 & 1) != 0);
}

/* Events are asked for in their order, nearly always. */
bool
trace_text_came (TraceText *t, uint64_t number)
{
  if (t->came == NULL || t->came->len == 0)
    return true;
  if (t->at >= t->came->len || (uint64_t) came_at (t, t->at)->aux > number) {
    guint low = 0, high = t->came->len;
    while (high - low > 1) {
      guint mid = (low + high) / 2;
      *((uint64_t) came_at (t, mid)->aux > number ? &high : &low) = mid;
    }
    t->at = low;
  }
  while (t->at + 1 < t->came->len && (uint64_t) came_at (t, t->at + 1)->aux <= number)
    t->at++;
  /* it may lie in several, which overlap; few do */
  for (guint i = t->at + 1, left = 64;
       i-- > 0 && left-- > 0 && (uint64_t) came_at (t, i)->aux + LAYER_CAME_MOST > number;)
    if (says_came (t, came_at (t, i), number))
      return true;
  return false;
}

static bool
reached (const Wanted *w, uint64_t number, int64_t date)
{
  return w->by_number ? number >= w->number : w->after ? date > w->date : date >= w->date;
}

/* To a place that lies at least `before` events ahead of what is wanted, or at the beginning. */
static void
trace_text_go_near (TraceText *t, TraceSource *s, const Wanted *w, uint64_t before)
{
  guint low = 0, high = t->open ? t->ways->len : 0;

  while (low < high) {
    guint mid = (low + high) / 2;
    const HistoryEntry *e = &g_array_index (t->in.entries, HistoryEntry, g_array_index (t->ways, guint, mid));
    if (w->by_number ? (uint64_t) e->aux > w->number : reached (w, 0, e->from))
      high = mid;
    else
      low = mid + 1;
  }
  /* By number it is known how far a place is; by date one more place back is far enough. */
  for (bool near = !w->by_number && before > 0; low-- > 0; near = false) {
    HistoryEntry *e = &g_array_index (t->in.entries, HistoryEntry, g_array_index (t->ways, guint, low));
    const uint8_t *data;
    if (near || (w->by_number && w->number - (uint64_t) e->aux < before))
      continue;
    data = history_in_data (&t->in, e);
    if (data != NULL && trace_go_to_place (s, data, e->bytes))
      return;
  }
  s->format->rewind (s);
}

/* Of a source that knows where events of some kinds are, `more` of those that are shown before its place go before the
 * others that were found. */
static void
trace_text_look_back (TraceText *t, TraceSource *s, uint64_t kinds, guint more, GArray *found, guint *at)
{
  g_autoptr (GArray) back = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  TraceEvent e;
  uint64_t number;

  for (guint looked = 0; looked < TRACE_TEXT_BACK && back->len < more && trace_skip (s, kinds, true, &number)
                         && trace_previous (s, &e, 1, NULL) == 1;
       looked++)
    if (trace_text_shows (t, s, &e))
      g_array_append_val (back, e);
  for (guint i = 0; i < back->len / 2; i++) {
    TraceEvent *a = &g_array_index (back, TraceEvent, i), *b = &g_array_index (back, TraceEvent, back->len - 1 - i);
    TraceEvent swap = *a;
    *a = *b;
    *b = swap;
  }
  g_array_prepend_vals (found, back->data, back->len);
  *at += back->len;
}

static GArray *
trace_text_look (TraceText *t, TraceSource *s, const Wanted *w, guint before, guint n, guint *at, uint64_t *next,
                 GError **error)
{
  GArray *found = g_array_sized_new (FALSE, FALSE, sizeof (TraceEvent), MIN (n + before, 65536));
  uint64_t looked = 0, kinds = trace_text_kinds (t, s), number;
  g_autoptr (GBytes) from = NULL;
  TraceEvent block[256];
  bool there = false;
  size_t k;

  *at = 0;
  trace_text_go_near (t, s, w, before);
  if (before > 0 && kinds != 0 && s->format->skip != NULL && s->format->previous != NULL)
    from = trace_place (s);
  while (!there || (found->len < n && (w->most == 0 || looked < w->most))) {
    if (kinds != 0 && trace_skip (s, kinds, false, &number))
      *next = number;
    if ((k = trace_next (s, block, G_N_ELEMENTS (block), error)) == 0)
      break;
    eve_alive ();
    for (size_t i = 0; i < k; i++) {
      bool shown = trace_text_shows (t, s, &block[i]);
      if (!there && reached (w, block[i].number, block[i].date)) {
        there = true;
        if (found->len > before)
          g_array_remove_range (found, 0, found->len - before);
        *at = found->len;
      }
      looked += there;
      if (there && found->len >= n)
        break;
      *next = block[i].number + 1;
      if (!shown || (!there && before == 0))
        continue;
      if (!there && found->len >= before * 2 + 256)
        g_array_remove_range (found, 0, found->len - before);
      g_array_append_val (found, block[i]);
    }
  }
  if (!there) {
    if (found->len > n)
      g_array_remove_range (found, 0, found->len - n);
    *at = found->len;
  }
  guint have = there ? *at : found->len, want = there ? before : n;
  if (from != NULL && have < want) {
    trace_go_to_place (s, g_bytes_get_data (from, NULL), g_bytes_get_size (from));
    trace_text_look_back (t, s, kinds, want - have, found, at);
  }
  return found;
}

/* With an index that was opened.  The place of the source is the reader's, who goes on from it. */
static GArray *
trace_text_fetch_indexed (TraceText *t, const ViewScene *scene, const Wanted *w, guint before, guint n, guint *at,
                          uint64_t *next, GError **error)
{
  TraceSource *s = scene->source;
  g_autoptr (GBytes) here = trace_place (s);
  uint64_t looked;
  GArray *found;
  size_t size;
  const void *place = g_bytes_get_data (here, &size);

  found = trace_text_look (t, s, w, before, n, at, next != NULL ? next : &looked, error);
  trace_go_to_place (s, place, size);
  return found;
}

GArray *
trace_text_fetch (TraceText *t, const ViewScene *scene, const Wanted *w, guint before, guint n, guint *at,
                  uint64_t *next, GError **error)
{
  open_index (t, scene);
  return trace_text_fetch_indexed (t, scene, w, before, n, at, next, error);
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

static bool
trace_text_changed (EveComponent *c, uint32_t setting)
{
  forget_page ((TraceText *) c);
  trace_text_forget_filter ((TraceText *) c);
  return true;
}

/* The lines of a scene: from a number, from a date, or around the present event. */
bool
trace_text_turn_page (TraceText *t, const ViewScene *scene, GError **error)
{
  Page *p = &t->page;
  guint n = (guint) MAX (1, (scene->height_px - TOP - 6) / LINE), before = 0, at;
  bool window = scene->from <= scene->to, around = !window && scene->event == UINT64_MAX && scene->at != INT64_MIN;
  Wanted w = { .date = window ? scene->from : scene->source->first, .most = TRACE_TEXT_MOST };
  uint64_t next = 0;
  GError *failure = NULL;

  open_index (t, scene);
  if (p->events != NULL && p->source == scene->source && p->around == around && p->from == scene->from
      && p->to == scene->to && (!around || p->at == scene->at) && p->number == scene->event
      && p->height_px == scene->height_px && p->n_came == t->came->len)
    return true;
  if (scene->event != UINT64_MAX) {
    w.by_number = true;
    w.number = scene->event;
  } else if (around) {
    w.date = scene->at;
    w.after = true;
    before = n / 2 + 1;
  }
  forget_page (t);
  *p = (Page){ .source = scene->source,
               .around = around,
               .from = scene->from,
               .to = scene->to,
               .at = scene->at,
               .number = scene->event,
               .height_px = scene->height_px,
               .n_came = t->came->len };
  p->events = trace_text_fetch_indexed (t, scene, &w, before, n, &at, &next, &failure);
  p->cut = p->events->len < n && next < scene->source->n_events;
  trace_text_tell_unknown (t, scene->source, next >= scene->source->n_events);
  if (failure == NULL)
    return true;
  forget_page (t);
  g_propagate_error (error, failure);
  return false;
}

/* Index of the event that was the last at `at`, or G_MAXUINT. */
static guint
present_of (const Page *page, const ViewScene *scene)
{
  guint present = G_MAXUINT;

  for (guint i = 0; i < page->events->len && scene->at != INT64_MIN; i++)
    if (g_array_index (page->events, TraceEvent, i).date <= scene->at)
      present = i;
  /* The last line of a page from elsewhere is not the present one if the present lies behind it. */
  if (present + 1 == page->events->len && !page->around && scene->at < scene->source->last)
    present = G_MAXUINT;
  return present;
}

/* Decimals that tell the dates of the page apart: at least six. */
static int
decimals_of (const Page *page, const TraceClock *clock)
{
  int64_t unit = clock->ticks_per_second;
  int decimals = 0;

  while (unit >= 10 && decimals < 9) {
    bool finer = false;
    for (guint i = 0; i < page->events->len && !finer; i++)
      finer = g_array_index (page->events, TraceEvent, i).date % unit != 0;
    if (!finer && decimals >= 6)
      break;
    unit /= 10;
    decimals++;
  }
  return decimals;
}

/* As few of them as tell one line from the next. */
static int
fewest_decimals (const Page *page, const TraceClock *clock, int most)
{
  int decimals = 0;

  for (int64_t unit = clock->ticks_per_second; decimals < most; unit /= 10, decimals++) {
    bool apart = decimals >= 3;
    for (guint i = 1; i < page->events->len && apart; i++) {
      int64_t before = g_array_index (page->events, TraceEvent, i - 1).date - clock->zero,
              date = g_array_index (page->events, TraceEvent, i).date - clock->zero;
      apart = before == date || (before + unit / 2) / unit != (date + unit / 2) / unit;
    }
    if (apart)
      break;
  }
  return decimals;
}

typedef struct Columns {
  double number, date, task,
      text; /* px: right ends of the first two, left ends of the others; number, date 0: it has no room */
  int decimals;
} Columns;

#define TEXT_WANTS 260 /* px: a sentence of 40 letters */
#define TEXT_LEAST 120 /* without a date else, which the pointer is told */

static Columns
trace_text_measure (Paint *p, const Page *page)
{
  const TraceEvent *last = page->events->len > 0 ? &g_array_index (page->events, TraceEvent, page->events->len - 1)
                                                 : NULL;
  const TraceSource *s = p->scene->source;
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, last != NULL ? last->number + 1 : 0);
  double widest = 60;
  Columns c = { .decimals = decimals_of (page, &s->clock) };
  g_autofree char *date = axis_date (&s->clock, last != NULL ? last->date : 0, c.decimals);

  for (guint i = 0; i < page->events->len; i++)
    widest = MAX (widest, paint_text_width (p, PAINT_TEXT,
                                            trace_task_name (s, g_array_index (page->events, TraceEvent, i).task)));
  widest = MIN (widest, 160);
  c.number = 12
             + MAX (paint_text_width (p, PAINT_TEXT, number) + 12,
                    MAX (paint_text_width (p, PAINT_TEXT, _ ("event")), 48));
  c.date = c.number + 20 + MAX (paint_text_width (p, PAINT_TEXT, date), 40);
  c.task = c.date + 24;
  c.text = c.task + 16 + widest + 20;
  /* What happens is what is read: in a narrow picture the number gives way, then the name, which the sentence begins
   * with, then what the date tells too exactly, and all of it. */
  if (p->scene->width_px - c.text < TEXT_WANTS) {
    c.date -= c.number - 4;
    c.number = 0;
    c.task = c.date + 16;
    c.text = c.task + 14 + widest + 16;
  }
  if (p->scene->width_px - c.text < TEXT_WANTS) {
    g_autofree char *shorter = NULL;
    c.decimals = fewest_decimals (page, &s->clock, c.decimals);
    shorter = axis_date (&s->clock, last != NULL ? last->date : 0, c.decimals);
    c.date = 12 + MAX (paint_text_width (p, PAINT_TEXT | PAINT_BOLD, shorter), 40);
    c.task = c.date + 12;
    c.text = c.task + 16;
  }
  if (p->scene->width_px - c.text < TEXT_LEAST) {
    c.date = 0;
    c.task = 8;
    c.text = c.task + 16;
  }
  return c;
}

static void
trace_text_draw_line (Paint *p, const Columns *c, const Page *page, guint i, bool present)
{
  const TraceEvent *e = &g_array_index (page->events, TraceEvent, i);
  const TraceSource *s = p->scene->source;
  bool end = e->flags & TRACE_END,
       chosen = view_selects (p->scene, trace_ref_task (s->number, e->task))
                || (p->scene->selection != NULL
                    && view_selects (p->scene, trace_ref (TRACE_REF_KIND, s->number, e->kind)));
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, e->number + 1);
  g_autofree char *date = axis_date (&s->clock, e->date, c->decimals), *sentence = trace_sentence (e);
  uint32_t rgb = view_colour (p->scene->colours, "Task", trace_task_id (s, e->task), p->scene->dark);
  int weight = present ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT;
  double top = TOP - 4 + LINE * i, y = top + LINE / 2;

  if (present || chosen) {
    paint_source (p->cr, paint_mix (p->paper, present ? p->cursor : p->ink, present ? 0.10 : 0.05), 1);
    cairo_rectangle (p->cr, 0, top, p->scene->width_px, LINE);
    cairo_fill (p->cr);
  }
  if (present) {
    paint_source (p->cr, p->cursor, 1);
    cairo_rectangle (p->cr, 0, top, 3, LINE);
    cairo_fill (p->cr);
  }
  if (c->number > 0)
    paint_text (p, c->number, y, 1, PAINT_TEXT, p->muted, 0, number);
  if (c->date > 0)
    paint_text (p, c->date, y, 1, weight, present ? p->cursor : p->ink, 0, date);
  paint_source (p->cr, rgb, 1);
  cairo_arc (p->cr, c->task + 4, y, 4, 0, 2 * G_PI);
  cairo_fill (p->cr);
  if (c->text > c->task + 16)
    paint_text (p, c->task + 14, y, 0, weight | PAINT_NAME, end ? p->muted : p->ink, c->text - c->task - 20,
                trace_task_name (s, e->task));
  paint_text (p, c->text, y, 0, weight, end ? p->muted : p->ink, MAX (p->scene->width_px - c->text - 12, 40), sentence);
}

/* The line of the present event over the one that is there. */
static void
draw_present (TraceText *t, Paint *p, const Columns *c, guint present)
{
  cairo_save (p->cr);
  cairo_rectangle (p->cr, 0, TOP - 4 + LINE * present, p->scene->width_px, LINE);
  cairo_clip (p->cr);
  trace_text_draw_line (p, c, &t->page, present, true);
  cairo_restore (p->cr);
}

static void
trace_text_draw_head (TraceText *t, Paint *p, const Columns *c)
{
  const ViewScene *scene = p->scene;
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, scene->source->n_events),
                  *all = paint_in_threes (digits, false),
                  *of = g_strdup_printf (trace_text_filters (t)
                                             ? P_ ("some of %s event", "some of %s events", scene->source->n_events)
                                             : P_ ("%s event", "%s events", scene->source->n_events),
                                         all);

  if (c->number > 0)
    paint_text (p, c->number, 16, 1, PAINT_TEXT, p->muted, 0, _ ("event"));
  if (c->date > 0)
    paint_text (p, c->date, 16, 1, PAINT_TEXT, p->muted, 0, _ ("time"));
  if (c->text > c->task + 16)
    paint_text (p, c->task, 16, 0, PAINT_TEXT, p->muted, 0, _ ("task"));
  paint_text (p, c->text, 16, 0, PAINT_TEXT, p->muted, MAX (scene->width_px - 12 - c->text, 20), _ ("what happens"));
  if (scene->width_px - c->text > 240)
    paint_text (p, scene->width_px - 12, 16, 1, PAINT_TEXT, p->muted, 0, of);
  drawing_rect (p->drawing, 0, TOP - 6, scene->width_px, 1, p->grid, 1, NULL);
}

static DrawingTag
trace_text_tag_of (const TraceSource *s, const TraceEvent *e)
{
  return (DrawingTag){ .what = trace_ref_task (s->number, e->task),
                       .other = trace_ref_task (s->number, e->peer),
                       .from = e->date,
                       .to = e->date,
                       .event = e->number + 1 };
}

static bool
trace_text_build (EveComponent *component, const ViewScene *scene, Drawing *d, GError **error)
{
  TraceText *t = (TraceText *) component;
  const char *problem;
  guint present;

  if (!trace_text_turn_page (t, scene, error))
    return false;
  Paint *p = drawing_begin (d);
  Columns c = trace_text_measure (p, &t->page);
  trace_text_draw_head (t, p, &c);
  for (guint i = 0; i < t->page.events->len; i++) {
    DrawingTag tag = trace_text_tag_of (scene->source, &g_array_index (t->page.events, TraceEvent, i));
    tag.index = i;
    if (drawing_is_painted (d))
      trace_text_draw_line (p, &c, &t->page, i, false);
    drawing_area (d, 0, TOP - 4 + LINE * i, scene->width_px, LINE, &tag);
  }
  if (t->page.cut)
    paint_text (p, c.text, TOP - 4 + LINE * (t->page.events->len + 0.5), 0, PAINT_TEXT, p->muted,
                scene->width_px - c.text - 12,
                _ ("\u2026 no more in the events that follow; scroll on to look further"));
  else if (t->page.events->len == 0)
    paint_sentence (p, "No event here");
  problem = t->open ? history_in_problem (&t->in) : NULL;
  if (problem != NULL)
    paint_text (p, scene->width_px - 12, scene->height_px - 10, 1, PAINT_SMALL, p->cursor, scene->width_px - 24,
                problem);
  present = present_of (&t->page, scene);
  if (present != G_MAXUINT)
    draw_present (t, p, &c, present);
  return true;
}

static void
trace_text_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const Page *page = &((TraceText *) c)->page;

  if (page->events == NULL || m->tag.index >= page->events->len)
    return;
  const TraceEvent *e = &g_array_index (page->events, TraceEvent, m->tag.index);
  g_autofree char *sentence = trace_sentence (e);
  const char *file, *function;
  uint32_t line;
  g_string_append (name, sentence);
  if (facts == NULL)
    return;
  g_autofree char *date = axis_date (&scene->source->clock, e->date, decimals_of (page, &scene->source->clock));
  g_string_append_printf (facts, "Date\t%s\n", date);
  if (!trace_site (e, &file, &line, &function))
    return;
  g_string_append_printf (facts, "Source\t%s:%u", file, line);
  if (function != NULL && *function != '\0')
    g_string_append_printf (facts, ", in %s", function);
  g_string_append_c (facts, '\n');
}

static uint32_t
trace_text_depends (EveComponent *c, const ViewScene *scene)
{
  bool window = scene->from <= scene->to || scene->event != UINT64_MAX;

  return VIEW_ON_RANGE | VIEW_ON_EVENT | VIEW_ON_SELECTED | (window ? 0 : VIEW_ON_INSTANT);
}

static void
trace_text_draw_cursor (EveComponent *component, const ViewScene *scene, cairo_t *cr, cairo_rectangle_t *where)
{
  TraceText *t = (TraceText *) component;
  guint present = trace_text_turn_page (t, scene, NULL) ? present_of (&t->page, scene) : G_MAXUINT;

  if (where != NULL)
    *where = (cairo_rectangle_t){ 0, TOP - 4 + LINE * present, present == G_MAXUINT ? 0 : scene->width_px, LINE };
  if (cr != NULL && present != G_MAXUINT) {
    Paint p;
    paint_over (&p, scene, cr);
    Columns c = trace_text_measure (&p, &t->page);
    draw_present (t, &p, &c, present);
    paint_end (&p);
  }
}

static void
trace_text_put_field (GString *to, const char *text)
{
  g_string_append_c (to, '"');
  for (; *text != '\0'; text++)
    g_string_append_printf (to, *text == '"' ? "\"\"" : "%c", *text);
  g_string_append_c (to, '"');
}

static void
trace_text_put_line (GString *to, const TraceSource *s, const TraceEvent *e)
{
  g_autofree char *sentence = trace_sentence (e);
  char date[64];

  trace_clock_print (&s->clock, e->date, date, sizeof date);
  g_string_append_printf (to, "%" G_GUINT64_FORMAT ",%s,", e->number + 1, date);
  trace_text_put_field (to, trace_task_id (s, e->task));
  g_string_append_c (to, ',');
  trace_text_put_field (to, trace_task_name (s, e->task));
  g_string_append_printf (to, ",%s,", trace_event_name (e));
  trace_text_put_field (to, sentence);
  g_string_append (to, "\r\n");
}

/* Those of the range, so many at a time. */
static void
put_range (TraceText *t, const ViewScene *scene, GString *to, GError **failure)
{
  Wanted w = { .date = scene->from };
  uint64_t next = 0;
  guint at;

  for (bool more = true; more && *failure == NULL;) {
    g_autoptr (GArray) events = trace_text_fetch (t, scene, &w, 0, CSV_AT_ONCE, &at, &next, failure);
    guint n = 0;
    while (n < events->len && g_array_index (events, TraceEvent, n).date <= scene->to)
      trace_text_put_line (to, scene->source, &g_array_index (events, TraceEvent, n++));
    more = n == CSV_AT_ONCE;
    w = (Wanted){ .by_number = true, .number = next };
  }
}

/* Every event of the range; without a range, the lines of the picture. */
static bool
trace_text_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  TraceText *t = (TraceText *) c;
  GError *failure = NULL;

  g_string_append (to, "event,date [s],task,name,kind,sentence\r\n");
  if (scene->from <= scene->to)
    put_range (t, scene, to, &failure);
  else if (trace_text_turn_page (t, scene, &failure))
    for (guint i = 0; i < t->page.events->len; i++)
      trace_text_put_line (to, scene->source, &g_array_index (t->page.events, TraceEvent, i));
  if (failure == NULL)
    return true;
  g_propagate_error (error, failure);
  return false;
}

/* The lines are read from the trace itself: without a place that is damaged they only take longer to find. */
static const char *
trace_text_damage (EveComponent *c, bool *lost)
{
  const TraceText *t = (const TraceText *) c;

  if (lost != NULL)
    *lost = false;
  return t->open ? history_in_problem (&t->in) : NULL;
}

static const View view = {
  .title = "Trace text",
  .spans = VIEW_OF_EXECUTION,
  .build = trace_text_build,
  .say = trace_text_say,
  .depends = trace_text_depends,
  .draw_cursor = trace_text_draw_cursor,
  .scroll = trace_text_scroll,
  .find = trace_text_find,
  .csv = trace_text_csv,
  .damage = trace_text_damage,
};

VIEW_QUERY (trace_text_query, view)

static const EveClass trace_text = {
  VIEW_CLASS (TraceText),      .id = "scope.trace-text",
  .label = "Trace text",       .doc = "The events as sentences, around the present one or from any date or number on.",
  .finish = trace_text_finish, .changed = trace_text_changed,
  .query = trace_text_query,
};
EVE_PLUGIN (&trace_text);
