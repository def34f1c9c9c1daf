/* SPDX-License-Identifier: Apache-2.0 */
/* space.c - space-time in three dimensions: tasks stand in a plane, time goes upwards; each time in a state is a prism,
 * each message a cone from its sender to the point at its receiver, and a plane is at the cursor. */
#include <math.h>
#include <string.h>
#include "views/scene/scene.h"
#include "eve/words.h"

#define PRISMS_MOST 30000   /* more intervals than that are put together by slices of time */
#define COLUMNS_MOST 4096   /* tasks; more are put together */
#define MESSAGES_MOST 3000  /* those that carry most */
#define MESSAGES_EXACT 6000 /* more than that are taken from sums */
#define SUMS 24             /* slices of the time shown, for these */
#define LABELS_MOST 400

typedef struct Room {
  SceneView *v;
  const ViewScene *scene;
  SceneModel *m;
  int64_t from, to;
  double high, low[2], far[2]; /* of the whole; of its ground */
  const SceneShares *shares;
  double (*at)[3];  /* by row of these */
  uint32_t *row_of; /* by task; TRACE_NONE: not shown */
  uint32_t n_tasks;
  uint32_t row; /* that is at work */
  bool chosen;
  const char *attribute;
  Looks rules; /* of messages that are drawn one by one */
  bool ruled;
  uint32_t n_hidden; /* by them */
} Room;

#define MESSAGE_LOOKS (1u << LOOK_COLOUR | 1u << LOOK_WIDTH | 1u << LOOK_OPACITY | 1u << LOOK_HIDDEN)
#define WIDE 0.02 /* of a message that a rule gives a px of width */

static double
space_height_of (const Room *r, double date)
{
  return r->high * CLAMP ((date - (double) r->from) / ((double) r->to - (double) r->from), 0, 1);
}

static void
add_prism (Room *r, int64_t from, int64_t to, uint32_t slot)
{
  const StateSlots *slots = &r->v->slots;
  uint32_t state = slots->state[slot];
  StateSense sense = state == SLOTS_OTHERS ? STATE_SENSE_NONE : paint_state_sense (r->scene->graph, STATE_NODE, state);
  double z0 = space_height_of (r, (double) from), z1 = space_height_of (r, (double) to),
         wide = sense == STATE_SENSE_WAITS || sense == STATE_SENSE_REST ? 0.12 : 0.3;

  if (sense == STATE_SENSE_GONE || !(z1 > z0))
    return;
  SceneThing t = { .tag = { .what = scene_row_owner (r->v, r->scene, r->row),
                            .from = from,
                            .to = to,
                            .attribute = r->attribute,
                            .value = g_intern_string (paint_slot_name (r->scene->graph, STATE_NODE, slots, slot)),
                            .index = r->row,
                            .part = SCENE_PART_INTERVAL },
                   .value = NAN,
                   .radius = wide,
                   .chosen = r->chosen };
  t.chosen = t.chosen || view_selects (r->scene, trace_ref_value (t.tag.attribute, t.tag.value));
  memcpy (t.at, r->at[r->row], sizeof t.at);
  t.at[2] = (z0 + z1) / 2;
  r->m->met |= 1u << slot;
  scene_shape (r->m, SCENE_CUBE, t.at, (const double[]){ wide, wide, (z1 - z0) / 2 },
               paint_slot (r->scene, STATE_NODE, slots, slot), 1, scene_thing (r->m, &t));
}

static bool
space_add_interval (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Room *r = arg;
  uint32_t slot = states_slot (&r->v->slots.palette, state);

  if (slot < r->v->slots.n)
    add_prism (r, MAX (from, r->from), MIN (to, r->to), slot);
  return true;
}

/* Slices in which one state lasts longest one after the other are one prism. */
static void
add_slices (Room *r)
{
  const SceneShares *s = r->shares;
  const uint8_t *slot = &s->slot[(gsize) r->row * s->n_bins];

  for (uint32_t b = 0, end; b < s->n_bins; b = end) {
    for (end = b + 1; end < s->n_bins && slot[end] == slot[b];)
      end++;
    if (slot[b] != UINT8_MAX)
      add_prism (r, s->from + (int64_t) (b * s->width), s->from + (int64_t) (end * s->width), slot[b]);
  }
}

/* ---- messages ------------------------------------------------------------------------------------------------------------ */

typedef struct Message {
  uint32_t from, to; /* tasks */
  uint32_t row[2];   /* of these */
  uint64_t count, bytes;
  double sent, received;        /* means, where they are several */
  int64_t sent_at, received_at; /* of a single one, which doubles round; sent_at INT64_MIN: nobody knows */
  bool chosen;                  /* of several: the link of one is selected */
  Look look;
} Message;

typedef struct Found {
  Room *r;
  GArray *messages;
} Found;

/* tag.index of a cone is how many messages it is, and of a single one of which nobody knows when it was sent: */
#define SENT_UNKNOWN 0

static int
space_heaviest_first (const void *a, const void *b)
{
  const Message *x = a, *y = b;

  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  if (x->received != y->received)
    return x->received < y->received ? -1 : 1;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static bool
space_take_message (void *arg, const StateMessage *m)
{
  const Found *f = arg;
  Message one = { .from = m->from,
                  .to = m->to,
                  .count = 1,
                  .bytes = (uint64_t) m->size,
                  .sent = m->sent == INT64_MIN ? (double) m->received : (double) m->sent,
                  .received = (double) m->received,
                  .sent_at = m->sent,
                  .received_at = m->received };

  if (f->r->ruled)
    looks_of_message (&f->r->rules, f->r->scene, f->r->v->names, m, &one.look);
  f->r->n_hidden += one.look.hidden;
  if (!one.look.hidden)
    g_array_append_val (f->messages, one);
  return true;
}

static void
take_bundle (void *to, const MessageBundle *b)
{
  Message one = { .from = b->from,
                  .to = b->to,
                  .count = b->count,
                  .bytes = b->bytes,
                  .sent = b->sent,
                  .received = b->received,
                  .sent_at = (int64_t) b->sent,
                  .received_at = (int64_t) b->received };

  g_array_append_val ((GArray *) to, one);
}

static int
by_rows (const void *a, const void *b)
{
  const Message *x = a, *y = b;

  for (int k = 0; k < 2; k++)
    if (x->row[k] != y->row[k])
      return x->row[k] < y->row[k] ? -1 : 1;
  return (x->received > y->received) - (x->received < y->received);
}

/* Leaves those that lead from one row to another. */
static void
space_keep_shown (const Room *r, GArray *found)
{
  guint n = 0;

  for (guint i = 0; i < found->len; i++) {
    Message m = g_array_index (found, Message, i);
    m.row[0] = m.from < r->n_tasks ? r->row_of[m.from] : TRACE_NONE;
    m.row[1] = m.to < r->n_tasks ? r->row_of[m.to] : TRACE_NONE;
    if (m.row[0] != TRACE_NONE && m.row[1] != TRACE_NONE && m.row[0] != m.row[1])
      g_array_index (found, Message, n++) = m;
  }
  g_array_set_size (found, n);
}

/* Rows of several tasks: what leads from row to row within a slice becomes one, however many pairs of tasks it is of.
 */
static void
space_put_together (const Room *r, GArray *found, int64_t slice)
{
  uint16_t source = r->scene->source->number;
  guint n = 0;

  g_array_sort (found, by_rows);
  for (guint i = 0; i < found->len; i++) {
    Message m = g_array_index (found, Message, i), *sum = n > 0 ? &g_array_index (found, Message, n - 1) : NULL;
    DrawingTag link = { .what = trace_ref_task (source, m.from), .other = trace_ref_task (source, m.to) };
    m.chosen = view_selects_tag (r->scene, &link);
    if (sum == NULL || sum->row[0] != m.row[0] || sum->row[1] != m.row[1]
        || floor ((sum->received - (double) r->from) / (double) slice)
               != floor ((m.received - (double) r->from) / (double) slice)) {
      g_array_index (found, Message, n++) = m;
      continue;
    }
    double share = (double) m.count / ((double) sum->count + (double) m.count);
    sum->sent += share * (m.sent - sum->sent);
    sum->received += share * (m.received - sum->received);
    sum->sent_at = (int64_t) sum->sent;
    sum->received_at = (int64_t) sum->received;
    sum->count += m.count;
    sum->bytes += m.bytes;
    sum->chosen |= m.chosen;
  }
  g_array_set_size (found, n);
}

static uint32_t
message_colour (const ViewScene *scene)
{
  return scene->dark ? 0xc8ccd4 : 0x4a5568;
}

static void
space_add_message (Room *r, const Message *m, double most)
{
  uint16_t source = r->scene->source->number;
  double a[3], b[3], thick = 0.012 + 0.04 * (most > 0 ? sqrt ((double) m->bytes / most) : 0);
  bool known = m->sent_at != INT64_MIN, rows = m->count > 1 && r->shares->n_rows < r->shares->n_tasks;
  SceneThing t = {
    .tag = { .what = rows ? scene_row_owner (r->v, r->scene, m->row[0]) : trace_ref_task (source, m->from),
             .other = rows ? scene_row_owner (r->v, r->scene, m->row[1]) : trace_ref_task (source, m->to),
             .from = known ? m->sent_at : m->received_at,
             .to = m->received_at,
             .part = SCENE_PART_MESSAGE },
    .value = (double) m->bytes,
    .unit = "B",
    .rows = { m->row[0], m->row[1] }
  };

  memcpy (a, r->at[m->row[0]], sizeof a);
  memcpy (b, r->at[m->row[1]], sizeof b);
  a[2] = space_height_of (r, m->sent);
  b[2] = space_height_of (r, m->received);
  memcpy (t.at, a, sizeof a);
  memcpy (t.end, b, sizeof b);
  t.tag.index = known ? (uint32_t) MIN (m->count, UINT32_MAX) : SENT_UNKNOWN;
  t.chosen = m->chosen || (!rows && view_selects_tag (r->scene, &t.tag))
             || (m->count == 1
                 && view_selects (r->scene, trace_ref_message (source, m->from, m->to, m->sent_at, m->received_at)));
  if (LOOK_HAS (&m->look, LOOK_WIDTH))
    thick = WIDE * CLAMP (m->look.width, 0.5, 30);
  scene_arrow (r->m, SCENE_CONE, a, b, thick, scene_looks_colour (r->scene, &m->look, message_colour (r->scene)),
               scene_thing (r->m, &t));
  if (!LOOK_HAS (&m->look, LOOK_COLOUR)) {
    r->m->links = "message";
    r->m->links_rgb = message_colour (r->scene);
  }
}

/* Gives how many there are, and how many of them are drawn one by one or in sums. */
static void
space_add_messages (Room *r, uint64_t *all, uint64_t *drawn, bool *sums)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Message));
  int64_t slice = MAX ((r->to - r->from) / SUMS, 1);
  double most = 0;

  *all = *drawn = 0;
  scene_open_messages (r->v, r->scene);
  if (r->v->messages == NULL)
    return;
  *sums = messages_reader_count (r->v->messages, r->from, r->to) > MESSAGES_EXACT;
  if (*sums)
    messages_reader_bundles (r->v->messages, r->from, r->to, slice, take_bundle, found);
  else {
    r->ruled = looks_begin (&r->rules, r->scene, eve_name ((EveComponent *) r->v), LOOK_MESSAGE, MESSAGE_LOOKS);
    messages_reader_each (r->v->messages, r->from, r->to, space_take_message, &(Found){ r, found });
  }
  for (guint i = 0; i < found->len; i++)
    *all += g_array_index (found, Message, i).count;
  space_keep_shown (r, found);
  if (*sums && r->shares->n_rows < r->shares->n_tasks)
    space_put_together (r, found, slice);
  g_array_sort (found, space_heaviest_first);
  for (guint i = 0; i < MIN (found->len, MESSAGES_MOST); i++) {
    const Message *m = &g_array_index (found, Message, i);
    most = i == 0 ? (double) m->bytes : most;
    *drawn += m->count;
    space_add_message (r, m, most);
  }
}

/* ---- the room --------------------------------------------------------------------------------------------------------------- */

/* Where the rows stand, by the layout; one that is not flat has no room for time. */
static void
space_place (Room *r)
{
  const SceneShares *s = r->shares;
  const GraphLayout *layout = layouts_flat (r->v->layout);
  g_autofree uint32_t *first = g_new (uint32_t, s->n_rows + 1), *host = NULL;

  r->n_tasks = MAX (names_count (r->v->names, r->scene->source), s->n_owners);
  r->row_of = g_new (uint32_t, r->n_tasks + 1);
  memset (r->row_of, 0xff, sizeof *r->row_of * r->n_tasks);
  for (uint32_t row = 0; row < s->n_rows; row++)
    for (uint32_t i = s->first[row]; i < s->first[row + 1]; i++)
      r->row_of[s->tasks[i]] = row;
  for (uint32_t i = 0; i < s->n_rows; i++)
    first[i] = scene_row_task (s, i);
  host = scene_hosts (r->v, r->scene, first, s->n_rows);
  r->at = g_malloc0 (sizeof *r->at * (s->n_rows + 1));
  LayoutNodes nodes = { .n = s->n_rows, .host = host };
  graph_layout_in_space (layout, &nodes, r->at);
  r->low[0] = r->low[1] = -0.5;
  r->far[0] = r->far[1] = 0.5;
  for (uint32_t i = 0; i < s->n_rows; i++)
    for (int k = 0; k < 2; k++) {
      r->at[i][2] = 0;
      r->low[k] = fmin (r->low[k], r->at[i][k] - 0.55);
      r->far[k] = fmax (r->far[k], r->at[i][k] + 0.55);
    }
  r->high = fmax (1.1 * fmax (r->far[0] - r->low[0], r->far[1] - r->low[1]), 4);
  if (r->v->ground && strcmp (layout->name, "hosts") == 0) {
    g_autofree const char **names = g_new (const char *, s->n_rows + 1);
    for (uint32_t i = 0; i < s->n_rows; i++)
      names[i] = names_host (r->v->names, r->scene->source, scene_row_task (s, i));
    scene_host_plates (r->scene, &nodes, (const double (*)[3]) r->at, names, r->m, -0.02);
  } else if (r->v->ground) {
    scene_floor (r->scene, r->m, r->low, r->far, -0.02);
  }
}

static void
space_add_names (Room *r)
{
  for (uint32_t i = 0; i < MIN (r->shares->n_rows, LABELS_MOST); i++)
    scene_label (r->m, (const double[]){ r->at[i][0], r->at[i][1], 0 }, 0.3, scene_row_name (r->v, r->scene, i), false);
}

static void
add_cursor (Room *r)
{
  double z = space_height_of (r, (double) r->scene->at);
  const double at[] = { (r->low[0] + r->far[0]) / 2, (r->low[1] + r->far[1]) / 2, z },
               size[] = { (r->far[0] - r->low[0]) / 2 + 0.2, (r->far[1] - r->low[1]) / 2 + 0.2, 0 };

  if (r->scene->at < r->from || r->scene->at > r->to)
    return;
  scene_shape (r->m, SCENE_PLATE, at, size, DRAWING_ACCENT, 0.3, 0);
  scene_label (r->m, (const double[]){ r->far[0] + 0.3, r->far[1] + 0.3, z }, 0,
               axis_date (&r->scene->source->clock, r->scene->at, -1), true);
}

static bool
space_build (SceneView *v, const ViewScene *scene, SceneModel *m, GError **error)
{
  Room r = { .v = v, .scene = scene, .m = m };
  uint64_t intervals = 0, messages, drawn;
  bool sums = false, exact;

  if (!scene_open_states (v, scene, error))
    return false;
  uint32_t rows = MIN (states_reader_owners (v->states), COLUMNS_MOST);
  r.shares = scene_shares (v, scene, COLUMNS_MOST, CLAMP (PRISMS_MOST / MAX (rows, 1), 4, 256));
  r.from = r.shares->from, r.to = r.shares->to;
  r.attribute = g_intern_string (paint_state_attribute (scene->graph, STATE_NODE));
  space_place (&r);
  for (uint32_t i = 0; i < r.shares->n_tasks && intervals <= PRISMS_MOST; i++)
    intervals += states_reader_count (v->states, r.shares->tasks[i], r.from, r.to);
  exact = r.shares->n_rows == r.shares->n_tasks && intervals <= PRISMS_MOST;
  for (r.row = 0; r.row < r.shares->n_rows; r.row++) {
    r.chosen = scene_row_is_chosen (v, scene, r.row);
    if (exact)
      states_reader_each (v->states, scene_row_task (r.shares, r.row), r.from, r.to, space_add_interval, &r);
    else
      add_slices (&r);
  }
  space_add_messages (&r, &messages, &drawn, &sums);
  space_add_names (&r);
  scene_time_scale (scene, m, r.from, r.to, (const double[]){ r.low[0] - 0.4, r.low[1], 0 },
                    (const double[]){ r.low[0] - 0.4, r.low[1], r.high }, (const double[]){ -0.05 * r.high, 0, 0 });
  add_cursor (&r);
  g_autoptr (GString) note = g_string_new (NULL);
  g_string_printf (note, P_ ("%u task; time goes up", "%u tasks; time goes up", r.shares->n_tasks), r.shares->n_tasks);
  if (!exact) {
    g_autofree char *slice = axis_duration (&scene->source->clock, r.shares->width);
    g_string_append_printf (note, _ ("; what lasts longest in each %s%s"), slice, scene_shares_together (r.shares));
  }
  if (messages > 0)
    g_string_append_printf (note, _ ("; %" PRIu64 " of %" PRIu64 " messages%s"), drawn, messages,
                            sums ? _ (", in sums") : "");
  if (r.n_hidden > 0)
    g_string_append_printf (note, _ ("; %u hidden by rules"), r.n_hidden);
  m->note = g_strdup (note->str);
  if (r.shares->n_tasks == 0)
    m->empty = g_strdup (_ ("No task lives in this time"));
  g_free (r.at);
  g_free (r.row_of);
  return true;
}

static void
space_say (SceneView *v, const ViewScene *scene, const SceneThing *t, GString *name, GString *facts)
{
  const TraceClock *clock = &scene->source->clock;
  g_autofree char *from = axis_date (clock, t->tag.from, -1), *to = axis_date (clock, t->tag.to, -1),
                  *bytes = paint_bytes (t->value);

  if (t->tag.part == SCENE_PART_INTERVAL) {
    g_autofree char *who = scene_row_name (v, scene, t->tag.index);
    g_string_append_printf (name, _ ("%s: %s from %s to %s"), who, t->tag.value, from, to);
    return;
  }
  if (t->tag.what.type != TRACE_REF_NONE && t->tag.other.type != TRACE_REF_NONE) {
    trace_ref_name (t->tag.what, false, name);
    g_string_append (name, " \u2192 ");
    trace_ref_name (t->tag.other, false, name);
  } else {
    g_autofree char *first = scene_row_name (v, scene, t->rows[0]), *second = scene_row_name (v, scene, t->rows[1]);
    g_string_append_printf (name, "%s \u2192 %s", first, second);
  }
  if (t->tag.index == SENT_UNKNOWN)
    g_string_append_printf (name, _ (": message of %s, received %s; nobody knows when it was sent"), bytes, to);
  else if (t->tag.index > 1)
    g_string_append_printf (name, _ (": %u messages, %s, around %s to %s"), t->tag.index, bytes, from, to);
  else
    g_string_append_printf (name, _ (": message of %s, sent %s, received %s"), bytes, from, to);
}

static void
space_owners (SceneView *v, const ViewScene *scene, const SceneThing *t, TraceRefs *to)
{
  uint32_t from, end;

  if (t->tag.part == SCENE_PART_INTERVAL)
    scene_add_row_owners (v, scene, t->tag.index, to);
  else if (t->tag.index <= 1 && t->tag.what.type == TRACE_REF_TASK) {
    from = t->tag.what.id, end = t->tag.other.id;
    trace_refs_add (to, trace_ref_message (t->tag.what.source, from, end,
                                           t->tag.index == SENT_UNKNOWN ? INT64_MIN : t->tag.from, t->tag.to));
  } else if (t->tag.what.type == TRACE_REF_NONE
             || t->tag.other.type == TRACE_REF_NONE) { /* between rows: all of both */
    for (int k = 0; k < 2; k++)
      scene_add_row_owners (v, scene, t->rows[k], to);
  }
}

static char *
space_end_name (SceneView *v, const ViewScene *scene, const SceneThing *t, bool second)
{
  if (t->tag.part == SCENE_PART_INTERVAL)
    return second ? NULL : scene_row_name (v, scene, t->tag.index);
  return scene_row_name (v, scene, t->rows[second]);
}

static void
scene_space_key (SceneView *v, Paint *p)
{
  if (v->messages != NULL)
    scene_looks_key (v, p, 40, LOOK_MESSAGE, MESSAGE_LOOKS, ~0u);
}

const SceneBuilder scene_space_time = { .name = "space-time",
                                        .spans = VIEW_OF_INSTANT | VIEW_OF_EXECUTION,
                                        .depends = VIEW_ON_INSTANT | VIEW_ON_RANGE | VIEW_ON_FILM | VIEW_ON_SELECTED,
                                        .build = space_build,
                                        .say = space_say,
                                        .end_name = space_end_name,
                                        .key = scene_space_key,
                                        .owners = space_owners };
