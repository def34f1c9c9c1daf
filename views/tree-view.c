/* SPDX-License-Identifier: Apache-2.0 */
/* tree-view.c - a tree with amounts: calls inside of calls, say.  As boxes on boxes (a flame graph, an icicle), rings,
 * nested rectangles, or as rows that can be opened. */
#include "views/tree-view.h"
#include "eve/number.h"
#include "eve/words.h"
#include <math.h>
#include <stddef.h>
#include "statistics/list.h"

static const char *const ways[] = { "icicle", "flame graph", "sunburst", "treemap", "table", NULL };

static const EveInSpec ins[] = {
  { "table", &stats_type_table, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = chart_thing_data,
    .required = true, .present = true,
    .doc = "Tables that tell in a column `depth` how deep a row is inside of those above it; the last is shown." },
};
enum { AS, AMOUNT, ROOT, SEARCH, LEVELS, TOGGLED, SORT, ASCENDING, FIRST, TITLE };
static const EveField settings[] = {
  [AS] = { "as", EVE_F_CHOICE, offsetof (TreeView, as), .choices = ways, .look = true,
           .doc = "Boxes below each other, above each other, in rings, inside of each other; or rows." },
  [AMOUNT] = { "amount", EVE_F_STRING, offsetof (TreeView, amount), .look = true,
               .doc = "Column that says how large a box is; empty: the first with amounts." },
  [ROOT] = { "root", EVE_F_STRING, offsetof (TreeView, root), .look = true,
             .doc = "Only what is inside of this path, `main;solve`; empty: all.  A double click on a box sets it." },
  [SEARCH] = { "search", EVE_F_STRING, offsetof (TreeView, search), .look = true,
               .doc = "What has this in its name stands out, and its share is told." },
  [LEVELS] = { "levels", EVE_F_INT64, offsetof (TreeView, levels), .min = 1, .max = 1e6, .def = 4, .look = true,
               .doc = "Of rows: so many levels are open at first." },
  [TOGGLED] = { "toggled", EVE_F_STRING, offsetof (TreeView, toggled), .look = true,
                .doc = "Paths that are open though deeper, or closed, with commas between; a double click sets it." },
  [SORT] = { "sort by", EVE_F_STRING, offsetof (TreeView, sort), .look = true,
             .doc = "Of rows: name of a column, by which those beside each other are sorted; empty: as they come." },
  [ASCENDING] = { "ascending", EVE_F_BOOL, offsetof (TreeView, ascending), .look = true, .doc = "Least first." },
  [FIRST] = { "first row", EVE_F_INT64, offsetof (TreeView, first), .min = 0, .max = 1e9, .look = true,
              .doc = "How many rows are scrolled past." },
  [TITLE] = { "title", EVE_F_STRING, offsetof (TreeView, title), .look = true, .doc = "Empty: that of the table." },
};

/* ---- a table as a tree -------------------------------------------------------------------------------------------------- */

static uint32_t
column_called (const StatsTable *t, const char *name)
{
  for (uint32_t i = 0; i < t->n_columns; i++)
    if (g_ascii_strcasecmp (t->columns[i].name, name) == 0)
      return i;
  return TRACE_NONE;
}

static uint32_t
amount_column (const TreeView *v, const StatsTable *t, uint32_t depth)
{
  uint32_t chosen = *v->amount ? column_called (t, v->amount) : TRACE_NONE;

  if (chosen != TRACE_NONE && t->columns[chosen].kind != STATS_CELL_TEXT)
    return chosen;
  for (uint32_t i = 0; i < t->n_columns; i++)
    if (i != depth && (t->columns[i].kind == STATS_CELL_REAL || t->columns[i].kind == STATS_CELL_WHOLE))
      return i;
  return TRACE_NONE;
}

static double
tree_view_amount_of (const Tree *tree, uint32_t row)
{
  const StatsCell *cell = stats_cell (tree->t, row, tree->amount);
  double x = tree->t->columns[tree->amount].kind == STATS_CELL_REAL ? cell->real
             : cell->whole == INT64_MIN                             ? 0
                                                                    : (double) cell->whole;

  return isfinite (x) && x > 0 ? x : 0;
}

const char *
tree_name (const Tree *tree, uint32_t row)
{
  const char *name = stats_cell (tree->t, row, tree->name)->text;

  return name != NULL ? name : "?";
}

char *
tree_path (const Tree *tree, uint32_t row)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GString *path = g_string_new (NULL);

  for (; row != TRACE_NONE; row = tree->parent[row])
    g_ptr_array_add (names, (gpointer) tree_name (tree, row));
  for (guint i = names->len; i-- > 0;) {
    for (const char *c = names->pdata[i]; *c; c++) {
      if (*c == ';' || *c == '\\')
        g_string_append_c (path, '\\');
      g_string_append_c (path, *c);
    }
    g_string_append (path, i > 0 ? ";" : "");
  }
  return g_string_free (path, FALSE);
}

/* How much of a path, from `at` on, a name is; NULL: it is another. */
static const char *
past_name (const char *at, const char *name)
{
  for (; *name; name++, at++) {
    if (*at == '\\' && (*name == ';' || *name == '\\'))
      at++;
    if (*at != *name)
      return NULL;
  }
  return *at == '\0' || *at == ';' ? at : NULL;
}

/* The row of a path; where its end is not there at this instant, the last that is. */
static uint32_t
find_root (const Tree *tree, const char *path)
{
  uint32_t row = 0, end = tree->t->n_rows, found = TRACE_NONE;

  while (*path && row < end) {
    const char *rest = past_name (path, tree_name (tree, row));
    if (rest == NULL) {
      row = tree->end[row];
      continue;
    }
    found = row;
    end = tree->end[row++];
    path = *rest ? rest + 1 : rest;
  }
  return found;
}

/* A row that says to be deeper than inside of the one above it is inside of that. */
static void
read_depths (Tree *tree)
{
  uint32_t n = tree->t->n_rows;
  g_autofree uint32_t *depth = g_new (uint32_t, n);

  for (uint32_t i = 0; i < n; i++) {
    int64_t says = stats_cell (tree->t, i, tree->depth)->whole;
    depth[i] = i == 0 ? 0 : (uint32_t) CLAMP (says, 0, (int64_t) depth[i - 1] + 1);
    uint32_t above = i > 0 ? i - 1 : TRACE_NONE;
    while (above != TRACE_NONE && depth[above] >= depth[i])
      above = tree->parent[above];
    tree->parent[i] = above;
    tree->end[i] = i + 1;
  }
  for (uint32_t i = n; i-- > 0;)
    if (tree->parent[i] != TRACE_NONE)
      tree->end[tree->parent[i]] = MAX (tree->end[tree->parent[i]], tree->end[i]);
}

static void
read_amounts (Tree *tree)
{
  uint32_t n = tree->t->n_rows;
  g_autofree double *inside = g_new0 (double, n);

  for (uint32_t i = n; i-- > 0;) {
    tree->share[i] = MAX (tree_view_amount_of (tree, i), inside[i]);
    if (tree->parent[i] != TRACE_NONE)
      inside[tree->parent[i]] += tree->share[i];
  }
  if (tree->root != TRACE_NONE)
    tree->all = tree->share[tree->root];
  for (uint32_t i = 0; tree->root == TRACE_NONE && i < n; i = tree->end[i])
    tree->all += tree->share[i];
  for (uint32_t i = 0; i < n && tree->all > 0; i++)
    tree->share[i] /= tree->all;
}

static void
tree_view_search (Tree *tree, const char *text)
{
  g_autofree char *wanted = g_utf8_casefold (text, -1);
  uint32_t until = 0; /* inside of one that was found */

  tree->hit = g_new0 (bool, tree->t->n_rows);
  for (uint32_t i = tree_first (tree); i < tree_last (tree); i++) {
    g_autofree char *name = g_utf8_casefold (tree_name (tree, i), -1);
    tree->hit[i] = strstr (name, wanted) != NULL;
    tree->n_found += tree->hit[i];
    if (tree->hit[i] && i >= until) {
      tree->found += tree->share[i];
      until = tree->end[i];
    }
  }
}

/* ---- what rules say of rows --------------------------------------------------------------------------------------------- */

#define KEY_PX 18.0
#define REGION_LOOKS                                                                                                   \
  (1u << LOOK_COLOUR | 1u << LOOK_PATTERN | 1u << LOOK_WIDTH | 1u << LOOK_DASH | 1u << LOOK_OPACITY | 1u << LOOK_LABEL \
   | 1u << LOOK_ORDER | 1u << LOOK_HIDDEN)

typedef struct Asked {
  const Tree *tree;
  const ViewScene *scene;
  uint32_t row;
} Asked;

/* Any column of the table, and the name and share. */
static bool
row_has (void *asked, const char *attribute, GString *text, double *number)
{
  const Asked *a = asked;
  const StatsTable *t = a->tree->t;
  uint32_t column = column_called (t, attribute);
  bool name = g_ascii_strcasecmp (attribute, "name") == 0, share = g_ascii_strcasecmp (attribute, "share") == 0;

  if (share)
    *number = 100 * a->tree->share[a->row];
  else if (column == TRACE_NONE && !name)
    return false;
  else if (name || t->columns[column].kind == STATS_CELL_TEXT)
    g_string_append (text, name ? tree_name (a->tree, a->row) : stats_cell (t, a->row, column)->text);
  else
    *number = t->columns[column].kind == STATS_CELL_REAL           ? stats_cell (t, a->row, column)->real
              : stats_cell (t, a->row, column)->whole == INT64_MIN ? NAN
                                                                   : (double) stats_cell (t, a->row, column)->whole;
  if (!name && !share && t->columns[column].kind == STATS_CELL_DATE && a->scene->source != NULL)
    *number /= (double) a->scene->source->clock.ticks_per_second;
  if (!isnan (*number))
    g_string_append_printf (text, "%.15g", *number);
  return true;
}

void
tree_look (const Tree *tree, const ViewScene *scene, uint32_t row, Look *to)
{
  looks_of_values (&tree->rules, row_has, &(Asked){ tree, scene, row }, to);
}

const char *
tree_called (const Tree *tree, const ViewScene *scene, uint32_t row, Look *look)
{
  *look = (Look){ 0 };
  if (tree->ruled && tree->rules.channels >> LOOK_LABEL & 1)
    tree_look (tree, scene, row, look);
  if (*look->label != '\0')
    return look->label;
  bool is_of_all = stats_cell (tree->t, row, tree->depth)->whole == 0 /* "all tasks" is no name of the trace */
                   && stats_table_owner (tree->t, row, false).type == TRACE_REF_NONE;
  return is_of_all ? in_words (tree_name (tree, row)) : tree_name (tree, row);
}

typedef struct Sibling {
  uint32_t row;
  Look look;
} Sibling;

static int
tree_view_by_order (gconstpointer a, gconstpointer b, gpointer rules)
{
  const Sibling *x = a, *y = b;
  int before = looks_compare (rules, &x->look, &y->look);

  return before != 0 ? before : (x->row > y->row) - (x->row < y->row);
}

/* Of the rows from `row` to `end` that are beside each other. */
static void
put_in_order (Tree *tree, const ViewScene *scene, uint32_t row, uint32_t end)
{
  g_autoptr (GArray) beside = g_array_new (FALSE, FALSE, sizeof (Sibling));
  double sum = 0;

  for (; row < end; row = tree->end[row]) {
    Sibling one = { .row = row };
    tree_look (tree, scene, row, &one.look);
    g_array_append_val (beside, one);
  }
  g_array_sort_with_data (beside, tree_view_by_order, &tree->rules);
  for (guint i = 0; i < beside->len; i++) {
    uint32_t at = g_array_index (beside, Sibling, i).row;
    tree->before[at] = sum;
    sum += tree->share[at];
  }
}

static void
tree_view_look_up (Tree *tree, const ViewScene *scene)
{
  uint32_t first = tree_first (tree), last = tree_last (tree);
  Look look;

  if (tree->rules.channels >> LOOK_HIDDEN & 1) {
    tree->hidden = g_new0 (bool, tree->t->n_rows);
    for (uint32_t i = first; i < last;) {
      uint32_t end = i + 1;
      tree_look (tree, scene, i, &look);
      if (look.hidden && i != tree->root)
        for (end = tree->end[i], tree->n_hidden += end - i; i < end; i++)
          tree->hidden[i] = true;
      i = end;
    }
  }
  if ((tree->rules.channels >> LOOK_ORDER & 1) == 0)
    return;
  tree->before = g_new0 (double, tree->t->n_rows);
  if (tree->root == TRACE_NONE)
    put_in_order (tree, scene, first, last);
  for (uint32_t i = first; i < last; i++)
    put_in_order (tree, scene, i + 1, tree->end[i]);
}

bool
tree_read (Tree *tree, const TreeView *v, const ViewScene *scene)
{
  const StatsTable *t = v->held.thing;

  *tree = (Tree){ .t = t, .root = TRACE_NONE };
  tree->depth = column_called (t, "depth");
  tree->name = 0;
  while (tree->name < t->n_columns && t->columns[tree->name].kind != STATS_CELL_TEXT)
    tree->name++;
  if (tree->depth == TRACE_NONE || t->columns[tree->depth].kind != STATS_CELL_WHOLE || tree->name == t->n_columns
      || t->n_rows == 0 || (tree->amount = amount_column (v, t, tree->depth)) == TRACE_NONE)
    return false;
  tree->parent = g_new (uint32_t, t->n_rows);
  tree->end = g_new (uint32_t, t->n_rows);
  tree->share = g_new (double, t->n_rows);
  read_depths (tree);
  tree->root = find_root (tree, v->root);
  read_amounts (tree);
  if (*v->search)
    tree_view_search (tree, v->search);
  int state = scene->graph != NULL ? state_with_role (scene->graph->model, STATE_NODE, STATE_ROLE_STATE) : -1;
  tree->states = g_hash_table_new (g_str_hash, g_str_equal);
  tree->ruled = looks_begin (&tree->rules, scene, eve_name ((EveComponent *) v), LOOK_REGION, REGION_LOOKS);
  tree->key_px = tree->ruled ? KEY_PX : 0;
  for (uint32_t i = 0; state >= 0 && i < scene->graph->model->attributes[state].n_values; i++)
    g_hash_table_insert (tree->states, (gpointer) scene->graph->model->attributes[state].values[i].name,
                         GUINT_TO_POINTER (i + 1));
  if (tree->ruled)
    tree_view_look_up (tree, scene);
  return true;
}

void
tree_clear (Tree *tree)
{
  g_free (tree->parent);
  g_free (tree->end);
  g_free (tree->share);
  g_free (tree->hit);
  g_free (tree->hidden);
  g_free (tree->before);
  g_clear_pointer (&tree->states, g_hash_table_unref);
}

/* ---- what a row is -------------------------------------------------------------------------------------------------------- */

/* It has the colour that it has in charts. */
static bool
tree_view_is_thing (const Paint *p, TraceRef r)
{
  const TraceSource *s = p->scene->source;

  return s != NULL && r.type == TRACE_REF_TASK && r.source == s->number && trace_is_thing (s, r.id);
}

/* That of the state of its name, as in the timelines; what has none is of no colour. */
uint32_t
tree_colour (const Tree *tree, const Paint *p, uint32_t row)
{
  TraceRef owner = stats_table_owner (tree->t, row, false);
  const char *attribute = NULL, *name = trace_ref_named_by (owner, &attribute);
  guint state = attribute != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (tree->states, name)) : 0;
  Look look = { 0 };
  bool dropped = false;
  uint32_t chosen;
  if (tree->ruled && tree->rules.channels >> LOOK_COLOUR & 1)
    tree_look (tree, p->scene, row, &look);
  if (LOOK_HAS (&look, LOOK_COLOUR) && attribute != NULL) /* a colour that was dropped on it goes before all rules */
    dropped = view_chosen_colour (p->scene->colours, attribute, name, p->scene->dark, &chosen);
  uint32_t rgb = LOOK_HAS (&look, LOOK_COLOUR) && !dropped ? look.rgb
                 : state > 0                               ? paint_state (p->scene, STATE_NODE, state - 1)
                 : attribute != NULL             ? view_colour (p->scene->colours, attribute, name, p->scene->dark)
                 : tree_view_is_thing (p, owner) ? chart_colour_of (p->scene, owner, "", row, 2)
                                                 : p->faint;

  return tree->hit != NULL && !tree->hit[row] ? paint_mix (rgb, p->paper, 0.78) : rgb;
}

void
tree_fill (const Tree *tree, Drawing *d, Paint *p, uint32_t row, double x, double y, double width, double height,
           const DrawingTag *tag)
{
  uint32_t rgb = tree_colour (tree, p, row);
  Look look = { .opacity = 1 };

  if (tree->ruled)
    tree_look (tree, p->scene, row, &look);
  drawing_rect (d, x, y, width, height, rgb, LOOK_HAS (&look, LOOK_OPACITY) ? look.opacity : 1, tag);
  looks_over_box (p, &look, x, y, width, height, paint_ink_on (rgb));
}

DrawingTag
tree_tag (const Tree *tree, uint32_t row)
{
  const char *attribute = NULL;
  TraceRef what = stats_table_owner (tree->t, row, false);
  const char *value = trace_ref_named_by (what, &attribute);

  return (DrawingTag){ DRAWING_NO_DATES,
                       .what = what,
                       .other = stats_table_owner (tree->t, row, true),
                       .attribute = attribute != NULL ? g_intern_string (attribute) : NULL,
                       .value = attribute != NULL ? g_intern_string (value) : NULL,
                       .index = row,
                       .part = TREE_BOX };
}

bool
tree_is_selected (const Tree *tree, const ViewScene *scene, uint32_t row)
{
  return view_selects (scene, stats_table_owner (tree->t, row, false))
         || view_selects (scene, stats_table_owner (tree->t, row, true));
}

char *
tree_cell (const Tree *tree, const ViewScene *scene, uint32_t row, uint32_t column)
{
  const StatsTable *t = tree->t;
  const StatsCell *cell = stats_cell (t, row, column);
  const StatsColumn *c = &t->columns[column];

  if (c->kind == STATS_CELL_TEXT)
    return g_strdup (cell->text == NULL ? "–" : chart_word (c, scene->graph, cell->text));
  if (c->kind == STATS_CELL_REAL)
    return chart_number (cell->real, c->unit);
  if (cell->whole == INT64_MIN)
    return g_strdup ("–");
  if (c->kind == STATS_CELL_DATE && scene->source != NULL)
    return axis_date (&scene->source->clock, cell->whole, 6);
  return chart_number ((double) cell->whole, c->unit);
}

/* ---- the picture ---------------------------------------------------------------------------------------------------------- */

static char *
first_line (const Tree *tree, const char *left_out)
{
  GString *line = g_string_new (NULL);
  g_autofree char *all = chart_number (tree->all, tree->t->columns[tree->amount].unit);

  g_autofree char *found = number_percent (100 * tree->found, 1);

  if (tree->hit != NULL)
    paint_tell (line, _ ("%u found, %s · "), tree->n_found, found);
  if (left_out != NULL)
    g_string_append_printf (line, "%s · ", left_out);
  if (tree->n_hidden > 0)
    paint_tell (line, _ ("%u hidden by a rule · "), tree->n_hidden);
  paint_tell (line, P_ ("%s %s · %u row", "%s %s · %u rows", tree_last (tree) - tree_first (tree)),
              chart_head (&tree->t->columns[tree->amount]), all, tree_last (tree) - tree_first (tree));
  return g_string_free (line, FALSE);
}

static bool
tree_view_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  const TreeView *v = (TreeView *) c;
  const StatsTable *t = v->held.thing;
  Paint *p = drawing_begin (d);
  Tree tree;

  if (t == NULL || t->n_rows == 0 || !tree_read (&tree, v, scene)) {
    chart_title (p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (p, t == NULL
                           ? chart_when (scene, N_ ("No tree has come yet: End shows that of the whole execution"),
                                         N_ ("No tree has come in the whole execution"))
                       : t->n_rows == 0 ? N_ ("No task has been inside of anything until this instant")
                                        : N_ ("This table is no tree: it has no column `depth`"));
    return true;
  }
  if (tree.all <= 0 && v->as != TREE_ROWS) { /* boxes would have no size */
    chart_thing_title (p, c, v->title, t->title, t->date, NULL);
    paint_sentence (p, chart_when (p->scene, N_ ("Nothing in it has a size yet: go on in time"),
                                   N_ ("Nothing in it has a size in the whole execution")));
    tree_clear (&tree);
    return true;
  }
  char *(*const draw[]) (const TreeView *, const Tree *, Drawing *, Paint *) = {
    tree_draw_icicle, tree_draw_icicle, tree_draw_sunburst, tree_draw_treemap, tree_draw_rows,
  };
  g_autofree char *left_out = draw[v->as](v, &tree, d, p), *line = first_line (&tree, left_out);
  if (tree.ruled)
    looks_legend (&tree.rules, p, 12, scene->height_px - KEY_PX / 2 - 2, ~0u);
  chart_thing_title (p, c, v->title, t->title, t->date, line);
  tree_clear (&tree);
  return true;
}

static char *
sentence_case (const char *words)
{
  char first[8] = "";

  g_unichar_to_utf8 (g_unichar_toupper (g_utf8_get_char (words)), first);
  return g_strconcat (first, g_utf8_next_char (words), NULL);
}

static void
tree_view_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const TreeView *v = (TreeView *) c;
  const StatsTable *t = v->held.thing;
  Tree tree;

  if (t == NULL || m->tag.index >= (m->tag.part == TREE_HEAD ? t->n_columns : t->n_rows)
      || !tree_read (&tree, v, scene))
    return;
  uint32_t row = m->tag.index;
  if (m->tag.part == TREE_HEAD) {
    g_string_append_printf (name, _ ("column %s"), chart_head (&t->columns[row]));
  } else if (facts == NULL) {
    g_string_append (name, tree_name (&tree, row));
    for (uint32_t k = 0; k < t->n_columns; k++) {
      g_autofree char *text = tree_cell (&tree, scene, row, k);
      if (k != tree.name && k != tree.depth)
        g_string_append_printf (name, ", %s %s", chart_head (&t->columns[k]), text);
    }
  } else {
    g_autofree char *share = chart_number (100 * tree.share[row], "%"), *path = tree_path (&tree, row);
    g_string_append_printf (name, "%s · %s", tree_name (&tree, row), share);
    for (uint32_t k = 0; k < t->n_columns; k++) {
      g_autofree char *text = tree_cell (&tree, scene, row, k);
      g_autofree char *head = sentence_case (chart_head (&t->columns[k]));
      if (k != tree.name && k != tree.depth)
        g_string_append_printf (facts, "%s\t%s\n", head, text);
    }
    g_string_append_printf (facts, _ ("Path\t%s\n"), path);
  }
  tree_clear (&tree);
}

/* ---- opening ---------------------------------------------------------------------------------------------------------------- */

/* What is open becomes closed, and the other way round. */
static char *
toggle (const TreeView *v, const char *path)
{
  g_auto (GStrv) names = stats_list_split (v->toggled);
  GString *list = g_string_new (NULL);

  for (char **n = names; *n; n++)
    if (!g_str_equal (*n, path))
      stats_list_add (list, *n);
  if (!stats_names_have (names, path))
    stats_list_add (list, path);
  return g_string_free (list, FALSE);
}

/* A box becomes the root; the root itself goes out of the way again.  A row opens and closes; a head sorts by it. */
static const char *
tree_view_open_mark (EveComponent *c, const ViewScene *scene, const DrawingMark *m, char **value)
{
  const TreeView *v = (TreeView *) c;
  const StatsTable *t = v->held.thing;
  const char *setting = NULL;
  Tree tree;

  if (t == NULL || m->tag.index >= (m->tag.part == TREE_HEAD ? t->n_columns : t->n_rows)
      || !tree_read (&tree, v, scene))
    return NULL;
  uint32_t row = m->tag.index;
  if (m->tag.part == TREE_HEAD) {
    bool again = g_ascii_strcasecmp (v->sort, t->columns[row].name) == 0;
    setting = again ? "ascending" : _ ("sort by");
    *value = g_strdup (again ? v->ascending ? "false" : "true" : t->columns[row].name);
  } else if (v->as == TREE_ROWS) {
    g_autofree char *path = tree_path (&tree, row);
    setting = tree.end[row] > row + 1 ? "toggled" : NULL;
    *value = setting != NULL ? toggle (v, path) : NULL;
  } else {
    uint32_t to = row == tree.root ? tree.parent[row] : row;
    setting = "root";
    *value = to != TRACE_NONE ? tree_path (&tree, to) : g_strdup ("");
  }
  tree_clear (&tree);
  return setting;
}

static const View view = { .title = "Tree",
                           .spans = VIEW_OF_INSTANT,
                           .build = tree_view_build,
                           .say = tree_view_say,
                           .depends = chart_depends,
                           .open = tree_view_open_mark,
                           .csv = chart_thing_csv };

VIEW_QUERY (tree_view_query, view)

static const EveClass tree_view = {
  VIEW_CLASS (TreeView),
  .id = "scope.tree",
  .label = "Tree",
  .doc = "A tree with amounts, calls inside of calls, say: as a flame graph, rings, rectangles, or rows to open.",
  .help =
      "Connect the output `tree` of a Call Tree, or any table with a column `depth`.  A box is as large as its amount, "
      "and what is inside of it stands below it (*icicle*), above it (*flame graph*), around it (*sunburst*) or in it "
      "(*treemap*); its colour is that of the state of its name, as in the timelines.  What is left free of a box is "
      "its own.  A double click on a box makes it the root, and on the root goes back.  As a *table* a double click "
      "opens and closes a row, and on a heading sorts by it.  Boxes that are too small are told in the first line.",
  CHART_THING_CLASS,
  .query = tree_view_query,
};
EVE_PLUGIN (&tree_view);
