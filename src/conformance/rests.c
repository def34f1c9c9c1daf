/* SPDX-License-Identifier: Apache-2.0 */
/* rests.c - time that stands still: who stops to look changes nothing, and is told the same wherever the program came
 * from.  A window rests after all that a person does: also before the first datum, right behind a checkpoint, after a
 * change of a setting. */
#include <string.h>
#include "src/conformance/private.h"

#define RESTS 3
#define MOST_ROUNDS 400 /* of those that are rested at */
#define TRIES 4

/* Who stops to look changes nothing, wherever and however often. */
static void
rests_change_nothing (Check *k, Harness *full, GRand *rand)
{
  for (int i = 0; i < RESTS; i++) {
    Harness *h = check_rig (k, k->klass, &check_all);
    EveRun run = EVE_BUDGET;
    bool changed = false;
    for (int rounds = 0; h && run == EVE_BUDGET && rounds < MOST_ROUNDS && !changed; rounds++) {
      run = eve_run (harness_program (h), i ? g_rand_int_range (rand, 0, 30000) : 0);
      if (run == EVE_RUN_FAILED || (i && g_rand_boolean (rand)))
        continue;
      uint64_t program = eve_program_run_hash (harness_program (h));
      for (int again = 0; again < 2 && !changed; again++) {
        eve_rest (harness_program (h), g_rand_boolean (rand) ? G_MAXINT64 : g_rand_int (rand));
        changed = eve_program_run_hash (harness_program (h)) != program;
        if (changed)
          check_problem (k, "While the program rests, its run state is another; at_rest changes none.");
      }
    }
    if (h && check_at_rest (k, h, run == EVE_BUDGET ? harness_run (h) : run, false))
      check_same (k, full, h, "After rests", true);
    harness_free (h);
  }
}

static Harness *
looked_at (Check *k)
{
  Rig rig = check_all;

  rig.present = true;
  return check_rig (k, k->klass, &rig);
}

static void
some_rounds (Harness *h, GRand *rand, int most)
{
  for (int n = g_rand_int_range (rand, 0, most); n > 0; n--)
    eve_run (harness_program (h), 0);
}

/* What is told at rest is the same behind a run state that was loaded as where it was saved. */
static void
rests_after_load (Check *k, GRand *rand)
{
  for (int i = 0; i < TRIES; i++) {
    Harness *first = looked_at (k), *fresh = looked_at (k);
    EveBlob *blob = eve_blob_new ();
    int64_t now = i % 2 ? G_MAXINT64 : (int64_t) g_rand_int (rand);
    size_t n;

    if (first && fresh) {
      some_rounds (first, rand, i ? 40 : 2);
      eve_program_save_run (harness_program (first), blob);
      const uint8_t *bytes = eve_blob_data (blob, &n);
      if (!eve_program_failure (harness_program (first), NULL) && check_load (k, fresh, bytes, n)) {
        uint64_t hash = eve_program_run_hash (harness_program (fresh));
        eve_rest (harness_program (first), now);
        eve_rest (harness_program (fresh), now);
        check_same (k, first, fresh, "At rest right behind a checkpoint, in a new program", true);
        if (eve_program_run_hash (harness_program (fresh)) != hash)
          check_problem (k, "At rest right behind a checkpoint its run state is another; at_rest changes none.");
      }
    }
    eve_blob_free (blob);
    harness_free (first);
    harness_free (fresh);
  }
}

/* At rest after a change of a setting, from there and right behind a checkpoint.  `twice`: it had been set to that
 * before, so that the component may have looked up what it means. */
static void
rest_changed (Check *k, const EveField *f, const char *value, bool twice, GRand *rand)
{
  Harness *h = looked_at (k), *fresh = looked_at (k);
  EveBlob *blob = eve_blob_new ();
  Harness *const both[] = { h, fresh };
  size_t n;

  if (h && fresh) {
    if (twice)
      eve_set (harness_component (h), f->name, value, NULL);
    eve_program_clear_failure (harness_program (h));
    some_rounds (h, rand, 20);
    eve_program_save_run (harness_program (h), blob);
    const uint8_t *bytes = eve_blob_data (blob, &n);
    eve_program_load_run (harness_program (fresh), bytes, n, NULL, NULL);
  }
  for (uint32_t i = 0; h && fresh && i < G_N_ELEMENTS (both); i++) {
    EveProgram *p = harness_program (both[i]);
    eve_set (harness_component (both[i]), f->name, value, NULL);
    eve_program_clear_failure (p);
    uint64_t hash = eve_program_run_hash (p);
    eve_rest (p, g_rand_boolean (rand) ? G_MAXINT64 : g_rand_int (rand));
    if (eve_program_run_hash (p) != hash)
      check_problem (k, "At rest after \"%s\" was set its run state is another; at_rest changes none.", f->name);
    eve_program_clear_failure (p);
    check_at_rest (k, both[i], harness_run (both[i]), true);
  }
  eve_blob_free (blob);
  harness_free (h);
  harness_free (fresh);
}

void
check_rests (Check *k, Harness *full)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (conformance.seed + 3);

  check_begin (k, "rests");
  rests_change_nothing (k, full, rand);
  if (!k->klass->at_rest)
    return;
  check_begin (k, "rests behind a checkpoint");
  rests_after_load (k, rand);
  check_begin (k, "rests after a setting was changed");
  for (uint32_t i = 0; i < k->klass->n_settings; i++) {
    const EveField *f = &k->klass->settings[i];
    g_autoptr (GPtrArray) good = check_values (f, true);
    bool number = f->kind == EVE_F_DOUBLE || f->kind == EVE_F_INT64;
    guint n = 2 * good->len - (number && good->len == 3); /* the last is the largest: once, as it takes the longest */
    for (uint32_t j = 0; !f->path && !g_str_equal (f->name, "trace") && j < n; j++)
      rest_changed (k, f, good->pdata[j / 2], j % 2, rand);
  }
}
