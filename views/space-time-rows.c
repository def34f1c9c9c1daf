/* SPDX-License-Identifier: Apache-2.0 */
/* space-time-rows.c - which task stands where, and what its label says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "statistics/list.h"
#include "eve/words.h"
#include "views/associations.h"
#include "views/space-time.h"

#define HEADING 22  /* px */
#define BELOW 8     /* px, where an open group ends */
#define ROW_MIN 2.0 /* px; thinner rows are put together */
#define BAND 6.0    /* px, of rows of several tasks */

static const char *
space_time_rows_group_name (const SpaceTime *st, const TraceSource *s, uint32_t task)
{
  return st->group_by == GROUP_HOST      ? names_host (st->names, s, task)
         : st->group_by == GROUP_PROGRAM ? names_program (st->names, s, task)
                                         : names_group (st->names, s, task);
}

typedef struct Tasks {
  const Names *names;
  const TraceSource *source;
  uint32_t n;
} Tasks;

/* Ids and nicknames of all tasks. */
static void
space_time_rows_offer_names (void *arg, void (*add) (void *to, const char *name), void *to)
{
  const Tasks *t = arg;

  for (uint32_t i = 0; i < t->n; i++) {
    add (to, names_id (t->names, t->source, i));
    add (to, names_name (t->names, t->source, i));
  }
}

/* A list of ids or nicknames into marks 1, 2, ... by task. */
static void
space_time_rows_read_list (SpaceTime *st, const TraceSource *s, const char *list, uint32_t *mark, uint32_t n)
{
  if (*list == '\0')
    return;
  Tasks all = { st->names, s, n };
  g_autoptr (GHashTable) place = g_hash_table_new (g_str_hash, g_str_equal);
  g_auto (GStrv) names = stats_list_split (list);

  for (guint i = 0; names[i] != NULL; i++)
    if (!g_hash_table_contains (place, names[i]))
      g_hash_table_insert (place, names[i], GUINT_TO_POINTER (i + 1));
  if (states_reader_reach (st->read_states) >= s->last) /* the tasks of the whole execution are known */
    stats_tell_unknown ((EveComponent *) st, &st->told, "task", names, space_time_rows_offer_names, &all);
  for (uint32_t i = 0; i < n; i++) {
    mark[i] = GPOINTER_TO_UINT (g_hash_table_lookup (place, names_id (st->names, s, i)));
    if (mark[i] == 0)
      mark[i] = GPOINTER_TO_UINT (g_hash_table_lookup (place, names_name (st->names, s, i)));
  }
}

typedef struct Sorter {
  const SpaceTime *st;
  const TraceSource *source;
  uint32_t *group, *place; /* by task */
  Looks rules;
  Look *looks; /* by task; NULL: no rule is asked */
  Looks together;
  Look *part_looks; /* by part of the groups, the same */
} Sorter;

static int
space_time_rows_by_place (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorter *s = data;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  if (s->group[x] != s->group[y])
    return s->group[x] < s->group[y] ? -1 : 1;
  if (s->place[x] != s->place[y])
    return s->place[x] < s->place[y] ? -1 : 1;
  int before = s->looks != NULL ? looks_compare (&s->rules, &s->looks[x], &s->looks[y]) : 0;
  if (before != 0)
    return before;
  return (x > y) - (x < y);
}

/* Groups are numbered as their first task appears. */
static void
number_groups (Sorter *s, uint32_t n)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);

  for (uint32_t i = 0; i < n && s->st->group_by != GROUP_NONE; i++) {
    const char *name = space_time_rows_group_name (s->st, s->source, i);
    gpointer number = g_hash_table_lookup (numbers, name);
    if (number == NULL)
      g_hash_table_insert (numbers, (gpointer) name, number = GUINT_TO_POINTER (g_hash_table_size (numbers) + 1));
    s->group[i] = GPOINTER_TO_UINT (number);
  }
}

typedef struct Rest {
  const StateGraph *graph;
  bool ends; /* something else was met */
} Rest;

static bool
is_still_rest (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Rest *rest = arg;
  StateSense sense = paint_state_sense (rest->graph, STATE_NODE, state);

  rest->ends = (sense != STATE_SENSE_REST && sense != STATE_SENSE_GONE)
               || paint_state_is_given (rest->graph, STATE_NODE, state);
  return !rest->ends;
}

#define MOST_MESSAGES 200000 /* that are looked at one by one for who is in no state, but sends or receives */

typedef struct Talk {
  bool *rests; /* by task, n */
  uint32_t n, n_left;
} Talk;

static void
no_rest (Talk *t, uint32_t task)
{
  if (task < t->n && t->rests[task]) {
    t->rests[task] = false;
    t->n_left++;
  }
}

/* What takes no time is no message, but tells that two are linked, as cables are in simulations of networks. */
static bool
talks_by_message (void *arg, const StateMessage *m)
{
  if (m->sent != m->received) {
    no_rest (arg, m->from);
    no_rest (arg, m->to);
  }
  return true;
}

static void
talks_by_bundle (void *arg, const MessageBundle *b)
{
  if (b->sent != b->received) {
    no_rest (arg, b->from);
    no_rest (arg, b->to);
  }
}

/* Marks those that never do anything, unless that is all of them: machines that hold processes, cables. */
static void
hide_resting (SpaceTime *st, const ViewScene *scene, uint32_t *hidden, uint32_t n)
{
  g_autofree bool *rests = g_new0 (bool, n + 1);
  uint32_t n_left = 0;

  for (uint32_t i = 0; i < n; i++) {
    Rest rest = { .graph = scene->graph };
    if (i < states_reader_owners (st->read_states))
      states_reader_each (st->read_states, i, INT64_MIN, INT64_MAX, is_still_rest, &rest);
    rests[i] = !rest.ends;
    n_left += rest.ends;
  }
  Talk t = { rests, n, n_left };
  if (n_left < n && st->read_messages != NULL) {
    if (messages_reader_count (st->read_messages, INT64_MIN, INT64_MAX) <= MOST_MESSAGES)
      messages_reader_each (st->read_messages, INT64_MIN, INT64_MAX, talks_by_message, &t);
    else
      messages_reader_bundles (st->read_messages, INT64_MIN, INT64_MAX, INT64_MAX, talks_by_bundle, &t);
  }
  for (uint32_t i = 0; i < n && t.n_left > 0; i++)
    hidden[i] |= rests[i];
}

/* What rules say of who the tasks are. */
static void
space_time_rows_look_up (Rows *r, SpaceTime *st, const ViewScene *scene, Sorter *sorter, uint32_t *hidden)
{
  if (!looks_begin (&sorter->rules, scene, eve_name ((EveComponent *) st), LOOK_TASK, ROW_LOOKS))
    return;
  sorter->looks = g_new (Look, r->n_tasks + 1);
  for (uint32_t i = 0; i < r->n_tasks; i++) {
    Look *look = &sorter->looks[i];
    looks_of_task (&sorter->rules, scene, st->names, i, look);
    hidden[i] |= look->hidden;
    if (LOOK_HAS (look, LOOK_LABEL) && *look->label != '\0') {
      if (r->labels == NULL)
        r->labels = g_new0 (char *, r->n_tasks + 1);
      r->labels[i] = g_strdup (look->label);
    }
  }
}

/* What rules say of groups that are closed. */
static void
look_up_parts (Rows *r, SpaceTime *st, const ViewScene *scene, Sorter *sorter, uint32_t *hidden)
{
  const Groups *g = r->groups;

  if (!looks_begin (&sorter->together, scene, eve_name ((EveComponent *) st), LOOK_GROUP, ROW_LOOKS) || g == NULL)
    return;
  sorter->part_looks = g_new0 (Look, g->n_parts + 1);
  for (uint32_t part = 0; part < g->n_parts; part++) {
    const GroupPart *one = &g->parts[part];
    Look *look = &sorter->part_looks[part];
    look->order = NAN;
    if (one->group == TRACE_NONE)
      continue;
    looks_of_group (&sorter->together, scene,
                    &(LooksGroup){ .name = g->all[one->group].name,
                                   .hierarchy = g->hierarchy,
                                   .n_tasks = one->n,
                                   .tasks = g->order + one->first,
                                   .n = one->n,
                                   .names = st->names },
                    look);
    for (uint32_t k = 0; look->hidden && k < one->n; k++)
      if (g->order[one->first + k] < r->n_tasks)
        hidden[g->order[one->first + k]] = 1;
    if (LOOK_HAS (look, LOOK_LABEL) && *look->label != '\0') {
      if (r->part_labels == NULL)
        r->part_labels = g_new0 (char *, (r->n_part_labels = g->n_parts) + 1);
      r->part_labels[part] = g_strdup (look->label);
    }
  }
}

static int
parts_in_order (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorter *s = data;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  int before = looks_compare (&s->together, &s->part_looks[x], &s->part_looks[y]);

  return before != 0 ? before : (x > y) - (x < y);
}

/* The parts from top to bottom: closed groups beside each other in one open group as a rule says; g_free. */
static uint32_t *
order_parts (const Groups *g, Sorter *sorter)
{
  uint32_t *order = g_new (uint32_t, g->n_parts + 1), from = 0;

  for (uint32_t part = 0; part < g->n_parts; part++)
    order[part] = part;
  bool ordered = sorter->part_looks != NULL && sorter->together.channels >> LOOK_ORDER & 1;
  for (uint32_t part = 0; ordered && part <= g->n_parts; part++) {
    bool goes_on = part < g->n_parts && g->parts[part].group != TRACE_NONE
                   && (part == from || g->parts[part].inside == g->parts[from].inside);
    if (goes_on)
      continue;
    g_qsort_with_data (order + from, (gint) (part - from), sizeof *order, parts_in_order, sorter);
    from = part < g->n_parts && g->parts[part].group == TRACE_NONE ? part + 1 : part;
  }
  return order;
}

/* Tasks of one open group are one run, in the order that is wished for; a closed one stands where the hierarchy, or a
 * rule, has it. */
static void
number_parts (Rows *r, const Groups *g, Sorter *sorter)
{
  uint32_t run = 0, *group = sorter->group;
  g_autofree uint32_t *order = order_parts (g, sorter);

  for (uint32_t i = 0; i < r->n_tasks; i++) { /* those that are newer than the groups stand last, alone */
    group[i] = UINT32_MAX;
  }
  for (uint32_t k = 0; k < g->n_parts; k++) {
    const GroupPart *one = &g->parts[order[k]], *above = k > 0 ? &g->parts[order[k - 1]] : NULL;
    bool goes_on = above != NULL && one->group == TRACE_NONE && above->group == TRACE_NONE
                   && above->inside == one->inside;
    run += !goes_on;
    for (uint32_t i = 0; i < one->n; i++)
      if (g->order[one->first + i] < r->n_tasks)
        group[g->order[one->first + i]] = run;
  }
}

/* Closed groups become one unit, all other tasks one each. */
static void
make_units (Rows *r, const SpaceTime *st, const uint32_t *group, const uint32_t *pinned)
{
  const Groups *g = r->groups;

  for (uint32_t i = 0; i < r->n_all; i++) {
    uint32_t task = r->all[i], part = g != NULL && task < g->n_tasks ? g->part_of[task] : TRACE_NONE;
    Unit *last = r->units->len > 0 ? &g_array_index (r->units, Unit, r->units->len - 1) : NULL;
    bool closed = part != TRACE_NONE && g->parts[part].group != TRACE_NONE && pinned[task] == 0;
    if (closed && last != NULL && last->part == part) {
      last->n++;
      continue;
    }
    Unit unit = { i, 1, closed ? part : TRACE_NONE,
                  pinned[task] != 0    ? 0
                  : g == NULL          ? (st->group_by != GROUP_NONE ? group[task] : 0)
                  : part == TRACE_NONE ? 0
                                       : g->parts[part].inside + 1,
                  pinned[task] != 0 };
    g_array_append_val (r->units, unit);
  }
}

/* Those that are pinned stand above all others. */
static void
space_time_rows_pin (Sorter *sorter, const uint32_t *pinned, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    sorter->group[i] = pinned[i] != 0 ? 0 : MAX (sorter->group[i], 1);
    if (pinned[i] != 0)
      sorter->place[i] = pinned[i];
  }
}

/* `away` units that are not looked at go above those that are pinned, so that what is shown is one piece. */
static void
scroll_below (Rows *r, uint32_t n_pinned, uint32_t away)
{
  if (n_pinned == 0 || away == 0)
    return;
  uint32_t tasks = 0;
  g_autofree Unit *head = g_memdup2 (r->units->data, n_pinned * sizeof *head);
  g_autofree uint32_t *first = g_memdup2 (r->all, n_pinned * sizeof *first); /* one task each */
  for (uint32_t i = 0; i < away; i++) {
    Unit *to = &g_array_index (r->units, Unit, i);
    *to = g_array_index (r->units, Unit, i + n_pinned);
    to->first = tasks;
    tasks += to->n;
  }
  memmove (r->all, r->all + n_pinned, tasks * sizeof *r->all);
  memcpy (r->all + tasks, first, n_pinned * sizeof *first);
  for (uint32_t i = 0; i < n_pinned; i++) {
    head[i].first = tasks + i;
    g_array_index (r->units, Unit, away + i) = head[i];
  }
}

static void
choose_tasks (Rows *r, SpaceTime *st, const ViewScene *scene, Sorter *sorter)
{
  const TraceSource *s = scene->source;
  uint32_t first = scene->first_row, n = scene->n_rows;
  g_autofree uint32_t *hidden = g_new0 (uint32_t, r->n_tasks + 1), *pinned = g_new0 (uint32_t, r->n_tasks + 1);

  space_time_rows_read_list (st, s, st->pinned, pinned, r->n_tasks);
  space_time_rows_read_list (st, s, st->hidden, hidden, r->n_tasks);
  if (st->hide_resting)
    hide_resting (st, scene, hidden, r->n_tasks);
  space_time_rows_look_up (r, st, scene, sorter, hidden);
  look_up_parts (r, st, scene, sorter, hidden);
  space_time_rows_read_list (st, s, st->order, sorter->place, r->n_tasks);
  for (uint32_t i = 0; i < r->n_tasks; i++)
    if (sorter->place[i] == 0)
      sorter->place[i] = UINT32_MAX;
  if (r->groups != NULL)
    number_parts (r, r->groups, sorter);
  else
    number_groups (sorter, r->n_tasks);
  space_time_rows_pin (sorter, pinned, r->n_tasks);
  r->all = g_new (uint32_t, r->n_tasks + 1);
  for (uint32_t i = 0; i < r->n_tasks; i++)
    if (hidden[i] == 0)
      r->all[r->n_all++] = i;
  r->n_hidden = r->n_tasks - r->n_all;
  g_qsort_with_data (r->all, (gint) r->n_all, sizeof *r->all, space_time_rows_by_place, sorter);
  make_units (r, st, sorter->group, pinned);
  uint32_t n_pinned = 0;
  while (n_pinned < r->units->len && g_array_index (r->units, Unit, n_pinned).pinned)
    n_pinned++;
  uint32_t others = r->units->len - n_pinned, seen = n == 0 ? others : n > n_pinned ? n - n_pinned : 1;
  r->first_unit = n > 0 ? MIN (first, others - MIN (others, seen)) : 0;
  scroll_below (r, n_pinned, r->first_unit);
  r->n_units = MIN (n_pinned + seen, r->units->len - r->first_unit);
  r->shown = r->all;
  r->n_shown = 0;
  if (r->n_units > 0) {
    const Unit *begin = &g_array_index (r->units, Unit, r->first_unit), *last = begin + r->n_units - 1;
    r->shown = r->all + begin->first;
    r->n_shown = last->first + last->n - begin->first;
  }
}

static const Unit *
shown_unit (const Rows *r, uint32_t i)
{
  return &g_array_index (r->units, Unit, r->first_unit + i);
}

char *
rows_label (const Rows *r, const Names *n, const TraceSource *s, const Row *row)
{
  uint32_t first = r->shown[row->first], last = r->shown[row->first + row->n - 1];
  const char *nickname = names_nickname (n, s, first);
  const Unit *begin = shown_unit (r, row->unit), *end = shown_unit (r, row->unit + row->n_units - 1);

  if (begin->part != TRACE_NONE && row->n_units == 1) {
    const Group *group = &r->groups->all[r->groups->parts[begin->part].group];
    const char *own = r->part_labels != NULL ? r->part_labels[begin->part] : NULL;
    return groups_name_of (own != NULL ? own : group->name, row->n, group->n);
  }
  if (begin->part != TRACE_NONE && end->part != TRACE_NONE)
    return g_strdup_printf ("%s \u2013 %s (%u)", r->groups->all[r->groups->parts[begin->part].group].name,
                            r->groups->all[r->groups->parts[end->part].group].name, row->n);
  if (row->n == 1 && r->labels != NULL && r->labels[first] != NULL)
    return g_strdup (r->labels[first]);
  if (row->n > 1)
    return g_strdup_printf ("%s \u2013 %s", names_id (n, s, first), names_id (n, s, last));
  return nickname != NULL ? g_strdup_printf ("%s  %s", names_id (n, s, first), nickname)
                          : g_strdup (names_id (n, s, first));
}

/* What is drawn of it: where there is little room the name alone, as ids of tasks often begin alike. */
static char *
drawn_label (const Rows *r, const Names *n, const TraceSource *s, const Row *row)
{
  const char *nickname = row->n == 1 && r->brief ? names_nickname (n, s, r->shown[row->first]) : NULL;
  char *whole = rows_label (r, n, s, row);

  if (nickname == NULL || !g_str_has_suffix (whole, nickname))
    return whole;
  g_free (whole);
  return g_strdup (nickname);
}

/* What stands above units of the same `of`; g_free. */
static char *
heading_of (const Rows *r, const SpaceTime *st, const TraceSource *s, const Unit *unit)
{
  GString *text = g_string_new (NULL);

  if (r->groups == NULL)
    g_string_append (text, space_time_rows_group_name (st, s, r->all[unit->first]));
  else if (unit->of > 0)
    g_string_append (text, r->groups->all[unit->of - 1].name);
  return g_string_free (text, FALSE);
}

/* Whether something sets a unit off from the one above. */
static bool
begins_group (const Rows *r, uint32_t i)
{
  const Unit *unit = shown_unit (r, i);

  return i == 0 ? unit->of > 0 : unit[-1].of != unit->of;
}

/* Bars of `pitch` px from r->top on; a group begins with a heading, or has its name beside its first row. */
static void
place_rows (Rows *r, const SpaceTime *st, const TraceSource *s)
{
  /* where there is room, states are to weigh more than the lines between them: half of it is theirs */
  double y = r->top, bar = r->pitch >= 40   ? CLAMP (floor (r->pitch * 0.5), 20, 96)
                           : r->pitch >= 14 ? MIN (16, floor (r->pitch * 0.62))
                           : r->pitch >= 5  ? r->pitch - 1
                                            : r->pitch;
  uint32_t i = 0, nth = 0;

  while (i < r->n_units) {
    const Unit *unit = shown_unit (r, i);
    uint32_t n = 0, tasks = 0;
    if (begins_group (r, i)) {
      Heading h = { y + (r->beside ? r->pitch / 2 : HEADING / 2.0 - 2), heading_of (r, st, s, unit), unit->first, 0 };
      g_array_append_val (r->headings, h);
      y += r->beside ? 0 : *h.text != '\0' ? HEADING : BELOW;
      nth = 0;
    }
    while (n < (unit->pinned ? 1 : r->per_row) && i + n < r->n_units && unit[n].of == unit->of)
      tasks += unit[n++].n;
    if (r->headings->len > 0)
      g_array_index (r->headings, Heading, r->headings->len - 1).n += tasks;
    double high = tasks > 1 && r->pitch >= 30 ? MAX (MIN (r->pitch * 0.62, 44), bar)
                                              : bar; /* a group has more to show */
    Row row = { .y = y + (r->pitch - high) / 2, .height = high, .n = tasks, .nth = nth++, .unit = i, .n_units = n };
    row.first = (uint32_t) (r->all + unit->first - r->shown);
    for (uint32_t k = 0; k < tasks; k++)
      r->row_of[r->shown[row.first + k]] = r->rows->len;
    r->several |= tasks > 1;
    g_array_append_val (r->rows, row);
    y += r->pitch;
    i += n;
  }
}

#define MEASURED 8 /* labels: of so many that have most letters one is the widest, or nearly */

static double
widest_of_rows (const Rows *r, const SpaceTime *st, const ViewScene *scene, Paint *p)
{
  char *longest[MEASURED] = { NULL };
  glong letters[MEASURED] = { 0 };
  double widest = 0;

  for (guint i = 0; i < r->rows->len; i++) {
    char *label = drawn_label (r, st->names, scene->source, &g_array_index (r->rows, Row, i));
    glong n = g_utf8_strlen (label, -1);
    int k = MEASURED;
    for (; k > 0 && (longest[k - 1] == NULL || n > letters[k - 1]); k--)
      if (k < MEASURED) {
        longest[k] = longest[k - 1];
        letters[k] = letters[k - 1];
      } else {
        g_free (longest[k - 1]);
      }
    if (k == MEASURED) {
      g_free (label);
      continue;
    }
    longest[k] = label;
    letters[k] = n;
  }
  for (int k = 0; k < MEASURED && longest[k] != NULL; k++) {
    widest = MAX (widest, paint_text_width (p, PAINT_TEXT | PAINT_BOLD, longest[k])); /* as the selected one */
    g_free (longest[k]);
  }
  return widest;
}

/* `most`: that headings above rows may widen the column of names to, so that names of rows stay whole. */
static double
widest_label (const Rows *r, const SpaceTime *st, const ViewScene *scene, double most)
{
  bool named = r->beside && r->headings->len > 0;
  int font = r->beside ? PAINT_TEXT : PAINT_TEXT | PAINT_BOLD;
  double widest = 0;
  Paint p;

  paint_measure (&p, scene);
  for (guint i = 0; i < r->headings->len; i++)
    widest = MAX (widest, paint_text_width (&p, font, g_array_index (r->headings, Heading, i).text));
  widest = r->beside ? widest : MIN (widest, most);
  if (!named)
    widest = MAX (widest, widest_of_rows (r, st, scene, &p));
  paint_end (&p);
  return widest;
}

void
rows_begin (Rows *r, SpaceTime *st, const ViewScene *scene, uint32_t n_tasks)
{
  const TraceSource *s = scene->source;
  Sorter sorter = { .st = st, .source = s };
  uint32_t n_groups = 0, n_rows = 0;
  double room, widest;

  sorter.group = g_new0 (uint32_t, n_tasks + 1);
  sorter.place = g_new0 (uint32_t, n_tasks + 1);
  *r = (Rows){ .n_tasks = n_tasks,
               .per_row = 1,
               .top = st->waits.read != NULL ? STRETCHES_TOP : 52,
               .bottom = MAX (scene->height_px - 28, 60) };
  r->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  r->headings = g_array_new (FALSE, FALSE, sizeof (Heading));
  r->row_of = g_new (uint32_t, n_tasks + 1);
  memset (r->row_of, 255, (n_tasks + 1) * sizeof *r->row_of);
  r->units = g_array_new (FALSE, FALSE, sizeof (Unit));
  r->groups = scene->groups;
  choose_tasks (r, st, scene, &sorter);
  for (uint32_t i = 0; i < r->n_units; i++)
    n_groups += begins_group (r, i);
  bool headings = n_groups > 0 && n_groups * HEADING < (r->bottom - r->top) / 2;
  room = r->bottom - r->top - (headings ? n_groups * HEADING : 0);
  r->pitch = room / MAX (1, r->n_units);
  if (r->pitch < ROW_MIN) {
    uint32_t bands = MAX (1, (uint32_t) (room / BAND));
    r->per_row = (r->n_units + bands - 1) / bands;
    for (uint32_t i = 0, run = 0; i < r->n_units; i++) {
      run = begins_group (r, i) || shown_unit (r, i)->pinned || (i > 0 && shown_unit (r, i - 1)->pinned) ? 1 : run + 1;
      n_rows += (run - 1) % r->per_row == 0;
    }
    r->pitch = room / MAX (1, n_rows);
  }
  r->pitch = MIN (r->pitch, 400);
  r->beside = !headings;
  place_rows (r, st, s);
  double most = scene->width_px * (scene->width_px > 700 ? 0.32 : 0.25);
  widest = widest_label (r, st, scene, most - 3);
  if (ceil (widest) + 2 > most) {
    r->brief = true;
    widest = widest_label (r, st, scene, most - 3);
  }
  r->label_px = MIN (ceil (widest) + 2, most);
  r->own_left = ceil (12 + r->label_px + 10);
  g_free (sorter.looks);
  g_free (sorter.part_looks);
  g_free (sorter.group);
  g_free (sorter.place);
}

void
rows_align (Rows *r, const ViewScene *scene)
{
  r->left = axis_left (scene, r->own_left);
  r->width = MAX (floor (scene->width_px - r->left - AXIS_RIGHT), 20);
}

void
rows_end (Rows *r)
{
  g_array_unref (r->rows);
  for (guint i = 0; i < r->headings->len; i++)
    g_free (g_array_index (r->headings, Heading, i).text);
  g_array_unref (r->headings);
  g_array_unref (r->units);
  for (uint32_t i = 0; r->labels != NULL && i < r->n_tasks; i++)
    g_free (r->labels[i]);
  g_free (r->labels);
  for (uint32_t i = 0; r->part_labels != NULL && i < r->n_part_labels; i++)
    g_free (r->part_labels[i]);
  g_free (r->part_labels);
  g_free (r->all);
  g_free (r->row_of);
}

/* The rows of tasks that are selected, alone or with a link, as a flag each; NULL: none. */
static uint8_t *
chosen_rows (const Rows *r, const ViewScene *scene)
{
  uint8_t *chosen = NULL;

  for (uint32_t i = 0; i < trace_refs_n (scene->selection); i++) {
    TraceRef ref = trace_refs_at (scene->selection, i);
    uint32_t ends[2] = { ref.id, ref.id };
    if (ref.source != scene->source->number || (ref.type != TRACE_REF_TASK && !trace_ref_ends (ref, ends, ends + 1)))
      continue;
    for (int k = 0; k < 2; k++)
      if (ends[k] < r->n_tasks && r->row_of[ends[k]] != TRACE_NONE) {
        chosen = chosen != NULL ? chosen : g_new0 (uint8_t, r->rows->len + 1);
        chosen[r->row_of[ends[k]]] = 1;
      }
  }
  return chosen;
}

static void
draw_headings (const Rows *r, Paint *p)
{
  double last_y = -1e9;

  for (guint i = 0; i < r->headings->len; i++) {
    const Heading *h = &g_array_index (r->headings, Heading, i);
    if (*h->text == '\0')
      continue;
    if (r->beside) {
      if (h->y - last_y >= 14)
        paint_text (p, r->left - 10, last_y = h->y, 1, PAINT_TEXT | PAINT_NAME, p->ink, r->label_px, h->text);
      continue;
    }
    paint_text (p, 12, h->y, 0, PAINT_TEXT | PAINT_BOLD | PAINT_NAME, p->ink, r->left - 20, h->text);
    drawing_rect (p->drawing, r->left, floor (h->y), r->width, 1, p->grid, 1, NULL);
    drawing_area (p->drawing, 4, h->y - 9, r->left - 8, 18,
                  &(DrawingTag){ DRAWING_NO_DATES, .index = i, .part = SPACE_TIME_IN_HEADING });
  }
}

static double
space_time_rows_middle_of (const Rows *r, guint i)
{
  const Row *row = &g_array_index (r->rows, Row, i);

  return row->y + row->height / 2;
}

/* Whether a selected row is so near that its label takes the place. */
static bool
gives_way (const Rows *r, const uint8_t *chosen, guint i)
{
  guint near = chosen != NULL ? (guint) ceil (14 / MAX (r->pitch, 0.5)) : 0;

  for (guint k = i - MIN (near, i); near > 0 && k <= MIN (i + near, r->rows->len - 1); k++)
    if (chosen[k] && fabs (space_time_rows_middle_of (r, k) - space_time_rows_middle_of (r, i)) < 14)
      return true;
  return false;
}

/* As many labels as there is room for; selected tasks have theirs before others. */
void
rows_draw_labels (const Rows *r, const Names *n, Paint *p)
{
  const TraceSource *s = p->scene->source;
  g_autofree uint8_t *chosen = chosen_rows (r, p->scene);
  guint every = r->pitch >= 14 ? 1 : (guint) ceil (15 / r->pitch);
  bool named = r->beside && r->headings->len > 0;
  double last_y = -1e9;

  draw_headings (r, p);
  for (guint i = 1; i < r->rows->len; i++) { /* a line below those that are pinned */
    const Row *above = &g_array_index (r->rows, Row, i - 1), *row = above + 1;
    if (shown_unit (r, above->unit)->pinned && !shown_unit (r, row->unit)->pinned)
      drawing_rect (p->drawing, 8, floor ((above->y + above->height + row->y) / 2), r->left + r->width - 8, 1,
                    DRAWING_ACCENT, 0.6, NULL);
  }
  for (guint i = 0; i < r->rows->len; i++) {
    const Row *row = &g_array_index (r->rows, Row, i);
    bool mine = chosen != NULL && chosen[i];
    double y = space_time_rows_middle_of (r, i);
    if (!mine && (named || (r->headings->len > 0 ? row->nth : i) % every != 0 || gives_way (r, chosen, i)))
      continue;
    if (mine) {
      drawing_rect (p->drawing, r->left - 6, row->y, 3, row->height, DRAWING_ACCENT, 1, NULL);
      if (y - last_y < 14)
        continue;
      last_y = y;
    }
    g_autofree char *label = drawn_label (r, n, s, row);
    paint_text (p, r->left - 10, y, 1, (mine ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT) | PAINT_NAME,
                mine || r->pitch >= 14 ? p->ink : p->muted, r->label_px, label);
  }
}
