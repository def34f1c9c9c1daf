/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays handed over where they lie: to those who take arrays, to the one who fires on a source's, to who keeps them.
 */
#include "tests/unit/boxes.h"

static void
copy_span (EveComponent *c, uint32_t n)
{
  const int64_t *v = eve_take_span (eve_base (c)->in[0], n);
  uint32_t room = n;
  int64_t *to = eve_reserve (eve_base (c)->out[0], &room);

  g_assert_cmpuint (room, ==, n);
  memcpy (to, v, n * sizeof *v);
  eve_commit (eve_base (c)->out[0], n);
}

/* ---- arrays handed over where they lie ---- */
static int64_t lent[256];
static uint32_t heard_lent, heard_copies;

static void
lend_span (EveComponent *c, uint32_t n)
{
  memcpy (lent, eve_take_span (eve_base (c)->in[0], n), n * sizeof *lent);
  g_assert_true (eve_give (eve_base (c)->out[0], lent, n));
  memset (lent, 0xff, sizeof lent); /* nobody may look at it afterwards */
}

static void
hear (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  if (data == lent)
    heard_lent += n;
  else
    heard_copies += n;
  g_assert_cmpuint (n, <=, 256);
  g_array_append_vals ((GArray *) box_log (c), data, n);
}

static bool tired;
static void
hear_badly (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  if (tired)
    eve_fail (c, "is tired");
  else
    hear (c, in, data, n);
}

typedef struct Giving {
  EveProgram *p;
  EveComponent *from, *give, *to[3];
} Giving;

static Giving
giving (void (*span) (EveComponent *c, uint32_t n), EveAsyncSpan second)
{
  static EveInSpec ins[2];
  static EveClass give, ear, other;
  Giving g = { .p = eve_program_new () };
  for (int i = 0; i < 2; i++)
    ins[i] = (EveInSpec){ "in",          &eve_type_int64,  EVE_ASYNC,
                          .quiet = true, .commutes = true, .on_span = i ? second : hear };
  give = box_pass;
  give.fire_span = span;
  ear = other = box_sink;
  ear.fire = other.fire = NULL;
  ear.ins = &ins[0];
  other.ins = &ins[1];
  g.from = box (g.p, &box_source, "From");
  g.give = box (g.p, &give, "Give");
  wire (g.from, "out", g.give, "in");
  for (int i = 0; i < 3; i++) {
    g.to[i] = box (g.p, i == 1 ? &other : &ear, NULL);
    wire (g.give, "out", g.to[i], "in");
  }
  set_int (g.from, "count", 10007);
  heard_lent = heard_copies = 0;
  tired = false;
  return g;
}

static void
assert_heard_all (const Giving *g, int listeners)
{
  for (int k = 0; k < listeners; k++) {
    g_assert_cmpuint (box_log (g->to[k])->len, ==, 10007);
    for (guint i = 0; i < 10007; i++)
      g_assert_cmpint (box_logged (g->to[k], i), ==, i);
    g_assert_cmpuint (eve_component_firings (g->to[k]), ==, 10007);
  }
}

static void
assert_wires (EveProgram *p)
{
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    g_autofree char *last = eve_out_last (w.from, w.out);
    g_assert_cmpuint (w.passed, ==, 10007);
    g_assert_cmpstr (last, ==, "10006");
  }
}

/* All listeners get the array itself; what is counted, saved and seen at the wire is as if it had been copied. */
static void
test_give (void)
{
  Giving lends = giving (lend_span, hear), copies;

  run_idle (lends.p);
  assert_heard_all (&lends, 3);
  g_assert_cmpuint (heard_lent, >, 3 * 9000); /* single data are fired, and emitted */
  copies = giving (copy_span, hear);
  run_idle (copies.p);
  assert_heard_all (&copies, 3);
  g_assert_cmpuint (heard_lent, ==, 0);
  g_assert_cmpuint (eve_program_run_hash (lends.p), ==, eve_program_run_hash (copies.p));
  assert_wires (lends.p);
  eve_program_free (lends.p);
  eve_program_free (copies.p);
}

/* However it is cut into slices, the same comes out. */
static void
test_give_slices (void)
{
  Giving whole = giving (lend_span, hear), parts = giving (lend_span, hear);

  run_idle (whole.p);
  while (eve_run (parts.p, 0) == EVE_BUDGET)
    ;
  assert_heard_all (&parts, 3);
  g_assert_cmpuint (eve_program_run_hash (whole.p), ==, eve_program_run_hash (parts.p));
  eve_program_free (whole.p);
  eve_program_free (parts.p);
}

/* With one who wants data one by one, all get copies. */
static void
test_give_mixed (void)
{
  Giving g = giving (lend_span, hear);
  EveComponent *sink = box (g.p, &box_sink, "One by one");

  wire (g.give, "out", sink, "in");
  run_idle (g.p);
  assert_heard_all (&g, 3);
  g_assert_cmpuint (heard_lent, ==, 0);
  g_assert_cmpuint (box_count (sink), ==, 10007);
  for (guint i = 0; i < 10007; i++)
    g_assert_cmpint (box_logged (sink, i), ==, i);
  eve_program_free (g.p);
}

/* One in the middle fails: it and those behind it find in the ring what they did not get, and nobody gets anything
 * twice. */
static void
test_give_failure (void)
{
  Giving g = giving (lend_span, hear_badly);

  tired = true;
  g_assert_cmpint (eve_run (g.p, -1), ==, EVE_RUN_FAILED);
  assert_contains (eve_program_failure (g.p, NULL), "is tired");
  g_assert_cmpuint (box_log (g.to[1])->len, ==, 0);
  tired = false;
  eve_program_clear_failure (g.p);
  run_idle (g.p);
  for (int k = 0; k < 3; k++) {
    g_assert_cmpuint (box_log (g.to[k])->len, ==, 10007);
    for (guint i = 0; i < 10007; i++)
      g_assert_cmpint (box_logged (g.to[k], i), ==, i);
  }
  g_assert_cmpuint (heard_copies, >, 0);
  g_assert_cmpuint (heard_lent, >, 0);
  eve_program_free (g.p);
}

/* ---- a source's array, on which its only consumer fires where it lies ---- */
#define LENDS 10007

typedef struct Lender {
  EveBase base;
  int64_t at;
} Lender;

static EveSupply
lend_produce (EveComponent *c, uint32_t max)
{
  Lender *self = (Lender *) c;
  uint32_t n = (uint32_t) MIN (MIN (max, 256), LENDS - self->at);
  for (uint32_t i = 0; i < n; i++)
    lent[i] = self->at++;
  g_assert_true (eve_give (eve_base (c)->out[0], lent, n));
  memset (lent, 0xff, sizeof lent); /* nobody may look at it afterwards */
  return self->at < LENDS ? EVE_MORE : EVE_END;
}

static bool eats_half;
static void
fire_lent (EveComponent *c, uint32_t n)
{
  uint32_t k = eats_half && n > 1 ? n / 2 : n;
  if (tired) {
    eve_fail (c, "is tired");
    return;
  }
  const int64_t *data = eve_take_span (eve_base (c)->in[0], k);
  *(data >= lent && data < lent + G_N_ELEMENTS (lent) ? &heard_lent : &heard_copies) += k;
  for (uint32_t i = 0; i < k; i++)
    g_assert_true (eve_emit (eve_base (c)->out[0], &data[i]));
}

/* A lender, who feeds a box that fires; with `other` a sink too. */
static Giving
lending (bool spans, bool other)
{
  static const EveField state[] = { { "at", EVE_F_INT64, offsetof (Lender, at), .doc = "A number." } };
  static EveClass from, fires, fires_singly;
  Giving g = { .p = eve_program_new () };
  from = box_source;
  from.produce = lend_produce;
  from.instance_size = sizeof (Lender);
  from.settings = NULL;
  from.n_settings = 0;
  from.state = state;
  fires = fires_singly = box_pass;
  fires.fire_span = fire_lent;
  fires_singly.fire_span = NULL;
  g.from = box (g.p, &from, "From");
  g.give = box (g.p, spans ? &fires : &fires_singly, "Fires");
  g.to[0] = box (g.p, &box_sink, "To");
  wire (g.from, "out", g.give, "in");
  wire (g.give, "out", g.to[0], "in");
  if (other)
    wire (g.from, "out", g.to[1] = box (g.p, &box_sink, "Other"), "in");
  heard_lent = heard_copies = 0;
  tired = eats_half = false;
  return g;
}

static void
assert_came (const Giving *g, int listeners)
{
  for (int k = 0; k < listeners; k++) {
    g_assert_cmpuint (box_log (g->to[k])->len, ==, LENDS);
    for (guint i = 0; i < LENDS; i++)
      g_assert_cmpint (box_logged (g->to[k], i), ==, i);
  }
  assert_wires (g->p);
}

/* What is counted, saved and seen at the wire is as if all had been copied. */
static void
test_fire_in_place (void)
{
  Giving lends = lending (true, false), copies;
  run_idle (lends.p);
  assert_came (&lends, 1);
  g_assert_cmpuint (heard_lent, >, 9000);
  g_assert_cmpuint (eve_component_firings (lends.give), ==, LENDS);
  copies = lending (false, false);
  run_idle (copies.p);
  assert_came (&copies, 1);
  g_assert_cmpuint (eve_component_firings (copies.give), ==, LENDS);
  g_assert_cmpuint (eve_program_run_hash (lends.p), ==, eve_program_run_hash (copies.p));
  eve_program_free (lends.p);
  eve_program_free (copies.p);

  Giving parts = lending (true, false);
  while (eve_run (parts.p, 0) == EVE_BUDGET)
    ;
  assert_came (&parts, 1);
  eve_program_free (parts.p);

  Giving two = lending (true, true); /* another who listens: each finds all in the ring */
  run_idle (two.p);
  assert_came (&two, 2);
  g_assert_cmpuint (heard_lent, ==, 0);
  eve_program_free (two.p);
}

/* Who takes less than there is, or fails, finds the rest in the ring, once. */
static void
test_fire_in_place_partly (void)
{
  Giving g = lending (true, false);
  eats_half = true;
  run_idle (g.p);
  assert_came (&g, 1);
  g_assert_cmpuint (heard_lent, >, 0);
  eve_program_free (g.p);

  g = lending (true, false);
  tired = true;
  g_assert_cmpint (eve_run (g.p, -1), ==, EVE_RUN_FAILED);
  assert_contains (eve_program_failure (g.p, NULL), "is tired");
  g_assert_cmpuint (box_log (g.to[0])->len, ==, 0);
  tired = false;
  eve_program_clear_failure (g.p);
  run_idle (g.p);
  assert_came (&g, 1);
  g_assert_cmpuint (heard_copies, >, 0);
  g_assert_cmpuint (heard_lent, >, 0);
  eve_program_free (g.p);

  /* saved with what a failure left, and gone on with elsewhere */
  g = lending (true, false);
  Giving other = lending (true, false);
  tired = true;
  g_assert_cmpint (eve_run (g.p, -1), ==, EVE_RUN_FAILED);
  tired = false;
  eve_program_clear_failure (g.p);
  EveBlob *state = eve_blob_new ();
  size_t n = 0;
  eve_program_save_run (g.p, state);
  const uint8_t *bytes = eve_blob_data (state, &n);
  g_assert_true (eve_program_load_run (other.p, bytes, n, NULL, NULL));
  eve_blob_free (state);
  run_idle (other.p);
  assert_came (&other, 1);
  eve_program_free (g.p);
  eve_program_free (other.p);
}

/* ---- data that nobody takes, and that are kept ---- */
static uint32_t put_directly;

static void
put_span (EveComponent *c, uint32_t n)
{
  const int64_t *data = eve_take_span (eve_base (c)->in[0], n);
  EveOut *out = eve_base (c)->out[0];
  void *to = NULL, *again;

  if (eve_out_kept (out, &to)) {
    if (to)
      g_array_append_vals (to, data, n);
    put_directly += n;
    eve_passed (out, n, &data[n - 1]);
    g_assert_true (eve_out_kept (out, &again) && again == to); /* the next datum may go there too */
    eve_passed (out, 0, NULL);
  } else {
    g_assert_true (eve_give (out, data, n));
  }
}

static void
keep_copy (void *arg, const void *data, uint32_t n)
{
  g_array_append_vals (arg, data, n);
}

static void *
keep_there (void *arg)
{
  return arg;
}

/* An output with inputs that are kept, and with listeners. */
static Giving
putting (void (*span) (EveComponent *c, uint32_t n), int n_kept, int listeners)
{
  static const char *const ears[] = { "Ear 1", "Ear 2" };
  static EveInSpec kept, in;
  static EveClass give, shows, ear;
  Giving g = { .p = eve_program_new () };
  kept = (EveInSpec){ "in", &eve_type_int64, EVE_ASYNC, .kept = true };
  in = (EveInSpec){ "in", &eve_type_int64, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = hear };
  give = box_pass;
  give.fire_span = span;
  shows = ear = box_sink;
  shows.fire = ear.fire = NULL;
  shows.ins = &kept;
  shows.n_state = 0;
  ear.ins = &in;
  g.from = box (g.p, &box_source, "From");
  g.give = box (g.p, &give, "Give");
  wire (g.from, "out", g.give, "in");
  for (int i = 0; i < n_kept; i++)
    wire (g.give, "out", box (g.p, &shows, NULL), "in");
  for (int i = 0; i < listeners; i++)
    wire (g.give, "out", g.to[i] = box (g.p, &ear, ears[i]), "in");
  set_int (g.from, "count", 10007);
  put_directly = 0;
  return g;
}

static void
assert_kept (GArray *kept)
{
  g_assert_cmpuint (kept->len, ==, 10007);
  for (guint i = 0; i < kept->len; i++)
    g_assert_cmpint (g_array_index (kept, int64_t, i), ==, i);
  g_array_set_size (kept, 0);
}

/* Whoever listens beside, and in whatever slices: everything is kept once and in order; what is counted, saved and seen
 * at the wire is as if every datum had been emitted, and as if nobody kept anything. */
static void
test_kept (void)
{
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (int64_t));
  const EveKeeper keepers[] = { { NULL }, { keep_copy, NULL, kept }, { keep_copy, keep_there, kept } };

  for (int n_kept = 0; n_kept <= 2; n_kept++)
    for (int listeners = 0; listeners <= 2; listeners++) {
      uint64_t hash = 0;
      for (guint k = 0; k < G_N_ELEMENTS (keepers); k++)
        for (int slices = 0; slices <= 1; slices++) {
          Giving g = putting (k == 1 ? copy_span : put_span, n_kept, listeners);
          if (k)
            eve_out_keep (g.give, 0, &keepers[k]);
          EveRun run = eve_run (g.p, slices ? 0 : -1);
          while (run == EVE_BUDGET)
            run = eve_run (g.p, 0);
          g_assert_cmpint (run, ==, EVE_IDLE);
          assert_heard_all (&g, listeners);
          if (k || n_kept + listeners)
            assert_wires (g.p);
          if (k)
            assert_kept (kept);
          else
            g_assert_cmpuint (kept->len, ==, 0);
          if (listeners || (!k && !n_kept) || k == 1)
            g_assert_cmpuint (put_directly, ==, 0);
          else
            g_assert_cmpuint (put_directly, >, 9000); /* single data are fired, and emitted */
          if (!hash && (k || n_kept + listeners))
            hash = eve_program_run_hash (g.p);
          if (k || n_kept + listeners) /* else nothing counts what passes */
            g_assert_cmpuint (eve_program_run_hash (g.p), ==, hash);
          eve_out_keep (g.give, 0, NULL);
          eve_program_free (g.p);
        }
    }
}

/* A box that only shows what is kept is no part of what runs: states saved without it are whole with it, and its wires
 * count as if it had been there from the first. */
static void
test_kept_idle (void)
{
  Giving with = putting (put_span, 2, 1), without = putting (put_span, 0, 1);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  EveBlob *state = eve_blob_new ();
  size_t n;

  g_assert_cmpuint (eve_program_plan_hash (with.p), ==, eve_program_plan_hash (without.p));
  run_idle (without.p);
  eve_program_save_run (without.p, state);
  const uint8_t *data = eve_blob_data (state, &n);
  g_assert_true (eve_program_load_run (with.p, data, n, problems, NULL));
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_cmpuint (eve_program_run_hash (with.p), ==, eve_program_run_hash (without.p));
  for (uint32_t i = 0; i < eve_n_wires (with.p); i++)
    g_assert_cmpuint (eve_wire (with.p, i).passed, ==, 10007);
  eve_blob_free (state);
  eve_program_free (with.p);
  eve_program_free (without.p);
}

/* What comes to an input is the same thing in two programs just when all that is upstream is the same. */
static void
test_identity (void)
{
  Giving a = putting (put_span, 2, 1), b = putting (put_span, 1, 2);
  EveComponent *shows[3] = { eve_component (a.p, 2), eve_component (a.p, 3), eve_component (b.p, 2) };
  uint64_t of[3];

  for (int i = 0; i < 3; i++)
    of[i] = eve_in_identity (eve_base (shows[i])->in[0]);
  g_assert_cmpuint (of[0], !=, 0);
  g_assert_cmpuint (of[0], ==, of[1]); /* two boxes at one output */
  g_assert_cmpuint (of[0], ==, of[2]); /* another program */
  g_assert_cmpuint (of[0], ==, eve_out_identity (a.give, 0));
  g_assert_cmpuint (of[0], !=, eve_out_identity (a.from, 0));
  set_int (a.from, "count", 10008);
  g_assert_cmpuint (of[0], !=, eve_in_identity (eve_base (shows[0])->in[0]));
  set_int (a.from, "count", 10007);
  g_assert_cmpuint (of[0], ==, eve_in_identity (eve_base (shows[0])->in[0]));
  wire (a.from, "out", shows[0], "in"); /* two wires: what comes is of both */
  uint64_t both = eve_in_identity (eve_base (shows[0])->in[0]);
  g_assert_cmpuint (both, !=, of[0]);
  g_assert_true (eve_disconnect (a.p, a.give, "out", shows[0], "in"));
  g_assert_cmpuint (eve_in_identity (eve_base (shows[0])->in[0]), ==, eve_out_identity (a.from, 0));
  g_assert_true (eve_disconnect (a.p, a.from, "out", shows[0], "in"));
  g_assert_cmpuint (eve_in_identity (eve_base (shows[0])->in[0]), ==, 0);
  wire (a.give, "out", shows[0], "in");
  wire (a.from, "out", shows[0], "in"); /* in the other order */
  g_assert_cmpuint (eve_in_identity (eve_base (shows[0])->in[0]), ==, both);
  eve_program_free (a.p);
  eve_program_free (b.p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/give/all", test_give);
  g_test_add_func ("/give/slices", test_give_slices);
  g_test_add_func ("/give/mixed", test_give_mixed);
  g_test_add_func ("/give/failure", test_give_failure);
  g_test_add_func ("/give/fire-in-place", test_fire_in_place);
  g_test_add_func ("/give/fire-in-place-partly", test_fire_in_place_partly);
  g_test_add_func ("/give/kept", test_kept);
  g_test_add_func ("/give/kept-idle", test_kept_idle);
  g_test_add_func ("/give/identity", test_identity);
  return g_test_run ();
}
