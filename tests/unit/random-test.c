/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of small deterministic boxes, with joins, several wires at an input, handlers and cycles: run without
 * bound, round by round, in slices and from checkpoints into fresh programs, they end the same, bit for bit.
 * RANDOM_SEED and RANDOM_COUNT choose others than the usual programs. */
#include <stdlib.h>
#include "tests/unit/boxes.h"

/* Goes round (v & 7) times, then out: so that cycles end. */
static void
orbit_fire (EveComponent *c)
{
  int64_t v = *(const int64_t *) eve_take (eve_base (c)->in[0]);

  if (v & 7)
    v--;
  eve_emit (eve_base (c)->out[v & 7 ? 0 : 1], &v);
}

static void
orbit_datum (EveComponent *c, EveIn *in, const void *datum)
{
  int64_t v = *(const int64_t *) datum;

  if (v & 7)
    v--;
  eve_emit (eve_base (c)->out[v & 7 ? 0 : 1], &v);
}

/* What the environment says; `else_` if it says nothing. */
static guint32
number (const char *name, int else_)
{
  return (guint32) (g_getenv (name) ? atoi (g_getenv (name)) : else_);
}

static EveClass orbit, async_orbit;
static EveInSpec async_orbit_in;

static void
make_classes (void)
{
  orbit = box_loop;
  orbit.id = "test.orbit";
  orbit.label = "Orbit";
  orbit.fire = orbit_fire;
  async_orbit = box_echo_loop;
  async_orbit.id = "test.async-orbit";
  async_orbit.label = "Async orbit";
  async_orbit_in = box_echo_loop.ins[0];
  async_orbit_in.on_datum = orbit_datum;
  async_orbit.ins = &async_orbit_in;
}

typedef struct Made {
  EveProgram *p;
  EveComponent *sinks[80];
  uint32_t n_sinks;
} Made;

static const char *
any_out (GRand *rand, EveComponent *c)
{
  const EveClass *k = eve_class (c);

  return k->outs[g_rand_int_range (rand, 0, (gint32) k->n_outs)].name;
}

/* The same seed, the same program. */
static Made
make (guint32 seed)
{
  static const EveClass *const kinds[] = { &box_pass,  &box_pass,  &box_add,  &box_add,   &box_split, &box_twice,
                                           &box_every, &box_hold,  &box_hold, &box_echo,  &box_tiny,  &box_small,
                                           &box_any,   &box_scale, &box_gate, &box_ender, &orbit,     &async_orbit };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  Made made = { .p = eve_program_new () };
  EveComponent *boxes[64];
  uint32_t n = 0, n_sources = (uint32_t) g_rand_int_range (rand, 1, 4),
           size = (uint32_t) g_rand_int_range (rand, 3, 22);
  bool calm = seed % 3 == 0; /* without what sees the order of arrival: bursts and spans */

  for (; n < n_sources; n++) {
    boxes[n] = box (made.p, &box_source, NULL);
    set_int (boxes[n], "first", g_rand_int_range (rand, -50, 50));
    set_int (boxes[n], "count", g_rand_int_range (rand, 0, 1500));
  }
  for (; n < n_sources + size; n++) {
    const EveClass *k = calm ? kinds[g_rand_int_range (rand, 0, 7)] : kinds[g_rand_int_range (rand, 0, EVE_N (kinds))];
    EveComponent *c = boxes[n] = box (made.p, k, NULL);

    for (uint32_t i = 0; i < k->n_ins; i++) {
      int wires = calm || g_rand_int_range (rand, 0, 4) ? 1 : g_rand_int_range (rand, 0, 4);

      for (; wires > 0; wires--) {
        EveComponent *from = boxes[g_rand_int_range (rand, 0, (gint32) n)];

        eve_connect (made.p, from, any_out (rand, from), c, k->ins[i].name, NULL);
      }
    }
    if (k == &orbit || k == &async_orbit) { /* back, straight or by way of others */
      EveComponent *at = c;
      const char *out = "again";

      for (int i = g_rand_int_range (rand, 0, 4); i > 0 && n + 1 < EVE_N (boxes) - 1; i--) {
        EveComponent *way = box (made.p, g_rand_boolean (rand) ? &box_small : &box_pass, NULL);

        wire (at, out, way, "in");
        at = way;
        out = "out";
      }
      wire (at, out, c, "in");
    }
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t o = 0; o < eve_class (boxes[i])->n_outs; o++)
      if (made.n_sinks < 64 && g_rand_int_range (rand, 0, 3)) {
        EveComponent *sink = made.sinks[made.n_sinks++] = box (made.p, &box_sink, NULL);

        wire (boxes[i], eve_class (boxes[i])->outs[o].name, sink, "in");
      }
  return made;
}

static void
compare (guint32 seed, const char *how, Made *a, EveRun run_a, Made *b, EveRun run_b)
{
  if (run_a != run_b)
    g_error ("seed %u, %s: ends %d instead of %d (%s)", seed, how, run_b, run_a, eve_program_stall (b->p));
  for (uint32_t i = 0; i < a->n_sinks; i++)
    if (box_count (a->sinks[i]) != box_count (b->sinks[i]) || box_hash (a->sinks[i]) != box_hash (b->sinks[i]))
      g_error ("seed %u, %s: %s got other data (%u, %u)", seed, how, eve_name (a->sinks[i]),
               (unsigned) box_count (a->sinks[i]), (unsigned) box_count (b->sinks[i]));
  if (eve_program_run_hash (a->p) != eve_program_run_hash (b->p))
    g_error ("seed %u, %s: another run state at the end", seed, how);
}

static EveRun
finish (EveProgram *p, GRand *rand, int how)
{
  for (int k = 0;; k++) {
    int64_t budget = how == 0 ? -1 : how == 1 ? 0 : g_rand_int_range (rand, 0, 30000);
    EveRun run = eve_run (p, budget);

    if (run != EVE_BUDGET)
      return run;
    if (how == 3 && k % 50 == 0)
      eve_pause (p);
  }
}

static void equal (guint32 first, guint32 count);

/* Seeds whose programs once ended differently. */
static void
test_once_wrong (void)
{
  static const guint32 seeds[] = { 4, 17, 28, 1417 };

  for (uint32_t i = 0; i < EVE_N (seeds); i++)
    equal (seeds[i], 1);
}

static void
test_equal (void)
{
  guint32 first = number ("RANDOM_SEED", 1), count = number ("RANDOM_COUNT", box_few (300));

  equal (first, count);
}

static void
equal (guint32 first, guint32 count)
{
  static const char *const names[] = { "unlimited", "round by round", "in slices", "in slices with pauses" };

  for (guint32 seed = first; seed < first + count; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 77); /* of slices: used as often as the clock says */
    g_autoptr (GRand) places = g_rand_new_with_seed (seed + 78);
    Made full = make (seed);
    EveRun run = finish (full.p, rand, 0);
    uint64_t rounds = 0;

    g_assert_cmpint (run, !=, EVE_RUN_FAILED);
    for (int how = 1; how < 4; how++) {
      Made other = make (seed);
      EveRun other_run = finish (other.p, rand, how);

      compare (seed, names[how], &full, run, &other, other_run);
      eve_program_free (other.p);
    }
    { /* again after a reset */
      EveRun other_run;
      Made twin = make (seed);

      finish (twin.p, rand, 1);
      eve_reset (twin.p);
      other_run = finish (twin.p, rand, 0);
      compare (seed, "after a reset", &full, run, &twin, other_run);
      eve_reset (twin.p);
      while (eve_run (twin.p, 0) == EVE_BUDGET)
        rounds++;
      eve_program_free (twin.p);
    }
    for (int hops = 0; hops < 3; hops++) { /* from one fresh program to the next */
      Made now = make (seed);
      EveRun last;

      for (int i = 0; i <= hops; i++) {
        EveBlob *blob = eve_blob_new ();
        Made next = make (seed);
        g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
        g_autoptr (GError) error = NULL;
        size_t n;
        const uint8_t *bytes;

        for (int k = g_rand_int_range (places, 0, (gint32) MIN (rounds / (uint64_t) (hops + 1) + 2, 100000)); k > 0;
             k--)
          eve_run (now.p, 0);
        eve_program_save_run (now.p, blob);
        bytes = eve_blob_data (blob, &n);
        if (!eve_program_load_run (next.p, bytes, n, problems, &error) || problems->len)
          g_error ("seed %u: a checkpoint is refused: %s", seed, error ? error->message : (char *) problems->pdata[0]);
        if (eve_program_run_hash (next.p) != eve_program_run_hash (now.p))
          g_error ("seed %u: what was loaded is not what was saved", seed);
        eve_blob_free (blob);
        eve_program_free (now.p);
        now = next;
      }
      last = finish (now.p, rand, hops);
      compare (seed, "from checkpoints", &full, run, &now, last);
      eve_program_free (now.p);
    }
    eve_program_free (full.p);
  }
}

/* A side branch here, a name or a place there, taken back again: edits that the rest of the program need not notice.
 * Random numbers say which, at moments when data wait in rings. */
static void
edit_aside (EveProgram *p, GRand *rand, GPtrArray *aside)
{
  uint32_t n = eve_n_components (p);
  EveComponent *c = eve_component (p, (uint32_t) g_rand_int_range (rand, 0, (gint32) n));
  g_autofree char *before = NULL;

  switch (g_rand_int_range (rand, 0, 10)) {
  case 0:
  case 1: /* a branch of two boxes */
    if (eve_class (c)->n_outs && aside->len < 20) {
      EveComponent *pass = box (p, &box_pass, NULL), *sink = box (p, &box_any_sink, NULL);
      const char *out = any_out (rand, c);
      wire (c, out, pass, "in");
      wire (pass, "out", sink, "in");
      g_ptr_array_add (aside, g_strdup (eve_name (pass)));
      g_ptr_array_add (aside, g_strdup (eve_name (sink)));
    }
    break;
  case 2: /* one box of a branch goes, with what it had not read */
    if (aside->len) {
      guint i = (guint) g_rand_int_range (rand, 0, (gint32) aside->len);
      eve_remove (p, eve_find (p, aside->pdata[i]));
      g_ptr_array_remove_index (aside, i);
    }
    break;
  case 3: /* done and undone, by the program's text */
    before = eve_program_text (p);
    if (eve_class (c)->n_outs)
      wire (c, any_out (rand, c), box (p, &box_any_sink, "For a moment"), "in");
    if (g_rand_boolean (rand))
      eve_run (p, 0);
    g_assert_true (eve_program_update (p, before, NULL, NULL));
    break;
  case 4:
    eve_set_position (c, g_rand_double (rand), 3);
    before = g_strdup (eve_name (c));
    g_assert_true (eve_rename (c, "Another name", NULL));
    eve_run (p, 0);
    g_assert_true (eve_rename (c, before, NULL));
    break;
  case 5: /* a piece that is wired to nothing, and gone */
    box (p, &box_add, "Alone");
    eve_run (p, 0);
    eve_remove (p, eve_find (p, "Alone"));
    break;
  case 6: /* settings there and back */
    for (uint32_t i = 0; i < eve_class (c)->n_settings; i++) {
      const char *setting = eve_class (c)->settings[i].name;
      g_autofree char *was = eve_get (c, setting);
      eve_set (c, setting, "3", NULL);
      eve_set (c, setting, "2", NULL);
      set (c, setting, was);
    }
    break;
  case 7:
    eve_pause (p);
    break;
  case 8: /* another wire, there for a moment or until its box goes */
    if (eve_class (c)->n_outs && aside->len) {
      const char *out = any_out (rand, c);
      EveComponent *to = eve_find (p, aside->pdata[g_rand_int_range (rand, 0, (gint32) aside->len)]);
      if (eve_class (to) != &box_any_sink || !eve_connect (p, c, out, to, "in", NULL))
        break;
      eve_run (p, g_rand_int_range (rand, 0, 2000));
      if (g_rand_boolean (rand))
        g_assert_true (eve_disconnect (p, c, out, to, "in"));
    }
    break;
  case 9: /* a branch of its own, wired, unwired, and gone with what waits in it */
    before = g_strdup (eve_name (c));
    if (eve_class (c)->n_outs) {
      EveComponent *gate = box (p, &box_gate, "Shut"), *to = box (p, &box_any_sink, "Behind");
      const char *out = any_out (rand, c);
      wire (c, out, gate, "in");
      wire (gate, "out", to, "in");
      eve_run (p, g_rand_int_range (rand, 0, 2000));
      g_assert_true (eve_disconnect (p, c, out, gate, "in"));
      set (gate, "open", "false");
      wire (c, out, gate, "in");
      eve_run (p, 0);
      eve_remove (p, gate);
      eve_remove (p, to);
    }
  }
}

/* Edits while data are in flight lose nothing, bring nothing twice and change nobody's order. */
static void
test_edited (void)
{
  guint32 first = number ("RANDOM_SEED", 1), count = number ("RANDOM_COUNT", box_few (80));

  for (guint32 seed = 3 * first; seed < 3 * (first + count);
       seed += 3) { /* those that do not see the order of arrival */
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 79);
    g_autoptr (GPtrArray) aside = g_ptr_array_new_with_free_func (g_free);
    Made full = make (seed), edited = make (seed);
    EveRun run = finish (full.p, rand, 0), other;

    do {
      for (int k = g_rand_int_range (rand, 0, 25); k > 0; k--)
        eve_run (edited.p, 0);
      edit_aside (edited.p, rand, aside);
      other = eve_run (edited.p, g_rand_int_range (rand, 0, 3000));
    } while (other == EVE_BUDGET);
    for (guint i = 0; i < aside->len; i++)
      eve_remove (edited.p, eve_find (edited.p, aside->pdata[i]));
    other = eve_run (edited.p, -1);
    g_assert_cmpint (run, ==, other);
    for (uint32_t i = 0; i < full.n_sinks; i++) {
      if (box_count (full.sinks[i]) != box_count (edited.sinks[i])
          || box_hash (full.sinks[i]) != box_hash (edited.sinks[i]))
        g_error ("seed %u, edited: %s got other data (%u, %u)", seed, eve_name (full.sinks[i]),
                 (unsigned) box_count (full.sinks[i]), (unsigned) box_count (edited.sinks[i]));
    }
    eve_program_free (edited.p);
    eve_program_free (full.p);
  }
}

/* ---- rests ---- */
static EveClass teller, shown_add, shown_echo, shown_orbit, shown_sink;
static EveInSpec present_add[2], present_echo, present_orbit, present_sink;

/* What it sums up, told to whoever looks: sometimes more than once. */
static bool
tell (EveComponent *c, int64_t now)
{
  static uint32_t calls;
  int64_t n = (int64_t) box_count (c);

  eve_emit (eve_base (c)->out[0], &n);
  return ++calls % 3;
}

static EveClass
present (const EveClass *klass, EveInSpec *ins, const char *id)
{
  EveClass k = *klass;

  for (uint32_t i = 0; i < k.n_ins; i++) {
    ins[i] = k.ins[i];
    ins[i].present = true;
  }
  k.ins = ins;
  k.id = id;
  return k;
}

static void
make_telling (void)
{
  teller = box_ender;
  teller.id = "test.teller";
  teller.at_rest = tell;
  shown_add = present (&box_add, present_add, "test.shown-add");
  shown_echo = present (&box_echo, &present_echo, "test.shown-echo");
  shown_orbit = present (&orbit, &present_orbit, "test.shown-orbit");
  shown_sink = present (&box_sink, &present_sink, "test.shown-sink");
}

/* A program of many boxes that tells at rest, to boxes that data of the run reach too. */
static Made
make_told (guint32 seed, EveComponent **first, EveComponent **sees)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 5);
  Made m = make (seed);
  EveComponent *at, *boxes[12];
  uint32_t n = 0, n_before = eve_n_components (m.p);

  do
    at = eve_component (m.p, (uint32_t) g_rand_int_range (rand, 0, (gint32) n_before));
  while (!eve_class (at)->n_outs);
  for (int i = 0; i < 70; i++) { /* more than one word of bits */
    EveComponent *next = box (m.p, &box_pass, NULL);
    wire (at, i ? "out" : any_out (rand, at), next, "in");
    at = next;
  }
  for (; n < 4; n++) {
    EveComponent *from = n ? eve_component (m.p, (uint32_t) g_rand_int_range (rand, 0, (gint32) n_before)) : at;
    boxes[n] = box (m.p, &teller, NULL);
    if (eve_class (from)->n_outs)
      wire (from, any_out (rand, from), boxes[n], "in");
  }
  *first = boxes[0];
  *sees = box (m.p, &shown_sink, NULL);
  wire (boxes[0], "out", *sees, "in");
  for (; n < EVE_N (boxes); n++) {
    static const EveClass *const kinds[] = { &shown_add, &shown_echo, &shown_orbit, &box_pass };
    const EveClass *k = kinds[g_rand_int_range (rand, 0, EVE_N (kinds))];
    boxes[n] = box (m.p, k, NULL);
    for (uint32_t i = 0; i < k->n_ins; i++)
      for (int wires = g_rand_int_range (rand, 1, 3); wires > 0; wires--) {
        EveComponent *from = boxes[g_rand_int_range (rand, 0, (gint32) n)];
        eve_connect (m.p, from, any_out (rand, from), boxes[n], k->ins[i].name, NULL);
      }
    if (k == &shown_orbit)
      wire (boxes[n], "again", boxes[n], "in");
    EveComponent *sink = m.sinks[m.n_sinks++] = box (m.p, &shown_sink, NULL);
    wire (boxes[n], eve_class (boxes[n])->outs[k->n_outs - 1].name, sink, "in");
  }
  return m;
}

/* Whoever looks sees the sums as they are, and changes nothing: not the results, nor what waits, nor who is next. */
static void
test_rested (void)
{
  guint32 first = number ("RANDOM_SEED", 1), count = number ("RANDOM_COUNT", box_few (40));

  make_telling ();
  for (guint32 seed = first; seed < first + count; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 80);
    EveComponent *sum, *sees, *unused;
    Made plain = make_told (seed, &sum, &unused), rested = make_told (seed, &sum, &sees);
    EveRun run_a, run_b;
    int rounds = 0;

    do {
      run_a = eve_run (plain.p, 0);
      run_b = eve_run (rested.p, 0);
      if (g_rand_int_range (rand, 0, 20 + rounds++ / 10))
        continue;
      for (int again = g_rand_int_range (rand, 1, 3); again > 0; again--) {
        eve_rest (rested.p, rounds);
        if (eve_in_connected (eve_base (sum)->in[0])) {
          const GArray *seen = box_log (sees);
          g_assert_cmpuint (seen->len, >, 0);
          g_assert_cmpint (g_array_index (seen, int64_t, seen->len - 1), ==, (int64_t) box_count (sum));
        }
      }
      if (g_rand_boolean (rand))
        eve_pause (rested.p);
      if (eve_program_run_hash (plain.p) != eve_program_run_hash (rested.p))
        g_error ("seed %u, rested after %d rounds: another run state", seed, rounds);
    } while (run_a == EVE_BUDGET && run_b == EVE_BUDGET);
    compare (seed, "rested", &plain, run_a, &rested, run_b);
    eve_program_free (plain.p);
    eve_program_free (rested.p);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  make_classes ();
  g_test_add_func ("/random/equal", test_equal);
  g_test_add_func ("/random/once-wrong", test_once_wrong);
  g_test_add_func ("/random/edited", test_edited);
  g_test_add_func ("/random/rested", test_rested);
  return g_test_run ();
}
