/* SPDX-License-Identifier: Apache-2.0 */
/* The conformance suite itself: components that are wrong in one way each, and what must be said about them. */
#include <stdlib.h>
#include <string.h>
#include "readers/box-inspector.h"
#include "src/conformance/conformance.h"
#include "tests/harness/harness.h"
#include "views/drawing.h"
#include "views/graph-layout.h"

typedef struct Box {
  EveBase base;
  double sum, limit;
  int64_t *heap;
} Box;

static double
take (EveComponent *c)
{
  return *(const double *) eve_take (eve_base (c)->in[0]);
}

static void
emit (EveComponent *c, double v)
{
  eve_emit (eve_base (c)->out[0], &v);
}

static const EveInSpec ins[] = { { "in", &eve_type_double, .doc = "Number." } };
static const EveOutSpec outs[] = { { "out", &eve_type_double, .doc = "Number." } };
static const EveField state[] = { { "sum", EVE_F_DOUBLE, offsetof (Box, sum), .doc = "Sum." } };
static const EveField settings[] = { { "limit", EVE_F_DOUBLE, offsetof (Box, limit), .min = 0, .max = 10, .def = 5,
                                       .doc = "Limit." } };

/* A running sum: good in every way. */
static void
sum_fire (EveComponent *c)
{
  Box *self = (Box *) c;

  self->sum = self->sum / 2 + take (c) / 1024;
  emit (c, self->sum);
}

static const EveClass good = {
  EVE_CLASS_HEAD,       .id = "test.good", .label = "Good", .category = "Tests", .doc = "A running sum.",
  .version = 1,         .ins = ins,        .n_ins = 1,      .outs = outs,        .n_outs = 1,
  .settings = settings, .n_settings = 1,   .state = state,  .n_state = 1,        .instance_size = sizeof (Box),
  .fire = sum_fire
};

/* Asserts that the suite says something with this part about a class; NULL: nothing at all. */
static void
expect (const char *id, EveClass *k, const char *part)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  bool fine;

  k->id = id;
  fine = conformance_check (k, NULL, problems);
  g_assert_true (fine == (problems->len == 0));
  if (part == NULL && fine)
    return;
  for (guint i = 0; i < problems->len; i++)
    if (part && strstr (problems->pdata[i], part))
      return;
  g_error ("%s: \"%s\" was not said, but: %s", id, part ? part : "nothing",
           problems->len ? (char *) problems->pdata[0] : "nothing");
}

static void
test_good (void)
{
  static EveClass k;

  k = good;
  expect ("test.good", &k, NULL);
}

/* ---- tables ---- */
static void
test_doc (void)
{
  static EveClass k;

  k = good;
  k.doc = "no sentence";
  expect ("test.doc", &k, "no sentence with a capital letter");
}

static void
test_id (void)
{
  static EveClass k;

  k = good;
  expect ("Test Id", &k, "not of the form");
}

/* ---- run state ---- */
static void
test_state_not_saved (void)
{
  static EveClass k;

  k = good;
  k.n_state = 0; /* nobody saves or resets the sum */
  expect ("test.not-saved", &k, "From a checkpoint, in a new program");
}

static void
test_not_reset (void)
{
  static EveClass k;

  k = good;
  k.n_state = 0;
  expect ("test.not-reset", &k, "After reset");
}

/* ---- rests ---- */
static bool
rest_adds (EveComponent *c, int64_t now)
{
  Box *self = (Box *) c;

  self->sum += 1;
  emit (c, self->sum);
  return true;
}

static void
test_rest_changes_state (void)
{
  static EveClass k;

  k = good;
  k.at_rest = rest_adds;
  expect ("test.rest-changes-state", &k, "at_rest changes none");
}

static bool
rest_tells (EveComponent *c, int64_t now)
{
  emit (c, ((Box *) c)->sum);
  return true;
}

static void
test_rest_good (void)
{
  static EveClass k;

  k = good;
  k.at_rest = rest_tells;
  expect ("test.rest-good", &k, NULL);
}

static void
test_rest_not_saved (void) /* what it was told at rest is not taken back */
{
  static EveClass k;
  static EveInSpec present[1];

  k = good;
  present[0] = ins[0];
  present[0].present = true;
  k.ins = present;
  k.n_state = 0;
  expect ("test.rest-not-saved", &k, "After rests");
}

/* ---- warnings ---- */
static void
warn_each (EveComponent *c)
{
  sum_fire (c);
  eve_warn (c, "%s", "The number is not what it was");
}

static void
warn_once (EveComponent *c)
{
  Box *self = (Box *) c;

  sum_fire (c);
  if (!self->limit)
    eve_warn (c, "%s", "The number is not what it was");
  self->limit = 1;
}

static void
test_warnings (void)
{
  static const EveField warned_state[] = { { "sum", EVE_F_DOUBLE, offsetof (Box, sum), .doc = "Sum." },
                                           { "warned", EVE_F_DOUBLE, offsetof (Box, limit), .doc = "Warned." } };
  static EveClass each, guarded, forgotten;

  each = good;
  each.fire = warn_each;
  expect ("test.warns-each", &each, "It warns twice of the same");
  guarded = good;
  guarded.n_settings = 0;
  guarded.fire = warn_once;
  guarded.state = warned_state;
  guarded.n_state = 2;
  expect ("test.warns-once", &guarded, NULL);
  forgotten = guarded; /* that it has warned is no run state */
  forgotten.n_state = 1;
  expect ("test.warns-again", &forgotten, "it warns of what it had told");
}

/* ---- firing ---- */
static void
wrong_span (EveComponent *c, uint32_t n)
{
  const double *v = eve_take_span (eve_base (c)->in[0], n);
  Box *self = (Box *) c;

  for (uint32_t i = 0; i < n; i++) {
    self->sum = i % 100 == 99 ? 0 : self->sum / 2 + v[i] / 1024;
    emit (c, self->sum);
  }
}

static void
test_span (void)
{
  static EveClass k;

  k = good;
  k.fire_span = wrong_span;
  expect ("test.span", &k, "Without fire_span");
}

static void
twice_fire (EveComponent *c)
{
  double v = take (c);

  emit (c, v);
  emit (c, v);
}

static void
test_greedy (void)
{
  static EveClass k;

  k = good;
  k.fire = twice_fire;
  expect ("test.greedy", &k, "emitted 2 data in one firing; 1 are allowed");
}

static void
clock_fire (EveComponent *c)
{
  take (c);
  emit (c, (double) g_get_monotonic_time ());
}

static void
test_clock (void)
{
  static EveClass k;

  k = good;
  k.fire = clock_fire; /* what it gives depends on when it is asked */
  expect ("test.clock", &k, "it gives another result");
}

static void
failing_fire (EveComponent *c)
{
  take (c);
  eve_fail (c, "the data are not to its taste");
}

static void
test_failing (void)
{
  static EveClass k;

  k = good;
  k.fire = failing_fire;
  expect ("test.failing", &k, "not to its taste");
}

/* ---- memory ---- */
static void *volatile leaked;

static bool
leaking_init (EveComponent *c)
{
  ((Box *) c)->heap = leaked = malloc (100);
  return true;
}

static void
test_leak (void)
{
  static EveClass k;

  if (!harness_allocations_counted ()) { /* a sanitizer would rightly complain of this test */
    g_test_skip ("not under a sanitizer");
    return;
  }
  k = good;
  k.init = leaking_init;
  expect ("test.leak", &k, "bytes are lost");
}

static void
allocating_fire (EveComponent *c)
{
  free (leaked = malloc (10));
  sum_fire (c);
}

static void
test_allocating (void)
{
  static EveClass k;

  if (!harness_allocations_counted ()) {
    g_test_skip ("allocations are not counted in this build");
    return;
  }
  k = good;
  k.fire = allocating_fire;
  expect ("test.allocating", &k, "allocations for about");
}

/* ---- settings ---- */
static bool
stubborn_changed (EveComponent *c, uint32_t setting)
{
  if (((Box *) c)->limit != 10)
    return true;
  eve_fail (c, "cannot open file (null)\n");
  return false;
}

static void
test_refusal_without_sentence (void)
{
  static EveClass k;

  k = good;
  k.changed = stubborn_changed;
  expect ("test.stubborn", &k, "not in a sentence");
}

static const char *
rude_refuse (EveComponent *c, const EveInSpec *in, const EveOutSpec *out, const EveType *other)
{
  return in && other != &eve_type_double ? "No." : NULL;
}

static void
test_rude_refusal (void)
{
  static EveClass k;

  k = good;
  k.refuse = rude_refuse;
  expect ("test.rude", &k, "without naming both types");
}

static void
wrong_press (EveComponent *c, uint32_t row, void (*set) (void *arg, const char *setting, const char *value), void *arg)
{
  set (arg, row == 1 ? "limit" : "limits", "11");
}

static const void *
wrong_query (EveComponent *c, const char *interface_name)
{
  static const BoxRow rows[] = { { BOX_ROW_SETTING, "limits", NULL, NULL },
                                 { BOX_ROW_BUTTON, NULL, "Too much", NULL },
                                 { BOX_ROW_BUTTON, NULL, "Unknown", NULL } };
  static const BoxInspector own = { rows, EVE_N (rows), NULL, wrong_press, NULL };

  return strcmp (interface_name, BOX_INSPECTOR) == 0 ? &own : NULL;
}

static void
test_wrong_inspector (void)
{
  static EveClass k;

  k = good;
  k.query = wrong_query;
  expect ("test.inspector-row", &k, "Row 0 of its inspector names no setting");
  expect ("test.inspector-value", &k, "sets what is refused");
  expect ("test.inspector-name", &k, "sets 'limits', which is no setting");
}

/* ---- layouts of scenes ------------------------------------------------------------------------------------------------- */

static void
place_row (const LayoutNodes *nodes, double (*to)[3])
{
  for (uint32_t i = 0; i < nodes->n; i++) {
    to[i][0] = i;
    to[i][1] = to[i][2] = 0;
  }
}

static void
place_few (const LayoutNodes *nodes, double (*to)[3])
{
  LayoutNodes some = *nodes;

  some.n -= some.n > 7;
  place_row (&some, to);
}

static void
place_far (const LayoutNodes *nodes, double (*to)[3])
{
  place_row (nodes, to);
  if (nodes->n > 2)
    to[2][1] = 1e300;
}

static void
place_beyond (const LayoutNodes *nodes, double (*to)[3])
{
  place_row (nodes, to);
  to[nodes->n][0] = 1;
}

static void
place_otherwise (const LayoutNodes *nodes, double (*to)[3])
{
  static double n;

  place_row (nodes, to);
  if (nodes->n > 0)
    to[0][0] = ++n;
}

static void
place_high (const LayoutNodes *nodes, double (*to)[3])
{
  for (uint32_t i = 0; i < nodes->n; i++)
    to[i][0] = to[i][1] = to[i][2] = i;
}

static void
line_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  for (uint32_t i = 0; i < nodes->n; i++)
    to[i][0] = i, to[i][1] = 0;
}

static void
few_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  for (uint32_t i = 0; i < nodes->n && i < 7; i++)
    to[i][0] = to[i][1] = i;
}

static void
beyond_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  for (uint32_t i = 0; i <= nodes->n; i++)
    to[i][0] = to[i][1] = i;
}

static GraphLayout tried;

static const void *
query_layout (EveComponent *c, const char *name)
{
  return strcmp (name, LAYOUT_INTERFACE) == 0 ? &tried : NULL;
}

static void
test_layouts (void)
{
  static const char *const provides[] = { LAYOUT_PROVIDES "row", NULL };
  static const struct {
    const char *id, *says;
    GraphLayout layout;
  } all[] = {
    { "test.layout-good", NULL, { .name = "row", .flat = true, .place = place_row } },
    { "test.layout-few", "number 7 nowhere", { .name = "row", .place = place_few } },
    { "test.layout-far", "number 2 nowhere, or too far away", { .name = "row", .place = place_far } },
    { "test.layout-beyond", "writes places beyond theirs", { .name = "row", .place = place_beyond } },
    { "test.layout-otherwise", "other places the second time", { .name = "row", .place = place_otherwise } },
    { "test.layout-high", "says that it is flat", { .name = "row", .flat = true, .place = place_high } },
    { "test.layout-plane", NULL, { .name = "row", .plane = line_in_plane } },
    { "test.layout-both", "number 7 nowhere", { .name = "row", .place = place_row, .plane = few_in_plane } },
    { "test.layout-over", "writes places beyond theirs", { .name = "row", .plane = beyond_in_plane } },
    { "test.layout-name", "is called \"line\", and not \"row\"", { .name = "line", .place = place_row } },
    { "test.layout-none", "does not answer the query", { .name = "row" } },
  };
  static EveClass classes[G_N_ELEMENTS (all)];

  for (size_t i = 0; i < G_N_ELEMENTS (all); i++) {
    classes[i] = good;
    classes[i].provides = provides;
    classes[i].query = query_layout;
    tried = all[i].layout;
    expect (all[i].id, &classes[i], all[i].says);
  }
}

/* ---- views ------------------------------------------------------------------------------------------------------------ */

static bool
build_dot (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  drawing_begin (d);
  drawing_disc (d, 8, 8, 4, 0x2b6cb0, 1, &(DrawingTag){ DRAWING_NO_DATES, .attribute = "Dot", .value = "blue" });
  return true;
}

/* Another picture each time, and a mark that lies nowhere. */
static bool
build_restless (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  static uint32_t n;

  drawing_begin (d);
  drawing_rect (d, 0, 0, scene->width_px, scene->height_px, n++ % 2 ? 0xffffff : 0, 1, NULL);
  drawing_area (d, 1 / (scene->width_px - 90), 0, 1, 1, &(DrawingTag){ DRAWING_NO_DATES });
  return true;
}

static bool
build_mute (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  return false;
}

static const void *
query_dot (EveComponent *c, const char *name)
{
  static const View view = { .title = "Dot", .build = build_dot };

  return strcmp (name, VIEW_INTERFACE) == 0 ? &view : NULL;
}

static const void *
query_restless (EveComponent *c, const char *name)
{
  static const View view = { .title = "Restless", .build = build_restless };

  return strcmp (name, VIEW_INTERFACE) == 0 ? &view : NULL;
}

static const void *
query_mute (EveComponent *c, const char *name)
{
  static const View view = { .title = "Mute", .build = build_mute };

  return strcmp (name, VIEW_INTERFACE) == 0 ? &view : NULL;
}

static const void *
query_old (EveComponent *c, const char *name)
{
  static const int unknown = 0;

  return strcmp (name, VIEW_INTERFACE_BEFORE) == 0 ? &unknown : NULL;
}

static void
test_views (void)
{
  EveClass k = good;

  k.query = query_dot;
  expect ("test.view-good", &k, NULL);
  k.query = query_restless;
  expect ("test.view-restless", &k, "gives two pictures");
  expect ("test.view-nowhere", &k, "A mark lies nowhere");
  k.query = query_mute;
  expect ("test.view-mute", &k, "says no sentence why");
  k.query = query_old;
  expect ("test.view-old", &k, "build it again");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (harness_allocations_counted ())
    conformance_set_allocations (harness_allocations);
  g_test_add_func ("/conformance/good", test_good);
  g_test_add_func ("/conformance/doc", test_doc);
  g_test_add_func ("/conformance/id", test_id);
  g_test_add_func ("/conformance/state-not-saved", test_state_not_saved);
  g_test_add_func ("/conformance/not-reset", test_not_reset);
  g_test_add_func ("/conformance/rest-changes-state", test_rest_changes_state);
  g_test_add_func ("/conformance/rest-good", test_rest_good);
  g_test_add_func ("/conformance/rest-not-saved", test_rest_not_saved);
  g_test_add_func ("/conformance/warnings", test_warnings);
  g_test_add_func ("/conformance/span", test_span);
  g_test_add_func ("/conformance/greedy", test_greedy);
  g_test_add_func ("/conformance/clock", test_clock);
  g_test_add_func ("/conformance/failing", test_failing);
  g_test_add_func ("/conformance/leak", test_leak);
  g_test_add_func ("/conformance/allocating", test_allocating);
  g_test_add_func ("/conformance/refusal-without-sentence", test_refusal_without_sentence);
  g_test_add_func ("/conformance/rude-refusal", test_rude_refusal);
  g_test_add_func ("/conformance/wrong-inspector", test_wrong_inspector);
  g_test_add_func ("/conformance/views", test_views);
  g_test_add_func ("/conformance/layouts", test_layouts);
  return g_test_run ();
}
