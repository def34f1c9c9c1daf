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
  EveComponent *sinks[64];
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
      if (made.n_sinks < EVE_N (made.sinks) && g_rand_int_range (rand, 0, 3)) {
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
  guint32 first = (guint32) atoi (g_getenv ("RANDOM_SEED") ? g_getenv ("RANDOM_SEED") : "1");
  guint32 count = (guint32) atoi (g_getenv ("RANDOM_COUNT") ? g_getenv ("RANDOM_COUNT") : "300");

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  make_classes ();
  g_test_add_func ("/random/equal", test_equal);
  g_test_add_func ("/random/once-wrong", test_once_wrong);
  return g_test_run ();
}
