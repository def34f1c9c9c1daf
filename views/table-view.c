/* SPDX-License-Identifier: Apache-2.0 */
/* table-view.c - a table, sorted by any column; the tasks of a closed group share a row. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "statistics/list.h"
#include "statistics/select.h"
#include "eve/words.h"
#include "views/table-fold.h"

typedef struct TableView {
  ChartThing held;
  char *sort, *title, *bars; /* settings */
  bool descending;
  int64_t first, first_column;
  /* Of the last picture: indices of rows, those of the places from..to sorted. */
  uint32_t *rows, rows_from, rows_to;
  uint64_t rows_serial;
  int32_t rows_column;
  bool rows_descending;
  TableFolded folded;
} TableView;

static const EveInSpec ins[] = {
  { "table", &stats_type_table, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = chart_thing_data,
    .required = true, .present = true, .doc = "Tables; the last is shown." },
};
static const EveField settings[] = {
  { "sort by", EVE_F_STRING, offsetof (TableView, sort), .look = true,
    .doc = "Name of a column; empty: as the rows come." },
  { "descending", EVE_F_BOOL, offsetof (TableView, descending), .look = true, .doc = "Largest first." },
  { "first row", EVE_F_INT64, offsetof (TableView, first), .min = 0, .max = 1e9, .look = true,
    .doc = "How many rows are scrolled past; the wheel scrolls from there." },
  { "first column", EVE_F_INT64, offsetof (TableView, first_column), .min = 0, .max = 1e6, .look = true,
    .doc = "How many columns are scrolled past, behind those that tell what a row is; a click on “more” at either end "
           "does it." },
  { "title", EVE_F_STRING, offsetof (TableView, title), .look = true, .doc = "Empty: that of the table." },
  { "bars", EVE_F_STRING, offsetof (TableView, bars), .look = true,
    .doc = "Names of columns of percentages that are drawn as bars too." },
};

#define LINE 22.0
#define MORE 58.0                          /* px: for "12 more" */
#define MORE_LOW 32.0                      /* for "+12" */
#define CUT 64.0                           /* px that a text tells something in */
static const double pads[] = { 10, 8, 6 }; /* px on each side of a column: less where not all have room */
#define CHIP 14.0                          /* a disc of the colour of a state, and what is free behind it */
enum { HEAD, ROW, FORTH, BACK, CELL, OTHER };

typedef struct Columns {
  double *x, *width;      /* by column; width 0: not shown */
  uint32_t n, first, end; /* shown: the first `names`, and from `first` on */
  uint32_t names;         /* columns that tell what a row is, up to that of whom it is of */
  uint32_t turned;        /* 1: the one that sorts left no room for another, and somebody turned to these; else 0 */
  int32_t kept;           /* the one that sorts, beside the first where it would be out of sight; -1: none is */
  int32_t state;          /* the one that tells what somebody does, whose colours it has; -1: none */
  double pad;             /* px on each side */
} Columns;

static const StatsTable *
table_view_folded (TableView *v, const ViewScene *scene)
{
  return table_folded (&v->folded, &v->held, scene);
}

static int32_t
sort_column (const TableView *v, const StatsTable *t)
{
  for (uint32_t i = 0; *v->sort && i < t->n_columns; i++)
    if (g_ascii_strcasecmp (t->columns[i].name, v->sort) == 0)
      return (int32_t) i;
  for (uint32_t i = 0; *v->sort && i < t->n_columns; i++) /* as it is read */
    if (g_ascii_strcasecmp (chart_head (&t->columns[i]), v->sort) == 0)
      return (int32_t) i;
  return -1;
}

typedef struct Sorting {
  const StatsTable *t;
  uint32_t column;
  bool descending;
} Sorting;

static int
table_view_by_column (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorting *s = data;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  bool none_x = stats_cell_is_nothing (s->t, x, s->column), none_y = stats_cell_is_nothing (s->t, y, s->column);

  if (none_x != none_y) /* what is nothing comes last either way */
    return none_x - none_y;
  int order = stats_table_compare (s->t, s->column, x, y);
  return order == 0 ? (x > y) - (x < y) : s->descending ? -order : order;
}

/* The rows in order, as far as they stand at the places from..to: of a million those that are seen are sorted. */
static const uint32_t *
table_view_rows_of (TableView *v, const StatsTable *t, uint32_t from, uint32_t to)
{
  int32_t column = sort_column (v, t);

  if (v->rows != NULL && v->rows_serial == v->folded.shown && v->rows_column == column
      && v->rows_descending == v->descending && (column < 0 || (v->rows_from <= from && v->rows_to >= to)))
    return v->rows;
  g_free (v->rows);
  v->rows = g_new (uint32_t, MAX (t->n_rows, 1));
  v->rows_serial = v->folded.shown;
  v->rows_column = column;
  v->rows_descending = v->descending;
  v->rows_from = from;
  v->rows_to = to;
  for (uint32_t i = 0; i < t->n_rows; i++)
    v->rows[i] = i;
  if (column >= 0)
    stats_sort_part (v->rows, t->n_rows, from, to, table_view_by_column,
                     &(Sorting){ t, (uint32_t) column, v->descending });
  return v->rows;
}

static void
table_view_finish (EveComponent *c)
{
  g_clear_pointer (&((TableView *) c)->rows, g_free);
  table_folded_clear (&((TableView *) c)->folded);
  chart_thing_finish (c);
}

static bool
table_view_is_number (const StatsTable *t, uint32_t column)
{
  return t->columns[column].kind != STATS_CELL_TEXT;
}

static char *
own_text (const StatsTable *t, uint32_t row, uint32_t column, const ViewScene *scene)
{
  const TraceClock *clock = scene->source != NULL ? &scene->source->clock : NULL;
  const StatsCell *cell = stats_cell (t, row, column);

  if (stats_cell_is_nothing (t, row, column))
    return g_strdup ("–");
  switch (t->columns[column].kind) {
  case STATS_CELL_TEXT:
    return g_strdup (chart_word (&t->columns[column], scene->graph, cell->text));
  case STATS_CELL_REAL:
    return chart_number (cell->real, t->columns[column].unit);
  case STATS_CELL_WHOLE:
    if (t->columns[column].unit == NULL) { /* each digit of what is counted */
      char digits[32];
      g_snprintf (digits, sizeof digits, "%" G_GINT64_FORMAT, cell->whole);
      return paint_in_threes (digits, false);
    }
    return chart_number ((double) cell->whole, t->columns[column].unit);
  default:
    return clock != NULL ? axis_date (clock, cell->whole, 6) : g_strdup_printf ("%" G_GINT64_FORMAT, cell->whole);
  }
}

/* "4.3 % (1.5 – 6.8 %)" of a group. */
static char *
cell_text (const TableView *v, const StatsTable *t, uint32_t row, uint32_t column, const ViewScene *scene)
{
  char *text = own_text (t, row, column, scene);

  if (!table_folded_is_group (&v->folded, row) || t->columns[column].kind == STATS_CELL_DATE
      || !table_fold_differs (v->folded.fold, row, column))
    return text;
  size_t cell = (size_t) row * t->n_columns + column;
  g_autofree char *own = text, *most = chart_number (v->folded.fold->most[cell], t->columns[column].unit),
                  *least = chart_number (v->folded.fold->least[cell], t->columns[column].unit);
  return g_strdup_printf ("%s (%s \u2013 %s)", own, least, most);
}

/* Digits are all as wide as each other, so of numbers of one shape one is measured.  True: this is the first. */
static bool
is_new_shape (GHashTable *shapes, const char *number)
{
  char *shape = g_strdup (number);

  for (char *c = shape; *c != '\0'; c++)
    *c = g_ascii_isdigit (*c) ? '0' : *c;
  return g_hash_table_add (shapes, shape);
}

#define WIDEST 320.0 /* px of a column, but of a last one that may have the room that is left */

/* Its unit is in each cell; where two columns have one name, it tells them apart, as in files. */
static char *
table_view_head (const StatsTable *t, uint32_t column)
{
  const StatsColumn *of = &t->columns[column];
  bool twin = false, seconds = g_strcmp0 (of->unit, "s") == 0; /* which cells have in ms or µs too */

  for (uint32_t k = 0; of->unit != NULL && !seconds && k < t->n_columns; k++)
    twin |= k != column && strcmp (t->columns[k].name, of->name) == 0;
  return twin ? g_strdup_printf ("%s [%s]", chart_head (of), of->unit) : g_strdup (chart_head (of));
}

static double
table_view_width_of (const TableView *v, Paint *p, const StatsTable *t, const uint32_t *rows, uint32_t first,
                     uint32_t n, uint32_t column, bool sorted)
{
  g_autofree char *head = table_view_head (t, column);
  double width = paint_text_width (p, PAINT_TEXT | PAINT_BOLD, head) + (sorted ? 14 : 0);
  g_autoptr (GHashTable) met = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  bool number = table_view_is_number (t, column);

  for (uint32_t i = first; i < first + MIN (n, 200); i++) {
    g_autofree char *text = cell_text (v, t, rows[i], column, p->scene);
    if (number ? !is_new_shape (met, text) : !g_hash_table_add (met, g_strdup (text)))
      continue;
    /* what is selected is bold */
    width = fmax (width, paint_text_width (p, number ? PAINT_TEXT : PAINT_TEXT | PAINT_BOLD, text));
  }
  return fmin (width, WIDEST);
}

/* A column of text that is called as the attribute that tells what tasks do. */
static int32_t
state_column (const ViewScene *scene, const StatsTable *t)
{
  const char *name = paint_state_attribute (scene->graph, STATE_NODE);

  for (uint32_t k = 1; scene->graph != NULL && k < t->n_columns; k++)
    if (t->columns[k].kind == STATS_CELL_TEXT && strcmp (t->columns[k].name, name) == 0)
      return (int32_t) k;
  return -1;
}

static void
table_view_put_column (Columns *c, uint32_t k, double *x, double width)
{
  c->x[k] = *x;
  c->width[k] = width;
  c->n++;
  *x += width + 2 * c->pad;
}

/* All columns beside each other. */
static double
all_of (const StatsTable *t, const double *width, double pad)
{
  double all = 12;

  for (uint32_t k = 0; k < t->n_columns; k++)
    all += width[k] + (k + 1 < t->n_columns ? 2 * pad : 0);
  return all;
}

/* Where little is high the title gives way: the pane that the table stands in has one. */
static bool
is_low (const ViewScene *scene)
{
  return scene->titled != NULL && scene->height_px < CHART_TOP + 3 * LINE + 4;
}

static double
table_view_top_of (const ViewScene *scene)
{
  return is_low (scene) ? 4 : CHART_TOP;
}

/* Of what leads to further columns, which stands behind the title, or behind the heads where there is none. */
static double
right_of (const ViewScene *scene, bool more)
{
  return scene->width_px - 12 - (more && is_low (scene) ? MORE_LOW : 0);
}

static bool
is_kept (const Columns *c, uint32_t column)
{
  return c->kept >= 0 && (uint32_t) c->kept == column;
}

/* From c->first on, as many as fit behind x. */
static void
put_others (Columns *c, const StatsTable *t, const double *width, double x, double right)
{
  bool any = c->kept >= 0; /* without, the first of them is there however little room it has */

  for (c->end = c->first; c->end < t->n_columns; c->end++) {
    if (is_kept (c, c->end))
      continue;
    double room = right - x;
    if (any && width[c->end] > room && (table_view_is_number (t, c->end) || room < CUT))
      break;
    table_view_put_column (c, c->end, &x, fmin (width[c->end], fmax (room, 24)));
    any = true;
  }
}

/* The one that sorts stands beside the first if it is not seen otherwise, for what the others leave free.  Where no
 * other would be left it is kept only until somebody turns to these. */
static void
keep_sorting (Columns *c, const StatsTable *t, const double *width, int32_t sorted, double right)
{
  Columns with = *c;
  double x = 12;

  if (sorted < (int32_t) c->names || c->width[sorted] > 0)
    return;
  with.x = g_new0 (double, t->n_columns);
  with.width = g_new0 (double, t->n_columns);
  with.n = 0;
  with.kept = sorted;
  double left = right - x - 2 * c->pad - width[sorted];
  for (uint32_t k = 0; k < c->names; k++) {
    table_view_put_column (&with, k, &x, fmin (width[k], fmax (left, 48)));
    left -= width[k] + 2 * c->pad;
  }
  table_view_put_column (&with, (uint32_t) sorted, &x, fmin (width[sorted], fmax (right - x, 24)));
  put_others (&with, t, width, x + (c->first > c->names ? MORE : 0), right);
  bool taken = with.n > c->names + 1 || (c->first == c->names && c->turned == 0);
  g_free (taken ? c->x : with.x);
  g_free (taken ? c->width : with.width);
  if (taken)
    *c = with;
}

/* What is left over goes between them. */
static void
table_view_spread (Columns *c, uint32_t n, double right)
{
  double end = 12, most = c->n > 1 ? pads[0] - c->pad : 0;

  for (uint32_t k = 0; k < n; k++)
    end = fmax (end, c->x[k] + c->width[k]);
  double more = fmin (most, (right - end) / (2 * fmax (c->n - 1, 1)));
  if (more <= 0)
    return;
  uint32_t i = 1;
  if (c->kept >= 0)
    c->x[c->kept] += 2 * more * i++;
  for (uint32_t k = c->first; k < c->end; k++)
    if (c->width[k] > 0 && !is_kept (c, k))
      c->x[k] += 2 * more * i++;
  c->pad += more;
}

/* Beside those of names the one that sorts leaves no room for the next one. */
static bool
sorts_alone (const Columns *c, const StatsTable *t, const double *width, int32_t sorted, double room)
{
  if (sorted <= (int32_t) c->names)
    return false;
  room -= width[sorted] + 2 * c->pad;
  return width[c->names] > room && (table_view_is_number (t, c->names) || room < CUT);
}

/* So many first columns are seen whatever is scrolled past: up to the one that names whom the rows are of, if there is
 * room for another beside them. */
static uint32_t
columns_of_names (const Paint *p, const StatsTable *t, const uint32_t *rows, uint32_t first, uint32_t n,
                  const double *width)
{
  TraceRef who = n > 0 ? stats_table_owner (t, rows[first], false) : (TraceRef){ 0 };
  const TraceSource *s = who.type == TRACE_REF_TASK ? trace_source (who.source) : NULL;
  double room = p->scene->width_px - 24 - MORE - CUT; /* one more is seen */

  for (uint32_t k = 0; s != NULL && k + 2 < t->n_columns && t->columns[k].kind == STATS_CELL_TEXT; k++) {
    const char *text = stats_cell (t, rows[first], k)->text;
    room -= width[k] + 2 * pads[G_N_ELEMENTS (pads) - 1];
    if (room < 0)
      break;
    if (text != NULL && strcmp (text, trace_task_name (s, who.id)) == 0)
      return k + 1;
  }
  return 1;
}

/* The first columns stay, as does the one that sorts; of the others as many as fit, closer together where not all
 * would, and the last of them end the table.  Widths by what is seen, at most 200 rows of it. */
static Columns
table_view_measure (const TableView *v, Paint *p, const StatsTable *t, const uint32_t *rows, uint32_t first, uint32_t n)
{
  Columns c = {
    g_new0 (double, t->n_columns), g_new0 (double, t->n_columns), 0, 1, 1, 1, 0, -1, state_column (p->scene, t), 0
  };
  g_autofree double *width = g_new0 (double, t->n_columns);
  int32_t sorted = sort_column (v, t);
  double x = 12, right = right_of (p->scene, false);
  uint32_t last = t->n_columns - 1;

  for (uint32_t k = 0; k < t->n_columns; k++)
    width[k] = table_view_width_of (v, p, t, rows, first, n, k, sorted == (int32_t) k)
               + ((int32_t) k == c.state ? CHIP : 0);
  for (uint32_t i = 0; i < G_N_ELEMENTS (pads) && (i == 0 || all_of (t, width, c.pad) > right); i++)
    c.pad = pads[i];
  c.first = c.names = columns_of_names (p, t, rows, first, n, width);
  for (uint32_t k = 0; k < c.names; k++)
    table_view_put_column (&c, k, &x, width[k]);
  if (all_of (t, width, c.pad) > right) {
    right = right_of (p->scene, true);
    c.turned = v->first_column > 0 && sorts_alone (&c, t, width, sorted, right - x);
    c.first = (uint32_t) CLAMP (v->first_column + c.names - c.turned, c.names,
                                MAX ((int64_t) t->n_columns - 1, c.names));
  }
  for (double rest = x + width[last] + MORE; c.first > c.names; c.first--) {    /* no room is left free at the end */
    bool apart = sorted >= (int32_t) c.names && sorted < (int32_t) c.first - 1; /* it stands beside the names then */
    double more = apart ? width[sorted] + 2 * c.pad : 0;
    for (uint32_t k = c.first - 1; k + 1 < t->n_columns; k++)
      more += width[k] + 2 * c.pad;
    if (rest + more > right)
      break;
  }
  put_others (&c, t, width, x + (c.first > c.names ? MORE : 0), right);
  keep_sorting (&c, t, width, sorted, right);
  table_view_spread (&c, t->n_columns, right);
  if (c.first == c.names && c.end >= t->n_columns && c.width[last] >= WIDEST && !table_view_is_number (t, last))
    c.width[last] = fmax (c.width[last], right - c.x[last]);
  return c;
}

static uint32_t
rows_that_fit (const ViewScene *scene)
{
  return (uint32_t) fmax (floor ((scene->height_px - table_view_top_of (scene) - LINE - 4) / LINE), 1);
}

/* How many there are to be scrolled through. */
static uint32_t
table_view_rows (EveComponent *c, const ViewScene *scene)
{
  TableView *v = (TableView *) c;
  const StatsTable *t = table_view_folded (v, scene);

  return t == NULL ? 0 : t->n_rows - (uint32_t) MIN ((uint64_t) v->first, t->n_rows);
}

/* What of a table is shown. */
typedef struct Shown {
  const uint32_t *rows; /* of the table, sorted from `first` on */
  uint32_t first, n;
  Columns columns;
} Shown;

static Shown
table_view_choose (TableView *v, Paint *p, const StatsTable *t)
{
  uint32_t fit = rows_that_fit (p->scene), wanted = p->scene->n_rows > 0 ? p->scene->n_rows : t->n_rows;
  uint64_t first = (uint64_t) v->first + (p->scene->n_rows > 0 ? p->scene->first_row : 0);
  Shown s = { .first = (uint32_t) MIN (first, t->n_rows > fit ? t->n_rows - fit : 0) };

  s.n = MIN (t->n_rows - s.first, fit);
  if (first + wanted < t->n_rows) /* those alone; to the end: as many as there is room for */
    s.n = MIN (s.n, wanted);
  s.rows = table_view_rows_of (v, t, s.first, s.first + s.n);
  s.columns = table_view_measure (v, p, t, s.rows, s.first, s.n);
  return s;
}

static void
shown_clear (Shown *s)
{
  g_free (s->columns.x);
  g_free (s->columns.width);
}

/* How many columns there are on a side, which a click shows. */
static void
draw_more (Drawing *d, Paint *p, double x, double y, double align, uint32_t n, uint32_t part)
{
  g_autofree char *text = is_low (p->scene) ? g_strdup_printf (part == FORTH ? "+%u ▸" : "◂ +%u", n)
                                            : g_strdup_printf (part == FORTH ? _ ("%u more ▸") : _ ("◂ %u more"), n);

  drawing_text (d, x, y, align, PAINT_SMALL, DRAWING_ACCENT, MORE, text,
                &(DrawingTag){ DRAWING_NO_DATES, .index = n, .part = part });
}

/* Of columns that are not shown: those before the part that is, or behind it. */
static uint32_t
hidden (const Columns *c, uint32_t n, uint32_t part)
{
  uint32_t from = part == BACK ? c->names : c->end, to = part == BACK ? c->first : n;

  return to - from - (c->kept >= 0 && (uint32_t) c->kept >= from && (uint32_t) c->kept < to);
}

static void
table_view_draw_heads (const TableView *v, Drawing *d, Paint *p, const StatsTable *t, const Columns *columns)
{
  int32_t sorted = sort_column (v, t);
  double top = table_view_top_of (p->scene), more = is_low (p->scene) ? top + LINE / 2 : 16;

  for (uint32_t k = 0; k < t->n_columns; k++) {
    if (columns->width[k] <= 0)
      continue;
    bool number = table_view_is_number (t, k), here = sorted == (int32_t) k;
    double right = columns->x[k] + columns->width[k];
    g_autofree char *name = table_view_head (t, k),
                    *head = g_strconcat (name, here ? v->descending ? " ▾" : " ▴" : "", NULL);
    paint_text (p, number ? right : columns->x[k], top + LINE / 2, number ? 1 : 0, PAINT_TEXT | PAINT_BOLD,
                here ? p->ink : p->muted, columns->width[k], head);
    /* less wide than a row, however few there are */
    drawing_area (d, columns->x[k], top, fmin (columns->width[k], p->scene->width_px - 40), LINE,
                  &(DrawingTag){ DRAWING_NO_DATES, .index = k, .part = HEAD });
  }
  uint32_t before = hidden (columns, t->n_columns, BACK), behind = hidden (columns, t->n_columns, FORTH);
  if (before > 0)
    draw_more (d, p, (columns->end > columns->first ? columns->x[columns->first] : p->scene->width_px - 12) - MORE,
               top + LINE / 2, 0, before, BACK);
  if (behind > 0)
    draw_more (d, p, p->scene->width_px - 12, more, 1, behind, FORTH);
  drawing_rect (d, 12, top + LINE - 1, p->scene->width_px - 24, 1, p->faint, 1, NULL);
}

/* Where in all rows those stand that are seen. */
static void
draw_place (Drawing *d, const Paint *p, const StatsTable *t, const Shown *s)
{
  double top = table_view_top_of (p->scene) + LINE + 2, all = s->n * LINE, high = fmax (all * s->n / t->n_rows, 10);

  if (s->n >= t->n_rows)
    return;
  drawing_rect (d, p->scene->width_px - 5, top + (all - high) * s->first / (t->n_rows - s->n), 3, high, p->muted, 0.6,
                NULL);
}

/* A row is of one, or of a link between two; and of an instant, if it tells one, to which a double click leads. */
static DrawingTag
table_view_tag_of (const StatsTable *t, uint32_t row)
{
  DrawingTag tag = { DRAWING_NO_DATES, .what = stats_table_owner (t, row, false), .index = row, .part = ROW };

  if (table_other_column (t) < 0)
    tag.other = stats_table_owner (t, row, true);
  for (uint32_t k = 0; k < t->n_columns; k++)
    if (t->columns[k].kind == STATS_CELL_DATE && !stats_cell_is_nothing (t, row, k)) {
      tag.from = tag.to = stats_cell (t, row, k)->whole;
      break;
    }
  return tag;
}

static bool
has_bars (const TableView *v, const StatsTable *t, uint32_t column)
{
  g_auto (GStrv) names = stats_list_split (v->bars);
  size_t n = strcspn (t->columns[column].name, "[");

  while (n > 0 && t->columns[column].name[n - 1] == ' ')
    n--;
  g_autofree char *name = g_strndup (t->columns[column].name, n);
  return t->columns[column].kind == STATS_CELL_REAL && stats_names_have (names, name);
}

/* Of 100, behind the number. */
static void
table_view_draw_bar (Drawing *d, Paint *p, const Columns *columns, uint32_t column, double y, double percent)
{
  double width = columns->width[column];

  if (!(percent >= 0))
    return;
  drawing_rect (d, columns->x[column], y - LINE / 2 + 4, width, LINE - 8, p->grid, 1, NULL);
  drawing_rect (d, columns->x[column], y - LINE / 2 + 4, width * fmin (percent, 100) / 100, LINE - 8, DRAWING_ACCENT,
                0.45, NULL);
}

/* What the one of a row does; NULL: nobody knows. */
static const StateValue *
table_view_state_of (const Paint *p, const StatsTable *t, const Columns *columns, uint32_t row)
{
  const StateModel *m = columns->state >= 0 ? p->scene->graph->model : NULL;
  const char *name = m != NULL ? stats_cell (t, row, (uint32_t) columns->state)->text : NULL;
  int attribute = m != NULL ? state_with_role (m, STATE_NODE, STATE_ROLE_STATE) : -1;

  for (uint32_t i = 0; name != NULL && attribute >= 0 && i < m->attributes[attribute].n_values; i++)
    if (strcmp (state_value (m, attribute, i)->name, name) == 0)
      return state_value (m, attribute, i);
  return NULL;
}

/* The colour of a state before its name, and what else of a row hangs on it. */
typedef struct Look {
  const StateValue *state; /* or NULL */
  uint32_t colour;
  bool gone; /* it is no more: all of it is pale, and its name has the colour of how it ended */
} Look;

static Look
table_view_look_of (const Paint *p, const StatsTable *t, const Columns *columns, uint32_t row)
{
  Look l = { .state = table_view_state_of (p, t, columns, row) };

  if (l.state == NULL)
    return l;
  l.gone = l.state->sense == STATE_SENSE_GONE;
  l.colour = view_state_colour (p->scene->colours, STATE_NODE, paint_state_attribute (p->scene->graph, STATE_NODE),
                                l.state, p->scene->dark);
  return l;
}

/* A name in the colour of how its task ended, which is near the paper's where that is dark. */
static uint32_t
ended_ink (const Paint *p, uint32_t colour)
{
  return p->scene->dark ? paint_mix (colour, p->ink, 0.5) : colour;
}

static void
table_view_draw_chip (Drawing *d, const ViewScene *scene, double x, double y, const Look *l)
{
  drawing_disc (d, x + 5, y, 4.5, l->colour, 1, NULL);
  drawing_colour (d, x, y - LINE / 2 + 2, CHIP, LINE - 4,
                  g_intern_string (paint_state_attribute (scene->graph, STATE_NODE)), g_intern_string (l->state->name));
}

/* Who is named in a cell is what one points at there. */
static void
mark_other (Drawing *d, const StatsTable *t, const Columns *columns, uint32_t row, double y)
{
  int32_t column = table_other_column (t);
  DrawingTag tag = { DRAWING_NO_DATES, .what = column >= 0 ? stats_table_owner (t, row, true) : (TraceRef){ 0 },
                     .index = row, .part = OTHER };

  if (column < 0 || columns->width[column] <= 0 || tag.what.type == TRACE_REF_NONE)
    return;
  drawing_area (d, columns->x[column] - columns->pad, y - LINE / 2, columns->width[column] + 2 * columns->pad, LINE,
                &tag);
}

/* A number of somebody can be shown over time. */
static void
mark_cell (Drawing *d, const ViewScene *scene, const StatsTable *t, const Columns *columns, uint32_t row,
           uint32_t column, double y)
{
  DrawingTag tag = table_view_tag_of (t, row);
  StateScope scope = tag.what.type == TRACE_REF_LINK ? STATE_EDGE : STATE_NODE;

  if (!table_view_is_number (t, column) || tag.what.type == TRACE_REF_NONE || stats_cell_is_nothing (t, row, column)
      || scene->graph == NULL || state_attribute (scene->graph->model, scope, t->columns[column].name) < 0)
    return;
  tag.part = CELL;
  tag.attribute = g_intern_string (t->columns[column].name);
  drawing_area (d, columns->x[column] - columns->pad, y - LINE / 2, columns->width[column] + 2 * columns->pad, LINE,
                &tag);
}

static void
table_view_draw_row (const TableView *v, Drawing *d, Paint *p, const StatsTable *t, const Columns *columns,
                     uint32_t row, uint32_t i)
{
  double y = table_view_top_of (p->scene) + LINE * (i + 1.5) + 2, width = p->scene->width_px;
  DrawingTag tag = table_view_tag_of (t, row);
  bool chosen = table_folded_stands_out (&v->folded, v->held.thing, p->scene, &tag);
  Look look = table_view_look_of (p, t, columns, row);

  if (chosen)
    drawing_band (d, 6, y - LINE / 2, width - 12, LINE);
  else if (i % 2 == 1)
    drawing_rect (d, 6, y - LINE / 2, width - 12, LINE, p->grid, 0.35, NULL);
  for (uint32_t k = 0; k < t->n_columns; k++) {
    if (columns->width[k] <= 0)
      continue;
    bool number = table_view_is_number (t, k);
    g_autofree char *text = cell_text (v, t, row, k, p->scene);
    if (has_bars (v, t, k))
      table_view_draw_bar (d, p, columns, k, y, stats_cell (t, row, k)->real);
    bool leads = t->columns[k].words == STATS_OTHER && stats_table_owner (t, row, true).type != TRACE_REF_NONE;
    uint32_t ink = stats_cell_is_nothing (t, row, k) ? p->faint
                   : leads                           ? DRAWING_ACCENT
                   : k == 0 && look.gone             ? ended_ink (p, look.colour)
                   : look.gone                       ? p->muted
                                                     : p->ink;
    double chip = look.state != NULL && (int32_t) k == columns->state ? CHIP : 0;
    if (chip > 0)
      table_view_draw_chip (d, p->scene, columns->x[k], y, &look);
    paint_text (p, number ? columns->x[k] + columns->width[k] : columns->x[k] + chip, y, number ? 1 : 0,
                (chosen && !number ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT) | (k == 0 ? PAINT_NAME : 0), ink,
                columns->width[k] - chip + (chosen && !number ? columns->pad : 0), text);
  }
  drawing_area (d, 12, y - LINE / 2, width - 24, LINE, &tag);
  for (uint32_t k = 1; k < t->n_columns; k++)
    if (columns->width[k] > 0)
      mark_cell (d, p->scene, t, columns, row, k, y);
  mark_other (d, t, columns, row, y);
}

/* Whether a column in sight has no number in any row: what its dashes mean is said. */
static bool
table_view_untold (const StatsTable *t, const Columns *columns)
{
  for (uint32_t k = 0; k < t->n_columns; k++) {
    uint32_t row = 0;
    while (row < t->n_rows && stats_cell_is_nothing (t, row, k))
      row++;
    if (columns->width[k] > 0 && table_view_is_number (t, k) && row > 0 && row == t->n_rows)
      return true;
  }
  return false;
}

static bool
table_view_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  TableView *v = (TableView *) c;
  const StatsTable *t = table_view_folded (v, scene);
  Paint *p = drawing_begin (d);

  if (t == NULL || t->n_columns == 0) {
    chart_title (p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (p, t == NULL
                           ? chart_when (scene, N_ ("No table has come yet: End shows that of the whole execution"),
                                         N_ ("No table has come in the whole execution"))
                           : N_ ("The table is empty"));
    return true;
  }
  Shown s = table_view_choose (v, p, t);
  g_autofree char *count = s.n == t->n_rows
                               ? paint_told (P_ ("%u row", "%u rows", s.n), s.n)
                               : paint_told (_ ("rows %u to %u of %u"), s.first + 1, s.first + s.n, t->n_rows);
  g_autofree char *all = s.columns.n < t->n_columns
                             ? paint_told (_ ("%s · %u of %u columns"), count, s.columns.n, t->n_columns)
                             : g_strdup (count);
  const char *alone = v->folded.fold != NULL ? _ ("groups: sums of whole numbers, means of others, least to most")
                      : t->n_rows > 1 && stats_table_owner (t, 0, false).type == TRACE_REF_TASK ? paint_alone (scene)
                                                                                                : NULL;
  g_autofree char *told = g_strconcat (all, table_view_untold (t, &s.columns) ? _ ("; –: not told") : "", NULL),
                  *more = paint_joined (told, alone);
  ViewScene beside = *scene; /* what leads to further columns stands behind the title: heads need their line */
  beside.width_px -= hidden (&s.columns, t->n_columns, FORTH) > 0 ? MORE + 6 : 0;
  p->scene = &beside;
  if (!is_low (scene))
    chart_thing_title (p, c, v->title, t->title, t->date, more);
  p->scene = scene;
  for (uint32_t i = 0; i < s.n; i++) /* before the heads: what is stepped to begins at the first of them */
    table_view_draw_row (v, d, p, t, &s.columns, s.rows[s.first + i], i);
  table_view_draw_heads (v, d, p, t, &s.columns);
  draw_place (d, p, t, &s);
  if (t->n_rows == 0) { /* below the heads, however little is high */
    const char *none = chart_when (scene, N_ ("No row until this instant: End shows those of the whole execution"),
                                   N_ ("No row in the whole execution"));
    paint_text (p, scene->width_px / 2, MAX (scene->height_px / 2, table_view_top_of (scene) + 1.5 * LINE), 0.5,
                PAINT_TITLE, p->muted, scene->width_px - 40, in_words (none));
  }
  shown_clear (&s);
  return true;
}

static void
say_cell (const TableView *v, const StatsTable *t, const DrawingMark *m, const ViewScene *scene, GString *name)
{
  for (uint32_t k = 1; k < t->n_columns; k++) {
    if (strcmp (t->columns[k].name, m->tag.attribute) != 0)
      continue;
    g_autofree char *text = cell_text (v, t, m->tag.index, k, scene), *who = cell_text (v, t, m->tag.index, 0, scene);
    g_string_append_printf (name, _ ("%s of %s: %s"), chart_head (&t->columns[k]), who, text);
    break;
  }
}

static void
table_view_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  TableView *v = (TableView *) c;
  const StatsTable *t = table_view_folded (v, scene);

  if (t != NULL && (m->tag.part == FORTH || m->tag.part == BACK)) {
    g_string_append_printf (name, P_ ("%u more column", "%u more columns", m->tag.index), m->tag.index);
    return;
  }
  if (t == NULL || m->tag.index >= (m->tag.part == HEAD ? t->n_columns : t->n_rows))
    return;
  if (m->tag.part == HEAD) {
    g_string_append_printf (name, _ ("column %s"), chart_head (&t->columns[m->tag.index]));
    return;
  }
  if (m->tag.part == CELL) {
    say_cell (v, t, m, scene, name);
    return;
  }
  if (m->tag.part == OTHER) {
    trace_ref_name (stats_table_owner (t, m->tag.index, false), false, name);
    g_string_append_printf (name, ", %s ", chart_head (&t->columns[table_other_column (t)]));
    trace_ref_name (m->tag.what, false, name);
    return;
  }
  for (uint32_t k = 0; k < t->n_columns; k++) {
    g_autofree char *text = cell_text (v, t, m->tag.index, k, scene);
    g_string_append_printf (name, "%s%s %s", k > 0 ? ", " : "", chart_head (&t->columns[k]), text);
  }
}

/* The tasks of a group. */
static void
table_view_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  TableView *v = (TableView *) c;
  const StatsTable *t = table_view_folded (v, scene);

  if (t == NULL || m->tag.part != ROW || m->tag.index >= t->n_rows || !table_folded_is_group (&v->folded, m->tag.index))
    return;
  table_folded_owners (&v->folded, v->held.thing, m->tag.index, to);
}

/* A heading sorts by its column, first the largest of numbers; again: the other way round.  "More" scrolls. */
static const char *
table_view_open_mark (EveComponent *c, const ViewScene *scene, const DrawingMark *m, char **value)
{
  TableView *v = (TableView *) c;
  const StatsTable *t = table_view_folded (v, scene);
  Paint p;

  if (t == NULL || m->tag.part == ROW || m->tag.part == CELL || m->tag.part == OTHER
      || (m->tag.part == HEAD && m->tag.index >= t->n_columns))
    return NULL;
  if (m->tag.part == HEAD) {
    bool again = sort_column (v, t) == (int32_t) m->tag.index;
    *value = g_strdup (!again ? t->columns[m->tag.index].name : v->descending ? "false" : "true");
    return again ? "descending" : "sort by";
  }
  paint_measure (&p, scene);
  Shown s = table_view_choose (v, &p, t);
  uint32_t n = MAX (s.columns.end - s.columns.first, 1), first = s.columns.first - s.columns.names + s.columns.turned;
  *value = g_strdup_printf ("%u", m->tag.part == FORTH ? first + n : first > n ? first - n : 0);
  shown_clear (&s);
  paint_end (&p);
  return "first column";
}

static uint32_t
table_view_depends (EveComponent *c, const ViewScene *scene)
{
  return chart_depends (c, scene) | VIEW_ON_RANGE; /* which rows are seen */
}

static const View view = { .title = "Table",
                           .spans = VIEW_OF_INSTANT,
                           .build = table_view_build,
                           .say = table_view_say,
                           .owners = table_view_owners,
                           .depends = table_view_depends,
                           .rows = table_view_rows,
                           .open = table_view_open_mark,
                           .csv = chart_thing_csv };

VIEW_QUERY (table_view_query, view)

static const EveClass table_view = {
  VIEW_CLASS (TableView),     .id = "scope.table-view",
  .label = "Table view",      .doc = "A table, sorted by any column.",
  .init = chart_thing_init,   .finish = table_view_finish,
  .reset = chart_thing_reset, .save = chart_thing_save,
  .load = chart_thing_load,   .query = table_view_query,
};
EVE_PLUGIN (&table_view);
